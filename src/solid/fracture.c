// src/solid/fracture.c -- where a body breaks.
//
// The stress of an element is the Cauchy stress of its elastic strain alone: plastic strain bears no load. The stress
// at a node is the volume-weighted mean over its elements, and so is its strength, times a random factor near one that
// depends on the original mesh node and the seed. Where the largest principal stress exceeds the strength, the node is
// split along the plane normal to it (mesh/split.h).
//
// The most overloaded node comes first. Splitting a node changes the stress around it, so its neighbours wait for the
// next update. At crack tips the strength is reduced to four fifths: cracks propagate rather than nucleate, as in
// Mueller & Gross 2004, section 4, who choose a corner of each overloaded tetrahedron at random, crack tips first. The
// mean needs no random choice, does not depend on the order of elements, and gives the right load in a bar under
// tension, where all elements have the same stress.
//
// Shells have two sides: bending adds to the stress of one and subtracts from the other, and the larger counts.
//
// Splits that would leave a piece of fewer than `smallest` elements are undone. Unbreakable elements are never
// separated from each other. Compression alone breaks nothing: the largest principal stress has to be a tension.
//
// What it does badly: cracks run along faces, so that regular meshes show; jitter them. And the energy of a crack
// depends on the size of the elements: this is a strength criterion, not fracture mechanics.
#include "fracture.h"
#include "volume/rings.h"
#include "base/random.h"
#include "base/task.h"
#include "element/bend_state.h"
#include "element/state.h"
#include "heat.h"
#include "math/eig3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double tip_strength = 0.8;

enum
{
    BLOCK_CHUNK = 8,
    NODE_CHUNK = 256
};

// ---- lifetime --------------------------------------------------------------------------------------------------

pl_status pl__fracture_create(const pl_mesh *mesh, const pl__fracture_settings *settings, pl__fracture **out)
{
    pl_context *ctx = mesh->ctx;
    size_t n = (size_t)mesh->element_count;
    pl__fracture *f = *out = PL_NEW(ctx, 1, pl__fracture);
    if (!f)
        return PL_ERR_MEMORY;
    f->ctx = ctx;
    f->settings = *settings;
    pl_status status = pl__split_create(mesh, &f->split);
    if (status == PL_OK)
    {
        f->stress = pl__calloc(ctx, n, sizeof *f->stress);
        bool sheet = mesh->kind == PL_ELEMENT_TRIANGLE;
        f->bending = sheet ? pl__calloc(ctx, n, sizeof *f->bending) : NULL;
        f->volume = PL_NEW(ctx, n, double);
        f->strength = PL_NEW(ctx, n, double);
        f->spread = PL_NEW(ctx, n, double);
        status = f->stress && f->volume && f->strength && f->spread && (f->bending || !sheet) ? PL_OK : PL_ERR_MEMORY;
    }
    if (status != PL_OK)
        pl__fracture_destroy(out);
    return status;
}

void pl__fracture_destroy(pl__fracture **out)
{
    pl__fracture *f = *out;
    if (!f)
        return;
    pl_context *ctx = f->ctx;
    size_t n = f->split ? (size_t)f->split->element_count : 0;
    PL_DELETE(ctx, f->stress, n);
    PL_DELETE(ctx, f->bending, n);
    PL_DELETE(ctx, f->volume, n);
    PL_DELETE(ctx, f->strength, n);
    PL_DELETE(ctx, f->spread, n);
    PL_DELETE(ctx, f->ratio, f->ratio_capacity);
    PL_DELETE(ctx, f->direction, f->direction_capacity);
    pl__split_destroy(&f->split);
    PL_DELETE(ctx, f, 1);
    *out = NULL;
}

// ---- stresses of elements --------------------------------------------------------------------------------------

typedef struct
{
    pl__fracture *f;
    const pl__body *body;
    const pl__element_group *group;
    const double *x;
} stress_job;

static void measure_blocks(void *argument, int32_t begin, int32_t end)
{
    const stress_job *job = argument;
    const pl__element_group *group = job->group;
    pl__element_state state[PL_ELEMENT_LANES];
    for (int32_t block = begin; block < end; ++block)
    {
        int32_t first = block * PL_ELEMENT_LANES, left = group->count - first;
        pl__element_block_state(group, block, job->x, job->body->state.strength, job->f->ctx->register_bytes, state);
        for (int32_t lane = 0; lane < PL_ELEMENT_LANES && lane < left; ++lane)
        {
            double cauchy[9], *out = job->f->stress[group->source[first + lane]];
            pl__element_state_cauchy(&state[lane], cauchy);
            const double six[6] = {cauchy[0], cauchy[4], cauchy[8], cauchy[3], cauchy[6], cauchy[7]};
            memcpy(out, six, sizeof six);
        }
    }
}

// Strengths of elements, reduced by heat; and which are unbreakable.
static void find_strengths(pl__fracture *f, const pl__body *body, const pl__element_group *group,
                           const pl_material_def *material)
{
    for (int32_t i = 0; i < group->count; ++i)
    {
        int32_t e = group->source[i];
        pl_material_def def = material[group->material[i]];
        if (body->heat)
            def = pl__material_heated(&def, pl__heat_of_element(body, group, i));
        f->volume[e] = pl__element_volume(group, i);
        f->strength[e] = body->state.toughness * def.fracture_stress;
        f->spread[e] = def.fracture_spread;
        f->split->firm[e] = !(def.fracture_stress > 0);
    }
}

static void measure_bends(void *argument, int32_t begin, int32_t end)
{
    const stress_job *job = argument;
    const pl__element_group *group = job->group;
    for (int32_t i = begin * PL_ELEMENT_LANES; i < end * PL_ELEMENT_LANES && i < group->count; ++i)
        pl__bend_side_stress(&group->bend[i / PL_ELEMENT_LANES], i % PL_ELEMENT_LANES, job->x,
                             job->body->state.strength, job->f->bending[group->source[i]]);
}

// Incompressible elements bear the mean pressure of their rings as well.
static void add_pressures(pl__fracture *f, const pl__body *body, const pl__element_group *group,
                          const pl_material_def *material)
{
    int32_t corners = pl__element_type_of(group->kind)->corners;
    for (int32_t i = 0; body->rings && i < group->count; ++i)
    {
        double pressure = 0;
        for (int32_t a = 0; a < corners; ++a)
            pressure += body->rings->pressure[*pl__element_node(group, i, a) - body->first_node] / corners;
        for (int d = 0; material[group->material[i]].incompressible && d < 3; ++d)
            f->stress[group->source[i]][d] -= pressure;
    }
}

static void measure_stress(pl__fracture *f, const pl__body *body, const double *x, const pl_material_def *material)
{
    for (int32_t g = 0; g < body->group_count && pl__element_type_of(body->group[g].kind)->solid; ++g)
    {
        find_strengths(f, body, &body->group[g], material);
        pl__parallel_for(f->ctx, body->group[g].block_count, BLOCK_CHUNK, measure_blocks,
                         &(stress_job){f, body, &body->group[g], x});
        add_pressures(f, body, &body->group[g], material);
    }
    for (int32_t g = 0; g < body->group_count; ++g)
        if (body->group[g].kind == PL__BEND)
            pl__parallel_for(f->ctx, body->group[g].block_count, BLOCK_CHUNK, measure_bends,
                             &(stress_job){f, body, &body->group[g], x});
}

// ---- stresses of nodes -----------------------------------------------------------------------------------------

// Sums over the elements around a node, in element order.
typedef struct
{
    double volume, breaking, strength, spread;
    double stress[2][6]; // on both sides of a sheet; equal for solids
} node_sums;

static node_sums sum_around(const pl__fracture *f, int32_t node)
{
    const pl__split *s = f->split;
    int32_t origin = pl__split_origin(s, node), corners = pl__element_forms[s->kind].corners;
    node_sums sums = {0};
    for (int32_t k = s->around.start[origin]; k < s->around.start[origin + 1]; ++k)
    {
        int32_t e = s->around.item[k] / corners;
        double volume = f->volume[e];
        if (s->corner[s->around.item[k]] != node)
            continue;
        sums.volume += volume;
        for (int i = 0; i < 6; ++i)
        {
            double bending = f->bending ? f->bending[e][i] : 0;
            sums.stress[0][i] += volume * (f->stress[e][i] + bending);
            sums.stress[1][i] += volume * (f->stress[e][i] - bending);
        }
        if (!(f->strength[e] > 0))
            continue;
        sums.breaking += volume;
        sums.strength += volume * f->strength[e];
        sums.spread += volume * f->spread[e];
    }
    return sums;
}

// Largest principal value of a symmetric matrix and its direction; 0 if it cannot exceed `least`.
static double principal_of(const double t[6], double least, double direction[3])
{
    double size2 = t[0] * t[0] + t[1] * t[1] + t[2] * t[2] + 2 * (t[3] * t[3] + t[4] * t[4] + t[5] * t[5]);
    if (!(size2 > least * least) || !isfinite(size2)) // the norm is an upper bound
        return 0;
    pl_mat3 A = {{{t[0], t[3], t[4]}, {t[3], t[1], t[5]}, {t[4], t[5], t[2]}}}, Q;
    double principal[3];
    pl__eig3(&A, &Q, principal);
    memcpy(direction, Q.c[0], 3 * sizeof *direction);
    return principal[0];
}

// Largest principal stress over the strength, and its direction; 0 if the node is unbreakable.
static double load_ratio(const pl__fracture *f, int32_t node, double direction[3])
{
    node_sums sums = sum_around(f, node);
    double other[3];
    if (!(sums.breaking > 0))
        return 0;
    double vary = 2 * pl__random01(f->settings.seed, 0, (uint64_t)pl__split_origin(f->split, node)) - 1;
    double strength = sums.strength / sums.breaking * (1 + sums.spread / sums.breaking * vary) * sums.volume;
    double most = principal_of(sums.stress[0], tip_strength * strength, direction);
    double back = f->bending ? principal_of(sums.stress[1], tip_strength * strength, other) : 0;
    if (back > most)
        memcpy(direction, other, sizeof other);
    return fmax(most, back) / strength;
}

static void set_load_ratios(void *argument, int32_t begin, int32_t end)
{
    pl__fracture *f = argument;
    for (int32_t n = begin; n < end; ++n)
    {
        double load = load_ratio(f, n, f->direction[n]);
        f->ratio[n] = load > tip_strength && pl__split_is_tip(f->split, n) ? load / tip_strength : load;
    }
}

// ---- tearing ---------------------------------------------------------------------------------------------------

typedef struct
{
    double ratio;
    int32_t node;
} candidate;

static int by_load(const void *a, const void *b)
{
    const candidate *p = a, *q = b;
    return p->ratio != q->ratio ? (p->ratio < q->ratio) - (p->ratio > q->ratio)
                                : (p->node > q->node) - (p->node < q->node);
}

// Neighbours of a split node wait for the next update.
static void block_neighbours(const pl__fracture *f, int32_t node, uint8_t *blocked)
{
    const pl__split *s = f->split;
    int32_t origin = pl__split_origin(s, node), corners = pl__element_forms[s->kind].corners;
    for (int32_t k = s->around.start[origin]; k < s->around.start[origin + 1]; ++k)
        for (int32_t c = 0; c < corners; ++c)
            blocked[s->settled[s->around.item[k] / corners * corners + c]] = 1;
}

static pl_status split_node(pl__fracture *f, int32_t node, const double *x, bool *torn)
{
    size_t mark = pl__split_mark(f->split);
    bool large = true;
    PL_TRY(pl__split_node(f->split, node, f->direction[node], x, torn));
    if (*torn)
        PL_TRY(pl__split_pieces_are_large(f->split, mark, f->settings.smallest, &large));
    if (!large)
        pl__split_undo(f->split, mark);
    *torn &= large;
    return PL_OK;
}

static pl_status split_candidates(pl__fracture *f, const candidate *list, int32_t count, const double *x,
                                  uint8_t *blocked, int32_t *torn)
{
    for (int32_t i = 0; i < count && (f->settings.most == 0 || *torn < f->settings.most); ++i)
    {
        bool did = false;
        if (blocked[list[i].node])
            continue;
        PL_TRY(split_node(f, list[i].node, x, &did));
        if (did)
            block_neighbours(f, list[i].node, blocked);
        *torn += did;
    }
    return PL_OK;
}

// Positions in mesh order.
static double *source_positions(const pl__body *body, const double *x)
{
    double *out = PL_NEW(body->ctx, 3 * (size_t)body->node_count, double);
    for (int32_t n = 0; out && n < body->node_count; ++n)
        memcpy(&out[3 * (size_t)n], &x[3 * (size_t)(body->first_node + body->node_of_source[n])], 3 * sizeof *out);
    return out;
}

static pl_status split_overloaded(pl__fracture *f, const pl__body *body, const double *x, int32_t count, int32_t *torn)
{
    int32_t nodes = body->node_count, found = 0;
    candidate *list = PL_NEW(f->ctx, count, candidate);
    uint8_t *blocked = PL_NEW(f->ctx, nodes, uint8_t);
    double *positions = source_positions(body, x);
    pl_status status = list && blocked && positions ? PL_OK : PL_ERR_MEMORY;
    for (int32_t n = 0; status == PL_OK && n < nodes; ++n)
        if (f->ratio[n] > 1)
            list[found++] = (candidate){f->ratio[n], n};
    if (status == PL_OK)
    {
        qsort(list, (size_t)found, sizeof *list, by_load);
        status = split_candidates(f, list, found, positions, blocked, torn);
    }
    PL_DELETE(f->ctx, list, count);
    PL_DELETE(f->ctx, blocked, nodes);
    PL_DELETE(f->ctx, positions, 3 * (size_t)nodes);
    return status;
}

// A failure leaves no change.
static pl_status undo_on_failure(pl__fracture *f, pl_status status, int32_t *torn)
{
    if (status == PL_OK)
        return PL_OK;
    pl__split_undo(f->split, 0);
    *torn = 0;
    return status;
}

pl_status pl__fracture_look(pl__fracture *f, const pl__body *body, const double *x, const pl_material_def *material,
                            int32_t *torn)
{
    size_t nodes = (size_t)body->node_count;
    int32_t count = 0;
    *torn = 0;
    if (!PL_GROW(f->ctx, f->ratio, &f->ratio_capacity, nodes) ||
        !PL_GROW(f->ctx, f->direction, &f->direction_capacity, nodes))
        return PL_ERR_MEMORY;
    measure_stress(f, body, x, material);
    pl__parallel_for(f->ctx, body->node_count, NODE_CHUNK, set_load_ratios, f);
    for (size_t n = 0; n < nodes; ++n)
        count += f->ratio[n] > 1;
    return count ? undo_on_failure(f, split_overloaded(f, body, x, count, torn), torn) : PL_OK;
}

// ---- cuts ------------------------------------------------------------------------------------------------------

pl_status pl__fracture_cut(pl__fracture *f, const pl__body *body, const double *x, const double quad[4][3],
                           int32_t *torn)
{
    bool did = false;
    int32_t before = f->split->node_count;
    *torn = 0;
    double *positions = source_positions(body, x);
    if (!positions)
        return PL_ERR_MEMORY;
    memset(f->split->firm, 0, (size_t)f->split->element_count); // cutting ignores strength
    pl_status status = pl__split_cut(f->split, quad, positions, &did);
    PL_DELETE(f->ctx, positions, 3 * (size_t)body->node_count);
    *torn = f->split->node_count - before;
    return undo_on_failure(f, status, torn);
}

// src/solid/solids.c -- arrays of all bodies, evaluation of forces, assembly.
#include "solids.h"
#include "incompressible.h"
#include "tolerances.h"
#include "base/real_math.h"
#include "element/diagonal.h"
#include "element/director.h"
#include "element/tangent.h"

#include <string.h>

enum
{
    NODES_PER_CHUNK = PL__NODES_PER_CHUNK
};

// ---- building --------------------------------------------------------------------------------------------------

static void count_nodes(pl__solids *s)
{
    for (int32_t i = 0; i < s->body_count; ++i)
    {
        s->node_count += s->body[i]->node_count;
        for (int32_t g = 0; g < s->body[i]->group_count; ++g)
        {
            const pl__element_group *group = &s->body[i]->group[g];
            s->frame_length += (size_t)group->block_count * (size_t)pl__element_type_of(group->kind)->frame_doubles;
            s->chunk_count += pl__chunk_count(group->block_count, pl__gather_blocks(group->kind));
        }
    }
}

enum
{
    VECTOR_COUNT = 8,       // kept between steps
    STEP_VECTOR_COUNT = 10, // of every step
    EULER_VECTOR_COUNT = 6  // more for implicit Euler
};

// Persistent arrays of three doubles per node.
static void list_vectors(pl__solids *s, double **list[VECTOR_COUNT])
{
    double **vector[] = {&s->state.x, &s->state.v,         &s->mass, &s->inverse_mass,
                         &s->inertia, &s->inverse_inertia, &s->push, &s->evaluation.force};
    _Static_assert(sizeof vector / sizeof vector[0] == VECTOR_COUNT, "every vector is counted");
    memcpy(list, vector, sizeof vector);
}

static bool vectors(pl__solids *s)
{
    double **vector[VECTOR_COUNT];
    list_vectors(s, vector);
    for (size_t i = 0; i < VECTOR_COUNT; ++i)
        if (!(*vector[i] = PL_NEW(s->ctx, pl__vector_length(3 * s->node_count), double)))
            return false;
    return true;
}

static int32_t partial_count(const pl__solids *s)
{
    return pl__chunk_count(pl__vector_padded(3 * s->node_count) + 1, PL_VECTOR_CHUNK);
}

static int32_t node_chunks(const pl__solids *s) { return pl__chunk_count(s->node_count, NODES_PER_CHUNK); }

static bool awake_lists(pl__solids *s)
{
    pl__awake *a = &s->awake;
    a->node_part = PL_NEW(s->ctx, node_chunks(s), pl__part);
    a->node_list = PL_NEW(s->ctx, node_chunks(s), pl__part);
    a->number_list = PL_NEW(s->ctx, node_chunks(s), pl__part);
    a->element_list = PL_NEW(s->ctx, s->chunk_count, pl__part);
    a->was_asleep = PL_NEW(s->ctx, s->body_count, uint8_t);
    return a->node_part && a->node_list && a->number_list && a->element_list && a->was_asleep;
}

static bool contact_arrays(pl__solids *s)
{
    pl__solids_contacts *c = &s->contacts;
    size_t n = (size_t)s->node_count;
    c->count = PL_NEW(s->ctx, n, uint8_t);
    c->footing = PL_NEW(s->ctx, n, uint8_t);
    c->node = c->object_count ? PL_NEW(s->ctx, n, pl__node_contacts) : NULL;
    c->near_object = PL_NEW(s->ctx, c->object_count, int32_t);
    return c->count && c->footing && c->near_object && (c->node || !c->object_count);
}

static bool allocate(pl__solids *s)
{
    s->chunk = PL_NEW(s->ctx, s->chunk_count, pl__chunk);
    s->evaluation.frame = PL_NEW(s->ctx, s->frame_length, double);
    s->evaluation.sums = PL_NEW(s->ctx, s->chunk_count, pl__element_sums);
    return vectors(s) && awake_lists(s) && contact_arrays(s) && s->chunk && s->evaluation.frame && s->evaluation.sums;
}

void pl__solids_destroy(pl__solids *s)
{
    pl_context *ctx = s->ctx;
    if (!ctx)
        return;
    double **vector[VECTOR_COUNT];
    list_vectors(s, vector);
    for (size_t i = 0; i < VECTOR_COUNT; ++i)
        PL_DELETE(ctx, *vector[i], pl__vector_length(3 * s->node_count));
    size_t n = (size_t)s->node_count;
    pl__gather_destroy(ctx, &s->gather);
    PL_DELETE(ctx, s->chunk, s->chunk_count);
    PL_DELETE(ctx, s->evaluation.frame, s->frame_length);
    PL_DELETE(ctx, s->evaluation.sums, s->chunk_count);
    PL_DELETE(ctx, s->awake.node_part, node_chunks(s));
    PL_DELETE(ctx, s->awake.node_list, node_chunks(s));
    PL_DELETE(ctx, s->awake.number_list, node_chunks(s));
    PL_DELETE(ctx, s->awake.element_list, s->chunk_count);
    PL_DELETE(ctx, s->awake.was_asleep, s->body_count);
    PL_DELETE(ctx, s->contacts.count, n);
    PL_DELETE(ctx, s->contacts.footing, n);
    PL_DELETE(ctx, s->contacts.node, n);
    PL_DELETE(ctx, s->contacts.near_object, s->contacts.object_count);
    if (s->multigrid)
        pl__block_multigrid_destroy(ctx, s->multigrid);
    PL_DELETE(ctx, s->multigrid, 1);
    if (s->matrix)
        pl__block_matrix_destroy(ctx, s->matrix);
    PL_DELETE(ctx, s->matrix, 1);
    pl__row_memory_destroy(ctx, &s->memory);
    *s = (pl__solids){0};
}

// ---- scratch of a step -----------------------------------------------------------------------------------------

// Padding is zero, the rest is uninitialised.
static double *allocate_vector(pl__arena *arena, int32_t count)
{
    size_t length = pl__vector_length(count);
    double *vector = PL_TAKE(arena, length, double);
    if (vector)
        memset(&vector[count], 0, (length - (size_t)count) * sizeof *vector);
    return vector;
}

static bool allocate_vectors(pl__solids *s, double **vector[], size_t count)
{
    for (size_t i = 0; i < count; ++i)
        if (!(*vector[i] = allocate_vector(s->step.arena, 3 * s->node_count)))
            return false;
    return true;
}

static bool allocate_step_vectors(pl__solids *s, bool pairs, bool euler)
{
    pl__step_scratch *w = &s->step;
    double **step[STEP_VECTOR_COUNT] = {&w->x_end, &w->x_middle, &w->v_start, &w->v_end, &w->v_change,
                                        &w->rhs,   &w->cg.r,     &w->cg.z,    &w->cg.p,  &w->cg.q};
    double **more[EULER_VECTOR_COUNT] = {&w->diagonal,  &w->impulse,  &w->v_from,
                                         &w->direction, &w->gradient, &w->volume_gradient};
    double **pair[] = {&w->pair_rhs};
    w->cg.partial = PL_TAKE(w->arena, partial_count(s), double);
    w->block = PL_TAKE(w->arena, 6 * (size_t)s->node_count, double);
    w->constraint = PL_TAKE(w->arena, s->node_count, pl__node_constraint);
    w->pairless_block = pairs ? PL_TAKE(w->arena, 6 * (size_t)s->node_count, double) : NULL;
    w->object_row_count = euler && s->contacts.object_count > 0 ? s->node_count + PL__OBJECT_ROWS_SPARE : 0;
    w->object_row = w->object_row_count > 0 ? PL_TAKE(w->arena, w->object_row_count, pl__contact_pair) : NULL;
    return w->cg.partial && w->block && w->constraint && (w->object_row || w->object_row_count == 0) &&
           (!pairs || (w->pairless_block && allocate_vectors(s, pair, 1))) &&
           allocate_vectors(s, step, STEP_VECTOR_COUNT) && (!euler || allocate_vectors(s, more, EULER_VECTOR_COUNT));
}

// Steps work on the nodes of bodies that are awake; stages and pairs see all nodes, and those that sleep at rest.
static void rest_sleepers(pl__solids *s)
{
    pl__step_scratch *w = &s->step;
    for (int32_t i = 0; i < s->body_count; ++i)
    {
        size_t first = 3 * (size_t)s->body[i]->first_node, bytes = 3 * (size_t)s->body[i]->node_count * sizeof(double);
        if (!s->body[i]->state.asleep)
            continue;
        memcpy(&w->x_end[first], &s->state.x[first], bytes);
        memcpy(&w->x_middle[first], &s->state.x[first], bytes);
        memset(&w->v_start[first], 0, bytes);
        memset(&w->v_end[first], 0, bytes);
        memset(&w->v_change[first], 0, bytes);
    }
}

pl_status pl__solids_begin_step(pl__solids *s, pl__arena *arena, bool pairs, bool euler)
{
    s->step = (pl__step_scratch){.arena = arena, .mark = pl__arena_set_mark(arena)};
    if (allocate_step_vectors(s, pairs, euler))
    {
        rest_sleepers(s);
        // the first CG iteration computes p = z + 0 p
        memset(s->step.cg.p, 0, 3 * (size_t)s->node_count * sizeof *s->step.cg.p);
        return PL_OK;
    }
    pl__solids_end_step(s);
    return PL_ERR_MEMORY;
}

void pl__solids_end_step(pl__solids *s)
{
    pl__arena_release(s->step.arena, s->step.mark);
    s->step = (pl__step_scratch){0};
}

// ---- layout ----------------------------------------------------------------------------------------------------

static void list_chunks(pl__solids *s)
{
    int32_t chunk = 0;
    for (int32_t i = 0; i < s->body_count; ++i)
        for (int32_t g = 0; g < s->body[i]->group_count; ++g)
        {
            int32_t blocks = s->body[i]->group[g].block_count, length = pl__gather_blocks(s->body[i]->group[g].kind);
            for (int32_t begin = 0; begin < blocks; begin += length)
            {
                int32_t end = blocks - begin < length ? blocks : begin + length;
                s->chunk[chunk++] = (pl__chunk){i, g, begin, end, -1};
            }
        }
}

// Before the bodies are renumbered, so that a failure leaves them unchanged.
static pl_status build_gather(pl__solids *s)
{
    pl__gather_range *range = PL_NEW(s->ctx, s->chunk_count, pl__gather_range);
    if (!range)
        return PL_ERR_MEMORY;
    int32_t c = 0, first_node = 0;
    for (int32_t i = 0; i < s->body_count; ++i)
    {
        const pl__body *body = s->body[i];
        for (; c < s->chunk_count && s->chunk[c].body == i; ++c)
            range[c] = (pl__gather_range){&body->group[s->chunk[c].group], s->chunk[c].begin, s->chunk[c].end,
                                          first_node - body->first_node};
        first_node += body->node_count;
    }
    pl_status status = pl__gather_create(s->ctx, s->node_count, range, s->chunk_count, &s->gather);
    PL_DELETE(s->ctx, range, s->chunk_count);
    return status;
}

static void move_group(pl__element_group *group, int32_t by)
{
    for (int32_t i = 0; i < group->block_count * PL_ELEMENT_LANES; ++i)
        for (int32_t k = 0; k < pl__element_type_of(group->kind)->corners; ++k)
            *pl__element_node(group, i, k) += by;
}

// Assign every body its range of nodes and frames.
static void place_bodies(pl__solids *s)
{
    int32_t node = 0;
    size_t frame = 0;
    for (int32_t i = 0; i < s->body_count; ++i)
    {
        pl__body *body = s->body[i];
        for (int32_t g = 0; g < body->group_count; ++g)
        {
            pl__element_group *group = &body->group[g];
            move_group(group, node - body->first_node);
            group->first_frame = frame;
            frame += (size_t)group->block_count * (size_t)pl__element_type_of(group->kind)->frame_doubles;
        }
        body->first_node = node;
        for (size_t k = 0; k < 3 * (size_t)body->node_count; ++k)
        {
            double m = body->mass[k / 3];
            s->mass[3 * (size_t)node + k] = m;
            s->inverse_mass[3 * (size_t)node + k] = m > 0 ? 1 / m : 0;
            s->inertia[3 * (size_t)node + k] = m;
            s->inverse_inertia[3 * (size_t)node + k] = m > 0 ? 1 / m : 0;
        }
        node += body->node_count;
    }
}

static const pl__body *find_body(const pl__solids *old, const pl__body *body)
{
    for (int32_t i = 0; old && i < old->body_count; ++i)
        if (old->body[i] == body)
            return body;
    return NULL;
}

static void copy_state(pl__solids *s, const pl__solids *old, const int32_t *old_first)
{
    for (int32_t i = 0; i < s->body_count; ++i)
    {
        pl__body *body = s->body[i];
        size_t bytes = 3 * (size_t)body->node_count * sizeof(double), to = 3 * (size_t)body->first_node;
        bool kept = find_body(old, body) != NULL;
        const double *x = kept ? &old->state.x[3 * (size_t)old_first[i]] : body->start_position;
        const double *v = kept ? &old->state.v[3 * (size_t)old_first[i]] : body->start_velocity;
        memcpy(&s->state.x[to], x, bytes);
        memcpy(&s->state.v[to], v, bytes);
    }
}

pl_status pl__solids_create(pl_context *ctx, pl__body **bodies, int32_t body_count, int32_t object_count,
                            const pl__solids *old, pl__solids *out)
{
    pl__solids s = {.ctx = ctx,
                    .body = bodies,
                    .body_count = body_count,
                    .contacts.object_count = object_count,
                    .contacts.near_count = -1};
    count_nodes(&s);
    int32_t *old_first = PL_NEW(ctx, body_count, int32_t);
    bool ok = old_first && allocate(&s);
    if (ok)
        list_chunks(&s);
    if (!ok || build_gather(&s) != PL_OK)
    {
        PL_DELETE(ctx, old_first, body_count);
        pl__solids_destroy(&s);
        return PL_ERR_MEMORY;
    }
    for (int32_t i = 0; i < body_count; ++i)
        old_first[i] = bodies[i]->first_node;
    place_bodies(&s);
    copy_state(&s, old, old_first);
    PL_DELETE(ctx, old_first, body_count);
    *out = s;
    return PL_OK;
}

// ---- awake ranges ----------------------------------------------------------------------------------------------

static bool anything_changed(const pl__solids *s)
{
    bool changed = false;
    for (int32_t i = 0; i < s->body_count; ++i)
        changed |= s->body[i]->state.asleep != (s->awake.was_asleep[i] != 0);
    return changed;
}

static int32_t smaller(int32_t a, int32_t b) { return a < b ? a : b; }
static int32_t larger(int32_t a, int32_t b) { return a > b ? a : b; }

// Extend the ranges of the chunks that a body lies in.
static void mark_awake(pl__solids *s, const pl__body *body)
{
    int32_t first = body->first_node, last = first + body->node_count;
    for (int32_t c = first / NODES_PER_CHUNK; c * NODES_PER_CHUNK < last; ++c)
    {
        pl__part *part = &s->awake.node_part[c];
        int32_t begin = larger(first, c * NODES_PER_CHUNK), end = smaller(last, (c + 1) * NODES_PER_CHUNK);
        bool empty = part->begin == part->end;
        part->begin = empty ? begin : smaller(part->begin, begin);
        part->end = empty ? end : larger(part->end, end);
    }
}

// Ranges are rounded to whole vector blocks.
static void list_parts(pl__solids *s)
{
    int32_t count = 0;
    for (int32_t c = 0; c < node_chunks(s); ++c)
    {
        pl__part *part = &s->awake.node_part[c];
        if (part->begin == part->end)
            continue;
        part->begin = part->begin / PL_VECTOR_BLOCK * PL_VECTOR_BLOCK;
        part->end = smaller(s->node_count, (part->end + PL_VECTOR_BLOCK - 1) / PL_VECTOR_BLOCK * PL_VECTOR_BLOCK);
        s->awake.node_list[count] = *part;
        s->awake.number_list[count++] = (pl__part){3 * part->begin, pl__vector_padded(3 * part->end)};
    }
    s->awake.nodes = (pl__some){s->awake.node_list, count};
    s->awake.numbers = (pl__some){s->awake.number_list, count};
}

static void list_elements(pl__solids *s)
{
    int32_t count = 0;
    for (int32_t c = 0; c < s->chunk_count; ++c)
        if (!s->body[s->chunk[c].body]->state.asleep)
            s->awake.element_list[count++] = (pl__part){c, c + 1};
    s->awake.elements = (pl__some){s->awake.element_list, count};
}

void pl__solids_list_awake(pl__solids *s)
{
    bool sleepers = false;
    if (!anything_changed(s))
        return;
    memset(s->awake.node_part, 0, (size_t)node_chunks(s) * sizeof *s->awake.node_part);
    for (int32_t i = 0; i < s->body_count; ++i)
    {
        sleepers |= s->awake.was_asleep[i] = s->body[i]->state.asleep;
        if (!s->body[i]->state.asleep)
            mark_awake(s, s->body[i]);
    }
    list_parts(s);
    list_elements(s);
    if (!sleepers || s->awake.everybody)
        s->awake.nodes = s->awake.numbers = s->awake.elements = (pl__some){0};
}

void pl__solids_wake_lists(pl__solids *s)
{
    s->awake.everybody = true;
    s->awake.nodes = s->awake.numbers = s->awake.elements = (pl__some){0};
}

// ---- forces ----------------------------------------------------------------------------------------------------

typedef struct
{
    pl__solids *solids;
    const double *u; // positions or velocities
    bool want_energy, flow;
    int32_t part; // of diagonal blocks
    double inertia, scale;
    double *out;
} element_job;

// The first element of a chunk whose force is not finite, or -1.
static int32_t find_broken_in(const pl__chunk *chunk, const pl__element_group *group, const double *force)
{
    int32_t corners = pl__element_type_of(group->kind)->corners;
    int32_t first = chunk->begin * PL_ELEMENT_LANES, end = chunk->end * PL_ELEMENT_LANES;
    for (int32_t t = first; t < end && t < group->count; ++t)
    {
        const double *f = &force[(t - first) / PL_ELEMENT_LANES * 3 * corners * PL_ELEMENT_LANES];
        double size = 0;
        for (int32_t k = 0; k < 3 * corners; ++k)
            size += __builtin_fabs(f[k * PL_ELEMENT_LANES + t % PL_ELEMENT_LANES]);
        if (!(size < PL__SUM_MOST))
            return t;
    }
    return -1;
}

// Air loads do not scale with the strength of a body.
static double strength_of(const pl__body *body, const pl__element_group *group)
{
    return group->kind == PL__SURFACE_LOAD ? 1 : body->state.strength * body->state.recovery_factor;
}

// A sleeping body whose results are still valid.
static bool is_up_to_date(const pl__body *body) { return body->state.asleep && body->derived.figures_current; }

static void force_chunks(void *argument, int32_t begin, int32_t end)
{
    const element_job *job = argument;
    pl__solids *s = job->solids;
    _Alignas(64) double local[PL_GATHER_DOUBLES];
    for (int32_t c = begin; c < end; ++c)
    {
        pl__chunk *chunk = &s->chunk[c];
        const pl__body *body = s->body[chunk->body];
        const pl__element_group *group = &body->group[chunk->group];
        if (is_up_to_date(body))
            continue;
        pl__force_job force = {.group = group,
                               .x = job->u,
                               .strength = strength_of(body, group),
                               .want_energy = job->want_energy || body->state.asleep,
                               .frame = s->evaluation.damped || s->evaluation.keep_frames
                                            ? &s->evaluation.frame[group->first_frame]
                                            : NULL,
                               .force = local,
                               .v = s->state.v,
                               .flow = job->flow && !body->state.asleep,
                               .flow_dt = s->state.plastic_dt,
                               .keep_moments = true};
        pl__sums_clear(&s->evaluation.sums[c]);
        pl__element_force(s->ctx->register_bytes, &force, chunk->begin, chunk->end, &s->evaluation.sums[c]);
        pl__gather_chunk(&s->gather, c, local);
        chunk->broken = pl__lane_sum(s->evaluation.sums[c].broken) > 0 ? find_broken_in(chunk, group, local) : -1;
    }
}

static void damping_chunks(void *argument, int32_t begin, int32_t end)
{
    const element_job *job = argument;
    pl__solids *s = job->solids;
    _Alignas(64) double local[PL_GATHER_DOUBLES];
    for (int32_t c = begin; c < end; ++c)
    {
        const pl__chunk *chunk = &s->chunk[c];
        const pl__body *body = s->body[chunk->body];
        const pl__element_group *group = &body->group[chunk->group];
        if (body->state.asleep)
            continue; // its last gathered values are finite, and its nodes are constrained
        pl__damping_job damping = {.group = group,
                                   .v = job->u,
                                   .strength = strength_of(body, group),
                                   .frame = &s->evaluation.frame[group->first_frame],
                                   .force = local};
        pl__element_damping(s->ctx->register_bytes, &damping, chunk->begin, chunk->end);
        pl__gather_chunk(&s->gather, c, local);
    }
}

static void gather_range(const element_job *job, int32_t begin, int32_t end)
{
    pl__solids *s = job->solids;
    pl__gather_job gather = {&s->gather, job->inertia, job->scale, s->inertia, job->u, job->out};
    pl__gather_nodes(&gather, begin, end);
}

static void gather_forces(void *argument, int32_t begin, int32_t end) { gather_range(argument, begin, end); }

static double gather_and_dot(void *argument, int32_t begin, int32_t end)
{
    const element_job *job = argument;
    gather_range(job, begin, end);
    // the last chunk ends with the padding of its vectors, which is zero
    return PL_PICK(job->solids->ctx->register_bytes, pl__vector_dot)(job->u, job->out, 3 * begin,
                                                                     pl__vector_padded(3 * end));
}

// Volume enclosed by the surface of a body.
static double enclosed_volume(const pl__body *body, const double *x)
{
    double volume = 0;
    for (int32_t g = 0; g < body->group_count; ++g)
        if (body->group[g].kind == PL__SURFACE_LOAD)
            volume += pl__surface_load_volume(&body->group[g], x, 0, body->group[g].block_count,
                                              &x[3 * (size_t)body->first_node]);
    return volume;
}

// Boyle's law: (outside + p) V is constant. Below a hundredth of the rest volume, V is clamped.
static void update_pressure(pl__body *body, const double *x)
{
    body->air.load.pressure = body->state.pressure;
    body->derived.gas_stiffness = 0;
    if (!body->air.gas || !body->air.acts)
        return;
    double least = 0.01 * body->air.rest_volume, now = enclosed_volume(body, x), V = now > least ? now : least;
    double inside = (body->air.outside + body->state.pressure) * body->air.rest_volume / V;
    body->air.load.pressure = inside - body->air.outside;
    body->derived.gas_stiffness = inside > 0 ? inside / V : 0;
}

static double largest(const double lanes[PL_ELEMENT_LANES], double than)
{
    for (int i = 0; i < PL_ELEMENT_LANES; ++i)
        than = lanes[i] > than ? lanes[i] : than;
    return than;
}

// Bound of omega^2. The stiffest element bounds its kind (each kind has the full mass), and the sum over kinds bounds
// all: lambda(K + K') <= lambda(K) + lambda(K'). Gas adds the rank-one mode of compressing it, on nodal areas that
// have grown with the stretch.
static double frequency2_of(const pl__body *body, const double of_kind[PL__ELEMENT_KINDS])
{
    double stretch = body->derived.figures.max_stretch,
           sum = body->derived.gas_stiffness * body->air.gas_gain * stretch * stretch * stretch * stretch;
    for (int kind = 0; kind < PL__ELEMENT_KINDS; ++kind)
        sum += of_kind[kind];
    return sum;
}

static void summarise(pl__solids *s)
{
    int32_t c = 0;
    for (int32_t i = 0; i < s->body_count; ++i)
    {
        pl__element_sums sums;
        double frequency2[PL__ELEMENT_KINDS] = {0};
        while (is_up_to_date(s->body[i]) && c < s->chunk_count && s->chunk[c].body == i)
            ++c;
        pl__sums_clear(&sums);
        for (; c < s->chunk_count && s->chunk[c].body == i; ++c)
        {
            double *of_kind = &frequency2[s->body[i]->group[s->chunk[c].group].kind];
            *of_kind = largest(s->evaluation.sums[c].frequency2, *of_kind);
            pl__sums_merge(&sums, &s->evaluation.sums[c]);
            s->evaluation.chunks++;
        }
        if (is_up_to_date(s->body[i]))
            continue;
        s->body[i]->derived.figures = pl__body_summarise(s->body[i], &sums);
        s->body[i]->derived.figures.frequency2 = frequency2_of(s->body[i], frequency2);
        s->body[i]->derived.figures_current = s->body[i]->state.asleep;
    }
}

void pl__solids_evaluate(pl__solids *s, const double *x, uint8_t what)
{
    bool want_energy = what & PL__EVALUATE_ENERGIES;
    element_job job = {.solids = s,
                       .u = x,
                       .want_energy = want_energy,
                       .flow = s->state.plastic_due && (what & PL__EVALUATE_PLASTIC_FLOW),
                       .scale = 1,
                       .out = s->evaluation.force};
    bool settled = true;
    pl__solids_list_awake(s);
    s->evaluation.damped = false;
    for (int32_t i = 0; i < s->body_count; ++i)
        settled &= !s->body[i]->state.asleep || s->body[i]->derived.figures_current;
    for (int32_t i = 0; i < s->body_count; ++i)
        for (int32_t g = 0; g < s->body[i]->group_count; ++g)
            s->evaluation.damped |= s->body[i]->group[g].damped && !s->body[i]->state.asleep;
    for (int32_t i = 0; i < s->body_count; ++i)
        if (!is_up_to_date(s->body[i]))
            update_pressure(s->body[i], x);
    pl__parallel_for_some(s->ctx, s->chunk_count, 1, settled ? &s->awake.elements : NULL, force_chunks, &job);
    pl__parallel_for_some(s->ctx, s->node_count, NODES_PER_CHUNK, &s->awake.nodes, gather_forces, &job);
    pl__incompressible_add_forces(s, x, what & PL__EVALUATE_STATE);
    summarise(s);
    s->state.plastic_due &= !job.flow;
    s->evaluation.fresh =
        what & PL__EVALUATE_STATE
            ? (uint8_t)(PL__FORCES | (want_energy ? PL__ENERGIES : 0) | (s->evaluation.keep_frames ? PL__FRAMES : 0))
            : 0;
}

void pl__solids_refresh(pl__solids *s, uint8_t wanted)
{
    if ((s->evaluation.fresh & wanted) == wanted)
        return;
    s->evaluation.keep_frames |= (wanted & PL__FRAMES) != 0;
    uint8_t energies = wanted & PL__ENERGIES ? PL__EVALUATE_ENERGIES : 0;
    pl__solids_evaluate(s, s->state.x, PL__EVALUATE_PRESENT | energies);
}

// ---- directors -------------------------------------------------------------------------------------------------

typedef struct
{
    pl__solids *solids;
    int32_t sweep;
} sweep_job;

static void relax_chunks(void *argument, int32_t begin, int32_t end)
{
    const sweep_job *job = argument;
    const pl__solids *s = job->solids;
    for (int32_t c = begin; c < end; ++c)
    {
        const pl__chunk *chunk = &s->chunk[c];
        const pl__element_group *group = &s->body[chunk->body]->group[chunk->group];
        if (group->director && !s->body[chunk->body]->state.asleep)
            PL_PICK(s->ctx->register_bytes, pl__directors_relax)(group, job->sweep, chunk->begin, chunk->end);
    }
}

void pl__solids_relax_directors(pl__solids *s)
{
    bool some = false;
    for (int32_t i = 0; i < s->body_count; ++i)
        for (int32_t g = 0; g < s->body[i]->group_count; ++g)
            some |= s->body[i]->group[g].director != NULL;
    for (int32_t sweep = 0; some && sweep < PL__DIRECTOR_SWEEPS; ++sweep)
        pl__parallel_for_some(s->ctx, s->chunk_count, 1, &s->awake.elements, relax_chunks, &(sweep_job){s, sweep});
}

bool pl__solids_find_broken(const pl__solids *s, int32_t *body, int32_t *element)
{
    for (int32_t c = 0; c < s->chunk_count; ++c)
        if (s->chunk[c].broken >= 0)
        {
            *body = s->chunk[c].body;
            *element = s->body[*body]->group[s->chunk[c].group].source[s->chunk[c].broken];
            return true;
        }
    return false;
}

// ---- diagonal blocks -------------------------------------------------------------------------------------------

static void diagonal_chunks(void *argument, int32_t begin, int32_t end)
{
    const element_job *job = argument;
    pl__solids *s = job->solids;
    _Alignas(64) double local[PL_GATHER_DOUBLES];
    for (int32_t c = begin; c < end; ++c)
    {
        const pl__chunk *chunk = &s->chunk[c];
        const pl__body *body = s->body[chunk->body];
        const pl__element_group *group = &body->group[chunk->group];
        if (body->state.asleep)
            continue;
        pl__diagonal_job diagonal = {.group = group,
                                     .part = job->part,
                                     .strength = strength_of(body, group),
                                     .frame = &s->evaluation.frame[group->first_frame],
                                     .force = local};
        PL_PICK(s->ctx->register_bytes, pl__element_diagonal)(&diagonal, chunk->begin, chunk->end);
        pl__gather_chunk(&s->gather, c, local);
    }
}

// Inverse of the symmetric positive definite matrix with diagonal `even` and off-diagonal `mixed`, by cofactors.
static void invert_block(const double even[3], const double mixed[3], double out[6])
{
    double xx = even[1] * even[2] - mixed[2] * mixed[2], yy = even[0] * even[2] - mixed[1] * mixed[1],
           zz = even[0] * even[1] - mixed[0] * mixed[0];
    double xy = mixed[1] * mixed[2] - mixed[0] * even[2], xz = mixed[0] * mixed[2] - mixed[1] * even[1],
           yz = mixed[0] * mixed[1] - mixed[2] * even[0];
    double det = even[0] * xx + mixed[0] * xy + mixed[1] * xz, inverse = det > 0 ? 1 / det : 0;
    double all[6] = {xx, yy, zz, xy, xz, yz};
    for (int k = 0; k < 6; ++k)
        out[k] = inverse * all[k];
}

static void invert_nodes(void *argument, int32_t begin, int32_t end)
{
    const element_job *job = argument;
    pl__solids *s = job->solids;
    for (size_t n = (size_t)begin; n < (size_t)end; ++n)
    {
        double even[3];
        for (size_t i = 0; i < 3; ++i)
            even[i] = s->inertia[3 * n + i] + job->scale * s->step.cg.z[3 * n + i];
        double mixed[3] = {job->scale * s->step.cg.q[3 * n], job->scale * s->step.cg.q[3 * n + 1],
                           job->scale * s->step.cg.q[3 * n + 2]};
        invert_block(even, mixed, &s->step.block[6 * n]);
    }
}

void pl__solids_build_blocks(pl__solids *s, double scale)
{
    double *half[2] = {s->step.cg.z, s->step.cg.q};
    for (int32_t part = PL__DIAGONAL_EVEN; part <= PL__DIAGONAL_MIXED; ++part)
    {
        element_job job = {.solids = s, .part = part, .scale = 1, .out = half[part]};
        pl__parallel_for_some(s->ctx, s->chunk_count, 1, &s->awake.elements, diagonal_chunks, &job);
        pl__parallel_for_some(s->ctx, s->node_count, NODES_PER_CHUNK, &s->awake.nodes, gather_forces, &job);
    }
    element_job job = {.solids = s, .scale = scale};
    pl__parallel_for_some(s->ctx, s->node_count, NODES_PER_CHUNK, &s->awake.nodes, invert_nodes, &job);
}

double pl__solids_apply_damping(pl__solids *s, double inertia, double scale, const double *in, double *out)
{
    element_job job = {.solids = s, .u = in, .inertia = inertia, .scale = scale, .out = out};
    pl__parallel_for_some(s->ctx, s->chunk_count, 1, &s->awake.elements, damping_chunks, &job);
    return pl__parallel_sum_some(s->ctx, s->node_count, NODES_PER_CHUNK, &s->awake.nodes, gather_and_dot, &job,
                                 s->step.cg.partial);
}

// ---- the matrix of a solve --------------------------------------------------------------------------------------

enum
{
    ROUGH_FROM = 2000 // nodes from which the matrix exceeds the L2 cache: solves use the single-precision product
};

static int32_t elements_of(const pl__chunk *chunk, const pl__element_group *group)
{
    int32_t last = chunk->end * PL_ELEMENT_LANES < group->count ? chunk->end * PL_ELEMENT_LANES : group->count;
    return last - chunk->begin * PL_ELEMENT_LANES;
}

// Corners of the elements of all chunks, consecutively.
static void list_cliques(const pl__solids *s, int32_t *node, pl__clique_chunk *clique)
{
    for (int32_t c = 0; c < s->chunk_count; ++c)
    {
        const pl__chunk *chunk = &s->chunk[c];
        const pl__element_group *group = &s->body[chunk->body]->group[chunk->group];
        int32_t corners = pl__element_type_of(group->kind)->corners;
        clique[c] = (pl__clique_chunk){node, elements_of(chunk, group), corners, group->kind == PL__SURFACE_LOAD};
        for (int32_t e = 0; e < clique[c].count; ++e)
            for (int32_t k = 0; k < corners; ++k)
                *node++ = *pl__element_node(group, chunk->begin * PL_ELEMENT_LANES + e, k);
    }
}

static pl_status create_matrix(const pl__solids *s, pl__block_matrix *matrix)
{
    size_t numbers = 0;
    for (int32_t c = 0; c < s->chunk_count; ++c)
    {
        const pl__element_group *group = &s->body[s->chunk[c].body]->group[s->chunk[c].group];
        numbers += (size_t)elements_of(&s->chunk[c], group) * (size_t)pl__element_type_of(group->kind)->corners;
    }
    int32_t *node = PL_NEW(s->ctx, numbers, int32_t);
    pl__clique_chunk *clique = PL_NEW(s->ctx, s->chunk_count, pl__clique_chunk);
    pl_status status = PL_ERR_MEMORY;
    if (node && clique)
    {
        list_cliques(s, node, clique);
        status =
            pl__block_matrix_create(s->ctx, s->node_count, clique, s->chunk_count, s->node_count > ROUGH_FROM, matrix);
    }
    PL_DELETE(s->ctx, node, numbers);
    PL_DELETE(s->ctx, clique, s->chunk_count);
    return status;
}

static pl_status create_multigrid(pl__solids *s)
{
    if (s->node_count < PL__MULTIGRID_NODES)
        return PL_OK;
    s->multigrid = PL_NEW(s->ctx, 1, pl__block_multigrid);
    return s->multigrid ? pl__block_multigrid_create(s->ctx, s->matrix, s->multigrid) : PL_ERR_MEMORY;
}

pl_status pl__solids_make_matrix(pl__solids *s)
{
    if (s->matrix)
        return PL_OK;
    s->matrix = PL_NEW(s->ctx, 1, pl__block_matrix);
    pl_status status = s->matrix ? create_matrix(s, s->matrix) : PL_ERR_MEMORY;
    if (status == PL_OK)
        status = create_multigrid(s);
    if (status != PL_OK)
    {
        PL_DELETE(s->ctx, s->multigrid, 1);
        if (s->matrix)
            pl__block_matrix_destroy(s->ctx, s->matrix);
        PL_DELETE(s->ctx, s->matrix, 1);
    }
    return status;
}

typedef struct
{
    pl__solids *s;
    const double *x;
    double elastic, damped;
} assemble_job;

static void assemble_chunks(void *argument, int32_t begin, int32_t end)
{
    const assemble_job *job = argument;
    const pl__solids *s = job->s;
    _Alignas(64) double local[9 * PL_BLOCK_PAIRS * PL_ELEMENT_LANES];
    for (int32_t c = begin; c < end; ++c)
    {
        const pl__chunk *chunk = &s->chunk[c];
        const pl__body *body = s->body[chunk->body];
        const pl__element_group *group = &body->group[chunk->group];
        if (body->state.asleep)
            continue;
        pl__tangent_job tangent = {.group = group,
                                   .x = job->x,
                                   .strength = strength_of(body, group),
                                   .elastic = job->elastic,
                                   .damped = job->damped,
                                   .frame = &s->evaluation.frame[group->first_frame],
                                   .matrix = local};
        int32_t elements = elements_of(chunk, group);
        pl__block_matrix_begin_chunk(s->matrix, c);
        for (int32_t block = chunk->begin; block < chunk->end; ++block)
        {
            int32_t first = (block - chunk->begin) * PL_ELEMENT_LANES, count = elements - first;
            pl__element_tangent(s->ctx->register_bytes, &tangent, block);
            PL_PICK(s->ctx->register_bytes, pl__block_matrix_add)
            (s->matrix, c, first, count < PL_ELEMENT_LANES ? count : PL_ELEMENT_LANES, local);
        }
    }
}

void pl__solids_assemble(pl__solids *s, const double *x, double elastic, double damped, const double *diagonal)
{
    assemble_job job = {s, x, elastic, damped};
    pl__parallel_for(s->ctx, s->chunk_count, 1, assemble_chunks, &job);
    pl__block_matrix_finish(s->ctx, s->matrix, diagonal);
    pl__block_matrix_invert_diagonal(s->ctx, s->matrix, s->step.block);
}

// ---- pressure --------------------------------------------------------------------------------------------------

static bool has_pressure(const pl__body *body)
{
    return body->air.acts && !body->state.asleep && (body->air.gas || body->state.pressure != 0);
}

// Potential of constant pressure: -p V; of a gas with constant (outside + p) V = C: -(C log V - outside V).
double pl__solids_pressure_energy(const pl__solids *s, const double *x)
{
    double energy = 0;
    for (int32_t i = 0; i < s->body_count; ++i)
    {
        const pl__body *body = s->body[i];
        if (!has_pressure(body))
            continue;
        double V = enclosed_volume(body, x), least = 0.01 * body->air.rest_volume;
        if (!body->air.gas)
            energy -= body->state.pressure * V;
        else
            energy -= (body->air.outside + body->state.pressure) * body->air.rest_volume *
                          (V > least ? pl__real_log(V) : pl__real_log(least) + V / least - 1) -
                      body->air.outside * V;
    }
    return energy;
}

// dV/dx: a third of each triangle's area vector at each of its corners.
static void add_volume_gradient(const pl__element_group *group, const double *x, double *squeeze)
{
    for (int32_t e = 0; e < group->count; ++e)
    {
        size_t at[3];
        double d[2][3];
        for (int32_t k = 0; k < 3; ++k)
            at[k] = 3 * (size_t)*pl__element_node(group, e, k);
        for (size_t i = 0; i < 3; ++i)
        {
            d[0][i] = x[at[1] + i] - x[at[0] + i];
            d[1][i] = x[at[2] + i] - x[at[0] + i];
        }
        for (size_t i = 0; i < 3; ++i)
        {
            size_t j = (i + 1) % 3, l = (i + 2) % 3;
            double area = (d[0][j] * d[1][l] - d[0][l] * d[1][j]) / 6;
            for (int k = 0; k < 3; ++k)
                squeeze[at[k] + i] += area;
        }
    }
}

bool pl__solids_find_volume_gradient(pl__solids *s, const double *x)
{
    bool some = false;
    for (int32_t i = 0; i < s->body_count; ++i)
    {
        const pl__body *body = s->body[i];
        if (!has_pressure(body) || body->derived.gas_stiffness <= 0)
            continue;
        some = true;
        memset(&s->step.volume_gradient[3 * (size_t)body->first_node], 0,
               3 * (size_t)body->node_count * sizeof(double));
        for (int32_t g = 0; g < body->group_count; ++g)
            if (body->group[g].kind == PL__SURFACE_LOAD)
                add_volume_gradient(&body->group[g], x, s->step.volume_gradient);
    }
    return some;
}

int32_t pl__solids_body_of(const pl__solids *s, int32_t node)
{
    int32_t low = 0, high = s->body_count;
    while (high - low > 1)
    {
        int32_t middle = (low + high) / 2;
        if (s->body[middle]->first_node <= node)
            low = middle;
        else
            high = middle;
    }
    return low;
}

// src/world/limits.c -- strain and bend limits of the bodies of a world.
//
// Two stages of both steps (solid/stage.h), before those of collision, which has the last word: crossings cannot be
// mended, what is stretched too far can.
//
//     before positions   v~ is filtered so that x + dt v~ is within limits; new velocities do not come of it
//     new velocities     v' is filtered so that the next step does not begin by leaving them (limit/limit.h)
//
// Pinned nodes and sleeping bodies have infinite mass. After every sweep, nodes near objects obey them (footholds),
// with their friction; in the semi-implicit step the way into an object that a node had is given back to it, so that
// the collision finds it.
//
// Nothing here is state: limits are numbers of materials, and levels depend on the limits and pins that bodies begin
// with only, so that a restart has the same bits.
#include "world.h"
#include "contact/tolerances.h"
#include "element/bend.h"
#include "element/hex.h"
#include "element/spring.h"
#include "element/tet.h"
#include "element/triangle.h"
#include "material/plastic.h"
#include "solid/pin.h"

#include <math.h>
#include <string.h>

enum
{
    STRETCH,
    COMPRESS,
    WEFT,
    SHEAR,
    BEND,
    NODES_PER_CHUNK = 512
};

static const double radians = 3.14159265358979323846 / 180;
static const double spectral_radius = 0.98; // that acceleration assumes: of sheets of some thousand triangles
static const double good_enough = 1e-3;     // largest excess at which a run ends
static const double way_back = 1e-9;        // [m] into objects, that nodes on them are given back

// ---- elements ----------------------------------------------------------------------------------------------------

static void numbers_of(const pl_material_def *def, double number[PL__LIMIT_FIELDS])
{
    number[STRETCH] = def->stretch_limit;
    number[COMPRESS] = def->compress_limit;
    number[WEFT] = def->weft_limit;
    number[SHEAR] = def->shear_limit;
    number[BEND] = def->bend_limit;
}

static bool limits_anything(const double number[PL__LIMIT_FIELDS])
{
    return number[STRETCH] > 0 || number[COMPRESS] > 0 || number[WEFT] > 0 || number[SHEAR] > 0 || number[BEND] > 0;
}

static double or_none(double number, double none) { return number > 0 ? number : none; }

// Bounds of an element; `height` is the mean of the heights of the two triangles of a bend.
static void bounds_of(pl__limit_kind kind, const double number[PL__LIMIT_FIELDS], double height, double bound[])
{
    bound[0] = kind == PL__LIMIT_CHORD ? -INFINITY : or_none(number[COMPRESS], -INFINITY);
    bound[1] = or_none(number[STRETCH], INFINITY);
    bound[2] = or_none(number[WEFT], bound[1]);
    bound[3] = number[SHEAR] > 0 ? sin(radians * number[SHEAR]) : INFINITY;
    if (kind == PL__LIMIT_BEND)
        bound[0] = or_none(number[BEND], INFINITY) * height;
}

static void hex_gradients(const pl__hex_rest *rest, int32_t lane, double shape[24])
{
    double volume = 0;
    memset(shape, 0, 24 * sizeof *shape);
    for (int32_t q = 0; q < PL_HEX_POINTS; ++q)
    {
        double slope[PL_HEX_CORNERS][3], weight = rest->volume[q][lane];
        pl__hex_slopes(q, slope);
        volume += weight;
        for (int32_t a = 0; a < PL_HEX_CORNERS; ++a)
            for (int j = 0; j < 3; ++j)
                for (int d = 0; d < 3; ++d)
                    shape[3 * a + j] += weight * slope[a][d] * rest->inverse[q][3 * j + d][lane];
    }
    for (int k = 0; k < 24; ++k)
        shape[k] /= volume;
}

static double bend_height(const pl__bend_rest *rest, int32_t lane, int32_t edge)
{
    return (rest->area[0][lane] + rest->area[1 + edge][lane]) / rest->length[edge][lane];
}

// The present rest shape of an element.
static void shape_of(pl__limit_kind kind, const pl__element_group *group, int32_t element, int32_t edge, double shape[])
{
    int32_t block = element / PL_ELEMENT_LANES, lane = element % PL_ELEMENT_LANES;
    switch (kind)
    {
    case PL__LIMIT_TRIANGLE:
    case PL__LIMIT_PLANAR:
    case PL__LIMIT_WOVEN:
        for (int k = 0; k < 4; ++k)
            shape[k] = group->triangle[block].inverse[k][lane];
        break;
    case PL__LIMIT_TET:
        for (int k = 0; k < 9; ++k)
            shape[k] = group->tet[block].inverse[k][lane];
        break;
    case PL__LIMIT_HEX: hex_gradients(&group->hex[block], lane, shape); break;
    case PL__LIMIT_BEND:
        shape[0] = group->bend[block].angle[edge][lane];
        shape[1] = 1 / bend_height(&group->bend[block], lane, edge);
        break;
    default: shape[0] = group->spring[block].length[lane]; break;
    }
}

enum
{
    NOT_LIMITED = -1
};

// The kind of limits of a group, or NOT_LIMITED.
static int32_t kind_of(const pl__element_group *group)
{
    switch (group->kind)
    {
    case PL__TET: return PL__LIMIT_TET;
    case PL__HEX: return PL__LIMIT_HEX;
    case PL__TRIANGLE: return group->planar ? PL__LIMIT_PLANAR : group->woven ? PL__LIMIT_WOVEN : PL__LIMIT_TRIANGLE;
    case PL__BEND: return PL__LIMIT_BEND;
    case PL__SPRING: return PL__LIMIT_CHORD;
    default: return NOT_LIMITED;
    }
}

typedef struct
{
    pl__limit_element *element[PL__LIMIT_KINDS];
    pl__limit_source *source[PL__LIMIT_KINDS];
    int32_t count[PL__LIMIT_KINDS];
    size_t element_room[PL__LIMIT_KINDS], source_room[PL__LIMIT_KINDS];
    double *rest, *mass;
    bool *held;
} draft;

static pl_status add_element(pl_world *world, draft *d, pl__limit_kind kind, pl__limit_source from, const int32_t *node)
{
    size_t n = (size_t)d->count[kind];
    if (!PL_GROW(world->ctx, d->element[kind], &d->element_room[kind], n + 1) ||
        !PL_GROW(world->ctx, d->source[kind], &d->source_room[kind], n + 1))
        return PL_ERR_MEMORY;
    const pl__element_group *group = &world->bodies.body[from.body]->group[from.group];
    pl__limit_element *e = &d->element[kind][n];
    *e = (pl__limit_element){.bound = {0}};
    memcpy(e->node, node, (size_t)pl__limit_forms[kind].corners * sizeof *node);
    shape_of(kind, group, from.element, from.edge, e->shape);
    bounds_of(kind, world->limits.first[group->material[from.element]], 1 / e->shape[1], e->bound);
    d->source[kind][n] = from;
    d->count[kind]++;
    return PL_OK;
}

// An edge of two triangles belongs to the one whose corner across it has the lower number.
static pl_status add_bends(pl_world *world, draft *d, pl__limit_source from)
{
    const pl__element_group *group = &world->bodies.body[from.body]->group[from.group];
    int32_t node[6];
    for (int32_t k = 0; k < 6; ++k)
        node[k] = *pl__element_node(group, from.element, k);
    for (int32_t i = 0; i < 3; ++i)
        if (node[i] < node[3 + i])
        {
            from.edge = i;
            PL_TRY(add_element(world, d, PL__LIMIT_BEND, from,
                               (int32_t[4]){node[i], node[(i + 1) % 3], node[(i + 2) % 3], node[3 + i]}));
        }
    return PL_OK;
}

static pl_status add_group(pl_world *world, draft *d, int32_t body, int32_t index)
{
    const pl__element_group *group = &world->bodies.body[body]->group[index];
    int32_t kind = kind_of(group);
    for (int32_t e = 0; kind != NOT_LIMITED && e < group->count; ++e)
    {
        pl__limit_source from = {body, index, e, 0};
        int32_t node[PL__LIMIT_CORNERS];
        if (kind == PL__LIMIT_BEND)
        {
            PL_TRY(add_bends(world, d, from));
            continue;
        }
        for (int32_t c = 0; c < pl__limit_forms[kind].corners; ++c)
            node[c] = *pl__element_node(group, e, c);
        PL_TRY(add_element(world, d, kind, from, node));
    }
    return PL_OK;
}

// Whether any element of a body is limited, now or at the beginning.
static bool is_limited(const pl_world *world, const pl__body *body)
{
    bool any = false;
    for (int32_t g = 0; g < body->group_count; ++g)
        for (int32_t e = 0; kind_of(&body->group[g]) != NOT_LIMITED && e < body->group[g].count && !any; ++e)
        {
            int32_t m = body->group[g].material[e];
            any = limits_anything(world->limits.first[m]) || limits_anything(world->limits.now[m]);
        }
    return any;
}

static void describe_nodes(const pl_world *world, draft *d)
{
    const pl__solids *s = &world->solids;
    for (size_t n = 0; n < (size_t)s->node_count; ++n)
        d->mass[n] = s->mass[3 * n];
    for (size_t i = 0; i < world->bodies.slot_count; ++i)
    {
        const pl__slot *slot = &world->bodies.slot[i];
        const pl__body *body = slot->body;
        for (int32_t n = 0; body && n < body->node_count; ++n)
        {
            memcpy(&d->rest[3 * (size_t)(body->first_node + n)], &slot->shape.rest[3 * (size_t)body->source_of_node[n]],
                   3 * sizeof *d->rest);
            d->held[body->first_node + n] = pl__pin_groups_contain(body, n);
        }
    }
}

static pl_status fill_draft(pl_world *world, draft *d)
{
    size_t n = (size_t)world->solids.node_count;
    d->rest = PL_NEW(world->ctx, 3 * n, double);
    d->mass = PL_NEW(world->ctx, n, double);
    d->held = PL_NEW(world->ctx, n, bool);
    if (!d->rest || !d->mass || !d->held)
        return PL_ERR_MEMORY;
    describe_nodes(world, d);
    for (int32_t b = 0; b < world->solids.body_count; ++b)
        for (int32_t g = 0; is_limited(world, world->bodies.body[b]) && g < world->bodies.body[b]->group_count; ++g)
            PL_TRY(add_group(world, d, b, g));
    return PL_OK;
}

static void free_draft(pl_world *world, draft *d)
{
    size_t n = (size_t)world->solids.node_count;
    for (int32_t k = 0; k < PL__LIMIT_KINDS; ++k)
    {
        PL_DELETE(world->ctx, d->element[k], d->element_room[k]);
        PL_DELETE(world->ctx, d->source[k], d->source_room[k]);
    }
    PL_DELETE(world->ctx, d->rest, 3 * n);
    PL_DELETE(world->ctx, d->mass, n);
    PL_DELETE(world->ctx, d->held, n);
}

// ---- life --------------------------------------------------------------------------------------------------------

static void release(pl_context *ctx, pl__limits *l)
{
    size_t n = (size_t)l->limit.node_count;
    for (int32_t k = 0; k < PL__LIMIT_KINDS; ++k)
        if (l->source[k])
            PL_DELETE(ctx, l->source[k], l->limit.set[k].count);
    PL_DELETE(ctx, l->inverse_mass, n);
    PL_DELETE(ctx, l->near, n);
    PL_DELETE(ctx, l->foothold, n);
    pl__limit_destroy(&l->limit);
}

static pl_status make(pl_world *world, draft *d, pl__limits *l)
{
    pl_context *ctx = world->ctx;
    size_t n = (size_t)world->solids.node_count;
    pl__limit_def def = {.node_count = world->solids.node_count,
                         .rest = d->rest,
                         .mass = d->mass,
                         .held = d->held,
                         .most_levels = world->solver.limit_levels};
    for (int32_t k = 0; k < PL__LIMIT_KINDS; ++k)
    {
        def.element[k] = d->element[k];
        def.count[k] = d->count[k];
    }
    PL_TRY(pl__limit_create(ctx, &def, &l->limit));
    l->inverse_mass = PL_NEW(ctx, n, double);
    l->near = PL_NEW(ctx, n, bool);
    if (world->objects.count > 0)
        l->foothold = PL_NEW(ctx, n, pl__foothold);
    if (!l->inverse_mass || !l->near || (world->objects.count > 0 && !l->foothold))
        return PL_ERR_MEMORY;
    for (int32_t k = 0; k < PL__LIMIT_KINDS; ++k)
    {
        if (k == PL__LIMIT_TETHER)
            continue;
        l->source[k] = PL_NEW(ctx, d->count[k], pl__limit_source);
        if (!l->source[k])
            return PL_ERR_MEMORY;
        if (d->count[k] > 0)
            memcpy(l->source[k], d->source[k], (size_t)d->count[k] * sizeof *d->source[k]);
    }
    return PL_OK;
}

static const pl__element_group *group_of(const pl_world *world, const pl__limit_source *from)
{
    return &world->bodies.body[from->body]->group[from->group];
}

// Plastic rest shapes lengthen ways: then levels would cut off what is admissible.
static bool has_flowed(const void *user, pl__limit_kind kind, int32_t element)
{
    const pl_world *world = user;
    const pl__limit_source *from = &world->limits.source[kind][element];
    const pl__element_group *group = group_of(world, from);
    int32_t lane = from->element % PL_ELEMENT_LANES;
    if (!group->flows || group->additive || !group->plastic || kind == PL__LIMIT_BEND)
        return false;
    int32_t points = group->kind == PL__HEX ? PL_HEX_POINTS : 1;
    for (int32_t q = 0; q < points; ++q)
    {
        const pl__plastic_block *block = &group->plastic[from->element / PL_ELEMENT_LANES * points + q];
        for (int k = 0; k < 9; ++k)
            if (block->Fp[k][lane] != (k % 4 == 0))
                return true;
    }
    return false;
}

static void set_bounds(pl_world *world)
{
    pl__limits *l = &world->limits;
    for (int32_t k = 0; k < PL__LIMIT_KINDS; ++k)
        for (int32_t e = 0; l->source[k] && e < l->limit.set[k].count; ++e)
        {
            const pl__limit_source *from = &l->source[k][e];
            double bound[PL__LIMIT_BOUNDS];
            bounds_of(k, l->now[group_of(world, from)->material[from->element]],
                      k == PL__LIMIT_BEND ? 1 / *pl__limit_shape(&l->limit.set[k], e, 1) : 0, bound);
            for (int32_t b = 0; b < pl__limit_forms[k].bounds; ++b)
                *pl__limit_bound(&l->limit.set[k], e, b) = bound[b];
        }
    pl__limit_follow(&l->limit, has_flowed, world);
}

static bool any_flow(const pl_world *world)
{
    bool any = false;
    for (int32_t b = 0; b < world->solids.body_count; ++b)
        for (int32_t g = 0; g < world->bodies.body[b]->group_count; ++g)
            any |= world->bodies.body[b]->group[g].flows;
    return any;
}

static pl_status rebuild(pl_world *world)
{
    pl__limits l = world->limits;
    draft d = {0};
    l.limit = (pl__limit){0};
    memset(l.source, 0, sizeof l.source);
    l.inverse_mass = NULL;
    l.near = NULL;
    l.foothold = NULL;
    pl_status status = fill_draft(world, &d);
    bool any = false;
    for (int32_t k = 0; k < PL__LIMIT_KINDS; ++k)
        any |= d.count[k] > 0;
    if (status == PL_OK && any)
        status = make(world, &d, &l);
    free_draft(world, &d);
    if (status != PL_OK)
    {
        release(world->ctx, &l);
        return status;
    }
    release(world->ctx, &world->limits);
    world->limits = l;
    world->limits.flows = any_flow(world);
    world->limits.stale = false;
    if (any)
        set_bounds(world);
    return PL_OK;
}

pl_status pl__limits_prepare(pl_world *world)
{
    pl__limits *l = &world->limits;
    l->material_count = world->materials.count;
    l->first = pl__calloc(world->ctx, l->material_count, sizeof *l->first);
    l->now = pl__calloc(world->ctx, l->material_count, sizeof *l->now);
    if (!l->first || !l->now)
        return PL_ERR_MEMORY;
    for (size_t m = 0; m < l->material_count; ++m)
    {
        numbers_of(&world->materials.def[m], l->first[m]);
        numbers_of(&world->materials.def[m], l->now[m]);
    }
    return PL_OK;
}

pl_status pl__limits_update(pl_world *world)
{
    pl__limits *l = &world->limits;
    bool changed = false;
    for (size_t m = 0; m < l->material_count; ++m)
    {
        double number[PL__LIMIT_FIELDS];
        numbers_of(&world->materials.def[m], number);
        if (memcmp(number, l->now[m], sizeof number) == 0)
            continue;
        changed = true;
        l->stale |= limits_anything(number) && !limits_anything(l->now[m]) && !limits_anything(l->first[m]);
        memcpy(l->now[m], number, sizeof number);
    }
    if (l->stale)
        return rebuild(world);
    if (changed && l->limit.node_count > 0)
        set_bounds(world);
    return PL_OK;
}

void pl__limits_destroy(pl_world *world)
{
    pl__limits *l = &world->limits;
    release(world->ctx, l);
    pl__free(world->ctx, l->first, l->material_count * sizeof *l->first);
    pl__free(world->ctx, l->now, l->material_count * sizeof *l->now);
    l->first = l->now = NULL;
}

// ---- stages ------------------------------------------------------------------------------------------------------

// What is held does not move: pinned nodes and bodies that sleep. Soft pins and hands make their nodes heavier.
static void weigh_nodes(const pl_world *world)
{
    const pl__solids *s = &world->solids;
    double *w = world->limits.inverse_mass;
    for (size_t n = 0; n < (size_t)s->node_count; ++n)
        w[n] = s->inverse_inertia[3 * n];
    for (int32_t b = 0; b < s->body_count; ++b)
    {
        const pl__body *body = s->body[b];
        if (body->state.asleep)
            memset(&w[body->first_node], 0, (size_t)body->node_count * sizeof *w);
        for (int32_t k = 0; k < body->pins.count; ++k)
            w[body->first_node + body->pins.pin[k].node] = 0;
    }
}

// Rest shapes that plastic flow has changed.
static void follow_shapes(pl_world *world)
{
    pl__limits *l = &world->limits;
    if (!l->flows)
        return;
    for (int32_t k = 0; k < PL__LIMIT_KINDS; ++k)
        for (int32_t e = 0; l->source[k] && e < l->limit.set[k].count; ++e)
        {
            const pl__limit_source *from = &l->source[k][e];
            double shape[24];
            shape_of(k, group_of(world, from), from->element, from->edge, shape);
            for (int32_t q = 0; q < pl__limit_forms[k].shapes; ++q)
                *pl__limit_shape(&l->limit.set[k], e, q) = shape[q];
        }
    pl__limit_follow(&l->limit, has_flowed, world);
}

typedef struct
{
    pl__limits *limits;
    const pl__stage_input *in;
    double reach;
    double *y;
} task;

static void look_for_objects(void *argument, int32_t begin, int32_t end)
{
    const task *t = argument;
    pl__limits *l = t->limits;
    for (int32_t n = begin; n < end; ++n)
    {
        pl__foothold *f = &l->foothold[n];
        f->node = n;
        l->near[n] = l->inverse_mass[n] > 0 &&
                     pl__object_contact_stand(t->in->objects, n, &t->in->v[3 * (size_t)n], t->reach, l->at_end, f);
    }
}

static double fastest(const pl_world *world, const double *v)
{
    double most = 0;
    for (size_t k = 0; k < 3 * (size_t)world->solids.node_count; ++k)
        most = fmax(most, fabs(v[k]));
    return most * sqrt(3);
}

// The nodes that can reach an object in this step: no limit moves them further than the fastest motion.
static void list_footholds(pl_world *world, const pl__stage_input *in)
{
    pl__limits *l = &world->limits;
    l->foothold_count = 0;
    if (!l->foothold || in->objects->object_count == 0)
        return;
    task t = {l, in, 2 * in->dt * fastest(world, in->v) + way_back, NULL};
    pl__parallel_for(world->ctx, world->solids.node_count, NODES_PER_CHUNK, look_for_objects, &t);
    for (int32_t n = 0; n < world->solids.node_count; ++n)
        if (l->near[n])
            l->foothold[l->foothold_count++] = l->foothold[n];
}

static void obey_some(void *argument, int32_t begin, int32_t end)
{
    const task *t = argument;
    const pl__limits *l = t->limits;
    for (int32_t i = begin; i < end; ++i)
    {
        pl__foothold *f = &l->foothold[i];
        const double *x = &t->in->x[3 * (size_t)f->node];
        double *y = &t->y[4 * (size_t)f->node], v[3];
        for (int k = 0; k < 3; ++k)
            f->free[k] = (y[k] - x[k]) / t->in->dt;
        pl__foothold_obey(f, v);
        for (int k = 0; k < 3; ++k)
            if (v[k] != f->free[k])
                y[k] = x[k] + t->in->dt * v[k];
    }
}

static void obey(void *user, double *y)
{
    task t = *(const task *)user;
    t.y = y;
    pl__parallel_for(t.limits->limit.ctx, t.limits->foothold_count, NODES_PER_CHUNK, obey_some, &t);
}

static void filter(pl_world *world, const pl__stage_input *in, bool speeds)
{
    pl__limits *l = &world->limits;
    pl__limit_report report;
    weigh_nodes(world);
    follow_shapes(world);
    l->at_end = speeds;
    list_footholds(world, in);
    task t = {l, in, 0, NULL};
    pl__limit_apply(&l->limit,
                    &(pl__limit_run){.x = in->x,
                                     .dt = in->dt,
                                     .v = in->v,
                                     .inverse_mass = l->inverse_mass,
                                     .speeds = speeds,
                                     .sweeps = world->solver.limit_sweeps,
                                     .cycles = speeds ? 1 : world->solver.limit_cycles,
                                     .tolerance = good_enough,
                                     .chebyshev = spectral_radius,
                                     .obey = l->foothold_count > 0 ? obey : NULL,
                                     .user = &t},
                    &report);
    if (world->solver.integrator != PL_INTEGRATOR_IMPLICIT_EULER && !speeds && report.cycles > 0)
        for (int32_t i = 0; i < l->foothold_count; ++i)
            pl__foothold_yield(&l->foothold[i], way_back / in->dt, &in->v[3 * (size_t)l->foothold[i].node]);
    l->sweeps += report.sweeps;
    l->cycles += report.cycles;
    if (speeds)
    {
        l->strain = report.strain_at;
        l->bend = report.bend_at;
    }
}

static void filter_displacements(void *world, const pl__stage_input *in) { filter(world, in, false); }
static void filter_velocities(void *world, const pl__stage_input *in) { filter(world, in, true); }
static bool limits_bodies(const void *user)
{
    const pl__limits *l = &((const pl_world *)user)->limits;
    return l->limit.node_count > 0 && !l->stale;
}

pl_status pl__limits_register(pl_world *world)
{
    const pl__stage stage[] = {
        {"limits: displacements", PL__BEFORE_POSITIONS, limits_bodies, filter_displacements, world},
        {"limits: velocities", PL__NEW_VELOCITIES, limits_bodies, filter_velocities, world}};
    for (size_t i = 0; i < sizeof stage / sizeof stage[0]; ++i)
        PL_TRY(pl__stages_add(world->ctx, &world->stages, &stage[i]));
    return PL_OK;
}

// ---- figures -----------------------------------------------------------------------------------------------------

void pl__limits_begin_step(pl_world *world)
{
    world->limits.sweeps = 0;
    world->limits.cycles = 0;
}

void pl__limits_report(pl_world *world, pl_step_info *info)
{
    pl__limits *l = &world->limits;
    if (!limits_bodies(world))
        return;
    weigh_nodes(world);
    pl__limit_measure(&l->limit, world->solids.state.x, l->inverse_mass, &l->strain, &l->bend);
    info->limit_excess = l->strain.over > 0 ? l->strain.total / (double)l->strain.over : 0;
    info->limit_excess_max = l->strain.most;
    info->bend_excess = l->bend.over > 0 ? l->bend.total / (double)l->bend.over : 0;
    info->bend_excess_max = l->bend.most;
    info->limit_sweeps = l->sweeps;
    info->limit_cycles = l->cycles;
}

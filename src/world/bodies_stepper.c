// src/world/bodies_stepper.c -- the bodies of a world as a stepper, the first one of every world.
#include "bodies_stepper.h"
#include "base/cpu.h"
#include "node_gaps.h"
#include "ray.h"
#include "solid/implicit_euler.h"
#include "solid/incompressible.h"
#include "solid/object_contact.h"
#include "solid/semi_implicit.h"
#include "world.h"

#include <math.h>
#include <string.h>

// ---- figures ---------------------------------------------------------------------------------------------------

// Energies and momenta of the nodes of a body.
static pl__body_sums sum_motion(const pl_world *world, const pl__body *body)
{
    pl__body_sums sums = {0};
    for (int32_t n = 0; n < body->node_count; ++n)
    {
        size_t at = 3 * (size_t)(body->first_node + n);
        const double *x = &world->solids.state.x[at], *v = &world->solids.state.v[at], *g = world->state.gravity;
        double m = body->mass[n];
        sums.kinetic += 0.5 * m * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        sums.gravity -= m * (g[0] * x[0] + g[1] * x[1] + g[2] * x[2]);
        sums.mass += m;
        for (int i = 0; i < 3; ++i)
        {
            sums.center[i] += m * x[i];
            sums.momentum[i] += m * v[i];
            sums.angular[i] += m * (x[(i + 1) % 3] * v[(i + 2) % 3] - x[(i + 2) % 3] * v[(i + 1) % 3]);
        }
        sums.contacts += world->solids.contacts.count[body->first_node + n] > 0;
    }
    return sums;
}

// Largest penetration of a node into an object [m].
static double deepest_penetration(pl_world *world, const pl__body *body)
{
    pl__arena_mark mark = pl__arena_set_mark(&world->arena);
    double *depth = PL_TAKE(&world->arena, world->solids.node_count, double), most = 0;
    if (!depth)
        return 0;
    pl__object_contact touch = {
        .s = &world->solids, .object = world->objects.object, .object_count = (int32_t)world->objects.count};
    int32_t begin = body->first_node, end = begin + body->node_count;
    pl__object_contact_depths(&touch, begin, end, depth);
    for (int32_t n = begin; n < end; ++n)
        most = fmax(most, depth[n]);
    pl__arena_release(&world->arena, mark);
    return most;
}

// Sums of a sleeping body are computed once.
static void add_sums(pl_world *world, pl__body *body, pl_step_info *info)
{
    pl__body_sums *sums = &body->derived.sums;
    if (!body->derived.sums_current)
    {
        *sums = sum_motion(world, body);
        sums->penetration =
            world->objects.count > 0 ? fmax(deepest_penetration(world, body), pl__node_gaps_depth(world, body)) : 0;
    }
    body->derived.sums_current = body->state.asleep;
    info->kinetic += sums->kinetic;
    info->gravity += sums->gravity;
    info->mass += sums->mass;
    for (int i = 0; i < 3; ++i)
    {
        info->center[i] += sums->center[i];
        info->momentum[i] += sums->momentum[i];
        info->angular[i] += sums->angular[i];
    }
    info->contacts += sums->contacts;
    info->penetration = fmax(info->penetration, sums->penetration);
}

// Add the figures of bodies [begin, end): sums and extremes.
static void add_figures(pl_world *world, int32_t begin, int32_t end, pl_step_info *info)
{
    double rest = 0, strain2 = 0, dilation2 = 0;
    for (int32_t i = begin; i < end; ++i)
    {
        pl__body *body = world->bodies.body[i];
        const pl__body_figures *f = &body->derived.figures;
        add_sums(world, body, info);
        info->elastic += f->elastic;
        info->volume += f->volume;
        info->min_J = fmin(info->min_J, f->min_J);
        info->max_stretch = fmax(info->max_stretch, f->max_stretch);
        info->inverted += f->inverted;
        info->recovering += body->state.recovery_level > 0;
        info->stuck += body->state.stuck;
        info->sleeping += body->state.asleep;
        info->ring_error = fmax(info->ring_error, pl__ring_error(&world->solids, body));
        rest += body->rest_volume;
        strain2 += body->rest_volume * f->strain * f->strain;
        dilation2 += body->rest_volume * f->dilation * f->dilation;
    }
    info->volume_error = rest > 0 ? info->volume / rest - 1 : 0;
    info->strain = rest > 0 ? sqrt(strain2 / rest) : 0;
    info->dilation = rest > 0 ? sqrt(dilation2 / rest) : 0;
}

// ---- stepping --------------------------------------------------------------------------------------------------

static const char *name_of_body(void *user, int32_t index)
{
    const pl_world *world = user;
    for (size_t i = 0; i < world->bodies.slot_count; ++i)
        if (world->bodies.slot[i].body == world->bodies.body[index])
            return world->bodies.slot[i].name;
    return "?";
}

static bool is_euler(const pl_world *world) { return world->solver.integrator == PL_INTEGRATOR_IMPLICIT_EULER; }

static pl__step_settings settings_of(pl_world *world)
{
    pl__step_settings set = {.trapezoid = world->solver.velocity_update == PL_VELOCITY_TRAPEZOID,
                             .projected = world->solver.object_contact == PL_CONTACT_PROJECTED,
                             .safety = world->solver.safety,
                             .fixed_step = world->solver.substep,
                             .cg = {.tolerance = world->solver.tolerance, .iterations = world->solver.iterations},
                             .newton = world->solver.newton,
                             .newton_tolerance = world->solver.newton_tolerance,
                             .mass_damping = world->solver.mass_damping,
                             .volume_recovery = world->solver.volume_recovery,
                             .material = world->materials.def,
                             .object = world->objects.object,
                             .object_count = (int32_t)world->objects.count,
                             .friction_table = world->pair_friction.table,
                             .grab = world->grabs.grab,
                             .grab_count = PL__GRABS,
                             .aim = pl__keyframes_aim,
                             .stages = &world->stages,
                             .pairs = world->collision.clash ? &world->stages.pairs : NULL,
                             .arena = &world->arena,
                             .name_of = name_of_body,
                             .user = world};
    int32_t most = world->substep.max_iterations;
    if (most > 0 && most < set.cg.iterations)
        set.cg.iterations = most;
    memcpy(set.gravity, world->state.gravity, sizeof set.gravity);
    return set;
}

// Call before every evaluation of forces.
void pl__bodies_set_air(pl_world *world)
{
    for (int32_t i = 0; i < world->solids.body_count; ++i)
    {
        pl__air *air = &world->bodies.body[i]->air.load;
        memcpy(air->wind, world->state.wind, sizeof air->wind);
        air->density = world->air.density;
    }
}

static double longest_step(void *self)
{
    pl_world *world = self;
    pl__step_settings set = settings_of(world);
    set.span = INFINITY;
    pl__bodies_set_air(world);
    return is_euler(world) ? pl__implicit_euler_longest_step(&set)
                           : fmin(pl__semi_implicit_longest_step(&world->solids, &set), 1e6);
}

static pl_status advance(void *self, double *dt)
{
    pl_world *world = self;
    pl__step_settings set = settings_of(world);
    set.span = *dt;
    set.wary = pl__sleep_is_wary(world);
    PL_TRY((is_euler(world) ? pl__implicit_euler_step : pl__semi_implicit_step)(
        &world->solids, &set, world->state.pending.remaining, &world->substep.outcome));
    *dt = world->solids.state.plastic_dt = world->substep.outcome.dt;
    return PL_OK;
}

// ---- other functions of the interface --------------------------------------------------------------------------

static void figures(void *self, pl_step_info *info)
{
    pl_world *world = self;
    add_figures(world, 0, world->solids.body_count, info);
}

// Bodies that have become liquid stay in the list, without a surface.
static int32_t drawable_count(const void *self)
{
    const pl__bodies *bodies = &((const pl_world *)self)->bodies;
    int32_t count = 0;
    for (size_t slot = 0; slot < bodies->slot_count; ++slot)
        count += pl__slot_body(&bodies->slot[slot]) != NULL;
    return count;
}

static pl_body_id drawn_body(const pl_world *world, int32_t i)
{
    for (size_t slot = 0; slot < world->bodies.slot_count; ++slot)
        if (pl__slot_body(&world->bodies.slot[slot]) && i-- == 0)
            return (pl_body_id){(int32_t)slot + 1};
    return (pl_body_id){0};
}

static const pl__slot *drawn_slot(const pl_world *world, int32_t i)
{
    return &world->bodies.slot[drawn_body(world, i).index - 1];
}

static void drawable(const void *self, int32_t i, pl_drawable *d)
{
    const pl_world *world = self;
    const pl__slot *slot = drawn_slot(world, i);
    d->name = slot->name;
    d->version = slot->version;
    if (!slot->body)
        return;
    d->body = drawn_body(world, i);
    d->vertex_count = pl_body_surface_vertex_count(world, d->body);
    d->triangles = pl_body_surface_triangles(world, d->body, &d->triangle_count);
}

static pl_status read(const void *self, int32_t i, double *vertices, double *velocities)
{
    if (!drawn_slot(self, i)->body)
        return PL_OK;
    return pl_body_read_surface_exact(self, drawn_body(self, i), vertices, velocities, NULL);
}

static pl_status normals(const void *self, int32_t i, double *to)
{
    if (!drawn_slot(self, i)->body)
        return PL_OK;
    return pl_body_read_surface_exact(self, drawn_body(self, i), NULL, NULL, to);
}

static bool field(const void *self, int32_t i, const char *name, float *values)
{
    for (int32_t f = 0; drawn_slot(self, i)->body && pl_body_field_name(f); ++f)
        if (strcmp(name, pl_body_field_name(f)) == 0 && pl_body_field_components(f) == 1)
            return pl_body_read_surface_field(self, drawn_body(self, i), (pl_body_field)f, values) == PL_OK;
    return false;
}

static pl_status report(void *self, int32_t i, pl_step_info *info)
{
    pl_world *world = self;
    if (drawn_slot(world, i)->body)
        return pl_body_report(world, drawn_body(world, i), info);
    *info = (pl_step_info){.time = world->state.time, .min_J = INFINITY};
    return PL_OK;
}

// No allocation: reading the surface leaves its vertices in the scratch of the body's shape.
static bool cast_ray(const void *self, const double origin[3], const double direction[3], pl_hit *hit)
{
    const pl_world *world = self;
    bool any = false;
    for (size_t slot = 0, number = 0; slot < world->bodies.slot_count; ++slot)
    {
        const pl__body_shape *shape = &world->bodies.slot[slot].shape;
        pl_body_id body = {(int32_t)slot + 1};
        number += world->bodies.slot[slot].away != NULL;
        if (!world->bodies.slot[slot].body)
            continue;
        if (pl_body_read_surface_exact(world, body, NULL, NULL, NULL) == PL_OK &&
            pl__ray_cast(origin, direction, shape->point, shape->skin.triangle, shape->skin.triangle_count, hit))
        {
            hit->body = body;
            hit->drawable = (int32_t)number;
            any = true;
        }
        ++number;
    }
    return any;
}

const pl__stepper_type pl__bodies_stepper = {.name = "bodies",
                                             .longest_step = longest_step,
                                             .advance = advance,
                                             .figures = figures,
                                             .drawable_count = drawable_count,
                                             .drawable = drawable,
                                             .read = read,
                                             .normals = normals,
                                             .field = field,
                                             .report = report,
                                             .cast_ray = cast_ray};

pl_status pl_body_report(pl_world *world, pl_body_id id, pl_step_info *info)
{
    if (!world || !info)
        return PL_ERR_ARGUMENT;
    pl__body *body = pl__world_body(world, id);
    if (!body)
        return PL_ERR_STATE;
    uint64_t host = pl__fp_enter();
    *info = pl__step_present(world);
    info->min_J = INFINITY;
    for (int32_t i = 0; i < world->solids.body_count; ++i)
        if (world->bodies.body[i] == body)
            add_figures(world, i, i + 1, info);
    for (int i = 0; i < 3 && info->mass > 0; ++i)
        info->center[i] /= info->mass;
    pl__fp_leave(host);
    return PL_OK;
}

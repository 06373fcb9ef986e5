// src/world/setting.c -- the liquid of a scene becomes a body: a mesh around its surface, with its velocity.
//
// All of the liquid but its drops sets. Its level set, cut off at objects and at the walls of the domain, is filled
// with tetrahedra whose boundary nodes lie on it (isosurface stuffing). The shape at that moment is the rest shape:
// elastic strain is forgotten. Two numbers are put right by one uniform change each, as when bodies melt
// (fluid/pour.h): the mesh is scaled about its middle to the volume of the liquid, and the mean velocity is that of the
// liquid.
//
// Until then the slot of the body holds another mesh aside (melting.h), which is never seen. The mesh that is made is
// state: snapshots have it (section MESH), and loading one makes the body from it.
//
// What it does badly: films and threads thinner than an element are in the volume, but not in the shape. Where liquid
// stood against a wall the scaled mesh may begin up to a part in a hundred of its size within it.
#include "setting.h"
#include "base/hash.h"
#include "fluid/levelset.h"
#include "fluid/volume.h"
#include "liquid_objects.h"
#include "math/vec3.h"
#include "solid/heat.h"
#include "world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double most_scaled = 0.1; // of the volume
static const double from_within = 2;   // [cells] below the surface

// ---- creation --------------------------------------------------------------------------------------------------

static pl_status check(const pl_world *world, const pl__scene_setting *from, const pl__slot *slot)
{
    char owner[PL_NAME_BYTES + 16];
    bool known = false;
    snprintf(owner, sizeof owner, "bodies.%s", from->body);
    for (int32_t k = 0; k < world->liquids.kind_count; ++k)
        known = known || strcmp(world->liquids.name[k], from->liquid) == 0;
    PL_CHECK_FIELD(world->ctx, slot, "bodies", from->body, "there is no such body, which liquids.%s should become",
                   from->liquid);
    PL_CHECK_FIELD(world->ctx, known, owner, "liquid", "there is no liquid `%s`", from->liquid);
    PL_CHECK_FIELD(world->ctx, world->liquids.kind_count == 1, owner, "liquid",
                   "`%s` is one of several liquids; only what is alone in its scene can become a body", from->liquid);
    PL_CHECK_FIELD(world->ctx, !slot->body->planar && !slot->body->shell, owner, "kind",
                   "is not solid; a liquid becomes a solid only");
    PL_CHECK_FIELD(world->ctx, !slot->fracture, owner, "liquid",
                   "a body that a liquid becomes cannot break or be cut; take a material without fracture_stress");
    for (size_t i = 0; i < world->melting.count; ++i)
        PL_CHECK_FIELD(world->ctx, &world->bodies.slot[world->melting.melt[i].slot] != slot, owner, "liquid",
                       "liquids name it as their `body`; it cannot both melt and set");
    for (size_t k = 0; k < world->objects.count; ++k)
        PL_CHECK_FIELD(world->ctx, &world->bodies.slot[0] + world->objects.slot[k] != slot, owner, "liquid",
                       "is what objects.%s is, and cannot come later", world->objects.name[k]);
    return PL_OK;
}

static pl_status create(pl_world *world, const pl_scene *scene, const pl__scene_setting *from)
{
    pl__slot *slot = NULL;
    const pl__scene_body *body = NULL;
    pl__setting *s = &world->settings.setting[world->settings.count];
    for (size_t i = 0; i < world->bodies.slot_count; ++i)
        if (strcmp(world->bodies.slot[i].name, from->body) == 0)
            slot = &world->bodies.slot[i], body = &scene->body[i], s->slot = (int32_t)i;
    PL_TRY(check(world, from, slot));
    s->start = from->start;
    s->edge = from->edge;
    if (!pl__scene_body_copy(world->ctx, &body->def, NULL, 0, &s->kept))
        return PL_ERR_MEMORY;
    world->settings.count++;
    world->melting.melt[world->melting.count++] =
        (pl__melt){.slot = s->slot, .start = INFINITY, .melted = INFINITY, .sets = true};
    slot->away = slot->body;
    slot->body = NULL;
    return PL_OK;
}

pl_status pl__settings_create(pl_world *world, const pl_scene *scene)
{
    if (scene->setting_count == 0)
        return PL_OK;
    world->settings.room = scene->setting_count;
    world->settings.setting = PL_NEW(world->ctx, world->settings.room, pl__setting);
    if (!world->settings.setting)
        return PL_ERR_MEMORY;
    for (size_t i = 0; i < scene->setting_count; ++i)
        PL_TRY(create(world, scene, &scene->setting[i]));
    return pl__world_rebuild(world);
}

void pl__settings_destroy(pl_world *world)
{
    for (size_t i = 0; i < world->settings.count; ++i)
        pl__scene_body_release(world->ctx, &world->settings.setting[i].kept);
    PL_DELETE(world->ctx, world->settings.setting, world->settings.room);
}

const pl__setting *pl__setting_of(const pl_world *world, size_t slot)
{
    for (size_t i = 0; i < world->settings.count; ++i)
        if (world->settings.setting[i].slot == (int32_t)slot)
            return &world->settings.setting[i];
    return NULL;
}

// ---- mesh ------------------------------------------------------------------------------------------------------

typedef struct solid
{
    const pl__liquid *l;
    double lower[3], upper[3]; // of the domain
} solid;

// Negative in liquid that is neither in an object nor beyond a wall.
static double inside(void *user, const double x[3])
{
    const solid *s = user;
    const pl__columns *c = &s->l->state.grid.cell;
    double phi, away, out = -INFINITY;
    if (!pl__columns_sample(c, s->l->state.phi, x, &phi))
        return c->h;
    if (pl__columns_sample(c, s->l->boundary.distance, x, &away))
        out = -away;
    for (int a = 0; a < 3; ++a)
        out = fmax(out, fmax(s->lower[a] - x[a], x[a] - s->upper[a]));
    return fmax(phi, out);
}

// A box around the liquid; false: there is none.
static bool find_box(const pl__liquid *l, double margin, double lower[3], double upper[3])
{
    const pl__columns *c = &l->state.grid.cell;
    bool any = false;
    for (int a = 0; a < 3; ++a)
        lower[a] = INFINITY, upper[a] = -INFINITY;
    for (int32_t column = 0; column < c->nx * c->nz; ++column)
        for (size_t r = c->start[column]; r < c->start[column + 1]; ++r)
            for (int32_t n = 0; n < pl__run_numbers(&c->run[r]); ++n)
            {
                double x[3];
                if (l->state.phi[c->run[r].first + n] >= 0)
                    continue;
                any = true;
                pl__grid_point(c, column % c->nx, c->run[r].j0 + n, column / c->nx, x);
                for (int a = 0; a < 3; ++a)
                {
                    lower[a] = fmin(lower[a], x[a] - margin);
                    upper[a] = fmax(upper[a], x[a] + margin);
                }
            }
    return any;
}

static double volume_of(const pl_mesh *mesh)
{
    double sum = 0;
    for (int32_t e = 0; e < mesh->element_count; ++e)
    {
        const int32_t *n = &mesh->element[4 * (size_t)e];
        pl_vec3 p[4];
        for (int k = 0; k < 4; ++k)
            memcpy(p[k].v, &mesh->position[3 * (size_t)n[k]], sizeof p[k].v);
        sum += pl_dot3(pl_cross3(pl_sub3(p[1], p[0]), pl_sub3(p[2], p[0])), pl_sub3(p[3], p[0])) / 6;
    }
    return sum;
}

// About the middle of its box, to a volume.
static void scale_mesh(pl_world *world, const char *name, double volume, pl_mesh *mesh)
{
    double is = volume_of(mesh), lower[3], upper[3];
    if (fabs(volume / is - 1) > most_scaled)
    {
        pl__log(world->ctx, PL_LOG_WARNING,
                "bodies.%s: at %g s, when it set, its elements of %.3g m^3 did not follow the liquid of %.3g m^3; take "
                "smaller ones (size)",
                name, world->state.time, is, volume);
        return;
    }
    double factor = cbrt(volume / is);
    for (int a = 0; a < 3; ++a)
    {
        lower[a] = INFINITY, upper[a] = -INFINITY;
        for (int32_t n = 0; n < mesh->node_count; ++n)
        {
            lower[a] = fmin(lower[a], mesh->position[3 * (size_t)n + (size_t)a]);
            upper[a] = fmax(upper[a], mesh->position[3 * (size_t)n + (size_t)a]);
        }
        double middle = 0.5 * (lower[a] + upper[a]);
        for (int32_t n = 0; n < mesh->node_count; ++n)
        {
            double *x = &mesh->position[3 * (size_t)n + (size_t)a];
            *x = middle + factor * (*x - middle);
        }
    }
}

static pl_status make_mesh(pl_world *world, const pl__setting *s, double volume, pl_mesh **mesh)
{
    const pl__liquid *l = world->liquids.liquid;
    const pl__columns *c = &l->state.grid.cell;
    const int32_t cells[3] = {c->nx, c->ny, c->nz};
    pl_stuffing_def def = pl_stuffing_def_default();
    double lower[3], upper[3];
    solid shape = {.l = l};
    for (int a = 0; a < 3; ++a)
    {
        shape.lower[a] = c->origin[a] - 0.5 * c->h;
        shape.upper[a] = shape.lower[a] + c->h * cells[a];
    }
    if (!find_box(l, 2 * fmax(s->edge, c->h), lower, upper))
        return pl__fail(world->ctx, PL_ERR_STATE, "bodies.%s: there is no liquid that could become it",
                        world->bodies.slot[s->slot].name);
    def.size = s->edge;
    PL_TRY(pl_mesh_create_from_implicit(world->ctx, &def, lower, upper, inside, &shape, mesh));
    scale_mesh(world, world->bodies.slot[s->slot].name, volume, *mesh);
    return PL_OK;
}

// ---- body ------------------------------------------------------------------------------------------------------

// Of its mesh, which has no body of its own that nodes could be pinned to.
static pl_status make_body(pl_world *world, const pl__setting *s, const pl_mesh *mesh, pl__rebuilt_body *out)
{
    pl_body_def def = s->kept.def;
    const pl__slot *slot = &world->bodies.slot[s->slot];
    def.mesh = mesh;
    *out = (pl__rebuilt_body){.slot = (size_t)s->slot};
    PL_TRY(pl__world_make_body(world, &def, slot->breathes, &out->body));
    pl_status status = pl__world_make_pins(world, NULL, 0, out->body);
    pl__shape_input input = {slot->name, &def, out->body, false, NULL, NULL};
    if (status == PL_OK)
        status = pl__body_shape_create(world->ctx, &input, &out->shape);
    if (status != PL_OK)
        pl__body_destroy(&out->body);
    return status;
}

// Velocity at a point of the surface or inside it: near the surface that from within, continued linearly, since beyond
// it velocities are only constant, and a ball that spins would lose a twentieth of its angular momentum.
static bool velocity_at(const pl__liquid *l, const double x[3], double v[3])
{
    const pl__grid *grid = &l->state.grid;
    pl__levelset ls = {&grid->cell, l->state.phi, pl__liquid_far(l), NULL};
    double h = grid->cell.h, phi = pl__levelset_sample(&ls, x[0], x[1], x[2]), n[3], in[3], slope[3][3], length = 0;
    for (int a = 0; a < 3; ++a)
    {
        double y[3] = {x[0], x[1], x[2]}, z[3] = {x[0], x[1], x[2]};
        y[a] += 0.5 * h, z[a] -= 0.5 * h;
        n[a] = pl__levelset_sample(&ls, y[0], y[1], y[2]) - pl__levelset_sample(&ls, z[0], z[1], z[2]);
        length += n[a] * n[a];
    }
    double way = phi + from_within * h;
    for (int a = 0; a < 3; ++a)
        in[a] = x[a] - (way > 0 && length > 0 ? way * n[a] / sqrt(length) : 0);
    if (!(way > 0) || pl__levelset_sample(&ls, in[0], in[1], in[2]) > -0.5 * from_within * h)
        return pl__grid_velocity(grid, l->state.u, x, v); // deep, or where liquid is thin
    if (!pl__grid_velocity(grid, l->state.u, in, v))
        return false;
    pl__grid_gradient(grid, l->state.u, in, slope);
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b)
            v[a] += slope[a][b] * (x[b] - in[b]);
    return true;
}

// Velocity of the liquid at its nodes, with the mean that is given, and temperature.
static void set_velocity(const pl__liquid *l, const double mean[3], pl__body *body)
{
    double mass = 0, momentum[3] = {0};
    for (int32_t n = 0; n < body->node_count; ++n)
    {
        double *v = &body->start_velocity[3 * (size_t)n];
        if (!velocity_at(l, &body->start_position[3 * (size_t)n], v))
            memcpy(v, mean, 3 * sizeof *v);
        mass += body->mass[n];
        for (int a = 0; a < 3; ++a)
            momentum[a] += body->mass[n] * v[a];
        if (body->heat && l->def.warm)
            (void)pl__columns_sample(&l->state.grid.cell, l->state.warmth, &body->start_position[3 * (size_t)n],
                                     &body->heat->temperature[n]);
    }
    if (body->heat)
        pl__heat_notice(body->heat);
    for (int32_t n = 0; n < body->node_count; ++n)
        for (size_t a = 0; a < 3; ++a)
            body->start_velocity[3 * (size_t)n + a] += mean[a] - momentum[a] / mass;
}

// Volume of the liquid without its drops, with what is owed [m^3].
static double count_volume(const pl__liquid *l)
{
    const pl__liquid_state *s = &l->state;
    const pl__columns *c = &s->grid.cell;
    double owed = s->loose;
    for (int32_t n = 0; n < c->value_count; ++n)
        owed += s->residual[n];
    return pl__volume_sum(c, s->part, s->open) + c->h * c->h * c->h * owed;
}

// The liquid is gone, but for its drops.
static void empty(pl__liquid *l)
{
    pl__liquid_state *s = &l->state;
    const pl__columns *c = &s->grid.cell;
    s->added -= count_volume(l);
    for (int32_t n = 0; n < c->value_count; ++n)
    {
        s->phi[n] = pl__liquid_far(l);
        s->part[n] = s->residual[n] = s->stress[n] = s->q[n] = s->warmth[n] = 0;
    }
    for (int m = 0; m < PL__TENSOR && l->def.remembers; ++m)
        memset(s->elastic.strain[m], 0,
               (size_t)pl__elastic_lattice(c, &s->elastic.edges, m)->value_count * sizeof(double));
    s->loose = 0;
    s->particles.count = 0;
    s->foam.count = 0;
    s->vortices.count = 0;
}

// All or nothing: the liquid is emptied once the body is in the arrays.
static pl_status set(pl_world *world, pl__setting *s)
{
    pl__world_liquids *w = &world->liquids;
    pl__slot *slot = &world->bodies.slot[s->slot];
    pl__liquid_sums sums;
    pl__rebuilt_body made = {0};
    pl_mesh *mesh = NULL;
    pl__obstacles obstacles = pl__liquid_objects_met(w);
    PL_TRY(pl__liquid_refresh(w->liquid, &obstacles));
    PL_TRY(pl__liquid_sum(w->liquid, &sums));
    double mass = sums.mass, mean[3], volume = count_volume(w->liquid);
    for (int a = 0; a < 3; ++a)
        mean[a] = mass > 0 ? sums.momentum[a] / mass : 0;
    pl_status status = make_mesh(world, s, volume, &mesh);
    if (status == PL_OK)
        status = make_body(world, s, mesh, &made);
    pl_mesh_destroy(&mesh);
    PL_TRY(status);
    set_velocity(w->liquid, mean, made.body);
    pl__body *old = slot->away;
    pl__body_shape shape = slot->shape;
    double edge = slot->edge;
    slot->body = made.body;
    slot->away = NULL;
    slot->shape = made.shape;
    slot->edge = 0;
    status = pl__world_rebuild(world);
    if (status != PL_OK)
    {
        slot->body = NULL;
        slot->away = old;
        slot->shape = shape;
        slot->edge = edge;
        pl__world_fracture_forget(world, &made, 1);
        return status;
    }
    made.body = old;
    made.shape = shape;
    pl__world_fracture_forget(world, &made, 1);
    s->made = true;
    slot->version++;
    empty(w->liquid);
    w->drawn = w->summed = false;
    return PL_OK;
}

pl_status pl__settings_advance(pl_world *world)
{
    if (world->state.pending.interval > 0)
        return PL_OK;
    for (size_t i = 0; i < world->settings.count; ++i)
    {
        pl__setting *s = &world->settings.setting[i];
        double lower[3], upper[3];
        if (world->bodies.slot[s->slot].body || world->state.time < s->start ||
            !find_box(world->liquids.liquid, 0, lower, upper))
            continue;
        PL_TRY(pl__world_liquids_settle(world));
        PL_TRY(set(world, s));
    }
    return PL_OK;
}

pl_status pl_world_set_liquid(pl_world *world, const char *body)
{
    if (!world || !body)
        return PL_ERR_ARGUMENT;
    for (size_t i = 0; i < world->settings.count; ++i)
    {
        pl__setting *s = &world->settings.setting[i];
        if (strcmp(world->bodies.slot[s->slot].name, body) != 0)
            continue;
        PL_CHECK_FIELD(world->ctx, !world->bodies.slot[s->slot].body, "bodies", body, "is there already");
        uint64_t host = pl__fp_enter();
        pl_status status = pl__world_liquids_settle(world);
        if (status == PL_OK)
            status = set(world, s);
        pl__fp_leave(host);
        return status;
    }
    return pl__fail_field(world->ctx, "bodies", body, "no liquid of the scene becomes it");
}

// ---- section MESH: of bodies that a liquid has become ------------------------------------------------------------

typedef struct
{
    int64_t made, node_count, element_count;
} record;

static const pl__slot *slot_of(const pl_world *world, size_t i)
{
    return &world->bodies.slot[world->settings.setting[i].slot];
}

static size_t bytes(const void *user)
{
    const pl_world *world = user;
    size_t size = 0;
    for (size_t i = 0; i < world->settings.count; ++i)
    {
        const pl__body *body = pl__slot_body(slot_of(world, i));
        size += sizeof(record);
        if (world->settings.setting[i].made)
            size += 3 * (size_t)body->node_count * sizeof(double) + 4 * (size_t)body->element_count * sizeof(int32_t);
    }
    return size;
}

static void write(const void *user, pl__section_writer *to)
{
    const pl_world *world = user;
    for (size_t i = 0; i < world->settings.count; ++i)
    {
        const pl__slot *slot = slot_of(world, i);
        const pl__body *body = pl__slot_body(slot);
        bool made = world->settings.setting[i].made;
        record r = {made, made ? body->node_count : 0, made ? body->element_count : 0};
        pl__section_put(to, &r, sizeof r);
        pl__section_put(to, slot->shape.rest, 3 * (size_t)r.node_count * sizeof(double));
        pl__section_put(to, slot->shape.element, 4 * (size_t)r.element_count * sizeof(int32_t));
    }
}

// Whether the body of a slot has this mesh.
static bool has_mesh(const pl_world *world, size_t i, const record *r, const char *rest, const char *elements)
{
    const pl__slot *slot = slot_of(world, i);
    const pl__body *body = pl__slot_body(slot);
    return world->settings.setting[i].made && body->node_count == r->node_count &&
           body->element_count == r->element_count &&
           memcmp(slot->shape.rest, rest, 3 * (size_t)r->node_count * sizeof(double)) == 0 &&
           memcmp(slot->shape.element, elements, 4 * (size_t)r->element_count * sizeof(int32_t)) == 0;
}

// A body with this mesh, to be adopted with the topology.
static pl_status rebuild(pl_world *world, size_t i, const record *r, const char *rest, const char *elements)
{
    size_t numbers = 3 * (size_t)r->node_count, corners = 4 * (size_t)r->element_count;
    double *x = PL_NEW(world->ctx, numbers, double);
    int32_t *element = PL_NEW(world->ctx, corners, int32_t);
    pl_mesh *mesh = NULL;
    pl_status status = x && element ? PL_OK : PL_ERR_MEMORY;
    if (status == PL_OK)
    {
        memcpy(x, rest, numbers * sizeof *x);
        memcpy(element, elements, corners * sizeof *element);
        status = pl_mesh_create(world->ctx, x, (int32_t)r->node_count, element, (int32_t)r->element_count, &mesh);
    }
    if (status == PL_OK)
        status = make_body(world, &world->settings.setting[i], mesh, &world->bodies.loaded[world->bodies.loaded_count]);
    world->bodies.loaded_count += status == PL_OK;
    pl_mesh_destroy(&mesh);
    PL_DELETE(world->ctx, x, numbers);
    PL_DELETE(world->ctx, element, corners);
    return status == PL_ERR_ARGUMENT ? PL_ERR_FORMAT : status;
}

static pl_status read_one(pl_world *world, size_t i, pl__section_reader *from, bool apply)
{
    record r;
    const char *rest, *elements;
    PL_TRY(pl__section_get(from, &r, sizeof r));
    bool sound = r.made == 0 ? r.node_count == 0 && r.element_count == 0 &&
                                   !pl__melting_comes(world, (size_t)world->settings.setting[i].slot)
                             : r.made == 1 && r.node_count > 0 && r.node_count < INT32_MAX / 3 && r.element_count > 0 &&
                                   r.element_count < INT32_MAX / 4;
    if (!sound)
        return pl__section_fail(from, "a body that has set has %lld nodes and %lld elements", (long long)r.node_count,
                                (long long)r.element_count);
    PL_TRY(pl__section_view(from, 3 * (size_t)r.node_count * sizeof(double), &rest));
    PL_TRY(pl__section_view(from, 4 * (size_t)r.element_count * sizeof(int32_t), &elements));
    if (apply)
        world->settings.setting[i].made = r.made != 0;
    if (apply || !r.made || has_mesh(world, i, &r, rest, elements))
        return PL_OK;
    pl_status status = rebuild(world, i, &r, rest, elements);
    return status == PL_ERR_FORMAT ? pl__section_fail(from, "%s", pl_context_error(world->ctx)) : status;
}

static pl_status read(void *user, pl__section_reader *from, bool apply)
{
    pl_world *world = user;
    for (size_t i = 0; i < world->settings.count; ++i)
        PL_TRY(read_one(world, i, from, apply));
    return PL_OK;
}

const pl__section_type pl__settings_section = {
    .tag = "MESH", .version = 1, .oldest = 1, .bytes = bytes, .write = write, .read = read};

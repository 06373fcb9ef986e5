// src/world/melting.c -- a body becomes liquid: its surface, velocity and elastic strain go over to the grid.
//
// When its time has come, or enough of it is as warm as its material melts, the closed surface of a body, deformed as
// it is (the one that it carries, where that is closed), becomes the level set of its liquid (fluid/pour.h). Points of
// the grid get the velocity of the element that they are in, or that is nearest: rigid and affine motions are exact. A
// liquid that remembers its shape gets the deviator of the elastic strain of the elements,
//
//     e = ln V - tr(ln V)/3,     F Fp^-1 = V R
//
// which is what (6.4) integrates to for a stretch along fixed axes; its isotropic part means nothing in a liquid that
// keeps its volume.
//
// The body leaves the arrays of the world, as one that is removed does, but stays in its slot, so that a snapshot from
// before can have it back without making it anew. Snapshots say which bodies are there (section AWAY).
//
// The mean velocity is kept to round-off, and so is momentum if the densities are alike. Otherwise the mass changes,
// and a body that flies goes on as fast as before, in whatever frame it is seen.
#include "melting.h"
#include "base/cpu.h"
#include "base/real_math.h"
#include "element/hex.h"
#include "element/state.h"
#include "embed/locate.h"
#include "fluid/pour.h"
#include "liquid_objects.h"
#include "math/eig3.h"
#include "mesh/solid.h"
#include "solid/heat.h"
#include "solid/pin.h"
#include "world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double warm_enough = 1 - 1e-9;
static const double told_loss = 1e-4; // of a volume; less is not worth a sentence

// ---- creation --------------------------------------------------------------------------------------------------

static pl_status find_body(pl_world *world, const pl__scene_liquid *liquid, pl__melt *melt)
{
    char owner[PL_NAME_BYTES + 16];
    const char *name = liquid->def.body;
    const pl__slot *slot = NULL;
    snprintf(owner, sizeof owner, "liquids.%s", liquid->name);
    for (size_t i = 0; i < world->bodies.slot_count; ++i)
        if (strcmp(world->bodies.slot[i].name, name) == 0)
            slot = &world->bodies.slot[i], melt->slot = (int32_t)i;
    PL_CHECK_FIELD(world->ctx, slot, owner, "body", "there is no body `%s`", name);
    PL_CHECK_FIELD(world->ctx, !slot->body->planar && !slot->body->shell, owner, "body",
                   "`%s` is %s; only solids, which have an inside, become liquid", name,
                   slot->body->planar ? "planar" : "a shell");
    PL_CHECK_FIELD(world->ctx, liquid->def.melted == 0 || slot->body->heat, owner, "melted",
                   "`%s` has no temperature; give its material a `melting` point, or leave this out", name);
    for (size_t i = 0; i < world->melting.count; ++i)
        PL_CHECK_FIELD(world->ctx, world->melting.melt[i].slot != melt->slot, owner, "body",
                       "`%s` becomes another liquid already, and can become one only", name);
    return PL_OK;
}

pl_status pl__melting_create(pl_world *world, const pl_scene *scene)
{
    world->melting.room = scene->liquid_count + scene->setting_count;
    world->melting.melt = PL_NEW(world->ctx, world->melting.room, pl__melt);
    if (!world->melting.melt)
        return PL_ERR_MEMORY;
    for (size_t i = 0; i < scene->liquid_count; ++i)
    {
        const pl_liquid_def *def = &scene->liquid[i].def;
        pl__melt *melt = &world->melting.melt[world->melting.count];
        if (def->kind != PL_LIQUID_BODY)
            continue;
        PL_TRY(find_body(world, &scene->liquid[i], melt));
        melt->liquid = world->liquids.kind[i];
        melt->melted = def->melted > 0 ? def->melted : INFINITY;
        melt->start = def->melted > 0 && def->start == 0 ? INFINITY : def->start;
        world->melting.count++;
    }
    return PL_OK;
}

// ---- what becomes liquid ---------------------------------------------------------------------------------------

// The inside of a body as the grid asks for it.
typedef struct inside
{
    const pl__body *body;
    pl_mesh mesh;      // as it is deformed; borrows the elements of the slot
    pl__tet_tree tree; // its carriers
    pl_surface *surface;
    pl__solid *solid;
    double *velocity;    // [3 node_count] in mesh order
    double *temperature; // [node_count] likewise
    double *strain;      // [6 element_count] in mesh order
} inside;

static size_t nodes_of(const inside *in) { return (size_t)in->body->node_count; }

static void release(inside *in)
{
    pl_context *ctx = in->body->ctx;
    pl__solid_destroy(&in->solid);
    pl_surface_destroy(&in->surface);
    pl__tet_tree_done(&in->tree);
    PL_DELETE(ctx, in->mesh.position, 3 * nodes_of(in));
    PL_DELETE(ctx, in->velocity, 3 * nodes_of(in));
    PL_DELETE(ctx, in->temperature, nodes_of(in));
    PL_DELETE(ctx, in->strain, PL__TENSOR * (size_t)in->body->element_count);
}

// The deviator of ln V of a gradient.
static void log_strain(const pl_mat3 *F, double strain[PL__TENSOR])
{
    static const int row[PL__TENSOR] = {0, 1, 2, 1, 0, 0}, column[PL__TENSOR] = {0, 1, 2, 2, 2, 1};
    pl_mat3 B = pl_mul33t(F, F), Q;
    double lambda[3], log[3], mean = 0;
    pl__eig3(&B, &Q, lambda);
    for (int k = 0; k < 3; ++k)
    {
        log[k] = 0.5 * pl__real_log(fmax(lambda[k], 1e-12));
        mean += log[k] / 3;
    }
    for (int m = 0; m < PL__TENSOR; ++m)
    {
        strain[m] = 0;
        for (int k = 0; k < 3; ++k)
            strain[m] += (log[k] - mean) * Q.c[k][row[m]] * Q.c[k][column[m]];
    }
}

static void find_strains(const pl_world *world, inside *in)
{
    const pl__body *body = in->body;
    for (int32_t g = 0; g < body->group_count; ++g)
    {
        const pl__element_group *group = &body->group[g];
        if (group->kind != PL__TET && group->kind != PL__HEX)
            continue;
        for (int32_t i = 0; i < group->count; ++i)
        {
            double x[PL_HEX_CORNERS][3];
            for (int32_t c = 0; c < pl__element_type_of(group->kind)->corners; ++c)
                memcpy(x[c], &world->solids.state.x[3 * (size_t)*pl__element_node(group, i, c)], sizeof x[c]);
            pl_mat3 F = pl__element_gradient(group, i, (const double(*)[3])x);
            log_strain(&F, &in->strain[PL__TENSOR * (size_t)group->source[i]]);
        }
    }
}

// Its surface, or, if that is open, the boundary of its mesh.
static pl_status make_surface(const pl_world *world, int32_t slot, bool boundary, inside *in)
{
    const pl__body *body = in->body;
    const pl__vertex_normals *skin = &world->bodies.slot[slot].shape.skin;
    int32_t vertices = boundary ? body->surface.vertex_count : skin->vertex_count,
            triangles = boundary ? body->surface.triangle_count : skin->triangle_count;
    in->surface = pl__surface_new(body->ctx, vertices, triangles);
    if (!in->surface)
        return PL_ERR_MEMORY;
    memcpy(in->surface->triangle, boundary ? body->surface.triangle : skin->triangle,
           3 * (size_t)triangles * sizeof(int32_t));
    for (int32_t n = 0; n < vertices && boundary; ++n)
        memcpy(&in->surface->position[3 * (size_t)n],
               &world->solids.state.x[3 * (size_t)(body->first_node + body->surface.node[n])], 3 * sizeof(double));
    if (!boundary)
        PL_TRY(pl_body_read_surface_exact(world, (pl_body_id){slot + 1}, in->surface->position, NULL, NULL));
    PL_TRY(pl__surface_finish(&in->surface, world->bodies.slot[slot].name));
    PL_TRY(pl__solid_create(in->surface, &in->solid));
    if (boundary || in->solid->open_edges == 0)
        return PL_OK;
    pl__solid_destroy(&in->solid);
    pl_surface_destroy(&in->surface);
    return make_surface(world, slot, true, in);
}

static pl_status make_inside(const pl_world *world, int32_t slot, inside *in)
{
    const pl__body_shape *shape = &world->bodies.slot[slot].shape;
    const pl__body *body = in->body;
    pl_context *ctx = body->ctx;
    in->mesh = (pl_mesh){.ctx = ctx,
                         .kind = shape->kind,
                         .node_count = body->node_count,
                         .element_count = body->element_count,
                         .element = shape->element,
                         .position = PL_NEW(ctx, 3 * nodes_of(in), double)};
    in->velocity = PL_NEW(ctx, 3 * nodes_of(in), double);
    in->temperature = PL_NEW(ctx, nodes_of(in), double);
    in->strain = PL_NEW(ctx, PL__TENSOR * (size_t)body->element_count, double);
    if (!in->mesh.position || !in->velocity || !in->temperature || !in->strain)
        return PL_ERR_MEMORY;
    PL_TRY(pl_body_read(world, (pl_body_id){slot + 1}, in->mesh.position, in->velocity));
    for (int32_t n = 0; n < body->node_count && body->heat; ++n)
        in->temperature[n] = body->heat->temperature[body->node_of_source[n]];
    find_strains(world, in);
    PL_TRY(pl__tet_tree_create(ctx, &in->mesh, &in->tree));
    return make_surface(world, slot, false, in);
}

static double distance(void *user, const double x[3])
{
    return pl__solid_distance(((const inside *)user)->solid, x, NULL, NULL);
}

// Of the carrier that x is in or next to: values of its corners, linear in x.
static void sample(void *user, const double x[3], pl__pour_sample *s)
{
    const inside *in = user;
    double away, share[4];
    int32_t carrier = pl__tet_tree_find(&in->tree, x, &away);
    const int32_t *corner = &in->tree.carriers.element[4 * (size_t)carrier];
    const double *origin = &in->mesh.position[3 * (size_t)corner[0]];
    pl_mat3 edges;
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < 3; ++i)
            edges.c[k][i] = in->mesh.position[3 * (size_t)corner[k + 1] + (size_t)i] - origin[i];
    pl_mat3 inverse = pl_inverse3(&edges);
    pl_vec3 at = pl_mul3(&inverse, pl_make3(x[0] - origin[0], x[1] - origin[1], x[2] - origin[2]));
    share[0] = 1 - at.v[0] - at.v[1] - at.v[2];
    memcpy(&share[1], at.v, sizeof at.v);
    *s = (pl__pour_sample){0};
    for (int k = 0; k < 4; ++k)
    {
        for (int i = 0; i < 3; ++i)
            s->velocity[i] += share[k] * in->velocity[3 * (size_t)corner[k] + (size_t)i];
        s->temperature += share[k] * in->temperature[corner[k]];
    }
    s->temperature = fmax(s->temperature, 0);
    memcpy(s->strain, &in->strain[PL__TENSOR * (size_t)(carrier / pl__mesh_carriers(&in->mesh))], sizeof s->strain);
}

static pl__pour pour_of(const pl_world *world, const pl__melt *melt, inside *in)
{
    const pl__body *body = in->body;
    pl__pour p = {
        .liquid = melt->liquid, .volume = in->solid->volume, .distance = distance, .sample = sample, .user = in};
    double mass = 0;
    for (int32_t n = 0; n < body->node_count; ++n)
    {
        mass += body->mass[n];
        for (int a = 0; a < 3; ++a)
            p.velocity[a] += body->mass[n] * world->solids.state.v[3 * (size_t)(body->first_node + n) + (size_t)a];
    }
    for (int a = 0; a < 3; ++a)
    {
        p.velocity[a] /= mass;
        p.lower[a] = INFINITY, p.upper[a] = -INFINITY;
        for (int32_t n = 0; n < in->surface->node_count; ++n)
        {
            p.lower[a] = fmin(p.lower[a], in->surface->position[3 * (size_t)n + (size_t)a]);
            p.upper[a] = fmax(p.upper[a], in->surface->position[3 * (size_t)n + (size_t)a]);
        }
    }
    return p;
}

// ---- melting ---------------------------------------------------------------------------------------------------

static void tell_lost(pl_world *world, const char *name, double whole, double part)
{
    if (part >= whole * (1 - told_loss) || world->melting.told)
        return;
    pl__log(
        world->ctx, PL_LOG_WARNING,
        "bodies.%s: at %g s, when it became liquid, %.3g of its %.3g m^3 were outside the domain and are lost; make "
        "the box larger (domain.box)",
        name, world->state.time, whole - part, whole);
    world->melting.told = true;
}

// The arrays of the world without the body of a slot.
static pl_status leave(pl_world *world, int32_t index)
{
    pl__slot *slot = &world->bodies.slot[index];
    pl__body *body = slot->body;
    slot->body = NULL;
    pl_status status = pl__world_rebuild(world);
    if (status != PL_OK)
    {
        slot->body = body;
        return status;
    }
    slot->away = body;
    slot->version++;
    pl__events_forget(world, index);
    pl__grabs_forget(world, body);
    body->pins.grab_count = 0;
    pl__pin_groups_update(body);
    return PL_OK;
}

// All or nothing: the liquid keeps what has been poured once the body has left.
static pl_status become_liquid(pl_world *world, const pl__melt *melt)
{
    pl__world_liquids *w = &world->liquids;
    pl__slot *slot = &world->bodies.slot[melt->slot];
    inside in = {.body = slot->body};
    pl__pour_info info = {0};
    pl__obstacles obstacles = pl__liquid_objects_met(w);
    pl_status status = pl__liquid_refresh(w->liquid, &obstacles);
    if (status == PL_OK)
        status = make_inside(world, melt->slot, &in);
    pl__pour p = {0};
    if (status == PL_OK)
    {
        p = pour_of(world, melt, &in);
        status = pl__liquid_pour(w->liquid, &p, &obstacles, &info);
    }
    bool poured = status == PL_OK;
    if (poured && info.volume == 0)
        status = pl__fail(world->ctx, PL_ERR_STATE,
                          "bodies.%s: is outside the domain, or inside an object, where no "
                          "liquid can be",
                          slot->name);
    if (status == PL_OK)
        status = leave(world, melt->slot);
    if (poured)
        pl__liquid_pour_end(w->liquid, status == PL_OK);
    w->drawn = w->summed = w->drawn && status != PL_OK;
    release(&in);
    if (status == PL_OK)
        tell_lost(world, slot->name, p.volume, info.volume);
    return status;
}

// The part of a body that is as warm as its material melts.
static double melted_part(const pl_world *world, const pl__body *body)
{
    double whole = 0, warm = 0;
    for (int32_t g = 0; g < body->group_count && body->heat && body->heat->warm; ++g)
    {
        const pl__element_group *group = &body->group[g];
        for (int32_t i = 0; pl__element_type_of(group->kind)->solid && i < group->count; ++i)
        {
            double volume = pl__element_volume(group, i), melting = world->materials.def[group->material[i]].melting;
            whole += volume;
            warm += melting > 0 && pl__heat_of_element(body, group, i) >= melting * warm_enough ? volume : 0;
        }
    }
    return whole > 0 ? warm / whole : 0;
}

// Whether the center of a body is in the domain.
static bool is_in_domain(const pl_world *world, const pl__body *body)
{
    const pl__columns *c = &world->liquids.liquid->state.grid.cell;
    const int32_t cells[3] = {c->nx, c->ny, c->nz};
    bool in = true;
    for (int a = 0; a < 3; ++a)
    {
        double mass = 0, at = 0;
        for (int32_t n = 0; n < body->node_count; ++n)
        {
            mass += body->mass[n];
            at += body->mass[n] * world->solids.state.x[3 * (size_t)(body->first_node + n) + (size_t)a];
        }
        double cell = (at / mass - c->origin[a]) / c->h;
        in = in && cell >= -0.5 && cell < cells[a] - 0.5;
    }
    return in;
}

static bool is_due(const pl_world *world, const pl__melt *melt)
{
    const pl__body *body = world->bodies.slot[melt->slot].body;
    if (!body)
        return false;
    bool due =
        world->state.time >= melt->start || (melt->melted < INFINITY && melted_part(world, body) >= melt->melted);
    return due && is_in_domain(world, body);
}

pl_status pl__melting_advance(pl_world *world)
{
    if (world->state.pending.interval > 0)
        return PL_OK; // positions have not been corrected yet
    for (size_t i = 0; i < world->melting.count; ++i)
    {
        if (!is_due(world, &world->melting.melt[i]))
            continue;
        PL_TRY(pl__world_liquids_settle(world));
        PL_TRY(become_liquid(world, &world->melting.melt[i]));
    }
    return PL_OK;
}

static const pl__melt *melt_of(const pl_world *world, pl_body_id id)
{
    for (size_t i = 0; i < world->melting.count; ++i)
        if (world->melting.melt[i].slot == id.index - 1 && !world->melting.melt[i].sets)
            return &world->melting.melt[i];
    return NULL;
}

int32_t pl_body_melts(const pl_world *world, pl_body_id id)
{
    return world && pl__world_body(world, id) && melt_of(world, id) != NULL;
}

pl_status pl_world_melt(pl_world *world, pl_body_id id)
{
    if (!world)
        return PL_ERR_ARGUMENT;
    const pl__body *body = pl__world_body(world, id);
    if (!body)
        return PL_ERR_STATE;
    const pl__melt *melt = melt_of(world, id);
    const char *name = world->bodies.slot[id.index - 1].name;
    PL_CHECK_FIELD(world->ctx, melt, "bodies", name,
                   "no liquid of the scene is made of it; add one, such as \"liquids\": {\"melt\": {\"body\": \"%s\", "
                   "\"start\": 1e9}}",
                   name);
    PL_CHECK_FIELD(world->ctx, is_in_domain(world, body), "bodies", name,
                   "its center is outside the domain, where no liquid can be");
    uint64_t host = pl__fp_enter();
    pl_status status = pl__world_liquids_settle(world);
    if (status == PL_OK)
        status = become_liquid(world, melt);
    pl__fp_leave(host);
    return status;
}

// ---- section AWAY: which of the bodies that may melt are bodies ------------------------------------------------

static size_t bytes(const void *user) { return ((const pl_world *)user)->melting.count; }

static void write(const void *user, pl__section_writer *to)
{
    const pl_world *world = user;
    for (size_t i = 0; i < world->melting.count; ++i)
    {
        uint8_t here = world->bodies.slot[world->melting.melt[i].slot].body != NULL;
        pl__section_put(to, &here, 1);
    }
}

pl_status pl__melting_foresee(pl_world *world, const pl__section_reader *given)
{
    pl__section_reader reader = *given, *from = &reader;
    world->melting.loading = false;
    for (size_t i = 0; i < world->melting.count; ++i)
    {
        pl__melt *melt = &world->melting.melt[i];
        const pl__slot *slot = &world->bodies.slot[melt->slot];
        uint8_t here;
        PL_TRY(pl__section_get(from, &here, 1));
        if (here > 1 || (!slot->body && !slot->away && here))
            return pl__section_fail(from, "body %zu is neither there nor liquid", i);
        melt->here = here != 0;
        melt->moves = melt->here != (slot->body != NULL);
        world->melting.loading |= melt->moves;
    }
    return PL_OK;
}

bool pl__melting_comes(const pl_world *world, size_t slot)
{
    for (size_t i = 0; world->melting.loading && i < world->melting.count; ++i)
        if (world->melting.melt[i].slot == (int32_t)slot)
            return world->melting.melt[i].here;
    return world->bodies.slot[slot].body != NULL;
}

// Those that come or go change between their slot and its side; twice is not at all.
void pl__melting_exchange(pl_world *world)
{
    for (size_t i = 0; world->melting.loading && i < world->melting.count; ++i)
    {
        pl__slot *slot = &world->bodies.slot[world->melting.melt[i].slot];
        if (!world->melting.melt[i].moves)
            continue;
        pl__body *t = slot->body;
        slot->body = slot->away;
        slot->away = t;
    }
}

// Bodies that come need places to start from, which the section of bodies overwrites.
static pl_status make_start(pl__body *body)
{
    size_t numbers = 3 * (size_t)body->node_count;
    if (!body->start_position)
        body->start_position = PL_NEW(body->ctx, numbers, double);
    if (!body->start_velocity)
        body->start_velocity = PL_NEW(body->ctx, numbers, double);
    return body->start_position && body->start_velocity ? PL_OK : PL_ERR_MEMORY;
}

pl_status pl__melting_prepare(pl_world *world)
{
    for (size_t i = 0; world->melting.loading && i < world->melting.count; ++i)
        if (world->melting.melt[i].moves && world->melting.melt[i].here)
            PL_TRY(make_start(world->bodies.slot[world->melting.melt[i].slot].away));
    return PL_OK;
}

static pl_status read(void *user, pl__section_reader *from, bool apply)
{
    const pl_world *world = user;
    const char *flags;
    (void)apply; // the topology moves them
    return pl__section_view(from, world->melting.count, &flags);
}

static void end_load(void *user, bool loaded)
{
    pl_world *world = user;
    for (size_t i = 0; i < world->melting.count; ++i)
    {
        pl__slot *slot = &world->bodies.slot[world->melting.melt[i].slot];
        slot->version += loaded && world->melting.melt[i].moves;
        world->melting.melt[i].moves = false;
    }
    world->melting.loading = false;
}

const pl__section_type pl__melting_section = {
    .tag = "AWAY", .version = 1, .oldest = 1, .bytes = bytes, .write = write, .read = read, .end = end_load};

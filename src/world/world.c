// src/world/world.c -- creation of a world from a scene, and its bodies.
#include "world.h"
#include "bodies_stepper.h"
#include "node_gaps.h"
#include "base/cpu.h"
#include "math/euler.h"
#include "solid/heat.h"
#include "solid/incompressible.h"
#include "solid/pin.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double degree = 0.017453292519943295;

// ---- bodies ----------------------------------------------------------------------------------------------------

// Material index of every element.
static int32_t *list_materials(pl_context *ctx, const pl_body_def *def)
{
    const pl_mesh *mesh = def->mesh;
    int32_t *list = PL_NEW(ctx, mesh->element_count, int32_t);
    for (int32_t i = 0; list && i < mesh->element_count; ++i)
    {
        pl_material_id of_region =
            def->region_materials ? def->region_materials[mesh->element_region[i]] : def->material;
        list[i] = (def->element_materials ? def->element_materials[i] : of_region).index - 1;
    }
    return list;
}

// Create temperatures if they have any effect. Rest positions in engine order are needed only for that.
static pl_status make_heat(pl_world *world, const pl_body_def *def, pl__body *body)
{
    if (!pl__heat_matters(body, world->materials.def))
        return PL_OK;
    size_t numbers = 3 * (size_t)body->node_count;
    double *rest = PL_NEW(world->ctx, numbers, double);
    for (int32_t n = 0; rest && n < body->node_count; ++n)
        memcpy(&rest[3 * (size_t)n], &def->mesh->position[3 * (size_t)body->source_of_node[n]], 3 * sizeof *rest);
    pl_status status = rest ? pl__heat_create(body, world->materials.def, rest) : PL_ERR_MEMORY;
    PL_DELETE(world->ctx, rest, numbers);
    return status;
}

// `breathes`: its pressure has keyframes.
pl_status pl__world_make_body(pl_world *world, const pl_body_def *def, bool breathes, pl__body **body)
{
    pl_context *ctx = world->ctx;
    int32_t *element_material = list_materials(ctx, def);
    if (!element_material)
        return PL_ERR_MEMORY;
    pl__body_spec spec = {.mesh = def->mesh,
                          .element_material = element_material,
                          .material = world->materials.def,
                          .young_factor = def->young_factors,
                          .density_factor = def->density_factors,
                          .damping_factor = def->damping_factors,
                          .start = def->start_positions,
                          .planar = def->kind == PL_BODY_PLANAR,
                          .plane_stress = def->kind == PL_BODY_SHELL ||
                                          (def->kind == PL_BODY_PLANAR && def->plane == PL_PLANE_STRESS),
                          .thickness = def->thickness > 0           ? def->thickness
                                       : def->kind == PL_BODY_SHELL ? 1e-3
                                                                    : 1,
                          .shell = def->kind == PL_BODY_SHELL,
                          .woven = def->membrane == PL_MEMBRANE_WOVEN,
                          .springs = def->membrane == PL_MEMBRANE_SPRINGS,
                          .bending = def->bending == PL_BENDING_NONE ? 0 : def->bending_factor,
                          .hinges = def->bending == PL_BENDING_HINGES,
                          .skin = def->drag > 0 || def->pressure != 0 || def->gas || breathes,
                          .holds = def->pressure != 0 || def->gas || breathes,
                          .drag = def->drag,
                          .gas = def->gas != 0,
                          .normal = def->normals,
                          .fiber = def->fibers,
                          .goal = def->goal_positions,
                          .strength = def->strength,
                          .pressure = def->pressure,
                          .pins = def->pins,
                          .pin_count = def->pin_count,
                          .triangular = def->triangular_rest != 0,
                          .warped = world->solver.integrator == PL_INTEGRATOR_IMPLICIT_EULER};
    pl__euler_matrix(def->rotate, spec.rotation);
    for (int i = 0; i < 3; ++i)
    {
        spec.at[i] = def->at[i];
        spec.warp[i] = def->warp[i];
        spec.velocity[i] = def->velocity[i];
        spec.spin[i] = def->spin[i] * degree;
    }
    pl_status status = pl__body_create(ctx, &spec, body);
    PL_DELETE(ctx, element_material, def->mesh->element_count);
    if (status == PL_OK)
    {
        (*body)->air.outside = world->air.pressure;
        (*body)->state.toughness = def->toughness;
        (*body)->state.volume = def->volume;
        status = make_heat(world, def, *body);
    }
    if (status != PL_OK)
        pl__body_destroy(body);
    return status;
}

static pl__pin_spec pin_spec(const pl_pin_def *def)
{
    pl__pin_spec spec = {.nodes = def->nodes,
                         .count = def->count,
                         .strength = def->strength,
                         .soft = def->soft,
                         .pivot_at_center = def->pivot_at_center != 0,
                         .cache = def->cache,
                         .cache_count = def->cache_count,
                         .cache_start = def->cache_start,
                         .cache_rate = def->cache_rate};
    memcpy(spec.pose.move, def->move, sizeof spec.pose.move);
    memcpy(spec.pose.rotate, def->rotate, sizeof spec.pose.rotate);
    memcpy(spec.pivot, def->pivot, sizeof spec.pivot);
    return spec;
}

pl_status pl__world_make_pins(pl_world *world, const pl_pin_def *pin, size_t count, pl__body *body)
{
    pl__pin_spec *spec = PL_NEW(world->ctx, count, pl__pin_spec);
    if (!spec)
        return PL_ERR_MEMORY;
    for (size_t i = 0; i < count; ++i)
        spec[i] = pin_spec(&pin[i]);
    pl_status status = pl__pin_groups_create(body, spec, (int32_t)count);
    PL_DELETE(world->ctx, spec, count);
    return status;
}

static void release_start(pl__body *body)
{
    PL_DELETE(body->ctx, body->start_position, 3 * (size_t)body->node_count);
    PL_DELETE(body->ctx, body->start_velocity, 3 * (size_t)body->node_count);
}

pl_status pl__world_rebuild(pl_world *world)
{
    pl_context *ctx = world->ctx;
    int32_t count = 0;
    int64_t nodes = 0, forces = 0;
    for (size_t i = 0; i < world->bodies.slot_count; ++i)
        if (world->bodies.slot[i].body)
        {
            ++count;
            nodes += world->bodies.slot[i].body->node_count;
            for (int32_t g = 0; g < world->bodies.slot[i].body->group_count; ++g)
                forces += (int64_t)world->bodies.slot[i].body->group[g].count *
                          pl__element_type_of(world->bodies.slot[i].body->group[g].kind)->corners;
        }
    // array lengths are 32-bit
    PL_CHECK(ctx, nodes < INT32_MAX / 3 - 64 && forces < INT32_MAX / 3,
             "%lld nodes and %lld corners of elements are more than one world can hold (%d and %d)", (long long)nodes,
             (long long)forces, INT32_MAX / 3 - 64, INT32_MAX / 3);
    pl__body **body = PL_NEW(ctx, count, pl__body *);
    if (!body)
        return PL_ERR_MEMORY;
    count = 0;
    for (size_t i = 0; i < world->bodies.slot_count; ++i)
        if (world->bodies.slot[i].body)
            body[count++] = world->bodies.slot[i].body;
    pl__solids solids = {0};
    pl__clash *clash;
    double *friction_table = NULL;
    size_t friction_table_length = 0;
    pl_status status = pl__collision_prepare(world, &clash);
    if (status == PL_OK)
        status = pl__friction_reserve(world, count, &friction_table, &friction_table_length);
    if (status == PL_OK)
        status = pl__solids_create(ctx, body, count, (int32_t)world->objects.count, &world->solids, &solids);
    if (status != PL_OK)
    {
        pl__clash_destroy(&clash);
        PL_DELETE(ctx, friction_table, friction_table_length);
        PL_DELETE(ctx, body, count);
        return status;
    }
    solids.state.plastic_due = world->solids.state.plastic_due;
    solids.state.plastic_dt = world->solids.state.plastic_dt;
    solids.evaluation.chunks = world->solids.evaluation.chunks;
    PL_DELETE(ctx, world->bodies.body, world->solids.body_count);
    pl__solids_destroy(&world->solids);
    pl__clash_destroy(&world->collision.clash);
    PL_DELETE(ctx, world->pair_friction.table, world->pair_friction.table_length);
    world->bodies.body = body;
    world->solids = solids;
    world->collision.clash = clash;
    world->pair_friction.table = friction_table;
    world->pair_friction.table_length = friction_table_length;
    pl__friction_spread(world);
    world->limits.stale = true;
    world->state.pending.interval = 0; // a new interval begins at the current positions
    world->contacts.last = 0;
    pl__sleep_wake_all(world);
    for (int32_t i = 0; i < count; ++i)
        release_start(body[i]);
    pl__actors_place(world);
    // Reserve the scratch of a step now; where that fails, the step does.
    bool euler = world->solver.integrator == PL_INTEGRATOR_IMPLICIT_EULER;
    if (pl__solids_begin_step(&world->solids, &world->arena, euler || clash, euler) == PL_OK)
        pl__solids_end_step(&world->solids);
    return PL_OK;
}

pl_body_id pl_world_find_body(const pl_world *world, const char *name)
{
    if (!world || !name)
        return (pl_body_id){0};
    for (size_t i = 0; i < world->bodies.slot_count; ++i)
        if (world->bodies.slot[i].body && strcmp(world->bodies.slot[i].name, name) == 0)
            return (pl_body_id){(int32_t)i + 1};
    return (pl_body_id){0};
}

static void release_slot(pl_world *world, pl__slot *slot)
{
    if (pl__slot_body(slot))
        pl__body_shape_done(world->ctx, pl__slot_body(slot), &slot->shape);
    pl__body_destroy(&slot->body);
    pl__body_destroy(&slot->away);
    pl__world_fracture_release(world, slot);
}

static pl_status make_shape(pl_world *world, const char *name, const pl_body_def *def, bool breaks, pl__slot *slot)
{
    if (breaks && def->surface)
        PL_TRY(pl__torn_surface_create(world->ctx, name, def, &slot->torn_surface));
    return pl__body_shape_create(
        world->ctx, &(pl__shape_input){name, def, slot->body, breaks, NULL, slot->torn_surface}, &slot->shape);
}

// Create a body in a new slot, not yet in the arrays.
static pl_status add_slot(pl_world *world, const char *name, const pl_body_def *def, bool breathes)
{
    pl__material_list materials = {world->materials.def, world->materials.count, sizeof *world->materials.def};
    PL_TRY(pl__body_def_check(world->ctx, name, def, &materials));
    for (size_t i = 0; i < world->bodies.slot_count; ++i)
        PL_CHECK_FIELD(world->ctx,
                       !pl__slot_body(&world->bodies.slot[i]) || strcmp(world->bodies.slot[i].name, name) != 0,
                       "bodies", name, "there is one of that name already");
    if (!PL_GROW(world->ctx, world->bodies.slot, &world->bodies.slot_capacity, world->bodies.slot_count + 1))
        return PL_ERR_MEMORY;
    pl__slot *slot = &world->bodies.slot[world->bodies.slot_count];
    *slot = (pl__slot){.version = 1,
                       .breathes = breathes,
                       .material = def->material.index > 0 ? def->material.index - 1 : 0,
                       .collision = {def->self_collision != 0, def->collides != 0, def->collision_thickness,
                                     def->kind != PL_BODY_SHELL ? 0
                                     : def->thickness > 0       ? def->thickness
                                                                : 1e-3,
                                     def->friction}};
    pl_status created = pl__world_make_body(world, def, breathes, &slot->body);
    if (created == PL_OK && slot->body->rings && world->solver.integrator == PL_INTEGRATOR_IMPLICIT_EULER)
    {
        pl__body_destroy(&slot->body);
        return pl__fail_path(world->ctx, PL_ERR_ARGUMENT, "solver.integrator",
                             "implicit_euler cannot keep the volume of bodies.%s yet; take semi_implicit, or leave "
                             "\"incompressible\" out of its material",
                             name);
    }
    if (created == PL_ERR_ARGUMENT)
    {
        char owner[PL_NAME_BYTES + 16];
        snprintf(owner, sizeof owner, "bodies.%s", name);
        return pl__fail_within(world->ctx, created, owner);
    }
    PL_TRY(created);
    pl_status status = make_shape(world, name, def, pl__body_def_breaks(def, &materials), slot);
    if (status != PL_OK)
    {
        pl__body_destroy(&slot->body);
        pl__torn_surface_destroy(&slot->torn_surface);
        return status;
    }
    strcpy(slot->name, name);
    world->bodies.slot_count++;
    return PL_OK;
}

// Create pin groups and the fracture state.
static pl_status complete_slot(pl_world *world, size_t slot, const pl_body_def *def, const pl_pin_def *pin,
                               size_t pin_count)
{
    PL_TRY(pl__world_make_pins(world, pin, pin_count, world->bodies.slot[slot].body));
    return pl__world_fracture_prepare(world, slot, def, pin, pin_count);
}

// Warn of bodies that start inside an object: contact will push them out violently.
static void warn_inside(const pl_world *world, const pl__slot *slot)
{
    const pl__body *body = slot->body;
    for (size_t k = 0; k < world->objects.count; ++k)
    {
        double deepest = 0, normal[3];
        int32_t count = 0;
        const pl__object *object = &world->objects.object[k];
        if (object->absent || (object->own_end > 0 && object->own_begin == body->first_node)) // the object is this body
            continue;
        for (int32_t n = 0; n < body->node_count; ++n)
        {
            double distance = pl__object_distance(&world->objects.object[k],
                                                  &world->solids.state.x[3 * (size_t)(body->first_node + n)], normal);
            count += distance < -1e-9;
            deepest = fmin(deepest, distance);
        }
        if (count)
            pl__log(world->ctx, PL_LOG_WARNING,
                    "bodies.%s: %d nodes start up to %g m inside objects.%s and will be thrown out", slot->name, count,
                    -deepest, world->objects.name[k]);
    }
}

static pl_status add_body(pl_world *world, const char *name, const pl_body_def *def)
{
    PL_TRY(add_slot(world, name, def, false));
    pl_status status = complete_slot(world, world->bodies.slot_count - 1, def, NULL, 0);
    if (status == PL_OK)
        status = pl__world_rebuild(world);
    if (status != PL_OK)
        release_slot(world, &world->bodies.slot[--world->bodies.slot_count]);
    else
        warn_inside(world, &world->bodies.slot[world->bodies.slot_count - 1]);
    return status;
}

pl_status pl_world_add_body(pl_world *world, const char *name, const pl_body_def *def, pl_body_id *id)
{
    if (!world)
        return PL_ERR_ARGUMENT;
    uint64_t host = pl__fp_enter();
    pl_status status = add_body(world, name, def);
    pl__fp_leave(host);
    if (status == PL_OK && id)
        id->index = (int32_t)world->bodies.slot_count;
    return status;
}

pl__body *pl__world_body(const pl_world *world, pl_body_id id)
{
    bool known = id.index >= 1 && (size_t)id.index <= world->bodies.slot_count;
    pl__body *body = known ? world->bodies.slot[id.index - 1].body : NULL;
    if (!body)
        (void)pl__fail(world->ctx, PL_ERR_STATE,
                       !known                                  ? "body %d does not exist"
                       : world->bodies.slot[id.index - 1].away ? "body %d is liquid"
                                                               : "body %d was removed",
                       id.index);
    return body;
}

pl_status pl_world_remove_body(pl_world *world, pl_body_id id)
{
    if (!world)
        return PL_ERR_ARGUMENT;
    pl__body *body = pl__world_body(world, id);
    if (!body)
        return PL_ERR_STATE;
    world->bodies.slot[id.index - 1].body = NULL;
    pl_status status = pl__world_rebuild(world);
    if (status != PL_OK)
    {
        world->bodies.slot[id.index - 1].body = body;
        return status;
    }
    pl__events_forget(world, id.index - 1);
    pl__grabs_forget(world, body);
    pl__body_shape_done(world->ctx, body, &world->bodies.slot[id.index - 1].shape);
    pl__body_destroy(&body);
    pl__world_fracture_release(world, &world->bodies.slot[id.index - 1]);
    return PL_OK;
}

// ---- creation and destruction ----------------------------------------------------------------------------------

static pl_status copy_materials(pl_world *world, const pl_scene *scene)
{
    world->materials.count = scene->material_count;
    world->materials.def = PL_NEW(world->ctx, scene->material_count, pl_material_def);
    world->materials.name = pl__calloc(world->ctx, scene->material_count, PL_NAME_BYTES);
    if (!world->materials.def || !world->materials.name)
        return PL_ERR_MEMORY;
    for (size_t i = 0; i < scene->material_count; ++i)
    {
        world->materials.def[i] = scene->material[i].def;
        memcpy(world->materials.name[i], scene->material[i].name, PL_NAME_BYTES);
    }
    return PL_OK;
}

static pl_status copy_objects(pl_world *world, const pl_scene *scene)
{
    size_t count = world->objects.count = scene->object_count;
    world->objects.object = PL_NEW(world->ctx, count, pl__object);
    world->objects.shape = PL_NEW(world->ctx, count, pl__shape *);
    world->objects.name = pl__calloc(world->ctx, count, PL_NAME_BYTES);
    world->objects.target = pl__calloc(world->ctx, count, sizeof *world->objects.target);
    world->objects.aim = PL_NEW(world->ctx, count, uint8_t);
    if (!world->objects.object || !world->objects.shape || !world->objects.name || !world->objects.target ||
        !world->objects.aim)
        return PL_ERR_MEMORY;
    for (size_t i = 0; i < count; ++i)
    {
        const pl_object_def *def = &scene->object[i].def;
        pl__object *object = &world->objects.object[i];
        memcpy(world->objects.name[i], scene->object[i].name, PL_NAME_BYTES);
        PL_TRY(pl__shape_create(world->ctx, def, &world->objects.shape[i]));
        object->shape = world->objects.shape[i];
        memcpy(object->at, def->at, sizeof object->at);
        memcpy(object->velocity, def->velocity, sizeof object->velocity);
        bool turned = def->rotate[0] != 0 || def->rotate[1] != 0 || def->rotate[2] != 0;
        object->turned = pl_quat_identity();
        if (turned)
            pl__object_turn(object, pl_quat_from_degrees(def->rotate));
        for (int k = 0; k < 3; ++k)
            object->angular[k] = degree * def->spin[k];
        object->friction = def->friction;
    }
    return PL_OK;
}

static bool has_keys(const pl_scene *scene, pl__keyed what, int32_t index)
{
    for (size_t i = 0; i < scene->track_count; ++i)
        if (scene->track[i].what == what && scene->track[i].index == index)
            return true;
    return false;
}

static pl_status compile(pl_world *world, const pl_scene *scene)
{
    memcpy(world->state.gravity, scene->gravity, sizeof world->state.gravity);
    memcpy(world->state.wind, scene->air.wind, sizeof world->state.wind);
    world->air = scene->air;
    world->solver = scene->solver;
    PL_TRY(copy_materials(world, scene));
    PL_TRY(pl__limits_prepare(world));
    PL_TRY(copy_objects(world, scene));
    for (size_t i = 0; i < scene->body_count; ++i)
    {
        PL_TRY(
            add_slot(world, scene->body[i].name, &scene->body[i].def, has_keys(scene, PL__KEYED_PRESSURE, (int32_t)i)));
        PL_TRY(complete_slot(world, i, &scene->body[i].def, scene->body[i].pin, scene->body[i].pin_count));
    }
    PL_TRY(pl__heat_sources_copy(world, scene));
    PL_TRY(pl__world_liquids_copy(world, scene));
    PL_TRY(pl__keyframes_copy(world, scene));
    PL_TRY(pl__friction_copy(world, scene));
    PL_TRY(pl__actors_create(world));
    PL_TRY(pl__node_gaps_create(world));
    PL_TRY(pl__world_rebuild(world));
    PL_TRY(pl__events_reserve(world));
    PL_TRY(pl__steppers_make(world, scene));
    pl__keyframes_place(world);
    pl__actors_place(world);
    pl__keyframes_apply(world);
    PL_TRY(pl__world_liquids_make(world, scene));
    PL_TRY(pl__melting_create(world, scene));
    PL_TRY(pl__settings_create(world, scene));
    PL_TRY(pl__melting_advance(world));
    PL_TRY(pl__settings_advance(world));
    for (size_t i = 0; i < world->bodies.slot_count; ++i)
        if (world->bodies.slot[i].body)
            warn_inside(world, &world->bodies.slot[i]);
    pl__node_gaps_warn(world);
    PL_TRY(pl__limits_update(world));
    return pl__overlap_report(world);
}

pl_status pl_world_create(const pl_scene *scene, pl_world **out)
{
    if (!scene || !out)
        return PL_ERR_ARGUMENT;
    *out = NULL;
    pl_world *world = PL_NEW(scene->ctx, 1, pl_world);
    if (!world)
        return PL_ERR_MEMORY;
    world->ctx = scene->ctx;
    pl__arena_init(&world->arena, world->ctx);
    uint64_t host = pl__fp_enter();
    pl_status status = pl__steppers_add(world, &pl__bodies_stepper, world);
    if (status == PL_OK)
        status = pl__incompressible_register(world->ctx, &world->stages, &world->solids);
    if (status == PL_OK)
        status = pl__limits_register(world);
    if (status == PL_OK)
        status = pl__collision_register(world);
    if (status == PL_OK)
        status = pl__world_register_sections(world);
    if (status == PL_OK)
        status = compile(world, scene);
    pl__fp_leave(host);
    if (status != PL_OK)
        pl_world_destroy(&world);
    *out = world;
    return status;
}

void pl_world_destroy(pl_world **out)
{
    if (!out)
        return;
    pl_world *world = *out;
    if (!world)
        return;
    pl_context *ctx = world->ctx;
    pl__steppers_destroy(world);
    PL_DELETE(ctx, world->liquids.kind, world->liquids.source_room + 1);
    PL_DELETE(ctx, world->melting.melt, world->melting.room);
    pl__settings_destroy(world);
    pl__arena_done(&world->arena);
    PL_DELETE(ctx, world->contacts.record, world->contacts.capacity);
    PL_DELETE(ctx, world->objects.middle, world->objects.count);
    PL_DELETE(ctx, world->pair_friction.table, world->pair_friction.table_length);
    PL_DELETE(ctx, world->pair_friction.pair, world->pair_friction.count);
    PL_DELETE(ctx, world->heat_sources.source, world->heat_sources.count);
    PL_DELETE(ctx, world->bodies.body, world->solids.body_count);
    pl__limits_destroy(world);
    pl__solids_destroy(&world->solids);
    pl__clash_destroy(&world->collision.clash);
    for (size_t i = 0; i < world->bodies.slot_count; ++i)
        release_slot(world, &world->bodies.slot[i]);
    PL_DELETE(ctx, world->bodies.slot, world->bodies.slot_capacity);
    PL_DELETE(ctx, world->materials.def, world->materials.count);
    PL_DELETE(ctx, world->materials.name, world->materials.count);
    pl__actors_destroy(world);
    for (size_t i = 0; world->objects.shape && i < world->objects.count; ++i)
        pl__shape_destroy(&world->objects.shape[i]);
    PL_DELETE(ctx, world->objects.shape, world->objects.count);
    PL_DELETE(ctx, world->objects.object, world->objects.count);
    PL_DELETE(ctx, world->objects.name, world->objects.count);
    PL_DELETE(ctx, world->objects.target, world->objects.count);
    PL_DELETE(ctx, world->objects.aim, world->objects.count);
    for (size_t i = 0; i < world->keyframes.count; ++i)
        pl__track_release(ctx, &world->keyframes.track[i]);
    PL_DELETE(ctx, world->keyframes.track, world->keyframes.count);
    PL_DELETE(ctx, world, 1);
    *out = NULL;
}

double pl_world_time(const pl_world *world) { return world ? world->state.time : 0; }
double pl_world_pending(const pl_world *world) { return world ? world->state.pending.remaining : 0; }

// src/scene/scene.c -- the editable description: checks at the door, copies inside.
#include "scene.h"
#include "base/cpu.h"
#include "contact/shape.h"
#include "material/material.h"
#include "material/plastic.h"
#include "math/quat.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum
{
    SOLVER_COOKIE = 0x506c7331,
    BODY_COOKIE = 0x506c6231,
    OBJECT_COOKIE = 0x506c6f31,
    AIR_COOKIE = 0x506c6131,
    HEAT_COOKIE = 0x506c6831
};

static double largest3(const double v[3]) { return fmax(fmax(fabs(v[0]), fabs(v[1])), fabs(v[2])); }
bool pl__finite3(const double v[3]) { return isfinite(v[0]) && isfinite(v[1]) && isfinite(v[2]); }
bool pl__within3(const double v[3], double limit) { return pl__finite3(v) && largest3(v) <= limit; }

pl_status pl__name_check(pl_context *ctx, const char *what, const char *name)
{
    PL_CHECK(ctx, name && name[0], "a %s needs a name", what);
    size_t length = strlen(name);
    PL_CHECK(ctx, length < PL_NAME_BYTES, "%s name \"%.20s...\": %zu characters are more than %d", what, name, length,
             PL_NAME_BYTES - 1);
    size_t good = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
    PL_CHECK(ctx, good == length, "%s name \"%s\": '%c' is not a letter, digit, '_' or '-'", what, name, name[good]);
    return PL_OK;
}

pl_status pl_scene_create(pl_context *ctx, pl_scene **out)
{
    if (!ctx || !out)
        return PL_ERR_ARGUMENT;
    *out = NULL;
    pl_scene *scene = PL_NEW(ctx, 1, pl_scene);
    if (!scene)
        return PL_ERR_MEMORY;
    scene->ctx = ctx;
    scene->gravity[1] = -9.81;
    scene->solver = pl_solver_def_default();
    scene->air = pl_air_def_default();
    scene->shot = (pl_shot){.frames = 120, .fps = 24, .time_scale = 1};
    *out = scene;
    return PL_OK;
}

enum
{
    BODY_ARRAYS = 10
};

typedef struct
{
    size_t offset, bytes;
} body_array;

// Every array that a body's definition points to: where the pointer is, and how long it is for the definition's mesh.
static void list_arrays(const pl_body_def *def, body_array list[BODY_ARRAYS])
{
    size_t regions = (size_t)pl_mesh_region_count(def->mesh), elements = (size_t)pl_mesh_element_count(def->mesh);
    size_t nodes = (size_t)pl_mesh_node_count(def->mesh);
    body_array all[BODY_ARRAYS] = {
        {offsetof(pl_body_def, region_materials), regions * sizeof(pl_material_id)},
        {offsetof(pl_body_def, pins), (size_t)def->pin_count * sizeof(int32_t)},
        {offsetof(pl_body_def, element_materials), elements * sizeof(pl_material_id)},
        {offsetof(pl_body_def, young_factors), elements * sizeof(double)},
        {offsetof(pl_body_def, density_factors), elements * sizeof(double)},
        {offsetof(pl_body_def, damping_factors), elements * sizeof(double)},
        {offsetof(pl_body_def, normals), 3 * elements * sizeof(double)},
        {offsetof(pl_body_def, fibers), 3 * elements * sizeof(double)},
        {offsetof(pl_body_def, goal_positions), 3 * nodes * sizeof(double)},
        {offsetof(pl_body_def, start_positions), 3 * nodes * sizeof(double)},
    };
    memcpy(list, all, sizeof all);
}

static void *get_array(const pl_body_def *def, size_t offset)
{
    void *array;
    memcpy(&array, (const char *)def + offset, sizeof array);
    return array;
}

static void set_array(pl_body_def *def, size_t offset, void *array)
{
    memcpy((char *)def + offset, &array, sizeof array);
}

void pl__scene_body_release(pl_context *ctx, pl__scene_body *body)
{
    pl_body_def *def = &body->def;
    body_array list[BODY_ARRAYS];
    if (def->mesh)
        list_arrays(def, list);
    for (int i = 0; def->mesh && i < BODY_ARRAYS; ++i)
        pl__free(ctx, get_array(def, list[i].offset), list[i].bytes);
    for (size_t i = 0; i < body->pin_count; ++i)
        pl__pin_def_release(ctx, &body->pin[i]);
    PL_DELETE(ctx, body->pin, body->pin_capacity);
    pl_mesh *mesh = (pl_mesh *)def->mesh;
    if (mesh)
        pl_mesh_destroy(&mesh);
    pl_surface *surface = (pl_surface *)def->surface;
    pl_surface_destroy(&surface);
    *def = (pl_body_def){0};
}

void pl_scene_destroy(pl_scene **out)
{
    if (!out)
        return;
    pl_scene *scene = *out;
    if (!scene)
        return;
    pl_context *ctx = scene->ctx;
    for (size_t i = 0; i < scene->body_count; ++i)
        pl__scene_body_release(ctx, &scene->body[i]);
    for (size_t i = 0; i < scene->track_count; ++i)
        pl__track_release(ctx, &scene->track[i]);
    PL_DELETE(ctx, scene->track, scene->track_capacity);
    PL_DELETE(ctx, scene->rub, scene->rub_capacity);
    PL_DELETE(ctx, scene->heat, scene->heat_capacity);
    PL_DELETE(ctx, scene->body, scene->body_capacity);
    PL_DELETE(ctx, scene->material, scene->material_capacity);
    for (size_t i = 0; i < scene->object_count; ++i)
        pl__shape_def_release(ctx, &scene->object[i].def);
    PL_DELETE(ctx, scene->object, scene->object_capacity);
    PL_DELETE(ctx, scene, 1);
    *out = NULL;
}

void pl_points_rotate(const double degrees[3], double *points, int32_t count)
{
    uint64_t host = pl__fp_enter();
    pl_quat turned = pl_quat_from_degrees(degrees);
    for (int32_t i = 0; i < count; ++i, points += 3)
    {
        pl_vec3 p = pl_quat_turn(turned, pl_make3(points[0], points[1], points[2]));
        memcpy(points, p.v, sizeof p.v);
    }
    pl__fp_leave(host);
}

pl_shot pl_scene_shot(const pl_scene *scene) { return scene ? scene->shot : (pl_shot){0}; }

pl_status pl_scene_set_gravity(pl_scene *scene, const double gravity[3])
{
    if (!scene || !gravity)
        return PL_ERR_ARGUMENT;
    PL_CHECK(scene->ctx, pl__finite3(gravity), "gravity: (%g, %g, %g) must be finite", gravity[0], gravity[1],
             gravity[2]);
    memcpy(scene->gravity, gravity, sizeof scene->gravity);
    return PL_OK;
}

pl_air_def pl_air_def_default(void) { return (pl_air_def){.density = 1.2, .pressure = 101325, .cookie = AIR_COOKIE}; }

pl_status pl_scene_set_air(pl_scene *scene, const pl_air_def *def)
{
    if (!scene)
        return PL_ERR_ARGUMENT;
    pl_context *ctx = scene->ctx;
    PL_CHECK(ctx, def && def->cookie == AIR_COOKIE, "air: start from pl_air_def_default()");
    PL_CHECK(ctx, pl__within3(def->wind, 1e6), "air.wind: (%g, %g, %g) m/s must be within 1e6", def->wind[0],
             def->wind[1], def->wind[2]);
    PL_CHECK(ctx, def->density >= 0 && def->density <= 1e6, "air.density: %g kg/m^3 must be in [0, 1e6]", def->density);
    PL_CHECK(ctx, def->pressure >= 0 && def->pressure <= 1e12, "air.pressure: %g Pa must be in [0, 1e12]",
             def->pressure);
    scene->air = *def;
    return PL_OK;
}

pl_solver_def pl_solver_def_default(void)
{
    return (pl_solver_def){.collision_interval = 1.0 / 60,
                           .safety = 0.9,
                           .tolerance = 1e-4,
                           .iterations = 200,
                           .newton_tolerance = 0.01,
                           .sleep_speed = 0.005,
                           .sleep_time = 0.5,
                           .fracture_interval = 1.0 / 960,
                           .cookie = SOLVER_COOKIE};
}

// What only one of the integrators has.
static pl_status check_integrator(pl_context *ctx, const pl_solver_def *def)
{
    PL_CHECK(ctx, (unsigned)def->integrator <= PL_INTEGRATOR_IMPLICIT_EULER,
             "solver.integrator: %d is not a pl_integrator", (int)def->integrator);
    PL_CHECK(ctx, def->newton >= 0 && def->newton <= 1000, "solver.newton: %d must be in [0, 1000]", def->newton);
    PL_CHECK(ctx, def->newton_tolerance >= 0 && def->newton_tolerance <= 1,
             "solver.newton_tolerance: %g must be in [0, 1]", def->newton_tolerance);
    PL_CHECK(ctx, def->mass_damping >= 0 && def->mass_damping <= 1e6, "solver.mass_damping: %g 1/s must be in [0, 1e6]",
             def->mass_damping);
    bool euler = def->integrator == PL_INTEGRATOR_IMPLICIT_EULER;
    PL_CHECK(ctx, euler || def->mass_damping == 0,
             "solver.mass_damping: %g 1/s needs the integrator implicit_euler; semi_implicit has none",
             def->mass_damping);
    PL_CHECK(ctx, euler || def->newton == 0,
             "solver.newton: %d needs the integrator implicit_euler; semi_implicit has no such iterations",
             def->newton);
    PL_CHECK(ctx, !euler || def->velocity_update == PL_VELOCITY_MIDPOINT,
             "solver.velocity_update: trapezoid is of the integrator semi_implicit; leave it out for implicit_euler");
    PL_CHECK(ctx, !euler || def->object_contact == PL_CONTACT_EXACT,
             "solver.object_contact: projected is of the integrator semi_implicit; leave it out for implicit_euler");
    return PL_OK;
}

pl_status pl_scene_set_solver(pl_scene *scene, const pl_solver_def *def)
{
    if (!scene)
        return PL_ERR_ARGUMENT;
    pl_context *ctx = scene->ctx;
    PL_CHECK(ctx, def && def->cookie == SOLVER_COOKIE, "solver: start from pl_solver_def_default()");
    PL_CHECK(ctx, (unsigned)def->velocity_update <= PL_VELOCITY_TRAPEZOID,
             "solver.velocity_update: %d is not a pl_velocity_update", (int)def->velocity_update);
    PL_CHECK(ctx, (unsigned)def->object_contact <= PL_CONTACT_PROJECTED,
             "solver.object_contact: %d is not a pl_object_contact", (int)def->object_contact);
    PL_CHECK(ctx, def->substep == 0 || (def->substep >= 1e-9 && def->substep <= 1e6),
             "solver.substep: %g s must be 0, or in [1e-9, 1e6]", def->substep);
    PL_CHECK(ctx, def->safety >= 1e-6 && def->safety <= 1, "solver.safety: %g must be in [1e-6, 1]", def->safety);
    PL_CHECK(ctx, def->collision_interval >= 1e-6 && def->collision_interval <= 1e6,
             "solver.collision_interval: %g s must be in [1e-6, 1e6]", def->collision_interval);
    PL_CHECK(ctx, def->tolerance >= 1e-14 && def->tolerance <= 0.1, "solver.tolerance: %g must be in [1e-14, 0.1]",
             def->tolerance);
    PL_CHECK(ctx, def->iterations >= 1 && def->iterations <= 100000, "solver.iterations: %d must be in [1, 100000]",
             def->iterations);
    PL_CHECK(ctx, def->sleep == 0 || def->sleep == 1, "solver.sleep: %d must be 0 or 1", def->sleep);
    PL_CHECK(ctx, def->sleep_speed >= 0 && def->sleep_speed <= 1e6,
             "solver.sleep_speed: %g m/s must be at least 0 and at most 1e6", def->sleep_speed);
    PL_CHECK(ctx, def->sleep_time >= 0 && def->sleep_time <= 1e6,
             "solver.sleep_time: %g s must be at least 0 and at most 1e6", def->sleep_time);
    PL_CHECK(ctx, def->fracture_interval >= 0 && def->fracture_interval <= 1e6,
             "solver.fracture_interval: %g s must be at least 0 and at most 1e6", def->fracture_interval);
    PL_TRY(check_integrator(ctx, def));
    scene->solver = *def;
    return PL_OK;
}

pl_status pl_scene_add_material(pl_scene *scene, const char *name, const pl_material_def *def, pl_material_id *id)
{
    if (!scene)
        return PL_ERR_ARGUMENT;
    pl_context *ctx = scene->ctx;
    PL_TRY(pl__name_check(ctx, "material", name));
    char path[PL_NAME_BYTES + 16];
    snprintf(path, sizeof path, "materials.%s", name);
    PL_TRY(pl__material_check(ctx, def, path));
    for (size_t i = 0; i < scene->material_count; ++i)
        PL_CHECK(ctx, strcmp(scene->material[i].name, name) != 0, "materials.%s: there is one of that name already",
                 name);
    if (!PL_GROW(ctx, scene->material, &scene->material_capacity, scene->material_count + 1))
        return PL_ERR_MEMORY;
    pl__scene_material *m = &scene->material[scene->material_count++];
    strcpy(m->name, name);
    m->def = *def;
    if (id)
        id->index = (int32_t)scene->material_count;
    return PL_OK;
}

pl_body_def pl_body_def_default(void)
{
    return (pl_body_def){.strength = 1,
                         .bending_factor = 1,
                         .warp = {1, 0, 0},
                         .collides = 1,
                         .self_collision = 1,
                         .friction = 0.3,
                         .toughness = 1,
                         .smallest_piece = 8,
                         .cookie = BODY_COOKIE};
}

// One of the materials that a body is made of.
static pl_status check_material_id(pl_context *ctx, const char *name, const pl_body_def *body, pl_material_id id,
                                   const pl__material_list *materials)
{
    PL_CHECK(
        ctx, id.index >= 1 && (size_t)id.index <= materials->count,
        "bodies.%s.material: %d is not a material of this scene, which has %zu; take the id from pl_scene_add_material",
        name, id.index, materials->count);
    const pl_material_def *def =
        (const void *)((const char *)materials->first + (size_t)(id.index - 1) * materials->stride);
    PL_CHECK(ctx, body->kind == PL_BODY_SOLID || def->fiber_strength == 0,
             "bodies.%s.material: has fibres (fiber_strength %g Pa), which only solids can have", name,
             def->fiber_strength);
    PL_CHECK(ctx, body->membrane == PL_MEMBRANE_CONTINUUM || def->yield_strain == 0,
             "bodies.%s.material: flows (yield_strain %g), which needs the continuum membrane", name,
             def->yield_strain);
    PL_CHECK(ctx, body->membrane == PL_MEMBRANE_CONTINUUM || def->kind != PL_MATERIAL_CUSTOM,
             "bodies.%s.material: a custom law needs the continuum membrane", name);
    PL_CHECK(ctx, body->kind == PL_BODY_SOLID || def->kind != PL_MATERIAL_LINEAR,
             "bodies.%s.material: linear is for solids only; take rotated_linear", name);
    PL_CHECK(ctx, body->kind == PL_BODY_SOLID || def->plastic_form != PL_PLASTIC_ADDITIVE,
             "bodies.%s.material: additive plastic_form is for solids only; take multiplicative", name);
    return body->goal_positions ? pl__plastic_goal_check(ctx, def, name) : PL_OK;
}

// Which materials its elements are of.
static pl_status check_materials(pl_context *ctx, const char *name, const pl_body_def *def,
                                 const pl__material_list *materials)
{
    if (def->element_materials)
    {
        for (int32_t i = 0; i < pl_mesh_element_count(def->mesh); ++i)
            PL_TRY(check_material_id(ctx, name, def, def->element_materials[i], materials));
        return PL_OK;
    }
    if (!def->region_materials)
        return check_material_id(ctx, name, def, def->material, materials);
    for (int32_t i = 0; i < pl_mesh_region_count(def->mesh); ++i)
        PL_TRY(check_material_id(ctx, name, def, def->region_materials[i], materials));
    return PL_OK;
}

static pl_status check_factors(pl_context *ctx, const char *name, const char *field, const pl_body_def *def,
                               const double *factors, double least)
{
    for (int32_t i = 0; factors && i < pl_mesh_element_count(def->mesh); ++i)
        PL_CHECK(ctx, factors[i] >= least && factors[i] <= 1e9, "bodies.%s.%s[%d]: %g must be in [%g, 1e9]", name,
                 field, i, factors[i], least);
    return PL_OK;
}

static pl_status check_vectors(pl_context *ctx, const char *name, const char *field, const char *what, const double *x,
                               int32_t count)
{
    for (int32_t i = 0; x && i < count; ++i, x += 3)
        PL_CHECK(ctx, pl__within3(x, 1e9), "bodies.%s.%s: (%g, %g, %g) of %s %d must be within 1e9", name, field, x[0],
                 x[1], x[2], what, i);
    return PL_OK;
}

static pl_status check_per_element(pl_context *ctx, const char *name, const pl_body_def *def)
{
    PL_TRY(check_factors(ctx, name, "young_factors", def, def->young_factors, 1e-9));
    PL_TRY(check_factors(ctx, name, "density_factors", def, def->density_factors, 1e-9));
    PL_TRY(check_factors(ctx, name, "damping_factors", def, def->damping_factors, 0));
    PL_TRY(check_vectors(ctx, name, "start_positions", "node", def->start_positions, pl_mesh_node_count(def->mesh)));
    PL_TRY(check_vectors(ctx, name, "goal_positions", "node", def->goal_positions, pl_mesh_node_count(def->mesh)));
    PL_TRY(check_vectors(ctx, name, "normals", "element", def->normals, pl_mesh_element_count(def->mesh)));
    return check_vectors(ctx, name, "fibers", "element", def->fibers, pl_mesh_element_count(def->mesh));
}

// What one kind of body has and others do not.
static pl_status check_kind(pl_context *ctx, const char *name, const pl_body_def *def)
{
    static const char *const kinds[] = {"solid", "shell", "planar"}, *const meshes[] = {"tetrahedra", "hexahedra",
                                                                                        "triangles"};
    PL_CHECK(ctx, (unsigned)def->kind <= PL_BODY_PLANAR, "bodies.%s.kind: %d is not a pl_body_kind", name,
             (int)def->kind);
    bool flat = def->kind != PL_BODY_SOLID, triangles = pl_mesh_kind(def->mesh) == PL_ELEMENT_TRIANGLE,
         shell = def->kind == PL_BODY_SHELL;
    const char *kind = kinds[def->kind];
    PL_CHECK(ctx, flat == triangles, "bodies.%s.mesh: is made of %s, but a %s body needs %s", name,
             meshes[pl_mesh_kind(def->mesh)], kind, flat ? "triangles" : "tetrahedra or hexahedra");
    PL_CHECK(ctx, def->thickness == 0 || (def->thickness >= 1e-6 && def->thickness <= 1e3),
             "bodies.%s.thickness: %g m must be in [1e-6, 1000]", name, def->thickness);
    PL_CHECK(ctx, (unsigned)def->membrane <= PL_MEMBRANE_SPRINGS, "bodies.%s.membrane: %d is not a pl_membrane", name,
             (int)def->membrane);
    PL_CHECK(ctx, (unsigned)def->bending <= PL_BENDING_NONE, "bodies.%s.bending: %d is not a pl_bending", name,
             (int)def->bending);
    PL_CHECK(ctx, (unsigned)def->plane <= PL_PLANE_STRESS, "bodies.%s.plane: %d is not a pl_plane", name,
             (int)def->plane);
    PL_CHECK(ctx, def->bending_factor >= 0 && def->bending_factor <= 1e6,
             "bodies.%s.bending_factor: %g must be in [0, 1e6]", name, def->bending_factor);
    PL_CHECK(ctx, pl__finite3(def->warp) && largest3(def->warp) > 0,
             "bodies.%s.warp: (%g, %g, %g) must be finite and not zero", name, def->warp[0], def->warp[1],
             def->warp[2]);
    PL_CHECK(ctx, shell || def->membrane == PL_MEMBRANE_CONTINUUM,
             "bodies.%s.membrane: only shells can be woven or made of springs; this is a %s body", name, kind);
    PL_CHECK(ctx, def->kind == PL_BODY_PLANAR || def->plane == PL_PLANE_STRAIN,
             "bodies.%s.plane: only planar bodies have it; this is a %s body", name, kind);
    PL_CHECK(ctx, shell || !def->normals, "bodies.%s.normals: only shells have them; this is a %s body", name, kind);
    PL_CHECK(ctx, !def->normals || def->membrane == PL_MEMBRANE_CONTINUUM,
             "bodies.%s.normals: need the continuum membrane", name);
    PL_CHECK(ctx, !flat || !def->fibers, "bodies.%s.fibers: only solids have them; this is a %s body", name, kind);
    PL_CHECK(ctx, !flat || !def->surface, "bodies.%s.surface: only solids carry one; this is a %s body", name, kind);
    PL_CHECK(
        ctx, def->collision_thickness == 0 || (def->collision_thickness >= 1e-9 && def->collision_thickness <= 1e3),
        "bodies.%s.collision_thickness: %g m must be in [1e-9, 1e3], or 0 for its own", name, def->collision_thickness);
    PL_CHECK(ctx, def->friction >= 0 && def->friction <= 1e6, "bodies.%s.friction: %g must be in [0, 1e6]", name,
             def->friction);
    PL_CHECK(ctx, def->drag >= 0 && def->drag <= 1e6, "bodies.%s.drag: %g must be in [0, 1e6]", name, def->drag);
    PL_CHECK(ctx, fabs(def->pressure) <= 1e9, "bodies.%s.pressure: %g Pa must be within 1e9", name, def->pressure);
    bool air = def->drag > 0 || def->pressure != 0 || def->gas;
    PL_CHECK(ctx, !air || def->kind != PL_BODY_PLANAR, "bodies.%s.%s: air does not act on planar bodies; leave it out",
             name,
             def->drag > 0        ? "drag"
             : def->pressure != 0 ? "pressure"
                                  : "gas");
    return PL_OK;
}

static pl_status check_planar(pl_context *ctx, const char *name, const pl_body_def *def)
{
    if (def->kind != PL_BODY_PLANAR)
        return PL_OK;
    const double *x = pl_mesh_positions(def->mesh), *start = def->start_positions ? def->start_positions : x;
    for (int32_t i = 0; i < pl_mesh_node_count(def->mesh); ++i)
        PL_CHECK(ctx, x[3 * i + 2] == x[2] && start[3 * i + 2] == x[2],
                 "bodies.%s.mesh: node %d is at z = %g m, node 0 at %g; a planar body needs one z for all", name, i,
                 x[3 * i + 2] == x[2] ? start[3 * i + 2] : x[3 * i + 2], x[2]);
    PL_CHECK(ctx, def->rotate[0] == 0 && def->rotate[1] == 0,
             "bodies.%s.rotate: (%g, %g, %g) must be about z only for a planar body", name, def->rotate[0],
             def->rotate[1], def->rotate[2]);
    PL_CHECK(ctx, def->spin[0] == 0 && def->spin[1] == 0,
             "bodies.%s.spin: (%g, %g, %g) must be about z only for a planar body", name, def->spin[0], def->spin[1],
             def->spin[2]);
    PL_CHECK(ctx, def->velocity[2] == 0, "bodies.%s.velocity: (%g, %g, %g) must stay in the plane for a planar body",
             name, def->velocity[0], def->velocity[1], def->velocity[2]);
    return PL_OK;
}

static double strength_of(const pl__material_list *materials, pl_material_id id)
{
    return ((const pl_material_def *)(const void *)((const char *)materials->first +
                                                    (size_t)(id.index - 1) * materials->stride))
        ->fracture_stress;
}

bool pl__body_def_breaks(const pl_body_def *def, const pl__material_list *materials)
{
    bool breaks = def->cuttable != 0;
    if (def->element_materials)
        for (int32_t i = 0; !breaks && i < pl_mesh_element_count(def->mesh); ++i)
            breaks = strength_of(materials, def->element_materials[i]) > 0;
    else if (def->region_materials)
        for (int32_t i = 0; !breaks && i < pl_mesh_region_count(def->mesh); ++i)
            breaks = strength_of(materials, def->region_materials[i]) > 0;
    else
        breaks = breaks || strength_of(materials, def->material) > 0;
    return breaks;
}

static pl_status check_breaking(pl_context *ctx, const char *name, const pl_body_def *def,
                                const pl__material_list *materials)
{
    PL_CHECK(ctx, def->cuttable == 0 || def->cuttable == 1, "bodies.%s.cuttable: %d must be 0 or 1", name,
             def->cuttable);
    PL_CHECK(ctx, def->toughness >= 1e-6 && def->toughness <= 1e9, "bodies.%s.toughness: %g must be in [1e-6, 1e9]",
             name, def->toughness);
    PL_CHECK(ctx, def->smallest_piece >= 1 && def->smallest_piece <= 1000000,
             "bodies.%s.smallest_piece: %d must be in [1, 1000000]", name, def->smallest_piece);
    PL_CHECK(ctx, def->most_torn >= 0 && def->most_torn <= 1000000000, "bodies.%s.most_torn: %d must be in [0, 1e9]",
             name, def->most_torn);
    if (!pl__body_def_breaks(def, materials))
        return PL_OK;
    PL_CHECK(ctx, def->kind != PL_BODY_SHELL || (def->pressure == 0 && !def->gas),
             "bodies.%s.%s: a shell that breaks or is cut holds none; leave it out", name,
             def->pressure != 0 ? "pressure" : "gas");
    PL_CHECK(ctx, def->membrane != PL_MEMBRANE_SPRINGS,
             "bodies.%s.membrane: springs have no stress to break by; take continuum or woven", name);
    return PL_OK;
}

pl_status pl__body_def_check(pl_context *ctx, const char *name, const pl_body_def *def,
                             const pl__material_list *materials)
{
    PL_TRY(pl__name_check(ctx, "body", name));
    PL_CHECK(ctx, def, "bodies.%s: the definition is NULL", name);
    PL_CHECK(ctx, def->cookie == BODY_COOKIE, "bodies.%s: start from pl_body_def_default()", name);
    PL_CHECK(ctx, def->mesh, "bodies.%s.mesh: is NULL; make one with a pl_mesh_create function or pl_mesh_load", name);
    PL_TRY(check_materials(ctx, name, def, materials));
    PL_TRY(check_per_element(ctx, name, def));
    PL_TRY(check_kind(ctx, name, def));
    PL_TRY(check_planar(ctx, name, def));
    PL_TRY(check_breaking(ctx, name, def, materials));
    PL_CHECK(ctx, pl__within3(def->at, 1e9), "bodies.%s.at: (%g, %g, %g) m must be within 1e9", name, def->at[0],
             def->at[1], def->at[2]);
    PL_CHECK(ctx, pl__within3(def->rotate, 1e6), "bodies.%s.rotate: (%g, %g, %g) degrees must be within 1e6", name,
             def->rotate[0], def->rotate[1], def->rotate[2]);
    PL_CHECK(ctx, pl__within3(def->velocity, 1e9), "bodies.%s.velocity: (%g, %g, %g) m/s must be within 1e9", name,
             def->velocity[0], def->velocity[1], def->velocity[2]);
    PL_CHECK(ctx, pl__within3(def->spin, 1e9), "bodies.%s.spin: (%g, %g, %g) degrees/s must be within 1e9", name,
             def->spin[0], def->spin[1], def->spin[2]);
    PL_CHECK(ctx, def->strength >= 0 && def->strength <= 1e6, "bodies.%s.strength: %g must be in [0, 1e6]", name,
             def->strength);
    PL_CHECK(ctx, def->pin_count >= 0, "bodies.%s.pin_count: %d must be at least 0", name, def->pin_count);
    PL_CHECK(ctx, def->pin_count == 0 || def->pins, "bodies.%s.pins: pin_count is %d but there is no array", name,
             def->pin_count);
    for (int32_t i = 0; i < def->pin_count; ++i)
        PL_CHECK(ctx, def->pins[i] >= 0 && def->pins[i] < pl_mesh_node_count(def->mesh),
                 "bodies.%s.pins[%d]: node %d is not in [0, %d)", name, i, def->pins[i], pl_mesh_node_count(def->mesh));
    return PL_OK;
}

void *pl__copy_array(pl_context *ctx, const void *source, size_t size)
{
    void *copy = pl__alloc(ctx, size);
    if (copy && size)
        memcpy(copy, source, size);
    return copy;
}

// All or nothing: what `def` points to becomes the body's own.
static bool copy_body_def(pl_context *ctx, const pl_body_def *def, pl__scene_body *body)
{
    body_array list[BODY_ARRAYS];
    body->def = *def;
    list_arrays(def, list);
    for (int i = 0; i < BODY_ARRAYS; ++i)
        set_array(&body->def, list[i].offset, NULL);
    body->def.mesh = NULL;
    body->def.surface = NULL;
    if (!(body->def.mesh = pl__mesh_copy(def->mesh)))
        return false;
    if (def->surface && !(body->def.surface = pl__surface_copy(def->surface)))
        return false;
    for (int i = 0; i < BODY_ARRAYS; ++i)
    {
        const void *given = get_array(def, list[i].offset);
        void *copy = given && list[i].bytes ? pl__copy_array(ctx, given, list[i].bytes) : NULL;
        if (given && list[i].bytes && !copy)
            return false;
        set_array(&body->def, list[i].offset, copy);
    }
    return true;
}

bool pl__scene_body_copy(pl_context *ctx, const pl_body_def *def, const pl_pin_def *pin, size_t pin_count,
                         pl__scene_body *out)
{
    *out = (pl__scene_body){0};
    bool ok = copy_body_def(ctx, def, out) && PL_GROW(ctx, out->pin, &out->pin_capacity, pin_count);
    for (size_t i = 0; ok && i < pin_count; ++i)
    {
        ok = pl__pin_def_copy(ctx, &pin[i], &out->pin[i]);
        out->pin_count += ok;
    }
    if (!ok)
        pl__scene_body_release(ctx, out);
    return ok;
}

pl_heat_def pl_heat_def_default(void) { return (pl_heat_def){.radius = 0.1, .cookie = HEAT_COOKIE}; }

pl_status pl_scene_add_heat(pl_scene *scene, const char *name, const pl_heat_def *def)
{
    if (!scene)
        return PL_ERR_ARGUMENT;
    pl_context *ctx = scene->ctx;
    PL_TRY(pl__name_check(ctx, "source of heat", name));
    PL_CHECK(ctx, def && def->cookie == HEAT_COOKIE, "heat.%s: start from pl_heat_def_default()", name);
    PL_CHECK(ctx, pl__within3(def->at, 1e9), "heat.%s.at: (%g, %g, %g) m must be within 1e9", name, def->at[0],
             def->at[1], def->at[2]);
    PL_CHECK(ctx, def->radius >= 1e-9 && def->radius <= 1e9, "heat.%s.radius: %g m must be in [1e-9, 1e9]", name,
             def->radius);
    PL_CHECK(ctx, fabs(def->power) <= 1e9, "heat.%s.power: %g K/s must be within 1e9", name, def->power);
    for (size_t i = 0; i < scene->heat_count; ++i)
        PL_CHECK(ctx, strcmp(scene->heat[i].name, name) != 0, "heat.%s: there is one of that name already", name);
    if (!PL_GROW(ctx, scene->heat, &scene->heat_capacity, scene->heat_count + 1))
        return PL_ERR_MEMORY;
    pl__scene_heat *heat = &scene->heat[scene->heat_count++];
    strcpy(heat->name, name);
    heat->def = *def;
    return PL_OK;
}

pl_status pl_scene_add_body(pl_scene *scene, const char *name, const pl_body_def *def, pl_body_id *id)
{
    if (!scene)
        return PL_ERR_ARGUMENT;
    pl_context *ctx = scene->ctx;
    pl__material_list materials = {scene->material ? &scene->material->def : NULL, scene->material_count,
                                   sizeof *scene->material};
    PL_TRY(pl__body_def_check(ctx, name, def, &materials));
    for (size_t i = 0; i < scene->body_count; ++i)
        PL_CHECK(ctx, strcmp(scene->body[i].name, name) != 0, "bodies.%s: there is one of that name already", name);
    if (!PL_GROW(ctx, scene->body, &scene->body_capacity, scene->body_count + 1))
        return PL_ERR_MEMORY;
    pl__scene_body *body = &scene->body[scene->body_count];
    *body = (pl__scene_body){0};
    if (!copy_body_def(ctx, def, body))
    {
        pl__scene_body_release(ctx, body);
        return PL_ERR_MEMORY;
    }
    strcpy(body->name, name);
    ++scene->body_count;
    if (id)
        id->index = (int32_t)scene->body_count;
    return PL_OK;
}

pl_object_def pl_object_def_default(void)
{
    return (pl_object_def){.normal = {0, 1, 0},
                           .radius = 0.5,
                           .friction = 0.3,
                           .extent = {1, 1, 1},
                           .height = 1,
                           .tube = 0.2,
                           .angle = 90,
                           .teeth = 12,
                           .module = 0.1,
                           .thickness = 0.2,
                           .pressure_angle = 20,
                           .steps = 5,
                           .rise = 0.15,
                           .run = 0.3,
                           .width = 1,
                           .cache_rate = 24,
                           .contact = PL_MEETING_AUTO,
                           .cookie = OBJECT_COOKIE};
}

static pl_status check_contact(pl_context *ctx, const char *name, const pl_object_def *def)
{
    bool plane = def->kind == PL_OBJECT_PLANE, endless = plane || def->kind == PL_OBJECT_WEDGE;
    PL_CHECK(ctx, (unsigned)def->contact <= PL_MEETING_AUTO, "objects.%s.contact: %d is not a pl_object_meeting", name,
             (int)def->contact);
    PL_CHECK(ctx, def->contact != PL_MEETING_SURFACE || !endless,
             "objects.%s.contact: a %s has no end and cannot be met by its surface; take a box, or meet it by distance",
             name, plane ? "plane" : "wedge");
    PL_CHECK(ctx, def->collision_thickness >= 0 && def->collision_thickness <= 1e9,
             "objects.%s.collision_thickness: %g m must be in [0, 1e9]", name, def->collision_thickness);
    return PL_OK;
}

static pl_status check_object(pl_context *ctx, const char *name, const pl_object_def *def)
{
    PL_TRY(pl__name_check(ctx, "object", name));
    PL_CHECK(ctx, def, "objects.%s: the definition is NULL", name);
    PL_CHECK(ctx, def->cookie == OBJECT_COOKIE, "objects.%s: start from pl_object_def_default()", name);
    PL_CHECK(ctx, pl__within3(def->at, 1e9), "objects.%s.at: (%g, %g, %g) m must be within 1e9", name, def->at[0],
             def->at[1], def->at[2]);
    PL_CHECK(ctx, pl__within3(def->velocity, 1e9), "objects.%s.velocity: (%g, %g, %g) m/s must be within 1e9", name,
             def->velocity[0], def->velocity[1], def->velocity[2]);
    PL_CHECK(ctx, pl__within3(def->rotate, 1e6), "objects.%s.rotate: (%g, %g, %g) degrees must be within 1e6", name,
             def->rotate[0], def->rotate[1], def->rotate[2]);
    PL_CHECK(ctx, pl__within3(def->spin, 1e9), "objects.%s.spin: (%g, %g, %g) degrees/s must be within 1e9", name,
             def->spin[0], def->spin[1], def->spin[2]);
    PL_CHECK(ctx, def->friction >= 0 && isfinite(def->friction), "objects.%s.friction: %g must be at least 0", name,
             def->friction);
    char path[PL_NAME_BYTES + 16];
    snprintf(path, sizeof path, "objects.%s", name);
    PL_TRY(check_contact(ctx, name, def));
    return pl__shape_check(ctx, path, def);
}

pl_status pl_scene_add_object(pl_scene *scene, const char *name, const pl_object_def *def, pl_object_id *id)
{
    if (!scene)
        return PL_ERR_ARGUMENT;
    pl_context *ctx = scene->ctx;
    PL_TRY(check_object(ctx, name, def));
    for (size_t i = 0; i < scene->object_count; ++i)
        PL_CHECK(ctx, strcmp(scene->object[i].name, name) != 0, "objects.%s: there is one of that name already", name);
    if (!PL_GROW(ctx, scene->object, &scene->object_capacity, scene->object_count + 1))
        return PL_ERR_MEMORY;
    pl__scene_object *object = &scene->object[scene->object_count];
    PL_TRY(pl__shape_def_copy(ctx, def, &object->def));
    strcpy(object->name, name);
    ++scene->object_count;
    if (id)
        id->index = (int32_t)scene->object_count;
    return PL_OK;
}

// ---- friction of pairs -----------------------------------------------------------------------------------------

static int32_t find_body(const pl_scene *scene, const char *name)
{
    for (size_t i = 0; i < scene->body_count; ++i)
        if (strcmp(scene->body[i].name, name) == 0)
            return (int32_t)i;
    return -1;
}

static int32_t find_object(const pl_scene *scene, const char *name)
{
    for (size_t i = 0; i < scene->object_count; ++i)
        if (strcmp(scene->object[i].name, name) == 0)
            return (int32_t)i;
    return -1;
}

pl_status pl__scene_pair(const pl_scene *scene, const char *body, const char *other, pl__pair_friction *pair)
{
    PL_CHECK(scene->ctx, body && other, "friction: a pair needs two names");
    *pair = (pl__pair_friction){
        .body = find_body(scene, body), .object = find_object(scene, other), .other = find_body(scene, other)};
    PL_CHECK(scene->ctx, pair->body >= 0, "bodies.%.60s.friction_with: there is no such body", body);
    PL_CHECK(scene->ctx, pair->object >= 0 || pair->other >= 0,
             "bodies.%s.friction_with.%.60s: there is no object or body of that name", body, other);
    return PL_OK;
}

size_t pl__scene_find_rub(const pl_scene *scene, const pl__pair_friction *pair)
{
    size_t i = 0;
    for (; i < scene->rub_count; ++i)
    {
        const pl__pair_friction *r = &scene->rub[i];
        bool same = r->body == pair->body && r->object == pair->object && r->other == pair->other;
        bool turned = pair->other >= 0 && r->body == pair->other && r->other == pair->body;
        if (same || turned)
            break;
    }
    return i;
}

pl_status pl_scene_set_friction(pl_scene *scene, const char *body, const char *other, double friction)
{
    if (!scene)
        return PL_ERR_ARGUMENT;
    pl__pair_friction pair;
    PL_TRY(pl__scene_pair(scene, body, other, &pair));
    PL_CHECK(scene->ctx, friction >= 0 && friction <= 1e6, "bodies.%s.friction_with.%s: %g must be in [0, 1e6]", body,
             other, friction);
    size_t at = pl__scene_find_rub(scene, &pair);
    if (at == scene->rub_count && !PL_GROW(scene->ctx, scene->rub, &scene->rub_capacity, at + 1))
        return PL_ERR_MEMORY;
    if (at == scene->rub_count)
        scene->rub[scene->rub_count++] = pair;
    scene->rub[at].friction = friction;
    return PL_OK;
}

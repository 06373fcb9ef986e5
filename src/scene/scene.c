// src/scene/scene.c -- the editable description: definitions are checked and copied.
#include "scene.h"
#include "base/cpu.h"
#include "contact/object_fields.h"
#include "contact/shape.h"
#include "definitions.h"
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
    pl__fields_default(&pl__scene_fields, scene);
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

// Arrays of a body definition: offset of the pointer, and length for its mesh.
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
    pl__scene_liquids_release(scene);
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
    pl_scene changed = {0};
    memcpy(changed.gravity, gravity, sizeof changed.gravity);
    PL_TRY(pl__fields_check(scene->ctx, &pl__scene_fields, &changed, ""));
    memcpy(scene->gravity, gravity, sizeof scene->gravity);
    return PL_OK;
}

pl_air_def pl_air_def_default(void)
{
    pl_air_def def = {.cookie = AIR_COOKIE};
    pl__fields_default(&pl__air_fields, &def);
    return def;
}

pl_status pl_scene_set_air(pl_scene *scene, const pl_air_def *def)
{
    if (!scene)
        return PL_ERR_ARGUMENT;
    pl_context *ctx = scene->ctx;
    PL_CHECK_FIELD(ctx, def && def->cookie == AIR_COOKIE, "air", "", "start from pl_air_def_default()");
    PL_TRY(pl__fields_check(ctx, &pl__air_fields, def, "air"));
    scene->air = *def;
    return PL_OK;
}

pl_solver_def pl_solver_def_default(void)
{
    pl_solver_def def = {.cookie = SOLVER_COOKIE};
    pl__fields_default(&pl__solver_fields, &def);
    return def;
}

// Ranges are in solver_fields.inl; these are the rules about several fields.
static pl_status check_solver(pl_context *ctx, const pl_solver_def *def)
{
    PL_CHECK_FIELD(ctx, def && def->cookie == SOLVER_COOKIE, "solver", "", "start from pl_solver_def_default()");
    PL_TRY(pl__fields_check(ctx, &pl__solver_fields, def, "solver"));
    PL_CHECK_FIELD(ctx, def->substep == 0 || def->substep >= 1e-9, "solver", "substep",
                   "%g s must be 0, or in [1e-9, 1e6]", def->substep);
    bool euler = def->integrator == PL_INTEGRATOR_IMPLICIT_EULER;
    PL_CHECK_FIELD(ctx, euler || def->mass_damping == 0, "solver", "mass_damping",
                   "%g 1/s needs the integrator implicit_euler; semi_implicit has none", def->mass_damping);
    PL_CHECK_FIELD(ctx, euler || def->newton == 0, "solver", "newton",
                   "%d needs the integrator implicit_euler; semi_implicit has no such iterations", def->newton);
    PL_CHECK_FIELD(ctx, !euler || def->velocity_update == PL_VELOCITY_MIDPOINT, "solver", "velocity_update",
                   "trapezoid is of the integrator semi_implicit; leave it out for implicit_euler");
    PL_CHECK_FIELD(ctx, !euler || def->object_contact == PL_CONTACT_EXACT, "solver", "object_contact",
                   "projected is of the integrator semi_implicit; leave it out for implicit_euler");
    return PL_OK;
}

pl_status pl_scene_set_solver(pl_scene *scene, const pl_solver_def *def)
{
    if (!scene)
        return PL_ERR_ARGUMENT;
    PL_TRY(check_solver(scene->ctx, def));
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
        PL_CHECK_FIELD(ctx, strcmp(scene->material[i].name, name) != 0, "materials", name,
                       "there is one of that name already");
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
    pl_body_def def = {.cookie = BODY_COOKIE};
    pl__fields_default(&pl__body_fields, &def);
    return def;
}

// Check one of the materials of a body.
static pl_status check_material_id(pl_context *ctx, const char *owner, const pl_body_def *body, pl_material_id id,
                                   const pl__material_list *materials)
{
    PL_CHECK_FIELD(ctx, id.index >= 1 && (size_t)id.index <= materials->count, owner, "material",
                   "%d is not a material of this scene, which has %zu; take the id from pl_scene_add_material",
                   id.index, materials->count);
    const pl_material_def *def =
        (const void *)((const char *)materials->first + (size_t)(id.index - 1) * materials->stride);
    PL_CHECK_FIELD(ctx, body->kind == PL_BODY_SOLID || def->fiber_strength == 0, owner, "material",
                   "has fibres (fiber_strength %g Pa), which only solids can have", def->fiber_strength);
    PL_CHECK_FIELD(ctx, body->membrane == PL_MEMBRANE_CONTINUUM || def->yield_strain == 0, owner, "material",
                   "flows (yield_strain %g), which needs the continuum membrane", def->yield_strain);
    PL_CHECK_FIELD(ctx, body->membrane == PL_MEMBRANE_CONTINUUM || def->kind != PL_MATERIAL_CUSTOM, owner, "material",
                   "a custom law needs the continuum membrane");
    PL_CHECK_FIELD(ctx, body->kind == PL_BODY_SOLID || def->kind != PL_MATERIAL_LINEAR, owner, "material",
                   "linear is for solids only; take rotated_linear");
    PL_CHECK_FIELD(ctx, body->kind == PL_BODY_SOLID || def->plastic_form != PL_PLASTIC_ADDITIVE, owner, "material",
                   "additive plastic_form is for solids only; take multiplicative");
    return body->goal_positions ? pl__plastic_goal_check(ctx, def, owner) : PL_OK;
}

// Check the materials of the elements.
static pl_status check_materials(pl_context *ctx, const char *owner, const pl_body_def *def,
                                 const pl__material_list *materials)
{
    if (def->element_materials)
    {
        for (int32_t i = 0; i < pl_mesh_element_count(def->mesh); ++i)
            PL_TRY(check_material_id(ctx, owner, def, def->element_materials[i], materials));
        return PL_OK;
    }
    if (!def->region_materials)
        return check_material_id(ctx, owner, def, def->material, materials);
    for (int32_t i = 0; i < pl_mesh_region_count(def->mesh); ++i)
        PL_TRY(check_material_id(ctx, owner, def, def->region_materials[i], materials));
    return PL_OK;
}

static pl_status check_factors(pl_context *ctx, const char *owner, const char *field, const pl_body_def *def,
                               const double *factors, double least)
{
    for (int32_t i = 0; factors && i < pl_mesh_element_count(def->mesh); ++i)
    {
        char item[64];
        snprintf(item, sizeof item, "%s[%d]", field, i);
        PL_CHECK_FIELD(ctx, factors[i] >= least && factors[i] <= 1e9, owner, item, "%g must be in [%g, 1e9]",
                       factors[i], least);
    }
    return PL_OK;
}

static pl_status check_vectors(pl_context *ctx, const char *owner, const char *field, const char *what, const double *x,
                               int32_t count)
{
    for (int32_t i = 0; x && i < count; ++i, x += 3)
        PL_CHECK_FIELD(ctx, pl__within3(x, 1e9), owner, field, "(%g, %g, %g) of %s %d must be within 1e9", x[0], x[1],
                       x[2], what, i);
    return PL_OK;
}

static pl_status check_per_element(pl_context *ctx, const char *owner, const pl_body_def *def)
{
    PL_TRY(check_factors(ctx, owner, "young_factors", def, def->young_factors, 1e-9));
    PL_TRY(check_factors(ctx, owner, "density_factors", def, def->density_factors, 1e-9));
    PL_TRY(check_factors(ctx, owner, "damping_factors", def, def->damping_factors, 0));
    PL_TRY(check_vectors(ctx, owner, "start_positions", "node", def->start_positions, pl_mesh_node_count(def->mesh)));
    PL_TRY(check_vectors(ctx, owner, "goal_positions", "node", def->goal_positions, pl_mesh_node_count(def->mesh)));
    PL_TRY(check_vectors(ctx, owner, "normals", "element", def->normals, pl_mesh_element_count(def->mesh)));
    return check_vectors(ctx, owner, "fibers", "element", def->fibers, pl_mesh_element_count(def->mesh));
}

// Check fields that only one kind of body has.
static pl_status check_kind(pl_context *ctx, const char *owner, const pl_body_def *def)
{
    static const char *const kinds[] = {"solid", "shell", "planar"}, *const meshes[] = {"tetrahedra", "hexahedra",
                                                                                        "triangles"};
    bool flat = def->kind != PL_BODY_SOLID, triangles = pl_mesh_kind(def->mesh) == PL_ELEMENT_TRIANGLE,
         shell = def->kind == PL_BODY_SHELL;
    const char *kind = kinds[def->kind];
    PL_CHECK_FIELD(ctx, flat == triangles, owner, "mesh", "is made of %s, but a %s body needs %s",
                   meshes[pl_mesh_kind(def->mesh)], kind, flat ? "triangles" : "tetrahedra or hexahedra");
    PL_CHECK_FIELD(ctx, largest3(def->warp) > 0, owner, "warp", "(%g, %g, %g) must be finite and not zero",
                   def->warp[0], def->warp[1], def->warp[2]);
    PL_CHECK_FIELD(ctx, shell || def->membrane == PL_MEMBRANE_CONTINUUM, owner, "membrane",
                   "only shells can be woven or made of springs; this is a %s body", kind);
    PL_CHECK_FIELD(ctx, def->kind == PL_BODY_PLANAR || def->plane == PL_PLANE_STRAIN, owner, "plane",
                   "only planar bodies have it; this is a %s body", kind);
    PL_CHECK_FIELD(ctx, shell || !def->normals, owner, "normals", "only shells have them; this is a %s body", kind);
    PL_CHECK_FIELD(ctx, !def->normals || def->membrane == PL_MEMBRANE_CONTINUUM, owner, "normals",
                   "need the continuum membrane");
    PL_CHECK_FIELD(ctx, !flat || !def->fibers, owner, "fibers", "only solids have them; this is a %s body", kind);
    PL_CHECK_FIELD(ctx, !flat || !def->surface, owner, "surface", "only solids carry one; this is a %s body", kind);
    bool air = def->drag > 0 || def->pressure != 0 || def->gas;
    PL_CHECK_FIELD(ctx, !air || def->kind != PL_BODY_PLANAR, owner,
                   def->drag > 0        ? "drag"
                   : def->pressure != 0 ? "pressure"
                                        : "gas",
                   "air does not act on planar bodies; leave it out");
    return PL_OK;
}

static pl_status check_planar(pl_context *ctx, const char *owner, const pl_body_def *def)
{
    if (def->kind != PL_BODY_PLANAR)
        return PL_OK;
    const double *x = pl_mesh_positions(def->mesh), *start = def->start_positions ? def->start_positions : x;
    for (int32_t i = 0; i < pl_mesh_node_count(def->mesh); ++i)
        PL_CHECK_FIELD(ctx, x[3 * i + 2] == x[2] && start[3 * i + 2] == x[2], owner, "mesh",
                       "node %d is at z = %g m, node 0 at %g; a planar body needs one z for all", i,
                       x[3 * i + 2] == x[2] ? start[3 * i + 2] : x[3 * i + 2], x[2]);
    PL_CHECK_FIELD(ctx, def->rotate[0] == 0 && def->rotate[1] == 0, owner, "rotate",
                   "(%g, %g, %g) must be about z only for a planar body", def->rotate[0], def->rotate[1],
                   def->rotate[2]);
    PL_CHECK_FIELD(ctx, def->spin[0] == 0 && def->spin[1] == 0, owner, "spin",
                   "(%g, %g, %g) must be about z only for a planar body", def->spin[0], def->spin[1], def->spin[2]);
    PL_CHECK_FIELD(ctx, def->velocity[2] == 0, owner, "velocity",
                   "(%g, %g, %g) must stay in the plane for a planar body", def->velocity[0], def->velocity[1],
                   def->velocity[2]);
    return PL_OK;
}

static const pl_material_def *material_at(const pl__material_list *materials, pl_material_id id)
{
    return (const pl_material_def *)(const void *)((const char *)materials->first +
                                                   (size_t)(id.index - 1) * materials->stride);
}

static double strength_of(const pl__material_list *materials, pl_material_id id)
{
    return material_at(materials, id)->fracture_stress;
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

static pl_status check_breaking(pl_context *ctx, const char *owner, const pl_body_def *def,
                                const pl__material_list *materials)
{
    if (!pl__body_def_breaks(def, materials))
        return PL_OK;
    PL_CHECK_FIELD(ctx, def->kind != PL_BODY_SHELL || (def->pressure == 0 && !def->gas), owner,
                   def->pressure != 0 ? "pressure" : "gas", "a shell that breaks or is cut holds none; leave it out");
    PL_CHECK_FIELD(ctx, def->membrane != PL_MEMBRANE_SPRINGS, owner, "membrane",
                   "springs have no stress to break by; take continuum or woven");
    return PL_OK;
}

// Ranges are in body_fields.inl; these are the rules about several fields, the mesh and the materials.
static bool is_incompressible(const pl__material_list *materials, pl_material_id id)
{
    return id.index > 0 && material_at(materials, id)->incompressible != 0;
}

// Whether some element keeps its volume.
static bool keeps_volume(const pl_body_def *def, const pl__material_list *materials)
{
    bool keeps = false;
    if (def->element_materials)
        for (int32_t i = 0; !keeps && i < pl_mesh_element_count(def->mesh); ++i)
            keeps = is_incompressible(materials, def->element_materials[i]);
    else if (def->region_materials)
        for (int32_t i = 0; !keeps && i < pl_mesh_region_count(def->mesh); ++i)
            keeps = is_incompressible(materials, def->region_materials[i]);
    else
        keeps = is_incompressible(materials, def->material);
    return keeps;
}

static pl_status check_volume(pl_context *ctx, const char *owner, const pl_body_def *def,
                              const pl__material_list *materials)
{
    bool keeps = keeps_volume(def, materials);
    PL_CHECK_FIELD(ctx, keeps || def->volume == 1, owner, "volume",
                   "%g must be 1 unless its material is incompressible: others have no volume to keep", def->volume);
    if (!keeps)
        return PL_OK;
    PL_CHECK_FIELD(ctx, def->kind != PL_BODY_SHELL, owner, "kind",
                   "a shell cannot be incompressible: it has no volume around its nodes; take a solid, or leave "
                   "\"incompressible\" out of its material");
    PL_CHECK_FIELD(ctx, def->kind != PL_BODY_PLANAR || def->plane == PL_PLANE_STRAIN, owner, "plane",
                   "an incompressible plate would have to thin where it is stretched; take strain");
    return PL_OK;
}

pl_status pl__body_def_check(pl_context *ctx, const char *name, const pl_body_def *def,
                             const pl__material_list *materials)
{
    char owner[PL_NAME_BYTES + 16];
    PL_TRY(pl__name_check(ctx, "body", name));
    snprintf(owner, sizeof owner, "bodies.%s", name);
    PL_CHECK_FIELD(ctx, def, owner, "", "the definition is NULL");
    PL_CHECK_FIELD(ctx, def->cookie == BODY_COOKIE, owner, "", "start from pl_body_def_default()");
    PL_CHECK_FIELD(ctx, def->mesh, owner, "mesh", "is NULL; make one with a pl_mesh_create function or pl_mesh_load");
    PL_TRY(pl__fields_check(ctx, &pl__body_fields, def, owner));
    PL_TRY(check_materials(ctx, owner, def, materials));
    PL_TRY(check_per_element(ctx, owner, def));
    PL_TRY(check_kind(ctx, owner, def));
    PL_TRY(check_planar(ctx, owner, def));
    PL_TRY(check_breaking(ctx, owner, def, materials));
    PL_TRY(check_volume(ctx, owner, def, materials));
    PL_CHECK_FIELD(ctx, def->pin_count >= 0, owner, "pin_count", "%d must be at least 0", def->pin_count);
    PL_CHECK_FIELD(ctx, def->pin_count == 0 || def->pins, owner, "pins", "pin_count is %d but there is no array",
                   def->pin_count);
    for (int32_t i = 0; i < def->pin_count; ++i)
    {
        char item[32];
        snprintf(item, sizeof item, "pins[%d]", i);
        PL_CHECK_FIELD(ctx, def->pins[i] >= 0 && def->pins[i] < pl_mesh_node_count(def->mesh), owner, item,
                       "node %d is not in [0, %d)", def->pins[i], pl_mesh_node_count(def->mesh));
    }
    return PL_OK;
}

void *pl__copy_array(pl_context *ctx, const void *source, size_t size)
{
    void *copy = pl__alloc(ctx, size);
    if (copy && size)
        memcpy(copy, source, size);
    return copy;
}

// Deep copy of a definition. On failure nothing is left behind.
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

pl_heat_def pl_heat_def_default(void)
{
    pl_heat_def def = {.cookie = HEAT_COOKIE};
    pl__fields_default(&pl__heat_fields, &def);
    return def;
}

pl_status pl_scene_add_heat(pl_scene *scene, const char *name, const pl_heat_def *def)
{
    if (!scene)
        return PL_ERR_ARGUMENT;
    pl_context *ctx = scene->ctx;
    char owner[PL_NAME_BYTES + 16];
    PL_TRY(pl__name_check(ctx, "source of heat", name));
    snprintf(owner, sizeof owner, "heat.%s", name);
    PL_CHECK_FIELD(ctx, def && def->cookie == HEAT_COOKIE, owner, "", "start from pl_heat_def_default()");
    PL_TRY(pl__fields_check(ctx, &pl__heat_fields, def, owner));
    for (size_t i = 0; i < scene->heat_count; ++i)
        PL_CHECK_FIELD(ctx, strcmp(scene->heat[i].name, name) != 0, "heat", name, "there is one of that name already");
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
        PL_CHECK_FIELD(ctx, strcmp(scene->body[i].name, name) != 0, "bodies", name,
                       "there is one of that name already");
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
    pl_object_def def = {.cache_rate = 24, .cookie = OBJECT_COOKIE};
    pl__fields_default(&pl__object_fields, &def);
    pl__fields_default(&pl__shape_fields, &def);
    return def;
}

// Ranges are in contact/object_fields.inl; these are the rules about several fields.
static pl_status check_object(pl_context *ctx, const char *name, const pl_object_def *def)
{
    char owner[PL_NAME_BYTES + 16];
    PL_TRY(pl__name_check(ctx, "object", name));
    snprintf(owner, sizeof owner, "objects.%s", name);
    PL_CHECK_FIELD(ctx, def, owner, "", "the definition is NULL");
    PL_CHECK_FIELD(ctx, def->cookie == OBJECT_COOKIE, owner, "", "start from pl_object_def_default()");
    PL_TRY(pl__fields_check(ctx, &pl__object_fields, def, owner));
    bool plane = def->kind == PL_OBJECT_PLANE, endless = plane || def->kind == PL_OBJECT_WEDGE;
    PL_CHECK_FIELD(ctx, def->contact != PL_MEETING_SURFACE || !endless, owner, "contact",
                   "a %s has no end and cannot be met by its surface; take a box, or meet it by distance",
                   plane ? "plane" : "wedge");
    return pl__shape_check(ctx, owner, def);
}

pl_status pl_scene_add_object(pl_scene *scene, const char *name, const pl_object_def *def, pl_object_id *id)
{
    if (!scene)
        return PL_ERR_ARGUMENT;
    pl_context *ctx = scene->ctx;
    PL_TRY(check_object(ctx, name, def));
    for (size_t i = 0; i < scene->object_count; ++i)
        PL_CHECK_FIELD(ctx, strcmp(scene->object[i].name, name) != 0, "objects", name,
                       "there is one of that name already");
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
    char path[PL_PATH_BYTES + PL_NAME_BYTES];
    snprintf(path, sizeof path, "bodies.%s.friction_with.%s", body, other);
    PL_TRY(pl__field_check_value(scene->ctx, pl__fields_find(&pl__body_fields, "friction"), path, friction));
    size_t at = pl__scene_find_rub(scene, &pair);
    if (at == scene->rub_count && !PL_GROW(scene->ctx, scene->rub, &scene->rub_capacity, at + 1))
        return PL_ERR_MEMORY;
    if (at == scene->rub_count)
        scene->rub[scene->rub_count++] = pair;
    scene->rub[at].friction = friction;
    return PL_OK;
}

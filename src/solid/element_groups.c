// src/solid/element_groups.c -- builds the element groups of a body.
//
// The elements of the mesh come first: tetrahedra, hexahedra, or triangles. Shells also get bends; mass-spring cloth
// has springs instead of both. Bodies with air loads get surface load elements. Elements are sorted into groups of one
// kind and one law each, in locality order within a group. Mass is lumped: each element gives its corners their shares
// of its mass.
#include "element_groups.h"
#include "base/cpu.h"
#include "element/bend.h"
#include "element/director.h"
#include "element/fibers.h"
#include "element/plasticity.h"
#include "element/spring.h"
#include "element/state.h"
#include "element/tangent.h"
#include "element/triangle.h"
#include "heat.h"
#include "mesh/topology.h"

#include <math.h>
#include <string.h>

static const double largest_fold = 3;        // [rad] largest plastic rest angle of bends
static const double bend_spring_share = 0.1; // stiffness of springs across two triangles, relative to edge springs

typedef struct
{
    pl_context *ctx;
    const pl__body_spec *spec;
    pl__body *body;
    const int32_t *element_order;
    int32_t *twin; // [3 element_count] of triangles: edge 3 u + j of the neighbour across edge 3 t + i, or negative
    bool yields;   // some element is plastic
} assembler;

// Elements to be created, of one kind.
typedef struct
{
    pl__element_kind kind;
    int32_t count;
    int32_t *node;    // [corners * count] mesh nodes; -1: none
    int32_t *element; // [count] the mesh element whose material it has
    double *number;   // [count] springs: stiffness over Young's modulus [m]; NULL otherwise
} item_list;

// ---- materials -------------------------------------------------------------------------------------------------

static pl_material_def scaled(const pl_material_def *material, const double factor[2])
{
    pl_material_def def = *material;
    def.young *= factor[0];
    def.damping *= factor[1];
    return def;
}

static const pl_material_def *material_of(const assembler *a, int32_t element)
{
    return &a->spec->material[a->spec->element_material[element]];
}

// Triangles use the law of two principal stretches.
static pl__law law_of(const pl_material_def *def, pl__element_kind kind)
{
    pl__law law = pl__material_law(def);
    law.flat = kind == PL__TRIANGLE;
    return law;
}

// A sheet is free to thin: plane stress.
static pl__material_params params_of(const pl__body *body, pl__element_kind kind, const pl_material_def *def)
{
    pl__material_params params = pl__material_resolve(def);
    if (body->plane_stress)
        params = pl__material_flatten(params);
    double factor = kind == PL__BEND ? body->bending : kind == PL__TRIANGLE && body->springs ? 0 : 1;
    params.mu *= factor;
    params.lambda *= factor;
    params.curvature *= factor;
    params.low_stress *= factor;
    params.high_stress *= factor;
    return params;
}

// Parameters of woven cloth: `young` along the warp, the rest relative to it.
static pl__woven_params woven_of(const pl_material_def *def)
{
    return (pl__woven_params){.modulus = {def->young, def->young * def->weave_weft},
                              .stiffening = {def->weave_stiffening, def->weave_stiffening},
                              .shear = def->young * def->weave_shear,
                              .poisson = def->poisson * def->weave_compression,
                              .compression = def->weave_compression};
}

static void set_bend_flow(pl__element_group *group, int32_t i, const pl_material_def *def)
{
    pl__bend_rest *rest = &group->bend[i / PL_ELEMENT_LANES];
    if (def->yield_strain > 0)
        pl__bend_rest_set_yield(rest, i % PL_ELEMENT_LANES, def->yield_strain, def->hardening, largest_fold);
    pl__bend_rest_set_creep(rest, i % PL_ELEMENT_LANES, def->creep);
}

static void set_material(pl__element_group *group, int32_t i, const pl_material_def *def,
                         const pl__material_params *params)
{
    pl__woven_params threads = woven_of(def);
    pl__element_set_material(group, i, params);
    if (group->kind == PL__SPRING)
        pl__spring_rest_set_stiffness(&group->spring[i / PL_ELEMENT_LANES], i % PL_ELEMENT_LANES,
                                      def->young * group->number[i], def->damping);
    if (group->woven)
        pl__triangle_rest_set_woven(&group->triangle[i / PL_ELEMENT_LANES], i % PL_ELEMENT_LANES, &threads);
    if (group->fiber)
        pl__fibers_set_material(group, i, def);
}

// Temperature-dependent plasticity parameters.
static void set_flow(pl__element_group *group, int32_t i, const pl_material_def *def)
{
    pl__plastic_params params = pl__plastic_resolve(def);
    if (group->plastic)
        pl__plasticity_set_params(group, i, &params);
    if (group->kind == PL__BEND && group->flows)
        set_bend_flow(group, i, def);
}

void pl__body_set_materials(pl__body *body, const pl_material_def *material)
{
    body->shear_energy = body->longest_damping = 0;
    for (int32_t g = 0; g < body->group_count; ++g)
    {
        pl__element_group *group = &body->group[g];
        bool solid = pl__element_type_of(group->kind)->solid;
        if (group->kind == PL__SURFACE_LOAD)
            continue;
        group->damped = false;
        for (int32_t i = 0; i < group->count; ++i)
        {
            pl_material_def def = material[group->material[i]];
            if (group->factor)
                def = scaled(&def, group->factor[i]);
            if (body->heat)
            {
                def = pl__material_heated(&def, pl__heat_of_element(body, group, i));
                set_flow(group, i, &def);
            }
            if (body->state.recovery_level)
                def = pl__material_relaxed(&def, body->state.recovery_level);
            if (solid)
                group->law = law_of(&def, group->kind);
            pl__material_params params = params_of(body, group->kind, &def);
            set_material(group, i, &def, &params);
            group->damped |= params.damping > 0;
            body->longest_damping = fmax(body->longest_damping, params.damping);
            if (solid)
                body->shear_energy += params.mu * pl__element_volume(group, i);
        }
        if (group->director)
            pl__directors_set_rates(group);
    }
}

// ---- groups ----------------------------------------------------------------------------------------------------

// Template of the group that an element of this kind and material belongs to.
static pl__element_group group_for(const assembler *a, pl__element_kind kind, const pl_material_def *def)
{
    pl__element_group group = {
        .kind = kind, .air = kind == PL__SURFACE_LOAD ? &a->body->air.load : NULL, .damped = kind == PL__SURFACE_LOAD};
    group.flows =
        kind == PL__BEND ? a->yields : kind != PL__SURFACE_LOAD && kind != PL__SPRING && def->yield_strain > 0;
    if (!pl__element_type_of(kind)->solid)
        return group;
    group.law = law_of(def, kind);
    bool linear = def->kind == PL_MATERIAL_LINEAR;
    group.additive = group.flows && def->plastic_form == PL_PLASTIC_ADDITIVE;
    group.damping_model =
        linear || (a->spec->warped && pl__is_warped(&group.law)) ? PL_DAMPING_ROTATED : def->damping_model;
    group.fibers = kind != PL__TRIANGLE && def->fiber_strength > 0;
    // plastic elements have no triangular B, and neither fibres nor linear elasticity commute with rotations of rest
    // space
    group.triangular = kind == PL__TET && a->spec->triangular && !group.flows && !group.fibers && !linear;
    group.planar = a->body->planar;
    group.plane_strain = a->body->planar && !a->body->plane_stress;
    group.woven = kind == PL__TRIANGLE && a->spec->woven;
    group.normals = kind == PL__TRIANGLE && a->spec->normal;
    return group;
}

static bool same_group(const pl__element_group *a, const pl__element_group *b)
{
    return a->kind == b->kind && pl__law_equal(&a->law, &b->law) && a->damping_model == b->damping_model &&
           a->flows == b->flows && a->additive == b->additive && a->fibers == b->fibers;
}

// Search from `first` on, so that each list of items has its own groups.
static pl_status find_group(assembler *a, const pl__element_group *wanted, int32_t first, int32_t *found)
{
    pl__body *body = a->body;
    int32_t g = first;
    while (g < body->group_count && !same_group(&body->group[g], wanted))
        ++g;
    *found = g;
    if (g < body->group_count)
        return PL_OK;
    if (!PL_GROW(a->ctx, body->group, &body->group_capacity, (size_t)g + 1))
        return PL_ERR_MEMORY;
    body->group[g] = *wanted;
    body->group_count++;
    return PL_OK;
}

static pl_status sort_items(assembler *a, const item_list *list, int32_t first, int32_t *group_of)
{
    for (int32_t i = 0; i < list->count; ++i)
    {
        pl__element_group wanted = group_for(a, list->kind, material_of(a, list->element[i]));
        PL_TRY(find_group(a, &wanted, first, &group_of[i]));
        a->body->group[group_of[i]].count++;
    }
    return PL_OK;
}

static pl_status allocate_group(const assembler *a, pl__element_group *group)
{
    group->block_count = (group->count + PL_ELEMENT_LANES - 1) / PL_ELEMENT_LANES;
    group->rest = pl__calloc(a->ctx, (size_t)group->block_count, pl__element_type_of(group->kind)->rest_bytes);
    group->source = PL_NEW(a->ctx, group->count, int32_t);
    group->material = PL_NEW(a->ctx, group->count, int32_t);
    bool factors = a->spec->young_factor || a->spec->damping_factor;
    bool springs = group->kind == PL__SPRING;
    group->factor = factors ? pl__calloc(a->ctx, (size_t)group->count, sizeof *group->factor) : NULL;
    group->number = springs ? PL_NEW(a->ctx, group->count, double) : NULL;
    return group->rest && group->source && group->material && (group->factor || !factors) && (group->number || !springs)
               ? PL_OK
               : PL_ERR_MEMORY;
}

void pl__element_groups_destroy(pl__body *body)
{
    pl_context *ctx = body->ctx;
    for (int32_t g = 0; g < body->group_count; ++g)
    {
        pl__element_group *group = &body->group[g];
        pl__free(ctx, group->rest, (size_t)group->block_count * pl__element_type_of(group->kind)->rest_bytes);
        pl__fibers_destroy(ctx, group);
        pl__plasticity_destroy(ctx, group);
        pl__directors_destroy(ctx, group);
        PL_DELETE(ctx, group->source, group->count);
        PL_DELETE(ctx, group->material, group->count);
        PL_DELETE(ctx, group->factor, group->count);
        PL_DELETE(ctx, group->number, group->count);
    }
    PL_DELETE(ctx, body->group, body->group_capacity);
    body->group_count = 0;
}

// ---- elements --------------------------------------------------------------------------------------------------

// Rest positions and local nodes of an item's corners.
static void read_corners(const assembler *a, const item_list *list, int32_t item, int32_t node[PL_ELEMENT_CORNERS],
                         double X[PL_ELEMENT_CORNERS][3])
{
    int32_t corners = pl__element_type_of(list->kind)->corners;
    for (int32_t k = 0; k < corners; ++k)
    {
        int32_t source = list->node[(size_t)corners * (size_t)item + (size_t)k];
        node[k] = source >= 0 ? a->body->node_of_source[source] : -1;
        if (source >= 0)
            memcpy(X[k], &a->spec->mesh->position[3 * (size_t)source], sizeof X[k]);
    }
}

// Lump the mass of a mesh element to its corners.
static void add_mass(assembler *a, const pl__element_group *group, int32_t index, const pl_material_def *def)
{
    pl__body *body = a->body;
    double share[PL_ELEMENT_CORNERS];
    int32_t element = group->source[index];
    double density = def->density * (a->spec->density_factor ? a->spec->density_factor[element] : 1);
    double volume = pl__element_volume(group, index);
    pl__element_volume_shares(group, index, share);
    body->rest_volume += volume;
    body->total_mass += density * volume;
    for (int32_t k = 0; k < pl__element_type_of(group->kind)->corners; ++k)
        body->mass[*pl__element_node(group, index, k)] += density * share[k];
}

// The given normal of a triangle, rotated with the body.
static void rotated_normal(const assembler *a, int32_t element, double normal[3])
{
    for (int i = 0; a->spec->normal && i < 3; ++i)
    {
        const double *n = &a->spec->normal[3 * (size_t)element], *R = a->spec->rotation[i];
        normal[i] = R[0] * n[0] + R[1] * n[1] + R[2] * n[2];
    }
}

static void rotate_corners(const assembler *a, double X[PL_ELEMENT_CORNERS][3])
{
    for (int k = 0; k < PL_ELEMENT_CORNERS; ++k)
    {
        const double old[3] = {X[k][0], X[k][1], X[k][2]};
        for (int i = 0; i < 3; ++i)
            X[k][i] =
                a->spec->rotation[i][0] * old[0] + a->spec->rotation[i][1] * old[1] + a->spec->rotation[i][2] * old[2];
    }
}

static void place_item(assembler *a, const item_list *list, int32_t item, pl__element_group *group, int32_t index)
{
    pl__body *body = a->body;
    int32_t node[PL_ELEMENT_CORNERS], element = list->element[item];
    double X[PL_ELEMENT_CORNERS][3] = {0};
    read_corners(a, list, item, node, X);
    pl_material_def def = *material_of(a, element);
    if (def.kind == PL_MATERIAL_LINEAR) // linear elasticity is not rotation invariant: rotate its rest shape with the
                                        // body
        rotate_corners(a, X);
    group->source[index] = element;
    group->material[index] = a->spec->element_material[element];
    if (group->factor)
    {
        group->factor[index][0] = a->spec->young_factor ? a->spec->young_factor[element] : 1;
        group->factor[index][1] = a->spec->damping_factor ? a->spec->damping_factor[element] : 1;
        def = scaled(&def, group->factor[index]);
    }
    // the relaxed law belongs to the default extension; the other inversion rules of the papers are reproduced as they
    // are
    body->may_recover &=
        def.recovery == PL_RECOVERY_AUTO && def.inversion == PL_INVERSION_ENERGY && def.kind != PL_MATERIAL_LINEAR;
    pl__material_params params = params_of(body, group->kind, &def);
    double normal[3];
    rotated_normal(a, element, normal);
    pl__woven_params threads = woven_of(&def);
    if (group->number)
        group->number[index] = list->number[item];
    pl__element_shape shape = {.node = node,
                               .X = (const double(*)[3])X,
                               .hinges = a->spec->hinges,
                               .stiffness = group->number ? def.young * group->number[index] : 0,
                               .thickness = a->spec->thickness,
                               .warp = a->spec->warp,
                               .woven = &threads,
                               .normal = a->spec->normal ? normal : NULL};
    pl__element_rest_set(group, index, &shape, &params);
    group->damped |= def.damping > 0 && group->kind != PL__SURFACE_LOAD;
    body->longest_damping = fmax(body->longest_damping, def.damping);
    if (group->kind == PL__BEND)
        set_bend_flow(group, index, &def);
    if (!pl__element_type_of(group->kind)->solid)
        return;
    body->shear_energy += params.mu * pl__element_volume(group, index);
    add_mass(a, group, index, &def);
}

static void fill_group(assembler *a, const item_list *list, const int32_t *group_of, int32_t g)
{
    pl__element_group *group = &a->body->group[g];
    int32_t index = 0;
    for (int32_t i = 0; i < list->count; ++i)
        if (group_of[i] == g)
            place_item(a, list, i, group, index++);
    for (; index < group->block_count * PL_ELEMENT_LANES; ++index)
        pl__element_rest_clear(group, index, 0);
}

// ---- fibres and plasticity -------------------------------------------------------------------------------------

// Default fibre direction: the longest side of the mesh's bounding box.
static void longest_side(const pl_mesh *mesh, double axis[3])
{
    double lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY};
    int longest = 0;
    for (size_t k = 0; k < 3 * (size_t)mesh->node_count; ++k)
    {
        lower[k % 3] = fmin(lower[k % 3], mesh->position[k]);
        upper[k % 3] = fmax(upper[k % 3], mesh->position[k]);
    }
    for (int i = 1; i < 3; ++i)
        longest = upper[i] - lower[i] > upper[longest] - lower[longest] ? i : longest;
    for (int i = 0; i < 3; ++i)
        axis[i] = i == longest;
}

static pl_status add_fibers(assembler *a, pl__element_group *group)
{
    double along[3];
    longest_side(a->spec->mesh, along);
    PL_TRY(pl__fibers_create(a->ctx, group));
    for (int32_t i = 0; i < group->count; ++i)
    {
        pl__fibers_set_axis(group, i, a->spec->fiber ? &a->spec->fiber[3 * (size_t)group->source[i]] : along);
        pl__fibers_set_material(group, i, material_of(a, group->source[i]));
    }
    return PL_OK;
}

// Deformation gradient of an element from rest to the goal shape.
static pl_mat3 goal_of(const assembler *a, const pl__element_group *group, int32_t i)
{
    const pl_mesh *mesh = a->spec->mesh;
    const int32_t *node = pl__mesh_element(mesh, group->source[i]);
    double x[PL_ELEMENT_CORNERS][3];
    for (int32_t k = 0; k < pl__mesh_corners(mesh); ++k)
        memcpy(x[k], &a->spec->goal[3 * (size_t)node[k]], sizeof x[k]);
    return pl__element_gradient(group, i, (const double(*)[3])x);
}

static pl_status add_flow(assembler *a, pl__element_group *group)
{
    PL_TRY(pl__plasticity_create(a->ctx, group));
    for (int32_t i = 0; i < group->count; ++i)
    {
        pl__plastic_params params = pl__plastic_resolve(material_of(a, group->source[i]));
        pl__plasticity_set_params(group, i, &params);
        if (!a->spec->goal)
            continue;
        pl_mat3 Fp = goal_of(a, group, i);
        if (!(pl_det3(&Fp) > 0))
            return pl__fail_field(a->ctx, "", "goal_positions", "%s %d is flat or inverted there",
                                  pl__element_type_of(group->kind)->name, group->source[i]);
        pl__plasticity_set_goal(group, i, &Fp);
    }
    return PL_OK;
}

static pl_status add_items(assembler *a, const item_list *list)
{
    int32_t first = a->body->group_count;
    int32_t *group_of = PL_NEW(a->ctx, list->count, int32_t);
    if (!group_of)
        return PL_ERR_MEMORY;
    pl_status status = sort_items(a, list, first, group_of);
    for (int32_t g = first; status == PL_OK && g < a->body->group_count; ++g)
        status = allocate_group(a, &a->body->group[g]);
    for (int32_t g = first; status == PL_OK && g < a->body->group_count; ++g)
    {
        pl__element_group *group = &a->body->group[g];
        fill_group(a, list, group_of, g);
        if (group->fibers)
            status = add_fibers(a, group);
        if (status == PL_OK && group->flows && pl__plasticity_points(group->kind))
            status = add_flow(a, group);
    }
    PL_DELETE(a->ctx, group_of, list->count);
    return status;
}

// ---- lists -----------------------------------------------------------------------------------------------------

static bool allocate_list(const assembler *a, pl__element_kind kind, int32_t count, item_list *list)
{
    *list = (item_list){.kind = kind, .count = count};
    list->node = PL_NEW(a->ctx, (size_t)pl__element_type_of(kind)->corners * (size_t)count, int32_t);
    list->element = PL_NEW(a->ctx, count, int32_t);
    list->number = kind == PL__SPRING ? PL_NEW(a->ctx, count, double) : NULL;
    return list->node && list->element && (list->number || kind != PL__SPRING);
}

static void release_list(const assembler *a, item_list *list)
{
    PL_DELETE(a->ctx, list->node, (size_t)pl__element_type_of(list->kind)->corners * (size_t)list->count);
    PL_DELETE(a->ctx, list->element, list->count);
    PL_DELETE(a->ctx, list->number, list->count);
}

static pl__element_kind kind_of_mesh(const pl_mesh *mesh)
{
    return mesh->kind == PL_ELEMENT_TET ? PL__TET : mesh->kind == PL_ELEMENT_HEX ? PL__HEX : PL__TRIANGLE;
}

static pl_status add_mesh(assembler *a)
{
    const pl_mesh *mesh = a->spec->mesh;
    size_t corners = (size_t)pl__mesh_corners(mesh);
    item_list list;
    pl_status status = PL_ERR_MEMORY;
    if (allocate_list(a, kind_of_mesh(mesh), mesh->element_count, &list))
    {
        for (int32_t i = 0; i < list.count; ++i)
        {
            list.element[i] = a->element_order[i];
            memcpy(&list.node[corners * (size_t)i], pl__mesh_element(mesh, list.element[i]),
                   corners * sizeof *list.node);
        }
        status = add_items(a, &list);
    }
    release_list(a, &list);
    return status;
}

// ---- shells ----------------------------------------------------------------------------------------------------

static int32_t opposite_node(const assembler *a, int32_t edge) { return a->spec->mesh->element[a->twin[edge]]; }

// Directors between the bends, which form one group in element order.
static pl_status add_directors(assembler *a, pl__element_group *group)
{
    int32_t *place = PL_NEW(a->ctx, group->count, int32_t);
    pl_status status = place ? pl__directors_create(a->ctx, group) : PL_ERR_MEMORY;
    for (int32_t i = 0; place && i < group->count; ++i)
        place[group->source[i]] = i;
    for (int32_t i = 0; status == PL_OK && i < 3 * group->count; ++i)
    {
        int32_t twin = a->twin[3 * group->source[i / 3] + i % 3];
        if (twin >= 0)
            pl__directors_join(group, i, 3 * place[twin / 3] + twin % 3);
    }
    if (status == PL_OK)
        pl__directors_set_rates(group);
    PL_DELETE(a->ctx, place, group->count);
    return status;
}

// Every triangle with the vertices opposite its edges.
static pl_status add_bends(assembler *a)
{
    const pl_mesh *mesh = a->spec->mesh;
    item_list list;
    pl_status status = PL_ERR_MEMORY;
    if (allocate_list(a, PL__BEND, mesh->element_count, &list))
    {
        for (int32_t i = 0; i < list.count; ++i)
        {
            int32_t t = list.element[i] = a->element_order[i];
            for (int32_t k = 0; k < 3; ++k)
            {
                list.node[6 * (size_t)i + (size_t)k] = pl__mesh_element(mesh, t)[k];
                list.node[6 * (size_t)i + 3 + (size_t)k] = a->twin[3 * t + k] >= 0 ? opposite_node(a, 3 * t + k) : -1;
            }
        }
        status = add_items(a, &list);
        if (status == PL_OK && !a->spec->hinges)
            status = add_directors(a, &a->body->group[a->body->group_count - 1]);
    }
    release_list(a, &list);
    return status;
}

static double area_of(const pl_mesh *mesh, int32_t t)
{
    const int32_t *n = pl__mesh_element(mesh, t);
    const double *x[3] = {&mesh->position[3 * (size_t)n[0]], &mesh->position[3 * (size_t)n[1]],
                          &mesh->position[3 * (size_t)n[2]]};
    double square = 0;
    for (int i = 0; i < 3; ++i)
    {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        double c = (x[1][j] - x[0][j]) * (x[2][k] - x[0][k]) - (x[1][k] - x[0][k]) * (x[2][j] - x[0][j]);
        square += c * c;
    }
    return 0.5 * sqrt(square);
}

// Spring between two nodes for the area around it: stiffness E t A/l^2 (van Gelder 1998), exact for the stretch of
// equilateral triangles, and approximate for others.
static void put_spring(const assembler *a, item_list *list, int32_t from, int32_t to, int32_t element, double area,
                       double share)
{
    const double *x = a->spec->mesh->position;
    double length2 = 0;
    for (int i = 0; i < 3; ++i)
        length2 += (x[3 * (size_t)to + (size_t)i] - x[3 * (size_t)from + (size_t)i]) *
                   (x[3 * (size_t)to + (size_t)i] - x[3 * (size_t)from + (size_t)i]);
    list->node[2 * (size_t)list->count] = from;
    list->node[2 * (size_t)list->count + 1] = to;
    list->element[list->count] = element;
    list->number[list->count++] = share * a->spec->thickness * area / length2;
}

// Each edge once, and the pairs of vertices opposite to it.
static pl_status add_springs(assembler *a)
{
    const pl_mesh *mesh = a->spec->mesh;
    PL_CHECK_FIELD(a->ctx, mesh->element_count <= INT32_MAX / 6, "", "mesh",
                   "%d triangles are more than springs can be made for (%d)", mesh->element_count, INT32_MAX / 6);
    int32_t most = 6 * mesh->element_count;
    item_list list;
    pl_status status = PL_ERR_MEMORY;
    if (allocate_list(a, PL__SPRING, most, &list))
    {
        list.count = 0;
        for (int32_t i = 0; i < 3 * mesh->element_count; ++i)
        {
            int32_t t = a->element_order[i / 3], edge = 3 * t + i % 3, twin = a->twin[edge];
            const int32_t *n = pl__mesh_element(mesh, t);
            if (twin > edge)
                continue;
            double area = area_of(mesh, t) + (twin >= 0 ? area_of(mesh, twin / 3) : 0);
            put_spring(a, &list, n[(i % 3 + 1) % 3], n[(i % 3 + 2) % 3], t, area, 1);
            if (twin >= 0 && a->body->bending > 0 && n[i % 3] != opposite_node(a, edge))
                put_spring(a, &list, n[i % 3], opposite_node(a, edge), t, area, bend_spring_share * a->body->bending);
        }
        status = add_items(a, &list);
        list.count = most;
    }
    release_list(a, &list);
    return status;
}

static pl_status add_shell(assembler *a)
{
    const pl_mesh *mesh = a->spec->mesh;
    size_t edges = 3 * (size_t)mesh->element_count;
    pl__crowd crowd;
    a->twin = PL_NEW(a->ctx, edges, int32_t);
    pl_status status = a->twin ? pl__face_twins(a->ctx, PL_ELEMENT_TRIANGLE, mesh->element, mesh->element_count,
                                                mesh->node_count, a->twin, &crowd)
                               : PL_ERR_MEMORY;
    if (status == PL_OK)
        status = a->spec->springs ? add_springs(a) : a->spec->bending > 0 ? add_bends(a) : PL_OK;
    PL_DELETE(a->ctx, a->twin, edges);
    return status;
}

// ---- surface loads ---------------------------------------------------------------------------------------------

// Returns six times the enclosed volume, relative to the first node; `area` is lumped to the nodes.
static double survey_surface(const assembler *a, double *area)
{
    const pl_mesh *mesh = a->spec->mesh;
    const double *o = &mesh->position[3 * (size_t)mesh->triangle[0]];
    double six = 0;
    for (int32_t t = 0; t < mesh->triangle_count; ++t)
    {
        const int32_t *n = &mesh->triangle[3 * (size_t)t];
        double d[3][3], square = 0;
        for (int k = 0; k < 3; ++k)
            for (int i = 0; i < 3; ++i)
                d[k][i] = mesh->position[3 * (size_t)n[k] + (size_t)i] - o[i];
        for (int i = 0; i < 3; ++i)
        {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            double c = (d[1][j] - d[0][j]) * (d[2][k] - d[0][k]) - (d[1][k] - d[0][k]) * (d[2][j] - d[0][j]);
            six += d[0][i] * c;
            square += c * c;
        }
        for (int k = 0; k < 3; ++k)
            area[n[k]] += 0.5 * sqrt(square) / 3;
    }
    return six;
}

// The field that requires a closed surface.
static const char *air_inside(const assembler *a)
{
    return a->spec->gas && a->spec->pressure == 0 ? "gas" : "pressure";
}

static pl_status check_closed(const assembler *a)
{
    const pl_mesh *mesh = a->spec->mesh;
    size_t edges = 3 * (size_t)mesh->triangle_count;
    int32_t *twin = PL_NEW(a->ctx, edges, int32_t), open = 0;
    pl__crowd crowd;
    pl_status status = twin ? pl__face_twins(a->ctx, PL_ELEMENT_TRIANGLE, mesh->triangle, mesh->triangle_count,
                                             mesh->node_count, twin, &crowd)
                            : PL_ERR_MEMORY;
    for (size_t i = 0; status == PL_OK && i < edges; ++i)
        open += twin[i] == PL__FACE_ALONE;
    PL_DELETE(a->ctx, twin, edges);
    if (status == PL_OK && open)
        return pl__fail_field(
            a->ctx, "", air_inside(a),
            "the surface has %d open edges, so nothing is inside it; close it, or leave out pressure and gas", open);
    return status;
}

// The boundary as surface load elements that face outwards.
static pl_status add_skins(assembler *a)
{
    const pl_mesh *mesh = a->spec->mesh;
    pl__body *body = a->body;
    bool holds = a->spec->holds;
    if (holds)
        PL_TRY(check_closed(a));
    double *area = PL_NEW(a->ctx, mesh->node_count, double);
    item_list list;
    pl_status status = PL_ERR_MEMORY;
    if (allocate_list(a, PL__SURFACE_LOAD, mesh->triangle_count, &list) && area)
    {
        double six = survey_surface(a, area);
        double whole = 0;
        for (int32_t n = 0; n < mesh->node_count; ++n)
            whole += area[n];
        body->air.rest_volume = holds ? fabs(six) / 6 : 0;
        for (int32_t n = 0; n < mesh->node_count; ++n)
            body->air.gas_gain += area[n] > 0 ? area[n] * area[n] / body->mass[body->node_of_source[n]] : 0;
        memcpy(list.node, mesh->triangle, 3 * (size_t)list.count * sizeof *list.node);
        for (int32_t i = 0; holds && six < 0 && i < list.count; ++i)
        {
            list.node[3 * (size_t)i + 1] = mesh->triangle[3 * (size_t)i + 2];
            list.node[3 * (size_t)i + 2] = mesh->triangle[3 * (size_t)i + 1];
        }
        // a flat pillow cannot be inflated: gas pressure is relative to the rest volume
        if (holds && !(body->air.rest_volume > 1e-6 * whole * sqrt(whole)))
            status =
                pl__fail_field(a->ctx, "", air_inside(a),
                               "the surface encloses no volume at rest; give it some, or leave out pressure and gas");
        else
            status = add_items(a, &list);
    }
    release_list(a, &list);
    PL_DELETE(a->ctx, area, mesh->node_count);
    return status;
}

// ---- the step bound --------------------------------------------------------------------------------------------

// Distribute the mass of every node over the elements of each kind in proportion to their stiffness there. Every kind
// gets the full mass: frequencies are bounded per kind and their squares added (solids.c).
static void distribute_mass(pl__body *body, pl__element_kind kind, double *total)
{
    for (int32_t n = 0; n < body->node_count; ++n)
        total[n] = 0;
    for (int pass = 0; pass < 2; ++pass)
        for (int32_t g = 0; g < body->group_count; ++g)
            for (int32_t i = 0; body->group[g].kind == kind && i < body->group[g].count; ++i)
            {
                pl__element_group *group = &body->group[g];
                double share[PL_ELEMENT_CORNERS] = {0};
                pl__element_stiffness(group, i, share);
                for (int32_t k = 0; k < pl__element_type_of(kind)->corners; ++k)
                {
                    int32_t node = *pl__element_node(group, i, k);
                    if (pass == 0)
                        total[node] += share[k];
                    else
                        share[k] *= total[node] > 0 ? body->mass[node] / total[node] : 0;
                }
                if (pass == 1)
                    pl__element_set_gain(group, i, share);
            }
}

static pl_status set_gains(assembler *a)
{
    pl__body *body = a->body;
    double *total = PL_NEW(a->ctx, body->node_count, double);
    if (!total)
        return PL_ERR_MEMORY;
    for (int32_t kind = 0; kind < PL__ELEMENT_KINDS; ++kind)
        if (kind != PL__SURFACE_LOAD && !(kind == PL__TRIANGLE && body->springs)) // do not limit the step
            distribute_mass(body, (pl__element_kind)kind, total);
    PL_DELETE(a->ctx, total, body->node_count);
    for (int32_t g = 0; g < body->group_count; ++g)
        if (body->group[g].plastic)
            pl__plasticity_refresh(a->ctx->register_bytes, &body->group[g]);
    return PL_OK;
}

pl_status pl__element_groups_build(const pl__body_spec *spec, const int32_t *element_order, pl__body *body)
{
    assembler a = {.ctx = body->ctx, .spec = spec, .body = body, .element_order = element_order};
    for (int32_t i = 0; i < spec->mesh->element_count; ++i)
        a.yields |= material_of(&a, i)->yield_strain > 0;
    PL_TRY(add_mesh(&a));
    if (spec->shell)
        PL_TRY(add_shell(&a));
    if (spec->skin)
        PL_TRY(add_skins(&a));
    return set_gains(&a);
}

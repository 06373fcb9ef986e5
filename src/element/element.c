// src/element/element.c -- common operations of all kinds of elements, and kernel dispatch.
#include "element.h"
#include "bend.h"
#include "plasticity.h"
#include "hex.h"
#include "surface_load.h"
#include "spring.h"
#include "tangent.h"
#include "tet.h"
#include "triangle.h"

#include <math.h>
#include <string.h>

static const pl__element_type types[PL__ELEMENT_KINDS] = {
    [PL__TET] = {"tetrahedron", 4, sizeof(pl__tet_frame) / sizeof(double), sizeof(pl__tet_rest), true},
    [PL__HEX] = {"hexahedron", PL_HEX_CORNERS, sizeof(pl__hex_frame) / sizeof(double), sizeof(pl__hex_rest), true},
    [PL__TRIANGLE] = {"triangle", 3, sizeof(pl__triangle_frame) / sizeof(double), sizeof(pl__triangle_rest), true},
    [PL__BEND] = {"bend", 6, sizeof(pl__bend_frame) / sizeof(double), sizeof(pl__bend_rest), false},
    [PL__SPRING] = {"spring", 2, sizeof(pl__spring_frame) / sizeof(double), sizeof(pl__spring_rest), false},
    [PL__SURFACE_LOAD] = {"skin", 3, sizeof(pl__surface_load_frame) / sizeof(double), sizeof(pl__surface_load_rest),
                          false},
};

const pl__element_type *pl__element_type_of(pl__element_kind kind) { return &types[kind]; }

void pl__element_force(int32_t register_bytes, const pl__force_job *job, int32_t begin, int32_t end,
                       pl__element_sums *sums)
{
    switch (job->group->kind)
    {
    case PL__TET: PL_PICK(register_bytes, pl__tet_force)(job, begin, end, sums); return;
    case PL__HEX: PL_PICK(register_bytes, pl__hex_force)(job, begin, end, sums); return;
    case PL__TRIANGLE: PL_PICK(register_bytes, pl__triangle_force)(job, begin, end, sums); return;
    case PL__BEND: PL_PICK(register_bytes, pl__bend_force)(job, begin, end, sums); return;
    case PL__SPRING: PL_PICK(register_bytes, pl__spring_force)(job, begin, end, sums); return;
    case PL__SURFACE_LOAD: PL_PICK(register_bytes, pl__surface_load_force)(job, begin, end, sums); return;
    default: return;
    }
}

void pl__element_damping(int32_t register_bytes, const pl__damping_job *job, int32_t begin, int32_t end)
{
    switch (job->group->kind)
    {
    case PL__TET: PL_PICK(register_bytes, pl__tet_damping)(job, begin, end); return;
    case PL__HEX: PL_PICK(register_bytes, pl__hex_damping)(job, begin, end); return;
    case PL__TRIANGLE: PL_PICK(register_bytes, pl__triangle_damping)(job, begin, end); return;
    case PL__BEND: PL_PICK(register_bytes, pl__bend_damping)(job, begin, end); return;
    case PL__SPRING: PL_PICK(register_bytes, pl__spring_damping)(job, begin, end); return;
    case PL__SURFACE_LOAD: PL_PICK(register_bytes, pl__surface_load_damping)(job, begin, end); return;
    default: return;
    }
}

void pl__element_tangent(int32_t register_bytes, const pl__tangent_job *job, int32_t block)
{
    switch (job->group->kind)
    {
    case PL__TET: PL_PICK(register_bytes, pl__tet_tangent)(job, block); return;
    case PL__HEX: PL_PICK(register_bytes, pl__hex_tangent)(job, block); return;
    case PL__TRIANGLE: PL_PICK(register_bytes, pl__triangle_tangent)(job, block); return;
    case PL__BEND: PL_PICK(register_bytes, pl__bend_tangent)(job, block); return;
    case PL__SPRING: PL_PICK(register_bytes, pl__spring_tangent)(job, block); return;
    case PL__SURFACE_LOAD: PL_PICK(register_bytes, pl__surface_load_tangent)(job, block); return;
    default: return;
    }
}

void pl__element_stiffness(const pl__element_group *group, int32_t element, double corner[PL_ELEMENT_CORNERS])
{
    int32_t block = element / PL_ELEMENT_LANES, lane = element % PL_ELEMENT_LANES;
    switch (group->kind)
    {
    case PL__TET: pl__tet_rest_stiffness(&group->tet[block], lane, corner); return;
    case PL__HEX: pl__hex_rest_stiffness(&group->hex[block], lane, corner); return;
    case PL__TRIANGLE: pl__triangle_rest_stiffness(&group->triangle[block], lane, corner); return;
    case PL__BEND: pl__bend_rest_stiffness(&group->bend[block], lane, corner); return;
    case PL__SPRING: pl__spring_rest_stiffness(&group->spring[block], lane, corner); return;
    case PL__SURFACE_LOAD: corner[0] = corner[1] = corner[2] = 0; return;
    default: return;
    }
}

void pl__element_set_gain(pl__element_group *group, int32_t element, const double mass_share[PL_ELEMENT_CORNERS])
{
    int32_t block = element / PL_ELEMENT_LANES, lane = element % PL_ELEMENT_LANES;
    switch (group->kind)
    {
    case PL__TET: pl__tet_rest_set_gain(&group->tet[block], lane, mass_share); break;
    case PL__HEX: pl__hex_rest_set_gain(&group->hex[block], lane, mass_share); break;
    case PL__TRIANGLE: pl__triangle_rest_set_gain(&group->triangle[block], lane, mass_share); break;
    case PL__BEND: pl__bend_rest_set_gain(&group->bend[block], lane, mass_share); break;
    case PL__SPRING: pl__spring_rest_set_gain(&group->spring[block], lane, mass_share); break;
    default: break;
    }
    if (group->plastic)
        pl__plasticity_set_spread(group, element, mass_share);
}

void pl__element_set_material(pl__element_group *group, int32_t element, const pl__material_params *material)
{
    int32_t block = element / PL_ELEMENT_LANES, lane = element % PL_ELEMENT_LANES;
    switch (group->kind)
    {
    case PL__TET: pl__tet_rest_set_material(&group->tet[block], lane, material); return;
    case PL__HEX: pl__hex_rest_set_material(&group->hex[block], lane, material); return;
    case PL__TRIANGLE: pl__triangle_rest_set_material(&group->triangle[block], lane, material); return;
    case PL__BEND: pl__bend_rest_set_material(&group->bend[block], lane, material); return;
    default: return;
    }
}

static void set_spring(pl__element_group *group, int32_t element, const pl__element_shape *shape,
                       const pl__material_params *material)
{
    double length2 = 0;
    for (int i = 0; i < 3; ++i)
        length2 += (shape->X[1][i] - shape->X[0][i]) * (shape->X[1][i] - shape->X[0][i]);
    pl__spring_rest_set(&group->spring[element / PL_ELEMENT_LANES], element % PL_ELEMENT_LANES, shape->node,
                        sqrt(length2), shape->stiffness, material->damping);
}

static void set_triangle(pl__element_group *group, int32_t element, const pl__element_shape *shape,
                         const pl__material_params *material)
{
    pl__triangle_rest *rest = &group->triangle[element / PL_ELEMENT_LANES];
    int32_t lane = element % PL_ELEMENT_LANES;
    pl__triangle_rest_set(rest, lane, shape->node, shape->X, shape->thickness, group->planar ? NULL : shape->warp,
                          material);
    if (shape->normal)
        pl__triangle_rest_set_normal(rest, lane, shape->normal);
    if (group->woven)
        pl__triangle_rest_set_woven(rest, lane, shape->woven);
}

void pl__element_rest_set(pl__element_group *group, int32_t element, const pl__element_shape *shape,
                          const pl__material_params *material)
{
    int32_t block = element / PL_ELEMENT_LANES, lane = element % PL_ELEMENT_LANES;
    switch (group->kind)
    {
    case PL__TET:
        pl__tet_rest_set(&group->tet[block], lane, shape->node, shape->X, material, group->triangular);
        return;
    case PL__HEX: pl__hex_rest_set(&group->hex[block], lane, shape->node, shape->X, material); return;
    case PL__TRIANGLE: set_triangle(group, element, shape, material); return;
    case PL__BEND:
        pl__bend_rest_set(&group->bend[block], lane, shape->node, shape->X, shape->thickness, material,
                          shape->hinges ? PL__BEND_HINGE : PL__BEND_CURVATURE);
        return;
    case PL__SPRING: set_spring(group, element, shape, material); return;
    case PL__SURFACE_LOAD: pl__surface_load_rest_set(&group->skin[block], lane, shape->node); return;
    default: return;
    }
}

void pl__element_rest_clear(pl__element_group *group, int32_t element, int32_t node)
{
    int32_t block = element / PL_ELEMENT_LANES, lane = element % PL_ELEMENT_LANES;
    switch (group->kind)
    {
    case PL__TET: pl__tet_rest_clear(&group->tet[block], lane, node); return;
    case PL__HEX: pl__hex_rest_clear(&group->hex[block], lane, node); return;
    case PL__TRIANGLE: pl__triangle_rest_clear(&group->triangle[block], lane, node); return;
    case PL__BEND: pl__bend_rest_clear(&group->bend[block], lane, node); return;
    case PL__SPRING: pl__spring_rest_clear(&group->spring[block], lane, node); return;
    case PL__SURFACE_LOAD: pl__surface_load_rest_clear(&group->skin[block], lane, node); return;
    default: return;
    }
}

double pl__element_volume(const pl__element_group *group, int32_t element)
{
    int32_t block = element / PL_ELEMENT_LANES, lane = element % PL_ELEMENT_LANES;
    switch (group->kind)
    {
    case PL__TET: return group->tet[block].volume[lane];
    case PL__HEX: return pl__hex_rest_volume(&group->hex[block], lane);
    case PL__TRIANGLE: return group->triangle[block].volume[lane];
    default: return 0;
    }
}

void pl__element_volume_shares(const pl__element_group *group, int32_t element, double share[PL_ELEMENT_CORNERS])
{
    if (group->kind == PL__HEX)
    {
        pl__hex_rest_shares(&group->hex[element / PL_ELEMENT_LANES], element % PL_ELEMENT_LANES, share);
        return;
    }
    int32_t corners = pl__element_type_of(group->kind)->corners;
    double volume = pl__element_volume(group, element);
    for (int32_t k = 0; k < corners; ++k)
        share[k] = volume / corners;
}

// ---- sums ------------------------------------------------------------------------------------------------------

void pl__sums_clear(pl__element_sums *sums)
{
    memset(sums, 0, sizeof *sums);
    for (int i = 0; i < PL_ELEMENT_LANES; ++i)
        sums->min_J[i] = INFINITY;
}

void pl__sums_merge(pl__element_sums *sums, const pl__element_sums *other)
{
    for (int i = 0; i < PL_ELEMENT_LANES; ++i)
    {
        sums->energy[i] += other->energy[i];
        sums->volume[i] += other->volume[i];
        sums->strain2[i] += other->strain2[i];
        sums->dilation2[i] += other->dilation2[i];
        sums->inverted[i] += other->inverted[i];
        sums->broken[i] += other->broken[i];
        sums->frequency2[i] = other->frequency2[i] > sums->frequency2[i] ? other->frequency2[i] : sums->frequency2[i];
        sums->min_J[i] = other->min_J[i] < sums->min_J[i] ? other->min_J[i] : sums->min_J[i];
        sums->max_stretch[i] =
            other->max_stretch[i] > sums->max_stretch[i] ? other->max_stretch[i] : sums->max_stretch[i];
    }
}

double pl__lane_sum(const double lanes[PL_ELEMENT_LANES])
{
    double sum = 0;
    for (int i = 0; i < PL_ELEMENT_LANES; ++i)
        sum += lanes[i];
    return sum;
}

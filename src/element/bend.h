// src/element/bend.h -- bending of sheets by dihedral angles, in blocks of sixteen triangles.
//
// An element is a triangle (corners 0, 1, 2) with the vertices across its edges (3, 4, 5; edge i is opposite corner
// i). The dihedral angle theta_i at edge i is 0 if the two triangles are coplanar, positive if the neighbour lies
// below. The share of the triangle is phi_i = c_i theta_i + delta_i, with c_i = A/(A + A'_i), and that of the
// neighbour the rest: delta_i is the deviation of the director at the middle of the edge, a degree of freedom
// (director.h). With m_i the unit normal of edge i in the plane of the triangle, of length l_i, the phi_i give the
// shape operator
//
//     S = sum_i phi_i l_i/A  m_i m_i^T
//
// of the triangle (the gradient of the linear function with these values at the edge midpoints), and
//
//     E = A D/2 (nu (tr S)^2 + (1 - nu) S : S) = 1/2 phi^T K phi,   D = E_young t^3/(12 (1 - nu^2)),
//
// is the energy of a plate of rigidity D, with a constant 3x3 matrix K and angles measured from those at rest. With
// the directors at minimum energy this is Morley's plate, of quadratic deflections that are continuous at vertices,
// with continuous slopes at edge midpoints: it passes the patch test on every mesh and its error is O(h^2).
//
// On a boundary edge the moment vanishes: its angle minimises the energy, that is, K is condensed onto the others.
// Non-manifold edges, of three or more triangles, count as boundary edges. A pinned triangle is a clamp (director.h).
// An edge that is folded by more than a right angle becomes a simple hinge (bend_force.kernel.c).
//
// The plain hinge (Grinspun et al. 2003) has E = sum over edges D l^2/(2 (A + A')) theta^2: a diagonal K, no directors,
// exact for cylinders on equilateral meshes only. Energies over the exact ones, nu = 0.3, of a patch rolled to a
// cylinder along the mesh, to cylinders in all directions, to a sphere and to a saddle (tests/bend.c):
//
//                              along  all directions    sphere  saddle
//     curvature  all five      1.000   1.000 ..  1.000   1.000   1.000
//     hinge      structured    1.000   0.770 ..  2.955   0.769   4.286
//     hinge      union jack    1.000   1.000 ..  1.485   0.769   2.857
//     hinge      equilateral   1.000   1.000 ..  1.000   0.513   1.905
//     hinge      oblong 1:3    1.000   0.534 ..  7.287   0.769  14.444
//     hinge      irregular     1.449   0.869 ..  3.996   1.113   5.133
//
// And deflections over the exact ones under load, of a simply supported square (8, 16 and 32 cells a side) and of a
// free one twisted by forces at its corners, in linear trials. Fixed: delta = 0. Fit: S from the quadratic surface
// through the six vertices.
//
//                curvature                    fixed                        fit                          hinge
//     structured 1.052 1.013 1.003    1.000   1.022 1.005 1.001    1.000   1.022 1.005 1.001    1.000   0.576 0.562 0.558    0.350
//     union jack 1.051 1.013 1.003    1.000   0.693 0.643 0.621    0.360   1.703 1.725 1.730    1.000   0.737 0.743 0.744    0.350
//     irregular  1.053 1.013 1.004    1.000   0.934 0.915 0.879    0.830   1.047 1.028 1.020    1.012   0.584 0.542 0.536    0.356
//
// Only with directors does it converge on every mesh. Whole bodies, 16 cells a side or a length: the supported square
// 0.997 to 1.013, and the heavy elastica of w L^3/(E I) = 5 1.004 to 1.005, on four kinds of meshes
// (tests/director.c).
#ifndef PL_ELEMENT_BEND_H
#define PL_ELEMENT_BEND_H

#include "element.h"

typedef enum pl__bend_model
{
    PL__BEND_CURVATURE,
    PL__BEND_HINGE
} pl__bend_model;

// The rest shape of sixteen elements. Unused lanes have no stiffness.
typedef struct pl__bend_rest
{
    int32_t node[6][PL_ELEMENT_LANES]; // world node indices; must come first. Boundary edge: the opposite corner again
    double stiffness[6][PL_ELEMENT_LANES];     // c_i c_j K_ij, for angles: 00 11 22 01 02 12 [J]
    double angle[3][PL_ELEMENT_LANES];         // at rest [rad]; changed by plastic flow
    double delta[3][PL_ELEMENT_LANES];         // director deviations [rad]; the twin has the negative
    double inverse_share[3][PL_ELEMENT_LANES]; // 1/c
    double fade_length2[PL_ELEMENT_LANES];     // 1/(0.2 of the shortest edge at rest)^2 [1/m^2]
    double fade_area2[PL_ELEMENT_LANES];       // (0.2 of twice the smallest area at rest)^2 [m^4]
    double gain[2][PL_ELEMENT_LANES]; // largest inverse share of mass of the corners, and of the vertices across
                                      // [1/kg]
    double damping[PL_ELEMENT_LANES]; // [s]
    // read only by plastic flow and changes of the material
    int32_t model[PL_ELEMENT_LANES];         // pl__bend_model
    int32_t held[PL_ELEMENT_LANES];          // 1: all corners are pinned; it does not bend, and its directors are its
                                             // normal
    double plate[2][PL_ELEMENT_LANES];       // rigidity D [J] and nu
    double flowed[3][PL_ELEMENT_LANES];      // plastic change of rest angles, accumulated without sign [rad]
    double yield[3][PL_ELEMENT_LANES];       // angle at which an edge begins to flow [rad]
    double creep[PL_ELEMENT_LANES];          // rate of flow [1/s]; 0: rate-independent
    double hardening[PL_ELEMENT_LANES];      // increase of the yield per radian of plastic flow
    double limit[PL_ELEMENT_LANES];          // largest plastic rest angle [rad]
    double length[3][PL_ELEMENT_LANES];      // of the edges at rest [m]
    double area[4][PL_ELEMENT_LANES];        // at rest [m^2], own and of the neighbours
    double first_angle[3][PL_ELEMENT_LANES]; // at rest before any flow [rad]
    double thickness[PL_ELEMENT_LANES];      // [m]
} pl__bend_rest;

// Frame: gradients of the three angles, left by the last evaluation of forces for the damping (element/bend_w.h).
typedef struct pl__bend_frame
{
    double normal[3][PL_ELEMENT_LANES];
    double own[3][2][PL_ELEMENT_LANES];
    double across[3][3][PL_ELEMENT_LANES];
    double foot[3][PL_ELEMENT_LANES];
} pl__bend_frame;

// Per-element nodal forces, [corner][component][lane].
typedef struct pl__bend_forces
{
    double f[6][3][PL_ELEMENT_LANES];
} pl__bend_forces;

// Fill lane `lane` with a triangle at rest positions X; node[3 + i] is -1 if edge i has no neighbour. `material` is
// for plane stress, as for the triangle. Elastic.
void pl__bend_rest_set(pl__bend_rest *rest, int32_t lane, const int32_t node[6], const double X[6][3], double thickness,
                       const pl__material_params *material, pl__bend_model model);
// Plastic bending: an edge flows when the strain at the surfaces, from its angle and the heights of both triangles at
// rest (theta t/(h + h'), the same for both sides), exceeds `strain`; the rest angle is moved so that the excess
// vanishes. Rest angles do not exceed `limit` [rad].
void pl__bend_rest_set_yield(pl__bend_rest *rest, int32_t lane, double strain, double hardening, double limit);
// Rate of flow [1/s]; 0, the default: rate-independent.
void pl__bend_rest_set_creep(pl__bend_rest *rest, int32_t lane, double rate);
// Accumulated plastic strain: the largest surface strain that the rest angles have moved by.
double pl__bend_rest_plastic(const pl__bend_rest *rest, int32_t lane);
void pl__bend_rest_set_material(pl__bend_rest *rest, int32_t lane, const pl__material_params *material);
// Set the share of edge i in its angle: c from the areas, or 1, as at an edge of a clamped triangle. K has to be
// rebuilt from the current material.
void pl__bend_rest_set_share(pl__bend_rest *rest, int32_t lane, int i, bool all);
void pl__bend_rest_refresh(pl__bend_rest *rest, int32_t lane);
void pl__bend_rest_set_gain(pl__bend_rest *rest, int32_t lane, const double mass_share[6]);
void pl__bend_rest_stiffness(const pl__bend_rest *rest, int32_t lane, double corner[6]);
// An unused lane.
void pl__bend_rest_clear(pl__bend_rest *rest, int32_t lane, int32_t node);

PL_KERNEL_DECLARE(void, pl__bend_force, (const pl__force_job *job, int32_t begin, int32_t end, pl__element_sums *sums));
PL_KERNEL_DECLARE(void, pl__bend_damping, (const pl__damping_job *job, int32_t begin, int32_t end));

// Scalar reference implementation of both kernels, one element at a time (element/bend_reference.c). Angles are
// relative to rest.
void pl__bend_force_reference(const pl__element_group *group, int32_t element, const double *x, double strength,
                              double force[6][3], double *energy, double angle[3]);
void pl__bend_damping_reference(const pl__element_group *group, int32_t element, const double *x, const double *v,
                                double strength, double force[6][3]);

#endif

// src/element/bend.h -- bending of sheets by dihedral angles, in blocks of sixteen triangles.
//
// An element is a triangle (corners 0, 1, 2) with the vertices across its edges (3, 4, 5; edge i is opposite corner i).
// The angle theta_i at edge i is 0 where the two triangles are flat, positive where the neighbour lies below. Of that
// turn the triangle has phi_i = c_i theta_i + delta_i, with c_i = A/(A + A'_i), and the neighbour the rest: delta_i
// says where between the two normals the director at the middle of the edge is, and is free (director.h). With m_i the
// unit normal of edge i in the plane of the triangle, of length l_i, the phi_i are a change
//
//     S = sum_i phi_i l_i/A  m_i m_i^T
//
// of the normal per length over the triangle (the gradient of the linear function with these values at the middles),
// and
//
//     E = A D/2 (nu (tr S)^2 + (1 - nu) S : S) = 1/2 phi^T K phi,   D = E_young t^3/(12 (1 - nu^2)),
//
// is the energy of a plate of rigidity D with K of 3x3, constant, and angles measured from those at rest. With the
// directors where they cost least this is Morley's plate, of quadratic deflections that meet at vertices and in their
// slopes at the middles of edges: it passes the patch test on every mesh and errs by h^2.
//
// On an edge without a neighbour the moment vanishes: its turn is whatever costs least, that is, K is condensed onto
// the others. Edges of three and more triangles count as such edges. A triangle that is pinned is a clamp (director.h).
// An edge that is folded by more than a right angle becomes a hinge by itself (bend_force.kernel.c).
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
// Only with directors does it converge on every mesh. Of whole bodies, 16 cells a side or a length: the supported
// square 0.997 to 1.013, and the heavy elastica of w L^3/(E I) = 5 1.004 to 1.005, on four kinds of meshes
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
    int32_t node[6][PL_ELEMENT_LANES]; // world node indices; must come first. No neighbour: the opposite corner again
    double stiffness[6][PL_ELEMENT_LANES]; // c_i c_j K_ij, for angles: 00 11 22 01 02 12 [J]
    double angle[3][PL_ELEMENT_LANES];     // at rest [rad]; moved by plastic flow
    double delta[3]
                [PL_ELEMENT_LANES]; // how far the directors turned from their places [rad]; the twin has minus the same
    double inverse_share[3][PL_ELEMENT_LANES]; // 1/c
    double fade_length2[PL_ELEMENT_LANES];     // 1/(0.2 of the shortest edge at rest)^2 [1/m^2]
    double fade_area2[PL_ELEMENT_LANES];       // (0.2 of twice the smallest area at rest)^2 [m^4]
    double gain[2][PL_ELEMENT_LANES]; // largest inverse share of mass of the corners, of the vertices across [1/kg]
    double damping[PL_ELEMENT_LANES]; // [s]
    // what only flow and changes of the material read
    int32_t model[PL_ELEMENT_LANES];    // pl__bend_model
    int32_t held[PL_ELEMENT_LANES];     // 1: its place is given, so it does not bend, and its directors are its normal
    double plate[2][PL_ELEMENT_LANES];  // rigidity D [J] and nu
    double flowed[3][PL_ELEMENT_LANES]; // how far rest angles moved, summed without sign [rad]
    double yield[3][PL_ELEMENT_LANES];  // turn at which an edge begins to flow [rad]
    double creep[PL_ELEMENT_LANES];     // at this rate [1/s]; 0: at once
    double hardening[PL_ELEMENT_LANES]; // by how much it rises per radian flowed
    double limit[PL_ELEMENT_LANES];     // most of |angle| by flow [rad]
    double length[3][PL_ELEMENT_LANES]; // of the edges at rest [m]
    double area[4][PL_ELEMENT_LANES];   // at rest [m^2], own and of the neighbours
    double first_angle[3][PL_ELEMENT_LANES]; // at rest before any flow [rad]
    double thickness[PL_ELEMENT_LANES];      // [m]
} pl__bend_rest;

// What the last evaluation of forces left for the damping: the gradients of the three angles (element/bend_w.h).
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

// Fill lane `lane` with a triangle at rest positions X; node[3 + i] is -1 where edge i has no neighbour. `material` is
// that of plane stress, as of the triangle. Does not flow.
void pl__bend_rest_set(pl__bend_rest *rest, int32_t lane, const int32_t node[6], const double X[6][3], double thickness,
                       const pl__material_params *material, pl__bend_model model);
// Plastic bending: an edge flows when the strain at the surfaces, from its angle and the heights of both triangles at
// rest (theta t/(h + h'): both sides agree), exceeds `strain`; the rest angle follows so that the excess vanishes. Rest
// angles of more than `limit` [rad] are not made.
void pl__bend_rest_set_yield(pl__bend_rest *rest, int32_t lane, double strain, double hardening, double limit);
// How fast they flow [1/s]; 0, as at first: at once.
void pl__bend_rest_set_creep(pl__bend_rest *rest, int32_t lane, double rate);
// How much has flowed: the largest strain at the surfaces that the rest angles have moved by.
double pl__bend_rest_plastic(const pl__bend_rest *rest, int32_t lane);
void pl__bend_rest_set_material(pl__bend_rest *rest, int32_t lane, const pl__material_params *material);
// The share of edge i in its angle: c from the areas, or all of it, as at an edge of a triangle that is held. K has to
// be made again from the material that was set.
void pl__bend_rest_set_share(pl__bend_rest *rest, int32_t lane, int i, bool all);
void pl__bend_rest_refresh(pl__bend_rest *rest, int32_t lane);
void pl__bend_rest_set_gain(pl__bend_rest *rest, int32_t lane, const double mass_share[6]);
void pl__bend_rest_stiffness(const pl__bend_rest *rest, int32_t lane, double corner[6]);
// An unused lane.
void pl__bend_rest_clear(pl__bend_rest *rest, int32_t lane, int32_t node);

PL_KERNEL_DECLARE(void, pl__bend_force, (const pl__force_job *job, int32_t begin, int32_t end, pl__element_sums *sums));
PL_KERNEL_DECLARE(void, pl__bend_damping, (const pl__damping_job *job, int32_t begin, int32_t end));

// The plain scalar oracle of both, one element at a time (element/bend_reference.c). Angles are those from rest.
void pl__bend_force_reference(const pl__element_group *group, int32_t element, const double *x, double strength,
                              double force[6][3], double *energy, double angle[3]);
void pl__bend_damping_reference(const pl__element_group *group, int32_t element, const double *x, const double *v,
                                double strength, double force[6][3]);

#endif

// src/element/hex.h -- trilinear hexahedra in blocks of sixteen.
//
// The cube [0,1]^3 with coordinates xi, mapped to space by x(xi) = sum_a x_a N_a(xi), N_a a product of xi_d or 1 - xi_d
// (thesis 2.10). Corners are in the order of VTK:
//
//     (0,0,0) (1,0,0) (1,1,0) (0,1,0) (0,0,1) (1,0,1) (1,1,1) (0,1,1).
//
// Integrals are sums over 2 x 2 x 2 Gauss points, point q = qx + 2 qy + 4 qz with xi_d = g or 1 - g, g = (1 - 1/sqrt
// 3) / 2, each of weight 1/8. Full integration has no zero-energy modes (hourglassing): only rigid motion is free.
// What it does badly: hexahedra that bend or are nearly incompressible are too stiff (shear and volume locking).
#ifndef PL_ELEMENT_HEX_H
#define PL_ELEMENT_HEX_H

#include "element.h"

enum
{
    PL_HEX_CORNERS = 8,
    PL_HEX_POINTS = 8
};

#define PL_HEX_GAUSS 0.21132486540518711775 // g

// The rest shape of sixteen hexahedra. Unused lanes of the last block have zero volume and moduli.
typedef struct pl__hex_rest
{
    int32_t node[PL_HEX_CORNERS][PL_ELEMENT_LANES];     // world node indices; must come first
    double inverse[PL_HEX_POINTS][9][PL_ELEMENT_LANES]; // B = (dX/dxi)^-1 at each point, column-major
    double volume[PL_HEX_POINTS][PL_ELEMENT_LANES];     // [m^3] quadrature weight of each point
    double damping[PL_ELEMENT_LANES];                   // [s]
    double gain[2][PL_ELEMENT_LANES];                   // [m/kg] as for tetrahedra (pl__hex_rest_set_gain)
    pl__material_block material;
} pl__hex_rest;

// Frame: left by the last evaluation of forces for the damping; per point that of a tetrahedron.
typedef struct pl__hex_frame
{
    double a[PL_HEX_POINTS][9][PL_ELEMENT_LANES];
} pl__hex_frame;

// Per-element nodal forces, [corner][component][lane].
typedef struct pl__hex_forces
{
    double f[PL_HEX_CORNERS][3][PL_ELEMENT_LANES];
} pl__hex_forces;

// dN_a/dxi_d of all corners at point q.
void pl__hex_slopes(int32_t q, double slope[PL_HEX_CORNERS][3]);

// Exact volume of a hexahedron and, unless `point` is NULL, the weight of each point. All weights of a valid rest
// shape are positive.
double pl__hex_volume(const double X[PL_HEX_CORNERS][3], double point[PL_HEX_POINTS]);

// Fill lane `lane` with a hexahedron at rest positions X, of the world nodes `node`.
void pl__hex_rest_set(pl__hex_rest *rest, int32_t lane, const int32_t node[PL_HEX_CORNERS],
                      const double X[PL_HEX_CORNERS][3], const pl__material_params *material);
// Factors from stiffnesses of this element to a bound on the highest frequency of the mesh, as for tetrahedra
// (element/tet.h). With k and t the largest stiffness and coupling of the points, a motion u of the corners has at
// most
//
//     sum_q w_q (t (R_q : dF_q)^2 + k |dF_q|^2),     dF_q = sum_a u_a g_a(q)^T,
//
// g_a the gradients of the shape functions and R_q arbitrary rotations. The gains are bounds on the largest eigenvalue
// of either sum in the metric of the shares of mass m_a. The second is that of the 8 x 8 matrix over pairs of corners
// sum_q w_q g_a(q) . g_b(q) / sqrt(m_a m_b). The first is that of the matrix over pairs of points
//
//     sqrt(w_p w_q) sum_a (R_p g_a(p)) . (R_q g_a(q)) / m_a = tr(R_p M_pq R_q^T),
//
// whose entries are at most the sum of the singular values of M_pq for any rotations; and since (R : dF)^2 <= 3
// |dF|^2, at most three times the second.
void pl__hex_rest_set_gain(pl__hex_rest *rest, int32_t lane, const double mass_share[PL_HEX_CORNERS]);
// Diagonal stiffness at rest of the corners [N/m], for the shares of mass.
void pl__hex_rest_stiffness(const pl__hex_rest *rest, int32_t lane, double corner[PL_HEX_CORNERS]);
void pl__hex_rest_set_material(pl__hex_rest *rest, int32_t lane, const pl__material_params *material);
// An unused lane: zero volume at node `node`.
void pl__hex_rest_clear(pl__hex_rest *rest, int32_t lane, int32_t node);
double pl__hex_rest_volume(const pl__hex_rest *rest, int32_t lane);
// Volume share of each corner: the integrals of the shape functions.
void pl__hex_rest_shares(const pl__hex_rest *rest, int32_t lane, double share[PL_HEX_CORNERS]);

PL_KERNEL_DECLARE(void, pl__hex_force, (const pl__force_job *job, int32_t begin, int32_t end, pl__element_sums *sums));
PL_KERNEL_DECLARE(void, pl__hex_damping, (const pl__damping_job *job, int32_t begin, int32_t end));
// Rebuild B' and the gains of all elements from their Fp (element/plasticity.h).
PL_KERNEL_DECLARE(void, pl__hex_flow_refresh, (const pl__element_group *group));

// Scalar reference implementation of both kernels, one hexahedron at a time (element/hex_reference.c).
void pl__hex_force_reference(const pl__element_group *group, int32_t hex, const double *x, double strength,
                             double force[PL_HEX_CORNERS][3], double *energy, double A[PL_HEX_POINTS][9]);
void pl__hex_damping_reference(const pl__element_group *group, int32_t hex, const double *x, const double *v,
                               double strength, double force[PL_HEX_CORNERS][3]);

#endif

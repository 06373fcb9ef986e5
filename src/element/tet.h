// src/element/tet.h -- linear tetrahedra in blocks of sixteen.
#ifndef PL_ELEMENT_TET_H
#define PL_ELEMENT_TET_H

#include "element.h"

// The rest shape of sixteen tetrahedra. Unused lanes of the last block have zero volume and moduli.
typedef struct pl__tet_rest
{
    int32_t node[4][PL_ELEMENT_LANES]; // world node indices; must come first
    double inverse[9]
                  [PL_ELEMENT_LANES]; // B = Dm^-1, column-major; with triangular storage only 0, 3, 4, 6, 7, 8 are set
    double volume[PL_ELEMENT_LANES];  // [m^3]
    double damping[PL_ELEMENT_LANES]; // [s]
    double gain[2][PL_ELEMENT_LANES]; // [m/kg] stiffness and coupling to frequency squared (pl__tet_rest_set_gain)
    pl__material_block material;
} pl__tet_rest;

// Frame: left by the last evaluation of forces for the damping.
//   rotated:  a_i = R b_i for i = 1, 2, 3, by column
//   others:   A, by column (element/damping_w.h)
typedef struct pl__tet_frame
{
    double a[9][PL_ELEMENT_LANES];
} pl__tet_frame;

// Per-element nodal forces, [corner][component][lane].
typedef struct pl__tet_forces
{
    double f[4][3][PL_ELEMENT_LANES];
} pl__tet_forces;

// Fill lane `lane` with a tetrahedron at rest positions X[4], of the world nodes `node`.
void pl__tet_rest_set(pl__tet_rest *rest, int32_t lane, const int32_t node[4], const double X[4][3],
                      const pl__material_params *material, bool triangular);
// Factors from a stiffness of this element to a bound on the highest frequency of the mesh. Each element may use any
// share of the mass of its nodes as long as the shares of a node add up to one (Irons & Treharne: the largest
// eigenvalue of the elements bounds that of the mesh). With b_i the gradients of the shape functions scaled by sqrt(V
// / share of mass), the gains are the largest eigenvalue and the trace of sum b_i b_i^T. Shares in proportion to
// stiffness make the bound nearly the same for all elements.
void pl__tet_rest_set_gain(pl__tet_rest *rest, int32_t lane, const double mass_share[4]);
// Diagonal stiffness at rest of the four corners [N/m], for the shares of mass.
void pl__tet_rest_stiffness(const pl__tet_rest *rest, int32_t lane, double corner[4]);
void pl__tet_rest_set_material(pl__tet_rest *rest, int32_t lane, const pl__material_params *material);
// An unused lane: zero volume at node `node`.
void pl__tet_rest_clear(pl__tet_rest *rest, int32_t lane, int32_t node);

PL_KERNEL_DECLARE(void, pl__tet_force, (const pl__force_job *job, int32_t begin, int32_t end, pl__element_sums *sums));
PL_KERNEL_DECLARE(void, pl__tet_damping, (const pl__damping_job *job, int32_t begin, int32_t end));
// Rebuild B' = B Fp^-1 and the gains of all elements from their Fp (element/plasticity.h).
PL_KERNEL_DECLARE(void, pl__tet_flow_refresh, (const pl__element_group *group));

// Scalar reference implementation of both kernels, one tetrahedron at a time (element/tet_reference.c).
void pl__tet_force_reference(const pl__element_group *group, int32_t tet, const double *x, double strength,
                             double force[4][3], double *energy, double A[9]);
void pl__tet_damping_reference(const pl__element_group *group, int32_t tet, const double *x, const double *v,
                               double strength, double force[4][3]);

#endif

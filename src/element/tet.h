// src/element/tet.h -- linear tetrahedra in blocks of sixteen.
//
// A group holds tetrahedra of one kind (model, inversion rule, damping model); their numbers are per lane. Kernels work
// on whole blocks and write per-element results; sums at the nodes are made by the gather (element/gather.h).
#ifndef PL_ELEMENT_TET_H
#define PL_ELEMENT_TET_H

#include "base/context.h"
#include "base/cpu.h"
#include "material/material.h"

enum
{
    PL_TET_LANES = 16
};

// The rest shape of sixteen tetrahedra. Unused lanes of the last block have zero volume and moduli.
typedef struct pl__tet_rest
{
    int32_t node[4][PL_TET_LANES];   // world node indices
    double inverse[9][PL_TET_LANES]; // B = Dm^-1, column-major; with triangular storage only 0, 3, 4, 6, 7, 8 are set
    double volume[PL_TET_LANES];     // [m^3]
    double damping[PL_TET_LANES];    // [s]
    double gain[2][PL_TET_LANES];    // [m/kg] stiffness and coupling to frequency squared (pl__tet_rest_set_gain)
    pl__material_block material;
} pl__tet_rest;

// What the last evaluation of forces left for the damping.
//   rotated:  a_i = R b_i for i = 1, 2, 3, by column
//   others:   A, by column (element/tet_damping.kernel.c)
typedef struct pl__tet_frame
{
    double a[9][PL_TET_LANES];
} pl__tet_frame;

// Per-element nodal forces, [corner][component][lane].
typedef struct pl__tet_forces
{
    double f[4][3][PL_TET_LANES];
} pl__tet_forces;

typedef struct pl__tet_group
{
    pl__law law;
    pl_damping_model damping_model;
    bool triangular;       // rest shapes rotated so that B is upper triangular (thesis 2.3)
    bool damped;           // some element has damping
    int32_t tet_count;
    int32_t block_count;
    int32_t first_block;   // of the group, in the world's frame and force arrays
    pl__tet_rest *rest;    // [block_count]
    int32_t *source;       // [tet_count] index of each tetrahedron in the body's mesh
} pl__tet_group;

// Sums over a range of blocks. Kernels add up lane by lane, so that the order is the same for every register width.
typedef struct pl__tet_sums
{
    double energy[PL_TET_LANES];    // [J], only where asked for
    double volume[PL_TET_LANES];    // [m^3] current
    double strain2[PL_TET_LANES];   // [m^3] rest volume times sum (s_i - 1)^2
    double dilation2[PL_TET_LANES]; // [m^3] rest volume times (J - 1)^2
    double inverted[PL_TET_LANES];  // count of J <= 0
    double frequency2[PL_TET_LANES]; // largest bound on the squared highest frequency [1/s^2]
    double min_J[PL_TET_LANES];
    double max_stretch[PL_TET_LANES];
    double broken[PL_TET_LANES];    // count of elements whose force is not finite
} pl__tet_sums;

void pl__tet_sums_clear(pl__tet_sums *sums);
// Add `other` (of later blocks) to `sums`.
void pl__tet_sums_merge(pl__tet_sums *sums, const pl__tet_sums *other);
// The sixteen lanes added in their order.
double pl__tet_lane_sum(const double lanes[PL_TET_LANES]);

// Fill lane `lane` with a tetrahedron at rest positions X[4], of the world nodes `node`.
void pl__tet_rest_set(pl__tet_rest *rest, int32_t lane, const int32_t node[4], double X[4][3],
                      const pl__material_params *material, bool triangular);
// What a stiffness in this element means for the highest frequency of the mesh. Each element may count on any share of the
// mass of its nodes as long as the shares of a node add up to one (Irons & Treharne: the largest eigenvalue of the elements
// bounds that of the mesh). With b_i the gradients of the shape functions scaled by sqrt(V / share of mass), the gains are
// the largest eigenvalue and the trace of sum b_i b_i^T. Shares in proportion to stiffness make the bound close to even.
void pl__tet_rest_set_gain(pl__tet_rest *rest, int32_t lane, const double mass_share[4]);
// Diagonal stiffness at rest of the four corners [N/m], the measure for the shares.
void pl__tet_rest_stiffness(const pl__tet_rest *rest, int32_t lane, double corner[4]);
// An unused lane: zero volume at node `node`.
void pl__tet_rest_clear(pl__tet_rest *rest, int32_t lane, int32_t node);

// Elastic forces of the blocks [begin, end) of a group at positions x, times `strength`; `frame` is indexed like the
// group's blocks and may be NULL when nothing damps; force[0] is that of the first block asked for.
typedef struct pl__tet_force_job
{
    const pl__tet_group *group;
    const double *x; // [3 node_count + 1], readable one past the end
    double strength;
    bool want_energy;
    pl__tet_frame *frame;
    pl__tet_forces *force;
} pl__tet_force_job;
PL_KERNEL_DECLARE(void, pl__tet_force, (const pl__tet_force_job *job, int32_t begin, int32_t end, pl__tet_sums *sums));

// The damping force per unit of -strength: y = D(frame) v, positive semidefinite, element by element into `force`.
typedef struct pl__tet_damping_job
{
    const pl__tet_group *group;
    const double *v; // [3 node_count + 1]
    double strength;
    const pl__tet_frame *frame;
    pl__tet_forces *force;
} pl__tet_damping_job;
PL_KERNEL_DECLARE(void, pl__tet_damping, (const pl__tet_damping_job *job, int32_t begin, int32_t end));

// The plain scalar oracle of both, one tetrahedron at a time (element/tet_reference.c).
void pl__tet_force_reference(const pl__tet_group *group, int32_t tet, const double *x, double strength,
                             double force[4][3], double *energy, double A[9]);
void pl__tet_damping_reference(const pl__tet_group *group, int32_t tet, const double *x, const double *v, double strength,
                               double force[4][3]);

#endif

// src/element/spring.h -- springs between two nodes, in blocks of sixteen (mass-spring cloth: thesis, figure 3.4).
//
//     E = k/2 (l - L)^2,   f_1 = -k (l - L) n = -f_0,   n = (x1 - x0)/l,
//
// without force at l = 0, where n is undefined. The damping is along n, tau k n n^T. The stiffness is k along n and
// tension over length, k (1 - L/l) < k, across: k (1/m_0 + 1/m_1) is the largest squared frequency exactly.
#ifndef PL_ELEMENT_SPRING_H
#define PL_ELEMENT_SPRING_H

#include "element.h"

// Unused lanes have no stiffness.
typedef struct pl__spring_rest
{
    int32_t node[2][PL_ELEMENT_LANES];  // world node indices; must come first
    double length[PL_ELEMENT_LANES];    // at rest [m]
    double stiffness[PL_ELEMENT_LANES]; // [N/m]
    double damping[PL_ELEMENT_LANES];   // [s]
    double gain[PL_ELEMENT_LANES];      // 1/m_0 + 1/m_1 of the shares of mass [1/kg]
} pl__spring_rest;

// Frame: n, or zero, left by the last evaluation of forces for the damping.
typedef struct pl__spring_frame
{
    double direction[3][PL_ELEMENT_LANES];
} pl__spring_frame;

// Per-element nodal forces, [corner][component][lane].
typedef struct pl__spring_forces
{
    double f[2][3][PL_ELEMENT_LANES];
} pl__spring_forces;

void pl__spring_rest_set(pl__spring_rest *rest, int32_t lane, const int32_t node[2], double length, double stiffness,
                         double damping);
void pl__spring_rest_set_stiffness(pl__spring_rest *rest, int32_t lane, double stiffness, double damping);
void pl__spring_rest_set_gain(pl__spring_rest *rest, int32_t lane, const double mass_share[2]);
void pl__spring_rest_stiffness(const pl__spring_rest *rest, int32_t lane, double corner[2]);
// An unused lane.
void pl__spring_rest_clear(pl__spring_rest *rest, int32_t lane, int32_t node);

PL_KERNEL_DECLARE(void, pl__spring_force,
                  (const pl__force_job *job, int32_t begin, int32_t end, pl__element_sums *sums));
PL_KERNEL_DECLARE(void, pl__spring_damping, (const pl__damping_job *job, int32_t begin, int32_t end));

// Scalar reference implementation of both kernels, one spring at a time; energy may be NULL.
void pl__spring_force_reference(const pl__element_group *group, int32_t spring, const double *x, double strength,
                                double force[2][3], double *energy);
void pl__spring_damping_reference(const pl__element_group *group, int32_t spring, const double *x, const double *v,
                                  double strength, double force[2][3]);

#endif

// src/element/surface_load.h -- air loads on surface triangles, in blocks of sixteen: internal pressure, wind and
// drag.
//
// With n the unit normal and A the area of a triangle, and u the mean velocity of its corners against the wind, the
// force is
//
//     p A n - C u,   C = rho/2 A (c_n |u_n| n n^T + c_t |u| (1 - n n^T)),
//
// a third at each corner: pressure, and quadratic drag across and along the surface. C is frozen at the velocities of
// an evaluation. The force kernel gives p A n + C wind, the damping C times the mean velocity: drag is implicit in a
// step, cannot overshoot, and together they are the force above. Neither has a stiffness that limits the step.
#ifndef PL_ELEMENT_SURFACE_LOAD_H
#define PL_ELEMENT_SURFACE_LOAD_H

#include "element.h"

// Air around the surface of a group.
typedef struct pl__air
{
    double wind[3];  // [m/s]
    double density;  // [kg/m^3]
    double across;   // c_n, drag coefficient for motion along the normal
    double along;    // c_t, and in the plane
    double pressure; // gauge pressure inside [Pa], along the normals
} pl__air;

// Unused lanes have three times the same node, hence no area.
typedef struct pl__surface_load_rest
{
    int32_t node[3][PL_ELEMENT_LANES]; // world node indices, counter-clockwise seen from outside; must come first
} pl__surface_load_rest;

// Frame: C = across n n^T + along (1 - n n^T) [N s/m], left by the last evaluation of forces for the damping.
typedef struct pl__surface_load_frame
{
    double normal[3][PL_ELEMENT_LANES];
    double across[PL_ELEMENT_LANES], along[PL_ELEMENT_LANES];
} pl__surface_load_frame;

// Per-element nodal forces, [corner][component][lane].
typedef struct pl__surface_load_forces
{
    double f[3][3][PL_ELEMENT_LANES];
} pl__surface_load_forces;

void pl__surface_load_rest_set(pl__surface_load_rest *rest, int32_t lane, const int32_t node[3]);
// An unused lane.
void pl__surface_load_rest_clear(pl__surface_load_rest *rest, int32_t lane, int32_t node);

// Without velocities (job->v NULL) the corners are taken to be at rest.
PL_KERNEL_DECLARE(void, pl__surface_load_force,
                  (const pl__force_job *job, int32_t begin, int32_t end, pl__element_sums *sums));
PL_KERNEL_DECLARE(void, pl__surface_load_damping, (const pl__damping_job *job, int32_t begin, int32_t end));

// Signed volume between the triangles of blocks [begin, end) and `centre`, summed lane by lane; for a closed surface
// the enclosed volume, whatever the centre [m^3].
double pl__surface_load_volume(const pl__element_group *group, const double *x, int32_t begin, int32_t end,
                               const double centre[3]);

// Scalar reference implementation of both kernels, one triangle at a time.
void pl__surface_load_force_reference(const pl__element_group *group, int32_t skin, const double *x, const double *v,
                                      double strength, double force[3][3]);
void pl__surface_load_damping_reference(const pl__element_group *group, int32_t skin, const double *x,
                                        const double *frozen, const double *v, double strength, double force[3][3]);

#endif

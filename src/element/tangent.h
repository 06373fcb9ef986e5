// src/element/tangent.h -- element tangent stiffness and damping matrices, made positive semidefinite.
//
// For every element and each pair of different corners (a, b), a < b, the block
//
//     elastic K_ab + damped D_ab,      K = -df/dx,  D as in the damping kernels,
//
// with negative eigenvalues of K set to zero, element by element, so that a Newton direction is a descent direction
// from every shape (solid/implicit_euler.c). Each kernel explains its projection.
#ifndef PL_ELEMENT_TANGENT_H
#define PL_ELEMENT_TANGENT_H

#include "element.h"

// Blocks are [pair][9][lane], row-major, the pairs of corner 0 first; rows sum to zero, since a translation causes no
// force. Surface loads, which feel a translation, also store the sums of their rows. Frames are those of the last
// evaluation of forces, at the same x.
typedef struct pl__tangent_job
{
    const pl__element_group *group;
    const double *x; // [3 node_count + 1]
    double strength;
    double elastic, damped; // factors [s^2], [s]
    const double *frame;    // that of the group's first block
    double *matrix;         // [9 blocks][lane]
} pl__tangent_job;

// The matrices of the sixteen elements of a block.
void pl__element_tangent(int32_t register_bytes, const pl__tangent_job *job, int32_t block);

PL_KERNEL_DECLARE(void, pl__tet_tangent, (const pl__tangent_job *job, int32_t block));
PL_KERNEL_DECLARE(void, pl__hex_tangent, (const pl__tangent_job *job, int32_t block));
PL_KERNEL_DECLARE(void, pl__triangle_tangent, (const pl__tangent_job *job, int32_t block));
PL_KERNEL_DECLARE(void, pl__bend_tangent, (const pl__tangent_job *job, int32_t block));
PL_KERNEL_DECLARE(void, pl__spring_tangent, (const pl__tangent_job *job, int32_t block));
PL_KERNEL_DECLARE(void, pl__surface_load_tangent, (const pl__tangent_job *job, int32_t block));

// Whether the law is corotated linear elasticity, or plain linear elasticity (material/linear.inl): its rotation is
// fixed while forces are linearised, K = R K_rest R^T (Mueller & Gross 2004).
static inline bool pl__is_warped(const pl__law *law)
{
    return law->inversion == PL_INVERSION_NONE &&
           (law->kind == PL_MATERIAL_ROTATED_LINEAR || law->kind == PL_MATERIAL_LINEAR);
}
// Whether frames hold R b_i and suffice for the matrix: corotated laws, and damping alone.
static inline bool pl__is_in_frame(const pl__element_group *group, double elastic)
{
    return group->damping_model == PL_DAMPING_ROTATED &&
           (elastic == 0 || (pl__is_warped(&group->law) && !group->fiber));
}

#endif

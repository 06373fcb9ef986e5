// src/element/diagonal.h -- diagonal 3x3 blocks of the damping matrix, for the block Jacobi preconditioner.
#ifndef PL_ELEMENT_DIAGONAL_H
#define PL_ELEMENT_DIAGONAL_H

#include "element.h"

enum
{
    PL__DIAGONAL_EVEN, // xx, yy, zz
    PL__DIAGONAL_MIXED // xy, xz, yz
};

// Half of the symmetric 3x3 blocks of the corners of blocks [begin, end), in the layout of forces, per unit of
// strength as in pl__damping_job; v is not read. Bends and surface loads are weak and left out.
typedef struct pl__diagonal_job
{
    const pl__element_group *group;
    int32_t part; // which half
    double strength;
    const double *frame;
    double *force;
} pl__diagonal_job;
PL_KERNEL_DECLARE(void, pl__element_diagonal, (const pl__diagonal_job *job, int32_t begin, int32_t end));

#endif

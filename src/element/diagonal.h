// src/element/diagonal.h -- the diagonal blocks of the damping: how a node resists its own motion, for preconditioning.
#ifndef PL_ELEMENT_DIAGONAL_H
#define PL_ELEMENT_DIAGONAL_H

#include "element.h"

enum
{
    PL__DIAGONAL_EVEN, // xx, yy, zz
    PL__DIAGONAL_MIXED // xy, xz, yz
};

// Half of the symmetric 3x3 blocks of the corners of the blocks [begin, end), laid out like forces, per unit of
// strength as in pl__damping_job; v is not read. Bends and skins, which are weak, count as nothing.
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

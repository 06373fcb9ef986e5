// src/material/fiber.h -- tension of muscle fibres, scalar and over arrays; the law is in fiber_w.h.
#ifndef PL_MATERIAL_FIBER_H
#define PL_MATERIAL_FIBER_H

#include "base/cpu.h"

typedef struct pl__fiber
{
    double strength;   // maximal active tension [Pa]
    double optimal;    // stretch at which it is reached
    double activation; // 0 to 1
} pl__fiber;

// At the squared length |F a|^2: energy per rest volume, tension over length and a bound on the stiffness (fiber_w.h).
void pl__fiber_pull(const pl__fiber *fiber, double length2, double *energy, double *pull, double *stiffness);

// The same for `count` lengths, a multiple of 8.
PL_KERNEL_DECLARE(void, pl__fiber_batch,
                  (const pl__fiber *fiber, int32_t count, const double *length2, double *energy, double *pull,
                   double *stiffness));

#endif

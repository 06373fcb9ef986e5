// src/fluid/part.h -- the part of a cell on which phi < 0.
#ifndef PL_FLUID_PART_H
#define PL_FLUID_PART_H

#include "base/cpu.h"

// Of a cell with the samples v, its own and those of its neighbours: index 9 (dz + 1) + 3 (dx + 1) + dy + 1.
PL_KERNEL_DECLARE(double, pl__cell_part, (const double v[27]));

#endif

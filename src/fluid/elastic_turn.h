// src/fluid/elastic_turn.h -- rows of cells whose corners are turned (elastic.c).
#ifndef PL_FLUID_ELASTIC_TURN_H
#define PL_FLUID_ELASTIC_TURN_H

#include "base/cpu.h"

enum
{
    PL__CORNERS = 8,  // of a cell: x + 2 y + 4 z
    PL__TURN_ROWS = 8 // cells at a time, above each other
};

typedef struct pl__turn_rows
{
    const double *diagonal[3];                                  // [rows] of the cells
    const double *shear[3][PL__CORNERS], *spin[3][PL__CORNERS]; // [rows] of the edge along an axis that meets a corner
    double *turned[3][PL__CORNERS];                             // [rows] shear of the turned tensor
    double *mean[3];                                            // [rows] its diagonal; may be `diagonal`
} pl__turn_rows;

// Turn by dt spin.
PL_KERNEL_DECLARE(void, pl__turn_rows, (double dt, const pl__turn_rows *rows));

#endif

// src/solid/grab.h -- hands: patches of nodes that springs pull to points (grab.c has the mathematics).
#ifndef PL_SOLID_GRAB_H
#define PL_SOLID_GRAB_H

#include "solids.h"

enum
{
    PL__GRAB_NODES = 64,
    PL__GRABS = 16
};

typedef struct pl__grab
{
    int32_t id; // as users know it; 0: this place is free
    pl__body *body;
    int32_t count;
    int32_t node[PL__GRAB_NODES]; // local, in the engine's order, each once
    double stiffness;             // [N/m]
    double lead[3];               // from the middle of the patch to the point that was taken [m]
    double at[3];                 // where that point is wanted now [m]
    double to[3];                 // at the end of the substep
    double target[3];             // and at the end of the step
} pl__grab;

// The mean of its nodes, by mass.
void pl__grab_middle(const pl__solids *solids, const pl__grab *grab, double middle[3]);

// The nodes of all grabs as if nothing held them, before soft pins and grabs take hold of them again in a solve.
void pl__grabs_reset(pl__solids *solids, const pl__grab *grab, int32_t count);
// Prepare a solve, after pl__pins_soften: `way` is what the springs' damping has seen already, NULL in the first solve.
void pl__grab_soften(pl__solids *solids, const pl__grab *grab, double dt, const double *way);
// The same where one solve is the whole step.
void pl__grab_soften_whole(pl__solids *solids, const pl__grab *grab, double dt);

#endif

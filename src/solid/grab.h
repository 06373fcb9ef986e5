// src/solid/grab.h -- grabs: patches of nodes that a spring pulls towards a point (equations in grab.c).
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
    int32_t id; // public id; 0: free slot
    pl__body *body;
    int32_t count;
    int32_t node[PL__GRAB_NODES]; // local, engine order, each once
    double stiffness;             // [N/m]
    double lead[3];               // offset of the grabbed point from the centre of the patch [m]
    double at[3];                 // current target of the grabbed point [m]
    double to[3];                 // target at the end of the substep
    double target[3];             // target at the end of the frame
} pl__grab;

// Centre of mass of its nodes.
void pl__grab_middle(const pl__solids *solids, const pl__grab *grab, double middle[3]);

// Reset inertia and push of the nodes of all grabs, before soft pins and grabs are applied again for a solve.
void pl__grabs_reset(pl__solids *solids, const pl__grab *grab, int32_t count);
// Prepare a solve, after pl__pins_soften: `damped_velocity` are the velocities that the springs' damping has seen
// already; NULL in the first solve.
void pl__grab_soften(pl__solids *solids, const pl__grab *grab, double dt, const double *damped_velocity);
// The same for a step of a single solve.
void pl__grab_soften_whole(pl__solids *solids, const pl__grab *grab, double dt);

#endif

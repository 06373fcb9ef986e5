// bench/bodies.h -- boxes of a wanted number of tetrahedra, in motion.
#ifndef PL_BENCH_BODIES_H
#define PL_BENCH_BODIES_H

#include "bench.h"
#include "world/world.h"

typedef struct body_choice
{
    int32_t tets;  // wanted; what comes is within a few per cent
    int32_t nodes; // or this many nodes, if not 0
    pl_shape_cut cut;
    pl_material_kind kind;
    pl_damping_model damping;
    pl_velocity_update update;
    bool triangular;
    pl_integrator integrator;
    double substep; // [s]; 0: by itself
    bool collides;  // with itself and others
} body_choice;

// A box that is bent, stretched and shaken (no two elements alike), with velocities; exits when it cannot be made.
pl_world *body_world(const bench *b, const body_choice *choice);
// The group that holds all its tetrahedra.
pl__element_group *body_group(pl_world *world);

#endif

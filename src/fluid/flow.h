// src/fluid/flow.h -- a velocity field, and points that follow it.
//
// Whoever moves points sees velocity through one function of batches: the simulation samples its faces with wide
// registers, tests give formulas.
#ifndef PL_FLUID_FLOW_H
#define PL_FLUID_FLOW_H

#include <stdbool.h>
#include <stdint.h>

enum
{
    PL__FLOW_BATCH = 256 // points of a call, at most
};

// Velocities v [m/s] of `count` points x [m] at a time [s]. Called from tasks.
typedef void pl__flow(void *user, double time, int32_t count, const double *const x[3], double *const v[3]);
// Push points out of where they may not be. Called from tasks.
typedef void pl__constrain(void *user, double time, int32_t count, double *const x[3]);

typedef struct pl__motion
{
    pl__flow *flow;
    pl__constrain *constrain; // after a move of particles, or NULL
    void *user;               // of both
    bool midpoint;            // a method of second order is enough
} pl__motion;

// Move a batch from `time` to time + dt, dt < 0 backwards, by Ralston's third-order Runge-Kutta method or the midpoint
// rule.
void pl__flow_trace(const pl__motion *motion, double time, double dt, int32_t count, double *const x[3]);

#endif

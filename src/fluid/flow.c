// src/fluid/flow.c -- points along a velocity field.
//
//     v1 = u(x),   v2 = u(x + dt v1 / 2),   v3 = u(x + 3 dt v2 / 4),   x += dt (2 v1 + 3 v2 + 4 v3) / 9
//
// Ralston 1962: among the methods of third order the one with the smallest bound of its error.
#include "flow.h"

typedef struct batch
{
    double at[3][PL__FLOW_BATCH], v[3][PL__FLOW_BATCH], sum[3][PL__FLOW_BATCH];
} batch;

// sum += weight v, at = x + step v
static void stage(batch *b, int32_t count, double *const x[3], double weight, double step)
{
    for (int axis = 0; axis < 3; ++axis)
        for (int32_t n = 0; n < count; ++n)
        {
            b->sum[axis][n] += weight * b->v[axis][n];
            b->at[axis][n] = x[axis][n] + step * b->v[axis][n];
        }
}

void pl__flow_trace(const pl__motion *motion, double time, double dt, int32_t count, double *const x[3])
{
    batch b;
    const double *const from[3] = {x[0], x[1], x[2]}, *const at[3] = {b.at[0], b.at[1], b.at[2]};
    double *const v[3] = {b.v[0], b.v[1], b.v[2]};
    for (int axis = 0; axis < 3; ++axis)
        for (int32_t n = 0; n < count; ++n)
            b.sum[axis][n] = 0;
    motion->flow(motion->user, time, count, from, v);
    stage(&b, count, x, 2, 0.5 * dt);
    motion->flow(motion->user, time + 0.5 * dt, count, at, v);
    if (motion->midpoint)
    {
        for (int axis = 0; axis < 3; ++axis)
            for (int32_t n = 0; n < count; ++n)
                x[axis][n] += dt * b.v[axis][n];
        return;
    }
    stage(&b, count, x, 3, 0.75 * dt);
    motion->flow(motion->user, time + 0.75 * dt, count, at, v);
    stage(&b, count, x, 4, 0);
    for (int axis = 0; axis < 3; ++axis)
        for (int32_t n = 0; n < count; ++n)
            x[axis][n] += dt / 9 * b.sum[axis][n];
}

// src/fluid/vortex.h -- swirl that a grid is too coarse for, or loses: vortex particles and vorticity confinement.
//
// Vortex particles (Selle, Rasmussen & Fedkiw 2005; thesis 5.4) carry a vorticity w with the flow, which stretches it,
//
//     x' = u(x),    w' = (w . grad) u,
//
// and turn the water around them by a force per mass, with d = x - x_p, N = -d / |d| and a kernel xi of 3 h,
//
//     f = e h (N x w) xi(|d|) g,    xi = (1 - (|d| / 3h)^2)^2,    g = 1 - (curl u . w) / |w|^2 within [0, 1],
//
// a swirl about the axis w that has no divergence, so that the projection leaves it alone. g is ours: water that turns
// as fast as the particle wants is not pushed any more, so e [1/s] is how fast it follows. N is d / sqrt(d^2 + h^2)
// here, without the jump in the middle. Of each particle's pushes their mean is taken away: it gives no momentum.
//
// The energy of a step is a s + b s^2 for pushes scaled by s, and s <= 1 is the largest that stays within a power. The
// projection cannot add to that.
//
// Confinement (Steinhoff & Underhill 1994) pushes everywhere towards the axes of vortices, here without a normalized
// gradient, so that its strength c has no unit and smooth flows are left alone (Loehner & Yang 2002):
//
//     f = c h^2 (grad |w| x w),    w = curl u
//
// Both act on faces between uniform cells of liquid, and nowhere else.
#ifndef PL_FLUID_VORTEX_H
#define PL_FLUID_VORTEX_H

#include "base/arena.h"
#include "boundary.h"
#include "flow.h"
#include "grid.h"

enum
{
    PL__VORTICES_MOST = 100000 // at a time; no more are born then
};

// A ball in which particles are born.
typedef struct pl__vortex_source
{
    int32_t object;   // that it is fixed to; -1: to the world
    double at[3];     // its middle, in the frame of the object [m]
    double radius;    // [m]
    double rate;      // particles per time [1/s]
    double vorticity; // of each, in random directions [1/s]
    double strength;  // e [1/s]
    double life;      // of a particle, during which it fades [s]
    double power;     // most that all of its particles give to the liquid [W]; 0: every 1 / e the energy of their swirl
    double start, end; // when it works [s]
} pl__vortex_source;

typedef struct pl__vortex
{
    double x[3];
    double vorticity[3]; // [1/s]
    double age;          // [s]
    int64_t source;
} pl__vortex;

typedef struct pl__vortices
{
    pl__vortex *vortex; // [count]
    int32_t count;
    size_t capacity;
} pl__vortices;

void pl__vortices_done(pl_context *ctx, pl__vortices *v);
// PL_ERR_MEMORY: unchanged.
PL_NODISCARD pl_status pl__vortices_copy(pl_context *ctx, const pl__vortices *from, pl__vortices *to);

// Let them follow the flow u of a grid for a time dt; they are stretched, but never beyond the vorticity that they were
// born with. Those past their life are removed.
void pl__vortices_move(pl__vortices *v, const pl__vortex_source *source, const pl__grid *grid, double *const u[3],
                       const pl__motion *motion, double dt);

// New ones for a step from `time` to time + dt, on the way that objects have gone in it; random by seed and number. In
// a `plane`, of one layer of cells along z, all turn about z. PL_ERR_MEMORY: some are there.
PL_NODISCARD pl_status pl__vortices_bear(pl_context *ctx, pl__vortices *v, const pl__vortex_source *source,
                                         int32_t source_count, const pl__obstacles *obstacles, bool plane, double time,
                                         double dt, uint64_t seed);

// What is pushed.
typedef struct pl__swirl
{
    const pl__grid *grid;
    const pl__boundary *boundary;
    const uint8_t *liquid; // [numbers of cells] has a pressure
    double dt, density;
} pl__swirl;

// Push u by all particles; those that are not in uniform cells of liquid are removed. `power` [W] is what it gave.
// PL_ERR_MEMORY: unchanged.
PL_NODISCARD pl_status pl__vortices_push(pl__vortices *v, const pl__vortex_source *source, int32_t source_count,
                                         const pl__swirl *s, pl__arena *scratch, double *const u[3], double *power);

// Push u by confinement. `power` [W] is what it gave. PL_ERR_MEMORY: unchanged.
PL_NODISCARD pl_status pl__confine(pl_context *ctx, const pl__swirl *s, double strength, pl__arena *scratch,
                                   double *const u[3], double *power);

#endif

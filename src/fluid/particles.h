// src/fluid/particles.h -- marker particles on both sides of a surface, which repair its level set.
//
// Enright, Fedkiw, Ferziger & Mitchell 2002. A particle is a small sphere that touches the surface or lies off it, with
// the sign of its side. It follows the flow far more exactly than phi does; so where it is found on the other side, it
// is right, and phi is raised or lowered to contain its sphere. A step is
//
//     advect phi; move; correct; redistance; correct; finish; every 20 steps: reseed
//
// Lengths are in cells of the level set: radii from 0.02 to 0.5.
#ifndef PL_FLUID_PARTICLES_H
#define PL_FLUID_PARTICLES_H

#include "levelset.h"

typedef struct pl__particles
{
    int32_t count;
    double *x[3];     // [count] position [m]
    float *radius;    // [count] [m]
    int8_t *sign;     // [count] of phi on its side, -1 or 1
    uint8_t *escaped; // [count] steps in a row that it has been far on the other side
    // [cells] Farther on the wrong side than this, particles in liquid (of sign 1) and in air (of sign -1) are removed
    // at once and correct nothing; 0: those farther than 1.5 for two steps are removed.
    double lost_in_liquid, lost_in_air;
    void *memory, *spare; // of the arrays, and as much for reseeding
    size_t capacity, spare_capacity;
} pl__particles;

typedef struct pl__particles_def
{
    int32_t per_cell; // of each sign, in cells all on its side; 16 in a plane, 32 in space
    double band;      // they are within it of the surface [cells]; 3 for steps of some cells
    uint64_t seed;
} pl__particles_def;

// A particle that left the liquid or the air for good: spray or a bubble.
typedef struct pl__stray
{
    double x[3];
    float radius;
    int8_t sign;
} pl__stray;

typedef struct pl__strays
{
    pl__stray *item; // [count]
    size_t count, capacity;
} pl__strays;

void pl__particles_done(pl_context *ctx, pl__particles *p);
void pl__strays_done(pl_context *ctx, pl__strays *s);
// Make `count` particles whose numbers are not set. PL_ERR_MEMORY: unchanged.
PL_NODISCARD pl_status pl__particles_resize(pl_context *ctx, pl__particles *p, int32_t count);
// Make `to` the same as `from`. PL_ERR_MEMORY: unchanged.
PL_NODISCARD pl_status pl__particles_copy(pl_context *ctx, const pl__particles *from, pl__particles *to);
// Whether every number is in its range.
bool pl__particles_is_valid(const pl__particles *p);

// New particles: `per_cell` of each sign for every cell near the surface, drawn towards random distances from it.
// Numbers are random in (seed, step, cell, n). PL_ERR_MEMORY: unchanged.
PL_NODISCARD pl_status pl__particles_seed(pl_context *ctx, pl__particles *p, const pl__levelset *ls,
                                          const pl__particles_def *def, uint64_t step, pl__arena *scratch);

// Fill cells near the surface up with particles, thin out those with more than twice as many and drop those off the
// surface; escaped ones stay. Sorts by cells. PL_ERR_MEMORY: unchanged.
PL_NODISCARD pl_status pl__particles_reseed(pl_context *ctx, pl__particles *p, const pl__levelset *ls,
                                            const pl__particles_def *def, uint64_t step, pl__arena *scratch);

// Follow the flow from `time` to time + dt, then the constraint.
void pl__particles_move(pl_context *ctx, pl__particles *p, const pl__columns *cell, const pl__motion *motion,
                        double time, double dt);

// Correct phi by the particles on the wrong side. `count_escapes`: the first time in a step. PL_ERR_MEMORY: unchanged.
PL_NODISCARD pl_status pl__particles_correct(pl_context *ctx, pl__particles *p, const pl__levelset *ls,
                                             bool count_escapes, pl__arena *scratch);

// Radii from phi, of those on their side; remove particles that have left the stored cells, and those that were on the
// wrong side by more than 1.5 h for two steps. What is removed and was on the wrong side is appended to `strays`.
// PL_ERR_MEMORY: none removed.
PL_NODISCARD pl_status pl__particles_finish(pl_context *ctx, pl__particles *p, const pl__levelset *ls,
                                            pl__arena *scratch, pl__strays *strays);

#endif

// src/fluid/source.h -- places where liquid comes in, and where it is taken away.
//
// A source keeps its shape full of liquid that has its velocity; a drain keeps it empty. With a rate R, a step of dt
// brings, or takes, R dt and no more, in one way whether the place is in air or in liquid:
//
//     source   fills air in its shape, from within, as far as R dt goes; the rest is pressed out of the liquid in it
//     drain    draws R dt out of the liquid in it
//
// Pressing and drawing is divergence of the cells in the shape, owed to them (volume.h) and paid at once by the
// projection. All that comes and goes is counted, so that the volume to compare with (pl__liquid_due_volume) is exact.
//
// A valve that is open by v < 1 makes R and the velocity v times as large.
//
// A source in liquid that has a velocity and no rate is a pump: nothing comes in, what passes is set in motion. A drain
// in liquid that has no rate is a hole into the air.
#ifndef PL_FLUID_SOURCE_H
#define PL_FLUID_SOURCE_H

#include "base/arena.h"
#include "boundary.h"
#include "particles.h"
#include "row_set.h"
#include "spray.h"

struct pl__shape;

typedef struct pl__liquid_source
{
    const struct pl__shape *shape; // in world coordinates; sampled once
    bool drain;
    double rate;        // [m^3/s]; 0: whatever there is room for, or whatever there is
    double velocity[3]; // of what comes in [m/s]
    double start, end;  // when it works [s]
    double valve;       // how far it is open, in [0, 1]: of rate and velocity; 0: it is shut
    double temperature; // of what it brings [K]
    int32_t liquid;     // of several, that it brings
} pl__liquid_source;

// Distances to a shape at the centers of a box of cells around it.
typedef struct pl__source_region
{
    int32_t low[3], n[3];
    double *distance; // [n[0] n[1] n[2]] negative inside [m]; j fastest, then i
} pl__source_region;

typedef struct pl__sources
{
    pl__liquid_source *source; // [count]
    pl__source_region *region; // [count]
    double *rest;              // [count] what a step has still to bring, after pl__sources_fill [m^3]
    double *came, *pressed;    // [count] what these have brought in the step [m^3]
    int32_t count;
    pl__row_set detail; // cells near sources: they are uniform
} pl__sources;

// What sources change: a state on its grid, before the pressure of a step from `time` to time + dt.
typedef struct pl__inflow
{
    const pl__grid *grid;
    const pl__boundary *boundary;
    double far, time, dt;
    const double *open; // [numbers of cells] part that solids leave open (volume.h)
    double *phi, *residual, *const *u;
    pl__particles *particles;
    pl__spray *spray;
} pl__inflow;

void pl__sources_done(pl_context *ctx, pl__sources *s);
// `cell` is a lattice of all cells; `margin` [cells] is how far beyond a shape they are uniform, and see its distance.
// PL_ERR_MEMORY: nothing is left.
PL_NODISCARD pl_status pl__sources_make(pl_context *ctx, pl__sources *s, const pl__liquid_source *source, int32_t count,
                                        const pl__columns *cell, int32_t margin);

// Largest speed that comes out of them [m/s], about.
double pl__sources_speed(const pl__sources *s, double h);

// 1 in `where` for the uniform cells near sources: there markers come in with the liquid.
void pl__sources_mark(const pl__sources *s, const pl__columns *cell, uint8_t *where);

// A source that works sets velocities whatever the pressure: it draws liquid through its cells and those beside them,
// which do not leave walls (separation.h). `grip` [numbers of cells].
void pl__sources_draw(const pl__sources *s, const pl__inflow *in, uint8_t *grip);

// Whether a source works in a step; the distance of its shape in a cell, or INFINITY.
bool pl__source_works(const pl__liquid_source *source, const pl__inflow *in);
double pl__source_distance(const pl__source_region *region, int32_t i, int32_t j, int32_t k);

// Fill, or empty, shapes, and set velocities. Adds what came in to `added` [m^3]. PL_ERR_MEMORY: unchanged.
PL_NODISCARD pl_status pl__sources_fill(const pl__sources *s, const pl__inflow *in, pl__arena *scratch, double *added);

// Press out, or draw, the rest of the rates: more divergence [1/s] of the cells that are `liquid`, owed to them.
// Returns the volume [m^3].
double pl__sources_press(const pl__sources *s, const pl__inflow *in, const uint8_t *liquid, double *divergence);

#endif

// src/fluid/spray.h -- drops too small for the grid: liquid that a level set lost in the air, on its way back.
//
// A residual (volume.h) in air, or in a thread or sheet so thin that phi shows less of it than there is, becomes drops,
// with the velocity of the liquid they come from. Drops fly freely and slide along walls and objects. One that gets
// into liquid gives its volume to the residual of that cell and its momentum to the faces of it.
#ifndef PL_FLUID_SPRAY_H
#define PL_FLUID_SPRAY_H

#include "boundary.h"
#include "grid.h"

typedef struct pl__drop
{
    double x[3], v[3]; // [m] [m/s]
    double volume;     // [m^3]
    int64_t liquid;    // of several
} pl__drop;

typedef struct pl__spray
{
    pl__drop *drop; // [count]
    int32_t count;
    size_t capacity;
} pl__spray;

void pl__spray_done(pl_context *ctx, pl__spray *s);
// PL_ERR_MEMORY: unchanged.
PL_NODISCARD pl_status pl__spray_copy(pl_context *ctx, const pl__spray *from, pl__spray *to);
double pl__spray_volume(const pl__spray *s);

// Let them fly for dt, within a box and out of obstacles, where these are at the end.
void pl__spray_move(pl__spray *s, double dt, const double gravity[3], const double lower[3], const double upper[3],
                    const pl__obstacles *obstacles, double h);

// Remove drops beyond the domain; returns their volume [m^3].
double pl__spray_leave(pl__spray *s, const pl__columns *cell);

// Drops that are in liquid join it, where phi shows it well, but no more than the surface can show: where many arrive
// at once, as under a ceiling that a jet reaches after them, the others go along with the liquid for some steps.
// `volume` [liquids][numbers of cells]: what each gets, in parts of a cell; or NULL.
void pl__spray_join(pl__spray *s, const pl__grid *grid, const double *phi, double *const u[3], double *residual,
                    double *volume);

// What drops come from.
typedef struct pl__spray_source
{
    const pl__grid *grid;
    const pl__boundary *boundary;
    const double *phi, *part, *open; // [numbers of cells]
    double *const *u;                // [3]
} pl__spray_source;

// New drops for what is owed to cells that have more of it than phi shows, and where none of the 27 cells around is
// half a cell inside liquid; anywhere in the cell, near solids in its center, which is on its side. Random numbers by
// (seed, step). PL_ERR_MEMORY: some are there, and the residuals of their cells are 0.
PL_NODISCARD pl_status pl__spray_shed(pl_context *ctx, pl__spray *s, const pl__spray_source *from, uint64_t seed,
                                      uint64_t step, double *residual);

#endif

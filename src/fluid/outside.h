// src/fluid/outside.h -- what is beyond the open sides of a domain.
//
// Without a level there is air: pressure 0 at the side. With a level there is water that flows along with one velocity,
// whose surface stays there: beyond horizontal sides
//
//     p = rho g (level - y)    below the level, linear in y, so that it is exact on tall cells, too.
//
// Both u and the surface are drawn to that outside in a sponge along these sides, at the same rate s:
//
//     u_t = ... - s (u - U),    eta_t = ... - s (eta - level),    s = s0 r^2,  r from 0 at its inner edge to 1
//
// In long waves both then decay alike, u = sqrt(g / H) eta stays true and nothing is reflected, however fast s grows;
// the integral of s over the sponge, 5/2 sqrt(g H), leaves e^-5 of what comes back from the side.
//
// What it does badly: waves that are longer than the sponge and not long against the depth are reflected in part, and
// currents that are not that of the outside are slowed down.
#ifndef PL_FLUID_OUTSIDE_H
#define PL_FLUID_OUTSIDE_H

#include "base/arena.h"
#include "boundary.h"
#include "particles.h"

typedef struct pl__outside
{
    bool closed[6];     // sides -x +x -y +y -z +z that are walls
    bool held;          // there is water beyond the others, up to a level
    double level;       // [m]
    double velocity[3]; // of the water [m/s]
    double sponge;      // width [m]; 0: none
} pl__outside;

// A cell beyond an open side.
typedef struct pl__outer_cell
{
    bool liquid;
    double phi; // [m]
    double q;   // p dt / (rho h) [m/s]
} pl__outer_cell;

// Beyond `side` at height y, where the cell before it has `phi`; `pull` = -g_y dt / h. Air begins at the side itself,
// half a cell away: the opposite of phi.
static inline pl__outer_cell pl__outside_cell(const pl__outside *o, int side, double y, double pull, double phi)
{
    if (!o->held || side / 2 == 1)
        return (pl__outer_cell){false, -phi, 0};
    double above = y - o->level;
    return (pl__outer_cell){above < 0, above, above < 0 ? -pull * above : 0};
}

// Whether any side is open.
static inline bool pl__outside_is_open(const pl__outside *o)
{
    return !(o->closed[0] && o->closed[1] && o->closed[2] && o->closed[3] && o->closed[4] && o->closed[5]);
}

// The open side that face (i, j, k) of an axis lies on; -1: none.
static inline int pl__outside_side(const pl__outside *o, const pl__columns *face, int axis, int32_t i, int32_t j,
                                   int32_t k)
{
    int32_t at = axis == 0 ? i : axis == 1 ? j : k, last = (axis == 0 ? face->nx : axis == 1 ? face->ny : face->nz) - 1;
    int side = at == 0 ? 2 * axis : at == last ? 2 * axis + 1 : -1;
    return side >= 0 && !o->closed[side] ? side : -1;
}

// Corners of the domain for what moves: open sides are far away.
void pl__outside_bounds(const pl__outside *o, const pl__columns *cell, double lower[3], double upper[3]);

// phi after a step of what has come in through the open sides with velocity u.
void pl__outside_enter(const pl__outside *o, const pl__grid *grid, const double *const u[3], double dt, double *phi);

// Draw a state to the outside for a time dt, in the sponge: velocities, phi with its markers. `gravity` along y.
// Adds the volume that came in to `added` [m^3]. PL_ERR_MEMORY: the state may have changed.
typedef struct pl__sponge
{
    const pl__grid *grid;
    const pl__boundary *boundary;
    double far, dt, gravity;
    const double *open; // [numbers of cells] part that solids leave open (volume.h)
    double *part;       // [numbers of cells] part with phi < 0
    double *phi, *const *u;
    pl__particles *particles;
} pl__sponge;
void pl__outside_draw(pl_context *ctx, const pl__outside *o, const pl__sponge *s, double *added);

// Cells that must be uniform: those above the level, along open sides. PL_ERR_MEMORY.
PL_NODISCARD pl_status pl__outside_detail(pl_context *ctx, const pl__outside *o, const pl__columns *cell,
                                          pl__row_set *detail);

#endif

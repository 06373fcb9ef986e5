// src/fluid/phases.h -- several liquids in one tank: a partition of the liquid (thesis 6.4; Losasso et al. 2006).
//
// Everything that moves one liquid moves their union: surface to the air, pressure, velocity, count of volume. What is
// here says which liquid is where in it. Liquid i has a level set phi_i, all of space being divided among them, so that
// the air belongs to the liquid that is nearest and the surface of a liquid ends where it meets that of the union.
// After every change
//
//     phi_i -= (phi_a + phi_b) / 2,    a and b those with the two smallest values,
//
// so that exactly one phi_i is negative and there are neither gaps nor overlaps; in a cell liquid i has the part P_i,
// the parts being scaled to a sum of 1. Two liquids share one level set, phi_1 = -phi_0.
//
// Volume is counted as in volume.h: of the flux F of all liquids through a face liquid i has a share, by its place in
// the donor, and the shares have a sum of 1. So the counts C_i [parts of a cell] of a cell have the sum V o + r that
// volume.h has, and what is in a cell never gets another liquid by rounding or by a level set that loses it. The
// difference to what phi_i shows, C_i - P_i V o, is paid by a shift of phi_i, by volume_correction.h, in which V o is
// the room that a cell has for liquids. Drops, sources and objects change V o + r cell by cell; there the counts follow
// in proportion, and the sum over all cells of each is put right by what is due of it.
//
// Density is continuous along a face by where the surface cuts it,
//
//     rho_face = theta rho_a + (1 - theta) rho_b,
//
// and the pressure is continuous (Kang, Fedkiw & Liu 2000). In layers at rest rho_face depends on the height alone, so
// that a pressure that depends on it alone balances gravity at every face: they stay at rest to round-off.
#ifndef PL_FLUID_PHASES_H
#define PL_FLUID_PHASES_H

#include "base/arena.h"
#include "boundary.h"
#include "elastic.h"
#include "levelset.h"
#include "outside.h"
#include "particles.h"
#include "strain.h"
#include "warmth.h"

enum
{
    PL__MOST_LIQUIDS = 16
};

// What a liquid is; any number may change between steps.
typedef struct pl__phase_law
{
    double density;   // [kg/m^3]
    double viscosity; // [Pa s]
    pl__elastic_law elastic;
    pl__warmth_law warmth;
} pl__phase_law;

typedef struct pl__phases
{
    int32_t count;                           // of liquids; 0: there is one, and nothing of this
    double *phi;                             // [count][numbers of cells] distance to where others are [m]
    double *part;                            // [count][numbers of cells] P
    double *volume;                          // [count][numbers of cells] C
    pl__particles markers[PL__MOST_LIQUIDS]; // of both sides of each
    double due[PL__MOST_LIQUIDS];            // volume that there should be, drops included [m^3]
    double pressed[PL__MOST_LIQUIDS];        // of that, what is not there yet (liquid.h) [m^3]
    double added[PL__MOST_LIQUIDS];          // of that, what has come since the start [m^3]
    size_t phi_capacity, part_capacity, volume_capacity;
} pl__phases;

void pl__phases_done(pl_context *ctx, pl__phases *p);
// Room for the numbers of `cell`. PL_ERR_MEMORY: some has been made.
PL_NODISCARD pl_status pl__phases_reserve(pl_context *ctx, const pl__columns *cell, int32_t count, pl__phases *p);

// Level sets that are worked with: two liquids have one.
static inline int32_t pl__phases_worked(const pl__phases *p) { return p->count == 2 ? 1 : p->count; }

static inline double *pl__phase(double *numbers, const pl__columns *cell, int32_t i)
{
    return numbers + (size_t)i * (size_t)cell->value_count;
}

// The liquid of cell number n.
static inline int32_t pl__phase_of(const pl__phases *p, const pl__columns *cell, int32_t n)
{
    int32_t least = 0;
    for (int32_t i = 1; i < p->count; ++i)
        if (p->phi[(size_t)i * (size_t)cell->value_count + (size_t)n] <
            p->phi[(size_t)least * (size_t)cell->value_count + (size_t)n])
            least = i;
    return least;
}

// Neither gaps nor overlaps: the rule above, and the parts of cells. `sides` as of pl__levelset_parts.
void pl__phases_divide(pl_context *ctx, const pl__columns *cell, double far, const uint8_t *sides, double *own,
                       pl__phases *p);

// ---- volume --------------------------------------------------------------------------------------------------------

typedef struct pl__phases_flow
{
    const pl__grid *grid;
    const pl__boundary *boundary;
    const double *u[3];         // [numbers of faces] [m/s]
    const double *flux[3];      // [numbers of faces] of all liquids in the step [cells]
    const double *whole;        // [numbers of cells] V o + r after the step
    double dt;                  // [s]
    const pl__outside *outside; // NULL: all sides are walls
} pl__phases_flow;

// Counts after a step, from `from`, on the same grid, into `to`. What leaves through open sides is taken from to->due.
// PL_ERR_MEMORY: `to` is as it was.
PL_NODISCARD pl_status pl__phases_balance(pl_context *ctx, const pl__phases_flow *f, pl__arena *scratch,
                                          const pl__phases *from, pl__phases *to);

// Counts of each cell get the sum `whole` [numbers of cells], in proportion; where there are none, of the liquid there.
void pl__phases_fit(pl_context *ctx, const pl__columns *cell, const double *whole, pl__phases *p);

// ---- density and stress --------------------------------------------------------------------------------------------

// reference / rho_face of uniform faces [numbers of faces], `law` [count]; of tall ones, whose cells are of one liquid,
// likewise.
void pl__phases_weigh(pl_context *ctx, const pl__grid *grid, const pl__phases *p, const pl__phase_law *law,
                      const double *phi, double reference, double *const ratio[3]);

#endif

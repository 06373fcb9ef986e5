// src/limit/limit.h -- strain and bend limits on many levels: a filter of motion (Wang, O'Brien & Ramamoorthi 2010).
//
// Nodes go from x over dt with velocities v. Every limited element that x + dt v takes beyond its bounds is moved
// back, in the metric of mass (limit.kernel.c), sweep after sweep over all elements (limit_set.h). Alone that takes
// as many sweeps as the square of the number of elements along the body. So a body has levels (levels.h): nested
// subsets of its nodes, joined by chords that bound their distances, coarse to fine; a level moves its nodes, and
// those between follow by interpolation. One cycle is all levels and then sweeps over the elements themselves.
//
// Filtering displacements, the bounds are the given ones. Filtering velocities at the end of a step, they include
// what elements are at x: velocities must not lead further beyond, nor are they asked to lead back. So what was
// stretched too far, because a budget ended or pins contradict limits, is taken back by displacements that leave no
// velocity.
//
// Sweeps over the elements are accelerated (Chebyshev's semi-iteration over whole sweeps, the last one plain): mean
// excess of a perturbed sheet of 8192 triangles after 64 / 256 sweeps .092 / .0068 plain, .0009 / 0 accelerated.
// That, levels and least stretches can overshoot; a filter of velocities that has raised kinetic energy is scaled back.
//
// What it does badly: twists, which no chord sees; elements beside pins converge last.
#ifndef PL_LIMIT_LIMIT_H
#define PL_LIMIT_LIMIT_H

#include "levels.h"

typedef struct pl__limit
{
    pl_context *ctx;
    int32_t node_count;
    pl__limit_set set[PL__LIMIT_KINDS]; // limited elements; chords of the definition; tethers
    pl__limit_levels levels;            // coarse ones
    int32_t *piece;                     // [node_count] lowest node of the connected part of each
    double *first[PL__LIMIT_KINDS];     // [set count] greatest stretch of each element at creation: what levels are of
    double *reference;                  // [node_count] the greatest of those of the part that a node belongs to
    // scratch of a run
    double *y;             // [4 node_count] positions and inverse masses
    double *before, *last; // [4 node_count] after the last sweep but one, and after the last (Chebyshev)
    double *start;         // [4 node_count] where the motion leads without limits
    double *work;          // [2 node_count]
} pl__limit;

typedef struct pl__limit_def
{
    int32_t node_count;
    const double *rest; // [3 node_count] rest positions [m]
    const double *mass; // [node_count] [kg]
    const bool *held;   // [node_count] held from the beginning: in all levels, and what tethers hang from; NULL: none
    const pl__limit_element *element[PL__LIMIT_KINDS]; // [count[kind]]; none of tethers, which are made here
    int32_t count[PL__LIMIT_KINDS];
    int32_t most_levels; // coarse ones, at most; 0: single-level
} pl__limit_def;

typedef struct pl__limit_report
{
    pl__limit_excess strain, bend;               // at the end; chords count as strain
    pl__limit_excess strain_before, bend_before; // of where the motion leads
    pl__limit_excess strain_at, bend_at;         // filtering velocities: at x
    int32_t cycles;
    int64_t sweeps, updates; // over the elements; edges and elements looked at, of all levels
} pl__limit_report;

typedef struct pl__limit_run
{
    const double *x;            // [3 node_count] where the motion starts [m]
    double dt;                  // [s]
    double *v;                  // [3 node_count] [m/s]
    const double *inverse_mass; // [node_count] 0: held
    bool speeds;                // v are velocities at x, not displacements
    int32_t sweeps, cycles;     // sweeps of each level in a cycle; cycles at most
    double tolerance;           // largest excess at which it ends
    double chebyshev;           // spectral radius that acceleration assumes; 0: plain sweeps
    // after every sweep: what else nodes obey; y as in pl__limit. NULL: nothing
    void (*obey)(void *user, double *y);
    void *user;
} pl__limit_run;

// `limit` is empty on failure.
PL_NODISCARD pl_status pl__limit_create(pl_context *ctx, const pl__limit_def *def, pl__limit *limit);
void pl__limit_destroy(pl__limit *limit);

// Call after bounds of elements have been changed (pl__limit_bound): coarse bounds follow. An element without a
// greatest stretch at creation belongs to no level; where one has lost it, or whose rest shape has changed (`loose`,
// NULL: of none), its part has no levels until it has it again.
void pl__limit_follow(pl__limit *limit, bool (*loose)(const void *user, pl__limit_kind kind, int32_t element),
                      const void *user);

void pl__limit_apply(pl__limit *limit, const pl__limit_run *run, pl__limit_report *report);
// Excess at x, strain and bends.
void pl__limit_measure(pl__limit *limit, const double *x, const double *inverse_mass, pl__limit_excess *strain,
                       pl__limit_excess *bend);

#endif

// src/limit/levels.h -- coarse levels of limited bodies: nested subsets of their nodes, joined by chords.
//
// Level l has a subset of the nodes of level l - 1 whose distance along the body is about 2^l mean edges: greedily,
// nodes that are held first, then by number. Two of its nodes that are within 1.8 spacings of each other are joined by
// a chord, |x_a - x_b| <= s d_ab, d the length of a way between them in the rest body (ways.h): a bound that cuts off
// nothing admissible. No coarse mesh is needed, so that the same serves sheets, closed shells, solids and what is torn.
//
// Motion goes down by injection, and corrections go up by linear moving least squares over the eight nearest nodes of
// the coarser level, W; the mass of a level is W^T that of the finer, so that linear momentum stays to round-off. All
// levels are done on the way from the coarsest to the finest, and only then are the finest nodes moved.
//
// What a chord cannot see: compression, which a fold looks like from afar, and twist.
#ifndef PL_LIMIT_LEVELS_H
#define PL_LIMIT_LEVELS_H

#include "ways.h"

enum
{
    PL__LIMIT_LEVELS = 16,
    PL__LIMIT_NEAREST = 8 // nodes of the coarser level that a node follows
};

typedef struct pl__limit_level
{
    int32_t node_count;
    int32_t *node;       // [node_count] world node of each
    int32_t finer_count; // nodes of the finer level
    int32_t *follows;    // [PL__LIMIT_NEAREST finer_count] nodes of this level that those follow; -1: none
    double *weight;      // the same
    pl__limit_set chords, tethers;
    double *mass;  // [node_count] of free nodes
    double *y;     // [4 node_count] positions and inverse masses
    double *moved; // [3 node_count] by the present cycle
} pl__limit_level;

typedef struct pl__limit_levels
{
    int32_t count;
    pl__limit_level level[PL__LIMIT_LEVELS]; // finest first
} pl__limit_levels;

typedef struct pl__levels_def
{
    pl__ways *ways;
    const double *mass;  // [node_count]
    const bool *held;    // [node_count] or NULL
    const double *bound; // [node_count] greatest stretch of the body that a node belongs to; 0: of none that is limited
    int32_t most;
} pl__levels_def;

PL_NODISCARD pl_status pl__levels_create(pl_context *ctx, const pl__levels_def *def, pl__limit_levels *levels);
void pl__levels_destroy(pl_context *ctx, pl__limit_levels *levels);

// Tethers of nodes node[0 .. count), NULL: of all, to the two nearest held nodes.
PL_NODISCARD pl_status pl__tethers_create(pl_context *ctx, const pl__levels_def *def, const int32_t *node,
                                          int32_t count, pl__limit_set *tethers);

// Masses for the inverse masses w of the nodes, 0: held.
void pl__levels_weigh(pl__limit_levels *levels, const double *inverse_mass);
// The bounds that a pass obeys, with the nodes of the bodies at y [4 node_count].
void pl__levels_set_bounds(pl_context *ctx, int32_t register_bytes, const pl__limit_levels *levels,
                           pl__limit_bounds bounds, const double *y);
// One pass over all levels, coarse to fine, at most `sweeps` of each; y [4 node_count] are the nodes of the bodies.
// Returns how many chords were looked at.
int64_t pl__levels_apply(pl_context *ctx, int32_t register_bytes, const pl__limit_levels *levels, int32_t sweeps,
                         double *y, int32_t node_count);
// The bounds of chords and tethers (`tethers` of the bodies too): reference times the factor of the part that a node
// belongs to, piece[node].
void pl__levels_bound(const pl__limit_levels *levels, const pl__limit_set *tethers, const double *reference,
                      const double *factor, const int32_t *piece);

#endif

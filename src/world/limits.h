// src/world/limits.h -- strain and bend limits of the bodies of a world (src/limit): their elements, bounds and stages.
#ifndef PL_WORLD_LIMITS_H
#define PL_WORLD_LIMITS_H

#include "contact/foothold.h"
#include "limit/limit.h"
#include "solid/stage.h"
#include <pliant/world.h>

enum
{
    PL__LIMIT_FIELDS = 5 // of a material: stretch, compress, weft, shear, bend
};

// Where a limited element comes from.
typedef struct pl__limit_source
{
    int32_t body, group, element; // of the world, of the body, of the group
    int32_t edge;                 // of bends
} pl__limit_source;

typedef struct pl__limits
{
    pl__limit limit;
    pl__limit_source *source[PL__LIMIT_KINDS]; // [count of the set]
    double (*first)[PL__LIMIT_FIELDS];         // [material count] as the scene has them: what levels are made of
    double (*now)[PL__LIMIT_FIELDS];           // [material count] that the bounds are made of
    size_t material_count;
    bool stale; // bodies have changed since
    bool flows; // rest shapes of some elements change
    // scratch of a run
    double *inverse_mass;   // [node_count]
    pl__foothold *foothold; // [node_count] of nodes near objects, NULL without any
    int32_t foothold_count;
    bool *near; // [node_count]
    bool at_end;
    // of the step
    pl__limit_excess strain, bend;
    int64_t sweeps;
    int32_t cycles;
} pl__limits;

// Once materials are known.
PL_NODISCARD pl_status pl__limits_prepare(pl_world *world);
// Register the stages, before those of collision.
PL_NODISCARD pl_status pl__limits_register(pl_world *world);
// Before a substep: sets and levels follow the bodies, and bounds the materials. On failure the step cannot begin.
PL_NODISCARD pl_status pl__limits_update(pl_world *world);
void pl__limits_destroy(pl_world *world);
// Figures of a step.
void pl__limits_begin_step(pl_world *world);
void pl__limits_report(pl_world *world, pl_step_info *info);

#endif

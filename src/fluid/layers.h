// src/fluid/layers.h -- values that spread from known samples of a lattice into unknown ones, layer by layer.
//
// Each layer reads only the layers before it, so the result does not depend on the order of samples or tasks.
#ifndef PL_FLUID_LAYERS_H
#define PL_FLUID_LAYERS_H

#include "base/arena.h"
#include "columns.h"

// An unknown sample: its number, and those of the samples next to it along -x +x -y +y -z +z, `depth` of each, or -1.
typedef struct pl__layers
{
    pl_context *ctx;
    int32_t depth;
    int32_t *entry;         // [(1 + 6 depth) times] by tasks
    int32_t *start, *count; // [tasks + 1], [tasks] of samples that are still unknown
    double *mean;           // of each, in the next layer
    int32_t fields;         // values of each that spread at once
    uint8_t *found;         // whether it has one
    int32_t tasks;
} pl__layers;

// The value of an unknown sample by known ones. False: none is near.
typedef bool pl__layer_rule(const void *user, const int32_t *entry, const uint8_t *known, const double *value,
                            double *result);

// List the uniform samples that are not `known` [numbers]. With `tall`, the nearer end of a tall run is a neighbour;
// else only uniform ones are. PL_ERR_MEMORY.
PL_NODISCARD pl_status pl__layers_list(pl_context *ctx, pl__arena *arena, const pl__columns *c, int32_t depth,
                                       bool tall, const uint8_t *known, pl__layers *layers);

// Let several fields spread at once. PL_ERR_MEMORY.
PL_NODISCARD pl_status pl__layers_widen(pl__arena *arena, int32_t fields, pl__layers *layers);

// Make the values of samples that are still unknown 0.
void pl__layers_clear(const pl__layers *layers, double *value);

// Spread by `count` layers. Samples that got a value become known.
void pl__layers_spread(pl__layers *layers, int32_t count, pl__layer_rule *rule, const void *user, uint8_t *known,
                       double *value);
// The same of as many fields as the layers are wide.
void pl__layers_spread_all(pl__layers *layers, int32_t count, pl__layer_rule *rule, const void *user, uint8_t *known,
                           double *const value[]);

static inline bool pl__layer_is_known(const uint8_t *known, int32_t number) { return number >= 0 && known[number]; }

#endif

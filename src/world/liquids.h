// src/world/liquids.h -- the liquids of a world: a stepper, and a section of snapshots.
#ifndef PL_WORLD_LIQUIDS_H
#define PL_WORLD_LIQUIDS_H

#include "drawn_foam.h"
#include "drawn_spray.h"
#include "fluid/liquid.h"
#include "fluid/surface.h"
#include "fluid/wetted.h"
#include "scene/scene.h"
#include "section.h"
#include "stepper.h"

typedef struct pl__world_liquids
{
    uint64_t hash;                              // of domain and liquids (pl__liquids_hash); 0: there are none
    int32_t kind_count;                         // liquids that differ (pl__liquid_kinds)
    char name[PL__MOST_LIQUIDS][PL_NAME_BYTES]; // [kind_count]
    pl_liquid_def def[PL__MOST_LIQUIDS];        // [kind_count] their live numbers are saved
    int32_t first[PL__MOST_LIQUIDS];            // [kind_count] entry of the scene
    int32_t *kind;                              // [source_room] of each entry
    pl__liquid *liquid;                         // NULL: none
    double lag;                                 // time that bodies have advanced and the liquid has not [s]; saved
    pl__object *object; // [object_count] as the liquid met them last, with actors of its own (liquid_objects.h)
    size_t object_count;
    char (*source_name)[PL_NAME_BYTES]; // [liquid->sources.count], room for [source_room]
    size_t source_room;
    pl__liquid_surface surface[PL__MOST_LIQUIDS]; // [kind_count] of the present state, if `drawn`
    int32_t *inner[PL__MOST_LIQUIDS];             // [vertices of each] whether it is towards another liquid
    size_t inner_capacity[PL__MOST_LIQUIDS];
    pl__drawn_spray spray[PL__MOST_LIQUIDS]; // [kind_count] and of its drops
    pl__drawn_foam froth[2];                 // and of its bubbles and foam, by pl__froth_kind
    pl__wetted wetted;
    pl__wetted_force *force; // [object_count + 1] on objects and walls, of the present state, if `summed`
    bool drawn, summed, told_full, told_squeezed;
    uint32_t version; // of the surface and the drops

    pl__liquid_loading *loading; // a state that has been checked but not taken
    double loaded_lag;
    pl_liquid_def loaded_def[PL__MOST_LIQUIDS];
    double *loaded; // [pl__liquid_objects_numbers]
} pl__world_liquids;

// Check that the liquids of a scene are in its domain, and keep what snapshots need of them.
PL_NODISCARD pl_status pl__world_liquids_copy(pl_world *world, const pl_scene *scene);
// Make the liquid, once objects are in their places, and add its stepper. Nothing without liquids.
PL_NODISCARD pl_status pl__world_liquids_make(pl_world *world, const pl_scene *scene);

// Bring the liquids to the time of the bodies.
PL_NODISCARD pl_status pl__world_liquids_settle(pl_world *world);

// A live number of a liquid by the row of pl__liquid_fields.
double *pl__world_liquids_number(pl_world *world, int32_t kind, int32_t row);
// The liquid that an entry of the scene is; -1: none.
int32_t pl__world_liquids_kind(const pl_world *world, int32_t entry);
// Whether a live number may become `value`: PL_ERR_ARGUMENT says what would have to be otherwise.
PL_NODISCARD pl_status pl__world_liquids_allow(const pl_world *world, int32_t kind, int32_t row, double value);
// Whether a live number has any effect.
bool pl__world_liquids_matters(const pl_world *world, int32_t kind, int32_t row);

extern const pl__section_type pl__liquids_section;

#endif

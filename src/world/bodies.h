// src/world/bodies.h -- the bodies of a world: their slots, and compiling them.
#ifndef PL_WORLD_BODIES_H
#define PL_WORLD_BODIES_H

#include "solid/fracture.h"
#include "scene/scene.h"
#include "section.h"
#include "surface.h"
#include <pliant/world.h>

// How a body meets others, and itself.
typedef struct pl__collision
{
    bool self, others;
    double thickness; // as given [m]; 0: by itself
    double shell;     // thickness of a shell [m], 0 of others
    double friction;
} pl__collision;

// A body has a slot for as long as the world lives; handles are slot + 1 and are not used again.
typedef struct pl__slot
{
    char name[PL_NAME_BYTES];
    pl__body *body;   // NULL once removed
    uint32_t version; // of its topology
    int32_t material; // its own, where elements have no others
    pl__collision collision;
    pl__body_shape shape;
    double edge;                    // mean length of the edges of its surface before it broke [m]; 0: not known yet
    bool breathes;                  // its pressure has keys
    pl__fracture *fracture;         // NULL: it does not come apart
    pl__torn_surface *torn_surface; // then: the surface that it carries; NULL without
    pl__scene_body *kept;           // then: its definition, whole
    uint64_t print;                 // and its fingerprint, whole
} pl__slot;

typedef struct pl__bodies
{
    pl__slot *slot; // [slot_count]
    size_t slot_count, slot_capacity;
    pl__body **body; // [solids.body_count] the bodies that exist, in order of slots
    struct pl__rebuilt_body
        *loaded; // [loaded_count] of the snapshot being loaded: torn otherwise, not yet in their slots
    size_t loaded_count;
} pl__bodies;

// The body of a handle, or NULL with the sentence set.
pl__body *pl__world_body(const pl_world *world, pl_body_id id);
pl_status pl__world_make_body(pl_world *world, const pl_body_def *def, bool breathes, pl__body **body);
pl_status pl__world_make_pins(pl_world *world, const pl_pin_def *pin, size_t count, pl__body *body);
// Compile the arrays anew for the bodies in the slots. On failure nothing changes.
pl_status pl__world_rebuild(pl_world *world);
// Snapshots name a body by its place among those that exist; -1 stays.
int32_t pl__body_place(const pl_world *world, int32_t slot);
int32_t pl__body_slot(const pl_world *world, int32_t place);
// A hash of what a body is made of.
uint64_t pl__body_fingerprint(const pl__body *body);
extern const pl__section_type pl__body_section;

#endif

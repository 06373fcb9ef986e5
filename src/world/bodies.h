// src/world/bodies.h -- the bodies of a world: slots, and compilation from definitions.
#ifndef PL_WORLD_BODIES_H
#define PL_WORLD_BODIES_H

#include "solid/fracture.h"
#include "scene/scene.h"
#include "section.h"
#include "surface.h"
#include <pliant/world.h>

// Collision settings of a body.
typedef struct pl__collision
{
    bool self, others;
    double thickness; // as given [m]; 0: chosen automatically
    double shell;     // thickness of a shell [m]; 0 for other bodies
    double friction;
} pl__collision;

// A body keeps its slot as long as the world lives; handles are slot + 1 and are never reused.
typedef struct pl__slot
{
    char name[PL_NAME_BYTES];
    pl__body *body;   // NULL once removed, and while it is liquid
    pl__body *away;   // then it is here (melting.h)
    uint32_t version; // topology version
    int32_t material; // default material, for elements without their own
    pl__collision collision;
    pl__body_shape shape;
    double edge;                    // mean edge length of the unbroken surface [m]; 0: not known yet
    bool breathes;                  // its pressure has keyframes
    pl__fracture *fracture;         // NULL: cannot break or be cut
    pl__torn_surface *torn_surface; // the embedded surface of a breakable body, or NULL
    pl__scene_body *kept;           // definition of a breakable body, unbroken
    uint64_t print;                 // fingerprint of a breakable body, unbroken
} pl__slot;

typedef struct pl__bodies
{
    pl__slot *slot; // [slot_count]
    size_t slot_count, slot_capacity;
    pl__body **body; // [solids.body_count] existing bodies, in slot order
    struct pl__rebuilt_body
        *loaded; // [loaded_count] bodies rebuilt for the topology of the snapshot being loaded, not yet in their slots
    size_t loaded_count;
} pl__bodies;

// Of a slot, whether it is there or liquid; NULL once removed.
static inline pl__body *pl__slot_body(const pl__slot *slot) { return slot->body ? slot->body : slot->away; }

// The body of a handle, or NULL with the error message set.
pl__body *pl__world_body(const pl_world *world, pl_body_id id);
pl_status pl__world_make_body(pl_world *world, const pl_body_def *def, bool breathes, pl__body **body);
pl_status pl__world_make_pins(pl_world *world, const pl_pin_def *pin, size_t count, pl__body *body);
// Rebuild the arrays for the bodies in the slots. On failure nothing changes.
pl_status pl__world_rebuild(pl_world *world);
// Snapshots refer to a body by its index among the existing bodies; -1 stays -1.
int32_t pl__body_place(const pl_world *world, int32_t slot);
int32_t pl__body_slot(const pl_world *world, int32_t place);
// Hash of a body's model: mesh, masses, materials, pins.
uint64_t pl__body_fingerprint(const pl__body *body);
extern const pl__section_type pl__body_section;

#endif

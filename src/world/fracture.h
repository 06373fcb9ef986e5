// src/world/fracture.h -- fracture and cutting: bodies are rebuilt with the new topology.
#ifndef PL_WORLD_FRACTURE_H
#define PL_WORLD_FRACTURE_H

#include "bodies.h"

// Allocate the fracture state of a body if its definition allows fracture or cuts; `pin` are its pin groups.
pl_status pl__world_fracture_prepare(pl_world *world, size_t slot, const pl_body_def *def, const pl_pin_def *pin,
                                     size_t pin_count);
void pl__world_fracture_release(pl_world *world, pl__slot *slot);
// Call after a substep of length dt. Checks for fracture when the interval is over.
pl_status pl__world_fracture_advance(pl_world *world, double dt);

// A body rebuilt for another topology, not yet in the world.
typedef struct pl__rebuilt_body
{
    size_t slot;
    pl__body *body;
    pl__body_shape shape;
    pl__fracture *fracture; // replaces that of the slot; NULL: keep it
} pl__rebuilt_body;

// Rebuild the body of a slot for the topology `split`, in its start positions. On failure nothing is left behind.
pl_status pl__world_fracture_remake(pl_world *world, size_t slot, const pl__split *split, pl__rebuilt_body *out);
// Replace bodies by rebuilt ones and destroy the old ones. On failure nothing changes.
pl_status pl__world_fracture_adopt(pl_world *world, pl__rebuilt_body *remade, size_t count);
void pl__world_fracture_forget(pl_world *world, pl__rebuilt_body *remade, size_t count);

// While a snapshot is loaded: the i-th body that there is in it, with its topology there; how many; their node count.
pl__body *pl__world_loaded_body(const pl_world *world, int32_t i);
int32_t pl__world_loaded_count(const pl_world *world);
int32_t pl__world_loaded_node_count(const pl_world *world);
extern const pl__section_type pl__topology_section;

#endif

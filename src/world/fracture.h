// src/world/fracture.h -- bodies that break or are cut, made anew with the new topology.
#ifndef PL_WORLD_FRACTURE_H
#define PL_WORLD_FRACTURE_H

#include "bodies.h"

// What a body in its slot needs for that, if its definition says that it can; `pin` are its groups.
pl_status pl__world_fracture_prepare(pl_world *world, size_t slot, const pl_body_def *def, const pl_pin_def *pin,
                                     size_t pin_count);
void pl__world_fracture_release(pl_world *world, pl__slot *slot);
// After a substep of dt: looks for what breaks, when it is time.
pl_status pl__world_fracture_advance(pl_world *world, double dt);

// A body made anew for another topology, not yet in the world.
typedef struct pl__rebuilt_body
{
    size_t slot;
    pl__body *body;
    pl__body_shape shape;
    pl__fracture *fracture; // to take the place of the slot's; NULL: that stays
} pl__rebuilt_body;

// The body of a slot as its mesh is torn by `split`, at its start. On failure nothing is left behind.
pl_status pl__world_fracture_remake(pl_world *world, size_t slot, const pl__split *split, pl__rebuilt_body *out);
// Bodies that were made anew take the places of the old ones, which are destroyed; on failure nothing changes.
pl_status pl__world_fracture_adopt(pl_world *world, pl__rebuilt_body *remade, size_t count);
void pl__world_fracture_forget(pl_world *world, pl__rebuilt_body *remade, size_t count);

// While the sections of a snapshot are read: the i-th body as it is torn there, and the nodes of all bodies.
pl__body *pl__world_loaded_body(const pl_world *world, int32_t i);
int32_t pl__world_loaded_node_count(const pl_world *world);
extern const pl__section_type pl__topology_section;

#endif

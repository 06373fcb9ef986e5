// src/world/collision.h -- contact between bodies, and of bodies with themselves.
#ifndef PL_WORLD_COLLISION_H
#define PL_WORLD_COLLISION_H

#include "bodies.h"
#include "contact/clash.h"
#include "solid/stage.h"

typedef struct pl__collisions
{
    pl__clash *clash;        // NULL if no body can meet another or itself
    pl__clash_report report; // of the last step
} pl__collisions;

// Mean length of the edges of a body's surface before it broke [m].
double pl__slot_edge(const pl__slot *slot);
// For the bodies in the slots, in their order; NULL if none of them can meet.
pl_status pl__collision_prepare(pl_world *world, pl__clash **clash);
// Nodes were moved by others: what crosses is to be looked for again.
void pl__collision_forget(pl_world *world);
// Before a substep: up to where it may go, the end of the interval under way, or of a new one [s].
PL_NODISCARD pl_status pl__collision_begin(pl_world *world, double *span);
// Register its stages: filters of displacements and velocities, and pairs inside the solves.
PL_NODISCARD pl_status pl__collision_register(pl_world *world);
// Where everything that meets is now, objects behind the bodies, into x of world->clash.
void pl__collision_places(pl_world *world, double *x);
// Whether a body is inside out, by its figures: then it passes through itself.
bool pl__collision_is_inverted(const pl__body *body);
// After a substep of dt: at the end of an interval, nothing crosses.
pl_status pl__collision_advance(pl_world *world, double dt);
extern const pl__section_type pl__collision_section;

#endif

// src/world/collision.h -- collision between bodies, and self-collision.
#ifndef PL_WORLD_COLLISION_H
#define PL_WORLD_COLLISION_H

#include "bodies.h"
#include "contact/clash.h"
#include "solid/stage.h"

typedef struct pl__collisions
{
    pl__clash *clash;        // NULL if no body can collide with another or itself
    pl__clash_report report; // of the last step
} pl__collisions;

// Mean edge length of a body's surface before fracture [m].
double pl__slot_edge(const pl__slot *slot);
// Create the collision module for the bodies in the slots, in slot order; NULL if none can collide.
pl_status pl__collision_prepare(pl_world *world, pl__clash **clash);
// Call after nodes were moved from outside: intersections must be detected again.
void pl__collision_forget(pl_world *world);
// Call before a substep. `span`: the longest substep allowed, to the end of the current or a new collision interval
// [s].
PL_NODISCARD pl_status pl__collision_begin(pl_world *world, double *span);
// Register the stages: filters of displacements and velocities, and the source of pair contacts in the solves.
PL_NODISCARD pl_status pl__collision_register(pl_world *world);
// Write the current positions of all collision nodes to x, objects behind the bodies.
void pl__collision_places(pl_world *world, double *x);
// Whether so many elements of a body are inverted that self-collision is switched off.
bool pl__collision_is_inverted(const pl__body *body);
// Call after a substep of length dt. Resolves collisions at the end of an interval.
pl_status pl__collision_advance(pl_world *world, double dt);
extern const pl__section_type pl__collision_section;
extern const pl__section_type pl__rows_section; // row_section.c

#endif

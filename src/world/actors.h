// src/world/actors.h -- kinematic surfaces: objects that deform, and objects that collide by their triangles.
#ifndef PL_WORLD_ACTORS_H
#define PL_WORLD_ACTORS_H

#include "contact/surfaces.h"
#include "objects.h"
#include "section.h"

// Call once all bodies of the scene are in their slots. On failure, partial results are destroyed with the world.
pl_status pl__actors_create(pl_world *world);
void pl__actors_destroy(pl_world *world);
// Update all objects to the current time and body positions. Not needed after a substep.
void pl__actors_place(pl_world *world);
// Set the target positions of actors for the end of a substep of length dt.
void pl__actors_aim(pl_world *world, double dt);
// Copy the triangles of an actor at the current time, in its own frame. The caller owns `surface`.
pl_status pl__actor_read(const pl_world *world, size_t object, pl_surface **surface);

// Objects that collide by surface. Count them with their vertices and triangles; list them as collision parts, with
// nodes numbered behind those of the bodies; write their current positions.
int32_t pl__obstacles_count(const pl_world *world, size_t *nodes, size_t *triangles);
void pl__obstacles_list(const pl_world *world, int32_t first_node, double thickness, pl__surface_part *part,
                        int32_t *triangle, double *rest);
void pl__obstacles_write(pl_world *world, double *x);
// Predict their velocities over the time `ahead`, starting from x; read positions and velocities at the start or the
// end of a substep.
void pl__obstacles_foresee(pl_world *world, double ahead, const double *x, double *v);
void pl__obstacles_read(const pl_world *world, bool at_end, double *x, double *v);
// Whether the body of a slot is such an object.
bool pl__obstacles_drive(const pl_world *world, size_t slot);
// Whether two parts collide, at least one of them an object, and their friction coefficient.
bool pl__obstacles_rule(const pl_world *world, int32_t a, int32_t b, double *friction);
extern const pl__section_type pl__actors_section;

#endif

// src/world/actors.h -- kinematic surfaces: objects that bend, or are met by surface.
#ifndef PL_WORLD_ACTORS_H
#define PL_WORLD_ACTORS_H

#include "contact/surfaces.h"
#include "objects.h"
#include "section.h"

// Once all bodies of the scene are in their slots. On failure what was made is destroyed with the world.
pl_status pl__actors_create(pl_world *world);
void pl__actors_destroy(pl_world *world);
// All objects where they are now, after anything but a substep.
void pl__actors_place(pl_world *world);
// Where they will be at the end of a substep.
void pl__actors_aim(pl_world *world, double dt);
// Their triangles now, in their own frame.
pl_status pl__actor_read(const pl_world *world, size_t object, pl_surface **surface);

// Objects that are met by surface: how many, with their vertices and triangles; as parts, whose nodes follow those of
// the bodies; and where they are now.
int32_t pl__obstacles_count(const pl_world *world, size_t *nodes, size_t *triangles);
void pl__obstacles_list(const pl_world *world, int32_t first_node, double thickness, pl__surface_part *part,
                        int32_t *triangle, double *rest);
void pl__obstacles_write(pl_world *world, double *x);
// How they will go on from x, over the time ahead; and where they are within a substep, with their velocities in it.
void pl__obstacles_foresee(pl_world *world, double ahead, const double *x, double *v);
void pl__obstacles_read(const pl_world *world, bool at_end, double *x, double *v);
// Whether a body is one of them.
bool pl__obstacles_drive(const pl_world *world, size_t slot);
// Whether two parts collide, of which one at least is an object, and the friction between them.
bool pl__obstacles_rule(const pl_world *world, int32_t a, int32_t b, double *friction);
extern const pl__section_type pl__actors_section;

#endif

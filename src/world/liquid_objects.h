// src/world/liquid_objects.h -- the objects of a world as its liquid meets them.
//
// A liquid takes steps of its own, and in each of them its objects go evenly from where it met them last to where they
// are in the world. So it has copies of them: rigid ones with a pose, actors and bodies as objects with vertices of
// their own, which go straight. How bodies of the scene meet an object, by its distance or by its triangles, is nothing
// to a liquid: it sees rigid ones by their distance, and others by their triangles.
#ifndef PL_WORLD_LIQUID_OBJECTS_H
#define PL_WORLD_LIQUID_OBJECTS_H

#include "liquids.h"

// Copies where the objects are now; warns of those that cells of a size [m] hardly see. PL_ERR_MEMORY: some are made.
PL_NODISCARD pl_status pl__liquid_objects_make(pl_world *world, double size);
void pl__liquid_objects_done(pl_world *world);
static inline pl__obstacles pl__liquid_objects_met(const pl__world_liquids *w)
{
    return (pl__obstacles){w->object, (int32_t)w->object_count};
}

// How many cells the fastest of them that is in the domain goes in all, from where it was met last: a step of the
// liquid has at most `cfl` of them, so that none jumps over what it should push.
double pl__liquid_objects_way(const pl_world *world);

// Take all of them a part of the way to where they are in the world, in a time dt; and back.
void pl__liquid_objects_lead(pl_world *world, double part, double dt);
void pl__liquid_objects_return(pl_world *world);

// What is saved of them: so many numbers; read into `loaded` of the liquids, checked, and taken from there.
size_t pl__liquid_objects_numbers(const pl__world_liquids *w);
void pl__liquid_objects_write(const pl__world_liquids *w, pl__section_writer *to);
bool pl__liquid_objects_check(const pl__world_liquids *w);
void pl__liquid_objects_take(pl_world *world);

#endif

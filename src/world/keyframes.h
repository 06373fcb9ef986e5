// src/world/keyframes.h -- parameters and places that follow keys in time.
#ifndef PL_WORLD_KEYFRAMES_H
#define PL_WORLD_KEYFRAMES_H

#include "scene/scene.h"
#include "section.h"
#include <pliant/world.h>

typedef struct pl__keyframes
{
    pl__track *track; // [count]; index of a body is its slot
    size_t count;
} pl__keyframes;

pl_status pl__keyframes_copy(pl_world *world, const pl_scene *scene);
// Keyed parameters take their values of world->time; keyed places too when the world begins.
void pl__keyframes_apply(pl_world *world);
void pl__keyframes_place(pl_world *world);
// The time that a substep of length dt reaches.
double pl__keyframes_time_after(const pl_world *world, double dt);
// Where scripted things shall be by then; `user` is the world.
void pl__keyframes_aim(void *user, double dt);
// The path of the keys that drive something, or NULL; `field` of materials: the row of their table, else 0.
const char *pl__keyframes_driver(const pl_world *world, pl__keyed what, int32_t index, int32_t field);
// Whether a track's body is still there; true for those of other things.
bool pl__track_is_alive(const pl_world *world, const pl__track *track);
extern const pl__section_type pl__keyframes_section;

#endif

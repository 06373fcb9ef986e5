// src/world/keyframes.h -- parameters and poses driven by keyframes.
#ifndef PL_WORLD_KEYFRAMES_H
#define PL_WORLD_KEYFRAMES_H

#include "scene/scene.h"
#include "section.h"
#include <pliant/world.h>

typedef struct pl__keyframes
{
    pl__track *track; // [count]; bodies by slot
    size_t count;
} pl__keyframes;

pl_status pl__keyframes_copy(pl_world *world, const pl_scene *scene);
// Apply keyed parameters at world->time; keyed poses too when the world is created.
void pl__keyframes_apply(pl_world *world);
void pl__keyframes_place(pl_world *world);
// World time at the end of a substep of length dt.
double pl__keyframes_time_after(const pl_world *world, double dt);
// Compute the targets of scripted pins and objects for that time; `user` is the world.
void pl__keyframes_aim(void *user, double dt);
// Path of the keys that drive a parameter, or NULL; `field` is the row of the table for materials, else 0.
const char *pl__keyframes_driver(const pl_world *world, pl__keyed what, int32_t index, int32_t field);
// Whether the body of a track still exists; true for tracks of anything else.
bool pl__track_is_alive(const pl_world *world, const pl__track *track);
extern const pl__section_type pl__keyframes_section;

#endif

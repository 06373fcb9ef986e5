// src/world/sleep.h -- bodies at rest fall asleep and cost nothing until something touches them.
#ifndef PL_WORLD_SLEEP_H
#define PL_WORLD_SLEEP_H

#include "solid/body.h"
#include <pliant/world.h>

void pl__sleep_wake(pl_world *world, pl__body *body);
void pl__sleep_wake_all(pl_world *world);
bool pl__sleep_all(const pl_world *world);
// Whether an object is on its way, or may be.
bool pl__sleep_is_wary(const pl_world *world);
// At the end of a step of `dt`: who falls asleep.
void pl__sleep_update(pl_world *world, double dt);
// After a substep: objects that have moved wake whom they touch.
void pl__sleep_look_at_objects(pl_world *world);
// Before a substep: watched pairs that will soon be near wake whom they meet.
void pl__sleep_foresee(pl_world *world, double soon);
// After a look at bodies that meet, in its arrays: who was touched by somebody awake is awake; who was not has not
// moved.
void pl__sleep_settle_meeting(pl_world *world);
// What bodies feel besides contact: a change of it wakes all.
uint64_t pl__sleep_influences(const pl_world *world);

#endif

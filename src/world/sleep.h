// src/world/sleep.h -- sleeping: bodies at rest are skipped until something touches them.
#ifndef PL_WORLD_SLEEP_H
#define PL_WORLD_SLEEP_H

#include "solid/body.h"
#include <pliant/world.h>

void pl__sleep_wake(pl_world *world, pl__body *body);
void pl__sleep_wake_all(pl_world *world);
bool pl__sleep_all(const pl_world *world);
// Whether an object moves, or may start to.
bool pl__sleep_is_wary(const pl_world *world);
// At the end of a step of length dt: put bodies at rest to sleep.
void pl__sleep_update(pl_world *world, double dt);
// After a substep: objects that have moved wake the bodies they touch.
void pl__sleep_look_at_objects(pl_world *world);
// Before a substep: wake bodies whose candidate pairs will touch within `soon` [s].
void pl__sleep_foresee(pl_world *world, double soon);
// After collision response, in the arrays of the collision module: wake bodies touched by an awake one, restore the
// positions of the others.
void pl__sleep_settle_meeting(pl_world *world);
// Hash of everything that acts on bodies besides contact: a change wakes all.
uint64_t pl__sleep_influences(const pl_world *world);

#endif

// src/world/overlap.h -- report of overlapping bodies when a world is created.
#ifndef PL_WORLD_OVERLAP_H
#define PL_WORLD_OVERLAP_H

#include <pliant/world.h>

// Count intersections at the start and warn of them, and of bodies that are completely inside another.
PL_NODISCARD pl_status pl__overlap_report(pl_world *world);
// Warn, once, of intersections found by a step.
void pl__overlap_warn(pl_world *world);

#endif

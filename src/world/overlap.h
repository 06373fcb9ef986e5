// src/world/overlap.h -- a report of what overlaps when a world begins.
#ifndef PL_WORLD_OVERLAP_H
#define PL_WORLD_OVERLAP_H

#include <pliant/world.h>

// Where a world begins: counts what crosses, and warns of it, or of what is wholly inside another.
PL_NODISCARD pl_status pl__overlap_report(pl_world *world);
// When a step has found something.
void pl__overlap_warn(pl_world *world);

#endif

// src/solid/recovery.h -- bodies that are tangled, and bodies that cannot get out.
#ifndef PL_SOLID_RECOVERY_H
#define PL_SOLID_RECOVERY_H

#include "solids.h"

// Decide by the figures of the present positions whether each body uses its material or the calm relative of it in the
// step of length dt to come. Returns whether anything changed, so that forces must be evaluated again.
bool pl__recovery_update(pl__solids *solids, const pl_material_def *material, double dt);

// After a step of length dt: which bodies rest in a shape that is not theirs?
void pl__stuck_update(pl__solids *solids, bool external_load, double dt);

#endif

// src/solid/recovery.h -- tangles that do not come apart by themselves, and bodies that rest in a shape that is not
// theirs.
#ifndef PL_SOLID_RECOVERY_H
#define PL_SOLID_RECOVERY_H

#include "solids.h"

// Bodies that do not untangle get the relaxed law, and those that have their own law back; by the present positions,
// whose forces are known. dt is the step to come. Velocities may change. Forces and energies are known again.
void pl__recovery_update(pl__solids *solids, const pl_material_def *material, double dt);
// A body was put where it is. Its materials are to be set again.
void pl__recovery_begin(pl__body *body);

// After a step of length dt: which bodies rest in a shape that is not theirs?
void pl__stuck_update(pl__solids *solids, bool external_load, double dt);

#endif

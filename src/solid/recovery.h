// src/solid/recovery.h -- recovery from inverted elements, and detection of bodies stuck in a false equilibrium.
#ifndef PL_SOLID_RECOVERY_H
#define PL_SOLID_RECOVERY_H

#include "solids.h"

// Switch bodies that do not untangle to the relaxed law, and untangled ones back to their own, by the current
// positions, where forces are valid. dt is the coming step. Velocities may change. Forces and energies are valid
// afterwards.
void pl__recovery_update(pl__solids *solids, const pl_material_def *material, double dt);
// The body was placed anew. The caller sets its materials again.
void pl__recovery_begin(pl__body *body);

// After a step of length dt: detect bodies at rest in a shape other than their rest shape.
void pl__stuck_update(pl__solids *solids, bool external_load, double dt);

#endif

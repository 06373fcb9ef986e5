// src/scene/metaballs.h -- bodies of smoothly blended balls, limbs and plates.
#ifndef PL_SCENE_METABALLS_H
#define PL_SCENE_METABALLS_H

#include "build.h"

// Mesh of the body's `shape.blobs`, with checks, for an element size; 0: from its `resolution`.
pl_status pl__metaballs_make(const pl__body_build *b, pl_element_kind elements, double size, pl_mesh **mesh);

#endif

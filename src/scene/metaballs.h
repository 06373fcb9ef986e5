// src/scene/metaballs.h -- balls, limbs and plates melted together.
#ifndef PL_SCENE_METABALLS_H
#define PL_SCENE_METABALLS_H

#include "build.h"

// The mesh of the body's `shape.blobs`, checked, of elements of that size; 0: by its `resolution`.
pl_status pl__metaballs_make(const pl__body_build *b, pl_element_kind elements, double size, pl_mesh **mesh);

#endif

// src/scene/definitions.h -- field tables of the definitions in a scene.
//
// The rows of *_fields.inl, with offsets in the definition; those of materials and objects are in
// material/material_fields.h and contact/object_fields.h.
#ifndef PL_SCENE_DEFINITIONS_H
#define PL_SCENE_DEFINITIONS_H

#include "base/field.h"

extern const pl__fields pl__scene_fields; // struct pl_scene
extern const pl__fields pl__solver_fields;
extern const pl__fields pl__air_fields;
extern const pl__fields pl__heat_fields;
extern const pl__fields pl__domain_fields;
extern const pl__fields pl__liquid_fields;
extern const pl__fields pl__vortices_fields;
extern const pl__fields pl__body_fields;
extern const pl__fields pl__pin_fields;

#endif

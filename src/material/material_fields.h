// src/material/material_fields.h -- the field table of materials.
#ifndef PL_MATERIAL_FIELDS_H
#define PL_MATERIAL_FIELDS_H

#include "base/field.h"

// The rows of material_fields.inl, with offsets in pl_material_def. `kind` is not among them: its table is models.inl.
extern const pl__fields pl__material_fields;

#endif

// src/contact/object_fields.h -- the tables of the numbers of an object, for those who walk them.
#ifndef PL_CONTACT_OBJECT_FIELDS_H
#define PL_CONTACT_OBJECT_FIELDS_H

#include "base/field.h"

// The rows of object_fields.inl and shape_fields.inl, with offsets in pl_object_def.
extern const pl__fields pl__object_fields; // of every object
extern const pl__fields pl__shape_fields;  // of some shapes

#endif

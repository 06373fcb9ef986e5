// src/base/field_rows.h -- macros for the rows of *_fields.inl.
//
//     #define OWNER pl_material_def
//     static const pl__field rows[] = {
//     #include "material_fields.inl"
//     };
//
// generates the rows of a definition. A table has one line per field:
//
//     PL_FIELD(kind, name, default, range, unit, when, help)
//
//     kind   NUMBER, KEYED (a number that may follow time), VECTOR, KEYED_VECTOR, INTEGER, SWITCH, CHOICE
//     name   of the member of the definition and of the key in a scene file
//     range  IN, FROM, ABOVE_TO, FROM_BELOW, WITHIN; AUTO_IN: that, or 0 (in a scene: absent) for a default described by
//            text; NO_RANGE for switches; NAMES for choices
//     when   ANY, LIVE, BRANCH, RERUN (pl__when)
//
// Include it only in files that define such rows: its macros have short names. For other uses of a table (members of a
// struct), redefine PL_FIELD.
#ifndef PL_BASE_FIELD_ROWS_H
#define PL_BASE_FIELD_ROWS_H

#include "field.h"

#include <math.h>

// clang-format off
#define ANY PL__WHEN_ANY
#define LIVE PL__WHEN_LIVE
#define BRANCH PL__WHEN_BRANCH
#define RERUN PL__WHEN_RERUN

#define IN(low_, high_) .low = (low_), .high = (high_)
#define ABOVE_TO(low_, high_) .low = (low_), .low_open = true, .high = (high_)
#define FROM_BELOW(low_, high_) .low = (low_), .high = (high_), .high_open = true
#define WITHIN(x) .low = -(x), .high = (x)
#define ENDLESS .low = -INFINITY, .high = INFINITY
#define AUTO_IN(low_, high_, text_) .low = (low_), .high = (high_), .automatic = true, .fallback_text = (text_)
#define NO_RANGE .high = 1
#define NAMES(type_, ...)                                                                                              \
    .type = #type_, .choices = (const char *const[]) { __VA_ARGS__, NULL }
#define V3(x, y, z) x, y, z

#define PL__KIND_NUMBER .kind = PL__FIELD_NUMBER, .components = 1
#define PL__KIND_KEYED .kind = PL__FIELD_NUMBER, .components = 1, .keyed = true
#define PL__KIND_VECTOR .kind = PL__FIELD_VECTOR, .components = 3
#define PL__KIND_KEYED_VECTOR .kind = PL__FIELD_VECTOR, .components = 3, .keyed = true
#define PL__KIND_INTEGER .kind = PL__FIELD_INTEGER
#define PL__KIND_SWITCH .kind = PL__FIELD_BOOL
#define PL__KIND_CHOICE .kind = PL__FIELD_CHOICE

#define PL_FIELD(kind_, name_, default_, range_, unit_, when_, help_)                                                  \
    {.name = #name_,                                                                                                   \
     PL__KIND_##kind_,                                                                                                 \
     .offset = offsetof(OWNER, name_),                                                                                 \
     .fallback = {default_},                                                                                           \
     range_,                                                                                                           \
     .unit = (unit_),                                                                                                  \
     .when = (when_),                                                                                                  \
     .help = (help_)},
// A key of scene files that is not in a definition.
#define PL_KEY(...)
// clang-format on

#endif

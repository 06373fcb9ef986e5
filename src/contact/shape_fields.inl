// src/contact/shape_fields.inl -- the numbers that some shapes of objects have: one row each.
//
// A row is the default and the check of pl_object_def (shape_def.c). In scene files shapes have tables of their own
// (scene/tables.c), with what a number means for that shape; tests/field_tables.c compares them with these rows.
//
// clang-format off
//       kind    name        default         range          unit       when   help
PL_FIELD(VECTOR, normal,     V3(0, 1, 0),    WITHIN(1e9),   "",        RERUN, "plane: points out of the object; any length but zero")
PL_FIELD(NUMBER, radius,     0.5,            IN(1e-9, 1e9), "m",       RERUN, "sphere, capsule, cylinder, cone at its bottom, torus to the middle of its tube")
PL_FIELD(VECTOR, extent,     V3(1, 1, 1),    IN(1e-9, 1e9), "m",       RERUN, "box, ellipsoid, height field: whole lengths")
PL_FIELD(NUMBER, height,     1,              IN(1e-9, 1e9), "m",       RERUN, "capsule, cylinder, cone: along y")
PL_FIELD(NUMBER, top_radius, 0,              IN(0, 1e9),    "m",       RERUN, "cone: at its top; 0: pointed")
PL_FIELD(NUMBER, tube,       0.2,            IN(1e-9, 1e9), "m",       RERUN, "torus: radius of its tube")
PL_FIELD(NUMBER, rounding,   0,              IN(0, 1e9),    "m",       RERUN, "box: radius of its edges")
PL_FIELD(NUMBER, angle,      90,             IN(1, 359),    "degrees", RERUN, "wedge: at its edge")
PL_FIELD(CHOICE, lookup,     PL_LOOKUP_AUTO, NAMES(pl_object_lookup, "auto", "exact", "grid"),
                                                            "",        RERUN, "surface: how distances are found")
PL_FIELD(NUMBER, cell,       0,              AUTO_IN(1e-9, 1e9, "1/64 of its longest side"),
                                                            "m",       RERUN, "surface: of the grid")
// clang-format on
#include "contact/gear_fields.inl"
#include "contact/stairs_fields.inl"

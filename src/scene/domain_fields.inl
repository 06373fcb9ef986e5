// src/scene/domain_fields.inl -- the domain of liquids (pl_domain_def): one row per number.
//
// Its corners, its open sides and their level are keys of their own (scene/tables.c).
//
// clang-format off
//       kind     name       default range                                         unit when    help
PL_FIELD(NUMBER,  size,      0,      AUTO_IN(1e-9, 1e9, "must be given"),          "m", RERUN,  "edge of a cell; half of it is 8 times the cells and twice the steps")
PL_FIELD(NUMBER,  depth,     0,      AUTO_IN(1e-9, 1e9, "cubes everywhere"),       "m", RERUN,  "cells are cubes only so deep below the surface, and tall below: deep water costs little more than shallow water")
PL_FIELD(VECTOR,  velocity,  V3(0, 0, 0), WITHIN(1e9),                            "m/s", RERUN, "of the water beyond open sides with a `level`; what comes in has it")
PL_FIELD(NUMBER,  sponge,    0,      AUTO_IN(1e-9, 1e9, "3 times the depth, at most a quarter of the domain"), "m", RERUN, "how far from open sides with a `level` waves die out")
PL_FIELD(NUMBER,  cfl,       1,      ABOVE_TO(0, 8),                               "",  BRANCH, "cells that the fastest liquid may cross in a step; less is more accurate")
PL_FIELD(NUMBER,  confinement, 0,    IN(0, 1),                                     "",  BRANCH, "how much vortices are strengthened that the cells are too coarse for; 0.1 is visible, 0 adds nothing")
PL_FIELD(NUMBER,  tolerance, 1e-4,   IN(1e-12, 0.1),                               "",  BRANCH, "relative change of volume that a step may leave in a cell")
PL_FIELD(INTEGER, particles, 0,      AUTO_IN(0, 128, "32; 16 in a box one cell thick"), "", RERUN, "markers per cell near the surface, which keep drops and thin sheets")
PL_FIELD(NUMBER,  most_cells, 1e9,   IN(1, 1e12),                                  "",  BRANCH, "of the box, when sides of it `grow`: then they stay, as walls")
PL_FIELD(INTEGER, seed,      0,      IN(0, 1e9),                                   "",  RERUN,  "of the places of markers")
// clang-format on

// src/contact/stairs_fields.inl -- the numbers of stairs (shape_fields.inl).
//
// clang-format off
//       kind     name   default  range          unit  when   help
PL_FIELD(INTEGER, steps, 5,       IN(1, 1000),   "",   RERUN, "how many")
PL_FIELD(NUMBER,  rise,  0.15,    IN(1e-9, 1e9), "m",  RERUN, "height of a step")
PL_FIELD(NUMBER,  run,   0.3,     IN(1e-9, 1e9), "m",  RERUN, "depth of a step, along x")
PL_FIELD(NUMBER,  width, 1,       IN(1e-9, 1e9), "m",  RERUN, "along z")
// clang-format on

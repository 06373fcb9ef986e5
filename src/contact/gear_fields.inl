// src/contact/gear_fields.inl -- the numbers of a gear (shape_fields.inl).
//
// clang-format off
//       kind     name            default  range          unit       when   help
PL_FIELD(INTEGER, teeth,          12,      IN(3, 1000),   "",        RERUN, "how many")
PL_FIELD(NUMBER,  module,         0.1,     IN(1e-9, 1e9), "m",       RERUN, "pitch diameter over teeth; wheels of one module mesh where their pitch circles touch")
PL_FIELD(NUMBER,  thickness,      0.2,     IN(1e-9, 1e9), "m",       RERUN, "along z")
PL_FIELD(NUMBER,  bore,           0,       IN(0, 1e9),    "m",       RERUN, "radius of the hole")
PL_FIELD(NUMBER,  pressure_angle, 20,      IN(10, 30),    "degrees", RERUN, "of the flanks")
// clang-format on

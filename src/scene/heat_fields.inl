// src/scene/heat_fields.inl -- a source of heat (pl_heat_def): one row per number.
//
// clang-format off
//       kind          name    default      range          unit   when    help
PL_FIELD(KEYED_VECTOR, at,     V3(0, 0, 0), WITHIN(1e9),   "m",   BRANCH, "its middle")
PL_FIELD(NUMBER,       radius, 0.1,         IN(1e-9, 1e9), "m",   RERUN,  "how far it reaches; less and less towards there")
PL_FIELD(KEYED,        power,  0,           WITHIN(1e9),   "K/s", BRANCH, "how fast temperature rises in its middle; below 0 it cools")
// clang-format on

// src/scene/vortices_fields.inl -- where vortex particles are born (pl_vortices_def): one row per number.
//
// clang-format off
//       kind    name       default      range          unit   when    help
PL_FIELD(VECTOR, at,        V3(0, 0, 0), WITHIN(1e9),   "m",   RERUN,  "middle of the ball in which they are born: in the world, or from the origin of what they are `on`, turned with it")
PL_FIELD(NUMBER, radius,    0.1,         IN(1e-9, 1e9), "m",   RERUN,  "of that ball")
PL_FIELD(NUMBER, rate,      100,         IN(0, 1e6),    "1/s", RERUN,  "how many are born in a second; there are at most 100,000 at a time")
PL_FIELD(NUMBER, vorticity, 10,          IN(0, 1e6),    "1/s", RERUN,  "of each, in a random direction: the water shall turn half as fast [rad/s] in its middle")
PL_FIELD(NUMBER, strength,  5,           IN(0, 1e6),    "1/s", RERUN,  "how fast it does")
PL_FIELD(NUMBER, life,      3,           IN(1e-9, 1e9), "s",   RERUN,  "after which they have faded")
PL_FIELD(NUMBER, power,     0,           AUTO_IN(1e-12, 1e12, "every 1 / `strength` as much as their swirl has"), "W", RERUN, "most that they give to the water")
PL_FIELD(NUMBER, start,     0,           IN(0, 1e9),    "s",   RERUN,  "when the first are born")
PL_FIELD(NUMBER, end,       0,           AUTO_IN(1e-9, 1e9, "never"), "s", RERUN, "when the last are")
// clang-format on

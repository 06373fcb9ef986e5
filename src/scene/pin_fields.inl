// src/scene/pin_fields.inl -- a group of pins (pl_pin_def): one row per number.
//
// clang-format off
//       kind          name      default      range          unit       when    help
PL_FIELD(KEYED,        strength, 1,           IN(0, 1),      "",        BRANCH, "1: held exactly; 0: free; between: by a spring")
PL_FIELD(NUMBER,       soft,     0.05,        IN(1e-4, 1e3), "s",       RERUN,  "how long the spring takes to follow, at strength 0.5")
PL_FIELD(KEYED_VECTOR, move,     V3(0, 0, 0), WITHIN(1e9),   "m",       BRANCH, "how far its nodes are moved from where they start")
PL_FIELD(KEYED_VECTOR, rotate,   V3(0, 0, 0), WITHIN(1e6),   "degrees", BRANCH, "and turned about `pivot`: about x, then y, then z")
PL_FIELD(VECTOR,       pivot,    V3(0, 0, 0), AUTO_IN(-1e9, 1e9, "the middle of its nodes"),
                                                             "m",       RERUN,  "centre of `rotate`, in the world")
// clang-format on

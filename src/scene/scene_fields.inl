// src/scene/scene_fields.inl -- the numbers of a scene itself: one row each.
//
// clang-format off
//       kind          name     default          range        unit     when  help
PL_FIELD(KEYED_VECTOR, gravity, V3(0, -9.81, 0), WITHIN(1e9), "m/s^2", LIVE, "acceleration of everything that is free")
// clang-format on

// src/scene/air_fields.inl -- the air around bodies (pl_air_def): one row per number.
//
// clang-format off
//       kind          name      default      range        unit      when   help
PL_FIELD(KEYED_VECTOR, wind,     V3(0, 0, 0), WITHIN(1e6), "m/s",    LIVE,  "the same everywhere")
PL_FIELD(NUMBER,       density,  1.2,         IN(0, 1e6),  "kg/m^3", RERUN, "that drag is in proportion to")
PL_FIELD(NUMBER,       pressure, 101325,      IN(0, 1e12), "Pa",     RERUN, "outside of bodies that hold gas")
// clang-format on

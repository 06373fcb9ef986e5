// src/scene/liquid_fields.inl -- a liquid (pl_liquid_def): one row per number.
//
// clang-format off
//       kind    name       default         range          unit       when    help
PL_FIELD(NUMBER, level,     0,              AUTO_IN(-1e9, 1e9, "none"),
                                                           "m",       RERUN,  "instead: everything in the domain below this height that is not inside an object")
PL_FIELD(VECTOR, at,        V3(0, 0, 0),    WITHIN(1e9),   "m",       RERUN,  "where the origin of its shape is")
PL_FIELD(VECTOR, rotate,    V3(0, 0, 0),    WITHIN(1e6),   "degrees", RERUN,  "its shape, turned about x, then y, then z")
PL_FIELD(VECTOR, velocity,  V3(0, 0, 0),    WITHIN(1e9),   "m/s",     RERUN,  "at the start, or of what a source brings")
PL_FIELD(VECTOR, spin,      V3(0, 0, 0),    WITHIN(1e9),   "degrees/s", RERUN, "rotation at the start, about the origin of its shape")
PL_FIELD(CHOICE, kind,      PL_LIQUID_START, NAMES(pl_liquid_kind, "start", "source", "drain", "body"),
                                                           "",        RERUN,  "start: it is there at the start; source: its shape is kept full of liquid with its velocity; drain: its shape is kept empty; body: what a `body` becomes, which goes without saying")
PL_FIELD(NUMBER, rate,      0,              AUTO_IN(1e-18, 1e18, "as much as there is room for, or as there is"),
                                                           "m^3/s",   RERUN,  "what a source brings and a drain takes, in air or in liquid")
PL_FIELD(NUMBER, start,     0,              IN(0, 1e9),    "s",       RERUN,  "when a source or drain begins; when a `body` becomes liquid, if not only by `melted`")
PL_FIELD(NUMBER, melted,    0,              AUTO_IN(1e-9, 1, "not by heat"),
                                                           "",        RERUN,  "of a `body`: it becomes liquid when this part of it is as warm as its material melts, `melting`")
PL_FIELD(NUMBER, end,       0,              AUTO_IN(1e-9, 1e9, "never"),
                                                           "s",       RERUN,  "when it ends")
PL_FIELD(NUMBER, valve,     1,              IN(0, 1),      "",        LIVE,   "of a source or drain: how far it is open; so much of its rate and velocity comes, 0: it is shut")
PL_FIELD(KEYED,  density,   1000,           IN(1e-9, 1e9), "kg/m^3",  LIVE,   "mass per volume")
PL_FIELD(KEYED,  viscosity, 0,              IN(0, 1e9),    "Pa s",    LIVE,   "resistance to shear: water 0.001, oil 0.1, honey 10")
PL_FIELD(KEYED,  elasticity, 0,             IN(0, 1e12),   "Pa",      LIVE,   "stress per elastic strain, twice the shear modulus: jelly 1000, dough 10000; 0: it has no memory of its shape")
PL_FIELD(KEYED,  yield,     0,              IN(0, 1e9),    "",        LIVE,   "elastic strain that it bears without flowing")
PL_FIELD(KEYED,  flow,      0,              IN(0, 1e9),    "1/s",     LIVE,   "rate at which strain beyond `yield` is forgotten; 0: never")
PL_FIELD(KEYED,  hardening, 0,              ABOVE_TO(-1, 1e9), "",    LIVE,   "gain of `yield` per plastic strain; negative: it softens")
PL_FIELD(NUMBER, temperature, 0,            IN(0, 1e9),    "K",       RERUN,  "above the surroundings: at the start, or of what a source brings; with `melting`")
PL_FIELD(KEYED,  melting,   0,              IN(0, 1e9),    "K",       LIVE,   "temperature at which it is molten; 0: it has no temperature")
PL_FIELD(KEYED,  melt_viscosity, 0.01,      IN(1e-9, 1),   "",        LIVE,   "factor of `viscosity` where it is molten; in between exponentially")
PL_FIELD(KEYED,  melt_elasticity, 0.01,     IN(1e-9, 1),   "",        LIVE,   "factor of `elasticity` where it is molten; in between exponentially")
PL_FIELD(KEYED,  diffusivity, 0,            IN(0, 1e9),    "m^2/s",   LIVE,   "conduction of heat")
PL_FIELD(KEYED,  cooling,   0,              IN(0, 1e9),    "s",       LIVE,   "time in which its temperature falls to 1/e; 0: it stays warm")
PL_FIELD(CHOICE, strain,    PL_STRAIN_ROTATED, NAMES(pl_liquid_strain, "rotated", "linear"),
                                                           "",        BRANCH, "elastic strain turns with the liquid, or does not, which is wrong for what turns; for comparison")
PL_FIELD(CHOICE, shear,     PL_SHEAR_COUPLED, NAMES(pl_liquid_shear, "coupled", "separate"),
                                                           "",        BRANCH, "viscosity acts on the whole strain rate, or on each component of velocity alone, which holds back what turns; for comparison")
PL_FIELD(NUMBER, tension,   0,              IN(0, 1e9),    "N/m",     BRANCH, "of the surface of a scene with one liquid, which draws drops together: water 0.072, mercury 0.49; steps get shorter as the cells do")
PL_FIELD(NUMBER, foam,      0,              IN(0, 100),    "",        BRANCH, "bubbles and foam where the surface breaks, which are seen but have no volume: 1 is some, more is more")
PL_FIELD(NUMBER, foam_life, 4,              IN(1e-9, 1e9), "s",       BRANCH, "how long foam lasts, about")
PL_FIELD(CHOICE, wall,      PL_WALL_NO_SLIP, NAMES(pl_liquid_wall, "no_slip", "slip"),
                                                           "",        BRANCH, "viscous liquids stick to walls and objects, or slip along them; without viscosity they slip")
PL_FIELD(CHOICE, volume,    PL_VOLUME_FREE, NAMES(pl_liquid_volume, "free", "hold"),
                                                           "",        BRANCH, "free: what the surface loses or gains is given back near the place; hold: also whatever else changes it, everywhere")
// clang-format on

// src/material/material_fields.inl -- the parameters of a material: one row each, in the order of the reference page.
//
// A row is the default and the check of pl_material_def (material.c), the key of a scene file (scene/tables.c,
// scene/file.h, scene/build.c), its keys over time (scene/keys.c), a live parameter where it is LIVE (world/params.c)
// and a part of the fingerprint of snapshots where it is not. Rules about several parameters are in pl__material_check.
//
// clang-format off
//       kind    name               default                    range                  unit      when   help
PL_FIELD(KEYED,  young,             1e5,                       IN(1e-9, 1e15),        "Pa",     LIVE,  "Young's modulus: stiffness")
PL_FIELD(KEYED,  poisson,           0.4,                       ABOVE_TO(-1, 0.5),     "",       LIVE,  "Poisson's ratio: 0 squeezes freely, towards 0.5 keeps its volume; at most 0.49999 unless `incompressible`")
PL_FIELD(NUMBER, density,           1000,                      IN(1e-3, 1e9),         "kg/m^3", RERUN, "mass per volume at rest")
PL_FIELD(KEYED,  damping,           0.01,                      IN(0, 1e6),            "s",      LIVE,  "damping time: how fast deformation (not motion) loses energy")
PL_FIELD(NUMBER, threshold,         0,                         FROM_BELOW(0, 1),      "",       RERUN, "stretch below which `inversion` takes over; 0: the model's own")
PL_FIELD(NUMBER, limit,             0,                         IN(0, 1e6),            "",       RERUN, "stretch above which `inversion` takes over, above 1; 0: the model's own")
PL_FIELD(CHOICE, inversion,         PL_INVERSION_ENERGY,       NAMES(pl_inversion, "energy", "linear", "det", "constant", "none"),
                                                                                      "",       RERUN, "how the law goes on for crushed and inverted elements")
PL_FIELD(CHOICE, damping_model,     PL_DAMPING_SWITCH,         NAMES(pl_damping_model, "switch", "rotated", "conserving"),
                                                                                      "",       RERUN, "which damping (docs/materials.md)")
PL_FIELD(CHOICE, recovery,          PL_RECOVERY_AUTO,          NAMES(pl_recovery, "auto", "off"),
                                                                                      "",       RERUN, "auto: a body that does not untangle is softer under pressure until it has")
PL_FIELD(SWITCH, incompressible,    0,                         NO_RANGE,              "",       RERUN, "solids and planar bodies keep the volume around every node, whatever presses them (docs/volume.md)")
PL_FIELD(NUMBER, mooney,            0.25,                      IN(0, 1),              "",       RERUN, "of mooney_rivlin: share of the second invariant in the shear modulus")
PL_FIELD(NUMBER, stiffening,        2,                         IN(0, 100),            "",       RERUN, "of fung: exponent, how soon it stiffens")
PL_FIELD(NUMBER, stiffening_share,  0.5,                       IN(0, 1),              "",       RERUN, "of fung: share of the exponential in the shear modulus at rest")
PL_FIELD(NUMBER, spline_low,        0.6,                       IN(-1, 0.99),          "",       RERUN, "of spline: stretch below which it is stiff")
PL_FIELD(NUMBER, spline_high,       1.4,                       IN(1.01, 100),         "",       RERUN, "of spline: stretch above which it is stiff")
PL_FIELD(NUMBER, spline_stiffening, 8,                         IN(1, 1e4),            "",       RERUN, "of spline: how many times as stiff it is there as at rest")
PL_FIELD(NUMBER, fiber_strength,    0,                         IN(0, 1e15),           "Pa",     RERUN, "greatest active tension of muscle fibres; 0: none")
PL_FIELD(NUMBER, fiber_optimal,     1,                         IN(0.1, 10),           "",       RERUN, "stretch at which fibres are strongest")
PL_FIELD(KEYED,  activation,        0,                         IN(0, 1),              "",       LIVE,  "of fibres: 0 passive, 1 all they can")
PL_FIELD(NUMBER, yield_strain,      0,                         IN(0, 2),              "",       RERUN, "logarithmic strain beyond which it flows and stays deformed; 0: elastic")
PL_FIELD(CHOICE, yield_criterion,   PL_YIELD_STRAIN,           NAMES(pl_yield_criterion, "strain", "von_mises"),
                                                                                      "",       RERUN, "strain: pressure flows too; von_mises: it does not, and volume is kept")
PL_FIELD(CHOICE, plastic_form,      PL_PLASTIC_MULTIPLICATIVE, NAMES(pl_plastic_form, "multiplicative", "additive"),
                                                                                      "",       RERUN, "multiplicative: rest shapes flow; additive: strain is subtracted and rest shapes stay, for `rotated_linear` and `linear` solids")
PL_FIELD(NUMBER, hardening,         0,                         IN(0, 1e6),            "",       RERUN, "by how much `yield_strain` grows per plastic strain")
PL_FIELD(NUMBER, plastic_limit,     4,                         ABOVE_TO(1, 100),      "",       RERUN, "plastic stretches stay between its inverse and it")
PL_FIELD(SWITCH, isochoric,         0,                         NO_RANGE,              "",       RERUN, "plastic flow keeps the volume")
PL_FIELD(NUMBER, creep,             0,                         IN(0, 1e9),            "1/s",    RERUN, "rate at which what is beyond `yield_strain` flows; 0: at once")
PL_FIELD(NUMBER, plastic_max,       0,                         IN(0, 10),             "",       RERUN, "norm of the logarithm of the plastic stretch, or of additive plastic strain, at most; 0: any that `plastic_limit` leaves")
PL_FIELD(NUMBER, fracture_stress,   0,                         IN(0, 1e15),           "Pa",     RERUN, "greatest tension that it bears; 0: it does not break")
PL_FIELD(NUMBER, fracture_spread,   0,                         IN(0, 0.99),           "",       RERUN, "its strength varies at random from place to place, by up to this fraction")
PL_FIELD(NUMBER, melting,           0,                         IN(0, 1e6),            "K",      RERUN, "temperature above its surroundings at which it is molten; 0: heat does nothing")
PL_FIELD(NUMBER, melt_young,        0.05,                      IN(1e-6, 1),           "",       RERUN, "factor on `young` when molten")
PL_FIELD(NUMBER, melt_yield,        0.1,                       IN(1e-6, 1),           "",       RERUN, "factor on `yield_strain` and `fracture_stress` when molten")
PL_FIELD(NUMBER, melt_creep,        10,                        IN(1, 1e9),            "",       RERUN, "factor on `creep` when molten")
PL_FIELD(NUMBER, cooling,           0,                         IN(0, 1e9),            "s",      RERUN, "time in which its temperature falls to 1/e; 0: it keeps its heat")
PL_FIELD(NUMBER, diffusivity,       0,                         IN(0, 1),              "m^2/s",  RERUN, "of heat within it")
PL_FIELD(NUMBER, weave_weft,        1,                         IN(1e-6, 1e6),         "",       RERUN, "woven shells: stiffness across the warp over that along it")
PL_FIELD(NUMBER, weave_shear,       0.1,                       IN(1e-6, 10),          "",       RERUN, "woven shells: stiffness against shear over that along the warp")
PL_FIELD(NUMBER, weave_stiffening,  10,                        IN(0, 1e4),            "",       RERUN, "woven shells: how much stiffer threads get per strain")
PL_FIELD(NUMBER, weave_compression, 0.2,                       IN(1e-3, 1),           "",       RERUN, "woven shells: stiffness of threads in compression over that in tension")
PL_FIELD(KEYED,  stretch_limit,     0,                         AUTO_IN(1, 100, "none"),     "",        LIVE, "greatest stretch of an element, which it cannot exceed; 1.05 gives up to 5 % (docs/limits.md)")
PL_FIELD(KEYED,  compress_limit,    0,                         AUTO_IN(0.01, 1, "none"),    "",        LIVE, "least stretch of an element: 0.95 may be compressed by up to 5 %")
PL_FIELD(KEYED,  weft_limit,        0,                         AUTO_IN(1, 100, "as `stretch_limit`"), "", LIVE, "woven shells: greatest stretch across the warp; `stretch_limit` is then that along it")
PL_FIELD(KEYED,  shear_limit,       0,                         AUTO_IN(0.1, 89, "none"),    "degrees", LIVE, "woven shells: by how much the angle between warp and weft may change")
PL_FIELD(KEYED,  bend_limit,        0,                         AUTO_IN(1e-3, 1e9, "none"),  "1/m",     LIVE, "shells: greatest curvature away from rest, 1 over the smallest radius")
// clang-format on

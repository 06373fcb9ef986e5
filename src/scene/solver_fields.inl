// src/scene/solver_fields.inl -- the settings of the solver: one row each, in the order of the reference page.
//
// A row is the default and the check of pl_solver_def (scene.c) and the key of a scene file (tables.c, file.h,
// build.c). Rules about several settings are in check_solver (scene.c).
//
// clang-format off
//       kind     name                default                      range           unit   when    help
PL_FIELD(CHOICE,  integrator,         PL_INTEGRATOR_SEMI_IMPLICIT, NAMES(pl_integrator, "semi_implicit", "implicit_euler"),
                                                                                   "",    BRANCH, "semi_implicit: true motion in short steps; implicit_euler: long steps that damp (docs/integrators.md)")
PL_FIELD(CHOICE,  velocity_update,    PL_VELOCITY_MIDPOINT,        NAMES(pl_velocity_update, "midpoint", "trapezoid"),
                                                                                   "",    BRANCH, "of semi_implicit; midpoint: exact friction; trapezoid: half the force evaluations, and shells in any case")
PL_FIELD(CHOICE,  object_contact,     PL_CONTACT_EXACT,            NAMES(pl_object_contact, "exact", "projected"),
                                                                                   "",    BRANCH, "exact: friction as Coulomb has it; projected: the method that the thesis compares with, which slides too fast")
PL_FIELD(NUMBER,  substep,            0,                           IN(0, 1e6),     "s",   BRANCH, "longest time step, also where that is unstable; 0: chosen from the stiffness, or 1/60 s of implicit_euler")
PL_FIELD(NUMBER,  collision_interval, 1.0 / 60,                    IN(1e-6, 1e6),  "s",   BRANCH, "longest time between two looks whether bodies have touched that were not held apart within the steps")
PL_FIELD(NUMBER,  safety,             0.9,                         IN(1e-6, 1),    "",    BRANCH, "fraction of the stability limit that an automatic step takes")
PL_FIELD(NUMBER,  tolerance,          1e-4,                        IN(1e-14, 0.1), "",    BRANCH, "relative, of a solve")
PL_FIELD(INTEGER, iterations,         200,                         IN(1, 100000),  "",    BRANCH, "most iterations of one solve")
PL_FIELD(INTEGER, newton,             0,                           IN(0, 1000),    "",    BRANCH, "of implicit_euler: most iterations of Newton's method; 0: 1 for solids of rotated_linear or linear, else up to 20")
PL_FIELD(NUMBER,  newton_tolerance,   0.01,                        IN(0, 1),       "",    BRANCH, "of implicit_euler: the part of the imbalance that Newton's method may leave")
PL_FIELD(NUMBER,  mass_damping,       0,                           IN(0, 1e6),     "1/s", BRANCH, "of implicit_euler: the rate at which all motion slows down")
PL_FIELD(SWITCH,  sleep,              0,                           NO_RANGE,       "",    BRANCH, "bodies that have come to rest cost next to nothing until something touches or changes them")
PL_FIELD(NUMBER,  sleep_speed,        0.005,                       IN(0, 1e6),     "m/s", BRANCH, "no node of a body that rests is faster")
PL_FIELD(NUMBER,  sleep_time,         0.5,                         IN(0, 1e6),     "s",   BRANCH, "that a body rests before it sleeps")
PL_FIELD(NUMBER,  volume_recovery,    1.0 / 120,                   IN(0, 1e6),     "s",   BRANCH, "shortest time in which incompressible bodies regain lost volume; 0: at once")
PL_FIELD(NUMBER,  fracture_interval,  1.0 / 960,                   IN(0, 1e6),     "s",   BRANCH, "time between two looks for what breaks; 0: after every substep")
PL_FIELD(INTEGER, limit_levels,       16,                          IN(0, 16),      "",    BRANCH, "of strain and bend limits: coarse levels, at most; 0: the elements alone (docs/limits.md)")
PL_FIELD(INTEGER, limit_sweeps,       16,                          IN(1, 100000),  "",    BRANCH, "of strain and bend limits: sweeps over each level in a cycle")
PL_FIELD(INTEGER, limit_cycles,       4,                           IN(1, 1000),    "",    BRANCH, "of strain and bend limits: cycles over all levels in a substep, at most")
// clang-format on

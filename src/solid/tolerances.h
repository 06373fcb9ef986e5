// src/solid/tolerances.h -- every tolerance and threshold of time steps, their solves, recovery and rest. Those of
// contact, and how rows read: contact/tolerances.h. Those of conjugate gradients: sparse/cg.c.
#ifndef PL_SOLID_TOLERANCES_H
#define PL_SOLID_TOLERANCES_H

// clang-format off
//                                   value         unit or of what   derivation or reason                                                                                        pinned by

// both steps
#define PL__STEP_ROUNDING            1e-9       // step              keeps the rounding of remaining/limit from adding a step                                                    tests/implicit_euler.c steps_are_a_sixtieth_of_a_second (if 0)
#define PL__SPEED_FLOOR              1e-12      // m/s               errors of velocities that do not matter: residuals below that times sqrt(mass) end a solve                  none; tried part of tests/friction.c, part of tests/implicit_euler.c, tests/semi_implicit.c
#define PL__SUM_MOST                 1e300      // 1                 a larger sum of magnitudes is not finite, or will not be when squared: below DBL_MAX; chosen                not tried
#define PL__DIRECTION_LEFT           1e-6       // sine              what is left of a unit normal beside the directions that hold a node already; less is round-off, with room  none; tried part of tests/implicit_euler.c
#define PL__SPAN_LEFT2               1e-20      // sine^2            the same of constraints that are orthonormal by node: (1e-10)^2                                             not tried
#define PL__INERTIA_SINGULAR         1e-12      // trace^3           smaller determinants of inertia are those of a line: it does not turn about itself; round-off, with room    tests/recovery.c lines_do_not_turn

// semi-implicit step (semi_implicit.c, damping_solve.c)
#define PL__LEAP                     1.5        // stability limit   largest step over the limit at the mid-step shape; a step is repeated beyond; chosen                        none; tried tests/semi_implicit.c
#define PL__SHELL_LEAP               1.1        // stability limit   the same at the end of steps of shells, whose limit changes faster; chosen                                  none; tried tests/semi_implicit.c
#define PL__LEAP_TRIES               8          // repeats           of a step with a shorter dt; then it is taken as it is; chosen                                              none; tried tests/semi_implicit.c
#define PL__LEAP_SHORTEST            0.1        // dt                a repeat is at least so long: 8 of them reach 1e-8; chosen                                                  none; tried tests/semi_implicit.c
#define PL__SLUGGISH                 1.0        // mass              damping h d of the stiffest mode from which pairs join the solve: where it outweighs a node                 tests/pair_contact.c damping_carries_nothing (if 100)
#define PL__SOLVES_FOR_FRICTION      4          // solves            repeated because friction with objects changes; the rest is corrected afterwards; chosen                    none; tried part of tests/friction.c
#define PL__SOLVES_FOR_PAIRS         12         // solves            repeated because pairs change; filters do the rest; chosen                                                  none; tried part of tests/pair_contact.c
#define PL__SOLVES_THAT_RUB          1          // solves            afterwards friction of pairs is kept, else it need not settle; chosen                                       not tried
#define PL__ITERATIONS_BEFORE_BLOCKS 6          // iterations        with the mass alone; blocks cost some iterations to build; chosen, meant to cost time only                  none; tried tests/semi_implicit.c
#define PL__ITERATIONS_BEFORE_MATRIX 3          // iterations        the same before a matrix is assembled; chosen, meant to cost time only                                      none; tried tests/semi_implicit.c

// implicit Euler (implicit_euler.c)
#define PL__IMPLICIT_LONGEST_STEP    (1.0 / 60) // s                 if not set: longer steps damp what one sees, h w/2 per radian; chosen                                       tests/implicit_euler.c steps_are_a_sixtieth_of_a_second
#define PL__NEWTON_MOST              20         // iterations        if not set; running out is no error; chosen                                                                 none; tried part of tests/implicit_euler.c
#define PL__DIRECTOR_ROUNDS          8          // relaxations       of directors: a step here is as long as many that resolve stretching; chosen                                none; tried part of tests/implicit_euler.c
#define PL__SOLVE_IN_NEWTON          0.1        // newton_tolerance  tolerance of solves within Newton's method: the error of the solve is not that of the step                  none; tried part of tests/implicit_euler.c
#define PL__SOLVE_ROUGHLY            0.03       // first residual    tolerance while the active set may still change; chosen, meant to cost time only                            none; tried part of tests/implicit_euler.c
#define PL__CONTACT_ITERATIONS       40         // iterations        of contact with one linearisation; running out is no error; chosen                                               none
#define PL__SEARCH_DECREASE          0.4        // slope             of the first slope that a whole step has to win where rows change; a quadratic wins 0.5; chosen                     none
#define PL__SOLVE_WITH_CONTACT       0.3        // tolerance         of the change of speeds. Measured: with 1 a block that sticks keeps 2e-6 m/s                                     tests/implicit_euler.c the_threshold_is_sharp (if 3)
#define PL__ENERGY_RISE              1e-10      // potential         rise that is round-off of sums over elements, 1e-16 of each, with room                                      none; tried part of tests/implicit_euler.c
#define PL__SEARCH_HALVINGS          6          // halvings          of the line search: 1/64 of the way; chosen                                                                 tests/implicit_euler.c everything_stays_finite (if 1)
#define PL__PAIR_DEEPEST             0.5        // rest distance     violation at the end of a step from which dt is halved; chosen                                              none; tried part of tests/pair_contact.c
#define PL__PAIR_HALVINGS            3          // halvings          of dt for that; chosen                                                                                      none; tried part of tests/implicit_euler.c

// rigid motions of bodies in solves (rigid_space.c)
#define PL__RIGID_DENSE              96         // bodies            factors of all in one matrix, 10^8 operations; more have a block each; chosen, meant to cost time only           none
#define PL__RIGID_SINGULAR           1e-10      // diagonal          a motion that others contain, as turns about a line; round-off, with room                                       none

// volumes of one-rings (incompressible.c)
#define PL__RING_ERROR               1e-3       // volume            of a ring that a solve may leave; chosen                                                                    none
#define PL__RING_REDUCTION           0.03       // first residual    a solve leaves at most that, so that contacts come to rest: with 0.1 they chatter                             tests/incompressible.c squeezed_cubes_widen (if 0.1)
#define PL__RING_SPEED_REDUCTION     0.03       // first residual    the same of velocities; chosen                                                                              none
#define PL__RING_SPEED_ERROR         1e-2       // volume            that velocities may still change in a step; positions have their own; chosen                                none
#define PL__RING_FLOOR               1e-10      // volume            a solve is done below that: 1e-7 m/s of a body of 1 m in steps of 1e-3 s; chosen                             none
#define PL__RING_ERROR_LARGE         0.02       // volume            from which a step of Newton's method leaves more than a tenth of a percent: it squares the error            none
#define PL__RING_ERROR_LEFT          2e-3       // volume            of a ring that needs no further step; chosen                                                                none
#define PL__RING_NEWTON              3          // steps             of Newton's method for positions; what is left comes back in the next step; chosen                          none
#define PL__RING_ROUNDS              8          // rounds            of these steps and of shorter ones; chosen                                                                  none
#define PL__RING_GIVE                1e-4       // diagonal          rings give way by that: bounds what contradictory ones ask for; chosen                                        tests/incompressible.c contradictions_are_reported
#define PL__CARRIED_PRESSURE         5.0        // shear modulus     that is carried to the next step at most: its forces are explicit and stiffen elements by so much; chosen     tests/incompressible.c contradictions_are_reported
#define PL__STAYS2                   1e-12      // speed^2           a node that has landed and slides less stays; round-off of its way, with room                               none

// the choice of a preconditioner (coarse_solve.c)
#define PL__MULTIGRID_NODES          200        // nodes             fewer are solved in fewer iterations than the choice takes; chosen, meant to cost time only                none
#define PL__MULTIGRID_LOOK           30         // iterations        with blocks, before the first forecast and between others: most solves are done by then; chosen            none
#define PL__MULTIGRID_REFRESH        35.0       // iterations        with blocks that making the coarse matrices costs: 20 to 40, measured (pliant bench solves)                none
#define PL__MULTIGRID_CYCLE          4.5        // iterations        with blocks that one with a cycle costs: 3 to 6, measured (pliant bench solves)                            none
#define PL__MULTIGRID_START          3.0        // iterations        with cycles before the residual falls; measured                                                            none
#define PL__MULTIGRID_DIGIT          7.0        // iterations        with cycles per digit of the residual: 4 to 6 for solids, 5 to 14 for sheets, measured; until it is known  none
#define PL__MULTIGRID_STALE_LOOK     8          // iterations        with cycles of old matrices, before a forecast; chosen                                                     none
#define PL__MULTIGRID_STALE          1.5        // iterations        per digit, over those when they were made: then they no longer serve; chosen                               none

// recovery and rest (recovery.c, world/sleep.c)
#define PL__RECOVERY_PATIENCE        2.0        // wave crossings    untangled for so long before a body has its own law back; chosen                                            none; tried tests/recovery.c
#define PL__RECOVERY_WEAKEST         0.01       // stiffness         factor of a relaxed law that would have more energy; weaker ones would take for ever; chosen                none; tried tests/recovery.c
#define PL__STUCK_TIME               0.5        // s                 at rest before a body is stuck: with PL__STUCK_KINETIC, turning points of periods below 15.7 s are shorter  tests/recovery.c stuck_is_strained_and_at_rest
#define PL__STUCK_STRAIN             1e-3       // 1                 strain of a body that is not in its rest shape; chosen                                                      tests/recovery.c stuck_is_strained_and_at_rest
#define PL__STUCK_KINETIC            0.01       // stored energy     tan^2(w t) = 0.01 lasts 0.032 of a period around a turning point; chosen with PL__STUCK_TIME                tests/recovery.c stuck_is_strained_and_at_rest
#define PL__LOOK_LONGEST             0.2        // time to rest      one look tells of a moment, however long the step: five looks at least; chosen                              tests/recovery.c stuck_is_strained_and_at_rest
#define PL__SLEEP_ROUNDING           1e-9       // sleep_time        keeps the rounding of sums of times from adding a step                                                      none; tried tests/sleep.c

// clang-format on

#endif

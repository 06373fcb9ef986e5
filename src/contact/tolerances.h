// src/contact/tolerances.h -- every tolerance and threshold of contact: src/contact, solid/object_contact.c,
// solid/pair_contact.c and the collision files of src/world. Those of steps and solvers: solid/tolerances.h.
//
// A row: the value; its unit, or what it is a share of; why it has this value; and a property that fails when it is
// five times larger or smaller (counts: three times), or, where that is said, only in one direction or at that value.
// "chosen": no derivation or measurement is recorded; the reason is read off the code. "none": the tests that were
// tried do not notice. "not tried": nobody looked.
#ifndef PL_CONTACT_TOLERANCES_H
#define PL_CONTACT_TOLERANCES_H

// clang-format off
//                                value            unit or of what     derivation or reason                                                                                          pinned by

// surfaces: how near, and in which words
#define PL__THICKNESS_OF_SOLID    0.05          // mean edge           default: thinner needs shorter intervals than anybody wants to wait for; chosen                               tests/collision.c thickness_is_that_of_edges
#define PL__THICKNESS_OF_SHELL    0.02          // mean edge           least default of shells, which else have their own; chosen for the same reason                                tests/collision.c thickness_is_that_of_edges
#define PL__REST_SHARE            0.75          // thickness           distance at which pairs rest: below 1, so that what rests stays near and is found again; chosen               tests/clash.c near_pairs_are_pushed_by_a_tenth
#define PL__REST_LEAST            1e-6          // thickness           rest distance of what lies on itself at rest (a seam that is not sewn): above rounding; chosen                tests/clash.c what_is_at_one_place_at_rest_is_watched
#define PL__SELF_NEAR             0.9           // distance at rest    pairs of one body are near within that share of their distance at rest: below 1, the rest shape is free       tests/clash.c what_is_near_at_rest_is_nearer_to_be_near
#define PL__SELF_FAR              1.2           // thickness           boxes so far apart at rest need no distance: exact, as PL__SELF_FAR PL__SELF_NEAR >= 1                        tests/watch.c tolerances_agree (if smaller)
#define PL__TOUCHING              0.02          // rest distance       gap up to which pairs touch: above what filters and solves leave, 1e-4 and 1e-3; chosen                       tests/foresee.c falling_vertices_meet_where_they_should
#define PL__NORMAL_LEAST          0x1p-40       // longer edge         shorter offsets, and smaller sines of edges, have no direction: 2^13 units of round-off                       tests/pairs.c short_offsets_have_no_direction
#define PL__COMPLIANCE_LEAST      0.25          // largest 1/mass      caps what a light node beside heavy ones is thrown by: equal masses give weight^2/mass >= 1/3; chosen         tests/watch.c compliance_has_a_floor

// continuous collision detection (ccd.kernel.c has the proof)
#define PL__CCD_MARGIN            0x1p-47       // size of a pair      64 units of round-off, of which the analysis in ccd.kernel.c needs 33.8                                       tests/ccd.c no_contact_is_missed_or_reported_late (if 1e-18)
#define PL__CCD_STEP_MIN          0x1p-42       // interval            shorter steps are a hit: t is early by that at most; 32 margins, chosen                                       tests/ccd.c no_contact_is_missed_or_reported_late (if 1e-08)
#define PL__CCD_REACH             0.984375      // secant              first part of the way to the zero of a secant, 1 - 2^-6; chosen, meant to cost steps only                     not tried
#define PL__CCD_REACH_MOST        (1 - 0x1p-12) // secant              largest such part; chosen, meant to cost steps only                                                           not tried
#define PL__CCD_STEPS             128           // steps               the last one is a hit: never late; contacts of third order run out of them, by 2e-3 early                     tests/ccd.c no_contact_is_missed_or_reported_late (if 12)

// collision response at the end of an interval (clash.c, zones.c, untangle.c)
#define PL__CCD_SEPARATION        0.05          // thickness           left by impulses and zones: far above rounding of turned zones, far below PL__REST_SHARE; chosen              tests/clash.c hits_begin_at_the_separation
#define PL__CCD_SEPARATION_CLOSER 0.9           // distance at start   the same of pairs that start nearer: they lose a tenth per interval and never touch; chosen                   none; tried tests/clash.c
#define PL__CLASH_PUSH            0.1           // violation/interval  part of the violation that an interval takes back: slow, so that it makes no speed; chosen                    tests/clash.c near_pairs_are_pushed_by_a_tenth
#define PL__CLASH_SWEEPS          3             // sweeps              over near pairs: CCD and zones do what is left; chosen                                                        none; tried tests/clash.c
#define PL__IMPULSE_ROUNDS        6             // rounds              of impulses before zones are formed; chosen                                                                   tests/clash.c nothing_crosses_and_momentum_stays (if larger)
#define PL__ZONE_ROUNDS           60            // rounds              each joins nodes, and what is left after so many is reported as unresolved; chosen                            none; tried tests/clash.c
#define PL__INTERVAL_HALVINGS     6             // halvings            2^6 parts of an interval that zones could not resolve; then it is reported; chosen                            none; tried tests/clash.c
#define PL__ZONE_SINGULAR         1e-12         // largest moment      smaller moments of inertia are round-off: a line does not turn about itself                                   none; tried tests/clash.c
#define PL__UNTANGLE_PULL         0.05          // edge/interval       of the edge or triangle that crosses, the shorter: 20 intervals per edge; chosen                              tests/untangle.c sheets_come_apart (if 0.005 or 0.5)
#define PL__UNTANGLE_SWEEPS       3             // sweeps              over the pulls of an interval; chosen                                                                         none; tried tests/untangle.c
#define PL__CROSSING_SHRINK       1e-6          // edge                closed surfaces are shrunk by it before the test: what only touches does not cross; chosen                    none; tried tests/untangle.c

// lists of candidate pairs (clash.c, tree.c, world/collision.c)
#define PL__SLACK_LEAST           0.03          // mean edge           of the distance by which lists reach farther than pairs are near; chosen, meant to cost time only             tests/clash.c lists_serve_while_nodes_hardly_stray
#define PL__SLACK_MOST            0.3           // mean edge           the same; chosen, meant to cost time only                                                                     tests/clash.c lists_serve_while_nodes_hardly_stray
#define PL__SLACK_GROWTH          2             // 1                   after a list that nodes left too early; chosen, meant to cost time only                                       tests/clash.c lists_serve_while_nodes_hardly_stray
#define PL__SLACK_DECAY           0.8           // 1                   after one that served to its end; chosen, meant to cost time only                                             tests/clash.c lists_serve_while_nodes_hardly_stray
#define PL__STRAY                 0.28          // slack               below 1/(2 sqrt(3)) = 0.2887: two points that stray by it along each axis use up the slack                    tests/clash.c lists_serve_while_nodes_hardly_stray
#define PL__STRAY_EARLY           0.125         // slack               before a substep, so that the next one will hardly leave the list: below half of PL__STRAY; chosen            tests/clash.c lists_serve_while_nodes_hardly_stray
#define PL__SLACK_SPEED_IMPLICIT  0.5           // motion/interval     implicit steps stray by collisions. With less, pairs are found after the solve and bend what they touch       tests/collision.c slack_follows_speed
#define PL__SLACK_LEAST_IMPLICIT  0.06          // mean edge           twice PL__SLACK_LEAST, for longer steps; chosen                                                               tests/collision.c slack_follows_speed
#define PL__SLACK_MOST_IMPLICIT   0.5           // mean edge           measured: four times as much took eight times as long in a pile of tori                                       tests/collision.c slack_follows_speed
#define PL__SLACK_CALM            4             // 1                   two points that both turn back stray by twice their way each: 4 times the way is the slack                    tests/collision.c slack_follows_speed
#define PL__LIST_LONGEST          1             // s                   a list serves at most so long, however calm; chosen                                                           tests/collision.c slack_follows_speed
#define PL__TREE_REBUILD          1.5           // slack of boxes      a tree is sorted anew when its boxes overlap by so much more than when made; chosen, meant to cost time only  tests/pairs.c the_past_changes_no_bit (if smaller)
#define PL__INVERTED_SELF         0.01          // elements            with more inverted ones a body does not collide with itself, having no sides; chosen                          tests/collision.c inverted_bodies_pass_through_themselves
#define PL__STANDING_MOBILITY     1e-6          // 1/mass              left to nodes on objects: as good as driven, but not 0, as two that stand must still part; chosen             none; tried tests/sleep.c
#define PL__INTERVAL_ROUNDING     1e-9          // interval            round-off of sums of times, 1e-16 per substep, adds no interval and ends no list                              tests/collision.c rounding_adds_no_interval (if 0)
#define PL__INTERVAL_LEFT         1e-12         // interval            less than that left is rounding of sums of times: the interval ends                                           none; tried tests/sleep.c

// meeting in a long step (foresee.c)
#define PL__ADVANCE_TARGET        0.9           // rest distance       pairs that are apart meet there: what rests a hair too low has no wall ahead; chosen                          tests/foresee.c falling_vertices_meet_where_they_should
#define PL__ADVANCE_MET           0.95          // rest distance       near enough: above PL__ADVANCE_TARGET, which advancement reaches only in the limit; chosen                    tests/foresee.c falling_vertices_meet_where_they_should (if larger)
#define PL__ADVANCES              16            // advances            afterwards a pair meets where it is: early, never late. Measured: 6 of 10 random motions arrive before        tests/foresee.c random_pairs_meet_early_and_never_late (if smaller)
#define PL__ABOVE_COSINE          0.8           // cosine              37 degrees: a vertex nearly above a triangle, but beside it, meets its plane; chosen                          tests/foresee.c vertices_nearly_above_a_triangle_meet_its_plane
#define PL__EDGE_END              1e-9          // edge                edges nearest at an end of one leave that to the vertex there: round-off of a parameter, with room            tests/foresee.c edges_leave_their_ends_to_vertices

// velocity filter (watch.c, foothold.c)
#define PL__FILTER_TOLERANCE      1e-4          // rest distance       per step. Measured: with 4e-3 wound cloth takes half the time, but friction creeps                            tests/watch.c sweeps_end_where_all_agree (if larger)
#define PL__FILTER_SWEEPS         60            // sweeps              forth and back; what is left shows in the proof and the next interval; chosen                                 none; tried tests/watch.c
#define PL__FILTER_SLIPS          4             // repeats             of a pair whose node slips on what it stands on; chosen                                                       none; tried tests/watch.c
#define PL__FILTER_PUSH           0.2           // violation/interval  twice PL__CLASH_PUSH, as velocities given here are not kept; chosen                                           tests/watch.c ways_end_where_pairs_rest
#define PL__PROOF_LEAST           0.1           // rest distance       pairs proved farther apart have not touched: above PL__CCD_SEPARATION / PL__REST_SHARE = 0.067                tests/watch.c proofs_keep_a_distance
#define PL__SAME_TIME             0.1           // step                what a node meets so soon after something else is found at the same time; chosen                              tests/watch.c what_presses_comes_near_enough_and_soon_enough
#define PL__STAND_INWARD          1e-3          // rest distance/step  velocity into objects given back to nodes on them, so that the step finds them in contact; chosen             tests/watch.c pushed_nodes_are_left_to_the_floor
#define PL__LEVER_LEAST           0.25          // weight              beside nodes that stand, lesser ones would go 4 times as far as the pair, and farther each sweep; chosen      tests/watch.c what_lies_between_is_not_pushed_through (if larger)
#define PL__GROUND_COSINE         0.5           // cosine              60 degrees: what pushes a node less steeply onto an object does not stand on it; chosen                       tests/watch.c ground_is_what_is_pushed_on_steeply
#define PL__CORNER_ROUNDS         4             // rounds              over the objects of a node in a corner, each of which may send it into another; chosen                        tests/watch.c corners_are_obeyed_in_a_few_rounds (if smaller)

// pair contact within solves (solid/pair_contact.c)
#define PL__PAIR_TOLERANCE        1e-3          // rest distance       per step, in a solve: ten times PL__FILTER_TOLERANCE, as the filter after it does the rest; chosen            tests/watch.c what_presses_comes_near_enough_and_soon_enough
#define PL__PAIR_PENALTY          1.0           // 1                   over 1/S of diagonal blocks (pair_contact.h). Measured: ten times as much took 1.8 times the CG iterations    tests/pair_contact.c penalties_are_those_of_diagonal_blocks
#define PL__OBJECT_PENALTY        3.0           // 1                   the same of a node on an object, whose term is within its block. Measured: 10 leaves 1e-6 m/s of what sticks      none
#define PL__BODY_PENALTY          3.0           // mass              largest penalty: what is stiffer moves as a whole. Measured: without, plastic of 2 GPa is thrown off              tests/scenes.c what_is_stiff_rests
#define PL__OBJECT_ROWS_SPARE     256           // rows                beside one for each node: of nodes in corners; what has none is pushed out; chosen                                none
#define PL__PAIR_FEW              0.02          // active pairs        may change while impulses are still updated; chosen                                                           tests/pair_contact.c many_changes_leave_impulses_alone
#define PL__PAIR_FRICTION_ERROR   0.02          // total friction      error of friction impulses, summed, that needs no further solve; chosen                                       tests/pair_contact.c drag_ends_in_sticking_or_sliding
#define PL__PAIR_STICK_DRAG       0.9           // friction limit      a dragged pair that less slows down sticks: below 1, or it would change for ever; chosen                      tests/pair_contact.c drag_ends_in_sticking_or_sliding
#define PL__PAIR_SLIDING          10.0          // PL__PAIR_TOLERANCE  slower pairs start as sticking: above the error of a solve; chosen                                            tests/pair_contact.c slow_pairs_begin_by_sticking
#define PL__PAIR_TURNS            4             // reversals           of a pair by friction before it keeps its drag; chosen                                                        tests/pair_contact.c drag_ends_in_sticking_or_sliding
#define PL__PAIR_BISECTIONS       12            // bisections          of the line search over active sets: to 2^-12 of the way; chosen                                              tests/pair_contact.c searches_end_near_the_minimum (if smaller)

// objects (object.c, actor.c, shape_triangles.c, solid/object_contact.c)
#define PL__SUPPORT_GAP           1e-3          // depth               a node is on a surface if the way to it is so small beside the way into it; chosen                            tests/object.c support_is_on_the_surface
#define PL__STICK_SPEED           1e-6          // pressed velocity    a slower node sticks, whatever the friction: it has no direction to slide in; chosen                          tests/object.c support_is_on_the_surface
#define PL__SLIP_DIRECTION        1e-6          // pressed momentum    slower nodes slide along the force: their velocity is an error of the solve; as PL__STICK_SPEED               none; tried part of tests/friction.c, part of tests/implicit_euler.c
#define PL__FRICTION_CHANGE       0.02          // friction            change that is not worth another damping solve: corrected afterwards                                          none; tried part of tests/friction.c
#define PL__OBJECTS_SPARE         0.1           // box of nodes        by which it grows for the list of near objects: the second solve stays within; meant to cost time only        not tried
#define PL__SPHERE_ROUNDING       1e-9          // radius              added to the bounding sphere of an object: far above round-off of its corners                                 not tried
#define PL__ACTOR_BOX_ROUNDING    1e-12         // coordinate          added to the box of an actor: 10^4 units of round-off                                                         none; tried tests/actors.c, tests/shapes.c
#define PL__ACTOR_CELL_ROUNDING   1e-3          // cell                added to boxes on the grid of far cells: safe, meant to cost time only                                        none; tried tests/shapes.c
#define PL__ACTOR_WEIGHT_LEAST    1e-9          // weight              smaller barycentric weights are 0: the point is on an edge; round-off, with room                              none; tried tests/shapes.c
#define PL__DISTANCE_DIRECTION    1e-9          // size of surface     shorter ways have no direction, the triangle's normal serves: round-off of closest points, with room          none; tried tests/shapes.c
#define PL__GRID_SIGN_ROUNDING    1e-9          // cell                neighbours differ in sign only if distances add up to a cell (triangle inequality); round-off                 none; tried tests/shapes.c

// warnings (world/node_gaps.c, world/overlap.c)
#define PL__NODE_GAP              1.25          // mean edge           diagonal of halved squares over their mean edge: 3 sqrt(2) / (2 + sqrt(2)) = 1.243, rounded up                tests/actors.c nothing_passes_in_silence
#define PL__UNBOUNDED             1e9           // m                   larger objects, planes above all, have no middle: lengths of definitions end there (shape_def.c)              none; tried part of tests/actors.c
#define PL__WINDING_INSIDE        0.5           // turn                halfway between 0, outside, and 1, inside; closed surfaces have one of both, but for round-off                tests/untangle.c a_body_inside_a_solid_one_is_named (if larger)

// clang-format on

#endif

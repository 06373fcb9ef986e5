// src/contact/object_fields.inl -- the numbers that every object has: one row each, in the order of the reference page.
//
// A row is the default and the check of pl_object_def (scene/scene.c), the key of a scene file (scene/tables.c,
// scene/file.h), its keys over time (scene/keys.c) and a live parameter where it is LIVE (world/params.c). Rules about
// several numbers are in check_object (scene/scene.c).
//
// clang-format off
//       kind          name                 default          range        unit         when    help
PL_FIELD(NUMBER,       depth,               0,               AUTO_IN(1e-9, 1e9, "the mean length of its edges"),
                                                                          "m",         RERUN,  "of a `body` that is an open shell: behind it, so much is inside")
PL_FIELD(CHOICE,       contact,             PL_MEETING_AUTO, NAMES(pl_object_meeting, "distance", "surface", "auto"),
                                                                          "",          RERUN,  "auto: actors by surface, everything else by distance; distance: nodes that would end inside are stopped, in every substep; surface: its triangles collide with those of bodies, so that nothing crosses what is thin or fast")
PL_FIELD(NUMBER,       collision_thickness, 0,               AUTO_IN(1e-9, 1e3, "that of the thinnest body"),
                                                                          "m",         RERUN,  "how near bodies may come to its surface")
PL_FIELD(KEYED_VECTOR, at,                  V3(0, 0, 0),     WITHIN(1e9), "m",         BRANCH, "where it is; at a branch only keys can change it, and they should pass through where it is then: it jumps to them, also through bodies")
PL_FIELD(KEYED_VECTOR, rotate,              V3(0, 0, 0),     WITHIN(1e6), "degrees",   BRANCH, "turned about x, then y, then z")
PL_FIELD(KEYED_VECTOR, spin,                V3(0, 0, 0),     WITHIN(1e9), "degrees/s", BRANCH, "how fast it turns about `at`")
PL_FIELD(VECTOR,       velocity,            V3(0, 0, 0),     WITHIN(1e9), "m/s",       BRANCH, "constant, where `at` has no keys")
PL_FIELD(KEYED,        friction,            0.3,             IN(0, 1e6),  "",          LIVE,   "coefficient of friction")
// clang-format on

// src/scene/body_fields.inl -- what a body has: one row each, in the order of the reference page.
//
// A PL_FIELD is the default and the check of pl_body_def (scene.c), the key of a scene file (tables.c, file.h, body.c),
// its keys over time (keys.c) and a live parameter where it is LIVE (world/params.c). Rules about several fields are in
// pl__body_def_check (scene.c). A PL_KEY is a key of scene files only, in the words of tables.c.
//
// clang-format off
//       kind     name                 default                range              unit         when   help
PL_FIELD(CHOICE,  kind,                PL_BODY_SOLID,         NAMES(pl_body_kind, "solid", "shell", "planar"),
                                                                                 "",          RERUN, "solid: fills space; shell: a thin sheet, cloth; planar: lives in a plane z = const")
PL_KEY(CHOICE("elements", elements, element_names, 0, RERUN, "what a solid that is made here is cut into: tetrahedra or hexahedra"))
PL_FIELD(NUMBER,  thickness,           0,                     AUTO_IN(1e-6, 1e3, "0.001 of shells, 1 of planar bodies"),
                                                                                 "m",         RERUN, "of a shell or planar body")
PL_FIELD(CHOICE,  membrane,            PL_MEMBRANE_CONTINUUM, NAMES(pl_membrane, "continuum", "woven", "springs"),
                                                                                 "",          RERUN, "what holds a shell together: the law of its material; woven warp and weft; or springs")
PL_FIELD(CHOICE,  bending,             PL_BENDING_CURVATURE,  NAMES(pl_bending, "curvature", "hinges", "none"),
                                                                                 "",          RERUN, "how a shell resists it: by curvature, the same for every mesh; by single hinges; or not")
PL_FIELD(NUMBER,  bending_factor,      1,                     IN(0, 1e6),        "",          RERUN, "on the stiffness against bending that material and thickness give")
PL_FIELD(VECTOR,  warp,                V3(1, 0, 0),           WITHIN(1e9),       "",          RERUN, "direction of the first threads of a woven shell, at rest, before `rotate`")
PL_FIELD(CHOICE,  plane,               PL_PLANE_STRAIN,       NAMES(pl_plane, "strain", "stress"),
                                                                                 "",          RERUN, "what a planar body is a slice of: something long (strain) or a thin plate (stress)")
PL_KEY(SWITCH("keep_facing", keep_facing, 0, RERUN, "triangles of a shell that turn over count as inverted, and turn back"))
PL_KEY(RECORD("fibers", fibers, fibers_table, RERUN, "where fibres run"))
PL_KEY(RECORD("goal", goal, goal_table, RERUN, "the shape that plastic flow is steered to"))
PL_FIELD(SWITCH,  collides,            1,                     NO_RANGE,          "",          RERUN, "with other bodies that do")
PL_FIELD(SWITCH,  self_collision,      1,                     NO_RANGE,          "",          RERUN, "with itself")
PL_FIELD(NUMBER,  collision_thickness, 0,                     AUTO_IN(1e-9, 1e3, "thickness of a shell, at least 2 % of its edges; else 5 % of the edges"),
                                                                                 "m",         RERUN, "how near surfaces may come")
PL_FIELD(NUMBER,  friction,            0.3,                   IN(0, 1e6),        "",          RERUN, "with bodies, itself included: the geometric mean of both")
PL_KEY(MAP("friction_with", friction_with, rub_table, RERUN, "instead of that, or of an object's own: with an object, a body or itself, by name"))
PL_FIELD(SWITCH,  cuttable,            0,                     NO_RANGE,          "",          RERUN, "it can be cut by hand; of a material with `fracture_stress` it can in any case")
PL_FIELD(KEYED,   toughness,           1,                     IN(1e-6, 1e9),     "",          LIVE,  "factor on the fracture stress of its materials; keys say when it may break")
PL_FIELD(KEYED,   volume,              1,                     IN(0.01, 100),     "",          LIVE,  "of a body of incompressible material: the volume that it keeps, over that at rest; keys make it swell or shrink")
PL_FIELD(INTEGER, smallest_piece,      8,                     IN(1, 1000000),    "",          RERUN, "elements of a piece that breaks off, at least; 1 allows dust")
PL_FIELD(INTEGER, most_torn,           0,                     IN(0, 1000000000), "",          RERUN, "nodes that may come apart in one look for cracks; 0: any number")
PL_KEY(INTEGER("fracture_seed", fracture_seed, 0, 0, 2147483647, RERUN, "of the random strengths that `fracture_spread` asks for"))
PL_FIELD(NUMBER,  drag,                0,                     IN(0, 1e6),        "",          RERUN, "how air resists, as a factor; 1: as a plate")
PL_FIELD(KEYED,   pressure,            0,                     WITHIN(1e9),       "Pa",        LIVE,  "inside a closed surface, above that outside")
PL_FIELD(SWITCH,  gas,                 0,                     NO_RANGE,          "",          RERUN, "the pressure is that of a gas, at rest volume: it rises when the body is squeezed")
PL_KEY(RECORD("shape", shape, body_shape_table, RERUN, "a body that is made here"))
PL_KEY(PATH("mesh", mesh, RERUN, "elements from a file (.msh .vtk .vtu .mesh .veg .node): exactly these are simulated; of shells and planar bodies triangles (.obj .ply .stl ...)"))
PL_KEY(PATH("surface", surface, RERUN, "triangles from a file (.obj .ply .stl ...): elements are made around them and carry them"))
PL_KEY(TEXT("liquid", liquid, RERUN, "the liquid of the scene, all of it, becomes this body at `sets`: elements are made around its surface then"))
PL_KEY(MEASURED("sets", sets, "s", "never by itself", RERUN, "when the `liquid` becomes this body", IN(0, 1e9)))
PL_KEY(MEASURED("size", size, "m", "from `resolution`", RERUN, "edge length of the elements that are made", IN(1e-9, 1e6)))
PL_KEY(MEASURED("surface_size", surface_size, "m", "no such surface", RERUN, "of a solid `shape`: edge length of a detailed surface that its elements carry, as they do one from a file", IN(1e-9, 1e6)))
PL_KEY(INTEGER("resolution", resolution, 24, 1, 2000, RERUN, "how many cells along the longest side, where no size is given"))
PL_KEY(SWITCH("snug", snug, 0, RERUN, "tetrahedra that carry a surface are drawn in towards it, so that it floats less"))
PL_KEY(NUMBER("jitter", jitter, 0, "", RERUN, "moves inner nodes of a shape by up to this fraction of an edge", IN(0, 0.3)))
PL_KEY(INTEGER("seed", seed, 0, 0, 2147483647, RERUN, "of the jitter"))
PL_KEY(FIT_HEIGHT)
PL_KEY(FIT_SCALE)
PL_KEY(FIT_UP)
PL_KEY(FIT_ANCHOR)
PL_FIELD(VECTOR,  at,                  V3(0, 0, 0),           WITHIN(1e9),       "m",         RERUN, "where it starts")
PL_FIELD(VECTOR,  rotate,              V3(0, 0, 0),           WITHIN(1e6),       "degrees",   RERUN, "turned about x, then y, then z")
PL_FIELD(VECTOR,  velocity,            V3(0, 0, 0),           WITHIN(1e9),       "m/s",       RERUN, "at the start")
PL_FIELD(VECTOR,  spin,                V3(0, 0, 0),           WITHIN(1e9),       "degrees/s", RERUN, "about its centre of mass, at the start")
PL_KEY(RECORD("material", material, pl__material_table, RERUN, "what it is made of; without it, rubber"))
PL_FIELD(KEYED,   strength,            1,                     IN(0, 1e6),        "",          LIVE,  "factor on all its elastic forces; 0 is a puddle")
PL_KEY(MAP("select", select, selection_table, RERUN, "parts of it, for `vary` and `pins`"))
PL_KEY(MAP("vary", vary, pl__material_table, RERUN, "other material numbers for elements of a selection (all corners in it)"))
PL_KEY(RECORD("paint", paint, paints_table, RERUN, "material numbers painted on vertices"))
PL_KEY(LIST("pins", pins, pl__pin_table, RERUN, "what is held or moved"))
PL_KEY(RECORD("start", start, start_table, RERUN, "a shape to start from that is not the rest shape"))
// clang-format on

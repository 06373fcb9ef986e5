// src/scene/tables.c -- every key of a scene file: kind, default, range, unit, when it may change, and help.
//
// This is the only place that knows a key. What users read about it (docs/scene-reference.md, scene.schema.json, error
// sentences) and what the program does with it come from the same row.
#include "file.h"

#include <math.h>

// clang-format off: one row per key
#define AT(member) .offset = offsetof(OWNER, member)
#define ANY PL__WHEN_ANY
#define LIVE PL__WHEN_LIVE
#define BRANCH PL__WHEN_BRANCH
#define RERUN PL__WHEN_RERUN

// ranges
#define FREE .low = -INFINITY, .high = INFINITY
#define ABOVE(x) .low = (x), .low_open = true
#define FROM(x) .low = (x)
#define BELOW(x) .high = (x), .high_open = true
#define TO(x) .high = (x)
#define ENDLESS .high = INFINITY
#define WITHIN(x) .low = -(x), .high = (x)

#define NUMBER(name_, member, default_, unit_, when_, help_, ...)                                                      \
    {                                                                                                                  \
        .name = name_, .kind = PL__FIELD_NUMBER, AT(member), .components = 1, .fallback = {default_}, .unit = unit_,   \
        .when = when_, .help = help_, __VA_ARGS__                                                                      \
    }
#define KEYED .keyed = true
#define VECTOR(name_, member, x, y, z, unit_, when_, help_, ...)                                                       \
    {                                                                                                                  \
        .name = name_, .kind = PL__FIELD_VECTOR, AT(member), .components = 3, .fallback = {x, y, z}, .unit = unit_,    \
        .when = when_, .help = help_, __VA_ARGS__                                                                      \
    }
#define INTEGER(name_, member, default_, low_, high_, when_, help_)                                                    \
    {                                                                                                                  \
        .name = name_, .kind = PL__FIELD_INTEGER, AT(member), .fallback = {default_}, .low = low_, .high = high_,      \
        .when = when_, .help = help_                                                                                   \
    }
#define SWITCH(name_, member, default_, when_, help_)                                                                  \
    {                                                                                                                  \
        .name = name_, .kind = PL__FIELD_BOOL, AT(member), .fallback = {default_}, .when = when_, .help = help_        \
    }
#define CHOICE(name_, member, choices_, default_, when_, help_)                                                        \
    {                                                                                                                  \
        .name = name_, .kind = PL__FIELD_CHOICE, AT(member), .choices = choices_, .fallback = {default_},              \
        .when = when_, .help = help_                                                                                   \
    }
#define CHOICES(name_, member, choices_, default_, when_, help_, said_)                                                \
    {                                                                                                                  \
        .name = name_, .kind = PL__FIELD_CHOICES, AT(member), .choices = choices_, .fallback = {default_},             \
        .when = when_, .help = help_, .fallback_text = said_                                                           \
    }
#define TEXT(name_, member, when_, help_)                                                                              \
    {                                                                                                                  \
        .name = name_, .kind = PL__FIELD_TEXT, AT(member), .when = when_, .help = help_                                \
    }
#define PATH(name_, member, when_, help_)                                                                              \
    {                                                                                                                  \
        .name = name_, .kind = PL__FIELD_FILE, AT(member), .when = when_, .help = help_                                \
    }
#define COLOR(member, r, g, b, help_, said_)                                                                           \
    {                                                                                                                  \
        .name = #member, .kind = PL__FIELD_COLOR, AT(member), .components = 3, .fallback = {r, g, b}, .low = 0,        \
        .high = 1, .when = ANY, .help = help_, .fallback_text = said_                                                  \
    }
#define RECORD(name_, member, table_, when_, help_)                                                                    \
    {                                                                                                                  \
        .name = name_, .kind = PL__FIELD_RECORD, AT(member), .table = &table_, .when = when_, .help = help_            \
    }
#define MAP(name_, member, table_, when_, help_)                                                                       \
    {                                                                                                                  \
        .name = name_, .kind = PL__FIELD_MAP, AT(member), .table = &table_, .when = when_, .help = help_               \
    }
#define LIST(name_, member, table_, when_, help_)                                                                      \
    {                                                                                                                  \
        .name = name_, .kind = PL__FIELD_LIST, AT(member), .table = &table_, .when = when_, .help = help_              \
    }
#define ROWS(name_, member, when_, help_)                                                                              \
    {                                                                                                                  \
        .name = name_, .kind = PL__FIELD_ROWS, AT(member), FREE, .when = when_, .help = help_                          \
    }

#define TABLE(title_, rows, ...)                                                                                       \
    {                                                                                                                  \
        .title = title_, .size = sizeof(OWNER), .field = rows, .field_count = sizeof rows / sizeof rows[0],            \
        __VA_ARGS__                                                                                                    \
    }

// ---- materials -------------------------------------------------------------------------------------------------

#define OWNER pl__file_material
static const char *const model_names[] = {
#define PL_MODEL(name, kind, low, high, poisson, numbers, volume) [kind] = #name,
#include "material/models.inl"
#undef PL_MODEL
    NULL};
static const char *const inversion_names[] = {"energy", "linear", "det", "constant", "none", NULL};
static const char *const damping_names[] = {"switch", "rotated", "conserving", NULL};
static const char *const criterion_names[] = {"strain", "von_mises", NULL};
static const char *const form_names[] = {"multiplicative", "additive", NULL};
static const char *const recovery_names[] = {"auto", "off", NULL};

static const pl__field material_rows[] = {
    {.name = "like",
     .kind = PL__FIELD_TEXT,
     AT(like),
     .when = RERUN,
     .fallback_text = "rubber",
     .help = "a preset or another material of this scene, whose numbers hold where none are given here"},
    CHOICE("model", model, model_names, PL_MATERIAL_NEO_HOOKEAN, RERUN, "the law of elasticity"),
    NUMBER("young", young, 1e5, "Pa", LIVE, "Young's modulus: stiffness", KEYED, FROM(1e-9), TO(1e15)),
    NUMBER("poisson", poisson, 0.4, "", LIVE, "Poisson's ratio: 0 squeezes freely, towards 0.5 keeps its volume", KEYED,
           ABOVE(-1), TO(0.49999)),
    NUMBER("density", density, 1000, "kg/m^3", RERUN, "mass per volume at rest", FROM(1e-3), TO(1e9)),
    NUMBER("damping", damping, 0.01, "s", LIVE, "damping time: how fast deformation (not motion) loses energy", KEYED,
           FROM(0), TO(1e6)),
    NUMBER("threshold", threshold, 0, "", RERUN, "stretch below which `inversion` takes over; 0: the model's own",
           FROM(0), BELOW(1)),
    NUMBER("limit", limit, 0, "", RERUN, "stretch above which `inversion` takes over, above 1; 0: the model's own",
           FROM(0), TO(1e6)),
    CHOICE("inversion", inversion, inversion_names, PL_INVERSION_ENERGY, RERUN,
           "how the law goes on for crushed and inverted elements"),
    CHOICE("damping_model", damping_model, damping_names, PL_DAMPING_SWITCH, RERUN,
           "which damping (docs/materials.md)"),
    CHOICE("recovery", recovery, recovery_names, PL_RECOVERY_AUTO, RERUN,
           "auto: a body that does not untangle is softer under pressure until it has"),
    NUMBER("mooney", mooney, 0.25, "", RERUN, "of mooney_rivlin: share of the second invariant in the shear modulus",
           FROM(0), TO(1)),
    NUMBER("stiffening", stiffening, 2, "", RERUN, "of fung: exponent, how soon it stiffens", FROM(0), TO(100)),
    NUMBER("stiffening_share", stiffening_share, 0.5, "", RERUN,
           "of fung: share of the exponential in the shear modulus at rest", FROM(0), TO(1)),
    NUMBER("spline_low", spline_low, 0.6, "", RERUN, "of spline: stretch below which it is stiff", FROM(-1), TO(0.99)),
    NUMBER("spline_high", spline_high, 1.4, "", RERUN, "of spline: stretch above which it is stiff", FROM(1.01),
           TO(100)),
    NUMBER("spline_stiffening", spline_stiffening, 8, "", RERUN,
           "of spline: how many times as stiff it is there as at rest", FROM(1), TO(1e4)),
    NUMBER("fiber_strength", fiber_strength, 0, "Pa", RERUN, "greatest active tension of muscle fibres; 0: none",
           FROM(0), TO(1e15)),
    NUMBER("fiber_optimal", fiber_optimal, 1, "", RERUN, "stretch at which fibres are strongest", FROM(0.1), TO(10)),
    NUMBER("activation", activation, 0, "", LIVE, "of fibres: 0 passive, 1 all they can", KEYED, FROM(0), TO(1)),
    NUMBER("yield_strain", yield_strain, 0, "", RERUN,
           "logarithmic strain beyond which it flows and stays deformed; 0: elastic", FROM(0), TO(2)),
    CHOICE("yield_criterion", yield_criterion, criterion_names, PL_YIELD_STRAIN, RERUN,
           "strain: pressure flows too; von_mises: it does not, and volume is kept"),
    CHOICE("plastic_form", plastic_form, form_names, PL_PLASTIC_MULTIPLICATIVE, RERUN,
           "multiplicative: rest shapes flow; additive: strain is subtracted and rest shapes stay, for "
           "`rotated_linear` and `linear` solids"),
    NUMBER("hardening", hardening, 0, "", RERUN, "by how much `yield_strain` grows per plastic strain", FROM(0),
           TO(1e6)),
    NUMBER("plastic_limit", plastic_limit, 4, "", RERUN, "plastic stretches stay between its inverse and it", ABOVE(1),
           TO(100)),
    SWITCH("isochoric", isochoric, 0, RERUN, "plastic flow keeps the volume"),
    NUMBER("creep", creep, 0, "1/s", RERUN, "rate at which what is beyond `yield_strain` flows; 0: at once", FROM(0),
           TO(1e9)),
    NUMBER("plastic_max", plastic_max, 0, "", RERUN,
           "norm of the logarithm of the plastic stretch, or of additive plastic strain, at most; 0: any that "
           "`plastic_limit` leaves",
           FROM(0), TO(10)),
    NUMBER("fracture_stress", fracture_stress, 0, "Pa", RERUN, "greatest tension that it bears; 0: it does not break",
           FROM(0), TO(1e15)),
    NUMBER("fracture_spread", fracture_spread, 0, "", RERUN,
           "its strength varies at random from place to place, by up to this fraction", FROM(0), TO(0.99)),
    NUMBER("melting", melting, 0, "K", RERUN,
           "temperature above its surroundings at which it is molten; 0: heat does nothing", FROM(0), TO(1e6)),
    NUMBER("melt_young", melt_young, 0.05, "", RERUN, "factor on `young` when molten", FROM(1e-6), TO(1)),
    NUMBER("melt_yield", melt_yield, 0.1, "", RERUN, "factor on `yield_strain` and `fracture_stress` when molten",
           FROM(1e-6), TO(1)),
    NUMBER("melt_creep", melt_creep, 10, "", RERUN, "factor on `creep` when molten", FROM(1), TO(1e9)),
    NUMBER("cooling", cooling, 0, "s", RERUN, "time in which its temperature falls to 1/e; 0: it keeps its heat",
           FROM(0), TO(1e9)),
    NUMBER("diffusivity", diffusivity, 0, "m^2/s", RERUN, "of heat within it", FROM(0), TO(1)),
    NUMBER("weave_weft", weave_weft, 1, "", RERUN, "woven shells: stiffness across the warp over that along it",
           FROM(1e-6), TO(1e6)),
    NUMBER("weave_shear", weave_shear, 0.1, "", RERUN, "woven shells: stiffness against shear over that along the warp",
           FROM(1e-6), TO(10)),
    NUMBER("weave_stiffening", weave_stiffening, 10, "", RERUN, "woven shells: how much stiffer threads get per strain",
           FROM(0), TO(1e4)),
    NUMBER("weave_compression", weave_compression, 0.2, "", RERUN,
           "woven shells: stiffness of threads in compression over that in tension", FROM(1e-3), TO(1)),
    COLOR(color, 0, 0, 0, "in pictures, of bodies that have no colour of their own", "of the preset"),
};
static const pl__table material_table =
    TABLE("Materials", material_rows, .bare = "like", .inherits = true,
          .help = "A material is a name (of a preset, or of a material of this scene) or an object. What an object "
                  "leaves out is as in what it is `like`; the defaults are those of rubber.");
#undef OWNER

// ---- shapes ----------------------------------------------------------------------------------------------------

#define OWNER pl__file_shape
static const char *const cut_names[] = {"five", "six", "bcc", NULL};
static const pl__field box_rows[] = {
    {.name = "extent",
     .kind = PL__FIELD_VECTOR,
     .offset = offsetof(OWNER, box.extent) - offsetof(OWNER, box),
     .components = 3,
     .fallback = {1, 1, 1},
     .unit = "m",
     .when = RERUN,
     .help = "edge lengths along x, y and z",
     FROM(1e-9),
     TO(1e6)},
    {.name = "cut",
     .kind = PL__FIELD_CHOICE,
     .offset = offsetof(OWNER, box.cut) - offsetof(OWNER, box),
     .choices = cut_names,
     .fallback = {PL_CUT_BCC},
     .when = RERUN,
     .help = "how cubes are cut into tetrahedra"},
};
#define ROUND(name_, member, default_, help_)                                                                          \
    {                                                                                                                  \
        .name = name_, .kind = PL__FIELD_NUMBER, .offset = offsetof(OWNER, round.member) - offsetof(OWNER, round),     \
        .components = 1, .fallback = {default_}, .unit = "m", .when = RERUN, .help = help_, FROM(1e-9), TO(1e6)        \
    }
static const pl__field sphere_rows[] = {ROUND("radius", radius, 0.5, "radius")};
static const pl__field torus_rows[] = {ROUND("radius", radius, 0.5, "from its centre to the middle of the tube"),
                                       ROUND("tube", tube, 0.2, "radius of the tube, below `radius`")};
static const pl__field cylinder_rows[] = {ROUND("radius", radius, 0.5, "radius"),
                                          ROUND("height", height, 1, "along y")};
static const pl__field blobs_rows[] = {
    {.name = "parts",
     .kind = PL__FIELD_ROWS,
     .offset = offsetof(OWNER, blobs.parts) - offsetof(OWNER, blobs),
     FREE,
     .unit = "m",
     .when = RERUN,
     .help = "balls [x, y, z, radius]; limbs, of two balls in one list; plates, of three; chains of limbs, of four and "
             "more"},
    {.name = "blend",
     .kind = PL__FIELD_NUMBER,
     .offset = offsetof(OWNER, blobs.blend) - offsetof(OWNER, blobs),
     .components = 1,
     .fallback = {0.05},
     .unit = "m",
     .when = RERUN,
     .help = "how far parts melt into each other",
     FROM(0),
     TO(1e6)},
    {.name = "relief",
     .kind = PL__FIELD_NUMBER,
     .offset = offsetof(OWNER, blobs.relief) - offsetof(OWNER, blobs),
     .components = 1,
     .fallback = {0},
     .unit = "m",
     .when = RERUN,
     .help = "height of bumps all over it",
     FROM(0),
     TO(1e6)},
    {.name = "relief_length",
     .kind = PL__FIELD_NUMBER,
     .offset = offsetof(OWNER, blobs.relief_length) - offsetof(OWNER, blobs),
     .components = 1,
     .fallback = {0.1},
     .unit = "m",
     .when = RERUN,
     .help = "from one bump to the next",
     FROM(1e-9),
     TO(1e6)},
};
static const char *const pattern_names[] = {"alternating", "diagonal", "irregular", NULL};
#define SHEET(axes)                                                                                                    \
    {.name = "extent",                                                                                                 \
     .kind = PL__FIELD_VECTOR,                                                                                         \
     .offset = offsetof(OWNER, sheet.extent) - offsetof(OWNER, sheet),                                                 \
     .components = 2,                                                                                                  \
     .fallback = {1, 1},                                                                                               \
     .unit = "m",                                                                                                      \
     .when = RERUN,                                                                                                    \
     .help = "edge lengths along " axes,                                                                               \
     FROM(1e-9),                                                                                                       \
     TO(1e6)},                                                                                                         \
    {                                                                                                                  \
        .name = "pattern", .kind = PL__FIELD_CHOICE,                                                                   \
        .offset = offsetof(OWNER, sheet.pattern) - offsetof(OWNER, sheet), .choices = pattern_names,                   \
        .fallback = {PL_PATTERN_ALTERNATING}, .when = RERUN, .help = "how it is cut into triangles"                    \
    }
static const pl__field sheet_rows[] = {SHEET("x and z")};
static const pl__field rectangle_rows[] = {SHEET("x and y")};
#define PART(rows, member, bare_, help_)                                                                               \
    {                                                                                                                  \
        .title = NULL, .size = sizeof(((OWNER *)0)->member), .field = rows,                                            \
        .field_count = sizeof rows / sizeof rows[0], .bare = bare_, .help = help_                                      \
    }
static const pl__table box_table = PART(box_rows, box, "extent", NULL),
                       sphere_table = PART(sphere_rows, round, "radius", NULL),
                       torus_table = PART(torus_rows, round, NULL, NULL),
                       cylinder_table = PART(cylinder_rows, round, NULL, NULL),
                       blobs_table = PART(blobs_rows, blobs, "parts", NULL),
                       sheet_table = PART(sheet_rows, sheet, "extent", NULL),
                       rectangle_table = PART(rectangle_rows, sheet, "extent", NULL),
                       disk_table = PART(sphere_rows, round, "radius", NULL);

static const pl__field body_shape_rows[] = {
    [PL__BODY_BOX] = RECORD("box", box, box_table, RERUN, "a box around the origin; or its edge lengths [x, y, z]"),
    [PL__BODY_SPHERE] = RECORD("sphere", round, sphere_table, RERUN, "a ball around the origin; or its radius"),
    [PL__BODY_TORUS] = RECORD("torus", round, torus_table, RERUN, "a ring around the y axis"),
    [PL__BODY_CYLINDER] = RECORD("cylinder", round, cylinder_table, RERUN, "along the y axis"),
    [PL__BODY_BLOBS] =
        RECORD("blobs", blobs, blobs_table, RERUN, "balls, limbs and plates melted together; or the list of its parts"),
    [PL__BODY_SHEET] =
        RECORD("sheet", sheet, sheet_table, RERUN, "shells: level, facing up; or its edge lengths [x, z]"),
    [PL__BODY_DISK] = RECORD("disk", round, disk_table, RERUN,
                             "shells: level, facing up; planar bodies: in the plane z = 0; or its radius"),
    [PL__BODY_TUBE] = RECORD("tube", round, cylinder_table, RERUN, "shells: a cylinder along y without its ends"),
    [PL__BODY_HALF_TORUS] =
        RECORD("half_torus", round, torus_table, RERUN, "shells: an arch, the upper half of a ring around the z axis"),
    [PL__BODY_RECTANGLE] = RECORD("rectangle", sheet, rectangle_table, RERUN,
                                  "planar bodies: in the plane z = 0; or its edge lengths [x, y]"),
};
static const pl__table body_shape_table = TABLE("Shapes of bodies", body_shape_rows, .one_of = true,
                                                .help = "Exactly one of these, in metres, around the origin. Shells "
                                                        "take the surfaces of solids too: `sphere` is then a balloon.");
const char *pl__body_shape_name(int32_t which) { return body_shape_rows[which].name; }

#undef OWNER

// ---- shapes of objects -----------------------------------------------------------------------------------------

#define LENGTH(name_, member, default_, help_) NUMBER(name_, member, default_, "m", RERUN, help_, FROM(1e-9), TO(1e6))
#define EXTENT(help_) VECTOR("extent", extent, 1, 1, 1, "m", RERUN, help_, FROM(1e-9), TO(1e6))
static const char *const up_names[] = {"y", "z", NULL}, *const anchor_names[] = {"origin", "middle", "bottom", NULL};
#define FIT_HEIGHT                                                                                                     \
    {                                                                                                                  \
        .name = "height", .kind = PL__FIELD_NUMBER, AT(height), .components = 1, .unit = "m", .when = RERUN,           \
        FROM(1e-9), TO(1e6), .fallback_text = "as in the file", .help = "scales a file so that it is that high"        \
    }
#define FIT_SCALE                                                                                                      \
    NUMBER("scale", scale, 1, "", RERUN, "scales a file by a factor (0.01: from centimetres)", FROM(1e-9), TO(1e6))
#define FIT_UP CHOICE("up", up, up_names, 0, RERUN, "the axis that points up in the file")
#define FIT_ANCHOR                                                                                                     \
    CHOICE("anchor", anchor, anchor_names, 0, RERUN,                                                                   \
           "what is put at `at`: the file's origin, the middle of its bounds, or the middle of their bottom")

#define OWNER pl__file_solid
static const pl__field plane_rows[] = {
    VECTOR("normal", normal, 0, 1, 0, "", RERUN, "points out of the object; any length but zero", WITHIN(1e9))};
static const pl__field ball_rows[] = {LENGTH("radius", radius, 0.5, "radius")};
static const pl__field wedge_rows[] = {NUMBER("angle", angle, 90, "degrees", RERUN,
                                              "at its edge, which runs along z; above 180 it is a valley", FROM(1),
                                              TO(359))};
static const pl__field block_rows[] = {EXTENT("edge lengths along x, y and z"),
                                       NUMBER("rounding", rounding, 0, "m", RERUN,
                                              "radius of its edges, up to half the smallest extent", FROM(0), TO(1e6))};
static const pl__field ellipsoid_rows[] = {EXTENT("its axes from end to end")};
static const pl__field capsule_rows[] = {
    LENGTH("radius", radius, 0.25, "radius"),
    LENGTH("height", height, 1, "along y, from tip to tip; at least twice the radius")};
static const pl__field rod_rows[] = {LENGTH("radius", radius, 0.5, "radius"), LENGTH("height", height, 1, "along y")};
static const pl__field cone_rows[] = {
    LENGTH("radius", radius, 0.5, "at the bottom"), LENGTH("height", height, 1, "along y"),
    NUMBER("top_radius", top_radius, 0, "m", RERUN, "at the top; 0: pointed", FROM(0), TO(1e6))};
static const pl__field ring_rows[] = {LENGTH("radius", radius, 0.5, "from its centre to the middle of the tube"),
                                      LENGTH("tube", tube, 0.2, "radius of the tube, below `radius`")};
static const pl__table plane_table = TABLE(NULL, plane_rows, .bare = "normal"),
                       ball_table = TABLE(NULL, ball_rows, .bare = "radius"),
                       wedge_table = TABLE(NULL, wedge_rows, .bare = "angle"),
                       block_table = TABLE(NULL, block_rows, .bare = "extent"),
                       ellipsoid_table = TABLE(NULL, ellipsoid_rows, .bare = "extent"),
                       capsule_table = TABLE(NULL, capsule_rows), rod_table = TABLE(NULL, rod_rows),
                       cone_table = TABLE(NULL, cone_rows), ring_table = TABLE(NULL, ring_rows);
#undef OWNER

#define OWNER pl__file_gear
static const pl__field gear_rows[] = {
    INTEGER("teeth", teeth, 12, 3, 1000, RERUN, "how many"),
    LENGTH("module", module, 0.1,
           "pitch diameter over teeth; wheels of one module mesh where their pitch circles touch"),
    LENGTH("thickness", thickness, 0.2, "along z"),
    NUMBER("bore", bore, 0, "m", RERUN, "radius of the hole", FROM(0), TO(1e6)),
    NUMBER("pressure_angle", pressure_angle, 20, "degrees", RERUN, "of the flanks", FROM(10), TO(30)),
};
static const pl__table gear_table = TABLE(NULL, gear_rows);
#undef OWNER

#define OWNER pl__file_stairs
static const pl__field stairs_rows[] = {
    INTEGER("steps", steps, 5, 1, 1000, RERUN, "how many"),
    LENGTH("rise", rise, 0.15, "height of a step"),
    LENGTH("run", run, 0.3, "depth of a step, along x"),
    LENGTH("width", width, 1, "along z"),
};
static const pl__table stairs_table = TABLE(NULL, stairs_rows);
#undef OWNER

#define OWNER pl__file_terrain
static const pl__field terrain_rows[] = {
    {.name = "extent",
     .kind = PL__FIELD_VECTOR,
     AT(extent),
     .components = 2,
     .fallback = {1, 1},
     .unit = "m",
     .when = RERUN,
     .help = "edge lengths along x and z",
     FROM(1e-9),
     TO(1e6)},
    {.name = "heights",
     .kind = PL__FIELD_ROWS,
     AT(heights),
     FREE,
     .unit = "m",
     .when = RERUN,
     .help = "rows of numbers: a row goes along x, rows follow each other along z"},
};
static const pl__table terrain_table = TABLE(NULL, terrain_rows, .bare = "heights");
#undef OWNER

#define OWNER pl__file_object_surface
static const char *const lookup_names[] = {"auto", "exact", "grid", NULL};
static const pl__field object_surface_rows[] = {
    PATH("file", file, RERUN, "triangles (.obj .ply .stl ...), closed"),
    FIT_HEIGHT,
    FIT_SCALE,
    FIT_UP,
    FIT_ANCHOR,
    CHOICE("lookup", lookup, lookup_names, PL_LOOKUP_AUTO, RERUN,
           "how distances are found: from the closest triangle, or on a grid that is made once; auto: exact up to 2000 "
           "triangles"),
    {.name = "cell",
     .kind = PL__FIELD_NUMBER,
     AT(cell),
     .components = 1,
     .unit = "m",
     .when = RERUN,
     FROM(1e-9),
     TO(1e6),
     .fallback_text = "1/64 of its longest side",
     .help = "of the grid"},
};
static const pl__table object_surface_table = TABLE(NULL, object_surface_rows, .bare = "file");
#undef OWNER

#define OWNER pl__file_actor
#define DEPTH(help_)                                                                                                   \
    {                                                                                                                  \
        .name = "depth", .kind = PL__FIELD_NUMBER, AT(depth), .components = 1, .unit = "m", .when = RERUN, FROM(1e-9), \
        TO(1e6), .fallback_text = "the mean length of its edges", .help = help_                                        \
    }
static const pl__field actor_rows[] = {
    PATH("file", file, RERUN, "triangles (.obj .ply .stl ...), closed or not"),
    PATH("cache", cache, RERUN, "a .pc2 point cache: where each vertex of the file is, before `at` and `rotate`"),
    INTEGER("samples", samples, 1, 1, 1000000, RERUN,
            "or so many files of the same triangles, counting up from `file`: walk_0001.obj, walk_0002.obj ..."),
    {.name = "rate",
     .kind = PL__FIELD_NUMBER,
     AT(rate),
     .components = 1,
     .unit = "1/s",
     .when = RERUN,
     FROM(1e-9),
     TO(1e6),
     .fallback_text = "one per frame",
     .help = "files per simulated second"},
    NUMBER("start", start, 0, "s", RERUN, "time of the first file", WITHIN(1e9)),
    FIT_SCALE,
    FIT_UP,
    DEPTH("behind an open surface, so much is inside; what is farther behind is let through"),
};
static const pl__table actor_table = TABLE(NULL, actor_rows, .bare = "file");
#undef OWNER

static const pl__table object_shape_table;
#define OWNER pl__file_part
static const pl__field part_rows[] = {
    RECORD("shape", shape, object_shape_table, RERUN, "its shape"),
    VECTOR("at", at, 0, 0, 0, "m", RERUN, "where it is in the whole", WITHIN(1e9)),
    VECTOR("rotate", rotate, 0, 0, 0, "degrees", RERUN, "turned about x, then y, then z", WITHIN(1e6)),
};
static const pl__table part_table =
    TABLE("Parts of objects", part_rows,
          .help = "What a `union` or `difference` is made of. Parts may have parts themselves, to a depth of 8.");
#undef OWNER

#define OWNER pl__file_parts
static const pl__field parts_rows[] = {LIST("parts", parts, part_table, RERUN, "in order")};
static const pl__table parts_table = TABLE(NULL, parts_rows, .bare = "parts");
#undef OWNER

#define OWNER pl__file_object_shape
static const pl__field object_shape_rows[] = {
    [PL_OBJECT_PLANE] =
        RECORD("plane", solid, plane_table, RERUN, "the half-space below a plane through `at`; or its normal"),
    [PL_OBJECT_SPHERE] = RECORD("sphere", solid, ball_table, RERUN, "a ball around `at`; or its radius"),
    [PL_OBJECT_WEDGE] = RECORD("wedge", solid, wedge_table, RERUN, "an endless ridge or valley along z; or its angle"),
    [PL_OBJECT_BOX] = RECORD("box", solid, block_table, RERUN,
                             "a box around `at`, perhaps with round edges; or its edge lengths [x, y, z]"),
    [PL_OBJECT_ELLIPSOID] =
        RECORD("ellipsoid", solid, ellipsoid_table, RERUN, "around `at`; or its axes [x, y, z] from end to end"),
    [PL_OBJECT_CAPSULE] = RECORD("capsule", solid, capsule_table, RERUN, "along y, with round ends"),
    [PL_OBJECT_CYLINDER] = RECORD("cylinder", solid, rod_table, RERUN, "along y"),
    [PL_OBJECT_CONE] = RECORD("cone", solid, cone_table, RERUN, "along y, also cut off"),
    [PL_OBJECT_TORUS] = RECORD("torus", solid, ring_table, RERUN, "a ring around the y axis"),
    [PL_OBJECT_GEAR] = RECORD("gear", gear, gear_table, RERUN, "a wheel around the z axis, with a tooth along x"),
    [PL_OBJECT_STAIRS] =
        RECORD("stairs", stairs, stairs_table, RERUN, "up along x from `at`, as wide on both sides of it"),
    [PL_OBJECT_HEIGHT_FIELD] =
        RECORD("height_field", terrain, terrain_table, RERUN,
               "the ground below a grid of heights over a rectangle around `at`; or the heights"),
    [PL_OBJECT_SURFACE] =
        RECORD("surface", surface, object_surface_table, RERUN, "the inside of a closed surface; or its file"),
    [PL_OBJECT_UNION] = RECORD("union", parts, parts_table, RERUN, "several parts; or the list of them"),
    [PL_OBJECT_DIFFERENCE] =
        RECORD("difference", parts, parts_table, RERUN, "the first part without the others; or the list of them"),
    [PL_OBJECT_ACTOR] = RECORD("actor", actor, actor_table, RERUN,
                               "triangles that bend as a cache or files say: a character; or its file"),
};
static const pl__table object_shape_table =
    TABLE("Shapes of objects", object_shape_rows, .one_of = true,
          .help = "Exactly one of these, in metres ([objects.md](objects.md) shows them).");
const char *pl__object_kind_name(pl_object_kind kind)
{
    return kind == PL_OBJECT_BODY ? "body" : object_shape_rows[kind].name;
}
#undef OWNER

// ---- selections, paint, pins -----------------------------------------------------------------------------------

#define OWNER pl__file_selection
#define REGION(name_, member, x, y, z, help_)                                                                          \
    {                                                                                                                  \
        .name = name_, .kind = PL__FIELD_VECTOR, .offset = offsetof(OWNER, region.member) - offsetof(OWNER, region),   \
        .components = 3, .fallback = {x, y, z}, .unit = "m", .when = RERUN, .help = help_, WITHIN(1e9)                 \
    }
static const pl__field select_sphere_rows[] = {
    REGION("center", center, 0, 0, 0, "in the world, at the start"),
    {.name = "radius",
     .kind = PL__FIELD_NUMBER,
     .offset = offsetof(OWNER, region.radius) - offsetof(OWNER, region),
     .components = 1,
     .fallback = {0.5},
     .unit = "m",
     .when = RERUN,
     .help = "radius",
     FROM(1e-9),
     TO(1e9)},
};
static const pl__field select_plane_rows[] = {
    REGION("at", at, 0, 0, 0, "a point of the plane, in the world, at the start"),
    {.name = "normal",
     .kind = PL__FIELD_VECTOR,
     .offset = offsetof(OWNER, region.normal) - offsetof(OWNER, region),
     .components = 3,
     .fallback = {0, 1, 0},
     .when = RERUN,
     .help = "towards what is selected; any length but zero",
     WITHIN(1e9)},
};
static const pl__table select_sphere_table = PART(select_sphere_rows, region, NULL, NULL),
                       select_plane_table = PART(select_plane_rows, region, NULL, NULL);
static const pl__field selection_rows[] = {
    [PL__SELECT_BOX] = {.name = "box",
                        .kind = PL__FIELD_BOX,
                        AT(box),
                        .components = 3,
                        .when = RERUN,
                        WITHIN(1e9),
                        .help = "[[x, y, z], [x, y, z]]: between two corners, in fractions of the bounds at rest: [0, "
                                "0, 0] to [1, 1, 1] is all of it"},
    [PL__SELECT_WORLD_BOX] = {.name = "world_box",
                              .kind = PL__FIELD_BOX,
                              AT(box),
                              .components = 3,
                              .unit = "m",
                              .when = RERUN,
                              WITHIN(1e9),
                              .help = "between two corners in the world, at the start"},
    [PL__SELECT_SPHERE] =
        RECORD("sphere", region, select_sphere_table, RERUN, "within a ball in the world, at the start"),
    [PL__SELECT_PLANE] =
        RECORD("plane", region, select_plane_table, RERUN, "on the side of a plane that its normal points to"),
    [PL__SELECT_GROUP] = TEXT("group", group, RERUN, "a region of the mesh file, or a group of the surface file"),
    [PL__SELECT_NODES] = {.name = "nodes",
                          .kind = PL__FIELD_INTEGERS,
                          AT(nodes),
                          .when = RERUN,
                          .low = 0,
                          .high = 2147483647,
                          .help =
                              "nodes of the mesh (`mesh`) or vertices of the surface (`surface`) by number, from 0"},
};
static const pl__table selection_table =
    TABLE("Selections", selection_rows, .one_of = true,
          .help = "A named part of a body: exactly one of these. A selection that nothing belongs to is an error; "
                  "`pliant check` prints the counts.");
#undef OWNER

#define OWNER pl__file_paint
static const pl__field paint_rows[] = {
    TEXT("attribute", attribute, RERUN,
         "numbers per vertex that came with the file: a property of a .ply, point data of a .vtk or .vtu; \"color\" "
         "counts its first component"),
    ROWS("map", map, RERUN, "[[attribute, value], ...]: straight lines between, constant outside"),
};
static const pl__table paint_table = TABLE("Painted numbers", paint_rows, .help = "Both must be given.");
#undef OWNER
#define OWNER pl__file_paints
static const pl__field paints_rows[] = {
    RECORD("young", young, paint_table, RERUN,
           "Young's modulus [Pa] at the start; keys of the material scale it later, but at a branch the material's own "
           "must stay"),
    RECORD("density", density, paint_table, RERUN, "density [kg/m^3]"),
    RECORD("damping", damping, paint_table, RERUN,
           "damping time [s]; as with `young`, the material's own must stay at a branch"),
};
static const pl__table paints_table =
    TABLE("Paint", paints_rows, .help = "Material numbers from an attribute of the file's vertices.");
#undef OWNER

#define OWNER pl__file_pin
static const pl__field pin_rows[] = {
    TEXT("select", select, RERUN, "the selection that is held"),
    NUMBER("strength", strength, 1, "", LIVE, "1: held exactly; 0: free; between: by a spring", KEYED, FROM(0), TO(1)),
    NUMBER("soft", soft, 0.05, "s", RERUN, "how long the spring takes to follow, at strength 0.5", FROM(1e-4), TO(1e3)),
    VECTOR("move", move, 0, 0, 0, "m", BRANCH, "how far its nodes are moved from where they start", KEYED, WITHIN(1e9)),
    VECTOR("rotate", rotate, 0, 0, 0, "degrees", BRANCH, "and turned about `pivot`: about x, then y, then z", KEYED,
           WITHIN(1e6)),
    {.name = "pivot",
     .kind = PL__FIELD_VECTOR,
     AT(pivot),
     .components = 3,
     .unit = "m",
     .when = RERUN,
     WITHIN(1e9),
     .fallback_text = "the middle of its nodes",
     .help = "centre of `rotate`, in the world"},
    PATH("cache", cache, RERUN,
         "a .pc2 point cache to follow, in world coordinates: a point per node of the body, or per selected node"),
};
static const pl__table pin_table =
    TABLE("Pins", pin_rows, .bare = "select",
          .help = "What holds or moves a selection. A bare name is a selection that is held.");
#undef OWNER

// ---- bodies ----------------------------------------------------------------------------------------------------

#define OWNER pl__file_start
static const pl__field start_rows[] = {
    VECTOR("scale", scale, 1, 1, 1, "", RERUN, "stretched at the start; 0 flattens it, -1 mirrors it", WITHIN(1e6)),
    NUMBER("scramble", scramble, 0, "", RERUN,
           "nodes moved towards random places within the bounds, by this fraction of the way", FROM(0), TO(1)),
    INTEGER("seed", seed, 0, 0, 2147483647, RERUN, "of the random places"),
};
static const pl__table start_table =
    TABLE("Start shape", start_rows, .help = "Tortures a body before the first frame; its rest shape stays as it is.");
#undef OWNER

#define OWNER pl__file_fibers
static const pl__field fibers_rows[] = {
    VECTOR("along", along, 0, 0, 0, "", RERUN, "a direction at rest, before `rotate`; any length but zero",
           WITHIN(1e9)),
    TEXT("attribute", attribute, RERUN, "vectors per vertex that came with the file of `mesh`"),
    TEXT("from", from, RERUN, "the selection where fibres begin, such as the origin of a muscle"),
    TEXT("to", to, RERUN, "and where they end: they follow the field that would flow from one to the other"),
};
static const pl__table fibers_table =
    TABLE("Fibres", fibers_rows, .bare = "along",
          .help = "Where the fibres of a material with `fiber_strength` run: `along`, `attribute`, or `from` and `to`. "
                  "A bare vector is a direction. Without it, along the longest side of the body.");
#undef OWNER

#define OWNER pl__file_goal
static const pl__field goal_rows[] = {
    PATH("mesh", mesh, RERUN, "a file with the same elements and nodes in the same order, elsewhere"),
    VECTOR("scale", scale, 1, 1, 1, "", RERUN, "or the rest shape stretched", FROM(1e-9), TO(1e6)),
    NUMBER("twist", twist, 0, "degrees", RERUN, "and twisted about the y axis, by so much from its bottom to its top",
           WITHIN(1e6)),
};
static const pl__table goal_table = TABLE(
    "Goal of plastic flow", goal_rows, .bare = "mesh",
    .help = "Plastic flow goes only where it comes closer to this shape (thesis 2.7). Not together with `isochoric`.");
#undef OWNER

#define OWNER pl__file_rub
static const pl__field rub_rows[] = {
    NUMBER("friction", friction, 0.3, "", LIVE, "coefficient of friction", FROM(0), TO(1e6)),
};
static const pl__table rub_table = TABLE("Friction of pairs", rub_rows, .bare = "friction",
                                         .help = "Of a body with the object, the body or itself that it is named "
                                                 "after. A bare number is the coefficient. One of two bodies says it.");
#undef OWNER

#define OWNER pl__file_body
static const char *const
    kind_names[] = {"solid", "shell", "planar", NULL},
    *const element_names[] = {"tet", "hex", NULL}, *const membrane_names[] = {"continuum", "woven", "springs", NULL},
    *const bending_names[] = {"curvature", "hinges", "none", NULL}, *const plane_names[] = {"strain", "stress", NULL};
static const pl__field body_rows[] = {
    CHOICE("kind", kind, kind_names, 0, RERUN,
           "solid: fills space; shell: a thin sheet, cloth; planar: lives in a plane z = const"),
    CHOICE("elements", elements, element_names, 0, RERUN,
           "what a solid that is made here is cut into: tetrahedra or hexahedra"),
    {.name = "thickness",
     .kind = PL__FIELD_NUMBER,
     AT(thickness),
     .components = 1,
     .unit = "m",
     .when = RERUN,
     FROM(1e-6),
     TO(1e3),
     .fallback_text = "0.001 of shells, 1 of planar bodies",
     .help = "of a shell or planar body"},
    CHOICE("membrane", membrane, membrane_names, 0, RERUN,
           "what holds a shell together: the law of its material; woven warp and weft; or springs"),
    CHOICE("bending", bending, bending_names, 0, RERUN,
           "how a shell resists it: by curvature, the same for every mesh; by single hinges; or not"),
    NUMBER("bending_factor", bending_factor, 1, "", RERUN,
           "on the stiffness against bending that material and thickness give", FROM(0), TO(1e6)),
    VECTOR("warp", warp, 1, 0, 0, "", RERUN,
           "direction of the first threads of a woven shell, at rest, before `rotate`", WITHIN(1e9)),
    CHOICE("plane", plane, plane_names, 0, RERUN,
           "what a planar body is a slice of: something long (strain) or a thin plate (stress)"),
    SWITCH("keep_facing", keep_facing, 0, RERUN,
           "triangles of a shell that turn over count as inverted, and turn back"),
    RECORD("fibers", fibers, fibers_table, RERUN, "where fibres run"),
    RECORD("goal", goal, goal_table, RERUN, "the shape that plastic flow is steered to"),
    SWITCH("collides", collides, 1, RERUN, "with other bodies that do"),
    SWITCH("self_collision", self_collision, 1, RERUN, "with itself"),
    {.name = "collision_thickness",
     .kind = PL__FIELD_NUMBER,
     AT(collision_thickness),
     .components = 1,
     .unit = "m",
     .when = RERUN,
     FROM(1e-9),
     TO(1e3),
     .fallback_text = "thickness of a shell, at least 2 % of its edges; else 5 % of the edges",
     .help = "how near surfaces may come"},
    NUMBER("friction", friction, 0.3, "", RERUN, "with bodies, itself included: the geometric mean of both", FROM(0),
           TO(1e6)),
    MAP("friction_with", friction_with, rub_table, RERUN,
        "instead of that, or of an object's own: with an object, a body or itself, by name"),
    SWITCH("cuttable", cuttable, 0, RERUN,
           "it can be cut by hand; of a material with `fracture_stress` it can in any case"),
    NUMBER("toughness", toughness, 1, "", LIVE,
           "factor on the fracture stress of its materials; keys say when it may break", KEYED, FROM(1e-6), TO(1e9)),
    INTEGER("smallest_piece", smallest_piece, 8, 1, 1000000, RERUN,
            "elements of a piece that breaks off, at least; 1 allows dust"),
    INTEGER("most_torn", most_torn, 0, 0, 1000000000, RERUN,
            "nodes that may come apart in one look for cracks; 0: any number"),
    INTEGER("fracture_seed", fracture_seed, 0, 0, 2147483647, RERUN,
            "of the random strengths that `fracture_spread` asks for"),
    NUMBER("drag", drag, 0, "", RERUN, "how air resists, as a factor; 1: as a plate", FROM(0), TO(1e6)),
    NUMBER("pressure", pressure, 0, "Pa", LIVE, "inside a closed surface, above that outside", KEYED, WITHIN(1e9)),
    SWITCH("gas", gas, 0, RERUN, "the pressure is that of a gas, at rest volume: it rises when the body is squeezed"),
    RECORD("shape", shape, body_shape_table, RERUN, "a body that is made here"),
    PATH("mesh", mesh, RERUN,
         "elements from a file (.msh .vtk .vtu .mesh .veg .node): exactly these are simulated; of shells and planar "
         "bodies triangles (.obj .ply .stl ...)"),
    PATH("surface", surface, RERUN,
         "triangles from a file (.obj .ply .stl ...): elements are made around them and carry them"),
    {.name = "size",
     .kind = PL__FIELD_NUMBER,
     AT(size),
     .components = 1,
     .unit = "m",
     .when = RERUN,
     FROM(1e-9),
     TO(1e6),
     .fallback_text = "from `resolution`",
     .help = "edge length of the elements that are made"},
    {.name = "surface_size",
     .kind = PL__FIELD_NUMBER,
     AT(surface_size),
     .components = 1,
     .unit = "m",
     .when = RERUN,
     FROM(1e-9),
     TO(1e6),
     .fallback_text = "no such surface",
     .help =
         "of a solid `shape`: edge length of a detailed surface that its elements carry, as they do one from a file"},
    INTEGER("resolution", resolution, 24, 1, 2000, RERUN,
            "how many cells along the longest side, where no size is given"),
    SWITCH("snug", snug, 0, RERUN, "tetrahedra that carry a surface are drawn in towards it, so that it floats less"),
    NUMBER("jitter", jitter, 0, "", RERUN, "moves inner nodes of a shape by up to this fraction of an edge", FROM(0),
           TO(0.3)),
    INTEGER("seed", seed, 0, 0, 2147483647, RERUN, "of the jitter"),
    FIT_HEIGHT,
    FIT_SCALE,
    FIT_UP,
    FIT_ANCHOR,
    VECTOR("at", at, 0, 0, 0, "m", RERUN, "where it starts", WITHIN(1e9)),
    VECTOR("rotate", rotate, 0, 0, 0, "degrees", RERUN, "turned about x, then y, then z", WITHIN(1e6)),
    VECTOR("velocity", velocity, 0, 0, 0, "m/s", RERUN, "at the start", WITHIN(1e9)),
    VECTOR("spin", spin, 0, 0, 0, "degrees/s", RERUN, "about its centre of mass, at the start", WITHIN(1e9)),
    RECORD("material", material, material_table, RERUN, "what it is made of; without it, rubber"),
    NUMBER("strength", strength, 1, "", LIVE, "factor on all its elastic forces; 0 is a puddle", KEYED, FROM(0),
           TO(1e6)),
    MAP("select", select, selection_table, RERUN, "parts of it, for `vary` and `pins`"),
    MAP("vary", vary, material_table, RERUN, "other material numbers for elements of a selection (all corners in it)"),
    RECORD("paint", paint, paints_table, RERUN, "material numbers painted on vertices"),
    LIST("pins", pins, pin_table, RERUN, "what is held or moved"),
    RECORD("start", start, start_table, RERUN, "a shape to start from that is not the rest shape"),
    COLOR(color, 0, 0, 0, "in pictures", "of its material"),
    COLOR(inside_color, 0, 0, 0, "in pictures, of what cracks and cuts lay open", "`color`"),
    SWITCH("visible", visible, 1, ANY, "shown in pictures"),
};
static const pl__table body_table = TABLE(
    "Bodies", body_rows, .help = "What bends. Exactly one of `shape`, `mesh` and `surface` says where it comes from.");
#undef OWNER

// ---- objects ---------------------------------------------------------------------------------------------------

#define OWNER pl__file_object
static const char *const meeting_names[] = {"distance", "surface", "auto", NULL};
static const pl__field object_rows[] = {
    RECORD("shape", shape, object_shape_table, RERUN, "its shape"),
    TEXT("body", body, RERUN,
         "instead: a body, solid or shell, that the others bump into; it feels nothing of them, and itself nothing of "
         "it"),
    DEPTH("of a `body` that is an open shell: behind it, so much is inside"),
    CHOICE("contact", contact, meeting_names, PL_MEETING_AUTO, RERUN,
           "auto: actors by surface, everything else by distance; distance: nodes that would end inside are stopped, "
           "in every substep; surface: its triangles collide with those of bodies, so that nothing crosses what is "
           "thin or fast"),
    {.name = "collision_thickness",
     .kind = PL__FIELD_NUMBER,
     AT(collision_thickness),
     .components = 1,
     .unit = "m",
     .when = RERUN,
     FROM(1e-9),
     TO(1e3),
     .fallback_text = "that of the thinnest body",
     .help = "how near bodies may come to its surface"},
    VECTOR("at", at, 0, 0, 0, "m", BRANCH,
           "where it is; at a branch only keys can change it, and they should pass through where it is then: it jumps "
           "to them, also through bodies",
           KEYED, WITHIN(1e9)),
    VECTOR("rotate", rotate, 0, 0, 0, "degrees", BRANCH, "turned about x, then y, then z", KEYED, WITHIN(1e6)),
    VECTOR("spin", spin, 0, 0, 0, "degrees/s", BRANCH, "how fast it turns about `at`", KEYED, WITHIN(1e6)),
    VECTOR("velocity", velocity, 0, 0, 0, "m/s", BRANCH, "constant, where `at` has no keys", WITHIN(1e9)),
    NUMBER("friction", friction, 0.3, "", LIVE, "coefficient of friction", KEYED, FROM(0), TO(1e6)),
    COLOR(color, 0.72, 0.72, 0.7, "in pictures", NULL),
    SWITCH("visible", visible, 1, ANY, "shown in pictures"),
};
static const pl__table object_table = TABLE(
    "Objects", object_rows,
    .help = "What bodies bump into, and what does not notice. Exactly one of `shape` and `body` says what it is.");
#undef OWNER

#define OWNER pl__file_heat
static const pl__field heat_rows[] = {
    VECTOR("at", at, 0, 0, 0, "m", BRANCH, "its middle", KEYED, WITHIN(1e9)),
    NUMBER("radius", radius, 0.1, "m", RERUN, "how far it reaches; less and less towards there", FROM(1e-9), TO(1e9)),
    NUMBER("power", power, 0, "K/s", BRANCH, "how fast temperature rises in its middle; below 0 it cools", KEYED,
           WITHIN(1e9)),
};
static const pl__table heat_table = TABLE(
    "Heat", heat_rows,
    .help =
        "Sources of heat: balls that warm what is in them, of materials with `melting` ([fracture.md](fracture.md)).");
#undef OWNER

#define OWNER pl__file_air
static const pl__field air_rows[] = {
    VECTOR("wind", wind, 0, 0, 0, "m/s", LIVE, "the same everywhere", KEYED, WITHIN(1e6)),
    NUMBER("density", density, 1.2, "kg/m^3", RERUN, "that drag is in proportion to", FROM(0), TO(1e6)),
    NUMBER("pressure", pressure, 101325, "Pa", RERUN, "outside of bodies that hold gas", FROM(0), TO(1e12)),
};
static const pl__table air_table =
    TABLE("Air", air_rows, .bare = "wind",
          .help = "Around bodies that have `drag` or hold `gas`. A bare vector is the wind.");
#undef OWNER

#define OWNER pl__file_floor
static const pl__field floor_rows[] = {
    NUMBER("height", height, 0, "m", RERUN, "y of the floor", WITHIN(1e9)),
    NUMBER("friction", friction, 0.3, "", LIVE, "coefficient of friction", KEYED, FROM(0), TO(1e6)),
    COLOR(color, 0.82, 0.82, 0.8, "in pictures", NULL),
    SWITCH("grid", grid, 1, ANY, "faint lines, a metre or a decimetre apart"),
};
static const pl__table floor_table =
    TABLE("Floor", floor_rows, .bare = "height", .optional = true,
          .help = "A level floor. A bare number is its height; without `floor` there is none.");
#undef OWNER

// ---- solver, camera, look, output ------------------------------------------------------------------------------

#define OWNER pl__file_solver
static const char *const integrator_names[] = {"semi_implicit", "implicit_euler", NULL};
static const char *const update_names[] = {"midpoint", "trapezoid", NULL};
static const char *const contact_names[] = {"exact", "projected", NULL};
static const pl__field solver_rows[] = {
    CHOICE("integrator", integrator, integrator_names, PL_INTEGRATOR_SEMI_IMPLICIT, BRANCH,
           "semi_implicit: true motion in short steps; implicit_euler: long steps that damp (docs/integrators.md)"),
    CHOICE("velocity_update", velocity_update, update_names, PL_VELOCITY_MIDPOINT, BRANCH,
           "of semi_implicit; midpoint: exact friction; trapezoid: half the force evaluations, and shells in any case"),
    CHOICE("object_contact", object_contact, contact_names, PL_CONTACT_EXACT, BRANCH,
           "exact: friction as Coulomb has it; projected: the method that the thesis compares with, which slides too "
           "fast"),
    NUMBER("substep", substep, 0, "s", BRANCH,
           "longest time step, also where that is unstable; 0: chosen from the stiffness, or 1/60 s of implicit_euler",
           FROM(0), TO(1e6)),
    NUMBER("collision_interval", collision_interval, 1.0 / 60, "s", BRANCH,
           "longest time between two looks whether bodies have touched that were not held apart within the steps",
           FROM(1e-6), TO(1e6)),
    NUMBER("safety", safety, 0.9, "", BRANCH, "fraction of the stability limit that an automatic step takes",
           FROM(1e-6), TO(1)),
    NUMBER("tolerance", tolerance, 1e-4, "", BRANCH, "relative, of a solve", FROM(1e-14), TO(0.1)),
    INTEGER("iterations", iterations, 200, 1, 100000, BRANCH, "most iterations of one solve"),
    INTEGER("newton", newton, 0, 0, 1000, BRANCH,
            "of implicit_euler: most iterations of Newton's method; 0: 1 for solids of rotated_linear or linear, else "
            "up to 20"),
    NUMBER("newton_tolerance", newton_tolerance, 0.01, "", BRANCH,
           "of implicit_euler: the part of the imbalance that Newton's method may leave", FROM(0), TO(1)),
    NUMBER("mass_damping", mass_damping, 0, "1/s", BRANCH, "of implicit_euler: the rate at which all motion slows down",
           FROM(0), TO(1e6)),
    SWITCH("sleep", sleep, 0, BRANCH,
           "bodies that have come to rest cost next to nothing until something touches or changes them"),
    NUMBER("sleep_speed", sleep_speed, 0.005, "m/s", BRANCH, "no node of a body that rests is faster", FROM(0),
           TO(1e6)),
    NUMBER("sleep_time", sleep_time, 0.5, "s", BRANCH, "that a body rests before it sleeps", FROM(0), TO(1e6)),
    NUMBER("fracture_interval", fracture_interval, 1.0 / 960, "s", BRANCH,
           "time between two looks for what breaks; 0: after every substep", FROM(0), TO(1e6)),
};
static const pl__table solver_table =
    TABLE("Solver", solver_rows, .help = "The defaults are sound; most scenes need none of this.");
#undef OWNER

#define OWNER pl__file_camera
static const pl__field camera_rows[] = {
    {.name = "from",
     .kind = PL__FIELD_VECTOR,
     AT(from),
     .keyed = true,
     .components = 3,
     .unit = "m",
     .when = ANY,
     WITHIN(1e9),
     .fallback_text = "framed automatically",
     .help = "where the camera stands"},
    {.name = "look_at",
     .kind = PL__FIELD_TARGET,
     AT(look_at),
     .keyed = true,
     .components = 3,
     .unit = "m",
     .when = ANY,
     WITHIN(1e9),
     .fallback_text = "the middle of the bodies",
     .help = "a point, or the name of a body to follow"},
    NUMBER("fov", fov, 32, "degrees", ANY, "vertical angle of view", KEYED, ABOVE(0.1), BELOW(170)),
};
static const pl__table camera_table = TABLE("Camera", camera_rows,
                                            .help = "Without one, a camera is placed that sees everything for the "
                                                    "whole run, but for small parts and bodies that fly away.");
#undef OWNER

#define OWNER pl__file_look
static const char *const color_by_names[] = {"body",  "J",       "stress",      "stretch", "pressure",
                                             "speed", "plastic", "temperature", NULL};
static const char *const map_names[] = {"viridis", "turbo", "coolwarm", "inferno", NULL};
static const pl__field look_rows[] = {
    {.name = "size",
     .kind = PL__FIELD_VECTOR,
     AT(size),
     .components = 2,
     .fallback = {960, 540},
     .unit = "pixels",
     .when = ANY,
     FROM(16),
     TO(8192),
     .help = "width and height"},
    INTEGER("samples", samples, 8, 1, 4096, ANY, "rays per pixel; 64 for a still"),
    CHOICE("color_by", color_by, color_by_names, PL__COLOR_BODY, ANY,
           "body: each its colour; J: volume ratio; stress: von Mises; stretch: the largest; pressure; speed; plastic: "
           "how far it has flowed; temperature"),
    CHOICE("color_map", color_map, map_names, 0, ANY, "of `color_by`"),
    {.name = "range",
     .kind = PL__FIELD_VECTOR,
     AT(range),
     .components = 2,
     .when = ANY,
     WITHIN(1e30),
     .fallback_text = "of the whole run",
     .help = "lowest and highest value of the colour map"},
    SWITCH("wireframe", wireframe, 0, ANY, "draw the edges of triangles, of hexahedra those of their faces"),
    SWITCH("contacts", contacts, 0, ANY, "draw a small ball wherever a body touches an object, another body or itself"),
    SWITCH("caption", caption, 0, ANY, "write frame and time into the picture"),
    COLOR(background, 0.9, 0.92, 0.95, "behind everything", NULL),
    VECTOR("light", light, 0.5, 1, 0.6, "", ANY, "direction towards the key light", WITHIN(1e9)),
    NUMBER("light_strength", light_strength, 1, "", ANY, "of the key light", FROM(0), TO(100)),
    NUMBER("sky_strength", sky_strength, 1, "", ANY, "of the sky", FROM(0), TO(100)),
};
static const pl__table look_table =
    TABLE("Look", look_rows, .help = "Pictures only: `pliant render DIR` draws a finished run anew.");
#undef OWNER

#define OWNER pl__file_output
static const char *const movie_names[] = {"webp", "mp4", "none", NULL};
static const char *const format_names[] = {"ply", "vtu", "pc2", "usd", "glb", "npy", "obj", NULL};
static const char *const attribute_names[] = {"velocity", "J",       "stress",      "stretch", "energy",
                                              "pressure", "plastic", "temperature", NULL};
static const pl__field output_rows[] = {
    CHOICE("movie", movie, movie_names, PL__MOVIE_WEBP, ANY, "movie.webp plays in any browser; mp4 needs ffmpeg"),
    SWITCH("pictures", pictures, 0, ANY, "keep every picture as a .png beside the movie"),
    CHOICES("export", formats, format_names, 0, ANY, "files for other programs, made at the end of the run", "none"),
    CHOICES("attributes", attributes, attribute_names, 7, ANY,
            "what goes into exports beside positions, where the format can", "velocity, J, stress"),
    SWITCH("objects", objects, 0, ANY, "objects that have an end go into exports too, as bodies of their names"),
    NUMBER("checkpoint_every", checkpoint_every, 20, "s", ANY, "of wall time: how often long frames are saved half-way",
           FROM(0.01), TO(1e6)),
};
static const pl__table output_table =
    TABLE("Output", output_rows, .help = "What a run leaves beside its frames and metrics.");
#undef OWNER

// ---- the scene -------------------------------------------------------------------------------------------------

#define OWNER pl__scene_file
static const pl__field scene_rows[] = {
    {.name = "$schema", .kind = PL__FIELD_IGNORED, .when = ANY, .help = "for editors: \"scene.schema.json\""},
    INTEGER("frames", frames, 120, 0, 1000000, ANY,
            "how many frames follow the first one; a finished run can be made longer"),
    NUMBER("fps", fps, 24, "1/s", RERUN, "frames per second of the movie", FROM(0.001), TO(100000)),
    NUMBER("time_scale", time_scale, 1, "", RERUN, "simulated seconds per second of the movie; 0.1 is slow motion",
           FROM(1e-9), TO(1e6)),
    VECTOR("gravity", gravity, 0, -9.81, 0, "m/s^2", LIVE, "acceleration of everything that is free", KEYED,
           WITHIN(1e9)),
    RECORD("floor", floor, floor_table, RERUN, "level ground; without it there is none"),
    RECORD("air", air, air_table, RERUN, "wind, and what drag and gas need"),
    MAP("materials", materials, material_table, RERUN, "what bodies may be made of, beside the presets"),
    MAP("bodies", bodies, body_table, RERUN, "what is simulated"),
    MAP("objects", objects, object_table, RERUN, "what bodies bump into"),
    MAP("heat", heat, heat_table, RERUN, "what warms them"),
    RECORD("solver", solver, solver_table, BRANCH, "how it is solved"),
    RECORD("camera", camera, camera_table, ANY, "where pictures are taken from"),
    RECORD("look", look, look_table, ANY, "how pictures look"),
    RECORD("output", output, output_table, ANY, "what a run leaves"),
};
const pl__table pl__scene_table = TABLE("Scene", scene_rows,
                                        .help = "A scene is one JSON object; comments (`//`, `/* */`) and trailing "
                                                "commas are fine. Only `bodies` must be there.");
#undef OWNER

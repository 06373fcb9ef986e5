// src/scene/tables.c -- every key of a scene file: kind, default, range, unit, when it may change, and help.
//
// Each key is defined here only. Its documentation (docs/scene-reference.md, scene.schema.json, error messages) and its
// effect in the program come from the same row. Keys that are fields of a definition (pl_material_def.young) are in the
// table of that definition, *_fields.inl, and are included here.
#include "file.h"
#include "base/field_rows.h"

// clang-format off: one row per key
#define AT(member) .offset = offsetof(OWNER, member)

// one-sided ranges, besides those of base/field_rows.h
#define FREE ENDLESS
#define ABOVE(x) .low = (x), .low_open = true
#define FROM(x) .low = (x)
#define BELOW(x) .high = (x), .high_open = true
#define TO(x) .high = (x)

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

// A number with a default described in words; 0 if not given.
#define MEASURED(name_, member, unit_, said_, when_, help_, ...)                                                       \
    {                                                                                                                  \
        .name = name_, .kind = PL__FIELD_NUMBER, AT(member), .components = 1, .unit = unit_, .fallback_text = said_,   \
        .when = when_, .help = help_, __VA_ARGS__                                                                      \
    }
#undef PL_KEY
#define PL_KEY(...) __VA_ARGS__,

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

static const pl__field material_rows[] = {
    {.name = "like",
     .kind = PL__FIELD_TEXT,
     AT(like),
     .when = RERUN,
     .fallback_text = "rubber",
     .help = "a preset or another material of this scene, whose numbers hold where none are given here"},
    CHOICE("model", model, model_names, PL_MATERIAL_NEO_HOOKEAN, RERUN, "the law of elasticity"),
#include "material/material_fields.inl"
    COLOR(color, 0, 0, 0, "in pictures, of bodies that have no colour of their own", "of the preset"),
};
const pl__table pl__material_table =
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

#define LENGTH(name_, member, default_, help_) NUMBER(name_, member, default_, "m", RERUN, help_, IN(1e-9, 1e9))
#define EXTENT(help_) VECTOR("extent", extent, 1, 1, 1, "m", RERUN, help_, IN(1e-9, 1e9))
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
static const pl__field block_rows[] = {
    EXTENT("edge lengths along x, y and z"),
    NUMBER("rounding", rounding, 0, "m", RERUN, "radius of its edges, up to half the smallest extent", IN(0, 1e9))};
static const pl__field ellipsoid_rows[] = {EXTENT("its axes from end to end")};
static const pl__field capsule_rows[] = {
    LENGTH("radius", radius, 0.25, "radius"),
    LENGTH("height", height, 1, "along y, from tip to tip; at least twice the radius")};
static const pl__field rod_rows[] = {LENGTH("radius", radius, 0.5, "radius"), LENGTH("height", height, 1, "along y")};
static const pl__field cone_rows[] = {
    LENGTH("radius", radius, 0.5, "at the bottom"), LENGTH("height", height, 1, "along y"),
    NUMBER("top_radius", top_radius, 0, "m", RERUN, "at the top; 0: pointed", IN(0, 1e9))};
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
#include "contact/gear_fields.inl"
};
static const pl__table gear_table = TABLE(NULL, gear_rows);
#undef OWNER

#define OWNER pl__file_stairs
static const pl__field stairs_rows[] = {
#include "contact/stairs_fields.inl"
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
     TO(1e9)},
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
    MEASURED("cell", cell, "m", "1/64 of its longest side", RERUN, "of the grid", IN(1e-9, 1e9)),
};
static const pl__table object_surface_table = TABLE(NULL, object_surface_rows, .bare = "file");
#undef OWNER

#define OWNER pl__file_actor
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
    MEASURED("depth", depth, "m", "the mean length of its edges", RERUN,
             "behind an open surface, so much is inside; what is farther behind is let through", IN(1e-9, 1e9)),
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
#include "pin_fields.inl"
    PATH("cache", cache, RERUN,
         "a .pc2 point cache to follow, in world coordinates: a point per node of the body, or per selected node"),
};
const pl__table pl__pin_table =
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
static const char *const element_names[] = {"tet", "hex", NULL};
static const pl__field body_rows[] = {
#include "body_fields.inl"
    COLOR(color, 0, 0, 0, "in pictures", "of its material"),
    COLOR(inside_color, 0, 0, 0, "in pictures, of what cracks and cuts lay open", "`color`"),
    SWITCH("visible", visible, 1, ANY, "shown in pictures"),
};
const pl__table pl__body_table =
    TABLE("Bodies", body_rows,
          .help = "What bends. Exactly one of `shape`, `mesh`, `surface` and `liquid` says where it comes from.");
#undef OWNER

// ---- objects ---------------------------------------------------------------------------------------------------

#define OWNER pl__file_object
static const pl__field object_rows[] = {
    RECORD("shape", shape, object_shape_table, RERUN, "its shape"),
    TEXT("body", body, RERUN,
         "instead: a body, solid or shell, that the others bump into; it feels nothing of them, and itself nothing of "
         "it"),
#include "contact/object_fields.inl"
    COLOR(color, 0.72, 0.72, 0.7, "in pictures", NULL),
    SWITCH("visible", visible, 1, ANY, "shown in pictures"),
    SWITCH("transparent", transparent, 0, ANY, "of glass in pictures, so that one sees what is in it; not planes"),
};
const pl__table pl__object_table = TABLE(
    "Objects", object_rows,
    .help = "What bodies bump into, and what does not notice. Exactly one of `shape` and `body` says what it is.");
#undef OWNER

#define OWNER pl__file_heat
static const pl__field heat_rows[] = {
#include "heat_fields.inl"
};
const pl__table pl__heat_table = TABLE(
    "Heat", heat_rows,
    .help =
        "Sources of heat: balls that warm what is in them, of materials with `melting` ([fracture.md](fracture.md)).");
#undef OWNER

#define OWNER pl__file_domain
static const char *const side_names[] = {"-x", "+x", "-y", "+y", "-z", "+z", NULL};
static const pl__field domain_rows[] = {
    {.name = "box",
     .kind = PL__FIELD_BOX,
     AT(box),
     .components = 3,
     .unit = "m",
     .when = RERUN,
     WITHIN(1e9),
     .fallback_text = "around the liquids",
     .help = "[[x, y, z], [x, y, z]]: its corners; rounded to whole cells, the lower corner stays. Without it the box "
             "begins around the liquids, and its sides move away from them, but for a bottom on the floor or below "
             "everything"},
#include "domain_fields.inl"
    CHOICES("open", open, side_names, 0, RERUN, "sides that liquid may leave through; the others are walls", "none"),
    CHOICES("grow", grow, side_names, 0, RERUN,
            "sides that move away when liquid comes near them, so that none ever gets there",
            "none; without a `box` all but the bottom"),
    MEASURED("level", level, "m", "none: air", RERUN,
             "height of water beyond the open sides along x and z, which stays there: liquid comes in and leaves, and "
             "waves die out along these sides",
             WITHIN(1e9)),
};
const pl__table pl__domain_table = TABLE(
    "Domain", domain_rows, .optional = true,
    .help = "The box that liquids may fill, of cubic cells. A scene with `liquids` needs one; cells that no liquid "
            "is in or near cost next to nothing.");
#undef OWNER

#define OWNER pl__file_liquid
static const pl__field liquid_rows[] = {
    RECORD("shape", shape, object_shape_table, RERUN,
           "where it is at the start, comes in or leaves, but for what is inside an object or outside the domain; any "
           "but an `actor`"),
    TEXT(
        "body", body, RERUN,
        "instead: a body, solid, that becomes this liquid at `start`, with its shape and velocity as they are then, or "
        "when it has `melted`"),
    TEXT("of", of, RERUN,
         "a liquid above of which this is more: its numbers hold, from `density` to `hardening`; default: it has its "
         "own"),
#include "liquid_fields.inl"
    COLOR(color, 0.2, 0.45, 0.7, "in pictures", NULL),
    NUMBER("turbidity", turbidity, 0, "1/m", ANY,
           "in pictures: how fast light is lost in it beyond what clear water takes, and its color is seen instead; a "
           "river 2, milk 1000",
           FROM(0), TO(1e6)),
    SWITCH("visible", visible, 1, ANY, "shown in pictures"),
};
const pl__table pl__liquid_table = TABLE(
    "Liquids", liquid_rows,
    .help =
        "What flows, in the `domain`. Exactly one of `shape`, `level` and `body` says where it is at the start, or "
        "where it "
        "comes from; sources and drains, `kind`, have a `shape`. What has the numbers of another from `density` to "
        "`hardening`, and no "
        "keys of them, is more of that liquid; what has others is a liquid of its own, at most 16 in a scene. "
        "Where two are in one place at the start, the later one is there. `strain`, `shear` and what follows are the "
        "same for all.");
#undef OWNER

#define OWNER pl__file_vortices
static const pl__field vortices_rows[] = {
    TEXT("on", on, RERUN, "an object that they are born behind: `at` moves and turns with it; default: none"),
#include "vortices_fields.inl"
};
const pl__table pl__vortices_table = TABLE(
    "Vortices", vortices_rows,
    .help = "Balls in which vortex particles are born. These go with the liquid and turn it, as what a propeller does "
            "or a grid is too coarse for; only where its cells are cubes ([liquids.md](liquids.md)).");
#undef OWNER

#define OWNER pl__file_air
static const pl__field air_rows[] = {
#include "air_fields.inl"
};
const pl__table pl__air_table =
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
static const pl__field solver_rows[] = {
#include "solver_fields.inl"
};
const pl__table pl__solver_table =
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
                                             "speed", "plastic", "temperature", "strain",  NULL};
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
           "how far it has flowed; temperature; strain: the elastic one of liquids, the norm of its deviator"),
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
    SWITCH("cells", cells, 0, ANY,
           "draw, instead of the surface of a liquid, a slice of its cells through the middle of the domain; coloured "
           "by speed, pressure, strain or temperature, if `color_by` says so"),
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
static const char *const format_names[] = {"ply", "vtu", "pc2", "usd", "glb", "npy", "obj", "vdb", NULL};
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
#include "scene_fields.inl"
    RECORD("floor", floor, floor_table, RERUN, "level ground; without it there is none"),
    RECORD("air", air, pl__air_table, RERUN, "wind, and what drag and gas need"),
    MAP("materials", materials, pl__material_table, RERUN, "what bodies may be made of, beside the presets"),
    MAP("bodies", bodies, pl__body_table, RERUN, "what is simulated"),
    MAP("objects", objects, pl__object_table, RERUN, "what bodies bump into"),
    RECORD("domain", domain, pl__domain_table, RERUN, "the box that liquids may fill; without it there is none"),
    MAP("liquids", liquids, pl__liquid_table, RERUN, "what flows in it"),
    MAP("vortices", vortices, pl__vortices_table, RERUN, "what stirs it"),
    MAP("heat", heat, pl__heat_table, RERUN, "what warms them"),
    RECORD("solver", solver, pl__solver_table, BRANCH, "how it is solved"),
    RECORD("camera", camera, camera_table, ANY, "where pictures are taken from"),
    RECORD("look", look, look_table, ANY, "how pictures look"),
    RECORD("output", output, output_table, ANY, "what a run leaves"),
};
const pl__table pl__scene_table = TABLE("Scene", scene_rows,
                                        .help = "A scene is one JSON object; comments (`//`, `/* */`) and trailing "
                                                "commas are fine. `bodies` or `liquids` must be there.");
#undef OWNER

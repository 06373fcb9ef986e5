// src/scene/file.h -- structs that mirror a scene file, with defaults filled in.
//
// Every struct begins with a pl__record and is described by a table of src/scene/tables.c; the members mirror the keys
// of the file one by one. Those that are fields of a definition come from its table, *_fields.inl.
#ifndef PL_SCENE_FILE_H
#define PL_SCENE_FILE_H

#include "record.h"
#include <pliant/export.h>
#include <pliant/liquid.h>
#include <pliant/scene.h>

#define PL_FIELD(kind, name, ...) PL__MEMBER_##kind(name)
#define PL_KEY(...)

typedef struct pl__file_material
{
    pl__record record;
    const char *like;
    int32_t model; // a pl_material_kind
#include "material/material_fields.inl"
    double color[3];
} pl__file_material;

// Shapes of bodies; `record.which` is the one given.
typedef struct pl__file_shape
{
    pl__record record;
    struct
    {
        pl__record record;
        double extent[3];
        int32_t cut;
    } box;
    struct
    {
        pl__record record;
        double radius, tube, height;
    } round; // sphere, torus, cylinder, disk, tube, half torus
    struct
    {
        pl__record record;
        pl__rows parts;
        double blend, relief, relief_length;
    } blobs;
    struct
    {
        pl__record record;
        double extent[2];
        int32_t pattern;
    } sheet; // and rectangle
} pl__file_shape;

// Sizes of objects; which ones are used depends on the shape.
typedef struct pl__file_solid
{
    pl__record record;
    double normal[3], angle, extent[3], rounding, radius, top_radius, height, tube;
} pl__file_solid;

typedef struct pl__file_gear
{
    pl__record record;
#include "contact/gear_fields.inl"
} pl__file_gear;

typedef struct pl__file_stairs
{
    pl__record record;
#include "contact/stairs_fields.inl"
} pl__file_stairs;

typedef struct pl__file_terrain
{
    pl__record record;
    pl__rows heights;
    double extent[2];
} pl__file_terrain;

typedef struct pl__file_object_surface
{
    pl__record record;
    const char *file;
    double height, scale, cell;
    int32_t up, anchor, lookup;
} pl__file_object_surface;

typedef struct pl__file_actor
{
    pl__record record;
    const char *file, *cache;
    int32_t samples, up;
    double rate, start, scale, depth;
} pl__file_actor;

typedef struct pl__file_parts
{
    pl__record record;
    pl__items parts; // pl__file_part
} pl__file_parts;

// The shape of an object; `record.which` is a pl_object_kind.
typedef struct pl__file_object_shape
{
    pl__record record;
    pl__file_solid solid; // the simple ones
    pl__file_gear gear;
    pl__file_stairs stairs;
    pl__file_terrain terrain;
    pl__file_object_surface surface;
    pl__file_parts parts; // of a union or difference
    pl__file_actor actor;
} pl__file_object_shape;

typedef struct pl__file_part
{
    pl__record record;
    pl__file_object_shape shape;
    double at[3], rotate[3];
} pl__file_part;

typedef struct pl__file_selection
{
    pl__record record;
    double box[6];
    struct
    {
        pl__record record;
        double center[3], radius, at[3], normal[3];
    } region; // sphere, plane
    const char *group;
    pl__integers nodes;
} pl__file_selection;

typedef struct pl__file_paint
{
    pl__record record;
    const char *attribute;
    pl__rows map;
} pl__file_paint;

typedef struct pl__file_paints
{
    pl__record record;
    pl__file_paint young, density, damping;
} pl__file_paints;

typedef struct pl__file_pin
{
    pl__record record;
    const char *select;
#include "pin_fields.inl"
    const char *cache;
} pl__file_pin;

typedef struct pl__file_start
{
    pl__record record;
    double scale[3], scramble;
    int32_t seed;
} pl__file_start;

// Fibre directions: constant, from an attribute of the file, or along a potential between two selections.
typedef struct pl__file_fibers
{
    pl__record record;
    double along[3];
    const char *attribute, *from, *to;
} pl__file_fibers;

// Target shape of plastic flow.
typedef struct pl__file_goal
{
    pl__record record;
    const char *mesh;
    double scale[3], twist;
} pl__file_goal;

// Friction of a body with the body or object that the record is named after.
typedef struct pl__file_rub
{
    pl__record record;
    double friction;
} pl__file_rub;

typedef struct pl__file_body
{
    pl__record record;
#include "body_fields.inl"
    int32_t elements, keep_facing, up, anchor, fracture_seed;
    pl__file_fibers fibers;
    pl__file_goal goal;
    pl__file_shape shape;
    const char *mesh, *surface, *liquid;
    double sets;
    double size, surface_size, height, scale, jitter;
    int32_t resolution, snug, seed, visible;
    double color[3], inside_color[3];
    pl__file_material material;
    pl__items select;        // pl__file_selection
    pl__items vary;          // pl__file_material, named by selections
    pl__items friction_with; // pl__file_rub
    pl__file_paints paint;
    pl__items pins; // pl__file_pin
    pl__file_start start;
} pl__file_body;

typedef struct pl__file_object
{
    pl__record record;
    pl__file_object_shape shape;
    const char *body;
#include "contact/object_fields.inl"
    double color[3];
    int32_t visible, transparent;
} pl__file_object;

typedef struct pl__file_heat
{
    pl__record record;
#include "heat_fields.inl"
} pl__file_heat;

typedef struct pl__file_domain
{
    pl__record record;
    double box[6];
    uint32_t open;
    uint32_t grow; // bit mask by pl_side
    double level;
#include "domain_fields.inl"
} pl__file_domain;

typedef struct pl__file_liquid
{
    pl__record record;
    pl__file_object_shape shape;
    const char *of, *body;
#include "liquid_fields.inl"
    double color[3], turbidity;
    int32_t visible;
} pl__file_liquid;

typedef struct pl__file_vortices
{
    pl__record record;
    const char *on;
#include "vortices_fields.inl"
} pl__file_vortices;

typedef struct pl__file_air
{
    pl__record record;
#include "air_fields.inl"
} pl__file_air;

typedef struct pl__file_floor
{
    pl__record record;
    double height;
    pl__keyed_value friction;
    double color[3];
    int32_t grid;
} pl__file_floor;

typedef struct pl__file_solver
{
    pl__record record;
#include "solver_fields.inl"
} pl__file_solver;

typedef struct pl__file_camera
{
    pl__record record;
    pl__keyed_value from, fov;
    pl__target look_at;
} pl__file_camera;

// Coloring of pictures; the names match those of fields of bodies and liquids.
typedef enum pl__color_by
{
    PL__COLOR_BODY,
    PL__COLOR_J,
    PL__COLOR_STRESS,
    PL__COLOR_STRETCH,
    PL__COLOR_PRESSURE,
    PL__COLOR_SPEED,
    PL__COLOR_PLASTIC,
    PL__COLOR_TEMPERATURE,
    PL__COLOR_STRAIN
} pl__color_by;

typedef struct pl__file_look
{
    pl__record record;
    double size[2], background[3], light[3], range[2];
    double light_strength, sky_strength;
    int32_t samples, color_by, color_map, wireframe, cells, contacts, caption;
} pl__file_look;

typedef enum pl__movie_kind
{
    PL__MOVIE_WEBP,
    PL__MOVIE_MP4,
    PL__MOVIE_NONE
} pl__movie_kind;

typedef struct pl__file_output
{
    pl__record record;
    int32_t movie, pictures;
    int32_t objects;
    uint32_t formats, attributes;
    double checkpoint_every;
} pl__file_output;

typedef struct pl__scene_file
{
    pl__record record;
    int32_t frames;
    double fps, time_scale;
#include "scene_fields.inl"
    pl__file_floor floor;
    pl__file_air air;
    pl__items materials; // pl__file_material
    pl__items bodies;    // pl__file_body
    pl__items objects;   // pl__file_object
    pl__file_domain domain;
    pl__items liquids;  // pl__file_liquid
    pl__items vortices; // pl__file_vortices
    pl__items heat;     // pl__file_heat
    pl__file_solver solver;
    pl__file_camera camera;
    pl__file_look look;
    pl__file_output output;
} pl__scene_file;

#undef PL_FIELD
#undef PL_KEY

extern const pl__table pl__scene_table, pl__material_table, pl__body_table, pl__pin_table, pl__object_table,
    pl__heat_table, pl__domain_table, pl__liquid_table, pl__vortices_table, pl__air_table, pl__solver_table;
// Name by PL__BODY_BOX and so on.
const char *pl__body_shape_name(int32_t which);
// Name as in scenes.
const char *pl__object_kind_name(pl_object_kind kind);

// Shapes, in the order of the rows of the tables.
enum
{
    PL__BODY_BOX,
    PL__BODY_SPHERE,
    PL__BODY_TORUS,
    PL__BODY_CYLINDER,
    PL__BODY_BLOBS,
    PL__BODY_SHEET,
    PL__BODY_DISK,
    PL__BODY_TUBE,
    PL__BODY_HALF_TORUS,
    PL__BODY_RECTANGLE
};
enum
{
    PL__SELECT_BOX,
    PL__SELECT_WORLD_BOX,
    PL__SELECT_SPHERE,
    PL__SELECT_PLANE,
    PL__SELECT_GROUP,
    PL__SELECT_NODES
};

#endif

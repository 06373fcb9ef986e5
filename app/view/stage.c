// app/view/stage.c -- the world as bytes for pages.
//
// Binary parcels are: what kind (1 topology, 2 frame), how many bytes of JSON, the JSON, filled with blanks to a
// multiple of four, then numbers, in the byte order of every machine that browsers run on.
//
//     topology   triangles of bodies; vertices and triangles of objects, in their own frames
//     frame      per body: positions, normals and, where it is coloured by a field, values; then the vertices of objects that bend; then
//                per flow: positions; of points radii, of others normals, values as above, and triangles
//
// Topology is sent once per version. A flow, such as a liquid, is another mesh, or other points, in every frame; the
// JSON of the frame tells how many vertices and triangles. Where objects are is a matrix of each, of planes a point and
// a normal, in the JSON of every frame.
#include "view.h"
#include "drawables.h"
#include "objects.h"
#include "pictures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
    KIND_TOPOLOGY = 1,
    KIND_FRAME = 2,
    SHOWN_PINS = 300
};

// ---- JSON --------------------------------------------------------------------------------------------------------

static void add_vector(text *t, const double v[3])
{
    for (int i = 0; i < 3; ++i)
    {
        text_put(t, i ? "," : "[");
        text_number(t, v[i]);
    }
    text_put(t, "]");
}

static void add_key(text *t, const char *key)
{
    text_add(t, "%s\"%s\":", t->at[t->length - 1] == '{' || t->at[t->length - 1] == '[' ? "" : ",", key);
}

static void add_number(text *t, const char *key, double value)
{
    add_key(t, key);
    text_number(t, value);
}

static void add_text(text *t, const char *key, const char *value)
{
    add_key(t, key);
    text_quoted(t, value);
}

static void add_flag(text *t, const char *key, bool value)
{
    add_key(t, key);
    text_put(t, value ? "true" : "false");
}

static void begin_item(text *t) { text_put(t, t->at[t->length - 1] == '[' ? "{" : ",{"); }

// ---- parcels -----------------------------------------------------------------------------------------------------

// A parcel with its JSON in place and room for `bytes` of numbers, which begin at `*numbers`. NULL when out of memory;
// frees the text.
static parcel *wrap(uint32_t kind, text *json, size_t bytes, unsigned char **numbers)
{
    while (json->length % 4 != 0)
        text_put(json, " ");
    uint32_t head[2] = {kind, (uint32_t)json->length};
    parcel *p = json->failed ? NULL : parcel_make(false, NULL, sizeof head + json->length + bytes);
    if (p)
    {
        memcpy(p->bytes, head, sizeof head);
        memcpy(p->bytes + sizeof head, json->at, json->length);
        *numbers = p->bytes + sizeof head + json->length;
    }
    text_free(json);
    return p;
}

// ---- objects -----------------------------------------------------------------------------------------------------

// What a page draws for an object.
typedef enum
{
    DRAWN_NOT,
    DRAWN_PLANES,
    DRAWN_RIDGE,
    DRAWN_SURFACE,
    DRAWN_BENDING
} drawn_kind;

typedef struct
{
    const pl__file_object *file; // NULL: the floor
    pl_object_def state;
    drawn_kind drawn;
    const pl_surface *surface;
    double color[3];
} object_look;

static drawn_kind how_drawn(const pl_object_def *state)
{
    if (state->kind == PL_OBJECT_PLANE || (state->kind == PL_OBJECT_WEDGE && state->angle >= 180))
        return DRAWN_PLANES;
    if (state->kind == PL_OBJECT_WEDGE)
        return DRAWN_RIDGE;
    if (state->kind == PL_OBJECT_BODY || object_is_endless(state))
        return DRAWN_NOT;
    return state->kind == PL_OBJECT_ACTOR ? DRAWN_BENDING : DRAWN_SURFACE;
}

static object_look look_at_object(view *v, int32_t i)
{
    const pl__scene_file *file = &v->s.source->file;
    bool has_floor = file->floor.record.json != NULL, is_floor = has_floor && i == 0;
    object_look o = {.file = is_floor ? NULL : pl__source_object(v->s.source, i - has_floor)};
    if (pl_object_read(v->s.world, (pl_object_id){i + 1}, &o.state) != PL_OK || (o.file && !o.file->visible))
        return o;
    memcpy(o.color, is_floor ? file->floor.color : o.file->color, sizeof o.color);
    o.drawn = how_drawn(&o.state);
    bool triangles = o.drawn == DRAWN_SURFACE || o.drawn == DRAWN_BENDING;
    if (triangles && (!object_surface(&v->s, i, &o.surface) || !o.surface))
        o.drawn = DRAWN_NOT;
    return o;
}

// A valley is two planes, each hidden where it is below the other.
static int plane_count(const object_look *o)
{
    return o->drawn != DRAWN_PLANES ? 0 : o->state.kind == PL_OBJECT_PLANE ? 1 : 2;
}

static void plane_normal(const object_look *o, int k, double normal[3])
{
    double half = 0.5 * o->state.angle * M_PI / 180;
    double n[3] = {k ? cos(half) : -cos(half), sin(half), 0};
    pl_points_rotate(o->state.rotate, n, 1);
    memcpy(normal, o->state.kind == PL_OBJECT_PLANE ? o->state.normal : n, sizeof n);
}

// `usual`: nobody has chosen its colour, and pages may.
static void add_planes(view *v, text *t, const object_look *o)
{
    const pl__file_floor *floor = &v->s.source->file.floor;
    for (int k = 0; k < plane_count(o); ++k)
    {
        begin_item(t);
        add_key(t, "color");
        add_vector(t, o->color);
        add_flag(t, "grid", !o->file && floor->grid);
        add_flag(t, "usual", !o->file && !pl__given(&floor->record, "color"));
        text_put(t, "}");
    }
}

// Where they are: a point and a normal of each.
static void add_grounds(text *t, const object_look *o)
{
    for (int k = 0; k < plane_count(o); ++k)
    {
        double normal[3];
        plane_normal(o, k, normal);
        text_put(t, t->at[t->length - 1] == '[' ? "[" : ",[");
        add_vector(t, o->state.at);
        text_put(t, ",");
        add_vector(t, normal);
        text_put(t, "]");
    }
}

static const int32_t ridge_triangle[12] = {0, 1, 3, 0, 3, 2, 2, 3, 5, 2, 5, 4};

// A ridge goes on for ever; a hundred metres are for ever enough.
static void ridge_vertices(const pl_object_def *state, float *to)
{
    double far = 100, half = 0.5 * state->angle * M_PI / 180;
    for (int i = 0; i < 6; ++i, to += 3)
    {
        double side = i / 2 - 1;
        to[0] = (float)(side * far * sin(half));
        to[1] = (float)(side != 0 ? -far * cos(half) : 0);
        to[2] = (float)(i % 2 ? far : -far);
    }
}

static int32_t vertex_count(const object_look *o)
{
    return o->drawn == DRAWN_RIDGE ? 6 : pl_surface_node_count(o->surface);
}
static int32_t triangle_count(const object_look *o)
{
    return o->drawn == DRAWN_RIDGE ? 4 : pl_surface_triangle_count(o->surface);
}

static void add_object(text *t, const char *name, const object_look *o)
{
    begin_item(t);
    add_text(t, "name", name);
    add_number(t, "vertices", vertex_count(o));
    add_number(t, "triangles", triangle_count(o));
    add_flag(t, "bends", o->drawn == DRAWN_BENDING);
    add_flag(t, "transparent", o->file && o->file->transparent);
    add_key(t, "color");
    add_vector(t, o->color);
    text_put(t, "}");
}

static unsigned char *put_object(unsigned char *to, const object_look *o)
{
    size_t numbers = 3 * (size_t)vertex_count(o), indices = 3 * (size_t)triangle_count(o);
    float *x = (float *)(void *)to;
    if (o->drawn == DRAWN_RIDGE)
        ridge_vertices(&o->state, x);
    for (size_t k = 0; o->surface && k < numbers; ++k)
        x[k] = (float)pl_surface_positions(o->surface)[k];
    to += numbers * sizeof *x;
    memcpy(to, o->surface ? pl_surface_triangles(o->surface) : ridge_triangle, indices * sizeof(int32_t));
    return to + indices * sizeof(int32_t);
}

// Row by row, what takes the object's own frame to the world's.
static void add_matrix(text *t, const pl_object_def *state)
{
    double column[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    pl_points_rotate(state->rotate, column[0], 3);
    text_put(t, t->at[t->length - 1] == '[' ? "[" : ",[");
    for (int row = 0; row < 3; ++row)
        for (int k = 0; k < 4; ++k)
        {
            text_put(t, row || k ? "," : "");
            text_number(t, (double)(float)(k < 3 ? column[k][row] : state->at[row]));
        }
    text_put(t, "]");
}

// ---- drawables ---------------------------------------------------------------------------------------------------

// Triangles that no crack laid open.
static int32_t outer_count(const drawable *b)
{
    int32_t count = 0;
    for (int32_t t = 0; t < b->d.triangle_count; ++t)
        count += !b->source || b->source[t] >= 0;
    return count;
}

static bool is_flow(const pl_drawable *d) { return d->radii || d->look == PL_LOOK_WATER; }

// A drawable that is shown, and keeps its triangles for a while; or a flow.
static bool look_at(view *v, int32_t i, drawable *b)
{
    return drawable_at(&v->s, i, b) && b->visible && !is_flow(&b->d);
}
static bool look_at_flow(view *v, int32_t i, drawable *b)
{
    return drawable_at(&v->s, i, b) && b->visible && is_flow(&b->d);
}

void stage_bounds(const view *v, double lower[3], double upper[3])
{
    for (int i = 0; i < 3; ++i)
    {
        lower[i] = INFINITY;
        upper[i] = -INFINITY;
    }
    drawable_extend_by_domain(&v->s, lower, upper);
    for (int32_t i = 0; i < pl_world_drawable_count(v->s.world); ++i)
    {
        pl_drawable d;
        if (pl_world_drawable(v->s.world, i, &d) != PL_OK)
            continue;
        double *x = malloc((3 * (size_t)d.vertex_count + 1) * sizeof *x);
        bool good = x && pl_drawable_read(v->s.world, i, x, NULL, NULL) == PL_OK;
        for (size_t k = 0; good && k < 3 * (size_t)d.vertex_count; ++k)
        {
            lower[k % 3] = fmin(lower[k % 3], x[k]);
            upper[k % 3] = fmax(upper[k % 3], x[k]);
        }
        free(x);
    }
    for (int i = 0; i < 3; ++i)
        if (!(lower[i] <= upper[i]))
        {
            lower[i] = -0.5;
            upper[i] = 0.5;
        }
}

static bool is_coloured(const view *v) { return strcmp(v->color, "body") != 0; }

static unsigned char *put_drawable(view *v, unsigned char *to, const drawable *b)
{
    size_t numbers = 3 * (size_t)b->d.vertex_count;
    float *x = (float *)(void *)to, *normal = x + numbers, *values = normal + numbers;
    if (!drawable_floats(&v->s, b, x, normal))
        memset(x, 0, 2 * numbers * sizeof *x);
    if (!is_coloured(v))
        return (unsigned char *)values;
    if (!drawable_field(&v->s, b, v->color, values))
        memset(values, 0, (size_t)b->d.vertex_count * sizeof *values);
    return (unsigned char *)(values + b->d.vertex_count);
}

// ---- topology ----------------------------------------------------------------------------------------------------

uint32_t stage_version(const view *v)
{
    uint32_t version = v->generation + 1; // 0: what a page knows that has just come
    for (int32_t i = 0; i < pl_world_drawable_count(v->s.world); ++i)
    {
        pl_drawable d;
        if (pl_world_drawable(v->s.world, i, &d) == PL_OK && !is_flow(&d))
            version = 31 * version + d.version;
    }
    return version;
}

static size_t add_drawables(view *v, text *t)
{
    size_t bytes = 0;
    text_put(t, ",\"bodies\":[");
    for (int32_t i = 0; i < drawable_count(&v->s); ++i)
    {
        drawable b;
        if (!look_at(v, i, &b))
            continue;
        begin_item(t);
        add_text(t, "name", b.d.name);
        add_number(t, "vertices", b.d.vertex_count);
        add_number(t, "triangles", b.d.triangle_count);
        add_flag(t, "cells", b.cells);
        add_flag(t, "thin", b.thin);
        add_key(t, "color");
        add_vector(t, b.color);
        add_number(t, "outer", outer_count(&b));
        add_key(t, "inside");
        add_vector(t, b.inside);
        text_put(t, "}");
        bytes += 3 * (size_t)b.d.triangle_count * sizeof(int32_t);
    }
    text_put(t, "]");
    return bytes;
}

static void add_flows(view *v, text *t)
{
    text_put(t, ",\"flows\":[");
    for (int32_t i = 0; i < drawable_count(&v->s); ++i)
    {
        drawable b;
        if (!look_at_flow(v, i, &b))
            continue;
        begin_item(t);
        add_text(t, "name", b.d.name);
        add_flag(t, "points", b.d.radii);
        add_flag(t, "spray", b.d.look == PL_LOOK_SPRAY);
        add_number(t, "opacity", b.d.opacity);
        add_key(t, "color");
        add_vector(t, b.color);
        text_put(t, "}");
    }
    text_put(t, "]");
}

static size_t add_objects(view *v, text *t)
{
    size_t bytes = 0;
    text_put(t, ",\"planes\":[");
    for (int32_t i = 0; i < pl_world_object_count(v->s.world); ++i)
    {
        object_look o = look_at_object(v, i);
        add_planes(v, t, &o);
    }
    text_put(t, "],\"objects\":[");
    for (int32_t i = 0; i < pl_world_object_count(v->s.world); ++i)
    {
        object_look o = look_at_object(v, i);
        if (o.drawn <= DRAWN_PLANES)
            continue;
        add_object(t, pl_world_object_name(v->s.world, i), &o);
        bytes += 12 * ((size_t)vertex_count(&o) + (size_t)triangle_count(&o));
    }
    text_put(t, "]");
    return bytes;
}

// Triangles of the outside first.
static unsigned char *put_triangles(unsigned char *to, const drawable *b)
{
    int32_t *outer = (int32_t *)(void *)to, *inner = outer + 3 * (size_t)outer_count(b);
    for (int32_t t = 0; t < b->d.triangle_count; ++t)
    {
        int32_t **at = b->source && b->source[t] < 0 ? &inner : &outer;
        memcpy(*at, &b->d.triangles[3 * (size_t)t], 3 * sizeof **at);
        *at += 3;
    }
    return to + 3 * (size_t)b->d.triangle_count * sizeof *outer;
}

parcel *stage_topology(view *v)
{
    text t = {0};
    unsigned char *to;
    text_add(&t, "{\"version\":%u", v->topology_version);
    size_t bytes = add_drawables(v, &t);
    bytes += add_objects(v, &t);
    add_flows(v, &t);
    text_put(&t, "}");
    parcel *p = wrap(KIND_TOPOLOGY, &t, bytes, &to);
    for (int32_t i = 0; p && i < drawable_count(&v->s); ++i)
    {
        drawable b;
        if (look_at(v, i, &b))
            to = put_triangles(to, &b);
    }
    for (int32_t i = 0; p && i < pl_world_object_count(v->s.world); ++i)
    {
        object_look o = look_at_object(v, i);
        if (o.drawn > DRAWN_PLANES)
            to = put_object(to, &o);
    }
    return p;
}

// ---- frames ------------------------------------------------------------------------------------------------------

static void add_figures(const view *v, text *t)
{
    const pl_step_info *i = &v->info;
    text_put(t, ",\"figures\":{");
    add_number(t, "kinetic", i->kinetic);
    add_number(t, "elastic", i->elastic);
    add_number(t, "gravity", i->gravity);
    add_number(t, "volume", i->volume_error);
    add_number(t, "inverted", i->inverted);
    add_number(t, "contacts", i->contacts);
    add_number(t, "iterations", v->last_iterations);
    add_number(t, "substeps", i->substeps);
    add_number(t, "liquid", i->liquid_volume);
    add_number(t, "spray", i->liquid_spray);
    add_number(t, "drift", i->liquid_drift);
    add_number(t, "cost", v->replay ? 0 : 1e3 * v->last_tick_seconds);
    text_put(t, "}");
}

static void add_hands(const view *v, text *t)
{
    text_put(t, ",\"hands\":[");
    for (int32_t i = 0; i < RELAY_PAGES; ++i)
        for (int32_t k = 0; k < MESSAGE_HANDS; ++k)
        {
            double at[3];
            const hand *h = &v->page[i].hand[k];
            if (!h->tool || !h->grab.index || pl_world_grab_read(v->s.world, h->grab, at) != PL_OK)
                continue;
            text_put(t, t->at[t->length - 1] == '[' ? "[" : ",[");
            add_vector(t, at);
            text_put(t, ",");
            add_vector(t, h->to);
            text_put(t, "]");
        }
    text_put(t, "],\"pins\":[");
    for (int32_t i = 0; i < v->held_count && i < SHOWN_PINS; ++i)
    {
        const double *x = pl_body_positions(v->s.world, v->held[i].body);
        const int32_t *order = pl_body_node_order(v->s.world, v->held[i].body);
        text_put(t, t->at[t->length - 1] == '[' ? "" : ",");
        if (x)
            add_vector(t, &x[3 * (size_t)order[v->held[i].node]]);
    }
    text_put(t, "]");
}

static void add_state(const view *v, text *t)
{
    text_add(t, "{\"serial\":%llu", (unsigned long long)v->serial);
    add_number(t, "topology", v->topology_version);
    add_number(t, "time", pl_world_time(v->s.world));
    add_number(t, "frame", v->frame);
    add_flag(t, "playing", v->playing);
    add_number(t, "speed", v->speed);
    add_number(t, "factor", v->factor);
    add_flag(t, "behind", v->behind);
    add_flag(t, "recording", record_is_on(v));
    add_text(t, "color", v->color);
    add_flag(t, "values", is_coloured(v));
}

// Objects: planes, matrices of the others, and how many bytes those that bend need.
static size_t add_places(view *v, text *t)
{
    size_t bytes = 0;
    text_put(t, ",\"grounds\":[");
    for (int32_t i = 0; i < pl_world_object_count(v->s.world); ++i)
    {
        object_look o = look_at_object(v, i);
        add_grounds(t, &o);
    }
    text_put(t, "]");
    text_put(t, ",\"places\":[");
    for (int32_t i = 0; i < pl_world_object_count(v->s.world); ++i)
    {
        object_look o = look_at_object(v, i);
        if (o.drawn <= DRAWN_PLANES)
            continue;
        add_matrix(t, &o.state);
        bytes += o.drawn == DRAWN_BENDING ? 12 * (size_t)vertex_count(&o) : 0;
    }
    text_put(t, "]");
    return bytes;
}

// How many vertices and triangles flows have, and how many bytes these need.
static size_t add_flow_counts(view *v, text *t)
{
    size_t bytes = 0;
    text_put(t, ",\"flows\":[");
    for (int32_t i = 0; i < drawable_count(&v->s); ++i)
    {
        drawable b;
        if (!look_at_flow(v, i, &b))
            continue;
        size_t floats = b.d.radii ? 4 : is_coloured(v) ? 7 : 6;
        bytes += floats * sizeof(float) * (size_t)b.d.vertex_count;
        bytes += 3 * sizeof(int32_t) * (size_t)b.d.triangle_count;
        text_put(t, t->at[t->length - 1] == '[' ? "" : ",");
        text_add(t, "[%d,%d]", b.d.vertex_count, b.d.triangle_count);
    }
    text_put(t, "]");
    return bytes;
}

static unsigned char *put_flow(view *v, unsigned char *to, const drawable *b)
{
    float *x = (float *)(void *)to;
    size_t count = (size_t)b->d.vertex_count;
    if (!b->d.radii)
        return put_triangles(put_drawable(v, to, b), b);
    if (!drawable_floats(&v->s, b, x, NULL))
        memset(x, 0, 3 * count * sizeof *x);
    for (size_t i = 0; i < count; ++i)
        x[3 * count + i] = (float)b->d.radii[i];
    return (unsigned char *)(x + 4 * count);
}

static unsigned char *put_flows(view *v, unsigned char *to)
{
    for (int32_t i = 0; i < drawable_count(&v->s); ++i)
    {
        drawable b;
        if (look_at_flow(v, i, &b))
            to = put_flow(v, to, &b);
    }
    return to;
}

parcel *stage_frame(view *v)
{
    text t = {0};
    unsigned char *to;
    add_state(v, &t);
    add_figures(v, &t);
    add_hands(v, &t);
    size_t bytes = add_places(v, &t);
    bytes += add_flow_counts(v, &t);
    text_put(&t, "}");
    for (int32_t i = 0; i < drawable_count(&v->s); ++i)
    {
        drawable b;
        if (look_at(v, i, &b))
            bytes += (size_t)b.d.vertex_count * sizeof(float) * (is_coloured(v) ? 7 : 6);
    }
    parcel *p = wrap(KIND_FRAME, &t, bytes, &to);
    for (int32_t i = 0; p && i < drawable_count(&v->s); ++i)
    {
        drawable b;
        if (look_at(v, i, &b))
            to = put_drawable(v, to, &b);
    }
    for (int32_t i = 0; p && i < pl_world_object_count(v->s.world); ++i)
    {
        object_look o = look_at_object(v, i);
        for (size_t k = 0; o.drawn == DRAWN_BENDING && k < 3 * (size_t)vertex_count(&o); ++k, to += sizeof(float))
            *(float *)(void *)to = (float)pl_surface_positions(o.surface)[k];
    }
    if (p)
        put_flows(v, to);
    return p;
}

// ---- what there is -----------------------------------------------------------------------------------------------

// As the file says it, whatever sliders have done since.
static double written_value(const view *v, const char *path, double otherwise)
{
    for (int32_t i = 0; i < v->written_count; ++i)
        if (strcmp(v->written[i].path, path) == 0)
            return v->written[i].value;
    return otherwise;
}

static void describe_param(const view *v, text *t, const char *path, const pl_param_info *info)
{
    begin_item(t);
    add_text(t, "path", path);
    add_number(t, "value", info->value);
    add_number(t, "written", written_value(v, path, info->value));
    add_number(t, "low", info->low);
    add_number(t, "high", info->high);
    add_text(t, "unit", info->unit);
    add_flag(t, "keyed", info->keyed);
    text_put(t, "}");
}

static void describe_params(view *v, text *t)
{
    text_put(t, ",\"params\":[");
    for (int32_t i = 0; i < pl_world_param_count(v->s.world); ++i)
    {
        pl_param_info info;
        char path[160];
        if (pl_world_param_describe(v->s.world, pl_world_param_at(v->s.world, i), &info, path, sizeof path) == PL_OK &&
            info.matters)
            describe_param(v, t, path, &info);
    }
    describe_param(v, t, "solver.iterations",
                   &(pl_param_info){.value = v->iterations, .low = 1, .high = 100000, .unit = ""});
    text_put(t, "]");
}

static void describe_tools(const view *v, text *t)
{
    text_put(t, ",\"tools\":[");
    for (const tool *one = tools; one->name; ++one)
    {
        begin_item(t);
        add_text(t, "name", one->name);
        add_text(t, "title", one->title);
        add_text(t, "key", one->key);
        add_text(t, "hint", one->hint);
        add_flag(t, "objects", one->on == TOOL_ON_OBJECTS);
        add_flag(t, "anywhere", tools_reach_anywhere(v, one));
        if (tools_idle(v, one))
            add_text(t, "idle", tools_idle(v, one));
        text_put(t, "}");
    }
    text_put(t, "],\"fields\":[\"body\",\"speed\",\"strain\"");
    for (int32_t f = 0; pl_body_field_name(f); ++f)
        if (pl_body_field_components(f) == 1)
        {
            text_put(t, ",");
            text_quoted(t, pl_body_field_name(f));
        }
    text_put(t, "]");
}

static void describe_camera(view *v, text *t)
{
    const pl__file_camera *c = &v->s.source->file.camera;
    double lower[3], upper[3];
    stage_bounds(v, lower, upper);
    text_put(t, ",\"camera\":{");
    add_number(t, "fov", c->fov.value[0]);
    if (c->record.json && pl__given(&c->record, "from"))
    {
        add_key(t, "from");
        add_vector(t, c->from.value);
    }
    if (c->record.json && pl__given(&c->record, "look_at") && !c->look_at.name)
    {
        add_key(t, "at");
        add_vector(t, c->look_at.point.value);
    }
    add_key(t, "lower");
    add_vector(t, lower);
    add_key(t, "upper");
    add_vector(t, upper);
    text_put(t, "}");
}

void stage_describe(view *v, text *t)
{
    text_put(t, "{\"kind\":\"scene\"");
    add_text(t, "name", v->a->operand[0]);
    add_text(t, "mode", v->replay ? "replay" : "live");
    add_number(t, "generation", v->generation);
    add_number(t, "rate", v->rate);
    add_number(t, "fps", v->s.source->file.fps);
    add_number(t, "frames", v->replay ? v->run.last_frame : 0);
    add_number(t, "grip", v->grip);
    add_flag(t, "movies", pictures_available());
    add_text(t, "trouble", v->trouble);
    describe_tools(v, t);
    describe_params(v, t);
    describe_camera(v, t);
    text_put(t, "}");
}

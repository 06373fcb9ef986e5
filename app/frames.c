// app/frames.c -- states of a run turned into the arrays that exporters take.
//
// Arrays are made once per body and filled anew for each frame; positions come in the point order of the body's source.
#include "frames.h"
#include "base/service.h"
#include "boxes.h"
#include "color.h"
#include "drawables.h"
#include "files.h"
#include "objects.h"
#include "simulate.h"

#include <stdlib.h>
#include <string.h>

enum
{
    MOST_FIELDS = 9
};

// In the order of the choices of output.attributes.
typedef enum
{
    ATTRIBUTE_VELOCITY,
    ATTRIBUTE_J,
    ATTRIBUTE_STRESS,
    ATTRIBUTE_STRETCH,
    ATTRIBUTE_ENERGY,
    ATTRIBUTE_PRESSURE,
    ATTRIBUTE_PLASTIC,
    ATTRIBUTE_TEMPERATURE,
    ATTRIBUTE_COUNT
} attribute;

typedef struct
{
    pl_body_id id;
    int32_t object;   // or the object that it is, counted from 1
    bool grid;        // or the cells of the liquid, which are others in each frame
    boxes boxes;      // of those
    char name[80];    // of that, and of what has the name of a body without being one
    uint32_t version; // of the body's topology
    double *vertices, *velocities, *normals, *nodes, *node_velocities, *rest, *radii, *strains, *temperatures;
    double *field[MOST_FIELDS];
    pl_body_field what[MOST_FIELDS];
    double *inverted; // from J
    const char **group_names;
    int32_t *groups;       // [triangle_count] of a body that can come apart
    double *uvs;           // of one whose surface was torn
    int32_t *triangle_uvs; // [3 triangle_count]
    pl_frame_field fields[MOST_FIELDS];
} body_arrays;

typedef struct
{
    rundir *d;
    int32_t first, last;
    pl_frame frame;
    pl_frame_body *body;
    body_arrays *arrays;
    int32_t body_count;
    bool told; // why a frame could not be read, or that there was an interruption
} frame_reader;

static const pl_body_field field_of[ATTRIBUTE_COUNT] = {[ATTRIBUTE_J] = PL_FIELD_J,
                                                        [ATTRIBUTE_STRESS] = PL_FIELD_STRESS,
                                                        [ATTRIBUTE_STRETCH] = PL_FIELD_STRETCH,
                                                        [ATTRIBUTE_ENERGY] = PL_FIELD_ENERGY,
                                                        [ATTRIBUTE_PRESSURE] = PL_FIELD_PRESSURE,
                                                        [ATTRIBUTE_PLASTIC] = PL_FIELD_PLASTIC,
                                                        [ATTRIBUTE_TEMPERATURE] = PL_FIELD_TEMPERATURE};

// ---- making ----------------------------------------------------------------------------------------------------

static double *numbers(int64_t count) { return calloc((size_t)count + 1, sizeof(double)); }

static bool add_field(body_arrays *a, pl_frame_body *body, const char *name, double *values)
{
    a->fields[body->field_count++] = (pl_frame_field){.name = name, .components = 1, .per_cell = 1, .values = values};
    body->fields = a->fields;
    return values != NULL;
}

static bool make_fields(body_arrays *a, pl_frame_body *body, uint32_t attributes)
{
    int32_t count = 0;
    for (int i = ATTRIBUTE_J; i < ATTRIBUTE_COUNT; ++i)
        if (attributes >> i & 1)
        {
            a->what[count] = field_of[i];
            a->field[count] = numbers(body->cell_count);
            if (!add_field(a, body, pl_body_field_name((int32_t)field_of[i]), a->field[count++]))
                return false;
        }
    if (!(attributes >> ATTRIBUTE_J & 1))
        return true;
    a->inverted = numbers(body->cell_count);
    return add_field(a, body, "inverted", a->inverted);
}

// What the file of a carried surface had besides its points.
static bool keep_groups(body_arrays *a, pl_frame_body *body, const pl_surface *surface)
{
    body->uv_count = surface ? pl_surface_uv_count(surface) : 0;
    body->uvs = surface ? pl_surface_uvs(surface) : NULL;
    body->triangle_uvs = surface ? pl_surface_triangle_uvs(surface) : NULL;
    body->group_count = surface ? pl_surface_group_count(surface) : 0;
    body->triangle_groups = surface ? pl_surface_triangle_groups(surface) : NULL;
    a->group_names = calloc((size_t)body->group_count + 2, sizeof *a->group_names);
    for (int32_t i = 0; a->group_names && i < body->group_count; ++i)
        a->group_names[i] = pl_surface_group_name(surface, i);
    body->group_names = a->group_names;
    return a->group_names != NULL;
}

// Of a body that can come apart: triangles keep the groups of those that they are from, and what cracks lay open is a
// group, too.
static bool group_inside(body_arrays *a, pl_frame_body *body, const int32_t *source)
{
    int32_t inside = body->group_count;
    a->groups = calloc((size_t)body->triangle_count + 1, sizeof *a->groups);
    if (!a->groups)
        return false;
    for (int32_t t = 0; t < body->triangle_count; ++t)
        a->groups[t] = source[t] < 0 ? inside : body->triangle_groups ? body->triangle_groups[source[t]] : -1;
    a->group_names[body->group_count++] = "inside";
    body->triangle_groups = a->groups;
    return true;
}

// The number of texture coordinates: those of `like`, if they are the same, or new ones.
static int32_t number_uv(body_arrays *a, pl_frame_body *body, int32_t like, const double uv[2])
{
    if (like >= 0 && memcmp(&a->uvs[2 * (size_t)like], uv, 2 * sizeof *uv) == 0)
        return like;
    memcpy(&a->uvs[2 * (size_t)body->uv_count], uv, 2 * sizeof *uv);
    return body->uv_count++;
}

// Corners that a crack made have texture coordinates of their own; all caps share one.
static bool tear_uvs(body_arrays *a, pl_frame_body *body, const int32_t *source, const double *uv)
{
    int32_t cap = -1;
    size_t given = 2 * (size_t)body->uv_count;
    a->uvs = numbers((int64_t)given + 6 * (int64_t)body->triangle_count);
    a->triangle_uvs = calloc(3 * (size_t)body->triangle_count + 1, sizeof *a->triangle_uvs);
    if (!a->uvs || !a->triangle_uvs)
        return false;
    memcpy(a->uvs, body->uvs, given * sizeof *a->uvs);
    for (int32_t c = 0; c < 3 * body->triangle_count; ++c)
    {
        int32_t from = source[c / 3], *to = &a->triangle_uvs[c];
        *to = number_uv(a, body, from < 0 ? cap : body->triangle_uvs[3 * from + c % 3], &uv[2 * (size_t)c]);
        cap = from < 0 ? *to : cap;
    }
    body->uvs = a->uvs;
    body->triangle_uvs = a->triangle_uvs;
    return true;
}

static bool keep_parts(const pl_world *world, body_arrays *a, pl_frame_body *body, const pl_surface *surface)
{
    const int32_t *source = pl_body_surface_sources(world, a->id);
    if (!keep_groups(a, body, surface))
        return false;
    if (!source)
        return true;
    double *uv = numbers(6 * (int64_t)body->triangle_count);
    bool good = uv && group_inside(a, body, source) &&
                (!pl_body_read_surface_uvs(world, a->id, uv) || tear_uvs(a, body, source, uv));
    free(uv);
    return good;
}

// The nodes, elements and fields of a body, beside its surface.
static pl_status make_inside(frame_reader *r, body_arrays *a, pl_frame_body *body)
{
    session *s = r->d->s;
    uint32_t attributes = s->source->file.output.attributes;
    bool moving = attributes >> ATTRIBUTE_VELOCITY & 1;
    body->node_count = pl_body_node_count(s->world, a->id);
    body->cell_kind = pl_body_element_kind(s->world, a->id);
    body->cell_count = pl_body_element_count(s->world, a->id);
    body->cells = pl_body_elements(s->world, a->id);
    a->nodes = numbers(3 * (int64_t)body->node_count);
    a->rest = numbers(3 * (int64_t)body->node_count);
    a->node_velocities = moving ? numbers(3 * (int64_t)body->node_count) : NULL;
    if (!a->nodes || !a->rest || (moving && !a->node_velocities) || !make_fields(a, body, attributes))
        return PL_ERR_MEMORY;
    body->nodes = a->nodes;
    body->node_velocities = a->node_velocities;
    body->rest_nodes = a->rest;
    return pl_body_read_rest(s->world, a->id, a->rest);
}

// Whether some liquid remembers its shape.
static bool has_strain(const session *s)
{
    for (int32_t i = 0; i < s->source->file.liquids.count; ++i)
        if (pl__given(&pl__source_liquid(s->source, i)->record, "elasticity"))
            return true;
    return false;
}

// Whether some liquid has a temperature.
static bool has_temperature(const session *s)
{
    for (int32_t i = 0; i < s->source->file.liquids.count; ++i)
        if (pl__given(&pl__source_liquid(s->source, i)->record, "melting"))
            return true;
    return false;
}

// Whether a body has this name, also one that is liquid now.
static bool is_body(const session *s, const char *name)
{
    for (int32_t i = 0; i < s->source->file.bodies.count; ++i)
        if (strcmp(pl__source_body(s->source, i)->record.name, name) == 0)
            return true;
    return false;
}

static pl_status make_drawable(frame_reader *r, int32_t index)
{
    session *s = r->d->s;
    pl_frame_body *body = &r->body[index];
    body_arrays *a = &r->arrays[index];
    drawable d;
    bool moving = s->source->file.output.attributes >> ATTRIBUTE_VELOCITY & 1;
    if (!drawable_at(s, index, &d))
        return PL_ERR_STATE;
    a->id = d.d.body;
    a->version = d.d.version;
    snprintf(a->name, sizeof a->name, "%.15s_%s", d.d.stepper, d.d.name);
    bool taken = strcmp(d.d.stepper, "bodies") != 0 && is_body(s, d.d.name);
    *body = (pl_frame_body){.name = taken ? a->name : d.d.name,
                            .vertex_count = d.d.vertex_count,
                            .triangle_count = d.d.triangle_count,
                            .triangles = d.d.triangles};
    for (int i = 0; i < 3; ++i)
        body->color[i] = linear_light(d.color[i]);
    a->vertices = numbers(3 * (int64_t)body->vertex_count);
    a->normals = d.d.radii ? NULL : numbers(3 * (int64_t)body->vertex_count);
    a->radii = d.d.radii ? numbers(body->vertex_count) : NULL;
    a->velocities = moving ? numbers(3 * (int64_t)body->vertex_count) : NULL;
    if (!a->vertices || (!a->normals && !a->radii) || (moving && !a->velocities))
        return PL_ERR_MEMORY;
    bool liquid = d.d.look == PL_LOOK_WATER && !d.d.radii, strained = liquid && has_strain(s),
         warm = liquid && has_temperature(s);
    a->strains = strained ? numbers(body->vertex_count) : NULL;
    a->temperatures = warm ? numbers(body->vertex_count) : NULL;
    if ((strained && !a->strains) || (warm && !a->temperatures))
        return PL_ERR_MEMORY;
    body->vertex_strains = a->strains;
    body->vertex_temperatures = a->temperatures;
    body->radii = a->radii;
    body->vertices = a->vertices;
    body->normals = a->normals;
    body->vertex_velocities = a->velocities;
    if (a->id.index == 0)
        return PL_OK;
    PL_TRY(make_inside(r, a, body));
    const pl_surface *surface = d.file >= 0 ? pl__scene_body_surface(s->scene, d.file) : NULL;
    return keep_parts(s->world, a, body, surface) ? PL_OK : PL_ERR_MEMORY;
}

// An object that has an end: triangles, and nothing within.
static pl_status make_object(frame_reader *r, int32_t object, const pl_surface *surface)
{
    session *s = r->d->s;
    pl_frame_body *body = &r->body[r->body_count];
    body_arrays *a = &r->arrays[r->body_count++];
    a->object = object + 1;
    const char *name = pl_world_object_name(s->world, object); // bodies may have it, too
    snprintf(a->name, sizeof a->name, "%s%s", pl_world_find_body(s->world, name).index ? "object_" : "", name);
    a->vertices = numbers(3 * (int64_t)pl_surface_node_count(surface));
    *body = (pl_frame_body){.name = a->name,
                            .vertex_count = pl_surface_node_count(surface),
                            .vertices = a->vertices,
                            .triangle_count = pl_surface_triangle_count(surface),
                            .triangles = object_triangles(s, object)};
    int32_t of_file = object - (s->source->file.floor.record.json != NULL);
    for (int i = 0; of_file >= 0 && i < 3; ++i)
        body->color[i] = linear_light(pl__source_object(s->source, of_file)->color[i]);
    return a->vertices ? PL_OK : PL_ERR_MEMORY;
}

static void arrays_free(body_arrays *a)
{
    double *all[] = {a->vertices, a->velocities, a->normals, a->nodes,   a->node_velocities, a->rest,
                     a->inverted, a->uvs,        a->radii,   a->strains, a->temperatures};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k)
        free(all[k]);
    for (int k = 0; k < MOST_FIELDS; ++k)
        free(a->field[k]);
    free(a->group_names);
    free(a->groups);
    free(a->triangle_uvs);
    boxes_free(&a->boxes);
    *a = (body_arrays){0};
}

static bool has_several_liquids(const session *s)
{
    pl_drawable d;
    for (int32_t i = 0; i < pl_world_drawable_count(s->world); ++i)
        if (pl_world_drawable(s->world, i, &d) == PL_OK && d.inner)
            return true;
    return false;
}

// The cells of the liquid, in the last place: hexahedra with phi, pressure and velocity; strain and temperature, if it
// has them, and which of several liquids it is.
static pl_status read_grid(session *s, body_arrays *a, pl_frame_body *body)
{
    int32_t count = pl_world_liquid_cell_count(s->world), lattice[3];
    double lower[3], upper[3], memory;
    const pl_domain_def *domain = pl__scene_domain_of(s->scene, lattice, &memory);
    arrays_free(a);
    a->grid = true;
    snprintf(a->name, sizeof a->name, "%.58s_grid", pl__source_liquid(s->source, 0)->record.name);
    a->vertices = numbers(6 * (int64_t)count);
    a->field[0] = numbers(count);
    a->field[1] = numbers(count);
    a->field[2] = numbers(3 * (int64_t)count);
    bool strain = has_strain(s), several = has_several_liquids(s);
    a->field[3] = strain ? numbers(count) : NULL;
    bool warm = has_temperature(s);
    a->field[4] = several ? numbers(count) : NULL;
    a->field[5] = warm ? numbers(count) : NULL;
    if (!a->vertices || !a->field[0] || !a->field[1] || !a->field[2] || (strain && !a->field[3]) ||
        (several && !a->field[4]) || (warm && !a->field[5]) || !drawable_domain(s, lower, upper))
        return PL_ERR_MEMORY;
    PL_TRY(pl_world_liquid_read_cells(s->world, &(pl_liquid_cells){a->vertices, a->field[0], a->field[2], a->field[1],
                                                                   a->field[3], a->field[4], a->field[5]}));
    if (!boxes_make(a->vertices, count, lower, domain->size, &a->boxes))
        return PL_ERR_MEMORY;
    a->fields[0] = (pl_frame_field){.name = "phi", .components = 1, .per_cell = 1, .values = a->field[0]};
    a->fields[1] = (pl_frame_field){.name = "pressure", .components = 1, .per_cell = 1, .values = a->field[1]};
    a->fields[2] = (pl_frame_field){.name = "cell_velocity", .components = 3, .per_cell = 1, .values = a->field[2]};
    int32_t fields = 3;
    if (a->field[3])
        a->fields[fields++] = (pl_frame_field){.name = "strain", .components = 1, .per_cell = 1, .values = a->field[3]};
    if (a->field[4])
        a->fields[fields++] = (pl_frame_field){.name = "liquid", .components = 1, .per_cell = 1, .values = a->field[4]};
    if (a->field[5])
        a->fields[fields++] =
            (pl_frame_field){.name = "temperature", .components = 1, .per_cell = 1, .values = a->field[5]};
    *body = (pl_frame_body){.name = a->name,
                            .node_count = a->boxes.node_count,
                            .nodes = a->boxes.nodes,
                            .cell_kind = PL_ELEMENT_HEX,
                            .cell_count = a->boxes.cell_count,
                            .cells = a->boxes.cells,
                            .field_count = count > 0 ? fields : 0, // before there is any liquid
                            .fields = a->fields};
    return PL_OK;
}

// Objects after the bodies, where they are asked for.
static pl_status make_objects(frame_reader *r)
{
    session *s = r->d->s;
    for (int32_t i = 0; s->source->file.output.objects && i < pl_world_object_count(s->world); ++i)
    {
        const pl_surface *surface = NULL;
        pl_object_def def;
        PL_TRY(pl_object_read(s->world, (pl_object_id){i + 1}, &def));
        if (def.kind == PL_OBJECT_BODY)
            continue; // there is the body
        if (!object_is_endless(&def) && !object_surface(s, i, &surface))
            return PL_ERR_MEMORY;
        if (surface)
            PL_TRY(make_object(r, i, surface));
    }
    return PL_OK;
}

static void reader_free(frame_reader *r)
{
    for (int32_t i = 0; r->arrays && i < r->body_count; ++i)
        arrays_free(&r->arrays[i]);
    free(r->arrays);
    free(r->body);
}

// ---- reading ---------------------------------------------------------------------------------------------------

static pl_status read_object(session *s, const body_arrays *a)
{
    const pl_surface *surface;
    bool good = object_surface(s, a->object - 1, &surface) && object_place(s, a->object - 1, surface, 0, a->vertices);
    return good ? PL_OK : PL_ERR_MEMORY;
}

static pl_status read_vertex_field(const pl_world *world, int32_t index, int32_t count, const char *name, double *to)
{
    float *values = malloc(((size_t)count + 1) * sizeof *values);
    pl_status status = values ? pl_drawable_read_field(world, index, name, values) : PL_ERR_MEMORY;
    for (int32_t n = 0; n < count && status == PL_OK; ++n)
        to[n] = values[n];
    free(values);
    return status;
}

static pl_status read_body(frame_reader *r, int32_t index)
{
    pl_world *world = r->d->s->world;
    body_arrays *a = &r->arrays[index];
    if (a->object)
        return read_object(r->d->s, a);
    if (a->grid)
        return read_grid(r->d->s, a, &r->body[index]);
    pl_drawable d;
    PL_TRY(pl_world_drawable(world, index, &d));
    if (a->version != d.version)
    {
        // it has broken since, or is whole again
        arrays_free(a);
        PL_TRY(make_drawable(r, index));
    }
    PL_TRY(pl_drawable_read(world, index, a->vertices, a->velocities, a->normals));
    if (a->strains)
        PL_TRY(read_vertex_field(world, index, d.vertex_count, "strain", a->strains));
    if (a->temperatures)
        PL_TRY(read_vertex_field(world, index, d.vertex_count, "temperature", a->temperatures));
    if (a->radii)
        memcpy(a->radii, d.radii, (size_t)d.vertex_count * sizeof *a->radii);
    if (a->id.index)
        PL_TRY(pl_body_read(world, a->id, a->nodes, a->node_velocities));
    for (int k = 0; k < MOST_FIELDS && a->field[k]; ++k)
        PL_TRY(pl_body_read_field(world, a->id, a->what[k], a->field[k]));
    for (int32_t t = 0; a->inverted && t < r->body[index].cell_count; ++t)
        a->inverted[t] = a->field[0][t] <= 0;
    return PL_OK;
}

static pl_status read_frame(void *user, int32_t index, const pl_frame **frame)
{
    frame_reader *r = user;
    session *s = r->d->s;
    int32_t number = r->first + index;
    r->told = was_interrupted() || !rundir_read_frame(r->d, number);
    if (r->told)
        return PL_ERR_FILE;
    for (int32_t i = 0; i < r->body_count; ++i)
        PL_TRY(read_body(r, i));
    r->frame =
        (pl_frame){.number = number, .time = pl_world_time(s->world), .body_count = r->body_count, .bodies = r->body};
    *frame = &r->frame;
    console_progress(s->con, false, "exporting frame %d/%d", number, r->last);
    return PL_OK;
}

static bool make_directory(session *s, const char *path)
{
    char sentence[4300];
    int error = make_directories(path);
    snprintf(sentence, sizeof sentence, "%.4000s: %s; choose another directory with -o", path, strerror(error));
    if (error)
        console_fail(s->con, sentence);
    return error == 0;
}

bool frames_export(rundir *d, pl_export_format format, const char *directory, int32_t first, int32_t last)
{
    session *s = d->s;
    if (format == PL_EXPORT_VDB && s->source->file.liquids.count == 0)
    {
        console_fail(s->con,
                     "vdb is for the grids of liquids, and the scene has none; other formats have its surfaces");
        return false;
    }
    frame_reader r = {.d = d, .first = first, .last = last, .body_count = drawable_count(s)};
    size_t most = (size_t)r.body_count + (size_t)pl_world_object_count(s->world) + 2;
    r.body = calloc(most, sizeof *r.body);
    r.arrays = calloc(most, sizeof *r.arrays);
    pl_status status = r.body && r.arrays ? PL_OK : PL_ERR_MEMORY;
    for (int32_t i = 0; status == PL_OK && i < r.body_count; ++i)
        status = make_drawable(&r, i);
    if (status == PL_OK)
        status = make_objects(&r);
    bool with_grid = format == PL_EXPORT_VTU || format == PL_EXPORT_VDB;
    if (status == PL_OK && with_grid && s->source->file.liquids.count > 0)
        r.arrays[r.body_count++].grid = true;
    if (status != PL_OK)
        console_fail(s->con, status == PL_ERR_MEMORY ? "out of memory" : pl_context_error(s->ctx));
    bool good = status == PL_OK && make_directory(s, directory);
    pl_frame_source source = {.frame_count = last - first + 1,
                              .fps = s->source->file.fps,
                              .time_scale = s->source->file.time_scale,
                              .read = read_frame,
                              .user = &r};
    good = good && (pl_export(s->ctx, format, directory, &source) == PL_OK || (!r.told && session_fail(s)));
    reader_free(&r);
    console_end_line(s->con);
    return good;
}

// src/io/export_usd.c -- Universal Scene Description, as text: one layer with a Mesh for every body, Points for points.
//
//     def Mesh "block" {
//         int[] faceVertexIndices = [0, 1, 2, ...]             samples over time where the surface changes
//         point3f[] points.timeSamples = { 0: [(0, 0, 0), ...], 1: [...], }
//         vector3f[] velocities.timeSamples = { ... }          per second of the movie, for motion blur
//         texCoord2f[] primvars:st = [...]                     per corner, through primvars:st:indices
//         def GeomSubset "left" { ... }                        a group
//     }
//
//     def Points "drops" {                                     points, velocities, extent, and
//         float[] widths.timeSamples = { ... }                 twice their radii
//     }
//
// Time codes are frame numbers. In the text each attribute holds all its samples, so the frames are read once per
// attribute that moves: once for changing surfaces and extents, then for points, velocities and normals of each body.
// Numbers are written as 32-bit ones, which is what the types of these attributes are.
//
// Velocities are used by readers only where they match the points in number; both come from the same frame.
//
// Pixar, OpenUSD, UsdGeomMesh, UsdGeomPoints and UsdGeomSubset.
#include "io/export.h"

#include <stdio.h>
#include <string.h>

typedef struct stage
{
    pl__export *e;
    pl__writer w;
    bool *changes;   // [body] whether its surface changes
    float *extent;   // [frame][body][6]: lower and upper corner
    int32_t *number; // [frame]
    int32_t body_count;
} stage;

// ---- names ---------------------------------------------------------------------------------------------------

enum
{
    NAME_CHARS = 96
};

// Letters, digits and _ only, no digit first; longer names are cut.
static void identifier(const char *name, char text[NAME_CHARS])
{
    size_t length = 0;
    if (name[0] >= '0' && name[0] <= '9')
        text[length++] = '_';
    for (; *name && length < 64; ++name)
    {
        bool plain = (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') || (*name >= '0' && *name <= '9');
        text[length++] = plain ? *name : '_';
    }
    text[length] = 0;
}

typedef const char *(*name_of)(const void *owner, int32_t index);

static const char *body_name(const void *owner, int32_t index) { return ((const pl_frame *)owner)->bodies[index].name; }
static const char *group_name(const void *owner, int32_t index)
{
    return ((const pl_frame_body *)owner)->group_names[index];
}

// Whether another name maps to the same identifier, before numbers are added.
static bool is_used(const void *owner, name_of name, int32_t count, int32_t but, const char *text)
{
    char other[NAME_CHARS];
    for (int32_t i = 0; i < count; ++i)
    {
        identifier(name(owner, i), other);
        if (i != but && strcmp(other, text) == 0)
            return true;
    }
    return false;
}

// "a b" and "a-b" would both be a_b: the later one gets its index, and underscores until it is unique.
static void unique_identifier(const void *owner, name_of name, int32_t count, int32_t index, char text[NAME_CHARS])
{
    identifier(name(owner, index), text);
    if (!is_used(owner, name, index, index, text))
        return;
    size_t length = strlen(text);
    length += (size_t)snprintf(text + length, NAME_CHARS - length, "_%d", index);
    for (; length + 1 < NAME_CHARS && is_used(owner, name, count, index, text); ++length)
        memcpy(text + length, "_", 2);
}

// ---- values --------------------------------------------------------------------------------------------------

static void write_tuple(pl__writer *w, const double *values, int count)
{
    for (int k = 0; k < count; ++k)
    {
        pl__write_text(w, k ? ", " : "(");
        pl__write_real32(w, (float)values[k]);
    }
    pl__write_text(w, ")");
}

static void write_tuples(pl__writer *w, const double *values, int32_t count, int components)
{
    pl__write_text(w, "[");
    for (int32_t i = 0; i < count; ++i)
    {
        pl__write_text(w, i ? ", " : "");
        write_tuple(w, &values[(size_t)i * (size_t)components], components);
    }
    pl__write_text(w, "]");
}

static void write_integers(pl__writer *w, const int32_t *values, size_t count)
{
    pl__write_text(w, "[");
    for (size_t i = 0; i < count; ++i)
    {
        pl__write_text(w, i ? ", " : "");
        pl__write_integer(w, values[i]);
    }
    pl__write_text(w, "]");
}

static void write_threes(pl__writer *w, int32_t count)
{
    pl__write_text(w, "[");
    for (int32_t i = 0; i < count; ++i)
        pl__write_text(w, i ? ", 3" : "3");
    pl__write_text(w, "]");
}

static void write_group_faces(pl__writer *w, const pl_frame_body *b, int32_t group)
{
    const char *before = "";
    pl__write_text(w, "[");
    for (int32_t i = 0; group < b->group_count && i < b->triangle_count; ++i)
    {
        if (b->triangle_groups[i] != group)
            continue;
        pl__write_text(w, before);
        pl__write_integer(w, i);
        before = ", ";
    }
    pl__write_text(w, "]");
}

// Velocities are simulated metres per simulated second; a slow motion shows them slower.
static void write_scaled(pl__writer *w, const double *values, int32_t count, double scale)
{
    pl__write_text(w, "[");
    for (int32_t i = 0; i < count; ++i)
    {
        double scaled[3] = {scale * values[3 * i], scale * values[3 * i + 1], scale * values[3 * i + 2]};
        pl__write_text(w, i ? ", " : "");
        write_tuple(w, scaled, 3);
    }
    pl__write_text(w, "]");
}

static void write_multiples(pl__writer *w, double factor, const double *values, int32_t count)
{
    pl__write_text(w, "[");
    for (int32_t i = 0; i < count; ++i)
    {
        pl__write_text(w, i ? ", " : "");
        pl__write_real32(w, (float)(factor * values[i]));
    }
    pl__write_text(w, "]");
}

typedef enum content
{
    POINTS,
    WIDTHS,
    VELOCITIES,
    STRAINS,
    TEMPERATURES,
    NORMALS,
    FACE_COUNTS,
    FACE_INDICES,
    UVS,
    UV_INDICES,
    GROUP_FACES
} content;

static void write_value(pl__writer *w, const pl_frame_body *b, content what, int32_t group, double time_scale)
{
    size_t corners = 3 * (size_t)b->triangle_count;
    switch (what)
    {
    case POINTS: write_tuples(w, b->vertices, b->vertex_count, 3); break;
    case WIDTHS: write_multiples(w, 2, b->radii, b->vertex_count); break;
    case VELOCITIES: write_scaled(w, b->vertex_velocities, b->vertex_count, time_scale); break;
    case STRAINS: write_multiples(w, 1, b->vertex_strains, b->vertex_count); break;
    case TEMPERATURES: write_multiples(w, 1, b->vertex_temperatures, b->vertex_count); break;
    case NORMALS: write_tuples(w, b->normals, b->vertex_count, 3); break;
    case FACE_COUNTS: write_threes(w, b->triangle_count); break;
    case FACE_INDICES: write_integers(w, b->triangles, corners); break;
    case UVS: write_tuples(w, b->uvs, b->uv_count, 2); break;
    case UV_INDICES: write_integers(w, b->triangle_uvs, b->uv_count ? corners : 0); break;
    case GROUP_FACES: write_group_faces(w, b, group); break;
    }
}

// ---- attributes ----------------------------------------------------------------------------------------------

typedef struct property
{
    const char *indent, *declaration, *metadata; // metadata may be NULL
    content content;
    int32_t group;
    bool sampled;
} property;

static double time_scale_of(const stage *s) { return s->e->source->time_scale > 0 ? s->e->source->time_scale : 1; }

static pl_status write_samples(stage *s, int32_t body, const property *p)
{
    pl__write_text(&s->w, ".timeSamples = {\n");
    for (int32_t f = 0; f < s->e->source->frame_count; ++f)
    {
        const pl_frame *frame;
        PL_TRY(pl__export_read(s->e, f, &frame));
        pl__write_text(&s->w, p->indent);
        pl__write_text(&s->w, "    ");
        pl__write_integer(&s->w, s->number[f]);
        pl__write_text(&s->w, ": ");
        write_value(&s->w, &frame->bodies[body], p->content, p->group, time_scale_of(s));
        pl__write_text(&s->w, ",\n");
    }
    pl__write_text(&s->w, p->indent);
    pl__write_text(&s->w, "}\n");
    return PL_OK;
}

static pl_status write_once(stage *s, int32_t body, const property *p)
{
    const pl_frame *first;
    PL_TRY(pl__export_read(s->e, 0, &first));
    pl__write_text(&s->w, " = ");
    write_value(&s->w, &first->bodies[body], p->content, p->group, time_scale_of(s));
    pl__write_text(&s->w, p->metadata ? p->metadata : "\n");
    return PL_OK;
}

static void declare(stage *s, const property *p)
{
    pl__write_text(&s->w, p->indent);
    pl__write_text(&s->w, p->declaration);
}

// Metadata follow a value; samples cannot have them, so they get a declaration of their own.
static pl_status write_property(stage *s, int32_t body, const property *p)
{
    if (p->sampled && p->metadata)
    {
        declare(s, p);
        pl__write_text(&s->w, p->metadata);
    }
    declare(s, p);
    return p->sampled ? write_samples(s, body, p) : write_once(s, body, p);
}

static void write_extent(stage *s, int32_t body)
{
    pl__write_text(&s->w, "        float3[] extent.timeSamples = {\n");
    for (int32_t f = 0; f < s->e->source->frame_count; ++f)
    {
        const float *box = &s->extent[6 * ((size_t)f * (size_t)s->body_count + (size_t)body)];
        double corners[6] = {box[0], box[1], box[2], box[3], box[4], box[5]};
        pl__write_text(&s->w, "            ");
        pl__write_integer(&s->w, s->number[f]);
        pl__write_text(&s->w, ": ");
        write_tuples(&s->w, corners, 2, 3);
        pl__write_text(&s->w, ",\n");
    }
    pl__write_text(&s->w, "        }\n");
}

// ---- bodies --------------------------------------------------------------------------------------------------

#define BODY_INDENT "        "
#define GROUP_INDENT "            "
#define INTERPOLATION(kind) " (\n            interpolation = \"" kind "\"\n        )\n"

static pl_status write_mesh(stage *s, int32_t body)
{
    const pl__export_shape *shape = &s->e->shape[body];
    bool changes = s->changes[body];
    const property counts = {BODY_INDENT, "int[] faceVertexCounts", NULL, FACE_COUNTS, 0, changes};
    const property indices = {BODY_INDENT, "int[] faceVertexIndices", NULL, FACE_INDICES, 0, changes};
    const property points = {BODY_INDENT, "point3f[] points", NULL, POINTS, 0, true};
    const property velocities = {BODY_INDENT, "vector3f[] velocities", NULL, VELOCITIES, 0, true};
    const property normals = {BODY_INDENT, "normal3f[] normals", INTERPOLATION("vertex"), NORMALS, 0, true};
    const property strains = {BODY_INDENT, "float[] primvars:strain", INTERPOLATION("vertex"), STRAINS, 0, true};
    const property temperatures = {
        BODY_INDENT, "float[] primvars:temperature", INTERPOLATION("vertex"), TEMPERATURES, 0, true};
    PL_TRY(write_property(s, body, &counts));
    PL_TRY(write_property(s, body, &indices));
    write_extent(s, body);
    PL_TRY(write_property(s, body, &points));
    if (shape->velocities)
        PL_TRY(write_property(s, body, &velocities));
    if (shape->strains)
        PL_TRY(write_property(s, body, &strains));
    if (shape->temperatures)
        PL_TRY(write_property(s, body, &temperatures));
    return shape->normals ? write_property(s, body, &normals) : PL_OK;
}

static pl_status write_points(stage *s, int32_t body)
{
    const property points = {BODY_INDENT, "point3f[] points", NULL, POINTS, 0, true};
    const property widths = {BODY_INDENT, "float[] widths", INTERPOLATION("vertex"), WIDTHS, 0, true};
    const property velocities = {BODY_INDENT, "vector3f[] velocities", NULL, VELOCITIES, 0, true};
    write_extent(s, body);
    PL_TRY(write_property(s, body, &points));
    PL_TRY(write_property(s, body, &widths));
    return s->e->shape[body].velocities ? write_property(s, body, &velocities) : PL_OK;
}

static pl_status write_uvs(stage *s, int32_t body)
{
    bool changes = s->changes[body];
    const property values = {BODY_INDENT, "texCoord2f[] primvars:st", INTERPOLATION("faceVarying"), UVS, 0, changes};
    const property indices = {BODY_INDENT, "int[] primvars:st:indices", NULL, UV_INDICES, 0, changes};
    PL_TRY(write_property(s, body, &values));
    return write_property(s, body, &indices);
}

static pl_status write_group(stage *s, int32_t body, const char *name, int32_t group)
{
    const property faces = {GROUP_INDENT, "int[] indices", NULL, GROUP_FACES, group, s->changes[body]};
    pl__write_text(&s->w, "\n        def GeomSubset \"");
    pl__write_text(&s->w, name);
    pl__write_text(&s->w, "\"\n        {\n            uniform token elementType = \"face\"\n"
                          "            uniform token familyName = \"groups\"\n");
    PL_TRY(write_property(s, body, &faces));
    pl__write_text(&s->w, "        }\n");
    return PL_OK;
}

// The first frame must be read again for each: writing a changing group reads all frames.
static pl_status write_groups(stage *s, int32_t body, int32_t group_count)
{
    pl__write_text(&s->w, "        uniform token subsetFamily:groups:familyType = \"nonOverlapping\"\n");
    for (int32_t g = 0; g < group_count; ++g)
    {
        const pl_frame *first;
        char name[NAME_CHARS];
        PL_TRY(pl__export_read(s->e, 0, &first));
        unique_identifier(&first->bodies[body], group_name, first->bodies[body].group_count, g, name);
        PL_TRY(write_group(s, body, name, g));
    }
    return PL_OK;
}

static pl_status write_body(stage *s, int32_t body)
{
    const pl_frame *first;
    char name[NAME_CHARS];
    PL_TRY(pl__export_read(s->e, 0, &first));
    const pl_frame_body *b = &first->bodies[body];
    int32_t uv_count = b->uv_count, group_count = b->group_count;
    unique_identifier(first, body_name, first->body_count, body, name);
    bool points = b->radii;
    pl__write_text(&s->w, points ? "\n    def Points \"" : "\n    def Mesh \"");
    pl__write_text(&s->w, name);
    pl__write_text(&s->w, points ? "\"\n    {\n" : "\"\n    {\n        uniform token subdivisionScheme = \"none\"\n");
    pl__write_text(&s->w, "        color3f[] primvars:displayColor = [");
    write_tuple(&s->w, b->color, 3);
    pl__write_text(&s->w, "]\n");
    PL_TRY(points ? write_points(s, body) : write_mesh(s, body));
    if (uv_count)
        PL_TRY(write_uvs(s, body));
    if (group_count)
        PL_TRY(write_groups(s, body, group_count));
    pl__write_text(&s->w, "    }\n");
    return PL_OK;
}

// ---- the layer -----------------------------------------------------------------------------------------------

static void find_extent(const pl_frame_body *b, float box[6])
{
    for (int k = 0; k < 6; ++k)
        box[k] = b->vertex_count ? (float)b->vertices[k % 3] : 0;
    for (size_t i = 0; i < 3 * (size_t)b->vertex_count; ++i)
    {
        double radius = b->radii ? b->radii[i / 3] : 0;
        float low = (float)(b->vertices[i] - radius), high = (float)(b->vertices[i] + radius);
        box[i % 3] = low < box[i % 3] ? low : box[i % 3];
        box[3 + i % 3] = high > box[3 + i % 3] ? high : box[3 + i % 3];
    }
}

static pl_status survey(stage *s)
{
    for (int32_t f = 0; f < s->e->source->frame_count; ++f)
    {
        const pl_frame *frame;
        PL_TRY(pl__export_read(s->e, f, &frame));
        s->number[f] = frame->number;
        for (int32_t i = 0; i < s->body_count; ++i)
        {
            s->changes[i] |= !pl__export_same_surface(s->e, &frame->bodies[i], i);
            find_extent(&frame->bodies[i], &s->extent[6 * ((size_t)f * (size_t)s->body_count + (size_t)i)]);
        }
    }
    return PL_OK;
}

static void write_setting(pl__writer *w, const char *name, double value)
{
    pl__write_text(w, name);
    pl__write_real(w, value);
    pl__write_text(w, "\n");
}

static void write_head(stage *s)
{
    pl__write_text(&s->w, "#usda 1.0\n(\n    defaultPrim = \"animation\"\n    doc = \"Pliant\"\n");
    write_setting(&s->w, "    endTimeCode = ", s->number[s->e->source->frame_count - 1]);
    write_setting(&s->w, "    framesPerSecond = ", s->e->source->fps);
    write_setting(&s->w, "    metersPerUnit = ", 1);
    write_setting(&s->w, "    startTimeCode = ", s->number[0]);
    write_setting(&s->w, "    timeCodesPerSecond = ", s->e->source->fps);
    pl__write_text(&s->w, "    upAxis = \"Y\"\n)\n\ndef Xform \"animation\"\n{");
}

static pl_status write_layer(stage *s)
{
    PL_TRY(survey(s));
    write_head(s);
    for (int32_t i = 0; i < s->body_count; ++i)
        PL_TRY(write_body(s, i));
    pl__write_text(&s->w, "}\n");
    return PL_OK;
}

static pl_status write_file(stage *s)
{
    PL_TRY(pl__export_open(s->e, &s->w, "animation.usda"));
    pl_status status = write_layer(s);
    if (status == PL_OK)
        return pl__writer_commit(&s->w);
    pl__writer_discard(&s->w);
    return status;
}

pl_status pl__export_usd(pl__export *e)
{
    const pl_frame *first;
    PL_TRY(pl__export_hold(e, true, &first));
    stage s = {.e = e, .body_count = first->body_count};
    size_t frames = (size_t)e->source->frame_count, bodies = (size_t)s.body_count;
    s.changes = PL_NEW(e->ctx, bodies, bool);
    s.extent = PL_NEW(e->ctx, 6 * frames * bodies, float);
    s.number = PL_NEW(e->ctx, frames, int32_t);
    pl_status status = s.changes && s.extent && s.number ? write_file(&s) : PL_ERR_MEMORY;
    PL_DELETE(e->ctx, s.changes, bodies);
    PL_DELETE(e->ctx, s.extent, 6 * frames * bodies);
    PL_DELETE(e->ctx, s.number, frames);
    return status;
}

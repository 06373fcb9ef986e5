// src/io/export_glb.c -- glTF 2.0, binary: one file, one node and mesh per body, and each frame a morph target.
//
//     uint32 "glTF", 2, length of the file
//     uint32 length, "JSON", text padded with blanks          says where in the buffer each array ("accessor") lies
//     uint32 length, "BIN\0", buffer
//
// glTF has no mesh sequences. A vertex is p0 + sum_i w_i (p_i - p0) with a target for every frame but the first, and
// the animation moves the weights w: at the time of frame i all are 0 but w_i = 1. Between frames they are interpolated
// linearly, and so is the vertex. All bodies share the weights.
//
// What it does badly: the weights are a table of frames x frames, and readers process all of it: Blender 3.4 takes 4 ms
// to show a frame of 900 vertices out of 300 frames, 36 ms out of 1000. A sparse table would shrink the file, not that
// work. Web renderers store each target in a layer of a texture, of which only 256 are guaranteed. So the limit is 300
// frames, with an error message; use pc2 or usd for longer animations.
//
// The buffer is laid out by frames, so it is written in one pass, after a first pass for the bounds of each array:
//
//     first frame: per body indices, points, normals, texture coordinates | frame 1: per body points, normals | ...
//     | times | weights
//
// Texture coordinates belong to vertices here: a vertex with several of them is repeated (a seam). v counts from the
// top.
//
// Khronos, "glTF 2.0 Specification", 3.6 (accessors, alignment), 3.7.2 (morph targets), 3.11 (animations), 4.4 (GLB).
#include "io/export.h"
#include "io/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum
{
    MOST_FRAMES = 300,
    TYPE_UINT32 = 5125, // glTF constants
    TYPE_FLOAT32 = 5126,
    TARGET_NONE = 0,
    TARGET_VERTICES = 34962,
    TARGET_INDICES = 34963,
    MAGIC_GLTF = 0x46546c67,
    MAGIC_JSON = 0x4e4f534a,
    MAGIC_BIN = 0x004e4942
};

// ---- text buffer ---------------------------------------------------------------------------------------------

typedef struct text
{
    pl_context *ctx;
    char *at;
    size_t length, capacity;
    bool failed; // out of memory; further text is ignored
} text;

static void add_bytes(text *t, const char *bytes, size_t size)
{
    t->failed = t->failed || !PL_GROW(t->ctx, t->at, &t->capacity, t->length + size);
    if (t->failed)
        return;
    memcpy(t->at + t->length, bytes, size);
    t->length += size;
}

static void add(text *t, const char *words) { add_bytes(t, words, strlen(words)); }

static void add_integer(text *t, const char *before, int64_t value)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRId64, value);
    add(t, before);
    add(t, digits);
}

// As double: bounds must compare equal to the numbers in the buffer.
static void add_reals(text *t, const char *before, const float *values, int count)
{
    char digits[PL__REAL_CHARS];
    add(t, before);
    for (int i = 0; i < count; ++i)
    {
        add(t, i ? "," : "[");
        add_bytes(t, digits, pl__format_real((double)values[i], digits));
    }
    add(t, "]");
}

// ---- the model -----------------------------------------------------------------------------------------------

// A body in the layout of glTF.
typedef struct model
{
    char name[PL__EXPORT_NAME];
    int32_t count;         // vertices, 0: not drawable
    int32_t *vertex, *uv;  // [count] indices into those of the body; uv is -1 without
    int32_t *triangle;     // [triangle_count][3] indices of these vertices
    float *point, *normal; // [count][3] of the first frame; normal NULL without
    float color[3];
    int32_t triangle_count;
    int32_t room; // allocated size of vertex and uv
    bool has_uvs;
    int32_t first_accessor; // of indices, points, normals, uvs
} model;

typedef struct scene
{
    pl__export *e;
    model *model;
    int32_t model_count, frame_count;
    float *time; // [frame_count], from 0
    text accessors, views;
    int32_t accessor_count, first_target; // arrays so far; first target of the first body in frame 1
    uint64_t bytes;                       // of the buffer
} scene;

// Merge corners with the same vertex and texture coordinate. `first` chains those of a vertex: [vertex_count], 0 ends.
static void find_corners(model *m, const pl_frame_body *b, int32_t *first, int32_t *next)
{
    for (size_t i = 0; i < 3 * (size_t)b->triangle_count; ++i)
    {
        int32_t v = b->triangles[i], uv = m->has_uvs ? b->triangle_uvs[i] : -1, *link = &first[v];
        while (*link && m->uv[*link - 1] != uv)
            link = &next[*link - 1];
        if (!*link)
        {
            m->vertex[m->count] = v;
            m->uv[m->count] = uv;
            *link = ++m->count;
        }
        m->triangle[i] = *link - 1;
    }
}

// Sort the vertices in the order of the body's, so that they are identical without seams. `rank` must hold all.
static void sort_corners(model *m, const pl_frame_body *b, const int32_t *first, const int32_t *next, int32_t *rank,
                         int32_t *old_uv)
{
    int32_t place = 0;
    memcpy(old_uv, m->uv, (size_t)m->count * sizeof *old_uv);
    for (int32_t v = 0; v < b->vertex_count; ++v)
        for (int32_t i = first[v]; i; i = next[i - 1])
        {
            rank[i - 1] = place;
            m->vertex[place] = v;
            m->uv[place++] = old_uv[i - 1];
        }
    for (size_t i = 0; i < 3 * (size_t)b->triangle_count; ++i)
        m->triangle[i] = rank[m->triangle[i]];
}

// At most one vertex per corner.
static pl_status split_seams(scene *s, model *m, const pl_frame_body *b)
{
    pl_context *ctx = s->e->ctx;
    int32_t *first = PL_NEW(ctx, b->vertex_count, int32_t), *scratch = PL_NEW(ctx, 3 * (size_t)m->room, int32_t);
    bool fine = first && scratch;
    if (fine)
    {
        find_corners(m, b, first, scratch);
        sort_corners(m, b, first, scratch, scratch + m->room, scratch + 2 * (size_t)m->room);
    }
    PL_DELETE(ctx, first, b->vertex_count);
    PL_DELETE(ctx, scratch, 3 * (size_t)m->room);
    return fine ? PL_OK : PL_ERR_MEMORY;
}

// glTF requires unit normals; a zero normal is replaced by up.
static void unit_normal(const double *n, float out[3])
{
    double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    bool none = !(length > 0);
    for (int k = 0; k < 3; ++k)
        out[k] = none ? (float)(k == 1) : (float)(n[k] / length);
}

static void point_at(const double *p, float out[3])
{
    for (int k = 0; k < 3; ++k)
        out[k] = (float)p[k];
}

static void take_first_frame(model *m, const pl_frame_body *b)
{
    for (int32_t i = 0; i < m->count; ++i)
    {
        size_t v = 3 * (size_t)m->vertex[i], at = 3 * (size_t)i;
        point_at(&b->vertices[v], &m->point[at]);
        if (m->normal)
            unit_normal(&b->normals[v], &m->normal[at]);
    }
}

static pl_status make_model(scene *s, const pl_frame_body *b)
{
    pl_context *ctx = s->e->ctx;
    PL_CHECK(ctx, b->triangle_count <= INT32_MAX / 9, "body '%s' has %d triangles, allowed in glb are %d", b->name,
             b->triangle_count, INT32_MAX / 9);
    model *m = &s->model[s->model_count++];
    memcpy(m->name, b->name, strlen(b->name) + 1);
    point_at(b->color, m->color);
    m->triangle_count = b->triangle_count;
    m->room = 3 * b->triangle_count;
    m->has_uvs = b->uv_count > 0;
    m->vertex = PL_NEW(ctx, m->room, int32_t);
    m->uv = PL_NEW(ctx, m->room, int32_t);
    m->triangle = PL_NEW(ctx, m->room, int32_t);
    if (!m->vertex || !m->uv || !m->triangle)
        return PL_ERR_MEMORY;
    PL_TRY(split_seams(s, m, b));
    m->point = PL_NEW(ctx, 3 * (size_t)m->count, float);
    m->normal = b->normals ? PL_NEW(ctx, 3 * (size_t)m->count, float) : NULL;
    if (!m->point || (b->normals && !m->normal))
        return PL_ERR_MEMORY;
    take_first_frame(m, b);
    return PL_OK;
}

static void free_scene(scene *s, int32_t body_count)
{
    pl_context *ctx = s->e->ctx;
    for (int32_t i = 0; i < s->model_count; ++i)
    {
        model *m = &s->model[i];
        PL_DELETE(ctx, m->vertex, m->room);
        PL_DELETE(ctx, m->uv, m->room);
        PL_DELETE(ctx, m->triangle, m->room);
        PL_DELETE(ctx, m->point, 3 * (size_t)m->count);
        PL_DELETE(ctx, m->normal, 3 * (size_t)m->count);
    }
    PL_DELETE(ctx, s->model, body_count);
    PL_DELETE(ctx, s->time, s->frame_count);
    PL_DELETE(ctx, s->accessors.at, s->accessors.capacity);
    PL_DELETE(ctx, s->views.at, s->views.capacity);
}

// ---- deltas of targets ---------------------------------------------------------------------------------------

// Relative to the rounded first frame, so that the sum is as accurate as 32 bits allow.
static void point_delta(const model *m, const pl_frame_body *b, int32_t i, float out[3])
{
    for (size_t k = 0; k < 3; ++k)
        out[k] = (float)(b->vertices[3 * (size_t)m->vertex[i] + k] - (double)m->point[3 * (size_t)i + k]);
}

static void normal_delta(const model *m, const pl_frame_body *b, int32_t i, float out[3])
{
    unit_normal(&b->normals[3 * (size_t)m->vertex[i]], out);
    for (size_t k = 0; k < 3; ++k)
        out[k] -= m->normal[3 * (size_t)i + k];
}

typedef void (*delta_of)(const model *m, const pl_frame_body *b, int32_t i, float out[3]);

// ---- accessors -----------------------------------------------------------------------------------------------

typedef struct bounds
{
    float low[3], high[3];
} bounds;

static void widen(bounds *box, const float *p, bool first)
{
    for (int k = 0; k < 3; ++k)
    {
        box->low[k] = first || p[k] < box->low[k] ? p[k] : box->low[k];
        box->high[k] = first || p[k] > box->high[k] ? p[k] : box->high[k];
    }
}

// Every array has its own view of the same index; all items have 4 bytes, so everything is aligned.
static void add_accessor(scene *s, const char *type, int components, int64_t count, int kind, int target)
{
    int64_t bytes = 4 * count * components;
    add(&s->accessors, s->accessor_count ? ",\n{" : "{");
    add_integer(&s->accessors, "\"bufferView\":", s->accessor_count);
    add_integer(&s->accessors, ",\"componentType\":", kind);
    add_integer(&s->accessors, ",\"count\":", count);
    add(&s->accessors, ",\"type\":\"");
    add(&s->accessors, type);
    add(&s->accessors, "\"");
    add(&s->views, s->accessor_count ? ",\n{" : "{");
    add_integer(&s->views, "\"buffer\":0,\"byteOffset\":", (int64_t)s->bytes);
    add_integer(&s->views, ",\"byteLength\":", bytes);
    if (target)
        add_integer(&s->views, ",\"target\":", target);
    add(&s->views, "}");
    s->accessor_count++;
    s->bytes += (uint64_t)bytes;
}

static void add_vectors(scene *s, int64_t count, const bounds *box)
{
    add_accessor(s, "VEC3", 3, count, TYPE_FLOAT32, TARGET_VERTICES);
    add_reals(&s->accessors, ",\"min\":", box->low, 3);
    add_reals(&s->accessors, ",\"max\":", box->high, 3);
    add(&s->accessors, "}");
}

static void add_first_vectors(scene *s, const model *m, const float *values)
{
    bounds box;
    for (int32_t i = 0; i < m->count; ++i)
        widen(&box, &values[3 * (size_t)i], i == 0);
    add_vectors(s, m->count, &box);
}

static void add_deltas(scene *s, const model *m, const pl_frame_body *b, delta_of delta)
{
    bounds box;
    for (int32_t i = 0; i < m->count; ++i)
    {
        float d[3];
        delta(m, b, i, d);
        widen(&box, d, i == 0);
    }
    add_vectors(s, m->count, &box);
}

// Accessors of the targets of a frame, all bodies together.
static int32_t target_stride(const scene *s)
{
    int32_t stride = 0;
    for (int32_t i = 0; i < s->model_count; ++i)
        stride += s->model[i].count ? (s->model[i].normal ? 2 : 1) : 0;
    return stride;
}

static bool is_animated(const scene *s) { return s->frame_count > 1 && target_stride(s) > 0; }

static void add_first_frame(scene *s)
{
    for (int32_t i = 0; i < s->model_count; ++i)
    {
        model *m = &s->model[i];
        m->first_accessor = s->accessor_count;
        if (!m->count)
            continue;
        add_accessor(s, "SCALAR", 1, 3 * (int64_t)m->triangle_count, TYPE_UINT32, TARGET_INDICES);
        add(&s->accessors, "}");
        add_first_vectors(s, m, m->point);
        if (m->normal)
            add_first_vectors(s, m, m->normal);
        if (!m->has_uvs)
            continue;
        add_accessor(s, "VEC2", 2, m->count, TYPE_FLOAT32, TARGET_VERTICES);
        add(&s->accessors, "}");
    }
    s->first_target = s->accessor_count;
}

static void add_targets(scene *s, const pl_frame *frame)
{
    for (int32_t i = 0; i < s->model_count; ++i)
    {
        const model *m = &s->model[i];
        if (!m->count)
            continue;
        add_deltas(s, m, &frame->bodies[i], point_delta);
        if (m->normal)
            add_deltas(s, m, &frame->bodies[i], normal_delta);
    }
}

// First pass. Times are relative to the first frame and must still increase when rounded to 32 bits.
static pl_status survey(scene *s)
{
    double start = 0;
    for (int32_t f = 0; f < s->frame_count; ++f)
    {
        const pl_frame *frame;
        PL_TRY(pl__export_read(s->e, f, &frame));
        start = f ? start : frame->time;
        s->time[f] = (float)(frame->time - start);
        PL_CHECK(s->e->ctx, isfinite(s->time[f]) && (f == 0 || s->time[f] > s->time[f - 1]),
                 "frame %d is at %g s, which 32 bits cannot tell from the one before", f, frame->time);
        if (f > 0)
            add_targets(s, frame);
    }
    return PL_OK;
}

static void add_animation(scene *s)
{
    add_accessor(s, "SCALAR", 1, s->frame_count, TYPE_FLOAT32, TARGET_NONE);
    add_reals(&s->accessors, ",\"min\":", &s->time[0], 1);
    add_reals(&s->accessors, ",\"max\":", &s->time[s->frame_count - 1], 1);
    add(&s->accessors, "}");
    add_accessor(s, "SCALAR", 1, (int64_t)s->frame_count * (s->frame_count - 1), TYPE_FLOAT32, TARGET_NONE);
    add(&s->accessors, "}");
}

// ---- JSON ----------------------------------------------------------------------------------------------------

static void add_attributes(text *t, int32_t accessor, bool normal)
{
    add_integer(t, "{\"POSITION\":", accessor);
    if (normal)
        add_integer(t, ",\"NORMAL\":", accessor + 1);
}

static void add_mesh(const scene *s, text *t, const model *m, int32_t material, int32_t target)
{
    int32_t stride = target_stride(s);
    add(t, "{\"name\":\"");
    add(t, m->name);
    add(t, "\",\"primitives\":[{\"attributes\":");
    add_attributes(t, m->first_accessor + 1, m->normal);
    if (m->has_uvs)
        add_integer(t, ",\"TEXCOORD_0\":", m->first_accessor + (m->normal ? 3 : 2));
    add_integer(t, "},\"indices\":", m->first_accessor);
    add_integer(t, ",\"material\":", material);
    for (int32_t f = 1; f < s->frame_count; ++f)
    {
        add(t, f == 1 ? ",\"targets\":[" : ",");
        add_attributes(t, target + (f - 1) * stride, m->normal);
        add(t, "}");
    }
    add(t, s->frame_count > 1 ? "]}],\"weights\":[" : "}]");
    for (int32_t f = 1; f < s->frame_count; ++f)
        add(t, f == 1 ? "0" : ",0");
    add(t, s->frame_count > 1 ? "]}" : "}");
}

// Nodes are bodies, in order; those that are not drawable have no mesh.
static void add_nodes(const scene *s, text *t)
{
    int32_t mesh = 0;
    add(t, "\"scene\":0,\n\"scenes\":[{");
    for (int32_t i = 0; i < s->model_count; ++i)
        add_integer(t, i ? "," : "\"nodes\":[", i);
    add(t, s->model_count ? "]}]" : "}]");
    for (int32_t i = 0; i < s->model_count; ++i)
    {
        add(t, i ? ",\n{\"name\":\"" : ",\n\"nodes\":[{\"name\":\"");
        add(t, s->model[i].name);
        add(t, "\"");
        if (s->model[i].count)
            add_integer(t, ",\"mesh\":", mesh++);
        add(t, "}");
    }
    add(t, s->model_count ? "]" : "");
}

static void add_meshes(const scene *s, text *t)
{
    int32_t mesh = 0, target = s->first_target;
    for (int32_t i = 0; i < s->model_count; ++i)
    {
        if (!s->model[i].count)
            continue;
        add(t, mesh ? ",\n" : ",\n\"meshes\":[");
        add_mesh(s, t, &s->model[i], mesh++, target);
        target += s->model[i].normal ? 2 : 1;
    }
    add(t, mesh ? "]" : "");
}

static void add_materials(const scene *s, text *t)
{
    int32_t material = 0;
    for (int32_t i = 0; i < s->model_count; ++i)
    {
        const model *m = &s->model[i];
        if (!m->count)
            continue;
        add(t, material++ ? ",\n{\"name\":\"" : ",\n\"materials\":[{\"name\":\"");
        add(t, m->name);
        add(t, "\",\"pbrMetallicRoughness\":{\"baseColorFactor\":");
        add_reals(t, "", (float[]){m->color[0], m->color[1], m->color[2], 1}, 4);
        add(t, ",\"metallicFactor\":0,\"roughnessFactor\":0.5}}");
    }
    add(t, material ? "]" : "");
}

// One sampler for all bodies.
static void add_channels(const scene *s, text *t)
{
    const char *before = "";
    add_integer(t, ",\n\"animations\":[{\"name\":\"frames\",\"samplers\":[{\"input\":", s->accessor_count - 2);
    add_integer(t, ",\"interpolation\":\"LINEAR\",\"output\":", s->accessor_count - 1);
    add(t, "}],\"channels\":[");
    for (int32_t i = 0; i < s->model_count; ++i)
    {
        if (!s->model[i].count)
            continue;
        add(t, before);
        add_integer(t, "{\"sampler\":0,\"target\":{\"path\":\"weights\",\"node\":", i);
        add(t, "}}");
        before = ",";
    }
    add(t, "]}]");
}

static void add_text(text *t, const char *before, const text *other)
{
    add(t, before);
    if (other->length)
        add_bytes(t, other->at, other->length);
    add(t, "]");
}

static pl_status describe(const scene *s, text *t)
{
    add(t, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"Pliant\"},\n");
    add_nodes(s, t);
    add_meshes(s, t);
    add_materials(s, t);
    if (is_animated(s))
        add_channels(s, t);
    if (s->bytes)
    {
        add_text(t, ",\n\"accessors\":[", &s->accessors);
        add_text(t, ",\n\"bufferViews\":[", &s->views);
        add_integer(t, ",\n\"buffers\":[{\"byteLength\":", (int64_t)s->bytes);
        add(t, "}]");
    }
    add(t, "}");
    while (t->length % 4 && !t->failed)
        add(t, " ");
    return t->failed || s->accessors.failed || s->views.failed ? PL_ERR_MEMORY : PL_OK;
}

// ---- the file ------------------------------------------------------------------------------------------------

static void put_floats(pl__writer *w, const float *values, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        pl__write_f32(w, values[i]);
}

static void put_first_frame(const scene *s, pl__writer *w, const pl_frame *first)
{
    for (int32_t i = 0; i < s->model_count; ++i)
    {
        const model *m = &s->model[i];
        pl__write_i32s(w, m->triangle, m->count ? 3 * (size_t)m->triangle_count : 0);
        put_floats(w, m->point, 3 * (size_t)m->count);
        if (m->normal)
            put_floats(w, m->normal, 3 * (size_t)m->count);
        for (int32_t k = 0; m->has_uvs && k < m->count; ++k)
        {
            const double *uv = &first->bodies[i].uvs[2 * (size_t)m->uv[k]];
            pl__write_f32(w, (float)uv[0]);
            pl__write_f32(w, (float)(1 - uv[1]));
        }
    }
}

static void put_weights(const scene *s, pl__writer *w)
{
    put_floats(w, s->time, (size_t)s->frame_count);
    for (int32_t f = 0; f < s->frame_count; ++f)
        for (int32_t target = 1; target < s->frame_count; ++target)
            pl__write_f32(w, target == f);
}

static void put_deltas(pl__writer *w, const model *m, const pl_frame_body *b, delta_of delta)
{
    for (int32_t i = 0; i < m->count; ++i)
    {
        float d[3];
        delta(m, b, i, d);
        put_floats(w, d, 3);
    }
}

static pl_status put_buffer(const scene *s, pl__writer *w)
{
    for (int32_t f = 0; f < s->frame_count; ++f)
    {
        const pl_frame *frame;
        PL_TRY(pl__export_read(s->e, f, &frame));
        if (f == 0)
            put_first_frame(s, w, frame);
        for (int32_t i = 0; f > 0 && i < s->model_count; ++i)
        {
            put_deltas(w, &s->model[i], &frame->bodies[i], point_delta);
            if (s->model[i].normal)
                put_deltas(w, &s->model[i], &frame->bodies[i], normal_delta);
        }
    }
    if (is_animated(s))
        put_weights(s, w);
    return PL_OK;
}

static pl_status put_file(const scene *s, pl__writer *w, const text *json)
{
    uint64_t length = 12 + 8 + json->length + (s->bytes ? 8 + s->bytes : 0);
    PL_CHECK(s->e->ctx, length <= UINT32_MAX,
             "animation.glb would take %" PRIu64 " bytes, allowed are 4 GB; use usd, pc2 or ply", length);
    const uint32_t head[5] = {MAGIC_GLTF, 2, (uint32_t)length, (uint32_t)json->length, MAGIC_JSON};
    for (int i = 0; i < 5; ++i)
        pl__write_i32(w, (int32_t)head[i]);
    pl__write_bytes(w, json->at, json->length);
    if (!s->bytes)
        return PL_OK;
    pl__write_i32(w, (int32_t)(uint32_t)s->bytes);
    pl__write_i32(w, MAGIC_BIN);
    return put_buffer(s, w);
}

static pl_status write_file(const scene *s, const text *json)
{
    pl__writer w;
    PL_TRY(pl__export_open(s->e, &w, "animation.glb"));
    pl_status status = put_file(s, &w, json);
    if (status == PL_OK)
        return pl__writer_commit(&w);
    pl__writer_discard(&w);
    return status;
}

static pl_status make_scene(scene *s, const pl_frame *first)
{
    s->model = PL_NEW(s->e->ctx, first->body_count, model);
    s->time = PL_NEW(s->e->ctx, s->frame_count, float);
    if (!s->model || !s->time)
        return PL_ERR_MEMORY;
    for (int32_t i = 0; i < first->body_count; ++i)
        PL_TRY(make_model(s, &first->bodies[i]));
    add_first_frame(s);
    return PL_OK;
}

static pl_status export_scene(scene *s, const pl_frame *first)
{
    PL_TRY(make_scene(s, first));
    PL_TRY(survey(s));
    if (is_animated(s))
        add_animation(s);
    text json = {.ctx = s->e->ctx};
    pl_status status = describe(s, &json);
    if (status == PL_OK)
        status = write_file(s, &json);
    PL_DELETE(s->e->ctx, json.at, json.capacity);
    return status;
}

pl_status pl__export_glb(pl__export *e)
{
    const pl_frame *first;
    PL_CHECK(e->ctx, e->source->frame_count <= MOST_FRAMES,
             "%d frames are too many for glb, which takes a table of frames times frames: allowed are %d; use usd or "
             "pc2, or "
             "leave out frames",
             e->source->frame_count, MOST_FRAMES);
    PL_TRY(pl__export_hold(e, false, &first));
    int32_t body_count = first->body_count;
    scene s = {.e = e, .frame_count = e->source->frame_count, .accessors.ctx = e->ctx, .views.ctx = e->ctx};
    pl_status status = export_scene(&s, first);
    free_scene(&s, body_count);
    return status;
}

// src/io/export.c -- common entry of the exporters: format, directory, and frames from the source.
//
// A source is asked for a frame whenever one is needed and may be asked again, so no exporter keeps more than one.
// Frames are checked each time they are read: that is cheap compared with writing them.
#include "io/export.h"
#include "base/context.h"
#include "base/hash.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- formats -------------------------------------------------------------------------------------------------

typedef struct exporter
{
    const char *name, *alias;
    pl_status (*run)(pl__export *e);
} exporter;

// In the order of pl_export_format.
static const exporter exporters[] = {
    {"ply", NULL, pl__export_ply},   {"vtu", "vtk", pl__export_vtu},  {"pc2", NULL, pl__export_pc2},
    {"usd", "usda", pl__export_usd}, {"glb", "gltf", pl__export_glb}, {"npy", NULL, pl__export_npy},
    {"obj", NULL, pl__export_obj},   {"vdb", NULL, pl__export_vdb},
};

enum
{
    FORMAT_COUNT = sizeof exporters / sizeof exporters[0]
};

const char *pl_export_format_name(pl_export_format format)
{
    return (unsigned)format < FORMAT_COUNT ? exporters[format].name : NULL;
}

pl_status pl_export_format_find(pl_context *ctx, const char *name, pl_export_format *format)
{
    if (!ctx)
        return PL_ERR_ARGUMENT;
    for (int i = 0; name && i < FORMAT_COUNT; ++i)
    {
        const char *alias = exporters[i].alias;
        if (strcmp(name, exporters[i].name) != 0 && (!alias || strcmp(name, alias) != 0))
            continue;
        *format = (pl_export_format)i;
        return PL_OK;
    }
    return pl__fail(ctx, PL_ERR_ARGUMENT,
                    "there is no export format '%.60s'; allowed are ply, vtu (or vtk), pc2, usd (or usda), glb (or "
                    "gltf), npy, obj and vdb",
                    name ? name : "");
}

// ---- constant topology ---------------------------------------------------------------------------------------

static uint64_t hash_text(uint64_t seed, const char *text) { return pl__hash(seed, text, strlen(text) + 1); }

static uint64_t hash_surface(const pl_frame_body *b)
{
    size_t corners = 3 * (size_t)b->triangle_count;
    uint64_t hash = pl__hash(0, b->triangles, corners * sizeof(int32_t));
    if (b->uv_count)
        hash = pl__hash(hash, b->triangle_uvs, corners * sizeof(int32_t));
    if (b->group_count)
        hash = pl__hash(hash, b->triangle_groups, (size_t)b->triangle_count * sizeof(int32_t));
    for (int32_t i = 0; i < b->group_count; ++i)
        hash = hash_text(hash, b->group_names[i]);
    return hash;
}

static uint64_t hash_volume(const pl_frame_body *b)
{
    uint64_t hash =
        pl__hash((uint64_t)b->field_count, b->cells, pl__export_corners(b) * (size_t)b->cell_count * sizeof(int32_t));
    hash = pl__hash(hash, &b->cell_kind, sizeof b->cell_kind);
    for (int32_t i = 0; i < b->field_count; ++i)
    {
        const pl_frame_field *f = &b->fields[i];
        hash = hash_text(hash, f->name);
        hash = pl__hash(hash, (int32_t[]){f->components, f->per_cell}, 2 * sizeof(int32_t));
    }
    return hash;
}

static pl__export_shape shape_of(const pl_frame_body *b)
{
    pl__export_shape s = {
        .vertex_count = b->vertex_count,
        .triangle_count = b->triangle_count,
        .node_count = b->node_count,
        .cell_count = b->cell_count,
        .velocities = b->vertex_velocities != NULL,
        .normals = b->normals != NULL,
        .node_velocities = b->node_velocities != NULL,
        .rest = b->rest_nodes != NULL,
        .radii = b->radii != NULL,
        .strains = b->vertex_strains != NULL,
        .temperatures = b->vertex_temperatures != NULL,
        .surface = hash_surface(b),
        .volume = hash_volume(b),
    };
    memcpy(s.name, b->name, strlen(b->name) + 1);
    return s;
}

bool pl__export_same_surface(const pl__export *e, const pl_frame_body *body, int32_t index)
{
    const pl__export_shape *s = &e->shape[index];
    return s->vertex_count == body->vertex_count && s->triangle_count == body->triangle_count &&
           s->surface == hash_surface(body);
}

// Optional arrays must be present in all frames or in none, but for bodies that have nothing left.
static pl_status compare_arrays(const pl__export *e, const pl__export_shape *now, const pl__export_shape *first,
                                int32_t frame)
{
    const struct
    {
        const char *what;
        bool now, first;
    } arrays[] = {
        {"velocities", now->velocities, first->velocities},
        {"normals", now->normals, first->normals},
        {"node_velocities", now->node_velocities, first->node_velocities},
        {"rest_nodes", now->rest, first->rest},
        {"radii", now->radii, first->radii},
        {"vertex_strains", now->strains, first->strains},
        {"vertex_temperatures", now->temperatures, first->temperatures},
    };
    bool nothing = (now->vertex_count == 0 && now->node_count == 0) || // or nothing yet
                   (first->vertex_count == 0 && first->node_count == 0);
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0] && !nothing; ++i)
        PL_CHECK(e->ctx, arrays[i].now == arrays[i].first, "frame %d: body '%s' %s %s, unlike in frame 0", frame,
                 now->name, arrays[i].now ? "has" : "has no", arrays[i].what);
    return PL_OK;
}

static pl_status compare_surface(const pl__export *e, const pl__export_shape *now, const pl__export_shape *first,
                                 int32_t frame)
{
    PL_CHECK(e->ctx, now->vertex_count == first->vertex_count && now->triangle_count == first->triangle_count,
             "frame %d: body '%s' has %d vertices and %d triangles, but %d and %d in frame 0; this format needs the "
             "same in all "
             "frames, ply, obj, vtu and usd do not",
             frame, now->name, now->vertex_count, now->triangle_count, first->vertex_count, first->triangle_count);
    PL_CHECK(
        e->ctx, now->surface == first->surface,
        "frame %d: body '%s' has other triangles, texture coordinates or groups than in frame 0; this format needs the "
        "same in "
        "all frames, ply, obj, vtu and usd do not",
        frame, now->name);
    return PL_OK;
}

static pl_status compare_body(const pl__export *e, const pl_frame_body *body, const pl__export_shape *first,
                              int32_t frame)
{
    pl__export_shape now = shape_of(body);
    PL_CHECK(e->ctx, strcmp(now.name, first->name) == 0, "frame %d: body '%s' stands where '%s' was in frame 0", frame,
             now.name, first->name);
    PL_TRY(compare_arrays(e, &now, first, frame));
    if (e->surface_may_change) // compare surfaces only; volumes are not written
        return PL_OK;
    PL_CHECK(e->ctx,
             now.node_count == first->node_count && now.cell_count == first->cell_count && now.volume == first->volume,
             "frame %d: body '%s' has other nodes, cells or fields than in frame 0; this format needs the same in all "
             "frames, ply, obj, vtu and usd do not",
             frame, now.name);
    return compare_surface(e, &now, first, frame);
}

static pl_status compare_frame(const pl__export *e, const pl_frame *frame, int32_t index)
{
    PL_CHECK(e->ctx, frame->body_count == e->shape_count,
             "frame %d has %d bodies, but frame 0 has %d; this format needs the same in all frames, ply, obj, vtu and "
             "usd do not",
             index, frame->body_count, e->shape_count);
    for (int32_t i = 0; i < frame->body_count; ++i)
        PL_TRY(compare_body(e, &frame->bodies[i], &e->shape[i], index));
    return PL_OK;
}

pl_status pl__export_hold(pl__export *e, bool surface_may_change, const pl_frame **first)
{
    PL_TRY(pl__export_read(e, 0, first));
    e->shape = PL_NEW(e->ctx, (*first)->body_count, pl__export_shape);
    if (!e->shape)
        return PL_ERR_MEMORY;
    e->shape_count = (*first)->body_count;
    e->surface_may_change = surface_may_change;
    for (int32_t i = 0; i < e->shape_count; ++i)
        e->shape[i] = shape_of(&(*first)->bodies[i]);
    return PL_OK;
}

// ---- frames --------------------------------------------------------------------------------------------------

// Numbers and times must increase. Checked when frames are read in order, which every exporter does once.
static pl_status check_order(pl__export *e, const pl_frame *frame, int32_t index)
{
    bool next = index > 0 && e->last_index == index - 1;
    PL_CHECK(e->ctx, !next || frame->number > e->last_number,
             "frame %d has the number %d, which must be above %d, that of the one before", index, frame->number,
             e->last_number);
    PL_CHECK(e->ctx, !next || frame->time > e->last_time,
             "frame %d is at %g s, which must be after %g s, the time of the one before", index, frame->time,
             e->last_time);
    e->last_index = index;
    e->last_number = frame->number;
    e->last_time = frame->time;
    return PL_OK;
}

pl_status pl__export_read(pl__export *e, int32_t index, const pl_frame **frame)
{
    *frame = NULL;
    e->ctx->error[0] = 0; // to detect whether the source sets a message
    pl_status status = e->source->read(e->source->user, index, frame);
    if (status != PL_OK && !e->ctx->error[0])
        return pl__fail(e->ctx, status, "pl_export: frame %d could not be read: %s", index, pl_status_name(status));
    PL_TRY(status);
    PL_CHECK(e->ctx, *frame, "pl_export: frame %d is NULL", index);
    PL_TRY(pl__export_check(e->ctx, *frame, index));
    PL_TRY(check_order(e, *frame, index));
    return e->shape ? compare_frame(e, *frame, index) : PL_OK;
}

// ---- files ---------------------------------------------------------------------------------------------------

static pl_status set_path(pl__export *e, const char *format, va_list arguments)
{
    int start = snprintf(e->path, sizeof e->path, "%s/", e->directory);
    int length = vsnprintf(e->path + start, sizeof e->path - (size_t)start, format, arguments);
    PL_CHECK(e->ctx, start + length < PL__EXPORT_PATH, "pl_export: the path %.100s... has %d bytes, allowed are %d",
             e->path, start + length, PL__EXPORT_PATH - 1);
    return PL_OK;
}

pl_status pl__export_path(pl__export *e, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    pl_status status = set_path(e, format, arguments);
    va_end(arguments);
    return status;
}

pl_status pl__export_open(pl__export *e, pl__writer *w, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    pl_status status = set_path(e, format, arguments);
    va_end(arguments);
    PL_TRY(status);
    PL_TRY(pl__writer_open(w, e->ctx, e->path));
    w->swap = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
    return PL_OK;
}

// ---- entry point ---------------------------------------------------------------------------------------------

static pl_status check_arguments(pl_context *ctx, pl_export_format format, const char *directory,
                                 const pl_frame_source *source)
{
    PL_CHECK(ctx, (unsigned)format < FORMAT_COUNT, "pl_export: format is %d, allowed is 0 to %d", (int)format,
             FORMAT_COUNT - 1);
    PL_CHECK(ctx, directory && directory[0], "pl_export: there is no directory");
    PL_CHECK(ctx, strlen(directory) < PL__EXPORT_PATH - 1,
             "pl_export: the directory's path has %zu bytes, allowed are %d", strlen(directory), PL__EXPORT_PATH - 2);
    PL_CHECK(ctx, source && source->read, "pl_export: there is no source of frames");
    PL_CHECK(ctx, source->frame_count > 0, "pl_export: frame_count is %d, it must be above 0", source->frame_count);
    PL_CHECK(ctx, isfinite(source->fps) && source->fps > 0, "pl_export: fps is %g, it must be above 0", source->fps);
    return PL_OK;
}

static pl_status make_directory(pl_context *ctx, const char *path, bool *made)
{
    *made = mkdir(path, 0777) == 0;
    if (*made)
        return PL_OK;
    int error = errno;
    struct stat info;
    if (error == EEXIST && stat(path, &info) == 0)
        error = S_ISDIR(info.st_mode) ? 0 : ENOTDIR;
    return error ? pl__file_fail(ctx, path, error) : PL_OK;
}

pl_status pl_export(pl_context *ctx, pl_export_format format, const char *directory, const pl_frame_source *source)
{
    if (!ctx)
        return PL_ERR_ARGUMENT;
    bool made;
    PL_TRY(check_arguments(ctx, format, directory, source));
    PL_TRY(make_directory(ctx, directory, &made));
    pl__export e = {.ctx = ctx, .directory = directory, .source = source, .last_index = -1};
    pl_status status = exporters[format].run(&e);
    PL_DELETE(ctx, e.shape, e.shape_count);
    if (status != PL_OK && made)
        (void)rmdir(directory); // fails for a directory that is not empty
    return status;
}

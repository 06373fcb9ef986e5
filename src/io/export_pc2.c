// src/io/export_pc2.c -- a rest mesh as OBJ and its points over time as a 3ds Max point cache, version 2.
//
//     char[12] "POINTCACHE2\0"    int32 version (1)    int32 points
//     float32  number of the first frame    float32 frames between samples    int32 samples
//     float32  x y z of every point, sample after sample
//
// Blender's importer drops the vertices that no face uses; a cache of all of them then has too many points and the
// modifier does nothing, silently. So both files leave them out.
#include "io/export.h"

#include <stdio.h>
#include <string.h>

typedef struct cache
{
    char name[PL__EXPORT_NAME];
    int32_t *kept; // [vertex_count] vertices in the file
    int32_t kept_count, vertex_count;
} cache;

typedef struct caches
{
    pl__export *e;
    cache *cache;
    int32_t count;
    float start, spacing;
} caches;

// Vertices used by triangles, in order; returns the count.
static int32_t find_used(const pl_frame_body *b, int32_t *kept)
{
    memset(kept, 0, (size_t)b->vertex_count * sizeof *kept);
    for (size_t i = 0; i < 3 * (size_t)b->triangle_count; ++i)
        kept[b->triangles[i]] = 1;
    int32_t count = 0;
    for (int32_t i = 0; i < b->vertex_count; ++i)
        if (kept[i])
            kept[count++] = i;
    return count;
}

// The cache has one constant spacing of samples. Reads all frames once, which also checks them before a file is
// written.
static pl_status find_spacing(caches *c, int32_t first_number)
{
    int32_t last = first_number, spacing = 1;
    for (int32_t f = 1; f < c->e->source->frame_count; ++f)
    {
        const pl_frame *frame;
        PL_TRY(pl__export_read(c->e, f, &frame));
        if (f == 1)
            spacing = frame->number - first_number;
        PL_CHECK(c->e->ctx, frame->number - last == spacing,
                 "frame %d has the number %d, but pc2 needs even distances and all before it are %d apart", f,
                 frame->number, spacing);
        last = frame->number;
    }
    c->start = (float)first_number;
    c->spacing = (float)spacing;
    return PL_OK;
}

static pl_status start_cache(caches *c, const pl_frame_body *b)
{
    cache *new = &c->cache[c->count++];
    memcpy(new->name, b->name, strlen(b->name) + 1);
    new->vertex_count = b->vertex_count;
    new->kept = PL_NEW(c->e->ctx, b->vertex_count, int32_t);
    if (!new->kept)
        return PL_ERR_MEMORY;
    new->kept_count = find_used(b, new->kept);
    return PL_OK;
}

static void name_file(void *user, int32_t track, char *name, size_t size)
{
    snprintf(name, size, "%s.pc2", ((caches *)user)->cache[track].name);
}

static void write_head(const caches *c, int32_t point_count, pl__writer *w)
{
    pl__write_bytes(w, "POINTCACHE2", 12);
    pl__write_i32(w, 1);
    pl__write_i32(w, point_count);
    pl__write_f32(w, c->start);
    pl__write_f32(w, c->spacing);
    pl__write_i32(w, c->e->source->frame_count);
}

static void write_points(void *user, int32_t track, pl__writer *w, const pl_frame *frame, int32_t index)
{
    const caches *c = user;
    const cache *own = &c->cache[track];
    if (index == 0)
        write_head(c, own->kept_count, w);
    for (int32_t i = 0; i < own->kept_count; ++i)
        pl__write_f32s(w, &frame->bodies[track].vertices[3 * (size_t)own->kept[i]], 3);
}

static pl_status write_files(caches *c, const pl_frame *first)
{
    int32_t number = first->number, count = first->body_count;
    for (int32_t i = 0; i < count; ++i)
        PL_TRY(start_cache(c, &first->bodies[i]));
    PL_TRY(find_spacing(c, number));
    PL_TRY(pl__export_read(c->e, 0, &first));
    for (int32_t i = 0; i < count; ++i)
    {
        PL_TRY(pl__export_path(c->e, "%s.obj", c->cache[i].name));
        PL_TRY(pl__export_obj_file(c->e, &first->bodies[i]));
    }
    return pl__export_write_tracks(c->e, &(pl__export_tracks){count, c, name_file, write_points});
}

pl_status pl__export_pc2(pl__export *e)
{
    const pl_frame *first;
    PL_TRY(pl__export_hold(e, false, &first));
    int32_t count = first->body_count;
    caches c = {.e = e, .cache = PL_NEW(e->ctx, count, cache)};
    if (!c.cache)
        return PL_ERR_MEMORY;
    pl_status status = write_files(&c, first);
    for (int32_t i = 0; i < c.count; ++i)
        PL_DELETE(e->ctx, c.cache[i].kept, c.cache[i].vertex_count);
    PL_DELETE(e->ctx, c.cache, count);
    return status;
}

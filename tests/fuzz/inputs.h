// tests/fuzz/inputs.h -- hand hostile bytes to a reader and check what it promises.
//
// Shared by the libFuzzer programs beside it and by tests/corpus.c, which runs everywhere. Each try_NAME traps when
//   1. a status is not PL_OK, PL_ERR_FORMAT or PL_ERR_MEMORY, or something is made on failure or missing on success;
//   2. what was made is not valid;
//   3. memory leaks, or exceeds a fixed multiple of the input;
//   4. a failure has no sentence, or one that does not start with the name of the file.
#ifndef PL_FUZZ_INPUTS_H
#define PL_FUZZ_INPUTS_H

#include "io/inflate.h"
#include "io/pc2.h"
#include "mesh/mesh.h"
#include <pliant/io.h>

#include <stdlib.h>
#include <string.h>

#define REQUIRE(condition) ((condition) ? (void)0 : __builtin_trap())

static size_t fuzz_in_use, fuzz_limit, fuzz_multiple = 100;

static void *fuzz_allocate(void *user, size_t size, size_t alignment)
{
    (void)user;
    fuzz_in_use += size;
    REQUIRE(fuzz_in_use <= fuzz_limit);
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void fuzz_release(void *user, void *pointer, size_t size)
{
    (void)user;
    fuzz_in_use -= size;
    free(pointer);
}

static void fuzz_log(void *user, pl_log_level level, const char *sentence)
{
    (void)user;
    (void)level;
    REQUIRE(sentence[0]);
}

// A text format may need 2 bytes for a corner of 4, arrays double as they grow, and finding a boundary takes some more.
static pl_context *fuzz_begin(size_t size)
{
    pl_context_def def = pl_context_def_default();
    def.allocator = (pl_allocator){fuzz_allocate, fuzz_release, NULL};
    def.log = fuzz_log;
    def.thread_count = 1;
    pl_context *ctx;
    fuzz_limit = fuzz_in_use + 16384 + fuzz_multiple * size;
    REQUIRE(pl_context_create(&def, &ctx) == PL_OK);
    return ctx;
}

static void fuzz_end(pl_context *ctx)
{
    REQUIRE(pl_context_memory(ctx) == 0);
    pl_context_destroy(&ctx);
}

static void check_result(const pl_context *ctx, pl_status status, bool made)
{
    REQUIRE((status == PL_OK) == made);
    REQUIRE(status == PL_OK || status == PL_ERR_FORMAT);
    REQUIRE(status == PL_OK || strncmp(pl_context_error(ctx), "in.", 3) == 0);
}

static void check_attributes(const pl__attributes *list, int32_t row_count)
{
    for (int32_t i = 0; i < list->count; ++i)
        for (int64_t k = 0; k < (int64_t)list->item[i].components * row_count; ++k)
            REQUIRE(list->item[i].value[k] - list->item[i].value[k] == 0);
}

static void check_surface(const pl_surface *s)
{
    REQUIRE(s->triangle_count >= 1);
    for (int32_t i = 0; i < 3 * s->triangle_count; ++i)
        REQUIRE(s->triangle[i] >= 0 && s->triangle[i] < s->node_count);
    for (int32_t i = 0; i < 3 * s->node_count; ++i)
        REQUIRE(s->position[i] - s->position[i] == 0); // finite
    for (int32_t i = 0; s->triangle_uv && i < 3 * s->triangle_count; ++i)
        REQUIRE(s->triangle_uv[i] >= -1 && s->triangle_uv[i] < s->uv_count);
    for (int32_t i = 0; i < 2 * s->uv_count; ++i)
        REQUIRE(s->uv[i] - s->uv[i] == 0);
    for (int32_t i = 0; s->triangle_group && i < s->triangle_count; ++i)
        REQUIRE(s->triangle_group[i] >= 0 && s->triangle_group[i] < s->group_count);
    check_attributes(&s->attributes, s->node_count);
}

static inline void try_surface(pl_file_format format, const char *name, const void *data, size_t size)
{
    pl_context *ctx = fuzz_begin(size);
    pl_surface *surface;
    pl_status status = pl_surface_parse(ctx, format, name, data, size, &surface);
    check_result(ctx, status, surface != NULL);
    if (surface)
        check_surface(surface);
    pl_surface_destroy(&surface);
    fuzz_end(ctx);
}

static inline void try_mesh(pl_file_format format, const char *name, const void *data, size_t size)
{
    pl_context *ctx = fuzz_begin(size);
    pl_mesh *mesh;
    pl_status status = pl_mesh_parse(ctx, format, name, data, size, &mesh);
    check_result(ctx, status, mesh != NULL);
    REQUIRE(!mesh || pl__mesh_is_valid(mesh));
    if (mesh)
        check_attributes(&mesh->attributes, mesh->node_count);
    pl_mesh_destroy(&mesh);
    fuzz_end(ctx);
}

static inline void try_both(pl_file_format format, const char *name, const void *data, size_t size)
{
    try_mesh(format, name, data, size);
    try_surface(format, name, data, size);
}

static inline void try_obj(const void *data, size_t size) { try_surface(PL_FILE_OBJ, "in.obj", data, size); }

static inline void try_msh(const void *data, size_t size) { try_both(PL_FILE_MSH22_TEXT, "in.msh", data, size); }
static inline void try_ply(const void *data, size_t size) { try_surface(PL_FILE_PLY, "in.ply", data, size); }
static inline void try_stl(const void *data, size_t size) { try_surface(PL_FILE_STL, "in.stl", data, size); }
static inline void try_medit(const void *data, size_t size) { try_both(PL_FILE_MEDIT, "in.mesh", data, size); }
static inline void try_vega(const void *data, size_t size) { try_both(PL_FILE_VEGA, "in.veg", data, size); }
static inline void try_vtk(const void *data, size_t size) { try_both(PL_FILE_VTK, "in.vtk", data, size); }

static inline bool contains(const char *data, size_t size, const char *word)
{
    for (size_t i = 0, length = strlen(word); i + length <= size; ++i)
        if (memcmp(data + i, word, length) == 0)
            return true;
    return false;
}

// Packed arrays are as large as they unpack.
static inline void try_vtu(const void *data, size_t size)
{
    fuzz_multiple = contains(data, size, "compressor") ? 100 * PL__INFLATE_RATIO : 100;
    try_both(PL_FILE_VTU, "in.vtu", data, size);
    fuzz_multiple = 100;
}

static inline void try_pc2(const void *data, size_t size)
{
    pl_context *ctx = fuzz_begin(size);
    pl__point_cache cache;
    pl_status status = pl__pc2_read(ctx, "in.pc2", data, size, &cache);
    check_result(ctx, status, cache.point_count > 0);
    for (int64_t i = 0; i < 3 * (int64_t)cache.point_count * cache.sample_count; ++i)
        REQUIRE(cache.position[i] - cache.position[i] == 0);
    pl__point_cache_free(ctx, &cache);
    fuzz_end(ctx);
}

// Two bytes with the announced size, then the stream.
static inline void try_inflate(const void *data, size_t size)
{
    const uint8_t *bytes = data;
    size_t out_size = size >= 2 ? bytes[0] + 256u * bytes[1] : 0;
    uint8_t *out = malloc(out_size + 1);
    REQUIRE(out);
    out[out_size] = 77;
    const char *fault = size >= 2 ? pl__inflate(bytes + 2, size - 2, out, out_size) : NULL;
    REQUIRE(!fault || fault[0]);
    REQUIRE(out[out_size] == 77);
    REQUIRE(fault || size < 2 || out_size <= PL__INFLATE_RATIO * size);
    free(out);
}

// The two files of a pair, with a '%' between them.
static inline void try_tetgen(const void *data, size_t size)
{
    const char *bytes = data, *mark = size ? memchr(data, '%', size) : NULL;
    size_t node_size = mark ? (size_t)(mark - bytes) : size, ele_size = mark ? size - node_size - 1 : 0;
    pl_context *ctx = fuzz_begin(size);
    pl_mesh *mesh;
    pl_status status =
        pl_mesh_parse_tetgen(ctx, "in.node", data, node_size, "in.ele", mark ? mark + 1 : NULL, ele_size, &mesh);
    check_result(ctx, status, mesh != NULL);
    REQUIRE(!mesh || pl__mesh_is_valid(mesh));
    pl_mesh_destroy(&mesh);
    fuzz_end(ctx);
}

#endif

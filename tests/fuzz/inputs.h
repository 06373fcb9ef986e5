// tests/fuzz/inputs.h -- hand hostile bytes to a reader and check what it promises.
//
// Shared by the libFuzzer programs beside it and by tests/corpus.c, which runs everywhere. Each try_NAME traps when
//   1. a status is not PL_OK, PL_ERR_FORMAT or PL_ERR_MEMORY, or something is made on failure or missing on success;
//   2. what was made is not valid;
//   3. memory leaks, or exceeds a fixed multiple of the input;
//   4. a failure has no sentence, or one that does not start with the name of the file.
#ifndef PL_FUZZ_INPUTS_H
#define PL_FUZZ_INPUTS_H

#include "mesh/mesh.h"
#include <pliant/io.h>

#include <stdlib.h>
#include <string.h>

#define REQUIRE(condition) ((condition) ? (void)0 : __builtin_trap())

static size_t fuzz_in_use, fuzz_limit;

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
    fuzz_limit = fuzz_in_use + 16384 + 100 * size;
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

static void check_surface(const pl_surface *s)
{
    REQUIRE(s->triangle_count >= 1);
    for (int32_t i = 0; i < 3 * s->triangle_count; ++i)
        REQUIRE(s->triangle[i] >= 0 && s->triangle[i] < s->node_count);
    for (int32_t i = 0; i < 3 * s->node_count; ++i)
        REQUIRE(s->position[i] - s->position[i] == 0); // finite
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
    pl_mesh_destroy(&mesh);
    fuzz_end(ctx);
}

static inline void try_obj(const void *data, size_t size) { try_surface(PL_FILE_OBJ, "in.obj", data, size); }

static inline void try_msh(const void *data, size_t size)
{
    try_mesh(PL_FILE_MSH22_TEXT, "in.msh", data, size);
    try_surface(PL_FILE_MSH22_TEXT, "in.msh", data, size);
}

// The two files of a pair, with a '%' between them.
static inline void try_tetgen(const void *data, size_t size)
{
    const char *bytes = data, *mark = size ? memchr(data, '%', size) : NULL;
    size_t node_size = mark ? (size_t)(mark - bytes) : size, ele_size = mark ? size - node_size - 1 : 0;
    pl_context *ctx = fuzz_begin(size);
    pl_mesh *mesh;
    pl_status status = pl_mesh_parse_tetgen(ctx, "in.node", data, node_size, "in.ele", mark ? mark + 1 : NULL, ele_size, &mesh);
    check_result(ctx, status, mesh != NULL);
    REQUIRE(!mesh || pl__mesh_is_valid(mesh));
    pl_mesh_destroy(&mesh);
    fuzz_end(ctx);
}

#endif

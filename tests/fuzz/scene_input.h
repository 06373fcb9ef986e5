// tests/fuzz/scene_input.h -- hand hostile bytes to the reader of scene files: "scene" or "scene%path=value".
//
// Files are in memory, and memory ends at SCENE_BYTES, so that what asks for a million elements is refused and soon
// over. Traps when something is left behind, when a failure has no sentence of one line that begins with a place, or
// when a scene differs from itself.
#ifndef PL_FUZZ_SCENE_INPUT_H
#define PL_FUZZ_SCENE_INPUT_H

#include "inputs.h"
#include "scene/source.h"

#include <errno.h>

enum
{
    SCENE_BYTES = 24 << 20
};

static const char tiny_obj[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\ng a\nf 1 3 2\nf 1 2 4\ng b\nf 1 4 3\nf 2 3 4\n";
static const char tiny_ply[] =
    "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nproperty float s\n"
    "element face 4\nproperty list uchar int vertex_indices\nend_header\n"
    "0 0 0 0\n1 0 0 0.5\n0 1 0 0.5\n0 0 1 1\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n";
static const char tiny_msh[] = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 "
                               "1\n$EndNodes\n$Elements\n1\n1 4 2 0 1 1 2 3 4\n$EndElements\n";
static const char tiny_pc2[] =
    "POINTCACHE2\0\1\0\0\0\4\0\0\0\0\0\0\0\0\0\200\77\1\0\0\0"
    "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";

typedef struct
{
    const void *scene;
    size_t scene_size, in_use;
    int open_count;
} scene_room;

static void *scene_allocate(void *user, size_t size, size_t alignment)
{
    scene_room *r = user;
    if (size > SCENE_BYTES - r->in_use)
        return NULL;
    r->in_use += size;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void scene_release(void *user, void *pointer, size_t size)
{
    scene_room *r = user;
    r->in_use -= size;
    free(pointer);
}

static int scene_open(void *user, const char *path, const void **data, size_t *size)
{
    scene_room *r = user;
    const struct
    {
        const char *path;
        const void *data;
        size_t size;
    } files[] = {{"in.json", r->scene, r->scene_size},
                 {"a.obj", tiny_obj, sizeof tiny_obj - 1},
                 {"a.ply", tiny_ply, sizeof tiny_ply - 1},
                 {"a.msh", tiny_msh, sizeof tiny_msh - 1},
                 {"a.pc2", tiny_pc2, sizeof tiny_pc2}};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; ++i)
        if (strcmp(files[i].path, path) == 0)
        {
            *data = files[i].data;
            *size = files[i].size;
            r->open_count++;
            return 0;
        }
    return ENOENT;
}

static void scene_close(void *user, const void *data, size_t size)
{
    scene_room *r = user;
    (void)data;
    (void)size;
    r->open_count--;
}

static void scene_log(void *user, pl_log_level level, const char *sentence)
{
    (void)user;
    (void)level;
    REQUIRE(sentence[0]);
}

static void no_difference(void *user, const pl__difference *difference)
{
    (void)user;
    (void)difference;
    __builtin_trap();
}

static void check_scene_sentence(const pl_context *ctx)
{
    const char *said = pl_context_error(ctx);
    REQUIRE(strncmp(said, "in.json:", 8) == 0 || strncmp(said, "--set ", 6) == 0 || strncmp(said, "a.", 2) == 0);
    REQUIRE(strncmp(said, "--set ", 6) == 0 || !strchr(said, '\n'));
}

static void read_scene(pl_context *ctx, const char *const *changes, int32_t change_count)
{
    pl__source *source;
    pl_scene *scene = NULL;
    pl_status status = pl__source_open(ctx, "in.json", changes, change_count, &source);
    REQUIRE((status == PL_OK) == (source != NULL));
    if (source)
    {
        pl__scene_compare(source->doc.root, source->doc.root, no_difference, NULL);
        status = pl__source_build(source, &scene);
        REQUIRE((status == PL_OK) == (scene != NULL));
    }
    REQUIRE(status == PL_OK || status == PL_ERR_FORMAT || status == PL_ERR_MEMORY);
    if (status == PL_ERR_FORMAT)
        check_scene_sentence(ctx);
    pl_scene_destroy(&scene);
    pl__source_close(&source);
}

static inline void try_scene(const void *data, size_t size)
{
    const char *bytes = data, *mark = size ? memchr(data, '%', size) : NULL;
    size_t scene_size = mark ? (size_t)(mark - bytes) : size, change_size = mark ? size - scene_size - 1 : 0;
    char *change = calloc(change_size + 1, 1);
    REQUIRE(change);
    if (mark)
        memcpy(change, mark + 1, change_size);
    scene_room r = {.scene = data, .scene_size = scene_size};
    pl_context_def def = pl_context_def_default();
    def.allocator = (pl_allocator){scene_allocate, scene_release, &r};
    def.file_reader = (pl_file_reader){scene_open, scene_close, &r};
    def.log = scene_log;
    def.thread_count = 1;
    pl_context *ctx;
    REQUIRE(pl_context_create(&def, &ctx) == PL_OK);
    read_scene(ctx, &(const char *){change}, mark != NULL);
    REQUIRE(pl_context_memory(ctx) == 0 && r.open_count == 0);
    pl_context_destroy(&ctx);
    free(change);
}

#endif

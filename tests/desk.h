// tests/desk.h -- a context whose files are in memory and whose log is kept, for tests of scene files.
#ifndef PL_TEST_DESK_H
#define PL_TEST_DESK_H

#include "host.h"
#include "scene/scene.h"
#include "scene/source.h"

#include <errno.h>

// A box of 1 x 2 x 3 from (1, 1, 1), two of its sides a group.
static const char box_obj[] = "v 1 1 1\nv 2 1 1\nv 2 3 1\nv 1 3 1\nv 1 1 4\nv 2 1 4\nv 2 3 4\nv 1 3 4\n"
                              "g sides\nf 1 4 3 2\nf 5 6 7 8\ng rest\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";
// Two tetrahedra of two regions.
static const char pair_msh[] =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n3 1 \"left\"\n3 2 \"right\"\n$EndPhysicalNames\n"
    "$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n$EndNodes\n"
    "$Elements\n2\n1 4 2 1 1 1 2 3 4\n2 4 2 2 2 2 3 4 5\n$EndElements\n";
// A tetrahedron with a number per vertex.
static const char painted_ply[] = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float "
                                  "y\nproperty float z\nproperty float stiffness\n"
                                  "element face 4\nproperty list uchar int vertex_indices\nend_header\n"
                                  "0 0 0 0\n1 0 0 0.5\n0 1 0 0.5\n0 0 1 1\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n";
// One point, two samples from frame 2 on, half a frame apart: (0, 0, 0), (1, 2, 3).
static const char point_pc2[] = "POINTCACHE2\0\1\0\0\0\1\0\0\0\0\0\0\100\0\0\0\77\2\0\0\0"
                                "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\200\77\0\0\0\100\0\0\100\100";

static const struct
{
    const char *name, *data;
    size_t size;
} desk_files[] = {{"dir/box.obj", box_obj, sizeof box_obj - 1},
                  {"dir/pair.msh", pair_msh, sizeof pair_msh - 1},
                  {"dir/painted.ply", painted_ply, sizeof painted_ply - 1},
                  {"dir/point.pc2", point_pc2, sizeof point_pc2 - 1}};

typedef struct desk
{
    host h;
    pl_context *ctx;
    const char *scene; // the text of dir/scene.json
    int open_count;
    char log[4096]; // its warnings, one per line
} desk;

static int desk_open(void *user, const char *path, const void **data, size_t *size)
{
    desk *d = user;
    if (strcmp(path, "dir/scene.json") == 0 && d->scene)
    {
        *data = d->scene;
        *size = strlen(d->scene);
        d->open_count++;
        return 0;
    }
    for (size_t i = 0; i < sizeof desk_files / sizeof desk_files[0]; ++i)
        if (strcmp(desk_files[i].name, path) == 0)
        {
            *data = desk_files[i].data;
            *size = desk_files[i].size;
            d->open_count++;
            return 0;
        }
    return ENOENT;
}

static void desk_close(void *user, const void *data, size_t size)
{
    desk *d = user;
    (void)data;
    (void)size;
    d->open_count--;
}

static void desk_log(void *user, pl_log_level level, const char *sentence)
{
    desk *d = user;
    size_t used = strlen(d->log);
    if (level == PL_LOG_WARNING)
        snprintf(d->log + used, sizeof d->log - used, "%s\n", sentence);
}

__attribute__((unused)) static void desk_make(desk *d)
{
    *d = (desk){.h = {.until_failure = -1}};
    pl_context_def def = pl_context_def_default();
    def.allocator = (pl_allocator){host_allocate, host_release, &d->h};
    def.file_reader = (pl_file_reader){desk_open, desk_close, d};
    def.log = desk_log;
    def.log_user = d;
    def.thread_count = 1;
    if (pl_context_create(&def, &d->ctx) != PL_OK)
        abort();
}

// Everything is given back: memory and files.
__attribute__((unused)) static void desk_clear(desk *d)
{
    CHECK_THAT(pl_context_memory(d->ctx) == 0, "%zu bytes are left", pl_context_memory(d->ctx));
    CHECK_THAT(d->open_count == 0, "%d files are open", d->open_count);
    pl_context_destroy(&d->ctx);
}

#endif

// tests/stuffing_trials.c -- meshes out of real surfaces, as a table.
//
// Reads every .obj in the directory named by the environment variable PLIANT_TRIAL_MESHES, fills it at several
// resolutions (cells along its longest side) in both modes, and prints what came out. Without the variable there is
// nothing to do. PLIANT_TRIAL_RESOLUTIONS="16 32 64 128" changes the resolutions; PLIANT_TRIAL_OUT names a directory
// for boundaries as .obj.
#include "inspect.h"
#include <dirent.h>
#include <pliant/io.h>
#include <time.h>

typedef struct
{
    const char *name;
    pl_surface *surface;
    test_surface s; // borrowed arrays of `surface`
    pl__bvh *bvh;
    double volume, longest;
    bool closed;
} trial;

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static pl__bvh *boundary_hierarchy(pl_context *ctx, const pl_mesh *mesh)
{
    pl_surface *boundary = NULL;
    pl__bvh *bvh = NULL;
    CHECK_OK(ctx, pl_surface_create(ctx, pl_mesh_positions(mesh), pl_mesh_node_count(mesh), pl_mesh_triangles(mesh),
                                    pl_mesh_triangle_count(mesh), &boundary));
    CHECK_OK(ctx, pl__bvh_create(boundary, &bvh));
    pl_surface_destroy(&boundary);
    return bvh;
}

// How far surface vertices are from the boundary of the mesh: what the mesh has lost.
static double farthest_surface_node(pl_context *ctx, const trial *t, const pl_mesh *mesh)
{
    pl__bvh *bvh = boundary_hierarchy(ctx, mesh);
    double farthest = 0;
    for (int32_t i = 0; i < 3 * t->s.triangles; i += 3)
        farthest = fmax(farthest, pl__bvh_closest(bvh, t->s.x + 3 * t->s.t[i], NULL, NULL));
    pl__bvh_destroy(&bvh);
    return farthest;
}

static void write_boundary(const trial *t, const pl_mesh *mesh, int resolution, int mode)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s_%d_%s.obj", getenv("PLIANT_TRIAL_OUT"), t->name, resolution,
             mode ? "covering" : "fitted");
    FILE *file = fopen(path, "w");
    for (int32_t i = 0; file && i < pl_mesh_node_count(mesh); ++i)
        fprintf(file, "v %.9g %.9g %.9g\n", pl_mesh_positions(mesh)[3 * i], pl_mesh_positions(mesh)[3 * i + 1],
                pl_mesh_positions(mesh)[3 * i + 2]);
    for (int32_t i = 0; file && i < pl_mesh_triangle_count(mesh); ++i)
        fprintf(file, "f %d %d %d\n", pl_mesh_triangles(mesh)[3 * i] + 1, pl_mesh_triangles(mesh)[3 * i + 1] + 1,
                pl_mesh_triangles(mesh)[3 * i + 2] + 1);
    if (file)
        fclose(file);
}

static void run_trial(pl_context *ctx, const trial *t, int resolution, int mode)
{
    pl_stuffing_def def = pl_stuffing_def_default();
    def.mode = (pl_stuffing_mode)mode;
    def.size = t->longest / resolution;
    pl_mesh *mesh;
    double start = seconds();
    pl_status status = pl_mesh_create_from_surface(ctx, &def, t->surface, &mesh);
    double elapsed = seconds() - start;
    printf("%-18s %4d %-8s ", t->name, resolution, mode ? "covering" : "fitted");
    if (status != PL_OK)
    {
        printf("%s: %s\n", pl_status_name(status), pl_context_error(ctx));
        CHECK(status == PL_ERR_ARGUMENT);
        return;
    }
    double smallest, largest, v = pl_mesh_volume(mesh);
    int32_t crowded, loose = edges_without_partner(mesh, &crowded);
    pl_mesh_dihedral_range(mesh, &smallest, &largest);
    double to_surface = farthest_boundary_node(mesh, t->bvh) / def.size,
           to_mesh = farthest_surface_node(ctx, t, mesh) / def.size;
    int32_t outside = mode ? points_outside(mesh, &t->s, def.size, 3) : 0;
    printf("%8d %8d %7.3f %8.3f %9.2g %9.3f %8.2f %6d %6d %7.2f\n", pl_mesh_tet_count(mesh), pl_mesh_node_count(mesh),
           smallest, largest, to_surface, to_mesh, 100 * (v / t->volume - 1), crowded, outside, elapsed);
    fflush(stdout);
    CHECK(loose == 0 && outside == 0 && fabs(boundary_volume(mesh) - v) <= 1e-9 * v);
    CHECK(mode ? crowded == 0 : smallest >= 10.7 && largest <= 164.8);
    CHECK(mode || !t->closed || to_surface <= 0.5);
    if (getenv("PLIANT_TRIAL_OUT"))
        write_boundary(t, mesh, resolution, mode);
    pl_mesh_destroy(&mesh);
}

static void run_file(pl_context *ctx, const char *directory, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    trial t = {.name = name};
    CHECK_OK(ctx, pl_surface_load(ctx, path, &t.surface));
    if (!t.surface)
        return;
    t.s = (test_surface){(double *)pl_surface_positions(t.surface), (int32_t *)pl_surface_triangles(t.surface),
                         pl_surface_node_count(t.surface), pl_surface_triangle_count(t.surface)};
    t.volume = surface_volume(&t.s);
    CHECK_OK(ctx, pl__bvh_create(t.surface, &t.bvh));
    t.longest = fmax(fmax(t.bvh->extent[0], t.bvh->extent[1]), t.bvh->extent[2]);
    t.closed = !strstr(name, "hole");
    char list[256];
    snprintf(list, sizeof list, "%s",
             getenv("PLIANT_TRIAL_RESOLUTIONS") ? getenv("PLIANT_TRIAL_RESOLUTIONS") : "16 32 64");
    for (char *word = strtok(list, " "); word; word = strtok(NULL, " "))
        for (int mode = 0; mode < 2; ++mode)
            run_trial(ctx, &t, atoi(word), mode);
    pl__bvh_destroy(&t.bvh);
    pl_surface_destroy(&t.surface);
}

static int compare_names(const void *a, const void *b) { return strcmp(a, b); }

static void real_surfaces_are_filled(void)
{
    const char *directory = getenv("PLIANT_TRIAL_MESHES");
    DIR *dir = directory ? opendir(directory) : NULL;
    if (!dir)
    {
        printf("     skipped: PLIANT_TRIAL_MESHES names no directory\n");
        return;
    }
    static char names[256][256];
    size_t count = 0;
    for (struct dirent *entry; (entry = readdir(dir)) && count < 256;)
        if (strlen(entry->d_name) < 256 && strstr(entry->d_name, ".obj"))
            strcpy(names[count++], entry->d_name);
    closedir(dir);
    qsort(names, count, sizeof *names, compare_names);
    pl_context *ctx = test_context(0);
    printf("%-18s %4s %-8s %8s %8s %7s %8s %9s %9s %8s %6s %6s %7s\n", "model", "res", "mode", "tets", "nodes",
           "min deg", "max deg", "off/size", "lost/size", "volume %", "crowd", "out", "seconds");
    for (size_t i = 0; i < count; ++i)
        run_file(ctx, directory, names[i]);
    pl_context_destroy(&ctx);
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {TEST(real_surfaces_are_filled)};
    return RUN(tests);
}

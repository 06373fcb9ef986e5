// tests/voxels.c -- cells cut out of a grid: their boundary becomes a manifold.
#include "host.h"
#include "test.h"
#include "base/random.h"
#include "mesh/voxels.h"

enum
{
    SIDE = 6,
    CELLS = SIDE * SIDE * SIDE
};

static pl__voxels grid(int8_t *kept) { return (pl__voxels){{SIDE, SIDE, SIDE}, {0, 0, 0}, {3, 3, 3}, kept}; }

// Every boundary edge has two triangles, one in each direction, and the triangles around every boundary node are one
// fan.
static int non_manifold(const pl_mesh *m)
{
    int wrong = 0;
    for (int32_t node = 0; node < m->node_count; ++node)
    {
        int32_t from[64], to[64], count = 0;
        for (int32_t i = 0; i < 3 * m->triangle_count; ++i)
            if (m->triangle[i] == node && count < 64)
            {
                from[count] = m->triangle[i - i % 3 + (i + 1) % 3];
                to[count++] = m->triangle[i - i % 3 + (i + 2) % 3];
            }
        if (count == 0)
            continue;
        // walk from triangle to triangle; a manifold comes back after all of them
        int32_t at = from[0], steps = 0;
        do
        {
            int32_t next = -1, ways = 0;
            for (int32_t k = 0; k < count; ++k)
                if (from[k] == at)
                    next = to[k], ways++;
            wrong += ways != 1;
            at = next;
            steps++;
        } while (at != from[0] && at >= 0 && steps < 64);
        wrong += steps != count;
    }
    return wrong;
}

// Random cells of any density, in a grid with a free rim: carving leaves a part of them, mending adds to them, both
// manifold, and neither changes what is one already.
static void boundaries_become_manifolds(void)
{
    pl_context *ctx = test_context(1);
    for (uint64_t trial = 0; trial < 60; ++trial)
        for (int carve = 0; carve < 2; ++carve)
        {
            int8_t given[CELLS], kept[CELLS], again[CELLS];
            for (int i = 0; i < CELLS; ++i)
            {
                int x = i % SIDE, y = i / SIDE % SIDE, z = i / SIDE / SIDE;
                bool rim = x % (SIDE - 1) == 0 || y % (SIDE - 1) == 0 || z % (SIDE - 1) == 0;
                given[i] = !rim && pl__random01(1, trial, (uint64_t)i) < 0.2 + 0.6 * (double)trial / 60;
            }
            memcpy(kept, given, sizeof kept);
            pl__voxels v = grid(kept);
            (carve ? pl__voxels_carve : pl__voxels_mend)(&v);
            int wrong = 0;
            for (int i = 0; i < CELLS; ++i)
                wrong += carve ? kept[i] > given[i] : kept[i] < given[i];
            CHECK(wrong == 0);
            memcpy(again, kept, sizeof again);
            (carve ? pl__voxels_carve : pl__voxels_mend)(&v);
            CHECK(memcmp(again, kept, sizeof again) == 0);
            pl_mesh *mesh;
            CHECK_OK(ctx, pl__voxels_mesh(ctx, "test", &v, &mesh));
            CHECK(!mesh == (pl__voxels_count(&v) == 0));
            if (mesh)
                CHECK_THAT(mesh->element_count == pl__voxels_count(&v) && non_manifold(mesh) == 0, "trial %d: %d wrong",
                           (int)trial, non_manifold(mesh));
            pl_mesh_destroy(&mesh);
        }
    pl_context_destroy(&ctx);
}

// Two bars that touch along an edge: carving takes the cell that does the least harm, mending one cell. Cells that hang
// on by an edge or by a corner go; what hangs on by a face stays.
static void little_is_changed(void)
{
    static const struct
    {
        int32_t at[3];
        int carved, mended;
    } cases[3] = {{{3, 3, 1}, 2, 4}, {{3, 3, 2}, 2, 5}, {{3, 2, 1}, 3, 3}};
    for (int k = 0; k < 3; ++k)
        for (int carve = 0; carve < 2; ++carve)
        {
            int8_t kept[CELLS] = {0};
            pl__voxels v = grid(kept);
            // two cells in a row, and one beside the second: over an edge, over a corner, over a face
            kept[pl__voxel(&v, (const int32_t[3]){1, 2, 1})] = kept[pl__voxel(&v, (const int32_t[3]){2, 2, 1})] = 1;
            kept[pl__voxel(&v, cases[k].at)] = 1;
            (carve ? pl__voxels_carve : pl__voxels_mend)(&v);
            CHECK_THAT(pl__voxels_count(&v) == (carve ? cases[k].carved : cases[k].mended), "case %d, %d: %d cells", k,
                       carve, (int)pl__voxels_count(&v));
        }
}

static pl_status make_one(pl_context *ctx)
{
    int8_t kept[CELLS] = {0};
    kept[43] = 1;
    pl__voxels v = grid(kept);
    pl_mesh *mesh;
    pl_status status = pl__voxels_mesh(ctx, "test", &v, &mesh);
    CHECK((status == PL_OK) == (mesh != NULL));
    pl_mesh_destroy(&mesh);
    return status;
}

static void every_failed_allocation_is_survived(void) { CHECK(survive_every_failure(make_one) > 5); }

int main(int argc, char **argv)
{
    static const pl_test tests[] = {TEST(boundaries_become_manifolds), TEST(little_is_changed),
                                    TEST(every_failed_allocation_is_survived)};
    return RUN(tests);
}

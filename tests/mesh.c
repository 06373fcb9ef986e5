// tests/mesh.c -- meshes and surfaces from arrays: what is repaired, what is refused, what is promised.
#include "host.h"
#include "test.h"
#include "mesh/mesh.h"

static const double cube[24] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1};
static const int32_t cube_tets[20] = {0, 5, 3, 6, 1, 0, 5, 3, 2, 3, 6, 0, 4, 5, 0, 6, 7, 6, 3, 5};

// The call fails as an argument error whose sentence contains `words`, and leaves nothing behind.
static void check_refused(const double *x, int32_t node_count, const int32_t *tets, int32_t tet_count, const char *words)
{
    pl_context *ctx = test_context(1);
    pl_mesh *mesh = (pl_mesh *)1;
    CHECK(pl_mesh_create(ctx, x, node_count, tets, tet_count, &mesh) == PL_ERR_ARGUMENT);
    CHECK_THAT(strstr(pl_context_error(ctx), words), "\"%s\" lacks \"%s\"", pl_context_error(ctx), words);
    CHECK(mesh == NULL && pl_context_memory(ctx) == 0);
    pl_context_destroy(&ctx);
}

static double boundary_volume(const pl_mesh *mesh)
{
    double sum = 0;
    const double *x = pl_mesh_positions(mesh);
    const int32_t *t = pl_mesh_triangles(mesh);
    for (int32_t i = 0; i < pl_mesh_triangle_count(mesh); ++i)
    {
        const double *a = &x[3 * t[3 * i]], *b = &x[3 * t[3 * i + 1]], *c = &x[3 * t[3 * i + 2]];
        sum += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
    }
    return sum / 6;
}

// ---- properties --------------------------------------------------------------------------------------------

// A cube in five tetrahedra, some of them inside out: one note naming the first, and the volume of both sums is 1.
static void inverted_tets_are_turned_with_one_note(void)
{
    host h;
    pl_context *ctx = host_context(&h);
    int32_t tets[20];
    memcpy(tets, cube_tets, sizeof tets);
    tets[5] = 5, tets[6] = 0;
    tets[16] = 6, tets[17] = 7;
    pl_mesh *mesh;
    CHECK_OK(ctx, pl_mesh_create(ctx, cube, 8, tets, 5, &mesh));
    CHECK(h.note_count == 1);
    CHECK_THAT(strcmp(h.note, "pl_mesh_create: 2 of 5 tetrahedra had negative volume and were turned: first is 1") == 0,
               "%s", h.note);
    CHECK(pl__mesh_is_valid(mesh));
    CHECK(pl_mesh_triangle_count(mesh) == 12);
    CHECK_NEAR(pl_mesh_volume(mesh), 1, 1e-15);
    CHECK_NEAR(boundary_volume(mesh), 1, 1e-15);
    pl_mesh_destroy(&mesh);
    CHECK(mesh == NULL && pl_context_memory(ctx) == 0);
    pl_context_destroy(&ctx);
}

// What was right already is kept as it was, silently; the boundary of the first tetrahedron in the order of its faces.
static void good_meshes_are_kept(void)
{
    host h;
    pl_context *ctx = host_context(&h);
    pl_mesh *mesh;
    CHECK_OK(ctx, pl_mesh_create(ctx, cube, 8, cube_tets, 5, &mesh));
    CHECK(h.note_count == 0);
    CHECK(pl_mesh_node_count(mesh) == 8 && pl_mesh_tet_count(mesh) == 5);
    CHECK(memcmp(pl_mesh_tets(mesh), cube_tets, sizeof cube_tets) == 0);
    CHECK(memcmp(pl_mesh_positions(mesh), cube, sizeof cube) == 0);
    static const int32_t first[6] = {1, 3, 5, 1, 0, 3};
    CHECK(memcmp(pl_mesh_triangles(mesh), first, sizeof first) == 0);
    CHECK(pl_mesh_region_count(mesh) == 1 && pl_mesh_region_name(mesh, 0)[0] == 0);
    CHECK(pl_mesh_region_name(mesh, 7)[0] == 0 && pl_mesh_tet_regions(mesh)[4] == 0);
    pl_mesh_destroy(&mesh);
    pl_mesh_destroy(&mesh);
    pl_context_destroy(&ctx);
}

// Nodes of no tetrahedron stay, and are no part of the boundary.
static void loose_nodes_are_kept(void)
{
    pl_context *ctx = test_context(1);
    static const int32_t tet[4] = {1, 3, 2, 7};
    pl_mesh *mesh;
    CHECK_OK(ctx, pl_mesh_create(ctx, cube, 8, tet, 1, &mesh));
    CHECK(pl_mesh_node_count(mesh) == 8 && pl_mesh_triangle_count(mesh) == 4 && pl__mesh_is_valid(mesh));
    pl_mesh_destroy(&mesh);
    pl_context_destroy(&ctx);
}

static void bad_meshes_are_refused_by_name(void)
{
    int32_t tets[20];
    double x[24];
    memcpy(tets, cube_tets, sizeof tets);
    memcpy(x, cube, sizeof x);
    check_refused(x, 8, tets, 0, "tet_count is 0, allowed is 1 to 536870911");
    check_refused(x, 8, tets, INT32_MAX, "tet_count is 2147483647");
    check_refused(x, -1, tets, 5, "node_count is -1");
    check_refused(x, INT32_MAX, tets, 5, "node_count is 2147483647");
    check_refused(NULL, 8, tets, 5, "positions is NULL");
    check_refused(x, 8, NULL, 5, "tets is NULL");
    tets[18] = 8;
    check_refused(x, 8, tets, 5, "tetrahedron 4 (nodes 7 6 8 5): node 8 is out of range, allowed is 0 to 7");
    tets[18] = -1;
    check_refused(x, 8, tets, 5, "node -1 is out of range");
    tets[18] = 6;
    check_refused(x, 8, tets, 5, "tetrahedron 4 (nodes 7 6 6 5) repeats node 6");
    tets[18] = 4;
    check_refused(x, 8, tets, 5, "tetrahedron 4 (nodes 7 6 4 5) is degenerate");
    tets[18] = 3;
    x[7 * 3 + 1] = NAN;
    check_refused(x, 8, tets, 5, "node 7: y is");
    x[7 * 3 + 1] = -INFINITY;
    check_refused(x, 8, tets, 5, "node 7: y is -inf");
}

static void crowded_triangles_are_refused(void)
{
    static const double x[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 2, 0, 0, -1};
    static const int32_t tets[12] = {0, 1, 2, 3, 0, 2, 1, 5, 0, 1, 2, 4};
    check_refused(x, 6, tets, 3, "tetrahedra 0, 1 and 2 share a triangle");
}

// Two tetrahedra on the same side of a triangle: kept, with a warning.
static void overlaps_are_warned_of(void)
{
    static const double x[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 2};
    static const int32_t tets[8] = {0, 1, 2, 3, 0, 1, 2, 4};
    host h;
    pl_context *ctx = host_context(&h);
    pl_mesh *mesh;
    CHECK_OK(ctx, pl_mesh_create(ctx, x, 5, tets, 2, &mesh));
    CHECK_THAT(h.note_count == 1 && strstr(h.note, "1 pairs") && strstr(h.note, "first are 0 and 1"), "%s", h.note);
    pl_mesh_destroy(&mesh);
    pl_context_destroy(&ctx);
}

// A sliver of relative volume v is accepted above 1e-12 and refused below, whatever its size and orientation.
static void degeneracy_does_not_depend_on_scale(void)
{
    pl_context *ctx = test_context(1);
    static const double scales[] = {1e-150, 1e-20, 1, 1e20, 1e150, 1e300};
    for (int s = 0; s < 6; ++s)
        for (int flat = 0; flat < 2; ++flat)
        {
            // longest edge sqrt 2, so the volume is height / 6 / 2^1.5 of its cube
            double height = (flat ? 0.9e-12 : 1.1e-12) * 6 * pow(2, 1.5), a = scales[s];
            double x[12] = {0, 0, 0, a, 0, 0, 0, a, 0, 0, 0, (s % 2 ? -a : a) * height};
            static const int32_t tet[4] = {0, 1, 2, 3};
            pl_mesh *mesh;
            pl_status status = pl_mesh_create(ctx, x, 4, tet, 1, &mesh);
            CHECK_THAT(status == (flat ? PL_ERR_ARGUMENT : PL_OK), "scale %g: %s", a, pl_context_error(ctx));
            pl_mesh_destroy(&mesh);
        }
    pl_context_destroy(&ctx);
}

// Coordinates of both signs near the largest number: their difference overflows, the check does not.
static void largest_numbers_are_survived(void)
{
    pl_context *ctx = test_context(1);
    double a = 1.7e308;
    double x[12] = {-a, -a, -a, a, -a, -a, -a, a, -a, -a, -a, a};
    static const int32_t tet[4] = {0, 1, 2, 3};
    pl_mesh *mesh;
    double low, high;
    CHECK_OK(ctx, pl_mesh_create(ctx, x, 4, tet, 1, &mesh));
    pl_mesh_dihedral_range(mesh, &low, &high);
    CHECK_NEAR(low, acos(1 / sqrt(3)) * 180 / M_PI, 1e-12);
    CHECK_NEAR(high, 90, 1e-12);
    pl_mesh_destroy(&mesh);
    pl_context_destroy(&ctx);
}

// All angles of the regular tetrahedron are acos(1/3).
static void regular_tet_has_its_angles(void)
{
    static const double x[12] = {1, 1, 1, 1, -1, -1, -1, 1, -1, -1, -1, 1};
    static const int32_t tet[4] = {0, 1, 2, 3};
    pl_context *ctx = test_context(1);
    pl_mesh *mesh;
    double low, high;
    CHECK_OK(ctx, pl_mesh_create(ctx, x, 4, tet, 1, &mesh));
    pl_mesh_dihedral_range(mesh, &low, &high);
    CHECK_NEAR(low, acos(1 / 3.0) * 180 / M_PI, 1e-12);
    CHECK_NEAR(high, acos(1 / 3.0) * 180 / M_PI, 1e-12);
    CHECK_NEAR(pl_mesh_volume(mesh), 8 / 3.0, 1e-15);
    pl_mesh_destroy(&mesh);
    pl_context_destroy(&ctx);
}

// Validity sees every kind of damage.
static void damage_is_seen(void)
{
    pl_context *ctx = test_context(1);
    pl_mesh *mesh;
    CHECK_OK(ctx, pl_mesh_create(ctx, cube, 8, cube_tets, 5, &mesh));
    CHECK(pl__mesh_is_valid(mesh) && !pl__mesh_is_valid(NULL));
    mesh->tet[19] = 99;
    CHECK(!pl__mesh_is_valid(mesh));
    mesh->tet[19] = 5;
    mesh->position[5] = NAN;
    CHECK(!pl__mesh_is_valid(mesh));
    mesh->position[5] = 0;
    mesh->tet_region[2] = 1;
    CHECK(!pl__mesh_is_valid(mesh));
    mesh->tet_region[2] = 0;
    mesh->triangle[4] ^= 1;
    CHECK(!pl__mesh_is_valid(mesh));
    mesh->triangle[4] ^= 1;
    CHECK(pl__mesh_is_valid(mesh));
    mesh->position[0] = 3;
    CHECK(!pl__mesh_is_valid(mesh));
    pl_mesh_destroy(&mesh);
    pl_context_destroy(&ctx);
}

static void regions_have_names(void)
{
    pl_context *ctx = test_context(1);
    pl_mesh *mesh;
    static const char *const names[] = {"bone", "", "fat"};
    CHECK_OK(ctx, pl_mesh_create(ctx, cube, 8, cube_tets, 5, &mesh));
    CHECK_OK(ctx, pl__mesh_set_regions(mesh, 3, names));
    CHECK(pl_mesh_region_count(mesh) == 3 && strcmp(pl_mesh_region_name(mesh, 2), "fat") == 0);
    CHECK(pl_mesh_region_name(mesh, 1)[0] == 0);
    pl_mesh_destroy(&mesh);
    CHECK(pl_context_memory(ctx) == 0);
    pl_context_destroy(&ctx);
}

static void surfaces_are_checked(void)
{
    pl_context *ctx = test_context(1);
    pl_surface *surface;
    static const int32_t triangles[6] = {0, 1, 2, 3, 3, 4};
    static const int32_t bad[6] = {0, 1, 2, 3, 8, 4};
    double x[24];
    memcpy(x, cube, sizeof x);
    CHECK_OK(ctx, pl_surface_create(ctx, x, 8, triangles, 2, &surface));
    CHECK(pl_surface_node_count(surface) == 8 && pl_surface_triangle_count(surface) == 2);
    CHECK(memcmp(pl_surface_triangles(surface), triangles, sizeof triangles) == 0);
    CHECK(memcmp(pl_surface_positions(surface), cube, sizeof cube) == 0);
    pl_surface_destroy(&surface);
    CHECK(pl_surface_create(ctx, x, 8, bad, 2, &surface) == PL_ERR_ARGUMENT && !surface);
    CHECK(strstr(pl_context_error(ctx), "triangle 1 (nodes 3 8 4): node 8 is out of range, allowed is 0 to 7"));
    CHECK(pl_surface_create(ctx, x, 8, triangles, 0, &surface) == PL_ERR_ARGUMENT && !surface);
    CHECK(pl_surface_create(ctx, x, -8, triangles, 2, &surface) == PL_ERR_ARGUMENT && !surface);
    CHECK(pl_surface_create(ctx, NULL, 8, triangles, 2, &surface) == PL_ERR_ARGUMENT && !surface);
    CHECK(pl_surface_create(ctx, x, 8, NULL, 2, &surface) == PL_ERR_ARGUMENT && !surface);
    x[23] = NAN;
    CHECK(pl_surface_create(ctx, x, 8, triangles, 2, &surface) == PL_ERR_ARGUMENT && !surface);
    CHECK(strstr(pl_context_error(ctx), "node 7: z is"));
    CHECK(pl_context_memory(ctx) == 0);
    pl_context_destroy(&ctx);
}

static pl_status make_everything(pl_context *ctx)
{
    static const char *const names[] = {"bone", "fat"};
    pl_surface *surface = NULL;
    pl_mesh *mesh = NULL;
    pl_status status = pl_mesh_create(ctx, cube, 8, cube_tets, 5, &mesh);
    CHECK((status == PL_OK) == (mesh != NULL));
    if (status == PL_OK)
        status = pl__mesh_set_regions(mesh, 2, names);
    if (status == PL_OK)
        status = pl_surface_create(ctx, cube, 8, mesh->triangle, mesh->triangle_count, &surface);
    CHECK((status == PL_OK) == (surface != NULL));
    pl_mesh_destroy(&mesh);
    pl_surface_destroy(&surface);
    return status;
}

static void every_failed_allocation_is_survived(void) { CHECK(survive_every_failure(make_everything) > 10); }

// A unit tetrahedron: closed; with a triangle missing, turned, or doubled; cut at seams; beside another; with a stray vertex.
static void surfaces_are_surveyed(void)
{
    static const double x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 9, 9, 9, -0.0, 0, 0, 5, 0, 0, 6, 0, 0, 5, 1, 0, 5, 0, 1};
    static const int32_t whole[] = {0, 2, 1, 0, 1, 3, 5, 3, 2, 1, 2, 3, 6, 8, 7, 6, 7, 9, 6, 9, 8, 7, 8, 9};
    static const struct
    {
        int32_t nodes, triangles, turned_triangle, open, turned, parts, unused;
    } cases[] = {{4, 2, -1, 4, 0, 1, 0}, {10, 8, -1, 0, 0, 2, 1}, {6, 4, 1, 0, 3, 1, 1}, {6, 4, -1, 0, 0, 1, 1}, {6, 3, -1, 3, 0, 1, 1}};
    host h;
    pl_context *ctx = host_context(&h);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k)
    {
        int32_t t[24];
        memcpy(t, whole, sizeof t);
        if (cases[k].turned_triangle >= 0)
        {
            int32_t *turned = &t[3 * cases[k].turned_triangle];
            int32_t swap = turned[0];
            turned[0] = turned[1];
            turned[1] = swap;
        }
        pl_surface *s;
        pl_surface_info info;
        CHECK_OK(ctx, pl_surface_create(ctx, x, cases[k].nodes, t, cases[k].triangles, &s));
        CHECK_OK(ctx, pl_surface_survey(s, &info));
        CHECK_THAT(info.open_edges == cases[k].open && info.turned_edges == cases[k].turned && info.parts == cases[k].parts && info.unused == cases[k].unused,
                   "case %zu: %d open, %d turned, %d parts, %d unused", k, info.open_edges, info.turned_edges, info.parts, info.unused);
        CHECK(info.crowded_edges == 0 && info.upper[1] == 1);
        if (info.open_edges + info.turned_edges == 0)
            CHECK_NEAR(info.volume, info.parts / 6.0, 1e-15);
        pl_surface_destroy(&s);
    }
    pl_context_destroy(&ctx);
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {
        TEST(inverted_tets_are_turned_with_one_note), TEST(good_meshes_are_kept), TEST(loose_nodes_are_kept),
        TEST(bad_meshes_are_refused_by_name), TEST(crowded_triangles_are_refused),
        TEST(overlaps_are_warned_of), TEST(degeneracy_does_not_depend_on_scale),
        TEST(largest_numbers_are_survived), TEST(regular_tet_has_its_angles),
        TEST(damage_is_seen), TEST(regions_have_names),
        TEST(surfaces_are_checked), TEST(every_failed_allocation_is_survived), TEST(surfaces_are_surveyed),
    };
    return RUN(tests);
}

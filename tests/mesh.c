// tests/mesh.c -- meshes and surfaces from arrays: what is repaired, what is refused, what is promised.
#include "host.h"
#include "test.h"
#include "base/random.h"
#include "mesh/mesh.h"

static const double cube[24] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1};
static const int32_t cube_tets[20] = {0, 5, 3, 6, 1, 0, 5, 3, 2, 3, 6, 0, 4, 5, 0, 6, 7, 6, 3, 5};

// The call fails as an argument error whose sentence contains `words`, and leaves nothing behind.
static void check_refused(const double *x, int32_t node_count, const int32_t *tets, int32_t tet_count,
                          const char *words)
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
        sum += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
               a[2] * (b[0] * c[1] - b[1] * c[0]);
    }
    return sum / 6;
}

static void check_elements_refused(pl_element_kind kind, const double *x, int32_t node_count, const int32_t *elements,
                                   int32_t element_count, const char *words)
{
    pl_context *ctx = test_context(1);
    pl_mesh *mesh = (pl_mesh *)1;
    CHECK(pl_mesh_create_elements(ctx, kind, x, node_count, elements, element_count, &mesh) == PL_ERR_ARGUMENT);
    CHECK_THAT(strstr(pl_context_error(ctx), words), "\"%s\" lacks \"%s\"", pl_context_error(ctx), words);
    CHECK(mesh == NULL && pl_context_memory(ctx) == 0);
    pl_context_destroy(&ctx);
}

static pl_mesh *make(pl_context *ctx, pl_element_kind kind, const double *x, int32_t node_count,
                     const int32_t *elements, int32_t element_count)
{
    pl_mesh *mesh;
    CHECK_OK(ctx, pl_mesh_create_elements(ctx, kind, x, node_count, elements, element_count, &mesh));
    CHECK(pl__mesh_is_valid(mesh));
    return mesh;
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
    CHECK(pl_mesh_region_name(mesh, 7)[0] == 0 && pl_mesh_element_regions(mesh)[4] == 0);
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
    mesh->element[19] = 99;
    CHECK(!pl__mesh_is_valid(mesh));
    mesh->element[19] = 5;
    mesh->position[5] = NAN;
    CHECK(!pl__mesh_is_valid(mesh));
    mesh->position[5] = 0;
    mesh->element_region[2] = 1;
    CHECK(!pl__mesh_is_valid(mesh));
    mesh->element_region[2] = 0;
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

// ---- hexahedra ---------------------------------------------------------------------------------------------

// Two cubes side by side, numbered by the bits of `cube`; corners in the order of VTK.
static const double two_cubes[36] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1,
                                     0, 1, 1, 1, 1, 1, 2, 0, 0, 2, 1, 0, 2, 0, 1, 2, 1, 1};
static const int32_t two_hexes[16] = {0, 1, 3, 2, 4, 5, 7, 6, 1, 8, 9, 3, 5, 10, 11, 7};

// The common face is inside; the others are halved, outward, from their lowest nodes.
static void hexes_have_volume_and_boundary(void)
{
    host h;
    pl_context *ctx = host_context(&h);
    pl_mesh *mesh = make(ctx, PL_ELEMENT_HEX, two_cubes, 12, two_hexes, 2);
    CHECK(h.note_count == 0 && pl_mesh_kind(mesh) == PL_ELEMENT_HEX && pl_mesh_element_count(mesh) == 2);
    CHECK(memcmp(pl_mesh_elements(mesh), two_hexes, sizeof two_hexes) == 0);
    CHECK(pl_mesh_tet_count(mesh) == 0 && pl_mesh_tets(mesh) == NULL && pl_mesh_element_regions(mesh)[1] == 0);
    CHECK(pl_mesh_triangle_count(mesh) == 20);
    static const int32_t first[6] = {0, 4, 6, 0, 6, 2};
    CHECK(memcmp(pl_mesh_triangles(mesh), first, sizeof first) == 0);
    CHECK_NEAR(pl_mesh_volume(mesh), 2, 1e-15);
    CHECK_NEAR(boundary_volume(mesh), 2, 1e-15);
    CHECK_NEAR(pl_mesh_area(mesh), 10, 1e-14);
    double low, high;
    pl_mesh_dihedral_range(mesh, &low, &high);
    CHECK_NEAR(low, 90, 1e-12);
    CHECK_NEAR(high, 90, 1e-12);
    pl_mesh_destroy(&mesh);
    CHECK(pl_context_memory(ctx) == 0);
    pl_context_destroy(&ctx);
}

// The frustum of a pyramid, bottom 2 x 2, top 1 x 1, height 3: volume 3 (4 + 2 + 1) / 3. Sheared, its volume stays; and
// the dihedral angles of a box sheared by 45 degrees are 45 and 135.
static void hex_volumes_are_exact(void)
{
    pl_context *ctx = test_context(1);
    static const int32_t hex[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    double x[24] = {-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0, -.5, -.5, 3, .5, -.5, 3, .5, .5, 3, -.5, .5, 3};
    for (int sheared = 0; sheared < 2; ++sheared)
    {
        pl_mesh *mesh = make(ctx, PL_ELEMENT_HEX, x, 8, hex, 1);
        CHECK_NEAR(pl_mesh_volume(mesh), 7, 1e-14);
        CHECK_NEAR(boundary_volume(mesh), 7, 1e-14);
        pl_mesh_destroy(&mesh);
        for (int n = 0; n < 8; ++n)
            x[3 * n] += 0.7 * x[3 * n + 1] - 0.4 * x[3 * n + 2];
    }
    double sheared[24], low, high;
    for (int n = 0; n < 8; ++n)
    {
        const double *c = &cube[3 * two_hexes[n]];
        sheared[3 * n] = c[0] + c[1], sheared[3 * n + 1] = c[1], sheared[3 * n + 2] = c[2];
    }
    pl_mesh *mesh = make(ctx, PL_ELEMENT_HEX, sheared, 8, hex, 1);
    pl_mesh_dihedral_range(mesh, &low, &high);
    CHECK_NEAR(low, 45, 1e-12);
    CHECK_NEAR(high, 135, 1e-12);
    pl_mesh_destroy(&mesh);
    pl_context_destroy(&ctx);
}

// The volume of a bent hexahedron, by the gradients of its eight shape functions: N_c = product of (1 - u) or u for
// each axis.
static double volume_by_shape_functions(const double x[24])
{
    static const int8_t at[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                    {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    double sum = 0, place[2] = {0.5 - 0.5 / sqrt(3), 0.5 + 0.5 / sqrt(3)};
    for (int g = 0; g < 8; ++g)
    {
        double J[3][3] = {{0}};
        for (int c = 0; c < 8; ++c)
            for (int axis = 0; axis < 3; ++axis)
            {
                double slope = 1;
                for (int d = 0; d < 3; ++d)
                    slope *= d == axis ? 2 * at[c][d] - 1 : at[c][d] ? place[g >> d & 1] : 1 - place[g >> d & 1];
                for (int d = 0; d < 3; ++d)
                    J[d][axis] += slope * x[3 * c + d];
            }
        sum += J[0][0] * (J[1][1] * J[2][2] - J[1][2] * J[2][1]) - J[0][1] * (J[1][0] * J[2][2] - J[1][2] * J[2][0]) +
               J[0][2] * (J[1][0] * J[2][1] - J[1][1] * J[2][0]);
    }
    return sum / 8;
}

static void bent_hexes_have_the_volume_of_their_shape_functions(void)
{
    pl_context *ctx = test_context(1);
    static const int32_t hex[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    for (uint64_t trial = 0; trial < 50; ++trial)
    {
        double x[24];
        for (int i = 0; i < 24; ++i)
            x[i] = cube[3 * two_hexes[i / 3] + i % 3] + 0.3 * (pl__random01(4, trial, (uint64_t)i) - 0.5);
        pl_mesh *mesh = make(ctx, PL_ELEMENT_HEX, x, 8, hex, 1);
        CHECK_NEAR(pl_mesh_volume(mesh), volume_by_shape_functions(x), 1e-14);
        pl_mesh_destroy(&mesh);
    }
    pl_context_destroy(&ctx);
}

static void inverted_hexes_are_turned_over(void)
{
    host h;
    pl_context *ctx = host_context(&h);
    int32_t hexes[16];
    memcpy(hexes, two_hexes, sizeof hexes);
    for (int c = 0; c < 4; ++c)
        hexes[8 + c] = two_hexes[12 + c], hexes[12 + c] = two_hexes[8 + c];
    pl_mesh *mesh = make(ctx, PL_ELEMENT_HEX, two_cubes, 12, hexes, 2);
    CHECK(h.note_count == 1 && memcmp(pl_mesh_elements(mesh), two_hexes, sizeof two_hexes) == 0);
    CHECK_THAT(strcmp(h.note,
                      "pl_mesh_create_elements: 1 of 2 hexahedra had negative volume and were turned: first is 1") == 0,
               "%s", h.note);
    pl_mesh_destroy(&mesh);
    pl_context_destroy(&ctx);
}

static void bad_hexes_are_refused_by_name(void)
{
    int32_t hexes[24];
    double x[45];
    memcpy(hexes, two_hexes, sizeof two_hexes);
    memcpy(x, two_cubes, sizeof two_cubes);
    check_elements_refused(PL_ELEMENT_HEX, x, 12, hexes, 0, "element_count is 0, allowed is 1 to 268435455");
    check_elements_refused(PL_ELEMENT_HEX, x, 12, NULL, 2, "elements is NULL, but element_count is 2");
    check_elements_refused((pl_element_kind)3, x, 12, hexes, 2, "kind is 3, allowed is 0 to 2");
    check_elements_refused((pl_element_kind)-1, x, 12, hexes, 2, "kind is -1");
    hexes[15] = 12;
    check_elements_refused(PL_ELEMENT_HEX, x, 12, hexes, 2,
                           "hexahedron 1 (nodes 1 8 9 3 5 10 11 12): node 12 is out of range");
    hexes[15] = 1;
    check_elements_refused(PL_ELEMENT_HEX, x, 12, hexes, 2,
                           "hexahedron 1 (nodes 1 8 9 3 5 10 11 1) repeats node 1, its eight nodes");
    // two nodes of the top exchanged
    hexes[15] = 11, hexes[14] = 7;
    check_elements_refused(PL_ELEMENT_HEX, x, 12, hexes, 2, "hexahedron 1 (nodes 1 8 9 3 5 10 7 11) is twisted");
    hexes[15] = 7, hexes[14] = 11;
    for (int n = 8; n < 12; ++n)
        x[3 * n] = 1;
    check_elements_refused(PL_ELEMENT_HEX, x, 12, hexes, 2, "hexahedron 1 (nodes 1 8 9 3 5 10 11 7) is degenerate");
    // a third on the common face
    for (int c = 0; c < 8; ++c)
        hexes[16 + c] = two_hexes[8 + c];
    hexes[17] = 12, hexes[18] = 13, hexes[21] = 14, hexes[22] = 11;
    memcpy(x, two_cubes, sizeof two_cubes);
    double far[9] = {3, 0, 0, 3, 1, 0, 3, 0, 1};
    memcpy(&x[36], far, sizeof far);
    check_elements_refused(PL_ELEMENT_HEX, x, 15, hexes, 3,
                           "hexahedra 0, 1 and 2 share a quadrilateral, allowed are two to a quadrilateral");
}

// Whether a hexahedron is flat does not depend on its size.
static void flat_hexes_are_flat_at_any_scale(void)
{
    pl_context *ctx = test_context(1);
    static const double scales[] = {1e-150, 1, 1e150, 1e300};
    for (int s = 0; s < 4; ++s)
        for (int flat = 0; flat < 2; ++flat)
        {
            double x[24];
            for (int i = 0; i < 24; ++i)
                x[i] = scales[s] * cube[i] * (i % 3 == 2 ? (flat ? 0.9e-12 : 1.1e-12) : 1);
            pl_mesh *mesh;
            CHECK(pl_mesh_create_elements(ctx, PL_ELEMENT_HEX, x, 8, two_hexes, 1, &mesh) ==
                  (flat ? PL_ERR_ARGUMENT : PL_OK));
            pl_mesh_destroy(&mesh);
        }
    pl_context_destroy(&ctx);
}

// ---- triangles ---------------------------------------------------------------------------------------------

static const int32_t square[6] = {0, 1, 3, 0, 3, 2};

static void triangles_are_their_own_boundary(void)
{
    host h;
    pl_context *ctx = host_context(&h);
    pl_mesh *mesh = make(ctx, PL_ELEMENT_TRIANGLE, cube, 8, square, 2);
    CHECK(h.note_count == 0 && pl_mesh_kind(mesh) == PL_ELEMENT_TRIANGLE && pl_mesh_triangle_count(mesh) == 2);
    CHECK(memcmp(pl_mesh_elements(mesh), square, sizeof square) == 0 &&
          memcmp(pl_mesh_triangles(mesh), square, sizeof square) == 0);
    CHECK(pl_mesh_volume(mesh) == 0);
    CHECK_NEAR(pl_mesh_area(mesh), 1, 1e-15);
    double low, high;
    pl_mesh_dihedral_range(mesh, &low, &high);
    CHECK_NEAR(low, 45, 1e-12);
    CHECK_NEAR(high, 90, 1e-12);
    pl_mesh_destroy(&mesh);
    pl_context_destroy(&ctx);
}

static void bad_triangles_are_refused_by_name(void)
{
    static const int32_t repeated[6] = {0, 1, 3, 0, 3, 3}, beyond[3] = {0, 1, 8}, line[3] = {0, 1, 2};
    static const double on_a_line[9] = {0, 0, 0, 1, 1, 1, 2, 2, 2};
    check_elements_refused(PL_ELEMENT_TRIANGLE, cube, 8, repeated, 2,
                           "triangle 1 (nodes 0 3 3) repeats node 3, its three nodes");
    check_elements_refused(PL_ELEMENT_TRIANGLE, cube, 8, beyond, 1, "triangle 0 (nodes 0 1 8): node 8 is out of range");
    check_elements_refused(PL_ELEMENT_TRIANGLE, on_a_line, 3, line, 1,
                           "triangle 0 (nodes 0 1 2) is degenerate: its area is 0 of the square");
}

// Two parts: in the first, one of three faces another way and is turned; in the second two of three do, so the third
// is.
static void triangles_are_made_to_agree(void)
{
    host h;
    pl_context *ctx = host_context(&h);
    double x[30] = {0};
    for (int n = 0; n < 10; ++n)
        x[3 * n] = n / 2 + n / 5 * 9, x[3 * n + 1] = n % 2;
    static const int32_t given[18] = {0, 2, 1, 1, 3, 2, 2, 4, 3, 5, 6, 7, 6, 8, 7, 7, 8, 9};
    static const int32_t wanted[18] = {0, 2, 1, 1, 2, 3, 2, 4, 3, 5, 6, 7, 6, 8, 7, 7, 8, 9};
    int32_t twisted[18];
    memcpy(twisted, wanted, sizeof wanted);
    pl_mesh *mesh = make(ctx, PL_ELEMENT_TRIANGLE, x, 10, given, 6);
    CHECK(h.note_count == 1 && memcmp(mesh->element, wanted, sizeof wanted) == 0);
    CHECK_THAT(strstr(h.note, "1 of 6 triangles faced another way than their neighbours and were turned: first is 1"),
               "%s", h.note);
    pl_mesh_destroy(&mesh);
    // the majority wins also where it is not the first
    twisted[10] = 7, twisted[11] = 6;
    mesh = make(ctx, PL_ELEMENT_TRIANGLE, x, 10, twisted, 6);
    CHECK(memcmp(mesh->element, wanted, sizeof wanted) == 0 && strstr(h.note, "first is 3"));
    pl_mesh_destroy(&mesh);
    pl_context_destroy(&ctx);
}

// A ring of an odd number of half turns has one side only.
static void moebius_strips_are_refused(void)
{
    enum
    {
        N = 12
    };
    double x[6 * N];
    int32_t t[6 * N];
    for (int i = 0; i < N; ++i)
        for (int side = 0; side < 2; ++side)
        {
            double along = 2 * M_PI * i / N, width = side ? 0.3 : -0.3, r = 1 + width * cos(along / 2);
            double *p = &x[3 * (2 * i + side)];
            p[0] = r * cos(along), p[1] = width * sin(along / 2), p[2] = r * sin(along);
        }
    for (int half = 0; half < 2; ++half)
    {
        for (int i = 0; i < N; ++i)
        {
            // the last pair of nodes meets the first, crosswise in a Moebius strip
            int next = (i + 1) % N, cross = i == N - 1 && half == 0;
            int32_t a = 2 * i, b = 2 * i + 1, c = 2 * next + cross, d = 2 * next + !cross;
            const int32_t two[6] = {a, c, b, b, c, d};
            memcpy(&t[6 * i], two, sizeof two);
        }
        if (half == 0)
            check_elements_refused(PL_ELEMENT_TRIANGLE, x, 2 * N, t, 2 * N, "disagree across the edge of nodes");
    }
    pl_context *ctx = test_context(1);
    pl_mesh *ring = make(ctx, PL_ELEMENT_TRIANGLE, x, 2 * N, t, 2 * N);
    pl_mesh_destroy(&ring);
    pl_context_destroy(&ctx);
}

// Three sheets that meet in a line.
static void edges_of_three_triangles_are_noted(void)
{
    host h;
    pl_context *ctx = host_context(&h);
    static const int32_t t[12] = {0, 1, 2, 0, 1, 4, 1, 0, 7, 2, 1, 3};
    pl_mesh *mesh = make(ctx, PL_ELEMENT_TRIANGLE, cube, 8, t, 4);
    CHECK(h.note_count == 1 && memcmp(mesh->element, t, sizeof t) == 0);
    CHECK_THAT(strstr(h.note, "edges of three triangles or more: 1; first meet triangles 0, 1 and 2"), "%s", h.note);
    pl_mesh_destroy(&mesh);
    pl_context_destroy(&ctx);
}

// A copy is the same in every respect, for every kind.
static void copies_are_alike(void)
{
    pl_context *ctx = test_context(1);
    static const char *const names[] = {"bone", "fat"};
    for (int kind = 0; kind < 3; ++kind)
    {
        const int32_t *elements[3] = {cube_tets, two_hexes, square};
        const int32_t count[3] = {5, 2, 2};
        pl_mesh *mesh = make(ctx, (pl_element_kind)kind, two_cubes, 12, elements[kind], count[kind]);
        CHECK_OK(ctx, pl__mesh_set_regions(mesh, 2, names));
        CHECK_OK(ctx, pl__mesh_add_attribute(mesh, "heat", 1, two_cubes));
        mesh->element_region[1] = 1;
        pl_mesh *copy = pl__mesh_copy(mesh);
        pl_mesh_destroy(&mesh);
        CHECK(pl__mesh_is_valid(copy) && copy->kind == (pl_element_kind)kind && copy->element_region[1] == 1);
        CHECK(memcmp(copy->element, elements[kind], sizeof(int32_t) * pl__mesh_index_count(copy)) == 0);
        CHECK(strcmp(pl_mesh_region_name(copy, 1), "fat") == 0 && pl_mesh_attribute_values(copy, 0)[3] == two_cubes[3]);
        pl_mesh_destroy(&copy);
    }
    CHECK(pl_context_memory(ctx) == 0);
    pl_context_destroy(&ctx);
}

static void kinds_have_their_corners(void)
{
    CHECK(pl_element_corners(PL_ELEMENT_TET) == 4 && pl_element_corners(PL_ELEMENT_HEX) == 8);
    CHECK(pl_element_corners(PL_ELEMENT_TRIANGLE) == 3 && pl_element_corners((pl_element_kind)7) == 0);
}

// Validity sees damage of every kind of element.
static void damage_of_other_kinds_is_seen(void)
{
    pl_context *ctx = test_context(1);
    pl_mesh *hexes = make(ctx, PL_ELEMENT_HEX, two_cubes, 12, two_hexes, 2);
    hexes->triangle[5] ^= 1;
    CHECK(!pl__mesh_is_valid(hexes));
    hexes->triangle[5] ^= 1;
    hexes->element[14] = 7, hexes->element[15] = 11;
    CHECK(!pl__mesh_is_valid(hexes));
    pl_mesh *sheet = make(ctx, PL_ELEMENT_TRIANGLE, cube, 8, square, 2);
    sheet->element[4] = sheet->triangle[4] = 2, sheet->element[5] = sheet->triangle[5] = 3;
    CHECK(!pl__mesh_is_valid(sheet));
    pl_mesh_destroy(&hexes);
    pl_mesh_destroy(&sheet);
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
    if (status == PL_OK)
        status = pl_mesh_create_elements(ctx, PL_ELEMENT_HEX, two_cubes, 12, two_hexes, 2, &mesh);
    pl_mesh_destroy(&mesh);
    static const int32_t turned[6] = {0, 1, 3, 0, 2, 3};
    if (status == PL_OK)
        status = pl_mesh_create_elements(ctx, PL_ELEMENT_TRIANGLE, cube, 8, turned, 2, &mesh);
    pl_mesh_destroy(&mesh);
    return status;
}

static void every_failed_allocation_is_survived(void) { CHECK(survive_every_failure(make_everything) > 10); }

// A unit tetrahedron: closed; with a triangle missing, turned, or doubled; cut at seams; beside another; with a stray
// vertex.
static void surfaces_are_surveyed(void)
{
    static const double x[] = {0,    0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 9, 9, 9,
                               -0.0, 0, 0, 5, 0, 0, 6, 0, 0, 5, 1, 0, 5, 0, 1};
    static const int32_t whole[] = {0, 2, 1, 0, 1, 3, 5, 3, 2, 1, 2, 3, 6, 8, 7, 6, 7, 9, 6, 9, 8, 7, 8, 9};
    static const struct
    {
        int32_t nodes, triangles, turned_triangle, open, turned, parts, unused;
    } cases[] = {{4, 2, -1, 4, 0, 1, 0},
                 {10, 8, -1, 0, 0, 2, 1},
                 {6, 4, 1, 0, 3, 1, 1},
                 {6, 4, -1, 0, 0, 1, 1},
                 {6, 3, -1, 3, 0, 1, 1}};
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
        CHECK_THAT(info.open_edges == cases[k].open && info.turned_edges == cases[k].turned &&
                       info.parts == cases[k].parts && info.unused == cases[k].unused,
                   "case %zu: %d open, %d turned, %d parts, %d unused", k, info.open_edges, info.turned_edges,
                   info.parts, info.unused);
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
        TEST(inverted_tets_are_turned_with_one_note),
        TEST(good_meshes_are_kept),
        TEST(loose_nodes_are_kept),
        TEST(bad_meshes_are_refused_by_name),
        TEST(crowded_triangles_are_refused),
        TEST(overlaps_are_warned_of),
        TEST(degeneracy_does_not_depend_on_scale),
        TEST(largest_numbers_are_survived),
        TEST(regular_tet_has_its_angles),
        TEST(damage_is_seen),
        TEST(regions_have_names),
        TEST(surfaces_are_checked),
        TEST(every_failed_allocation_is_survived),
        TEST(surfaces_are_surveyed),
        TEST(hexes_have_volume_and_boundary),
        TEST(hex_volumes_are_exact),
        TEST(bent_hexes_have_the_volume_of_their_shape_functions),
        TEST(inverted_hexes_are_turned_over),
        TEST(bad_hexes_are_refused_by_name),
        TEST(flat_hexes_are_flat_at_any_scale),
        TEST(triangles_are_their_own_boundary),
        TEST(bad_triangles_are_refused_by_name),
        TEST(triangles_are_made_to_agree),
        TEST(moebius_strips_are_refused),
        TEST(edges_of_three_triangles_are_noted),
        TEST(copies_are_alike),
        TEST(kinds_have_their_corners),
        TEST(damage_of_other_kinds_is_seen),
    };
    return RUN(tests);
}

// tests/embed.c -- surfaces carried by meshes: who carries a vertex, where it goes, what a world reads back.
#include "base/random.h"
#include "embed/embed.h"
#include "embed/locate.h"
#include "embed/vertex_normals.h"
#include "embed/turn.h"
#include "fixture.h"
#include "host.h"
#include "inspect.h"
#include "random_input.h"

static pl_surface *give(pl_context *ctx, const test_surface *s)
{
    pl_surface *surface = NULL;
    CHECK_OK(ctx, pl_surface_create(ctx, s->x, s->nodes, s->t, s->triangles, &surface));
    return surface;
}

static pl_mesh *cover(pl_context *ctx, const test_surface *s, double size)
{
    pl_stuffing_def def = pl_stuffing_def_default();
    def.mode = PL_STUFFING_COVERING, def.size = size;
    pl_surface *surface = give(ctx, s);
    pl_mesh *mesh = NULL;
    CHECK_OK(ctx, pl_mesh_create_from_surface(ctx, &def, surface, &mesh));
    pl_surface_destroy(&surface);
    return mesh;
}

static pl_mesh *shape(pl_context *ctx, pl_shape_kind kind, double edge)
{
    pl_shape_def def = pl_shape_def_default();
    pl_mesh *mesh = NULL;
    def.kind = kind, def.edge = edge, def.jitter = 0.3, def.seed = 5;
    CHECK_OK(ctx, pl_mesh_create_shape(ctx, &def, &mesh));
    return mesh;
}

static pl_mesh *hexes(pl_context *ctx, pl_shape_kind kind, double edge, double jitter)
{
    pl_shape_def def = pl_shape_def_default();
    def.kind = kind, def.edge = edge, def.jitter = jitter, def.elements = PL_ELEMENT_HEX;
    pl_mesh *mesh = NULL;
    CHECK_OK(ctx, pl_mesh_create_shape(ctx, &def, &mesh));
    return mesh;
}

// ---- finding ---------------------------------------------------------------------------------------------------

// The smallest of the four barycentric coordinates of p in a tetrahedron.
static double depth(const pl_mesh *mesh, int32_t tet, const double *p)
{
    const int32_t *n = &mesh->element[4 * tet];
    const double *a = mesh->position + 3 * n[0], *b = mesh->position + 3 * n[1], *c = mesh->position + 3 * n[2],
                 *d = mesh->position + 3 * n[3];
    return fmin(fmin(det3(b, c, d, p), det3(a, d, c, p)), fmin(det3(a, b, d, p), det3(a, c, b, p))) / det3(b, c, d, a);
}

// The lowest tetrahedron that holds p within rounding, or -1; `clear`: no other comes near it without holding it.
static int32_t search_all(const pl_mesh *mesh, const double *p, bool *clear)
{
    int32_t lowest = -1;
    *clear = true;
    for (int32_t t = 0; t < mesh->element_count; ++t)
    {
        double d = depth(mesh, t, p);
        if (d >= -1e-9 && lowest < 0)
            lowest = t;
        *clear &= d >= -1e-9 || d < -1e-3;
    }
    return lowest;
}

static void compare(const pl__tet_tree *tree, const pl__bvh *boundary, const double *p)
{
    bool clear;
    double distance, closest[3];
    int32_t found = pl__tet_tree_find(tree, p, &distance), expected = search_all(&tree->carriers, p, &clear);
    if (expected >= 0)
    {
        CHECK_NEAR(distance, 0, 1e-12);
        CHECK_THAT(!clear || found == expected, "(%g, %g, %g): %d, not %d", p[0], p[1], p[2], found, expected);
        return;
    }
    // outside: the nearest point of the boundary belongs to the tetrahedron
    CHECK_NEAR(distance, pl__bvh_closest(boundary, p, closest, NULL), 1e-12);
    CHECK(depth(&tree->carriers, found, closest) > -1e-3);
    expected = search_all(&tree->carriers, closest, &clear);
    CHECK_THAT(!clear || found == expected, "(%g, %g, %g) outside: %d, not %d", p[0], p[1], p[2], found, expected);
}

// Points at random in and around a mesh, and its nodes and the middles of edges, faces and tetrahedra, moved far away
// too.
static void check_search(pl_context *ctx, pl_mesh *mesh)
{
    pl_surface *surface = NULL;
    pl__bvh *boundary = NULL;
    pl__tet_tree tree = {0};
    CHECK_OK(ctx,
             pl_surface_create(ctx, mesh->position, mesh->node_count, mesh->triangle, mesh->triangle_count, &surface));
    CHECK_OK(ctx, pl__bvh_create(surface, &boundary));
    CHECK_OK(ctx, pl__tet_tree_create(ctx, mesh, &tree));
    for (uint64_t i = 0; i < 800; ++i)
    {
        double p[3];
        for (int d = 0; d < 3; ++d)
            p[d] = boundary->center[d] + 0.7 * boundary->extent[d] * random_pm(11, 3 * i + (uint64_t)d);
        compare(&tree, boundary, p);
        const int32_t *n = &tree.carriers.element[4 * (int32_t)(pl__random01(12, 0, i) * tree.carriers.element_count)];
        for (int k = 0; k < 4; ++k)
        {
            for (int d = 0; d < 3; ++d)
            {
                p[d] = 0;
                for (int c = 0; c <= k; ++c)
                    p[d] += mesh->position[3 * n[c] + d] / (k + 1);
            }
            if (i < 200)
                compare(&tree, boundary, p);
        }
    }
    pl__tet_tree_done(&tree);
    pl__bvh_destroy(&boundary);
    pl_surface_destroy(&surface);
    pl_mesh_destroy(&mesh);
}

static void search_finds_what_trying_all_finds(void)
{
    pl_context *ctx = test_context(1);
    check_search(ctx, shape(ctx, PL_SHAPE_BOX, 0.2));
    check_search(ctx, shape(ctx, PL_SHAPE_TORUS, 0.2));
    test_surface torus = surface_torus(1, 0.4, 24, 12), sphere = surface_sphere(6);
    check_search(ctx, cover(ctx, &torus, 0.25));
    surface_move(&sphere, 1, 30, -20, 10);
    check_search(ctx, cover(ctx, &sphere, 0.3));
    static const double x[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const int32_t t[4] = {0, 1, 2, 3};
    pl_mesh *single = NULL;
    CHECK_OK(ctx, pl_mesh_create(ctx, x, 4, t, 1, &single));
    check_search(ctx, single);
    check_search(ctx, hexes(ctx, PL_SHAPE_BOX, 0.3, 0));
    check_search(ctx, hexes(ctx, PL_SHAPE_BOX, 0.2, 0.25));
    check_search(ctx, hexes(ctx, PL_SHAPE_TORUS, 0.15, 0.2));
    surface_free(&torus);
    surface_free(&sphere);
    CHECK(pl_context_memory(ctx) == 0);
    pl_context_destroy(&ctx);
}

// A mesh that covers its surface leaves nothing outside: all weights are in [0, 1] but for rounding.
static void covering_meshes_hold_all_vertices(void)
{
    pl_context *ctx = test_context(1);
    test_surface s = surface_torus(1, 0.3, 60, 20);
    pl_surface *surface = give(ctx, &s);
    pl_mesh *mesh = cover(ctx, &s, 0.2);
    pl__embed *embed = NULL;
    CHECK_OK(ctx, pl__embed_create(ctx, mesh, surface, &embed));
    CHECK(embed->outside_count == 0 && embed->farthest == 0);
    for (int32_t i = 0; i < s.nodes; ++i)
    {
        const double *w = &embed->weight[3 * i];
        CHECK(w[0] > -1e-9 && w[1] > -1e-9 && w[2] > -1e-9 && w[0] + w[1] + w[2] < 1 + 1e-9);
    }
    pl__embed_destroy(&embed);
    pl_mesh_destroy(&mesh);
    pl_surface_destroy(&surface);
    surface_free(&s);
    pl_context_destroy(&ctx);
}

// Under x = Q S X with a symmetric S normals turn by Q, whatever S is; and where a part of the mesh turns by itself,
// only those on it.
static void normals_turn_with_their_carriers(void)
{
    pl_context *ctx = test_context(1);
    test_surface s = surface_torus(1, 0.3, 60, 20);
    pl_surface *surface = give(ctx, &s);
    pl_mesh *mesh = cover(ctx, &s, 0.2);
    pl__embed *embed = NULL;
    CHECK_OK(ctx, pl__embed_create(ctx, mesh, surface, &embed));
    size_t nodes = 3 * (size_t)mesh->node_count;
    double *x = malloc(nodes * sizeof *x), *R = malloc(9 * sizeof *R * (size_t)mesh->element_count);
    double *n = malloc(3 * sizeof *n * (size_t)s.nodes), *turned = malloc(3 * sizeof *n * (size_t)s.nodes);
    pl_mat3 Q = random_rotation(4), U = random_rotation(5), S = from_stretches(&U, (const double[3]){2, 0.5, 0.9}, &U),
            F = pl_mul33(&Q, &S);
    for (size_t i = 0; i < nodes; i += 3)
    {
        bool still = mesh->position[i] < -0.5;
        pl_vec3 X = pl_make3(mesh->position[i], mesh->position[i + 1], mesh->position[i + 2]),
                y = still ? X : pl_mul3(&F, X);
        memcpy(&x[i], y.v, sizeof y.v);
    }
    for (int32_t i = 0; i < 3 * s.nodes; ++i)
        n[i] = random_pm(6, (uint64_t)i);
    pl__embed_nodes carriers = {mesh->element, NULL};
    pl__embed_rotations(ctx, &carriers, mesh->element_count, mesh->position, x, R);
    pl__embed_turn(embed, R, n, turned);
    int32_t seen[2] = {0};
    for (int32_t i = 0; i < s.nodes; ++i)
    {
        const int32_t *corner = &mesh->element[4 * embed->tet[i]];
        int still = 0;
        for (int c = 0; c < 4; ++c)
            still += mesh->position[3 * corner[c]] < -0.5;
        pl_vec3 N = pl_make3(n[3 * i], n[3 * i + 1], n[3 * i + 2]), expected = still ? N : pl_mul3(&Q, N);
        for (int d = 0; d < 3 && still % 4 == 0; ++d)
            CHECK_NEAR(turned[3 * i + d], expected.v[d], 1e-12);
        seen[still != 0] += still % 4 == 0;
    }
    CHECK(seen[0] > 100 && seen[1] > 100);
    free(x), free(R), free(n), free(turned);
    pl__embed_destroy(&embed);
    pl_mesh_destroy(&mesh);
    pl_surface_destroy(&surface);
    surface_free(&s);
    pl_context_destroy(&ctx);
}

// Vertices outside are counted, with the farthest in units of the mesh: a quarter before a face, a tenth off a corner.
static void outside_vertices_are_counted(void)
{
    pl_context *ctx = test_context(1);
    pl_mesh *mesh = shape(ctx, PL_SHAPE_BOX, 0.25);
    double x[] = {0, 0, 0, 0.75, 0.1, 0.1, 0.6, 0.6, 0.6, 0.5, 0.5, 0.5};
    int32_t t[] = {0, 1, 2, 1, 2, 3};
    pl_surface *surface = NULL;
    pl__embed *embed = NULL;
    CHECK_OK(ctx, pl_surface_create(ctx, x, 4, t, 2, &surface));
    CHECK_OK(ctx, pl__embed_create(ctx, mesh, surface, &embed));
    CHECK(embed->outside_count == 2);
    CHECK_NEAR(embed->farthest, 0.25, 1e-12);
    pl__embed_destroy(&embed);
    x[3] = 0;
    pl_surface_destroy(&surface);
    CHECK_OK(ctx, pl_surface_create(ctx, x, 4, t, 2, &surface));
    CHECK_OK(ctx, pl__embed_create(ctx, mesh, surface, &embed));
    CHECK(embed->outside_count == 1);
    CHECK_NEAR(embed->farthest, 0.1 * sqrt(3), 1e-12);
    pl__embed_destroy(&embed);
    pl_surface_destroy(&surface);
    pl_mesh_destroy(&mesh);
    pl_context_destroy(&ctx);
}

// ---- carrying --------------------------------------------------------------------------------------------------

static void apply_affine(const pl_mat3 *A, const double b[3], const double *in, int32_t count, double *out)
{
    for (int32_t i = 0; i < count; ++i)
        for (int d = 0; d < 3; ++d)
            out[3 * i + d] = A->c[0][d] * in[3 * i] + A->c[1][d] * in[3 * i + 1] + A->c[2][d] * in[3 * i + 2] + b[d];
}

// x = A X + b at the nodes gives A X + b at the vertices, inside and outside; rounding grows with the weights, here a
// few.
static void affine_motions_are_reproduced(void)
{
    pl_context *ctx = test_context(1);
    test_surface s = surface_sphere(20);
    surface_move(&s, 0.6, 0, 0, 0); // the ball has radius 0.5: all of it is outside
    pl_surface *surface = give(ctx, &s);
    pl_mesh *mesh[2] = {cover(ctx, &s, 0.2), shape(ctx, PL_SHAPE_SPHERE, 0.1)};
    double *out = malloc(sizeof(double) * 3 * (size_t)s.nodes),
           *expected = malloc(sizeof(double) * 3 * (size_t)s.nodes);
    for (int k = 0; k < 2; ++k)
        for (uint64_t seed = 0; seed < 10; ++seed)
        {
            double b[3] = {random_pm(seed, 50), 3, -2}, *x = malloc(sizeof(double) * 3 * (size_t)mesh[k]->node_count);
            pl_mat3 A = random_matrix(seed);
            pl__embed *embed = NULL;
            CHECK_OK(ctx, pl__embed_create(ctx, mesh[k], surface, &embed));
            CHECK(embed->outside_count == (k ? s.nodes : 0));
            apply_affine(&A, b, mesh[k]->position, mesh[k]->node_count, x);
            apply_affine(&A, b, s.x, s.nodes, expected);
            pl__embed_vectors(embed, &(pl__embed_nodes){.tet = mesh[k]->element}, x, out);
            for (int32_t i = 0; i < 3 * s.nodes; ++i)
                CHECK_NEAR(out[i], expected[i], 1e-13);
            pl__embed_destroy(&embed);
            free(x);
        }
    free(out);
    free(expected);
    pl_mesh_destroy(&mesh[0]);
    pl_mesh_destroy(&mesh[1]);
    pl_surface_destroy(&surface);
    surface_free(&s);
    pl_context_destroy(&ctx);
}

// The rest shape comes back in the thinnest tetrahedra that a mesh allows, where weights alone lose eight digits.
static void slivers_keep_the_rest_shape(void)
{
    pl_context *ctx = test_context(1);
    static const double x[12] = {0.1, 0.2, 0.3, 1.1, 0.3, 0.1, 0.3, 1.2, 0.7, 0.45, 0.56, 0.4 + 3e-8};
    static const int32_t t[4] = {0, 1, 2, 3};
    double p[9], out[9];
    for (int i = 0; i < 9; ++i) // the middles of three edges, moved a little into it
        p[i] = 0.5 * (x[i % 3 + 3 * (i / 3)] + x[9 + i % 3]);
    pl_mesh *mesh = NULL;
    pl_surface *surface = NULL;
    pl__embed *embed = NULL;
    CHECK_OK(ctx, pl_mesh_create(ctx, x, 4, t, 1, &mesh));
    CHECK_OK(ctx, pl_surface_create(ctx, p, 3, (const int32_t[3]){0, 1, 2}, 1, &surface));
    CHECK_OK(ctx, pl__embed_create(ctx, mesh, surface, &embed));
    pl__embed_vectors(embed, &(pl__embed_nodes){.tet = mesh->element}, mesh->position, out);
    for (int i = 0; i < 9; ++i)
        CHECK_NEAR(out[i], p[i], 1e-15);
    pl__embed_destroy(&embed);
    pl_surface_destroy(&surface);
    pl_mesh_destroy(&mesh);
    pl_context_destroy(&ctx);
}

// A linear function at the nodes is interpolated inside; outside it stays between its values at the corners.
static void scalars_are_interpolated_within_bounds(void)
{
    pl_context *ctx = test_context(1);
    pl_mesh *mesh = shape(ctx, PL_SHAPE_BOX, 0.25);
    double x[9] = {0.1, -0.2, 0.3, 0.25, 0.25, 0, 2, 0, 0}, out[3];
    pl_surface *surface = NULL;
    pl__embed *embed = NULL;
    CHECK_OK(ctx, pl_surface_create(ctx, x, 3, (const int32_t[3]){0, 1, 2}, 1, &surface));
    CHECK_OK(ctx, pl__embed_create(ctx, mesh, surface, &embed));
    double *f = malloc(sizeof(double) * (size_t)mesh->node_count);
    for (int32_t n = 0; n < mesh->node_count; ++n)
        f[n] = 2 * mesh->position[3 * n] - mesh->position[3 * n + 1] + 3;
    pl__embed_scalars(embed, &(pl__embed_nodes){.tet = mesh->element}, f, out);
    CHECK_NEAR(out[0], 3.4, 1e-14);
    CHECK_NEAR(out[1], 3.25, 1e-14);
    CHECK(out[2] <= 2 * 0.5 + 0.5 + 3 && out[2] >= 3);
    free(f);
    pl__embed_destroy(&embed);
    pl_surface_destroy(&surface);
    pl_mesh_destroy(&mesh);
    pl_context_destroy(&ctx);
}

// A pyramid's apex: area vectors add up; a vertex of no triangle and one of a flat triangle point up.
static void normals_are_sums_of_area_vectors(void)
{
    pl_context *ctx = test_context(1);
    static const double x[] = {0, 0, 1, 3, 0, 0, 0, 2, 0, -1, 0, 0, 9, 9, 9, 4, 4, 4};
    static const int32_t t[] = {0, 1, 2, 0, 2, 3, 5, 5, 1};
    pl__vertex_normals skin;
    double n[3];
    CHECK_OK(ctx, pl__vertex_normals_create(ctx, t, 3, 6, &skin));
    // (3,0,-1) x (0,2,-1) + (0,2,-1) x (-1,0,-1) = (2,3,6) + (-2,1,2)
    pl__vertex_normals_normal(&skin, x, 0, n);
    CHECK_NEAR(n[0], 0, 1e-15);
    CHECK_NEAR(n[1], 4 / sqrt(80), 1e-15);
    CHECK_NEAR(n[2], 8 / sqrt(80), 1e-15);
    pl__vertex_normals_normal(&skin, x, 4, n);
    CHECK(n[0] == 0 && n[1] == 1 && n[2] == 0);
    pl__vertex_normals_normal(&skin, x, 5, n);
    CHECK(n[0] == 0 && n[1] == 1 && n[2] == 0);
    pl__vertex_normals_done(ctx, &skin);
    CHECK(pl_context_memory(ctx) == 0);
    pl_context_destroy(&ctx);
}

// ---- hexahedra -------------------------------------------------------------------------------------------------

// The same mesh with its nodes numbered at random and every hexahedron begun at another corner.
static pl_mesh *scrambled(const pl_mesh *mesh)
{
    // turns of the cube about an axis and about a diagonal
    static const int8_t turn[2][8] = {{1, 2, 3, 0, 5, 6, 7, 4}, {0, 3, 7, 4, 1, 2, 6, 5}};
    int32_t *number = malloc(sizeof *number * (size_t)mesh->node_count),
            *elements = malloc(sizeof *elements * pl__mesh_index_count(mesh));
    double *x = malloc(24 * (size_t)mesh->node_count);
    for (int32_t i = 0; i < mesh->node_count; ++i)
    {
        int32_t j = (int32_t)(pl__random64(8, 0, (uint64_t)i) % (uint64_t)(i + 1));
        number[i] = number[j], number[j] = i;
    }
    for (int32_t i = 0; i < mesh->node_count; ++i)
        memcpy(&x[3 * number[i]], &mesh->position[3 * i], 24);
    for (int32_t e = 0; e < mesh->element_count; ++e)
    {
        int32_t hex[8], next[8];
        for (int c = 0; c < 8; ++c)
            hex[c] = number[pl__mesh_element(mesh, e)[c]];
        for (uint64_t k = 0; k < 6; ++k, memcpy(hex, next, sizeof hex))
            for (int c = 0; c < 8; ++c)
                next[c] = hex[turn[pl__random64(9, k, (uint64_t)e) & 1][c]];
        memcpy(&elements[8 * e], hex, sizeof hex);
    }
    pl_mesh *out = NULL;
    CHECK_OK(mesh->ctx, pl_mesh_create_elements(mesh->ctx, PL_ELEMENT_HEX, x, mesh->node_count, elements,
                                                mesh->element_count, &out));
    free(number), free(elements), free(x);
    return out;
}

static int compare_triangles(const void *a, const void *b) { return memcmp(a, b, 3 * sizeof(int32_t)); }

// The triangles, each from its lowest node on, in order.
static int32_t *sorted_triangles(const pl_mesh *mesh)
{
    int32_t *out = malloc(12 * (size_t)mesh->triangle_count);
    for (int32_t t = 0; t < mesh->triangle_count; ++t)
    {
        const int32_t *n = &mesh->triangle[3 * t];
        int low = n[1] < n[0] ? (n[2] < n[1] ? 2 : 1) : (n[2] < n[0] ? 2 : 0);
        for (int c = 0; c < 3; ++c)
            out[3 * t + c] = n[(low + c) % 3];
    }
    qsort(out, (size_t)mesh->triangle_count, 12, compare_triangles);
    return out;
}

// Six tetrahedra fill each hexahedron, whatever its numbering, and fit those of its neighbours: together they are a
// mesh with the volume and the very boundary of the hexahedra.
static void carriers_fill_hexahedra(void)
{
    host h;
    pl_context *ctx = host_context(&h);
    for (int jitter = 0; jitter < 2; ++jitter)
    {
        pl_mesh *grid = hexes(ctx, PL_SHAPE_BOX, 0.2, jitter ? 0.3 : 0), *mesh = scrambled(grid), *filled = NULL;
        int32_t *tet = NULL, count = 0;
        CHECK(h.note_count == 0);
        CHECK_OK(ctx, pl__mesh_carrier_tets(mesh, &tet, &count));
        CHECK(count == 6 * mesh->element_count && pl__mesh_carriers(mesh) == 6);
        CHECK_OK(ctx, pl_mesh_create(ctx, mesh->position, mesh->node_count, tet, count, &filled));
        CHECK_THAT(h.note_count == 0, "%s", h.note);
        CHECK_NEAR(pl_mesh_volume(filled), 1, 1e-14);
        CHECK(filled->triangle_count == mesh->triangle_count);
        int32_t *a = sorted_triangles(filled), *b = sorted_triangles(mesh);
        CHECK(memcmp(a, b, 12 * (size_t)mesh->triangle_count) == 0);
        free(a), free(b);
        PL_DELETE(ctx, tet, 4 * (size_t)count);
        pl_mesh_destroy(&grid);
        pl_mesh_destroy(&mesh);
        pl_mesh_destroy(&filled);
    }
    CHECK(pl_context_memory(ctx) == 0);
    pl_context_destroy(&ctx);
}

// Points inside attach with weights in [0, 1]; affine motions of the nodes, rigid ones among them, carry over exactly.
static void hexahedra_carry_affine_motions(void)
{
    pl_context *ctx = test_context(1);
    test_surface s = surface_sphere(20);
    surface_move(&s, 0.45, 0.02, 0, -0.03);
    pl_surface *surface = give(ctx, &s);
    pl_mesh *grid = hexes(ctx, PL_SHAPE_BOX, 0.17, 0.25), *mesh = scrambled(grid);
    double *x = malloc(24 * (size_t)mesh->node_count), *out = malloc(24 * (size_t)s.nodes),
           *expected = malloc(24 * (size_t)s.nodes);
    int32_t *tet = NULL, count = 0;
    pl__embed *embed = NULL;
    CHECK_OK(ctx, pl__mesh_carrier_tets(mesh, &tet, &count));
    CHECK_OK(ctx, pl__embed_create(ctx, mesh, surface, &embed));
    CHECK(embed->outside_count == 0);
    for (int32_t i = 0; i < s.nodes; ++i)
    {
        const double *w = &embed->weight[3 * i];
        CHECK(fmin(fmin(w[0], w[1]), fmin(w[2], 1 - w[0] - w[1] - w[2])) > -1e-8 && embed->tet[i] < count);
    }
    for (uint64_t seed = 0; seed < 10; ++seed)
    {
        double b[3] = {random_pm(seed, 50), 3, -2};
        pl_mat3 A = random_matrix(seed);
        if (seed == 0)
            A = (pl_mat3){{{0.36, 0.48, -0.8}, {-0.8, 0.6, 0}, {0.48, 0.64, 0.6}}}; // a rotation
        apply_affine(&A, b, mesh->position, mesh->node_count, x);
        apply_affine(&A, b, s.x, s.nodes, expected);
        pl__embed_vectors(embed, &(pl__embed_nodes){.tet = tet}, x, out);
        for (int32_t i = 0; i < 3 * s.nodes; ++i)
            CHECK_NEAR(out[i], expected[i], 1e-13);
    }
    PL_DELETE(ctx, tet, 4 * (size_t)count);
    pl__embed_destroy(&embed);
    free(x), free(out), free(expected);
    pl_mesh_destroy(&grid);
    pl_mesh_destroy(&mesh);
    pl_surface_destroy(&surface);
    surface_free(&s);
    CHECK(pl_context_memory(ctx) == 0);
    pl_context_destroy(&ctx);
}

// A hexahedron may be bent so far that one of its six carriers is flat or inside out, while its Jacobian is fine at the
// Gauss points: the others carry what is there, and nothing is divided by zero.
static void bent_hexahedra_leave_carriers_out(void)
{
    pl_context *ctx = test_context(1);
    static const int32_t hex[8] = {0, 1, 2, 3, 4, 5, 6, 7}, triangle[3] = {0, 1, 2};
    for (int bent = 0; bent < 2; ++bent)
    {
        double x[24] = {0, 0, 0, 0.5 - 0.04 * bent, 0.5 + 0.04 * bent, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 1, 1, 1,
                        0, 1, 1};
        double p[9] = {0.5, 0.5, 0, 0.55, 0.5, 0.2, 0.2, 0.7, 0.5}, out[9], low = INFINITY;
        int32_t *tet = NULL, count = 0;
        pl_mesh *mesh = NULL;
        pl_surface *surface = NULL;
        pl__embed *embed = NULL;
        CHECK_OK(ctx, pl_mesh_create_elements(ctx, PL_ELEMENT_HEX, x, 8, hex, 1, &mesh));
        CHECK_OK(ctx, pl_surface_create(ctx, p, 3, triangle, 1, &surface));
        CHECK_OK(ctx, pl__mesh_carrier_tets(mesh, &tet, &count));
        for (int t = 0; t < 6; ++t)
            low = fmin(
                low, det3(&x[3 * tet[4 * t + 1]], &x[3 * tet[4 * t + 2]], &x[3 * tet[4 * t + 3]], &x[3 * tet[4 * t]]));
        CHECK_THAT(bent ? low < -0.01 : fabs(low) < 1e-15, "%g", low);
        CHECK_OK(ctx, pl__embed_create(ctx, mesh, surface, &embed));
        pl__embed_vectors(embed, &(pl__embed_nodes){.tet = tet}, x, out);
        for (int i = 0; i < 9; ++i)
            CHECK_NEAR(out[i], p[i], 1e-14);
        PL_DELETE(ctx, tet, 4 * (size_t)count);
        pl__embed_destroy(&embed);
        pl_surface_destroy(&surface);
        pl_mesh_destroy(&mesh);
    }
    CHECK(pl_context_memory(ctx) == 0);
    pl_context_destroy(&ctx);
}

static void triangles_carry_nothing(void)
{
    pl_context *ctx = test_context(1);
    pl_shape_def def = pl_shape_def_default();
    def.kind = PL_SHAPE_SHEET, def.elements = PL_ELEMENT_TRIANGLE;
    test_surface s = surface_sphere(4);
    pl_surface *surface = give(ctx, &s);
    pl_mesh *mesh = NULL;
    pl__embed *embed = (pl__embed *)1;
    CHECK_OK(ctx, pl_mesh_create_shape(ctx, &def, &mesh));
    CHECK(pl__embed_create(ctx, mesh, surface, &embed) == PL_ERR_ARGUMENT && !embed);
    CHECK(strstr(pl_context_error(ctx), "triangles carry no surface"));
    pl_mesh_destroy(&mesh);
    pl_surface_destroy(&surface);
    surface_free(&s);
    CHECK(pl_context_memory(ctx) == 0);
    pl_context_destroy(&ctx);
}

static pl_status carry_by_hexes(pl_context *ctx)
{
    test_surface s = surface_sphere(3);
    pl_shape_def def = pl_shape_def_default();
    def.elements = PL_ELEMENT_HEX, def.edge = 0.5;
    pl_mesh *mesh = NULL;
    pl_surface *surface = NULL;
    pl__embed *embed = NULL;
    pl_status status = pl_mesh_create_shape(ctx, &def, &mesh);
    status = status ? status : pl_surface_create(ctx, s.x, s.nodes, s.t, s.triangles, &surface);
    status = status ? status : pl__embed_create(ctx, mesh, surface, &embed);
    pl__embed_destroy(&embed);
    pl_surface_destroy(&surface);
    pl_mesh_destroy(&mesh);
    surface_free(&s);
    return status;
}

// ---- in a world ------------------------------------------------------------------------------------------------

// A world of one body that carries a surface, which is gone before the world is made.
static fixture carrying(int32_t threads, const test_surface *s, double size, const pl_body_def *place)
{
    fixture f = {.ctx = test_context(threads)};
    pl_material_def material = pl_material_def_default();
    pl_body_def body = *place;
    pl_surface *surface = give(f.ctx, s);
    f.mesh = cover(f.ctx, s, size);
    body.mesh = f.mesh;
    body.surface = surface;
    MUST(pl_scene_create(f.ctx, &f.scene));
    MUST(pl_scene_add_material(f.scene, "stuff", &material, &body.material));
    MUST(pl_scene_add_body(f.scene, "body", &body, &f.body));
    pl_surface_destroy(&surface);
    MUST(pl_world_create(f.scene, &f.world));
    return f;
}

static double *numbers(int32_t count) { return malloc(3 * sizeof(double) * (size_t)count); }

// Turning the body turns the normals; at rest those of a sphere are its radii, but for the size of its triangles.
static void normals_turn_with_the_body(void)
{
    test_surface s = surface_sphere(24);
    pl_body_def place = pl_body_def_default();
    fixture f = carrying(1, &s, 0.4, &place);
    int32_t nodes = pl_body_node_count(f.world, f.body);
    double *before = numbers(s.nodes), *after = numbers(s.nodes), *p = numbers(s.nodes), *x = numbers(nodes),
           *y = numbers(nodes);
    MUST(pl_body_read_surface_exact(f.world, f.body, NULL, NULL, before));
    for (int32_t i = 0; i < s.nodes; ++i)
        CHECK(before[3 * i] * s.x[3 * i] + before[3 * i + 1] * s.x[3 * i + 1] + before[3 * i + 2] * s.x[3 * i + 2] >
              cos(2.0 / 24));
    pl_mat3 R = random_rotation(3);
    double shift[3] = {1, 2, 3}, nothing[3] = {0};
    MUST(pl_body_read(f.world, f.body, x, NULL));
    apply_affine(&R, shift, x, nodes, y);
    MUST(pl_body_write(f.world, f.body, y, NULL));
    MUST(pl_body_read_surface_exact(f.world, f.body, p, NULL, after));
    double *turned = numbers(s.nodes), *moved = numbers(s.nodes);
    apply_affine(&R, nothing, before, s.nodes, turned);
    apply_affine(&R, shift, s.x, s.nodes, moved);
    for (int32_t i = 0; i < 3 * s.nodes; ++i)
    {
        CHECK_NEAR(after[i], turned[i], 1e-12); // edges are 0.05 long and carry 1e-15
        CHECK_NEAR(p[i], moved[i], 1e-13);
    }
    free(before), free(after), free(p), free(x), free(y), free(turned), free(moved);
    surface_free(&s);
    fixture_done(&f);
}

// The placed surface starts where its mesh does and moves as a rigid body: v = velocity + spin x (x - centre).
static void velocities_are_carried(void)
{
    test_surface s = surface_torus(0.5, 0.2, 30, 15);
    pl_body_def place = pl_body_def_default();
    place.at[0] = 5, place.velocity[1] = 3, place.spin[2] = 180;
    place.rotate[1] = 90; // (x, y, z) to (z, y, -x)
    fixture f = carrying(1, &s, 0.2, &place);
    double *p = numbers(s.nodes), *v = numbers(s.nodes), pi = 3.14159265358979323846, centre = 0, height = 0, mass = 0;
    const double *x = pl_body_positions(f.world, f.body);
    for (int32_t n = 0; n < pl_body_node_count(f.world, f.body); ++n) // of mass, as the engine has it
    {
        double m = f.world->solids.mass[3 * n];
        mass += m, centre += m * x[3 * n], height += m * x[3 * n + 1];
    }
    MUST(pl_body_read_surface_exact(f.world, f.body, p, v, NULL));
    for (int32_t i = 0; i < s.nodes; ++i)
    {
        CHECK_NEAR(p[3 * i], s.x[3 * i + 2] + 5, 1e-14);
        CHECK_NEAR(p[3 * i + 1], s.x[3 * i + 1], 1e-14);
        CHECK_NEAR(p[3 * i + 2], -s.x[3 * i], 1e-14);
        CHECK_NEAR(v[3 * i], -pi * (p[3 * i + 1] - height / mass), 1e-12);
        CHECK_NEAR(v[3 * i + 1], 3 + pi * (p[3 * i] - centre / mass), 1e-12);
        CHECK_NEAR(v[3 * i + 2], 0, 1e-12);
    }
    free(p), free(v);
    surface_free(&s);
    fixture_done(&f);
}

// Counts and triangles are the surface's own; floats are the rounded doubles; nothing is allocated by reading.
static void the_world_speaks_of_the_carried_surface(void)
{
    test_surface s = surface_torus(0.5, 0.2, 30, 15);
    pl_body_def place = pl_body_def_default();
    fixture f = carrying(1, &s, 0.2, &place);
    int32_t triangles;
    CHECK(pl_body_surface_vertex_count(f.world, f.body) == s.nodes);
    CHECK(memcmp(pl_body_surface_triangles(f.world, f.body, &triangles), s.t,
                 sizeof(int32_t) * 3 * (size_t)s.triangles) == 0);
    CHECK(triangles == s.triangles && pl_body_surface_nodes(f.world, f.body) == NULL);
    (void)fixture_step(&f, 0.1);
    double *p = numbers(s.nodes), *n = numbers(s.nodes);
    struct
    {
        float p[3], n[3], other[2];
    } *vbo = calloc((size_t)s.nodes, sizeof *vbo);
    int64_t allocations = f.ctx->allocation_count;
    CHECK(pl_body_read_surface(f.world, f.body, vbo->p, vbo->n, sizeof *vbo) == 1);
    CHECK(pl_body_read_surface(f.world, f.body, NULL, NULL, 12) == 1);
    MUST(pl_body_read_surface_exact(f.world, f.body, p, NULL, n));
    CHECK(f.ctx->allocation_count == allocations);
    for (int32_t i = 0; i < s.nodes; ++i)
        for (int d = 0; d < 3; ++d)
            CHECK(vbo[i].p[d] == (float)p[3 * i + d] && vbo[i].n[d] == (float)n[3 * i + d] && vbo[i].other[0] == 0);
    MUST(pl_world_remove_body(f.world, f.body));
    CHECK(pl_body_read_surface_exact(f.world, f.body, p, NULL, n) == PL_ERR_STATE &&
          pl_body_surface_vertex_count(f.world, f.body) == 0);
    CHECK(pl_body_surface_triangles(f.world, f.body, &triangles) == NULL && triangles == 0);
    free(p), free(n), free(vbo);
    surface_free(&s);
    fixture_done(&f);
}

// Without a surface of its own a body shows its boundary, whose vertices are nodes, to the bit.
static void boundaries_are_read_exactly(void)
{
    fixture_def def = fixture_default();
    def.shape.edge = 0.25;
    def.gravity[1] = -9.81;
    def.body.spin[0] = 90;
    fixture f = fixture_make(&def);
    (void)fixture_step(&f, 0.1);
    int32_t count = pl_body_surface_vertex_count(f.world, f.body), nodes = pl_body_node_count(f.world, f.body);
    const int32_t *node = pl_body_surface_nodes(f.world, f.body);
    double *p = numbers(count), *v = numbers(count), *n = numbers(count), *x = numbers(nodes), *w = numbers(nodes);
    MUST(pl_body_read(f.world, f.body, x, w));
    MUST(pl_body_read_surface_exact(f.world, f.body, p, v, n));
    for (int32_t i = 0; i < count; ++i)
    {
        CHECK(memcmp(&p[3 * i], &x[3 * node[i]], 24) == 0 && memcmp(&v[3 * i], &w[3 * node[i]], 24) == 0);
        CHECK_NEAR(n[3 * i] * n[3 * i] + n[3 * i + 1] * n[3 * i + 1] + n[3 * i + 2] * n[3 * i + 2], 1, 1e-15);
    }
    free(p), free(v), free(n), free(x), free(w);
    fixture_done(&f);
}

static void same_bits_for_any_thread_count(void)
{
    test_surface s = surface_torus(0.5, 0.2, 90, 45);
    size_t bytes = 3 * sizeof(double) * (size_t)s.nodes;
    double *first[3] = {numbers(s.nodes), numbers(s.nodes), numbers(s.nodes)},
           *again[3] = {numbers(s.nodes), numbers(s.nodes), numbers(s.nodes)};
    static const int32_t threads[] = {1, 2, 4};
    for (int k = 0; k < 3; ++k)
    {
        pl_body_def place = pl_body_def_default();
        place.spin[1] = 300;
        fixture f = carrying(threads[k], &s, 0.1, &place);
        (void)fixture_step(&f, 0.02);
        double **out = k ? again : first;
        MUST(pl_body_read_surface_exact(f.world, f.body, out[0], out[1], out[2]));
        for (int i = 0; k && i < 3; ++i)
            CHECK(memcmp(first[i], again[i], bytes) == 0);
        fixture_done(&f);
    }
    for (int i = 0; i < 3; ++i)
        free(first[i]), free(again[i]);
    surface_free(&s);
}

// A little outside is noted, a lot of it a warning; both say how many and how far. A body may also come later.
static void vertices_outside_are_told(void)
{
    host h;
    pl_context *ctx = host_context(&h);
    pl_scene *scene;
    pl_world *world;
    pl_mesh *mesh = shape(ctx, PL_SHAPE_BOX, 0.5);
    test_surface box = surface_box(1.5, 1, 1);
    pl_surface *surface = give(ctx, &box);
    pl_material_def material = pl_material_def_default();
    pl_body_def body = pl_body_def_default();
    CHECK_OK(ctx, pl_scene_create(ctx, &scene));
    CHECK_OK(ctx, pl_scene_add_material(scene, "m", &material, &body.material));
    CHECK_OK(ctx, pl_world_create(scene, &world));
    body.mesh = mesh;
    body.surface = surface;
    pl_body_id id;
    CHECK_OK(ctx, pl_world_add_body(world, "b", &body, &id));
    CHECK_THAT(h.note_count == 1 &&
                   strcmp(h.note,
                          "bodies.b.surface: 8 of 8 vertices lie outside the mesh, the farthest by 0.25 of its size; "
                          "they follow the nearest tetrahedron") == 0,
               "%s", h.note);
    CHECK(pl_body_surface_vertex_count(world, id) == 8);
    CHECK_OK(ctx, pl_world_remove_body(world, id));
    pl_world_destroy(&world);
    pl_scene_destroy(&scene);
    pl_surface_destroy(&surface);
    pl_mesh_destroy(&mesh);
    surface_free(&box);
    CHECK(pl_context_memory(ctx) == 0);
    pl_context_destroy(&ctx);
}

static pl_status whole_program(pl_context *ctx)
{
    pl_mesh *mesh = NULL;
    pl_surface *surface = NULL;
    pl_scene *scene = NULL;
    pl_world *world = NULL;
    pl_shape_def shape_def = pl_shape_def_default();
    pl_material_def material = pl_material_def_default();
    pl_body_def body = pl_body_def_default();
    pl_body_id id = {0};
    float values[8];
    test_surface box = surface_box(0.9, 0.8, 0.7);
    shape_def.edge = 0.5;
    pl_status status = pl_mesh_create_shape(ctx, &shape_def, &mesh);
    status = status ? status : pl_surface_create(ctx, box.x, box.nodes, box.t, box.triangles, &surface);
    body.mesh = mesh;
    body.surface = surface;
    status = status ? status : pl_scene_create(ctx, &scene);
    status = status ? status : pl_scene_add_material(scene, "m", &material, &body.material);
    status = status ? status : pl_scene_add_body(scene, "a", &body, NULL);
    status = status ? status : pl_world_create(scene, &world);
    status = status ? status : pl_world_add_body(world, "b", &body, &id);
    status = status ? status : pl_body_read_surface_field(world, id, PL_FIELD_J, values);
    status = status ? status : pl_world_remove_body(world, id);
    pl_world_destroy(&world);
    pl_scene_destroy(&scene);
    pl_surface_destroy(&surface);
    pl_mesh_destroy(&mesh);
    surface_free(&box);
    return status;
}

static void every_failed_allocation_is_survived(void)
{
    int64_t needed = survive_every_failure(whole_program);
    CHECK_THAT(needed > 50, "%lld", (long long)needed);
    CHECK(survive_every_failure(carry_by_hexes) > 15);
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {
        TEST(search_finds_what_trying_all_finds),
        TEST(covering_meshes_hold_all_vertices),
        TEST(normals_turn_with_their_carriers),
        TEST(outside_vertices_are_counted),
        TEST(affine_motions_are_reproduced),
        TEST(slivers_keep_the_rest_shape),
        TEST(scalars_are_interpolated_within_bounds),
        TEST(normals_are_sums_of_area_vectors),
        TEST(normals_turn_with_the_body),
        TEST(velocities_are_carried),
        TEST(the_world_speaks_of_the_carried_surface),
        TEST(boundaries_are_read_exactly),
        TEST(same_bits_for_any_thread_count),
        TEST(carriers_fill_hexahedra),
        TEST(hexahedra_carry_affine_motions),
        TEST(bent_hexahedra_leave_carriers_out),
        TEST(triangles_carry_nothing),
        TEST(vertices_outside_are_told),
        TEST(every_failed_allocation_is_survived),
    };
    return RUN(tests);
}

// tests/cut.c -- surfaces that come apart with their meshes: closed, of the right volume, whatever lies on whatever.
#include "base/random.h"
#include "clip.h"
#include "embed/cut.h"
#include "embed/fill.h"
#include "embed/perturb.h"
#include "host.h"
#include "mesh/mesh.h"
#include "random_input.h"
#include "surfaces.h"

// ---- meshes and surfaces
// -----------------------------------------------------------------------------------------------

static pl_mesh *box_mesh(pl_context *ctx, double size, double edge, double jitter, pl_shape_cut how)
{
    pl_shape_def def = pl_shape_def_default();
    for (int d = 0; d < 3; ++d)
        def.extent[d] = size;
    def.edge = edge, def.jitter = jitter, def.seed = 3, def.cut = how;
    pl_mesh *mesh = NULL;
    CHECK_OK(ctx, pl_mesh_create_shape(ctx, &def, &mesh));
    return mesh;
}

static pl_surface *give(pl_context *ctx, test_surface s)
{
    pl_surface *surface = NULL;
    CHECK_OK(ctx, pl_surface_create(ctx, s.x, s.nodes, s.t, s.triangles, &surface));
    surface_free(&s);
    return surface;
}

// A closed surface: the sphere of the tests has its octants apart.
static test_surface ball(int32_t n, double radius)
{
    test_surface s = surface_sphere(n);
    surface_move(&s, radius, 0, 0, 0);
    return s;
}

// A tube around a trefoil knot, with bumps.
static test_surface knot(int32_t nu, int32_t nv, double size, double tube)
{
    test_surface s = surface_torus(1, 0.5, nu, nv);
    const double two_pi = 6.28318530717958648;
    for (int32_t i = 0; i < s.nodes; ++i)
    {
        double u = two_pi * (i / nv) / nu, v = two_pi * (i % nv) / nv;
        double c[3] = {sin(u) + 2 * sin(2 * u), cos(u) - 2 * cos(2 * u), -sin(3 * u)};
        double d[3] = {cos(u) + 4 * cos(2 * u), -sin(u) + 4 * sin(2 * u), -3 * cos(3 * u)};
        pl_vec3 t = pl_scale3(1 / pl_length3(pl_make3(d[0], d[1], d[2])), pl_make3(d[0], d[1], d[2]));
        pl_vec3 a = pl_cross3(pl_make3(0, 0, 1), t);
        a = pl_scale3(1 / pl_length3(a), a);
        pl_vec3 b = pl_cross3(t, a);
        double r = tube * (1 + 0.2 * sin(5 * u) * cos(3 * v));
        for (int k = 0; k < 3; ++k)
            s.x[3 * i + k] = size / 3 * (c[k] + r * (cos(v) * a.v[k] + sin(v) * b.v[k]));
    }
    if (surface_volume(&s) < 0)
        surface_turn(&s);
    return s;
}

// A box with n x n x 2 triangles on each side, its vertices on planes of a grid.
static test_surface fine_box(double size, int32_t n)
{
    static const int8_t axes[6][3] = {{0, 1, 2}, {1, 0, 2}, {1, 2, 0}, {2, 1, 0}, {2, 0, 1}, {0, 2, 1}};
    test_surface s = surface_room(6 * (n + 1) * (n + 1), 12 * n * n);
    for (int q = 0; q < 6; ++q)
    {
        int32_t base = s.nodes;
        for (int32_t i = 0; i <= n; ++i)
            for (int32_t k = 0; k <= n; ++k, ++s.nodes)
            {
                s.x[3 * s.nodes + axes[q][0]] = size * i / n - size / 2;
                s.x[3 * s.nodes + axes[q][1]] = size * k / n - size / 2;
                s.x[3 * s.nodes + axes[q][2]] = q % 2 ? -size / 2 : size / 2;
            }
        for (int32_t i = 0; i < n; ++i)
            for (int32_t k = 0; k < n; ++k, s.triangles += 2)
            {
                int32_t a = base + i * (n + 1) + k, b = a + n + 1, *t = s.t + 3 * s.triangles;
                t[0] = a, t[1] = b, t[2] = b + 1, t[3] = a, t[4] = b + 1, t[5] = a + 1;
            }
    }
    return s;
}

// The boundary of a mesh itself.
static test_surface hull(const pl_mesh *mesh)
{
    test_surface s = surface_room(mesh->node_count, mesh->triangle_count);
    s.nodes = mesh->node_count, s.triangles = mesh->triangle_count;
    memcpy(s.x, mesh->position, 3 * sizeof *s.x * (size_t)s.nodes);
    memcpy(s.t, mesh->triangle, 3 * sizeof *s.t * (size_t)s.triangles);
    return s;
}

// ---- what is promised
// --------------------------------------------------------------------------------------------------

typedef struct
{
    pl_context *ctx;
    pl_mesh *mesh;
    pl_surface *surface;
    pl__cut *cut;
    double *in_tet; // volume of the solid in each tetrahedron
    double total;
    double size; // of the mesh
    int32_t face_count;
    const pl__cut_face *face;
    uint8_t *separated;
    pl__cut_result result;
} bench;

static bench set_up(pl_context *ctx, pl_mesh *mesh, pl_surface *surface)
{
    bench b = {.ctx = ctx, .mesh = mesh, .surface = surface};
    CHECK_OK(ctx, pl__cut_create(ctx, &(pl__cut_input){mesh, surface}, &b.cut));
    if (!b.cut)
        exit(1);
    b.face = pl__cut_faces(b.cut, &b.face_count);
    b.separated = calloc((size_t)b.face_count, 1);
    b.in_tet = volumes_in_tets(mesh, surface);
    for (int32_t e = 0; e < mesh->element_count; ++e)
        b.total += b.in_tet[e];
    for (int32_t i = 0; i < 3 * mesh->node_count; ++i)
        b.size = fmax(b.size, fabs(mesh->position[i] - mesh->position[i % 3]));
    return b;
}

static void tear_down(bench *b)
{
    pl__cut_result_done(&b->result);
    pl__cut_destroy(&b->cut);
    pl_surface_destroy(&b->surface);
    pl_mesh_destroy(&b->mesh);
    free(b->separated), free(b->in_tet);
}

static pl_vec3 rest_position(const bench *b, int32_t vertex)
{
    const pl__cut_result *r = &b->result;
    const int32_t *n = &b->mesh->element[4 * r->tet[vertex]];
    const double *w = &r->weight[3 * vertex];
    pl_vec3 x[4], sum;
    for (int c = 0; c < 4; ++c)
        x[c] = pl_make3(b->mesh->position[3 * n[c]], b->mesh->position[3 * n[c] + 1], b->mesh->position[3 * n[c] + 2]);
    sum = x[0];
    for (int c = 0; c < 3; ++c)
        sum = pl_axpy3(w[c], pl_sub3(x[c + 1], x[0]), sum);
    return sum;
}

typedef struct
{
    int32_t a, b, corner;
} walked;

static int compare_walked(const void *p, const void *q)
{
    const walked *a = p, *b = q;
    return a->a != b->a ? (a->a < b->a ? -1 : 1) : a->b != b->b ? (a->b < b->b ? -1 : 1) : 0;
}

static int32_t back_of(const walked *list, int32_t count, walked edge)
{
    const walked *found = bsearch(&(walked){edge.b, edge.a, 0}, list, (size_t)count, sizeof *list, compare_walked);
    return found ? found->corner : -1;
}

// Every edge is walked once, and once back, by triangles of the same piece. Around every vertex there is one fan of
// triangles.
static void check_closed(const bench *b)
{
    const pl__cut_result *r = &b->result;
    int32_t count = 3 * r->triangle_count, fans = 0, used = 0, twice = 0, open = 0, strayed = 0;
    walked *list = malloc(sizeof *list * (size_t)(count + 1));
    for (int32_t i = 0; i < count; ++i)
        list[i] = (walked){r->triangle[i], r->triangle[i / 3 * 3 + (i + 1) % 3], i};
    qsort(list, (size_t)count, sizeof *list, compare_walked);
    int32_t *next = malloc(sizeof *next * (size_t)(count + 1)); // corner that follows around the vertex
    uint8_t *seen = calloc((size_t)count + 1, 1), *has = calloc((size_t)r->vertex_count + 1, 1);
    for (int32_t i = 0; i < count; ++i)
    {
        twice += i > 0 && compare_walked(&list[i - 1], &list[i]) == 0;
        int32_t back = back_of(list, count, list[i]);
        open += back < 0;
        strayed += back >= 0 && r->piece[back / 3] != r->piece[list[i].corner / 3];
        next[list[i].corner] = back < 0 ? -1 : back / 3 * 3 + (back + 1) % 3;
    }
    CHECK_THAT(twice == 0 && open == 0 && strayed == 0, "%d edges twice, %d open, %d between pieces", twice, open,
               strayed);
    for (int32_t i = 0; i < count && twice == 0 && open == 0; ++i)
    {
        used += !has[r->triangle[i]], has[r->triangle[i]] = 1;
        fans += !seen[i];
        for (int32_t k = i; !seen[k]; k = next[k])
            seen[k] = 1;
    }
    CHECK_THAT(fans == used, "%d fans around %d vertices", fans, used);
    free(list), free(next), free(seen), free(has);
}

static int32_t find_root(int32_t *parent, int32_t i)
{
    while (parent[i] != i)
        i = parent[i];
    return i;
}

// Pieces are sets of tetrahedra that hang together; their volumes are those of what is in these.
static void check_pieces(const bench *b)
{
    const pl__cut_result *r = &b->result;
    int32_t tets = b->mesh->element_count, *parent = malloc(sizeof *parent * (size_t)tets),
            *of_root = malloc(sizeof *of_root * (size_t)tets);
    double *volume = calloc((size_t)r->piece_count + 1, sizeof *volume),
           *expected = calloc((size_t)r->piece_count + 1, sizeof *expected);
    pl_vec3 *x = malloc(sizeof *x * (size_t)(r->vertex_count + 1));
    for (int32_t i = 0; i < tets; ++i)
        parent[i] = i, of_root[i] = -1;
    for (int32_t f = 0; f < b->face_count; ++f)
        if (!b->separated[f])
            parent[find_root(parent, b->face[f].tet[0])] = find_root(parent, b->face[f].tet[1]);
    for (int32_t v = 0; v < r->vertex_count; ++v)
        x[v] = pl_sub3(rest_position(b, v), pl_make3(b->mesh->position[0], b->mesh->position[1], b->mesh->position[2]));
    int32_t strays = 0;
    for (int32_t t = 0; t < r->triangle_count; ++t)
    {
        const int32_t *v = &r->triangle[3 * t];
        for (int k = 0; k < 3; ++k)
        {
            int32_t *piece = &of_root[find_root(parent, r->tet[v[k]])];
            strays += *piece >= 0 && *piece != r->piece[t];
            *piece = r->piece[t];
        }
        volume[r->piece[t]] += pl_dot3(x[v[0]], pl_cross3(x[v[1]], x[v[2]])) / 6;
    }
    double nowhere = 0;
    for (int32_t e = 0; e < tets; ++e)
        *(of_root[find_root(parent, e)] < 0 ? &nowhere : &expected[of_root[find_root(parent, e)]]) += b->in_tet[e];
    CHECK_THAT(strays == 0, "%d corners in tetrahedra of other pieces", strays);
    CHECK_NEAR(nowhere, 0, 1e-12 * b->total);
    for (int32_t p = 0; p < r->piece_count; ++p)
        CHECK_NEAR(volume[p], expected[p], 1e-9 * (fabs(expected[p]) + 1e-3 * b->total));
    free(parent), free(of_root), free(volume), free(expected), free(x);
}

static pl_vec3 area_of(const bench *b, int32_t triangle)
{
    const int32_t *v = &b->result.triangle[3 * triangle];
    pl_vec3 x = rest_position(b, v[0]);
    return pl_scale3(0.5, pl_cross3(pl_sub3(rest_position(b, v[1]), x), pl_sub3(rest_position(b, v[2]), x)));
}

static pl_vec3 source_corner(const bench *b, int32_t triangle, int corner)
{
    const double *x = &b->surface->position[3 * b->surface->triangle[3 * triangle + corner]];
    return pl_make3(x[0], x[1], x[2]);
}

// Parts cover their triangle once, and lie where their places say; caps lie in their faces, face outwards and do not
// overlap.
static void check_shapes(const bench *b)
{
    const pl__cut_result *r = &b->result;
    double *area = calloc((size_t)b->surface->triangle_count, sizeof *area), off = 0;
    for (int32_t t = 0; t < r->cap_begin; ++t)
        area[r->source[t]] += pl_length3(area_of(b, t));
    for (int32_t t = 0; t < b->surface->triangle_count; ++t)
    {
        pl_vec3 x = source_corner(b, t, 0);
        double whole =
            0.5 * pl_length3(pl_cross3(pl_sub3(source_corner(b, t, 1), x), pl_sub3(source_corner(b, t, 2), x)));
        off = fmax(off, fabs(whole - area[t]));
    }
    CHECK_NEAR(off, 0, 1e-9 * b->size * b->size);
    off = 0;
    for (int32_t t = r->part_begin; t < r->cap_begin; ++t)
        for (int k = 0; k < 3; ++k)
        {
            const double *w = &r->place[6 * (t - r->part_begin) + 2 * k];
            pl_vec3 x = pl_scale3(1 - w[0] - w[1], source_corner(b, r->source[t], 0));
            x = pl_axpy3(w[1], source_corner(b, r->source[t], 2), pl_axpy3(w[0], source_corner(b, r->source[t], 1), x));
            off = fmax(off, pl_length3(pl_sub3(x, rest_position(b, r->triangle[3 * t + k]))));
        }
    CHECK_NEAR(off, 0, 1e-9 * b->size);
    for (int32_t t = r->cap_begin; t < r->triangle_count; ++t)
    {
        const double *n = &r->normal[3 * (t - r->cap_begin)];
        const pl__cut_face *face = &b->face[r->source[t] / 2];
        const double *o = &b->mesh->position[3 * face->node[0]];
        pl_vec3 normal = pl_make3(n[0], n[1], n[2]), A = area_of(b, t);
        CHECK_NEAR(pl_dot3(normal, A), pl_length3(A), 1e-12 * b->size * b->size);
        for (int k = 0; k < 3; ++k)
            CHECK_NEAR(pl_dot3(normal, pl_sub3(rest_position(b, r->triangle[3 * t + k]), pl_make3(o[0], o[1], o[2]))),
                       0, 1e-12 * b->size);
        CHECK(b->separated[r->source[t] / 2]);
    }
    free(area);
}

static void check_all(bench *b)
{
    CHECK_OK(b->ctx, pl__cut_surface(b->cut, b->separated, &b->result));
    check_closed(b);
    check_pieces(b);
    check_shapes(b);
}

// Separate faces at random, a few at a time, until nothing holds.
static void crack_at_random(pl_context *ctx, pl_mesh *mesh, pl_surface *surface, int splits, uint64_t seed)
{
    bench b = set_up(ctx, mesh, surface);
    CHECK_NEAR(b.total,
               surface_volume(&(test_surface){surface->position, surface->triangle, 0, surface->triangle_count}),
               1e-12);
    check_all(&b);
    CHECK(b.result.part_begin == surface->triangle_count && b.result.triangle_count == surface->triangle_count);
    for (int i = 0; i < splits && failure_count == 0; ++i)
    {
        // most faces beside others, as cracks grow
        int32_t f = (int32_t)(pl__random01(seed, 1, (uint64_t)i) * b.face_count);
        for (int32_t k = 0; k < 3; ++k)
            b.separated[(f + k * (i % 3)) % b.face_count] = 1;
        check_all(&b);
    }
    memset(b.separated, 1, (size_t)b.face_count);
    check_all(&b);
    tear_down(&b);
}

static void random_cracks_leave_closed_pieces(void)
{
    pl_context *ctx = test_context(1);
    crack_at_random(ctx, box_mesh(ctx, 2.4, 0.8, 0.25, PL_CUT_BCC), give(ctx, surface_torus(0.75, 0.3, 24, 12)), 250,
                    1);
    crack_at_random(ctx, box_mesh(ctx, 2.4, 0.7, 0.25, PL_CUT_BCC), give(ctx, ball(6, 1.0)), 250, 2);
    crack_at_random(ctx, box_mesh(ctx, 2.8, 0.8, 0.25, PL_CUT_BCC), give(ctx, knot(60, 8, 1.1, 0.45)), 250, 3);
    // a hollow ball, whose caps have holes
    test_surface outer = ball(6, 1.0), inner = ball(4, 0.7);
    surface_turn(&inner);
    crack_at_random(ctx, box_mesh(ctx, 2.4, 1.2, 0.25, PL_CUT_SIX), give(ctx, surface_join(&outer, &inner)), 250, 12);
    surface_free(&outer), surface_free(&inner);
    pl_context_destroy(&ctx);
}

// A face that two hollow balls cross has two rings for its cap, each with its own hole.
static void caps_may_have_islands(void)
{
    static const double x[] = {0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, 4, 4, 4, 4};
    static const int32_t tets[] = {0, 1, 2, 3, 4, 2, 1, 3};
    static const double radius[] = {0.5, 0.3, 0.4, 0.2, 0.1},
                        at[][3] = {{1, 1, 2}, {1, 1, 2}, {2, 1, 1}, {2, 1, 1}, {1, 1, 2}};
    pl_context *ctx = test_context(1);
    test_surface all = surface_room(1, 1);
    for (int k = 0; k < 5; ++k)
    {
        test_surface s = ball(3, radius[k]), sum;
        surface_move(&s, 1, at[k][0], at[k][1], at[k][2]);
        if (k % 2)
            surface_turn(&s);
        sum = surface_join(&all, &s);
        surface_free(&all), surface_free(&s);
        all = sum;
    }
    pl_mesh *mesh;
    CHECK_OK(ctx, pl_mesh_create(ctx, x, 5, tets, 2, &mesh));
    bench b = set_up(ctx, mesh, give(ctx, all));
    b.separated[0] = 1;
    check_all(&b);
    CHECK(b.result.piece_count == 2);
    tear_down(&b);
    pl_context_destroy(&ctx);
}

// Vertices on grid planes, edges along edges, triangles in faces; the ball touches nodes with its poles.
static void degenerate_places_are_no_different(void)
{
    pl_context *ctx = test_context(1);
    static const pl_shape_cut cuts[] = {PL_CUT_FIVE, PL_CUT_SIX, PL_CUT_BCC};
    for (int k = 0; k < 3 * (slow_tests ? 20 : 1); ++k)
    {
        uint64_t seed = 4 + 4 * (uint64_t)(k / 3);
        crack_at_random(ctx, box_mesh(ctx, 2, 0.5, 0, cuts[k % 3]), give(ctx, fine_box(1, 4)), 60, seed);
        crack_at_random(ctx, box_mesh(ctx, 2, 0.5, 0, cuts[k % 3]), give(ctx, fine_box(1, 3)), 60, seed + 1);
        crack_at_random(ctx, box_mesh(ctx, 2, 0.5, 0, cuts[k % 3]), give(ctx, ball(4, 0.5)), 60, seed + 2);
        crack_at_random(ctx, box_mesh(ctx, 2, 0.5, 0, cuts[k % 3]), give(ctx, surface_torus(0.5, 0.25, 16, 8)), 60,
                        seed + 3);
    }
    pl_context_destroy(&ctx);
}

// A surface that is the boundary of its mesh, or touches it.
static void surfaces_may_touch_the_boundary(void)
{
    pl_context *ctx = test_context(1);
    for (uint64_t seed = 0; seed < (slow_tests ? 20 : 1); ++seed)
    {
        pl_mesh *mesh = box_mesh(ctx, 1, 0.34, 0.2, PL_CUT_BCC);
        crack_at_random(ctx, mesh, give(ctx, hull(mesh)), 60, 8 + seed);
        crack_at_random(ctx, box_mesh(ctx, 1, 0.34, 0.2, PL_CUT_BCC), give(ctx, fine_box(1, 5)), 60, 9 + seed);
        crack_at_random(ctx, box_mesh(ctx, 1, 0.34, 0, PL_CUT_SIX), give(ctx, ball(5, 0.5)), 60, 10 + seed);
        pl_shape_def def = pl_shape_def_default();
        def.kind = PL_SHAPE_TORUS, def.edge = 0.2;
        CHECK_OK(ctx, pl_mesh_create_shape(ctx, &def, &mesh));
        crack_at_random(ctx, mesh, give(ctx, hull(mesh)), 30, 11 + seed);
    }
    pl_context_destroy(&ctx);
}

// Where a surface crosses itself, caps overlap; but all is closed, and what is inside twice counts twice.
static void surfaces_may_cross_themselves(void)
{
    pl_context *ctx = test_context(1);
    test_surface first = ball(4, 0.6), second = ball(5, 0.55), third = ball(3, 0.3);
    surface_move(&second, 1, 0.5, 0.2, 0.1);
    surface_turn(&third);
    surface_move(&third, 1, -0.5, 0.1, 0.3);
    test_surface two = surface_join(&first, &second), all = surface_join(&two, &third);
    bench b = set_up(ctx, box_mesh(ctx, 2.4, 0.6, 0.2, PL_CUT_BCC), give(ctx, all));
    for (int i = 0; i < 100; ++i)
    {
        for (int k = 0; k < 8; ++k)
            b.separated[(int32_t)(pl__random01(21, (uint64_t)k, (uint64_t)i) * b.face_count)] = 1;
        CHECK_OK(ctx, pl__cut_surface(b.cut, b.separated, &b.result));
        check_closed(&b);
        check_pieces(&b);
    }
    tear_down(&b);
    surface_free(&first), surface_free(&second), surface_free(&third), surface_free(&two);
    pl_context_destroy(&ctx);
}

// ---- sides
// -------------------------------------------------------------------------------------------------------------

static pl__spot spot_at(double store[3], uint64_t seed, uint64_t i, int32_t number)
{
    for (int d = 0; d < 3; ++d)
        store[d] = floor(3 * pl__random01(seed, (uint64_t)d, i));
    return (pl__spot){store, number};
}

static int crossing_count(const pl__spot tet[4], pl__spot p, pl__spot q)
{
    static const int face[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    int count = 0;
    for (int f = 0; f < 4; ++f)
    {
        pl__spot a = tet[face[f][0]], b = tet[face[f][1]], c = tet[face[f][2]];
        int side = pl__side(p, q, a, b);
        count += pl__side(a, b, c, p) != pl__side(a, b, c, q) && side == pl__side(p, q, b, c) &&
                 side == pl__side(p, q, c, a);
    }
    return count;
}

static bool holds(const pl__spot tet[4], pl__spot p)
{
    return pl__side(tet[1], tet[2], tet[3], p) > 0 && pl__side(tet[0], tet[3], tet[2], p) > 0 &&
           pl__side(tet[0], tet[1], tet[3], p) > 0 && pl__side(tet[0], tet[2], tet[1], p) > 0;
}

// Points with coordinates 0, 1 and 2 lie on everything all the time. Still a segment enters and leaves a tetrahedron as
// its ends say, and exchanging two points changes the side.
static void sides_describe_a_world_that_exists(void)
{
    int inside = 0, passing = 0;
    for (uint64_t i = 0; i < 40000; ++i)
    {
        double x[7][3];
        pl__spot tet[4], p, q, r;
        for (int c = 0; c < 4; ++c)
            tet[c] = spot_at(x[c], 31, 8 * i + (uint64_t)c, PL__UNMOVED);
        if (volume_of(x) == 0)
            continue;
        if (volume_of(x) < 0)
        {
            pl__spot swap = tet[0];
            tet[0] = tet[1], tet[1] = swap;
        }
        p = spot_at(x[4], 31, 8 * i + 4, 7), q = spot_at(x[5], 31, 8 * i + 5, 3), r = spot_at(x[6], 31, 8 * i + 6, 5);
        int count = crossing_count(tet, p, q), ends = holds(tet, p) + holds(tet, q);
        CHECK(ends == 2 ? count == 0 : ends == 1 ? count == 1 : count == 0 || count == 2);
        inside += ends > 0, passing += count == 2;
        int side = pl__side(p, q, r, tet[0]);
        CHECK(side != 0 && side == -pl__side(q, p, r, tet[0]) && side == -pl__side(p, q, tet[0], r) &&
              side == -pl__side(tet[0], q, r, p));
    }
    CHECK_THAT(inside > 500 && passing > 500, "%d inside, %d passing", inside, passing);
}

// Proportions of volumes that are all zero are the limit of moving points less and less: an edge that lies in a
// triangle's plane and meets two of its sides is crossed on one of them.
static void sizes_in_a_plane_are_limits(void)
{
    static const double v[3][3] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}}, A[3] = {-1, 1, 0}, B[3] = {5, 1, 0};
    for (int32_t first = 0; first < 3; ++first)
    {
        pl__spot s[3];
        for (int32_t k = 0; k < 3; ++k)
            s[k] = (pl__spot){v[k], (k - first + 3) % 3};
        double size[2];
        pl__sizes((const pl__spot[2][4]){{s[0], s[1], s[2], {A, PL__UNMOVED}}, {s[0], s[1], s[2], {B, PL__UNMOVED}}}, 2,
                  size);
        // the plane turns about the side opposite the vertex that moves most: x = 3, x = 0, or the side along x, never
        // reached
        double at = size[0] / (size[0] + size[1]);
        CHECK_NEAR(at, first == 0 ? 4.0 / 6 : first == 1 ? 1.0 / 6 : 0.5, 1e-15);
    }
}

// ---- filling
// -----------------------------------------------------------------------------------------------------------

// A square with a square hole and a slit, and one without anything: areas add up, and every triangle turns left.
static void regions_are_filled_once(void)
{
    pl_context *ctx = test_context(1);
    pl__fill f = {.ctx = ctx};
    static const double xy[] = {0, 0, 4, 0, 4, 4, 0, 4, 1, 1, 1, 2, 2, 2, 2, 1, 3, 1, 3, 3, 2.5, 3, 3, 3};
    CHECK(pl__fill_room(&f, 12, 3));
    memcpy(f.xy, xy, sizeof xy);
    f.loop[0] = 0, f.loop[1] = 4, f.loop[2] = 8, f.loop[3] = 12;
    for (int32_t loops = 1; loops <= 3; ++loops)
    {
        CHECK(pl__fill_region(&f, (const int32_t[]){0, 1, 2}, loops));
        double sum = 0;
        int32_t borders = 0;
        for (int32_t t = 0; t < f.triangle_count; ++t)
        {
            const double *a = &xy[2 * f.triangle[3 * t]], *b = &xy[2 * f.triangle[3 * t + 1]],
                         *c = &xy[2 * f.triangle[3 * t + 2]];
            double area = ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])) / 2;
            CHECK(area >= 0);
            sum += area;
            for (int k = 0; k < 3; ++k)
                borders += f.edge[3 * t + k] >= 0;
        }
        CHECK_NEAR(sum, loops == 1 ? 16 : 15, 1e-12);
        CHECK(borders == 4 * loops && f.triangle_count == 4 * loops + 2 * (loops - 1) - 2);
    }
    pl__fill_done(&f);
    CHECK(pl_context_memory(ctx) == 0);
    pl_context_destroy(&ctx);
}

// ---- what is asked and what is refused
// ---------------------------------------------------------------------------------

static void expect_refusal(pl_context *ctx, pl_mesh *mesh, pl_surface *surface, const char *words)
{
    pl__cut *cut = NULL;
    CHECK(pl__cut_create(ctx, &(pl__cut_input){mesh, surface}, &cut) == PL_ERR_ARGUMENT && !cut);
    CHECK_THAT(strstr(pl_context_error(ctx), words), "%s", pl_context_error(ctx));
    pl_surface_destroy(&surface);
    pl_mesh_destroy(&mesh);
}

// The mesh without the tetrahedra around its middle.
static pl_mesh *hollow_mesh(pl_context *ctx)
{
    pl_mesh *full = box_mesh(ctx, 2, 0.4, 0, PL_CUT_BCC), *mesh = NULL;
    int32_t *tets = malloc(4 * sizeof *tets * (size_t)full->element_count), count = 0;
    for (int32_t e = 0; e < full->element_count; ++e)
    {
        double far = 0;
        for (int c = 0; c < 4; ++c)
            for (int d = 0; d < 3; ++d)
                far = fmax(far, fabs(full->position[3 * full->element[4 * e + c] + d]));
        if (far > 0.6)
            memcpy(&tets[4 * count++], &full->element[4 * e], 4 * sizeof *tets);
    }
    CHECK(count < full->element_count);
    CHECK_OK(ctx, pl_mesh_create(ctx, full->position, full->node_count, tets, count, &mesh));
    free(tets);
    pl_mesh_destroy(&full);
    return mesh;
}

static void unfit_surfaces_are_refused(void)
{
    pl_context *ctx = test_context(1);
    test_surface s = surface_torus(0.5, 0.2, 12, 8);
    s.triangles--;
    expect_refusal(ctx, box_mesh(ctx, 2, 0.5, 0, PL_CUT_BCC), give(ctx, s),
                   "the surface is open at the edge from vertex");
    s = surface_torus(0.5, 0.2, 12, 8);
    int32_t swap = s.t[60];
    s.t[60] = s.t[61], s.t[61] = swap;
    expect_refusal(ctx, box_mesh(ctx, 2, 0.5, 0, PL_CUT_BCC), give(ctx, s), "face different ways");
    s = surface_torus(0.5, 0.2, 12, 8);
    surface_turn(&s);
    expect_refusal(ctx, box_mesh(ctx, 2, 0.5, 0, PL_CUT_BCC), give(ctx, s),
                   "must be positive, with triangles that face outwards");
    s = surface_torus(0.5, 0.2, 12, 8);
    test_surface twice = surface_join(&s, &s);
    for (int32_t i = 0; i < 3 * s.triangles; ++i)
        twice.t[3 * s.triangles + i] = s.t[i];
    surface_free(&s);
    expect_refusal(ctx, box_mesh(ctx, 2, 0.5, 0, PL_CUT_BCC), give(ctx, twice), "three or more triangles");
    s = surface_torus(0.5, 0.2, 12, 8);
    surface_move(&s, 1, 0.4, 0, 0);
    expect_refusal(ctx, box_mesh(ctx, 2, 0.5, 0, PL_CUT_BCC), give(ctx, s), "is outside the mesh");
    expect_refusal(ctx, hollow_mesh(ctx), give(ctx, ball(4, 0.95)), "cavity");
    // around a corner that the mesh does not have: all vertices are within it
    pl_shape_def def = pl_shape_def_default();
    def.kind = PL_SHAPE_TORUS, def.edge = 0.1;
    pl_mesh *mesh;
    CHECK_OK(ctx, pl_mesh_create_shape(ctx, &def, &mesh));
    s = surface_torus(0.5, 0.1, 3, 8);
    for (int32_t i = 0; i < s.nodes; ++i)
    {
        double y = s.x[3 * i + 1];
        s.x[3 * i + 1] = s.x[3 * i + 2], s.x[3 * i + 2] = -y;
    }
    expect_refusal(ctx, mesh, give(ctx, s), "sticks out of the mesh");
    CHECK(pl_context_memory(ctx) == 0);
    pl_context_destroy(&ctx);
}

static bool same_results(const pl__cut_result *a, const pl__cut_result *b)
{
    size_t triangles = (size_t)a->triangle_count, vertices = (size_t)a->vertex_count;
    return a->vertex_count == b->vertex_count && a->triangle_count == b->triangle_count &&
           a->part_begin == b->part_begin && a->cap_begin == b->cap_begin && a->piece_count == b->piece_count &&
           memcmp(a->tet, b->tet, 4 * vertices) == 0 && memcmp(a->weight, b->weight, 24 * vertices) == 0 &&
           memcmp(a->triangle, b->triangle, 12 * triangles) == 0 && memcmp(a->source, b->source, 4 * triangles) == 0 &&
           memcmp(a->piece, b->piece, 4 * triangles) == 0 &&
           memcmp(a->place, b->place, 48 * (size_t)(a->cap_begin - a->part_begin)) == 0 &&
           memcmp(a->normal, b->normal, 24 * (size_t)(a->triangle_count - a->cap_begin)) == 0;
}

// The same faces give the same bits: with other cracks before, from a surface made anew, with more threads, and back to
// whole.
static void history_leaves_no_trace(void)
{
    pl_context *ctx[2] = {test_context(1), test_context(4)};
    bench b[2];
    for (int k = 0; k < 2; ++k)
        b[k] = set_up(ctx[k], box_mesh(ctx[k], 2.4, 0.8, 0.25, PL_CUT_BCC),
                      give(ctx[k], surface_torus(0.75, 0.3, 24, 12)));
    for (int i = 0; i < 30; ++i)
    {
        for (int32_t f = 0; f < b[0].face_count; ++f)
            b[0].separated[f] = b[1].separated[f] = pl__random01(41, (uint64_t)i, (uint64_t)f) < 0.2;
        // the other has seen faces in between
        CHECK_OK(ctx[0], pl__cut_surface(b[0].cut, b[0].separated, &b[0].result));
        memset(b[1].separated, i % 2, (size_t)b[1].face_count);
        CHECK_OK(ctx[1], pl__cut_surface(b[1].cut, b[1].separated, &b[1].result));
        CHECK_OK(ctx[1], pl__cut_surface(b[1].cut, b[0].separated, &b[1].result));
        CHECK(same_results(&b[0].result, &b[1].result));
    }
    memset(b[0].separated, 0, (size_t)b[0].face_count);
    CHECK_OK(ctx[0], pl__cut_surface(b[0].cut, b[0].separated, &b[0].result));
    const pl__cut_result *r = &b[0].result;
    CHECK(r->vertex_count == b[0].surface->node_count && r->triangle_count == b[0].surface->triangle_count &&
          r->piece_count == 1);
    CHECK(memcmp(r->triangle, b[0].surface->triangle, 12 * (size_t)r->triangle_count) == 0);
    tear_down(&b[0]), tear_down(&b[1]);
    CHECK(pl_context_memory(ctx[0]) == 0);
    pl_context_destroy(&ctx[0]), pl_context_destroy(&ctx[1]);
}

// A triangle stays whole unless it meets a separated face; original vertices keep their numbers and places.
static void what_no_crack_meets_stays(void)
{
    pl_context *ctx = test_context(1);
    bench b = set_up(ctx, box_mesh(ctx, 2.4, 0.8, 0.25, PL_CUT_BCC), give(ctx, surface_torus(0.75, 0.3, 48, 24)));
    for (int32_t f = 0; f < b.face_count; f += 7)
    {
        memset(b.separated, 0, (size_t)b.face_count);
        b.separated[f] = 1;
        check_all(&b);
        const pl__cut_result *r = &b.result;
        CHECK(r->part_begin > 2000 && r->piece_count == 1);
        for (int32_t t = 0; t < r->part_begin; ++t)
            CHECK(memcmp(&r->triangle[3 * t], &b.surface->triangle[3 * r->source[t]], 12) == 0);
        for (int32_t v = 0; v < b.surface->node_count; ++v)
            for (int d = 0; d < 3; ++d)
                CHECK_NEAR(rest_position(&b, v).v[d], b.surface->position[3 * v + d], 1e-14);
    }
    tear_down(&b);
    pl_context_destroy(&ctx);
}

// When tetrahedra that hang together move together, pieces keep their volumes wherever they go.
static void pieces_move_with_their_tetrahedra(void)
{
    pl_context *ctx = test_context(1);
    bench b = set_up(ctx, box_mesh(ctx, 2.4, 0.8, 0.25, PL_CUT_BCC), give(ctx, surface_torus(0.75, 0.3, 24, 12)));
    for (int32_t f = 0; f < b.face_count; ++f)
        b.separated[f] = pl__random01(61, 0, (uint64_t)f) < 0.8;
    check_all(&b);
    const pl__cut_result *r = &b.result;
    int32_t tets = b.mesh->element_count, *parent = malloc(sizeof *parent * (size_t)tets),
            *own = malloc(16 * (size_t)tets);
    for (int32_t i = 0; i < tets; ++i)
        parent[i] = i;
    for (int32_t f = 0; f < b.face_count; ++f)
        if (!b.separated[f])
            parent[find_root(parent, b.face[f].tet[0])] = find_root(parent, b.face[f].tet[1]);
    // nodes of its own for every tetrahedron, which goes where its set goes
    double *node = malloc(96 * (size_t)tets), *x = malloc(24 * (size_t)r->vertex_count);
    for (int32_t i = 0; i < 12 * tets; ++i)
    {
        own[i / 3] = i / 3;
        node[i] = b.mesh->position[3 * b.mesh->element[i / 3] + i % 3] +
                  random_pm(62, (uint64_t)(3 * find_root(parent, i / 12) + i % 3));
    }
    pl__embed view = pl__cut_view(r);
    pl__embed_vectors(&view, &(pl__embed_nodes){own, NULL}, node, x);
    double *before = calloc((size_t)r->piece_count, sizeof *before),
           *after = calloc((size_t)r->piece_count, sizeof *after);
    for (int32_t t = 0; t < r->triangle_count; ++t)
    {
        const int32_t *v = &r->triangle[3 * t];
        double moved[4][3] = {{0}};
        for (int k = 0; k < 3; ++k)
            memcpy(moved[k + 1], &x[3 * v[k]], sizeof moved[0]);
        after[r->piece[t]] += volume_of(moved);
        before[r->piece[t]] +=
            pl_dot3(rest_position(&b, v[0]), pl_cross3(rest_position(&b, v[1]), rest_position(&b, v[2]))) / 6;
    }
    CHECK(r->piece_count > 20);
    for (int32_t k = 0; k < r->piece_count; ++k)
        CHECK_NEAR(after[k], before[k], 1e-12);
    free(parent), free(own), free(node), free(x), free(before), free(after);
    tear_down(&b);
    pl_context_destroy(&ctx);
}

// With texture coordinates equal to x and y, those of every corner are where it is.
static void texture_coordinates_are_inherited(void)
{
    pl_context *ctx = test_context(1);
    pl_surface *s = give(ctx, surface_torus(0.75, 0.3, 24, 12));
    double *uv = malloc(2 * sizeof *uv * (size_t)s->node_count), at[2];
    for (int32_t i = 0; i < s->node_count; ++i)
        uv[2 * i] = s->position[3 * i], uv[2 * i + 1] = s->position[3 * i + 1];
    CHECK_OK(ctx, pl__surface_set_uvs(s, s->node_count, uv, s->triangle));
    free(uv);
    bench b = set_up(ctx, box_mesh(ctx, 2.4, 0.8, 0.25, PL_CUT_BCC), s);
    memset(b.separated, 1, (size_t)b.face_count);
    CHECK_OK(ctx, pl__cut_surface(b.cut, b.separated, &b.result));
    const pl__cut_result *r = &b.result;
    for (int32_t i = 0; i < 3 * r->cap_begin; ++i)
    {
        CHECK(pl__cut_uv(s, r, i / 3, i % 3, at));
        for (int d = 0; d < 2; ++d)
            CHECK_NEAR(at[d], rest_position(&b, r->triangle[i]).v[d], 1e-9);
    }
    CHECK(r->cap_begin < r->triangle_count && !pl__cut_uv(s, r, r->cap_begin, 0, at));
    tear_down(&b);
    pl_context_destroy(&ctx);
}

// Hexahedra come apart by the tetrahedra that carry for them.
static void hexahedra_carry_too(void)
{
    pl_context *ctx = test_context(1);
    pl_shape_def def = pl_shape_def_default();
    def.extent[0] = def.extent[1] = def.extent[2] = 2.4, def.edge = 0.8, def.jitter = 0.1,
    def.elements = PL_ELEMENT_HEX;
    pl_mesh *hexes, *tets;
    CHECK_OK(ctx, pl_mesh_create_shape(ctx, &def, &hexes));
    int32_t *carrier, count;
    CHECK_OK(ctx, pl__mesh_carrier_tets(hexes, &carrier, &count));
    CHECK_OK(ctx, pl_mesh_create(ctx, hexes->position, hexes->node_count, carrier, count, &tets));
    PL_DELETE(ctx, carrier, 4 * (size_t)count);
    bench b = set_up(ctx, tets, give(ctx, surface_torus(0.75, 0.3, 24, 12)));
    pl__cut *cut;
    pl__cut_result result = {0};
    CHECK_OK(ctx, pl__cut_create(ctx, &(pl__cut_input){hexes, b.surface}, &cut));
    for (int32_t f = 0; f < b.face_count; ++f)
        b.separated[f] = b.face[f].tet[0] / 6 != b.face[f].tet[1] / 6;
    check_all(&b);
    CHECK_OK(ctx, pl__cut_surface(cut, b.separated, &result));
    CHECK(same_results(&result, &b.result) && result.piece_count > 8);
    pl__cut_result_done(&result);
    pl__cut_destroy(&cut);
    pl_mesh_destroy(&hexes);
    tear_down(&b);
    pl_context_destroy(&ctx);
}

static pl_status whole_life(pl_context *ctx)
{
    static const double x[] = {0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, 4, 4, 4, 4};
    static const int32_t tets[] = {0, 1, 2, 3, 4, 2, 1, 3};
    test_surface s = surface_torus(0.8, 0.3, 6, 5);
    surface_move(&s, 1, 1.3, 1.3, 1.3);
    pl_mesh *mesh = NULL;
    pl_surface *surface = NULL;
    pl__cut *cut = NULL;
    pl__cut_result result = {0};
    pl_status status = pl_mesh_create(ctx, x, 5, tets, 2, &mesh);
    status = status ? status : pl_surface_create(ctx, s.x, s.nodes, s.t, s.triangles, &surface);
    status = status ? status : pl__cut_create(ctx, &(pl__cut_input){mesh, surface}, &cut);
    status = status ? status : pl__cut_surface(cut, (const uint8_t[]){0}, &result);
    status = status ? status : pl__cut_surface(cut, (const uint8_t[]){1}, &result);
    CHECK(status || (result.piece_count == 2 && result.cap_begin < result.triangle_count));
    pl__cut_result_done(&result);
    pl__cut_destroy(&cut);
    pl_surface_destroy(&surface);
    pl_mesh_destroy(&mesh);
    surface_free(&s);
    return status;
}

// Many faces at random, so that edges and fans coincide and are parted.
static pl_status crowded_life(pl_context *ctx)
{
    test_surface s = ball(2, 0.45);
    pl_shape_def def = pl_shape_def_default();
    def.edge = 0.5;
    pl_mesh *mesh = NULL;
    pl_surface *surface = NULL;
    pl__cut *cut = NULL;
    pl__cut_result result = {0};
    uint8_t separated[1000];
    pl_status status = pl_mesh_create_shape(ctx, &def, &mesh);
    status = status ? status : pl_surface_create(ctx, s.x, s.nodes, s.t, s.triangles, &surface);
    status = status ? status : pl__cut_create(ctx, &(pl__cut_input){mesh, surface}, &cut);
    for (uint64_t i = 0; i < 1000; ++i)
        separated[i] = pl__random01(73, 0, i) < 0.2;
    status = status ? status : pl__cut_surface(cut, separated, &result);
    pl__cut_result_done(&result);
    pl__cut_destroy(&cut);
    pl_surface_destroy(&surface);
    pl_mesh_destroy(&mesh);
    surface_free(&s);
    return status;
}

static void every_failed_allocation_is_survived(void)
{
    CHECK(survive_every_failure(whole_life) > 60);
    CHECK(survive_every_failure(crowded_life) > 150);
}

static test_surface any_surface(uint64_t seed)
{
    double pick = pl__random01(seed, 51, 0), snap = seed % 2 ? 0 : 8;
    // (the ball is welded where it is closed only by place, and snapping would merge corners of its triangles)
    test_surface s = pick < 0.3 && snap == 0 ? ball(3 + (int32_t)(seed % 5), 0.9)
                     : pick < 0.6            ? surface_torus(0.6, 0.3, 9 + (int32_t)(seed % 20), 7)
                                             : knot(50, 6, 0.9, 0.4);
    pl_mat3 R = random_rotation(seed);
    for (int32_t i = 0; i < s.nodes; ++i)
    {
        pl_vec3 x = pl_mul3(&R, pl_make3(s.x[3 * i], s.x[3 * i + 1], s.x[3 * i + 2]));
        for (int d = 0; d < 3; ++d)
            s.x[3 * i + d] = snap > 0 ? floor(snap * x.v[d] + 0.5) / snap : x.v[d];
    }
    if (pick > 0.9)
        surface_free(&s), s = fine_box(1.5, 1 + (int32_t)(seed % 7));
    return s;
}

// Larger or smaller and farther from the origin.
static pl_mesh *move_mesh(pl_context *ctx, pl_mesh *mesh, double scale, double offset)
{
    test_surface s = {mesh->position, NULL, mesh->node_count, 0};
    surface_move(&s, scale, offset, -offset, 0.5 * offset);
    pl_mesh *moved = NULL;
    CHECK_OK(ctx, pl_mesh_create(ctx, mesh->position, mesh->node_count, mesh->element, mesh->element_count, &moved));
    pl_mesh_destroy(&mesh);
    return moved;
}

// Everything at random: shapes, places snapped to grids of the mesh, cracks, sizes; far from the origin as well.
static void any_seed_is_as_good(void)
{
    static const pl_shape_cut cuts[] = {PL_CUT_FIVE, PL_CUT_SIX, PL_CUT_BCC};
    for (uint64_t seed = 0; seed < (slow_tests ? 1000u : 12u) && failure_count == 0; ++seed)
    {
        pl_context *ctx = test_context(1);
        double scale = seed % 5 ? 1 : pow(10, 12 * pl__random01(seed, 53, 0) - 6), offset = seed % 7 ? 0 : 10 * scale;
        pl_mesh *mesh = move_mesh(ctx, box_mesh(ctx, 3, 0.75, seed % 3 ? 0 : 0.3, cuts[seed / 3 % 3]), scale, offset);
        test_surface s = any_surface(seed);
        surface_move(&s, scale, offset, -offset, 0.5 * offset);
        bench b = set_up(ctx, mesh, give(ctx, s));
        for (int i = 0; i < 12 && failure_count == 0; ++i)
        {
            for (int32_t f = 0; f < b.face_count; ++f)
                b.separated[f] |= pl__random01(seed, 54 + (uint64_t)i, (uint64_t)f) < 0.02 * (i + 1);
            CHECK_OK(ctx, pl__cut_surface(b.cut, b.separated, &b.result));
            check_closed(&b);
            check_pieces(&b);
            if (seed % 2 || pl__random01(seed, 51, 0) > 0.9) // snapping makes surfaces that cross and touch themselves
                check_shapes(&b);
        }
        if (failure_count)
            printf("seed %d\n", (int)seed);
        tear_down(&b);
        pl_context_destroy(&ctx);
    }
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {
        TEST(sides_describe_a_world_that_exists),
        TEST(sizes_in_a_plane_are_limits),
        TEST(regions_are_filled_once),
        TEST(random_cracks_leave_closed_pieces),
        TEST(caps_may_have_islands),
        TEST(degenerate_places_are_no_different),
        TEST(surfaces_may_touch_the_boundary),
        TEST(surfaces_may_cross_themselves),
        TEST(unfit_surfaces_are_refused),
        TEST(history_leaves_no_trace),
        TEST(what_no_crack_meets_stays),
        TEST(pieces_move_with_their_tetrahedra),
        TEST(texture_coordinates_are_inherited),
        TEST(hexahedra_carry_too),
        TEST(every_failed_allocation_is_survived),
        TEST(any_seed_is_as_good),
    };
    return RUN(tests);
}

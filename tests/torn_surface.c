// tests/torn_surface.c -- carried surfaces of bodies that break and are cut: closed, of the same volume, and lit as
// before.
#include "test.h"
#include "base/hash.h"
#include "base/random.h"
#include "clip.h"
#include "fixture.h"
#include "host.h"
#include "math/euler.h"
#include "random_input.h"
#include "surfaces.h"

// ---- bodies ----------------------------------------------------------------------------------------------------

typedef struct
{
    pl_element_kind elements;
    pl_integrator integrator;
    int32_t threads;
    bool ring;       // a torus whose vertices are one, not a ball whose octants meet by place alone
    double edge;     // of the mesh
    double strength; // fracture stress [Pa]; 0: it is only cut
    bool still;      // it neither falls nor turns
} torn_def;

static pl_surface *make_surface(pl_context *ctx, bool ring)
{
    test_surface s = ring ? surface_torus(0.6, 0.3, 20, 12) : surface_sphere(8);
    surface_move(&s, ring ? 1 : 0.93, 0.01, 0.02, 0.03);
    pl_surface *surface;
    double *uv = malloc(2 * sizeof *uv * (size_t)s.nodes);
    CHECK_OK(ctx, pl_surface_create(ctx, s.x, s.nodes, s.t, s.triangles, &surface));
    for (int32_t i = 0; i < 2 * s.nodes; ++i)
        uv[i] = s.x[3 * (i / 2) + i % 2];
    CHECK_OK(ctx, pl__surface_set_uvs(surface, s.nodes, uv, s.t));
    free(uv);
    surface_free(&s);
    return surface;
}

// In a box, on its way and turning; `surface` stays the caller's.
static fixture make_torn(const torn_def *t, pl_surface **surface)
{
    fixture f = {.ctx = test_context(t->threads ? t->threads : 1)};
    pl_material_def material = pl_material_def_default();
    pl_shape_def shape = pl_shape_def_default();
    pl_body_def body = pl_body_def_default();
    pl_solver_def solver = pl_solver_def_default();
    *surface = make_surface(f.ctx, t->ring);
    for (int d = 0; d < 3; ++d)
        shape.extent[d] = 2;
    shape.edge = t->edge;
    shape.jitter = 0.2;
    shape.elements = t->elements;
    MUST(pl_mesh_create_shape(f.ctx, &shape, &f.mesh));
    MUST(pl_scene_create(f.ctx, &f.scene));
    if (t->still)
        MUST(pl_scene_set_gravity(f.scene, (double[3]){0, 0, 0}));
    solver.integrator = t->integrator;
    MUST(pl_scene_set_solver(f.scene, &solver));
    material.fracture_stress = t->strength;
    body.mesh = f.mesh;
    body.surface = *surface;
    body.cuttable = 1;
    body.smallest_piece = 1;
    body.self_collision = body.collides = 0;
    memcpy(body.rotate, (double[3]){10, 20, 30}, sizeof body.rotate);
    if (!t->still)
        memcpy(body.spin, (double[3]){20, 60, -30}, sizeof body.spin);
    MUST(pl_scene_add_material(f.scene, "stuff", &material, &body.material));
    MUST(pl_scene_add_body(f.scene, "body", &body, &f.body));
    MUST(pl_world_create(f.scene, &f.world));
    return f;
}

static void end_torn(fixture *f, pl_surface **surface)
{
    pl_surface_destroy(surface);
    fixture_done(f);
}

static const pl__body_shape *shape_of(const fixture *f) { return &f->world->bodies.slot[0].shape; }
static const pl__split *split_of(const fixture *f) { return f->world->bodies.slot[0].fracture->split; }

// The k-th of random rectangles through the body, some of which end within.
static int32_t cut_at_random(const fixture *f_, uint64_t seed, uint64_t k)
{
    fixture f = *f_;
    double middle[3], v[3], corner[4][3], reach = k % 2 ? 3 : 0.7;
    fixture_centre(&f, middle, v);
    pl_mat3 R = random_rotation(1000 * seed + k);
    int32_t torn;
    for (int c = 0; c < 4; ++c)
        for (int d = 0; d < 3; ++d)
            corner[c][d] = middle[d] + 0.9 * random_pm(seed, k) * R.c[2][d] +
                           (c == 1 || c == 2 ? reach : -reach) * R.c[0][d] +
                           (c >= 2 ? reach : -0.5 * reach) * R.c[1][d];
    MUST(pl_world_cut(f.world, corner[0], corner[1], corner[2], corner[3], &torn));
    return torn;
}

// ---- what is promised ------------------------------------------------------------------------------------------

static int by_number(const void *a, const void *b)
{
    uint64_t p = *(const uint64_t *)a, q = *(const uint64_t *)b;
    return (p > q) - (p < q);
}

// Every edge is walked once each way.
static void check_closed(const fixture *f)
{
    int32_t count, twice = 0, open = 0;
    const int32_t *t = pl_body_surface_triangles(f->world, f->body, &count);
    uint64_t *edge = malloc(sizeof *edge * 3 * (size_t)count);
    for (int32_t i = 0; i < 3 * count; ++i)
        edge[i] = (uint64_t)t[i] << 32 | (uint64_t)t[i / 3 * 3 + (i + 1) % 3];
    qsort(edge, 3 * (size_t)count, sizeof *edge, by_number);
    for (int32_t i = 0; i < 3 * count; ++i)
    {
        uint64_t back = edge[i] << 32 | edge[i] >> 32;
        twice += i > 0 && edge[i] == edge[i - 1];
        open += bsearch(&back, edge, 3 * (size_t)count, sizeof *edge, by_number) == NULL;
    }
    CHECK_THAT(twice == 0 && open == 0, "%d edges twice, %d open", twice, open);
    free(edge);
}

// Which piece each carrier belongs to, by the nodes that elements share.
static int32_t *find_parts(const fixture *f, int32_t *count)
{
    const pl__split *s = split_of(f);
    int32_t corners = pl__element_forms[s->kind].corners, *part = malloc(sizeof *part * (size_t)s->node_count);
    CHECK_OK(f->ctx, pl__connected_parts(f->ctx, corners, s->corner, s->element_count, s->node_count, part, count));
    return part;
}

// At rest: each vertex is in one piece of the body, and the surface encloses as much of each as was in its tetrahedra.
static void check_volumes(const fixture *f, const double *in_carrier, double total)
{
    const pl__body_shape *shape = shape_of(f);
    int32_t parts, *part = find_parts(f, &parts), strays = 0, vertices = shape->embed->vertex_count;
    double *x = malloc(3 * sizeof *x * (size_t)vertices), *volume = calloc((size_t)parts, sizeof *volume),
           *expected = calloc((size_t)parts, sizeof *expected);
    pl__embed_vectors(shape->embed, &(pl__embed_nodes){.tet = shape->carrier}, shape->rest, x);
    double sum = 0, least = 0;
    for (int32_t t = 0; t < shape->embed->triangle_count; ++t)
    {
        double cone[4][3] = {{0}};
        int32_t home[3];
        for (int k = 0; k < 3; ++k)
        {
            int32_t v = shape->embed->triangle[3 * t + k];
            memcpy(cone[k + 1], &x[3 * (size_t)v], sizeof cone[0]);
            home[k] = part[shape->carrier[4 * (size_t)shape->embed->tet[v]]];
        }
        strays += home[0] != home[1] || home[1] != home[2];
        volume[home[0]] += volume_of(cone);
    }
    for (int32_t c = 0; c < shape->carrier_count; ++c)
        expected[part[shape->carrier[4 * (size_t)c]]] += in_carrier[c];
    for (int32_t p = 0; p < parts; ++p)
    {
        sum += volume[p];
        least = fmin(least, volume[p]);
        CHECK_NEAR(volume[p], expected[p], 1e-9 * total);
    }
    CHECK_THAT(strays == 0, "%d triangles between pieces", strays);
    CHECK_THAT(least > -1e-12 * total, "volume %g", least);
    CHECK_NEAR(sum, total, 1e-9 * total);
    free(part), free(x), free(volume), free(expected);
}

// How much of the surface each carrier holds, in the whole mesh.
static double *volumes_of(const fixture *f_, const pl_surface *surface, double *total)
{
    fixture f = *f_;
    pl_mesh *tets;
    int32_t *carrier, count;
    MUST(pl__mesh_carrier_tets(f.mesh, &carrier, &count));
    MUST(pl_mesh_create(f.ctx, f.mesh->position, f.mesh->node_count, carrier, count, &tets));
    double *volume = volumes_in_tets(tets, surface);
    *total = surface_volume(&(test_surface){surface->position, surface->triangle, 0, surface->triangle_count});
    PL_DELETE(f.ctx, carrier, 4 * (size_t)count);
    pl_mesh_destroy(&tets);
    return volume;
}

// The sources of triangles: whole ones are where and what they were, and with texture coordinates equal to x and y so
// are parts.
static void check_sources(const fixture *f_, const pl_surface *surface)
{
    fixture f = *f_;
    int32_t count, caps = 0, whole = 0;
    const int32_t *t = pl_body_surface_triangles(f.world, f.body, &count),
                  *source = pl_body_surface_sources(f.world, f.body);
    const pl__embed *embed = shape_of(&f)->embed;
    double *uv = malloc(6 * sizeof *uv * (size_t)count), *x = malloc(3 * sizeof *x * (size_t)embed->vertex_count);
    // in the coordinates of the mesh
    double *rest = malloc(3 * sizeof *rest * (size_t)split_of(&f)->node_count);
    for (int32_t n = 0; n < split_of(&f)->node_count; ++n)
        memcpy(&rest[3 * (size_t)n], &f.mesh->position[3 * (size_t)pl__split_origin(split_of(&f), n)],
               3 * sizeof *rest);
    pl__embed_vectors(embed, &(pl__embed_nodes){.tet = shape_of(&f)->carrier}, rest, x);
    CHECK(pl_body_read_surface_uvs(f.world, f.body, uv) == 1);
    for (int32_t i = 0; i < count; ++i)
    {
        caps += source[i] < 0;
        whole += source[i] >= 0 && memcmp(&t[3 * i], &surface->triangle[3 * source[i]], 3 * sizeof *t) == 0;
        for (int k = 0; k < 6; ++k)
            CHECK_NEAR(uv[6 * i + k], source[i] < 0 ? 0 : x[3 * t[3 * i + k / 2] + k % 2], 1e-9);
    }
    CHECK(caps > 0 && whole > 0 && caps + whole < count);
    free(uv), free(x), free(rest);
}

// ---- cut again and again ---------------------------------------------------------------------------------------

// A body in motion is cut until a thousand nodes have come apart; after each cut its surface is closed and encloses
// what it did.
static void cut_to_pieces(const torn_def *t, int32_t splits, uint64_t seed)
{
    pl_surface *surface;
    fixture f = make_torn(t, &surface);
    double total, *in_carrier = volumes_of(&f, surface, &total);
    int32_t torn = 0, changes = 0, nodes = pl_body_node_count(f.world, f.body);
    check_closed(&f);
    check_volumes(&f, in_carrier, total);
    for (uint64_t k = 0; torn < splits && k < 400 && failure_count == 0; ++k)
    {
        int32_t now = cut_at_random(&f, seed, k);
        torn += now;
        changes += now > 0;
        if (now > 0)
        {
            check_closed(&f);
            check_volumes(&f, in_carrier, total);
        }
        if (k == 3)
            check_sources(&f, surface);
        fixture_step(&f, 1.0 / 240);
    }
    CHECK_THAT(torn >= splits && changes > 5, "%d torn by %d cuts", torn, changes);
    CHECK(pl_body_node_count(f.world, f.body) == nodes + torn && pl__split_is_valid((pl__split *)split_of(&f)));
    free(in_carrier);
    end_torn(&f, &surface);
}

static void a_thousand_splits_leave_closed_pieces(void)
{
    cut_to_pieces(&(torn_def){.elements = PL_ELEMENT_TET, .ring = true, .edge = 0.5}, 1000, 1);
    cut_to_pieces(&(torn_def){.elements = PL_ELEMENT_TET, .edge = 0.5}, 300, 2);
    for (uint64_t seed = 100; slow_tests && seed < 140 && failure_count == 0; ++seed)
        cut_to_pieces(
            &(torn_def){.elements = PL_ELEMENT_TET, .ring = seed % 2, .edge = 0.3 + 0.01 * (double)(seed % 20)}, 1000,
            seed);
}

static void hexahedra_come_apart(void)
{
    cut_to_pieces(&(torn_def){.elements = PL_ELEMENT_HEX, .ring = true, .edge = 0.4}, 300, 3);
}

static void implicit_bodies_come_apart(void)
{
    cut_to_pieces(
        &(torn_def){.elements = PL_ELEMENT_TET, .integrator = PL_INTEGRATOR_IMPLICIT_EULER, .ring = true, .edge = 0.6},
        200, 4);
}

// What breaks by itself, spun until it does, is as closed as what is cut.
static void what_breaks_is_closed(void)
{
    pl_surface *surface;
    fixture f = make_torn(&(torn_def){.elements = PL_ELEMENT_TET, .ring = true, .edge = 0.4, .strength = 60}, &surface);
    double total, *in_carrier = volumes_of(&f, surface, &total);
    int32_t torn = 0;
    for (int k = 0; k < 40 && torn < 100; ++k)
    {
        int32_t now = fixture_step(&f, 1.0 / 120).torn;
        torn += now;
        if (now > 0)
        {
            check_closed(&f);
            check_volumes(&f, in_carrier, total);
        }
    }
    CHECK_THAT(torn > 10, "%d torn", torn);
    free(in_carrier);
    end_torn(&f, &surface);
}

// ---- same bits -------------------------------------------------------------------------------------------------

static uint64_t surface_hash(const fixture *f_)
{
    fixture f = *f_;
    int32_t vertices = pl_body_surface_vertex_count(f.world, f.body), triangles;
    const int32_t *t = pl_body_surface_triangles(f.world, f.body, &triangles);
    double *x = malloc(9 * sizeof *x * (size_t)vertices), *uv = malloc(6 * sizeof *uv * (size_t)triangles);
    MUST(pl_body_read_surface_exact(f.world, f.body, x, &x[3 * vertices], &x[6 * vertices]));
    CHECK(pl_body_read_surface_uvs(f.world, f.body, uv) == 1);
    uint64_t h = pl__hash(0, x, 9 * sizeof *x * (size_t)vertices);
    h = pl__hash(h, uv, 6 * sizeof *uv * (size_t)triangles);
    h = pl__hash(h, t, 3 * sizeof *t * (size_t)triangles);
    h = pl__hash(h, pl_body_surface_sources(f.world, f.body), sizeof *t * (size_t)triangles);
    free(x), free(uv);
    return h;
}

static void cut_and_step(const fixture *f, uint64_t from, uint64_t to)
{
    for (uint64_t k = from; k < to; ++k)
    {
        cut_at_random(f, 7, k);
        fixture_step(f, 1.0 / 240);
    }
}

// For one and four threads, and from a snapshot in the midst of it: in a world that is whole, and in one that is torn
// otherwise.
static void bits_do_not_depend_on_threads_or_restarts(void)
{
    static const torn_def defs[] = {
        {.elements = PL_ELEMENT_TET, .ring = true, .edge = 0.6},
        {.elements = PL_ELEMENT_HEX, .integrator = PL_INTEGRATOR_IMPLICIT_EULER, .edge = 0.6}};
    for (int d = 0; d < 2; ++d)
    {
        uint64_t middle = 0, end = 0;
        for (int32_t threads = 1; threads <= 4; threads += 3)
        {
            torn_def def = defs[d];
            def.threads = threads;
            pl_surface *surface, *other;
            fixture f = make_torn(&def, &surface), g = make_torn(&defs[d], &other);
            cut_and_step(&f, 0, 4);
            size_t size = pl_world_save_size(f.world);
            void *state = malloc(size);
            MUST(pl_world_save(f.world, state, size));
            middle = threads == 1 ? surface_hash(&f) : middle;
            CHECK(surface_hash(&f) == middle);
            cut_and_step(&f, 4, 8);
            end = threads == 1 ? surface_hash(&f) : end;
            CHECK(surface_hash(&f) == end && end != middle);
            for (int again = 0; again < 2; ++again)
            {
                CHECK_OK(g.ctx, pl_world_load(g.world, state, size));
                CHECK(surface_hash(&g) == middle);
                cut_and_step(&g, 4, 8);
                CHECK(surface_hash(&g) == end);
            }
            free(state);
            end_torn(&f, &surface);
            end_torn(&g, &other);
        }
    }
}

// ---- normals ---------------------------------------------------------------------------------------------------

static double *read_normals(const fixture *f_)
{
    fixture f = *f_;
    double *normal = malloc(3 * sizeof *normal * (size_t)pl_body_surface_vertex_count(f.world, f.body));
    MUST(pl_body_read_surface_exact(f.world, f.body, NULL, NULL, normal));
    return normal;
}

static pl_vec3 unturned(double Q[3][3], const double v[3])
{
    pl_vec3 out;
    for (int d = 0; d < 3; ++d)
        out.v[d] = Q[0][d] * v[0] + Q[1][d] * v[1] + Q[2][d] * v[2];
    return out;
}

// Of the ring of make_surface.
static pl_vec3 ring_normal(pl_vec3 x)
{
    pl_vec3 p = pl_sub3(x, pl_make3(0.01, 0.02, 0.03));
    double across = sqrt(p.v[0] * p.v[0] + p.v[1] * p.v[1]);
    pl_vec3 n = pl_sub3(p, pl_make3(0.6 * p.v[0] / across, 0.6 * p.v[1] / across, 0));
    return pl_scale3(1 / pl_length3(n), n);
}

// Before it has moved, a cut changes no normal of the outside; those of parts are between, and those within are those
// of their caps. A turn of the body turns them all.
static void normals_stay_and_turn(void)
{
    pl_surface *surface;
    fixture f = make_torn(&(torn_def){.elements = PL_ELEMENT_TET, .ring = true, .edge = 0.5}, &surface);
    double *whole = read_normals(&f);
    for (uint64_t k = 0; k < 8; ++k)
        cut_at_random(&f, 8, k);
    double *torn = read_normals(&f);
    const pl__cut_result *r = &shape_of(&f)->torn;
    CHECK(memcmp(whole, torn, 3 * sizeof *whole * (size_t)surface->node_count) == 0 &&
          r->vertex_count > surface->node_count);
    for (int32_t v = 0; v < r->vertex_count; ++v)
        CHECK_NEAR(pl_length3(pl_make3(torn[3 * v], torn[3 * v + 1], torn[3 * v + 2])), 1, 1e-12);
    // outside, those of a ring, but for the size of its triangles; within, those of caps
    double Q[3][3], *x0 = malloc(3 * sizeof *x0 * (size_t)r->vertex_count);
    pl__euler_matrix((double[3]){10, 20, 30}, Q);
    MUST(pl_body_read_surface_exact(f.world, f.body, x0, NULL, NULL));
    uint8_t *outer = calloc((size_t)r->vertex_count, 1);
    for (int32_t i = 0; i < 3 * r->cap_begin; ++i)
        outer[r->triangle[i]] = 1;
    pl_vec3 *caps = calloc((size_t)r->vertex_count, sizeof *caps); // area and normal
    for (int32_t i = 3 * r->cap_begin; i < 3 * r->triangle_count; ++i)
    {
        const double *n = &r->normal[3 * (i / 3 - r->cap_begin)];
        const int32_t *t = &r->triangle[i / 3 * 3];
        pl_vec3 a = pl_make3(x0[3 * t[0]], x0[3 * t[0] + 1], x0[3 * t[0] + 2]);
        pl_vec3 b = pl_sub3(pl_make3(x0[3 * t[1]], x0[3 * t[1] + 1], x0[3 * t[1] + 2]), a),
                c = pl_sub3(pl_make3(x0[3 * t[2]], x0[3 * t[2] + 1], x0[3 * t[2] + 2]), a);
        caps[r->triangle[i]] = pl_axpy3(pl_length3(pl_cross3(b, c)), pl_make3(n[0], n[1], n[2]), caps[r->triangle[i]]);
    }
    int32_t within = 0;
    for (int32_t v = 0; v < r->vertex_count; ++v)
    {
        if (!outer[v] && pl_length3(caps[v]) < 1e-9)
            continue; // where a crack ends, its sides face each other
        pl_vec3 n = unturned(Q, &torn[3 * v]);
        double facing =
            outer[v] ? pl_dot3(ring_normal(unturned(Q, &x0[3 * v])), n) : pl_dot3(caps[v], n) / pl_length3(caps[v]);
        CHECK_THAT(facing > (outer[v] ? 0.97 : 1 - 1e-9), "vertex %d, outside %d: %g", v, outer[v], facing);
        within += !outer[v];
    }
    CHECK(within > 3);
    free(caps);
    free(x0), free(outer);
    int32_t n = pl_body_node_count(f.world, f.body);
    pl_mat3 R = random_rotation(9);
    double *x = malloc(3 * sizeof *x * (size_t)n);
    MUST(pl_body_read(f.world, f.body, x, NULL));
    for (int32_t i = 0; i < n; ++i)
        memcpy(&x[3 * i], pl_mul3(&R, pl_make3(x[3 * i], x[3 * i + 1], x[3 * i + 2])).v, 3 * sizeof *x);
    MUST(pl_body_write(f.world, f.body, x, NULL));
    double *turned = read_normals(&f);
    float *plain = malloc(3 * sizeof *plain * (size_t)r->vertex_count);
    CHECK(pl_body_read_surface(f.world, f.body, NULL, plain, 12) == pl_body_version(f.world, f.body));
    for (int32_t v = 0; v < r->vertex_count; ++v)
    {
        pl_vec3 expected = pl_mul3(&R, pl_make3(torn[3 * v], torn[3 * v + 1], torn[3 * v + 2]));
        for (int d = 0; d < 3; ++d)
        {
            CHECK_NEAR(turned[3 * v + d], expected.v[d], 1e-12);
            CHECK(plain[3 * v + d] == (float)turned[3 * v + d]);
        }
    }
    free(whole), free(torn), free(turned), free(plain), free(x);
    end_torn(&f, &surface);
}

// ---- the boundary of a mesh ------------------------------------------------------------------------------------

// Triangles of a boundary know where they are from, too: those with a source have its nodes or copies of them.
static void boundaries_have_sources(void)
{
    for (int kind = PL_ELEMENT_TET; kind <= PL_ELEMENT_HEX; ++kind)
    {
        fixture_def def = fixture_default();
        def.shape.edge = 0.3;
        def.shape.elements = (pl_element_kind)kind;
        fixture whole = fixture_make(&def);
        CHECK(pl_body_surface_sources(whole.world, whole.body) == NULL &&
              pl_body_read_surface_uvs(whole.world, whole.body, NULL) == 0);
        fixture_done(&whole);
        def.body.cuttable = 1;
        fixture f = fixture_make(&def);
        MUST(pl_world_cut(f.world, (double[3]){0.18, -3, -3}, (double[3]){0.18, 3, -3}, (double[3]){0.18, 3, 3},
                          (double[3]){0.18, -3, 3}, NULL));
        MUST(pl_world_cut(f.world, (double[3]){-3, 0.18, -3}, (double[3]){3, 0.18, -3}, (double[3]){3, 0.18, 0},
                          (double[3]){-3, 0.18, 0}, NULL));
        int32_t count, outer = 0, strangers = 0;
        const int32_t *t = pl_body_surface_triangles(f.world, f.body, &count),
                      *source = pl_body_surface_sources(f.world, f.body);
        const int32_t *node = pl_body_surface_nodes(f.world, f.body);
        for (int32_t i = 0; i < count; ++i)
        {
            outer += source[i] >= 0;
            for (int k = 0; k < 3 && source[i] >= 0 && kind == PL_ELEMENT_TET; ++k)
                strangers +=
                    pl__split_origin(split_of(&f), node[t[3 * i + k]]) != pl_mesh_triangles(f.mesh)[3 * source[i] + k];
        }
        CHECK_THAT(outer == pl_mesh_triangle_count(f.mesh) && count > outer + 20 && strangers == 0, "%d of %d, %d",
                   outer, count, strangers);
        fixture_done(&f);
    }
}

// ---- hands -----------------------------------------------------------------------------------------------------

// A ray meets what a crack laid open; a hand that holds on there draws the piece along, and goes on holding it when it
// is cut.
static void hands_hold_pieces(void)
{
    pl_surface *surface;
    fixture f = make_torn(&(torn_def){.elements = PL_ELEMENT_TET, .edge = 0.5, .still = true}, &surface);
    const double a[4][3] = {{0.1, -3, -3}, {0.1, 3, -3}, {0.1, 3, 3}, {0.1, -3, 3}};
    MUST(pl_world_cut(f.world, a[0], a[1], a[2], a[3], NULL));
    pl_hit hit;
    pl_grab_id grab;
    CHECK(pl_world_cast_ray(f.world, (double[3]){3, 0, 0.1}, (double[3]){-1, 0, 0}, &hit) == 1);
    MUST(pl_world_grab(f.world, &hit, 1e4, 0.5, &grab));
    MUST(pl_world_grab_move(f.world, grab, (double[3]){4, 0, 0}));
    for (int k = 0; k < 30; ++k)
        fixture_step(&f, 1.0 / 60);
    // into the gap, at the other half, where its surface was open
    CHECK(pl_world_cast_ray(f.world, (double[3]){0.8, 0, 0}, (double[3]){-1, 0, 0}, &hit) == 1);
    CHECK_THAT(pl_body_surface_sources(f.world, f.body)[hit.triangle] < 0, "triangle %d, distance %g", hit.triangle,
               hit.distance);
    cut_and_step(&f, 0, 4);
    double at[3];
    MUST(pl_world_grab_read(f.world, grab, at));
    CHECK(at[0] > 1);
    check_closed(&f);
    end_torn(&f, &surface);
}

// ---- refusals --------------------------------------------------------------------------------------------------

static void expect_refusal(test_surface s, double size, const char *words)
{
    fixture f = {.ctx = test_context(1)};
    pl_material_def material = pl_material_def_default();
    pl_shape_def shape = pl_shape_def_default();
    pl_body_def body = pl_body_def_default();
    pl_surface *surface;
    shape.extent[0] = shape.extent[1] = shape.extent[2] = size;
    shape.edge = 0.5;
    MUST(pl_surface_create(f.ctx, s.x, s.nodes, s.t, s.triangles, &surface));
    MUST(pl_mesh_create_shape(f.ctx, &shape, &f.mesh));
    MUST(pl_scene_create(f.ctx, &f.scene));
    body.mesh = f.mesh;
    body.surface = surface;
    body.cuttable = 1;
    MUST(pl_scene_add_material(f.scene, "stuff", &material, &body.material));
    MUST(pl_scene_add_body(f.scene, "bun", &body, &f.body));
    pl_status status = pl_world_create(f.scene, &f.world);
    const char *sentence = pl_context_error(f.ctx);
    CHECK_THAT(status == PL_ERR_ARGUMENT && strstr(sentence, "bodies.bun.surface: ") == sentence &&
                   strstr(sentence, words) && strstr(sentence, "leave out fracture_stress and cuttable"),
               "%d: %s", (int)status, sentence);
    pl_surface_destroy(&surface);
    surface_free(&s);
    fixture_done(&f);
}

static void unfit_surfaces_are_refused(void)
{
    test_surface open = surface_torus(0.6, 0.2, 12, 8), turned = surface_torus(0.6, 0.2, 12, 8);
    open.triangles--;
    expect_refusal(open, 2, "is open at the edge");
    surface_turn(&turned);
    expect_refusal(turned, 2, "face outwards");
    expect_refusal(surface_torus(0.6, 0.2, 12, 8), 1.2, "outside the mesh");
}

// ---- memory ----------------------------------------------------------------------------------------------------

static pl_status short_life(pl_context *ctx)
{
    test_surface s = surface_torus(0.25, 0.1, 6, 5);
    pl_shape_def shape = pl_shape_def_default();
    pl_material_def material = pl_material_def_default();
    pl_body_def body = pl_body_def_default();
    pl_mesh *mesh = NULL;
    pl_surface *surface = NULL;
    pl_scene *scene = NULL;
    pl_world *world = NULL;
    shape.edge = 0.5;
    body.cuttable = 1;
    body.self_collision = body.collides = 0;
    const double a[4][3] = {{0.01, -3, -3}, {0.01, 3, -3}, {0.01, 3, 3}, {0.01, -3, 3}};
    char *state = malloc(100000);
    int32_t torn = 0;
    pl_status status = pl_mesh_create_shape(ctx, &shape, &mesh);
    status = status ? status : pl_surface_create(ctx, s.x, s.nodes, s.t, s.triangles, &surface);
    status = status ? status : pl_scene_create(ctx, &scene);
    body.mesh = mesh;
    body.surface = surface;
    status = status ? status : pl_scene_add_material(scene, "stuff", &material, &body.material);
    status = status ? status : pl_scene_add_body(scene, "body", &body, NULL);
    status = status ? status : pl_world_create(scene, &world);
    size_t size = world ? pl_world_save_size(world) : 0;
    status = status ? status : pl_world_save(world, state, size);
    status = status ? status : pl_world_cut(world, a[0], a[1], a[2], a[3], &torn);
    CHECK(!world || status ||
          (torn > 0 && world->bodies.slot[0].shape.torn.cap_begin < world->bodies.slot[0].shape.torn.triangle_count));
    CHECK(!world || !status ||
          world->bodies.slot[0].shape.torn.triangle_count == s.triangles); // a cut that fails changes nothing
    status = status ? status : pl_world_load(world, state, size);
    pl_world_destroy(&world);
    pl_scene_destroy(&scene);
    pl_surface_destroy(&surface);
    pl_mesh_destroy(&mesh);
    surface_free(&s);
    free(state);
    return status;
}

static void every_failed_allocation_is_survived(void) { CHECK(survive_every_failure(short_life) > 200); }

int main(int argc, char **argv)
{
    static const pl_test tests[] = {
        TEST(a_thousand_splits_leave_closed_pieces),
        TEST(hexahedra_come_apart),
        TEST(implicit_bodies_come_apart),
        TEST(what_breaks_is_closed),
        TEST(bits_do_not_depend_on_threads_or_restarts),
        TEST(normals_stay_and_turn),
        TEST(boundaries_have_sources),
        TEST(hands_hold_pieces),
        TEST(unfit_surfaces_are_refused),
        TEST(every_failed_allocation_is_survived),
    };
    return RUN(tests);
}

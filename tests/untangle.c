// tests/untangle.c -- what crosses at the start comes apart, and nothing else crosses meanwhile.
#include "host.h"
#include "base/random.h"
#include "world/world.h"
#include <pliant/world.h>

#define MUST(call)                                                                                                     \
    do                                                                                                                 \
    {                                                                                                                  \
        pl_status must_status = (call);                                                                                \
        if (must_status != PL_OK)                                                                                      \
        {                                                                                                              \
            printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, pl_status_name(must_status));                         \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

static double any(uint64_t seed, uint64_t k) { return 2 * pl__random01(seed, 11, k) - 1; }

// ---- triangles -------------------------------------------------------------------------------------------------

// Through the inside, an edge and a corner; what rests on the front does not pass, what comes from behind does, up to
// the plane.
static void passing_is_from_behind_to_the_front(void)
{
    static const double t[3][3] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}}; // faces +z
    static const struct
    {
        double p[3], q[3];
        bool passes;
    } row[] = {{{1, 1, 1}, {1, 1, -1}, true},  {{2, 0, 1}, {2, 0, -1}, true},   {{0, 0, 1}, {0, 0, -1}, true},
               {{1, 1, 0}, {1, 1, 1}, false},  {{1, 1, 0}, {1, 1, -1}, true},   {{1, 1, 0}, {2, 1, 0}, false},
               {{3, 3, 1}, {3, 3, -1}, false}, {{1, 1, -1}, {1, 1, -2}, false}, {{2, 2, -1}, {2, 2, 1}, true},
               {{2, 2, 0}, {2, 3, -1}, true}};
    for (size_t i = 0; i < sizeof row / sizeof row[0]; ++i)
    {
        CHECK_THAT(pl__segment_passes_triangle(row[i].p, row[i].q, t) == row[i].passes, "row %zu", i);
        CHECK_THAT(pl__segment_passes_triangle(row[i].q, row[i].p, t) == row[i].passes, "row %zu turned", i);
    }
}

enum
{
    SOUP = 60
};

// Triangles here and there, each by itself.
static void fill_soup(uint64_t seed, double x[9 * SOUP + 1], int32_t triangle[3 * SOUP])
{
    for (uint64_t i = 0; i < 3 * SOUP; ++i)
        triangle[i] = (int32_t)i;
    for (uint64_t i = 0; i < 9 * SOUP; ++i)
        x[i] = any(seed, i / 9 * 3 + i % 3 + 5000) + 0.7 * any(seed, i);
    x[9 * SOUP] = 0;
}

static bool goes_through(const double *x, int32_t edge_of, int k, int32_t triangle)
{
    const double *p = &x[9 * edge_of + 3 * k], *q = &x[9 * edge_of + 3 * ((k + 1) % 3)];
    return edge_of != triangle && pl__segment_pierces_triangle(p, q, (const double(*)[3]) & x[9 * triangle]);
}

// All edges that go through triangles are listed, once, with the point where they do.
static void piercings_are_those_of_all_edges(void)
{
    pl_context *ctx = test_context(3);
    int32_t triangle[3 * SOUP], found = 0;
    double x[9 * SOUP + 1];
    for (uint64_t seed = 0; seed < 20; ++seed)
    {
        fill_soup(seed, x, triangle);
        pl__surface_part part = {.triangle_count = SOUP, .triangle = triangle, .self = true};
        pl__surfaces *s;
        pl__tree *tree;
        pl__crossing_list list;
        pl__crossings counted;
        MUST(pl__surfaces_create(ctx, &part, 1, &s));
        MUST(pl__tree_create(s, x, &tree));
        MUST(pl__crossing_list_create(tree, &list));
        MUST(pl__crossing_list_find(&list, x));
        MUST(pl__crossings_find(tree, x, &counted));
        int32_t expected = 0, seen = 0;
        for (int32_t i = 0; i < SOUP * SOUP * 3; ++i)
            expected += goes_through(x, i / 3 / SOUP, i % 3, i / 3 % SOUP);
        for (int32_t i = 0; i < list.piercing_count; ++i)
        {
            const pl__piercing *p = &list.piercing[i];
            const int32_t *node = s->edge[p->edge].node;
            double off = 0;
            for (int d = 0; d < 3; ++d)
            {
                double gap = (1 - p->along) * x[3 * node[0] + d] + p->along * x[3 * node[1] + d];
                for (int k = 0; k < 3; ++k)
                    gap -= p->weight[k] * x[3 * s->triangle[3 * p->triangle + k] + d];
                off = fmax(off, fabs(gap));
            }
            CHECK_THAT(off < 1e-12 && p->along >= 0 && p->along <= 1, "off by %g, along %g", off,
                       p->along); // rounding over slender triangles
            for (int k = 0; k < 3; ++k)
                seen +=
                    s->triangle_edge[3 * (node[0] / 3) + k] == p->edge && goes_through(x, node[0] / 3, k, p->triangle);
        }
        CHECK_THAT(list.count == counted.count && list.piercing_count == expected && seen == expected, "%d of %d", seen,
                   expected);
        found += expected;
        pl__crossing_list_destroy(&list);
        pl__tree_destroy(&tree);
        pl__surfaces_destroy(&s);
    }
    CHECK(found > 1000);
    pl_context_destroy(&ctx);
}

// ---- one interval ----------------------------------------------------------------------------------------------

enum
{
    SIDE = 9,
    SHEETS = 4,
    SHEET_NODES = SIDE * SIDE,
    SHEET_TRIANGLES = 2 * (SIDE - 1) * (SIDE - 1),
    NODES = SHEETS * SHEET_NODES
};

// Square sheets of one metre: the first two cross aslant, the others lie flat and apart above.
static pl__clash *crossing_sheets(pl_context *ctx, uint64_t seed)
{
    static int32_t triangle[SHEETS][3 * SHEET_TRIANGLES];
    static double x[3 * NODES];
    pl__surface_part part[SHEETS];
    for (int32_t s = 0; s < SHEETS; ++s)
    {
        for (int32_t n = 0; n < SHEET_NODES; ++n)
        {
            double u = (double)(n % SIDE) / (SIDE - 1) - 0.5, v = (double)(n / SIDE) / (SIDE - 1) - 0.5,
                   lean = s == 1 ? 0.6 + 0.3 * any(seed, 1) : 0;
            double *at = &x[3 * (s * SHEET_NODES + n)];
            at[0] = cos(lean) * u + (s == 1 ? 0.4 * any(seed, 2) : 0) + 0.013 * s;
            at[1] = sin(lean) * u + (s > 1 ? 0.05 + 0.02 * s : 0);
            at[2] = v + 0.029 * s;
        }
        for (int32_t c = 0; c < SHEET_TRIANGLES / 2; ++c)
        {
            int32_t a = s * SHEET_NODES + c / (SIDE - 1) * SIDE + c % (SIDE - 1),
                    corner[6] = {a, a + SIDE, a + 1, a + 1, a + SIDE, a + SIDE + 1};
            memcpy(&triangle[s][6 * c], corner, sizeof corner);
        }
        part[s] = (pl__surface_part){
            .body = s, .triangle_count = SHEET_TRIANGLES, .triangle = triangle[s], .thickness = 0.01, .self = true};
    }
    pl__clash *clash;
    if (pl__clash_create(ctx, part, SHEETS, x, NODES, &clash) != PL_OK)
        return NULL;
    for (int32_t n = 0; n < NODES; ++n)
        clash->inverse_mass[n] = 1 / (0.5 + pl__random01(3, 1, (uint64_t)n));
    memcpy(clash->x_start, x, sizeof x);
    return clash;
}

static void throw_about(pl__clash *c, uint64_t seed, double far, double dt)
{
    for (uint64_t i = 0; i < 3 * NODES; ++i)
    {
        double way = far / (SIDE - 1) * any(seed, 1000 + i);
        c->x_end[i] = c->x_start[i] + way;
        c->v[i] = way / dt;
    }
}

// Momentum, its moment about where the nodes are, and the moment of their ways: none changes beyond rounding.
static void pulling_keeps_momentum(void)
{
    pl_context *ctx = test_context(1);
    int32_t pulls = 0;
    for (uint64_t seed = 0; seed < 20; ++seed)
    {
        pl__clash *c = crossing_sheets(ctx, seed);
        double change[3][3] = {{0}}, size[2] = {0, 0}, before[2][3 * NODES];
        throw_about(c, seed, 0.05, 0.01);
        memcpy(before[0], c->v, sizeof before[0]);
        memcpy(before[1], c->x_end, sizeof before[1]);
        MUST(pl__untangle_look(&c->untangle, c->x_start, 0.001));
        pl__untangle_pull(&c->untangle, c->x_start, c->inverse_mass, c->x_end, c->v);
        for (int32_t n = 0; n < NODES; ++n)
            for (int i = 0; i < 3; ++i)
            {
                int j = (i + 1) % 3, k = (i + 2) % 3;
                const double *x = &c->x_start[3 * n], *v = &c->v[3 * n], *w = &before[0][3 * n],
                             m = 1 / c->inverse_mass[n];
                change[0][i] += m * (v[i] - w[i]);
                change[1][i] += m * (x[j] * (v[k] - w[k]) - x[k] * (v[j] - w[j]));
                change[2][i] += m * (c->x_end[3 * n + i] - before[1][3 * n + i]);
                size[0] += m * fabs(v[i] - w[i]), size[1] += m * fabs(c->x_end[3 * n + i] - before[1][3 * n + i]);
            }
        for (int i = 0; i < 9; ++i)
            CHECK_THAT(fabs(change[i / 3][i % 3]) < 1e-12 * size[i / 6], "%d: by %g of %g", i, change[i / 3][i % 3],
                       size[i / 6]);
        CHECK(c->untangle.pull_count > 0 && size[0] > 0 && size[1] > 0);
        pulls += c->untangle.pull_count;
        pl__clash_destroy(&c);
    }
    CHECK_THAT(pulls > 200, "%d pulls", pulls);
    pl_context_destroy(&ctx);
}

static bool is_marked(const pl__untangle *u, int32_t triangle)
{
    const int32_t *n = &u->surfaces->triangle[3 * triangle];
    return u->mark[n[0]] || u->mark[n[1]] || u->mark[n[2]];
}

// Thrown about for some intervals, what was not beside the tangle when an interval began has crossed nothing at its
// end; and momentum stays, whatever else happens.
static void nothing_else_crosses(void)
{
    pl_context *ctx = test_context(1);
    int32_t hits = 0, tangled = 0;
    for (uint64_t seed = 0; seed < (slow_tests ? 100 : 10); ++seed)
    {
        pl__clash *c = crossing_sheets(ctx, seed);
        pl__crossing_list list;
        MUST(pl__crossing_list_create(c->tree, &list));
        for (uint64_t interval = 0; interval < 8; ++interval)
        {
            pl__clash_report report;
            double before[3] = {0, 0, 0}, after[3] = {0, 0, 0}, size = 0;
            throw_about(c, 100 * seed + interval, 0.7, 0.01);
            for (int32_t i = 0; i < 3 * NODES; ++i)
                before[i % 3] += c->v[i] / c->inverse_mass[i / 3], size += fabs(c->v[i] / c->inverse_mass[i / 3]);
            MUST(pl__clash_resolve(c, &report));
            for (int32_t i = 0; i < 3 * NODES; ++i)
                after[i % 3] += c->v[i] / c->inverse_mass[i / 3];
            for (int i = 0; i < 3; ++i)
                CHECK_THAT(fabs(after[i] - before[i]) < 1e-13 * size, "momentum by %g of %g", after[i] - before[i],
                           size);
            MUST(pl__crossing_list_find(&list, c->x_end));
            for (int32_t i = 0; i < list.count; ++i)
                CHECK_THAT(is_marked(&c->untangle, list.crossing[i].triangle[0]) &&
                               is_marked(&c->untangle, list.crossing[i].triangle[1]),
                           "seed %d, interval %d: a pair crosses that was apart", (int)seed, (int)interval);
            hits += report.hits;
            tangled += report.crossings > 0;
            memcpy(c->x_start, c->x_end, 3 * NODES * sizeof(double));
        }
        pl__crossing_list_destroy(&list);
        pl__clash_destroy(&c);
    }
    CHECK_THAT(hits > 1000 && tangled >= 70, "%d hits, %d tangled intervals: the test is too tame", hits, tangled);
    pl_context_destroy(&ctx);
}

static pl_status one_interval(pl_context *ctx)
{
    pl__clash *c = crossing_sheets(ctx, 1);
    if (!c)
        return PL_ERR_MEMORY;
    throw_about(c, 1, 0.5, 0.01);
    pl__clash_report report;
    pl_status status = pl__clash_resolve(c, &report);
    CHECK(status != PL_OK || report.crossings > 0);
    pl__clash_destroy(&c);
    return status;
}

static void every_failed_allocation_is_survived(void) { CHECK(survive_every_failure(one_interval) > 20); }

// ---- worlds ----------------------------------------------------------------------------------------------------

typedef struct tangle
{
    host host;
    pl_context *ctx;
    pl_scene *scene;
    pl_world *world;
    pl_mesh *mesh[2];
    pl_body_def body[2];
    pl_body_id id[2];
} tangle;

static void begin(tangle *t, int32_t threads)
{
    *t = (tangle){0};
    t->ctx = threads > 1 ? test_context(threads) : host_context(&t->host);
    MUST(pl_scene_create(t->ctx, &t->scene));
    MUST(pl_scene_set_gravity(t->scene, (const double[3]){0, 0, 0}));
    pl_material_def material = pl_material_def_default();
    material.poisson = 0.3;
    material.damping = 0.01;
    for (int i = 0; i < 2; ++i)
    {
        t->body[i] = pl_body_def_default();
        t->body[i].collides = t->body[i].self_collision = 1;
    }
    MUST(pl_scene_add_material(t->scene, "stuff", &material, &t->body[0].material));
    t->body[1].material = t->body[0].material;
}

static void add_shape(tangle *t, int i, pl_shape_kind kind, double size, double edge, bool shell)
{
    pl_shape_def shape = pl_shape_def_default();
    shape.kind = kind;
    shape.extent[0] = shape.extent[1] = shape.extent[2] = size;
    shape.radius = size;
    shape.edge = edge;
    shape.elements = shell ? PL_ELEMENT_TRIANGLE : PL_ELEMENT_TET;
    MUST(pl_mesh_create_shape(t->ctx, &shape, &t->mesh[i]));
    t->body[i].mesh = t->mesh[i];
    t->body[i].kind = shell ? PL_BODY_SHELL : PL_BODY_SOLID;
    t->body[i].thickness = shell ? 0.002 * (kind == PL_SHAPE_SPHERE ? 10 : 1) : 0;
}

static void finish(tangle *t)
{
    for (int i = 0; i < 2 && t->mesh[i]; ++i)
        MUST(pl_scene_add_body(t->scene, i ? "b" : "a", &t->body[i], &t->id[i]));
    MUST(pl_world_create(t->scene, &t->world));
}

static void done(tangle *t)
{
    pl_world_destroy(&t->world);
    pl_scene_destroy(&t->scene);
    for (int i = 0; i < 2; ++i)
        pl_mesh_destroy(&t->mesh[i]);
    pl_context_destroy(&t->ctx);
}

static int64_t crossings(const tangle *t)
{
    int64_t count;
    MUST(pl_world_count_crossings(t->world, &count));
    return count;
}

// One interval of collision.
static pl_step_info step(const tangle *t)
{
    pl_step_def def = pl_step_def_default();
    pl_step_info info;
    def.dt = 1.0 / 240;
    MUST(pl_world_step(t->world, &def, &info));
    return info;
}

static void two_sheets(tangle *t, uint64_t seed)
{
    add_shape(t, 0, PL_SHAPE_SHEET, 1, 0.14, true);
    add_shape(t, 1, PL_SHAPE_SHEET, 1, 0.17, true);
    for (uint64_t i = 0; i < 3; ++i)
    {
        t->body[1].rotate[i] = 180 * any(seed, i);
        t->body[1].at[i] = 0.35 * any(seed, 10 + i);
    }
}

// A ball whose middle is up to 0.1 within the surface of another, or as far without.
static void two_balls(tangle *t, uint64_t seed, bool shell)
{
    double way[3], size = 0, distance = 0.5 + 0.1 * any(seed, 20);
    add_shape(t, 0, PL_SHAPE_SPHERE, 0.5, 0.2, shell);
    add_shape(t, 1, PL_SHAPE_SPHERE, 0.4, 0.2, shell);
    for (uint64_t i = 0; i < 3; ++i)
        way[i] = any(seed, i), size += way[i] * way[i];
    for (uint64_t i = 0; i < 3; ++i)
    {
        t->body[1].at[i] = distance * way[i] / sqrt(size);
        t->body[1].rotate[i] = 180 * any(seed, 5 + i);
    }
}

static void solid_balls(tangle *t, uint64_t seed) { two_balls(t, seed, false); }
static void hollow_balls(tangle *t, uint64_t seed) { two_balls(t, seed, true); }

// The extent of a sheet other than x.
static double across(const double X[3]) { return fabs(X[1]) > fabs(X[2]) ? X[1] : X[2]; }

// A sheet that starts as something else than it is at rest.
static void reshape(tangle *t, uint64_t seed,
                    void (*place)(uint64_t seed, int32_t node, const double X[3], double x[3]))
{
    add_shape(t, 0, PL_SHAPE_SHEET, 1, 0.1, true);
    int32_t count = pl_mesh_node_count(t->mesh[0]);
    static double start[3 * 1000];
    for (int32_t n = 0; n < count && count < 1000; ++n)
        place(seed, n, &pl_mesh_positions(t->mesh[0])[3 * n], &start[3 * n]);
    t->body[0].start_positions = start;
}

// Rolled up, more than once around, so aslant that it goes through itself.
static void roll(uint64_t seed, int32_t node, const double X[3], double x[3])
{
    double u = X[0] + 0.5, turn = 6.8 + 0.7 * any(seed, 1), angle = turn * u;
    (void)node;
    x[0] = sin(angle) / turn * (1 + 0.25 * any(seed, 3) * u);
    x[1] = (1 - cos(angle)) / turn * (1 + 0.2 * any(seed, 2) * u * across(X));
    x[2] = across(X);
}

static void shake(uint64_t seed, int32_t node, const double X[3], double x[3])
{
    for (int i = 0; i < 3; ++i)
        x[i] = X[i] + 0.09 * any(seed, 100 + 3 * (uint64_t)node + (uint64_t)i);
}

static void rolled_sheet(tangle *t, uint64_t seed) { reshape(t, seed, roll); }
static void crumpled_sheet(tangle *t, uint64_t seed) { reshape(t, seed, shake); }

// Of random tangles at least 95 % come apart in so many intervals, 1/240 s each, and the others go on without harm.
// Once apart, they stay so.
static void come_apart(void (*make)(tangle *t, uint64_t seed), int32_t wanted, int32_t intervals)
{
    int32_t tried = 0, apart = 0;
    for (uint64_t seed = 0; tried < wanted; ++seed)
    {
        tangle t;
        begin(&t, 1);
        make(&t, seed);
        finish(&t);
        pl_step_info info = {0};
        int64_t count = crossings(&t);
        tried += count > 0;
        bool tangled = count > 0, again = false;
        for (int32_t i = 0; tangled && i < intervals; ++i)
        {
            int64_t before = count;
            info = step(&t);
            count = crossings(&t);
            again |= before == 0 && count > 0 && info.unresolved == 0;
            CHECK_THAT(info.crossings == before, "%d are reported, %d cross", (int)info.crossings, (int)before);
            if (before == 0 && i % 16 == 0)
                break;
        }
        CHECK_THAT(!tangled || (t.host.note_count == 1 && strstr(t.host.note, "pulled apart")), "%d notes: %s",
                   t.host.note_count, t.host.note);
        CHECK_THAT(!again && info.max_stretch < 4 && info.kinetic + info.elastic < 1e4, "seed %d: stretch %g, %g J",
                   (int)seed, info.max_stretch, info.kinetic + info.elastic);
        apart += tangled && count == 0;
        done(&t);
    }
    CHECK_THAT(apart >= 0.95 * tried, "%d of %d come apart", apart, tried);
}

static void sheets_come_apart(void) { come_apart(two_sheets, slow_tests ? 200 : 20, 300); }
static void a_sheet_comes_out_of_itself(void) { come_apart(rolled_sheet, slow_tests ? 400 : 20, 240); }
static void a_crumpled_sheet_comes_apart(void) { come_apart(crumpled_sheet, slow_tests ? 400 : 20, 240); }
static void balls_come_apart(void)
{
    come_apart(solid_balls, slow_tests ? 400 : 20, 60);
    come_apart(hollow_balls, slow_tests ? 400 : 20, 60);
}

// The same grid twice, one upright: every node of a row lies in the plane of the other, edges go through edges.
static void grids_that_fit_come_apart(void)
{
    tangle t;
    begin(&t, 1);
    add_shape(&t, 0, PL_SHAPE_SHEET, 1, 0.25, true);
    add_shape(&t, 1, PL_SHAPE_SHEET, 1, 0.25, true);
    t.body[1].rotate[2] = 90;
    t.body[1].at[1] = 0.25;
    finish(&t);
    CHECK(step(&t).crossings > 0 && t.world->collision.clash->untangle.tangled_count > 0);
    for (int i = 0; i < 300 && crossings(&t) > 0; ++i)
        (void)step(&t);
    CHECK_THAT(crossings(&t) == 0, "%d left", (int)crossings(&t));
    done(&t);
}

// Boxes that stand on each other touch, which is not passing: nothing is pulled, and soon they are a little apart.
static void what_only_touches_comes_off(void)
{
    tangle t;
    begin(&t, 1);
    add_shape(&t, 0, PL_SHAPE_BOX, 1, 0.5, false);
    add_shape(&t, 1, PL_SHAPE_BOX, 1, 0.5, false);
    t.body[1].at[1] = 1;
    t.body[1].velocity[1] = -0.1;
    finish(&t);
    CHECK(step(&t).crossings > 0 && t.world->collision.clash->untangle.tangled_count == 0 && t.host.note_count == 0);
    pl_step_info info = step(&t);
    for (int i = 0; i < 20; ++i)
    {
        info = step(&t);
        CHECK_THAT(crossings(&t) == 0 && info.unresolved == 0 && info.max_stretch < 1.1,
                   "step %d: %d cross, stretch %g", i, (int)crossings(&t), info.max_stretch);
    }
    done(&t);
}

// What crosses is counted and named before the first step, and not named again.
static void a_world_that_begins_tangled_says_so(void)
{
    tangle t;
    pl_step_info info;
    begin(&t, 1);
    solid_balls(&t, 1);
    t.body[1].at[0] = 0.3;
    finish(&t);
    CHECK_THAT(t.host.note_count == 1 && strncmp(t.host.note, "bodies.a and bodies.b cross at ", 31) == 0 &&
                   strstr(t.host.note, "move one of them"),
               "%s", t.host.note);
    MUST(pl_world_report(t.world, &info));
    CHECK_THAT(info.crossings > 0 && info.crossings == crossings(&t), "%d are reported, %d cross", (int)info.crossings,
               (int)crossings(&t));
    CHECK(step(&t).crossings == info.crossings && t.host.note_count == 1);
    done(&t);
}

// A small ball within another: in a solid one it is stuck, in a hollow one it is at home, and where nothing collides
// nobody cares.
static void a_body_inside_a_solid_one_is_named(void)
{
    for (int k = 0; k < 3; ++k)
    {
        tangle t;
        begin(&t, 1);
        add_shape(&t, 0, PL_SHAPE_SPHERE, 0.1, 0.1, false);
        add_shape(&t, 1, PL_SHAPE_SPHERE, 0.5, 0.2, k == 1);
        t.body[0].collides = k != 2;
        finish(&t);
        CHECK_THAT(t.host.note_count == (k == 0) &&
                       (k > 0 || strncmp(t.host.note, "bodies.a starts inside bodies.b", 31) == 0),
                   "%d: %s", k, t.host.note);
        CHECK(crossings(&t) == 0);
        done(&t);
    }
}

static pl_mesh *small_box(pl_context *ctx)
{
    pl_shape_def shape = pl_shape_def_default();
    pl_mesh *mesh;
    shape.edge = 0.25;
    return pl_mesh_create_shape(ctx, &shape, &mesh) == PL_OK ? mesh : NULL;
}

static pl_status fill(pl_scene *scene, const pl_mesh *mesh)
{
    pl_material_def material = pl_material_def_default();
    pl_body_def def = pl_body_def_default();
    PL_TRY(pl_scene_add_material(scene, "stuff", &material, &def.material));
    def.mesh = mesh;
    PL_TRY(pl_scene_add_body(scene, "a", &def, NULL));
    def.at[0] = 0.03;
    return pl_scene_add_body(scene, "b", &def, NULL);
}

static pl_status one_tangled_world(pl_context *ctx)
{
    pl_scene *scene;
    pl_world *world = NULL;
    PL_TRY(pl_scene_create(ctx, &scene));
    pl_mesh *mesh = small_box(ctx);
    pl_status status = mesh ? fill(scene, mesh) : PL_ERR_MEMORY;
    if (status == PL_OK)
        status = pl_world_create(scene, &world);
    pl_world_destroy(&world);
    pl_mesh_destroy(&mesh);
    pl_scene_destroy(&scene);
    return status;
}

static void worlds_that_begin_tangled_survive_failures(void) { CHECK(survive_every_failure(one_tangled_world) > 100); }

// Four substeps in an interval.
static void cut_intervals(tangle *t)
{
    pl_solver_def solver = pl_solver_def_default();
    solver.substep = 1.0 / 960;
    MUST(pl_scene_set_solver(t->scene, &solver));
}

static char *state_of(const tangle *t, size_t *size)
{
    *size = pl_world_save_size(t->world);
    char *bytes = malloc(*size);
    MUST(pl_world_save(t->world, bytes, *size));
    return bytes;
}

static bool same_state(const tangle *a, const tangle *b)
{
    size_t m, n;
    char *p = state_of(a, &m), *q = state_of(b, &n);
    bool same = m == n && memcmp(p, q, m) == 0;
    free(p);
    free(q);
    return same;
}

// Tangled or not, with one thread or three, through a snapshot at the end of a step or within an interval: the same
// bits.
static void restarts_and_threads_agree(void)
{
    tangle t[3];
    for (int k = 0; k < 3; ++k)
    {
        begin(&t[k], k == 1 ? 3 : 1);
        rolled_sheet(&t[k], 4);
        cut_intervals(&t[k]);
        finish(&t[k]);
    }
    CHECK(crossings(&t[0]) > 0);
    pl_step_def part = pl_step_def_default();
    bool tangled = false, apart = false, within = false;
    for (int i = 0; i < 60; ++i)
    {
        part.dt = 1.0 / 120;
        part.finish = 0;
        part.max_substeps = 1 + i % 5;
        for (int k = 0; k < 2; ++k)
            MUST(pl_world_step(t[k].world, &part, NULL));
        size_t size;
        char *state = state_of(&t[0], &size);
        within |= t[0].world->state.pending.interval > 0;
        MUST(pl_world_load(t[2].world, state, size));
        free(state);
        part.finish = 1;
        part.max_substeps = 0;
        for (int k = 0; k < 3 && pl_world_pending(t[0].world) + pl_world_pending(t[k].world) > 0; ++k)
            MUST(pl_world_step(t[k].world, &part, NULL));
        CHECK_THAT(same_state(&t[0], &t[1]) && same_state(&t[0], &t[2]), "part %d", i);
        *(t[0].world->collision.clash->crossings > 0 ? &tangled : &apart) = true;
    }
    CHECK(tangled && apart && within);
    for (int k = 0; k < 3; ++k)
        done(&t[k]);
}

// Looking where nothing crosses is of no consequence.
static void looking_changes_nothing(void)
{
    tangle t[2];
    for (int k = 0; k < 2; ++k)
    {
        begin(&t[k], 1);
        solid_balls(&t[k], 1);
        t[k].body[1].at[0] = 1.1, t[k].body[1].at[1] = t[k].body[1].at[2] = 0;
        t[k].body[1].velocity[0] = -3;
        finish(&t[k]);
    }
    int32_t met = 0;
    for (int i = 0; i < 60; ++i)
    {
        met += step(&t[0]).near_pairs;
        t[1].world->collision.clash->crossings = -1;
        (void)step(&t[1]);
        CHECK(t[0].world->collision.clash->crossings == 0 && same_state(&t[0], &t[1]));
    }
    CHECK(met > 0);
    done(&t[0]);
    done(&t[1]);
}

// Positions that are written are looked at, and so is where an interval was dropped.
static void what_is_written_is_looked_at(void)
{
    tangle t;
    begin(&t, 1);
    hollow_balls(&t, 1);
    t.body[1].at[0] = 1.2, t.body[1].at[1] = t.body[1].at[2] = 0;
    cut_intervals(&t);
    finish(&t);
    CHECK(step(&t).crossings == 0 && t.world->collision.clash->crossings == 0);
    int32_t count = pl_body_node_count(t.world, t.id[1]);
    double *x = malloc(3 * (size_t)count * sizeof *x);
    MUST(pl_body_read(t.world, t.id[1], x, NULL));
    for (int32_t n = 0; n < count; ++n)
        x[3 * n] -= 0.6;
    MUST(pl_body_write(t.world, t.id[1], x, NULL));
    free(x);
    CHECK(step(&t).crossings > 0);
    CHECK_THAT(strncmp(t.host.note, "bodies.a and bodies.b cross at ", 31) == 0, "%s", t.host.note);
    for (int i = 0; i < 60; ++i)
        (void)step(&t);
    CHECK(crossings(&t) == 0 && t.world->collision.clash->crossings == 0 && t.host.note_count == 1);
    pl_step_def some = pl_step_def_default();
    some.max_substeps = 1;
    MUST(pl_world_step(t.world, &some, NULL));
    const pl__body *b = t.world->bodies.body[1];
    for (int32_t n = 0; n < b->node_count; ++n)
        t.world->solids.state.x[3 * (b->first_node + n)] -= 0.6;
    MUST(pl_world_step(t.world, &some, NULL));
    CHECK(t.world->collision.clash->crossings > 0);
    done(&t);
}

// Held crosswise they stay, are reported, and nothing else happens.
static void what_is_held_stays(void)
{
    tangle t;
    int32_t pin[2][400];
    begin(&t, 1);
    two_sheets(&t, 0);
    for (int i = 0; i < 2; ++i)
    {
        for (int32_t n = 0; n < pl_mesh_node_count(t.mesh[i]); ++n)
            pin[i][t.body[i].pin_count++] = n;
        t.body[i].pins = pin[i];
    }
    finish(&t);
    int64_t count = crossings(&t);
    for (int i = 0; i < 5; ++i)
    {
        pl_step_info info = step(&t);
        CHECK(count > 0 && info.crossings == count && info.unresolved == 0 && info.kinetic == 0);
    }
    CHECK(crossings(&t) == count);
    done(&t);
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {
        TEST(passing_is_from_behind_to_the_front),
        TEST(piercings_are_those_of_all_edges),
        TEST(pulling_keeps_momentum),
        TEST(nothing_else_crosses),
        TEST(every_failed_allocation_is_survived),
        TEST(sheets_come_apart),
        TEST(a_sheet_comes_out_of_itself),
        TEST(a_crumpled_sheet_comes_apart),
        TEST(balls_come_apart),
        TEST(grids_that_fit_come_apart),
        TEST(what_only_touches_comes_off),
        TEST(a_world_that_begins_tangled_says_so),
        TEST(a_body_inside_a_solid_one_is_named),
        TEST(worlds_that_begin_tangled_survive_failures),
        TEST(restarts_and_threads_agree),
        TEST(looking_changes_nothing),
        TEST(what_is_written_is_looked_at),
        TEST(what_is_held_stays),
    };
    return RUN(tests);
}

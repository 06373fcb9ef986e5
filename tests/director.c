// tests/director.c -- directors: plates and strips that bend as they should on every mesh, and bits that restarts keep.
#include "fixture.h"
#include "random_input.h"
#include "element/bend.h"
#include "element/director.h"

typedef enum
{
    DIAGONAL,
    UNION_JACK,
    IRREGULAR,
    SCRAMBLED, // moved nodes, diagonals as they come
    MESHES
} mesh_kind;

static const char *mesh_name[MESHES] = {"diagonal", "union jack", "irregular", "scrambled"};

// ---- meshes ------------------------------------------------------------------------------------------------------------

static pl_mesh *scrambled_sheet(pl_context *ctx, double length, double width, int32_t n, int32_t m)
{
    int32_t nodes = (n + 1) * (m + 1), (*triangle)[3] = malloc(2 * (size_t)(n * m) * sizeof *triangle);
    double(*X)[3] = malloc((size_t)nodes * sizeof *X);
    for (int32_t k = 0; k < nodes; ++k)
    {
        int32_t i = k % (n + 1), j = k / (n + 1);
        double jitter = i > 0 && i < n && j > 0 && j < m ? 0.25 : 0;
        X[k][0] = length * ((i + jitter * random_pm(4, 2 * (uint64_t)k)) / n - 0.5);
        X[k][2] = width * ((j + jitter * random_pm(4, 2 * (uint64_t)k + 1)) / m - 0.5);
        X[k][1] = 0;
    }
    for (int32_t c = 0; c < n * m; ++c)
    {
        int32_t a = c / n * (n + 1) + c % n, b = a + 1, d = a + n + 1, e = d + 1;
        const int32_t cut[2][2][3] = {{{a, d, b}, {b, d, e}}, {{a, d, e}, {a, e, b}}};
        memcpy(triangle[2 * c], cut[random_pm(9, (uint64_t)c) > 0], sizeof cut[0]);
    }
    pl_mesh *mesh = NULL;
    CHECK_OK(ctx, pl_mesh_create_elements(ctx, PL_ELEMENT_TRIANGLE, X[0], nodes, triangle[0], 2 * n * m, &mesh));
    free(X);
    free(triangle);
    return mesh;
}

static pl_mesh *sheet(pl_context *ctx, mesh_kind kind, double length, double width, int32_t n, int32_t m)
{
    if (kind == SCRAMBLED)
        return scrambled_sheet(ctx, length, width, n, m);
    pl_shape_def shape = pl_shape_def_default();
    shape.kind = PL_SHAPE_SHEET;
    shape.elements = PL_ELEMENT_TRIANGLE;
    shape.extent[0] = length;
    shape.extent[2] = width;
    shape.edge = length / n;
    shape.seed = 3;
    shape.pattern = kind == DIAGONAL ? PL_PATTERN_DIAGONAL : kind == UNION_JACK ? PL_PATTERN_ALTERNATING : PL_PATTERN_IRREGULAR;
    pl_mesh *mesh = NULL;
    CHECK_OK(ctx, pl_mesh_create_shape(ctx, &shape, &mesh));
    return mesh;
}

// ---- to rest -----------------------------------------------------------------------------------------------------------

static fixture make(pl_mesh *mesh, pl_context *ctx, const fixture_def *def)
{
    fixture f = {.ctx = ctx, .mesh = mesh};
    MUST(pl_scene_create(ctx, &f.scene));
    MUST(pl_scene_set_gravity(f.scene, def->gravity));
    MUST(pl_scene_set_solver(f.scene, &def->solver));
    pl_body_def body = def->body;
    body.mesh = mesh;
    body.kind = PL_BODY_SHELL;
    MUST(pl_scene_add_material(f.scene, "stuff", &def->material, &body.material));
    int32_t n = pl_mesh_node_count(mesh), *pins = malloc((size_t)n * sizeof *pins);
    for (int32_t i = 0; def->pinned && i < n; ++i)
        if (def->pinned(&pl_mesh_positions(mesh)[3 * (size_t)i]))
            pins[body.pin_count++] = i;
    body.pins = body.pin_count ? pins : NULL;
    MUST(pl_scene_add_body(f.scene, "body", &body, &f.body));
    free(pins);
    MUST(pl_world_create(f.scene, &f.world));
    return f;
}

// Kinetic damping: whenever the kinetic energy has passed its peak everything stops.
static int32_t run_to_rest(const fixture *f, double frame, int32_t most)
{
    int32_t n = pl_body_node_count(f->world, f->body), steps = 0, stops = 0;
    double *still = calloc(3 * (size_t)n, sizeof *still), before = 0, first = 0;
    while (steps < most)
    {
        pl_step_info info = fixture_step(f, frame);
        steps += info.substeps;
        if (info.kinetic < before)
        {
            first = fmax(first, before);
            CHECK_OK(f->ctx, pl_body_write(f->world, f->body, NULL, still));
            if (before < 1e-9 * first && ++stops > 3)
                break;
            before = 0;
        }
        else
            before = info.kinetic;
    }
    free(still);
    return steps;
}

static double lowest(const fixture *f)
{
    int32_t n = pl_body_node_count(f->world, f->body);
    const double *x = pl_body_positions(f->world, f->body);
    double y = 0;
    for (int32_t i = 0; i < n; ++i)
        y = fmin(y, x[3 * i + 1]);
    return -y;
}

// ---- plates ------------------------------------------------------------------------------------------------------------

static bool on_the_border(const double X[3]) { return fmax(fabs(X[0]), fabs(X[2])) > 0.5 - 1e-9; }

// A square on simple supports under its weight sags by 0.00406 q a^4/D.
static void plates_sag_as_they_should(void)
{
    for (int kind = 0; kind < MESHES; ++kind)
    {
        pl_context *ctx = test_context(1);
        fixture_def def = fixture_default();
        def.material.young = 1e6;
        def.material.poisson = 0.3;
        def.material.density = 1000;
        def.body.thickness = 0.04;
        def.gravity[1] = -1e-3;
        def.pinned = on_the_border;
        fixture f = make(sheet(ctx, (mesh_kind)kind, 1, 1, 16, 16), ctx, &def);
        double t = def.body.thickness, D = 1e6 * t * t * t / (12 * (1 - 0.09)), exact = 0.004062353 * 1000 * t * 1e-3 / D;
        int32_t steps = run_to_rest(&f, 0.02, 200000);
        double ratio = lowest(&f) / exact;
        printf("    plate %-12s %.4f, %d steps\n", mesh_name[kind], ratio, steps);
        CHECK_THAT(fabs(ratio - 1) < 0.03, "%s: %g", mesh_name[kind], ratio);
        fixture_done(&f);
    }
}

// ---- strips ------------------------------------------------------------------------------------------------------------

enum
{
    SEGMENTS = 16,
    ACROSS = 4
};
static const double segment = 1.0 / SEGMENTS;

// A strip of length one with one more row of cells at x = -1/2, to be held.
static pl_mesh *strip_with_a_clamp(pl_context *ctx, mesh_kind kind)
{
    pl_mesh *bare = sheet(ctx, kind, 1, ACROSS * segment, SEGMENTS, ACROSS), *mesh = NULL;
    int32_t n = pl_mesh_node_count(bare), count = pl_mesh_element_count(bare), edge[ACROSS + 1] = {0};
    double(*X)[3] = malloc((size_t)(n + ACROSS + 1) * sizeof *X);
    int32_t(*triangle)[3] = malloc((size_t)(count + 2 * ACROSS) * sizeof *triangle);
    memcpy(X, pl_mesh_positions(bare), (size_t)n * sizeof *X);
    memcpy(triangle, pl_mesh_elements(bare), (size_t)count * sizeof *triangle);
    for (int32_t i = 0; i < n; ++i)
        if (X[i][0] < -0.5 + 1e-9)
            edge[(int)lround((X[i][2] / segment + 0.5 * ACROSS))] = i;
    for (int32_t j = 0; j <= ACROSS; ++j)
    {
        memcpy(X[n + j], X[edge[j]], sizeof X[0]);
        X[n + j][0] -= segment;
    }
    for (int32_t j = 0; j < ACROSS; ++j)
    {
        const int32_t cut[2][3] = {{n + j, n + j + 1, edge[j]}, {edge[j], n + j + 1, edge[j + 1]}};
        memcpy(triangle[count + 2 * j], cut, sizeof cut);
    }
    CHECK_OK(ctx, pl_mesh_create_elements(ctx, PL_ELEMENT_TRIANGLE, X[0], n + ACROSS + 1, triangle[0], count + 2 * ACROSS, &mesh));
    pl_mesh_destroy(&bare);
    free(X);
    free(triangle);
    return mesh;
}

static bool in_the_clamp(const double X[3]) { return X[0] < -0.5 + 1e-9; }

// A strip that is clamped at one end and hangs from there by its weight, w L^3/(E I) = 5: the heavy elastica's end is 0.495905 L
// lower.
static void heavy_strips_hang_as_they_should(void)
{
    for (int kind = 0; kind < MESHES; ++kind)
    {
        pl_context *ctx = test_context(1);
        fixture_def def = fixture_default();
        double t = 0.02;
        def.material.young = 1e6;
        def.material.poisson = 0;
        def.material.density = 1000;
        def.body.thickness = t;
        def.gravity[1] = -5 * (1e6 * t * t / 12) / 1000;
        def.pinned = in_the_clamp;
        fixture f = make(strip_with_a_clamp(ctx, (mesh_kind)kind), ctx, &def);
        int32_t steps = run_to_rest(&f, 0.02, 200000);
        double drop = lowest(&f);
        printf("    strip %-12s %.4f, %d steps\n", mesh_name[kind], drop / 0.495905, steps);
        CHECK_THAT(fabs(drop / 0.495905 - 1) < 0.02, "%s: %g", mesh_name[kind], drop);
        fixture_done(&f);
    }
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {
        TEST(plates_sag_as_they_should),
        TEST(heavy_strips_hang_as_they_should),
    };
    return RUN(tests);
}

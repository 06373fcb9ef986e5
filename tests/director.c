// tests/director.c -- directors: plates and strips that bend as they should on every mesh, clamps, and bits that
// restarts keep.
#include "fixture.h"
#include "host.h"
#include "random_input.h"
#include "element/bend.h"
#include "element/director.h"
#include "element/gather.h"

typedef enum
{
    DIAGONAL,
    UNION_JACK,
    IRREGULAR,
    SCRAMBLED, // moved nodes, diagonals as they come
    MESHES
} mesh_kind;

static const char *mesh_name[MESHES] = {"diagonal", "union jack", "irregular", "scrambled"};

// ---- meshes
// ------------------------------------------------------------------------------------------------------------

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
    shape.pattern = kind == DIAGONAL     ? PL_PATTERN_DIAGONAL
                    : kind == UNION_JACK ? PL_PATTERN_ALTERNATING
                                         : PL_PATTERN_IRREGULAR;
    pl_mesh *mesh = NULL;
    CHECK_OK(ctx, pl_mesh_create_shape(ctx, &shape, &mesh));
    return mesh;
}

// ---- to rest
// -----------------------------------------------------------------------------------------------------------

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
            if (before < (slow_tests ? 1e-9 : 1e-7) * first && ++stops > (slow_tests ? 3 : 1))
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

// ---- plates
// ------------------------------------------------------------------------------------------------------------

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
        double t = def.body.thickness, D = 1e6 * t * t * t / (12 * (1 - 0.09)),
               exact = 0.004062353 * 1000 * t * 1e-3 / D;
        int32_t steps = run_to_rest(&f, 0.02, 200000);
        double ratio = lowest(&f) / exact;
        printf("    plate %-12s %.4f, %d steps\n", mesh_name[kind], ratio, steps);
        CHECK_THAT(fabs(ratio - 1) < 0.03, "%s: %g", mesh_name[kind], ratio);
        fixture_done(&f);
    }
}

// The same, clamped by one more row of cells all around that is held: 0.00127 q a^4/D, a third as much. Morley's
// triangle is of second order, so that four times the cells make a quarter of the error: 32 % too soft with 8 cells a
// side, 8 % with 16 and 2 % with 32.
static void clamped_plates_converge(void)
{
    double error[3] = {0};
    for (int k = 0; k < 2 + slow_tests; ++k)
    {
        pl_context *ctx = test_context(1);
        fixture_def def = fixture_default();
        int32_t cells = 8 << k;
        def.material.young = 1e6;
        def.material.poisson = 0.3;
        def.material.density = 1000;
        def.body.thickness = 0.04;
        def.gravity[1] = -1e-3;
        def.pinned = on_the_border;
        fixture f = make(sheet(ctx, UNION_JACK, 1 + 2.0 / cells, 1 + 2.0 / cells, cells + 2, cells + 2), ctx, &def);
        double t = def.body.thickness, D = 1e6 * t * t * t / (12 * (1 - 0.09)),
               exact = 0.00126532 * 1000 * t * 1e-3 / D;
        (void)run_to_rest(&f, 0.02, 400000);
        error[k] = lowest(&f) / exact - 1;
        printf("    clamped plate, %d cells a side: %.4f\n", cells, 1 + error[k]);
        fixture_done(&f);
        if (k > 0)
            CHECK_THAT(error[k - 1] / error[k] > 3.2 && error[k - 1] / error[k] < 5, "errors %g and %g", error[k - 1],
                       error[k]);
    }
    CHECK_THAT(error[1] > 0 && error[1] < 0.1, "%g", error[1]);
}

// ---- strips
// ------------------------------------------------------------------------------------------------------------

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
    CHECK_OK(ctx, pl_mesh_create_elements(ctx, PL_ELEMENT_TRIANGLE, X[0], n + ACROSS + 1, triangle[0],
                                          count + 2 * ACROSS, &mesh));
    pl_mesh_destroy(&bare);
    free(X);
    free(triangle);
    return mesh;
}

static bool in_the_clamp(const double X[3]) { return X[0] < -0.5 + 1e-9; }

// A strip that is clamped at one end and hangs from there by its weight, w L^3/(E I) = 5: the heavy elastica's end is
// 0.495905 L lower.
static void heavy_strips_hang_as_they_should(void)
{
    for (int kind = 0; kind < MESHES; ++kind)
    {
        pl_context *ctx = test_context(1);
        fixture_def def = fixture_default();
        double t = 0.04;
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

// ---- what pins, materials and restarts make of directors
// -----------------------------------------------------------------

// A strip of two materials, one of which yields, that hangs from a clamp and folds.
static fixture folding_strip(pl_context *ctx, pl_velocity_update update)
{
    fixture f = {.ctx = ctx, .mesh = strip_with_a_clamp(ctx, UNION_JACK)};
    pl_material_def tin = pl_material_def_default();
    pl_solver_def solver = pl_solver_def_default();
    pl_body_def body = pl_body_def_default();
    pl_material_id material[2];
    solver.velocity_update = update;
    MUST(pl_scene_create(ctx, &f.scene));
    MUST(pl_scene_set_solver(f.scene, &solver));
    tin.young = 1e6;
    tin.damping = 1e-3;
    MUST(pl_scene_add_material(f.scene, "rubber", &tin, &material[0]));
    tin.yield_strain = 0.01;
    tin.hardening = 0.1;
    MUST(pl_scene_add_material(f.scene, "tin", &tin, &material[1]));
    int32_t count = pl_mesh_element_count(f.mesh), nodes = pl_mesh_node_count(f.mesh), pins[4 * ACROSS];
    pl_material_id *of_element = malloc((size_t)count * sizeof *of_element);
    for (int32_t t = 0; t < count; ++t)
        of_element[t] = material[t % 3 != 0];
    for (int32_t i = 0; i < nodes; ++i)
        if (in_the_clamp(&pl_mesh_positions(f.mesh)[3 * (size_t)i]))
            pins[body.pin_count++] = i;
    body.mesh = f.mesh;
    body.kind = PL_BODY_SHELL;
    body.thickness = 0.04;
    body.material = material[0];
    body.element_materials = of_element;
    body.pins = pins;
    MUST(pl_scene_add_body(f.scene, "body", &body, &f.body));
    free(of_element);
    MUST(pl_world_create(f.scene, &f.world));
    return f;
}

static const pl__element_group *bends_of(const fixture *f)
{
    const pl__body *body = f->world->bodies.body[0];
    const pl__element_group *found = NULL;
    for (int32_t g = 0; g < body->group_count; ++g)
        if (body->group[g].kind == PL__BEND)
        {
            CHECK(found == NULL); // bends are one group, whatever they are made of
            found = &body->group[g];
        }
    return found;
}

// Let go of one corner of the clamp, soften, step.
static void play(const fixture *f, int first, int last)
{
    int32_t held = 0;
    while (!in_the_clamp(&pl_mesh_positions(f->mesh)[3 * held]))
        ++held;
    for (int frame = first; frame < last; ++frame)
    {
        if (frame == 3 || frame == 5)
            CHECK_OK(f->ctx, pl_body_set_pin(f->world, f->body, held, frame == 5));
        if (frame == 4)
            CHECK_OK(f->ctx, pl_world_set(f->world, pl_world_find_param(f->world, "materials.tin.young"), 6e5));
        (void)fixture_step(f, 0.04);
    }
}

static void copy_state(const fixture *f, double *out)
{
    const pl__solids *s = &f->world->solids;
    memcpy(out, s->state.x, 3 * (size_t)s->node_count * sizeof(double));
    memcpy(out + 3 * s->node_count, s->state.v, 3 * (size_t)s->node_count * sizeof(double));
}

static bool same_state(const fixture *a, const fixture *b)
{
    size_t bytes = 6 * (size_t)a->world->solids.node_count * sizeof(double);
    double *first = malloc(bytes), *second = malloc(bytes);
    copy_state(a, first);
    copy_state(b, second);
    bool same = memcmp(first, second, bytes) == 0;
    free(first);
    free(second);
    return same;
}

// A snapshot between any two frames, in a world that has gone elsewhere meanwhile or in a new one: the same bits from
// there on. The directors lean and the tin has flowed by then. With `look`, energies were asked for before, which lets
// flow happen earlier.
static void restarts_keep_the_bits_of_folded_tin(void)
{
    for (int option = 0; option < 12; ++option)
    {
        pl_velocity_update update = option % 2 ? PL_VELOCITY_TRAPEZOID : PL_VELOCITY_MIDPOINT;
        int cut = 2 + option / 2 % 3;
        bool look = option >= 6;
        fixture f = folding_strip(test_context(1), update), g = folding_strip(test_context(1), update);
        play(&f, 0, cut);
        pl_step_info info;
        if (look)
            CHECK_OK(f.ctx, pl_world_report(f.world, &info));
        size_t size = pl_world_save_size(f.world);
        char *buffer = malloc(size);
        CHECK_OK(f.ctx, pl_world_save(f.world, buffer, size));
        play(&f, cut, 8);
        if (look)
            play(&g, 0, 7);
        CHECK_OK(g.ctx, pl_world_load(g.world, buffer, size));
        play(&g, cut, 8);
        CHECK_THAT(same_state(&f, &g), "option %d", option);
        const pl__bend_rest *rest = bends_of(&f)->bend;
        double lean = 0, flowed = 0;
        for (int k = 0; k < 3 * PL_ELEMENT_LANES; ++k)
        {
            lean = fmax(lean, fabs(rest[2].delta[k % 3][k / 3]));
            flowed = fmax(flowed, rest[2].flowed[k % 3][k / 3]);
        }
        CHECK(lean > 1e-3);
        CHECK(flowed > 1e-3);
        free(buffer);
        fixture_done(&f);
        fixture_done(&g);
    }
}

// A square that swings and crumples, of several chunks.
static fixture swinging_square(int32_t threads, pl_velocity_update update)
{
    pl_context *ctx = test_context(threads);
    fixture_def def = fixture_default();
    def.solver.velocity_update = update;
    def.material.young = 3e4;
    def.material.yield_strain = 0.05;
    def.body.thickness = 0.02;
    def.gravity[1] = -9.8;
    def.pinned = in_the_clamp;
    fixture f = make(sheet(ctx, IRREGULAR, 1, 1, 16, 16), ctx, &def);
    for (int frame = 0; frame < 5; ++frame)
        (void)fixture_step(&f, 0.04);
    return f;
}

// The same bits for one thread and for three, plain and in the widest registers.
static void threads_and_widths_agree(void)
{
    for (int update = 0; update < 2; ++update)
    {
        fixture first = swinging_square(1, (pl_velocity_update)update);
        for (int option = 0; option < 2; ++option)
        {
            if (option)
                setenv("PLIANT_SIMD", "0", 1);
            fixture f = swinging_square(option ? 1 : 3, (pl_velocity_update)update);
            unsetenv("PLIANT_SIMD");
            CHECK_THAT(same_state(&first, &f), "option %d", option);
            fixture_done(&f);
        }
        CHECK(bends_of(&first)->block_count > pl__gather_blocks(PL__BEND));
        fixture_done(&first);
    }
}

// The clamp's triangles are held while all their corners are; materials that change set the rates anew.
static void clamps_come_and_go(void)
{
    fixture f = folding_strip(test_context(1), PL_VELOCITY_MIDPOINT);
    const pl__element_group *bends = bends_of(&f);
    static const int expected[6] = {2 * ACROSS, 2 * ACROSS, 2 * ACROSS, 0, 0, 2 * ACROSS};
    for (int frame = 0; frame < 6; ++frame)
    {
        play(&f, frame, frame + 1);
        int held = 0;
        for (int32_t t = 0; t < bends->count; ++t)
        {
            const pl__bend_rest *rest = &bends->bend[t / 16];
            held += rest->held[t % 16];
            for (int i = 0; i < 3; ++i)
            {
                int32_t own = (3 * (t / 16) + i) * 16 + t % 16, twin = bends->director[t / 16].twin[i][t % 16];
                const pl__bend_rest *other = &bends->bend[twin / 48];
                int j = twin / 16 % 3, lane = twin % 16;
                bool clamped = rest->held[t % 16] || other->held[lane];
                double K = rest->stiffness[i][t % 16] * pow(rest->inverse_share[i][t % 16], 2) +
                           other->stiffness[j][lane] * pow(other->inverse_share[j][lane], 2);
                double rate = bends->director[t / 16].rate[i][t % 16];
                CHECK(clamped || twin == own ? rate == 0 || twin == own : fabs(rate * K - 0.6) < 1e-12);
                CHECK(!clamped || (rest->inverse_share[i][t % 16] == 1 && rest->delta[i][t % 16] == 0));
                if (twin != own && !clamped)
                    CHECK_NEAR(1 / rest->inverse_share[i][t % 16] + 1 / other->inverse_share[j][lane], 1, 1e-14);
            }
        }
        CHECK_THAT(frame == 3 || frame == 4 ? held < 2 * ACROSS && held > 0 : held == expected[frame], "%d in frame %d",
                   held, frame);
    }
    fixture_done(&f);
}

// What has flowed shows: nothing in rubber; in tin as much as the surfaces strained beyond the yield.
static void plastic_folds_show_in_the_field(void)
{
    fixture f = folding_strip(test_context(1), PL_VELOCITY_MIDPOINT);
    int32_t count = pl_body_element_count(f.world, f.body);
    double *plastic = malloc((size_t)count * sizeof *plastic), most = 0;
    CHECK_OK(f.ctx, pl_body_read_field(f.world, f.body, PL_FIELD_PLASTIC, plastic));
    for (int32_t t = 0; t < count; ++t)
        CHECK(plastic[t] == 0);
    play(&f, 0, 8);
    CHECK_OK(f.ctx, pl_body_read_field(f.world, f.body, PL_FIELD_PLASTIC, plastic));
    const pl__element_group *bends = bends_of(&f);
    for (int32_t i = 0; i < bends->count; ++i)
    {
        int32_t t = bends->source[i];
        double bent = pl__bend_rest_plastic(&bends->bend[i / 16], i % 16);
        CHECK(plastic[t] >= bent);
        CHECK(t % 3 != 0 || plastic[t] == 0);
        most = plastic[t] == bent ? fmax(most, bent) : most;
    }
    CHECK(most > 1e-3);
    free(plastic);
    fixture_done(&f);
}

static pl_status small_shell(pl_context *ctx)
{
    pl_mesh *mesh = NULL;
    pl_scene *scene = NULL;
    pl_world *world = NULL;
    pl_shape_def shape = pl_shape_def_default();
    pl_material_def material = pl_material_def_default();
    pl_body_def body = pl_body_def_default();
    pl_body_id id;
    shape.kind = PL_SHAPE_SHEET;
    shape.elements = PL_ELEMENT_TRIANGLE;
    shape.edge = 0.5;
    pl_status status = pl_mesh_create_shape(ctx, &shape, &mesh);
    body.mesh = mesh;
    body.kind = PL_BODY_SHELL;
    status = status ? status : pl_scene_create(ctx, &scene);
    status = status ? status : pl_scene_add_material(scene, "m", &material, &body.material);
    status = status ? status : pl_scene_add_body(scene, "b", &body, &id);
    status = status ? status : pl_world_create(scene, &world);
    status = status ? status
                    : pl_world_step(world, &(pl_step_def){.dt = 1e-3, .cookie = pl_step_def_default().cookie}, NULL);
    pl_world_destroy(&world);
    pl_scene_destroy(&scene);
    pl_mesh_destroy(&mesh);
    return status;
}

static void every_failed_allocation_is_survived(void)
{
    int64_t needed = survive_every_failure(small_shell);
    CHECK_THAT(needed > 30, "%lld", (long long)needed);
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {
        TEST(plates_sag_as_they_should),        TEST(clamped_plates_converge),
        TEST(heavy_strips_hang_as_they_should), TEST(restarts_keep_the_bits_of_folded_tin),
        TEST(threads_and_widths_agree),         TEST(clamps_come_and_go),
        TEST(plastic_folds_show_in_the_field),  TEST(every_failed_allocation_is_survived),
    };
    return RUN(tests);
}

// bench/sheets.c -- forces of sheets, kernel by kernel, beside those of tetrahedra: a square of cloth that hangs in
// folds.
#include "bodies.h"
#include "element/bend.h"
#include "element/gather.h"
#include "element/surface_load.h"
#include "element/spring.h"
#include "element/triangle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct
{
    pl__element_group triangle, woven, bend, spring, skin;
    double *x, *v, *frame;
    int32_t side;
} cloth;

static void *zeroed(size_t bytes)
{
    void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!memory)
        exit(1);
    memset(memory, 0, (bytes + 63) / 64 * 64);
    return memory;
}

static pl__element_group group_of(pl__element_kind kind, int32_t count)
{
    pl__element_group g = {.kind = kind, .damping_model = PL_DAMPING_SWITCH, .damped = true, .count = count};
    g.block_count = (count + PL_ELEMENT_LANES - 1) / PL_ELEMENT_LANES;
    g.rest = zeroed((size_t)g.block_count * pl__element_type_of(kind)->rest_bytes);
    g.law = (pl__law){.kind = PL_MATERIAL_NEO_HOOKEAN, .inversion = PL_INVERSION_ENERGY, .flat = true};
    return g;
}

// corners of triangle t of the square, each cell cut along the same diagonal; then the vertices across its edges
static void patch(const cloth *c, int32_t t, int32_t node[6])
{
    int32_t row = c->side + 1, i = t / 2 % c->side, j = t / 2 / c->side, a = j * row + i;
    bool low = i > 0 && j > 0, high = i + 1 < c->side && j + 1 < c->side;
    const int32_t lower[6] = {a, a + 1, a + row, a + row + 1, low ? a + row - 1 : -1, low ? a + 1 - row : -1};
    const int32_t upper[6] = {a + row + 1, a + row, a + 1, a, high ? a + 2 : -1, high ? a + 2 * row : -1};
    memcpy(node, t % 2 ? upper : lower, sizeof lower);
}

static void corners(const cloth *c, const int32_t *node, int count, double X[6][3])
{
    for (int k = 0; k < count; ++k)
        for (int i = 0; i < 3; ++i)
            X[k][i] = node[k] < 0 ? 0
                      : i == 2    ? 0
                                  : (double)(i ? node[k] / (c->side + 1) : node[k] % (c->side + 1)) / c->side;
}

static void fill(cloth *c, int32_t count)
{
    static const pl__woven_params threads = {{1e5, 5e4}, {2, 1}, 1e4, 0.2, 0.5};
    static const pl__air air = {{1, 0, 0}, 1.2, 1, 0.1, 0};
    pl_material_def def = pl_material_def_default();
    pl__material_params params = pl__material_resolve(&def);
    const double share[6] = {1, 1, 1, 1, 1, 1};
    c->skin.air = &air;
    for (int32_t t = 0; t < count; ++t)
    {
        int32_t node[6], block = t / PL_ELEMENT_LANES, lane = t % PL_ELEMENT_LANES;
        double X[6][3];
        patch(c, t, node);
        corners(c, node, 6, X);
        pl__triangle_rest_set(&c->triangle.triangle[block], lane, node, X, 1e-3, NULL, &params);
        pl__triangle_rest_set_gain(&c->triangle.triangle[block], lane, share);
        c->woven.triangle[block] = c->triangle.triangle[block];
        pl__bend_rest_set(&c->bend.bend[block], lane, node, X, 1e-3, &params, PL__BEND_CURVATURE);
        pl__bend_rest_set_gain(&c->bend.bend[block], lane, share);
        pl__spring_rest_set(&c->spring.spring[block], lane, node, 1.0 / c->side, 100, 0.01);
        pl__surface_load_rest_set(&c->skin.skin[block], lane, node);
    }
    for (int32_t t = 0; t < count; ++t)
        pl__triangle_rest_set_woven(&c->woven.triangle[t / PL_ELEMENT_LANES], t % PL_ELEMENT_LANES, &threads);
    c->woven.woven = true;
}

static cloth make(int32_t triangles)
{
    cloth c = {.side = (int32_t)(sqrt(triangles / 32.0) + 0.5) * 4}; // whole blocks
    int32_t count = 2 * c.side * c.side, nodes = (c.side + 1) * (c.side + 1);
    c.triangle = group_of(PL__TRIANGLE, count);
    c.woven = group_of(PL__TRIANGLE, count);
    c.bend = group_of(PL__BEND, count);
    c.spring = group_of(PL__SPRING, count);
    c.skin = group_of(PL__SURFACE_LOAD, count);
    c.x = zeroed((3 * (size_t)nodes + 16) * sizeof(double));
    c.v = zeroed((3 * (size_t)nodes + 16) * sizeof(double));
    c.frame = zeroed((size_t)c.bend.block_count * sizeof(pl__bend_frame));
    fill(&c, count);
    for (int32_t n = 0; n < nodes; ++n)
    {
        double u = (double)(n % (c.side + 1)) / c.side, w = (double)(n / (c.side + 1)) / c.side;
        const double place[3] = {1.02 * u, 0.97 * w + 0.1 * sin(3 * u), 0.1 * sin(9 * u) * cos(5 * w)};
        memcpy(&c.x[3 * (size_t)n], place, sizeof place);
        c.v[3 * (size_t)n] = sin(7 * u);
    }
    return c;
}

static void discard(cloth *c)
{
    void *all[] = {c->triangle.rest, c->woven.rest, c->bend.rest, c->spring.rest, c->skin.rest, c->x, c->v, c->frame};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
        free(all[i]);
}

typedef struct
{
    const pl__element_group *group;
    const double *x, *v;
    double *frame;
    int32_t register_bytes;
} kernel_run;

static void run_force(void *argument)
{
    const kernel_run *r = argument;
    _Alignas(64) double force[PL_GATHER_DOUBLES];
    pl__force_job job = {.group = r->group, .x = r->x, .v = r->v, .strength = 1, .frame = r->frame, .force = force};
    pl__element_sums sums;
    pl__sums_clear(&sums);
    int32_t chunk = pl__gather_blocks(r->group->kind);
    for (int32_t block = 0; block < r->group->block_count; block += chunk)
        pl__element_force(r->register_bytes, &job, block,
                          block + chunk < r->group->block_count ? block + chunk : r->group->block_count, &sums);
}

static void run_damping(void *argument)
{
    const kernel_run *r = argument;
    _Alignas(64) double force[PL_GATHER_DOUBLES];
    pl__damping_job job = {.group = r->group, .v = r->v, .strength = 1, .frame = r->frame, .force = force};
    int32_t chunk = pl__gather_blocks(r->group->kind);
    for (int32_t block = 0; block < r->group->block_count; block += chunk)
        pl__element_damping(r->register_bytes, &job, block,
                            block + chunk < r->group->block_count ? block + chunk : r->group->block_count);
}

// One row; returns nanoseconds per element. `base` is what a tetrahedron takes, 0 for itself.
static double measure(const bench *b, const char *name, kernel_run r, bool damping, double base)
{
    r.register_bytes = b->ctx->register_bytes;
    bench_saved saved = bench_use(b, 1, r.register_bytes);
    uint64_t host = pl__fp_enter();
    run_force(&r);
    double ns = 1e9 * bench_time(b, damping ? run_damping : run_force, &r) / r.group->count;
    pl__fp_leave(host);
    bench_restore(b, saved);
    bench_report(&(bench_row){.name = "sheets",
                              .variant = bench_text("%s %s", name, damping ? "damping" : "force"),
                              .tets = r.group->count,
                              .threads = 1,
                              .register_bytes = r.register_bytes,
                              .value = ns,
                              .unit = "ns",
                              .ratio = base > 0 ? base / ns : 0,
                              .ratio_to = "tetrahedra"});
    return ns;
}

// Elements of all kinds in the same run.
static void measure_size(bench *b, int32_t count)
{
    body_choice choice = {
        .tets = count, .kind = PL_MATERIAL_NEO_HOOKEAN, .damping = PL_DAMPING_SWITCH, .cut = PL_CUT_BCC};
    pl_world *world = body_world(b, &choice);
    cloth c = make(choice.tets);
    pl__solids *s = &world->solids;
    for (int damping = 0; damping < 2; ++damping)
    {
        double tet = measure(
            b, "tetrahedron",
            (kernel_run){.group = body_group(world), .x = s->state.x, .v = s->state.v, .frame = s->evaluation.frame},
            damping, 0);
        const pl__element_group *group[] = {&c.triangle, &c.woven, &c.bend, &c.spring, &c.skin};
        static const char *name[] = {"triangle", "woven triangle", "bend", "spring", "skin"};
        double ns[5];
        for (int i = 0; i < 5; ++i)
            ns[i] = measure(b, name[i], (kernel_run){.group = group[i], .x = c.x, .v = c.v, .frame = c.frame}, damping,
                            tet);
        bench_report(&(bench_row){.name = "sheets",
                                  .variant = bench_text("triangle + bend %s", damping ? "damping" : "force"),
                                  .threads = 1,
                                  .register_bytes = b->ctx->register_bytes,
                                  .value = ns[0] + ns[2],
                                  .unit = "ns",
                                  .ratio = tet / (ns[0] + ns[2]),
                                  .ratio_to = "tetrahedra"});
    }
    discard(&c);
    pl_world_destroy(&world);
}

void bench_sheets(bench *b)
{
    measure_size(b, 1000);
    if (b->effort != BENCH_SMOKE)
        measure_size(b, 20000);
}

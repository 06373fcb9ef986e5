// bench/clash.c -- bodies that meet: a cloth in pleats that fan out, moved by a tenth of their gap; beside the forces
// of the same cloth.
#include "bench.h"
#include "world/world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct
{
    pl_mesh *mesh;
    pl_scene *scene;
    pl_world *world;
    double *end, *v, *rest, *start;
    int32_t *triangle;
    int32_t side, node_count;
    pl__clash_report report;
} cloth;

static void check(const bench *b, pl_status status)
{
    if (status == PL_OK)
        return;
    fprintf(stderr, "bench clash: %s\n", pl_context_error(b->ctx));
    exit(1);
}

static void *memory(size_t count, size_t size)
{
    void *m = calloc(count, size);
    if (!m)
        exit(1);
    return m;
}

// Pleats of an eighth of the cloth, `gap` apart at one end and eleven times that at the other.
static void pleat(double u, double v, double gap, double x[3])
{
    double length = 0.123, wide = gap * (1 + 10 * v * v), bend = 1.5707963267948966 * wide, period = length + bend;
    double layer = floor(u / period), rest = u - layer * period,
           angle = rest > length ? (rest - length) / (0.5 * wide) : 0;
    double along = (rest < length ? rest : length) + 0.5 * wide * sin(angle);
    x[0] = fmod(layer, 2) == 0 ? along : length - along;
    x[1] = v + 0.02 * sin(17 * u);
    x[2] = layer * wide + 0.5 * wide * (1 - cos(angle)) + 0.05 * gap * sin(91 * u + 57 * v);
}

static void weave(cloth *c, int32_t triangles, double *gap)
{
    c->side = (int32_t)(sqrt(triangles / 2.0) + 0.5);
    int32_t n = c->side, row = n + 1;
    c->node_count = row * row;
    *gap = 0.9 * 0.2 / n;
    size_t numbers = 3 * (size_t)c->node_count;
    c->rest = memory(numbers, sizeof(double));
    c->start = memory(numbers, sizeof(double));
    c->end = memory(numbers, sizeof(double));
    c->v = memory(numbers, sizeof(double));
    c->triangle = memory(6 * (size_t)(n * n), sizeof *c->triangle);
    for (int32_t i = 0, *t = c->triangle; i < n * n; ++i, t += 6)
    {
        int32_t a = i / n * row + i % n, corner[6] = {a, a + 1, a + row + 1, a, a + row + 1, a + row};
        memcpy(t, corner, sizeof corner);
    }
    for (int32_t i = 0; i < c->node_count; ++i)
    {
        double u = (double)(i % row) / n, w = (double)(i / row) / n;
        c->rest[3 * (size_t)i] = u, c->rest[3 * (size_t)i + 1] = w;
        pleat(u, w, *gap, &c->start[3 * (size_t)i]);
    }
}

static void add_cloth(const bench *b, cloth *c, double thickness)
{
    pl_material_def material = pl_material_def_default();
    pl_material_id stuff;
    pl_body_id id;
    check(b, pl_mesh_create_elements(b->ctx, PL_ELEMENT_TRIANGLE, c->rest, c->node_count, c->triangle,
                                     2 * c->side * c->side, &c->mesh));
    check(b, pl_scene_create(b->ctx, &c->scene));
    check(b, pl_scene_add_material(c->scene, "cotton", &material, &stuff));
    pl_body_def body = pl_body_def_default();
    body.mesh = c->mesh;
    body.kind = PL_BODY_SHELL;
    body.material = stuff;
    body.start_positions = c->start;
    body.self_collision = 1;
    body.collision_thickness = thickness;
    check(b, pl_scene_add_body(c->scene, "cloth", &body, &id));
    check(b, pl_world_create(c->scene, &c->world));
}

static cloth make(const bench *b, int32_t triangles)
{
    cloth c = {0};
    double gap;
    weave(&c, triangles, &gap);
    add_cloth(b, &c, 0.2 / c.side);
    const double *x = c.world->solids.state.x;
    for (size_t n = 0; n < (size_t)c.node_count; ++n)
        for (size_t d = 0; d < 3; ++d)
        {
            double way = 0.1 * gap * sin(40 * x[3 * n + 1] + 300 * x[3 * n] + 3 * (double)d) *
                         cos(50 * x[3 * n + 1] + (double)d);
            c.end[3 * n + d] = x[3 * n + d] + way;
            c.v[3 * n + d] = 240 * way;
            c.world->collision.clash->x_start[3 * n + d] = x[3 * n + d];
        }
    for (size_t n = 0; n < (size_t)c.node_count; ++n)
        c.world->collision.clash->inverse_mass[n] = c.world->solids.inverse_mass[3 * n];
    c.world->collision.clash->friction[0] = 0.3;
    return c;
}

static void discard(cloth *c)
{
    pl_world_destroy(&c->world);
    pl_scene_destroy(&c->scene);
    pl_mesh_destroy(&c->mesh);
    free(c->end), free(c->v), free(c->rest), free(c->start), free(c->triangle);
}

static void run_resolve(void *argument)
{
    cloth *c = argument;
    memcpy(c->world->collision.clash->x_end, c->end, 3 * (size_t)c->node_count * sizeof(double));
    memcpy(c->world->collision.clash->v, c->v, 3 * (size_t)c->node_count * sizeof(double));
    if (pl__clash_resolve(c->world->collision.clash, &c->report) != PL_OK)
        exit(1);
}

// Listing the pairs for the time between two looks; and what holds them apart in a substep.
static void run_list(void *argument)
{
    pl__clash *clash = ((cloth *)argument)->world->collision.clash;
    size_t numbers = 3 * (size_t)clash->node_count;
    memcpy(clash->x_listed, clash->x_start, numbers * sizeof(double));
    memcpy(clash->v_listed, ((cloth *)argument)->v, numbers * sizeof(double));
    clash->ahead = 1.0 / 240;
    if (pl__clash_watch(clash) != PL_OK)
        exit(1);
}

static void run_filters(void *argument)
{
    cloth *c = argument;
    pl__clash *clash = c->world->collision.clash;
    pl__watch_state state = {.x = clash->x_start,
                             .v = clash->v,
                             .node_count = c->node_count,
                             .inverse_mass = clash->inverse_mass,
                             .friction = clash->friction,
                             .dt = 1e-4,
                             .interval = 1.0 / 60};
    memcpy(clash->v, c->v, 3 * (size_t)c->node_count * sizeof(double));
    pl__watch_filter_ways(&clash->watch, &state);
    memcpy(clash->v, c->v, 3 * (size_t)c->node_count * sizeof(double));
    (void)pl__watch_filter_speeds(&clash->watch, &state);
}

static void report(bench *b, const cloth *c, const char *what, int32_t threads, double time, double force)
{
    bench_report(&(bench_row){.name = "clash",
                              .variant = what,
                              .tets = 2 * c->side * c->side,
                              .nodes = c->node_count,
                              .threads = threads,
                              .register_bytes = b->ctx->register_bytes,
                              .value = 1e3 * time,
                              .unit = "ms",
                              .ratio = force / time,
                              .ratio_to = "a force evaluation of the same cloth"});
}

static void run_forces(void *argument)
{
    cloth *c = argument;
    pl__solids_evaluate(&c->world->solids, c->world->solids.state.x, PL__EVALUATE_PRESENT);
}

void bench_clash(bench *b)
{
    static const int32_t counts[] = {20000, 100000, 200000};
    double before = 0;
    for (int k = 0; k < (b->effort == BENCH_SMOKE ? 1 : 3); ++k)
    {
        cloth c = make(b, b->effort == BENCH_SMOKE ? 2000 : counts[k]);
        int32_t triangles = 2 * c.side * c.side;
        double all[2];
        for (int32_t threads = 1; threads <= 2; ++threads)
        {
            bench_saved saved = bench_use(b, threads, b->ctx->register_bytes);
            double force = bench_time(b, run_forces, &c), resolve = bench_time(b, run_resolve, &c),
                   list = bench_time(b, run_list, &c), hold = bench_time(b, run_filters, &c);
            bench_restore(b, saved);
            report(
                b, &c,
                bench_text("look: %d near %d collisions %d rounds", c.report.contacts, c.report.hits, c.report.rounds),
                threads, resolve, force);
            report(b, &c, bench_text("list %d pairs", c.world->collision.clash->watch.count), threads, list, force);
            report(b, &c, "both filters of a substep", threads, hold, force);
            report(b, &c, "list, look and filters", threads, list + resolve + hold, force);
            all[threads - 1] = list + resolve + hold;
        }
        bench_report(&(bench_row){.name = "clash",
                                  .variant = "two threads",
                                  .tets = triangles,
                                  .value = all[0] / all[1],
                                  .unit = "times as fast"});
        if (before > 0)
            bench_report(&(bench_row){.name = "clash",
                                      .variant = bench_text("%d / %d triangles", triangles, counts[k - 1]),
                                      .tets = triangles,
                                      .value = all[0] / before,
                                      .unit = "times as long"});
        before = all[0];
        discard(&c);
    }
}

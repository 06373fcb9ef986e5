// bench/pairs.c -- finding what touches what, in a cloth with pleats that fan out, one folded layer on layer, one
// rolled up.
#include "bench.h"
#include "contact/exact.h"
#include "contact/pairs.h"

#include <math.h>
#include <stdlib.h>

typedef struct
{
    int32_t side, triangle_count, node_count;
    int32_t *triangle;
    double *rest, *x, *end;
    pl__surfaces *surfaces;
    pl__tree *tree;
    pl__pairs *pairs;
} cloth;

static void *memory(size_t bytes)
{
    void *m = calloc(1, bytes);
    if (!m)
        exit(1);
    return m;
}

static void check(pl_status status)
{
    if (status != PL_OK)
        exit(1);
}

// A square of edge 1 cut into 2 side^2 triangles, diagonals alternating.
static void weave(cloth *c)
{
    int32_t n = c->side, row = n + 1;
    c->triangle_count = 2 * n * n, c->node_count = row * row;
    c->triangle = memory(3 * (size_t)c->triangle_count * sizeof *c->triangle);
    for (int32_t i = 0, *t = c->triangle; i < n * n; ++i, t += 6)
    {
        int32_t a = i / n * row + i % n, b = a + 1, d = a + row, e = d + 1;
        int32_t even[6] = {a, b, e, a, e, d}, odd[6] = {a, b, d, b, e, d};
        for (int k = 0; k < 6; ++k)
            t[k] = (i / n + i % n) % 2 ? odd[k] : even[k];
    }
}

// A meander in the x-z plane: straight runs of `length`, joined by half circles that lift by `gap`; s is the arc
// length.
static void meander(double s, double length, double gap, double *x, double *z)
{
    double bend = 1.5707963267948966 * gap, period = length + bend;
    double layer = floor(s / period), rest = s - layer * period;
    double angle = rest > length ? (rest - length) / (0.5 * gap) : 0;
    double along = (rest < length ? rest : length) + 0.5 * gap * sin(angle);
    *x = fmod(layer, 2) == 0 ? along : length - along;
    *z = layer * gap + 0.5 * gap * (1 - cos(angle));
}

// An Archimedean spiral, whose turns are `gap` apart.
static void spiral(double s, double gap, double *x, double *z)
{
    double radius = sqrt(s * gap / 3.141592653589793 + 0.03 * 0.03), turn = 6.283185307179586 * radius / gap;
    *x = radius * cos(turn);
    *z = radius * sin(turn);
}

typedef enum
{
    FAN,
    FOLD,
    ROLL
} shape;

static const char *const shape_names[] = {"fan", "fold", "roll"};

// With small wrinkles, so that nothing is exactly parallel; `end` is where a tenth of the gap leads.
static void place(cloth *c, double gap, shape how)
{
    c->rest = memory((3 * (size_t)c->node_count + 1) * sizeof(double));
    c->x = memory((3 * (size_t)c->node_count + 1) * sizeof(double));
    c->end = memory((3 * (size_t)c->node_count + 1) * sizeof(double));
    for (int32_t i = 0; i < c->node_count; ++i)
    {
        double u = (double)(i % (c->side + 1)) / c->side, v = (double)(i / (c->side + 1)) / c->side;
        double *rest = &c->rest[3 * (size_t)i], *x = &c->x[3 * (size_t)i], *end = &c->end[3 * (size_t)i];
        rest[0] = u, rest[1] = v;
        if (how == ROLL)
            spiral(u, gap, &x[0], &x[2]);
        else
            meander(u, 0.123, gap * (how == FAN ? 1 + 10 * v * v : 1), &x[0], &x[2]);
        x[1] = v + 0.02 * sin(17 * u);
        x[2] += 0.05 * gap * sin(91 * u + 57 * v);
        for (int d = 0; d < 3; ++d)
            end[d] = x[d] + 0.1 * gap * sin(40 * u + 3 * d) * cos(50 * v + d);
    }
}

// Layers lie 0.9 of the thickness apart, which is a fifth of an edge: cloth of 1 mm in triangles of 5 mm. Pleats end
// eleven times as far apart.
static cloth make(const bench *b, int32_t triangles, shape how)
{
    cloth c = {.side = (int32_t)(sqrt(triangles / 2.0) + 0.5)};
    double thickness = 0.2 / c.side;
    weave(&c);
    place(&c, 0.9 * thickness, how);
    pl__surface_part part = {
        .triangle_count = c.triangle_count, .triangle = c.triangle, .thickness = thickness, .self = true};
    check(pl__surfaces_create(b->ctx, &part, 1, &c.surfaces));
    check(pl__tree_create(c.surfaces, c.rest, &c.tree));
    check(pl__pairs_create(c.tree, &c.pairs));
    return c;
}

static void discard(cloth *c)
{
    pl__pairs_destroy(&c->pairs);
    pl__tree_destroy(&c->tree);
    pl__surfaces_destroy(&c->surfaces);
    free(c->triangle), free(c->rest), free(c->x), free(c->end);
}

static void run_refit(void *argument)
{
    cloth *c = argument;
    pl__tree_refit(c->tree, &(pl__sweep){.x_start = c->x, .x_end = c->x, .thick = true});
}

static void run_nothing(void *argument, int32_t chunk, const pl__pair *pair, int32_t count, double within)
{
    (void)argument, (void)chunk, (void)pair, (void)count, (void)within;
}

static void run_search(void *argument)
{
    cloth *c = argument;
    pl__pairs_visit(c->tree, &(pl__pair_sink){run_nothing, NULL});
}

static void run_near(void *argument)
{
    cloth *c = argument;
    check(pl__pairs_near(c->pairs, c->x));
}

static void run_motion(void *argument)
{
    cloth *c = argument;
    check(pl__pairs_find(c->pairs, &(pl__sweep){.x_start = c->x, .x_end = c->end}));
}

static void run_crossings(void *argument)
{
    cloth *c = argument;
    pl__crossings crossings;
    check(pl__crossings_find(c->tree, c->x, &crossings));
}

static void report(const bench *b, const cloth *c, const char *variant, bench_row r)
{
    r.name = "pairs", r.variant = variant;
    r.tets = c->triangle_count, r.nodes = c->node_count, r.register_bytes = b->ctx->register_bytes;
    bench_report(&r);
}

static double time_row(const bench *b, cloth *c, const char *variant, void (*work)(void *), int32_t threads,
                       double before)
{
    bench_saved saved = bench_use(b, threads, b->ctx->register_bytes);
    double ms = 1e3 * bench_time(b, work, c);
    bench_row r = {.threads = threads, .value = ms, .unit = "ms", .ratio = before / ms, .ratio_to = "one thread"};
    report(b, c, variant, r);
    bench_restore(b, saved);
    return ms;
}

static void run_size(const bench *b, int32_t triangles, shape how)
{
    static const struct
    {
        const char *name;
        void (*work)(void *);
    } rows[] = {{"refit", run_refit},
                {"search", run_search},
                {"near (all of it)", run_near},
                {"motion (all of it)", run_motion},
                {"crossings", run_crossings}};
    cloth c = make(b, triangles, how);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
    {
        const char *name = bench_text("%s: %s", shape_names[how], rows[i].name);
        double one = time_row(b, &c, name, rows[i].work, 1, 0);
        if (b->ctx->pool)
            time_row(b, &c, name, rows[i].work, 2, one);
    }
    check(pl__pairs_find(c.pairs, &(pl__sweep){.x_start = c.x, .x_end = c.x, .thick = true}));
    const char *of = shape_names[how];
    report(b, &c, bench_text("%s: candidates", of),
           (bench_row){.value = 1e-3 * c.pairs->pair_count, .unit = "thousand"});
    report(b, &c, bench_text("%s: contacts", of),
           (bench_row){.value = 1e-3 * c.pairs->contact_count, .unit = "thousand"});
    discard(&c);
}

void bench_pairs(bench *b)
{
    static const int32_t sizes[] = {20000, 100000, 200000};
    for (shape how = FAN; how <= ROLL; ++how)
        for (int i = 0; i < (b->effort == BENCH_SMOKE ? 1 : 3); ++i)
            run_size(b, b->effort == BENCH_SMOKE ? 800 : sizes[i], how);
}

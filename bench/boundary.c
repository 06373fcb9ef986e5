// bench/boundary.c -- open fractions of faces: near objects, far from them, and of runs of 10000 rows.
#include "bench.h"
#include "fluid/boundary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    HILLS = 33,
    ROWS = 10000
};

typedef struct
{
    pl_context *ctx;
    pl__grid grid;
    pl__boundary boundary;
    pl__object object;
    pl__shape *shape;
    pl__obstacles all;
} boundary_case;

static void must(const bench *b, pl_status status)
{
    if (status == PL_OK)
        return;
    fprintf(stderr, "boundary: %s\n", pl_context_error(b->ctx));
    exit(1);
}

static void add_object(const bench *b, boundary_case *c, const pl_object_def *def)
{
    must(b, pl__shape_create(b->ctx, def, &c->shape));
    c->object = (pl__object){.shape = c->shape, .turned = pl_quat_from_degrees(def->rotate)};
    memcpy(c->object.at, def->at, sizeof def->at);
    pl__object_place(&c->object);
    c->all = (pl__obstacles){&c->object, 1};
}

static void update(void *argument)
{
    static const bool closed[6] = {1, 1, 1, 0, 1, 1};
    boundary_case *c = argument;
    if (pl__boundary_update(c->ctx, &c->boundary, &c->grid, &c->all, closed) != PL_OK)
        exit(1);
}

static void done(const bench *b, boundary_case *c)
{
    pl__boundary_done(b->ctx, &c->boundary);
    pl__grid_done(b->ctx, &c->grid);
    pl__shape_destroy(&c->shape);
}

static void fill_hills(double *hill)
{
    for (int i = 0; i < HILLS * HILLS; ++i)
        hill[i] = 0.1 * sin(0.7 * (i % HILLS)) * cos(0.5 * (i / HILLS));
}

static double measure(const bench *b, boundary_case *c)
{
    bench_saved saved = bench_use(b, 1, b->ctx->register_bytes);
    double time = bench_time(b, update, c);
    bench_restore(b, saved);
    return time;
}

static void report(const bench *b, const char *variant, double value, const char *unit)
{
    bench_report(&(bench_row){.name = "boundary",
                              .variant = variant,
                              .threads = 1,
                              .register_bytes = b->ctx->register_bytes,
                              .value = value,
                              .unit = unit});
}

// A full grid: what a face costs that is cut, and one of all others.
static void measure_near(const bench *b, const char *name, const pl_object_def *def, int32_t n)
{
    boundary_case c = {.ctx = b->ctx};
    int32_t size[3] = {n, n, n};
    double origin[3] = {0, 0, 0}, cut = 0, all = 0;
    must(b, pl__grid_make_full(b->ctx, &c.grid, size, origin, 1. / n));
    add_object(b, &c, def);
    double with = measure(b, &c), looks = (double)c.boundary.distances;
    for (int axis = 0; axis < 3; ++axis)
        for (int32_t i = 0; i < c.grid.face[axis].value_count; ++i, ++all)
            cut += c.boundary.owner[axis][i] >= 0 && c.boundary.open[axis][i] > 0;
    c.all.count = 0;
    double without = measure(b, &c);
    report(b, bench_text("%s: cut face", name), 1e9 * (with - without) / cut, "ns");
    report(b, bench_text("%s: distances a cut face", name), looks / cut, "");
    report(b, bench_text("%s: any face", name), 1e9 * with / all, "ns");
    if (def->kind == PL_OBJECT_SPHERE)
        report(b, "no object: any face", 1e9 * without / all, "ns");
    done(b, &c);
}

static void measure_long(const bench *b, const char *name, const pl_object_def *def)
{
    boundary_case c = {.ctx = b->ctx};
    int32_t size[3] = {8, ROWS, 8};
    double center[3] = {0.05, 0.05, 0.05};
    must(b, pl__columns_begin(b->ctx, &c.grid.cell, size, center, 0.1));
    for (int column = 0; column < 64; ++column)
    {
        must(b, pl__columns_add(b->ctx, &c.grid.cell, 0, ROWS - 1, PL__RUN_LINEAR));
        pl__columns_end_column(&c.grid.cell);
    }
    must(b, pl__grid_make_faces(b->ctx, &c.grid));
    add_object(b, &c, def);
    double time = measure(b, &c), runs = 0;
    for (int axis = 0; axis < 3; ++axis)
        runs += (double)c.grid.face[axis].run_count;
    report(b, bench_text("%s: run of %d rows", name, ROWS), 1e6 * time / runs, "us");
    report(b, bench_text("%s: distances a run", name), (double)c.boundary.distances / runs, "");
    done(b, &c);
}

void bench_boundary(bench *b)
{
    int32_t n = b->effort == BENCH_SMOKE ? 16 : 64;
    double hill[HILLS * HILLS];
    fill_hills(hill);
    pl_object_def ball = pl_object_def_default(), box = ball, field = ball, plane = ball;
    ball.kind = PL_OBJECT_SPHERE, box.kind = PL_OBJECT_BOX, field.kind = PL_OBJECT_HEIGHT_FIELD;
    plane.kind = PL_OBJECT_PLANE;
    for (int i = 0; i < 3; ++i)
    {
        ball.at[i] = box.at[i] = field.at[i] = 0.5;
        box.extent[i] = 0.6, box.rotate[i] = 20;
        field.extent[i] = 1.5;
    }
    ball.radius = 0.3;
    field.rows = field.columns = HILLS, field.heights = hill;
    measure_near(b, "sphere", &ball, n);
    measure_near(b, "box", &box, n);
    measure_near(b, "height field", &field, n);
    plane.at[1] = field.at[1] = 333;
    field.extent[0] = field.extent[2] = 100;
    measure_long(b, "plane", &plane);
    measure_long(b, "height field", &field);
}

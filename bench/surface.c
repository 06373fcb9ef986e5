// bench/surface.c -- the surface of a liquid: waves over deep water, and drops, per cube that the surface crosses.
#include "bench.h"
#include "fluid/surface.h"

#include <math.h>
#include <stdlib.h>

typedef struct sea
{
    const bench *b;
    pl__columns cell;
    double *phi;
    pl__liquid_surface surface;
} sea;

static void run(void *argument)
{
    sea *s = argument;
    pl__liquid_surface_def def = {.cell = &s->cell, .phi = s->phi};
    if (pl__liquid_surface_make(s->b->ctx, &def, &s->surface) != PL_OK)
        exit(1);
}

// Waves of height 8 cells and, with drops, a lattice of balls of radius 2.5 cells above them.
static double distance_at(int32_t i, int32_t j, int32_t k, int32_t n, bool drops)
{
    double waves = j - 0.5 * n - 4 * sin(0.1 * i) * cos(0.07 * k);
    double a = i % 12 - 6.2, b = j % 12 - 5.7, c = k % 12 - 5.9, ball = sqrt(a * a + b * b + c * c) - 2.5;
    return drops && j > n / 2 + 10 && ball < waves ? ball : waves;
}

// Uniform cells from 6 below the waves upwards, tall ones below them.
static sea make_sea(const bench *b, int32_t n, bool drops)
{
    sea s = {.b = b};
    int32_t size[3] = {n, n, n}, low = n / 2 - 10, high = drops ? n - 1 : n / 2 + 10;
    bool good = pl__columns_begin(b->ctx, &s.cell, size, (double[3]){0, 0, 0}, 1) == PL_OK;
    for (int32_t column = 0; good && column < n * n; ++column)
    {
        good = pl__columns_add(b->ctx, &s.cell, 0, low - 1, PL__RUN_LINEAR) == PL_OK &&
               pl__columns_add(b->ctx, &s.cell, low, high, PL__RUN_UNIFORM) == PL_OK;
        pl__columns_end_column(&s.cell);
    }
    s.phi = PL_NEW(b->ctx, s.cell.value_count, double);
    if (!good || !s.phi)
        exit(1);
    for (int32_t column = 0; column < n * n; ++column)
        for (int32_t j = low; j <= high; ++j)
            s.phi[s.cell.main[column].base + j] = distance_at(column % n, j, column / n, n, drops);
    return s;
}

static void measure(const bench *b, int32_t n, bool drops, int32_t threads)
{
    sea s = make_sea(b, n, drops);
    bench_saved saved = bench_use(b, threads, b->ctx->register_bytes);
    double seconds = bench_time(b, run, &s);
    bench_restore(b, saved);
    bench_row row = {.name = "surface", .threads = threads, .unit = "ns/cell"};
    row.variant = bench_text("%s %d^3: %d triangles", drops ? "drops" : "waves", n, s.surface.triangle_count);
    row.value = 1e9 * seconds / s.surface.cube_count;
    bench_report(&row);
    PL_DELETE(b->ctx, s.phi, s.cell.value_count);
    pl__columns_done(b->ctx, &s.cell);
    pl__liquid_surface_done(b->ctx, &s.surface);
}

void bench_surface(bench *b)
{
    int32_t n = b->effort == BENCH_SMOKE ? 32 : b->effort == BENCH_QUICK ? 96 : 192;
    for (int32_t threads = 1; threads <= 2; ++threads)
    {
        measure(b, n, false, threads);
        measure(b, n, true, threads);
    }
}

// tests/liquid_rest.c -- still water stays still, in vessels of any shape, with any level, anywhere on the grid.
#include "base/random.h"
#include "fluid/liquid.h"
#include "host.h"
#include "world/world.h"
#include <pliant/pliant.h>
#include <stdarg.h>

typedef struct text
{
    char at[6000];
    size_t length;
} text;

static void add(text *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    t->length += (size_t)vsnprintf(t->at + t->length, sizeof t->at - t->length, format, arguments);
    va_end(arguments);
}

typedef struct draw
{
    uint64_t seed, n;
} draw;

static double uniform(draw *d, double a, double b) { return a + (b - a) * pl__random01(d->seed, 77, d->n++); }
static int pick(draw *d, int count) { return (int)(count * pl__random01(d->seed, 77, d->n++)) % count; }

typedef enum vessel
{
    TANK,    // walls of the domain
    SQUARE,  // a hole in a block
    ROUND,   // a round hole in a block
    GLASS,   // a thin wall
    MUG,     // a square hole in a cylinder
    BOWL,    // two balls, the rim is an edge
    GROUND,  // rough
    OBJECTS, // in a tank
    MESH,    // in a tank
    VESSELS
} vessel;

static const char *const names[] = {"tank", "square", "round", "glass", "mug", "bowl", "ground", "objects", "mesh"};

// A box [0, 14 h]^3 with water in it up to `level`.
static void write_scene(text *t, uint64_t seed, int kind, int level_kind, bool tall, bool hold, double *h_out,
                        double *level_out)
{
    draw d = {seed, 0};
    static const double sizes[] = {0.03, 0.025, 1.0 / 14, 0.1};
    double h = sizes[pick(&d, 4)], n = kind == GLASS || kind == MUG || kind == BOWL ? 20 : 14, side = n * h;
    double floor_at = uniform(&d, 1.8, 3), depth = uniform(&d, 3, 7), level;
    level = level_kind == 0 ? (floor_at + depth) * h : (floor(floor_at + depth) + (level_kind == 1 ? 0.5 : 0)) * h;
    double cx = side / 2 + uniform(&d, -0.5, 0.5) * h, cz = side / 2 + uniform(&d, -0.5, 0.5) * h;
    double wall = uniform(&d, 0, 1) < 0.4 ? 0.5 * (1 + pick(&d, 6)) : uniform(&d, 0.5, 3), inner = uniform(&d, 3, 5);
    if (pick(&d, 3) == 0)
        cx = side / 2, cz = side / 2, inner = 0.5 * floor(2 * inner);
    if (pick(&d, 3) == 0)
        floor_at = 2;
    double top = 13 - floor_at; // of the hole
    *h_out = h, *level_out = level;
    add(t, "{\"domain\": {\"box\": [[0, 0, 0], [%.17g, %.17g, %.17g]], \"size\": %.17g", side, 14 * h, side, h);
    if (tall)
        add(t, ", \"depth\": %.17g", 2.5 * h);
    add(t, "},\n");
    double low = 0.5 * h, tall_of = level - low, wide = 2 * side;
    if (kind == GLASS || kind == MUG)
        wide = 2 * (inner + 0.5 * wall) * h, low = (floor_at - 0.5 * fmin(wall, 1)) * h, tall_of = level - low;
    if (kind == GLASS)
        add(t,
            "\"liquids\": {\"w\": {\"shape\": {\"cylinder\": {\"radius\": %.17g, \"height\": %.17g}}, \"at\": [%.17g, "
            "%.17g, %.17g]%s}},\n",
            wide / 2, tall_of, cx, low + tall_of / 2, cz, hold ? ", \"volume\": \"hold\"" : "");
    else if (kind == MUG)
        add(t,
            "\"liquids\": {\"w\": {\"shape\": {\"cylinder\": {\"radius\": %.17g, \"height\": %.17g}}, \"at\": [%.17g, "
            "%.17g, %.17g]%s}},\n",
            inner * 1.4 * h, tall_of, cx, low + tall_of / 2, cz, hold ? ", \"volume\": \"hold\"" : "");
    else
        add(t, "\"liquids\": {\"w\": {\"level\": %.17g%s}},\n", level, hold ? ", \"volume\": \"hold\"" : "");
    add(t, "\"objects\": {");
    if (kind == SQUARE || kind == ROUND)
    {
        add(t, "\"v\": {\"shape\": {\"difference\": [{\"shape\": {\"box\": [%.17g, %.17g, %.17g]}}, {\"shape\": ",
            4 * side, 2 * (floor_at + top) * h, 4 * side);
        if (kind == SQUARE)
            add(t, "{\"box\": [%.17g, %.17g, %.17g]}", 2 * inner * h, 2 * top * h, 2 * uniform(&d, 3, 5) * h);
        else
            add(t, "{\"cylinder\": {\"radius\": %.17g, \"height\": %.17g}}", inner * h, 2 * top * h);
        add(t, ", \"at\": [0, %.17g, 0]}]}, \"at\": [%.17g, 0, %.17g]}", (floor_at + top) * h, cx, cz);
    }
    else if (kind == GLASS)
        add(t,
            "\"v\": {\"shape\": {\"difference\": [{\"shape\": {\"cylinder\": {\"radius\": %.17g, \"height\": %.17g}}}, "
            "{\"shape\": {\"cylinder\": {\"radius\": %.17g, \"height\": %.17g}}, \"at\": [0, %.17g, 0]}]}, \"at\": "
            "[%.17g, %.17g, %.17g]}",
            (inner + wall) * h, 2 * top * h, inner * h, 2 * top * h, floor_at * h, cx, top * h, cz);
    else if (kind == MUG)
    {
        double edge = inner * 1.4 * 0.97; // half of it
        add(t,
            "\"v\": {\"shape\": {\"difference\": [{\"shape\": {\"cylinder\": {\"radius\": %.17g, \"height\": %.17g}}}, "
            "{\"shape\": {\"box\": [%.17g, %.17g, %.17g]}, \"at\": [0, %.17g, 0]}]}, \"at\": "
            "[%.17g, %.17g, %.17g]}",
            inner * 1.4 * h, 2 * top * h, edge * sqrt(2) * h, 2 * top * h, edge * sqrt(2) * h, floor_at * h, cx,
            top * h, cz);
    }
    else if (kind == BOWL)
        add(t,
            "\"v\": {\"shape\": {\"difference\": [{\"shape\": {\"sphere\": %.17g}}, "
            "{\"shape\": {\"sphere\": %.17g}, \"at\": [0, %.17g, 0]}]}, \"at\": "
            "[%.17g, %.17g, %.17g]}",
            7.5 * h, 7.2 * h, (0.5 * wall + 0.5) * h, cx, 8 * h, cz);
    else if (kind == GROUND)
    {
        add(t, "\"v\": {\"shape\": {\"height_field\": {\"heights\": [");
        for (int row = 0; row < 6; ++row)
        {
            add(t, "%s[", row ? ", " : "");
            for (int m = 0; m < 6; ++m)
                add(t, "%s%.17g", m ? ", " : "", uniform(&d, 0.2, 9) * h);
            add(t, "]");
        }
        add(t, "], \"extent\": [%.17g, %.17g]}}, \"at\": [%.17g, 0, %.17g]}", 1.2 * side, 1.2 * side, side / 2,
            side / 2);
    }
    else if (kind == OBJECTS)
    {
        for (int o = 0; o < 3; ++o)
        {
            add(t, "%s\"o%d\": {\"shape\": ", o ? ", " : "", o);
            int what = pick(&d, 3);
            if (what == 0)
                add(t, "{\"sphere\": %.17g}", uniform(&d, 1, 3) * h);
            else if (what == 1)
                add(t, "{\"box\": [%.17g, %.17g, %.17g]}", uniform(&d, 0.3, 5) * h, uniform(&d, 0.3, 5) * h,
                    uniform(&d, 0.3, 5) * h);
            else
                add(t, "{\"capsule\": {\"radius\": %.17g, \"height\": %.17g}}", uniform(&d, 0.7, 2) * h,
                    uniform(&d, 4.2, 6) * h);
            add(t, ", \"rotate\": [%.17g, %.17g, %.17g], \"at\": [%.17g, %.17g, %.17g]}", uniform(&d, -90, 90),
                uniform(&d, -90, 90), uniform(&d, -90, 90), uniform(&d, 3, 11) * h, uniform(&d, 2, 11) * h,
                uniform(&d, 3, 11) * h);
        }
    }
    add(t, "}}\n");
}

static char where[300];
static double deviation_of(const pl__liquid *l, const pl__columns *c, const pl__liquid_state *s, double level)
{
    double most = 0;
    for (int32_t column = 0; column < c->nx * c->nz; ++column)
        for (size_t r = c->start[column]; r < c->start[column + 1]; ++r)
            for (int32_t m = 0; c->run[r].kind == PL__RUN_UNIFORM && m < pl__run_rows(&c->run[r]); ++m)
            {
                int32_t n = c->run[r].first + m;
                double y = c->origin[1] + c->h * (c->run[r].j0 + m) - level;
                if (fabs(y) < c->h && s->open[n] > 0 && s->phi[n] < 1.5 * c->h && fabs(s->phi[n] - y) > most)
                {
                    most = fmax(most, fabs(s->phi[n] - y));
                    snprintf(where, sizeof where,
                             "(%d %d %d) phi %.5g for %.5g, d %.3g sides %x open %.3g q %.3g r %.3g", column % c->nx,
                             c->run[r].j0 + m, column / c->nx, s->phi[n] / c->h, y / c->h,
                             l->boundary.distance[n] / c->h, l->boundary.sides[n], s->open[n], s->q[n], s->residual[n]);
                }
            }
    return most / c->h;
}

static double deviation(const pl__liquid *l, double level)
{
    return deviation_of(l, &l->state.grid.cell, &l->state, level);
}

static void around(const pl__liquid *l, int i, int j, int k)
{
    const pl__grid *g = &l->state.grid;
    for (int n = 0; n < 27; ++n)
    {
        int32_t at[3] = {i + n / 3 % 3 - 1, j + n % 3 - 1, k + n / 9 - 1};
        const pl__run *run = pl__grid_run(&g->cell, at[0], at[1], at[2]);
        int32_t m = run && run->kind == PL__RUN_UNIFORM ? run->first + at[1] - run->j0 : -1;
        if (m < 0)
            printf("  (%d %d %d) none\n", at[0], at[1], at[2]);
        else
            printf("  (%d %d %d) phi %.5g d %.3g sides %x o %.3g\n", at[0], at[1], at[2], l->state.phi[m] / g->cell.h,
                   l->boundary.distance[m] / g->cell.h, l->boundary.sides[m], l->state.open[m]);
    }
}

static double watched_level;
static void watch(void *user, pl__liquid_part part)
{
    const pl__liquid *l = user;
    double d =
        deviation_of(l, part < PL__PART_GRID ? &l->state.grid.cell : &l->next.grid.cell, &l->next, watched_level);
    printf("      part %d: %.3g %s\n", part, d, where);
    for (int32_t n = 0, shown = 0;
         part == PL__PART_BOUNDARY && l->state.steps == 0 && n < l->next.grid.cell.value_count; ++n)
    {
        const pl__columns *g = &l->next.grid.cell;
        int32_t column, j;
        pl__columns_place(g, n, &column, &j);
        double q = 9.81 * 0.01 / g->h * (watched_level - g->origin[1] - j * g->h);
        if (l->next.phi[n] < -0.01 * g->h && (l->boundary.sides[n] & 63) != 63 && fabs(l->next.q[n] - q) > 1e-12 &&
            ++shown < 8)
            printf("     guess %g for %g at (%d %d %d) phi %g d %g sides %x\n", l->next.q[n], q, column % g->nx, j,
                   column / g->nx, l->next.phi[n] / g->h, l->boundary.distance[n] / g->h, l->boundary.sides[n]);
        if ((l->next.phi[n] < 0) != (q > 0) && (l->boundary.sides[n] & 63) != 63 && ++shown < 8)
            printf("     sign at (%d %d %d) phi %g d %g sides %x\n", column % g->nx, j, column / g->nx,
                   l->next.phi[n] / g->h, l->boundary.distance[n] / g->h, l->boundary.sides[n]);
    }
    const pl__columns *c = part < PL__PART_GRID ? &l->state.grid.cell : &l->next.grid.cell;
    double most = 0;
    int32_t best = -1;
    for (int32_t n = 0; n < c->value_count && part >= PL__PART_BALANCE; ++n)
        if (fabs(l->next.residual[n]) > most)
            most = fabs(l->next.residual[n]), best = n;
    if (most > 1e-13)
    {
        int32_t column, j;
        pl__columns_place(c, best, &column, &j);
        printf("      residual part %d: %g at (%d %d %d) phi %.9g was %.9g V %g was %g open %g d %g sides %x\n", part,
               most, column % c->nx, j, column / c->nx, l->next.phi[best] / c->h, l->state.phi[best] / c->h,
               l->next.part[best], l->state.part[best], l->next.open[best], l->boundary.distance[best] / c->h,
               l->boundary.sides[best]);
    }
}

static void fastest(const pl__liquid *l)
{
    const pl__grid *g = &l->state.grid;
    double most = 0;
    int32_t ba = 0, bi = 0, bj = 0, bk = 0, bn = 0;
    for (int axis = 0; axis < 3; ++axis)
        for (int32_t column = 0; column < g->face[axis].nx * g->face[axis].nz; ++column)
            for (size_t r = g->face[axis].start[column]; r < g->face[axis].start[column + 1]; ++r)
                for (int32_t m = 0; m < pl__run_numbers(&g->face[axis].run[r]); ++m)
                {
                    int32_t n = g->face[axis].run[r].first + m;
                    if (fabs(l->state.u[axis][n]) > most)
                        most = fabs(l->state.u[axis][n]), ba = axis, bi = column % g->face[axis].nx,
                        bk = column / g->face[axis].nx, bj = g->face[axis].run[r].j0 + m, bn = n;
                }
    printf("   u %g axis %d (%d %d %d) open %g; it %d passes %d\n", most, ba, bi, bj, bk, l->boundary.open[ba][bn],
           l->info.pressure.solve.iterations, l->info.pressure.passes);
    for (int end = 0; end < 2; ++end)
    {
        int32_t at[3] = {bi, bj, bk};
        at[ba] -= 1 - end;
        const pl__run *run = pl__grid_run(&g->cell, at[0], at[1], at[2]);
        int32_t n = run && run->kind == PL__RUN_UNIFORM ? run->first + at[1] - run->j0 : -1;
        if (n >= 0)
            printf("    (%d %d %d) phi %.5g d %.3g sides %x o %.3g q %.9g r %.3g\n", at[0], at[1], at[2],
                   l->state.phi[n] / g->cell.h, l->boundary.distance[n] / g->cell.h, l->boundary.sides[n],
                   l->state.open[n], l->state.q[n], l->state.residual[n]);
    }
}

// Returns the largest speed of all steps [m/s].
static double run(uint64_t seed, int kind, int level_kind, bool tall, bool hold, int frames, bool print)
{
    text t = {{0}, 0};
    double h, level, most = 0;
    write_scene(&t, seed, kind, level_kind, tall, hold, &h, &level);
    if (print)
        printf("%s", t.at);
    pl_context *ctx = test_context(1);
    pl_scene *scene = NULL;
    pl_world *world = NULL;
    if (pl_scene_parse(ctx, "scene", t.at, strlen(t.at), &scene) != PL_OK || pl_world_create(scene, &world) != PL_OK)
    {
        printf("%s\n%s\n", pl_context_error(ctx), t.at);
        abort();
    }
    pl_scene_destroy(&scene);
    pl__liquid *l = world->liquids.liquid;
    watched_level = level;
    if (print)
        l->watch = watch, l->watch_user = l;
    double start = deviation(l, level);
    if (print)
        printf("start %g %s\n", start, where);
    for (int k = 0; print && k < 1 && getenv("AT"); ++k)
    {
        int a, b, e;
        sscanf(getenv("AT"), "%d %d %d", &a, &b, &e);
        around(l, a, b, e);
    }
    for (int k = 0; k < frames; ++k)
    {
        pl_step_def step = pl_step_def_default();
        pl_step_info info;
        step.dt = 0.01;
        CHECK_OK(ctx, pl_world_step(world, &step, &info));
        double speed = info.liquid_speed;
        if (print)
            printf("%d: |u| %.3g phi %.3g drift %.3g %s\n", k, speed, deviation(l, level), info.liquid_drift, where);
        if (print && getenv("AT") && k == 0)
        {
            int a, b, e;
            sscanf(getenv("AT"), "%d %d %d", &a, &b, &e);
            around(l, a, b, e);
        }
        if (print)
            fastest(l);
        most = fmax(most, speed);
    }
    pl_world_destroy(&world);
    pl_context_destroy(&ctx);
    return most;
}

static void still_water_stays_still(void)
{
    int first = getenv("KIND") ? atoi(getenv("KIND")) : 0;
    for (int kind = first; kind < (getenv("KIND") ? first + 1 : VESSELS); ++kind)
        for (int level_kind = 0; level_kind < 3 && kind != MESH; ++level_kind)
            for (uint64_t seed = getenv("FIRST") ? (uint64_t)atoi(getenv("FIRST")) : 1;
                 seed <= (getenv("LAST") ? (uint64_t)atoi(getenv("LAST"))
                          : slow_tests   ? 40
                                         : 4);
                 ++seed)
            {
                double speed = run(seed, kind, level_kind, seed % 4 == 0, seed % 4 == 1, slow_tests ? 300 : 20, false);
                printf("%s level %d seed %d: %g\n", names[kind], level_kind, (int)seed, speed);
            }
}

int main(int argc, char **argv)
{
    if (argc > 4)
    {
        run((uint64_t)atoi(argv[3]), atoi(argv[1]), atoi(argv[2]), atoi(argv[3]) % 4 == 0, atoi(argv[3]) % 4 == 1,
            atoi(argv[4]), true);
        return 0;
    }
    static const pl_test tests[] = {TEST(still_water_stays_still)};
    return RUN(tests);
}

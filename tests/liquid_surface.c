// tests/liquid_surface.c -- the surface of a liquid is closed, exact where it can be, and of second order elsewhere.
#include "base/hash.h"
#include "base/random.h"
#include "fluid/grid.h"
#include "fluid/marching_cubes.h"
#include "fluid/surface.h"
#include "host.h"

#define MUST(call)                                                                                                     \
    do                                                                                                                 \
    {                                                                                                                  \
        if ((call) != PL_OK)                                                                                           \
            abort();                                                                                                   \
    } while (0)

static uint64_t key;
static double random01(void) { return pl__random01(11, 5, key++); }
static int32_t random_int(int32_t n) { return (int32_t)(random01() * n); }

// ---- liquids -------------------------------------------------------------------------------------------------------

typedef struct water
{
    pl__columns cell;
    double *phi, *solid;
} water;

typedef double shape_function(const double x[3]);

// Cells of a box from its lower corner at (0.3, -1, 2); column by column the runs that `add_runs` wants, or all
// uniform.
static water make_liquid(pl_context *ctx, const int32_t n[3], double h,
                         void (*add_runs)(pl_context *ctx, pl__columns *c, int32_t column))
{
    water l = {0};
    double center[3] = {0.3 + 0.5 * h, -1 + 0.5 * h, 2 + 0.5 * h};
    MUST(pl__columns_begin(ctx, &l.cell, n, center, h));
    for (int32_t column = 0; column < n[0] * n[2]; ++column)
    {
        if (add_runs)
            add_runs(ctx, &l.cell, column);
        else
            MUST(pl__columns_add(ctx, &l.cell, 0, n[1] - 1, PL__RUN_UNIFORM));
        pl__columns_end_column(&l.cell);
    }
    CHECK(pl__columns_is_valid(&l.cell));
    l.phi = calloc((size_t)l.cell.value_count + 1, sizeof *l.phi);
    return l;
}

static void done(pl_context *ctx, water *l)
{
    pl__columns_done(ctx, &l->cell);
    free(l->phi);
    free(l->solid);
}

// The numbers of a function at all uniform samples; others are poison.
static void sample(const pl__columns *c, shape_function *f, double *value)
{
    for (int32_t column = 0; column < c->nx * c->nz; ++column)
        for (size_t r = c->start[column]; r < c->start[column + 1]; ++r)
            for (int32_t n = 0; n < pl__run_numbers(&c->run[r]); ++n)
            {
                double x[3];
                pl__grid_point(c, column % c->nx, c->run[r].j0 + n, column / c->nx, x);
                value[c->run[r].first + n] = c->run[r].kind == PL__RUN_UNIFORM ? f(x) : NAN;
            }
}

static pl__liquid_surface surface_of(pl_context *ctx, const water *l)
{
    pl__liquid_surface s = {0};
    pl__liquid_surface_def def = {.cell = &l->cell, .phi = l->phi, .solid = l->solid};
    CHECK_OK(ctx, pl__liquid_surface_make(ctx, &def, &s));
    return s;
}

static pl__liquid_surface surface_of_shape(pl_context *ctx, const int32_t n[3], double h, shape_function *f)
{
    water l = make_liquid(ctx, n, h, NULL);
    sample(&l.cell, f, l.phi);
    pl__liquid_surface s = surface_of(ctx, &l);
    done(ctx, &l);
    return s;
}

// ---- what surfaces are ---------------------------------------------------------------------------------------------

static int by_number(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

// Every edge has exactly two triangles, which run along it in opposite directions; every vertex is in some triangle.
static bool is_closed(const pl__liquid_surface *s)
{
    size_t count = 3 * (size_t)s->triangle_count, good = 0;
    int64_t *edge = malloc((2 * count + 1) * sizeof *edge), *back = edge + count;
    bool *used = calloc((size_t)s->vertex_count + 1, sizeof *used), all = true;
    for (size_t i = 0; i < count; ++i)
    {
        int64_t a = s->triangle[i], b = s->triangle[i % 3 == 2 ? i - 2 : i + 1];
        all = all && a >= 0 && a < s->vertex_count && a != b;
        edge[i] = a * s->vertex_count + b;
        back[i] = b * s->vertex_count + a;
        used[a] = true;
    }
    qsort(edge, count, sizeof *edge, by_number);
    qsort(back, count, sizeof *back, by_number);
    for (size_t i = 0; i < count; ++i)
        good += edge[i] == back[i] && (i == 0 || edge[i] != edge[i - 1]);
    for (int32_t v = 0; v < s->vertex_count; ++v)
        all = all && used[v];
    free(edge);
    free(used);
    return all && good == count;
}

// Vertices - edges + triangles: 2 for each ball, 0 for each torus.
static int32_t euler(const pl__liquid_surface *s) { return s->vertex_count - s->triangle_count / 2; }

static void corner(const pl__liquid_surface *s, int32_t triangle, int i, double x[3])
{
    int32_t v = s->triangle[3 * (size_t)triangle + (size_t)i];
    for (int axis = 0; axis < 3; ++axis)
        x[axis] = s->x[axis][v];
}

static void measure(const pl__liquid_surface *s, double *area, double *volume)
{
    *area = *volume = 0;
    for (int32_t t = 0; t < s->triangle_count; ++t)
    {
        double a[3], b[3], c[3], n[3];
        corner(s, t, 0, a);
        corner(s, t, 1, b);
        corner(s, t, 2, c);
        for (int i = 0; i < 3; ++i)
        {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            n[i] = (b[j] - a[j]) * (c[k] - a[k]) - (b[k] - a[k]) * (c[j] - a[j]);
        }
        *area += 0.5 * sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        *volume += (n[0] * a[0] + n[1] * a[1] + n[2] * a[2]) / 6;
    }
}

static double volume_of(const pl__liquid_surface *s)
{
    double area, volume;
    measure(s, &area, &volume);
    return volume;
}

static uint64_t hash_of(const pl__liquid_surface *s)
{
    uint64_t h = pl__hash(1, s->triangle, 3 * (size_t)s->triangle_count * sizeof *s->triangle);
    for (int i = 0; i < 3; ++i)
    {
        h = pl__hash(h, s->x[i], (size_t)s->vertex_count * sizeof(double));
        h = pl__hash(h, s->v[i], (size_t)s->vertex_count * sizeof(double));
        h = pl__hash(h, s->normal[i], (size_t)s->vertex_count * sizeof(double));
    }
    return h;
}

// ---- one cube ------------------------------------------------------------------------------------------------------

// Faces of an edge of a cube, by its two fixed coordinates.
static bool on_common_face(uint32_t e, uint32_t f)
{
    uint32_t a = pl__cube_edge_begin(e), b = pl__cube_edge_begin(f), common = 0;
    for (uint32_t axis = 0; axis < 3; ++axis)
        common |= (axis != e >> 2 && axis != f >> 2 && (a >> axis & 1) == (b >> axis & 1));
    return common;
}

// Loops take every crossed edge once, step within faces, and fans have no diagonal in a face: for all corners and
// faces.
static void loops_cover_every_cube(void)
{
    int32_t most = 0, centered = 0;
    for (uint32_t liquid = 0; liquid < 256; ++liquid)
        for (uint32_t joined = 0; joined < 64; ++joined)
        {
            pl__cube_loops loops;
            pl__cube_find_loops(liquid, joined, &loops);
            uint32_t seen = 0, crossed = 0;
            for (uint32_t e = 0; e < PL__CUBE_EDGES; ++e)
            {
                uint32_t a = pl__cube_edge_begin(e), b = a | 1u << (e >> 2);
                crossed |= ((liquid >> a ^ liquid >> b) & 1) << e;
            }
            for (int32_t l = 0; l < loops.count; ++l)
            {
                const uint8_t *edge = loops.edge + loops.start[l];
                int32_t count = pl__cube_loop_length(&loops, l);
                most = count > most ? count : most;
                centered += loops.centered[l];
                CHECK(count >= 3);
                for (int32_t i = 0; i < count; ++i)
                {
                    CHECK(!(seen >> edge[i] & 1));
                    seen |= 1u << edge[i];
                    CHECK(on_common_face(edge[i], edge[(i + 1) % count]));
                    CHECK(loops.centered[l] || i < 2 || i == count - 1 || !on_common_face(edge[0], edge[i]));
                }
            }
            CHECK(seen == crossed);
        }
    CHECK(most == 12 && centered > 0); // else the sweep saw no hard case
}

// Liquid is joined across a face where the bilinear interpolant is negative at its saddle.
static void decider_is_the_saddle(void)
{
    int seen[2] = {0};
    for (int trial = 0; trial < 4000; ++trial)
    {
        double phi[8];
        uint32_t liquid = 0;
        for (uint32_t i = 0; i < 8; ++i)
        {
            phi[i] = random01() - 0.5;
            liquid |= (uint32_t)(phi[i] < 0) << i;
        }
        uint32_t ambiguous = pl__cube_ambiguous(liquid), joined = pl__cube_joined(liquid, phi);
        CHECK((joined & ~ambiguous) == 0);
        for (int face = 0; face < PL__CUBE_FACES; ++face)
        {
            const uint8_t *c = pl__cube_face[face];
            double a = phi[c[0]], b = phi[c[1]], d = phi[c[2]], e = phi[c[3]], sum = a + d - b - e;
            double x = (a - e) / sum, y = (a - b) / sum;
            double saddle = (1 - x) * (1 - y) * a + x * (1 - y) * b + x * y * d + (1 - x) * y * e;
            if (!(ambiguous >> face & 1) || fabs(saddle) < 1e-12)
                continue;
            CHECK(x > 0 && x < 1 && y > 0 && y < 1);
            CHECK((joined >> face & 1) == (saddle < 0));
            seen[saddle < 0]++;
        }
    }
    CHECK(seen[0] > 500 && seen[1] > 500);
}

// All signs of a cube, with random sizes, which decide its faces in all ways: closed between six walls.
static void every_cube_is_closed(void)
{
    pl_context *ctx = test_context(1);
    int32_t n[3] = {2, 2, 2};
    water l = make_liquid(ctx, n, 0.5, NULL);
    uint64_t ways = 0; // in which the six faces of the chessboard were decided
    for (int trial = 0; trial < 256 * (slow_tests ? 64 : 8); ++trial)
    {
        for (int i = 0; i < 8; ++i)
            l.phi[i] = (trial >> i & 1 ? -1 : 1) * (0.01 + random01());
        pl__liquid_surface s = surface_of(ctx, &l);
        CHECK_THAT(is_closed(&s), "corners %d", trial & 255);
        CHECK((s.triangle_count == 0) == (trial % 256 == 0));
        pl__liquid_surface_done(ctx, &s);
    }
    for (int trial = 0; trial < 2000; ++trial)
    {
        double phi[8];
        for (int i = 0; i < 8; ++i)
            phi[i] = (0x69 >> i & 1 ? -1 : 1) * random01();
        ways |= 1ull << pl__cube_joined(0x69, phi);
    }
    CHECK(pl__cube_ambiguous(0x69) == 63 && __builtin_popcountll(ways) > 30);
    done(ctx, &l);
    pl_context_destroy(&ctx);
}

// ---- random liquids ------------------------------------------------------------------------------------------------

static void add_random_runs(pl_context *ctx, pl__columns *c, int32_t column)
{
    (void)column;
    for (int32_t j = random_int(3); j < c->ny; j += random_int(3))
    {
        int32_t length = 1 + random_int(random_int(3) ? 4 : 12), j1 = j + length <= c->ny ? j + length - 1 : c->ny - 1;
        MUST(pl__columns_add(ctx, c, j, j1, random_int(2) ? PL__RUN_UNIFORM : PL__RUN_LINEAR));
        j = j1 + 1;
    }
}

static double noise(const double x[3])
{
    (void)x;
    int32_t kind = random_int(40);
    return kind == 0   ? 0
           : kind == 1 ? -0.0
           : kind == 2 ? NAN
           : kind == 3 ? INFINITY
           : kind == 4 ? -INFINITY
                       : random01() - 0.5;
}

static bool is_finite(const pl__liquid_surface *s)
{
    bool good = true;
    for (int32_t v = 0; v < s->vertex_count; ++v)
    {
        double length = 0;
        for (int i = 0; i < 3; ++i)
        {
            good = good && isfinite(s->x[i][v]);
            length += s->normal[i][v] * s->normal[i][v];
        }
        good = good && fabs(length - 1) < 1e-12;
    }
    return good;
}

// Noise with numbers that are zero or not finite, tall cells, gaps, single layers, solids: always closed.
static void noise_is_closed(void)
{
    pl_context *ctx = test_context(1);
    for (int trial = 0; trial < (slow_tests ? 4000 : 400); ++trial)
    {
        int32_t n[3] = {1 + random_int(7), 1 + random_int(16), trial % 3 ? 1 + random_int(6) : 1};
        water l = make_liquid(ctx, n, 0.25, trial % 2 ? add_random_runs : NULL);
        sample(&l.cell, noise, l.phi);
        if (trial % 5 == 0)
        {
            l.solid = calloc((size_t)l.cell.value_count + 1, sizeof *l.solid);
            sample(&l.cell, noise, l.solid);
        }
        pl__liquid_surface s = surface_of(ctx, &l);
        CHECK_THAT(is_closed(&s), "trial %d, %d x %d x %d", trial, n[0], n[1], n[2]);
        CHECK(is_finite(&s));
        CHECK(volume_of(&s) >= 0);
        pl__liquid_surface_done(ctx, &s);
        done(ctx, &l);
    }
    pl_context_destroy(&ctx);
}

static double either(const double x[3])
{
    (void)x;
    return random_int(2) ? 1 : -1; // 4 h, as samples without a number have it
}

// Runs are the same surface as all cells, one by one, with tall cells liquid and what has no run without it.
static void runs_are_their_cells(void)
{
    pl_context *ctx = test_context(1);
    for (int trial = 0; trial < 100; ++trial)
    {
        int32_t n[3] = {1 + random_int(6), 1 + random_int(30), 1 + random_int(5)};
        water l = make_liquid(ctx, n, 0.25, add_random_runs), all = make_liquid(ctx, n, 0.25, NULL);
        sample(&l.cell, either, l.phi);
        for (int32_t i = 0; i < n[0] * n[1] * n[2]; ++i)
        {
            const pl__run *run = pl__columns_find(&l.cell, i / n[1], i % n[1]);
            all.phi[i] = !run ? 1 : run->kind == PL__RUN_LINEAR ? -1 : pl__run_value(run, l.phi, i % n[1]);
        }
        pl__liquid_surface a = surface_of(ctx, &l), b = surface_of(ctx, &all);
        size_t bytes = 12 * (size_t)a.triangle_count;
        bool same = a.vertex_count == b.vertex_count && a.triangle_count == b.triangle_count;
        CHECK(same && (bytes == 0 || memcmp(a.triangle, b.triangle, bytes) == 0));
        pl__liquid_surface_done(ctx, &a);
        pl__liquid_surface_done(ctx, &b);
        done(ctx, &l);
        done(ctx, &all);
    }
    pl_context_destroy(&ctx);
}

// ---- shapes --------------------------------------------------------------------------------------------------------

static double ball(const double x[3])
{
    double a = x[0] - 1.29, b = x[1] - 0.03, c = x[2] - 3.02;
    return sqrt(a * a + b * b + c * c) - 0.7;
}

static double torus(const double x[3])
{
    double a = x[0] - 1.29, b = x[1] - 0.03, c = x[2] - 3.02, r = sqrt(a * a + c * c) - 0.55;
    return sqrt(r * r + b * b) - 0.25;
}

// Area and volume of a ball with order 2; one piece without holes; normals along the radius with order 2.
static void ball_is_of_second_order(void)
{
    pl_context *ctx = test_context(1);
    double r = 0.7, last_area = 0, last_volume = 0, last_normal = 0, pi = acos(-1.0);
    for (int32_t n = 16; n <= 64; n *= 2)
    {
        int32_t cells[3] = {n, n, n};
        pl__liquid_surface s = surface_of_shape(ctx, cells, 2.0 / n, ball);
        double area, volume, worst = 0;
        measure(&s, &area, &volume);
        area = fabs(area - 4 * pi * r * r);
        volume = fabs(volume - 4 * pi * r * r * r / 3);
        for (int32_t v = 0; v < s.vertex_count; ++v)
        {
            double at[3] = {s.x[0][v], s.x[1][v], s.x[2][v]};
            double e[3] = {(at[0] - 1.29) / r - s.normal[0][v], (at[1] - 0.03) / r - s.normal[1][v],
                           (at[2] - 3.02) / r - s.normal[2][v]};
            worst = fmax(worst, sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]));
            CHECK(fabs(ball(at)) < 0.2 / (n * n)); // the cubic is of third order and better
        }
        CHECK(is_closed(&s) && euler(&s) == 2);
        CHECK(n == 16 || (area < last_area / 3.5 && volume < last_volume / 3.5 && worst < last_normal / 3));
        last_area = area;
        last_volume = volume;
        last_normal = worst;
        pl__liquid_surface_done(ctx, &s);
    }
    // diagonals of squares are h^2 / (4 r) away from the sphere: three times that, h^2 / r^2, of the volume at most
    double part = 1 / (32 * 32 * r * r);
    CHECK(last_area < 2 * part / 3 * 4 * pi * r * r && last_volume < part * 4 * pi * r * r * r / 3);
    pl_context_destroy(&ctx);
}

static void torus_has_a_hole(void)
{
    pl_context *ctx = test_context(1);
    int32_t n[3] = {40, 40, 40};
    pl__liquid_surface s = surface_of_shape(ctx, n, 0.05, torus);
    double area, volume, pi = acos(-1.0);
    measure(&s, &area, &volume);
    CHECK(is_closed(&s) && euler(&s) == 0);
    double part = 0.05 * 0.05 / (6 * 0.25 * 0.25); // chords of the tube, twice h^2 / (12 r)
    CHECK_NEAR(volume, 2 * pi * pi * 0.55 * 0.25 * 0.25, 1.5 * part * volume);
    CHECK_NEAR(area, 4 * pi * pi * 0.55 * 0.25, 1.5 * part * area);
    pl__liquid_surface_done(ctx, &s);
    pl_context_destroy(&ctx);
}

static double quadratic(const double x[3])
{
    double a = x[0] - 1.3, b = x[1] - 0.1, c = x[2] - 3;
    return 0.8 * a * a + 1.1 * b * b + 0.6 * c * c + 0.3 * a * b - 0.2 * b * c - 0.4;
}

// Catmull and Rom's cubic is exact for quadratics: vertices lie on the ellipsoid, to rounding.
static void vertices_are_on_roots_of_quadratics(void)
{
    pl_context *ctx = test_context(1);
    int32_t n[3] = {24, 24, 24};
    pl__liquid_surface s = surface_of_shape(ctx, n, 0.1, quadratic);
    double worst = 0;
    CHECK(s.vertex_count > 500 && is_closed(&s));
    for (int32_t v = 0; v < s.vertex_count; ++v)
        worst = fmax(worst, fabs(quadratic((double[3]){s.x[0][v], s.x[1][v], s.x[2][v]})));
    CHECK_NEAR(worst, 0, 1e-14);
    pl__liquid_surface_done(ctx, &s);
    pl_context_destroy(&ctx);
}

// ---- water in boxes ------------------------------------------------------------------------------------------------

static double level; // of the water [m]
static double still(const double x[3]) { return x[1] - level; }

// Tall cells over the lower rows, uniform ones about the level.
static void add_tall_runs(pl_context *ctx, pl__columns *c, int32_t column)
{
    int32_t middle = (int32_t)((level + 1) / c->h), low = 1 + (column * 7) % 5;
    if (middle - low > 2)
        MUST(pl__columns_add(ctx, c, 0, middle - low - 1, PL__RUN_LINEAR));
    int32_t from = middle - low > 2 ? middle - low : 0, to = middle + 3 < c->ny ? middle + 3 : c->ny - 1;
    MUST(pl__columns_add(ctx, c, from, to, PL__RUN_UNIFORM));
}

// Every vertex is on a wall, or on the level to rounding; the volume is that of the water. Any level, any runs, a
// layer.
static void still_water_is_flat(void)
{
    pl_context *ctx = test_context(1);
    for (int trial = 0; trial < 60; ++trial)
    {
        int32_t n[3] = {5, 24, trial % 4 ? 6 : 1};
        double h = 0.11, size[3] = {n[0] * h, n[1] * h, n[2] * h}, corner[3] = {0.3, -1, 2};
        level = trial % 7 == 6 ? -1 + (1.5 + trial / 7) * h : -1 + (0.6 + random01() * 20) * h; // also through samples
        water l = make_liquid(ctx, n, h, trial % 2 ? add_tall_runs : NULL);
        sample(&l.cell, still, l.phi);
        pl__liquid_surface s = surface_of(ctx, &l);
        CHECK(is_closed(&s) && euler(&s) == 2);
        for (int32_t v = 0; v < s.vertex_count; ++v)
        {
            bool walled = fabs(s.x[1][v] + 1) == 0;
            for (int axis = 0; axis < 3; axis += 2)
            {
                double lower = l.cell.origin[axis] - 0.5 * h, upper = l.cell.origin[axis] + h * (n[axis] - 0.5);
                walled = walled || s.x[axis][v] == lower || s.x[axis][v] == upper;
                CHECK(s.x[axis][v] >= lower && s.x[axis][v] <= upper);
                CHECK_NEAR(lower, corner[axis], 1e-15);
            }
            CHECK(s.x[1][v] <= level + 1e-12);
            CHECK(walled || fabs(s.x[1][v] - level) <= 1e-12);
            CHECK(fabs(s.x[1][v] - level) > 1e-12 || fabs(s.normal[1][v] - 1) < 1e-12);
        }
        CHECK_NEAR(volume_of(&s), size[0] * (level + 1) * size[2], 1e-12);
        pl__liquid_surface_done(ctx, &s);
        done(ctx, &l);
    }
    pl_context_destroy(&ctx);
}

static double all_wet(const double x[3]) { return x[0] - 1e9; }

// A box full of water is the box: all walls closed, exactly in their planes.
static void full_box_has_its_volume(void)
{
    pl_context *ctx = test_context(1);
    int32_t n[3] = {3, 4, 1};
    pl__liquid_surface s = surface_of_shape(ctx, n, 0.5, all_wet);
    double area, volume;
    measure(&s, &area, &volume);
    CHECK(is_closed(&s) && euler(&s) == 2);
    CHECK_NEAR(volume, 1.5 * 2 * 0.5, 1e-13);
    CHECK_NEAR(area, 2 * (1.5 * 2 + 1.5 * 0.5 + 2 * 0.5), 1e-13);
    pl__liquid_surface_done(ctx, &s);
    pl_context_destroy(&ctx);
}

static double slope(const double x[3]) { return x[1] + 0.2 - 0.3 * (x[0] - 0.8) - 0.2 * (x[2] - 2.5); }

// Tilted water: the surface is on the plane away from the walls, and encloses the volume with order 2.
static void tilted_plane_has_its_volume(void)
{
    pl_context *ctx = test_context(1);
    double last = 0;
    for (int32_t n = 8; n <= 32; n *= 2)
    {
        int32_t cells[3] = {n, 2 * n, n};
        double h = 1.0 / n;
        pl__liquid_surface s = surface_of_shape(ctx, cells, h, slope);
        CHECK(is_closed(&s) && euler(&s) == 2);
        for (int32_t v = 0; v < s.vertex_count; ++v)
        {
            double x[3] = {s.x[0][v], s.x[1][v], s.x[2][v]};
            bool inside = x[0] > 0.3 + h && x[0] < 1.3 - h && x[2] > 2 + h && x[2] < 3 - h && x[1] > -0.95;
            CHECK(!inside || fabs(slope(x)) < 1e-14);
        }
        double error = fabs(volume_of(&s) - 0.8); // of a plane through (0.8, -0.2, 2.5), which is the middle
        CHECK(error < 0.1 * h * h);
        CHECK(n == 8 || error < 1e-13 || error < last / 3.5);
        last = error;
        pl__liquid_surface_done(ctx, &s);
    }
    pl_context_destroy(&ctx);
}

// ---- tall cells, rock and solids -----------------------------------------------------------------------------------

// A basin of tall cells whose depth differs from column to column; nothing in the rock below.
static void add_basin_runs(pl_context *ctx, pl__columns *c, int32_t column)
{
    int32_t i = column % c->nx, k = column / c->nx, ground = 3 + (i * 5 + k * 3) % 4, top = c->ny - 8;
    if (i == 4 && k == 2)
        return; // a pillar
    MUST(pl__columns_add(ctx, c, ground, top - 1, PL__RUN_LINEAR));
    MUST(pl__columns_add(ctx, c, top, c->ny - 1, PL__RUN_UNIFORM));
}

static void add_uniform_basin(pl_context *ctx, pl__columns *c, int32_t column)
{
    int32_t i = column % c->nx, k = column / c->nx, ground = 3 + (i * 5 + k * 3) % 4;
    if (i == 4 && k == 2)
        return;
    MUST(pl__columns_add(ctx, c, ground, c->ny - 1, PL__RUN_UNIFORM));
}

static double deep(const double x[3])
{
    double phi = x[1] - level;
    return phi < -0.8 ? -0.8 : phi; // as tall cells have it: 4 h and no more
}

// Tall cells give the same bits as uniform ones; the ground is closed half a cell below the last cells.
static void tall_cells_are_uniform_ones(void)
{
    pl_context *ctx = test_context(1);
    int32_t n[3] = {9, 40, 5};
    level = -1 + 0.2 * 35.3;
    water tall = make_liquid(ctx, n, 0.2, add_basin_runs), uniform = make_liquid(ctx, n, 0.2, add_uniform_basin);
    sample(&tall.cell, deep, tall.phi);
    sample(&uniform.cell, deep, uniform.phi);
    pl__liquid_surface a = surface_of(ctx, &tall), b = surface_of(ctx, &uniform);
    CHECK(is_closed(&a));
    CHECK(a.triangle_count > 0 && hash_of(&a) == hash_of(&b));
    double lowest = 0;
    for (int32_t v = 0; v < a.vertex_count; ++v)
        lowest = fmin(lowest, a.x[1][v]);
    CHECK_NEAR(lowest, -1 + 0.2 * 3, 1e-14);
    pl__liquid_surface_done(ctx, &a);
    pl__liquid_surface_done(ctx, &b);
    done(ctx, &tall);
    done(ctx, &uniform);
    pl_context_destroy(&ctx);
}

static double wall_solid(const double x[3]) { return 1.171 - x[0]; } // solid beyond
static double round_solid(const double x[3]) { return ball(x); }

// Water against a plane solid between samples: no vertex inside the solid, and the volume but for the corner cut off.
static void surface_ends_at_solids(void)
{
    pl_context *ctx = test_context(1);
    int32_t n[3] = {20, 20, 20};
    double h = 0.1, area, volume, pi = acos(-1.0);
    level = 0.236;
    water l = make_liquid(ctx, n, h, NULL);
    l.solid = calloc((size_t)l.cell.value_count, sizeof *l.solid);
    sample(&l.cell, still, l.phi);
    sample(&l.cell, wall_solid, l.solid);
    pl__liquid_surface s = surface_of(ctx, &l);
    CHECK(is_closed(&s) && euler(&s) == 2);
    for (int32_t v = 0; v < s.vertex_count; ++v)
        CHECK(s.x[0][v] <= 1.171 + 1e-13 && s.x[1][v] <= level + 1e-13);
    double exact = 0.871 * 1.236 * 2;
    CHECK(volume_of(&s) < exact + 1e-12 && volume_of(&s) > exact - 2 * 0.5 * h * h);
    pl__liquid_surface_done(ctx, &s);

    // continued into the solid, it ends there and is flat up to it
    s = (pl__liquid_surface){0};
    pl__liquid_surface_def def = {.cell = &l.cell, .phi = l.phi, .solid = l.solid, .overlap = 1.5 * h};
    CHECK_OK(ctx, pl__liquid_surface_make(ctx, &def, &s));
    double end = 0;
    for (int32_t v = 0; v < s.vertex_count; ++v)
    {
        end = fmax(end, s.x[0][v]);
        CHECK(s.x[0][v] > 1.171 || s.x[1][v] < -0.99 || s.x[2][v] < 2.001 || s.x[2][v] > 3.999 || s.x[0][v] < 0.301 ||
              fabs(s.x[1][v] - level) < 1e-13);
    }
    CHECK_NEAR(end, 1.171 + 1.5 * h, 1e-13);
    CHECK(is_closed(&s));
    pl__liquid_surface_done(ctx, &s);

    // a ball under water is a hole, with normals out of the water
    level = 0.9;
    sample(&l.cell, still, l.phi);
    sample(&l.cell, round_solid, l.solid);
    s = surface_of(ctx, &l);
    measure(&s, &area, &volume);
    CHECK(is_closed(&s) && euler(&s) == 4);
    CHECK_NEAR(volume, 2 * 1.9 * 2 - 4 * pi * 0.7 * 0.7 * 0.7 / 3, 0.02);
    for (int32_t v = 0; v < s.vertex_count; ++v)
    {
        double x[3] = {s.x[0][v], s.x[1][v], s.x[2][v]};
        double inwards =
            (1.29 - x[0]) * s.normal[0][v] + (0.03 - x[1]) * s.normal[1][v] + (3.02 - x[2]) * s.normal[2][v];
        CHECK(fabs(ball(x)) > 0.01 || inwards > 0.69);
    }
    pl__liquid_surface_done(ctx, &s);
    done(ctx, &l);
    pl_context_destroy(&ctx);
}

static double slope_solid(const double x[3]) { return 0.4 * (x[2] - 2.5) - 0.3 * (x[0] - 0.8) - 0.17 - x[1]; }

// Two planes that cross within edges: every vertex is on the nearer one, none is beyond the other.
static void the_first_root_counts(void)
{
    pl_context *ctx = test_context(1);
    int32_t n[3] = {12, 20, 12};
    water l = make_liquid(ctx, n, 0.09, NULL);
    l.solid = calloc((size_t)l.cell.value_count, sizeof *l.solid);
    sample(&l.cell, slope, l.phi);
    sample(&l.cell, slope_solid, l.solid);
    pl__liquid_surface s = surface_of(ctx, &l);
    CHECK(is_closed(&s));
    int32_t both = 0;
    for (int32_t v = 0; v < s.vertex_count; ++v)
    {
        double x[3] = {s.x[0][v], s.x[1][v], s.x[2][v]}, h = 0.09;
        bool walled = x[0] < 0.3 + 0.6 * h || x[0] > 0.3 + 11.4 * h || x[2] < 2 + 0.6 * h || x[2] > 2 + 11.4 * h;
        CHECK(walled || (slope(x) < 1e-13 && slope_solid(x) > -1e-13));
        both += fabs(slope_solid(x)) < 1e-13;
    }
    CHECK(both > 20 && both < s.vertex_count);
    pl__liquid_surface_done(ctx, &s);
    done(ctx, &l);
    pl_context_destroy(&ctx);
}

// ---- velocities, threads, memory -----------------------------------------------------------------------------------

static void swirl(void *user, double time, int32_t count, const double *const x[3], double *const v[3])
{
    for (int32_t i = 0; i < count; ++i)
    {
        v[0][i] = *(double *)user * x[2][i];
        v[1][i] = time;
        v[2][i] = -x[0][i];
    }
}

static void vertices_have_velocities(void)
{
    pl_context *ctx = test_context(1);
    int32_t n[3] = {40, 40, 40};
    double spin = 3;
    water l = make_liquid(ctx, n, 0.05, NULL);
    sample(&l.cell, ball, l.phi);
    pl__liquid_surface s = {0};
    pl__liquid_surface_def def = {.cell = &l.cell, .phi = l.phi, .flow = swirl, .flow_user = &spin, .time = 0.7};
    CHECK_OK(ctx, pl__liquid_surface_make(ctx, &def, &s));
    CHECK(s.vertex_count > 2048); // several tasks
    for (int32_t v = 0; v < s.vertex_count; ++v)
        CHECK(s.v[0][v] == 3 * s.x[2][v] && s.v[1][v] == 0.7 && s.v[2][v] == -s.x[0][v]);
    pl__liquid_surface_done(ctx, &s);
    done(ctx, &l);
    pl_context_destroy(&ctx);
}

static void threads_do_not_matter(void)
{
    const int32_t threads[3] = {1, 2, 7};
    uint64_t hash[3];
    for (int i = 0; i < 3; ++i)
    {
        pl_context *ctx = test_context(threads[i]);
        int32_t n[3] = {37, 30, 23};
        key = 99;
        water l = make_liquid(ctx, n, 0.05, add_random_runs);
        sample(&l.cell, noise, l.phi);
        pl__liquid_surface s = surface_of(ctx, &l);
        CHECK(is_closed(&s) && s.triangle_count > 10000);
        hash[i] = hash_of(&s);
        pl__liquid_surface_done(ctx, &s);
        done(ctx, &l);
        pl_context_destroy(&ctx);
    }
    CHECK(hash[0] == hash[1] && hash[0] == hash[2]);
}

// The n-th allocation fails: the small surface of before is as it was, and the large one comes when memory is back.
// Another frame of the same size takes no memory at all.
static void failed_allocations_keep_the_surface(void)
{
    host h;
    pl_context *ctx = host_context(&h);
    int32_t small[3] = {4, 4, 4}, large[3] = {20, 20, 20};
    water a = make_liquid(ctx, small, 0.5, NULL), b = make_liquid(ctx, large, 0.1, NULL);
    b.solid = calloc((size_t)b.cell.value_count, sizeof *b.solid);
    sample(&a.cell, ball, a.phi);
    sample(&b.cell, ball, b.phi);
    sample(&b.cell, wall_solid, b.solid);
    pl__liquid_surface_def first = {.cell = &a.cell, .phi = a.phi},
                           then = {.cell = &b.cell, .phi = b.phi, .solid = b.solid};
    pl_status status = PL_ERR_MEMORY;
    int64_t n = 0;
    for (; status != PL_OK && n < 100; ++n)
    {
        pl__liquid_surface s = {0};
        CHECK_OK(ctx, pl__liquid_surface_make(ctx, &first, &s));
        uint64_t before = hash_of(&s);
        h.until_failure = n;
        status = pl__liquid_surface_make(ctx, &then, &s);
        h.until_failure = -1;
        CHECK(status == PL_OK || (status == PL_ERR_MEMORY && hash_of(&s) == before && is_closed(&s)));
        CHECK_OK(ctx, pl__liquid_surface_make(ctx, &then, &s));
        CHECK(is_closed(&s) && s.triangle_count > 1000);
        h.until_failure = 0;
        CHECK_OK(ctx, pl__liquid_surface_make(ctx, &then, &s));
        CHECK_OK(ctx, pl__liquid_surface_make(ctx, &first, &s));
        CHECK(hash_of(&s) == before);
        h.until_failure = -1;
        pl__liquid_surface_done(ctx, &s);
    }
    CHECK(n > 10 && n < 100);
    done(ctx, &a);
    done(ctx, &b);
    CHECK(pl_context_memory(ctx) == 0);
    pl_context_destroy(&ctx);
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {
        TEST(loops_cover_every_cube),
        TEST(decider_is_the_saddle),
        TEST(every_cube_is_closed),
        TEST(noise_is_closed),
        TEST(runs_are_their_cells),
        TEST(ball_is_of_second_order),
        TEST(torus_has_a_hole),
        TEST(vertices_are_on_roots_of_quadratics),
        TEST(still_water_is_flat),
        TEST(full_box_has_its_volume),
        TEST(tilted_plane_has_its_volume),
        TEST(tall_cells_are_uniform_ones),
        TEST(surface_ends_at_solids),
        TEST(the_first_root_counts),
        TEST(vertices_have_velocities),
        TEST(threads_do_not_matter),
        TEST(failed_allocations_keep_the_surface),
    };
    return RUN(tests);
}

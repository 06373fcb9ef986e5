// tests/limit.c -- strain and bend limits: closed forms of convergence, momenta, coarse limits that cut off nothing.
#include "limit/limit.h"
#include "math/svd32.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
    ROOM = 20000
};

static const double pi = 3.14159265358979323846;

typedef struct
{
    pl_context *ctx;
    int32_t node_count;
    double *rest, *x, *v, *mass, *inverse_mass;
    bool *held;
    pl__limit_element *element[PL__LIMIT_KINDS];
    pl__limit_def def;
    pl__limit limit;
} model;

static model model_make(int32_t nodes, int32_t threads)
{
    model m = {.ctx = test_context(threads), .node_count = nodes};
    size_t n = 3 * (size_t)nodes;
    m.rest = calloc(n, sizeof *m.rest);
    m.x = calloc(n, sizeof *m.x);
    m.v = calloc(n, sizeof *m.v);
    m.mass = calloc(n, sizeof *m.mass);
    m.inverse_mass = calloc(n, sizeof *m.inverse_mass);
    m.held = calloc(n, sizeof *m.held);
    for (int32_t i = 0; i < nodes; ++i)
        m.mass[i] = m.inverse_mass[i] = 1;
    return m;
}

static pl__limit_element *add(model *m, pl__limit_kind kind)
{
    if (!m->element[kind])
        m->element[kind] = calloc(ROOM, sizeof *m->element[kind]);
    return &m->element[kind][m->def.count[kind]++];
}

static void build(model *m, int32_t levels)
{
    m->def.node_count = m->node_count;
    m->def.rest = m->rest;
    m->def.mass = m->mass;
    m->def.held = m->held;
    m->def.most_levels = levels;
    for (int k = 0; k < PL__LIMIT_KINDS; ++k)
        m->def.element[k] = m->element[k];
    CHECK_OK(m->ctx, pl__limit_create(m->ctx, &m->def, &m->limit));
}

static void done(model *m)
{
    pl__limit_destroy(&m->limit);
    for (int k = 0; k < PL__LIMIT_KINDS; ++k)
        free(m->element[k]);
    free(m->rest), free(m->x), free(m->v), free(m->mass), free(m->inverse_mass), free(m->held);
    pl_context_destroy(&m->ctx);
}

// Filter the motion from rest to x in one second, and put x where that ends.
static pl__limit_report run(model *m, int32_t sweeps, int32_t cycles, double chebyshev)
{
    pl__limit_report report;
    for (int32_t i = 0; i < 3 * m->node_count; ++i)
        m->v[i] = m->x[i] - m->rest[i];
    pl__limit_apply(&m->limit,
                    &(pl__limit_run){.x = m->rest,
                                     .dt = 1,
                                     .v = m->v,
                                     .inverse_mass = m->inverse_mass,
                                     .sweeps = sweeps,
                                     .cycles = cycles,
                                     .chebyshev = chebyshev},
                    &report);
    for (int32_t i = 0; i < 3 * m->node_count; ++i)
        m->x[i] = m->rest[i] + m->v[i];
    return report;
}

// ---- chain -------------------------------------------------------------------------------------------------------

static model chain(int32_t edges, int32_t levels)
{
    model m = model_make(edges + 1, 1);
    for (int32_t i = 0; i <= edges; ++i)
    {
        m.rest[3 * i] = i;
        m.x[3 * i] = 1.1 * i;
    }
    for (int32_t i = 0; i < edges; ++i)
        *add(&m, PL__LIMIT_CHORD) = (pl__limit_element){.node = {i, i + 1}, .shape = {1}, .bound = {1, 1}};
    build(&m, levels);
    return m;
}

static double worst_edge(const model *m)
{
    double worst = 0;
    for (int32_t i = 0; i + 1 < m->node_count; ++i)
        worst = fmax(worst, fabs(m->x[3 * i + 3] - m->x[3 * i] - 1));
    return worst;
}

// Gauss-Seidel on 128 equal edges: the error falls by cos^2(pi/129) a sweep, in every order of colours.
static void chain_converges_at_its_closed_form(void)
{
    model m = chain(128, 0);
    (void)run(&m, 6000, 1, 0);
    double before = worst_edge(&m);
    (void)run(&m, 1000, 1, 0);
    CHECK_NEAR(pow(worst_edge(&m) / before, 1e-3), pow(cos(pi / 129), 2), 1e-9);
    done(&m);
}

// Figure 12: levels bring it to 1e-3 while edges of all levels are looked at 600 times.
static void levels_shorten_a_chain(void)
{
    model m = chain(128, 16);
    pl__limit_report r = run(&m, 1, 1, 0);
    CHECK_THAT(worst_edge(&m) <= 1e-3 && r.updates <= 600, "%g after %lld updates of %d levels", worst_edge(&m),
               (long long)r.updates, m.limit.levels.count);
    done(&m);
}

// ---- sheets ------------------------------------------------------------------------------------------------------

static double random_number(uint64_t *state)
{
    *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(*state >> 11) / 9007199254740992.0 * 2 - 1;
}

static void add_triangle(model *m, const int32_t node[3], double low, double high)
{
    double a[3], b[3], n[3], e[3];
    for (int i = 0; i < 3; ++i)
    {
        a[i] = m->rest[3 * node[1] + i] - m->rest[3 * node[0] + i];
        b[i] = m->rest[3 * node[2] + i] - m->rest[3 * node[0] + i];
    }
    double la = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    for (int i = 0; i < 3; ++i)
        e[i] = a[i] / la;
    double along = b[0] * e[0] + b[1] * e[1] + b[2] * e[2];
    for (int i = 0; i < 3; ++i)
        n[i] = b[i] - along * e[i];
    double across = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    // [la along; 0 across]^-1, by column
    *add(m, PL__LIMIT_TRIANGLE) = (pl__limit_element){.node = {node[0], node[1], node[2]},
                                                      .shape = {1 / la, 0, -along / (la * across), 1 / across},
                                                      .bound = {low, high}};
}

// n x n cells with alternating diagonals, turned in its plane by `turn`; side 1
static model sheet(int32_t n, double turn, double low, double high, int32_t levels, int32_t threads)
{
    model m = model_make((n + 1) * (n + 1), threads);
    for (int32_t j = 0; j <= n; ++j)
        for (int32_t i = 0; i <= n; ++i)
        {
            double x = (double)i / n, y = (double)j / n, *X = &m.rest[3 * (j * (n + 1) + i)];
            X[0] = cos(turn) * x - sin(turn) * y;
            X[1] = sin(turn) * x + cos(turn) * y;
        }
    for (int32_t j = 0; j < n; ++j)
        for (int32_t i = 0; i < n; ++i)
        {
            int32_t a = j * (n + 1) + i, b = a + 1, c = a + n + 1, d = c + 1;
            bool odd = (i + j) & 1;
            add_triangle(&m, (int32_t[3]){a, b, odd ? c : d}, low, high);
            add_triangle(&m, (int32_t[3]){odd ? b : a, d, c}, low, high);
        }
    memcpy(m.x, m.rest, 3 * (size_t)m.node_count * sizeof *m.x);
    build(&m, levels);
    return m;
}

// The start of the paper's figure 14: stretched by up to a fifth, wavy, noisy.
static void perturb(model *m, double noise)
{
    uint64_t state = 12345;
    for (int32_t i = 0; i < m->node_count; ++i)
    {
        const double *X = &m->rest[3 * i];
        double x[3] = {1.15 * X[0] + 0.05 * sin(7 * X[1]), 1.15 * X[1] + 0.05 * sin(5 * X[0] + 1),
                       0.15 * sin(4 * X[0]) * cos(5 * X[1])};
        for (int k = 0; k < 3; ++k)
            m->x[3 * i + k] = x[k] + noise * random_number(&state);
    }
}

static double mean(const pl__limit_report *r) { return r->strain.total / (double)r->strain.count; }

// Figure 14, 65 x 65 nodes: three coarse levels and the sheet itself, sixteen sweeps of each.
static void levels_smooth_a_perturbed_sheet(void)
{
    model one = sheet(64, 0, 0.95, 1.05, 0, 1), four = sheet(64, 0, 0.95, 1.05, 3, 1);
    perturb(&one, 0.1 / 64);
    perturb(&four, 0.1 / 64);
    pl__limit_report a = run(&one, 64, 1, 0), b = run(&four, 16, 1, 0.95);
    CHECK_THAT(mean(&b) <= 0.01 && mean(&a) > 5 * mean(&b), "start %g, 64 sweeps %g, levels %g (max %g)",
               a.strain_before.total / (double)a.strain_before.count, mean(&a), mean(&b), b.strain.most);
    done(&one);
    done(&four);
}

static void momentum(const model *m, double p[3], double *size)
{
    memset(p, 0, 3 * sizeof *p);
    *size = 0;
    for (int32_t i = 0; i < m->node_count; ++i)
        for (int k = 0; k < 3; ++k)
        {
            p[k] += m->mass[i] * m->v[3 * i + k];
            *size += m->mass[i] * fabs(m->v[3 * i + k]);
        }
}

// Linear momentum stays, with levels and without.
static void momentum_stays(void)
{
    for (int levels = 0; levels <= 3; levels += 3)
    {
        model m = sheet(16, 0.3, 0.95, 1.05, levels, 1);
        uint64_t state = 7;
        for (int32_t i = 0; i < m.node_count; ++i)
        {
            m.mass[i] = 1 + 0.5 * random_number(&state);
            m.inverse_mass[i] = 1 / m.mass[i];
        }
        perturb(&m, 0.01);
        double p0[3], p1[3], size;
        for (int32_t i = 0; i < 3 * m.node_count; ++i)
            m.v[i] = m.x[i] - m.rest[i];
        momentum(&m, p0, &size);
        (void)run(&m, 32, 1, 0);
        momentum(&m, p1, &size);
        for (int k = 0; k < 3; ++k)
            CHECK_NEAR(p1[k] / size, p0[k] / size, 1e-14);
        done(&m);
    }
}

// One element of every kind that is not held keeps both momenta to round-off: sum m dx = 0 and sum m x x dx = 0.
static void elements_keep_both_momenta(void)
{
    static const int32_t corners[] = {3, 3, 3, 4, 8, 4, 2};
    static const int8_t place[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                       {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    uint64_t state = 99;
    int moved = 0;
    for (int kind = 0; kind < PL__LIMIT_TETHER; ++kind)
        for (int trial = 0; trial < 20; ++trial)
        {
            model m = model_make(corners[kind], 1);
            pl__limit_element *e = add(&m, kind);
            *e = (pl__limit_element){.node = {0, 1, 2, 3, 4, 5, 6, 7}};
            e->bound[0] = kind == PL__LIMIT_BEND ? 0.3 : 0.9;
            e->bound[1] = e->bound[2] = 1.1;
            e->bound[3] = 0.1;
            for (int k = 0; k < 24; ++k)
                e->shape[k] = kind == PL__LIMIT_HEX ? (place[k / 3][k % 3] - 0.5) / 2
                                                    : 0.3 * random_number(&state) + (k % 4 == 0);
            if (kind == PL__LIMIT_CHORD || kind == PL__LIMIT_BEND)
                e->shape[0] = 0.5, e->shape[1] = 1;
            for (int32_t i = 0; i < m.node_count; ++i)
            {
                m.mass[i] = 1 + 0.9 * random_number(&state);
                m.inverse_mass[i] = 1 / m.mass[i];
                for (int k = 0; k < 3; ++k)
                    m.x[3 * i + k] = kind == PL__LIMIT_PLANAR && k == 2 ? 0 : random_number(&state);
            }
            build(&m, 0);
            double start[24], p = 0, l = 0, size = 0;
            memcpy(start, m.x, 3 * (size_t)m.node_count * sizeof *start);
            pl__limit_report r = run(&m, 1, 1, 0);
            for (int k = 0; k < 3; ++k)
            {
                double pk = 0, lk = 0;
                int a = (k + 1) % 3, b = (k + 2) % 3;
                for (int32_t i = 0; i < m.node_count; ++i)
                {
                    const double *x = &start[3 * i], *y = &m.x[3 * i];
                    pk += m.mass[i] * (y[k] - x[k]);
                    lk += m.mass[i] * (x[a] * (y[b] - x[b]) - x[b] * (y[a] - x[a]));
                    size += m.mass[i] * fabs(y[k] - x[k]);
                }
                p = fmax(p, fabs(pk));
                l = fmax(l, fabs(lk));
            }
            // corrections of threads and shear follow each other: the second is made from where the first led
            double tolerance = kind == PL__LIMIT_WOVEN ? INFINITY : 1e-12;
            CHECK_THAT(p <= 1e-13 * (1 + size) && l <= tolerance * (1 + size), "kind %d: %g %g of %g", kind, p, l,
                       size);
            CHECK_THAT((size > 0) == (r.strain_before.over + r.bend_before.over == 1), "kind %d: moved %g", kind, size);
            moved += size > 0;
            done(&m);
        }
    CHECK_THAT(moved >= 100, "%d of 140 moved", moved);
}

// A round sheet that is drawn out along x ends as wide whichever way its mesh is turned, within 1 % (the paper's
// limits on components of strain do not).
static void turning_the_mesh_changes_nothing(void)
{
    double width[4];
    for (int k = 0; k < 4; ++k)
    {
        model m = sheet(24, 0, 0.95, 1.05, 0, 1);
        double turn = k * pi / 7;
        for (int kind = 0; kind < PL__LIMIT_KINDS; ++kind)
            m.def.count[kind] = 0;
        pl__limit_destroy(&m.limit);
        for (int32_t i = 0; i < m.node_count; ++i)
        {
            double *X = &m.rest[3 * i], u = 2 * X[0] - 1, w = 2 * X[1] - 1;
            double x = u * sqrt(1 - w * w / 2), y = w * sqrt(1 - u * u / 2);
            X[0] = cos(turn) * x - sin(turn) * y;
            X[1] = sin(turn) * x + cos(turn) * y;
            m.x[3 * i] = 1.3 * X[0];
            m.x[3 * i + 1] = X[1];
        }
        for (int32_t j = 0; j < 24; ++j)
            for (int32_t i = 0; i < 24; ++i)
            {
                int32_t a = 25 * j + i;
                add_triangle(&m, (int32_t[3]){a, a + 1, a + 26}, 0.95, 1.05);
                add_triangle(&m, (int32_t[3]){a, a + 26, a + 25}, 0.95, 1.05);
            }
        build(&m, 3);
        (void)run(&m, 16, 8, 0.95);
        double least = 0, most = 0;
        for (int32_t i = 0; i < m.node_count; ++i)
        {
            least = fmin(least, m.x[3 * i]);
            most = fmax(most, m.x[3 * i]);
        }
        width[k] = most - least;
        done(&m);
    }
    CHECK_NEAR(width[0], 2.1, 0.02);
    for (int k = 1; k < 4; ++k)
        CHECK_NEAR(width[k] / width[0], 1, 0.01);
}

// ---- coarse limits -----------------------------------------------------------------------------------------------

// Random folds and rolls of a sheet stretch nothing: no chord of any level says otherwise. A coarse triangle with the
// limits of the fine ones does, by sqrt 2.
static void coarse_limits_cut_off_nothing(void)
{
    uint64_t state = 3;
    for (int trial = 0; trial < 20; ++trial)
    {
        model m = sheet(32, trial, 0, 1.0001, 16, 1);
        double angle = pi * random_number(&state), c = cos(angle), s = sin(angle), radius = 0.05 + 0.2 * trial / 20,
               pleat = 0.03 + 0.01 * trial;
        for (int32_t i = 0; i < m.node_count; ++i)
        {
            double u = c * m.rest[3 * i] + s * m.rest[3 * i + 1], w = c * m.rest[3 * i + 1] - s * m.rest[3 * i];
            double *x = &m.x[3 * i], t = fabs(u / pleat - 2 * floor(0.5 * (u / pleat) + 0.5)) * pleat;
            x[0] = trial % 2 ? radius * sin(u / radius) : t; // rolled, or folded flat
            x[1] = w;
            x[2] = trial % 2 ? radius * cos(u / radius) : 0;
        }
        pl__levels_set_bounds(m.ctx, 0, &m.limit.levels, PL__LIMIT_GIVEN, m.limit.y);
        for (int32_t l = 0; l < m.limit.levels.count; ++l)
        {
            pl__limit_level *level = &m.limit.levels.level[l];
            for (int32_t i = 0; i < level->node_count; ++i)
                memcpy(&level->y[4 * i], &m.x[3 * level->node[i]], 3 * sizeof *m.x);
            pl__limit_excess e = pl__limit_set_measure(m.ctx, 0, &level->chords, PL__LIMIT_GIVEN, level->y);
            CHECK_THAT(e.count > 0 && e.over == 0, "level %d: %lld of %lld chords, by %g", l, (long long)e.over,
                       (long long)e.count, e.most);
        }
        done(&m);
    }
    // the print: a right triangle folded along its axis
    double X[3][2] = {{0, 0}, {1, 0}, {0, 1}}, x[3][3] = {{0, 0, 0}, {1, 0, 0}, {1, 0, 0}};
    pl_mat32 F = {{{0}}}, U;
    pl_mat2 V;
    double stretch[2];
    (void)X;
    for (int j = 0; j < 2; ++j)
        for (int i = 0; i < 3; ++i)
            F.c[j][i] = x[j + 1][i] - x[0][i];
    pl__svd32(&F, &U, stretch, &V);
    CHECK_NEAR(stretch[0], sqrt(2), 1e-15);
}

// Chords are tight as well: on a flat sheet and on a rolled one they are as long as the shortest way, within 2 %.
static void ways_are_short(void)
{
    for (int rolled = 0; rolled < 2; ++rolled)
    {
        model m = model_make(33 * 33, 1);
        double radius = 0.3;
        for (int32_t i = 0; i < m.node_count; ++i)
        {
            double u = (i % 33) / 32.0, w = (double)(i / 33) / 32;
            m.rest[3 * i] = rolled ? radius * sin(u / radius) : u;
            m.rest[3 * i + 1] = w;
            m.rest[3 * i + 2] = rolled ? radius * cos(u / radius) : 0;
        }
        for (int32_t j = 0; j < 32; ++j)
            for (int32_t i = 0; i < 32; ++i)
            {
                int32_t a = 33 * j + i;
                add_triangle(&m, (int32_t[3]){a, a + 1, a + 34}, 0, 1.05);
                add_triangle(&m, (int32_t[3]){a, a + 34, a + 33}, 0, 1.05);
            }
        build(&m, 16);
        double longest = 0, shortest = 2;
        for (int32_t l = 0; l < m.limit.levels.count; ++l)
        {
            const pl__limit_level *level = &m.limit.levels.level[l];
            for (int32_t e = 0; e < level->chords.count; ++e)
            {
                const int32_t *node = pl__limit_nodes(&level->chords, e);
                int32_t a = level->node[node[0]], b = level->node[node[PL__LIMIT_LANES]];
                double way = hypot((a % 33 - b % 33) / 32.0, (a / 33 - b / 33) / 32.0),
                       ratio = *pl__limit_shape(&level->chords, e, 0) / way;
                longest = fmax(longest, ratio);
                shortest = fmin(shortest, ratio);
            }
        }
        // the polygon of a rolled sheet is shorter than its arc by 1/24 of the square of an edge's angle
        CHECK_THAT(longest < (rolled ? 1.02 : 1 + 1e-12) && shortest > (rolled ? 1 - 1e-3 : 1 - 1e-12),
                   "rolled %d: %g to %g", rolled, shortest, longest);
        done(&m);
    }
}

// ---- bits --------------------------------------------------------------------------------------------------------

static void same_bits_for_threads_and_registers(void)
{
    static const int32_t widths[] = {0, 16, 32, 64};
    double *first = NULL;
    for (int k = 0; k < 8; ++k)
    {
        model m = sheet(24, 0.2, 0.95, 1.05, 3, 1 + k % 2 * 2);
        if (widths[k / 2] > m.ctx->register_bytes)
        {
            done(&m);
            continue;
        }
        m.ctx->register_bytes = widths[k / 2];
        perturb(&m, 0.003);
        (void)run(&m, 16, 2, 0.95);
        size_t bytes = 3 * (size_t)m.node_count * sizeof *m.x;
        if (!first)
            memcpy(first = malloc(bytes), m.x, bytes);
        CHECK_THAT(memcmp(first, m.x, bytes) == 0, "registers of %d bytes, %d threads", widths[k / 2], 1 + k % 2 * 2);
        done(&m);
    }
    free(first);
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {TEST(chain_converges_at_its_closed_form), TEST(levels_shorten_a_chain),
                                    TEST(levels_smooth_a_perturbed_sheet),    TEST(momentum_stays),
                                    TEST(elements_keep_both_momenta),         TEST(turning_the_mesh_changes_nothing),
                                    TEST(coarse_limits_cut_off_nothing),      TEST(ways_are_short),
                                    TEST(same_bits_for_threads_and_registers)};
    return RUN(tests);
}

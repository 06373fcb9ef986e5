// tests/clash.c -- bodies that meet: nothing crosses, momentum stays, friction is Coulomb's.
#include "test.h"
#include "host.h"
#include "base/random.h"
#include "contact/clash.h"

enum
{
    SIDE = 9,
    SHEET_NODES = SIDE * SIDE,
    SHEET_TRIANGLES = 2 * (SIDE - 1) * (SIDE - 1),
    MOST_SHEETS = 4
};

typedef struct scene
{
    pl__surface_part part[MOST_SHEETS];
    int32_t triangle[MOST_SHEETS][3 * SHEET_TRIANGLES];
    double rest[3 * MOST_SHEETS * SHEET_NODES];
    int32_t sheets;
    pl__clash *clash;
} scene;

// Level sheets of one metre, one above the other.
static void make(pl_context *ctx, scene *s, int32_t sheets, double gap, double thickness)
{
    s->sheets = sheets;
    for (int32_t k = 0; k < sheets; ++k)
    {
        int32_t first = k * SHEET_NODES, *t = s->triangle[k];
        for (int32_t j = 0; j < SIDE; ++j)
            for (int32_t i = 0; i < SIDE; ++i)
            {
                double *x = &s->rest[3 * (first + j * SIDE + i)];
                x[0] = (double)i / (SIDE - 1) + 0.013 * k;
                x[1] = gap * k;
                x[2] = (double)j / (SIDE - 1) + 0.029 * k;
            }
        for (int32_t j = 0; j + 1 < SIDE; ++j)
            for (int32_t i = 0; i + 1 < SIDE; ++i)
            {
                int32_t a = first + j * SIDE + i, corner[6] = {a, a + SIDE, a + 1, a + 1, a + SIDE, a + SIDE + 1};
                memcpy(t, corner, sizeof corner);
                t += 6;
            }
        s->part[k] = (pl__surface_part){.body = k,
                                        .triangle_count = SHEET_TRIANGLES,
                                        .triangle = s->triangle[k],
                                        .thickness = thickness,
                                        .self = true};
    }
    CHECK(pl__clash_create(ctx, s->part, sheets, s->rest, sheets * SHEET_NODES, &s->clash) == PL_OK);
    for (int32_t n = 0; n < s->clash->node_count; ++n)
        s->clash->inverse_mass[n] = 1 / (0.5 + pl__random01(3, 1, (uint64_t)n));
    memcpy(s->clash->x_start, s->rest, 3 * (size_t)s->clash->node_count * sizeof(double));
}

static int64_t crossings(pl__clash *c, const double *x)
{
    pl__crossings found;
    CHECK(pl__crossings_find(c->tree, x, &found) == PL_OK);
    return found.count;
}

typedef struct momenta
{
    double linear[3], angular[3], size;
} momenta;

// Of the velocities at the end, about the places where the interval begins.
static momenta measure(const pl__clash *c, const double *v)
{
    momenta m = {0};
    for (int32_t n = 0; n < c->node_count; ++n)
        for (int i = 0; i < 3; ++i)
        {
            const double *x = &c->x_start[3 * n];
            int j = (i + 1) % 3, k = (i + 2) % 3;
            double mass = c->inverse_mass[n] > 0 ? 1 / c->inverse_mass[n] : 0;
            m.linear[i] += mass * v[3 * n + i];
            m.angular[i] += mass * (x[j] * v[3 * n + k] - x[k] * v[3 * n + j]);
            m.size += mass * fabs(v[3 * n + i]);
        }
    return m;
}

// Every node its own way, up to `far` of the edge of a sheet's cell, and all of a sheet towards the others.
static void throw_about(scene *s, uint64_t seed, double far, double dt)
{
    pl__clash *c = s->clash;
    for (int32_t n = 0; n < c->node_count; ++n)
        for (int i = 0; i < 3; ++i)
        {
            size_t at = 3 * (size_t)n + (size_t)i;
            double way = far / (SIDE - 1) * (pl__random01(seed, 7, at) - 0.5) * 2;
            if (i == 1)
                way += (n / SHEET_NODES % 2 ? -1 : 1) * far / (SIDE - 1);
            c->x_end[at] = c->x_start[at] + way;
            c->v[at] = way / dt;
        }
}

// Interval after interval from where the last one ended: nothing crosses, and what is taken here is given there.
static void nothing_crosses_and_momentum_stays(void)
{
    static const double far[] = {0.05, 0.5, 4, 30};
    pl_context *ctx = test_context(1);
    int32_t zone_nodes = 0, hits = 0;
    double given = 0, most = 0;
    for (int kind = 0; kind < 4; ++kind)
        for (uint64_t seed = 0; seed < (slow_tests ? 40 : 5); ++seed)
        {
            scene s;
            make(ctx, &s, 3, 0.02, 0.01);
            for (size_t i = 0; i < 9; ++i)
                s.clash->friction[i] = 0.3;
            for (uint64_t interval = 0; interval < 6; ++interval)
            {
                double dt = 0.01;
                pl__clash_report report;
                throw_about(&s, 100 * seed + interval, far[kind], dt);
                momenta before = measure(s.clash, s.clash->v);
                CHECK(pl__clash_resolve(s.clash, &report) == PL_OK);
                momenta after = measure(s.clash, s.clash->v);
                for (int i = 0; i < 3; ++i)
                    CHECK_THAT(fabs(after.linear[i] - before.linear[i]) < 1e-13 * before.size,
                               "linear momentum by %g of %g", after.linear[i] - before.linear[i], before.size);
                int64_t crossed = crossings(s.clash, s.clash->x_end);
                CHECK_THAT(crossed == 0 && report.unresolved == 0,
                           "far %g, seed %d, interval %d: %d pairs cross, %d unresolved, after %d rounds", far[kind],
                           (int)seed, (int)interval, (int)crossed, report.unresolved, report.rounds);
                CHECK_THAT((report.zone_nodes > 0) == (s.clash->zones.strike_count > 0), "%d nodes in zones, %d pairs",
                           report.zone_nodes, s.clash->zones.strike_count);
                for (int32_t i = 0; i < s.clash->zones.strike_count; ++i)
                    given += s.clash->zones.strike[i].impulse;
                CHECK_THAT(given >= 0 && given <= most + before.size, "%g N s given of %g", given, most + before.size);
                most += before.size;
                zone_nodes += report.zone_nodes;
                hits += report.hits;
                memcpy(s.clash->x_start, s.clash->x_end, 3 * (size_t)s.clash->node_count * sizeof(double));
            }
            pl__clash_destroy(&s.clash);
        }
    CHECK_THAT(given > 1e-3 * most, "zones gave %g N s of %g", given, most);
    CHECK_THAT(hits > 1000 && zone_nodes > 100, "%d hits, %d nodes in zones: the test is too tame", hits, zone_nodes);
    pl_context_destroy(&ctx);
}

// Near pairs act along the line between them, zones have the angular momentum of their nodes: without friction, and
// without pairs that meet somewhere on their ways, it stays about the places where the interval begins.
static void angular_momentum_stays(void)
{
    pl_context *ctx = test_context(1);
    for (uint64_t seed = 0; seed < 10; ++seed)
    {
        scene s;
        pl__clash_report report;
        make(ctx, &s, 2, 0.008, 0.01);
        throw_about(&s, seed, 0.01, 0.01);
        momenta before = measure(s.clash, s.clash->v);
        CHECK(pl__clash_resolve(s.clash, &report) == PL_OK);
        momenta after = measure(s.clash, s.clash->v);
        CHECK_THAT(report.contacts > 100 && report.hits == 0, "%d near, %d hits", report.contacts, report.hits);
        for (int i = 0; i < 3; ++i)
            CHECK_THAT(fabs(after.angular[i] - before.angular[i]) < 1e-13 * before.size, "by %g of %g",
                       after.angular[i] - before.angular[i], before.size);
        // all of it one zone: two sheets that turn as one
        throw_about(&s, seed, 1, 0.01);
        before = measure(s.clash, s.clash->v);
        for (int32_t n = 1; n < s.clash->node_count; ++n)
            (void)pl__zones_join(&s.clash->zones, (int32_t[]){0, n}, 2);
        CHECK(pl__zones_move(&s.clash->zones, s.clash->x_start, s.clash->inverse_mass, s.clash->x_end, s.clash->v) ==
              1);
        after = measure(s.clash, s.clash->v);
        for (int i = 0; i < 3; ++i)
            CHECK_THAT(fabs(after.angular[i] - before.angular[i]) < 1e-13 * before.size &&
                           fabs(after.linear[i] - before.linear[i]) < 1e-13 * before.size,
                       "zone: by %g of %g", after.angular[i] - before.angular[i], before.size);
        double worst = 0;
        for (int32_t n = 1; n < s.clash->node_count; ++n)
        {
            double from = 0, to = 0;
            for (int i = 0; i < 3; ++i)
            {
                from += pow(s.clash->x_start[3 * n + i] - s.clash->x_start[i], 2);
                to += pow(s.clash->x_end[3 * n + i] - s.clash->x_end[i], 2);
            }
            worst = fmax(worst, fabs(sqrt(to) - sqrt(from)));
        }
        CHECK_THAT(worst < 1e-14, "distances in a zone change by %g", worst);
        pl__clash_destroy(&s.clash);
    }
    pl_context_destroy(&ctx);
}

// A vertex (a corner of a small triangle, whose others are far) above the middle of a large triangle.
static pl__clash *vertex_over_face(pl_context *ctx, double height, double mu)
{
    static const int32_t corner[6] = {0, 1, 2, 3, 4, 5};
    const double x[18] = {-1, 0, -1, 0, 0, 2, 1, 0, -1, 0, height, 0, 0.1, height + 1, 0, -0.1, height + 1, 0.1};
    pl__surface_part part[2] = {{.body = 0, .triangle_count = 1, .triangle = corner, .thickness = 0.01},
                                {.body = 1, .triangle_count = 1, .triangle = &corner[3], .thickness = 0.01}};
    pl__clash *c;
    CHECK(pl__clash_create(ctx, part, 2, x, 6, &c) == PL_OK);
    memcpy(c->x_start, x, sizeof x);
    memcpy(c->x_end, x, sizeof x);
    for (int n = 0; n < 6; ++n)
        c->inverse_mass[n] = n < 3 ? 0 : 1; // the face stays
    for (int i = 0; i < 4; ++i)
        c->friction[i] = mu;
    return c;
}

// An inelastic impact, and a slide: what is lost of the tangent is mu times what is lost along the normal.
static void a_vertex_lands_on_a_face(void)
{
    pl_context *ctx = test_context(1);
    for (int near = 0; near < 2; ++near)
        for (int k = 0; k < 3; ++k)
        {
            double mu = 0.25 * k, dt = 0.1, way[3] = {0.3, -0.4, 0};
            pl__clash *c = vertex_over_face(ctx, near ? 0.005 : 0.1, mu);
            pl__clash_report report;
            for (int i = 0; i < 3; ++i)
            {
                c->x_end[9 + i] += way[i];
                c->v[9 + i] = way[i] / dt;
            }
            CHECK(pl__clash_resolve(c, &report) == PL_OK);
            CHECK(report.contacts == near && (near || report.hits == 1) && report.zone_nodes == 0);
            CHECK_NEAR(c->v[9], fmax(0, 0.3 - 0.4 * mu) / dt, 1e-10);
            CHECK_NEAR(c->v[10], 0, 1e-10);
            CHECK_NEAR(c->x_end[9], fmax(0, 0.3 - 0.4 * mu), 1e-12);
            CHECK(c->x_end[10] >= (near ? 0.005 : 0.1));
            double taken = fmin(0.3, 0.4 * mu); // energy that rubbing took of the tangent
            CHECK_NEAR(report.friction_work, (0.09 - pow(0.3 - taken, 2)) / 2 / (dt * dt), 1e-9);
            pl__clash_destroy(&c);
        }
    pl_context_destroy(&ctx);
}

// A vertex falls on the middle of a face that is free, or held, and they go on as one: the pair tells what the vertex
// was given, and of one that is told twice half of it each time.
static void zones_tell_what_they_gave(void)
{
    pl_context *ctx = test_context(1);
    for (int held = 0; held < 2; ++held)
        for (int times = 1; times <= 2; ++times)
        {
            const double x[12] = {0, 0.1, 0, -1, 0, -1, 0, 0, 2, 1, 0, -1}, way = -0.3, m = 2;
            double end[12], v[12] = {0, 3 * way, 0}, inverse_mass[4] = {1 / m, !held, !held, !held};
            pl__contact k = {.node = {0, 1, 2, 3}, .weight = {1, -1.0 / 3, -1.0 / 3, -1.0 / 3}, .normal = {0, 1, 0}};
            pl__zones z;
            CHECK(pl__zones_create(ctx, 4, &z) == PL_OK);
            memcpy(end, x, sizeof x);
            end[1] += way;
            CHECK(pl__zones_join(&z, k.node, 4));
            for (int i = 0; i < times; ++i)
                CHECK(pl__zones_note(&z, &k) == PL_OK);
            CHECK(pl__zones_move(&z, x, inverse_mass, end, v) == 1);
            pl__zones_share(&z, inverse_mass);
            double common = held ? 0 : 3 * way * m / (m + 3);
            CHECK_NEAR(v[1], common, 1e-14);
            CHECK(z.strike_count == times);
            for (int i = 0; i < times; ++i)
                CHECK_NEAR(z.strike[i].impulse, m * (common - 3 * way) / times, 1e-14);
            pl__zones_clear(&z);
            CHECK(z.strike_count == 0 && z.given[1] == 0 && z.pairs_of[0] == 0);
            pl__zones_destroy(&z);
        }
    pl_context_destroy(&ctx);
}

// What is driven pushes what is free out of its way; what is driven through something driven is reported.
static void driven_nodes_keep_their_way(void)
{
    pl_context *ctx = test_context(1);
    for (int both = 0; both < 2; ++both)
    {
        pl__clash *c = vertex_over_face(ctx, 0.1, 0);
        pl__clash_report report;
        for (int n = 0; n < 3; ++n)
        {
            c->x_end[3 * n + 1] += 0.5;
            c->inverse_mass[3 + n] = both ? 0 : 1;
        }
        CHECK(pl__clash_resolve(c, &report) == PL_OK);
        CHECK(c->x_end[1] == 0.5 && c->x_end[4] == 0.5 && c->x_end[7] == 0.5);
        CHECK_THAT((crossings(c, c->x_end) > 0) == both && (report.unresolved > 0) == both, "%d unresolved",
                   report.unresolved);
        pl__clash_destroy(&c);
    }
    pl_context_destroy(&ctx);
}

static void threads_agree(void)
{
    double end[2][3 * 3 * SHEET_NODES];
    for (int k = 0; k < 2; ++k)
    {
        pl_context *ctx = test_context(1 + 2 * k);
        scene s;
        pl__clash_report report;
        make(ctx, &s, 3, 0.02, 0.01);
        throw_about(&s, 5, 1, 0.01);
        CHECK(pl__clash_resolve(s.clash, &report) == PL_OK);
        memcpy(end[k], s.clash->x_end, sizeof end[k]);
        pl__clash_destroy(&s.clash);
        pl_context_destroy(&ctx);
    }
    CHECK(memcmp(end[0], end[1], sizeof end[0]) == 0);
}

// Two triangles of one body that lie on each other at rest, such as a seam that nobody sewed: apart now, and on their
// way to each other.
static void what_is_at_one_place_at_rest_is_watched(void)
{
    pl_context *ctx = test_context(1);
    static const double rest[18] = {0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0};
    static const int32_t triangle[6] = {0, 1, 2, 3, 4, 5};
    pl__surface_part part = {.triangle_count = 2, .triangle = triangle, .thickness = 0.1, .self = true};
    pl__clash *c;
    CHECK(pl__clash_create(ctx, &part, 1, rest, 6, &c) == PL_OK);
    memcpy(c->x_listed, rest, sizeof rest);
    memset(c->v_listed, 0, sizeof rest);
    for (int n = 3; n < 6; ++n)
        c->x_listed[3 * n + 1] = 0.05, c->v_listed[3 * n + 1] = -1;
    c->ahead = 0.1;
    c->crossings = 0;
    CHECK(pl__clash_watch(c) == PL_OK && c->watched);
    CHECK_THAT(c->watch.count >= 6, "%d", c->watch.count); // every vertex with the other triangle
    double least = INFINITY;
    for (int32_t i = 0; i < c->watch.count; ++i)
        least = fmin(least, c->watch.rest[i]);
    CHECK_NEAR(least, 1e-6 * 0.1, 1e-18); // a millionth of the thickness, not nothing
    pl__clash_destroy(&c);
    pl_context_destroy(&ctx);
}

// A vertex at rest that is too near, and its push: a tenth of what is missing to three quarters of the thickness.
static void near_pairs_are_pushed_by_a_tenth(void)
{
    pl_context *ctx = test_context(1);
    pl__clash *c = vertex_over_face(ctx, 0.005, 0);
    pl__clash_report report;
    CHECK(pl__clash_resolve(c, &report) == PL_OK);
    CHECK_NEAR(c->x_end[10], 0.005 + 0.1 * (0.75 * 0.01 - 0.005), 1e-15);
    CHECK(c->v[10] == 0);
    pl__clash_destroy(&c);
    pl_context_destroy(&ctx);
}

// What comes from afar hits from a twentieth of the thickness on.
static void hits_begin_at_the_separation(void)
{
    pl_context *ctx = test_context(1);
    for (int i = 0; i < 2; ++i)
    {
        pl__clash *c = vertex_over_face(ctx, 0.1, 0);
        pl__clash_report report;
        c->x_end[10] = i ? 0.00051 : 0.00049;
        CHECK(pl__clash_resolve(c, &report) == PL_OK);
        CHECK(report.hits == (i == 0));
        pl__clash_destroy(&c);
    }
    pl_context_destroy(&ctx);
}

// Triangles of one body that are nearer at rest than their thickness are near within nine tenths of that.
static void what_is_near_at_rest_is_nearer_to_be_near(void)
{
    pl_context *ctx = test_context(1);
    static const double rest[19] = {0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0.05, 0, 0, 0.05, 1, 1, 0.05, 0};
    static const int32_t triangle[6] = {0, 1, 2, 3, 4, 5};
    pl__surface_part part = {.triangle_count = 2, .triangle = triangle, .thickness = 0.1, .self = true};
    pl__clash *c;
    double x[19];
    CHECK(pl__clash_create(ctx, &part, 1, rest, 6, &c) == PL_OK);
    CHECK(pl__clash_near(c, rest) == PL_OK && c->pairs->contact_count == 0);
    memcpy(x, rest, sizeof x);
    for (int n = 3; n < 6; ++n)
        x[3 * n + 1] = 0.04;
    CHECK(pl__clash_near(c, x) == PL_OK && c->pairs->contact_count > 0);
    for (int32_t i = 0; i < c->pairs->contact_count; ++i)
        CHECK_NEAR(c->room[i], 0.9 * 0.05 - 0.04, 1e-15);
    pl__clash_destroy(&c);
    pl_context_destroy(&ctx);
}

// Nodes may stray along each axis by 1/(2 sqrt(3)) of the slack, rounded down, and by an eighth before a substep; the
// slack doubles and decays within its limits.
static void lists_serve_while_nodes_hardly_stray(void)
{
    pl_context *ctx = test_context(1);
    pl__clash *c = vertex_over_face(ctx, 0.1, 0);
    double x[19];
    memcpy(c->x_listed, c->x_start, 18 * sizeof *x);
    memset(c->v_listed, 0, 18 * sizeof *x);
    CHECK_NEAR(c->slack, 0.06 * c->edge, 1e-15);
    static const double limit[2] = {0.28, 0.125};
    for (int early = 0; early < 2; ++early)
        for (int far = 0; far < 2; ++far)
        {
            memcpy(x, c->x_listed, 18 * sizeof *x);
            x[10] += (far ? 1.02 : 0.98) * limit[early] * c->slack;
            CHECK(pl__clash_strayed(c, x, 0.1, early) == far);
        }
    double slack = c->slack;
    pl__clash_adapt(c, true);
    CHECK_NEAR(c->slack, 2 * slack, 1e-15);
    pl__clash_adapt(c, false);
    CHECK_NEAR(c->slack, 1.6 * slack, 1e-15);
    for (int i = 0; i < 20; ++i)
        pl__clash_adapt(c, true);
    CHECK_NEAR(c->slack, 0.3 * c->edge, 1e-15);
    for (int i = 0; i < 20; ++i)
        pl__clash_adapt(c, false);
    CHECK_NEAR(c->slack, 0.03 * c->edge, 1e-15);
    pl__clash_destroy(&c);
    pl_context_destroy(&ctx);
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {TEST(nothing_crosses_and_momentum_stays),
                                    TEST(angular_momentum_stays),
                                    TEST(a_vertex_lands_on_a_face),
                                    TEST(zones_tell_what_they_gave),
                                    TEST(driven_nodes_keep_their_way),
                                    TEST(what_is_at_one_place_at_rest_is_watched),
                                    TEST(threads_agree),
                                    TEST(near_pairs_are_pushed_by_a_tenth),
                                    TEST(hits_begin_at_the_separation),
                                    TEST(what_is_near_at_rest_is_nearer_to_be_near),
                                    TEST(lists_serve_while_nodes_hardly_stray)};
    return RUN(tests);
}

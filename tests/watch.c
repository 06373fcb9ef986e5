// tests/watch.c -- pairs that are held apart in every step.
#include "contact/ccd.h"
#include "contact/tolerances.h"
#include "contact/watch.h"
#include "base/random.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
    NODES = 40,
    PAIRS = 60
};

typedef struct
{
    pl__watch watch;
    double x[3 * NODES + 1], v[3 * NODES], inverse_mass[NODES], friction[1];
} crowd;

static double uniform(uint64_t key, uint64_t i) { return 2 * pl__random01(key, i, 0) - 1; }

// Nodes in a box of one metre, of different masses; any four of them may be a pair.
static void gather(crowd *c, pl_context *ctx, uint64_t seed, double friction)
{
    memset(c, 0, sizeof *c);
    c->watch.ctx = ctx;
    c->friction[0] = friction;
    for (uint64_t i = 0; i < 3 * NODES; ++i)
    {
        c->x[i] = uniform(seed, i);
        c->v[i] = uniform(seed + 1, i);
        c->inverse_mass[i / 3] = 1 + 10 * pl__random01(seed + 2, i / 3, 0);
    }
    for (int kind = PL__VERTEX_FACE; kind <= PL__EDGE_EDGE; ++kind)
        for (uint64_t k = 0; k < PAIRS; ++k)
        {
            pl__pair pair = {.kind = kind};
            for (int n = 0; n < 4; ++n)
                pair.node[n] =
                    (int32_t)((k * 7 + (uint64_t)n * 11 + (uint64_t)(pl__random01(seed + 3, k, (uint64_t)kind) * 8)) %
                              NODES);
            CHECK(pl__watch_add(&c->watch, &pair, 0.2, 0) == PL_OK);
        }
    CHECK(pl__watch_arrange(&c->watch, c->x, NODES) == PL_OK);
}

static pl__watch_state state_of(crowd *c, double dt)
{
    return (pl__watch_state){.x = c->x,
                             .v = c->v,
                             .inverse_mass = c->inverse_mass,
                             .friction = c->friction,
                             .node_count = NODES,
                             .dt = dt,
                             .interval = 0.01};
}

static void momenta(const crowd *c, double p[3], double l[3], double *kinetic)
{
    *kinetic = 0;
    for (int i = 0; i < 3; ++i)
        p[i] = l[i] = 0;
    for (int n = 0; n < NODES; ++n)
        for (int i = 0; i < 3; ++i)
        {
            const double *x = &c->x[3 * n], *v = &c->v[3 * n], m = 1 / c->inverse_mass[n];
            p[i] += m * v[i];
            l[i] += m * (x[(i + 1) % 3] * v[(i + 2) % 3] - x[(i + 2) % 3] * v[(i + 1) % 3]);
            *kinetic += 0.5 * m * v[i] * v[i];
        }
}

// Impulses act along the line of two points, or, of friction, in opposite directions: momentum stays to round-off,
// energy falls.
static void filters_keep_momentum(void)
{
    pl_context *ctx = test_context(1);
    int stopped = 0, rubbed = 0;
    for (uint64_t seed = 0; seed < 40; ++seed)
    {
        crowd c;
        gather(&c, ctx, 10 * seed, seed % 2 ? 0.4 : 0);
        pl__watch_state state = state_of(&c, 0.01);
        double p[3], l[3], kinetic, q[3], k[3], after;
        momenta(&c, p, l, &kinetic);
        double work = pl__watch_filter_speeds(&c.watch, &state);
        momenta(&c, q, k, &after);
        stopped += after < kinetic;
        rubbed += work > 0;
        CHECK(after <= kinetic && (seed % 2 || work == 0));
        for (int i = 0; i < 3; ++i)
        {
            CHECK_NEAR(q[i], p[i], 1e-13);
            if (seed % 2 == 0)
                CHECK_NEAR(k[i], l[i], 1e-13);
        }
        pl__watch_destroy(&c.watch);
    }
    CHECK_THAT(stopped > 20 && rubbed > 10, "%d, %d", stopped, rubbed);
    pl_context_destroy(&ctx);
}

// Where sweeps end no pair that touches approaches faster than the tolerance, a few times over since the last changes
// add up; and they end with the same bits for any number of threads.
static void sweeps_end_where_all_agree(void)
{
    pl_context *one = test_context(1), *four = test_context(4);
    int touching = 0;
    for (uint64_t seed = 0; seed < 40; ++seed)
    {
        crowd a, b;
        gather(&a, one, 10 * seed, 0.3);
        gather(&b, four, 10 * seed, 0.3);
        pl__watch_state state = state_of(&a, 0.001), again = state_of(&b, 0.001);
        CHECK(pl__watch_filter_speeds(&a.watch, &state) == pl__watch_filter_speeds(&b.watch, &again));
        CHECK(memcmp(a.v, b.v, sizeof a.v) == 0);
        for (int32_t i = 0; i < a.watch.active_count; ++i)
        {
            const pl__watched *item = &a.watch.item[a.watch.active[i]];
            double s[3];
            if (item->contact.distance > item->rest)
                continue;
            touching++;
            pl__impulse_relative(&item->contact, a.v, NULL, s);
            CHECK_THAT(pl__impulse_dot(s, item->contact.normal) > -5 * 1e-4 * item->rest / 0.001, "seed %d: %g m/s",
                       (int)seed, pl__impulse_dot(s, item->contact.normal));
        }
        pl__watch_destroy(&a.watch);
        pl__watch_destroy(&b.watch);
    }
    CHECK_THAT(touching > 400, "%d", touching);
    pl_context_destroy(&one);
    pl_context_destroy(&four);
}

// A vertex over a triangle that cannot be moved.
static void one_over_another(crowd *c, pl_context *ctx, double height, double friction)
{
    static const double corner[4][3] = {{0.2, 0, 0.2}, {0, 0, 0}, {0, 0, 1}, {1, 0, 0}};
    memset(c, 0, sizeof *c);
    c->watch.ctx = ctx;
    c->friction[0] = friction;
    memcpy(c->x, corner, sizeof corner);
    c->x[1] = height;
    c->inverse_mass[0] = 2;
    CHECK(pl__watch_add(&c->watch, &(pl__pair){.node = {0, 1, 2, 3}, .kind = PL__VERTEX_FACE}, 0.1, 0) == PL_OK);
    CHECK(pl__watch_arrange(&c->watch, c->x, NODES) == PL_OK);
}

// It goes as near as it may, no nearer, and no more slowly than it needs to.
static void ways_end_where_pairs_rest(void)
{
    pl_context *ctx = test_context(1);
    static const double height[] = {0.3, 0.15, 0.1, 0.06};
    for (int k = 0; k < 4; ++k)
    {
        crowd c;
        one_over_another(&c, ctx, height[k], 0);
        pl__watch_state state = state_of(&c, 0.01);
        c.v[0] = 3, c.v[1] = -100;
        pl__watch_filter_ways(&c.watch, &state);
        double end = height[k] + 0.01 * c.v[1];
        CHECK_NEAR(end, height[k] > 0.1 ? 0.1 : height[k] + 0.2 * (0.1 - height[k]),
                   1e-12); // a fifth of what is missing, per interval
        CHECK(c.v[0] == 3);
        c.v[1] = -5;
        pl__watch_filter_ways(&c.watch, &state);
        CHECK(height[k] <= 0.15 || c.v[1] == -5);
        pl__watch_destroy(&c.watch);
    }
    pl_context_destroy(&ctx);
}

// Coulomb: what is taken along the surface is at most friction times what is taken across it.
static void speeds_stop_and_rub(void)
{
    pl_context *ctx = test_context(1);
    for (int k = 0; k < 3; ++k)
    {
        crowd c;
        one_over_another(&c, ctx, k == 2 ? 0.2 : 0.1, 0.5);
        pl__watch_state state = state_of(&c, 0.01);
        c.v[0] = k == 0 ? 3 : 0.7, c.v[1] = -2;
        double work = pl__watch_filter_speeds(&c.watch, &state);
        CHECK_NEAR(c.v[0], k == 0 ? 2 : k == 1 ? 0 : 0.7, 1e-14);
        CHECK_NEAR(c.v[1], k == 2 ? -2 : 0, 1e-14);
        CHECK_NEAR(work, k == 0 ? 0.25 * (9 - 4) : k == 1 ? 0.25 * 0.49 : 0, 1e-14);
        CHECK_NEAR(c.watch.active_count ? c.watch.item[c.watch.active[0]].impulse : 0, k == 2 ? 0 : 1, 1e-14);
        pl__watch_destroy(&c.watch);
    }
    pl_context_destroy(&ctx);
}

// What is proved not to touch does not; and much is proved.
static void proofs_hold(void)
{
    pl_context *ctx = test_context(1);
    int proved = 0;
    for (uint64_t seed = 0; seed < 3000; ++seed)
    {
        crowd c;
        gather(&c, ctx, 7 * seed, 0);
        c.watch.count = 1 + (int32_t)(seed % 3);
        c.watch.vertex_face_count = c.watch.count;
        double after[3 * NODES], scale = pow(10, -3 * pl__random01(seed, 1, 2));
        pl__watch_state state = state_of(&c, 1e-6);
        for (int i = 0; i < 3 * NODES; ++i)
            after[i] = c.x[i] + scale * uniform(seed + 5, (uint64_t)i);
        pl__watch_filter_ways(&c.watch, &state);
        bool proves = pl__watch_proves(&c.watch, c.x, after, NODES);
        proved += proves;
        for (int32_t k = 0; proves && k < c.watch.count; ++k)
        {
            double a[4][3], b[4][3], t;
            pl__impulse_corners(c.x, c.watch.pair[k].node, a);
            pl__impulse_corners(after, c.watch.pair[k].node, b);
            CHECK(!pl__ccd_vertex_face((const double(*)[3])a, (const double(*)[3])b, 0, &t));
        }
        pl__watch_destroy(&c.watch);
    }
    CHECK_THAT(proved > 300, "%d", proved);
    pl_context_destroy(&ctx);
}

// A floor at y = 0 that moves along x, under all nodes but the first.
static const double floor_speed = 0.1;

static bool stand_on_floor(void *user, int32_t node, const double v[3], pl__foothold *f)
{
    (void)v;
    *f = (pl__foothold){.node = node,
                        .count = 1,
                        .normal = {{0, 1, 0}},
                        .carried = {{floor_speed, 0, 0}},
                        .friction = {*(const double *)user}};
    return node > 0;
}

// A heavy vertex falls onto a light triangle that lies on a floor: it stands still at once, and is rubbed by the lesser
// of both frictions, as the triangle sticks to the one that has more. Tolerance: the triangle's part of the mass, 3e-4,
// a few times.
static void what_lies_between_is_not_pushed_through(void)
{
    pl_context *ctx = test_context(1);
    static const double both[][2] = {{0.2, 0.5}, {0.5, 0.2}, {0, 0.5}, {0.5, 0}, {2, 3}};
    for (size_t i = 0; i < sizeof both / sizeof both[0]; ++i)
    {
        double x[13] = {0.1, 0.01, 0.1, -1, 0, -1, 1, 0, -1, 0, 0, 1},
               v[12] = {0.6, -1, 0, 0, 0, 0, 0.1, -0.2, 0, 0.1, 0, 0.05}, on_floor = both[i][1];
        double inverse_mass[4] = {1, 1e4, 1e4, 1e4}, friction = both[i][0], least = fmin(friction, on_floor);
        pl__watch watch = {.ctx = ctx};
        CHECK(pl__watch_add(&watch, &(pl__pair){.kind = PL__VERTEX_FACE, .node = {0, 1, 2, 3}}, 0.02, 0) == PL_OK);
        CHECK(pl__watch_arrange(&watch, x, 4) == PL_OK);
        pl__watch_state state = {.x = x,
                                 .v = v,
                                 .inverse_mass = inverse_mass,
                                 .friction = &friction,
                                 .node_count = 4,
                                 .dt = 0.01,
                                 .interval = 0.01,
                                 .stand = stand_on_floor,
                                 .user = &on_floor,
                                 .settled = true};
        double work = pl__watch_filter_speeds(&watch, &state), slides = fmax(0, 0.5 - least),
               with = floor_speed + (friction > on_floor ? slides : 0);
        CHECK_THAT(fabs(v[1]) < 1e-3 && fabs(v[0] - floor_speed - slides) < 2e-3 && work >= 0, "%zu: %g, %g, work %g",
                   i, v[0], v[1], work);
        double under = 0.175 * v[3] + 0.275 * v[6] + 0.55 * v[9]; // the point of the triangle
        CHECK_THAT(friction == 0 || fabs(under - with) < 2e-3, "%zu: %g, not %g", i, under, with);
        for (int n = 1; n < 4; ++n)
            CHECK_THAT(v[3 * n + 1] >= -1e-12 && fabs(v[3 * n]) < 3, "%zu: node %d at %g, %g", i, n, v[3 * n],
                       v[3 * n + 1]);
        pl__watch_destroy(&watch);
    }
    pl_context_destroy(&ctx);
}

// Rows of the table that lean on each other.
static void tolerances_agree(void)
{
    CHECK(PL__SELF_FAR * PL__SELF_NEAR >= 1);        // what is left out is not near
    CHECK(PL__ADVANCE_MET > PL__ADVANCE_TARGET);     // advancement ends
    CHECK(PL__ADVANCE_MET < 1 && PL__SELF_NEAR < 1); // what rests has no wall ahead; the rest shape is free
    CHECK(12 * PL__STRAY * PL__STRAY <= 1);          // two strays along all axes use up the slack at most
    CHECK(2 * PL__STRAY_EARLY < PL__STRAY);          // the next substep may stray as much again
    CHECK(PL__PROOF_LEAST * PL__REST_SHARE > PL__CCD_SEPARATION); // what is proved apart would be no hit
    CHECK(PL__FILTER_TOLERANCE < PL__PAIR_TOLERANCE && PL__PAIR_TOLERANCE < PL__TOUCHING);
    CHECK(PL__SLACK_LEAST < PL__SLACK_MOST && PL__SLACK_LEAST_IMPLICIT < PL__SLACK_MOST_IMPLICIT);
}

// Two points are as soft as weight^2/mass says, but never less than a quarter of the lightest node.
static void compliance_has_a_floor(void)
{
    const double inverse_mass[4] = {2, 0, 0, 0};
    for (int i = 0; i < 2; ++i)
    {
        double w = i ? 0.6 : 0.4;
        pl__contact k = {.node = {0, 1, 2, 3}, .weight = {w, 1 - w, -0.5, -0.5}};
        CHECK_NEAR(pl__impulse_compliance(inverse_mass, &k), i ? 0.72 : 0.5, 1e-15);
    }
}

// What pushes a node at a little less than 60 degrees from straight down stands on the ground, a little more does not.
static void ground_is_what_is_pushed_on_steeply(void)
{
    const pl__foothold f = {.count = 1, .normal = {{0, 1, 0}}};
    const double still[3] = {0, 0, 0};
    for (int i = 0; i < 2; ++i)
    {
        double c = i ? 0.48 : 0.52, d[3] = {sqrt(1 - c * c), -c, 0};
        CHECK((pl__foothold_ground(&f, still, d, 1e-6) != NULL) == (i == 0));
    }
}

// Two planes at 60 degrees: to obey one takes half of what the other has been given, so that after four rounds a 128th
// of the first violation is left.
static void corners_are_obeyed_in_a_few_rounds(void)
{
    const double s = sqrt(0.75);
    pl__foothold f = {.count = 2, .normal = {{s, 0.5, 0}, {-s, 0.5, 0}}, .free = {0, -2, 0}};
    double v[3];
    pl__foothold_obey(&f, v);
    double left = fmax(-(s * v[0] + 0.5 * v[1]), s * v[0] - 0.5 * v[1]);
    CHECK_THAT(left <= 1.01 / 64, "%g", left);
}

// A vertex 0.15 over a triangle, with pairs at rest at 0.1: proved while twice its way leaves it 0.01 away.
static void proofs_keep_a_distance(void)
{
    pl_context *ctx = test_context(1);
    for (int i = 0; i < 2; ++i)
    {
        crowd c;
        one_over_another(&c, ctx, 0.15, 0);
        pl__watch_state state = state_of(&c, 1e-6);
        pl__watch_filter_ways(&c.watch, &state);
        double after[3 * NODES];
        memcpy(after, c.x, sizeof after);
        after[1] -= i ? 0.0701 : 0.0699;
        CHECK(pl__watch_proves(&c.watch, c.x, after, NODES) == (i == 0));
        pl__watch_destroy(&c.watch);
    }
    pl_context_destroy(&ctx);
}

// Of a step as a whole: how many pairs press that a vertex meets, of one triangle and another `below` it.
static int32_t pressing(pl_context *ctx, double height, double below, double speed)
{
    crowd c;
    one_over_another(&c, ctx, height, 0);
    c.watch.solved = true;
    for (int n = 1; n < 4; ++n)
    {
        memcpy(&c.x[3 * n + 9], &c.x[3 * n], 3 * sizeof *c.x);
        c.x[3 * n + 10] -= below;
    }
    CHECK(pl__watch_add(&c.watch, &(pl__pair){.node = {0, 4, 5, 6}, .kind = PL__VERTEX_FACE}, 0.1, 0) == PL_OK);
    CHECK(pl__watch_arrange(&c.watch, c.x, NODES) == PL_OK);
    pl__watch_state state = state_of(&c, 0.01);
    state.whole = true;
    c.v[1] = -speed;
    pl__watch_relax(&c.watch);
    (void)pl__watch_press(&c.watch, &state, false);
    int32_t count = c.watch.pressed_count;
    pl__watch_destroy(&c.watch);
    return count;
}

// Pairs press that come nearer than a thousandth of where they rest in a step; and those that a node meets within a
// tenth of a step of the first.
static void what_presses_comes_near_enough_and_soon_enough(void)
{
    pl_context *ctx = test_context(1);
    CHECK(pressing(ctx, 0.1, 5, 0.9e-3 * 0.1 / 0.01) == 0);
    CHECK(pressing(ctx, 0.1, 5, 1.1e-3 * 0.1 / 0.01) == 1);
    CHECK(pressing(ctx, 0.3, 0.09, 100) == 2);
    CHECK(pressing(ctx, 0.3, 0.11, 100) == 1);
    pl_context_destroy(&ctx);
}

// Unless somebody else has settled them, nodes that are pushed onto a floor keep a thousandth of the distance at rest
// per step of the way into it, so that the step finds them there.
static void pushed_nodes_are_left_to_the_floor(void)
{
    pl_context *ctx = test_context(1);
    double x[13] = {0.1, 0.01, 0.1, -1, 0, -1, 1, 0, -1, 0, 0, 1}, v[12] = {0, -1, 0}, none = 0;
    const double inverse_mass[4] = {1, 1e4, 1e4, 1e4};
    pl__watch watch = {.ctx = ctx};
    CHECK(pl__watch_add(&watch, &(pl__pair){.kind = PL__VERTEX_FACE, .node = {0, 1, 2, 3}}, 0.02, 0) == PL_OK);
    CHECK(pl__watch_arrange(&watch, x, 4) == PL_OK);
    pl__watch_state state = {.x = x,
                             .v = v,
                             .inverse_mass = inverse_mass,
                             .friction = &none,
                             .node_count = 4,
                             .dt = 0.01,
                             .interval = 0.01,
                             .stand = stand_on_floor,
                             .user = &none};
    (void)pl__watch_filter_speeds(&watch, &state);
    CHECK_NEAR(fmin(v[4], fmin(v[7], v[10])), -1e-3 * 0.02 / 0.01, 1e-12);
    pl__watch_destroy(&watch);
    pl_context_destroy(&ctx);
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {TEST(filters_keep_momentum),
                                    TEST(sweeps_end_where_all_agree),
                                    TEST(ways_end_where_pairs_rest),
                                    TEST(speeds_stop_and_rub),
                                    TEST(proofs_hold),
                                    TEST(what_lies_between_is_not_pushed_through),
                                    TEST(tolerances_agree),
                                    TEST(compliance_has_a_floor),
                                    TEST(ground_is_what_is_pushed_on_steeply),
                                    TEST(corners_are_obeyed_in_a_few_rounds),
                                    TEST(proofs_keep_a_distance),
                                    TEST(what_presses_comes_near_enough_and_soon_enough),
                                    TEST(pushed_nodes_are_left_to_the_floor)};
    return RUN(tests);
}

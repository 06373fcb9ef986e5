// tests/foresee.c -- where pairs meet in a long step: thresholds of contact/tolerances.h, on both sides.
#include "contact/foresee.h"
#include "contact/impulse.h"
#include "base/random.h"
#include "test.h"

static const double rest = 0.1;

static pl__contact contact_of(const double x[12], pl__pair_kind kind)
{
    double corner[4][3];
    pl__contact k = {.node = {0, 1, 2, 3}};
    pl__impulse_corners(x, k.node, corner);
    pl__impulse_measure((const double(*)[3])corner, kind, &k);
    return k;
}

// A vertex falls straight onto a triangle: it meets it at nine tenths of where pairs rest, after one advance. From
// within a fiftieth of that it touches already, at rest too.
static void falling_vertices_meet_where_they_should(void)
{
    for (int i = 0; i < 20; ++i)
    {
        double height = rest * (1.005 + 0.1 * i), way = height * (1 + 0.3 * i), when, gap;
        double x[12] = {0.2, height, 0.2, 0, 0, 0, 0, 0, 1, 1, 0, 0}, v[12] = {0, -way / 0.02, 0}, still[12] = {0};
        bool touches = height < 1.02 * rest;
        pl__contact k = contact_of(x, PL__VERTEX_FACE), same = k;
        CHECK(pl__foresee(x, v, 0.02, PL__VERTEX_FACE, rest, &k, &when, &gap));
        CHECK_NEAR(when, touches ? 0 : (height - 0.9 * rest) / way, 1e-14);
        CHECK_NEAR(gap, height - rest, 1e-14);
        CHECK(pl__foresee(x, still, 0.02, PL__VERTEX_FACE, rest, &same, &when, &gap) == touches);
    }
    for (int apart = 0; apart < 2; ++apart)
    {
        double height = (apart ? 1.022 : 1.018) * rest, still[12] = {0}, when, gap;
        double x[12] = {0.2, height, 0.2, 0, 0, 0, 0, 0, 1, 1, 0, 0};
        pl__contact k = contact_of(x, PL__VERTEX_FACE);
        CHECK(pl__foresee(x, still, 0.02, PL__VERTEX_FACE, rest, &k, &when, &gap) == !apart);
    }
}

// Of random motions, by three times the size of things, most meet between 0.9 and 0.95 of where pairs rest; the others
// run out of advances and meet earlier, never later.
static void random_pairs_meet_early_and_never_late(void)
{
    int met[2] = {0, 0}, early = 0;
    for (uint64_t seed = 0; seed < 4000; ++seed)
    {
        pl__pair_kind kind = seed % 2 ? PL__VERTEX_FACE : PL__EDGE_EDGE;
        double x[12], v[12], end[12], when, gap;
        for (uint64_t i = 0; i < 12; ++i)
        {
            x[i] = 2 * pl__random01(seed, i, 1) - 1;
            v[i] = 3 * (2 * pl__random01(seed, i, 2) - 1);
        }
        pl__contact k = contact_of(x, kind);
        if (k.distance <= 1.02 * rest || !pl__foresee(x, v, 1, kind, rest, &k, &when, &gap))
            continue;
        for (int i = 0; i < 12; ++i)
            end[i] = x[i] + when * v[i];
        double distance = contact_of(end, kind).distance;
        CHECK_THAT(distance >= (0.9 - 1e-9) * rest, "%d: %g", (int)seed, distance);
        met[distance > 0.93 * rest]++;
        early += distance > (0.95 + 1e-9) * rest;
    }
    CHECK_THAT(met[0] > 50 && met[1] > 50 && 2 * early < met[0] + met[1], "%d low, %d high, %d early", met[0], met[1],
               early);
}

// A vertex beside a triangle, a little more or less than 37 degrees from above its rim: it meets the plane, or the rim.
static void vertices_nearly_above_a_triangle_meet_its_plane(void)
{
    for (int i = 0; i < 2; ++i)
    {
        double c = i ? 0.78 : 0.82, s = sqrt(1 - c * c), when, gap;
        double x[12] = {-s * rest, c * rest, 0.5, 0, 0, 0, 0, 0, 1, 1, 0, 0.5}, v[12] = {0};
        pl__contact k = contact_of(x, PL__VERTEX_FACE);
        CHECK(pl__foresee(x, v, 0.02, PL__VERTEX_FACE, rest, &k, &when, &gap));
        CHECK_NEAR(k.normal[0], i ? -s : 0, 1e-12);
        CHECK_NEAR(k.normal[1], i ? c : 1, 1e-12);
    }
}

// Edges that cross a billionth of their length from an end are left to the vertex there.
static void edges_leave_their_ends_to_vertices(void)
{
    for (int i = 0; i < 2; ++i)
    {
        double at = i ? 2e-9 : 5e-10, when, gap, v[12] = {0};
        double x[12] = {0, rest, 0, 1, rest, 0, at, 0, -0.5, at, 0, 0.5};
        pl__contact k = contact_of(x, PL__EDGE_EDGE);
        CHECK(pl__foresee(x, v, 0.02, PL__EDGE_EDGE, rest, &k, &when, &gap) == (i == 1));
    }
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {
        TEST(falling_vertices_meet_where_they_should), TEST(random_pairs_meet_early_and_never_late),
        TEST(vertices_nearly_above_a_triangle_meet_its_plane), TEST(edges_leave_their_ends_to_vertices)};
    return RUN(tests);
}

// tests/contact_rows.c -- contact rows: Coulomb's law as the gradient of a convex function, pieces, and what is
// remembered.
#include "solid/contact_rows.h"
#include "base/random.h"
#include "test.h"

#include <math.h>
#include <string.h>

static double number(uint64_t *key) { return 2 * pl__random01(1, 0, (*key)++) - 1; }

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// One node against something that goes its own way.
static pl__contact_pair random_row(uint64_t *key)
{
    pl__contact_pair p = {.contact = {.node = {0, 1, 2, 3}, .weight = {1, -0.5, -0.3, -0.2}},
                          .free = {true, true, true, false},
                          .stiffness = 1 + 0.9 * number(key),
                          .friction = 0.5,
                          .rest = 1,
                          .allowed = 0.3 * number(key),
                          .impulse = 0.5 + 0.5 * number(key),
                          .radius = 0.3 + 0.2 * number(key)};
    double size = 0;
    for (int d = 0; d < 3; ++d)
    {
        p.contact.normal[d] = number(key);
        p.given[d] = 0.3 * number(key);
        p.friction_impulse[d] = 0.5 * number(key);
        size += p.contact.normal[d] * p.contact.normal[d];
    }
    for (int d = 0; d < 3; ++d)
        p.contact.normal[d] /= sqrt(size);
    double along = dot(p.friction_impulse, p.contact.normal);
    for (int d = 0; d < 3; ++d)
        p.friction_impulse[d] -= along * p.contact.normal[d];
    return p;
}

static pl__contact_rows rows_of(pl__contact_pair *row)
{
    return (pl__contact_rows){.span = {row}, .count = {1}, .dt = 0.1};
}

static void random_velocities(uint64_t *key, double v[12])
{
    for (int i = 0; i < 12; ++i)
        v[i] = number(key);
}

// The impulse never pulls, and friction is within its disc, against the motion where it slides.
static void impulses_obey_coulomb(void)
{
    pl_context *ctx = test_context(1);
    uint64_t key = 0;
    for (int trial = 0; trial < 1000; ++trial)
    {
        pl__contact_pair p = random_row(&key);
        pl__contact_rows rows = rows_of(&p);
        double v[12];
        random_velocities(&key, v);
        pl__contact_rows_project(ctx, &rows, v);
        double along = dot(p.applied, p.contact.normal),
               size = sqrt(fmax(0, dot(p.applied, p.applied) - along * along));
        CHECK(along >= -1e-15 && size <= p.radius * (1 + 1e-12));
        CHECK((p.held || along < 1e-12) && (p.sticks || size > p.radius * (1 - 1e-12)));
        (void)pl__contact_rows_update(&rows);
        CHECK(fabs(p.impulse - along) < 1e-12 && fabs(p.radius - p.friction * along) < 1e-12);
        CHECK(sqrt(dot(p.friction_impulse, p.friction_impulse)) <= p.radius * (1 + 1e-12));
    }
    pl_context_destroy(&ctx);
}

// dphi/dv = -W^T p, and dp/dv = -C W, by central differences.
static void impulses_are_gradients(void)
{
    pl_context *ctx = test_context(1);
    uint64_t key = 7;
    int smooth = 0;
    for (int trial = 0; trial < 300; ++trial)
    {
        pl__contact_pair p = random_row(&key), ahead, behind;
        pl__contact_rows rows = rows_of(&p);
        double v[12], way[12], slope, ignored, h = 1e-6, there[12], out[12] = {0};
        random_velocities(&key, v);
        random_velocities(&key, way);
        double rise =
            pl__contact_rows_rise(&rows, v, way, h, &ignored) - pl__contact_rows_rise(&rows, v, way, -h, &ignored);
        (void)pl__contact_rows_rise(&rows, v, way, 0, &slope);
        CHECK_NEAR(rise / (2 * h), slope, 1e-7);
        for (int i = 0; i < 12; ++i)
            there[i] = v[i] + h * way[i];
        pl__contact_rows_project(ctx, &rows, there);
        ahead = p;
        for (int i = 0; i < 12; ++i)
            there[i] = v[i] - h * way[i];
        pl__contact_rows_project(ctx, &rows, there);
        behind = p;
        pl__contact_rows_project(ctx, &rows, v);
        if (ahead.held != behind.held || ahead.sticks != behind.sticks)
            continue;
        ++smooth;
        (void)pl__contact_rows_multiply(&rows, way, out);
        for (int d = 0; d < 3; ++d)
            CHECK_NEAR((ahead.applied[d] - behind.applied[d]) / (2 * h), -out[d], 1e-5); // weight of node 0 is 1
        for (int d = 0; d < 3; ++d)
            CHECK(out[9 + d] == 0); // a node that is not free
    }
    CHECK(smooth > 290);
    pl_context_destroy(&ctx);
}

// A row that would be stopped is taken to stick; if it slides on after all, as it is again, in the end with drag.
static void pieces_follow_the_motion(void)
{
    pl_context *ctx = test_context(1);
    double v[12] = {1e-3}, stop[12] = {-1e-3}, on[12] = {1};
    pl__contact_pair p = {.contact = {.weight = {1}, .normal = {0, 1, 0}},
                          .free = {true},
                          .stiffness = 1e3,
                          .impulse = 1,
                          .radius = 0.5,
                          .friction_impulse = {-0.5}};
    pl__contact_rows rows = rows_of(&p);
    pl__contact_rows_project(ctx, &rows, v);
    CHECK(!p.sticks && p.tangent[0] == 0 && p.tangent[2] > 0);
    pl__contact_rows_choose_pieces(&rows, v, on, true);
    CHECK(p.piece == PL__ROW_AS_IT_IS);
    pl__contact_rows_choose_pieces(&rows, v, stop, false);
    CHECK(p.piece == PL__ROW_AS_IT_IS);
    stop[0] = -1.1e-3;
    pl__contact_rows_choose_pieces(&rows, v, stop, true);
    CHECK(p.piece == PL__ROW_STOPS);
    pl__contact_rows_project(ctx, &rows, v);
    CHECK_NEAR(p.model[0], -0.5 - 1e3 * 1e-3, 1e-12);
    CHECK_NEAR(p.applied[0], -0.5, 1e-12);
    CHECK(p.tangent[0] == 1e3);
    for (int k = 0; k < 10; ++k)
    {
        pl__contact_rows_choose_pieces(&rows, v, stop, true);
        pl__contact_rows_choose_pieces(&rows, v, on, false);
    }
    CHECK(p.piece == PL__ROW_DRAGS);
    pl__contact_rows_project(ctx, &rows, v);
    CHECK(p.tangent[0] > 0 && p.tangent[0] < 1e3);
    pl_context_destroy(&ctx);
}

// Forces come back as impulses of the next step, whatever its length and order, to what joins the same.
static void forces_are_remembered(void)
{
    pl_context *ctx = test_context(1);
    uint64_t key = 3;
    pl__contact_pair row[4];
    pl__row_memory memory = {0};
    for (int i = 0; i < 4; ++i)
    {
        row[i] = random_row(&key);
        row[i].contact.node[0] = 10 - i;
        row[i].impulse = i == 2 ? 0 : 1 + i;
    }
    pl__contact_rows rows = {.span = {row}, .count = {4}, .dt = 0.1};
    pl__contact_rows_remember(ctx, &rows, &memory);
    CHECK(memory.count == 3);
    for (size_t i = 1; i < memory.count; ++i)
        CHECK(pl__row_key_compare(&memory.row[i - 1].key, &memory.row[i].key) < 0);
    pl__contact_pair next[2] = {row[3], row[1]};
    for (int i = 0; i < 2; ++i)
    {
        next[i].impulse = 0;
        memset(next[i].friction_impulse, 0, sizeof next[i].friction_impulse);
    }
    next[1].contact.node[3] = 77;
    pl__contact_rows shorter = {.span = {next}, .count = {2}, .dt = 0.05};
    pl__contact_rows_recall(&shorter, &memory);
    CHECK_NEAR(next[0].impulse, 2, 1e-12);
    CHECK_NEAR(next[0].friction_impulse[0], 0.5 * row[3].friction_impulse[0], 1e-12);
    CHECK(next[0].radius == next[0].friction * next[0].impulse && next[1].impulse == 0);
    pl__row_memory_destroy(ctx, &memory);
    pl_context_destroy(&ctx);
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {TEST(impulses_obey_coulomb), TEST(impulses_are_gradients),
                                    TEST(pieces_follow_the_motion), TEST(forces_are_remembered)};
    return RUN(tests);
}

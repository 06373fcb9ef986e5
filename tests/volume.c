// tests/volume.c -- balance of volume, its payment, and spray.
#include "base/random.h"
#include "fluid/extrapolate.h"
#include "fluid/spray.h"
#include "fluid/volume.h"
#include "fluid/volume_correction.h"
#include "math/quat.h"
#include "test.h"

#define MUST(call)                                                                                                     \
    do                                                                                                                 \
    {                                                                                                                  \
        if ((call) != PL_OK)                                                                                           \
            abort();                                                                                                   \
    } while (0)

// A closed box of uniform cells with numbers to be set.
typedef struct box
{
    pl_context *ctx;
    pl__grid grid;
    pl__boundary boundary;
    pl__arena arena;
    double *u[3], *phi[2], *residual, *part, *open;
    uint8_t *liquid;
} box;

static const double far_away = 4;

static double *numbers(int32_t count)
{
    double *v = calloc((size_t)count, sizeof *v);
    if (!v)
        abort();
    return v;
}

static box make_box(const int32_t n[3], const pl__obstacles *obstacles)
{
    box b = {.ctx = test_context(1)};
    double origin[3] = {0, 0, 0};
    bool closed[6] = {1, 1, 1, 1, 1, 1};
    pl__arena_init(&b.arena, b.ctx);
    MUST(pl__grid_make_full(b.ctx, &b.grid, n, origin, 1));
    MUST(pl__boundary_update(b.ctx, &b.boundary, &b.grid, obstacles, closed));
    for (int axis = 0; axis < 3; ++axis)
        b.u[axis] = numbers(b.grid.face[axis].value_count);
    b.phi[0] = numbers(b.grid.cell.value_count);
    b.phi[1] = numbers(b.grid.cell.value_count);
    b.residual = numbers(b.grid.cell.value_count);
    b.part = numbers(b.grid.cell.value_count);
    b.open = numbers(b.grid.cell.value_count);
    pl__volume_open(&b.grid.cell, &b.boundary, obstacles, b.open);
    b.liquid = calloc((size_t)b.grid.cell.value_count, 1);
    return b;
}

static void drop_box(box *b)
{
    for (int axis = 0; axis < 3; ++axis)
        free(b->u[axis]);
    free(b->phi[0]);
    free(b->phi[1]);
    free(b->residual);
    free(b->liquid);
    free(b->open);
    free(b->part);
    pl__boundary_done(b->ctx, &b->boundary);
    pl__grid_done(b->ctx, &b->grid);
    pl__arena_done(&b->arena);
    pl_context_destroy(&b->ctx);
}

// The place of sample n of a full lattice.
static void place_of(const pl__columns *c, int32_t n, double x[3])
{
    int32_t column = n / c->ny;
    pl__grid_point(c, column % c->nx, n % c->ny, column / c->nx, x);
}

// Set the parts of a surface, and tell its volume.
static double volume(box *b, int which)
{
    pl__levelset ls = {&b->grid.cell, b->phi[which], far_away, NULL};
    pl__levelset_parts(b->ctx, &ls, b->boundary.sides, b->part);
    return pl__volume_sum(&b->grid.cell, b->part, b->open);
}

static double owed(const box *b)
{
    double sum = 0;
    for (int32_t n = 0; n < b->grid.cell.value_count; ++n)
        sum += b->residual[n];
    return sum;
}

static void balance(box *b, double dt)
{
    (void)volume(b, 0);
    pl__balance how = {.grid = &b->grid,
                       .boundary = &b->boundary,
                       .u = {b->u[0], b->u[1], b->u[2]},
                       .before = b->phi[0],
                       .after = b->phi[1],
                       .part = b->part,
                       .residual = b->residual,
                       .open = b->open,
                       .far = far_away,
                       .dt = dt};
    double entered = 0;
    MUST(pl__volume_balance(b->ctx, &how, &b->arena, b->part, b->residual, b->open, &entered));
}

static pl__volume_correction correction_of(const box *b, int which)
{
    return (pl__volume_correction){.grid = &b->grid,
                                   .boundary = &b->boundary,
                                   .far = far_away,
                                   .tolerance = 1e-4,
                                   .open = b->open,
                                   .phi = b->phi[which],
                                   .part = b->part,
                                   .residual = b->residual};
}

// Whatever phi and the velocity are: volume and what is owed have the same sum before and after; also when the surface
// is corrected, and when it lends.
static void sums_are_conserved(void)
{
    int32_t n[3] = {7, 9, 6};
    pl__obstacles none = {0};
    box b = make_box(n, &none);
    const pl__columns *c = &b.grid.cell;
    for (uint64_t seed = 0; seed < 20; ++seed)
    {
        for (int32_t m = 0; m < c->value_count; ++m)
        {
            for (int which = 0; which < 2; ++which)
                b.phi[which][m] = 4 * pl__random01(seed, (uint64_t)which, (uint64_t)m) - 2;
            b.residual[m] = pl__random01(seed, 2, (uint64_t)m) - 0.5;
        }
        for (int axis = 0; axis < 3; ++axis)
            for (int32_t m = 0; m < b.grid.face[axis].value_count; ++m)
                b.u[axis][m] = 3 * pl__random01(seed, 3 + (uint64_t)axis, (uint64_t)m) - 1.5;
        double before = volume(&b, 0) + owed(&b);
        balance(&b, 1);
        CHECK_NEAR(volume(&b, 1) + owed(&b), before, 1e-10);
        pl__volume_correction how = correction_of(&b, 1);
        MUST(pl__volume_correct(b.ctx, &how, &b.arena, b.liquid));
        CHECK_NEAR(volume(&b, 1) + owed(&b), before, 1e-10);
        MUST(pl__volume_lend(b.ctx, &how, &b.arena, before));
        CHECK_NEAR(volume(&b, 1) + owed(&b), before, 1e-10);
    }
    drop_box(&b);
}

// A flow with the divergence that pays 0.3 of what is owed, so fast that more than a cell of liquid leaves some cells:
// 0.7 is owed after it at most.
static void what_is_owed_does_not_grow(void)
{
    int32_t n[3] = {9, 9, 9};
    pl__obstacles none = {0};
    box b = make_box(n, &none);
    for (int32_t m = 0; m < b.grid.cell.value_count; ++m)
        b.phi[0][m] = b.phi[1][m] = -far_away;
    for (uint64_t seed = 0; seed < 20; ++seed)
    {
        for (int axis = 0; axis < 3; ++axis)
            for (int32_t m = 0; m < b.grid.face[axis].value_count; ++m)
                b.u[axis][m] = 2 * pl__random01(seed, (uint64_t)axis, (uint64_t)m) - 1;
        double before = 0, after = 0;
        memset(b.residual, 0, (size_t)b.grid.cell.value_count * sizeof *b.residual);
        balance(&b, 1); // leaves what has flowed out
        for (int32_t m = 0; m < b.grid.cell.value_count; ++m)
            before += fabs(b.residual[m] /= -0.3);
        balance(&b, 1);
        for (int32_t m = 0; m < b.grid.cell.value_count; ++m)
            after += fabs(b.residual[m]);
        CHECK_THAT(after <= 0.7 * before * (1 + 1e-12), "%g of %g cells", after, before);
    }
    drop_box(&b);
}

// A plane that moves with a uniform flow is right: nothing is owed but at the ends, where fluxes are unsplit; exactly
// nothing for a flow along an axis.
static void planes_move_exactly(void)
{
    int32_t n[3] = {12, 12, 12};
    pl__obstacles none = {0};
    box b = make_box(n, &none);
    const pl__columns *c = &b.grid.cell;
    const double normal[3] = {0.48, 0.8, 0.36}, speed = 0.37;
    for (int axis = 0; axis < 3; ++axis)
    {
        for (int a = 0; a < 3; ++a)
            for (int32_t m = 0; m < b.grid.face[a].value_count; ++m)
                b.u[a][m] = a == axis ? speed : 0;
        for (int32_t m = 0; m < c->value_count; ++m)
        {
            double x[3], d = -9.3;
            place_of(c, m, x);
            for (int a = 0; a < 3; ++a)
                d += normal[a] * x[a];
            b.phi[0][m] = d;
            b.phi[1][m] = d - speed * normal[axis];
            b.residual[m] = 0;
        }
        balance(&b, 1);
        double worst = 0;
        for (int32_t m = 0; m < c->value_count; ++m)
        {
            double x[3];
            place_of(c, m, x);
            bool inside = true;
            for (int a = 0; a < 3; ++a)
                inside = inside && x[a] > 2 && x[a] < 10;
            worst = inside ? fmax(worst, fabs(b.residual[m])) : worst;
        }
        CHECK_THAT(worst < 1e-12, "%g of a cell is owed along axis %d", worst, axis);
    }
    drop_box(&b);
}

// Nothing is owed to water at rest around a ball that moves: what the ball displaces, the flow carries away.
static void displacement_is_no_loss(void)
{
    int32_t n[3] = {10, 10, 10};
    pl__obstacles none = {0};
    box b = make_box(n, &none);
    for (int32_t m = 0; m < b.grid.cell.value_count; ++m)
        b.phi[0][m] = b.phi[1][m] = -far_away;
    // a moving solid that closes the half of each face within a region, in a flow whose divergence, with that, is 0
    for (int axis = 0; axis < 3; ++axis)
        for (int32_t m = 0; m < b.grid.face[axis].value_count; ++m)
        {
            double x[3];
            const pl__columns *f = &b.grid.face[axis];
            int32_t column = m / f->ny;
            pl__grid_point(f, column % f->nx, m % f->ny, column / f->nx, x);
            if (axis == 0 && x[0] > 2 && x[0] < 8)
            {
                b.boundary.open[0][m] = 0.5;
                b.boundary.speed[0][m] = -0.1 * x[0];
                b.boundary.owner[0][m] = 0;
                b.u[0][m] = 0.1 * x[0];
            }
        }
    for (int32_t m = 0; m < b.grid.cell.value_count; ++m)
        b.boundary.sides[m] |= PL__TOUCHED;
    balance(&b, 1);
    double worst = 0;
    for (int32_t m = 0; m < b.grid.cell.value_count; ++m)
    {
        double x[3];
        place_of(&b.grid.cell, m, x);
        worst = x[0] > 3 && x[0] < 7 ? fmax(worst, fabs(b.residual[m])) : worst;
    }
    CHECK_THAT(worst < 1e-12, "%g of a cell is owed", worst);
    drop_box(&b);
}

// ---- rooms -----------------------------------------------------------------------------------------------------

// A wall thinner than a cell, across a box: the rooms of the cells on each side add up to the volume there wherever it
// stands; at an angle each cell has 1 + sum over closed sides of d |n_a| - n_a^2 / 2.
static void rooms_end_at_thin_walls(void)
{
    int32_t n[3] = {9, 7, 5};
    for (int k = 0; k < 20; ++k)
    {
        pl_context *ctx = test_context(1);
        double wall = k % 2 ? 0.5 : 1. / 6, x = 3.3 + 0.1 * k, turn = k < 10 ? 0 : 11 + 3 * k, side[2] = {0, 0};
        pl_object_def def = pl_object_def_default();
        def.kind = PL_OBJECT_BOX;
        def.extent[0] = wall, def.extent[1] = def.extent[2] = 99;
        pl__shape *shape;
        MUST(pl__shape_create(ctx, &def, &shape));
        double degrees[3] = {0, 0, turn};
        pl__object o = {.shape = shape, .at = {x, 3, 2}, .before = {x, 3, 2}, .turned = pl_quat_from_degrees(degrees)};
        o.turned_before = o.turned;
        pl__object_place(&o);
        pl__obstacles all = {&o, 1};
        box b = make_box(n, &all);
        double c = cos(turn * 0.017453292519943295), s = sin(turn * 0.017453292519943295);
        for (int32_t m = 0; m < b.grid.cell.value_count; ++m)
        {
            double at[3], wanted = 1, normal[3] = {c, s, 0};
            place_of(&b.grid.cell, m, at);
            double d = fabs((at[0] - x) * c + (at[1] - 3) * s) - 0.5 * wall, sign = (at[0] - x) * c + (at[1] - 3) * s;
            side[sign > 0] += b.open[m];
            for (int a = 0; a < 2 && d > 0; ++a)
            {
                int end = sign * normal[a] < 0;
                double beyond = at[a] + (end ? 1 : -1);
                bool within = beyond > 0 && beyond < n[a];
                if (within && d < fabs(normal[a]))
                    wanted += d * fabs(normal[a]) - 0.5 * normal[a] * normal[a];
            }
            bool edge = at[0] < 1 || at[0] > n[0] - 2 || at[1] < 1 || at[1] > n[1] - 2;
            if (!edge)
                CHECK_NEAR(b.open[m], d > 0 ? wanted : 0, 1e-9);
        }
        if (turn == 0)
        {
            CHECK_NEAR(side[0], (x - 0.5 * wall) * n[1] * n[2], 1e-9);
            CHECK_NEAR(side[1], (n[0] - x - 0.5 * wall) * n[1] * n[2], 1e-9);
        }
        drop_box(&b);
        pl__shape_destroy(&shape);
        pl_context_destroy(&ctx);
    }
}

// A plane, or a ball around the middle, and a residual in each cell that the surface is in.
static double slant(const double x[3]) { return 0.48 * (x[0] - 8) + 0.8 * (x[1] - 8) + 0.36 * (x[2] - 8); }
static double ball_distance(const double x[3])
{
    return sqrt((x[0] - 8) * (x[0] - 8) + (x[1] - 8) * (x[1] - 8) + (x[2] - 8) * (x[2] - 8)) - 5;
}

static void set_surface(box *b, double (*distance)(const double x[3]), double per_cell)
{
    for (int32_t m = 0; m < b->grid.cell.value_count; ++m)
    {
        double x[3];
        place_of(&b->grid.cell, m, x);
        b->phi[0][m] = distance(x);
    }
    (void)volume(b, 0);
    for (int32_t m = 0; m < b->grid.cell.value_count; ++m)
        b->residual[m] = b->part[m] > 0 && b->part[m] < 1 ? per_cell : 0;
}

// Far more than enough, and less than nothing: after some steps phi shows it all but for the tolerance, and the surface
// is as far from where it was everywhere.
static void surfaces_show_what_is_owed(void)
{
    int32_t n[3] = {16, 16, 16};
    pl__obstacles none = {0};
    box b = make_box(n, &none);
    for (int k = 0; k < 4; ++k)
    {
        double (*distance)(const double x[3]) = k % 2 ? ball_distance : slant, least = INFINITY, most = -INFINITY;
        set_surface(&b, distance, k < 2 ? 0.3 : -0.3);
        double due = volume(&b, 0) + owed(&b);
        pl__volume_correction how = correction_of(&b, 0);
        for (int step = 0; step < 20; ++step)
            MUST(pl__volume_correct(b.ctx, &how, &b.arena, b.liquid));
        double area = 0;
        for (int32_t m = 0; m < b.grid.cell.value_count; ++m)
        {
            double x[3];
            place_of(&b.grid.cell, m, x);
            area += b.part[m] > 0 && b.part[m] < 1;
            bool near = fabs(b.phi[0][m]) < 1, inside = true;
            for (int a = 0; a < 3; ++a)
                inside = inside && x[a] > 3 && x[a] < 13;
            least = near && inside ? fmin(least, distance(x) - b.phi[0][m]) : least;
            most = near && inside ? fmax(most, distance(x) - b.phi[0][m]) : most;
        }
        CHECK_THAT(fabs(volume(&b, 0) - due) < 1e-3 * area, "%g cells of %g are missing", due - volume(&b, 0), area);
        CHECK_THAT(most - least < 0.35, "shifts from %g to %g", least, most);
        CHECK(k < 2 ? least > 0.2 : most < -0.2);
    }
    drop_box(&b);
}

// What is owed to the inside of a ball, below the tolerance or in the deep, moves nothing; a loan makes the volume
// right at once, and again when it is paid.
static void surfaces_lend(void)
{
    int32_t n[3] = {16, 16, 16};
    pl__obstacles none = {0};
    box b = make_box(n, &none);
    set_surface(&b, ball_distance, 1e-5);
    b.residual[pl__columns_uniform(&b.grid.cell, 8 + 16 * 8, 8)] = 5;
    double shown = volume(&b, 0), due = shown + owed(&b);
    pl__volume_correction how = correction_of(&b, 0);
    MUST(pl__volume_correct(b.ctx, &how, &b.arena, b.liquid));
    CHECK_NEAR(volume(&b, 0), shown, 1e-12);
    MUST(pl__volume_lend(b.ctx, &how, &b.arena, due));
    CHECK_NEAR(volume(&b, 0), due, 0.05); // 1e-4 of its area
    CHECK_NEAR(owed(&b), 0, 0.05);
    MUST(pl__volume_lend(b.ctx, &how, &b.arena, shown));
    CHECK_NEAR(volume(&b, 0), shown, 0.05);
    drop_box(&b);
}

// The first cells of air beyond a surface are free of divergence, and a stagnation flow goes on as it is.
static void flow_goes_on_beyond_the_surface(void)
{
    int32_t n[3] = {10, 10, 1};
    pl__obstacles none = {0};
    box b = make_box(n, &none);
    bool open[6] = {0};
    MUST(pl__boundary_update(b.ctx, &b.boundary, &b.grid, &none, open));
    for (int32_t m = 0; m < b.grid.cell.value_count; ++m)
    {
        double x[3];
        place_of(&b.grid.cell, m, x);
        b.liquid[m] = x[1] < 5;
    }
    for (int axis = 0; axis < 2; ++axis)
        for (int32_t m = 0; m < b.grid.face[axis].value_count; ++m)
        {
            double x[3];
            const pl__columns *f = &b.grid.face[axis];
            pl__grid_point(f, m / f->ny, m % f->ny, 0, x);
            b.u[axis][m] = x[1] > 5 + 0.1 ? 1e3 : axis == 0 ? -0.1 * x[0] : 0.1 * x[1];
        }
    MUST(pl__extrapolate_velocity(b.ctx, &b.arena, &b.grid, &b.boundary, b.liquid, 4, b.u));
    for (int32_t i = 0; i < 10; ++i)
        CHECK_NEAR(b.u[1][pl__columns_uniform(&b.grid.face[1], i, 6)], 0.6, 1e-12);
    drop_box(&b);
}

// ---- spray -----------------------------------------------------------------------------------------------------

static void add_drop(box *b, pl__spray *s, pl__drop d)
{
    if (!PL_GROW(b->ctx, s->drop, &s->capacity, (size_t)s->count + 1))
        abort();
    s->drop[s->count++] = d;
}

static void drops_fly_on_parabolas(void)
{
    int32_t n[3] = {10, 10, 10};
    pl__obstacles none = {0};
    box b = make_box(n, &none);
    pl__spray s = {0};
    const double g[3] = {0, -10, 0}, lower[3] = {0, 0, 0}, upper[3] = {10, 10, 10};
    add_drop(&b, &s, (pl__drop){{1, 1, 5}, {2, 8, 0}, 0.1, 0});
    for (int k = 0; k < 10; ++k)
        pl__spray_move(&s, 0.1, g, lower, upper, &none, 1);
    CHECK_NEAR(s.drop[0].x[0], 3, 1e-12);
    CHECK_NEAR(s.drop[0].x[1], 1 + 8 - 5, 1e-12);
    CHECK_NEAR(s.drop[0].v[1], -2, 1e-12);
    for (int k = 0; k < 100; ++k)
        pl__spray_move(&s, 0.1, g, lower, upper, &none, 1);
    CHECK(s.drop[0].x[0] <= 10 && s.drop[0].x[1] >= 0 && s.drop[0].x[1] < 0.1); // on the floor, in the corner
    pl__spray_done(b.ctx, &s);
    drop_box(&b);
}

// What becomes drops, and joins the liquid again, keeps its volume and momentum.
static void drops_come_and_go_without_loss(void)
{
    int32_t n[3] = {8, 8, 8};
    pl__obstacles none = {0};
    box b = make_box(n, &none);
    const pl__columns *c = &b.grid.cell;
    pl__spray s = {0};
    for (int32_t m = 0; m < c->value_count; ++m)
    {
        double x[3];
        place_of(c, m, x);
        b.phi[0][m] = x[1] - 3.5;
        b.residual[m] = x[1] > 5 ? 0.3 * pl__random01(1, 1, (uint64_t)m) : 0;
    }
    (void)volume(&b, 0);
    for (int axis = 0; axis < 3; ++axis)
        for (int32_t m = 0; m < b.grid.face[axis].value_count; ++m)
            b.u[axis][m] = 1 + axis;
    double before = owed(&b);
    pl__spray_source from = {&b.grid, &b.boundary, b.phi[0], b.part, b.open, b.u};
    MUST(pl__spray_shed(b.ctx, &s, &from, 7, 1, b.residual));
    CHECK_THAT(s.count > 100, "%d drops", s.count);
    CHECK_NEAR(owed(&b) + pl__spray_volume(&s), before, 1e-12);
    double air = owed(&b);
    double sum[3] = {0}, after[3] = {0};
    for (int32_t k = 0; k < s.count; ++k)
    {
        s.drop[k].x[1] -= 5; // into the liquid
        for (int a = 0; a < 3; ++a)
        {
            CHECK_NEAR(s.drop[k].v[a], 1 + a, 1e-12);
            s.drop[k].v[a] *= k + 2;
            sum[a] += s.drop[k].volume * (s.drop[k].v[a] - (1 + a));
        }
    }
    pl__spray only = {0}; // one drop at a time: each is given to a flow of 1, 2, 3
    MUST(pl__spray_copy(b.ctx, &s, &only));
    for (int32_t k = 0; k < s.count; ++k)
    {
        only.drop[0] = s.drop[k];
        only.count = 1;
        pl__spray_join(&only, &b.grid, b.phi[0], b.u, b.residual, NULL);
        CHECK(only.count == 0);
        for (int axis = 0; axis < 3; ++axis)
            for (int32_t m = 0; m < b.grid.face[axis].value_count; ++m)
            {
                after[axis] += b.u[axis][m] - (1 + axis);
                b.u[axis][m] = 1 + axis;
            }
    }
    for (int a = 0; a < 3; ++a)
        CHECK_NEAR(after[a] / sum[a], 1, 1e-10);
    CHECK_NEAR(owed(&b), before, 1e-12);
    CHECK(air >= 0);
    pl__spray_done(b.ctx, &s);
    pl__spray_done(b.ctx, &only);
    drop_box(&b);
}

// A thread of liquid that phi shows in part becomes drops by what it does not show; a layer does not.
static void threads_become_drops(void)
{
    int32_t n[3] = {8, 8, 8};
    pl__obstacles none = {0};
    for (int layer = 0; layer < 2; ++layer)
    {
        box b = make_box(n, &none);
        pl__spray s = {0};
        for (int32_t m = 0; m < b.grid.cell.value_count; ++m)
        {
            double x[3];
            place_of(&b.grid.cell, m, x);
            b.phi[0][m] = layer ? fabs(x[1] - 4) - 1.2 : hypot(x[1] - 4.5, x[2] - 4.5) - 0.3;
            b.residual[m] = b.phi[0][m] < 0 ? 0.9 : 0;
        }
        (void)volume(&b, 0);
        double before = owed(&b);
        pl__spray_source from = {&b.grid, &b.boundary, b.phi[0], b.part, b.open, b.u};
        MUST(pl__spray_shed(b.ctx, &s, &from, 7, 1, b.residual));
        CHECK((s.count > 0) == !layer);
        CHECK_NEAR(pl__spray_volume(&s), layer ? 0 : before, 1e-12);
        pl__spray_join(&s, &b.grid, b.phi[0], b.u, b.residual, NULL); // nor does a thread take them back
        CHECK((s.count > 0) == !layer);
        pl__spray_done(b.ctx, &s);
        drop_box(&b);
    }
}

// Where many drops are in a cell of liquid at once, it takes what its surface can show in a step, and the others go
// along with the liquid.
static void drops_wait_for_room(void)
{
    int32_t n[3] = {8, 8, 8};
    pl__obstacles none = {0};
    box b = make_box(n, &none);
    pl__spray s = {0}, source = {0};
    pl__drop drop[10];
    for (int32_t m = 0; m < b.grid.cell.value_count; ++m)
        b.phi[0][m] = -far_away;
    for (int axis = 0; axis < 3; ++axis)
        for (int32_t m = 0; m < b.grid.face[axis].value_count; ++m)
            b.u[axis][m] = 1 + axis;
    for (int k = 0; k < 10; ++k)
        drop[k] = (pl__drop){{4, 4, 4}, {1, 2, 3}, 0.07, 0};
    source = (pl__spray){drop, 10, 10};
    MUST(pl__spray_copy(b.ctx, &source, &s));
    for (int k = 0; k < 4; ++k)
    {
        memset(b.residual, 0, (size_t)b.grid.cell.value_count * sizeof *b.residual);
        for (int32_t d = 0; d < s.count; ++d)
            s.drop[d].v[0] = 9;
        double before = pl__spray_volume(&s);
        pl__spray_join(&s, &b.grid, b.phi[0], b.u, b.residual, NULL);
        CHECK_NEAR(owed(&b) + pl__spray_volume(&s), before, 1e-12);
        CHECK_THAT(owed(&b) < 0.28, "%g of a cell joined at once", owed(&b));
        for (int32_t d = 0; d < s.count; ++d)
            CHECK_THAT(s.drop[d].v[0] < 9, "a drop flies on at %g m/s", s.drop[d].v[0]);
    }
    CHECK(s.count == 0);
    pl__spray_done(b.ctx, &s);
    drop_box(&b);
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {TEST(sums_are_conserved),      TEST(what_is_owed_does_not_grow),
                                    TEST(planes_move_exactly),     TEST(displacement_is_no_loss),
                                    TEST(rooms_end_at_thin_walls), TEST(surfaces_show_what_is_owed),
                                    TEST(surfaces_lend),           TEST(flow_goes_on_beyond_the_surface),
                                    TEST(drops_fly_on_parabolas),  TEST(drops_come_and_go_without_loss),
                                    TEST(threads_become_drops),    TEST(drops_wait_for_room)};
    return RUN(tests);
}

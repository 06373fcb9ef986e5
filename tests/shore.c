// tests/shore.c -- where the surface of a liquid meets solids: lines go on, markers are outside, water at rest stays.
#include "fluid/shore.h"
#include "fluid/liquid.h"
#include "host.h"
#include <pliant/pliant.h>

#define MUST(call)                                                                                                     \
    do                                                                                                                 \
    {                                                                                                                  \
        if ((call) != PL_OK)                                                                                           \
            abort();                                                                                                   \
    } while (0)

static const double gravity[3] = {0, -9.81, 0};

// ---- distances -------------------------------------------------------------------------------------------------

typedef struct field
{
    pl__grid grid;
    double *phi, *solid; // [cells]
    uint8_t *known;
} field;

// A tilted surface, and solid below another plane.
static pl_status make_field(pl_context *ctx, field *f)
{
    static const int32_t n[3] = {12, 10, 6};
    static const double origin[3] = {0.1, -0.2, 0.3};
    double h = 0.1;
    PL_TRY(pl__grid_make_full(ctx, &f->grid, n, origin, h));
    const pl__columns *c = &f->grid.cell;
    f->phi = PL_NEW(ctx, c->value_count, double);
    f->solid = PL_NEW(ctx, c->value_count, double);
    f->known = PL_NEW(ctx, c->value_count, uint8_t);
    if (!f->phi || !f->solid || !f->known)
        return PL_ERR_MEMORY;
    for (int32_t column = 0; column < n[0] * n[2]; ++column)
        for (int32_t j = 0; j < n[1]; ++j)
        {
            double x[3];
            int32_t number = pl__columns_uniform(c, column, j);
            pl__grid_point(c, column % n[0], j, column / n[0], x);
            f->phi[number] = 0.2 * x[0] + 0.9 * x[1] + 0.3 * x[2] - 0.45;
            f->solid[number] = -0.3 * x[0] + 0.95 * x[1] - 0.1 * x[2] + 0.1;
            f->known[number] = f->solid[number] >= 0;
        }
    return PL_OK;
}

static void field_done(pl_context *ctx, field *f)
{
    int32_t count = f->grid.cell.value_count;
    PL_DELETE(ctx, f->phi, f->phi ? count : 0);
    PL_DELETE(ctx, f->solid, f->solid ? count : 0);
    PL_DELETE(ctx, f->known, f->known ? count : 0);
    pl__grid_done(ctx, &f->grid);
}

// A plane surface goes on as it is; farther inside than asked for, numbers stay.
static void planes_go_on_into_solids(void)
{
    pl_context *ctx = test_context(1);
    pl__arena arena;
    field f = {0};
    pl__arena_init(&arena, ctx);
    MUST(make_field(ctx, &f));
    int32_t count = f.grid.cell.value_count, set = 0, left = 0;
    double *expected = malloc((size_t)count * sizeof(double));
    for (int32_t n = 0; n < count; ++n)
    {
        expected[n] = f.phi[n];
        f.phi[n] = f.known[n] ? f.phi[n] : 7;
    }
    MUST(pl__shore_extend(&arena, &f.grid.cell, 2, NULL, NULL, false, f.known, f.phi));
    for (int32_t n = 0; n < count; ++n)
    {
        CHECK_NEAR(f.phi[n], f.known[n] ? expected[n] : 7, 1e-13);
        set += f.known[n] && f.solid[n] < 0;
        left += !f.known[n];
    }
    CHECK_THAT(set > 50 && left > 50, "%d set, %d left", set, left);
    free(expected);
    field_done(ctx, &f);
    pl__arena_done(&arena);
    pl_context_destroy(&ctx);
}

// What rises faster than a distance can is not carried on.
static void slopes_stay_those_of_distances(void)
{
    pl_context *ctx = test_context(1);
    pl__arena arena;
    field f = {0};
    pl__arena_init(&arena, ctx);
    MUST(make_field(ctx, &f));
    int32_t count = f.grid.cell.value_count, set = 0;
    for (int32_t n = 0; n < count; ++n)
        f.phi[n] = f.known[n] ? 100 * f.solid[n] : 0;
    MUST(pl__shore_extend(&arena, &f.grid.cell, 3, NULL, NULL, false, f.known, f.phi));
    for (int32_t n = 0; n < count; ++n)
    {
        CHECK_THAT(f.phi[n] >= -3 * f.grid.cell.h, "%g", f.phi[n]);
        set += f.known[n] && f.solid[n] < 0;
    }
    CHECK(set > 20);
    field_done(ctx, &f);
    pl__arena_done(&arena);
    pl_context_destroy(&ctx);
}

// Exactly the markers below the plane of the solid go; the others keep their order.
static void markers_are_outside(void)
{
    pl_context *ctx = test_context(1);
    pl__arena arena;
    field f = {0};
    pl__particles p = {0}, all = {0};
    pl__arena_init(&arena, ctx);
    MUST(make_field(ctx, &f));
    pl__levelset ls = {&f.grid.cell, f.phi, 1, NULL};
    pl__particles_def def = {8, 3, 5};
    MUST(pl__particles_seed(ctx, &p, &ls, &def, 0, &arena));
    MUST(pl__particles_copy(ctx, &p, &all));
    pl__shore_clear(&f.grid.cell, f.solid, NULL, &p);
    int32_t kept = 0;
    for (int32_t n = 0; n < all.count; ++n)
    {
        double x[3] = {all.x[0][n], all.x[1][n], all.x[2][n]}, d;
        CHECK(pl__columns_sample(&f.grid.cell, f.solid, x, &d));
        if (d < 0)
            continue;
        CHECK(kept < p.count && p.x[0][kept] == x[0] && p.x[1][kept] == x[1] && p.x[2][kept] == x[2] &&
              p.sign[kept] == all.sign[n] && p.radius[kept] == all.radius[n]);
        ++kept;
    }
    CHECK_THAT(kept == p.count && kept > 100 && kept < all.count - 100, "%d of %d, not %d", p.count, all.count, kept);
    pl__particles_done(ctx, &p);
    pl__particles_done(ctx, &all);
    field_done(ctx, &f);
    pl__arena_done(&arena);
    pl_context_destroy(&ctx);
}

static pl_status attempt(pl_context *ctx)
{
    pl__arena arena;
    field f = {0};
    pl__arena_init(&arena, ctx);
    pl_status status = make_field(ctx, &f);
    if (status == PL_OK)
        status = pl__shore_extend(&arena, &f.grid.cell, 2, NULL, NULL, false, f.known, f.phi);
    field_done(ctx, &f);
    pl__arena_done(&arena);
    return status;
}

static void every_failed_allocation_is_survived(void) { CHECK(survive_every_failure(attempt) > 5); }

// ---- water -----------------------------------------------------------------------------------------------------

static double level_surface(void *user, const double x[3], double v[3])
{
    v[0] = v[1] = v[2] = 0;
    return x[1] - *(const double *)user;
}

// A beach is as good a shore as a wall: over slopes that water ends on, |u| stays at round-off.
static void water_rests_on_beaches(void)
{
    static const double slope[] = {0.2, 1.3, -0.05}, depth[] = {0.1, 0, 0};
    static const int32_t cells[][3] = {{64, 16, 1}, {64, 16, 1}, {24, 12, 6}};
    for (int k = 0; k < 3; ++k)
    {
        pl_context *ctx = test_context(2);
        pl_object_def def = pl_object_def_default();
        def.kind = PL_OBJECT_PLANE;
        def.normal[0] = -slope[k], def.normal[1] = 1, def.normal[2] = k == 2 ? 0.4 : 0;
        def.at[0] = 0.3;
        pl__shape *shape;
        MUST(pl__shape_create(ctx, &def, &shape));
        pl__object beach = {.shape = shape, .turned = pl_quat_from_degrees(def.rotate)};
        memcpy(beach.at, def.at, sizeof beach.at);
        memcpy(beach.before, def.at, sizeof beach.before);
        beach.turned_before = beach.turned;
        pl__object_place(&beach);
        pl__obstacles obstacles = {&beach, 1};
        double level = k == 2 ? 0.0937 : 0.3137;
        pl__liquid_def liquid = {.cells = {cells[k][0], cells[k][1], cells[k][2]},
                                 .h = k == 2 ? 1. / 24 : 1. / 32,
                                 .depth = depth[k],
                                 .closed = {1, 1, 1, 1, 1, 1},
                                 .cfl = 1,
                                 .tolerance = 1e-4,
                                 .density = 1000};
        pl__liquid *l;
        pl__liquid_sums sums;
        MUST(pl__liquid_create(ctx, &liquid, level_surface, &level, &obstacles, &l));
        for (int n = 0; n < 50; ++n)
            MUST(pl__liquid_step(l, fmin(pl__liquid_longest_step(l, gravity), 0.05), gravity, &obstacles));
        MUST(pl__liquid_sum(l, &sums));
        CHECK_THAT(sums.speed < 1e-9, "slope %g: %g m/s", slope[k], sums.speed);
        CHECK_NEAR(sums.volume, l->start_volume, 1e-9 * l->start_volume);
        pl__liquid_destroy(&l);
        pl__shape_destroy(&shape);
        pl_context_destroy(&ctx);
    }
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {TEST(planes_go_on_into_solids), TEST(slopes_stay_those_of_distances),
                                    TEST(markers_are_outside), TEST(every_failed_allocation_is_survived),
                                    TEST(water_rests_on_beaches)};
    return RUN(tests);
}

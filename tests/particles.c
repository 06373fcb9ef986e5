// tests/particles.c -- particle level sets: published tests of interfaces that stretch and return, and properties.
#include "fluid/particles.h"
#include "base/hash.h"
#include "base/random.h"
#include "base/real_math.h"
#include "fluid/grid.h"
#include "host.h"
#include "test.h"

#define MUST(call)                                                                                                     \
    do                                                                                                                 \
    {                                                                                                                  \
        if ((call) != PL_OK)                                                                                           \
            abort();                                                                                                   \
    } while (0)

static const double pi = 3.14159265358979323846;

// ---- flows ---------------------------------------------------------------------------------------------------------

typedef struct published
{
    pl__flow *flow;
    pl__distance_function *shape;
    double period, speed; // [s], [m/s] the largest
    bool plane;
    int32_t register_bytes;
} published;

// sin and cos of pi x for a batch, with the library's functions: the same bits everywhere.
static void sincos_pi(const published *c, int32_t count, const double *x, double *sine, double *cosine)
{
    double angle[PL__FLOW_BATCH] = {0};
    for (int32_t n = 0; n < count; ++n)
        angle[n] = pi * x[n];
    PL_PICK(c->register_bytes, pl__sincos_batch)((count + 7) / 8 * 8, angle, sine, cosine);
}

// Once around the middle in a second.
static void rotation(void *user, double time, int32_t count, const double *const x[3], double *const v[3])
{
    (void)user, (void)time;
    for (int32_t n = 0; n < count; ++n)
    {
        v[0][n] = 2 * pi * (0.5 - x[1][n]);
        v[1][n] = 2 * pi * (x[0][n] - 0.5);
        v[2][n] = 0;
    }
}

// Bell, Colella & Glaz 1989, reversed in time by a cosine (LeVeque 1996).
static void vortex(void *user, double time, int32_t count, const double *const x[3], double *const v[3])
{
    const published *c = user;
    double s[2][PL__FLOW_BATCH], o[2][PL__FLOW_BATCH], turn = cos(pi * time / c->period);
    for (int axis = 0; axis < 2; ++axis)
        sincos_pi(c, count, x[axis], s[axis], o[axis]);
    for (int32_t n = 0; n < count; ++n)
    {
        v[0][n] = -turn * s[0][n] * s[0][n] * 2 * s[1][n] * o[1][n];
        v[1][n] = turn * s[1][n] * s[1][n] * 2 * s[0][n] * o[0][n];
        v[2][n] = 0;
    }
}

// LeVeque 1996, Enright et al. 2002.
static void deformation(void *user, double time, int32_t count, const double *const x[3], double *const v[3])
{
    const published *c = user;
    double s[3][PL__FLOW_BATCH], o[3][PL__FLOW_BATCH], turn = cos(pi * time / c->period);
    for (int axis = 0; axis < 3; ++axis)
        sincos_pi(c, count, x[axis], s[axis], o[axis]);
    for (int32_t n = 0; n < count; ++n)
    {
        double two[3], square[3];
        for (int axis = 0; axis < 3; ++axis)
        {
            two[axis] = 2 * s[axis][n] * o[axis][n];
            square[axis] = s[axis][n] * s[axis][n];
        }
        v[0][n] = 2 * turn * square[0] * two[1] * two[2];
        v[1][n] = -turn * two[0] * square[1] * two[2];
        v[2][n] = -turn * two[0] * two[1] * square[2];
    }
}

// ---- shapes --------------------------------------------------------------------------------------------------------

static double disk(void *user, const double x[3])
{
    (void)user;
    return hypot(x[0] - 0.5, x[1] - 0.75) - 0.15;
}

// Zalesak 1979: a disk with a slot, 0.05 wide and 0.25 deep.
static double slotted_disk(void *user, const double x[3])
{
    double aside = fabs(x[0] - 0.5) - 0.025, over = x[1] - 0.85;
    double slot = aside > 0 && over > 0 ? hypot(aside, over) : fmax(aside, over);
    return fmax(disk(user, x), -slot);
}

static double sphere(void *user, const double x[3])
{
    (void)user;
    return sqrt((x[0] - 0.35) * (x[0] - 0.35) + (x[1] - 0.35) * (x[1] - 0.35) + (x[2] - 0.35) * (x[2] - 0.35)) - 0.15;
}

static const published zalesak = {rotation, slotted_disk, 1, 3.1416, true, 0},
                       single_vortex = {vortex, disk, 8, 1, true, 0}, leveque = {deformation, sphere, 3, 2, false, 0};

// ---- a run ---------------------------------------------------------------------------------------------------------

typedef struct trial
{
    pl_context *ctx;
    published flow;
    pl__motion motion;
    pl__columns cell;
    pl__levelset ls;
    double *next; // phi of the next step
    pl__arena scratch;
    pl__particles_def def;
    pl__particles particles;
    pl__strays strays;
    double time;
} trial;

static void set_shape(trial *t)
{
    const pl__columns *c = &t->cell;
    for (int32_t column = 0; column < c->nx * c->nz; ++column)
        for (size_t r = c->start[column]; r < c->start[column + 1]; ++r)
            for (int32_t n = 0; n < pl__run_numbers(&c->run[r]); ++n)
            {
                double x[3];
                pl__grid_point(c, column % c->nx, c->run[r].j0 + n, column / c->nx, x);
                t->ls.phi[c->run[r].first + n] = t->flow.shape(NULL, x);
            }
}

// Cells of the unit square or cube, N along each axis. With `depth` > 0 [m], deeper ones are tall, and those as far
// outside are not stored.
static pl_status make_cells(pl_context *ctx, pl__columns *c, const published *flow, int32_t N, double depth)
{
    int32_t n[3] = {N, N, flow->plane ? 1 : N};
    double h = 1.0 / N, origin[3] = {0.5 * h, 0.5 * h, 0.5 * h};
    PL_TRY(pl__columns_begin(ctx, c, n, origin, h));
    for (int32_t column = 0; column < n[0] * n[2]; ++column)
    {
        for (int32_t j = 0, kind = 0, from = 0; j <= N; ++j)
        {
            double x[3];
            pl__grid_point(c, column % N, j, column / N, x);
            double d = depth > 0 && j < N ? flow->shape(NULL, x) : 0;
            int32_t here = j == N ? 3 : d < -depth ? 1 : d > depth ? 2 : 0; // uniform, tall, none
            if (j > 0 && here != kind && kind != 2)
                PL_TRY(pl__columns_add(ctx, c, from, j - 1, kind ? PL__RUN_LINEAR : PL__RUN_UNIFORM));
            from = j == 0 || here != kind ? j : from;
            kind = here;
        }
        pl__columns_end_column(c);
    }
    return PL_OK;
}

static pl_status try_begin(pl_context *ctx, trial *t, const published *flow, int32_t N, double cfl, int32_t per_cell,
                           double depth)
{
    *t = (trial){.ctx = ctx, .flow = *flow, .def = {per_cell, 3, 11}};
    t->flow.register_bytes = pl_context_register_bytes(ctx);
    t->motion = (pl__motion){.flow = flow->flow, .user = &t->flow};
    pl__arena_init(&t->scratch, ctx);
    PL_TRY(make_cells(ctx, &t->cell, flow, N, depth));
    t->ls = (pl__levelset){&t->cell, PL_NEW(ctx, t->cell.value_count, double), (cfl + 6) / N, NULL};
    t->next = PL_NEW(ctx, t->cell.value_count, double);
    if (!t->ls.phi || !t->next)
        return PL_ERR_MEMORY;
    set_shape(t);
    return pl__particles_seed(ctx, &t->particles, &t->ls, &t->def, 0, &t->scratch);
}

static void begin(pl_context *ctx, trial *t, const published *flow, int32_t N, double cfl, int32_t per_cell)
{
    MUST(try_begin(ctx, t, flow, N, cfl, per_cell, 0));
}

static void end(trial *t)
{
    pl_context *ctx = t->ctx;
    int32_t count = t->cell.value_count;
    PL_DELETE(ctx, t->ls.phi, t->ls.phi ? count : 0);
    PL_DELETE(ctx, t->next, t->next ? count : 0);
    pl__columns_done(ctx, &t->cell);
    pl__particles_done(ctx, &t->particles);
    pl__strays_done(ctx, &t->strays);
    pl__arena_done(&t->scratch);
}

static pl_status step(trial *t, uint64_t number, double dt, double cfl)
{
    pl_context *ctx = t->ctx;
    pl__levelset *ls = &t->ls;
    pl__levelset_advect(ctx, ls, &t->motion, t->time, dt, (cfl + 4) * ls->cell->h, t->next);
    double *swap = ls->phi;
    ls->phi = t->next, t->next = swap;
    pl__particles_move(ctx, &t->particles, ls->cell, &t->motion, t->time, dt);
    t->time += dt;
    PL_TRY(pl__particles_correct(ctx, &t->particles, ls, true, &t->scratch));
    PL_TRY(pl__levelset_redistance(ctx, ls, &t->scratch));
    PL_TRY(pl__particles_correct(ctx, &t->particles, ls, false, &t->scratch));
    PL_TRY(pl__particles_finish(ctx, &t->particles, ls, &t->scratch, &t->strays));
    if (number % 20 == 19)
        PL_TRY(pl__particles_reseed(ctx, &t->particles, ls, &t->def, number + 1, &t->scratch));
    return PL_OK;
}

// Volume lost and misplaced after a period, in percent of the volume.
static void return_of(const published *flow, int32_t N, double cfl, int32_t per_cell, double loss_limit,
                      double misplaced_limit)
{
    pl_context *ctx = test_context(1);
    trial t;
    begin(ctx, &t, flow, N, cfl, per_cell);
    int32_t steps = (int32_t)ceil(flow->period * flow->speed * N / cfl), seeded = t.particles.count;
    double before, after, wrong;
    MUST(pl__levelset_volume(ctx, &t.ls, NULL, &t.scratch, &before));
    for (int32_t n = 0; n < steps; ++n)
        MUST(step(&t, (uint64_t)n, flow->period / steps, cfl));
    MUST(pl__levelset_volume(ctx, &t.ls, NULL, &t.scratch, &after));
    MUST(pl__levelset_misplaced(ctx, &t.ls, flow->shape, NULL, &t.scratch, &wrong));
    double loss = 100 * (1 - after / before), misplaced = 100 * wrong / before;
    printf("     %d cells, CFL %g: %.2f %% lost, %.2f %% misplaced, particles %d to %d, %zu strays\n", N, cfl, loss,
           misplaced, seeded, t.particles.count, t.strays.count);
    CHECK(pl__particles_is_valid(&t.particles));
    CHECK_THAT(fabs(loss) < loss_limit, "%g %% lost, not below %g", loss, loss_limit);
    CHECK_THAT(misplaced < misplaced_limit, "%g %% misplaced, not below %g", misplaced, misplaced_limit);
    end(&t);
    pl_context_destroy(&ctx);
}

// Limits are 1.25 times what the method was found to reach when it was chosen; of sphere and vortex at CFL 4, 40 and
// 64, what it does here. Seeds make a difference of 10 %. Published by Enright et al. 2002, as recalled: disk 14.9,
// 0.31, 0.20 % lost at 50, 100, 200; vortex 1.81, 0.71 at 64, 128; sphere 2.6 at 100.
static void zalesaks_disk_returns(void)
{
    return_of(&zalesak, 50, 1, 16, 1.25 * 2.1, 1.25 * 3.2);
    return_of(&zalesak, 100, 1, 16, 1.25 * 0.62, 1.25 * 0.55);
}
static void zalesaks_disk_returns_fine(void) { return_of(&zalesak, 200, 1, 16, 1.25 * 0.17, 1.25 * 0.23); }
static void vortex_returns(void) { return_of(&single_vortex, 64, 1, 16, 1.25 * 2.5, 1.25 * 3.0); }
static void vortex_returns_fine(void) { return_of(&single_vortex, 128, 1, 16, 1.25 * 0.82, 1.25 * 1.1); }
static void vortex_returns_at_large_steps(void)
{
    return_of(&single_vortex, 64, 4, 16, 1.25 * 1.1, 1.25 * 3.1);
    return_of(&single_vortex, 128, 4, 16, 1.25 * 0.5, 1.25 * 0.83);
}
static void deformed_sphere_returns(void)
{
    return_of(&leveque, 40, 4, 32, 1.25 * 4.7, 1.25 * 6.1);
    if (slow_tests)
        return_of(&leveque, 64, 4, 32, 1.25 * 2.5, 1.25 * 3.1);
}
static void deformed_sphere_returns_fine(void) { return_of(&leveque, 100, 4, 32, 2.6, 1.25 * 1.3); }

// ---- seeding -------------------------------------------------------------------------------------------------------

static uint64_t hash_of(const trial *t)
{
    const pl__particles *p = &t->particles;
    size_t n = (size_t)p->count;
    uint64_t h = pl__hash(0, &p->count, sizeof p->count);
    for (int axis = 0; axis < 3; ++axis)
        h = pl__hash(h, p->x[axis], n * sizeof(double));
    h = pl__hash(h, p->radius, n * sizeof(float));
    h = pl__hash(h, p->sign, n);
    return pl__hash(h, p->escaped, n);
}

static double depth_of(const trial *t, int32_t n)
{
    const pl__particles *p = &t->particles;
    return p->sign[n] * pl__levelset_sample(&t->ls, p->x[0][n], p->x[1][n], p->x[2][n]);
}

static int32_t cell_of(const trial *t, int32_t n)
{
    int32_t at[3];
    for (int axis = 0; axis < 3; ++axis)
        at[axis] = (int32_t)floor((t->particles.x[axis][n] - t->cell.origin[axis]) / t->cell.h + 0.5);
    return pl__columns_uniform(&t->cell, at[0] + t->cell.nx * at[2], at[1]);
}

// Particles are on their side, within the band, with radii that touch the surface unless bounded; in a plane they stay
// in its middle. Reseeding keeps that, sorts by cells, and leaves between a half and twice as many as asked for in
// cells that are all on one side.
static void seeds_are_in_the_band(void)
{
    pl_context *ctx = test_context(1);
    for (int k = 0; k < 4; ++k)
    {
        trial t;
        int32_t per_cell = k & 1 ? 16 : 24;
        begin(ctx, &t, k & 1 ? &single_vortex : &leveque, k & 1 ? 64 : 32, 1, per_cell);
        if (k & 2)
            MUST(pl__particles_reseed(ctx, &t.particles, &t.ls, &t.def, 5, &t.scratch));
        int32_t *in_cell = calloc((size_t)t.cell.value_count, sizeof *in_cell), full = 0;
        for (int32_t n = 0; n < t.particles.count; ++n)
        {
            double d = depth_of(&t, n) / t.cell.h, r = t.particles.radius[n] / t.cell.h;
            CHECK(d > 0.0199 && d < 3.001);
            CHECK_NEAR(r, fmin(d, 0.5), 1e-6);
            CHECK(!(k & 1) || t.particles.x[2][n] == t.cell.origin[2]);
            CHECK(!(k & 2) || n == 0 || cell_of(&t, n - 1) <= cell_of(&t, n));
            in_cell[cell_of(&t, n)]++;
        }
        for (int32_t n = 0; n < t.cell.value_count; ++n)
            if (k & 2 && fabs(t.ls.phi[n]) > 1.3 * t.cell.h && fabs(t.ls.phi[n]) < 2 * t.cell.h)
            {
                CHECK_THAT(in_cell[n] >= per_cell / 2 && in_cell[n] <= 2 * per_cell, "%d", in_cell[n]);
                ++full;
            }
        CHECK(!(k & 2) || full > 50);
        free(in_cell);
        end(&t);
    }
    pl_context_destroy(&ctx);
}

// Seeding is a function of its keys.
static void seeds_depend_on_their_keys(void)
{
    pl_context *ctx = test_context(1);
    trial t;
    begin(ctx, &t, &leveque, 24, 1, 8);
    uint64_t h = hash_of(&t);
    MUST(pl__particles_seed(ctx, &t.particles, &t.ls, &t.def, 0, &t.scratch));
    CHECK(hash_of(&t) == h);
    MUST(pl__particles_seed(ctx, &t.particles, &t.ls, &t.def, 1, &t.scratch));
    CHECK(hash_of(&t) != h);
    t.def.seed = 12;
    MUST(pl__particles_seed(ctx, &t.particles, &t.ls, &t.def, 0, &t.scratch));
    CHECK(hash_of(&t) != h);
    end(&t);
    pl_context_destroy(&ctx);
}

// Escaped particles outlive reseeding where they are, and are not counted.
static void reseeding_keeps_the_escaped(void)
{
    pl_context *ctx = test_context(1);
    trial t;
    begin(ctx, &t, &leveque, 24, 1, 8);
    pl__particles *p = &t.particles;
    int32_t flipped = 0, found = 0;
    for (int32_t n = 0; n < p->count; n += 7, ++flipped)
        p->sign[n] = (int8_t)-p->sign[n];
    MUST(pl__particles_reseed(ctx, p, &t.ls, &t.def, 3, &t.scratch));
    for (int32_t n = 0; n < p->count; ++n)
        found += depth_of(&t, n) < 0;
    CHECK_THAT(found == flipped, "%d of %d", found, flipped);
    end(&t);
    pl_context_destroy(&ctx);
}

// ---- motion --------------------------------------------------------------------------------------------------------

static void below_seven_tenths(void *user, double time, int32_t count, const double *const from[3], double *const x[3])
{
    (void)user, (void)from;
    CHECK_NEAR(time, 0.1, 1e-15);
    for (int32_t n = 0; n < count; ++n)
        x[1][n] = fmin(x[1][n], 0.7);
}

// A tenth of a turn in 20 steps; each step turns by a = pi/100 and errs by a^4/24 of the radius, 4e-7 in all. The
// constraint holds after a move.
static void particles_follow_the_flow(void)
{
    pl_context *ctx = test_context(1);
    trial t;
    begin(ctx, &t, &zalesak, 50, 1, 16);
    pl__particles *p = &t.particles;
    double *before[2], dt = 0.1 / 20;
    for (int axis = 0; axis < 2; ++axis)
    {
        before[axis] = malloc((size_t)p->count * sizeof(double));
        memcpy(before[axis], p->x[axis], (size_t)p->count * sizeof(double));
    }
    for (int k = 0; k < 20; ++k)
        pl__particles_move(ctx, p, &t.cell, &t.motion, k * dt, dt);
    for (int32_t n = 0; n < p->count; ++n)
    {
        double x = before[0][n] - 0.5, y = before[1][n] - 0.5, c = cos(0.2 * pi), s = sin(0.2 * pi);
        CHECK_NEAR(p->x[0][n], 0.5 + c * x - s * y, 4e-7);
        CHECK_NEAR(p->x[1][n], 0.5 + s * x + c * y, 4e-7);
        CHECK(p->x[2][n] == t.cell.origin[2]);
    }
    t.motion.constrain = below_seven_tenths;
    pl__particles_move(ctx, p, &t.cell, &t.motion, 0.1, 0);
    for (int32_t n = 0; n < p->count; ++n)
        CHECK(p->x[1][n] <= 0.7);
    free(before[0]);
    free(before[1]);
    end(&t);
    pl_context_destroy(&ctx);
}

// ---- correction ----------------------------------------------------------------------------------------------------

// phi as the formula at the top of particles.c says, by all particles for all cells.
static void correct_slowly(const trial *t, double *result)
{
    const pl__particles *p = &t->particles;
    for (int32_t cell = 0; cell < t->cell.value_count; ++cell)
    {
        int32_t N = t->cell.nx, at[3] = {cell / N % N, cell % N, cell / (N * N)};
        double x[3], above = t->ls.phi[cell], below = above;
        pl__grid_point(&t->cell, at[0], at[1], at[2], x);
        for (int32_t n = 0; n < p->count; ++n)
        {
            double d[3] = {p->x[0][n] - x[0], p->x[1][n] - x[1], p->x[2][n] - x[2]}, h = t->cell.h;
            if (fabs(d[0]) >= h || fabs(d[1]) >= h || fabs(d[2]) >= h || depth_of(t, n) >= 0)
                continue;
            double sphere = p->radius[n] - sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
            above = p->sign[n] > 0 ? fmax(above, sphere) : above;
            below = p->sign[n] < 0 ? fmin(below, -sphere) : below;
        }
        result[cell] = fabs(above) <= fabs(below) ? above : below;
    }
}

// Particles on their side change nothing. Others, shaken over the surface, change phi by the formula, in any order.
static void corrections_are_maxima(void)
{
    pl_context *ctx = test_context(1);
    trial t;
    begin(ctx, &t, &leveque, 20, 1, 4);
    pl__particles *p = &t.particles;
    size_t bytes = (size_t)t.cell.value_count * sizeof(double);
    double *before = malloc(bytes), *slow = malloc(bytes), *fast = malloc(bytes);
    memcpy(before, t.ls.phi, bytes);
    MUST(pl__particles_correct(ctx, p, &t.ls, true, &t.scratch));
    CHECK(memcmp(before, t.ls.phi, bytes) == 0);
    for (int32_t n = 0; n < p->count; ++n)
        for (int axis = 0; axis < 3; ++axis)
            p->x[axis][n] += t.cell.h * (pl__random01(1, 2, (uint64_t)(3 * n + axis)) - 0.5);
    correct_slowly(&t, slow);
    MUST(pl__particles_correct(ctx, p, &t.ls, true, &t.scratch));
    CHECK(memcmp(slow, before, bytes) != 0);
    for (int32_t n = 0; n < t.cell.value_count; ++n)
        CHECK_NEAR(t.ls.phi[n], slow[n], 1e-15);
    memcpy(fast, t.ls.phi, bytes);
    // backwards
    memcpy(t.ls.phi, before, bytes);
    for (int32_t a = 0, b = p->count - 1; a < b; ++a, --b)
    {
        for (int axis = 0; axis < 3; ++axis)
        {
            double swap = p->x[axis][a];
            p->x[axis][a] = p->x[axis][b], p->x[axis][b] = swap;
        }
        float r = p->radius[a];
        p->radius[a] = p->radius[b], p->radius[b] = r;
        int8_t s = p->sign[a];
        p->sign[a] = p->sign[b], p->sign[b] = s;
    }
    MUST(pl__particles_correct(ctx, p, &t.ls, true, &t.scratch));
    CHECK(memcmp(fast, t.ls.phi, bytes) == 0);
    free(before);
    free(slow);
    free(fast);
    end(&t);
    pl_context_destroy(&ctx);
}

static void put(trial *t, int32_t n, double x, double y, double z)
{
    t->particles.x[0][n] = x, t->particles.x[1][n] = y, t->particles.x[2][n] = z;
}

// A liquid particle 2 h out in the air is handed over after two steps, one 1.2 h out is not; one that has left the
// cells is gone, and handed over if it was in the air.
static void strays_are_handed_over(void)
{
    pl_context *ctx = test_context(1);
    trial t;
    begin(ctx, &t, &leveque, 32, 1, 8);
    pl__particles *p = &t.particles;
    double h = t.cell.h, out = 0.35 + 0.15 + 2 * h;
    int32_t count = p->count, liquid[4], found = 0;
    for (int32_t n = 0; n < count && found < 4; ++n)
        if (p->sign[n] < 0)
            liquid[found++] = n;
    float radius = p->radius[liquid[0]];
    put(&t, liquid[0], out, 0.35, 0.35);
    put(&t, liquid[1], out - 0.8 * h, 0.35, 0.35);
    put(&t, liquid[2], 0.35, -0.01, 0.35);
    put(&t, liquid[3], NAN, 0.35, 0.35);
    for (int k = 0; k < 2; ++k)
    {
        MUST(pl__particles_correct(ctx, p, &t.ls, true, &t.scratch));
        set_shape(&t);
        MUST(pl__particles_correct(ctx, p, &t.ls, false, &t.scratch)); // is no step
        set_shape(&t);
        MUST(pl__particles_finish(ctx, p, &t.ls, &t.scratch, &t.strays));
        CHECK_THAT(p->count == count - 2 - k, "%d of %d", p->count, count);
        CHECK(t.strays.count == (size_t)(1 + k));
    }
    const pl__stray *s = &t.strays.item[1];
    CHECK(s->x[0] == out && s->x[1] == 0.35 && s->x[2] == 0.35 && s->sign == -1);
    CHECK(s->radius == radius);
    CHECK(pl__particles_is_valid(p));
    end(&t);
    pl_context_destroy(&ctx);
}

// ---- whole steps ---------------------------------------------------------------------------------------------------

static double large_ball(void *user, const double x[3])
{
    (void)user;
    return sqrt((x[0] - 0.5) * (x[0] - 0.5) + (x[1] - 0.5) * (x[1] - 0.5) + (x[2] - 0.5) * (x[2] - 0.5)) - 0.31;
}
static const published slow_deformation = {deformation, large_ball, 3, 2, false, 0};

static void same_bits_for_all_registers_and_threads(void)
{
    static const int32_t threads[] = {1, 2, 7};
    uint64_t first = 0;
    for (int k = 0; k < 4; ++k)
    {
        setenv("PLIANT_SIMD", k == 3 ? "16" : "64", 1);
        pl_context *ctx = test_context(threads[k % 3]);
        unsetenv("PLIANT_SIMD");
        trial t;
        begin(ctx, &t, &leveque, 32, 2, 8);
        for (uint64_t n = 0; n < 21; ++n)
            MUST(step(&t, n, 2 / 64.0, 2));
        uint64_t h = pl__hash(hash_of(&t), t.ls.phi, (size_t)t.cell.value_count * sizeof(double));
        CHECK_THAT(k == 0 || h == first, "%d threads", threads[k % 3]);
        first = k == 0 ? h : first;
        end(&t);
        pl_context_destroy(&ctx);
    }
}

// With tall cells deep inside and nothing stored far outside: the same particles, and the same phi to the last digits.
static void tall_and_missing_cells_change_nothing(void)
{
    pl_context *ctx = test_context(1);
    trial f, g;
    MUST(try_begin(ctx, &f, &slow_deformation, 56, 1, 4, 0));
    MUST(try_begin(ctx, &g, &slow_deformation, 56, 1, 4, 14.0 / 56));
    CHECK(g.cell.value_count < f.cell.value_count - 50000);
    for (uint64_t n = 0; n < 5; ++n)
    {
        MUST(step(&f, n + 17, 0.25 / 56, 1));
        MUST(step(&g, n + 17, 0.25 / 56, 1));
    }
    for (int32_t column = 0; column < 56 * 56; ++column)
        for (int32_t j = 0; j < 56; ++j)
        {
            int32_t a = pl__columns_uniform(&f.cell, column, j), b = pl__columns_uniform(&g.cell, column, j);
            if (b >= 0)
                CHECK_NEAR(f.ls.phi[a], g.ls.phi[b], 1e-12);
        }
    CHECK(f.particles.count == g.particles.count && hash_of(&f) == hash_of(&g));
    end(&f);
    end(&g);
    pl_context_destroy(&ctx);
}

static pl_status attempt(pl_context *ctx)
{
    trial t;
    pl_status status = try_begin(ctx, &t, &leveque, 12, 1, 4, 0);
    for (uint64_t n = 17; n < 21 && status == PL_OK; ++n)
    {
        if (n == 18) // a stray
            put(&t, 0, 0.35, 2, 0.35);
        status = step(&t, n, 0.01, 1);
        CHECK(pl__particles_is_valid(&t.particles));
    }
    end(&t);
    return status;
}

static void every_failed_allocation_is_survived(void) { CHECK(survive_every_failure(attempt) >= 23); }

// Between reseedings, from the second step on.
static void steps_allocate_nothing(void)
{
    pl_context *ctx = test_context(1);
    trial t;
    begin(ctx, &t, &leveque, 20, 1, 8);
    for (uint64_t n = 0; n < 2; ++n)
        MUST(step(&t, n, 0.01, 1));
    int64_t before = ctx->allocation_count;
    for (uint64_t n = 2; n < 6; ++n)
        MUST(step(&t, n, 0.01, 1));
    CHECK(ctx->allocation_count == before);
    end(&t);
    pl_context_destroy(&ctx);
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {TEST(seeds_are_in_the_band),
                                    TEST(seeds_depend_on_their_keys),
                                    TEST(reseeding_keeps_the_escaped),
                                    TEST(particles_follow_the_flow),
                                    TEST(corrections_are_maxima),
                                    TEST(strays_are_handed_over),
                                    LONG_TEST(same_bits_for_all_registers_and_threads),
                                    LONG_TEST(tall_and_missing_cells_change_nothing),
                                    TEST(every_failed_allocation_is_survived),
                                    TEST(steps_allocate_nothing),
                                    LONG_TEST(zalesaks_disk_returns),
                                    LONG_TEST(vortex_returns),
                                    LONG_TEST(vortex_returns_at_large_steps),
                                    LONG_TEST(deformed_sphere_returns),
                                    SLOW_TEST(vortex_returns_fine),
                                    SLOW_TEST(zalesaks_disk_returns_fine),
                                    SLOW_TEST(deformed_sphere_returns_fine)};
    return RUN(tests);
}

// src/fluid/foam.c -- birth, motion and end of bubbles and foam.
#include "foam.h"
#include "base/random.h"
#include "base/task.h"

#include <math.h>
#include <string.h>

static const double bubble_size = 0.0125;  // diameter of bubbles [m]
static const double entrain_speed = 0.25;  // at which they rise in water on Earth [m/s]
static const double smallest = 0.04;       // radius of a patch [cells]
static const double spread = 0.08;         // and how much larger they get
static const double skin = 0.25;           // bubbles so near the surface burst, and foam so far from it [cells] ...
static const double deepest_foam = 1.0;    // ... goes under
static const double farthest_in_air = 1.5; // [cells]

void pl__foam_done(pl_context *ctx, pl__foam *f)
{
    PL_DELETE(ctx, f->item, f->capacity);
    *f = (pl__foam){0};
}

pl_status pl__foam_copy(pl_context *ctx, const pl__foam *from, pl__foam *to)
{
    if (!PL_GROW(ctx, to->item, &to->capacity, (size_t)from->count + 1))
        return PL_ERR_MEMORY;
    if (from->count > 0)
        memcpy(to->item, from->item, (size_t)from->count * sizeof *to->item);
    to->count = from->count;
    return PL_OK;
}

// From half of the mean life to one and a half.
static double life_of(const pl__froth *p, double h, double life)
{
    return life * (0.5 + (p->radius / h - smallest) / spread);
}

double pl__foam_radius(const pl__froth *p, double h, double life)
{
    double left = 1 - p->age / life_of(p, h, life);
    return p->kind == PL__BUBBLE ? p->radius : p->radius * sqrt(left > 0 ? left : 0);
}

// ---- motion ----------------------------------------------------------------------------------------------------

typedef struct moving
{
    pl__froth *item;
    const pl__foam_def *def;
    const pl__motion *motion;
    const pl__levelset *after;
    double dt, relax, rise[3]; // relax: part of the way to the final velocity that is left after dt
} moving;

static double depth_at(const pl__levelset *ls, const double x[3], double normal[3])
{
    double h = ls->cell->h, size2 = 0;
    for (int a = 0; a < 3; ++a)
    {
        double p[3] = {x[0], x[1], x[2]}, q[3] = {x[0], x[1], x[2]};
        p[a] += 0.5 * h, q[a] -= 0.5 * h;
        normal[a] = pl__levelset_sample(ls, p[0], p[1], p[2]) - pl__levelset_sample(ls, q[0], q[1], q[2]);
        size2 += normal[a] * normal[a];
    }
    for (int a = 0; a < 3; ++a)
        normal[a] /= sqrt(size2) + 1e-9 * h;
    return pl__levelset_sample(ls, x[0], x[1], x[2]);
}

// Bubbles that reach the surface are foam, and back; foam stays on the surface.
static void settle(const moving *m, pl__froth *p)
{
    double h = m->after->cell->h, normal[3], phi = depth_at(m->after, p->x, normal);
    if (p->kind == PL__BUBBLE && phi > -skin * h)
        p->kind = PL__FOAM;
    else if (p->kind == PL__FOAM && phi < -deepest_foam * h)
        p->kind = PL__BUBBLE;
    if (phi > farthest_in_air * h || p->age >= life_of(p, h, m->def->life))
        p->kind = PL__BURST;
    for (int a = 0; a < 3 && p->kind == PL__FOAM; ++a)
        p->x[a] -= phi * normal[a];
}

// A batch: velocities of the water where they are, the way of a step, and where that ends.
static void move_items(void *argument, int32_t begin, int32_t end)
{
    const moving *m = argument;
    double x[3][PL__FLOW_BATCH], u[3][PL__FLOW_BATCH], from[3][PL__FLOW_BATCH];
    double *const to[3] = {x[0], x[1], x[2]};
    const double *const was[3] = {from[0], from[1], from[2]};
    int32_t count = end - begin;
    for (int a = 0; a < 3; ++a)
        for (int32_t n = 0; n < count; ++n)
            from[a][n] = m->item[begin + n].x[a];
    m->motion->flow(m->motion->user, 0, count, was, (double *const[3]){u[0], u[1], u[2]});
    for (int32_t n = 0; n < count; ++n)
    {
        pl__froth *p = &m->item[begin + n];
        p->age += p->kind == PL__FOAM ? m->dt : 0;
        for (int a = 0; a < 3; ++a)
        {
            double final = u[a][n] + (p->kind == PL__BUBBLE ? m->rise[a] : 0);
            p->v[a] = final + (p->kind == PL__BUBBLE ? m->relax : 0) * (p->v[a] - final);
            x[a][n] = p->x[a] + m->dt * p->v[a];
        }
    }
    for (int32_t n = 0; n < count; ++n)
    {
        pl__froth *p = &m->item[begin + n];
        for (int a = 0; a < 3; ++a)
            p->x[a] = x[a][n];
        settle(m, p);
        for (int a = 0; a < 3; ++a)
            x[a][n] = p->x[a];
    }
    if (m->motion->constrain)
        m->motion->constrain(m->motion->user, m->dt, count, was, to);
    for (int a = 0; a < 3; ++a)
        for (int32_t n = 0; n < count; ++n)
            m->item[begin + n].x[a] = x[a][n];
}

static void sweep_up(pl__foam *f)
{
    int32_t left = 0;
    for (int32_t n = 0; n < f->count; ++n)
        if (f->item[n].kind != PL__BURST)
            f->item[left++] = f->item[n];
    f->count = left;
}

void pl__foam_move(pl_context *ctx, pl__foam *f, const pl__foam_def *def, const pl__motion *motion,
                   const pl__levelset *after, double dt, const double gravity[3])
{
    double g = sqrt(gravity[0] * gravity[0] + gravity[1] * gravity[1] + gravity[2] * gravity[2]);
    double speed = sqrt(0.5 * g * bubble_size), ratio = g > 0 ? dt * 2 * g / speed : 0;
    moving m = {f->item, def, motion, after, dt, 1 / (1 + ratio), {0}}; // implicit Euler
    for (int a = 0; a < 3 && g > 0; ++a)
        m.rise[a] = -speed * gravity[a] / g;
    pl__parallel_for(ctx, f->count, PL__FLOW_BATCH, move_items, &m);
    sweep_up(f);
}

// ---- birth -----------------------------------------------------------------------------------------------------

typedef struct birth
{
    const pl__foam_def *def;
    const pl__grid *grid;
    const pl__levelset *ls;
    double *const *u;
    double dt;
    uint64_t step;
} birth;

static double fluctuation(const birth *b, const double x[3])
{
    double g[3][3], sum = 0;
    pl__grid_gradient(b->grid, b->u, x, g);
    for (int n = 0; n < 9; ++n)
        sum += g[n / 3][n % 3] * g[n / 3][n % 3];
    return b->ls->cell->h * sqrt(sum);
}

static pl__froth newborn(const birth *b, const double center[3], uint64_t key)
{
    double h = b->ls->cell->h, normal[3], size = pl__random01(b->def->seed, b->step, key + 3);
    pl__froth p = {.radius = h * (smallest + spread * size * size * size)};
    for (int a = 0; a < 3; ++a)
        p.x[a] =
            center[a] +
            (a == 2 && b->grid->cell.nz == 1 ? 0 : h * (pl__random01(b->def->seed, b->step, key + (uint64_t)a) - 0.5));
    p.kind = depth_at(b->ls, p.x, normal) > -skin * h ? PL__FOAM : PL__BUBBLE;
    if (!pl__grid_velocity(b->grid, b->u, p.x, p.v))
        memset(p.v, 0, sizeof p.v);
    return p;
}

// How many are born in a cell of the surface: their mean, rounded at random.
static int32_t litter(const birth *b, const double x[3], uint64_t key)
{
    double excess = fluctuation(b, x) - entrain_speed;
    if (excess <= 0)
        return 0;
    double mean = b->def->amount * b->dt * excess * b->ls->cell->inverse_h;
    return (int32_t)floor(fmin(mean, 8) + pl__random01(b->def->seed, b->step, key));
}

static pl_status bear_in(pl_context *ctx, pl__foam *f, const birth *b, const double x[3], uint64_t cell)
{
    uint64_t key = 0x666f616d00000000ull + 64 * cell;
    int32_t count = litter(b, x, key);
    for (int32_t n = 0; n < count && f->count < PL__FOAM_MOST; ++n)
    {
        if (!PL_GROW(ctx, f->item, &f->capacity, (size_t)f->count + 1))
            return PL_ERR_MEMORY;
        f->item[f->count++] = newborn(b, x, key + 4 + 4 * (uint64_t)n);
    }
    return PL_OK;
}

pl_status pl__foam_bear(pl_context *ctx, pl__foam *f, const pl__foam_def *def, const pl__grid *grid,
                        const pl__levelset *ls, const double *distance, double *const u[3], double dt, uint64_t step)
{
    const pl__columns *c = &grid->cell;
    birth b = {def, grid, ls, u, dt, step};
    for (int32_t column = 0; column < c->nx * c->nz; ++column)
        for (size_t r = c->start[column]; r < c->start[column + 1]; ++r)
        {
            const pl__run *run = &c->run[r];
            for (int32_t j = run->j0; run->kind == PL__RUN_UNIFORM && j <= run->j1; ++j)
            {
                int32_t n = run->first + j - run->j0;
                double x[3];
                if (ls->phi[n] >= 0 || ls->phi[n] < -c->h || distance[n] <= 0.5 * c->h)
                    continue;
                pl__grid_point(c, column % c->nx, j, column / c->nx, x);
                PL_TRY(bear_in(ctx, f, &b, x, (uint64_t)column * (uint64_t)c->ny + (uint64_t)j));
            }
        }
    return PL_OK;
}

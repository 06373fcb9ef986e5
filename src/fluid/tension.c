// src/fluid/tension.c -- curvature by local fits, and its push on faces.
#include "tension.h"
#include "base/task.h"
#include "pressure.h"

#include <math.h>
#include <string.h>

enum
{
    REACH = 3,            // cells that a fit sees
    WIDE = REACH + 1,     // with their neighbours
    SIDE = 2 * WIDE + 1,  // of a block of samples
    TERMS = 6,            // of a fit
    COLUMNS_PER_TASK = 64 //
};

// ---- samples around a cell -------------------------------------------------------------------------------------

// phi [cells] around a cell; j fastest, then i.
typedef struct block
{
    double phi[SIDE * SIDE * SIDE];
} block;

static int32_t mirrored(int32_t i, int32_t n)
{
    int32_t period = 2 * n, m = ((i % period) + period) % period;
    return m < n ? m : period - 1 - m;
}

static void load(const pl__levelset *ls, int32_t i, int32_t j, int32_t k, block *b)
{
    const pl__columns *c = ls->cell;
    for (int32_t z = 0; z < SIDE; ++z)
        for (int32_t x = 0; x < SIDE; ++x)
        {
            int32_t column = mirrored(i + x - WIDE, c->nx) + c->nx * mirrored(k + z - WIDE, c->nz);
            const pl__main_run *m = &c->main[column];
            double *to = b->phi + SIDE * (x + SIDE * z);
            if (j - WIDE >= m->j0 && j + WIDE <= m->j1)
                memcpy(to, ls->phi + m->base + j - WIDE, SIDE * sizeof *to);
            else
                for (int32_t y = 0; y < SIDE; ++y)
                    to[y] = pl__levelset_at(ls, column, mirrored(j + y - WIDE, c->ny));
        }
    for (int n = 0; n < SIDE * SIDE * SIDE; ++n)
        b->phi[n] *= c->inverse_h;
}

static int place(int x, int y, int z) { return y + WIDE + SIDE * (x + WIDE + SIDE * (z + WIDE)); }

static const int stride[3] = {SIDE, 1, SIDE *SIDE};

// Twice the gradient, by central differences.
static void slope_at(const block *b, int at, double g[3])
{
    for (int axis = 0; axis < 3; ++axis)
        g[axis] = b->phi[at + stride[axis]] - b->phi[at - stride[axis]];
}

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// ---- fit -------------------------------------------------------------------------------------------------------

// A frame on the surface: two directions along it and the outward normal, in cells from the center of a cell.
typedef struct frame
{
    double origin[3], along[2][3], normal[3];
} frame;

// Normal equations of a fit; the upper triangle.
typedef struct fit
{
    double a[TERMS][TERMS], rhs[TERMS];
    int32_t count;
} fit;

static bool make_frame(const block *b, frame *f)
{
    int middle = place(0, 0, 0), least = 0;
    slope_at(b, middle, f->normal);
    double length = sqrt(dot(f->normal, f->normal)), side[3] = {0, 0, 0};
    if (!(length > 1e-6))
        return false;
    for (int axis = 0; axis < 3; ++axis)
    {
        f->normal[axis] /= length;
        f->origin[axis] = -b->phi[middle] * f->normal[axis];
        least = fabs(f->normal[axis]) < fabs(f->normal[least]) ? axis : least;
    }
    side[least] = 1;
    double across = sqrt(1 - f->normal[least] * f->normal[least]);
    for (int axis = 0; axis < 3; ++axis)
        f->along[0][axis] = (side[axis] - f->normal[least] * f->normal[axis]) / across;
    for (int axis = 0; axis < 3; ++axis)
    {
        int p = (axis + 1) % 3, q = (axis + 2) % 3;
        f->along[1][axis] = f->normal[p] * f->along[0][q] - f->normal[q] * f->along[0][p];
    }
    return true;
}

static void add_point(fit *t, const frame *f, const double x[3])
{
    double d[3] = {x[0] - f->origin[0], x[1] - f->origin[1], x[2] - f->origin[2]}, far = dot(d, d) / (REACH * REACH);
    if (far >= 1)
        return;
    double s = dot(d, f->along[0]), r = dot(d, f->along[1]), z = dot(d, f->normal);
    double near = (1 - far) * (1 - far), weight = near * near * near * near, bend = 1 + z * z / (s * s + r * r + 1e-12);
    double term[TERMS] = {1, s, r, bend * s * s, bend * 2 * s * r, bend * r * r};
    if (bend > 2) // steeper than 45 degrees: another part of the surface
        return;
    for (int p = 0; p < TERMS; ++p)
    {
        for (int q = p; q < TERMS; ++q)
            t->a[p][q] += weight * term[p] * term[q];
        t->rhs[p] += weight * term[p] * z;
    }
    t->count++;
}

// All edges of the lattice that the surface cuts, where it faces the same way.
static void collect(const block *b, const frame *f, fit *t)
{
    for (int z = -REACH; z <= REACH; ++z)
        for (int x = -REACH; x <= REACH; ++x)
            for (int y = -REACH; y <= REACH; ++y)
                for (int axis = 0, at = place(x, y, z); axis < 3; ++axis)
                {
                    double p = b->phi[at], q = b->phi[at + stride[axis]];
                    if ((p < 0) == (q < 0))
                        continue;
                    double g[3], part = p / (p - q), point[3] = {x, y, z};
                    slope_at(b, at, g);
                    point[axis] += part;
                    if (dot(g, f->normal) > 0)
                        add_point(t, f, point);
                }
}

// Cholesky's factorization and both substitutions, in place. False: the points do not determine the surface.
static bool solve(fit *t)
{
    for (int p = 0; p < TERMS; ++p)
    {
        double scale = t->a[p][p];
        for (int k = 0; k < p; ++k)
            t->a[p][p] -= t->a[k][p] * t->a[k][p];
        if (!(t->a[p][p] > 1e-6 * scale))
            return false;
        t->a[p][p] = sqrt(t->a[p][p]);
        for (int q = p + 1; q < TERMS; ++q)
        {
            for (int k = 0; k < p; ++k)
                t->a[p][q] -= t->a[k][p] * t->a[k][q];
            t->a[p][q] /= t->a[p][p];
        }
    }
    for (int p = 0; p < TERMS; ++p)
    {
        for (int k = 0; k < p; ++k)
            t->rhs[p] -= t->a[k][p] * t->rhs[k];
        t->rhs[p] /= t->a[p][p];
    }
    for (int p = TERMS - 1; p >= 0; --p)
    {
        for (int k = p + 1; k < TERMS; ++k)
            t->rhs[p] -= t->a[p][k] * t->rhs[k];
        t->rhs[p] /= t->a[p][p];
    }
    return true;
}

// div n of z = c + a s + b s^2, liquid below, at s = 0 [1/cells].
static double curvature_of(const double c[TERMS])
{
    double a1 = c[1], a2 = c[2], steep = 1 + a1 * a1 + a2 * a2;
    double sum = (1 + a2 * a2) * 2 * c[3] + (1 + a1 * a1) * 2 * c[5] - 2 * a1 * a2 * 2 * c[4];
    return -sum / (steep * sqrt(steep));
}

static double curvature_at(const pl__levelset *ls, int32_t i, int32_t j, int32_t k)
{
    block b;
    frame f;
    fit t = {.count = 0};
    load(ls, i, j, k, &b);
    if (!make_frame(&b, &f))
        return 0;
    collect(&b, &f, &t);
    if (t.count < TERMS || !solve(&t))
        return 0;
    double kappa = curvature_of(t.rhs);
    return fmax(-2, fmin(2, kappa)) * ls->cell->inverse_h;
}

// ---- where the surface will be -------------------------------------------------------------------------------

typedef struct foresight
{
    const pl__levelset *ls;
    const pl__grid *grid;
    double *const *u;
    double dt, *ahead;
} foresight;

// u . grad phi at the center of a cell.
static double change_at(const foresight *job, int32_t i, int32_t j, int32_t k)
{
    const pl__columns *c = job->ls->cell;
    const int32_t n[3] = {c->nx, c->ny, c->nz}, at[3] = {i, j, k};
    double sum = 0;
    for (int axis = 0; axis < 3; ++axis)
    {
        double v[2], u = 0;
        for (int end = 0; end < 2; ++end)
        {
            int32_t to[3] = {i, j, k};
            to[axis] = mirrored(at[axis] + 2 * end - 1, n[axis]);
            v[end] = pl__levelset_at(job->ls, to[0] + c->nx * to[2], to[1]);
            u += 0.5 * job->u[axis][pl__grid_face(job->grid, i, j, k, axis, end)];
        }
        sum += u * 0.5 * (v[1] - v[0]) * c->inverse_h;
    }
    return sum;
}

static void foresee_columns(void *argument, int32_t begin, int32_t end)
{
    const foresight *job = argument;
    const pl__columns *c = job->ls->cell;
    for (int32_t column = begin; column < end; ++column)
        for (size_t r = c->start[column]; r < c->start[column + 1]; ++r)
        {
            const pl__run *run = &c->run[r];
            for (int32_t n = 0; n < pl__run_numbers(run); ++n)
            {
                int32_t number = run->first + n;
                double phi = job->ls->phi[number];
                bool near = run->kind == PL__RUN_UNIFORM && fabs(phi) < 2 * c->h;
                job->ahead[number] =
                    near ? phi - job->dt * change_at(job, column % c->nx, run->j0 + n, column / c->nx) : phi;
            }
        }
}

void pl__tension_foresee(pl_context *ctx, const pl__levelset *ls, const pl__grid *grid, double *const u[3], double dt,
                         double *ahead)
{
    foresight job = {ls, grid, u, dt, ahead};
    pl__parallel_for(ctx, ls->cell->nx * ls->cell->nz, COLUMNS_PER_TASK, foresee_columns, &job);
}

// ---- all cells at the surface ----------------------------------------------------------------------------------

typedef struct curving
{
    const pl__levelset *ls;
    double *curvature;
} curving;

// Whether one of the six neighbours of a cell is on the other side.
static bool is_cut(const pl__levelset *ls, int32_t i, int32_t j, int32_t k, double phi)
{
    const pl__columns *c = ls->cell;
    if (fabs(phi) > 2 * c->h)
        return false;
    int32_t column = i + c->nx * k;
    return (i > 0 && (pl__levelset_at(ls, column - 1, j) < 0) != (phi < 0)) ||
           (i + 1 < c->nx && (pl__levelset_at(ls, column + 1, j) < 0) != (phi < 0)) ||
           (k > 0 && (pl__levelset_at(ls, column - c->nx, j) < 0) != (phi < 0)) ||
           (k + 1 < c->nz && (pl__levelset_at(ls, column + c->nx, j) < 0) != (phi < 0)) ||
           (j > 0 && (pl__levelset_at(ls, column, j - 1) < 0) != (phi < 0)) ||
           (j + 1 < c->ny && (pl__levelset_at(ls, column, j + 1) < 0) != (phi < 0));
}

static void curve_columns(void *argument, int32_t begin, int32_t end)
{
    const curving *job = argument;
    const pl__columns *c = job->ls->cell;
    for (int32_t column = begin; column < end; ++column)
        for (size_t r = c->start[column]; r < c->start[column + 1]; ++r)
        {
            const pl__run *run = &c->run[r];
            for (int32_t n = 0; n < pl__run_numbers(run); ++n)
            {
                int32_t number = run->first + n, i = column % c->nx, j = run->j0 + n, k = column / c->nx;
                bool cut = run->kind == PL__RUN_UNIFORM && is_cut(job->ls, i, j, k, job->ls->phi[number]);
                job->curvature[number] = cut ? curvature_at(job->ls, i, j, k) : 0;
            }
        }
}

void pl__tension_curvature(pl_context *ctx, const pl__levelset *ls, double *curvature)
{
    curving job = {ls, curvature};
    pl__parallel_for(ctx, ls->cell->nx * ls->cell->nz, COLUMNS_PER_TASK, curve_columns, &job);
}

// ---- keeping phi -----------------------------------------------------------------------------------------------

typedef struct keeping
{
    const pl__levelset before, *after;
} keeping;

// 1 up to `low`, 0 from `high` on.
static double falling(double x, double low, double high) { return fmax(0, fmin(1, (high - x) / (high - low))); }

// |grad phi| by central differences; at the ends of the stored rows by one side.
static double slope_of(const pl__levelset *ls, int32_t i, int32_t j, int32_t k)
{
    const pl__columns *c = ls->cell;
    const int32_t n[3] = {c->nx, c->ny, c->nz}, at[3] = {i, j, k};
    double sum = 0;
    for (int axis = 0; axis < 3; ++axis)
    {
        double v[2];
        for (int end = 0; end < 2; ++end)
        {
            int32_t to[3] = {i, j, k};
            to[axis] = mirrored(at[axis] + 2 * end - 1, n[axis]);
            v[end] = pl__levelset_at(ls, to[0] + c->nx * to[2], to[1]);
        }
        double wall = at[axis] == 0 || at[axis] == n[axis] - 1 ? 1 : 0.5, slope = wall * (v[1] - v[0]) * c->inverse_h;
        sum += slope * slope;
    }
    return sqrt(sum);
}

static void keep_columns(void *argument, int32_t begin, int32_t end)
{
    const keeping *job = argument;
    const pl__columns *c = job->before.cell;
    for (int32_t column = begin; column < end; ++column)
        for (size_t r = c->start[column]; r < c->start[column + 1]; ++r)
        {
            const pl__run *run = &c->run[r];
            for (int32_t j = run->j0; run->kind == PL__RUN_UNIFORM && j <= run->j1; ++j)
            {
                int32_t n = run->first + j - run->j0;
                double was = job->before.phi[n], near = falling(fabs(was) * c->inverse_h, 1, 2);
                if (near <= 0)
                    continue;
                near *= falling(fabs(slope_of(&job->before, column % c->nx, j, column / c->nx) - 1), 0.05, 0.2);
                job->after->phi[n] += near * (was - job->after->phi[n]);
            }
        }
}

void pl__tension_keep(pl_context *ctx, double *before, const pl__levelset *after)
{
    keeping job = {{after->cell, before, after->far, NULL}, after};
    pl__parallel_for(ctx, after->cell->nx * after->cell->nz, COLUMNS_PER_TASK, keep_columns, &job);
}

// ---- push ------------------------------------------------------------------------------------------------------

typedef struct pushing
{
    const pl__tension *t;
    double *u;
    int axis;
} pushing;

// The push on a face between the cells with numbers `below` and `above`.
static double push_between(const pl__tension *t, int32_t below, int32_t above)
{
    if (!t->liquid[below] == !t->liquid[above])
        return 0;
    int32_t in = t->liquid[below] ? below : above, out = t->liquid[below] ? above : below;
    double theta = pl__pressure_theta(t->phi[in], t->phi[out]);
    double kappa = t->curvature[in] + theta * (t->curvature[out] - t->curvature[in]);
    return (in == below ? -1 : 1) * t->strength * kappa / theta;
}

static void push_columns(void *argument, int32_t begin, int32_t end)
{
    const pushing *job = argument;
    const pl__tension *t = job->t;
    const pl__columns *f = &t->grid->face[job->axis], *c = &t->grid->cell;
    for (int32_t column = begin; column < end; ++column)
    {
        int32_t i = column % f->nx, k = column / f->nx, before = i - (job->axis == 0) + c->nx * (k - (job->axis == 2));
        if (i >= c->nx || k >= c->nz || i < (job->axis == 0) || k < (job->axis == 2))
            continue;
        for (size_t r = f->start[column]; r < f->start[column + 1]; ++r)
        {
            const pl__run *run = &f->run[r];
            for (int32_t j = run->j0; run->kind == PL__RUN_UNIFORM && j <= run->j1; ++j)
            {
                int32_t n = run->first + j - run->j0;
                if (t->boundary->open[job->axis][n] <= 0)
                    continue;
                int32_t above = j < c->ny ? pl__columns_uniform(c, i + c->nx * k, j) : -1;
                int32_t below = above >= 0 ? pl__columns_uniform(c, before, j - (job->axis == 1)) : -1;
                if (below >= 0)
                    job->u[n] += push_between(t, below, above);
            }
        }
    }
}

void pl__tension_push(pl_context *ctx, const pl__tension *t, double *const u[3])
{
    for (int axis = 0; axis < 3; ++axis)
    {
        pushing job = {t, u[axis], axis};
        const pl__columns *f = &t->grid->face[axis];
        pl__parallel_for(ctx, f->nx * f->nz, COLUMNS_PER_TASK, push_columns, &job);
    }
}

double pl__tension_frequency2(double h, double gravity, double tension, double density)
{
    double k = M_PI / h;
    return gravity * k + tension * k * k * k / density;
}

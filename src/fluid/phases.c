// src/fluid/phases.c -- division of a liquid among several, their counts of volume, and densities of faces.
//
// All cells are uniform.
#include "phases.h"
#include "base/task.h"
#include "stretch.h"
#include "volume.h"

#include <math.h>
#include <string.h>

enum
{
    COLUMNS_PER_TASK = 32,
    ROUNDS = 4 // of limits on what a donor gives
};

void pl__phases_done(pl_context *ctx, pl__phases *p)
{
    PL_DELETE(ctx, p->phi, p->phi_capacity);
    PL_DELETE(ctx, p->part, p->part_capacity);
    PL_DELETE(ctx, p->volume, p->volume_capacity);
    for (int32_t i = 0; i < PL__MOST_LIQUIDS; ++i)
        pl__particles_done(ctx, &p->markers[i]);
    *p = (pl__phases){0};
}

pl_status pl__phases_reserve(pl_context *ctx, const pl__columns *cell, int32_t count, pl__phases *p)
{
    size_t numbers = (size_t)count * (size_t)cell->value_count + 1;
    p->count = count;
    bool fits = PL_GROW(ctx, p->phi, &p->phi_capacity, numbers) && PL_GROW(ctx, p->part, &p->part_capacity, numbers) &&
                PL_GROW(ctx, p->volume, &p->volume_capacity, numbers);
    return fits ? PL_OK : PL_ERR_MEMORY;
}

// ---- division --------------------------------------------------------------------------------------------------

typedef struct division
{
    pl__phases *p;
    size_t stride;
} division;

static void divide_cells(void *argument, int32_t begin, int32_t end)
{
    const division *job = argument;
    const pl__phases *p = job->p;
    for (int32_t n = begin; n < end; ++n)
    {
        double *phi = p->phi + n, least = INFINITY, second = INFINITY;
        if (p->count == 2)
        {
            phi[job->stride] = -phi[0];
            continue;
        }
        for (int32_t i = 0; i < p->count; ++i)
        {
            double value = phi[(size_t)i * job->stride];
            second = value < least ? least : value < second ? value : second;
            least = value < least ? value : least;
        }
        double mean = 0.5 * (least + second);
        for (int32_t i = 0; i < p->count; ++i)
            phi[(size_t)i * job->stride] -= mean;
    }
}

static void scale_parts(void *argument, int32_t begin, int32_t end)
{
    const division *job = argument;
    const pl__phases *p = job->p;
    for (int32_t n = begin; n < end; ++n)
    {
        double *part = p->part + n, sum = 0;
        int32_t least = 0;
        for (int32_t i = 0; i < p->count; ++i)
        {
            sum += part[(size_t)i * job->stride];
            if (p->phi[(size_t)i * job->stride + (size_t)n] < p->phi[(size_t)least * job->stride + (size_t)n])
                least = i;
        }
        for (int32_t i = 0; i < p->count; ++i)
            part[(size_t)i * job->stride] = sum > 0 ? part[(size_t)i * job->stride] / sum : i == least;
    }
}

void pl__phases_divide(pl_context *ctx, const pl__columns *cell, double far, const uint8_t *sides, double *own,
                       pl__phases *p)
{
    division job = {p, (size_t)cell->value_count};
    pl__parallel_for(ctx, cell->value_count, 16384, divide_cells, &job);
    for (int32_t i = 0; i < p->count; ++i)
    {
        pl__levelset ls = {cell, pl__phase(p->phi, cell, i), far, NULL};
        pl__levelset_parts(ctx, &ls, sides, pl__phase(p->part, cell, i));
    }
    if (own)
        memcpy(own, p->part, (size_t)p->count * job.stride * sizeof *own);
    pl__parallel_for(ctx, cell->value_count, 16384, scale_parts, &job);
}

// ---- volume ----------------------------------------------------------------------------------------------------

typedef struct flow_job
{
    const pl__phases_flow *f;
    const pl__phases *from;
    pl__phases *to;
    size_t cells;
    double *flux[3]; // [count][numbers of faces]
    double *out;     // [columns][count] through open sides [cells]
} flow_job;

// What a donor has, and gives through its sides.
typedef struct donor
{
    int32_t count;
    double has[PL__MOST_LIQUIDS];      // C
    double out[6];                     // through each side [cells] >= 0
    double share[6][PL__MOST_LIQUIDS]; // of each liquid in that
} donor;

static double phi_beside(const flow_job *job, const double *phi, const pl__cell_stretch *s, int32_t j, int side)
{
    bool seen = s->kind[side] == PL__BESIDE_UNIFORM && !(job->f->boundary->sides[s->own + j] >> side & 1);
    return phi[(seen ? s->cell[side] : s->own) + j];
}

// The part of what leaves a cell through a side that liquid i has by its place; `way` is how far that comes from.
static double place_of(const flow_job *job, int32_t i, const pl__cell_stretch *s, int32_t j, int side, double way)
{
    const double *phi = job->from->phi + (size_t)i * job->cells;
    double h = job->f->grid->cell.h, value = phi[s->own + j], edge[3];
    int axis = side / 2;
    if (fabs(value) > 2 * h)
        return value < 0;
    for (int a = 0; a < 3; ++a)
    {
        double slope = 0.5 * (phi_beside(job, phi, s, j, 2 * a + 1) - phi_beside(job, phi, s, j, 2 * a));
        if (a == axis)
            value += slope * (2 * (side % 2) - 1) * 0.5 * (1 - way);
        edge[a] = fabs(slope) * (a == axis ? way : 1);
    }
    return pl__part_below(value, edge);
}

// Scale the shares of a side to a sum of 1.
static void complete(const donor *d, const double fallback[], double share[])
{
    double sum = 0;
    for (int32_t i = 0; i < d->count; ++i)
        sum += share[i];
    for (int32_t i = 0; i < d->count; ++i)
        share[i] = sum > 0 ? share[i] / sum : fallback[i];
}

// Shares by place, as far as the counts agree with what phi shows; what they have beyond that is mixed evenly.
static void find_shares(const flow_job *job, const pl__cell_stretch *s, int32_t j, const double way[6], donor *d)
{
    double sum = 0, part[PL__MOST_LIQUIDS];
    for (int32_t i = 0; i < d->count; ++i)
    {
        part[i] = job->from->part[(size_t)i * job->cells + (size_t)(s->own + j)];
        sum += d->has[i];
    }
    for (int side = 0; side < 6; ++side)
    {
        if (d->out[side] <= 0)
            continue;
        for (int32_t i = 0; i < d->count; ++i)
        {
            double full = sum > 0 ? d->has[i] / sum : part[i], shown = fmin(full, part[i]);
            d->share[side][i] = full - shown;
            if (shown > 0)
                d->share[side][i] += shown / part[i] * place_of(job, i, s, j, side, way[side]);
        }
        complete(d, part, d->share[side]);
    }
}

// No liquid gives more than there is of it, as far as a few rounds get.
static void limit_shares(donor *d)
{
    for (int round = 0; round < ROUNDS; ++round)
    {
        bool any = false;
        double scale[PL__MOST_LIQUIDS];
        for (int32_t i = 0; i < d->count; ++i)
        {
            double gives = 0;
            for (int side = 0; side < 6; ++side)
                gives += d->out[side] > 0 ? d->out[side] * d->share[side][i] : 0;
            scale[i] = gives > d->has[i] ? d->has[i] / gives : 1;
            any = any || scale[i] < 1;
        }
        if (!any)
            return;
        for (int side = 0; side < 6; ++side)
        {
            double before[PL__MOST_LIQUIDS];
            if (d->out[side] <= 0)
                continue;
            for (int32_t i = 0; i < d->count; ++i)
            {
                before[i] = d->share[side][i];
                d->share[side][i] *= scale[i];
            }
            complete(d, before, d->share[side]);
        }
    }
}

// The only liquid of a cell, and far from all others; -1: there may be several.
static int32_t only_liquid(const flow_job *job, int32_t n)
{
    int32_t only = -1;
    for (int32_t i = 0; i < job->from->count; ++i)
    {
        size_t at = (size_t)i * job->cells + (size_t)n;
        bool here = job->from->phi[at] < 2 * job->f->grid->cell.h || job->from->volume[at] > 0;
        if (here && only >= 0)
            return -1;
        only = here ? i : only;
    }
    return only;
}

static void give(const flow_job *job, const pl__cell_stretch *s, int32_t j)
{
    const pl__phases_flow *f = job->f;
    int32_t n = s->own + j, only = only_liquid(job, n);
    donor d = {.count = job->from->count};
    double way[6];
    bool any = false;
    for (int side = 0; side < 6; ++side)
    {
        int32_t face = s->face[side] + j;
        double flow = f->flux[side / 2][face];
        d.out[side] = side % 2 ? flow : -flow;
        way[side] = fmin(fabs(f->u[side / 2][face]) * f->dt / f->grid->cell.h, 1);
        any = any || d.out[side] > 0;
    }
    for (int32_t i = 0; any && only < 0 && i < d.count; ++i)
        d.has[i] = fmax(job->from->volume[(size_t)i * job->cells + (size_t)n], 0);
    if (any && only < 0)
    {
        find_shares(job, s, j, way, &d);
        limit_shares(&d);
    }
    for (int side = 0; side < 6; ++side)
        for (int32_t i = 0; d.out[side] > 0 && i < d.count; ++i)
        {
            size_t faces = (size_t)f->grid->face[side / 2].value_count;
            double share = only < 0 ? d.share[side][i] : i == only;
            job->flux[side / 2][(size_t)i * faces + (size_t)(s->face[side] + j)] =
                (side % 2 ? 1 : -1) * d.out[side] * share;
        }
}

static void give_columns(void *argument, int32_t begin, int32_t end)
{
    const flow_job *job = argument;
    pl__cell_stretch s;
    for (int32_t column = begin; column < end; ++column)
        for (pl__cell_walk w = pl__cell_walk_begin(job->f->grid, column); pl__cell_walk_next(&w, &s);)
            for (int32_t j = s.j0; j <= s.j1; ++j)
                give(job, &s, j);
}

static void take_columns(void *argument, int32_t begin, int32_t end)
{
    const flow_job *job = argument;
    const pl__phases_flow *f = job->f;
    pl__cell_stretch s;
    for (int32_t column = begin; column < end; ++column)
    {
        double *out = job->out + (size_t)column * (size_t)job->from->count;
        memset(out, 0, (size_t)job->from->count * sizeof *out);
        for (pl__cell_walk w = pl__cell_walk_begin(f->grid, column); pl__cell_walk_next(&w, &s);)
            for (int32_t i = 0; i < job->from->count; ++i)
                for (int32_t j = s.j0; j <= s.j1; ++j)
                {
                    double sum = 0;
                    for (int side = 0; side < 6; ++side)
                    {
                        size_t faces = (size_t)f->grid->face[side / 2].value_count;
                        double flow = job->flux[side / 2][(size_t)i * faces + (size_t)(s.face[side] + j)];
                        sum += side % 2 ? flow : -flow;
                        out[i] += s.kind[side] == PL__BESIDE_OUTSIDE ? (side % 2 ? flow : -flow) : 0;
                    }
                    size_t at = (size_t)i * job->cells + (size_t)(s.own + j);
                    job->to->volume[at] = job->from->volume[at] - sum;
                }
    }
}

pl_status pl__phases_balance(pl_context *ctx, const pl__phases_flow *f, pl__arena *scratch, const pl__phases *from,
                             pl__phases *to)
{
    pl__arena_mark mark = pl__arena_set_mark(scratch);
    const pl__columns *c = &f->grid->cell;
    int32_t columns = c->nx * c->nz;
    flow_job job = {.f = f, .from = from, .to = to, .cells = (size_t)c->value_count};
    job.out = PL_TAKE(scratch, (size_t)columns * (size_t)from->count + 1, double);
    bool taken = job.out != NULL;
    for (int axis = 0; axis < 3; ++axis)
    {
        size_t faces = (size_t)from->count * (size_t)f->grid->face[axis].value_count;
        job.flux[axis] = PL_TAKE(scratch, faces + 1, double);
        taken = taken && job.flux[axis];
        if (job.flux[axis])
            memset(job.flux[axis], 0, faces * sizeof(double));
    }
    if (taken)
    {
        double h3 = c->h * c->h * c->h;
        pl__parallel_for(ctx, columns, COLUMNS_PER_TASK, give_columns, &job);
        pl__parallel_for(ctx, columns, COLUMNS_PER_TASK, take_columns, &job);
        for (int32_t i = 0; i < from->count; ++i)
        {
            double left = 0;
            for (int32_t column = 0; column < columns; ++column)
                left += job.out[(size_t)column * (size_t)from->count + (size_t)i];
            to->due[i] -= h3 * left;
            to->added[i] -= h3 * left;
        }
        pl__phases_fit(ctx, c, f->whole, to);
    }
    pl__arena_release(scratch, mark);
    return taken ? PL_OK : PL_ERR_MEMORY;
}

typedef struct fitting
{
    const pl__columns *cell;
    const double *whole;
    pl__phases *p;
} fitting;

static void fit_cells(void *argument, int32_t begin, int32_t end)
{
    const fitting *job = argument;
    size_t stride = (size_t)job->cell->value_count;
    for (int32_t n = begin; n < end; ++n)
    {
        double *volume = job->p->volume + n, sum = 0, whole = job->whole[n];
        for (int32_t i = 0; i < job->p->count; ++i)
            sum += fmax(volume[(size_t)i * stride], 0);
        int32_t here = sum > 0 && whole > 0 ? -1 : pl__phase_of(job->p, job->cell, n);
        for (int32_t i = 0; i < job->p->count; ++i)
            volume[(size_t)i * stride] = here < 0    ? fmax(volume[(size_t)i * stride], 0) * (whole / sum)
                                         : i == here ? whole
                                                     : 0;
    }
}

void pl__phases_fit(pl_context *ctx, const pl__columns *cell, const double *whole, pl__phases *p)
{
    fitting job = {cell, whole, p};
    pl__parallel_for(ctx, cell->value_count, 16384, fit_cells, &job);
}

// ---- density ---------------------------------------------------------------------------------------------------

typedef struct weighing
{
    const pl__grid *grid;
    const pl__phases *p;
    const pl__phase_law *law;
    const double *phi;
    double reference;
    int axis;
    double *ratio;
} weighing;

// Between two cells of liquid, by where the surface of one of theirs cuts the way.
static double density_between(const weighing *job, int32_t below, int32_t above)
{
    const pl__columns *c = &job->grid->cell;
    int32_t a = pl__phase_of(job->p, c, below), b = pl__phase_of(job->p, c, above);
    if (a == b)
        return job->law[a].density;
    const double *of_a = job->p->phi + (size_t)a * (size_t)c->value_count,
                 *of_b = job->p->phi + (size_t)b * (size_t)c->value_count;
    double in = of_a[below] - of_b[below], out = of_a[above] - of_b[above];
    double theta = out > in ? in / (in - out) : 0.5;
    theta = theta > 0 ? (theta < 1 ? theta : 1) : 0;
    return theta * job->law[a].density + (1 - theta) * job->law[b].density;
}

static void weigh_columns(void *argument, int32_t begin, int32_t end)
{
    const weighing *job = argument;
    const pl__columns *c = &job->grid->cell;
    pl__face_stretch s;
    for (int32_t column = begin; column < end; ++column)
        for (pl__face_walk w = pl__face_walk_begin(job->grid, job->axis, column); pl__face_walk_next(&w, &s);)
            for (int32_t j = s.j0; j <= s.j1; ++j)
            {
                int32_t beside[2] = {-1, -1};
                for (int end_of = 0; end_of < 2; ++end_of)
                {
                    int32_t n = s.kind[end_of] == PL__BESIDE_UNIFORM ? s.cell[end_of] + j : -1;
                    beside[end_of] = n >= 0 && job->phi[n] < 0 ? n : -1;
                }
                int32_t one = beside[0] >= 0 ? beside[0] : beside[1];
                if (one < 0) // in air, of the liquid that is nearest
                    one = s.kind[0] == PL__BESIDE_UNIFORM ? s.cell[0] + j : s.cell[1] + j;
                double density = beside[0] >= 0 && beside[1] >= 0 ? density_between(job, beside[0], beside[1])
                                                                  : job->law[pl__phase_of(job->p, c, one)].density;
                job->ratio[s.own + j] = job->reference / density;
            }
}

void pl__phases_weigh(pl_context *ctx, const pl__grid *grid, const pl__phases *p, const pl__phase_law *law,
                      const double *phi, double reference, double *const ratio[3])
{
    for (int axis = 0; axis < 3; ++axis)
    {
        weighing job = {grid, p, law, phi, reference, axis, ratio[axis]};
        for (int32_t n = 0; n < grid->face[axis].value_count; ++n)
            ratio[axis][n] = 1;
        pl__parallel_for(ctx, grid->face[axis].nx * grid->face[axis].nz, COLUMNS_PER_TASK, weigh_columns, &job);
    }
}

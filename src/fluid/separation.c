// src/fluid/separation.c -- cells that have left their wall: found, shown and set free.
#include "separation.h"
#include "base/task.h"
#include "pressure.h"
#include "stretch.h"

#include <math.h>
#include <string.h>

enum
{
    COLUMNS_PER_TASK = 64,
    SHOWN_CELLS = 3
};

typedef struct finding
{
    const pl__separation *s;
    uint8_t *grip;
} finding;

// Closed sides that are walls: in a plane those along z are none.
static unsigned walls_of(const pl__separation *s, int32_t n)
{
    return s->boundary->sides[n] & (s->grid->cell.nz == 1 ? ~48u : ~0u);
}

static void find_columns(void *argument, int32_t begin, int32_t end)
{
    const finding *job = argument;
    const pl__separation *s = job->s;
    const pl__columns *c = &s->grid->cell;
    for (size_t r = c->start[begin]; r < c->start[end]; ++r)
        for (int32_t n = c->run[r].first; n < c->run[r].first + pl__run_numbers(&c->run[r]); ++n)
        {
            bool inside = c->run[r].kind == PL__RUN_UNIFORM && pl__pressure_reaches(s->phi[n], c->h) && s->open[n] > 0;
            bool wall = inside && walls_of(s, n) && (s->boundary->sides[n] & PL__ALL_SIDES) != PL__ALL_SIDES;
            job->grip[n] = !wall ? PL__GRIP_FAST : s->q[n] == 0 ? PL__GRIP_APART : PL__GRIP_WALL;
        }
}

// Whether a column has a cell that has left its wall: few have.
static bool any_apart(const pl__columns *c, const uint8_t *grip, int32_t column)
{
    if (c->start[column] == c->start[column + 1])
        return false;
    const pl__run *first = &c->run[c->start[column]], *last = &c->run[c->start[column + 1] - 1];
    size_t numbers = (size_t)(last->first + pl__run_numbers(last) - first->first);
    return memchr(grip + first->first, PL__GRIP_APART, numbers) != NULL;
}

void pl__separation_find(pl_context *ctx, const pl__separation *s, uint8_t *grip)
{
    finding job = {s, grip};
    pl__parallel_for(ctx, s->grid->cell.nx * s->grid->cell.nz, COLUMNS_PER_TASK, find_columns, &job);
}

// The area of walls in a cell [h^2].
static double area_of(const pl__separation *s, const pl__cell_stretch *at, int32_t j)
{
    double sum = 0, most = 0;
    for (int axis = 0; axis < (s->grid->cell.nz == 1 ? 2 : 3); ++axis)
    {
        double low = 1 - s->boundary->open[axis][at->face[2 * axis] + j],
               high = 1 - s->boundary->open[axis][at->face[2 * axis + 1] + j];
        sum += (high - low) * (high - low);
        most = fmax(most, fmax(low, high));
    }
    return fmax(sqrt(sum), most);
}

// The gap from the wall to the liquid in a cell [m].
static double gap_of(const pl__separation *s, const pl__cell_stretch *at, int32_t j)
{
    double void_part = fmax(0, -s->residual[at->own + j]);
    return void_part * s->grid->cell.h / fmax(area_of(s, at, j), 0.1);
}

// phi of a cell whose liquid ends at its gap: where the wall is for the count of volume, its open part tells.
static double phi_of(const pl__separation *s, const pl__cell_stretch *at, int32_t j)
{
    return gap_of(s, at, j) - fmax(s->open[at->own + j] - 0.5, 0) * s->grid->cell.h;
}

// What shows gaps: `touched` [columns] tells where phi has changed.
typedef struct showing
{
    const pl__separation *s;
    uint8_t *grip, *touched;
    int32_t register_bytes;
} showing;

// From a cell with `phi` on through a side: liquid is no deeper than its distance to that.
static void deepen_from(const showing *job, int32_t column, int32_t j, int side, double phi)
{
    const pl__separation *s = job->s;
    const pl__columns *c = &s->grid->cell;
    int32_t at[3] = {column % c->nx, j, column / c->nx};
    for (int n = 1; n <= SHOWN_CELLS; ++n)
    {
        at[side / 2] += 2 * (side % 2) - 1;
        const pl__run *run = pl__grid_run(c, at[0], at[1], at[2]);
        if (!run || run->kind != PL__RUN_UNIFORM)
            return;
        double *here = &s->phi[run->first + at[1] - run->j0];
        *here = fmax(*here, phi - n * c->h);
        job->touched[at[0] + c->nx * at[2]] = 1;
        if (s->boundary->sides[run->first + at[1] - run->j0] >> side & 1)
            return;
    }
}

// phi of a cell whose gap has reached its center; in the solid beyond it goes on, and in the liquid it is the distance
// again, as far as the parts of cells need that.
static bool show_cell(const showing *job, int32_t column, const pl__cell_stretch *at, int32_t j)
{
    const pl__separation *s = job->s;
    const pl__columns *c = &s->grid->cell;
    const int32_t beside_column[6] = {column - 1, column + 1, column, column, column - c->nx, column + c->nx};
    int32_t n = at->own + j;
    double phi = fmin(phi_of(s, at, j), 0.5 * c->h);
    if (phi <= 0)
        return false;
    s->phi[n] = phi;
    job->grip[n] = PL__GRIP_FAST;
    job->touched[column] = 1;
    for (int side = 0; side < 6; ++side)
    {
        if (at->kind[side] != PL__BESIDE_UNIFORM)
            continue;
        int32_t beside = at->cell[side] + j;
        bool solid = (s->boundary->sides[beside] & PL__ALL_SIDES) == PL__ALL_SIDES;
        job->touched[beside_column[side]] = 1;
        if (s->boundary->sides[n] >> side & 1)
            s->phi[beside] = solid ? fmax(s->phi[beside], phi + c->h) : s->phi[beside];
        else
            deepen_from(job, column, j, side, phi);
    }
    return true;
}

static bool is_touched_near(const showing *job, int32_t column)
{
    const pl__columns *c = &job->s->grid->cell;
    int32_t i = column % c->nx, k = column / c->nx;
    for (int32_t z = k > 0 ? k - 1 : 0; z <= k + 1 && z < c->nz; ++z)
        for (int32_t x = i > 0 ? i - 1 : 0; x <= i + 1 && x < c->nx; ++x)
            if (job->touched[x + c->nx * z])
                return true;
    return false;
}

// The parts of cells as phi shows them now; what they gain is no longer owed.
static void show_parts(void *argument, int32_t begin, int32_t end)
{
    const showing *job = argument;
    const pl__separation *s = job->s;
    const pl__columns *c = &s->grid->cell;
    pl__levelset ls = {c, s->phi, s->far, s->boundary};
    pl__part_window window = {.column = -1};
    for (int32_t column = begin; column < end; ++column)
        for (size_t r = c->start[column]; r < c->start[column + 1] && is_touched_near(job, column); ++r)
            for (int32_t m = 0; c->run[r].kind == PL__RUN_UNIFORM && m < pl__run_rows(&c->run[r]); ++m)
            {
                int32_t n = c->run[r].first + m;
                double part = pl__levelset_next_part(&ls, job->register_bytes, column, c->run[r].j0 + m,
                                                     s->boundary->sides[n], n, &window);
                s->residual[n] -= (part - s->part[n]) * s->open[n];
                s->part[n] = part;
            }
}

pl_status pl__separation_show(pl_context *ctx, const pl__separation *s, pl__arena *scratch, uint8_t *grip)
{
    const pl__columns *c = &s->grid->cell;
    int32_t columns = c->nx * c->nz;
    showing job = {s, grip, PL_TAKE(scratch, columns + 1, uint8_t), ctx->register_bytes};
    pl__cell_stretch at;
    bool any = false;
    if (!job.touched)
        return PL_ERR_MEMORY;
    memset(job.touched, 0, (size_t)columns);
    for (int32_t column = 0; column < columns; ++column)
    {
        if (!any_apart(c, grip, column))
            continue;
        for (pl__cell_walk w = pl__cell_walk_begin(s->grid, column); pl__cell_walk_next(&w, &at);)
            for (int32_t j = at.j0; j <= at.j1; ++j)
                if (grip[at.own + j] == PL__GRIP_APART && show_cell(&job, column, &at, j))
                    any = true;
    }
    if (any)
        pl__parallel_for(ctx, columns, COLUMNS_PER_TASK, show_parts, &job);
    return PL_OK;
}

// Cells beside a solid before, by the side: those that it covered.
static unsigned covered_beside(const pl__separation *s, const double *was, const pl__cell_stretch *at, int32_t j)
{
    unsigned sides = 0;
    for (int side = 0; side < (s->grid->cell.nz == 1 ? 4 : 6); ++side)
        if (at->kind[side] == PL__BESIDE_UNIFORM && was[at->cell[side] + j] <= 0)
            sides |= 1u << side;
    return sides;
}

// Through a side, away from a surface with `phi` in a cell: liquid is no deeper than its distance to that.
static void deepen(const pl__separation *s, int32_t column, int32_t j, int side, double phi)
{
    const pl__columns *c = &s->grid->cell;
    int32_t at[3] = {column % c->nx, j, column / c->nx};
    for (int n = 1; n <= SHOWN_CELLS; ++n)
    {
        at[side / 2] += 2 * (side % 2) - 1;
        const pl__run *run = pl__grid_run(c, at[0], at[1], at[2]);
        if (!run || run->kind != PL__RUN_UNIFORM)
            return;
        int32_t number = run->first + at[1] - run->j0;
        s->phi[number] = fmax(s->phi[number], phi - n * c->h);
        if (s->boundary->sides[number] >> side & 1)
            return;
    }
}

static void uncover_cell(const pl__separation *s, unsigned sides, int32_t column, const pl__cell_stretch *at, int32_t j)
{
    double h = s->grid->cell.h, phi = phi_of(s, at, j), *here = &s->phi[at->own + j];
    *here = fmax(*here, fmin(phi, 0.5 * h));
    for (int side = 0; side < 6; ++side)
        if (sides >> side & 1)
        {
            double *beyond = &s->phi[at->cell[side] + j];
            *beyond = fmax(*beyond, phi + h);
            if (!(s->boundary->sides[at->own + j] >> (side ^ 1) & 1))
                deepen(s, column, j, side ^ 1, *here);
        }
}

void pl__separation_uncover(const pl__separation *s, const double *was)
{
    const pl__columns *c = &s->grid->cell;
    pl__cell_stretch at;
    for (int32_t column = 0; column < c->nx * c->nz; ++column)
        for (pl__cell_walk w = pl__cell_walk_begin(s->grid, column); pl__cell_walk_next(&w, &at);)
            for (int32_t j = at.j0; j <= at.j1; ++j)
            {
                int32_t n = at.own + j;
                bool apart =
                    s->q[n] == 0 && pl__pressure_reaches(s->phi[n], c->h) && s->residual[n] < 0 && s->open[n] > 0;
                unsigned sides = apart ? covered_beside(s, was, &at, j) : 0;
                if (sides)
                    uncover_cell(s, sides, column, &at, j);
            }
}

// What a cell is owed because of its gap, or 0 [parts of a cell].
static double owed_to(const pl__separation *s, const uint8_t *grip, int32_t n)
{
    return grip[n] == PL__GRIP_APART ? fmin(0, s->residual[n]) : 0;
}

double pl__separation_gaps(const pl__separation *s, const uint8_t *grip)
{
    double sum = 0, h = s->grid->cell.h;
    for (int32_t n = 0; n < s->grid->cell.value_count; ++n)
        sum -= owed_to(s, grip, n);
    return sum * h * h * h;
}

void pl__separation_settle(const pl__separation *s, const uint8_t *grip)
{
    for (int32_t n = 0; n < s->grid->cell.value_count; ++n)
    {
        double taken = fmin(-owed_to(s, grip, n), s->part[n] * s->open[n]);
        if (taken <= 0)
            continue;
        s->part[n] = fmax(0, s->part[n] - taken / s->open[n]); // round-off
        s->residual[n] += taken;
    }
}

void pl__separation_allow(const pl__separation *s, const uint8_t *liquid, double dt, bool wets, uint8_t *grip,
                          double *divergence)
{
    for (int32_t n = 0; n < s->grid->cell.value_count; ++n)
        if (!liquid[n])
            grip[n] = PL__GRIP_FAST;
        else if (grip[n] == PL__GRIP_APART && wets)
            grip[n] = PL__GRIP_WALL;
        else if (grip[n] == PL__GRIP_APART)
            divergence[n] = fmax(-0.5, owed_to(s, grip, n)) / dt;
}

// Closed faces of a cell; those that liquid on the other side needs stay.
static void release_cell(const pl__separation *s, const uint8_t *grip, const uint8_t *liquid,
                         const pl__cell_stretch *at, int32_t j, double *const u[3])
{
    for (int side = 0; side < 6; ++side)
    {
        int32_t face = at->face[side] + j, other = at->face[side ^ 1] + j, beyond = at->cell[side] + j;
        const double *open = s->boundary->open[side / 2];
        bool needed = at->kind[side] == PL__BESIDE_TALL ||
                      (at->kind[side] == PL__BESIDE_UNIFORM && liquid[beyond] && grip[beyond] != PL__GRIP_APART);
        if (open[face] <= 0 && open[other] > 0 && !needed)
            u[side / 2][face] = u[side / 2][other];
    }
}

void pl__separation_release(const pl__separation *s, const uint8_t *grip, const uint8_t *liquid, double *const u[3])
{
    const pl__columns *c = &s->grid->cell;
    pl__cell_stretch at;
    for (int32_t column = 0; column < c->nx * c->nz; ++column)
    {
        if (!any_apart(c, grip, column))
            continue;
        for (pl__cell_walk w = pl__cell_walk_begin(s->grid, column); pl__cell_walk_next(&w, &at);)
            for (int32_t j = at.j0; j <= at.j1; ++j)
                if (grip[at.own + j] == PL__GRIP_APART)
                    release_cell(s, grip, liquid, &at, j, u);
    }
}

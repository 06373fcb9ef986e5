// src/fluid/boundary.c -- what is stored of the faces that solids cut (cut.c), and of distances to them.
//
// Rows are skipped: within the ball of a look (obstacles.h) of radius R around the center of a cell nothing changes, so
// that its lower faces and those of the next R/h - 1 cells above are all open or all closed, with the ways to the cells
// below them; their power sums are known.
//
// What it does badly: us of a stretch of closed rows is taken as linear: exact but for actors.
#include "boundary.h"
#include "cut.h"
#include "mesh/point.h"

#include <string.h>

// ---- memory ----------------------------------------------------------------------------------------------------

void pl__boundary_done(pl_context *ctx, pl__boundary *b)
{
    for (int axis = 0; axis < 3; ++axis)
    {
        PL_DELETE(ctx, b->open[axis], b->open_capacity[axis]);
        PL_DELETE(ctx, b->speed[axis], b->speed_capacity[axis]);
        PL_DELETE(ctx, b->owner[axis], b->owner_capacity[axis]);
        PL_DELETE(ctx, b->moment[axis], b->moment_capacity[axis]);
    }
    PL_DELETE(ctx, b->distance, b->distance_capacity);
    PL_DELETE(ctx, b->nearest, b->nearest_capacity);
    PL_DELETE(ctx, b->sides, b->sides_capacity);
    PL_DELETE(ctx, b->tallied, b->tallied_capacity);
    PL_DELETE(ctx, b->turning, b->turning_capacity);
    *b = (pl__boundary){0};
}

static pl_status reserve(pl_context *ctx, pl__boundary *b, const pl__grid *grid)
{
    size_t cells = (size_t)grid->cell.value_count, tasks = (size_t)pl__tile_count(&grid->cell);
    for (int axis = 0; axis < 3; ++axis)
    {
        const pl__columns *f = &grid->face[axis];
        size_t faces = (size_t)f->value_count;
        if (!PL_GROW(ctx, b->open[axis], &b->open_capacity[axis], faces) ||
            !PL_GROW(ctx, b->speed[axis], &b->speed_capacity[axis], faces) ||
            !PL_GROW(ctx, b->owner[axis], &b->owner_capacity[axis], faces) ||
            !PL_GROW(ctx, b->moment[axis], &b->moment_capacity[axis], f->run_count))
            return PL_ERR_MEMORY;
    }
    return PL_GROW(ctx, b->distance, &b->distance_capacity, cells) &&
                   PL_GROW(ctx, b->nearest, &b->nearest_capacity, cells) &&
                   PL_GROW(ctx, b->sides, &b->sides_capacity, cells) &&
                   PL_GROW(ctx, b->tallied, &b->tallied_capacity, tasks)
               ? PL_OK
               : PL_ERR_MEMORY;
}

// ---- what is stored of them ------------------------------------------------------------------------------------

typedef struct boundary_job
{
    pl__boundary *b;
    const pl__grid *grid;
    const pl__obstacles *obstacles;
    const bool *closed;
    int axis; // of faces
} boundary_job;

// Velocity of the closed part of row j of a piece that begins at row j0.
static double speed_of(const boundary_job *job, const pl__piece *p, int32_t j0, int32_t j)
{
    const pl__columns *face = &job->grid->face[job->axis];
    const pl__object *o = p->object < 0 ? NULL : &job->obstacles->object[p->object];
    if (!o || !pl__obstacle_moves(o))
        return 0;
    double x[3] = {p->middle[0], j > j0 ? face->origin[1] + face->h * j : p->middle[1], p->middle[2]}, v[3];
    pl__object_velocity(o, x, v);
    return v[job->axis] * p->moving;
}

static void store_rows(const boundary_job *job, const pl__run *run, int32_t j0, const pl__piece *p)
{
    pl__boundary *b = job->b;
    for (int32_t j = j0; j <= p->j1; ++j)
    {
        int32_t n = run->first + j - run->j0;
        b->open[job->axis][n] = p->open;
        b->owner[job->axis][n] = p->open < 1 ? p->object | (p->thin ? PL__THIN_OWNER : 0) : -1;
        b->speed[job->axis][n] = p->open < 1 ? speed_of(job, p, j0, j) : 0;
    }
}

// us(j) = v + slope m over the rows of a piece.
static void add_moments(const boundary_job *job, const pl__run *run, int32_t j0, const pl__piece *p,
                        pl__open_moments *to)
{
    double s[3], middle = pl__run_middle(run), shut = 1 - p->open;
    pl__rows_power_sums(j0, p->j1, middle, s);
    to->s0 += p->open * s[0];
    to->s1 += p->open * s[1];
    to->s2 += p->open * s[2];
    if (shut == 0)
        return;
    double v = speed_of(job, p, j0, j0), end = speed_of(job, p, j0, p->j1);
    double slope = p->j1 > j0 ? (end - v) / (p->j1 - j0) : 0;
    v -= slope * (j0 - middle);
    to->f0 += shut * (v * s[0] + slope * s[1]);
    to->f1 += shut * (v * s[1] + slope * s[2]);
}

static void store_piece(const boundary_job *job, const pl__run *run, int32_t j0, const pl__piece *p)
{
    if (run->kind == PL__RUN_UNIFORM)
        store_rows(job, run, j0, p);
    else
        add_moments(job, run, j0, p, &job->b->moment[job->axis][run - job->grid->face[job->axis].run]);
}

static bool is_closed_wall(const boundary_job *job, int32_t i, int32_t j, int32_t k)
{
    const pl__columns *f = &job->grid->face[job->axis];
    int32_t at[3] = {i, j, k}, n[3] = {f->nx, f->ny, f->nz}, a = job->axis;
    return (at[a] == 0 && job->closed[2 * a]) || (at[a] == n[a] - 1 && job->closed[2 * a + 1]);
}

static void clear_run(const boundary_job *job, const pl__run *run)
{
    pl__boundary *b = job->b;
    b->moment[job->axis][run - job->grid->face[job->axis].run] = (pl__open_moments){0};
    for (int32_t n = run->first; run->kind != PL__RUN_UNIFORM && n < run->first + pl__run_numbers(run); ++n)
    {
        b->open[job->axis][n] = b->speed[job->axis][n] = 0;
        b->owner[job->axis][n] = -1;
    }
}

// A wall of the domain is closed, but an object that comes in through it moves.
static pl__piece wall_piece(const pl__walk *w, int32_t j, int32_t last)
{
    pl__piece p = pl__cut_next(w, j, last);
    p.moving = p.covered;
    p.object = p.covered > 0 ? p.object : -1;
    p.open = 0;
    p.thin = false;
    return p;
}

static void update_run(const boundary_job *job, const pl__walk *w, const pl__run *run)
{
    clear_run(job, run);
    for (int32_t j = run->j0; j <= run->j1;)
    {
        bool closed = is_closed_wall(job, w->i, j, w->k);
        bool below_wall = job->axis == 1 && run->j1 == w->face->ny - 1 && j < run->j1; // which has a look of its own
        pl__piece p =
            closed ? wall_piece(w, j, job->axis == 1 ? j : run->j1) : pl__cut_next(w, j, run->j1 - below_wall);
        store_piece(job, run, j, &p);
        j = p.j1 + 1;
    }
}

// ---- cells -----------------------------------------------------------------------------------------------------

static void set_cell(const pl__boundary *b, int32_t n, double band, const pl__look *look)
{
    double d = pl__max(-band, pl__min(band, look->distance));
    b->distance[n] = d;
    b->nearest[n] = d < band ? look->object : -1;
}

// Distances of a run of cells; the same far from all.
static void update_cell_run(const boundary_job *job, pl__scout *s, int32_t i, int32_t k, const pl__run *run)
{
    const pl__columns *c = &job->grid->cell;
    double h = c->h, band = PL__BOUNDARY_BAND * h;
    bool uniform = run->kind == PL__RUN_UNIFORM;
    for (int32_t j = run->j0, n = 0; j <= run->j1; ++j, ++n)
    {
        pl__look look = pl__scout_look(s, 2 * i + 1, 2 * j + 1, 2 * k + 1)->look;
        set_cell(job->b, run->first + n, band, &look);
        double more = (look.radius - band) / h;
        for (int32_t far = 1; uniform && far < more && j < run->j1; ++far, ++j)
            set_cell(job->b, run->first + ++n, band, &look);
        if (!uniform && j == run->j0)
            j = run->j1 - 1; // its other number
    }
}

static void update_column(boundary_job *job, pl__scout *s, int32_t i, int32_t k)
{
    for (job->axis = 0; job->axis < 3; ++job->axis)
    {
        const pl__columns *face = &job->grid->face[job->axis];
        pl__walk w = {s, face, job->axis, i, k};
        pl__run_span runs = pl__runs_of(face, i, k);
        for (const pl__run *run = runs.begin; run < runs.end; ++run)
            update_run(job, &w, run);
    }
    pl__run_span runs = pl__runs_of(&job->grid->cell, i, k);
    for (const pl__run *run = runs.begin; run < runs.end; ++run)
        update_cell_run(job, s, i, k, run);
}

static void update_tiles(void *argument, int32_t begin, int32_t end)
{
    boundary_job job = *(const boundary_job *)argument;
    for (int32_t n = begin; n < end; ++n)
    {
        pl__scout s;
        pl__tile t = pl__tile_of(&job.grid->cell, n);
        bool any = pl__scout_send(job.grid, job.obstacles, n, &s);
        for (int32_t k = t.k0; any && k < t.k1; ++k)
            for (int32_t i = t.i0; i < t.i1; ++i)
                update_column(&job, &s, i, k);
        job.b->tallied[n] = s.near.distances;
    }
}

// Sides that objects close or touch.
static unsigned sides_at_objects(const boundary_job *job, int32_t i, int32_t j, int32_t k)
{
    unsigned sides = 0;
    for (int side = 0; side < 6; ++side)
    {
        int32_t face = pl__grid_face(job->grid, i, j, k, side / 2, side % 2);
        sides |= job->b->open[side / 2][face] <= 0 ? 1u << side : 0;
        sides |= job->b->owner[side / 2][face] >= 0 ? PL__TOUCHED : 0;
        sides |= job->b->owner[side / 2][face] >= PL__THIN_OWNER ? PL__PARTED : 0;
    }
    return sides;
}

// Sides that are closed. Away from objects these are walls of the domain.
static void find_sides(void *argument, int32_t begin, int32_t end)
{
    const boundary_job *job = argument;
    const pl__boundary *b = job->b;
    const pl__columns *c = &job->grid->cell;
    for (int32_t column = begin; column < end; ++column)
    {
        int32_t i = column % c->nx, k = column / c->nx;
        unsigned walls = (i == 0 && job->closed[0] ? 1u : 0) | (i == c->nx - 1 && job->closed[1] ? 2u : 0) |
                         (k == 0 && job->closed[4] ? 16u : 0) | (k == c->nz - 1 && job->closed[5] ? 32u : 0);
        for (size_t r = c->start[column]; r < c->start[column + 1]; ++r)
        {
            const pl__run *run = &c->run[r];
            bool uniform = run->kind == PL__RUN_UNIFORM;
            uint8_t *sides = b->sides + run->first;
            memset(sides, uniform ? (int)walls : 0, (size_t)pl__run_numbers(run));
            if (uniform && run->j0 == 0 && job->closed[2])
                sides[0] |= 4u;
            if (uniform && run->j1 == c->ny - 1 && job->closed[3])
                sides[run->j1 - run->j0] |= 8u;
            for (int32_t n = 0; uniform && n < pl__run_rows(run); ++n)
                if (b->nearest[run->first + n] >= 0)
                    sides[n] |= (uint8_t)sides_at_objects(job, i, run->j0 + n, k);
        }
    }
}

static pl_status list_turning(pl_context *ctx, pl__boundary *b, const pl__obstacles *obstacles)
{
    if (!PL_GROW(ctx, b->turning, &b->turning_capacity, (size_t)obstacles->count + 1))
        return PL_ERR_MEMORY;
    b->turning_count = obstacles->count;
    for (int32_t n = 0; n < obstacles->count; ++n)
    {
        const pl__object *o = &obstacles->object[n];
        pl__turning *t = &b->turning[n];
        *t = (pl__turning){0};
        for (int i = 0; i < 3; ++i)
        {
            t->at[i] = o->at[i], t->velocity[i] = o->velocity[i], t->angular[i] = o->angular[i];
            t->turns = t->turns || (!o->actor && o->angular[i] != 0);
        }
    }
    return PL_OK;
}

pl_status pl__boundary_update(pl_context *ctx, pl__boundary *b, const pl__grid *grid, const pl__obstacles *obstacles,
                              const bool closed[6])
{
    boundary_job job = {b, grid, obstacles, closed, 0};
    int32_t tiles = pl__tile_count(&grid->cell);
    b->distances = 0;
    PL_TRY(reserve(ctx, b, grid));
    PL_TRY(list_turning(ctx, b, obstacles));
    pl__parallel_for(ctx, tiles, 1, update_tiles, &job);
    for (int32_t n = 0; n < tiles; ++n)
        b->distances += b->tallied[n];
    pl__parallel_for(ctx, grid->cell.nx * grid->cell.nz, PL__TILE * PL__TILE, find_sides, &job);
    return PL_OK;
}

// ---- rock ------------------------------------------------------------------------------------------------------

int32_t pl__boundary_rock_rows(pl__near_obstacles *near, const pl__columns *cell, int32_t i, int32_t k, double depth,
                               pl__row_range *rows, int32_t capacity)
{
    int32_t count = 0, end = -2; // the last row of the last interval
    for (int32_t j = 0; j < cell->ny;)
    {
        double x[3];
        pl__grid_point(cell, i, j, k, x);
        pl__look look = pl__obstacles_look(near, x, -depth);
        double more = look.radius / cell->h; // rows within it, short of its surface
        int32_t j1 = more < cell->ny - 1 - j ? j + (int32_t)pl__max(0, ceil(more) - 1) : cell->ny - 1;
        if (look.inside)
        {
            count += end != j - 1;
            if (count <= capacity)
                rows[count - 1] = (pl__row_range){end == j - 1 ? rows[count - 1].j0 : j, j1};
            end = j1;
        }
        j = j1 + 1;
    }
    return count;
}

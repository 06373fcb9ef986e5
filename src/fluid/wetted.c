// src/fluid/wetted.c -- listing closed sides of cells with liquid, in two passes over tiles, and summing their forces.
#include "wetted.h"
#include "cut.h"
#include "mesh/point.h"
#include "volume.h"

#include <math.h>
#include <string.h>

static const double near_by = 1.0001; // [h] from its center nothing farther touches a cell's sides, or parts it

void pl__wetted_done(pl_context *ctx, pl__wetted *w)
{
    PL_DELETE(ctx, w->side, w->side_capacity);
    PL_DELETE(ctx, w->cell, w->cell_capacity);
    PL_DELETE(ctx, w->first, w->first_capacity);
    *w = (pl__wetted){0};
}

// ---- a cell ----------------------------------------------------------------------------------------------------

typedef struct wetted_job
{
    const pl__wetted_def *def;
    pl__wetted *w;
    bool count; // only
} wetted_job;

// Where the next side and cell of a column go; counting, there is no list.
typedef struct cursor
{
    pl__wetted_side *side;
    pl__wetted_cell *cell;
    size_t sides, cells;
} cursor;

static void put_side(cursor *to, const pl__wetted_side *side)
{
    if (to->side)
        to->side[to->sides] = *side;
    ++to->sides;
}

static void put_cell(cursor *to, const pl__wetted_cell *cell)
{
    if (to->cell)
        to->cell[to->cells] = *cell;
    ++to->cells;
}

// The face at one end of a cell.
static pl__piece cut_side(const wetted_job *job, pl__scout *s, const int32_t cell[3], int axis, int end)
{
    int32_t at[3] = {cell[0], cell[1], cell[2]};
    at[axis] += end;
    pl__walk walk = {s, &job->def->grid->face[axis], axis, at[0], at[2]};
    return pl__cut_next(&walk, at[1], at[1]);
}

static bool is_wall(const wetted_job *job, const int32_t cell[3], int axis, int end)
{
    const pl__columns *c = &job->def->grid->cell;
    const int32_t n[3] = {c->nx, c->ny, c->nz};
    return job->def->closed[2 * axis + end] && cell[axis] == (end ? n[axis] - 1 : 0);
}

// What objects leave of a wall.
static void visit_wall(const wetted_job *job, const int32_t cell[3], int axis, int end, const pl__piece *p, cursor *to)
{
    const pl__columns *c = &job->def->grid->cell;
    double left = p->parted ? 0 : 1 - p->covered;
    if (!is_wall(job, cell, axis, end) || left <= 0)
        return;
    pl__wetted_side side = {{cell[0], cell[1], cell[2]}, axis, end, -1, left * c->h * c->h, {0}};
    pl__grid_point(c, cell[0], cell[1], cell[2], side.point);
    side.point[axis] += (end - 0.5) * c->h;
    for (int i = 0; i < 3 && p->covered > 0; ++i)
        side.point[i] -= p->covered / left * (p->middle[i] - side.point[i]);
    put_side(to, &side);
}

// The part of a cell that is solid: half-space or prism (wetted.h).
static double solid_part(const pl__piece piece[3][2], double distance, double h, int down)
{
    double area[3], edge[3];
    bool parted = false;
    for (int axis = 0; axis < 3; ++axis)
    {
        area[axis] = piece[axis][1].covered - piece[axis][0].covered;
        parted = parted || piece[axis][0].parted || piece[axis][1].parted;
    }
    double size = pl__length3(area);
    if (parted || size < 1e-9)
        return 0.5 * (piece[down][0].covered + piece[down][1].covered);
    for (int axis = 0; axis < 3; ++axis)
        edge[axis] = h * fabs(area[axis]) / size;
    return pl__part_below(distance, edge);
}

static void visit_cell(const wetted_job *job, pl__scout *s, const int32_t cell[3], cursor *to)
{
    const pl__columns *c = &job->def->grid->cell;
    pl__look look = pl__scout_look(s, 2 * cell[0] + 1, 2 * cell[1] + 1, 2 * cell[2] + 1)->look;
    bool near = s->near.count > 0 && look.radius < near_by * c->h, touched = false;
    pl__piece piece[3][2];
    for (int axis = 0; axis < 3; ++axis)
        for (int end = 0; end < 2; ++end)
        {
            pl__piece *p = &piece[axis][end];
            *p = near ? cut_side(job, s, cell, axis, end) : (pl__piece){.object = -1, .open = 1};
            visit_wall(job, cell, axis, end, p, to);
            if (p->open >= 1 || p->object < 0)
                continue;
            pl__wetted_side side = {{cell[0], cell[1], cell[2]}, axis, end, p->object,
                                    (1 - p->open) * c->h * c->h, {0}};
            memcpy(side.point, p->middle, sizeof side.point);
            put_side(to, &side);
            touched = true;
        }
    if (!touched || look.object < 0)
        return;
    double part = solid_part(piece, look.distance, c->h, job->def->down);
    put_cell(to, &(pl__wetted_cell){{cell[0], cell[1], cell[2]}, look.object, part * c->h * c->h * c->h});
}

// ---- a column --------------------------------------------------------------------------------------------------

// Rows above j of a tall cell that are as far from all solids as j is.
static int32_t rows_alike(pl__scout *s, int32_t i, int32_t j, int32_t k, int32_t last)
{
    pl__look look = pl__scout_look(s, 2 * i + 1, 2 * j + 1, 2 * k + 1)->look;
    double more = s->near.count > 0 ? look.radius / s->cell->h - near_by : INFINITY;
    return more < 1 || look.inside ? 0 : more < last - j ? (int32_t)more : last - j;
}

static void visit_column(const wetted_job *job, pl__scout *s, int32_t i, int32_t k, cursor *to)
{
    const pl__columns *c = &job->def->grid->cell;
    bool beside = i == 0 || k == 0 || i == c->nx - 1 || k == c->nz - 1;
    pl__run_span runs = pl__runs_of(c, i, k);
    for (const pl__run *run = runs.begin; run < runs.end; ++run)
        for (int32_t j = run->j0; j <= run->j1; ++j)
        {
            bool uniform = run->kind == PL__RUN_UNIFORM, skip = !uniform && !beside && j > run->j0;
            if (uniform && !job->def->liquid[run->first + j - run->j0])
                continue;
            visit_cell(job, s, (const int32_t[3]){i, j, k}, to);
            j += skip && j + 1 < run->j1 ? rows_alike(s, i, j, k, run->j1 - 1) : 0;
        }
}

static void visit_tiles(void *argument, int32_t begin, int32_t end)
{
    const wetted_job *job = argument;
    const pl__columns *c = &job->def->grid->cell;
    pl__wetted *w = job->w;
    for (int32_t n = begin; n < end; ++n)
    {
        pl__scout s;
        pl__tile t = pl__tile_of(c, n);
        bool any = pl__scout_send(job->def->grid, job->def->obstacles, n, &s);
        for (int32_t k = t.k0; k < t.k1 && k < c->nz; ++k)
            for (int32_t i = t.i0; i < t.i1 && i < c->nx; ++i)
            {
                size_t *first = &w->first[2 * ((size_t)i + (size_t)c->nx * (size_t)k)];
                cursor to = {0};
                if (!job->count)
                    to = (cursor){.side = w->side + first[0], .cell = w->cell + first[1]};
                if (any)
                    visit_column(job, &s, i, k, &to);
                if (job->count)
                    first[2] = to.sides, first[3] = to.cells;
            }
    }
}

pl_status pl__wetted_list(pl_context *ctx, pl__wetted *w, const pl__wetted_def *def)
{
    const pl__columns *c = &def->grid->cell;
    size_t columns = (size_t)c->nx * (size_t)c->nz;
    wetted_job job = {def, w, true};
    w->side_count = w->cell_count = 0;
    if (!PL_GROW(ctx, w->first, &w->first_capacity, 2 * columns + 2))
        return PL_ERR_MEMORY;
    pl__parallel_for(ctx, pl__tile_count(c), 1, visit_tiles, &job);
    w->first[0] = w->first[1] = 0;
    for (size_t n = 2; n < 2 * columns + 2; ++n)
        w->first[n] += w->first[n - 2];
    size_t sides = w->first[2 * columns], cells = w->first[2 * columns + 1];
    if (!PL_GROW(ctx, w->side, &w->side_capacity, sides + 1) || !PL_GROW(ctx, w->cell, &w->cell_capacity, cells + 1))
        return PL_ERR_MEMORY;
    job.count = false;
    pl__parallel_for(ctx, pl__tile_count(c), 1, visit_tiles, &job);
    w->side_count = sides;
    w->cell_count = cells;
    return PL_OK;
}

// ---- sums ------------------------------------------------------------------------------------------------------

// rho of a cell over that of the weight.
static double heavier(const pl__wetted_def *def, const int32_t cell[3])
{
    double value = 1;
    if (def->heavier)
        (void)pl__columns_value(&def->grid->cell, def->heavier, cell[0] + def->grid->cell.nx * cell[2], cell[1],
                                &value);
    return value;
}

// Pressure in a cell at a point of it.
static double pressure_at(const pl__columns *c, const double *p, const double weight[3], const int32_t cell[3],
                          const double x[3])
{
    double center[3], value = 0;
    pl__grid_point(c, cell[0], cell[1], cell[2], center);
    (void)pl__columns_value(c, p, cell[0] + c->nx * cell[2], cell[1], &value);
    for (int i = 0; i < 3; ++i)
        value += weight[i] * (x[i] - center[i]);
    return value;
}

void pl__wetted_push(const pl__obstacles *obstacles, int32_t object, const double x[3], const double f[3],
                     pl__wetted_force *to)
{
    double arm[3] = {x[0], x[1], x[2]}, turn[3];
    pl__wetted_force *sum = &to[object >= 0 ? object : obstacles->count];
    if (object >= 0)
        pl__sub3(x, obstacles->object[object].at, arm);
    pl__cross3(arm, f, turn);
    for (int i = 0; i < 3; ++i)
    {
        sum->force[i] += f[i];
        sum->torque[i] += turn[i];
    }
}

// Area of the wetted surface: of the sum of area vectors of a cell, which lists its sides one after the other.
static void add_area(const pl__wetted *w, size_t n, size_t end, const pl__obstacles *obstacles, pl__wetted_force *to)
{
    double area[3] = {0};
    int32_t object = -1;
    for (size_t m = n; m < end; ++m)
    {
        const pl__wetted_side *s = &w->side[m];
        if (s->object < 0)
            to[obstacles->count].area += s->area;
        else
        {
            area[s->axis] += s->end ? s->area : -s->area;
            object = s->object;
        }
    }
    if (object >= 0)
        to[object].area += pl__length3(area);
}

void pl__wetted_sum(const pl__wetted *w, const pl__wetted_def *def, const double *p, const double weight[3],
                    pl__wetted_force *to)
{
    const pl__columns *c = &def->grid->cell;
    const pl__obstacles *obstacles = def->obstacles;
    memset(to, 0, ((size_t)obstacles->count + 1) * sizeof *to);
    for (size_t n = 0, first = 0; n < w->side_count; ++n)
    {
        const pl__wetted_side *s = &w->side[n];
        double f[3] = {0};
        double scale = heavier(def, s->cell), own[3] = {scale * weight[0], scale * weight[1], scale * weight[2]};
        f[s->axis] = (s->end ? s->area : -s->area) * pressure_at(c, p, own, s->cell, s->point);
        pl__wetted_push(obstacles, s->object, s->point, f, to);
        if (n + 1 == w->side_count || memcmp(s->cell, s[1].cell, sizeof s->cell) != 0)
        {
            add_area(w, first, n + 1, obstacles, to);
            first = n + 1;
        }
    }
    for (size_t n = 0; n < w->cell_count; ++n)
    {
        const pl__wetted_cell *s = &w->cell[n];
        double x[3], f[3];
        pl__grid_point(c, s->cell[0], s->cell[1], s->cell[2], x);
        for (int i = 0; i < 3; ++i)
            f[i] = -heavier(def, s->cell) * weight[i] * s->solid;
        pl__wetted_push(obstacles, s->object, x, f, to);
    }
}

// src/fluid/extrapolate.c -- extrapolation by layers of constants, and flow that goes on beyond the surface.
//
// A surface that rises moves through the first cells of air within the step. Constants are too slow there where liquid
// converges, while a surface that falls moves through liquid and is right: volume and phase of waves would drift
// (periods of sloshing 0.6 % too long at 64 cells). So the first cells of air are made free of divergence, too: what
// flows into one leaves it by its faces away from the liquid, as in the marker-and-cell method (Harlow & Welch 1965).
// Lines through the last two velocities do as much for waves, but feed energy into a splash until it explodes.
//
// Each layer reads only the layers before it, so the result does not depend on the order of faces or tasks.
#include "extrapolate.h"
#include "base/task.h"

#include <string.h>

enum
{
    FACES_PER_TASK = 4096
};

// An unknown face, and the numbers of its six neighbours, or -1.
typedef struct unknown_face
{
    int32_t number, next[6];
} unknown_face;

typedef struct layer_job
{
    const unknown_face *face;
    const uint8_t *known;
    double *u, *mean; // mean [faces]
    uint8_t *found;   // [faces]
} layer_job;

static void average(void *argument, int32_t begin, int32_t end)
{
    const layer_job *job = argument;
    for (int32_t f = begin; f < end; ++f)
    {
        double sum = 0;
        int count = 0;
        for (int n = 0; n < 6; ++n)
        {
            int32_t next = job->face[f].next[n];
            if (next >= 0 && job->known[next])
            {
                sum += job->u[next];
                ++count;
            }
        }
        job->found[f] = count > 0;
        job->mean[f] = count > 0 ? sum / count : 0;
    }
}

// The number at row j of a column of faces; of tall ones the nearer end.
static int32_t number_at(const pl__columns *c, int32_t i, int32_t j, int32_t k)
{
    if (i < 0 || j < 0 || k < 0 || i >= c->nx || j >= c->ny || k >= c->nz)
        return -1;
    int32_t column = i + c->nx * k;
    const pl__main_run *m = &c->main[column];
    if (j >= m->j0 && j <= m->j1)
        return m->base + j;
    const pl__run *run = pl__columns_find(c, column, j);
    if (!run)
        return -1;
    if (run->kind == PL__RUN_UNIFORM)
        return run->first + j - run->j0;
    return run->first + (run->kind == PL__RUN_LINEAR && 2 * j > run->j0 + run->j1);
}

static unknown_face neighbours(const pl__columns *c, int32_t number, int32_t i, int32_t j, int32_t k)
{
    unknown_face f = {.number = number};
    for (int n = 0; n < 6; ++n)
    {
        int32_t a = n / 2 == 0 ? 2 * (n % 2) - 1 : 0, b = n / 2 == 1 ? 2 * (n % 2) - 1 : 0,
                d = n / 2 == 2 ? 2 * (n % 2) - 1 : 0;
        f.next[n] = number_at(c, i + a, j + b, k + d);
    }
    return f;
}

static int32_t list_unknown(const pl__columns *c, const uint8_t *known, unknown_face *list)
{
    int32_t count = 0;
    for (int32_t column = 0; column < c->nx * c->nz; ++column)
        for (size_t r = c->start[column]; r < c->start[column + 1]; ++r)
        {
            const pl__run *run = &c->run[r];
            int32_t i = column % c->nx, k = column / c->nx;
            for (int32_t j = run->j0; run->kind == PL__RUN_UNIFORM && j <= run->j1; ++j)
            {
                int32_t n = run->first + j - run->j0;
                if (known[n])
                    continue;
                if (list)
                    list[count] = neighbours(c, n, i, j, k);
                ++count;
            }
        }
    return count;
}

pl_status pl__extrapolate(pl_context *ctx, pl__arena *arena, const pl__columns *face, int32_t layers, uint8_t *known,
                          double *u)
{
    pl__arena_mark mark = pl__arena_set_mark(arena);
    int32_t count = list_unknown(face, known, NULL);
    unknown_face *list = PL_TAKE(arena, count + 1, unknown_face);
    double *mean = PL_TAKE(arena, count + 1, double);
    uint8_t *found = PL_TAKE(arena, count + 1, uint8_t);
    if (!list || !mean || !found)
    {
        pl__arena_release(arena, mark);
        return PL_ERR_MEMORY;
    }
    (void)list_unknown(face, known, list);
    for (int32_t f = 0; f < count; ++f)
        u[list[f].number] = 0;
    for (int32_t layer = 0; layer < layers && count > 0; ++layer)
    {
        layer_job job = {list, known, u, mean, found};
        pl__parallel_for(ctx, count, FACES_PER_TASK, average, &job);
        int32_t left = 0;
        for (int32_t f = 0; f < count; ++f)
        {
            if (found[f])
            {
                u[list[f].number] = mean[f];
                known[list[f].number] = 2; // known from the next layer on
            }
            else
                list[left++] = list[f];
        }
        count = left;
    }
    pl__arena_release(arena, mark);
    return PL_OK;
}

// ---- velocity --------------------------------------------------------------------------------------------------

typedef enum cell_kind
{
    NOTHING, // no cell, or a solid
    LIQUID,
    NEAR_AIR, // beside liquid
    FAR_AIR
} cell_kind;

typedef struct beyond
{
    const pl__grid *grid;
    const pl__boundary *boundary;
    const uint8_t *liquid;
    uint8_t *kind; // [numbers of cells]
    double *const *u;
} beyond;

static cell_kind kind_at(const beyond *b, int32_t i, int32_t j, int32_t k)
{
    const pl__run *run = pl__grid_run(&b->grid->cell, i, j, k);
    return !run ? NOTHING : run->kind != PL__RUN_UNIFORM ? LIQUID : (cell_kind)b->kind[run->first + j - run->j0];
}

static cell_kind kind_beside(const beyond *b, int32_t i, int32_t j, int32_t k, int axis, int end)
{
    int32_t way = 2 * end - 1;
    return kind_at(b, i + (axis == 0 ? way : 0), j + (axis == 1 ? way : 0), k + (axis == 2 ? way : 0));
}

typedef void cell_function(beyond *b, int32_t i, int32_t j, int32_t k, int32_t number);

static void for_cells(beyond *b, cell_function *work)
{
    const pl__columns *c = &b->grid->cell;
    for (int32_t column = 0; column < c->nx * c->nz; ++column)
        for (size_t r = c->start[column]; r < c->start[column + 1]; ++r)
        {
            const pl__run *run = &c->run[r];
            for (int32_t j = run->j0; run->kind == PL__RUN_UNIFORM && j <= run->j1; ++j)
                work(b, column % c->nx, j, column / c->nx, run->first + j - run->j0);
        }
}

static void find_near_air(beyond *b, int32_t i, int32_t j, int32_t k, int32_t number)
{
    for (int face = 0; face < 6 && b->kind[number] == FAR_AIR; ++face)
        if (kind_beside(b, i, j, k, face / 2, face % 2) == LIQUID)
            b->kind[number] = NEAR_AIR;
}

// What flows into a cell of air beside liquid leaves it by the faces towards other air, evenly; no face takes more than
// the whole.
static void close_cell(beyond *b, int32_t i, int32_t j, int32_t k, int32_t number)
{
    double out = 0, open = 0;
    if (b->kind[number] != NEAR_AIR)
        return;
    for (int face = 0; face < 6; ++face)
    {
        int axis = face / 2, end = face % 2;
        int32_t n = pl__grid_face(b->grid, i, j, k, axis, end);
        double w = b->boundary->open[axis][n];
        out += (2 * end - 1) * (w * b->u[axis][n] + (1 - w) * b->boundary->speed[axis][n]);
        open += kind_beside(b, i, j, k, axis, end) == FAR_AIR ? w : 0;
    }
    for (int face = 0; face < 6; ++face)
    {
        int axis = face / 2, end = face % 2;
        int32_t n = pl__grid_face(b->grid, i, j, k, axis, end);
        if (kind_beside(b, i, j, k, axis, end) == FAR_AIR && b->boundary->open[axis][n] > 0)
            b->u[axis][n] -= (2 * end - 1) * out / (open > 1 ? open : 1);
    }
}

// Faces of the liquid: their velocity is known.
static void find_known(const beyond *b, int axis, uint8_t *known)
{
    const pl__columns *f = &b->grid->face[axis];
    memset(known, 1, (size_t)f->value_count);
    for (int32_t column = 0; column < f->nx * f->nz; ++column)
        for (size_t r = f->start[column]; r < f->start[column + 1]; ++r)
        {
            const pl__run *run = &f->run[r];
            int32_t i = column % f->nx, k = column / f->nx;
            for (int32_t j = run->j0; run->kind == PL__RUN_UNIFORM && j <= run->j1; ++j)
                known[run->first + j - run->j0] =
                    kind_at(b, i, j, k) == LIQUID ||
                    kind_at(b, i - (axis == 0), j - (axis == 1), k - (axis == 2)) == LIQUID;
        }
}

pl_status pl__extrapolate_velocity(pl_context *ctx, pl__arena *arena, const pl__grid *grid,
                                   const pl__boundary *boundary, const uint8_t *liquid, int32_t layers,
                                   double *const u[3])
{
    beyond b = {grid, boundary, liquid, PL_TAKE(arena, grid->cell.value_count + 1, uint8_t), u};
    uint8_t *known[3];
    for (int axis = 0; axis < 3; ++axis)
        known[axis] = PL_TAKE(arena, grid->face[axis].value_count + 1, uint8_t);
    if (!b.kind || !known[0] || !known[1] || !known[2])
        return PL_ERR_MEMORY;
    for (int32_t n = 0; n < grid->cell.value_count; ++n)
        b.kind[n] = liquid[n] ? LIQUID : FAR_AIR;
    for_cells(&b, find_near_air);
    for (int axis = 0; axis < 3; ++axis)
    {
        find_known(&b, axis, known[axis]);
        PL_TRY(pl__extrapolate(ctx, arena, &grid->face[axis], 1, known[axis], u[axis]));
    }
    for_cells(&b, close_cell);
    for (int axis = 0; axis < 3; ++axis)
        PL_TRY(pl__extrapolate(ctx, arena, &grid->face[axis], layers - 1, known[axis], u[axis]));
    return PL_OK;
}

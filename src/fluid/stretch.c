// src/fluid/stretch.c -- rows up to where one of the runs around a column ends or begins.
#include "stretch.h"

// What is at row j of a column, shifted by `shift` rows; *end is brought down to the last row for which that holds.
static pl__beside look(pl__run_walk *w, int32_t j, int32_t shift, int32_t *end, int32_t *base)
{
    const pl__run *run = pl__run_walk_to(w, j - shift);
    int32_t last = run ? run->j1 : w->run < w->end ? w->run->j0 - 1 : INT32_MAX - 1;
    *end = last + shift < *end ? last + shift : *end;
    *base = run ? run->first - run->j0 - shift : 0;
    return !run ? PL__BESIDE_NOTHING : run->kind == PL__RUN_UNIFORM ? PL__BESIDE_UNIFORM : PL__BESIDE_TALL;
}

// The next run of uniform numbers at or above row `next`.
static const pl__run *next_uniform(pl__run_walk *w, int32_t next)
{
    while (w->run < w->end && (w->run->kind != PL__RUN_UNIFORM || w->run->j1 < next))
        ++w->run;
    return w->run < w->end ? w->run : NULL;
}

// ---- cells -----------------------------------------------------------------------------------------------------

pl__cell_walk pl__cell_walk_begin(const pl__grid *grid, int32_t column)
{
    const pl__columns *c = &grid->cell, *f = grid->face;
    int32_t i = column % c->nx, k = column / c->nx;
    pl__run_walk own = pl__run_walk_begin(c, i, k);
    return (pl__cell_walk){.own = own,
                           .rows = c->ny,
                           .first = own.run,
                           .beside = {pl__run_walk_begin(c, i - 1, k), pl__run_walk_begin(c, i + 1, k),
                                      pl__run_walk_begin(c, i, k - 1), pl__run_walk_begin(c, i, k + 1)},
                           .face = {pl__run_walk_begin(&f[0], i, k), pl__run_walk_begin(&f[0], i + 1, k),
                                    pl__run_walk_begin(&f[2], i, k), pl__run_walk_begin(&f[2], i, k + 1),
                                    pl__run_walk_begin(&f[1], i, k)}};
}

static uint8_t kind_of(const pl__run *run)
{
    return run->kind == PL__RUN_UNIFORM ? PL__BESIDE_UNIFORM : PL__BESIDE_TALL;
}

// Row j of `run`, which is the one below or above or NULL.
static uint8_t kind_at(const pl__cell_walk *w, const pl__run *run, int32_t j)
{
    if (j < 0 || j >= w->rows)
        return PL__BESIDE_OUTSIDE;
    return run && run->j0 <= j && j <= run->j1 ? kind_of(run) : PL__BESIDE_NOTHING;
}

// The cells below and above, in the same column.
static void look_along(const pl__cell_walk *w, const pl__run *run, pl__cell_stretch *s)
{
    const pl__run *below = run > w->first ? run - 1 : NULL, *above = run + 1 < w->own.end ? run + 1 : NULL;
    s->cell[2] = s->own - 1, s->cell[3] = s->own + 1;
    s->kind[2] = s->kind[3] = PL__BESIDE_UNIFORM;
    if (s->j0 == run->j0)
    {
        s->j1 = s->j0;
        s->kind[2] = kind_at(w, below, s->j0 - 1);
    }
    else if (s->j1 == run->j1 && s->j0 < s->j1)
        s->j1 = run->j1 - 1;
    if (s->j1 == run->j1)
        s->kind[3] = kind_at(w, above, s->j1 + 1);
}

bool pl__cell_walk_next(pl__cell_walk *w, pl__cell_stretch *s)
{
    static const uint8_t side[4] = {0, 1, 4, 5};
    const pl__run *run = next_uniform(&w->own, w->next);
    if (!run)
        return false;
    s->j0 = run->j0 > w->next ? run->j0 : w->next;
    s->j1 = run->j1;
    s->own = run->first - run->j0;
    for (int n = 0; n < 4; ++n)
    {
        int32_t end = s->j1;
        s->kind[side[n]] = (uint8_t)look(&w->beside[n], s->j0, 0, &s->j1, &s->cell[side[n]]);
        if (!w->beside[n].end)
            s->kind[side[n]] = PL__BESIDE_OUTSIDE;
        (void)look(&w->face[n], s->j0, 0, &end, &s->face[side[n]]);
    }
    look_along(w, run, s);
    int32_t end = s->j1;
    (void)look(&w->face[4], s->j0, 0, &end, &s->face[2]);
    s->face[3] = s->face[2] + 1;
    s->inner = true;
    for (int n = 0; n < 6; ++n)
        s->inner = s->inner && s->kind[n] == PL__BESIDE_UNIFORM;
    w->next = s->j1 + 1;
    return true;
}

// ---- faces -----------------------------------------------------------------------------------------------------

pl__face_walk pl__face_walk_begin(const pl__grid *grid, int axis, int32_t column)
{
    const pl__columns *f = &grid->face[axis], *c = &grid->cell;
    int32_t i = column % f->nx, k = column / f->nx;
    return (pl__face_walk){
        .own = pl__run_walk_begin(f, i, k),
        .beside = {pl__run_walk_begin(c, i - (axis == 0), k - (axis == 2)), pl__run_walk_begin(c, i, k)},
        .shift = axis == 1};
}

bool pl__face_walk_next(pl__face_walk *w, pl__face_stretch *s)
{
    const pl__run *run = next_uniform(&w->own, w->next);
    if (!run)
        return false;
    s->j0 = run->j0 > w->next ? run->j0 : w->next;
    s->j1 = run->j1;
    s->own = run->first - run->j0;
    s->kind[0] = (uint8_t)look(&w->beside[0], s->j0, w->shift, &s->j1, &s->cell[0]);
    s->kind[1] = (uint8_t)look(&w->beside[1], s->j0, 0, &s->j1, &s->cell[1]);
    w->next = s->j1 + 1;
    return true;
}

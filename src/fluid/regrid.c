// src/fluid/regrid.c -- a new grid from the surface of the liquid, by sets of rows.
#include "regrid.h"

// Tall runs shorter than this are stored as uniform cells: that costs no more.
enum
{
    SHORTEST_TALL = 4
};

void pl__regrid_work_done(pl_context *ctx, pl__regrid_work *work)
{
    pl__row_set_done(ctx, &work->surface);
    pl__row_set_done(ctx, &work->liquid);
    pl__row_set_done(ctx, &work->uniform);
    pl__row_set_done(ctx, &work->tall);
    for (int n = 0; n < 3; ++n)
        pl__row_set_done(ctx, &work->scratch[n]);
}

// Whether the sign of phi changes towards a neighbour.
static bool is_at_surface(const pl__columns *c, const double *phi, int32_t i, int32_t j, int32_t k, int32_t n)
{
    static const int32_t step[6][3] = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}};
    for (int s = 0; s < 6; ++s)
    {
        int32_t a = i + step[s][0], b = j + step[s][1], d = k + step[s][2];
        if (a < 0 || b < 0 || d < 0 || a >= c->nx || b >= c->ny || d >= c->nz)
            continue;
        int32_t other = pl__columns_uniform(c, a + c->nx * d, b);
        if (other >= 0 && (phi[other] < 0) != (phi[n] < 0))
            return true;
    }
    return false;
}

// Those of one uniform run.
static pl_status survey_run(pl_context *ctx, const pl__columns *c, const double *phi, int32_t column,
                            const pl__run *run, pl__regrid_work *work)
{
    int32_t base = run->first - run->j0, wet = -1; // the first row of the liquid that is being collected
    for (int32_t j = run->j0; j <= run->j1; ++j)
    {
        double here = phi[base + j];
        if (here < 0 && wet < 0)
            wet = j;
        if (!(here < 0) && wet >= 0)
        {
            PL_TRY(pl__row_set_add(ctx, &work->liquid, wet, j - 1));
            wet = -1;
        }
        if (here > -2 * c->h && here < 2 * c->h && is_at_surface(c, phi, column % c->nx, j, column / c->nx, base + j))
            PL_TRY(pl__row_set_add(ctx, &work->surface, j, j));
    }
    return wet >= 0 ? pl__row_set_add(ctx, &work->liquid, wet, run->j1) : PL_OK;
}

// The cells at the surface, and the liquid.
static pl_status survey(pl_context *ctx, const pl__columns *c, const double *phi, pl__regrid_work *work)
{
    int32_t n[3] = {c->nx, c->ny, c->nz};
    PL_TRY(pl__row_set_begin(ctx, &work->surface, n));
    PL_TRY(pl__row_set_begin(ctx, &work->liquid, n));
    for (int32_t column = 0; column < c->nx * c->nz; ++column)
    {
        for (size_t r = c->start[column]; r < c->start[column + 1]; ++r)
        {
            const pl__run *run = &c->run[r];
            PL_TRY(run->kind == PL__RUN_UNIFORM ? survey_run(ctx, c, phi, column, run, work)
                                                : pl__row_set_add(ctx, &work->liquid, run->j0, run->j1));
        }
        pl__row_set_end_column(&work->surface);
        pl__row_set_end_column(&work->liquid);
    }
    return PL_OK;
}

static void swap(pl__row_set *a, pl__row_set *b)
{
    pl__row_set t = *a;
    *a = *b;
    *b = t;
}

// work->uniform and work->tall
static pl_status divide(pl_context *ctx, const pl__regrid *how, pl__regrid_work *work)
{
    pl__row_set *a = &work->scratch[0], *b = &work->scratch[1], *c = &work->scratch[2];
    // liquid within `depth` of the surface
    if (how->depth == INT32_MAX)
        PL_TRY(pl__row_set_unite(ctx, &work->liquid, &work->liquid, b));
    else
    {
        PL_TRY(pl__row_set_unite(ctx, &work->surface, &work->surface, a));
        PL_TRY(pl__row_set_dilate(ctx, a, how->depth, 0, how->depth, c));
        PL_TRY(pl__row_set_intersect(ctx, a, &work->liquid, b));
    }
    if (how->moving && how->depth != INT32_MAX)
    {
        PL_TRY(pl__row_set_intersect(ctx, how->moving, &work->liquid, a));
        PL_TRY(pl__row_set_unite(ctx, a, b, c));
        swap(b, c);
    }
    // and everything near it, or where detail is wanted
    PL_TRY(pl__row_set_dilate(ctx, &work->surface, how->air, how->air, how->air, c));
    PL_TRY(pl__row_set_unite(ctx, &work->surface, b, &work->uniform));
    if (how->detail)
    {
        PL_TRY(pl__row_set_unite(ctx, &work->uniform, how->detail, c));
        swap(&work->uniform, c);
    }
    PL_TRY(pl__row_set_subtract(ctx, &work->liquid, &work->uniform, &work->tall));
    if (how->buried)
    {
        PL_TRY(pl__row_set_subtract(ctx, &work->uniform, how->buried, c));
        swap(&work->uniform, c);
    }
    if (how->rock)
    {
        PL_TRY(pl__row_set_subtract(ctx, &work->tall, how->rock, c));
        swap(&work->tall, c);
    }
    return PL_OK;
}

// Runs of a column from its two sets, which are disjoint; a short tall one joins the uniform ones beside it.
static pl_status add_column(pl_context *ctx, const pl__regrid_work *work, int32_t column, pl__columns *to)
{
    const pl__row_set *u = &work->uniform, *t = &work->tall;
    size_t a = u->start[column], a_end = u->start[column + 1], b = t->start[column], b_end = t->start[column + 1];
    pl__row_range open = {0, -1}; // uniform rows collected
    while (a < a_end || b < b_end)
    {
        bool uniform = b == b_end || (a < a_end && u->rows[a].j0 < t->rows[b].j0);
        pl__row_range next = uniform ? u->rows[a++] : t->rows[b++];
        if (uniform || next.j1 - next.j0 + 1 < SHORTEST_TALL)
        {
            if (open.j1 >= open.j0 && open.j1 + 1 == next.j0)
            {
                open.j1 = next.j1;
                continue;
            }
            if (open.j1 >= open.j0)
                PL_TRY(pl__columns_add(ctx, to, open.j0, open.j1, PL__RUN_UNIFORM));
            open = next;
            continue;
        }
        if (open.j1 >= open.j0)
            PL_TRY(pl__columns_add(ctx, to, open.j0, open.j1, PL__RUN_UNIFORM));
        open = (pl__row_range){0, -1};
        PL_TRY(pl__columns_add(ctx, to, next.j0, next.j1, PL__RUN_LINEAR));
    }
    return open.j1 >= open.j0 ? pl__columns_add(ctx, to, open.j0, open.j1, PL__RUN_UNIFORM) : PL_OK;
}

pl_status pl__regrid_make(pl_context *ctx, const pl__regrid *how, const pl__columns *from, const double *phi,
                          pl__regrid_work *work, pl__grid *to)
{
    pl_status status = survey(ctx, from, phi, work);
    if (status == PL_OK)
        status = divide(ctx, how, work);
    if (status == PL_OK)
        status = pl__columns_begin(ctx, &to->cell, (int32_t[3]){from->nx, from->ny, from->nz}, from->origin, from->h);
    for (int32_t column = 0; column < from->nx * from->nz && status == PL_OK; ++column)
    {
        status = add_column(ctx, work, column, &to->cell);
        if (status == PL_OK)
            pl__columns_end_column(&to->cell);
    }
    if (status == PL_OK)
        return pl__grid_make_faces(ctx, to);
    pl__grid_done(ctx, to);
    return status;
}

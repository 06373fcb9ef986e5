// src/sparse/block_multigrid.c -- see block_multigrid.h.
#include "block_multigrid.h"
#include "base/context.h"

#include <math.h>
#include <string.h>

// clang-format off
//                     value     unit           derivation                                                                              pinned by
#define COARSEST       24     // aggregates     few enough for the inverse of a full matrix, which is 3 million operations; chosen, meant to cost time only                           none
#define MOST_DIRECT    64     // aggregates     the same where no coarser level is possible: bodies that do not touch; chosen                                                         none
#define SHRINKS        0.7    // aggregates     of the finer level: a coarser one with more is not worth its cycles; chosen                                                           none
#define DEPENDENT      1e-4   // of the diagonal  pivots of P^T P: aggregates within a hundredth of their length of a line turn about it freely; round-off of it is 1e-16; chosen         tests/block_multigrid.c lines_of_nodes_are_solved (if 0)
#define RITZ           6      // products       for the largest eigenvalue of D^-1 A, then 5 % too small; the smoother diverges at 43 %                                               tests/block_multigrid.c cycles_are_symmetric_and_definite (if 1)
#define OMEGA          1.4    // 1/eigenvalue   weight of the smoother: least for what is in the upper two thirds of the spectrum, 2/(1 + 1/3), with 7 % for the eigenvalue's error  tests/block_multigrid.c cycles_are_symmetric_and_definite (if 2.2)
#define CYCLES         2      // cycles         on a coarse level per cycle of the finer one; one alone takes 1.3 times the iterations for solids, 1.6 times for sheets               tests/block_multigrid.c iterations_hardly_grow (if 1)
// clang-format on

enum
{
    CHUNK = PL_BLOCK_ROW_CHUNK,
    AGGREGATES_PER_TASK = CHUNK / 2, // in vectors; whole slices
    COARSE_PER_TASK = 4,             // of P^T A P: some 400 blocks each
    FINISHED_PER_TASK = 32
};

// ---- lifetime -----------------------------------------------------------------------------------------------------

static size_t fine_cells(const pl__block_matrix *m) { return PL_BLOCK_ROWS * (size_t)m->start[m->slice_count]; }

// The graph of a fine matrix, rows included.
static pl_status make_graph(pl_context *ctx, const pl__block_matrix *m, pl__graph *g)
{
    g->count = m->row_count;
    g->first = PL_NEW(ctx, m->row_count + 1, int32_t);
    g->column = PL_NEW(ctx, fine_cells(m), int32_t);
    if (!g->first || !g->column)
        return PL_ERR_MEMORY;
    for (int pass = 0; pass < 2; ++pass)
    {
        for (int32_t at = 0; at < PL_BLOCK_ROWS * m->slice_count; ++at)
        {
            int32_t row = m->row[at], slice = at / PL_BLOCK_ROWS;
            for (int32_t c = m->start[slice]; row >= 0 && c < m->start[slice + 1]; ++c)
            {
                int32_t column = m->column[PL_BLOCK_ROWS * c + at % PL_BLOCK_ROWS];
                if (column == row && c > m->start[slice])
                    continue;
                if (pass == 0)
                    g->first[row + 1]++;
                else
                    g->column[g->first[row]++] = column;
            }
        }
        for (int32_t i = 0; pass == 0 && i < m->row_count; ++i)
            g->first[i + 1] += g->first[i];
    }
    memmove(g->first + 1, g->first, (size_t)m->row_count * sizeof *g->first);
    g->first[0] = 0;
    return PL_OK;
}

static void set_targets(const pl__block_matrix *m, const pl__block_level *l, int32_t *target)
{
    for (int32_t at = 0; at < PL_BLOCK_ROWS * m->slice_count; ++at)
        for (int32_t slice = at / PL_BLOCK_ROWS, c = m->start[slice]; c < m->start[slice + 1]; ++c)
        {
            size_t cell = (size_t)(PL_BLOCK_ROWS * c + at % PL_BLOCK_ROWS);
            int32_t row = m->row[at], column = m->column[cell], a = row >= 0 ? l->aggregate[row] : -1;
            bool padding = column == row && c > m->start[slice];
            target[cell] = !padding && a >= 0 && l->aggregate[column] >= a
                               ? l->source[pl__block_level_find(l, a, l->aggregate[column])] / 2
                               : -1;
        }
}

// Coarser and coarser levels, until few aggregates are left or none are worth it.
static pl_status make_levels(pl_context *ctx, const pl__graph *fine, pl__block_multigrid *mg)
{
    pl__graph g = *fine;
    for (int32_t k = 0; k < PL__BLOCK_LEVELS; ++k)
    {
        pl__block_level *l = &mg->level[k];
        PL_TRY(pl__block_level_create(ctx, &g, k == 0 ? CHUNK : 0, l));
        if (l->count == 0 || (k > 0 && l->count > SHRINKS * g.count))
        {
            pl__block_level_destroy(ctx, l);
            return PL_OK;
        }
        mg->level_count = k + 1;
        if (l->count <= COARSEST)
            return PL_OK;
        g = (pl__graph){l->count, l->first, l->column};
    }
    return PL_OK;
}

static int32_t partial_length(const pl__block_multigrid *mg)
{
    int32_t most = mg->row_count;
    for (int32_t k = 0; k < mg->level_count; ++k)
        most = 2 * mg->level[k].count > most ? 2 * mg->level[k].count : most;
    return pl__chunk_count(most, CHUNK) + 1;
}

// Side of the inverse of the coarsest matrix; 0: it would be too large.
static size_t coarsest(const pl__block_multigrid *mg)
{
    int32_t count = mg->level_count > 0 ? mg->level[mg->level_count - 1].count : 0;
    return count <= MOST_DIRECT ? 6 * (size_t)count : 0;
}

static pl_status make_arrays(pl_context *ctx, pl__block_multigrid *mg)
{
    double **vector[] = {&mg->r, &mg->q, &mg->p, &mg->z};
    for (size_t k = 0; k < sizeof vector / sizeof *vector; ++k)
        if (!(*vector[k] = PL_NEW(ctx, pl__vector_length(3 * mg->row_count), double)))
            return PL_ERR_MEMORY;
    size_t n = coarsest(mg);
    mg->inverse = n > 0 ? PL_NEW(ctx, n * n, double) : NULL;
    mg->target = PL_NEW(ctx, mg->cell_count, int32_t);
    mg->hold = PL_NEW(ctx, mg->row_count, int32_t);
    mg->partial = PL_NEW(ctx, partial_length(mg), double);
    return (n == 0 || mg->inverse) && mg->target && mg->hold && mg->partial ? PL_OK : PL_ERR_MEMORY;
}

static pl_status build(pl_context *ctx, const pl__block_matrix *m, pl__block_multigrid *mg)
{
    pl__graph fine = {0};
    pl_status status = make_graph(ctx, m, &fine);
    if (status == PL_OK)
        status = make_levels(ctx, &fine, mg);
    PL_DELETE(ctx, fine.first, m->row_count + 1);
    PL_DELETE(ctx, fine.column, mg->cell_count);
    PL_TRY(status);
    PL_TRY(make_arrays(ctx, mg));
    if (mg->level_count > 0)
        set_targets(m, &mg->level[0], mg->target);
    return PL_OK;
}

pl_status pl__block_multigrid_create(pl_context *ctx, const pl__block_matrix *m, pl__block_multigrid *out)
{
    pl__block_multigrid mg = {.row_count = m->row_count, .cell_count = fine_cells(m)};
    pl_status status = build(ctx, m, &mg);
    if (status != PL_OK)
        pl__block_multigrid_destroy(ctx, &mg);
    else
        *out = mg;
    return status;
}

void pl__block_multigrid_destroy(pl_context *ctx, pl__block_multigrid *mg)
{
    double **vector[] = {&mg->r, &mg->q, &mg->p, &mg->z};
    for (size_t k = 0; k < sizeof vector / sizeof *vector; ++k)
        PL_DELETE(ctx, *vector[k], pl__vector_length(3 * mg->row_count));
    PL_DELETE(ctx, mg->inverse, coarsest(mg) * coarsest(mg));
    PL_DELETE(ctx, mg->target, mg->cell_count);
    PL_DELETE(ctx, mg->hold, mg->row_count);
    PL_DELETE(ctx, mg->partial, partial_length(mg));
    for (int32_t k = 0; k < mg->level_count; ++k)
        pl__block_level_destroy(ctx, &mg->level[k]);
    *mg = (pl__block_multigrid){0};
}

// ---- operations on a level ----------------------------------------------------------------------------------------

// The system A x = b of one level.
typedef struct
{
    pl_context *ctx;
    pl__block_multigrid *mg;
    const pl__multigrid_system *s;
    const pl__block_level *level; // NULL: the finest
    const double *b;
    double *x, *q, *t; // q: products; t: residuals
} grid;

static int32_t rows_of(const grid *g) { return g->level ? g->level->count : g->mg->row_count; }
static size_t numbers_of(const grid *g) { return g->level ? 6 : 3; }

static grid fine_grid(pl_context *ctx, pl__block_multigrid *mg, const pl__multigrid_system *s)
{
    return (grid){.ctx = ctx, .mg = mg, .s = s, .q = mg->q, .t = mg->r};
}

static grid coarse_grid(const grid *g, const pl__block_level *l)
{
    return (grid){.ctx = g->ctx, .mg = g->mg, .s = g->s, .level = l, .b = l->b, .x = l->x, .q = l->q, .t = l->r};
}

// out += C in, with C the couplings; returns in . C in
static double add_couplings(const pl__block_level *l, const double *in, double *out)
{
    double sum = 0;
    for (int32_t k = 0; k < l->coupling_count; ++k)
    {
        const pl__coupling *c = &l->coupling[k];
        const double *u = &in[6 * (size_t)c->row], *v = &in[6 * (size_t)c->column];
        double *to = &out[6 * (size_t)c->row], *back = &out[6 * (size_t)c->column];
        for (int i = 0; i < 6; ++i)
            for (int j = 0; j < 6; ++j)
            {
                to[i] += c->block[6 * i + j] * v[j];
                back[j] += c->block[6 * i + j] * u[i];
                sum += 2 * u[i] * c->block[6 * i + j] * v[j];
            }
    }
    return sum;
}

// out = A in; returns in . out
static double multiply(const grid *g, const double *in, double *out)
{
    if (g->level)
        return pl__block_matrix_multiply(g->ctx, &g->level->matrix, in, out, g->mg->partial) +
               add_couplings(g->level, in, out);
    double product = (g->s->matrix->rough ? pl__block_matrix_multiply_rough
                                          : pl__block_matrix_multiply)(g->ctx, g->s->matrix, in, out, g->mg->partial);
    return product + (g->s->add ? g->s->add(g->s->user, in, out) : 0);
}

// v = D^-1 v for rows [begin, end), within their constraints.
static void by_diagonal(const grid *g, int32_t begin, int32_t end, double *v)
{
    if (g->level)
    {
        PL_PICK(g->ctx->register_bytes, pl__block_multigrid_by_inverse)(g->level->inverse, begin, end, v, v);
        return;
    }
    PL_PICK(g->ctx->register_bytes, pl__vector_by_blocks)(g->s->block, v, begin, end);
    pl__constraints_hold_blocks(g->s->constraints, g->s->block, begin, end, v);
}

typedef struct
{
    const grid *g;
    const pl__block_level *coarse;
    double omega;
    bool from_zero;
} grid_job;

static void smooth_rows(void *argument, int32_t begin, int32_t end)
{
    const grid_job *job = argument;
    const grid *g = job->g;
    size_t first = numbers_of(g) * (size_t)begin, last = numbers_of(g) * (size_t)end;
    for (size_t k = first; k < last; ++k)
        g->t[k] = job->from_zero ? g->b[k] : g->b[k] - g->q[k];
    by_diagonal(g, begin, end, g->t);
    for (size_t k = first; k < last; ++k)
        g->x[k] = job->from_zero ? job->omega * g->t[k] : g->x[k] + job->omega * g->t[k];
}

// x += omega D^-1 (b - A x)
static void smooth(const grid *g, bool from_zero)
{
    grid_job job = {.g = g, .omega = g->level ? g->level->omega : g->mg->omega, .from_zero = from_zero};
    if (!from_zero)
        (void)multiply(g, g->x, g->q);
    pl__parallel_for(g->ctx, rows_of(g), g->level ? AGGREGATES_PER_TASK : CHUNK, smooth_rows, &job);
}

static void residual_rows(void *argument, int32_t begin, int32_t end)
{
    const grid *g = argument;
    for (size_t k = numbers_of(g) * (size_t)begin; k < numbers_of(g) * (size_t)end; ++k)
        g->t[k] = g->b[k] - g->q[k];
    if (!g->level)
        pl__constraints_project_nodes(g->s->constraints, begin, end, g->t);
}

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

// P^T t, for aggregates [begin, end).
static void restrict_rows(void *argument, int32_t begin, int32_t end)
{
    const grid_job *job = argument;
    const pl__block_level *l = job->coarse;
    size_t width = numbers_of(job->g);
    for (int32_t a = begin; a < end; ++a)
    {
        double sum[6] = {0}, turn[3];
        for (int32_t m = l->first_member[a]; m < l->first_member[a + 1]; ++m)
        {
            const double *t = &job->g->t[width * (size_t)l->member[m]];
            cross(&l->arm[3 * (size_t)l->member[m]], t, turn);
            for (size_t d = 0; d < 3; ++d)
            {
                sum[d] += t[d];
                sum[3 + d] += width == 6 ? t[3 + d] + turn[d] : turn[d];
            }
        }
        memcpy(&l->b[6 * (size_t)a], sum, sizeof sum);
    }
}

// x += P y
static void prolong_rows(void *argument, int32_t begin, int32_t end)
{
    const grid_job *job = argument;
    const pl__block_level *l = job->coarse;
    size_t width = numbers_of(job->g);
    for (int32_t i = begin; i < end; ++i)
    {
        if (l->aggregate[i] < 0)
            continue;
        const double *y = &l->x[6 * (size_t)l->aggregate[i]];
        double turn[3], *x = &job->g->x[width * (size_t)i];
        cross(&y[3], &l->arm[3 * (size_t)i], turn);
        for (size_t d = 0; d < 3; ++d)
            x[d] += y[d] + turn[d];
        for (size_t d = 3; d < width; ++d)
            x[d] += y[d];
    }
    if (!job->g->level)
        pl__constraints_project_nodes(job->g->s->constraints, begin, end, job->g->x);
}

// ---- the cycle ----------------------------------------------------------------------------------------------------

static void solve(const grid *g, int32_t at);

// x += P y with P^T A P y = P^T (b - A x), by cycles; `at` is the index of the coarser level.
static void correct(const grid *g, int32_t at)
{
    const pl__block_level *l = &g->mg->level[at];
    grid_job job = {.g = g, .coarse = l};
    (void)multiply(g, g->x, g->q);
    pl__parallel_for(g->ctx, rows_of(g), g->level ? AGGREGATES_PER_TASK : CHUNK, residual_rows, (void *)g);
    pl__parallel_for(g->ctx, l->count, AGGREGATES_PER_TASK, restrict_rows, &job);
    grid coarse = coarse_grid(g, l);
    solve(&coarse, at);
    pl__parallel_for(g->ctx, rows_of(g), g->level ? AGGREGATES_PER_TASK : CHUNK, prolong_rows, &job);
}

// One cycle from x = 0; `next` is the index of the coarser level.
static void cycle(const grid *g, int32_t next)
{
    smooth(g, true);
    if (next < g->mg->level_count)
        correct(g, next);
    smooth(g, false);
}

// A x = b on a coarse level: directly, or by cycles, each for the residual that the last one left.
static void solve(const grid *g, int32_t at)
{
    const pl__block_level *l = g->level;
    if (at == g->mg->level_count - 1 && g->mg->inverse)
    {
        PL_PICK(g->ctx->register_bytes, pl__block_multigrid_dense)(g->mg->inverse, 6 * l->count, l->b, l->x);
        return;
    }
    size_t count = 6 * (size_t)l->count;
    cycle(g, at + 1);
    for (int k = 1; k < CYCLES; ++k)
    {
        memcpy(l->sum, l->x, count * sizeof *l->x);
        (void)multiply(g, l->x, l->q);
        for (size_t i = 0; i < count; ++i)
            l->b[i] -= l->q[i];
        cycle(g, at + 1);
        for (size_t i = 0; i < count; ++i)
            l->x[i] += l->sum[i];
    }
}

void pl__block_multigrid_apply(pl_context *ctx, pl__block_multigrid *mg, const pl__multigrid_system *s, const double *r,
                               double *z)
{
    grid g = fine_grid(ctx, mg, s);
    g.b = r;
    g.x = z;
    cycle(&g, 0);
}

// ---- the largest eigenvalue ---------------------------------------------------------------------------------------

// Of the tridiagonal matrix with diagonal d and, beside it, e: bisection by the signs of its pivots.
static double largest_of(const double *d, const double *e, int n)
{
    double low = 0, high = 0;
    for (int i = 0; i < n; ++i)
        high = fmax(high, d[i] + (i > 0 ? e[i - 1] : 0) + (i + 1 < n ? e[i] : 0));
    for (int halving = 0; halving < 20; ++halving)
    {
        double middle = 0.5 * (low + high), pivot = d[0] - middle;
        for (int i = 1; i < n && pivot < 0; ++i)
            pivot = d[i] - middle - e[i - 1] * e[i - 1] / pivot;
        if (pivot < 0)
            high = middle;
        else
            low = middle;
    }
    return high;
}

static void fill_randomly(double *v, int32_t count)
{
    uint32_t state = 1;
    for (int32_t k = 0; k < count; ++k)
    {
        state = state * 1664525u + 1013904223u;
        v[k] = (state >> 8) * 0x1p-24 - 0.5;
    }
}

typedef struct
{
    const grid *g;
    const double *r;
    double *z;
} diagonal_job;

static void divide_rows(void *argument, int32_t begin, int32_t end)
{
    const diagonal_job *job = argument;
    size_t width = numbers_of(job->g), first = width * (size_t)begin;
    memcpy(&job->z[first], &job->r[first], width * (size_t)(end - begin) * sizeof(double));
    by_diagonal(job->g, begin, end, job->z);
}

// Of D^-1 A: a few iterations of conjugate gradients from a random residual are Lanczos' method.
static double largest_eigenvalue(const grid *g, double *r, double *z, double *p)
{
    double d[RITZ], e[RITZ], last = 1, rz = 0;
    int32_t count = (int32_t)numbers_of(g) * rows_of(g);
    int n = 0;
    diagonal_job job = {g, r, z};
    fill_randomly(r, count);
    for (; n < RITZ; ++n)
    {
        pl__parallel_for(g->ctx, rows_of(g), g->level ? AGGREGATES_PER_TASK : CHUNK, divide_rows, &job);
        double next = pl__dot(g->ctx, r, z, count, NULL, g->mg->partial), beta = n > 0 ? next / rz : 0;
        if (n > 0)
            pl__axpby(g->ctx, 1, z, beta, p, count, NULL);
        else
            pl__copy(g->ctx, z, p, count, NULL);
        double pq = next > 0 ? multiply(g, p, g->q) : 0;
        if (!(pq > 0))
            break;
        d[n] = pq / next + (n > 0 ? beta / last : 0);
        if (n > 0)
            e[n - 1] = sqrt(beta) / last;
        rz = next;
        last = rz / pq;
        pl__axpby(g->ctx, -last, g->q, 1, r, count, NULL);
    }
    return n > 0 ? largest_of(d, e, n) : 1;
}

// ---- values -------------------------------------------------------------------------------------------------------

// Centres of aggregates, and arms, from the positions of their members.
static void place_level(pl__block_level *l, const double *x)
{
    for (int32_t a = 0; a < l->count; ++a)
    {
        double *c = &l->center[3 * (size_t)a], share = 1.0 / (l->first_member[a + 1] - l->first_member[a]);
        c[0] = c[1] = c[2] = 0;
        for (int32_t m = l->first_member[a]; m < l->first_member[a + 1]; ++m)
            for (size_t d = 0; d < 3; ++d)
                c[d] += share * x[3 * (size_t)l->member[m] + d];
        for (int32_t m = l->first_member[a]; m < l->first_member[a + 1]; ++m)
            for (size_t d = 0; d < 3; ++d)
                l->arm[3 * (size_t)l->member[m] + d] = x[3 * (size_t)l->member[m] + d] - c[d];
    }
}

typedef struct
{
    pl_context *ctx;
    pl__block_multigrid *mg;
    const pl__multigrid_system *s;
    pl__block_level *finer, *level;
} coarsen_job;

static void clear_row(const pl__block_level *l, int32_t a)
{
    for (int32_t k = l->first[a]; k < l->first[a + 1]; ++k)
        if (l->column[k] >= a)
            memset(&l->block[18 * (size_t)l->source[k]], 0, 36 * sizeof *l->block);
}

// A chunk of rows: its aggregates are consecutive.
static void coarsen_chunk(void *argument, int32_t begin, int32_t end)
{
    const coarsen_job *job = argument;
    const pl__block_level *l = job->level;
    int32_t low = l->count, high = 0;
    for (int32_t i = begin; i < end; ++i)
        if (l->aggregate[i] >= 0)
        {
            low = l->aggregate[i] < low ? l->aggregate[i] : low;
            high = l->aggregate[i] + 1 > high ? l->aggregate[i] + 1 : high;
        }
    for (int32_t a = low; a < high; ++a)
        clear_row(l, a);
    PL_PICK(job->ctx->register_bytes, pl__block_multigrid_coarsen)
    (job->mg, job->s, begin / PL_BLOCK_ROWS, (end + PL_BLOCK_ROWS - 1) / PL_BLOCK_ROWS);
}

// sum += X_i^T a X_j, where (t, w) = X (t, w) of the aggregate.
static void add_block(const double *a, bool turned, const double *di, const double *dj, double *sum)
{
    double full[6][6], turn[3];
    for (int r = 0; r < 6; ++r)
    {
        for (int c = 0; c < 6; ++c)
            full[r][c] = turned ? a[6 * c + r] : a[6 * r + c];
        cross(dj, full[r], turn);
        for (int c = 0; c < 3; ++c)
            full[r][3 + c] += turn[c];
    }
    for (int c = 0; c < 6; ++c)
    {
        double column[3] = {full[0][c], full[1][c], full[2][c]};
        cross(di, column, turn);
        for (int r = 0; r < 3; ++r)
            full[3 + r][c] += turn[r];
    }
    for (int r = 0; r < 6; ++r)
        for (int c = 0; c < 6; ++c)
            sum[6 * r + c] += full[r][c];
}

static void coarsen_aggregates(void *argument, int32_t begin, int32_t end)
{
    const coarsen_job *job = argument;
    const pl__block_level *f = job->finer, *l = job->level;
    for (int32_t a = begin; a < end; ++a)
    {
        clear_row(l, a);
        for (int32_t m = l->first_member[a]; m < l->first_member[a + 1]; ++m)
            for (int32_t i = l->member[m], k = f->first[i]; k < f->first[i + 1]; ++k)
            {
                int32_t other = l->aggregate[f->column[k]];
                if (other >= a)
                    add_block(&f->block[18 * (size_t)(f->source[k] & ~1)], f->source[k] & 1, &l->arm[3 * (size_t)i],
                              &l->arm[3 * (size_t)f->column[k]],
                              &l->block[18 * (size_t)l->source[pl__block_level_find(l, a, other)]]);
            }
    }
}

// Which unknowns do not depend on the ones before: pivots of P^T P.
static void find_independent(const double *gram, uint8_t *independent)
{
    double a[36];
    memcpy(a, gram, sizeof a);
    for (int k = 0; k < 6; ++k)
    {
        independent[k] = a[7 * k] > DEPENDENT * gram[7 * k];
        for (int i = k + 1; independent[k] && i < 6; ++i)
            for (int j = 5; j >= k; --j)
                a[6 * i + j] -= a[6 * i + k] / a[7 * k] * a[6 * k + j];
    }
}

// P^T P of aggregates, from the directions that nodes are free in, or from the finer level.
static void measure_aggregates(void *argument, int32_t begin, int32_t end)
{
    const coarsen_job *job = argument;
    const pl__block_level *l = job->level;
    const pl__constraints *c = job->s->constraints;
    for (int32_t a = begin; a < end; ++a)
    {
        double *gram = &l->gram[36 * (size_t)a];
        memset(gram, 0, 36 * sizeof *gram);
        for (int32_t m = l->first_member[a]; m < l->first_member[a + 1]; ++m)
        {
            int32_t i = l->member[m];
            const double *arm = &l->arm[3 * (size_t)i];
            double free[36] = {[0] = 1, [7] = 1, [14] = 1};
            if (job->finer)
                memcpy(free, &job->finer->gram[36 * (size_t)i], sizeof free);
            else if (job->mg->hold[i] >= 0)
                for (int d = 0; d < 3; ++d)
                    pl__constraint_hold(&c->single[job->mg->hold[i]], &free[6 * d]);
            add_block(free, false, arm, arm, gram);
        }
        find_independent(gram, &l->independent[6 * (size_t)a]);
    }
}

// w w' S of two nodes of a pair, with their constraints.
static void pair_block(const coarsen_job *job, const pl__multigrid_pair *p, int k, int l, double out[36])
{
    static const int at[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
    const pl__constraints *c = job->s->constraints;
    int32_t hold[2] = {job->mg->hold[p->node[k]], job->mg->hold[p->node[l]]};
    memset(out, 0, 36 * sizeof *out);
    for (int i = 0; i < 3; ++i)
    {
        for (int j = 0; j < 3; ++j)
            out[6 * i + j] = p->weight[k] * p->weight[l] * p->stiffness[at[3 * i + j]];
        if (hold[1] >= 0)
            pl__constraint_hold(&c->single[hold[1]], &out[6 * i]);
    }
    for (int j = 0; j < 3 && hold[0] >= 0; ++j)
    {
        double v[3] = {out[j], out[6 + j], out[12 + j]};
        pl__constraint_hold(&c->single[hold[0]], v);
        for (int i = 0; i < 3; ++i)
            out[6 * i + j] = v[i];
    }
}

// Add a block of two finer rows, and its transpose; in the diagonal only itself.
static void couple(const coarsen_job *job, int32_t i, int32_t j, const double a[36])
{
    pl__block_level *l = job->level;
    double sum[36] = {0};
    if (l->aggregate[i] < 0 || l->aggregate[j] < 0)
        return;
    add_block(a, false, &l->arm[3 * (size_t)i], &l->arm[3 * (size_t)j], sum);
    for (int k = 0; i == j && k < 36; ++k)
        sum[k] *= 0.5;
    pl__block_level_couple(job->ctx, l, l->aggregate[i], l->aggregate[j], sum);
}

// Terms of contact: pairs of the finest level, couplings of others.
static void couple_level(const coarsen_job *job)
{
    pl__block_level *l = job->level;
    double block[36];
    l->coupling_count = 0;
    memset(l->coupled, 0xff, (size_t)l->count * sizeof *l->coupled);
    for (int32_t k = 0; job->finer && k < job->finer->coupling_count; ++k)
        couple(job, job->finer->coupling[k].row, job->finer->coupling[k].column, job->finer->coupling[k].block);
    for (int32_t k = 0; !job->finer && k < job->s->pair_count; ++k)
    {
        pl__multigrid_pair p = {.count = 0};
        job->s->pair(job->s->user, k, &p);
        for (int a = 0; a < p.count; ++a)
            for (int b = a; b < p.count; ++b)
            {
                pair_block(job, &p, a, b, block);
                couple(job, p.node[a], p.node[b], block);
            }
    }
}

// A diagonal block is symmetric but for rounding; and its inverse.
static void invert_diagonal(pl_context *ctx, const pl__block_level *l, int32_t a, double *block)
{
    double *inverse = &l->inverse[36 * (size_t)a];
    for (int r = 0; r < 6; ++r)
        for (int c = 0; c < r; ++c)
            block[6 * r + c] = block[6 * c + r] = 0.5 * (block[6 * r + c] + block[6 * c + r]);
    memcpy(inverse, block, 36 * sizeof *inverse);
    PL_PICK(ctx->register_bytes, pl__block_multigrid_invert)(inverse, 6, &l->independent[6 * (size_t)a]);
}

// The matrix for products, from the stored blocks.
static void finish_aggregates(void *argument, int32_t begin, int32_t end)
{
    const coarsen_job *job = argument;
    const pl__block_level *l = job->level;
    const pl__block_matrix *m = &l->matrix;
    for (int32_t a = begin; a < end; ++a)
    {
        double *to = &m->value[9 * PL_BLOCK_ROWS * (size_t)m->start[l->place[a] / PL_BLOCK_ROWS] +
                               (size_t)(l->place[a] % PL_BLOCK_ROWS)];
        for (int32_t k = l->first[a]; k < l->first[a + 1]; ++k, to += 2 * 9 * PL_BLOCK_ROWS)
        {
            double *from = &l->block[18 * (size_t)(l->source[k] & ~1)];
            if (l->column[k] == a)
                invert_diagonal(job->ctx, l, a, from);
            for (size_t r = 0; r < 6; ++r)
                for (size_t c = 0; c < 6; ++c)
                    to[PL_BLOCK_ROWS * (9 * (c / 3) + 3 * (r % 3) + c % 3) + r / 3] =
                        from[l->source[k] & 1 ? 6 * c + r : 6 * r + c];
        }
    }
}

static void invert_coarsest(pl_context *ctx, pl__block_multigrid *mg)
{
    pl__block_level *l = &mg->level[mg->level_count - 1];
    size_t n = coarsest(mg);
    memset(mg->inverse, 0, n * n * sizeof *mg->inverse);
    for (size_t a = 0; a < (size_t)l->count; ++a)
        for (int32_t k = l->first[a]; k < l->first[a + 1]; ++k)
            for (size_t r = 0; r < 6; ++r)
                for (size_t c = 0; c < 6; ++c)
                    mg->inverse[(6 * a + r) * n + 6 * (size_t)l->column[k] + c] =
                        l->block[18 * (size_t)(l->source[k] & ~1) + (l->source[k] & 1 ? 6 * c + r : 6 * r + c)];
    for (int32_t k = 0; k < l->coupling_count; ++k)
        for (size_t r = 0, c, i = (size_t)l->coupling[k].row, j = (size_t)l->coupling[k].column; r < 6; ++r)
            for (c = 0; c < 6; ++c)
                mg->inverse[(6 * i + r) * n + 6 * j + c] = mg->inverse[(6 * j + c) * n + 6 * i + r] =
                    l->coupling[k].block[6 * r + c];
    PL_PICK(ctx->register_bytes, pl__block_multigrid_invert)(mg->inverse, (int32_t)n, l->independent);
}

static void list_holds(pl__block_multigrid *mg, const pl__constraints *c)
{
    memset(mg->hold, 0xff, (size_t)mg->row_count * sizeof *mg->hold);
    for (int32_t k = 0; c && k < c->single_count; ++k)
        if (c->single[k].count > 0)
            mg->hold[c->single[k].node] = k;
}

void pl__block_multigrid_refresh(pl_context *ctx, pl__block_multigrid *mg, const pl__multigrid_system *s)
{
    grid fine = fine_grid(ctx, mg, s);
    list_holds(mg, s->constraints);
    for (int32_t k = 0; k < mg->level_count; ++k)
    {
        pl__block_level *l = &mg->level[k];
        coarsen_job job = {.ctx = ctx, .mg = mg, .s = s, .finer = k > 0 ? l - 1 : NULL, .level = l};
        place_level(l, k > 0 ? l[-1].center : s->x);
        if (k == 0)
            pl__parallel_for(ctx, mg->row_count, CHUNK, coarsen_chunk, &job);
        else
            pl__parallel_for(ctx, l->count, COARSE_PER_TASK, coarsen_aggregates, &job);
        couple_level(&job);
        pl__parallel_for(ctx, l->count, FINISHED_PER_TASK, measure_aggregates, &job);
        pl__parallel_for(ctx, l->count, FINISHED_PER_TASK, finish_aggregates, &job);
        if (k == mg->level_count - 1 && mg->inverse)
            invert_coarsest(ctx, mg);
        else
        {
            grid g = coarse_grid(&fine, l);
            l->omega = OMEGA / largest_eigenvalue(&g, l->r, l->x, l->sum);
        }
    }
    mg->omega = OMEGA / largest_eigenvalue(&fine, mg->r, mg->z, mg->p);
}

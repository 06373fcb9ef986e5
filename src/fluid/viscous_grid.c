// src/fluid/viscous_grid.c -- coarse levels, cycles, and conjugate gradients around them.
#include "viscous_grid.h"
#include "base/task.h"

#include <math.h>
#include <string.h>

// clang-format off
//                       value   unit   derivation                                                                          pinned by
#define SMOOTHED         20.0 // 1      part of the spectrum that smoothing is for: div-free waves of 2 to 4 cells; measured  bench/viscosity.c
#define SOLVED           400.  // 1     that of the coarsest level, of up to 4 cells across; chosen                           tests/viscosity.c preconditioners_agree
#define LOCAL            0.2  // 1      a level whose stiffness is less than this part of its mass is the last; chosen        tests/viscosity.c preconditioners_agree
// clang-format on

enum
{
    COLUMNS_PER_TASK = 64,
    SWEEPS = 3,       // of smoothing; measured
    LAST_SWEEPS = 16, // on the coarsest level
    FEW_CELLS = 4     // along the longest side of the coarsest level
};

static int32_t columns_of(const pl__viscous_level *v) { return v->at.nx * v->at.nz; }

static float *take(pl__arena *arena, const pl__viscous_level *v)
{
    size_t bytes = (size_t)v->at.count * sizeof(float);
    float *a = PL_TAKE(arena, v->at.count, float);
    if (a)
        memset(a, 0, bytes);
    return a;
}

static bool take_triple(pl__arena *arena, const pl__viscous_level *v, float *a[3])
{
    for (int axis = 0; axis < 3; ++axis)
        if (!(a[axis] = take(arena, v)))
            return false;
    return true;
}

pl_status pl__viscous_begin(pl__arena *arena, pl__viscous_level *v)
{
    bool enough =
        take_triple(arena, v, v->stretch) && take_triple(arena, v, v->mass) && take_triple(arena, v, v->inverse);
    for (int axis = 0; axis < 3 && enough; ++axis)
    {
        enough = (v->shear[axis][0] = take(arena, v)) && (v->shear[axis][1] = take(arena, v)) &&
                 (v->face[axis] = PL_TAKE(arena, v->at.count, uint8_t));
        if (enough)
            memset(v->face[axis], PL__FACE_NONE, (size_t)v->at.count);
    }
    return enough ? PL_OK : PL_ERR_MEMORY;
}

// ---- diagonal --------------------------------------------------------------------------------------------------

// Edges of a face of axis a: those along m, in whose planes a is the lower or the higher axis.
static const int across[3][2] = {{1, 2}, {0, 2}, {0, 1}};

static int32_t step_along(const pl__padded *at, int32_t column, int axis)
{
    return axis == 1 ? 1 : at->base[column + (axis == 0 ? 1 : at->nx)] - at->base[column];
}

static int32_t step_back(const pl__padded *at, int32_t column, int axis)
{
    return axis == 1 ? -1 : at->base[column - (axis == 0 ? 1 : at->nx)] - at->base[column];
}

static float square(float a) { return a * a; }

static void find_diagonal(const pl__viscous_level *v, int32_t column, int axis)
{
    int32_t n = v->at.base[column] + v->at.j0[column], back = step_back(&v->at, column, axis);
    for (int32_t j = v->at.j0[column]; j <= v->at.j1[column]; ++j, ++n)
    {
        if (v->face[axis][n] != PL__FACE_UNKNOWN)
            continue;
        float sum =
            v->mass[axis][n] + (1 + v->bulk) * (square(v->stretch[axis][n]) + square(v->stretch[axis][n + back]));
        for (int q = 0; q < 2; ++q)
        {
            int d = across[axis][q], m = 3 - axis - d;
            const float *t = v->shear[m][axis > d];
            sum += square(t[n]) + square(t[n + step_along(&v->at, column, d)]);
        }
        v->inverse[axis][n] = sum > 0 ? 1 / sum : 0;
    }
}

static void find_diagonals(void *argument, int32_t begin, int32_t end)
{
    const pl__viscous_level *v = argument;
    for (int32_t c = begin; c < end; ++c)
        for (int axis = 0; axis < 3 && v->at.j0[c] <= v->at.j1[c]; ++axis)
            find_diagonal(v, c, axis);
}

// ---- coarse levels ---------------------------------------------------------------------------------------------

typedef struct coarsening
{
    const pl__viscous_level *fine;
    pl__viscous_level *coarse;
} coarsening;

// Columns of the fine level around a coarse one, -1 to 1 along x and z; those that have rows.
typedef struct child
{
    int32_t column, place; // of row 0
    int32_t first, last;   // rows that have numbers
    int di, dk;
} child;

static int list_children(const coarsening *job, int32_t i, int32_t k, child list[9])
{
    const pl__viscous_level *f = job->fine;
    int count = 0;
    for (int dk = -1; dk <= 1; ++dk)
        for (int di = -1; di <= 1; ++di)
        {
            int32_t x = 2 * i + di, z = 2 * k + dk;
            if (x < 0 || z < 0 || x > f->cells[0] || z > f->cells[2])
                continue;
            int32_t column = pl__padded_column(&f->at, x, z), low = INT32_MAX, high = -1;
            for (int n = 0; n < 4; ++n) // samples of a column belong to unknowns of those below it, too
            {
                int32_t c = column - (n & 1) - f->at.nx * (n >> 1);
                bool any = f->at.j0[c] <= f->at.j1[c];
                low = any && f->at.j0[c] < low ? f->at.j0[c] : low;
                high = any && f->at.j1[c] + 1 > high ? f->at.j1[c] + 1 : high;
            }
            if (low <= high)
                list[count++] = (child){column, f->at.base[column], low, high, di, dk};
        }
    return count;
}

// Whether a quantity stands at the corners of cells along an axis, or between them: faces of an axis, edges along one.
typedef struct centering
{
    bool corner[3];
} centering;

static centering of_faces(int axis) { return (centering){{axis == 0, axis == 1, axis == 2}}; }
static centering of_edges(int axis) { return (centering){{axis != 0, axis != 1, axis != 2}}; }

// The part of a fine column that belongs to the coarse one: between corners both, at corners 1/2 1 1/2.
static float part_of(const centering *q, const child *c)
{
    float x = q->corner[0] ? (c->di == 0 ? 1 : 0.5F) : c->di >= 0,
          z = q->corner[2] ? (c->dk == 0 ? 1 : 0.5F) : c->dk >= 0;
    return x * z;
}

// Add a value of a fine row to the coarse rows that it belongs to.
static inline void add_row(bool corner, int32_t j, float value, float *to)
{
    if (!corner || !(j & 1))
        to[j >> 1] += value;
    else
    {
        to[j >> 1] += 0.5F * value;
        to[(j >> 1) + 1] += 0.5F * value;
    }
}

// t^2 of cells along an axis: over 4, unless nothing is unknown between both of an aggregate.
static void add_stretch(const coarsening *job, const child *c, int32_t i, int32_t k, int axis, float *to)
{
    const pl__viscous_level *f = job->fine;
    int32_t up = step_along(&f->at, c->column, axis);
    for (int32_t j = c->first; j <= c->last; ++j)
    {
        int32_t n = c->place + j, at = axis == 0 ? 2 * i + c->di : axis == 1 ? j : 2 * k + c->dk;
        bool inner = f->face[axis][n + (at & 1 ? 0 : up)] == PL__FACE_UNKNOWN;
        add_row(false, j, (inner ? 0.25F : 1) * square(f->stretch[axis][n]), to);
    }
}

// t^2 of edges along m, of one of the axes of their plane, for faces that differ along the other.
static void add_shear(const coarsening *job, const child *c, int m, int q, float part, float *to)
{
    const pl__viscous_level *f = job->fine;
    int axis = across[m][q], other = across[m][1 - q];
    int32_t back = step_back(&f->at, c->column, other);
    const float *t = f->shear[m][q];
    const uint8_t *face = f->face[axis];
    for (int32_t j = c->first; j <= c->last; ++j)
    {
        int32_t n = c->place + j;
        bool both = face[n] == PL__FACE_UNKNOWN && face[n + back] == PL__FACE_UNKNOWN;
        add_row(m != 1, j, part * (both ? 0.25F : 0.5F) * square(t[n]), to);
    }
}

// Coarse faces: known ones where a fine one is that stands there, unknown ones where unknown ones follow them.
static void name_faces(const coarsening *job, const child *list, int count, int axis, int32_t column)
{
    const pl__viscous_level *f = job->fine, *to = job->coarse;
    uint8_t *face = to->face[axis] + to->at.base[column];
    enum
    {
        BESIDE = 4, // an unknown one between this and the next
        HERE = 8
    };
    for (int n = 0; n < count; ++n)
    {
        const child *c = &list[n];
        bool same = axis == 0 ? c->di == 0 : axis == 2 ? c->dk == 0 : true;
        if ((axis != 0 && c->di < 0) || (axis != 2 && c->dk < 0))
            continue;
        for (int32_t j = c->first; j <= c->last; ++j)
        {
            uint8_t kind = f->face[axis][c->place + j];
            bool on = same && (axis != 1 || !(j & 1));
            if (kind == PL__FACE_UNKNOWN && on)
                face[j >> 1] |= HERE;
            else if (kind == PL__FACE_KNOWN && on)
                face[j >> 1] |= PL__FACE_KNOWN;
            else if (kind == PL__FACE_UNKNOWN)
            {
                face[j >> 1] |= BESIDE;
                face[(j >> 1) + (axis == 1)] |= BESIDE;
            }
        }
    }
    for (int32_t j = to->at.j0[column]; j <= to->at.j1[column]; ++j)
        face[j] = face[j] & HERE             ? PL__FACE_UNKNOWN
                  : face[j] & PL__FACE_KNOWN ? PL__FACE_KNOWN
                  : face[j] & BESIDE         ? PL__FACE_UNKNOWN
                                             : PL__FACE_NONE;
}

static void root(const pl__padded *at, int32_t column, float *t)
{
    for (int32_t j = at->j0[column]; j <= at->j1[column]; ++j)
        t[j] = sqrtf(t[j]);
}

static void coarsen_column(const coarsening *job, int32_t i, int32_t k)
{
    pl__viscous_level *to = job->coarse;
    child list[9];
    int32_t column = pl__padded_column(&to->at, i, k), base = to->at.base[column];
    int count = to->at.j0[column] <= to->at.j1[column] ? list_children(job, i, k, list) : 0;
    for (int axis = 0; axis < 3 && count > 0; ++axis)
    {
        centering faces = of_faces(axis), edges = of_edges(axis);
        name_faces(job, list, count, axis, column);
        for (int n = 0; n < count; ++n)
        {
            const child *c = &list[n];
            float mass = part_of(&faces, c), shear = part_of(&edges, c);
            for (int32_t j = c->first; j <= c->last && mass > 0; ++j)
                add_row(axis == 1, j, mass * job->fine->mass[axis][c->place + j], to->mass[axis] + base);
            if (c->di >= 0 && c->dk >= 0)
                add_stretch(job, c, i, k, axis, to->stretch[axis] + base);
            for (int q = 0; q < 2 && shear > 0; ++q)
                add_shear(job, c, axis, q, shear, to->shear[axis][q] + base);
        }
        root(&to->at, column, to->stretch[axis] + base);
        root(&to->at, column, to->shear[axis][0] + base);
        root(&to->at, column, to->shear[axis][1] + base);
    }
}

static void coarsen_columns(void *argument, int32_t begin, int32_t end)
{
    const coarsening *job = argument;
    int32_t nx = job->coarse->cells[0] + 1;
    for (int32_t c = begin; c < end; ++c)
        coarsen_column(job, c % nx, c / nx);
}

// Rows of coarse columns that fine unknowns or their samples belong to.
static pl_status place_coarse(pl__arena *arena, const pl__viscous_level *f, pl__viscous_level *to)
{
    for (int a = 0; a < 3; ++a)
        to->cells[a] = (f->cells[a] + 1) / 2;
    PL_TRY(pl__padded_begin(arena, to->cells[0], to->cells[2], &to->at));
    for (int32_t k = 0; k <= f->cells[2]; ++k)
        for (int32_t i = 0; i <= f->cells[0]; ++i)
        {
            int32_t c = pl__padded_column(&f->at, i, k), j0 = f->at.j0[c] >> 1, j1 = (f->at.j1[c] + 2) >> 1;
            for (int n = 0; n < 4 && f->at.j0[c] <= f->at.j1[c]; ++n)
            {
                int32_t x = (i >> 1) + (n & 1), z = (k >> 1) + (n >> 1);
                if (x <= to->cells[0] && z <= to->cells[2])
                    pl__padded_add(&to->at, pl__padded_column(&to->at, x, z), j0, j1);
            }
        }
    pl__padded_end(&to->at);
    return PL_OK;
}

static bool take_vectors(pl__arena *arena, pl__viscous_level *v, bool finest)
{
    return (finest || (take_triple(arena, v, v->b) && take_triple(arena, v, v->x))) && take_triple(arena, v, v->r) &&
           take_triple(arena, v, v->d) && take_triple(arena, v, v->e);
}

// Whether masses hold back more than stresses.
static bool is_local(const pl__viscous_level *v)
{
    double mass = 0, all = 0;
    for (int axis = 0; axis < 3; ++axis)
        for (int32_t n = 0; n < v->at.count; ++n)
            if (v->inverse[axis][n] > 0)
            {
                mass += (double)v->mass[axis][n];
                all += 1 / (double)v->inverse[axis][n];
            }
    return all - mass < LOCAL * mass;
}

static bool is_coarsest(const pl__viscous_level *v)
{
    return (v->cells[0] <= FEW_CELLS && v->cells[1] <= FEW_CELLS && v->cells[2] <= FEW_CELLS) || is_local(v);
}

pl_status pl__viscous_end(pl__arena *arena, pl__viscous_grid *g, bool multigrid)
{
    pl__viscous_level *v = g->level;
    pl__parallel_for(g->ctx, columns_of(v), COLUMNS_PER_TASK, find_diagonals, v);
    for (g->level_count = 1; multigrid && g->level_count < PL__VISCOUS_LEVELS && !is_coarsest(v); ++g->level_count)
    {
        coarsening job = {v, v + 1};
        *job.coarse = (pl__viscous_level){.bulk = v->bulk};
        PL_TRY(place_coarse(arena, v, job.coarse));
        PL_TRY(pl__viscous_begin(arena, job.coarse));
        ++v;
        pl__parallel_for(g->ctx, (v->cells[0] + 1) * (v->cells[2] + 1), COLUMNS_PER_TASK, coarsen_columns, &job);
        pl__parallel_for(g->ctx, columns_of(v), COLUMNS_PER_TASK, find_diagonals, v);
        if (!take_vectors(arena, v, false))
            return PL_ERR_MEMORY;
    }
    v = g->level;
    bool enough = take_triple(arena, v, g->x) && take_triple(arena, v, g->r) && take_triple(arena, v, g->p) &&
                  take_triple(arena, v, g->q) && take_vectors(arena, v, true);
    g->partial = PL_TAKE(arena, pl__chunk_count(columns_of(v), COLUMNS_PER_TASK) + 1, double);
    for (int axis = 0; axis < 3; ++axis)
    {
        v->b[axis] = g->r[axis]; // a cycle takes r to z, which stands in q
        v->x[axis] = g->q[axis];
    }
    return enough && g->partial ? PL_OK : PL_ERR_MEMORY;
}

// ---- a cycle ---------------------------------------------------------------------------------------------------

typedef struct pass
{
    const pl__viscous_level *v;
    int32_t register_bytes;
    float alpha, beta;
    bool first;
    float *const *a, *const *b, *const *c, *const *d;
    double *partial;
} pass;

static void start_columns(void *argument, int32_t begin, int32_t end)
{
    const pass *w = argument;
    PL_PICK(w->register_bytes, pl__viscous_start)(w->v, w->alpha, w->first, w->a, w->b, w->c, begin, end);
}

static void smooth_columns(void *argument, int32_t begin, int32_t end)
{
    const pass *w = argument;
    PL_PICK(w->register_bytes, pl__viscous_smooth)(w->v, w->beta, w->alpha, w->a, w->b, w->c, w->d, begin, end);
}

static void residual_columns(void *argument, int32_t begin, int32_t end)
{
    const pass *w = argument;
    PL_PICK(w->register_bytes, pl__viscous_residual)(w->v, w->a, w->b, w->c, begin, end);
}

static void run_pass(const pl__viscous_grid *g, pass *w, pl__range_function *work)
{
    w->register_bytes = g->ctx->register_bytes;
    pl__parallel_for(g->ctx, columns_of(w->v), COLUMNS_PER_TASK, work, w);
}

static void swap(float *a[3], float *b[3])
{
    for (int axis = 0; axis < 3; ++axis)
    {
        float *t = a[axis];
        a[axis] = b[axis], b[axis] = t;
    }
}

// Chebyshev's iteration for eigenvalues in the upper part of the spectrum. r is the residual of x; that of the result
// is r - A d, when it returns.
static void chebyshev(pl__viscous_grid *g, pl__viscous_level *v, int sweeps, double part, bool first)
{
    double b = (double)v->bulk, most = fmax(4, (2 + 6 * b) / (1 + b)), least = most / part,
           middle = 0.5 * (most + least), half = 0.5 * (most - least), ratio = half / middle, rho = ratio;
    pass start = {.v = v, .alpha = (float)(1 / middle), .first = first, .a = v->r, .b = v->d, .c = v->x};
    run_pass(g, &start, start_columns);
    for (int n = 1; n < sweeps; ++n)
    {
        double next = 1 / (2 / ratio - rho);
        pass w = {.v = v,
                  .beta = (float)(next * rho),
                  .alpha = (float)(2 * next / half),
                  .a = v->d,
                  .b = v->r,
                  .c = v->e,
                  .d = v->x};
        run_pass(g, &w, smooth_columns);
        swap(v->d, v->e);
        rho = next;
    }
}

static void restrict_column(const coarsening *job, int32_t i, int32_t k)
{
    const pl__viscous_level *f = job->fine, *to = job->coarse;
    child list[9];
    int32_t column = pl__padded_column(&to->at, i, k), base = to->at.base[column];
    int count = to->at.j0[column] <= to->at.j1[column] ? list_children(job, i, k, list) : 0;
    for (int axis = 0; axis < 3 && count > 0; ++axis)
    {
        centering faces = of_faces(axis);
        float *b = to->b[axis] + base;
        memset(b + to->at.j0[column], 0, (size_t)(to->at.j1[column] - to->at.j0[column] + 1) * sizeof *b);
        for (int n = 0; n < count; ++n)
        {
            const child *c = &list[n];
            float part = part_of(&faces, c);
            const float *r = f->r[axis] + c->place;
            for (int32_t j = f->at.j0[c->column]; part > 0 && j <= f->at.j1[c->column]; ++j)
                add_row(axis == 1, j, part * r[j], b);
        }
        for (int32_t j = to->at.j0[column]; j <= to->at.j1[column]; ++j)
            b[j] = to->inverse[axis][base + j] > 0 ? b[j] : 0;
    }
}

static void restrict_columns(void *argument, int32_t begin, int32_t end)
{
    const coarsening *job = argument;
    int32_t nx = job->coarse->cells[0] + 1;
    for (int32_t c = begin; c < end; ++c)
        restrict_column(job, c % nx, c / nx);
}

// x += P x of the coarse level, for the faces of a fine column.
static void prolong_column(const coarsening *job, int32_t i, int32_t k, int axis)
{
    const pl__viscous_level *f = job->fine, *from = job->coarse;
    int32_t column = pl__padded_column(&f->at, i, k);
    int32_t low = from->at.base[pl__padded_column(&from->at, i >> 1, k >> 1)];
    int32_t high = axis == 0   ? from->at.base[pl__padded_column(&from->at, (i + 1) >> 1, k >> 1)]
                   : axis == 2 ? from->at.base[pl__padded_column(&from->at, i >> 1, (k + 1) >> 1)]
                               : low;
    const float *e = from->x[axis];
    for (int32_t j = f->at.j0[column]; j <= f->at.j1[column]; ++j)
    {
        int32_t n = f->at.base[column] + j;
        if (f->inverse[axis][n] > 0)
            f->x[axis][n] += 0.5F * (e[low + (j >> 1)] + e[high + ((j + (axis == 1)) >> 1)]);
    }
}

static void prolong_columns(void *argument, int32_t begin, int32_t end)
{
    const coarsening *job = argument;
    int32_t nx = job->fine->cells[0] + 1;
    for (int32_t c = begin; c < end; ++c)
        for (int axis = 0; axis < 3; ++axis)
            prolong_column(job, c % nx, c / nx, axis);
}

static void copy(const pl__viscous_level *v, float *const from[3], float *const to[3])
{
    for (int axis = 0; axis < 3; ++axis)
        memcpy(to[axis], from[axis], (size_t)v->at.count * sizeof(float));
}

// x = B b
static void cycle(pl__viscous_grid *g, int32_t l)
{
    pl__viscous_level *v = &g->level[l];
    bool last = l + 1 == g->level_count;
    copy(v, v->b, v->r);
    chebyshev(g, v, last ? LAST_SWEEPS : SWEEPS, last ? SOLVED : SMOOTHED, true);
    if (last)
        return;
    coarsening job = {v, v + 1};
    pass left = {.v = v, .a = v->r, .b = v->d, .c = v->r};
    run_pass(g, &left, residual_columns);
    pl__parallel_for(g->ctx, (v[1].cells[0] + 1) * (v[1].cells[2] + 1), COLUMNS_PER_TASK, restrict_columns, &job);
    cycle(g, l + 1);
    pl__parallel_for(g->ctx, (v->cells[0] + 1) * (v->cells[2] + 1), COLUMNS_PER_TASK, prolong_columns, &job);
    left = (pass){.v = v, .a = v->b, .b = v->x, .c = v->r};
    run_pass(g, &left, residual_columns);
    chebyshev(g, v, SWEEPS, SMOOTHED, false);
}

// ---- conjugate gradients -----------------------------------------------------------------------------------------

static double product_columns(void *argument, int32_t begin, int32_t end)
{
    const pass *w = argument;
    return PL_PICK(w->register_bytes, pl__viscous_product)(w->v, w->a, w->b, begin, end);
}

static double dot_columns(void *argument, int32_t begin, int32_t end)
{
    const pass *w = argument;
    return PL_PICK(w->register_bytes, pl__viscous_dot)(w->v, w->a, w->b, begin, end);
}

static void advance_columns(void *argument, int32_t begin, int32_t end)
{
    const pass *w = argument;
    w->partial[begin / COLUMNS_PER_TASK] =
        PL_PICK(w->register_bytes, pl__viscous_advance)(w->v, w->alpha, w->a, w->b, w->c, w->d, begin, end);
}

static void turn_columns(void *argument, int32_t begin, int32_t end)
{
    const pass *w = argument;
    PL_PICK(w->register_bytes, pl__viscous_turn)(w->v, w->beta, w->a, w->b, begin, end);
}

static double sum(const pl__viscous_grid *g, pl__reduce_function *term, float *const a[3], float *const b[3])
{
    pass w = {.v = g->level, .register_bytes = g->ctx->register_bytes, .a = a, .b = b};
    return pl__parallel_sum(g->ctx, columns_of(w.v), COLUMNS_PER_TASK, term, &w, g->partial);
}

// z = B r, in q; returns r.z.
static double precondition(pl__viscous_grid *g)
{
    if (g->level_count > 1)
        cycle(g, 0);
    else
    {
        pass w = {.v = g->level, .alpha = 1, .first = true, .a = g->r, .b = g->level[0].d, .c = g->q};
        run_pass(g, &w, start_columns);
    }
    return sum(g, dot_columns, g->r, g->q);
}

static double largest(const pl__viscous_grid *g)
{
    double worst = 0;
    for (int32_t n = 0; n < pl__chunk_count(columns_of(g->level), COLUMNS_PER_TASK); ++n)
        worst = fmax(worst, g->partial[n]);
    return worst;
}

static void clear(const pl__viscous_level *v, float *const a[3])
{
    for (int axis = 0; axis < 3; ++axis)
        memset(a[axis], 0, (size_t)v->at.count * sizeof(float));
}

pl__viscous_stop pl__viscous_solve(pl__viscous_grid *g, double tolerance, int32_t most, int32_t *iterations)
{
    clear(g->level, g->x);
    clear(g->level, g->p);
    for (double before = 0, rz;; before = rz)
    {
        if (*iterations >= most)
            return PL__VISCOUS_MOST_ITERATIONS;
        rz = precondition(g);
        pass turn = {.v = g->level, .beta = before > 0 ? (float)(rz / before) : 0, .a = g->q, .b = g->p};
        run_pass(g, &turn, turn_columns);
        double pq = sum(g, product_columns, g->p, g->q);
        if (!(rz > 0 && pq > 0) || !isfinite(rz) || !isfinite(pq))
            return PL__VISCOUS_BROKEN;
        pass go = {.v = g->level,
                   .alpha = (float)(rz / pq),
                   .a = g->p,
                   .b = g->q,
                   .c = g->x,
                   .d = g->r,
                   .partial = g->partial};
        run_pass(g, &go, advance_columns);
        ++*iterations;
        if (largest(g) <= tolerance)
            return PL__VISCOUS_DONE;
    }
}

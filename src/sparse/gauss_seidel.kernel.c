// src/sparse/gauss_seidel.kernel.c -- sweeps and residuals by runs of rows.
//
// A sweep over a run of n rows first collects t = b - (all but the neighbour just swept), a register of rows at a time,
// and then solves x_r = t_r - l_r x_{r-1}. Taken one by one that would be a multiplication and a subtraction of latency
// per row, more than all the rest. Inserting the recurrence into itself doubles its stride,
//
//     x_r = (t_r - l_r t_{r-1}) + (l_r l_{r-1}) x_{r-2} = t'_r + m'_r x_{r-2},    t''_r = t'_r + m'_r t'_{r-2},  ...
//
// and after four doublings sixteen rows are independent. |l| <= 1 since the diagonal is 1, so products only shrink.
#include "base/simd.h"
#include "gauss_seidel.h"

enum
{
    PIECE = 128,   // rows at a time
    STRIDE = 16,   // of the recurrence when it is solved
    MARGIN = 16,   // zeros on both sides, for shifted reads
    SHORT_RUN = 12 // rows: below, one by one is faster
};

#if PL_REGISTER_BYTES == 0
#define WIDTH 1
typedef float real_w;
PL_INLINE real_w load(const float *p) { return *p; }
PL_INLINE void store(float *p, real_w a) { *p = a; }
#else
#define WIDTH (PL_REGISTER_BYTES / 4)
typedef float real_w __attribute__((vector_size(PL_REGISTER_BYTES)));
typedef float unaligned_w __attribute__((vector_size(PL_REGISTER_BYTES), aligned(4), may_alias));
PL_INLINE real_w load(const float *p) { return *(const unaligned_w *)p; }
PL_INLINE void store(float *p, real_w a) { *(unaligned_w *)p = a; }
#endif

// t = b - sum of `entries` entries of rows [begin, begin + rows) of a run; writes whole registers.
PL_INLINE void collect(const pl__row_run *run, const float *value, const int32_t *offset, int32_t entries,
                       int32_t begin, int32_t rows, const float *b, const float *x, float *t)
{
    const float *from = x + run->first + begin;
    for (int32_t r = 0; r < rows; r += WIDTH)
    {
        real_w sum = load(&b[r]);
        const float *of = value + begin + r;
        for (int32_t e = 0; e < entries; ++e, of += run->count)
            sum -= load(of) * load(&from[offset[e] + r]);
        store(&t[r], sum);
    }
}

// b - sum of the entries of one row: four running sums, since rows of lines are long.
PL_INLINE float single(const float *value, const int32_t *offset, int32_t entries, float b, const float *x)
{
    float sum[4] = {0};
    int32_t e = 0;
    for (; e + 4 <= entries; e += 4)
        for (int k = 0; k < 4; ++k)
            sum[k] += value[e + k] * x[offset[e + k]];
    for (int k = 0; e < entries; ++e, ++k)
        sum[k] += value[e] * x[offset[e]];
    return b - ((sum[0] + sum[1]) + (sum[2] + sum[3]));
}

// The recurrence x_r = t_r + m_r x_{r - stride}, twice, to be doubled from the one into the other.
typedef struct
{
    _Alignas(64) float t[2][MARGIN + PIECE + MARGIN], m[2][MARGIN + PIECE + MARGIN];
} recurrence;

// Zeros stand for the rows beyond both ends.
PL_INLINE void clear_margins(float *a, int32_t rows)
{
    memset(a, 0, MARGIN * sizeof *a);
    memset(a + MARGIN + rows, 0, MARGIN * sizeof *a);
}

// From stride `step` (negative backward) in half `from` to twice that in the other.
PL_INLINE void double_stride(recurrence *d, int from, int32_t step, int32_t rows)
{
    const float *t = d->t[from] + MARGIN, *m = d->m[from] + MARGIN;
    float *t2 = d->t[1 - from] + MARGIN, *m2 = d->m[1 - from] + MARGIN;
    for (int32_t r = 0; r < rows; r += WIDTH)
    {
        real_w by = load(&m[r]);
        store(&t2[r], load(&t[r]) + by * load(&t[r - step]));
        store(&m2[r], by * load(&m[r - step]));
    }
    clear_margins(d->t[1 - from], rows);
    clear_margins(d->m[1 - from], rows);
}

// Sixteen independent recurrences, in place: half 0.
PL_INLINE void advance(recurrence *d, int32_t rows, int side)
{
    real_w was[STRIDE / WIDTH];
    memset(was, 0, sizeof was);
    for (int32_t n = 0; n < rows; n += STRIDE)
    {
        int32_t r = MARGIN + (side > 0 ? n : rows - STRIDE - n);
        for (int k = 0; k < STRIDE / WIDTH; ++k)
        {
            was[k] = load(&d->t[0][r + k * WIDTH]) + load(&d->m[0][r + k * WIDTH]) * was[k];
            store(&d->t[0][r + k * WIDTH], was[k]);
        }
    }
}

// x_r = t_r - l_r x_{r - side}, with t in d->t[0] from its margin on; `last` is the x beside the first row swept.
PL_INLINE void solve_recurrence(recurrence *d, const float *l, float last, int32_t rows, int side, float *x)
{
    float *t = d->t[0] + MARGIN, *m = d->m[0] + MARGIN;
    if (rows < SHORT_RUN)
    {
        for (int32_t n = 0; n < rows; ++n)
        {
            int32_t r = side > 0 ? n : rows - 1 - n;
            x[r] = last = t[r] - l[r] * last;
        }
        return;
    }
    int32_t edge = side > 0 ? 0 : rows - 1;
    t[edge] -= l[edge] * last;
    for (int32_t r = 0; r < rows; r += WIDTH)
        store(&m[r], -load(&l[r]));
    clear_margins(d->t[0], rows);
    clear_margins(d->m[0], rows);
    double_stride(d, 0, side, rows);
    double_stride(d, 1, 2 * side, rows);
    double_stride(d, 0, 4 * side, rows);
    double_stride(d, 1, 8 * side, rows);
    advance(d, rows, side);
    memcpy(x, t, (size_t)rows * sizeof *x);
}

// Rows [begin, begin + rows) of a run. What couples them, with the neighbour that is swept before, is the recurrence.
PL_INLINE void sweep_piece(const pl__gauss_seidel *gs, const pl__row_run *run, pl__sweep sweep, int32_t begin,
                           int32_t rows, const float *b, float *x)
{
    const float *lower = &gs->lower[run->lower], *upper = &gs->upper[run->upper];
    const int32_t *left = &gs->offset[run->offset], *right = left + run->before + run->below;
    recurrence d;
    float *t = d.t[0] + MARGIN, *to = x + run->first + begin;
    bool back = sweep == PL__SWEEP_BACKWARD;
    collect(run, lower, left, run->before + (back ? run->below : 0), begin, rows, &b[run->first + begin], x, t);
    if (back)
        collect(run, upper + run->above * run->count, right + run->above, run->after, begin, rows, t, x, t);
    else if (sweep == PL__SWEEP_FORWARD)
        collect(run, upper, right, run->above + run->after, begin, rows, t, x, t);
    if (!(back ? run->above : run->below))
        memcpy(to, t, (size_t)rows * sizeof *to);
    else if (back)
        solve_recurrence(&d, upper + begin, to[rows], rows, -1, to);
    else
        solve_recurrence(&d, lower + (int64_t)run->before * run->count + begin, to[-1], rows, 1, to);
}

PL_INLINE void sweep_single(const pl__gauss_seidel *gs, const pl__row_run *run, pl__sweep sweep, const float *b,
                            float *x)
{
    int32_t i = run->first, before = run->before + run->below, after = run->above + run->after;
    const int32_t *offset = &gs->offset[run->offset];
    float rest = single(&gs->lower[run->lower], offset, before, b[i], x + i);
    x[i] = sweep == PL__SWEEP_FROM_ZERO ? rest : single(&gs->upper[run->upper], offset + before, after, rest, x + i);
}

PL_INLINE void sweep_run(const pl__gauss_seidel *gs, const pl__row_run *run, pl__sweep sweep, const float *b, float *x)
{
    int32_t pieces = (run->count + PIECE - 1) / PIECE;
    if (run->count == 1)
        sweep_single(gs, run, sweep, b, x);
    else
        for (int32_t n = 0; n < pieces; ++n)
        {
            int32_t begin = (sweep == PL__SWEEP_BACKWARD ? pieces - 1 - n : n) * PIECE;
            sweep_piece(gs, run, sweep, begin, run->count - begin < PIECE ? run->count - begin : PIECE, b, x);
        }
}

void PL_KERNEL(pl__sweep_runs)(const pl__gauss_seidel *gs, pl__sweep sweep, int32_t begin, int32_t end, const float *b,
                               float *x)
{
    for (int32_t n = begin; sweep == PL__SWEEP_FROM_ZERO && n < end; ++n)
        sweep_run(gs, &gs->run[n], PL__SWEEP_FROM_ZERO, b, x);
    for (int32_t n = begin; sweep == PL__SWEEP_FORWARD && n < end; ++n)
        sweep_run(gs, &gs->run[n], PL__SWEEP_FORWARD, b, x);
    for (int32_t n = end; sweep == PL__SWEEP_BACKWARD && n-- > begin;)
        sweep_run(gs, &gs->run[n], PL__SWEEP_BACKWARD, b, x);
}

// Rows [begin, begin + rows) of a run; b NULL: after a sweep from zero.
PL_INLINE void residual_piece(const pl__gauss_seidel *gs, const pl__row_run *run, int32_t begin, int32_t rows,
                              const float *b, const float *x, float *r)
{
    static const float zero[PIECE + MARGIN] = {0};
    float t[PIECE + MARGIN];
    int32_t before = run->before + run->below, first = run->first + begin;
    const int32_t *offset = &gs->offset[run->offset];
    if (b)
        collect(run, &gs->lower[run->lower], offset, before, begin, rows, &b[first], x, t);
    collect(run, &gs->upper[run->upper], offset + before, run->above + run->after, begin, rows, b ? t : zero, x, t);
    for (int32_t k = 0; k < rows; ++k)
        r[first + k] = b ? t[k] - x[first + k] : t[k];
}

void PL_KERNEL(pl__residual_runs)(const pl__gauss_seidel *gs, int32_t begin, int32_t end, const float *b,
                                  const float *x, float *r)
{
    for (int32_t n = begin; n < end; ++n)
    {
        const pl__row_run *run = &gs->run[n];
        int32_t i = run->first, before = run->before + run->below;
        if (run->count == 1)
        {
            const int32_t *offset = &gs->offset[run->offset];
            float rest = b ? single(&gs->lower[run->lower], offset, before, b[i] - x[i], x + i) : 0;
            r[i] = single(&gs->upper[run->upper], offset + before, run->above + run->after, rest, x + i);
            continue;
        }
        for (int32_t at = 0; at < run->count; at += PIECE)
            residual_piece(gs, run, at, run->count - at < PIECE ? run->count - at : PIECE, b, x, r);
    }
}

// src/fluid/pressure.c -- assembly of the pressure system by rows, and the projection.
//
// A node is a cell: a uniform one has one unknown, a tall one two, value m at its middle row c and slope d per row. Its
// faces come in pieces: a face of a uniform cell is one, and so are all rows in which two tall cells meet. With the
// moments s_n = sum w (j - mid)^n of a piece about its middle row `mid`, and the basis (1, j - c) of a tall cell, all
// sums over rows are shifts of moments:
//
//     sum w                 = s0
//     sum w (j - c)         = s1 + e s0                       e = mid - c
//     sum w (j - c)(j - c') = s2 + (e + e') s1 + e e' s0      e' = mid - c'
//
// A single row is a piece with s = (w, 0, 0).
#include "pressure.h"
#include "base/arena.h"
#include "base/task.h"
#include "stretch.h"

#include <math.h>
#include <string.h>

enum
{
    COLUMNS_PER_TASK = 64,
    UNKNOWNS_PER_TASK = 16384,
    MOST_PASSES = 8,         // usually one, or two where liquid leaves a wall
    MOST_CHANGED_PART = 128, // of unknowns: where more have changed, the preconditioner is made anew; chosen
    MOST_GUESSES = 4,        // which cells leave walls, between passes
    NEAR_CELLS = 6,          // around those that have changed is relaxed, so often:
    NEAR_SWEEPS = 12
};

struct pl__pressure
{
    pl_context *ctx;
    pl__column_solver *solver;
    pl__arena arena;
};

// ---- numbering -------------------------------------------------------------------------------------------------

typedef struct assembly
{
    const pl__projection *problem;
    const pl__columns *cell, *face[3];
    const pl__boundary *boundary;
    const double *u[3];
    int32_t *unknown;      // [numbers of cells] first unknown of the cell, or -1; of tall ones at their first number
    int32_t *column_start; // [columns + 1]
    int64_t *entry_start;  // [columns + 1]
    int32_t count;
    uint8_t *kind;   // [count]
    int32_t *row;    // [count]
    double *center;  // [count]
    int32_t *number; // [count] of the cell
    int32_t *start, *end, *column;
    double *value, *rhs, *scale;
    uint8_t *held;       // [count] the node has a face to air; then: a node of its component has
    const uint8_t *grip; // [numbers of cells] or NULL: nothing has left a wall
} assembly;

// Numbers of unknowns in a column, from below.
static int32_t number_column(assembly *a, int32_t column)
{
    const pl__columns *cell = a->cell;
    int32_t count = 0;
    for (size_t r = cell->start[column]; r < cell->start[column + 1]; ++r)
    {
        const pl__run *run = &cell->run[r];
        if (run->kind != PL__RUN_UNIFORM)
        {
            a->unknown[run->first] = count;
            count += 2;
            continue;
        }
        for (int32_t j = run->j0; j <= run->j1; ++j)
        {
            int32_t n = run->first + j - run->j0;
            a->unknown[n] = a->problem->liquid[n] ? count++ : -1;
        }
    }
    return count;
}

static void number_columns(void *argument, int32_t begin, int32_t end)
{
    assembly *a = argument;
    for (int32_t c = begin; c < end; ++c)
        a->column_start[c + 1] = number_column(a, c);
}

// ---- pieces ----------------------------------------------------------------------------------------------------

typedef enum neighbor
{
    CLOSED, // a solid, or nothing
    AIR,
    POINT,
    LINE,
    OUTSIDE // pressure is given
} neighbor;

// Part of the boundary of a node.
typedef struct piece
{
    double sign; // 1: at the upper end of the node along the axis, -1: at its lower end
    neighbor neighbor;
    int32_t unknown; // of the neighbour
    double center;   // of a LINE
    double mid;      // row
    double s[3];     // moments of w / theta
    double given[2]; // q OUTSIDE at `mid`, and its slope per row
    double flux[2];  // sums of (w u + (1 - w) u_solid) and of that times (j - mid)
} piece;

// The row of a system that is being assembled: two rows of a tall cell.
typedef struct row
{
    assembly *a;
    bool line;
    double center;
    double self[3]; // mm, md, dd
    double rhs[2];
    int32_t *column; // next entry
    double *value[2];
    bool held;
    int32_t entries;
} row;

static void put(row *r, int32_t unknown, double m, double d)
{
    r->column[r->entries] = unknown;
    r->value[0][r->entries] = m;
    if (r->line)
        r->value[1][r->entries] = d;
    ++r->entries;
}

static void add_piece(row *r, const piece *p)
{
    double e = r->line ? p->mid - r->center : 0;
    r->rhs[0] -= p->sign * p->flux[0];
    r->rhs[1] -= p->sign * (p->flux[1] + e * p->flux[0]);
    if (p->neighbor == CLOSED)
        return;
    const double *s = p->s;
    double first = s[1] + e * s[0];
    r->self[0] += s[0];
    r->self[1] += first;
    r->self[2] += s[2] + 2 * e * s[1] + e * e * s[0];
    r->held = r->held || p->neighbor == AIR || p->neighbor == OUTSIDE;
    if (p->neighbor == OUTSIDE)
    {
        r->rhs[0] += s[0] * p->given[0] + s[1] * p->given[1];
        r->rhs[1] += first * p->given[0] + (s[2] + e * s[1]) * p->given[1];
    }
    if (p->neighbor == AIR || p->neighbor == OUTSIDE)
        return;
    put(r, p->unknown, -s[0], -first);
    if (p->neighbor == LINE)
    {
        double other = p->mid - p->center;
        put(r, p->unknown + 1, -(s[1] + other * s[0]), -(s[2] + (e + other) * s[1] + e * other * s[0]));
    }
}

// What a face meets at row `to` of a column; `phi` is that of its node. `from` is the row of the node there: a vertical
// face lies between two rows, and the basis of either cell is that at its own.
static void meet(const assembly *a, int32_t column, int32_t from, int32_t to, double phi, piece *p)
{
    const pl__run *run = p->s[0] > 0 ? pl__columns_find(a->cell, column, to) : NULL;
    p->neighbor = CLOSED;
    if (!run)
        return;
    if (run->kind != PL__RUN_UNIFORM)
    {
        p->neighbor = LINE;
        p->unknown = a->column_start[column] + a->unknown[run->first];
        p->center = 0.5 * ((double)run->j0 + (double)run->j1) + (from - to);
        return;
    }
    int32_t n = run->first + to - run->j0;
    if (a->unknown[n] >= 0)
    {
        p->neighbor = POINT;
        p->unknown = a->column_start[column] + a->unknown[n];
        return;
    }
    p->neighbor = AIR;
    p->s[0] /= pl__pressure_theta(phi, a->problem->phi[n]);
}

// The cell beyond an open side, at row j.
static pl__outer_cell outer_cell(const assembly *a, int side, double j, double phi)
{
    double pull = -a->problem->gravity * a->problem->dt / a->cell->h;
    return pl__outside_cell(a->problem->outside, side, a->cell->origin[1] + a->cell->h * j, pull, phi);
}

static bool is_open_side(const assembly *a, int side)
{
    return a->problem->outside && !a->problem->outside->closed[side];
}

// What a piece meets beyond the domain; the rows of a tall cell are below the level, or there is none.
static void meet_outside(const assembly *a, int side, double phi, piece *p)
{
    if (!is_open_side(a, side) || p->s[0] <= 0)
        return;
    pl__outer_cell cell = outer_cell(a, side, p->mid, phi);
    p->neighbor = cell.liquid ? OUTSIDE : AIR;
    p->given[0] = cell.q;
    p->given[1] = cell.liquid ? a->problem->gravity * a->problem->dt : 0;
    for (int n = 0; n < 3 && !cell.liquid; ++n)
        p->s[n] /= pl__pressure_theta(phi, cell.phi);
}

// rho / rho_face.
static inline double ratio_of(const assembly *a, int axis, int32_t n)
{
    return a->problem->ratio[0] ? a->problem->ratio[axis][n] : 1;
}

// A single face with number n at row `mid`.
static piece single(const assembly *a, int axis, int32_t n, double sign, double mid)
{
    double w = a->boundary->open[axis][n];
    return (piece){.sign = sign,
                   .mid = mid,
                   .s = {w * ratio_of(a, axis, n), 0, 0},
                   .flux = {w * a->u[axis][n] + (1 - w) * a->boundary->speed[axis][n], 0}};
}

// The neighbouring column of (i, k) along a horizontal axis, or -1.
static int32_t next_column(const assembly *a, int32_t i, int32_t k, int axis, int end)
{
    i += axis == 0 ? 2 * end - 1 : 0, k += axis == 2 ? 2 * end - 1 : 0;
    return i < 0 || k < 0 || i >= a->cell->nx || k >= a->cell->nz ? -1 : i + a->cell->nx * k;
}

// Towards a uniform cell, by the face between: what most pieces are.
static inline void add_between(row *r, int axis, double sign, int32_t face, int32_t first, int32_t other, double phi)
{
    const assembly *a = r->a;
    double w = a->boundary->open[axis][face];
    r->rhs[0] -= sign * (w * a->u[axis][face] + (1 - w) * a->boundary->speed[axis][face]);
    if (w <= 0)
        return;
    w *= ratio_of(a, axis, face);
    bool air = a->unknown[other] < 0;
    r->held = r->held || air;
    if (air)
        w /= pl__pressure_theta(phi, a->problem->phi[other]);
    else
        put(r, first + a->unknown[other], -w, 0);
    r->self[0] += w;
}

// The piece of a uniform cell at row j through a side 2 axis + end; `first` is the first unknown of the column there.
static void add_single(row *r, int32_t i, int32_t j, int32_t k, const pl__cell_stretch *s, const int32_t first[6],
                       double phi, int side)
{
    const assembly *a = r->a;
    int axis = side / 2, end = side % 2;
    if (s->kind[side] == PL__BESIDE_UNIFORM)
    {
        add_between(r, axis, 2 * end - 1, s->face[side] + j, first[side], s->cell[side] + j, phi);
        return;
    }
    piece p = single(a, axis, s->face[side] + j, 2 * end - 1, j);
    if (s->kind[side] == PL__BESIDE_OUTSIDE)
        meet_outside(a, side, phi, &p);
    else if (s->kind[side] == PL__BESIDE_TALL)
        meet(a, axis == 1 ? i + a->cell->nx * k : next_column(a, i, k, axis, end), j, axis == 1 ? j + 2 * end - 1 : j,
             phi, &p);
    add_piece(r, &p);
}

// All rows of a tall cell towards a neighbouring column.
static void add_side(row *r, int32_t i, int32_t k, const pl__run *tall, int axis, int end)
{
    const assembly *a = r->a;
    const pl__columns *f = a->face[axis];
    int32_t column = next_column(a, i, k, axis, end);
    int32_t at = i + (axis == 0 ? end : 0) + f->nx * (k + (axis == 2 ? end : 0));
    for (size_t n = f->start[at]; n < f->start[at + 1]; ++n)
    {
        const pl__run *run = &f->run[n];
        int32_t j0 = run->j0 > tall->j0 ? run->j0 : tall->j0, j1 = run->j1 < tall->j1 ? run->j1 : tall->j1;
        if (j1 < j0)
            continue;
        if (run->kind == PL__RUN_LINEAR)
        {
            const pl__open_moments *w = &a->boundary->moment[axis][n];
            double mid = 0.5 * ((double)run->j0 + (double)run->j1);
            double slope = (a->u[axis][run->first + 1] - a->u[axis][run->first]) / (double)(run->j1 - run->j0);
            double u = a->u[axis][run->first] + slope * (mid - run->j0);
            piece p = {.sign = 2 * end - 1,
                       .mid = mid,
                       .s = {w->s0, w->s1, w->s2},
                       .flux = {w->s0 * u + w->s1 * slope + w->f0, w->s1 * u + w->s2 * slope + w->f1}};
            if (column >= 0)
                meet(a, column, run->j0, run->j0, -1, &p);
            else
                meet_outside(a, 2 * axis + end, -1, &p);
            add_piece(r, &p);
            continue;
        }
        for (int32_t j = j0; j <= j1; ++j)
        {
            piece p = single(a, axis, run->first + j - run->j0, 2 * end - 1, j);
            if (column >= 0)
                meet(a, column, j, j, -1, &p);
            else
                meet_outside(a, 2 * axis + end, -1, &p);
            add_piece(r, &p);
        }
    }
}

// The interior rows of a tall cell: sum w (d - v) over them.
static void add_interior(row *r, int32_t column, const pl__run *tall)
{
    const assembly *a = r->a;
    const pl__run *run = pl__columns_find(a->face[1], column, tall->j0 + 1);
    double w = run->kind == PL__RUN_UNIFORM ? a->boundary->open[1][run->first + tall->j0 + 1 - run->j0]
                                            : a->boundary->moment[1][run - a->face[1]->run].s0;
    r->self[2] += w;
    r->rhs[1] += w * pl__run_value(run, a->u[1], tall->j0 + 1);
}

static void add_end(row *r, int32_t column, const pl__run *tall, int end)
{
    const assembly *a = r->a;
    int32_t j = end ? tall->j1 : tall->j0;
    piece p = single(a, 1, pl__columns_uniform(a->face[1], column, j + end), 2 * end - 1, j);
    if (j + end > 0 && j + end < a->cell->ny)
        meet(a, column, j, j + 2 * end - 1, -1, &p);
    else
        meet_outside(a, 2 + end, -1, &p);
    add_piece(r, &p);
}

// ---- rows ------------------------------------------------------------------------------------------------------

// Entries that a row of a tall cell may have: a bound.
static int32_t tall_bound(const assembly *a, int32_t i, int32_t k, const pl__run *run)
{
    int32_t bound = 2 + 4;
    for (int axis = 0; axis < 3; axis += 2)
        for (int end = 0; end < 2; ++end)
        {
            int32_t column = next_column(a, i, k, axis, end);
            if (column < 0)
                continue;
            for (size_t n = a->cell->start[column]; n < a->cell->start[column + 1]; ++n)
            {
                const pl__run *other = &a->cell->run[n];
                int32_t j0 = other->j0 > run->j0 ? other->j0 : run->j0, j1 = other->j1 < run->j1 ? other->j1 : run->j1;
                if (j0 <= j1)
                    bound += other->kind == PL__RUN_UNIFORM ? j1 - j0 + 1 : 2;
            }
        }
    return bound;
}

// The same of a uniform cell: one for each cell with a pressure, two for tall ones.
static int32_t uniform_bound(const assembly *a, const pl__cell_stretch *s, int32_t j)
{
    int32_t bound = 1;
    for (int side = 0; side < 6; ++side)
        if (s->kind[side] == PL__BESIDE_UNIFORM)
            bound += a->unknown[s->cell[side] + j] >= 0;
        else if (s->kind[side] == PL__BESIDE_TALL)
            bound += 2;
    return bound;
}

// Bounds of the rows of a column: where each begins, from the first on. Returns the sum.
static int64_t bound_column(const assembly *a, int32_t column)
{
    const pl__columns *cell = a->cell;
    int32_t base = a->column_start[column], *bound = a->start + base;
    pl__cell_stretch s;
    for (size_t n = cell->start[column]; n < cell->start[column + 1]; ++n)
        if (cell->run[n].kind != PL__RUN_UNIFORM)
        {
            int32_t u = a->unknown[cell->run[n].first];
            bound[u] = bound[u + 1] = tall_bound(a, column % cell->nx, column / cell->nx, &cell->run[n]);
        }
    for (pl__cell_walk w = pl__cell_walk_begin(a->problem->grid, column); pl__cell_walk_next(&w, &s);)
        for (int32_t j = s.j0; j <= s.j1; ++j)
            if (a->unknown[s.own + j] >= 0)
                bound[a->unknown[s.own + j]] = uniform_bound(a, &s, j);
    int64_t sum = 0;
    for (int32_t u = 0; u < a->column_start[column + 1] - base; ++u)
    {
        int32_t here = bound[u];
        bound[u] = (int32_t)sum; // of one column: few
        sum += here;
    }
    return sum;
}

static void bound_columns(void *argument, int32_t begin, int32_t end)
{
    const assembly *a = argument;
    for (int32_t column = begin; column < end; ++column)
        a->entry_start[column + 1] = bound_column(a, column);
}

static row begin_row(assembly *a, int32_t unknown, bool line, double center)
{
    return (row){.a = a,
                 .line = line,
                 .center = center,
                 .column = a->column + a->start[unknown],
                 .value = {a->value + a->start[unknown], line ? a->value + a->start[unknown + 1] : NULL}};
}

// The place of the node's own entries is known once those before it are there.
typedef struct own_entries
{
    int32_t at;
} own_entries;

static own_entries reserve_self(row *r, int32_t unknown)
{
    own_entries own = {r->entries};
    put(r, unknown, 0, 0);
    if (r->line)
        put(r, unknown + 1, 0, 0);
    return own;
}

static void end_row(row *r, int32_t unknown, own_entries own, double size)
{
    assembly *a = r->a;
    // a node that nothing moves: q = 0
    r->value[0][own.at] = r->self[0] > 0 ? r->self[0] : 1;
    a->end[unknown] = a->start[unknown] + r->entries;
    a->rhs[unknown] = r->self[0] > 0 ? r->rhs[0] : 0;
    a->scale[unknown] = a->problem->dt / (a->cell->h * size);
    a->held[unknown] = r->held;
    a->kind[unknown] = r->line ? PL__LINE_VALUE : PL__POINT;
    if (!r->line)
        return;
    r->value[0][own.at + 1] = r->value[1][own.at] = r->self[1];
    r->value[1][own.at + 1] = r->self[2] > 0 ? r->self[2] : 1;
    memcpy(a->column + a->start[unknown + 1], r->column, (size_t)r->entries * sizeof *r->column);
    a->end[unknown + 1] = a->start[unknown + 1] + r->entries;
    a->rhs[unknown + 1] = r->rhs[1];
    a->scale[unknown + 1] = a->scale[unknown] / size;
    a->held[unknown + 1] = r->held;
    a->kind[unknown + 1] = PL__LINE_SLOPE;
    a->center[unknown] = a->center[unknown + 1] = r->center;
}

static void assemble_uniform(assembly *a, int32_t i, int32_t j, int32_t k, const pl__cell_stretch *s,
                             const int32_t first[6], int32_t unknown)
{
    static const int order[6] = {4, 0, 2, 3, 1, 5}; // as columns ascend
    row r = begin_row(a, unknown, false, 0);
    int32_t number = s->own + j;
    double phi = a->problem->phi[number];
    own_entries own = {0};
    if (a->problem->divergence)
        r.rhs[0] += a->problem->divergence[number] * a->cell->h;
    a->row[unknown] = j;
    a->number[unknown] = number;
    for (int n = 0; n < 6; ++n)
    {
        if (n == 3)
            own = reserve_self(&r, unknown);
        add_single(&r, i, j, k, s, first, phi, order[n]);
    }
    end_row(&r, unknown, own, 1);
}

// The same where all six neighbours are cells with a pressure and no face is closed: what most cells are. False: not
// so.
static inline bool assemble_inner(assembly *a, int32_t j, const pl__cell_stretch *s, const int32_t first[6],
                                  int32_t unknown)
{
    static const int order[6] = {4, 0, 2, 3, 1, 5}; // as columns ascend
    int32_t number = s->own + j, at = a->start[unknown], beside[6];
    double w[6], self = 0, rhs = 0;
    bool whole = true;
    for (int n = 0; n < 6; ++n)
    {
        int side = order[n];
        int32_t other = a->unknown[s->cell[side] + j];
        beside[n] = first[side] + other;
        w[n] = a->boundary->open[side / 2][s->face[side] + j];
        whole = whole && other >= 0 && w[n] > 0;
    }
    if (!whole)
        return false;
    if (a->problem->divergence)
        rhs += a->problem->divergence[number] * a->cell->h;
    for (int n = 0; n < 6; ++n)
    {
        int side = order[n];
        int32_t face = s->face[side] + j;
        double flux = w[n] * a->u[side / 2][face] + (1 - w[n]) * a->boundary->speed[side / 2][face];
        double slope = w[n] * ratio_of(a, side / 2, face);
        rhs -= (2 * (side % 2) - 1) * flux;
        self += slope;
        a->column[at + n + n / 3] = beside[n];
        a->value[at + n + n / 3] = -slope;
    }
    a->column[at + 3] = unknown;
    a->value[at + 3] = self;
    a->row[unknown] = j;
    a->number[unknown] = number;
    a->end[unknown] = at + 7;
    a->rhs[unknown] = rhs;
    a->scale[unknown] = a->problem->dt / a->cell->h;
    a->held[unknown] = false;
    a->kind[unknown] = PL__POINT;
    return true;
}

static void assemble_tall(assembly *a, int32_t i, int32_t k, const pl__run *run, int32_t unknown)
{
    int32_t column = i + a->cell->nx * k;
    row r = begin_row(a, unknown, true, 0.5 * ((double)run->j0 + (double)run->j1));
    a->row[unknown] = a->row[unknown + 1] = run->j0;
    a->number[unknown] = a->number[unknown + 1] = run->first;
    add_side(&r, i, k, run, 2, 0);
    add_side(&r, i, k, run, 0, 0);
    add_end(&r, column, run, 0);
    own_entries own = reserve_self(&r, unknown);
    add_interior(&r, column, run);
    add_end(&r, column, run, 1);
    add_side(&r, i, k, run, 0, 1);
    add_side(&r, i, k, run, 2, 1);
    end_row(&r, unknown, own, pl__run_rows(run));
}

// The first unknowns of the columns beside one, by sides.
static void find_first(const assembly *a, int32_t column, int32_t first[6])
{
    int32_t i = column % a->cell->nx, k = column / a->cell->nx;
    for (int side = 0; side < 6; ++side)
    {
        int32_t next = side / 2 == 1 ? column : next_column(a, i, k, side / 2, side % 2);
        first[side] = next < 0 ? 0 : a->column_start[next];
    }
}

static void assemble_column(assembly *a, int32_t column)
{
    const pl__columns *cell = a->cell;
    int32_t i = column % cell->nx, k = column / cell->nx, base = a->column_start[column], first[6];
    for (int32_t u = base; u < a->column_start[column + 1]; ++u)
        a->start[u] += (int32_t)a->entry_start[column];
    find_first(a, column, first);
    for (size_t n = cell->start[column]; n < cell->start[column + 1]; ++n)
        if (cell->run[n].kind != PL__RUN_UNIFORM)
            assemble_tall(a, i, k, &cell->run[n], base + a->unknown[cell->run[n].first]);
    pl__cell_stretch s;
    for (pl__cell_walk w = pl__cell_walk_begin(a->problem->grid, column); pl__cell_walk_next(&w, &s);)
        for (int32_t j = s.j0; j <= s.j1; ++j)
        {
            int32_t unknown = base + a->unknown[s.own + j];
            if (unknown >= base && !(s.inner && assemble_inner(a, j, &s, first, unknown)))
                assemble_uniform(a, i, j, k, &s, first, unknown);
        }
}

static void assemble_columns(void *argument, int32_t begin, int32_t end)
{
    for (int32_t column = begin; column < end; ++column)
        assemble_column(argument, column);
}

// ---- pockets ---------------------------------------------------------------------------------------------------

// Unknowns above each other that are coupled are a segment. Components of segments are found with a forest.
typedef struct pockets
{
    assembly *a;
    int32_t *segment; // [count] within its column, then of all
    int32_t *start;   // [columns + 1]
    int32_t *parent;  // [segments]
    uint8_t *held;    // [segments] has a face to air; of roots: one of the component has
    double *sum, *size, *paid;
} pockets;

static bool is_coupled_below(const assembly *a, int32_t u)
{
    for (int32_t e = a->start[u]; a->column[e] < u; ++e)
        if (a->column[e] == u - 1)
            return true;
    return false;
}

static void find_segments(void *argument, int32_t begin, int32_t end)
{
    const pockets *p = argument;
    for (int32_t c = begin; c < end; ++c)
    {
        int32_t count = 0;
        for (int32_t u = p->a->column_start[c]; u < p->a->column_start[c + 1]; ++u)
        {
            count += count == 0 || !is_coupled_below(p->a, u);
            p->segment[u] = count - 1;
        }
        p->start[c + 1] = count;
    }
}

static void begin_segments(void *argument, int32_t begin, int32_t end)
{
    const pockets *p = argument;
    for (int32_t c = begin; c < end; ++c)
    {
        for (int32_t s = p->start[c]; s < p->start[c + 1]; ++s)
        {
            p->parent[s] = s;
            p->held[s] = 0;
            p->sum[s] = p->size[s] = p->paid[s] = 0;
        }
        for (int32_t u = p->a->column_start[c]; u < p->a->column_start[c + 1]; ++u)
        {
            p->segment[u] += p->start[c];
            p->held[p->segment[u]] |= p->a->held[u];
        }
    }
}

static int32_t root_of(int32_t *parent, int32_t n)
{
    while (parent[n] != n)
        n = parent[n] = parent[parent[n]];
    return n;
}

static void unite(const pockets *p, int32_t s, int32_t t)
{
    int32_t from = root_of(p->parent, s), to = root_of(p->parent, t), least = from < to ? from : to;
    uint8_t held = p->held[from] | p->held[to];
    p->parent[from > to ? from : to] = least;
    p->held[least] = held;
}

// Segments of neighbouring columns that are coupled; many rows in a row are so by the same two.
static void unite_columns(const pockets *p, int32_t columns)
{
    const assembly *a = p->a;
    for (int32_t c = 0; c < columns; ++c)
    {
        int32_t own = -1, last[2] = {-1, -1}, base = a->column_start[c];
        for (int32_t u = base; u < a->column_start[c + 1]; ++u)
            for (int32_t e = a->start[u]; a->column[e] < base; ++e)
            {
                int32_t s = p->segment[u], t = p->segment[a->column[e]];
                if (s == own && (t == last[0] || t == last[1]))
                    continue;
                unite(p, s, t);
                last[0] = s == own ? last[1] : -1;
                last[1] = t;
                own = s;
            }
    }
}

// Remove from the right side of each component without air its part in the null space, spread over its cells.
static void level_pockets(const pockets *p, pl__projection_info *info)
{
    assembly *a = p->a;
    double area = a->cell->h * a->cell->h;
    for (int32_t u = 0; u < a->count; ++u)
    {
        int32_t root = root_of(p->parent, p->segment[u]);
        if (p->held[root] || a->kind[u] == PL__LINE_SLOPE)
            continue;
        p->sum[root] += a->rhs[u];
        p->paid[root] += a->problem->paid && a->kind[u] == PL__POINT ? a->problem->paid[a->number[u]] * a->cell->h : 0;
        p->size[root] += 1 / a->scale[u];
    }
    for (int32_t u = 0; u < a->count; ++u)
    {
        int32_t root = root_of(p->parent, p->segment[u]);
        if (!p->held[root] && a->kind[u] != PL__LINE_SLOPE)
            a->rhs[u] -= p->sum[root] / p->size[root] / a->scale[u];
    }
    for (int32_t s = 0; s < p->start[a->cell->nx * a->cell->nz]; ++s)
        info->incompatible += p->parent[s] == s && !p->held[s] ? area * fabs(p->sum[s] - p->paid[s]) : 0;
}

static void store_held(void *argument, int32_t begin, int32_t end)
{
    const pockets *p = argument;
    for (int32_t u = begin; u < end; ++u)
        p->a->held[u] = p->held[p->segment[u]];
}

static pl_status close_pockets(pl_context *ctx, pl__arena *arena, assembly *a, pl__projection_info *info)
{
    int32_t columns = a->cell->nx * a->cell->nz;
    pockets p = {
        .a = a, .segment = PL_TAKE(arena, a->count + 1, int32_t), .start = PL_TAKE(arena, columns + 1, int32_t)};
    if (!p.segment || !p.start)
        return PL_ERR_MEMORY;
    pl__parallel_for(ctx, columns, COLUMNS_PER_TASK, find_segments, &p);
    p.start[0] = 0;
    for (int32_t c = 0; c < columns; ++c)
        p.start[c + 1] += p.start[c];
    int32_t count = p.start[columns];
    p.parent = PL_TAKE(arena, count + 1, int32_t);
    p.held = PL_TAKE(arena, count + 1, uint8_t);
    p.sum = PL_TAKE(arena, count + 1, double);
    p.size = PL_TAKE(arena, count + 1, double);
    p.paid = PL_TAKE(arena, count + 1, double);
    if (!p.parent || !p.held || !p.sum || !p.size || !p.paid)
        return PL_ERR_MEMORY;
    pl__parallel_for(ctx, columns, COLUMNS_PER_TASK, begin_segments, &p);
    unite_columns(&p, columns);
    for (int32_t s = 0; s < count; ++s)
        info->pockets += p.parent[s] == s && !p.held[s];
    if (info->pockets > 0)
        level_pockets(&p, info);
    for (int32_t s = 0; s < count; ++s)
        p.held[s] = p.held[root_of(p.parent, s)];
    pl__parallel_for(ctx, a->count, UNKNOWNS_PER_TASK, store_held, &p);
    return PL_OK;
}

// ---- new velocity ----------------------------------------------------------------------------------------------

typedef struct correction
{
    const assembly *a;
    const double *q; // numbers of cells; 0 in air
    double *u;
    int axis;
} correction;

// q at row j of a column: whether that is liquid, and phi there for theta.
typedef struct cell_state
{
    bool liquid, apart; // apart: it has left a wall, and q is 0
    double q, phi;
} cell_state;

static bool is_apart(const assembly *a, int32_t number) { return a->grip && a->grip[number] == PL__GRIP_APART; }

static cell_state state_at(const assembly *a, const double *q, int32_t i, int32_t j, int32_t k)
{
    const pl__columns *cell = a->cell;
    if (i < 0 || j < 0 || k < 0 || i >= cell->nx || j >= cell->ny || k >= cell->nz)
        return (cell_state){.phi = 1};
    const pl__run *run = pl__columns_find(cell, i + cell->nx * k, j);
    if (!run)
        return (cell_state){.phi = 1};
    if (run->kind != PL__RUN_UNIFORM)
        return (cell_state){.liquid = true, .q = pl__run_value(run, q, j), .phi = -1};
    int32_t n = run->first + j - run->j0;
    return (cell_state){.liquid = a->unknown[n] >= 0, .apart = is_apart(a, n), .q = q[n], .phi = a->problem->phi[n]};
}

// The two cells of a face; beyond an open side what the cell before it needs: nothing, if that is air. Returns whether
// that was needed.
static bool states_beside(const correction *c, int32_t i, int32_t j, int32_t k, cell_state *above, cell_state *below)
{
    const assembly *a = c->a;
    *above = state_at(a, c->q, i, j, k);
    *below = state_at(a, c->q, i - (c->axis == 0), j - (c->axis == 1), k - (c->axis == 2));
    int side = a->problem->outside ? pl__outside_side(a->problem->outside, a->face[c->axis], c->axis, i, j, k) : -1;
    const cell_state *inner = side % 2 ? below : above;
    if (side < 0 || !inner->liquid || inner->apart)
        return false;
    pl__outer_cell outer = outer_cell(a, side, j, inner->phi);
    *(side % 2 ? above : below) = (cell_state){.liquid = outer.liquid, .q = outer.q, .phi = outer.phi};
    return true;
}

// The change of q across a face, over theta.
static double slope_between(const cell_state *below, const cell_state *above)
{
    double theta = above->liquid == below->liquid ? 1
                   : above->liquid                ? pl__pressure_theta(above->phi, below->phi)
                                                  : pl__pressure_theta(below->phi, above->phi);
    return ((above->liquid ? above->q : 0) - (below->liquid ? below->q : 0)) / theta;
}

static void correct_face(const correction *c, int32_t i, int32_t j, int32_t k, int32_t number)
{
    const assembly *a = c->a;
    if (a->boundary->open[c->axis][number] <= 0)
    {
        c->u[number] = a->boundary->speed[c->axis][number];
        return;
    }
    cell_state above, below;
    (void)states_beside(c, i, j, k, &above, &below);
    if (!above.liquid && !below.liquid)
        return;
    c->u[number] -= slope_between(&below, &above) * ratio_of(a, c->axis, number);
}

// Rows between two columns of uniform cells.
static void correct_between(const correction *c, const pl__face_stretch *s)
{
    const int32_t *unknown = c->a->unknown;
    const double *q = c->q, *phi = c->a->problem->phi, *open = c->a->boundary->open[c->axis];
    for (int32_t j = s->j0; j <= s->j1; ++j)
    {
        int32_t n = s->own + j, below = s->cell[0] + j, above = s->cell[1] + j;
        bool wet_below = unknown[below] >= 0, wet_above = unknown[above] >= 0;
        if (open[n] <= 0)
            c->u[n] = c->a->boundary->speed[c->axis][n];
        else if (wet_below && wet_above)
            c->u[n] -= (q[above] - q[below]) * ratio_of(c->a, c->axis, n);
        else if (wet_above)
            c->u[n] -= q[above] / pl__pressure_theta(phi[above], phi[below]) * ratio_of(c->a, c->axis, n);
        else if (wet_below)
            c->u[n] += q[below] / pl__pressure_theta(phi[below], phi[above]) * ratio_of(c->a, c->axis, n);
    }
}

// The numbers of a tall run of faces.
static void correct_tall(const correction *c, int32_t i, int32_t k, const pl__run *run)
{
    for (int end_row = 0; end_row < pl__run_numbers(run); ++end_row)
    {
        int32_t j = end_row ? run->j1 : run->j0;
        cell_state above, below;
        bool open = states_beside(c, i, j, k, &above, &below) || (above.liquid && below.liquid);
        double *u = &c->u[run->first + end_row];
        *u = open ? *u - slope_between(&below, &above) : 0;
    }
}

static void correct_columns(void *argument, int32_t begin, int32_t end)
{
    const correction *c = argument;
    const pl__columns *f = c->a->face[c->axis];
    pl__face_stretch s;
    for (int32_t column = begin; column < end; ++column)
    {
        int32_t i = column % f->nx, k = column / f->nx;
        for (size_t n = f->start[column]; n < f->start[column + 1]; ++n)
            if (f->run[n].kind != PL__RUN_UNIFORM)
                correct_tall(c, i, k, &f->run[n]);
        for (pl__face_walk w = pl__face_walk_begin(c->a->problem->grid, c->axis, column); pl__face_walk_next(&w, &s);)
            if (s.kind[0] == PL__BESIDE_UNIFORM && s.kind[1] == PL__BESIDE_UNIFORM)
                correct_between(c, &s);
            else
                for (int32_t j = s.j0; j <= s.j1; ++j)
                    correct_face(c, i, j, k, s.own + j);
    }
}

// ---- numbers of cells and unknowns -----------------------------------------------------------------------------

// Values of tall cells at their ends <-> value in the middle and slope.
typedef struct exchange
{
    const assembly *a;
    double *q, *x; // [numbers of cells], [unknowns]
} exchange;

static void load_guess(void *argument, int32_t begin, int32_t end)
{
    const exchange *e = argument;
    const assembly *a = e->a;
    for (int32_t u = begin; u < end; ++u)
    {
        const double *v = e->q + a->number[u];
        if (a->kind[u] == PL__POINT)
            e->x[u] = is_apart(a, a->number[u]) ? 0 : v[0];
        else if (a->kind[u] == PL__LINE_VALUE)
            e->x[u] = 0.5 * (v[0] + v[1]);
        else
            e->x[u] = 0.5 * (v[1] - v[0]) / (a->center[u] - a->row[u]);
    }
}

static void clear_numbers(void *argument, int32_t begin, int32_t end)
{
    const exchange *e = argument;
    memset(e->q + begin, 0, (size_t)(end - begin) * sizeof *e->q);
}

static void store_solution(void *argument, int32_t begin, int32_t end)
{
    const exchange *e = argument;
    const assembly *a = e->a;
    for (int32_t u = begin; u < end; ++u)
        if (a->kind[u] == PL__POINT)
            e->q[a->number[u]] = e->x[u];
        else if (a->kind[u] == PL__LINE_VALUE)
        {
            double half = (a->center[u] - a->row[u]) * e->x[u + 1];
            e->q[a->number[u]] = e->x[u] - half;
            e->q[a->number[u] + 1] = e->x[u] + half;
        }
}

static bool take_rows(pl__arena *arena, assembly *a)
{
    size_t n = (size_t)a->count + 1;
    a->kind = PL_TAKE(arena, n, uint8_t);
    a->held = PL_TAKE(arena, n, uint8_t);
    a->row = PL_TAKE(arena, n, int32_t);
    a->number = PL_TAKE(arena, n, int32_t);
    a->center = PL_TAKE(arena, n, double);
    a->start = PL_TAKE(arena, n, int32_t);
    a->end = PL_TAKE(arena, n, int32_t);
    a->rhs = PL_TAKE(arena, n, double);
    a->scale = PL_TAKE(arena, n, double);
    return a->kind && a->held && a->row && a->number && a->center && a->start && a->end && a->rhs && a->scale;
}

static bool take_entries(pl__arena *arena, assembly *a, int32_t columns)
{
    a->entry_start[0] = 0;
    for (int32_t c = 0; c < columns; ++c)
        a->entry_start[c + 1] += a->entry_start[c];
    if (a->entry_start[columns] >= INT32_MAX)
        return false;
    a->column = PL_TAKE(arena, a->entry_start[columns] + 1, int32_t);
    a->value = PL_TAKE(arena, a->entry_start[columns] + 1, double);
    return a->column && a->value;
}

// Number the unknowns and assemble their rows.
static pl_status assemble(pl__pressure *pressure, assembly *a)
{
    pl__arena *arena = &pressure->arena;
    int32_t columns = a->cell->nx * a->cell->nz;
    a->unknown = PL_TAKE(arena, a->cell->value_count + 1, int32_t);
    a->column_start = PL_TAKE(arena, columns + 1, int32_t);
    a->entry_start = PL_TAKE(arena, columns + 1, int64_t);
    if (!a->unknown || !a->column_start || !a->entry_start)
        return PL_ERR_MEMORY;
    pl__parallel_for(pressure->ctx, columns, COLUMNS_PER_TASK, number_columns, a);
    a->column_start[0] = 0;
    for (int32_t c = 0; c < columns; ++c)
        a->column_start[c + 1] += a->column_start[c];
    a->count = a->column_start[columns];
    if (!take_rows(arena, a))
        return PL_ERR_MEMORY;
    pl__parallel_for(pressure->ctx, columns, COLUMNS_PER_TASK, bound_columns, a);
    if (!take_entries(arena, a, columns))
        return PL_ERR_MEMORY;
    pl__parallel_for(pressure->ctx, columns, COLUMNS_PER_TASK, assemble_columns, a);
    return PL_OK;
}

// ---- separation (separation.h) ---------------------------------------------------------------------------------
//
// Liquid beside a cell that has left its wall has the pressure 0 at the center of that, as theta = 1 says: the diagonal
// does not change, and the cell is an unknown whose row and column are 0 and which stays at 0. So the matrix is made
// once, and cells come and go in it. The preconditioner, too, stays that of the first pass while few have changed.

// A uniform cell of liquid at a wall.
typedef struct wall_cell
{
    int32_t number, column, j;
    bool was_apart; // when the preconditioner was made
} wall_cell;

typedef struct wall_cells
{
    wall_cell *cell;
    int32_t count;
    bool *change;     // [count] it is about to leave its wall, or to come back
    int32_t *changed; // [count] unknowns that differ from what they were for the preconditioner
    int32_t *around;  // [unknowns] those near cells that have changed
    uint8_t *marked;  // [unknowns] they are in `around`
} wall_cells;

static int32_t unknown_of(const assembly *a, const wall_cell *w)
{
    return a->column_start[w->column] + a->unknown[w->number];
}

// The entry of row u at column v.
static double *entry_at(const assembly *a, int32_t u, int32_t v)
{
    int32_t e = a->start[u];
    while (a->column[e] != v)
        ++e;
    return &a->value[e];
}

static void take_out(const assembly *a, int32_t u)
{
    a->rhs[u] = 0;
    for (int32_t e = a->start[u]; e < a->end[u]; ++e)
        a->value[e] = *entry_at(a, a->column[e], u) = 0;
}

static void bring_back(assembly *a, const wall_cell *w)
{
    int32_t u = unknown_of(a, w), first[6];
    pl__cell_stretch s;
    pl__cell_walk walk = pl__cell_walk_begin(a->problem->grid, w->column);
    while (pl__cell_walk_next(&walk, &s) && s.j1 < w->j)
        ;
    find_first(a, w->column, first);
    assemble_uniform(a, w->column % a->cell->nx, w->j, w->column / a->cell->nx, &s, first, u);
    a->held[u] = true;
    for (int32_t e = a->start[u]; e < a->end[u]; ++e)
    {
        int32_t v = a->column[e];
        bool apart = a->kind[v] == PL__POINT && is_apart(a, a->number[v]);
        *entry_at(a, v, u) = a->value[e] = apart ? 0 : a->value[e];
    }
}

static pl_status find_wall_cells(pl__arena *arena, const assembly *a, const uint8_t *grip, wall_cells *walls)
{
    const pl__columns *c = a->cell;
    for (int pass = 0; pass < 2; ++pass)
    {
        walls->count = 0;
        for (int32_t column = 0; column < c->nx * c->nz; ++column)
            for (size_t r = c->start[column]; r < c->start[column + 1]; ++r)
                for (int32_t n = 0; c->run[r].kind == PL__RUN_UNIFORM && n < pl__run_rows(&c->run[r]); ++n)
                {
                    int32_t number = c->run[r].first + n;
                    if (grip[number] == PL__GRIP_FAST || a->unknown[number] < 0)
                        continue;
                    if (pass == 1)
                        walls->cell[walls->count] =
                            (wall_cell){.number = number, .column = column, .j = c->run[r].j0 + n};
                    ++walls->count;
                }
        if (pass == 0)
        {
            walls->cell = PL_TAKE(arena, walls->count + 1, wall_cell);
            walls->change = PL_TAKE(arena, walls->count + 1, bool);
            walls->changed = PL_TAKE(arena, walls->count + 1, int32_t);
            walls->around = PL_TAKE(arena, a->count + 1, int32_t);
            walls->marked = PL_TAKE(arena, a->count + 1, uint8_t);
        }
        if (!walls->cell || !walls->change || !walls->changed || !walls->around || !walls->marked)
            return PL_ERR_MEMORY;
    }
    memset(walls->marked, 0, (size_t)a->count);
    return PL_OK;
}

// Liquid without air stays at its walls.
static void begin_apart(const assembly *a, const wall_cells *walls, uint8_t *grip)
{
    for (int32_t n = 0; n < walls->count; ++n)
        if (!a->held[unknown_of(a, &walls->cell[n])])
            grip[walls->cell[n].number] = PL__GRIP_FAST;
    for (int32_t n = 0; n < walls->count; ++n)
        if (grip[walls->cell[n].number] == PL__GRIP_APART)
            take_out(a, unknown_of(a, &walls->cell[n]));
}

// What leaves a uniform cell, and is not wanted to [m/s].
static double excess(const assembly *a, const double *q, const wall_cell *w)
{
    int32_t i = w->column % a->cell->nx, j = w->j, k = w->column / a->cell->nx;
    double out = a->problem->divergence ? -a->problem->divergence[w->number] * a->cell->h : 0;
    for (int side = 0; side < 6; ++side)
    {
        int axis = side / 2, end = side % 2;
        int32_t at[3] = {i, j, k}, face = pl__grid_face(a->problem->grid, i, j, k, axis, end);
        at[axis] += end;
        correction c = {a, q, NULL, axis};
        cell_state above, below;
        (void)states_beside(&c, at[0], at[1], at[2], &above, &below);
        double w_face = a->boundary->open[axis][face], u = a->u[axis][face];
        u -= above.liquid || below.liquid ? slope_between(&below, &above) * ratio_of(a, axis, face) : 0;
        out += (2 * end - 1) * (w_face > 0 ? w_face * u + (1 - w_face) * a->boundary->speed[axis][face]
                                           : a->boundary->speed[axis][face]);
    }
    return out;
}

// Cells with p < 0 leave their wall, those that are pressed to it stay. Returns whether there were any.
static bool part(assembly *a, const double *q, wall_cells *walls, uint8_t *grip)
{
    double least = a->problem->tolerance * a->cell->h / a->problem->dt, suction = least + a->problem->suction;
    int32_t goes = 0;
    for (int32_t n = 0; n < walls->count; ++n)
    {
        const wall_cell *w = &walls->cell[n];
        walls->change[n] = grip[w->number] == PL__GRIP_APART  ? excess(a, q, w) < -least
                           : grip[w->number] == PL__GRIP_WALL ? q[w->number] < -suction
                                                              : false;
        goes += walls->change[n];
    }
    if (goes == 0)
        return false;
    for (int32_t n = 0; n < walls->count; ++n)
        if (walls->change[n])
            grip[walls->cell[n].number] =
                grip[walls->cell[n].number] == PL__GRIP_APART ? PL__GRIP_WALL : PL__GRIP_APART;
    for (int32_t n = 0; n < walls->count; ++n)
        if (walls->change[n] && grip[walls->cell[n].number] == PL__GRIP_WALL)
            bring_back(a, &walls->cell[n]);
    for (int32_t n = 0; n < walls->count; ++n)
        if (walls->change[n] && grip[walls->cell[n].number] == PL__GRIP_APART)
            take_out(a, unknown_of(a, &walls->cell[n]));
    return true;
}

// Points within NEAR_CELLS of those that have changed, by layers. Returns how many.
static int32_t find_around(const assembly *a, const wall_cells *walls)
{
    int32_t count = 0, begin = 0;
    for (int32_t n = 0; n < walls->count; ++n)
        if (walls->change[n])
        {
            walls->around[count++] = unknown_of(a, &walls->cell[n]);
            walls->marked[walls->around[count - 1]] = 1;
        }
    for (int layer = 0; layer < NEAR_CELLS; ++layer)
        for (int32_t end = count; begin < end; ++begin)
            for (int32_t u = walls->around[begin], e = a->start[u]; e < a->end[u]; ++e)
            {
                int32_t v = a->column[e];
                if (walls->marked[v] || a->kind[v] != PL__POINT)
                    continue;
                walls->marked[v] = 1;
                walls->around[count++] = v;
            }
    for (int32_t n = 0; n < count; ++n)
        walls->marked[walls->around[n]] = 0;
    return count;
}

static double relaxed(const assembly *a, int32_t u, const double *x)
{
    double sum = a->rhs[u], diagonal = 0;
    for (int32_t e = a->start[u]; e < a->end[u]; ++e)
    {
        diagonal = a->column[e] == u ? a->value[e] : diagonal;
        sum -= a->value[e] * x[a->column[e]];
    }
    return diagonal > 0 ? x[u] + sum / diagonal : 0;
}

// What few cells change is felt around them only: Gauss-Seidel there costs next to nothing.
static void relax_around(const assembly *a, const wall_cells *walls, double *q, double *x)
{
    int32_t count = find_around(a, walls);
    for (int sweep = 0; sweep < NEAR_SWEEPS; ++sweep)
        for (int32_t n = 0; n < count; ++n)
        {
            int32_t u = walls->around[sweep % 2 ? count - 1 - n : n];
            x[u] = q[a->number[u]] = relaxed(a, u, x);
        }
}

// ---- solving ---------------------------------------------------------------------------------------------------

static pl_status set_up_solver(pl__pressure *pressure, const assembly *a, wall_cells *walls)
{
    pl__column_system system = {.nx = a->cell->nx,
                                .nz = a->cell->nz,
                                .count = a->count,
                                .column_start = a->column_start,
                                .kind = a->kind,
                                .row = a->row,
                                .center = a->center,
                                .start = a->start,
                                .end = a->end,
                                .column = a->column,
                                .value = a->value};
    for (int32_t n = 0; n < walls->count; ++n)
        walls->cell[n].was_apart = is_apart(a, walls->cell[n].number);
    if (a->problem->again && a->problem->precondition == PL__PRECONDITION_MULTIGRID)
    {
        pl__column_solver_move(pressure->solver, &system);
        return PL_OK;
    }
    return pl__column_solver_setup(pressure->solver, &system, a->problem->precondition);
}

// The preconditioner of an earlier pass, if it will do.
static pl_status prepare(pl__pressure *pressure, const assembly *a, wall_cells *walls, bool first)
{
    int32_t changed = 0;
    for (int32_t n = 0; n < walls->count; ++n)
        if (is_apart(a, walls->cell[n].number) != walls->cell[n].was_apart)
            walls->changed[changed++] = unknown_of(a, &walls->cell[n]);
    if (first || changed > a->count / MOST_CHANGED_PART)
        return set_up_solver(pressure, a, walls);
    pl__column_solver_change(pressure->solver, walls->changed, changed);
    return PL_OK;
}

// Solve with the cells that have left walls as they are known by now.
static pl_status pass(pl__pressure *pressure, assembly *a, double *q, double *x, pl__projection_info *info)
{
    exchange io = {a, q, x};
    int32_t before = info->solve.iterations;
    pl__column_limits limits = {a->problem->tolerance, a->scale, 200};
    pl__parallel_for(pressure->ctx, a->count, UNKNOWNS_PER_TASK, load_guess, &io);
    PL_TRY(pl__column_solver_solve(pressure->solver, &limits, a->rhs, x, &info->solve));
    info->solve.iterations += before;
    ++info->passes;
    pl__parallel_for(pressure->ctx, a->cell->value_count, UNKNOWNS_PER_TASK, clear_numbers, &io);
    pl__parallel_for(pressure->ctx, a->count, UNKNOWNS_PER_TASK, store_solution, &io);
    return PL_OK;
}

// ---- projection ------------------------------------------------------------------------------------------------

static pl_status project(pl__pressure *pressure, const pl__projection *problem, double *q, double *const u[3],
                         pl__projection_info *info)
{
    const pl__grid *grid = problem->grid;
    assembly a = {.problem = problem,
                  .cell = &grid->cell,
                  .face = {&grid->face[0], &grid->face[1], &grid->face[2]},
                  .boundary = problem->boundary,
                  .u = {u[0], u[1], u[2]}};
    wall_cells walls = {.count = 0};
    PL_TRY(assemble(pressure, &a));
    info->unknowns = a.count;
    PL_TRY(close_pockets(pressure->ctx, &pressure->arena, &a, info));
    a.grip = problem->grip;
    if (problem->grip)
    {
        PL_TRY(find_wall_cells(&pressure->arena, &a, problem->grip, &walls));
        begin_apart(&a, &walls, problem->grip);
    }
    double *x = PL_TAKE(&pressure->arena, a.count + 16, double);
    if (!x)
        return PL_ERR_MEMORY;
    for (bool again = true; again;)
    {
        PL_TRY(prepare(pressure, &a, &walls, info->passes == 0));
        PL_TRY(pass(pressure, &a, q, x, info));
        again = false;
        for (int n = 0; n < MOST_GUESSES && problem->grip && info->passes < MOST_PASSES; ++n)
        {
            if (!part(&a, q, &walls, problem->grip))
                break;
            again = true;
            relax_around(&a, &walls, q, x);
        }
    }
    for (int axis = 0; axis < 3; ++axis)
    {
        correction c = {&a, q, u[axis], axis};
        pl__parallel_for(pressure->ctx, a.face[axis]->nx * a.face[axis]->nz, COLUMNS_PER_TASK, correct_columns, &c);
    }
    return PL_OK;
}

pl_status pl__pressure_project(pl__pressure *pressure, const pl__projection *problem, double *q, double *const u[3],
                               pl__projection_info *info)
{
    *info = (pl__projection_info){0};
    pl__arena_mark mark = pl__arena_set_mark(&pressure->arena);
    pl_status status = project(pressure, problem, q, u, info);
    pl__arena_release(&pressure->arena, mark);
    return status;
}

pl_status pl__pressure_create(pl_context *ctx, pl__pressure **pressure)
{
    pl__pressure *p = PL_NEW(ctx, 1, pl__pressure);
    *pressure = NULL;
    if (!p)
        return PL_ERR_MEMORY;
    p->ctx = ctx;
    pl__arena_init(&p->arena, ctx);
    pl_status status = pl__column_solver_create(ctx, &p->solver);
    if (status != PL_OK)
        pl__pressure_destroy(&p);
    *pressure = p;
    return status;
}

void pl__pressure_destroy(pl__pressure **pressure)
{
    pl__pressure *p = *pressure;
    *pressure = NULL;
    if (!p)
        return;
    pl__column_solver_destroy(&p->solver);
    pl__arena_done(&p->arena);
    pl__free(p->ctx, p, sizeof *p);
}

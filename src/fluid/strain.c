// src/fluid/strain.c -- samples of the velocity gradient: who is known, which parts are liquid, rows of B.
//
// Cells and faces have room for the rows that they may have; those that have no liquid keep a weight of 0. A face
// stands in at most one row per direction and end, so that the rows of B^T are written from those of B without meeting.
#include "strain.h"
#include "volume.h"

#include <math.h>
#include <string.h>

// clang-format off
//                     value   unit   derivation                                                                            pinned by
#define LEAST_THETA    0.1  // h      nearer walls hold a face to 1/100 of a velocity all the same; chosen                    tests/viscosity.c objects_hold_liquid
#define LEAST_PART     1e-3 // 1      liquid parts below have no stress: 1/1000 of the area of a surface                      tests/viscosity.c rigid_motion_is_free
#define TOUCHED        1.5  // h      faces so far from liquid may have a stress: half a cell to it, and half its diagonal    tests/viscosity.c rigid_motion_is_free
#define DEEP           2.5  // h      cells below have only liquid around them: TOUCHED, and 0.71 to a point of theirs, rounded up; derived  tests/viscosity.c rigid_motion_is_free
// clang-format on

enum
{
    COLUMNS_PER_TASK = 16,
    WALLS = 18, // numbers: 6 sides, 3 axes
    TURNED = 6  // numbers of a face of an object that turns, after its own: at the wall towards each side
};

typedef struct builder
{
    const pl__strain_def *def;
    const pl__columns *cell, *face[3];
    pl__levelset ls;
    pl__strain *strain;
    double *part[3];         // [numbers of faces] V; < 0: known
    int32_t column_start[4]; // first column of the faces of each axis, among all of them
    int32_t row_start[4];    // first column of cells, and of faces along x and y, which have rows
    int32_t *first;          // [row_start[3] + 1] first sample of each
    bool solids;             // there are some
} builder;

static const int32_t unit[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

// ---- measures --------------------------------------------------------------------------------------------------

// phi at a point of the cell with number `near`, or -1, and the liquid part of the cube around it. Where the cell is
// deep, so is the cube: it is as far from the surface, but for half the diagonal of a face.
static double liquid_part(const builder *b, int32_t near, const double x[3], double *phi)
{
    double h = b->cell->h, edge[3];
    if (near >= 0 && b->def->phi[near] < -DEEP * h)
    {
        *phi = b->def->phi[near];
        return 1;
    }
    *phi = pl__levelset_sample(&b->ls, x[0], x[1], x[2]);
    if (fabs(*phi) > TOUCHED * h)
        return *phi < 0;
    for (int a = 0; a < 3; ++a)
    {
        double y[3] = {x[0], x[1], x[2]}, z[3] = {x[0], x[1], x[2]};
        y[a] -= 0.5 * h, z[a] += 0.5 * h;
        edge[a] = fabs(pl__levelset_sample(&b->ls, z[0], z[1], z[2]) - pl__levelset_sample(&b->ls, y[0], y[1], y[2]));
    }
    return pl__part_below(*phi, edge);
}

// The number of a uniform row, or -1.
static inline int32_t number_at(const pl__columns *c, const int32_t at[3])
{
    if (at[0] < 0 || at[1] < 0 || at[2] < 0 || at[0] >= c->nx || at[1] >= c->ny || at[2] >= c->nz)
        return -1;
    int32_t column = at[0] + c->nx * at[2];
    const pl__main_run *m = &c->main[column];
    return at[1] >= m->j0 && at[1] <= m->j1 ? m->base + at[1] : pl__columns_uniform(c, column, at[1]);
}

// Mean distance to solids of the cells that are stored among those between `low` and `high`; h: there are no solids.
static double distance_at(const builder *b, const int32_t low[3], const int32_t high[3])
{
    double sum = 0;
    int count = 0;
    if (!b->solids)
        return b->cell->h;
    for (int32_t k = low[2]; k <= high[2]; ++k)
        for (int32_t i = low[0]; i <= high[0]; ++i)
            for (int32_t j = low[1]; j <= high[1]; ++j)
            {
                int32_t n = number_at(b->cell, (int32_t[3]){i, j, k});
                sum += n >= 0 ? b->def->boundary->distance[n] : 0;
                count += n >= 0;
            }
    return count > 0 ? sum / count : b->cell->h;
}

static double face_distance(const builder *b, int axis, const int32_t at[3])
{
    int32_t low[3] = {at[0] - unit[axis][0], at[1] - unit[axis][1], at[2] - unit[axis][2]};
    return distance_at(b, low, at);
}

static int32_t cells_along(const builder *b, int axis)
{
    return axis == 0 ? b->cell->nx : axis == 1 ? b->cell->ny : b->cell->nz;
}

// ---- faces -----------------------------------------------------------------------------------------------------

// V of a face; -1: its velocity is known; -2: it has nothing to do with liquid.
static double part_of_face(const builder *b, int axis, const int32_t at[3], int32_t number)
{
    const pl__strain_def *def = b->def;
    double x[3], phi, open = def->boundary->open[axis][number], distance = face_distance(b, axis, at);
    bool side = at[axis] == 0 || at[axis] == cells_along(b, axis);
    bool held = open <= 0 || (open < 1 && distance <= 0);
    if (def->slip ? side && open <= 0 : held)
        return -1;
    pl__grid_point(b->face[axis], at[0], at[1], at[2], x);
    double part = liquid_part(b, number_at(b->cell, at), x, &phi);
    if (phi > TOUCHED * b->cell->h)
        return -2;
    return part * pl__open_part(distance, b->cell->h) * (side ? 0.5 : 1);
}

// A column among those of all faces: its axis, and its place.
static int32_t locate(const builder *b, int32_t column, int *axis, int32_t at[3])
{
    *axis = column < b->column_start[1] ? 0 : column < b->column_start[2] ? 1 : 2;
    int32_t own = column - b->column_start[*axis], nx = b->face[*axis]->nx;
    at[0] = own % nx, at[2] = own / nx;
    return own;
}

static void measure_faces(void *argument, int32_t begin, int32_t end)
{
    const builder *b = argument;
    for (int32_t column = begin; column < end; ++column)
    {
        int axis;
        int32_t at[3], own = locate(b, column, &axis, at);
        const pl__columns *f = b->face[axis];
        for (size_t r = f->start[own]; r < f->start[own + 1]; ++r)
            for (int32_t n = 0; n < pl__run_numbers(&f->run[r]); ++n)
            {
                at[1] = f->run[r].j0 + n;
                b->part[axis][f->run[r].first + n] = part_of_face(b, axis, at, f->run[r].first + n);
            }
    }
}

// The object that holds a face, if it turns.
static const pl__turning *turning_of(const builder *b, int axis, int32_t number)
{
    int32_t owner = b->def->boundary->owner[axis][number];
    const pl__turning *turning = b->def->boundary->turning;
    int32_t object = owner & ~PL__THIN_OWNER;
    return owner >= 0 && turning[object].turns ? &turning[object] : NULL;
}

// Places of unknown faces in padded columns.
static pl_status place_faces(const builder *b, pl__arena *arena)
{
    pl__strain *s = b->strain;
    PL_TRY(pl__padded_begin(arena, b->cell->nx, b->cell->nz, &s->padded));
    s->face_spot = PL_TAKE(arena, s->unknown_count + 1, int32_t);
    if (!s->face_spot)
        return PL_ERR_MEMORY;
    for (int pass = 0; pass < 2; ++pass)
    {
        for (int axis = 0; axis < 3; ++axis)
        {
            const pl__columns *f = b->face[axis];
            for (int32_t column = 0; column < f->nx * f->nz; ++column)
            {
                int32_t c = pl__padded_column(&s->padded, column % f->nx, column / f->nx), base = s->padded.base[c];
                for (size_t r = f->start[column]; r < f->start[column + 1]; ++r)
                    for (int32_t n = 0; n < pl__run_numbers(&f->run[r]); ++n)
                    {
                        int32_t i = s->index[axis][f->run[r].first + n], j = f->run[r].j0 + n;
                        if (i < 0 || i >= s->unknown_count)
                            continue;
                        if (pass == 0)
                            pl__padded_add(&s->padded, c, j, j);
                        else
                            s->face_spot[i] = base + j;
                    }
            }
        }
        if (pass == 0)
            pl__padded_end(&s->padded);
    }
    return PL_OK;
}

// Numbers of unknown and known faces.
static pl_status number_faces(builder *b, pl__arena *arena)
{
    pl__strain *s = b->strain;
    int32_t known = 0;
    for (int axis = 0; axis < 3; ++axis)
    {
        for (int32_t n = 0; n < b->face[axis]->value_count; ++n)
        {
            double part = b->part[axis][n];
            s->index[axis][n] = part >= 0 ? s->unknown_count++ : part == -1 ? known++ : -1;
            known += part == -1 && turning_of(b, axis, n) ? TURNED : 0;
        }
        s->axis_start[axis + 1] = s->unknown_count;
    }
    s->count = s->unknown_count + known + WALLS;
    s->number = PL_TAKE(arena, s->unknown_count + 1, int32_t);
    s->mass = PL_TAKE(arena, s->unknown_count + 1, double);
    s->known = PL_TAKE(arena, known + WALLS, double);
    s->slot = PL_TAKE(arena, 6 * (size_t)s->unknown_count + 1, int32_t);
    if (!s->number || !s->mass || !s->known || !s->slot)
        return PL_ERR_MEMORY;
    memset(s->slot, 0xff, 6 * (size_t)s->unknown_count * sizeof *s->slot);
    for (int axis = 0; axis < 3; ++axis)
        for (int32_t n = 0; n < b->face[axis]->value_count; ++n)
            if (b->part[axis][n] >= 0)
            {
                s->number[s->index[axis][n]] = n;
                s->mass[s->index[axis][n]] = b->part[axis][n];
            }
            else if (b->part[axis][n] == -1)
            {
                int32_t more = turning_of(b, axis, n) ? TURNED : 0;
                for (int32_t k = 0; k <= more; ++k)
                    s->known[s->index[axis][n] + k] = b->def->boundary->speed[axis][n];
                s->index[axis][n] += s->unknown_count;
            }
    memcpy(s->known + known, b->def->wall, WALLS * sizeof *s->known);
    return PL_OK;
}

// ---- rows ------------------------------------------------------------------------------------------------------

// Two faces of an axis, next to each other along a direction, and what the velocity between them is.
typedef struct pair
{
    int32_t face[2];
    bool unknown[2];
    double slope, theta; // theta < 1: a wall is between them
} pair;

static int32_t face_at(const builder *b, int axis, const int32_t at[3])
{
    int32_t n = number_at(b->face[axis], at);
    return n < 0 ? -1 : b->strain->index[axis][n];
}

// The pair that a side of the domain leaves: `end` is the one inside. False: there is no stress.
static bool pair_at_side(const builder *b, int axis, int side, int end, pair *p)
{
    int32_t inner = p->face[end];
    if (!b->def->closed[side])
    {
        p->face[1 - end] = inner;
        p->unknown[1 - end] = p->unknown[end];
        p->slope = 0;
        return true;
    }
    if (b->def->slip || cells_along(b, side / 2) == 1)
        return false;
    p->face[1 - end] = b->strain->count - WALLS + 3 * side + axis;
    p->slope = 2 / b->cell->h;
    return true;
}

// A wall that turns, between an unknown face and the known one at `at`, at the end `end` of a pair: its velocity there,
// theta h from the unknown one. So liquid that turns with it has no strain.
static void meet_turning_wall(const builder *b, int axis, int direction, const int32_t at[3], int end, pair *p)
{
    const pl__turning *t = turning_of(b, axis, number_at(b->face[axis], at));
    double x[3], h = b->cell->h;
    int i = axis, j = (axis + 1) % 3, k = (axis + 2) % 3;
    if (!t)
        return;
    pl__grid_point(b->face[axis], at[0], at[1], at[2], x);
    x[direction] += (end ? -1 : 1) * (1 - p->theta) * h;
    p->face[end] += 1 + 2 * direction + end;
    b->strain->known[p->face[end] - b->strain->unknown_count] =
        t->velocity[i] + t->angular[j] * (x[k] - t->at[k]) - t->angular[k] * (x[j] - t->at[j]);
}

// Faces (at - direction) and at. False: there is no stress between them.
static bool make_pair(const builder *b, int axis, int direction, const int32_t at[3], pair *p)
{
    const int32_t *e = unit[direction], below[3] = {at[0] - e[0], at[1] - e[1], at[2] - e[2]};
    double h = b->cell->h;
    bool beside = axis != direction, lower = beside && at[direction] == 0,
         upper = beside && at[direction] == cells_along(b, direction);
    *p = (pair){.face = {face_at(b, axis, below), face_at(b, axis, at)}, .slope = 1 / h, .theta = 1};
    for (int n = 0; n < 2; ++n)
        p->unknown[n] = p->face[n] >= 0 && p->face[n] < b->strain->unknown_count;
    if (lower || upper)
        return p->face[lower] >= 0 && pair_at_side(b, axis, 2 * direction + upper, lower, p);
    if (p->face[0] < 0 || p->face[1] < 0)
        return false;
    if (p->unknown[0] == p->unknown[1])
        return true;
    double in = face_distance(b, axis, p->unknown[0] ? below : at),
           out = face_distance(b, axis, p->unknown[0] ? at : below);
    p->theta = in > 0 && out < 0 ? fmax(in / (in - out), LEAST_THETA) : 1;
    p->slope = 1 / (h * p->theta);
    meet_turning_wall(b, axis, direction, p->unknown[0] ? at : below, p->unknown[0], p);
    return true;
}

static void fill_row(const pl__strain *s, int32_t n, const int direction[2], const pair p[2])
{
    pl__strain_sample *row = &s->sample[n];
    for (int q = 0; q < 2; ++q)
    {
        row->slope[q] = p[q].slope;
        for (int end = 0; end < 2; ++end)
        {
            row->face[2 * q + end] = p[q].face[end];
            // the face at the upper end of a sample has it at its lower one
            if (p[q].unknown[end] && p[q].slope != 0)
                s->slot[6 * (size_t)p[q].face[end] + (size_t)(2 * direction[q] + 1 - end)] = 2 * n + q;
        }
    }
}

// The open part of a sample: no less than what its walls leave.
static double open_part(const builder *b, const int32_t low[3], const int32_t high[3], double theta)
{
    double part = pl__open_part(distance_at(b, low, high), b->cell->h);
    return theta < 1 ? fmax(part, theta) : part;
}

// The three rows of a cell, if it has stresses.
static void add_cell(const builder *b, const int32_t at[3], int32_t n)
{
    pair p[3];
    double x[3], phi, theta = 1;
    bool unknown = false;
    for (int axis = 0; axis < 3; ++axis)
    {
        const int32_t *e = unit[axis], above[3] = {at[0] + e[0], at[1] + e[1], at[2] + e[2]};
        if (!make_pair(b, axis, axis, above, &p[axis]))
            return;
        unknown = unknown || p[axis].unknown[0] || p[axis].unknown[1];
        theta = fmin(theta, p[axis].theta);
    }
    pl__grid_point(b->cell, at[0], at[1], at[2], x);
    memcpy(b->strain->at[n / 3], at, 3 * sizeof *at);
    double part = unknown ? liquid_part(b, number_at(b->cell, at), x, &phi) * open_part(b, at, at, theta) : 0;
    for (int axis = 0; axis < 3 && part >= LEAST_PART; ++axis)
    {
        b->strain->sample[n + axis].weight = part;
        b->strain->place[n + axis] = number_at(b->cell, at);
        b->strain->spot[n + axis] = pl__padded_place(&b->strain->padded, at);
        fill_row(b->strain, n + axis, (int[2]){axis, axis},
                 (pair[2]){p[axis], {.face = {p[axis].face[0], p[axis].face[0]}}});
    }
}

// The row of the edge at the lower corner of cell `at`, in the plane of axes a and d.
static void add_edge(const builder *b, int a, int d, const int32_t at[3], int32_t n)
{
    pair p[2];
    double x[3], phi, h = b->cell->h;
    int32_t low[3];
    if (!make_pair(b, a, d, at, &p[0]) || !make_pair(b, d, a, at, &p[1]) ||
        !(p[0].unknown[0] || p[0].unknown[1] || p[1].unknown[0] || p[1].unknown[1]))
        return;
    pl__grid_point(b->cell, at[0], at[1], at[2], x);
    x[a] -= 0.5 * h, x[d] -= 0.5 * h;
    for (int i = 0; i < 3; ++i)
        low[i] = at[i] - unit[a][i] - unit[d][i];
    double part = liquid_part(b, number_at(b->cell, at), x, &phi) * open_part(b, low, at, fmin(p[0].theta, p[1].theta));
    part *= at[a] == 0 || at[a] == cells_along(b, a) ? 0.5 : 1; // beyond a side there is nothing
    part *= at[d] == 0 || at[d] == cells_along(b, d) ? 0.5 : 1;
    if (part < LEAST_PART)
        return;
    p[0].slope *= sqrt(0.5), p[1].slope *= sqrt(0.5);
    int m = 3 - a - d;
    b->strain->sample[n].weight = part;
    b->strain->plane[n - 3 * b->strain->cell_count] = (uint8_t)m;
    b->strain->spot[n] = pl__padded_place(&b->strain->padded, at);
    if (b->def->edges)
        b->strain->place[n] = number_at(&b->def->edges->edge[m], at);
    fill_row(b->strain, n, (int[2]){d, a}, p);
}

// Rows of a face: those of its lower edges, and of its upper ones if no face is there. Returns how many there may be;
// `fill`: make them, from n.
static int32_t rows_of_face(const builder *b, int axis, const int32_t at[3], bool fill, int32_t n)
{
    int32_t count = 0;
    for (int d = axis + 1; d < 3; ++d)
    {
        const int32_t *e = unit[d], above[3] = {at[0] + e[0], at[1] + e[1], at[2] + e[2]};
        bool last = face_at(b, axis, above) < 0;
        if (fill)
            add_edge(b, axis, d, at, n + count);
        if (fill && last)
            add_edge(b, axis, d, above, n + count + 1);
        count += 1 + last;
    }
    return count;
}

// Rows of a column of cells, or of faces. Returns what follows the last of them.
static int32_t rows_of_column(const builder *b, int32_t column, bool fill)
{
    int axis = column < b->row_start[1] ? -1 : column < b->row_start[2] ? 0 : 1;
    const pl__columns *c = axis < 0 ? b->cell : b->face[axis];
    int32_t own = column - b->row_start[axis + 1], at[3] = {own % c->nx, 0, own / c->nx},
            n = fill ? b->first[column] : 0;
    for (size_t r = c->start[own]; r < c->start[own + 1]; ++r)
        for (int32_t q = 0; q < pl__run_numbers(&c->run[r]); ++q)
        {
            int32_t number = c->run[r].first + q;
            at[1] = c->run[r].j0 + q;
            if (axis >= 0)
                n += b->strain->index[axis][number] >= 0 ? rows_of_face(b, axis, at, fill, n) : 0;
            else if (b->def->phi[number] < TOUCHED * c->h)
            {
                if (fill)
                    add_cell(b, at, n);
                n += 3;
            }
        }
    return n;
}

static void count_rows(void *argument, int32_t begin, int32_t end)
{
    const builder *b = argument;
    for (int32_t column = begin; column < end; ++column)
        b->first[column + 1] = rows_of_column(b, column, false);
}

static void fill_rows(void *argument, int32_t begin, int32_t end)
{
    const builder *b = argument;
    for (int32_t column = begin; column < end; ++column)
    {
        size_t rows = (size_t)(b->first[column + 1] - b->first[column]);
        memset(&b->strain->sample[b->first[column]], 0, rows * sizeof *b->strain->sample);
        (void)rows_of_column(b, column, true);
    }
}

// Whether some cell is near a solid.
static bool has_solids(const builder *b)
{
    const double *distance = b->def->boundary->distance;
    for (int32_t n = 0; distance && n < b->cell->value_count; ++n)
        if (distance[n] < b->cell->h)
            return true;
    return false;
}

static bool take_places(pl__arena *arena, pl__strain *s)
{
    s->place = PL_TAKE(arena, s->sample_count + 1, int32_t);
    s->at = (int32_t(*)[3])pl__arena_take(arena, (size_t)s->cell_count + 1, sizeof *s->at);
    s->plane = PL_TAKE(arena, s->sample_count - 3 * s->cell_count + 1, uint8_t);
    s->spot = PL_TAKE(arena, s->sample_count + 1, int32_t);
    return s->place && s->at && s->plane && s->spot;
}

pl_status pl__strain_make(pl_context *ctx, pl__arena *arena, const pl__strain_def *def, pl__strain *strain)
{
    const pl__grid *grid = def->grid;
    builder b = {
        .def = def, .cell = &grid->cell, .strain = strain, .ls = {&grid->cell, (double *)def->phi, def->far, NULL}};
    *strain = (pl__strain){0};
    for (int axis = 0; axis < 3; ++axis)
    {
        const pl__columns *f = b.face[axis] = &grid->face[axis];
        b.column_start[axis + 1] = b.column_start[axis] + f->nx * f->nz;
        b.part[axis] = PL_TAKE(arena, f->value_count + 1, double);
        strain->index[axis] = PL_TAKE(arena, f->value_count + 1, int32_t);
        if (!b.part[axis] || !strain->index[axis])
            return PL_ERR_MEMORY;
    }
    b.row_start[1] = b.cell->nx * b.cell->nz;
    b.row_start[2] = b.row_start[1] + b.column_start[1];
    b.row_start[3] = b.row_start[1] + b.column_start[2];
    b.first = PL_TAKE(arena, b.row_start[3] + 1, int32_t);
    if (!b.first)
        return PL_ERR_MEMORY;
    b.solids = has_solids(&b);
    pl__parallel_for(ctx, b.column_start[3], COLUMNS_PER_TASK, measure_faces, &b);
    PL_TRY(number_faces(&b, arena));
    PL_TRY(place_faces(&b, arena));
    pl__parallel_for(ctx, b.row_start[3], COLUMNS_PER_TASK, count_rows, &b);
    b.first[0] = 0;
    for (int32_t c = 0; c < b.row_start[3]; ++c)
        b.first[c + 1] += b.first[c];
    strain->cell_count = b.first[b.row_start[1]] / 3;
    strain->sample_count = b.first[b.row_start[3]];
    strain->sample = PL_TAKE(arena, strain->sample_count + 1, pl__strain_sample);
    if (!strain->sample || !take_places(arena, strain))
        return PL_ERR_MEMORY;
    pl__parallel_for(ctx, b.row_start[3], COLUMNS_PER_TASK, fill_rows, &b);
    return PL_OK;
}

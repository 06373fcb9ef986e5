// src/fluid/particles.c -- seeding, motion and correction by marker particles.
//
// Correction, for a particle of sign s, radius r at x with s phi(x) < 0, and each of the eight samples around it at c:
//
//     phi+(c) = max over s > 0 of (phi(c), r - |x - c|),    phi-(c) = min over s < 0 of (phi(c), |x - c| - r),
//
// and phi becomes the one nearer to 0. Maxima do not depend on the order. Against the paper, corrections are made as
// soon as a particle is on the wrong side (not beyond its radius), and radii begin at 0.02 h (not 0.1 h): as printed,
// the surface may drift by 0.1 h before anything is seen (Zalesak's disk at 100^2 loses 2.7 % instead of 0.6 %). Only
// with cubic advection: with linear, errors are larger than particles should follow.
//
// Few particles are on the wrong side (about one in thirty). Those are listed, sorted by columns, and each column takes
// what concerns it from the four lists around it: no two tasks write the same cell.
//
// What it does badly: it knows nothing of volume, and thin sheets are lost below 2 h.
#include "particles.h"
#include "base/random.h"
#include "base/task.h"
#include "boundary.h"

#include <math.h>
#include <string.h>

enum
{
    COLUMNS_PER_TASK = 32,
    PARTICLES_PER_TASK = 2048, // a multiple of the batch
    BYTES = 3 * sizeof(double) + sizeof(float) + 2,
    STEPS_OUTSIDE = 2, // after which an escaped particle is removed
    ATTRACTIONS = 15
};

// [cells]
static const double smallest_radius = 0.02, largest_radius = 0.5, lost = 1.5;

// ---- memory ----------------------------------------------------------------------------------------------------

// Point the arrays into memory for `capacity` particles, the widest first, so that all are aligned.
static void place(pl__particles *p, void *memory, size_t capacity)
{
    char *at = memory;
    for (int axis = 0; axis < 3; ++axis, at += capacity * sizeof(double))
        p->x[axis] = (double *)at;
    p->radius = (float *)at;
    p->sign = (int8_t *)(at + capacity * sizeof(float));
    p->escaped = (uint8_t *)p->sign + capacity;
    p->memory = memory;
    p->capacity = capacity;
}

void pl__particles_done(pl_context *ctx, pl__particles *p)
{
    pl__free(ctx, p->memory, p->capacity * BYTES);
    pl__free(ctx, p->spare, p->spare_capacity * BYTES);
    *p = (pl__particles){0};
}

void pl__strays_done(pl_context *ctx, pl__strays *s)
{
    PL_DELETE(ctx, s->item, s->capacity);
    *s = (pl__strays){0};
}

bool pl__particles_is_valid(const pl__particles *p)
{
    if (p->count < 0 || (size_t)p->count > p->capacity)
        return false;
    for (int32_t n = 0; n < p->count; ++n)
        if (!(p->radius[n] >= 0) || (p->sign[n] != 1 && p->sign[n] != -1))
            return false;
    return true;
}

// Make the spare memory hold `needed` particles. It is not copied: what is in it is of no use.
static pl_status reserve_spare(pl_context *ctx, pl__particles *p, size_t needed)
{
    if (needed <= p->spare_capacity)
        return PL_OK;
    size_t capacity = needed + needed / 4;
    void *memory = pl__alloc(ctx, capacity * BYTES);
    if (!memory)
        return PL_ERR_MEMORY;
    pl__free(ctx, p->spare, p->spare_capacity * BYTES);
    p->spare = memory;
    p->spare_capacity = capacity;
    return PL_OK;
}

static void copy(const pl__particles *from, int32_t i, pl__particles *to, int32_t n)
{
    for (int axis = 0; axis < 3; ++axis)
        to->x[axis][n] = from->x[axis][i];
    to->radius[n] = from->radius[i];
    to->sign[n] = from->sign[i];
    to->escaped[n] = from->escaped[i];
}

pl_status pl__particles_resize(pl_context *ctx, pl__particles *p, int32_t count)
{
    if ((size_t)count > p->capacity)
    {
        size_t capacity = (size_t)count + (size_t)count / 4;
        void *memory = pl__alloc(ctx, capacity * BYTES);
        if (!memory)
            return PL_ERR_MEMORY;
        pl__free(ctx, p->memory, p->capacity * BYTES);
        place(p, memory, capacity);
    }
    p->count = count;
    return PL_OK;
}

pl_status pl__particles_copy(pl_context *ctx, const pl__particles *from, pl__particles *to)
{
    size_t n = (size_t)from->count;
    PL_TRY(pl__particles_resize(ctx, to, from->count));
    if (n == 0)
        return PL_OK;
    for (int axis = 0; axis < 3; ++axis)
        memcpy(to->x[axis], from->x[axis], n * sizeof(double));
    memcpy(to->radius, from->radius, n * sizeof(float));
    memcpy(to->sign, from->sign, n);
    memcpy(to->escaped, from->escaped, n);
    return PL_OK;
}

// The uniform cell that contains a point, or -1.
static inline int32_t cell_at(const pl__columns *c, double x, double y, double z)
{
    double scale = 1 / c->h, i = (x - c->origin[0]) * scale + 0.5, j = (y - c->origin[1]) * scale + 0.5,
           k = (z - c->origin[2]) * scale + 0.5;
    if (!(i >= 0 && i < c->nx && j >= 0 && j < c->ny && k >= 0 && k < c->nz))
        return -1;
    int32_t column = (int32_t)i + c->nx * (int32_t)k, row = (int32_t)j;
    const pl__main_run *m = &c->main[column];
    return row >= m->j0 && row <= m->j1 ? m->base + row : pl__columns_uniform(c, column, row);
}

// ---- behind walls ----------------------------------------------------------------------------------------------
//
// A marker sees the samples around it that are connected to its cell through open sides. Where it does not see all
// eight, phi is linear around the center of its cell, with slopes by what that sees: exact for planes, like
// interpolation.

typedef struct pl__view
{
    double phi;
    int32_t cube[8]; // samples around, j fastest, then x; -1: hidden
} pl__view;

// Slope of phi at cell n along an axis, by its neighbours through open sides; `beside` are these [6].
static double open_slope(const pl__levelset *ls, int32_t n, const int32_t beside[6], int axis)
{
    int32_t low = beside[2 * axis], high = beside[2 * axis + 1];
    double phi = ls->phi[n], below = low < 0 ? 0 : phi - ls->phi[low], above = high < 0 ? 0 : ls->phi[high] - phi;
    double h = ls->cell->h;
    below = below > h ? h : below < -h ? -h : below;
    above = above > h ? h : above < -h ? -h : above;
    return low < 0 ? above : high < 0 ? below : 0.5 * (below + above);
}

// False: all is seen, and interpolation is right. A marker in a cell that is closed altogether sees nothing, and is
// neither right nor wrong: phi is 0.
static bool look(const pl__levelset *ls, double x, double y, double z, pl__view *view)
{
    enum
    {
        NEAR = 2 // cells from solids
    };
    const pl__columns *c = ls->cell;
    int32_t own = cell_at(c, x, y, z);
    if (own < 0 || fabs(ls->boundary->distance[own]) > NEAR * c->h)
        return false;
    pl__cube cube = pl__cube_at(c, x, y, z);
    int32_t number[8], first = -1, next = c->ny > 1;
    int flat = (cube.step[0] == 0) << 1 | (cube.step[1] == 0) << 2; // directions without another sample
    bool hidden = false, seen[8] = {false};
    for (int n = 0; n < 8; ++n)
    {
        int32_t column = cube.column + (n >> 1 & 1) * cube.step[0] + (n >> 2) * cube.step[1];
        number[n] = n & flat ? -1 : pl__columns_uniform(c, column, cube.j + (n & 1) * next);
        first = number[n] == own && first < 0 ? n : first;
    }
    if (first < 0)
        return false;
    seen[first] = true;
    for (int pass = 0; pass < 3; ++pass)
        for (int n = 0; n < 8; ++n)
            for (int bit = 0; bit < 3 && seen[n]; ++bit)
            {
                int axis = bit == 0 ? 1 : bit == 1 ? 0 : 2, side = 2 * axis + !(n >> bit & 1);
                if (number[n ^ 1 << bit] >= 0 && !(ls->boundary->sides[number[n]] >> side & 1))
                    seen[n ^ 1 << bit] = true;
            }
    for (int n = 0; n < 8; ++n)
    {
        hidden = hidden || (!seen[n] && number[n] >= 0);
        view->cube[n] = seen[n] ? number[n] : -1;
    }
    if (!hidden)
        return false;
    int32_t column, j;
    pl__columns_place(c, own, &column, &j);
    int32_t i = column % c->nx, k = column / c->nx, beside[6];
    double to[3] = {(x - c->origin[0]) / c->h - i, (y - c->origin[1]) / c->h - j, (z - c->origin[2]) / c->h - k};
    for (int side = 0; side < 6; ++side)
    {
        int32_t at[3] = {i, j, k};
        at[side / 2] += 2 * (side % 2) - 1;
        const pl__run *run = ls->boundary->sides[own] >> side & 1 ? NULL : pl__grid_run(c, at[0], at[1], at[2]);
        beside[side] = run && run->kind == PL__RUN_UNIFORM ? run->first + at[1] - run->j0 : -1;
    }
    view->phi = ls->phi[own];
    for (int axis = 0; axis < 3; ++axis)
        view->phi += to[axis] * open_slope(ls, own, beside, axis);
    if ((ls->boundary->sides[own] & PL__ALL_SIDES) == PL__ALL_SIDES)
        view->phi = 0;
    return true;
}

static double sample(const pl__levelset *ls, const double x[3])
{
    pl__view view;
    return ls->boundary && look(ls, x[0], x[1], x[2], &view) ? view.phi : pl__levelset_sample(ls, x[0], x[1], x[2]);
}

// Whether a marker sees a cell of the cube around it.
static bool sees(const pl__levelset *ls, const double x[3], int32_t cell)
{
    pl__view view;
    if (!ls->boundary || !look(ls, x[0], x[1], x[2], &view))
        return true;
    bool any = false;
    for (int n = 0; n < 8; ++n)
        any = any || view.cube[n] == cell;
    return any;
}

// Distances of particles [begin, begin + count) into their own side, for at most a batch.
static int32_t depths_of(pl_context *ctx, const pl__particles *p, const pl__levelset *ls, int32_t begin, int32_t end,
                         double *depth)
{
    const double *const x[3] = {p->x[0] + begin, p->x[1] + begin, p->x[2] + begin};
    int32_t count = end - begin < PL__FLOW_BATCH ? end - begin : PL__FLOW_BATCH;
    pl__levelset_sample_batch(ctx, ls, count, x, depth);
    for (int32_t n = 0; n < count; ++n)
    {
        pl__view view;
        if (ls->boundary && look(ls, x[0][n], x[1][n], x[2][n], &view))
            depth[n] = view.phi;
        depth[n] *= p->sign[begin + n];
    }
    return count;
}

// ---- motion ----------------------------------------------------------------------------------------------------

typedef struct moving
{
    const pl__particles *p;
    const pl__motion *motion;
    double time, dt;
    bool plane;
} moving;

static void move(void *argument, int32_t begin, int32_t end)
{
    const moving *job = argument;
    const pl__particles *p = job->p;
    double from[3][PL__FLOW_BATCH];
    for (int32_t n = begin; n < end; n += PL__FLOW_BATCH)
    {
        int32_t count = end - n < PL__FLOW_BATCH ? end - n : PL__FLOW_BATCH;
        double z[PL__FLOW_BATCH], *const x[3] = {p->x[0] + n, p->x[1] + n, job->plane ? z : p->x[2] + n};
        if (job->plane)
            memcpy(z, p->x[2] + n, (size_t)count * sizeof(double));
        if (job->motion->constrain)
            for (int axis = 0; axis < 3; ++axis)
                memcpy(from[axis], x[axis], (size_t)count * sizeof(double));
        pl__flow_trace(job->motion, job->time, job->dt, count, x);
        if (job->motion->constrain)
            job->motion->constrain(job->motion->user, job->time + job->dt, count,
                                   (const double *const[3]){from[0], from[1], from[2]}, x);
    }
}

void pl__particles_move(pl_context *ctx, pl__particles *p, const pl__columns *cell, const pl__motion *motion,
                        double time, double dt)
{
    moving job = {p, motion, time, dt, cell->nz == 1};
    pl__parallel_for(ctx, p->count, PARTICLES_PER_TASK, move, &job);
}

// ---- correction ------------------------------------------------------------------------------------------------

typedef struct correction
{
    pl_context *ctx;
    const pl__particles *p;
    const pl__levelset *ls;
    bool count_escapes;
    int32_t *list;         // [count] those on the wrong side, by tasks
    int32_t *listed;       // [tasks]
    int32_t *start;        // [columns + 1] the same sorted by the columns of their cubes
    int32_t *order;        // [number of them]
    double *above, *below; // [value_count] phi+ and phi- of the cells around them
} correction;

static void find_escaped(void *argument, int32_t begin, int32_t end)
{
    correction *job = argument;
    const pl__particles *p = job->p;
    double limit = -lost * job->ls->cell->h, depth[PL__FLOW_BATCH];
    int32_t *out = job->list + begin;
    for (int32_t first = begin, count; first < end; first += count)
    {
        count = depths_of(job->ctx, p, job->ls, first, end, depth);
        for (int32_t n = 0; n < count; ++n)
        {
            uint8_t *escaped = &p->escaped[first + n];
            double lost_here = p->sign[first + n] > 0 ? p->lost_in_liquid : p->lost_in_air;
            if (job->count_escapes && lost_here > 0)
                *escaped = depth[n] < -lost_here * job->ls->cell->h ? STEPS_OUTSIDE : 0;
            else if (job->count_escapes)
                *escaped = (uint8_t)(depth[n] < limit ? *escaped + (*escaped < 255) : 0);
            *out = first + n;
            out += depth[n] < 0 && !(lost_here > 0 && *escaped >= STEPS_OUTSIDE);
        }
    }
    job->listed[begin / PARTICLES_PER_TASK] = (int32_t)(out - (job->list + begin));
}

static pl__cube cube_of(const correction *job, int32_t n)
{
    const pl__particles *p = job->p;
    return pl__cube_at(job->ls->cell, p->x[0][n], p->x[1][n], p->x[2][n]);
}

// Close the gaps between the lists of the tasks. Returns the number of all.
static int32_t join_lists(int32_t *list, const int32_t *listed, int32_t particle_count)
{
    int32_t count = 0;
    for (int32_t task = 0; task < pl__chunk_count(particle_count, PARTICLES_PER_TASK); ++task)
    {
        memmove(list + count, list + (size_t)task * PARTICLES_PER_TASK, (size_t)listed[task] * sizeof(int32_t));
        count += listed[task];
    }
    return count;
}

// Sort what is listed by columns.
static void sort_escaped(const correction *job, int32_t count)
{
    int32_t columns = job->ls->cell->nx * job->ls->cell->nz, sum = 0;
    memset(job->start, 0, ((size_t)columns + 1) * sizeof(int32_t));
    for (int32_t n = 0; n < count; ++n)
        job->start[cube_of(job, job->list[n]).column]++;
    for (int32_t column = 0; column <= columns; ++column)
    {
        int32_t here = job->start[column];
        job->start[column] = sum;
        sum += here;
    }
    for (int32_t n = 0; n < count; ++n)
        job->order[job->start[cube_of(job, job->list[n]).column]++] = job->list[n];
    memmove(job->start + 1, job->start, (size_t)columns * sizeof(int32_t));
    job->start[0] = 0;
}

typedef void cell_function(const correction *job, int32_t particle, int32_t cell, const double center[3]);

// Call `work` for the cells of a column among the eight around each listed particle.
static void visit(const correction *job, int32_t column, cell_function *work)
{
    const pl__columns *c = job->ls->cell;
    int32_t k = column / c->nx, i = column - k * c->nx;
    for (int side = 0; side < 4; ++side)
    {
        int32_t from_i = i - (side & 1), from_k = k - (side >> 1);
        if (from_i < 0 || from_k < 0)
            continue;
        int32_t from = from_i + c->nx * from_k;
        for (int32_t n = job->start[from]; n < job->start[from + 1]; ++n)
        {
            int32_t j = cube_of(job, job->order[n]).j;
            for (int32_t row = j; row <= j + 1 && row < c->ny; ++row)
            {
                int32_t cell = pl__columns_uniform(c, column, row);
                double center[3] = {c->origin[0] + c->h * i, c->origin[1] + c->h * row, c->origin[2] + c->h * k};
                if (cell >= 0)
                    work(job, job->order[n], cell, center);
            }
        }
    }
}

static void begin_cell(const correction *job, int32_t particle, int32_t cell, const double center[3])
{
    (void)particle, (void)center;
    job->above[cell] = job->below[cell] = job->ls->phi[cell];
}

static void contain(const correction *job, int32_t particle, int32_t cell, const double center[3])
{
    const pl__particles *p = job->p;
    double x[3], d[3];
    for (int axis = 0; axis < 3; ++axis)
    {
        x[axis] = p->x[axis][particle];
        d[axis] = center[axis] - x[axis];
    }
    if (!sees(job->ls, x, cell))
        return;
    double sphere = (double)p->radius[particle] - sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    if (p->sign[particle] > 0)
        job->above[cell] = sphere > job->above[cell] ? sphere : job->above[cell];
    else
        job->below[cell] = -sphere < job->below[cell] ? -sphere : job->below[cell];
}

static void end_cell(const correction *job, int32_t particle, int32_t cell, const double center[3])
{
    (void)particle, (void)center;
    double above = job->above[cell], below = job->below[cell];
    job->ls->phi[cell] = fabs(above) <= fabs(below) ? above : below;
}

static void correct_columns(void *argument, int32_t begin, int32_t end)
{
    const correction *job = argument;
    for (int32_t column = begin; column < end; ++column)
    {
        visit(job, column, begin_cell);
        visit(job, column, contain);
        visit(job, column, end_cell);
    }
}

static bool take_lists(correction *job, pl__arena *scratch)
{
    const pl__columns *c = job->ls->cell;
    job->list = PL_TAKE(scratch, job->p->count, int32_t);
    job->listed = PL_TAKE(scratch, pl__chunk_count(job->p->count, PARTICLES_PER_TASK), int32_t);
    job->start = PL_TAKE(scratch, (size_t)(c->nx * c->nz) + 1, int32_t);
    job->order = PL_TAKE(scratch, job->p->count, int32_t);
    job->above = PL_TAKE(scratch, c->value_count, double);
    job->below = PL_TAKE(scratch, c->value_count, double);
    return job->list && job->listed && job->start && job->order && job->above && job->below;
}

pl_status pl__particles_correct(pl_context *ctx, pl__particles *p, const pl__levelset *ls, bool count_escapes,
                                pl__arena *scratch)
{
    pl__arena_mark mark = pl__arena_set_mark(scratch);
    correction job = {.ctx = ctx, .p = p, .ls = ls, .count_escapes = count_escapes};
    bool taken = take_lists(&job, scratch);
    if (taken)
    {
        pl__parallel_for(ctx, p->count, PARTICLES_PER_TASK, find_escaped, &job);
        sort_escaped(&job, join_lists(job.list, job.listed, p->count));
        pl__parallel_for(ctx, ls->cell->nx * ls->cell->nz, COLUMNS_PER_TASK, correct_columns, &job);
    }
    pl__arena_release(scratch, mark);
    return taken ? PL_OK : PL_ERR_MEMORY;
}

// ---- radii and removal -----------------------------------------------------------------------------------------

static float radius_at(double depth, double h)
{
    double r = depth / h;
    return (float)(h * (r > smallest_radius ? (r < largest_radius ? r : largest_radius) : smallest_radius));
}

typedef struct finishing
{
    pl_context *ctx;
    const pl__particles *p;
    const pl__levelset *ls;
    int32_t *list, *listed; // as above: those to be removed
    uint8_t *stray;         // [count] whether they were on the wrong side
} finishing;

static void set_radii(void *argument, int32_t begin, int32_t end)
{
    finishing *job = argument;
    const pl__particles *p = job->p;
    int32_t *out = job->list + begin;
    double depth[PL__FLOW_BATCH], h = job->ls->cell->h;
    for (int32_t first = begin, count; first < end; first += count)
    {
        count = depths_of(job->ctx, p, job->ls, first, end, depth);
        for (int32_t n = 0; n < count; ++n)
        {
            int32_t i = first + n;
            double x = p->x[0][i], y = p->x[1][i], z = p->x[2][i];
            p->radius[i] = depth[n] >= 0 ? radius_at(depth[n], h) : p->radius[i];
            if (p->escaped[i] < STEPS_OUTSIDE && cell_at(job->ls->cell, x, y, z) >= 0)
                continue;
            job->stray[i] = depth[n] < 0 && isfinite(x + y + z);
            *out++ = i;
        }
    }
    job->listed[begin / PARTICLES_PER_TASK] = (int32_t)(out - (job->list + begin));
}

// The last particle takes the place of each that is removed, from the end on.
static pl_status remove_listed(pl_context *ctx, pl__particles *p, const finishing *job, int32_t count,
                               pl__strays *strays)
{
    if (!PL_GROW(ctx, strays->item, &strays->capacity, strays->count + (size_t)count))
        return PL_ERR_MEMORY;
    for (int32_t n = 0; n < count; ++n)
    {
        int32_t i = job->list[n];
        if (job->stray[i])
            strays->item[strays->count++] = (pl__stray){{p->x[0][i], p->x[1][i], p->x[2][i]}, p->radius[i], p->sign[i]};
    }
    while (count-- > 0)
        copy(p, --p->count, p, job->list[count]);
    return PL_OK;
}

pl_status pl__particles_finish(pl_context *ctx, pl__particles *p, const pl__levelset *ls, pl__arena *scratch,
                               pl__strays *strays)
{
    pl__arena_mark mark = pl__arena_set_mark(scratch);
    finishing job = {.ctx = ctx, .p = p, .ls = ls};
    pl_status status = PL_ERR_MEMORY;
    job.list = PL_TAKE(scratch, p->count, int32_t);
    job.listed = PL_TAKE(scratch, pl__chunk_count(p->count, PARTICLES_PER_TASK), int32_t);
    job.stray = PL_TAKE(scratch, p->count, uint8_t);
    if (job.list && job.listed && job.stray)
    {
        pl__parallel_for(ctx, p->count, PARTICLES_PER_TASK, set_radii, &job);
        int32_t count = join_lists(job.list, job.listed, p->count);
        status = count ? remove_listed(ctx, p, &job, count, strays) : PL_OK;
    }
    pl__arena_release(scratch, mark);
    return status;
}

// ---- seeding ---------------------------------------------------------------------------------------------------

typedef enum fate
{
    FATE_DROPPED,
    FATE_INSIDE,
    FATE_ESCAPED // on the wrong side: kept, and not counted
} fate;

typedef struct seeding
{
    const pl__particles *p;
    const pl__levelset *ls;
    const pl__particles_def *def;
    uint64_t step;
    const uint8_t *where; // [cells] 1: these only; NULL: all
    bool attract;         // seed; else reseed
    uint8_t *fate;        // [count]
    int32_t *cell;        // [count]
    int32_t *start;       // [value_count + 1] particles sorted by cells
    int32_t *order;       // [count]
    int32_t *first;       // [columns + 1] of the new particles
    pl__particles to;
} seeding;

static void decide_fates(void *argument, int32_t begin, int32_t end)
{
    const seeding *job = argument;
    const pl__particles *p = job->p;
    for (int32_t n = begin; n < end; ++n)
    {
        double x = p->x[0][n], y = p->x[1][n], z = p->x[2][n];
        job->cell[n] = cell_at(job->ls->cell, x, y, z);
        job->fate[n] = job->cell[n] < 0 ? FATE_DROPPED : FATE_ESCAPED;
        if (job->cell[n] < 0 || (job->where && !job->where[job->cell[n]]))
            continue; // of other cells all are kept
        double depth = p->sign[n] * sample(job->ls, (const double[3]){x, y, z});
        job->fate[n] = depth > job->def->band * job->ls->cell->h ? FATE_DROPPED
                       : depth < 0                               ? FATE_ESCAPED
                                                                 : FATE_INSIDE;
    }
}

static void sort_by_cells(const seeding *job)
{
    int32_t count = job->p->count, cells = job->ls->cell->value_count, sum = 0;
    memset(job->start, 0, ((size_t)cells + 1) * sizeof(int32_t));
    for (int32_t n = 0; n < count; ++n)
        if (job->fate[n] != FATE_DROPPED)
            job->start[job->cell[n]]++;
    for (int32_t cell = 0; cell <= cells; ++cell)
    {
        int32_t here = job->start[cell];
        job->start[cell] = sum;
        sum += here;
    }
    for (int32_t n = 0; n < count; ++n)
        if (job->fate[n] != FATE_DROPPED)
            job->order[job->start[job->cell[n]]++] = n;
    memmove(job->start + 1, job->start, (size_t)cells * sizeof(int32_t));
    job->start[0] = 0;
}

static double depth_at(const seeding *job, const double x[3], int sign) { return sign * sample(job->ls, x); }

static bool is_in_band(const seeding *job, const double x[3], int sign)
{
    double depth = depth_at(job, x, sign) / job->ls->cell->h;
    return depth >= smallest_radius && depth <= job->def->band && cell_at(job->ls->cell, x[0], x[1], x[2]) >= 0;
}

// Along the gradient of phi to the level `goal`, in shorter steps when one would leave the cells.
static bool attract(const seeding *job, double goal, int sign, double x[3])
{
    double e = 0.5 * job->ls->cell->h, length = 1;
    for (int n = 0; n < ATTRACTIONS; ++n)
    {
        double g[3], square = 0, to[3];
        for (int axis = 0; axis < 3; ++axis)
        {
            double a[3] = {x[0], x[1], x[2]}, b[3] = {x[0], x[1], x[2]};
            a[axis] -= e, b[axis] += e;
            g[axis] = depth_at(job, b, 1) - depth_at(job, a, 1);
            square += g[axis] * g[axis];
        }
        double way = length * (goal - depth_at(job, x, 1)) / (sqrt(square) + 1e-12 * e);
        for (int axis = 0; axis < 3; ++axis)
            to[axis] = x[axis] + way * g[axis];
        if (cell_at(job->ls->cell, to[0], to[1], to[2]) < 0)
        {
            length *= 0.5;
            continue;
        }
        memcpy(x, to, sizeof to);
        if (is_in_band(job, x, sign))
            return true;
    }
    return false;
}

// Candidate n of a sign for a cell. False: it fell outside the band.
static bool draw(const seeding *job, int32_t column, int32_t j, int sign, int32_t n, double x[3])
{
    const pl__columns *c = job->ls->cell;
    int32_t at[3] = {column % c->nx, j, column / c->nx};
    uint64_t cell = (uint64_t)column * (uint64_t)c->ny + (uint64_t)j;
    uint64_t index = ((cell * 2 + (sign > 0)) * 65536 + (uint64_t)n) * 4;
    for (int axis = 0; axis < 3; ++axis)
    {
        double u = axis == 2 && c->nz == 1 ? 0.5 : pl__random01(job->def->seed, job->step, index + (uint64_t)axis);
        x[axis] = c->origin[axis] + c->h * (at[axis] - 0.5 + u);
    }
    if (!job->attract)
        return is_in_band(job, x, sign);
    double u = pl__random01(job->def->seed, job->step, index + 3);
    return attract(job, sign * (smallest_radius + (job->def->band - smallest_radius) * u) * c->h, sign, x);
}

// How many particles of a sign a cell should have: as many as its part on that side, by its distance [cells].
static int32_t wanted(const seeding *job, int sign, double distance)
{
    if (job->attract)
        return fabs(distance) < job->def->band + 1.4 ? job->def->per_cell : 0;
    if (fabs(distance) > job->def->band + 0.5)
        return 0;
    double half = job->ls->cell->nz == 1 ? 0.7 : 0.9, part = 0.5 + 0.5 * sign * distance / half;
    return (int32_t)(job->def->per_cell * (part > 0 ? (part < 1 ? part : 1) : 0));
}

// Fill one cell: kept particles, then new ones. Writes from `at` on when asked to, and returns the end.
static int32_t fill_cell(const seeding *job, int32_t column, int32_t j, int32_t cell, int32_t at, bool write)
{
    pl__particles to = job->to;
    int32_t kept[2] = {0, 0};
    for (int32_t n = job->start[cell]; n < job->start[cell + 1]; ++n)
    {
        int32_t i = job->order[n], *same = &kept[job->p->sign[i] > 0];
        if (job->fate[i] == FATE_INSIDE && (*same)++ >= 2 * job->def->per_cell)
            continue;
        if (write)
            copy(job->p, i, &to, at);
        ++at;
    }
    if (job->where && !job->where[cell])
        return at;
    double distance = job->ls->phi[cell] / job->ls->cell->h;
    for (int sign = -1; sign <= 1; sign += 2)
        for (int32_t n = kept[sign > 0]; n < wanted(job, sign, distance); ++n)
        {
            double x[3];
            if (!draw(job, column, j, sign, n, x))
                continue;
            for (int axis = 0; axis < 3 && write; ++axis)
                to.x[axis][at] = x[axis];
            if (write)
            {
                to.sign[at] = (int8_t)sign;
                to.escaped[at] = 0;
                to.radius[at] = radius_at(depth_at(job, x, sign), job->ls->cell->h);
            }
            ++at;
        }
    return at;
}

static int32_t fill_column(const seeding *job, int32_t column, int32_t at, bool write)
{
    const pl__columns *c = job->ls->cell;
    for (size_t r = c->start[column]; r < c->start[column + 1]; ++r)
    {
        const pl__run *run = &c->run[r];
        for (int32_t j = run->j0; run->kind == PL__RUN_UNIFORM && j <= run->j1; ++j)
            at = fill_cell(job, column, j, run->first + j - run->j0, at, write);
    }
    return at;
}

static void count_new(void *argument, int32_t begin, int32_t end)
{
    const seeding *job = argument;
    for (int32_t column = begin; column < end; ++column)
        job->first[column] = fill_column(job, column, 0, false);
}

static void write_new(void *argument, int32_t begin, int32_t end)
{
    const seeding *job = argument;
    for (int32_t column = begin; column < end; ++column)
        (void)fill_column(job, column, job->first[column], true);
}

static bool take_seeding(seeding *job, pl__arena *scratch)
{
    const pl__columns *c = job->ls->cell;
    job->fate = PL_TAKE(scratch, job->p->count, uint8_t);
    job->cell = PL_TAKE(scratch, job->p->count, int32_t);
    job->order = PL_TAKE(scratch, job->p->count, int32_t);
    job->start = PL_TAKE(scratch, (size_t)c->value_count + 1, int32_t);
    job->first = PL_TAKE(scratch, (size_t)(c->nx * c->nz) + 1, int32_t);
    return job->fate && job->cell && job->order && job->start && job->first;
}

// Count, make room, write.
static pl_status fill(pl_context *ctx, pl__particles *p, seeding *job, pl__arena *scratch)
{
    const pl__columns *c = job->ls->cell;
    int32_t columns = c->nx * c->nz;
    int64_t sum = 0;
    if (!take_seeding(job, scratch))
        return PL_ERR_MEMORY;
    pl__parallel_for(ctx, p->count, PARTICLES_PER_TASK, decide_fates, job);
    sort_by_cells(job);
    pl__parallel_for(ctx, columns, COLUMNS_PER_TASK, count_new, job);
    for (int32_t column = 0; column < columns; ++column)
    {
        int32_t here = job->first[column];
        job->first[column] = (int32_t)sum;
        sum += here;
        if (sum > INT32_MAX - 1)
            return pl__fail(ctx, PL_ERR_MEMORY, "a liquid has more than 2^31 particles; use larger cells");
    }
    PL_TRY(reserve_spare(ctx, p, (size_t)sum));
    place(&job->to, p->spare, p->spare_capacity);
    pl__parallel_for(ctx, columns, COLUMNS_PER_TASK, write_new, job);
    // the spare memory is the new one
    job->to.spare = p->memory;
    job->to.spare_capacity = p->capacity;
    job->to.count = (int32_t)sum;
    *p = job->to;
    return PL_OK;
}

pl_status pl__particles_seed(pl_context *ctx, pl__particles *p, const pl__levelset *ls, const pl__particles_def *def,
                             uint64_t step, pl__arena *scratch)
{
    pl__arena_mark mark = pl__arena_set_mark(scratch);
    int32_t count = p->count;
    seeding job = {.p = p, .ls = ls, .def = def, .step = step, .attract = true};
    p->count = 0; // the old ones are not kept
    pl_status status = fill(ctx, p, &job, scratch);
    p->count = status == PL_OK ? p->count : count;
    pl__arena_release(scratch, mark);
    return status;
}

pl_status pl__particles_reseed_in(pl_context *ctx, pl__particles *p, const pl__levelset *ls,
                                  const pl__particles_def *def, const uint8_t *where, uint64_t step, pl__arena *scratch)
{
    pl__arena_mark mark = pl__arena_set_mark(scratch);
    seeding job = {.p = p, .ls = ls, .def = def, .step = step, .where = where};
    pl_status status = fill(ctx, p, &job, scratch);
    pl__arena_release(scratch, mark);
    return status;
}

pl_status pl__particles_reseed(pl_context *ctx, pl__particles *p, const pl__levelset *ls, const pl__particles_def *def,
                               uint64_t step, pl__arena *scratch)
{
    return pl__particles_reseed_in(ctx, p, ls, def, NULL, step, scratch);
}

// src/fluid/vortex.c -- birth, motion and push of vortex particles; confinement.
#include "vortex.h"
#include "base/random.h"
#include "base/task.h"
#include "math/quat.h"

#include <math.h>
#include <string.h>

enum
{
    REACH = 3, // of the kernel [cells]
    FACES = (2 * REACH + 2) * (2 * REACH + 2) * (2 * REACH + 2),
    COLUMNS_PER_TASK = 64
};

void pl__vortices_done(pl_context *ctx, pl__vortices *v)
{
    PL_DELETE(ctx, v->vortex, v->capacity);
    *v = (pl__vortices){0};
}

pl_status pl__vortices_copy(pl_context *ctx, const pl__vortices *from, pl__vortices *to)
{
    if (!PL_GROW(ctx, to->vortex, &to->capacity, (size_t)from->count + 1))
        return PL_ERR_MEMORY;
    if (from->count > 0)
        memcpy(to->vortex, from->vortex, (size_t)from->count * sizeof *to->vortex);
    to->count = from->count;
    return PL_OK;
}

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void cross(const double a[3], const double b[3], double c[3])
{
    for (int i = 0; i < 3; ++i)
        c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

// ---- motion ----------------------------------------------------------------------------------------------------

// Of a vector that grows along with the flow, no longer than `most`.
static void stretch(const double gradient[3][3], double dt, double most, double w[3])
{
    double change[3] = {dot(gradient[0], w), dot(gradient[1], w), dot(gradient[2], w)};
    for (int i = 0; i < 3; ++i)
        w[i] += dt * change[i];
    double length = sqrt(dot(w, w));
    for (int i = 0; i < 3 && length > most; ++i)
        w[i] *= most / length;
}

static void trace(pl__vortex *v, int32_t count, const pl__motion *motion, double dt)
{
    double x[3][PL__FLOW_BATCH], from[3][PL__FLOW_BATCH];
    for (int a = 0; a < 3; ++a)
        for (int32_t n = 0; n < count; ++n)
            from[a][n] = x[a][n] = v[n].x[a];
    double *const to[3] = {x[0], x[1], x[2]};
    pl__flow_trace(motion, 0, dt, count, to);
    if (motion->constrain)
        motion->constrain(motion->user, dt, count, (const double *const[3]){from[0], from[1], from[2]}, to);
    for (int a = 0; a < 3; ++a)
        for (int32_t n = 0; n < count; ++n)
            v[n].x[a] = x[a][n];
}

void pl__vortices_move(pl__vortices *v, const pl__vortex_source *source, const pl__grid *grid, double *const u[3],
                       const pl__motion *motion, double dt)
{
    int32_t left = 0;
    for (int32_t n = 0; n < v->count; ++n)
    {
        pl__vortex p = v->vortex[n];
        double gradient[3][3];
        p.age += dt;
        if (p.age >= source[p.source].life)
            continue;
        pl__grid_gradient(grid, u, p.x, gradient);
        stretch((const double(*)[3])gradient, dt, source[p.source].vorticity, p.vorticity);
        v->vortex[left++] = p;
    }
    v->count = left;
    for (int32_t first = 0, count; first < v->count; first += count)
    {
        count = v->count - first < PL__FLOW_BATCH ? v->count - first : PL__FLOW_BATCH;
        trace(v->vortex + first, count, motion, dt);
    }
}

// ---- birth -----------------------------------------------------------------------------------------------------

// A random point of the unit ball, the first of some of the cube around it that is inside; with `unit` its direction.
static void point_anywhere(uint64_t seed, uint64_t stream, uint64_t key, bool unit, double w[3])
{
    double size2 = 2;
    for (uint64_t n = 0; n < 10 && (size2 > 1 || size2 < 1e-4); ++n)
    {
        for (uint64_t i = 0; i < 3; ++i)
            w[i] = 2 * pl__random01(seed, stream, key + 3 * n + i) - 1;
        size2 = dot(w, w);
    }
    for (int i = 0; i < 3 && (unit || size2 > 1); ++i)
        w[i] /= sqrt(size2);
}

// The place in the world of point `at` of an object, at the part t of the way that it goes in a step.
static void place_on(const pl__object *object, const double at[3], double t, double x[3])
{
    pl_vec3 local = {{at[0], at[1], at[2]}};
    pl_vec3 before = pl_quat_turn(object->turned_before, local), after = pl_quat_turn(object->turned, local);
    for (int i = 0; i < 3; ++i)
        x[i] = (1 - t) * (object->before[i] + before.v[i]) + t * (object->at[i] + after.v[i]);
}

static pl__vortex newborn(const pl__vortex_source *s, int32_t index, const pl__obstacles *obstacles, uint64_t seed,
                          uint64_t number, bool plane)
{
    uint64_t stream = 0x766f727400000000ull + (uint64_t)index, key = 64 * number;
    pl__vortex p = {.source = index};
    double offset[3], t = pl__random01(seed, stream, key + 60);
    point_anywhere(seed, stream, key, false, offset);
    point_anywhere(seed, stream, key + 30, true, p.vorticity);
    if (plane)
    {
        p.vorticity[0] = p.vorticity[1] = offset[2] = 0;
        p.vorticity[2] = p.vorticity[2] < 0 ? -1 : 1;
    }
    memcpy(p.x, s->at, sizeof p.x);
    if (s->object >= 0)
        place_on(&obstacles->object[s->object], s->at, t, p.x);
    for (int i = 0; i < 3; ++i)
    {
        p.x[i] += s->radius * offset[i];
        p.vorticity[i] *= s->vorticity;
    }
    return p;
}

// How many have been born by a time.
static int64_t born_by(const pl__vortex_source *s, double time)
{
    double until = time < s->end ? time : s->end;
    return until > s->start ? (int64_t)floor(s->rate * (until - s->start)) : 0;
}

pl_status pl__vortices_bear(pl_context *ctx, pl__vortices *v, const pl__vortex_source *source, int32_t source_count,
                            const pl__obstacles *obstacles, bool plane, double time, double dt, uint64_t seed)
{
    for (int32_t k = 0; k < source_count; ++k)
    {
        int64_t first = born_by(&source[k], time), last = born_by(&source[k], time + dt);
        for (int64_t n = first; n < last && v->count < PL__VORTICES_MOST; ++n)
        {
            if (!PL_GROW(ctx, v->vortex, &v->capacity, (size_t)v->count + 1))
                return PL_ERR_MEMORY;
            v->vortex[v->count++] = newborn(&source[k], k, obstacles, seed, (uint64_t)n, plane);
        }
    }
    return PL_OK;
}

// ---- push ------------------------------------------------------------------------------------------------------

// Number of the uniform cell of liquid at (i, j, k), or -1.
static int32_t liquid_cell(const pl__swirl *s, int32_t i, int32_t j, int32_t k)
{
    const pl__columns *c = &s->grid->cell;
    if (i < 0 || j < 0 || k < 0 || i >= c->nx || j >= c->ny || k >= c->nz)
        return -1;
    int32_t n = pl__columns_uniform(c, i + c->nx * k, j);
    return n >= 0 && s->liquid[n] ? n : -1;
}

// Number of a face between two uniform cells of liquid that is all open, or -1.
static int32_t liquid_face(const pl__swirl *s, int axis, int32_t i, int32_t j, int32_t k)
{
    if (liquid_cell(s, i, j, k) < 0 || liquid_cell(s, i - (axis == 0), j - (axis == 1), k - (axis == 2)) < 0)
        return -1;
    int32_t n = pl__grid_face(s->grid, i, j, k, axis, 0);
    return n >= 0 && s->boundary->open[axis][n] >= 1 ? n : -1;
}

// The cell of a point.
static void cell_of(const pl__columns *c, const double x[3], int32_t at[3])
{
    for (int a = 0; a < 3; ++a)
    {
        double i = floor((x[a] - c->origin[a]) * c->inverse_h + 0.5);
        at[a] = i > -1 ? (i < 1e9 ? (int32_t)i : 1000000000) : -1;
    }
}

// Faces of an axis that a particle pushes, each along it.
typedef struct touch
{
    int32_t face[FACES];
    double push[FACES], weight[FACES];
    int count;
} touch;

static void touch_face(const pl__swirl *s, const pl__vortex *p, double scale, int axis, int32_t number,
                       const double x[3], touch *t)
{
    double h = s->grid->cell.h, d[3] = {x[0] - p->x[0], x[1] - p->x[1], x[2] - p->x[2]}, swirl[3];
    if (s->grid->cell.nz == 1)
        d[2] = 0;
    double far2 = dot(d, d), part = 1 - far2 / (REACH * REACH * h * h);
    if (part <= 0)
        return;
    cross(p->vorticity, d, swirl);
    t->face[t->count] = number;
    t->weight[t->count] = part * part;
    t->push[t->count++] = scale * h * swirl[axis] / sqrt(far2 + h * h) * part * part;
}

// Add what a particle does to the faces of an axis, without its mean.
static void push_axis(const pl__swirl *s, const pl__vortex *p, const int32_t at[3], double scale, int axis, double *du)
{
    touch t = {.count = 0};
    double sum = 0, weight = 0;
    int32_t deep = s->grid->cell.nz > 1 ? REACH : 0;
    for (int32_t k = at[2] - deep; k <= at[2] + deep + (deep > 0 && axis == 2); ++k)
        for (int32_t i = at[0] - REACH; i <= at[0] + REACH + (axis == 0); ++i)
            for (int32_t j = at[1] - REACH; j <= at[1] + REACH + (axis == 1); ++j)
            {
                int32_t number = liquid_face(s, axis, i, j, k);
                double x[3];
                if (number < 0)
                    continue;
                pl__grid_point(&s->grid->face[axis], i, j, k, x);
                touch_face(s, p, scale, axis, number, x, &t);
            }
    for (int n = 0; n < t.count; ++n)
        sum += t.push[n], weight += t.weight[n];
    for (int n = 0; n < t.count; ++n)
        du[t.face[n]] += t.push[n] - t.weight[n] * sum / weight;
}

// How much of its vorticity the water around a particle lacks, in [0, 1].
static double lack_of(const pl__swirl *s, double *const u[3], const pl__vortex *p)
{
    double g[3][3], size2 = dot(p->vorticity, p->vorticity);
    if (!(size2 > 0))
        return 0;
    pl__grid_gradient(s->grid, u, p->x, g);
    double curl[3] = {g[2][1] - g[1][2], g[0][2] - g[2][0], g[1][0] - g[0][1]};
    return fmax(0, fmin(1, 1 - dot(curl, p->vorticity) / size2));
}

// Energy of the water that turns with a particle, at most v / 2 in w x d / 2: (w^2 / 8) rho integral of (d sin)^2 xi^2
// over the ball of its kernel, which is (w^2 / 8) rho (2 / 3) 4 pi R^5 times the integral of t^4 (1 - t^2)^4 from 0 to
// 1, 128 / 15015.
static double swirl_energy(const pl__swirl *s, const pl__vortex *p)
{
    double r = REACH * s->grid->cell.h;
    return dot(p->vorticity, p->vorticity) / 8 * s->density * 8 * M_PI / 3 * r * r * r * r * r * 128 / 15015;
}

// The energy a s + b s^2 [J] of changes s du of u.
static void energy_of(const pl__swirl *s, double *const u[3], double *const du[3], double *a, double *b)
{
    double h = s->grid->cell.h, mass = s->density * h * h * h;
    *a = *b = 0;
    for (int axis = 0; axis < 3; ++axis)
        for (int32_t n = 0; n < s->grid->face[axis].value_count; ++n)
        {
            *a += mass * du[axis][n] * u[axis][n];
            *b += 0.5 * mass * du[axis][n] * du[axis][n];
        }
}

static bool take_changes(const pl__swirl *s, pl__arena *scratch, double *du[3])
{
    for (int axis = 0; axis < 3; ++axis)
    {
        du[axis] = PL_TAKE(scratch, s->grid->face[axis].value_count + 1, double);
        if (!du[axis])
            return false;
        memset(du[axis], 0, (size_t)s->grid->face[axis].value_count * sizeof(double));
    }
    return true;
}

// Largest s in [0, 1] with a s + b s^2 <= most.
static double largest_scale(double a, double b, double most)
{
    if (a + b <= most || !(b > 0))
        return 1;
    double root = sqrt(a * a + 4 * b * most);
    return fmin(1, a > 0 ? 2 * most / (a + root) : (root - a) / (2 * b));
}

static void apply(const pl__swirl *s, double scale, double *const du[3], double *const u[3])
{
    for (int axis = 0; axis < 3; ++axis)
        for (int32_t n = 0; n < s->grid->face[axis].value_count; ++n)
            u[axis][n] += scale * du[axis][n];
}

// Energy that a step may give: that of the sources' powers, or of the swirl of their particles.
static double allowance(const pl__vortices *v, const pl__vortex_source *source, int32_t source_count,
                        const pl__swirl *s)
{
    double sum = 0;
    for (int32_t k = 0; k < source_count; ++k)
        sum += source[k].power * s->dt;
    for (int32_t n = 0; n < v->count; ++n)
    {
        const pl__vortex_source *from = &source[v->vortex[n].source];
        sum += from->power > 0 ? 0 : from->strength * s->dt * swirl_energy(s, &v->vortex[n]);
    }
    return sum;
}

static void keep_those_in_liquid(pl__vortices *v, const pl__swirl *s)
{
    int32_t left = 0;
    for (int32_t n = 0; n < v->count; ++n)
    {
        int32_t at[3];
        cell_of(&s->grid->cell, v->vortex[n].x, at);
        if (liquid_cell(s, at[0], at[1], at[2]) >= 0)
            v->vortex[left++] = v->vortex[n];
    }
    v->count = left;
}

pl_status pl__vortices_push(pl__vortices *v, const pl__vortex_source *source, int32_t source_count, const pl__swirl *s,
                            pl__arena *scratch, double *const u[3], double *power)
{
    double *du[3], a, b;
    *power = 0;
    if (v->count == 0)
        return PL_OK;
    if (!take_changes(s, scratch, du))
        return PL_ERR_MEMORY;
    keep_those_in_liquid(v, s);
    for (int32_t n = 0; n < v->count; ++n)
    {
        const pl__vortex *p = &v->vortex[n];
        const pl__vortex_source *from = &source[p->source];
        int32_t at[3];
        double scale = s->dt * from->strength * (1 - p->age / from->life) * lack_of(s, u, p);
        cell_of(&s->grid->cell, p->x, at);
        for (int axis = 0; axis < 3; ++axis)
            push_axis(s, p, at, scale, axis, du[axis]);
    }
    energy_of(s, u, du, &a, &b);
    double scale = largest_scale(a, b, allowance(v, source, source_count, s));
    apply(s, scale, du, u);
    *power = (a * scale + b * scale * scale) / s->dt;
    return PL_OK;
}

// ---- confinement -----------------------------------------------------------------------------------------------

typedef struct confinement
{
    const pl__swirl *s;
    const double *u[3];
    double *vorticity[3], *size; // [numbers of cells] at centers; size is -1 where it is not known
    double *push[3];             // [numbers of cells] at centers [m/s]
    double strength;
} confinement;

// Velocity at the center of a uniform cell.
static void center_velocity(const confinement *c, int32_t i, int32_t j, int32_t k, double v[3])
{
    for (int axis = 0; axis < 3; ++axis)
        v[axis] = 0.5 * (c->u[axis][pl__grid_face(c->s->grid, i, j, k, axis, 0)] +
                         c->u[axis][pl__grid_face(c->s->grid, i, j, k, axis, 1)]);
}

// curl u of a cell all of whose neighbours are liquid; false: it is not.
static bool curl_at(const confinement *c, const int32_t at[3], double w[3])
{
    const pl__columns *cell = &c->s->grid->cell;
    const int32_t n[3] = {cell->nx, cell->ny, cell->nz};
    double change[3][3] = {{0}}; // along each axis, over two cells
    for (int axis = 0; axis < 3; ++axis)
    {
        double v[2][3];
        for (int end = 0; end < 2 && n[axis] > 1; ++end)
        {
            int32_t to[3] = {at[0], at[1], at[2]};
            to[axis] += 2 * end - 1;
            if (liquid_cell(c->s, to[0], to[1], to[2]) < 0)
                return false;
            center_velocity(c, to[0], to[1], to[2], v[end]);
        }
        for (int a = 0; a < 3 && n[axis] > 1; ++a)
            change[axis][a] = (v[1][a] - v[0][a]) / (2 * cell->h);
    }
    for (int a = 0; a < 3; ++a)
        w[a] = change[(a + 1) % 3][(a + 2) % 3] - change[(a + 2) % 3][(a + 1) % 3];
    return true;
}

// grad |w|, by the neighbours that know theirs.
static void size_gradient(const confinement *c, const int32_t at[3], double size, double g[3])
{
    for (int axis = 0; axis < 3; ++axis)
    {
        double side[2] = {size, size};
        int known = 0;
        for (int end = 0; end < 2; ++end)
        {
            int32_t to[3] = {at[0], at[1], at[2]};
            to[axis] += 2 * end - 1;
            int32_t n = liquid_cell(c->s, to[0], to[1], to[2]);
            if (n < 0 || c->size[n] < 0)
                continue;
            side[end] = c->size[n];
            ++known;
        }
        g[axis] = known ? (side[1] - side[0]) / (known * c->s->grid->cell.h) : 0;
    }
}

typedef void visit(const confinement *c, const int32_t at[3], int32_t number);

static void visit_columns(const confinement *c, int32_t begin, int32_t end, visit *call)
{
    const pl__columns *cell = &c->s->grid->cell;
    for (int32_t column = begin; column < end; ++column)
        for (size_t r = cell->start[column]; r < cell->start[column + 1]; ++r)
        {
            const pl__run *run = &cell->run[r];
            for (int32_t n = 0; n < pl__run_numbers(run); ++n)
            {
                const int32_t at[3] = {column % cell->nx, run->j0 + n, column / cell->nx};
                int32_t number = run->first + n;
                if (run->kind == PL__RUN_UNIFORM && c->s->liquid[number])
                    call(c, at, number);
            }
        }
}

static void find_curl(const confinement *c, const int32_t at[3], int32_t n)
{
    double w[3];
    if (!curl_at(c, at, w))
        return;
    for (int a = 0; a < 3; ++a)
        c->vorticity[a][n] = w[a];
    c->size[n] = sqrt(dot(w, w));
}

static void find_push(const confinement *c, const int32_t at[3], int32_t n)
{
    if (c->size[n] < 0)
        return;
    double h = c->s->grid->cell.h, g[3], w[3] = {c->vorticity[0][n], c->vorticity[1][n], c->vorticity[2][n]}, push[3];
    size_gradient(c, at, c->size[n], g);
    cross(g, w, push);
    for (int a = 0; a < 3; ++a)
        c->push[a][n] = c->s->dt * c->strength * h * h * push[a];
}

static void curl_columns(void *argument, int32_t begin, int32_t end) { visit_columns(argument, begin, end, find_curl); }
static void push_columns(void *argument, int32_t begin, int32_t end) { visit_columns(argument, begin, end, find_push); }

// Half of the push of each cell to the faces around it.
static void share(const confinement *c, double *const du[3])
{
    const pl__columns *cell = &c->s->grid->cell;
    for (int32_t column = 0; column < cell->nx * cell->nz; ++column)
        for (size_t r = cell->start[column]; r < cell->start[column + 1]; ++r)
        {
            const pl__run *run = &cell->run[r];
            for (int32_t j = run->j0; run->kind == PL__RUN_UNIFORM && j <= run->j1; ++j)
            {
                int32_t n = run->first + j - run->j0, i = column % cell->nx, k = column / cell->nx;
                if (!c->s->liquid[n] || c->size[n] < 0)
                    continue;
                for (int axis = 0; axis < 3; ++axis)
                    for (int end = 0; end < 2; ++end)
                    {
                        int32_t face = liquid_face(c->s, axis, i + end * (axis == 0), j + end * (axis == 1),
                                                   k + end * (axis == 2));
                        if (face >= 0)
                            du[axis][face] += 0.5 * c->push[axis][n];
                    }
            }
        }
}

pl_status pl__confine(pl_context *ctx, const pl__swirl *s, double strength, pl__arena *scratch, double *const u[3],
                      double *power)
{
    confinement c = {.s = s, .u = {u[0], u[1], u[2]}, .strength = strength};
    const pl__columns *cell = &s->grid->cell;
    double *du[3], a, b, *room[7];
    for (int k = 0; k < 7; ++k)
    {
        room[k] = PL_TAKE(scratch, cell->value_count + 1, double);
        if (!room[k])
            return PL_ERR_MEMORY;
    }
    for (int k = 0; k < 3; ++k)
        c.vorticity[k] = room[k], c.push[k] = room[3 + k];
    c.size = room[6];
    if (!take_changes(s, scratch, du))
        return PL_ERR_MEMORY;
    for (int32_t n = 0; n < cell->value_count; ++n)
        c.size[n] = -1;
    pl__parallel_for(ctx, cell->nx * cell->nz, COLUMNS_PER_TASK, curl_columns, &c);
    pl__parallel_for(ctx, cell->nx * cell->nz, COLUMNS_PER_TASK, push_columns, &c);
    share(&c, du);
    energy_of(s, u, du, &a, &b);
    apply(s, 1, du, u);
    *power = (a + b) / s->dt;
    return PL_OK;
}

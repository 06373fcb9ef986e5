// src/fluid/surface.c -- marching over columns: find the cubes that are crossed, number, place vertices, join them.
//
// Samples (i, j, k) are those of the cells, and two more at either end of each axis: -1 and n in the plane of the wall,
// with the number of the cell next to it, then -2 and n + 1 in the same place, without liquid. Cube (i, j, k) has
// sample (i, j, k) as its lowest corner and owns the vertices on the three edges from there, in the order of the axes.
//
//     1  count cubes, vertices and triangles of each column of cubes
//     2  sum up, take memory: nothing has changed yet
//     3  list the cubes with their first vertex and triangle; place the vertices
//     4  triangles of each cube, by the lists of the four columns that own vertices on its edges
//     5  velocities
//
// Rows in which all four columns of a cube are the same tall cell or nothing are skipped at once.
#include "surface.h"
#include "base/task.h"
#include "marching_cubes.h"

#include <math.h>

enum
{
    COLUMNS_PER_TASK = 32,
    VERTICES_PER_TASK = 2048,
    NUMBERS_PER_TASK = 16384
};

enum
{
    TALL = -1, // instead of the number of a sample
    NONE = -2
};

typedef struct pl__surface_cube
{
    int32_t row, vertex, triangle; // the first ones that it owns
    uint8_t liquid, joined;        // corners and faces
} cube;

typedef struct pl__surface_tally
{
    int64_t cube, vertex, triangle;
} tally;

typedef struct march
{
    const pl__liquid_surface_def *def;
    const pl__columns *cell;
    const double *phi; // united with solids
    double far;        // of liquid in tall cells, and of samples without liquid that have no number
    int32_t n[3];
    int32_t width; // columns of cubes along x
    pl__liquid_surface *surface;
    pl__cube_loops apart[256]; // of all cubes without a joined face
    uint8_t ambiguous[256];    // faces
} march;

static void make_cases(march *m)
{
    for (uint32_t liquid = 0; liquid < 256; ++liquid)
    {
        pl__cube_find_loops(liquid, 0, &m->apart[liquid]);
        m->ambiguous[liquid] = (uint8_t)pl__cube_ambiguous(liquid);
    }
}

// The loops of a cube; `scratch` is for those that are rare.
static const pl__cube_loops *loops_of(const march *m, uint32_t liquid, uint32_t joined, pl__cube_loops *scratch)
{
    if (joined)
        pl__cube_find_loops(liquid, joined, scratch);
    return joined ? scratch : &m->apart[liquid];
}

// ---- crossed cubes -------------------------------------------------------------------------------------------------

// Rows up to `end` of a column of samples: uniform ones, or one value for all.
typedef struct stretch
{
    int32_t column, end;
    size_t run, run_end; // next ones
    bool uniform;
    int32_t base; // row j has the number base + j
    double value;
} stretch;

static inline int32_t clamped(int32_t i, int32_t n) { return i < 0 ? 0 : i < n ? i : n - 1; }

static stretch open_column(const march *m, int32_t i, int32_t k)
{
    stretch s = {.column = -1, .end = -3};
    if (i < -1 || i > m->n[0] || k < -1 || k > m->n[2])
        return s;
    s.column = clamped(i, m->n[0]) + m->n[0] * clamped(k, m->n[2]);
    s.run = m->cell->start[s.column];
    s.run_end = m->cell->start[s.column + 1];
    return s;
}

// Move to the stretch with row j.
static void move_to_row(const march *m, stretch *s, int32_t j)
{
    int32_t ny = m->n[1], row = clamped(j, ny);
    s->uniform = false;
    s->value = m->far;
    s->end = j < -1 && s->column >= 0 ? -2 : INT32_MAX;
    if (s->column < 0 || j < -1 || j > ny)
        return;
    while (s->run < s->run_end && m->cell->run[s->run].j1 < row)
        ++s->run;
    if (s->run == s->run_end)
        return;
    const pl__run *run = &m->cell->run[s->run];
    s->end = run->j1 == ny - 1 ? ny : run->j1;
    if (run->j0 > row)
        s->end = run->j0 - 1;
    else if (run->kind != PL__RUN_UNIFORM)
        s->value = -m->far;
    else if (j != row) // on the wall
    {
        s->value = m->phi[run->first + row - run->j0];
        s->end = j;
    }
    else
    {
        s->uniform = true;
        s->base = run->first - run->j0;
        s->end = run->j1;
    }
}

static inline double value_at(const march *m, const stretch *s, int32_t j)
{
    return s->uniform ? m->phi[s->base + j] : s->value;
}

// The row after j, not beyond `end`, up to which the signs of four columns stay as they are in row j, all alike.
static int32_t skip_rows(const march *m, const stretch s[4], int32_t j, int32_t end, bool liquid)
{
    if (!s[0].uniform && !s[1].uniform && !s[2].uniform && !s[3].uniform)
        return end;
    while (j < end)
    {
        int same = 1;
        for (int q = 0; q < 4; ++q)
            same &= (value_at(m, &s[q], j + 1) < 0) == liquid;
        if (!same)
            break;
        ++j;
    }
    return j;
}

// Add the cube above `row` to the sums and, unless it is NULL, to the list of cubes.
static void add_cube(const march *m, int32_t row, uint32_t liquid, const double phi[8], tally *sum, cube *list)
{
    uint32_t joined = m->ambiguous[liquid] ? pl__cube_joined(liquid, phi) : 0;
    pl__cube_loops scratch;
    const pl__cube_loops *loops = loops_of(m, liquid, joined, &scratch);
    if (list)
        list[sum->cube] = (cube){row, (int32_t)sum->vertex, (int32_t)sum->triangle, (uint8_t)liquid, (uint8_t)joined};
    sum->cube++;
    for (int axis = 0; axis < 3; ++axis)
        sum->vertex += (liquid >> (1 << axis) ^ liquid) & 1;
    for (int32_t l = 0; l < loops->count; ++l)
    {
        sum->vertex += loops->centered[l];
        sum->triangle += pl__cube_loop_triangles(loops, l);
    }
}

// All crossed cubes of a column of cubes. Columns of samples are numbered dx + 2 dz.
static void walk_column(const march *m, int32_t i, int32_t k, tally *sum, cube *list)
{
    stretch s[4];
    double below[4] = {m->far, m->far, m->far, m->far}, phi[8];
    uint32_t under = 0; // which of them are liquid in the row below
    for (int q = 0; q < 4; ++q)
        s[q] = open_column(m, i + (q & 1), k + (q >> 1));
    for (int32_t j = -1; j <= m->n[1] + 1; ++j)
    {
        uint32_t here = 0;
        int32_t end = m->n[1] + 1;
        for (int q = 0; q < 4; ++q)
        {
            if (s[q].end < j)
                move_to_row(m, &s[q], j);
            end = s[q].end < end ? s[q].end : end;
            int corner = (q & 1) + 4 * (q >> 1);
            phi[corner] = below[q];
            phi[corner + 2] = below[q] = value_at(m, &s[q], j);
            here |= (uint32_t)(below[q] < 0) << q;
        }
        uint32_t lower = (under & 3) | (under & 12) << 2, upper = (here & 3) | (here & 12) << 2;
        uint32_t liquid = lower | upper << 2;
        if (liquid != 0 && liquid != 255)
            add_cube(m, j - 1, liquid, phi, sum, list);
        under = here;
        if (here == 0 || here == 15)
        {
            j = skip_rows(m, s, j, end, here == 15);
            for (int q = 0; q < 4; ++q)
                below[q] = value_at(m, &s[q], j);
        }
    }
}

// ---- vertices ------------------------------------------------------------------------------------------------------

// Number of a sample among those of the cells, TALL or NONE.
static int32_t number_inside(const march *m, const int32_t s[3])
{
    for (int axis = 0; axis < 3; ++axis)
        if (s[axis] < 0 || s[axis] >= m->n[axis])
            return NONE;
    int32_t column = s[0] + m->n[0] * s[2], number = pl__columns_uniform(m->cell, column, s[1]);
    return number >= 0 ? number : pl__columns_find(m->cell, column, s[1]) ? TALL : NONE;
}

static double coordinate(const march *m, int axis, int32_t i)
{
    double at = i < 0 ? -0.5 : i < m->n[axis] ? (double)i : m->n[axis] - 0.5;
    return m->cell->origin[axis] + m->cell->h * at;
}

// The root in [0, 1] of the cubic through f[1] and f[2], of opposite signs, with the slopes of Catmull and Rom there.
static double cubic_root(const double f[4])
{
    double b = 0.5 * (f[2] - f[0]), c = f[0] - 2.5 * f[1] + 2 * f[2] - 0.5 * f[3],
           d = 0.5 * (f[3] - f[0]) + 1.5 * (f[1] - f[2]);
    double low = 0, high = 1, t = f[1] / (f[1] - f[2]);
    for (int n = 0; n < 60; ++n)
    {
        double p = f[1] + t * (b + t * (c + t * d)), slope = b + t * (2 * c + t * 3 * d);
        if ((p < 0) == (f[1] < 0))
            low = t;
        else
            high = t;
        double next = t - p / slope;
        if (!(next > low && next < high)) // also where the slope is zero
            next = p == 0 ? t : 0.5 * (low + high);
        if (fabs(next - t) <= 1e-16)
            return next;
        t = next;
    }
    return t;
}

// An edge between two samples, one of them liquid.
typedef struct edge
{
    int axis;
    int32_t a[3], b[3]; // its samples, moved from walls to the cells next to them
    int32_t number[4];  // of the samples in line, a and b in the middle; NONE beyond walls
    bool from_a;        // a is liquid
} edge;

static edge make_edge(const march *m, const int32_t s[3], int axis, bool from_a)
{
    edge e = {.axis = axis, .from_a = from_a};
    for (int i = 0; i < 3; ++i)
        e.a[i] = e.b[i] = i == axis ? s[i] : clamped(s[i], m->n[i]);
    for (int i = 0; i < 4; ++i)
    {
        int32_t at[3] = {e.a[0], e.a[1], e.a[2]};
        at[axis] += i - 1;
        e.number[i] = number_inside(m, at);
    }
    e.b[axis]++;
    return e;
}

// Where `sign * (value + shift)` vanishes along an edge; it is negative at the end with liquid.
static double root(const march *m, const edge *e, const double *value, double shift, double sign)
{
    double f[4];
    bool cubic = true;
    for (int i = 0; i < 4; ++i)
    {
        cubic = cubic && e->number[i] >= 0;
        f[i] = e->number[i] >= 0 ? sign * (value[e->number[i]] + shift) : -m->far;
    }
    double line = f[1] / (f[1] - f[2]), t = cubic ? cubic_root(f) : line;
    return t >= 0 && t <= 1 ? t : 0.5; // numbers that are not finite
}

// Which function vanishes at a vertex.
typedef enum side
{
    LIQUID,
    SOLID,
    CELL
} side;

// Distance of the vertex from a, as a part of the edge.
static double place(const march *m, const edge *e, side *which)
{
    int32_t inner = e->number[e->from_a ? 1 : 2], outer = e->number[e->from_a ? 2 : 1];
    const double *solid = m->def->solid;
    double overlap = m->def->overlap;
    *which = CELL;
    if (outer < 0)
    {
        double part = solid && inner >= 0 ? (solid[inner] + overlap) / m->cell->h : 0.5;
        part = part < 0.5 ? part : 0.5;
        return e->from_a ? part : 1 - part;
    }
    double t = e->from_a ? 1 : 0;
    if (!(m->def->phi[outer] < 0))
    {
        t = root(m, e, m->def->phi, 0, 1);
        *which = LIQUID;
    }
    if (solid && !(-(solid[outer] + overlap) < 0))
    {
        double other = root(m, e, solid, overlap, -1);
        if (*which != LIQUID || (e->from_a ? other < t : other > t))
        {
            t = other;
            *which = SOLID;
        }
    }
    return t;
}

// Differences at a sample per cell, central where there are samples on both sides.
static void gradient(const march *m, const double *value, const int32_t s[3], double g[3])
{
    int32_t here = number_inside(m, s);
    for (int axis = 0; axis < 3 && here >= 0; ++axis)
    {
        int32_t at[3] = {s[0], s[1], s[2]};
        at[axis] = s[axis] - 1;
        int32_t low = number_inside(m, at);
        at[axis] = s[axis] + 1;
        int32_t high = number_inside(m, at);
        double scale = low >= 0 && high >= 0 ? 0.5 : 1;
        g[axis] = scale * (value[high >= 0 ? high : here] - value[low >= 0 ? low : here]);
    }
}

// Along the gradient of what vanishes there, or along the edge.
static void find_normal(const march *m, const edge *e, double t, side which, double normal[3])
{
    double a[3] = {0}, b[3] = {0}, sign = which == SOLID ? -1 : 1, length = 0;
    if (which != CELL)
    {
        const double *value = which == SOLID ? m->def->solid : m->def->phi;
        gradient(m, value, e->a, a);
        gradient(m, value, e->b, b);
    }
    for (int i = 0; i < 3; ++i)
    {
        normal[i] = sign * ((1 - t) * a[i] + t * b[i]);
        length += normal[i] * normal[i];
    }
    length = sqrt(length);
    bool good = length > 0 && length < 1e300;
    for (int i = 0; i < 3; ++i)
        normal[i] = good ? normal[i] / length : i != e->axis ? 0 : e->from_a ? 1 : -1;
}

static void add_vertex(const march *m, const int32_t s[3], int axis, bool from_a, int32_t vertex)
{
    edge e = make_edge(m, s, axis, from_a);
    side which;
    double t = place(m, &e, &which), normal[3];
    find_normal(m, &e, t, which, normal);
    for (int i = 0; i < 3; ++i)
    {
        double at = coordinate(m, i, s[i]), end = i == axis ? coordinate(m, i, s[i] + 1) : at;
        m->surface->x[i][vertex] = at + t * (end - at);
        m->surface->normal[i][vertex] = normal[i];
    }
}

static void add_vertices(const march *m, int32_t i, int32_t k, const cube *c)
{
    int32_t s[3] = {i, c->row, k}, vertex = c->vertex;
    for (int axis = 0; axis < 3; ++axis)
        if ((c->liquid >> (1 << axis) ^ c->liquid) & 1)
            add_vertex(m, s, axis, c->liquid & 1, vertex++);
}

// ---- triangles -----------------------------------------------------------------------------------------------------

// The vertex that a cube owns on the edge from its lowest corner along an axis; 3: the first one after those.
static int32_t owned_vertex(const cube *c, int axis)
{
    int32_t vertex = c->vertex;
    for (int i = 0; i < axis; ++i)
        vertex += (c->liquid >> (1 << i) ^ c->liquid) & 1;
    return vertex;
}

// The cube of a list, which starts at or above row - 1, that is at `row`; one of the first two, for the list is sorted.
static const cube *at_row(const cube *list, const cube *end, int32_t row)
{
    if (list < end && list->row < row)
        ++list;
    PL_ASSERT(list < end && list->row == row);
    return list;
}

// The vertex of each edge in the loops. `list` and `end` are of the columns dx + 2 dz.
static void find_vertices(const cube *c, const pl__cube_loops *loops, const cube *const list[4],
                          const cube *const end[4], int32_t vertex[PL__CUBE_EDGES])
{
    for (int32_t i = 0; i < loops->start[loops->count]; ++i)
    {
        uint32_t begin = pl__cube_edge_begin(loops->edge[i]), q = (begin & 1) + 2 * (begin >> 2);
        const cube *owner = at_row(list[q], end[q], c->row + (int32_t)(begin >> 1 & 1));
        vertex[i] = owned_vertex(owner, loops->edge[i] >> 2);
    }
}

// A vertex in the middle of others.
static void add_middle(const march *m, int32_t count, const int32_t *around, int32_t vertex)
{
    double length = 0;
    for (int i = 0; i < 3; ++i)
    {
        double x = 0, normal = 0;
        for (int32_t n = 0; n < count; ++n)
        {
            x += m->surface->x[i][around[n]];
            normal += m->surface->normal[i][around[n]];
        }
        m->surface->x[i][vertex] = x / count;
        m->surface->normal[i][vertex] = normal;
        length += normal * normal;
    }
    length = sqrt(length);
    for (int i = 0; i < 3; ++i)
        m->surface->normal[i][vertex] = length > 0 ? m->surface->normal[i][vertex] / length : i == 1;
}

static void add_triangles(const march *m, const cube *c, const cube *const list[4], const cube *const end[4])
{
    pl__cube_loops scratch;
    const pl__cube_loops *loops = loops_of(m, c->liquid, c->joined, &scratch);
    int32_t vertex[PL__CUBE_EDGES], middle = owned_vertex(c, 3), *out = m->surface->triangle + 3 * (size_t)c->triangle;
    find_vertices(c, loops, list, end, vertex);
    for (int32_t l = 0; l < loops->count; ++l)
    {
        const int32_t *around = vertex + loops->start[l];
        int32_t count = pl__cube_loop_length(loops, l), triangles = pl__cube_loop_triangles(loops, l);
        bool centered = loops->centered[l];
        if (centered)
            add_middle(m, count, around, middle);
        for (int32_t n = 0; n < triangles; ++n, out += 3)
        {
            int32_t first = centered ? n : n + 1;
            out[0] = centered ? middle : around[0];
            out[1] = around[first];
            out[2] = around[(first + 1) % count];
        }
        middle += centered;
    }
}

// ---- tasks: columns of cubes [begin, end) ---------------------------------------------------------------------------

static void count_columns(void *argument, int32_t begin, int32_t end)
{
    const march *m = argument;
    for (int32_t column = begin; column < end; ++column)
    {
        m->surface->sum[column + 1] = (tally){0};
        walk_column(m, column % m->width - 2, column / m->width - 2, &m->surface->sum[column + 1], NULL);
    }
}

static void fill_columns(void *argument, int32_t begin, int32_t end)
{
    const march *m = argument;
    const tally *sum = m->surface->sum;
    for (int32_t column = begin; column < end; ++column)
    {
        if (sum[column].cube == sum[column + 1].cube)
            continue;
        tally next = sum[column];
        int32_t i = column % m->width - 2, k = column / m->width - 2;
        walk_column(m, i, k, &next, m->surface->cube);
        for (int64_t c = sum[column].cube; c < next.cube; ++c)
            add_vertices(m, i, k, &m->surface->cube[c]);
    }
}

static void join_columns(void *argument, int32_t begin, int32_t end)
{
    const march *m = argument;
    const tally *sum = m->surface->sum;
    int32_t columns = m->width * (m->n[2] + 3);
    for (int32_t column = begin; column < end; ++column)
    {
        const cube *list[4], *last[4];
        for (int q = 0; q < 4; ++q)
        {
            int32_t other = column + (q & 1) + m->width * (q >> 1);
            other = other < columns ? other : column; // beyond the last one there is no vertex
            list[q] = m->surface->cube + sum[other].cube;
            last[q] = m->surface->cube + sum[other + 1].cube;
        }
        for (const cube *c = list[0], *stop = last[0]; c < stop; ++c)
        {
            for (int q = 0; q < 4; ++q)
                while (list[q] < last[q] && list[q]->row < c->row)
                    ++list[q];
            add_triangles(m, c, list, last);
        }
    }
}

static void unite_numbers(void *argument, int32_t begin, int32_t end)
{
    const march *m = argument;
    const double *phi = m->def->phi, *solid = m->def->solid;
    for (int32_t i = begin; i < end; ++i)
    {
        double in_solid = -(solid[i] + m->def->overlap);
        m->surface->united[i] = phi[i] < in_solid ? in_solid : phi[i];
    }
}

static void find_velocities(void *argument, int32_t begin, int32_t end)
{
    const march *m = argument;
    const pl__liquid_surface *s = m->surface;
    const double *const x[3] = {s->x[0] + begin, s->x[1] + begin, s->x[2] + begin};
    double *const v[3] = {s->v[0] + begin, s->v[1] + begin, s->v[2] + begin};
    for (int32_t i = begin; i < end; ++i)
        s->v[0][i] = s->v[1][i] = s->v[2][i] = 0;
    if (m->def->flow)
        m->def->flow(m->def->flow_user, m->def->time, end - begin, x, v);
}

// ---- the surface ---------------------------------------------------------------------------------------------------

static double **vertex_array(pl__liquid_surface *s, int i)
{
    return i < 3 ? &s->x[i] : i < 6 ? &s->v[i - 3] : &s->normal[i - 6];
}

void pl__liquid_surface_done(pl_context *ctx, pl__liquid_surface *s)
{
    for (int i = 0; i < 9; ++i)
        PL_DELETE(ctx, *vertex_array(s, i), s->vertex_capacity[i]);
    PL_DELETE(ctx, s->triangle, s->triangle_capacity);
    PL_DELETE(ctx, s->cube, s->cube_capacity);
    PL_DELETE(ctx, s->sum, s->sum_capacity);
    PL_DELETE(ctx, s->united, s->united_capacity);
    *s = (pl__liquid_surface){0};
}

// Memory for so many; contents stay.
static pl_status reserve(pl_context *ctx, pl__liquid_surface *s, const tally *need)
{
    if (need->vertex > INT32_MAX || need->triangle > INT32_MAX / 3 || need->cube > INT32_MAX)
        return pl__fail(ctx, PL_ERR_MEMORY,
                        "the surface of a liquid has more than 2^31 / 3 triangles; use larger cells");
    for (int i = 0; i < 9; ++i)
        if (!PL_GROW(ctx, *vertex_array(s, i), &s->vertex_capacity[i], (size_t)need->vertex))
            return PL_ERR_MEMORY;
    if (!PL_GROW(ctx, s->triangle, &s->triangle_capacity, 3 * (size_t)need->triangle) ||
        !PL_GROW(ctx, s->cube, &s->cube_capacity, (size_t)need->cube))
        return PL_ERR_MEMORY;
    return PL_OK;
}

static void sum_up(tally *sum, int32_t columns)
{
    sum[0] = (tally){0};
    for (int32_t column = 0; column < columns; ++column)
    {
        sum[column + 1].cube += sum[column].cube;
        sum[column + 1].vertex += sum[column].vertex;
        sum[column + 1].triangle += sum[column].triangle;
    }
}

pl_status pl__liquid_surface_make(pl_context *ctx, const pl__liquid_surface_def *def, pl__liquid_surface *s)
{
    const pl__columns *c = def->cell;
    march m = {.def = def, .cell = c, .phi = def->phi, .far = 4 * c->h, .n = {c->nx, c->ny, c->nz}, .surface = s};
    m.width = c->nx + 3;
    make_cases(&m);
    int32_t columns = m.width * (c->nz + 3);
    if (!PL_GROW(ctx, s->sum, &s->sum_capacity, (size_t)columns + 1) ||
        (def->solid && !PL_GROW(ctx, s->united, &s->united_capacity, (size_t)c->value_count)))
        return PL_ERR_MEMORY;
    if (def->solid)
    {
        pl__parallel_for(ctx, c->value_count, NUMBERS_PER_TASK, unite_numbers, &m);
        m.phi = s->united;
    }
    pl__parallel_for(ctx, columns, COLUMNS_PER_TASK, count_columns, &m);
    sum_up(s->sum, columns);
    const tally *all = &s->sum[columns];
    PL_TRY(reserve(ctx, s, all));
    s->cube_count = (int32_t)all->cube;
    s->vertex_count = (int32_t)all->vertex;
    s->triangle_count = (int32_t)all->triangle;
    if (s->cube_count == 0)
        return PL_OK;
    pl__parallel_for(ctx, columns, COLUMNS_PER_TASK, fill_columns, &m);
    pl__parallel_for(ctx, columns, COLUMNS_PER_TASK, join_columns, &m);
    pl__parallel_for(ctx, s->vertex_count, VERTICES_PER_TASK, find_velocities, &m);
    return PL_OK;
}

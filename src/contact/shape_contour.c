// src/contact/shape_contour.c -- the zero set of a distance as triangles, with sharp edges.
//
// Dual contouring (Ju, Losasso, Schaefer, Warren 2002): where the distance changes sign along an edge of a lattice
// there is a point of the surface, with a normal. Each cell with such points p_i, n_i gets one node, near all of their
// planes,
//
//     minimise  sum (n_i . (x - p_i))^2 + w |x - c|^2,     c = mean of p_i,
//
// which is on an edge or corner where planes meet and stays at c along flat parts; w = 0.01 keeps it defined. Each edge
// with a change of sign then gives a quadrilateral of the nodes of its four cells: the surface is closed by
// construction. The distance of a difference may be too small but has the right zero set, and that is all that is used.
//
// What it does badly: parts thinner than a cell vanish; where two sheets pass through one cell they touch.
#include "shape.h"
#include "math/mat3.h"
#include "mesh/point.h"

#include <string.h>

typedef struct
{
    pl_context *ctx;
    const pl__shape *shape;
    double origin[3], cell;
    int32_t size[3]; // points along each axis
    size_t point_count;
    double *value; // [point_count]
    int32_t *node; // [point_count]  of the cell that begins there, or -1
    double *x;
    int32_t *corner;
    size_t node_count, x_capacity, corner_count, corner_capacity;
} contour;

static pl_status place(contour *c, double edge)
{
    double lower[3], upper[3], count = 1;
    pl__shape_bounds(c->shape, lower, upper);
    c->cell = edge;
    for (int i = 0; i < 3; ++i)
    {
        PL_CHECK(c->ctx, isfinite(lower[i]) && isfinite(upper[i]),
                 "a difference of something endless has no surface of triangles");
        double cells = ceil((upper[i] - lower[i]) / edge) + 2;
        count *= cells + 1;
        PL_CHECK(c->ctx, count <= 1 << 27, "edge: %g m needs a lattice of more than %d points; make it longer", edge,
                 1 << 27);
        c->size[i] = (int32_t)cells + 1;
        c->origin[i] =
            0.5 * (lower[i] + upper[i]) - (0.5 * cells + 0.0371) * edge; // a little off what lies flat in the middle
    }
    c->point_count = (size_t)count;
    return PL_OK;
}

static size_t index_of(const contour *c, const int32_t at[3])
{
    return ((size_t)at[2] * (size_t)c->size[1] + (size_t)at[1]) * (size_t)c->size[0] + (size_t)at[0];
}

static void point_at(const contour *c, const int32_t at[3], double x[3])
{
    for (int i = 0; i < 3; ++i)
        x[i] = c->origin[i] + c->cell * at[i];
}

static void sample(contour *c)
{
    int32_t at[3];
    double x[3], n[3];
    for (at[2] = 0; at[2] < c->size[2]; ++at[2])
        for (at[1] = 0; at[1] < c->size[1]; ++at[1])
            for (at[0] = 0; at[0] < c->size[0]; ++at[0])
            {
                point_at(c, at, x);
                c->value[index_of(c, at)] = pl__shape_distance(c->shape, x, n);
            }
}

// ---- nodes -------------------------------------------------------------------------------------------------------

// Where the distance changes sign between two points, by halving.
static void find_crossing(const contour *c, const double a[3], const double b[3], bool a_inside, double p[3],
                          double n[3])
{
    double low = 0, high = 1;
    for (int k = 0; k < 30; ++k)
    {
        double t = 0.5 * (low + high);
        pl__lerp3(a, b, t, p);
        bool inside = pl__shape_distance(c->shape, p, n) < 0;
        *(inside == a_inside ? &low : &high) = t;
    }
}

typedef struct
{
    double p[12][3], n[12][3];
    int count;
} planes;

static void collect(const contour *c, const int32_t at[3], planes *f)
{
    f->count = 0;
    for (int e = 0; e < 12; ++e)
    {
        int axis = e / 4, j = (axis + 1) % 3, k = (axis + 2) % 3;
        int32_t a[3] = {at[0], at[1], at[2]}, b[3];
        a[j] += e & 1, a[k] += e >> 1 & 1;
        memcpy(b, a, sizeof b);
        b[axis] += 1;
        bool inside = c->value[index_of(c, a)] < 0;
        if (inside == (c->value[index_of(c, b)] < 0))
            continue;
        double x[3], y[3];
        point_at(c, a, x);
        point_at(c, b, y);
        find_crossing(c, x, y, inside, f->p[f->count], f->n[f->count]);
        f->count++;
    }
}

// (sum n n^T + w I) d = sum n n.(p - c), by Cramer's rule; x = c + d, within the cell.
static void solve(const contour *c, const int32_t at[3], const planes *f, double x[3])
{
    double mean[3] = {0}, b[3] = {0};
    pl_mat3 A = {0};
    for (int i = 0; i < f->count; ++i)
        for (int k = 0; k < 3; ++k)
            mean[k] += f->p[i][k] / f->count;
    for (int i = 0; i < f->count; ++i)
    {
        double off[3];
        pl__sub3(f->p[i], mean, off);
        double along = pl__dot3(f->n[i], off);
        for (int k = 0; k < 3; ++k)
        {
            b[k] += along * f->n[i][k];
            for (int j = 0; j < 3; ++j)
                A.c[j][k] += f->n[i][j] * f->n[i][k];
        }
    }
    for (int k = 0; k < 3; ++k)
        A.c[k][k] += 0.01;
    pl_vec3 right = pl_make3(b[0], b[1], b[2]), column[3] = {pl_column3(&A, 0), pl_column3(&A, 1), pl_column3(&A, 2)};
    double det = pl_dot3(column[0], pl_cross3(column[1], column[2]));
    for (int k = 0; k < 3; ++k)
    {
        double d = pl_dot3(right, pl_cross3(column[(k + 1) % 3], column[(k + 2) % 3])) / det,
               low = c->origin[k] + c->cell * at[k];
        x[k] = pl__max(low, pl__min(mean[k] + d, low + c->cell));
    }
}

static bool put_node(contour *c, const int32_t at[3])
{
    planes f;
    collect(c, at, &f);
    c->node[index_of(c, at)] = -1;
    if (f.count == 0)
        return true;
    if (!PL_GROW(c->ctx, c->x, &c->x_capacity, 3 * c->node_count + 3))
        return false;
    solve(c, at, &f, &c->x[3 * c->node_count]);
    c->node[index_of(c, at)] = (int32_t)c->node_count++;
    return true;
}

static bool put_nodes(contour *c)
{
    int32_t at[3];
    for (at[2] = 0; at[2] + 1 < c->size[2]; ++at[2])
        for (at[1] = 0; at[1] + 1 < c->size[1]; ++at[1])
            for (at[0] = 0; at[0] + 1 < c->size[0]; ++at[0])
                if (!put_node(c, at))
                    return false;
    return true;
}

// ---- triangles ---------------------------------------------------------------------------------------------------

// The four cells around the edge from `at` along `axis`; the surface faces along it where it leaves the solid.
static bool put_quad(contour *c, const int32_t at[3], int axis, bool leaves)
{
    static const int around[4][2] = {{1, 1}, {0, 1}, {0, 0}, {1, 0}};
    int32_t q[4];
    for (int i = 0; i < 4; ++i)
    {
        int32_t cell[3] = {at[0], at[1], at[2]};
        cell[(axis + 1) % 3] -= around[i][0];
        cell[(axis + 2) % 3] -= around[i][1];
        q[leaves ? i : 3 - i] = c->node[index_of(c, cell)];
    }
    if (!PL_GROW(c->ctx, c->corner, &c->corner_capacity, c->corner_count + 6))
        return false;
    int32_t *to = &c->corner[c->corner_count];
    to[0] = q[0], to[1] = q[1], to[2] = q[2], to[3] = q[0], to[4] = q[2], to[5] = q[3];
    c->corner_count += 6;
    return true;
}

static bool put_edges(contour *c, const int32_t at[3])
{
    bool inside = c->value[index_of(c, at)] < 0;
    for (int axis = 0; axis < 3; ++axis)
    {
        int32_t next[3] = {at[0], at[1], at[2]};
        if (++next[axis] >= c->size[axis] || (c->value[index_of(c, next)] < 0) == inside)
            continue;
        if (!put_quad(c, at, axis, inside))
            return false;
    }
    return true;
}

static bool put_triangles(contour *c)
{
    int32_t at[3];
    for (at[2] = 0; at[2] < c->size[2]; ++at[2])
        for (at[1] = 0; at[1] < c->size[1]; ++at[1])
            for (at[0] = 0; at[0] < c->size[0]; ++at[0])
                if (!put_edges(c, at))
                    return false;
    return true;
}

static pl_status trace(contour *c, pl_surface **out)
{
    c->value = PL_NEW(c->ctx, c->point_count, double);
    c->node = PL_NEW(c->ctx, c->point_count, int32_t);
    if (!c->value || !c->node)
        return PL_ERR_MEMORY;
    sample(c);
    if (!put_nodes(c) || !put_triangles(c))
        return PL_ERR_MEMORY;
    PL_CHECK(c->ctx, c->corner_count > 0, "a difference leaves nothing that edges of %g m could show", c->cell);
    if (!(*out = pl__surface_new(c->ctx, (int32_t)c->node_count, (int32_t)(c->corner_count / 3))))
        return PL_ERR_MEMORY;
    memcpy((*out)->position, c->x, 3 * c->node_count * sizeof *c->x);
    memcpy((*out)->triangle, c->corner, c->corner_count * sizeof *c->corner);
    return pl__surface_finish(out, "the surface of a shape");
}

pl_status pl__shape_contour(pl_context *ctx, const pl__shape *shape, double edge, pl_surface **out)
{
    contour c = {.ctx = ctx, .shape = shape};
    PL_TRY(place(&c, edge));
    pl_status status = trace(&c, out);
    PL_DELETE(ctx, c.value, c.point_count);
    PL_DELETE(ctx, c.node, c.point_count);
    PL_DELETE(ctx, c.x, c.x_capacity);
    PL_DELETE(ctx, c.corner, c.corner_capacity);
    return status;
}

// src/contact/shape_field.c -- height fields: all that is below a terrain of triangles over a rectangle, without end.
//
// Each cell of the grid is cut along the diagonal from its lower left corner. The nearest point is on a triangle, found
// in a hierarchy of boxes, or on one of the four walls below the border: the foot of a point on a wall counts where the
// terrain's border is above it; otherwise the nearest point of that wall is on its upper edge, which belongs to
// triangles.
#include "shape.h"
#include "mesh/point.h"

static double column_x(const pl_object_def *d, int32_t column)
{
    return d->extent[0] * ((double)column / (d->columns - 1) - 0.5);
}
static double row_z(const pl_object_def *d, int32_t row) { return d->extent[2] * ((double)row / (d->rows - 1) - 0.5); }

// ---- building ----------------------------------------------------------------------------------------------------

static void place_nodes(const pl_object_def *d, double *x)
{
    for (int32_t row = 0; row < d->rows; ++row)
        for (int32_t column = 0; column < d->columns; ++column, x += 3)
        {
            x[0] = column_x(d, column);
            x[1] = d->heights[row * d->columns + column];
            x[2] = row_z(d, row);
        }
}

static void cut_cells(const pl_object_def *d, int32_t *triangle)
{
    for (int32_t row = 0; row + 1 < d->rows; ++row)
        for (int32_t column = 0; column + 1 < d->columns; ++column, triangle += 6)
        {
            int32_t a = row * d->columns + column, b = a + 1, c = a + d->columns, e = c + 1;
            triangle[0] = a, triangle[1] = e, triangle[2] = b;
            triangle[3] = a, triangle[4] = c, triangle[5] = e;
        }
}

pl_status pl__height_field_create(pl__shape *s)
{
    const pl_object_def *d = &s->def;
    s->terrain = pl__surface_new(s->ctx, d->rows * d->columns, 2 * (d->rows - 1) * (d->columns - 1));
    if (!s->terrain)
        return PL_ERR_MEMORY;
    place_nodes(d, s->terrain->position);
    cut_cells(d, s->terrain->triangle);
    PL_TRY(pl__surface_finish(&s->terrain, "a height field"));
    return pl__bvh_create(s->terrain, &s->hills);
}

// ---- distance ----------------------------------------------------------------------------------------------------

// The cell of a coordinate in [-1/2, 1/2] of the extent, and the place in it.
static int32_t find_cell(double u, int32_t points, double *t)
{
    double place = pl__max(0, pl__min((u + 0.5) * (points - 1), points - 1));
    int32_t cell = (int32_t)place;
    cell = cell < points - 2 ? cell : points - 2;
    *t = place - cell;
    return cell;
}

double pl__height_at(const pl_object_def *d, double x, double z)
{
    double u, v;
    int32_t column = find_cell(x / d->extent[0], d->columns, &u), row = find_cell(z / d->extent[2], d->rows, &v);
    const double *h = &d->heights[row * d->columns + column], *up = h + d->columns;
    return u > v ? h[0] + u * (h[1] - h[0]) + v * (up[1] - h[1]) : h[0] + v * (up[0] - h[0]) + u * (up[1] - up[0]);
}

static double terrain_distance(const pl__shape *s, const double p[3], double side, double n[3])
{
    double closest[3];
    int32_t triangle;
    double distance = pl__bvh_closest(s->hills, p, closest, &triangle);
    pl__triangle_normal(s->hills, s->terrain, p, closest, triangle, side, n);
    return side * distance;
}

// Inside: whether one of the four walls is nearer than `distance` (negative).
static double nearer_wall(const pl_object_def *d, const double p[3], double distance, double n[3])
{
    for (int wall = 0; wall < 4; ++wall)
    {
        int axis = wall < 2 ? 0 : 2;
        double side = wall % 2 ? 1 : -1, depth = side * p[axis] - 0.5 * d->extent[axis], foot[3] = {p[0], p[1], p[2]};
        foot[axis] = side * 0.5 * d->extent[axis];
        if (depth <= distance || foot[1] > pl__height_at(d, foot[0], foot[2]))
            continue;
        distance = depth;
        n[0] = n[1] = n[2] = 0;
        n[axis] = side;
    }
    return distance;
}

double pl__height_field_distance(const pl__shape *s, const double p[3], double n[3])
{
    const pl_object_def *d = &s->def;
    double half[2] = {0.5 * d->extent[0], 0.5 * d->extent[2]};
    double x = pl__max(-half[0], pl__min(p[0], half[0])), z = pl__max(-half[1], pl__min(p[2], half[1]));
    double out[2] = {p[0] - x, p[2] - z}, beside = sqrt(out[0] * out[0] + out[1] * out[1]);
    bool below = p[1] <= pl__height_at(d, x, z);
    if (below && beside > 0)
    {
        n[0] = out[0] / beside, n[1] = 0, n[2] = out[1] / beside;
        return beside;
    }
    double distance = terrain_distance(s, p, below ? -1 : 1, n);
    return below ? nearer_wall(d, p, distance, n) : distance;
}

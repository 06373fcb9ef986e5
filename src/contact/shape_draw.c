// src/contact/shape_draw.c -- triangles of shapes, for pictures and exports.
//
// Balls, capsules, cylinders, cones and rings are profiles turned about the y axis; a rounded box is a ball whose eight
// octants were moved apart; gears and stairs are outlines pulled along z, with their ends cut into triangles by hand.
// Only differences are traced (shape_contour.c). Nodes at one place may be there several times, around poles; a surface
// counts them as one.
#include "shape.h"
#include "base/real_math.h"
#include "mesh/point.h"

#include <string.h>

enum
{
    FEWEST = 3, // edges of a quarter of a circle
    MOST = 256
};

static const double pi = 3.141592653589793;

// A surface in the making; when out of memory it stays as it is, and says so.
typedef struct
{
    pl_context *ctx;
    double *x;
    int32_t *corner;
    size_t node_count, node_capacity, corner_count, corner_capacity; // capacities in numbers
    bool failed;
} draft;

static int32_t put_node(draft *g, double x, double y, double z)
{
    g->failed = g->failed || !PL_GROW(g->ctx, g->x, &g->node_capacity, 3 * g->node_count + 3);
    if (g->failed)
        return 0;
    double *to = &g->x[3 * g->node_count];
    to[0] = x, to[1] = y, to[2] = z;
    return (int32_t)g->node_count++;
}

static bool same_place(const draft *g, int32_t a, int32_t b)
{
    return memcmp(&g->x[3 * (size_t)a], &g->x[3 * (size_t)b], 3 * sizeof(double)) == 0;
}

static void put_triangle(draft *g, int32_t a, int32_t b, int32_t c)
{
    if (g->failed || same_place(g, a, b) || same_place(g, b, c) || same_place(g, c, a))
        return;
    g->failed = !PL_GROW(g->ctx, g->corner, &g->corner_capacity, g->corner_count + 3);
    if (g->failed)
        return;
    int32_t *to = &g->corner[g->corner_count];
    to[0] = a, to[1] = b, to[2] = c;
    g->corner_count += 3;
}

static void put_quad(draft *g, int32_t a, int32_t b, int32_t c, int32_t d)
{
    put_triangle(g, a, b, c);
    put_triangle(g, a, c, d);
}

// Edges that a quarter of a circle is cut into.
static int32_t quarter(double radius, double edge)
{
    double count = ceil(0.5 * pi * radius / edge);
    return (int32_t)pl__max(FEWEST, pl__min(count, MOST));
}

// Cosine and sine of i of `count` quarters' parts, exact at whole quarters.
static void direction(int32_t i, int32_t count, double u[2])
{
    static const double axis[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    int32_t whole = i / count % 4;
    double sine, cosine;
    pl__real_sincos(0.5 * pi * (i % count) / count, &sine, &cosine);
    u[0] = cosine * axis[whole][0] - sine * axis[whole][1];
    u[1] = cosine * axis[whole][1] + sine * axis[whole][0];
}

// ---- turned about y ----------------------------------------------------------------------------------------------

// `rows` rings of `columns` nodes each, from node `first` on, bottom to top; `closed`: the last one joins the first.
static void join_rings(draft *g, int32_t first, int32_t rows, int32_t columns, bool closed)
{
    for (int32_t row = 0; row < rows - !closed; ++row)
        for (int32_t i = 0; i < columns; ++i)
        {
            int32_t here = first + row * columns, above = first + (row + 1) % rows * columns, next = (i + 1) % columns;
            put_quad(g, here + i, above + i, above + next, here + next);
        }
}

// A ring around the y axis, perhaps flattened.
static void put_ring(draft *g, double r, double y, int32_t quarters, const double scale[3])
{
    for (int32_t i = 0; i < 4 * quarters; ++i)
    {
        double u[2];
        direction(i, quarters, u);
        put_node(g, scale[0] * (r * u[0]), scale[1] * y, scale[2] * (r * u[1]));
    }
}

static void draw_ellipsoid(draft *g, const double half[3], double edge)
{
    int32_t n = quarter(pl__max(pl__max(half[0], half[1]), half[2]), edge);
    for (int32_t i = 0; i <= 2 * n; ++i)
    {
        double u[2];
        direction(i + 3 * n, n, u);
        put_ring(g, u[0], u[1], n, half);
    }
    join_rings(g, 0, 2 * n + 1, 4 * n, false);
}

static void draw_capsule(draft *g, const pl_object_def *d, double edge)
{
    static const double one[3] = {1, 1, 1};
    int32_t n = quarter(d->radius, edge);
    double half = 0.5 * d->height - d->radius;
    for (int32_t i = 0; i < 2 * n + 2; ++i)
    {
        double u[2];
        direction(i + 3 * n - (i > n), n, u);
        put_ring(g, d->radius * u[0], d->radius * u[1] + (i > n ? half : -half), n, one);
    }
    join_rings(g, 0, 2 * n + 2, 4 * n, false);
}

static void draw_cone(draft *g, double bottom, double top, double height, double edge)
{
    static const double one[3] = {1, 1, 1};
    int32_t n = quarter(pl__max(bottom, top), edge);
    put_ring(g, 0, -0.5 * height, n, one);
    put_ring(g, bottom, -0.5 * height, n, one);
    put_ring(g, top, 0.5 * height, n, one);
    if (top > 0)
        put_ring(g, 0, 0.5 * height, n, one);
    join_rings(g, 0, top > 0 ? 4 : 3, 4 * n, false);
}

static void draw_torus(draft *g, const pl_object_def *d, double edge)
{
    static const double one[3] = {1, 1, 1};
    int32_t n = quarter(d->radius + d->tube, edge), around = quarter(d->tube, edge);
    for (int32_t i = 0; i < 4 * around; ++i)
    {
        double u[2];
        direction(i, around, u);
        put_ring(g, d->radius + d->tube * u[0], d->tube * u[1], n, one);
    }
    join_rings(g, 0, 4 * around, 4 * n, true);
}

// ---- box ---------------------------------------------------------------------------------------------------------

// One parallel of latitude, 4 (n + 1) nodes: each quarter of it belongs to a corner of the box.
static void put_parallel(draft *g, const pl_object_def *d, const double u[2], double side, int32_t n)
{
    double r = d->rounding, core[3];
    for (int i = 0; i < 3; ++i)
        core[i] = 0.5 * d->extent[i] - r;
    for (int32_t corner = 0; corner < 4; ++corner)
        for (int32_t i = 0; i <= n; ++i)
        {
            double v[2] = {1, 0}, x = corner == 0 || corner == 3 ? 1 : -1, z = corner < 2 ? 1 : -1;
            if (n > 0)
                direction(corner * n + i, n, v);
            put_node(g, x * core[0] + r * u[0] * v[0], side * core[1] + r * u[1], z * core[2] + r * u[0] * v[1]);
        }
}

static void draw_box(draft *g, const pl_object_def *d, double edge)
{
    int32_t n = d->rounding > 0 ? quarter(d->rounding, edge) : 0, rows = 2 * (n + 1), columns = 4 * (n + 1),
            top = (rows - 1) * columns;
    for (int32_t i = 0; i < rows; ++i)
    {
        double u[2] = {0, 0};
        if (n > 0)
            direction(i + 3 * n - (i > n), n, u);
        put_parallel(g, d, u, i > n ? 1 : -1, n);
    }
    join_rings(g, 0, rows, columns, false);
    for (int32_t i = 1; i + 1 < columns; ++i)
    {
        put_triangle(g, 0, i, i + 1);
        put_triangle(g, top, top + i + 1, top + i);
    }
}

// ---- pulled along z ----------------------------------------------------------------------------------------------

// Each point twice: behind at node 2 i, in front at 2 i + 1.
static void put_pair(draft *g, double x, double y, double half)
{
    put_node(g, x, y, -half);
    put_node(g, x, y, half);
}

// The wall from point a to point b of an outline, counter-clockwise.
static void put_wall(draft *g, int32_t a, int32_t b) { put_quad(g, 2 * a, 2 * b, 2 * b + 1, 2 * a + 1); }

// A triangle of both ends.
static void put_ends(draft *g, int32_t a, int32_t b, int32_t c)
{
    put_triangle(g, 2 * a + 1, 2 * b + 1, 2 * c + 1);
    put_triangle(g, 2 * a, 2 * c, 2 * b);
}

// Feet along the bottom, then treads from the top down, right end before left.
static void draw_stairs(draft *g, const pl_object_def *d)
{
    int32_t n = d->steps, points = 3 * n + 1;
    double half = 0.5 * d->width;
    for (int32_t i = 0; i <= n; ++i)
        put_pair(g, i * d->run, 0, half);
    for (int32_t i = n; i > 0; --i)
    {
        put_pair(g, i * d->run, i * d->rise, half);
        put_pair(g, (i - 1) * d->run, i * d->rise, half);
    }
    for (int32_t i = 0; i < points; ++i)
        put_wall(g, i, (i + 1) % points);
    for (int32_t i = 0; i < n; ++i)
    {
        int32_t right = n + 1 + 2 * (n - 1 - i), left = right + 1, below = i > 0 ? right + 2 : i;
        put_ends(g, i + 1, right, left);
        put_ends(g, i + 1, left, below);
        put_ends(g, i + 1, below, i);
    }
}

typedef struct
{
    int32_t walls, tip, base; // edges of half a tooth; where its tip and its flank end
    int32_t points, hub;      // of the whole outline; the first one of the bore, or the middle
    bool bore;
} wheel;

// Point j of a tooth, from -walls (the middle of one gap) over 0 (its tip) to walls (the middle of the next).
static int32_t gear_point(const wheel *w, int32_t tooth, int32_t j)
{
    int32_t i = 2 * w->walls * tooth + w->walls - 1 + j;
    return (i + w->points) % w->points;
}

// The rim between two points of the outline.
static void put_rim(draft *g, const wheel *w, int32_t a, int32_t b)
{
    if (!w->bore)
    {
        put_ends(g, w->hub, a, b);
        return;
    }
    int32_t inner_a = w->hub + a, inner_b = w->hub + b;
    put_ends(g, a, b, inner_b);
    put_ends(g, a, inner_b, inner_a);
    put_wall(g, inner_b, inner_a);
}

// The rim below a tooth, which is straight outside and round inside: there it goes by the directions of the tip.
static void draw_foot(draft *g, const wheel *w, int32_t tooth)
{
    int32_t a = gear_point(w, tooth, -w->base), b = gear_point(w, tooth, w->base);
    if (!w->bore)
    {
        put_ends(g, w->hub, a, b);
        return;
    }
    int32_t inner[5] = {a, gear_point(w, tooth, -w->tip), gear_point(w, tooth, 0), gear_point(w, tooth, w->tip), b};
    for (int i = 0; i < 4; ++i)
    {
        put_ends(g, i < 2 ? a : b, w->hub + inner[i + 1], w->hub + inner[i]);
        put_wall(g, w->hub + inner[i + 1], w->hub + inner[i]);
    }
    put_ends(g, a, b, w->hub + inner[2]);
}

static void draw_tooth(draft *g, const wheel *w, int32_t tooth)
{
    for (int32_t j = -w->walls; j < w->walls; ++j)
        put_wall(g, gear_point(w, tooth, j), gear_point(w, tooth, j + 1));
    for (int32_t j = 1; j <= w->base; ++j)
    {
        int32_t a = gear_point(w, tooth, -j), b = gear_point(w, tooth, 1 - j), c = gear_point(w, tooth, j - 1),
                d = gear_point(w, tooth, j);
        put_ends(g, a, b, c);
        put_ends(g, a, c, d);
    }
    draw_foot(g, w, tooth);
    for (int32_t j = w->base; j < w->walls; ++j)
    {
        put_rim(g, w, gear_point(w, tooth, j), gear_point(w, tooth, j + 1));
        put_rim(g, w, gear_point(w, tooth, -j - 1), gear_point(w, tooth, -j));
    }
}

// Points of the outline at their own radius, or all moved to another one.
static void put_outline(draft *g, const pl__shape *s, const wheel *w, double radius)
{
    for (int32_t i = 0; i < w->points; ++i)
    {
        int32_t tooth = i / (2 * w->walls), j = i % (2 * w->walls) - w->walls + 1;
        const double *u = &s->spoke[2 * tooth], *p = &s->outline.point[2 * (j < 0 ? -j : j)];
        double y = j < 0 ? -p[1] : p[1], scale = radius > 0 ? radius / sqrt(p[0] * p[0] + y * y) : 1;
        put_pair(g, scale * (u[0] * p[0] - u[1] * y), scale * (u[1] * p[0] + u[0] * y), 0.5 * s->def.thickness);
    }
}

static void draw_gear(draft *g, const pl__shape *s)
{
    wheel w = {
        .walls = s->outline.walls, .tip = PL__GEAR_TIP, .base = PL__GEAR_TIP + PL__GEAR_FLANK, .bore = s->def.bore > 0};
    w.hub = w.points = 2 * w.walls * s->def.teeth;
    put_outline(g, s, &w, 0);
    if (w.bore)
        put_outline(g, s, &w, s->def.bore);
    else
        put_pair(g, 0, 0, 0.5 * s->def.thickness);
    for (int32_t tooth = 0; tooth < s->def.teeth; ++tooth)
        draw_tooth(g, &w, tooth);
}

// ---- the others --------------------------------------------------------------------------------------------------

static void put_surface(draft *g, const pl_surface *surface, bool turned)
{
    int32_t first = (int32_t)g->node_count;
    const double *x = surface->position;
    for (int32_t i = 0; i < surface->node_count; ++i, x += 3)
        put_node(g, x[0], x[1], x[2]);
    const int32_t *t = surface->triangle;
    for (int32_t i = 0; i < surface->triangle_count; ++i, t += 3)
        put_triangle(g, first + t[0], first + t[turned ? 2 : 1], first + t[turned ? 1 : 2]);
}

static void put_skirt(draft *g, int32_t a, int32_t b, int32_t below) { put_quad(g, a, a + below, b + below, b); }

// Down to a tenth of its size below its lowest point.
static void draw_height_field(draft *g, const pl__shape *s)
{
    const pl_object_def *d = &s->def;
    int32_t rows = d->rows, columns = d->columns, count = rows * columns;
    double floor = d->heights[0];
    for (int32_t i = 1; i < count; ++i)
        floor = pl__min(floor, d->heights[i]);
    floor -= 0.1 * pl__max(d->extent[0], d->extent[2]);
    put_surface(g, s->terrain, false);
    const double *x = s->terrain->position;
    for (int32_t i = 0; i < count; ++i, x += 3)
        put_node(g, x[0], floor, x[2]);
    const int32_t *t = s->terrain->triangle;
    for (int32_t i = 0; i < s->terrain->triangle_count; ++i, t += 3)
        put_triangle(g, count + t[0], count + t[2], count + t[1]);
    for (int32_t i = 0; i + 1 < columns; ++i)
    {
        put_skirt(g, i + 1, i, count);
        put_skirt(g, count - columns + i, count - columns + i + 1, count);
    }
    for (int32_t i = 0; i + 1 < rows; ++i)
    {
        put_skirt(g, i * columns, (i + 1) * columns, count);
        put_skirt(g, (i + 2) * columns - 1, (i + 1) * columns - 1, count);
    }
}

static void move_nodes(const pl__shape_part *part, double *x, size_t count)
{
    for (size_t i = 0; i < count; ++i, x += 3)
    {
        pl_vec3 turned = pl_quat_turn(part->turned, pl_make3(x[0], x[1], x[2]));
        for (int k = 0; k < 3; ++k)
            x[k] = turned.v[k] + part->at[k];
    }
}

static pl_status draw_parts(draft *g, const pl__shape *s, double edge)
{
    for (int32_t i = 0; i < s->def.part_count; ++i)
    {
        pl_surface *surface;
        PL_TRY(pl__shape_surface(g->ctx, s->part[i].shape, edge, &surface));
        move_nodes(&s->part[i], surface->position, (size_t)surface->node_count);
        put_surface(g, surface, false);
        pl_surface_destroy(&surface);
    }
    return PL_OK;
}

static pl_status draw(draft *g, const pl__shape *s, double edge)
{
    const pl_object_def *d = &s->def;
    double half[3] = {0.5 * d->extent[0], 0.5 * d->extent[1], 0.5 * d->extent[2]},
           ball[3] = {d->radius, d->radius, d->radius};
    switch (d->kind)
    {
    case PL_OBJECT_SPHERE: draw_ellipsoid(g, ball, edge); break;
    case PL_OBJECT_BOX: draw_box(g, d, edge); break;
    case PL_OBJECT_ELLIPSOID: draw_ellipsoid(g, half, edge); break;
    case PL_OBJECT_CAPSULE: draw_capsule(g, d, edge); break;
    case PL_OBJECT_CYLINDER: draw_cone(g, d->radius, d->radius, d->height, edge); break;
    case PL_OBJECT_CONE: draw_cone(g, d->radius, d->top_radius, d->height, edge); break;
    case PL_OBJECT_TORUS: draw_torus(g, d, edge); break;
    case PL_OBJECT_GEAR: draw_gear(g, s); break;
    case PL_OBJECT_STAIRS: draw_stairs(g, d); break;
    case PL_OBJECT_HEIGHT_FIELD: draw_height_field(g, s); break;
    case PL_OBJECT_SURFACE: put_surface(g, d->surface, s->solid->side < 0); break;
    case PL_OBJECT_UNION: return draw_parts(g, s, edge);
    default: return pl__fail(g->ctx, PL_ERR_ARGUMENT, "a plane or wedge is endless and has no surface of triangles");
    }
    return PL_OK;
}

static pl_status finish(draft *g, pl_surface **out)
{
    if (g->failed || !(*out = pl__surface_new(g->ctx, (int32_t)g->node_count, (int32_t)(g->corner_count / 3))))
        return PL_ERR_MEMORY;
    memcpy((*out)->position, g->x, 3 * g->node_count * sizeof *g->x);
    memcpy((*out)->triangle, g->corner, g->corner_count * sizeof *g->corner);
    return pl__surface_finish(out, "the surface of a shape");
}

pl_status pl__shape_surface(pl_context *ctx, const pl__shape *shape, double edge, pl_surface **out)
{
    *out = NULL;
    PL_CHECK(ctx, edge > 0, "edge: %g m must be above 0", edge);
    if (shape->def.kind == PL_OBJECT_DIFFERENCE)
        return pl__shape_contour(ctx, shape, edge, out);
    draft g = {.ctx = ctx};
    pl_status status = draw(&g, shape, edge);
    if (status == PL_OK)
        status = finish(&g, out);
    PL_DELETE(ctx, g.x, g.node_capacity);
    PL_DELETE(ctx, g.corner, g.corner_capacity);
    return status;
}

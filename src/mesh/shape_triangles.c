// src/mesh/shape_triangles.c -- triangle surfaces: closed ones of solids, sheets, disks, tubes and arches.
//
// Most are grids of quadrilaterals, wrapped where necessary and halved by diagonals of alternating direction, which
// treats both directions alike. A disk is rings of 6, 12, 18... triangles around its centre, and a cylinder has two of
// them as its ends. A sphere is an icosahedron whose faces are divided into f^2 triangles and projected: the longest
// edge is at most 1.48 times the shortest, angles are within [54, 72] degrees, and there are no poles.
//
// Round surfaces are inscribed: nodes are on the surface, triangles within it.
#include "irregular.h"
#include "jitter.h"
#include "shape.h"
#include "topology.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

// `n` are cells along the two or three directions, rings, or the divisions of an edge of the icosahedron.
typedef struct plan
{
    const pl_shape_def *def;
    double cells[3], node_count, triangle_count;
    int32_t n[3];
    pl_mesh *mesh;
    int32_t *out; // the next triangle
} plan;

static void put_triangle(plan *p, int32_t a, int32_t b, int32_t c)
{
    p->out[0] = a, p->out[1] = b, p->out[2] = c;
    p->out += 3;
}

// Counter-clockwise, halved by the diagonal a c or, when odd, b d.
static void put_quad(plan *p, const int32_t q[4], bool odd)
{
    put_triangle(p, q[odd], q[1 + odd], q[2 + odd]);
    put_triangle(p, q[odd], q[2 + odd], q[(3 + odd) & 3]);
}

static double *node_at(const plan *p, int32_t node) { return &p->mesh->position[3 * (size_t)node]; }

// From -1 to 1, exact at both ends and antisymmetric.
static double across(int32_t i, int32_t n) { return (double)(2 * i - n) / n; }

// ---- grids -----------------------------------------------------------------------------------------------------

// Node first + column + columns * row; as many columns or rows as cells where it is periodic, else one more.
typedef struct grid
{
    int32_t first, cells[2], columns, rows;
} grid;

static grid make_grid(int32_t first, int32_t across_cells, bool ring_across, int32_t along_cells, bool ring_along)
{
    return (grid){first, {across_cells, along_cells}, across_cells + !ring_across, along_cells + !ring_along};
}

static void cut_grid(plan *p, const grid *g, bool alternating)
{
    for (int32_t j = 0; j < g->cells[1]; ++j)
        for (int32_t i = 0; i < g->cells[0]; ++i)
        {
            int32_t right = (i + 1) % g->columns, here = g->first + g->columns * j,
                    above = g->first + g->columns * ((j + 1) % g->rows);
            const int32_t q[4] = {here + i, here + right, above + right, above + i};
            put_quad(p, q, alternating && ((i + j) & 1));
        }
}

// Sheets face +y, with z to the right and x up; rectangles face +z.
static pl__plane plane_of(const pl_shape_def *def)
{
    return def->kind == PL_SHAPE_RECTANGLE ? (pl__plane){0, 1, 2} : (pl__plane){2, 0, 1};
}

static void draw_flat(plan *p)
{
    pl__plane plane = plane_of(p->def);
    grid g = make_grid(0, p->n[0], false, p->n[1], false);
    for (int32_t node = 0; node < p->mesh->node_count; ++node)
    {
        double *x = node_at(p, node);
        x[plane.u] = 0.5 * p->def->extent[plane.u] * across(node % g.columns, p->n[0]);
        x[plane.v] = 0.5 * p->def->extent[plane.v] * across(node / g.columns, p->n[1]);
    }
    cut_grid(p, &g, p->def->pattern != PL_PATTERN_DIAGONAL);
}

// ---- round -----------------------------------------------------------------------------------------------------

// Rows first + n j of a tube along y, from row `begin` to row `end`.
static void place_tube(plan *p, int32_t first, int32_t around, int32_t begin, int32_t end, int32_t along)
{
    for (int32_t j = begin; j < end; ++j)
        for (int32_t i = 0; i < around; ++i)
        {
            double *x = node_at(p, first + around * (j - begin) + i), sine, cosine;
            pl__sine_cosine(i, around, &sine, &cosine);
            x[0] = p->def->radius * sine;
            x[1] = 0.5 * p->def->extent[1] * across(j, along);
            x[2] = p->def->radius * cosine;
        }
}

static void draw_tube(plan *p)
{
    grid g = make_grid(0, p->n[0], true, p->n[1], false);
    place_tube(p, 0, p->n[0], 0, p->n[1] + 1, p->n[1]);
    cut_grid(p, &g, true);
}

// A torus around y, or half of one around z that begins and ends at y = 0.
static void draw_torus(plan *p)
{
    bool half = p->def->kind == PL_SHAPE_HALF_TORUS;
    grid g = make_grid(0, p->n[0], !half, p->n[1], true);
    for (int32_t node = 0; node < p->mesh->node_count; ++node)
    {
        double *x = node_at(p, node), sine_u, cosine_u, sine_v, cosine_v;
        pl__sine_cosine(node % g.columns, half ? 2 * (int64_t)p->n[0] : p->n[0], &sine_u, &cosine_u);
        pl__sine_cosine(node / g.columns, p->n[1], &sine_v, &cosine_v);
        double from_axis = p->def->radius + p->def->tube * cosine_v;
        x[half ? 0 : 2] = from_axis * cosine_u;
        x[half ? 1 : 0] = from_axis * sine_u + 0.0; // no -0
        x[half ? 2 : 1] = p->def->tube * sine_v;
    }
    cut_grid(p, &g, true);
}

// ---- disks -----------------------------------------------------------------------------------------------------

static int32_t disk_nodes(int32_t rings) { return 1 + 3 * rings * (rings + 1); }

// Node i of ring r: 0 is the centre, ring r has 6 r; i may be one round too far.
static int32_t ring_node(int32_t first, int32_t r, int32_t i)
{
    return r == 0 ? first : first + disk_nodes(r - 1) + i % (6 * r);
}

// At height y, facing up or down.
static void draw_disk_at(plan *p, int32_t first, int32_t rings, double y, bool up)
{
    for (int32_t r = 0; r <= rings; ++r)
        for (int32_t i = 0; i < (r ? 6 * r : 1); ++i)
        {
            double *x = node_at(p, ring_node(first, r, i)), sine = 0, cosine = 0;
            pl__sine_cosine(i, r ? 6 * r : 1, &sine, &cosine);
            x[0] = p->def->radius * ((double)r / rings) * sine;
            x[1] = y;
            x[2] = p->def->radius * ((double)r / rings) * cosine;
        }
    for (int32_t r = 1; r <= rings; ++r)
        for (int32_t k = 0; k < 6 * r; ++k)
        {
            // in each sixth r triangles stand on the outer ring, and between them r - 1 on the inner one
            int32_t inner = k / r * (r - 1) + k % r;
            int32_t a = ring_node(first, r, k), b = ring_node(first, r, k + 1), c = ring_node(first, r - 1, inner);
            put_triangle(p, c, up ? a : b, up ? b : a);
            if (k % r == r - 1)
                continue;
            int32_t d = ring_node(first, r - 1, inner + 1);
            put_triangle(p, c, up ? b : d, up ? d : b);
        }
}

static void draw_disk(plan *p) { draw_disk_at(p, 0, p->n[0], 0, true); }

// Top and bottom first, then the side between their rims.
static void draw_cylinder(plan *p)
{
    int32_t rings = p->n[0], around = 6 * rings, along = p->n[1], cap = disk_nodes(rings), side = 2 * cap;
    double half = 0.5 * p->def->extent[1];
    draw_disk_at(p, 0, rings, half, true);
    draw_disk_at(p, cap, rings, -half, false);
    place_tube(p, side, around, 1, along, along);
    for (int32_t j = 0; j < along; ++j)
        for (int32_t i = 0; i < around; ++i)
        {
            int32_t low = j == 0 ? ring_node(cap, rings, 0) : side + around * (j - 1);
            int32_t high = j == along - 1 ? ring_node(0, rings, 0) : side + around * j, right = (i + 1) % around;
            const int32_t q[4] = {low + i, low + right, high + right, high + i};
            put_quad(p, q, (i + j) & 1);
        }
}

// ---- boxes -----------------------------------------------------------------------------------------------------

// Index of a grid point on the surface: a full layer, rings of its rim, a full layer.
static int32_t skin_node(const int32_t n[3], const int32_t at[3])
{
    int32_t i = at[0], j = at[1], k = at[2], layer = (n[0] + 1) * (n[1] + 1), rim = 2 * (n[0] + n[1]);
    if (k == 0 || k == n[2])
        return (k ? layer + rim * (n[2] - 1) : 0) + j * (n[0] + 1) + i;
    int32_t before = layer + rim * (k - 1);
    return before + (j == 0 ? i : j == n[1] ? n[0] + 1 + 2 * (n[1] - 1) + i : n[0] + 1 + 2 * (j - 1) + (i > 0));
}

static void place_skin(plan *p)
{
    const int32_t *n = p->n;
    int32_t at[3];
    for (at[2] = 0; at[2] <= n[2]; ++at[2])
        for (at[1] = 0; at[1] <= n[1]; ++at[1])
        {
            bool inner = at[2] > 0 && at[2] < n[2] && at[1] > 0 && at[1] < n[1];
            for (at[0] = 0; at[0] <= n[0]; at[0] += inner ? n[0] : 1)
                for (int d = 0; d < 3; ++d)
                    node_at(p, skin_node(n, at))[d] = 0.5 * p->def->extent[d] * across(at[d], n[d]);
        }
}

static void draw_side(plan *p, int axis, bool upper)
{
    // the other two axes, in an order that gives an outward orientation
    int right = upper ? (axis + 1) % 3 : (axis + 2) % 3, up = upper ? (axis + 2) % 3 : (axis + 1) % 3;
    int32_t at[3], q[4];
    at[axis] = upper ? p->n[axis] : 0;
    for (int32_t j = 0; j < p->n[up]; ++j)
        for (int32_t i = 0; i < p->n[right]; ++i)
        {
            for (int c = 0; c < 4; ++c)
            {
                at[right] = i + (c == 1 || c == 2);
                at[up] = j + (c >= 2);
                q[c] = skin_node(p->n, at);
            }
            put_quad(p, q, (i + j) & 1);
        }
}

static void draw_box(plan *p)
{
    place_skin(p);
    for (int side = 0; side < 6; ++side)
        draw_side(p, side / 2, side & 1);
}

// ---- spheres ---------------------------------------------------------------------------------------------------

typedef struct icosahedron
{
    double corner[12][3];
    int8_t edge[12][12]; // number of the edge between two corners, or -1
    int8_t face[20][3];  // outward
} icosahedron;

static double squared_distance(const double a[3], const double b[3])
{
    double sum = 0;
    for (int d = 0; d < 3; ++d)
        sum += (a[d] - b[d]) * (a[d] - b[d]);
    return sum;
}

static bool turns_outward(const double a[3], const double b[3], const double c[3])
{
    return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
               a[2] * (b[0] * c[1] - b[1] * c[0]) >
           0;
}

// Corners (0, +-1, +-golden ratio) and cyclic permutations; neighbours are at distance 2, and three mutual neighbours
// are a face.
static icosahedron make_icosahedron(void)
{
    icosahedron s;
    const double golden = 0.5 + 0.5 * sqrt(5.0);
    for (int k = 0; k < 12; ++k)
    {
        s.corner[k][k / 4] = 0;
        s.corner[k][(k / 4 + 1) % 3] = k & 1 ? 1 : -1;
        s.corner[k][(k / 4 + 2) % 3] = k & 2 ? golden : -golden;
    }
    int8_t edges = 0, faces = 0;
    memset(s.edge, -1, sizeof s.edge);
    for (int a = 0; a < 12; ++a)
        for (int b = a + 1; b < 12; ++b)
            if (squared_distance(s.corner[a], s.corner[b]) < 5)
                s.edge[a][b] = s.edge[b][a] = edges++;
    for (int8_t a = 0; a < 12; ++a)
        for (int8_t b = (int8_t)(a + 1); b < 12; ++b)
            for (int8_t c = (int8_t)(b + 1); c < 12; ++c)
                if (s.edge[a][b] >= 0 && s.edge[b][c] >= 0 && s.edge[c][a] >= 0)
                {
                    bool outward = turns_outward(s.corner[a], s.corner[b], s.corner[c]);
                    const int8_t face[3] = {a, outward ? b : c, outward ? c : b};
                    memcpy(s.face[faces++], face, sizeof face);
                }
    return s;
}

// Corners, then interiors of edges from their lower corner on, then interiors of faces row by row. `w` counts steps
// away from the sides opposite the three corners of the face; their sum is f.
static int32_t sphere_node(const icosahedron *s, int face, int32_t f, const int32_t w[3])
{
    const int8_t *corner = s->face[face];
    for (int c = 0; c < 3; ++c)
    {
        int next = (c + 1) % 3, last = (c + 2) % 3;
        if (w[c] == f)
            return corner[c];
        if (w[c] > 0 || w[next] == f || w[last] == f)
            continue;
        int32_t from_lower = corner[next] < corner[last] ? w[last] : w[next];
        return 12 + s->edge[corner[next]][corner[last]] * (f - 1) + from_lower - 1;
    }
    int32_t j = w[2], inside = (f - 1) * (f - 2) / 2;
    return 12 + 30 * (f - 1) + face * inside + (j - 1) * (f - 1) - (j - 1) * j / 2 + w[1] - 1;
}

static int32_t place_on_sphere(plan *p, const icosahedron *s, int face, int32_t i, int32_t j)
{
    const int32_t f = p->n[0], w[3] = {f - i - j, i, j};
    int32_t node = sphere_node(s, face, f, w);
    double sum[3] = {0, 0, 0}, square = 0, *x = node_at(p, node);
    for (int d = 0; d < 3; ++d)
    {
        for (int c = 0; c < 3; ++c)
            sum[d] += w[c] * s->corner[s->face[face][c]][d];
        square += sum[d] * sum[d];
    }
    for (int d = 0; d < 3; ++d)
        x[d] = p->def->radius * (sum[d] / sqrt(square));
    return node;
}

static void draw_sphere(plan *p)
{
    icosahedron s = make_icosahedron();
    int32_t f = p->n[0];
    for (int face = 0; face < 20; ++face)
        for (int32_t j = 0; j < f; ++j)
            for (int32_t i = 0; i + j < f; ++i)
            {
                int32_t a = place_on_sphere(p, &s, face, i, j), b = place_on_sphere(p, &s, face, i + 1, j);
                int32_t c = place_on_sphere(p, &s, face, i, j + 1);
                put_triangle(p, a, b, c);
                if (i + j < f - 1)
                    put_triangle(p, b, place_on_sphere(p, &s, face, i + 1, j + 1), c);
            }
}

// ---- planning --------------------------------------------------------------------------------------------------

static void plan_grid(plan *p, double a, bool ring_a, double b, bool ring_b)
{
    p->cells[0] = a, p->cells[1] = b;
    p->node_count = (a + !ring_a) * (b + !ring_b);
    p->triangle_count = 2 * a * b;
}

static void plan_box(plan *p)
{
    const pl_shape_def *def = p->def;
    double *n = p->cells;
    for (int d = 0; d < 3; ++d)
        n[d] = pl__cells_along(def->extent[d], def->edge, 1);
    double squares = 2 * (n[0] * n[1] + n[1] * n[2] + n[2] * n[0]);
    p->node_count = squares + 2;
    p->triangle_count = 2 * squares;
}

static void plan_rings(plan *p)
{
    const pl_shape_def *def = p->def;
    double rings = pl__cells_along(def->radius, def->edge, 1), along = pl__cells_along(def->extent[1], def->edge, 1);
    bool closed = def->kind == PL_SHAPE_CYLINDER;
    p->cells[0] = rings;
    p->cells[1] = closed ? along : 0;
    p->node_count = (closed ? 2 : 1) * (1 + 3 * rings * (rings + 1)) + (closed ? 6 * rings * (along - 1) : 0);
    p->triangle_count = (closed ? 2 : 1) * 6 * rings * rings + (closed ? 12 * rings * along : 0);
}

// A sphere of radius R has 20 f^2 triangles of about 4 pi R^2 / (20 f^2): edges of about 1.2 R / f.
static void plan_sphere(plan *p)
{
    double f = pl__cells_along(1.2046 * p->def->radius, p->def->edge, 1);
    p->cells[0] = f;
    p->node_count = 10 * f * f + 2;
    p->triangle_count = 20 * f * f;
}

static void make_plan(plan *p)
{
    const pl_shape_def *def = p->def;
    double edge = def->edge, around = pl__cells_along(2 * pi * def->radius, edge, 3),
           tube = pl__cells_along(2 * pi * def->tube, edge, 3);
    switch (def->kind)
    {
    case PL_SHAPE_BOX: plan_box(p); break;
    case PL_SHAPE_SPHERE: plan_sphere(p); break;
    case PL_SHAPE_CYLINDER:
    case PL_SHAPE_DISK: plan_rings(p); break;
    case PL_SHAPE_TORUS: plan_grid(p, around, true, tube, true); break;
    case PL_SHAPE_TUBE: plan_grid(p, around, true, pl__cells_along(def->extent[1], edge, 1), false); break;
    case PL_SHAPE_HALF_TORUS: plan_grid(p, pl__cells_along(pi * def->radius, edge, 2), false, tube, true); break;
    case PL_SHAPE_SHEET:
    case PL_SHAPE_RECTANGLE:
        plan_grid(p, pl__cells_along(def->extent[plane_of(def).u], edge, 1), false,
                  pl__cells_along(def->extent[plane_of(def).v], edge, 1), false);
        break;
    }
}

static void draw(plan *p)
{
    switch (p->def->kind)
    {
    case PL_SHAPE_BOX: draw_box(p); break;
    case PL_SHAPE_SPHERE: draw_sphere(p); break;
    case PL_SHAPE_CYLINDER: draw_cylinder(p); break;
    case PL_SHAPE_DISK: draw_disk(p); break;
    case PL_SHAPE_TORUS:
    case PL_SHAPE_HALF_TORUS: draw_torus(p); break;
    case PL_SHAPE_TUBE: draw_tube(p); break;
    case PL_SHAPE_SHEET:
    case PL_SHAPE_RECTANGLE: draw_flat(p); break;
    }
}

// ---- disorder --------------------------------------------------------------------------------------------------

// The shorter side of a cell of a flat shape.
static double shortest_edge(const plan *p)
{
    pl__plane plane = plane_of(p->def);
    if (p->def->kind == PL_SHAPE_DISK)
        return p->def->radius / p->n[0];
    return fmin(p->def->extent[plane.u] / p->n[0], p->def->extent[plane.v] / p->n[1]);
}

static pl_status jitter(const plan *p)
{
    pl_mesh *mesh = p->mesh;
    int8_t *inner = PL_NEW(mesh->ctx, mesh->node_count, int8_t);
    const pl__jitter j = {inner, p->def->jitter * shortest_edge(p), shortest_edge(p), plane_of(p->def).across,
                          p->def->seed};
    pl_status status = inner ? pl__mesh_inner_nodes(mesh, inner) : PL_ERR_MEMORY;
    if (status == PL_OK)
        status = pl__mesh_jitter(mesh, &j);
    PL_DELETE(mesh->ctx, inner, mesh->node_count);
    return status;
}

static pl_status disorder(const plan *p)
{
    const pl_shape_def *def = p->def;
    bool flat = def->kind == PL_SHAPE_SHEET || def->kind == PL_SHAPE_RECTANGLE || def->kind == PL_SHAPE_DISK;
    if (flat && def->pattern == PL_PATTERN_IRREGULAR)
        PL_TRY(pl__mesh_stir(p->mesh, plane_of(def), shortest_edge(p), def->seed));
    return def->jitter > 0 ? jitter(p) : PL_OK;
}

pl_status pl__shape_triangles(pl_context *ctx, const pl_shape_def *def, pl_mesh **mesh)
{
    plan p = {.def = def};
    make_plan(&p);
    PL_TRY(pl__shape_check_count(ctx, def, p.node_count, p.triangle_count));
    for (int d = 0; d < 3; ++d)
        p.n[d] = (int32_t)p.cells[d];
    p.mesh = pl__mesh_new(ctx, PL_ELEMENT_TRIANGLE, (int32_t)p.node_count, (int32_t)p.triangle_count);
    if (!p.mesh)
        return PL_ERR_MEMORY;
    p.out = p.mesh->element;
    draw(&p);
    PL_ASSERT(p.out == p.mesh->element + pl__mesh_index_count(p.mesh));
    pl_status status = disorder(&p);
    if (status == PL_OK)
        status = pl__mesh_finish(&p.mesh, "pl_mesh_create_shape");
    else
        pl_mesh_destroy(&p.mesh);
    *mesh = p.mesh;
    return status;
}

// src/mesh/shape_tets.c -- boxes, spheres, tori and cylinders of tetrahedra, from regular cells.
//
// A shape is a block of cells, nx by ny by nz cubes, divided into tetrahedra and mapped into shape.
//
// Three subdivisions (Irving's thesis, 2.12, compares them by elements per node):
//
//     FIVE   a regular tetrahedron in the middle of each cube and one at every other corner; neighbouring cubes are
//            mirror images, so that the diagonals of their common face agree. 5 per node.
//     SIX    the paths from corner 000 to corner 111 along the axes, one for each order of x, y, z (Kuhn). All cubes are
//            alike. 6 per node.
//     BCC    additional nodes at the centres of the cubes; around each face between two cubes four tetrahedra, each
//            spanned by the two centres and an edge of the face. 6 per node. On the boundary there is no second centre:
//            the remaining pyramid is halved along a diagonal, so that the boundary is flat and the volume exact.
//
// Round shapes use BCC, because every one of its tetrahedra has at most one face on the boundary. Where an edge of the
// block is opened to a smooth surface (90 degrees become 180), a tetrahedron with two faces there would be flattened;
// the other subdivisions have such tetrahedra, at any resolution.
//
// The map is gradual: cubes near the centre, spheres at the surface, in between a mean of the two weighted by the
// distance. A uniform map would carry the edges of the cube, and their bad angles, to the centre.
//
// What it does badly: a torus with a narrow hole has thin elements there, since it has as many around the hole as
// outside; and boxes and cylinders thinner than the edge length have flat elements.
#include "jitter.h"
#include "shape.h"
#include "topology.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

// A block of cells. Positions in it are counted in half cells: corners are even, centres odd.
typedef struct block
{
    const pl_shape_def *def;
    int32_t cells[3];
    int32_t corners[3]; // one more than cells, or as many where the block closes to a ring
    bool ring;          // the last axis is periodic
    bool has_middles;   // BCC
} block;

// ---- numbering ---------------------------------------------------------------------------------------------

static int32_t corner_count(const block *b) { return b->corners[0] * b->corners[1] * b->corners[2]; }

static int32_t cell_count(const block *b) { return b->cells[0] * b->cells[1] * b->cells[2]; }

static int32_t corner_node(const block *b, const int32_t at[3])
{
    int32_t k = at[2] == b->corners[2] ? 0 : at[2]; // only a ring has such a corner
    return at[0] + b->corners[0] * (at[1] + b->corners[1] * k);
}

static int32_t middle_node(const block *b, const int32_t cell[3])
{
    return corner_count(b) + cell[0] + b->cells[0] * (cell[1] + b->cells[1] * cell[2]);
}

static void unravel(int32_t index, const int32_t size[3], int32_t at[3])
{
    at[0] = index % size[0];
    at[1] = index / size[0] % size[1];
    at[2] = index / size[0] / size[1];
}

// Position of a node in half cells.
static void node_place(const block *b, int32_t node, int32_t half[3])
{
    int32_t corners = corner_count(b), odd = node >= corners;
    unravel(odd ? node - corners : node, odd ? b->cells : b->corners, half);
    for (int i = 0; i < 3; ++i)
        half[i] = 2 * half[i] + odd;
}

static bool is_interior(const block *b, const int32_t half[3])
{
    for (int i = 0; i < 3; ++i)
        if ((half[i] == 0 || half[i] == 2 * b->cells[i]) && !(b->ring && i == 2))
            return false;
    return true;
}

// ---- mapping -----------------------------------------------------------------------------------------------

// Nearly tan(pi u / 4): equal steps in u become nearly equal angles seen from the centre.
static double equal_angle(double u) { return u * (0.7854 + u * u * (0.1615 + u * u * 0.0531)); }

// Map the square or cube |u_i| <= 1 to the unit disc or ball.
static void bend_round(int dimension, const double *u, double *out)
{
    double reach = 0, square = 0, w[3];
    for (int i = 0; i < dimension; ++i)
        reach = fmax(reach, fabs(u[i]));
    for (int i = 0; i < dimension; ++i)
    {
        w[i] = reach > 0 ? equal_angle(u[i] / reach) : 0;
        square += w[i] * w[i];
    }
    // Tried: cores of 0.5 to 1 and weights from the root to the cube of the reach, on five meshes each. These leave 28
    // to 126 degrees in spheres; a core of 0.9 with the square of the reach leaves less than one.
    const double core = 0.65;
    for (int i = 0; i < dimension; ++i)
    {
        double round = reach > 0 ? reach * w[i] / sqrt(square) : 0;
        out[i] = reach * round + (1 - reach) * core * u[i];
    }
}

static void place_node(const block *b, const int32_t half[3], double x[3])
{
    const pl_shape_def *def = b->def;
    double u[3], flat[2], sine, cosine;
    for (int i = 0; i < 3; ++i)
        u[i] = (double)(half[i] - b->cells[i]) / b->cells[i];
    switch (def->kind)
    {
    case PL_SHAPE_BOX:
        for (int i = 0; i < 3; ++i)
            x[i] = 0.5 * def->extent[i] * u[i];
        break;
    case PL_SHAPE_SPHERE:
        bend_round(3, u, x);
        for (int i = 0; i < 3; ++i)
            x[i] *= def->radius;
        break;
    case PL_SHAPE_TORUS:
        bend_round(2, u, flat);
        pl__sine_cosine(half[2], 2 * (int64_t)b->cells[2], &sine, &cosine);
        x[0] = (def->radius + def->tube * flat[0]) * cosine;
        x[1] = def->tube * flat[1];
        x[2] = (def->radius + def->tube * flat[0]) * sine;
        break;
    case PL_SHAPE_CYLINDER:
        bend_round(2, (const double[2]){u[0], u[2]}, flat);
        x[0] = def->radius * flat[0];
        x[1] = 0.5 * def->extent[1] * u[1];
        x[2] = def->radius * flat[1];
        break;
    default: break; // triangles only
    }
}

static void place_nodes(const block *b, pl_mesh *mesh)
{
    for (int32_t node = 0; node < mesh->node_count; ++node)
    {
        int32_t half[3];
        node_place(b, node, half);
        place_node(b, half, &mesh->position[3 * (size_t)node]);
    }
}

// ---- subdivision -------------------------------------------------------------------------------------------

static int32_t *put_tet(int32_t *out, int32_t a, int32_t b, int32_t c, int32_t d)
{
    out[0] = a, out[1] = b, out[2] = c, out[3] = d;
    return out + 4;
}

// The eight corners of a cell, numbered x + 2 y + 4 z.
static void cell_corners(const block *b, int32_t cell, int32_t at[3], int32_t corner[8])
{
    unravel(cell, b->cells, at);
    for (int c = 0; c < 8; ++c)
        corner[c] = corner_node(b, (const int32_t[3]){at[0] + (c & 1), at[1] + (c >> 1 & 1), at[2] + (c >> 2)});
}

static void cut_five(const block *b, int32_t *out)
{
    static const int8_t corners[5][4] = {{0, 5, 3, 6}, {1, 0, 5, 3}, {2, 3, 6, 0}, {4, 5, 0, 6}, {7, 6, 3, 5}};
    for (int32_t cell = 0; cell < cell_count(b); ++cell)
    {
        int32_t at[3], node[8];
        cell_corners(b, cell, at, node);
        // odd cells are mirrored in x, which inverts tetrahedra: swap two corners
        int mirror = (at[0] + at[1] + at[2]) & 1;
        for (int t = 0; t < 5; ++t)
        {
            const int8_t *c = corners[t];
            out = put_tet(out, node[c[0] ^ mirror], node[c[1] ^ mirror], node[c[mirror ? 3 : 2] ^ mirror],
                          node[c[mirror ? 2 : 3] ^ mirror]);
        }
    }
}

static void cut_six(const block *b, int32_t *out)
{
    // second and third corner of the six paths 0 - . - . - 7, swapped for odd orders of the axes
    static const int8_t path[6][2] = {{1, 3}, {2, 6}, {4, 5}, {3, 2}, {6, 4}, {5, 1}};
    for (int32_t cell = 0; cell < cell_count(b); ++cell)
    {
        int32_t at[3], node[8];
        cell_corners(b, cell, at, node);
        for (int t = 0; t < 6; ++t)
            out = put_tet(out, node[0], node[path[t][0]], node[path[t][1]], node[7]);
    }
}

// In edge lengths, to avoid overflow.
static double distance_squared(const pl_mesh *mesh, double edge, int32_t a, int32_t b)
{
    double sum = 0;
    for (int i = 0; i < 3; ++i)
    {
        double d = (mesh->position[3 * (size_t)a + i] - mesh->position[3 * (size_t)b + i]) / edge;
        sum += d * d;
    }
    return sum;
}

// Halve the pyramid over the square q by the shorter diagonal, or in a checkerboard pattern if they are equal. q runs
// around the axis that points out of the block (`outward`) or into it.
static int32_t *cut_pyramid(const pl_mesh *mesh, double edge, const int32_t q[4], int32_t apex, bool outward, bool odd,
                            int32_t *out)
{
    double even_length = distance_squared(mesh, edge, q[0], q[2]),
           odd_length = distance_squared(mesh, edge, q[1], q[3]);
    if (fabs(even_length - odd_length) > 1e-6 * (even_length + odd_length))
        odd = odd_length < even_length;
    int32_t a = q[odd], b = q[1 + odd], c = q[2 + odd], d = q[(3 + odd) & 3];
    out = outward ? put_tet(out, a, c, b, apex) : put_tet(out, a, b, c, apex);
    return outward ? put_tet(out, a, d, c, apex) : put_tet(out, a, c, d, apex);
}

// The tetrahedra around the lower face of a cell across `axis`; `at` may be one past the last cell.
static int32_t *cut_face(const block *b, const pl_mesh *mesh, int axis, const int32_t at[3], int32_t *out)
{
    // the square, counterclockwise around the axis
    int next = (axis + 1) % 3, last = (axis + 2) % 3;
    int32_t q[4], corner[3], below[3];
    for (int i = 0; i < 4; ++i)
    {
        memcpy(corner, at, sizeof corner);
        corner[next] += i == 1 || i == 2;
        corner[last] += i >= 2;
        q[i] = corner_node(b, corner);
    }

    memcpy(below, at, sizeof below);
    bool closed = b->ring && axis == 2, odd = (at[next] + at[last]) & 1;
    below[axis] = closed && at[axis] == 0 ? b->cells[axis] - 1 : at[axis] - 1;
    if (below[axis] < 0)
        return cut_pyramid(mesh, b->def->edge, q, middle_node(b, at), false, odd, out);
    if (at[axis] == b->cells[axis])
        return cut_pyramid(mesh, b->def->edge, q, middle_node(b, below), true, odd, out);
    int32_t low = middle_node(b, below), high = middle_node(b, at);
    for (int i = 0; i < 4; ++i)
        out = put_tet(out, low, high, q[i], q[(i + 1) & 3]);
    return out;
}

static void cut_bcc(const block *b, const pl_mesh *mesh, int32_t *out)
{
    for (int32_t cell = 0; cell < cell_count(b); ++cell)
    {
        int32_t at[3];
        unravel(cell, b->cells, at);
        for (int axis = 0; axis < 3; ++axis)
        {
            out = cut_face(b, mesh, axis, at, out);
            if (at[axis] + 1 < b->cells[axis] || (b->ring && axis == 2))
                continue;
            at[axis]++;
            out = cut_face(b, mesh, axis, at, out);
            at[axis]--;
        }
    }
}

// ---- size --------------------------------------------------------------------------------------------------

// Lengths of the block along each axis before mapping: round shapes are measured by the cube or square of the same
// volume, tori along the centre line of the tube.
static void block_lengths(const pl_shape_def *def, double length[3])
{
    const double root_pi = 1.7724538509055160, cube_side = 1.6119919540164696; // pi^(1/2), (4 pi / 3)^(1/3)
    memcpy(length, def->extent, sizeof def->extent);
    if (def->kind == PL_SHAPE_SPHERE)
        length[0] = length[1] = length[2] = cube_side * def->radius;
    if (def->kind == PL_SHAPE_CYLINDER)
        length[0] = length[2] = root_pi * def->radius;
    if (def->kind == PL_SHAPE_TORUS)
    {
        length[0] = length[1] = root_pi * def->tube;
        length[2] = 2 * pi * def->radius;
    }
}

// The line between the centres of neighbouring cells of a ring is a chord, off by R (1 - cos(pi / n)) at radius R. It
// must still pass well within the face between them: allow a quarter of its width. And cells longer than three widths
// have angles below ten degrees.
static double fewest_around(const pl_shape_def *def, double cells_across)
{
    double width = 1.4 * def->tube / cells_across;
    double straight = pi * sqrt(2 * (def->radius + def->tube) / width);
    return ceil(fmax(straight, 2 * pi * def->radius / (3 * width)));
}

// Cells per axis, as real numbers because they may be too many; then the number of nodes and tetrahedra.
static void count_cells(const block *b, double cells[3], double *nodes, double *tets)
{
    // A body-centred cube has twice the nodes: scaled by the cube root of two, all subdivisions have the same nodes
    // per volume.
    double length[3], side = b->def->edge * (b->has_middles ? 1.2599210498948732 : 1);
    block_lengths(b->def, length);
    for (int i = 0; i < 3; ++i)
        cells[i] = pl__cells_along(length[i], side, 1);
    if (b->ring)
        cells[2] = fmax(cells[2], fewest_around(b->def, cells[0]));
    double total = cells[0] * cells[1] * cells[2];
    *nodes = (cells[0] + 1) * (cells[1] + 1) * (cells[2] + !b->ring) + (b->has_middles ? total : 0);
    // BCC: four around every face between cells, and two on every face of the boundary; these come in opposite pairs
    *tets = total * (b->has_middles ? 12 : b->def->cut == PL_CUT_FIVE ? 5 : 6);
}

static pl_status make_block(pl_context *ctx, const pl_shape_def *def, block *b, int32_t *node_count, int32_t *tet_count)
{
    bool box = def->kind == PL_SHAPE_BOX;
    *b = (block){.def = def, .ring = def->kind == PL_SHAPE_TORUS, .has_middles = !box || def->cut == PL_CUT_BCC};
    double cells[3], nodes, tets;
    count_cells(b, cells, &nodes, &tets);
    PL_TRY(pl__shape_check_count(ctx, def, nodes, tets));
    for (int i = 0; i < 3; ++i)
    {
        b->cells[i] = (int32_t)cells[i];
        b->corners[i] = b->cells[i] + !(b->ring && i == 2);
    }
    *node_count = (int32_t)nodes;
    *tet_count = (int32_t)tets;
    return PL_OK;
}

static pl_status jitter(const block *b, pl_mesh *mesh)
{
    int8_t *movable = PL_NEW(mesh->ctx, mesh->node_count, int8_t);
    for (int32_t node = 0; movable && node < mesh->node_count; ++node)
    {
        int32_t half[3];
        node_place(b, node, half);
        movable[node] = is_interior(b, half);
    }
    const pl_shape_def *def = b->def;
    const pl__jitter j = {movable, def->jitter * def->edge, def->edge, -1, def->seed};
    pl_status status = movable ? pl__mesh_jitter(mesh, &j) : PL_ERR_MEMORY;
    PL_DELETE(mesh->ctx, movable, mesh->node_count);
    return status;
}

pl_status pl__shape_tets(pl_context *ctx, const pl_shape_def *def, pl_mesh **mesh)
{
    block b;
    int32_t node_count = 0, tet_count = 0;
    PL_TRY(make_block(ctx, def, &b, &node_count, &tet_count));
    pl_mesh *m = pl__mesh_new(ctx, PL_ELEMENT_TET, node_count, tet_count);
    if (!m)
        return PL_ERR_MEMORY;
    place_nodes(&b, m);
    if (b.has_middles)
        cut_bcc(&b, m, m->element);
    else if (def->cut == PL_CUT_FIVE)
        cut_five(&b, m->element);
    else
        cut_six(&b, m->element);
    if (def->jitter > 0 && jitter(&b, m) != PL_OK)
    {
        pl_mesh_destroy(&m);
        return PL_ERR_MEMORY;
    }
    pl_status status = pl__mesh_finish(&m, "pl_mesh_create_shape");
    *mesh = m;
    return status;
}

// src/mesh/shapes.c -- boxes, spheres, tori and cylinders made of regular cells.
//
// A shape is a block of cells, nx by ny by nz cubes, cut into tetrahedra and bent into place.
//
// Three cuts (Irving's thesis, 2.12, compares them by the elements that a node pays for):
//
//   FIVE   a regular tetrahedron in the middle of each cube and one at every other corner; neighbouring cubes are mirror
//          images, so that the diagonals of their common face agree. 5 per node.
//   SIX    the paths from corner 000 to corner 111 along the axes, one for each order of x, y, z (Kuhn). All cubes are
//          alike. 6 per node.
//   BCC    nodes also in the middle of the cubes; around each face between two cubes four tetrahedra, each spanned by
//          the two middles and an edge of the face. 6 per node. On the boundary there is no second middle: the pyramid
//          that remains is halved along a diagonal, so that the boundary is flat and the volume exact.
//
// Round shapes use the BCC cut, because every one of its tetrahedra has at most one face on the boundary. Where an edge of
// the block is bent open to a smooth surface (90 degrees become 180), a tetrahedron with two faces there would be flattened;
// this is what the other cuts do at such edges, at any resolution.
//
// The block is bent gradually: cubes near the middle, spheres at the surface, in between a mean of the two weighted by
// the distance. Bending all of it alike would carry the edges of the cube, and their bad angles, to the middle.
//
// What it does badly: a torus with a narrow hole has thin elements there, since it has as many around the hole as outside;
// and boxes and cylinders thinner than the edge length have flat elements.
//
// Sines and square roots only from IEEE operations, so that a shape has the same bits on every machine.
#include "base/cpu.h"
#include "mesh.h"
#include "topology.h"
#include "base/random.h"

#include <math.h>
#include <string.h>

enum
{
    SHAPE_COOKIE = 0x506c5331
};

static const double pi = 3.14159265358979323846;

// A block of cells. Places in it are counted in half cells: corners have even numbers, middles odd ones.
typedef struct block
{
    const pl_shape_def *def;
    int32_t cells[3];
    int32_t corners[3]; // one more than cells, but as many where the block is bent into a ring
    bool ring;          // the last axis closes on itself
    bool has_middles;   // BCC
} block;

static double clamp_cells(double cells) { return fmax(1, floor(cells + 0.5)); }

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

// The place of a node in half cells.
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

// ---- bending -----------------------------------------------------------------------------------------------

// Nearly tan(pi u / 4): equal steps in u become nearly equal angles seen from the middle.
static double equal_angle(double u) { return u * (0.7854 + u * u * (0.1615 + u * u * 0.0531)); }

// The square or cube |u_i| <= 1 onto the unit disc or ball.
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
    // Tried: cores of 0.5 to 1 and weights from the root to the cube of the reach, on five meshes each. These leave 28 to
    // 126 degrees in spheres; a core of 0.9 with the square of the reach leaves less than one.
    const double core = 0.65;
    for (int i = 0; i < dimension; ++i)
    {
        double round = reach > 0 ? reach * w[i] / sqrt(square) : 0;
        out[i] = reach * round + (1 - reach) * core * u[i];
    }
}

// Sine and cosine of `numerator / denominator` of a full turn, 0 <= numerator <= denominator.
static void sine_cosine(int64_t numerator, int64_t denominator, double *sine, double *cosine)
{
    int64_t quarter = 4 * numerator / denominator;
    double angle = pi / 2 * (double)(4 * numerator - quarter * denominator) / (double)denominator;
    double square = angle * angle, s = 1, c = 1;
    for (int k = 11; k >= 1; --k)
    {
        s = 1 - s * square / (2 * k * (2 * k + 1));
        c = 1 - c * square / (2 * k * (2 * k - 1));
    }
    s *= angle;
    const double turned[5] = {s, c, -s, -c, s};
    *sine = turned[quarter % 4];
    *cosine = turned[quarter % 4 + 1];
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
        sine_cosine(half[2], 2 * (int64_t)b->cells[2], &sine, &cosine);
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

// ---- cuts --------------------------------------------------------------------------------------------------

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
        // odd cells are mirrored in x, which turns tetrahedra inside out: exchange two corners
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
    // second and third corner of the six paths 0 - . - . - 7, exchanged for odd orders of the axes
    static const int8_t path[6][2] = {{1, 3}, {2, 6}, {4, 5}, {3, 2}, {6, 4}, {5, 1}};
    for (int32_t cell = 0; cell < cell_count(b); ++cell)
    {
        int32_t at[3], node[8];
        cell_corners(b, cell, at, node);
        for (int t = 0; t < 6; ++t)
            out = put_tet(out, node[0], node[path[t][0]], node[path[t][1]], node[7]);
    }
}

// In edge lengths, so that nothing overflows.
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

// Halve the pyramid over the square q with the shorter diagonal, or when they are alike in the pattern of a chessboard.
// q runs around the axis that points out of the block (`outward`) or into it.
static int32_t *cut_pyramid(const pl_mesh *mesh, double edge, const int32_t q[4], int32_t apex, bool outward, bool odd,
                            int32_t *out)
{
    double even_length = distance_squared(mesh, edge, q[0], q[2]), odd_length = distance_squared(mesh, edge, q[1], q[3]);
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

// ---- jitter ------------------------------------------------------------------------------------------------

// Six volumes, in cubes of the edge length.
static double scaled_volume(const pl_mesh *mesh, int32_t tet, double edge)
{
    double e[3][3];
    const int32_t *n = &mesh->element[4 * (size_t)tet];
    for (int c = 0; c < 3; ++c)
        for (int i = 0; i < 3; ++i)
            e[c][i] = (mesh->position[3 * (size_t)n[c + 1] + i] - mesh->position[3 * (size_t)n[0] + i]) / edge;
    return e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) + e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
           e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
}

// A vector in the unit ball, from three times 21 bits of one random number.
static void random_move(uint64_t seed, int32_t node, double move[3])
{
    uint64_t bits = pl__random64(seed, 0, (uint64_t)node);
    double square = 0;
    for (int i = 0; i < 3; ++i)
    {
        move[i] = (double)(bits >> (21 * i) & 0x1fffff) * 0x1p-20 - 1;
        square += move[i] * move[i];
    }
    for (int i = 0; i < 3 && square > 1; ++i)
        move[i] /= sqrt(square);
}

// Move one node as far as its tetrahedra keep a fifth of their volume: the whole way, else halves of it.
static void jitter_node(const block *b, pl_mesh *mesh, const pl__lists *corners, const double *volume, int32_t node)
{
    enum { MAX_HALVINGS = 12 };
    double move[3], home[3], *x = &mesh->position[3 * (size_t)node];
    random_move(b->def->seed, node, move);
    memcpy(home, x, sizeof home);
    double reach = b->def->jitter * b->def->edge;
    for (int attempt = 0; attempt <= MAX_HALVINGS; ++attempt, reach *= 0.5)
    {
        bool ok = true;
        for (int i = 0; i < 3; ++i)
            x[i] = home[i] + reach * move[i];
        for (int32_t k = corners->start[node]; ok && k < corners->start[node + 1]; ++k)
        {
            int32_t tet = corners->item[k] / 4;
            ok = scaled_volume(mesh, tet, b->def->edge) >= 0.2 * volume[tet];
        }
        if (ok)
            return;
    }
    memcpy(x, home, sizeof home);
}

static pl_status jitter(const block *b, pl_mesh *mesh)
{
    pl__lists corners;
    PL_TRY(pl__node_corners(mesh->ctx, 4, mesh->element, mesh->element_count, mesh->node_count, &corners));
    double *volume = PL_NEW(mesh->ctx, mesh->element_count, double);
    for (int32_t t = 0; volume && t < mesh->element_count; ++t)
        volume[t] = scaled_volume(mesh, t, b->def->edge);
    for (int32_t node = 0; volume && node < mesh->node_count; ++node)
    {
        int32_t half[3];
        node_place(b, node, half);
        if (is_interior(b, half))
            jitter_node(b, mesh, &corners, volume, node);
    }
    pl_status status = volume ? PL_OK : PL_ERR_MEMORY;
    PL_DELETE(mesh->ctx, volume, mesh->element_count);
    pl__lists_done(mesh->ctx, &corners);
    return status;
}

// ---- definition --------------------------------------------------------------------------------------------

pl_shape_def pl_shape_def_default(void)
{
    return (pl_shape_def){
        .kind = PL_SHAPE_BOX,
        .extent = {1, 1, 1},
        .radius = 0.5,
        .tube = 0.2,
        .edge = 0.1,
        .cut = PL_CUT_BCC,
        .cookie = SHAPE_COOKIE,
    };
}

static pl_status check_positive(pl_context *ctx, const char *field, double value)
{
    PL_CHECK(ctx, value > 0 && isfinite(value), "pl_mesh_create_shape: %s is %g, allowed is > 0 and finite", field, value);
    return PL_OK;
}

static pl_status check_def(pl_context *ctx, const pl_shape_def *def)
{
    PL_CHECK(ctx, def->cookie == SHAPE_COOKIE, "pl_mesh_create_shape: cookie is %#x, start from pl_shape_def_default()",
             def->cookie);
    PL_CHECK(ctx, (int)def->kind >= PL_SHAPE_BOX && (int)def->kind <= PL_SHAPE_CYLINDER,
             "pl_mesh_create_shape: kind is %d, allowed is %d to %d", (int)def->kind, PL_SHAPE_BOX, PL_SHAPE_CYLINDER);
    static const char *const extent_name[3] = {"extent[0]", "extent[1]", "extent[2]"};
    for (int i = 0; i < 3; ++i)
        if (def->kind == PL_SHAPE_BOX || (def->kind == PL_SHAPE_CYLINDER && i == 1))
            PL_TRY(check_positive(ctx, extent_name[i], def->extent[i]));
    if (def->kind == PL_SHAPE_BOX)
        PL_CHECK(ctx, (int)def->cut >= PL_CUT_FIVE && (int)def->cut <= PL_CUT_BCC,
                 "pl_mesh_create_shape: cut is %d, allowed is %d to %d", (int)def->cut, PL_CUT_FIVE, PL_CUT_BCC);
    else
        PL_TRY(check_positive(ctx, "radius", def->radius));
    if (def->kind == PL_SHAPE_TORUS)
        PL_CHECK(ctx, def->tube > 0 && def->tube < def->radius,
                 "pl_mesh_create_shape: tube is %g, allowed is > 0 and < radius, which is %g", def->tube, def->radius);
    PL_TRY(check_positive(ctx, "edge", def->edge));
    PL_CHECK(ctx, def->jitter >= 0 && def->jitter <= 0.3, "pl_mesh_create_shape: jitter is %g, allowed is 0 to 0.3",
             def->jitter);
    return PL_OK;
}

// ---- size --------------------------------------------------------------------------------------------------

// How long the block is along each axis before it is bent: round shapes are measured by the cube or square of the same
// volume, tori along the middle of the tube.
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

// The line between the middles of neighbouring cells of a ring cuts the corner, by R (1 - cos(pi / n)) at radius R. It must
// still pass well within the face between them: allow a quarter of its width. And cells longer than three widths have angles
// below ten degrees.
static double fewest_around(const pl_shape_def *def, double cells_across)
{
    double width = 1.4 * def->tube / cells_across;
    double straight = pi * sqrt(2 * (def->radius + def->tube) / width);
    return ceil(fmax(straight, 2 * pi * def->radius / (3 * width)));
}

// Cells per axis, still as real numbers because they may be too many; then how many nodes and tetrahedra.
static void count_cells(const block *b, double cells[3], double *nodes, double *tets)
{
    // A body-centred cube has twice the nodes: larger by the cube root of two, all cuts have the same nodes per volume.
    double length[3], side = b->def->edge * (b->has_middles ? 1.2599210498948732 : 1);
    block_lengths(b->def, length);
    for (int i = 0; i < 3; ++i)
        cells[i] = clamp_cells(length[i] / side);
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
    PL_CHECK(ctx, nodes <= PL__MAX_NODES && tets <= PL__MAX_TETS,
             "pl_mesh_create_shape: edge is %g, which is too small: %.3g nodes and %.3g tetrahedra, allowed are %d and %d",
             def->edge, nodes, tets, PL__MAX_NODES, PL__MAX_TETS);
    for (int i = 0; i < 3; ++i)
    {
        b->cells[i] = (int32_t)cells[i];
        b->corners[i] = b->cells[i] + !(b->ring && i == 2);
    }
    *node_count = (int32_t)nodes;
    *tet_count = (int32_t)tets;
    return PL_OK;
}

static pl_status create_shape(pl_context *ctx, const pl_shape_def *def, pl_mesh **mesh)
{
    *mesh = NULL;
    PL_CHECK(ctx, def, "pl_mesh_create_shape: the definition is NULL");
    block b;
    int32_t node_count = 0, tet_count = 0;
    PL_TRY(check_def(ctx, def));
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

// In our own floating-point environment, so that the host's cannot change a bit of a shape.
pl_status pl_mesh_create_shape(pl_context *ctx, const pl_shape_def *def, pl_mesh **mesh)
{
    uint64_t host = pl__fp_enter();
    pl_status status = create_shape(ctx, def, mesh);
    pl__fp_leave(host);
    return status;
}

// src/embed/cut_cross.c -- intersections of a surface with the faces and edges of a mesh, each computed once.
//
// With all sides decided by pl__side nothing is degenerate, and there are two kinds of crossings: an edge of the
// surface goes through a face of the mesh, or an edge of the mesh through a triangle of the surface. A triangle meets
// a face in a segment whose two ends are such crossings, or not at all.
//
// Surface edges are traced from the tet of their start to that of their end; tets are convex, so that there is a
// unique exit from each, and crossings are found in order. Triangles are flooded from tet to tet across the faces that
// they meet. A triangle with all vertices in one tet lies inside it, and most do.
//
// Directions follow from the same signs. Seen from outside the surface, with a tet on the left, the segment in its
// face F begins where an edge of the triangle (going anticlockwise) leaves the tet; and an edge A B of F, the face
// being A B C seen from outside the tet, crosses the triangle upwards where the segment ends: the tet is then to the
// right of C, seen along A B from above.
//
// Coordinates of crossings are quotients of volumes: heights of A and B above a triangle, or the volumes that an edge
// spans with the three edges of a face (pl__sizes). If all are zero, everything is coplanar, and the crossing is at
// the limit for vanishing perturbations, so that parts of triangles and faces match there too.
#include "cut_parts.h"
#include "mesh/point.h"

// Visited marks of a triangle, stamped with its number.
typedef struct
{
    pl__cut *cut;
    int32_t triangle;
    int32_t *tet_stamp, *face_stamp, *edge_stamp, *node_stamp;
    int32_t *edge_point; // [places of edges]  crossing with the triangle, or -1
    int8_t *node_side;
    int32_t *stack; // [tet_count]
    int32_t stack_count;
    size_t edge_count;
} spread;

static int32_t add_crossing(pl__cut *cut, const pl__cut_crossing *crossing)
{
    if (!PL_GROW(cut->ctx, cut->crossing, &cut->crossing_capacity, (size_t)cut->crossing_count + 1))
        return -1;
    cut->crossing[cut->crossing_count] = *crossing;
    return cut->vertex_count + cut->node_count + cut->crossing_count++;
}

// ---- edges of the surface -------------------------------------------------------------------------------------------

static void place_in_face(const pl__cut *cut, int32_t half, const pl__cut_face *face, pl__cut_crossing *crossing)
{
    pl__spot a = pl__cut_vertex_spot(cut, pl__cut_start(cut, half)),
             b = pl__cut_vertex_spot(cut, pl__cut_end(cut, half));
    pl__spot node[3], span[3][4];
    double *w = crossing->weight;
    for (int k = 0; k < 3; ++k)
        node[k] = pl__cut_node_spot(cut, face->node[k]);
    for (int k = 0; k < 3; ++k)
        span[k][0] = a, span[k][1] = b, span[k][2] = node[(k + 1) % 3], span[k][3] = node[(k + 2) % 3];
    pl__sizes((const pl__spot(*)[4])span, 3, w);
    double sum = w[0] + w[1] + w[2];
    for (int k = 0; k < 3; ++k)
        w[k] /= sum;
    for (int d = 0; d < 3; ++d)
        crossing->x[d] = w[0] * node[0].x[d] + w[1] * node[1].x[d] + w[2] * node[2].x[d];
}

// Whether the line through a and b leaves a tet through this face, given that it intersects the tet.
static bool leaves_by(const pl__cut *cut, pl__spot a, pl__spot b, int32_t face_number)
{
    const int32_t *n = &cut->tet[face_number - face_number % 4];
    const int8_t *c = pl__element_forms[PL_ELEMENT_TET].face[face_number % 4];
    pl__spot A = pl__cut_node_spot(cut, n[c[0]]), B = pl__cut_node_spot(cut, n[c[1]]),
             C = pl__cut_node_spot(cut, n[c[2]]);
    if (pl__side(A, B, C, b) > 0)
        return false;
    int side = pl__side(a, b, A, B);
    return side == pl__side(a, b, B, C) && side == pl__side(a, b, C, A);
}

// The face through which an edge leaves a tet that it entered by another, or -1.
static int32_t find_exit(const pl__cut *cut, int32_t half, int32_t tet, int32_t entry)
{
    pl__spot a = pl__cut_vertex_spot(cut, pl__cut_start(cut, half)),
             b = pl__cut_vertex_spot(cut, pl__cut_end(cut, half));
    for (int32_t f = 4 * tet; f < 4 * tet + 4; ++f)
        if (f != entry && leaves_by(cut, a, b, f))
            return f;
    return -1;
}

static pl_status stick_out(const pl__cut *cut, int32_t triangle)
{
    const double *x = &cut->x[3 * (size_t)cut->corner[3 * (size_t)triangle]];
    return pl__fail(cut->ctx, PL_ERR_ARGUMENT,
                    "triangle %d of the surface, at (%g, %g, %g), sticks out of the mesh, which must hold all of it",
                    triangle, x[0] + cut->center[0], x[1] + cut->center[1], x[2] + cut->center[2]);
}

static pl_status walk_edge(pl__cut *cut, int32_t half)
{
    int32_t tet = cut->home[pl__cut_start(cut, half)], last = cut->home[pl__cut_end(cut, half)], entry = -1;
    cut->first_crossing[half] = cut->crossing_count;
    while (tet != last)
    {
        int32_t exit = find_exit(cut, half, tet, entry);
        if (exit < 0 || cut->twin[exit] < 0)
            return stick_out(cut, half / 3);
        const pl__cut_face *face = &cut->face[cut->face_of[exit]];
        pl__cut_crossing crossing = {PL__EDGE_IN_FACE, cut->face_of[exit], half, face->tet[0] == tet, {0}, {0}};
        place_in_face(cut, half, face, &crossing);
        if (add_crossing(cut, &crossing) < 0)
            return PL_ERR_MEMORY;
        entry = cut->twin[exit];
        tet = entry / 4;
    }
    cut->edge_crossing_count[half] = cut->crossing_count - cut->first_crossing[half];
    return PL_OK;
}

// ---- edges of the mesh ----------------------------------------------------------------------------------------------

static void place_in_triangle(const pl__cut *cut, int32_t triangle, const int32_t node[2], pl__cut_crossing *crossing)
{
    const int32_t *v = &cut->corner[3 * (size_t)triangle];
    pl__spot a = pl__cut_vertex_spot(cut, v[0]), b = pl__cut_vertex_spot(cut, v[1]), c = pl__cut_vertex_spot(cut, v[2]);
    pl__spot A = pl__cut_node_spot(cut, node[0]), B = pl__cut_node_spot(cut, node[1]);
    double height[2];
    pl__sizes((const pl__spot[2][4]){{a, b, c, A}, {a, b, c, B}}, 2, height);
    double at = height[0] / (height[0] + height[1]);
    crossing->weight[0] = 1 - at;
    crossing->weight[1] = at;
    pl__lerp3(A.x, B.x, at, crossing->x);
}

static int side_of_node(spread *s, int32_t node)
{
    const pl__cut *cut = s->cut;
    const int32_t *v = &cut->corner[3 * (size_t)s->triangle];
    if (s->node_stamp[node] != s->triangle)
    {
        s->node_stamp[node] = s->triangle;
        s->node_side[node] = (int8_t)pl__side(pl__cut_vertex_spot(cut, v[0]), pl__cut_vertex_spot(cut, v[1]),
                                              pl__cut_vertex_spot(cut, v[2]), pl__cut_node_spot(cut, node));
    }
    return s->node_side[node];
}

static bool passes_triangle(spread *s, const int32_t node[2])
{
    const pl__cut *cut = s->cut;
    if (side_of_node(s, node[0]) == side_of_node(s, node[1]))
        return false;
    const int32_t *v = &cut->corner[3 * (size_t)s->triangle];
    pl__spot A = pl__cut_node_spot(cut, node[0]), B = pl__cut_node_spot(cut, node[1]);
    pl__spot a = pl__cut_vertex_spot(cut, v[0]), b = pl__cut_vertex_spot(cut, v[1]), c = pl__cut_vertex_spot(cut, v[2]);
    int side = pl__side(a, b, A, B);
    return side == pl__side(b, c, A, B) && side == pl__side(c, a, A, B);
}

// The crossing of a mesh edge with the triangle, in `point`, or -1. False when out of memory.
static bool cross_mesh_edge(spread *s, int32_t a, int32_t b, int32_t *point)
{
    int32_t node[2] = {a < b ? a : b, a < b ? b : a}, edge = pl__cut_mesh_edge(s->cut, a, b);
    if (s->edge_stamp[edge] != s->triangle)
    {
        s->edge_stamp[edge] = s->triangle;
        s->edge_point[edge] = -1;
        if (passes_triangle(s, node))
        {
            pl__cut_crossing crossing = {PL__EDGE_IN_TRIANGLE,         edge, s->triangle,
                                         side_of_node(s, node[0]) > 0, {0},  {0}};
            place_in_triangle(s->cut, s->triangle, node, &crossing);
            if ((s->edge_point[edge] = add_crossing(s->cut, &crossing)) < 0)
                return false;
        }
    }
    *point = s->edge_point[edge];
    return true;
}

// ---- triangles ------------------------------------------------------------------------------------------------------

// Ends of the segment on the sides of the triangle.
static void find_side_ends(const pl__cut *cut, pl__cut_segment *segment)
{
    for (int32_t half = 3 * segment->triangle; half < 3 * segment->triangle + 3; ++half)
    {
        int32_t edge = pl__cut_edge_of(cut, half), first = cut->first_crossing[edge];
        for (int32_t k = first; k < first + cut->edge_crossing_count[edge]; ++k)
            if (cut->crossing[k].on == segment->face)
            {
                bool leaves = cut->crossing[k].forward == (edge == half);
                *(leaves ? &segment->start : &segment->end) = cut->vertex_count + cut->node_count + k;
            }
    }
}

// Ends of the segment on the edges of the face.
static bool find_inner_ends(spread *s, pl__cut_segment *segment)
{
    const int32_t *node = s->cut->face[segment->face].node;
    for (int k = 0; k < 3; ++k)
    {
        int32_t a = node[k], b = node[(k + 1) % 3], point;
        if (!cross_mesh_edge(s, a, b, &point))
            return false;
        if (point < 0)
            continue;
        bool upwards = side_of_node(s, a) > 0;
        *(upwards ? &segment->end : &segment->start) = point;
    }
    return true;
}

static void visit_tet(spread *s, int32_t tet)
{
    if (s->tet_stamp[tet] == s->triangle)
        return;
    s->tet_stamp[tet] = s->triangle;
    s->stack[s->stack_count++] = tet;
}

static pl_status cross_face(spread *s, int32_t face)
{
    pl__cut *cut = s->cut;
    if (s->face_stamp[face] == s->triangle)
        return PL_OK;
    s->face_stamp[face] = s->triangle;
    pl__cut_segment segment = {s->triangle, face, -1, -1};
    find_side_ends(cut, &segment);
    if (!find_inner_ends(s, &segment))
        return PL_ERR_MEMORY;
    PL_ASSERT((segment.start < 0) == (segment.end < 0));
    if (segment.start < 0)
        return PL_OK;
    if (!PL_GROW(cut->ctx, cut->segment, &cut->segment_capacity, (size_t)cut->segment_count + 1))
        return PL_ERR_MEMORY;
    cut->segment[cut->segment_count++] = segment;
    visit_tet(s, cut->face[face].tet[0]);
    visit_tet(s, cut->face[face].tet[1]);
    return PL_OK;
}

// No edge of a boundary face may cross the surface.
static pl_status check_boundary_face(spread *s, int32_t number)
{
    const int32_t *n = &s->cut->tet[number - number % 4];
    const int8_t *c = pl__element_forms[PL_ELEMENT_TET].face[number % 4];
    for (int k = 0; k < 3; ++k)
    {
        int32_t point;
        if (!cross_mesh_edge(s, n[c[k]], n[c[(k + 1) % 3]], &point))
            return PL_ERR_MEMORY;
        if (point >= 0)
            return stick_out(s->cut, s->triangle);
    }
    return PL_OK;
}

static pl_status spread_triangle(spread *s, int32_t triangle)
{
    pl__cut *cut = s->cut;
    const int32_t *v = &cut->corner[3 * (size_t)triangle];
    cut->first_segment[triangle] = cut->segment_count;
    if (cut->home[v[0]] == cut->home[v[1]] && cut->home[v[1]] == cut->home[v[2]])
        return PL_OK;
    s->triangle = triangle;
    visit_tet(s, cut->home[v[0]]);
    while (s->stack_count > 0)
    {
        int32_t tet = s->stack[--s->stack_count];
        for (int32_t f = 4 * tet; f < 4 * tet + 4; ++f)
            PL_TRY(cut->face_of[f] < 0 ? check_boundary_face(s, f) : cross_face(s, cut->face_of[f]));
    }
    return PL_OK;
}

static void forget(int32_t *stamp, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        stamp[i] = -1;
}

static pl_status spread_all(spread *s)
{
    pl__cut *cut = s->cut;
    s->tet_stamp = PL_NEW(cut->ctx, cut->tet_count, int32_t);
    s->face_stamp = PL_NEW(cut->ctx, cut->face_count, int32_t);
    s->edge_stamp = PL_NEW(cut->ctx, s->edge_count, int32_t);
    s->edge_point = PL_NEW(cut->ctx, s->edge_count, int32_t);
    s->node_stamp = PL_NEW(cut->ctx, cut->node_count, int32_t);
    s->node_side = PL_NEW(cut->ctx, cut->node_count, int8_t);
    s->stack = PL_NEW(cut->ctx, cut->tet_count, int32_t);
    if (!s->tet_stamp || !s->face_stamp || !s->edge_stamp || !s->edge_point || !s->node_stamp || !s->node_side ||
        !s->stack)
        return PL_ERR_MEMORY;
    forget(s->tet_stamp, (size_t)cut->tet_count);
    forget(s->face_stamp, (size_t)cut->face_count);
    forget(s->edge_stamp, s->edge_count);
    forget(s->node_stamp, (size_t)cut->node_count);
    for (int32_t t = 0; t < cut->triangle_count; ++t)
        PL_TRY(spread_triangle(s, t));
    cut->first_segment[cut->triangle_count] = cut->segment_count;
    return PL_OK;
}

static void spread_done(spread *s)
{
    pl__cut *cut = s->cut;
    PL_DELETE(cut->ctx, s->tet_stamp, cut->tet_count);
    PL_DELETE(cut->ctx, s->face_stamp, cut->face_count);
    PL_DELETE(cut->ctx, s->edge_stamp, s->edge_count);
    PL_DELETE(cut->ctx, s->edge_point, s->edge_count);
    PL_DELETE(cut->ctx, s->node_stamp, cut->node_count);
    PL_DELETE(cut->ctx, s->node_side, cut->node_count);
    PL_DELETE(cut->ctx, s->stack, cut->tet_count);
}

pl_status pl__cut_cross(pl__cut *cut)
{
    cut->first_crossing = PL_NEW(cut->ctx, 3 * (size_t)cut->triangle_count, int32_t);
    cut->edge_crossing_count = PL_NEW(cut->ctx, 3 * (size_t)cut->triangle_count, int32_t);
    cut->first_segment = PL_NEW(cut->ctx, (size_t)cut->triangle_count + 1, int32_t);
    if (!cut->first_crossing || !cut->edge_crossing_count || !cut->first_segment)
        return PL_ERR_MEMORY;
    for (int32_t half = 0; half < 3 * cut->triangle_count; ++half)
        if (half < cut->mate[half])
            PL_TRY(walk_edge(cut, half));
    spread s = {.cut = cut, .edge_count = (size_t)cut->edges.start[cut->edges.row_count]};
    pl_status status = spread_all(&s);
    spread_done(&s);
    return status;
}

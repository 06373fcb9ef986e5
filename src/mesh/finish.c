// src/mesh/finish.c -- validates a mesh, orients its elements, and extracts its boundary.
//
// 1. Positions are finite, and node indices are in range and distinct within an element.
//
// 2. No element is degenerate, with L its longest edge: a tetrahedron has V > 1e-12 L^3 (a regular one has 0.118 L^3),
// a hexahedron det J > 1e-12 L^3 at its eight Gauss points (a cube has L^3), a triangle A > 1e-12 L^2.
//
// 3. Volumes are positive: inverted tetrahedra have two nodes swapped, hexahedra their bottom and top. A hexahedron
// that is inverted at some Gauss points only is twisted, which cannot be repaired.
//
// 4. No face belongs to three or more tetrahedra or hexahedra. Edges of triangles may: a T of three sheets is a body.
//
// 5. The boundary is every face of only one element, outward, ascending by element and face. Quadrilaterals are halved
// by the diagonal from their lowest node, so that neighbours agree. In a fractured mesh, nodes count as the node of
// the intact mesh that they are copies of: both sides of a crack are halved alike, or nonplanar faces would intersect
// where they separate. The boundary of a triangle mesh is the triangles themselves.
//
// 6. Triangles are oriented like their neighbours (orient.c).
//
// The measures of 2 are scale invariant (geometry.c), and rounding is far below the thresholds, which is why the signs
// in 3 can be trusted without exact arithmetic.
#include "geometry.h"
#include "orient.h"
#include "topology.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double smallest_fullness = 1e-12; // see pl__fullness

// ---- checks ------------------------------------------------------------------------------------------------

typedef struct label
{
    char text[160];
} label;

// "tetrahedron 4 (nodes 7 6 8 5)"
static label label_of(const pl_mesh *m, int32_t element)
{
    label l;
    int at = snprintf(l.text, sizeof l.text, "%s %d (nodes", pl__element_forms[m->kind].one, element);
    for (int32_t c = 0; c < pl__mesh_corners(m); ++c)
        at += snprintf(l.text + at, sizeof l.text - (size_t)at, " %d", pl__mesh_element(m, element)[c]);
    (void)snprintf(l.text + at, sizeof l.text - (size_t)at, ")");
    return l;
}

static pl_status check_positions(const pl_mesh *m, const char *where)
{
    for (size_t i = 0; i < 3 * (size_t)m->node_count; ++i)
        PL_CHECK(m->ctx, isfinite(m->position[i]), "%s: node %zu: %c is %g, allowed are finite numbers", where, i / 3,
                 "xyz"[i % 3], m -> position[i]);
    return PL_OK;
}

static pl_status check_corners(const pl_mesh *m, const char *where, int32_t element)
{
    static const char *const word[9] = {[3] = "three", [4] = "four", [8] = "eight"};
    const int32_t *n = pl__mesh_element(m, element), corners = pl__mesh_corners(m);
    for (int32_t c = 0; c < corners; ++c)
    {
        PL_CHECK(m->ctx, n[c] >= 0 && n[c] < m->node_count, "%s: %s: node %d is out of range, allowed is 0 to %d",
                 where, label_of(m, element).text, n[c], m->node_count - 1);
        for (int32_t other = 0; other < c; ++other)
            PL_CHECK(m->ctx, n[c] != n[other], "%s: %s repeats node %d, its %s nodes must differ", where,
                     label_of(m, element).text, n[c], word[corners]);
    }
    return PL_OK;
}

static pl_status check_fullness(const pl_mesh *m, const char *where, int32_t element, pl__fullness f)
{
    PL_CHECK(m->ctx, !(f.least < -smallest_fullness && f.greatest > smallest_fullness),
             "%s: %s is twisted: the determinant of its Jacobian is %g at one Gauss point and %g at another, in cubes "
             "of its longest "
             "edge; allowed is one sign at all eight",
             where, label_of(m, element).text, f.least, f.greatest);
    static const char *const measure[3] = {"volume", "least Jacobian determinant", "area"};
    double smallest = fmin(fabs(f.least), fabs(f.greatest));
    PL_CHECK(m->ctx, (f.least > 0 || f.greatest < 0) && smallest > smallest_fullness,
             "%s: %s is degenerate: its %s is %g of the %s of its longest edge, allowed is more than %g", where,
             label_of(m, element).text, measure[m->kind], smallest, m->kind == PL_ELEMENT_TRIANGLE ? "square" : "cube",
             smallest_fullness);
    return PL_OK;
}

// Reverse the orientation of an element.
static void turn(const pl_mesh *m, int32_t *n)
{
    int count = m->kind == PL_ELEMENT_HEX ? 4 : 1, from = m->kind == PL_ELEMENT_HEX ? 0 : 2;
    for (int c = from; c < from + count; ++c)
    {
        int32_t swap = n[c];
        n[c] = n[c + count];
        n[c + count] = swap;
    }
}

// Reject degenerate elements, reverse inverted ones, and warn once.
static pl_status turn_elements(pl_mesh *m, const char *where)
{
    int32_t turned = 0, first = -1;
    for (int32_t e = 0; e < m->element_count; ++e)
    {
        pl__fullness f = pl__element_fullness(m, e);
        PL_TRY(check_fullness(m, where, e, f));
        if (f.least > 0)
            continue;
        turn(m, pl__mesh_element(m, e));
        first = turned++ ? first : e;
    }
    if (turned)
        pl__log(m->ctx, PL_LOG_NOTE, "%s: %d of %d %s had negative volume and were turned: first is %d", where, turned,
                m->element_count, pl__element_forms[m->kind].many, first);
    return PL_OK;
}

// ---- boundary ----------------------------------------------------------------------------------------------

static void face_nodes(const pl_mesh *m, int32_t face, int32_t nodes[4])
{
    const pl__element_form *form = &pl__element_forms[m->kind];
    const int32_t *corner = pl__mesh_element(m, face / form->faces);
    for (int32_t c = 0; c < form->face_corners; ++c)
        nodes[c] = corner[form->face[face % form->faces][c]];
}

static int32_t origin_of(const pl_mesh *m, int32_t node) { return m->origin ? m->origin[node] : node; }

// The triangles of a face: itself, or the halves of a quadrilateral; returns their number.
static int face_triangles(const pl_mesh *m, int32_t face, int32_t out[6])
{
    int32_t n[4];
    face_nodes(m, face, n);
    if (m->kind == PL_ELEMENT_TET)
    {
        memcpy(out, n, 3 * sizeof *out);
        return 1;
    }
    int low = 0;
    for (int c = 1; c < 4; ++c)
        low = origin_of(m, n[c]) < origin_of(m, n[low]) ? c : low;
    for (int half = 0; half < 2; ++half)
    {
        out[3 * half] = n[low];
        out[3 * half + 1] = n[(low + half + 1) & 3];
        out[3 * half + 2] = n[(low + half + 2) & 3];
    }
    return 2;
}

// Two neighbours have opposite orientations of their common face; if not, both lie on the same side of it.
static bool same_side(const pl_mesh *m, int32_t face, int32_t twin)
{
    int32_t a[4], b[4], count = pl__element_forms[m->kind].face_corners, shift = 0;
    face_nodes(m, face, a);
    face_nodes(m, twin, b);
    while (shift < count - 1 && b[0] != a[shift])
        ++shift;
    return b[1] == a[(shift + 1) % count];
}

// A folded mesh can be simulated, but its boundary is not closed: worth a warning, not a refusal.
static void warn_of_overlap(const pl_mesh *m, const int32_t *twin, const char *where)
{
    const pl__element_form *form = &pl__element_forms[m->kind];
    int32_t count = 0, first = -1;
    for (int32_t face = 0; face < form->faces * m->element_count; ++face)
        if (twin[face] > face && same_side(m, face, twin[face]))
            first = count++ ? first : face;
    if (count)
        pl__log(m->ctx, PL_LOG_WARNING,
                "%s: the mesh overlaps itself: %d pairs of %s lie on the same side of the %s they share, first are %d "
                "and %d",
                where, count, form->many, form->face_name, first / form->faces, twin[first] / form->faces);
}

static pl_status store_boundary(pl_mesh *m, const int32_t *twin)
{
    int32_t face_count = pl__element_forms[m->kind].faces * m->element_count, nodes[6];
    int64_t count = 0;
    for (int32_t face = 0; face < face_count; ++face)
        count += twin[face] < 0 ? (m->kind == PL_ELEMENT_HEX ? 2 : 1) : 0;
    if (count > PL__MAX_NODES)
        return pl__fail(m->ctx, PL_ERR_MEMORY, "%lld boundary triangles, at most %d fit", (long long)count,
                        PL__MAX_NODES);
    m->triangle = PL_NEW(m->ctx, 3 * (size_t)count, int32_t);
    if (!m->triangle)
        return PL_ERR_MEMORY;
    m->triangle_count = (int32_t)count;
    int32_t *out = m->triangle;
    for (int32_t face = 0; face < face_count; ++face)
        if (twin[face] < 0)
        {
            size_t halves = (size_t)face_triangles(m, face, nodes);
            memcpy(out, nodes, 3 * halves * sizeof *out);
            out += 3 * halves;
        }
    return PL_OK;
}

static pl_status bound_solid(pl_mesh *m, const char *where, const int32_t *twin, const pl__crowd *crowd)
{
    const pl__element_form *form = &pl__element_forms[m->kind];
    PL_CHECK(m->ctx, crowd->count == 0, "%s: %s %d, %d and %d share a %s, allowed are two to a %s", where, form->many,
             crowd->element[0], crowd->element[1], crowd->element[2], form->face_name, form->face_name);
    PL_TRY(store_boundary(m, twin));
    warn_of_overlap(m, twin, where);
    return PL_OK;
}

static pl_status bound_sheet(pl_mesh *m, const char *where, const int32_t *twin, const pl__crowd *crowd)
{
    if (crowd->count)
        pl__log(m->ctx, PL_LOG_NOTE, "%s: edges of three triangles or more: %d; first meet triangles %d, %d and %d",
                where, crowd->count, crowd->element[0], crowd->element[1], crowd->element[2]);
    PL_TRY(pl__mesh_orient(m, where, twin));
    m->triangle = PL_NEW(m->ctx, pl__mesh_index_count(m), int32_t);
    if (!m->triangle)
        return PL_ERR_MEMORY;
    m->triangle_count = m->element_count;
    memcpy(m->triangle, m->element, sizeof(int32_t) * pl__mesh_index_count(m));
    return PL_OK;
}

static pl_status find_boundary(pl_mesh *m, const char *where)
{
    size_t face_count = (size_t)pl__element_forms[m->kind].faces * (size_t)m->element_count;
    int32_t *twin = PL_NEW(m->ctx, face_count, int32_t);
    if (!twin)
        return PL_ERR_MEMORY;
    pl__crowd crowd;
    pl_status status = pl__face_twins(m->ctx, m->kind, m->element, m->element_count, m->node_count, twin, &crowd);
    if (status == PL_OK)
        status =
            m->kind == PL_ELEMENT_TRIANGLE ? bound_sheet(m, where, twin, &crowd) : bound_solid(m, where, twin, &crowd);
    PL_DELETE(m->ctx, twin, face_count);
    return status;
}

static pl_status finish(pl_mesh *m, const char *where)
{
    PL_CHECK(m->ctx, m->element_count >= 1, "%s: there are no %s, at least one is needed", where,
             pl__element_forms[m->kind].many);
    PL_TRY(check_positions(m, where));
    for (int32_t e = 0; e < m->element_count; ++e)
        PL_TRY(check_corners(m, where, e));
    PL_TRY(turn_elements(m, where));
    return find_boundary(m, where);
}

pl_status pl__mesh_finish(pl_mesh **mesh, const char *where)
{
    pl_status status = finish(*mesh, where);
    if (status != PL_OK)
        pl_mesh_destroy(mesh);
    return status;
}

// ---- validity ----------------------------------------------------------------------------------------------

static bool element_is_valid(const pl_mesh *m, int32_t element)
{
    const int32_t *n = pl__mesh_element(m, element);
    for (int32_t c = 0; c < pl__mesh_corners(m); ++c)
        if (n[c] < 0 || n[c] >= m->node_count)
            return false;
    return pl__element_fullness(m, element).least > smallest_fullness && m->element_region[element] >= 0 &&
           m->element_region[element] < m->region_count;
}

// The boundary is compared with a recomputed one.
static bool boundary_is(const pl_mesh *m, const int32_t *twin)
{
    int32_t face_count = pl__element_forms[m->kind].faces * m->element_count, nodes[6];
    size_t at = 0;
    for (int32_t face = 0; face < face_count; ++face)
    {
        if (twin[face] >= 0)
            continue;
        size_t count = (size_t)face_triangles(m, face, nodes);
        if (at + count > (size_t)m->triangle_count ||
            memcmp(nodes, &m->triangle[3 * at], 3 * count * sizeof *nodes) != 0)
            return false;
        at += count;
    }
    return at == (size_t)m->triangle_count;
}

static bool triangles_are_valid(const pl_mesh *m)
{
    size_t face_count = (size_t)pl__element_forms[m->kind].faces * (size_t)m->element_count;
    int32_t *twin = PL_NEW(m->ctx, face_count, int32_t);
    pl__crowd crowd;
    bool ok =
        twin && pl__face_twins(m->ctx, m->kind, m->element, m->element_count, m->node_count, twin, &crowd) == PL_OK;
    if (ok && m->kind == PL_ELEMENT_TRIANGLE)
        ok = m->triangle_count == m->element_count && pl__mesh_is_oriented(m, twin) &&
             memcmp(m->triangle, m->element, sizeof(int32_t) * pl__mesh_index_count(m)) == 0;
    else
        ok = ok && crowd.count == 0 && boundary_is(m, twin);
    PL_DELETE(m->ctx, twin, face_count);
    return ok;
}

bool pl__mesh_is_valid(const pl_mesh *mesh)
{
    if (!mesh || !mesh->ctx || mesh->element_count < 1 || mesh->region_count < 1)
        return false;
    for (int32_t r = 0; r < mesh->region_count; ++r)
        if (!mesh->region_name[r])
            return false;
    for (size_t i = 0; i < 3 * (size_t)mesh->node_count; ++i)
        if (!isfinite(mesh->position[i]))
            return false;
    for (int32_t e = 0; e < mesh->element_count; ++e)
        if (!element_is_valid(mesh, e))
            return false;
    return triangles_are_valid(mesh);
}

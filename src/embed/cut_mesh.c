// src/embed/cut_mesh.c -- topology of surface and carrier mesh, and checks that they can be cut.
#include "cut_parts.h"
#include "math/determinant.h"
#include "mesh/point.h"

#include <string.h>

// ---- the mesh -------------------------------------------------------------------------------------------------------

int32_t pl__cut_mesh_edge(const pl__cut *cut, int32_t a, int32_t b)
{
    int32_t low = a < b ? a : b, high = a < b ? b : a, k = cut->edges.start[low];
    while (cut->edges.item[k] != high)
        ++k;
    return k;
}

void pl__cut_edge_nodes(const pl__cut *cut, int32_t edge, int32_t node[2])
{
    // the row that contains the index
    int32_t low = 0, high = cut->edges.row_count;
    while (high - low > 1)
    {
        int32_t middle = low + (high - low) / 2;
        if (cut->edges.start[middle] <= edge)
            low = middle;
        else
            high = middle;
    }
    node[0] = low, node[1] = cut->edges.item[edge];
}

static void name_face(pl__cut *cut, int32_t number, pl__cut_face *face)
{
    int32_t other = cut->twin[number];
    *face = (pl__cut_face){.tet = {number / 4, other / 4}, .corner = {number % 4, other % 4}};
    for (int k = 0; k < 3; ++k)
        face->node[k] = cut->tet[number - number % 4 + pl__element_forms[PL_ELEMENT_TET].face[number % 4][k]];
    for (int k = 0; k < 3; ++k)
        face->edge[k] = pl__cut_mesh_edge(cut, face->node[k], face->node[(k + 1) % 3]);
}

// Faces between tets, and the boundary.
static pl_status list_faces(pl__cut *cut)
{
    int32_t all = 4 * cut->tet_count, inner = 0, outer = 0;
    for (int32_t i = 0; i < all; ++i)
        inner += cut->twin[i] > i, outer += cut->twin[i] < 0;
    cut->face = PL_NEW(cut->ctx, inner, pl__cut_face);
    cut->cap = PL_NEW(cut->ctx, inner, pl__cap);
    cut->face_count = inner;
    cut->rim_triangle = PL_NEW(cut->ctx, 3 * (size_t)outer, int32_t);
    cut->rim_count = outer;
    if (!cut->face || !cut->cap || !cut->rim_triangle)
        return PL_ERR_MEMORY;
    inner = outer = 0;
    for (int32_t i = 0; i < all; ++i)
    {
        cut->face_of[i] = cut->twin[i] < 0 ? -1 : cut->twin[i] > i ? inner : cut->face_of[cut->twin[i]];
        for (int k = 0; k < 3 && cut->twin[i] < 0; ++k)
            cut->rim_triangle[3 * outer + k] = cut->tet[i - i % 4 + pl__element_forms[PL_ELEMENT_TET].face[i % 4][k]];
        outer += cut->twin[i] < 0;
        if (cut->twin[i] > i)
            name_face(cut, i, &cut->face[inner++]);
    }
    return pl__node_corners(cut->ctx, 3, cut->rim_triangle, cut->rim_count, cut->node_count, &cut->rim);
}

static void find_center(pl__cut *cut, const pl_mesh *mesh)
{
    double lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < 3 * (size_t)mesh->node_count; ++i)
    {
        lower[i % 3] = pl__min(lower[i % 3], mesh->position[i]);
        upper[i % 3] = pl__max(upper[i % 3], mesh->position[i]);
    }
    for (int d = 0; d < 3; ++d)
        cut->center[d] = 0.5 * (lower[d] + upper[d]);
}

static void shift(const pl__cut *cut, const double *from, int32_t count, double *to)
{
    for (size_t i = 0; i < 3 * (size_t)count; ++i)
        to[i] = from[i] - cut->center[i % 3];
}

// Flat carriers of distorted hexahedra have no orientation.
static pl_status check_volumes(const pl__cut *cut)
{
    for (int32_t i = 0; i < cut->tet_count; ++i)
    {
        const int32_t *n = &cut->tet[4 * (size_t)i];
        const double *x = cut->node;
        PL_CHECK(cut->ctx,
                 pl__orient3(&x[3 * (size_t)n[1]], &x[3 * (size_t)n[2]], &x[3 * (size_t)n[3]], &x[3 * (size_t)n[0]]) >
                     0,
                 "tetrahedron %d (nodes %d %d %d %d) has no volume or is inside out; surfaces that come apart need "
                 "meshes without such",
                 i, n[0], n[1], n[2], n[3]);
    }
    return PL_OK;
}

pl_status pl__cut_take_mesh(pl__cut *cut, const pl_mesh *mesh)
{
    cut->node_count = mesh->node_count;
    PL_TRY(pl__mesh_carrier_tets(mesh, &cut->tet, &cut->tet_count));
    cut->node = PL_NEW(cut->ctx, 3 * (size_t)cut->node_count, double);
    cut->twin = PL_NEW(cut->ctx, 4 * (size_t)cut->tet_count, int32_t);
    cut->face_of = PL_NEW(cut->ctx, 4 * (size_t)cut->tet_count, int32_t);
    if (!cut->node || !cut->twin || !cut->face_of)
        return PL_ERR_MEMORY;
    find_center(cut, mesh);
    shift(cut, mesh->position, cut->node_count, cut->node);
    PL_TRY(check_volumes(cut));
    pl__crowd crowd;
    PL_TRY(pl__face_twins(cut->ctx, PL_ELEMENT_TET, cut->tet, cut->tet_count, cut->node_count, cut->twin, &crowd));
    PL_CHECK(cut->ctx, crowd.count == 0,
             "%d faces belong to three or more tetrahedra, such as %d, %d and %d; allowed are two", crowd.count,
             crowd.element[0], crowd.element[1], crowd.element[2]);
    PL_TRY(pl__node_neighbours(cut->ctx, 4, cut->tet, cut->tet_count, cut->node_count, &cut->edges));
    PL_TRY(pl__node_corners(cut->ctx, 4, cut->tet, cut->tet_count, cut->node_count, &cut->star));
    return list_faces(cut);
}

// ---- the surface ----------------------------------------------------------------------------------------------------

// The first half-edge without a unique opposite half-edge, or -1.
static int32_t find_flaw(const pl__cut *cut)
{
    for (int32_t h = 0; h < 3 * cut->triangle_count; ++h)
        if (cut->mate[h] < 0 || pl__cut_start(cut, h) != pl__cut_end(cut, cut->mate[h]))
            return h;
    return -1;
}

static pl_status find_mates(pl__cut *cut)
{
    pl__crowd crowd;
    return pl__face_twins(cut->ctx, PL_ELEMENT_TRIANGLE, cut->corner, cut->triangle_count, cut->vertex_count, cut->mate,
                          &crowd);
}

static pl_status weld(pl__cut *cut, const pl_surface *surface)
{
    int32_t *first = PL_NEW(cut->ctx, cut->vertex_count, int32_t);
    bool ok = first && pl__surface_weld(surface, first);
    for (int32_t i = 0; ok && i < 3 * cut->triangle_count; ++i)
        cut->corner[i] = first[cut->corner[i]];
    PL_DELETE(cut->ctx, first, cut->vertex_count);
    return ok ? find_mates(cut) : PL_ERR_MEMORY;
}

static pl_status check_corners(const pl__cut *cut)
{
    for (int32_t t = 0; t < cut->triangle_count; ++t)
    {
        const int32_t *v = &cut->corner[3 * (size_t)t];
        PL_CHECK(cut->ctx, v[0] != v[1] && v[1] != v[2] && v[2] != v[0],
                 "triangle %d of the surface has one vertex twice (%d %d %d); three are needed", t, v[0], v[1], v[2]);
    }
    return PL_OK;
}

static pl_status explain(const pl__cut *cut, int32_t h)
{
    int32_t a = pl__cut_start(cut, h), b = pl__cut_end(cut, h), mate = cut->mate[h];
    PL_CHECK(cut->ctx, mate != PL__FACE_ALONE, "the surface is open at the edge from vertex %d to %d of triangle %d", a,
             b, h / 3);
    PL_CHECK(cut->ctx, mate != PL__FACE_CROWDED,
             "three or more triangles of the surface share the edge from vertex %d to %d; allowed are two", a, b);
    return pl__fail(cut->ctx, PL_ERR_ARGUMENT,
                    "triangles %d and %d of the surface face different ways at the edge from vertex %d to %d", h / 3,
                    mate / 3, a, b);
}

static double enclosed_volume(const pl__cut *cut)
{
    double sum = 0;
    for (int32_t t = 0; t < cut->triangle_count; ++t)
    {
        double e[3][3], normal[3];
        for (int k = 0; k < 3; ++k)
            pl__sub3(&cut->x[3 * (size_t)cut->corner[3 * t + k]], &cut->x[3 * (size_t)cut->corner[0]], e[k]);
        pl__cross3(e[1], e[2], normal);
        sum += pl__dot3(e[0], normal) / 6;
    }
    return sum;
}

pl_status pl__cut_take_surface(pl__cut *cut, const pl_surface *surface)
{
    cut->vertex_count = surface->node_count;
    cut->triangle_count = surface->triangle_count;
    cut->x = PL_NEW(cut->ctx, 3 * (size_t)cut->vertex_count, double);
    cut->moved = PL_NEW(cut->ctx, 3 * (size_t)cut->vertex_count, double);
    cut->corner = PL_NEW(cut->ctx, 3 * (size_t)cut->triangle_count, int32_t);
    cut->mate = PL_NEW(cut->ctx, 3 * (size_t)cut->triangle_count, int32_t);
    if (!cut->x || !cut->moved || !cut->corner || !cut->mate)
        return PL_ERR_MEMORY;
    shift(cut, surface->position, cut->vertex_count, cut->x);
    memcpy(cut->corner, surface->triangle, 3 * sizeof *cut->corner * (size_t)cut->triangle_count);
    PL_TRY(find_mates(cut));
    if (find_flaw(cut) >= 0)
        PL_TRY(weld(cut, surface));
    PL_TRY(check_corners(cut));
    int32_t flaw = find_flaw(cut);
    if (flaw >= 0)
        return explain(cut, flaw);
    double volume = enclosed_volume(cut);
    PL_CHECK(cut->ctx, volume > 0,
             "the surface encloses a volume of %g; it must be positive, with triangles that face outwards", volume);
    return PL_OK;
}

// ---- projection
// -----------------------------------------------------------------------------------------------------

pl__shadow pl__shadow_of(const double a[3], const double b[3], const double c[3])
{
    double ab[3], ac[3], n[3];
    pl__sub3(b, a, ab);
    pl__sub3(c, a, ac);
    pl__cross3(ab, ac, n);
    int axis = fabs(n[0]) >= fabs(n[1]) && fabs(n[0]) >= fabs(n[2]) ? 0 : fabs(n[1]) >= fabs(n[2]) ? 1 : 2;
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    return n[axis] < 0 ? (pl__shadow){v, u} : (pl__shadow){u, v};
}

// src/mesh/covering.c -- lattice tetrahedra that contain a solid completely.
//
// All lattice tetrahedra with a corner inside and all that meet the surface are kept. For triangles that is decided by
// separating axes, with a conservative margin for rounding: so every point of every triangle lies in some kept
// tetrahedron, however thin the solid. For a function it can only be estimated: a tetrahedron is kept if the function
// is small relative to its own slope at one of 15 points of it, so that a linear function could vanish nearby.
//
// A set of tetrahedra can touch itself at an edge or a corner. Where it does, all tetrahedra around that corner are
// kept as well, repeatedly until the boundary is a manifold: around each lattice point both the kept and the other
// tetrahedra must be face-connected (then they are two discs on a sphere and meet in one circle).
//
// What it does badly: a conservative cover is up to a cell fatter than the solid, and parts of a surface closer than a
// cell are merged.
#include "point.h"
#include "stuffing.h"

// Relative to the size of a cell: far above rounding, far below anything visible.
static const double margin = 1e-9;

typedef struct
{
    int32_t offset[3]; // from the cell that the point belongs to
    int which;
} star_tet;

// The tetrahedra around a lattice point, for corners [0] and centres [1], and which share a face there.
typedef struct
{
    star_tet tet[2][PL__LATTICE_STAR];
    uint32_t neighbor[2][PL__LATTICE_STAR]; // a bit for each
} stars;

typedef struct
{
    pl__stuffing *s;
    uint16_t *kept; // [cell_count]  a bit for each of its 12 tetrahedra
    int64_t tet_count;
    int32_t node_count;
    stars stars;
} covering;

// ---- does a tetrahedron meet a triangle? -------------------------------------------------------------------

// Whether two point sets are separated along the axis by more than the margin.
static bool apart(const double axis[3], const double tet[4][3], const double tri[3][3], double gap)
{
    double length = pl__length3(axis);
    double t0 = INFINITY, t1 = -INFINITY, s0 = INFINITY, s1 = -INFINITY;
    for (int k = 0; k < 4; ++k)
    {
        double x = pl__dot3(axis, tet[k]);
        t0 = pl__min(t0, x), t1 = pl__max(t1, x);
    }
    for (int k = 0; k < 3; ++k)
    {
        double x = pl__dot3(axis, tri[k]);
        s0 = pl__min(s0, x), s1 = pl__max(s1, x);
    }
    // an axis of length zero separates nothing
    return s0 - t1 > gap * length || t0 - s1 > gap * length;
}

static const int8_t tet_faces[4][3] = {{0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {1, 2, 3}};
static const int8_t tet_edges[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

static void face_normal(const double a[3], const double b[3], const double c[3], double n[3])
{
    double e0[3], e1[3];
    pl__sub3(b, a, e0);
    pl__sub3(c, a, e1);
    pl__cross3(e0, e1, n);
}

// The cheap axes first: most pairs are apart along x, y or z.
static bool boxes_apart(const double tet[4][3], const double tri[3][3], double gap)
{
    for (int d = 0; d < 3; ++d)
    {
        double t0 = pl__min(pl__min(tet[0][d], tet[1][d]), pl__min(tet[2][d], tet[3][d])),
               s0 = pl__min(pl__min(tri[0][d], tri[1][d]), tri[2][d]);
        double t1 = pl__max(pl__max(tet[0][d], tet[1][d]), pl__max(tet[2][d], tet[3][d])),
               s1 = pl__max(pl__max(tri[0][d], tri[1][d]), tri[2][d]);
        if (s0 - t1 > gap || t0 - s1 > gap)
            return true;
    }
    return false;
}

// Convex bodies are disjoint if a face normal of one or a cross product of edges separates them.
bool pl__tet_meets_triangle(const double tet[4][3], const double tri[3][3], double gap)
{
    double axis[3], e[3], f[3];
    face_normal(tri[0], tri[1], tri[2], axis);
    if (boxes_apart(tet, tri, gap) || apart(axis, tet, tri, gap))
        return false;
    for (int i = 0; i < 4; ++i)
    {
        face_normal(tet[tet_faces[i][0]], tet[tet_faces[i][1]], tet[tet_faces[i][2]], axis);
        if (apart(axis, tet, tri, gap))
            return false;
    }
    for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 3; ++j)
        {
            pl__sub3(tet[tet_edges[i][1]], tet[tet_edges[i][0]], e);
            pl__sub3(tri[(j + 1) % 3], tri[j], f);
            pl__cross3(e, f, axis);
            if (apart(axis, tet, tri, gap))
                return false;
        }
    return true;
}

// ---- keeping -----------------------------------------------------------------------------------------------

// A triangle in lattice units, corners at integers: accurate enough everywhere, and one margin for all.
static void to_lattice(const covering *cover, const double *c, double tri[3][3])
{
    const pl__lattice *l = &cover->s->lattice;
    const double *center = cover->s->solid->bvh->center;
    for (int k = 0; k < 9; ++k)
        tri[k / 3][k % 3] = (c[k] - (l->origin[k % 3] - center[k % 3])) / l->size;
}

static void keep_in_cell(covering *cover, const int32_t cell[3], const double tri[3][3])
{
    const pl__lattice *l = &cover->s->lattice;
    uint16_t *kept = &cover->kept[pl__lattice_cell(l, cell)];
    for (int which = 0; which < PL__LATTICE_TETS; ++which)
    {
        pl__lattice_tet tet;
        if (*kept >> which & 1 || !pl__lattice_tet_of(l, cell, which, &tet))
            continue;
        double x[4][3], shifted[3][3];
        for (int k = 0; k < 12; ++k)
            x[k / 3][k % 3] = 0.5 * (tet.q[k / 3][k % 3] - 2 * cell[k % 3]);
        for (int k = 0; k < 9; ++k)
            shifted[k / 3][k % 3] = tri[k / 3][k % 3] - cell[k % 3];
        if (pl__tet_meets_triangle((const double(*)[3])x, (const double(*)[3])shifted, margin))
            *kept |= (uint16_t)(1u << which);
    }
}

// Whether the plane of the triangle can reach the tetrahedra of the cell, which lie within 1.8 cells of its centre.
static bool plane_is_near(const double tri[3][3], const double normal[3], const int32_t cell[3])
{
    double middle[3] = {cell[0] + 0.5, cell[1] + 0.5, cell[2] + 0.5}, offset[3];
    pl__sub3(middle, tri[0], offset);
    return fabs(pl__dot3(offset, normal)) <= 1.8 * pl__length3(normal);
}

static void keep_triangle(covering *cover, const double *c)
{
    const pl__lattice *l = &cover->s->lattice;
    double tri[3][3], normal[3];
    to_lattice(cover, c, tri);
    face_normal(tri[0], tri[1], tri[2], normal);
    // the tetrahedra of a cell reach half a cell before it and one and a half beyond
    int32_t first[3], last[3], cell[3];
    for (int d = 0; d < 3; ++d)
    {
        double least = pl__min(pl__min(tri[0][d], tri[1][d]), tri[2][d]),
               most = pl__max(pl__max(tri[0][d], tri[1][d]), tri[2][d]);
        first[d] = (int32_t)pl__max(floor(least - 1.5 - margin), 0);
        last[d] = (int32_t)pl__min(floor(most + 0.5 + margin), l->cells[d] - 1);
    }
    for (cell[2] = first[2]; cell[2] <= last[2]; ++cell[2])
        for (cell[1] = first[1]; cell[1] <= last[1]; ++cell[1])
            for (cell[0] = first[0]; cell[0] <= last[0]; ++cell[0])
                if (plane_is_near((const double(*)[3])tri, normal, cell))
                    keep_in_cell(cover, cell, (const double(*)[3])tri);
}

// The function at the corners, edge and face midpoints, and the centre, against its largest slope.
static pl_status function_may_vanish(const covering *cover, const pl__lattice_tet *tet, bool *may)
{
    const pl__stuffing *s = cover->s;
    double x[4][3], f[4], slope = 0, least = INFINITY;
    for (int k = 0; k < 4; ++k)
        pl__lattice_place(&s->lattice, tet->q[k], x[k]), f[k] = s->value[tet->point[k]], least = pl__min(least, f[k]);
    for (int i = 0; i < 6; ++i)
    {
        const int8_t *e = tet_edges[i];
        slope = pl__max(slope, fabs(f[e[0]] - f[e[1]]) / sqrt(pl__distance_squared3(x[e[0]], x[e[1]])));
    }
    *may = false;
    // no point is farther than 0.56 cells from a corner; twice the slope allows for some curvature
    if (!(least <= 2 * slope * 0.56 * s->lattice.size))
        return PL_OK;
    for (int subset = 1; subset < 16; ++subset)
    {
        double y[3] = {0, 0, 0};
        int count = 0;
        for (int k = 0; k < 4; ++k)
            if (subset >> k & 1)
                y[0] += x[k][0], y[1] += x[k][1], y[2] += x[k][2], count++;
        if (count == 1)
            continue;
        for (int d = 0; d < 3; ++d)
            y[d] /= count;
        double value = s->function(s->user, y);
        PL_CHECK(s->ctx, !isnan(value), "%s: the function is not a number at (%g, %g, %g)", s->where, y[0], y[1], y[2]);
        least = pl__min(least, value);
    }
    *may = least <= 0.25 * slope * s->lattice.size;
    return PL_OK;
}

// Tetrahedra with a corner inside, and for functions those that may reach in.
static pl_status keep_inside(covering *cover)
{
    const pl__stuffing *s = cover->s;
    for (int32_t index = 0; index < s->lattice.cell_count; ++index)
    {
        int32_t cell[3];
        pl__lattice_cell_coordinates(&s->lattice, index, cell);
        for (int which = 0; which < PL__LATTICE_TETS; ++which)
        {
            pl__lattice_tet tet;
            if (!pl__lattice_tet_of(&s->lattice, cell, which, &tet))
                continue;
            bool keep = false;
            for (int k = 0; k < 4; ++k)
                keep |= s->sign[tet.point[k]] > 0;
            if (!keep && s->function)
                PL_TRY(function_may_vanish(cover, &tet, &keep));
            cover->kept[index] |= (uint16_t)(keep << which);
        }
    }
    return PL_OK;
}

// ---- a manifold boundary -----------------------------------------------------------------------------------

// Find the stars from the middle of a small lattice.
static void make_stars(stars *result)
{
    pl__lattice l = {.cells = {5, 5, 5}, .corner_count = 216};
    for (int odd = 0; odd < 2; ++odd)
    {
        int32_t q[3] = {4 + odd, 4 + odd, 4 + odd}, point = pl__lattice_point(&l, q), cell[3];
        pl__lattice_tet found[PL__LATTICE_STAR];
        int count = 0;
        for (int32_t index = 0; index < 125; ++index)
            for (int which = 0; which < PL__LATTICE_TETS; ++which)
            {
                pl__lattice_tet tet;
                pl__lattice_cell_coordinates(&l, index, cell);
                if (!pl__lattice_tet_of(&l, cell, which, &tet) ||
                    (tet.point[0] != point && tet.point[1] != point && tet.point[2] != point && tet.point[3] != point))
                    continue;
                PL_ASSERT(count < PL__LATTICE_STAR);
                result->tet[odd][count] = (star_tet){{cell[0] - 2, cell[1] - 2, cell[2] - 2}, which};
                found[count++] = tet;
            }
        PL_ASSERT(count == PL__LATTICE_STAR);
        for (int a = 0; a < count; ++a)
            for (int b = 0; b < count; ++b)
            {
                int shared = 0;
                for (int k = 0; k < 16; ++k)
                    shared += found[a].point[k / 4] == found[b].point[k % 4];
                result->neighbor[odd][a] |= shared == 3 ? 1u << b : 0;
            }
    }
}

// Gather the star of a point as bits. False when it sticks out of the lattice.
static bool gather_star(const covering *cover, const int32_t q[3], uint32_t *bits)
{
    const pl__lattice *l = &cover->s->lattice;
    const star_tet *star = cover->stars.tet[q[0] & 1];
    for (int d = 0; d < 3; ++d)
        if (q[d] < 2 || q[d] > 2 * l->cells[d] - 2)
            return false;
    *bits = 0;
    for (int i = 0; i < PL__LATTICE_STAR; ++i)
    {
        int32_t cell[3] = {(q[0] >> 1) + star[i].offset[0], (q[1] >> 1) + star[i].offset[1],
                           (q[2] >> 1) + star[i].offset[2]};
        *bits |= (uint32_t)(cover->kept[pl__lattice_cell(l, cell)] >> star[i].which & 1) << i;
    }
    return true;
}

static bool is_connected(const uint32_t *neighbor, uint32_t bits)
{
    uint32_t reached = bits & -bits, before = 0;
    while (reached != before)
    {
        before = reached;
        for (int i = 0; i < PL__LATTICE_STAR; ++i)
            if (before >> i & 1)
                reached |= neighbor[i] & bits;
    }
    return reached == bits;
}

static void keep_star(covering *cover, const int32_t q[3])
{
    const star_tet *star = cover->stars.tet[q[0] & 1];
    for (int i = 0; i < PL__LATTICE_STAR; ++i)
    {
        int32_t cell[3] = {(q[0] >> 1) + star[i].offset[0], (q[1] >> 1) + star[i].offset[1],
                           (q[2] >> 1) + star[i].offset[2]};
        cover->kept[pl__lattice_cell(&cover->s->lattice, cell)] |= (uint16_t)(1u << star[i].which);
    }
}

static bool mend_once(covering *cover)
{
    const pl__lattice *l = &cover->s->lattice;
    const uint32_t full = (1u << PL__LATTICE_STAR) - 1;
    bool changed = false;
    for (int32_t p = 0; p < l->point_count; ++p)
    {
        int32_t q[3];
        uint32_t bits;
        pl__lattice_coordinates(l, p, q);
        if (!gather_star(cover, q, &bits) || bits == 0 || bits == full)
            continue;
        const uint32_t *neighbor = cover->stars.neighbor[q[0] & 1];
        if (is_connected(neighbor, bits) && is_connected(neighbor, full & ~bits))
            continue;
        keep_star(cover, q);
        changed = true;
    }
    return changed;
}

// ---- the mesh ----------------------------------------------------------------------------------------------

// Number the points in the order of their first use and count tetrahedra, or write them.
static void run_kept(covering *cover, int32_t *tets)
{
    const pl__lattice *l = &cover->s->lattice;
    int32_t *map = cover->s->map;
    cover->tet_count = 0;
    for (int32_t index = 0; index < l->cell_count; ++index)
    {
        if (!cover->kept[index])
            continue;
        int32_t cell[3];
        pl__lattice_cell_coordinates(l, index, cell);
        for (int which = 0; which < PL__LATTICE_TETS; ++which)
        {
            pl__lattice_tet tet;
            if (!(cover->kept[index] >> which & 1) || !pl__lattice_tet_of(l, cell, which, &tet))
                continue;
            for (int k = 0; k < 4; ++k)
            {
                if (map[tet.point[k]] < 0)
                    map[tet.point[k]] = cover->node_count++;
                if (tets)
                    tets[4 * cover->tet_count + k] = map[tet.point[k]];
            }
            cover->tet_count++;
        }
    }
}

static pl_status make_mesh(covering *cover, pl_mesh **mesh)
{
    pl__stuffing *s = cover->s;
    for (int32_t p = 0; p < s->lattice.point_count; ++p)
        s->map[p] = -1;
    run_kept(cover, NULL);
    if (cover->tet_count == 0)
        return PL_OK;
    PL_TRY(pl__stuffing_check_count(s, PL_ELEMENT_TET, cover->tet_count));
    *mesh = pl__mesh_new(s->ctx, PL_ELEMENT_TET, cover->node_count, (int32_t)cover->tet_count);
    if (!*mesh)
        return PL_ERR_MEMORY;
    run_kept(cover, (*mesh)->element);
    for (int32_t p = 0; p < s->lattice.point_count; ++p)
        if (s->map[p] >= 0)
            pl__lattice_position(&s->lattice, p, &(*mesh)->position[3 * (size_t)s->map[p]]);
    return pl__mesh_finish(mesh, s->where);
}

pl_status pl__stuffing_cover(pl__stuffing *stuffing, pl_mesh **mesh)
{
    covering cover = {.s = stuffing};
    int32_t cells = stuffing->lattice.cell_count;
    cover.kept = PL_NEW(stuffing->ctx, cells, uint16_t);
    if (!cover.kept)
        return PL_ERR_MEMORY;
    const pl__bvh *bvh = stuffing->solid ? stuffing->solid->bvh : NULL;
    for (int32_t t = 0; bvh && t < bvh->triangle_count; ++t)
        keep_triangle(&cover, &bvh->corner[9 * (size_t)t]);
    pl_status status = keep_inside(&cover);
    if (status == PL_OK)
    {
        make_stars(&cover.stars);
        while (mend_once(&cover))
            continue;
        status = make_mesh(&cover, mesh);
    }
    PL_DELETE(stuffing->ctx, cover.kept, cells);
    return status;
}

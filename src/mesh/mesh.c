// src/mesh/mesh.c -- a tetrahedral mesh: checked, turned the right way out, its boundary found.
//
// Whatever fills a mesh (arrays, a file, a shape), pl__mesh_finish is the one door behind which it can be trusted:
//
//   1. positions are finite, and node indices are in range and distinct within a tetrahedron;
//   2. every tetrahedron has volume: V > 1e-12 L^3 with L its longest edge (a regular one has 0.118 L^3);
//   3. 6 V = (x1 - x0) x (x2 - x0) . (x3 - x0) > 0, where two nodes are exchanged if need be;
//   4. no triangle belongs to three or more tetrahedra;
//   5. the boundary is every triangle of one tetrahedron only, outward, ascending by tetrahedron and face.
//
// The test of 2 divides all edges by their largest component, so it means the same in atoms and in galaxies: no square or
// cube of a length is ever formed. Rounding then costs some 1e-16, far below the threshold, which is why the sign in 3
// can be trusted without exact arithmetic.
#include "mesh.h"
#include "topology.h"

#include <math.h>
#include <string.h>

static const double smallest_volume = 1e-12; // in cubes of the longest edge

// ---- life --------------------------------------------------------------------------------------------------

pl_mesh *pl__mesh_new(pl_context *ctx, int32_t node_count, int32_t tet_count)
{
    if (node_count < 0 || node_count > PL__MAX_NODES || tet_count < 0 || tet_count > PL__MAX_TETS)
    {
        (void)pl__fail(ctx, PL_ERR_MEMORY, "a mesh of %d nodes and %d tetrahedra is too large: at most %d and %d are allowed",
                       node_count, tet_count, PL__MAX_NODES, PL__MAX_TETS);
        return NULL;
    }
    pl_mesh *mesh = PL_NEW(ctx, 1, pl_mesh);
    if (!mesh)
        return NULL;
    mesh->ctx = ctx;
    mesh->node_count = node_count;
    mesh->tet_count = tet_count;
    mesh->position = PL_NEW(ctx, 3 * (size_t)node_count, double);
    mesh->tet = PL_NEW(ctx, 4 * (size_t)tet_count, int32_t);
    mesh->tet_region = PL_NEW(ctx, tet_count, int32_t);
    const char *unnamed = "";
    if (!mesh->position || !mesh->tet || !mesh->tet_region || pl__mesh_set_regions(mesh, 1, &unnamed) != PL_OK)
        pl_mesh_destroy(&mesh);
    return mesh;
}

void pl_mesh_destroy(pl_mesh **mesh)
{
    pl_mesh *m = *mesh;
    *mesh = NULL;
    if (!m)
        return;
    pl_context *ctx = m->ctx;
    pl__names_free(ctx, m->region_name, m->region_count);
    pl__attributes_free(ctx, &m->attributes, m->node_count);
    PL_DELETE(ctx, m->position, 3 * (size_t)m->node_count);
    PL_DELETE(ctx, m->tet, 4 * (size_t)m->tet_count);
    PL_DELETE(ctx, m->triangle, 3 * (size_t)m->triangle_count);
    PL_DELETE(ctx, m->tet_region, m->tet_count);
    PL_DELETE(ctx, m, 1);
}

pl_status pl__mesh_set_regions(pl_mesh *mesh, int32_t region_count, const char *const *names)
{
    PL_ASSERT(region_count >= 1);
    char **copy = pl__names_copy(mesh->ctx, region_count, names);
    if (!copy)
        return PL_ERR_MEMORY;
    pl__names_free(mesh->ctx, mesh->region_name, mesh->region_count);
    mesh->region_name = copy;
    mesh->region_count = region_count;
    return PL_OK;
}

pl_status pl__mesh_add_attribute(pl_mesh *mesh, const char *name, int32_t components, const double *values)
{
    return pl__attributes_add(mesh->ctx, &mesh->attributes, name, components, mesh->node_count, values);
}

pl_status pl_mesh_create(pl_context *ctx, const double *positions, int32_t node_count, const int32_t *tets,
                         int32_t tet_count, pl_mesh **mesh)
{
    *mesh = NULL;
    PL_CHECK(ctx, node_count >= 0 && node_count <= PL__MAX_NODES,
             "pl_mesh_create: node_count is %d, allowed is 0 to %d", node_count, PL__MAX_NODES);
    PL_CHECK(ctx, tet_count >= 1 && tet_count <= PL__MAX_TETS, "pl_mesh_create: tet_count is %d, allowed is 1 to %d",
             tet_count, PL__MAX_TETS);
    PL_CHECK(ctx, positions || node_count == 0, "pl_mesh_create: positions is NULL, but node_count is %d", node_count);
    PL_CHECK(ctx, tets, "pl_mesh_create: tets is NULL, but tet_count is %d", tet_count);
    pl_mesh *m = pl__mesh_new(ctx, node_count, tet_count);
    if (!m)
        return PL_ERR_MEMORY;
    if (node_count > 0)
        memcpy(m->position, positions, 3 * (size_t)node_count * sizeof *positions);
    memcpy(m->tet, tets, 4 * (size_t)tet_count * sizeof *tets);
    pl_status status = pl__mesh_finish(&m, "pl_mesh_create");
    *mesh = m;
    return status;
}

pl_mesh *pl__mesh_copy(const pl_mesh *mesh)
{
    pl_mesh *copy = pl__mesh_new(mesh->ctx, mesh->node_count, mesh->tet_count);
    if (!copy)
        return NULL;
    memcpy(copy->position, mesh->position, 3 * sizeof(double) * (size_t)mesh->node_count);
    memcpy(copy->tet, mesh->tet, 4 * sizeof(int32_t) * (size_t)mesh->tet_count);
    pl_status status = pl__mesh_set_regions(copy, mesh->region_count, (const char *const *)mesh->region_name);
    memcpy(copy->tet_region, mesh->tet_region, sizeof(int32_t) * (size_t)mesh->tet_count);
    if (status == PL_OK)
        status = pl__attributes_copy(mesh->ctx, &mesh->attributes, mesh->node_count, &copy->attributes);
    copy->triangle = status == PL_OK ? pl__alloc(mesh->ctx, 3 * sizeof(int32_t) * (size_t)mesh->triangle_count) : NULL;
    if (!copy->triangle)
    {
        pl_mesh_destroy(&copy);
        return NULL;
    }
    copy->triangle_count = mesh->triangle_count;
    memcpy(copy->triangle, mesh->triangle, 3 * sizeof(int32_t) * (size_t)mesh->triangle_count);
    return copy;
}

// ---- geometry of one tetrahedron ---------------------------------------------------------------------------

static const int8_t edge_corner[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

// The six edges, divided by their largest component (returned; zero when all nodes coincide). Quarters keep differences
// of the largest numbers finite, so the value returned is a quarter too.
static double scaled_edges(const double *position, const int32_t nodes[4], double edge[6][3])
{
    double largest = 0;
    for (int e = 0; e < 6; ++e)
        for (int i = 0; i < 3; ++i)
        {
            double from = position[3 * (size_t)nodes[edge_corner[e][0]] + i];
            double to = position[3 * (size_t)nodes[edge_corner[e][1]] + i];
            edge[e][i] = 0.25 * to - 0.25 * from;
            largest = fmax(largest, fabs(edge[e][i]));
        }
    for (int e = 0; e < 6; ++e)
        for (int i = 0; i < 3; ++i)
            edge[e][i] = largest > 0 ? edge[e][i] / largest : 0;
    return largest;
}

static double six_volumes(const double edge[6][3])
{
    double normal[3];
    cross(edge[0], edge[1], normal);
    return dot(normal, edge[2]);
}

// Signed volume in cubes of the longest edge: 0.118 for a regular tetrahedron, 0 for a flat one.
static double relative_volume(const double *position, const int32_t nodes[4])
{
    double edge[6][3], longest = 0;
    if (scaled_edges(position, nodes, edge) == 0)
        return 0;
    for (int e = 0; e < 6; ++e)
        longest = fmax(longest, dot(edge[e], edge[e]));
    return six_volumes(edge) / (6 * longest * sqrt(longest));
}

// ---- checks ------------------------------------------------------------------------------------------------

static pl_status check_positions(const pl_mesh *m, const char *where)
{
    for (size_t i = 0; i < 3 * (size_t)m->node_count; ++i)
        PL_CHECK(m->ctx, isfinite(m->position[i]), "%s: node %zu: %c is %g, allowed are finite numbers", where, i / 3,
                 "xyz"[i % 3], m->position[i]);
    return PL_OK;
}

static pl_status check_indices(const pl_mesh *m, const char *where)
{
    for (int32_t t = 0; t < m->tet_count; ++t)
    {
        const int32_t *n = &m->tet[4 * (size_t)t];
        for (int c = 0; c < 4; ++c)
        {
            PL_CHECK(m->ctx, n[c] >= 0 && n[c] < m->node_count,
                     "%s: tetrahedron %d (nodes %d %d %d %d): node %d is out of range, allowed is 0 to %d", where, t, n[0],
                     n[1], n[2], n[3], n[c], m->node_count - 1);
            for (int other = 0; other < c; ++other)
                PL_CHECK(m->ctx, n[c] != n[other],
                         "%s: tetrahedron %d (nodes %d %d %d %d) repeats node %d, its four nodes must differ", where, t,
                         n[0], n[1], n[2], n[3], n[c]);
        }
    }
    return PL_OK;
}

// Refuse flat tetrahedra, turn inverted ones, and say so once.
static pl_status turn_tets(pl_mesh *m, const char *where)
{
    int32_t turned = 0, first = -1;
    for (int32_t t = 0; t < m->tet_count; ++t)
    {
        int32_t *n = &m->tet[4 * (size_t)t];
        double volume = relative_volume(m->position, n);
        PL_CHECK(m->ctx, fabs(volume) > smallest_volume,
                 "%s: tetrahedron %d (nodes %d %d %d %d) is degenerate: its volume is %g of the cube of its longest edge, "
                 "allowed is more than %g",
                 where, t, n[0], n[1], n[2], n[3], fabs(volume), smallest_volume);
        if (volume > 0)
            continue;
        int32_t swap = n[2];
        n[2] = n[3];
        n[3] = swap;
        first = turned++ ? first : t;
    }
    if (turned)
        pl__log(m->ctx, PL_LOG_NOTE, "%s: %d of %d tetrahedra had negative volume and were turned: first is %d", where,
                turned, m->tet_count, first);
    return PL_OK;
}

// ---- boundary ----------------------------------------------------------------------------------------------

static void face_nodes(const pl_mesh *m, int32_t face, int32_t nodes[3])
{
    for (int c = 0; c < 3; ++c)
        nodes[c] = m->tet[(face & ~3) + pl__face_corner[face & 3][c]];
}

// Two neighbours see their common triangle in opposite senses; if not, both lie on the same side of it.
static bool same_side(const pl_mesh *m, int32_t face, int32_t twin)
{
    int32_t a[3], b[3];
    face_nodes(m, face, a);
    face_nodes(m, twin, b);
    int shift = b[0] == a[0] ? 0 : b[0] == a[1] ? 1 : 2;
    return b[1] == a[(shift + 1) % 3];
}

// A folded mesh can be simulated, but its boundary is not closed: worth a warning, not a refusal.
static void warn_of_overlap(const pl_mesh *m, const int32_t *twin, const char *where)
{
    int32_t count = 0, first = -1;
    for (int32_t face = 0; face < 4 * m->tet_count; ++face)
        if (twin[face] > face && same_side(m, face, twin[face]))
            first = count++ ? first : face;
    if (count)
        pl__log(m->ctx, PL_LOG_WARNING,
                "%s: the mesh overlaps itself: %d pairs of tetrahedra lie on the same side of the triangle they share, "
                "first are %d and %d",
                where, count, first / 4, twin[first] / 4);
}

static pl_status store_boundary(pl_mesh *m, const int32_t *twin)
{
    int32_t count = 0;
    for (int32_t face = 0; face < 4 * m->tet_count; ++face)
        count += twin[face] < 0;
    if (count > PL__MAX_NODES)
        return pl__fail(m->ctx, PL_ERR_MEMORY, "%d boundary triangles, at most %d fit", count, PL__MAX_NODES);
    m->triangle = PL_NEW(m->ctx, 3 * (size_t)count, int32_t);
    if (!m->triangle)
        return PL_ERR_MEMORY;
    for (int32_t face = 0; face < 4 * m->tet_count; ++face)
        if (twin[face] < 0)
            face_nodes(m, face, &m->triangle[3 * (size_t)m->triangle_count++]);
    return PL_OK;
}

static pl_status find_boundary(pl_mesh *m, const char *where)
{
    int32_t *twin = PL_NEW(m->ctx, 4 * (size_t)m->tet_count, int32_t);
    if (!twin)
        return PL_ERR_MEMORY;
    int32_t crowd[3];
    pl_status status = pl__face_twins(m->ctx, m->tet, m->tet_count, m->node_count, twin, crowd);
    if (status == PL_OK && crowd[0] >= 0)
        status = pl__fail(m->ctx, PL_ERR_ARGUMENT,
                          "%s: tetrahedra %d, %d and %d share a triangle, allowed are two to a triangle", where, crowd[0],
                          crowd[1], crowd[2]);
    if (status == PL_OK)
        status = store_boundary(m, twin);
    if (status == PL_OK)
        warn_of_overlap(m, twin, where);
    PL_DELETE(m->ctx, twin, 4 * (size_t)m->tet_count);
    return status;
}

static pl_status finish(pl_mesh *m, const char *where)
{
    PL_CHECK(m->ctx, m->tet_count >= 1, "%s: there are no tetrahedra, at least one is needed", where);
    PL_TRY(check_positions(m, where));
    PL_TRY(check_indices(m, where));
    PL_TRY(turn_tets(m, where));
    return find_boundary(m, where);
}

pl_status pl__mesh_finish(pl_mesh **mesh, const char *where)
{
    pl_status status = finish(*mesh, where);
    if (status != PL_OK)
        pl_mesh_destroy(mesh);
    return status;
}

// ---- reading back ------------------------------------------------------------------------------------------

int32_t pl_mesh_node_count(const pl_mesh *mesh) { return mesh->node_count; }
int32_t pl_mesh_tet_count(const pl_mesh *mesh) { return mesh->tet_count; }
const double *pl_mesh_positions(const pl_mesh *mesh) { return mesh->position; }
const int32_t *pl_mesh_tets(const pl_mesh *mesh) { return mesh->tet; }
int32_t pl_mesh_triangle_count(const pl_mesh *mesh) { return mesh->triangle_count; }
const int32_t *pl_mesh_triangles(const pl_mesh *mesh) { return mesh->triangle; }
int32_t pl_mesh_region_count(const pl_mesh *mesh) { return mesh->region_count; }
const int32_t *pl_mesh_tet_regions(const pl_mesh *mesh) { return mesh->tet_region; }

const char *pl_mesh_region_name(const pl_mesh *mesh, int32_t region)
{
    return region >= 0 && region < mesh->region_count ? mesh->region_name[region] : "";
}

int32_t pl_mesh_attribute_count(const pl_mesh *mesh) { return mesh->attributes.count; }

const char *pl_mesh_attribute_name(const pl_mesh *mesh, int32_t attribute)
{
    const pl__attribute *a = pl__attributes_at(&mesh->attributes, attribute);
    return a ? a->name : "";
}

int32_t pl_mesh_attribute_components(const pl_mesh *mesh, int32_t attribute)
{
    const pl__attribute *a = pl__attributes_at(&mesh->attributes, attribute);
    return a ? a->components : 0;
}

const double *pl_mesh_attribute_values(const pl_mesh *mesh, int32_t attribute)
{
    const pl__attribute *a = pl__attributes_at(&mesh->attributes, attribute);
    return a ? a->value : NULL;
}

// Summed with the rounding errors carried along (Kahan), so that a million elements cost no digits.
double pl_mesh_volume(const pl_mesh *mesh)
{
    double sum = 0, carry = 0, edge[6][3];
    for (int32_t t = 0; t < mesh->tet_count; ++t)
    {
        double scale = 4 * scaled_edges(mesh->position, &mesh->tet[4 * (size_t)t], edge);
        double term = six_volumes(edge) / 6 * scale * scale * scale - carry;
        double next = sum + term;
        carry = next - sum - term;
        sum = next;
    }
    return sum;
}

// The angle between two faces, from their outward normals.
static double dihedral_degrees(const double a[3], const double b[3])
{
    double cosine = -dot(a, b) / sqrt(dot(a, a) * dot(b, b));
    return acos(fmin(1, fmax(-1, cosine))) * (180 / 3.14159265358979323846);
}

void pl_mesh_dihedral_range(const pl_mesh *mesh, double *smallest, double *largest)
{
    *smallest = 180;
    *largest = 0;
    for (int32_t t = 0; t < mesh->tet_count; ++t)
    {
        // outward normals of the faces opposite corners 0 to 3, by the edges 01 02 03 12 13
        double edge[6][3], normal[4][3];
        (void)scaled_edges(mesh->position, &mesh->tet[4 * (size_t)t], edge);
        cross(edge[3], edge[4], normal[0]);
        cross(edge[2], edge[1], normal[1]);
        cross(edge[0], edge[2], normal[2]);
        cross(edge[1], edge[0], normal[3]);
        for (int e = 0; e < 6; ++e)
        {
            double angle = dihedral_degrees(normal[edge_corner[e][0]], normal[edge_corner[e][1]]);
            *smallest = fmin(*smallest, angle);
            *largest = fmax(*largest, angle);
        }
    }
}

// ---- validity ----------------------------------------------------------------------------------------------

static bool tets_are_valid(const pl_mesh *m)
{
    for (int32_t t = 0; t < m->tet_count; ++t)
    {
        const int32_t *n = &m->tet[4 * (size_t)t];
        for (int c = 0; c < 4; ++c)
            if (n[c] < 0 || n[c] >= m->node_count)
                return false;
        if (!(relative_volume(m->position, n) > smallest_volume) || m->tet_region[t] < 0 ||
            m->tet_region[t] >= m->region_count)
            return false;
    }
    return true;
}

// The boundary is found again and compared.
static bool triangles_are_valid(const pl_mesh *m)
{
    size_t face_count = 4 * (size_t)m->tet_count, at = 0;
    int32_t crowd[3], nodes[3], *twin = PL_NEW(m->ctx, face_count, int32_t);
    bool ok = twin && pl__face_twins(m->ctx, m->tet, m->tet_count, m->node_count, twin, crowd) == PL_OK && crowd[0] < 0;
    for (size_t face = 0; ok && face < face_count; ++face)
    {
        if (twin[face] >= 0)
            continue;
        face_nodes(m, (int32_t)face, nodes);
        ok = at < (size_t)m->triangle_count && memcmp(nodes, &m->triangle[3 * at++], sizeof nodes) == 0;
    }
    PL_DELETE(m->ctx, twin, face_count);
    return ok && at == (size_t)m->triangle_count;
}

bool pl__mesh_is_valid(const pl_mesh *mesh)
{
    if (!mesh || !mesh->ctx || mesh->tet_count < 1 || mesh->region_count < 1)
        return false;
    for (int32_t r = 0; r < mesh->region_count; ++r)
        if (!mesh->region_name[r])
            return false;
    for (size_t i = 0; i < 3 * (size_t)mesh->node_count; ++i)
        if (!isfinite(mesh->position[i]))
            return false;
    return tets_are_valid(mesh) && triangles_are_valid(mesh);
}

// src/mesh/geometry.c -- geometry of one mesh element at rest.
//
// A hexahedron is the image of the unit cube under x(u) = sum of N_c(u) x_c with the trilinear N_c, so the columns of
// its Jacobian are bilinear blends of the four edges along each axis. The determinant is quadratic in each coordinate,
// and 2x2x2 Gauss points, (1 +- 1/sqrt 3) / 2, integrate it exactly: they give the volume, and they are the quadrature
// points of the forces.
//
// Everything is relative to the first node and divided by the largest component, so that the measures are scale
// invariant: no square or cube of a length is ever formed. Factors of a quarter keep the differences of the largest
// numbers finite. Rounding is then about 1e-16.
#include "geometry.h"

#include <math.h>
#include <string.h>

static const int8_t tet_edge[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
// four along x, four along y, four along z; the k-th of each lies at (k & 1, k >> 1) on the other two axes, in order
static const int8_t hex_edge[12][2] = {{0, 1}, {3, 2}, {4, 5}, {7, 6}, {0, 3}, {1, 2},
                                       {4, 7}, {5, 6}, {0, 4}, {1, 5}, {3, 7}, {2, 6}};
static const int8_t triangle_edge[3][2] = {{0, 1}, {1, 2}, {2, 0}};

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static double determinant(const double a[3], const double b[3], const double c[3])
{
    double normal[3];
    cross(a, b, normal);
    return dot(normal, c);
}

// ---- edges -------------------------------------------------------------------------------------------------

typedef struct edges
{
    int count;
    double of[12][3]; // divided by the largest component of them all
    double scale;     // a quarter of that component; zero when all nodes coincide
} edges;

static edges scaled_edges(const double *position, const int32_t *nodes, int count, const int8_t (*corner)[2])
{
    edges e = {.count = count};
    for (int k = 0; k < count; ++k)
        for (int i = 0; i < 3; ++i)
        {
            double from = position[3 * (size_t)nodes[corner[k][0]] + i];
            double to = position[3 * (size_t)nodes[corner[k][1]] + i];
            e.of[k][i] = 0.25 * to - 0.25 * from;
            e.scale = fmax(e.scale, fabs(e.of[k][i]));
        }
    for (int k = 0; k < count; ++k)
        for (int i = 0; i < 3; ++i)
            e.of[k][i] = e.scale > 0 ? e.of[k][i] / e.scale : 0;
    return e;
}

static edges element_edges(const pl_mesh *mesh, int32_t element)
{
    const int32_t *nodes = pl__mesh_element(mesh, element);
    if (mesh->kind == PL_ELEMENT_TET)
        return scaled_edges(mesh->position, nodes, 6, tet_edge);
    if (mesh->kind == PL_ELEMENT_HEX)
        return scaled_edges(mesh->position, nodes, 12, hex_edge);
    return scaled_edges(mesh->position, nodes, 3, triangle_edge);
}

static double longest_squared(const edges *e)
{
    double longest = 0;
    for (int k = 0; k < e->count; ++k)
        longest = fmax(longest, dot(e->of[k], e->of[k]));
    return longest;
}

// ---- measures ----------------------------------------------------------------------------------------------

static double tet_volume(const edges *e) { return determinant(e->of[0], e->of[1], e->of[2]) / 6; }

// The determinant of the Jacobian at a point of the unit cube.
static double hex_jacobian(const edges *e, const double u[3])
{
    double column[3][3];
    for (int axis = 0; axis < 3; ++axis)
    {
        double a = u[axis == 0 ? 1 : 0], b = u[axis == 2 ? 1 : 2];
        for (int i = 0; i < 3; ++i)
            column[axis][i] = (1 - b) * ((1 - a) * e->of[4 * axis][i] + a * e->of[4 * axis + 1][i]) +
                              b * ((1 - a) * e->of[4 * axis + 2][i] + a * e->of[4 * axis + 3][i]);
    }
    return determinant(column[0], column[1], column[2]);
}

static void hex_jacobians(const edges *e, double out[8])
{
    const double place[2] = {0.21132486540518712, 0.78867513459481288}; // (1 -+ 1/sqrt 3) / 2
    for (int k = 0; k < 8; ++k)
        out[k] = hex_jacobian(e, (const double[3]){place[k & 1], place[k >> 1 & 1], place[k >> 2]});
}

static double triangle_area(const edges *e)
{
    double normal[3];
    cross(e->of[0], e->of[1], normal);
    return 0.5 * sqrt(dot(normal, normal));
}

pl__fullness pl__element_fullness(const pl_mesh *mesh, int32_t element)
{
    edges e = element_edges(mesh, element);
    double longest = longest_squared(&e), jacobian[8];
    if (longest == 0)
        return (pl__fullness){0, 0};
    double cube = longest * sqrt(longest);
    if (mesh->kind == PL_ELEMENT_TET)
        return (pl__fullness){tet_volume(&e) / cube, tet_volume(&e) / cube};
    if (mesh->kind == PL_ELEMENT_TRIANGLE)
        return (pl__fullness){triangle_area(&e) / longest, triangle_area(&e) / longest};
    pl__fullness f = {INFINITY, -INFINITY};
    hex_jacobians(&e, jacobian);
    for (int k = 0; k < 8; ++k)
    {
        f.least = fmin(f.least, jacobian[k] / cube);
        f.greatest = fmax(f.greatest, jacobian[k] / cube);
    }
    return f;
}

double pl__triangle_area(const double *position, const int32_t nodes[3])
{
    edges e = scaled_edges(position, nodes, 3, triangle_edge);
    return triangle_area(&e) * (4 * e.scale) * (4 * e.scale);
}

double pl__element_measure(const pl_mesh *mesh, int32_t element)
{
    if (mesh->kind == PL_ELEMENT_TRIANGLE)
        return pl__triangle_area(mesh->position, pl__mesh_element(mesh, element));
    edges e = element_edges(mesh, element);
    double scale = 4 * e.scale, jacobian[8], sum = 0;
    if (mesh->kind == PL_ELEMENT_TET)
        return tet_volume(&e) * scale * scale * scale;
    hex_jacobians(&e, jacobian);
    for (int k = 0; k < 8; ++k)
        sum += jacobian[k];
    return sum / 8 * scale * scale * scale;
}

double pl__element_room(const pl_mesh *mesh, int32_t element, double unit)
{
    edges e = element_edges(mesh, element);
    double scale = 4 * (e.scale / unit), jacobian[8], least = INFINITY;
    if (mesh->kind == PL_ELEMENT_TRIANGLE)
        return triangle_area(&e) * scale * scale;
    if (mesh->kind == PL_ELEMENT_TET)
        return tet_volume(&e) * scale * scale * scale;
    hex_jacobians(&e, jacobian);
    for (int k = 0; k < 8; ++k)
        least = fmin(least, jacobian[k]);
    return least * scale * scale * scale;
}

// ---- angles ------------------------------------------------------------------------------------------------

static double angle_of(double cosine) { return acos(fmin(1, fmax(-1, cosine))) * (180 / 3.14159265358979323846); }

static double cosine_between(const double a[3], const double b[3]) { return dot(a, b) / sqrt(dot(a, a) * dot(b, b)); }

static int tet_angles(const edges *e, double *angle)
{
    // outward normals of the faces opposite corners 0 to 3, by the edges 01 02 03 12 13
    double normal[4][3];
    cross(e->of[3], e->of[4], normal[0]);
    cross(e->of[2], e->of[1], normal[1]);
    cross(e->of[0], e->of[2], normal[2]);
    cross(e->of[1], e->of[0], normal[3]);
    for (int k = 0; k < 6; ++k)
        angle[k] = angle_of(-cosine_between(normal[tet_edge[k][0]], normal[tet_edge[k][1]]));
    return 6;
}

// At each corner three edges meet; along each of them the angle between the planes that it spans with the other two.
static int hex_angles(const edges *e, double *angle)
{
    int count = 0;
    for (int corner = 0; corner < 8; ++corner)
    {
        // the edges away from the corner (x, y, z) of the unit cube
        int at[3] = {corner & 1, corner >> 1 & 1, corner >> 2};
        const double *along[3] = {e->of[at[1] + 2 * at[2]], e->of[4 + at[0] + 2 * at[2]], e->of[8 + at[0] + 2 * at[1]]};
        double away[3][3], one[3], other[3];
        for (int i = 0; i < 9; ++i)
            away[i / 3][i % 3] = at[i / 3] ? -along[i / 3][i % 3] : along[i / 3][i % 3];
        for (int i = 0; i < 3; ++i)
        {
            cross(away[i], away[(i + 1) % 3], one);
            cross(away[i], away[(i + 2) % 3], other);
            angle[count++] = angle_of(cosine_between(one, other));
        }
    }
    return count;
}

static int triangle_angles(const edges *e, double *angle)
{
    for (int k = 0; k < 3; ++k)
        angle[k] = angle_of(-cosine_between(e->of[k], e->of[(k + 1) % 3]));
    return 3;
}

int pl__element_angles(const pl_mesh *mesh, int32_t element, double angle[PL__MAX_ANGLES])
{
    edges e = element_edges(mesh, element);
    return mesh->kind == PL_ELEMENT_TET   ? tet_angles(&e, angle)
           : mesh->kind == PL_ELEMENT_HEX ? hex_angles(&e, angle)
                                          : triangle_angles(&e, angle);
}

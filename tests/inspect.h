// tests/inspect.h -- what tests ask of a mesh: is its boundary closed, how far is it from a surface, what does it
// contain?
#ifndef PL_TEST_INSPECT_H
#define PL_TEST_INSPECT_H

#include "base/random.h"
#include "mesh/bvh.h"
#include "surfaces.h"

__attribute__((unused)) static int compare_edges(const void *a, const void *b)
{
    return memcmp(a, b, 2 * sizeof(int32_t));
}

// How many boundary edges do not belong to two triangles (manifold), and how many directed ones have no partner
// (closed)?
__attribute__((unused)) static int32_t edges_without_partner(const pl_mesh *mesh, int32_t *crowded)
{
    int32_t count = 3 * pl_mesh_triangle_count(mesh), loose = 0;
    const int32_t *t = pl_mesh_triangles(mesh);
    int32_t(*edges)[3] = malloc(sizeof(int32_t[3]) * (size_t)count);
    for (int32_t i = 0; i < count; ++i)
    {
        int32_t a = t[i], b = t[i % 3 == 2 ? i - 2 : i + 1];
        edges[i][0] = a < b ? a : b, edges[i][1] = a < b ? b : a, edges[i][2] = a < b ? 1 : -1;
    }
    qsort(edges, (size_t)count, sizeof *edges, compare_edges);
    *crowded = 0;
    for (int32_t i = 0, j; i < count; i = j)
    {
        int32_t sum = 0;
        for (j = i; j < count && compare_edges(edges[i], edges[j]) == 0; ++j)
            sum += edges[j][2];
        loose += sum != 0;
        *crowded += j - i != 2;
    }
    free(edges);
    return loose;
}

// The volume within the boundary: equal to the sum over tetrahedra unless some overlap.
__attribute__((unused)) static double boundary_volume(const pl_mesh *mesh)
{
    test_surface s = {(double *)pl_mesh_positions(mesh), (int32_t *)pl_mesh_triangles(mesh), 0,
                      pl_mesh_triangle_count(mesh)};
    return surface_volume(&s);
}

__attribute__((unused)) static double farthest_boundary_node(const pl_mesh *mesh, const pl__bvh *bvh)
{
    double farthest = 0;
    for (int32_t i = 0; i < 3 * pl_mesh_triangle_count(mesh); ++i)
        farthest =
            fmax(farthest, pl__bvh_closest(bvh, pl_mesh_positions(mesh) + 3 * pl_mesh_triangles(mesh)[i], NULL, NULL));
    return farthest;
}

__attribute__((unused)) static double det3(const double *a, const double *b, const double *c, const double *o)
{
    double u[3], v[3], w[3];
    for (int d = 0; d < 3; ++d)
        u[d] = a[d] - o[d], v[d] = b[d] - o[d], w[d] = c[d] - o[d];
    return u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) + u[2] * (v[0] * w[1] - v[1] * w[0]);
}

// Every point lies in some tetrahedron: those of a lattice mesh are found by cells of the lattice's size.
typedef struct
{
    const pl_mesh *mesh;
    double lower[3], size;
    int32_t n[3], *first, *tets;
} point_finder;

__attribute__((unused)) static int32_t finder_cell(const point_finder *f, const double *x)
{
    int32_t c[3];
    for (int d = 0; d < 3; ++d)
        c[d] = (int32_t)fmin(fmax((x[d] - f->lower[d]) / f->size, 0), f->n[d] - 1);
    return (c[2] * f->n[1] + c[1]) * f->n[0] + c[0];
}

__attribute__((unused)) static void finder_visit(point_finder *f, bool store)
{
    const double *x = pl_mesh_positions(f->mesh);
    for (int32_t t = 0; t < pl_mesh_tet_count(f->mesh); ++t)
    {
        double low[3] = {1e300, 1e300, 1e300}, high[3] = {-1e300, -1e300, -1e300};
        int32_t c0[3], c1[3];
        for (int k = 0; k < 12; ++k)
        {
            double y = x[3 * pl_mesh_tets(f->mesh)[4 * t + k / 3] + k % 3];
            low[k % 3] = fmin(low[k % 3], y), high[k % 3] = fmax(high[k % 3], y);
        }
        for (int d = 0; d < 3; ++d)
        {
            c0[d] = (int32_t)fmax((low[d] - f->lower[d]) / f->size - 1e-6, 0);
            c1[d] = (int32_t)fmin((high[d] - f->lower[d]) / f->size + 1e-6, f->n[d] - 1);
        }
        for (int32_t k = c0[2]; k <= c1[2]; ++k)
            for (int32_t j = c0[1]; j <= c1[1]; ++j)
                for (int32_t i = c0[0]; i <= c1[0]; ++i)
                {
                    int32_t *slot = &f->first[(k * f->n[1] + j) * f->n[0] + i];
                    if (store)
                        f->tets[*slot] = t;
                    ++*slot;
                }
    }
}

__attribute__((unused)) static point_finder make_finder(const pl_mesh *mesh, double size)
{
    point_finder f = {.mesh = mesh, .lower = {1e300, 1e300, 1e300}, .size = size};
    double upper[3] = {-1e300, -1e300, -1e300};
    for (int32_t i = 0; i < 3 * pl_mesh_node_count(mesh); ++i)
    {
        double y = pl_mesh_positions(mesh)[i];
        f.lower[i % 3] = fmin(f.lower[i % 3], y), upper[i % 3] = fmax(upper[i % 3], y);
    }
    int32_t cells = 1, total = 0;
    for (int d = 0; d < 3; ++d)
        cells *= f.n[d] = (int32_t)((upper[d] - f.lower[d]) / size) + 1;
    f.first = calloc((size_t)cells + 1, sizeof(int32_t));
    finder_visit(&f, false);
    for (int32_t c = 0; c <= cells; ++c)
    {
        int32_t here = f.first[c];
        f.first[c] = total, total += here;
    }
    f.tets = malloc((size_t)total * sizeof(int32_t));
    finder_visit(&f, true);
    memmove(f.first + 1, f.first, (size_t)cells * sizeof(int32_t));
    f.first[0] = 0;
    return f;
}

__attribute__((unused)) static bool contains(const point_finder *f, const double *p)
{
    const double *x = pl_mesh_positions(f->mesh);
    int32_t cell = finder_cell(f, p);
    for (int32_t i = f->first[cell]; i < f->first[cell + 1]; ++i)
    {
        const int32_t *t = pl_mesh_tets(f->mesh) + 4 * f->tets[i];
        const double *a = x + 3 * t[0], *b = x + 3 * t[1], *c = x + 3 * t[2], *d = x + 3 * t[3];
        double slack = -1e-9 * f->size * f->size * f->size;
        if (det3(b, c, d, p) >= slack && det3(a, d, c, p) >= slack && det3(a, b, d, p) >= slack &&
            det3(a, c, b, p) >= slack)
            return true;
    }
    return false;
}

// All vertices and `samples` random points on each triangle.
__attribute__((unused)) static int32_t points_outside(const pl_mesh *mesh, const test_surface *s, double size,
                                                      int32_t samples)
{
    point_finder f = make_finder(mesh, size);
    int32_t outside = 0;
    for (int32_t i = 0; i < s->triangles; ++i)
        for (int32_t k = 0; k < samples + 3; ++k)
        {
            double u = k == 1 ? 1 : k < 3 ? 0 : pl__random01(7, (uint64_t)i, (uint64_t)(2 * k));
            double v = k == 2 ? 1 : k < 3 ? 0 : pl__random01(7, (uint64_t)i, (uint64_t)(2 * k + 1)) * (1 - u), p[3];
            for (int d = 0; d < 3; ++d)
                p[d] = (1 - u - v) * s->x[3 * s->t[3 * i] + d] + u * s->x[3 * s->t[3 * i + 1] + d] +
                       v * s->x[3 * s->t[3 * i + 2] + d];
            outside += !contains(&f, p);
        }
    free(f.first);
    free(f.tets);
    return outside;
}

#endif

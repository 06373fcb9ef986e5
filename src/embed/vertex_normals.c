// src/embed/vertex_normals.c -- normals of a triangle surface in motion.
//
// The normal at a vertex is the normalised sum of the area vectors (x1-x0) x (x2-x0) / 2 of the triangles around it:
// large triangles weigh more, degenerate ones nothing. Each vertex sums its own triangles in order, so that vertices
// can be processed in parallel with the same bits.
//
// A surface with a seam has two vertices at one position, each with the triangles of its side; their normals differ as
// the sides do. That keeps sharp edges sharp.
#include "vertex_normals.h"
#include "math/vec3.h"

#include <string.h>

static void fill_corners(pl__lists *corners, const int32_t *triangle)
{
    // lengths to starts; filling moves each start to its end, which is the next one's start
    int32_t count = 0, rows = corners->row_count;
    for (int32_t i = 0; i < rows; ++i)
    {
        int32_t length = corners->start[i];
        corners->start[i] = count;
        count += length;
    }
    for (int32_t i = 0; i < count; ++i)
        corners->item[corners->start[triangle[i]]++] = i;
    memmove(corners->start + 1, corners->start, sizeof(int32_t) * (size_t)rows);
    corners->start[0] = 0;
}

pl_status pl__vertex_normals_create(pl_context *ctx, const int32_t *triangle, int32_t triangle_count,
                                    int32_t vertex_count, pl__vertex_normals *skin)
{
    size_t corner_count = 3 * (size_t)triangle_count;
    int32_t *start = PL_NEW(ctx, (size_t)vertex_count + 1, int32_t), *item = PL_NEW(ctx, corner_count, int32_t);
    *skin = (pl__vertex_normals){0};
    if (!start || !item)
    {
        PL_DELETE(ctx, start, (size_t)vertex_count + 1);
        PL_DELETE(ctx, item, corner_count);
        return PL_ERR_MEMORY;
    }
    for (size_t i = 0; i < corner_count; ++i)
        start[triangle[i]]++;
    *skin = (pl__vertex_normals){vertex_count, triangle_count, triangle, {vertex_count, start, item}};
    fill_corners(&skin->corners, triangle);
    return PL_OK;
}

void pl__vertex_normals_done(pl_context *ctx, pl__vertex_normals *skin)
{
    pl__lists_done(ctx, &skin->corners);
    *skin = (pl__vertex_normals){0};
}

static pl_vec3 point(const double *position, int32_t vertex)
{
    const double *x = &position[3 * (size_t)vertex];
    return pl_make3(x[0], x[1], x[2]);
}

void pl__vertex_normals_normal(const pl__vertex_normals *skin, const double *position, int32_t vertex, double normal[3])
{
    pl_vec3 sum = {{0, 0, 0}}, x = point(position, vertex);
    for (int32_t k = skin->corners.start[vertex]; k < skin->corners.start[vertex + 1]; ++k)
    {
        int32_t corner = skin->corners.item[k], c = corner % 3;
        const int32_t *triangle = &skin->triangle[corner - c];
        pl_vec3 next = pl_sub3(point(position, triangle[c == 2 ? 0 : c + 1]), x);
        pl_vec3 last = pl_sub3(point(position, triangle[c == 0 ? 2 : c - 1]), x);
        sum = pl_add3(sum, pl_cross3(next, last));
    }
    double length = pl_length3(sum);
    for (int d = 0; d < 3; ++d)
        normal[d] = length > 0 ? sum.v[d] / length : d == 1;
}

// app/render/normals.c -- smooth normals that know creases.
//
// The normal of a corner is the sum of the face normals around its vertex, weighted with the areas of the faces, over
// those faces that are turned by less than 40 degrees against the corner's own. A sphere of triangles looks round, a
// box keeps its edges, with shared vertices and no help from the modeller.
#include "geometry.h"

#include "base/service.h"
#include "base/task.h"

static const float crease_cosine = 0.76604444f; // of 40 degrees

enum
{
    CHUNK = 4096
};

typedef struct neighbourhood
{
    shape *s;
    int32_t *first;  // [vertex_count + 1]: the corners of vertex v are corner[first[v]] to corner[first[v + 1] - 1]
    int32_t *corner; // [3 kept_count], 3 i + k for corner k of kept triangle i
    v3 *area;        // [kept_count] face normals as long as twice the area
} neighbourhood;

static int32_t vertex_of(const shape *s, int32_t corner)
{
    return s->mesh->triangles[3 * (size_t)s->kept[corner / 3] + (size_t)(corner % 3)];
}

static v3 area_vector(const shape *s, int32_t i)
{
    v3 a = shape_vertex(s, s->kept[i], 0), b = shape_vertex(s, s->kept[i], 1), c = shape_vertex(s, s->kept[i], 2);
    return v3_cross(v3_sub(b, a), v3_sub(c, a));
}

// Corners sorted by vertex, by counting.
static void sort_corners(neighbourhood *n)
{
    int32_t vertices = n->s->mesh->vertex_count, corners = 3 * n->s->kept_count;
    for (int32_t c = 0; c < corners; ++c)
        n->first[vertex_of(n->s, c) + 1]++;
    for (int32_t v = 0; v < vertices; ++v)
        n->first[v + 1] += n->first[v];
    for (int32_t c = corners - 1; c >= 0; --c)
        n->corner[--n->first[vertex_of(n->s, c) + 1]] = c;
    // first[v + 1] is now where v starts
    for (int32_t v = 0; v < vertices; ++v)
        n->first[v] = n->first[v + 1];
    n->first[vertices] = corners;
}

static void store(float *to, v3 n) { to[0] = n.x, to[1] = n.y, to[2] = n.z; }

static v3 smooth_normal(const neighbourhood *n, int32_t corner, v3 own)
{
    int32_t v = vertex_of(n->s, corner);
    v3 sum = {0, 0, 0};
    for (int32_t i = n->first[v]; i < n->first[v + 1]; ++i)
    {
        v3 other = n->area[n->corner[i] / 3];
        if (v3_dot(own, other) >= crease_cosine * v3_length(other))
            sum = v3_add(sum, other);
    }
    sum = v3_unit(sum);
    return v3_dot(sum, own) > 0 ? sum : own;
}

static void smooth_range(void *argument, int32_t begin, int32_t end)
{
    const neighbourhood *n = argument;
    for (int32_t i = begin; i < end; ++i)
    {
        v3 own = v3_unit(n->area[i]);
        for (int32_t k = 0; k < 3; ++k)
            store(n->s->normals + 9 * (size_t)i + 3 * k, smooth_normal(n, 3 * i + k, own));
    }
}

static pl_status smooth_with_creases(pl_context *ctx, shape *s)
{
    size_t first_count = (size_t)s->mesh->vertex_count + 1, corner_count = 3 * (size_t)s->kept_count;
    neighbourhood n = {.s = s};
    n.first = PL_NEW(ctx, first_count, int32_t);
    n.corner = PL_NEW(ctx, corner_count, int32_t);
    n.area = PL_NEW(ctx, s->kept_count, v3);
    pl_status status = n.first && n.corner && n.area ? PL_OK : PL_ERR_MEMORY;
    if (status == PL_OK)
    {
        for (int32_t i = 0; i < s->kept_count; ++i)
            n.area[i] = area_vector(s, i);
        sort_corners(&n);
        pl__parallel_for(ctx, s->kept_count, CHUNK, smooth_range, &n);
    }
    PL_DELETE(ctx, n.first, first_count);
    PL_DELETE(ctx, n.corner, corner_count);
    PL_DELETE(ctx, n.area, s->kept_count);
    return status;
}

// Given normals, made to length 1. Those without a direction are replaced by the face's; also, on water, those that
// lean far from it: where water ends at a wall, triangles of the wall have corners of the surface.
static void copy_given(shape *s)
{
    const float leaning = s->mesh->matter == RENDER_WATER ? 0.5f : -2;
    for (int32_t c = 0; c < 3 * s->kept_count; ++c)
    {
        v3 n = v3_unit(v3_load(s->mesh->normals + 3 * (size_t)vertex_of(s, c))), face = v3_unit(area_vector(s, c / 3));
        bool sound = fabsf(v3_dot(n, n) - 1)<0.01f, flat = v3_dot(face, face)> 0.5f;
        store(s->normals + 3 * (size_t)c, !sound || (flat && v3_dot(n, face) < leaning) ? face : n);
    }
}

pl_status shape_make_normals(pl_context *ctx, shape *s)
{
    s->normals = PL_NEW(ctx, 9 * (size_t)s->kept_count, float);
    if (!s->normals)
        return PL_ERR_MEMORY;
    if (!s->mesh->normals)
        return smooth_with_creases(ctx, s);
    copy_given(s);
    return PL_OK;
}

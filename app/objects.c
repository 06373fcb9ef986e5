// app/objects.c -- objects as triangles, for pictures and exports.
#include "objects.h"
#include "math/quat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool object_is_endless(const pl_object_def *def)
{
    bool endless = def->kind == PL_OBJECT_PLANE || def->kind == PL_OBJECT_WEDGE;
    if (def->kind == PL_OBJECT_DIFFERENCE)
        return object_is_endless(&def->part[0]);
    for (int32_t i = 0; def->kind == PL_OBJECT_UNION && i < def->part_count; ++i)
        endless = endless || object_is_endless(&def->part[i]);
    return endless;
}

void objects_free(session *s)
{
    for (int32_t i = 0; s->object_surface && i < pl_world_object_count(s->world); ++i)
        pl_surface_destroy(&s->object_surface[i]);
    free(s->object_surface);
    s->object_surface = NULL;
}

const pl_surface *object_surface(session *s, int32_t i)
{
    if (!s->object_surface && !(s->object_surface = calloc((size_t)pl_world_object_count(s->world) + 1, sizeof *s->object_surface)))
    {
        console_fail(s->con, "out of memory");
        return NULL;
    }
    if (!s->object_surface[i] && pl_object_surface(s->world, (pl_object_id){i + 1}, 0, &s->object_surface[i]) != PL_OK)
        (void)session_fail(s);
    return s->object_surface[i];
}

double object_size(const pl_surface *surface)
{
    double size = 0, lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY};
    const double *x = pl_surface_positions(surface);
    for (size_t k = 0; k < 3 * (size_t)pl_surface_node_count(surface); ++k)
    {
        lower[k % 3] = fmin(lower[k % 3], x[k]);
        upper[k % 3] = fmax(upper[k % 3], x[k]);
    }
    for (int i = 0; i < 3; ++i)
        size = fmax(size, upper[i] - lower[i]);
    return size;
}

// Sums of the normals of the triangles around each vertex.
static void add_normals(const pl_surface *surface, double *normal)
{
    const double *x = pl_surface_positions(surface);
    const int32_t *t = pl_surface_triangles(surface);
    for (int32_t i = 0; i < pl_surface_triangle_count(surface); ++i, t += 3)
    {
        pl_vec3 corner[3];
        for (int k = 0; k < 3; ++k)
            corner[k] = pl_make3(x[3 * t[k]], x[3 * t[k] + 1], x[3 * t[k] + 2]);
        pl_vec3 n = pl_cross3(pl_sub3(corner[1], corner[0]), pl_sub3(corner[2], corner[0]));
        double length = pl_length3(n);
        for (int k = 0; length > 0 && k < 9; ++k)
            normal[3 * t[k / 3] + k % 3] += n.v[k % 3] / length;
    }
}

static void place(const pl_object_def *state, const pl_surface *surface, const double *normal, double inset, double *to)
{
    pl_quat turned = pl_quat_from_degrees(state->rotate);
    const double *x = pl_surface_positions(surface);
    for (int32_t i = 0; i < pl_surface_node_count(surface); ++i, x += 3, normal += 3, to += 3)
    {
        double length = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]), step = length > 0 ? inset / length : 0;
        pl_vec3 p = pl_quat_turn(turned, pl_make3(x[0] - step * normal[0], x[1] - step * normal[1], x[2] - step * normal[2]));
        for (int k = 0; k < 3; ++k)
            to[k] = p.v[k] + state->at[k];
    }
}

bool object_place(session *s, int32_t i, double inset, double *to)
{
    const pl_surface *surface = object_surface(s, i);
    pl_object_def state;
    if (!surface)
        return false;
    if (pl_object_read(s->world, (pl_object_id){i + 1}, &state) != PL_OK)
        return session_fail(s);
    double *normal = calloc(3 * (size_t)pl_surface_node_count(surface) + 1, sizeof *normal);
    if (normal)
    {
        add_normals(surface, normal);
        place(&state, surface, normal, inset, to);
    }
    else
        console_fail(s->con, "out of memory");
    free(normal);
    return normal != NULL;
}

// app/objects.c -- objects as triangles, for pictures and exports.
#include "objects.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct object_triangles
{
    pl_surface *surface; // as it was first seen: its triangles are lent
    pl_surface *bent;    // an actor now, of the same triangles; NULL: as at first
    bool known;
};

// A difference is traced, and needs a box around its first part; height fields have no lower end.
static bool is_endless(const pl_object_def *def, bool traced)
{
    bool endless =
        def->kind == PL_OBJECT_PLANE || def->kind == PL_OBJECT_WEDGE || (traced && def->kind == PL_OBJECT_HEIGHT_FIELD);
    if (def->kind == PL_OBJECT_DIFFERENCE)
        return is_endless(&def->part[0], true);
    for (int32_t i = 0; def->kind == PL_OBJECT_UNION && i < def->part_count; ++i)
        endless = endless || is_endless(&def->part[i], traced);
    return endless;
}

bool object_is_endless(const pl_object_def *def) { return is_endless(def, false); }

void objects_free(session *s)
{
    for (int32_t i = 0; s->object && i < pl_world_object_count(s->world); ++i)
    {
        pl_surface_destroy(&s->object[i].surface);
        pl_surface_destroy(&s->object[i].bent);
    }
    free(s->object);
    s->object = NULL;
}

static bool out_of_memory(session *s)
{
    console_fail(s->con, "out of memory");
    return false;
}

// Actors bend: their vertices are where they are now.
static pl_status follow(session *s, int32_t i, struct object_triangles *o)
{
    pl_object_def state;
    pl_surface *now = NULL;
    pl_status status = pl_object_read(s->world, (pl_object_id){i + 1}, &state);
    if (status != PL_OK || !o->surface || state.kind != PL_OBJECT_ACTOR)
        return status;
    status = pl_object_surface(s->world, (pl_object_id){i + 1}, 0, &now);
    if (status != PL_OK)
        return status;
    pl_surface_destroy(&o->bent);
    o->bent = now;
    return PL_OK;
}

bool object_surface(session *s, int32_t i, const pl_surface **surface)
{
    if (!s->object && !(s->object = calloc((size_t)pl_world_object_count(s->world) + 1, sizeof *s->object)))
        return out_of_memory(s);
    struct object_triangles *o = &s->object[i];
    pl_status status = o->known ? follow(s, i, o) : pl_object_surface(s->world, (pl_object_id){i + 1}, 0, &o->surface);
    if (status == PL_ERR_MEMORY)
        return out_of_memory(s);
    char sentence[400];
    snprintf(sentence, sizeof sentence, "objects.%s is not shown: %.300s", pl_world_object_name(s->world, i),
             pl_context_error(s->ctx));
    if (status != PL_OK)
        console_log(s->con, PL_LOG_WARNING, sentence);
    o->known = true;
    *surface = o->bent ? o->bent : o->surface;
    return true;
}

const int32_t *object_triangles(const session *s, int32_t i) { return pl_surface_triangles(s->object[i].surface); }

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
        const double *o = &x[3 * t[0]], *p = &x[3 * t[1]], *q = &x[3 * t[2]];
        double a[3] = {p[0] - o[0], p[1] - o[1], p[2] - o[2]}, b[3] = {q[0] - o[0], q[1] - o[1], q[2] - o[2]};
        double n[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
        double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        for (int k = 0; length > 0 && k < 9; ++k)
            normal[3 * t[k / 3] + k % 3] += n[k % 3] / length;
    }
}

static void place(const pl_object_def *state, const pl_surface *surface, const double *normal, double inset, double *to)
{
    const double *x = pl_surface_positions(surface);
    int32_t count = pl_surface_node_count(surface);
    for (int32_t i = 0; i < count; ++i, x += 3, normal += 3)
    {
        double length = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]),
               step = length > 0 ? inset / length : 0;
        for (int k = 0; k < 3; ++k)
            to[3 * (size_t)i + (size_t)k] = x[k] - step * normal[k];
    }
    pl_points_rotate(state->rotate, to, count);
    for (size_t k = 0; k < 3 * (size_t)count; ++k)
        to[k] += state->at[k % 3];
}

bool object_place(session *s, int32_t i, const pl_surface *surface, double inset, double *to)
{
    pl_object_def state;
    if (pl_object_read(s->world, (pl_object_id){i + 1}, &state) != PL_OK)
        return session_fail(s);
    double *normal = calloc(3 * (size_t)pl_surface_node_count(surface) + 1, sizeof *normal);
    if (!normal)
        return out_of_memory(s);
    add_normals(surface, normal);
    place(&state, surface, normal, inset, to);
    free(normal);
    return true;
}

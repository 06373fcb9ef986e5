// app/objects.c -- objects as triangles, for pictures and exports.
#include "objects.h"
#include "math/quat.h"
#include "mesh/mesh.h"
#include "scene/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct object_triangles
{
    pl_surface *surface;
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
        pl_surface_destroy(&s->object[i].surface);
    free(s->object);
    s->object = NULL;
}

static bool out_of_memory(session *s)
{
    console_fail(s->con, "out of memory");
    return false;
}

// Actors bend. Whoever knows the triangles keeps them, and their vertices go where they are now.
static pl_status follow(session *s, int32_t i, pl_surface *known)
{
    pl_surface *now;
    if (!known || s->scene->object[i].def.kind != PL_OBJECT_ACTOR)
        return PL_OK;
    PL_TRY(pl_object_surface(s->world, (pl_object_id){i + 1}, 0, &now));
    memcpy(known->position, now->position, 3 * (size_t)now->node_count * sizeof *now->position);
    pl_surface_destroy(&now);
    return PL_OK;
}

bool object_surface(session *s, int32_t i, const pl_surface **surface)
{
    if (!s->object && !(s->object = calloc((size_t)pl_world_object_count(s->world) + 1, sizeof *s->object)))
        return out_of_memory(s);
    struct object_triangles *o = &s->object[i];
    pl_status status =
        o->known ? follow(s, i, o->surface) : pl_object_surface(s->world, (pl_object_id){i + 1}, 0, &o->surface);
    if (status == PL_ERR_MEMORY)
        return out_of_memory(s);
    char sentence[400];
    snprintf(sentence, sizeof sentence, "objects.%s is not shown: %.300s", pl_world_object_name(s->world, i),
             pl_context_error(s->ctx));
    if (status != PL_OK)
        console_log(s->con, PL_LOG_WARNING, sentence);
    o->known = true;
    *surface = o->surface;
    return true;
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
        double length = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]),
               step = length > 0 ? inset / length : 0;
        pl_vec3 p =
            pl_quat_turn(turned, pl_make3(x[0] - step * normal[0], x[1] - step * normal[1], x[2] - step * normal[2]));
        for (int k = 0; k < 3; ++k)
            to[k] = p.v[k] + state->at[k];
    }
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

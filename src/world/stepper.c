// src/world/stepper.c -- the list of steppers: stepping, reports, drawables.
#include "stepper.h"
#include "base/cpu.h"
#include "math/vec3.h"
#include "world.h"

#include <math.h>
#include <string.h>

pl_status pl__steppers_add(pl_world *world, const pl__stepper_type *type, void *self)
{
    pl__steppers *s = &world->steppers;
    if (s->count == PL__STEPPERS)
        return pl__fail(world->ctx, PL_ERR_STATE, "stepper %s: a world has room for %d", type->name, PL__STEPPERS);
    s->stepper[s->count++] = (pl__stepper){type, self};
    return PL_OK;
}

void pl__steppers_destroy(pl_world *world)
{
    for (int32_t i = world->steppers.count; i-- > 0;)
        if (world->steppers.stepper[i].type->destroy)
            world->steppers.stepper[i].type->destroy(world->steppers.stepper[i].self);
    world->steppers.count = 0;
}

pl_status pl__steppers_register(pl_context *ctx, pl__stepper_maker maker)
{
    for (size_t i = 0; i < sizeof ctx->stepper_maker / sizeof ctx->stepper_maker[0]; ++i)
        if (!ctx->stepper_maker[i])
        {
            ctx->stepper_maker[i] = (void (*)(void))maker;
            return PL_OK;
        }
    return pl__fail(ctx, PL_ERR_STATE, "a context has room for %zu makers of steppers",
                    sizeof ctx->stepper_maker / sizeof ctx->stepper_maker[0]);
}

pl_status pl__steppers_make(pl_world *world, const pl_scene *scene)
{
    const pl_context *ctx = world->ctx;
    for (size_t i = 0; i < sizeof ctx->stepper_maker / sizeof ctx->stepper_maker[0] && ctx->stepper_maker[i]; ++i)
        PL_TRY(((pl__stepper_maker)ctx->stepper_maker[i])(world, scene));
    return PL_OK;
}

// ---- stepping --------------------------------------------------------------------------------------------------

double pl__steppers_longest_step(const pl_world *world, int32_t first)
{
    double longest = INFINITY;
    for (int32_t i = first; i < world->steppers.count; ++i)
    {
        const pl__stepper *s = &world->steppers.stepper[i];
        longest = s->type->longest_step ? fmin(longest, s->type->longest_step(s->self)) : longest;
    }
    return longest;
}

pl_status pl__steppers_advance(pl_world *world, double *dt)
{
    for (int32_t i = 0; i < world->steppers.count; ++i)
        PL_TRY(world->steppers.stepper[i].type->advance(world->steppers.stepper[i].self, dt));
    return PL_OK;
}

static void divide_center(pl_step_info *info)
{
    for (int i = 0; i < 3 && info->mass > 0; ++i)
        info->center[i] /= info->mass;
}

void pl__steppers_report(const pl_world *world, pl_step_info *info)
{
    info->min_J = INFINITY;
    for (int32_t i = 0; i < world->steppers.count; ++i)
        world->steppers.stepper[i].type->figures(world->steppers.stepper[i].self, info);
    divide_center(info);
}

// ---- drawables -------------------------------------------------------------------------------------------------

// The stepper of drawable *i; *i becomes the index within the stepper. NULL with the error message set.
static const pl__stepper *stepper_of(const pl_world *world, int32_t *i)
{
    int32_t number = *i;
    for (int32_t k = 0; k < world->steppers.count; ++k)
    {
        const pl__stepper *s = &world->steppers.stepper[k];
        int32_t count = s->type->drawable_count(s->self);
        if (*i >= 0 && *i < count)
            return s;
        *i -= count;
    }
    (void)pl__fail(world->ctx, PL_ERR_ARGUMENT, "drawable %d does not exist", number);
    return NULL;
}

int32_t pl_world_drawable_count(const pl_world *world)
{
    int32_t count = 0;
    for (int32_t k = 0; world && k < world->steppers.count; ++k)
        count += world->steppers.stepper[k].type->drawable_count(world->steppers.stepper[k].self);
    return count;
}

pl_status pl_world_drawable(const pl_world *world, int32_t i, pl_drawable *drawable)
{
    if (!world || !drawable)
        return PL_ERR_ARGUMENT;
    const pl__stepper *s = stepper_of(world, &i);
    if (!s)
        return PL_ERR_ARGUMENT;
    *drawable = (pl_drawable){
        .name = s->type->name, .stepper = s->type->name, .version = 1, .color = {0.6, 0.6, 0.6}, .opacity = 1};
    s->type->drawable(s->self, i, drawable);
    return PL_OK;
}

// Vertex normals: area-weighted means of triangle normals.
static void triangle_normals(const pl_drawable *d, const double *x, double *normals)
{
    memset(normals, 0, 3 * (size_t)d->vertex_count * sizeof *normals);
    for (int32_t t = 0; t < d->triangle_count; ++t)
    {
        const int32_t *v = &d->triangles[3 * (size_t)t];
        pl_vec3 corner[3];
        for (int k = 0; k < 3; ++k)
            memcpy(corner[k].v, &x[3 * (size_t)v[k]], sizeof corner[k].v);
        pl_vec3 n = pl_cross3(pl_sub3(corner[1], corner[0]), pl_sub3(corner[2], corner[0]));
        for (int k = 0; k < 3; ++k)
            for (size_t j = 0; j < 3; ++j)
                normals[3 * (size_t)v[k] + j] += n.v[j];
    }
    for (size_t n = 0; n < (size_t)d->vertex_count; ++n)
    {
        double *v = &normals[3 * n], length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        for (int j = 0; j < 3; ++j)
            v[j] = length > 0 ? v[j] / length : 0;
    }
}

static pl_status read_normals(const pl_world *world, const pl__stepper *s, int32_t i, const double *vertices,
                              double *normals)
{
    pl_drawable d = {0};
    if (s->type->normals)
        return s->type->normals(s->self, i, normals);
    s->type->drawable(s->self, i, &d);
    size_t length = 3 * (size_t)d.vertex_count;
    double *x = vertices ? NULL : PL_NEW(world->ctx, length, double);
    if (!vertices && !x)
        return PL_ERR_MEMORY;
    pl_status status = vertices ? PL_OK : s->type->read(s->self, i, x, NULL);
    if (status == PL_OK)
        triangle_normals(&d, vertices ? vertices : x, normals);
    PL_DELETE(world->ctx, x, length);
    return status;
}

pl_status pl_drawable_read(const pl_world *world, int32_t i, double *vertices, double *velocities, double *normals)
{
    if (!world)
        return PL_ERR_ARGUMENT;
    const pl__stepper *s = stepper_of(world, &i);
    if (!s)
        return PL_ERR_ARGUMENT;
    uint64_t host = pl__fp_enter();
    pl_status status = s->type->read(s->self, i, vertices, velocities);
    if (status == PL_OK && normals)
        status = read_normals(world, s, i, vertices, normals);
    pl__fp_leave(host);
    return status;
}

pl_status pl_drawable_read_field(const pl_world *world, int32_t i, const char *name, float *values)
{
    if (!world || !name || !values)
        return PL_ERR_ARGUMENT;
    const pl__stepper *s = stepper_of(world, &i);
    if (!s)
        return PL_ERR_ARGUMENT;
    pl_drawable d = {0};
    s->type->drawable(s->self, i, &d);
    uint64_t host = pl__fp_enter();
    if (!s->type->field || !s->type->field(s->self, i, name, values))
        memset(values, 0, (size_t)d.vertex_count * sizeof *values);
    pl__fp_leave(host);
    return PL_OK;
}

pl_status pl_drawable_report(pl_world *world, int32_t i, pl_step_info *info)
{
    if (!world || !info)
        return PL_ERR_ARGUMENT;
    const pl__stepper *s = stepper_of(world, &i);
    if (!s)
        return PL_ERR_ARGUMENT;
    if (s->type->report)
        return s->type->report(s->self, i, info);
    uint64_t host = pl__fp_enter();
    *info = (pl_step_info){.time = world->state.time, .min_J = INFINITY};
    s->type->figures(s->self, info);
    divide_center(info);
    pl__fp_leave(host);
    return PL_OK;
}

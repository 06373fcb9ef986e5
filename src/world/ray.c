// src/world/ray.c -- ray casting against everything drawable.
#include "ray.h"
#include "base/cpu.h"
#include "math/vec3.h"
#include "world.h"

#include <math.h>
#include <string.h>

static pl_vec3 load(const double *x) { return pl_make3(x[0], x[1], x[2]); }

// Moeller and Trumbore 1997: o + t d = (1 - u - v) a + u b + v c by Cramer's rule, two-sided.
static bool intersect_triangle(pl_vec3 o, pl_vec3 d, pl_vec3 a, pl_vec3 b, pl_vec3 c, double *t, double weights[3])
{
    pl_vec3 ab = pl_sub3(b, a), ac = pl_sub3(c, a), p = pl_cross3(d, ac), s = pl_sub3(o, a), q = pl_cross3(s, ab);
    double det = pl_dot3(ab, p);
    if (!(fabs(det) > 0))
        return false;
    double u = pl_dot3(s, p) / det, v = pl_dot3(d, q) / det;
    *t = pl_dot3(ac, q) / det;
    weights[0] = 1 - u - v;
    weights[1] = u;
    weights[2] = v;
    return u >= 0 && v >= 0 && u + v <= 1 && *t >= 0;
}

static void fill_hit(const double *vertices, const int32_t *v, double t, const double weights[3], pl_hit *hit)
{
    pl_vec3 x[3], at = pl_make3(0, 0, 0);
    for (int k = 0; k < 3; ++k)
    {
        x[k] = load(&vertices[3 * (size_t)v[k]]);
        at = pl_add3(at, pl_scale3(weights[k], x[k]));
    }
    pl_vec3 normal = pl_cross3(pl_sub3(x[1], x[0]), pl_sub3(x[2], x[0]));
    double length = pl_length3(normal);
    hit->distance = t;
    for (int k = 0; k < 3; ++k)
    {
        hit->weights[k] = weights[k];
        hit->point[k] = at.v[k];
        hit->normal[k] = length > 0 ? normal.v[k] / length : 0;
    }
}

bool pl__ray_cast(const double origin[3], const double direction[3], const double *vertices, const int32_t *triangles,
                  int32_t triangle_count, pl_hit *hit)
{
    int32_t best = -1;
    double nearest = hit->distance, kept[3] = {0, 0, 0};
    for (int32_t i = 0; i < triangle_count; ++i)
    {
        const int32_t *v = &triangles[3 * (size_t)i];
        double t, weights[3];
        if (!intersect_triangle(load(origin), load(direction), load(&vertices[3 * (size_t)v[0]]),
                                load(&vertices[3 * (size_t)v[1]]), load(&vertices[3 * (size_t)v[2]]), &t, weights) ||
            t >= nearest)
            continue;
        nearest = t;
        best = i;
        memcpy(kept, weights, sizeof kept);
    }
    if (best < 0)
        return false;
    fill_hit(vertices, &triangles[3 * (size_t)best], nearest, kept, hit);
    hit->triangle = best;
    return true;
}

// Test all triangles of a stepper without cast_ray. Out of memory counts as no hit.
static bool cast_at_drawables(const pl_world *world, const pl__stepper *s, const double origin[3],
                              const double direction[3], pl_hit *hit)
{
    bool any = false;
    for (int32_t i = 0; i < s->type->drawable_count(s->self); ++i)
    {
        pl_drawable d = {0};
        s->type->drawable(s->self, i, &d);
        size_t length = 3 * (size_t)d.vertex_count;
        double *x = PL_NEW(world->ctx, length, double);
        if (x && s->type->read(s->self, i, x, NULL) == PL_OK &&
            pl__ray_cast(origin, direction, x, d.triangles, d.triangle_count, hit))
        {
            hit->drawable = i;
            hit->body = d.body;
            any = true;
        }
        PL_DELETE(world->ctx, x, length);
    }
    return any;
}

int32_t pl_world_cast_ray(const pl_world *world, const double origin[3], const double direction[3], pl_hit *hit)
{
    if (!world || !origin || !direction || !hit)
        return 0;
    pl_hit found = {.distance = INFINITY};
    double length = pl_length3(load(direction));
    if (!(length > 0 && isfinite(length) && isfinite(origin[0] + origin[1] + origin[2])))
        return 0;
    uint64_t host = pl__fp_enter();
    pl_vec3 unit = pl_scale3(1 / length, load(direction));
    bool any = false;
    for (int32_t k = 0, first = 0; k < world->steppers.count; ++k)
    {
        const pl__stepper *s = &world->steppers.stepper[k];
        pl_body_id before = found.body;
        found.body = (pl_body_id){0};
        bool found_one = s->type->cast_ray ? s->type->cast_ray(s->self, origin, unit.v, &found)
                                           : cast_at_drawables(world, s, origin, unit.v, &found);
        found.drawable += found_one ? first : 0;
        first += s->type->drawable_count(s->self);
        found.body = found_one ? found.body : before;
        any |= found_one;
    }
    pl__fp_leave(host);
    if (any)
        *hit = found;
    return any;
}

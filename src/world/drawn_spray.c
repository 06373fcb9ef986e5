// src/world/drawn_spray.c
#include "drawn_spray.h"
#include "base/context.h"

#include <math.h>
#include <string.h>

void pl__drawn_spray_make(pl_context *ctx, const pl__spray *spray, int32_t liquid, pl__drawn_spray *drawn)
{
    drawn->count = 0;
    if (!PL_GROW(ctx, drawn->radius, &drawn->capacity, (size_t)spray->count) ||
        !PL_GROW(ctx, drawn->drop, &drawn->drop_capacity, (size_t)spray->count))
        return;
    for (int32_t n = 0; n < spray->count; ++n)
        if (spray->drop[n].liquid == liquid)
        {
            drawn->radius[drawn->count] = cbrt(3 * spray->drop[n].volume / (4 * M_PI));
            drawn->drop[drawn->count++] = n;
        }
}

void pl__drawn_spray_done(pl_context *ctx, pl__drawn_spray *drawn)
{
    PL_DELETE(ctx, drawn->radius, drawn->capacity);
    PL_DELETE(ctx, drawn->drop, drawn->drop_capacity);
    *drawn = (pl__drawn_spray){0};
}

void pl__drawn_spray_describe(const pl__drawn_spray *drawn, pl_drawable *d)
{
    static const double none = 0; // radii tell that these are points, also when there are none
    d->name = drawn->name;
    d->vertex_count = drawn->count;
    d->radii = drawn->count > 0 ? drawn->radius : &none;
    d->look = PL_LOOK_SPRAY;
    d->opacity = 0.15;
    d->color[0] = d->color[1] = d->color[2] = 1;
}

void pl__drawn_spray_read(const pl__drawn_spray *drawn, const pl__spray *spray, double *x, double *v)
{
    for (int32_t n = 0; n < drawn->count; ++n)
    {
        const pl__drop *d = &spray->drop[drawn->drop[n]];
        if (x)
            memcpy(x + 3 * (size_t)n, d->x, sizeof d->x);
        if (v)
            memcpy(v + 3 * (size_t)n, d->v, sizeof d->v);
    }
}

void pl__drawn_spray_report(const pl__spray *spray, int32_t liquid, double density, const double gravity[3],
                            pl_step_info *info)
{
    for (int32_t n = 0; n < spray->count; ++n)
    {
        const pl__drop *d = &spray->drop[n];
        if (d->liquid != liquid)
            continue;
        double mass = density * d->volume;
        info->mass += mass;
        info->liquid_spray += d->volume;
        for (int i = 0; i < 3; ++i)
        {
            info->kinetic += 0.5 * mass * d->v[i] * d->v[i];
            info->gravity -= mass * d->x[i] * gravity[i];
            info->momentum[i] += mass * d->v[i];
            info->center[i] += mass * d->x[i];
        }
    }
}

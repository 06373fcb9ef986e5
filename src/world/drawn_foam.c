// src/world/drawn_foam.c
#include "drawn_foam.h"
#include "base/context.h"

#include <string.h>

void pl__drawn_foam_make(pl_context *ctx, const pl__foam *foam, pl__froth_kind kind, double h, double life,
                         pl__drawn_foam *drawn)
{
    drawn->count = 0;
    if (!PL_GROW(ctx, drawn->radius, &drawn->radius_capacity, (size_t)foam->count) ||
        !PL_GROW(ctx, drawn->item, &drawn->item_capacity, (size_t)foam->count))
        return;
    for (int32_t n = 0; n < foam->count; ++n)
        if (foam->item[n].kind == (int64_t)kind)
        {
            drawn->radius[drawn->count] = pl__foam_radius(&foam->item[n], h, life);
            drawn->item[drawn->count++] = n;
        }
}

void pl__drawn_foam_done(pl_context *ctx, pl__drawn_foam *drawn)
{
    PL_DELETE(ctx, drawn->radius, drawn->radius_capacity);
    PL_DELETE(ctx, drawn->item, drawn->item_capacity);
    *drawn = (pl__drawn_foam){0};
}

void pl__drawn_foam_describe(const pl__drawn_foam *drawn, pl_drawable *d)
{
    static const double none = 0; // radii tell that these are points, also when there are none
    d->name = drawn->name;
    d->vertex_count = drawn->count;
    d->radii = drawn->count > 0 ? drawn->radius : &none;
    d->look = PL_LOOK_OPAQUE;
    d->opacity = 0.6;
    d->color[0] = d->color[1] = d->color[2] = 1;
}

void pl__drawn_foam_read(const pl__drawn_foam *drawn, const pl__foam *foam, double *x, double *v)
{
    for (int32_t n = 0; n < drawn->count; ++n)
    {
        const pl__froth *p = &foam->item[drawn->item[n]];
        if (x)
            memcpy(x + 3 * (size_t)n, p->x, sizeof p->x);
        if (v)
            memcpy(v + 3 * (size_t)n, p->v, sizeof p->v);
    }
}

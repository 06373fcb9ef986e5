// app/render/froth.c -- a lattice as wide as the widest patch, with lists of points in its cells.
#include "froth.h"

#include "base/random.h"
#include "base/service.h"

#include <string.h>

static const float spread = 5;   // radius of a patch over that of its point
static const float whole = 1.5f; // sum of shares that covers all

static bool is_foam(const render_points *p) { return p->foam && p->count > 0; }

static void cell_of(const froth *f, v3 x, int64_t at[3])
{
    const float p[3] = {x.x, x.y, x.z};
    for (int a = 0; a < 3; ++a)
        at[a] = (int64_t)floorf(lesser(greater(p[a] / f->width, -1e9f), 1e9f));
}

static uint64_t slot_of(const froth *f, const int64_t at[3])
{
    return pl__random64((uint64_t)at[0], (uint64_t)at[1], (uint64_t)at[2]) & f->mask;
}

// Count points, and find the widest.
static size_t look_over(const render_scene *scene, float *widest)
{
    size_t count = 0;
    for (int32_t s = 0; s < scene->points_count; ++s)
        for (int32_t i = 0; is_foam(&scene->points[s]) && i < scene->points[s].count; ++i)
        {
            float r = scene->points[s].radii[i];
            *widest = r < 1e15f ? greater(*widest, r) : *widest;
            ++count;
        }
    return count;
}

pl_status froth_make(pl_context *ctx, tracer *t)
{
    froth *f = &t->froth;
    const render_scene *scene = t->scene;
    float widest = 0;
    *f = (froth){.mask = 63};
    f->count = look_over(scene, &widest);
    if (f->count == 0 || widest <= 0 || !t->geometry.water)
        return f->count = 0, PL_OK;
    f->width = spread * widest;
    while (f->mask < 2 * f->count)
        f->mask = 2 * f->mask + 1;
    f->first = PL_NEW(ctx, f->mask + 1, int32_t);
    f->item = PL_NEW(ctx, f->count, froth_patch);
    if (!f->first || !f->item)
        return PL_ERR_MEMORY;
    memset(f->first, 0xff, (f->mask + 1) * sizeof *f->first);
    int32_t n = 0;
    for (int32_t s = 0; s < scene->points_count; ++s)
    {
        const render_points *p = &scene->points[s];
        for (int32_t i = 0; is_foam(p) && i < p->count; ++i, ++n)
        {
            int64_t at[3];
            v3 x = v3_load(p->positions + 3 * (size_t)i);
            f->item[n] = (froth_patch){x, spread * p->radii[i], p->opacity, -1};
            if (!(p->radii[i] > 0 && v3_dot(x, x) < 1e30f))
                continue;
            cell_of(f, x, at);
            uint64_t slot = slot_of(f, at);
            f->item[n].next = f->first[slot];
            f->first[slot] = n;
        }
    }
    return PL_OK;
}

void froth_free(pl_context *ctx, tracer *t)
{
    froth *f = &t->froth;
    if (f->first)
        PL_DELETE(ctx, f->first, f->mask + 1);
    if (f->item)
        PL_DELETE(ctx, f->item, f->count);
}

float froth_at(const tracer *t, v3 point)
{
    const froth *f = &t->froth;
    int64_t at[3];
    float sum = 0;
    if (f->count == 0)
        return 0;
    cell_of(f, point, at);
    for (int k = 0; k < 27 && sum < whole; ++k)
    {
        const int64_t cell[3] = {at[0] + k % 3 - 1, at[1] + k / 3 % 3 - 1, at[2] + k / 9 - 1};
        for (int32_t n = f->first[slot_of(f, cell)]; n >= 0; n = f->item[n].next)
        {
            const froth_patch *p = &f->item[n];
            int64_t own[3];
            v3 away = v3_sub(point, p->at);
            float part = 1 - v3_dot(away, away) / (p->radius * p->radius);
            if (!(part > 0))
                continue;
            cell_of(f, p->at, own);
            if (memcmp(own, cell, sizeof own) == 0) // not of another cell in the same list
                sum += p->opacity * part * part;
        }
    }
    return smooth01(sum / whole);
}

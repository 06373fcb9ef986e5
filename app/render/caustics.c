// app/render/caustics.c
#include "caustics.h"
#include "water.h"

#include "base/service.h"
#include "base/task.h"

enum
{
    TEXELS = 288, // along the longer side of the map
    RAYS = 3,     // per texel along a side
    EVENTS = 12   // surfaces of water that a ray may meet
};

static const float most = 5; // times as much light

typedef struct lattice
{
    const tracer *t;
    const caustics *c;
    v3 origin; // of ray (0, 0), outside of all water
    float step;
    int32_t across, along;
    float (*landed)[2]; // [along][across], in texels; negative: nowhere
} lattice;

static v3 smooth_normal(const tracer *t, const packet *w, int i)
{
    const struct RTCHit16 *h = &w->rays.hit;
    const float *n = t->geometry.shapes[h->geomID[i]].normals + 9 * (size_t)h->primID[i];
    v3 sum = v3_scale(1 - h->u[i] - h->v[i], v3_load(n));
    return v3_unit(v3_axpy(h->u[i], v3_load(n + 3), v3_axpy(h->v[i], v3_load(n + 6), sum)));
}

// Bend ray i at the water that it has met; false: it is mirrored, and lost.
static bool bend(const tracer *t, const packet *w, int i, int *depth, packet *next)
{
    v3 facet = v3_unit((v3){w->rays.hit.Ng_x[i], w->rays.hit.Ng_y[i], w->rays.hit.Ng_z[i]});
    v3 toward = packet_direction(w, i), on = toward;
    float distance = w->rays.ray.tfar[i], through;
    bool out = v3_dot(facet, toward) > 0, surfaces = out ? *depth <= 1 : *depth == 0;
    surfaces = surfaces && !water_is_inner(&t->geometry.shapes[w->rays.hit.geomID[i]], w->rays.hit.primID[i]);
    v3 behind = out ? facet : v3_scale(-1, facet);
    if (surfaces)
    {
        v3 normal = v3_scale(out ? -1 : 1, smooth_normal(t, w, i));
        float ratio = out ? 1 / water_index : water_index, cosine = lesser(-v3_dot(normal, toward), 1);
        if (cosine < 0.01f || water_fresnel(cosine, ratio, &through) >= 1)
            return false;
        on = v3_unit(v3_axpy(cosine / ratio - through, normal, v3_scale(1 / ratio, toward)));
        if (v3_dot(on, behind) <= 0)
            return false;
    }
    *depth = out ? (*depth > 0 ? *depth - 1 : 0) : *depth + 1;
    packet_aim(next, i, lifted(v3_axpy(distance, toward, packet_origin(w, i)), behind, distance), on);
    return true;
}

static void land(const lattice *l, v3 point, float to[2])
{
    const caustics *c = l->c;
    v3 from = v3_sub(point, c->corner);
    to[0] = v3_dot(from, c->across) / c->texel;
    to[1] = v3_dot(from, c->along) / c->texel;
}

// Sixteen rays from the light until they land.
static void follow(const lattice *l, packet *p, float (*landed)[2])
{
    bool going[PACKET], wet[PACKET] = {false};
    int depth[PACKET] = {0};
    for (int i = 0; i < PACKET; ++i)
        going[i] = p->valid[i];
    for (int n = 0; n < EVENTS; ++n)
    {
        packet w = *p, next;
        bool any = false;
        packet_find_water(l->t, &w, RAYS_OF_THE_EYE);
        packet_find_hits(l->t, p, RAYS_OF_LIGHT);
        packet_clear(&next);
        for (int i = 0; i < PACKET; ++i)
        {
            if (!going[i])
                continue;
            bool met = packet_met_mesh(&w, i);
            float end = packet_distance(p, i);
            going[i] = false;
            if (met && w.rays.ray.tfar[i] < end)
                going[i] = bend(l->t, &w, i, &depth[i], &next);
            else if (wet[i] && end < INFINITY)
                land(l, v3_axpy(end, packet_direction(p, i), packet_origin(p, i)), landed[i]);
            wet[i] = true;
            any = any || going[i];
        }
        if (!any)
            return;
        *p = next;
    }
}

static void follow_rows(void *argument, int32_t begin, int32_t end)
{
    const lattice *l = argument;
    v3 down = v3_scale(-1, l->t->to_light);
    for (int32_t row = begin; row < end; ++row)
        for (int32_t first = 0; first < l->across; first += PACKET)
        {
            packet p;
            float(*landed)[2] = &l->landed[(size_t)row * (size_t)l->across + (size_t)first];
            packet_clear(&p);
            for (int i = 0; i < PACKET && first + i < l->across; ++i)
            {
                v3 from = v3_axpy(l->step * ((float)(first + i) + 0.5f), l->c->across,
                                  v3_axpy(l->step * ((float)row + 0.5f), l->c->along, l->origin));
                packet_aim(&p, i, from, down);
                landed[i][0] = -1;
            }
            follow(l, &p, landed);
        }
}

// Each ray gives a share to the four texels around the place where it lands.
static void splat(const lattice *l, float *map)
{
    const caustics *c = l->c;
    const float share = 1.0f / (RAYS * RAYS);
    for (size_t n = 0; n < (size_t)l->across * (size_t)l->along; ++n)
    {
        float x = l->landed[n][0] - 0.5f, y = l->landed[n][1] - 0.5f;
        if (!(x >= 0 && y >= 0 && x < (float)(c->width - 1) && y < (float)(c->height - 1)))
            continue;
        int32_t i = (int32_t)x, j = (int32_t)y;
        float u = x - (float)i, v = y - (float)j, *to = &map[(size_t)j * (size_t)c->width + (size_t)i];
        to[0] += share * (1 - u) * (1 - v);
        to[1] += share * u * (1 - v);
        to[c->width] += share * (1 - u) * v;
        to[c->width + 1] += share * u * v;
    }
}

// Means over three texels by three, (1 2 1) / 4 along each side.
static void smooth(const caustics *c, const float *from, float *to)
{
    for (int32_t j = 0; j < c->height; ++j)
        for (int32_t i = 0; i < c->width; ++i)
        {
            float sum = 0;
            for (int k = 0; k < 9; ++k)
            {
                int32_t x = i + k % 3 - 1, y = j + k / 3 - 1;
                x = x < 0 ? 0 : x < c->width ? x : c->width - 1;
                y = y < 0 ? 0 : y < c->height ? y : c->height - 1;
                sum += (float)((k % 3 == 1 ? 2 : 1) * (k / 3 == 1 ? 2 : 1)) * from[y * c->width + x];
            }
            to[j * c->width + i] = lesser(sum / 16, most);
        }
}

// The box of all water, as seen from the light: lowest and highest along its three directions.
static bool find_bounds(const tracer *t, v3 low_high[2])
{
    bool any = false;
    low_high[0] = (v3){INFINITY, INFINITY, INFINITY};
    low_high[1] = v3_scale(-1, low_high[0]);
    for (int32_t m = 0; m < t->geometry.shape_count; ++m)
    {
        const shape *s = &t->geometry.shapes[m];
        for (int32_t k = 0; s->mesh->matter == RENDER_WATER && k < 3 * s->kept_count; ++k)
        {
            v3 x = shape_vertex(s, s->kept[k / 3], k % 3);
            v3 at = {v3_dot(x, t->caustics.across), v3_dot(x, t->caustics.along), v3_dot(x, t->to_light)};
            low_high[0] = (v3){lesser(at.x, low_high[0].x), lesser(at.y, low_high[0].y), lesser(at.z, low_high[0].z)};
            low_high[1] =
                (v3){greater(at.x, low_high[1].x), greater(at.y, low_high[1].y), greater(at.z, low_high[1].z)};
            any = true;
        }
    }
    return any;
}

pl_status caustics_make(pl_context *ctx, tracer *t)
{
    caustics *c = &t->caustics;
    v3 bounds[2];
    *c = (caustics){0};
    v3_frame(t->to_light, &c->across, &c->along);
    if (!t->geometry.water || v3_largest(t->key) <= 0 || !find_bounds(t, bounds))
        return PL_OK;
    v3 size = v3_sub(bounds[1], bounds[0]);
    float longest = greater(size.x, size.y);
    if (!(longest > 0 && longest < 1e15f))
        return PL_OK;
    c->texel = longest / TEXELS;
    c->width = (int32_t)ceilf(size.x / c->texel) + 2;
    c->height = (int32_t)ceilf(size.y / c->texel) + 2;
    c->corner = v3_add(v3_scale(bounds[0].x - c->texel, c->across), v3_scale(bounds[0].y - c->texel, c->along));
    lattice l = {.t = t, .c = c, .step = c->texel / RAYS, .across = RAYS * c->width, .along = RAYS * c->height};
    l.origin = v3_axpy(bounds[1].z + 0.01f * longest, t->to_light, c->corner);
    size_t rays = (size_t)l.across * (size_t)l.along, texels = (size_t)c->width * (size_t)c->height;
    l.landed = pl__calloc(ctx, rays, sizeof *l.landed);
    float *raw = PL_NEW(ctx, texels, float);
    c->map = PL_NEW(ctx, texels, float);
    bool good = l.landed && raw && c->map;
    if (good)
    {
        pl__parallel_for(ctx, l.along, 4, follow_rows, &l);
        splat(&l, raw);
        smooth(c, raw, c->map);
    }
    if (l.landed)
        pl__free(ctx, l.landed, rays * sizeof *l.landed);
    if (raw)
        PL_DELETE(ctx, raw, texels);
    return good ? PL_OK : PL_ERR_MEMORY;
}

void caustics_free(pl_context *ctx, tracer *t)
{
    caustics *c = &t->caustics;
    if (c->map)
        PL_DELETE(ctx, c->map, (size_t)c->width * (size_t)c->height);
}

float caustics_at(const tracer *t, v3 point)
{
    const caustics *c = &t->caustics;
    v3 from = v3_sub(point, c->corner);
    float x = v3_dot(from, c->across) / c->texel - 0.5f, y = v3_dot(from, c->along) / c->texel - 0.5f;
    if (!c->map || !(x >= 0 && y >= 0 && x < (float)(c->width - 1) && y < (float)(c->height - 1)))
        return 1;
    int32_t i = (int32_t)x, j = (int32_t)y;
    float u = x - (float)i, v = y - (float)j;
    const float *m = &c->map[(size_t)j * (size_t)c->width + (size_t)i];
    return (1 - v) * ((1 - u) * m[0] + u * m[1]) + v * ((1 - u) * m[c->width] + u * m[c->width + 1]);
}

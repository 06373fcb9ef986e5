// app/render/trace.c -- rays: from the eye to surfaces, from there to the light and into the sky.
//
// Each sample of a pixel is one ray from the eye. Where it lands, one ray goes to a point of the key light and one into
// the hemisphere, with a density proportional to the cosine. That one finds the sky, or another surface; the light
// which that surface returns is estimated by one more ray to the key light and, for its share of the sky, by a half.
//
//     L = albedo (key n.l V + sky or bounce) + highlight V
//
// Samples are points of Sobol's (0, 2)-sequence, shaken per pixel by xor: within a pixel they keep away from each
// other, and all numbers belong to the pixel, so that no thread can change them. Sixteen samples travel together, as
// Embree likes it.
#include "tracer.h"

#include "base/random.h"

#include <string.h>

typedef struct packet
{
    struct RTCRayHit16 rays;
    _Alignas(64) int valid[PACKET]; // -1 or 0, as Embree wants it
    int32_t plane[PACKET];          // in front of which the ray ends unless a mesh comes first, or -1
    float ground[PACKET];           // how far away that plane is
} packet;

// ---- random points -----------------------------------------------------------------------------------------------

typedef struct shaker
{
    uint64_t seed[3]; // for the film, the key light, the hemisphere
} shaker;

static shaker make_shaker(int32_t x, int32_t y)
{
    shaker s;
    for (uint64_t k = 0; k < 3; ++k)
        s.seed[k] = pl__random64(k, (uint64_t)y, (uint64_t)x);
    return s;
}

// Point `i` of the sequence in [0, 1)^2, shaken by the seed; which of every sixteen comes when is also shaken.
static void shaken_point(const tracer *t, uint64_t seed, int32_t i, float u[2])
{
    const uint32_t *p = t->sequence[i ^ (int32_t)(seed & 15)];
    uint32_t shake[2] = {(uint32_t)(seed >> 32), (uint32_t)(seed * 0x9e3779b97f4a7c15ull >> 32)};
    for (int k = 0; k < 2; ++k)
        u[k] = (float)((p[k] ^ shake[k]) >> 8) * 0x1p-24f;
}

// A point of the unit disc, of even density.
static void disc_point(const float u[2], float *x, float *y)
{
    float radius = sqrtf(u[0]), angle = 6.2831853f * u[1];
    *x = radius * cosf(angle);
    *y = radius * sinf(angle);
}

// Where in the pixel: a tent two pixels wide, which makes calmer edges than a box.
static float tent(float u) { return u < 0.5f ? sqrtf(2 * u) - 1 : 1 - sqrtf(2 - 2 * u); }

// ---- rays --------------------------------------------------------------------------------------------------------

static v3 origin_of(const packet *p, int i)
{
    return (v3){p->rays.ray.org_x[i], p->rays.ray.org_y[i], p->rays.ray.org_z[i]};
}
static v3 direction_of(const packet *p, int i)
{
    return (v3){p->rays.ray.dir_x[i], p->rays.ray.dir_y[i], p->rays.ray.dir_z[i]};
}

static void set_ray(packet *p, int i, v3 origin, v3 direction)
{
    struct RTCRay16 *r = &p->rays.ray;
    r->org_x[i] = origin.x, r->org_y[i] = origin.y, r->org_z[i] = origin.z;
    r->dir_x[i] = direction.x, r->dir_y[i] = direction.y, r->dir_z[i] = direction.z;
    p->valid[i] = -1;
}

static void set_nothing(packet *p)
{
    memset(p->valid, 0, sizeof p->valid);
    memset(&p->rays.ray, 0, sizeof p->rays.ray);
    for (int i = 0; i < PACKET; ++i)
    {
        p->rays.ray.mask[i] = ~0u;
        p->rays.ray.tfar[i] = INFINITY;
        p->rays.hit.geomID[i] = p->rays.hit.instID[0][i] = RTC_INVALID_GEOMETRY_ID;
        p->plane[i] = -1;
        p->ground[i] = INFINITY;
    }
}

// Let rays end where they meet a plane from its front; a hair behind it, so that what lies flat on it is seen.
static void stop_at_planes(const tracer *t, packet *p)
{
    for (int32_t k = 0; k < t->scene->plane_count; ++k)
        for (int i = 0; i < PACKET; ++i)
        {
            float fall = v3_dot(t->grounds[k].normal, direction_of(p, i));
            float at = (t->grounds[k].offset - v3_dot(t->grounds[k].normal, origin_of(p, i))) / fall;
            bool stops = fall < 0 && at > 0 && at < p->ground[i];
            p->rays.ray.tfar[i] = stops ? 1.0001f * at : p->rays.ray.tfar[i];
            p->ground[i] = stops ? at : p->ground[i];
            p->plane[i] = stops ? k : p->plane[i];
        }
}

static void find_hits(const tracer *t, packet *p, enum RTCIntersectContextFlags flags)
{
    stop_at_planes(t, p);
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    context.flags = flags;
    rtcIntersect16(p->valid, t->geometry.scene, &context, &p->rays);
}

static bool met_mesh(const packet *p, int i) { return p->valid[i] && p->rays.hit.geomID[i] != RTC_INVALID_GEOMETRY_ID; }
static bool met_anything(const packet *p, int i) { return met_mesh(p, i) || (p->valid[i] && p->plane[i] >= 0); }

// For rays that met_anything().
static surface met_surface(const tracer *t, const packet *p, int i, bool detailed)
{
    const struct RTCHit16 *h = &p->rays.hit;
    if (met_mesh(p, i))
        return surface_of_mesh(t, h->geomID[i], h->primID[i], h->u[i], h->v[i], direction_of(p, i), p->rays.ray.tfar[i],
                               detailed);
    return surface_of_plane(t, p->plane[i], origin_of(p, i), direction_of(p, i), p->ground[i], detailed);
}

// Which rays get through to infinity; those that are not valid do not.
static void find_open(const tracer *t, packet *p, bool open[PACKET])
{
    stop_at_planes(t, p);
    for (int i = 0; i < PACKET; ++i)
        p->valid[i] = p->plane[i] >= 0 ? 0 : p->valid[i];
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    rtcOccluded16(p->valid, t->geometry.scene, &context, &p->rays.ray);
    for (int i = 0; i < PACKET; ++i)
        open[i] = p->valid[i] && p->rays.ray.tfar[i] >= 0;
}

// ---- one packet --------------------------------------------------------------------------------------------------

static void look(const tracer *t, packet *p, const shaker *shake, int32_t x, int32_t y, int32_t first, int32_t count)
{
    set_nothing(p);
    for (int i = 0; i < count; ++i)
    {
        float u[2];
        shaken_point(t, shake->seed[0], first + i, u);
        float right = 2 * ((float)x + 0.5f + 0.8f * tent(u[0])) / (float)t->width - 1;
        float up = 1 - 2 * ((float)y + 0.5f + 0.8f * tent(u[1])) / (float)t->height;
        set_ray(p, i, t->eye, v3_unit(v3_axpy(right, t->right, v3_axpy(up, t->up, t->forward))));
    }
    find_hits(t, p, RTC_INTERSECT_CONTEXT_FLAG_COHERENT);
}

static v3 point_to_light(const tracer *t, const shaker *shake, int32_t sample)
{
    float u[2], a, b;
    shaken_point(t, shake->seed[1], sample, u);
    disc_point(u, &a, &b);
    return v3_unit(v3_axpy(a, t->light_s, v3_axpy(b, t->light_t, t->to_light)));
}

// Directions with the density of the cosine to the smooth normal; those that would enter the surface are mirrored at
// it.
static v3 point_to_sky(const tracer *t, const shaker *shake, int32_t sample, const surface *s)
{
    float u[2], a, b;
    shaken_point(t, shake->seed[2], sample, u);
    disc_point(u, &a, &b);
    v3 across, along;
    v3_frame(s->normal, &across, &along);
    v3 d = v3_unit(v3_axpy(a, across, v3_axpy(b, along, v3_scale(sqrtf(greater(1 - u[0], 0)), s->normal))));
    float out = v3_dot(d, s->facet);
    return out > 0 ? d : v3_axpy(-2 * out, s->facet, d);
}

// Aim at the key light from each surface that `lit` selects, and say who sees it.
static void ask_light(const tracer *t, const shaker *shake, int32_t first, const surface *s, const bool lit[PACKET],
                      v3 to_light[PACKET], bool open[PACKET])
{
    packet p;
    set_nothing(&p);
    for (int i = 0; i < PACKET; ++i)
    {
        if (!lit[i])
            continue;
        to_light[i] = point_to_light(t, shake, first + i);
        if (v3_dot(to_light[i], s[i].normal) > 0 && v3_dot(to_light[i], s[i].facet) > 0)
            set_ray(&p, i, s[i].point, to_light[i]);
    }
    find_open(t, &p, open);
}

static v3 key_light(const tracer *t, const surface *s, v3 to_light)
{
    return v3_scale(greater(v3_dot(s->normal, to_light), 0), t->key);
}

// Light from the hemisphere: the sky, or what other surfaces return.
static void ask_sky(const tracer *t, const shaker *shake, int32_t first, const surface *s, const bool hit[PACKET],
                    v3 in[PACKET])
{
    packet p;
    surface other[PACKET];
    bool met[PACKET], open[PACKET];
    v3 to_light[PACKET];
    set_nothing(&p);
    for (int i = 0; i < PACKET; ++i)
        if (hit[i])
            set_ray(&p, i, s[i].point, point_to_sky(t, shake, first + i, &s[i]));
    find_hits(t, &p, RTC_INTERSECT_CONTEXT_FLAG_INCOHERENT);
    for (int i = 0; i < PACKET; ++i)
    {
        met[i] = met_anything(&p, i);
        if (met[i])
            other[i] = met_surface(t, &p, i, false);
        else if (hit[i])
            in[i] = sky_light(t, direction_of(&p, i));
    }
    ask_light(t, shake, first, other, met, to_light, open);
    for (int i = 0; i < PACKET; ++i)
        if (met[i])
        {
            v3 l = v3_scale(0.5f, sky_light(t, other[i].normal));
            in[i] = v3_mul(other[i].color, open[i] ? v3_add(l, key_light(t, &other[i], to_light[i])) : l);
        }
}

// ---- the film ----------------------------------------------------------------------------------------------------

typedef struct moments
{
    double sum, square; // of the luminance of light
} moments;

static void expose(pixel *out, moments *m, const surface *s, v3 toward, v3 light, v3 highlight)
{
    float w = 1 - s->fade;
    v3 albedo = surface_albedo(s, toward);
    out->color = v3_axpy(w, v3_add(v3_mul(albedo, light), highlight), out->color);
    out->light = v3_add(out->light, light);
    out->albedo = v3_axpy(w, albedo, out->albedo);
    out->normal = v3_add(out->normal, s->normal);
    out->weight += w;
    out->point = v3_add(out->point, s->point);
    m->sum += v3_luminance(light);
    m->square += v3_luminance(light) * v3_luminance(light);
}

static void claim(pixel *out, int32_t owner, bool first)
{
    if (first)
        out->owner = owner;
    else if (out->owner != owner)
        out->owner = NOTHING;
}

static void trace_packet(const tracer *t, const shaker *shake, int32_t x, int32_t y, int32_t first, int32_t count,
                         pixel *out, moments *m)
{
    packet p;
    surface s[PACKET];
    bool hit[PACKET], any = false, open[PACKET];
    v3 to_light[PACKET], in[PACKET];
    look(t, &p, shake, x, y, first, count);
    for (int i = 0; i < PACKET; ++i)
    {
        hit[i] = met_anything(&p, i);
        if (hit[i])
            s[i] = met_surface(t, &p, i, true);
        // what has faded away needs no light
        hit[i] = hit[i] && s[i].fade < 1;
        any = any || hit[i];
        if (i < count)
            claim(out, hit[i] ? s[i].owner : NOTHING, first + i == 0);
    }
    if (!any)
        return;
    ask_light(t, shake, first, s, hit, to_light, open);
    ask_sky(t, shake, first, s, hit, in);
    for (int i = 0; i < PACKET; ++i)
        if (hit[i])
        {
            v3 toward = direction_of(&p, i), highlight = {0, 0, 0};
            if (open[i])
            {
                in[i] = v3_add(in[i], key_light(t, &s[i], to_light[i]));
                highlight = surface_highlight(t, &s[i], toward, to_light[i]);
            }
            expose(out, m, &s[i], toward, in[i], highlight);
        }
}

// From sums to means. Where the surface bends within the pixel there is no one light that falls in.
static void settle(pixel *out, const moments *m, int32_t count)
{
    double n = count, mean = m->sum / n;
    float share = (float)(1 / n);
    if (v3_dot(out->normal, out->normal) < 0.96f * (float)(n * n))
        out->owner = NOTHING;
    out->light = v3_scale(share, out->light);
    out->point = v3_scale(share, out->point);
    out->normal = v3_unit(out->normal);
    out->variance = (float)(fmax(m->square / n - mean * mean, 0) / n);
}

static void trace_pixel(const tracer *t, int32_t x, int32_t y, pixel *out)
{
    shaker shake = make_shaker(x, y);
    moments m = {0};
    int32_t n = t->sample_count;
    *out = (pixel){.owner = NOTHING};
    for (int32_t first = 0; first < n; first += PACKET)
        trace_packet(t, &shake, x, y, first, n - first < PACKET ? n - first : PACKET, out, &m);
    settle(out, &m, n);
}

void trace_tile(const tracer *t, int32_t left, int32_t top, int32_t right, int32_t bottom, pixel *film)
{
    for (int32_t y = top; y < bottom; ++y)
        for (int32_t x = left; x < right; ++x)
            trace_pixel(t, x, y, &film[(size_t)y * (size_t)t->width + (size_t)x]);
}

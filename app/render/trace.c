// app/render/trace.c -- rays: from the eye to surfaces, from there to the light and into the sky.
//
// Each sample of a pixel is one ray from the eye. Where it lands, one ray goes to a point of the key light and one into
// the hemisphere, with a density proportional to the cosine. That one finds the sky, or another surface; the light
// which that surface returns is estimated by one more ray to the key light and, for its share of the sky, by a half.
//
//     L = albedo (key n.l V + sky or bounce) + highlight V
//
// Water bends rays from the eye and splits them (water.c); rays to the light go straight through it, and lose colour.
//
// Samples are points of Sobol's (0, 2)-sequence, shaken per pixel by xor: within a pixel they keep away from each
// other, and all numbers belong to the pixel, so that no thread can change them. Sixteen samples travel together, as
// Embree likes it, of one pixel or of neighbours.
#include "caustics.h"
#include "glass.h"
#include "water.h"

#include "base/random.h"

enum
{
    ROW_MOST = 16 // pixels of a row that share rays
};

// ---- random points -----------------------------------------------------------------------------------------------

typedef struct shaker
{
    uint64_t seed[4]; // for the film, the key light, the hemisphere, chances in water
} shaker;

static shaker make_shaker(int32_t x, int32_t y)
{
    shaker s;
    for (uint64_t k = 0; k < 4; ++k)
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

// ---- one packet --------------------------------------------------------------------------------------------------

typedef struct moments
{
    double sum, square; // of the luminance of light
} moments;

// A pixel that is being exposed.
typedef struct exposure
{
    int32_t x, y;
    shaker shake;
    moments m;
    pixel *out;
} exposure;

// Whose rays travel together.
typedef struct crew
{
    exposure *of[PACKET];
    int32_t sample[PACKET], count;
} crew;

static void look(const tracer *t, packet *p, const crew *c)
{
    packet_clear(p);
    for (int i = 0; i < c->count; ++i)
    {
        const exposure *e = c->of[i];
        float u[2];
        shaken_point(t, e->shake.seed[0], c->sample[i], u);
        float right = 2 * ((float)e->x + 0.5f + 0.8f * tent(u[0])) / (float)t->width - 1;
        float up = 1 - 2 * ((float)e->y + 0.5f + 0.8f * tent(u[1])) / (float)t->height;
        packet_aim(p, i, t->eye, v3_unit(v3_axpy(right, t->right, v3_axpy(up, t->up, t->forward))));
        p->rays.ray.id[i] = (uint32_t)(e->shake.seed[3] >> 32) + (uint32_t)c->sample[i];
    }
    packet_find_hits(t, p, RAYS_OF_THE_EYE);
}

static v3 point_to_light(const tracer *t, const crew *c, int i)
{
    float u[2], a, b;
    shaken_point(t, c->of[i]->shake.seed[1], c->sample[i], u);
    disc_point(u, &a, &b);
    return v3_unit(v3_axpy(a, t->light_s, v3_axpy(b, t->light_t, t->to_light)));
}

// Directions with the density of the cosine to the smooth normal; those that would enter the surface are mirrored at
// it.
static v3 point_to_sky(const tracer *t, const crew *c, int i, const surface *s)
{
    float u[2], a, b;
    shaken_point(t, c->of[i]->shake.seed[2], c->sample[i], u);
    disc_point(u, &a, &b);
    v3 across, along;
    v3_frame(s->normal, &across, &along);
    v3 d = v3_unit(v3_axpy(a, across, v3_axpy(b, along, v3_scale(sqrtf(greater(1 - u[0], 0)), s->normal))));
    float out = v3_dot(d, s->facet);
    return out > 0 ? d : v3_axpy(-2 * out, s->facet, d);
}

// Aim at the key light from each surface that `lit` selects. `share` of its light arrives there, through so many
// surfaces of water.
static void ask_light(const tracer *t, const crew *c, const surface *s, const bool lit[PACKET], int surfaces,
                      v3 to_light[PACKET], v3 share[PACKET])
{
    packet p;
    bool open[PACKET], wet[PACKET];
    packet_clear(&p);
    for (int i = 0; i < PACKET; ++i)
    {
        if (!lit[i])
            continue;
        to_light[i] = point_to_light(t, c, i);
        if (v3_dot(to_light[i], s[i].normal) > 0 && v3_dot(to_light[i], s[i].facet) > 0)
            packet_aim(&p, i, s[i].point, to_light[i]);
    }
    packet_find_open(t, &p, open);
    for (int i = 0; i < PACKET; ++i)
    {
        share[i] = open[i] ? (v3){1, 1, 1} : (v3){0, 0, 0};
        p.rays.ray.tfar[i] = INFINITY;
        p.valid[i] = open[i] ? -1 : 0;
    }
    water_dim(t, &p, surfaces, share, wet);
    for (int i = 0; i < PACKET && t->caustics.map; ++i)
        if (open[i] && wet[i])
            share[i] = v3_scale(caustics_at(t, s[i].point), share[i]);
}

static v3 key_light(const tracer *t, const surface *s, v3 to_light, v3 share)
{
    return v3_mul(share, v3_scale(greater(v3_dot(s->normal, to_light), 0), t->key));
}

// Light from the hemisphere: the sky, or what other surfaces return.
static void ask_sky(const tracer *t, const crew *c, const surface *s, const bool hit[PACKET], v3 in[PACKET])
{
    packet p;
    surface other[PACKET];
    bool met[PACKET], wet[PACKET];
    v3 to_light[PACKET], share[PACKET];
    packet_clear(&p);
    for (int i = 0; i < PACKET; ++i)
        if (hit[i])
            packet_aim(&p, i, s[i].point, point_to_sky(t, c, i, &s[i]));
    packet_find_hits(t, &p, RAYS_OF_LIGHT);
    for (int i = 0; i < PACKET; ++i)
    {
        met[i] = packet_met_anything(&p, i);
        if (met[i])
            other[i] = packet_surface(t, &p, i, false);
        else if (hit[i])
            in[i] = sky_light(t, packet_direction(&p, i));
    }
    ask_light(t, c, other, met, 1, to_light, share);
    for (int i = 0; i < PACKET; ++i)
        if (met[i])
        {
            v3 l = v3_scale(0.5f, sky_light(t, other[i].normal)), key = {0, 0, 0};
            if (v3_largest(share[i]) > 0)
                key = key_light(t, &other[i], to_light[i], share[i]);
            in[i] = v3_mul(other[i].color, v3_add(l, key));
        }
    water_dim(t, &p, 1, in, wet);
}

// ---- the film ----------------------------------------------------------------------------------------------------

// What the rays of a packet found, and the light there.
typedef struct found
{
    surface s[PACKET];
    bool hit[PACKET], any;
    v3 in[PACKET], highlight[PACKET];
} found;

static void find_surfaces(const tracer *t, const packet *p, found *f)
{
    f->any = false;
    for (int i = 0; i < PACKET; ++i)
    {
        f->hit[i] = packet_met_anything(p, i);
        if (f->hit[i])
            f->s[i] = packet_surface(t, p, i, true);
        // what has faded away needs no light
        f->hit[i] = f->hit[i] && f->s[i].fade < 1;
        f->any = f->any || f->hit[i];
    }
}

static void find_light(const tracer *t, const crew *c, const packet *p, found *f)
{
    v3 to_light[PACKET], share[PACKET], none = {0, 0, 0};
    if (!f->any)
        return;
    ask_light(t, c, f->s, f->hit, 2, to_light, share);
    ask_sky(t, c, f->s, f->hit, f->in);
    for (int i = 0; i < PACKET; ++i)
    {
        f->highlight[i] = none;
        if (!f->hit[i] || !(v3_largest(share[i]) > 0))
            continue;
        f->in[i] = v3_add(f->in[i], key_light(t, &f->s[i], to_light[i], share[i]));
        v3 shine = surface_highlight(t, &f->s[i], packet_direction(p, i), to_light[i]);
        f->highlight[i] = v3_mul(share[i], shine);
    }
}

// Light that comes back along a ray, and the share of it that fell onto the surface there.
static v3 light_along(const tracer *t, const found *f, const packet *p, int i, bool with_key, v3 *albedo)
{
    v3 toward = packet_direction(p, i);
    *albedo = (v3){0, 0, 0};
    if (!f->hit[i])
        return surroundings(t, toward, with_key);
    *albedo = surface_albedo(&f->s[i], toward);
    v3 light = v3_add(v3_mul(*albedo, f->in[i]), f->highlight[i]);
    *albedo = v3_scale(1 - f->s[i].fade, *albedo);
    return v3_mix(light, surroundings(t, toward, with_key), f->s[i].fade);
}

// What a pixel is told about the surface, for develop.c.
static void note_surface(pixel *out, moments *m, const surface *s, v3 light, v3 albedo)
{
    out->light = v3_add(out->light, light);
    out->albedo = v3_add(out->albedo, albedo);
    out->normal = v3_add(out->normal, s->normal);
    out->point = v3_add(out->point, s->point);
    m->sum += v3_luminance(light);
    m->square += v3_luminance(light) * v3_luminance(light);
}

// In air: what has faded counts less, and is background as it was asked for.
static void expose(pixel *out, moments *m, const surface *s, v3 toward, v3 light, v3 highlight)
{
    float w = 1 - s->fade;
    v3 albedo = surface_albedo(s, toward);
    out->color = v3_axpy(w, v3_add(v3_mul(albedo, light), highlight), out->color);
    out->weight += w;
    note_surface(out, m, s, light, v3_scale(w, albedo));
}

// Behind water, or in it.
static void expose_wet(const tracer *t, pixel *out, moments *m, const found *f, const packet *p, int i,
                       const water_path *path)
{
    v3 albedo, light = light_along(t, f, p, i, false, &albedo);
    out->color = v3_add(out->color, v3_add(path->scattered[i], v3_mul(path->share[i], light)));
    out->weight += 1;
    if (f->hit[i])
        note_surface(out, m, &f->s[i], f->in[i], v3_mul(path->share[i], albedo));
}

static void claim(pixel *out, int32_t owner, bool first)
{
    if (first)
        out->owner = owner;
    else if (out->owner != owner)
        out->owner = NOTHING;
}

// What the first surfaces of water mirror.
static void trace_mirror(const tracer *t, const crew *c, water_mirror *mirror)
{
    water_path path;
    found f;
    uint64_t seed[PACKET] = {0};
    for (int i = 0; i < c->count; ++i)
        seed[i] = ~c->of[i]->shake.seed[3];
    packet_find_hits(t, &mirror->rays, RAYS_OF_THE_EYE);
    water_begin(&path);
    water_follow(t, seed, &mirror->rays, &path, NULL);
    find_surfaces(t, &mirror->rays, &f);
    find_light(t, c, &mirror->rays, &f);
    for (int i = 0; i < PACKET; ++i)
        if (mirror->rays.valid[i])
        {
            // the key light once only: after further surfaces it would be sparks
            v3 albedo, light = light_along(t, &f, &mirror->rays, i, !path.wet[i], &albedo);
            light = v3_add(path.scattered[i], v3_mul(path.share[i], light));
            pixel *out = c->of[i]->out;
            out->color = v3_add(out->color, v3_mul(mirror->share[i], light));
        }
}

static void trace_crew(const tracer *t, const crew *c)
{
    packet p;
    found f;
    water_path path;
    water_mirror mirror;
    uint64_t seed[PACKET] = {0};
    for (int i = 0; i < c->count; ++i)
        seed[i] = c->of[i]->shake.seed[3];
    look(t, &p, c);
    water_begin(&path);
    if (t->geometry.glass)
        glass_pass(t, &p, &path);
    water_follow(t, seed, &p, &path, &mirror);
    find_surfaces(t, &p, &f);
    for (int i = 0; i < c->count; ++i)
        claim(c->of[i]->out,
              !f.hit[i]     ? NOTHING
              : path.wet[i] ? f.s[i].owner ^ BEHIND_WATER
                            : f.s[i].owner,
              c->sample[i] == 0);
    find_light(t, c, &p, &f);
    for (int i = 0; i < c->count; ++i)
    {
        exposure *e = c->of[i];
        if (path.wet[i])
            expose_wet(t, e->out, &e->m, &f, &p, i, &path);
        else if (f.hit[i])
            expose(e->out, &e->m, &f.s[i], packet_direction(&p, i), f.in[i], f.highlight[i]);
    }
    if (mirror.any)
        trace_mirror(t, c, &mirror);
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

// Pixels [left, right) of a row: all their samples one after the other, in full crews.
static void trace_row(const tracer *t, int32_t left, int32_t right, int32_t y, pixel *row)
{
    exposure e[ROW_MOST];
    crew c = {.count = 0};
    for (int32_t x = left; x < right; ++x)
    {
        e[x - left] = (exposure){.x = x, .y = y, .shake = make_shaker(x, y), .out = &row[x]};
        row[x] = (pixel){.owner = NOTHING};
        for (int32_t sample = 0; sample < t->sample_count; ++sample)
        {
            c.of[c.count] = &e[x - left];
            c.sample[c.count++] = sample;
            bool last = x == right - 1 && sample == t->sample_count - 1;
            if (c.count == PACKET || last)
            {
                trace_crew(t, &c);
                c.count = 0;
            }
        }
    }
    for (int32_t x = left; x < right; ++x)
        settle(&row[x], &e[x - left].m, t->sample_count);
}

void trace_tile(const tracer *t, int32_t left, int32_t top, int32_t right, int32_t bottom, pixel *film)
{
    for (int32_t y = top; y < bottom; ++y)
        for (int32_t x = left; x < right; x += ROW_MOST)
            trace_row(t, x, x + ROW_MOST < right ? x + ROW_MOST : right, y, &film[(size_t)y * (size_t)t->width]);
}

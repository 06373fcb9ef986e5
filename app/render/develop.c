// app/render/develop.c -- from the film to a picture: less noise, a tone curve, sRGB.
//
// Noise. The light that falls onto a pixel is averaged with that of pixels nearby which see the same thing: the same body,
// a similar normal, a point near the tangent plane, and light that differs no more than its own noise explains (Rousselle
// et al., "Robust denoising using feature and color information", 2013, in its simplest form). Albedo is divided out, so
// colour maps, grids and wireframes stay sharp. Pixels that see several things are left as they are.
//
// Tone. With m the largest channel, colours are scaled by f(m)/m,
//
//     f(m) = m  up to a = 0.55,    a + (1 - a) (1 - exp(-(m - a)/(1 - a)))  above,
//
// which keeps hues, and what is brighter than white then turns a little towards white, as film does. The background is not
// toned: it appears as it was asked for.
#include "tracer.h"

enum
{
    RADIUS = 3
};

static bool is_pure(const tracer *t, const pixel *p)
{
    float n = (float)t->sample_count;
    return p->owner != NOTHING && v3_dot(p->normal, p->normal) > 0.96f * n * n;
}

static v3 position(const tracer *t, const pixel *p, int32_t x, int32_t y)
{
    float right = 2 * ((float)x + 0.5f) / (float)t->width - 1, up = 1 - 2 * ((float)y + 0.5f) / (float)t->height;
    return v3_axpy(p->depth, v3_unit(v3_axpy(right, t->right, v3_axpy(up, t->up, t->forward))), t->eye);
}

typedef struct probe
{
    v3 light, normal, position; // means
    float variance, footprint;
} probe;

static probe make_probe(const tracer *t, const pixel *p, int32_t x, int32_t y)
{
    float n = 1 / (float)t->sample_count;
    return (probe){v3_scale(n, p->light), v3_unit(p->normal), position(t, p, x, y), p->variance, t->pixel_angle * p->depth};
}

// How much q tells about p, in [0, 1].
static float kinship(const probe *p, const probe *q)
{
    float turn = 1 - v3_dot(p->normal, q->normal), away = v3_dot(p->normal, v3_sub(q->position, p->position)) / p->footprint;
    float differ = v3_luminance(v3_sub(p->light, q->light)), noise = p->variance + q->variance + 2e-5f;
    float excess = fmaxf(differ * differ / noise - 2, 0);
    return expf(-40 * turn - 0.1f * away * away - 0.5f * excess);
}

static v3 calm_light(const tracer *t, const pixel *film, int32_t x, int32_t y)
{
    static const float falloff[RADIUS + 1] = {1, 0.9f, 0.66f, 0.4f};
    const pixel *own = &film[(size_t)y * (size_t)t->width + (size_t)x];
    probe p = make_probe(t, own, x, y);
    v3 sum = {0, 0, 0};
    float weight = 0;
    for (int32_t j = y - RADIUS < 0 ? 0 : y - RADIUS; j <= y + RADIUS && j < t->height; ++j)
        for (int32_t i = x - RADIUS < 0 ? 0 : x - RADIUS; i <= x + RADIUS && i < t->width; ++i)
        {
            const pixel *other = &film[(size_t)j * (size_t)t->width + (size_t)i];
            if (other->owner != own->owner || !is_pure(t, other))
                continue;
            probe q = make_probe(t, other, i, j);
            float w = falloff[i < x ? x - i : i - x] * falloff[j < y ? y - j : j - y] * kinship(&p, &q);
            sum = v3_axpy(w, q.light, sum);
            weight += w;
        }
    return v3_scale(1 / weight, sum);
}

static v3 tone(v3 c)
{
    const float a = 0.55f;
    float m = v3_largest(c);
    if (!(m > a))
        return c;
    float to = a + (1 - a) * (1 - expf(-(m - a) / (1 - a)));
    v3 held = v3_scale(to / m, c), white = {to, to, to};
    return v3_mix(held, white, 0.6f * smooth01((m - 0.9f) / 3));
}

static v3 developed(const tracer *t, v3 background, const pixel *film, int32_t x, int32_t y)
{
    const pixel *p = &film[(size_t)y * (size_t)t->width + (size_t)x];
    float n = (float)t->sample_count;
    if (p->weight <= 0)
        return background;
    v3 color = p->color;
    if (is_pure(t, p))
        color = v3_add(color, v3_mul(p->albedo, v3_sub(calm_light(t, film, x, y), v3_scale(1 / n, p->light))));
    return v3_mix(background, tone(v3_scale(1 / p->weight, color)), p->weight / n);
}

void develop_rows(const tracer *t, const float background[3], const pixel *film, int32_t top, int32_t bottom, uint8_t *rgb)
{
    for (int32_t y = top; y < bottom; ++y)
        for (int32_t x = 0; x < t->width; ++x)
        {
            v3 c = developed(t, v3_load(background), film, x, y);
            uint8_t *to = rgb + 3 * ((size_t)y * (size_t)t->width + (size_t)x);
            to[0] = (uint8_t)lrintf(255 * srgb_from_linear(c.x));
            to[1] = (uint8_t)lrintf(255 * srgb_from_linear(c.y));
            to[2] = (uint8_t)lrintf(255 * srgb_from_linear(c.z));
        }
}

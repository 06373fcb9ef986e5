// app/render/develop.c -- from the film to a picture: less noise, a tone curve, sRGB.
//
// Noise. The light that falls onto a pixel is averaged with that of pixels nearby which see the same thing: the same
// body, a similar normal, a point near the tangent plane, and light that differs no more than its own noise explains
// (Rousselle et al., "Robust denoising using feature and color information", 2013, in its simplest form). Albedo is
// divided out, so colour maps, grids and wireframes stay sharp. Pixels that see several things are left as they are.
//
// Tone. With m the largest channel, colours are scaled by f(m)/m,
//
//     f(m) = m  up to a = 0.55,    a + (1 - a) (1 - exp(-(m - a)/(1 - a)))  above,
//
// which keeps hues, and what is brighter than white then turns a little towards white, as film does. The background is
// not toned: it appears as it was asked for.
#include "tracer.h"

enum
{
    RADIUS = 4
};

// exp(-x), nearly, and 0 from 16 on.
static float decay(float x)
{
    float y = greater(1 - x / 16, 0);
    y *= y, y *= y, y *= y;
    return y * y;
}

// How much q tells about p, in [0, 1]. `grain` is 1 / the size of a pixel there [1/m].
static float kinship(const pixel *p, const pixel *q, float grain)
{
    float turn = 1 - v3_dot(p->normal, q->normal), away = grain * v3_dot(p->normal, v3_sub(q->point, p->point));
    float differ = v3_luminance(v3_sub(p->light, q->light)), noise = p->variance + q->variance + 2e-5f;
    float excess = greater(differ * differ / noise - 3, 0);
    return decay(40 * turn + 0.1f * away * away + 0.3f * excess);
}

static v3 calm_light(const tracer *t, const pixel *film, int32_t x, int32_t y)
{
    static const float falloff[RADIUS + 1] = {1, 0.93f, 0.76f, 0.53f, 0.32f};
    const pixel *p = &film[(size_t)y * (size_t)t->width + (size_t)x];
    float grain = 1 / greater(t->pixel_angle * v3_length(v3_sub(p->point, t->eye)), 1e-30f), weight = 0;
    v3 sum = {0, 0, 0};
    for (int32_t j = y - RADIUS < 0 ? 0 : y - RADIUS; j <= y + RADIUS && j < t->height; ++j)
        for (int32_t i = x - RADIUS < 0 ? 0 : x - RADIUS; i <= x + RADIUS && i < t->width; ++i)
        {
            const pixel *q = &film[(size_t)j * (size_t)t->width + (size_t)i];
            if (q->owner != p->owner)
                continue;
            float w = falloff[i < x ? x - i : i - x] * falloff[j < y ? y - j : j - y] * kinship(p, q, grain);
            sum = v3_axpy(w, q->light, sum);
            weight += w;
        }
    return weight > 0 ? v3_scale(1 / weight, sum) : p->light;
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

// The inverse for colours in [0, 1), but for the turn towards white.
v3 developed_from(v3 c)
{
    const float a = 0.55f;
    float m = lesser(v3_largest(c), 0.99f);
    return m > a ? v3_scale((a - (1 - a) * logf(1 - (m - a) / (1 - a))) / m, c) : c;
}

static v3 developed(const tracer *t, v3 background, const pixel *film, int32_t x, int32_t y)
{
    const pixel *p = &film[(size_t)y * (size_t)t->width + (size_t)x];
    if (p->weight <= 0)
        return background;
    v3 color = p->color;
    if (p->owner != NOTHING)
        color = v3_add(color, v3_mul(p->albedo, v3_sub(calm_light(t, film, x, y), p->light)));
    return v3_mix(background, tone(v3_scale(1 / p->weight, color)), p->weight / (float)t->sample_count);
}

void develop_rows(const tracer *t, const float background[3], const pixel *film, int32_t top, int32_t bottom,
                  uint8_t *rgb)
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

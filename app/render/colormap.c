// app/render/colormap.c -- values as colours.
//
// A map is a few sRGB colours at equal distances, with a Catmull-Rom curve through them in sRGB, as the maps were
// designed; 256 linear colours are tabulated from it. viridis and inferno (van der Walt and Smith) are even in
// lightness and safe for colour-blind readers, coolwarm (Moreland) is for values about a centre, turbo (Mikhailov) for
// much detail.
#include "colormap.h"

#include "base/service.h"

#include <math.h>
#include <string.h>

enum
{
    STOPS_MAX = 16
};

typedef struct definition
{
    const char *name;
    int count;
    uint32_t stop[STOPS_MAX]; // 0xrrggbb
} definition;

static const definition definitions[] = {
    {"viridis",
     10,
     {0x440154, 0x482878, 0x3e4989, 0x31688e, 0x26828e, 0x1f9e89, 0x35b779, 0x6ece58, 0xb5de2b, 0xfde725}},
    {"turbo",
     15,
     {0x30123b, 0x4145ab, 0x4675ed, 0x39a2fc, 0x1bcfd4, 0x24eca6, 0x61fc6c, 0xa4fc3b, 0xd1e834, 0xf3c63a, 0xfe9b2d,
      0xf36315, 0xd93806, 0xb11901, 0x7a0402}},
    {"coolwarm",
     11,
     {0x3b4cc0, 0x5977e3, 0x7b9ff9, 0x9ebeff, 0xc0d4f5, 0xdddcdc, 0xf2cbb7, 0xf7ac8e, 0xee8468, 0xd65244, 0xb40426}},
    {"inferno",
     10,
     {0x000004, 0x1b0c41, 0x4a0c6b, 0x781c6d, 0xa52c60, 0xcf4446, 0xed6925, 0xfb9b06, 0xf7d13d, 0xfcffa4}},
};
static const int32_t definition_count = sizeof definitions / sizeof definitions[0];

float linear_from_srgb(float s) { return s <= 0.04045f ? s / 12.92f : powf((s + 0.055f) / 1.055f, 2.4f); }

float srgb_from_linear(float l)
{
    if (!(l > 0))
        return 0;
    return l >= 1 ? 1 : l <= 0.0031308f ? 12.92f * l : 1.055f * powf(l, 1 / 2.4f) - 0.055f;
}

const char *colormap_name(int32_t i) { return i >= 0 && i < definition_count ? definitions[i].name : NULL; }

// Channel 0 to 2 of the stop nearest to number i, in [0, 1].
static float stop_channel(const definition *d, int i, int channel)
{
    i = i < 0 ? 0 : i >= d->count ? d->count - 1 : i;
    return (float)((d->stop[i] >> (16 - 8 * channel)) & 255) / 255;
}

static float curve(const definition *d, float t, int channel)
{
    float at = t * (float)(d->count - 1);
    int i = (int)fminf(at, (float)(d->count - 2));
    float p[4], u = at - (float)i;
    for (int k = 0; k < 4; ++k)
        p[k] = stop_channel(d, i - 1 + k, channel);
    float a = 2 * p[1], b = p[2] - p[0], c = 2 * p[0] - 5 * p[1] + 4 * p[2] - p[3], e = 3 * (p[1] - p[2]) + p[3] - p[0];
    return fminf(fmaxf(0.5f * (a + u * (b + u * (c + u * e))), 0), 1);
}

pl_status colormap_find(pl_context *ctx, const char *name, colormap *map)
{
    const definition *d = definitions, *end = definitions + definition_count;
    while (d < end && strcmp(d->name, name) != 0)
        ++d;
    PL_CHECK(ctx, d < end, "color_map: \"%.60s\" is not known; there are viridis, turbo, coolwarm and inferno", name);
    for (int i = 0; i < 256; ++i)
        for (int k = 0; k < 3; ++k)
            map->color[i][k] = linear_from_srgb(curve(d, (float)i / 255, k));
    return PL_OK;
}

void colormap_lookup(const colormap *map, float t, float color[3])
{
    static const float grey[3] = {0.35f, 0.35f, 0.35f};
    if (isnan(t))
    {
        memcpy(color, grey, sizeof grey);
        return;
    }
    float at = 255 * fminf(fmaxf(t, 0), 1);
    int i = (int)fminf(at, 254);
    for (int k = 0; k < 3; ++k)
        color[k] = map->color[i][k] + (at - (float)i) * (map->color[i + 1][k] - map->color[i][k]);
}

// app/render/colormap.h -- values as colours, and the legend that explains them.
#ifndef APP_RENDER_COLORMAP_H
#define APP_RENDER_COLORMAP_H

#include "image.h"

typedef struct colormap
{
    float color[256][3]; // linear
} colormap;

/// "viridis", "turbo", "coolwarm" or "inferno". An unknown name is a PL_ERR_ARGUMENT whose sentence lists them.
PL_NODISCARD pl_status colormap_find(pl_context *ctx, const char *name, colormap *map);
/// The names in turn, then NULL.
const char *colormap_name(int32_t i);

/// The linear colour of t in [0, 1], held at the ends; grey for NaN.
void colormap_lookup(const colormap *map, float t, float color[3]);

/// Draw a bar with ticks and the label (or NULL) at the right side of `im`, in dark or light ink as the picture
/// demands.
void legend_draw(image *im, const colormap *map, double low, double high, const char *label);

/// The share of the picture's width that the legend takes, at the right side.
double legend_share(int32_t width, int32_t height, double low, double high, const char *label);

/// sRGB from linear light, in [0, 1], and back.
float srgb_from_linear(float linear);
float linear_from_srgb(float srgb);

#endif

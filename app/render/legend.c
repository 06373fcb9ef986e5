// app/render/legend.c -- the bar of colours at the right side of a picture.
//
// It stands on a veil of the picture's own brightness, so that ticks can be read in front of anything.
#include "colormap.h"

#include "app/plot/ticks.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum
{
    TICKS_MAX = 24
};

typedef struct layout
{
    plot_ticks ticks;
    char label[TICKS_MAX][PLOT_LABEL_CHARS];
    image_font font;
    double bar[4];  // left, top, right, bottom [pixels]
    double veil[4]; // the same, of the whole
    double label_x; // of the baseline of the rotated label
} layout;

// ---- places ------------------------------------------------------------------------------------------------------

// Dark ink on light pictures, light ink on dark ones, by the upper right corner.
static bool is_light(const image *im)
{
    double sum = 0;
    int32_t n = im->height < 8 ? im->height : 8, from = im->width < 8 ? 0 : im->width - 8;
    for (int32_t y = 0; y < n; ++y)
        for (int32_t x = from; x < im->width; ++x)
            sum += im->rgb[3 * ((size_t)y * (size_t)im->width + (size_t)x) + 1];
    return sum >= 110.0 * n * (im->width - from);
}

static double widest_label(layout *l)
{
    double widest = 0;
    for (int32_t i = 0; i < l->ticks.count; ++i)
    {
        plot_tick_label(plot_tick(&l->ticks, i), l->ticks.step, l->label[i]);
        widest = fmax(widest, image_text_width(&l->font, l->label[i]));
    }
    return widest;
}

// The label shrinks until it is no longer than the picture is high.
static double label_size(const layout *l, const image *im, const char *label)
{
    double width = label ? image_text_width(&l->font, label) : 0;
    return width > 0.9 * im->height ? l->font.size * 0.9 * im->height / width : l->font.size;
}

static layout arrange(const image *im, double low, double high, const char *label)
{
    layout l = {.font = {.size = fmin(fmax(im->height / 45.0, 6), 40)}};
    double size = l.font.size, height = 0.56 * im->height;
    l.ticks = plot_ticks_choose(low, high, (int32_t)fmin(fmax(height / (3.4 * size), 2), TICKS_MAX));
    double text = widest_label(&l), below = label ? 2.4 * size : 0;
    double right = im->width - 1.3 * size, bar_right = right - below - text - 0.9 * size;
    double place[4] = {round(bar_right - 1.6 * size), round(0.5 * (im->height - height)), round(bar_right),
                       round(0.5 * (im->height + height))};
    double around[4] = {place[0] - 0.8 * size, place[1] - 1.2 * size, right + 0.5 * size, place[3] + 1.2 * size};
    memcpy(l.bar, place, sizeof place);
    memcpy(l.veil, around, sizeof around);
    l.label_x = right;
    return l;
}

double legend_share(int32_t width, int32_t height, double low, double high, const char *label)
{
    layout l = arrange(&(image){.width = width, .height = height}, low, high, label);
    return fmin(fmax(1 - l.veil[0] / width, 0), 0.5);
}

// ---- ink ---------------------------------------------------------------------------------------------------------

static void mix(uint8_t *pixel, const uint8_t color[3], double amount)
{
    for (int k = 0; k < 3; ++k)
        pixel[k] = (uint8_t)lrint(pixel[k] + amount * (color[k] - pixel[k]));
}

// How much of pixel i lies in [low, high].
static double covered(int32_t i, double low, double high) { return fmin(fmax(fmin(i + 1, high) - fmax(i, low), 0), 1); }

static void fill_box(image *im, const double box[4], const uint8_t color[3], double amount)
{
    int32_t left = (int32_t)fmax(box[0], 0), right = (int32_t)fmin(ceil(box[2]), im->width);
    int32_t top = (int32_t)fmax(box[1], 0), bottom = (int32_t)fmin(ceil(box[3]), im->height);
    for (int32_t y = top; y < bottom; ++y)
        for (int32_t x = left; x < right; ++x)
            mix(im->rgb + 3 * ((size_t)y * (size_t)im->width + (size_t)x), color,
                amount * covered(x, box[0], box[2]) * covered(y, box[1], box[3]));
}

static void draw_bar(image *im, const colormap *map, const double bar[4])
{
    for (double y = bar[1]; y < bar[3]; ++y)
    {
        float linear[3];
        uint8_t color[3];
        colormap_lookup(map, (float)((bar[3] - y - 0.5) / (bar[3] - bar[1])), linear);
        for (int k = 0; k < 3; ++k)
            color[k] = (uint8_t)lrintf(255 * srgb_from_linear(linear[k]));
        fill_box(im, (double[4]){bar[0], y, bar[2], y + 1}, color, 1);
    }
}

static void draw_ticks(image *im, const layout *l, double low, double high)
{
    double size = l->font.size, thick = fmax(1, size / 11);
    for (int32_t i = 0; i < l->ticks.count; ++i)
    {
        double t = (plot_tick(&l->ticks, i) - low) / (high - low), y = l->bar[3] + t * (l->bar[1] - l->bar[3]);
        fill_box(im, (double[4]){l->bar[2], y - 0.5 * thick, l->bar[2] + 0.45 * size, y + 0.5 * thick}, l->font.color,
                 0.9);
        image_text(im, &l->font, l->bar[2] + 0.9 * size, y + 0.5 * size, l->label[i]);
    }
}

void legend_draw(image *im, const colormap *map, double low, double high, const char *label)
{
    static const uint8_t white[3] = {250, 250, 250}, black[3] = {15, 15, 15};
    layout l = arrange(im, low, high, label);
    memset(l.font.color, is_light(im) ? 45 : 235, 3);
    fill_box(im, l.veil, l.font.color[0] < 128 ? white : black, 0.3);
    draw_bar(im, map, l.bar);
    draw_ticks(im, &l, low, high);
    image_font turned = l.font;
    turned.upward = 1;
    turned.align = IMAGE_ALIGN_CENTER;
    turned.size = label_size(&l, im, label);
    if (label)
        image_text(im, &turned, l.label_x, 0.5 * im->height, label);
}

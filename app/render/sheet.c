// app/render/sheet.c -- several pictures on one, in rows, with labels below them.
#include "image.h"

#include "base/service.h"

#include <string.h>

image_sheet_look image_sheet_look_default(void)
{
    return (image_sheet_look){.columns = 4, .margin = 16, .background = {255, 255, 255}, .ink = {40, 42, 48}};
}

static void paste(image *onto, const image *im, int32_t left, int32_t top)
{
    for (int32_t y = 0; y < im->height; ++y)
    {
        uint8_t *row = onto->rgb + 3 * ((size_t)(top + y) * (size_t)onto->width + (size_t)left);
        memcpy(row, im->rgb + 3 * (size_t)y * (size_t)im->width, 3 * (size_t)im->width);
    }
}

static pl_status check_sheet(pl_context *ctx, const image *images, int32_t count, const image_sheet_look *look)
{
    PL_CHECK(ctx, count >= 1, "sheet: %d pictures, needs at least 1", count);
    PL_CHECK(ctx, look->columns >= 1, "sheet: columns is %d, must be at least 1", look->columns);
    PL_CHECK(ctx, look->margin >= 0 && look->margin <= 1000, "sheet: margin %d is not in [0, 1000]", look->margin);
    PL_CHECK(ctx, look->label_size >= 0 && look->label_size <= 200, "sheet: label_size %g is not in [0, 200]",
             look->label_size);
    for (int32_t i = 0; i < count; ++i)
    {
        PL_CHECK(ctx, images[i].rgb, "sheet: picture %d is empty", i);
        PL_CHECK(ctx, images[i].width == images[0].width && images[i].height == images[0].height,
                 "sheet: picture %d has %d x %d pixels, the first %d x %d", i, images[i].width, images[i].height,
                 images[0].width, images[0].height);
    }
    return PL_OK;
}

// Height of capitals: as asked for, or readable beside pictures of this width, or 0 without labels.
static double label_size(const image_sheet_look *look, int32_t width, bool labelled)
{
    double chosen = width / 36.0;
    chosen = chosen < 8 ? 8 : chosen > 24 ? 24 : chosen;
    return !labelled ? 0 : look->label_size > 0 ? look->label_size : chosen;
}

static int32_t limited(int64_t pixels) { return (int32_t)(pixels > IMAGE_SIZE_MAX ? IMAGE_SIZE_MAX + 1 : pixels); }

pl_status image_sheet(pl_context *ctx, const image *images, const char *const *labels, int32_t count,
                      const image_sheet_look *look, image *out)
{
    PL_TRY(check_sheet(ctx, images, count, look));
    int32_t columns = count < look->columns ? count : look->columns, rows = (count - 1) / columns + 1,
            margin = look->margin;
    image_font font = {.size = label_size(look, images[0].width, labels != NULL), .align = IMAGE_ALIGN_CENTER};
    memcpy(font.color, look->ink, 3);
    int64_t across = images[0].width + margin, down = images[0].height + margin + (int64_t)(2.2 * font.size);
    image sheet;
    PL_TRY(image_create(ctx, limited(margin + columns * across), limited(margin + rows * down), &sheet));
    image_fill(&sheet, look->background);
    for (int32_t i = 0; i < count; ++i)
    {
        int32_t left = margin + (int32_t)across * (i % columns), top = margin + (int32_t)down * (i / columns);
        paste(&sheet, &images[i], left, top);
        if (labels && labels[i])
            image_text(&sheet, &font, left + 0.5 * images[i].width, top + images[i].height + 1.65 * font.size,
                       labels[i]);
    }
    *out = sheet;
    return PL_OK;
}

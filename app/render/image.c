// app/render/image.c -- pictures in memory.
#include "image.h"

#include "base/service.h"

#include <string.h>

static size_t byte_count(const image *im) { return 3 * (size_t)im->width * (size_t)im->height; }

pl_status image_create(pl_context *ctx, int32_t width, int32_t height, image *out)
{
    PL_CHECK(ctx, width >= 1 && width <= IMAGE_SIZE_MAX, "picture: width %d is not in [1, %d]", width, IMAGE_SIZE_MAX);
    PL_CHECK(ctx, height >= 1 && height <= IMAGE_SIZE_MAX, "picture: height %d is not in [1, %d]", height,
             IMAGE_SIZE_MAX);
    image im = {width, height, NULL};
    im.rgb = PL_NEW(ctx, byte_count(&im), uint8_t);
    if (!im.rgb)
        return PL_ERR_MEMORY;
    *out = im;
    return PL_OK;
}

void image_destroy(pl_context *ctx, image *im)
{
    if (im->rgb)
        PL_DELETE(ctx, im->rgb, byte_count(im));
    *im = (image){0};
}

void image_fill(image *im, const uint8_t color[3])
{
    for (size_t i = 0; i < byte_count(im); i += 3)
        memcpy(im->rgb + i, color, 3);
}

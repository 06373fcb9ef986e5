// app/render/png.c -- PNG files through libpng's simplified interface, which needs no setjmp.
//
// A file is decoded from memory only after its header has told a size that we accept, so that a hostile one cannot ask
// for more memory than the largest picture. libpng's own memory does not come from the context.
#include "image.h"

#include "base/service.h"
#include "io/write.h"

#include <png.h>
#include <string.h>

static png_image describe(const image *im)
{
    png_image png = {.version = PNG_IMAGE_VERSION};
    png.width = (png_uint_32)im->width;
    png.height = (png_uint_32)im->height;
    png.format = PNG_FORMAT_RGB;
    return png;
}

// Encoded bytes, in a buffer of *capacity bytes that the caller deletes.
static pl_status encode(pl_context *ctx, const char *path, const image *im, uint8_t **data, size_t *capacity,
                        size_t *size)
{
    png_image png = describe(im);
    *capacity = PNG_IMAGE_PNG_SIZE_MAX(png);
    *data = pl__alloc(ctx, *capacity);
    if (!*data)
        return PL_ERR_MEMORY;
    png_alloc_size_t bytes = *capacity;
    if (!png_image_write_to_memory(&png, *data, &bytes, 0, im->rgb, 0, NULL))
    {
        PL_DELETE(ctx, *data, *capacity);
        return pl__fail(ctx, PL_ERR_MEMORY, "%s: %s", path, png.message);
    }
    *size = bytes;
    return PL_OK;
}

pl_status image_write_png(pl_context *ctx, const char *path, const image *im)
{
    PL_CHECK(ctx, im->rgb, "%s: there is no picture to write", path);
    uint8_t *data;
    size_t capacity = 0, size = 0;
    PL_TRY(encode(ctx, path, im, &data, &capacity, &size));
    pl__writer w;
    pl_status status = pl__writer_open(&w, ctx, path);
    if (status == PL_OK)
    {
        pl__write_bytes(&w, data, size);
        status = pl__writer_commit(&w);
    }
    PL_DELETE(ctx, data, capacity);
    return status;
}

// `png` has read its header; it is freed either way.
static pl_status decode(pl_context *ctx, const char *path, png_image *png, image *out)
{
    static const png_color white = {255, 255, 255};
    pl_status status = PL_OK;
    if (png->width > IMAGE_SIZE_MAX || png->height > IMAGE_SIZE_MAX)
        status = pl__fail(ctx, PL_ERR_FORMAT, "%s: %u x %u pixels are more than %d a side", path, png->width,
                          png->height, IMAGE_SIZE_MAX);
    image im = {0};
    if (status == PL_OK)
        status = image_create(ctx, (int32_t)png->width, (int32_t)png->height, &im);
    png->format = PNG_FORMAT_RGB;
    if (status == PL_OK && !png_image_finish_read(png, &white, im.rgb, 0, NULL))
        status = pl__fail(ctx, PL_ERR_FORMAT, "%s: not a sound PNG file: %s", path, png->message);
    png_image_free(png);
    if (status == PL_OK)
        *out = im;
    else
        image_destroy(ctx, &im);
    return status;
}

pl_status image_read_png(pl_context *ctx, const char *path, image *out)
{
    const pl_file_reader *files = pl__file_reader(ctx);
    const void *data;
    size_t size;
    int error = files->open(files->user, path, &data, &size);
    if (error)
        return pl__file_fail(ctx, path, error);
    png_image png = {.version = PNG_IMAGE_VERSION};
    pl_status status;
    if (png_image_begin_read_from_memory(&png, data, size))
        status = decode(ctx, path, &png, out);
    else
        status = pl__fail(ctx, PL_ERR_FORMAT, "%s: not a PNG file: %s", path, png.message);
    files->close(files->user, data, size);
    return status;
}

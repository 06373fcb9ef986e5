// app/render/image.h -- pictures in memory and in PNG files, text on them, and sheets of several.
//
// Memory comes from the context; functions that can fail return a status and leave a sentence in pl_context_error().
#ifndef APP_RENDER_IMAGE_H
#define APP_RENDER_IMAGE_H

#include <pliant/base.h>

enum
{
    IMAGE_SIZE_MAX = 16384 ///< pixels along a side
};

typedef struct image
{
    int32_t width, height;
    uint8_t *rgb; ///< [height][width][3], sRGB, rows from the top
} image;

/// Black, of that size. Both sides in [1, IMAGE_SIZE_MAX].
PL_NODISCARD pl_status image_create(pl_context *ctx, int32_t width, int32_t height, image *out);
void image_destroy(pl_context *ctx, image *im);
void image_fill(image *im, const uint8_t color[3]);

// ---- files -------------------------------------------------------------------------------------------------------

/// The file appears whole or not at all.
PL_NODISCARD pl_status image_write_png(pl_context *ctx, const char *path, const image *im);
/// Any kind of PNG, as 8-bit colours; what is transparent becomes white. On failure `out` is untouched.
PL_NODISCARD pl_status image_read_png(pl_context *ctx, const char *path, image *out);

// ---- text --------------------------------------------------------------------------------------------------------

typedef enum image_align
{
    IMAGE_ALIGN_LEFT,
    IMAGE_ALIGN_CENTER,
    IMAGE_ALIGN_RIGHT
} image_align;

typedef struct image_font
{
    double size; ///< height of capitals [pixels]
    uint8_t color[3];
    image_align align; ///< of the whole line to the given point
    int32_t upward;    ///< nonzero: turned to the left, read from below
} image_font;

/// Draw one line with its baseline at (x, y), clipped to the picture. Characters other than ASCII 32 to 126 appear as
/// "?".
void image_text(image *im, const image_font *font, double x, double y, const char *text);
/// The length of the line [pixels].
double image_text_width(const image_font *font, const char *text);

// ---- sheets ------------------------------------------------------------------------------------------------------

typedef struct image_sheet_look
{
    int32_t columns;   ///< >= 1
    int32_t margin;    ///< between the pictures and around them [pixels], in [0, 1000]
    double label_size; ///< height of capitals [pixels], in [0, 200]; 0: chosen from the width of the pictures
    uint8_t background[3], ink[3];
} image_sheet_look;

/// Four columns on white with dark labels.
image_sheet_look image_sheet_look_default(void);

/// `count` pictures of one size in rows, with a label below each (`labels`, or single ones, may be NULL).
PL_NODISCARD pl_status image_sheet(pl_context *ctx, const image *images, const char *const *labels, int32_t count,
                                   const image_sheet_look *look, image *out);

#endif

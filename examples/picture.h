// examples/picture.h -- pictures of triangle surfaces on a floor, without any other library.
//
// A view says where the camera is; surfaces are triangles with smooth normals and a colour per vertex. Rendering is a
// z-buffer at twice the size in both directions, averaged down. Files are PNG, or animated PNG, which browsers play.
#ifndef EXAMPLES_PICTURE_H
#define EXAMPLES_PICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct picture
{
    int32_t width, height;
    uint8_t *rgb; // [height][width][3], rows from the top
} picture;

typedef struct picture_surface
{
    int32_t vertex_count, triangle_count;
    const float *vertices;    // [vertex_count][3]
    const float *normals;     // [vertex_count][3], of length 1
    const float *colours;     // [vertex_count][3], linear, in [0, 1]
    const int32_t *triangles; // [triangle_count][3]
} picture_surface;

typedef struct picture_view
{
    double from[3], at[3]; // the camera and what it looks at [m]; y is up
    double angle;          // between the top and the bottom of the picture [degrees]
    bool floor;            // draw one, with a grid
    double floor_height;   // its y [m]
    double grid;           // distance of its lines [m]
} picture_view;

/// Black, of that size; `rgb` is NULL when there is no memory.
picture picture_create(int32_t width, int32_t height);
void picture_destroy(picture *p);

/// Draw the surfaces. Returns false when there is no memory.
bool picture_render(picture *p, const picture_view *view, const picture_surface *surfaces, int32_t surface_count);

/// `count` pictures of one size, `columns` in a row, white margins of `margin` pixels between and around them.
picture picture_sheet(const picture *pictures, int32_t count, int32_t columns, int32_t margin);

/// Write a PNG file; with several pictures of one size, an animated one. Returns false when it cannot be written.
bool picture_write(const char *path, const picture *pictures, int32_t count, int32_t frames_per_second);

#endif

// app/render/tracer.h -- what the stages of a picture share: rays (trace.c), light (shade.c), the film (develop.c).
#ifndef APP_RENDER_TRACER_H
#define APP_RENDER_TRACER_H

#include "colormap.h"
#include "geometry.h"

enum
{
    PACKET = 16, // rays that travel together
    PLANES_MAX = 16,
    NOTHING = INT32_MIN,   // owner of a pixel that shows several things, or none
    BEHIND_WATER = 1 << 30 // changed in the owner of what is seen through water
};

typedef struct ground
{
    v3 normal, color, along, across; // the last two span it
    float offset;                    // dot(normal, point) of its points
    bool grid;
} ground;

// A map across the light, see caustics.h.
typedef struct caustics
{
    float *map; // [height][width], or NULL
    int32_t width, height;
    float texel;              // [m]
    v3 corner, across, along; // of texel (0, 0), and unit directions of its sides
} caustics;

// Foam in cells of a lattice, see froth.h.
typedef struct froth_patch
{
    v3 at;
    float radius, opacity;
    int32_t next; // of the same list; -1: none
} froth_patch;

typedef struct froth
{
    froth_patch *item; // [count]
    size_t count;
    int32_t *first; // [mask + 1]
    uint64_t mask;
    float width; // of a cell [m]
} froth;

typedef struct tracer
{
    geometry geometry;
    const render_scene *scene;
    ground grounds[PLANES_MAX];

    // the camera: the ray of the film point (u, v) in [-1, 1]^2 is forward + u right + v up
    v3 eye, right, up, forward;
    v3 focus;          // what it looks at
    float reach;       // distance to the focus [m]
    float pixel_angle; // of a pixel in the middle [rad]
    float cell;        // between grid lines [m]

    // light
    v3 to_light, light_s, light_t; // direction of its centre; from there to its rim
    v3 key;                        // strength by colour
    v3 zenith;
    float sky, sky_gradient;
    v3 backdrop; // light that the film develops to the background
    caustics caustics;
    froth froth;

    bool mapped;
    colormap map;
    float map_low, map_scale;

    int32_t width, height, sample_count;
    uint32_t (*sequence)[2]; // [padded_count], points of a (0, 2)-sequence in [0, 2^32)^2
    int32_t padded_count;    // samples, rounded up to a power of two of at least PACKET
} tracer;

// What the samples of a pixel saw, a sample that fades into the background counting less; then means, see settle().
typedef struct pixel
{
    v3 color;       // sum of light towards the camera
    v3 albedo;      // sum of shares of light that return
    float weight;   // sum; what is missing to the number of samples is background
    v3 light;       // mean of light that fell in
    v3 normal;      // mean direction, of length 1
    v3 point;       // mean
    float variance; // of the luminance of `light`
    int32_t owner;  // mesh number, or -1 - plane number, or NOTHING when light, normal and point mean nothing
} pixel;

// What a ray met.
typedef struct surface
{
    v3 point;  // where rays start from, lifted off the surface
    v3 facet;  // normal of the triangle, towards the ray's origin
    v3 normal; // the smooth one
    v3 color;
    float roughness, distance;
    float fade; // share of background, in [0, 1]
    int32_t owner;
} surface;

// trace.c: fill the pixels [left, right) x [top, bottom) of the film.
void trace_tile(const tracer *t, int32_t left, int32_t top, int32_t right, int32_t bottom, pixel *film);

// shade.c
surface surface_of_mesh(const tracer *t, uint32_t mesh, uint32_t primitive, float u, float v, v3 toward, float distance,
                        bool detailed);
surface surface_of_plane(const tracer *t, int32_t plane, v3 from, v3 toward, float distance, bool detailed);
surface surface_of_point(const tracer *t, uint32_t points, v3 point, v3 outward, float distance);
// The share of light that returns, with the sheen that grows towards grazing angles.
v3 surface_albedo(const surface *s, v3 toward);
// Light of the key light from direction `to_light`, reflected as by a mirror that is not quite smooth.
v3 surface_highlight(const tracer *t, const surface *s, v3 toward, v3 to_light);

// Light from infinity in a mirror or behind water: the background, as blue as the sky has a gradient towards the
// zenith, and the key light, if it shall be seen.
v3 surroundings(const tracer *t, v3 direction, bool with_key);

// A point far enough from a surface that round-off in a hit does not matter.
static inline v3 lifted(v3 point, v3 facet, float distance)
{
    float size = greater(greater(fabsf(point.x), fabsf(point.y)), fabsf(point.z));
    return v3_axpy(1e-5f * (size + distance), facet, point);
}

static inline v3 sky_light(const tracer *t, v3 direction)
{
    float l = t->sky * (1 + t->sky_gradient * v3_dot(direction, t->zenith));
    return (v3){l, l, l};
}

// develop.c: light that becomes a colour, and rows [top, bottom) of the film as sRGB.
v3 developed_from(v3 color);
void develop_rows(const tracer *t, const float background[3], const pixel *film, int32_t top, int32_t bottom,
                  uint8_t *rgb);

#endif

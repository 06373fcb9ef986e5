// app/render/render.h -- pictures of triangle meshes, as figures of a paper show them.
//
// One key light with a soft shadow, light from the whole sky, one bounce of both between the surfaces, a ground that
// fades into the background. Water mirrors and refracts (water.c), glass mirrors (glass.c). A picture has the same bits
// for any number of threads.
#ifndef APP_RENDER_RENDER_H
#define APP_RENDER_RENDER_H

#include "image.h"

/// Which edges are drawn.
typedef enum render_wireframe
{
    RENDER_NO_EDGES,
    RENDER_TRIANGLES,
    RENDER_QUADS ///< triangles are the halves a b c, a c d of quadrilaterals, one after the other; not a c
} render_wireframe;

typedef enum render_matter
{
    RENDER_OPAQUE,
    RENDER_WATER, ///< the inside of a closed mesh, with triangles that face outwards
    RENDER_GLASS  ///< clear walls, of which one sees what they mirror
} render_matter;

typedef struct render_mesh
{
    int32_t vertex_count, triangle_count;
    const float *vertices;    ///< [vertex_count][3]; triangles with a vertex that is not finite are left out
    const float *normals;     ///< [vertex_count][3], or NULL: smooth, with creases where faces meet at over 40 degrees
    const int32_t *triangles; ///< [triangle_count][3]
    float color[3];           ///< linear, in [0, 1]
    const float *vertex_values;   ///< [vertex_count], for the colour map, or NULL
    const float *triangle_values; ///< [triangle_count], for the colour map, or NULL
    render_wireframe wireframe;
    float roughness; ///< 0.2 (shiny) to 1 (dull); others are clamped
    render_matter matter;
    const int32_t *inner; ///< [vertex_count] of water: 1 where another one begins, so that light goes on; or NULL
    float absorption[3];  ///< of water, by colour [1/m], >= 0; its `color` is that of bottomless water, 0 for clear one
} render_mesh;

/// Small balls: beads of water, foam, bubbles. They throw no shadows.
typedef struct render_points
{
    int32_t count;
    const float *positions; ///< [count][3]; those that are not finite are left out
    const float *radii;     ///< [count]
    float color[3];         ///< linear, in [0, 1]
    float opacity;          ///< in [0, 1]
    int32_t foam;           ///< nonzero: patches of the surface of water, if there is any, wider than the balls
    int32_t clear;          ///< nonzero: of clear water, which mirrors and refracts; the colour does not matter
} render_points;

/// An infinite plane, seen from the side that its normal points to.
typedef struct render_plane
{
    float at[3], normal[3];
    float color[3]; ///< linear, in [0, 1]
    int32_t grid;   ///< nonzero: faint lines at a power of ten of metres
} render_plane;

typedef struct render_scene
{
    const render_mesh *meshes;
    int32_t mesh_count;
    const render_plane *planes;
    int32_t plane_count; ///< at most 16
    const render_points *points;
    int32_t points_count; ///< of sets of points
} render_scene;

typedef struct render_camera
{
    double from[3], look_at[3];
    double up[3]; ///< also the direction of the zenith
    double fov;   ///< between the upper and the lower edge [degrees], in (0, 170]
} render_camera;

typedef struct render_look
{
    int32_t width, height;    ///< [pixels], in [1, IMAGE_SIZE_MAX]
    int32_t samples;          ///< per pixel, in [1, 4096]
    float background[3];      ///< linear, in [0, 1]; appears as it is
    double light[3];          ///< direction towards the key light
    double light_angle;       ///< radius of the key light as seen from the scene [degrees], in [0, 45]
    double light_strength;    ///< what a white surface that faces the key light returns, >= 0
    double sky_strength;      ///< what a white surface under the whole sky returns, >= 0
    double sky_gradient;      ///< in [0, 1]; 0: the sky is even, 1: black below and twice as bright above
    const char *color_map;    ///< NULL, or "viridis", "turbo", "coolwarm", "inferno"
    double map_low, map_high; ///< values at its ends, map_low < map_high
    const char *map_label;    ///< such as "von Mises stress [kPa]", or NULL
    const char *caption;      ///< text at the lower left, or NULL
} render_look;

/// 960 x 540, 16 samples, a light neutral background, a key light from the upper left.
render_look render_look_default(void);

/// Extend a box by all of a mesh, or by meshes without the little that is far from the rest of them, which would make
/// that small: what lies between the first and the last hundredth of their area along an axis, and a quarter of its
/// largest side beyond.
void render_extend_box(const render_mesh *mesh, double lower[3], double upper[3]);
void render_extend_box_by_bulk(const render_mesh *mesh, int32_t mesh_count, double lower[3], double upper[3]);

/// A camera that shows the box [lower, upper] from the front right and above, with a margin of 15 %. `aspect` is width
/// over height of the picture. y is up. A box of no size is seen from a metre away.
render_camera render_frame_camera(const double lower[3], const double upper[3], double fov, double aspect);

/// Draw `scene` into a new picture. Threads are those of the context. On failure `out` is untouched.
PL_NODISCARD pl_status render_draw(pl_context *ctx, const render_scene *scene, const render_camera *camera,
                                   const render_look *look, image *out);

#endif

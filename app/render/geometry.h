// app/render/geometry.h -- meshes as Embree sees them, and what shading needs beside.
#ifndef APP_RENDER_GEOMETRY_H
#define APP_RENDER_GEOMETRY_H

#include "render.h"
#include "v3.h"

#include <embree3/rtcore.h>
#include <stdbool.h>

// Embree's primitive i of geometry number m is triangle kept[i] of mesh m.
typedef struct shape
{
    const render_mesh *mesh;
    int32_t kept_count;
    int32_t *kept;  // [kept_count] triangles whose vertices are finite, in their order
    float *normals; // [kept_count][3][3], at the corners, of length 1
    float touch;    // of water: what is closer to it than this is in touch with it [m]
} shape;

typedef struct geometry
{
    RTCDevice device;
    RTCScene scene;                // meshes that are opaque
    RTCScene water, glass, points; // NULL: none; sets of points are numbered after the meshes
    shape *shapes;
    int32_t shape_count;
    void (*on_abort)(int); // what a signal of that name did before
} geometry;

// Refuses indices outside of their mesh. On failure there is nothing to destroy.
pl_status geometry_create(pl_context *ctx, const render_scene *scene, geometry *g);
void geometry_destroy(pl_context *ctx, geometry *g);

// Fill `normals` of a shape whose `kept` is known.
pl_status shape_make_normals(pl_context *ctx, shape *s);

static inline v3 shape_vertex(const shape *s, int32_t triangle, int corner)
{
    return v3_load(s->mesh->vertices + 3 * (size_t)s->mesh->triangles[3 * (size_t)triangle + (size_t)corner]);
}

#endif

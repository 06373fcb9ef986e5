// app/render/camera.c -- where to stand so that a box fills the picture.
//
// Seen along a fixed direction from the distance s, a corner at (x, y, z) from the centre (x to the right, y up, z away
// from the camera) appears at x / (s + z). The nearest s that shows all corners within the margin is a maximum over the
// corners. Perspective makes the near side larger, so the centre of what is seen is then moved into the middle and s
// found again.
#include "render.h"

#include <math.h>
#include <string.h>

static const double margin = 1.15;
static const double towards_camera[3] = {0.50, 0.42, 1.0};

typedef struct view
{
    double right[3], up[3], forward[3];
    double tan_x, tan_y; // of half the angles of view, within the margin
    double corner[8][3]; // along right, up, forward
} view;

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void make_axes(view *v)
{
    double length = sqrt(dot(towards_camera, towards_camera)), flat = hypot(towards_camera[0], towards_camera[2]);
    for (int k = 0; k < 3; ++k)
        v->forward[k] = -towards_camera[k] / length;
    v->right[0] = towards_camera[2] / flat;
    v->right[1] = 0;
    v->right[2] = -towards_camera[0] / flat;
    // up = right x forward
    for (int k = 0; k < 3; ++k)
        v->up[k] = v->right[(k + 1) % 3] * v->forward[(k + 2) % 3] - v->right[(k + 2) % 3] * v->forward[(k + 1) % 3];
}

static void place_corners(view *v, const double lower[3], const double upper[3], const double center[3])
{
    for (int i = 0; i < 8; ++i)
    {
        double d[3];
        for (int k = 0; k < 3; ++k)
            d[k] = (i >> k & 1 ? upper[k] : lower[k]) - center[k];
        v->corner[i][0] = dot(d, v->right);
        v->corner[i][1] = dot(d, v->up);
        v->corner[i][2] = dot(d, v->forward);
    }
}

static double distance_needed(const view *v)
{
    double s = 0;
    for (int i = 0; i < 8; ++i)
    {
        const double *c = v->corner[i];
        s = fmax(s, fmax(fabs(c[0]) / v->tan_x, fabs(c[1]) / v->tan_y) - c[2]);
    }
    return s;
}

// Move the centre so that what is seen from distance s reaches equally far to both sides.
static void recenter(const view *v, double s, double center[3])
{
    for (int axis = 0; axis < 2; ++axis)
    {
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (int i = 0; i < 8; ++i)
        {
            double seen = v->corner[i][axis] / (s + v->corner[i][2]);
            low = fmin(low, seen);
            high = fmax(high, seen);
        }
        for (int k = 0; k < 3; ++k)
            center[k] += 0.5 * s * (low + high) * (axis ? v->up : v->right)[k];
    }
}

render_camera render_frame_camera(const double lower[3], const double upper[3], double fov, double aspect)
{
    fov = fov > 0 && fov <= 170 ? fov : 30;
    aspect = aspect > 0 && isfinite(aspect) ? aspect : 16.0 / 9;
    double half = tan(fov * (0.5 * 0.017453292519943295)), center[3], s = 1;
    view v = {.tan_x = half * aspect / margin, .tan_y = half / margin};
    make_axes(&v);
    for (int k = 0; k < 3; ++k)
        center[k] = 0.5 * (lower[k] + upper[k]);
    for (int pass = 0; pass < 4; ++pass)
    {
        place_corners(&v, lower, upper, center);
        s = distance_needed(&v);
        if (s > 0 && pass < 3)
            recenter(&v, s, center);
    }
    render_camera camera = {.up = {0, 1, 0}, .fov = fov};
    for (int k = 0; k < 3; ++k)
    {
        camera.look_at[k] = center[k];
        camera.from[k] = center[k] - (s > 0 ? s : 1) * v.forward[k];
    }
    return camera;
}

// app/render/render.c -- a picture from beginning to end: checks, rays, development, lettering.
#include "caustics.h"
#include "froth.h"

#include "base/service.h"
#include "base/task.h"

#include <math.h>
#include <string.h>

enum
{
    TILE = 16, // pixels along its side
    ROWS = 4   // developed at once
};

render_look render_look_default(void)
{
    return (render_look){.width = 960,
                         .height = 540,
                         .samples = 16,
                         .background = {0.85f, 0.847f, 0.84f},
                         .light = {-0.55, 1, 0.55},
                         .light_angle = 7,
                         .light_strength = 0.72,
                         .sky_strength = 0.34,
                         .sky_gradient = 0.45,
                         .map_high = 1};
}

// ---- checks ------------------------------------------------------------------------------------------------------

static bool is_direction(const double d[3])
{
    double length = hypot(hypot(d[0], d[1]), d[2]);
    return length > 1e-100 && length < 1e100;
}

static pl_status check_camera(pl_context *ctx, const render_camera *c)
{
    double along[3];
    for (int k = 0; k < 3; ++k)
    {
        PL_CHECK(ctx, fabs(c->from[k]) < 1e15 && fabs(c->look_at[k]) < 1e15,
                 "camera: from and look_at must be below 1e15");
        along[k] = c->look_at[k] - c->from[k];
    }
    PL_CHECK(ctx, is_direction(along) && hypot(hypot(along[0], along[1]), along[2]) > 1e-6,
             "camera: from (%g, %g, %g) is where it looks at", c->from[0], c->from[1], c->from[2]);
    PL_CHECK(ctx, is_direction(c->up), "camera: up (%g, %g, %g) has no direction", c->up[0], c->up[1], c->up[2]);
    PL_CHECK(ctx, c->fov > 0 && c->fov <= 170, "camera: fov %g is not in (0, 170]", c->fov);
    return PL_OK;
}

static pl_status check_look(pl_context *ctx, const render_look *l)
{
    PL_CHECK(ctx, l->samples >= 1 && l->samples <= 4096, "picture: samples %d is not in [1, 4096]", l->samples);
    for (int k = 0; k < 3; ++k)
        PL_CHECK(ctx, l->background[k] >= 0 && l->background[k] <= 1, "picture: background %g is not in [0, 1]",
                 l->background[k]);
    PL_CHECK(ctx, is_direction(l->light), "picture: light (%g, %g, %g) has no direction", l->light[0], l->light[1],
             l->light[2]);
    PL_CHECK(ctx, l->light_angle >= 0 && l->light_angle <= 45, "picture: light_angle %g is not in [0, 45]",
             l->light_angle);
    PL_CHECK(ctx, l->light_strength >= 0 && l->light_strength < 1e6, "picture: light_strength %g is not in [0, 1e6)",
             l->light_strength);
    PL_CHECK(ctx, l->sky_strength >= 0 && l->sky_strength < 1e6, "picture: sky_strength %g is not in [0, 1e6)",
             l->sky_strength);
    PL_CHECK(ctx, l->sky_gradient >= 0 && l->sky_gradient <= 1, "picture: sky_gradient %g is not in [0, 1]",
             l->sky_gradient);
    PL_CHECK(ctx, !l->color_map || (l->map_low < l->map_high && isfinite(l->map_high - l->map_low)),
             "picture: map_low %g is not below map_high %g", l->map_low, l->map_high);
    return PL_OK;
}

static pl_status check_plane(pl_context *ctx, const render_plane *p, int32_t number)
{
    const float *n = p->normal, *at = p->at;
    PL_CHECK(ctx, is_direction((double[3]){n[0], n[1], n[2]}), "plane %d: normal (%g, %g, %g) has no direction", number,
             n[0], n[1], n[2]);
    PL_CHECK(ctx, fabsf(at[0]) < 1e15f && fabsf(at[1]) < 1e15f && fabsf(at[2]) < 1e15f,
             "plane %d: at (%g, %g, %g) must be below 1e15", number, at[0], at[1], at[2]);
    for (int k = 0; k < 3; ++k)
        PL_CHECK(ctx, p->color[k] >= 0 && p->color[k] <= 1, "plane %d: color %g is not in [0, 1]", number, p->color[k]);
    return PL_OK;
}

static pl_status check_scene(pl_context *ctx, const render_scene *s)
{
    PL_CHECK(ctx, s->mesh_count >= 0, "picture: mesh_count %d is negative", s->mesh_count);
    PL_CHECK(ctx, s->points_count >= 0, "picture: points_count %d is negative", s->points_count);
    PL_CHECK(ctx, s->plane_count >= 0 && s->plane_count <= PLANES_MAX, "picture: plane_count %d is not in [0, %d]",
             s->plane_count, PLANES_MAX);
    for (int32_t i = 0; i < s->plane_count; ++i)
        PL_TRY(check_plane(ctx, &s->planes[i], i));
    return PL_OK;
}

// ---- setting up --------------------------------------------------------------------------------------------------

static v3 from_doubles(const double d[3])
{
    double length = hypot(hypot(d[0], d[1]), d[2]), s = length > 0 ? 1 / length : 0;
    return (v3){(float)(s * d[0]), (float)(s * d[1]), (float)(s * d[2])};
}

// The camera may look along its own up: then another direction serves.
static v3 sideways(v3 forward, v3 up)
{
    v3 side = v3_cross(forward, up), spare;
    if (v3_length(side) < 1e-3f)
        v3_frame(forward, &side, &spare);
    return v3_unit(side);
}

static void set_camera(tracer *t, const render_camera *c)
{
    double along[3];
    for (int k = 0; k < 3; ++k)
        along[k] = c->look_at[k] - c->from[k];
    float half = (float)tan(c->fov * (0.5 * 0.017453292519943295)), aspect = (float)t->width / (float)t->height;
    t->eye = (v3){(float)c->from[0], (float)c->from[1], (float)c->from[2]};
    t->focus = (v3){(float)c->look_at[0], (float)c->look_at[1], (float)c->look_at[2]};
    t->forward = from_doubles(along);
    t->zenith = from_doubles(c->up);
    v3 right = sideways(t->forward, t->zenith);
    t->up = v3_scale(half, v3_cross(right, t->forward));
    t->right = v3_scale(half * aspect, right);
    t->reach = (float)hypot(hypot(along[0], along[1]), along[2]);
    t->pixel_angle = 2 * half / (float)t->height;
    t->cell = powf(10, floorf(log10f(0.3f * t->reach)));
}

// What the camera shows moves to the left and shrinks, to leave the share `room` at the right free for the legend.
static void make_room(tracer *t, double room)
{
    float zoom = (float)(1 / (1 - room));
    t->forward = v3_axpy(zoom - 1, t->right, t->forward);
    t->right = v3_scale(zoom, t->right);
    t->up = v3_scale(zoom, t->up);
    t->pixel_angle *= zoom;
}

static void set_light(tracer *t, const render_look *l)
{
    static const v3 warm = {1.0f, 0.965f, 0.91f};
    float rim = (float)tan(l->light_angle * 0.017453292519943295);
    t->to_light = from_doubles(l->light);
    v3_frame(t->to_light, &t->light_s, &t->light_t);
    t->light_s = v3_scale(rim, t->light_s);
    t->light_t = v3_scale(rim, t->light_t);
    t->key = v3_scale((float)l->light_strength, warm);
    t->sky = (float)l->sky_strength;
    t->sky_gradient = (float)l->sky_gradient;
    t->backdrop = developed_from(v3_load(l->background));
}

// Grid lines follow the axes of the world.
static void set_grounds(tracer *t)
{
    for (int32_t i = 0; i < t->scene->plane_count; ++i)
    {
        const render_plane *p = &t->scene->planes[i];
        ground *g = &t->grounds[i];
        g->normal = v3_unit(v3_load(p->normal));
        g->color = v3_load(p->color);
        g->offset = v3_dot(g->normal, v3_load(p->at));
        g->grid = p->grid != 0;
        v3 axis = fabsf(g->normal.x) < 0.9f ? (v3){1, 0, 0} : (v3){0, 0, 1};
        g->along = v3_unit(v3_axpy(-v3_dot(axis, g->normal), g->normal, axis));
        g->across = v3_cross(g->normal, g->along);
    }
}

static uint32_t reversed_bits(uint32_t i)
{
    i = i >> 16 | i << 16;
    i = (i & 0x00ff00ffu) << 8 | (i & 0xff00ff00u) >> 8;
    i = (i & 0x0f0f0f0fu) << 4 | (i & 0xf0f0f0f0u) >> 4;
    i = (i & 0x33333333u) << 2 | (i & 0xccccccccu) >> 2;
    return (i & 0x55555555u) << 1 | (i & 0xaaaaaaaau) >> 1;
}

// The second coordinate of Sobol's sequence; the first is the reversed bits.
static uint32_t sobol(uint32_t i)
{
    uint32_t result = 0;
    for (uint32_t v = 1u << 31; i; i >>= 1, v ^= v >> 1)
        result ^= i & 1 ? v : 0;
    return result;
}

static pl_status set_sequence(pl_context *ctx, tracer *t)
{
    t->padded_count = PACKET;
    while (t->padded_count < t->sample_count)
        t->padded_count *= 2;
    t->sequence = pl__calloc(ctx, (size_t)t->padded_count, sizeof *t->sequence);
    if (!t->sequence)
        return PL_ERR_MEMORY;
    for (int32_t i = 0; i < t->padded_count; ++i)
    {
        t->sequence[i][0] = reversed_bits((uint32_t)i);
        t->sequence[i][1] = sobol((uint32_t)i);
    }
    return PL_OK;
}

static pl_status set_map(pl_context *ctx, tracer *t, const render_look *l)
{
    t->mapped = l->color_map != NULL;
    if (!t->mapped)
        return PL_OK;
    t->map_low = (float)l->map_low;
    t->map_scale = (float)(1 / (l->map_high - l->map_low));
    return colormap_find(ctx, l->color_map, &t->map);
}

// ---- drawing -----------------------------------------------------------------------------------------------------

typedef struct work
{
    const tracer *t;
    const render_look *look;
    pixel *film;
    uint8_t *rgb;
    int32_t tiles_across;
} work;

static int32_t at_most(int32_t a, int32_t b) { return a < b ? a : b; }

static void trace_tiles(void *argument, int32_t begin, int32_t end)
{
    const work *w = argument;
    for (int32_t i = begin; i < end; ++i)
    {
        int32_t left = TILE * (i % w->tiles_across), top = TILE * (i / w->tiles_across);
        trace_tile(w->t, left, top, at_most(left + TILE, w->t->width), at_most(top + TILE, w->t->height), w->film);
    }
}

static void develop_range(void *argument, int32_t begin, int32_t end)
{
    const work *w = argument;
    develop_rows(w->t, w->look->background, w->film, begin, end, w->rgb);
}

static pl_status expose_and_develop(pl_context *ctx, const tracer *t, const render_look *look, image *im)
{
    size_t pixels = (size_t)t->width * (size_t)t->height;
    work w = {t, look, PL_NEW(ctx, pixels, pixel), im->rgb, pl__chunk_count(t->width, TILE)};
    if (!w.film)
        return PL_ERR_MEMORY;
    pl__parallel_for(ctx, w.tiles_across * pl__chunk_count(t->height, TILE), 1, trace_tiles, &w);
    pl__parallel_for(ctx, t->height, ROWS, develop_range, &w);
    PL_DELETE(ctx, w.film, pixels);
    return PL_OK;
}

static void letter(image *im, const tracer *t, const render_look *look)
{
    double size = fmin(fmax(im->height / 45.0, 6), 40);
    image_font font = {.size = size};
    bool light = v3_luminance(v3_load(look->background)) > 0.18f;
    memset(font.color, light ? 45 : 235, 3);
    if (look->caption)
        image_text(im, &font, 1.6 * size, im->height - 1.6 * size, look->caption);
    if (t->mapped)
        legend_draw(im, &t->map, look->map_low, look->map_high, look->map_label);
}

static pl_status draw(pl_context *ctx, tracer *t, const render_scene *scene, const render_camera *camera,
                      const render_look *look, image *im)
{
    PL_TRY(image_create(ctx, look->width, look->height, im));
    t->scene = scene;
    t->width = look->width;
    t->height = look->height;
    t->sample_count = look->samples;
    set_camera(t, camera);
    if (look->color_map)
        make_room(t, legend_share(look->width, look->height, look->map_low, look->map_high, look->map_label));
    set_light(t, look);
    set_grounds(t);
    PL_TRY(set_map(ctx, t, look));
    PL_TRY(set_sequence(ctx, t));
    PL_TRY(geometry_create(ctx, scene, &t->geometry));
    PL_TRY(caustics_make(ctx, t));
    PL_TRY(froth_make(ctx, t));
    PL_TRY(expose_and_develop(ctx, t, look, im));
    letter(im, t, look);
    return PL_OK;
}

pl_status render_draw(pl_context *ctx, const render_scene *scene, const render_camera *camera, const render_look *look,
                      image *out)
{
    PL_TRY(check_scene(ctx, scene));
    PL_TRY(check_camera(ctx, camera));
    PL_TRY(check_look(ctx, look));
    tracer t = {0};
    image im = {0};
    pl_status status = draw(ctx, &t, scene, camera, look, &im);
    froth_free(ctx, &t);
    caustics_free(ctx, &t);
    geometry_destroy(ctx, &t.geometry);
    pl__free(ctx, t.sequence, (size_t)t.padded_count * sizeof *t.sequence);
    if (status == PL_OK)
        *out = im;
    else
        image_destroy(ctx, &im);
    return status;
}

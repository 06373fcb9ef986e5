// examples/picture.c -- a small renderer: z-buffer, two lights, one of them with a soft shadow, a floor.
//
// Everything is shaded when it is drawn: key light with a shadow map, fill light, light of the sky, a little gloss. The
// floor is darkened where the surfaces are close above it, which makes things stand on it instead of float.
#include "picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct
{
    float x, y, z;
} vec;

static vec make(const float v[3]) { return (vec){v[0], v[1], v[2]}; }
static vec add(vec a, vec b) { return (vec){a.x + b.x, a.y + b.y, a.z + b.z}; }
static vec sub(vec a, vec b) { return (vec){a.x - b.x, a.y - b.y, a.z - b.z}; }
static vec mul(float s, vec a) { return (vec){s * a.x, s * a.y, s * a.z}; }
static vec times(vec a, vec b) { return (vec){a.x * b.x, a.y * b.y, a.z * b.z}; }
static float dot(vec a, vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static vec cross(vec a, vec b) { return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
static vec unit(vec a)
{
    float length = sqrtf(dot(a, a));
    return length > 0 ? mul(1 / length, a) : (vec){0, 1, 0};
}
static vec mix(vec a, vec b, float t) { return add(mul(1 - t, a), mul(t, b)); }
static float clamp01(float t) { return t < 0 ? 0 : t > 1 ? 1 : t; }
static float smooth(float t) { return t = clamp01(t), t * t * (3 - 2 * t); }

enum
{
    SAMPLES = 2,    // per pixel and direction
    SHADOW = 1024,  // texels of the shadow map
    SOFTNESS = 4,   // its filter reaches so many taps to each side
    NEARNESS = 192, // texels of the map of what is close above the floor
};

typedef struct
{
    int32_t width, height; // in samples
    float *depth;          // distance along the view; INFINITY for nothing
    vec *colour;           // linear
    const picture_view *view;
    vec eye, right, up, forward;
    float zoom; // samples per unit of slope
    // shadow map: height towards the key light over the plane spanned by (light_u, light_v)
    float *shadow;
    vec light, light_u, light_v;
    float shadow_origin[2], shadow_scale;
    // how much the surfaces cover the floor, over (x, z)
    float *nearness;
    float near_origin[2], near_scale;
    float extent; // size of what is drawn [m]
    vec centre;
} canvas;

static const vec key_colour = {2.35f, 2.2f, 1.95f}, fill_colour = {0.30f, 0.38f, 0.52f};
static const vec sky_colour = {0.50f, 0.55f, 0.64f}, bounce_colour = {0.30f, 0.27f, 0.24f};
static const vec horizon_colour = {0.86f, 0.90f, 0.95f}, floor_colour = {0.70f, 0.70f, 0.71f};

// ---- triangles over a grid of cells ------------------------------------------------------------------------------

typedef struct
{
    float x, y, depth; // depth: what is interpolated
} corner;

typedef void visit(void *user, int32_t column, int32_t row, const float weight[3]);

static float edge(corner a, corner b, float x, float y) { return (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x); }

// Calls `at` for every cell of [0, width) x [0, height) whose centre lies in the triangle, with barycentric weights.
static void scan(const corner c[3], int32_t width, int32_t height, visit *at, void *user)
{
    float area = edge(c[0], c[1], c[2].x, c[2].y);
    if (!(fabsf(area) > 1e-12f))
        return;
    float lowest_x = fminf(c[0].x, fminf(c[1].x, c[2].x)), highest_x = fmaxf(c[0].x, fmaxf(c[1].x, c[2].x));
    float lowest_y = fminf(c[0].y, fminf(c[1].y, c[2].y)), highest_y = fmaxf(c[0].y, fmaxf(c[1].y, c[2].y));
    if (highest_x < 0 || highest_y < 0 || lowest_x > (float)width || lowest_y > (float)height)
        return;
    int32_t x0 = (int32_t)fmaxf(0, floorf(lowest_x)), x1 = (int32_t)fminf((float)width - 1, highest_x);
    int32_t y0 = (int32_t)fmaxf(0, floorf(lowest_y)), y1 = (int32_t)fminf((float)height - 1, highest_y);
    for (int32_t y = y0; y <= y1; ++y)
        for (int32_t x = x0; x <= x1; ++x)
        {
            float px = (float)x + 0.5f, py = (float)y + 0.5f;
            float w[3] = {edge(c[1], c[2], px, py) / area, edge(c[2], c[0], px, py) / area, edge(c[0], c[1], px, py) / area};
            if (w[0] >= 0 && w[1] >= 0 && w[2] >= 0)
                at(user, x, y, w);
        }
}

// ---- the key light's shadow, and the floor's darkness ------------------------------------------------------------

typedef struct
{
    float *cell;
    int32_t width;
    const corner *c;
} highest_job;

static void keep_highest(void *user, int32_t x, int32_t y, const float w[3])
{
    highest_job *job = user;
    float *cell = &job->cell[(size_t)y * (size_t)job->width + (size_t)x];
    *cell = fmaxf(*cell, w[0] * job->c[0].depth + w[1] * job->c[1].depth + w[2] * job->c[2].depth);
}

static void bounds(canvas *k, const picture_surface *s, int32_t count)
{
    vec low = {INFINITY, INFINITY, INFINITY}, high = mul(-1, low);
    for (int32_t i = 0; i < count; ++i)
        for (int32_t n = 0; n < s[i].vertex_count; ++n)
        {
            vec p = make(&s[i].vertices[3 * n]);
            low = (vec){fminf(low.x, p.x), fminf(low.y, p.y), fminf(low.z, p.z)};
            high = (vec){fmaxf(high.x, p.x), fmaxf(high.y, p.y), fmaxf(high.z, p.z)};
        }
    k->centre = mul(0.5f, add(low, high));
    k->extent = sqrtf(dot(sub(high, low), sub(high, low))) + 1e-6f;
}

static void each_triangle(const picture_surface *s, int32_t count, void (*draw)(canvas *, const picture_surface *, const int32_t *), canvas *k)
{
    for (int32_t i = 0; i < count; ++i)
        for (int32_t t = 0; t < s[i].triangle_count; ++t)
            draw(k, &s[i], &s[i].triangles[3 * t]);
}

static void shade_light(canvas *k, const picture_surface *s, const int32_t *t)
{
    corner c[3];
    for (int i = 0; i < 3; ++i)
    {
        vec p = make(&s->vertices[3 * t[i]]);
        c[i] = (corner){(dot(p, k->light_u) - k->shadow_origin[0]) * k->shadow_scale,
                        (dot(p, k->light_v) - k->shadow_origin[1]) * k->shadow_scale, dot(p, k->light)};
    }
    scan(c, SHADOW, SHADOW, keep_highest, &(highest_job){k->shadow, SHADOW, c});
}

static void shade_floor(canvas *k, const picture_surface *s, const int32_t *t)
{
    corner c[3];
    for (int i = 0; i < 3; ++i)
    {
        vec p = make(&s->vertices[3 * t[i]]);
        float height = fmaxf(0, p.y - (float)k->view->floor_height);
        c[i] = (corner){(p.x - k->near_origin[0]) * k->near_scale, (p.z - k->near_origin[1]) * k->near_scale,
                        expf(-height / (0.12f * k->extent))};
    }
    scan(c, NEARNESS, NEARNESS, keep_highest, &(highest_job){k->nearness, NEARNESS, c});
}

static void blur_rows(float *map, size_t step, size_t stride, int32_t reach)
{
    float row[NEARNESS];
    for (size_t r = 0; r < NEARNESS; ++r)
    {
        for (int32_t x = 0; x < NEARNESS; ++x)
        {
            float sum = 0;
            for (int32_t d = -reach; d <= reach; ++d)
                if (x + d >= 0 && x + d < NEARNESS)
                    sum += map[r * stride + (size_t)(x + d) * step];
            row[x] = sum / (float)(2 * reach + 1);
        }
        for (size_t x = 0; x < NEARNESS; ++x)
            map[r * stride + x * step] = row[x];
    }
}

static void prepare_light(canvas *k, const picture_surface *s, int32_t count)
{
    bounds(k, s, count);
    k->light = unit((vec){-0.45f, 1.0f, 0.42f});
    k->light_u = unit(cross((vec){0, 1, 0}, k->light));
    k->light_v = cross(k->light, k->light_u);
    float half = 0.55f * k->extent;
    k->shadow_origin[0] = dot(k->centre, k->light_u) - half;
    k->shadow_origin[1] = dot(k->centre, k->light_v) - half;
    k->shadow_scale = SHADOW / (2 * half);
    for (size_t i = 0; i < (size_t)SHADOW * SHADOW; ++i)
        k->shadow[i] = -INFINITY;
    each_triangle(s, count, shade_light, k);

    half = 0.8f * k->extent;
    k->near_origin[0] = k->centre.x - half;
    k->near_origin[1] = k->centre.z - half;
    k->near_scale = NEARNESS / (2 * half);
    memset(k->nearness, 0, (size_t)NEARNESS * NEARNESS * sizeof *k->nearness);
    each_triangle(s, count, shade_floor, k);
    for (int pass = 0; pass < 3; ++pass)
    {
        blur_rows(k->nearness, 1, NEARNESS, 4);
        blur_rows(k->nearness, NEARNESS, 1, 4);
    }
}

// Share of the key light that arrives at p.
static float lit(const canvas *k, vec p, vec normal)
{
    float texel = 1 / k->shadow_scale;
    p = add(p, mul(6 * texel, normal));
    float u = (dot(p, k->light_u) - k->shadow_origin[0]) * k->shadow_scale;
    float v = (dot(p, k->light_v) - k->shadow_origin[1]) * k->shadow_scale;
    float height = dot(p, k->light) + 8 * texel;
    int32_t arrived = 0;
    for (int32_t dy = -SOFTNESS; dy <= SOFTNESS; ++dy)
        for (int32_t dx = -SOFTNESS; dx <= SOFTNESS; ++dx)
        {
            int32_t x = (int32_t)floorf(u) + 3 * dx, y = (int32_t)floorf(v) + 3 * dy;
            bool inside = x >= 0 && x < SHADOW && y >= 0 && y < SHADOW;
            arrived += !inside || k->shadow[(size_t)y * SHADOW + (size_t)x] <= height;
        }
    return (float)arrived / ((2 * SOFTNESS + 1) * (2 * SOFTNESS + 1));
}

static float covered(const canvas *k, float x, float z)
{
    float u = (x - k->near_origin[0]) * k->near_scale - 0.5f, v = (z - k->near_origin[1]) * k->near_scale - 0.5f;
    int32_t i = (int32_t)floorf(u), j = (int32_t)floorf(v);
    if (!(u > 0 && v > 0 && u < NEARNESS - 2 && v < NEARNESS - 2))
        return 0;
    const float *m = &k->nearness[(size_t)j * NEARNESS + (size_t)i];
    float a = u - (float)i, b = v - (float)j;
    return (1 - b) * ((1 - a) * m[0] + a * m[1]) + b * ((1 - a) * m[NEARNESS] + a * m[NEARNESS + 1]);
}

// ---- surfaces ----------------------------------------------------------------------------------------------------

typedef struct
{
    canvas *k;
    const corner *c; // depth: 1 / distance along the view
    vec p[3], n[3], colour[3];
} surface_job;

static vec surface_colour(const canvas *k, vec p, vec n, vec albedo)
{
    vec to_eye = unit(sub(k->eye, p));
    vec fill = unit((vec){0.75f, 0.35f, -0.35f}), half = unit(add(to_eye, k->light));
    float key = fmaxf(0, dot(n, k->light));
    key = key > 0 ? key * lit(k, p, n) : 0;
    float wrapped = clamp01(0.5f + 0.5f * dot(n, fill));
    vec light = add(mul(0.72f * key, key_colour), mul(wrapped * wrapped, fill_colour));
    light = add(light, mix(bounce_colour, sky_colour, 0.5f + 0.5f * n.y));
    vec colour = times(albedo, mul(0.58f, light));
    float rim = powf(1 - clamp01(dot(n, to_eye)), 4);
    float gloss = key * 0.35f * powf(fmaxf(0, dot(n, half)), 48);
    return add(colour, add(mul(gloss, key_colour), mul(0.18f * rim, sky_colour)));
}

static void draw_sample(void *user, int32_t x, int32_t y, const float w[3])
{
    surface_job *job = user;
    canvas *k = job->k;
    float inverse = w[0] * job->c[0].depth + w[1] * job->c[1].depth + w[2] * job->c[2].depth;
    size_t at = (size_t)y * (size_t)k->width + (size_t)x;
    float depth = 1 / inverse;
    if (!(depth < 0.99999f * k->depth[at])) // of sheets in one place the first one stays
        return;
    k->depth[at] = depth;
    // weights in space instead of in the picture
    vec p = {0, 0, 0}, n = p, colour = p;
    for (int i = 0; i < 3; ++i)
    {
        float share = w[i] * job->c[i].depth * depth;
        p = add(p, mul(share, job->p[i]));
        n = add(n, mul(share, job->n[i]));
        colour = add(colour, mul(share, job->colour[i]));
    }
    k->colour[at] = surface_colour(k, p, unit(n), colour);
}

// Smooth normals, but not across creases, and towards the eye also from inside.
static void settle_normals(const canvas *k, surface_job *job)
{
    vec face = unit(cross(sub(job->p[1], job->p[0]), sub(job->p[2], job->p[0])));
    float side = dot(face, sub(k->eye, job->p[0])) < 0 ? -1.0f : 1.0f;
    for (int i = 0; i < 3; ++i)
        job->n[i] = mul(side, dot(face, job->n[i]) < 0.78f ? face : job->n[i]);
}

static void draw_triangle(canvas *k, const picture_surface *s, const int32_t *t)
{
    corner c[3];
    surface_job job = {.k = k, .c = c};
    for (int i = 0; i < 3; ++i)
    {
        job.p[i] = make(&s->vertices[3 * t[i]]);
        job.n[i] = make(&s->normals[3 * t[i]]);
        job.colour[i] = make(&s->colours[3 * t[i]]);
        vec d = sub(job.p[i], k->eye);
        float distance = dot(d, k->forward);
        if (!(distance > 1e-3f)) // behind the camera
            return;
        c[i] = (corner){0.5f * (float)k->width + k->zoom * dot(d, k->right) / distance,
                        0.5f * (float)k->height - k->zoom * dot(d, k->up) / distance, 1 / distance};
    }
    settle_normals(k, &job);
    scan(c, k->width, k->height, draw_sample, &job);
}

// ---- floor and background ----------------------------------------------------------------------------------------

static float line_near(float x, float grid, float half_width)
{
    float off = fabsf(x / grid - roundf(x / grid)) * grid;
    return 1 - smooth(off / half_width - 0.5f);
}

static vec floor_sample(const canvas *k, vec p, float distance, vec background)
{
    float grid = (float)k->view->grid;
    vec albedo = floor_colour;
    if (grid > 0)
    {
        float half = 0.012f * grid + 0.7f * distance / k->zoom, line = fmaxf(line_near(p.x, grid, half), line_near(p.z, grid, half));
        albedo = mul(1 - 0.13f * line, albedo);
    }
    float shadow = lit(k, p, (vec){0, 1, 0}), dark = covered(k, p.x, p.z);
    vec light = add(mul(0.36f * k->light.y * shadow, key_colour), mul(1 - 0.55f * dark, (vec){0.48f, 0.51f, 0.57f}));
    float fog = smooth((distance / (k->extent + distance) - 0.62f) / 0.33f);
    return mix(times(albedo, light), background, fog);
}

static void draw_behind(canvas *k, int32_t x, int32_t y)
{
    size_t at = (size_t)y * (size_t)k->width + (size_t)x;
    if (k->depth[at] < INFINITY)
        return;
    float u = ((float)x + 0.5f - 0.5f * (float)k->width) / k->zoom, v = (0.5f * (float)k->height - (float)y - 0.5f) / k->zoom;
    vec d = add(k->forward, add(mul(u, k->right), mul(v, k->up)));
    vec background = mix(horizon_colour, (vec){0.62f, 0.71f, 0.84f}, smooth(unit(d).y * 1.6f));
    k->colour[at] = background;
    float drop = (float)k->view->floor_height - k->eye.y;
    if (k->view->floor && d.y * drop > 0)
    {
        float distance = drop / d.y;
        k->colour[at] = floor_sample(k, add(k->eye, mul(distance, d)), distance, background);
    }
}

// ---- the picture -------------------------------------------------------------------------------------------------

static uint8_t to_byte(float linear)
{
    float t = linear / (1 + 0.18f * linear); // shoulder: highlights do not burn out
    t = powf(clamp01(t), 1 / 2.2f);
    return (uint8_t)(255 * t + 0.5f);
}

static void average(const canvas *k, picture *p)
{
    for (int32_t y = 0; y < p->height; ++y)
        for (int32_t x = 0; x < p->width; ++x)
        {
            vec sum = {0, 0, 0};
            for (int32_t j = 0; j < SAMPLES; ++j)
                for (int32_t i = 0; i < SAMPLES; ++i)
                    sum = add(sum, k->colour[(size_t)(SAMPLES * y + j) * (size_t)k->width + (size_t)(SAMPLES * x + i)]);
            sum = mul(1.0f / (SAMPLES * SAMPLES), sum);
            uint8_t *out = &p->rgb[3 * ((size_t)y * (size_t)p->width + (size_t)x)];
            out[0] = to_byte(sum.x), out[1] = to_byte(sum.y), out[2] = to_byte(sum.z);
        }
}

static void place_camera(canvas *k)
{
    const double *from = k->view->from, *at = k->view->at;
    k->eye = (vec){(float)from[0], (float)from[1], (float)from[2]};
    k->forward = unit((vec){(float)(at[0] - from[0]), (float)(at[1] - from[1]), (float)(at[2] - from[2])});
    k->right = unit(cross(k->forward, (vec){0, 1, 0}));
    k->up = cross(k->right, k->forward);
    k->zoom = 0.5f * (float)k->height / tanf((float)(k->view->angle * 3.14159265 / 360));
}

bool picture_render(picture *p, const picture_view *view, const picture_surface *surfaces, int32_t surface_count)
{
    canvas k = {.width = SAMPLES * p->width, .height = SAMPLES * p->height, .view = view};
    size_t count = (size_t)k.width * (size_t)k.height;
    k.depth = malloc(count * sizeof *k.depth);
    k.colour = malloc(count * sizeof *k.colour);
    k.shadow = malloc((size_t)SHADOW * SHADOW * sizeof *k.shadow);
    k.nearness = malloc((size_t)NEARNESS * NEARNESS * sizeof *k.nearness);
    bool fine = k.depth && k.colour && k.shadow && k.nearness;
    if (fine)
    {
        for (size_t i = 0; i < count; ++i)
            k.depth[i] = INFINITY;
        place_camera(&k);
        prepare_light(&k, surfaces, surface_count);
        each_triangle(surfaces, surface_count, draw_triangle, &k);
        for (int32_t y = 0; y < k.height; ++y)
            for (int32_t x = 0; x < k.width; ++x)
                draw_behind(&k, x, y);
        average(&k, p);
    }
    free(k.depth);
    free(k.colour);
    free(k.shadow);
    free(k.nearness);
    return fine;
}

picture picture_create(int32_t width, int32_t height)
{
    return (picture){width, height, calloc((size_t)width * (size_t)height, 3)};
}

void picture_destroy(picture *p)
{
    free(p->rgb);
    *p = (picture){0};
}

picture picture_sheet(const picture *pictures, int32_t count, int32_t columns, int32_t margin)
{
    int32_t rows = (count + columns - 1) / columns, width = pictures[0].width, height = pictures[0].height;
    picture sheet = picture_create(columns * (width + margin) + margin, rows * (height + margin) + margin);
    if (!sheet.rgb)
        return sheet;
    memset(sheet.rgb, 255, (size_t)sheet.width * (size_t)sheet.height * 3);
    for (int32_t i = 0; i < count; ++i)
        for (int32_t y = 0; y < height; ++y)
        {
            size_t row = (size_t)(margin + (i / columns) * (height + margin) + y);
            size_t column = (size_t)(margin + (i % columns) * (width + margin));
            memcpy(&sheet.rgb[3 * (row * (size_t)sheet.width + column)], &pictures[i].rgb[3 * (size_t)y * (size_t)width], 3 * (size_t)width);
        }
    return sheet;
}

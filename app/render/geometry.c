// app/render/geometry.c -- meshes given to Embree.
//
// The device has one thread: then the tree, and with it which of two triangles at the same distance is hit, is the same
// on every machine with the same instructions, however many threads shoot rays through it. Building takes about 0.1 s
// for 100 000 triangles. Embree's own memory does not come from the context.
#include "geometry.h"

#include "base/random.h"
#include "base/service.h"

#include <signal.h>
#include <unistd.h>
#include <string.h>

// ---- checks ------------------------------------------------------------------------------------------------------

static pl_status check_indices(pl_context *ctx, const render_mesh *m, int32_t number)
{
    for (size_t i = 0; i < 3 * (size_t)m->triangle_count; ++i)
        PL_CHECK(ctx, m->triangles[i] >= 0 && m->triangles[i] < m->vertex_count,
                 "mesh %d: triangle %d has vertex %d, but there are %d vertices", number, (int)(i / 3), m->triangles[i],
                 m->vertex_count);
    return PL_OK;
}

static pl_status check_mesh(pl_context *ctx, const render_mesh *m, int32_t number)
{
    PL_CHECK(ctx, m->vertex_count >= 0 && m->vertex_count <= INT32_MAX / 12,
             "mesh %d: vertex_count %d is not in [0, %d]", number, m->vertex_count, INT32_MAX / 12);
    PL_CHECK(ctx, m->triangle_count >= 0 && m->triangle_count <= INT32_MAX / 12,
             "mesh %d: triangle_count %d is not in [0, %d]", number, m->triangle_count, INT32_MAX / 12);
    for (int k = 0; k < 3; ++k)
    {
        PL_CHECK(ctx, m->color[k] >= 0 && m->color[k] <= 1, "mesh %d: color %g is not in [0, 1]", number, m->color[k]);
        PL_CHECK(ctx, m->absorption[k] >= 0 && m->absorption[k] < 1e9f, "mesh %d: absorption %g is not in [0, 1e9)",
                 number, m->absorption[k]);
    }
    PL_CHECK(ctx, m->vertices || m->vertex_count == 0, "mesh %d: vertices is NULL", number);
    PL_CHECK(ctx, m->triangles || m->triangle_count == 0, "mesh %d: triangles is NULL", number);
    return check_indices(ctx, m, number);
}

static pl_status check_points(pl_context *ctx, const render_points *p, int32_t number)
{
    PL_CHECK(ctx, p->count >= 0 && p->count <= INT32_MAX / 16, "points %d: count %d is not in [0, %d]", number,
             p->count, INT32_MAX / 16);
    PL_CHECK(ctx, (p->positions && p->radii) || p->count == 0, "points %d: positions or radii is NULL", number);
    for (int k = 0; k < 3; ++k)
        PL_CHECK(ctx, p->color[k] >= 0 && p->color[k] <= 1, "points %d: color %g is not in [0, 1]", number,
                 p->color[k]);
    PL_CHECK(ctx, p->opacity >= 0 && p->opacity <= 1, "points %d: opacity %g is not in [0, 1]", number, p->opacity);
    return PL_OK;
}

// ---- shapes ------------------------------------------------------------------------------------------------------

// Beyond 1e15 even differences of coordinates could overflow when squared.
static bool is_sound(const float *p) { return fabsf(p[0]) < 1e15f && fabsf(p[1]) < 1e15f && fabsf(p[2]) < 1e15f; }

static bool keeps(const render_mesh *m, int32_t triangle)
{
    const int32_t *v = m->triangles + 3 * (size_t)triangle;
    return is_sound(m->vertices + 3 * (size_t)v[0]) && is_sound(m->vertices + 3 * (size_t)v[1]) &&
           is_sound(m->vertices + 3 * (size_t)v[2]);
}

// A usual edge and a half, as the surface of a liquid ends somewhere in the last cell before a solid; for boxes of few
// triangles a little of their size.
static float touching_distance(const shape *s)
{
    v3 lower = {INFINITY, INFINITY, INFINITY}, upper = {-INFINITY, -INFINITY, -INFINITY};
    double sum = 0;
    for (int32_t i = 0; i < s->kept_count; ++i)
    {
        v3 p[3];
        for (int k = 0; k < 3; ++k)
        {
            p[k] = shape_vertex(s, s->kept[i], k);
            lower = (v3){lesser(lower.x, p[k].x), lesser(lower.y, p[k].y), lesser(lower.z, p[k].z)};
            upper = (v3){greater(upper.x, p[k].x), greater(upper.y, p[k].y), greater(upper.z, p[k].z)};
        }
        sum += v3_length(v3_cross(v3_sub(p[1], p[0]), v3_sub(p[2], p[0])));
    }
    float edge = s->kept_count > 0 ? sqrtf((float)(sum / s->kept_count)) : 0;
    return lesser(1.5f * edge, 0.01f * v3_length(v3_sub(upper, lower)));
}

static pl_status make_shape(pl_context *ctx, const render_mesh *m, shape *s)
{
    s->mesh = m;
    s->kept = PL_NEW(ctx, m->triangle_count, int32_t);
    if (!s->kept)
        return PL_ERR_MEMORY;
    for (int32_t i = 0; i < m->triangle_count; ++i)
        if (keeps(m, i))
            s->kept[s->kept_count++] = i;
    s->touch = m->matter == RENDER_WATER ? touching_distance(s) : 0;
    return s->kept_count > 0 ? shape_make_normals(ctx, s) : PL_OK;
}

static pl_status make_shapes(pl_context *ctx, const render_scene *scene, geometry *g)
{
    g->shapes = PL_NEW(ctx, scene->mesh_count, shape);
    if (!g->shapes)
        return PL_ERR_MEMORY;
    g->shape_count = scene->mesh_count;
    for (int32_t i = 0; i < scene->points_count; ++i)
        PL_TRY(check_points(ctx, &scene->points[i], i));
    for (int32_t i = 0; i < scene->mesh_count; ++i)
    {
        PL_TRY(check_mesh(ctx, &scene->meshes[i], i));
        PL_TRY(make_shape(ctx, &scene->meshes[i], &g->shapes[i]));
    }
    return PL_OK;
}

// ---- Embree ------------------------------------------------------------------------------------------------------

static pl_status embree_fail(pl_context *ctx, enum RTCError error)
{
    if (error == RTC_ERROR_OUT_OF_MEMORY)
        return pl__fail(ctx, PL_ERR_MEMORY, "picture: Embree is out of memory");
    return pl__fail(ctx, PL_ERR_STATE, "picture: Embree fails with error %d", (int)error);
}

// Vertices that no kept triangle uses may be anything; Embree gets zeros for them.
static void fill_vertices(const shape *s, float *to)
{
    for (size_t i = 0; i < (size_t)s->mesh->vertex_count; ++i)
    {
        const float *p = s->mesh->vertices + 3 * i;
        if (is_sound(p))
            memcpy(to + 3 * i, p, 3 * sizeof *p);
        else
            memset(to + 3 * i, 0, 3 * sizeof *p);
    }
}

static RTCScene *scene_of(geometry *g, render_matter matter)
{
    return matter == RENDER_WATER ? &g->water : matter == RENDER_GLASS ? &g->glass : &g->scene;
}

static pl_status attach(pl_context *ctx, geometry *g, int32_t number)
{
    const shape *s = &g->shapes[number];
    RTCGeometry mesh = rtcNewGeometry(g->device, RTC_GEOMETRY_TYPE_TRIANGLE);
    float *vertices = rtcSetNewGeometryBuffer(mesh, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 3 * sizeof(float),
                                              (size_t)s->mesh->vertex_count);
    int32_t *triangles = rtcSetNewGeometryBuffer(mesh, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 3 * sizeof(int32_t),
                                                 (size_t)s->kept_count);
    if (vertices && triangles)
    {
        fill_vertices(s, vertices);
        for (int32_t i = 0; i < s->kept_count; ++i)
            memcpy(triangles + 3 * (size_t)i, s->mesh->triangles + 3 * (size_t)s->kept[i], 3 * sizeof(int32_t));
        rtcCommitGeometry(mesh);
        rtcAttachGeometryByID(*scene_of(g, s->mesh->matter), mesh, (unsigned)number);
    }
    rtcReleaseGeometry(mesh);
    enum RTCError error = rtcGetDeviceError(g->device);
    return error == RTC_ERROR_NONE ? PL_OK : embree_fail(ctx, error);
}

// A ray passes a point with a chance that belongs to both of them.
static void let_through(const struct RTCFilterFunctionNArguments *a)
{
    const render_points *points = a->geometryUserPtr;
    for (unsigned i = 0; i < a->N; ++i)
        if (a->valid[i])
        {
            // arrays of N numbers each, as rtcore_ray.h has it for C++: rays have their id in the 11th, hits theirs in
            // the 6th
            uint32_t ray = ((const uint32_t *)(const void *)a->ray)[10 * a->N + i];
            uint32_t point = ((const uint32_t *)(const void *)a->hit)[5 * a->N + i];
            uint64_t chance = pl__random64(ray, 0, point);
            a->valid[i] = (float)(chance >> 40) * 0x1p-24f < points->opacity ? -1 : 0;
        }
}

static pl_status attach_points(pl_context *ctx, geometry *g, const render_points *points, int32_t number)
{
    RTCGeometry balls = rtcNewGeometry(g->device, RTC_GEOMETRY_TYPE_SPHERE_POINT);
    float *to = rtcSetNewGeometryBuffer(balls, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT4, 4 * sizeof(float),
                                        (size_t)points->count);
    for (size_t i = 0; to && i < (size_t)points->count; ++i)
    {
        bool sound = is_sound(points->positions + 3 * i) && points->radii[i] > 0 && points->radii[i] < 1e15f;
        memset(to + 4 * i, 0, 4 * sizeof *to);
        if (sound)
            memcpy(to + 4 * i, points->positions + 3 * i, 3 * sizeof *to);
        to[4 * i + 3] = sound ? points->radii[i] : 0;
    }
    rtcSetGeometryUserData(balls, (void *)(uintptr_t)points);
    if (points->opacity < 1)
        rtcSetGeometryIntersectFilterFunction(balls, let_through);
    rtcCommitGeometry(balls);
    rtcAttachGeometryByID(g->points, balls, (unsigned)number);
    rtcReleaseGeometry(balls);
    enum RTCError error = rtcGetDeviceError(g->device);
    return error == RTC_ERROR_NONE ? PL_OK : embree_fail(ctx, error);
}

// Embree, and the tasks that it runs, may end the program where memory is short: then at least with a sentence.
static void say_why(int number)
{
    static const char sentence[] = "picture: Embree gave up for want of memory; draw it smaller (look.size), or with "
                                   "fewer bodies and coarser objects\n";
    (void)number;
    (void)!write(STDERR_FILENO, sentence, sizeof sentence - 1);
    _exit(1);
}

static RTCScene new_scene(const geometry *g)
{
    RTCScene scene = rtcNewScene(g->device);
    rtcSetSceneFlags(scene, RTC_SCENE_FLAG_ROBUST);
    rtcSetSceneBuildQuality(scene, RTC_BUILD_QUALITY_MEDIUM);
    return scene;
}

static pl_status build(pl_context *ctx, const render_scene *scene, geometry *g)
{
    g->device = rtcNewDevice("threads=1,set_affinity=0");
    if (!g->device)
        return embree_fail(ctx, rtcGetDeviceError(NULL));
    g->scene = new_scene(g);
    for (int32_t i = 0; i < g->shape_count; ++i)
    {
        RTCScene *to = scene_of(g, g->shapes[i].mesh->matter);
        if (g->shapes[i].kept_count == 0)
            continue;
        if (!*to)
            *to = new_scene(g);
        PL_TRY(attach(ctx, g, i));
    }
    for (int32_t i = 0; i < scene->points_count; ++i)
    {
        bool balls = scene->points[i].count > 0 && !(scene->points[i].foam && g->water); // else patches (froth.c)
        if (balls && !g->points)
            g->points = new_scene(g);
        if (balls)
            PL_TRY(attach_points(ctx, g, &scene->points[i], g->shape_count + i));
    }
    rtcCommitScene(g->scene);
    if (g->water)
        rtcCommitScene(g->water);
    if (g->glass)
        rtcCommitScene(g->glass);
    if (g->points)
        rtcCommitScene(g->points);
    enum RTCError error = rtcGetDeviceError(g->device);
    return error == RTC_ERROR_NONE ? PL_OK : embree_fail(ctx, error);
}

pl_status geometry_create(pl_context *ctx, const render_scene *scene, geometry *g)
{
    *g = (geometry){.on_abort = signal(SIGABRT, say_why)};
    pl_status status = make_shapes(ctx, scene, g);
    if (status == PL_OK)
        status = build(ctx, scene, g);
    if (status != PL_OK)
        geometry_destroy(ctx, g);
    return status;
}

void geometry_destroy(pl_context *ctx, geometry *g)
{
    if (g->points)
        rtcReleaseScene(g->points);
    if (g->glass)
        rtcReleaseScene(g->glass);
    if (g->water)
        rtcReleaseScene(g->water);
    if (g->scene)
        rtcReleaseScene(g->scene);
    if (g->device)
        rtcReleaseDevice(g->device);
    for (int32_t i = 0; i < g->shape_count; ++i)
    {
        shape *s = &g->shapes[i];
        if (s->normals)
            PL_DELETE(ctx, s->normals, 9 * (size_t)s->kept_count);
        if (s->kept)
            PL_DELETE(ctx, s->kept, s->mesh->triangle_count);
    }
    if (g->shapes)
        PL_DELETE(ctx, g->shapes, g->shape_count);
    (void)signal(SIGABRT, g->on_abort == SIG_ERR || !g->on_abort ? SIG_DFL : g->on_abort);
    *g = (geometry){0};
}

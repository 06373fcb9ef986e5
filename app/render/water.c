// app/render/water.c -- Fresnel's, Snell's and Beer's laws, at the surface of water and in it.
//
// A ray that meets the surface at the cosine c is mirrored with the share F and refracted with 1 - F. With the ratio r
// of the indices behind and before it and the cosine c' behind it,
//
//     c'^2 = 1 - (1 - c^2) / r^2,    2 F = ((c - r c') / (c + r c'))^2 + ((r c - c') / (r c + c'))^2,
//
// F = 1 where c'^2 < 0, total reflection. In water light fades by exp(-a d). What is lost there is replaced by light
// that the water scatters, as bottomless water under the same sky has its colour.
//
// Meshes of water may overlap, as lumps of spray do with the surface: a ray counts how many it is in, and only where
// that is none on one side is there a surface. A ray that starts in water does not know that it does: then the first
// triangle faces away. Where a solid follows behind the surface within the size of a triangle there is no air between.
//
// Beads of water are balls: the ray is refracted at its entry and, by the same angle, at its exit.
//
// Several waters lie in each other as closed surfaces, a little apart: between two of them nothing bends, and the way
// in each fades by its own a.
//
// What it does badly: rays to the light go straight; caustics.c knows where light is focused.
#include "froth.h"
#include "water.h"

#include "base/random.h"

static const float least_share = 0.03f; // of a ray that is worth following

enum
{
    SURFACES = 10 // that a ray from the eye may meet
};

float water_fresnel(float cosine, float ratio, float *through)
{
    float square = 1 - (1 - cosine * cosine) / (ratio * ratio);
    *through = sqrtf(greater(square, 0));
    if (square <= 0)
        return 1;
    float across = (cosine - ratio * *through) / (cosine + ratio * *through);
    float along = (ratio * cosine - *through) / (ratio * cosine + *through);
    return 0.5f * (across * across + along * along);
}

// ---- surfaces ----------------------------------------------------------------------------------------------------

typedef struct interface
{
    v3 point, facet, normal; // both against the ray
    float distance;
    bool out;   // the ray comes from the water
    bool inner; // into another one, or from it: nothing bends
    const shape *s;
} interface;

bool water_is_inner(const shape *s, uint32_t primitive)
{
    const int32_t *corner = s->mesh->triangles + 3 * (size_t)s->kept[primitive];
    return s->mesh->inner && s->mesh->inner[corner[0]] && s->mesh->inner[corner[1]] && s->mesh->inner[corner[2]];
}

static interface interface_of(const tracer *t, const packet *w, int i)
{
    const struct RTCHit16 *h = &w->rays.hit;
    interface face = {.s = &t->geometry.shapes[h->geomID[i]], .distance = w->rays.ray.tfar[i]};
    float weight[3] = {1 - h->u[i] - h->v[i], h->u[i], h->v[i]};
    v3 p[3], toward = packet_direction(w, i);
    for (int k = 0; k < 3; ++k)
    {
        p[k] = shape_vertex(face.s, face.s->kept[h->primID[i]], k);
        face.point = v3_axpy(weight[k], p[k], face.point);
        face.normal = v3_axpy(weight[k], v3_load(face.s->normals + 9 * (size_t)h->primID[i] + 3 * k), face.normal);
    }
    face.facet = v3_unit(v3_cross(v3_sub(p[1], p[0]), v3_sub(p[2], p[0])));
    face.out = v3_dot(face.facet, toward) > 0;
    face.inner = water_is_inner(face.s, h->primID[i]);
    float side = face.out ? -1 : 1;
    face.facet = v3_scale(side, face.facet);
    face.normal = v3_scale(side, v3_unit(face.normal));
    if (!(v3_dot(face.normal, toward) < -0.01f))
        face.normal = face.facet;
    return face;
}

// A direction on the side of a facet that `side` says; the smooth normal may have turned it to the other one.
static v3 on_side(v3 direction, v3 facet, float side)
{
    float out = v3_dot(direction, facet);
    return side * out > 0 ? direction : v3_unit(v3_axpy(-2 * out, facet, direction));
}

static v3 fading(const shape *s, float distance)
{
    const float *a = s->mesh->absorption;
    return (v3){expf(-a[0] * distance), expf(-a[1] * distance), expf(-a[2] * distance)};
}

// ---- rays from the eye -------------------------------------------------------------------------------------------

static void pass_water(const tracer *t, water_path *path, int i, const shape *s, float distance)
{
    v3 left = fading(s, distance), lost = v3_sub((v3){1, 1, 1}, left), color = v3_load(s->mesh->color);
    v3 fallen = v3_axpy(greater(v3_dot(t->to_light, t->zenith), 0), t->key, (v3){t->sky, t->sky, t->sky});
    if (v3_dot(path->facing[i], path->facing[i]) > 0) // what fades within a triangle is lit as its surface is
    {
        float opaque = 1 - expf(-s->mesh->absorption[1] * s->touch);
        float sky = t->sky * (0.5f + 0.5f * v3_dot(path->facing[i], t->zenith));
        v3 lit = v3_axpy(greater(v3_dot(t->to_light, path->facing[i]), 0), t->key, (v3){sky, sky, sky});
        fallen = v3_axpy(opaque, lit, v3_scale(1 - opaque, fallen));
    }
    path->scattered[i] = v3_add(path->scattered[i], v3_mul(path->share[i], v3_mul(lost, v3_mul(color, fallen))));
    path->share[i] = v3_mul(path->share[i], left);
}

// Foam covers part of the surface: it is white, and lit as by an open sky.
static void meet_froth(const tracer *t, const interface *face, int i, water_path *path)
{
    float cover = froth_at(t, face->point), lit = greater(v3_dot(face->normal, t->to_light), 0);
    v3 light = v3_scale(0.9f * cover, v3_axpy(lit, t->key, sky_light(t, face->normal)));
    path->scattered[i] = v3_add(path->scattered[i], v3_mul(path->share[i], light));
    path->share[i] = v3_scale(1 - cover, path->share[i]);
}

// A ray meets the surface: split it; or, on its way into water, let the mirrored part find the sky; or choose. `next`
// takes the way on; false: it is the mirrored one.
static bool meet(const tracer *t, const interface *face, const packet *p, int i, float chance, water_path *path,
                 water_mirror *mirror, packet *next)
{
    v3 toward = packet_direction(p, i);
    float ratio = face->out ? 1 / water_index : water_index, cosine = lesser(-v3_dot(face->normal, toward), 1), through;
    float share = water_fresnel(cosine, ratio, &through);
    v3 back = on_side(v3_axpy(2 * cosine, face->normal, toward), face->facet, 1);
    v3 on = v3_axpy(cosine / ratio - through, face->normal, v3_scale(1 / ratio, toward));
    on = on_side(v3_unit(on), face->facet, -1);
    v3 before = lifted(face->point, face->facet, face->distance),
       behind = lifted(face->point, v3_scale(-1, face->facet), face->distance);
    bool mirrored = share >= 1 || (!mirror && face->out && chance < share);
    if (mirror && share < 1)
    {
        mirror->any = true;
        mirror->share[i] = v3_scale(share, path->share[i]);
        packet_aim(&mirror->rays, i, before, back);
        mirror->rays.rays.ray.id[i] = p->rays.ray.id[i];
    }
    else if (!face->out && share < 1)
        path->scattered[i] = v3_axpy(share, v3_mul(path->share[i], surroundings(t, back, false)), path->scattered[i]);
    if ((mirror || !face->out) && share < 1)
        path->share[i] = v3_scale(1 - share, path->share[i]);
    packet_aim(next, i, mirrored ? before : behind, mirrored ? back : on);
    next->rays.ray.id[i] = p->rays.ray.id[i];
    return !mirrored;
}

// On without a bend, through what is not a surface, at a distance.
static void go_on(const packet *p, int i, v3 facet, float distance, packet *next)
{
    v3 toward = packet_direction(p, i), point = v3_axpy(distance, toward, packet_origin(p, i));
    packet_aim(next, i, lifted(point, v3_scale(-1, facet), distance), toward);
    next->rays.ray.id[i] = p->rays.ray.id[i];
}

// ---- beads ---------------------------------------------------------------------------------------------------------

static const render_points *bead_of(const tracer *t, const packet *p, int i)
{
    uint32_t id = p->rays.hit.geomID[i], first = (uint32_t)t->geometry.shape_count;
    const render_points *points = packet_met_mesh(p, i) && id >= first ? &t->scene->points[id - first] : NULL;
    return points && points->clear ? points : NULL;
}

// A ray meets a bead: mirrored light of the sky, and the way on behind it.
static void meet_bead(const tracer *t, const render_points *points, const packet *p, int i, water_path *path,
                      packet *next)
{
    const struct RTCHit16 *h = &p->rays.hit;
    float distance = p->rays.ray.tfar[i], radius = points->radii[h->primID[i]], through;
    v3 toward = packet_direction(p, i), outward = v3_unit((v3){h->Ng_x[i], h->Ng_y[i], h->Ng_z[i]});
    float cosine = clamp01(-v3_dot(outward, toward)), share = water_fresnel(cosine, water_index, &through);
    v3 back = v3_axpy(2 * cosine, outward, toward);
    path->scattered[i] = v3_axpy(share, v3_mul(path->share[i], surroundings(t, back, true)), path->scattered[i]);
    path->share[i] = v3_scale((1 - share) * (1 - share), path->share[i]);
    v3 within = v3_axpy(cosine / water_index - through, outward, v3_scale(1 / water_index, toward));
    v3 exit = v3_unit(v3_axpy(2 * through, within, outward)),
       center = v3_axpy(-radius, outward, v3_axpy(distance, toward, packet_origin(p, i)));
    v3 on = v3_unit(v3_axpy(cosine - water_index * through, exit, v3_scale(water_index, within)));
    packet_aim(next, i, lifted(v3_axpy(radius, exit, center), exit, distance), on);
    next->rays.ray.id[i] = p->rays.ray.id[i];
}

// ---- the way ---------------------------------------------------------------------------------------------------

// Even over the samples of a pixel, whose ids are consecutive: sixteenths in the order of reversed bits, shaken.
static float chance_of(uint64_t seed, int bounce, uint32_t id)
{
    uint64_t shake = pl__random64(seed, (uint64_t)bounce, 0);
    uint32_t i = (id ^ (uint32_t)shake) & 15, reversed = (i & 1) << 3 | (i & 2) << 1 | (i & 4) >> 1 | i >> 3;
    return ((float)reversed + (float)(shake >> 40) * 0x1p-24f) / 16;
}

// One surface, or bead, of a ray; false: it ends.
static bool follow_ray(const tracer *t, const uint64_t seed[PACKET], int bounce, const packet *p, const packet *w,
                       int i, water_path *path, water_mirror *mirror, packet *next)
{
    bool met = packet_met_mesh(w, i), inside = path->depth[i] > 0;
    float end = packet_distance(p, i), distance = met ? w->rays.ray.tfar[i] : INFINITY;
    const render_points *bead = end < distance ? bead_of(t, p, i) : NULL;
    interface face = {.distance = distance};
    if (met)
        face = interface_of(t, w, i);
    if (met && (face.out || inside))
    {
        pass_water(t, path, i, face.s, lesser(distance, end));
        path->wet[i] = true;
    }
    if (bead)
    {
        path->wet[i] = true;
        if (inside || (met && face.out))
            go_on(p, i, (v3){0, 0, 0}, end + 2.01f * bead->radii[p->rays.hit.primID[i]], next);
        else
            meet_bead(t, bead, p, i, path, next);
        return true;
    }
    bool surfaces = !face.inner && (face.out ? path->depth[i] <= 1 : !inside);
    if (!met || v3_largest(path->share[i]) < least_share ||
        end <= distance + (face.out && surfaces ? face.s->touch : 0))
        return false;
    path->wet[i] = true;
    bool crosses = true;
    if (surfaces && !face.out && t->froth.count > 0)
        meet_froth(t, &face, i, path);
    if (surfaces)
        crosses = meet(t, &face, p, i, chance_of(seed[i], bounce, p->rays.ray.id[i]), path, mirror, next);
    else
        go_on(p, i, face.facet, distance, next);
    if (surfaces || face.inner)
        path->facing[i] = face.inner ? face.normal : (v3){0, 0, 0};
    if (crosses)
        path->depth[i] = face.out ? (inside ? path->depth[i] - 1 : 0) : path->depth[i] + 1;
    else if (face.out && !inside)
        path->depth[i] = 1;
    return true;
}

// One surface for each ray that goes on; false: none does.
static bool follow_once(const tracer *t, const uint64_t seed[PACKET], int bounce, packet *p, bool going[PACKET],
                        water_path *path, water_mirror *mirror)
{
    packet w, next;
    bool any = false;
    packet_clear(&w);
    packet_clear(&next);
    for (int i = 0; i < PACKET; ++i)
        if (going[i])
            packet_aim(&w, i, packet_origin(p, i), packet_direction(p, i));
    if (t->geometry.water)
        packet_find_water(t, &w, bounce > 0 ? RAYS_ASTRAY : RAYS_OF_THE_EYE);
    for (int i = 0; i < PACKET; ++i)
    {
        going[i] = going[i] && follow_ray(t, seed, bounce, p, &w, i, path, mirror, &next);
        any = any || going[i];
    }
    if (!any)
        return false;
    packet_find_hits(t, &next, RAYS_ASTRAY);
    for (int i = 0; i < PACKET; ++i)
        if (going[i])
            packet_copy(p, &next, i);
    return true;
}

void water_begin(water_path *path)
{
    for (int i = 0; i < PACKET; ++i)
    {
        path->wet[i] = false;
        path->depth[i] = 0;
        path->share[i] = (v3){1, 1, 1};
        path->scattered[i] = path->facing[i] = (v3){0, 0, 0};
    }
}

void water_follow(const tracer *t, const uint64_t seed[PACKET], packet *p, water_path *path, water_mirror *mirror)
{
    bool going[PACKET];
    for (int i = 0; i < PACKET; ++i)
        going[i] = p->valid[i];
    if (mirror)
    {
        mirror->any = false;
        packet_clear(&mirror->rays);
    }
    for (int n = 0; (t->geometry.water || t->geometry.points) && n < SURFACES; ++n)
        if (!follow_once(t, seed, n, p, going, path, n == 0 ? mirror : NULL))
            return;
}

// ---- rays to the light -------------------------------------------------------------------------------------------

// One surface for each ray; false: none goes on. `gone` is how far they have come.
static bool dim_once(const tracer *t, const packet *p, float gone[PACKET], bool going[PACKET], v3 light[PACKET])
{
    packet w;
    bool any = false;
    packet_clear(&w);
    for (int i = 0; i < PACKET; ++i)
        if (going[i])
        {
            v3 toward = packet_direction(p, i);
            packet_aim(&w, i, v3_axpy(gone[i], toward, packet_origin(p, i)), toward);
        }
    packet_find_water(t, &w, RAYS_OF_LIGHT);
    for (int i = 0; i < PACKET; ++i)
    {
        bool met = going[i] && packet_met_mesh(&w, i);
        going[i] = false;
        if (!met)
            continue;
        const shape *s = &t->geometry.shapes[w.rays.hit.geomID[i]];
        v3 facet = v3_unit((v3){w.rays.hit.Ng_x[i], w.rays.hit.Ng_y[i], w.rays.hit.Ng_z[i]}),
           start = packet_origin(&w, i);
        float cosine = v3_dot(facet, packet_direction(p, i)), far = w.rays.ray.tfar[i], through;
        float end = packet_distance(p, i) - gone[i];
        if (cosine > 0)
            light[i] = v3_mul(light[i], fading(s, lesser(far, end)));
        // as from outside: total reflection on a straight way would only mean that the way is not straight
        if (far < end && !water_is_inner(s, w.rays.hit.primID[i]) && (cosine > 0 || gone[i] + far > s->touch))
            light[i] = v3_scale(1 - water_fresnel(lesser(fabsf(cosine), 1), water_index, &through), light[i]);
        gone[i] += far + v3_length(v3_sub(lifted(start, facet, far), start));
        going[i] = far < end;
        any = any || going[i];
    }
    return any;
}

void water_dim(const tracer *t, const packet *p, int surfaces, v3 light[PACKET], bool wet[PACKET])
{
    float gone[PACKET] = {0};
    bool going[PACKET];
    for (int i = 0; i < PACKET; ++i)
        going[i] = p->valid[i];
    for (int n = 0; t->geometry.water && n < surfaces; ++n)
        if (!dim_once(t, p, gone, going, light))
            break;
    for (int i = 0; i < PACKET; ++i)
        wet[i] = gone[i] > 0;
}

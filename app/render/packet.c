// app/render/packet.c -- rays through the scenes of Embree, and planes beside them.
#include "packet.h"

#include <string.h>

void packet_aim(packet *p, int i, v3 origin, v3 direction)
{
    struct RTCRay16 *r = &p->rays.ray;
    r->org_x[i] = origin.x, r->org_y[i] = origin.y, r->org_z[i] = origin.z;
    r->dir_x[i] = direction.x, r->dir_y[i] = direction.y, r->dir_z[i] = direction.z;
    p->valid[i] = -1;
}

void packet_clear(packet *p)
{
    memset(p->valid, 0, sizeof p->valid);
    memset(&p->rays.ray, 0, sizeof p->rays.ray);
    for (int i = 0; i < PACKET; ++i)
    {
        p->rays.ray.mask[i] = ~0u;
        p->rays.ray.tfar[i] = INFINITY;
        p->rays.hit.geomID[i] = p->rays.hit.instID[0][i] = RTC_INVALID_GEOMETRY_ID;
        p->plane[i] = -1;
        p->ground[i] = INFINITY;
    }
}

void packet_copy(packet *to, const packet *from, int i)
{
    packet_aim(to, i, packet_origin(from, i), packet_direction(from, i));
    to->rays.ray.tfar[i] = from->rays.ray.tfar[i];
    to->rays.ray.id[i] = from->rays.ray.id[i];
    to->rays.hit.Ng_x[i] = from->rays.hit.Ng_x[i];
    to->rays.hit.Ng_y[i] = from->rays.hit.Ng_y[i];
    to->rays.hit.Ng_z[i] = from->rays.hit.Ng_z[i];
    to->rays.hit.u[i] = from->rays.hit.u[i];
    to->rays.hit.v[i] = from->rays.hit.v[i];
    to->rays.hit.primID[i] = from->rays.hit.primID[i];
    to->rays.hit.geomID[i] = from->rays.hit.geomID[i];
    to->plane[i] = from->plane[i];
    to->ground[i] = from->ground[i];
    to->valid[i] = from->valid[i];
}

// Let rays end where they meet a plane from its front; a hair behind it, so that what lies flat on it is seen.
static void stop_at_planes(const tracer *t, packet *p)
{
    for (int32_t k = 0; k < t->scene->plane_count; ++k)
        for (int i = 0; i < PACKET; ++i)
        {
            float fall = v3_dot(t->grounds[k].normal, packet_direction(p, i));
            float at = (t->grounds[k].offset - v3_dot(t->grounds[k].normal, packet_origin(p, i))) / fall;
            bool stops = fall < 0 && at > 0 && at < p->ground[i];
            p->rays.ray.tfar[i] = stops ? 1.0001f * at : p->rays.ray.tfar[i];
            p->ground[i] = stops ? at : p->ground[i];
            p->plane[i] = stops ? k : p->plane[i];
        }
}

static void intersect(RTCScene scene, packet *p, packet_purpose purpose)
{
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    context.flags =
        purpose == RAYS_OF_THE_EYE ? RTC_INTERSECT_CONTEXT_FLAG_COHERENT : RTC_INTERSECT_CONTEXT_FLAG_INCOHERENT;
    rtcIntersect16(p->valid, scene, &context, &p->rays);
}

void packet_find_hits(const tracer *t, packet *p, packet_purpose purpose)
{
    stop_at_planes(t, p);
    intersect(t->geometry.scene, p, purpose);
    if (t->geometry.points && purpose != RAYS_OF_LIGHT)
        intersect(t->geometry.points, p, purpose);
}

void packet_find_glass(const tracer *t, packet *p) { intersect(t->geometry.glass, p, RAYS_OF_THE_EYE); }

void packet_find_water(const tracer *t, packet *p, packet_purpose purpose) { intersect(t->geometry.water, p, purpose); }

void packet_find_open(const tracer *t, packet *p, bool open[PACKET])
{
    stop_at_planes(t, p);
    for (int i = 0; i < PACKET; ++i)
        p->valid[i] = p->plane[i] >= 0 ? 0 : p->valid[i];
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    rtcOccluded16(p->valid, t->geometry.scene, &context, &p->rays.ray);
    for (int i = 0; i < PACKET; ++i)
        open[i] = p->valid[i] && p->rays.ray.tfar[i] >= 0;
}

surface packet_surface(const tracer *t, const packet *p, int i, bool detailed)
{
    const struct RTCHit16 *h = &p->rays.hit;
    v3 toward = packet_direction(p, i);
    if (!packet_met_mesh(p, i))
        return surface_of_plane(t, p->plane[i], packet_origin(p, i), toward, p->ground[i], detailed);
    float distance = p->rays.ray.tfar[i];
    if (h->geomID[i] < (uint32_t)t->geometry.shape_count)
        return surface_of_mesh(t, h->geomID[i], h->primID[i], h->u[i], h->v[i], toward, distance, detailed);
    v3 point = v3_axpy(distance, toward, packet_origin(p, i));
    return surface_of_point(t, h->geomID[i], point, (v3){h->Ng_x[i], h->Ng_y[i], h->Ng_z[i]}, distance);
}

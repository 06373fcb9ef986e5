// app/render/packet.h -- sixteen rays that travel together, as Embree likes it.
#ifndef APP_RENDER_PACKET_H
#define APP_RENDER_PACKET_H

#include "tracer.h"

typedef struct packet
{
    struct RTCRayHit16 rays;
    _Alignas(64) int valid[PACKET]; // -1 or 0, as Embree wants it
    int32_t plane[PACKET];          // in front of which the ray ends unless a mesh comes first, or -1
    float ground[PACKET];           // how far away that plane is
} packet;

static inline v3 packet_origin(const packet *p, int i)
{
    return (v3){p->rays.ray.org_x[i], p->rays.ray.org_y[i], p->rays.ray.org_z[i]};
}
static inline v3 packet_direction(const packet *p, int i)
{
    return (v3){p->rays.ray.dir_x[i], p->rays.ray.dir_y[i], p->rays.ray.dir_z[i]};
}

// No rays; then those that are aimed.
void packet_clear(packet *p);
void packet_aim(packet *p, int i, v3 origin, v3 direction);
// Ray i of `from`, with what it met.
void packet_copy(packet *to, const packet *from, int i);

// Find what rays meet first among meshes that are not water, planes and, for rays that the eye follows, points.
typedef enum packet_purpose
{
    RAYS_OF_THE_EYE, // of one pixel or of neighbours, side by side
    RAYS_ASTRAY,     // the same, where water has turned them
    RAYS_OF_LIGHT
} packet_purpose;
void packet_find_hits(const tracer *t, packet *p, packet_purpose purpose);
// Find what water they meet first.
void packet_find_water(const tracer *t, packet *p, packet_purpose purpose);
// And what glass, for rays of the eye.
void packet_find_glass(const tracer *t, packet *p);
// Which rays get through to infinity, but for water and points; those that are not valid do not.
void packet_find_open(const tracer *t, packet *p, bool open[PACKET]);

static inline bool packet_met_mesh(const packet *p, int i)
{
    return p->valid[i] && p->rays.hit.geomID[i] != RTC_INVALID_GEOMETRY_ID;
}
static inline bool packet_met_anything(const packet *p, int i)
{
    return packet_met_mesh(p, i) || (p->valid[i] && p->plane[i] >= 0);
}
// How far the ray went; INFINITY: it met nothing.
static inline float packet_distance(const packet *p, int i)
{
    return packet_met_mesh(p, i) ? p->rays.ray.tfar[i] : p->ground[i];
}

// For rays that met anything.
surface packet_surface(const tracer *t, const packet *p, int i, bool detailed);

#endif

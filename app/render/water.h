// app/render/water.h -- rays that water mirrors and bends.
#ifndef APP_RENDER_WATER_H
#define APP_RENDER_WATER_H

#include "packet.h"

static const float water_index = 1.333f;

// The share of light that is mirrored where it meets a surface at an angle of that cosine to the normal. `ratio` is the
// index of refraction behind it over the one before it; `through` becomes the cosine behind it.
float water_fresnel(float cosine, float ratio, float *through);

// Whether another water is behind a triangle: all of its vertices say so.
bool water_is_inner(const shape *s, uint32_t primitive);

// What water, and glass before it, does to rays from the eye on their way.
typedef struct water_path
{
    bool wet[PACKET];     // it met some
    int depth[PACKET];    // how many meshes of water it is in
    v3 share[PACKET];     // of what the ray finds in the end arrives at the eye
    v3 scattered[PACKET]; // by the water on the way, towards the eye
    v3 facing[PACKET];    // normal where it came from another water into the one that it is in; 0: from air
} water_path;

// Rays that the first surface mirrors.
typedef struct water_mirror
{
    bool any;
    packet rays;
    v3 share[PACKET];
} water_mirror;

// A way that has met nothing.
void water_begin(water_path *path);

// Lead rays, which know what they meet but for water, through water and beads to where they end; p is then their last
// part. With a mirror the first surface splits them. Later ones mirror the sky into a ray that enters, and one that
// leaves takes one way by chance.
void water_follow(const tracer *t, const uint64_t seed[PACKET], packet *p, water_path *path, water_mirror *mirror);

// Take from light along the rays of a packet, up to where they end, what water absorbs and mirrors on a straight way
// through so many surfaces. `wet`: which of them met any.
void water_dim(const tracer *t, const packet *p, int surfaces, v3 light[PACKET], bool wet[PACKET]);

#endif

// app/render/glass.c -- walls of glass: each of their faces mirrors the sky by Fresnel's law and lets the rest straight
// on.
//
// Both faces of a wall that is even bend a ray by opposite angles, so that it only moves aside by less than the wall is
// thick: it goes straight here. In water glass cannot be seen, since their indices nearly agree: at right angles a face
// mirrors ((1.52 - 1.333) / (1.52 + 1.333))^2 = 0.4 % there, and 4.3 % in air. So only faces count that come before
// water does.
//
// What it does badly: thick glass does not work as a lens, mirrors the sky only, and throws no shadow.
#include "glass.h"

static const float glass_index = 1.52f;

enum
{
    FACES = 8 // that a ray may pass
};

// How far rays go before they meet water or end.
static void find_ends(const tracer *t, const packet *p, float end[PACKET])
{
    packet w = *p;
    for (int i = 0; i < PACKET; ++i)
    {
        end[i] = packet_distance(p, i);
        w.rays.ray.tfar[i] = INFINITY;
        w.rays.hit.geomID[i] = RTC_INVALID_GEOMETRY_ID;
    }
    if (!t->geometry.water)
        return;
    packet_find_water(t, &w, RAYS_OF_THE_EYE);
    for (int i = 0; i < PACKET; ++i)
        end[i] = packet_met_mesh(&w, i) ? lesser(end[i], w.rays.ray.tfar[i]) : end[i];
}

// The smooth normal of what a ray met, to either side.
static v3 hit_normal(const tracer *t, const packet *g, int i)
{
    const struct RTCHit16 *h = &g->rays.hit;
    const float *n = t->geometry.shapes[h->geomID[i]].normals + 9 * (size_t)h->primID[i];
    float weight[3] = {1 - h->u[i] - h->v[i], h->u[i], h->v[i]};
    v3 sum = {0, 0, 0};
    for (int k = 0; k < 3; ++k)
        sum = v3_axpy(weight[k], v3_load(n + 3 * k), sum);
    return v3_unit(sum);
}

static void mirror_sky(const tracer *t, const packet *g, int i, water_path *path)
{
    v3 toward = packet_direction(g, i), facet = hit_normal(t, g, i);
    float cosine = v3_dot(facet, toward), through;
    float share = water_fresnel(lesser(fabsf(cosine), 1), glass_index, &through);
    v3 back = v3_axpy(-2 * cosine, facet, toward);
    path->scattered[i] = v3_axpy(share, v3_mul(path->share[i], surroundings(t, back, true)), path->scattered[i]);
    path->share[i] = v3_scale(1 - share, path->share[i]);
    path->wet[i] = true;
}

void glass_pass(const tracer *t, const packet *p, water_path *path)
{
    float end[PACKET], gone[PACKET] = {0};
    bool any = true;
    packet g;
    find_ends(t, p, end);
    packet_clear(&g);
    for (int i = 0; i < PACKET; ++i)
        if (p->valid[i])
            packet_aim(&g, i, packet_origin(p, i), packet_direction(p, i));
    for (int n = 0; n < FACES && any; ++n)
    {
        any = false;
        packet_find_glass(t, &g);
        for (int i = 0; i < PACKET; ++i)
        {
            bool met = packet_met_mesh(&g, i) && gone[i] + g.rays.ray.tfar[i] < end[i];
            g.valid[i] = met ? -1 : 0;
            if (!met)
                continue;
            any = true;
            mirror_sky(t, &g, i, path);
            float step = g.rays.ray.tfar[i] * 1.0001f + 1e-5f * t->reach;
            gone[i] += step;
            packet_aim(&g, i, v3_axpy(step, packet_direction(&g, i), packet_origin(&g, i)), packet_direction(&g, i));
            g.rays.ray.tfar[i] = INFINITY;
            g.rays.hit.geomID[i] = RTC_INVALID_GEOMETRY_ID;
        }
    }
}

// app/render/shade.c -- what a ray met, and how it returns light.
//
// Surfaces are diffuse under a thin clear coat: the share F of light (Schlick's form of Fresnel's law, weaker on rough
// surfaces as Lagarde proposes) is reflected by the coat, and (1 - F) color by what is below. F in the light from the
// sky is folded into the albedo; the key light's mirror image is a lobe of Trowbridge and Reitz (GGX).
#include "tracer.h"

static const float pi = 3.14159265f;

// ---- what was met ------------------------------------------------------------------------------------------------

static v3 mapped_color(const tracer *t, float value)
{
    float color[3];
    colormap_lookup(&t->map, (value - t->map_low) * t->map_scale, color);
    return v3_load(color);
}

static v3 mesh_color(const tracer *t, const render_mesh *m, int32_t triangle, const float weight[3])
{
    if (t->mapped && m->triangle_values)
        return mapped_color(t, m->triangle_values[triangle]);
    if (!t->mapped || !m->vertex_values)
        return v3_load(m->color);
    float value = 0;
    for (int k = 0; k < 3; ++k)
        value += weight[k] * m->vertex_values[m->triangles[3 * (size_t)triangle + (size_t)k]];
    return mapped_color(t, value);
}

// Edges are about 1.3 pixels wide, and fade where triangles are smaller than a few pixels. The edge opposite to the
// corner `hidden` is not drawn.
static float edge_ink(const v3 p[3], const float weight[3], v3 area, float footprint, int hidden)
{
    float twice_area = v3_length(area), nearest = INFINITY, smallest = INFINITY;
    for (int k = 0; k < 3; ++k)
    {
        float height = twice_area / greater(v3_length(v3_sub(p[(k + 2) % 3], p[(k + 1) % 3])), 1e-30f);
        nearest = k == hidden ? nearest : lesser(nearest, weight[k] * height);
        smallest = lesser(smallest, height);
    }
    return nearest < 0.65f * footprint ? smooth01((smallest / footprint - 2) / 6) : 0;
}

// Shadow rays start from where a smooth surface through the corners would be, or coarse triangles would throw jagged
// shadows on themselves (Hanika, "Hacking the shadow terminator", Ray Tracing Gems II).
static v3 rounded(v3 point, const v3 p[3], const v3 n[3], const float weight[3], float side)
{
    v3 sum = {0, 0, 0};
    for (int k = 0; k < 3; ++k)
    {
        float below = lesser(0, side * v3_dot(v3_sub(point, p[k]), n[k]));
        sum = v3_axpy(-weight[k] * below * side, n[k], sum);
    }
    return v3_add(point, sum);
}

surface surface_of_mesh(const tracer *t, uint32_t mesh, uint32_t primitive, float u, float v, v3 toward, float distance,
                        bool detailed)
{
    const shape *s = &t->geometry.shapes[mesh];
    const render_mesh *m = s->mesh;
    int32_t triangle = s->kept[primitive];
    float weight[3] = {1 - u - v, u, v};
    v3 p[3], n[3], point = {0, 0, 0}, normal = {0, 0, 0};
    for (int k = 0; k < 3; ++k)
    {
        p[k] = shape_vertex(s, triangle, k);
        n[k] = v3_load(s->normals + 9 * (size_t)primitive + 3 * k);
        point = v3_axpy(weight[k], p[k], point);
        normal = v3_axpy(weight[k], n[k], normal);
    }
    v3 area = v3_cross(v3_sub(p[1], p[0]), v3_sub(p[2], p[0])), facet = v3_unit(area);
    float side = v3_dot(facet, toward) > 0 ? -1 : 1;
    facet = v3_scale(side, facet);
    normal = v3_scale(side, v3_unit(normal));
    v3 start = v3_dot(normal, facet) > 0 ? rounded(point, p, n, weight, side) : point;
    surface out = {
        .point = lifted(start, facet, distance), .facet = facet, .distance = distance, .owner = (int32_t)mesh};
    out.normal = v3_dot(normal, facet) > 0 ? normal : facet;
    out.color = mesh_color(t, m, triangle, weight);
    out.roughness = lesser(greater(m->roughness, 0.2f), 1);
    if (detailed && m->wireframe)
    {
        int hidden = m->wireframe == RENDER_QUADS ? 1 + triangle % 2 : -1;
        float ink = 0.75f * edge_ink(p, weight, area, t->pixel_angle * distance, hidden);
        out.color = v3_mix(out.color, v3_scale(0.1f, out.color), ink);
    }
    return out;
}

// Lines through multiples of `spacing`; none where they would be closer than a few pixels.
static float line_ink(float x, float spacing, float width, float footprint)
{
    float from_line = fabsf(x - spacing * rintf(x / spacing));
    return from_line < 0.5f * width ? smooth01((spacing / footprint - 4) / 12) : 0;
}

// A pixel's footprint on the plane is longer along the view than across it, so each direction has its own.
static float axis_ink(const tracer *t, v3 axis, v3 point, v3 toward, float slant, float distance)
{
    float stretch = v3_dot(toward, axis) / slant, footprint = t->pixel_angle * distance * sqrtf(1 + stretch * stretch);
    float x = v3_dot(point, axis), width = greater(0.008f * t->cell, 1.2f * footprint);
    return greater(0.13f * line_ink(x, t->cell, width, footprint), 0.30f * line_ink(x, 10 * t->cell, width, footprint));
}

static float grid_ink(const tracer *t, const ground *g, v3 point, v3 toward, float distance)
{
    float slant = greater(fabsf(v3_dot(toward, g->normal)), 0.02f);
    return greater(axis_ink(t, g->along, point, toward, slant, distance),
                   axis_ink(t, g->across, point, toward, slant, distance));
}

surface surface_of_plane(const tracer *t, int32_t plane, v3 from, v3 toward, float distance, bool detailed)
{
    const ground *g = &t->grounds[plane];
    v3 point = v3_axpy(distance, toward, from);
    surface out = {
        .point = lifted(point, g->normal, distance), .facet = g->normal, .normal = g->normal, .color = g->color};
    out.distance = distance;
    out.roughness = 1;
    out.owner = -1 - plane;
    if (detailed && g->grid)
        out.color = v3_scale(1 - grid_ink(t, g, point, toward, distance), out.color);
    out.fade = smooth01((v3_length(v3_sub(point, t->focus)) / t->reach - 0.8f) / 3.2f);
    return out;
}

// Drops scatter light forward as well as back: their normal leans to the light, so that no side of them is dark.
surface surface_of_point(const tracer *t, uint32_t points, v3 point, v3 outward, float distance)
{
    v3 out = v3_unit(outward), normal = v3_unit(v3_axpy(0.8f, t->to_light, out));
    return (surface){.point = lifted(point, out, distance),
                     .facet = normal,
                     .normal = normal,
                     .color = v3_load(t->scene->points[points - (uint32_t)t->geometry.shape_count].color),
                     .roughness = 1,
                     .distance = distance,
                     .owner = (int32_t)points};
}

v3 surroundings(const tracer *t, v3 direction, bool with_key)
{
    static const v3 blue = {0.35f, 0.55f, 0.85f};
    v3 above = v3_mix((v3){1, 1, 1}, blue, lesser(2 * t->sky_gradient, 1));
    v3 light = v3_mix(t->backdrop, v3_mul(above, t->backdrop), smooth01(v3_dot(direction, t->zenith)));
    float along = v3_dot(direction, t->to_light), rim = greater(v3_length(t->light_s), 0.02f);
    if (with_key && along > 0.5f)
    {
        // bright in the middle, with a glow around it; a white surface that faces it returns `key`
        float from_centre = (1 / (along * along) - 1) / (rim * rim);
        light = v3_axpy((1 + 1 / (rim * rim)) * 2 * expf(-2 * from_centre), t->key, light);
    }
    return light;
}

// ---- how it returns light ----------------------------------------------------------------------------------------

static float power5(float x) { return x * x * x * x * x; }

v3 surface_albedo(const surface *s, v3 toward)
{
    if (s->owner < 0)
        return s->color;
    float grazing = 1 - clamp01(-v3_dot(s->normal, toward));
    float f = 0.02f + 0.6f * (1 - s->roughness) * power5(grazing);
    return v3_mix(s->color, (v3){1, 1, 1}, f);
}

v3 surface_highlight(const tracer *t, const surface *s, v3 toward, v3 to_light)
{
    v3 none = {0, 0, 0};
    float nl = v3_dot(s->normal, to_light), nv = -v3_dot(s->normal, toward);
    if (s->owner < 0 || nl <= 0 || nv <= 0)
        return none;
    v3 half = v3_unit(v3_sub(to_light, toward));
    float a = s->roughness * s->roughness, nh = clamp01(v3_dot(s->normal, half)), vh = clamp01(v3_dot(half, to_light));
    float bump = nh * nh * (a * a - 1) + 1, lobe = a * a / (pi * bump * bump);
    float visible = 0.5f / greater((1 - a) * 2 * nl * nv + a * (nl + nv), 1e-4f);
    float f = 0.04f + 0.96f * power5(1 - vh);
    return v3_scale(lesser(pi * lobe * visible * f * nl, 8), t->key);
}

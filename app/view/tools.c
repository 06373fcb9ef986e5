// app/view/tools.c -- what a hand does to bodies, objects and liquids.
//
// A hand goes down along a ray from the eye. If that meets a body, or for some tools an object or anything, the tool is
// told; then it moves in the plane through that point that faces the viewer. Liquids are looked through, but by tools
// that paint or pour them. A new tool is a row of the table at the end: pages make their buttons from it, and no
// message is new.
//
// A tool that has nothing to do in a scene says why when it is chosen, and one that can do nothing to what it touches
// when it does.
#include "view.h"
#include "drawables.h"
#include "objects.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static double distance(const double a[3], const double b[3])
{
    double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return sqrt(dot(d, d));
}

// The longest side of a body now.
static double body_size(const view *v, pl_body_id body)
{
    const double *x = pl_body_positions(v->s.world, body);
    double lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY}, size = 0;
    for (size_t k = 0; x && k < 3 * (size_t)pl_body_node_count(v->s.world, body); ++k)
    {
        lower[k % 3] = fmin(lower[k % 3], x[k]);
        upper[k % 3] = fmax(upper[k % 3], x[k]);
    }
    for (int i = 0; i < 3; ++i)
        size = fmax(size, upper[i] - lower[i]);
    return size;
}

// ---- grab --------------------------------------------------------------------------------------------------------

// A spring that swings the whole body twice a second, and gives way by 6 cm under its weight.
static void grab_down(view *v, hand *h, const pl_hit *hit, const double along[3])
{
    pl_step_info info;
    (void)along;
    if (pl_body_report(v->s.world, hit->body, &info) != PL_OK)
        return;
    double stiffness = v->grip * info.mass * pow(2 * 2 * M_PI, 2);
    if (!(stiffness > 0) ||
        pl_world_grab(v->s.world, hit, fmin(stiffness, 1e12), 0.14 * body_size(v, hit->body), &h->grab) != PL_OK)
        h->grab.index = 0;
}

static void grab_move(view *v, hand *h)
{
    if (h->grab.index && pl_world_grab_move(v->s.world, h->grab, h->to) != PL_OK)
        h->grab.index = 0;
}

static void grab_up(view *v, hand *h)
{
    if (h->grab.index && pl_world_grab_release(v->s.world, h->grab) != PL_OK)
        h->grab.index = 0;
}

// ---- push --------------------------------------------------------------------------------------------------------

// Nodes near the point fly off along the ray, as fast as would throw the body up its own height.
static void push_down(view *v, hand *h, const pl_hit *hit, const double along[3])
{
    pl_world *world = v->s.world;
    int32_t count = pl_body_node_count(world, hit->body);
    double size = body_size(v, hit->body), radius = 0.35 * size, speed = v->grip * 2 * sqrt(2 * 9.81 * size),
           length = sqrt(dot(along, along));
    double *x = malloc(6 * (size_t)count * sizeof *x), *velocity = x ? x + 3 * (size_t)count : NULL;
    (void)h;
    if (x && length > 0 && pl_body_read(world, hit->body, x, velocity) == PL_OK)
    {
        for (size_t n = 0; n < (size_t)count; ++n)
        {
            double near = 1 - fmin(distance(&x[3 * n], hit->point) / radius, 1);
            for (size_t i = 0; i < 3; ++i)
                velocity[3 * n + i] += near * speed * along[i] / length;
        }
        if (pl_body_write(world, hit->body, NULL, velocity) != PL_OK)
            view_fail(v);
    }
    free(x);
}

// ---- pin ---------------------------------------------------------------------------------------------------------

static int32_t find_held(const view *v, pl_body_id body, int32_t node)
{
    for (int32_t i = 0; i < v->held_count; ++i)
        if (v->held[i].body.index == body.index && v->held[i].node == node)
            return i;
    return -1;
}

static void let_go(view *v, int32_t i)
{
    (void)!pl_body_set_pin(v->s.world, v->held[i].body, v->held[i].node, 0);
    v->held[i] = v->held[--v->held_count];
}

// Nodes of groups follow their group and stay with it.
static void hold(view *v, pl_body_id body, int32_t node)
{
    if (v->held_count < HELD_MAX && pl_body_set_pin(v->s.world, body, node, 1) == PL_OK)
        v->held[v->held_count++] = (held_node){body, node};
}

// Near nodes are held where they are; where some are held already those are let go.
static void pin_down(view *v, hand *h, const pl_hit *hit, const double along[3])
{
    pl_world *world = v->s.world;
    const double *x = pl_body_positions(world, hit->body);
    const int32_t *order = pl_body_node_order(world, hit->body);
    double radius = 0.07 * body_size(v, hit->body), nearest = INFINITY;
    int32_t count = pl_body_node_count(world, hit->body);
    bool released = false;
    (void)h;
    (void)along;
    for (int32_t n = 0; n < count; ++n)
        nearest = fmin(nearest, distance(&x[3 * (size_t)order[n]], hit->point));
    radius = fmax(radius, nearest);
    for (int pass = 0; pass < 2 && !released; ++pass)
        for (int32_t n = 0; n < count; ++n)
        {
            bool near = distance(&x[3 * (size_t)order[n]], hit->point) <= radius;
            int32_t known = near ? find_held(v, hit->body, n) : -1;
            if (near && pass == 0 && known >= 0)
            {
                let_go(v, known);
                released = true;
            }
            else if (near && pass == 1)
                hold(v, hit->body, n);
        }
}

void tools_forget_pins(view *v) { v->held_count = 0; }

void tools_release_pins(view *v)
{
    for (int32_t i = 0; i < pl_world_body_count(v->s.world); ++i)
    {
        pl_body_id body = pl_world_body_at(v->s.world, i);
        for (int32_t n = 0; n < pl_body_node_count(v->s.world, body); ++n)
            (void)!pl_body_set_pin(v->s.world, body, n, 0);
    }
    tools_forget_pins(v);
}

// ---- heat --------------------------------------------------------------------------------------------------------

// Whether some of a body is warmer than its surroundings.
static bool is_warm(const view *v, pl_body_id body)
{
    double *values = malloc(((size_t)pl_body_element_count(v->s.world, body) + 1) * sizeof *values), warmest = 0;
    if (values && pl_body_read_field(v->s.world, body, PL_FIELD_TEMPERATURE, values) == PL_OK)
        for (int32_t n = 0; n < pl_body_element_count(v->s.world, body); ++n)
            warmest = fmax(warmest, values[n]);
    free(values);
    return warmest > 0;
}

// A liquid under the hand gets warmer, if it has a temperature, and forgets its strain, if it remembers any.
static void paint_liquid(view *v, const hand *h, double dt)
{
    const double kelvin_per_second = 150, cells = 5, forgotten_per_second = 3;
    double memory, radius;
    int32_t lattice[3];
    const pl_domain_def *domain = pl__scene_domain_of(v->s.scene, lattice, &memory);
    radius = cells * domain->size;
    if (pl_world_heat(v->s.world, h->to, radius, v->grip * kelvin_per_second * dt) != PL_OK ||
        pl_world_forget(v->s.world, h->to, radius, fmin(1, v->grip * forgotten_per_second * dt)) != PL_OK)
        view_fail(v);
}

// Whether a liquid of the scene has a temperature or a strain.
static bool is_painted(const view *v)
{
    for (int32_t i = 0; i < v->s.source->file.liquids.count; ++i)
    {
        const pl__record *record = &pl__source_liquid(v->s.source, i)->record;
        if (pl__given(record, "melting") || pl__given(record, "elasticity"))
            return true;
    }
    return false;
}

// What is under the hand, of bodies only those that melt.
static void heat_down(view *v, hand *h, const pl_hit *hit, const double along[3])
{
    (void)along;
    if (hit->body.index == 0 && !is_painted(v))
        tools_refuse(
            v, h,
            "this liquid has neither temperature nor strain; give it `melting`, or `elasticity`, to warm it or "
            "to make it forget");
    else if (hit->body.index && pl_world_heat(v->s.world, hit->point, body_size(v, hit->body), 1e-3) == PL_OK &&
             !is_warm(v, hit->body))
        tools_refuse(v, h, "this body does not feel heat: its material has no `melting` temperature");
}

// Of materials that melt, what is around the hand gets warmer as long as it stays.
static void heat_stay(view *v, hand *h, double dt)
{
    const double kelvin_per_second = 150;
    if (h->body.index == 0)
        paint_liquid(v, h, dt);
    else if (pl_world_heat(v->s.world, h->to, 0.35 * body_size(v, h->body), v->grip * kelvin_per_second * dt) != PL_OK)
        view_fail(v);
}

// ---- melt --------------------------------------------------------------------------------------------------------

// The first body of the scene that a liquid becomes and that is not there; NULL: none.
static const char *find_cast(const view *v)
{
    for (int32_t i = 0; i < v->s.source->file.bodies.count; ++i)
    {
        const pl__file_body *body = pl__source_body(v->s.source, i);
        if (body->liquid && pl_world_find_body(v->s.world, body->record.name).index == 0)
            return body->record.name;
    }
    return NULL;
}

// A body becomes the liquid that names it, a liquid the body that does.
static void melt_down(view *v, hand *h, const pl_hit *hit, const double along[3])
{
    (void)h, (void)along;
    const char *cast = find_cast(v);
    if (hit->body.index == 0 && !cast)
        view_tell(v, -1, "note",
                  "no body of the scene is made of this liquid; add one, such as \"bodies\": {\"cast\": {\"liquid\": "
                  "\"NAME\"}}");
    else if ((hit->body.index ? pl_world_melt(v->s.world, hit->body) : pl_world_set_liquid(v->s.world, cast)) != PL_OK)
        view_fail(v);
    v->serial++;
}

// ---- cut ---------------------------------------------------------------------------------------------------------

static void cut_down(view *v, hand *h, const pl_hit *hit, const double along[3])
{
    (void)along;
    memcpy(h->last, hit->point, sizeof h->last);
    if (!pl_body_breaks(v->s.world, hit->body))
        tools_refuse(v, h, "this body cannot be cut: make it `cuttable`");
}

// A blade along the line of sight, from where it cut last to where the hand is.
static void cut_move(view *v, hand *h)
{
    double size = body_size(v, h->body), length = sqrt(dot(h->facing, h->facing)), corner[4][3];
    if (!(length > 0) || distance(h->last, h->to) < 0.03 * size)
        return;
    for (int i = 0; i < 3; ++i)
    {
        double depth = 2 * size * h->facing[i] / length;
        corner[0][i] = h->last[i] - depth;
        corner[1][i] = h->last[i] + depth;
        corner[2][i] = h->to[i] + depth;
        corner[3][i] = h->to[i] - depth;
    }
    memcpy(h->last, h->to, sizeof h->last);
    if (pl_world_cut(v->s.world, corner[0], corner[1], corner[2], corner[3], NULL) != PL_OK)
        view_fail(v);
    v->serial++;
}

// ---- move --------------------------------------------------------------------------------------------------------

// Distance along a ray to a triangle; infinite where it passes by (Moeller & Trumbore 1997).
static double meet_triangle(const double *a, const double *b, const double *c, const double from[3],
                            const double along[3])
{
    double u[3], w[3], s[3];
    for (int i = 0; i < 3; ++i)
    {
        u[i] = b[i] - a[i];
        w[i] = c[i] - a[i];
        s[i] = from[i] - a[i];
    }
    const double p[3] = {along[1] * w[2] - along[2] * w[1], along[2] * w[0] - along[0] * w[2],
                         along[0] * w[1] - along[1] * w[0]},
                 q[3] = {s[1] * u[2] - s[2] * u[1], s[2] * u[0] - s[0] * u[2], s[0] * u[1] - s[1] * u[0]};
    double det = dot(u, p), x = dot(s, p) / det, y = dot(along, q) / det, far = dot(w, q) / det;
    return x >= 0 && y >= 0 && x + y <= 1 && far > 0 ? far : INFINITY;
}

// The nearest distance along a ray to object i.
static double meet_object(view *v, int32_t i, const double from[3], const double along[3])
{
    const pl_surface *surface = NULL;
    pl_object_def def;
    double best = INFINITY;
    if (pl_object_read(v->s.world, (pl_object_id){i + 1}, &def) != PL_OK || def.kind == PL_OBJECT_BODY ||
        object_is_endless(&def) || !object_surface(&v->s, i, &surface) || !surface)
        return best;
    double *x = malloc((3 * (size_t)pl_surface_node_count(surface) + 1) * sizeof *x);
    const int32_t *t = pl_surface_triangles(surface);
    bool good = x && object_place(&v->s, i, surface, 0, x);
    for (int32_t k = 0; good && k < pl_surface_triangle_count(surface); ++k, t += 3)
        best = fmin(best, meet_triangle(&x[3 * t[0]], &x[3 * t[1]], &x[3 * t[2]], from, along));
    free(x);
    return best;
}

static bool find_object(view *v, hand *h, const double from[3], const double along[3], pl_hit *hit)
{
    double best = INFINITY;
    pl_object_def def;
    for (int32_t i = 0; i < pl_world_object_count(v->s.world); ++i)
    {
        double far = meet_object(v, i, from, along);
        if (far >= best)
            continue;
        best = far;
        h->object.index = i + 1;
    }
    if (h->object.index == 0 || pl_object_read(v->s.world, h->object, &def) != PL_OK)
        return false;
    for (int i = 0; i < 3; ++i)
    {
        hit->point[i] = from[i] + best * along[i];
        h->offset[i] = def.at[i] - hit->point[i];
    }
    return true;
}

// After the hand, most of the way within a twentieth of a second; not so fast that liquid between it and a wall shoots
// off.
static void move_stay(view *v, hand *h, double dt)
{
    pl_object_def def;
    double way[3], target[3], part = fmin(1, 20 * dt);
    if (pl_object_read(v->s.world, h->object, &def) != PL_OK)
        return;
    for (int i = 0; i < 3; ++i)
        way[i] = h->to[i] + h->offset[i] - def.at[i];
    double length = sqrt(dot(way, way)), most = 1.5 * v->grip * dt;
    part = part * length > most ? most / length : part;
    for (int i = 0; i < 3; ++i)
        target[i] = def.at[i] + part * way[i];
    if (pl_object_set_target(v->s.world, h->object, target) == PL_OK)
        return;
    view_fail(v); // keys move it
    h->tool = NULL;
}

// ---- pour --------------------------------------------------------------------------------------------------------

// A jet of five cells across falls from some cells above the hand, with the speed of a fall of eight cells at a grip of
// 1. It comes in pieces of two cells and more.
static const double pour_radius = 2.5, pour_piece = 2, pour_fall = 8, pour_height = 6; // [cells]

// An edge of a cell, or 0 without a liquid.
static double cell_size(const view *v)
{
    double lower[3], upper[3];
    return drawable_domain(&v->s, lower, upper) ? v->s.source->file.domain.size : 0;
}

static const char *const gravity_name[3] = {"gravity.x", "gravity.y", "gravity.z"};

static void pour_stay(view *v, hand *h, double dt)
{
    const double h_cell = cell_size(v), radius = pour_radius * h_cell, section = M_PI * radius * radius;
    double gravity[3];
    for (int i = 0; i < 3; ++i)
        gravity[i] = pl_world_get(v->s.world, pl_world_find_param(v->s.world, gravity_name[i]));
    double strength = sqrt(dot(gravity, gravity)), speed = v->grip * sqrt(2 * fmax(strength, 1) * pour_fall * h_cell),
           down[3] = {0, -1, 0}, at[3], velocity[3];
    for (int i = 0; i < 3; ++i)
    {
        down[i] = strength > 0 ? gravity[i] / strength : down[i];
        velocity[i] = speed * down[i];
        at[i] = h->to[i] - pour_height * h_cell * down[i];
    }
    h->due += section * speed * dt;
    if (h->due < section * pour_piece * h_cell)
        return;
    const char *liquid = h->liquid[0] ? h->liquid : NULL;
    if (pl_world_pour(v->s.world, liquid, at, velocity, radius, h->due) != PL_OK)
        tools_refuse(v, h, pl_context_error(v->s.ctx));
    h->due = 0;
}

// ---- hands -------------------------------------------------------------------------------------------------------

void tools_refuse(view *v, hand *h, const char *sentence)
{
    view_tell(v, -1, "note", sentence);
    h->tool = NULL;
}

// Where a ray meets the plane that the hand moves in; a ray along it, or away from it, leaves the hand where it was.
static void follow_ray(hand *h, const double from[3], const double along[3])
{
    double towards = dot(along, h->facing), way = 0;
    for (int i = 0; i < 3; ++i)
        way += (h->held[i] - from[i]) * h->facing[i];
    double t = way / towards;
    if (!(fabs(towards) > 1e-9) || !(t > 0 && t < 1e9))
        return;
    for (int i = 0; i < 3; ++i)
        h->to[i] = from[i] + t * along[i];
}

static const tool *find_tool(const char *name)
{
    for (const tool *t = tools; t->name; ++t)
        if (strcmp(t->name, name) == 0)
            return t;
    return NULL;
}

// The first body that a ray meets, also below water.
static bool find_body(const view *v, const double from[3], const double along[3], pl_hit *hit)
{
    const int surfaces = 16; // that it passes
    double start[3] = {from[0], from[1], from[2]};
    for (int n = 0; n < surfaces; ++n)
    {
        if (!pl_world_cast_ray(v->s.world, start, along, hit))
            return false;
        if (hit->body.index)
            return true;
        double beyond = 1e-6 * (1 + hit->distance) / sqrt(dot(along, along));
        for (int i = 0; i < 3; ++i)
            start[i] = hit->point[i] + beyond * along[i];
    }
    return false;
}

// A liquid that can be painted is in the way of what is below; else it is met only where there is no body.
static bool find_anything(const view *v, const double from[3], const double along[3], pl_hit *hit)
{
    pl_hit first = {0};
    bool any = pl_world_cast_ray(v->s.world, from, along, &first);
    if (any && (first.body.index || is_painted(v)))
        *hit = first;
    else if (!find_body(v, from, along, hit))
        *hit = first;
    return any;
}

// Whatever a ray meets first, liquid as well, or else the plane through the middle of all that faces the viewer. The
// liquid that it meets is the one that is poured.
static bool find_place(view *v, hand *h, const message *m, pl_hit *hit)
{
    hand other = {0};
    pl_hit on_object = {0};
    pl_drawable d;
    double lower[3], upper[3];
    bool met = pl_world_cast_ray(v->s.world, m->from, m->along, hit);
    if (met && pl_world_drawable(v->s.world, hit->drawable, &d) == PL_OK && d.look == PL_LOOK_WATER)
        snprintf(h->liquid, sizeof h->liquid, "%s", d.name);
    if (find_object(v, &other, m->from, m->along, &on_object) &&
        (!met || distance(on_object.point, m->from) < distance(hit->point, m->from)))
        memcpy(hit->point, on_object.point, sizeof hit->point), met = true;
    if (met)
        return true;
    stage_bounds(v, lower, upper);
    for (int i = 0; i < 3; ++i)
        other.to[i] = other.held[i] = 0.5 * (lower[i] + upper[i]);
    memcpy(other.facing, m->facing, sizeof other.facing);
    follow_ray(&other, m->from, m->along);
    memcpy(hit->point, other.to, sizeof hit->point);
    return true;
}

static bool find_goal(view *v, hand *h, const message *m, pl_hit *hit)
{
    switch (h->tool->on)
    {
    case TOOL_ON_OBJECTS: return find_object(v, h, m->from, m->along, hit);
    case TOOL_ON_ANYTHING: return find_anything(v, m->from, m->along, hit);
    case TOOL_ON_FIRST: return pl_world_cast_ray(v->s.world, m->from, m->along, hit) != 0;
    case TOOL_ANYWHERE: return find_place(v, h, m, hit);
    default: return find_body(v, m->from, m->along, hit);
    }
}

void tools_touch(view *v, hand *h, const message *m)
{
    pl_hit hit = {0};
    const tool *t = find_tool(m->name);
    tools_lift(v, h);
    hand next = {.tool = t};
    if (!t || v->replay)
        return;
    bool found = find_goal(v, &next, m, &hit);
    const char *idle = found && t->on != TOOL_ANYWHERE ? NULL : tools_idle(v, t);
    if (idle)
        view_tell(v, -1, "note", idle);
    if (idle || !found)
        return;
    *h = next;
    h->body = hit.body;
    memcpy(h->held, hit.point, sizeof h->held);
    memcpy(h->to, hit.point, sizeof h->to);
    memcpy(h->facing, m->facing, sizeof h->facing);
    if (t->down)
        t->down(v, h, &hit, m->along);
}

void tools_drag(view *v, hand *h, const message *m)
{
    if (!h->tool)
        return;
    follow_ray(h, m->from, m->along);
    if (h->tool->move)
        h->tool->move(v, h);
}

void tools_lift(view *v, hand *h)
{
    if (h->tool && h->tool->up)
        h->tool->up(v, h);
    *h = (hand){0};
}

void tools_lift_all(view *v, int32_t page)
{
    for (int32_t i = 0; i < RELAY_PAGES; ++i)
        for (int32_t k = 0; (page < 0 || page == i) && k < MESSAGE_HANDS; ++k)
            tools_lift(v, &v->page[i].hand[k]);
}

void tools_stay(view *v, double dt)
{
    for (int32_t i = 0; i < RELAY_PAGES; ++i)
        for (int32_t k = 0; k < MESSAGE_HANDS; ++k)
            if (v->page[i].hand[k].tool && v->page[i].hand[k].tool->stay)
                v->page[i].hand[k].tool->stay(v, &v->page[i].hand[k], dt);
}

// ---- what there is to do -----------------------------------------------------------------------------------------

static bool any_body(const view *v, int32_t (*is)(const pl_world *world, pl_body_id body))
{
    for (int32_t i = 0; i < pl_world_body_count(v->s.world); ++i)
        if (!is || is(v->s.world, pl_world_body_at(v->s.world, i)))
            return true;
    return false;
}

static const char *melt_idle(const view *v)
{
    return any_body(v, pl_body_melts) || find_cast(v)
               ? NULL
               : "nothing can be melted here: no liquid of the scene is made of a `body`, and no body of a `liquid`";
}

static const char *cut_idle(const view *v)
{
    return any_body(v, pl_body_breaks) ? NULL : "nothing can be cut here: no body is `cuttable`";
}

static const char *move_idle(const view *v)
{
    return pl_world_object_count(v->s.world) > 0 ? NULL : "there is no object in this scene that could be moved";
}

static const char *pour_idle(const view *v)
{
    return cell_size(v) > 0 ? NULL : "there is no liquid in this scene that could be poured: give it `liquids`";
}

bool tools_reach_anywhere(const view *v, const tool *t)
{
    return t->on == TOOL_ANYWHERE || (t->on == TOOL_ON_ANYTHING && is_painted(v));
}

const char *tools_idle(const view *v, const tool *t)
{
    if (t->on == TOOL_ON_BODIES && !any_body(v, NULL))
        return "there is no body in this scene for this tool";
    return t->idle ? t->idle(v) : NULL;
}

const tool tools[] = {
    {"grab", "Grab", "g", "pull at a body", TOOL_ON_BODIES, NULL, grab_down, grab_move, grab_up, NULL},
    {"push", "Push", "p", "poke it", TOOL_ON_BODIES, NULL, push_down, NULL, NULL, NULL},
    {"pin", "Pin", "h", "hold a spot, or let it go", TOOL_ON_BODIES, NULL, pin_down, NULL, NULL, NULL},
    {"heat", "Heat", "e", "warm what can melt", TOOL_ON_ANYTHING, NULL, heat_down, NULL, NULL, heat_stay},
    {"melt", "Melt", "l", "make a body liquid, or a liquid a body", TOOL_ON_FIRST, melt_idle, melt_down, NULL, NULL,
     NULL},
    {"cut", "Cut", "x", "draw a blade through what can be cut", TOOL_ON_BODIES, cut_idle, cut_down, cut_move, NULL,
     NULL},
    {"move", "Move", "o", "drag an object, through water as well", TOOL_ON_OBJECTS, move_idle, NULL, NULL, NULL,
     move_stay},
    {"pour", "Pour", "u", "pour liquid; the slider says how much", TOOL_ANYWHERE, pour_idle, NULL, NULL, NULL,
     pour_stay},
    {0},
};

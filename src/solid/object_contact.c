// src/solid/object_contact.c -- contact of nodes with objects within a step (thesis 3.2).
//
// Broad phase: nodes lie along a space-filling curve (mesh/order.c), so that a run of consecutive nodes is a small
// region. Objects are tested against the bounding boxes of all nodes, of a chunk and of a run before their distance is
// evaluated; distant objects cost nothing. (The thesis uses a uniform grid of occupied cells.) Within a run one object
// is evaluated for all nodes before the next.
//
// With many objects, those near the box of all nodes are listed once a step, and only they are placed: a distant one
// costs a bounding sphere test of some nanoseconds.
#include "object_contact.h"
#include "tolerances.h"
#include "contact/tolerances.h"

#include <math.h>
#include <string.h>

enum
{
    NODES_PER_CHUNK = PL_VECTOR_CHUNK / 3,
    NODES_PER_RUN = 32,
    MOST_NEAR = 64,   // objects listed per chunk; if there are more, each run tests all of them
    MANY_OBJECTS = 16 // from here on, objects near the box of all nodes are listed first
};

typedef struct
{
    double lower[3], upper[3];
} box;

static const box nothing = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static bool boxes_overlap(const box *a, const double lower[3], const double upper[3])
{
    for (int i = 0; i < 3; ++i)
        if (a->lower[i] > upper[i] || a->upper[i] < lower[i])
            return false;
    return true;
}

// Bounding box of the end positions of nodes [begin, end) with velocities v_end; with dt = 0, outside of steps, of the
// current ones.
static box end_bounds(const pl__object_contact *t, int32_t begin, int32_t end)
{
    const pl__solids *s = t->s;
    box b = nothing;
    for (int32_t n = begin; n < end; ++n)
        for (size_t i = 0; i < 3; ++i)
        {
            size_t at = 3 * (size_t)n + i;
            double x = s->state.x[at] + (t->dt > 0 ? t->dt * s->step.v_end[at] : 0);
            b.lower[i] = x < b.lower[i] ? x : b.lower[i];
            b.upper[i] = x > b.upper[i] ? x : b.upper[i];
        }
    return b;
}

// With many objects, list_objects_near places those it needs.
void pl__object_contact_prepare(const pl__object_contact *t)
{
    t->s->contacts.near_count = -1;
    for (int32_t k = 0; t->object_count < MANY_OBJECTS && k < t->object_count; ++k)
        pl__object_place(&t->object[k]);
}

static box awake_end_bounds(const pl__object_contact *t)
{
    box all = nothing;
    for (int32_t i = 0; i < t->s->body_count; ++i)
    {
        const pl__body *body = t->s->body[i];
        box b = body->state.asleep ? nothing : end_bounds(t, body->first_node, body->first_node + body->node_count);
        for (int d = 0; d < 3; ++d)
        {
            all.lower[d] = fmin(all.lower[d], b.lower[d]);
            all.upper[d] = fmax(all.upper[d], b.upper[d]);
        }
    }
    return all;
}

static bool covers_box(const pl__solids *s, const box *b)
{
    bool within = s->contacts.near_count >= 0;
    for (int d = 0; d < 3; ++d)
        within &= b->lower[d] >= s->contacts.near_lower[d] && b->upper[d] <= s->contacts.near_upper[d];
    return within;
}

// List the objects near a box, enlarged by a tenth so that the second solve usually stays within it.
static void list_objects_near(const pl__object_contact *t, const box *b)
{
    pl__solids *s = t->s;
    if (covers_box(s, b))
        return;
    for (int d = 0; d < 3; ++d)
    {
        double spare = PL__OBJECTS_SPARE * (b->upper[d] - b->lower[d]);
        s->contacts.near_lower[d] = b->lower[d] - spare;
        s->contacts.near_upper[d] = b->upper[d] + spare;
    }
    s->contacts.near_count = 0;
    for (int32_t k = 0; k < t->object_count; ++k)
    {
        if (pl__object_is_far(&t->object[k], s->contacts.near_lower, s->contacts.near_upper))
            continue;
        pl__object_place(&t->object[k]);
        s->contacts.near_object[s->contacts.near_count++] = k;
    }
}

// Call `narrow_phase` for every node of [begin, end) and object whose boxes overlap; for each node in order of objects.
static void visit(const pl__object_contact *t, int32_t begin, int32_t end,
                  void (*narrow_phase)(const pl__object_contact *t, int32_t node, int32_t object))
{
    int32_t near[MOST_NEAR], near_count = 0;
    box chunk = end_bounds(t, begin, end);
    bool many = t->object_count >= MANY_OBJECTS;
    int32_t count = many ? t->s->contacts.near_count : t->object_count;
    const int32_t *all = t->s->contacts.near_object;
    for (int32_t i = 0; i < count; ++i)
    {
        int32_t k = many ? all[i] : i;
        if (boxes_overlap(&chunk, t->object[k].lower, t->object[k].upper) && near_count++ < MOST_NEAR)
            near[near_count - 1] = k;
    }
    bool listed = near_count <= MOST_NEAR;
    for (int32_t first = begin; near_count > 0 && first < end; first += NODES_PER_RUN)
    {
        int32_t last = end - first < NODES_PER_RUN ? end : first + NODES_PER_RUN;
        box run = end_bounds(t, first, last);
        for (int32_t i = 0; i < (listed ? near_count : count); ++i)
        {
            int32_t k = listed ? near[i] : many ? all[i] : i;
            const pl__object *o = &t->object[k];
            for (int32_t n = first; boxes_overlap(&run, o->lower, o->upper) && n < last; ++n)
                if (n < o->own_begin || n >= o->own_end)
                    narrow_phase(t, n, k);
        }
    }
}

// The same without nodes of sleeping bodies.
static void visit_awake(const pl__object_contact *t, int32_t begin, int32_t end,
                        void (*narrow_phase)(const pl__object_contact *t, int32_t node, int32_t object))
{
    if (!t->sleepers)
        visit(t, begin, end, narrow_phase);
    for (int32_t i = 0; t->sleepers && i < t->s->body_count; ++i)
    {
        const pl__body *body = t->s->body[i];
        int32_t last = body->first_node + body->node_count;
        int32_t from = body->first_node > begin ? body->first_node : begin, to = last < end ? last : end;
        if (!body->state.asleep && from < to)
            visit(t, from, to, narrow_phase);
    }
}

static double friction_with(const pl__object_contact *t, int32_t n, int32_t k)
{
    double of_pair = t->friction_table
                         ? t->friction_table[(size_t)pl__solids_body_of(t->s, n) * (size_t)t->object_count + (size_t)k]
                         : -1;
    return of_pair >= 0 ? of_pair : t->object[k].friction;
}

// Remove the out-of-plane motion of planar bodies, which only objects can have caused.
static void return_to_plane(const pl__solids *s, double *u, const double *to)
{
    for (int32_t i = 0; i < s->body_count; ++i)
    {
        const pl__body *body = s->body[i];
        for (int32_t n = body->first_node; body->planar && n < body->first_node + body->node_count; ++n)
            u[3 * (size_t)n + 2] = to ? to[3 * (size_t)n + 2] : 0;
    }
}

// ---- the first solve -------------------------------------------------------------------------------------------

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static double friction_under(const pl__object_contact *t, int32_t n)
{
    return friction_with(t, n, t->s->contacts.node[n].under);
}

// Set the velocity unknown of a sticking node so that it ends the step with the velocity of the surface.
static void follow_surface(const pl__object_contact *t, int32_t n, bool second)
{
    pl__solids *s = t->s;
    const double *surface_velocity = s->contacts.node[n].surface_velocity;
    bool half_way = second && s->contacts.node[n].half_way;
    for (size_t i = 0, at = 3 * (size_t)n; i < 3; ++i)
        s->step.v_end[at + i] = half_way ? 0.5 * (surface_velocity[i] + s->step.v_start[at + i]) : surface_velocity[i];
}

// Velocity at the end of the step, relative to the surface.
static void relative_velocity(const pl__object_contact *t, int32_t n, bool second, double relative[3])
{
    const pl__solids *s = t->s;
    for (size_t i = 0, at = 3 * (size_t)n; i < 3; ++i)
    {
        double v = second && s->contacts.node[n].half_way ? 2 * s->step.v_end[at + i] - s->step.v_start[at + i]
                                                          : s->step.v_end[at + i];
        relative[i] = v - s->contacts.node[n].surface_velocity[i];
    }
}

// Unit vector along the tangential part of `direction`, or 0.
static void tangent_along(const double normal[3], const double direction[3], double slip[3])
{
    double along = dot(direction, normal), size2 = 0;
    for (int i = 0; i < 3; ++i)
    {
        slip[i] = direction[i] - along * normal[i];
        size2 += slip[i] * slip[i];
    }
    for (int i = 0; i < 3; ++i)
        slip[i] = size2 > 0 ? slip[i] / sqrt(size2) : 0;
}

static void remove_friction(const pl__object_contact *t, int32_t n)
{
    pl__node_contacts *c = &t->s->contacts.node[n];
    for (size_t i = 0; i < 3; ++i)
        t->s->step.rhs[3 * (size_t)n + i] -= c->impulse[i];
    memset(c->impulse, 0, sizeof c->impulse);
    c->drag = 0;
}

// Friction -mu |r_N| v/|v| of a node that slides along `direction` with some speed, linearised in the transverse
// direction b: -mu |r_N| (t + b (b.v)/speed). The first part goes into rhs, the second into rhs and the matrix.
static void apply_sliding_friction(const pl__object_contact *t, int32_t n, bool second, const double direction[3],
                                   double speed, double pressed)
{
    pl__solids *s = t->s;
    pl__node_contacts *c = &s->contacts.node[n];
    size_t at = 3 * (size_t)n;
    remove_friction(t, n);
    tangent_along(c->support_normal, direction, c->slip);
    c->friction_impulse = friction_under(t, n) * fmax(0, pressed);
    c->drag = speed > 0 ? c->friction_impulse / speed : 0;
    double offset = 0;
    for (size_t i = 0; i < 3; ++i)
    {
        size_t j = (i + 1) % 3, k = (i + 2) % 3;
        c->across[i] = c->support_normal[j] * c->slip[k] - c->support_normal[k] * c->slip[j];
        offset += c->across[i] * (c->surface_velocity[i] + (second && c->half_way ? s->step.v_start[at + i] : 0));
    }
    for (size_t i = 0; i < 3; ++i)
    {
        c->impulse[i] = c->drag * offset * c->across[i] - c->friction_impulse * c->slip[i];
        s->step.rhs[at + i] += c->impulse[i];
    }
    if (second && c->half_way)
        c->drag *= 2;
    s->contacts.footing[n] = PL__SLIDES;
}

// Keep the sliding direction from the start of the step; for a node that was at rest, take that of `force`.
static void continue_sliding(const pl__object_contact *t, int32_t n, bool second, const double force[3], double pressed)
{
    pl__solids *s = t->s;
    const pl__node_contacts *c = &s->contacts.node[n];
    double before[3];
    for (size_t i = 0; i < 3; ++i)
        before[i] = s->step.v_start[3 * (size_t)n + i] - c->surface_velocity[i];
    double along = dot(before, c->support_normal), speed = sqrt(fmax(0, dot(before, before) - along * along));
    bool slow = speed * s->inertia[3 * (size_t)n] <= PL__SLIP_DIRECTION * pressed;
    apply_sliding_friction(t, n, second, slow ? force : before, slow ? 0 : speed, pressed);
}

static void stop_sliding(const pl__object_contact *t, int32_t n, bool second)
{
    remove_friction(t, n);
    t->s->contacts.node[n].stopped = true;
    t->s->contacts.footing[n] = PL__STICKS;
    follow_surface(t, n, second);
}

static void reset_friction(pl__node_contacts *c)
{
    memset(c->impulse, 0, sizeof c->impulse);
    c->drag = c->friction_impulse = 0;
    c->stopped = c->turned = false;
}

static void predict_contact(const pl__object_contact *t, int32_t n, int32_t k)
{
    pl__solids *s = t->s;
    pl__node_contacts *c = &s->contacts.node[n];
    double *v = &s->step.v_end[3 * (size_t)n];
    if (s->contacts.footing[n] || !pl__object_supports(&t->object[k], friction_with(t, n, k),
                                                       &s->state.x[3 * (size_t)n], &s->step.v_start[3 * (size_t)n], v,
                                                       t->dt, c->surface_velocity, c->support_normal, &c->sticks))
        return;
    s->contacts.footing[n] = c->sticks ? PL__STICKS : PL__SLIDES;
    c->under = k;
    reset_friction(c);
    double inward = 0, free_velocity[3];
    for (int i = 0; i < 3; ++i)
        inward += (v[i] - c->surface_velocity[i]) * c->support_normal[i];
    for (int i = 0; i < 3; ++i)
    {
        free_velocity[i] = v[i];
        v[i] = c->sticks ? c->surface_velocity[i] : v[i] - inward * c->support_normal[i];
    }
    if (!c->sticks && s->evaluation.damped)
        continue_sliding(t, n, false, free_velocity, -inward * s->inertia[3 * (size_t)n]);
}

static void predict_nodes(void *argument, int32_t begin, int32_t end)
{
    const pl__object_contact *t = argument;
    memset(&t->s->contacts.footing[begin], PL__LOOSE, (size_t)(end - begin));
    if (!t->projected)
        visit_awake(t, begin, end, predict_contact);
}

static void list_near_objects(const pl__object_contact *t)
{
    if (t->object_count < MANY_OBJECTS)
        return;
    box all = awake_end_bounds(t);
    list_objects_near(t, &all);
}

void pl__object_contact_expect(const pl__object_contact *t)
{
    list_near_objects(t);
    pl__parallel_for_some(t->s->ctx, t->s->node_count, NODES_PER_CHUNK, &t->s->awake.nodes, predict_nodes, (void *)t);
}

// Update the stick/slip state of a supported node after a solve. True if the solve has to be repeated.
static bool update_stick_slip(const pl__object_contact *t, int32_t n, bool second)
{
    pl__solids *s = t->s;
    pl__node_contacts *c = &s->contacts.node[n];
    const double *r = &s->step.cg.r[3 * (size_t)n];
    double relative[3], pressed = -dot(r, c->support_normal), friction_limit = friction_under(t, n) * fmax(0, pressed);
    relative_velocity(t, n, second, relative);
    if (pressed <= 0 && !second)
    {
        remove_friction(t, n);
        s->contacts.footing[n] = PL__LOOSE;
        return true;
    }
    if (s->contacts.footing[n] == PL__STICKS)
    {
        if (c->turned || dot(r, r) - pressed * pressed <= friction_limit * friction_limit)
            return false;
        c->turned = c->stopped;
        if (c->turned) // reversed by forces, not by friction
            apply_sliding_friction(t, n, second, r, 0, pressed);
        else
            continue_sliding(t, n, second, r, pressed);
        return true;
    }
    if (!c->sticks && dot(relative, c->slip) < 0 && friction_under(t, n) > 0)
    {
        stop_sliding(t, n, second);
        return true;
    }
    if (fabs(friction_limit - c->friction_impulse) <= PL__FRICTION_CHANGE * friction_limit)
        return false;
    double speed = c->drag > 0 ? c->friction_impulse / c->drag * (second && c->half_way ? 2 : 1) : 0;
    apply_sliding_friction(t, n, second, c->slip, speed, pressed);
    return true;
}

bool pl__object_contact_friction_first(const pl__object_contact *t)
{
    bool again = false;
    for (int32_t n = pl__solids_next_awake(t->s, 0, t->s->node_count); n < t->s->node_count;
         n = pl__solids_next_awake(t->s, n + 1, t->s->node_count))
        if (t->s->contacts.footing[n])
            again |= update_stick_slip(t, n, false);
    return again;
}

double pl__object_contact_drag(const pl__object_contact *t, const pl__constraints *constraints, const double *in,
                               double *out)
{
    double sum = 0;
    for (int32_t i = 0; i < constraints->single_count; ++i)
    {
        if (constraints->single[i].slow <= 0)
            continue;
        size_t at = 3 * (size_t)constraints->single[i].node;
        const pl__node_contacts *c = &t->s->contacts.node[constraints->single[i].node];
        double along = dot(c->across, &in[at]);
        sum += c->drag * along * along;
        for (size_t k = 0; k < 3; ++k)
            out[at + k] += c->drag * along * c->across[k];
    }
    return sum;
}

// Correct the friction of a sliding node with velocity v for the change of its normal force in the solve.
static void correct_sliding_friction(const pl__object_contact *t, int32_t n, double factor, double v[3])
{
    pl__solids *s = t->s;
    const pl__node_contacts *c = &s->contacts.node[n];
    size_t at = 3 * (size_t)n;
    double friction_limit = friction_under(t, n) * fmax(0, -dot(&s->step.cg.r[at], c->support_normal)),
           more = fmax(friction_limit - c->friction_impulse, -PL__FRICTION_CHANGE * friction_limit), speed = 0;
    for (size_t i = 0; i < 3; ++i)
    {
        v[i] -= factor * more * s->inverse_inertia[at + i] * c->slip[i];
        speed += (v[i] - c->surface_velocity[i]) * c->slip[i];
    }
    for (int i = 0; speed < 0 && friction_under(t, n) > 0 && i < 3; ++i)
        v[i] -= speed * c->slip[i];
}

// Impulse of constraint and friction on a node in a solve [N s]; velocities are still those of the solve.
static void solved_impulse(const pl__solids *s, int32_t n, double impulse[3])
{
    const pl__node_contacts *c = &s->contacts.node[n];
    size_t at = 3 * (size_t)n;
    double slow = c->drag > 0 ? c->drag * dot(c->across, &s->step.v_end[at]) : 0;
    for (size_t i = 0; i < 3; ++i)
        impulse[i] = c->impulse[i] - slow * c->across[i] - s->step.cg.r[at + i];
}

// Settle a node and record the impulse.
static void correct_first_solve(const pl__object_contact *t, int32_t n, double v[3])
{
    pl__node_contacts *c = &t->s->contacts.node[n];
    double before[3] = {v[0], v[1], v[2]};
    solved_impulse(t->s, n, c->first);
    correct_sliding_friction(t, n, 1, v);
    for (size_t i = 0; i < 3; ++i)
        c->first[i] += t->s->inertia[3 * (size_t)n + i] * (v[i] - before[i]);
}

void pl__object_contact_let_go(const pl__object_contact *t)
{
    pl__solids *s = t->s;
    for (int32_t n = pl__solids_next_awake(s, 0, s->node_count); n < s->node_count;
         n = pl__solids_next_awake(s, n + 1, s->node_count))
    {
        double *v = &s->step.v_end[3 * (size_t)n];
        if (s->contacts.footing[n] == PL__SLIDES && s->evaluation.damped)
        {
            correct_first_solve(t, n, v);
            continue;
        }
        const double *r = &s->step.cg.r[3 * (size_t)n];
        bool down = s->contacts.footing[n] == PL__STICKS && s->evaluation.damped &&
                    s->contacts.node[n].turned; // the excess over the friction limit would be a kick
        double along = down ? dot(r, s->contacts.node[n].support_normal) : 0;
        for (size_t i = 0, k = 3 * (size_t)n; s->contacts.footing[n] && i < 3; ++i, ++k)
            s->step.v_end[k] += s->inverse_inertia[k] * (down ? along * s->contacts.node[n].support_normal[i] : r[i]);
        if (s->contacts.footing[n] == PL__SLIDES)
            s->contacts.footing[n] = PL__LOOSE;
    }
}

// ---- collision -------------------------------------------------------------------------------------------------

// A node that slid through the solve keeps its velocity; it is only pushed out of the surface.
static bool push_out_sliding(const pl__object_contact *t, int32_t n, double landed[3], double normal[3])
{
    const pl__solids *s = t->s;
    size_t at = 3 * (size_t)n;
    for (size_t i = 0; i < 3; ++i)
        landed[i] = s->state.x[at + i] + t->dt * s->step.v_end[at + i];
    double depth = pl__object_distance(&t->object[s->contacts.node[n].under], landed, normal);
    for (int i = 0; depth < 0 && i < 3; ++i)
        landed[i] -= depth * normal[i];
    return true;
}

static bool find_contact_position(const pl__object_contact *t, int32_t n, int32_t k, double landed[3], double normal[3])
{
    const pl__solids *s = t->s;
    size_t at = 3 * (size_t)n;
    double v[3];
    if (s->contacts.footing[n] == PL__SLIDES && s->contacts.node[n].under == k && s->contacts.count[n] == 0)
        return push_out_sliding(t, n, landed, normal);
    for (size_t i = 0; i < 3; ++i)
        v[i] = s->contacts.count[n] ? (s->step.x_end[at + i] - s->state.x[at + i]) / t->dt
                                    : s->step.v_end[at + i]; // as left by the first object
    if (t->projected)
        return pl__object_project(&t->object[k], &s->state.x[at], v, t->dt, landed, normal);
    return pl__object_collide(&t->object[k], friction_with(t, n, k), &s->state.x[at], v, t->dt, landed, normal);
}

static void collide_node(const pl__object_contact *t, int32_t n, int32_t k)
{
    pl__solids *s = t->s;
    double landed[3], normal[3];
    if (!find_contact_position(t, n, k, landed, normal))
        return;
    memcpy(&s->step.x_end[3 * (size_t)n], landed, sizeof landed);
    if (!t->foreseen)
        pl__object_filter_velocity(&t->object[k], friction_with(t, n, k), landed, normal,
                                   &s->step.v_start[3 * (size_t)n]);
    if (s->contacts.count[n] == PL__CONTACTS_PER_NODE)
        return;
    pl__node_contacts *c = &s->contacts.node[n];
    c->object[s->contacts.count[n]] = k;
    memcpy(c->normal[s->contacts.count[n]++], normal, sizeof normal);
    if (friction_with(t, n, k) >= PL__INFINITE_FRICTION && !t->projected)
    {
        s->contacts.footing[n] = PL__STICKS;
        c->sticks = true;
    }
}

// Record the impulse of the collision. Nodes that slid through the first solve keep the impulse of that.
static void record_collision_impulse(const pl__solids *s, int32_t n)
{
    pl__node_contacts *c = &s->contacts.node[n];
    if (s->contacts.footing[n] != PL__SLIDES)
        memset(c->first, 0, sizeof c->first);
    for (size_t i = 0, at = 3 * (size_t)n; i < 3; ++i)
        c->collision_impulse[i] = s->mass[at + i] * (s->step.v_start[at + i] - s->state.v[at + i]);
    c->friction_work = 0;
}

static void collide_nodes(void *argument, int32_t begin, int32_t end)
{
    const pl__object_contact *t = argument;
    pl__solids *s = t->s;
    memset(&s->contacts.count[begin], 0, (size_t)(end - begin));
    visit_awake(t, begin, end, collide_node);
    for (int32_t n = begin; n < end; ++n)
    {
        if (s->contacts.count[n])
            record_collision_impulse(s, n);
        s->contacts.footing[n] =
            s->contacts.footing[n] && s->contacts.node[n].sticks && s->contacts.count[n] > 0 ? PL__STICKS : PL__LOOSE;
    }
}

// Whether friction keeps a node that has landed on a single object from moving along it.
static bool stays(const pl__object_contact *t, int32_t n)
{
    const pl__solids *s = t->s;
    const pl__node_contacts *c = &s->contacts.node[n];
    double carried[3], moved[3], free[3];
    pl__object_velocity(&t->object[c->object[0]], &s->step.x_end[3 * (size_t)n], carried);
    for (size_t i = 0, at = 3 * (size_t)n; i < 3; ++i, ++at)
    {
        moved[i] = (s->step.x_end[at] - s->state.x[at]) / t->dt - carried[i];
        free[i] = s->step.v_end[at] - carried[i];
    }
    double out = dot(moved, c->normal[0]);
    return friction_with(t, n, c->object[0]) > 0 && dot(moved, moved) - out * out <= PL__STAYS2 * dot(free, free);
}

static void foresee_nodes(void *argument, int32_t begin, int32_t end)
{
    const pl__object_contact *t = argument;
    pl__solids *s = t->s;
    memset(&s->contacts.count[begin], 0, (size_t)(end - begin));
    visit_awake(t, begin, end, collide_node);
    for (int32_t n = begin; n < end; ++n)
        if (s->contacts.count[n] == 0)
            s->contacts.footing[n] = PL__LOOSE;
        else if (s->contacts.count[n] == 1 && s->contacts.footing[n] != PL__SLIDES)
            s->contacts.footing[n] = stays(t, n) ? PL__STICKS : PL__LOOSE;
}

void pl__object_contact_foresee(const pl__object_contact *touch)
{
    pl__object_contact t = *touch;
    t.foreseen = true;
    list_near_objects(&t);
    pl__parallel_for_some(t.s->ctx, t.s->node_count, NODES_PER_CHUNK, &t.s->awake.nodes, foresee_nodes, &t);
    return_to_plane(t.s, t.s->step.x_end, t.s->state.x);
}

void pl__object_contact_collide(const pl__object_contact *t)
{
    pl__solids *s = t->s;
    list_near_objects(t);
    pl__parallel_for_some(s->ctx, s->node_count, NODES_PER_CHUNK, &s->awake.nodes, collide_nodes, (void *)t);
    return_to_plane(s, s->step.x_end, s->state.x);
    return_to_plane(s, s->step.v_start, NULL);
}

// ---- the second solve ------------------------------------------------------------------------------------------

// Estimate friction from the explicit velocity: the normal force is that of the forces at the node.
static void estimate_friction(const pl__object_contact *t, int32_t n)
{
    pl__solids *s = t->s;
    size_t at = 3 * (size_t)n;
    double direction[3], change[3];
    for (size_t i = 0; i < 3; ++i)
    {
        change[i] = s->step.rhs[at + i] - s->inertia[at + i] * s->step.v_start[at + i];
        direction[i] =
            s->step.v_start[at + i] - s->contacts.node[n].surface_velocity[i] + change[i] * s->inverse_inertia[at + i];
    }
    continue_sliding(t, n, true, direction, fmax(0, -dot(change, s->contacts.node[n].support_normal)));
}

static void prepare_contact(const pl__object_contact *t, int32_t n, bool half_way)
{
    pl__node_contacts *c = &t->s->contacts.node[n];
    c->half_way = half_way;
    c->under = c->object[0];
    c->sticks = t->s->contacts.footing[n] == PL__STICKS;
    reset_friction(c);
    memcpy(c->support_normal, c->normal[0], sizeof c->support_normal);
    pl__object_velocity(&t->object[c->under], &t->s->step.x_end[3 * (size_t)n], c->surface_velocity);
    if (c->sticks)
        follow_surface(t, n, true);
    else if (t->s->contacts.count[n] == 1 && t->s->evaluation.damped && !t->projected)
        estimate_friction(t, n);
}

void pl__object_contact_hold(const pl__object_contact *t)
{
    for (int32_t i = 0; i < t->s->body_count; ++i)
    {
        const pl__body *body = t->s->body[i];
        for (int32_t n = body->first_node; !body->state.asleep && n < body->first_node + body->node_count; ++n)
            if (t->s->contacts.count[n])
                prepare_contact(t, n, !t->trapezoid && !body->shell);
    }
}

// Nodes in corners are handled after the solve.
bool pl__object_contact_friction_second(const pl__object_contact *t)
{
    bool again = false;
    for (int32_t n = pl__solids_next_awake(t->s, 0, t->s->node_count); n < t->s->node_count && !t->projected;
         n = pl__solids_next_awake(t->s, n + 1, t->s->node_count))
        if (t->s->contacts.count[n] == 1 && t->s->contacts.footing[n])
            again |= update_stick_slip(t, n, true);
    return again;
}

// Velocity of a node without its constraints, except that it is not pulled off the surface. If damping couples nodes,
// the reaction would have been shared by its neighbours: applied to the node alone it would be a kick of many times
// its speed.
static void free_node(const pl__object_contact *t, int32_t n, double factor)
{
    pl__solids *s = t->s;
    double *v = &s->state.v[3 * (size_t)n];
    double dv[3], held[3];
    for (size_t i = 0; i < 3; ++i)
    {
        size_t at = 3 * (size_t)n + i;
        held[i] = s->inverse_inertia[at] * s->step.cg.r[at];
        dv[i] = s->step.v_end[at] - s->step.v_start[at] + held[i];
    }
    for (int i = 0; s->contacts.footing[n] == PL__STICKS && i < 3; ++i)
        v[i] = s->evaluation.damped ? s->contacts.node[n].surface_velocity[i] : v[i] + factor * held[i];
    for (int32_t k = 0; s->contacts.footing[n] == PL__LOOSE && k < s->contacts.count[n]; ++k)
    {
        double pressed = dot(dv, s->contacts.node[n].normal[k]);
        for (int i = 0; pressed < 0 && i < 3; ++i)
            v[i] += factor * pressed * s->contacts.node[n].normal[k][i];
    }
}

// In a corner one surface may send a node into another: iterate.
static void finish_node(const pl__object_contact *t, int32_t n, double factor)
{
    pl__solids *s = t->s;
    int32_t contacts = s->contacts.count[n], rounds = contacts > 1 ? 8 : 1;
    double *v = &s->state.v[3 * (size_t)n];
    if (s->contacts.footing[n] == PL__SLIDES)
    {
        correct_sliding_friction(t, n, factor, v);
        return;
    }
    free_node(t, n, factor);
    for (int32_t i = 0; i < rounds * contacts; ++i)
    {
        int32_t k = s->contacts.node[n].object[i % contacts];
        pl__object_filter_velocity(&t->object[k], friction_with(t, n, k), &s->step.x_end[3 * (size_t)n],
                                   s->contacts.node[n].normal[i % contacts], v);
    }
}

// Take the parts along the normals out of an impulse, first object first. The remainder is friction.
static void divide_impulse(pl__node_contacts *c, int32_t contacts, double impulse[3])
{
    for (int32_t k = 0; k < contacts; ++k)
    {
        double along = dot(impulse, c->normal[k]);
        c->pressed[k] += along;
        for (int i = 0; i < 3; ++i)
            impulse[i] -= along * c->normal[k][i];
    }
}

// Work of friction while a node went from one velocity to another.
static double work_of_friction(const pl__node_contacts *c, const double friction[3], const double from[3],
                               const double to[3])
{
    double mean[3];
    for (int i = 0; i < 3; ++i)
        mean[i] = 0.5 * (from[i] + to[i]) - c->surface_velocity[i];
    return -dot(friction, mean);
}

// `rest` is the impulse of the second solve and of the final friction.
static void sum_impulses(const pl__object_contact *t, int32_t n, double rest[3])
{
    pl__solids *s = t->s;
    pl__node_contacts *c = &s->contacts.node[n];
    size_t at = 3 * (size_t)n;
    double before[3], collision_impulse[3];
    for (size_t i = 0; i < 3; ++i)
    {
        collision_impulse[i] = c->collision_impulse[i];
        before[i] = s->step.v_start[at + i] - s->inverse_mass[at + i] * collision_impulse[i];
    }
    memset(c->pressed, 0, sizeof c->pressed);
    divide_impulse(c, s->contacts.count[n], collision_impulse);
    divide_impulse(c, s->contacts.count[n], rest);
    c->friction_work = work_of_friction(c, collision_impulse, before, &s->step.v_start[at]) +
                       work_of_friction(c, rest, &s->step.v_start[at], &s->state.v[at]);
}

static void finish_nodes(void *argument, int32_t begin, int32_t end)
{
    const pl__object_contact *t = argument;
    pl__solids *s = t->s;
    for (int32_t n = begin; n < end; ++n)
    {
        if (s->contacts.count[n] == 0)
            continue;
        const pl__node_contacts *c = &s->contacts.node[n];
        size_t at = 3 * (size_t)n;
        double factor = c->half_way ? 2 : 1, rest[3],
               before[3] = {s->state.v[at], s->state.v[at + 1], s->state.v[at + 2]};
        solved_impulse(s, n, rest);
        if (!t->projected)
            finish_node(t, n, factor);
        for (size_t i = 0; i < 3; ++i)
            rest[i] = factor * rest[i] + (c->half_way ? 0 : c->first[i]) +
                      s->inertia[at + i] * (s->state.v[at + i] - before[i]);
        sum_impulses(t, n, rest);
    }
}

void pl__object_contact_finish(const pl__object_contact *t)
{
    pl__parallel_for_some(t->s->ctx, t->s->node_count, NODES_PER_CHUNK, &t->s->awake.nodes, finish_nodes, (void *)t);
}

// ---- implicit Euler --------------------------------------------------------------------------------------------

static bool has_contact(const pl__solids *s, int32_t n, int32_t k)
{
    for (int32_t i = 0; i < s->contacts.count[n]; ++i)
        if (s->contacts.node[n].object[i] == k)
            return true;
    return false;
}

static void end_of_node(const pl__object_contact *t, int32_t n, double end[3])
{
    for (size_t i = 0, at = 3 * (size_t)n; i < 3; ++i)
        end[i] = t->s->state.x[at + i] + t->dt * t->s->step.v_end[at + i];
}

static void meet_object(const pl__object_contact *t, int32_t n, int32_t k)
{
    pl__solids *s = t->s;
    double end[3], normal[3];
    if (s->contacts.footing[n] == PL__PINNED || s->contacts.count[n] == PL__CONTACTS_PER_NODE || has_contact(s, n, k))
        return;
    end_of_node(t, n, end);
    if (pl__object_distance(&t->object[k], end, normal) < 0)
        s->contacts.node[n].object[s->contacts.count[n]++] = k;
}

static void meet_objects(void *argument, int32_t begin, int32_t end) { visit_awake(argument, begin, end, meet_object); }

// Contacts of nodes that have no row yet: `rowed` is how many of a node have one.
static void add_rows(const pl__object_contact *t, pl__contact_rows *rows)
{
    pl__solids *s = t->s;
    for (int32_t n = 0; n < s->node_count; ++n)
        for (; s->contacts.node[n].rowed < s->contacts.count[n] && rows->count[1] < s->step.object_row_count;
             ++s->contacts.node[n].rowed)
        {
            int32_t k = s->contacts.node[n].object[s->contacts.node[n].rowed];
            rows->span[1][rows->count[1]++] = (pl__contact_pair){.contact = {.node = {n, -1, k, -1}, .weight = {1}},
                                                                 .friction = friction_with(t, n, k),
                                                                 .kind = PL__NODE_OBJECT,
                                                                 .free = {true}};
        }
}

typedef struct
{
    const pl__object_contact *t;
    pl__contact_rows *rows;
} row_job;

// Where n . s + a = 0 the node is on the surface, as that is around x + dt v_end.
static void measure_rows(void *argument, int32_t begin, int32_t end)
{
    const row_job *j = argument;
    const pl__object_contact *t = j->t;
    for (int32_t i = begin; i < end; ++i)
    {
        pl__contact_pair *p = &j->rows->span[1][i];
        int32_t n = p->contact.node[0];
        const pl__object *o = &t->object[p->contact.node[2]];
        double x[3], *normal = p->contact.normal, carried[3], along = 0, *rub = p->friction_impulse;
        end_of_node(t, n, x);
        p->contact.distance = pl__object_distance(o, x, normal);
        pl__object_carry(o, &t->s->state.x[3 * (size_t)n], t->dt, carried);
        p->allowed = p->contact.distance / t->dt;
        for (size_t d = 0; d < 3; ++d)
        {
            p->given[d] = -carried[d];
            p->allowed -= normal[d] * (t->s->step.v_end[3 * (size_t)n + d] - carried[d]);
            along += rub[d] * normal[d];
        }
        for (int d = 0; d < 3; ++d)
            rub[d] -= along * normal[d];
    }
}

void pl__object_contact_begin_rows(const pl__object_contact *t, const pl__row_memory *memory, pl__contact_rows *rows)
{
    pl__solids *s = t->s;
    for (int32_t n = 0; n < s->node_count; ++n)
        s->contacts.node[n].rowed = 0;
    for (size_t i = 0; i < memory->count; ++i)
    {
        const pl__row_key *key = &memory->row[i].key;
        int32_t n = key->node[0], k = key->node[2];
        if (key->kind == PL__NODE_OBJECT && n < s->node_count && k < t->object_count && !t->object[k].absent &&
            s->contacts.footing[n] != PL__PINNED && s->contacts.count[n] < PL__CONTACTS_PER_NODE &&
            !s->body[pl__solids_body_of(s, n)]->state.asleep)
            s->contacts.node[n].object[s->contacts.count[n]++] = k;
    }
    pl__object_contact_find_rows(t, rows);
}

void pl__object_contact_find_rows(const pl__object_contact *t, pl__contact_rows *rows)
{
    list_near_objects(t);
    pl__parallel_for(t->s->ctx, t->s->node_count, NODES_PER_CHUNK, meet_objects, (void *)t);
    add_rows(t, rows);
    pl__parallel_for(t->s->ctx, rows->count[1], NODES_PER_CHUNK, measure_rows, &(row_job){t, rows});
}

static void report_row(const pl__object_contact *t, const pl__contact_pair *p)
{
    pl__solids *s = t->s;
    int32_t n = p->contact.node[0], slot = s->contacts.count[n]++;
    pl__node_contacts *c = &s->contacts.node[n];
    c->object[slot] = p->contact.node[2];
    c->pressed[slot] = p->impulse;
    memcpy(c->normal[slot], p->contact.normal, sizeof p->contact.normal);
    if (slot == 0)
    {
        reset_friction(c);
        c->under = p->contact.node[2];
        c->friction_work = 0;
        memcpy(c->support_normal, p->contact.normal, sizeof c->support_normal);
        s->contacts.footing[n] = p->sticks ? PL__STICKS : PL__SLIDES;
    }
    for (size_t d = 0, at = 3 * (size_t)n; d < 3; ++d)
    {
        c->surface_velocity[d] = slot == 0 ? -p->given[d] : c->surface_velocity[d];
        c->friction_work -=
            p->friction_impulse[d] * (0.5 * (s->step.v_start[at + d] + s->step.v_end[at + d]) + p->given[d]);
    }
}

int32_t pl__object_contact_report_rows(const pl__object_contact *t, const pl__contact_rows *rows)
{
    pl__solids *s = t->s;
    int32_t nodes = 0;
    for (int32_t i = 0; i < rows->count[1]; ++i)
        s->contacts.count[rows->span[1][i].contact.node[0]] = 0;
    for (int32_t i = 0; i < rows->count[1]; ++i)
        if (rows->span[1][i].impulse > 0)
        {
            nodes += s->contacts.count[rows->span[1][i].contact.node[0]] == 0;
            report_row(t, &rows->span[1][i]);
        }
    return nodes;
}

static void push_out_node(const pl__object_contact *t, int32_t n, int32_t k)
{
    double normal[3], *x = &t->s->step.x_end[3 * (size_t)n], depth = pl__object_distance(&t->object[k], x, normal);
    for (int i = 0; depth < 0 && i < 3; ++i)
        x[i] -= depth * normal[i];
}

static void push_nodes(void *argument, int32_t begin, int32_t end) { visit_awake(argument, begin, end, push_out_node); }

void pl__object_contact_push_out(const pl__object_contact *t)
{
    list_near_objects(t);
    pl__parallel_for(t->s->ctx, t->s->node_count, NODES_PER_CHUNK, push_nodes, (void *)t);
    return_to_plane(t->s, t->s->step.x_end, t->s->state.x);
}

// ---- while surfaces are kept apart -----------------------------------------------------------------------------

static void list_end_contacts(const pl__object_contact *t, int32_t n, pl__foothold *f)
{
    const pl__solids *s = t->s;
    const pl__node_contacts *c = &s->contacts.node[n];
    for (f->count = 0; f->count < s->contacts.count[n]; ++f->count)
    {
        int32_t k = f->count;
        memcpy(f->normal[k], c->normal[k], sizeof f->normal[k]);
        pl__object_velocity(&t->object[c->object[k]], &s->state.x[3 * (size_t)n], f->carried[k]);
        f->friction[k] = friction_with(t, n, c->object[k]);
        f->least[k] = f->known[k] = 0;
    }
}

// Slot for an object among those of a node: the next free one, or, if all are taken, that of a more distant object.
static int32_t find_slot(const pl__foothold *f, double distance)
{
    int32_t place = f->count;
    for (int32_t k = 0; f->count == PL__FOOTHOLDS && k < f->count; ++k)
        if (f->distance[k] > (place < PL__FOOTHOLDS ? f->distance[place] : distance))
            place = k;
    return place;
}

// Add an object within `end_bounds` of the end position of a node. Nodes that slide in the solve have their friction
// there.
static void add_predicted_contact(const pl__object_contact *t, int32_t n, int32_t k, const double v[3], double reach,
                                  pl__foothold *f)
{
    const pl__solids *s = t->s;
    const pl__object *o = &t->object[k];
    double end[3], normal[3], surface_velocity[3];
    bool near = n < o->own_begin || n >= o->own_end;
    for (size_t i = 0; i < 3; ++i)
    {
        end[i] = s->state.x[3 * (size_t)n + i] + t->dt * v[i];
        near &= end[i] > o->lower[i] - reach && end[i] < o->upper[i] + reach;
    }
    if (!near)
        return;
    double distance = pl__object_distance(o, end, normal);
    int32_t place = find_slot(f, distance);
    if (!(distance < reach) || place == PL__FOOTHOLDS)
        return;
    pl__object_velocity(o, end, surface_velocity);
    double relative[3] = {v[0] - surface_velocity[0], v[1] - surface_velocity[1], v[2] - surface_velocity[2]};
    memcpy(f->normal[place], normal, sizeof normal);
    memcpy(f->carried[place], surface_velocity, sizeof surface_velocity);
    f->distance[place] = distance;
    f->least[place] = dot(relative, normal) - distance / t->dt;
    f->known[place] = fmax(0, -distance / t->dt);
    f->friction[place] = s->contacts.footing[n] == PL__SLIDES && s->evaluation.damped ? 0 : friction_with(t, n, k);
    f->count += place == f->count;
}

bool pl__object_contact_stand(const pl__object_contact *t, int32_t n, const double v[3], double reach, bool at_end,
                              pl__foothold *f)
{
    bool many = t->object_count >= MANY_OBJECTS;
    f->count = 0;
    if (at_end)
        list_end_contacts(t, n, f);
    for (int32_t i = 0; !at_end && i < (many ? t->s->contacts.near_count : t->object_count); ++i)
        add_predicted_contact(t, n, many ? t->s->contacts.near_object[i] : i, v, reach, f);
    return f->count > 0;
}

// If friction stops a node it dissipates its tangential kinetic energy; if the node slides, friction works at the
// final velocity.
void pl__object_contact_note(const pl__object_contact *t, const pl__foothold *f)
{
    pl__solids *s = t->s;
    size_t at = 3 * (size_t)f->node;
    pl__node_contacts *c = &s->contacts.node[f->node];
    double impulse[3], before[3], after[3];
    for (size_t i = 0; i < 3; ++i)
    {
        impulse[i] = s->mass[at + i] * (s->state.v[at + i] - f->free[i]);
        before[i] = f->before[i] - f->carried[0][i];
        after[i] = s->state.v[at + i] - f->carried[0][i];
    }
    divide_impulse(c, f->count, impulse);
    double along = dot(before, f->normal[0]);
    c->friction_work += f->sticks ? 0.5 * s->mass[at] * (dot(before, before) - along * along) : -dot(impulse, after);
}

// ---- depth -----------------------------------------------------------------------------------------------------

static void update_depth(const pl__object_contact *t, int32_t n, int32_t k)
{
    double normal[3];
    t->depth[n] = fmax(t->depth[n], -pl__object_distance(&t->object[k], &t->s->state.x[3 * (size_t)n], normal));
}

static void measure_nodes(void *argument, int32_t begin, int32_t end)
{
    const pl__object_contact *t = argument;
    memset(&t->depth[t->first + begin], 0, (size_t)(end - begin) * sizeof *t->depth);
    visit(t, t->first + begin, t->first + end, update_depth);
}

void pl__object_contact_depths(const pl__object_contact *touch, int32_t begin, int32_t end, double *depth)
{
    pl__object_contact now = *touch;
    now.dt = 0;
    now.first = begin;
    now.depth = depth;
    pl__object_contact_prepare(&now);
    box all = end_bounds(&now, begin, end);
    if (now.object_count >= MANY_OBJECTS)
        list_objects_near(&now, &all);
    pl__parallel_for(now.s->ctx, end - begin, NODES_PER_CHUNK, measure_nodes, &now);
}

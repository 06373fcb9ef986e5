// src/contact/object.c -- points against level sets (thesis 3.2).
//
// A node that would end inside is stopped where the signed distance changes sign, at the fraction
//
//     theta = phi(x) / (phi(x) - phi(x + dt v)),        clamped to [0, 1] (phi(x) < 0 happens),
//
// of the step, and goes on from there with the velocity Gamma(v) for the remaining (1 - theta) dt. For a moving object
// all distances are to the object at the end of the step, with phi(x) + dt v_B.N in place of phi(x).
//
// v_B is the velocity of the object's surface at the point, V + w x r for an angular velocity w. What sticks goes
// around with it: with v_B of the start of the step it would spiral outward by (w dt)^2/2 per step; with v_B of the
// middle of the way, which we take for the motion of a step, by (w dt)^4/8.
//
// Gamma(v) = v_B + v_N' N + max(0, 1 - mu (v_N' - v_N) / |v_T|) v_T  for the velocity relative to the object, v_N' =
// max(v_N, 0). (Print has a spurious T and does not say what happens for v_T = 0: nothing to rub.)
//
// What it does badly: it linearises, so a node that slides around a small sphere leaves it a little; what ends up
// inside after all is put on the surface along the normal.
#include "object.h"
#include "tolerances.h"

#include <math.h>
#include <string.h>

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

double pl__object_distance(const pl__object *object, const double x[3], double normal[3])
{
    const pl_object_def *def = &object->shape->def;
    if (object->actor)
        return pl__actor_distance(object->actor, x, normal);
    pl_vec3 r = pl_make3(x[0] - object->at[0], x[1] - object->at[1], x[2] - object->at[2]), n;
    if (def->kind == PL_OBJECT_SPHERE) // looks alike from all sides
        return pl__shape_distance(object->shape, r.v, normal);
    if (def->kind == PL_OBJECT_PLANE)
    {
        n = pl_quat_turn(object->turned, pl_make3(def->normal[0], def->normal[1], def->normal[2]));
        memcpy(normal, n.v, sizeof n.v);
        return pl_dot3(r, n);
    }
    r = pl_quat_turn(pl_quat_conjugate(object->turned), r);
    double distance = pl__shape_distance(object->shape, r.v, n.v);
    n = pl_quat_turn(object->turned, n);
    memcpy(normal, n.v, sizeof n.v);
    return distance;
}

static bool is_far(const pl__object *object, const double x[3])
{
    return object->actor && pl__actor_is_far(object->actor, x);
}

static bool turns(const pl__object *object)
{
    return object->angular[0] != 0 || object->angular[1] != 0 || object->angular[2] != 0;
}

void pl__object_velocity(const pl__object *object, const double point[3], double v[3])
{
    const double *w = object->angular;
    if (object->actor)
    {
        pl__actor_velocity(object->actor, point, v);
        return;
    }
    memcpy(v, object->velocity, sizeof object->velocity);
    if (!turns(object))
        return;
    double r[3] = {point[0] - object->at[0], point[1] - object->at[1], point[2] - object->at[2]};
    for (int i = 0; i < 3; ++i)
        v[i] += w[(i + 1) % 3] * r[(i + 2) % 3] - w[(i + 2) % 3] * r[(i + 1) % 3];
}

void pl__object_filter_velocity(const pl__object *object, double friction, const double point[3],
                                const double normal[3], double v[3])
{
    double surface[3], relative[3], along = 0;
    pl__object_velocity(object, point, surface);
    for (int i = 0; i < 3; ++i)
    {
        relative[i] = v[i] - surface[i];
        along += relative[i] * normal[i];
    }
    if (along >= 0)
        return;
    double tangent[3];
    for (int i = 0; i < 3; ++i)
        tangent[i] = relative[i] - along * normal[i];
    double speed = sqrt(dot(tangent, tangent));
    double keep = speed > 0 ? fmax(0, 1 + friction * along / speed) : 0;
    for (int i = 0; i < 3; ++i)
        v[i] = surface[i] + keep * tangent[i];
}

// Where the surface's own particle at x is half-way through the step, relative to where the object ends. Those of
// actors go straight, and are known by where they end.
static void middle_of_way(const pl__object *object, const double x[3], double dt, double middle[3])
{
    double start[3], v[3];
    if (object->actor)
    {
        pl__actor_velocity(object->actor, x, v);
        for (int i = 0; i < 3; ++i)
            middle[i] = x[i] + dt * v[i];
        return;
    }
    for (int i = 0; i < 3; ++i)
        start[i] = x[i] + dt * object->velocity[i];
    pl__object_velocity(object, start, v);
    for (int i = 0; i < 3; ++i)
        middle[i] = start[i] + 0.5 * dt * (v[i] - object->velocity[i]);
}

void pl__object_carry(const pl__object *object, const double x[3], double dt, double v[3])
{
    double middle[3];
    middle_of_way(object, x, dt, middle);
    pl__object_velocity(object, middle, v);
}

// Whether a node ends inside if nothing stops it; where, how deep, and the normal there.
static bool ends_inside(const pl__object *object, const double x[3], const double v[3], double dt, double end[3],
                        double normal[3], double *phi)
{
    for (int i = 0; i < 3; ++i)
        end[i] = x[i] + dt * v[i];
    if (is_far(object, end))
        return false;
    *phi = pl__object_distance(object, end, normal);
    return *phi < 0;
}

bool pl__object_collide(const pl__object *object, double friction, const double x[3], const double v[3], double dt,
                        double x_end[3], double normal[3])
{
    double end[3], ignored[3], middle[3], surface[3], phi_end;
    if (!ends_inside(object, x, v, dt, end, normal, &phi_end))
        return false;
    middle_of_way(object, x, dt, middle);
    pl__object_velocity(object, middle, surface);
    double phi = pl__object_distance(object, x, ignored) + dt * dot(surface, normal);
    double theta = phi > 0 ? phi / (phi - phi_end) : 0;
    double along[3] = {v[0], v[1], v[2]};
    pl__object_filter_velocity(object, friction, middle, normal, along);
    for (int i = 0; i < 3; ++i)
        x_end[i] = x[i] + theta * dt * v[i] + (1 - theta) * dt * along[i];
    double outward[3];
    double inside = pl__object_distance(object, x_end, outward);
    for (int i = 0; inside < 0 && i < 3; ++i)
        x_end[i] -= inside * outward[i];
    return true;
}

bool pl__object_project(const pl__object *object, const double x[3], const double v[3], double dt, double x_end[3],
                        double normal[3])
{
    double depth;
    if (!ends_inside(object, x, v, dt, x_end, normal, &depth))
        return false;
    for (int i = 0; i < 3; ++i)
        x_end[i] -= depth * normal[i];
    return true;
}

// The length of what is left of v across the normal.
static double tangent(const double v[3], const double normal[3])
{
    double along = dot(v, normal), t[3];
    for (int i = 0; i < 3; ++i)
        t[i] = v[i] - along * normal[i];
    return sqrt(dot(t, t));
}

// Whether a node that is let loose would end inside; the velocity of the surface there, and how far it is from it [m].
static bool is_pressed(const pl__object *object, const double x[3], const double loose[3], double dt, double carried[3],
                       double normal[3], double *gap, double *depth)
{
    double end[3], ignored[3], middle[3];
    if (!ends_inside(object, x, loose, dt, end, normal, depth))
        return false;
    middle_of_way(object, x, dt, middle);
    pl__object_velocity(object, middle, carried);
    *gap = pl__object_distance(object, x, ignored) + dt * dot(carried, normal);
    return true;
}

// Whether what moves as `carried` holds it, and whether with all that friction has.
static bool is_held(double friction, const double v[3], const double loose[3], const double carried[3],
                    const double normal[3], bool *sticks)
{
    double relative[3], free[3], pressed = 0;
    for (int i = 0; i < 3; ++i)
    {
        relative[i] = v[i] - carried[i];
        free[i] = loose[i] - carried[i];
        pressed -= free[i] * normal[i];
    }
    *sticks = tangent(relative, normal) <= PL__STICK_SPEED * pressed || tangent(free, normal) <= friction * pressed;
    return pressed > 0;
}

// On the surface: the way to it is nothing beside the way into it.
bool pl__object_supports(const pl__object *object, double friction, const double x[3], const double v[3],
                         const double loose[3], double dt, double carried[3], double normal[3], bool *sticks)
{
    double gap, depth;
    if (!is_pressed(object, x, loose, dt, carried, normal, &gap, &depth) || gap > -PL__SUPPORT_GAP * depth)
        return false;
    return is_held(friction, v, loose, carried, normal, sticks);
}

// ---- motion ----------------------------------------------------------------------------------------------------

void pl__object_turn(pl__object *object, pl_quat turned) { object->turned = turned; }

static bool stands(const pl__object *object)
{
    const double *v = object->velocity;
    return !object->actor && !object->scripted_at && !object->scripted_turn && v[0] == 0 && v[1] == 0 && v[2] == 0 &&
           !turns(object);
}

// What dt turns it by: the same as in the last substep, as a rule.
static void spin(pl__object *object, double dt)
{
    double now[4] = {object->angular[0], object->angular[1], object->angular[2], dt};
    if (memcmp(now, object->spun, sizeof now) == 0)
        return;
    memcpy(object->spun, now, sizeof now);
    object->turn = pl_quat_from_vector(pl_make3(dt * now[0], dt * now[1], dt * now[2]));
}

void pl__object_move(pl__object *object, double dt)
{
    memcpy(object->before, object->at, sizeof object->before);
    object->turned_before = object->turned;
    if (stands(object))
        return;
    for (int i = 0; object->scripted_at && i < 3; ++i)
        object->velocity[i] = (object->at_end[i] - object->at[i]) / dt;
    for (int i = 0; i < 3; ++i)
        object->at[i] = object->scripted_at ? object->at_end[i] : object->at[i] + dt * object->velocity[i];
    if (object->scripted_turn)
    {
        pl_vec3 way = pl_quat_to_vector(pl_quat_mul(object->turned_end, pl_quat_conjugate(object->turned)));
        for (int i = 0; i < 3; ++i)
            object->angular[i] = way.v[i] / dt;
        pl__object_turn(object, object->turned_end);
    }
    else if (turns(object))
    {
        spin(object, dt);
        pl__object_turn(object, pl_quat_unit(pl_quat_mul(object->turn, object->turned)));
    }
    if (object->actor)
        pl__actor_move(object->actor, object->at, object->turned, dt);
}

void pl__object_return(pl__object *object)
{
    memcpy(object->at, object->before, sizeof object->at);
    pl__object_turn(object, object->turned_before);
    if (object->actor)
        pl__actor_return(object->actor);
}

// Nothing is in it.
static void close_box(pl__object *object)
{
    for (int i = 0; i < 3; ++i)
        object->lower[i] = INFINITY, object->upper[i] = -INFINITY;
}

// The box of a shape as it is turned, relative to its origin.
static void turn_box(const pl__object *object, double offset[2][3])
{
    double lower[3], upper[3], reach[3];
    pl_vec3 middle;
    pl__shape_bounds(object->shape, lower, upper);
    for (int i = 0; i < 3; ++i)
    {
        middle.v[i] = 0.5 * (lower[i] + upper[i]);
        reach[i] = 0.5 * (upper[i] - lower[i]);
    }
    bool endless = !(reach[0] + reach[1] + reach[2] < INFINITY);
    middle = pl_quat_turn(object->turned, endless ? pl_make3(0, 0, 0) : middle);
    for (int i = 0; i < 3; ++i)
    {
        offset[0][i] = endless ? -INFINITY : middle.v[i];
        offset[1][i] = endless ? INFINITY : middle.v[i];
    }
    for (int axis = 0; axis < 3 && !endless; ++axis)
    {
        pl_vec3 edge = pl_quat_turn(
            object->turned, pl_make3(axis == 0 ? reach[0] : 0, axis == 1 ? reach[1] : 0, axis == 2 ? reach[2] : 0));
        for (int i = 0; i < 3; ++i)
        {
            offset[0][i] -= fabs(edge.v[i]);
            offset[1][i] += fabs(edge.v[i]);
        }
    }
}

// To the farthest corner of the box of a shape, and a little for rounding.
static double radius_of(const pl__shape *shape)
{
    double lower[3], upper[3], sum = 0;
    pl__shape_bounds(shape, lower, upper);
    for (int i = 0; i < 3; ++i)
    {
        double far = fmax(fabs(lower[i]), fabs(upper[i]));
        sum += far * far;
    }
    return (1 + PL__SPHERE_ROUNDING) * sqrt(sum);
}

void pl__object_place(pl__object *object)
{
    if (object->absent)
    {
        close_box(object);
        return;
    }
    if (object->actor)
    {
        pl__actor_fit(object->actor, object->lower, object->upper);
        return;
    }
    if (!object->placed)
        object->radius = radius_of(object->shape);
    if (!object->placed || memcmp(&object->turned, &object->placed_turn, sizeof object->turned) != 0)
    {
        turn_box(object, object->offset);
        object->placed_turn = object->turned;
        object->placed = true;
    }
    for (int i = 0; i < 3; ++i)
    {
        object->lower[i] = object->at[i] + object->offset[0][i];
        object->upper[i] = object->at[i] + object->offset[1][i];
    }
}

bool pl__object_is_far(const pl__object *object, const double lower[3], const double upper[3])
{
    if (object->absent)
        return true;
    if (object->actor || !object->placed)
        return false;
    for (int i = 0; i < 3; ++i)
        if (object->at[i] - object->radius > upper[i] || object->at[i] + object->radius < lower[i])
            return true;
    return false;
}

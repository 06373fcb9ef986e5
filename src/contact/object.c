// src/contact/object.c -- points against level sets (thesis 3.2).
//
// A node that would end inside is stopped where the signed distance changes sign, at the fraction
//
//     theta = phi(x) / (phi(x) - phi(x + dt v)),        clamped to [0, 1] (phi(x) < 0 happens),
//
// of the step, and goes on from there with the velocity Gamma(v) for the remaining (1 - theta) dt. For a moving object
// all distances are to the object at the end of the step, with phi(x) + dt v_B.N in place of phi(x).
//
// Gamma(v) = v_B + v_N' N + max(0, 1 - mu (v_N' - v_N) / |v_T|) v_T  for the velocity relative to the object, v_N' = max(v_N, 0).
// (Print has a spurious T and does not say what happens for v_T = 0: nothing to rub.)
//
// What it does badly: it linearises, so a node that slides around a small sphere leaves it a little; what ends up inside
// after all is put on the surface along the normal.
#include "object.h"

#include <math.h>

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

double pl__object_distance(const pl__object *object, const double x[3], double normal[3])
{
    double r[3] = {x[0] - object->at[0], x[1] - object->at[1], x[2] - object->at[2]};
    if (object->kind == PL__OBJECT_PLANE)
    {
        for (int i = 0; i < 3; ++i)
            normal[i] = object->normal[i];
        return dot(r, normal);
    }
    double length = sqrt(dot(r, r));
    for (int i = 0; i < 3; ++i)
        normal[i] = length > 0 ? r[i] / length : i == 1; // the centre is pushed up
    return length - object->radius;
}

void pl__object_filter_velocity(const pl__object *object, const double normal[3], double v[3])
{
    double relative[3], along = 0;
    for (int i = 0; i < 3; ++i)
    {
        relative[i] = v[i] - object->velocity[i];
        along += relative[i] * normal[i];
    }
    if (along >= 0)
        return;
    double tangent[3];
    for (int i = 0; i < 3; ++i)
        tangent[i] = relative[i] - along * normal[i];
    double speed = sqrt(dot(tangent, tangent));
    double keep = speed > 0 ? fmax(0, 1 + object->friction * along / speed) : 0;
    for (int i = 0; i < 3; ++i)
        v[i] = object->velocity[i] + keep * tangent[i];
}

bool pl__object_collide(const pl__object *object, const double x[3], const double v[3], double dt, double x_end[3],
                        double normal[3])
{
    double end[3], ignored[3];
    for (int i = 0; i < 3; ++i)
        end[i] = x[i] + dt * v[i];
    double phi_end = pl__object_distance(object, end, normal);
    if (!(phi_end < 0))
        return false;
    double phi = pl__object_distance(object, x, ignored) + dt * dot(object->velocity, normal);
    double theta = phi > 0 ? phi / (phi - phi_end) : 0;
    double along[3] = {v[0], v[1], v[2]};
    pl__object_filter_velocity(object, normal, along);
    for (int i = 0; i < 3; ++i)
        x_end[i] = x[i] + theta * dt * v[i] + (1 - theta) * dt * along[i];
    double outward[3];
    double inside = pl__object_distance(object, x_end, outward);
    for (int i = 0; inside < 0 && i < 3; ++i)
        x_end[i] -= inside * outward[i];
    return true;
}

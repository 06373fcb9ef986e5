// src/element/spring.c -- rest shapes of springs, and the scalar reference implementation of their kernels.
#include "spring.h"
#include "math/vec3.h"

void pl__spring_rest_set(pl__spring_rest *rest, int32_t lane, const int32_t node[2], double length, double stiffness,
                         double damping)
{
    for (int k = 0; k < 2; ++k)
        rest->node[k][lane] = node[k];
    rest->length[lane] = length;
    rest->stiffness[lane] = stiffness;
    rest->damping[lane] = damping;
    rest->gain[lane] = 0;
}

void pl__spring_rest_set_stiffness(pl__spring_rest *rest, int32_t lane, double stiffness, double damping)
{
    rest->stiffness[lane] = stiffness;
    rest->damping[lane] = damping;
}

void pl__spring_rest_set_gain(pl__spring_rest *rest, int32_t lane, const double mass_share[2])
{
    rest->gain[lane] = 1 / mass_share[0] + 1 / mass_share[1];
}

void pl__spring_rest_stiffness(const pl__spring_rest *rest, int32_t lane, double corner[2])
{
    corner[0] = corner[1] = rest->stiffness[lane];
}

void pl__spring_rest_clear(pl__spring_rest *rest, int32_t lane, int32_t node)
{
    pl__spring_rest_set(rest, lane, (const int32_t[2]){node, node}, 0, 0, 0);
}

// ---- reference ---------------------------------------------------------------------------------------------------

static pl_vec3 between(const pl__spring_rest *rest, int32_t lane, const double *u)
{
    const double *a = &u[3 * rest->node[0][lane]], *b = &u[3 * rest->node[1][lane]];
    return pl_make3(b[0] - a[0], b[1] - a[1], b[2] - a[2]);
}

static void pull(pl_vec3 along, double tension, double force[2][3])
{
    for (int i = 0; i < 3; ++i)
    {
        force[0][i] = tension * along.v[i];
        force[1][i] = -tension * along.v[i];
    }
}

static pl_vec3 direction(pl_vec3 d)
{
    double length = pl_length3(d);
    return pl_scale3(length > 0 ? 1 / length : 0, d);
}

void pl__spring_force_reference(const pl__element_group *group, int32_t spring, const double *x, double strength,
                                double force[2][3], double *energy)
{
    const pl__spring_rest *rest = &group->spring[spring / PL_ELEMENT_LANES];
    int32_t lane = spring % PL_ELEMENT_LANES;
    pl_vec3 d = between(rest, lane, x);
    double extension = pl_length3(d) - rest->length[lane], stiffness = strength * rest->stiffness[lane];
    pull(direction(d), stiffness * extension, force);
    if (energy)
        *energy = 0.5 * stiffness * extension * extension;
}

void pl__spring_damping_reference(const pl__element_group *group, int32_t spring, const double *x, const double *v,
                                  double strength, double force[2][3])
{
    const pl__spring_rest *rest = &group->spring[spring / PL_ELEMENT_LANES];
    int32_t lane = spring % PL_ELEMENT_LANES;
    pl_vec3 n = direction(between(rest, lane, x));
    double rate = pl_dot3(n, between(rest, lane, v));
    pull(n, -strength * rest->damping[lane] * rest->stiffness[lane] * rate, force);
}

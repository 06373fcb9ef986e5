// src/solid/grab.c -- a grab: a spring that holds a patch of a body.
//
// The patch has mass m and centre p = sum m_i x_i / m; the grab pulls p + lead to T(t). All nodes of the patch feel
// the same force per unit mass,
//
//     k (T - lead - p) + c (T' - v_i),       k = K / m,   c = 2 sqrt(K M) / m,
//
// K the stiffness of the spring and M the mass of the whole body, so that a lifted body does not oscillate. The spring
// acts on the centre only and leaves the patch free to bend and rotate; its damping acts on every node. As with soft
// pins (pin.c has the solves) the spring is implicit: in a solve a grabbed node is heavier and gets a push. There
// every node has its own spring; here they share one, but the term that makes the spring implicit, dt k on the
// velocity of each node, is kept: it is at least as large as the stiffness it stands for, so that a grab of any
// stiffness is stable.
//
// What it does badly: that term damps the motion within the patch, the more the stiffer the spring.
#include "grab.h"

#include <math.h>
#include <string.h>

static double patch_mass(const pl__grab *grab)
{
    double mass = 0;
    for (int32_t i = 0; i < grab->count; ++i)
        mass += grab->body->mass[grab->node[i]];
    return mass;
}

static size_t node_at(const pl__grab *grab, int32_t i) { return 3 * (size_t)(grab->body->first_node + grab->node[i]); }

void pl__grab_middle(const pl__solids *s, const pl__grab *grab, double middle[3])
{
    double mass = patch_mass(grab);
    for (size_t k = 0; k < 3; ++k)
    {
        double sum = 0;
        for (int32_t i = 0; i < grab->count; ++i)
            sum += grab->body->mass[grab->node[i]] * s->state.x[node_at(grab, i) + k];
        middle[k] = sum / mass;
    }
}

void pl__grabs_reset(pl__solids *s, const pl__grab *grab, int32_t count)
{
    for (int32_t g = 0; g < count; ++g)
        for (int32_t i = 0; grab[g].id && i < grab[g].count; ++i)
            for (size_t at = node_at(&grab[g], i); at < node_at(&grab[g], i) + 3; ++at)
            {
                s->inertia[at] = s->mass[at];
                s->inverse_inertia[at] = s->inverse_mass[at];
                s->push[at] = 0;
            }
}

static void apply_spring(pl__solids *s, const pl__grab *grab, double dt, double h, const double *damped_velocity)
{
    double mass = patch_mass(grab), k = grab->stiffness / mass,
           c = 2 * sqrt(grab->stiffness * grab->body->total_mass) / mass;
    double b = c + dt * k, weight = damped_velocity ? dt * b : h * b, middle[3], q[3];
    pl__grab_middle(s, grab, middle);
    for (int j = 0; j < 3; ++j)
        q[j] = k * (grab->to[j] - grab->lead[j] - middle[j]) + c * (grab->to[j] - grab->at[j]) / dt;
    for (int32_t i = 0; i < grab->count; ++i)
        for (size_t j = 0, at = node_at(grab, i); j < 3; ++j, ++at)
        {
            s->inertia[at] += s->mass[at] * weight;
            s->inverse_inertia[at] = 1 / s->inertia[at];
            s->push[at] += h * (damped_velocity ? q[j] + b * damped_velocity[at] : q[j]);
        }
}

void pl__grab_soften(pl__solids *s, const pl__grab *grab, double dt, const double *damped_velocity)
{
    apply_spring(s, grab, dt, 0.5 * dt, damped_velocity);
}

void pl__grab_soften_whole(pl__solids *s, const pl__grab *grab, double dt) { apply_spring(s, grab, dt, dt, NULL); }

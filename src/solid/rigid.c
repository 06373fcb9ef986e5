// src/solid/rigid.c
#include "rigid.h"

#include <string.h>

pl__rigid_motion pl__rigid_measure(const pl__solids *s, const pl__body *body)
{
    pl__rigid_motion m = {0};
    const double *x = &s->x[3 * (size_t)body->first_node], *v = &s->v[3 * (size_t)body->first_node];
    for (size_t n = 0; n < (size_t)body->node_count; ++n)
    {
        m.mass += body->mass[n];
        for (int i = 0; i < 3; ++i)
        {
            m.centre[i] += body->mass[n] * x[3 * n + (size_t)i];
            m.velocity[i] += body->mass[n] * v[3 * n + (size_t)i];
        }
    }
    for (int i = 0; i < 3; ++i)
    {
        m.centre[i] /= m.mass;
        m.velocity[i] /= m.mass;
    }
    for (size_t n = 0; n < (size_t)body->node_count; ++n)
    {
        double mass = body->mass[n], r[3], u[3];
        for (int i = 0; i < 3; ++i)
        {
            r[i] = x[3 * n + (size_t)i] - m.centre[i];
            u[i] = v[3 * n + (size_t)i] - m.velocity[i];
            m.relative += 0.5 * mass * u[i] * u[i];
        }
        double r2 = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
        for (int i = 0; i < 3; ++i)
        {
            m.angular[i] += mass * (r[(i + 1) % 3] * u[(i + 2) % 3] - r[(i + 2) % 3] * u[(i + 1) % 3]);
            for (int j = 0; j < 3; ++j)
                m.inertia.c[j][i] += mass * ((i == j ? r2 : 0) - r[i] * r[j]);
        }
    }
    return m;
}

bool pl__rigid_rotation(const pl__rigid_motion *m, const double L[3], double omega[3])
{
    double trace = m->inertia.c[0][0] + m->inertia.c[1][1] + m->inertia.c[2][2];
    memset(omega, 0, 3 * sizeof *omega);
    if (!(pl_det3(&m->inertia) > 1e-12 * trace * trace * trace))
        return false;
    pl_mat3 inverse = pl_inverse3(&m->inertia);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            omega[i] += inverse.c[j][i] * L[j];
    return true;
}

void pl__rigid_turn(pl__solids *s, const pl__body *body, const pl__rigid_motion *m, const double omega[3])
{
    const double *x = &s->x[3 * (size_t)body->first_node];
    double *v = &s->v[3 * (size_t)body->first_node];
    for (size_t n = 0; n < (size_t)body->node_count; ++n)
    {
        double r[3];
        for (int i = 0; i < 3; ++i)
            r[i] = x[3 * n + (size_t)i] - m->centre[i];
        for (int i = 0; body->mass[n] > 0 && i < 3; ++i)
            v[3 * n + (size_t)i] += omega[(i + 1) % 3] * r[(i + 2) % 3] - omega[(i + 2) % 3] * r[(i + 1) % 3];
    }
}

void pl__rigid_remember(pl__solids *s)
{
    for (int32_t i = 0; i < s->body_count; ++i)
        if (!pl__body_is_held(s->body[i]) && !s->body[i]->asleep)
        {
            pl__rigid_motion m = pl__rigid_measure(s, s->body[i]);
            memcpy(s->body[i]->spin, m.angular, sizeof m.angular);
        }
}

static bool touched(const pl__solids *s, const pl__body *body)
{
    if (body->pressed)
        return true;
    for (int32_t n = 0; n < body->node_count; ++n)
        if (s->contact_count[body->first_node + n])
            return true;
    return false;
}

void pl__rigid_restore(pl__solids *s)
{
    for (int32_t i = 0; i < s->body_count; ++i)
    {
        pl__body *body = s->body[i];
        if (body->asleep || pl__body_is_held(body) || pl__body_is_dragged(body) || touched(s, body))
            continue;
        pl__rigid_motion m = pl__rigid_measure(s, body);
        double lost[3], omega[3];
        for (int k = 0; k < 3; ++k)
            lost[k] = body->spin[k] - m.angular[k];
        if (pl__rigid_rotation(&m, lost, omega))
            pl__rigid_turn(s, body, &m, omega);
    }
}

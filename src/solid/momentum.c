// src/solid/momentum.c -- see momentum.h.
#include "momentum.h"
#include "tolerances.h"

#include <string.h>

// Contribution of node n of a body to mass and centre; and, once these are known, to the rest.
static void add_mass(const pl__solids *s, const pl__body *body, size_t n, pl__rigid_motion *m)
{
    const double *x = &s->state.x[3 * ((size_t)body->first_node + n)],
                 *v = &s->state.v[3 * ((size_t)body->first_node + n)];
    m->mass += body->mass[n];
    for (int i = 0; i < 3; ++i)
    {
        m->centre[i] += body->mass[n] * x[i];
        m->velocity[i] += body->mass[n] * v[i];
    }
}

static void divide_by_mass(pl__rigid_motion *m)
{
    for (int i = 0; i < 3; ++i)
    {
        m->centre[i] /= m->mass;
        m->velocity[i] /= m->mass;
    }
}

static void add_rotation(const pl__solids *s, const pl__body *body, size_t n, pl__rigid_motion *m)
{
    const double *x = &s->state.x[3 * ((size_t)body->first_node + n)],
                 *v = &s->state.v[3 * ((size_t)body->first_node + n)];
    double mass = body->mass[n], r[3], u[3];
    for (int i = 0; i < 3; ++i)
    {
        r[i] = x[i] - m->centre[i];
        u[i] = v[i] - m->velocity[i];
        m->relative += 0.5 * mass * u[i] * u[i];
    }
    double r2 = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    for (int i = 0; i < 3; ++i)
    {
        m->angular[i] += mass * (r[(i + 1) % 3] * u[(i + 2) % 3] - r[(i + 2) % 3] * u[(i + 1) % 3]);
        for (int j = 0; j < 3; ++j)
            m->inertia.c[j][i] += mass * ((i == j ? r2 : 0) - r[i] * r[j]);
    }
}

pl__rigid_motion pl__rigid_measure(const pl__solids *s, const pl__body *body)
{
    pl__rigid_motion m = {0};
    for (size_t n = 0; n < (size_t)body->node_count; ++n)
        add_mass(s, body, n, &m);
    divide_by_mass(&m);
    for (size_t n = 0; n < (size_t)body->node_count; ++n)
        add_rotation(s, body, n, &m);
    return m;
}

static void measure_pieces(const pl__solids *s, const pl__body *body)
{
    for (int32_t k = 0; k < body->pieces.count; ++k)
        body->pieces.motion[k].now = (pl__rigid_motion){0};
    for (size_t n = 0; n < (size_t)body->node_count; ++n)
        add_mass(s, body, n, &body->pieces.motion[body->pieces.of_node[n]].now);
    for (int32_t k = 0; k < body->pieces.count; ++k)
        divide_by_mass(&body->pieces.motion[k].now);
    for (size_t n = 0; n < (size_t)body->node_count; ++n)
        add_rotation(s, body, n, &body->pieces.motion[body->pieces.of_node[n]].now);
}

bool pl__rigid_rotation(const pl__rigid_motion *m, const double L[3], double omega[3])
{
    double trace = m->inertia.c[0][0] + m->inertia.c[1][1] + m->inertia.c[2][2];
    memset(omega, 0, 3 * sizeof *omega);
    if (!(pl_det3(&m->inertia) > PL__INERTIA_SINGULAR * trace * trace * trace))
        return false;
    pl_mat3 inverse = pl_inverse3(&m->inertia);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            omega[i] += inverse.c[j][i] * L[j];
    return true;
}

static void add_node_rotation(pl__solids *s, const pl__body *body, size_t n, const pl__rigid_motion *m,
                              const double omega[3])
{
    const double *x = &s->state.x[3 * ((size_t)body->first_node + n)];
    double *v = &s->state.v[3 * ((size_t)body->first_node + n)],
           r[3] = {x[0] - m->centre[0], x[1] - m->centre[1], x[2] - m->centre[2]};
    for (int i = 0; body->mass[n] > 0 && i < 3; ++i)
        v[i] += omega[(i + 1) % 3] * r[(i + 2) % 3] - omega[(i + 2) % 3] * r[(i + 1) % 3];
}

void pl__rigid_turn(pl__solids *s, const pl__body *body, const pl__rigid_motion *m, const double omega[3])
{
    for (size_t n = 0; n < (size_t)body->node_count; ++n)
        add_node_rotation(s, body, n, m, omega);
}

// Angular velocity of each piece, stored in `spin`.
static void measure_rotation(const pl__solids *s, const pl__body *body)
{
    measure_pieces(s, body);
    for (int32_t k = 0; k < body->pieces.count; ++k)
        (void)pl__rigid_rotation(&body->pieces.motion[k].now, body->pieces.motion[k].now.angular,
                                 body->pieces.motion[k].spin);
}

// Velocity of a node in the rigid motion of its piece.
static void rigid_velocity(const pl__solids *s, const pl__body *body, size_t n, double u[3])
{
    const pl__piece *p = &body->pieces.motion[body->pieces.of_node[n]];
    const double *x = &s->state.x[3 * ((size_t)body->first_node + n)];
    double r[3] = {x[0] - p->now.centre[0], x[1] - p->now.centre[1], x[2] - p->now.centre[2]};
    for (int i = 0; i < 3; ++i)
        u[i] = p->now.velocity[i] + p->spin[(i + 1) % 3] * r[(i + 2) % 3] - p->spin[(i + 2) % 3] * r[(i + 1) % 3];
}

double pl__rigid_deforming(const pl__solids *s, const pl__body *body)
{
    double sum = 0, u[3];
    measure_rotation(s, body);
    for (size_t n = 0; n < (size_t)body->node_count; ++n)
    {
        const double *v = &s->state.v[3 * ((size_t)body->first_node + n)];
        rigid_velocity(s, body, n, u);
        for (int i = 0; i < 3; ++i)
            sum += 0.5 * body->mass[n] * (v[i] - u[i]) * (v[i] - u[i]);
    }
    return sum;
}

void pl__rigid_slow(pl__solids *s, const pl__body *body, double factor)
{
    double u[3];
    measure_rotation(s, body);
    for (size_t n = 0; n < (size_t)body->node_count; ++n)
    {
        double *v = &s->state.v[3 * ((size_t)body->first_node + n)];
        rigid_velocity(s, body, n, u);
        for (int i = 0; i < 3; ++i)
            v[i] = u[i] + factor * (v[i] - u[i]);
    }
}

// Whether the angular momentum of some piece may be conserved; not for a body in one piece that is held.
static bool may_conserve_spin(const pl__body *body)
{
    return !body->state.asleep && !body->pins.soft && (body->pieces.count > 1 || !pl__body_is_held(body));
}

void pl__momentum_remember(pl__solids *s)
{
    for (int32_t i = 0; i < s->body_count; ++i)
    {
        const pl__body *body = s->body[i];
        if (!may_conserve_spin(body))
            continue;
        measure_pieces(s, body);
        for (int32_t k = 0; k < body->pieces.count; ++k)
            memcpy(body->pieces.motion[k].spin, body->pieces.motion[k].now.angular, sizeof body->pieces.motion[k].spin);
    }
}

static void mark_touched(const pl__solids *s, const pl__body *body)
{
    for (int32_t k = 0; k < body->pieces.count; ++k)
        body->pieces.motion[k].touched = false;
    for (int32_t n = 0; n < body->node_count; ++n)
        body->pieces.motion[body->pieces.of_node[n]].touched |= s->contacts.count[body->first_node + n] > 0;
    for (int32_t k = 0; k < body->pins.count; ++k)
        body->pieces.motion[body->pieces.of_node[body->pins.pin[k].node]].touched = true;
}

// Angular velocity that each piece lacks, stored in `spin`.
static void find_lost_rotation(const pl__body *body)
{
    for (int32_t k = 0; k < body->pieces.count; ++k)
    {
        pl__piece *p = &body->pieces.motion[k];
        double lost[3] = {p->spin[0] - p->now.angular[0], p->spin[1] - p->now.angular[1],
                          p->spin[2] - p->now.angular[2]};
        p->touched |= !pl__rigid_rotation(&p->now, lost, p->spin);
    }
}

void pl__momentum_restore(pl__solids *s)
{
    for (int32_t i = 0; i < s->body_count; ++i)
    {
        const pl__body *body = s->body[i];
        if (!may_conserve_spin(body) || body->derived.pressed || pl__body_is_dragged(body))
            continue;
        measure_pieces(s, body);
        mark_touched(s, body);
        find_lost_rotation(body);
        for (size_t n = 0; n < (size_t)body->node_count; ++n)
        {
            const pl__piece *p = &body->pieces.motion[body->pieces.of_node[n]];
            if (!p->touched)
                add_node_rotation(s, body, n, &p->now, p->spin);
        }
    }
}

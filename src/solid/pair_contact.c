// src/solid/pair_contact.c -- see pair_contact.h for the method.
#include "pair_contact.h"
#include "contact/tolerances.h"

#include <math.h>
#include <string.h>

// ---- the linear system -----------------------------------------------------------------------------------------

// n . B n of a symmetric B, xx yy zz xy xz yz; and B n.
static double times_block(const double *b, const double n[3], double out[3])
{
    out[0] = b[0] * n[0] + b[3] * n[1] + b[4] * n[2];
    out[1] = b[3] * n[0] + b[1] * n[1] + b[5] * n[2];
    out[2] = b[4] * n[0] + b[5] * n[1] + b[2] * n[2];
    return pl__impulse_dot(n, out);
}

// As pl__impulse_compliance, but with the diagonal blocks of A instead of the nodal masses.
static double stiffness_of(const pl__contact_pair *p, const double *block)
{
    double sum = 0, most = 0, ignored[3];
    for (int i = 0; i < 4; ++i)
    {
        double soft = p->free[i] ? times_block(&block[6 * (size_t)p->contact.node[i]], p->contact.normal, ignored) : 0;
        sum += p->contact.weight[i] * p->contact.weight[i] * soft;
        most = fmax(most, soft);
    }
    return most > 0 ? PL__PAIR_PENALTY / fmax(sum, PL__COMPLIANCE_LEAST * most) : 0;
}

void pl__pair_contact_stiffen(pl__pair_contacts *pairs, const double *block, bool all)
{
    for (int32_t i = all ? 0 : pairs->ready; i < pairs->count; ++i)
        pairs->pair[i].stiffness = stiffness_of(&pairs->pair[i], block);
    pairs->ready = pairs->count;
}

// Relative velocity at the contact, of the free nodes only.
static void relative_velocity(const pl__contact_pair *p, const double *v, double s[3])
{
    s[0] = s[1] = s[2] = 0;
    for (int i = 0; i < 4; ++i)
        for (size_t d = 0; p->free[i] && d < 3; ++d)
            s[d] += p->contact.weight[i] * v[3 * (size_t)p->contact.node[i] + d];
}

static void scatter_impulse(const pl__contact_pair *p, const double j[3], double share, double *out)
{
    for (int i = 0; i < 4; ++i)
        for (size_t d = 0; p->free[i] && d < 3; ++d)
            out[3 * (size_t)p->contact.node[i] + d] += share * p->contact.weight[i] * j[d];
}

// Penalty impulse for a velocity: along the normal, and tangentially if it sticks or drags.
static void penalty_impulse(const pl__contact_pair *p, const double s[3], double out[3])
{
    const double *n = p->contact.normal;
    double across = p->sticks ? p->stiffness : p->drag, along = (p->stiffness - across) * pl__impulse_dot(s, n);
    for (int d = 0; d < 3; ++d)
        out[d] = across * s[d] + along * n[d];
}

double pl__pair_contact_multiply(const pl__pair_contacts *pairs, const double *in, double *out)
{
    double sum = 0;
    for (int32_t i = 0; i < pairs->count; ++i)
    {
        const pl__contact_pair *p = &pairs->pair[i];
        double s[3], j[3];
        if (!p->held)
            continue;
        relative_velocity(p, in, s);
        penalty_impulse(p, s, j);
        scatter_impulse(p, j, 1, out);
        sum += pl__impulse_dot(s, j);
    }
    return sum;
}

void pl__pair_contact_add_rhs(const pl__pair_contacts *pairs, double *rhs)
{
    for (int32_t i = 0; i < pairs->count; ++i)
    {
        const pl__contact_pair *p = &pairs->pair[i];
        double j[3];
        if (!p->held)
            continue;
        penalty_impulse(p, p->given, j);
        for (int d = 0; d < 3; ++d)
            j[d] = (p->impulse - p->stiffness * p->allowed) * p->contact.normal[d] + p->friction_impulse[d] - j[d];
        scatter_impulse(p, j, 1, rhs);
    }
}

// B <- (B^-1 + k n n^T)^-1 = B - k B n (B n)^T / (1 + k n . B n)
static void add_to_block(double *b, double k, const double n[3])
{
    double bn[3], scale = k / (1 + k * times_block(b, n, bn));
    b[0] -= scale * bn[0] * bn[0];
    b[1] -= scale * bn[1] * bn[1];
    b[2] -= scale * bn[2] * bn[2];
    b[3] -= scale * bn[0] * bn[1];
    b[4] -= scale * bn[0] * bn[2];
    b[5] -= scale * bn[1] * bn[2];
}

static void add_pair_to_block(const pl__contact_pair *p, int k, double *b)
{
    static const double axis[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double share = p->contact.weight[k] * p->contact.weight[k], across = p->sticks ? p->stiffness : p->drag;
    for (int d = 0; across > 0 && d < 3; ++d)
        add_to_block(b, share * across, axis[d]);
    add_to_block(b, share * (p->stiffness - across), p->contact.normal);
}

void pl__pair_contact_precondition(const pl__pair_contacts *pairs, const double *plain, double *block)
{
    for (int32_t i = 0; i < pairs->count; ++i)
        for (int k = 0; k < 4; ++k)
            if (pairs->pair[i].free[k])
                memcpy(&block[6 * (size_t)pairs->pair[i].contact.node[k]],
                       &plain[6 * (size_t)pairs->pair[i].contact.node[k]], 6 * sizeof *block);
    for (int32_t i = 0; i < pairs->count; ++i)
        for (int k = 0; pairs->pair[i].held && k < 4; ++k)
            if (pairs->pair[i].free[k])
                add_pair_to_block(&pairs->pair[i], k, &block[6 * (size_t)pairs->pair[i].contact.node[k]]);
}

// ---- impulses --------------------------------------------------------------------------------------------------

// Sum over all pairs of the error of the friction impulses.
typedef struct
{
    double wrong, friction;
    bool changed;
    bool frozen; // friction is kept
    const double *v_start;
    double dt;
} balance;

// A sticking pair with tangential impulse `across`: if that leaves the friction cone, it slides along it.
static void update_sticking(pl__contact_pair *p, const double across[3], double size, double friction_limit)
{
    p->sticks = size <= friction_limit;
    for (int d = 0; d < 3; ++d)
        p->friction_impulse[d] = p->sticks ? across[d] : friction_limit / size * across[d];
}

// A sliding pair with tangential velocity s and tangential impulse `across`.
static void update_sliding(pl__contact_pair *p, const double s[3], const double across[3], double speed,
                           double friction_limit)
{
    bool pulled_back = p->drag == 0 && pl__impulse_dot(s, across) > 0;
    bool held_back = p->drag * speed > friction_limit;
    p->turned += pulled_back;
    bool drags = pulled_back || (p->drag > 0 && (!held_back || p->turned > PL__PAIR_TURNS));
    p->sticks = friction_limit >= p->stiffness * speed ||
                (p->drag > 0 && p->drag * speed < PL__PAIR_STICK_DRAG * friction_limit);
    p->drag = drags && !p->sticks ? friction_limit / speed : 0;
    for (int d = 0; d < 3; ++d)
        p->friction_impulse[d] = p->sticks ? across[d] : drags ? 0 : -friction_limit / speed * s[d];
}

// Update friction from the tangential velocity, and add up the error of the impulse.
static void update_friction(pl__contact_pair *p, const double s[3], double slowest, balance *all)
{
    double across[3], friction_limit = p->friction * p->impulse, speed = sqrt(pl__impulse_dot(s, s)), wrong2 = 0;
    for (int d = 0; d < 3; ++d)
        across[d] = p->friction_impulse[d] - (p->sticks ? p->stiffness : p->drag) * s[d];
    double size = sqrt(pl__impulse_dot(across, across));
    for (int d = 0; d < 3; ++d)
    {
        double right = p->sticks   ? fmin(1, friction_limit / fmax(size, 1e-300)) * across[d]
                       : speed > 0 ? -friction_limit / speed * s[d]
                                   : 0;
        wrong2 += (across[d] - right) * (across[d] - right);
    }
    all->wrong += sqrt(wrong2);
    all->friction += friction_limit;
    all->changed |= p->sticks && size <= friction_limit && speed > slowest;
    if (p->sticks)
        update_sticking(p, across, size, friction_limit);
    else
        update_sliding(p, s, across, speed, friction_limit);
}

// Relative velocity at the contact, of all nodes.
static void relative_velocity_of_all(const pl__contact_pair *p, const double *v, double s[3])
{
    relative_velocity(p, v, s);
    for (int d = 0; d < 3; ++d)
        s[d] += p->given[d];
}

static double gap_velocity_of(const pl__contact_pair *p, const double s[3])
{
    return pl__impulse_dot(s, p->contact.normal) + p->allowed;
}

// Update the active set with the current impulses. Returns how many pairs changed; `matters` if a change is
// significant.
static int32_t update_active_set(pl__pair_contacts *pairs, const double *v, int32_t *held, bool *matters)
{
    int32_t changes = 0;
    *held = 0;
    for (int32_t i = 0; i < pairs->count; ++i)
    {
        pl__contact_pair *p = &pairs->pair[i];
        double s[3];
        relative_velocity_of_all(p, v, s);
        double gap_velocity = gap_velocity_of(p, s);
        bool now = p->stiffness > 0 && p->impulse - p->stiffness * gap_velocity > 0;
        changes += now != p->held;
        *matters |= now != p->held && (now ? gap_velocity < 0 : gap_velocity > 0) &&
                    fabs(gap_velocity) > PL__PAIR_TOLERANCE * p->rest / pairs->dt;
        *matters |= pairs->firm && p->held && !now; // in tension
        *held += now;
        if (!now)
        {
            p->rubs = p->sticks = false;
            p->drag = 0;
            memset(p->friction_impulse, 0, sizeof p->friction_impulse);
        }
        p->held = now;
    }
    return changes;
}

// Record the impulse in the solve.
static void record_applied(pl__contact_pair *p, const double s[3])
{
    double j[3];
    penalty_impulse(p, s, j);
    for (int d = 0; d < 3; ++d)
        p->applied[d] =
            p->held ? (p->impulse - p->stiffness * p->allowed) * p->contact.normal[d] + p->friction_impulse[d] - j[d]
                    : 0;
}

// Initial friction state: pairs that slid before and keep their direction slide, all others stick.
static void init_friction(pl__contact_pair *p, const double s[3], const balance *all)
{
    double before[3], speed = sqrt(pl__impulse_dot(s, s)),
                      slowest = PL__PAIR_SLIDING * PL__PAIR_TOLERANCE * p->rest / all->dt;
    relative_velocity_of_all(p, all->v_start, before);
    p->rubs = true;
    p->sticks = p->friction * p->impulse >= p->stiffness * speed ||
                !(speed > slowest && pl__impulse_dot(before, s) > slowest * speed);
    for (int d = 0; d < 3 && !p->sticks; ++d)
        p->friction_impulse[d] = -p->friction * p->impulse / speed * s[d];
}

static void update_pair(pl__contact_pair *p, const double s[3], balance *all)
{
    double slowest = PL__PAIR_TOLERANCE * p->rest / all->dt, along = pl__impulse_dot(s, p->contact.normal),
           gap_velocity = along + p->allowed, across[3];
    p->impulse = p->held ? p->impulse - p->stiffness * gap_velocity : 0;
    all->changed |= p->held && fabs(gap_velocity) > slowest;
    for (int d = 0; d < 3; ++d)
        across[d] = s[d] - along * p->contact.normal[d];
    if (!p->held || p->friction <= 0 || all->frozen)
        return;
    if (p->rubs)
        update_friction(p, across, slowest, all);
    else
    {
        init_friction(p, across, all);
        all->changed = true;
    }
}

bool pl__pair_contact_update(pl__pair_contacts *pairs, const double *v, bool frozen)
{
    balance all = {.frozen = frozen, .v_start = pairs->v_start, .dt = pairs->dt};
    double s[3];
    int32_t held;
    for (int32_t i = 0; i < pairs->count; ++i)
    {
        relative_velocity_of_all(&pairs->pair[i], v, s);
        record_applied(&pairs->pair[i], s);
    }
    int32_t changes = update_active_set(pairs, v, &held, &all.changed);
    pairs->waits = !pairs->waits && changes > PL__PAIR_FEW * held;
    if (pairs->waits)
        return all.changed;
    for (int32_t i = 0; i < pairs->count; ++i)
    {
        relative_velocity_of_all(&pairs->pair[i], v, s);
        update_pair(&pairs->pair[i], s, &all);
    }
    return all.changed || all.wrong > PL__PAIR_FRICTION_ERROR * all.friction;
}

// ---- reports ---------------------------------------------------------------------------------------------------

void pl__pair_contact_add_impulses(const pl__pair_contacts *pairs, double share, double *out)
{
    for (int32_t i = 0; i < pairs->count; ++i)
        scatter_impulse(&pairs->pair[i], pairs->pair[i].applied, share, out);
}

double pl__pair_contact_friction_work(const pl__pair_contacts *pairs, const double *v_start, const double *v)
{
    double work = 0;
    for (int32_t i = 0; i < pairs->count; ++i)
    {
        const pl__contact_pair *p = &pairs->pair[i];
        double before[3], after[3], along = pl__impulse_dot(p->applied, p->contact.normal);
        relative_velocity(p, v_start, before);
        relative_velocity(p, v, after);
        for (int d = 0; d < 3; ++d)
            work -= (p->applied[d] - along * p->contact.normal[d]) * (0.5 * (before[d] + after[d]) + p->given[d]);
    }
    return work;
}

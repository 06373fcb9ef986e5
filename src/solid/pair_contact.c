// src/solid/pair_contact.c -- see pair_contact.h for the method.
#include "pair_contact.h"

#include <math.h>
#include <string.h>

enum
{
    BISECTIONS = 12,
    MOST_TURNS = 4 // reversals of a pair by friction before it keeps its drag
};

static const double firmness = 1;
static const double same_rub = 0.02; // error relative to total friction that needs no further solve
static const double enough = 0.9;    // fraction of the friction limit: a pair that less drag slows down sticks
static const double sliding = 10;    // multiple of the tolerance from which a velocity counts as sliding
static const double few = 0.02;      // fraction of active pairs that may change while impulses are still updated

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
    return most > 0 ? firmness / fmax(sum, 0.25 * most) : 0;
}

void pl__pair_contact_stiffen(pl__pair_contacts *press, const double *block, bool all)
{
    for (int32_t i = all ? 0 : press->ready; i < press->count; ++i)
        press->pair[i].stiffness = stiffness_of(&press->pair[i], block);
    press->ready = press->count;
}

// Relative velocity at the contact, of the free nodes only.
static void relative(const pl__contact_pair *p, const double *v, double s[3])
{
    s[0] = s[1] = s[2] = 0;
    for (int i = 0; i < 4; ++i)
        for (size_t d = 0; p->free[i] && d < 3; ++d)
            s[d] += p->contact.weight[i] * v[3 * (size_t)p->contact.node[i] + d];
}

static void spread(const pl__contact_pair *p, const double j[3], double share, double *out)
{
    for (int i = 0; i < 4; ++i)
        for (size_t d = 0; p->free[i] && d < 3; ++d)
            out[3 * (size_t)p->contact.node[i] + d] += share * p->contact.weight[i] * j[d];
}

// Penalty impulse for a velocity: along the normal, and tangentially if it sticks or drags.
static void resist(const pl__contact_pair *p, const double s[3], double out[3])
{
    const double *n = p->contact.normal;
    double across = p->sticks ? p->stiffness : p->drag, along = (p->stiffness - across) * pl__impulse_dot(s, n);
    for (int d = 0; d < 3; ++d)
        out[d] = across * s[d] + along * n[d];
}

double pl__pair_contact_multiply(const pl__pair_contacts *press, const double *in, double *out)
{
    double sum = 0;
    for (int32_t i = 0; i < press->count; ++i)
    {
        const pl__contact_pair *p = &press->pair[i];
        double s[3], j[3];
        if (!p->held)
            continue;
        relative(p, in, s);
        resist(p, s, j);
        spread(p, j, 1, out);
        sum += pl__impulse_dot(s, j);
    }
    return sum;
}

void pl__pair_contact_add_rhs(const pl__pair_contacts *press, double *rhs)
{
    for (int32_t i = 0; i < press->count; ++i)
    {
        const pl__contact_pair *p = &press->pair[i];
        double j[3];
        if (!p->held)
            continue;
        resist(p, p->given, j);
        for (int d = 0; d < 3; ++d)
            j[d] = (p->impulse - p->stiffness * p->allowed) * p->contact.normal[d] + p->friction_impulse[d] - j[d];
        spread(p, j, 1, rhs);
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

void pl__pair_contact_precondition(const pl__pair_contacts *press, const double *plain, double *block)
{
    for (int32_t i = 0; i < press->count; ++i)
        for (int k = 0; k < 4; ++k)
            if (press->pair[i].free[k])
                memcpy(&block[6 * (size_t)press->pair[i].contact.node[k]],
                       &plain[6 * (size_t)press->pair[i].contact.node[k]], 6 * sizeof *block);
    for (int32_t i = 0; i < press->count; ++i)
        for (int k = 0; press->pair[i].held && k < 4; ++k)
            if (press->pair[i].free[k])
                add_pair_to_block(&press->pair[i], k, &block[6 * (size_t)press->pair[i].contact.node[k]]);
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
static void hold_fast(pl__contact_pair *p, const double across[3], double size, double most)
{
    p->sticks = size <= most;
    for (int d = 0; d < 3; ++d)
        p->friction_impulse[d] = p->sticks ? across[d] : most / size * across[d];
}

// A sliding pair with tangential velocity s and tangential impulse `across`.
static void rub(pl__contact_pair *p, const double s[3], const double across[3], double speed, double most)
{
    bool pulled_back = p->drag == 0 && pl__impulse_dot(s, across) > 0;
    bool held_back = p->drag * speed > most;
    p->turned += pulled_back;
    bool drags = pulled_back || (p->drag > 0 && (!held_back || p->turned > MOST_TURNS));
    p->sticks = most >= p->stiffness * speed || (p->drag > 0 && p->drag * speed < enough * most);
    p->drag = drags && !p->sticks ? most / speed : 0;
    for (int d = 0; d < 3; ++d)
        p->friction_impulse[d] = p->sticks ? across[d] : drags ? 0 : -most / speed * s[d];
}

// Update friction from the tangential velocity, and add up the error of the impulse.
static void find_friction(pl__contact_pair *p, const double s[3], double slowest, balance *all)
{
    double across[3], most = p->friction * p->impulse, speed = sqrt(pl__impulse_dot(s, s)), wrong2 = 0;
    for (int d = 0; d < 3; ++d)
        across[d] = p->friction_impulse[d] - (p->sticks ? p->stiffness : p->drag) * s[d];
    double size = sqrt(pl__impulse_dot(across, across));
    for (int d = 0; d < 3; ++d)
    {
        double right = p->sticks   ? fmin(1, most / fmax(size, 1e-300)) * across[d]
                       : speed > 0 ? -most / speed * s[d]
                                   : 0;
        wrong2 += (across[d] - right) * (across[d] - right);
    }
    all->wrong += sqrt(wrong2);
    all->friction += most;
    all->changed |= p->sticks && size <= most && speed > slowest;
    if (p->sticks)
        hold_fast(p, across, size, most);
    else
        rub(p, s, across, speed, most);
}

// Relative velocity at the contact, of all nodes.
static void relative_of_all(const pl__contact_pair *p, const double *v, double s[3])
{
    relative(p, v, s);
    for (int d = 0; d < 3; ++d)
        s[d] += p->given[d];
}

static double off_of(const pl__contact_pair *p, const double s[3])
{
    return pl__impulse_dot(s, p->contact.normal) + p->allowed;
}

// Update the active set with the current impulses. Returns how many pairs changed; `matters` if a change is
// significant.
static int32_t choose_held(pl__pair_contacts *press, const double *v, int32_t *held, bool *matters)
{
    int32_t changes = 0;
    *held = 0;
    for (int32_t i = 0; i < press->count; ++i)
    {
        pl__contact_pair *p = &press->pair[i];
        double s[3];
        relative_of_all(p, v, s);
        double off = off_of(p, s);
        bool now = p->stiffness > 0 && p->impulse - p->stiffness * off > 0;
        changes += now != p->held;
        *matters |=
            now != p->held && (now ? off < 0 : off > 0) && fabs(off) > PL__PRESS_TOLERANCE * p->rest / press->dt;
        *matters |= press->firm && p->held && !now; // in tension
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
static void note_applied(pl__contact_pair *p, const double s[3])
{
    double j[3];
    resist(p, s, j);
    for (int d = 0; d < 3; ++d)
        p->applied[d] =
            p->held ? (p->impulse - p->stiffness * p->allowed) * p->contact.normal[d] + p->friction_impulse[d] - j[d]
                    : 0;
}

// Initial friction state: pairs that slid before and keep their direction slide, all others stick.
static void begin_to_rub(pl__contact_pair *p, const double s[3], const balance *all)
{
    double before[3], speed = sqrt(pl__impulse_dot(s, s)), slowest = sliding * PL__PRESS_TOLERANCE * p->rest / all->dt;
    relative_of_all(p, all->v_start, before);
    p->rubs = true;
    p->sticks = p->friction * p->impulse >= p->stiffness * speed ||
                !(speed > slowest && pl__impulse_dot(before, s) > slowest * speed);
    for (int d = 0; d < 3 && !p->sticks; ++d)
        p->friction_impulse[d] = -p->friction * p->impulse / speed * s[d];
}

static void update(pl__contact_pair *p, const double s[3], balance *all)
{
    double slowest = PL__PRESS_TOLERANCE * p->rest / all->dt, along = pl__impulse_dot(s, p->contact.normal),
           off = along + p->allowed, across[3];
    p->impulse = p->held ? p->impulse - p->stiffness * off : 0;
    all->changed |= p->held && fabs(off) > slowest;
    for (int d = 0; d < 3; ++d)
        across[d] = s[d] - along * p->contact.normal[d];
    if (!p->held || p->friction <= 0 || all->frozen)
        return;
    if (p->rubs)
        find_friction(p, across, slowest, all);
    else
    {
        begin_to_rub(p, across, all);
        all->changed = true;
    }
}

bool pl__pair_contact_update(pl__pair_contacts *press, const double *v, bool arrived, bool frozen)
{
    balance all = {.frozen = frozen, .v_start = press->v_start, .dt = press->dt};
    double s[3];
    int32_t held;
    for (int32_t i = 0; i < press->count; ++i)
    {
        relative_of_all(&press->pair[i], v, s);
        note_applied(&press->pair[i], s);
    }
    int32_t changes = choose_held(press, v, &held, &all.changed);
    press->waits = !press->waits && (!arrived || changes > few * held);
    if (press->waits)
        return !arrived || all.changed;
    for (int32_t i = 0; i < press->count; ++i)
    {
        relative_of_all(&press->pair[i], v, s);
        update(&press->pair[i], s, &all);
    }
    return !arrived || all.changed || all.wrong > same_rub * all.friction;
}

// ---- how far to go ---------------------------------------------------------------------------------------------

bool pl__pair_contact_stays(const pl__pair_contacts *press, const double *v)
{
    double s[3];
    for (int32_t i = 0; i < press->count; ++i)
    {
        const pl__contact_pair *p = &press->pair[i];
        relative_of_all(p, v, s);
        if (p->held != (p->impulse - p->stiffness * off_of(p, s) > 0))
            return false;
    }
    return true;
}

// Slope of the pairs' part of the objective, at `share` of the way from v to v + way.
static double slope_at(const pl__pair_contacts *press, const double *v, const double *way, double share)
{
    double sum = 0, s[3], d[3], j[3];
    for (int32_t i = 0; i < press->count; ++i)
    {
        const pl__contact_pair *p = &press->pair[i];
        const double *n = p->contact.normal;
        relative_of_all(p, v, s);
        relative(p, way, d);
        for (int k = 0; k < 3; ++k)
            s[k] += share * d[k];
        double pushed = fmax(0, p->impulse - p->stiffness * off_of(p, s)), along = pl__impulse_dot(s, n);
        for (int k = 0; k < 3; ++k)
            s[k] -= along * n[k];
        resist(p, s, j);
        sum += (p->held ? pl__impulse_dot(j, d) - pl__impulse_dot(p->friction_impulse, d) : 0) -
               pushed * pl__impulse_dot(n, d);
    }
    return sum;
}

double pl__pair_contact_search(const pl__pair_contacts *press, const double *v, const double *way, double slope,
                               double curvature)
{
    double low = 0, high = 1;
    if (slope + curvature + slope_at(press, v, way, 1) <= 0)
        return 1;
    for (int i = 0; i < BISECTIONS; ++i)
    {
        double middle = 0.5 * (low + high);
        if (slope + middle * curvature + slope_at(press, v, way, middle) > 0)
            high = middle;
        else
            low = middle;
    }
    return high;
}

double pl__pair_contact_deepest(const pl__pair_contacts *press, const double *v)
{
    double most = 0, s[3];
    for (int32_t i = 0; i < press->count; ++i)
    {
        const pl__contact_pair *p = &press->pair[i];
        relative_of_all(p, v, s);
        most = p->stiffness > 0 ? fmax(most, -off_of(p, s) * press->dt / p->rest) : most;
    }
    return most;
}

// ---- reports ---------------------------------------------------------------------------------------------------

void pl__pair_contact_add_impulses(const pl__pair_contacts *press, double share, double *out)
{
    for (int32_t i = 0; i < press->count; ++i)
        spread(&press->pair[i], press->pair[i].applied, share, out);
}

double pl__pair_contact_power(const pl__pair_contacts *press, const double *v)
{
    double sum = 0, s[3];
    for (int32_t i = 0; i < press->count; ++i)
    {
        relative(&press->pair[i], v, s);
        sum += pl__impulse_dot(s, press->pair[i].applied);
    }
    return sum;
}

double pl__pair_contact_friction_work(const pl__pair_contacts *press, const double *v_start, const double *v)
{
    double work = 0;
    for (int32_t i = 0; i < press->count; ++i)
    {
        const pl__contact_pair *p = &press->pair[i];
        double before[3], after[3], along = pl__impulse_dot(p->applied, p->contact.normal);
        relative(p, v_start, before);
        relative(p, v, after);
        for (int d = 0; d < 3; ++d)
            work -= (p->applied[d] - along * p->contact.normal[d]) * (0.5 * (before[d] + after[d]) + p->given[d]);
    }
    return work;
}

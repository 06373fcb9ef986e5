// src/solid/press.c
#include "press.h"

#include <math.h>
#include <string.h>

enum
{
    MOST_RETURNS = 4, // of a pair that was let go
    MOST_TURNS = 2    // of a pair that slid and was pulled back
};

static const double firmness = 10;
static const double same_rub = 0.02; // of the impulse of friction: a change that need not be solved for

// ---- the linear system -----------------------------------------------------------------------------------------

// n . B n of a symmetric B, xx yy zz xy xz yz; and B n.
static double times_block(const double *b, const double n[3], double out[3])
{
    out[0] = b[0] * n[0] + b[3] * n[1] + b[4] * n[2];
    out[1] = b[3] * n[0] + b[1] * n[1] + b[5] * n[2];
    out[2] = b[4] * n[0] + b[5] * n[1] + b[2] * n[2];
    return pl__impulse_dot(n, out);
}

// As pl__impulse_compliance, of what is behind the nodes in one step.
static double stiffness_of(const pl__pressed *p, const double *block)
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

void pl__press_stiffen(pl__press *press, const double *block, bool all)
{
    for (int32_t i = all ? 0 : press->ready; i < press->count; ++i)
        press->pair[i].stiffness = stiffness_of(&press->pair[i], block);
    press->ready = press->count;
}

// The relative velocity of the nodes that are free.
static void relative(const pl__pressed *p, const double *v, double s[3])
{
    s[0] = s[1] = s[2] = 0;
    for (int i = 0; i < 4; ++i)
        for (size_t d = 0; p->free[i] && d < 3; ++d)
            s[d] += p->contact.weight[i] * v[3 * (size_t)p->contact.node[i] + d];
}

static void spread(const pl__pressed *p, const double j[3], double share, double *out)
{
    for (int i = 0; i < 4; ++i)
        for (size_t d = 0; p->free[i] && d < 3; ++d)
            out[3 * (size_t)p->contact.node[i] + d] += share * p->contact.weight[i] * j[d];
}

// What of a velocity the penalty is about: all, or the part along the normal.
static void resisted(const pl__pressed *p, double s[3])
{
    double along = pl__impulse_dot(s, p->contact.normal);
    for (int d = 0; !p->sticks && d < 3; ++d)
        s[d] = along * p->contact.normal[d];
}

double pl__press_multiply(const pl__press *press, const double *in, double *out)
{
    double sum = 0;
    for (int32_t i = 0; i < press->count; ++i)
    {
        const pl__pressed *p = &press->pair[i];
        double s[3];
        if (!p->held)
            continue;
        relative(p, in, s);
        resisted(p, s);
        spread(p, s, p->stiffness, out);
        sum += p->stiffness * pl__impulse_dot(s, s);
    }
    return sum;
}

void pl__press_add_rhs(const pl__press *press, double *rhs)
{
    for (int32_t i = 0; i < press->count; ++i)
    {
        const pl__pressed *p = &press->pair[i];
        double s[3], j[3];
        if (!p->held)
            continue;
        memcpy(s, p->given, sizeof s);
        resisted(p, s);
        for (int d = 0; d < 3; ++d)
            j[d] = (p->impulse - p->stiffness * p->allowed) * p->contact.normal[d] + p->rubbed[d] - p->stiffness * s[d];
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

void pl__press_precondition(const pl__press *press, const double *plain, double *block)
{
    static const double axis[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int32_t i = 0; i < press->count; ++i)
        for (int k = 0; k < 4; ++k)
            if (press->pair[i].free[k])
                memcpy(&block[6 * (size_t)press->pair[i].contact.node[k]], &plain[6 * (size_t)press->pair[i].contact.node[k]], 6 * sizeof *block);
    for (int32_t i = 0; i < press->count; ++i)
    {
        const pl__pressed *p = &press->pair[i];
        for (int k = 0; p->held && k < 4; ++k)
        {
            double *b = &block[6 * (size_t)p->contact.node[k]], stiffness = p->stiffness * p->contact.weight[k] * p->contact.weight[k];
            if (p->free[k] && !p->sticks)
                add_to_block(b, stiffness, p->contact.normal);
            for (int d = 0; p->free[k] && p->sticks && d < 3; ++d)
                add_to_block(b, stiffness, axis[d]);
        }
    }
}

// ---- impulses --------------------------------------------------------------------------------------------------

static void let_go(pl__pressed *p)
{
    p->held = false;
    p->impulse = 0;
    memset(p->rubbed, 0, sizeof p->rubbed);
    p->left++;
}

static bool take_again(pl__pressed *p)
{
    p->held = true;
    p->sticks = p->friction > 0;
    return true;
}

// A pair that sticks, with the velocity s across its normal.
static bool hold_fast(pl__pressed *p, const double s[3], double slowest)
{
    double wanted[3], most = p->friction * p->impulse;
    for (int d = 0; d < 3; ++d)
        wanted[d] = p->rubbed[d] - p->stiffness * s[d];
    double size = sqrt(pl__impulse_dot(wanted, wanted));
    p->sticks = size <= most;
    for (int d = 0; d < 3; ++d)
        p->rubbed[d] = p->sticks ? wanted[d] : most / size * wanted[d];
    return !p->sticks || pl__impulse_dot(s, s) > slowest * slowest;
}

// A pair that slides.
static bool rub(pl__pressed *p, const double s[3])
{
    double most = p->friction * p->impulse, speed = sqrt(pl__impulse_dot(s, s)), change2 = 0;
    if (pl__impulse_dot(s, p->rubbed) > 0 && p->turned++ < MOST_TURNS)
    {
        p->sticks = true;
        return true;
    }
    bool back = pl__impulse_dot(s, p->rubbed) > 0;
    for (int d = 0; d < 3; ++d)
    {
        double now = back ? 0.5 * p->rubbed[d] : speed > 0 ? -most / speed * s[d] : 0;
        change2 += (now - p->rubbed[d]) * (now - p->rubbed[d]);
        p->rubbed[d] = now;
    }
    return change2 > same_rub * same_rub * most * most;
}

static bool update(pl__pressed *p, const double *v, double dt)
{
    double s[3], slowest = PL__PRESS_TOLERANCE * p->rest / dt;
    relative(p, v, s);
    for (int d = 0; d < 3; ++d)
        s[d] += p->given[d];
    double along = pl__impulse_dot(s, p->contact.normal), off = along + p->allowed;
    if (!p->held)
        return off < -slowest && p->left <= MOST_RETURNS && take_again(p);
    double impulse = p->impulse - p->stiffness * off;
    if (!(impulse > 0))
    {
        let_go(p);
        return off > slowest;
    }
    p->impulse = impulse;
    for (int d = 0; d < 3; ++d)
        s[d] -= along * p->contact.normal[d];
    bool changed = fabs(off) > slowest;
    if (p->friction > 0)
        changed |= p->sticks ? hold_fast(p, s, slowest) : rub(p, s);
    return changed;
}

bool pl__press_update(pl__press *press, const double *v)
{
    bool changed = false;
    for (int32_t i = 0; i < press->count; ++i)
        if (press->pair[i].stiffness > 0)
            changed |= update(&press->pair[i], v, press->dt);
    return changed;
}

void pl__press_add_impulses(const pl__press *press, double share, double *out)
{
    for (int32_t i = 0; i < press->count; ++i)
    {
        const pl__pressed *p = &press->pair[i];
        double j[3];
        for (int d = 0; d < 3; ++d)
            j[d] = p->impulse * p->contact.normal[d] + p->rubbed[d];
        if (p->held)
            spread(p, j, share, out);
    }
}

double pl__press_power(const pl__press *press, const double *v)
{
    double sum = 0;
    for (int32_t i = 0; i < press->count; ++i)
    {
        const pl__pressed *p = &press->pair[i];
        double s[3];
        relative(p, v, s);
        sum += p->held ? p->impulse * pl__impulse_dot(s, p->contact.normal) + pl__impulse_dot(s, p->rubbed) : 0;
    }
    return sum;
}

double pl__press_friction_work(const pl__press *press, const double *v_start, const double *v)
{
    double work = 0;
    for (int32_t i = 0; i < press->count; ++i)
    {
        const pl__pressed *p = &press->pair[i];
        double before[3], after[3];
        relative(p, v_start, before);
        relative(p, v, after);
        for (int d = 0; p->held && d < 3; ++d)
            work -= p->rubbed[d] * (0.5 * (before[d] + after[d]) + p->given[d]);
    }
    return work;
}

// tests/ccd_oracle.h -- do two moving things touch, and when: decided exactly, by integers.
//
// With corners c_i(t) of ccd.kernel.c, linear in t, the origin is in their plane where p = c_0.N, N = (c_1-c_0) x
// (c_3-c_0), vanishes: a cubic with integer coefficients, once a power of two has made integers of the doubles. Roots
// of p in (0, 1) are isolated by Sturm's chain, and the sign of any polynomial q at a root is Tarski's query: the
// change of variations along the chain that begins with p, p'q mod p. At a root the origin is in the hull if
//
//     N_k != 0 for some k:  no (c_i x c_i+1)_k has the sign of -N_k,
//     N = 0, all on a line: all c_i x c_i+1 are zero, and some c_i.c_i+1 <= 0.
//
// Where p is identically zero, contact is there at t = 0 or begins at a root of a component of some c_i x c_i+1 or of
// some c_i.c_i+1: only there can the origin come to lie on the outline.
#ifndef PL_TEST_CCD_ORACLE_H
#define PL_TEST_CCD_ORACLE_H

#include "test.h"

// ---- integers of any size -----------------------------------------------------------------------------------------

enum
{
    LIMBS = 128
};

typedef struct
{
    int sign, count;
    uint64_t limb[LIMBS];
} big;

typedef unsigned __int128 wide;

static void big_copy(big *r, const big *a)
{
    r->sign = a->sign;
    r->count = a->count;
    memcpy(r->limb, a->limb, (size_t)a->count * 8);
}

static void big_set(big *r, int64_t a)
{
    r->sign = (a > 0) - (a < 0);
    r->count = a != 0;
    r->limb[0] = a < 0 ? 0 - (uint64_t)a : (uint64_t)a;
}

static void big_trim(big *r)
{
    if (r->count > LIMBS)
        abort();
    while (r->count && r->limb[r->count - 1] == 0)
        r->count--;
    if (!r->count)
        r->sign = 0;
}

static int compare_sizes(const big *a, const big *b)
{
    if (a->count != b->count)
        return a->count < b->count ? -1 : 1;
    for (int i = a->count - 1; i >= 0; --i)
        if (a->limb[i] != b->limb[i])
            return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

// r = |a| + |b|, |a| >= |b|; r may be either
static void add_sizes(big *r, const big *a, const big *b)
{
    wide carry = 0;
    int n = a->count, m = b->count;
    if (n + 1 > LIMBS)
        abort();
    for (int i = 0; i < n; ++i)
    {
        carry += (wide)a->limb[i] + (i < m ? b->limb[i] : 0);
        r->limb[i] = (uint64_t)carry;
        carry >>= 64;
    }
    r->limb[n] = (uint64_t)carry;
    r->count = n + 1;
}

static void subtract_sizes(big *r, const big *a, const big *b)
{
    uint64_t borrow = 0;
    int n = a->count, m = b->count;
    for (int i = 0; i < n; ++i)
    {
        wide d = (wide)a->limb[i] - (i < m ? b->limb[i] : 0) - borrow;
        r->limb[i] = (uint64_t)d;
        borrow = (uint64_t)(d >> 64) & 1;
    }
    r->count = n;
}

// r = a + s b for s = 1 or -1
static void big_add(big *r, const big *a, const big *b, int s)
{
    int sa = a->sign, sb = s * b->sign, larger = compare_sizes(a, b);
    const big *x = larger < 0 ? b : a, *y = larger < 0 ? a : b;
    int sign = larger < 0 ? sb : sa;
    if (sa == 0 || sb == 0 || sa == sb)
        add_sizes(r, x, y), sign = sa ? sa : sb;
    else
        subtract_sizes(r, x, y);
    r->sign = sign;
    big_trim(r);
}

// r = a b; r is neither
static void big_multiply(big *r, const big *a, const big *b)
{
    r->count = a->count + b->count;
    r->sign = a->sign * b->sign;
    if (r->count > LIMBS)
        abort();
    memset(r->limb, 0, (size_t)r->count * 8);
    for (int i = 0; i < a->count; ++i)
    {
        wide carry = 0;
        for (int j = 0; j < b->count; ++j)
        {
            carry += (wide)a->limb[i] * b->limb[j] + r->limb[i + j];
            r->limb[i + j] = (uint64_t)carry;
            carry >>= 64;
        }
        r->limb[i + b->count] = (uint64_t)carry;
    }
    big_trim(r);
}

// r = a 2^bits
static void big_shift(big *r, const big *a, int bits)
{
    int whole = bits / 64, part = bits % 64, n = a->count;
    if (n + whole + 1 > LIMBS)
        abort();
    r->limb[n + whole] = 0;
    for (int i = n - 1; i >= 0; --i)
    {
        uint64_t x = a->limb[i];
        if (part)
            r->limb[i + whole + 1] |= x >> (64 - part);
        r->limb[i + whole] = x << part;
    }
    memset(r->limb, 0, (size_t)whole * 8);
    r->count = n + whole + 1;
    r->sign = a->sign;
    big_trim(r);
}

// ---- polynomials --------------------------------------------------------------------------------------------------

enum
{
    TERMS = 6
};

typedef struct
{
    int degree; // -1: zero
    big c[TERMS];
} poly;

static void poly_trim(poly *p)
{
    while (p->degree >= 0 && p->c[p->degree].sign == 0)
        p->degree--;
}

static void poly_copy(poly *r, const poly *p)
{
    r->degree = p->degree;
    for (int i = 0; i <= p->degree; ++i)
        big_copy(&r->c[i], &p->c[i]);
}

// r = a + s b
static void poly_add(poly *r, const poly *a, const poly *b, int s)
{
    static const big zero;
    int degree = a->degree > b->degree ? a->degree : b->degree;
    for (int i = 0; i <= degree; ++i)
        big_add(&r->c[i], i <= a->degree ? &a->c[i] : &zero, i <= b->degree ? &b->c[i] : &zero, s);
    r->degree = degree;
    poly_trim(r);
}

static void poly_multiply(poly *r, const poly *a, const poly *b)
{
    big product;
    r->degree = a->degree < 0 || b->degree < 0 ? -1 : a->degree + b->degree;
    for (int i = 0; i <= r->degree; ++i)
        big_set(&r->c[i], 0);
    for (int i = 0; i <= a->degree && r->degree >= 0; ++i)
        for (int j = 0; j <= b->degree; ++j)
        {
            big_multiply(&product, &a->c[i], &b->c[j]);
            big_add(&r->c[i + j], &r->c[i + j], &product, 1);
        }
    poly_trim(r);
}

static void poly_derivative(poly *r, const poly *p)
{
    big n;
    r->degree = p->degree - 1;
    for (int i = 1; i <= p->degree; ++i)
    {
        big_set(&n, i);
        big_multiply(&r->c[i - 1], &p->c[i], &n);
    }
}

// The remainder of a by b, times a positive number.
static void poly_remainder(poly *r, const poly *a, const poly *b)
{
    big size, x, y, lead;
    poly_copy(r, a);
    big_copy(&size, &b->c[b->degree]);
    size.sign = 1;
    while (r->degree >= b->degree)
    {
        int shift = r->degree - b->degree;
        big_copy(&lead, &r->c[r->degree]);
        lead.sign *= b->c[b->degree].sign;
        for (int i = 0; i < r->degree; ++i)
        {
            big_multiply(&x, &size, &r->c[i]);
            if (i >= shift)
            {
                big_multiply(&y, &lead, &b->c[i - shift]);
                big_add(&r->c[i], &x, &y, -1);
            }
            else
                big_copy(&r->c[i], &x);
        }
        r->degree--;
        poly_trim(r);
    }
}

// A time m / 2^k.
typedef struct
{
    int64_t m;
    int k;
} dyadic;

// The sign of p at t, or just after it (side 1) or just before it (side -1).
static int sign_near(const poly *p, dyadic t, int side)
{
    big c[TERMS], m, x;
    big_set(&m, t.m);
    for (int i = 0; i <= p->degree; ++i)
        big_shift(&c[i], &p->c[i], t.k * (p->degree - i));
    // coefficients at t, lowest first: Horner, again and again
    for (int j = 0; j <= p->degree; ++j)
    {
        for (int i = p->degree - 1; i >= j; --i)
        {
            big_multiply(&x, &m, &c[i + 1]);
            big_add(&c[i], &c[i], &x, 1);
        }
        if (c[j].sign || side == 0)
            return side < 0 && j % 2 ? -c[j].sign : c[j].sign;
    }
    return 0;
}

typedef struct
{
    int count;
    poly f[TERMS];
} chain;

// f[0] and f[1] are given.
static void finish_chain(chain *s)
{
    s->count = s->f[1].degree < 0 ? 1 : 2;
    while (s->count > 1 && s->f[s->count - 1].degree > 0)
    {
        poly *r = &s->f[s->count];
        poly_remainder(r, &s->f[s->count - 2], &s->f[s->count - 1]);
        for (int i = 0; i <= r->degree; ++i)
            r->c[i].sign = -r->c[i].sign;
        if (r->degree < 0)
            return;
        s->count++;
    }
}

static int variations(const chain *s, dyadic t, int side)
{
    int changes = 0, last = 0;
    for (int i = 0; i < s->count; ++i)
    {
        int sign = sign_near(&s->f[i], t, side);
        changes += last && sign != last;
        last = sign;
    }
    return changes;
}

static void sturm_chain(const poly *p, chain *s)
{
    poly_copy(&s->f[0], p);
    poly_derivative(&s->f[1], p);
    finish_chain(s);
}

// Different roots strictly between a and b.
static int root_count(const chain *sturm, dyadic a, dyadic b)
{
    return variations(sturm, a, 1) - variations(sturm, b, -1);
}

// A time: `at`, or the only root of `base` strictly between `at` and `to`.
typedef struct
{
    const chain *base; // NULL: exactly `at`
    dyadic at, to;
} instant;

static int sign_at(const poly *q, const instant *t)
{
    static chain tarski;
    poly product;
    if (q->degree <= 0)
        return q->degree < 0 ? 0 : q->c[0].sign;
    if (!t->base)
        return sign_near(q, t->at, 0);
    poly_copy(&tarski.f[0], &t->base->f[0]);
    poly_multiply(&product, &t->base->f[1], q);
    poly_remainder(&tarski.f[1], &product, &t->base->f[0]);
    finish_chain(&tarski);
    return root_count(&tarski, t->at, t->to);
}

// ---- contact ------------------------------------------------------------------------------------------------------

typedef struct
{
    poly c[4][3], N[3], cross[4][3], dot[4], p;
    chain base[16];
    int base_count;
    instant contact[64]; // in no order; of times when contact lasts, at least the first
    int contact_count;
} oracle;

static void minor(poly *r, const poly *a, const poly *b, const poly *c, const poly *d)
{
    poly x, y;
    poly_multiply(&x, a, b);
    poly_multiply(&y, c, d);
    poly_add(r, &x, &y, -1);
}

static void cross(poly r[3], const poly a[3], const poly b[3])
{
    for (int k = 0; k < 3; ++k)
        minor(&r[k], &a[(k + 1) % 3], &b[(k + 2) % 3], &a[(k + 2) % 3], &b[(k + 1) % 3]);
}

static void dot(poly *r, const poly a[3], const poly b[3])
{
    poly x;
    r->degree = -1;
    for (int k = 0; k < 3; ++k)
    {
        poly_multiply(&x, &a[k], &b[k]);
        poly_add(r, r, &x, 1);
    }
}

// The largest power of two that divides all numbers; 0 is divided by all.
static int common_exponent(const double *x, int count, int e)
{
    for (int i = 0; i < count; ++i)
    {
        int exponent;
        double m = frexp(x[i], &exponent);
        if (m != 0)
        {
            int64_t n = (int64_t)ldexp(m, 53);
            exponent += __builtin_ctzll((uint64_t)n) - 53;
            e = exponent < e ? exponent : e;
        }
    }
    return e;
}

static void to_integer(big *r, double x, int e)
{
    int exponent;
    big m;
    double f = frexp(x, &exponent);
    int64_t n = (int64_t)ldexp(f, 53);
    int zeros = n ? __builtin_ctzll((uint64_t)n) : 0;
    big_set(&m, n / ((int64_t)1 << zeros));
    big_shift(r, &m, n ? exponent - 53 + zeros - e : 0);
}

static void difference(poly *r, double a0, double b0, double a1, double b1, int e)
{
    big a, b, end;
    to_integer(&a, a0, e);
    to_integer(&b, b0, e);
    big_add(&r->c[0], &a, &b, -1);
    to_integer(&a, a1, e);
    to_integer(&b, b1, e);
    big_add(&end, &a, &b, -1);
    big_add(&r->c[1], &end, &r->c[0], -1);
    r->degree = 1;
    poly_trim(r);
}

static const int corner_of[2][4][2] = {{{0, 1}, {0, 2}, {0, 3}, {0, 3}}, {{0, 2}, {1, 2}, {1, 3}, {0, 3}}};

static void oracle_corners(oracle *o, const double start[4][3], const double end[4][3], int kind)
{
    int e = common_exponent(end[0], 12, common_exponent(start[0], 12, 2000));
    for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 3; ++k)
        {
            int a = corner_of[kind][i][0], b = corner_of[kind][i][1];
            difference(&o->c[i][k], start[a][k], start[b][k], end[a][k], end[b][k], e);
        }
}

// In the plane of the corners, is the origin in their hull?
static bool inside(const oracle *o, const instant *t)
{
    for (int k = 0; k < 3; ++k)
    {
        int n = sign_at(&o->N[k], t);
        for (int i = 0; n && i < 4; ++i)
            if (sign_at(&o->cross[i][k], t) == -n)
                return false;
        if (n)
            return true;
    }
    for (int i = 0; i < 12; ++i)
        if (sign_at(&o->cross[i / 3][i % 3], t) != 0)
            return false;
    for (int i = 0; i < 4; ++i)
        if (sign_at(&o->dot[i], t) <= 0)
            return true;
    return false;
}

static void consider(oracle *o, instant t)
{
    if (inside(o, &t))
        o->contact[o->contact_count++] = t;
}

static void isolate(oracle *o, const chain *base, dyadic a, dyadic b)
{
    int count = root_count(base, a, b);
    if (count == 1)
        consider(o, (instant){base, a, b});
    if (count <= 1)
        return;
    if (a.k > 51)
        abort();
    // b - a = 2^-k
    dyadic l = {2 * a.m, a.k + 1}, m = {2 * a.m + 1, a.k + 1}, r = {2 * a.m + 2, a.k + 1};
    if (sign_near(&base->f[0], m, 0) == 0)
        consider(o, (instant){NULL, m, m});
    isolate(o, base, l, m);
    isolate(o, base, m, r);
}

static void roots_of(oracle *o, const poly *p)
{
    if (p->degree <= 0)
        return;
    chain *base = &o->base[o->base_count++];
    sturm_chain(p, base);
    isolate(o, base, (dyadic){0, 0}, (dyadic){1, 0});
}

static void ends(oracle *o)
{
    for (int m = 0; m < 2; ++m)
        if (sign_near(&o->p, (dyadic){m, 0}, 0) == 0)
            consider(o, (instant){NULL, {m, 0}, {m, 0}});
}

// All coefficients of Bernstein have one sign: no root in [0, 1].
static bool clearly_nonzero(const poly *p)
{
    static const int binomial[4][4] = {{1, 0, 0, 0}, {3, 1, 0, 0}, {3, 2, 1, 0}, {1, 1, 1, 1}};
    int sign = p->degree < 0 ? 0 : p->c[0].sign;
    for (int row = 1; row < 4 && sign; ++row)
    {
        big sum, x, n;
        big_set(&sum, 0);
        for (int i = 0; i <= row && i <= p->degree; ++i)
        {
            big_set(&n, binomial[row][i]);
            big_multiply(&x, &p->c[i], &n);
            big_add(&sum, &sum, &x, 1);
        }
        sign = sum.sign == sign ? sign : 0;
    }
    return sign != 0;
}

// Differences of doubles have exact signs.
static bool boxes_apart(const double start[4][3], const double end[4][3], int kind)
{
    for (int k = 0; k < 3; ++k)
    {
        int above = 0, below = 0;
        for (int i = 0; i < 4; ++i)
        {
            int a = corner_of[kind][i][0], b = corner_of[kind][i][1];
            above += (start[a][k] > start[b][k]) + (end[a][k] > end[b][k]);
            below += (start[a][k] < start[b][k]) + (end[a][k] < end[b][k]);
        }
        if (above == 8 || below == 8)
            return true;
    }
    return false;
}

// All contacts of a motion.
static void ask_oracle(oracle *o, const double start[4][3], const double end[4][3], int kind)
{
    poly edge[2][3];
    o->base_count = o->contact_count = 0;
    if (boxes_apart(start, end, kind))
        return;
    oracle_corners(o, start, end, kind);
    for (int k = 0; k < 3; ++k)
    {
        poly_add(&edge[0][k], &o->c[1][k], &o->c[0][k], -1);
        poly_add(&edge[1][k], &o->c[3][k], &o->c[0][k], -1);
    }
    cross(o->N, edge[0], edge[1]);
    dot(&o->p, o->c[0], o->N);
    if (clearly_nonzero(&o->p))
        return;
    for (int i = 0; i < 4; ++i)
    {
        cross(o->cross[i], o->c[i], o->c[(i + 1) % 4]);
        dot(&o->dot[i], o->c[i], o->c[(i + 1) % 4]);
    }
    ends(o);
    roots_of(o, &o->p);
    for (int i = 0; o->p.degree < 0 && i < 4; ++i)
    {
        for (int k = 0; k < 3; ++k)
            roots_of(o, &o->cross[i][k]);
        roots_of(o, &o->dot[i]);
    }
}

// Is `t` strictly before the double `x` in [0, 1]?
static bool is_before(const instant *t, double x)
{
    int exponent;
    double f = frexp(x, &exponent);
    if (x == 0)
        return false;
    dyadic d = {(int64_t)ldexp(f, 53), 53 - exponent};
    double at = ldexp((double)t->at.m, -t->at.k), to = ldexp((double)t->to.m, -t->to.k); // exact: at most 53 bits
    if (!t->base)
        return at < x;
    return to <= x || (at < x && root_count(t->base, t->at, d) > 0);
}

static bool touches_before(const oracle *o, double x)
{
    for (int i = 0; i < o->contact_count; ++i)
        if (is_before(&o->contact[i], x))
            return true;
    return false;
}

// The first contact, to a part in 2^40 of the motion.
static double first_contact(const oracle *o)
{
    double a = 0, b = 1;
    if (!touches_before(o, 1))
        return 1;
    while (b - a > 0x1p-40)
    {
        double m = a + (b - a) / 2;
        *(touches_before(o, m) ? &b : &a) = m;
    }
    return a;
}

#endif

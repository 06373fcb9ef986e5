// src/contact/closest.kernel.c -- closest points, PL_LANES pairs at a time; the formulas are those of closest.c.
//
// Most pairs are not near, and of those nothing is written. The normal is found for each that is.
#include "box_w.h"
#include "closest.h"
#include "tolerances.h"

typedef struct
{
    pl_real_w v[3];
} point;

typedef struct
{
    pl_real_w weight[4], square;
    pl_real_w size; // squared, of the longer of the two edges that make the normal
    point offset;
} nearest;

PL_INLINE point minus(point a, point b)
{
    for (int d = 0; d < 3; ++d)
        a.v[d] = a.v[d] - b.v[d];
    return a;
}

// a + t b
PL_INLINE point plus(point a, pl_real_w t, point b)
{
    for (int d = 0; d < 3; ++d)
        a.v[d] = a.v[d] + t * b.v[d];
    return a;
}

PL_INLINE pl_real_w dot(point a, point b) { return a.v[0] * b.v[0] + a.v[1] * b.v[1] + a.v[2] * b.v[2]; }

PL_INLINE point cross(point a, point b)
{
    point c;
    for (int d = 0; d < 3; ++d)
        c.v[d] = a.v[(d + 1) % 3] * b.v[(d + 2) % 3] - a.v[(d + 2) % 3] * b.v[(d + 1) % 3];
    return c;
}

// 1 / a, and 0 for 0. Divisions that wait for nothing overlap; those of closest.c each wait for the one before.
PL_INLINE pl_real_w inverse(pl_real_w a)
{
    pl_real_w zero = pl_set_w(0), one = pl_set_w(1);
    pl_mask_w real = pl_gt_w(a, zero);
    return pl_select_w(real, one / pl_select_w(real, a, one), zero);
}

PL_INLINE pl_real_w fraction(pl_real_w along, pl_real_w over_length)
{
    return pl_min_w(pl_max_w(along * over_length, pl_set_w(0)), pl_set_w(1));
}

// ---- vertex and triangle -------------------------------------------------------------------------------------------

typedef struct
{
    point r, e0, e1;
    pl_real_w u, v, square; // the best so far
} corner_view;

PL_INLINE void try_point(corner_view *c, pl_mask_w allowed, pl_real_w u, pl_real_w v)
{
    point offset = plus(plus(c->r, -u, c->e0), -v, c->e1);
    pl_real_w square = dot(offset, offset);
    pl_mask_w better = pl_and_w(allowed, pl_lt_w(square, c->square));
    c->u = pl_select_w(better, u, c->u);
    c->v = pl_select_w(better, v, c->v);
    c->square = pl_select_w(better, square, c->square);
}

PL_INLINE void try_foot(corner_view *c)
{
    pl_real_w zero = pl_set_w(0), one = pl_set_w(1);
    point n = cross(c->e0, c->e1);
    pl_real_w nn = dot(n, n), over = inverse(nn);
    pl_real_w u = dot(cross(c->r, c->e1), n) * over, v = dot(cross(c->e0, c->r), n) * over;
    pl_mask_w inside = pl_and_w(pl_and_w(pl_ge_w(u, zero), pl_ge_w(v, zero)), pl_le_w(u + v, one));
    try_point(c, pl_and_w(inside, pl_gt_w(nn, zero)), u, v);
}

PL_INLINE void try_edges(corner_view *c)
{
    pl_real_w zero = pl_set_w(0), one = pl_set_w(1);
    pl_mask_w always = pl_le_w(zero, one);
    point e2 = minus(c->e1, c->e0);
    pl_real_w t = fraction(dot(minus(c->r, c->e0), e2), inverse(dot(e2, e2)));
    try_point(c, always, fraction(dot(c->r, c->e0), inverse(dot(c->e0, c->e0))), zero);
    try_point(c, always, zero, fraction(dot(c->r, c->e1), inverse(dot(c->e1, c->e1))));
    try_point(c, always, one - t, t);
}

PL_INLINE nearest vertex_face(const point x[4])
{
    pl_real_w zero = pl_set_w(0), one = pl_set_w(1);
    corner_view c = {.r = minus(x[0], x[1]), .e0 = minus(x[2], x[1]), .e1 = minus(x[3], x[1])};
    c.u = c.v = zero;
    c.square = pl_set_w(__builtin_inf());
    try_foot(&c);
    try_edges(&c);
    nearest result = {.square = c.square, .offset = plus(plus(c.r, -c.u, c.e0), -c.v, c.e1)};
    result.size = pl_max_w(dot(c.e0, c.e0), dot(c.e1, c.e1));
    result.weight[0] = one;
    result.weight[1] = pl_min_w(c.u + c.v - one, zero);
    result.weight[2] = -c.u;
    result.weight[3] = -c.v;
    return result;
}

// ---- two edges -----------------------------------------------------------------------------------------------------

PL_INLINE nearest edge_edge(const point x[4])
{
    pl_real_w one = pl_set_w(1);
    point d = minus(x[1], x[0]), e = minus(x[3], x[2]), r = minus(x[0], x[2]);
    point n = cross(d, e);
    pl_real_w de = dot(d, e);
    pl_real_w dd = dot(d, d), ee = dot(e, e);
    pl_real_w over_nn = inverse(dot(n, n)), over_ee = inverse(ee), over_dd = inverse(dd);
    pl_real_w s = fraction(dot(cross(e, r), n), over_nn);
    pl_real_w t = fraction(dot(r, e) + s * de, over_ee);
    s = fraction(t * de - dot(r, d), over_dd);
    nearest result = {.size = pl_max_w(dd, ee), .offset = plus(plus(r, s, d), -t, e)};
    result.square = dot(result.offset, result.offset);
    result.weight[0] = one - s;
    result.weight[1] = s;
    result.weight[2] = t - one;
    result.weight[3] = -t;
    return result;
}

// ---- many pairs ----------------------------------------------------------------------------------------------------

// The positions of PL_LANES pairs; there are `count` left, and the last stands in for those beyond.
PL_INLINE void gather(const double *x, const pl__pair *pair, int32_t count, point out[4])
{
    int32_t node[4][PL_LANES];
    for (int i = 0; i < PL_LANES; ++i)
        for (int k = 0; k < 4; ++k)
            node[k][i] = pair[i < count ? i : count - 1].node[k];
    for (int k = 0; k < 4; ++k)
        pl_gather3_w(x, node[k], out[k].v);
}

// Where the offset says nothing about a direction.
static void direct(const double *x, const pl__pair *pair, const double offset[3], pl__contact *contact)
{
    double at[4][3];
    for (int k = 0; k < 4; ++k)
        memcpy(at[k], &x[3 * (size_t)pair->node[k]], sizeof at[k]);
    pl__contact_direct((const double(*)[3])at, (pl__pair_kind)pair->kind, offset, contact);
}

typedef struct
{
    double weight[4][PL_LANES], offset[3][PL_LANES], normal[3][PL_LANES], square[PL_LANES], distance[PL_LANES],
        least[PL_LANES];
} lanes;

PL_INLINE void store(const nearest *found, lanes *out)
{
    pl_real_w distance = pl_sqrt_w(found->square), over = pl_set_w(1) / distance;
    for (int k = 0; k < 4; ++k)
        pl_store_w(out->weight[k], found->weight[k]);
    for (int d = 0; d < 3; ++d)
    {
        pl_store_w(out->offset[d], found->offset.v[d]);
        pl_store_w(out->normal[d], found->offset.v[d] * over);
    }
    pl_store_w(out->square, found->square);
    pl_store_w(out->distance, distance);
    pl_store_w(out->least, found->size * pl_set_w(PL__NORMAL_LEAST * PL__NORMAL_LEAST));
}

// Lanes with a bit set, to as many contacts.
static void write_near(const double *x, const pl__pair *pair, const nearest *found, unsigned bits, pl__contact *contact)
{
    lanes l;
    int32_t kept = 0;
    store(found, &l);
    for (; bits; bits &= bits - 1)
    {
        int i = __builtin_ctz(bits);
        pl__contact *c = &contact[kept++];
        memcpy(c->node, pair[i].node, sizeof c->node);
        for (int k = 0; k < 4; ++k)
            c->weight[k] = l.weight[k][i];
        for (int d = 0; d < 3; ++d)
            c->normal[d] = l.normal[d][i];
        c->distance = l.distance[i];
        if (!(l.square[i] > l.least[i]))
            direct(x, &pair[i], (double[3]){l.offset[0][i], l.offset[1][i], l.offset[2][i]}, c);
    }
}

int32_t PL_KERNEL(pl__closest_near)(const double *x, const pl__pair *pair, int32_t count, double within,
                                    pl__contact *contact)
{
    int32_t kept = 0;
    pl_real_w square = pl_set_w(within * within);
    for (int32_t i = 0; i < count; i += PL_LANES)
    {
        point at[4];
        gather(x, &pair[i], count - i, at);
        nearest found = pair->kind == PL__EDGE_EDGE ? edge_edge(at) : vertex_face(at);
        unsigned bits =
            pl__mask_bits_w(pl_lt_w(found.square, square)) & (count - i < PL_LANES ? (1u << (count - i)) - 1 : ~0u);
        if (bits)
            write_near(x, &pair[i], &found, bits, &contact[kept]);
        kept += __builtin_popcount(bits);
    }
    return kept;
}

// src/contact/ccd.kernel.c -- continuous collision detection by moving separating planes (ccd.h), a register's worth at
// a time.
//
// Differences of points of the two things fill a convex set K(t): a triangle for a vertex and a face, a parallelogram
// for two edges. Its corners are differences of nodes,
//
//     vertex 0, face 1 2 3:  x0-x1, x0-x2, x0-x3, x0-x3,        edges 0 1, 2 3:  x0-x2, x1-x2, x1-x3, x0-x3,
//
// so both questions are one: when does the hull of four corners c_i(t), linear in time, come within s of the origin? A
// direction n with n.c_i > s |n| for all i proves that it is farther away. For a whole interval [a, b] the direction
// may turn with K: with n(t) linear from n_a to n_b, both of length 1, n(t).c_i(t) - s is a quadratic with the
// coefficients (of Bernstein)
//
//     f = n_a.c_i(a) - s,     m = (n_a.c_i(b) + n_b.c_i(a)) / 2 - s,     l = n_b.c_i(b) - s,
//
// which is positive if and only if                     f > 0,   l > 0,   m > -sqrt(f l). (1)
//
// Time is the only thing that is searched, and always forward: what lies before the current t is proved free. A step
// goes first to the last time for which the n of its start serves alone (Newton's step, if K does not turn), then tries
// to go on to just before the zero of the secant of the distance, with (1). Steps of less than PL__CCD_STEP_MIN end in
// a hit at t, and so does the PL__CCD_STEPS-th. So t is never late, and at a hit the distance exceeds s by
// PL__CCD_STEP_MIN times the motion at most, unless steps ran out.
//
// The best n at one time is that of the nearest point of the outline, or the normal of K where the foot of the origin
// lies inside. Which of the two is seen by which separates more: no test for "inside" is needed, and any n is safe,
// since (1) proves. Degenerate faces and edges are nothing special.
//
// Rounding, with u = 2^-53. Corners are scaled by a power of two, so that their largest component is in [1/2, 1);
// results do not depend on the scale. Differences come first: offsets cost nothing, and a corner is wrong by u. c + t
// (end - start) adds three roundings, in all 4u by component and 7u in n.c; the dot product adds 5.2u, m one more; |n|
// < 1 + 8u counts with s < 2 for 16u, s + PL__CCD_MARGIN for 2u, the root for 2.6u. These 33.8u, and what is flushed to
// zero below 2^-1022, are less than PL__CCD_MARGIN = 64u, which is added to s: then f, l and the root are below the
// truth. (For s > 2 nothing is proved, since |c| < 1.74.) Pairs whose corners are all below 2^-904, or one not below
// 2^1000, count as touching at t = 0.
//
// How good it is (tests/ccd.c): of 18 million motions, most of them degenerate, 8 million touch. None was missed, and t
// was early by 1e-9 at most where things close in at 5 % of their size per unit of time, by 5e-6 where they graze, by
// 2e-3 in contacts of third order, which run out of steps. 760 were reported wrongly, all within 1e-9 of their size of
// each other.
//
// Tried and lost: planes that do not turn, as in the additive method (Li et al. 2021, Codimensional incremental
// potential contact). Corners move where the nearest point does not: hits took six times as long, and many ran out of
// steps too early. Not taken: boxes in time and both coordinates (Wang et al. 2021, A large-scale benchmark and an
// inclusion-based algorithm for continuous collision detection). K is convex, so two of the three dimensions need no
// search. What it does badly: a vertex that glides along a face whose normal turns by a radian (a tenth, a hundredth)
// within 1e-5 (1e-7, 1e-9) of its size runs out of steps.
#include "base/simd.h"
#include "math/mat3_w.h"
#include "ccd.h"
#include "tolerances.h"

// The corners of K at the start and the end.
typedef struct
{
    pl_vec3_w start[4], end[4];
    pl_real_w separation;
} motion;

// A direction, and how far K lies beyond the origin along it: min n.c_i.
typedef struct
{
    pl_vec3_w n;
    pl_real_w distance;
} plane;

PL_INLINE pl_mask_w none(void) { return pl_lt_w(pl_set_w(1), pl_set_w(0)); }

// ---- the corners --------------------------------------------------------------------------------------------------

PL_INLINE void corners(const double *x, int32_t index[4][PL_LANES], pl_mask_w face, pl_vec3_w c[4])
{
    pl_vec3_w p[4];
    for (int k = 0; k < 4; ++k)
        pl_gather3_w(x, index[k], p[k].x);
    c[0] = pl_sub3_w(p[0], pl_select3_w(face, p[1], p[2]));
    pl_vec3_w other = pl_select3_w(face, p[0], p[1]);
    c[1] = pl_sub3_w(other, p[2]);
    c[2] = pl_sub3_w(other, p[3]);
    c[3] = pl_sub3_w(p[0], p[3]);
}

// Lanes beyond `count` repeat the last pair.
PL_INLINE void load(const pl__ccd_batch *batch, const int32_t *which, int32_t count, motion *m)
{
    int32_t index[4][PL_LANES];
    double kind[PL_LANES], separation[PL_LANES];
    for (int i = 0; i < PL_LANES; ++i)
    {
        int32_t p = which[i < count ? i : count - 1];
        const pl__pair *pair = &batch->pair[p];
        for (int k = 0; k < 4; ++k)
            index[k][i] = pair->node[k];
        kind[i] = pair->kind;
        separation[i] = batch->separation_of ? batch->separation_of[p] : batch->separation;
    }
    pl_mask_w face = pl_eq_w(pl_load_w(kind), pl_set_w(PL__VERTEX_FACE));
    corners(batch->x_start, index, face, m->start);
    corners(batch->x_end, index, face, m->end);
    m->separation = pl_max_w(pl_set_w(0), pl_load_w(separation));
}

// The largest component gets into [1/2, 1).
PL_INLINE void scale(motion *m)
{
    pl_real_w largest = pl_set_w(0);
    for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 3; ++k)
            largest = pl_max_w(largest, pl_max_w(pl_abs_w(m->start[i].x[k]), pl_abs_w(m->end[i].x[k])));
    pl_int_w exponent = pl_bits_w(largest) & (pl_int_set_w(2047) * ((int64_t)1 << 52));
    pl_real_w factor = pl_from_bits_w(pl_int_set_w((int64_t)2045 << 52) - exponent);
    for (int i = 0; i < 4; ++i)
    {
        m->start[i] = pl_scale3_w(factor, m->start[i]);
        m->end[i] = pl_scale3_w(factor, m->end[i]);
    }
    m->separation *= factor;
}

// Pack the pairs that are not `decided` to the front of `which`; returns how many there are now. All get a t, to be
// replaced.
PL_INLINE int32_t settle(int32_t *which, int32_t begin, int32_t end, pl_mask_w decided, pl_real_w value, int32_t kept,
                         double *t)
{
    double lanes[PL_LANES], open[PL_LANES];
    pl_store_w(lanes, value);
    pl_store_w(open, pl_select_w(decided, pl_set_w(0), pl_set_w(1)));
    int32_t count = end - begin < PL_LANES ? end - begin : PL_LANES;
    for (int32_t i = 0; i < count; ++i)
    {
        int32_t pair = which[begin + i];
        t[pair] = lanes[i];
        which[kept] = pair;
        kept += open[i] != 0;
    }
    return kept;
}

// ---- first: fixed directions for the whole motion
// -----------------------------------------------------------------------

// All corners are beyond the separation along an axis. The first rounding counts; signs of differences are exact.
PL_INLINE pl_mask_w boxes_apart(const motion *m)
{
    pl_real_w limit = m->separation * (1 + 0x1p-50) + 0x1p-1000;
    pl_mask_w apart = none();
    for (int k = 0; k < 3; ++k)
    {
        pl_real_w side = pl_copysign_w(pl_set_w(1), m->start[0].x[k]), low = side * m->start[0].x[k];
        for (int i = 0; i < 4; ++i)
            low = pl_min_w(low, pl_min_w(side * m->start[i].x[k], side * m->end[i].x[k]));
        apart = pl_or_w(apart, pl_gt_w(low, limit));
    }
    return apart;
}

// Numbers, and neither huge nor tiny.
PL_INLINE pl_mask_w sensible(const motion *m)
{
    pl_real_w size = pl_set_w(0);
    for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 3; ++k)
            size += pl_abs_w(m->start[i].x[k]) + pl_abs_w(m->end[i].x[k]);
    return pl_and_w(pl_gt_w(size, pl_set_w(0x1p-900)), pl_lt_w(size, pl_set_w(0x1p1000)));
}

// All corners are beyond the separation along n or -n, of any length: it is at most the sum of the components.
PL_INLINE pl_mask_w apart_along(pl_vec3_w n, const motion *m)
{
    n = pl_scale3_w(pl_copysign_w(pl_set_w(1), pl_dot3_w(n, m->start[0])), n);
    pl_real_w low = pl_dot3_w(n, m->start[0]), size = pl_abs_w(n.x[0]) + pl_abs_w(n.x[1]) + pl_abs_w(n.x[2]);
    for (int i = 0; i < 4; ++i)
        low = pl_min_w(low, pl_min_w(pl_dot3_w(n, m->start[i]), pl_dot3_w(n, m->end[i])));
    return pl_gt_w(low, (m->separation + PL__CCD_MARGIN) * size + 0x1p-900);
}

PL_INLINE pl_vec3_w cross_of_sides(const pl_vec3_w c[4])
{
    return pl_cross3_w(pl_sub3_w(c[1], c[0]), pl_sub3_w(c[3], c[0]));
}

// Along the normals at the start and the end, or the line between the middles: this decides four of five that pass each
// other.
PL_INLINE pl_mask_w directions_apart(const motion *m)
{
    pl_vec3_w middle = m->end[0];
    for (int i = 0; i < 4; ++i)
        middle = pl_add3_w(middle, i ? pl_add3_w(m->start[i], m->end[i]) : m->start[0]);
    pl_mask_w apart = pl_or_w(apart_along(cross_of_sides(m->start), m), apart_along(cross_of_sides(m->end), m));
    return pl_or_w(apart, apart_along(middle, m));
}

int32_t PL_KERNEL(pl__ccd_cull)(const pl__ccd_batch *batch, int32_t *which, int32_t count, double *t)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < count; i += PL_LANES)
    {
        motion m;
        load(batch, &which[i], count - i, &m);
        pl_mask_w nonsense = pl_not_w(sensible(&m)), decided = pl_or_w(boxes_apart(&m), nonsense);
        if (!pl_all_w(decided))
        {
            scale(&m);
            decided = pl_or_w(decided, directions_apart(&m));
        }
        pl_real_w value = pl_select_w(nonsense, pl_set_w(0), pl_set_w(PL__CCD_MISS));
        kept = settle(which, i, count, decided, value, kept, t);
    }
    return kept;
}

// ---- planes -------------------------------------------------------------------------------------------------------

PL_INLINE pl_vec3_w unit(pl_vec3_w a, double floor)
{
    return pl_scale3_w(1 / pl_sqrt_w(pl_max_w(pl_dot3_w(a, a), pl_set_w(floor))), a);
}

PL_INLINE plane along(pl_vec3_w n, const pl_vec3_w c[4])
{
    pl_real_w distance = pl_dot3_w(n, c[0]);
    for (int i = 1; i < 4; ++i)
        distance = pl_min_w(distance, pl_dot3_w(n, c[i]));
    return (plane){n, distance};
}

// The point nearest to the origin on an edge. It is projected twice: the errors of the first time would lean along the
// edge.
PL_INLINE pl_vec3_w nearest_on_edge(pl_vec3_w a, pl_vec3_w b)
{
    pl_vec3_w edge = pl_sub3_w(b, a);
    pl_real_w zero = pl_set_w(0), one = pl_set_w(1);
    pl_real_w inverse = 1 / pl_max_w(pl_dot3_w(edge, edge), pl_set_w(0x1p-1000)), s = -pl_dot3_w(a, edge) * inverse;
    pl_vec3_w x = pl_axpy3_w(pl_max_w(zero, pl_min_w(s, one)), edge, a);
    pl_mask_w inner = pl_and_w(pl_gt_w(s, zero), pl_lt_w(s, one));
    return pl_axpy3_w(pl_select_w(inner, -pl_dot3_w(x, edge) * inverse, zero), edge, x);
}

PL_INLINE pl_vec3_w nearest_on_outline(const pl_vec3_w c[4])
{
    pl_vec3_w nearest = nearest_on_edge(c[3], c[0]);
    pl_real_w smallest = pl_dot3_w(nearest, nearest);
    for (int i = 0; i < 3; ++i)
    {
        pl_vec3_w x = nearest_on_edge(c[i], c[i + 1]);
        pl_real_w square = pl_dot3_w(x, x);
        nearest = pl_select3_w(pl_lt_w(square, smallest), x, nearest);
        smallest = pl_min_w(square, smallest);
    }
    return nearest;
}

// From x towards the corner that lies lowest along it, as far as that gets nearer, if it is much lower than x. At
// needles rounding decides which of two long edges seems nearest, and then the far end of the other one may be.
PL_INLINE pl_vec3_w nearer(pl_vec3_w x, const pl_vec3_w c[4])
{
    pl_vec3_w lowest = c[0];
    pl_real_w low = pl_dot3_w(x, c[0]);
    for (int i = 1; i < 4; ++i)
    {
        pl_real_w height = pl_dot3_w(x, c[i]);
        lowest = pl_select3_w(pl_lt_w(height, low), c[i], lowest);
        low = pl_min_w(height, low);
    }
    pl_mask_w much = pl_lt_w(low, 0.5 * pl_dot3_w(x, x));
    return pl_any_w(much) ? pl_select3_w(much, nearest_on_edge(x, lowest), x) : x;
}

// The normal of K, away from the origin. Of slivers the cross product may lean along their length, where it does harm.
PL_INLINE pl_vec3_w normal(const pl_vec3_w c[4])
{
    pl_vec3_w a = pl_sub3_w(c[1], c[0]), b = pl_sub3_w(c[3], c[0]), n = cross_of_sides(c);
    pl_real_w aa = pl_dot3_w(a, a), bb = pl_dot3_w(b, b);
    pl_vec3_w longer = pl_select3_w(pl_lt_w(aa, bb), b, a);
    n = pl_axpy3_w(-pl_dot3_w(n, longer) / pl_max_w(pl_max_w(aa, bb), pl_set_w(0x1p-1000)), longer, n);
    return pl_scale3_w(pl_copysign_w(pl_set_w(1), pl_dot3_w(n, c[0])), n);
}

// The plane that separates K from the origin best.
PL_INLINE plane separate(const pl_vec3_w c[4])
{
    plane outline = along(unit(nearer(nearest_on_outline(c), c), 0x1p-200), c),
          inside = along(unit(normal(c), 0x1p-500), c);
    pl_mask_w better = pl_gt_w(inside.distance, outline.distance);
    return (plane){pl_select3_w(better, inside.n, outline.n), pl_max_w(inside.distance, outline.distance)};
}

// (1), between times when `p` and `q` separate the corners `a` and `b`.
PL_INLINE pl_mask_w turns_into(plane p, const pl_vec3_w a[4], plane q, const pl_vec3_w b[4], pl_real_w limit)
{
    pl_real_w middle = pl_dot3_w(p.n, b[0]) + pl_dot3_w(q.n, a[0]);
    for (int i = 1; i < 4; ++i)
        middle = pl_min_w(middle, pl_dot3_w(p.n, b[i]) + pl_dot3_w(q.n, a[i]));
    pl_real_w zero = pl_set_w(0), first = p.distance - limit, last = q.distance - limit;
    pl_mask_w ends = pl_and_w(pl_gt_w(first, zero), pl_gt_w(last, zero));
    return pl_and_w(ends, pl_gt_w(0.5 * middle - limit, -pl_sqrt_w(pl_max_w(first * last, zero))));
}

// ---- second: one plane for the whole motion -----------------------------------------------------------------------

PL_INLINE pl_mask_w swept_apart(const motion *m)
{
    pl_real_w limit = m->separation + pl_set_w(PL__CCD_MARGIN);
    plane p = separate(m->start), q = separate(m->end);
    pl_mask_w apart = turns_into(p, m->start, q, m->end, limit);
    pl_mask_w first = pl_and_w(pl_gt_w(p.distance, limit), pl_gt_w(along(p.n, m->end).distance, limit));
    pl_mask_w last = pl_and_w(pl_gt_w(q.distance, limit), pl_gt_w(along(q.n, m->start).distance, limit));
    return pl_or_w(apart, pl_or_w(first, last));
}

int32_t PL_KERNEL(pl__ccd_sweep)(const pl__ccd_batch *batch, int32_t *which, int32_t count, double *t)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < count; i += PL_LANES)
    {
        motion m;
        load(batch, &which[i], count - i, &m);
        scale(&m);
        kept = settle(which, i, count, swept_apart(&m), pl_set_w(PL__CCD_MISS), kept, t);
    }
    return kept;
}

// ---- third: step by step ------------------------------------------------------------------------------------------

// Where a pair has got to: [0, t] is free, and p separates the corners c(t).
typedef struct
{
    pl_real_w t;
    pl_vec3_w c[4];
    plane p;
} moment;

PL_INLINE void corners_at(const motion *m, pl_real_w t, pl_vec3_w c[4])
{
    for (int i = 0; i < 4; ++i)
        c[i] = pl_axpy3_w(t, pl_sub3_w(m->end[i], m->start[i]), m->start[i]);
}

PL_INLINE moment look_at(const motion *m, pl_real_w t)
{
    moment now = {.t = t};
    corners_at(m, t, now.c);
    now.p = separate(now.c);
    return now;
}

PL_INLINE moment select_moment(pl_mask_w mask, const moment *a, const moment *b)
{
    moment r = {.t = pl_select_w(mask, a->t, b->t)};
    for (int i = 0; i < 4; ++i)
        r.c[i] = pl_select3_w(mask, a->c[i], b->c[i]);
    r.p.n = pl_select3_w(mask, a->p.n, b->p.n);
    r.p.distance = pl_select_w(mask, a->p.distance, b->p.distance);
    return r;
}

// The last time at which p still leaves `goal`: each n.c_i is linear until the end.
PL_INLINE pl_real_w plane_lasts_until(const motion *m, const moment *now, pl_real_w goal)
{
    pl_real_w one = pl_set_w(1), part = one;
    for (int i = 0; i < 4; ++i)
    {
        pl_real_w here = pl_dot3_w(now->p.n, now->c[i]), end = pl_dot3_w(now->p.n, m->end[i]);
        part = pl_select_w(pl_lt_w(end, goal), pl_min_w((here - goal) / (here - end), part), part);
    }
    return pl_min_w(now->t + part * (one - now->t), one);
}

// The part `reach` of the way from b to where the secant of the distance gets to the limit or, if it rises, to 33 times
// as much.
PL_INLINE pl_real_w secant_target(const moment *a, const moment *b, pl_real_w limit, pl_real_w reach)
{
    pl_real_w fall = a->p.distance - b->p.distance, left = b->p.distance - limit;
    pl_real_w way = left * (b->t - a->t) / pl_max_w(pl_abs_w(fall), pl_set_w(0x1p-100));
    way = pl_select_w(pl_lt_w(fall, pl_set_w(0)), 32 * way, way);
    return pl_min_w(b->t + reach * pl_min_w(way, 1.0625 * (1 - b->t)), pl_set_w(1));
}

// Where lanes stand: at `now`, or `done` with the answer t.
typedef struct
{
    moment now;
    pl_real_w reach, t;
    pl_mask_w done;
} walk;

PL_INLINE void finish(walk *w, pl_mask_w which, pl_real_w t)
{
    which = pl_and_w(which, pl_not_w(w->done));
    w->t = pl_select_w(which, t, w->t);
    w->done = pl_or_w(w->done, which);
}

// As far as one plane serves, which must be seen to serve there, too. Where that is no way at all, it is a hit.
PL_INLINE moment slide(const motion *m, walk *w, pl_real_w limit)
{
    const moment *now = &w->now;
    pl_real_w goal = limit + pl_set_w(PL__CCD_MARGIN), until = plane_lasts_until(m, now, goal);
    moment next = look_at(m, until);
    pl_mask_w ends = pl_ge_w(until, pl_set_w(1)),
              moves = pl_or_w(ends, pl_ge_w(until - now->t, pl_set_w(PL__CCD_STEP_MIN)));
    pl_mask_w serves = pl_and_w(pl_gt_w(now->p.distance, goal), pl_gt_w(along(now->p.n, next.c).distance, limit));
    finish(w, pl_not_w(pl_and_w(serves, moves)), now->t);
    finish(w, ends, pl_set_w(PL__CCD_MISS));
    return next;
}

// And further, with a plane that turns: the better it works, the nearer to where the secant ends.
PL_INLINE void leap(const motion *m, walk *w, const moment *from, pl_real_w limit)
{
    pl_real_w target = secant_target(&w->now, from, limit, w->reach);
    moment next = look_at(m, target);
    pl_mask_w reached = turns_into(from->p, from->c, next.p, next.c, limit);
    pl_real_w further = pl_min_w(pl_min_w(1.5 * w->reach, 0.875 + 0.125 * w->reach), pl_set_w(PL__CCD_REACH_MOST));
    w->reach = pl_select_w(reached, further, 0.5 * w->reach);
    w->now = select_moment(reached, &next, from);
    finish(w, pl_and_w(reached, pl_ge_w(target, pl_set_w(1))), pl_set_w(PL__CCD_MISS));
}

PL_INLINE pl_real_w advance(const motion *m)
{
    pl_real_w limit = m->separation + pl_set_w(PL__CCD_MARGIN);
    walk w = {.now = look_at(m, pl_set_w(0)), .reach = pl_set_w(PL__CCD_REACH), .done = none()};
    w.t = w.now.t;
    for (int i = 0; i < PL__CCD_STEPS; ++i)
    {
        moment next = slide(m, &w, limit);
        if (pl_all_w(w.done))
            break;
        leap(m, &w, &next, limit);
    }
    finish(&w, pl_not_w(w.done), w.now.t);
    return w.t;
}

void PL_KERNEL(pl__ccd_advance)(const pl__ccd_batch *batch, const int32_t *which, int32_t count, double *t)
{
    for (int32_t i = 0; i < count; i += PL_LANES)
    {
        motion m;
        double lanes[PL_LANES];
        load(batch, &which[i], count - i, &m);
        scale(&m);
        pl_store_w(lanes, advance(&m));
        for (int32_t k = 0; k < PL_LANES && i + k < count; ++k)
            t[which[i + k]] = lanes[k];
    }
}

// src/limit/limit.kernel.c -- one element after another is brought within its bounds, in the metric of mass.
//
// F = sum_a x_a g_a^T is constant over a triangle or tetrahedron, and the mean over a hexahedron. With F = U S V^T the
// slope of a principal stretch is d s_i/d x_a = u_i (v_i . g_a); the least motion, weighed by mass, that takes s_i to
// its bound s* is
//
//     dx_a = -w_a q_a (s_i - s*)/n u_i,    q_a = v_i . g_a,    n = sum_b w_b q_b^2,
//
// w the inverse masses. The slopes of the two or three stretches of an element are perpendicular in that metric, since
// the u_i are, so that all are taken back at once. Sum m dx = 0 as sum_a g_a = 0, and sum m x_a x dx_a ~ (F v_i) x u_i
// = 0: an element keeps both momenta to round-off, whatever is held (w = 0) apart. Wang et al. 2010 (3) and (4) scale
// the whole element about its centre of mass instead: that keeps linear momentum only, and where F has several masses
// it is not the nearest admissible shape. Nearest it has to be: s_0 <= s* is convex in x, a projection onto a
// half-space that contains it never leads away from any admissible state, and so upper bounds take no energy into a
// body that was admissible (their least stretches are not convex).
//
// The paper skips an element if any eigenvalue of F^T F lies within bounds, in print; meant is if all do, and det F >
// 0.
//
// Woven cloth: the bounds are of |F a|, |F b| and of the sine of the angle between them, one after another.
// Bends: theta of bend_force.kernel.c, dx_a = -w_a d theta/d x_a (theta - theta*)/sum_b w_b |d theta/d x_b|^2: both
// momenta, where the paper's rotations (6) move the centre of mass.
#include "base/simd.h"
#include "base/wide_math.h"
#include "limit_set.h"
#include "math/svd2_w.h"
#include "math/svd32_w.h"
#include "math/svd3_w.h"

enum
{
    CORNERS = PL__LIMIT_CORNERS
};

static const double no_excess = 1e-6; // what rounding and the last sweep leave does not count as beyond

typedef struct
{
    pl_vec3_w x[CORNERS], g[CORNERS], d[CORNERS];
    pl_real_w w[CORNERS];
} element_w;

typedef struct
{
    pl_vec3_w u[3], v[3];
    pl_real_w s[3];
} stretches_w;

PL_INLINE const double (*rows(const pl__limit_job *job, int32_t block, int corners))[PL_BLOCK]
{
    return (const double(*)[PL_BLOCK])(const void *)(job->block + (size_t)block * job->stride +
                                                     (size_t)corners * PL_BLOCK * sizeof(int32_t));
}

PL_INLINE const int32_t *nodes(const pl__limit_job *job, int32_t block, int corner, int lane)
{
    return (const int32_t *)(const void *)(job->block + (size_t)block * job->stride) + corner * PL_BLOCK + lane;
}

PL_INLINE void load(const pl__limit_job *job, int32_t block, int lane, int corners, element_w *e)
{
    for (int a = 0; a < corners; ++a)
    {
        pl_real_w x[4];
        pl_gather4_w(job->y, nodes(job, block, a, lane), x);
        e->x[a] = pl_make3_w(x[0], x[1], x[2]);
        e->w[a] = x[3];
        e->d[a] = pl_make3_w(pl_set_w(0), pl_set_w(0), pl_set_w(0));
    }
}

// No two lanes of a block share a node that moves.
PL_INLINE void store(const pl__limit_job *job, int32_t block, int lane, int corners, const element_w *e)
{
    for (int a = 0; a < corners; ++a)
    {
        double d[3][PL_LANES];
        for (int i = 0; i < 3; ++i)
            pl_store_w(d[i], job->factor * e->d[a].x[i]);
        const int32_t *node = nodes(job, block, a, lane);
        for (int l = 0; l < PL_LANES; ++l)
        {
            double *y = &job->y[4 * (size_t)node[l]];
            for (int i = 0; i < 3; ++i)
                y[i] += d[i][l];
        }
    }
}

// ---- shapes ------------------------------------------------------------------------------------------------------

// gradients of triangles: b_1, b_2 and minus their sum
PL_INLINE void triangle_gradients(const double (*row)[PL_BLOCK], int lane, element_w *e)
{
    for (int j = 0; j < 2; ++j)
        e->g[j + 1] = pl_make3_w(pl_load_w(&row[j][lane]), pl_load_w(&row[2 + j][lane]), pl_set_w(0));
    e->g[0] = pl_neg3_w(pl_add3_w(e->g[1], e->g[2]));
}

PL_INLINE void tet_gradients(const double (*row)[PL_BLOCK], int lane, element_w *e)
{
    for (int j = 0; j < 3; ++j)
        e->g[j + 1] = pl_make3_w(pl_load_w(&row[j][lane]), pl_load_w(&row[3 + j][lane]), pl_load_w(&row[6 + j][lane]));
    e->g[0] = pl_neg3_w(pl_add3_w(e->g[1], pl_add3_w(e->g[2], e->g[3])));
}

PL_INLINE void hex_gradients(const double (*row)[PL_BLOCK], int lane, element_w *e)
{
    for (int a = 0; a < 8; ++a)
        e->g[a] = pl_load3_w(row + 3 * a, lane);
}

// column j of F, from the edges, so that common motion cancels
PL_INLINE pl_vec3_w column(const element_w *e, int corners, int j)
{
    pl_vec3_w f = pl_scale3_w(e->g[1].x[j], pl_sub3_w(e->x[1], e->x[0]));
    for (int a = 2; a < corners; ++a)
        f = pl_axpy3_w(e->g[a].x[j], pl_sub3_w(e->x[a], e->x[0]), f);
    return f;
}

PL_INLINE void decompose_triangle(const element_w *e, bool planar, stretches_w *k)
{
    pl_mat32_w F = {{column(e, 3, 0), column(e, 3, 1)}}, U;
    pl_vec2_w s;
    pl_mat2_w V;
    if (planar)
    {
        pl_mat2_w F2, U2;
        for (int j = 0; j < 4; ++j)
            F2.c[j / 2].x[j % 2] = F.c[j / 2].x[j % 2];
        pl_svd2_w(&F2, &U2, &s, &V);
        for (int j = 0; j < 2; ++j)
            U.c[j] = pl_make3_w(U2.c[j].x[0], U2.c[j].x[1], pl_set_w(0));
    }
    else
        pl_svd32_w(&F, &U, &s, &V);
    for (int j = 0; j < 2; ++j)
    {
        k->u[j] = U.c[j];
        k->v[j] = pl_make3_w(V.c[j].x[0], V.c[j].x[1], pl_set_w(0));
        k->s[j] = s.x[j];
    }
}

PL_INLINE void decompose_solid(const element_w *e, int corners, stretches_w *k)
{
    pl_mat3_w F = pl_columns3_w(column(e, corners, 0), column(e, corners, 1), column(e, corners, 2)), U, V;
    pl_vec3_w s;
    pl_svd3_w(&F, &U, &s, &V);
    for (int j = 0; j < 3; ++j)
    {
        k->u[j] = U.c[j];
        k->v[j] = V.c[j];
        k->s[j] = s.x[j];
    }
}

// ---- tests that need no decomposition ----------------------------------------------------------------------------

PL_INLINE pl_mask_w triangle_is_within(const element_w *e, pl_real_w low, pl_real_w high)
{
    pl_vec3_w f0 = column(e, 3, 0), f1 = column(e, 3, 1);
    pl_real_w a = pl_dot3_w(f0, f0), b = pl_dot3_w(f1, f1), c = pl_dot3_w(f0, f1);
    pl_real_w mean = 0.5 * (a + b), half = 0.5 * (a - b), r = pl_sqrt_w(half * half + c * c);
    low = pl_max_w(low, pl_set_w(0));
    return pl_and_w(pl_le_w(mean + r, high * high), pl_ge_w(mean - r, low * low));
}

// Gershgorin's circles of F^T F, and det F > 0
PL_INLINE pl_mask_w solid_is_within(const element_w *e, int corners, pl_real_w low, pl_real_w high)
{
    pl_vec3_w f[3] = {column(e, corners, 0), column(e, corners, 1), column(e, corners, 2)};
    pl_real_w c01 = pl_abs_w(pl_dot3_w(f[0], f[1])), c12 = pl_abs_w(pl_dot3_w(f[1], f[2])),
              c20 = pl_abs_w(pl_dot3_w(f[2], f[0])), circle[3] = {c01 + c20, c01 + c12, c12 + c20};
    pl_mask_w within = pl_gt_w(pl_dot3_w(f[0], pl_cross3_w(f[1], f[2])), pl_set_w(0));
    low = pl_max_w(low, pl_set_w(0));
    for (int i = 0; i < 3; ++i)
    {
        pl_real_w a = pl_dot3_w(f[i], f[i]);
        within = pl_and_w(within, pl_and_w(pl_le_w(a + circle[i], high * high), pl_ge_w(a - circle[i], low * low)));
    }
    return within;
}

// ---- corrections -------------------------------------------------------------------------------------------------

// The correction of slopes `slope`, of a quantity that is `beyond` its bound.
PL_INLINE void correct(element_w *e, int corners, const pl_vec3_w slope[], pl_real_w beyond)
{
    pl_real_w n = pl_set_w(0);
    for (int a = 0; a < corners; ++a)
        n += e->w[a] * pl_dot3_w(slope[a], slope[a]);
    pl_real_w some = pl_max_w(n, pl_set_w(1e-280)),
              step = pl_select_w(pl_gt_w(n, some * 0.5), beyond / some, pl_set_w(0));
    for (int a = 0; a < corners; ++a)
        e->d[a] = pl_sub3_w(e->d[a], pl_scale3_w(e->w[a] * step, slope[a]));
}

PL_INLINE pl_real_w clamped(pl_real_w s, pl_real_w low, pl_real_w high) { return pl_min_w(pl_max_w(s, low), high); }

// With |u| = 1 the squares of slopes are those of q.
PL_INLINE void correct_stretch(element_w *e, int corners, pl_vec3_w u, pl_vec3_w v, pl_real_w beyond)
{
    pl_real_w q[CORNERS], n = pl_set_w(0);
    for (int a = 0; a < corners; ++a)
    {
        q[a] = pl_dot3_w(v, e->g[a]);
        n += e->w[a] * (q[a] * q[a]);
    }
    pl_real_w some = pl_max_w(n, pl_set_w(1e-280)),
              step = pl_select_w(pl_gt_w(n, some * 0.5), beyond / some, pl_set_w(0));
    for (int a = 0; a < corners; ++a)
        e->d[a] = pl_axpy3_w(-(e->w[a] * q[a] * step), u, e->d[a]);
}

// ---- kinds -------------------------------------------------------------------------------------------------------

PL_INLINE void sweep_triangles(const pl__limit_job *job, int32_t begin, int32_t end, bool planar)
{
    for (int32_t block = begin; block < end; ++block)
        for (int lane = 0; lane < PL_BLOCK; lane += PL_LANES)
        {
            const double(*row)[PL_BLOCK] = rows(job, block, 3);
            element_w e;
            stretches_w k;
            pl_real_w low = pl_load_w(&row[6][lane]), high = pl_load_w(&row[7][lane]);
            load(job, block, lane, 3, &e);
            triangle_gradients(row, lane, &e);
            if (!planar && pl_all_w(triangle_is_within(&e, low, high)))
                continue;
            decompose_triangle(&e, planar, &k);
            for (int i = 0; i < 2; ++i)
                correct_stretch(&e, 3, k.u[i], k.v[i], k.s[i] - clamped(k.s[i], low, high));
            store(job, block, lane, 3, &e);
        }
}

PL_INLINE void sweep_solids(const pl__limit_job *job, int32_t begin, int32_t end, int corners, int shapes)
{
    for (int32_t block = begin; block < end; ++block)
        for (int lane = 0; lane < PL_BLOCK; lane += PL_LANES)
        {
            const double(*row)[PL_BLOCK] = rows(job, block, corners);
            element_w e;
            stretches_w k;
            pl_real_w low = pl_load_w(&row[shapes + 2][lane]), high = pl_load_w(&row[shapes + 3][lane]);
            load(job, block, lane, corners, &e);
            if (corners == 4)
                tet_gradients(row, lane, &e);
            else
                hex_gradients(row, lane, &e);
            if (pl_all_w(solid_is_within(&e, corners, low, high)))
                continue;
            decompose_solid(&e, corners, &k);
            for (int i = 0; i < 3; ++i)
                correct_stretch(&e, corners, k.u[i], k.v[i], k.s[i] - clamped(k.s[i], low, high));
            store(job, block, lane, corners, &e);
        }
}

// Where the nodes are after the corrections so far.
PL_INLINE element_w moved(const element_w *e, int corners)
{
    element_w to = *e;
    for (int a = 0; a < corners; ++a)
        to.x[a] = pl_add3_w(e->x[a], e->d[a]);
    return to;
}

PL_INLINE void unit(pl_vec3_w f, pl_real_w *length, pl_vec3_w *u)
{
    pl_real_w n = pl_max_w(pl_dot3_w(f, f), pl_set_w(1e-200)), k = pl_rsqrt_w(n);
    *length = n * k;
    *u = pl_scale3_w(k, f);
}

typedef struct
{
    pl_vec3_w u[2];
    pl_real_w s[2], sine;
} threads_w;

PL_INLINE threads_w threads(const element_w *e)
{
    threads_w t;
    for (int j = 0; j < 2; ++j)
        unit(column(e, 3, j), &t.s[j], &t.u[j]);
    t.sine = pl_dot3_w(t.u[0], t.u[1]);
    return t;
}

PL_INLINE void correct_threads(element_w *e, const double (*row)[PL_BLOCK], int lane)
{
    pl_real_w low = pl_load_w(&row[8][lane]), zero = pl_set_w(0), one = pl_set_w(1);
    for (int j = 0; j < 2; ++j)
    {
        element_w now = moved(e, 3);
        threads_w t = threads(&now);
        correct_stretch(e, 3, t.u[j], pl_make3_w(j ? zero : one, j ? one : zero, zero),
                        t.s[j] - clamped(t.s[j], low, pl_load_w(&row[9 + j][lane])));
    }
    element_w now = moved(e, 3);
    threads_w t = threads(&now);
    pl_real_w most = pl_load_w(&row[11][lane]);
    pl_vec3_w of0 = pl_scale3_w(1 / t.s[0], pl_axpy3_w(-t.sine, t.u[0], t.u[1])),
              of1 = pl_scale3_w(1 / t.s[1], pl_axpy3_w(-t.sine, t.u[1], t.u[0])), slope[3];
    for (int a = 0; a < 3; ++a)
        slope[a] = pl_axpy3_w(e->g[a].x[1], of1, pl_scale3_w(e->g[a].x[0], of0));
    correct(e, 3, slope, t.sine - clamped(t.sine, -most, most));
}

PL_INLINE pl_mask_w threads_are_within(const threads_w *t, const double (*row)[PL_BLOCK], int lane)
{
    pl_real_w low = pl_load_w(&row[8][lane]);
    pl_mask_w within = pl_le_w(pl_abs_w(t->sine), pl_load_w(&row[11][lane]));
    for (int j = 0; j < 2; ++j)
        within = pl_and_w(within, pl_and_w(pl_ge_w(t->s[j], low), pl_le_w(t->s[j], pl_load_w(&row[9 + j][lane]))));
    return within;
}

// Angle from rest, and its slopes at i, j, k, a (bend_w.h).
PL_INLINE pl_real_w bend(const double (*row)[PL_BLOCK], int lane, const element_w *q, pl_vec3_w slope[4])
{
    pl_vec3_w e = pl_sub3_w(q->x[2], q->x[1]), d = pl_sub3_w(q->x[0], q->x[1]), da = pl_sub3_w(q->x[3], q->x[1]);
    pl_vec3_w N = pl_cross3_w(e, d), M = pl_cross3_w(da, e);
    pl_real_w l2 = pl_max_w(pl_dot3_w(e, e), pl_set_w(1e-200)), y = pl_rsqrt_w(l2), l = l2 * y, inverse2 = y * y;
    pl_real_w n2 = pl_dot3_w(N, N), m2 = pl_dot3_w(M, M), t = pl_dot3_w(d, e) * inverse2,
              t1 = pl_dot3_w(da, e) * inverse2;
    pl_real_w angle = pl_atan2_w(-(l * pl_dot3_w(N, da)), pl_dot3_w(N, M)) - pl_load_w(&row[0][lane]);
    pl_real_w pi = pl_set_w(0x1.921fb54442d18p+1), turn = pl_set_w(0x1.921fb54442d18p+2), zero = pl_set_w(0);
    angle = angle - pl_select_w(pl_gt_w(angle, pi), turn, zero) + pl_select_w(pl_le_w(angle, -pi), turn, zero);
    // a triangle without area has no normal to turn about
    pl_mask_w flat = pl_le_w(pl_min_w(n2, m2), 1e-20 * (l2 * l2));
    pl_vec3_w own = pl_scale3_w(l / pl_max_w(n2, pl_set_w(1e-200)), N),
              across = pl_scale3_w(l / pl_max_w(m2, pl_set_w(1e-200)), M);
    slope[0] = pl_neg3_w(own);
    slope[3] = pl_neg3_w(across);
    slope[1] = pl_add3_w(pl_scale3_w(1 - t, own), pl_scale3_w(1 - t1, across));
    slope[2] = pl_add3_w(pl_scale3_w(t, own), pl_scale3_w(t1, across));
    return pl_select_w(flat, zero, angle);
}

PL_INLINE pl_real_w chord(const double (*row)[PL_BLOCK], int lane, const element_w *e, pl_vec3_w *u)
{
    pl_real_w length;
    unit(pl_sub3_w(e->x[0], e->x[1]), &length, u);
    return length / pl_load_w(&row[0][lane]);
}

// ---- sweeps ------------------------------------------------------------------------------------------------------

void PL_KERNEL(pl__limit_triangle)(const pl__limit_job *job, int32_t begin, int32_t end)
{
    sweep_triangles(job, begin, end, false);
}

void PL_KERNEL(pl__limit_planar)(const pl__limit_job *job, int32_t begin, int32_t end)
{
    sweep_triangles(job, begin, end, true);
}

void PL_KERNEL(pl__limit_tet)(const pl__limit_job *job, int32_t begin, int32_t end)
{
    sweep_solids(job, begin, end, 4, 9);
}

void PL_KERNEL(pl__limit_hex)(const pl__limit_job *job, int32_t begin, int32_t end)
{
    sweep_solids(job, begin, end, 8, 24);
}

void PL_KERNEL(pl__limit_woven)(const pl__limit_job *job, int32_t begin, int32_t end)
{
    for (int32_t block = begin; block < end; ++block)
        for (int lane = 0; lane < PL_BLOCK; lane += PL_LANES)
        {
            const double(*row)[PL_BLOCK] = rows(job, block, 3);
            element_w e;
            load(job, block, lane, 3, &e);
            triangle_gradients(row, lane, &e);
            threads_w t = threads(&e);
            if (pl_all_w(threads_are_within(&t, row, lane)))
                continue;
            correct_threads(&e, row, lane);
            store(job, block, lane, 3, &e);
        }
}

void PL_KERNEL(pl__limit_bend)(const pl__limit_job *job, int32_t begin, int32_t end)
{
    for (int32_t block = begin; block < end; ++block)
        for (int lane = 0; lane < PL_BLOCK; lane += PL_LANES)
        {
            const double(*row)[PL_BLOCK] = rows(job, block, 4);
            element_w e;
            pl_vec3_w slope[4];
            load(job, block, lane, 4, &e);
            pl_real_w angle = bend(row, lane, &e, slope), most = pl_load_w(&row[3][lane]);
            if (pl_all_w(pl_le_w(pl_abs_w(angle), most)))
                continue;
            correct(&e, 4, slope, angle - clamped(angle, -most, most));
            store(job, block, lane, 4, &e);
        }
}

void PL_KERNEL(pl__limit_chord)(const pl__limit_job *job, int32_t begin, int32_t end)
{
    for (int32_t block = begin; block < end; ++block)
        for (int lane = 0; lane < PL_BLOCK; lane += PL_LANES)
        {
            const double(*row)[PL_BLOCK] = rows(job, block, 2);
            element_w e;
            pl_vec3_w u;
            load(job, block, lane, 2, &e);
            pl_real_w s = chord(row, lane, &e, &u), low = pl_load_w(&row[3][lane]), high = pl_load_w(&row[4][lane]);
            pl_real_w beyond = (s - clamped(s, low, high)) * pl_load_w(&row[0][lane]);
            if (pl_all_w(pl_eq_w(beyond, pl_set_w(0))))
                continue;
            pl_vec3_w slope[2] = {u, pl_neg3_w(u)};
            correct(&e, 2, slope, beyond);
            store(job, block, lane, 2, &e);
        }
}

// Only the first node moves, and only while the second is held: blocks may share that.
void PL_KERNEL(pl__limit_tether)(const pl__limit_job *job, int32_t begin, int32_t end)
{
    for (int32_t block = begin; block < end; ++block)
        for (int lane = 0; lane < PL_BLOCK; lane += PL_LANES)
        {
            const double(*row)[PL_BLOCK] = rows(job, block, 2);
            element_w e;
            pl_vec3_w u;
            load(job, block, lane, 2, &e);
            pl_real_w s = chord(row, lane, &e, &u), zero = pl_set_w(0);
            pl_mask_w acts = pl_and_w(pl_eq_w(e.w[1], zero), pl_gt_w(e.w[0], zero));
            pl_real_w beyond = pl_max_w(s - pl_load_w(&row[2][lane]), zero) * pl_load_w(&row[0][lane]);
            beyond = pl_select_w(acts, beyond, zero);
            if (pl_all_w(pl_eq_w(beyond, zero)))
                continue;
            e.d[0] = pl_scale3_w(-beyond, u);
            store(job, block, lane, 1, &e);
        }
}

// ---- measuring ---------------------------------------------------------------------------------------------------

// Row `shapes + b` is a given bound, `shapes + bounds + b` the same now.
PL_INLINE void set_bound(const pl__limit_job *job, int32_t block, int lane, int corners, int given, int now,
                         pl_real_w value, bool least)
{
    double *to =
        (double *)(void *)(job->block + (size_t)block * job->stride + (size_t)corners * PL_BLOCK * sizeof(int32_t)) +
        now * PL_BLOCK + lane;
    pl_real_w bound = pl_load_w(rows(job, block, corners)[given] + lane);
    if (job->bounds == PL__LIMIT_KEEP)
        return;
    if (job->bounds == PL__LIMIT_INCLUDE)
        bound = least ? pl_min_w(bound, value) : pl_max_w(bound, value);
    pl_store_w(to, bound);
}

// What is beyond is so compared with the given bounds, or with those now where these are kept.
PL_INLINE int against(const pl__limit_job *job, int bounds) { return job->bounds == PL__LIMIT_KEEP ? bounds : 0; }

PL_INLINE pl_real_w past(pl_real_w s, pl_real_w low, pl_real_w high)
{
    return pl_max_w(pl_max_w(s - high, low - s), pl_set_w(0));
}

PL_INLINE pl_real_w measure_stretches(const pl__limit_job *job, int32_t block, int lane, int corners, int shapes,
                                      const stretches_w *k, int dimensions)
{
    const double(*row)[PL_BLOCK] = rows(job, block, corners);
    int at = shapes + against(job, 2);
    pl_real_w low = pl_load_w(&row[at][lane]), high = pl_load_w(&row[at + 1][lane]);
    set_bound(job, block, lane, corners, shapes, shapes + 2, k->s[dimensions - 1], true);
    set_bound(job, block, lane, corners, shapes + 1, shapes + 3, k->s[0], false);
    return pl_max_w(past(k->s[0], low, high), past(k->s[dimensions - 1], low, high));
}

PL_INLINE pl_real_w measure_threads(const pl__limit_job *job, int32_t block, int lane, const element_w *e)
{
    const double(*row)[PL_BLOCK] = rows(job, block, 3);
    threads_w t = threads(e);
    int at = 4 + against(job, 4);
    pl_real_w low = pl_load_w(&row[at][lane]), most = pl_load_w(&row[at + 3][lane]), sine = pl_abs_w(t.sine);
    pl_real_w warp = past(t.s[0], low, pl_load_w(&row[at + 1][lane])),
              weft = past(t.s[1], low, pl_load_w(&row[at + 2][lane]));
    set_bound(job, block, lane, 3, 4, 8, pl_min_w(t.s[0], t.s[1]), true);
    set_bound(job, block, lane, 3, 5, 9, t.s[0], false);
    set_bound(job, block, lane, 3, 6, 10, t.s[1], false);
    set_bound(job, block, lane, 3, 7, 11, sine, false);
    return pl_max_w(pl_max_w(warp, weft), past(sine, -most, most));
}

PL_INLINE pl_real_w measure_bend(const pl__limit_job *job, int32_t block, int lane, const element_w *e)
{
    const double(*row)[PL_BLOCK] = rows(job, block, 4);
    pl_vec3_w slope[4];
    pl_real_w angle = pl_abs_w(bend(row, lane, e, slope)), most = pl_load_w(&row[2 + against(job, 1)][lane]);
    set_bound(job, block, lane, 4, 2, 3, angle, false);
    return pl_max_w(angle - most, pl_set_w(0)) * pl_load_w(&row[1][lane]);
}

PL_INLINE pl_real_w measure_chord(const pl__limit_job *job, int32_t block, int lane, const element_w *e)
{
    const double(*row)[PL_BLOCK] = rows(job, block, 2);
    pl_vec3_w u;
    int at = 1 + against(job, 2);
    pl_real_w s = chord(row, lane, e, &u), low = pl_load_w(&row[at][lane]), high = pl_load_w(&row[at + 1][lane]);
    set_bound(job, block, lane, 2, 1, 3, s, true);
    set_bound(job, block, lane, 2, 2, 4, s, false);
    return past(s, low, high);
}

PL_INLINE pl_real_w measure_tether(const pl__limit_job *job, int32_t block, int lane, const element_w *e)
{
    const double(*row)[PL_BLOCK] = rows(job, block, 2);
    pl_vec3_w u;
    pl_real_w s = chord(row, lane, e, &u), high = pl_load_w(&row[1 + against(job, 1)][lane]), zero = pl_set_w(0);
    set_bound(job, block, lane, 2, 1, 2, s, false);
    pl_mask_w acts = pl_and_w(pl_eq_w(e->w[1], zero), pl_gt_w(e->w[0], zero));
    return pl_select_w(acts, pl_max_w(s - high, zero), zero);
}

PL_INLINE pl_real_w measure(pl__limit_kind kind, const pl__limit_job *job, int32_t block, int lane)
{
    element_w e;
    stretches_w k;
    switch (kind)
    {
    case PL__LIMIT_TRIANGLE:
    case PL__LIMIT_PLANAR:
        load(job, block, lane, 3, &e);
        triangle_gradients(rows(job, block, 3), lane, &e);
        decompose_triangle(&e, kind == PL__LIMIT_PLANAR, &k);
        return measure_stretches(job, block, lane, 3, 4, &k, 2);
    case PL__LIMIT_WOVEN:
        load(job, block, lane, 3, &e);
        triangle_gradients(rows(job, block, 3), lane, &e);
        return measure_threads(job, block, lane, &e);
    case PL__LIMIT_TET:
        load(job, block, lane, 4, &e);
        tet_gradients(rows(job, block, 4), lane, &e);
        decompose_solid(&e, 4, &k);
        return measure_stretches(job, block, lane, 4, 9, &k, 3);
    case PL__LIMIT_HEX:
        load(job, block, lane, 8, &e);
        hex_gradients(rows(job, block, 8), lane, &e);
        decompose_solid(&e, 8, &k);
        return measure_stretches(job, block, lane, 8, 24, &k, 3);
    case PL__LIMIT_BEND: load(job, block, lane, 4, &e); return measure_bend(job, block, lane, &e);
    case PL__LIMIT_CHORD: load(job, block, lane, 2, &e); return measure_chord(job, block, lane, &e);
    case PL__LIMIT_TETHER: load(job, block, lane, 2, &e); return measure_tether(job, block, lane, &e);
    }
    return pl_set_w(0);
}

void PL_KERNEL(pl__limit_measure)(pl__limit_kind kind, const pl__limit_job *job, int32_t begin, int32_t end,
                                  pl__limit_sums *sums)
{
    for (int32_t block = begin; block < end; ++block)
        for (int lane = 0; lane < PL_BLOCK; lane += PL_LANES)
        {
            pl_real_w e = measure(kind, job, block, lane), zero = pl_set_w(0);
            pl_mask_w beyond = pl_gt_w(e, pl_set_w(no_excess));
            pl_store_w(&sums->total[lane], pl_load_w(&sums->total[lane]) + pl_select_w(beyond, e, zero));
            pl_store_w(&sums->over[lane], pl_load_w(&sums->over[lane]) + pl_select_w(beyond, pl_set_w(1), zero));
            pl_store_w(&sums->most[lane], pl_max_w(pl_load_w(&sums->most[lane]), e));
        }
}

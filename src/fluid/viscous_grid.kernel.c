// src/fluid/viscous_grid.kernel.c -- rows of the matrix of viscosity, sixteen at a time.
//
// Sums of products have sixteen lanes in single precision along a column, which then are added in double precision.
#include "base/simd.h"
#include "viscous_grid.h"

#if PL_REGISTER_BYTES == 0
#define WIDTH 1
typedef float real_w;
PL_INLINE real_w load(const float *p) { return *p; }
PL_INLINE void store(float *p, real_w a) { *p = a; }
PL_INLINE real_w if_positive(real_w a, real_w b) { return a > 0 ? b : 0; }
#else
#define WIDTH (PL_REGISTER_BYTES / 4)
typedef float real_w __attribute__((vector_size(PL_REGISTER_BYTES)));
typedef int32_t mask_w __attribute__((vector_size(PL_REGISTER_BYTES)));
typedef float unaligned_w __attribute__((vector_size(PL_REGISTER_BYTES), aligned(4), may_alias));
PL_INLINE real_w load(const float *p) { return *(const unaligned_w *)p; }
PL_INLINE void store(float *p, real_w a) { *(unaligned_w *)p = a; }
PL_INLINE real_w if_positive(real_w a, real_w b) { return (real_w)((mask_w)b & (a > (real_w){0})); }
#endif

enum
{
    ROWS = PL__PADDED_ROWS
};

// Places of a row and of those beside it; m below and p above along x and z.
typedef struct
{
    int32_t o, xm, xp, zm, zp, xpzm, xmzp;
} places;

PL_INLINE places places_of(const pl__padded *at, int32_t c, int32_t j)
{
    const int32_t *b = at->base + c;
    int32_t nx = at->nx;
    return (places){b[0] + j, b[-1] + j, b[1] + j, b[-nx] + j, b[nx] + j, b[1 - nx] + j, b[nx - 1] + j};
}

PL_INLINE places shifted(const places *p, int32_t by)
{
    return (places){p->o + by, p->xm + by, p->xp + by, p->zm + by, p->zp + by, p->xpzm + by, p->xmzp + by};
}

typedef struct
{
    real_w x, y, z;
} triple;

// Stresses of a cell, from its upper faces at x, y, z.
PL_INLINE triple stretch(const pl__viscous_level *v, float *const u[3], int32_t n, int32_t x, int32_t y, int32_t z)
{
    real_w a = load(v->stretch[0] + n) * (load(u[0] + x) - load(u[0] + n)),
           b = load(v->stretch[1] + n) * (load(u[1] + y) - load(u[1] + n)),
           c = load(v->stretch[2] + n) * (load(u[2] + z) - load(u[2] + n)), bulk = v->bulk * (a + b + c);
    return (triple){a + bulk, b + bulk, c + bulk};
}

// Stress of the edge n along an axis, with the faces below it along the higher axis of its plane (of the lower one),
// and along the lower one (of the higher one).
PL_INLINE real_w shear(const pl__viscous_level *v, int axis, const float *u, const float *w, int32_t n, int32_t below_u,
                       int32_t below_w)
{
    return load(v->shear[axis][0] + n) * (load(u + n) - load(u + below_u)) +
           load(v->shear[axis][1] + n) * (load(w + n) - load(w + below_w));
}

// A u of the three lower faces of cells.
PL_INLINE triple product(const pl__viscous_level *v, float *const u[3], const places *p)
{
    triple here = stretch(v, u, p->o, p->xp, p->o + 1, p->zp), left = stretch(v, u, p->xm, p->o, p->xm + 1, p->xmzp),
           below = stretch(v, u, p->o - 1, p->xp - 1, p->o, p->zp - 1),
           before = stretch(v, u, p->zm, p->xpzm, p->zm + 1, p->o);
    const float *const *yz = (const float *const *)v->shear[0], *const *xz = (const float *const *)v->shear[1],
                       *const *xy = (const float *const *)v->shear[2];
    real_w z = shear(v, 2, u[0], u[1], p->o, p->o - 1, p->xm), zy = shear(v, 2, u[0], u[1], p->o + 1, p->o, p->xm + 1),
           zx = shear(v, 2, u[0], u[1], p->xp, p->xp - 1, p->o), y = shear(v, 1, u[0], u[2], p->o, p->zm, p->xm),
           yz_ = shear(v, 1, u[0], u[2], p->zp, p->o, p->xmzp), yx = shear(v, 1, u[0], u[2], p->xp, p->xpzm, p->o),
           x = shear(v, 0, u[1], u[2], p->o, p->zm, p->o - 1), xz_ = shear(v, 0, u[1], u[2], p->zp, p->o, p->zp - 1),
           xy_ = shear(v, 0, u[1], u[2], p->o + 1, p->zm + 1, p->o);
    triple q;
    q.x = load(v->mass[0] + p->o) * load(u[0] + p->o) + (load(xy[0] + p->o) * z - load(xy[0] + p->o + 1) * zy) +
          (load(xz[0] + p->o) * y - load(xz[0] + p->zp) * yz_) +
          (load(v->stretch[0] + p->xm) * left.x - load(v->stretch[0] + p->o) * here.x);
    q.y = load(v->mass[1] + p->o) * load(u[1] + p->o) + (load(xy[1] + p->o) * z - load(xy[1] + p->xp) * zx) +
          (load(yz[0] + p->o) * x - load(yz[0] + p->zp) * xz_) +
          (load(v->stretch[1] + p->o - 1) * below.y - load(v->stretch[1] + p->o) * here.y);
    q.z = load(v->mass[2] + p->o) * load(u[2] + p->o) + (load(xz[1] + p->o) * y - load(xz[1] + p->xp) * yx) +
          (load(yz[1] + p->o) * x - load(yz[1] + p->o + 1) * xy_) +
          (load(v->stretch[2] + p->zm) * before.z - load(v->stretch[2] + p->o) * here.z);
    return q;
}

PL_INLINE double add_lanes(const float sum[ROWS])
{
    double total = 0;
    for (int k = 0; k < ROWS; ++k)
        total += (double)sum[k];
    return total;
}

double PL_KERNEL(pl__viscous_product)(const pl__viscous_level *v, float *const p[3], float *const q[3], int32_t begin,
                                      int32_t end)
{
    double total = 0;
    for (int32_t c = begin; c < end; ++c)
    {
        float sum[ROWS] = {0};
        for (int32_t j = v->at.j0[c]; j <= v->at.j1[c]; j += ROWS)
        {
            places at = places_of(&v->at, c, j);
            for (int lane = 0; lane < ROWS; lane += WIDTH)
            {
                places here = shifted(&at, lane);
                triple a = product(v, p, &here);
                real_w x = if_positive(load(v->inverse[0] + here.o), a.x),
                       y = if_positive(load(v->inverse[1] + here.o), a.y),
                       z = if_positive(load(v->inverse[2] + here.o), a.z);
                store(q[0] + here.o, x), store(q[1] + here.o, y), store(q[2] + here.o, z);
                store(sum + lane,
                      load(sum + lane) + (x * load(p[0] + here.o) + y * load(p[1] + here.o) + z * load(p[2] + here.o)));
            }
        }
        total += v->at.j0[c] <= v->at.j1[c] ? add_lanes(sum) : 0;
    }
    return total;
}

void PL_KERNEL(pl__viscous_residual)(const pl__viscous_level *v, float *const b[3], float *const x[3],
                                     float *const out[3], int32_t begin, int32_t end)
{
    for (int32_t c = begin; c < end; ++c)
        for (int32_t j = v->at.j0[c]; j <= v->at.j1[c]; j += ROWS)
        {
            places at = places_of(&v->at, c, j);
            for (int lane = 0; lane < ROWS; lane += WIDTH)
            {
                places here = shifted(&at, lane);
                triple a = product(v, x, &here);
                store(out[0] + here.o, if_positive(load(v->inverse[0] + here.o), load(b[0] + here.o) - a.x));
                store(out[1] + here.o, if_positive(load(v->inverse[1] + here.o), load(b[1] + here.o) - a.y));
                store(out[2] + here.o, if_positive(load(v->inverse[2] + here.o), load(b[2] + here.o) - a.z));
            }
        }
}

// One component of a step of Chebyshev's iteration; the inverse is 0 where nothing is unknown.
PL_INLINE void smooth(real_w keep, real_w scale, real_w inverse, real_w product, const float *d, float *r, float *e,
                      float *x)
{
    real_w left = if_positive(inverse, load(r) - product), way = keep * load(d) + scale * (inverse * left);
    store(r, left);
    store(e, way);
    store(x, load(x) + way);
}

void PL_KERNEL(pl__viscous_smooth)(const pl__viscous_level *v, float keep, float scale, float *const d[3],
                                   float *const r[3], float *const e[3], float *const x[3], int32_t begin, int32_t end)
{
    real_w kept = keep - (real_w){0}, scaled = scale - (real_w){0};
    for (int32_t c = begin; c < end; ++c)
        for (int32_t j = v->at.j0[c]; j <= v->at.j1[c]; j += ROWS)
        {
            places at = places_of(&v->at, c, j);
            for (int lane = 0; lane < ROWS; lane += WIDTH)
            {
                places p = shifted(&at, lane);
                triple a = product(v, d, &p);
                smooth(kept, scaled, load(v->inverse[0] + p.o), a.x, d[0] + p.o, r[0] + p.o, e[0] + p.o, x[0] + p.o);
                smooth(kept, scaled, load(v->inverse[1] + p.o), a.y, d[1] + p.o, r[1] + p.o, e[1] + p.o, x[1] + p.o);
                smooth(kept, scaled, load(v->inverse[2] + p.o), a.z, d[2] + p.o, r[2] + p.o, e[2] + p.o, x[2] + p.o);
            }
        }
}

// Whole groups of the rows of a column: what is stored behind them is 0, or not theirs to read.
PL_INLINE bool is_empty(const pl__padded *at, int32_t c) { return at->j0[c] > at->j1[c]; }
PL_INLINE int32_t first_of(const pl__padded *at, int32_t c) { return is_empty(at, c) ? 0 : at->base[c] + at->j0[c]; }
PL_INLINE int32_t rows_of(const pl__padded *at, int32_t c)
{
    return is_empty(at, c) ? 0 : (at->j1[c] - at->j0[c]) / ROWS * ROWS + ROWS;
}

void PL_KERNEL(pl__viscous_start)(const pl__viscous_level *v, float scale, bool first, float *const r[3],
                                  float *const d[3], float *const x[3], int32_t begin, int32_t end)
{
    for (int32_t c = begin; c < end; ++c)
        for (int axis = 0; axis < 3; ++axis)
            for (int32_t n = first_of(&v->at, c), last = n + rows_of(&v->at, c); n < last; n += WIDTH)
            {
                real_w way = scale * (load(v->inverse[axis] + n) * load(r[axis] + n));
                store(d[axis] + n, way);
                store(x[axis] + n, first ? way : load(x[axis] + n) + way);
            }
}

double PL_KERNEL(pl__viscous_advance)(const pl__viscous_level *v, float alpha, float *const p[3], float *const q[3],
                                      float *const x[3], float *const r[3], int32_t begin, int32_t end)
{
    float most[ROWS] = {0};
    for (int32_t c = begin; c < end; ++c)
        for (int axis = 0; axis < 3; ++axis)
            for (int32_t n = first_of(&v->at, c), last = n + rows_of(&v->at, c); n < last; n += ROWS)
                for (int k = 0; k < ROWS; ++k)
                {
                    float left = r[axis][n + k] - alpha * q[axis][n + k], size = __builtin_fabsf(left);
                    x[axis][n + k] += alpha * p[axis][n + k];
                    r[axis][n + k] = left;
                    most[k] = size <= most[k] ? most[k] : size; // a NaN stays
                }
    double worst = 0;
    for (int k = 0; k < ROWS; ++k)
        worst = (double)most[k] <= worst ? worst : (double)most[k];
    return worst;
}

double PL_KERNEL(pl__viscous_dot)(const pl__viscous_level *v, float *const r[3], float *const z[3], int32_t begin,
                                  int32_t end)
{
    double total = 0;
    for (int32_t c = begin; c < end; ++c)
    {
        float sum[ROWS] = {0};
        for (int axis = 0; axis < 3; ++axis)
            for (int32_t n = first_of(&v->at, c), last = n + rows_of(&v->at, c); n < last; n += ROWS)
                for (int k = 0; k < ROWS; ++k)
                    sum[k] += r[axis][n + k] * z[axis][n + k];
        total += rows_of(&v->at, c) > 0 ? add_lanes(sum) : 0;
    }
    return total;
}

void PL_KERNEL(pl__viscous_turn)(const pl__viscous_level *v, float beta, float *const z[3], float *const p[3],
                                 int32_t begin, int32_t end)
{
    for (int32_t c = begin; c < end; ++c)
        for (int axis = 0; axis < 3; ++axis)
            for (int32_t n = first_of(&v->at, c), last = n + rows_of(&v->at, c); n < last; n += WIDTH)
                store(p[axis] + n, load(z[axis] + n) + beta * load(p[axis] + n));
}

// src/element/diagonal.kernel.c -- diagonal blocks of the damping matrix.
//
// At a quadrature point the damping stress of G = dF/dt is A (beta (G^T A + A^T G) + alpha tr(A^T G))
// (element/damping_w.h). When one corner alone moves with v, G = v b^T with b the gradient of its shape function, and
// its own force is D v,
//
//     D = w ((beta + alpha) (A b)(A b)^T + beta |b|^2 A A^T).
//
// b = sum_d slope_d B_d over the coordinates d of the element, B_d the rows of the rest inverse. Frames hold A, or,
// for the rotated model of solids, the vectors R B_d, for which A A^T = 1 and |b| = |A b|.
#include "base/simd.h"
#include "diagonal.h"
#include "hex.h"
#include "math/mat3_w.h"
#include "spring.h"
#include "tet.h"
#include "triangle.h"

// A quadrature point: A B_d^T and B_d of its coordinates, A A^T, and its weights.
typedef struct
{
    pl_vec3_w moved[3], rest[3];
    pl_real_w square[6];   // xx yy zz xy xz yz
    pl_real_w shear, both; // w beta, w (beta + alpha)
    int coordinates;
    bool rotated;
} point;

// components of the two halves
static const int row[2][3] = {{0, 1, 2}, {0, 0, 1}}, column[2][3] = {{0, 1, 2}, {1, 2, 2}};

PL_INLINE void set_rotated(point *p, const double (*frame)[PL_BLOCK], int lane)
{
    for (int d = 0; d < 3; ++d)
        p->moved[d] = pl_load3_w(&frame[3 * d], lane);
    for (int k = 0; k < 6; ++k)
        p->square[k] = pl_set_w(k < 3);
}

// A with this many columns, column-major; `inverse` is square of the same size
PL_INLINE void set_general(point *p, const double (*frame)[PL_BLOCK], const double (*inverse)[PL_BLOCK], int lane)
{
    pl_vec3_w A[3];
    pl_real_w zero = pl_set_w(0);
    for (int j = 0; j < p->coordinates; ++j)
        A[j] = pl_load3_w(&frame[3 * j], lane);
    for (int k = 0; k < 6; ++k)
    {
        p->square[k] = zero;
        for (int j = 0; j < p->coordinates; ++j)
            p->square[k] += A[j].x[row[k / 3][k % 3]] * A[j].x[column[k / 3][k % 3]];
    }
    for (int d = 0; d < p->coordinates; ++d)
    {
        p->moved[d] = p->rest[d] = (pl_vec3_w){{zero, zero, zero}};
        for (int j = 0; j < p->coordinates; ++j)
        {
            p->rest[d].x[j] = pl_load_w(&inverse[p->coordinates * j + d][lane]);
            p->moved[d] = pl_add3_w(p->moved[d], pl_scale3_w(p->rest[d].x[j], A[j]));
        }
    }
}

PL_INLINE void set_weights(point *p, const pl__material_block *material, pl_real_w weight, int lane)
{
    p->shear = weight * pl_load_w(&material->mu[lane]);
    p->both = p->shear + weight * pl_load_w(&material->lambda[lane]);
}

// Add half of the block of a corner with these slopes to out[component][lane].
PL_INLINE void add_corner(const point *p, const double slope[3], int part, double (*out)[PL_BLOCK], int lane)
{
    pl_real_w zero = pl_set_w(0);
    pl_vec3_w Ab = {{zero, zero, zero}}, b = {{zero, zero, zero}};
    for (int d = 0; d < p->coordinates; ++d)
    {
        Ab = pl_add3_w(Ab, pl_scale3_w(pl_set_w(slope[d]), p->moved[d]));
        if (!p->rotated)
            b = pl_add3_w(b, pl_scale3_w(pl_set_w(slope[d]), p->rest[d]));
    }
    pl_real_w length2 = p->shear * (p->rotated ? pl_dot3_w(Ab, Ab) : pl_dot3_w(b, b));
    for (int k = 0; k < 3; ++k)
    {
        pl_real_w value = p->both * Ab.x[row[part][k]] * Ab.x[column[part][k]] + length2 * p->square[3 * part + k];
        pl_store_w(&out[k][lane], pl_load_w(&out[k][lane]) + value);
    }
}

PL_INLINE void tet(const pl__diagonal_job *job, int32_t block, pl__tet_forces *out)
{
    static const double slope[4][3] = {{-1, -1, -1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const pl__tet_rest *rest = &job->group->tet[block];
    const pl__tet_frame *frame = (const pl__tet_frame *)job->frame + block;
    for (int lane = 0; lane < PL_BLOCK; lane += PL_LANES)
    {
        point p = {.coordinates = 3, .rotated = job->group->damping_model == PL_DAMPING_ROTATED};
        if (p.rotated)
            set_rotated(&p, frame->a, lane);
        else
            set_general(&p, frame->a, rest->inverse, lane);
        set_weights(&p, &rest->material,
                    job->strength * pl_load_w(&rest->volume[lane]) * pl_load_w(&rest->damping[lane]), lane);
        for (int c = 0; c < 4; ++c)
            add_corner(&p, slope[c], job->part, out->f[c], lane);
    }
}

PL_INLINE void hex(const pl__diagonal_job *job, int32_t block, double slope[PL_HEX_POINTS][PL_HEX_CORNERS][3],
                   pl__hex_forces *out)
{
    const pl__hex_rest *rest = &job->group->hex[block];
    const pl__hex_frame *frame = (const pl__hex_frame *)job->frame + block;
    for (int q = 0; q < PL_HEX_POINTS; ++q)
        for (int lane = 0; lane < PL_BLOCK; lane += PL_LANES)
        {
            point p = {.coordinates = 3, .rotated = job->group->damping_model == PL_DAMPING_ROTATED};
            if (p.rotated)
                set_rotated(&p, frame->a[q], lane);
            else
                set_general(&p, frame->a[q], rest->inverse[q], lane);
            set_weights(&p, &rest->material,
                        job->strength * pl_load_w(&rest->volume[q][lane]) * pl_load_w(&rest->damping[lane]), lane);
            for (int c = 0; c < PL_HEX_CORNERS; ++c)
                add_corner(&p, slope[q][c], job->part, out->f[c], lane);
        }
}

PL_INLINE void triangle(const pl__diagonal_job *job, int32_t block, pl__triangle_forces *out)
{
    static const double slope[3][3] = {{-1, -1, 0}, {1, 0, 0}, {0, 1, 0}};
    const pl__triangle_rest *rest = &job->group->triangle[block];
    const pl__triangle_frame *frame = (const pl__triangle_frame *)job->frame + block;
    for (int lane = 0; lane < PL_BLOCK; lane += PL_LANES)
    {
        point p = {.coordinates = 2};
        set_general(&p, frame->a, rest->inverse, lane);
        set_weights(&p, &rest->material,
                    job->strength * pl_load_w(&rest->volume[lane]) * pl_load_w(&rest->damping[lane]), lane);
        for (int c = 0; c < 3; ++c)
            add_corner(&p, slope[c], job->part, out->f[c], lane);
    }
}

PL_INLINE void spring(const pl__diagonal_job *job, int32_t block, pl__spring_forces *out)
{
    const pl__spring_rest *rest = &job->group->spring[block];
    const pl__spring_frame *frame = (const pl__spring_frame *)job->frame + block;
    for (int lane = 0; lane < PL_BLOCK; lane += PL_LANES)
    {
        pl_real_w weight = job->strength * pl_load_w(&rest->stiffness[lane]) * pl_load_w(&rest->damping[lane]);
        pl_vec3_w n = pl_load3_w(frame->direction, lane);
        for (int k = 0; k < 3; ++k)
            for (int c = 0; c < 2; ++c)
                pl_store_w(&out->f[c][k][lane], weight * n.x[row[job->part][k]] * n.x[column[job->part][k]]);
    }
}

void PL_KERNEL(pl__element_diagonal)(const pl__diagonal_job *job, int32_t begin, int32_t end)
{
    double slope[PL_HEX_POINTS][PL_HEX_CORNERS][3];
    size_t doubles = 3 * (size_t)PL_BLOCK * (size_t)pl__element_type_of(job->group->kind)->corners;
    for (size_t i = 0; i < doubles * (size_t)(end - begin); ++i)
        job->force[i] = 0;
    for (int32_t q = 0; job->group->kind == PL__HEX && q < PL_HEX_POINTS; ++q)
        pl__hex_slopes(q, slope[q]);
    for (int32_t block = begin; block < end; ++block)
        switch (job->group->kind)
        {
        case PL__TET: tet(job, block, (pl__tet_forces *)job->force + (block - begin)); break;
        case PL__HEX: hex(job, block, slope, (pl__hex_forces *)job->force + (block - begin)); break;
        case PL__TRIANGLE: triangle(job, block, (pl__triangle_forces *)job->force + (block - begin)); break;
        case PL__SPRING: spring(job, block, (pl__spring_forces *)job->force + (block - begin)); break;
        default: break;
        }
}

// src/element/bend_w.h -- gradients of three dihedral angles, wide: shared by the force and the damping of bending.
//
// With N and N' twice the area vectors of the triangle and of the neighbour at edge i (from x_j to x_k, j = i+1, k =
// i+2), l its length, t and t' the feet of x_i and of the neighbour's vertex a along it,
//
//     d theta_i/dx_i = -N l/|N|^2       d theta_i/dx_j = (1 - t) N l/|N|^2 + (1 - t') N' l/|N'|^2
//     d theta_i/da   = -N' l/|N'|^2     d theta_i/dx_k =      t  N l/|N|^2 +      t'  N' l/|N'|^2
//
// (Bridson, Marino & Fedkiw 2003: N l/|N|^2 is the unit normal over the height). Each part is a force and its reaction
// at the foot, and both parts have the same torque about the edge: linear and angular momentum are conserved for any
// factors of N and N' that derive from one moment. The frame holds
//
//     normal = N, own = {a, b}: -a N at x_i, b N at x_k, (a - b) N at x_j;   across = W: -W at a, t' W at x_k, (1 - t') W at x_j
//
// with the fading of collapsed triangles in a, b and W (bend_force.kernel.c).
#ifndef PL_ELEMENT_BEND_W_H
#define PL_ELEMENT_BEND_W_H

#include "bend.h"
#include "math/mat3_w.h"

typedef struct
{
    pl_vec3_w normal, across[3];
    pl_real_w own[3][2], foot[3];
} pl_bend_frame_w;

PL_INLINE void pl_store_bend_w(pl__bend_frame *frame, int lane, const pl_bend_frame_w *g)
{
    pl_store3_w(frame->normal, lane, g->normal);
    for (int i = 0; i < 3; ++i)
    {
        pl_store3_w(frame->across[i], lane, g->across[i]);
        pl_store_w(&frame->own[i][0][lane], g->own[i][0]);
        pl_store_w(&frame->own[i][1][lane], g->own[i][1]);
        pl_store_w(&frame->foot[i][lane], g->foot[i]);
    }
}

PL_INLINE pl_bend_frame_w pl_load_bend_w(const pl__bend_frame *frame, int lane)
{
    pl_bend_frame_w g;
    g.normal = pl_load3_w(frame->normal, lane);
    for (int i = 0; i < 3; ++i)
    {
        g.across[i] = pl_load3_w(frame->across[i], lane);
        g.own[i][0] = pl_load_w(&frame->own[i][0][lane]);
        g.own[i][1] = pl_load_w(&frame->own[i][1][lane]);
        g.foot[i] = pl_load_w(&frame->foot[i][lane]);
    }
    return g;
}

// K times the angles
PL_INLINE void pl_bend_moments_w(const pl__bend_rest *rest, int lane, const pl_real_w angle[3], pl_real_w moment[3])
{
    pl_real_w K[6];
    for (int k = 0; k < 6; ++k)
        K[k] = pl_load_w(&rest->stiffness[k][lane]);
    moment[0] = K[0] * angle[0] + K[3] * angle[1] + K[4] * angle[2];
    moment[1] = K[3] * angle[0] + K[1] * angle[1] + K[5] * angle[2];
    moment[2] = K[4] * angle[0] + K[5] * angle[1] + K[2] * angle[2];
}

// -sum_i moment_i grad theta_i, corner by corner; returns the sum of absolute values
PL_INLINE pl_real_w pl_bend_spread_w(const pl_bend_frame_w *g, const pl_real_w moment[3], int lane,
                                     pl__bend_forces *out)
{
    pl_real_w along[3], size = pl_set_w(0);
    for (int c = 0; c < 3; ++c)
    {
        int i = (c + 1) % 3, j = (c + 2) % 3; // corner c is x_k of edge i, and x_j of edge j
        along[c] = moment[c] * g->own[c][0] - moment[i] * g->own[i][1] - moment[j] * (g->own[j][0] - g->own[j][1]);
    }
    for (int d = 0; d < 3; ++d)
    {
        pl_real_w pull[3], f[3];
        for (int i = 0; i < 3; ++i)
            pull[i] = moment[i] * g->across[i].x[d];
        for (int c = 0; c < 3; ++c)
        {
            int i = (c + 1) % 3, j = (c + 2) % 3;
            f[c] = along[c] * g->normal.x[d] - g->foot[i] * pull[i] - (1 - g->foot[j]) * pull[j];
            pl_store_w(&out->f[c][d][lane], f[c]);
            pl_store_w(&out->f[3 + c][d][lane], pull[c]);
            size += pl_abs_w(f[c]) + pl_abs_w(pull[c]);
        }
    }
    return size;
}

// grad theta_i . v
PL_INLINE void pl_bend_rates_w(const pl_bend_frame_w *g, const pl_vec3_w v[6], pl_real_w rate[3])
{
    pl_real_w along[3];
    for (int c = 0; c < 3; ++c)
        along[c] = pl_dot3_w(g->normal, v[c]);
    for (int i = 0; i < 3; ++i)
    {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        pl_real_w a = g->own[i][0], b = g->own[i][1], foot = g->foot[i];
        pl_vec3_w opening = pl_sub3_w(pl_axpy3_w(foot, pl_sub3_w(v[k], v[j]), v[j]), v[3 + i]);
        rate[i] = (a - b) * along[j] + b * along[k] - a * along[i] + pl_dot3_w(g->across[i], opening);
    }
}

#endif

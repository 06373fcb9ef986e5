// src/element/hex_force.kernel.c -- elastic forces of trilinear hexahedra, one register of elements at a time.
//
// At each of the 8 Gauss points F = (dx/dxi) B, and the energy is sum_q w_q psi(F_q). Minus its gradient is
// (thesis 2.10, where the sign is missing)
//
//     f_a = -sum_q w_q P(F_q) B_q^T dN_a/dxi:
//
// at each point as in a tetrahedron (element/point_w.h), with dx/dxi in place of its edges; before and after, the maps
// between corners and points (element/hex_w.h). Since each edge contributes opposite forces, an element exerts no
// resultant force on itself; since P F^T is symmetric at every point, no torque either.
//
// A block is processed point by point, so that its working set (16 kB) stays in the L1 cache.
//
// Plastic elements flow at each point independently, between decomposition and stress, as tetrahedra do. No gain grows
// by more than the largest eigenvalue of Fp^-T Fp^-1 over the points: g_a becomes Fp^-T g_a, which is at most that
// much longer. With additive plastic strain (element/additive_plasticity_w.h) gains do not change.
#include "base/simd.h"
#include "damping_w.h"
#include "fibers_w.h"
#include "plasticity_w.h"
#include "hex_w.h"
#include "additive_plasticity_w.h"
#include "shape_w.h"

// Slopes of the block, and the gradients accumulated so far; [direction][across][component].
typedef struct
{
    double slope[3][4][3][PL_BLOCK];
    double flux[3][4][3][PL_BLOCK];
    double least_J[PL_BLOCK];
    double most_stiffness[PL_BLOCK], most_coupling[PL_BLOCK];
} block_state;

// One quadrature point of all sixteen elements.
typedef struct
{
    double U[9][PL_BLOCK], W[9][PL_BLOCK]; // column-major
    double sigma[3][PL_BLOCK];
    double J[PL_BLOCK]; // for linear elasticity
    double stress[3][PL_BLOCK];
    double energy[PL_BLOCK];
    double stiffness[PL_BLOCK], coupling[PL_BLOCK];
    double pull[3][PL_BLOCK]; // fibre stress
    pl_relief_w relief;       // of additive plastic strain
} point_state;

PL_INLINE void begin_block(const pl__force_job *job, const pl__hex_rest *rest, block_state *b)
{
    memset(b->flux, 0, sizeof b->flux);
    for (int lane = 0; lane < PL_BLOCK; lane += PL_LANES)
    {
        pl_real_w slope[3][4][3];
        pl_hex_slopes_w(job->x, rest->node, lane, slope);
        for (int d = 0; d < 3; ++d)
            for (int m = 0; m < 4; ++m)
                for (int i = 0; i < 3; ++i)
                    pl_store_w(&b->slope[d][m][i][lane], slope[d][m][i]);
        pl_store_w(&b->least_J[lane], pl_set_w(__builtin_inf()));
        pl_store_w(&b->most_stiffness[lane], pl_set_w(0));
        pl_store_w(&b->most_coupling[lane], pl_set_w(0));
    }
}

PL_INLINE pl_mat3_w slopes_at(const block_state *b, int q, int lane)
{
    pl_mat3_w D;
    for (int d = 0; d < 3; ++d)
        D.c[d] = pl_load3_w(b->slope[d][pl_hex_across(q, d)], lane);
    return D;
}

// Two registers at a time, as for tetrahedra.
PL_INLINE void measure_shape(const pl__hex_rest *rest, const block_state *b, int q, point_state *p)
{
    enum
    {
        REGISTERS = 2
    };
    for (int lane = 0; lane < PL_BLOCK; lane += REGISTERS * PL_LANES)
    {
        pl_mat3_w F[REGISTERS], U[REGISTERS], W[REGISTERS];
        pl_vec3_w sigma[REGISTERS];
        for (int r = 0; r < REGISTERS; ++r)
        {
            pl_mat3_w D = slopes_at(b, q, lane + r * PL_LANES);
            F[r] = pl_deformation_w(&D, rest->inverse[q], lane + r * PL_LANES, false);
        }
        pl_svd3_n_w(REGISTERS, F, U, sigma, W);
        for (int r = 0; r < REGISTERS; ++r)
        {
            pl_store33_w(p->U, lane + r * PL_LANES, &U[r]);
            pl_store33_w(p->W, lane + r * PL_LANES, &W[r]);
            pl_store3_w(p->sigma, lane + r * PL_LANES, sigma[r]);
        }
    }
}

static __attribute__((noinline)) void measure_linear(const pl__hex_rest *rest, const block_state *b, int q,
                                                     point_state *p)
{
    for (int lane = 0; lane < PL_BLOCK; lane += PL_LANES)
    {
        pl_mat3_w D = slopes_at(b, q, lane), F = pl_deformation_w(&D, rest->inverse[q], lane, false), U, W;
        pl_vec3_w sigma;
        pl_store_w(&p->J[lane], pl_decompose_linear_w(&F, &U, &sigma, &W));
        pl_store33_w(p->U, lane, &U);
        pl_store33_w(p->W, lane, &W);
        pl_store3_w(p->sigma, lane, sigma);
    }
}

PL_INLINE void keep_larger(double *largest, const double *value)
{
    pl_store_w(largest, pl_max_w(pl_load_w(value), pl_load_w(largest)));
}

PL_INLINE void add_point_sums(const pl__force_job *job, const pl__hex_rest *rest, const point_state *p,
                              const pl_real_w sigma[3], int q, int lane, block_state *b, pl__element_sums *sums)
{
    pl_real_w volume = pl_load_w(&rest->volume[q][lane]), zero = pl_set_w(0);
    pl_real_w J = job->group->law.kind == PL_MATERIAL_LINEAR ? pl_load_w(&p->J[lane]) : sigma[0] * sigma[1] * sigma[2];
    pl_real_w strain2 = job->group->additive ? pl_load_w(&p->relief.strain2[lane]) : pl_strain2_w(sigma);
    pl_add_strain_w(volume, sigma, strain2, J, lane, sums);
    pl_store_w(&b->least_J[lane], pl_min_w(J, pl_load_w(&b->least_J[lane])));
    keep_larger(&b->most_stiffness[lane], &p->stiffness[lane]);
    keep_larger(&b->most_coupling[lane], &p->coupling[lane]);
    if (!job->want_energy)
        return;
    pl_real_w energy = job->strength * (volume * pl_load_w(&p->energy[lane]));
    pl_add_to_w(&sums->energy[lane], pl_select_w(pl_gt_w(volume, zero), energy, zero));
}

PL_INLINE void add_point(const pl__force_job *job, const pl__hex_rest *rest, const pl__plastic_block *plastic,
                         const pl__fiber_block *fiber, const point_state *p, int q, pl__hex_frame *frame,
                         block_state *b, pl__element_sums *sums)
{
    bool relieved = job->group->additive;
    for (int lane = 0; lane < PL_BLOCK; lane += PL_LANES)
    {
        pl_mat3_w U = pl_load33_w(p->U, lane), W = pl_load33_w(p->W, lane);
        pl_mat3_w M = pl_principal_gradients_w(rest->inverse[q], &W, lane, false);
        pl_real_w weight = -job->strength * pl_load_w(&rest->volume[q][lane]), scale[3], sigma[3];
        for (int k = 0; k < 3; ++k)
        {
            scale[k] = weight * pl_load_w(&p->stress[k][lane]);
            sigma[k] = pl_load_w(&p->sigma[k][lane]);
        }
        for (int d = 0; d < 3; ++d)
            for (int i = 0; i < 3; ++i)
            {
                pl_real_w flux = pl_combine_w(&U, &M, scale, d, i);
                if (fiber)
                    flux +=
                        pl_fiber_share_w(fiber, rest->inverse[q], lane, d) * (weight * pl_load_w(&p->pull[i][lane]));
                if (relieved)
                    flux += weight * pl_relief_share_w(&p->relief, rest->inverse[q], lane, d, i);
                pl_add_to_w(&b->flux[d][pl_hex_across(q, d)][i][lane], flux);
            }
        if (frame)
            pl_store_frame_w(job->group->damping_model, &U, &W, &M, sigma, frame->a[q], lane);
        add_point_sums(job, rest, p, sigma, q, lane, b, sums);
        if (plastic && !relieved)
            pl_add_growth_w(plastic, lane, pl_load_w(&rest->volume[q][lane]), sigma[0] * sigma[1] * sigma[2], sums);
    }
}

// B' and the factor on the gains, for the lanes of `flowed`.
PL_INLINE void follow(pl__plastic_block *plastic, int lane, pl_mask_w flowed, const pl_mat3_w *inverse,
                      double (*rest)[PL_BLOCK])
{
    pl_mat3_w B = pl_plastic_rest_w(plastic, lane, inverse);
    pl_update33_w(rest, lane, flowed, &B);
    pl_update_w(&plastic->rise[lane], flowed, pl_plastic_rise_w(3, inverse));
}

// True if some lane flowed.
static __attribute__((noinline)) bool flow(pl__plastic_block *plastic, double dt, double (*rest)[PL_BLOCK],
                                           point_state *p)
{
    bool any = false;
    for (int lane = 0; lane < PL_BLOCK; lane += PL_LANES)
    {
        pl_mat3_w inverse;
        pl_mask_w flowed = pl_flow_point_w(plastic, lane, dt, p->U, p->sigma, p->W, &inverse);
        if (!pl_any_w(flowed))
            continue;
        follow(plastic, lane, flowed, &inverse, rest);
        any = true;
    }
    return any;
}

// The largest factor over the points.
PL_INLINE pl_real_w rise_of(const pl__plastic_block *plastic, int lane)
{
    pl_real_w most = pl_load_w(&plastic[0].rise[lane]);
    for (int q = 1; q < PL_HEX_POINTS; ++q)
        most = pl_max_w(most, pl_load_w(&plastic[q].rise[lane]));
    return most;
}

PL_INLINE void add_element_sums(const pl__force_job *job, const pl__hex_rest *rest, const pl__plastic_block *plastic,
                                const block_state *b, pl_real_w size, int lane, pl__element_sums *sums)
{
    pl_real_w zero = pl_set_w(0), one = pl_set_w(1);
    pl_mask_w used = pl_gt_w(pl_load_w(&rest->volume[0][lane]), zero);
    pl_add_to_w(&sums->inverted[lane],
                pl_select_w(pl_and_w(used, pl_le_w(pl_load_w(&b->least_J[lane]), zero)), one, zero));
    // the comparison is false for NaN as well; unused lanes do not count
    pl_mask_w fine = pl_or_w(pl_lt_w(size, pl_set_w(1e300)), pl_not_w(used));
    pl_add_to_w(&sums->broken[lane], pl_select_w(fine, zero, one));
    pl_real_w frequency2 = job->strength * (pl_load_w(&b->most_stiffness[lane]) * pl_load_w(&rest->gain[0][lane]) +
                                            pl_load_w(&b->most_coupling[lane]) * pl_load_w(&rest->gain[1][lane]));
    if (plastic)
        frequency2 = rise_of(plastic, lane) * frequency2;
    pl_store_w(&sums->frequency2[lane], pl_max_w(frequency2, pl_load_w(&sums->frequency2[lane])));
}

PL_INLINE void end_block(const pl__force_job *job, const pl__hex_rest *rest, const pl__plastic_block *plastic,
                         const block_state *b, pl__hex_forces *out, pl__element_sums *sums)
{
    for (int lane = 0; lane < PL_BLOCK; lane += PL_LANES)
    {
        pl_real_w flux[3][4][3];
        for (int d = 0; d < 3; ++d)
            for (int m = 0; m < 4; ++m)
                for (int i = 0; i < 3; ++i)
                    flux[d][m][i] = pl_load_w(&b->flux[d][m][i][lane]);
        pl_real_w size = pl_hex_spread_w(flux, out, lane);
        add_element_sums(job, rest, plastic, b, size, lane, sums);
    }
}

void PL_KERNEL(pl__hex_force)(const pl__force_job *job, int32_t begin, int32_t end, pl__element_sums *sums)
{
    block_state b;
    point_state p;
    pl__stress_block stress = {p.stress, job->want_energy ? p.energy : NULL, p.stiffness, p.coupling, NULL};
    for (int32_t block = begin; block < end; ++block)
    {
        pl__hex_rest *rest = &job->group->hex[block];
        pl__plastic_block *plastic = job->group->plastic ? &job->group->plastic[PL_HEX_POINTS * block] : NULL;
        const pl__fiber_block *fiber = job->group->fiber ? &job->group->fiber[block] : NULL;
        pl__hex_frame *frame = job->frame ? (pl__hex_frame *)job->frame + block : NULL;
        begin_block(job, rest, &b);
        for (int q = 0; q < PL_HEX_POINTS; ++q)
        {
            pl_relieved_w relieved = {
                &job->group->law, &rest->material, job->group->additive ? &plastic[q] : NULL, p.U, p.sigma, p.W};
            if (job->group->law.kind == PL_MATERIAL_LINEAR)
                measure_linear(rest, &b, q, &p);
            else
                measure_shape(rest, &b, q, &p);
            if (job->group->additive && job->flow)
                pl_flow_additive_w(&relieved, job->flow_dt);
            else if (plastic && job->flow && flow(&plastic[q], job->flow_dt, rest->inverse[q], &p))
                measure_shape(rest, &b, q, &p); // forces of the new rest shape, to the bit
            PL_KERNEL(pl__material_stress)(&job->group->law, &rest->material, p.sigma, &stress);
            if (job->group->additive)
                pl_relieve_w(&relieved, stress.energy, p.stiffness, &p.relief);
            if (fiber)
                pl_pull_fibers_w(fiber, p.U, p.sigma, p.W, stress.energy, p.stiffness, p.pull);
            add_point(job, rest, plastic ? &plastic[q] : NULL, fiber, &p, q, frame, &b, sums);
        }
        end_block(job, rest, plastic, &b, (pl__hex_forces *)job->force + (block - begin), sums);
    }
}

void PL_KERNEL(pl__hex_flow_refresh)(const pl__element_group *group)
{
    for (int32_t point = 0; point < PL_HEX_POINTS * group->block_count; ++point)
        for (int lane = 0; lane < PL_BLOCK; lane += PL_LANES)
        {
            pl_mat3_w Fp = pl_load33_w(group->plastic[point].Fp, lane), inverse = pl_inverse3_w(&Fp);
            follow(&group->plastic[point], lane, pl_le_w(pl_set_w(0), pl_set_w(0)), &inverse,
                   group->hex[point / PL_HEX_POINTS].inverse[point % PL_HEX_POINTS]);
        }
}

// src/element/tet_force.kernel.c -- elastic forces of linear tetrahedra, one register of elements at a time.
//
// With edges Ds = [x1-x0, x2-x0, x3-x0] and B their inverse at rest, F = Ds B is constant over the element, the energy
// is V psi(F), and minus its gradient is, by column,
//
//     [f1 f2 f3] = -V P(F) B^T,    f0 = -(f1 + f2 + f3).
//
// With F = U diag(s) W^T (signed as in math/svd3_w.h) and principal stresses p(s), P = U diag(p) W^T (thesis 2.1), so
// the force on corner i is -V sum_k p_k (B W)_ik u_k (thesis 2.2). Since f0 is minus the sum of the others, an element
// exerts no resultant force on itself; since P F^T is symmetric, no torque either.
//
// Three passes over the block through small arrays in the L1 cache: decomposition, stress (material/stress.kernel.c),
// force. In one pass the compilers spill as much, and every model would carry its own copy of the decomposition.
//
// Plastic flow happens between decomposition and stress: B becomes B Fp^-1 in the rest shapes (element/plasticity_w.h)
// or, with additive plastic strain, the stress of that is subtracted (element/additive_plasticity_w.h).
#include "base/simd.h"
#include "damping_w.h"
#include "fibers_w.h"
#include "plasticity_w.h"
#include "additive_plasticity_w.h"
#include "tet_w.h"

typedef struct
{
    pl_tet_shape_w shape;
    double stress[3][PL_BLOCK];
    double energy[PL_BLOCK];
    double stiffness[PL_BLOCK], coupling[PL_BLOCK];
    double pull[3][PL_BLOCK]; // fibre stress
    pl_relief_w relief;       // of additive plastic strain
} block_state;

PL_INLINE void measure_shape(const pl__force_job *job, const pl__tet_rest *rest, bool triangular, block_state *b)
{
    if (job->group->law.kind == PL_MATERIAL_LINEAR)
        pl_tet_measure_linear_w(job->x, rest, &b->shape);
    else
        pl_tet_measure_w(job->x, rest, triangular, &b->shape);
}

PL_INLINE void add_sums(const block_state *b, const pl__tet_rest *rest, const pl__force_job *job, int lane,
                        pl__element_sums *sums)
{
    pl_real_w zero = pl_set_w(0), one = pl_set_w(1);
    pl_real_w volume = pl_load_w(&rest->volume[lane]), s[3];
    for (int i = 0; i < 3; ++i)
        s[i] = pl_load_w(&b->shape.sigma[i][lane]);
    pl_real_w J = job->group->law.kind == PL_MATERIAL_LINEAR ? pl_load_w(&b->shape.J[lane]) : s[0] * s[1] * s[2];
    pl_real_w strain2 = job->group->additive ? pl_load_w(&b->relief.strain2[lane]) : pl_strain2_w(s);
    pl_add_strain_w(volume, s, strain2, J, lane, sums);
    pl_mask_w used = pl_gt_w(volume, zero);
    pl_add_to_w(&sums->inverted[lane], pl_select_w(pl_and_w(used, pl_le_w(J, zero)), one, zero));
    if (job->want_energy)
        pl_add_to_w(&sums->energy[lane],
                    pl_select_w(used, job->strength * (volume * pl_load_w(&b->energy[lane])), zero));
    pl_real_w frequency2 = job->strength * (pl_load_w(&b->stiffness[lane]) * pl_load_w(&rest->gain[0][lane]) +
                                            pl_load_w(&b->coupling[lane]) * pl_load_w(&rest->gain[1][lane]));
    pl_store_w(&sums->frequency2[lane], pl_max_w(frequency2, pl_load_w(&sums->frequency2[lane])));
}

PL_INLINE void store_forces(const pl__force_job *job, const pl__tet_rest *rest, bool triangular, const block_state *b,
                            int32_t block, pl__tet_forces *out, pl__element_sums *sums)
{
    const pl__fiber_block *fiber = !triangular && job->group->fiber ? &job->group->fiber[block] : NULL;
    bool relieved = !triangular && job->group->additive;
    for (int lane = 0; lane < PL_BLOCK; lane += PL_LANES)
    {
        pl_mat3_w U = pl_load33_w(b->shape.U, lane), W = pl_load33_w(b->shape.W, lane);
        pl_mat3_w M = pl_principal_gradients_w(rest->inverse, &W, lane, triangular);
        pl_real_w weight = -job->strength * pl_load_w(&rest->volume[lane]), scale[3], sigma[3];
        for (int k = 0; k < 3; ++k)
        {
            scale[k] = weight * pl_load_w(&b->stress[k][lane]);
            sigma[k] = pl_load_w(&b->shape.sigma[k][lane]);
        }
        pl_real_w size = pl_set_w(0);
        for (int i = 0; i < 3; ++i)
        {
            pl_real_w f1 = pl_combine_w(&U, &M, scale, 0, i), f2 = pl_combine_w(&U, &M, scale, 1, i);
            pl_real_w f3 = pl_combine_w(&U, &M, scale, 2, i);
            if (fiber)
            {
                pl_real_w pull = weight * pl_load_w(&b->pull[i][lane]);
                f1 += pl_fiber_share_w(fiber, rest->inverse, lane, 0) * pull;
                f2 += pl_fiber_share_w(fiber, rest->inverse, lane, 1) * pull;
                f3 += pl_fiber_share_w(fiber, rest->inverse, lane, 2) * pull;
            }
            if (relieved)
            {
                f1 += weight * pl_relief_share_w(&b->relief, rest->inverse, lane, 0, i);
                f2 += weight * pl_relief_share_w(&b->relief, rest->inverse, lane, 1, i);
                f3 += weight * pl_relief_share_w(&b->relief, rest->inverse, lane, 2, i);
            }
            pl_real_w f0 = -(f1 + f2 + f3);
            pl_store_w(&out->f[0][i][lane], f0);
            pl_store_w(&out->f[1][i][lane], f1);
            pl_store_w(&out->f[2][i][lane], f2);
            pl_store_w(&out->f[3][i][lane], f3);
            size += pl_abs_w(f0) + pl_abs_w(f1) + pl_abs_w(f2) + pl_abs_w(f3);
        }
        // the comparison is false for NaN as well; unused lanes do not count
        pl_mask_w fine = pl_or_w(pl_lt_w(size, pl_set_w(1e300)), pl_le_w(pl_load_w(&rest->volume[lane]), pl_set_w(0)));
        pl_add_to_w(&sums->broken[lane], pl_select_w(fine, pl_set_w(0), pl_set_w(1)));
        if (job->frame)
            pl_store_frame_w(job->group->damping_model, &U, &W, &M, sigma, ((pl__tet_frame *)job->frame + block)->a,
                             lane);
        add_sums(b, rest, job, lane, sums);
        if (job->group->plastic && !relieved)
            pl_add_growth_w(&job->group->plastic[block], lane, pl_load_w(&rest->volume[lane]),
                            sigma[0] * sigma[1] * sigma[2], sums);
    }
}

// B' and gains for the lanes of `flowed`.
PL_INLINE void follow(const pl__plastic_block *plastic, int lane, pl_mask_w flowed, const pl_mat3_w *inverse,
                      pl__tet_rest *rest)
{
    pl_real_w gain[2];
    pl_mat3_w B = pl_plastic_rest_w(plastic, lane, inverse);
    pl_plastic_gain_w(3, plastic, lane, inverse, gain);
    pl_update33_w(rest->inverse, lane, flowed, &B);
    for (int k = 0; k < 2; ++k)
        pl_update_w(&rest->gain[k][lane], flowed, gain[k]);
}

// True if some lane flowed.
static __attribute__((noinline)) bool flow(pl__plastic_block *plastic, double dt, pl__tet_rest *rest, block_state *b)
{
    bool any = false;
    for (int lane = 0; lane < PL_BLOCK; lane += PL_LANES)
    {
        pl_mat3_w inverse;
        pl_mask_w flowed = pl_flow_point_w(plastic, lane, dt, b->shape.U, b->shape.sigma, b->shape.W, &inverse);
        if (!pl_any_w(flowed))
            continue;
        follow(plastic, lane, flowed, &inverse, rest);
        any = true;
    }
    return any;
}

PL_INLINE void force_range(const pl__force_job *job, int32_t begin, int32_t end, bool triangular,
                           pl__element_sums *sums)
{
    const pl__element_group *group = job->group;
    block_state b;
    pl__stress_block stress = {b.stress, job->want_energy ? b.energy : NULL, b.stiffness, b.coupling, NULL};
    for (int32_t block = begin; block < end; ++block)
    {
        const pl__tet_rest *rest = &group->tet[block];
        measure_shape(job, rest, triangular, &b);
        pl_relieved_w relieved = {&group->law, &rest->material, group->additive ? &group->plastic[block] : NULL,
                                  b.shape.U,   b.shape.sigma,   b.shape.W};
        bool flows = !triangular && group->plastic && job->flow;
        if (flows && group->additive)
            pl_flow_additive_w(&relieved, job->flow_dt);
        else if (flows && flow(&group->plastic[block], job->flow_dt, &group->tet[block], &b))
            measure_shape(job, rest, triangular, &b); // forces of the new rest shape, to the bit
        PL_KERNEL(pl__material_stress)(&group->law, &rest->material, b.shape.sigma, &stress);
        if (!triangular && group->additive)
            pl_relieve_w(&relieved, stress.energy, b.stiffness, &b.relief);
        if (!triangular && group->fiber)
            pl_pull_fibers_w(&group->fiber[block], b.shape.U, b.shape.sigma, b.shape.W, stress.energy, b.stiffness,
                             b.pull);
        store_forces(job, rest, triangular, &b, block, (pl__tet_forces *)job->force + (block - begin), sums);
    }
}

void PL_KERNEL(pl__tet_force)(const pl__force_job *job, int32_t begin, int32_t end, pl__element_sums *sums)
{
    if (job->group->triangular)
        force_range(job, begin, end, true, sums);
    else
        force_range(job, begin, end, false, sums);
}

void PL_KERNEL(pl__tet_flow_refresh)(const pl__element_group *group)
{
    for (int32_t block = 0; block < group->block_count; ++block)
        for (int lane = 0; lane < PL_BLOCK; lane += PL_LANES)
        {
            pl_mat3_w Fp = pl_load33_w(group->plastic[block].Fp, lane), inverse = pl_inverse3_w(&Fp);
            follow(&group->plastic[block], lane, pl_le_w(pl_set_w(0), pl_set_w(0)), &inverse, &group->tet[block]);
        }
}

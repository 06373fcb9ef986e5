// src/element/triangle_force.kernel.c -- elastic forces of linear triangles, one register of elements at a time.
//
// With edges Ds = [x1-x0, x2-x0] (3x2) and B their inverse at rest (2x2), F = Ds B is constant over the element and
//
//     F = U diag(s0, s1) V^T,   P = U P^ V^T,   [f1 f2] = -V_rest P B^T,   f0 = -(f1 + f2)
//
// (thesis 2.8). For an isotropic law P^ = diag(p). A triangle in space does not invert: s1 >= 0, and flipped over it
// is the same triangle seen from behind. It inverts if surface normals are given, by the sign of its normal against
// the given one, or if it is planar: then U is 2x2 with a row of zeros, and everything else is the same.
//
// Woven cloth has P^ = 2 T^_ij s_i/(s_i + s_j), T^ being dpsi/dE of the Biot strain E = sqrt(F^T F) - I (triangle.h)
// in the principal frame: from C = F^T F, dC^_ij = (s_i + s_j) dE^_ij and dC^_ij = s_i dF^_ij + s_j dF^_ji. The
// fractions are between 0 and 1 as long as no stretch is negative. Where an inverted stretch meets its neighbour they
// have a pole, since the direction of inversion, and with it that of the threads, is arbitrary there: s0 + s1 is
// clamped to at least s0/10.
//
// A triangle that has collapsed to a line or a point is finite: svd32 chooses axes, and the law sees stretches of
// zero.
//
// Plastic flow happens between decomposition and stress, as in tetrahedra.
#include "base/simd.h"
#include "damping_w.h"
#include "plasticity_w.h"
#include "triangle_w.h"

typedef struct
{
    double U[6][PL_BLOCK], V[4][PL_BLOCK]; // column-major
    double sigma[3][PL_BLOCK];             // the third is 1
    double stress[3][PL_BLOCK];
    double cross[2][PL_BLOCK]; // P^_01 and P^_10, woven
    double energy[PL_BLOCK];
    double stiffness[PL_BLOCK], coupling[PL_BLOCK];
} block_state;

// constants of a group that select the code path
typedef struct
{
    bool planar, woven;
} variant;

// ---- decomposition -------------------------------------------------------------------------------------------------

// Two registers at a time, as for tetrahedra; it gains little here (3 per cent).
PL_INLINE void measure_shape(const pl__force_job *job, const pl__triangle_rest *rest, variant kind, block_state *b)
{
    enum
    {
        REGISTERS = 2
    };
    for (int lane = 0; lane < PL_BLOCK; lane += REGISTERS * PL_LANES)
    {
        pl_mat32_w Ds[REGISTERS], F[REGISTERS], U[REGISTERS];
        pl_mat2_w V[REGISTERS];
        pl_vec2_w sigma[REGISTERS];
        for (int r = 0; r < REGISTERS; ++r)
        {
            Ds[r] = pl_triangle_edges_w(job->x, rest, lane + r * PL_LANES);
            F[r] = pl_triangle_deformation_w(&Ds[r], rest, lane + r * PL_LANES);
        }
        for (int r = 0; r < REGISTERS; ++r)
            if (kind.planar)
                pl_triangle_decompose_planar_w(&F[r], &U[r], &sigma[r], &V[r]);
            else
                pl_svd32_w(&F[r], &U[r], &sigma[r], &V[r]);
        for (int r = 0; r < REGISTERS; ++r)
        {
            int at = lane + r * PL_LANES;
            if (!kind.planar && job->group->normals)
                pl_triangle_invert_by_normal_w(rest, at, &Ds[r], &U[r], &sigma[r]);
            pl_store32_w(b->U, at, &U[r]);
            pl_store22_w(b->V, at, &V[r]);
            pl_store3_w(b->sigma, at, pl_make3_w(sigma[r].x[0], sigma[r].x[1], pl_set_w(1)));
        }
    }
}

// ---- woven cloth ---------------------------------------------------------------------------------------------------

// A bound on dF : dP. Material part: |dE|^2 <= turn |dF|^2 with turn = 2 (s0^2 + s1^2)/(s0 + s1)^2 for the shear and 1
// for the rest. Geometric part, with d2E^_ij = (dF^T dF - dE^2)_ij/(s_i + s_j): in the plane, with the mean m and the
// half difference d of T^_00 and T^_11,  (2 max(m, 0) + (2 + 2 sqrt 2) |d| + 2 sqrt 2 |T^_01|)/(s0 + s1);  out of it,
// the larger of T^_ii/s_i, and 2 |T^_01|/(s0 + s1). As in material/stress.kernel.c, poles are limited.
PL_INLINE pl_real_w woven_bound(const pl_real_w h[2], pl_real_w coupling, pl_real_w shear, const pl_real_w T[3],
                                const pl_real_w s[2], pl_real_w sum)
{
    pl_real_w zero = pl_set_w(0), tiny = pl_set_w(1e-6), size = pl_max_w(sum, tiny);
    pl_real_w turn = pl_min_w(2 * (s[0] * s[0] + s[1] * s[1]) / (size * size), pl_set_w(4));
    pl_real_w straight = pl_max_w(h[0], h[1]) + pl_abs_w(coupling);
    pl_real_w largest = pl_max_w(straight, 2 * shear) * pl_max_w(turn, pl_set_w(1));
    pl_real_w mean = 0.5 * (T[0] + T[1]), apart = 0.5 * pl_abs_w(T[0] - T[1]), across = pl_abs_w(T[2]);
    pl_real_w within = (2 * pl_max_w(mean, zero) + 4.829 * apart + 2.829 * across) / size;
    pl_real_w outside = pl_max_w(T[0] / pl_max_w(s[0], tiny), T[1] / pl_max_w(s[1], tiny)) + 2 * across / size;
    return largest + pl_min_w(pl_max_w(pl_max_w(within, outside), zero), 4 * largest);
}

PL_INLINE void woven_stress(const pl__woven_block *w, block_state *b)
{
    for (int lane = 0; lane < PL_BLOCK; lane += PL_LANES)
    {
        pl_real_w c = pl_load_w(&b->V[0][lane]), n = pl_load_w(&b->V[1][lane]);
        pl_real_w s[2] = {pl_load_w(&b->sigma[0][lane]), pl_load_w(&b->sigma[1][lane])}, psi[2], p[2], h[2], T[3];
        pl_real_w cc = c * c, nn = n * n, cn = c * n, e0 = s[0] - 1, e1 = s[1] - 1;
        pl_real_w E[3] = {cc * e0 + nn * e1, nn * e0 + cc * e1, cn * (e0 - e1)};
        for (int i = 0; i < 2; ++i)
            pl_thread_law_w(w, i, lane, E[i], &psi[i], &p[i], &h[i]);
        pl_real_w coupling = pl_load_w(&w->coupling[lane]), G = pl_load_w(&w->shear[lane]);
        pl_real_w T0 = p[0] + coupling * E[1], T1 = p[1] + coupling * E[0], T2 = 2 * G * E[2];
        T[0] = cc * T0 + 2 * cn * T2 + nn * T1;
        T[1] = nn * T0 - 2 * cn * T2 + cc * T1;
        T[2] = cn * (T1 - T0) + (cc - nn) * T2;
        pl_real_w sum = pl_max_w(s[0] + s[1], 0.1 * s[0]), share = 2 * T[2] / pl_max_w(sum, pl_set_w(1e-150));
        pl_store_w(&b->energy[lane], psi[0] + psi[1] + coupling * E[0] * E[1] + 2 * G * E[2] * E[2]);
        pl_store_w(&b->stress[0][lane], T[0]);
        pl_store_w(&b->stress[1][lane], T[1]);
        pl_store_w(&b->cross[0][lane], share * s[0]);
        pl_store_w(&b->cross[1][lane], share * s[1]);
        pl_store_w(&b->stiffness[lane], woven_bound(h, coupling, G, T, s, sum));
        pl_store_w(&b->coupling[lane], pl_set_w(0));
    }
}

// ---- forces --------------------------------------------------------------------------------------------------------

// A = U diag(...) V^T; see element/triangle_damping.kernel.c
PL_INLINE void store_frame(pl_damping_model model, const pl_mat32_w *U, const pl_mat2_w *V, const pl_real_w sigma[2],
                           pl__triangle_frame *frame, int lane)
{
    pl_real_w one = pl_set_w(1), stretch[2];
    pl_real_w share = model == PL_DAMPING_ROTATED  ? pl_set_w(0)
                      : model == PL_DAMPING_SWITCH ? pl_keeping_share_w(sigma[1])
                                                   : one;
    pl_real_w shrink = model == PL_DAMPING_ROTATED ? share : share / pl_max_w(one, sigma[0]);
    for (int k = 0; k < 2; ++k)
        stretch[k] = (1 - share) + shrink * sigma[k];
    for (int j = 0; j < 2; ++j)
        for (int i = 0; i < 3; ++i)
            pl_store_w(&frame->a[3 * j + i][lane],
                       U->c[0].x[i] * (stretch[0] * V->c[0].x[j]) + U->c[1].x[i] * (stretch[1] * V->c[1].x[j]));
}

PL_INLINE void add_to(double *sum, pl_real_w value) { pl_store_w(sum, pl_load_w(sum) + value); }

PL_INLINE void add_sums(const block_state *b, const pl__triangle_rest *rest, const pl__force_job *job, int lane,
                        pl__element_sums *sums)
{
    pl_real_w zero = pl_set_w(0), one = pl_set_w(1), volume = pl_load_w(&rest->volume[lane]);
    pl_real_w s0 = pl_load_w(&b->sigma[0][lane]), s1 = pl_load_w(&b->sigma[1][lane]), J = s0 * s1;
    pl_mask_w used = pl_gt_w(volume, zero);
    add_to(&sums->volume[lane], volume * J);
    add_to(&sums->strain2[lane], volume * ((s0 - 1) * (s0 - 1) + (s1 - 1) * (s1 - 1)));
    add_to(&sums->dilation2[lane], volume * ((J - 1) * (J - 1)));
    add_to(&sums->inverted[lane], pl_select_w(pl_and_w(used, pl_le_w(J, zero)), one, zero));
    if (job->want_energy)
        add_to(&sums->energy[lane], pl_select_w(used, job->strength * (volume * pl_load_w(&b->energy[lane])), zero));
    pl_real_w frequency2 = job->strength * (pl_load_w(&b->stiffness[lane]) * pl_load_w(&rest->gain[0][lane]) +
                                            pl_load_w(&b->coupling[lane]) * pl_load_w(&rest->gain[1][lane]));
    pl_store_w(&sums->frequency2[lane], pl_max_w(frequency2, pl_load_w(&sums->frequency2[lane])));
    pl_real_w least = pl_load_w(&sums->min_J[lane]), most = pl_load_w(&sums->max_stretch[lane]);
    pl_store_w(&sums->min_J[lane], pl_select_w(used, pl_min_w(J, least), least));
    pl_store_w(&sums->max_stretch[lane], pl_max_w(s0, most));
}

// Q = scale P^ (B V)^T: column c holds the force on corner c + 1 in the axes U
PL_INLINE pl_mat2_w principal_forces(const block_state *b, const pl__triangle_rest *rest, const pl_mat2_w *V,
                                     pl_real_w scale, bool woven, int lane)
{
    pl_mat2_w Q;
    pl_real_w p0 = scale * pl_load_w(&b->stress[0][lane]), p1 = scale * pl_load_w(&b->stress[1][lane]);
    for (int c = 0; c < 2; ++c)
    {
        pl_real_w b0 = pl_load_w(&rest->inverse[c][lane]), b1 = pl_load_w(&rest->inverse[2 + c][lane]);
        pl_real_w m0 = b0 * V->c[0].x[0] + b1 * V->c[0].x[1], m1 = b0 * V->c[1].x[0] + b1 * V->c[1].x[1];
        Q.c[c].x[0] = p0 * m0;
        Q.c[c].x[1] = p1 * m1;
        if (woven)
        {
            Q.c[c].x[0] += scale * pl_load_w(&b->cross[0][lane]) * m1;
            Q.c[c].x[1] += scale * pl_load_w(&b->cross[1][lane]) * m0;
        }
    }
    return Q;
}

PL_INLINE void store_forces(const pl__force_job *job, const pl__triangle_rest *rest, variant kind, const block_state *b,
                            int32_t block, pl__triangle_forces *out, pl__element_sums *sums)
{
    for (int lane = 0; lane < PL_BLOCK; lane += PL_LANES)
    {
        pl_mat32_w U = pl_load32_w(b->U, lane);
        pl_mat2_w V = pl_load22_w(b->V, lane);
        pl_real_w volume = pl_load_w(&rest->volume[lane]), size = pl_set_w(0);
        pl_mat2_w Q = principal_forces(b, rest, &V, -job->strength * volume, kind.woven, lane);
        for (int i = 0; i < 3; ++i)
        {
            pl_real_w f1 = U.c[0].x[i] * Q.c[0].x[0] + U.c[1].x[i] * Q.c[0].x[1];
            pl_real_w f2 = U.c[0].x[i] * Q.c[1].x[0] + U.c[1].x[i] * Q.c[1].x[1], f0 = -(f1 + f2);
            pl_store_w(&out->f[0][i][lane], f0);
            pl_store_w(&out->f[1][i][lane], f1);
            pl_store_w(&out->f[2][i][lane], f2);
            size += pl_abs_w(f0) + pl_abs_w(f1) + pl_abs_w(f2);
        }
        // the comparison is false for NaN as well; unused lanes do not count
        pl_mask_w fine = pl_or_w(pl_lt_w(size, pl_set_w(1e300)), pl_le_w(volume, pl_set_w(0)));
        add_to(&sums->broken[lane], pl_select_w(fine, pl_set_w(0), pl_set_w(1)));
        const pl_real_w sigma[2] = {pl_load_w(&b->sigma[0][lane]), pl_load_w(&b->sigma[1][lane])};
        if (job->frame)
            store_frame(job->group->damping_model, &U, &V, sigma, (pl__triangle_frame *)job->frame + block, lane);
        add_sums(b, rest, job, lane, sums);
        if (job->group->plastic)
            pl_add_growth_w(&job->group->plastic[block], lane, volume, sigma[0] * sigma[1], sums);
    }
}

// B' and gains for the lanes of `flowed`.
PL_INLINE void follow(const pl__plastic_block *plastic, int lane, pl_mask_w flowed, const pl_mat3_w *inverse,
                      pl__triangle_rest *rest)
{
    pl_real_w gain[2];
    pl_mat3_w B = pl_plastic_rest_w(plastic, lane, inverse);
    pl_plastic_gain_w(2, plastic, lane, inverse, gain);
    for (int k = 0; k < 4; ++k)
        pl_update_w(&rest->inverse[k][lane], flowed, B.c[k / 2].x[k % 2]);
    for (int k = 0; k < 2; ++k)
        pl_update_w(&rest->gain[k][lane], flowed, gain[k]);
}

// True if some lane flowed.
static __attribute__((noinline)) bool flow(pl__plastic_block *plastic, double dt, pl__triangle_rest *rest,
                                           block_state *b)
{
    bool any = false;
    for (int lane = 0; lane < PL_BLOCK; lane += PL_LANES)
    {
        pl_mat3_w inverse;
        pl_mask_w flowed = pl_flow_triangle_w(plastic, lane, dt, b->U, b->sigma, b->V, &inverse);
        if (!pl_any_w(flowed))
            continue;
        follow(plastic, lane, flowed, &inverse, rest);
        any = true;
    }
    return any;
}

PL_INLINE void force_range(const pl__force_job *job, int32_t begin, int32_t end, variant kind, pl__element_sums *sums)
{
    const pl__element_group *group = job->group;
    block_state b;
    pl__stress_block stress = {b.stress, job->want_energy ? b.energy : NULL, b.stiffness, b.coupling, NULL};
    for (int32_t block = begin; block < end; ++block)
    {
        const pl__triangle_rest *rest = &group->triangle[block];
        measure_shape(job, rest, kind, &b);
        if (group->plastic && job->flow && flow(&group->plastic[block], job->flow_dt, &group->triangle[block], &b))
            measure_shape(job, rest, kind, &b); // forces of the new rest shape, to the bit
        if (kind.woven)
            woven_stress(&rest->woven, &b);
        else
            PL_KERNEL(pl__material_stress)(&group->law, &rest->material, b.sigma, &stress);
        store_forces(job, rest, kind, &b, block, (pl__triangle_forces *)job->force + (block - begin), sums);
    }
}

void PL_KERNEL(pl__triangle_force)(const pl__force_job *job, int32_t begin, int32_t end, pl__element_sums *sums)
{
    if (job->group->planar && job->group->woven)
        force_range(job, begin, end, (variant){true, true}, sums);
    else if (job->group->planar)
        force_range(job, begin, end, (variant){true, false}, sums);
    else if (job->group->woven)
        force_range(job, begin, end, (variant){false, true}, sums);
    else
        force_range(job, begin, end, (variant){false, false}, sums);
}

void PL_KERNEL(pl__triangle_flow_refresh)(const pl__element_group *group)
{
    for (int32_t block = 0; block < group->block_count; ++block)
        for (int lane = 0; lane < PL_BLOCK; lane += PL_LANES)
        {
            pl_mat3_w Fp = pl_load33_w(group->plastic[block].Fp, lane), inverse = pl_inverse3_w(&Fp);
            follow(&group->plastic[block], lane, pl_le_w(pl_set_w(0), pl_set_w(0)), &inverse, &group->triangle[block]);
        }
}

// src/element/tet_state.c -- stretches, energy and stress of tetrahedra, for output.
//
// With F = U diag(s) V^T the materials here have the first Piola stress P = U diag(p) V^T, and so the Cauchy stress
//
//     sigma = P F^T / J = U diag(p_i s_i / J) U^T,   J = s0 s1 s2:
//
// its principal values need no matrix, and its axes are the columns of U. Triangular rest shapes rotate V only. If an
// element is flat, J vanishes and the Cauchy stress is undefined; |J| is clamped to at least 1e-6, with its sign, so
// that every value can be drawn.
#include "tet_state.h"
#include "fibers.h"
#include "math/eig3.h"
#include "math/svd3_batch.h"

static const double least_J = 1e-6;

// F = [x1-x0, x2-x0, x3-x0] B for every lane
static void deformation(const pl__tet_rest *rest, const double *x, double F[9][PL_ELEMENT_LANES])
{
    for (int lane = 0; lane < PL_ELEMENT_LANES; ++lane)
    {
        const double *x0 = &x[3 * (size_t)rest->node[0][lane]];
        for (int i = 0; i < 3; ++i)
        {
            double d[3];
            for (int k = 0; k < 3; ++k)
                d[k] = x[3 * (size_t)rest->node[k + 1][lane] + (size_t)i] - x0[i];
            for (int j = 0; j < 3; ++j)
            {
                const double(*B)[PL_ELEMENT_LANES] = &rest->inverse[3 * j];
                F[3 * j + i][lane] = d[0] * B[0][lane] + d[1] * B[1][lane] + d[2] * B[2][lane];
            }
        }
    }
}

// Fibres add T/|F a| (F a)(F a)^T / J, which has other axes: those of the sum are its eigenvectors.
static void add_fibers(const pl__fiber_block *block, int lane, double F[9][PL_ELEMENT_LANES], double strength, double J,
                       pl__element_state *out)
{
    pl_mat3 gradient, P = {0}, cauchy;
    double sum[9], psi = 0;
    for (int k = 0; k < 9; ++k)
        gradient.c[k / 3][k % 3] = F[k][lane];
    pl__fibers_add_reference(block, lane, &gradient, &P, &psi);
    pl__element_state_cauchy(out, sum);
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i)
        {
            double PFt = 0;
            for (int k = 0; k < 3; ++k)
                PFt += P.c[k][i] * gradient.c[k][j];
            cauchy.c[j][i] = sum[3 * j + i] + strength * PFt / J;
        }
    out->energy += strength * psi;
    pl__eig3(&cauchy, &out->axes, out->principal);
}

// For plain linear elasticity: its linear stress, in the axes of its strain.
static void linear_block_state(const pl__element_group *group, const pl__material_block *material,
                               double F[9][PL_ELEMENT_LANES], double strength, int32_t register_bytes,
                               pl__element_state state[PL_ELEMENT_LANES])
{
    double s[3][PL_ELEMENT_LANES], p[3][PL_ELEMENT_LANES], psi[PL_ELEMENT_LANES];
    for (int lane = 0; lane < PL_ELEMENT_LANES; ++lane)
    {
        pl_mat3 gradient, S;
        double value[3];
        for (int k = 0; k < 9; ++k)
        {
            gradient.c[k / 3][k % 3] = F[k][lane];
            S.c[k / 3][k % 3] = 0.5 * (F[k][lane] + F[k % 3 * 3 + k / 3][lane]);
        }
        state[lane].J = pl_det3(&gradient);
        pl__eig3(&S, &state[lane].axes, value);
        for (int i = 0; i < 3; ++i)
            s[i][lane] = value[i];
    }
    PL_PICK(register_bytes, pl__material_stress)
    (&group->law, material, s, &(pl__stress_block){.stress = p, .energy = psi});
    for (int lane = 0; lane < PL_ELEMENT_LANES; ++lane)
    {
        state[lane].stretch = s[0][lane];
        state[lane].energy = strength * psi[lane];
        for (int i = 0; i < 3; ++i)
            state[lane].principal[i] = strength * p[i][lane];
    }
}

void pl__deformed_block_state(const pl__element_group *group, int32_t block, const pl__material_block *material,
                              double F[9][PL_ELEMENT_LANES], double strength, int32_t register_bytes,
                              pl__element_state state[PL_ELEMENT_LANES])
{
    double U[9][PL_ELEMENT_LANES], s[3][PL_ELEMENT_LANES], V[9][PL_ELEMENT_LANES], p[3][PL_ELEMENT_LANES],
        psi[PL_ELEMENT_LANES];
    if (group->law.kind == PL_MATERIAL_LINEAR)
    {
        linear_block_state(group, material, F, strength, register_bytes, state);
        return;
    }
    PL_PICK(register_bytes, pl__svd3_batch)(1, (const double(*)[9][PL_ELEMENT_LANES])F, &U, &s, &V);
    PL_PICK(register_bytes, pl__material_stress)
    (&group->law, material, s, &(pl__stress_block){.stress = p, .energy = psi});
    for (int lane = 0; lane < PL_ELEMENT_LANES; ++lane)
    {
        pl__element_state *out = &state[lane];
        out->J = s[0][lane] * s[1][lane] * s[2][lane];
        out->stretch = s[0][lane];
        out->energy = strength * psi[lane];
        double J = fabs(out->J) >= least_J ? out->J : copysign(least_J, out->J);
        for (int i = 0; i < 3; ++i)
            out->principal[i] = strength * (p[i][lane] * s[i][lane] / J);
        for (int k = 0; k < 9; ++k)
            out->axes.c[k / 3][k % 3] = U[k][lane];
        if (group->fiber)
            add_fibers(&group->fiber[block], lane, F, strength, J, out);
    }
}

void pl__tet_block_state(const pl__element_group *group, int32_t block, const double *x, double strength,
                         int32_t register_bytes, pl__element_state state[PL_ELEMENT_LANES])
{
    const pl__tet_rest *rest = &group->tet[block];
    double F[9][PL_ELEMENT_LANES];
    deformation(rest, x, F);
    pl__deformed_block_state(group, block, &rest->material, F, strength, register_bytes, state);
    if (group->additive)
        pl__relieved_block_state(group, &rest->material, &group->plastic[block], F, strength, register_bytes, state);
    else if (group->plastic)
        pl__grown_block_state(&group->plastic[block], state);
}

void pl__grown_block_state(const pl__plastic_block *plastic, pl__element_state state[PL_ELEMENT_LANES])
{
    for (int lane = 0; lane < PL_ELEMENT_LANES; ++lane)
    {
        pl_mat3 Fp;
        for (int k = 0; k < 9; ++k)
            Fp.c[k / 3][k % 3] = plastic->Fp[k][lane];
        double growth = pl_det3(&Fp);
        state[lane].J *= growth;
        for (int i = 0; i < 3; ++i)
            state[lane].principal[i] /= growth;
    }
}

// W^T A W
static pl_mat3 seen_from(const pl_mat3 *W, const pl_mat3 *A)
{
    pl_mat3 AW = pl_mul33(A, W);
    return pl_mult33(W, &AW);
}

// The elastic strain e - p of a lane, in the axes W of its stretches s.
static pl_mat3 elastic_strain(const pl__plastic_block *plastic, int lane, const double s[3], const pl_mat3 *W)
{
    pl_mat3 Fp, d;
    for (int k = 0; k < 9; ++k)
        Fp.c[k / 3][k % 3] = plastic->Fp[k][lane];
    d = seen_from(W, &Fp);
    for (int k = 0; k < 9; ++k)
        d.c[k / 3][k % 3] = (k % 4 == 0 ? s[k / 3] : 0) - d.c[k / 3][k % 3];
    return d;
}

// Cauchy stress U (A_ij 2 s_i s_j / (s_i + s_j)) U^T / J of A = 2 mu d + lambda tr d
// (element/additive_plasticity_w.h), or, for plain linear elasticity, U A U^T.
static void set_relieved(bool linear, double mu, double lambda, const pl_mat3 *d, const double s[3], const pl_mat3 *U,
                         double strength, pl__element_state *out)
{
    double trace = d->c[0][0] + d->c[1][1] + d->c[2][2], size2 = 0,
           J = fabs(out->J) >= least_J ? out->J : copysign(least_J, out->J), value[3];
    pl_mat3 C, Q, strain = *d;
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i)
        {
            double A = 2 * mu * d->c[j][i] + (i == j ? lambda * trace : 0);
            double spread = i == j ? s[i] : 2 * s[i] * s[j] / fmax(fabs(s[i]) + fabs(s[j]), 1e-30);
            C.c[j][i] = strength * (linear ? A : A * spread / J);
            size2 += d->c[j][i] * d->c[j][i];
        }
    out->energy = strength * (mu * size2 + 0.5 * lambda * trace * trace);
    pl__eig3(&C, &Q, out->principal);
    out->axes = pl_mul33(U, &Q);
    pl__eig3(&strain, &Q, value);
    out->stretch = 1 + value[0];
}

void pl__relieved_block_state(const pl__element_group *group, const pl__material_block *material,
                              const pl__plastic_block *plastic, double F[9][PL_ELEMENT_LANES], double strength,
                              int32_t register_bytes, pl__element_state state[PL_ELEMENT_LANES])
{
    double U[9][PL_ELEMENT_LANES], s[3][PL_ELEMENT_LANES], V[9][PL_ELEMENT_LANES];
    bool linear = group->law.kind == PL_MATERIAL_LINEAR;
    PL_PICK(register_bytes, pl__svd3_batch)(1, (const double(*)[9][PL_ELEMENT_LANES])F, &U, &s, &V);
    for (int lane = 0; lane < PL_ELEMENT_LANES; ++lane)
    {
        pl_mat3 u, w, S;
        double stretch[3] = {s[0][lane], s[1][lane], s[2][lane]};
        for (int k = 0; k < 9; ++k)
        {
            u.c[k / 3][k % 3] = U[k][lane];
            w.c[k / 3][k % 3] = V[k][lane];
            S.c[k / 3][k % 3] = 0.5 * (F[k][lane] + F[k % 3 * 3 + k / 3][lane]);
        }
        if (linear)
        {
            pl__eig3(&S, &u, stretch);
            w = u;
        }
        pl_mat3 d = elastic_strain(plastic, lane, stretch, &w);
        set_relieved(linear, material->mu[lane], material->lambda[lane], &d, stretch, &u, strength, &state[lane]);
    }
}

double pl__element_state_von_mises(const pl__element_state *state)
{
    const double *t = state->principal;
    double a = t[0] - t[1], b = t[1] - t[2], c = t[2] - t[0];
    return sqrt(0.5 * (a * a + b * b + c * c));
}

double pl__element_state_pressure(const pl__element_state *state)
{
    return -(state->principal[0] + state->principal[1] + state->principal[2]) / 3;
}

void pl__element_state_cauchy(const pl__element_state *state, double cauchy[9])
{
    const pl_mat3 *U = &state->axes;
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i <= j; ++i)
        {
            double sum = 0;
            for (int k = 0; k < 3; ++k)
                sum += state->principal[k] * (U->c[k][i] * U->c[k][j]);
            cauchy[3 * j + i] = cauchy[3 * i + j] = sum;
        }
}

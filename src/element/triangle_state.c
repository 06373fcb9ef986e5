// src/element/triangle_state.c -- stretches, energy and stress of triangles, for output.
//
// sigma = P F^T / J = U (P^ diag(s)) U^T / J with J = s0 s1, with the rest thickness. P^ diag(s) is symmetric:
// diagonal for an isotropic law, 2 T^_ij s_i s_j/(s_i + s_j) for woven cloth, whose principal axes are one rotation
// away from U.
#include "math/jacobi.h"
#include "math/mat2.h"
#include "math/svd2.h"
#include "math/svd32.h"
#include "triangle.h"

static const double least_J = 1e-6;

static pl_vec3 edge(const pl__triangle_rest *rest, int lane, const double *x, int corner)
{
    const double *from = &x[3 * (size_t)rest->node[0][lane]], *to = &x[3 * (size_t)rest->node[corner][lane]];
    return pl_make3(to[0] - from[0], to[1] - from[1], to[2] - from[2]);
}

static void decompose_planar(const pl_mat32 *F, pl_mat32 *U, double s[2], pl_mat2 *V)
{
    pl_mat2 F2 = {{{F->c[0][0], F->c[0][1]}, {F->c[1][0], F->c[1][1]}}}, U2;
    pl__svd2(&F2, &U2, s, V);
    *U = (pl_mat32){{{U2.c[0][0], U2.c[0][1], 0}, {U2.c[1][0], U2.c[1][1], 0}}};
}

// stretches and axes of one lane, signed as in the force kernel
static void shape(const pl__element_group *group, const pl__triangle_rest *rest, int lane, const double *x, pl_mat32 *U,
                  double s[2], pl_mat2 *V)
{
    pl_vec3 d1 = edge(rest, lane, x, 1), d2 = edge(rest, lane, x, 2);
    pl_mat32 F;
    for (int j = 0; j < 2; ++j)
        for (int i = 0; i < 3; ++i)
            F.c[j][i] = d1.v[i] * rest->inverse[2 * j][lane] + d2.v[i] * rest->inverse[2 * j + 1][lane];
    if (group->planar)
    {
        decompose_planar(&F, U, s, V);
        return;
    }
    pl__svd32(&F, U, s, V);
    pl_vec3 normal = pl_make3(rest->normal[0][lane], rest->normal[1][lane], rest->normal[2][lane]);
    double sign = group->normals && pl_dot3(pl_cross3(d1, d2), normal) < 0 ? -1 : 1;
    s[1] *= sign;
    for (int i = 0; i < 3; ++i)
        U->c[1][i] *= sign;
}

// The rotation of U that makes the symmetric `stress` (00, 11, 01) diagonal, and its principal values.
static void set_principal(const pl_mat32 *U, const double stress[3], pl__element_state *out)
{
    double c, n;
    pl__jacobi(stress[0] - stress[1], 2 * stress[2], &c, &n);
    out->principal[0] = c * c * stress[0] + 2 * c * n * stress[2] + n * n * stress[1];
    out->principal[1] = n * n * stress[0] - 2 * c * n * stress[2] + c * c * stress[1];
    pl_vec3 u0 = pl_column32(U, 0), u1 = pl_column32(U, 1);
    pl_vec3 axis[3] = {pl_axpy3(n, u1, pl_scale3(c, u0)), pl_axpy3(-n, u0, pl_scale3(c, u1)), pl_cross3(u0, u1)};
    for (int k = 0; k < 9; ++k)
        out->axes.c[k / 3][k % 3] = axis[k / 3].v[k % 3];
}

static void set_woven(const pl__woven_block *woven, int lane, const double s[2], const pl_mat2 *V, double stress[3],
                      double *psi)
{
    double T[3], sum = fmax(s[0] + s[1], 0.1 * s[0]);
    pl__woven_stress(woven, lane, s, V->c[0], psi, T);
    stress[0] = T[0] * s[0];
    stress[1] = T[1] * s[1];
    stress[2] = sum > 0 ? 2 * T[2] * s[0] * s[1] / sum : 0;
}

void pl__triangle_block_state(const pl__element_group *group, int32_t block, const double *x, double strength,
                              int32_t register_bytes, pl__element_state state[PL_ELEMENT_LANES])
{
    const pl__triangle_rest *rest = &group->triangle[block];
    pl_mat32 U[PL_ELEMENT_LANES];
    pl_mat2 V[PL_ELEMENT_LANES];
    double s[PL_ELEMENT_LANES][2], sigma[3][PL_ELEMENT_LANES], p[3][PL_ELEMENT_LANES], psi[PL_ELEMENT_LANES];
    for (int lane = 0; lane < PL_ELEMENT_LANES; ++lane)
    {
        shape(group, rest, lane, x, &U[lane], s[lane], &V[lane]);
        for (int i = 0; i < 3; ++i)
            sigma[i][lane] = i < 2 ? s[lane][i] : 1;
    }
    PL_PICK(register_bytes, pl__material_stress)
    (&group->law, &rest->material, sigma, &(pl__stress_block){.stress = p, .energy = psi});
    for (int lane = 0; lane < PL_ELEMENT_LANES; ++lane)
    {
        pl__element_state *out = &state[lane];
        double stress[3] = {p[0][lane] * s[lane][0], p[1][lane] * s[lane][1], 0}, energy = psi[lane];
        if (group->woven)
            set_woven(&rest->woven, lane, s[lane], &V[lane], stress, &energy);
        out->J = s[lane][0] * s[lane][1];
        out->stretch = s[lane][0];
        out->energy = strength * energy;
        double J = fabs(out->J) >= least_J ? out->J : copysign(least_J, out->J);
        for (int i = 0; i < 3; ++i)
            stress[i] *= strength / J;
        set_principal(&U[lane], stress, out);
        out->principal[2] = group->plane_strain ? strength * p[2][lane] / J : 0;
    }
    if (group->plastic)
        pl__grown_block_state(&group->plastic[block], state);
}

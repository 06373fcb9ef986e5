// tests/tet.c -- the tetrahedron kernels against their scalar oracle, energies, conservation and the lecture's
// identity.
#include "test.h"
#include "random_input.h"
#include "element/tet.h"

enum
{
    TETS = 37, // not a multiple of the block
    NODES = 4 * TETS,
    BLOCKS = 3
};

static pl_context *ctx;
static double X[3 * NODES + 16], x[3 * NODES + 16], v[3 * NODES + 16];
static pl__tet_rest rest[BLOCKS];
static pl__tet_frame frame[BLOCKS];
static pl__tet_forces force[BLOCKS];

// Separate random tetrahedra; the current positions are wild (scrambled) or moderate (no inversion).
static pl__element_group make(pl_material_def *def, bool triangular, bool wild, uint64_t seed)
{
    pl__material_params params = pl__material_resolve(def);
    memset(rest, 0, sizeof rest);
    for (int32_t t = 0; t < TETS; ++t)
    {
        int32_t node[4];
        double corner[4][3];
        uint64_t attempt = 0;
        pl_mat3 Dm;
        do // a rest shape with some volume
        {
            for (int k = 0; k < 12; ++k)
                corner[k / 3][k % 3] = random_pm(seed * 1000 + (uint64_t)t, 1000 * attempt + (uint64_t)k);
            for (int k = 0; k < 9; ++k)
                Dm.c[k / 3][k % 3] = corner[k / 3 + 1][k % 3] - corner[0][k % 3];
            ++attempt;
        } while (pl_det3(&Dm) < 0.5);
        pl_mat3 stretch = random_matrix(seed + 31 * (uint64_t)t), R = random_rotation(seed + (uint64_t)t),
                I = pl_identity3();
        pl_mat3 F = pl_axpy33(wild ? 1.5 : 0.12, &stretch, &I), A = pl_mul33(&R, &F);
        for (int k = 0; k < 4; ++k)
        {
            node[k] = 4 * t + k;
            for (int i = 0; i < 3; ++i)
            {
                double sum = 0.1 * t;
                for (int j = 0; j < 3; ++j)
                    sum += A.c[j][i] * corner[k][j];
                X[3 * node[k] + i] = corner[k][i];
                x[3 * node[k] + i] = sum;
                v[3 * node[k] + i] = random_pm(seed + 5, (uint64_t)(3 * node[k] + i));
            }
        }
        pl__tet_rest_set(&rest[t / 16], t % 16, node, corner, &params, triangular);
    }
    for (int32_t t = TETS; t < 16 * BLOCKS; ++t)
        pl__tet_rest_clear(&rest[t / 16], t % 16, 0);
    return (pl__element_group){.law = pl__material_law(def),
                               .damping_model = def->damping_model,
                               .triangular = triangular,
                               .damped = true,
                               .count = TETS,
                               .block_count = BLOCKS,
                               .tet = rest};
}

static pl_material_def material(int32_t kind)
{
    pl_material_def def = pl_material_def_default();
    def.kind = (pl_material_kind)kind;
    def.young = 1;
    def.poisson = 0.3;
    def.damping = 0.5;
    return def;
}

static double at(const pl__tet_forces *f, int32_t tet, int corner, int i) { return f[tet / 16].f[corner][i][tet % 16]; }

static pl__element_sums evaluate(const pl__element_group *group, int width, double strength)
{
    pl__element_sums sums;
    pl__sums_clear(&sums);
    pl__force_job job = {.group = group,
                         .x = x,
                         .strength = strength,
                         .want_energy = true,
                         .frame = (double *)frame,
                         .force = (double *)force};
    PL_PICK(width, pl__tet_force)(&job, 0, BLOCKS, &sums);
    return sums;
}

static void damp(const pl__element_group *group, int width, double strength)
{
    pl__damping_job job = {group, v, strength, (double *)frame, (double *)force};
    PL_PICK(width, pl__tet_damping)(&job, 0, BLOCKS);
}

// Forces, energy and damping agree with the plain code for every model, damping model and rest storage. The tolerance
// is for forces of size one; the two decompositions differ by some 1e-15, times 1e2 near ties of wild shapes.
static void kernels_agree_with_the_oracle(void)
{
    for (int32_t kind = 0; kind < PL_MATERIAL_LINEAR; ++kind)
        for (int model = PL_DAMPING_SWITCH; model <= PL_DAMPING_CONSERVING; ++model)
            for (int option = 0; option < 4; ++option)
            {
                pl_material_def def = material(kind);
                def.damping_model = (pl_damping_model)model;
                pl__element_group group = make(&def, option & 1, option & 2, 11 + (uint64_t)option);
                pl__element_sums sums = evaluate(&group, ctx->register_bytes, 0.7);
                double expected[4][3], energy, total = 0;
                for (int32_t t = 0; t < TETS; ++t)
                {
                    pl__tet_force_reference(&group, t, x, 0.7, expected, &energy, NULL);
                    total += energy;
                    for (int k = 0; k < 12; ++k)
                        CHECK_NEAR(at(force, t, k / 3, k % 3), expected[k / 3][k % 3], 1e-11);
                }
                CHECK_NEAR(pl__lane_sum(sums.energy), total, 1e-11 * total);
                damp(&group, ctx->register_bytes, 0.7);
                for (int32_t t = 0; t < TETS; ++t)
                {
                    pl__tet_damping_reference(&group, t, x, v, 0.7, expected);
                    for (int k = 0; k < 12; ++k)
                        CHECK_NEAR(at(force, t, k / 3, k % 3), expected[k / 3][k % 3], 1e-10);
                }
            }
}

// Same bits at every register width: forces, frames, sums, damping.
static void widths_agree(void)
{
    for (int32_t kind = 0; kind < PL_MATERIAL_LINEAR; ++kind)
        for (int model = PL_DAMPING_SWITCH; model <= PL_DAMPING_CONSERVING; ++model)
        {
            pl_material_def def = material(kind);
            def.damping_model = (pl_damping_model)model;
            pl__element_group group = make(&def, model == 1, true, 3);
            static pl__tet_forces force0[BLOCKS], damping0[BLOCKS];
            static pl__tet_frame frame0[BLOCKS];
            pl__element_sums sums0 = {0};
            for (int width = 0; width <= ctx->register_bytes; width = width ? 2 * width : 16)
            {
                pl__element_sums sums = evaluate(&group, width, 1);
                if (width == 0)
                {
                    sums0 = sums;
                    memcpy(force0, force, sizeof force);
                    memcpy(frame0, frame, sizeof frame);
                }
                CHECK(memcmp(&sums, &sums0, sizeof sums) == 0);
                CHECK(memcmp(force, force0, sizeof force) == 0 && memcmp(frame, frame0, sizeof frame) == 0);
                damp(&group, width, 1);
                if (width == 0)
                    memcpy(damping0, force, sizeof force);
                CHECK(memcmp(force, damping0, sizeof force) == 0);
            }
        }
}

// f = -dE/dx by central differences (FEM's view of the forces).
static void force_is_minus_gradient_of_energy(void)
{
    for (int32_t kind = 0; kind < PL_MATERIAL_LINEAR; ++kind)
    {
        pl_material_def def = material(kind);
        pl__element_group group = make(&def, false, false, 21);
        (void)evaluate(&group, 0, 1);
        for (int32_t t = 0; t < TETS; ++t)
            for (int k = 0; k < 12; ++k)
            {
                double h = 1e-5, ignored[4][3], plus, minus, *entry = &x[3 * (4 * t + k / 3) + k % 3], keep = *entry;
                *entry = keep + h;
                pl__tet_force_reference(&group, t, x, 1, ignored, &plus, NULL);
                *entry = keep - h;
                pl__tet_force_reference(&group, t, x, 1, ignored, &minus, NULL);
                *entry = keep;
                CHECK_NEAR(at(force, t, k / 3, k % 3), -(plus - minus) / (2 * h), 1e-8); // h^2 and 1e-16/h
            }
    }
}

// Wang 2021: the traction of the Cauchy stress through the current faces, the first Piola stress through the rest
// faces, and the energy gradient are the same nodal forces. Each node takes a third of the three faces it belongs to,
// pulled inwards.
static void cauchy_piola_and_energy_give_the_same_force(void)
{
    static const int face[4][3] = {{1, 3, 2}, {0, 2, 3}, {0, 3, 1}, {0, 1, 2}}; // opposite corner c
    for (int32_t kind = 0; kind < PL_MATERIAL_LINEAR; ++kind)
    {
        pl_material_def def = material(kind);
        pl__element_group group = make(&def, false, false, 5);
        (void)evaluate(&group, 0, 1);
        for (int32_t t = 0; t < TETS; ++t)
        {
            pl_mat3 Ds, Dm, P, F;
            for (int k = 0; k < 9; ++k)
            {
                Ds.c[k / 3][k % 3] = x[3 * (4 * t + k / 3 + 1) + k % 3] - x[3 * 4 * t + k % 3];
                Dm.c[k / 3][k % 3] = X[3 * (4 * t + k / 3 + 1) + k % 3] - X[3 * 4 * t + k % 3];
            }
            pl_mat3 B = pl_inverse3(&Dm);
            F = pl_mul33(&Ds, &B);
            CHECK_OK(ctx, pl_material_evaluate(ctx, &def, (const double *)&F, NULL, (double *)&P));
            pl_mat3 Ft = pl_transpose3(&F), cauchy = pl_mul33(&P, &Ft);
            double J = pl_det3(&F), by_piola[4][3] = {{0}}, by_cauchy[4][3] = {{0}};
            for (int c = 0; c < 4; ++c)
            {
                // area vectors of the face opposite corner c, outward
                double N[3], n[3];
                for (int space = 0; space < 2; ++space)
                {
                    const double *p[3];
                    for (int k = 0; k < 3; ++k)
                        p[k] = &(space ? x : X)[3 * (4 * t + face[c][k])];
                    double a[3], b[3], *out = space ? n : N;
                    for (int i = 0; i < 3; ++i)
                    {
                        a[i] = p[1][i] - p[0][i];
                        b[i] = p[2][i] - p[0][i];
                    }
                    for (int i = 0; i < 3; ++i)
                        out[i] = -0.5 * (a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3]);
                }
                for (int k = 0; k < 3; ++k)
                    for (int i = 0; i < 3; ++i)
                        for (int j = 0; j < 3; ++j)
                        {
                            by_piola[face[c][k]][i] -= P.c[j][i] * N[j] / 3;
                            by_cauchy[face[c][k]][i] -= cauchy.c[j][i] / J * n[j] / 3;
                        }
            }
            for (int k = 0; k < 12; ++k)
            {
                double f = at(force, t, k / 3, k % 3);
                CHECK_NEAR(by_piola[k / 3][k % 3], by_cauchy[k / 3][k % 3], 1e-12);
                CHECK_NEAR(by_piola[k / 3][k % 3], f, 1e-12);
            }
        }
    }
}

// No element pushes or turns itself, however it is crushed: sums of forces and torques vanish to round-off.
static void elements_do_not_push_or_turn_themselves(void)
{
    for (int32_t kind = 0; kind < PL_MATERIAL_LINEAR; ++kind)
    {
        pl_material_def def = material(kind);
        pl__element_group group = make(&def, false, true, 8);
        (void)evaluate(&group, 0, 1);
        for (int32_t t = 0; t < TETS; ++t)
        {
            double sum[3] = {0}, torque[3] = {0}, size = 0;
            for (int k = 0; k < 4; ++k)
                for (int i = 0; i < 3; ++i)
                {
                    const double *p = &x[3 * (4 * t + k)];
                    sum[i] += at(force, t, k, i);
                    torque[i] +=
                        p[(i + 1) % 3] * at(force, t, k, (i + 2) % 3) - p[(i + 2) % 3] * at(force, t, k, (i + 1) % 3);
                    size += fabs(at(force, t, k, i));
                }
            for (int i = 0; i < 3; ++i)
            {
                CHECK_NEAR(sum[i], 0, 1e-15 * size);
                CHECK_NEAR(torque[i], 0, 1e-13 * (1 + size)); // lever arms up to 6
            }
        }
    }
}

// Damping: u . D v = v . D u, v . D v >= 0, zero for a translation; for the conserving model no torque, for shapes that
// are not flat; for the switch none either as long as the smallest stretch is above one half.
static void damping_is_symmetric_dissipative_and_conserving(void)
{
    static double u[3 * NODES + 16], keep[3 * NODES + 16];
    static pl__tet_forces Dv[BLOCKS];
    for (int model = PL_DAMPING_SWITCH; model <= PL_DAMPING_CONSERVING; ++model)
        for (int wild = 0; wild < 2; ++wild)
        {
            pl_material_def def = material(PL_MATERIAL_NEO_HOOKEAN);
            def.damping_model = (pl_damping_model)model;
            pl__element_group group = make(&def, wild, wild, 40);
            (void)evaluate(&group, ctx->register_bytes, 1);
            for (int k = 0; k < 3 * NODES; ++k)
                u[k] = random_pm(91, (uint64_t)k);
            damp(&group, ctx->register_bytes, 1);
            memcpy(Dv, force, sizeof Dv);
            memcpy(keep, v, sizeof v);
            memcpy(v, u, sizeof v);
            damp(&group, ctx->register_bytes, 1); // force = D u
            memcpy(v, keep, sizeof v);
            for (int32_t t = 0; t < TETS; ++t)
            {
                double uDv = 0, vDu = 0, vDv = 0, torque[3] = {0};
                for (int k = 0; k < 4; ++k)
                    for (int i = 0; i < 3; ++i)
                    {
                        int entry = 3 * (4 * t + k) + i;
                        const double *p = &x[3 * (4 * t + k)];
                        uDv += u[entry] * at(Dv, t, k, i);
                        vDu += v[entry] * at(force, t, k, i);
                        vDv += v[entry] * at(Dv, t, k, i);
                        torque[i] +=
                            p[(i + 1) % 3] * at(Dv, t, k, (i + 2) % 3) - p[(i + 2) % 3] * at(Dv, t, k, (i + 1) % 3);
                    }
                CHECK_NEAR(uDv, vDu, 1e-12);
                CHECK(vDv >= 0);
                bool keeps = model == PL_DAMPING_CONSERVING || (model == PL_DAMPING_SWITCH && !wild);
                for (int i = 0; keeps && i < 3; ++i)
                    CHECK_NEAR(torque[i], 0, 1e-12);
            }
            for (int k = 0; k < 3 * NODES; ++k)
                v[k] = 3 + k % 3;
            damp(&group, ctx->register_bytes, 1);
            for (int32_t t = 0; t < TETS; ++t)
                for (int k = 0; k < 12; ++k)
                    CHECK_NEAR(at(force, t, k / 3, k % 3), 0, 1e-14);
        }
}

// Unused lanes of the last block count for nothing, whatever the inversion rule makes of them.
static void unused_lanes_do_not_count(void)
{
    for (int32_t kind = 0; kind < PL_MATERIAL_LINEAR; ++kind)
        for (int inversion = PL_INVERSION_ENERGY; inversion <= PL_INVERSION_NONE; ++inversion)
        {
            pl_material_def def = material(kind);
            def.inversion = (pl_inversion)inversion;
            pl__element_group group = make(&def, false, false, 17);
            for (int width = 0; width <= ctx->register_bytes; width = width ? 2 * width : 16)
            {
                pl__element_sums sums = evaluate(&group, width, 1);
                CHECK(pl__lane_sum(sums.broken) == 0 && isfinite(pl__lane_sum(sums.energy)) &&
                      pl__lane_sum(sums.inverted) == 0);
            }
        }
}

// The stiffness that the time step is chosen from is one: for random shapes, dF : dP is below coupling (tr dF)^2 +
// stiffness |dF|^2 in the principal frame, by differences of the stress.
static void stiffness_bounds_the_stress(void)
{
    double worst = 0;
    for (int32_t kind = 0; kind < PL_MATERIAL_LINEAR; ++kind)
        for (uint64_t seed = 0; seed < 3000; ++seed)
        {
            pl_material_def def = material(kind);
            def.poisson = 0.45 * pl__random01(seed, 21, 0);
            double s[3][16] = {{0}}, stiffness[16], coupling[16], h = 1e-6;
            s[0][0] = 0.7 + 1.5 * pl__random01(seed, 22, 0);
            s[1][0] = s[0][0] * (0.3 + 0.65 * pl__random01(seed, 22, 1));
            s[2][0] = s[1][0] * (-0.8 + 1.75 * pl__random01(seed, 22, 2));
            pl__material_params params = pl__material_resolve(&def);
            pl__material_block block;
            for (int lane = 0; lane < 16; ++lane)
                pl__material_block_set(&block, lane, &params);
            pl__law law = pl__material_law(&def);
            pl__material_stress_lane(&law, &block, 0, s, &(pl__stress_block){NULL, NULL, stiffness, coupling, NULL});
            for (uint64_t k = 0; k < 6; ++k)
            {
                pl_mat3 F = pl_diagonal3(s[0][0], s[1][0], s[2][0]), dF = random_matrix(seed * 10 + k), plus, minus,
                        P[2];
                plus = pl_axpy33(h, &dF, &F);
                minus = pl_axpy33(-h, &dF, &F);
                CHECK_OK(ctx, pl_material_evaluate(ctx, &def, (const double *)&plus, NULL, (double *)&P[0]));
                CHECK_OK(ctx, pl_material_evaluate(ctx, &def, (const double *)&minus, NULL, (double *)&P[1]));
                double change = 0, size = 0, trace = dF.c[0][0] + dF.c[1][1] + dF.c[2][2];
                for (int e = 0; e < 9; ++e)
                {
                    change += dF.c[e / 3][e % 3] * (P[0].c[e / 3][e % 3] - P[1].c[e / 3][e % 3]) / (2 * h);
                    size += dF.c[e / 3][e % 3] * dF.c[e / 3][e % 3];
                }
                worst = fmax(worst, change / (coupling[0] * trace * trace + stiffness[0] * size));
            }
        }
    // rounding of the differences, and stretches on either side of a threshold
    CHECK_THAT(worst < 1.02, "exceeded %g times", worst);
}

// A rigid motion of the rest shape makes no force and is measured as no deformation.
static void rigid_motion_costs_nothing(void)
{
    pl_material_def def = material(PL_MATERIAL_NEO_HOOKEAN);
    pl__element_group group = make(&def, false, false, 2);
    pl_mat3 R = random_rotation(123);
    for (int32_t n = 0; n < NODES; ++n)
        for (int i = 0; i < 3; ++i)
            x[3 * n + i] = R.c[0][i] * X[3 * n] + R.c[1][i] * X[3 * n + 1] + R.c[2][i] * X[3 * n + 2] + 7;
    pl__element_sums sums = evaluate(&group, ctx->register_bytes, 1);
    for (int32_t t = 0; t < TETS; ++t)
        for (int k = 0; k < 12; ++k)
            CHECK_NEAR(at(force, t, k / 3, k % 3), 0, 1e-13);
    CHECK_NEAR(pl__lane_sum(sums.energy), 0, 1e-13);
    CHECK_NEAR(sqrt(pl__lane_sum(sums.strain2)), 0, 1e-13);
    CHECK(pl__lane_sum(sums.inverted) == 0);
}

// Triangular rest storage (thesis 2.3) describes the same element.
static void triangular_rest_is_the_same_element(void)
{
    static pl__tet_forces full[BLOCKS];
    for (int32_t kind = 0; kind < PL_MATERIAL_LINEAR; ++kind)
    {
        pl_material_def def = material(kind);
        pl__element_group group = make(&def, false, true, 60);
        pl__element_sums a = evaluate(&group, 0, 1);
        memcpy(full, force, sizeof full);
        group = make(&def, true, true, 60);
        pl__element_sums b = evaluate(&group, 0, 1);
        CHECK_NEAR(pl__lane_sum(a.energy), pl__lane_sum(b.energy), 1e-11 * pl__lane_sum(a.energy));
        for (int32_t t = 0; t < TETS; ++t)
            for (int k = 0; k < 12; ++k)
                CHECK_NEAR(at(force, t, k / 3, k % 3), at(full, t, k / 3, k % 3),
                           1e-11 + 1e-14 * fabs(at(full, t, k / 3, k % 3)));
    }
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {
        TEST(kernels_agree_with_the_oracle),
        TEST(widths_agree),
        TEST(force_is_minus_gradient_of_energy),
        TEST(cauchy_piola_and_energy_give_the_same_force),
        TEST(elements_do_not_push_or_turn_themselves),
        TEST(damping_is_symmetric_dissipative_and_conserving),
        TEST(unused_lanes_do_not_count),
        TEST(stiffness_bounds_the_stress),
        TEST(rigid_motion_costs_nothing),
        TEST(triangular_rest_is_the_same_element),
    };
    ctx = test_context(1);
    int status = RUN(tests);
    pl_context_destroy(&ctx);
    return status;
}

// tests/plastic.c -- plastic flow: closed forms of the return, what limits and goals promise, the oracle, and elements
// that flow.
#include "test.h"
#include "host.h"
#include "random_input.h"
#include "element/plasticity.h"
#include "element/hex_state.h"
#include "element/triangle.h"
#include "math/eig3.h"
#include "math/svd2.h"
#include "math/svd3.h"

enum
{
    LANES = PL_MATERIAL_LANES
};

static pl_context *ctx;

// ---- sixteen points under given deformations -------------------------------------------------------------------

typedef struct
{
    pl__plastic_block block;
    double U[9][LANES], s[3][LANES], V[9][LANES], flowed[LANES];
} points;

static points started(const pl_material_def *def)
{
    points p;
    pl__plastic_params params = pl__plastic_resolve(def);
    memset(&p, 0, sizeof p);
    for (int32_t lane = 0; lane < LANES; ++lane)
    {
        pl__plastic_clear(&p.block, lane);
        pl__plastic_set_params(&p.block, lane, &params);
    }
    return p;
}

static pl_mat3 lane_matrix(double (*block)[LANES], int32_t lane)
{
    pl_mat3 A;
    for (int k = 0; k < 9; ++k)
        A.c[k / 3][k % 3] = block[k][lane];
    return A;
}

static void set_lane_matrix(double (*block)[LANES], int32_t lane, const pl_mat3 *A)
{
    for (int k = 0; k < 9; ++k)
        block[k][lane] = A->c[k / 3][k % 3];
}

static pl_mat3 plastic_of(points *p, int32_t lane) { return lane_matrix(p->block.Fp, lane); }

// A = U diag(s) V^T of n rows and columns, the third those of the identity for n = 2.
static void decompose(int n, const pl_mat3 *A, pl_mat3 *U, double s[3], pl_mat3 *V)
{
    if (n == 3)
    {
        pl__svd3(A, U, s, V);
        return;
    }
    pl_mat2 a = {{{A->c[0][0], A->c[0][1]}, {A->c[1][0], A->c[1][1]}}}, u, v;
    pl__svd2(&a, &u, s, &v);
    s[2] = 1;
    *U = *V = pl_identity3();
    for (int k = 0; k < 4; ++k)
    {
        U->c[k / 2][k % 2] = u.c[k / 2][k % 2];
        V->c[k / 2][k % 2] = v.c[k / 2][k % 2];
    }
}

// One step at the deformations F[16].
static void step(int n, points *p, const pl_mat3 *F, int width)
{
    for (int32_t lane = 0; lane < LANES; ++lane)
    {
        pl_mat3 Fp = plastic_of(p, lane), inverse = pl_inverse3(&Fp), Fe = pl_mul33(&F[lane], &inverse), U, V;
        double s[3];
        decompose(n, &Fe, &U, s, &V);
        set_lane_matrix(p->U, lane, &U);
        set_lane_matrix(p->V, lane, &V);
        for (int i = 0; i < 3; ++i)
            p->s[i][lane] = s[i];
    }
    PL_PICK(width, pl__plastic_flow_batch)(n, &p->block, 0, p->U, p->s, p->V, p->flowed);
}

// The same F in all lanes.
static void step_all(int n, points *p, const pl_mat3 *F)
{
    pl_mat3 all[LANES];
    for (int32_t lane = 0; lane < LANES; ++lane)
        all[lane] = *F;
    step(n, p, all, ctx->register_bytes);
}

static pl_material_def metal(double yield)
{
    pl_material_def def = pl_material_def_default();
    def.yield_strain = yield;
    def.plastic_limit = 100;
    return def;
}

static pl_mat3 random_plane(uint64_t seed, double size)
{
    pl_mat3 A = pl_identity3();
    for (int k = 0; k < 4; ++k)
        A.c[k / 2][k % 2] += size * random_pm(seed, (uint64_t)k);
    return A;
}

static pl_mat3 random_near(int n, uint64_t seed, double size)
{
    pl_mat3 A = random_matrix(seed), I = pl_identity3();
    return n == 3 ? pl_axpy33(size, &A, &I) : random_plane(seed, size);
}

// A matrix with det > 0 and stretches within [1/3, 3].
static pl_mat3 random_plastic(int n, uint64_t seed)
{
    for (;; seed += 1000003)
    {
        pl_mat3 A = random_near(n, seed, 0.8), U, V;
        double s[3];
        decompose(n, &A, &U, s, &V);
        if (s[n - 1] > 1.0 / 3 && s[0] < 3)
            return A;
    }
}

// log S of F = R S
static pl_mat3 log_stretch(const pl_mat3 *F)
{
    pl_mat3 C = pl_mult33(F, F), Q;
    double l[3];
    pl__eig3(&C, &Q, l);
    for (int i = 0; i < 3; ++i)
        l[i] = 0.5 * log(l[i]);
    return from_stretches(&Q, l, &Q);
}

static double distance(const pl_mat3 *A, const pl_mat3 *B)
{
    double sum = 0;
    for (int k = 0; k < 9; ++k)
        sum += (A->c[k / 3][k % 3] - B->c[k / 3][k % 3]) * (A->c[k / 3][k % 3] - B->c[k / 3][k % 3]);
    return sqrt(sum);
}

static double norm_of_logs(int n, points *p, int32_t lane, bool deviator)
{
    double e[3], mean = 0, sum = 0;
    for (int i = 0; i < n; ++i)
    {
        e[i] = log(p->s[i][lane]);
        mean += deviator ? e[i] / n : 0;
    }
    for (int i = 0; i < n; ++i)
        sum += (e[i] - mean) * (e[i] - mean);
    return sqrt(sum);
}

// Q diag(exp(t e)) Q^T
static pl_mat3 stretched(const pl_mat3 *Q, const double e[3], double t)
{
    double s[3] = {exp(t * e[0]), exp(t * e[1]), exp(t * e[2])};
    return from_stretches(Q, s, Q);
}

// ---- closed forms ----------------------------------------------------------------------------------------------

// Strain norm, one stretch: what is beyond the yield stays, so that 1.5 leaves 1.5 exp(-0.1) = 1.357256127.
static void a_bar_keeps_what_is_beyond_its_yield(void)
{
    pl_material_def def = metal(0.1);
    points p = started(&def);
    pl_mat3 F = pl_diagonal3(1.5, 1, 1), I = pl_identity3();
    step_all(3, &p, &F);
    CHECK_NEAR(p.block.Fp[0][3], 1.357256127, 1e-9);
    CHECK_NEAR(p.block.Fp[0][3], 1.5 * exp(-0.1), 1e-14);
    CHECK_NEAR(p.block.Fp[4][3], 1, 1e-15);
    CHECK_NEAR(p.s[0][3], exp(0.1), 1e-14);
    F = pl_axpy33(0.357256127, &(pl_mat3){{{1, 0, 0}}}, &I); // released: nothing elastic is left, nothing flows
    step_all(3, &p, &F);
    CHECK_NEAR(p.s[0][3], 1, 1e-9);
    CHECK(p.flowed[3] == 0);
}

// One plastic bar of tetrahedron: the force vanishes at the residual length.
static void a_released_tetrahedron_is_without_force(void)
{
    pl_material_def def = metal(0.1);
    def.poisson = 0;
    pl__material_params material = pl__material_resolve(&def);
    pl__plastic_params plastic = pl__plastic_resolve(&def);
    static pl__tet_rest rest;
    static pl__tet_forces force;
    pl__element_group group = {.law = pl__material_law(&def), .count = 1, .block_count = 1, .tet = &rest};
    double X[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, x[13] = {0}, share[8] = {1, 1, 1, 1};
    pl__tet_rest_set(&rest, 0, (int32_t[4]){0, 1, 2, 3}, X, &material, false);
    for (int32_t lane = 1; lane < LANES; ++lane)
        pl__tet_rest_clear(&rest, lane, 0);
    CHECK_OK(ctx, pl__plasticity_create(ctx, &group));
    pl__plasticity_set_params(&group, 0, &plastic);
    pl__element_set_gain(&group, 0, share);
    pl__plasticity_refresh(ctx->register_bytes, &group);
    x[3 * 2 + 1] = x[3 * 3 + 2] = 1;
    for (int released = 0; released < 2; ++released)
    {
        pl__element_sums sums;
        pl__sums_clear(&sums);
        x[3] = released ? 1.357256127 : 1.5;
        pl__force_job job = {.group = &group, .x = x, .strength = 1, .force = (double *)&force, .flow = true};
        PL_PICK(ctx->register_bytes, pl__tet_force)(&job, 0, 1, &sums);
        CHECK(released ? fabs(force.f[1][0][0]) < 1e-9 * def.young : force.f[1][0][0] < -1e-3 * def.young);
        CHECK_NEAR(pl__lane_sum(sums.volume), x[3] / 6, 1e-12);
    }
    pl__plasticity_destroy(ctx, &group);
}

// Uniaxial: the amount (e - yield) / (1 + H) turns plastic, and the yield grows by H times that.
static void hardening_has_its_closed_form(void)
{
    pl_material_def def = metal(0.1);
    def.hardening = 0.7;
    points p = started(&def);
    pl_mat3 F = pl_diagonal3(exp(0.5), 1, 1);
    step_all(3, &p, &F);
    CHECK_NEAR(p.block.hardened[5], 0.4 / 1.7, 1e-15);
    CHECK_NEAR(log(p.block.Fp[0][5]), 0.4 / 1.7, 1e-15);
    CHECK_NEAR(log(p.s[0][5]), 0.1 + 0.7 * 0.4 / 1.7, 1e-15);
    // and back: compression meets the grown yield
    F = pl_diagonal3(exp(0.4 / 1.7 - (0.1 + 0.7 * 0.4 / 1.7) - 0.17), 1, 1);
    step_all(3, &p, &F);
    CHECK_NEAR(p.block.hardened[5], 0.4 / 1.7 + 0.1, 1e-14);
    CHECK_NEAR(log(p.block.Fp[0][5]), 0.4 / 1.7 - 0.1, 1e-14);
}

// After the return the criterion holds with equality, for each criterion, hardening and number of stretches.
static void the_return_ends_on_the_yield_surface(void)
{
    for (int option = 0; option < 12; ++option)
    {
        int n = option & 1 ? 2 : 3, criterion = option / 2 % 3;
        pl_material_def def = metal(0.2);
        def.hardening = option < 6 ? 0 : 1.3;
        def.yield_criterion = criterion == 2 ? PL_YIELD_VON_MISES : PL_YIELD_STRAIN;
        def.isochoric = criterion == 1;
        points p = started(&def);
        pl_mat3 F[LANES];
        for (int32_t lane = 0; lane < LANES; ++lane)
        {
            F[lane] = random_plastic(n, (uint64_t)(100 * option + lane));
            double k = pow(pl_det3(&F[lane]), -0.9 / n); // nearly without pressure, so that a return exists
            F[lane] = pl_mul33(&F[lane], &(pl_mat3){{{k, 0, 0}, {0, k, 0}, {0, 0, n == 3 ? k : 1}}});
        }
        step(n, &p, F, ctx->register_bytes);
        int count = 0;
        for (int32_t lane = 0; lane < LANES; ++lane)
            if (p.flowed[lane] != 0 && ++count)
                CHECK_NEAR(norm_of_logs(n, &p, lane, criterion == 2), 0.2 + def.hardening * p.block.hardened[lane],
                           1e-13);
        CHECK(count > 8);
    }
}

// Under proportional loading (F = exp(t E)) a thousand steps end where one does.
static void steps_do_not_matter_under_proportional_loading(void)
{
    for (int option = 0; option < 6; ++option)
    {
        pl_material_def def = metal(0.1);
        def.hardening = option & 1 ? 0.8 : 0;
        def.yield_criterion = option / 2 == 2 ? PL_YIELD_VON_MISES : PL_YIELD_STRAIN;
        def.isochoric = option / 2 == 1;
        points once = started(&def), often = once;
        pl_mat3 Q = random_rotation(7);
        double e[3] = {0.7, 0.1, -0.4};
        if (option / 2 == 1)
            e[1] = -0.3; // no pressure: with it, the share that cannot flow grows along the way
        pl_mat3 F = stretched(&Q, e, 1);
        step_all(3, &once, &F);
        for (int k = 1; k <= 1000; ++k)
        {
            F = stretched(&Q, e, k / 1000.0);
            step_all(3, &often, &F);
        }
        pl_mat3 a = plastic_of(&once, 2), b = plastic_of(&often, 2);
        CHECK_NEAR(distance(&a, &b), 0, 1e-12); // a thousand roundings
        CHECK_NEAR(once.block.hardened[2], often.block.hardened[2], 1e-12);
        CHECK(once.block.hardened[2] > 0.2);
    }
}

// Flow that keeps the volume keeps det Fp = 1, sheared back and forth through many turns of the axes.
static void isochoric_flow_keeps_the_volume(void)
{
    for (int option = 0; option < 4; ++option)
    {
        int n = option & 1 ? 2 : 3;
        pl_material_def def = metal(0.05);
        def.isochoric = option < 2;
        def.yield_criterion = option < 2 ? PL_YIELD_STRAIN : PL_YIELD_VON_MISES;
        def.plastic_limit = 3;
        points p = started(&def);
        for (int k = 0; k < 3000; ++k)
        {
            pl_mat3 F = pl_identity3();
            F.c[1][0] = 3 * sin(0.01 * k);
            step_all(n, &p, &F);
            pl_mat3 Fp = plastic_of(&p, 0);
            CHECK_NEAR(pl_det3(&Fp), 1, 1e-12);
        }
        CHECK(p.block.hardened[0] > 1);
    }
}

// Pressure flows by the strain norm only; a plane under equal stretches likewise.
static void pressure_flows_by_the_strain_norm_only(void)
{
    for (int n = 2; n <= 3; ++n)
        for (int criterion = 0; criterion < 3; ++criterion)
        {
            pl_material_def def = metal(0.1);
            def.yield_criterion = criterion == 2 ? PL_YIELD_VON_MISES : PL_YIELD_STRAIN;
            def.isochoric = criterion == 1;
            points p = started(&def);
            pl_mat3 F = pl_diagonal3(0.5, 0.5, n == 3 ? 0.5 : 1);
            step_all(n, &p, &F);
            CHECK_NEAR(p.block.Fp[0][1], criterion == 0 ? 0.5 * exp(0.1 / sqrt(n)) : 1, 1e-14);
        }
}

// ---- what is promised of any deformation -----------------------------------------------------------------------

// Shapes of every kind: moderate, huge, tiny, flat, inverted, zero, not a number.
static pl_mat3 wild(int n, uint64_t seed)
{
    pl_mat3 A = random_near(n, seed, pow(10, 3 * fabs(random_pm(seed, 50)))), O = {0};
    switch (seed % 8)
    {
    case 0:
        A.c[n - 1][0] = 2 * A.c[0][0], A.c[n - 1][1] = 2 * A.c[0][1], A.c[n - 1][2] = n == 3 ? 2 * A.c[0][2] : 0;
        break;
    case 1: A.c[0][0] = -A.c[0][0]; break;
    case 2: A = O; break;
    case 3: A.c[0][0] *= 1e150; break;
    case 4: A = pl_diagonal3(1e-200, 1e-200, 1e-200); break;
    default: break;
    }
    A.c[2][2] = n == 3 ? A.c[2][2] : 1;
    return A;
}

// Whatever happens, Fp is finite, upright and within its limits, so that its condition is at most limit^2.
static void limits_hold(void)
{
    for (int option = 0; option < 12; ++option)
    {
        int n = option & 1 ? 2 : 3;
        pl_material_def def = metal(0.02);
        def.plastic_limit = option < 6 ? 4 : 1.2;
        def.isochoric = option / 2 % 3 == 1;
        def.yield_criterion = option / 2 % 3 == 2 ? PL_YIELD_VON_MISES : PL_YIELD_STRAIN;
        points p = started(&def);
        for (uint64_t round = 0; round < 200; ++round)
        {
            pl_mat3 F[LANES];
            for (int32_t lane = 0; lane < LANES; ++lane)
                F[lane] = wild(n, 1000 * (uint64_t)option + 16 * round + (uint64_t)lane + round / 3);
            step(n, &p, F, ctx->register_bytes);
            for (int32_t lane = 0; lane < LANES; ++lane)
            {
                pl_mat3 Fp = plastic_of(&p, lane), U, V;
                double s[3], most = def.plastic_limit * (1 + 1e-12);
                decompose(n, &Fp, &U, s, &V);
                CHECK_THAT(s[0] <= most && s[n - 1] >= 1 / most, "stretches %g to %g", s[n - 1], s[0]);
                CHECK(p.block.hardened[lane] < 1e4);
            }
        }
        CHECK(p.block.hardened[0] > 0);
    }
}

// At the limit, the same load step after step does not harden further.
static void held_at_the_limit_nothing_hardens(void)
{
    pl_material_def def = metal(0.1);
    def.plastic_limit = 2;
    def.hardening = 0.1;
    points p = started(&def);
    pl_mat3 F = pl_diagonal3(3, 0.9, 1);
    step_all(3, &p, &F);
    double first = p.block.hardened[0];
    for (int k = 0; k < 100; ++k)
        step_all(3, &p, &F);
    CHECK(first > 0.3);
    CHECK_NEAR(p.block.hardened[0], first, 0.1); // the axis within its limit may still flow
    double second = p.block.hardened[0];
    for (int k = 0; k < 100; ++k)
        step_all(3, &p, &F);
    CHECK_NEAR(p.block.hardened[0], second, 1e-6);
    CHECK_NEAR(p.block.Fp[0][0], 2, 1e-12);
}

// The decomposition handed back is that of F Fp^-1 with the new Fp, in the same convention.
static void the_new_decomposition_is_that_of_the_new_state(void)
{
    for (int option = 0; option < 12; ++option)
    {
        int n = option & 1 ? 2 : 3;
        pl_material_def def = metal(0.05);
        def.plastic_limit = option < 4 ? 100 : 1.3;
        points p = started(&def);
        pl_mat3 F[LANES], goal = random_plastic(n, 5);
        for (int32_t lane = 0; lane < LANES; ++lane)
        {
            F[lane] = random_near(n, (uint64_t)(50 * option + lane), 0.9);
            if (option >= 8)
                pl__plastic_set_goal(&p.block, lane, &goal);
        }
        for (int k = 0; k < 3; ++k)
            step(n, &p, F, ctx->register_bytes);
        for (int32_t lane = 0; lane < LANES; ++lane)
        {
            pl_mat3 Fp = plastic_of(&p, lane), inverse = pl_inverse3(&Fp), Fe = pl_mul33(&F[lane], &inverse);
            pl_mat3 U = lane_matrix(p.U, lane), V = lane_matrix(p.V, lane);
            double s[3] = {p.s[0][lane], p.s[1][lane], p.s[2][lane]};
            pl_mat3 product = from_stretches(&U, s, &V), UU = pl_mult33(&U, &U), VV = pl_mult33(&V, &V),
                    I = pl_identity3();
            CHECK_NEAR(distance(&product, &Fe), 0, 1e-13 * (1 + s[0]));
            CHECK_NEAR(distance(&UU, &I) + distance(&VV, &I), 0, 1e-14);
            CHECK(s[0] >= s[1] && (n == 2 || s[1] >= fabs(s[2])) && (n == 3 || s[0] >= fabs(s[1])));
        }
    }
}

// Inverted elements, elastic ones, those whose goal lies the other way and what is not a number do not flow, and
// nothing of them changes.
static void what_does_not_flow_keeps_its_bits(void)
{
    pl_material_def def = metal(0.05);
    points p = started(&def), plain;
    pl__plastic_params elastic = {.limit = 4};
    pl_mat3 F[LANES], goal = pl_diagonal3(0.2, 5, 5);
    for (int32_t lane = 0; lane < LANES; ++lane)
    {
        pl_mat3 Fp = random_plastic(3, (uint64_t)lane);
        set_lane_matrix(p.block.Fp, lane, &Fp);
        F[lane] = Fp; // at rest
    }
    F[1] = pl_diagonal3(2, 2, -0.5);
    F[2] = pl_diagonal3(NAN, 1, 1);
    F[3] = pl_diagonal3(INFINITY, 1, 1);
    F[4] = F[5] = F[6] = pl_diagonal3(3, 1, 1); // of these only the second flows
    pl__plastic_set_params(&p.block, 4, &elastic);
    pl__plastic_set_goal(&p.block, 6, &goal);
    pl_mat3 I = pl_identity3();
    set_lane_matrix(p.block.Fp, 6, &I);
    plain = p;
    for (int32_t lane = 0; lane < LANES; ++lane)
        pl__plastic_set_params(&plain.block, lane, &elastic);
    step(3, &p, F, ctx->register_bytes);
    step(3, &plain, F, ctx->register_bytes);
    CHECK(p.flowed[5] == 1);
    for (int32_t lane = 0; lane < LANES; ++lane)
        if (lane != 5)
        {
            CHECK(p.flowed[lane] == 0 && p.block.hardened[lane] == 0);
            for (int k = 0; k < 9; ++k)
            {
                CHECK(memcmp(&p.block.Fp[k][lane], &plain.block.Fp[k][lane], sizeof(double)) == 0);
                CHECK(memcmp(&p.U[k][lane], &plain.U[k][lane], sizeof(double)) == 0);
                CHECK(memcmp(&p.V[k][lane], &plain.V[k][lane], sizeof(double)) == 0);
                CHECK(memcmp(&p.s[k / 3][lane], &plain.s[k / 3][lane], sizeof(double)) == 0);
            }
        }
}

// Flow gives energy away, never takes it: for flat and inverted elements as well. Laws whose volume term stands apart,
// and stable neo-Hookean, have energies that are not monotone in strain once an element is nearly flat or far inverted;
// there it is not asked.
static void flow_never_raises_the_energy(void)
{
    for (int32_t kind = 0; kind < PL_MATERIAL_LINEAR; ++kind)
    {
        pl_material_def def = metal(0.1);
        def.kind = (pl_material_kind)kind;
        def.poisson = 0;
        for (uint64_t round = 0; round < 30; ++round)
        {
            points p = started(&def);
            pl_mat3 F[LANES];
            for (int32_t lane = 0; lane < LANES; ++lane)
            {
                F[lane] = random_near(3, 16 * round + (uint64_t)lane, 1.2);
                if (lane % 4 == 0)
                    F[lane].c[2][0] = F[lane].c[2][1] = F[lane].c[2][2] = 0;
            }
            step(3, &p, F, ctx->register_bytes);
            for (int32_t lane = 0; lane < LANES; ++lane)
            {
                pl_mat3 Fp = plastic_of(&p, lane), inverse = pl_inverse3(&Fp), Fe = pl_mul33(&F[lane], &inverse);
                double before, after;
                CHECK_OK(ctx, pl_material_evaluate(ctx, &def, (const double *)&F[lane], &before, NULL));
                CHECK_OK(ctx, pl_material_evaluate(ctx, &def, (const double *)&Fe, &after, NULL));
                pl_mat3 U, V;
                double s[3];
                pl__svd3(&F[lane], &U, s, &V);
                bool monotone = kind == PL_MATERIAL_ROTATED_LINEAR || kind == PL_MATERIAL_STVK ||
                                kind == PL_MATERIAL_NEO_HOOKEAN || kind == PL_MATERIAL_SPLINE;
                if (!monotone && !(s[2] > 0.5 && s[0] < 2))
                    continue;
                CHECK_THAT(after <= before * (1 + 1e-12), "%s: %g became %g", pl_material_kind_name(kind), before,
                           after);
            }
        }
    }
}

// A turned element flows as one that is not; turned rest space turns the plastic stretch with it.
static void turning_does_not_matter(void)
{
    for (int option = 0; option < 3; ++option)
    {
        pl_material_def def = metal(0.1);
        def.yield_criterion = option == 1 ? PL_YIELD_VON_MISES : PL_YIELD_STRAIN;
        def.plastic_limit = option == 2 ? 1.3 : 50;
        points a = started(&def), b = a, c = a;
        pl_mat3 Fa[LANES], Fb[LANES], Fc[LANES], Q[LANES];
        for (int k = 0; k < 5; ++k)
        {
            for (int32_t lane = 0; lane < LANES; ++lane)
            {
                pl_mat3 R = random_rotation((uint64_t)(31 * k + lane));
                Q[lane] = random_rotation(900 + (uint64_t)lane);
                Fa[lane] = random_plastic(3, (uint64_t)(17 * k + lane));
                Fb[lane] = pl_mul33(&R, &Fa[lane]);
                Fc[lane] = pl_mul33(&Fa[lane], &Q[lane]);
            }
            step(3, &a, Fa, ctx->register_bytes);
            step(3, &b, Fb, ctx->register_bytes);
            step(3, &c, Fc, ctx->register_bytes);
        }
        for (int32_t lane = 0; lane < LANES; ++lane)
        {
            pl_mat3 Ma = plastic_of(&a, lane), Mb = plastic_of(&b, lane), Mc = plastic_of(&c, lane);
            pl_mat3 La = log_stretch(&Ma), Lb = log_stretch(&Mb), Lc = log_stretch(&Mc);
            CHECK_NEAR(distance(&La, &Lb), 0, 1e-12);
            pl_mat3 back = pl_mul33t(&Lc, &Q[lane]);
            back = pl_mul33(&Q[lane], &back);
            CHECK_NEAR(distance(&La, &back), 0, 1e-12);
            CHECK(distance(&La, &(pl_mat3){0}) > 0.01);
        }
    }
}

// ---- goals -----------------------------------------------------------------------------------------------------

// However it is kneaded, Fp never gets further from its goal.
static void a_goal_only_comes_closer(void)
{
    for (int n = 2; n <= 3; ++n)
    {
        pl_material_def def = metal(0.05);
        def.plastic_limit = 10;
        points p = started(&def);
        pl_mat3 goal[LANES], F[LANES];
        double last[LANES], first = 0, final = 0;
        for (int32_t lane = 0; lane < LANES; ++lane)
        {
            pl_mat3 G = random_plastic(n, 70 + (uint64_t)lane);
            pl__plastic_set_goal(&p.block, lane, &G);
            goal[lane] = log_stretch(&G);
            last[lane] = distance(&goal[lane], &(pl_mat3){0});
            first += last[lane];
        }
        for (uint64_t k = 0; k < 1000; ++k)
        {
            for (int32_t lane = 0; lane < LANES; ++lane)
                F[lane] = random_plastic(n, 5000 + 16 * k + (uint64_t)lane);
            step(n, &p, F, ctx->register_bytes);
            for (int32_t lane = 0; lane < LANES; ++lane)
            {
                pl_mat3 Fp = plastic_of(&p, lane), L = log_stretch(&Fp);
                double now = distance(&L, &goal[lane]);
                CHECK_THAT(now <= last[lane] + 1e-12, "%g after %g", now, last[lane]);
                last[lane] = now;
            }
        }
        for (int32_t lane = 0; lane < LANES; ++lane)
            final += last[lane];
        CHECK_THAT(final < 0.5 * first, "%g of %g left", final, first); // kneaded in all directions it gets near
    }
}

// Pulled in the right direction, and too far, it arrives and stays.
static void a_goal_is_reached(void)
{
    pl_material_def def = metal(0.1);
    points p = started(&def);
    pl_mat3 Q = random_rotation(3), R = random_rotation(4);
    double e[3] = {0.5, 0.1, -0.3};
    pl_mat3 goal = stretched(&Q, e, 1), L = log_stretch(&goal);
    goal = pl_mul33(&R, &goal); // only its stretch counts
    for (int32_t lane = 0; lane < LANES; ++lane)
        pl__plastic_set_goal(&p.block, lane, &goal);
    for (int k = 1; k <= 20; ++k)
    {
        pl_mat3 F = stretched(&Q, e, 0.2 * k);
        step_all(3, &p, &F);
    }
    pl_mat3 Fp = plastic_of(&p, 6), reached = log_stretch(&Fp);
    CHECK_NEAR(distance(&reached, &L), 0, 1e-12);
    pl_mat3 F = random_plastic(3, 8);
    step_all(3, &p, &F);
    Fp = plastic_of(&p, 6), reached = log_stretch(&Fp);
    CHECK_NEAR(distance(&reached, &L), 0, 1e-12);
}

// ---- oracle and widths -----------------------------------------------------------------------------------------

// Points with every criterion, hardening, limits and goals, and something plastic already.
static points mixed(int n, uint64_t seed, double limit, bool guided)
{
    points p;
    memset(&p, 0, sizeof p);
    for (int32_t lane = 0; lane < LANES; ++lane)
    {
        pl_material_def def = metal(0.02 + 0.02 * lane);
        def.yield_criterion = lane % 3 == 2 ? PL_YIELD_VON_MISES : PL_YIELD_STRAIN;
        def.isochoric = lane % 3 == 1;
        def.hardening = 0.3 * (lane % 5);
        def.plastic_limit = limit;
        pl__plastic_params params = pl__plastic_resolve(&def);
        pl__plastic_clear(&p.block, lane);
        pl__plastic_set_params(&p.block, lane, &params);
        pl_mat3 goal = random_plastic(n, seed + 300 + (uint64_t)lane);
        if (guided && lane % 4)
            pl__plastic_set_goal(&p.block, lane, &goal);
    }
    return p;
}

static void flow_agrees_with_the_oracle(void)
{
    for (int option = 0; option < 8; ++option)
    {
        int n = option & 1 ? 2 : 3;
        points p = mixed(n, (uint64_t)option, option & 2 ? 1.4 : 50, option & 4);
        int count = 0;
        for (uint64_t k = 0; k < 40; ++k)
        {
            pl_mat3 F[LANES], expected[LANES];
            double hardened[LANES];
            bool flows[LANES];
            for (int32_t lane = 0; lane < LANES; ++lane)
            {
                F[lane] = random_near(n, 16 * k + (uint64_t)lane, 0.7);
                pl__plastic_params params = {
                    p.block.yield[lane], p.block.hardening[lane],    p.block.limit[lane],        p.block.creep[lane],
                    p.block.most[lane],  p.block.volume_flows[lane], p.block.volume_yields[lane]};
                pl_mat3 inverse, Fe, U, V;
                double s[3], goal[6];
                expected[lane] = plastic_of(&p, lane);
                inverse = pl_inverse3(&expected[lane]);
                Fe = pl_mul33(&F[lane], &inverse);
                decompose(n, &Fe, &U, s, &V);
                for (int e = 0; e < 6; ++e)
                    goal[e] = p.block.goal[e][lane];
                hardened[lane] = p.block.hardened[lane];
                flows[lane] = pl__plastic_flow_reference(n, &params, 0, p.block.guided[lane] != 0 ? goal : NULL, s, &V,
                                                         &expected[lane], &hardened[lane]);
            }
            step(n, &p, F, ctx->register_bytes);
            for (int32_t lane = 0; lane < LANES; ++lane)
            {
                pl_mat3 Fp = plastic_of(&p, lane);
                CHECK_NEAR(distance(&Fp, &expected[lane]), 0, 1e-12);
                CHECK_NEAR(p.block.hardened[lane], hardened[lane], 1e-12);
                CHECK(flows[lane] == (p.flowed[lane] != 0) || distance(&Fp, &expected[lane]) < 1e-14);
                count += flows[lane];
            }
        }
        CHECK(count > 100);
    }
}

// The same bits at every register width, wild shapes, limits and goals included.
static void widths_agree(void)
{
    for (int option = 0; option < 8; ++option)
    {
        int n = option & 1 ? 2 : 3;
        points first;
        memset(&first, 0, sizeof first);
        for (int width = 0; width <= ctx->register_bytes; width = width ? 2 * width : 16)
        {
            points p = mixed(n, (uint64_t)option, option & 2 ? 1.4 : 50, option & 4);
            for (uint64_t k = 0; k < 60; ++k)
            {
                pl_mat3 F[LANES];
                for (int32_t lane = 0; lane < LANES; ++lane)
                    F[lane] =
                        k % 3 ? random_near(n, 16 * k + (uint64_t)lane, 0.7) : wild(n, 16 * k + (uint64_t)lane + k / 3);
                step(n, &p, F, width);
            }
            if (width == 0)
                first = p;
            CHECK(memcmp(&p, &first, sizeof p) == 0);
        }
    }
}

// ---- elements --------------------------------------------------------------------------------------------------

enum
{
    COUNT = 37, // not a multiple of the block
    BLOCKS = 3,
    NODES = 8 * COUNT
};

// Separate elements of one kind, three of four of which flow.
typedef struct
{
    pl__element_group group;
    void *before; // the rest shapes as made, without any flow
    double X[3 * NODES + 1], x[3 * NODES + 1], v[3 * NODES + 1];
    double share[COUNT][PL_ELEMENT_CORNERS];
    double force[BLOCKS * 8 * 3 * 16], frame[BLOCKS * 8 * 9 * 16];
    pl__element_sums sums;
} elements;

typedef struct
{
    pl__element_kind kind;
    bool planar, woven;
} variety;

static const variety varieties[] = {{PL__TET, false, false},
                                    {PL__HEX, false, false},
                                    {PL__TRIANGLE, false, false},
                                    {PL__TRIANGLE, true, false},
                                    {PL__TRIANGLE, false, true}};
enum
{
    VARIETIES = sizeof varieties / sizeof varieties[0]
};

static int corners_of(const elements *t) { return pl__element_type_of(t->group.kind)->corners; }
static size_t rest_bytes(const elements *t) { return BLOCKS * pl__element_type_of(t->group.kind)->rest_bytes; }

// Corners of an element at rest: a simplex or a cube, a little out of shape.
static void rest_corners(pl__element_kind kind, bool planar, uint64_t seed, double X[8][3])
{
    static const double cube[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                      {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    static const double simplex[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int k = 0; k < (kind == PL__HEX ? 8 : 4); ++k)
        for (int i = 0; i < 3; ++i)
            X[k][i] = (kind == PL__HEX ? cube : simplex)[k][i] + 0.15 * random_pm(seed, (uint64_t)(3 * k + i));
    for (int k = 0; planar && k < 4; ++k)
        X[k][2] = 0;
}

static void set_rest(elements *t, int32_t e, double X[8][3], const pl__material_params *material)
{
    int32_t node[8], b = e / 16, lane = e % 16;
    static const pl__woven_params cloth = {{1, 0.7}, {2, 1}, 0.2, 0.1, 0.5};
    for (int k = 0; k < 8; ++k)
        node[k] = 8 * e + k;
    if (t->group.kind == PL__TET)
        pl__tet_rest_set(&t->group.tet[b], lane, node, X, material, false);
    else if (t->group.kind == PL__HEX)
        pl__hex_rest_set(&t->group.hex[b], lane, node, X, material);
    else
        pl__triangle_rest_set(&t->group.triangle[b], lane, node, X, 0.1, NULL, material);
    if (t->group.woven)
        pl__triangle_rest_set_woven(&t->group.triangle[b], lane, &cloth);
}

static void clear_rest(elements *t, int32_t e)
{
    if (t->group.kind == PL__TET)
        pl__tet_rest_clear(&t->group.tet[e / 16], e % 16, 0);
    else if (t->group.kind == PL__HEX)
        pl__hex_rest_clear(&t->group.hex[e / 16], e % 16, 0);
    else
        pl__triangle_rest_clear(&t->group.triangle[e / 16], e % 16, 0);
}

static void make_plastic(elements *t, const pl_material_def *def)
{
    pl__plastic_params params = pl__plastic_resolve(def);
    CHECK_OK(ctx, pl__plasticity_create(ctx, &t->group));
    for (int32_t e = 0; e < COUNT; ++e)
    {
        if (e % 4)
            pl__plasticity_set_params(&t->group, e, &params);
        pl__element_set_gain(&t->group, e, t->share[e]);
    }
    pl__plasticity_refresh(ctx->register_bytes, &t->group);
}

static elements *make(variety v, bool plastic)
{
    elements *t = calloc(1, sizeof *t);
    pl_material_def def = metal(0.05);
    def.young = 1;
    def.damping = 0.2;
    def.plastic_limit = 3;
    pl__material_params material = pl__material_resolve(&def);
    t->group = (pl__element_group){.kind = v.kind,
                                   .law = pl__material_law(&def),
                                   .planar = v.planar,
                                   .woven = v.woven,
                                   .damped = true,
                                   .count = COUNT,
                                   .block_count = BLOCKS};
    t->group.law.flat = v.kind == PL__TRIANGLE;
    t->group.rest = calloc(1, rest_bytes(t));
    t->before = calloc(1, rest_bytes(t));
    for (int32_t e = 0; e < BLOCKS * 16; ++e)
    {
        double X[8][3] = {{0}};
        if (e >= COUNT)
        {
            clear_rest(t, e);
            continue;
        }
        rest_corners(v.kind, v.planar, 40 + (uint64_t)e, X);
        memcpy(&t->X[24 * e], X, sizeof X);
        set_rest(t, e, X, &material);
        for (int k = 0; k < 8; ++k)
            t->share[e][k] = 0.5 + fabs(random_pm((uint64_t)e, (uint64_t)k));
        pl__element_set_gain(&t->group, e, t->share[e]);
    }
    for (int k = 0; k < 3 * NODES; ++k)
        t->v[k] = random_pm(3, (uint64_t)k);
    memcpy(t->before, t->group.rest, rest_bytes(t));
    if (plastic)
        make_plastic(t, &def);
    return t;
}

static void destroy(elements *t)
{
    pl__plasticity_destroy(ctx, &t->group);
    free(t->group.rest);
    free(t->before);
    free(t);
}

// Every element by a matrix of its own, and hexahedra bent besides.
static void deform(elements *t, uint64_t seed, double size)
{
    for (int32_t e = 0; e < COUNT; ++e)
    {
        pl_mat3 F = random_near(t->group.planar ? 2 : 3, seed + (uint64_t)e, size);
        for (int k = 0; k < 8; ++k)
            for (int i = 0; i < 3; ++i)
            {
                const double *X = &t->X[24 * e + 3 * k];
                double bend = t->group.kind == PL__HEX ? 0.1 * random_pm(seed, (uint64_t)(24 * e + 3 * k + i)) : 0;
                t->x[24 * e + 3 * k + i] = F.c[0][i] * X[0] + F.c[1][i] * X[1] + F.c[2][i] * X[2] + bend;
            }
    }
}

static void evaluate(elements *t, int width, bool flow)
{
    pl__sums_clear(&t->sums);
    pl__force_job job = {.group = &t->group,
                         .x = t->x,
                         .strength = 1,
                         .want_energy = true,
                         .frame = t->frame,
                         .force = t->force,
                         .flow = flow};
    pl__element_force(width, &job, 0, BLOCKS, &t->sums);
}

static double at(const elements *t, int32_t e, int k)
{
    return t->force[(e / 16 * corners_of(t) * 3 + k) * 16 + e % 16];
}

static void reference(const elements *t, int32_t e, double force[8][3], double *energy)
{
    if (t->group.kind == PL__TET)
        pl__tet_force_reference(&t->group, e, t->x, 1, force, energy, NULL);
    else if (t->group.kind == PL__HEX)
        pl__hex_force_reference(&t->group, e, t->x, 1, force, energy, NULL);
    else
        pl__triangle_force_reference(&t->group, e, t->x, 1, force, energy, NULL);
}

static void damping_reference(const elements *t, int32_t e, double force[8][3])
{
    if (t->group.kind == PL__TET)
        pl__tet_damping_reference(&t->group, e, t->x, t->v, 1, force);
    else if (t->group.kind == PL__HEX)
        pl__hex_damping_reference(&t->group, e, t->x, t->v, 1, force);
    else
        pl__triangle_damping_reference(&t->group, e, t->x, t->v, 1, force);
}

static double *gain_of(const elements *t, int32_t e)
{
    return t->group.kind == PL__TET   ? &t->group.tet[e / 16].gain[0][e % 16]
           : t->group.kind == PL__HEX ? &t->group.hex[e / 16].gain[0][e % 16]
                                      : &t->group.triangle[e / 16].gain[0][e % 16];
}

// Until something flows, and in elements that cannot, forces have the bits of elastic ones; gains are theirs to
// rounding.
static void elastic_elements_do_not_notice(void)
{
    for (int i = 0; i < VARIETIES; ++i)
    {
        elements *plain = make(varieties[i], false), *plastic = make(varieties[i], true);
        deform(plain, 9, 0.5);
        deform(plastic, 9, 0.5);
        evaluate(plain, ctx->register_bytes, true);
        evaluate(plastic, ctx->register_bytes, false);
        CHECK(memcmp(plain->force, plastic->force, sizeof plain->force) == 0);
        evaluate(plastic, ctx->register_bytes, true);
        for (int32_t e = 0; e < COUNT; e += 4)
        {
            for (int k = 0; k < 3 * corners_of(plain); ++k)
                CHECK(at(plain, e, k) == at(plastic, e, k));
            for (int k = 0; k < 2; ++k)
                CHECK_NEAR(gain_of(plain, e)[16 * k] / gain_of(plastic, e)[16 * k], 1, 1e-13);
        }
        destroy(plain);
        destroy(plastic);
    }
}

// Of the rest shape B Fp^-1: what its gains are, by what made them of B.
static void check_gains(elements *t, int32_t e)
{
    double *gain = gain_of(t, e), kept[2] = {gain[0], gain[16]}, rise = 1;
    pl__plastic_block *plastic = t->group.plastic;
    for (int q = 0; t->group.kind == PL__HEX && q < PL_HEX_POINTS; ++q)
        rise = fmax(rise, plastic[8 * (e / 16) + q].rise[e % 16]);
    t->group.plastic = NULL;
    pl__element_set_gain(&t->group, e, t->share[e]);
    t->group.plastic = plastic;
    for (int k = 0; k < 2; ++k)
        if (t->group.kind == PL__HEX)
            CHECK_THAT(gain[16 * k] <= rise * kept[k] * (1 + 1e-12), "gain %g above its bound %g", gain[16 * k],
                       rise * kept[k]);
        else
            CHECK_NEAR(gain[16 * k] / kept[k], 1, 1e-12);
    gain[0] = kept[0], gain[16] = kept[1];
}

// The forces of the evaluation in which elements flow, and the damping after it, are those of their new rest shapes;
// gains are those of rest shapes B Fp^-1.
static void forces_and_gains_follow_the_flow(void)
{
    for (int i = 0; i < VARIETIES; ++i)
    {
        elements *t = make(varieties[i], true);
        for (uint64_t round = 0; round < 6; ++round)
        {
            deform(t, 100 * round, 0.6);
            evaluate(t, ctx->register_bytes, true);
            double energy = 0, expected[8][3], one;
            for (int32_t e = 0; e < COUNT; ++e)
            {
                reference(t, e, expected, &one);
                energy += one;
                for (int k = 0; k < 3 * corners_of(t); ++k)
                    CHECK_NEAR(at(t, e, k), expected[k / 3][k % 3], 1e-11);
                check_gains(t, e);
            }
            CHECK_NEAR(pl__lane_sum(t->sums.energy), energy, 1e-11 * energy);
            pl__damping_job job = {.group = &t->group, .v = t->v, .strength = 1, .frame = t->frame, .force = t->force};
            pl__element_damping(ctx->register_bytes, &job, 0, BLOCKS);
            for (int32_t e = 0; e < COUNT; ++e)
            {
                damping_reference(t, e, expected);
                for (int k = 0; k < 3 * corners_of(t); ++k)
                    CHECK_NEAR(at(t, e, k), expected[k / 3][k % 3], 1e-10);
            }
        }
        CHECK(t->group.plastic[0].hardened[1] > 0 && t->group.plastic[0].hardened[4] == 0);
        destroy(t);
    }
}

// The bound on frequencies is that of the new rest shapes: of simplices the same, of hexahedra at least as large.
static void the_bound_on_frequencies_follows_the_flow(void)
{
    for (int i = 0; i < VARIETIES; ++i)
    {
        elements *t = make(varieties[i], true);
        deform(t, 300, 0.6);
        evaluate(t, ctx->register_bytes, true);
        pl__element_sums sums = t->sums;
        pl__plastic_block *plastic = t->group.plastic;
        t->group.plastic = NULL;
        for (int32_t e = 0; e < COUNT; ++e)
            pl__element_set_gain(&t->group, e, t->share[e]);
        evaluate(t, ctx->register_bytes, false);
        for (int lane = 0; lane < LANES; ++lane)
        {
            double ratio = sums.frequency2[lane] / t->sums.frequency2[lane];
            CHECK_THAT(ratio >= 1 - 1e-9 && ratio <= (t->group.kind == PL__HEX ? 9 : 1 + 1e-9), "%g of the bound",
                       ratio);
        }
        t->group.plastic = plastic;
        destroy(t);
    }
}

// The present volume (area times the rest thickness) of an element, by its rest shape before any flow.
static double volume_of(elements *t, int32_t e)
{
    double x[8][3], d[2][3];
    memcpy(x, &t->x[24 * e], sizeof x);
    if (t->group.kind == PL__HEX)
        return pl__hex_volume(x, NULL);
    pl_mat3 Ds;
    for (int k = 0; k < 9; ++k)
        Ds.c[k / 3][k % 3] = x[k / 3 + 1][k % 3] - x[0][k % 3];
    if (t->group.kind == PL__TET)
        return pl_det3(&Ds) / 6;
    memcpy(d, Ds.c, sizeof d);
    pl_vec3 area = pl_cross3(pl_make3(d[0][0], d[0][1], d[0][2]), pl_make3(d[1][0], d[1][1], d[1][2]));
    return 0.1 * 0.5 * (t->group.planar ? area.v[2] : pl_length3(area));
}

static void block_state(elements *t, int32_t block, pl__element_state state[16])
{
    if (t->group.kind == PL__TET)
        pl__tet_block_state(&t->group, block, t->x, 1, ctx->register_bytes, state);
    else if (t->group.kind == PL__HEX)
        pl__hex_block_state(&t->group, block, t->x, 1, ctx->register_bytes, state);
    else
        pl__triangle_block_state(&t->group, block, t->x, 1, ctx->register_bytes, state);
}

// The volume is the volume whatever has flowed, and the stress times it is the virial of the forces, -sum f x^T (not of
// hexahedra, the points of which are averaged by rest volume).
static void volumes_and_stresses_are_those_of_the_present(void)
{
    for (int i = 0; i < VARIETIES; ++i)
    {
        elements *t = make(varieties[i], true);
        double volume = 0;
        deform(t, 20, 0.3);
        evaluate(t, ctx->register_bytes, true);
        pl__element_state state[BLOCKS * 16];
        for (int32_t b = 0; b < BLOCKS; ++b)
            block_state(t, b, &state[16 * b]);
        for (int32_t e = 0; e < COUNT; ++e)
        {
            double now = volume_of(t, e), cauchy[9];
            volume += now;
            if (t->group.kind == PL__HEX)
                continue;
            pl__element_state_cauchy(&state[e], cauchy);
            for (int c = 0; c < 9; ++c)
            {
                double virial = 0;
                for (int k = 0; k < corners_of(t); ++k)
                    virial -= at(t, e, 3 * k + c % 3) * t->x[24 * e + 3 * k + c / 3];
                CHECK_NEAR(cauchy[c] * now, virial, 1e-12);
            }
        }
        CHECK_NEAR(pl__lane_sum(t->sums.volume), volume, 1e-12 * COUNT);
        destroy(t);
    }
}

// Same bits at every width; and a state that is taken out and put back gives the rest shapes that flow gave.
static void elements_are_the_same_at_every_width_and_after_loading(void)
{
    for (int i = 0; i < VARIETIES; ++i)
    {
        elements *first = NULL;
        for (int width = 0; width <= ctx->register_bytes; width = width ? 2 * width : 16)
        {
            elements *t = make(varieties[i], true);
            for (uint64_t k = 0; k < 4; ++k)
            {
                deform(t, 100 * k, 0.6);
                evaluate(t, width, true);
            }
            first = first ? first : t;
            size_t plastic_bytes = (size_t)(BLOCKS * pl__plasticity_points(t->group.kind)) * sizeof *t->group.plastic;
            CHECK(memcmp(t->group.rest, first->group.rest, rest_bytes(t)) == 0);
            CHECK(memcmp(t->force, first->force, sizeof t->force) == 0 &&
                  memcmp(t->frame, first->frame, sizeof t->frame) == 0);
            CHECK(memcmp(t->group.plastic, first->group.plastic, plastic_bytes) == 0);
            elements *loaded = make(varieties[i], true);
            for (int32_t e = 0; e < COUNT; ++e)
            {
                double state[PL_HEX_POINTS * PL_FLOW_NUMBERS];
                pl__plasticity_get(&t->group, e, state);
                pl__plasticity_put(&loaded->group, e, state);
            }
            pl__plasticity_refresh(width, &loaded->group);
            CHECK(memcmp(t->group.rest, loaded->group.rest, rest_bytes(t)) == 0);
            CHECK(memcmp(t->group.plastic, loaded->group.plastic, plastic_bytes) == 0);
            destroy(loaded);
            if (t != first)
                destroy(t);
        }
        destroy(first);
    }
}

// What an element was told to become is given for all its points.
static void goals_reach_every_point(void)
{
    elements *t = make(varieties[1], true);
    pl_mat3 goal = pl_diagonal3(2, 1, 1);
    pl__plasticity_set_goal(&t->group, 18, &goal);
    for (int q = 0; q < PL_HEX_POINTS; ++q)
    {
        const pl__plastic_block *block = &t->group.plastic[PL_HEX_POINTS + q];
        CHECK_NEAR(block->goal[0][2], log(2), 1e-15);
        CHECK(block->guided[2] == 1 && block->guided[3] == 0 && fabs(block->goal[1][2]) < 1e-15);
    }
    destroy(t);
}

static pl_status make_and_destroy(pl_context *context)
{
    static pl__tet_rest rest[BLOCKS];
    pl__element_group group = {.count = COUNT, .block_count = BLOCKS, .tet = rest};
    pl_status status = pl__plasticity_create(context, &group);
    pl__plasticity_destroy(context, &group);
    return status;
}

static void every_failed_allocation_is_survived(void) { CHECK(survive_every_failure(make_and_destroy) == 1); }

// ---- definitions -----------------------------------------------------------------------------------------------

static void check_refused(const pl_material_def *def, const char *part)
{
    CHECK(pl__material_check(ctx, def, "clay") == PL_ERR_ARGUMENT);
    CHECK_THAT(strstr(pl_context_error(ctx), part), "%s", pl_context_error(ctx));
}

static void definitions_are_checked(void)
{
    pl_material_def good = pl_material_def_default(), def = good;
    CHECK(good.yield_strain == 0 && good.plastic_limit == 4 && good.yield_criterion == PL_YIELD_STRAIN &&
          !good.isochoric);
    CHECK_OK(ctx, pl__material_check(ctx, &good, "clay"));
    def.yield_strain = -1;
    check_refused(&def, "clay.yield_strain: -1");
    def.yield_strain = NAN;
    check_refused(&def, "clay.yield_strain");
    def = good, def.yield_criterion = (pl_yield_criterion)7;
    check_refused(&def, "clay.yield_criterion: 7");
    def = good, def.hardening = -0.5;
    check_refused(&def, "clay.hardening: -0.5");
    def = good, def.plastic_limit = 1;
    check_refused(&def, "clay.plastic_limit: 1");
    def = good, def.isochoric = 2;
    check_refused(&def, "clay.isochoric: 2");
}

// A goal needs something that flows, volume included.
static void goals_are_checked(void)
{
    pl_material_def def = metal(0.1);
    CHECK_OK(ctx, pl__plastic_goal_check(ctx, &def, "bodies.clay"));
    def.yield_criterion = PL_YIELD_VON_MISES;
    CHECK(pl__plastic_goal_check(ctx, &def, "bodies.clay") == PL_ERR_ARGUMENT &&
          strstr(pl_context_error(ctx), "bodies.clay.goal: the yield_criterion"));
    def.yield_criterion = PL_YIELD_STRAIN;
    def.isochoric = 1;
    CHECK(pl__plastic_goal_check(ctx, &def, "bodies.clay") == PL_ERR_ARGUMENT &&
          strstr(pl_context_error(ctx), "bodies.clay.goal: its material is isochoric"));
    def.isochoric = 0;
    def.yield_strain = 0;
    CHECK(pl__plastic_goal_check(ctx, &def, "bodies.clay") == PL_ERR_ARGUMENT &&
          strstr(pl_context_error(ctx), "bodies.clay.goal: the yield_strain"));
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {
        TEST(a_bar_keeps_what_is_beyond_its_yield),
        TEST(a_released_tetrahedron_is_without_force),
        TEST(hardening_has_its_closed_form),
        TEST(the_return_ends_on_the_yield_surface),
        TEST(steps_do_not_matter_under_proportional_loading),
        TEST(isochoric_flow_keeps_the_volume),
        TEST(pressure_flows_by_the_strain_norm_only),
        TEST(limits_hold),
        TEST(held_at_the_limit_nothing_hardens),
        TEST(the_new_decomposition_is_that_of_the_new_state),
        TEST(what_does_not_flow_keeps_its_bits),
        TEST(flow_never_raises_the_energy),
        TEST(turning_does_not_matter),
        TEST(a_goal_only_comes_closer),
        TEST(a_goal_is_reached),
        TEST(flow_agrees_with_the_oracle),
        TEST(widths_agree),
        TEST(elastic_elements_do_not_notice),
        TEST(forces_and_gains_follow_the_flow),
        TEST(the_bound_on_frequencies_follows_the_flow),
        TEST(volumes_and_stresses_are_those_of_the_present),
        TEST(elements_are_the_same_at_every_width_and_after_loading),
        TEST(goals_reach_every_point),
        TEST(every_failed_allocation_is_survived),
        TEST(definitions_are_checked),
        TEST(goals_are_checked),
    };
    ctx = test_context(1);
    uint64_t host_mode = pl__fp_enter();
    int result = RUN(tests);
    pl__fp_leave(host_mode);
    pl_context_destroy(&ctx);
    return result;
}

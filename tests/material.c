// tests/material.c -- every model, in every configuration.
//
// The tests run over all kinds of the table; a new model is tested by being in it.
#include "test.h"
#include "random_input.h"
#include "material/material.h"
#include "math/svd3.h"
#include "math/svd3_batch.h"

static pl_context *ctx;

static pl_material_def material(int32_t kind)
{
    pl_material_def def = pl_material_def_default();
    def.kind = (pl_material_kind)kind;
    def.young = 1; // so that tolerances are relative
    def.poisson = 0.3;
    return def;
}

static double energy_of(const pl_material_def *def, const pl_mat3 *F)
{
    double psi;
    CHECK_OK(ctx, pl_material_evaluate(ctx, def, (const double *)F, &psi, NULL));
    return psi;
}

static pl_mat3 stress_of(const pl_material_def *def, const pl_mat3 *F)
{
    pl_mat3 P;
    CHECK_OK(ctx, pl_material_evaluate(ctx, def, (const double *)F, NULL, (double *)&P));
    return P;
}

static double largest_difference(const pl_mat3 *A, const pl_mat3 *B)
{
    double largest = 0;
    for (int k = 0; k < 9; ++k)
        largest = fmax(largest, fabs(A->c[k / 3][k % 3] - B->c[k / 3][k % 3]));
    return largest;
}

// Stretches well apart from each other and from +-: the decomposition is smooth there.
static pl_mat3 generic_gradient(uint64_t seed, double s[3])
{
    s[0] = 1.2 + 0.8 * pl__random01(seed, 1, 0);
    s[1] = 0.75 + 0.3 * pl__random01(seed, 1, 1);
    s[2] = -0.5 + 1.1 * pl__random01(seed, 1, 2);
    pl_mat3 U = random_rotation(seed), V = random_rotation(seed + 1000000);
    return from_stretches(&U, s, &V);
}

static void lame_constants(void)
{
    // mu = E / 2(1 + nu), bulk modulus lambda + 2/3 mu = E / 3(1 - 2 nu)
    double mu, lambda;
    pl_material_lame(3, 0.25, &mu, &lambda);
    CHECK_NEAR(mu, 1.2, 1e-15);
    CHECK_NEAR(lambda + 2 * mu / 3, 2, 1e-15);
}

// Undeformed: no energy, no stress; the first derivative there is linear elasticity's.
static void rest_is_rest_and_small_strain_is_linear(void)
{
    double mu, lambda;
    pl_material_lame(1, 0.3, &mu, &lambda);
    for (int32_t kind = 0; kind < PL_MATERIAL_LINEAR; ++kind)
    {
        pl_material_def def = material(kind);
        pl_mat3 R = random_rotation(5), zero = {0};
        CHECK_NEAR(energy_of(&def, &R), 0, 1e-15);
        pl_mat3 P0 = stress_of(&def, &R);
        CHECK_NEAR(largest_difference(&P0, &zero), 0, 1e-14);
        // P(I + t E) = t (2 mu sym E + lambda tr E) + O(t^2); the second-order term is about 3 t^2
        double t = 1e-5;
        pl_mat3 E = random_matrix(9), I = pl_identity3(), F = pl_axpy33(t, &E, &I), P = stress_of(&def, &F), expected;
        double trace = E.c[0][0] + E.c[1][1] + E.c[2][2];
        for (int j = 0; j < 3; ++j)
            for (int i = 0; i < 3; ++i)
                expected.c[j][i] = t * (mu * (E.c[j][i] + E.c[i][j]) + (i == j ? lambda * trace : 0));
        CHECK_THAT(largest_difference(&P, &expected) < 20 * t * t, "%s: %g", pl_material_kind_name(kind),
                   largest_difference(&P, &expected));
    }
}

// P = dpsi/dF, by central differences in every entry, also where elements are crushed and inverted.
static void stress_is_gradient_of_energy(void)
{
    for (int32_t kind = 0; kind < PL_MATERIAL_LINEAR; ++kind)
        for (uint64_t seed = 0; seed < 200; ++seed)
        {
            pl_material_def def = material(kind);
            double s[3], h = 1e-5;
            pl_mat3 F = generic_gradient(seed, s), P = stress_of(&def, &F);
            for (int k = 0; k < 9; ++k)
            {
                pl_mat3 plus = F, minus = F;
                plus.c[k / 3][k % 3] += h;
                minus.c[k / 3][k % 3] -= h;
                double slope = (energy_of(&def, &plus) - energy_of(&def, &minus)) / (2 * h);
                // rounding 1e-16/h, truncation h^2 psi''' / 6, a kink of the curvature at the threshold h psi''/2
                CHECK_THAT(fabs(slope - P.c[k / 3][k % 3]) < 2e-4, "%s seed %d: %g against %g",
                           pl_material_kind_name(kind), (int)seed, slope, P.c[k / 3][k % 3]);
            }
        }
}

// psi(R F Q^T) = psi(F), P(R F Q^T) = R P(F) Q^T, and P F^T is symmetric (no torque).
static void laws_are_isotropic_and_objective(void)
{
    for (int32_t kind = 0; kind < PL_MATERIAL_LINEAR; ++kind)
        for (int inversion = PL_INVERSION_ENERGY; inversion <= PL_INVERSION_CONSTANT; ++inversion)
            for (uint64_t seed = 0; seed < 100; ++seed)
            {
                pl_material_def def = material(kind);
                def.inversion = (pl_inversion)inversion;
                double s[3];
                pl_mat3 F = generic_gradient(seed, s), R = random_rotation(seed + 7), Q = random_rotation(seed + 8);
                pl_mat3 Qt = pl_transpose3(&Q), RF = pl_mul33(&R, &F), RFQ = pl_mul33(&RF, &Qt);
                pl_mat3 P = stress_of(&def, &F), turned = stress_of(&def, &RFQ);
                pl_mat3 RP = pl_mul33(&R, &P), RPQ = pl_mul33(&RP, &Qt);
                // the det rule reaches stresses of thousands here
                pl_mat3 zero = {0};
                double tolerance = 1e-13 * (10 + largest_difference(&P, &zero));
                CHECK_NEAR(largest_difference(&turned, &RPQ), 0, tolerance);
                if (inversion == PL_INVERSION_ENERGY)
                    CHECK_NEAR(energy_of(&def, &RFQ), energy_of(&def, &F), 1e-12 * (1 + energy_of(&def, &F)));
                pl_mat3 Ft = pl_transpose3(&F), PFt = pl_mul33(&P, &Ft), FPt = pl_transpose3(&PFt);
                CHECK_NEAR(largest_difference(&PFt, &FPt), 0, tolerance);
            }
}

// Above the threshold the tensor formulas hold: thesis 2.14 for neo-Hookean, P = F (2 mu E + lambda tr E) for StVK.
static void tensor_formulas_hold(void)
{
    double mu, lambda;
    pl_material_lame(1, 0.3, &mu, &lambda);
    for (uint64_t seed = 0; seed < 100; ++seed)
    {
        double s[3] = {1.5, 1.1, 0.7 + 0.3 * pl__random01(seed, 2, 0)};
        pl_mat3 U = random_rotation(seed), V = random_rotation(seed + 50), F = from_stretches(&U, s, &V);
        pl_mat3 inverse = pl_inverse3(&F), inverse_t = pl_transpose3(&inverse), expected, Ft = pl_transpose3(&F),
                C = pl_mul33(&Ft, &F);
        double logJ = log(pl_det3(&F));
        for (int k = 0; k < 9; ++k)
            expected.c[k / 3][k % 3] =
                mu * (F.c[k / 3][k % 3] - inverse_t.c[k / 3][k % 3]) + lambda * logJ * inverse_t.c[k / 3][k % 3];
        pl_material_def def = material(PL_MATERIAL_NEO_HOOKEAN);
        pl_mat3 P = stress_of(&def, &F);
        CHECK_NEAR(largest_difference(&P, &expected), 0, 1e-13);

        pl_mat3 S;
        double trace = 0.5 * (C.c[0][0] + C.c[1][1] + C.c[2][2] - 3);
        for (int j = 0; j < 3; ++j)
            for (int i = 0; i < 3; ++i)
                S.c[j][i] = mu * (C.c[j][i] - (i == j)) + (i == j ? lambda * trace : 0);
        expected = pl_mul33(&F, &S);
        def = material(PL_MATERIAL_STVK);
        P = stress_of(&def, &F);
        CHECK_NEAR(largest_difference(&P, &expected), 0, 1e-13);
    }
}

// Forces are finite for a million random gradients of size 1e-6 to 1e6, with every inversion rule but `none`.
static void stress_is_finite_everywhere(void)
{
    enum
    {
        BLOCKS = 62500 / 5
    };
    static double F[BLOCKS][9][16], U[BLOCKS][9][16], s[BLOCKS][3][16], V[BLOCKS][9][16];
    int width = ctx->register_bytes;
    for (int part = 0; part < 5; ++part)
    {
        for (int b = 0; b < BLOCKS; ++b)
            for (int lane = 0; lane < 16; ++lane)
            {
                uint64_t seed = (uint64_t)(part * BLOCKS + b) * 16 + (uint64_t)lane;
                double size = pow(10, 6 * random_pm(seed, 50));
                for (int k = 0; k < 9; ++k)
                    F[b][k][lane] = size * random_pm(seed, (uint64_t)k);
                // flat, thin and pointlike ones as well
                for (int k = 0; k < 9 && lane % 4 == 3; ++k)
                    F[b][k][lane] *= k % 3 < (int)(seed / 16 % 3) ? 1 : 0;
            }
        PL_PICK(width, pl__svd3_batch)(BLOCKS, F, U, s, V);
        for (int32_t kind = 0; kind < PL_MATERIAL_LINEAR; ++kind)
            for (int inversion = PL_INVERSION_ENERGY; inversion <= PL_INVERSION_CONSTANT; ++inversion)
            {
                pl_material_def def = material(kind);
                def.inversion = (pl_inversion)inversion;
                pl__law law = pl__material_law(&def);
                pl__material_params params = pl__material_resolve(&def);
                pl__material_block block;
                for (int lane = 0; lane < 16; ++lane)
                    pl__material_block_set(&block, lane, &params);
                int wrong = 0;
                for (int b = 0; b < BLOCKS; ++b)
                {
                    double p[3][16], stiffness[16], coupling[16];
                    PL_PICK(width, pl__material_stress)
                    (&law, &block, s[b], &(pl__stress_block){p, NULL, stiffness, coupling, NULL});
                    for (int lane = 0; lane < 16; ++lane)
                        wrong += !isfinite(p[0][lane]) || !isfinite(p[1][lane]) || !isfinite(p[2][lane]) ||
                                 !(stiffness[lane] >= 0) || !isfinite(stiffness[lane]);
                }
                CHECK_THAT(wrong == 0, "%s, rule %d: %d of %d", pl_material_kind_name(kind), inversion, wrong,
                           BLOCKS * 16);
            }
    }
}

// The further an entry is inverted the harder it is pushed back (energy and linear rules; `constant` is the one that
// does not, and says so).
static void inverted_entries_are_pushed_back_harder(void)
{
    for (int32_t kind = 0; kind < PL_MATERIAL_LINEAR; ++kind)
        for (int inversion = PL_INVERSION_ENERGY; inversion <= PL_INVERSION_CONSTANT; ++inversion)
        {
            if (inversion == PL_INVERSION_DET)
                continue; // its surface moves with the other stretches
            pl_material_def def = material(kind);
            def.inversion = (pl_inversion)inversion;
            double before = 0;
            for (int i = 0; i < 20; ++i)
            {
                pl_mat3 F = pl_diagonal3(1.1, 1, -0.05 * i), P = stress_of(&def, &F);
                bool rigid = pl__material_law(&def).inversion != PL_INVERSION_CONSTANT;
                if (i > 0)
                    CHECK(rigid ? P.c[2][2] < before : P.c[2][2] == before);
                CHECK(P.c[2][2] < 0);
                before = P.c[2][2];
            }
        }
}

// Every rule meets the law itself at the threshold, and `none` is the law.
static void extensions_are_continuous(void)
{
    for (int32_t kind = 1; kind < PL_MATERIAL_LINEAR; ++kind)
        for (int inversion = PL_INVERSION_ENERGY; inversion <= PL_INVERSION_NONE; ++inversion)
        {
            pl_material_def def = material(kind);
            def.inversion = (pl_inversion)inversion;
            def.threshold = 0.5;
            double a = inversion == PL_INVERSION_DET ? 0.125 / (1.1 * 1.05) : 0.5, e = 1e-9;
            pl_mat3 above = pl_diagonal3(1.1, 1.05, a + e), below = pl_diagonal3(1.1, 1.05, a - e);
            pl_mat3 P = stress_of(&def, &above), Q = stress_of(&def, &below), zero = {0};
            CHECK_THAT(largest_difference(&P, &Q) < 1e-6 * (1 + largest_difference(&P, &zero)), "%s, rule %d: %g",
                       pl_material_kind_name(kind), inversion, largest_difference(&P, &Q));
        }
}

// The energy grows without bound in every direction: along rays through random stretches the far end is higher than the
// near one, so nothing can run away.
static void energy_is_bounded_below(void)
{
    for (int32_t kind = 0; kind < PL_MATERIAL_LINEAR; ++kind)
        for (uint64_t seed = 0; seed < 300; ++seed)
        {
            pl_material_def def = material(kind);
            def.poisson = 0.05 + 0.4 * pl__random01(seed, 3, 0);
            pl_mat3 direction = random_matrix(seed);
            double last = -1;
            for (double r = 4; r <= 4096; r *= 4)
            {
                pl_mat3 F = direction;
                for (int k = 0; k < 9; ++k)
                    F.c[k / 3][k % 3] *= r * 3;
                double psi = energy_of(&def, &F);
                CHECK_THAT(psi > last, "%s seed %d size %g: %g after %g", pl_material_kind_name(kind), (int)seed, r,
                           psi, last);
                last = psi;
            }
        }
}

// Every register width gives the same bits.
static void widths_agree(void)
{
    double sigma[3][16];
    pl__material_block block;
    for (uint64_t seed = 0; seed < 500; ++seed)
        for (int32_t kind = 0; kind < PL_MATERIAL_LINEAR; ++kind)
            for (int inversion = PL_INVERSION_ENERGY; inversion <= PL_INVERSION_CONSTANT; ++inversion)
            {
                for (int lane = 0; lane < 16; ++lane)
                {
                    pl_material_def def = material(kind);
                    def.poisson = 0.45 * pl__random01(seed, 4, (uint64_t)lane);
                    pl__material_params params = pl__material_resolve(&def);
                    pl__material_block_set(&block, lane, &params);
                    sigma[0][lane] = 1 + pl__random01(seed, 5, (uint64_t)lane);
                    sigma[1][lane] = 0.3 + 0.7 * pl__random01(seed, 6, (uint64_t)lane);
                    sigma[2][lane] = 0.3 * random_pm(seed, (uint64_t)lane);
                }
                pl_material_def def = material(kind);
                def.inversion = (pl_inversion)inversion;
                pl__law law = pl__material_law(&def);
                double expected[6][16], seen[6][16];
                for (int width = 0; width <= ctx->register_bytes; width = width ? 2 * width : 16)
                {
                    double(*p)[16] = width ? seen : expected;
                    PL_PICK(width, pl__material_stress)
                    (&law, &block, sigma, &(pl__stress_block){p, p[3], p[4], p[5], NULL});
                    CHECK_THAT(width == 0 || memcmp(expected, seen, sizeof seen) == 0, "%s, rule %d, %d bytes",
                               pl_material_kind_name(kind), inversion, width);
                }
            }
}

static void bad_materials_are_refused_with_a_sentence(void)
{
    double F[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, psi;
    pl_material_def def = pl_material_def_default();
    def.poisson = 0.52;
    CHECK(pl_material_evaluate(ctx, &def, F, &psi, NULL) == PL_ERR_ARGUMENT);
    CHECK(strcmp(pl_context_error(ctx), "material.poisson: 0.52 must be above -1 and at most 0.5") == 0);
    def = pl_material_def_default();
    def.young = NAN;
    CHECK(pl_material_evaluate(ctx, &def, F, &psi, NULL) == PL_ERR_ARGUMENT);
    def = (pl_material_def){.young = 1, .density = 1};
    CHECK(pl_material_evaluate(ctx, &def, F, &psi, NULL) == PL_ERR_ARGUMENT);
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {
        TEST(lame_constants),
        TEST(rest_is_rest_and_small_strain_is_linear),
        TEST(stress_is_gradient_of_energy),
        TEST(laws_are_isotropic_and_objective),
        TEST(tensor_formulas_hold),
        TEST(stress_is_finite_everywhere),
        TEST(inverted_entries_are_pushed_back_harder),
        TEST(extensions_are_continuous),
        TEST(energy_is_bounded_below),
        TEST(widths_agree),
        TEST(bad_materials_are_refused_with_a_sentence),
    };
    ctx = test_context(1);
    int status = RUN(tests);
    pl_context_destroy(&ctx);
    return status;
}

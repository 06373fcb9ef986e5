// tests/material_laws.c -- laws against their definitions: 20-digit references, derivatives, limits, custom laws,
// sheets.
#define PL_REGISTER_BYTES 0 // the models themselves, plainly
#include "test.h"
#include "random_input.h"
#include "material/model_w.h"
#include "math/svd3.h"

static pl_context *ctx;

static pl_material_def material(int32_t kind)
{
    pl_material_def def = pl_material_def_default();
    def.kind = (pl_material_kind)kind;
    def.young = 1; // so that tolerances are relative
    def.poisson = 0.25;
    return def;
}

static double evaluate(const pl_material_def *def, const pl_mat3 *F, pl_mat3 *P)
{
    double psi = NAN;
    CHECK_OK(ctx, pl_material_evaluate(ctx, def, (const double *)F, &psi, (double *)P));
    return psi;
}

static double largest(const pl_mat3 *A)
{
    double most = 0;
    for (int k = 0; k < 9; ++k)
        most = fmax(most, fabs(A->c[k / 3][k % 3]));
    return most;
}

static double difference(const pl_mat3 *A, const pl_mat3 *B)
{
    pl_mat3 D = pl_axpy33(-1, B, A);
    return largest(&D);
}

// ---- references ---------------------------------------------------------------------------------------------------

typedef struct
{
    int32_t kind;
    int32_t sixteenths[9];
    double energy, stress[9];
} reference_row;
#include "material_reference.inl"

static pl_mat3 shape_of(const reference_row *row)
{
    pl_mat3 F;
    for (int k = 0; k < 9; ++k)
        F.c[k / 3][k % 3] = row->sixteenths[k] / 16.0;
    return F;
}

// Stretched, sheared, compressed, crushed, nearly flat, inverted and pulled far; see tests/reference/materials.py.
// Errors are those of the decomposition, some eps, times the stiffness, up to 1e3 for Fung.
static void laws_match_the_references(void)
{
    int32_t seen = 0;
    for (size_t i = 0; i < sizeof references / sizeof references[0]; ++i)
    {
        const reference_row *row = &references[i];
        pl_material_def def = material(row->kind);
        pl_mat3 F = shape_of(row), P, expected;
        memcpy(&expected, row->stress, sizeof expected);
        double psi = evaluate(&def, &F, &P);
        CHECK_THAT(fabs(psi - row->energy) < 1e-13 * (1 + row->energy), "%s, row %d: energy %.17g",
                   pl_material_kind_name(row->kind), (int)i, psi);
        CHECK_THAT(difference(&P, &expected) < 1e-13 * (1 + largest(&expected)), "%s, row %d: stress off by %g",
                   pl_material_kind_name(row->kind), (int)i, difference(&P, &expected));
        seen |= 1 << row->kind;
    }
    CHECK(seen == (1 << PL_MATERIAL_LINEAR) - 1); // none is missing; linear is rotated_linear of other stretches
}

static void fibers_match_the_references(void)
{
    pl__fiber fiber = {1, 1.125, 0.5};
    double a[3] = {2 / 3.0, 1 / 3.0, 2 / 3.0};
    for (size_t i = 0; i < sizeof fiber_references / sizeof fiber_references[0]; ++i)
    {
        const reference_row *row = &fiber_references[i];
        pl_mat3 F = shape_of(row), P, expected;
        memcpy(&expected, row->stress, sizeof expected);
        double Fa[3], length2 = 0, energy, pull, stiffness;
        for (int k = 0; k < 3; ++k)
        {
            Fa[k] = F.c[0][k] * a[0] + F.c[1][k] * a[1] + F.c[2][k] * a[2];
            length2 += Fa[k] * Fa[k];
        }
        pl__fiber_pull(&fiber, length2, &energy, &pull, &stiffness);
        for (int k = 0; k < 9; ++k)
            P.c[k / 3][k % 3] = pull * Fa[k % 3] * a[k / 3];
        CHECK_NEAR(energy, row->energy, 1e-14 * (1 + row->energy));
        CHECK_NEAR(difference(&P, &expected), 0, 1e-14 * (1 + largest(&expected)));
    }
}

// ---- derivatives --------------------------------------------------------------------------------------------------

static law_w at(const pl_material_def *def, const double s[3])
{
    static const model_w models[] = {
#define PL_MODEL(name, kind, low, high, poisson, numbers, volume) [kind] = {name, numbers, volume},
#include "material/models.inl"
#undef PL_MODEL
    };
    pl__material_params p = pl__material_resolve(def);
    pl_numbers_w m = {.mu = p.mu, .lambda = p.lambda};
    memcpy(m.extra, p.extra, sizeof m.extra);
    law_w out;
    whole_law(&m, &models[def->kind], s, &out);
    return out;
}

// Numbers of their own that are not the defaults.
static pl_material_def varied(int32_t kind, uint64_t seed)
{
    pl_material_def def = material(kind);
    def.poisson = 0.45 * pl__random01(seed, 30, 0);
    def.mooney = pl__random01(seed, 30, 1);
    def.stiffening = 3 * pl__random01(seed, 30, 2);
    def.stiffening_share = pl__random01(seed, 30, 3);
    def.spline_low = 0.9 * pl__random01(seed, 30, 4);
    def.spline_high = 1.1 + pl__random01(seed, 30, 5);
    def.spline_stiffening = 1 + 20 * pl__random01(seed, 30, 6);
    return def;
}

// p = dpsi/ds and h = dp/ds, by central differences; truncation is step^2 times a third derivative, which is as large
// as h.
static void gradient_and_hessian_are_derivatives(void)
{
    for (int32_t kind = 0; kind < PL_MATERIAL_LINEAR; ++kind)
        for (uint64_t seed = 0; seed < 300; ++seed)
        {
            pl_material_def def = varied(kind, seed);
            double s[3] = {1.1 + 0.6 * pl__random01(seed, 31, 0), 0.7 + 0.3 * pl__random01(seed, 31, 1),
                           0.5 + 0.2 * pl__random01(seed, 31, 2)},
                   step = 1e-5;
            law_w law = at(&def, s);
            for (int j = 0; j < 3; ++j)
            {
                double plus[3] = {s[0], s[1], s[2]}, minus[3] = {s[0], s[1], s[2]};
                plus[j] += step, minus[j] -= step;
                law_w a = at(&def, plus), b = at(&def, minus);
                double slope = (a.psi - b.psi) / (2 * step);
                CHECK_THAT(fabs(slope - law.p[j]) < 1e-7 * (1 + fabs(law.h[j])), "%s seed %d: p %g, by differences %g",
                           pl_material_kind_name(kind), (int)seed, law.p[j], slope);
                for (int i = 0; i < 3; ++i)
                {
                    double h = law.h[pair[i][j]], bend = (a.p[i] - b.p[i]) / (2 * step);
                    // a threshold of the spline within the step has half of either slope
                    bool kink = kind == PL_MATERIAL_SPLINE && i == j &&
                                (fabs(s[j] - def.spline_low) < 2 * step || fabs(s[j] - def.spline_high) < 2 * step);
                    CHECK_THAT(kink || fabs(bend - h) < 1e-7 * (1 + fabs(law.h[0]) + fabs(law.h[1]) + fabs(law.h[2])),
                               "%s seed %d: h%d%d %g, by differences %g", pl_material_kind_name(kind), (int)seed, i, j,
                               h, bend);
                }
            }
        }
}

// Beyond both ends too, stress is the gradient of the extended energy.
static void extended_stress_is_gradient_beyond_both_ends(void)
{
    for (int32_t kind = 0; kind < PL_MATERIAL_LINEAR; ++kind)
        for (uint64_t seed = 0; seed < 100; ++seed)
        {
            pl_material_def def = varied(kind, seed);
            def.threshold = 0.6;
            def.limit = 1.3;
            double s[3] = {1.4 + pl__random01(seed, 32, 0), 0.7 + 0.4 * pl__random01(seed, 32, 1),
                           -0.4 + 0.9 * pl__random01(seed, 32, 2)},
                   step = 1e-5;
            pl_mat3 U = random_rotation(seed), V = random_rotation(seed + 99), F = from_stretches(&U, s, &V), P;
            evaluate(&def, &F, &P);
            for (int k = 0; k < 9; ++k)
            {
                pl_mat3 plus = F, minus = F, unused;
                plus.c[k / 3][k % 3] += step;
                minus.c[k / 3][k % 3] -= step;
                double slope = (evaluate(&def, &plus, &unused) - evaluate(&def, &minus, &unused)) / (2 * step);
                CHECK_THAT(fabs(slope - P.c[k / 3][k % 3]) < 1e-6 * (1 + largest(&P)), "%s seed %d: %g against %g",
                           pl_material_kind_name(kind), (int)seed, slope, P.c[k / 3][k % 3]);
            }
        }
}

// P has no jump along random straight paths of stretches, through every threshold and with other stretches clamped
// already. Stretches stay sorted and apart, so that a path of stretches is one of F with fixed axes. Of a step that is
// cut into ever smaller ones the largest change of P must shrink with it; a jump would stay. Both ends have their turn,
// and laws that need no extension by default.
static double largest_change(const pl_material_def *def, const double from[3], const double to[3], int pieces)
{
    double most = 0, last[3] = {0};
    for (int k = 0; k <= pieces; ++k)
    {
        double s[3];
        for (int i = 0; i < 3; ++i)
            s[i] = from[i] + (to[i] - from[i]) * k / pieces;
        pl_mat3 F = pl_diagonal3(s[0], s[1], s[2]), P;
        evaluate(def, &F, &P);
        for (int i = 0; i < 3; ++i)
        {
            if (k > 0)
                most = fmax(most, fabs(P.c[i][i] - last[i]));
            last[i] = P.c[i][i];
        }
    }
    return most;
}

static void stress_is_continuous_on_every_path(void)
{
    for (int32_t kind = 0; kind < PL_MATERIAL_LINEAR; ++kind)
        for (uint64_t seed = 0; seed < (slow_tests ? 400 : 24); ++seed)
        {
            pl_material_def def = varied(kind, seed);
            double from[3], to[3];
            def.threshold = seed % 3 == 0 ? 0 : 0.05 + 0.9 * pl__random01(seed, 34, 0);
            def.limit = seed % 3 == 0 ? 0 : 1.05 + pl__random01(seed, 34, 1);
            for (int end = 0; end < 2; ++end)
            {
                double *s = end ? to : from;
                s[0] = 1.1 + 1.5 * pl__random01(seed, 35, (uint64_t)(3 * end)) + 1.5 * end;
                s[1] = 0.05 + pl__random01(seed, 35, (uint64_t)(3 * end + 1));
                s[2] = s[1] * (-0.95 + 1.9 * pl__random01(seed, 35, (uint64_t)(3 * end + 2)));
            }
            double coarse = largest_change(&def, from, to, 64), fine = largest_change(&def, from, to, 64 * 64);
            CHECK_THAT(fine < coarse / 16, "%s seed %d: %g in 64 pieces, %g in 4096", pl_material_kind_name(kind),
                       (int)seed, coarse, fine);
        }
}

// The jump that was: neo-Hookean at nu = 0.3 with one stretch inverted while another passes the threshold (P00 from -15
// to -9.4).
static void a_second_clamp_makes_no_jump(void)
{
    for (int32_t kind = 0; kind < PL_MATERIAL_LINEAR; ++kind)
        for (double threshold = 0.4; threshold < 0.95; threshold += 0.5)
        {
            pl_material_def def = material(kind);
            def.poisson = 0.3;
            def.threshold = threshold;
            for (double low = -0.2; low < 0.41; low += 0.1)
            {
                pl_mat3 above = pl_diagonal3(1.1, threshold + 1e-7, low),
                        below = pl_diagonal3(1.1, threshold - 1e-7, low), P, Q;
                evaluate(&def, &above, &P);
                evaluate(&def, &below, &Q);
                CHECK_THAT(difference(&P, &Q) < 1e-5 * (1 + largest(&P)), "%s, %g: %g of %g",
                           pl_material_kind_name(kind), low, difference(&P, &Q), largest(&P));
            }
        }
}

// Every law has finite stress, energy and stiffness for stretches of up to 1e40 of either sign, at the largest Young's
// modulus.
static void stress_is_finite_up_to_1e40(void)
{
    for (int32_t kind = 0; kind < PL_MATERIAL_LINEAR; ++kind)
        for (uint64_t seed = 0; seed < 2000; ++seed)
        {
            pl_material_def def = varied(kind, seed);
            double s[3];
            def.young = 1e15;
            for (uint64_t i = 0; i < 3; ++i)
                s[i] = pow(10, -40 + 80 * pl__random01(seed, 36, i)) * (i == 2 && seed % 2 ? -1 : 1);
            for (int i = 0; i < 2; ++i) // sorted by size
                for (int j = 0; j < 2; ++j)
                    if (fabs(s[j]) < fabs(s[j + 1]))
                    {
                        double swap = fabs(s[j]);
                        s[j] = fabs(s[j + 1]);
                        s[j + 1] = j == 1 && seed % 2 ? -swap : swap;
                    }
            pl_mat3 F = pl_diagonal3(s[0], s[1], s[2]), P;
            double psi = evaluate(&def, &F, &P);
            CHECK_THAT(isfinite(psi) && isfinite(largest(&P)), "%s at %g %g %g: energy %g, stress %g",
                       pl_material_kind_name(kind), s[0], s[1], s[2], psi, largest(&P));
        }
}

// ---- energy -------------------------------------------------------------------------------------------------------

// Rest is the lowest point, and nothing else is as low.
static void rest_is_the_only_minimum(void)
{
    for (int32_t kind = 0; kind < PL_MATERIAL_LINEAR; ++kind)
        for (uint64_t seed = 0; seed < 20000; ++seed)
        {
            pl_material_def def = varied(kind, seed);
            def.poisson = (kind == PL_MATERIAL_FIXED_COROTATED || kind == PL_MATERIAL_NEO_HOOKEAN ? 0 : -0.95) +
                          0.45 * pl__random01(seed, 33, 0) + 0.94 * (double)(seed % 2);
            def.poisson = fmin(def.poisson, 0.49);
            double size = pow(10, random_pm(seed, 40));
            pl_mat3 F = random_matrix(seed), P;
            for (int k = 0; k < 9; ++k)
                F.c[k / 3][k % 3] *= 2 * size;
            double psi = evaluate(&def, &F, &P);
            CHECK_THAT(psi > 0, "%s seed %d, poisson %g: %g", pl_material_kind_name(kind), (int)seed, def.poisson, psi);
        }
}

// The stress of the spline grows with the stretch, without a jump of the slope, whatever its numbers.
static void spline_is_monotone_and_smooth(void)
{
    for (uint64_t seed = 0; seed < 500; ++seed)
    {
        pl_material_def def = varied(PL_MATERIAL_SPLINE, seed);
        def.poisson = 0; // one stretch alone
        double mu, lambda, last = -INFINITY;
        pl_material_lame(1, 0, &mu, &lambda);
        for (double x = -1; x < 3; x += 0.01)
        {
            law_w law = at(&def, (double[3]){x, 1, 1});
            CHECK(law.p[0] > last && law.h[0] >= 2 * mu * (1 - 1e-15) &&
                  law.h[0] <= 2 * mu * def.spline_stiffening * (1 + 1e-14));
            last = law.p[0];
        }
        double ends[] = {def.spline_low, def.spline_high}, e = 1e-9;
        for (int k = 0; k < 2; ++k)
        {
            law_w below = at(&def, (double[3]){ends[k] - e, 1, 1}), above = at(&def, (double[3]){ends[k] + e, 1, 1});
            CHECK_NEAR(below.p[0], above.p[0], 1e-6);
            CHECK_NEAR(below.h[0], above.h[0], 1e-6 * def.spline_stiffening / (1 - def.spline_low));
            CHECK_NEAR(above.h[0], 2 * mu * def.spline_stiffening, 1e-6 * def.spline_stiffening / (1 - def.spline_low));
        }
    }
}

// Fung without stiffening, Mooney-Rivlin without its second invariant and the isochoric law are one.
static void special_cases_agree(void)
{
    for (uint64_t seed = 0; seed < 200; ++seed)
    {
        pl_material_def plain = material(PL_MATERIAL_ISOCHORIC_NEO_HOOKEAN), fung = material(PL_MATERIAL_FUNG),
                        mooney = material(PL_MATERIAL_MOONEY_RIVLIN);
        fung.stiffening = 0;
        fung.threshold = plain.threshold = mooney.threshold = 0.4;
        mooney.mooney = 0;
        pl_mat3 F = random_matrix(seed), P, Q, R;
        double a = evaluate(&plain, &F, &P), b = evaluate(&fung, &F, &Q), c = evaluate(&mooney, &F, &R);
        CHECK_NEAR(b, a, 1e-14 * (1 + a));
        CHECK_NEAR(c, a, 1e-14 * (1 + a));
        CHECK_NEAR(difference(&P, &Q), 0, 1e-14 * (1 + largest(&P)));
        CHECK_NEAR(difference(&P, &R), 0, 1e-14 * (1 + largest(&P)));
    }
}

// Fung's energy is one function through its series for small exponents and its continuation past the largest.
static void fung_has_no_seams(void)
{
    pl_material_def def = material(PL_MATERIAL_FUNG);
    def.limit = 100;
    double last = 0, last_p = 0;
    for (double x = 1; x < 4; x += 1e-3)
    {
        double y = 1 / sqrt(x);
        law_w law = at(&def, (double[3]){x, y, y});
        double work = law.p[0] - law.p[1] * y / x; // dpsi/dx along x, y = x^(-1/2)
        if (x > 1)
            CHECK_THAT(fabs(law.psi - last - 0.5e-3 * (work + last_p)) < 1e-4 * (law.psi - last) + 1e-9,
                       "at %g: %g, %g", x, law.psi - last, 0.5e-3 * (work + last_p));
        last = law.psi, last_p = work;
    }
}

// ---- custom laws --------------------------------------------------------------------------------------------------

typedef struct
{
    double mu, lambda;
    int32_t calls;
    double least, most;
} custom_numbers;

// neo-Hookean through its Cauchy stress, J sigma_i = mu (s_i^2 - 1) + lambda log J.
static void cauchy_law(void *user, const double s[3], double *energy, double stress[3], double derivative[6])
{
    custom_numbers *m = user;
    double J = s[0] * s[1] * s[2], L = log(J), cauchy[3], rows[9];
    for (int i = 0; i < 3; ++i)
    {
        cauchy[i] = (m->mu * (s[i] * s[i] - 1) + m->lambda * L) / J;
        for (int j = 0; j < 3; ++j)
            rows[3 * i + j] = ((i == j ? 2 * m->mu * s[i] : 0) + m->lambda / s[j]) / J - cauchy[i] / s[j];
        m->least = fmin(m->least, s[i]);
        m->most = fmax(m->most, s[i]);
    }
    pl_stress_from_cauchy(s, cauchy, rows, stress, derivative);
    *energy = 0.5 * m->mu * (s[0] * s[0] + s[1] * s[1] + s[2] * s[2] - 3) - m->mu * L + 0.5 * m->lambda * L * L;
    m->calls++;
}

// St. Venant-Kirchhoff through S_i = 2 mu e_i + lambda sum e.
static void second_piola_law(void *user, const double s[3], double *energy, double stress[3], double derivative[6])
{
    custom_numbers *m = user;
    double e[3], trace = 0, S[3], rows[9];
    for (int i = 0; i < 3; ++i)
        e[i] = 0.5 * (s[i] * s[i] - 1), trace += e[i];
    for (int i = 0; i < 3; ++i)
    {
        S[i] = 2 * m->mu * e[i] + m->lambda * trace;
        for (int j = 0; j < 3; ++j)
            rows[3 * i + j] = ((i == j ? 2 * m->mu : 0) + m->lambda) * s[j];
    }
    pl_stress_from_second_piola(s, S, rows, stress, derivative);
    *energy = m->mu * (e[0] * e[0] + e[1] * e[1] + e[2] * e[2]) + 0.5 * m->lambda * trace * trace;
}

// A law of the user's own is extended by every rule as the built-in of the same formula, and is asked inside its
// interval only.
static void custom_laws_are_the_built_in_ones(void)
{
    static const struct
    {
        pl_material_kind kind;
        pl_law_function *law;
        double low;
    } pairs[] = {{PL_MATERIAL_NEO_HOOKEAN, cauchy_law, 0.4}, {PL_MATERIAL_STVK, second_piola_law, 0.6}};
    for (int k = 0; k < 2; ++k)
        for (int inversion = PL_INVERSION_ENERGY; inversion <= PL_INVERSION_CONSTANT; ++inversion)
            for (uint64_t seed = 0; seed < 100; ++seed)
            {
                custom_numbers numbers = {.least = INFINITY};
                pl_material_def built_in = material(pairs[k].kind), def = material(PL_MATERIAL_CUSTOM);
                pl_material_lame(1, 0.25, &numbers.mu, &numbers.lambda);
                def.law = pairs[k].law;
                def.law_user = &numbers;
                def.threshold = built_in.threshold = pairs[k].low;
                def.limit = built_in.limit = 2;
                if (inversion == PL_INVERSION_ENERGY) // of a custom law the floors of the smooth clamp are the ends
                    built_in.threshold += 0.1, built_in.limit -= 0.1;
                def.inversion = built_in.inversion = (pl_inversion)inversion;
                pl_mat3 F = random_matrix(seed), P, Q;
                for (int i = 0; i < 9; ++i)
                    F.c[i / 3][i % 3] *= 1.5;
                double a = evaluate(&built_in, &F, &P), b = evaluate(&def, &F, &Q);
                CHECK((isnan(a) && isnan(b)) || fabs(a - b) < 1e-12 * (1 + fabs(a)));
                CHECK_THAT(difference(&P, &Q) < 1e-12 * (1 + largest(&P)), "law %d, rule %d, seed %d: %g of %g", k,
                           inversion, (int)seed, difference(&P, &Q), largest(&P));
                if (k == 0 && inversion != PL_INVERSION_DET)
                    CHECK(numbers.calls > 0 && numbers.least >= 0.4 - 1e-15 && numbers.most <= 2 + 1e-15);
            }
}

static void custom_laws_need_their_function(void)
{
    pl_material_def def = material(PL_MATERIAL_CUSTOM);
    double F[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    CHECK(pl_material_evaluate(ctx, &def, F, NULL, NULL) == PL_ERR_ARGUMENT);
    CHECK(strcmp(pl_context_error(ctx), "material.law: is NULL; a custom material needs its function") == 0);
    CHECK(!pl_material_kind_name(PL_MATERIAL_CUSTOM));
    // two materials with different numbers behind one function are different laws
    int32_t a = 0, b = 0;
    def.law = cauchy_law;
    def.law_user = &a;
    pl__law one = pl__material_law(&def), two = one;
    two.user = &b;
    CHECK(pl__law_equal(&one, &one) && !pl__law_equal(&one, &two));
}

// ---- sheets -------------------------------------------------------------------------------------------------------

// A flat law of a flattened material is a sheet in plane stress: pulled along x and free along y it has Young's
// modulus.
static void flat_laws_are_plane_stress(void)
{
    for (int32_t kind = 0; kind < PL_MATERIAL_LINEAR; ++kind)
    {
        pl_material_def def = material(kind);
        pl__material_params params = pl__material_flatten(pl__material_resolve(&def));
        pl__material_block block;
        double t = 1e-6, sigma[3][16], p[3][16];
        for (int lane = 0; lane < 16; ++lane)
        {
            pl__material_block_set(&block, lane, &params);
            sigma[0][lane] = 1 + t, sigma[1][lane] = 1 - def.poisson * t, sigma[2][lane] = 1;
        }
        pl__law law = pl__material_law(&def);
        law.flat = true;
        pl__material_stress_lane(&law, &block, 0, sigma, &(pl__stress_block){.stress = p});
        CHECK_NEAR(p[0][0] / t, def.young, 1e-4);
        CHECK_NEAR(p[1][0] / t, 0, 1e-4);
    }
}

static void numbers_out_of_range_are_refused(void)
{
    static const struct
    {
        size_t field;
        double value;
        const char *sentence;
    } cases[] = {
        {offsetof(pl_material_def, limit), 0.5, "material.limit: 0.5 must be 0, or above 1 and at most 1e6"},
        {offsetof(pl_material_def, mooney), 1.5, "material.mooney: 1.5 must be in [0, 1]"},
        {offsetof(pl_material_def, stiffening), -1, "material.stiffening: -1 must be in [0, 100]"},
        {offsetof(pl_material_def, stiffening_share), 2, "material.stiffening_share: 2 must be in [0, 1]"},
        {offsetof(pl_material_def, spline_low), 1, "material.spline_low: 1 must be in [-1, 0.99]"},
        {offsetof(pl_material_def, spline_high), 1, "material.spline_high: 1 must be in [1.01, 100]"},
        {offsetof(pl_material_def, spline_stiffening), 0.5, "material.spline_stiffening: 0.5 must be in [1, 10000]"},
        {offsetof(pl_material_def, fiber_strength), NAN, "material.fiber_strength: nan must be in [0, 1e15] Pa"},
        {offsetof(pl_material_def, fiber_optimal), 0, "material.fiber_optimal: 0 must be in [0.1, 10]"},
        {offsetof(pl_material_def, activation), 1.1, "material.activation: 1.1 must be in [0, 1]"},
    };
    double F[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    {
        pl_material_def def = pl_material_def_default();
        memcpy((char *)&def + cases[i].field, &cases[i].value, sizeof(double));
        CHECK(pl_material_evaluate(ctx, &def, F, NULL, NULL) == PL_ERR_ARGUMENT);
        CHECK_THAT(strcmp(pl_context_error(ctx), cases[i].sentence) == 0, "%s", pl_context_error(ctx));
    }
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {
        TEST(laws_match_the_references),
        TEST(fibers_match_the_references),
        TEST(gradient_and_hessian_are_derivatives),
        TEST(extended_stress_is_gradient_beyond_both_ends),
        TEST(stress_is_continuous_on_every_path),
        TEST(a_second_clamp_makes_no_jump),
        TEST(stress_is_finite_up_to_1e40),
        TEST(rest_is_the_only_minimum),
        TEST(spline_is_monotone_and_smooth),
        TEST(special_cases_agree),
        TEST(fung_has_no_seams),
        TEST(custom_laws_are_the_built_in_ones),
        TEST(custom_laws_need_their_function),
        TEST(flat_laws_are_plane_stress),
        TEST(numbers_out_of_range_are_refused),
    };
    ctx = test_context(1);
    int status = RUN(tests);
    pl_context_destroy(&ctx);
    return status;
}

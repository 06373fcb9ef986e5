// tests/additive.c -- plastic strain that is subtracted: closed forms, the other form to first order, forces as
// gradients, and worlds that flow so.
#include "test.h"
#include "fixture.h"
#include "random_input.h"
#include "element/plasticity.h"
#include "element/hex.h"
#include "element/state.h"
#include "element/tet.h"
#include "math/eig3.h"
#include "math/svd3.h"

enum
{
    LANES = PL_MATERIAL_LANES
};

static pl_context *ctx;

static pl_material_def wax(double yield)
{
    pl_material_def def = pl_material_def_default();
    def.kind = PL_MATERIAL_ROTATED_LINEAR;
    def.plastic_form = PL_PLASTIC_ADDITIVE;
    def.yield_strain = yield;
    def.plastic_limit = 100;
    return def;
}

// ---- points held at a deformation ------------------------------------------------------------------------------

typedef struct
{
    pl__plastic_params params;
    pl_mat3 Fp;
    double hardened;
} point;

static point started(const pl_material_def *def)
{
    return (point){.params = pl__plastic_resolve(def), .Fp = pl_identity3()};
}

static bool step_reference(point *p, const pl_mat3 *F, double dt)
{
    pl_mat3 U, W;
    double s[3];
    pl__svd3(F, &U, s, &W);
    return pl__additive_flow_reference(&p->params, dt, s, &W, &p->Fp, &p->hardened);
}

// By the kernel, sixteen points at once.
static void step_wide(point p[LANES], const pl_mat3 F[LANES], double dt, int width, double flowed[LANES])
{
    pl__plastic_block block;
    double sigma[3][LANES], axes[9][LANES];
    memset(&block, 0, sizeof block);
    for (int32_t lane = 0; lane < LANES; ++lane)
    {
        pl_mat3 U, W;
        double s[3];
        pl__svd3(&F[lane], &U, s, &W);
        pl__plastic_clear(&block, lane);
        pl__plastic_set_params(&block, lane, &p[lane].params);
        block.hardened[lane] = p[lane].hardened;
        for (int k = 0; k < 9; ++k)
        {
            axes[k][lane] = W.c[k / 3][k % 3];
            block.Fp[k][lane] = p[lane].Fp.c[k / 3][k % 3];
        }
        for (int i = 0; i < 3; ++i)
            sigma[i][lane] = s[i];
    }
    PL_PICK(width, pl__additive_flow_batch)
    (&block, dt, (const double(*)[LANES])sigma, (const double(*)[LANES])axes, flowed);
    for (int32_t lane = 0; lane < LANES; ++lane)
    {
        p[lane].hardened = block.hardened[lane];
        for (int k = 0; k < 9; ++k)
            p[lane].Fp.c[k / 3][k % 3] = block.Fp[k][lane];
    }
}

// The same in every lane.
static bool step_one(point *p, const pl_mat3 *F, double dt, bool wide)
{
    point all[LANES];
    pl_mat3 shape[LANES];
    double flowed[LANES];
    if (!wide)
        return step_reference(p, F, dt);
    for (int32_t lane = 0; lane < LANES; ++lane)
    {
        all[lane] = *p;
        shape[lane] = *F;
    }
    step_wide(all, shape, dt, ctx->register_bytes, flowed);
    *p = all[7];
    return flowed[7] != 0;
}

static pl_mat3 minus(const pl_mat3 *A, const pl_mat3 *B) { return pl_axpy33(-1, B, A); }
static double trace(const pl_mat3 *A) { return A->c[0][0] + A->c[1][1] + A->c[2][2]; }
static double norm(const pl_mat3 *A)
{
    double sum = 0;
    for (int k = 0; k < 9; ++k)
        sum += A->c[k / 3][k % 3] * A->c[k / 3][k % 3];
    return sqrt(sum);
}
static pl_mat3 strain_of(const point *p)
{
    pl_mat3 one = pl_identity3();
    return minus(&p->Fp, &one);
}

// e - p at F
static pl_mat3 elastic(const point *p, const pl_mat3 *F)
{
    pl_mat3 U, W;
    double s[3];
    pl__svd3(F, &U, s, &W);
    pl_mat3 S = from_stretches(&W, s, &W);
    return minus(&S, &p->Fp);
}

static pl_mat3 deviator(const pl_mat3 *A)
{
    pl_mat3 one = pl_identity3();
    return pl_axpy33(-trace(A) / 3, &one, A);
}

static pl_mat3 pulled(double strain, const pl_mat3 *Q)
{
    const double s[3] = {1 + strain, 1, 1};
    return from_stretches(Q, s, Q);
}

// I and a part of any matrix.
static pl_mat3 random_near(uint64_t seed, double size)
{
    pl_mat3 A = random_matrix(seed), one = pl_identity3();
    return pl_axpy33(size, &A, &one);
}

// ---- the rule --------------------------------------------------------------------------------------------------

// A strain e that is held leaves e exp(-c t) elastic, until that is the yield; the same curve for steps of 10 ms and of
// 1 ms, along any axes.
static void strain_relaxes_exponentially(void)
{
    const double e = 0.2, yield = 0.05, c = 10;
    for (int wide = 0; wide < 2; ++wide)
        for (uint64_t turn = 0; turn < 4; ++turn)
            for (int fine = 1; fine <= 10; fine *= 10)
            {
                double dt = 0.01 / fine;
                pl_mat3 Q = turn ? random_rotation(turn) : pl_identity3(), F = pulled(e, &Q);
                pl_material_def def = wax(yield);
                def.creep = c;
                point p = started(&def);
                for (int i = 1; i <= 30 * fine; ++i)
                {
                    (void)step_one(&p, &F, dt, wide);
                    pl_mat3 strain = strain_of(&p);
                    CHECK_NEAR(norm(&strain), e - fmax(yield, e * exp(-c * i * dt)), 1e-12);
                    CHECK_NEAR(p.hardened, norm(&strain), 1e-12);
                }
            }
}

// Plastic strain stops at plastic_max, at the time when the curve gets there, for both lengths of steps.
static void plastic_strain_has_a_maximum(void)
{
    const double e = 0.5, c = 5, most = 0.3;
    for (int wide = 0; wide < 2; ++wide)
        for (int fine = 1; fine <= 10; fine *= 10)
        {
            double dt = 0.01 / fine;
            pl_mat3 Q = random_rotation(3), F = pulled(e, &Q);
            pl_material_def def = wax(0.01);
            def.creep = c;
            def.plastic_max = most;
            point p = started(&def);
            for (int i = 1; i <= 40 * fine; ++i)
            {
                (void)step_one(&p, &F, dt, wide);
                pl_mat3 strain = strain_of(&p);
                CHECK_NEAR(norm(&strain), fmin(most, e * (1 - exp(-c * i * dt))), 1e-12);
            }
        }
}

// Without a rate it flows at once. Of an excess x the part x / (1 + H) flows, and the yield grows by H times that.
static void hardening_has_its_closed_form(void)
{
    for (double H = 0; H < 3; H += 0.5)
    {
        pl_mat3 Q = random_rotation(8), F = pulled(0.2, &Q);
        pl_material_def def = wax(0.05);
        def.hardening = H;
        point p = started(&def);
        CHECK(step_one(&p, &F, 1e-9, true));
        pl_mat3 strain = strain_of(&p);
        CHECK_NEAR(norm(&strain), 0.15 / (1 + H), 1e-14);
    }
}

// After the return the criterion holds with equality, whatever axes e and p have; where volume does not flow the trace
// of p is 0.
static void the_return_ends_on_the_yield_surface(void)
{
    for (uint64_t k = 0; k < 300; ++k)
    {
        pl_material_def def = wax(0.03);
        int criterion = (int)(k % 3); // strain, strain with volume kept, von Mises
        def.yield_criterion = criterion == 2 ? PL_YIELD_VON_MISES : PL_YIELD_STRAIN;
        def.isochoric = criterion == 1;
        def.hardening = k % 2 ? 0.4 : 0;
        point p = started(&def);
        for (uint64_t load = 0; load < 4; ++load)
        {
            pl_mat3 F = random_near(10 * k + load, 0.25);
            bool flowed = step_one(&p, &F, 0, k / 3 % 2);
            pl_mat3 d = elastic(&p, &F), strain = strain_of(&p), shape = deviator(&d);
            double size = criterion == 2 ? norm(&shape) : norm(&d), yield = 0.03 + def.hardening * p.hardened;
            if (flowed && (criterion != 1 || norm(&shape) > 1e-9)) // pressure alone may be beyond the yield
                CHECK_NEAR(size, yield, 1e-12);
            CHECK(criterion == 1 || size <= yield + 1e-12);
            CHECK(criterion == 0 || fabs(trace(&strain)) < 1e-14);
        }
    }
}

// Shapes of every kind: moderate, huge, flat, inverted, zero, not a number.
static pl_mat3 any_shape(uint64_t seed)
{
    static const double size[] = {0.3, 1, 3, 1e3, 1e-3};
    pl_mat3 A = random_matrix(seed), none = {0};
    for (int k = 0; k < 9; ++k)
        A.c[k / 3][k % 3] *= size[seed % 5];
    if (seed % 11 == 0)
        A.c[0][1] = NAN;
    return seed % 7 == 0 ? none : A;
}

// Whatever happens, I + p is finite and symmetric, with eigenvalues within the limits, and |p| at most what is allowed.
static void limits_hold(void)
{
    for (uint64_t k = 0; k < 400; ++k)
    {
        pl_material_def def = wax(0.02);
        def.plastic_limit = 1.5 + (double)(k % 4);
        def.plastic_max = k % 3 ? 0.4 * (double)(k % 3) : 0;
        def.yield_criterion = k % 2 ? PL_YIELD_VON_MISES : PL_YIELD_STRAIN;
        point p = started(&def);
        for (uint64_t load = 0; load < 6; ++load)
        {
            pl_mat3 F = any_shape(6 * k + load), Q;
            double l[3];
            (void)step_one(&p, &F, 0, true);
            pl__eig3(&p.Fp, &Q, l);
            pl_mat3 strain = strain_of(&p);
            CHECK(l[0] <= def.plastic_limit * (1 + 1e-12) && l[2] >= (1 - 1e-12) / def.plastic_limit &&
                  isfinite(p.hardened));
            CHECK(def.plastic_max == 0 || norm(&strain) <= def.plastic_max * (1 + 1e-12));
            CHECK(k % 2 == 0 || fabs(trace(&strain)) < 1e-12);
            CHECK(p.Fp.c[0][1] == p.Fp.c[1][0] && p.Fp.c[0][2] == p.Fp.c[2][0] && p.Fp.c[1][2] == p.Fp.c[2][1]);
        }
    }
}

// Inverted and elastic elements, and what is not a number, keep their bits.
static void what_does_not_flow_keeps_its_bits(void)
{
    const double inside_out[3] = {1.3, 1, -0.2};
    pl_mat3 Q = random_rotation(1), R = random_rotation(2), odd = random_near(3, 0.1);
    pl_mat3 shapes[3] = {from_stretches(&Q, inside_out, &R), pulled(0.04, &Q), odd};
    shapes[2].c[1][1] = NAN;
    for (int k = 0; k < 3; ++k)
    {
        pl_material_def def = wax(0.05);
        point p = started(&def), before = p;
        CHECK(!step_one(&p, &shapes[k], 0.01, true));
        CHECK(memcmp(&p, &before, sizeof p) == 0);
    }
}

// A turned element flows as one that is not; turned rest space turns the plastic strain with it.
static void turning_does_not_matter(void)
{
    for (uint64_t k = 0; k < 100; ++k)
    {
        pl_material_def def = wax(0.02);
        def.yield_criterion = k % 2 ? PL_YIELD_VON_MISES : PL_YIELD_STRAIN;
        def.creep = k % 3 ? 20 : 0;
        point p = started(&def), turned = p, within = p;
        pl_mat3 Q = random_rotation(k), Qt = pl_transpose3(&Q);
        for (uint64_t load = 0; load < 3; ++load)
        {
            pl_mat3 F = random_near(7 * k + load, 0.2), QF = pl_mul33(&Q, &F), FQ = pl_mul33(&F, &Qt);
            (void)step_one(&p, &F, 0.01, true);
            (void)step_one(&turned, &QF, 0.01, true);
            (void)step_one(&within, &FQ, 0.01, true);
        }
        pl_mat3 back = pl_mul33(&within.Fp, &Q), difference = minus(&turned.Fp, &p.Fp);
        back = pl_mul33(&Qt, &back);
        CHECK_THAT(norm(&difference) < 1e-13, "%g", norm(&difference));
        difference = minus(&back, &p.Fp);
        CHECK_THAT(norm(&difference) < 1e-13, "%g", norm(&difference));
    }
}

// For small strains both forms are one: what they differ by falls with the square of the strain, over loads in changing
// axes.
static void small_strains_flow_as_in_the_other_form(void)
{
    for (uint64_t k = 0; k < 30; ++k)
    {
        double difference[2];
        for (int fine = 0; fine < 2; ++fine)
        {
            double size = fine ? 1e-4 : 2e-4;
            pl_material_def def = wax(0.3 * size);
            def.hardening = k % 2 ? 0.3 : 0;
            def.yield_criterion = k / 2 % 2 ? PL_YIELD_VON_MISES : PL_YIELD_STRAIN;
            def.isochoric = k % 5 == 0;
            point sum = started(&def), product = sum;
            for (uint64_t load = 0; load < 4; ++load)
            {
                pl_mat3 F = random_near(5 * k + load, size), inverse = pl_inverse3(&product.Fp),
                        Fe = pl_mul33(&F, &inverse), U, V;
                double s[3];
                (void)step_reference(&sum, &F, 0);
                pl__svd3(&Fe, &U, s, &V);
                (void)pl__plastic_flow_reference(3, &product.params, 0, NULL, s, &V, &product.Fp, &product.hardened);
            }
            pl_mat3 strain = strain_of(&product), other = strain_of(&sum);
            pl_mat3 symmetric = pl_transpose3(&strain);
            for (int i = 0; i < 9; ++i)
                symmetric.c[i / 3][i % 3] = 0.5 * (symmetric.c[i / 3][i % 3] + strain.c[i / 3][i % 3]);
            CHECK(norm(&other) > 0.2 * size);
            symmetric = minus(&symmetric, &other);
            difference[fine] = norm(&symmetric);
            CHECK_THAT(difference[fine] < 20 * size * size, "%g of %g", difference[fine], size);
        }
        CHECK_THAT(difference[1] < 0.35 * difference[0], "%g, %g", difference[0], difference[1]);
    }
}

// Points with every criterion, hardening, creep and limits, and something plastic already.
static point any_point(uint64_t seed)
{
    pl_material_def def = wax(0.02 + 0.03 * (double)(seed % 3));
    def.yield_criterion = seed % 2 ? PL_YIELD_VON_MISES : PL_YIELD_STRAIN;
    def.isochoric = seed % 4 == 0;
    def.hardening = seed % 5 ? 0 : 0.7;
    def.creep = seed % 7 ? 0 : 30;
    def.plastic_limit = seed % 3 ? 1.4 : 4;
    def.plastic_max = seed % 6 ? 0 : 0.3;
    point p = started(&def);
    for (int i = 0; i < 3; ++i)
        for (int j = i; j < 3; ++j)
            p.Fp.c[j][i] += 0.08 * random_pm(seed, (uint64_t)(3 * i + j));
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < i; ++j)
            p.Fp.c[j][i] = p.Fp.c[i][j];
    if (seed % 2 || seed % 4 == 0)
        p.Fp.c[2][2] = 3 - p.Fp.c[0][0] - p.Fp.c[1][1];
    return p;
}

static void flow_agrees_with_the_oracle(void)
{
    for (uint64_t k = 0; k < 60; ++k)
    {
        point p[LANES], oracle[LANES];
        pl_mat3 F[LANES];
        double flowed[LANES];
        for (uint64_t lane = 0; lane < LANES; ++lane)
        {
            p[lane] = oracle[lane] = any_point(LANES * k + lane);
            F[lane] = random_near(900 + LANES * k + lane, k % 2 ? 0.3 : 0.9);
        }
        step_wide(p, F, 0.01, ctx->register_bytes, flowed);
        for (int lane = 0; lane < LANES; ++lane)
        {
            bool expected = step_reference(&oracle[lane], &F[lane], 0.01);
            pl_mat3 difference = minus(&p[lane].Fp, &oracle[lane].Fp);
            CHECK_THAT(norm(&difference) < 1e-13, "%g", norm(&difference));
            CHECK_NEAR(p[lane].hardened, oracle[lane].hardened, 1e-13);
            CHECK(expected == (flowed[lane] != 0));
        }
    }
}

static void widths_agree(void)
{
    for (uint64_t k = 0; k < 60; ++k)
    {
        point first[LANES];
        for (int width = 0; width <= ctx->register_bytes; width = width ? 2 * width : 16)
        {
            point p[LANES];
            pl_mat3 F[LANES];
            double flowed[LANES];
            for (uint64_t lane = 0; lane < LANES; ++lane)
            {
                p[lane] = any_point(LANES * k + lane);
                F[lane] = k % 2 ? any_shape(LANES * k + lane) : random_near(LANES * k + lane, 0.5);
            }
            step_wide(p, F, 0.01, width, flowed);
            if (width == 0)
                memcpy(first, p, sizeof p);
            CHECK(memcmp(first, p, sizeof p) == 0);
        }
    }
}

// ---- elements --------------------------------------------------------------------------------------------------

enum
{
    COUNT = 21, // not a multiple of the block
    BLOCKS = 2,
    NODES = 8 * COUNT
};

// Separate elements that all flow.
typedef struct
{
    pl__element_group group;
    double X[3 * NODES + 1], x[3 * NODES + 1], share[8];
    double force[BLOCKS * 8 * 3 * 16], frame[BLOCKS * 8 * 9 * 16];
    pl__element_sums sums;
} elements;

typedef struct
{
    pl__element_kind element;
    pl_material_kind kind;
} variety;
static const variety varieties[] = {{PL__TET, PL_MATERIAL_ROTATED_LINEAR},
                                    {PL__HEX, PL_MATERIAL_ROTATED_LINEAR},
                                    {PL__TET, PL_MATERIAL_LINEAR},
                                    {PL__HEX, PL_MATERIAL_LINEAR}};
enum
{
    VARIETIES = sizeof varieties / sizeof varieties[0]
};

static int corners_of(const elements *t) { return pl__element_type_of(t->group.kind)->corners; }

static void place(elements *t, int32_t e, const pl__material_params *material, const pl__plastic_params *params)
{
    static const double cube[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                      {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    static const double simplex[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double X[8][3] = {{0}};
    int32_t node[8];
    for (int k = 0; k < 8; ++k)
        node[k] = 8 * e + k;
    for (int k = 0; k < 3 * corners_of(t); ++k)
        X[k / 3][k % 3] =
            (t->group.kind == PL__HEX ? cube : simplex)[k / 3][k % 3] + 0.15 * random_pm((uint64_t)e, (uint64_t)k);
    memcpy(&t->X[24 * e], X, sizeof X);
    pl__element_rest_set(&t->group, e, &(pl__element_shape){.node = node, .X = (const double(*)[3])X}, material);
    pl__plasticity_set_params(&t->group, e, params);
    pl__element_set_gain(&t->group, e, t->share);
}

static elements *make(variety v, double yield)
{
    elements *t = calloc(1, sizeof *t);
    pl_material_def def = wax(yield);
    def.kind = v.kind;
    def.young = 1;
    def.poisson = 0.3;
    def.plastic_limit = 3;
    pl__material_params material = pl__material_resolve(&def);
    pl__plastic_params params = pl__plastic_resolve(&def);
    t->group = (pl__element_group){.kind = v.element,
                                   .law = pl__material_law(&def),
                                   .flows = true,
                                   .additive = true,
                                   .damping_model = PL_DAMPING_CONSERVING,
                                   .damped = true,
                                   .count = COUNT,
                                   .block_count = BLOCKS};
    t->group.rest = calloc(BLOCKS, pl__element_type_of(v.element)->rest_bytes);
    for (int k = 0; k < 8; ++k)
        t->share[k] = 0.1;
    CHECK_OK(ctx, pl__plasticity_create(ctx, &t->group));
    for (int32_t e = 0; e < BLOCKS * 16; ++e)
        if (e < COUNT)
            place(t, e, &material, &params);
        else
            pl__element_rest_clear(&t->group, e, 0);
    return t;
}

static void destroy(elements *t)
{
    pl__plasticity_destroy(ctx, &t->group);
    free(t->group.rest);
    free(t);
}

// Every element by a matrix of its own, and hexahedra bent besides.
static void deform(elements *t, uint64_t seed, double size)
{
    for (int32_t k = 0; k < 3 * NODES; ++k)
    {
        int32_t e = k / 24, i = k % 3;
        pl_mat3 F = random_near(seed + (uint64_t)e, size);
        const double *X = &t->X[k - i];
        double bend = t->group.kind == PL__HEX ? 0.1 * random_pm(seed, (uint64_t)k) : 0;
        t->x[k] = F.c[0][i] * X[0] + F.c[1][i] * X[1] + F.c[2][i] * X[2] + bend;
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
                         .flow = flow,
                         .flow_dt = 0.01};
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
    else
        pl__hex_force_reference(&t->group, e, t->x, 1, force, energy, NULL);
}

// Flowed in several axes, and then of another shape.
static elements *kneaded(variety v)
{
    elements *t = make(v, 0.05);
    for (uint64_t load = 0; load < 3; ++load)
    {
        deform(t, 100 * load, 0.3);
        evaluate(t, ctx->register_bytes, true);
    }
    deform(t, 1000, 0.2);
    evaluate(t, ctx->register_bytes, false);
    CHECK(pl__plasticity_happened(&t->group));
    return t;
}

// Forces are minus the slopes of the energy, p held: in every coordinate, though p has other axes than the strain.
static void forces_are_the_gradient_of_the_energy(void)
{
    for (int i = 0; i < VARIETIES; ++i)
    {
        elements *t = kneaded(varieties[i]);
        const double h = 1e-5;
        for (int32_t e = 0; e < COUNT; ++e)
            for (int k = 0; k < 3 * corners_of(t); ++k)
            {
                double *x = &t->x[24 * e + k], energy[2], force[8][3];
                for (int side = 0; side < 2; ++side)
                {
                    *x += side ? -2 * h : h;
                    reference(t, e, force, &energy[side]);
                }
                *x += h;
                CHECK_NEAR(at(t, e, k), -(energy[0] - energy[1]) / (2 * h), 1e-9);
            }
        destroy(t);
    }
}

// Elements neither push nor turn themselves; those of plain linear elasticity turn whatever they do.
static void elements_do_not_push_or_turn_themselves(void)
{
    for (int i = 0; i < VARIETIES; ++i)
    {
        elements *t = kneaded(varieties[i]);
        for (int far = 0; far < 2; ++far)
        {
            deform(t, 40, far ? 2 : 0.2); // far: most are inverted
            evaluate(t, ctx->register_bytes, false);
            for (int32_t e = 0; e < COUNT; ++e)
            {
                double sum[3] = {0}, torque[3] = {0};
                for (int k = 0; k < 3 * corners_of(t); ++k)
                {
                    int a = (k + 1) % 3, b = (k + 2) % 3, corner = k - k % 3;
                    sum[k % 3] += at(t, e, k);
                    torque[k % 3] += t->x[24 * e + corner + a] * at(t, e, corner + b) -
                                     t->x[24 * e + corner + b] * at(t, e, corner + a);
                }
                for (int k = 0; k < 3; ++k)
                    CHECK_THAT(fabs(sum[k]) < 1e-13 &&
                                   (varieties[i].kind == PL_MATERIAL_LINEAR || fabs(torque[k]) < 1e-12),
                               "%g, %g", sum[k], torque[k]);
            }
        }
        destroy(t);
    }
}

static void elements_agree_with_the_oracle_at_every_width(void)
{
    for (int i = 0; i < VARIETIES; ++i)
    {
        elements *first = kneaded(varieties[i]);
        for (int width = 0; width <= ctx->register_bytes; width = width ? 2 * width : 16)
        {
            elements *t = make(varieties[i], 0.05);
            for (uint64_t load = 0; load < 3; ++load)
            {
                deform(t, 100 * load, 0.3);
                evaluate(t, width, true);
            }
            deform(t, 1000, 0.2);
            evaluate(t, width, false);
            CHECK(memcmp(t->force, first->force, sizeof t->force) == 0 &&
                  memcmp(&t->sums, &first->sums, sizeof t->sums) == 0);
            destroy(t);
        }
        double total = 0;
        for (int32_t e = 0; e < COUNT; ++e)
        {
            double force[8][3], energy;
            reference(first, e, force, &energy);
            total += energy;
            for (int k = 0; k < 3 * corners_of(first); ++k)
                CHECK_NEAR(at(first, e, k), force[k / 3][k % 3], 1e-14);
        }
        CHECK_NEAR(pl__lane_sum(first->sums.energy), total, 1e-13);
        destroy(first);
    }
}

// Rest shapes and gains stay, and damping with them, whatever flows.
static void rest_shapes_stay(void)
{
    for (int i = 0; i < VARIETIES; ++i)
    {
        elements *t = kneaded(varieties[i]), *fresh = make(varieties[i], 0.05);
        size_t bytes = BLOCKS * pl__element_type_of(t->group.kind)->rest_bytes;
        pl__plasticity_refresh(ctx->register_bytes, &t->group);
        CHECK(memcmp(t->group.rest, fresh->group.rest, bytes) == 0);
        deform(fresh, 1000, 0.2);
        evaluate(fresh, ctx->register_bytes, false);
        CHECK(memcmp(t->frame, fresh->frame, sizeof t->frame) == 0);
        destroy(t);
        destroy(fresh);
    }
}

// A shape that all of the strain has flowed into has no energy, no strain and no forces.
static void what_has_flowed_is_relaxed(void)
{
    for (int i = 0; i < VARIETIES; ++i)
    {
        elements *t = make(varieties[i], 1e-12);
        deform(t, 3, 0.2);
        for (int k = 0; k < 3; ++k) // a root of a difference leaves 1e-8 of the strain at first
            evaluate(t, ctx->register_bytes, true);
        CHECK_THAT(pl__lane_sum(t->sums.energy) < 1e-22 && pl__lane_sum(t->sums.energy) >= 0, "%d: %g", i,
                   pl__lane_sum(t->sums.energy));
        CHECK(pl__lane_sum(t->sums.strain2) < 1e-22);
        for (int32_t e = 0; e < COUNT; ++e)
            for (int k = 0; k < 3 * corners_of(t); ++k)
                CHECK(fabs(at(t, e, k)) < 1e-11);
        destroy(t);
    }
}

// The volume is the volume, and the stress times it is the virial of the forces, -sum f x^T, of tetrahedra in finite
// motion; energies and how much has flowed are those of the elements.
static void states_are_those_of_the_elastic_strain(void)
{
    for (int i = 0; i < VARIETIES; ++i)
    {
        elements *t = kneaded(varieties[i]);
        pl__element_state state[BLOCKS * 16];
        double volume = 0;
        for (int32_t b = 0; b < BLOCKS; ++b)
            pl__element_block_state(&t->group, b, t->x, 1, ctx->register_bytes, &state[16 * b]);
        for (int32_t e = 0; e < COUNT; ++e)
        {
            double x[8][3], cauchy[9], force[8][3], energy;
            memcpy(x, &t->x[24 * e], sizeof x);
            pl_mat3 Ds;
            for (int k = 0; k < 9; ++k)
                Ds.c[k / 3][k % 3] = x[k / 3 + 1][k % 3] - x[0][k % 3];
            double now = t->group.kind == PL__HEX ? pl__hex_volume(x, NULL) : pl_det3(&Ds) / 6;
            volume += now;
            reference(t, e, force, &energy);
            CHECK_NEAR(state[e].energy * pl__element_volume(&t->group, e), energy, 1e-13);
            CHECK(state[e].plastic > 0.01);
            pl__element_state_cauchy(&state[e], cauchy);
            for (int c = 0; i == 0 && c < 9; ++c)
            {
                double virial = 0;
                for (int k = 0; k < corners_of(t); ++k)
                    virial -= at(t, e, 3 * k + c % 3) * x[k][c / 3];
                CHECK_NEAR(cauchy[c] * now, virial, 1e-13);
            }
        }
        CHECK_NEAR(pl__lane_sum(t->sums.volume), volume, 1e-12);
        destroy(t);
    }
}

// Largest eigenvalue of the change of forces with positions over the mass of a corner, by differences and powers.
static double stiffest(elements *t, int32_t e)
{
    int n = 3 * corners_of(t);
    double K[24][24], u[24], size = 0;
    const double h = 1e-6;
    for (int k = 0; k < n; ++k)
        for (int side = 0; side < 2; ++side)
        {
            double force[8][3];
            t->x[24 * e + k] += side ? -2 * h : h;
            reference(t, e, force, NULL);
            for (int i = 0; i < n; ++i)
                K[i][k] = side ? (K[i][k] + force[i / 3][i % 3]) / (2 * h * t->share[0]) : -force[i / 3][i % 3];
            t->x[24 * e + k] += side ? h : 0;
        }
    for (int k = 0; k < n; ++k)
        u[k] = random_pm(5, (uint64_t)k);
    for (int round = 0; round < 300; ++round)
    {
        double v[24], norm2 = 0;
        for (int i = 0; i < n; ++i)
        {
            v[i] = 0;
            for (int k = 0; k < n; ++k)
                v[i] += K[i][k] * u[k];
            norm2 += v[i] * v[i];
        }
        size = sqrt(norm2);
        for (int i = 0; i < n; ++i)
            u[i] = v[i] / size;
    }
    return size;
}

// x = diag(along, across, across) X, a little out of shape.
static void pull(elements *t, uint64_t seed, double along, double across)
{
    deform(t, seed, 0.03);
    for (int32_t k = 0; k < 3 * NODES; ++k)
        t->x[k] *= k % 3 == 0 ? along : across;
}

// No element is stiffer than its bound on frequencies says, of any shape; nor where it is pulled out of one that it was
// pressed into, thin as it is: its tension holds its axes then, of which the law at e, not e - p, knows nothing.
static void the_bound_on_frequencies_holds(void)
{
    for (int i = 0; i < 2; ++i)
        for (uint64_t k = 0; k < 6; ++k)
        {
            elements *t = make(varieties[i], 0.02);
            pl_material_def def = wax(0.02);
            def.young = 1;
            def.poisson = 0.47;
            pl__material_params stiff = pl__material_resolve(&def);
            for (int32_t e = 0; k % 2 && e < COUNT; ++e)
                pl__element_set_material(&t->group, e, &stiff);
            if (k % 2)
                pull(t, 50 * k, 0.36, 0.36);
            else
                deform(t, 50 * k, 0.5);
            evaluate(t, ctx->register_bytes, true);
            if (k % 2)
                pull(t, 50 * k + 7, 1.2 + 0.2 * (double)k, 0.3);
            else
                deform(t, 50 * k + 7, 0.2);
            evaluate(t, ctx->register_bytes, false);
            for (int32_t e = 0; e < COUNT; ++e)
                CHECK_THAT(stiffest(t, e) <= t->sums.frequency2[e % 16] * (1 + 1e-6), "%g of %g", stiffest(t, e),
                           t->sums.frequency2[e % 16]);
            destroy(t);
        }
}

// ---- worlds ----------------------------------------------------------------------------------------------------

static bool everything(const double X[3]) { return X[0] < 1e9; }
static void hold_all(const fixture *f)
{
    pl_pin_def pin = pl_pin_def_default();
    fixture_pin(f, &pin, everything);
}

// One way of sixteen: tetrahedra or hexahedra, stepped this way or that, damped this way or that, of both laws.
static fixture_def way_of(int way)
{
    fixture_def def = fixture_default();
    def.shape.edge = 0.5;
    def.shape.elements = way % 2 ? PL_ELEMENT_HEX : PL_ELEMENT_TET;
    def.solver.integrator = way / 2 % 2 ? PL_INTEGRATOR_IMPLICIT_EULER : PL_INTEGRATOR_SEMI_IMPLICIT;
    def.material = wax(0.05);
    def.material.damping_model = way / 4 % 2 ? PL_DAMPING_CONSERVING : PL_DAMPING_ROTATED;
    def.material.kind = way / 8 ? PL_MATERIAL_LINEAR : PL_MATERIAL_ROTATED_LINEAR;
    return def;
}

// Positions of a fixture's mesh stretched along x; to be freed.
static double *start_of(const fixture_def *def, double strain)
{
    pl_mesh *mesh;
    CHECK_OK(ctx, pl_mesh_create_shape(ctx, &def->shape, &mesh));
    int32_t n = pl_mesh_node_count(mesh);
    double *start = malloc(24 * (size_t)n);
    for (int32_t k = 0; k < 3 * n; ++k)
        start[k] = pl_mesh_positions(mesh)[k] * (k % 3 == 0 ? 1 + strain : 1);
    pl_mesh_destroy(&mesh);
    return start;
}

// A block that starts stretched and is held by all its nodes creeps along the curve, at any substep. Its volume is the
// present one.
static void held_block_creeps_along_the_curve(void)
{
    for (int way = 0; way < 16; ++way)
    {
        fixture_def def = way_of(way);
        double *start = start_of(&def, 0.2);
        def.solver.substep = way / 2 % 2 ? 0.01 : way % 2 ? 0.001 : 0.0025;
        def.material.creep = 10;
        def.body.start_positions = start;
        def.prepare = hold_all;
        fixture f = fixture_make(&def);
        pl_step_info info = fixture_step(&f, 0.05);
        CHECK_NEAR(fixture_plastic(&f), 0.2 - 0.2 * exp(-10 * 0.05), 1e-9);
        CHECK_NEAR(info.volume, 1.2, 1e-12);
        info = fixture_step(&f, 0.2);
        CHECK_NEAR(fixture_plastic(&f), 0.15, 1e-9);
        double mu, lambda;
        pl_material_lame(def.material.young, def.material.poisson, &mu, &lambda);
        CHECK_NEAR(info.elastic, (mu + 0.5 * lambda) * 0.05 * 0.05, 1e-9 * def.material.young); // of 1 m^3 at rest
        fixture_done(&f);
        free(start);
    }
}

// Let go of, it comes to rest longer by what has flowed: 1.2 less the yield of 0.05, and less the little that flows
// back where its ends let go first.
static void a_released_block_keeps_what_has_flowed(void)
{
    for (int way = 0; way < 4; ++way)
    {
        fixture_def def = way_of(way);
        double *start = start_of(&def, 0.2);
        def.material.damping = 0.2; // so much that it does not swing back
        def.body.start_positions = start;
        fixture f = fixture_make(&def);
        for (int k = 0; k < 90; ++k)
            (void)fixture_step(&f, 1.0 / 30);
        const pl__solids *s = &f.world->solids;
        double low[3] = {9, 9, 9}, high[3] = {-9, -9, -9};
        for (int32_t k = 0; k < 3 * s->node_count; ++k)
        {
            low[k % 3] = fmin(low[k % 3], s->state.x[k]);
            high[k % 3] = fmax(high[k % 3], s->state.x[k]);
        }
        CHECK_THAT(high[0] - low[0] > 1.135 && high[0] - low[0] < 1.15, "%g", high[0] - low[0]);
        CHECK_NEAR(high[1] - low[1], 1, 2e-3);
        CHECK(fixture_step(&f, 0.01).elastic < 1e-3 * def.material.young);
        fixture_done(&f);
        free(start);
    }
}

// A free body that flows while it tumbles keeps its momentum and its angular momentum.
static void tumbling_bodies_keep_their_momentum(void)
{
    for (int hexes = 0; hexes < 2; ++hexes)
    {
        fixture_def def = way_of(hexes + 4);
        double *start = start_of(&def, 0.5);
        def.material.damping = 0;
        def.body.start_positions = start;
        def.body.velocity[0] = 1;
        def.body.spin[2] = 4;
        def.body.spin[1] = 3;
        fixture f = fixture_make(&def);
        pl_step_info first = fixture_step(&f, 1e-4), last = first;
        for (int k = 0; k < 40; ++k)
            last = fixture_step(&f, 0.01);
        CHECK(pl__plasticity_happened(&f.world->bodies.body[0]->group[0]));
        for (int i = 0; i < 3; ++i)
        {
            CHECK_NEAR(last.momentum[i], first.momentum[i], 1e-8 * 1000);
            CHECK_NEAR(last.angular[i], first.angular[i], 1e-6 * 1000);
        }
        fixture_done(&f);
        free(start);
    }
}

// A state that is saved and loaded goes on with the same bits.
static void snapshots_resume_to_the_bit(void)
{
    for (int way = 0; way < 4; ++way)
    {
        fixture_def def = way_of(way);
        double *start = start_of(&def, 0.4);
        def.material.creep = 8;
        def.material.hardening = 0.2;
        def.material.yield_criterion = PL_YIELD_VON_MISES;
        def.body.start_positions = start;
        fixture f = fixture_make(&def);
        for (int k = 0; k < 5; ++k)
            (void)fixture_step(&f, 0.02);
        size_t size = pl_world_save_size(f.world), bytes = 24 * (size_t)f.world->solids.node_count;
        void *state = malloc(size);
        MUST(pl_world_save(f.world, state, size));
        for (int k = 0; k < 5; ++k)
            (void)fixture_step(&f, 0.02);
        fixture again = fixture_make(&def);
        CHECK_OK(again.ctx, pl_world_load(again.world, state, size));
        for (int k = 0; k < 5; ++k)
            (void)fixture_step(&again, 0.02);
        CHECK(memcmp(f.world->solids.state.x, again.world->solids.state.x, bytes) == 0 &&
              memcmp(f.world->solids.state.v, again.world->solids.state.v, bytes) == 0);
        fixture_done(&again);

        // nor does a world of the other form take it
        def.material.plastic_form = PL_PLASTIC_MULTIPLICATIVE;
        fixture other = fixture_make(&def);
        CHECK(pl_world_load(other.world, state, size) != PL_OK);
        fixture_done(&other);
        free(state);
        free(start);
        fixture_done(&f);
    }
}

// Molten wax is softer, yields sooner and flows faster, by the factors of its material, and what has flowed is of its
// present stiffness.
static void heat_changes_what_flows(void)
{
    for (int way = 0; way < 4; ++way)
    {
        fixture_def def = way_of(way);
        double *start = start_of(&def, 0.2), mu, lambda;
        def.solver.substep = 0.001;
        def.material.creep = 1;
        def.material.melting = 50;
        def.material.melt_young = 0.25;
        def.body.start_positions = start;
        def.prepare = hold_all;
        fixture f = fixture_make(&def);
        MUST(pl_world_heat(f.world, (double[3]){0}, 1e5, 50));
        pl_step_info info = fixture_step(&f, 0.05);
        pl_material_lame(0.25 * def.material.young, def.material.poisson, &mu, &lambda);
        double left = 0.2 * exp(-10 * 0.05);
        CHECK_NEAR(fixture_plastic(&f), 0.2 - left, 1e-6);
        CHECK_NEAR(info.elastic, (mu + 0.5 * lambda) * left * left, 1e-6 * def.material.young);
        (void)fixture_step(&f, 0.8);
        CHECK_NEAR(fixture_plastic(&f), 0.195, 1e-6);
        fixture_done(&f);
        free(start);
    }
}

// A body that is cut keeps what has flowed in every element, to the bit, and goes on.
static void what_is_cut_keeps_what_has_flowed(void)
{
    for (int way = 0; way < 4; ++way)
    {
        fixture_def def = way_of(way);
        def.shape.edge = 0.25;
        double *start = start_of(&def, 0.3);
        def.body.start_positions = start;
        def.body.cuttable = 1;
        fixture f = fixture_make(&def);
        (void)fixture_step(&f, 0.02);
        int32_t count = pl_body_element_count(f.world, f.body), torn;
        double *before = calloc((size_t)count, sizeof *before), *after = calloc((size_t)count, sizeof *after);
        MUST(pl_body_read_field(f.world, f.body, PL_FIELD_PLASTIC, before));
        MUST(pl_world_cut(f.world, (double[3]){0.01, -2, -2}, (double[3]){0.01, 2, -2}, (double[3]){0.01, 2, 2},
                          (double[3]){0.01, -2, 2}, &torn));
        MUST(pl_body_read_field(f.world, f.body, PL_FIELD_PLASTIC, after));
        CHECK(torn > 0 && before[0] > 0.01 && memcmp(before, after, (size_t)count * sizeof *before) == 0);
        pl_step_info info = fixture_step(&f, 0.1);
        CHECK(isfinite(info.elastic) && info.inverted == 0);
        free(before);
        free(after);
        free(start);
        fixture_done(&f);
    }
}

// ---- definitions -----------------------------------------------------------------------------------------------

static void check_refused(const pl_material_def *def, const char *part)
{
    CHECK(pl__material_check(ctx, def, "wax") == PL_ERR_ARGUMENT);
    CHECK_THAT(strstr(pl_context_error(ctx), part), "%s", pl_context_error(ctx));
}

static void definitions_are_checked(void)
{
    pl_material_def good = wax(0.1), def = good;
    CHECK(pl_material_def_default().plastic_form == PL_PLASTIC_MULTIPLICATIVE);
    CHECK_OK(ctx, pl__material_check(ctx, &good, "wax"));
    def.kind = PL_MATERIAL_LINEAR;
    CHECK_OK(ctx, pl__material_check(ctx, &def, "wax"));
    def.plastic_form = PL_PLASTIC_MULTIPLICATIVE;
    check_refused(&def, "wax.yield_strain: 0.1 must be 0 for linear");
    def = good, def.plastic_form = (pl_plastic_form)2;
    check_refused(&def, "wax.plastic_form: 2");
    def = good, def.kind = PL_MATERIAL_STVK;
    check_refused(
        &def, "wax.plastic_form: additive needs a law that is linear in strain, rotated_linear or linear, not stvk");
    def = good, def.fiber_strength = 5;
    check_refused(&def, "wax.fiber_strength: 5");
    def = good, def.threshold = 0.3;
    check_refused(&def, "wax.threshold: 0.3");
    def = good, def.limit = 3;
    check_refused(&def, "wax.limit: 3");
    CHECK(pl__plastic_goal_check(ctx, &good, "bodies.wax") == PL_ERR_ARGUMENT &&
          strstr(pl_context_error(ctx), "bodies.wax.goal: the plastic_form"));
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {
        TEST(strain_relaxes_exponentially),
        TEST(plastic_strain_has_a_maximum),
        TEST(hardening_has_its_closed_form),
        TEST(the_return_ends_on_the_yield_surface),
        TEST(limits_hold),
        TEST(what_does_not_flow_keeps_its_bits),
        TEST(turning_does_not_matter),
        TEST(small_strains_flow_as_in_the_other_form),
        TEST(flow_agrees_with_the_oracle),
        TEST(widths_agree),
        TEST(forces_are_the_gradient_of_the_energy),
        TEST(elements_do_not_push_or_turn_themselves),
        TEST(elements_agree_with_the_oracle_at_every_width),
        TEST(rest_shapes_stay),
        TEST(what_has_flowed_is_relaxed),
        TEST(states_are_those_of_the_elastic_strain),
        TEST(the_bound_on_frequencies_holds),
        TEST(held_block_creeps_along_the_curve),
        TEST(a_released_block_keeps_what_has_flowed),
        TEST(tumbling_bodies_keep_their_momentum),
        TEST(snapshots_resume_to_the_bit),
        TEST(heat_changes_what_flows),
        TEST(what_is_cut_keeps_what_has_flowed),
        TEST(definitions_are_checked),
    };
    ctx = test_context(1);
    uint64_t host_mode = pl__fp_enter();
    int result = RUN(tests);
    pl__fp_leave(host_mode);
    pl_context_destroy(&ctx);
    return result;
}

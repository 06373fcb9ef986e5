// tests/tangent.c -- element matrices: the derivatives of forces where those are definite, definite everywhere, and
// blind to translation.
#include "fixture.h"
#include "random_input.h"
#include "element/tangent.h"

typedef enum sort
{
    TETS,
    TRIANGULAR,
    HEXES,
    MUSCLE,
    MUSCLE_OF_HEXES,
    PLANAR,
    SHEET,
    HINGES,
    WOVEN,
    SPRINGS,
    SORTS
} sort;

static const char *const sort_name[] = {"tets",   "triangular tets", "hexahedra", "muscle", "muscle of hexahedra",
                                        "planar", "sheet",           "hinges",    "woven",  "springs"};

static fixture_def definition_of(sort what, int32_t kind)
{
    fixture_def def = fixture_default();
    def.shape.edge = 0.5;
    def.material.kind = (pl_material_kind)kind;
    def.material.poisson = 0.3;
    def.material.recovery = PL_RECOVERY_OFF;
    def.solver.integrator = PL_INTEGRATOR_IMPLICIT_EULER;
    def.body.triangular_rest = what == TRIANGULAR;
    if (what == HEXES || what == MUSCLE_OF_HEXES)
        def.shape.elements = PL_ELEMENT_HEX;
    if (what == MUSCLE || what == MUSCLE_OF_HEXES)
    {
        def.material.fiber_strength = 1e5;
        def.material.activation = 0.7;
    }
    if (what >= PLANAR)
    {
        def.shape.elements = PL_ELEMENT_TRIANGLE;
        def.shape.kind = PL_SHAPE_RECTANGLE;
        def.shape.pattern = PL_PATTERN_IRREGULAR;
        def.body.kind = what == PLANAR ? PL_BODY_PLANAR : PL_BODY_SHELL;
        def.body.thickness = what == PLANAR ? 0 : 0.1;
        def.body.bending = what == HINGES ? PL_BENDING_HINGES : PL_BENDING_CURVATURE;
        def.body.membrane = what == WOVEN     ? PL_MEMBRANE_WOVEN
                            : what == SPRINGS ? PL_MEMBRANE_SPRINGS
                                              : PL_MEMBRANE_CONTINUUM;
    }
    return def;
}

// A world whose matrix can be asked for.
static fixture make(sort what, int32_t kind)
{
    fixture_def def = definition_of(what, kind);
    fixture f = fixture_make(&def);
    f.world->solids.evaluation.keep_frames = true;
    MUST(pl__solids_make_matrix(&f.world->solids));
    fixture_begin_step(&f);
    return f;
}

static size_t count(const fixture *f) { return 3 * (size_t)f->world->solids.node_count; }

// Stretched by `by`, turned, and every node moved by up to `reach`.
static void deform(const fixture *f, sort what, double by, double reach, uint64_t seed)
{
    pl__solids *s = &f->world->solids;
    for (size_t n = 0; n < count(f); n += 3)
    {
        double *x = &s->state.x[n], a = 0.7, X = by * x[0], Y = by * x[1];
        x[0] = cos(a) * X - sin(a) * Y;
        x[1] = sin(a) * X + cos(a) * Y;
        x[2] = what >= PLANAR ? x[2] : by * x[2];
        for (size_t i = 0; i < (what == PLANAR ? 2 : 3); ++i)
            x[i] += reach * random_pm(seed, n + i);
    }
}

static void assemble(const fixture *f, double elastic, double damped)
{
    static double nothing[10000];
    pl__solids *s = &f->world->solids;
    pl__solids_evaluate(s, s->state.x, PL__EVALUATE_PRESENT | PL__EVALUATE_ENERGIES);
    pl__solids_assemble(s, s->state.x, elastic, damped, nothing);
}

static void random_vector(const fixture *f, sort what, uint64_t seed, double *u)
{
    for (size_t k = 0; k < count(f); ++k)
        u[k] = what == PLANAR && k % 3 == 2 ? 0 : random_pm(seed, k);
}

// Largest |K u + df/dx u| over the largest |K u|, by central differences.
static double error_of_derivative(const fixture *f, sort what)
{
    pl__solids *s = &f->world->solids;
    size_t n = count(f);
    double *u = s->step.v_end, *Ku = s->step.rhs, *x = malloc(n * sizeof *x), *plus = malloc(n * sizeof *plus),
           h = 1e-6, worst = 0, size = 0;
    memcpy(x, s->state.x, n * sizeof *x);
    random_vector(f, what, 17, u);
    (void)pl__block_matrix_multiply(s->ctx, s->matrix, u, Ku, s->step.cg.partial);
    for (int sign = 1; sign >= -1; sign -= 2)
    {
        for (size_t k = 0; k < n; ++k)
            s->state.x[k] = x[k] + sign * h * u[k];
        pl__solids_evaluate(s, s->state.x, PL__EVALUATE_PRESENT);
        if (sign > 0)
            memcpy(plus, s->evaluation.force, n * sizeof *plus);
    }
    memcpy(s->state.x, x, n * sizeof *x);
    for (size_t k = 0; k < n; ++k)
    {
        double slope = (plus[k] - s->evaluation.force[k]) / (2 * h);
        worst = fmax(worst, fabs(Ku[k] + slope));
        size = fmax(size, fabs(Ku[k]));
    }
    free(x);
    free(plus);
    return worst / size;
}

// Of what is stretched by 5 %, so that nothing has to be projected. Bends are flat there, and their second derivatives
// carry no moment.
static void matrix_is_the_derivative_of_forces(void)
{
    for (sort what = TETS; what < SORTS; ++what)
        for (int32_t kind = 0; kind < PL_MATERIAL_LINEAR; ++kind)
        {
            bool warped = kind == PL_MATERIAL_ROTATED_LINEAR && what < PLANAR;
            bool muscle = what == MUSCLE || what == MUSCLE_OF_HEXES;
            if ((what >= WOVEN && kind > 0) ||
                (muscle && warped)) // these have one law; those hold their rotation, which pulling fibres feel
                continue;
            fixture f = make(what, kind);
            deform(&f, what, warped ? 1 : 1.05, what >= PLANAR || warped ? 0 : 0.01, 1);
            assemble(&f, 1, 0);
            double error = error_of_derivative(&f, what);
            // woven cloth leaves out the coupling of stretch and shear
            CHECK_THAT(error < (what == WOVEN ? 0.2 : 1e-5), "%s of %s: %g", sort_name[what],
                       pl_material_kind_name(kind), error);
            fixture_done(&f);
        }
}

// Plain linear elasticity has one matrix for every shape.
static void linear_matrix_is_exact_everywhere(void)
{
    for (sort what = TETS; what <= HEXES; ++what)
    {
        fixture f = make(what, PL_MATERIAL_LINEAR);
        deform(&f, what, -0.3, 0.5, 3);
        assemble(&f, 1, 0);
        double error = error_of_derivative(&f, what);
        CHECK_THAT(error < 1e-7, "%s: %g", sort_name[what], error);
        fixture_done(&f);
    }
}

// In any shape, against the product that other steps use.
static void damping_is_that_of_the_product(void)
{
    for (sort what = TETS; what < SORTS; ++what)
        for (int option = 0; option < 3; ++option)
        {
            fixture_def def = definition_of(what, PL_MATERIAL_NEO_HOOKEAN);
            def.material.damping_model = (pl_damping_model)option;
            def.body.drag = what == SHEET;
            fixture f = fixture_make(&def);
            pl__solids *s = &f.world->solids;
            s->evaluation.keep_frames = true;
            MUST(pl__solids_make_matrix(s));
            fixture_begin_step(&f);
            deform(&f, what, 0.8, 0.3, 5);
            random_vector(&f, what, 6, s->state.v);
            assemble(&f, 0, 0.3);
            double *u = s->step.v_end, worst = 0, size = 0;
            random_vector(&f, what, 7, u);
            double product = pl__block_matrix_multiply(s->ctx, s->matrix, u, s->step.rhs, s->step.cg.partial);
            double wanted = pl__solids_apply_damping(s, 0, 0.3, u, s->step.cg.q);
            for (size_t k = 0; k < count(&f); ++k)
            {
                worst = fmax(worst, fabs(s->step.rhs[k] - s->step.cg.q[k]));
                size = fmax(size, fabs(s->step.cg.q[k]));
            }
            CHECK_THAT(worst < 1e-12 * size, "%s, model %d: off by %g of %g", sort_name[what], option, worst, size);
            CHECK_NEAR(product, wanted, 1e-11 * wanted);
            fixture_done(&f);
        }
}

// The smallest eigenvalue over the largest, by the power method.
static double least_eigenvalue(const fixture *f, sort what)
{
    pl__solids *s = &f->world->solids;
    double *u = s->step.v_end, *w = s->step.rhs, largest = 0, shifted = 0;
    for (int pass = 0; pass < 2; ++pass)
    {
        random_vector(f, what, 9, u);
        for (int k = 0; k < 400; ++k)
        {
            (void)pl__block_matrix_multiply(s->ctx, s->matrix, u, w, s->step.cg.partial);
            double uu = 0, uw = 0, ww = 0;
            for (size_t i = 0; i < count(f); ++i)
            {
                w[i] = pass ? largest * u[i] - w[i] : w[i];
                uu += u[i] * u[i];
                uw += u[i] * w[i];
                ww += w[i] * w[i];
            }
            shifted = uu > 0 ? uw / uu : 0;
            for (size_t i = 0; i < count(f); ++i)
                u[i] = ww > 0 ? w[i] / sqrt(ww) : 0;
        }
        if (pass == 0)
            largest = shifted;
    }
    return largest > 0 ? (largest - shifted) / largest : largest;
}

static void matrix_is_definite_in_every_shape(void)
{
    for (sort what = TETS; what < SORTS; ++what)
        for (int32_t kind = 0; kind < PL_MATERIAL_LINEAR; ++kind)
            for (uint64_t seed = 0; seed < 3; ++seed)
            {
                static const double by[] = {1, 0, -0.7};
                fixture f = make(what, kind);
                deform(&f, what, by[seed], seed == 1 ? 0 : 0.5, seed); // scrambled, a point, mirrored
                assemble(&f, 1, 0.01);
                double least = least_eigenvalue(&f, what);
                CHECK_THAT(least > -1e-12, "%s of %s, %d: %g", sort_name[what], pl_material_kind_name(kind), (int)seed,
                           least);
                fixture_done(&f);
            }
}

// A common motion makes no force.
static void translation_is_free(void)
{
    for (sort what = TETS; what < SORTS; ++what)
    {
        fixture f = make(what, PL_MATERIAL_NEO_HOOKEAN);
        pl__solids *s = &f.world->solids;
        deform(&f, what, 0.9, 0.3, 11);
        assemble(&f, 1, 0.01);
        double worst = 0, size = 0;
        for (size_t k = 0; k < count(&f); ++k)
            s->step.v_end[k] = k % 3 == 1;
        (void)pl__block_matrix_multiply(s->ctx, s->matrix, s->step.v_end, s->step.rhs, s->step.cg.partial);
        for (size_t k = 0; k < count(&f); ++k)
            worst = fmax(worst, fabs(s->step.rhs[k]));
        random_vector(&f, what, 12, s->step.v_end);
        (void)pl__block_matrix_multiply(s->ctx, s->matrix, s->step.v_end, s->step.rhs, s->step.cg.partial);
        for (size_t k = 0; k < count(&f); ++k)
            size = fmax(size, fabs(s->step.rhs[k]));
        CHECK_THAT(worst < 1e-12 * size, "%s: %g of %g", sort_name[what], worst, size);
        fixture_done(&f);
    }
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {TEST(matrix_is_the_derivative_of_forces), TEST(linear_matrix_is_exact_everywhere),
                                    TEST(damping_is_that_of_the_product), TEST(matrix_is_definite_in_every_shape),
                                    TEST(translation_is_free)};
    return RUN(tests);
}

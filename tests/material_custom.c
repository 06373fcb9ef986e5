// tests/material_custom.c -- a body of a law of the user's own moves as one of the built-in law of the same formula.
#include "fixture.h"

typedef struct
{
    double mu, lambda;
} moduli;

// Rotated linear, which needs no function of the C library.
static void linear_law(void *user, const double s[3], double *energy, double stress[3], double derivative[6])
{
    const moduli *m = user;
    double trace = s[0] + s[1] + s[2] - 3;
    *energy = 0.5 * m->lambda * trace * trace;
    for (int i = 0; i < 3; ++i)
    {
        double e = s[i] - 1;
        *energy += m->mu * e * e;
        stress[i] = 2 * m->mu * e + m->lambda * trace;
        derivative[i] = 2 * m->mu + m->lambda;
        derivative[3 + i] = m->lambda;
    }
}

static void step_a_while(const pl_material_def *material, int32_t threads, double *x, pl_step_info *info)
{
    pl_object_def floor = pl_object_def_default();
    fixture_def def = fixture_default();
    def.shape.edge = 0.2;
    def.material = *material;
    def.object = &floor;
    def.body.at[1] = 0.6;
    def.gravity[1] = -9.81;
    def.threads = threads;
    fixture f = fixture_make(&def);
    for (int k = 0; k < 12; ++k)
        *info = fixture_step(&f, 1.0 / 24);
    MUST(pl_body_read(f.world, f.body, x, NULL));
    fixture_done(&f);
}

// Differences are those of rounding, in the order in which the formulas add; steps of the same length.
static void custom_bodies_move_as_built_in_ones(void)
{
    enum
    {
        ROOM = 3000
    };
    static double built_in[ROOM], custom[ROOM], threaded[ROOM];
    moduli m;
    pl_step_info info[3];
    pl_material_def def = pl_material_def_default();
    def.kind = PL_MATERIAL_ROTATED_LINEAR;
    pl_material_lame(def.young, def.poisson, &m.mu, &m.lambda);
    step_a_while(&def, 1, built_in, &info[0]);
    def.kind = PL_MATERIAL_CUSTOM;
    def.law = linear_law;
    def.law_user = &m;
    step_a_while(&def, 1, custom, &info[1]);
    step_a_while(&def, 2, threaded, &info[2]);
    double apart = 0;
    for (int i = 0; i < ROOM; ++i)
        apart = fmax(apart, fabs(built_in[i] - custom[i]));
    CHECK_THAT(apart < 1e-8, "%g m apart", apart);
    CHECK_NEAR(info[1].elastic, info[0].elastic, 1e-6 * info[0].elastic);
    CHECK(info[0].elastic > 1 && memcmp(custom, threaded, sizeof custom) == 0);
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {TEST(custom_bodies_move_as_built_in_ones)};
    return RUN(tests);
}

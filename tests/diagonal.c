// tests/diagonal.c -- diagonal blocks of the damping are those of the product, and solves that use them.
#include "fixture.h"
#include "base/random.h"

typedef struct
{
    pl_element_kind elements;
    pl_membrane membrane;
    pl_damping_model damping;
} choice;

static fixture make(const choice *c)
{
    bool shell = c->elements == PL_ELEMENT_TRIANGLE;
    fixture_def def = fixture_default();
    def.shape.kind = shell ? PL_SHAPE_SHEET : PL_SHAPE_BOX;
    def.shape.elements = c->elements;
    def.shape.edge = 0.3;
    def.material.damping = 0.3;
    def.material.damping_model = c->damping;
    def.body.kind = shell ? PL_BODY_SHELL : PL_BODY_SOLID;
    def.body.membrane = c->membrane;
    def.body.bending = PL_BENDING_NONE;
    def.body.bending_factor = 0; // nor bending springs
    def.body.thickness = 0.01;
    fixture f = fixture_make(&def);
    pl__solids *s = &f.world->solids;
    for (int32_t k = 0; k < 3 * s->node_count; ++k)
        s->state.x[k] += 0.05 * (pl__random01(3, 0, (uint64_t)k) - 0.5);
    pl__solids_evaluate(s, s->state.x, PL__EVALUATE_PRESENT);
    fixture_begin_step(&f);
    return f;
}

static const choice choices[] = {
    {PL_ELEMENT_TET, PL_MEMBRANE_CONTINUUM, PL_DAMPING_SWITCH},
    {PL_ELEMENT_TET, PL_MEMBRANE_CONTINUUM, PL_DAMPING_ROTATED},
    {PL_ELEMENT_TET, PL_MEMBRANE_CONTINUUM, PL_DAMPING_CONSERVING},
    {PL_ELEMENT_HEX, PL_MEMBRANE_CONTINUUM, PL_DAMPING_SWITCH},
    {PL_ELEMENT_HEX, PL_MEMBRANE_CONTINUUM, PL_DAMPING_ROTATED},
    {PL_ELEMENT_TRIANGLE, PL_MEMBRANE_CONTINUUM, PL_DAMPING_SWITCH},
    {PL_ELEMENT_TRIANGLE, PL_MEMBRANE_CONTINUUM, PL_DAMPING_ROTATED},
    {PL_ELEMENT_TRIANGLE, PL_MEMBRANE_SPRINGS, PL_DAMPING_SWITCH},
};

// The block of a node times what the product makes of a unit velocity there, at that node, is that unit velocity.
// Round-off of entries up to a hundred thousand times the mass.
static void blocks_are_those_of_the_product(void)
{
    for (size_t k = 0; k < sizeof choices / sizeof choices[0]; ++k)
    {
        fixture f = make(&choices[k]);
        pl__solids *s = &f.world->solids;
        double *in = calloc(pl__vector_length(3 * s->node_count), sizeof *in),
               *out = calloc(pl__vector_length(3 * s->node_count), sizeof *out);
        pl__solids_build_blocks(s, 1e-2);
        for (int32_t n = 0; n < s->node_count; n += 7)
            for (int i = 0; i < 3; ++i)
            {
                const double *b = &s->step.block[6 * n];
                in[3 * n + i] = 1;
                (void)pl__solids_apply_damping(s, 1, 1e-2, in, out);
                in[3 * n + i] = 0;
                const double *y = &out[3 * n];
                CHECK_NEAR(b[0] * y[0] + b[3] * y[1] + b[4] * y[2], i == 0, 1e-9);
                CHECK_NEAR(b[3] * y[0] + b[1] * y[1] + b[5] * y[2], i == 1, 1e-9);
                CHECK_NEAR(b[4] * y[0] + b[5] * y[1] + b[2] * y[2], i == 2, 1e-9);
            }
        free(in), free(out);
        fixture_done(&f);
    }
}

static void widths_and_threads_give_the_same_bits(void)
{
    for (size_t k = 0; k < sizeof choices / sizeof choices[0]; ++k)
    {
        fixture f = make(&choices[k]);
        pl__solids *s = &f.world->solids;
        size_t bytes = 6 * (size_t)s->node_count * sizeof(double);
        double *first = malloc(bytes);
        int32_t most = s->ctx->register_bytes;
        pl__solids_build_blocks(s, 1e-2);
        memcpy(first, s->step.block, bytes);
        for (s->ctx->register_bytes = 0; s->ctx->register_bytes <= most;
             s->ctx->register_bytes = s->ctx->register_bytes ? 2 * s->ctx->register_bytes : 16)
        {
            pl__solids_evaluate(s, s->state.x, PL__EVALUATE_PRESENT);
            pl__solids_build_blocks(s, 1e-2);
            CHECK(memcmp(first, s->step.block, bytes) == 0);
        }
        s->ctx->register_bytes = most;
        free(first);
        fixture_done(&f);
    }
}

// A strongly damped, jittered body that is thrown, spins and rings, with solves that are cut short soon after they turn
// to blocks: its momentum stays to round-off.
static void long_solves_keep_momentum(void)
{
    fixture_def def = fixture_default();
    def.shape.edge = 0.2;
    def.shape.jitter = 0.3;
    def.material.damping = 0.2;
    def.solver.tolerance = 1e-12;
    def.solver.iterations = 9;
    def.body.velocity[0] = 1;
    def.body.spin[1] = 300;
    fixture f = fixture_make(&def);
    pl_step_info before, after;
    MUST(pl_world_report(f.world, &before));
    for (int k = 0; k < 10; ++k)
        after = fixture_step(&f, 1.0 / 24);
    CHECK_THAT(after.cg_iterations > 14 * after.substeps, "%d iterations in %d substeps are too few to tell",
               after.cg_iterations, after.substeps);
    for (int i = 0; i < 3; ++i)
        CHECK_NEAR(after.momentum[i], before.momentum[i], 1e-12 * before.momentum[0]);
    fixture_done(&f);
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {TEST(blocks_are_those_of_the_product), TEST(widths_and_threads_give_the_same_bits),
                                    TEST(long_solves_keep_momentum)};
    return RUN(tests);
}

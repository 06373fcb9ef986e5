// tests/block_multigrid.c -- multigrid of rigid aggregates, on the matrices of implicit steps.
#include "fixture.h"
#include "host.h"
#include "random_input.h"
#include "sparse/block_multigrid.h"

static const double step_length = 1.0 / 60;

// The matrix of a body's implicit step, in a shape that is not its rest shape.
typedef struct
{
    fixture f;
    pl__solids *s;
    pl__block_multigrid mg;
    pl__multigrid_system system;
    pl__constraints constraints;
    pl__node_constraint *hold;
    double *partial;
} problem;

typedef enum
{
    TETS,
    HEXES,
    SHEET,
    KINDS
} body_kind;

static const char *const kind_name[KINDS] = {"tetrahedra", "hexahedra", "sheet"};

static fixture_def define(body_kind kind, double edge, double young, int32_t threads)
{
    fixture_def def = fixture_default();
    def.threads = threads;
    def.solver.integrator = PL_INTEGRATOR_IMPLICIT_EULER;
    def.shape.edge = edge;
    def.shape.cut = PL_CUT_BCC;
    def.material.young = young;
    if (kind == HEXES)
        def.shape.elements = PL_ELEMENT_HEX;
    if (kind == SHEET)
    {
        def.shape.elements = PL_ELEMENT_TRIANGLE;
        def.shape.kind = PL_SHAPE_SHEET;
        def.body.kind = PL_BODY_SHELL;
        def.body.thickness = 5e-4;
        def.material.kind = PL_MATERIAL_STVK;
        def.material.density = 300;
    }
    return def;
}

// Nodes at one end are held, and those at the other slide in a plane.
static void hold_ends(problem *p)
{
    const double *x = p->s->state.x;
    double low = 1e9, high = -1e9;
    int32_t count = 0, n = p->s->node_count;
    for (int32_t i = 0; i < n; ++i)
    {
        low = fmin(low, x[3 * i]);
        high = fmax(high, x[3 * i]);
    }
    for (int32_t i = 0; i < n; ++i)
        if (x[3 * i] < low + 1e-6)
            p->hold[count++] =
                (pl__node_constraint){.node = i, .count = 3, .direction = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
        else if (x[3 * i] > high - 1e-6)
            p->hold[count++] = (pl__node_constraint){.node = i, .count = 1, .direction = {{0.6, 0, 0.8}}};
    p->constraints.single_count = count;
}

static void bend(pl__solids *s)
{
    for (int32_t i = 0; i < s->node_count; ++i)
    {
        double *x = &s->state.x[3 * i];
        x[1] += 0.02 * sin(17 * x[0] + 5 * x[2]);
    }
    s->evaluation.fresh = 0;
}

static problem *open(const fixture_def *def, bool held)
{
    problem *p = calloc(1, sizeof *p);
    p->f = fixture_make(def);
    p->s = &p->f.world->solids;
    p->hold = calloc((size_t)p->s->node_count, sizeof *p->hold);
    p->constraints = (pl__constraints){.single = p->hold, .sweeps = 1, .inverse_mass = p->s->inverse_mass};
    if (held)
        hold_ends(p);
    (void)fixture_step(&p->f, step_length); // makes the matrix
    bend(p->s);
    pl__solids_refresh(p->s, PL__FORCES | PL__ENERGIES | PL__FRAMES);
    fixture_begin_step(&p->f);
    pl__solids_assemble(p->s, p->s->state.x, step_length * step_length, step_length, p->s->mass);
    CHECK_OK(p->f.ctx, pl__block_multigrid_create(p->f.ctx, p->s->matrix, &p->mg));
    p->system = (pl__multigrid_system){
        .matrix = p->s->matrix, .x = p->s->state.x, .block = p->s->step.block, .constraints = &p->constraints};
    pl__block_multigrid_refresh(p->f.ctx, &p->mg, &p->system);
    return p;
}

static void close_problem(problem *p)
{
    pl__block_multigrid_destroy(p->f.ctx, &p->mg);
    pl__solids_end_step(p->s);
    free(p->hold);
    fixture_done(&p->f);
    free(p);
}

static double *vector(const problem *p) { return calloc(pl__vector_length(3 * p->s->node_count), sizeof(double)); }

static double *random_vector(const problem *p, uint64_t seed)
{
    double *v = vector(p);
    for (int32_t k = 0; k < 3 * p->s->node_count; ++k)
        v[k] = random_pm(seed, (uint64_t)k);
    pl__constraints_project(&p->constraints, v);
    return v;
}

static double dot(const problem *p, const double *a, const double *b)
{
    double sum = 0;
    for (int32_t k = 0; k < 3 * p->s->node_count; ++k)
        sum += a[k] * b[k];
    return sum;
}

static double exactly(void *user, const double *in, double *out)
{
    const problem *p = user;
    return pl__block_matrix_multiply(p->f.ctx, p->s->matrix, in, out, p->s->step.cg.partial);
}

static double roughly(void *user, const double *in, double *out)
{
    const problem *p = user;
    return (p->s->matrix->rough ? pl__block_matrix_multiply_rough
                                : pl__block_matrix_multiply)(p->f.ctx, p->s->matrix, in, out, p->s->step.cg.partial);
}

static void by_cycle(void *argument, const double *r, double *z)
{
    problem *p = argument;
    pl__block_multigrid_apply(p->f.ctx, &p->mg, &p->system, r, z);
}

// Iterations to 1e-4 for a load that varies over the body; 1000: it did not get there.
static int32_t iterations_of(problem *p, bool cycles)
{
    double *b = vector(p), *x = vector(p);
    for (int32_t k = 0; k < 3 * p->s->node_count; ++k)
        b[k] = p->s->mass[k] * (sin(3 * p->s->state.x[k / 3 * 3 + (k + 1) % 3]) - (k % 3 == 1));
    pl__constraints_project(&p->constraints, b);
    pl__cg_system cg = {.count = 3 * p->s->node_count,
                        .inverse_mass = p->s->inverse_mass,
                        .block = p->s->step.block,
                        .apply = roughly,
                        .user = p,
                        .constraints = &p->constraints,
                        .exact = exactly,
                        .precondition = cycles ? by_cycle : NULL,
                        .preconditioner = p};
    pl__cg_info info =
        pl__cg_solve(p->f.ctx, &cg, &(pl__cg_limits){.tolerance = 1e-4, .iterations = 1000}, b, x, &p->s->step.cg);
    free(b);
    free(x);
    return info.stop == PL__STOP_CONVERGED ? info.iterations : 1000;
}

// ---- the coarse space ---------------------------------------------------------------------------------------------

// Unknowns of a level in which everything moves by t + w x x.
static double *rigid_motion(const pl__block_level *l, const double t[3], const double w[3])
{
    double *v = calloc(pl__vector_length(6 * l->count), sizeof *v);
    for (int32_t a = 0; a < l->count; ++a)
        for (int d = 0; d < 3; ++d)
        {
            const double *c = &l->center[3 * a];
            v[6 * a + d] = t[d] + w[(d + 1) % 3] * c[(d + 2) % 3] - w[(d + 2) % 3] * c[(d + 1) % 3];
            v[6 * a + 3 + d] = w[d];
        }
    return v;
}

// P y: what the unknowns of a level mean to the rows of the finer one, `width` numbers each.
static double *prolonged(const pl__block_level *l, int width, const double *y)
{
    double *v = calloc(pl__vector_length(width * l->finer_count), sizeof *v);
    for (int32_t i = 0; i < l->finer_count; ++i)
    {
        const double *from = &y[6 * l->aggregate[i]], *arm = &l->arm[3 * i];
        if (l->aggregate[i] < 0)
            continue;
        for (int d = 0; d < 3; ++d)
        {
            int e = (d + 1) % 3, f = (d + 2) % 3;
            v[width * i + d] = from[d] + from[3 + e] * arm[f] - from[3 + f] * arm[e];
            if (width == 6)
                v[6 * i + 3 + d] = from[3 + d];
        }
    }
    return v;
}

static void rigid_motions_are_in_the_coarse_space(void)
{
    static const double t[3] = {0.3, -1.2, 0.7}, w[3] = {2, 0.4, -1.1};
    for (int kind = 0; kind < KINDS; ++kind)
    {
        fixture_def def = define((body_kind)kind, kind == SHEET ? 0.03 : 0.08, 1e6, 1);
        problem *p = open(&def, false);
        CHECK(p->mg.level_count >= 2);
        for (int32_t k = 0; k < p->mg.level_count; ++k)
        {
            const pl__block_level *l = &p->mg.level[k];
            double *coarse = rigid_motion(l, t, w), *fine = prolonged(l, k == 0 ? 3 : 6, coarse);
            double *wanted = k > 0 ? rigid_motion(&p->mg.level[k - 1], t, w) : vector(p);
            for (int32_t i = 0; k == 0 && i < 3 * p->s->node_count; ++i)
            {
                const double *x = &p->s->state.x[i / 3 * 3];
                wanted[i] = t[i % 3] + w[(i + 1) % 3] * x[(i + 2) % 3] - w[(i + 2) % 3] * x[(i + 1) % 3];
            }
            for (int32_t i = 0; i < (k == 0 ? 3 : 6) * l->finer_count; ++i)
                CHECK_NEAR(fine[i], wanted[i], 1e-14);
            free(coarse);
            free(fine);
            free(wanted);
        }
        close_problem(p);
    }
}

static double coarse_energy(const problem *p, int32_t level, const double *y)
{
    const pl__block_level *l = &p->mg.level[level];
    double *out = calloc(pl__vector_length(6 * l->count), sizeof *out), *partial = calloc(1000, sizeof *partial);
    double sum = pl__block_matrix_multiply(p->f.ctx, &l->matrix, y, out, partial);
    for (int32_t k = 0; k < l->coupling_count; ++k)
        for (int r = 0; r < 6; ++r)
            for (int c = 0; c < 6; ++c)
                sum += 2 * y[6 * l->coupling[k].row + r] * l->coupling[k].block[6 * r + c] *
                       y[6 * l->coupling[k].column + c];
    free(out);
    free(partial);
    return sum;
}

// Two far corners and two others, as if they touched.
static void two_pairs(void *user, int32_t i, pl__multigrid_pair *pair)
{
    const problem *p = user;
    int32_t last = p->s->node_count - 1;
    *pair = (pl__multigrid_pair){.node = {i == 0 ? 0 : last / 2, last, last / 3, 5},
                                 .count = 4 - i,
                                 .weight = {1, -0.3, -0.5, -0.2},
                                 .stiffness = {50, 30, 40, 5, -7, 3}};
}

static double pair_energy(problem *p, const double *v)
{
    double sum = 0;
    for (int32_t i = 0; i < p->system.pair_count; ++i)
    {
        pl__multigrid_pair q;
        double s[3] = {0};
        two_pairs(p, i, &q);
        for (int k = 0; k < q.count; ++k)
            for (int d = 0; d < 3; ++d)
                s[d] += q.weight[k] * v[3 * q.node[k] + d];
        const double *S = q.stiffness;
        sum += S[0] * s[0] * s[0] + S[1] * s[1] * s[1] + S[2] * s[2] * s[2] +
               2 * (S[3] * s[0] * s[1] + S[4] * s[0] * s[2] + S[5] * s[1] * s[2]);
    }
    return sum;
}

// y . P^T A P y = (P y) . A (P y), with constraints, and with pairs of nodes that no element joins.
static void coarse_matrices_have_the_energy_of_fine_ones(void)
{
    fixture_def def = define(TETS, 0.08, 1e6, 1);
    problem *p = open(&def, true);
    p->system.user = p;
    p->system.pair = two_pairs;
    p->system.pair_count = 2;
    pl__block_multigrid_refresh(p->f.ctx, &p->mg, &p->system);
    CHECK(p->mg.level_count == 2 && p->mg.level[0].coupling_count > 0);
    for (int32_t level = 0; level < p->mg.level_count; ++level)
    {
        double *y = calloc(pl__vector_length(6 * p->mg.level[level].count), sizeof *y);
        for (int32_t k = 0; k < 6 * p->mg.level[level].count; ++k)
            y[k] = random_pm(9, (uint64_t)k);
        double *middle = level > 0 ? prolonged(&p->mg.level[1], 6, y) : NULL;
        double *v = prolonged(&p->mg.level[0], 3, level > 0 ? middle : y), *q = vector(p);
        pl__constraints_project(&p->constraints, v);
        double wanted = exactly(p, v, q) + pair_energy(p, v), got = coarse_energy(p, level, y);
        CHECK_THAT(fabs(got - wanted) <= 1e-12 * wanted, "level %d: %.15g, finest: %.15g", level, got, wanted);
        free(y);
        free(middle);
        free(v);
        free(q);
    }
    close_problem(p);
}

// ---- the preconditioner -------------------------------------------------------------------------------------------

// a . B b = b . B a, a . B a > 0, and no eigenvalue of B A is above 1: every part of a cycle removes energy.
static void cycles_are_symmetric_and_definite(void)
{
    for (int trial = 0; trial < 2 * KINDS; ++trial)
    {
        fixture_def def = define((body_kind)(trial / 2), trial / 2 == SHEET ? 0.04 : 0.12, 1e7, 1);
        problem *p = open(&def, trial % 2);
        double *a = random_vector(p, 1), *b = random_vector(p, 2), *Ba = vector(p), *Bb = vector(p), most = 0;
        by_cycle(p, a, Ba);
        by_cycle(p, b, Bb);
        double ab = dot(p, a, Bb), ba = dot(p, b, Ba), aa = dot(p, a, Ba), bb = dot(p, b, Bb);
        CHECK_THAT(aa > 0 && bb > 0, "%s: %g, %g", kind_name[trial / 2], aa, bb);
        // products of more than 2000 nodes are in single precision
        CHECK_THAT(fabs(ab - ba) <= (p->s->matrix->rough ? 1e-5 : 1e-11) * sqrt(aa * bb), "%s: %g and %g",
                   kind_name[trial / 2], ab, ba);
        for (int k = 0; k < 30; ++k)
        {
            double aAa = exactly(p, a, b);
            pl__constraints_project(&p->constraints, b);
            by_cycle(p, b, Ba);
            most = fmax(most, dot(p, b, Ba) / aAa);
            double size = sqrt(dot(p, Ba, Ba));
            for (int32_t i = 0; i < 3 * p->s->node_count; ++i)
                a[i] = Ba[i] / size;
        }
        CHECK_THAT(most < 1.001 && most > 0.9, "%s: largest eigenvalue %g", kind_name[trial / 2], most);
        free(a);
        free(b);
        free(Ba);
        free(Bb);
        close_problem(p);
    }
}

static void constraints_are_kept(void)
{
    fixture_def def = define(TETS, 0.12, 1e6, 1);
    problem *p = open(&def, true);
    double *r = vector(p), *z = vector(p);
    for (int32_t k = 0; k < 3 * p->s->node_count; ++k)
        r[k] = random_pm(3, (uint64_t)k); // not projected: reactions do not matter
    by_cycle(p, r, z);
    for (int32_t k = 0; k < p->constraints.single_count; ++k)
        for (int d = 0; d < p->hold[k].count; ++d)
        {
            const double *n = p->hold[k].direction[d], *v = &z[3 * p->hold[k].node];
            CHECK_NEAR(n[0] * v[0] + n[1] * v[1] + n[2] * v[2], 0, 1e-15 * p->s->node_count);
        }
    free(r);
    free(z);
    close_problem(p);
}

// At most sixty iterations to 1e-4 over six orders of stiffness, for free bodies and held ones. By day small ones.
static void stiffness_hardly_matters(void)
{
    for (int trial = 0; trial < 2 * KINDS; ++trial)
        for (double young = 1e3; young < 2e9; young *= 1e3)
        {
            double edge = trial / 2 == SHEET ? 0.025 : slow_tests ? 0.04 : 0.08;
            fixture_def def = define((body_kind)(trial / 2), edge, young, 1);
            problem *p = open(&def, trial % 2);
            int32_t cycles = iterations_of(p, true);
            CHECK_THAT(cycles <= 60, "%s, %g Pa: %d iterations", kind_name[trial / 2], young, cycles);
            close_problem(p);
        }
}

// With edges half as long, and again: at most 1.4 times as many iterations each, where blocks take twice as many.
static void iterations_hardly_grow(void)
{
    for (int kind = 0; kind < KINDS; ++kind)
    {
        int32_t before = 0;
        for (double edge = kind == SHEET ? 0.06 : 0.16; edge > (kind == SHEET ? 0.014 : 0.039); edge *= 0.5)
        {
            fixture_def def = define((body_kind)kind, edge, 1e8, 1);
            problem *p = open(&def, true);
            int32_t now = iterations_of(p, true);
            CHECK_THAT(now <= 60 && (before == 0 || now <= 1.4 * before + 3), "%s, edge %g: %d after %d iterations",
                       kind_name[kind], edge, now, before);
            before = now;
            close_problem(p);
        }
    }
}

// ---- chains: aggregates in lines ----------------------------------------------------------------------------------

enum
{
    LINKS = 600
};

static double multiply_chain(void *user, const double *in, double *out)
{
    problem *p = user;
    return pl__block_matrix_multiply(p->f.ctx, p->system.matrix, in, out, p->partial);
}

// Springs along an oblique line, stiff in every direction: aggregates are lines, and turning about them has no energy.
static void lines_of_nodes_are_solved(void)
{
    problem p = {.f.ctx = test_context(1)};
    pl_context *ctx = p.f.ctx;
    static int32_t node[2 * LINKS];
    static double x[3 * LINKS + 40], b[3 * LINKS + 80], u[3 * LINKS + 80], work[5][3 * LINKS + 80],
        block[6 * LINKS + 80];
    static double inverse_mass[3 * LINKS + 80], diagonal[3 * LINKS + 80], local[9 * PL_BLOCK_ROWS];
    pl__block_matrix m;
    for (int32_t i = 0; i < LINKS; ++i)
        for (int d = 0; d < 3; ++d)
        {
            node[2 * i + (d > 0)] = i + (d > 0 && i + 1 < LINKS);
            x[3 * i + d] = (0.3 + 0.2 * d) * i + 1e-9 * random_pm(4, (uint64_t)(3 * i + d));
            diagonal[3 * i + d] = 1e-3;
            inverse_mass[3 * i + d] = 1e3;
            b[3 * i + d] = sin(0.01 * i + d);
        }
    pl__clique_chunk chunk = {.node = node, .count = LINKS - 1, .corners = 2};
    CHECK_OK(ctx, pl__block_matrix_create(ctx, LINKS, &chunk, 1, false, &m));
    for (int k = 0; k < 9; ++k)
        for (int lane = 0; lane < PL_BLOCK_ROWS; ++lane)
            local[k * PL_BLOCK_ROWS + lane] = k % 4 == 0 ? -1 : 0;
    pl__block_matrix_begin_chunk(&m, 0);
    for (int32_t first = 0; first < LINKS - 1; first += 16)
        PL_PICK(ctx->register_bytes, pl__block_matrix_add)
    (&m, 0, first, LINKS - 1 - first < 16 ? LINKS - 1 - first : 16, local);
    pl__block_matrix_finish(ctx, &m, diagonal);
    pl__block_matrix_invert_diagonal(ctx, &m, block);
    CHECK_OK(ctx, pl__block_multigrid_create(ctx, &m, &p.mg));
    p.partial = work[4];
    p.system = (pl__multigrid_system){.matrix = &m, .x = x, .block = block};
    pl__block_multigrid_refresh(ctx, &p.mg, &p.system);
    pl__cg_system cg = {.count = 3 * LINKS,
                        .inverse_mass = inverse_mass,
                        .block = block,
                        .apply = multiply_chain,
                        .user = &p,
                        .precondition = by_cycle,
                        .preconditioner = &p};
    static double partial[3 * LINKS];
    pl__cg_work scratch = {work[0], work[1], work[2], work[3], partial};
    pl__cg_info info = pl__cg_solve(ctx, &cg, &(pl__cg_limits){.tolerance = 1e-6, .iterations = 200}, b, u, &scratch);
    CHECK_THAT(info.stop == PL__STOP_CONVERGED && info.iterations < 60, "stop %d after %d iterations", info.stop,
               info.iterations);
    pl__block_multigrid_destroy(ctx, &p.mg);
    pl__block_matrix_destroy(ctx, &m);
    pl_context_destroy(&p.f.ctx);
}

// ---- bits and memory ----------------------------------------------------------------------------------------------

static void bits_depend_on_nothing(void)
{
    static const int32_t threads[] = {1, 2, 7, 1, 1};
    static const char *const simd[] = {NULL, NULL, NULL, "0", "16"};
    double *first = NULL;
    for (int k = 0; k < 5; ++k)
    {
        if (simd[k])
            setenv("PLIANT_SIMD", simd[k], 1);
        fixture_def def = define(TETS, 0.12, 1e6, threads[k]);
        problem *p = open(&def, true);
        unsetenv("PLIANT_SIMD");
        double *r = random_vector(p, 5), *z = vector(p);
        by_cycle(p, r, z);
        CHECK_THAT(!first || memcmp(first, z, 3 * (size_t)p->s->node_count * sizeof *z) == 0, "%d threads, width %s",
                   threads[k], simd[k] ? simd[k] : "widest");
        free(r);
        if (first)
            free(z);
        else
            first = z;
        close_problem(p);
    }
    free(first);
}

static pl_status make_and_destroy(pl_context *ctx)
{
    static int32_t node[2 * LINKS];
    pl__block_matrix m;
    pl__block_multigrid mg;
    for (int32_t i = 0; i < 2 * LINKS; ++i)
        node[i] = (i + 1) / 2;
    pl__clique_chunk chunk = {.node = node, .count = LINKS - 1, .corners = 2};
    pl_status status = pl__block_matrix_create(ctx, LINKS, &chunk, 1, false, &m);
    if (status != PL_OK)
        return status;
    status = pl__block_multigrid_create(ctx, &m, &mg);
    if (status == PL_OK)
        pl__block_multigrid_destroy(ctx, &mg);
    pl__block_matrix_destroy(ctx, &m);
    return status;
}

static void every_failed_allocation_is_survived(void) { CHECK(survive_every_failure(make_and_destroy) > 40); }

// Rows without neighbours are left to smoothing, which solves for them exactly.
static void nodes_alone_are_solved(void)
{
    pl_context *ctx = test_context(1);
    pl__block_matrix m;
    pl__block_multigrid mg;
    double x[80] = {0}, diagonal[80], block[160] = {0}, r[80] = {0}, z[80] = {0};
    for (int k = 0; k < 60; ++k)
    {
        diagonal[k] = 1 + k / 3;
        r[k] = k;
    }
    CHECK_OK(ctx, pl__block_matrix_create(ctx, 20, NULL, 0, false, &m));
    pl__block_matrix_finish(ctx, &m, diagonal);
    pl__block_matrix_invert_diagonal(ctx, &m, block);
    CHECK_OK(ctx, pl__block_multigrid_create(ctx, &m, &mg));
    pl__multigrid_system system = {.matrix = &m, .x = x, .block = block};
    pl__block_multigrid_refresh(ctx, &mg, &system);
    pl__block_multigrid_apply(ctx, &mg, &system, r, z);
    // x = o b/d, then x += o (b - d x)/d: 1 - (1 - o)^2 of the solution, o = 1.4
    for (int k = 0; k < 60; ++k)
        CHECK_NEAR(z[k], 0.84 * r[k] / diagonal[k], 1e-4 * r[k]);
    pl__block_multigrid_destroy(ctx, &mg);
    pl__block_matrix_destroy(ctx, &m);
    pl_context_destroy(&ctx);
}

// ---- steps --------------------------------------------------------------------------------------------------------

static bool one_end(const double X[3]) { return X[0] < -0.99; }
static bool one_side(const double X[3]) { return X[0] < -0.49; }

// A stiff bar that is held at one end.
static fixture stiff_bar(int32_t threads)
{
    fixture_def def = define(TETS, 0.1, 1e8, threads);
    def.shape.extent[0] = 2;
    def.shape.extent[1] = def.shape.extent[2] = 0.2;
    def.material.kind = PL_MATERIAL_NEO_HOOKEAN;
    def.solver.iterations = 3000;
    def.solver.tolerance = 1e-8;
    def.solver.newton_tolerance = 1e-7;
    def.gravity[1] = -9.81;
    def.pinned = one_end;
    return fixture_make(&def);
}

// Where it goes does not depend on who solves; multigrid takes a third of the iterations or less.
static void steps_are_those_with_blocks(void)
{
    fixture f = stiff_bar(1), g = stiff_bar(1);
    int64_t fewer = 0, more = 0;
    for (int k = 0; k < 4; ++k)
    {
        CHECK_OK(g.ctx, pl__solids_make_matrix(&g.world->solids));
        if (g.world->solids.multigrid)
            pl__block_multigrid_destroy(g.ctx, g.world->solids.multigrid);
        PL_DELETE(g.ctx, g.world->solids.multigrid, 1);
        fewer += fixture_step(&f, step_length).cg_iterations;
        more += fixture_step(&g, step_length).cg_iterations;
    }
    CHECK_THAT(3 * fewer < more, "%d and %d iterations", (int)fewer, (int)more);
    double drop = 0;
    for (int32_t k = 0; k < 3 * f.world->solids.node_count; ++k)
    {
        drop = fmin(drop, f.world->solids.state.v[k]);
        CHECK_NEAR(f.world->solids.state.x[k], g.world->solids.state.x[k], 1e-8);
    }
    CHECK(drop < -1e-3); // it moves at all
    fixture_done(&f);
    fixture_done(&g);
}

// Of a soft body, no solve is long enough for a forecast: it has the bits of one that has no multigrid.
static void soft_bodies_stay_with_blocks(void)
{
    fixture_def def = define(TETS, 0.15, 1e4, 1);
    def.gravity[1] = -9.81;
    def.pinned = one_side;
    fixture f = fixture_make(&def), g = fixture_make(&def);
    CHECK_OK(g.ctx, pl__solids_make_matrix(&g.world->solids));
    CHECK(g.world->solids.multigrid);
    pl__block_multigrid_destroy(g.ctx, g.world->solids.multigrid);
    PL_DELETE(g.ctx, g.world->solids.multigrid, 1);
    for (int k = 0; k < 3; ++k)
    {
        (void)fixture_step(&f, step_length);
        (void)fixture_step(&g, step_length);
    }
    CHECK(memcmp(f.world->solids.state.x, g.world->solids.state.x,
                 3 * (size_t)f.world->solids.node_count * sizeof(double)) == 0);
    fixture_done(&f);
    fixture_done(&g);
}

static void steps_have_the_same_bits(void)
{
    static const int32_t threads[] = {1, 2, 7};
    double *first = NULL;
    for (int k = 0; k < 3; ++k)
    {
        fixture f = stiff_bar(threads[k]);
        for (int step = 0; step < 2; ++step)
            (void)fixture_step(&f, step_length);
        size_t bytes = 3 * (size_t)f.world->solids.node_count * sizeof *first;
        if (!first)
        {
            first = malloc(bytes);
            memcpy(first, f.world->solids.state.x, bytes);
        }
        CHECK(memcmp(first, f.world->solids.state.x, bytes) == 0);
        fixture_done(&f);
    }
    free(first);
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {
        TEST(rigid_motions_are_in_the_coarse_space),
        TEST(coarse_matrices_have_the_energy_of_fine_ones),
        TEST(cycles_are_symmetric_and_definite),
        TEST(constraints_are_kept),
        TEST(stiffness_hardly_matters),
        TEST(iterations_hardly_grow),
        TEST(lines_of_nodes_are_solved),
        TEST(nodes_alone_are_solved),
        TEST(bits_depend_on_nothing),
        TEST(every_failed_allocation_is_survived),
        TEST(steps_are_those_with_blocks),
        TEST(soft_bodies_stay_with_blocks),
        TEST(steps_have_the_same_bits),
    };
    return RUN(tests);
}

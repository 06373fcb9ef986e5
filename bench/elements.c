// bench/elements.c -- forces and damping of tetrahedra: the kernels alone, with the gather, against the limits.
#include "bodies.h"
#include "element/tet.h"
#include "base/task.h"

#include <stdlib.h>
#include <string.h>

static const int32_t sizes[] = {1000, 10000, 100000, 1000000};

static int size_count(const bench *b) { return b->effort == BENCH_FULL ? 4 : b->effort == BENCH_QUICK ? 2 : 1; }
static int32_t middle_size(const bench *b)
{
    return b->effort == BENCH_FULL ? 100000 : b->effort == BENCH_QUICK ? 20000 : 1000;
}

// ---- what the kernels must move ---------------------------------------------------------------------------------

enum
{
    REAL = 8,
    CORNERS = 4 * 4, // node indices
    FRAME = 9 * REAL,
    FORCE_BLOCKS = 16 // of tetrahedra that the forces of one chunk have room for
};

static int inverse_bytes(const pl__element_group *g) { return (g->triangular ? 6 : 9) * REAL; }

// Forces of elements stay in the first cache. A chunk reads where its corners go and writes its slots; nodes read them.
static double gather_bytes(const pl__solids *s)
{
    return 2.0 * s->gather.corner_count + (2.0 * 3 * REAL + 2 * 4) * s->gather.slot_count + 4.0 * s->node_count;
}

// Forces read corners, rest shape, volume, two gains and five numbers of the material, and write the frame.
// Nodes: position in, force out.
static double force_bytes(const pl__element_group *g, const pl__solids *s, bool gathered)
{
    double bytes =
        (double)g->count * (CORNERS + inverse_bytes(g) + 8 * REAL + FRAME) + (double)s->node_count * 3 * REAL;
    return gathered ? bytes + gather_bytes(s) + (double)s->node_count * 3 * REAL : bytes;
}

// The damping reads corners, frame, volume, damping time and the moduli, and the rest shape except for the rotated
// model. Nodes: velocity in, for the inertia once more, mass, product out and both once more for the dot product (from
// cache).
static double damping_bytes(const pl__element_group *g, const pl__solids *s, bool gathered)
{
    int rest = g->damping_model == PL_DAMPING_ROTATED ? 0 : 9 * REAL;
    double bytes = (double)g->count * (CORNERS + FRAME + 4 * REAL + rest) + (double)s->node_count * 3 * REAL;
    return gathered ? bytes + gather_bytes(s) + (double)s->node_count * 3 * 3 * REAL : bytes;
}

// ---- jobs --------------------------------------------------------------------------------------------------------

typedef struct
{
    pl_world *world;
    int32_t register_bytes;
    double *out;
} element_bench;

static void force_blocks(void *argument, int32_t begin, int32_t end)
{
    const element_bench *e = argument;
    pl__solids *s = &e->world->solids;
    _Alignas(64) double force[PL_GATHER_DOUBLES];
    pl__force_job job = {
        .group = body_group(e->world), .x = s->state.x, .strength = 1, .frame = s->evaluation.frame, .force = force};
    pl__element_sums sums;
    pl__sums_clear(&sums);
    PL_PICK(s->ctx->register_bytes, pl__tet_force)(&job, begin, end, &sums);
}

static void run_force(void *argument)
{
    element_bench *e = argument;
    pl__parallel_for(e->world->ctx, body_group(e->world)->block_count, FORCE_BLOCKS, force_blocks, e);
}

static void run_evaluate(void *argument)
{
    element_bench *e = argument;
    pl__solids_evaluate(&e->world->solids, e->world->solids.state.x, PL__EVALUATE_PRESENT);
}

static void run_damping(void *argument)
{
    element_bench *e = argument;
    (void)pl__solids_apply_damping(&e->world->solids, 1, 1e-3, e->world->solids.state.v, e->out);
}

static void damping_blocks(void *argument, int32_t begin, int32_t end)
{
    const element_bench *e = argument;
    pl__solids *s = &e->world->solids;
    _Alignas(64) double force[PL_GATHER_DOUBLES];
    pl__damping_job job = {
        .group = body_group(e->world), .v = s->state.v, .strength = 1, .frame = s->evaluation.frame, .force = force};
    PL_PICK(s->ctx->register_bytes, pl__tet_damping)(&job, begin, end);
}

static void run_damping_kernel(void *argument)
{
    element_bench *e = argument;
    pl__parallel_for(e->world->ctx, body_group(e->world)->block_count, FORCE_BLOCKS, damping_blocks, e);
}

// One tetrahedron after the other, added to the nodes at once.
static void run_reference(void *argument)
{
    element_bench *e = argument;
    pl__solids *s = &e->world->solids;
    const pl__element_group *g = body_group(e->world);
    memset(e->out, 0, 3 * (size_t)s->node_count * sizeof *e->out);
    for (int32_t t = 0; t < g->count; ++t)
    {
        double force[4][3], A[9];
        pl__tet_force_reference(g, t, s->state.x, 1, force, NULL, A);
        for (int k = 0; k < 9; ++k)
            ((pl__tet_frame *)s->evaluation.frame)[t / PL_ELEMENT_LANES].a[k][t % PL_ELEMENT_LANES] = A[k];
        for (int c = 0; c < 4; ++c)
            for (int i = 0; i < 3; ++i)
                e->out[3 * (size_t)g->tet[t / PL_ELEMENT_LANES].node[c][t % PL_ELEMENT_LANES] + (size_t)i] +=
                    force[c][i];
    }
}

// ---- rows --------------------------------------------------------------------------------------------------------

typedef struct
{
    const char *name, *variant;
    void (*run)(void *argument);
    double bytes; // 0: not compared with memory
    double base;  // [s] of what it is compared with; 0: nothing
    const char *base_is;
    int32_t threads, register_bytes;
} measurement;

// Times it, prints a row, returns seconds.
static double measure(const bench *b, element_bench *e, const measurement *m)
{
    bench_saved saved = bench_use(b, m->threads, m->register_bytes);
    uint64_t host = pl__fp_enter();
    double seconds = bench_time(b, m->run, e);
    pl__fp_leave(host);
    bench_restore(b, saved);
    double tets = body_group(e->world)->count, nodes = e->world->solids.node_count, ns = 1e9 * seconds;
    bench_row row = {.name = m->name,
                     .variant = m->variant,
                     .tets = (int32_t)tets,
                     .nodes = (int32_t)nodes,
                     .threads = m->threads,
                     .register_bytes = m->register_bytes,
                     .value = ns / tets,
                     .unit = "ns/tet",
                     .per_node = ns / nodes};
    if (m->bytes > 0)
    {
        row.limit = m->bytes / machine_bandwidth(&b->machine, m->bytes, m->threads) / tets;
        row.limited_by = bench_text("%s %.0f B", machine_level(m->bytes, m->threads), m->bytes / tets);
    }
    if (m->base > 0)
    {
        row.ratio = m->base / seconds;
        row.ratio_to = m->base_is;
    }
    bench_report(&row);
    return seconds;
}

static element_bench begin(const bench *b, const body_choice *choice)
{
    element_bench e = {.world = body_world(b, choice)};
    e.out = aligned_alloc(64, (pl__vector_length(3 * e.world->solids.node_count) * sizeof(double) + 63) / 64 * 64);
    if (!e.out)
        exit(1);
    memset(e.out, 0, pl__vector_length(3 * e.world->solids.node_count) * sizeof(double));
    run_evaluate(&e); // frames for the damping
    if (pl__solids_begin_step(&e.world->solids, &e.world->arena, false, false) != PL_OK)
        exit(1);
    return e;
}

static void end(element_bench *e)
{
    free(e->out);
    pl_world_destroy(&e->world);
}

static const body_choice plain = {.kind = PL_MATERIAL_NEO_HOOKEAN, .damping = PL_DAMPING_SWITCH, .cut = PL_CUT_BCC};

// One thread, then two.
static void measure_threads(const bench *b, element_bench *e, measurement m)
{
    m.register_bytes = b->ctx->register_bytes;
    m.threads = 1;
    m.base = measure(b, e, &m);
    m.base_is = "one thread";
    m.threads = 2;
    (void)measure(b, e, &m);
}

void bench_force(bench *b)
{
    for (int i = 0; i < size_count(b); ++i)
    {
        body_choice choice = plain;
        choice.tets = sizes[i];
        element_bench e = begin(b, &choice);
        const pl__element_group *g = body_group(e.world);
        const pl__solids *s = &e.world->solids;
        measure_threads(
            b, &e,
            (measurement){.name = "force", .variant = "kernel", .run = run_force, .bytes = force_bytes(g, s, false)});
        measure_threads(
            b, &e,
            (measurement){
                .name = "force", .variant = "with gather", .run = run_evaluate, .bytes = force_bytes(g, s, true)});
        end(&e);
    }
}

void bench_oracle(bench *b)
{
    body_choice choice = plain;
    choice.tets = middle_size(b);
    element_bench e = begin(b, &choice);
    measurement m = {
        .name = "oracle", .variant = "one at a time", .run = run_reference, .threads = 1, .base_is = "one at a time"};
    m.base = measure(b, &e, &m);
    m.run = run_evaluate;
    m.variant = "kernel with gather";
    static const int32_t widths[] = {0, 16, 32, 64};
    for (int i = 0; i < 4 && widths[i] <= b->ctx->register_bytes; ++i)
    {
        m.register_bytes = widths[i];
        (void)measure(b, &e, &m);
    }
    end(&e);
}

void bench_materials(bench *b)
{
    for (int kind = 0; kind < PL_MATERIAL_LINEAR; ++kind)
        for (int triangular = 0; triangular < 2; ++triangular)
        {
            body_choice choice = plain;
            choice.tets = middle_size(b);
            choice.kind = (pl_material_kind)kind;
            choice.triangular = triangular;
            element_bench e = begin(b, &choice);
            const char *variant = bench_text("%s %s", pl_material_kind_name(kind), triangular ? "triangular" : "full");
            measure_threads(b, &e, (measurement){.name = "materials", .variant = variant, .run = run_evaluate});
            end(&e);
        }
}

void bench_cuts(bench *b)
{
    static const char *names[] = {"five", "six", "bcc"};
    for (int cut = 0; cut < 3; ++cut)
    {
        body_choice choice = plain;
        choice.nodes = middle_size(b) / 5;
        choice.cut = (pl_shape_cut)cut;
        element_bench e = begin(b, &choice);
        (void)measure(b, &e,
                      &(measurement){.name = "cuts",
                                     .variant = bench_text("%s force", names[cut]),
                                     .run = run_evaluate,
                                     .threads = 1,
                                     .register_bytes = b->ctx->register_bytes});
        (void)measure(b, &e,
                      &(measurement){.name = "cuts",
                                     .variant = bench_text("%s damping", names[cut]),
                                     .run = run_damping,
                                     .threads = 1,
                                     .register_bytes = b->ctx->register_bytes});
        end(&e);
    }
}

void bench_damping(bench *b)
{
    static const pl_damping_model models[] = {PL_DAMPING_ROTATED, PL_DAMPING_SWITCH};
    static const char *names[] = {"rotated", "switch"};
    for (int i = 0; i < size_count(b); ++i)
        for (int k = 0; k < 2; ++k)
        {
            body_choice choice = plain;
            choice.tets = sizes[i];
            choice.damping = models[k];
            element_bench e = begin(b, &choice);
            const pl__element_group *g = body_group(e.world);
            const pl__solids *s = &e.world->solids;
            double all = damping_bytes(g, s, true), kernel = damping_bytes(g, s, false);
            measure_threads(b, &e,
                            (measurement){.name = "damping",
                                          .variant = bench_text("%s kernel", names[k]),
                                          .run = run_damping_kernel,
                                          .bytes = kernel});
            measure_threads(
                b, &e,
                (measurement){
                    .name = "damping", .variant = bench_text("%s matvec", names[k]), .run = run_damping, .bytes = all});
            end(&e);
        }
}

// ---- conjugate gradients
// ---------------------------------------------------------------------------------------------

typedef struct
{
    element_bench *e;
    int32_t iterations;
} cg_bench;

static double apply(void *user, const double *in, double *out)
{
    pl_world *world = user;
    return pl__solids_apply_damping(&world->solids, 1, 1e-3, in, out);
}

static void run_cg(void *argument)
{
    cg_bench *c = argument;
    pl__solids *s = &c->e->world->solids;
    pl__cg_system system = {
        .count = 3 * s->node_count, .inverse_mass = s->inverse_mass, .apply = apply, .user = c->e->world};
    // a tolerance that is never reached
    pl__cg_limits limits = {.tolerance = 1e-300, .iterations = c->iterations};
    memcpy(c->e->out, s->state.v, pl__vector_length(3 * s->node_count) * sizeof(double));
    (void)pl__cg_solve(s->ctx, &system, &limits, s->evaluation.force, c->e->out, &s->step.cg);
}

void bench_cg(bench *b)
{
    enum
    {
        MORE = 8
    };
    for (int i = 0; i < size_count(b); ++i)
    {
        body_choice choice = plain;
        choice.tets = sizes[i];
        element_bench e = begin(b, &choice);
        double one = 0, tets = body_group(e.world)->count, nodes = e.world->solids.node_count;
        // besides the product: update reads p, q, w, x, r and writes x, r, z; the dot reads r, z; p = z + b p
        double bytes = damping_bytes(body_group(e.world), &e.world->solids, true) + nodes * 3 * REAL * (8 + 2 + 3);
        for (int32_t threads = 1; threads <= 2; ++threads)
        {
            bench_saved saved = bench_use(b, threads, b->ctx->register_bytes);
            uint64_t host = pl__fp_enter();
            double few = bench_time(b, run_cg, &(cg_bench){&e, 1}),
                   many = bench_time(b, run_cg, &(cg_bench){&e, 1 + MORE});
            pl__fp_leave(host);
            bench_restore(b, saved);
            double ns = 1e9 * (many - few) / MORE;
            bench_row row = {.name = "cg",
                             .variant = "iteration",
                             .tets = (int32_t)tets,
                             .nodes = (int32_t)nodes,
                             .threads = threads,
                             .register_bytes = b->ctx->register_bytes,
                             .value = ns / tets,
                             .unit = "ns/tet",
                             .per_node = ns / nodes,
                             .limit = bytes / machine_bandwidth(&b->machine, bytes, threads) / tets,
                             .limited_by = bench_text("%s %.0f B", machine_level(bytes, threads), bytes / tets)};
            if (threads == 1)
                one = ns;
            else
            {
                row.ratio = one / ns;
                row.ratio_to = "one thread";
            }
            bench_report(&row);
        }
        end(&e);
    }
}

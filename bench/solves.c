// bench/solves.c -- solves of implicit steps: diagonal blocks beside multigrid, by stiffness and size; and whole steps.
#include "bench.h"
#include "base/context.h"
#include "world/world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef enum
{
    TETS,
    HEXES,
    CLOTH
} solve_body;

typedef struct
{
    const char *name;
    solve_body body;
    double edge, young;
    bool slender; // a bar of 1 x 0.2 x 0.2 m, not a cube
    bool ball;    // falls on a ball; else it is held at one end
} solve_case;

typedef struct
{
    pl_world *world;
    pl__solids *s;
    pl__multigrid_system system;
    pl__node_constraint *hold;
    pl__constraints constraints;
    double *b, *x;
    bool cycles;
    pl__cg_info info;
} solve_bench;

static void must(const bench *b, pl_status status)
{
    if (status == PL_OK)
        return;
    fprintf(stderr, "pliant_bench: %s\n", pl_context_error(b->ctx));
    exit(1);
}

static pl_mesh *make_mesh(const bench *b, const solve_case *c)
{
    pl_mesh *mesh;
    pl_shape_def def = pl_shape_def_default();
    def.edge = c->edge;
    def.cut = PL_CUT_BCC;
    def.elements = c->body == HEXES ? PL_ELEMENT_HEX : c->body == CLOTH ? PL_ELEMENT_TRIANGLE : PL_ELEMENT_TET;
    def.kind = c->body == CLOTH ? PL_SHAPE_SHEET : PL_SHAPE_BOX;
    if (c->slender)
        def.extent[1] = def.extent[2] = 0.2;
    must(b, pl_mesh_create_shape(b->ctx, &def, &mesh));
    return mesh;
}

// Nodes at one end, by rest position; returns how many.
static int32_t list_pins(const pl_mesh *mesh, int32_t *node)
{
    const double *X = pl_mesh_positions(mesh);
    double low = 1e9;
    int32_t count = 0;
    for (int32_t i = 0; i < pl_mesh_node_count(mesh); ++i)
        low = fmin(low, X[3 * i]);
    for (int32_t i = 0; i < pl_mesh_node_count(mesh); ++i)
        if (X[3 * i] < low + 1e-6)
            node[count++] = i;
    return count;
}

static pl_world *make_world(const bench *b, const solve_case *c)
{
    pl_mesh *mesh = make_mesh(b, c);
    pl_scene *scene;
    pl_world *world;
    pl_body_id body;
    pl_object_id object;
    pl_material_def material = pl_material_def_default();
    pl_body_def def = pl_body_def_default();
    pl_solver_def solver = pl_solver_def_default();
    pl_object_def ball = pl_object_def_default();
    int32_t *pins = malloc((size_t)pl_mesh_node_count(mesh) * sizeof *pins);
    solver.integrator = PL_INTEGRATOR_IMPLICIT_EULER;
    solver.iterations = 2000;
    material.young = c->young;
    material.kind = c->body == CLOTH ? PL_MATERIAL_STVK : PL_MATERIAL_NEO_HOOKEAN;
    material.damping = c->body == CLOTH ? 2e-3 : 0;
    material.density = c->body == CLOTH ? 300 : 1000;
    def.kind = c->body == CLOTH ? PL_BODY_SHELL : PL_BODY_SOLID;
    def.thickness = c->body == CLOTH ? 8e-4 : 0;
    def.mesh = mesh;
    def.collides = def.self_collision = 0;
    ball.kind = PL_OBJECT_SPHERE;
    ball.radius = 0.25;
    ball.at[1] = -0.26;
    def.pins = pins;
    def.pin_count = c->ball ? 0 : list_pins(mesh, pins);
    must(b, pl_scene_create(b->ctx, &scene));
    must(b, pl_scene_set_gravity(scene, (double[3]){0, -9.81, 0}));
    must(b, pl_scene_set_solver(scene, &solver));
    must(b, pl_scene_add_material(scene, "stuff", &material, &def.material));
    must(b, pl_scene_add_body(scene, "body", &def, &body));
    if (c->ball)
        must(b, pl_scene_add_object(scene, "ball", &ball, &object));
    must(b, pl_world_create(scene, &world));
    pl_scene_destroy(&scene);
    pl_mesh_destroy(&mesh);
    free(pins);
    return world;
}

static pl_step_info take_step(const bench *b, pl_world *world)
{
    pl_step_def def = pl_step_def_default();
    pl_step_info info;
    def.dt = 1.0 / 60;
    must(b, pl_world_step(world, &def, &info));
    return info;
}

// ---- one solve ----------------------------------------------------------------------------------------------------

static double exactly(void *user, const double *in, double *out)
{
    const solve_bench *e = user;
    return pl__block_matrix_multiply(e->s->ctx, e->s->matrix, in, out, e->s->step.cg.partial);
}

static double roughly(void *user, const double *in, double *out)
{
    const solve_bench *e = user;
    return (e->s->matrix->rough ? pl__block_matrix_multiply_rough
                                : pl__block_matrix_multiply)(e->s->ctx, e->s->matrix, in, out, e->s->step.cg.partial);
}

static void by_cycle(void *argument, const double *r, double *z)
{
    solve_bench *e = argument;
    pl__block_multigrid_apply(e->s->ctx, e->s->multigrid, &e->system, r, z);
}

static void run_refresh(void *argument)
{
    solve_bench *e = argument;
    pl__block_multigrid_refresh(e->s->ctx, e->s->multigrid, &e->system);
}

static void run_solve(void *argument)
{
    solve_bench *e = argument;
    pl__cg_system cg = {.count = 3 * e->s->node_count,
                        .inverse_mass = e->s->inverse_mass,
                        .block = e->s->step.block,
                        .apply = roughly,
                        .user = e,
                        .constraints = &e->constraints,
                        .exact = exactly,
                        .precondition = e->cycles ? by_cycle : NULL,
                        .preconditioner = e};
    memset(e->x, 0, 3 * (size_t)e->s->node_count * sizeof *e->x);
    e->info = pl__cg_solve(e->s->ctx, &cg, &(pl__cg_limits){.tolerance = 1e-4, .iterations = 10000}, e->b, e->x,
                           &e->s->step.cg);
}

// The system of a step, with a load that varies over the body.
static solve_bench open_solve(const bench *b, const solve_case *c)
{
    solve_bench e = {.world = make_world(b, c)};
    (void)take_step(b, e.world);
    pl__solids *s = e.s = &e.world->solids;
    int32_t n = s->node_count;
    e.hold = calloc((size_t)n, sizeof *e.hold);
    for (int32_t k = 0; k < s->body[0]->pins.count; ++k)
        e.hold[e.constraints.single_count++] = (pl__node_constraint){
            .node = s->body[0]->pins.pin[k].node, .count = 3, .direction = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    e.constraints.single = e.hold;
    e.constraints.inverse_mass = s->inverse_mass;
    e.b = calloc(pl__vector_length(3 * n), sizeof *e.b);
    e.x = calloc(pl__vector_length(3 * n), sizeof *e.x);
    pl__solids_refresh(s, PL__FORCES | PL__ENERGIES | PL__FRAMES);
    must(b, pl__solids_begin_step(s, &e.world->arena, false, true));
    pl__solids_assemble(s, s->state.x, 1.0 / 3600, 1.0 / 60, s->mass);
    e.system = (pl__multigrid_system){
        .matrix = s->matrix, .x = s->state.x, .block = s->step.block, .constraints = &e.constraints};
    for (int32_t k = 0; k < 3 * n; ++k)
        e.b[k] = s->mass[k] * (sin(3 * s->state.x[k / 3 * 3 + (k + 1) % 3]) - (k % 3 == 1));
    pl__constraints_project(&e.constraints, e.b);
    return e;
}

static void report(const bench *b, const solve_bench *e, const solve_case *c, const char *what, double value,
                   const char *unit, double ratio, const char *ratio_to)
{
    bench_report(&(bench_row){.name = "solves",
                              .variant = bench_text("%s %.0e Pa %s", c->name, c->young, what),
                              .tets = e->s->body[0]->group[0].count,
                              .nodes = e->s->node_count,
                              .threads = 1,
                              .register_bytes = b->ctx->register_bytes,
                              .value = value,
                              .unit = unit,
                              .ratio = ratio,
                              .ratio_to = ratio_to});
}

static void measure_solve(const bench *b, const solve_case *c)
{
    bench_saved saved = bench_use(b, 1, b->ctx->register_bytes);
    solve_bench e = open_solve(b, c);
    double ms[2], refresh = 1e3 * bench_time(b, run_refresh, &e);
    int32_t iterations[2];
    for (int cycles = 0; cycles < 2; ++cycles)
    {
        e.cycles = cycles;
        ms[cycles] = 1e3 * bench_time(b, run_solve, &e);
        iterations[cycles] = e.info.iterations;
        report(b, &e, c, cycles ? "cycles" : "blocks", iterations[cycles], "iterations", 0, NULL);
        report(b, &e, c, cycles ? "cycles" : "blocks", ms[cycles], "ms", cycles ? ms[0] / (ms[1] + refresh) : 0,
               "blocks, matrices included");
    }
    double one = ms[0] / iterations[0];
    report(b, &e, c, "matrices", refresh, "ms", refresh / one, "an iteration with blocks");
    report(b, &e, c, "a cycle", ms[1] / iterations[1], "ms", ms[1] / iterations[1] / one, "an iteration with blocks");
    pl__solids_end_step(e.s);
    free(e.hold);
    free(e.b);
    free(e.x);
    pl_world_destroy(&e.world);
    bench_restore(b, saved);
}

// ---- whole steps --------------------------------------------------------------------------------------------------

static double processor_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Two worlds in turns, one of them without multigrid.
static void measure_steps(const bench *b, const solve_case *c, int steps)
{
    bench_saved saved = bench_use(b, 1, b->ctx->register_bytes);
    double seconds[2] = {0};
    int64_t iterations[2] = {0};
    solve_bench e[2];
    for (int k = 0; k < 2; ++k)
    {
        e[k] = (solve_bench){.world = make_world(b, c)};
        e[k].s = &e[k].world->solids;
        must(b, pl__solids_make_matrix(e[k].s));
        if (k == 0 && e[k].s->multigrid)
        {
            pl__block_multigrid_destroy(b->ctx, e[k].s->multigrid);
            PL_DELETE(b->ctx, e[k].s->multigrid, 1);
        }
    }
    for (int step = 0; step < steps; ++step)
        for (int k = 0; k < 2; ++k)
        {
            double begin = processor_time();
            iterations[k] += take_step(b, e[k].world).cg_iterations;
            seconds[k] += processor_time() - begin;
        }
    for (int k = 0; k < 2; ++k)
    {
        const char *what = k ? "steps by cost" : "steps with blocks";
        report(b, &e[k], c, what, (double)iterations[k] / steps, "iterations", 0, NULL);
        report(b, &e[k], c, what, 1e3 * seconds[k] / steps, "ms", k ? seconds[0] / seconds[1] : 0, "blocks");
        pl_world_destroy(&e[k].world);
    }
    bench_restore(b, saved);
}

void bench_solves(bench *b)
{
    static const solve_case solves[] = {{.name = "cube", .body = TETS, .edge = 0.08},
                                        {.name = "cube", .body = TETS, .edge = 0.05},
                                        {.name = "voxels", .body = HEXES, .edge = 0.05},
                                        {.name = "cloth", .body = CLOTH, .edge = 0.02},
                                        {.name = "cloth", .body = CLOTH, .edge = 0.0125},
                                        {.name = "bar", .body = TETS, .edge = 0.02, .slender = true},
                                        {.name = "cube", .body = TETS, .edge = 0.04},
                                        {.name = "bar", .body = TETS, .edge = 0.0125, .slender = true}};
    static const solve_case steps[] = {
        {.name = "cantilever", .body = TETS, .edge = 0.05, .young = 2e6, .slender = true},
        {.name = "cantilever", .body = TETS, .edge = 0.025, .young = 2e6, .slender = true},
        {.name = "cantilever", .body = TETS, .edge = 0.025, .young = 2e8, .slender = true},
        {.name = "drape", .body = CLOTH, .edge = 0.035, .young = 1e6, .ball = true},
        {.name = "cantilever", .body = TETS, .edge = 0.0125, .young = 2e8, .slender = true},
        {.name = "drape", .body = CLOTH, .edge = 0.0125, .young = 1e6, .ball = true}};
    int solve_count = b->effort == BENCH_FULL    ? 8
                      : b->effort == BENCH_QUICK ? 4
                                                 : 1,
        step_count = b->effort == BENCH_FULL    ? 6
                     : b->effort == BENCH_QUICK ? 4
                                                : 1;
    for (int i = 0; i < solve_count; ++i)
        for (double young = 1e3; young < 2e9; young *= 1e3)
        {
            solve_case c = solves[i];
            c.young = young;
            measure_solve(b, &c);
        }
    for (int i = 0; i < step_count; ++i)
        measure_steps(b, &steps[i], b->effort == BENCH_SMOKE ? 2 : 10);
}

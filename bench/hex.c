// bench/hex.c -- forces and damping of hexahedra: the kernels alone, beside those of tetrahedra between the same nodes.
//
// A cube of cubes, as hexahedra and cut into five tetrahedra each, its nodes shaken. A hexahedron has eight points and
// 8 x 3 numbers to gather and spread, a tetrahedron one and 4 x 3: nine tetrahedra is what one may cost.
#include "bench.h"
#include "base/random.h"
#include "element/hex.h"
#include "element/tet.h"

#include <stdlib.h>
#include <string.h>

enum
{
    HEX_CHUNK = 8, // blocks whose forces have room in the first cache
    TET_CHUNK = 16
};

typedef struct
{
    int32_t side, node_count;
    double *X, *x;
    pl__element_group hex, tet;
    double *frame;
    const pl__element_group *group; // the one that is measured
    int32_t chunk, register_bytes;
} grid;

static void *must(size_t bytes)
{
    void *p = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!p)
        exit(1);
    memset(p, 0, bytes);
    return p;
}

static void place_nodes(grid *g)
{
    int32_t per = g->side + 1;
    for (int32_t n = 0; n < g->node_count; ++n)
        for (int i = 0; i < 3; ++i)
        {
            int32_t k = 3 * n + i;
            g->X[k] = (i == 0   ? n % per
                       : i == 1 ? n / per % per
                                : n / per / per) +
                      0.1 * pl__random01(1, 0, (uint64_t)k);
            g->x[k] = (1 + 0.1 * i) * g->X[k] + 0.2 * pl__random01(2, 0, (uint64_t)k);
        }
}

static void corners_of(const grid *g, int32_t cell, int32_t node[8])
{
    static const int unit[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                   {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    int32_t s = g->side, per = s + 1;
    for (int a = 0; a < 8; ++a)
        node[a] = cell % s + unit[a][0] + per * (cell / s % s + unit[a][1] + per * (cell / s / s + unit[a][2]));
}

static void place_elements(grid *g, const pl__material_params *params)
{
    static const int cut[5][4] = {{0, 1, 3, 4}, {2, 3, 1, 6}, {5, 4, 6, 1}, {7, 6, 4, 3}, {1, 3, 4, 6}};
    for (int32_t cell = 0; cell < g->hex.count; ++cell)
    {
        int32_t node[8];
        double corner[8][3];
        corners_of(g, cell, node);
        for (int a = 0; a < 8; ++a)
            memcpy(corner[a], &g->X[3 * (size_t)node[a]], sizeof corner[a]);
        pl__hex_rest_set(&g->hex.hex[cell / PL_ELEMENT_LANES], cell % PL_ELEMENT_LANES, node, corner, params);
        for (int t = 0; t < 5; ++t)
        {
            int32_t of[4], tet = 5 * cell + t;
            double shape[4][3];
            for (int k = 0; k < 4; ++k)
            {
                of[k] = node[cut[t][k]];
                memcpy(shape[k], corner[cut[t][k]], sizeof shape[k]);
            }
            pl__tet_rest_set(&g->tet.tet[tet / PL_ELEMENT_LANES], tet % PL_ELEMENT_LANES, of, shape, params, false);
        }
    }
}

static pl__element_group group_of(pl__element_kind kind, const pl_material_def *def, int32_t count)
{
    pl__element_group group = {.kind = kind,
                               .law = pl__material_law(def),
                               .damping_model = def->damping_model,
                               .damped = true,
                               .count = count,
                               .block_count = (count + PL_ELEMENT_LANES - 1) / PL_ELEMENT_LANES};
    group.rest = must((size_t)group.block_count * pl__element_type_of(kind)->rest_bytes);
    return group;
}

// Sides are multiples of four, so that blocks are full.
static grid make(int32_t side, pl_damping_model damping)
{
    pl_material_def def = pl_material_def_default();
    def.damping = 0.01;
    def.damping_model = damping;
    pl__material_params params = pl__material_resolve(&def);
    grid g = {.side = side, .node_count = (side + 1) * (side + 1) * (side + 1)};
    g.X = must((3 * (size_t)g.node_count + 1) * sizeof(double));
    g.x = must((3 * (size_t)g.node_count + 1) * sizeof(double));
    g.hex = group_of(PL__HEX, &def, side * side * side);
    g.tet = group_of(PL__TET, &def, 5 * side * side * side);
    g.frame = must((size_t)g.hex.block_count * sizeof(pl__hex_frame)); // the larger of the two
    place_nodes(&g);
    place_elements(&g, &params);
    return g;
}

static void destroy(grid *g)
{
    free(g->X);
    free(g->x);
    free(g->hex.rest);
    free(g->tet.rest);
    free(g->frame);
}

static void run_force(void *argument)
{
    const grid *g = argument;
    _Alignas(64) static double force[HEX_CHUNK * sizeof(pl__hex_forces) / sizeof(double)];
    pl__force_job job = {.group = g->group, .x = g->x, .strength = 1, .frame = g->frame, .force = force};
    pl__element_sums sums;
    pl__sums_clear(&sums);
    for (int32_t begin = 0; begin < g->group->block_count; begin += g->chunk)
    {
        int32_t end = begin + g->chunk < g->group->block_count ? begin + g->chunk : g->group->block_count;
        pl__element_force(g->register_bytes, &job, begin, end, &sums);
    }
}

static void run_damping(void *argument)
{
    const grid *g = argument;
    _Alignas(64) static double force[HEX_CHUNK * sizeof(pl__hex_forces) / sizeof(double)];
    pl__damping_job job = {.group = g->group, .v = g->X, .strength = 1, .frame = g->frame, .force = force};
    for (int32_t begin = 0; begin < g->group->block_count; begin += g->chunk)
    {
        int32_t end = begin + g->chunk < g->group->block_count ? begin + g->chunk : g->group->block_count;
        pl__element_damping(g->register_bytes, &job, begin, end);
    }
}

// ns per element; with those of one tetrahedron, a row says how many tetrahedra a hexahedron costs.
static double measure(const bench *b, grid *g, bool hex, const char *variant, void (*run)(void *argument),
                      double tet_ns)
{
    g->group = hex ? &g->hex : &g->tet;
    g->chunk = hex ? HEX_CHUNK : TET_CHUNK;
    g->register_bytes = b->ctx->register_bytes;
    bench_saved saved = bench_use(b, 1, g->register_bytes);
    uint64_t host = pl__fp_enter();
    run_force(g); // frames
    double ns = 1e9 * bench_time(b, run, g) / g->group->count;
    pl__fp_leave(host);
    bench_restore(b, saved);
    bench_row row = {.name = "hex",
                     .variant = bench_text("%s %s", hex ? "hex" : "tet", variant),
                     .tets = g->group->count,
                     .nodes = g->node_count,
                     .threads = 1,
                     .register_bytes = g->register_bytes,
                     .value = ns,
                     .unit = hex ? "ns/hex" : "ns/tet",
                     .per_node = ns * g->group->count / g->node_count};
    if (hex)
    {
        row.ratio = 9 * tet_ns / ns;
        row.ratio_to = "nine tets";
    }
    bench_report(&row);
    return ns;
}

void bench_hex(bench *b)
{
    static const int32_t sides[] = {4, 12, 40};
    static const pl_damping_model models[] = {PL_DAMPING_ROTATED, PL_DAMPING_SWITCH};
    static const char *names[] = {"rotated damping", "switch damping"};
    for (int i = 0; i < (b->effort == BENCH_FULL ? 3 : b->effort == BENCH_QUICK ? 2 : 1); ++i)
        for (int k = 0; k < 2; ++k)
        {
            grid g = make(sides[i], models[k]);
            if (k == 1)
                (void)measure(b, &g, true, "force", run_force, measure(b, &g, false, "force", run_force, 0));
            (void)measure(b, &g, true, names[k], run_damping, measure(b, &g, false, names[k], run_damping, 0));
            destroy(&g);
        }
}

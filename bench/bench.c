// bench/bench.c -- pliant_bench [NAME] [--quick] [--csv FILE] [--figure FILE]: the cases whose names contain NAME.
#include "bench.h"
#include "base/context.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static FILE *csv;

// One thread is timed by what it used of its processor, so that other programs only disturb its caches; two by the
// wall.
static double now(const bench *b)
{
    struct timespec t;
    clock_gettime(b->ctx->pool ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double bench_time(const bench *b, void (*work)(void *argument), void *argument)
{
    static const double budgets[] = {0, 0.05, 0.3};
    double begin = now(b), budget = budgets[b->effort], best = 1e30;
    work(argument);
    double once = now(b) - begin;
    // short work is repeated, so that the clock does not count
    int repeats = once < 2e-4 ? (int)(2e-4 / (once + 1e-9)) + 1 : 1;
    for (int sample = 0; sample < 3 || now(b) - begin < budget; ++sample)
    {
        double t = now(b);
        for (int i = 0; i < repeats; ++i)
            work(argument);
        t = (now(b) - t) / repeats;
        best = t < best ? t : best;
        if (once > 1 && sample == 1)
            break;
    }
    return best;
}

bench_saved bench_use(const bench *b, int32_t threads, int32_t register_bytes)
{
    bench_saved saved = {b->ctx->pool, b->ctx->register_bytes};
    if (threads == 1)
        b->ctx->pool = NULL;
    b->ctx->register_bytes = register_bytes;
    return saved;
}

void bench_restore(const bench *b, bench_saved saved)
{
    b->ctx->pool = saved.pool;
    b->ctx->register_bytes = saved.register_bytes;
}

// Texts live in a ring: a row needs a few at a time, and is printed at once.
const char *bench_text(const char *format, ...)
{
    static char ring[16][128];
    static int next;
    char *text = ring[next++ % 16];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof ring[0], format, arguments);
    va_end(arguments);
    return text;
}

static void print_number(const char *format, int width, double value)
{
    char text[32] = "";
    if (value != 0)
        snprintf(text, sizeof text, format, value);
    printf(" %*s", width, text);
}

static void print_heading(void)
{
    printf("%-15s %-26s %8s %7s %2s %2s %9s %-8s %8s %8s %-9s %6s  %s\n", "case", "variant", "tets", "nodes", "th",
           "rg", "value", "unit", "per node", "limit", "limit by", "x lim", "faster than");
    if (csv)
        fprintf(csv, "case,variant,tets,nodes,threads,register_bytes,value,unit,value_per_node,limit,limited_by,"
                     "value_over_limit,ratio,ratio_to\n");
}

void bench_report(const bench_row *r)
{
    double over = r->limit > 0 ? r->value / r->limit : 0;
    printf("%-15s %-26s", r->name, r->variant ? r->variant : "");
    print_number("%.0f", 8, r->tets);
    print_number("%.0f", 7, r->nodes);
    print_number("%.0f", 2, r->threads);
    printf(" %2d", r->register_bytes);
    print_number(r->value < 100 ? "%.2f" : "%.1f", 9, r->value);
    printf(" %-8s", r->unit);
    print_number("%.1f", 8, r->per_node);
    print_number("%.2f", 8, r->limit);
    printf(" %-9s", r->limited_by ? r->limited_by : "");
    print_number("%.2f", 6, over);
    if (r->ratio > 0)
        printf("  %.2fx %s", r->ratio, r->ratio_to);
    printf("\n");
    fflush(stdout);
    if (csv)
        fprintf(csv, "%s,%s,%d,%d,%d,%d,%.6g,%s,%.6g,%.6g,%s,%.4g,%.4g,%s\n", r->name, r->variant ? r->variant : "",
                r->tets, r->nodes, r->threads, r->register_bytes, r->value, r->unit, r->per_node, r->limit,
                r->limited_by ? r->limited_by : "", over, r->ratio, r->ratio_to ? r->ratio_to : "");
}

typedef struct
{
    const char *name;
    void (*run)(bench *b);
} bench_case;

static const bench_case cases[] = {
    {"svd", bench_svd},             // decomposition of 3x3 matrices, by register width
    {"force", bench_force},         // elastic forces, kernel and gather, by size
    {"oracle", bench_oracle},       // against one tetrahedron at a time
    {"materials", bench_materials}, // every model, and both storages of the rest shape
    {"cuts", bench_cuts},           // the three ways to cut a box
    {"hex", bench_hex},             // hexahedra beside tetrahedra
    {"damping", bench_damping},     // the matrix-free product of the damping solve
    {"cg", bench_cg},               // an iteration of that solve
    {"sheets", bench_sheets},       // triangles, bending, springs and air, beside tetrahedra
    {"ccd", bench_ccd},             // collisions of moving pairs: far, near and hitting
    {"step", bench_step},           // whole steps and memory
    {"implicit", bench_implicit},   // implicit Euler: its matrix, product and steps
    {"solves", bench_solves},       // of implicit steps: diagonal blocks beside multigrid
    {"puddle", bench_puddle},       // frames of a scene, beside the thesis
    {"pairs", bench_pairs},         // finding what touches what, in folds of cloth
    {"clash", bench_clash},         // detection and response for a folded cloth, beside its forces
    {"objects", bench_objects},     // a thousand objects far away
    {"sleep", bench_sleep},         // many bodies that sleep beside one that does not
    {"cracks", bench_cracks},       // a surface that comes apart with its mesh
    {"multigrid", bench_multigrid}, // pressure in columns, beside incomplete Cholesky
    {"boundary", bench_boundary},   // open fractions of the faces of a liquid's grid
    {"surface", bench_surface},     // triangles of the surface of a liquid
    {"flux", bench_flux},           // upwind fluxes of tall cells, by rows
    {"viscosity", bench_viscosity}, // implicit viscosity, by stiffness
    {"levelset", bench_levelset},   // the surface of a liquid, and particles that mark it
    {"liquid", bench_liquid},       // whole steps of a liquid, by parts, sizes and depths
};

static int usage(void)
{
    printf("pliant_bench [NAME] [--quick] [--csv FILE] [--figure FILE]: the cases whose names contain NAME, of:");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
        printf(" %s", cases[i].name);
    printf("\n");
    return 2;
}

int bench_main(int argc, char **argv)
{
    bench b = {.effort = BENCH_FULL};
    const char *filter = "";
    for (int i = 1; i < argc; ++i)
    {
        if (strcmp(argv[i], "--quick") == 0)
            b.effort = BENCH_QUICK;
        else if (strcmp(argv[i], "--smoke") == 0)
            b.effort = BENCH_SMOKE;
        else if (strcmp(argv[i], "--csv") == 0 && i + 1 < argc)
        {
            if (!(csv = fopen(argv[++i], "w")))
                return perror(argv[i]), 1;
        }
        else if (strcmp(argv[i], "--figure") == 0 && i + 1 < argc)
            b.figure = argv[++i];
        else if (argv[i][0] == '-')
            return usage();
        else
            filter = argv[i];
    }
    if (b.figure && !strstr("implicit", filter))
        return fprintf(stderr, "--figure: is of `implicit`, which \"%s\" leaves out\n", filter), 1;
    pl_context_def def = pl_context_def_default();
    def.thread_count = 2;
    if (pl_context_create(&def, &b.ctx) != PL_OK)
        return 1;
    print_heading();
    bench_machine(&b);
    int run = 0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
        if (strstr(cases[i].name, filter))
        {
            cases[i].run(&b);
            ++run;
        }
    pl_context_destroy(&b.ctx);
    if (csv)
        fclose(csv);
    return run ? 0 : usage();
}

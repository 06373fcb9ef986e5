// src/volume/ring_solve.c -- pressures that make rings grow as they should: D P W D^T phi = b.
//
// Impulses phi at the rings (pressure times time) change velocities by P W D^T phi, W the inverse masses and P the
// projection onto what pins and contacts leave: a node on an object gets no velocity into or out of it (thesis 4.4).
// P W is symmetric and semidefinite, so the system is, too; with many constraints it is singular, hence MINRES.
//
// The diagonal of the system is its preconditioner. Iterations to 1 %, of spheres of 16 thousand tetrahedra: CG 12,
// MINRES 10, with the diagonal 11; pressed flat to 30 % 113, 74 and 49, to 10 % 598, 319 and 203 (in a prototype).
// Algebraic multigrid halves them at six products a cycle: it does not pay.
//
// A ring none of whose nodes is free has no unknown. Pins may force a volume on rings that they must not have; then an
// evenly growing pressure would do nothing. So rings give way a little, in proportion to their volume: the diagonal has
// `give` times its mean more, and what cannot be is spread over all rings alike. (By least squares rings with few free
// nodes had their way at the cost of others, which turned inside out.) Where volumes can be had the next solve corrects
// what this one gave.
#include "ring_solve.h"
#include "base/task.h"

#include <math.h>
#include <string.h>

enum
{
    NODES_PER_CHUNK = 256
};

// clang-format off
//                value   unit  derivation                                                                              pinned by
#define NOT_FREE  1e-12   // 1  diagonal over that without constraints: less is round-off of the projection, with room  tests/rings.c rings_without_free_nodes_are_left_out
// clang-format on

typedef struct
{
    const pl__ring_system *system;
    const double *in;
    double *v;
} job;

static void find_constraints(const pl__ring_system *s)
{
    const pl__rings *r = s->rings;
    for (int32_t k = 0; k < r->node_count; ++k)
        r->held[k] = -1;
    if (!s->constraints)
        return;
    int32_t end = pl__constraints_first(s->constraints, s->first_node + r->node_count);
    for (int32_t c = pl__constraints_first(s->constraints, s->first_node); c < end; ++c)
        r->held[s->constraints->single[c].node - s->first_node] = c;
}

// sum_j D_kj P W D_kj^T, and the same without P.
static void add_up(const pl__ring_system *s, int32_t k, double *held, double *free)
{
    const pl__rings *r = s->rings;
    *held = *free = 0;
    for (int32_t i = r->row[k]; i < r->row[k + 1]; ++i)
    {
        const double *d = &r->forward[3 * (size_t)i], *w = &s->inverse_mass[3 * (size_t)(s->first_node + r->column[i])];
        double u[3] = {w[0] * d[0], w[1] * d[1], w[2] * d[2]};
        *free += u[0] * d[0] + u[1] * d[1] + u[2] * d[2];
        if (r->held[r->column[i]] >= 0)
            pl__constraint_hold(&s->constraints->single[r->held[r->column[i]]], u);
        *held += u[0] * d[0] + u[1] * d[1] + u[2] * d[2];
    }
}

static void find_diagonal(void *argument, int32_t begin, int32_t end)
{
    const pl__ring_system *s = ((const job *)argument)->system;
    const pl__rings *r = s->rings;
    for (int32_t k = begin; k < end; ++k)
    {
        double held, free;
        add_up(s, k, &held, &free);
        r->inverse_diagonal[k] = held > NOT_FREE * free ? held : 0;
        r->scale[k] = r->target[k] > 0 ? s->dt / (r->factor * r->target[k]) : 0;
    }
}

static double sum_of(const double *a, int32_t count)
{
    double sum = 0;
    for (int32_t k = 0; k < count; ++k)
        sum += a[k];
    return sum;
}

// Invert the diagonal with what rings give; returns that over the volume at rest.
static double invert_diagonal(const pl__ring_system *s)
{
    const pl__rings *r = s->rings;
    double volume = sum_of(r->target, r->node_count),
           give = volume > 0 ? s->give * sum_of(r->inverse_diagonal, r->node_count) / volume : 0;
    for (int32_t k = 0; k < r->node_count; ++k)
        if (r->inverse_diagonal[k] > 0)
            r->inverse_diagonal[k] = 1 / (r->inverse_diagonal[k] + give * r->target[k]);
    return give;
}

// change = P W D^T in, for the nodes of some rows
static void push_nodes(void *argument, int32_t begin, int32_t end)
{
    const job *j = argument;
    const pl__ring_system *s = j->system;
    const pl__rings *r = s->rings;
    for (int32_t k = begin; k < end; ++k)
    {
        double sum[3];
        pl__ring_push(r, k, j->in, sum);
        for (size_t d = 0, at = 3 * (size_t)(s->first_node + k); d < 3; ++d)
            s->change[at + d] = s->inverse_mass[at + d] * sum[d];
    }
    if (s->constraints)
        pl__constraints_project_nodes(s->constraints, s->first_node + begin, s->first_node + end, s->change);
}

static void push(pl_context *ctx, const pl__ring_system *s, const double *in)
{
    pl__parallel_for(ctx, s->rings->node_count, NODES_PER_CHUNK, push_nodes, &(job){.system = s, .in = in});
}

typedef struct
{
    pl_context *ctx;
    const pl__ring_system *system;
    double give;
} applied;

static void apply(void *user, const double *in, double *out)
{
    const applied *a = user;
    const pl__rings *r = a->system->rings;
    push(a->ctx, a->system, in);
    pl__rings_divergence(a->ctx, r, &a->system->change[3 * (size_t)a->system->first_node], out);
    for (int32_t k = 0; k < r->node_count; ++k)
        out[k] += a->give * r->target[k] * in[k];
}

static void add_change(void *argument, int32_t begin, int32_t end)
{
    const job *j = argument;
    size_t first = (size_t)j->system->first_node;
    for (size_t k = 3 * (first + (size_t)begin); k < 3 * (first + (size_t)end); ++k)
        j->v[k] += j->system->change[k];
}

pl__minres_info pl__ring_solve(pl_context *ctx, const pl__ring_system *s, const pl__minres_limits *limits, double *v)
{
    pl__rings *r = s->rings;
    applied user = {.ctx = ctx, .system = s};
    pl__minres_system system = {.count = r->node_count,
                                .inverse_diagonal = r->inverse_diagonal,
                                .scale = r->scale,
                                .apply = apply,
                                .user = &user};
    find_constraints(s);
    pl__parallel_for(ctx, r->node_count, NODES_PER_CHUNK, find_diagonal, &(job){.system = s});
    user.give = invert_diagonal(s);
    pl__minres_info info = pl__minres_solve(ctx, &system, limits, r->impulse, &r->work);
    if (info.iterations > 0)
    {
        push(ctx, s, r->impulse);
        pl__parallel_for(ctx, r->node_count, NODES_PER_CHUNK, add_change, &(job){.system = s, .v = v});
    }
    return info;
}

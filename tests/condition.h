// tests/condition.h -- how well conditioned the system of an implicit step is, for any scene.
//
// Conjugate gradients on A = M + dt D + dt^2 K (no preconditioner, pinned nodes left out) are Lanczos' method in
// disguise: with their steps alpha and beta, the matrix
//
//     T_jj = 1/alpha_j + beta_(j-1)/alpha_(j-1),      T_j,j+1 = sqrt(beta_j)/alpha_j
//
// is A seen from the directions gone so far, and once the residual has fallen far its extreme eigenvalues are those of
// A. Bisection finds them: the number of eigenvalues below s is the number of negative pivots of T - s (Golub & Van
// Loan, 8.4 and 10.2).
#ifndef PL_TEST_CONDITION_H
#define PL_TEST_CONDITION_H

#include "base/random.h"
#include "test.h"
#include "world/world.h"

enum
{
    CONDITION_ITERATIONS = 4000
};

typedef struct
{
    int32_t count;
    double diagonal[CONDITION_ITERATIONS], beside[CONDITION_ITERATIONS]; // [j]: between j and j + 1
} condition_lanczos;

// Everything but the free nodes of one body.
static void condition_restrict(const pl__solids *s, const pl__body *body, double *u)
{
    for (int32_t n = 0; n < s->node_count; ++n)
        if (n < body->first_node || n >= body->first_node + body->node_count || !(s->mass[3 * (size_t)n] > 0))
            u[3 * n] = u[3 * n + 1] = u[3 * n + 2] = 0;
    for (int32_t k = 0; k < body->pins.count; ++k)
        for (int i = 0; i < 3; ++i)
            u[3 * (body->first_node + body->pins.pin[k].node) + i] = 0;
}

static double condition_dot(const double *a, const double *b, int32_t count)
{
    double sum = 0;
    for (int32_t k = 0; k < count; ++k)
        sum += a[k] * b[k];
    return sum;
}

// From a random right-hand side until its residual, by the recurrence, is 1e-30 of what it was: far beyond any
// solution, but eigenvalues come later.
static void condition_run(pl__solids *s, const pl__body *body, condition_lanczos *t)
{
    int32_t count = 3 * s->node_count;
    double *r = s->step.cg.r, *p = s->step.cg.p, *q = s->step.cg.q, beta = 0, alpha = 1;
    for (int32_t k = 0; k < count; ++k)
        r[k] = 2 * pl__random01(41, 0, (uint64_t)k) - 1;
    condition_restrict(s, body, r);
    memcpy(p, r, (size_t)count * sizeof *p);
    double rr = condition_dot(r, r, count), first = rr;
    for (t->count = 0; t->count < CONDITION_ITERATIONS && rr > 1e-60 * first;)
    {
        (void)pl__block_matrix_multiply(s->ctx, s->matrix, p, q, s->step.cg.partial);
        condition_restrict(s, body, q);
        double before = alpha > 0 ? beta / alpha : 0, next = 0;
        alpha = rr / condition_dot(p, q, count);
        for (int32_t k = 0; k < count; ++k)
            r[k] -= alpha * q[k];
        next = condition_dot(r, r, count);
        beta = next / rr;
        rr = next;
        for (int32_t k = 0; k < count; ++k)
            p[k] = r[k] + beta * p[k];
        t->diagonal[t->count] = 1 / alpha + before;
        t->beside[t->count++] = sqrt(beta) / alpha;
    }
}

static int32_t condition_below(const condition_lanczos *t, double s)
{
    int32_t below = 0;
    double pivot = 1;
    for (int32_t j = 0; j < t->count; ++j)
    {
        pivot = t->diagonal[j] - s - (j > 0 ? t->beside[j - 1] * t->beside[j - 1] / pivot : 0);
        pivot = pivot == 0 ? 1e-300 : pivot;
        below += pivot < 0;
    }
    return below;
}

// The least s below which there are so many eigenvalues.
static double condition_bisect(const condition_lanczos *t, int32_t wanted)
{
    double low = 0, high = 0;
    for (int32_t j = 0; j < t->count; ++j) // Gershgorin
        high = fmax(high, t->diagonal[j] + t->beside[j] + (j > 0 ? t->beside[j - 1] : 0));
    for (int k = 0; k < 200 && high - low > 1e-12 * high; ++k)
    {
        double middle = low > 0 ? sqrt(low * high) : 0.5 * high;
        *(condition_below(t, middle) >= wanted ? &high : &low) = middle;
    }
    return high;
}

// Largest over smallest eigenvalue of a body's part of the matrix of a step of dt about the present positions. The
// world has made an implicit step already; its state stays as it is.
__attribute__((unused)) static double condition_number(pl_world *world, int32_t body, double dt)
{
    pl__solids *s = &world->solids;
    condition_lanczos *t = calloc(1, sizeof *t);
    pl_step_info info;
    CHECK(s->awake.everybody && pl_world_report(world, &info) == PL_OK); // forces and frames are those of x then
    CHECK(pl__solids_begin_step(s, &world->arena, true, true) == PL_OK);
    pl__solids_assemble(s, s->state.x, dt * dt, dt, s->mass);
    condition_run(s, world->bodies.body[body], t);
    pl__solids_end_step(s);
    CHECK_THAT(t->count < CONDITION_ITERATIONS, "no end after %d iterations", t->count);
    double condition = condition_bisect(t, t->count) / condition_bisect(t, 1);
    free(t);
    return condition;
}

// What is followed over a motion: the number at its beginning, and its extremes since.
typedef struct
{
    double first, least, most;
} condition_range;

__attribute__((unused)) static void condition_follow(pl_world *world, int32_t body, double dt, condition_range *range)
{
    double now = condition_number(world, body, dt);
    if (range->first == 0)
        *range = (condition_range){now, now, now};
    range->least = fmin(range->least, now);
    range->most = fmax(range->most, now);
}

#endif

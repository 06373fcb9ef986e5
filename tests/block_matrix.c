// tests/block_matrix.c -- sparse matrices of blocks against full ones.
#include "base/context.h"
#include "host.h"
#include "random_input.h"
#include "sparse/block_matrix.h"

enum
{
    ROWS = 700, // more than a chunk of rows
    CHUNKS = 40,
    CLIQUES = 20
};

typedef struct
{
    int32_t node[CHUNKS][CLIQUES][8];
    pl__clique_chunk chunk[CHUNKS];
} cliques;

// Chunks of cliques of two to eight corners, here and there with one node twice; some rows belong to none.
static void make_cliques(cliques *c)
{
    for (int i = 0; i < CHUNKS; ++i)
    {
        int32_t corners = 2 + i % 7;
        int32_t *node = &c->node[i][0][0];
        for (int k = 0; k < CLIQUES * corners; ++k)
            node[k] = (int32_t)(pl__random01(7, (uint64_t)i, (uint64_t)k) * (ROWS - 10)) / (i % 3 == 0 ? 20 : 1);
        c->chunk[i] = (pl__clique_chunk){node, CLIQUES, corners, i % 4 == 1};
    }
}

// The block of corners a < b of a clique; where a = b, the sum of a row that has one, symmetric.
static double entry(int chunk, int clique, int a, int b, int k)
{
    int i = k / 3, j = k % 3;
    if (a == b && j < i)
        return entry(chunk, clique, a, b, 3 * j + i);
    return random_pm(11, (uint64_t)(((chunk * CLIQUES + clique) * 64 + 8 * a + b) * 9 + k));
}

static void fill(pl_context *ctx, const pl__block_matrix *m, const cliques *c, const double *diagonal)
{
    double local[9 * (PL_BLOCK_PAIRS + PL_BLOCK_CORNERS) * 16];
    for (int i = 0; i < CHUNKS; ++i)
    {
        pl__block_matrix_begin_chunk(m, i);
        for (int first = 0; first < CLIQUES; first += 16)
        {
            int count = CLIQUES - first < 16 ? CLIQUES - first : 16;
            for (int lane = 0; lane < count; ++lane)
            {
                int corners = c->chunk[i].corners, blocks = corners * (corners - 1) / 2;
                for (int a = 0, pair = 0; a < corners; ++a)
                    for (int b = a + 1; b < corners; ++b, ++pair)
                        for (int k = 0; k < 9; ++k)
                            local[(9 * pair + k) * 16 + lane] = entry(i, first + lane, a, b, k);
                for (int a = 0; c->chunk[i].unbalanced && a < corners; ++a)
                    for (int k = 0; k < 9; ++k)
                        local[(9 * (blocks + a) + k) * 16 + lane] = entry(i, first + lane, a, a, k);
            }
            PL_PICK(ctx->register_bytes, pl__block_matrix_add)(m, i, first, count, local);
        }
    }
    pl__block_matrix_finish(ctx, m, diagonal);
}

// The same, plainly: every clique adds its blocks above the diagonal and below, and to the diagonal what makes its rows
// have their sums.
static double *full(const cliques *c, const double *diagonal)
{
    size_t n = 3 * ROWS;
    double *A = calloc(n * n, sizeof *A);
    for (size_t k = 0; k < n; ++k)
        A[k * n + k] = diagonal[k];
    for (int i = 0; i < CHUNKS; ++i)
        for (int e = 0; e < CLIQUES; ++e)
            for (int a = 0; a < c->chunk[i].corners; ++a)
                for (int b = a; b < c->chunk[i].corners; ++b)
                    for (int k = 0; k < 9; ++k)
                    {
                        const int32_t *node = &c->chunk[i].node[c->chunk[i].corners * e];
                        size_t row = 3 * (size_t)node[a], column = 3 * (size_t)node[b], p = (size_t)(k / 3),
                               q = (size_t)(k % 3);
                        double value = entry(i, e, a, b, k);
                        if (a == b && c->chunk[i].unbalanced)
                            A[(row + p) * n + row + q] += value;
                        if (a == b || node[a] == node[b])
                            continue;
                        A[(row + p) * n + column + q] += value;
                        A[(column + q) * n + row + p] += value;
                        // half and half: rows of made-up blocks have sums that are not symmetric
                        A[(row + p) * n + row + q] -= 0.5 * value;
                        A[(row + q) * n + row + p] -= 0.5 * value;
                        A[(column + q) * n + column + p] -= 0.5 * value;
                        A[(column + p) * n + column + q] -= 0.5 * value;
                    }
    return A;
}

// y_i = own x_i + sum_j a_ij (x_j - x_i), into the first row of A, which is lost.
static void add_surplus(const cliques *c, const double *diagonal, const double *x, double *y)
{
    for (size_t k = 0; k < 3 * ROWS; ++k)
        y[k] = diagonal[k] * x[k];
    for (int i = 0; i < CHUNKS; ++i)
        for (int e = 0; e < CLIQUES; ++e)
            for (int a = 0; a < c->chunk[i].corners; ++a)
                for (int b = a; b < c->chunk[i].corners; ++b)
                    for (int k = 0; k < 9; ++k)
                    {
                        const int32_t *node = &c->chunk[i].node[c->chunk[i].corners * e];
                        size_t p = 3 * (size_t)node[a] + (size_t)(k / 3), q = 3 * (size_t)node[b] + (size_t)(k % 3);
                        size_t other_p = 3 * (size_t)node[a] + (size_t)(k % 3),
                               other_q = 3 * (size_t)node[b] + (size_t)(k / 3);
                        double value = entry(i, e, a, b, k);
                        if (a == b)
                            y[p] += c->chunk[i].unbalanced ? value * x[q] : 0;
                        else
                        {
                            y[p] += value * (x[q] - x[other_p]);
                            y[q] += value * (x[p] - x[other_q]);
                        }
                    }
}

typedef struct
{
    cliques c;
    pl__block_matrix m;
    double diagonal[3 * ROWS], x[3 * ROWS + 64], y[3 * ROWS + 64], z[3 * ROWS + 64], partial[16];
} trial;

static trial *make(pl_context *ctx)
{
    trial *t = calloc(1, sizeof *t);
    make_cliques(&t->c);
    for (int k = 0; k < 3 * ROWS; ++k)
    {
        t->diagonal[k] = 2 + random_pm(3, (uint64_t)k);
        t->x[k] = random_pm(5, (uint64_t)k);
    }
    CHECK_OK(ctx, pl__block_matrix_create(ctx, ROWS, t->c.chunk, CHUNKS, true, &t->m));
    return t;
}

static void product_is_that_of_the_full_matrix(void)
{
    pl_context *ctx = test_context(1);
    trial *t = make(ctx);
    double *A = full(&t->c, t->diagonal), wanted_dot = 0;
    for (int again = 0; again < 2; ++again) // values do not stay from before
        fill(ctx, &t->m, &t->c, t->diagonal);
    double product = pl__block_matrix_multiply(ctx, &t->m, t->x, t->y, t->partial);
    for (size_t i = 0; i < 3 * ROWS; ++i)
    {
        double sum = 0;
        for (size_t j = 0; j < 3 * ROWS; ++j)
            sum += A[i * 3 * ROWS + j] * t->x[j];
        CHECK_NEAR(t->y[i], sum, 1e-12);
        wanted_dot += t->x[i] * sum;
    }
    CHECK_NEAR(product, wanted_dot, 1e-9);
    // the rough one errs by what single precision does to blocks, and is blind to a common motion; made-up diagonals
    // are not what it takes them for
    double *rough = calloc(3 * ROWS + 64, sizeof *rough);
    (void)pl__block_matrix_multiply_rough(ctx, &t->m, t->x, rough, t->partial);
    add_surplus(&t->c, t->diagonal, t->x, A);
    for (size_t i = 0; i < 3 * ROWS; ++i)
        CHECK_NEAR(rough[i], A[i], 1e-5);
    free(rough);
    free(A);
    pl__block_matrix_destroy(ctx, &t->m);
    free(t);
    CHECK(pl_context_memory(ctx) == 0 || pl_context_thread_count(ctx) > 1);
    pl_context_destroy(&ctx);
}

static void diagonal_blocks_are_inverted(void)
{
    pl_context *ctx = test_context(1);
    trial *t = make(ctx);
    for (int k = 0; k < 3 * ROWS; ++k)
        t->diagonal[k] = 1000; // definite
    double *A = full(&t->c, t->diagonal), *inverse = malloc(6 * ROWS * sizeof *inverse);
    fill(ctx, &t->m, &t->c, t->diagonal);
    pl__block_matrix_invert_diagonal(ctx, &t->m, inverse);
    static const int at[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    for (size_t n = 0; n < ROWS; ++n)
        for (size_t i = 0; i < 3; ++i)
            for (size_t j = 0; j < 3; ++j)
            {
                double sum = 0;
                for (size_t k = 0; k < 3; ++k)
                    sum += A[(3 * n + i) * 3 * ROWS + 3 * n + k] * inverse[6 * n + (size_t)at[k][j]];
                CHECK_NEAR(sum, i == j, 1e-10);
            }
    free(A);
    free(inverse);
    pl__block_matrix_destroy(ctx, &t->m);
    free(t);
    pl_context_destroy(&ctx);
}

static void same_bits_for_all_registers_and_threads(void)
{
    static const char *const widths[] = {"0", "16", "32", "64"};
    double first[3 * ROWS];
    for (int k = 0; k < 8; ++k)
    {
        setenv("PLIANT_SIMD", widths[k % 4], 1);
        pl_context *ctx = test_context(1 + k / 4);
        unsetenv("PLIANT_SIMD");
        trial *t = make(ctx);
        fill(ctx, &t->m, &t->c, t->diagonal);
        (void)pl__block_matrix_multiply(ctx, &t->m, t->x, t->z, t->partial);
        (void)pl__block_matrix_multiply_rough(ctx, &t->m, t->z, t->y, t->partial);
        if (k == 0)
            memcpy(first, t->y, sizeof first);
        CHECK_THAT(memcmp(first, t->y, sizeof first) == 0, "%s bytes, %d threads", widths[k % 4], 1 + k / 4);
        pl__block_matrix_destroy(ctx, &t->m);
        free(t);
        pl_context_destroy(&ctx);
    }
}

static pl_status attempt(pl_context *ctx)
{
    static cliques c;
    pl__block_matrix m;
    make_cliques(&c);
    PL_TRY(pl__block_matrix_create(ctx, ROWS, c.chunk, CHUNKS, true, &m));
    pl__block_matrix_destroy(ctx, &m);
    return PL_OK;
}

static void every_failed_allocation_is_survived(void) { CHECK(survive_every_failure(attempt) > 10); }

int main(int argc, char **argv)
{
    static const pl_test tests[] = {TEST(product_is_that_of_the_full_matrix), TEST(diagonal_blocks_are_inverted),
                                    TEST(same_bits_for_all_registers_and_threads),
                                    TEST(every_failed_allocation_is_survived)};
    return RUN(tests);
}

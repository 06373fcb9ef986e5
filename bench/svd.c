// bench/svd.c -- singular values of 3x3 matrices: the plain form against every register width.
#include "bench.h"
#include "base/random.h"
#include "base/task.h"
#include "math/svd3.h"
#include "math/svd3_batch.h"

#include <stdlib.h>

enum
{
    BLOCKS = 64 // 1024 matrices: nothing leaves the second cache
};

typedef double block9[9][16];
typedef double block3[3][16];

typedef struct
{
    block9 F[BLOCKS], U[BLOCKS], V[BLOCKS];
    block3 sigma[BLOCKS];
    int32_t register_bytes;
} batch;

static void run_plain(void *argument)
{
    batch *m = argument;
    for (int i = 0; i < 16 * BLOCKS; ++i)
    {
        pl_mat3 F, U, V;
        double sigma[3];
        for (int k = 0; k < 9; ++k)
            F.c[k / 3][k % 3] = m->F[i / 16][k][i % 16];
        pl__svd3(&F, &U, sigma, &V);
        for (int k = 0; k < 9; ++k)
        {
            m->U[i / 16][k][i % 16] = U.c[k / 3][k % 3];
            m->V[i / 16][k][i % 16] = V.c[k / 3][k % 3];
        }
        for (int k = 0; k < 3; ++k)
            m->sigma[i / 16][k][i % 16] = sigma[k];
    }
}

static void run_wide(void *argument)
{
    batch *m = argument;
    PL_PICK(m->register_bytes, pl__svd3_batch)(BLOCKS, (const block9 *)m->F, m->U, m->sigma, m->V);
}

void bench_svd(bench *b)
{
    batch *m = aligned_alloc(64, (sizeof *m + 63) / 64 * 64);
    if (!m)
        exit(1);
    // deformation gradients of moderate strain, turned by nothing: the plain form's best case
    for (int i = 0; i < 16 * BLOCKS; ++i)
        for (int k = 0; k < 9; ++k)
            m->F[i / 16][k][i % 16] = (k % 4 == 0) + 0.6 * (pl__random01(3, 0, 9 * (uint64_t)i + (uint64_t)k) - 0.5);
    bench_saved saved = bench_use(b, 1, b->ctx->register_bytes);
    uint64_t host = pl__fp_enter();
    double plain = 1e9 * bench_time(b, run_plain, m) / (16 * BLOCKS);
    bench_report(
        &(bench_row){.name = "svd", .variant = "plain (pl__svd3)", .threads = 1, .value = plain, .unit = "ns/mat"});
    static const int32_t widths[] = {0, 16, 32, 64};
    for (int i = 0; i < 4 && widths[i] <= b->ctx->register_bytes; ++i)
    {
        m->register_bytes = widths[i];
        double wide = 1e9 * bench_time(b, run_wide, m) / (16 * BLOCKS);
        bench_report(&(bench_row){.name = "svd",
                                  .variant = "wide",
                                  .threads = 1,
                                  .register_bytes = widths[i],
                                  .value = wide,
                                  .unit = "ns/mat",
                                  .ratio = plain / wide,
                                  .ratio_to = "plain"});
    }
    pl__fp_leave(host);
    bench_restore(b, saved);
    free(m);
}

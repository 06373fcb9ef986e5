// tests/svd3.c -- the promises of svd3.h, for the plain and the wide form, over harmless and nasty matrices.
#include "test.h"
#include "base/cpu.h"
#include "math/svd3.h"
#include "math/svd3_batch.h"
#include "nasty3.h"

enum
{
    BLOCKS = 64,
    COUNT = 16 * BLOCKS
};

typedef struct
{
    double F[BLOCKS][9][16], U[BLOCKS][9][16], sigma[BLOCKS][3][16], V[BLOCKS][9][16];
} batch;

static const int32_t widths[] = {0, 16, 32, 64};
enum
{
    WIDTHS = 4
};

static void run(int32_t width, batch *b) { PL_PICK(width, pl__svd3_batch)(BLOCKS, b->F, b->U, b->sigma, b->V); }

static void set(batch *b, int n, const pl_mat3 *F)
{
    for (int k = 0; k < 9; ++k)
        b->F[n / 16][k][n % 16] = F->c[k / 3][k % 3];
}

// -------------------------------------------------------------------------------------------- reference

// Singular values in long double by the same method as the oracle, with 11 more bits; descending.
static void exact_sigma(const pl_mat3 *F, long double sigma[3])
{
    long double B[3][3], m = 0;
    for (int k = 0; k < 9; ++k)
        m = fmaxl(m, fabsl(F->c[k / 3][k % 3]));
    for (int k = 0; k < 9; ++k)
        B[k / 3][k % 3] = m > 0 ? F->c[k / 3][k % 3] / m : 0;
    for (int step = 0; step < 36; ++step)
    {
        int p = step % 3 == 2, q = step % 3 ? 2 : 1;
        long double a = 0, b = 0, c = 0;
        for (int i = 0; i < 3; ++i)
            a += B[p][i] * B[p][i], b += B[q][i] * B[q][i], c += B[p][i] * B[q][i];
        if (c == 0)
            continue;
        long double tau = (b - a) / (2 * c), t = copysignl(1 / (fabsl(tau) + sqrtl(1 + tau * tau)), tau);
        long double cs = 1 / sqrtl(1 + t * t), sn = cs * t;
        for (int i = 0; i < 3; ++i)
        {
            long double x = B[p][i], y = B[q][i];
            B[p][i] = cs * x - sn * y;
            B[q][i] = sn * x + cs * y;
        }
    }
    for (int j = 0; j < 3; ++j)
        sigma[j] = m * sqrtl(B[j][0] * B[j][0] + B[j][1] * B[j][1] + B[j][2] * B[j][2]);
    for (int pass = 0; pass < 3; ++pass)
        for (int j = 0; j < 2; ++j)
            if (sigma[j] < sigma[j + 1])
            {
                long double s = sigma[j];
                sigma[j] = sigma[j + 1];
                sigma[j + 1] = s;
            }
}

typedef struct
{
    double orthogonality, reconstruction, sigma; // in units of eps, and of eps sigma0
} errors;

static errors measure(const pl_mat3 *F, const pl_mat3 *U, const double sigma[3], const pl_mat3 *V)
{
    errors e = {0, 0, 0};
    e.orthogonality = fmax(distance_from_rotation(U), distance_from_rotation(V));
    long double exact[3];
    exact_sigma(F, exact);
    // denormals are flushed: no result is finer than the smallest normal number
    long double unit = fmaxl(DBL_EPSILON * exact[0], DBL_MIN);
    for (int i = 0; i < 3; ++i)
        e.sigma = fmax(e.sigma, (double)(fabsl(fabsl(sigma[i]) - exact[i]) / unit));
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i)
        {
            long double f = -(long double)F->c[j][i];
            for (int k = 0; k < 3; ++k)
                f += (long double)U->c[k][i] * sigma[k] * V->c[k][j];
            e.reconstruction = fmax(e.reconstruction, (double)(fabsl(f) / unit));
        }
    return e;
}

static void check(const char *who, int kind, uint64_t key, const pl_mat3 *F, const pl_mat3 *U, const double sigma[3],
                  const pl_mat3 *V, errors *worst)
{
    errors e = measure(F, U, sigma, V);
    CHECK_THAT(e.orthogonality <= 16, "%s, kind %d, key %d: %g eps", who, kind, (int)key, e.orthogonality);
    CHECK_THAT(e.reconstruction <= 32, "%s, kind %d, key %d: %g eps", who, kind, (int)key, e.reconstruction);
    CHECK_THAT(e.sigma <= 16, "%s, kind %d, key %d: %g eps", who, kind, (int)key, e.sigma);
    CHECK_THAT(sigma[0] >= sigma[1] && sigma[1] >= fabs(sigma[2]), "%s, kind %d, key %d: sigma = %.17g %.17g %.17g",
               who, kind, (int)key, sigma[0], sigma[1], sigma[2]);
    // the sign of sigma[2] is that of det F, wherever that is more than rounding
    if (sigma[0] < 1e100 && sigma[0] > 1e-100 && fabs(sigma[2]) > 1e-13 * sigma[0])
        CHECK_THAT((pl_det3(F) > 0) == (sigma[2] > 0) || fabs(sigma[1]) < 1e-2 * sigma[0], "%s, kind %d, key %d", who,
                   kind, (int)key);
    worst->orthogonality = fmax(worst->orthogonality, e.orthogonality);
    worst->reconstruction = fmax(worst->reconstruction, e.reconstruction);
    worst->sigma = fmax(worst->sigma, e.sigma);
}

// -------------------------------------------------------------------------------------------- properties

static void plain_form_keeps_its_bounds(void)
{
    uint64_t host = pl__fp_enter();
    errors worst = {0, 0, 0};
    for (int kind = 0; kind < KINDS; ++kind)
        for (uint64_t key = 0; key < (slow_tests ? 100000 : 2000); ++key)
        {
            pl_mat3 F = nasty(kind, key), U, V;
            double sigma[3];
            pl__svd3(&F, &U, sigma, &V);
            check("plain", kind, key, &F, &U, sigma, &V, &worst);
        }
    printf("plain: orthogonality %.2g, reconstruction %.2g, sigma %.2g eps\n", worst.orthogonality,
           worst.reconstruction, worst.sigma);
    pl__fp_leave(host);
}

static void wide_form_keeps_its_bounds(void)
{
    static batch b;
    uint64_t host = pl__fp_enter();
    errors worst = {0, 0, 0};
    for (int kind = 0; kind < KINDS; ++kind)
        for (uint64_t round = 0; round < (slow_tests ? 100 : 2); ++round)
        {
            for (int n = 0; n < COUNT; ++n)
            {
                pl_mat3 F = nasty(kind, round * COUNT + (uint64_t)n);
                set(&b, n, &F);
            }
            run(pl__cpu_register_bytes(NULL), &b);
            for (int n = 0; n < COUNT; ++n)
            {
                pl_mat3 F = entry(b.F, n), U = entry(b.U, n), V = entry(b.V, n);
                double sigma[3];
                for (int k = 0; k < 3; ++k)
                    sigma[k] = b.sigma[n / 16][k][n % 16];
                check("wide", kind, round * COUNT + (uint64_t)n, &F, &U, sigma, &V, &worst);
            }
        }
    printf("wide: orthogonality %.2g, reconstruction %.2g, sigma %.2g eps\n", worst.orthogonality, worst.reconstruction,
           worst.sigma);
    pl__fp_leave(host);
}

// All widths agree in every bit, and no lane's result depends on its neighbours.
static void widths_agree_bit_for_bit(void)
{
    static batch a, b;
    uint64_t host = pl__fp_enter();
    for (int kind = 0; kind <= KINDS; ++kind)
    {
        for (int n = 0; n < COUNT; ++n)
        {
            pl_mat3 F = nasty(kind < KINDS ? kind : n % KINDS, (uint64_t)n);
            if (n % 37 == 5 && kind == KINDS) // some lanes are nonsense
                F.c[n % 3][n / 3 % 3] = n % 2 ? NAN : INFINITY;
            set(&a, n, &F);
        }
        memcpy(b.F, a.F, sizeof a.F);
        run(0, &a);
        for (int w = 1; w < WIDTHS && widths[w] <= pl__cpu_register_bytes(NULL); ++w)
        {
            run(widths[w], &b);
            CHECK_THAT(memcmp(&a, &b, sizeof a) == 0, "width %d, kind %d", widths[w], kind);
        }
    }
    pl__fp_leave(host);
}

static void zero_gives_identity(void)
{
    static batch b;
    pl_mat3 Z = {0}, I = pl_identity3(), U, V;
    double sigma[3];
    pl__svd3(&Z, &U, sigma, &V);
    CHECK(memcmp(&U, &I, sizeof I) == 0 && memcmp(&V, &I, sizeof I) == 0 && sigma[0] == 0 && sigma[1] == 0 &&
          sigma[2] == 0);
    memset(&b, 0, sizeof b);
    run(pl__cpu_register_bytes(NULL), &b);
    U = entry(b.U, 3);
    V = entry(b.V, 3);
    for (int k = 0; k < 9; ++k)
        CHECK(U.c[k / 3][k % 3] == I.c[k / 3][k % 3] && V.c[k / 3][k % 3] == I.c[k / 3][k % 3]);
    CHECK(b.sigma[0][0][3] == 0 && b.sigma[0][1][3] == 0 && b.sigma[0][2][3] == 0);
}

// A NaN or an infinity anywhere comes out as NaN in every sigma, and the neighbours do not notice.
static void nonsense_is_flagged(void)
{
    static const double bad[] = {NAN, -NAN, INFINITY, -INFINITY};
    static batch b;
    for (int n = 0; n < COUNT; ++n)
    {
        pl_mat3 F = nasty(0, (uint64_t)n), U, V;
        if (n % 2)
            F.c[n / 2 % 3][n / 6 % 3] = bad[n / 18 % 4];
        double sigma[3];
        pl__svd3(&F, &U, sigma, &V);
        for (int k = 0; k < 3; ++k)
            CHECK(isnan(sigma[k]) == n % 2);
        set(&b, n, &F);
    }
    run(pl__cpu_register_bytes(NULL), &b);
    for (int n = 0; n < COUNT; ++n)
        for (int k = 0; k < 3; ++k)
            CHECK(isnan(b.sigma[n / 16][k][n % 16]) == n % 2);
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {
        TEST(plain_form_keeps_its_bounds), TEST(wide_form_keeps_its_bounds), TEST(widths_agree_bit_for_bit),
        TEST(zero_gives_identity),         TEST(nonsense_is_flagged),
    };
    return RUN(tests);
}

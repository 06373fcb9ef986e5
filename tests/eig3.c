// tests/eig3.c -- A = Q diag(lambda) Q^T, for the plain and the wide form.
#include "test.h"
#include "math/eig3.h"
#include "nasty3.h"

enum
{
    BLOCKS = 64,
    COUNT = 16 * BLOCKS
};

static double A[BLOCKS][9][16], Q[BLOCKS][9][16], L[BLOCKS][3][16];

// Symmetric and nasty: the mean of F and F^T, or for a third of the keys Q diag Q^T with two or three values close.
static pl_mat3 symmetric(int kind, uint64_t key)
{
    pl_mat3 F = nasty(kind, key);
    if (key % 3 == 0)
    {
        pl_mat3 R = rotation(key);
        double close = power(key, 70, 9) * 1e-9,
               values[3] = {1, key % 2 ? 1 + close : uniform(key, 71), 1 - close * uniform(key, 72)};
        for (int j = 0; j < 3; ++j)
            for (int i = 0; i <= j; ++i)
            {
                double s = 0;
                for (int k = 0; k < 3; ++k)
                    s += R.c[k][i] * values[k] * R.c[k][j];
                F.c[i][j] = F.c[j][i] = key % 4 ? s : -s;
            }
        return F;
    }
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < j; ++i)
            F.c[i][j] = F.c[j][i] = 0.5 * F.c[i][j] + 0.5 * F.c[j][i];
    return F;
}

// Eigenvalues in long double by cyclic Jacobi, descending.
static void exact_lambda(const pl_mat3 *a, long double lambda[3])
{
    long double B[3][3], m = 0;
    for (int k = 0; k < 9; ++k)
        m = fmaxl(m, fabsl(a->c[k / 3][k % 3]));
    for (int k = 0; k < 9; ++k)
        B[k / 3][k % 3] = m > 0 ? a->c[k / 3][k % 3] / m : 0;
    for (int step = 0; step < 36; ++step)
    {
        int p = step % 3 == 2, q = step % 3 ? 2 : 1, r = 3 - p - q;
        if (B[p][q] == 0)
            continue;
        long double off = B[p][q], tau = (B[q][q] - B[p][p]) / (2 * off),
                    t = copysignl(1 / (fabsl(tau) + sqrtl(1 + tau * tau)), tau);
        long double c = 1 / sqrtl(1 + t * t), s = c * t, x = B[p][r], y = B[q][r];
        B[p][p] -= t * off;
        B[q][q] += t * off;
        B[p][q] = B[q][p] = 0;
        B[p][r] = B[r][p] = c * x - s * y;
        B[q][r] = B[r][q] = s * x + c * y;
    }
    for (int i = 0; i < 3; ++i)
        lambda[i] = m * B[i][i];
    for (int pass = 0; pass < 3; ++pass)
        for (int j = 0; j < 2; ++j)
            if (lambda[j] < lambda[j + 1])
            {
                long double s = lambda[j];
                lambda[j] = lambda[j + 1];
                lambda[j + 1] = s;
            }
}

static double worst[3];

static void check(const char *who, int kind, int key, const pl_mat3 *a, const pl_mat3 *q, const double lambda[3])
{
    long double exact[3], reconstruction = 0, error = 0;
    double orthogonality = distance_from_rotation(q);
    exact_lambda(a, exact);
    long double unit = fmaxl(DBL_EPSILON * fmaxl(fabsl(exact[0]), fabsl(exact[2])), DBL_MIN);
    for (int j = 0; j < 3; ++j)
    {
        error = fmaxl(error, fabsl(lambda[j] - exact[j]) / unit);
        for (int i = 0; i < 3; ++i)
        {
            long double x = -(long double)a->c[j][i];
            for (int k = 0; k < 3; ++k)
                x += (long double)q->c[k][i] * lambda[k] * q->c[k][j];
            reconstruction = fmaxl(reconstruction, fabsl(x) / unit);
        }
    }
    CHECK_THAT(orthogonality <= 16 && reconstruction <= 32 && error <= 16, "%s, kind %d, key %d: %g, %Lg, %Lg eps", who,
               kind, key, orthogonality, reconstruction, error);
    CHECK_THAT(lambda[0] >= lambda[1] && lambda[1] >= lambda[2], "%s, kind %d, key %d: %.17g %.17g %.17g", who, kind,
               key, lambda[0], lambda[1], lambda[2]);
    worst[0] = fmax(worst[0], orthogonality);
    worst[1] = fmax(worst[1], (double)reconstruction);
    worst[2] = fmax(worst[2], (double)error);
}

static void plain_form_keeps_its_bounds(void)
{
    uint64_t host = pl__fp_enter();
    memset(worst, 0, sizeof worst);
    for (int kind = 0; kind < KINDS; ++kind)
        for (int key = 0; key < 2000; ++key)
        {
            pl_mat3 a = symmetric(kind, (uint64_t)key), q;
            double lambda[3];
            pl__eig3(&a, &q, lambda);
            check("plain", kind, key, &a, &q, lambda);
        }
    printf("plain: %.3g %.3g %.3g eps\n", worst[0], worst[1], worst[2]);
    pl__fp_leave(host);
}

static void fill(int kind, uint64_t round)
{
    for (int n = 0; n < COUNT; ++n)
    {
        pl_mat3 a = symmetric(kind < KINDS ? kind : n % KINDS, round * COUNT + (uint64_t)n);
        if (kind == KINDS && n % 7 == 3)
            a.c[2][n / 3 % 3] = n % 2 ? NAN : INFINITY;
        for (int k = 0; k < 9; ++k)
            A[n / 16][k][n % 16] = a.c[k / 3][k % 3];
    }
}

static void wide_form_keeps_its_bounds(void)
{
    uint64_t host = pl__fp_enter();
    memset(worst, 0, sizeof worst);
    for (int kind = 0; kind < KINDS; ++kind)
        for (uint64_t round = 0; round < (slow_tests ? 100 : 2); ++round)
        {
            fill(kind, round);
            PL_PICK(pl__cpu_register_bytes(NULL), pl__eig3_batch)(BLOCKS, A, Q, L);
            for (int n = 0; n < COUNT; ++n)
            {
                pl_mat3 a = entry(A, n), q = entry(Q, n);
                double lambda[3] = {L[n / 16][0][n % 16], L[n / 16][1][n % 16], L[n / 16][2][n % 16]};
                check("wide", kind, (int)round * COUNT + n, &a, &q, lambda);
            }
        }
    printf("wide: %.3g %.3g %.3g eps\n", worst[0], worst[1], worst[2]);
    pl__fp_leave(host);
}

static void widths_agree_bit_for_bit(void)
{
    static double q[BLOCKS][9][16], l[BLOCKS][3][16];
    static const int32_t widths[] = {16, 32, 64};
    for (int kind = 0; kind <= KINDS; ++kind)
    {
        fill(kind, 0);
        pl__eig3_batch_0(BLOCKS, A, q, l);
        for (int w = 0; w < 3 && widths[w] <= pl__cpu_register_bytes(NULL); ++w)
        {
            PL_PICK(widths[w], pl__eig3_batch)(BLOCKS, A, Q, L);
            CHECK_THAT(memcmp(q, Q, sizeof q) == 0 && memcmp(l, L, sizeof l) == 0, "width %d, kind %d", widths[w],
                       kind);
        }
    }
}

static void zero_and_nonsense(void)
{
    fill(KINDS, 0);
    memset(A[0], 0, sizeof A[0]);
    PL_PICK(pl__cpu_register_bytes(NULL), pl__eig3_batch)(BLOCKS, A, Q, L);
    for (int k = 0; k < 9; ++k)
        CHECK(Q[0][k][2] == (k % 4 == 0) && L[0][k / 3][2] == 0);
    for (int n = 16; n < COUNT; ++n)
    {
        pl_mat3 a = entry(A, n), q;
        double lambda[3];
        pl__eig3(&a, &q, lambda);
        for (int i = 0; i < 3; ++i)
            CHECK(isnan(L[n / 16][i][n % 16]) == (n % 7 == 3) && isnan(lambda[i]) == (n % 7 == 3));
    }
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {
        TEST(plain_form_keeps_its_bounds),
        TEST(wide_form_keeps_its_bounds),
        TEST(widths_agree_bit_for_bit),
        TEST(zero_and_nonsense),
    };
    return RUN(tests);
}

// tests/svd2.c -- the promises of svd2.h and svd32.h, plain and wide. A 2x2 matrix is tested as a 3x2 one with a row of
// 0.
#include "test.h"
#include "base/random.h"
#include "math/svd2.h"
#include "math/svd32.h"

enum
{
    BLOCKS = 128,
    COUNT = 16 * BLOCKS,
    KINDS = 12
};

static double F2[BLOCKS][4][16], U2[BLOCKS][4][16], V2[BLOCKS][4][16], S2[BLOCKS][2][16];
static double F3[BLOCKS][6][16], U3[BLOCKS][6][16], V3[BLOCKS][4][16], S3[BLOCKS][2][16];

static double uniform(uint64_t key, uint64_t n) { return 2 * pl__random01(12, key, n) - 1; }

// Kind 0..KINDS-1 of trouble; `rows` is 2 or 3.
static pl_mat32 nasty(int kind, uint64_t key, int rows)
{
    pl_mat32 F = {0};
    double tiny = pow(10, 9 * uniform(key, 20) - 9), angle = 4 * uniform(key, 21), c = cos(angle), s = sin(angle);
    for (int k = 0; k < 2 * rows; ++k)
        F.c[k / rows][k % rows] = uniform(key, (uint64_t)k);
    switch (kind)
    {
    case 0: return F;
    case 1: return (pl_mat32){{{c, s, 0}, {-s, c, 0}}}; // equal values
    case 2: return (pl_mat32){{{c, s, 0}, {s, -c, 0}}};
    case 3: return (pl_mat32){{{c + tiny, s, 0}, {-s, c, 0}}};
    case 4: // almost rank 1
        for (int i = 0; i < rows; ++i)
            F.c[1][i] = F.c[0][i] + tiny * F.c[1][i];
        return F;
    case 5: // exactly rank 1
        for (int i = 0; i < rows; ++i)
            F.c[1][i] = (double)(key % 7) * F.c[0][i];
        return F;
    case 6:
        for (int k = 0; k < 2 * rows; ++k)
            F.c[k / rows][k % rows] = floor(1.5 * uniform(key, (uint64_t)k) + 0.5);
        return F;
    case 7:
        for (int k = 0; k < 2 * rows; ++k)
            F.c[k / rows][k % rows] *= pow(10, 12 * uniform(key, 30 + (uint64_t)k));
        return F;
    case 8:
    case 9:
        for (int k = 0; k < 2 * rows; ++k)
            F.c[k / rows][k % rows] *= kind == 8 ? 1e300 : 1e-300;
        return F;
    case 10: // a zero column
        for (int i = 0; i < rows; ++i)
            F.c[key % 2][i] = 0;
        return F;
    default: // diagonal
        return (pl_mat32){{{F.c[0][0], 0, 0}, {0, tiny, 0}}};
    }
}

static void exact_sigma(const pl_mat32 *F, long double sigma[2])
{
    long double m = 0, f[2][3], a = 0, b = 0, c = 0;
    for (int k = 0; k < 6; ++k)
        m = fmaxl(m, fabsl(F->c[k / 3][k % 3]));
    for (int k = 0; k < 6; ++k)
        f[k / 3][k % 3] = m > 0 ? F->c[k / 3][k % 3] / m : 0;
    for (int i = 0; i < 3; ++i)
        a += f[0][i] * f[0][i], b += f[1][i] * f[1][i], c += f[0][i] * f[1][i];
    // |f0 x f1| = sigma0 sigma1
    long double x = f[0][1] * f[1][2] - f[0][2] * f[1][1], y = f[0][2] * f[1][0] - f[0][0] * f[1][2],
                z = f[0][0] * f[1][1] - f[0][1] * f[1][0];
    long double s = sqrtl((a + b + sqrtl((a - b) * (a - b) + 4 * c * c)) / 2);
    sigma[0] = m * s;
    sigma[1] = s > 0 ? m * sqrtl(x * x + y * y + z * z) / s : 0;
}

static double worst[3];

static void check(const char *who, int kind, int key, const pl_mat32 *F, const pl_mat32 *U, const double sigma[2],
                  const pl_mat2 *V)
{
    long double exact[2], orthogonality = 0, reconstruction = 0, error = 0;
    exact_sigma(F, exact);
    long double unit = fmaxl(0x1p-52 * exact[0], 0x1p-1022);
    for (int p = 0; p < 2; ++p)
    {
        error = fmaxl(error, fabsl(fabsl(sigma[p]) - exact[p]) / unit);
        for (int q = 0; q < 2; ++q)
        {
            long double u = p == q ? -1 : 0, v = u;
            for (int i = 0; i < 3; ++i)
                u += (long double)U->c[p][i] * U->c[q][i];
            for (int i = 0; i < 2; ++i)
                v += (long double)V->c[p][i] * V->c[q][i];
            orthogonality = fmaxl(orthogonality, fmaxl(fabsl(u), fabsl(v)) * 0x1p52L);
        }
        for (int i = 0; i < 3; ++i)
        {
            long double f = -(long double)F->c[p][i];
            for (int k = 0; k < 2; ++k)
                f += (long double)U->c[k][i] * sigma[k] * V->c[k][p];
            reconstruction = fmaxl(reconstruction, fabsl(f) / unit);
        }
    }
    CHECK_THAT(orthogonality <= 16 && reconstruction <= 32 && error <= 16, "%s, kind %d, key %d: %Lg, %Lg, %Lg eps",
               who, kind, key, orthogonality, reconstruction, error);
    CHECK_THAT(sigma[0] >= fabs(sigma[1]) && pl_det2(V) > 0, "%s, kind %d, key %d: %g %g", who, kind, key, sigma[0],
               sigma[1]);
    worst[0] = fmax(worst[0], (double)orthogonality);
    worst[1] = fmax(worst[1], (double)reconstruction);
    worst[2] = fmax(worst[2], (double)error);
}

static pl_mat32 embed(const pl_mat2 *A)
{
    return (pl_mat32){{{A->c[0][0], A->c[0][1], 0}, {A->c[1][0], A->c[1][1], 0}}};
}

static void check2(const char *who, int kind, int key, const pl_mat2 *F, const pl_mat2 *U, const double sigma[2],
                   const pl_mat2 *V)
{
    pl_mat32 f = embed(F), u = embed(U);
    check(who, kind, key, &f, &u, sigma, V);
    CHECK_THAT(pl_det2(U) > 0, "%s, kind %d, key %d", who, kind, key);
    if (fabs(sigma[1]) > 1e-13 * sigma[0] && sigma[0] > 1e-100 && sigma[0] < 1e100)
        CHECK_THAT((pl_det2(F) > 0) == (sigma[1] > 0), "%s, kind %d, key %d", who, kind, key);
}

static void plain_forms_keep_their_bounds(void)
{
    uint64_t host = pl__fp_enter();
    memset(worst, 0, sizeof worst);
    for (int kind = 0; kind < KINDS; ++kind)
        for (int key = 0; key < 5000; ++key)
        {
            pl_mat32 F = nasty(kind, (uint64_t)key, 3), G = nasty(kind, (uint64_t)key, 2), U;
            pl_mat2 g = {{{G.c[0][0], G.c[0][1]}, {G.c[1][0], G.c[1][1]}}}, u, V;
            double sigma[2];
            pl__svd32(&F, &U, sigma, &V);
            check("3x2", kind, key, &F, &U, sigma, &V);
            CHECK(sigma[1] >= 0);
            pl__svd2(&g, &u, sigma, &V);
            check2("2x2", kind, key, &g, &u, sigma, &V);
        }
    printf("plain: %.3g %.3g %.3g eps\n", worst[0], worst[1], worst[2]);
    pl__fp_leave(host);
}

static void fill(int kind)
{
    for (int n = 0; n < COUNT; ++n)
    {
        int k = kind < KINDS ? kind : n % KINDS;
        pl_mat32 F = nasty(k, (uint64_t)n, 3), G = nasty(k, (uint64_t)n, 2);
        if (kind == KINDS && n % 5 == 2)
            F.c[n % 2][n / 2 % 3] = G.c[n % 2][n / 2 % 2] = n % 3 ? NAN : -INFINITY;
        for (int i = 0; i < 6; ++i)
            F3[n / 16][i][n % 16] = F.c[i / 3][i % 3];
        for (int i = 0; i < 4; ++i)
            F2[n / 16][i][n % 16] = G.c[i / 2][i % 2];
    }
}

static void run(int32_t width)
{
    PL_PICK(width, pl__svd2_batch)(BLOCKS, F2, U2, S2, V2);
    PL_PICK(width, pl__svd32_batch)(BLOCKS, F3, U3, S3, V3);
}

static pl_mat2 entry2(const double (*A)[4][16], int n)
{
    pl_mat2 M;
    for (int i = 0; i < 4; ++i)
        M.c[i / 2][i % 2] = A[n / 16][i][n % 16];
    return M;
}

static pl_mat32 entry32(const double (*A)[6][16], int n)
{
    pl_mat32 M;
    for (int i = 0; i < 6; ++i)
        M.c[i / 3][i % 3] = A[n / 16][i][n % 16];
    return M;
}

static void wide_forms_keep_their_bounds(void)
{
    uint64_t host = pl__fp_enter();
    memset(worst, 0, sizeof worst);
    for (int kind = 0; kind < KINDS; ++kind)
    {
        fill(kind);
        run(pl__cpu_register_bytes(NULL));
        for (int n = 0; n < COUNT; ++n)
        {
            pl_mat32 F = entry32(F3, n), U = entry32(U3, n);
            pl_mat2 V = entry2(V3, n), f = entry2(F2, n), u = entry2(U2, n), v = entry2(V2, n);
            double s3[2] = {S3[n / 16][0][n % 16], S3[n / 16][1][n % 16]},
                   s2[2] = {S2[n / 16][0][n % 16], S2[n / 16][1][n % 16]};
            check("wide 3x2", kind, n, &F, &U, s3, &V);
            CHECK(s3[1] >= 0);
            check2("wide 2x2", kind, n, &f, &u, s2, &v);
        }
    }
    printf("wide: %.3g %.3g %.3g eps\n", worst[0], worst[1], worst[2]);
    pl__fp_leave(host);
}

static void widths_agree_bit_for_bit(void)
{
    static double u2[BLOCKS][4][16], v2[BLOCKS][4][16], s2[BLOCKS][2][16], u3[BLOCKS][6][16], v3[BLOCKS][4][16],
        s3[BLOCKS][2][16];
    static const int32_t widths[] = {16, 32, 64};
    for (int kind = 0; kind <= KINDS; ++kind)
    {
        fill(kind);
        run(0);
        memcpy(u2, U2, sizeof u2), memcpy(v2, V2, sizeof v2), memcpy(s2, S2, sizeof s2);
        memcpy(u3, U3, sizeof u3), memcpy(v3, V3, sizeof v3), memcpy(s3, S3, sizeof s3);
        for (int w = 0; w < 3 && widths[w] <= pl__cpu_register_bytes(NULL); ++w)
        {
            run(widths[w]);
            CHECK_THAT(!memcmp(u2, U2, sizeof u2) && !memcmp(v2, V2, sizeof v2) && !memcmp(s2, S2, sizeof s2),
                       "width %d, kind %d", widths[w], kind);
            CHECK_THAT(!memcmp(u3, U3, sizeof u3) && !memcmp(v3, V3, sizeof v3) && !memcmp(s3, S3, sizeof s3),
                       "width %d, kind %d", widths[w], kind);
        }
    }
}

// Zero gives U = V = I; NaN and infinity come out as NaN in sigma; plain and wide agree in that.
static void zero_and_nonsense(void)
{
    fill(KINDS);
    memset(F2[0], 0, sizeof F2[0]);
    memset(F3[0], 0, sizeof F3[0]);
    run(pl__cpu_register_bytes(NULL));
    for (int n = 0; n < COUNT; ++n)
    {
        pl_mat32 F = entry32(F3, n), U;
        pl_mat2 f = entry2(F2, n), u, V, v;
        double s3[2], s2[2];
        pl__svd32(&F, &U, s3, &V);
        pl__svd2(&f, &u, s2, &v);
        bool bad = n >= 16 && n % 5 == 2;
        CHECK(isnan(s3[0]) == bad && isnan(s3[1]) == bad && isnan(s2[0]) == bad && isnan(s2[1]) == bad);
        CHECK(isnan(S3[n / 16][0][n % 16]) == bad && isnan(S3[n / 16][1][n % 16]) == bad);
        CHECK(isnan(S2[n / 16][0][n % 16]) == bad && isnan(S2[n / 16][1][n % 16]) == bad);
    }
    for (int i = 0; i < 4; ++i)
        CHECK(U2[0][i][3] == (i % 3 == 0) && V2[0][i][3] == (i % 3 == 0) && V3[0][i][3] == (i % 3 == 0));
    for (int i = 0; i < 6; ++i)
        CHECK(U3[0][i][3] == (i % 4 == 0));
    CHECK(S2[0][0][3] == 0 && S2[0][1][3] == 0 && S3[0][0][3] == 0 && S3[0][1][3] == 0);
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {
        TEST(plain_forms_keep_their_bounds),
        TEST(wide_forms_keep_their_bounds),
        TEST(widths_agree_bit_for_bit),
        TEST(zero_and_nonsense),
    };
    return RUN(tests);
}

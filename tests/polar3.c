// tests/polar3.c -- F = R S with a rotation R, for the plain and the wide form.
#include "test.h"
#include "math/eig3.h"
#include "math/polar3.h"
#include "nasty3.h"

enum
{
    BLOCKS = 64,
    COUNT = 16 * BLOCKS
};

static double F[BLOCKS][9][16], R[BLOCKS][9][16], S[BLOCKS][9][16];

static double largest(const pl_mat3 *A)
{
    double m = 0;
    for (int k = 0; k < 9; ++k)
        m = fmax(m, fabs(A->c[k / 3][k % 3]));
    return m;
}

static double worst[2];

static void check(const char *who, int kind, int key, const pl_mat3 *f, const pl_mat3 *r, const pl_mat3 *s)
{
    double orthogonality = distance_from_rotation(r), reconstruction = 0,
           unit = fmax(DBL_EPSILON * largest(f), DBL_MIN);
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i)
        {
            long double x = -(long double)f->c[j][i];
            for (int k = 0; k < 3; ++k)
                x += (long double)r->c[k][i] * s->c[j][k];
            reconstruction = fmax(reconstruction, (double)(fabsl(x) / unit));
            CHECK(s->c[i][j] == s->c[j][i]);
        }
    CHECK_THAT(orthogonality <= 16 && reconstruction <= 32, "%s, kind %d, key %d: %g, %g eps", who, kind, key,
               orthogonality, reconstruction);
    // R is the nearest rotation when no turn makes tr S larger: the two smallest eigenvalues of S add up to no less
    // than 0
    pl_mat3 q;
    double lambda[3];
    pl__eig3(s, &q, lambda);
    CHECK_THAT(lambda[1] + lambda[2] >= -64 * unit, "%s, kind %d, key %d: %g %g", who, kind, key, lambda[1], lambda[2]);
    worst[0] = fmax(worst[0], orthogonality);
    worst[1] = fmax(worst[1], reconstruction);
}

static void plain_form_keeps_its_bounds(void)
{
    uint64_t host = pl__fp_enter();
    memset(worst, 0, sizeof worst);
    for (int kind = 0; kind < KINDS; ++kind)
        for (int key = 0; key < 2000; ++key)
        {
            pl_mat3 f = nasty(kind, (uint64_t)key), r, s;
            pl__polar3(&f, &r, &s);
            check("plain", kind, key, &f, &r, &s);
        }
    printf("plain: %.3g %.3g eps\n", worst[0], worst[1]);
    pl__fp_leave(host);
}

static void fill(int kind)
{
    for (int n = 0; n < COUNT; ++n)
    {
        pl_mat3 f = nasty(kind < KINDS ? kind : n % KINDS, (uint64_t)n);
        if (kind == KINDS && n % 7 == 3)
            f.c[n % 3][n / 3 % 3] = n % 2 ? NAN : INFINITY;
        for (int k = 0; k < 9; ++k)
            F[n / 16][k][n % 16] = f.c[k / 3][k % 3];
    }
}

static void wide_form_keeps_its_bounds(void)
{
    uint64_t host = pl__fp_enter();
    memset(worst, 0, sizeof worst);
    for (int kind = 0; kind < KINDS; ++kind)
    {
        fill(kind);
        PL_PICK(pl__cpu_register_bytes(NULL), pl__polar3_batch)(BLOCKS, F, R, S);
        for (int n = 0; n < COUNT; ++n)
        {
            pl_mat3 f = entry(F, n), r = entry(R, n), s = entry(S, n);
            check("wide", kind, n, &f, &r, &s);
        }
    }
    printf("wide: %.3g %.3g eps\n", worst[0], worst[1]);
    pl__fp_leave(host);
}

static void widths_agree_bit_for_bit(void)
{
    static double r[BLOCKS][9][16], s[BLOCKS][9][16];
    static const int32_t widths[] = {16, 32, 64};
    uint64_t host = pl__fp_enter();
    for (int kind = 0; kind < KINDS; ++kind)
    {
        fill(kind);
        pl__polar3_batch_0(BLOCKS, F, r, s);
        for (int w = 0; w < 3 && widths[w] <= pl__cpu_register_bytes(NULL); ++w)
        {
            PL_PICK(widths[w], pl__polar3_batch)(BLOCKS, F, R, S);
            CHECK_THAT(memcmp(r, R, sizeof r) == 0 && memcmp(s, S, sizeof s) == 0, "width %d, kind %d", widths[w],
                       kind);
        }
    }
    pl__fp_leave(host);
}

// A rotation is its own R; R(Q F) = Q R(F) for a rotation Q, wherever R is well determined.
static void rotations_commute(void)
{
    for (uint64_t key = 0; key < 1000; ++key)
    {
        pl_mat3 Q = rotation(key), f = nasty(0, key), r, s, QF = pl_mul33(&Q, &f), r2, s2;
        pl__polar3(&Q, &r, &s);
        for (int k = 0; k < 9; ++k)
            CHECK_NEAR(r.c[k / 3][k % 3], Q.c[k / 3][k % 3], 20 * DBL_EPSILON);
        pl__polar3(&f, &r, &s);
        pl__polar3(&QF, &r2, &s2);
        r = pl_mul33(&Q, &r);
        // R moves by |dF| / (sigma1 + sigma2), which these random matrices keep above 1e-4
        for (int k = 0; k < 9; ++k)
            CHECK_NEAR(r.c[k / 3][k % 3], r2.c[k / 3][k % 3], 1e-10);
    }
}

static void zero_and_nonsense(void)
{
    fill(KINDS);
    memset(F[0], 0, sizeof F[0]);
    PL_PICK(pl__cpu_register_bytes(NULL), pl__polar3_batch)(BLOCKS, F, R, S);
    for (int k = 0; k < 9; ++k)
        CHECK(R[0][k][2] == (k % 4 == 0) && S[0][k][2] == 0);
    for (int n = 16; n < COUNT; ++n)
        CHECK(isnan(S[n / 16][0][n % 16]) == (n % 7 == 3) && isfinite(R[n / 16][0][n % 16]));
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {
        TEST(plain_form_keeps_its_bounds), TEST(wide_form_keeps_its_bounds), TEST(widths_agree_bit_for_bit),
        TEST(rotations_commute),           TEST(zero_and_nonsense),
    };
    return RUN(tests);
}

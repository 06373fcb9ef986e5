// tests/exact.c -- signs of determinants and triangles that meet, against whole numbers and separating directions.
#include "host.h"
#include "test.h"
#include "base/cpu.h"
#include "base/random.h"
#include "contact/exact.h"

// ---- an oracle for determinants: numbers as digits of 16 bits that carry only at the end
// ---------------------------------

enum
{
    DIGITS = 140,
    LOWEST = -1088 // exponent of the first digit; no double has a bit below
};

typedef struct
{
    int64_t digit[3 * DIGITS];
    int count;
} number;

static number exact(double x)
{
    number n = {.count = DIGITS};
    int exponent;
    int64_t bits = (int64_t)ldexp(frexp(x, &exponent), 53);
    int shift = exponent - 53 - LOWEST;
    if (x == 0)
        return n;
    for (int i = 0; i < 4; ++i) // truncated towards zero, so that digits have the sign of x
    {
        int64_t part = bits % 65536;
        bits /= 65536;
        int at = shift + 16 * i;
        if (at < 0) // a denormal's zeros
            part >>= -at, at = 0;
        n.digit[at / 16] += (part * (1 << at % 16)) % 65536;
        n.digit[at / 16 + 1] += (part * (1 << at % 16)) / 65536;
    }
    return n;
}

static number minus(number a, const number *b)
{
    for (int i = 0; i < a.count; ++i)
        a.digit[i] -= b->digit[i];
    return a;
}

static void carry(number *a)
{
    for (int i = 0; i + 1 < a->count; ++i)
    {
        a->digit[i + 1] += a->digit[i] >> 16;
        a->digit[i] &= 0xffff;
    }
}

static number times(const number *a, const number *b)
{
    number n = {.count = a->count + b->count};
    for (int i = 0; i < a->count; ++i)
        for (int k = 0; a->digit[i] && k < b->count; ++k)
            n.digit[i + k] += a->digit[i] * b->digit[k];
    carry(&n);
    return n;
}

// The topmost digit has the sign once all others have carried.
static int sign(number *a)
{
    carry(a);
    if (a->digit[a->count - 1] < 0)
        return -1;
    for (int i = 0; i < a->count; ++i)
        if (a->digit[i])
            return 1;
    return 0;
}

static int oracle3(const double p[4][3])
{
    static const int even[3][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}};
    static number d[3][3], sum;
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
        {
            number low = exact(p[3][k]);
            d[i][k] = minus(exact(p[i][k]), &low);
            carry(&d[i][k]);
        }
    sum = (number){.count = 3 * DIGITS};
    for (int m = 0; m < 6; ++m)
    {
        const int *o = even[m % 3];
        number two = m < 3 ? times(&d[0][o[0]], &d[1][o[1]]) : times(&d[0][o[1]], &d[1][o[0]]);
        number three = times(&two, &d[2][o[2]]);
        for (int i = 0; i < 3 * DIGITS; ++i)
            sum.digit[i] += m < 3 ? three.digit[i] : -three.digit[i];
    }
    return sign(&sum);
}

static int orient(const double p[4][3]) { return pl__orient3(p[0], p[1], p[2], p[3]); }

static double uniform(uint64_t seed, uint64_t i) { return 2 * pl__random01(seed, 0, i) - 1; }

// ---- determinants --------------------------------------------------------------------------------------------------

// Small whole numbers, whose determinant fits in an int64_t; times powers of two, and far from the origin.
static void sign_of_whole_numbers(void)
{
    int zeros = 0;
    for (uint64_t n = 0; n < 200000; ++n)
    {
        double p[4][3];
        int64_t m[4][3];
        for (int i = 0; i < 12; ++i)
        {
            m[i / 3][i % 3] = (int64_t)(pl__random64(1, n, (uint64_t)i) % (n % 2 ? 5 : 2000));
            double scale = n % 5 == 0 ? 0x1p-300 : n % 5 == 1 ? 0x1p250 : 1;
            p[i / 3][i % 3] = (double)(m[i / 3][i % 3] + (n % 7 == 0 ? 1 << 20 : 0)) * scale;
        }
        int64_t d[3][3];
        for (int i = 0; i < 9; ++i)
            d[i / 3][i % 3] = m[i / 3][i % 3] - m[3][i % 3];
        int64_t det = d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1]) +
                      d[0][1] * (d[1][2] * d[2][0] - d[1][0] * d[2][2]) +
                      d[0][2] * (d[1][0] * d[2][1] - d[1][1] * d[2][0]);
        CHECK(orient(p) == (det > 0) - (det < 0));
        zeros += det == 0;
    }
    CHECK(zeros > 10000);
}

// Points within a few roundings of one plane.
static void sign_near_a_plane(void)
{
    int counts[3] = {0};
    for (uint64_t n = 0; n < 1500; ++n)
    {
        double p[4][3], s = uniform(n, 20), t = uniform(n, 21);
        for (int i = 0; i < 9; ++i)
            p[i / 3][i % 3] = uniform(n, (uint64_t)i) * (n % 3 ? 1 : 1e-3) + (n % 4 ? 0 : 100);
        for (int k = 0; k < 3; ++k)
            p[3][k] = p[0][k] + s * (p[1][k] - p[0][k]) + t * (p[2][k] - p[0][k]);
        for (int k = 0; n % 5 && k < 3; ++k)
            p[3][k] = nextafter(p[3][k], uniform(n, 30 + (uint64_t)k) > 0 ? INFINITY : -INFINITY);
        int expected = oracle3(p);
        CHECK(orient(p) == expected);
        counts[expected + 1]++;
    }
    CHECK(counts[0] > 300 && counts[2] > 300);
}

// Coordinates of every size from denormal to almost infinite, in one determinant.
static void sign_of_all_sizes(void)
{
    for (uint64_t n = 0; n < 600; ++n)
    {
        double p[4][3];
        int span = n % 3 == 0 ? 2090 : n % 3 == 1 ? 660 : 60;
        for (int i = 0; i < 12; ++i)
        {
            int exponent = (int)(pl__random64(3, n, (uint64_t)i) % (uint64_t)span) - (n % 3 == 0 ? 1070 : span / 2);
            p[i / 3][i % 3] = n % 4 == 0 && i % 5 == 0 ? 0 : ldexp(uniform(n, 50 + (uint64_t)i), exponent);
        }
        for (int k = 0; n % 7 == 0 && k < 3; ++k)
            p[3][k] = p[0][k]; // flat
        int expected = oracle3(p);
        CHECK(orient(p) == expected);
        uint64_t environment = pl__fp_enter(); // the library flushes denormals
        int flushed = orient(p);
        pl__fp_leave(environment);
        CHECK(flushed == expected);
    }
}

static void swapping_two_changes_the_sign(void)
{
    for (uint64_t n = 0; n < 5000; ++n)
    {
        double p[4][3];
        for (int i = 0; i < 12; ++i)
            p[i / 3][i % 3] = floor(4 * uniform(n, (uint64_t)i)) * 0.1 + 0.3;
        int i = (int)(n % 4), k = (int)((n + 1 + n / 4 % 3) % 4), before = orient(p);
        double swap[3];
        memcpy(swap, p[i], sizeof swap), memcpy(p[i], p[k], sizeof swap), memcpy(p[k], swap, sizeof swap);
        CHECK(orient(p) == -before);
    }
    const double unit[4][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}};
    CHECK(orient(unit) == 1);
    CHECK(pl__orient2((double[]){1, 0}, (double[]){0, 1}, (double[]){0, 0}) == 1);
}

// The plane: as the space with one column that says 1.
static void sign_in_the_plane(void)
{
    for (uint64_t n = 0; n < 3000; ++n)
    {
        double p[3][2], t = uniform(n, 9);
        for (int i = 0; i < 4; ++i)
            p[i / 2][i % 2] = uniform(n, (uint64_t)i) * (n % 3 ? 1 : 1e200);
        for (int k = 0; k < 2; ++k)
            p[2][k] = nextafter(p[0][k] + t * (p[1][k] - p[0][k]), n % 2 ? INFINITY : -INFINITY);
        double q[4][3] = {{p[0][0], p[0][1], 0}, {p[1][0], p[1][1], 0}, {p[2][0], p[2][1], 1}, {p[2][0], p[2][1], 0}};
        CHECK(pl__orient2(p[0], p[1], p[2]) == oracle3(q));
    }
}

// ---- triangles -----------------------------------------------------------------------------------------------------

typedef struct
{
    int64_t v[3];
} vec;

static vec sub(vec a, vec b) { return (vec){{a.v[0] - b.v[0], a.v[1] - b.v[1], a.v[2] - b.v[2]}}; }
static int64_t dot(vec a, vec b) { return a.v[0] * b.v[0] + a.v[1] * b.v[1] + a.v[2] * b.v[2]; }
static vec cross(vec a, vec b)
{
    return (vec){
        {a.v[1] * b.v[2] - a.v[2] * b.v[1], a.v[2] * b.v[0] - a.v[0] * b.v[2], a.v[0] * b.v[1] - a.v[1] * b.v[0]}};
}

static bool separates(vec n, const vec a[3], const vec b[3])
{
    int64_t low[2] = {INT64_MAX, INT64_MAX}, high[2] = {INT64_MIN, INT64_MIN};
    for (int k = 0; k < 6; ++k)
    {
        int64_t d = dot(n, k < 3 ? a[k] : b[k - 3]);
        low[k / 3] = d < low[k / 3] ? d : low[k / 3], high[k / 3] = d > high[k / 3] ? d : high[k / 3];
    }
    return high[0] < low[1] || high[1] < low[0];
}

// From a point straight to the line through e, times |e|^2.
static vec across(vec to_line, vec e)
{
    int64_t ee = dot(e, e), de = dot(to_line, e);
    return (vec){{to_line.v[0] * ee - e.v[0] * de, to_line.v[1] * ee - e.v[1] * de, to_line.v[2] * ee - e.v[2] * de}};
}

// Triangles are apart when the shortest way from one to the other separates them; it leads from corner to corner, from
// a corner straight to an edge or a plane, or along the common perpendicular of two edges.
static bool oracle_meet(const vec a[3], const vec b[3])
{
    vec ea[3], eb[3];
    for (int k = 0; k < 3; ++k)
        ea[k] = sub(a[(k + 1) % 3], a[k]), eb[k] = sub(b[(k + 1) % 3], b[k]);
    if (separates(cross(ea[0], ea[1]), a, b) || separates(cross(eb[0], eb[1]), a, b))
        return false;
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
        {
            vec d = sub(a[i], b[k]);
            if (separates(d, a, b) || separates(across(d, ea[i]), a, b) || separates(across(d, eb[k]), a, b) ||
                separates(cross(ea[i], eb[k]), a, b))
                return false;
        }
    return true;
}

static void place(const vec t[3], double scale, double shift, double out[3][3])
{
    for (int k = 0; k < 9; ++k)
        out[k / 3][k % 3] = ((double)t[k / 3].v[k % 3] + shift) * scale;
}

// Small lattices make every degenerate case: coplanar, collinear, points, touching in all ways.
static void triangles_meet_when_nothing_separates_them(void)
{
    int meeting = 0, total = slow_tests ? 3000000 : 300000;
    for (uint64_t n = 0; n < (uint64_t)total; ++n)
    {
        vec t[2][3];
        uint64_t width = 2 + n % 4, flat = n % 11 == 0;
        for (int i = 0; i < 18; ++i)
        {
            int64_t drawn = (int64_t)(pl__random64(5, n, (uint64_t)i) % (n % 13 ? width : 30));
            t[i / 9][i / 3 % 3].v[i % 3] = flat && i % 3 == 2 ? 1 : drawn;
        }
        double a[3][3], b[3][3], scale = n % 6 == 0 ? 0x1p-330 : n % 6 == 1 ? 0x1p300 : 1, shift = n % 5 ? 0 : 1 << 20;
        place(t[0], scale, shift, a);
        place(t[1], scale, shift, b);
        bool expected = oracle_meet(t[0], t[1]);
        CHECK(pl__triangles_meet((const double(*)[3])a, (const double(*)[3])b) == expected);
        CHECK(pl__triangles_meet((const double(*)[3])b, (const double(*)[3])a) == expected);
        meeting += expected;
    }
    CHECK(meeting > total / 10 && meeting < 9 * total / 10);
}

// A corner that lies in a triangle but for one rounding.
static void one_rounding_decides(void)
{
    const double a[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    double b[3][3] = {{0.25, 0.25, 0}, {0.3, 0.2, 1}, {0.1, 0.2, 1}};
    CHECK(pl__triangles_meet(a, (const double(*)[3])b));
    b[0][2] = 5e-324;
    CHECK(!pl__triangles_meet(a, (const double(*)[3])b));
    b[0][2] = -5e-324;
    CHECK(pl__triangles_meet(a, (const double(*)[3])b));
}

// ---- surfaces ------------------------------------------------------------------------------------------------------

typedef struct
{
    pl__surfaces *surfaces;
    pl__tree *tree;
    int32_t triangle[3 * 600];
    double x[3 * 1800 + 1];
} soup;

// Triangles here and there; every third has a node of the one before, and some have two.
static pl_status make_soup(pl_context *ctx, soup *s, int32_t count, double size)
{
    for (int32_t i = 0; i < 3 * count; ++i)
    {
        s->triangle[i] = i;
        for (int k = 0; k < 3; ++k)
            s->x[3 * i + k] = uniform((uint64_t)(i / 9), (uint64_t)k) + size * uniform((uint64_t)i, 9 + (uint64_t)k);
    }
    for (int32_t t = 1; t < count; t += 3)
        s->triangle[3 * t] = s->triangle[3 * t - 3]; // one node in common
    for (int32_t t = 2; t < count; t += 6)
        s->triangle[3 * t] = s->triangle[3 * t - 3], s->triangle[3 * t + 1] = s->triangle[3 * t - 2];
    PL_TRY(pl__surfaces_create(ctx, &(pl__surface_part){0, count, s->triangle, 0, true}, 1, &s->surfaces));
    return pl__tree_create(s->surfaces, s->x, &s->tree);
}

static void discard_soup(soup *s)
{
    pl__tree_destroy(&s->tree);
    pl__surfaces_destroy(&s->surfaces);
}

static bool pair_crosses(const soup *s, int32_t t, int32_t u)
{
    double a[3][3], b[3][3];
    int shared = 0, at_t = 0, at_u = 0;
    for (int i = 0; i < 3; ++i)
    {
        memcpy(a[i], &s->x[3 * s->triangle[3 * t + i]], sizeof a[i]);
        memcpy(b[i], &s->x[3 * s->triangle[3 * u + i]], sizeof b[i]);
        for (int k = 0; k < 3; ++k)
            if (s->triangle[3 * t + i] == s->triangle[3 * u + k])
                shared++, at_t = i, at_u = k;
    }
    const double(*A)[3] = (const double(*)[3])a, (*B)[3] = (const double(*)[3])b;
    if (shared == 0)
        return pl__triangles_meet(A, B);
    return shared == 1 && (pl__segment_pierces_triangle(A[(at_t + 1) % 3], A[(at_t + 2) % 3], B) ||
                           pl__segment_pierces_triangle(B[(at_u + 1) % 3], B[(at_u + 2) % 3], A));
}

static void crossings_are_those_of_all_pairs(void)
{
    static soup s;
    host h;
    pl_context *ctx = host_context(&h);
    for (int round = 0; round < 4; ++round)
    {
        int32_t count = round == 3 ? 7 : 600;
        CHECK_OK(ctx, make_soup(ctx, &s, count, 0.05 + 0.1 * round));
        int64_t expected = 0, sharing = 0;
        for (int32_t t = 0; t < count; ++t)
            for (int32_t u = t + 1; u < count; ++u)
                expected += pair_crosses(&s, t, u);
        for (int32_t t = 1; t < count; t += 3)
            sharing += pair_crosses(&s, t - 1, t);
        pl__crossings found;
        CHECK_OK(ctx, pl__crossings_find(s.tree, s.x, &found));
        CHECK_THAT(found.count == expected, "%lld, not %lld", (long long)found.count, (long long)expected);
        CHECK(found.listed == (expected < PL__CROSSINGS_LISTED ? expected : PL__CROSSINGS_LISTED));
        for (int32_t i = 0; i < found.listed; ++i)
            CHECK(found.triangle[i][0] < found.triangle[i][1] &&
                  pair_crosses(&s, found.triangle[i][0], found.triangle[i][1]));
        CHECK(round == 3 || (expected > 100 && sharing >= 5));
        discard_soup(&s);
    }
    pl_context_destroy(&ctx);
}

static void crossings_are_the_same_for_any_threads(void)
{
    static soup s;
    pl__crossings found[3];
    memset(found, 0, sizeof found);
    for (int threads = 1; threads <= 3; ++threads)
    {
        pl_context_def def = pl_context_def_default();
        def.thread_count = threads;
        pl_context *ctx;
        if (pl_context_create(&def, &ctx) != PL_OK)
            abort();
        CHECK_OK(ctx, make_soup(ctx, &s, 600, 0.2));
        CHECK_OK(ctx, pl__crossings_find(s.tree, s.x, &found[threads - 1]));
        discard_soup(&s);
        pl_context_destroy(&ctx);
    }
    CHECK(found[0].listed == PL__CROSSINGS_LISTED);
    CHECK(memcmp(&found[0], &found[1], sizeof found[0]) == 0 && memcmp(&found[0], &found[2], sizeof found[0]) == 0);
}

// A flat sheet does not cross itself, nor does a bent one; folded flat onto itself, it touches in every triangle.
static void sheets_do_not_cross_themselves(void)
{
    host h;
    pl_context *ctx = host_context(&h);
    enum
    {
        SIDE = 12,
        ROW = SIDE + 1
    };
    int32_t triangle[6 * SIDE * SIDE], *t = triangle;
    double x[3 * ROW * ROW + 1];
    for (int32_t i = 0; i < SIDE * SIDE; ++i, t += 6)
    {
        int32_t a = i / SIDE * ROW + i % SIDE;
        memcpy(t, (int32_t[]){a, a + 1, a + ROW, a + 1, a + ROW + 1, a + ROW}, 6 * sizeof *t);
    }
    for (int32_t i = 0; i < ROW * ROW; ++i)
        x[3 * i] = 0.1 * (i % ROW), x[3 * i + 1] = 0.1 * (i / ROW), x[3 * i + 2] = 0;
    pl__surfaces *surfaces;
    pl__tree *tree;
    pl__crossings found;
    CHECK_OK(ctx, pl__surfaces_create(ctx, &(pl__surface_part){0, 2 * SIDE * SIDE, triangle, 0, true}, 1, &surfaces));
    CHECK_OK(ctx, pl__tree_create(surfaces, x, &tree));
    CHECK_OK(ctx, pl__crossings_find(tree, x, &found));
    CHECK(found.count == 0);
    for (int32_t i = 0; i < ROW * ROW; ++i)
        x[3 * i + 2] = i % ROW > SIDE / 2 ? 0 : 0.05, x[3 * i] = 0.1 * abs(i % ROW - SIDE / 2);
    CHECK_OK(ctx, pl__crossings_find(tree, x, &found));
    CHECK(found.count == 0);
    for (int32_t i = 0; i < ROW * ROW; ++i)
        x[3 * i + 2] = 0;
    CHECK_OK(ctx, pl__crossings_find(tree, x, &found));
    CHECK(found.count > 2 * SIDE * SIDE / 2);
    pl__tree_destroy(&tree);
    pl__surfaces_destroy(&surfaces);
    pl_context_destroy(&ctx);
}

static pl_status attempt(pl_context *ctx)
{
    static soup s;
    memset(&s, 0, sizeof s);
    pl__crossings found;
    pl_status status = make_soup(ctx, &s, 300, 0.2);
    if (status == PL_OK)
        status = pl__crossings_find(s.tree, s.x, &found);
    discard_soup(&s);
    return status;
}

static void every_failed_allocation_is_survived(void) { CHECK(survive_every_failure(attempt) > 20); }

// p s - q r of whole numbers that nearly cancel, at any scale: volumes keep their sign and their digits.
static void volumes_keep_their_digits(void)
{
    static const double o[3] = {0};
    for (uint64_t i = 0; i < 2000; ++i)
    {
        int64_t p = (1ll << 52) + (int64_t)(pl__random64(9, 0, i) >> 20), q = p + (int64_t)(i % 7) - 3,
                r = p + (int64_t)(i % 5) - 2, s = q + r - p + (int64_t)(i % 3) - 1;
        double scale = ldexp(1, (int)(i % 81) - 40),
               expected = (double)((__int128)p * s - (__int128)q * r) * scale * scale;
        double a[3] = {(double)p * scale, (double)q * scale, 0}, b[3] = {(double)r * scale, (double)s * scale, 0},
               c[3] = {7, -3, 1};
        CHECK_NEAR(pl__volume6(a, b, c, o), expected, 1e-9 * fabs(expected));
        CHECK_NEAR(pl__volume6(b, a, c, o), -expected, 1e-9 * fabs(expected));
    }
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {
        TEST(sign_of_whole_numbers),
        TEST(sign_near_a_plane),
        TEST(sign_of_all_sizes),
        TEST(swapping_two_changes_the_sign),
        TEST(sign_in_the_plane),
        TEST(volumes_keep_their_digits),
        TEST(triangles_meet_when_nothing_separates_them),
        TEST(one_rounding_decides),
        TEST(crossings_are_those_of_all_pairs),
        TEST(crossings_are_the_same_for_any_threads),
        TEST(sheets_do_not_cross_themselves),
        TEST(every_failed_allocation_is_survived),
    };
    return RUN(tests);
}

// src/math/determinant.c -- signs of determinants, exactly.
//
// The determinant is computed in doubles first. Its error is below (7 + 56 eps) eps times the permanent, the same sum
// with absolute values (Shewchuk 1997, 4.3), eps = 2^-53, as long as nothing overflows or underflows; when it is
// farther than that from zero, its sign is right. This decides nearly always. Otherwise the coordinates are taken for
// what they are, integers times a common power of two, and the determinant of the integers is found in as many 64-bit
// words as that takes: two per difference for numbers of like size, 33 at worst. Shewchuk's expansions of doubles are
// as fast, but fail where products underflow, and the library runs with denormals flushed.
#include "determinant.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// ---- whole numbers of any size -------------------------------------------------------------------------------------

enum
{
    MOST_WORDS = 104 // a product of three differences of doubles has 3 * 2100 bits
};

// negative ? -m : m, with m = sum_i word[i] 2^(64 i); no word above the highest is zero.
typedef struct
{
    int count;
    bool negative;
    uint64_t word[MOST_WORDS];
} whole;

typedef struct
{
    bool negative;
    int exponent; // of the lowest bit
    uint64_t bits;
} parts;

static parts take_apart(double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    int exponent = (int)(u >> 52 & 0x7ff);
    uint64_t bits = (u & 0xfffffffffffffull) | (exponent ? 1ull << 52 : 0);
    return (parts){u >> 63, (exponent ? exponent : 1) - 1075, bits};
}

static void trim(whole *a)
{
    while (a->count > 0 && a->word[a->count - 1] == 0)
        a->count--;
}

// x / 2^unit, which is whole: when the unit is above the lowest of the 53 bits, those below are zeros
static void from_double(double x, int unit, whole *out)
{
    parts p = take_apart(x);
    int shift = p.bits ? p.exponent - unit : 0;
    if (shift < 0)
        p.bits >>= -shift, shift = 0;
    int skip = shift / 64;
    out->negative = p.negative;
    out->count = skip + 2;
    memset(out->word, 0, (size_t)skip * sizeof *out->word);
    out->word[skip] = p.bits << shift % 64;
    out->word[skip + 1] = shift % 64 ? p.bits >> (64 - shift % 64) : 0;
    trim(out);
}

static int compare_size(const whole *a, const whole *b)
{
    if (a->count != b->count)
        return a->count < b->count ? -1 : 1;
    for (int i = a->count - 1; i >= 0; --i)
        if (a->word[i] != b->word[i])
            return a->word[i] < b->word[i] ? -1 : 1;
    return 0;
}

// |a| + |b|, |a| having at least as many words
static void add_sizes(const whole *a, const whole *b, whole *out)
{
    unsigned __int128 sum = 0;
    for (int i = 0; i < a->count; ++i)
    {
        sum += (unsigned __int128)a->word[i] + (i < b->count ? b->word[i] : 0);
        out->word[i] = (uint64_t)sum;
        sum >>= 64;
    }
    out->word[a->count] = (uint64_t)sum;
    out->count = a->count + 1;
    trim(out);
}

// |a| - |b| >= 0
static void subtract_sizes(const whole *a, const whole *b, whole *out)
{
    uint64_t borrow = 0;
    for (int i = 0; i < a->count; ++i)
    {
        uint64_t less = i < b->count ? b->word[i] : 0, partly = a->word[i] - less;
        out->word[i] = partly - borrow;
        borrow = (uint64_t)(a->word[i] < less) | (uint64_t)(partly < borrow);
    }
    out->count = a->count;
    trim(out);
}

// a + b, or a - b
static void add(const whole *a, const whole *b, bool minus, whole *out)
{
    bool sign = b->negative != minus, larger = compare_size(a, b) >= 0;
    const whole *high = larger ? a : b, *low = larger ? b : a;
    out->negative = larger ? a->negative : sign;
    if (a->negative == sign)
        add_sizes(high, low, out);
    else
        subtract_sizes(high, low, out);
}

static void multiply(const whole *a, const whole *b, whole *out)
{
    out->negative = a->negative != b->negative;
    out->count = a->count + b->count;
    memset(out->word, 0, (size_t)out->count * sizeof *out->word);
    for (int i = 0; i < a->count; ++i)
    {
        uint64_t carry = 0;
        for (int k = 0; k < b->count; ++k)
        {
            unsigned __int128 t = (unsigned __int128)a->word[i] * b->word[k] + out->word[i + k] + carry;
            out->word[i + k] = (uint64_t)t;
            carry = (uint64_t)(t >> 64);
        }
        out->word[i + b->count] = carry;
    }
    trim(out);
}

static int sign_of(const whole *a) { return a->count == 0 ? 0 : a->negative ? -1 : 1; }

// The power of two that all coordinates are multiples of.
static int common_unit(const double *const *point, int count, int dimension)
{
    int unit = 972;
    for (int i = 0; i < count; ++i)
        for (int d = 0; d < dimension; ++d)
        {
            parts p = take_apart(point[i][d]);
            int lowest = p.bits ? p.exponent + __builtin_ctzll(p.bits) : unit;
            unit = lowest < unit ? lowest : unit;
        }
    return unit;
}

static void difference(double a, double b, int unit, whole *out)
{
    whole x, y;
    from_double(a, unit, &x);
    from_double(b, unit, &y);
    add(&x, &y, true, out);
}

// a d - b c
static void minor(const whole *a, const whole *b, const whole *c, const whole *d, whole *out)
{
    whole ad, bc;
    multiply(a, d, &ad);
    multiply(b, c, &bc);
    add(&ad, &bc, true, out);
}

// ---- orientation ---------------------------------------------------------------------------------------------------

// The determinant is `out` times 2^(3 unit).
static __attribute__((noinline)) void exact_volume(const double *const point[4], int *unit, whole *out)
{
    whole m[3][3], part, product, total;
    *unit = common_unit(point, 4, 3);
    *out = (whole){0};
    for (int i = 0; i < 3; ++i)
        for (int d = 0; d < 3; ++d)
            difference(point[i][d], point[3][d], *unit, &m[i][d]);
    for (int d = 0; d < 3; ++d)
    {
        int y = (d + 1) % 3, z = (d + 2) % 3;
        minor(&m[1][y], &m[1][z], &m[2][y], &m[2][z], &part);
        multiply(&m[0][d], &part, &product);
        add(out, &product, false, &total);
        *out = total;
    }
}

static __attribute__((noinline)) int exact_orient2(const double *const point[3])
{
    whole m[2][2], determinant;
    int unit = common_unit(point, 3, 2);
    for (int i = 0; i < 2; ++i)
        for (int d = 0; d < 2; ++d)
            difference(point[i][d], point[2][d], unit, &m[i][d]);
    minor(&m[0][0], &m[0][1], &m[1][0], &m[1][1], &determinant);
    return sign_of(&determinant);
}

static const double eps = 0x1p-53;

// What underflow, or denormals taken for zero, can do to a determinant of differences below `huge`, many times over.
static const double huge = 0x1p150, tiny = 0x1p-700;

// The determinant in doubles, and a bound of its error; INFINITY where there is none.
static double rounded_volume(const double *const point[4], double *bound)
{
    double m[3][3], size = 0, determinant = 0, permanent = 0;
    for (int i = 0; i < 3; ++i)
        for (int d = 0; d < 3; ++d)
        {
            m[i][d] = point[i][d] - point[3][d];
            size += fabs(m[i][d]);
        }
    for (int x = 0; x < 3; ++x)
    {
        int y = (x + 1) % 3, z = (x + 2) % 3;
        double first = m[1][y] * m[2][z], second = m[1][z] * m[2][y];
        determinant += m[0][x] * (first - second);
        permanent += fabs(m[0][x]) * (fabs(first) + fabs(second));
    }
    *bound = size < huge ? (8 + 64 * eps) * eps * permanent + tiny : INFINITY;
    return determinant;
}

int pl__orient3(const double a[3], const double b[3], const double c[3], const double d[3])
{
    const double *const point[4] = {a, b, c, d};
    double bound, determinant = rounded_volume(point, &bound);
    if (fabs(determinant) > bound)
        return determinant > 0 ? 1 : -1;
    int unit;
    whole exact;
    exact_volume(point, &unit, &exact);
    return sign_of(&exact);
}

static double to_double(const whole *a, int exponent)
{
    double value = 0;
    for (int i = a->count - 1; i >= 0 && i >= a->count - 3; --i)
        value += ldexp((double)a->word[i], 64 * i + exponent);
    return a->negative ? -value : value;
}

double pl__volume6(const double a[3], const double b[3], const double c[3], const double d[3])
{
    const double *const point[4] = {a, b, c, d};
    double bound, determinant = rounded_volume(point, &bound);
    if (fabs(determinant) > 0x1p31 * bound)
        return determinant;
    int unit;
    whole exact;
    exact_volume(point, &unit, &exact);
    return to_double(&exact, 3 * unit);
}

int pl__orient2(const double a[2], const double b[2], const double c[2])
{
    double A[2] = {a[0] - c[0], a[1] - c[1]}, B[2] = {b[0] - c[0], b[1] - c[1]};
    double first = A[0] * B[1], second = A[1] * B[0], determinant = first - second;
    double size = fabs(A[0]) + fabs(A[1]) + fabs(B[0]) + fabs(B[1]);
    if (size < huge && fabs(determinant) > (4 + 16 * eps) * eps * (fabs(first) + fabs(second)) + tiny)
        return determinant > 0 ? 1 : -1;
    const double *const point[3] = {a, b, c};
    return exact_orient2(point);
}

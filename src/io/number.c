// src/io/number.c -- decimal to binary and back, correctly rounded.
//
// strtod and printf follow the decimal comma of the host's locale, so a German desktop would read "0.5" as 0. Hence
// these.
//
// A decimal is w 10^e = w 5^e 2^e with an integer w. Up to 19 digits w fits 64 bits, and for |e| <= 27 so does 5^|e|:
// the product, or the quotient with its remainder as a sticky bit, is exact in 128 bits and only has to be rounded.
// That covers nearly every number in a mesh file. The rest (long or extreme ones) is done the same way with long
// integers: shift until the quotient has 64 bits or more, divide, round once.
#include "io/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef unsigned __int128 uint128;

enum
{
    SHORT_DIGITS = 19, // always below 2^64
    SHORT_POWER = 27,  // 5^27 < 2^63
    // No double, nor a midpoint of two, has more significant digits; one more digit represents the rest.
    LONG_DIGITS = 768,
    // 10^308 is the largest double, 10^-324 is below the smallest; a w of 769 digits moves the lower end.
    LARGEST_POWER = 309,
    SMALLEST_POWER = -325 - LONG_DIGITS,
    LIMBS = 128 // of 32 bits: w 5^309 fits 104, and whatever is shifted up to meet it
};

// A decimal number before conversion: sign, digits, and the power of ten of the last digit.
typedef struct decimal
{
    bool negative;
    bool truncated; // digits beyond LONG_DIGITS were not all zero
    int32_t digit_count;
    int64_t exponent;
    char digit[LONG_DIGITS + 1]; // values 0..9, no leading zeros
} decimal;

// ---- splitting -----------------------------------------------------------------------------------------------

static void add_digit(decimal *d, char digit)
{
    if (d->digit_count == 0 && digit == 0)
        return;
    if (d->digit_count < LONG_DIGITS)
    {
        d->digit[d->digit_count++] = digit;
        return;
    }
    d->exponent++;
    d->truncated |= digit != 0;
}

// Exponents saturate where only their sign matters, regardless of leading zeros.
static const char *split_exponent(const char *at, const char *end, int64_t *exponent)
{
    bool negative = at < end && *at == '-';
    at += at < end && (*at == '-' || *at == '+');
    if (at == end)
        return NULL;
    int64_t value = 0;
    for (; at < end && *at >= '0' && *at <= '9'; ++at)
        value = value < 100000000000000000 ? value * 10 + (*at - '0') : value;
    *exponent += negative ? -value : value;
    return at;
}

static bool split(const char *at, const char *end, decimal *d)
{
    d->negative = at < end && *at == '-';
    at += at < end && (*at == '-' || *at == '+');
    bool any = false, point = false;
    for (; at < end; ++at)
    {
        if (*at >= '0' && *at <= '9')
        {
            any = true;
            d->exponent -= point;
            add_digit(d, (char)(*at - '0'));
        }
        else if (*at == '.' && !point)
            point = true;
        else
            break;
    }
    if (!any)
        return false;
    if (at < end && (*at == 'e' || *at == 'E' || *at == 'd' || *at == 'D'))
        at = split_exponent(at + 1, end, &d->exponent);
    return at == end;
}

// ---- rounding ------------------------------------------------------------------------------------------------

static int bit_length64(uint64_t x) { return x ? 64 - __builtin_clzll(x) : 0; }

// m 2^e, `sticky` if a little more follows: round to nearest, ties to even, subnormals included.
static double round_to_double(uint64_t m, int e, bool sticky)
{
    if (m == 0)
        return 0;
    int length = bit_length64(m);
    int lowest = e + length - 53; // weight of the last bit that is kept
    if (lowest < -1074)
        lowest = -1074;
    int drop = lowest - e;
    if (drop <= 0)
        return ldexp((double)m, e);
    if (drop > 64)
        return 0;
    uint64_t kept = drop == 64 ? 0 : m >> drop;
    uint64_t rest = drop == 64 ? m : m & ((1ull << drop) - 1);
    uint64_t half = 1ull << (drop - 1);
    bool up = rest > half || (rest == half && (sticky || (kept & 1)));
    return ldexp((double)(kept + up), lowest);
}

static uint64_t power_of_5(int n)
{
    uint64_t p = 1;
    for (; n > 0; --n)
        p *= 5;
    return p;
}

static double round_product(uint64_t w, int n)
{
    uint128 product = (uint128)w * power_of_5(n);
    uint64_t high = (uint64_t)(product >> 64);
    int shift = bit_length64(high);
    bool sticky = shift && (product & (((uint128)1 << shift) - 1)) != 0;
    return round_to_double((uint64_t)(product >> shift), n + shift, sticky);
}

// w / 5^n with w shifted so that the quotient has 64 or 65 bits. A 65th may be dropped: without a remainder the
// quotient is as even as the shifted w, since the divisor is odd.
static double round_quotient(uint64_t w, int n)
{
    uint64_t divisor = power_of_5(n);
    int shift = 64 - bit_length64(w) + bit_length64(divisor);
    uint128 dividend = (uint128)w << shift;
    uint128 quotient = dividend / divisor;
    bool sticky = dividend % divisor != 0;
    int extra = (int)(quotient >> 64);
    return round_to_double((uint64_t)(quotient >> extra), -n - shift + extra, sticky);
}

// ---- long integers ---------------------------------------------------------------------------------------------

typedef struct big
{
    int32_t count; // limbs in use, the highest not zero
    uint32_t limb[LIMBS];
} big;

static void big_multiply_add(big *x, uint32_t factor, uint32_t add)
{
    uint64_t carry = add;
    for (int32_t i = 0; i < x->count; ++i)
    {
        carry += (uint64_t)x->limb[i] * factor;
        x->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry)
        x->limb[x->count++] = (uint32_t)carry;
}

static void big_times_power_of_5(big *x, int n)
{
    for (; n >= 13; n -= 13)
        big_multiply_add(x, 1220703125u, 0);
    big_multiply_add(x, (uint32_t)power_of_5(n), 0);
}

static int big_bits(const big *x) { return x->count ? 32 * (x->count - 1) + bit_length64(x->limb[x->count - 1]) : 0; }

static void big_shift_up(big *x, int shift)
{
    int limbs = shift / 32, bits = shift % 32;
    for (int32_t i = x->count - 1; i >= 0; --i)
        x->limb[i + limbs] = x->limb[i];
    memset(x->limb, 0, (size_t)limbs * sizeof x->limb[0]);
    x->count += x->count ? limbs : 0;
    big_multiply_add(x, 1u << bits, 0);
}

static bool big_less(const big *a, const big *b)
{
    if (a->count != b->count)
        return a->count < b->count;
    for (int32_t i = a->count - 1; i >= 0; --i)
        if (a->limb[i] != b->limb[i])
            return a->limb[i] < b->limb[i];
    return false;
}

static void big_subtract(big *a, const big *b)
{
    int64_t borrow = 0;
    for (int32_t i = 0; i < a->count; ++i)
    {
        int64_t difference = (int64_t)a->limb[i] - (i < b->count ? b->limb[i] : 0) + borrow;
        a->limb[i] = (uint32_t)difference;
        borrow = difference < 0 ? -1 : 0;
    }
    while (a->count && a->limb[a->count - 1] == 0)
        a->count--;
}

static void big_double(big *x) { big_multiply_add(x, 2, 0); }

// The leading 64 bits of a / b by schoolbook binary division, and whether anything is left. `a` is destroyed.
static double big_ratio(big *a, big *b, int exponent, bool sticky)
{
    // scale both so that b <= a < 2 b; then each doubling of the remainder yields a bit
    int shift = big_bits(a) - big_bits(b);
    shift > 0 ? big_shift_up(b, shift) : big_shift_up(a, -shift);
    if (big_less(a, b))
    {
        big_double(a);
        shift--;
    }
    uint64_t quotient = 0;
    for (int bit = 0; bit < 64; ++bit)
    {
        quotient <<= 1;
        if (!big_less(a, b))
        {
            quotient |= 1;
            big_subtract(a, b);
        }
        big_double(a);
    }
    return round_to_double(quotient, exponent + shift - 63, sticky || a->count > 0);
}

static double round_long(const decimal *d)
{
    big a = {0}, b = {.count = 1, .limb = {1}};
    for (int32_t i = 0; i < d->digit_count; ++i)
        big_multiply_add(&a, 10, (uint32_t)d->digit[i]);
    int exponent = (int)d->exponent;
    big_times_power_of_5(exponent < 0 ? &b : &a, exponent < 0 ? -exponent : exponent);
    return big_ratio(&a, &b, exponent, d->truncated);
}

// ---- public functions ------------------------------------------------------------------------------------------

static double magnitude(decimal *d)
{
    // "1.500": trailing zeros would only make a short number take the long path
    for (; d->digit_count > 0 && d->digit[d->digit_count - 1] == 0 && !d->truncated; d->digit_count--)
        d->exponent++;
    if (d->digit_count == 0 || d->exponent < SMALLEST_POWER)
        return 0;
    if (d->exponent > LARGEST_POWER)
        return INFINITY;
    if (d->digit_count > SHORT_DIGITS || d->exponent > SHORT_POWER || d->exponent < -SHORT_POWER)
        return round_long(d);
    uint64_t w = 0;
    for (int32_t i = 0; i < d->digit_count; ++i)
        w = w * 10 + (uint64_t)d->digit[i];
    return d->exponent < 0 ? round_quotient(w, (int)-d->exponent) : round_product(w, (int)d->exponent);
}

bool pl__parse_real(const char *text, size_t length, double *value)
{
    decimal d;
    d.digit_count = 0;
    d.exponent = 0;
    d.truncated = false;
    if (length == 0 || !split(text, text + length, &d))
        return false;
    double size = magnitude(&d);
    *value = d.negative ? -size : size;
    return true;
}

pl__integer_fault pl__parse_integer(const char *text, size_t length, int64_t *value)
{
    const char *at = text, *end = text + length;
    bool negative = at < end && *at == '-';
    at += at < end && (*at == '-' || *at == '+');
    if (at == end)
        return PL__INTEGER_NOT;
    int64_t sum = 0; // counted downwards, because -2^63 has no positive counterpart
    bool large = false;
    for (; at < end; ++at)
    {
        if (*at < '0' || *at > '9')
            return PL__INTEGER_NOT;
        large = large || __builtin_mul_overflow(sum, 10, &sum) || __builtin_sub_overflow(sum, *at - '0', &sum);
    }
    if (large || (!negative && sum == INT64_MIN))
        return PL__INTEGER_LARGE;
    *value = negative ? sum : -sum;
    return PL__INTEGER_FINE;
}

// printf uses the decimal point of the locale, possibly several bytes: replace anything that is not part of a number by
// '.'.
static size_t normalise(char *text)
{
    size_t length = 0;
    for (const char *at = text; *at; ++at)
    {
        bool plain = (*at >= '0' && *at <= '9') || *at == '-' || *at == '+' || *at == 'e';
        if (plain)
            text[length++] = *at;
        else if (length == 0 || text[length - 1] != '.')
            text[length++] = '.';
    }
    text[length] = 0;
    return length;
}

size_t pl__format_real(double value, char text[PL__REAL_CHARS])
{
    for (int digits = 15;; digits += 2)
    {
        snprintf(text, PL__REAL_CHARS, "%.*g", digits, value);
        size_t length = normalise(text);
        double back;
        if (digits == 17 || (pl__parse_real(text, length, &back) && back == value))
            return length;
    }
}

size_t pl__format_real32(float value, char text[PL__REAL_CHARS])
{
    for (int digits = 7;; ++digits)
    {
        snprintf(text, PL__REAL_CHARS, "%.*g", digits, (double)value);
        size_t length = normalise(text);
        double back;
        if (digits == 9 || (pl__parse_real(text, length, &back) && (float)back == value))
            return length;
    }
}

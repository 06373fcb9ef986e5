// src/io/inflate.c -- unpacking of zlib streams (RFC 1950) of deflated data (RFC 1951).
//
// Deflated data are blocks of three kinds: stored bytes, or symbols in a pair of prefix codes, fixed or transmitted.
// The first code of a pair gives a byte, the end of the block, or the length of a match; the second the distance of the
// match. Both are canonical: codes of one length are consecutive numbers, in the order of their symbols, so the lengths
// alone define them:
//
//     with n[l] codes of length l, the first of them is c[l] = 2 (c[l - 1] + n[l - 1]), and the k-th stands for the k-th
//     symbol of that length.
//
// Most codes are short, so a table over the next 10 bits gives their symbols at once; longer ones are compared with
// c[l], length by length. Output is written in place and never beyond its announced size, input never read beyond its
// end.
#include "io/inflate.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum
{
    LONGEST = 15,
    TABLE_BITS = 10,
    SYMBOLS = 288,
    NO_SYMBOL = -1
};

typedef struct code
{
    uint16_t table[1 << TABLE_BITS]; // 16 symbol + length, by the next bits; 0: longer or invalid
    uint16_t count[LONGEST + 1];     // codes of each length
    uint16_t symbol[SYMBOLS];        // by length, then by value
} code;

typedef struct stream
{
    const uint8_t *at, *end;
    uint64_t bits; // bit buffer, the next one lowest
    int bit_count;
    uint8_t *out;
    size_t out_count, out_size;
    const char *fault; // the first error
    code literal, distance;
} stream;

static bool fail(stream *s, const char *fault)
{
    s->fault = s->fault ? s->fault : fault;
    return false;
}

static const char ends_early[] = "it ends early";

// ---- bits ----------------------------------------------------------------------------------------------------

// Fill the bit buffer to at least 56 bits, or to the end of the input.
static void fill(stream *s)
{
    for (; s->bit_count <= 56 && s->at < s->end; s->bit_count += 8)
        s->bits |= (uint64_t)*s->at++ << s->bit_count;
}

static void drop(stream *s, int count)
{
    s->bits >>= count;
    s->bit_count -= count;
}

// Read a number of up to 16 bits; 0 and a fault at the end of the input.
static unsigned take(stream *s, int count)
{
    fill(s);
    if (s->bit_count < count)
        return fail(s, ends_early);
    unsigned value = (unsigned)(s->bits & ((1u << count) - 1));
    drop(s, count);
    return value;
}

// ---- codes ---------------------------------------------------------------------------------------------------

static unsigned reverse(unsigned value, int count)
{
    unsigned reversed = 0;
    for (int i = 0; i < count; ++i)
        reversed |= (value >> i & 1) << (count - 1 - i);
    return reversed;
}

// Codes are transmitted highest bit first, so the table is indexed by reversed codes.
static void enter(code *c, unsigned value, int length, unsigned symbol)
{
    if (length > TABLE_BITS)
        return;
    for (unsigned i = reverse(value, length); i < 1u << TABLE_BITS; i += 1u << length)
        c->table[i] = (uint16_t)(symbol << 4 | (unsigned)length);
}

// False if the code is over-subscribed. Incomplete codes are allowed: some writers send one of a single symbol.
static bool make_code(code *c, const uint8_t *length, int symbol_count)
{
    uint16_t place[LONGEST + 2] = {0}, next[LONGEST + 2] = {0};
    memset(c, 0, sizeof *c);
    for (int i = 0; i < symbol_count; ++i)
        c->count[length[i]]++;
    c->count[0] = 0;
    for (int l = 1; l <= LONGEST; ++l)
    {
        place[l + 1] = (uint16_t)(place[l] + c->count[l]);
        if (next[l] + c->count[l] > 1 << l)
            return false;
        next[l + 1] = (uint16_t)((next[l] + c->count[l]) << 1);
    }
    for (int i = 0; i < symbol_count; ++i)
    {
        int l = length[i];
        if (l == 0)
            continue;
        c->symbol[place[l]++] = (uint16_t)i;
        enter(c, next[l]++, l, (unsigned)i);
    }
    return true;
}

static int long_symbol(stream *s, const code *c)
{
    unsigned value = 0, first = 0, before = 0;
    for (int l = 1; l <= LONGEST && l <= s->bit_count; ++l)
    {
        value = value << 1 | (unsigned)(s->bits >> (l - 1) & 1);
        if (value - first < c->count[l])
        {
            drop(s, l);
            return c->symbol[before + value - first];
        }
        before += c->count[l];
        first = (first + c->count[l]) << 1;
    }
    fail(s, s->bit_count < LONGEST ? ends_early : "it holds a code that stands for nothing");
    return NO_SYMBOL;
}

static int next_symbol(stream *s, const code *c)
{
    fill(s);
    unsigned entry = c->table[s->bits & ((1u << TABLE_BITS) - 1)];
    int length = (int)(entry & 15);
    if (length == 0 || length > s->bit_count)
        return long_symbol(s, c);
    drop(s, length);
    return (int)(entry >> 4);
}

// ---- blocks --------------------------------------------------------------------------------------------------

static const char too_much[] = "it holds more than was announced";

static bool copy_stored(stream *s)
{
    drop(s, s->bit_count & 7);
    unsigned size = take(s, 16), check = take(s, 16);
    if (s->fault || (size ^ check) != 0xffff)
        return fail(s, "the size of a block is wrong");
    // return whole bytes of the bit buffer
    s->at -= s->bit_count / 8;
    s->bits = 0;
    s->bit_count = 0;
    if ((size_t)(s->end - s->at) < size)
        return fail(s, ends_early);
    if (s->out_size - s->out_count < size)
        return fail(s, too_much);
    memcpy(s->out + s->out_count, s->at, size);
    s->out_count += size;
    s->at += size;
    return true;
}

static void make_fixed_codes(stream *s)
{
    uint8_t length[SYMBOLS];
    for (int i = 0; i < SYMBOLS; ++i)
        length[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    (void)make_code(&s->literal, length, SYMBOLS);
    memset(length, 5, 30);
    (void)make_code(&s->distance, length, 30);
}

// Read the lengths of both codes, which are themselves coded, with run lengths.
static bool read_lengths(stream *s, uint8_t *length, int count)
{
    for (int i = 0; i < count;)
    {
        int symbol = next_symbol(s, &s->literal), times = 1;
        if (symbol == 16 && i == 0)
            return fail(s, "the first length of a code repeats nothing");
        uint8_t value = symbol < 16 ? (uint8_t)symbol : symbol == 16 ? length[i - 1] : 0;
        if (symbol == 16)
            times = 3 + (int)take(s, 2);
        else if (symbol == 17)
            times = 3 + (int)take(s, 3);
        else if (symbol == 18)
            times = 11 + (int)take(s, 7);
        if (s->fault || times > count - i)
            return fail(s, "there are too many lengths of codes");
        memset(length + i, value, (size_t)times);
        i += times;
    }
    return true;
}

static bool read_codes(stream *s)
{
    static const uint8_t order[19] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    uint8_t length[SYMBOLS + 32] = {0};
    int literals = 257 + (int)take(s, 5), distances = 1 + (int)take(s, 5), lengths = 4 + (int)take(s, 4);
    for (int i = 0; i < lengths; ++i)
        length[order[i]] = (uint8_t)take(s, 3);
    if (s->fault || literals > 286 || !make_code(&s->literal, length, 19))
        return fail(s, "its codes are wrong");
    memset(length, 0, sizeof length);
    if (!read_lengths(s, length, literals + distances))
        return false;
    if (!make_code(&s->literal, length, literals) || !make_code(&s->distance, length + literals, distances))
        return fail(s, "its codes are wrong");
    return true;
}

// A match may overlap its own output, so it is copied byte by byte.
static bool copy_match(stream *s, int symbol)
{
    static const uint16_t base[29] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                      31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
    static const uint8_t extra[29] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                      2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
    static const uint16_t far_base[30] = {1,    2,    3,    4,    5,    7,    9,    13,    17,    25,
                                          33,   49,   65,   97,   129,  193,  257,  385,   513,   769,
                                          1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
    if (symbol > 285)
        return fail(s, "it holds a length that stands for nothing");
    size_t length = base[symbol - 257] + take(s, extra[symbol - 257]);
    int far = next_symbol(s, &s->distance);
    if (far < 0 || far >= 30)
        return fail(s, "it holds a distance that stands for nothing");
    size_t distance = far_base[far] + take(s, far < 2 ? 0 : far / 2 - 1);
    if (s->fault || distance > s->out_count)
        return fail(s, "a match lies before its beginning");
    if (length > s->out_size - s->out_count)
        return fail(s, too_much);
    for (uint8_t *to = s->out + s->out_count, *end = to + length; to < end; ++to)
        *to = to[-(ptrdiff_t)distance];
    s->out_count += length;
    return true;
}

static bool unpack_block(stream *s)
{
    for (;;)
    {
        int symbol = next_symbol(s, &s->literal);
        if (symbol < 0)
            return false;
        if (symbol == 256)
            return true;
        if (symbol > 256)
        {
            if (!copy_match(s, symbol))
                return false;
            continue;
        }
        if (s->out_count == s->out_size)
            return fail(s, too_much);
        s->out[s->out_count++] = (uint8_t)symbol;
    }
}

static bool unpack_blocks(stream *s)
{
    for (bool last = false; !last;)
    {
        last = take(s, 1);
        unsigned kind = take(s, 2);
        if (s->fault || kind == 3)
            return fail(s, "it holds a block of unknown kind");
        if (kind == 1)
            make_fixed_codes(s);
        if (kind == 0 ? !copy_stored(s) : (kind == 2 && !read_codes(s)) || !unpack_block(s))
            return false;
    }
    return s->out_count == s->out_size || fail(s, "it holds less than was announced");
}

// ---- the stream ----------------------------------------------------------------------------------------------

// Adler-32 checksum, in runs short enough not to overflow.
static uint32_t checksum(const uint8_t *at, size_t size)
{
    uint32_t a = 1, b = 0;
    while (size > 0)
    {
        size_t run = size < 5552 ? size : 5552;
        for (size_t i = 0; i < run; ++i)
        {
            a += at[i];
            b += a;
        }
        a %= 65521;
        b %= 65521;
        at += run;
        size -= run;
    }
    return b << 16 | a;
}

static bool check_end(stream *s)
{
    drop(s, s->bit_count & 7);
    uint32_t announced = 0;
    for (int i = 0; i < 4; ++i)
        announced = announced << 8 | take(s, 8);
    if (s->fault)
        return false;
    return announced == checksum(s->out, s->out_size) || fail(s, "its checksum is wrong");
}

const char *pl__inflate(const void *data, size_t size, void *out, size_t out_size)
{
    stream s = {.at = data, .end = (const uint8_t *)data + size, .out = out, .out_size = out_size};
    unsigned method = take(&s, 8), flags = take(&s, 8);
    if (s.fault || (method & 15) != 8 || method >> 4 > 7 || (method << 8 | flags) % 31 != 0 || flags & 32)
        return "it is not a zlib stream";
    if (unpack_blocks(&s))
        (void)check_end(&s);
    return s.fault;
}

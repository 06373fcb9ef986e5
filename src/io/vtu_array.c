// src/io/vtu_array.c -- the arrays of a .vtu.
//
// Binary arrays begin with a header of unsigned integers of 32 or 64 bits, as the file says:
//
//     not packed:   bytes                                  then so many bytes
//     packed:       blocks, bytes of a block, bytes of     then the blocks, each a zlib stream
//                   the last one (0: a full one), packed
//                   bytes of each block
//
// All of it may be in base64. Header and data are then encoded each by itself, or both together; since the padding of
// the first is skipped, both work.
//
// Announced sizes are checked against the available bytes before memory is allocated: packed data expand at most
// PL__INFLATE_RATIO times.
#include "io/vtu_array.h"
#include "io/inflate.h"

#include <inttypes.h>
#include <string.h>

// ---- bytes -----------------------------------------------------------------------------------------------------

// Raw or base64 bytes, with up to three decoded ahead.
typedef struct source
{
    const char *at, *end;
    bool base64;
    uint8_t ahead[3];
    int ahead_count;
} source;

static int digit(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Decode four digits, of which the last one or two may be '='.
static bool decode(source *s)
{
    uint32_t bits = 0;
    int digits = 0, padding = 0;
    while (digits + padding < 4)
    {
        while (s->at < s->end && is_blank(*s->at))
            s->at++;
        if (s->at == s->end)
            return false;
        char c = *s->at++;
        int value = digit(c);
        if (c == '=' && digits >= 2)
            padding++;
        else if (value < 0 || padding > 0)
            return false;
        else
            digits++;
        bits = bits << 6 | (value < 0 ? 0 : (uint32_t)value);
    }
    s->ahead_count = 3 - padding;
    for (int i = 0; i < s->ahead_count; ++i)
        s->ahead[i] = (uint8_t)(bits >> (16 - 8 * i));
    return true;
}

static size_t left(const source *s)
{
    size_t size = (size_t)(s->end - s->at);
    return s->base64 ? size / 4 * 3 + (size_t)s->ahead_count : size;
}

// False if there are too few.
static bool take(source *s, void *bytes, size_t size)
{
    uint8_t *to = bytes;
    if (!s->base64)
    {
        if (left(s) < size)
            return false;
        memcpy(to, s->at, size);
        s->at += size;
        return true;
    }
    for (size_t i = 0; i < size; ++i)
    {
        if (s->ahead_count == 0 && !decode(s))
            return false;
        to[i] = s->ahead[0];
        s->ahead_count--;
        s->ahead[0] = s->ahead[1];
        s->ahead[1] = s->ahead[2];
    }
    return true;
}

// ---- headers ---------------------------------------------------------------------------------------------------

typedef struct unpacker
{
    pl_context *ctx;
    const pl__vtu_style *style;
    const pl__scan *whole; // for error messages
    source source;
} unpacker;

static pl_status fail_short(const unpacker *u, const char *what)
{
    return pl__scan_fail(u->whole, "the array ends in %s", what);
}

static pl_status take_word(unpacker *u, uint64_t *word)
{
    uint8_t bytes[8] = {0};
    int size = u->style->wide ? 8 : 4;
    if (!take(&u->source, bytes, (size_t)size))
        return fail_short(u, "its header");
    *word = 0;
    for (int i = 0; i < size; ++i)
        *word |= (uint64_t)bytes[u->style->big_endian ? size - 1 - i : i] << 8 * i;
    return PL_OK;
}

static pl_status take_plain(unpacker *u, pl__vtu_numbers *n)
{
    uint64_t size = 0;
    PL_TRY(take_word(u, &size));
    if (size > left(&u->source))
        return pl__scan_fail(u->whole, "the array says %" PRIu64 " bytes, but only %zu are left", size,
                             left(&u->source));
    n->bytes = PL_NEW(u->ctx, size, char);
    if (!n->bytes)
        return PL_ERR_MEMORY;
    n->size = (size_t)size;
    return take(&u->source, n->bytes, n->size) ? PL_OK : fail_short(u, "its data");
}

// ---- packed blocks ---------------------------------------------------------------------------------------------

typedef struct blocks
{
    uint64_t count, size, last_size;
    uint64_t *packed; // [count]  bytes
    uint64_t largest; // of them
} blocks;

static uint64_t size_of_block(const blocks *b, uint64_t i)
{
    return i + 1 == b->count && b->last_size ? b->last_size : b->size;
}

// Check that the sizes of a block are possible, and add them up.
static pl_status add_block(unpacker *u, blocks *b, uint64_t i, uint64_t *packed, uint64_t *unpacked)
{
    uint64_t out = size_of_block(b, i);
    PL_TRY(take_word(u, &b->packed[i]));
    uint64_t room = left(&u->source);
    if (*packed > room || b->packed[i] > room - *packed)
        return pl__scan_fail(u->whole, "the array says %" PRIu64 " bytes of packed data, but only %" PRIu64 " are left",
                             b->packed[i], room);
    if (out > b->packed[i] * PL__INFLATE_RATIO)
        return pl__scan_fail(u->whole, "%" PRIu64 " packed bytes cannot hold the %" PRIu64 " that are announced",
                             b->packed[i], out);
    b->largest = b->packed[i] > b->largest ? b->packed[i] : b->largest;
    *packed += b->packed[i];
    *unpacked += out;
    return PL_OK;
}

static pl_status unpack_blocks(unpacker *u, const blocks *b, char *packed, pl__vtu_numbers *n)
{
    char *out = n->bytes;
    for (uint64_t i = 0; i < b->count; ++i)
    {
        size_t size = (size_t)b->packed[i], out_size = (size_t)size_of_block(b, i);
        if (!take(&u->source, packed, size))
            return fail_short(u, "its data");
        const char *fault = pl__inflate(packed, size, out, out_size);
        if (fault)
            return pl__scan_fail(u->whole, "block %" PRIu64 " of the array cannot be unpacked: %s", i, fault);
        out += out_size;
    }
    return PL_OK;
}

static pl_status take_blocks(unpacker *u, blocks *b, pl__vtu_numbers *n)
{
    uint64_t packed = 0, unpacked = 0;
    for (uint64_t i = 0; i < b->count; ++i)
        PL_TRY(add_block(u, b, i, &packed, &unpacked));
    n->bytes = PL_NEW(u->ctx, unpacked, char);
    if (!n->bytes)
        return PL_ERR_MEMORY;
    n->size = (size_t)unpacked;
    char *room = PL_NEW(u->ctx, b->largest, char);
    if (!room)
        return PL_ERR_MEMORY;
    pl_status status = unpack_blocks(u, b, room, n);
    PL_DELETE(u->ctx, room, b->largest);
    return status;
}

static pl_status take_packed(unpacker *u, pl__vtu_numbers *n)
{
    blocks b = {0};
    PL_TRY(take_word(u, &b.count));
    PL_TRY(take_word(u, &b.size));
    PL_TRY(take_word(u, &b.last_size));
    if (b.count > left(&u->source) / (u->style->wide ? 8 : 4))
        return pl__scan_fail(u->whole, "the array says %" PRIu64 " packed blocks, but only %zu bytes are left", b.count,
                             left(&u->source));
    b.packed = PL_NEW(u->ctx, b.count, uint64_t);
    if (!b.packed)
        return PL_ERR_MEMORY;
    pl_status status = take_blocks(u, &b, n);
    PL_DELETE(u->ctx, b.packed, b.count);
    return status;
}

// ---- arrays ----------------------------------------------------------------------------------------------------

static pl_status take_binary(pl__vtu_style *style, source from, pl__vtu_numbers *n)
{
    unpacker u = {style->scan.ctx, style, &n->whole, from};
    PL_TRY(style->packed ? take_packed(&u, n) : take_plain(&u, n));
    pl__scan s = pl__scan_start_binary(u.ctx, style->scan.name, n->bytes, n->size);
    s.is_array = true;
    s.whole = &n->whole;
    pl__scan_set_order(&s, style->big_endian);
    n->series.scan = s;
    if (!style->appended || from.at < style->appended)
        return PL_OK;
    size_t used = (size_t)(u.source.at - from.at);
    if (used > style->budget)
        return pl__scan_fail(&n->whole, "the array shares its bytes with others");
    style->budget -= used;
    return PL_OK;
}

static pl_status take_appended(pl__vtu_style *style, const pl__vtu_array *a, pl__vtu_numbers *n)
{
    if (!style->appended)
        return pl__scan_fail(&n->whole, "the array is appended, but there is no AppendedData");
    size_t size = (size_t)(style->scan.end - style->appended);
    if (a->offset < 0 || (uint64_t)a->offset > size)
        return pl__scan_fail(&n->whole, "the array begins at %" PRId64 " of %zu bytes of appended data", a->offset,
                             size);
    const char *at = style->appended + a->offset;
    n->whole.binary = true;
    n->whole.place = at;
    return take_binary(style, (source){.at = at, .end = style->scan.end, .base64 = style->appended_base64}, n);
}

static void take_text(const pl__vtu_style *style, const pl__vtu_array *a, pl__vtu_numbers *n)
{
    pl__scan s = style->scan;
    s.at = s.place = a->body.at;
    s.end = a->body.at + a->body.length;
    s.is_array = true;
    n->series.scan = s;
}

pl_status pl__vtu_unpack(pl__vtu_style *style, const pl__vtu_array *array, pl__vtu_numbers *numbers)
{
    *numbers = (pl__vtu_numbers){.series.type = array->type, .whole = style->scan};
    numbers->whole.place = array->place;
    if (!array->known)
        return pl__scan_fail(&numbers->whole, "the array is not one of numbers");
    if (array->format == PL__VTU_APPENDED)
        return take_appended(style, array, numbers);
    if (array->format == PL__VTU_BINARY)
        return take_binary(style, (source){array->body.at, array->body.at + array->body.length, true, {0}, 0}, numbers);
    take_text(style, array, numbers);
    return PL_OK;
}

void pl__vtu_free(pl_context *ctx, pl__vtu_numbers *numbers) { PL_DELETE(ctx, numbers->bytes, numbers->size); }

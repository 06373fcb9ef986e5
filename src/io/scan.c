// src/io/scan.c -- a cursor over the bytes of a file.
#include "io/scan.h"
#include "io/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum
{
    QUOTED_CHARS = 40 // longest quotation of the file in an error message
};

pl__scan pl__scan_start(pl_context *ctx, const char *name, const void *data, size_t size)
{
    const char *bytes = size ? data : "";
    bool mark = size >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0;
    const char *begin = bytes + (mark ? 3 : 0);
    return (pl__scan){.ctx = ctx, .name = name, .begin = begin, .at = begin, .end = bytes + size, .place = begin};
}

pl__scan pl__scan_start_binary(pl_context *ctx, const char *name, const void *data, size_t size)
{
    const char *begin = size ? data : "";
    return (pl__scan){
        .ctx = ctx, .name = name, .begin = begin, .at = begin, .end = begin + size, .place = begin, .binary = true};
}

size_t pl__scan_left(const pl__scan *s) { return (size_t)(s->end - s->at); }

// ---- error messages ------------------------------------------------------------------------------------------

static int64_t line_of(const pl__scan *s, const char *place)
{
    int64_t line = 1;
    for (const char *at = s->begin; at < place; ++at)
        line += *at == '\n';
    return line;
}

pl_status pl__scan_fail(const pl__scan *s, const char *format, ...)
{
    char reason[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    s = s->whole ? s->whole : s;
    if (s->binary)
        return pl__fail(s->ctx, PL_ERR_FORMAT, "%s: byte %td: %s", s->name, s->place - s->begin, reason);
    return pl__fail(s->ctx, PL_ERR_FORMAT, "%s:%" PRId64 ": %s", s->name, line_of(s, s->place), reason);
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }
static bool is_printable(char c) { return c >= ' ' && c <= '~'; }

// Make a token printable: no control characters, no partial multibyte character, limited length.
static void quote(const char *at, const char *end, char text[QUOTED_CHARS + 4])
{
    int length = 0;
    for (; at < end && !is_blank(*at) && *at != '\n'; ++at)
    {
        if (length == QUOTED_CHARS)
        {
            memcpy(text + length, "...", 4);
            return;
        }
        text[length++] = is_printable(*at) ? *at : '?';
    }
    text[length] = 0;
}

pl_status pl__scan_expected(const pl__scan *s, const char *what)
{
    char found[QUOTED_CHARS + 4];
    if (s->place >= s->end)
        return pl__scan_fail(s, "expected %s, found the end of the %s", what, s->is_array ? "array" : "file");
    quote(s->place, s->end, found);
    if (!found[0])
        return pl__scan_fail(s, "expected %s, found the end of the line", what);
    return pl__scan_fail(s, "expected %s, found \"%s\"", what, found);
}

pl_status pl__scan_need(const pl__scan *s, int64_t count, size_t bytes, const char *what)
{
    if (count >= 0 && (uint64_t)count <= pl__scan_left(s) / bytes)
        return PL_OK;
    return pl__scan_fail(s, "says %" PRId64 " %s, but only %zu bytes are left%s", count, what, pl__scan_left(s),
                         s->is_array ? " in the array" : "");
}

// ---- text ----------------------------------------------------------------------------------------------------

bool pl__text_is(pl__text text, const char *word)
{
    return text.length == strlen(word) && memcmp(text.at, word, text.length) == 0;
}

// Length of "\\\n" or "\\\r\n" at the cursor, or 0.
static size_t continuation(const pl__scan *s)
{
    size_t left = pl__scan_left(s);
    if (!s->continued || left < 2 || s->at[0] != '\\')
        return 0;
    if (s->at[1] == '\n')
        return 2;
    return left >= 3 && s->at[1] == '\r' && s->at[2] == '\n' ? 3 : 0;
}

void pl__text_spell(pl__text text, char *spelt, size_t size)
{
    size_t length = text.length < size ? text.length : size - 1;
    memcpy(spelt, text.at, length);
    spelt[length] = 0;
}

static const char *end_of_line(const pl__scan *s)
{
    if (s->at == s->end)
        return s->end;
    const char *found = memchr(s->at, '\n', pl__scan_left(s));
    return found ? found : s->end;
}

static bool at_blank(const pl__scan *s) { return is_blank(*s->at) || (s->blank && *s->at == s->blank); }

bool pl__scan_more(pl__scan *s)
{
    while (s->at < s->end)
    {
        if (at_blank(s) || (*s->at == '\n' && !s->by_line))
            s->at++;
        else if (s->comment && *s->at == s->comment)
            s->at = end_of_line(s);
        else if (continuation(s))
            s->at += continuation(s);
        else
            return *s->at != '\n';
    }
    return false;
}

static bool ends_token(const pl__scan *s)
{
    return at_blank(s) || *s->at == '\n' || (s->comment && *s->at == s->comment) || continuation(s);
}

bool pl__scan_token(pl__scan *s, pl__text *token)
{
    bool more = pl__scan_more(s);
    s->place = s->at;
    if (!more)
        return false;
    while (s->at < s->end && !ends_token(s))
        s->at++;
    *token = (pl__text){s->place, (size_t)(s->at - s->place)};
    return true;
}

pl_status pl__scan_integer(pl__scan *s, const char *what, int64_t smallest, int64_t largest, int64_t *value)
{
    pl__text token;
    if (!pl__scan_token(s, &token))
        return pl__scan_expected(s, what);
    pl__integer_fault fault = pl__parse_integer(token.at, token.length, value);
    if (fault == PL__INTEGER_NOT)
        return pl__scan_expected(s, what);
    if (fault == PL__INTEGER_FINE && *value >= smallest && *value <= largest)
        return PL_OK;
    char found[QUOTED_CHARS + 4];
    quote(token.at, token.at + token.length, found);
    return pl__scan_fail(s, "%s is %s, but must be in [%" PRId64 ", %" PRId64 "]", what, found, smallest, largest);
}

// Spellings of infinity and NaN in printf and other languages, for a specific message.
static bool is_unreal_word(pl__text token)
{
    size_t sign = token.at[0] == '-' || token.at[0] == '+';
    if (token.length - sign < 3)
        return false;
    char word[3];
    for (int i = 0; i < 3; ++i)
        word[i] = (char)(token.at[sign + (size_t)i] | 0x20);
    return memcmp(word, "nan", 3) == 0 || memcmp(word, "inf", 3) == 0;
}

pl_status pl__scan_real(pl__scan *s, const char *what, double *value)
{
    pl__text token;
    if (!pl__scan_token(s, &token))
        return pl__scan_expected(s, what);
    bool unreal = is_unreal_word(token);
    if (!unreal && !pl__parse_real(token.at, token.length, value))
        return pl__scan_expected(s, what);
    if (!unreal && isfinite(*value))
        return PL_OK;
    char found[QUOTED_CHARS + 4];
    quote(token.at, token.at + token.length, found);
    return pl__scan_fail(s, "%s is %s, but must be finite", what, found);
}

bool pl__scan_next_line(pl__scan *s)
{
    (void)pl__scan_rest_of_line(s);
    return s->at < s->end;
}

pl__text pl__scan_rest_of_line(pl__scan *s)
{
    const char *end = end_of_line(s);
    pl__text rest = {s->at, (size_t)(end - s->at)};
    // "\r\n" is one line break
    if (rest.length && rest.at[rest.length - 1] == '\r')
        rest.length--;
    s->at = end < s->end ? end + 1 : end;
    return rest;
}

// ---- binary --------------------------------------------------------------------------------------------------

void pl__scan_set_order(pl__scan *s, bool big_endian)
{
    const uint16_t one = 1;
    uint8_t first;
    memcpy(&first, &one, 1);
    s->swap = big_endian == (first == 1);
}

static pl_status take(pl__scan *s, const char *what, void *value, size_t size)
{
    s->place = s->at;
    if (pl__scan_left(s) < size)
        return pl__scan_fail(s, "the %s ends in %s", s->is_array ? "array" : "file", what);
    char *bytes = value;
    for (size_t i = 0; i < size; ++i)
        bytes[s->swap ? size - 1 - i : i] = s->at[i];
    s->at += size;
    return PL_OK;
}

pl_status pl__scan_i32(pl__scan *s, const char *what, int32_t *value) { return take(s, what, value, sizeof *value); }
pl_status pl__scan_u64(pl__scan *s, const char *what, uint64_t *value) { return take(s, what, value, sizeof *value); }

pl_status pl__scan_f64(pl__scan *s, const char *what, double *value)
{
    PL_TRY(take(s, what, value, sizeof *value));
    return isfinite(*value) ? PL_OK : pl__scan_fail(s, "%s is not finite", what);
}

pl_status pl__scan_bytes(pl__scan *s, const char *what, size_t size, const char **bytes)
{
    *bytes = s->place = s->at;
    if (pl__scan_left(s) < size)
        return pl__scan_fail(s, "the %s ends in %s", s->is_array ? "array" : "file", what);
    s->at += size;
    return PL_OK;
}

// ---- either --------------------------------------------------------------------------------------------------

size_t pl__number_bytes(pl__number_type type)
{
    static const uint8_t bytes[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
    return bytes[type];
}

bool pl__number_is_real(pl__number_type type) { return type == PL__F32 || type == PL__F64; }

size_t pl__scan_number_bytes(const pl__scan *s, pl__number_type type) { return s->binary ? pl__number_bytes(type) : 2; }

// A number in the representation of the file.
typedef union number
{
    int8_t i8;
    uint8_t u8;
    int16_t i16;
    uint16_t u16;
    int32_t i32;
    uint32_t u32;
    int64_t i64;
    uint64_t u64;
    float f32;
    double f64;
} number;

static double to_real(const number *n, pl__number_type type)
{
    switch (type)
    {
    case PL__I8: return n->i8;
    case PL__U8: return n->u8;
    case PL__I16: return n->i16;
    case PL__U16: return n->u16;
    case PL__I32: return n->i32;
    case PL__U32: return n->u32;
    case PL__I64: return (double)n->i64;
    case PL__U64: return (double)n->u64;
    case PL__F32: return (double)n->f32;
    default: return n->f64;
    }
}

// Reals are accepted if they are integers small enough to be exact; otherwise `wrong`.
static int64_t to_integer(const number *n, pl__number_type type, bool *wrong)
{
    double real = to_real(n, type);
    if (type == PL__I64)
        return n->i64;
    *wrong = type == PL__U64 ? n->u64 > INT64_MAX : !(fabs(real) < 9e15 && real == floor(real));
    return *wrong ? 0 : type == PL__U64 ? (int64_t)n->u64 : (int64_t)real;
}

static pl_status any_text(pl__scan *s, const char *what, double *value)
{
    pl__text token;
    if (!pl__scan_token(s, &token))
        return pl__scan_expected(s, what);
    if (is_unreal_word(token))
        *value = NAN;
    else if (!pl__parse_real(token.at, token.length, value))
        return pl__scan_expected(s, what);
    return PL_OK;
}

pl_status pl__scan_any(pl__scan *s, pl__number_type type, const char *what, double *value)
{
    number n;
    if (!s->binary)
        return any_text(s, what, value);
    PL_TRY(take(s, what, &n, pl__number_bytes(type)));
    *value = to_real(&n, type);
    return PL_OK;
}

pl_status pl__scan_finite(pl__scan *s, pl__number_type type, const char *what, double *value)
{
    if (!s->binary)
        return pl__scan_real(s, what, value);
    PL_TRY(pl__scan_any(s, type, what, value));
    return isfinite(*value) ? PL_OK : pl__scan_fail(s, "%s is not finite", what);
}

pl_status pl__scan_whole(pl__scan *s, pl__number_type type, const char *what, int64_t *value)
{
    number n;
    bool wrong = false;
    if (!s->binary)
        return pl__scan_integer(s, what, INT64_MIN, INT64_MAX, value);
    PL_TRY(take(s, what, &n, pl__number_bytes(type)));
    *value = to_integer(&n, type, &wrong);
    return wrong ? pl__scan_fail(s, "%s is not an integer of 64 bits", what) : PL_OK;
}

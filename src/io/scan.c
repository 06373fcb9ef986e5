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
    QUOTED_CHARS = 40 // of the file, at most, in a sentence
};

pl__scan pl__scan_start(pl_context *ctx, const char *name, const void *data, size_t size)
{
    const char *bytes = size ? data : "";
    bool mark = size >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0;
    const char *begin = bytes + (mark ? 3 : 0);
    return (pl__scan){.ctx = ctx, .name = name, .begin = begin, .at = begin, .end = bytes + size, .place = begin};
}

size_t pl__scan_left(const pl__scan *s) { return (size_t)(s->end - s->at); }

// ---- sentences -----------------------------------------------------------------------------------------------

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
    if (s->binary)
        return pl__fail(s->ctx, PL_ERR_FORMAT, "%s: byte %td: %s", s->name, s->place - s->begin, reason);
    return pl__fail(s->ctx, PL_ERR_FORMAT, "%s:%" PRId64 ": %s", s->name, line_of(s, s->place), reason);
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }
static bool is_printable(char c) { return c >= ' ' && c <= '~'; }

// A token as it may be shown: no control characters, no half of a multibyte character, not too long.
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
        return pl__scan_fail(s, "expected %s, found the end of the file", what);
    quote(s->place, s->end, found);
    if (!found[0])
        return pl__scan_fail(s, "expected %s, found the end of the line", what);
    return pl__scan_fail(s, "expected %s, found \"%s\"", what, found);
}

pl_status pl__scan_need(const pl__scan *s, int64_t count, size_t bytes, const char *what)
{
    if (count >= 0 && (uint64_t)count <= pl__scan_left(s) / bytes)
        return PL_OK;
    return pl__scan_fail(s, "says %" PRId64 " %s, but only %zu bytes are left", count, what, pl__scan_left(s));
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

static const char *end_of_line(const pl__scan *s)
{
    if (s->at == s->end)
        return s->end;
    const char *found = memchr(s->at, '\n', pl__scan_left(s));
    return found ? found : s->end;
}

bool pl__scan_more(pl__scan *s)
{
    while (s->at < s->end)
    {
        if (is_blank(*s->at) || (*s->at == '\n' && !s->by_line))
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
    return is_blank(*s->at) || *s->at == '\n' || (s->comment && *s->at == s->comment) || continuation(s);
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

// Words for infinity and NaN as printf and other languages write them, to give them a sentence of their own.
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

static pl_status take(pl__scan *s, const char *what, void *value, size_t size)
{
    s->place = s->at;
    if (pl__scan_left(s) < size)
        return pl__scan_fail(s, "the file ends in %s", what);
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

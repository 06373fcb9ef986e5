// app/text.c -- text that grows.
#include "text.h"
#include "io/number.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool grow(text *t, size_t more)
{
    size_t needed = t->length + more + 1;
    if (needed <= t->capacity)
        return true;
    size_t capacity = t->capacity ? 2 * t->capacity : 256;
    while (capacity < needed)
        capacity *= 2;
    char *at = realloc(t->at, capacity);
    if (!at)
    {
        t->failed = true;
        return false;
    }
    t->at = at;
    t->capacity = capacity;
    return true;
}

void text_put(text *t, const char *plain)
{
    size_t length = strlen(plain);
    if (!grow(t, length))
        return;
    memcpy(t->at + t->length, plain, length + 1);
    t->length += length;
}

void text_add(text *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0)
        t->failed = true;
    if (length < 0 || !grow(t, (size_t)length))
        return;
    va_start(arguments, format);
    vsnprintf(t->at + t->length, (size_t)length + 1, format, arguments);
    va_end(arguments);
    t->length += (size_t)length;
}

void text_number(text *t, double value)
{
    char digits[PL__REAL_CHARS];
    if (!isfinite(value))
    {
        text_put(t, "null");
        return;
    }
    pl__format_real(value, digits);
    text_put(t, digits);
}

void text_quoted(text *t, const char *plain)
{
    text_put(t, "\"");
    for (const unsigned char *at = (const unsigned char *)plain; *at; ++at)
        if (*at == '"' || *at == '\\')
            text_add(t, "\\%c", *at);
        else if (*at < 32 || *at == 127)
            text_add(t, "\\u%04x", *at);
        else
            text_add(t, "%c", *at);
    text_put(t, "\"");
}

void text_free(text *t)
{
    free(t->at);
    *t = (text){0};
}

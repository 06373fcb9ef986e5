// src/world/section.c -- the list of sections, and bounds-checked access to their bytes.
#include "section.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int32_t pl__sections_find(const pl__sections *sections, const char *tag)
{
    for (int32_t i = 0; i < sections->count; ++i)
        if (sections->type[i]->read && memcmp(sections->type[i]->tag, tag, 4) == 0)
            return i;
    return -1;
}

pl_status pl__sections_add(pl_context *ctx, pl__sections *sections, const pl__section_type *type, void *user)
{
    if (sections->count == PL__SECTIONS)
        return pl__fail(ctx, PL_ERR_STATE, "section %s: a snapshot has room for %d sections", type->tag, PL__SECTIONS);
    if (pl__sections_find(sections, type->tag) >= 0)
        return pl__fail(ctx, PL_ERR_STATE, "section %s: there is one of that tag already", type->tag);
    sections->type[sections->count] = type;
    sections->user[sections->count++] = user;
    return PL_OK;
}

char *pl__section_room(pl__section_writer *to, size_t size)
{
    if (size > (size_t)(to->end - to->at))
    {
        to->excess += size;
        return NULL;
    }
    char *room = to->at;
    memset(room, 0, size);
    to->at += size;
    return room;
}

void pl__section_put(pl__section_writer *to, const void *from, size_t size)
{
    char *room = pl__section_room(to, size);
    if (room && size)
        memcpy(room, from, size);
}

pl_status pl__section_fail(const pl__section_reader *from, const char *format, ...)
{
    char sentence[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return pl__fail(from->ctx, PL_ERR_FORMAT, "snapshot: section \"%s\": %s", from->tag, sentence);
}

pl_status pl__section_view(pl__section_reader *from, size_t size, const char **bytes)
{
    *bytes = from->at;
    if (size > pl__section_left(from))
        return pl__section_fail(from, "%zu bytes are missing", size - pl__section_left(from));
    from->at += size;
    return PL_OK;
}

pl_status pl__section_get(pl__section_reader *from, void *to, size_t size)
{
    const char *bytes;
    PL_TRY(pl__section_view(from, size, &bytes));
    if (size)
        memcpy(to, bytes, size);
    return PL_OK;
}

bool pl__all_finite(const void *doubles, size_t count)
{
    for (size_t i = 0; i < count; ++i)
    {
        double value;
        memcpy(&value, (const char *)doubles + i * sizeof value, sizeof value);
        if (!isfinite(value))
            return false;
    }
    return true;
}

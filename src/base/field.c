// src/base/field.c -- operations on definitions by their field tables: defaults, checks, messages, fingerprint.
#include "field.h"
#include "hash.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const pl__field *pl__fields_find(const pl__fields *fields, const char *name)
{
    for (int32_t i = 0; i < fields->count; ++i)
        if (strcmp(fields->row[i].name, name) == 0)
            return &fields->row[i];
    return NULL;
}

static bool is_real(const pl__field *f) { return f->kind == PL__FIELD_NUMBER || f->kind == PL__FIELD_VECTOR; }
static int32_t component_count(const pl__field *f) { return is_real(f) ? f->components : 1; }

double pl__field_get(const pl__field *f, const void *def, int32_t component)
{
    const char *at = (const char *)def + f->offset;
    int32_t whole;
    double real;
    if (!is_real(f))
    {
        memcpy(&whole, at, sizeof whole);
        return whole;
    }
    memcpy(&real, at + (size_t)component * sizeof real, sizeof real);
    return real;
}

void pl__fields_default(const pl__fields *fields, void *def)
{
    for (int32_t i = 0; i < fields->count; ++i)
    {
        const pl__field *f = &fields->row[i];
        char *to = (char *)def + f->offset;
        int32_t whole = (int32_t)f->fallback[0];
        if (is_real(f))
            memcpy(to, f->fallback, (size_t)f->components * sizeof(double));
        else
            memcpy(to, &whole, sizeof whole);
    }
}

// ---- messages --------------------------------------------------------------------------------------------------

void pl__number_text(double value, int digits, char text[32])
{
    snprintf(text, 32, "%.*g", digits, value);
    char *from = strchr(text, 'e'), *to = from;
    if (!from)
        return;
    bool negative = from[1] == '-';
    from += 2;
    to += 1;
    if (negative)
        *to++ = '-';
    while (*from == '0')
        from++;
    memmove(to, from, strlen(from) + 1);
}

void pl__range_text(const pl__field *f, char *text, size_t size)
{
    char low[32], high[32];
    bool whole = f->kind == PL__FIELD_INTEGER || f->kind == PL__FIELD_INTEGERS;
    pl__number_text(f->low, whole ? 10 : 6, low);
    pl__number_text(f->high, whole ? 10 : 6, high);
    const char *unit = f->unit ? f->unit : "", *blank = unit[0] ? " " : "";
    bool below = isfinite(f->low), above = isfinite(f->high);
    if (below && above && !f->low_open && !f->high_open)
        snprintf(text, size, "must be in [%s, %s]%s%s", low, high, blank, unit);
    else if (below && above)
        snprintf(text, size, "must be %s %s and %s %s%s%s", f->low_open ? "above" : "at least", low,
                 f->high_open ? "below" : "at most", high, blank, unit);
    else if (below)
        snprintf(text, size, "must be %s %s%s%s", f->low_open ? "above" : "at least", low, blank, unit);
    else
        snprintf(text, size, "must be %s %s%s%s", f->high_open ? "below" : "at most", high, blank, unit);
}

void pl__refusal_text(const pl__field *f, double value, char *text, size_t size)
{
    char number[32], range[120];
    pl__number_text(value, 10, number);
    pl__range_text(f, range, sizeof range);
    snprintf(text, size, "%s %s", number, range);
}

void pl__live_names(const pl__fields *fields, char *text, size_t size)
{
    int32_t last = fields->count;
    while (last > 0 && fields->row[last - 1].when != PL__WHEN_LIVE)
        --last;
    size_t used = 0;
    text[0] = 0;
    for (int32_t i = 0; i < last && used < size; ++i)
        if (fields->row[i].when == PL__WHEN_LIVE)
            used += (size_t)snprintf(text + used, size - used, "%s%s",
                                     used == 0       ? ""
                                     : i + 1 == last ? " and "
                                                     : ", ",
                                     fields->row[i].name);
}

// ---- checks ----------------------------------------------------------------------------------------------------

bool pl__field_allows(const pl__field *f, double value)
{
    bool low = f->low_open ? value > f->low : value >= f->low, high = f->high_open ? value < f->high : value <= f->high;
    return low && high;
}

pl_status pl__field_check_value(pl_context *ctx, const pl__field *f, const char *path, double value)
{
    if (pl__field_allows(f, value))
        return PL_OK;
    char text[160];
    pl__refusal_text(f, value, text, sizeof text);
    return pl__fail_path(ctx, PL_ERR_ARGUMENT, path, "%s", text);
}

static pl_status check_number(pl_context *ctx, const pl__field *f, double value, const char *owner)
{
    pl_status status = pl__field_check_value(ctx, f, f->name, value);
    return status == PL_OK || !owner[0] ? status : pl__fail_within(ctx, status, owner);
}

static pl_status check_vector(pl_context *ctx, const pl__field *f, const void *def, const char *owner)
{
    char number[3][32] = {"", "", ""}, range[120];
    bool allowed = true;
    for (int32_t i = 0; i < f->components; ++i)
    {
        allowed = allowed && pl__field_allows(f, pl__field_get(f, def, i));
        pl__number_text(pl__field_get(f, def, i), 6, number[i]);
    }
    if (allowed)
        return PL_OK;
    pl__range_text(f, range, sizeof range);
    return pl__fail_field(ctx, owner, f->name, "(%s, %s, %s) %s", number[0], number[1], number[2], range);
}

static pl_status check_field(pl_context *ctx, const pl__field *f, const void *def, const char *owner)
{
    double value = pl__field_get(f, def, 0);
    int32_t count = 0;
    while (f->kind == PL__FIELD_CHOICE && f->choices[count])
        ++count;
    if (f->kind == PL__FIELD_VECTOR)
        return check_vector(ctx, f, def, owner);
    if (f->kind == PL__FIELD_CHOICE)
        return value >= 0 && value < count ? PL_OK
                                           : pl__fail_field(ctx, owner, f->name, "%.0f is not a %s", value, f->type);
    if (f->kind == PL__FIELD_BOOL)
        return value == 0 || value == 1 ? PL_OK : pl__fail_field(ctx, owner, f->name, "%.0f must be 0 or 1", value);
    return f->automatic && value == 0 ? PL_OK : check_number(ctx, f, value, owner);
}

pl_status pl__fields_check(pl_context *ctx, const pl__fields *fields, const void *def, const char *owner)
{
    for (int32_t i = 0; i < fields->count; ++i)
        PL_TRY(check_field(ctx, &fields->row[i], def, owner));
    return PL_OK;
}

pl_status pl__fields_check_one(pl_context *ctx, const pl__fields *fields, const char *name, const void *def,
                               const char *owner)
{
    const pl__field *f = pl__fields_find(fields, name);
    PL_ASSERT(f);
    return check_field(ctx, f, def, owner);
}

// ---- fingerprint -----------------------------------------------------------------------------------------------

uint64_t pl__fields_hash(uint64_t hash, const pl__fields *fields, const void *def)
{
    for (int32_t i = 0; i < fields->count; ++i)
        for (int32_t k = 0; fields->row[i].when != PL__WHEN_LIVE && k < component_count(&fields->row[i]); ++k)
        {
            double value = pl__field_get(&fields->row[i], def, k);
            hash = pl__hash(hash, &value, sizeof value);
        }
    return hash;
}

// src/mesh/attribute.c -- names and numbers that came with a mesh or surface.
#include "attribute.h"

#include <string.h>

// ---- names -------------------------------------------------------------------------------------------------

static char *copy_name(pl_context *ctx, const char *name)
{
    size_t size = strlen(name) + 1;
    char *copy = pl__alloc(ctx, size);
    if (copy)
        memcpy(copy, name, size);
    return copy;
}

static void free_name(pl_context *ctx, char *name)
{
    if (name)
        pl__free(ctx, name, strlen(name) + 1);
}

char **pl__names_copy(pl_context *ctx, int32_t count, const char *const *names)
{
    char **copy = PL_NEW(ctx, count, char *);
    for (int32_t i = 0; copy && i < count; ++i)
    {
        copy[i] = copy_name(ctx, names[i]);
        if (!copy[i])
            pl__names_free(ctx, copy, count), copy = NULL;
    }
    return copy;
}

void pl__names_free(pl_context *ctx, char **names, int32_t count)
{
    for (int32_t i = 0; names && i < count; ++i)
        free_name(ctx, names[i]);
    PL_DELETE(ctx, names, count);
}

// ---- attributes --------------------------------------------------------------------------------------------

pl_status pl__attributes_add(pl_context *ctx, pl__attributes *list, const char *name, int32_t components,
                             int32_t row_count, const double *values)
{
    PL_ASSERT(components >= 1);
    size_t value_count = (size_t)components * (size_t)row_count;
    if (!PL_GROW(ctx, list->item, &list->capacity, (size_t)list->count + 1))
        return PL_ERR_MEMORY;
    pl__attribute a = {copy_name(ctx, name), components, PL_NEW(ctx, value_count, double)};
    if (!a.name || !a.value)
    {
        free_name(ctx, a.name);
        PL_DELETE(ctx, a.value, value_count);
        return PL_ERR_MEMORY;
    }
    if (values && value_count > 0)
        memcpy(a.value, values, value_count * sizeof *values);
    list->item[list->count++] = a;
    return PL_OK;
}

pl_status pl__attributes_copy(pl_context *ctx, const pl__attributes *from, int32_t row_count, pl__attributes *to)
{
    for (int32_t i = 0; i < from->count; ++i)
        PL_TRY(
            pl__attributes_add(ctx, to, from->item[i].name, from->item[i].components, row_count, from->item[i].value));
    return PL_OK;
}

void pl__attributes_free(pl_context *ctx, pl__attributes *list, int32_t row_count)
{
    for (int32_t i = 0; i < list->count; ++i)
    {
        free_name(ctx, list->item[i].name);
        PL_DELETE(ctx, list->item[i].value, (size_t)list->item[i].components * (size_t)row_count);
    }
    PL_DELETE(ctx, list->item, list->capacity);
    *list = (pl__attributes){0};
}

const pl__attribute *pl__attributes_at(const pl__attributes *list, int32_t i)
{
    return i >= 0 && i < list->count ? &list->item[i] : NULL;
}

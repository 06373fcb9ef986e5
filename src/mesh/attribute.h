// src/mesh/attribute.h -- named values per node that came with a mesh or surface; the solver ignores them.
#ifndef PL_MESH_ATTRIBUTE_H
#define PL_MESH_ATTRIBUTE_H

#include "base/context.h"

// Named values per node.
typedef struct pl__attribute
{
    char *name; // allocated with strlen + 1 bytes
    int32_t components;
    double *value; // [components row_count]
} pl__attribute;

// All attributes of one mesh or surface; `row_count`, the number of nodes, is the owner's.
typedef struct pl__attributes
{
    pl__attribute *item; // [count]
    size_t capacity;
    int32_t count;
} pl__attributes;

// Add an attribute; values are copied, or zero if `values` is NULL. When out of memory nothing changes.
pl_status pl__attributes_add(pl_context *ctx, pl__attributes *list, const char *name, int32_t components,
                             int32_t row_count, const double *values);
// Add all of `from` to `to`.
pl_status pl__attributes_copy(pl_context *ctx, const pl__attributes *from, int32_t row_count, pl__attributes *to);
void pl__attributes_free(pl_context *ctx, pl__attributes *list, int32_t row_count);
// The attribute at index `i`, or NULL.
const pl__attribute *pl__attributes_at(const pl__attributes *list, int32_t i);

// Copies of `count` names, each with strlen + 1 bytes; NULL when out of memory.
char **pl__names_copy(pl_context *ctx, int32_t count, const char *const *names);
void pl__names_free(pl_context *ctx, char **names, int32_t count);

#endif

// src/io/names.h -- which names of a file are the same.
#ifndef PL_IO_NAMES_H
#define PL_IO_NAMES_H

#include "io/scan.h"

// For each name, the place of the first that is the same. False when out of memory.
bool pl__names_unify(pl_context *ctx, const pl__text *names, size_t count, int32_t *first);

#endif

// src/io/names.h -- finds equal names of a file.
#ifndef PL_IO_NAMES_H
#define PL_IO_NAMES_H

#include "io/scan.h"

// For each name, the index of the first equal one. False when out of memory.
bool pl__names_unify(pl_context *ctx, const pl__text *names, size_t count, int32_t *first);

#endif

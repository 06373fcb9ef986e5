// src/io/vega.h -- Vega FEM .veg files.
#ifndef PL_IO_VEGA_H
#define PL_IO_VEGA_H

#include "io/draft.h"

pl_status pl__vega_read(pl__draft *draft, const void *data, size_t size);

#endif

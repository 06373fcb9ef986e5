// src/io/ply.h -- Stanford PLY surfaces.
#ifndef PL_IO_PLY_H
#define PL_IO_PLY_H

#include "io/draft.h"

pl_status pl__ply_read(pl__draft *draft, const void *data, size_t size);

#endif

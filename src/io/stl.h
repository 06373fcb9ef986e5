// src/io/stl.h -- STL surfaces.
#ifndef PL_IO_STL_H
#define PL_IO_STL_H

#include "io/draft.h"

pl_status pl__stl_read(pl__draft *draft, const void *data, size_t size);

#endif

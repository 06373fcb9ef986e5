// src/io/medit.h -- Medit .mesh files.
#ifndef PL_IO_MEDIT_H
#define PL_IO_MEDIT_H

#include "io/draft.h"

pl_status pl__medit_read(pl__draft *draft, const void *data, size_t size);

#endif

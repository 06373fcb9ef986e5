// src/io/tetgen.h -- TetGen's pair of .node and .ele.
#ifndef PL_IO_TETGEN_H
#define PL_IO_TETGEN_H

#include "io/draft.h"
#include "io/write.h"

pl_status pl__tetgen_read_nodes(pl__draft *draft, const char *name, const void *data, size_t size);
// Call after reading the nodes.
pl_status pl__tetgen_read_tets(pl__draft *draft, const char *name, const void *data, size_t size);

void pl__tetgen_write_nodes(pl__writer *w, const pl_mesh *mesh);
void pl__tetgen_write_tets(pl__writer *w, const pl_mesh *mesh);

#endif

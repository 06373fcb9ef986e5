// app/boxes.h -- the cells of a liquid as hexahedra that share their nodes.
//
// Corners of cells are on the lattice of the domain. Those that are equal are one node: they are sorted by their place
// in the lattice, which is also the order of the nodes. Where a tall cell stands beside several others, or beside
// another tall one, nodes of its neighbours are on its edges.
#ifndef APP_BOXES_H
#define APP_BOXES_H

#include <stdbool.h>
#include <stdint.h>

typedef struct boxes
{
    int32_t cell_count, node_count;
    int32_t *cells; // [cell_count][8] as in VTK
    double *nodes;  // [node_count][3] [m]
} boxes;

// Of boxes [count][6], lower and upper corner, multiples of h from `lower`. False when out of memory.
bool boxes_make(const double *box, int32_t count, const double lower[3], double h, boxes *out);
void boxes_free(boxes *b);

#endif

// src/mesh/order.h -- ordering of nodes and elements for memory locality.
#ifndef PL_MESH_ORDER_H
#define PL_MESH_ORDER_H

#include "mesh.h"

// Index of the cell (x, y, z), each below 2^bits, along Hilbert's curve through the cube; bits <= 21. Consecutive
// cells share a face.
uint64_t pl__hilbert_key(int bits, uint32_t x, uint32_t y, uint32_t z);

// Permutations that make a mesh compact in memory: new node i is the old node new_to_old_node[i], and so for elements.
// Deterministic; ties keep their order.
pl_status pl__mesh_locality_order(const pl_mesh *mesh, int32_t *new_to_old_node, int32_t *new_to_old_element);

#endif

// src/embed/locate.h -- finds the carrier of a mesh that contains a point, or is nearest to it.
#ifndef PL_EMBED_LOCATE_H
#define PL_EMBED_LOCATE_H

#include "carrier.h"

typedef struct pl__tet_box
{
    double lower[3], upper[3];
} pl__tet_box;

typedef struct pl__tet_tree
{
    pl_context *ctx;
    pl_mesh carriers;    // own tetrahedra (carrier.h), borrowed positions
    int32_t leaf_count;  // a power of two
    int32_t order_count; // carriers with volume: all, except in badly distorted hexahedra
    int32_t *order;      // [carriers.element_count]  the first order_count along a space-filling curve
    pl__tet_box *box; // [2 leaf_count]  box 1 is the root, 2 i and 2 i + 1 halve box i, the last leaf_count are leaves
    double size;      // longest side of the mesh's box
} pl__tet_tree;

// The same mesh gives the same tree on every machine. The mesh must outlive it. Fails as pl__mesh_carrier_tets.
PL_NODISCARD pl_status pl__tet_tree_create(pl_context *ctx, const pl_mesh *mesh, pl__tet_tree *tree);
// Free and clear; harmless when already clear.
void pl__tet_tree_done(pl__tet_tree *tree);

// The nearest carrier and its `distance`: 0 inside, up to rounding (1e-10 of the mesh's size). Of several at the same
// distance up to rounding, the lowest.
int32_t pl__tet_tree_find(const pl__tet_tree *tree, const double point[3], double *distance);

#endif

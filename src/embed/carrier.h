// src/embed/carrier.h -- carriers: the tetrahedra of a mesh that an embedded surface is attached to.
#ifndef PL_EMBED_CARRIER_H
#define PL_EMBED_CARRIER_H

#include "mesh/mesh.h"

enum
{
    PL__HEX_CARRIERS = 6
};

// Carriers per element: carrier c belongs to element c / pl__mesh_carriers(mesh).
static inline int32_t pl__mesh_carriers(const pl_mesh *mesh)
{
    return mesh->kind == PL_ELEMENT_HEX ? PL__HEX_CARRIERS : 1;
}

// The carriers, 4 mesh nodes each: the tetrahedra themselves, or six per hexahedron that fill it and match those of
// its neighbours on shared faces. The caller owns the array: PL_DELETE(mesh->ctx, *tet, 4 * (size_t)*count). Fails
// with PL_ERR_ARGUMENT for a triangle mesh, which has none, for more than PL__MAX_TETS, and when out of memory.
PL_NODISCARD pl_status pl__mesh_carrier_tets(const pl_mesh *mesh, int32_t **tet, int32_t *count);

#endif

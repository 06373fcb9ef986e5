// src/embed/carrier.h -- the tetrahedra by which a mesh carries a surface.
#ifndef PL_EMBED_CARRIER_H
#define PL_EMBED_CARRIER_H

#include "mesh/mesh.h"

enum
{
    PL__HEX_CARRIERS = 6
};

// How many carriers an element has: carrier c belongs to element c / pl__mesh_carriers(mesh).
static inline int32_t pl__mesh_carriers(const pl_mesh *mesh)
{
    return mesh->kind == PL_ELEMENT_HEX ? PL__HEX_CARRIERS : 1;
}

// The carriers, 4 nodes of the mesh each: tetrahedra themselves, or six for every hexahedron that fill it and agree
// with those of its neighbours on the faces between. The array is the caller's: PL_DELETE(mesh->ctx, *tet, 4 *
// (size_t)*count). Fails with PL_ERR_ARGUMENT for a mesh of triangles, which carries nothing, for more than
// PL__MAX_TETS, and when out of memory.
PL_NODISCARD pl_status pl__mesh_carrier_tets(const pl_mesh *mesh, int32_t **tet, int32_t *count);

#endif

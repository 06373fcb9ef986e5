// src/mesh/orient.h -- consistent orientation of triangle meshes.
#ifndef PL_MESH_ORIENT_H
#define PL_MESH_ORIENT_H

#include "mesh.h"

// Reverse triangles of a triangle mesh until all are oriented consistently across manifold edges, with one log
// message. In each component the smaller class is reversed; if they are equal, that of opposite orientation to its
// lowest triangle. `twin` is by pl__face_twins. Fails with PL_ERR_ARGUMENT, naming an edge, if a component is not
// orientable (a Moebius strip), and when out of memory.
pl_status pl__mesh_orient(pl_mesh *mesh, const char *where, const int32_t *twin);

bool pl__mesh_is_oriented(const pl_mesh *mesh, const int32_t *twin);

#endif

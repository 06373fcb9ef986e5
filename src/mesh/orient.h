// src/mesh/orient.h -- neighbouring triangles are made to face the same way.
#ifndef PL_MESH_ORIENT_H
#define PL_MESH_ORIENT_H

#include "mesh.h"

// Turn triangles of a triangle mesh until neighbours across an edge of two walk it in opposite directions, with one
// note. In each part the fewer are turned; when they are as many, those unlike its lowest triangle. `twin` is by
// pl__face_twins. Fails with PL_ERR_ARGUMENT, naming an edge, where that cannot be (a Moebius strip), and when out of
// memory.
pl_status pl__mesh_orient(pl_mesh *mesh, const char *where, const int32_t *twin);

bool pl__mesh_is_oriented(const pl_mesh *mesh, const int32_t *twin);

#endif

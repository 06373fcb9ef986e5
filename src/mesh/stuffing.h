// src/mesh/stuffing.h -- shared by the ways of filling a solid with a lattice.
#ifndef PL_MESH_STUFFING_H
#define PL_MESH_STUFFING_H

#include "lattice.h"
#include "solid.h"

typedef struct pl__stuffing
{
    pl_context *ctx;
    const char *where; // the public function, for messages
    pl__lattice lattice;
    int8_t *sign; // [point_count]  1 inside, -1 outside, 0 on the surface
    int32_t *map; // [point_count]  scratch: winding numbers, then mesh nodes of points or -1

    // one of the two
    const pl__solid *solid;
    pl_implicit_function *function; // called on the calling thread only
    void *user;
    double *value; // [point_count]  values of the function
} pl__stuffing;

// All make a finished mesh from the signs. `*mesh` is NULL (and PL_OK) if nothing is left.
PL_NODISCARD pl_status pl__stuffing_fit(pl__stuffing *stuffing, pl_mesh **mesh);
PL_NODISCARD pl_status pl__stuffing_cover(pl__stuffing *stuffing, pl_mesh **mesh);
PL_NODISCARD pl_status pl__stuffing_voxels(pl__stuffing *stuffing, bool covering, pl_mesh **mesh);

// Shrink a covering tetrahedral mesh towards the surface, which stays inside. On failure the mesh is still valid.
PL_NODISCARD pl_status pl__stuffing_draw_in(const pl__stuffing *stuffing, pl_mesh **mesh);
// Remove tetrahedra of it that contain nothing of the solid; `taken` is their number.
PL_NODISCARD pl_status pl__stuffing_peel(const pl__stuffing *stuffing, pl_mesh **mesh, int32_t *taken);
// Whether a tetrahedron meets the surface, or nearly does.
bool pl__stuffing_meets(const pl__stuffing *stuffing, const double tet[4][3]);

// Whether a tetrahedron and a triangle come within `gap` of each other. Conservative: may be true for a little more
// (near corners), never false for less.
bool pl__tet_meets_triangle(const double tet[4][3], const double tri[3][3], double gap);

// Reject meshes with more than 2^31 indices.
PL_NODISCARD pl_status pl__stuffing_check_count(const pl__stuffing *stuffing, pl_element_kind kind, int64_t count);

#endif

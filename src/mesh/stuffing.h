// src/mesh/stuffing.h -- what the ways of filling a solid with parts of a lattice share.
#ifndef PL_MESH_STUFFING_H
#define PL_MESH_STUFFING_H

#include "lattice.h"
#include "solid.h"

typedef struct pl__stuffing
{
    pl_context *ctx;
    const char *where; // the public function, for sentences
    pl__lattice lattice;
    int8_t *sign; // [point_count]  1 inside, -1 outside, 0 on the surface
    int32_t *map; // [point_count]  scratch: winding numbers, then numbers of points in the mesh or -1

    // one of the two
    const pl__solid *solid;
    pl_implicit_function *function; // called on the calling thread only
    void *user;
    double *value; // [point_count]  of the function
} pl__stuffing;

// All make the mesh from signs; pl__mesh_finish is done. `*mesh` is NULL when nothing is left (and PL_OK).
PL_NODISCARD pl_status pl__stuffing_fit(pl__stuffing *stuffing, pl_mesh **mesh);
PL_NODISCARD pl_status pl__stuffing_cover(pl__stuffing *stuffing, pl_mesh **mesh);
PL_NODISCARD pl_status pl__stuffing_voxels(pl__stuffing *stuffing, bool covering, pl_mesh **mesh);

// Draw the boundary of a covering mesh of tetrahedra in towards the surface, which stays inside. On failure the mesh is
// still one.
PL_NODISCARD pl_status pl__stuffing_draw_in(const pl__stuffing *stuffing, pl_mesh **mesh);
// Of that, take off tetrahedra that hold nothing of the solid; how many were taken.
PL_NODISCARD pl_status pl__stuffing_peel(const pl__stuffing *stuffing, pl_mesh **mesh, int32_t *taken);
// Does a tetrahedron meet the surface, or nearly?
bool pl__stuffing_meets(const pl__stuffing *stuffing, const double tet[4][3]);

// Do a tetrahedron and a triangle come within `gap` of each other? May say yes for a little more (near corners), never
// no for less.
bool pl__tet_meets_triangle(const double tet[4][3], const double tri[3][3], double gap);

// Refuse meshes with more than 2^31 indices.
PL_NODISCARD pl_status pl__stuffing_check_count(const pl__stuffing *stuffing, pl_element_kind kind, int64_t count);

#endif

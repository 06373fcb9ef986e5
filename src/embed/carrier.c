// src/embed/carrier.c -- carriers: the tetrahedra of a mesh that an embedded surface is attached to.
//
// A hexahedron is divided into six tetrahedra: from its lowest node to the three faces that do not contain it, each
// halved by the diagonal from its own lowest node. The three faces that do contain it are halved from it as well; so
// every face is halved by the diagonal from the lowest of its nodes, whichever of its two hexahedra is asked, and the
// boundary is halved as by pl_mesh_triangles. (Dompierre et al. 1999, How to subdivide pyramids, prisms and hexahedra
// into tetrahedra.)
//
// Within a hexahedron the motion is then piecewise linear instead of trilinear: the same at the nodes and for all
// affine motions, and off by at most an eighth of the twist in between. In return a point is located without solving
// for its coordinates, and has four weights, not eight. A hexahedron so distorted that one of the six is flat or
// inverted still has the other five (embed/locate.c leaves it out).
#include "carrier.h"
#include "mesh/topology.h"

#include <string.h>

static bool has_corner(const int8_t face[4], int corner)
{
    return face[0] == corner || face[1] == corner || face[2] == corner || face[3] == corner;
}

static int lowest(const int32_t *nodes, int count)
{
    int low = 0;
    for (int c = 1; c < count; ++c)
        low = nodes[c] < nodes[low] ? c : low;
    return low;
}

static void split_hex(const int32_t hex[8], int32_t *out)
{
    int apex = lowest(hex, 8);
    for (int f = 0; f < 6; ++f)
    {
        const int8_t *corner = pl__element_forms[PL_ELEMENT_HEX].face[f];
        if (has_corner(corner, apex))
            continue;
        const int32_t q[4] = {hex[corner[0]], hex[corner[1]], hex[corner[2]], hex[corner[3]]};
        int low = lowest(q, 4);
        for (int half = 1; half <= 2; ++half, out += 4)
        {
            // outward triangle, seen from the apex within: a positive tetrahedron
            out[0] = hex[apex];
            out[1] = q[low];
            out[2] = q[(low + half) & 3];
            out[3] = q[(low + half + 1) & 3];
        }
    }
}

pl_status pl__mesh_carrier_tets(const pl_mesh *mesh, int32_t **tet, int32_t *count)
{
    *tet = NULL;
    *count = 0;
    PL_CHECK(mesh->ctx, mesh->kind != PL_ELEMENT_TRIANGLE,
             "triangles carry no surface: they are one; give the body none");
    int64_t carriers = (int64_t)mesh->element_count * pl__mesh_carriers(mesh);
    PL_CHECK(mesh->ctx, carriers <= PL__MAX_TETS,
             "%d hexahedra carry surfaces by %lld tetrahedra, at most %d are allowed", mesh->element_count,
             (long long)carriers, PL__MAX_TETS);
    int32_t *out = PL_NEW(mesh->ctx, 4 * carriers, int32_t);
    if (!out)
        return PL_ERR_MEMORY;
    if (mesh->kind == PL_ELEMENT_TET)
        memcpy(out, mesh->element, 4 * sizeof(int32_t) * (size_t)mesh->element_count);
    for (int32_t e = 0; mesh->kind == PL_ELEMENT_HEX && e < mesh->element_count; ++e)
        split_hex(pl__mesh_element(mesh, e), &out[4 * PL__HEX_CARRIERS * (size_t)e]);
    *tet = out;
    *count = (int32_t)carriers;
    return PL_OK;
}

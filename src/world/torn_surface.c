// src/world/torn_surface.c -- embedded surfaces of breakable bodies.
//
// Mueller & Gross 2004, 5.2. Data of the unbroken surface is computed once (embed/cut.h). The split of the mesh
// (mesh/split.h) determines which faces between elements are open, and the surface is cut along those, from scratch
// each time. So it depends on the table of corners only, and a snapshot, which contains that table, leads to the same
// bits.
//
// Carriers are those of the unbroken mesh, stored as corners of elements: a face of a hexahedron is split into
// triangles from its lowest node, and copies of nodes would split it differently. A face between two carriers of one
// hexahedron never opens; one between two hexahedra opens with their common face, both halves at once.
//
// Rest normals are those of the unbroken surface, interpolated on parts of triangles: cracks do not change the shading
// of the outside. Interior vertices have the normals of their caps; vertices where a crack meets the outside count as
// outside.
#include "world.h"
#include "embed/carrier.h"
#include "math/vec3.h"

#include <stdio.h>
#include <string.h>

// ---- creation --------------------------------------------------------------------------------------------------

// The corner of an element at a node.
static int32_t corner_of(const pl_mesh *mesh, int32_t element, int32_t node)
{
    int32_t first = pl__mesh_corners(mesh) * element, c = 0;
    while (mesh->element[first + c] != node)
        ++c;
    return first + c;
}

static bool has_nodes(const pl_mesh *mesh, int32_t face, const int32_t node[3])
{
    const pl__element_form *form = &pl__element_forms[mesh->kind];
    const int32_t *corner = pl__mesh_element(mesh, face / form->faces);
    int found = 0;
    for (int32_t c = 0; c < form->face_corners; ++c)
    {
        int32_t n = corner[form->face[face % form->faces][c]];
        found += n == node[0] || n == node[1] || n == node[2];
    }
    return found == 3;
}

// The element face that contains a face between carriers; -1 inside an element.
static int32_t find_face(const pl_mesh *mesh, const pl__cut_face *between)
{
    int32_t a = between->tet[0] / pl__mesh_carriers(mesh), b = between->tet[1] / pl__mesh_carriers(mesh);
    int32_t face = pl__element_forms[mesh->kind].faces * a;
    if (a == b)
        return -1;
    while (!has_nodes(mesh, face, between->node))
        ++face;
    return face;
}

static pl_status list_carriers(pl_context *ctx, const pl_mesh *mesh, pl__torn_surface *carried)
{
    PL_TRY(pl__mesh_carrier_tets(mesh, &carried->corner, &carried->carrier_count));
    for (int32_t i = 0; i < 4 * carried->carrier_count; ++i)
        carried->corner[i] = corner_of(mesh, i / 4 / pl__mesh_carriers(mesh), carried->corner[i]);
    const pl__cut_face *face = pl__cut_faces(carried->cut, &carried->face_count);
    carried->face = PL_NEW(ctx, carried->face_count, int32_t);
    carried->open = PL_NEW(ctx, carried->face_count, uint8_t);
    if (!carried->face || !carried->open)
        return PL_ERR_MEMORY;
    for (int32_t f = 0; f < carried->face_count; ++f)
        carried->face[f] = find_face(mesh, &face[f]);
    return PL_OK;
}

static pl_status explain(pl_context *ctx, const char *name)
{
    char sentence[256];
    snprintf(sentence, sizeof sentence, "%s", pl_context_error(ctx));
    char owner[PL_NAME_BYTES + 16];
    snprintf(owner, sizeof owner, "bodies.%s", name);
    return pl__fail_field(ctx, owner, "surface",
                          "%s; what breaks or is cut needs a closed surface within its mesh: repair it (with "
                          "surface_size, make that smaller), or leave out fracture_stress and cuttable",
                          sentence);
}

pl_status pl__torn_surface_create(pl_context *ctx, const char *name, const pl_body_def *def, pl__torn_surface **out)
{
    pl__torn_surface *carried = *out = PL_NEW(ctx, 1, pl__torn_surface);
    if (!carried)
        return PL_ERR_MEMORY;
    carried->ctx = ctx;
    carried->vertex_count = def->surface->node_count;
    pl_status status = pl__cut_create(ctx, &(pl__cut_input){def->mesh, def->surface}, &carried->cut);
    if (status == PL_ERR_ARGUMENT)
        status = explain(ctx, name);
    if (status == PL_OK)
        status = list_carriers(ctx, def->mesh, carried);
    if (status != PL_OK)
        pl__torn_surface_destroy(out);
    return status;
}

void pl__torn_surface_destroy(pl__torn_surface **out)
{
    pl__torn_surface *carried = *out;
    *out = NULL;
    if (!carried)
        return;
    pl_context *ctx = carried->ctx;
    pl__cut_destroy(&carried->cut);
    PL_DELETE(ctx, carried->face, carried->face_count);
    PL_DELETE(ctx, carried->open, carried->face_count);
    PL_DELETE(ctx, carried->corner, 4 * (size_t)carried->carrier_count);
    PL_DELETE(ctx, carried, 1);
}

// ---- cutting ---------------------------------------------------------------------------------------------------

pl_status pl__torn_surface_tear(pl__torn_surface *carried, const pl__split *split, pl__cut_result *result)
{
    for (int32_t f = 0; f < carried->face_count; ++f)
        carried->open[f] = split && carried->face[f] >= 0 && !pl__split_is_joined(split, carried->face[f]);
    return pl__cut_surface(carried->cut, carried->open, result);
}

pl_status pl__torn_surface_nodes(const pl__torn_surface *carried, const int32_t *element, int32_t **carrier)
{
    size_t count = 4 * (size_t)carried->carrier_count;
    *carrier = PL_NEW(carried->ctx, count, int32_t);
    for (size_t i = 0; *carrier && i < count; ++i)
        (*carrier)[i] = element[carried->corner[i]];
    return *carrier ? PL_OK : PL_ERR_MEMORY;
}

// Interpolate the normals of the corners of a triangle.
static void interpolate_normal(const int32_t corner[3], const double place[2], const double *whole, double normal[3])
{
    double weight[3] = {1 - place[0] - place[1], place[0], place[1]};
    pl_vec3 sum = pl_make3(0, 0, 0);
    for (int k = 0; k < 3; ++k)
    {
        const double *n = &whole[3 * (size_t)corner[k]];
        sum = pl_add3(sum, pl_scale3(weight[k], pl_make3(n[0], n[1], n[2])));
    }
    double length = pl_length3(sum);
    for (int d = 0; d < 3 && length > 0; ++d)
        normal[d] = sum.v[d] / length;
}

pl_status pl__torn_surface_normals(const pl__torn_surface *carried, const pl__cut_result *r,
                                   const pl__vertex_normals *skin, const double *rest, double *normal)
{
    int32_t triangles;
    const int32_t *corner = pl__cut_corners(carried->cut, &triangles);
    pl__vertex_normals whole;
    PL_TRY(pl__vertex_normals_create(carried->ctx, corner, triangles, carried->vertex_count, &whole));
    for (int32_t v = 0; v < r->vertex_count; ++v)
        pl__vertex_normals_normal(v < carried->vertex_count ? &whole : skin, rest, v, &normal[3 * (size_t)v]);
    pl__vertex_normals_done(carried->ctx, &whole);
    for (int32_t i = 3 * r->part_begin; i < 3 * r->cap_begin; ++i)
        if (r->triangle[i] >= carried->vertex_count)
            interpolate_normal(&corner[3 * (size_t)r->source[i / 3]], &r->place[2 * (size_t)(i - 3 * r->part_begin)],
                               normal, &normal[3 * (size_t)r->triangle[i]]);
    return PL_OK;
}

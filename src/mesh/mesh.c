// src/mesh/mesh.c -- creates, copies and queries meshes of tetrahedra, hexahedra or triangles.
//
// Whatever fills a mesh (arrays, a file, a shape), pl__mesh_finish (finish.c) validates it.
#include "mesh.h"
#include "geometry.h"
#include "topology.h"

#include <math.h>
#include <string.h>

// ---- lifetime ----------------------------------------------------------------------------------------------

pl_mesh *pl__mesh_new(pl_context *ctx, pl_element_kind kind, int32_t node_count, int32_t element_count)
{
    int32_t most = pl__max_elements(kind);
    if (node_count < 0 || node_count > PL__MAX_NODES || element_count < 0 || element_count > most)
    {
        (void)pl__fail(ctx, PL_ERR_MEMORY, "a mesh of %d nodes and %d %s is too large: at most %d and %d are allowed",
                       node_count, element_count, pl__element_forms[kind].many, PL__MAX_NODES, most);
        return NULL;
    }
    pl_mesh *mesh = PL_NEW(ctx, 1, pl_mesh);
    if (!mesh)
        return NULL;
    mesh->ctx = ctx;
    mesh->kind = kind;
    mesh->node_count = node_count;
    mesh->element_count = element_count;
    mesh->position = PL_NEW(ctx, 3 * (size_t)node_count, double);
    mesh->element = PL_NEW(ctx, pl__mesh_index_count(mesh), int32_t);
    mesh->element_region = PL_NEW(ctx, element_count, int32_t);
    const char *unnamed = "";
    if (!mesh->position || !mesh->element || !mesh->element_region || pl__mesh_set_regions(mesh, 1, &unnamed) != PL_OK)
        pl_mesh_destroy(&mesh);
    return mesh;
}

void pl_mesh_destroy(pl_mesh **mesh)
{
    if (!mesh)
        return;
    pl_mesh *m = *mesh;
    *mesh = NULL;
    if (!m)
        return;
    pl_context *ctx = m->ctx;
    pl__names_free(ctx, m->region_name, m->region_count);
    pl__attributes_free(ctx, &m->attributes, m->node_count);
    PL_DELETE(ctx, m->position, 3 * (size_t)m->node_count);
    PL_DELETE(ctx, m->element, pl__mesh_index_count(m));
    PL_DELETE(ctx, m->triangle, 3 * (size_t)m->triangle_count);
    PL_DELETE(ctx, m->element_region, m->element_count);
    PL_DELETE(ctx, m->origin, m->node_count);
    PL_DELETE(ctx, m, 1);
}

pl_status pl__mesh_set_regions(pl_mesh *mesh, int32_t region_count, const char *const *names)
{
    PL_ASSERT(region_count >= 1);
    char **copy = pl__names_copy(mesh->ctx, region_count, names);
    if (!copy)
        return PL_ERR_MEMORY;
    pl__names_free(mesh->ctx, mesh->region_name, mesh->region_count);
    mesh->region_name = copy;
    mesh->region_count = region_count;
    return PL_OK;
}

pl_status pl__mesh_add_attribute(pl_mesh *mesh, const char *name, int32_t components, const double *values)
{
    return pl__attributes_add(mesh->ctx, &mesh->attributes, name, components, mesh->node_count, values);
}

// `call`, `count` and `array` are the caller's names for error messages.
typedef struct names
{
    const char *call, *count, *array;
} names;

static pl_status create(pl_context *ctx, const names *say, pl_element_kind kind, const double *positions,
                        int32_t node_count, const int32_t *elements, int32_t element_count, pl_mesh **mesh)
{
    PL_CHECK(ctx, node_count >= 0 && node_count <= PL__MAX_NODES, "%s: node_count is %d, allowed is 0 to %d", say->call,
             node_count, PL__MAX_NODES);
    PL_CHECK(ctx, element_count >= 1 && element_count <= pl__max_elements(kind), "%s: %s is %d, allowed is 1 to %d",
             say->call, say->count, element_count, pl__max_elements(kind));
    PL_CHECK(ctx, positions || node_count == 0, "%s: positions is NULL, but node_count is %d", say->call, node_count);
    PL_CHECK(ctx, elements, "%s: %s is NULL, but %s is %d", say->call, say->array, say->count, element_count);
    pl_mesh *m = pl__mesh_new(ctx, kind, node_count, element_count);
    if (!m)
        return PL_ERR_MEMORY;
    if (node_count > 0)
        memcpy(m->position, positions, 3 * (size_t)node_count * sizeof *positions);
    memcpy(m->element, elements, pl__mesh_index_count(m) * sizeof *elements);
    pl_status status = pl__mesh_finish(&m, say->call);
    *mesh = m;
    return status;
}

pl_status pl_mesh_create(pl_context *ctx, const double *positions, int32_t node_count, const int32_t *tets,
                         int32_t tet_count, pl_mesh **mesh)
{
    if (!ctx || !mesh)
        return PL_ERR_ARGUMENT;
    const names say = {"pl_mesh_create", "tet_count", "tets"};
    *mesh = NULL;
    return create(ctx, &say, PL_ELEMENT_TET, positions, node_count, tets, tet_count, mesh);
}

pl_status pl_mesh_create_elements(pl_context *ctx, pl_element_kind kind, const double *positions, int32_t node_count,
                                  const int32_t *elements, int32_t element_count, pl_mesh **mesh)
{
    if (!ctx || !mesh)
        return PL_ERR_ARGUMENT;
    const names say = {"pl_mesh_create_elements", "element_count", "elements"};
    *mesh = NULL;
    PL_CHECK(ctx, (int)kind >= PL_ELEMENT_TET && (int)kind <= PL_ELEMENT_TRIANGLE,
             "pl_mesh_create_elements: kind is %d, allowed is %d to %d", (int)kind, PL_ELEMENT_TET,
             PL_ELEMENT_TRIANGLE);
    return create(ctx, &say, kind, positions, node_count, elements, element_count, mesh);
}

static pl_status take_surface(const pl_surface *surface, pl_mesh *mesh)
{
    memcpy(mesh->position, surface->position, 3 * sizeof(double) * (size_t)surface->node_count);
    memcpy(mesh->element, surface->triangle, 3 * sizeof(int32_t) * (size_t)surface->triangle_count);
    if (surface->triangle_group && surface->group_count > 0)
    {
        PL_TRY(pl__mesh_set_regions(mesh, surface->group_count, (const char *const *)surface->group_name));
        memcpy(mesh->element_region, surface->triangle_group, sizeof(int32_t) * (size_t)surface->triangle_count);
    }
    return pl__attributes_copy(mesh->ctx, &surface->attributes, surface->node_count, &mesh->attributes);
}

pl_status pl_mesh_create_from_triangles(pl_context *ctx, const pl_surface *surface, pl_mesh **mesh)
{
    if (!ctx || !surface || !mesh)
        return PL_ERR_ARGUMENT;
    *mesh = NULL;
    PL_CHECK(ctx, surface, "pl_mesh_create_from_triangles: surface is NULL");
    pl_mesh *m = pl__mesh_new(ctx, PL_ELEMENT_TRIANGLE, surface->node_count, surface->triangle_count);
    pl_status status = m ? take_surface(surface, m) : PL_ERR_MEMORY;
    if (status == PL_OK)
        status = pl__mesh_finish(&m, "pl_mesh_create_from_triangles");
    else
        pl_mesh_destroy(&m);
    *mesh = m;
    return status;
}

pl_mesh *pl__mesh_copy(const pl_mesh *mesh)
{
    pl_mesh *copy = pl__mesh_new(mesh->ctx, mesh->kind, mesh->node_count, mesh->element_count);
    if (!copy)
        return NULL;
    memcpy(copy->position, mesh->position, 3 * sizeof(double) * (size_t)mesh->node_count);
    memcpy(copy->element, mesh->element, sizeof(int32_t) * pl__mesh_index_count(mesh));
    pl_status status = pl__mesh_set_regions(copy, mesh->region_count, (const char *const *)mesh->region_name);
    memcpy(copy->element_region, mesh->element_region, sizeof(int32_t) * (size_t)mesh->element_count);
    if (status == PL_OK)
        status = pl__attributes_copy(mesh->ctx, &mesh->attributes, mesh->node_count, &copy->attributes);
    if (status == PL_OK && mesh->origin)
    {
        copy->origin = PL_NEW(mesh->ctx, mesh->node_count, int32_t);
        status = copy->origin ? PL_OK : PL_ERR_MEMORY;
    }
    if (copy->origin)
        memcpy(copy->origin, mesh->origin, sizeof(int32_t) * (size_t)mesh->node_count);
    copy->triangle = status == PL_OK ? pl__alloc(mesh->ctx, 3 * sizeof(int32_t) * (size_t)mesh->triangle_count) : NULL;
    if (!copy->triangle)
    {
        pl_mesh_destroy(&copy);
        return NULL;
    }
    copy->triangle_count = mesh->triangle_count;
    memcpy(copy->triangle, mesh->triangle, 3 * sizeof(int32_t) * (size_t)mesh->triangle_count);
    return copy;
}

// ---- reading back ------------------------------------------------------------------------------------------

int32_t pl_mesh_node_count(const pl_mesh *mesh) { return mesh ? mesh->node_count : 0; }
pl_element_kind pl_mesh_kind(const pl_mesh *mesh) { return mesh ? mesh->kind : PL_ELEMENT_TET; }
int32_t pl_mesh_element_count(const pl_mesh *mesh) { return mesh ? mesh->element_count : 0; }
const int32_t *pl_mesh_elements(const pl_mesh *mesh) { return mesh ? mesh->element : NULL; }
int32_t pl_mesh_tet_count(const pl_mesh *mesh)
{
    return mesh ? mesh->kind == PL_ELEMENT_TET ? mesh->element_count : 0 : 0;
}
const double *pl_mesh_positions(const pl_mesh *mesh) { return mesh ? mesh->position : NULL; }
const int32_t *pl_mesh_tets(const pl_mesh *mesh)
{
    return mesh ? mesh->kind == PL_ELEMENT_TET ? mesh->element : NULL : NULL;
}
int32_t pl_mesh_triangle_count(const pl_mesh *mesh) { return mesh ? mesh->triangle_count : 0; }
const int32_t *pl_mesh_triangles(const pl_mesh *mesh) { return mesh ? mesh->triangle : NULL; }
int32_t pl_mesh_region_count(const pl_mesh *mesh) { return mesh ? mesh->region_count : 0; }
const int32_t *pl_mesh_element_regions(const pl_mesh *mesh) { return mesh ? mesh->element_region : NULL; }

const char *pl_mesh_region_name(const pl_mesh *mesh, int32_t region)
{
    if (!mesh)
        return NULL;
    return region >= 0 && region < mesh->region_count ? mesh->region_name[region] : "";
}

int32_t pl_mesh_attribute_count(const pl_mesh *mesh) { return mesh ? mesh->attributes.count : 0; }

const char *pl_mesh_attribute_name(const pl_mesh *mesh, int32_t attribute)
{
    if (!mesh)
        return NULL;
    const pl__attribute *a = pl__attributes_at(&mesh->attributes, attribute);
    return a ? a->name : "";
}

int32_t pl_mesh_attribute_components(const pl_mesh *mesh, int32_t attribute)
{
    if (!mesh)
        return 0;
    const pl__attribute *a = pl__attributes_at(&mesh->attributes, attribute);
    return a ? a->components : 0;
}

const double *pl_mesh_attribute_values(const pl_mesh *mesh, int32_t attribute)
{
    if (!mesh)
        return NULL;
    const pl__attribute *a = pl__attributes_at(&mesh->attributes, attribute);
    return a ? a->value : NULL;
}

// Kahan summation, so that a million elements cost no digits.
typedef struct tally
{
    double sum, carry;
} tally;

static void add(tally *t, double value)
{
    double term = value - t->carry, next = t->sum + term;
    t->carry = next - t->sum - term;
    t->sum = next;
}

double pl_mesh_volume(const pl_mesh *mesh)
{
    if (!mesh)
        return 0;
    tally t = {0, 0};
    for (int32_t e = 0; mesh->kind != PL_ELEMENT_TRIANGLE && e < mesh->element_count; ++e)
        add(&t, pl__element_measure(mesh, e));
    return t.sum;
}

double pl_mesh_area(const pl_mesh *mesh)
{
    if (!mesh)
        return 0;
    tally t = {0, 0};
    for (int32_t i = 0; i < mesh->triangle_count; ++i)
        add(&t, pl__triangle_area(mesh->position, &mesh->triangle[3 * (size_t)i]));
    return t.sum;
}

void pl_mesh_dihedral_range(const pl_mesh *mesh, double *smallest, double *largest)
{
    if (!mesh || !smallest || !largest)
        return;
    *smallest = 180;
    *largest = 0;
    for (int32_t e = 0; e < mesh->element_count; ++e)
    {
        double angle[PL__MAX_ANGLES];
        int count = pl__element_angles(mesh, e, angle);
        for (int k = 0; k < count; ++k)
        {
            *smallest = fmin(*smallest, angle[k]);
            *largest = fmax(*largest, angle[k]);
        }
    }
}

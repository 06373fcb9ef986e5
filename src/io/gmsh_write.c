// src/io/gmsh_write.c -- Gmsh .msh 2.2 and 4.1, text and binary.
//
// Nodes and elements are numbered from 1 in their order. Each region is a physical group, with its name, and in 4.1
// also a volume of the geometry, or a surface for triangles; nodes belong to the first. The formats are described in
// gmsh.c, gmsh2.c and gmsh4.c.
#include "io/gmsh.h"
#include "io/group.h"

#include <math.h>

typedef struct emitter
{
    pl__writer *w;
    const pl_mesh *mesh;
    pl__groups groups;
    bool binary;
    int dimension, type; // of the elements
} emitter;

// ---- fields: in text, `after` follows the number -------------------------------------------------------------

static void put_int(const emitter *e, int64_t value, const char *after)
{
    if (e->binary)
    {
        pl__write_i32(e->w, (int32_t)value);
        return;
    }
    pl__write_integer(e->w, value);
    pl__write_text(e->w, after);
}

static void put_size(const emitter *e, int64_t value, const char *after)
{
    if (e->binary)
    {
        pl__write_u64(e->w, (uint64_t)value);
        return;
    }
    pl__write_integer(e->w, value);
    pl__write_text(e->w, after);
}

static void put_reals(const emitter *e, const double *values, int count, const char *after)
{
    if (!e->binary)
        pl__write_reals(e->w, values, count, after);
    for (int i = 0; e->binary && i < count; ++i)
        pl__write_f64(e->w, values[i]);
}

static void put_end(const emitter *e, const char *end)
{
    if (e->binary)
        pl__write_text(e->w, "\n");
    pl__write_text(e->w, end);
}

// ---- shared sections -----------------------------------------------------------------------------------------

static void write_format(const emitter *e, const char *version)
{
    pl__write_text(e->w, "$MeshFormat\n");
    pl__write_text(e->w, version);
    pl__write_text(e->w, e->binary ? " 1 8\n" : " 0 8\n");
    if (e->binary)
        pl__write_i32(e->w, 1);
    put_end(e, "$EndMeshFormat\n");
}

// Always text.
static void write_names(const emitter *e)
{
    if (e->groups.none)
        return;
    pl__write_text(e->w, "$PhysicalNames\n");
    pl__write_integer(e->w, e->mesh->region_count);
    for (int32_t r = 0; r < e->mesh->region_count; ++r)
    {
        pl__write_text(e->w, e->dimension == 3 ? "\n3 " : "\n2 ");
        pl__write_integer(e->w, pl__group_of_region(&e->groups, r));
        pl__write_text(e->w, " \"");
        pl__write_text(e->w, e->mesh->region_name[r]);
        pl__write_text(e->w, "\"");
    }
    pl__write_text(e->w, "\n$EndPhysicalNames\n");
}

// ---- 2.2 -----------------------------------------------------------------------------------------------------

static void write_count(const emitter *e, const char *section, int32_t count)
{
    pl__write_text(e->w, section);
    pl__write_integer(e->w, count);
    pl__write_text(e->w, "\n");
}

static void write_nodes2(const emitter *e)
{
    write_count(e, "$Nodes\n", e->mesh->node_count);
    for (int32_t i = 0; i < e->mesh->node_count; ++i)
    {
        put_int(e, i + 1, " ");
        put_reals(e, &e->mesh->position[3 * (size_t)i], 3, "\n");
    }
    put_end(e, "$EndNodes\n");
}

// Binary: one block for all. Text: type and number of tags on every line.
static void write_elements2(const emitter *e)
{
    write_count(e, "$Elements\n", e->mesh->element_count);
    if (e->binary)
        put_int(e, e->type, ""), put_int(e, e->mesh->element_count, ""), put_int(e, 2, "");
    for (int32_t i = 0; i < e->mesh->element_count; ++i)
    {
        int32_t region = e->mesh->element_region[i];
        put_int(e, i + 1, " ");
        if (!e->binary)
            put_int(e, e->type, " 2 ");
        put_int(e, pl__group_of_region(&e->groups, region), " ");
        put_int(e, region + 1, " ");
        for (int32_t k = 0, last = pl__mesh_corners(e->mesh) - 1; k <= last; ++k)
            put_int(e, pl__mesh_element(e->mesh, i)[k] + 1, k < last ? " " : "\n");
    }
    put_end(e, "$EndElements\n");
}

// ---- 4.1 -----------------------------------------------------------------------------------------------------

static void find_box(const pl_mesh *mesh, double box[6])
{
    for (int k = 0; k < 3; ++k)
    {
        box[k] = HUGE_VAL;
        box[3 + k] = -HUGE_VAL;
    }
    for (size_t i = 0; i < 3 * (size_t)mesh->node_count; ++i)
    {
        box[i % 3] = fmin(box[i % 3], mesh->position[i]);
        box[3 + i % 3] = fmax(box[3 + i % 3], mesh->position[i]);
    }
}

// One volume or surface per region, all with the box of the whole.
static void write_entities(const emitter *e)
{
    double box[6];
    find_box(e->mesh, box);
    pl__write_text(e->w, "$Entities\n");
    for (int k = 0; k < 4; ++k)
        put_size(e, k == e->dimension ? e->mesh->region_count : 0, k < 3 ? " " : "\n");
    for (int32_t r = 0; r < e->mesh->region_count; ++r)
    {
        put_int(e, r + 1, " ");
        put_reals(e, box, 6, " ");
        put_size(e, e->groups.none ? 0 : 1, " ");
        if (!e->groups.none)
            put_int(e, pl__group_of_region(&e->groups, r), " ");
        put_size(e, 0, "\n");
    }
    put_end(e, "$EndEntities\n");
}

static void write_totals(const emitter *e, int64_t blocks, int64_t count)
{
    put_size(e, blocks, " ");
    put_size(e, count, " ");
    put_size(e, 1, " ");
    put_size(e, count, "\n");
}

static void write_block_head(const emitter *e, int32_t entity, int32_t third, int64_t count)
{
    put_int(e, e->dimension, " ");
    put_int(e, entity, " ");
    put_int(e, third, " ");
    put_size(e, count, "\n");
}

static void write_nodes4(const emitter *e)
{
    pl__write_text(e->w, "$Nodes\n");
    write_totals(e, 1, e->mesh->node_count);
    write_block_head(e, 1, 0, e->mesh->node_count);
    for (int32_t i = 0; i < e->mesh->node_count; ++i)
        put_size(e, i + 1, "\n");
    for (int32_t i = 0; i < e->mesh->node_count; ++i)
        put_reals(e, &e->mesh->position[3 * (size_t)i], 3, "\n");
    put_end(e, "$EndNodes\n");
}

// The first element after `i` in another region.
static int32_t end_of_run(const pl_mesh *mesh, int32_t i)
{
    int32_t region = mesh->element_region[i];
    while (i < mesh->element_count && mesh->element_region[i] == region)
        i++;
    return i;
}

// One block per run of elements of the same region, which keeps their order.
static void write_elements4(const emitter *e)
{
    int64_t blocks = 0;
    for (int32_t i = 0; i < e->mesh->element_count; i = end_of_run(e->mesh, i))
        blocks++;
    pl__write_text(e->w, "$Elements\n");
    write_totals(e, blocks, e->mesh->element_count);
    for (int32_t i = 0; i < e->mesh->element_count;)
    {
        int32_t end = end_of_run(e->mesh, i);
        write_block_head(e, e->mesh->element_region[i] + 1, e->type, end - i);
        for (; i < end; ++i)
        {
            put_size(e, i + 1, " ");
            for (int32_t k = 0, last = pl__mesh_corners(e->mesh) - 1; k <= last; ++k)
                put_size(e, pl__mesh_element(e->mesh, i)[k] + 1, k < last ? " " : "\n");
        }
    }
    put_end(e, "$EndElements\n");
}

void pl__gmsh_write(pl__writer *w, const pl_mesh *mesh, int version, bool binary)
{
    static const int types[3] = {[PL_ELEMENT_TET] = 4, [PL_ELEMENT_HEX] = 5, [PL_ELEMENT_TRIANGLE] = 2};
    emitter e = {w, mesh, pl__groups_of(mesh), binary, mesh->kind == PL_ELEMENT_TRIANGLE ? 2 : 3, types[mesh->kind]};
    write_format(&e, version == 2 ? "2.2" : "4.1");
    write_names(&e);
    if (version == 4)
        write_entities(&e);
    version == 2 ? write_nodes2(&e) : write_nodes4(&e);
    version == 2 ? write_elements2(&e) : write_elements4(&e);
}

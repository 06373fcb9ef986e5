// src/io/gmsh4.c -- entities, nodes and elements of Gmsh .msh 4.1.
//
// Everything comes in blocks that belong to an entity: a point, curve, surface or volume of the geometry.
//
//     $Entities                                     $Nodes
//     0 0 0 1       how many of each                1 3 1 3       blocks, nodes, smallest and largest tag
//     1             a volume: tag                   3 1 0 3       dimension, entity, parametric?, nodes
//     0 0 0 1 1 1   its box                         1 2 3         all the tags of the block,
//     1 5           in 1 physical group: 5          0 0 0 ...     then the coordinates (with u, v, w if parametric)
//     0             its surfaces: none
//                                                   $Elements
//                                                   1 1 1 1       blocks, elements, smallest and largest tag
//                                                   3 1 4 1       dimension, entity, type, elements
//                                                   1  1 2 3 4    tag and nodes
//
// Counts and tags of nodes and elements are size_t (in binary, of the size that the header told), the others ints.
#include "io/gmsh.h"

#include <inttypes.h>

// ---- entities ------------------------------------------------------------------------------------------------

static pl_status read_list_size(pl__gmsh *g, const char *what, int64_t *count)
{
    PL_TRY(pl__gmsh_size(g, what, count));
    return pl__scan_need(&g->scan, *count, pl__gmsh_int_bytes(g), what);
}

// Read a count and that many ints; keep the count and the first.
static pl_status read_ints(pl__gmsh *g, const char *what, int64_t *count, int64_t *first)
{
    *first = 0;
    PL_TRY(read_list_size(g, what, count));
    for (int64_t i = 0; i < *count; ++i)
    {
        int64_t value = 0;
        PL_TRY(pl__gmsh_int(g, what, &value));
        *first = i == 0 ? value : *first;
    }
    return PL_OK;
}

// Some writers leave boxes unset (infinite or NaN), so in binary these bytes are skipped.
static pl_status skip_reals(pl__gmsh *g, int count)
{
    pl__text token;
    for (int i = 0; i < count; ++i)
    {
        if (g->binary && pl__scan_left(&g->scan) >= 8)
            g->scan.at += 8;
        else if (g->binary || !pl__scan_token(&g->scan, &token))
            return pl__scan_fail(&g->scan, "the file ends in the box of an entity");
    }
    return PL_OK;
}

static pl_status add_entity(pl__gmsh *g, pl__gmsh_entities *list, int64_t tag, int64_t group_count, int64_t group)
{
    list->extra_groups += group_count > 1;
    if (!PL_GROW(g->draft->ctx, list->item, &list->capacity, list->count + 1))
        return PL_ERR_MEMORY;
    // the sign is an orientation, which is ignored; INT32_MIN has no positive counterpart
    int32_t plain = (int32_t)(group == INT32_MIN ? 0 : group < 0 ? -group : group);
    list->item[list->count++] = (pl__tagged){tag, plain};
    return PL_OK;
}

// Entities of a partitioned mesh also have a parent and partitions.
static pl_status read_parent(pl__gmsh *g)
{
    int64_t ignored = 0, count = 0;
    PL_TRY(pl__gmsh_int(g, "the dimension of a parent", &ignored));
    PL_TRY(pl__gmsh_int(g, "the tag of a parent", &ignored));
    return read_ints(g, "partitions", &count, &ignored);
}

static pl_status read_entity(pl__gmsh *g, int dimension, bool partitioned)
{
    int64_t tag = 0, group_count = 0, group = 0, ignored = 0, bound_count = 0;
    PL_TRY(pl__gmsh_int(g, "the tag of an entity", &tag));
    if (partitioned)
        PL_TRY(read_parent(g));
    PL_TRY(skip_reals(g, dimension == 0 ? 3 : 6));
    PL_TRY(read_ints(g, "physical groups", &group_count, &group));
    if (dimension > 0)
        PL_TRY(read_ints(g, "bounding entities", &bound_count, &ignored));
    return dimension < 2 ? PL_OK : add_entity(g, dimension == 3 ? &g->volumes : &g->surfaces, tag, group_count, group);
}

static pl_status read_partitions(pl__gmsh *g)
{
    int64_t count = 0, ignored = 0;
    PL_TRY(pl__gmsh_size(g, "the number of partitions", &ignored));
    PL_TRY(read_list_size(g, "ghost entities", &count));
    for (int64_t i = 0; i < 2 * count; ++i)
        PL_TRY(pl__gmsh_int(g, "a ghost entity", &ignored));
    // elements refer to partitioned entities from here on
    g->surfaces.count = g->volumes.count = 0;
    return PL_OK;
}

pl_status pl__gmsh4_entities(pl__gmsh *g, bool partitioned)
{
    int64_t count[4] = {0};
    if (partitioned)
        PL_TRY(read_partitions(g));
    for (int k = 0; k < 4; ++k)
    {
        PL_TRY(pl__gmsh_size(g, "the number of entities", &count[k]));
        PL_TRY(pl__scan_need(&g->scan, count[k], pl__gmsh_int_bytes(g), "entities"));
    }
    for (int k = 0; k < 4; ++k)
        for (int64_t i = 0; i < count[k]; ++i)
            PL_TRY(read_entity(g, k, partitioned));
    return PL_OK;
}

// ---- nodes ---------------------------------------------------------------------------------------------------

// Read the first line of $Nodes and $Elements. The range of tags is ignored.
static pl_status read_totals(pl__gmsh *g, int64_t *blocks, int64_t *total)
{
    int64_t ignored = 0;
    PL_TRY(pl__gmsh_size(g, "the number of blocks", blocks));
    PL_TRY(pl__gmsh_size(g, "the number of items", total));
    PL_TRY(pl__gmsh_size(g, "the smallest tag", &ignored));
    return pl__gmsh_size(g, "the largest tag", &ignored);
}

// Read the first line of a block; `third` is "parametric" for nodes and the type for elements.
static pl_status read_block_head(pl__gmsh *g, int64_t left, int64_t *dimension, int64_t *entity, int64_t *third,
                                 int64_t *count)
{
    PL_TRY(pl__gmsh_int(g, "the dimension of a block", dimension));
    if (*dimension < 0 || *dimension > 3)
        return pl__scan_fail(&g->scan, "the dimension of a block is %" PRId64 ", but must be in [0, 3]", *dimension);
    PL_TRY(pl__gmsh_int(g, "the entity of a block", entity));
    PL_TRY(pl__gmsh_int(g, "the type of a block", third));
    PL_TRY(pl__gmsh_size(g, "the size of a block", count));
    if (*count > left)
        return pl__scan_fail(&g->scan, "a block of %" PRId64 ", where %" PRId64 " are left", *count, left);
    return PL_OK;
}

static pl_status read_position(pl__gmsh *g, int parameters, double position[3])
{
    for (int k = 0; k < 3; ++k)
        PL_TRY(pl__gmsh_real(g, "a coordinate", &position[k]));
    return skip_reals(g, parameters);
}

// Tags first, then positions: two cursors advance in parallel, so that nothing is stored.
static pl_status read_node_block(pl__gmsh *g, int64_t left, int64_t *count)
{
    int64_t dimension = 0, entity = 0, parametric = 0, tag = 0;
    PL_TRY(read_block_head(g, left, &dimension, &entity, &parametric, count));
    pl__scan tags = g->scan;
    for (int64_t i = 0; i < *count; ++i)
        PL_TRY(pl__gmsh_size(g, "the tag of a node", &tag));
    for (int64_t i = 0; i < *count; ++i)
    {
        double position[3] = {0};
        PL_TRY(read_position(g, parametric ? (int)dimension : 0, position));
        pl__scan after = g->scan;
        g->scan = tags;
        PL_TRY(pl__gmsh_size(g, "the tag of a node", &tag));
        tags = g->scan;
        g->scan = after;
        pl__draft_add_node(g->draft, tag, position);
    }
    return PL_OK;
}

pl_status pl__gmsh4_nodes(pl__gmsh *g)
{
    int64_t blocks = 0, total = 0, count = 0, done = 0;
    PL_TRY(read_totals(g, &blocks, &total));
    PL_TRY(pl__scan_need(&g->scan, total, pl__gmsh_size_bytes(g) + 3 * pl__gmsh_real_bytes(g), "nodes"));
    PL_TRY(pl__draft_reserve_nodes(g->draft, &g->scan, total));
    for (int64_t i = 0; i < blocks; ++i, done += count)
        PL_TRY(read_node_block(g, total - done, &count));
    return done == total ? PL_OK
                         : pl__scan_fail(&g->scan, "says %" PRId64 " nodes, but the blocks hold %" PRId64, total, done);
}

// ---- elements ------------------------------------------------------------------------------------------------

static pl_status read_element(pl__gmsh *g, pl__gmsh_type type, int64_t group)
{
    int64_t corner[PL__CORNERS_MAX] = {0}, ignored = 0;
    PL_TRY(pl__gmsh_size(g, "the tag of an element", &ignored));
    for (int i = 0; i < type.node_count; ++i)
        PL_TRY(pl__gmsh_size(g, "a node of the element", i < PL__CORNERS_MAX ? &corner[i] : &ignored));
    PL_TRY(pl__gmsh_add_cell(g, type, corner, group));
    // an unknown type ends with its line
    if (type.node_count == 0)
        pl__scan_next_line(&g->scan);
    return PL_OK;
}

static pl_status read_element_block(pl__gmsh *g, int64_t left, int64_t *count)
{
    int64_t dimension = 0, entity = 0, number = 0;
    PL_TRY(read_block_head(g, left, &dimension, &entity, &number, count));
    pl__gmsh_type type = pl__gmsh_type_of(number);
    if (type.node_count == 0 && g->binary)
        return pl__scan_fail(&g->scan, "elements of type %" PRId64 " are not known", number);
    const pl__gmsh_entities *list = dimension == 3 ? &g->volumes : &g->surfaces;
    const pl__tagged *found = dimension < 2 ? NULL : pl__find_tagged(list->item, list->count, entity);
    for (int64_t i = 0; i < *count; ++i)
        PL_TRY(read_element(g, type, found ? found->value : 0));
    return PL_OK;
}

pl_status pl__gmsh4_elements(pl__gmsh *g)
{
    int64_t blocks = 0, total = 0, count = 0, done = 0;
    if (!pl__sort_tagged(g->draft->ctx, g->volumes.item, g->volumes.count) ||
        !pl__sort_tagged(g->draft->ctx, g->surfaces.item, g->surfaces.count))
        return PL_ERR_MEMORY;
    PL_TRY(read_totals(g, &blocks, &total));
    PL_TRY(pl__scan_need(&g->scan, total, 2 * pl__gmsh_size_bytes(g), "elements"));
    for (int64_t i = 0; i < blocks; ++i, done += count)
        PL_TRY(read_element_block(g, total - done, &count));
    return done == total
               ? PL_OK
               : pl__scan_fail(&g->scan, "says %" PRId64 " elements, but the blocks hold %" PRId64, total, done);
}

// src/io/gmsh2.c -- nodes and elements of Gmsh .msh 2.x.
//
//     $Nodes                      $Elements
//     2                           1
//     1  0 0 0                    7  4  2  5 1  1 2 3 4
//     2  1 0 0                    tag, type, number of tags, the tags (physical group, geometry, ...), nodes
//
// The counts are text even in binary files. There, nodes are int + 3 doubles, and elements come in blocks of (type, how
// many, number of tags) followed by that many (tag, the tags, nodes), all ints. An element in two physical groups is
// listed twice, under two tags.
#include "io/gmsh.h"

#include <inttypes.h>

enum
{
    MAX_TAGS = 1 << 20 // partitioned meshes list neighbours; a million is beyond any real file
};

static pl_status read_count(pl__gmsh *g, const char *what, int64_t *count)
{
    PL_TRY(pl__scan_integer(&g->scan, what, 0, INT64_MAX, count));
    if (g->binary)
        pl__scan_next_line(&g->scan);
    return PL_OK;
}

pl_status pl__gmsh2_nodes(pl__gmsh *g)
{
    int64_t count = 0;
    PL_TRY(read_count(g, "the number of nodes", &count));
    PL_TRY(pl__scan_need(&g->scan, count, pl__gmsh_int_bytes(g) + 3 * pl__gmsh_real_bytes(g), "nodes"));
    PL_TRY(pl__draft_reserve_nodes(g->draft, &g->scan, count));
    for (int64_t i = 0; i < count; ++i)
    {
        int64_t tag = 0;
        double position[3] = {0};
        PL_TRY(pl__gmsh_int(g, "the number of a node", &tag));
        for (int k = 0; k < 3; ++k)
            PL_TRY(pl__gmsh_real(g, "a coordinate", &position[k]));
        pl__draft_add_node(g->draft, tag, position);
    }
    return PL_OK;
}

// The physical group is the first tag; its sign is an orientation, which is ignored.
static pl_status read_tags(pl__gmsh *g, int64_t tag_count, int64_t *group)
{
    for (int64_t i = 0; i < tag_count; ++i)
    {
        int64_t tag = 0;
        PL_TRY(pl__gmsh_int(g, "a tag of the element", &tag));
        if (i == 0)
            *group = tag < 0 ? -tag : tag;
    }
    return PL_OK;
}

// Read the tags and nodes of an element. Errors about the cell are located at its last corner, which is on its line.
static pl_status read_element(pl__gmsh *g, pl__gmsh_type type, int64_t tag_count)
{
    int64_t corner[PL__CORNERS_MAX] = {0}, group = 0, ignored = 0;
    PL_TRY(read_tags(g, tag_count, &group));
    for (int i = 0; i < type.node_count; ++i)
        PL_TRY(pl__gmsh_int(g, "a node of the element", i < PL__CORNERS_MAX ? &corner[i] : &ignored));
    return pl__gmsh_add_cell(g, type, corner, group);
}

static pl_status read_text_element(pl__gmsh *g)
{
    int64_t tag = 0, number = 0, tag_count = 0;
    PL_TRY(pl__gmsh_int(g, "the number of an element", &tag));
    PL_TRY(pl__gmsh_int(g, "the type of an element", &number));
    PL_TRY(pl__scan_integer(&g->scan, "the number of tags", 0, MAX_TAGS, &tag_count));
    pl__gmsh_type type = pl__gmsh_type_of(number);
    PL_TRY(read_element(g, type, tag_count));
    // an unknown type ends with its line
    if (type.node_count == 0)
        pl__scan_next_line(&g->scan);
    return PL_OK;
}

static pl_status read_block(pl__gmsh *g, int64_t left, int64_t *count)
{
    int64_t number = 0, tag_count = 0, tag = 0;
    PL_TRY(pl__gmsh_int(g, "the type of elements", &number));
    PL_TRY(pl__gmsh_int(g, "the size of a block", count));
    PL_TRY(pl__gmsh_int(g, "the number of tags", &tag_count));
    pl__gmsh_type type = pl__gmsh_type_of(number);
    if (type.node_count == 0)
        return pl__scan_fail(&g->scan, "elements of type %" PRId64 " are not known", number);
    if (*count < 1 || *count > left || tag_count < 0 || tag_count > MAX_TAGS)
        return pl__scan_fail(&g->scan,
                             "a block of %" PRId64 " elements with %" PRId64 " tags, where %" PRId64 " are left",
                             *count, tag_count, left);
    for (int64_t i = 0; i < *count; ++i)
    {
        PL_TRY(pl__gmsh_int(g, "the number of an element", &tag));
        PL_TRY(read_element(g, type, tag_count));
    }
    return PL_OK;
}

pl_status pl__gmsh2_elements(pl__gmsh *g)
{
    int64_t count = 0;
    PL_TRY(read_count(g, "the number of elements", &count));
    PL_TRY(pl__scan_need(&g->scan, count, g->binary ? 8 : 6, "elements"));
    int64_t block = 1;
    for (int64_t done = 0; done < count; done += block)
        PL_TRY(g->binary ? read_block(g, count - done, &block) : read_text_element(g));
    return PL_OK;
}

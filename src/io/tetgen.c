// src/io/tetgen.c -- TetGen's pair of .node and .ele.
//
//     # bar.node                            # bar.ele
//     8  3  0  1                            6  4  1
//     1  0.0 0.0 0.0  1                     1  1 2 4 8  5
//     nodes, dimension, attributes,         tetrahedra, nodes of each (4 or 10), attributes (0 or 1);
//     boundary marker (0 or 1);             then number, nodes, attribute: the region
//     then number, x y z, attributes, marker
//
// One record to a line; '#' starts a comment; numbering starts at 0 or 1, as in the first line of .node. Numbers are
// looked up like tags, so renumbered or thinned files can be read too.
//
// TetGen's manual (Si 2013), sections 5.2.1 and 5.2.4.
#include "io/tetgen.h"
#include "io/group.h"

#include <inttypes.h>
#include <math.h>

enum
{
    MAX_ATTRIBUTES = 1 << 20
};

static pl__scan start(pl__draft *draft, const char *name, const void *data, size_t size)
{
    pl__scan s = pl__scan_start(draft->ctx, name, data, size);
    s.by_line = true;
    s.comment = '#';
    return s;
}

// Skip to the next line with content; false (with the location at the end) if there is none.
static bool next_record(pl__scan *s)
{
    while (!pl__scan_more(s))
    {
        s->place = s->at = s->at < s->end ? s->at + 1 : s->end;
        if (s->at == s->end)
            return false;
    }
    return true;
}

static pl_status end_record(pl__scan *s)
{
    pl__text extra;
    return pl__scan_token(s, &extra) ? pl__scan_expected(s, "the end of the line") : PL_OK;
}

static pl_status end_file(pl__scan *s)
{
    pl__text extra;
    if (!next_record(s))
        return PL_OK;
    (void)pl__scan_token(s, &extra);
    return pl__scan_expected(s, "the end of the file");
}

// The rest of the first line: later fields may be missing and are then 0.
static pl_status read_option(pl__scan *s, const char *what, int64_t largest, int64_t *value)
{
    *value = 0;
    return pl__scan_more(s) ? pl__scan_integer(s, what, 0, largest, value) : PL_OK;
}

// ---- .node ---------------------------------------------------------------------------------------------------

typedef struct node_head
{
    int64_t count, attributes, marker;
} node_head;

static pl_status read_node_head(pl__scan *s, node_head *head)
{
    int64_t dimension = 0;
    (void)next_record(s);
    PL_TRY(pl__scan_integer(s, "the number of nodes", 0, INT64_MAX, &head->count));
    PL_TRY(pl__scan_integer(s, "the dimension", 3, 3, &dimension));
    PL_TRY(read_option(s, "the number of attributes", MAX_ATTRIBUTES, &head->attributes));
    PL_TRY(read_option(s, "whether there is a boundary marker", 1, &head->marker));
    return end_record(s);
}

static pl_status read_node(pl__draft *draft, pl__scan *s, const node_head *head)
{
    int64_t tag = 0, marker = 0;
    double position[3] = {0}, attribute = 0;
    (void)next_record(s);
    PL_TRY(pl__scan_integer(s, "the number of a node", 0, INT32_MAX, &tag));
    for (int k = 0; k < 3; ++k)
        PL_TRY(pl__scan_real(s, "a coordinate", &position[k]));
    for (int64_t i = 0; i < head->attributes; ++i)
        PL_TRY(pl__scan_real(s, "an attribute", &attribute));
    if (head->marker)
        PL_TRY(pl__scan_integer(s, "a boundary marker", INT32_MIN, INT32_MAX, &marker));
    pl__draft_add_node(draft, tag, position);
    return end_record(s);
}

pl_status pl__tetgen_read_nodes(pl__draft *draft, const char *name, const void *data, size_t size)
{
    node_head head = {0};
    pl__scan s = start(draft, name, data, size);
    PL_TRY(read_node_head(&s, &head));
    PL_TRY(pl__scan_need(&s, head.count, 8, "nodes"));
    PL_TRY(pl__draft_reserve_nodes(draft, &s, head.count));
    for (int64_t i = 0; i < head.count; ++i)
        PL_TRY(read_node(draft, &s, &head));
    PL_TRY(end_file(&s));
    return pl__draft_seal_nodes(draft, &s);
}

// ---- .ele ----------------------------------------------------------------------------------------------------

typedef struct ele_head
{
    int64_t count, corners, attributes;
    bool uneven; // some attribute is not an integer
} ele_head;

static pl_status read_ele_head(pl__scan *s, ele_head *head)
{
    (void)next_record(s);
    PL_TRY(pl__scan_integer(s, "the number of tetrahedra", 0, INT64_MAX, &head->count));
    PL_TRY(pl__scan_integer(s, "the nodes per tetrahedron", 0, INT64_MAX, &head->corners));
    if (head->corners == 3)
        return pl__fail_about(
            s->ctx, pl__scan_fail(s, "these are triangles, not tetrahedra; make some with pl_mesh_create_from_surface"),
            "tetrahedra");
    if (head->corners != 4 && head->corners != 10)
        return pl__scan_fail(s, "%" PRId64 " nodes per tetrahedron, but 4 or 10 are allowed", head->corners);
    PL_TRY(read_option(s, "the number of attributes", MAX_ATTRIBUTES, &head->attributes));
    return end_record(s);
}

// The first attribute is the region. It is a real by type, but an integer by use.
static pl_status read_region(pl__scan *s, ele_head *head, int64_t *group)
{
    for (int64_t i = 0; i < head->attributes; ++i)
    {
        double attribute = 0;
        PL_TRY(pl__scan_real(s, "an attribute", &attribute));
        if (i > 0)
            continue;
        bool even = fabs(attribute) < 9e15 && attribute == floor(attribute);
        head->uneven |= !even;
        *group = even ? (int64_t)attribute : 0;
    }
    return PL_OK;
}

static pl_status read_tet(pl__draft *draft, pl__scan *s, ele_head *head)
{
    int64_t tag = 0, corner[4] = {0}, ignored = 0, group = 0;
    (void)next_record(s);
    PL_TRY(pl__scan_integer(s, "the number of a tetrahedron", 0, INT32_MAX, &tag));
    for (int64_t i = 0; i < head->corners; ++i)
        PL_TRY(pl__scan_integer(s, "a node of the tetrahedron", 0, INT32_MAX, i < 4 ? &corner[i] : &ignored));
    PL_TRY(read_region(s, head, &group));
    draft->higher_order += head->corners == 10;
    PL_TRY(pl__draft_add_cell(draft, s, PL__CELL_TET, corner, group));
    return end_record(s);
}

static void forget_groups(pl__draft *draft)
{
    for (size_t i = 0; i < draft->tets.count; ++i)
        draft->tets.group[i] = 0;
    pl__log(draft->ctx, PL_LOG_NOTE, "%s: the attributes are not all integers, so they make no regions", draft->name);
}

pl_status pl__tetgen_read_tets(pl__draft *draft, const char *name, const void *data, size_t size)
{
    ele_head head = {0};
    pl__scan s = start(draft, name, data, size);
    PL_TRY(read_ele_head(&s, &head));
    PL_TRY(pl__scan_need(&s, head.count, 10, "tetrahedra"));
    for (int64_t i = 0; i < head.count; ++i)
        PL_TRY(read_tet(draft, &s, &head));
    if (head.uneven)
        forget_groups(draft);
    return end_file(&s);
}

// ---- writing -------------------------------------------------------------------------------------------------

void pl__tetgen_write_nodes(pl__writer *w, const pl_mesh *mesh)
{
    pl__write_integer(w, mesh->node_count);
    pl__write_text(w, " 3 0 0\n");
    for (int32_t i = 0; i < mesh->node_count; ++i)
    {
        pl__write_integer(w, i + 1);
        pl__write_text(w, " ");
        pl__write_reals(w, &mesh->position[3 * (size_t)i], 3, "\n");
    }
}

void pl__tetgen_write_tets(pl__writer *w, const pl_mesh *mesh)
{
    pl__groups groups = pl__groups_of(mesh);
    pl__write_integer(w, mesh->element_count);
    pl__write_text(w, groups.none ? " 4 0\n" : " 4 1\n");
    for (int32_t i = 0; i < mesh->element_count; ++i)
    {
        pl__write_integer(w, i + 1);
        for (int k = 0; k < 4; ++k)
        {
            pl__write_text(w, " ");
            pl__write_integer(w, mesh->element[4 * (size_t)i + (size_t)k] + 1);
        }
        pl__write_text(w, groups.none ? "" : " ");
        if (!groups.none)
            pl__write_integer(w, pl__group_of_region(&groups, mesh->element_region[i]));
        pl__write_text(w, "\n");
    }
}

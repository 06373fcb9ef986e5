// src/contact/pairs.kernel.c -- boxes of vertices, edges and triangles of two leaves against each other.
//
// Of a pair of leaves, usually only a strip or a patch of each is near the other. So what is not near the box of the whole other
// leaf is sorted out first: 50 comparisons that save most of the 24 x 24 and more that follow. Pairs that share a node are most
// of what overlaps, and are known by their numbers. Lists are made without branches, which would be guessed wrong.
#include "box_w.h"
#include "pairs.h"

enum
{
    ROOM = 1024,
    MOST_EDGES = PL__LEAF_FEATURES * PL__LEAF_FEATURES, // pairs of two leaves, of each kind
    MOST_FACES = 2 * PL__LEAF_TRIANGLES * PL__LEAF_FEATURES
};

// Pairs on their way to the sink, by kind.
typedef struct
{
    const pl__tree *tree;
    const pl__pair_sink *sink;
    int32_t chunk, count[2];
    double within;
    pl__pair pair[2][ROOM];
} batch;

static void flush(batch *b, pl__pair_kind kind)
{
    if (b->count[kind] > 0)
        b->sink->take(b->sink->argument, b->chunk, b->pair[kind], b->count[kind], b->within);
    b->count[kind] = 0;
}

// Things of one sort with their boxes, those of a leaf that matter.
typedef struct
{
    const pl__box *box;
    int32_t item[PL__LEAF_FEATURES + 1], count;
} near_list;

PL_INLINE void list_near(const pl__box *box, int32_t begin, int32_t end, pl__box_w bound, near_list *near)
{
    near->box = box;
    near->count = 0;
    for (int32_t i = begin; i < end; ++i)
    {
        near->item[near->count] = i;
        near->count += pl__box_within_w(&box[i], bound);
    }
}

static void list_all(const pl__box *box, int32_t begin, int32_t end, near_list *near)
{
    near->box = box;
    near->count = end - begin;
    for (int32_t i = begin; i < end; ++i)
        near->item[i - begin] = i;
}

PL_INLINE void vertices_with_faces(batch *b, const near_list *vertex, const near_list *face)
{
    const pl__tree *tree = b->tree;
    int32_t count = b->count[PL__VERTEX_FACE];
    pl__pair *pair = b->pair[PL__VERTEX_FACE];
    for (int32_t i = 0; i < vertex->count; ++i)
    {
        int32_t node = tree->vertex_node[vertex->item[i]];
        pl__box_w bound = pl__box_bound_w(&vertex->box[vertex->item[i]]);
        for (int32_t k = 0; k < face->count; ++k)
        {
            const int32_t *n = &tree->face_node[3 * (size_t)face->item[k]];
            pair[count] = (pl__pair){{node, n[0], n[1], n[2]}, PL__VERTEX_FACE};
            count += pl__box_within_w(&face->box[face->item[k]], bound) & (n[0] != node) & (n[1] != node) & (n[2] != node);
        }
    }
    b->count[PL__VERTEX_FACE] = count;
}

// Within one leaf an edge meets those after it only.
PL_INLINE void edges_with_edges(batch *b, const near_list *first, const near_list *second, bool same)
{
    const pl__tree *tree = b->tree;
    int32_t count = b->count[PL__EDGE_EDGE];
    pl__pair *pair = b->pair[PL__EDGE_EDGE];
    for (int32_t i = 0; i < first->count; ++i)
    {
        const int32_t *m = &tree->edge_node[2 * (size_t)first->item[i]];
        int32_t m0 = m[0], m1 = m[1];
        pl__box_w bound = pl__box_bound_w(&first->box[first->item[i]]);
        for (int32_t k = same ? i + 1 : 0; k < second->count; ++k)
        {
            const int32_t *n = &tree->edge_node[2 * (size_t)second->item[k]];
            pair[count] = (pl__pair){{m0, m1, n[0], n[1]}, PL__EDGE_EDGE};
            count += pl__box_within_w(&second->box[second->item[k]], bound) & (n[0] != m0) & (n[1] != m0) & (n[0] != m1) & (n[1] != m1);
        }
    }
    b->count[PL__EDGE_EDGE] = count;
}

static void pair_with_itself(batch *b, int32_t leaf)
{
    const pl__tree *tree = b->tree;
    near_list vertex, face, edge;
    list_all(tree->vertex_box, tree->vertex_start[leaf], tree->vertex_start[leaf + 1], &vertex);
    list_all(tree->face_box, tree->face_start[leaf], tree->face_start[leaf + 1], &face);
    list_all(tree->edge_box, tree->edge_start[leaf], tree->edge_start[leaf + 1], &edge);
    vertices_with_faces(b, &vertex, &face);
    edges_with_edges(b, &edge, &edge, true);
}

static void pair_leaves(batch *b, int32_t leaf, int32_t other)
{
    const pl__tree *tree = b->tree;
    near_list vertex[2], face[2], edge[2];
    for (int side = 0; side < 2; ++side)
    {
        int32_t own = side ? other : leaf;
        pl__box_w bound = pl__box_bound_w(&tree->leaf_box[side ? leaf : other]);
        list_near(tree->vertex_box, tree->vertex_start[own], tree->vertex_start[own + 1], bound, &vertex[side]);
        list_near(tree->face_box, tree->face_start[own], tree->face_start[own + 1], bound, &face[side]);
        list_near(tree->edge_box, tree->edge_start[own], tree->edge_start[own + 1], bound, &edge[side]);
    }
    vertices_with_faces(b, &vertex[0], &face[1]);
    vertices_with_faces(b, &vertex[1], &face[0]);
    edges_with_edges(b, &edge[0], &edge[1], false);
}

// Make room for what two leaves may bring; pairs with another distance go on their own.
static void make_room(batch *b, double within)
{
    bool changed = within != b->within;
    if (changed || b->count[PL__VERTEX_FACE] + MOST_FACES >= ROOM)
        flush(b, PL__VERTEX_FACE);
    if (changed || b->count[PL__EDGE_EDGE] + MOST_EDGES >= ROOM)
        flush(b, PL__EDGE_EDGE);
    b->within = within;
}

static void pair_leaf(batch *b, int32_t leaf)
{
    const pl__tree *tree = b->tree;
    int32_t list[PL__NEAR_MOST];
    for (int32_t from = leaf; from < tree->leaf_count;)
    {
        int32_t count = PL_KERNEL(pl__tree_near)(tree, leaf, from, list, &from);
        for (int32_t i = 0; i < count; ++i)
        {
            make_room(b, tree->reach[tree->leaf_part[leaf]] + tree->reach[tree->leaf_part[list[i]]]);
            if (list[i] == leaf)
                pair_with_itself(b, leaf);
            else
                pair_leaves(b, leaf, list[i]);
        }
    }
}

void PL_KERNEL(pl__pairs_of_leaves)(const pl__tree *tree, int32_t begin, int32_t end, const pl__pair_sink *sink)
{
    batch b;
    b.tree = tree, b.sink = sink, b.chunk = begin / PL__LEAF_CHUNK, b.within = -1;
    b.count[0] = b.count[1] = 0;
    for (int32_t leaf = begin; leaf < end; ++leaf)
        pair_leaf(&b, leaf);
    flush(&b, PL__VERTEX_FACE);
    flush(&b, PL__EDGE_EDGE);
}

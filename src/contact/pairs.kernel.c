// src/contact/pairs.kernel.c -- boxes of vertices, edges and triangles of two leaves against each other.
//
// Of a pair of leaves, usually only a strip or a patch of each is near the other. So what is not near the box of the
// whole other leaf is sorted out first; the rest is compared with eight boxes at a time. Pairs that share a node are
// most of what overlaps within a surface, and are known by their numbers. There are few things in each list, so every
// loop that ends early or branches is guessed wrong: hits are written as lists of bytes, by table, and one loop makes
// pairs of them.
#include "box_w.h"
#include "pairs.h"

enum
{
    ROOM = 1024,
    MOST_BLOCKS = PL__LEAF_FEATURES / 8,
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

// What a leaf owns of one sort: blocks of boxes, and which of it is near the other leaf, by number within the leaf.
typedef struct
{
    const pl__box8 *block;
    int32_t first, block_count, near_count;
    unsigned bits[MOST_BLOCKS];
    uint8_t near[PL__LEAF_FEATURES + 8];
} owned;

typedef struct
{
    owned vertex, face, edge;
} leaf_view;

PL_INLINE void view_owned(owned *o, const pl__box8 *block, int32_t block_count, int32_t first)
{
    o->block = block, o->block_count = block_count, o->first = first;
}

PL_INLINE void view_leaf(const pl__tree *tree, int32_t leaf, leaf_view *v)
{
    const int32_t *vb = &tree->vertex_block[leaf], *eb = &tree->edge_block[leaf];
    view_owned(&v->vertex, &tree->vertex_boxes[vb[0]], vb[1] - vb[0], tree->vertex_start[leaf]);
    view_owned(&v->face, &tree->face_boxes[leaf], 1, tree->face_start[leaf]);
    view_owned(&v->edge, &tree->edge_boxes[eb[0]], eb[1] - eb[0], tree->edge_start[leaf]);
}

PL_INLINE void list_near(const pl__tree *tree, owned *o, const pl__bound_w *bound)
{
    o->near_count = 0;
    for (int32_t b = 0; b < o->block_count; ++b)
    {
        o->bits[b] = pl__box8_within_w(&o->block[b], bound);
        o->near_count += pl__list_bits_w(tree, o->bits[b], 8 * (unsigned)b, &o->near[o->near_count]);
    }
}

// Which of two leaves overlap: numbers within the one, and within the other.
typedef struct
{
    int count;
    uint8_t one[MOST_EDGES + 8], two[MOST_EDGES + 8];
} hit_list;

// Within one leaf things meet those after them only.
PL_INLINE void list_hits(const pl__tree *tree, const owned *one, const owned *two, bool later, hit_list *hits)
{
    int count = 0;
    for (int32_t b = 0; b < two->block_count; ++b)
    {
        pl__facing_w facing = pl__box8_facing_w(&two->block[b]);
        for (int32_t i = 0; i < one->near_count; ++i)
        {
            unsigned own = one->near[i];
            uint64_t repeated = own * 0x0101010101010101ull, allowed = later ? ~(uint64_t)1 << own >> 8 * b : 255;
            unsigned bits = pl__box8_faces_w(&one->block[own / 8], own % 8, &facing) & two->bits[b] & (unsigned)allowed;
            memcpy(&hits->one[count], &repeated, sizeof repeated);
            count += pl__list_bits_w(tree, bits, 8 * (unsigned)b, &hits->two[count]);
        }
    }
    hits->count = count;
}

PL_INLINE void vertices_with_faces(batch *b, const owned *vertex, const owned *face)
{
    hit_list hits;
    list_hits(b->tree, vertex, face, false, &hits);
    int32_t count = b->count[PL__VERTEX_FACE];
    const int32_t *vertices = &b->tree->vertex_node[vertex->first],
                  *faces = &b->tree->face_node[3 * (size_t)face->first];
    for (int i = 0; i < hits.count; ++i)
    {
        const int32_t *n = &faces[3 * hits.two[i]];
        int32_t v = vertices[hits.one[i]], n0 = n[0], n1 = n[1], n2 = n[2], *out = b->pair[PL__VERTEX_FACE][count].node;
        out[0] = v, out[1] = n0, out[2] = n1, out[3] = n2;
        count += (v != n0) & (v != n1) & (v != n2);
    }
    b->count[PL__VERTEX_FACE] = count;
}

PL_INLINE void edges_with_edges(batch *b, const owned *edge, const owned *other, bool same)
{
    hit_list hits;
    list_hits(b->tree, edge, other, same, &hits);
    int32_t count = b->count[PL__EDGE_EDGE];
    const int32_t *edges = &b->tree->edge_node[2 * (size_t)edge->first],
                  *others = &b->tree->edge_node[2 * (size_t)other->first];
    for (int i = 0; i < hits.count; ++i)
    {
        const int32_t *m = &edges[2 * hits.one[i]], *n = &others[2 * hits.two[i]];
        int32_t m0 = m[0], m1 = m[1], n0 = n[0], n1 = n[1], *out = b->pair[PL__EDGE_EDGE][count].node;
        out[0] = m0, out[1] = m1, out[2] = n0, out[3] = n1;
        count += (m0 != n0) & (m0 != n1) & (m1 != n0) & (m1 != n1);
    }
    b->count[PL__EDGE_EDGE] = count;
}

// What is owned lies in triangles: when no triangle is near, nothing is.
static void pair_leaves(batch *b, int32_t leaf, int32_t other)
{
    const pl__tree *tree = b->tree;
    leaf_view one, two;
    view_leaf(tree, leaf, &one);
    view_leaf(tree, other, &two);
    pl__bound_w around_one = pl__box_bound_w(&tree->leaf_box[leaf]),
                around_two = pl__box_bound_w(&tree->leaf_box[other]);
    list_near(tree, &one.face, &around_two);
    list_near(tree, &two.face, &around_one);
    if (one.face.near_count == 0 || two.face.near_count == 0)
        return;
    list_near(tree, &one.vertex, &around_two);
    list_near(tree, &two.vertex, &around_one);
    list_near(tree, &one.edge, &around_two);
    list_near(tree, &two.edge, &around_one);
    vertices_with_faces(b, &one.vertex, &two.face);
    if (leaf != other)
        vertices_with_faces(b, &two.vertex, &one.face);
    edges_with_edges(b, &one.edge, &two.edge, leaf == other);
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
            pair_leaves(b, leaf, list[i]);
        }
    }
}

void PL_KERNEL(pl__pairs_of_leaves)(const pl__tree *tree, int32_t begin, int32_t end, const pl__pair_sink *sink)
{
    batch b;
    b.tree = tree, b.sink = sink, b.chunk = begin / PL__LEAF_CHUNK, b.within = -1;
    b.count[0] = b.count[1] = 0;
    for (int i = 0; i < ROOM; ++i)
        b.pair[0][i].kind = 0, b.pair[1][i].kind = 1;
    for (int32_t leaf = begin; leaf < end; ++leaf)
        pair_leaf(&b, leaf);
    flush(&b, PL__VERTEX_FACE);
    flush(&b, PL__EDGE_EDGE);
}

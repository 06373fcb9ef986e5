// src/contact/tree.kernel.c -- fitting boxes, and finding leaves that overlap.
#include "box_w.h"

// ---- fitting -------------------------------------------------------------------------------------------------------

// What is owned goes to lanes of the blocks of the leaf; lanes that are left over keep what pl__tree_create put there.
static void fit_vertices(const pl__tree *tree, int32_t leaf)
{
    int32_t first = tree->vertex_start[leaf], count = tree->vertex_start[leaf + 1] - first;
    pl__box8 *block = &tree->vertex_boxes[tree->vertex_block[leaf]];
    for (int32_t i = 0; i < count; ++i)
        pl__box8_set_w(&block[i / 8], i % 8, &tree->vertex_box[first + i]);
}

static void fit_edges(const pl__tree *tree, int32_t leaf)
{
    int32_t first = tree->edge_start[leaf], count = tree->edge_start[leaf + 1] - first;
    pl__box8 *block = &tree->edge_boxes[tree->edge_block[leaf]];
    for (int32_t i = 0; i < count; ++i)
    {
        const int32_t *v = &tree->edge_vertex[2 * (size_t)(first + i)];
        pl__box_w both =
            pl__box_unite_w(pl__box_load_w(&tree->vertex_box[v[0]]), pl__box_load_w(&tree->vertex_box[v[1]]));
        pl__box box;
        pl__box_store_w(&box, both);
        pl__box8_set_w(&block[i / 8], i % 8, &box);
    }
}

// Returns the box of all.
static pl__box_w fit_faces(const pl__tree *tree, int32_t leaf)
{
    int32_t first = tree->face_start[leaf], count = tree->face_start[leaf + 1] - first;
    pl__box_w all;
    for (int k = 0; k < BOX_PARTS; ++k)
        all.part[k] = pl_set_w(__builtin_inf());
    for (int32_t i = 0; i < count; ++i)
    {
        const int32_t *v = &tree->face_vertex[3 * (size_t)(first + i)];
        pl__box_w three =
            pl__box_unite_w(pl__box_load_w(&tree->vertex_box[v[0]]), pl__box_load_w(&tree->vertex_box[v[1]]));
        three = pl__box_unite_w(three, pl__box_load_w(&tree->vertex_box[v[2]]));
        pl__box box;
        pl__box_store_w(&box, three);
        pl__box8_set_w(&tree->face_boxes[leaf], i, &box);
        all = pl__box_unite_w(all, three);
    }
    return all;
}

static void fit_slab(const pl__tree *tree, int32_t leaf)
{
    const int32_t *corner = &tree->face_vertex[3 * (size_t)tree->face_start[leaf]];
    int32_t count = 3 * (tree->face_start[leaf + 1] - tree->face_start[leaf]);
    for (int k = 0; k < 16; k += PL_LANES)
    {
        pl_real_w least = pl_load_w(&tree->vertex_slab[corner[0]].v[k]);
        for (int32_t i = 1; i < count; ++i)
            least = pl_min_w(pl_load_w(&tree->vertex_slab[corner[i]].v[k]), least);
        pl_store_w(&tree->leaf_slab[leaf].v[k], least);
    }
}

void PL_KERNEL(pl__tree_fit_leaves)(const pl__tree *tree, int32_t begin, int32_t end)
{
    for (int32_t leaf = begin; leaf < end; ++leaf)
    {
        fit_vertices(tree, leaf);
        fit_edges(tree, leaf);
        pl__box_store_w(&tree->leaf_box[leaf], fit_faces(tree, leaf));
        fit_slab(tree, leaf);
    }
}

void PL_KERNEL(pl__tree_fit_groups)(const pl__box8 *block, pl__box8 *above, int32_t begin, int32_t end)
{
    for (int32_t b = begin; b < end; ++b)
        for (int k = 0; k < 6; ++k)
        {
            double least = block[b].v[k][0];
            for (int lane = 1; lane < 8; ++lane)
                least = block[b].v[k][lane] < least ? block[b].v[k][lane] : least;
            above[b / 8].v[k][b % 8] = least;
        }
}

// ---- searching -----------------------------------------------------------------------------------------------------

// The least of what was found: when there is no room, the upper half is dropped and found again later.
typedef struct
{
    int32_t *list;
    int32_t count, limit;
} catch;

// By insertion: a leaf has some twenty neighbours.
static void sort(int32_t *list, int32_t count)
{
    for (int32_t i = 1; i < count; ++i)
    {
        int32_t moved = list[i], k = i;
        for (; k > 0 && list[k - 1] > moved; --k)
            list[k] = list[k - 1];
        list[k] = moved;
    }
}

static void drop_half(catch *c)
{
    sort(c->list, c->count);
    c->count /= 2;
    c->limit = c->list[c->count];
}

PL_INLINE int slabs_overlap(const pl__slab *a, const pl__slab *b)
{
    pl_mask_w all = pl_le_w(pl_load_w(a->v), -pl_load_w(&b->v[8]));
    for (int k = PL_LANES; k < 16; k += PL_LANES)
        all = pl_and_w(all, pl_le_w(pl_load_w(&a->v[k]), -pl_load_w(&b->v[k ^ 8])));
    return pl_all_w(all);
}

// Leaves in the slots of a block, those with a bit set.
PL_INLINE void keep(const pl__tree *tree, int32_t from, const int32_t *slot, unsigned bits, catch *c)
{
    uint8_t lane[8];
    int count = pl__list_bits_w(tree, bits, 0, lane);
    if (c->count + count > PL__NEAR_MOST)
        drop_half(c);
    for (int i = 0; i < count; ++i)
    {
        int32_t other = slot[lane[i]];
        c->list[c->count] = other;
        c->count += (other >= from) & (other < c->limit);
        pl_prefetch_w(&tree->leaf_slab[other], sizeof(pl__slab));
    }
}

// Those that overlap in the other directions too, and may collide.
static int32_t sift(const pl__tree *tree, int32_t leaf, int32_t *list, int32_t count)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < count; ++i)
    {
        int32_t other = list[i];
        list[kept] = other;
        kept += slabs_overlap(&tree->leaf_slab[leaf], &tree->leaf_slab[other]) &
                pl__parts_collide(tree->surfaces, tree->leaf_part[leaf], tree->leaf_part[other]);
    }
    return kept;
}

typedef struct
{
    int32_t level, block;
} place;

static void search(const pl__tree *tree, int32_t leaf, int32_t from, catch *c)
{
    place stack[PL__TREE_LEVELS * PL__TREE_WIDTH + 8];
    int top = 0;
    pl__bound_w bound = pl__box_bound_w(&tree->leaf_box[leaf]);
    stack[top++] = (place){tree->level_count - 1, 0};
    while (top > 0)
    {
        place at = stack[--top];
        unsigned bits = pl__box8_within_w(&tree->node_boxes[tree->level_start[at.level] + at.block], &bound);
        int32_t first = PL__TREE_WIDTH * at.block;
        if (at.level == 0)
        {
            keep(tree, from, &tree->slot[first], bits, c);
            continue;
        }
        uint8_t lane[8];
        int count = pl__list_bits_w(tree, bits, 0, lane);
        for (int i = 0; i < 8; ++i)
            stack[top + i] = (place){at.level - 1, first + lane[i]};
        top += count;
    }
}

int32_t PL_KERNEL(pl__tree_near)(const pl__tree *tree, int32_t leaf, int32_t from, int32_t list[PL__NEAR_MOST],
                                 int32_t *next)
{
    catch c = {.list = list, .limit = tree->leaf_count};
    search(tree, leaf, from, &c);
    *next = c.limit;
    int32_t count = sift(tree, leaf, list, c.count);
    sort(list, count);
    return count;
}

void PL_KERNEL(pl__tree_near_faces)(const pl__tree *tree, int32_t leaf, int32_t other, uint8_t near[PL__LEAF_TRIANGLES])
{
    pl__facing_w facing = pl__box8_facing_w(&tree->face_boxes[other]);
    for (unsigned k = 0; k < PL__LEAF_TRIANGLES; ++k)
        near[k] = (uint8_t)pl__box8_faces_w(&tree->face_boxes[leaf], k, &facing);
}

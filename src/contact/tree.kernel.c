// src/contact/tree.kernel.c -- fitting boxes, and finding leaves that overlap.
#include "box_w.h"

// ---- fitting -------------------------------------------------------------------------------------------------------

static void fit_edges(const pl__tree *tree, int32_t begin, int32_t end)
{
    for (int32_t e = begin; e < end; ++e)
    {
        const int32_t *v = &tree->edge_vertex[2 * (size_t)e];
        pl__box_w box = pl__box_load_w(&tree->vertex_box[v[0]]);
        pl__box_store_w(&tree->edge_box[e], pl__box_unite_w(box, pl__box_load_w(&tree->vertex_box[v[1]])));
    }
}

// Returns the box of all.
static pl__box_w fit_faces(const pl__tree *tree, int32_t begin, int32_t end)
{
    pl__box_w all;
    for (int k = 0; k < BOX_PARTS; ++k)
        all.part[k] = pl_set_w(__builtin_inf());
    for (int32_t f = begin; f < end; ++f)
    {
        const int32_t *v = &tree->face_vertex[3 * (size_t)f];
        pl__box_w box = pl__box_load_w(&tree->vertex_box[v[0]]);
        box = pl__box_unite_w(box, pl__box_load_w(&tree->vertex_box[v[1]]));
        box = pl__box_unite_w(box, pl__box_load_w(&tree->vertex_box[v[2]]));
        pl__box_store_w(&tree->face_box[f], box);
        all = pl__box_unite_w(all, box);
    }
    return all;
}

void PL_KERNEL(pl__tree_fit_leaves)(const pl__tree *tree, int32_t begin, int32_t end)
{
    fit_edges(tree, tree->edge_start[begin], tree->edge_start[end]);
    for (int32_t leaf = begin; leaf < end; ++leaf)
        pl__box_store_w(&tree->leaf_box[leaf], fit_faces(tree, tree->face_start[leaf], tree->face_start[leaf + 1]));
}

void PL_KERNEL(pl__tree_fit_groups)(const pl__box *child, pl__box *group, int32_t begin, int32_t end)
{
    for (int32_t g = begin; g < end; ++g)
    {
        const pl__box *c = &child[PL__TREE_WIDTH * (size_t)g];
        pl__box_w box = pl__box_load_w(c);
        for (int k = 1; k < PL__TREE_WIDTH; ++k)
            box = pl__box_unite_w(box, pl__box_load_w(&c[k]));
        pl__box_store_w(&group[g], box);
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

static void keep(catch *c, int32_t leaf)
{
    if (leaf >= c->limit)
        return;
    if (c->count == PL__NEAR_MOST)
    {
        sort(c->list, c->count);
        c->count /= 2;
        c->limit = c->list[c->count];
        if (leaf >= c->limit)
            return;
    }
    c->list[c->count++] = leaf;
}

static bool wanted(const pl__tree *tree, int32_t leaf, int32_t from, int32_t other)
{
    return other >= from && pl__parts_collide(tree->surfaces, tree->leaf_part[leaf], tree->leaf_part[other]);
}

typedef struct
{
    int32_t level, group;
} place;

static void search(const pl__tree *tree, int32_t leaf, int32_t from, catch *c)
{
    place stack[PL__TREE_LEVELS * PL__TREE_WIDTH];
    int top = 0;
    pl__box_w bound = pl__box_bound_w(&tree->leaf_box[leaf]);
    stack[top++] = (place){tree->level_count - 1, 0};
    while (top > 0)
    {
        place at = stack[--top];
        int32_t first = PL__TREE_WIDTH * at.group;
        const pl__box *box = &tree->node_box[tree->level_start[at.level] + first];
        for (int k = 0; k < PL__TREE_WIDTH; ++k)
        {
            if (!pl__box_within_w(&box[k], bound))
                continue;
            if (at.level > 0)
                stack[top++] = (place){at.level - 1, first + k};
            else if (wanted(tree, leaf, from, tree->slot[first + k]))
                keep(c, tree->slot[first + k]);
        }
    }
}

int32_t PL_KERNEL(pl__tree_near)(const pl__tree *tree, int32_t leaf, int32_t from, int32_t list[PL__NEAR_MOST], int32_t *next)
{
    catch c = {.list = list, .limit = tree->leaf_count};
    search(tree, leaf, from, &c);
    sort(list, c.count);
    *next = c.limit;
    return c.count;
}

// src/contact/tree.c -- clusters of triangles, and the hierarchy of boxes over them.
//
// Both are made by the same sort: items (triangles of a part, then leaves) are split at a centre along the widest axis
// of their centres, again and again, always so that the first side is a power of two of whole groups of eight. So
// groups of 8, 64, 512 ... consecutive items are cells of a k-d tree, and neither level needs pointers: the parent of
// node i is node i / 8.
//
// A leaf is the unit of work: the pairs of near leaves are few (some twenty per leaf in a folded cloth), and all their
// vertices, edges and triangles are tested against each other's boxes at once. Leaves stay as they are, so a cloth
// wants them made at rest, where two layers that lie on each other later are apart.
//
// Refitting touches every box once. The hierarchy over the leaves is good as long as leaves that were neighbours still
// are. We compare the area of its groups of eight leaves with the area of the leaves, and sort anew when this has grown
// by half: some milliseconds for 100 000 triangles, and nothing changes but speed.
//
// Boxes lie along the axes, and layers that lie aslant overlap many others. Six diagonal directions, compared once per
// pair of leaves, sort out a sixth to a third. The normal of each leaf as one more sorts out another sixth and takes
// longer than it saves.
//
// What it does badly: triangles far larger than their neighbours make large leaves, with many false alarms.
#include "tree.h"
#include "tolerances.h"
#include "base/select.h"

#include <math.h>
#include <string.h>

static double least(double a, double b) { return a < b ? a : b; }
static double most(double a, double b) { return a > b ? a : b; }

// ---- sorting -------------------------------------------------------------------------------------------------------

typedef struct
{
    const double *center; // [3] of each item, by its number
    int32_t *order;
    int axis;
} sorter;

static bool before(const void *user, int32_t a, int32_t b)
{
    const sorter *s = user;
    double ca = s->center[3 * (size_t)a + (size_t)s->axis], cb = s->center[3 * (size_t)b + (size_t)s->axis];
    return ca < cb || (!(cb < ca) && a < b);
}

static int widest_axis(const sorter *s, int32_t begin, int32_t end)
{
    int widest = 0;
    double width = -1;
    for (int axis = 0; axis < 3; ++axis)
    {
        double low = INFINITY, high = -INFINITY;
        for (int32_t i = begin; i < end; ++i)
        {
            double c = s->center[3 * (size_t)s->order[i] + (size_t)axis];
            low = least(low, c), high = most(high, c);
        }
        if (high - low > width)
            width = high - low, widest = axis;
    }
    return widest;
}

// The depth is logarithmic, so recursion is safe.
static void sort_cells(sorter *s, int32_t begin, int32_t end)
{
    int32_t side = PL__TREE_WIDTH;
    if (end - begin <= side)
        return;
    while (side < end - begin - side)
        side *= 2;
    s->axis = widest_axis(s, begin, end);
    pl__select_nth(s->order, begin, end, begin + side, before, s);
    sort_cells(s, begin, begin + side);
    sort_cells(s, begin + side, end);
}

// ---- leaves --------------------------------------------------------------------------------------------------------

static int32_t leaves_of(int32_t triangle_count) { return pl__chunk_count(triangle_count, PL__LEAF_TRIANGLES); }

static int32_t count_leaves(const pl__surfaces *s)
{
    int32_t count = 0;
    for (int32_t p = 0; p < s->part_count; ++p)
        count += leaves_of(s->triangle_start[p + 1] - s->triangle_start[p]);
    return count;
}

// Three times the centres, which changes no order. What is not finite is put at 0, so that sorting ends.
static void find_centers(const pl__surfaces *s, const double *x, double *center)
{
    for (int32_t t = 0; t < s->triangle_count; ++t)
        for (int d = 0; d < 3; ++d)
        {
            const int32_t *n = &s->triangle[3 * (size_t)t];
            double c =
                x[3 * (size_t)n[0] + (size_t)d] + x[3 * (size_t)n[1] + (size_t)d] + x[3 * (size_t)n[2] + (size_t)d];
            center[3 * (size_t)t + (size_t)d] = isfinite(c) ? c : 0;
        }
}

static void cut_leaves(pl__tree *tree, const double *center)
{
    const pl__surfaces *s = tree->surfaces;
    int32_t leaf = 0;
    for (int32_t p = 0; p < s->part_count; ++p)
    {
        int32_t begin = s->triangle_start[p], end = s->triangle_start[p + 1];
        for (int32_t t = begin; t < end; ++t)
            tree->face[t] = t;
        sort_cells(&(sorter){.center = center, .order = tree->face}, begin, end);
        for (int32_t t = begin; t < end; t += PL__LEAF_TRIANGLES)
        {
            tree->leaf_part[leaf] = p;
            tree->face_start[leaf++] = t;
        }
    }
    tree->face_start[leaf] = s->triangle_count;
}

// Tree order of vertices and edges: owned by the first leaf that has them.
typedef struct
{
    int32_t *vertex; // [vertex_count] where a vertex of the surfaces is; -1: not yet
    int32_t *edge;   // [edge_count]
    int32_t vertex_count, edge_count;
} owned;

static int32_t own_vertex(pl__tree *tree, owned *o, int32_t node)
{
    int32_t *at = &o->vertex[tree->surfaces->node_vertex[node]];
    if (*at < 0)
    {
        *at = o->vertex_count++;
        tree->vertex_node[*at] = node;
    }
    return *at;
}

static void own_edge(pl__tree *tree, owned *o, int32_t edge)
{
    if (o->edge[edge] >= 0)
        return;
    size_t at = (size_t)(o->edge[edge] = o->edge_count++);
    for (size_t k = 0; k < 2; ++k)
    {
        tree->edge_node[2 * at + k] = tree->surfaces->edge[edge].node[k];
        tree->edge_vertex[2 * at + k] = own_vertex(tree, o, tree->edge_node[2 * at + k]);
    }
}

static int32_t blocks_of(int32_t count) { return pl__chunk_count(count, 8); }

static void own_features(pl__tree *tree, owned *o)
{
    const pl__surfaces *s = tree->surfaces;
    memset(o->vertex, -1, (size_t)s->vertex_count * sizeof *o->vertex);
    memset(o->edge, -1, (size_t)s->edge_count * sizeof *o->edge);
    for (int32_t leaf = 0; leaf < tree->leaf_count; ++leaf)
    {
        for (int32_t f = tree->face_start[leaf]; f < tree->face_start[leaf + 1]; ++f)
            for (size_t k = 0; k < 3; ++k)
            {
                size_t corner = 3 * (size_t)tree->face[f] + k, at = 3 * (size_t)f + k;
                tree->face_node[at] = s->triangle[corner];
                tree->face_vertex[at] = own_vertex(tree, o, s->triangle[corner]);
                own_edge(tree, o, s->triangle_edge[corner]);
            }
        tree->vertex_start[leaf + 1] = o->vertex_count;
        tree->edge_start[leaf + 1] = o->edge_count;
        tree->vertex_block[leaf + 1] = tree->vertex_block[leaf] + blocks_of(o->vertex_count - tree->vertex_start[leaf]);
        tree->edge_block[leaf + 1] = tree->edge_block[leaf] + blocks_of(o->edge_count - tree->edge_start[leaf]);
    }
}

// ---- life ----------------------------------------------------------------------------------------------------------

static void lay_out_levels(pl__tree *tree)
{
    int32_t count = tree->leaf_count, start = 0;
    do
    {
        tree->level_start[tree->level_count++] = start;
        count = pl__chunk_count(count, PL__TREE_WIDTH);
        start += count;
    } while (count > 1);
    tree->level_start[tree->level_count] = start;
}

// Blocks of eight boxes that overlap nothing.
static pl__box8 *nowhere(pl_context *ctx, int32_t count)
{
    pl__box8 *block = PL_NEW(ctx, count, pl__box8);
    for (size_t i = 0; block && i < 48 * (size_t)count; ++i)
        block[i / 48].v[i / 8 % 6][i % 8] = INFINITY;
    return block;
}

static void list_bits(uint8_t bits_set[256][8])
{
    for (int byte = 0; byte < 256; ++byte)
        for (int bit = 0, count = 0; bit < 8; ++bit)
            if (byte >> bit & 1)
                bits_set[byte][count++] = (uint8_t)bit;
}

static bool allocate(pl__tree *tree)
{
    pl_context *ctx = tree->ctx;
    const pl__surfaces *s = tree->surfaces;
    size_t leaves = (size_t)tree->leaf_count, faces = (size_t)s->triangle_count;
    size_t edges = (size_t)s->edge_count, vertices = (size_t)s->vertex_count;
    return (tree->leaf_part = PL_NEW(ctx, leaves, int32_t)) && (tree->face_start = PL_NEW(ctx, leaves + 1, int32_t)) &&
           (tree->edge_start = PL_NEW(ctx, leaves + 1, int32_t)) &&
           (tree->vertex_start = PL_NEW(ctx, leaves + 1, int32_t)) && (tree->face = PL_NEW(ctx, faces, int32_t)) &&
           (tree->face_node = PL_NEW(ctx, 3 * faces, int32_t)) &&
           (tree->face_vertex = PL_NEW(ctx, 3 * faces, int32_t)) &&
           (tree->edge_node = PL_NEW(ctx, 2 * edges, int32_t)) &&
           (tree->edge_vertex = PL_NEW(ctx, 2 * edges, int32_t)) &&
           (tree->vertex_node = PL_NEW(ctx, vertices, int32_t)) &&
           (tree->edge_block = PL_NEW(ctx, leaves + 1, int32_t)) &&
           (tree->vertex_block = PL_NEW(ctx, leaves + 1, int32_t)) &&
           (tree->vertex_box = PL_NEW(ctx, vertices, pl__box)) && (tree->leaf_box = PL_NEW(ctx, leaves, pl__box)) &&
           (tree->vertex_slab = PL_NEW(ctx, vertices, pl__slab)) && (tree->leaf_slab = PL_NEW(ctx, leaves, pl__slab)) &&
           (tree->reach = PL_NEW(ctx, s->part_count, double)) && (tree->slot = PL_NEW(ctx, leaves, int32_t)) &&
           (tree->center = PL_NEW(ctx, 3 * leaves, double)) && (tree->face_boxes = nowhere(ctx, tree->leaf_count)) &&
           (tree->node_boxes = nowhere(ctx, tree->level_start[tree->level_count]));
}

static pl_status fill(pl__tree *tree, const double *x_rest)
{
    const pl__surfaces *s = tree->surfaces;
    if (!allocate(tree))
        return PL_ERR_MEMORY;
    double *center = PL_NEW(tree->ctx, 3 * (size_t)s->triangle_count, double);
    owned o = {PL_NEW(tree->ctx, s->vertex_count, int32_t), PL_NEW(tree->ctx, s->edge_count, int32_t), 0, 0};
    bool enough = center && o.vertex && o.edge;
    if (enough)
    {
        find_centers(s, x_rest, center);
        cut_leaves(tree, center);
        own_features(tree, &o);
    }
    PL_DELETE(tree->ctx, center, 3 * (size_t)s->triangle_count);
    PL_DELETE(tree->ctx, o.vertex, s->vertex_count);
    PL_DELETE(tree->ctx, o.edge, s->edge_count);
    enough = enough && (tree->edge_boxes = nowhere(tree->ctx, tree->edge_block[tree->leaf_count])) &&
             (tree->vertex_boxes = nowhere(tree->ctx, tree->vertex_block[tree->leaf_count]));
    return enough ? PL_OK : PL_ERR_MEMORY;
}

pl_status pl__tree_create(const pl__surfaces *surfaces, const double *x_rest, pl__tree **result)
{
    *result = NULL;
    pl__tree *tree = PL_NEW(surfaces->ctx, 1, pl__tree);
    if (!tree)
        return PL_ERR_MEMORY;
    tree->ctx = surfaces->ctx;
    tree->surfaces = surfaces;
    tree->leaf_count = count_leaves(surfaces);
    lay_out_levels(tree);
    list_bits(tree->bits_set);
    pl_status status = fill(tree, x_rest);
    if (status != PL_OK)
        pl__tree_destroy(&tree);
    *result = tree;
    return status;
}

void pl__tree_destroy(pl__tree **tree)
{
    pl__tree *t = *tree;
    if (!t)
        return;
    pl_context *ctx = t->ctx;
    const pl__surfaces *s = t->surfaces;
    size_t leaves = (size_t)t->leaf_count, faces = (size_t)s->triangle_count;
    size_t edges = (size_t)s->edge_count, vertices = (size_t)s->vertex_count;
    PL_DELETE(ctx, t->leaf_part, leaves);
    PL_DELETE(ctx, t->face_start, leaves + 1);
    PL_DELETE(ctx, t->edge_start, leaves + 1);
    PL_DELETE(ctx, t->vertex_start, leaves + 1);
    PL_DELETE(ctx, t->face, faces);
    PL_DELETE(ctx, t->face_node, 3 * faces);
    PL_DELETE(ctx, t->face_vertex, 3 * faces);
    PL_DELETE(ctx, t->edge_node, 2 * edges);
    PL_DELETE(ctx, t->edge_vertex, 2 * edges);
    PL_DELETE(ctx, t->vertex_node, vertices);
    PL_DELETE(ctx, t->face_boxes, leaves);
    if (t->edge_block && t->vertex_block)
    {
        PL_DELETE(ctx, t->edge_boxes, t->edge_block[leaves]);
        PL_DELETE(ctx, t->vertex_boxes, t->vertex_block[leaves]);
    }
    PL_DELETE(ctx, t->edge_block, leaves + 1);
    PL_DELETE(ctx, t->vertex_block, leaves + 1);
    PL_DELETE(ctx, t->vertex_box, vertices);
    PL_DELETE(ctx, t->leaf_box, leaves);
    PL_DELETE(ctx, t->vertex_slab, vertices);
    PL_DELETE(ctx, t->leaf_slab, leaves);
    PL_DELETE(ctx, t->reach, s->part_count);
    PL_DELETE(ctx, t->slot, leaves);
    PL_DELETE(ctx, t->node_boxes, t->level_start[t->level_count]);
    PL_DELETE(ctx, t->center, 3 * leaves);
    PL_DELETE(ctx, t, 1);
    *tree = NULL;
}

// ---- fitting -------------------------------------------------------------------------------------------------------

typedef struct
{
    pl__tree *tree;
    const pl__sweep *sweep;
    int32_t level;
} fitting;

// The sum that makes a box may round either way; a little more is subtracted than it can err.
static double outward(double v) { return v - fabs(v) * 0x1p-51; }

static void fit_vertex(const pl__sweep *sweep, int32_t node, double reach, pl__box *box)
{
    const double *a = &sweep->x_start[3 * (size_t)node], *b = &sweep->x_end[3 * (size_t)node];
    for (int d = 0; d < 3; ++d)
    {
        box->v[d] = outward(least(a[d], b[d]) - reach);
        box->v[4 + d] = outward(-most(a[d], b[d]) - reach);
    }
}

// Ends of a box in the direction x + y are sums of its ends in x and y, and so on.
static void fit_slab(const pl__box *box, pl__slab *slab)
{
    const double *low = box->v, *high = box->v + 4; // high is minus the upper ends
    for (int d = 0; d < 3; ++d)
    {
        int e = (d + 1) % 3;
        slab->v[d] = outward(low[d] + low[e]), slab->v[8 + d] = outward(high[d] + high[e]);
        slab->v[3 + d] = outward(low[d] + high[e]), slab->v[11 + d] = outward(high[d] + low[e]);
    }
}

static void fit_vertices(void *argument, int32_t begin, int32_t end)
{
    const fitting *job = argument;
    pl__tree *tree = job->tree;
    for (int32_t leaf = begin; leaf < end; ++leaf)
        for (int32_t v = tree->vertex_start[leaf]; v < tree->vertex_start[leaf + 1]; ++v)
        {
            fit_vertex(job->sweep, tree->vertex_node[v], tree->reach[tree->leaf_part[leaf]], &tree->vertex_box[v]);
            fit_slab(&tree->vertex_box[v], &tree->vertex_slab[v]);
        }
}

static void fit_leaves(void *argument, int32_t begin, int32_t end)
{
    const pl__tree *tree = ((fitting *)argument)->tree;
    PL_PICK(tree->ctx->register_bytes, pl__tree_fit_leaves)(tree, begin, end);
}

static void fit_slots(void *argument, int32_t begin, int32_t end)
{
    pl__tree *tree = ((fitting *)argument)->tree;
    for (int32_t i = begin; i < end; ++i)
        for (int k = 0; k < 6; ++k)
            tree->node_boxes[i / 8].v[k][i % 8] = tree->leaf_box[tree->slot[i]].v[k < 3 ? k : k + 1];
}

static void fit_level(void *argument, int32_t begin, int32_t end)
{
    const fitting *job = argument;
    pl__tree *tree = job->tree;
    const int32_t *start = &tree->level_start[job->level];
    const pl__box8 *below = &tree->node_boxes[start[-1]];
    PL_PICK(tree->ctx->register_bytes, pl__tree_fit_groups)(below, &tree->node_boxes[start[0]], begin, end);
}

static void fit_levels(fitting *job)
{
    pl__tree *tree = job->tree;
    const int32_t *start = tree->level_start;
    pl__parallel_for(tree->ctx, tree->leaf_count, 1024, fit_slots, job);
    for (job->level = 1; job->level < tree->level_count; ++job->level)
        pl__parallel_for(tree->ctx, start[job->level] - start[job->level - 1], 1024, fit_level, job);
}

// Half the area of the boxes of blocks; lanes that stand for nothing come last.
static double area_of(const pl__box8 *block, int32_t count)
{
    double sum = 0;
    for (int32_t i = 0; i < count; ++i)
    {
        double edge[3];
        for (int d = 0; d < 3; ++d)
            edge[d] = -block[i / 8].v[3 + d][i % 8] - block[i / 8].v[d][i % 8];
        sum += edge[0] * edge[1] + edge[1] * edge[2] + edge[2] * edge[0];
    }
    return sum;
}

// With one level there are no groups to measure.
static double slack_of(const pl__tree *tree)
{
    if (tree->level_count < 2)
        return 1;
    int32_t groups = pl__chunk_count(tree->leaf_count, PL__TREE_WIDTH);
    return area_of(&tree->node_boxes[tree->level_start[1]], groups) / area_of(tree->node_boxes, tree->leaf_count);
}

static void sort_leaves(pl__tree *tree)
{
    for (int32_t i = 0; i < tree->leaf_count; ++i)
    {
        tree->slot[i] = i;
        for (int d = 0; d < 3; ++d)
        {
            double center = tree->leaf_box[i].v[d] - tree->leaf_box[i].v[4 + d];
            tree->center[3 * (size_t)i + (size_t)d] = isfinite(center) ? center : 0;
        }
    }
    sort_cells(&(sorter){.center = tree->center, .order = tree->slot}, 0, tree->leaf_count);
}

void pl__tree_refit(pl__tree *tree, const pl__sweep *sweep)
{
    fitting job = {.tree = tree, .sweep = sweep};
    for (int32_t p = 0; p < tree->surfaces->part_count; ++p)
        tree->reach[p] = 0.5 * (sweep->margin + (sweep->thick ? tree->surfaces->thickness[p] : 0));
    pl__parallel_for(tree->ctx, tree->leaf_count, 4 * PL__LEAF_CHUNK, fit_vertices, &job);
    pl__parallel_for(tree->ctx, tree->leaf_count, 4 * PL__LEAF_CHUNK, fit_leaves, &job);
    if (tree->slack > 0)
    {
        fit_levels(&job);
        if (!(slack_of(tree) > PL__TREE_REBUILD * tree->slack))
            return;
    }
    sort_leaves(tree);
    fit_levels(&job);
    double slack = slack_of(tree);
    tree->slack = slack > 0 ? slack : 1; // boxes without area, or not finite
    tree->build_count++;
}

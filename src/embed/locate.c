// src/embed/locate.c -- finds the carrier of a mesh that contains a point, or is nearest to it.
//
// A binary BVH over runs of tetrahedra in the order of mesh/order.h. Runs of a Hilbert curve are compact in space, so
// halving the order halves space well enough, and the tree needs neither pointers nor sorting: box i has the children
// 2 i and 2 i + 1.
//
// The distance from p to a tetrahedron is 0 inside; outside it is the least distance to the faces that p is in front
// of. Three traversals answer every query, the first alone for points inside:
//
//     1. the lowest tetrahedron within rounding of p, pruning boxes that are farther;
//     2. if there is none, the least distance d, descending into the nearer box first and pruning those not nearer;
//     3. the lowest tetrahedron within d + rounding.
//
// So a point on a face, edge or node goes to the same tetrahedron whatever the order of traversal and the last bit of
// a distance. A traversal visits O(log n) boxes if tetrahedra overlap few others, as in every proper mesh: about 11
// tetrahedra are tested for a point inside meshes of 16 000 and of 160 000. Searching for the least distance at once,
// 0 inside, took six times as long. Leaves of 1, 2 and 4 tetrahedra are equally fast.
//
// What it does badly: points far outside see many boxes at nearly the same distance; a point slightly outside costs as
// much as six inside.
#include "locate.h"
#include "mesh/bvh.h"
#include "mesh/geometry.h"
#include "mesh/order.h"
#include "mesh/point.h"
#include "mesh/topology.h"

#include <string.h>

enum
{
    LEAF_SIZE = 2,
    STACK_SIZE = 64 // one more than the depth, which is at most log2(2^29 / LEAF_SIZE)
};

static const double rounding = 1e-10;       // relative to the mesh's size
static const double least_fullness = 1e-12; // of a carrier, as for tetrahedra in mesh/finish.c

// ---- building ----------------------------------------------------------------------------------------------

static const double *corner_of(const pl_mesh *mesh, int32_t tet, int corner)
{
    return &mesh->position[3 * (size_t)mesh->element[4 * (size_t)tet + (size_t)corner]];
}

static void fit_leaf(pl__tet_tree *tree, int32_t leaf)
{
    pl__tet_box *box = &tree->box[tree->leaf_count + leaf];
    int64_t begin = (int64_t)leaf * LEAF_SIZE, end = begin + LEAF_SIZE, count = tree->order_count;
    for (int d = 0; d < 3; ++d)
        box->lower[d] = INFINITY, box->upper[d] = -INFINITY;
    for (int64_t i = begin; i < end && i < count; ++i)
        for (int k = 0; k < 12; ++k)
        {
            double x = corner_of(&tree->carriers, tree->order[i], k / 3)[k % 3];
            box->lower[k % 3] = pl__min(box->lower[k % 3], x);
            box->upper[k % 3] = pl__max(box->upper[k % 3], x);
        }
}

static void fit_boxes(pl__tet_tree *tree)
{
    for (int32_t leaf = 0; leaf < tree->leaf_count; ++leaf)
        fit_leaf(tree, leaf);
    for (int32_t i = tree->leaf_count - 1; i > 0; --i)
        for (int d = 0; d < 3; ++d)
        {
            const pl__tet_box *child = &tree->box[2 * i];
            tree->box[i].lower[d] = pl__min(child[0].lower[d], child[1].lower[d]);
            tree->box[i].upper[d] = pl__max(child[0].upper[d], child[1].upper[d]);
        }
    for (int d = 0; d < 3; ++d)
        tree->size = pl__max(tree->size, tree->box[1].upper[d] - tree->box[1].lower[d]);
}

// Along the curve, without carriers of no volume.
static pl_status order_carriers(pl__tet_tree *tree)
{
    pl_mesh *carriers = &tree->carriers;
    tree->order = PL_NEW(tree->ctx, carriers->element_count, int32_t);
    int32_t *node_order = PL_NEW(tree->ctx, carriers->node_count, int32_t);
    pl_status status =
        tree->order && node_order ? pl__mesh_locality_order(carriers, node_order, tree->order) : PL_ERR_MEMORY;
    PL_DELETE(tree->ctx, node_order, carriers->node_count);
    for (int32_t i = 0; status == PL_OK && i < carriers->element_count; ++i)
        if (pl__element_fullness(carriers, tree->order[i]).least > least_fullness)
            tree->order[tree->order_count++] = tree->order[i];
    return status;
}

static pl_status build(pl__tet_tree *tree, const pl_mesh *mesh)
{
    tree->carriers =
        (pl_mesh){.ctx = mesh->ctx, .kind = PL_ELEMENT_TET, .node_count = mesh->node_count, .position = mesh->position};
    PL_TRY(pl__mesh_carrier_tets(mesh, &tree->carriers.element, &tree->carriers.element_count));
    PL_TRY(order_carriers(tree));
    PL_CHECK(tree->ctx, tree->order_count > 0,
             "the mesh is too badly bent to carry a surface: none of its hexahedra has a part with volume");
    while ((int64_t)tree->leaf_count * LEAF_SIZE < tree->order_count)
        tree->leaf_count *= 2;
    tree->box = PL_NEW(tree->ctx, 2 * (size_t)tree->leaf_count, pl__tet_box);
    if (!tree->box)
        return PL_ERR_MEMORY;
    fit_boxes(tree);
    return PL_OK;
}

pl_status pl__tet_tree_create(pl_context *ctx, const pl_mesh *mesh, pl__tet_tree *tree)
{
    *tree = (pl__tet_tree){.ctx = ctx, .leaf_count = 1};
    pl_status status = build(tree, mesh);
    if (status != PL_OK)
        pl__tet_tree_done(tree);
    return status;
}

void pl__tet_tree_done(pl__tet_tree *tree)
{
    if (tree->order)
        PL_DELETE(tree->ctx, tree->order, tree->carriers.element_count);
    if (tree->box)
        PL_DELETE(tree->ctx, tree->box, 2 * (size_t)tree->leaf_count);
    if (tree->carriers.element)
        PL_DELETE(tree->carriers.ctx, tree->carriers.element, 4 * (size_t)tree->carriers.element_count);
    *tree = (pl__tet_tree){0};
}

// ---- finding -----------------------------------------------------------------------------------------------

typedef struct
{
    double point[3];
    double limit; // squared distance: upper bound, or lowered to the least
    bool lowest;  // traversals 1 and 3
    int32_t tet;
} query;

// Squared distance of the point from a tetrahedron, or INFINITY if a plane shows that it is beyond `limit`.
static double tet_distance(const pl_mesh *mesh, int32_t tet, const double p[3], double limit)
{
    double best = INFINITY;
    bool outside = false;
    for (int face = 0; face < 4; ++face)
    {
        double c[9], ab[3], ac[3], ap[3], normal[3], closest[3];
        for (int k = 0; k < 3; ++k)
            memcpy(&c[3 * k], corner_of(mesh, tet, pl__element_forms[PL_ELEMENT_TET].face[face][k]),
                   3 * sizeof(double));
        pl__sub3(&c[3], c, ab);
        pl__sub3(&c[6], c, ac);
        pl__sub3(p, c, ap);
        pl__cross3(ab, ac, normal);
        double height = pl__dot3(normal, ap);
        if (height <= 0)
            continue;
        if (height * height > limit * pl__dot3(normal, normal))
            return INFINITY;
        outside = true;
        best = pl__min(best, pl__triangle_closest(p, c, closest));
    }
    return outside ? best : 0;
}

static void visit_leaf(const pl__tet_tree *tree, int32_t leaf, query *q)
{
    int64_t begin = (int64_t)leaf * LEAF_SIZE, end = begin + LEAF_SIZE, count = tree->order_count;
    for (int64_t i = begin; i < end && i < count; ++i)
    {
        int32_t tet = tree->order[i];
        if (q->lowest && tet >= q->tet)
            continue;
        double distance = tet_distance(&tree->carriers, tet, q->point, q->limit);
        if (q->lowest ? distance <= q->limit : distance < q->limit)
        {
            q->tet = tet;
            q->limit = q->lowest ? q->limit : distance;
        }
    }
}

static double box_distance(const pl__tet_box *box, const double p[3])
{
    double sum = 0;
    for (int d = 0; d < 3; ++d)
    {
        double gap = pl__max(pl__max(box->lower[d] - p[d], p[d] - box->upper[d]), 0);
        sum += gap * gap;
    }
    return sum;
}

static void walk(const pl__tet_tree *tree, query *q)
{
    struct
    {
        int32_t box;
        double distance;
    } stack[STACK_SIZE];
    int top = 0;
    stack[top].box = 1, stack[top++].distance = box_distance(&tree->box[1], q->point);
    while (top > 0)
    {
        --top;
        int32_t i = stack[top].box;
        if (q->lowest ? stack[top].distance > q->limit : stack[top].distance >= q->limit)
            continue;
        if (i >= tree->leaf_count)
        {
            visit_leaf(tree, i - tree->leaf_count, q);
            continue;
        }
        // the nearer child goes on top
        double distance[2] = {box_distance(&tree->box[2 * i], q->point), box_distance(&tree->box[2 * i + 1], q->point)};
        int far = distance[0] <= distance[1];
        stack[top].box = 2 * i + far, stack[top++].distance = distance[far];
        stack[top].box = 2 * i + !far, stack[top++].distance = distance[!far];
    }
}

// The lowest tetrahedron within `reach` of the point, or `none`.
static int32_t find_lowest(const pl__tet_tree *tree, const double point[3], double reach, int32_t none)
{
    query q = {.point = {point[0], point[1], point[2]}, .limit = reach * reach, .lowest = true, .tet = none};
    walk(tree, &q);
    return q.tet;
}

int32_t pl__tet_tree_find(const pl__tet_tree *tree, const double point[3], double *distance)
{
    double touching = rounding * tree->size;
    int32_t none = tree->carriers.element_count, inside = find_lowest(tree, point, touching, none);
    *distance = 0;
    if (inside != none)
        return inside;
    query q = {.point = {point[0], point[1], point[2]}, .limit = INFINITY};
    walk(tree, &q);
    *distance = sqrt(q.limit);
    return find_lowest(tree, point, *distance + touching, q.tet);
}

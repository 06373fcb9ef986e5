// src/contact/tree.h -- boxes around moving surfaces, to find what is near what.
//
// Triangles stand in clusters ("leaves") of up to eight neighbours of one body, made once, from the positions that the
// tree is created with: take the rest shape, where neighbours in space are neighbours on the surface. Every vertex and
// every edge is owned by the first leaf that has it. Over the leaves is a hierarchy with eight children per node, which
// is made anew when the bodies have moved so far that it is a poor one. It decides how fast leaves are found, never
// which, nor in which order: what is found depends on the surfaces, the rest shape and the positions, not on what
// happened before.
#ifndef PL_CONTACT_TREE_H
#define PL_CONTACT_TREE_H

#include "base/cpu.h"
#include "base/task.h"
#include "surfaces.h"

enum
{
    PL__LEAF_TRIANGLES = 8,
    PL__LEAF_FEATURES = 24, // vertices or edges that a leaf owns, at most
    PL__TREE_WIDTH = 8,
    PL__TREE_LEVELS = 12,
    PL__NEAR_MOST = 256, // leaves found at a time
    PL__LEAF_CHUNK = 32, // leaves per task
};

// A box as numbers that all want to be small: lower corner, 0, minus the upper corner, 0. Boxes unite by the minimum.
typedef struct pl__box
{
    _Alignas(64) double v[8];
} pl__box;

// The same in the six directions x + y, y + z, z + x, x - y, y - z, z - x: what lies aslant is thin in one of them.
// Lower ends, 0, 0, minus the upper ends, 0, 0.
typedef struct pl__slab
{
    _Alignas(64) double v[16];
} pl__slab;

// Eight boxes, number by number without the zeros: whether each overlaps a given box takes six comparisons. Lanes that
// stand for nothing are infinite, and overlap nothing.
typedef struct pl__box8
{
    _Alignas(64) double v[6][8];
} pl__box8;

// A linear motion, and how far things may be apart to be near: `margin`, and if `thick`, the mean thickness of both
// bodies besides.
typedef struct pl__sweep
{
    const double *x_start, *x_end; // [3 nodes + 1] [m]; the same twice when nothing moves
    double margin;                 // [m] >= 0
    bool thick;
} pl__sweep;

// "Tree order" is leaf by leaf.
typedef struct pl__tree
{
    pl_context *ctx;
    const pl__surfaces *surfaces;
    int32_t leaf_count;
    int32_t *leaf_part;                              // [leaf_count]
    int32_t *face_start, *edge_start, *vertex_start; // [leaf_count + 1] what each leaf owns
    int32_t *face;                                   // [triangle_count] triangles in tree order
    int32_t *face_node, *face_vertex;                // [3 triangle_count] corners: nodes, and vertices in tree order
    int32_t *edge_node, *edge_vertex;                // [2 edge_count] likewise
    int32_t *vertex_node;                            // [vertex_count]

    // by pl__tree_refit; what a leaf owns is in blocks of its own, in order, so faces have one block per leaf
    int32_t *edge_block, *vertex_block; // [leaf_count + 1] where the blocks of a leaf begin
    pl__box8 *face_boxes, *edge_boxes, *vertex_boxes;
    pl__box *vertex_box, *leaf_box;    // [vertex_count], [leaf_count]
    pl__slab *vertex_slab, *leaf_slab; // likewise
    double *reach;                     // [part_count] [m] by how much boxes of a part are larger than what is in them
    int32_t level_count;
    int32_t
        level_start[PL__TREE_LEVELS + 1]; // into node_boxes; level 0 is leaves in the order of `slot`, eight at a time
    pl__box8 *node_boxes;                 // [level_start[level_count]]
    int32_t *slot;                        // [leaf_count] leaves
    double *center;                       // [3 leaf_count] scratch
    double slack; // area of groups of eight leaves over the area of leaves, when the hierarchy was made; 0: never
    int64_t build_count;      // how often that was
    uint8_t bits_set[256][8]; // the numbers of the bits that are set in each byte, then anything
} pl__tree;

// `x_rest` [3 nodes] is read only now. The tree refers to `surfaces`, which must outlive it.
PL_NODISCARD pl_status pl__tree_create(const pl__surfaces *surfaces, const double *x_rest, pl__tree **tree);
void pl__tree_destroy(pl__tree **tree);

// Fit all boxes to a motion. Boxes overlap whenever what is in them comes within the distance of `sweep`; rounding can
// only make them larger. Positions must be finite.
void pl__tree_refit(pl__tree *tree, const pl__sweep *sweep);

// Leaves >= `from` whose boxes and slabs overlap those of `leaf` and whose bodies collide, ascending. Returns how many;
// `next` is where to go on from, or leaf_count when there are no more.
PL_KERNEL_DECLARE(int32_t, pl__tree_near,
                  (const pl__tree *tree, int32_t leaf, int32_t from, int32_t list[PL__NEAR_MOST], int32_t *next));

// Which triangles of two leaves have boxes that overlap: bit k of near[i] for triangle i of `leaf` and k of `other`.
PL_KERNEL_DECLARE(void, pl__tree_near_faces,
                  (const pl__tree *tree, int32_t leaf, int32_t other, uint8_t near[PL__LEAF_TRIANGLES]));

// For tree.c: boxes of what leaves own, and of the leaves; boxes of blocks [begin, end), each a lane of blocks above.
PL_KERNEL_DECLARE(void, pl__tree_fit_leaves, (const pl__tree *tree, int32_t begin, int32_t end));
PL_KERNEL_DECLARE(void, pl__tree_fit_groups, (const pl__box8 *block, pl__box8 *above, int32_t begin, int32_t end));

#endif

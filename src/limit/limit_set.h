// src/limit/limit_set.h -- limited elements of one kind, in blocks of sixteen that share no node.
//
// A set is swept by Gauss-Seidel: each element moves its nodes so that it obeys its bounds, and the next one sees
// that. Elements are cut into chunks by their number; in a chunk they are packed, in order, into blocks none of whose
// sixteen lanes share a node; chunks of one colour share no node. So a sweep is colour after colour, chunks of a
// colour in parallel, blocks of a chunk in order, and its bits do not depend on threads or registers.
#ifndef PL_LIMIT_LIMIT_SET_H
#define PL_LIMIT_LIMIT_SET_H

#include "base/context.h"
#include "base/cpu.h"
#include "base/task.h"

enum
{
    PL__LIMIT_LANES = 16,
    PL__LIMIT_CORNERS = 8,
    PL__LIMIT_NUMBERS = 30,    // rows of numbers of a block, at most
    PL__LIMIT_PER_CHUNK = 256, // elements of a chunk
    PL__LIMIT_BOUNDS = 4       // at most
};

typedef enum pl__limit_kind
{
    PL__LIMIT_TRIANGLE, // triangle in space: principal stretches
    PL__LIMIT_PLANAR,   // triangle in a plane: signed
    PL__LIMIT_WOVEN,    // triangle of threads: warp, weft, and the angle between them
    PL__LIMIT_TET,      // tetrahedron: signed principal stretches
    PL__LIMIT_HEX,      // hexahedron: those of its mean deformation gradient
    PL__LIMIT_BEND,     // dihedral angle: corners i, j, k, a of the triangles (i, j, k) and (a, k, j)
    PL__LIMIT_CHORD,    // distance of two nodes
    PL__LIMIT_TETHER    // distance of a node from one that is held
} pl__limit_kind;

enum
{
    PL__LIMIT_KINDS = PL__LIMIT_TETHER + 1
};

// A block is int32_t node[corners][16], then rows of sixteen doubles: the shape, the bounds as given, and the bounds
// as they are now (limit.h). Shapes: of triangles B = [X1-X0, X2-X0]^-1 and of tetrahedra B, by column; of hexahedra
// the mean gradients of the eight shape functions, corner by corner; of bends the angle at rest and 1 over the mean
// height; of chords and tethers the distance at rest. Bounds: least and greatest stretch; of woven triangles least,
// greatest along warp and weft, greatest sine of the shear angle; of bends the greatest angle from rest; of tethers
// the greatest stretch.
typedef struct pl__limit_form
{
    int32_t corners, shapes, bounds;
} pl__limit_form;
extern const pl__limit_form pl__limit_forms[PL__LIMIT_KINDS];

// One element, to be packed.
typedef struct pl__limit_element
{
    int32_t node[PL__LIMIT_CORNERS];
    double shape[24];
    double bound[PL__LIMIT_BOUNDS];
} pl__limit_element;

typedef struct pl__limit_set
{
    pl__limit_kind kind;
    int32_t count, block_count, chunk_count, colour_count;
    size_t stride;         // bytes of a block
    char *block;           // [block_count]
    int32_t *place;        // [count] 16 block + lane of each element
    int32_t *chunk_begin;  // [chunk_count + 1] first block of each chunk, chunks by colour
    int32_t *colour_begin; // [colour_count + 1] first chunk of each colour
    double *sums;          // [chunk_count] of pl__limit_sums
} pl__limit_set;

// How far elements are beyond their bounds; lane by lane, so that the order is the same for every register width.
typedef struct pl__limit_sums
{
    double total[PL__LIMIT_LANES]; // of what is beyond
    double over[PL__LIMIT_LANES];  // elements that are
    double most[PL__LIMIT_LANES];
} pl__limit_sums;

// The same of a whole set.
typedef struct pl__limit_excess
{
    double total, most;
    int64_t over, count;
} pl__limit_excess;

// What measuring does with the bounds that sweeps obey.
typedef enum pl__limit_bounds
{
    PL__LIMIT_GIVEN,   // they are the given ones
    PL__LIMIT_INCLUDE, // they are the given ones, or what the element is at y where that is beyond
    PL__LIMIT_KEEP     // they stay; excess is measured from them
} pl__limit_bounds;

typedef struct pl__limit_job
{
    double *y; // [4 node_count] positions [m] and inverse mass [1/kg], 0 of nodes that are held
    char *block;
    size_t stride;
    double factor; // of each correction that is made
    pl__limit_bounds bounds;
} pl__limit_job;

// Pack elements, in their order.
PL_NODISCARD pl_status pl__limit_set_create(pl_context *ctx, pl__limit_kind kind, const pl__limit_element *element,
                                            int32_t count, int32_t node_count, pl__limit_set *set);
void pl__limit_set_destroy(pl_context *ctx, pl__limit_set *set);

// A row of numbers of an element: shape k, or bound b as given.
double *pl__limit_shape(const pl__limit_set *set, int32_t element, int32_t k);
double *pl__limit_bound(const pl__limit_set *set, int32_t element, int32_t b);
const int32_t *pl__limit_nodes(const pl__limit_set *set, int32_t element); // [corners] every sixteenth

// One sweep over y, every correction times `factor`.
void pl__limit_set_sweep(pl_context *ctx, int32_t register_bytes, const pl__limit_set *set, double factor, double *y);
// What is beyond the bounds at y.
pl__limit_excess pl__limit_set_measure(pl_context *ctx, int32_t register_bytes, const pl__limit_set *set,
                                       pl__limit_bounds bounds, const double *y);

PL_KERNEL_DECLARE(void, pl__limit_triangle, (const pl__limit_job *job, int32_t begin, int32_t end));
PL_KERNEL_DECLARE(void, pl__limit_planar, (const pl__limit_job *job, int32_t begin, int32_t end));
PL_KERNEL_DECLARE(void, pl__limit_woven, (const pl__limit_job *job, int32_t begin, int32_t end));
PL_KERNEL_DECLARE(void, pl__limit_tet, (const pl__limit_job *job, int32_t begin, int32_t end));
PL_KERNEL_DECLARE(void, pl__limit_hex, (const pl__limit_job *job, int32_t begin, int32_t end));
PL_KERNEL_DECLARE(void, pl__limit_bend, (const pl__limit_job *job, int32_t begin, int32_t end));
PL_KERNEL_DECLARE(void, pl__limit_chord, (const pl__limit_job *job, int32_t begin, int32_t end));
PL_KERNEL_DECLARE(void, pl__limit_tether, (const pl__limit_job *job, int32_t begin, int32_t end));
PL_KERNEL_DECLARE(void, pl__limit_measure,
                  (pl__limit_kind kind, const pl__limit_job *job, int32_t begin, int32_t end, pl__limit_sums *sums));

#endif

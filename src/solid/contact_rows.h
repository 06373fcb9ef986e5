// src/solid/contact_rows.h -- contact as terms of a minimisation: rows with a normal, a gap, friction and an impulse.
//
// A row joins up to four nodes with weights: a vertex and a triangle, two edges, a node and an object. Its relative
// velocity is s(v) = sum_i w_i v_i + g, where g is that of what goes its own way (pins, sleepers, objects). Coulomb's
// law for its impulse p = p_n n + p_t is
//
//     0 <= p_n  perpendicular to  n.s + a >= 0        a: how fast it may come nearer, gap / dt
//     |p_t| <= mu p_n,  p_t opposes s_t if it slides    (maximal dissipation)
//
// A solve that minimises E(v) finds p by the method of multipliers (Hestenes, Powell 1969; Alart & Curnier 1991 for
// friction). With the impulse l that is known so far and a penalty k, the trial impulse is
//
//     y = l - k (s + a n),       p = (max(0, y_n), y_t shortened to r = mu l_n)                              (project)
//
// and E gets the term of each row that has the gradient -W^T p:
//
//     phi = max(0, y_n)^2 / 2k  +  h_r(y_t) / k,        h_r(y) = y^2/2 where |y| <= r, else r |y| - r^2/2     (merit)
//
// It is convex and has a continuous gradient: opening, sticking and sliding are the pieces of one function, and
// Newton's method on E + sum phi needs no rule for any of them. Its second derivative is
//
//     C = k n n^T [y_n > 0]  +  k T [sticks]  or  k r/|y_t| (T - y_t y_t^T / |y_t|^2) [slides],   T = I - n n^T.
//
// Then l <- p, r <- mu p_n (update), until p is what it was: then n.s + a = 0 where a row presses, and s_t = 0 where it
// sticks, to the tolerance. The error of l falls by 1/(1 + k S) with every update, S the velocity response to a unit
// impulse. 1/k is the larger of two estimates of S from below: if only the nodes of the row yield, from the diagonal
// blocks of the matrix; and if the bodies go as a whole, a third of their 1/mass. What is very stiff, for the length of
// a step, moves as a whole: with the first estimate alone k was 10^4 masses for plastic, and one step's error of
// velocities became thousands of joules in l.
//
// Impulses are remembered from step to step, as forces, by what they join (memory): a body at rest starts with the
// forces that hold it, and nothing is left to be found. That is state, and snapshots save it.
//
// What it does badly: r is that of the last update, so that a blow with friction takes some updates.
#ifndef PL_SOLID_CONTACT_ROWS_H
#define PL_SOLID_CONTACT_ROWS_H

#include "contact/watch.h"
#include "sparse/block_multigrid.h"

// What a row joins: four nodes and their kind (pl__pair_kind), or a node, -1, an object, -1.
typedef struct pl__row_key
{
    int32_t node[4];
    int32_t kind;
} pl__row_key;

enum
{
    PL__NODE_OBJECT = 2 // kind of a row, beside pl__pair_kind
};

typedef enum pl__row_piece
{
    PL__ROW_AS_IT_IS, // where y is
    PL__ROW_STOPS,    // it sticks, wherever y is
    PL__ROW_DRAGS     // a quadratic above its term
} pl__row_piece;

// Forces of rows at the end of a step, in the order of their keys.
typedef struct pl__row_force
{
    pl__row_key key;
    int32_t padding;
    double force[3]; // [N]
} pl__row_force;

typedef struct pl__row_memory
{
    pl__row_force *row; // [count]
    size_t count, capacity;
} pl__row_memory;

int pl__row_key_compare(const void *a, const void *b); // for qsort and bsearch
bool pl__row_memory_reserve(pl_context *ctx, pl__row_memory *memory, size_t count);
void pl__row_memory_destroy(pl_context *ctx, pl__row_memory *memory);

// The rows of a step: pairs of surfaces, which collision finds (stage.h), and nodes on objects.
typedef struct pl__contact_rows
{
    pl__contact_pair *span[2]; // pairs; objects
    int32_t count[2];
    int32_t ready[2]; // rows from there on are new
    double dt;        // [s]
} pl__contact_rows;

static inline int32_t pl__contact_rows_count(const pl__contact_rows *rows) { return rows->count[0] + rows->count[1]; }
static inline pl__contact_pair *pl__contact_row(const pl__contact_rows *rows, int32_t i)
{
    return i < rows->count[0] ? &rows->span[0][i] : &rows->span[1][i - rows->count[0]];
}

// New rows take their impulses from the memory.
void pl__contact_rows_recall(pl__contact_rows *rows, const pl__row_memory *memory);
// At the end of a step. If memory runs out, it is empty.
void pl__contact_rows_remember(pl_context *ctx, const pl__contact_rows *rows, pl__row_memory *memory);

// Penalties, from the inverses of the diagonal blocks of the matrix, and from the masses of the bodies that are free to
// go, as `ease` has 1/mass for each body, else 0; of all rows, or of new ones. No row is new then.
void pl__contact_rows_stiffen(pl__contact_rows *rows, const double *block, const double *ease,
                              int32_t (*body_of)(const void *user, int32_t node), const void *user, bool all);
// p and C at v.
void pl__contact_rows_project(pl_context *ctx, pl__contact_rows *rows, const double *v);
// l <- p, r <- mu p_n. Returns how far s + a n was from what it should be, as sum k |p - l|^2 / k^2 [kg m^2/s^2].
double pl__contact_rows_update(pl__contact_rows *rows);

// out += share W^T (p, or what it is by the piece that was chosen).
void pl__contact_rows_add_model(const pl__contact_rows *rows, double share, double *out);
// out += share W^T l.
void pl__contact_rows_add_known(const pl__contact_rows *rows, double share, double *out);
// out += W^T C W in; returns the product with in.
double pl__contact_rows_multiply(const pl__contact_rows *rows, const double *in, double *out);
// The term of a row in the matrix.
void pl__contact_rows_term(const pl__contact_rows *rows, int32_t i, pl__multigrid_pair *term);
// `block`, the inverses of diagonal blocks, are `plain` without rows: add theirs.
void pl__contact_rows_precondition(const pl__contact_rows *rows, const double *plain, double *block,
                                   int32_t node_count);

// sum phi at v + share direction, minus that at v; and its slope along the direction.
double pl__contact_rows_rise(const pl__contact_rows *rows, const double *v, const double *direction, double share,
                             double *slope);

// By which piece of h the next iteration takes a row that slides. Newton's method takes that for granted which slides
// now, and goes far beyond where it would stop; the line search then ends near there, again and again. So, if a step by
// `direction` from v overshoots, rows that it would stop or turn round are taken to stick: as if y were within its
// disc. What would slide after all is as it is again, and after some turns a quadratic above h, k r/|y_t| T.
void pl__contact_rows_choose_pieces(pl__contact_rows *rows, const double *v, const double *direction, bool overshoots);

// What was taken to stick drags: a direction by those pieces leads upwards.
void pl__contact_rows_drag(pl__contact_rows *rows);

// Largest violation of a gap at v, relative to the distance at which pairs rest.
double pl__contact_rows_deepest(const pl__contact_rows *rows, const double *v);
// Energy dissipated by friction between surfaces while velocities went from v_start to v [J].
double pl__contact_rows_friction_work(const pl__contact_rows *rows, const double *v_start, const double *v);

#endif

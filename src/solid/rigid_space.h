// src/solid/rigid_space.h -- rigid motions of whole bodies as a coarse space of a solve.
//
// Elements do not feel them, so diagonal blocks, which know the stiffness of a node and not the ease of a body, leave
// them to the last: a stack that rests is a problem of a few rigid bodies and of many iterations. With Z the rigid
// motions of bodies that nothing holds, (t, w) -> t + w x (x - c), the preconditioner is
//
//     B = D^-1 + Z E^-1 Z^T,      E = Z^T (M + W^T C W) Z,
//
// M the diagonal masses and W^T C W the contact rows (contact_rows.h): the contact problem of the rigid bodies, solved
// exactly. K Z = 0 for translations, so a last correction Z E^-1 Z^T r leaves no linear momentum in the residual r,
// however early the iteration ended. E is dense while there are few bodies; of many, each has its own block.
#ifndef PL_SOLID_RIGID_SPACE_H
#define PL_SOLID_RIGID_SPACE_H

#include "solids.h"

typedef struct pl__rigid_piece
{
    int32_t body, begin, end; // nodes, in the arrays of the solids
} pl__rigid_piece;

typedef struct pl__rigid_space
{
    pl_context *ctx;
    const pl__solids *s;
    const double *x;    // positions
    int32_t body_count; // with unknowns; 0: there is no such space
    int32_t *body;      // [body_count]
    int32_t *slot;      // [solids.body_count] where a body is among them, or -1
    double *ease;       // [solids.body_count] 1/mass, 0 of those that are held
    double *centre;     // [3 body_count]
    double *factor;     // Cholesky factor of E: [n][n], n = 6 body_count, or [body_count][6][6]
    double *sum;        // [6 piece_count]
    double *motion;     // [6 body_count]
    pl__rigid_piece *piece;
    int32_t piece_count;
    bool dense;
} pl__rigid_space;

// Memory from the arena; false if there is none.
bool pl__rigid_space_begin(const pl__solids *solids, pl__arena *arena, pl__rigid_space *space);
// E at x, for the masses `diagonal` [3 nodes] and the rows.
void pl__rigid_space_make(pl__rigid_space *space, const double *x, const double *diagonal,
                          const pl__contact_rows *rows);
// z += Z E^-1 Z^T r; returns r . (what is added).
double pl__rigid_space_add(const pl__rigid_space *space, const double *r, double *z);

#endif

// src/embed/perturb.h -- orientation predicates without degenerate cases (simulation of simplicity).
#ifndef PL_EMBED_PERTURB_H
#define PL_EMBED_PERTURB_H

#include <stdint.h>

// A point with an index is perturbed by an infinitesimal of its own; one with PL__UNMOVED is not.
enum
{
    PL__UNMOVED = -1
};

typedef struct pl__spot
{
    const double *x;
    int32_t number;
} pl__spot;

// As pl__orient3, but never 0: 1 if d is behind the triangle a, b, c. At least one of the four points is unmoved, and
// the unmoved ones are affinely independent. Perturbed points have different indices.
int pl__side(pl__spot a, pl__spot b, pl__spot c, pl__spot d);

// The sizes of up to three volumes up to a common factor, each spanned by four points as above, all with the same
// perturbed points: not all zero, even if everything is coplanar.
void pl__sizes(const pl__spot (*point)[4], int count, double *size);

#endif

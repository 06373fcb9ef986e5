// src/embed/perturb.h -- which side, where nothing ever lies on the border.
#ifndef PL_EMBED_PERTURB_H
#define PL_EMBED_PERTURB_H

#include <stdint.h>

// A point with a number moves by an amount too small for any number, its own; one with PL__UNMOVED stays where it is.
enum
{
    PL__UNMOVED = -1
};

typedef struct pl__spot
{
    const double *x;
    int32_t number;
} pl__spot;

// As pl__orient3, but never 0: 1 when d is behind the triangle a, b, c. Of the four points at least one is unmoved, and
// those that are unmoved are not in one line or plane or place by themselves. Points that move have different numbers.
int pl__side(pl__spot a, pl__spot b, pl__spot c, pl__spot d);

// The sizes of up to three volumes in proportion, each spanned by four points as above, all with the same moving
// points: not all zero, also where everything is in one plane.
void pl__sizes(const pl__spot (*point)[4], int count, double *size);

#endif

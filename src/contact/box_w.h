// src/contact/box_w.h -- boxes of eight numbers in registers.
#ifndef PL_CONTACT_BOX_W_H
#define PL_CONTACT_BOX_W_H

#include "base/simd.h"
#include "tree.h"

#define BOX_PARTS (8 / PL_LANES)

typedef struct pl__box_w
{
    pl_real_w part[BOX_PARTS];
} pl__box_w;

PL_INLINE pl__box_w pl__box_load_w(const pl__box *box)
{
    pl__box_w b;
    for (int k = 0; k < BOX_PARTS; ++k)
        b.part[k] = pl_load_w(&box->v[k * PL_LANES]);
    return b;
}

PL_INLINE void pl__box_store_w(pl__box *box, pl__box_w b)
{
    for (int k = 0; k < BOX_PARTS; ++k)
        pl_store_w(&box->v[k * PL_LANES], b.part[k]);
}

PL_INLINE pl__box_w pl__box_unite_w(pl__box_w a, pl__box_w b)
{
    for (int k = 0; k < BOX_PARTS; ++k)
        a.part[k] = pl_min_w(b.part[k], a.part[k]);
    return a;
}

// What each number of a box must not exceed for the box to overlap this one.
PL_INLINE pl__box_w pl__box_bound_w(const pl__box *box)
{
    double bound[8];
    for (int k = 0; k < 8; ++k)
        bound[k] = -box->v[k ^ 4];
    pl__box_w b;
    for (int k = 0; k < BOX_PARTS; ++k)
        b.part[k] = pl_load_w(&bound[k * PL_LANES]);
    return b;
}

PL_INLINE int pl__box_within_w(const pl__box *box, pl__box_w bound)
{
    pl_mask_w all = pl_le_w(pl_load_w(box->v), bound.part[0]);
    for (int k = 1; k < BOX_PARTS; ++k)
        all = pl_and_w(all, pl_le_w(pl_load_w(&box->v[k * PL_LANES]), bound.part[k]));
    return pl_all_w(all);
}

#endif

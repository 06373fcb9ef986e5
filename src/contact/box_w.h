// src/contact/box_w.h -- boxes in registers.
#ifndef PL_CONTACT_BOX_W_H
#define PL_CONTACT_BOX_W_H

#include "base/simd.h"
#include "tree.h"

enum
{
    BOX_PARTS = 8 / PL_LANES
};

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

PL_INLINE void pl__box8_set_w(pl__box8 *block, int lane, const pl__box *box)
{
    for (int d = 0; d < 3; ++d)
        block->v[d][lane] = box->v[d], block->v[3 + d][lane] = box->v[4 + d];
}

// What each number of a box must not exceed for the box to overlap a given one.
typedef struct pl__bound_w
{
    pl_real_w v[6];
} pl__bound_w;

PL_INLINE pl__bound_w pl__box_bound_w(const pl__box *box)
{
    pl__bound_w b;
    for (int d = 0; d < 3; ++d)
        b.v[d] = pl_set_w(-box->v[4 + d]), b.v[3 + d] = pl_set_w(-box->v[d]);
    return b;
}

// One bit per lane.
PL_INLINE unsigned pl__mask_bits_w(pl_mask_w m)
{
#if PL_REGISTER_BYTES == 64 || PL_REGISTER_BYTES == 0
    return (unsigned)m;
#elif PL_REGISTER_BYTES == 32
    return (unsigned)_mm256_movemask_pd((__m256d)m);
#else
    return ((unsigned)m[0] & 1u) | ((unsigned)m[1] & 2u);
#endif
}

// One bit per box that overlaps.
PL_INLINE unsigned pl__box8_within_w(const pl__box8 *block, const pl__bound_w *bound)
{
    unsigned bits = 0;
    for (int lane = 0; lane < 8; lane += PL_LANES)
    {
        pl_mask_w all = pl_le_w(pl_load_w(&block->v[0][lane]), bound->v[0]);
        for (int k = 1; k < 6; ++k)
            all = pl_and_w(all, pl_le_w(pl_load_w(&block->v[k][lane]), bound->v[k]));
        bits |= pl__mask_bits_w(all) << lane;
    }
    return bits;
}

// The other way around: what the numbers of one box must not exceed for it to overlap each of eight. Made once, and
// compared with one box after the other.
typedef struct pl__facing_w
{
    pl_real_w v[6][BOX_PARTS];
} pl__facing_w;

PL_INLINE pl__facing_w pl__box8_facing_w(const pl__box8 *block)
{
    pl__facing_w f;
    for (int k = 0; k < 6; ++k)
        for (int part = 0; part < BOX_PARTS; ++part)
            f.v[k][part] = -pl_load_w(&block->v[(k + 3) % 6][part * PL_LANES]);
    return f;
}

// One bit per box that overlaps box `lane` of a block.
PL_INLINE unsigned pl__box8_faces_w(const pl__box8 *block, unsigned lane, const pl__facing_w *facing)
{
    unsigned bits = 0;
    for (int part = 0; part < BOX_PARTS; ++part)
    {
        pl_mask_w all = pl_ge_w(facing->v[0][part], pl_set_w(block->v[0][lane]));
        for (int k = 1; k < 6; ++k)
            all = pl_and_w(all, pl_ge_w(facing->v[k][part], pl_set_w(block->v[k][lane])));
        bits |= pl__mask_bits_w(all) << part * PL_LANES;
    }
    return bits;
}

// The numbers of the bits that are set, each plus `base`, to a list with room for eight; returns how many. No branches,
// which would be guessed wrong.
PL_INLINE int pl__list_bits_w(const pl__tree *tree, unsigned bits, unsigned base, uint8_t *list)
{
    uint64_t lanes;
    memcpy(&lanes, tree->bits_set[bits], sizeof lanes);
    lanes += base * 0x0101010101010101ull;
    memcpy(list, &lanes, sizeof lanes);
    return __builtin_popcount(bits);
}

#endif

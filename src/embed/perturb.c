// src/embed/perturb.c -- which side, where nothing ever lies on the border.
//
// Simulation of simplicity (Edelsbrunner & Muecke 1990). A point with the number i is thought to be at x + (e_3i, e_3i+1, e_3i+2)
// with e_0 >> e_1 >> e_2 ... > 0, each smaller than any power of those before. The determinant becomes a polynomial in the e, and
// its sign that of the first coefficient that is not zero. Each e stands once in the matrix, so that its monomials are sets
// of e with no two in a row or a column; by size they come in the order of binary numbers whose bits are the e, largest lowest:
//
//     1,  e_0,  e_1,  e_0 e_1,  e_2,  e_0 e_2, ...
//
// and the coefficient is the minor without their rows and columns. One of them is 1 in the end, when all rows but those of unmoved
// points are crossed out; the minor of the latter is not zero for some columns if they are independent. So nothing is ever in a
// plane: the world that the signs describe is one that exists, as close to the given one as anybody likes, and in
// general position. Points that coincide, triangles without area and edges in a face need no cases of their own.
//
// The zeroth coefficient decides nearly always, and the others are seen in degenerate places only.
#include "perturb.h"
#include "math/determinant.h"

#include <stdbool.h>

// Rows of the matrix are point[i] - base; rank[i] is the place of a moving point among the moving ones, or -1.
typedef struct
{
    const double *point[3], *base;
    int rank[3];
} rows;

// Which column each row is crossed out with, or -1; false when two rows want one column or a row two.
static bool cross_out(const rows *r, unsigned set, int column[3])
{
    unsigned taken = 0;
    for (int i = 0; i < 3; ++i)
    {
        unsigned own = r->rank[i] < 0 ? 0 : set >> 3 * r->rank[i] & 7;
        if ((own & (own - 1)) || (own & taken))
            return false;
        taken |= own;
        column[i] = own == 0 ? -1 : own == 1 ? 0 : own == 2 ? 1 : 2;
    }
    return true;
}

static int sign_of_order(const double *a, const double *b, int d) { return (a[d] > b[d]) - (a[d] < b[d]); }

static int minor2(const rows *r, int i, int k, int c, int d)
{
    const double p[2] = {r->point[i][c], r->point[i][d]}, q[2] = {r->point[k][c], r->point[k][d]};
    const double o[2] = {r->base[c], r->base[d]};
    return pl__orient2(p, q, o);
}

// The sign of the minor of the rows and columns that are left, times that of its place.
static int coefficient(const rows *r, const int column[3])
{
    int left[3], free[3], left_count = 0, free_count = 0, full[3], k = 0;
    for (int i = 0; i < 3; ++i)
    {
        if (column[i] < 0)
            left[left_count++] = i;
        if (column[0] != i && column[1] != i && column[2] != i)
            free[free_count++] = i;
    }
    if (left_count == 3)
        return pl__orient3(r->point[0], r->point[1], r->point[2], r->base);
    // the rows that are left take the free columns in order: the sign of that permutation is that of the place
    for (int i = 0; i < 3; ++i)
        full[i] = column[i] < 0 ? free[k++] : column[i];
    int place = (full[0] > full[1]) ^ (full[0] > full[2]) ^ (full[1] > full[2]) ? -1 : 1;
    if (left_count == 0)
        return place;
    if (left_count == 1)
        return place * sign_of_order(r->point[left[0]], r->base, free[0]);
    return place * minor2(r, left[0], left[1], free[0], free[1]);
}

static int first_coefficient(const rows *r, int moving)
{
    for (unsigned set = 0; set < 1u << 3 * moving; ++set)
    {
        int column[3], sign = cross_out(r, set, column) ? coefficient(r, column) : 0;
        if (sign != 0)
            return sign;
    }
    return 0; // unmoved points that depend on each other
}

int pl__side(pl__spot a, pl__spot b, pl__spot c, pl__spot d)
{
    int sign = pl__orient3(a.x, b.x, c.x, d.x);
    if (sign != 0)
        return sign;
    // an unmoved point becomes the base: two exchanged points change the sign
    pl__spot spot[4] = {a, b, c, d};
    int base = 3, flip = 1, moving = 0;
    while (base > 0 && spot[base].number != PL__UNMOVED)
        --base;
    if (base != 3)
        spot[base] = d, flip = -1;
    rows r = {.base = base == 3 ? d.x : base == 2 ? c.x : base == 1 ? b.x : a.x};
    for (int i = 0; i < 3; ++i)
    {
        r.point[i] = spot[i].x;
        r.rank[i] = -1;
        for (int k = 0; k < 3 && spot[i].number != PL__UNMOVED; ++k)
            r.rank[i] += k == i || (spot[k].number != PL__UNMOVED && spot[k].number < spot[i].number);
        moving += r.rank[i] >= 0;
    }
    return flip * first_coefficient(&r, moving);
}

// src/embed/perturb.c -- orientation predicates without degenerate cases.
//
// Simulation of simplicity (Edelsbrunner & Muecke 1990). A point with index i is perturbed to x + (e_3i, e_3i+1,
// e_3i+2) with e_0 >> e_1 >> e_2 ... > 0, each smaller than any power of those before. The determinant becomes a
// polynomial in the e, and its sign that of the first nonzero coefficient. Each e occurs once in the matrix, so that
// its monomials are sets of e with no two in a row or a column; by size they come in the order of binary numbers whose
// bits are the e, largest lowest:
//
//     1,  e_0,  e_1,  e_0 e_1,  e_2,  e_0 e_2, ...
//
// and the coefficient is the minor without their rows and columns. The last of them is 1, when all rows but those of
// unmoved points are crossed out; the minor of the latter is nonzero for some columns if they are independent. So
// nothing is ever coplanar: the signs describe a configuration that exists, arbitrarily close to the given one, and in
// general position. Coincident points, triangles without area and edges in a face need no special cases.
//
// The zeroth coefficient decides nearly always; the others matter in degenerate places only. Quotients of volumes that
// are all zero have a limit too, as the e go to zero: that of the coefficients of the first monomial that any of them
// has.
#include "perturb.h"
#include "math/determinant.h"

#include <math.h>
#include <stdbool.h>

enum
{
    ALL_SETS = 1 << 9 // of the coordinates of three points
};

// Rows of the matrix are point[i] - base; rank[i] is the rank of a perturbed point among the perturbed ones, or -1.
typedef struct
{
    const double *point[3], *base;
    int rank[3];
} rows;

// The column that each row is crossed out with, or -1; false if two rows share a column, a row has two, or there is no
// such row.
static bool cross_out(const rows *r, unsigned set, int column[3])
{
    unsigned taken = 0, known = 0;
    for (int i = 0; i < 3; ++i)
    {
        unsigned own = r->rank[i] < 0 ? 0 : set >> 3 * r->rank[i] & 7;
        if ((own & (own - 1)) || (own & taken))
            return false;
        taken |= own;
        known |= r->rank[i] < 0 ? 0 : 7u << 3 * r->rank[i];
        column[i] = own == 0 ? -1 : own == 1 ? 0 : own == 2 ? 1 : 2;
    }
    return (set & ~known) == 0;
}

// A value with an exact sign, which rounding may have lost.
static double with_sign(double value, int sign) { return sign == 0 ? 0 : sign * value > 0 ? value : sign * 0x1p-1000; }

static double minor1(const rows *r, int i, int c)
{
    double p = r->point[i][c], o = r->base[c];
    return with_sign(p - o, (p > o) - (p < o));
}

static double minor2(const rows *r, int i, int k, int c, int d)
{
    const double p[2] = {r->point[i][c], r->point[i][d]}, q[2] = {r->point[k][c], r->point[k][d]};
    const double o[2] = {r->base[c], r->base[d]};
    return with_sign((p[0] - o[0]) * (q[1] - o[1]) - (p[1] - o[1]) * (q[0] - o[0]), pl__orient2(p, q, o));
}

// The minor of the remaining rows and columns, times its cofactor sign.
static double coefficient(const rows *r, const int column[3])
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
        return pl__volume6(r->point[0], r->point[1], r->point[2], r->base);
    // the remaining rows take the free columns in order: the sign of that permutation is the cofactor sign
    for (int i = 0; i < 3; ++i)
        full[i] = column[i] < 0 ? free[k++] : column[i];
    int place = (full[0] > full[1]) ^ (full[0] > full[2]) ^ (full[1] > full[2]) ? -1 : 1;
    if (left_count == 0)
        return place;
    if (left_count == 1)
        return place * minor1(r, left[0], free[0]);
    return place * minor2(r, left[0], left[1], free[0], free[1]);
}

// Rows for four points, up to a sign, which is returned: an unmoved point becomes the base.
static int take_rows(const pl__spot point[4], rows *r)
{
    pl__spot spot[4] = {point[0], point[1], point[2], point[3]};
    int base = 3;
    while (base > 0 && spot[base].number != PL__UNMOVED)
        --base;
    r->base = spot[base].x;
    spot[base] = spot[3];
    for (int i = 0; i < 3; ++i)
    {
        r->point[i] = spot[i].x;
        r->rank[i] = -1;
        for (int k = 0; k < 3 && spot[i].number != PL__UNMOVED; ++k)
            r->rank[i] += k == i || (spot[k].number != PL__UNMOVED && spot[k].number < spot[i].number);
    }
    return base == 3 ? 1 : -1;
}

int pl__side(pl__spot a, pl__spot b, pl__spot c, pl__spot d)
{
    int sign = pl__orient3(a.x, b.x, c.x, d.x);
    if (sign != 0)
        return sign;
    rows r;
    sign = take_rows((const pl__spot[4]){a, b, c, d}, &r);
    for (unsigned set = 1; set < ALL_SETS; ++set)
    {
        int column[3];
        double value = cross_out(&r, set, column) ? coefficient(&r, column) : 0;
        if (value != 0)
            return value > 0 ? sign : -sign;
    }
    return 0; // linearly dependent unmoved points
}

void pl__sizes(const pl__spot (*point)[4], int count, double *size)
{
    rows r[3];
    for (int i = 0; i < count; ++i)
        (void)take_rows(point[i], &r[i]);
    bool any = false;
    for (unsigned set = 0; set < ALL_SETS && !any; ++set)
        for (int i = 0; i < count; ++i)
        {
            int column[3];
            size[i] = cross_out(&r[i], set, column) ? fabs(coefficient(&r[i], column)) : 0;
            any |= size[i] > 0;
        }
}

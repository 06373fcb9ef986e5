// src/fluid/part.kernel.c -- the part of a cell with phi < 0, by 48 tetrahedra, eight at a time.
//
// A cell is made of 48 tetrahedra (center, middle of a face, middle of an edge, corner), one for each octant and order
// of the axes. phi is linear in each. With its values at the corners sorted, a <= b <= c <= d, and xy = x / (x - y) the
// part of the edge from x to y that is cut off, the negative part of a tetrahedron is
//
//     one corner   ab ac ad
//     two          ac ad + ac bd (1 - ad) + (1 - ac) bc bd       a wedge of three tetrahedra
//     three        1 - (1 - ad) (1 - bd) dc
#include "part.h"
#include "base/simd.h"

enum
{
    TETS = 8
};

// Means over the cube spanned by the center and each neighbour: phi at the middles of faces and edges and at the
// corners of the cell. In place, one axis after the other.
PL_INLINE void find_vertices(double v[27])
{
    static const int stride[3][3] = {{9, 3, 1}, {3, 1, 9}, {1, 9, 3}};
    for (int axis = 0; axis < 3; ++axis)
        for (int line = 0; line < 9; ++line)
        {
            double *at = v + line / 3 * stride[axis][1] + line % 3 * stride[axis][2], *end = at + 2 * stride[axis][0],
                   middle = at[stride[axis][0]];
            *at = 0.5 * (middle + *at);
            *end = 0.5 * (middle + *end);
        }
}

PL_INLINE void sort(pl_real_w *low, pl_real_w *high)
{
    pl_real_w least = pl_min_w(*low, *high), most = pl_max_w(*low, *high);
    *low = least;
    *high = most;
}

PL_INLINE pl_real_w negative_part(pl_real_w a, pl_real_w b, pl_real_w c, pl_real_w d)
{
    pl_real_w zero = pl_set_w(0), one = pl_set_w(1);
    sort(&a, &b);
    sort(&c, &d);
    sort(&a, &c);
    sort(&b, &d);
    sort(&b, &c);
    pl_mask_w in_a = pl_lt_w(a, zero), in_b = pl_lt_w(b, zero), in_c = pl_lt_w(c, zero), in_d = pl_lt_w(d, zero);
    if (!pl_any_w(in_a))
        return zero;
    if (pl_all_w(in_d))
        return one;
    // lanes of other cases may divide by zero, and are not taken
    pl_real_w ab = a / (a - b), ac = a / (a - c), ad = a / (a - d), bc = b / (b - c), bd = b / (b - d),
              dc = d / (d - c);
    pl_real_w two = ac * ad + ac * bd * (1.0 - ad) + (1.0 - ac) * bc * bd;
    pl_real_w three = 1.0 - (1.0 - ad) * (1.0 - bd) * dc;
    pl_real_w part = pl_select_w(in_b, two, ab * ac * ad);
    part = pl_select_w(in_c, three, part);
    part = pl_select_w(in_d, one, part);
    return pl_select_w(in_a, part, zero);
}

static int count_negative(const double v[27])
{
    int count = 0;
    for (int n = 0; n < 27; ++n)
        count += v[n] < 0;
    return count;
}

double PL_KERNEL(pl__cell_part)(const double samples[27])
{
    static const int axes[3] = {9, 3, 1};
    double v[27], sum[TETS] = {0}, total = 0;
    memcpy(v, samples, sizeof v);
    find_vertices(v);
    int negative = count_negative(v);
    if (negative == 0 || negative == 27)
        return negative == 27;
    for (int order = 0; order < 6; ++order)
    {
        int a = axes[order % 3], b = axes[(order + 1 + order / 3) % 3], c = 13 - a - b;
        double face[TETS], edge[TETS], corner[TETS];
        for (int octant = 0; octant < TETS; ++octant)
        {
            int at_face = 13 + (octant & 1 ? a : -a), at_edge = at_face + (octant & 2 ? b : -b);
            face[octant] = v[at_face];
            edge[octant] = v[at_edge];
            corner[octant] = v[at_edge + (octant & 4 ? c : -c)];
        }
        for (int lane = 0; lane < TETS; lane += PL_LANES)
            pl_store_w(&sum[lane],
                       pl_load_w(&sum[lane]) + negative_part(pl_set_w(v[13]), pl_load_w(&face[lane]),
                                                             pl_load_w(&edge[lane]), pl_load_w(&corner[lane])));
    }
    for (int octant = 0; octant < TETS; ++octant)
        total += sum[octant];
    return total / 48;
}

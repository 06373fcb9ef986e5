// src/mesh/fitting.c -- isosurface stuffing: a lattice whose boundary points are moved onto the surface.
//
// Labelle & Shewchuk 2007, with a uniform lattice:
//
//     1. every lattice point is inside (+) or outside (-);
//     2. an edge with unequal ends has a cut point where it meets the surface;
//     3. a point with a cut point too near on one of its edges (closer than alpha times the length) is moved there and
//        counts as on the surface (0); the cut points of all its edges disappear;
//     4. each lattice tetrahedron with a + corner is replaced by its part within the surface: the corners that are + or
//        0, and the cut points of its edges + -. The shape is a tetrahedron, a pyramid or a prism.
//
// The dihedral angles of the result are bounded whatever the surface, because every point of a stencil is a lattice
// point, a lattice point moved by less than alpha along one of its 14 edges, or a cut point at least alpha away from
// both ends.
//
// A quadrilateral + + cut cut lies on a lattice face, and the tetrahedra on both sides must divide it along the same
// diagonal; + and - corners have not moved, so this can be decided on the lattice.
//
// - If the + + edge is long: the diagonal whose + end has an odd number of coordinates greater than those of the -
// corner (the paper's parity rule). Then a wedge gets its two diagonals in opposite senses.
//
// - Otherwise one cut point is on a long edge. The diagonal ends at that cut point if it is nearer to the + end of its
// edge than to the - end, else at the other one. Both such quadrilaterals of a truncated tetrahedron share the long
// edge, so their diagonals agree and never form a cycle.
//
// The second rule and alpha = 0.26 (long), 0.39 (short) are ours, found by sampling and not proved. Sampling all
// stencils with all extreme positions of their points, moved in any of the 14 directions independently, gave angles
// within [11.28, 160.37] degrees. With 0.24999 and 0.41189 (the paper's pair) it was [9.2, 161.7], the worst being + 0
// 0 0; with the diagonal always at the long edge's cut point + + 0 - went down to 9.3, always at the short one's to
// 7.0, at these alphas too.
//
// Step 3 visits the points in order and takes the nearest cut point. The order changes the mesh (a moved point deletes
// cut points that its neighbours might have used), not the bound.
//
// What it does badly: features thinner than a cell vanish or break up; sharp edges are cut off; a boundary may touch
// itself at a point or an edge where the surface comes closer to itself than a cell.
#include "base/task.h"
#include "point.h"
#include "stuffing.h"

enum
{
    MAX_CROSSINGS = 64,
    CUT_CHUNK = 64
};

static const double alpha_long = 0.26, alpha_short = 0.39;

typedef struct
{
    uint64_t key;   // of the edge
    double t;       // position on the edge from a to b, in [0, 1]
    int32_t a, b;   // lattice points; a owns the edge
    int32_t number; // in the mesh, or -1
} cut;

typedef struct
{
    int32_t point, cut;
} moved_point;

typedef struct
{
    pl__stuffing *s;
    cut *cuts; // [cut_count]  by ascending key
    int32_t cut_count;

    // points that are ends of cut edges, and their cuts
    int32_t end_count;
    int32_t *first;     // [end_count + 1]  into `incident`
    int32_t *end_point; // [end_count]  ascending
    int32_t *incident;  // [2 cut_count]
    moved_point *moved; // [moved_count], room for end_count; ascending points
    int32_t moved_count;

    // output; tets is NULL in the pass that only counts
    int32_t *tets;
    int64_t tet_count;
    int64_t node_count;
    bool bad_value; // the user's function returned NaN
} fitting;

// ---- cut points --------------------------------------------------------------------------------------------

typedef void edge_visitor(fitting *fit, uint64_t key, int32_t a, int32_t b);

static void visit_cut_edges(fitting *fit, edge_visitor *visit)
{
    const pl__lattice *l = &fit->s->lattice;
    const int8_t *sign = fit->s->sign;
    for (int32_t a = 0; a < l->point_count; ++a)
    {
        int32_t q[3], other[3];
        pl__lattice_coordinates(l, a, q);
        for (int which = 0; which < PL__LATTICE_EDGES; ++which)
        {
            if (!pl__lattice_edge(l, q, which, other))
                continue;
            int32_t b = pl__lattice_point(l, other);
            if (sign[a] * sign[b] < 0)
                visit(fit, (uint64_t)a * 16 + (uint64_t)which, a, b);
        }
    }
}

static void count_cut(fitting *fit, uint64_t key, int32_t a, int32_t b)
{
    (void)key, (void)a, (void)b;
    fit->cut_count++;
}

static void store_cut(fitting *fit, uint64_t key, int32_t a, int32_t b)
{
    fit->cuts[fit->cut_count++] = (cut){.key = key, .a = a, .b = b, .number = -1};
}

static void sort_few(double *t, int32_t count)
{
    for (int32_t i = 1; i < count; ++i)
    {
        double x = t[i];
        int32_t j = i;
        for (; j > 0 && t[j - 1] > x; --j)
            t[j] = t[j - 1];
        t[j] = x;
    }
}

// The edge crosses no triangle although its ends differ: it passes through a hole, where the winding number changes
// smoothly, or it grazes the surface and rounding hides the crossing.
static double cut_in_hole(const pl__solid *solid, const double inner[3], const double outer[3])
{
    if (!pl__solid_inside(solid, inner) || pl__solid_inside(solid, outer))
        return pl__bvh_closest(solid->bvh, inner, NULL, NULL) <= pl__bvh_closest(solid->bvh, outer, NULL, NULL) ? 0 : 1;
    double low = 0, high = 1, x[3];
    while (high - low > 1e-4) // accuracy of the winding number itself
    {
        double middle = 0.5 * (low + high);
        pl__lerp3(inner, outer, middle, x);
        *(pl__solid_inside(solid, x) ? &low : &high) = middle;
    }
    return 0.5 * (low + high);
}

// From the inside end, the first crossing behind which is outside.
static double cut_solid(const pl__solid *solid, const double inner[3], const double outer[3])
{
    double t[MAX_CROSSINGS];
    int32_t count = pl__bvh_crossings(solid->bvh, inner, outer, t, MAX_CROSSINGS);
    if (count == 1)
        return t[0];
    if (count == 0 || count > MAX_CROSSINGS)
        return cut_in_hole(solid, inner, outer);
    sort_few(t, count);
    for (int32_t i = 0; i + 1 < count; ++i)
    {
        double x[3];
        pl__lerp3(inner, outer, 0.5 * (t[i] + t[i + 1]), x);
        if (t[i + 1] - t[i] > 1e-9 && !pl__solid_inside(solid, x))
            return t[i];
    }
    return t[count - 1];
}

// Regula falsi (Illinois) with occasional bisection: the function may be any continuous one.
static double cut_function(fitting *fit, const double a[3], const double b[3], double fa, double fb)
{
    double low = 0, high = 1, t = 0.5;
    for (int i = 0; i < 100 && high - low > 1e-10; ++i)
    {
        t = low + (high - low) * (fa / (fa - fb));
        if (i % 4 == 3 || !(t > low && t < high))
            t = 0.5 * (low + high);
        double x[3];
        pl__lerp3(a, b, t, x);
        double f = fit->s->function(fit->s->user, x);
        fit->bad_value |= isnan(f);
        if (!(f < 0 || f > 0))
            return t;
        if ((f < 0) == (fa < 0))
            low = t, fa = f, fb *= 0.5;
        else
            high = t, fb = f, fa *= 0.5;
    }
    return t;
}

static void find_cut(fitting *fit, cut *c)
{
    const pl__stuffing *s = fit->s;
    double a[3], b[3];
    pl__lattice_position(&s->lattice, c->a, a);
    pl__lattice_position(&s->lattice, c->b, b);
    if (s->function)
        c->t = cut_function(fit, a, b, s->value[c->a], s->value[c->b]);
    else
        c->t = s->sign[c->a] > 0 ? cut_solid(s->solid, a, b) : 1 - cut_solid(s->solid, b, a);
}

static void find_cut_range(void *argument, int32_t begin, int32_t end)
{
    fitting *fit = argument;
    for (int32_t i = begin; i < end; ++i)
        find_cut(fit, &fit->cuts[i]);
}

static pl_status find_cuts(fitting *fit)
{
    pl_context *ctx = fit->s->ctx;
    visit_cut_edges(fit, count_cut);
    fit->cuts = PL_NEW(ctx, fit->cut_count, cut);
    if (!fit->cuts)
        return PL_ERR_MEMORY;
    fit->cut_count = 0;
    visit_cut_edges(fit, store_cut);
    if (fit->s->function)
        find_cut_range(fit, 0, fit->cut_count); // the user's function stays on the user's thread
    else
        pl__parallel_for(ctx, fit->cut_count, CUT_CHUNK, find_cut_range, fit);
    PL_CHECK(ctx, !fit->bad_value, "%s: the function is not a number at some point", fit->s->where);
    return PL_OK;
}

// ---- warping -----------------------------------------------------------------------------------------------

// Which cuts end at which point: `map` counts, then numbers the ends.
static pl_status list_ends(fitting *fit)
{
    pl_context *ctx = fit->s->ctx;
    int32_t *map = fit->s->map, points = fit->s->lattice.point_count;
    for (int32_t p = 0; p < points; ++p)
        map[p] = 0;
    for (int32_t c = 0; c < fit->cut_count; ++c)
        map[fit->cuts[c].a]++, map[fit->cuts[c].b]++;
    for (int32_t p = 0; p < points; ++p)
        fit->end_count += map[p] > 0;
    fit->first = PL_NEW(ctx, (size_t)fit->end_count + 1, int32_t);
    fit->end_point = PL_NEW(ctx, fit->end_count, int32_t);
    fit->incident = PL_NEW(ctx, 2 * (size_t)fit->cut_count, int32_t);
    fit->moved = PL_NEW(ctx, fit->end_count, moved_point);
    if (!fit->first || !fit->end_point || !fit->incident || !fit->moved)
        return PL_ERR_MEMORY;
    int32_t end = 0;
    for (int32_t p = 0; p < points; ++p)
        if (map[p] > 0)
        {
            fit->end_point[end] = p;
            fit->first[end + 1] = fit->first[end] + map[p];
            map[p] = end++;
        }
    // fill, moving `first` forward, then shift it back
    for (int32_t c = 0; c < fit->cut_count; ++c)
    {
        fit->incident[fit->first[map[fit->cuts[c].a]]++] = c;
        fit->incident[fit->first[map[fit->cuts[c].b]]++] = c;
    }
    for (int32_t e = fit->end_count; e > 0; --e)
        fit->first[e] = fit->first[e - 1];
    fit->first[0] = 0;
    return PL_OK;
}

static bool is_long(const pl__lattice *l, int32_t a, int32_t b)
{
    return (a < l->corner_count) == (b < l->corner_count);
}

// The nearest cut point that violates `point`, or -1.
static int32_t nearest_violation(const fitting *fit, int32_t end)
{
    const pl__lattice *l = &fit->s->lattice;
    const int8_t *sign = fit->s->sign;
    int32_t point = fit->end_point[end], best = -1;
    double least = INFINITY;
    for (int32_t i = fit->first[end]; i < fit->first[end + 1]; ++i)
    {
        const cut *c = &fit->cuts[fit->incident[i]];
        if (sign[c->a] * sign[c->b] >= 0)
            continue; // its other end has moved
        bool is_long_edge = is_long(l, c->a, c->b);
        double fraction = point == c->a ? c->t : 1 - c->t;
        double distance = fraction * (is_long_edge ? 1 : 0.86602540378443865);
        if (fraction < (is_long_edge ? alpha_long : alpha_short) && distance < least)
            least = distance, best = fit->incident[i];
    }
    return best;
}

static void warp(fitting *fit)
{
    for (int32_t end = 0; end < fit->end_count; ++end)
    {
        int32_t c = nearest_violation(fit, end);
        if (c < 0)
            continue;
        fit->s->sign[fit->end_point[end]] = 0;
        fit->moved[fit->moved_count++] = (moved_point){fit->end_point[end], c};
    }
}

static void place_cut(const fitting *fit, const cut *c, double x[3])
{
    double a[3], b[3];
    pl__lattice_position(&fit->s->lattice, c->a, a);
    pl__lattice_position(&fit->s->lattice, c->b, b);
    pl__lerp3(a, b, c->t, x);
}

// ---- stencils ----------------------------------------------------------------------------------------------

// A lattice tetrahedron with its corners sorted by sign: + first, then 0, then -.
typedef struct
{
    const pl__lattice_tet *tet;
    int corner[4];
    bool odd; // the sorting is an odd permutation: the outcome is mirrored
} sorted_tet;

static int32_t number_point(fitting *fit, int32_t point)
{
    int32_t *number = &fit->s->map[point];
    if (*number < 0)
        *number = (int32_t)fit->node_count++;
    return *number;
}

static int32_t number_corner(fitting *fit, const sorted_tet *st, int i)
{
    return number_point(fit, st->tet->point[st->corner[i]]);
}

// The cut point on the edge between sorted corners i and j.
static cut *find_cut_of(fitting *fit, const sorted_tet *st, int i, int j)
{
    int32_t a = st->tet->point[st->corner[i]], b = st->tet->point[st->corner[j]];
    uint64_t key = pl__lattice_edge_key(&fit->s->lattice, &a, &b);
    int32_t low = 0, high = fit->cut_count - 1;
    while (low < high)
    {
        int32_t middle = low + (high - low) / 2;
        if (fit->cuts[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    PL_ASSERT(fit->cuts[low].key == key);
    return &fit->cuts[low];
}

static int32_t number_cut(fitting *fit, const sorted_tet *st, int i, int j)
{
    cut *c = find_cut_of(fit, st, i, j);
    if (c->number < 0)
        c->number = (int32_t)fit->node_count++;
    return c->number;
}

static void emit(fitting *fit, bool odd, int32_t a, int32_t b, int32_t c, int32_t d)
{
    if (fit->tets)
    {
        int32_t *tet = &fit->tets[4 * fit->tet_count];
        tet[0] = a, tet[1] = b, tet[2] = odd ? d : c, tet[3] = odd ? c : d;
    }
    fit->tet_count++;
}

// Is the cut point of the edge from sorted corner + i to - n nearer to the + end?
static bool cut_is_near(fitting *fit, const sorted_tet *st, int i, int n)
{
    const cut *c = find_cut_of(fit, st, i, n);
    return (c->a == st->tet->point[st->corner[i]] ? c->t : 1 - c->t) <= 0.5;
}

// On the face of sorted corners + i, + j and - n: is the diagonal from corner i to the cut point of edge j n?
static bool diagonal_from(fitting *fit, const sorted_tet *st, int i, int j, int n)
{
    int p = st->corner[i], q = st->corner[j], minus = st->corner[n];
    if ((q ^ 1) == minus)
        return cut_is_near(fit, st, j, n);
    if ((p ^ 1) == minus)
        return !cut_is_near(fit, st, i, n);
    int greater = 0;
    for (int d = 0; d < 3; ++d)
        greater += st->tet->q[p][d] > st->tet->q[minus][d];
    return greater & 1;
}

// A prism between the triangles a and b, seen such that a0 a1 a2 b0 is positive. before[i] tells whether the side
// i, i+1 is cut from a_i to b_i+1 (and not from a_i+1 to b_i); not all three may be equal.
static void emit_prism(fitting *fit, bool odd, const int32_t a[3], const int32_t b[3], const bool before[3])
{
    // sort the three so that diagonals go from the earlier a to the later b
    int rank[3], order[3];
    for (int i = 0; i < 3; ++i)
        rank[i] = !before[i] + before[(i + 2) % 3]; // how many come before i
    for (int i = 0; i < 3; ++i)
        order[rank[i]] = i;
    int i = order[0], j = order[1], k = order[2];
    bool turn = odd ^ ((i + 1) % 3 != j);
    emit(fit, turn, a[i], a[j], a[k], b[k]);
    emit(fit, turn, a[i], a[j], b[k], b[j]);
    emit(fit, turn, a[i], b[i], b[j], b[k]);
}

// + + 0 -: a pyramid over the face + + -, its tip at the 0.
static void stencil_pyramid(fitting *fit, const sorted_tet *st)
{
    int32_t v0 = number_corner(fit, st, 0), v1 = number_corner(fit, st, 1), tip = number_corner(fit, st, 2);
    int32_t c0 = number_cut(fit, st, 0, 3), c1 = number_cut(fit, st, 1, 3);
    if (diagonal_from(fit, st, 0, 1, 3))
    {
        emit(fit, st->odd, v0, v1, tip, c1);
        emit(fit, st->odd, v0, c1, tip, c0);
    }
    else
    {
        emit(fit, st->odd, v0, v1, tip, c0);
        emit(fit, st->odd, c0, v1, tip, c1);
    }
}

// + + + -: the corner - is cut off.
static void stencil_truncated(fitting *fit, const sorted_tet *st)
{
    int32_t a[3], b[3];
    bool before[3];
    for (int i = 0; i < 3; ++i)
    {
        a[i] = number_corner(fit, st, i);
        b[i] = number_cut(fit, st, i, 3);
        before[i] = diagonal_from(fit, st, i, (i + 1) % 3, 3);
    }
    emit_prism(fit, st->odd, a, b, before);
}

static double cut_distance_squared(fitting *fit, const cut *c, const cut *d)
{
    double x[3], y[3];
    place_cut(fit, c, x);
    place_cut(fit, d, y);
    return pl__distance_squared3(x, y);
}

// + + - -: a wedge along the edge + +. Its third side lies on the surface, so its diagonal is free: the one that
// leaves no cycle, or the longer one if both do (the shorter one makes angles up to 163 degrees).
static void stencil_wedge(fitting *fit, const sorted_tet *st)
{
    int32_t a[3] = {number_corner(fit, st, 0), number_cut(fit, st, 0, 2), number_cut(fit, st, 0, 3)};
    int32_t b[3] = {number_corner(fit, st, 1), number_cut(fit, st, 1, 2), number_cut(fit, st, 1, 3)};
    bool side_2 = diagonal_from(fit, st, 0, 1, 2), side_3 = diagonal_from(fit, st, 0, 1, 3), third = !side_2;
    if (side_2 == side_3)
        third = cut_distance_squared(fit, find_cut_of(fit, st, 0, 2), find_cut_of(fit, st, 1, 3)) >
                cut_distance_squared(fit, find_cut_of(fit, st, 0, 3), find_cut_of(fit, st, 1, 2));
    // sides: 0 to 1, 1 to 2 (on the surface), 2 to 0
    emit_prism(fit, st->odd, a, b, (bool[3]){side_2, third, !side_3});
}

static void sort_corners(const fitting *fit, const pl__lattice_tet *tet, sorted_tet *st, int count[3])
{
    *st = (sorted_tet){.tet = tet};
    int placed = 0;
    for (int wanted = 1; wanted >= -1; --wanted)
        for (int k = 0; k < 4; ++k)
            if (fit->s->sign[tet->point[k]] == wanted)
                st->corner[placed++] = k, count[1 - wanted]++;
    for (int i = 0; i < 4; ++i)
        for (int j = i + 1; j < 4; ++j)
            st->odd ^= st->corner[i] > st->corner[j];
}

static void stencil(fitting *fit, const pl__lattice_tet *tet)
{
    sorted_tet st;
    int count[3] = {0, 0, 0};
    sort_corners(fit, tet, &st, count);
    int plus = count[0], minus = count[2];
    if (plus == 0)
        return;
    if (plus == 3 && minus == 1)
        stencil_truncated(fit, &st);
    else if (plus == 2 && minus == 2)
        stencil_wedge(fit, &st);
    else if (plus == 2 && minus == 1)
        stencil_pyramid(fit, &st);
    else
    {
        // one + and the rest - or 0, or no - at all: each - is replaced by the cut point on its edge to the +
        int32_t v[4];
        for (int i = 0; i < 4; ++i)
            v[i] = i < 4 - minus ? number_corner(fit, &st, i) : number_cut(fit, &st, 0, i);
        emit(fit, st.odd, v[0], v[1], v[2], v[3]);
    }
}

static void run_stencils(fitting *fit)
{
    const pl__lattice *l = &fit->s->lattice;
    const int8_t *sign = fit->s->sign;
    for (int32_t index = 0; index < l->cell_count; ++index)
    {
        int32_t cell[3];
        pl__lattice_cell_coordinates(l, index, cell);
        pl__lattice_tet tet;
        for (int which = 0; which < PL__LATTICE_TETS; ++which)
            if (pl__lattice_tet_of(l, cell, which, &tet) &&
                (sign[tet.point[0]] > 0 || sign[tet.point[1]] > 0 || sign[tet.point[2]] > 0 || sign[tet.point[3]] > 0))
                stencil(fit, &tet);
    }
}

// ---- the mesh ----------------------------------------------------------------------------------------------

static void place_nodes(const fitting *fit, double *position)
{
    const pl__stuffing *s = fit->s;
    for (int32_t p = 0; p < s->lattice.point_count; ++p)
        if (s->map[p] >= 0)
            pl__lattice_position(&s->lattice, p, &position[3 * (size_t)s->map[p]]);
    for (int32_t m = 0; m < fit->moved_count; ++m)
        if (s->map[fit->moved[m].point] >= 0)
            place_cut(fit, &fit->cuts[fit->moved[m].cut], &position[3 * (size_t)s->map[fit->moved[m].point]]);
    for (int32_t c = 0; c < fit->cut_count; ++c)
        if (fit->cuts[c].number >= 0)
            place_cut(fit, &fit->cuts[c], &position[3 * (size_t)fit->cuts[c].number]);
}

// Two passes over the lattice: number and count, then write.
static pl_status make_mesh(fitting *fit, pl_mesh **mesh)
{
    for (int32_t p = 0; p < fit->s->lattice.point_count; ++p)
        fit->s->map[p] = -1;
    run_stencils(fit);
    if (fit->tet_count == 0)
        return PL_OK;
    PL_TRY(pl__stuffing_check_count(fit->s, PL_ELEMENT_TET, fit->tet_count));
    *mesh = pl__mesh_new(fit->s->ctx, PL_ELEMENT_TET, (int32_t)fit->node_count, (int32_t)fit->tet_count);
    if (!*mesh)
        return PL_ERR_MEMORY;
    fit->tets = (*mesh)->element;
    fit->tet_count = 0;
    run_stencils(fit);
    place_nodes(fit, (*mesh)->position);
    return pl__mesh_finish(mesh, fit->s->where);
}

static void release(fitting *fit)
{
    pl_context *ctx = fit->s->ctx;
    PL_DELETE(ctx, fit->cuts, fit->cut_count);
    PL_DELETE(ctx, fit->first, (size_t)fit->end_count + 1);
    PL_DELETE(ctx, fit->end_point, fit->end_count);
    PL_DELETE(ctx, fit->incident, 2 * (size_t)fit->cut_count);
    PL_DELETE(ctx, fit->moved, fit->end_count);
}

pl_status pl__stuffing_fit(pl__stuffing *stuffing, pl_mesh **mesh)
{
    fitting fit = {.s = stuffing};
    pl_status status = find_cuts(&fit);
    if (status == PL_OK)
        status = list_ends(&fit);
    if (status == PL_OK)
    {
        warp(&fit);
        status = make_mesh(&fit, mesh);
    }
    release(&fit);
    return status;
}

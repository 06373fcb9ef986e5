// src/contact/exact.c -- triangles that meet, decided by exact signs of determinants (math/determinant.h).
//
// Triangles meet when an edge of one meets the other (closed sets; an edge of a triangle within another one meets it).
// An edge p q whose ends are not both in the plane of a triangle abc meets it when the ends are not on one side, and
// the tetrahedra p q a b, p q b c, p q c a do not have both signs. If all is in one plane, look at the three shadows on
// the planes of the axes: figures in one plane meet when all their shadows do, since one shadow at least is faithful,
// and the others are shadows. Devillers & Guigue 2002 need fewer determinants; boxes sort out most pairs before they
// come here.
#include "exact.h"

#include <math.h>
#include <string.h>

// ---- shadows -------------------------------------------------------------------------------------------------------

typedef struct
{
    double v[2];
} shadow;

static shadow cast(const double p[3], int axis) { return (shadow){{p[(axis + 1) % 3], p[(axis + 2) % 3]}}; }

static int side(shadow a, shadow b, shadow c) { return pl__orient2(a.v, b.v, c.v); }

// Whole numbers in the order of the doubles: comparing these tells denormals apart even where they are flushed.
static int64_t rank(double x)
{
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits < 0 ? -(bits & INT64_MAX) : bits;
}

static bool spans_overlap(double a, double b, double c, double d)
{
    int64_t p = rank(a), q = rank(b), r = rank(c), s = rank(d);
    int64_t low = p < q ? p : q, high = p < q ? q : p;
    return !(high < (r < s ? r : s) || (r < s ? s : r) < low);
}

static bool shadows_meet(shadow p, shadow q, shadow a, shadow b)
{
    for (int d = 0; d < 2; ++d)
        if (!spans_overlap(p.v[d], q.v[d], a.v[d], b.v[d]))
            return false;
    return side(p, q, a) * side(p, q, b) <= 0 && side(a, b, p) * side(a, b, q) <= 0;
}

static bool segments_meet(const double p[3], const double q[3], const double a[3], const double b[3])
{
    if (pl__orient3(p, q, a, b) != 0)
        return false;
    for (int axis = 0; axis < 3; ++axis)
        if (!shadows_meet(cast(p, axis), cast(q, axis), cast(a, axis), cast(b, axis)))
            return false;
    return true;
}

// A point in the plane of a triangle; a triangle without area has its edges only, and they are looked at elsewhere.
static bool point_within(const double p[3], const double t[3][3])
{
    for (int axis = 0; axis < 3; ++axis)
    {
        shadow s = cast(p, axis), a = cast(t[0], axis), b = cast(t[1], axis), c = cast(t[2], axis);
        int turn = side(a, b, c);
        if (turn != 0)
            return turn * side(a, b, s) >= 0 && turn * side(b, c, s) >= 0 && turn * side(c, a, s) >= 0;
    }
    return false;
}

// ---- triangles -----------------------------------------------------------------------------------------------------

static bool meets_in_plane(const double p[3], const double q[3], const double t[3][3])
{
    for (int k = 0; k < 3; ++k)
        if (segments_meet(p, q, t[k], t[(k + 1) % 3]))
            return true;
    return point_within(p, t);
}

// The line through two points that are not both in the plane of a triangle meets it.
static bool line_meets(const double p[3], const double q[3], const double t[3][3])
{
    int lowest = 1, highest = -1;
    for (int k = 0; k < 3; ++k)
    {
        int turn = pl__orient3(p, q, t[k], t[(k + 1) % 3]);
        lowest = turn < lowest ? turn : lowest, highest = turn > highest ? turn : highest;
    }
    return lowest * highest >= 0;
}

bool pl__segment_meets_triangle(const double p[3], const double q[3], const double t[3][3])
{
    int at_p = pl__orient3(t[0], t[1], t[2], p), at_q = pl__orient3(t[0], t[1], t[2], q);
    if (at_p * at_q > 0)
        return false;
    if (at_p == 0 && at_q == 0)
        return meets_in_plane(p, q, t);
    return line_meets(p, q, t);
}

bool pl__segment_passes_triangle(const double p[3], const double q[3], const double t[3][3])
{
    bool behind_p = pl__orient3(t[0], t[1], t[2], p) > 0, behind_q = pl__orient3(t[0], t[1], t[2], q) > 0;
    return behind_p != behind_q && line_meets(p, q, t);
}

bool pl__segment_pierces_triangle(const double p[3], const double q[3], const double t[3][3])
{
    if (pl__orient3(t[0], t[1], t[2], p) * pl__orient3(t[0], t[1], t[2], q) >= 0)
        return false;
    int turn = pl__orient3(p, q, t[0], t[1]);
    return turn != 0 && pl__orient3(p, q, t[1], t[2]) == turn && pl__orient3(p, q, t[2], t[0]) == turn;
}

static bool strictly_aside(const double a[3][3], const double b[3][3])
{
    int first = pl__orient3(a[0], a[1], a[2], b[0]);
    return first != 0 && pl__orient3(a[0], a[1], a[2], b[1]) == first && pl__orient3(a[0], a[1], a[2], b[2]) == first;
}

bool pl__triangles_meet(const double a[3][3], const double b[3][3])
{
    if (strictly_aside(a, b) || strictly_aside(b, a))
        return false;
    for (int k = 0; k < 3; ++k)
        if (pl__segment_meets_triangle(a[k], a[(k + 1) % 3], b) || pl__segment_meets_triangle(b[k], b[(k + 1) % 3], a))
            return true;
    return false;
}

// ---- all of a surface ----------------------------------------------------------------------------------------------

typedef struct
{
    const pl__tree *tree;
    const double *x;
    const pl__crossing_sink *sink;
} visit;

static void corners_of(const visit *job, const int32_t node[3], double out[3][3])
{
    for (int k = 0; k < 3; ++k)
        memcpy(out[k], &job->x[3 * (size_t)node[k]], sizeof out[k]);
}

// How many nodes two triangles share; with one, `own` and `others` are which corner it is.
static int shared_nodes(const int32_t a[3], const int32_t b[3], int *own, int *others)
{
    int shared = 0;
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            if (a[i] == b[k])
                shared++, *own = i, *others = k;
    return shared;
}

// Whether the edge of `t` opposite to corner k pierces `other`.
static bool opposite_pierces(const double t[3][3], int k, const double other[3][3])
{
    return pl__segment_pierces_triangle(t[(k + 1) % 3], t[(k + 2) % 3], other);
}

// Whether two triangles have corners that were one before a crack opened, and are no longer.
static bool across_crack(const pl__surfaces *s, const int32_t a[3], const int32_t b[3])
{
    for (int i = 0; s->origin && i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            if (a[i] != b[k] && s->origin[a[i]] == s->origin[b[k]])
                return true;
    return false;
}

static bool faces_cross(const visit *job, int32_t f, int32_t g)
{
    const int32_t *m = &job->tree->face_node[3 * (size_t)f], *n = &job->tree->face_node[3 * (size_t)g];
    double a[3][3], b[3][3];
    int i = 0, k = 0, shared = shared_nodes(m, n, &i, &k);
    if (shared > 1 || across_crack(job->tree->surfaces, m, n))
        return false;
    corners_of(job, m, a);
    corners_of(job, n, b);
    const double(*A)[3] = (const double(*)[3])a, (*B)[3] = (const double(*)[3])b;
    if (shared == 0)
        return pl__triangles_meet(A, B);
    return opposite_pierces(A, i, B) || opposite_pierces(B, k, A);
}

static void cross_leaves(const visit *job, int32_t chunk, int32_t leaf, int32_t other)
{
    const pl__tree *tree = job->tree;
    int32_t first = tree->face_start[leaf], others = tree->face_start[other];
    uint8_t near[PL__LEAF_TRIANGLES];
    PL_PICK(tree->ctx->register_bytes, pl__tree_near_faces)(tree, leaf, other, near);
    for (int i = 0; i < PL__LEAF_TRIANGLES; ++i)
        for (int k = leaf == other ? i + 1 : 0; k < PL__LEAF_TRIANGLES; ++k)
        {
            if (!(near[i] >> k & 1) || !faces_cross(job, first + i, others + k))
                continue;
            int32_t t = tree->face[first + i], u = tree->face[others + k];
            job->sink->take(job->sink->argument, chunk, t < u ? t : u, t < u ? u : t);
        }
}

static void visit_leaves(void *argument, int32_t begin, int32_t end)
{
    const visit *job = argument;
    const pl__tree *tree = job->tree;
    int32_t list[PL__NEAR_MOST];
    for (int32_t leaf = begin; leaf < end; ++leaf)
        for (int32_t from = leaf; from < tree->leaf_count;)
        {
            int32_t count = PL_PICK(tree->ctx->register_bytes, pl__tree_near)(tree, leaf, from, list, &from);
            for (int32_t i = 0; i < count; ++i)
                cross_leaves(job, begin / PL__LEAF_CHUNK, leaf, list[i]);
        }
}

void pl__crossings_visit(pl__tree *tree, const double *x, const pl__crossing_sink *sink)
{
    pl__tree_refit(tree, &(pl__sweep){.x_start = x, .x_end = x});
    pl__parallel_for(tree->ctx, tree->leaf_count, PL__LEAF_CHUNK, visit_leaves, &(visit){tree, x, sink});
}

static void count_one(void *argument, int32_t chunk, int32_t t, int32_t u)
{
    pl__crossings *c = &((pl__crossings *)argument)[chunk];
    if (c->listed < PL__CROSSINGS_LISTED)
    {
        c->triangle[c->listed][0] = t;
        c->triangle[c->listed++][1] = u;
    }
    c->count++;
}

static void join_counts(const pl__crossings *found, int32_t chunks, pl__crossings *all)
{
    *all = (pl__crossings){0};
    for (int32_t c = 0; c < chunks; ++c)
    {
        all->count += found[c].count;
        for (int32_t i = 0; i < found[c].listed && all->listed < PL__CROSSINGS_LISTED; ++i)
            memcpy(all->triangle[all->listed++], found[c].triangle[i], sizeof found[c].triangle[i]);
    }
}

pl_status pl__crossings_find(pl__tree *tree, const double *x, pl__crossings *crossings)
{
    int32_t chunks = pl__chunk_count(tree->leaf_count, PL__LEAF_CHUNK);
    pl__crossings *found = PL_NEW(tree->ctx, chunks, pl__crossings);
    if (!found)
        return PL_ERR_MEMORY;
    pl__crossings_visit(tree, x, &(pl__crossing_sink){count_one, found});
    join_counts(found, chunks, crossings);
    PL_DELETE(tree->ctx, found, chunks);
    return PL_OK;
}

// src/embed/fill.c -- triangulates a plane region given by its boundary loops, by ear clipping.
//
// Inner loops are joined to the outer one in turn by bridges, a pair of opposite edges to the nearest visible corner,
// which leaves a single polygon; ears are clipped until nothing is left (Meisters 1975). An ear is a triangle of three
// consecutive corners, turning left, with no other corner in it; every polygon has two, and well shaped ones are taken
// first: those with a smallest height of 0.3 of the longest side, then 0.1 and so on, in repeated rounds.
//
// Corners come rounded from elsewhere, so that polygons may cross themselves by the last bits, or touch themselves
// where corners coincide; if no ear is left, those that others touch are clipped, then straight corners, then the
// widest corner. Edges pass from the polygon to its triangles by id, so that the result is closed by construction.
//
// Cost grows as the square of the number of corners. Faces of a carrier mesh have a hundred or two.
#include "fill.h"
#include "mesh/point.h"

void pl__fill_done(pl__fill *f)
{
    if (!f->ctx)
        return;
    PL_DELETE(f->ctx, f->xy, f->xy_capacity);
    PL_DELETE(f->ctx, f->loop, f->loop_capacity);
    PL_DELETE(f->ctx, f->corner, f->corner_capacity);
    PL_DELETE(f->ctx, f->triangle, f->triangle_capacity);
    PL_DELETE(f->ctx, f->edge, f->edge_capacity);
    *f = (pl__fill){.ctx = f->ctx};
}

bool pl__fill_room(pl__fill *f, int32_t slot_count, int32_t loop_count)
{
    return PL_GROW(f->ctx, f->xy, &f->xy_capacity, 2 * (size_t)slot_count) &&
           PL_GROW(f->ctx, f->loop, &f->loop_capacity, (size_t)loop_count + 1);
}

static const double *at(const pl__fill *f, int32_t corner) { return &f->xy[2 * (size_t)f->corner[corner].slot]; }

// Twice the area of a triangle, positive when a, b, c turn left.
static double turn(const double *a, const double *b, const double *c)
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

static bool same_place(const double *a, const double *b) { return a[0] == b[0] && a[1] == b[1]; }

static double square_distance(const double *a, const double *b)
{
    double x = a[0] - b[0], y = a[1] - b[1];
    return x * x + y * y;
}

double pl__fill_area(const pl__fill *f, int32_t loop)
{
    int32_t begin = f->loop[loop], end = f->loop[loop + 1];
    const double *o = &f->xy[2 * (size_t)begin];
    double sum = 0;
    for (int32_t i = begin + 1; i + 1 < end; ++i)
        sum += turn(o, &f->xy[2 * (size_t)i], &f->xy[2 * (size_t)i + 2]);
    return sum;
}

// ---- one polygon out of all loops -----------------------------------------------------------------------------------

// A ring of corners from `first` on for the slots of a loop.
static void lay_ring(pl__fill *f, int32_t loop, int32_t first)
{
    int32_t begin = f->loop[loop], count = f->loop[loop + 1] - begin;
    for (int32_t i = 0; i < count; ++i)
        f->corner[first + i] =
            (pl__fill_corner){begin + i, first + (i + count - 1) % count, first + (i + 1) % count, begin + i};
}

// Whether p is visible from a corner into the polygon, as far as its two edges tell.
static bool in_cone(const pl__fill *f, int32_t corner, const double *p)
{
    const double *v = at(f, corner), *a = at(f, f->corner[corner].previous), *b = at(f, f->corner[corner].next);
    double bend = turn(a, v, b);
    if (bend == 0 && (a[0] - v[0]) * (b[0] - v[0]) + (a[1] - v[1]) * (b[1] - v[1]) > 0)
        return true; // the end of a slit
    if (bend >= 0)
        return turn(v, p, a) > 0 && turn(p, v, b) > 0;
    return !(turn(v, p, b) >= 0 && turn(p, v, a) >= 0);
}

static bool crosses(const double *p, const double *q, const double *a, const double *b)
{
    if (same_place(p, a) || same_place(p, b) || same_place(q, a) || same_place(q, b))
        return false;
    return turn(p, q, a) * turn(p, q, b) <= 0 && turn(a, b, p) * turn(a, b, q) <= 0;
}

static bool any_edge_crosses(const pl__fill *f, int32_t corner_count, const double *p, const double *q)
{
    for (int32_t i = 0; i < corner_count; ++i)
        if (crosses(p, q, at(f, i), at(f, f->corner[i].next)))
            return true;
    return false;
}

// Rings lie end to end; those before `first` are joined already, and so are the copies of corners from `copies` on.
typedef struct
{
    int32_t first, count, copies, corner_count;
} ring;

static int32_t next_joined(const ring *r, int32_t i) { return i + 1 == r->first ? r->copies : i + 1; }

// The joined corner nearest to p; or the nearest visible from `from`, which is at p, or -1.
static int32_t find_nearest(const pl__fill *f, const ring *r, int32_t from, bool in_sight)
{
    int32_t best = -1;
    const double *p = at(f, from);
    for (int32_t i = 0; i < r->corner_count; i = next_joined(r, i))
    {
        if (best >= 0 && square_distance(p, at(f, i)) >= square_distance(p, at(f, best)))
            continue;
        if (!in_sight ||
            (in_cone(f, i, p) && in_cone(f, from, at(f, i)) && !any_edge_crosses(f, r->corner_count, p, at(f, i))))
            best = i;
    }
    return best;
}

// The bridge from a ring to the joined ones: from the first corner of the ring that sees any.
static void find_bridge(const pl__fill *f, const ring *r, int32_t pair[2])
{
    for (pair[1] = r->first; pair[1] < r->first + r->count; ++pair[1])
        if ((pair[0] = find_nearest(f, r, pair[1], true)) >= 0)
            return;
    pair[1] = r->first;
    pair[0] = find_nearest(f, r, pair[1], false);
}

// Join the rings of two corners by a pair of opposite edges: copies of both corners are appended.
static void join_rings(pl__fill *f, int32_t a, int32_t b, int32_t *corner_count)
{
    int32_t c = (*corner_count)++, d = (*corner_count)++, edge = ~f->inner_count++;
    f->corner[c] = f->corner[a];
    f->corner[d] = f->corner[b];
    // ... a -> b ... d -> c ...
    f->corner[f->corner[a].next].previous = c;
    f->corner[f->corner[b].previous].next = d;
    f->corner[a].next = b, f->corner[b].previous = a;
    f->corner[d].next = c, f->corner[c].previous = d;
    f->corner[a].edge = f->corner[d].edge = edge;
}

static int32_t find_largest(const pl__fill *f, const int32_t *loops, int32_t loop_count)
{
    int32_t largest = 0;
    for (int32_t k = 1; k < loop_count; ++k)
        if (pl__fill_area(f, loops[k]) > pl__fill_area(f, loops[largest]))
            largest = k;
    return largest;
}

static int32_t join_loops(pl__fill *f, const int32_t *loops, int32_t loop_count)
{
    // the outer ring first
    int32_t outer = find_largest(f, loops, loop_count), total = 0;
    lay_ring(f, loops[outer], 0);
    total = f->loop[loops[outer] + 1] - f->loop[loops[outer]];
    ring r = {.first = total};
    for (int32_t k = 0; k < loop_count; ++k)
        if (k != outer)
        {
            lay_ring(f, loops[k], total);
            total += f->loop[loops[k] + 1] - f->loop[loops[k]];
        }
    r.copies = r.corner_count = total;
    for (int32_t k = 0; k < loop_count; ++k)
        if (k != outer)
        {
            int32_t pair[2];
            r.count = f->loop[loops[k] + 1] - f->loop[loops[k]];
            find_bridge(f, &r, pair);
            join_rings(f, pair[0], pair[1], &r.corner_count);
            r.first += r.count;
        }
    return r.corner_count;
}

// ---- ears -----------------------------------------------------------------------------------------------------------

static double longest_square(const double *a, const double *b, const double *c)
{
    return pl__max(pl__max(square_distance(a, b), square_distance(b, c)), square_distance(c, a));
}

// Twice the area over the longest side squared: the smallest height over the longest side.
static double ear_quality(const pl__fill *f, int32_t corner)
{
    const double *a = at(f, f->corner[corner].previous), *b = at(f, corner), *c = at(f, f->corner[corner].next);
    double longest = longest_square(a, b, c);
    return longest > 0 ? turn(a, b, c) / longest : 0;
}

// No other corner is in the ear, nor nearer to it than `margin` of its longest side. A negative margin tolerates
// corners that far inside.
static bool ear_is_free(const pl__fill *f, int32_t corner, double margin)
{
    int32_t first = f->corner[corner].previous, last = f->corner[corner].next;
    const double *a = at(f, first), *b = at(f, corner), *c = at(f, last);
    double least = -margin * longest_square(a, b, c);
    for (int32_t i = f->corner[last].next; i != first; i = f->corner[i].next)
    {
        const double *p = at(f, i);
        if (same_place(p, a) || same_place(p, b) || same_place(p, c))
            continue;
        if (turn(a, b, p) >= least && turn(b, c, p) >= least && turn(c, a, p) >= least)
            return false;
    }
    return true;
}

// Clipping criteria, strictest first. Faces of meshes made on grids continue each other, so that ends of slits in one
// lie between corners up to rounding: hence a margin. But slits may also lie next to sides: hence, later, none.
static const struct
{
    double quality, margin;
} levels[] = {{0.3, 1e-14}, {0.1, 1e-14}, {0.01, 1e-14}, {1e-6, 1e-14}, {1e-12, 1e-14},
              {1e-6, 0},    {1e-12, 0},   {1e-14, 0},    {0, 0},        {1e-12, -1e-12}};

enum
{
    STRAIGHT = sizeof levels / sizeof *levels, // straight or reflex corners
    ANY
};

static bool may_cut(const pl__fill *f, int32_t corner, int level)
{
    double quality = ear_quality(f, corner);
    if (level < STRAIGHT)
        return quality > levels[level].quality && ear_is_free(f, corner, levels[level].margin);
    return level == ANY || fabs(quality) < 1e-14;
}

static int32_t widest_corner(const pl__fill *f, int32_t corner, int32_t left)
{
    int32_t best = corner;
    for (; left > 0; --left, corner = f->corner[corner].next)
        if (ear_quality(f, corner) > ear_quality(f, best))
            best = corner;
    return best;
}

static void put_triangle(pl__fill *f, const int32_t corner[3], const int32_t edge[3])
{
    for (int k = 0; k < 3; ++k)
    {
        f->triangle[3 * (size_t)f->triangle_count + (size_t)k] = f->corner[corner[k]].slot;
        f->edge[3 * (size_t)f->triangle_count + (size_t)k] = edge[k];
    }
    f->triangle_count++;
}

// Clip an ear; the remaining polygon gets the new edge.
static void cut_ear(pl__fill *f, int32_t corner)
{
    pl__fill_corner *c = f->corner;
    int32_t a = c[corner].previous, b = c[corner].next, edge = ~f->inner_count++;
    put_triangle(f, (const int32_t[3]){a, corner, b}, (const int32_t[3]){c[a].edge, c[corner].edge, edge});
    c[a].next = b, c[b].previous = a;
    c[a].edge = edge;
}

static void cut_ears(pl__fill *f, int32_t left)
{
    int32_t corner = 0, idle = 0;
    for (int level = 0; left > 3;)
    {
        int32_t ear = level == ANY ? widest_corner(f, corner, left) : corner;
        if (may_cut(f, ear, level))
        {
            corner = f->corner[f->corner[ear].next].next;
            cut_ear(f, ear);
            left--, idle = 0, level = 0;
            continue;
        }
        corner = f->corner[corner].next;
        if (++idle >= left)
            level++, idle = 0;
    }
    const pl__fill_corner *c = f->corner;
    int32_t a = corner, b = c[a].next, d = c[b].next;
    if (left == 3)
        put_triangle(f, (const int32_t[3]){a, b, d}, (const int32_t[3]){c[a].edge, c[b].edge, c[d].edge});
}

bool pl__fill_region(pl__fill *f, const int32_t *loops, int32_t loop_count)
{
    size_t corners = 2 * (size_t)loop_count;
    for (int32_t k = 0; k < loop_count; ++k)
        corners += (size_t)(f->loop[loops[k] + 1] - f->loop[loops[k]]);
    f->triangle_count = f->inner_count = 0;
    bool ok = PL_GROW(f->ctx, f->corner, &f->corner_capacity, corners) &&
              PL_GROW(f->ctx, f->triangle, &f->triangle_capacity, 3 * corners) &&
              PL_GROW(f->ctx, f->edge, &f->edge_capacity, 3 * corners);
    if (ok)
        cut_ears(f, join_loops(f, loops, loop_count));
    return ok;
}

// src/contact/exact.c -- signs of determinants, exactly, and what follows from them.
//
// The determinant is computed in doubles first. Its error is below (7 + 56 eps) eps times the permanent, the same sum with
// absolute values (Shewchuk 1997, 4.3), eps = 2^-53, as long as nothing overflows or underflows; when it is farther than that
// from zero, its sign is right. This decides nearly always. Otherwise the coordinates are taken for what they are, integers
// times a common power of two, and the determinant of the integers is found in as many 64-bit words as that takes: two per difference
// for numbers of like size, 33 at worst. Shewchuk's expansions of doubles are as fast, but fail where products underflow, and
// the library runs with denormals flushed.
//
// Triangles meet when an edge of one meets the other (closed sets; an edge of a triangle within another one meets it). An
// edge p q whose ends are not both in the plane of a triangle abc meets it when the ends are not on one side, and the tetrahedra
// p q a b, p q b c, p q c a do not have both signs. If all is in one plane, look at the three shadows on the planes of the axes:
// figures in one plane meet when all their shadows do, since one shadow at least is faithful, and the others are shadows.
// Devillers & Guigue 2002 need fewer determinants; boxes sort out most pairs before they come here.
#include "exact.h"

#include <math.h>
#include <string.h>

// ---- whole numbers of any size -------------------------------------------------------------------------------------

enum
{
    MOST_WORDS = 104 // a product of three differences of doubles has 3 * 2100 bits
};

// negative ? -m : m, with m = sum_i word[i] 2^(64 i); no word above the highest is zero.
typedef struct
{
    int count;
    bool negative;
    uint64_t word[MOST_WORDS];
} whole;

typedef struct
{
    bool negative;
    int exponent; // of the lowest bit
    uint64_t bits;
} parts;

static parts take_apart(double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    int exponent = (int)(u >> 52 & 0x7ff);
    uint64_t bits = (u & 0xfffffffffffffull) | (exponent ? 1ull << 52 : 0);
    return (parts){u >> 63, (exponent ? exponent : 1) - 1075, bits};
}

static void trim(whole *a)
{
    while (a->count > 0 && a->word[a->count - 1] == 0)
        a->count--;
}

// x / 2^unit, which is whole: when the unit is above the lowest of the 53 bits, those below are zeros
static void from_double(double x, int unit, whole *out)
{
    parts p = take_apart(x);
    int shift = p.bits ? p.exponent - unit : 0;
    if (shift < 0)
        p.bits >>= -shift, shift = 0;
    int skip = shift / 64;
    out->negative = p.negative;
    out->count = skip + 2;
    memset(out->word, 0, (size_t)skip * sizeof *out->word);
    out->word[skip] = p.bits << shift % 64;
    out->word[skip + 1] = shift % 64 ? p.bits >> (64 - shift % 64) : 0;
    trim(out);
}

static int compare_size(const whole *a, const whole *b)
{
    if (a->count != b->count)
        return a->count < b->count ? -1 : 1;
    for (int i = a->count - 1; i >= 0; --i)
        if (a->word[i] != b->word[i])
            return a->word[i] < b->word[i] ? -1 : 1;
    return 0;
}

// |a| + |b|, |a| having at least as many words
static void add_sizes(const whole *a, const whole *b, whole *out)
{
    unsigned __int128 sum = 0;
    for (int i = 0; i < a->count; ++i)
    {
        sum += (unsigned __int128)a->word[i] + (i < b->count ? b->word[i] : 0);
        out->word[i] = (uint64_t)sum;
        sum >>= 64;
    }
    out->word[a->count] = (uint64_t)sum;
    out->count = a->count + 1;
    trim(out);
}

// |a| - |b| >= 0
static void subtract_sizes(const whole *a, const whole *b, whole *out)
{
    uint64_t borrow = 0;
    for (int i = 0; i < a->count; ++i)
    {
        uint64_t less = i < b->count ? b->word[i] : 0, partly = a->word[i] - less;
        out->word[i] = partly - borrow;
        borrow = (uint64_t)(a->word[i] < less) | (uint64_t)(partly < borrow);
    }
    out->count = a->count;
    trim(out);
}

// a + b, or a - b
static void add(const whole *a, const whole *b, bool minus, whole *out)
{
    bool sign = b->negative != minus, larger = compare_size(a, b) >= 0;
    const whole *high = larger ? a : b, *low = larger ? b : a;
    out->negative = larger ? a->negative : sign;
    if (a->negative == sign)
        add_sizes(high, low, out);
    else
        subtract_sizes(high, low, out);
}

static void multiply(const whole *a, const whole *b, whole *out)
{
    out->negative = a->negative != b->negative;
    out->count = a->count + b->count;
    memset(out->word, 0, (size_t)out->count * sizeof *out->word);
    for (int i = 0; i < a->count; ++i)
    {
        uint64_t carry = 0;
        for (int k = 0; k < b->count; ++k)
        {
            unsigned __int128 t = (unsigned __int128)a->word[i] * b->word[k] + out->word[i + k] + carry;
            out->word[i + k] = (uint64_t)t;
            carry = (uint64_t)(t >> 64);
        }
        out->word[i + b->count] = carry;
    }
    trim(out);
}

static int sign_of(const whole *a) { return a->count == 0 ? 0 : a->negative ? -1 : 1; }

// The power of two that all coordinates are multiples of.
static int common_unit(const double *const *point, int count, int dimension)
{
    int unit = 972;
    for (int i = 0; i < count; ++i)
        for (int d = 0; d < dimension; ++d)
        {
            parts p = take_apart(point[i][d]);
            int lowest = p.bits ? p.exponent + __builtin_ctzll(p.bits) : unit;
            unit = lowest < unit ? lowest : unit;
        }
    return unit;
}

static void difference(double a, double b, int unit, whole *out)
{
    whole x, y;
    from_double(a, unit, &x);
    from_double(b, unit, &y);
    add(&x, &y, true, out);
}

// a d - b c
static void minor(const whole *a, const whole *b, const whole *c, const whole *d, whole *out)
{
    whole ad, bc;
    multiply(a, d, &ad);
    multiply(b, c, &bc);
    add(&ad, &bc, true, out);
}

// ---- orientation ---------------------------------------------------------------------------------------------------

static __attribute__((noinline)) int exact_orient3(const double *const point[4])
{
    whole m[3][3], sum = {0}, part, product, total;
    int unit = common_unit(point, 4, 3);
    for (int i = 0; i < 3; ++i)
        for (int d = 0; d < 3; ++d)
            difference(point[i][d], point[3][d], unit, &m[i][d]);
    for (int d = 0; d < 3; ++d)
    {
        int y = (d + 1) % 3, z = (d + 2) % 3;
        minor(&m[1][y], &m[1][z], &m[2][y], &m[2][z], &part);
        multiply(&m[0][d], &part, &product);
        add(&sum, &product, false, &total);
        sum = total;
    }
    return sign_of(&sum);
}

static __attribute__((noinline)) int exact_orient2(const double *const point[3])
{
    whole m[2][2], determinant;
    int unit = common_unit(point, 3, 2);
    for (int i = 0; i < 2; ++i)
        for (int d = 0; d < 2; ++d)
            difference(point[i][d], point[2][d], unit, &m[i][d]);
    minor(&m[0][0], &m[0][1], &m[1][0], &m[1][1], &determinant);
    return sign_of(&determinant);
}

static const double eps = 0x1p-53;

// What underflow, or denormals taken for zero, can do to a determinant of differences below `huge`, many times over.
static const double huge = 0x1p150, tiny = 0x1p-700;

int pl__orient3(const double a[3], const double b[3], const double c[3], const double d[3])
{
    double A[3], B[3], C[3], size = 0;
    for (int i = 0; i < 3; ++i)
    {
        A[i] = a[i] - d[i], B[i] = b[i] - d[i], C[i] = c[i] - d[i];
        size += fabs(A[i]) + fabs(B[i]) + fabs(C[i]);
    }
    double determinant = 0, permanent = 0;
    for (int x = 0; x < 3; ++x)
    {
        int y = (x + 1) % 3, z = (x + 2) % 3;
        double first = B[y] * C[z], second = B[z] * C[y];
        determinant += A[x] * (first - second);
        permanent += fabs(A[x]) * (fabs(first) + fabs(second));
    }
    double bound = (8 + 64 * eps) * eps * permanent + tiny;
    if (size < huge && fabs(determinant) > bound)
        return determinant > 0 ? 1 : -1;
    const double *const point[4] = {a, b, c, d};
    return exact_orient3(point);
}

int pl__orient2(const double a[2], const double b[2], const double c[2])
{
    double A[2] = {a[0] - c[0], a[1] - c[1]}, B[2] = {b[0] - c[0], b[1] - c[1]};
    double first = A[0] * B[1], second = A[1] * B[0], determinant = first - second;
    double size = fabs(A[0]) + fabs(A[1]) + fabs(B[0]) + fabs(B[1]);
    if (size < huge && fabs(determinant) > (4 + 16 * eps) * eps * (fabs(first) + fabs(second)) + tiny)
        return determinant > 0 ? 1 : -1;
    const double *const point[3] = {a, b, c};
    return exact_orient2(point);
}

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

// tests/ccd.c -- the promises of ccd.h: no contact is missed and none is reported late, against an oracle that computes
// exactly.
#include "test.h"
#include "ccd_oracle.h"
#include "base/random.h"
#include "contact/ccd.h"

// ---- distances, by long doubles ------------------------------------------------------------------------------------

typedef struct
{
    double start[4][3], end[4][3];
    int kind;
} query;

typedef long double real;

static real dot3(const real a[3], const real b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void cross3(const real a[3], const real b[3], real r[3])
{
    for (int k = 0; k < 3; ++k)
        r[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static real to_edge(const real a[3], const real b[3])
{
    real e[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, ee = dot3(e, e), s = ee > 0 ? -dot3(a, e) / ee : 0;
    s = s < 0 ? 0 : s > 1 ? 1 : s;
    real x[3] = {a[0] + s * e[0], a[1] + s * e[1], a[2] + s * e[2]};
    return sqrtl(dot3(x, x));
}

// The normal of e0 and e1, across the longer of them even where they are almost parallel; false where they are.
static bool find_normal(const real e0[3], const real e1[3], real n[3])
{
    real a = dot3(e0, e0), b = dot3(e1, e1);
    cross3(e0, e1, n);
    if (dot3(n, n) <= 1e-30L * a * b)
        return false;
    const real *longer = a > b ? e0 : e1;
    real along = dot3(n, longer) / fmaxl(a, b);
    for (int k = 0; k < 3; ++k)
        n[k] -= along * longer[k];
    return true;
}

static real hull_distance(const real c[4][3])
{
    real d = INFINITY, n[3], x[3], e[2][3];
    for (int k = 0; k < 3; ++k)
        e[0][k] = c[1][k] - c[0][k], e[1][k] = c[3][k] - c[0][k];
    bool within = find_normal(e[0], e[1], n);
    for (int i = 0; i < 4; ++i)
    {
        d = fminl(d, to_edge(c[i], c[(i + 1) % 4]));
        cross3(c[i], c[(i + 1) % 4], x);
        within = within && dot3(x, n) >= 0;
    }
    return within ? fminl(d, fabsl(dot3(n, c[0])) / sqrtl(dot3(n, n))) : d;
}

static real distance_at(const query *q, real t)
{
    real c[4][3];
    for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 3; ++k)
        {
            int a = corner_of[q->kind][i][0], b = corner_of[q->kind][i][1];
            real start = (real)q->start[a][k] - q->start[b][k], end = (real)q->end[a][k] - q->end[b][k];
            c[i][k] = (1 - t) * start + t * end;
        }
    return hull_distance(c);
}

// The largest component of a corner at the start or the end.
static double size_of(const query *q)
{
    double size = 0;
    for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 3; ++k)
        {
            int a = corner_of[q->kind][i][0], b = corner_of[q->kind][i][1];
            size = fmax(size, fmax(fabs(q->start[a][k] - q->start[b][k]), fabs(q->end[a][k] - q->end[b][k])));
        }
    return size;
}

// The smallest distance in [a, b], by samples that close in on the best of them.
static real smallest_distance(const query *q, real a, real b)
{
    enum
    {
        SAMPLES = 64,
        ROUNDS = 8
    };
    real best = INFINITY;
    for (int round = 0; round < ROUNDS; ++round)
    {
        int at = 0;
        real low = INFINITY, h = (b - a) / SAMPLES;
        for (int i = 0; i <= SAMPLES; ++i)
        {
            real d = distance_at(q, a + i * h);
            if (d < low)
                low = d, at = i;
        }
        best = fminl(best, low);
        real middle = a + at * h, left = fmaxl(a, middle - 2 * h), right = fminl(b, middle + 2 * h);
        a = left, b = right;
    }
    return best;
}

// ---- motions ------------------------------------------------------------------------------------------------------

static uint64_t key_now;
static uint64_t draws;
static uint64_t bits(void) { return pl__random64(31, key_now, draws++); }
static double uniform(void) { return 2 * pl__random01(31, key_now, draws++) - 1; }
// in [-n, n]
static double integer(int n) { return (double)(int64_t)(bits() % (uint64_t)(2 * n + 1)) - n; }

static double *place(query *q, int i) { return i < 4 ? q->start[i] : q->end[i - 4]; }

static void fill_uniform(query *q)
{
    for (int i = 0; i < 24; ++i)
        place(q, i / 3)[i % 3] = uniform();
}

static void fill_lattice(query *q, int n)
{
    for (int i = 0; i < 24; ++i)
        place(q, i / 3)[i % 3] = integer(n);
}

static void small_motion(query *q)
{
    fill_uniform(q);
    for (int i = 0; i < 12; ++i)
        q->end[i / 3][i % 3] = q->start[i / 3][i % 3] + 0.3 * q->end[i / 3][i % 3];
}

// Move node 0 so that things meet at one moment, up to rounding and up to `gap` in a random direction.
static void aim(query *q, double gap)
{
    double t = 0.5 + 0.5 * uniform(), u = 0.6 * uniform() + 0.5, v = 0.6 * uniform() + 0.5;
    for (int k = 0; k < 3; ++k)
    {
        double p[4], miss;
        for (int i = 0; i < 4; ++i)
            p[i] = (1 - t) * q->start[i][k] + t * q->end[i][k];
        if (q->kind == PL__VERTEX_FACE)
            miss = p[1] + 0.5 * u * (p[2] - p[1]) + 0.5 * v * (p[3] - p[1]) - p[0];
        else
            miss = (p[2] + v * (p[3] - p[2]) - u * p[1]) / (1 - u + 1e-3) - p[0];
        miss += gap * uniform();
        q->start[0][k] += miss;
        q->end[0][k] += miss;
    }
}

// Everything in one plane, by integer combinations of two directions.
static void flatten(query *q, int n)
{
    double a[3], b[3], at[3];
    for (int k = 0; k < 3; ++k)
        a[k] = integer(3), b[k] = integer(3), at[k] = integer(3);
    for (int i = 0; i < 8; ++i)
    {
        double x = integer(n), y = integer(n);
        for (int k = 0; k < 3; ++k)
            place(q, i)[k] = at[k] + x * a[k] + y * b[k];
    }
}

// Contact at one end exactly: coordinates are multiples of 4.
static void touch_at(query *q, int i0)
{
    int u = (int)(bits() % 5), v = (int)(bits() % (unsigned)(5 - u));
    fill_lattice(q, 8);
    for (int i = 0; i < 8; ++i)
        for (int k = 0; k < 3; ++k)
            place(q, i)[k] *= 4;
    for (int k = 0; k < 3; ++k)
    {
        double *p[4] = {&place(q, i0)[k], &place(q, i0 + 1)[k], &place(q, i0 + 2)[k], &place(q, i0 + 3)[k]};
        if (q->kind == PL__VERTEX_FACE)
            *p[0] = ((4 - u - v) * *p[1] + u * *p[2] + v * *p[3]) / 4;
        else // the middle of the first edge is a point of the second
            *p[0] = 2 * ((4 - u) * *p[2] + u * *p[3]) / 4 - *p[1];
    }
}

// With s = t - 1/2, face (0,0,0) (1,0,s) (0,1,s) and a vertex with x + y = a s + b, z = b s: p = -a s^2, a double root
// at 1/2. Everything times 2, turned by a shear of integers.
static void graze(query *q)
{
    double a = integer(4), b = integer(3), x1 = integer(3), y0 = (double)(bits() % 3);
    double shear[3] = {integer(2), integer(2), integer(2)};
    for (int end = 0; end < 2; ++end)
    {
        double s = end - 0.5, x = x1 * s + (b - y0), y = (a - x1) * s + y0;
        double p[4][3] = {{x, y, b * s}, {0, 0, 0}, {4, 0, 4 * s}, {0, 4, 4 * s}};
        for (int i = 0; i < 4; ++i)
        {
            double *r = place(q, 4 * end + i);
            r[0] = 2 * (p[i][0] + shear[0] * p[i][1]);
            r[1] = 2 * (p[i][1] + shear[1] * p[i][2]);
            r[2] = 2 * (p[i][2] + shear[2] * p[i][0]);
        }
    }
    // as edges: the vertex becomes the middle of an edge that begins at node 1
    if (q->kind == PL__EDGE_EDGE)
        for (int i = 0; i < 8; i += 4)
            for (int k = 0; k < 3; ++k)
            {
                double *p0 = &place(q, i)[k], *p1 = &place(q, i + 1)[k], vertex = *p0;
                *p0 = *p1;
                *p1 = 2 * vertex - *p0;
            }
}

// Faces without area and edges without length.
static void degenerate(query *q)
{
    fill_lattice(q, 3);
    int a = 1 + (int)(bits() % 3), b = (int)(bits() % 4), when = (int)(bits() % 3);
    for (int k = 0; k < 3; ++k)
    {
        if (when != 1)
            q->start[a][k] = b ? q->start[b][k] : 2 * q->start[1 + a % 3][k] - q->start[1 + (a + 1) % 3][k];
        if (when != 0)
            q->end[a][k] = b ? q->end[b][k] : 2 * q->end[1 + a % 3][k] - q->end[1 + (a + 1) % 3][k];
    }
}

static void parallel_edges(query *q)
{
    fill_lattice(q, 4);
    double n = integer(2);
    for (int k = 0; k < 3; ++k)
    {
        q->start[3][k] = q->start[2][k] + n * (q->start[1][k] - q->start[0][k]);
        if (bits() % 2)
            q->end[3][k] = q->end[2][k] + n * (q->end[1][k] - q->end[0][k]);
    }
}

static void sliver(query *q)
{
    double w = pow(2, 20 * uniform() - 20);
    small_motion(q);
    for (int k = 0; k < 3; ++k)
    {
        q->start[3][k] = 0.3 * q->start[1][k] + 0.7 * q->start[2][k] + w * q->start[3][k];
        q->end[3][k] = 0.3 * q->end[1][k] + 0.7 * q->end[2][k] + w * q->end[3][k];
    }
    aim(q, bits() % 2 ? 0 : w);
}

static void shift(query *q, double by)
{
    double at[3] = {by * integer(1), by, by * integer(1)};
    for (int i = 0; i < 24; ++i)
        place(q, i / 3)[i % 3] += at[i % 3];
}

typedef enum
{
    UNIFORM,
    SMALL,
    AIMED,
    NEAR_MISS,
    LATTICE_2,
    LATTICE_8,
    PLANAR,
    PLANAR_SKEW,
    TOUCH_START,
    TOUCH_END,
    GRAZING,
    DEGENERATE,
    PARALLEL,
    SLIVER,
    COLLAPSE,
    STILL,
    OFFSET,
    SCALED,
    KINDS
} motion_kind;
static const char *const kind_names[] = {"uniform",  "small",  "aimed",    "near miss", "lattice 2", "lattice 8",
                                         "planar",   "skew",   "touch 0",  "touch 1",   "graze",     "degenerate",
                                         "parallel", "sliver", "collapse", "still",     "offset",    "scaled"};

// Three of four motions in single precision, for the oracle's sake: its integers have sixty times the digits of a
// coordinate.
static void round_most(query *q)
{
    for (int i = 0; i < 24 && key_now / (2 * KINDS) % 4; ++i)
        place(q, i / 3)[i % 3] = (float)place(q, i / 3)[i % 3];
}

static void make_kind(query *q, motion_kind kind)
{
    switch (kind)
    {
    case UNIFORM: fill_uniform(q), round_most(q); return;
    case SMALL: small_motion(q), round_most(q); return;
    case AIMED: bits() % 2 ? small_motion(q) : fill_uniform(q), aim(q, 0), round_most(q); return;
    case NEAR_MISS:
        bits() % 2 ? small_motion(q) : fill_uniform(q), aim(q, pow(10, 6 * uniform() - 7)), round_most(q);
        return;
    case LATTICE_2: fill_lattice(q, 2); return;
    case LATTICE_8: fill_lattice(q, 8); return;
    case PLANAR:
        fill_lattice(q, 4);
        for (int i = 0; i < 8; ++i)
            place(q, i)[key_now % 3] = (double)(key_now % 5);
        return;
    case PLANAR_SKEW: flatten(q, 5); return;
    case TOUCH_START: touch_at(q, 0); return;
    case TOUCH_END: touch_at(q, 4); return;
    case GRAZING: graze(q); return;
    case DEGENERATE: degenerate(q); return;
    case PARALLEL: parallel_edges(q); return;
    case SLIVER: sliver(q), round_most(q); return;
    case COLLAPSE:
        fill_lattice(q, 8);
        for (int i = 1; i < 4; ++i)
            if (bits() % 8)
                memcpy(q->end[i], q->end[0], sizeof q->end[i]);
        return;
    case STILL:
        fill_lattice(q, 2);
        memcpy(q->end, q->start, sizeof q->end);
        return;
    case OFFSET: make_kind(q, (motion_kind)(bits() % OFFSET)), shift(q, 0x1p20); return;
    default:
    {
        make_kind(q, (motion_kind)(bits() % SCALED));
        int power = (int)integer(300);
        for (int i = 0; i < 24; ++i)
            place(q, i / 3)[i % 3] = ldexp(place(q, i / 3)[i % 3], power);
    }
    }
}

static query make_query(uint64_t key, int kind)
{
    query q = {.kind = (int)(key / KINDS % 2)};
    key_now = key;
    draws = 0;
    make_kind(&q, (motion_kind)kind);
    return q;
}

// ---- against the oracle -------------------------------------------------------------------------------------------

// As the library computes: denormals are flushed.
static bool ask(const query *q, double separation, double *t)
{
    uint64_t host = pl__fp_enter();
    bool hit = (q->kind == PL__VERTEX_FACE ? pl__ccd_vertex_face : pl__ccd_edge_edge)(q->start, q->end, separation, t);
    pl__fp_leave(host);
    return hit;
}

typedef struct
{
    int count, touching, wrong, clean;
    double early, clean_early; // how much before the contact t was, at most
    double gap;                // distance at t over the size, at most
} tally;

// They close in at 5 % of their size per unit of time at least, just before they touch.
static bool is_clean(const query *q, double contact)
{
    return contact > 1e-5 && distance_at(q, contact - 1e-5L) > 5e-7L * size_of(q);
}

static void judge_time(const query *q, const oracle *o, double t, tally *n)
{
    double contact = first_contact(o), early = contact - t;
    CHECK_THAT(distance_at(q, contact) <= 1e-9L * size_of(q), "the oracle sees a contact at %.17g that is none",
               contact);
    n->early = fmax(n->early, early);
    if (!is_clean(q, contact))
        return;
    n->clean++;
    n->clean_early = fmax(n->clean_early, early);
}

static void judge(const query *q, uint64_t key, int kind, tally *n)
{
    static oracle o;
    double t;
    bool hit = ask(q, 0, &t);
    ask_oracle(&o, q->start, q->end, q->kind);
    n->count++;
    n->touching += o.contact_count > 0;
    CHECK_THAT(hit || o.contact_count == 0, "missed: %s, key %llu", kind_names[kind], (unsigned long long)key);
    if (!hit)
        return;
    CHECK_THAT(t >= 0 && t <= 1 && !touches_before(&o, t), "late: %s, key %llu, t = %.17g", kind_names[kind],
               (unsigned long long)key, t);
    double size = size_of(q), gap = size > 0 ? (double)(distance_at(q, t) / size) : 0;
    CHECK_THAT(gap <= (o.contact_count ? 1e-7 : 1e-9), "%g apart at t: %s, key %llu", gap, kind_names[kind],
               (unsigned long long)key);
    n->gap = fmax(n->gap, gap);
    n->wrong += o.contact_count == 0;
    if (o.contact_count && key / KINDS % 16 < 2)
        judge_time(q, &o, t, n);
}

// What is made of small integers touches or is farther apart than can be confused with it.
static bool has_small_integers(int kind) { return kind >= LATTICE_2 && kind < OFFSET && kind != SLIVER; }

// No contact is missed, t is never after it, and within 1e-9 where things close in cleanly. What is reported wrongly is
// apart by less than 1e-9 of the largest difference of positions. (Contacts of third order run out of steps before, at
// 1e-8.)
static void no_contact_is_missed_or_reported_late(void)
{
    for (int kind = 0; kind < KINDS; ++kind)
    {
        tally n = {0};
        // most by day are of the kind that a simulation asks for and that is soon decided
        int count = slow_tests ? 1000000 : kind == SMALL ? 200000 : 8000;
        for (int i = 0; i < count; ++i)
        {
            uint64_t key = (uint64_t)i * KINDS + (uint64_t)kind;
            query q = make_query(key, kind);
            judge(&q, key, kind, &n);
        }
        printf("%-10s: %d of %d touch, %d wrongly reported; t early by %.1e, clean ones by %.1e; %.1e apart at t\n",
               kind_names[kind], n.touching, n.count, n.wrong, n.early, n.clean_early, n.gap);
        CHECK_THAT(n.touching > n.count / 100 && n.clean_early <= 1e-9 && n.early <= 1e-2, "%s", kind_names[kind]);
        CHECK_THAT(n.wrong <= (has_small_integers(kind) ? 0 : n.count / 100), "%s: %d", kind_names[kind], n.wrong);
    }
}

// ---- the oracle itself --------------------------------------------------------------------------------------------

static int contacts_of(const query *q, double *first)
{
    static oracle o;
    ask_oracle(&o, q->start, q->end, q->kind);
    *first = o.contact_count ? first_contact(&o) : 2;
    return o.contact_count;
}

// Falls through the middle of a face, at the third of the time; beside it; along its plane into its edge; onto its
// corner.
static void oracle_knows_simple_motions(void)
{
    double first;
    query q = {.start = {{1, 1, 1}, {0, 0, 0}, {4, 0, 0}, {0, 4, 0}},
               .end = {{1, 1, -2}, {0, 0, 0}, {4, 0, 0}, {0, 4, 0}}};
    CHECK(contacts_of(&q, &first) == 1);
    CHECK_NEAR(first, 1.0 / 3, 0x1p-39);
    q.start[0][0] = q.end[0][0] = 4;
    CHECK(contacts_of(&q, &first) == 0);
    q = (query){.start = {{-1, 1, 0}, {0, 0, 0}, {4, 0, 0}, {0, 4, 0}},
                .end = {{4, 1, 0}, {0, 0, 0}, {4, 0, 0}, {0, 4, 0}}};
    CHECK(contacts_of(&q, &first) > 0);
    CHECK_NEAR(first, 0.2, 0x1p-39);
    q = (query){.start = {{0, 0, 1}, {0, 0, 0}, {4, 0, 0}, {0, 4, 0}},
                .end = {{0, 0, 0}, {0, 0, 0}, {4, 0, 0}, {0, 4, 0}}};
    CHECK(contacts_of(&q, &first) == 1);
    CHECK_NEAR(first, 1, 0x1p-39);
}

// Edges that cross, that pass end by end, and that lie on one line and meet.
static void oracle_knows_simple_edges(void)
{
    double first;
    query q = {.start = {{-1, 0, 1}, {1, 0, 1}, {0, -1, 0}, {0, 1, 0}},
               .end = {{-1, 0, -1}, {1, 0, -1}, {0, -1, 0}, {0, 1, 0}},
               .kind = PL__EDGE_EDGE};
    CHECK(contacts_of(&q, &first) == 1);
    CHECK_NEAR(first, 0.5, 0x1p-39);
    for (int i = 2; i < 4; ++i)
        q.start[i][1] += 2, q.end[i][1] += 2;
    CHECK(contacts_of(&q, &first) == 0);
    q = (query){.start = {{-2, 0, 0}, {-1, 0, 0}, {1, 0, 0}, {2, 0, 0}},
                .end = {{2, 0, 0}, {3, 0, 0}, {1, 0, 0}, {2, 0, 0}},
                .kind = PL__EDGE_EDGE};
    CHECK(contacts_of(&q, &first) > 0);
    CHECK_NEAR(first, 0.5, 0x1p-39);
}

// ---- other properties ---------------------------------------------------------------------------------------------

// A vertex falls by v from a height h: within s of the face at (h - s) / v, to 1e-11 and not later.
static void falling_vertex_comes_near_when_it_should(void)
{
    for (uint64_t key = 0; key < 10000; ++key)
    {
        key_now = key, draws = 0;
        double h = 1 + uniform() / 2, v = 2 + uniform() / 2, s = key % 2 ? 0.5 + uniform() / 2 : 0, t;
        query q = {.start = {{0.1, -0.1, h}, {-2, -1, 0}, {2, -1, 0}, {0, 2, 0}}};
        memcpy(q.end, q.start, sizeof q.end);
        q.end[0][2] = h - v;
        bool hit = ask(&q, s, &t), truth = h - v <= s;
        double when = fmax(0, (h - s) / v);
        CHECK_THAT(hit == truth || fabs(h - v - s) < 1e-11, "h %g, v %g, s %g", h, v, s);
        CHECK_THAT(!hit || (t <= when + 1e-15 && t >= when - 1e-11), "t = %.17g instead of %.17g", t, when);
        CHECK(!hit || h > s || t == 0);
    }
}

// A miss does not come within the separation, at no time before t do hits, and at t they are there.
static void separation_is_kept(void)
{
    static const int kinds[] = {UNIFORM,    SMALL,    AIMED,  LATTICE_2, PLANAR,
                                DEGENERATE, PARALLEL, SLIVER, COLLAPSE,  OFFSET};
    int count = slow_tests ? 400000 : 6000, hits = 0;
    for (int i = 0; i < count; ++i)
    {
        int kind = kinds[i % 10];
        query q = make_query((uint64_t)i, kind);
        double size = size_of(&q), separation = size * pow(10, 2.5 * uniform() - 3), t;
        bool hit = ask(&q, separation, &t);
        real d = smallest_distance(&q, 0, hit ? t : 1);
        CHECK_THAT((hit && t == 0) || d > separation - 1e-14L * size, "%s, key %d: %Lg closer than %g",
                   kind_names[kind], i, separation - d, separation);
        CHECK_THAT(!hit || distance_at(&q, t) <= separation + 1e-11L * size, "%s, key %d: %Lg above %g at t",
                   kind_names[kind], i, distance_at(&q, t) - separation, separation);
        hits += hit && t > 0;
    }
    CHECK(hits > count / 8);
}

// With s = t - 1/2, face (0,0,0) (1,0,s) (s,1,0) and vertex (0.3 + 0.2 s, 0.2, 0.3 s + h), p = h: the vertex stays
// above the face, whose normal turns by a radian. At 1e-4 that is seen; at 1e-8 steps run out, and a hit is reported,
// not later than that.
static void gliding_is_a_miss_or_runs_out_of_steps(void)
{
    for (int power = 1; power <= 8; ++power)
    {
        query q = {.kind = PL__VERTEX_FACE};
        double h = pow(10, -power), t;
        for (int i = 0; i < 2; ++i)
        {
            double s = i - 0.5, p[4][3] = {{0.3 + 0.2 * s, 0.2, 0.3 * s + h}, {0, 0, 0}, {1, 0, s}, {s, 1, 0}};
            memcpy(place(&q, 4 * i), p, sizeof p);
        }
        bool hit = ask(&q, 0, &t);
        CHECK_THAT(hit ? power > 4 && t > 0 && t < 1 : power < 8, "h = %g: t = %g", h, t);
    }
}

// Everything times 2^k: the same answer, bit by bit.
static void scale_does_not_matter(void)
{
    for (uint64_t key = 0; key < 40000; ++key)
    {
        query q = make_query(key, (int)(key % SCALED)), r = q;
        double separation = key % 3 ? 0 : 0.1, t, s;
        int power = (int)integer(key % 2 ? 300 : 600);
        for (int i = 0; i < 24; ++i)
            place(&r, i / 3)[i % 3] = ldexp(place(&r, i / 3)[i % 3], power);
        bool hit = ask(&q, separation, &t), scaled = ask(&r, ldexp(separation, power), &s);
        CHECK_THAT(hit == scaled && t == s, "key %d, 2^%d: %.17g and %.17g", (int)key, power, t, s);
    }
}

static void nonsense_touches_at_once(void)
{
    static const double bad[] = {NAN, INFINITY, -INFINITY, 1e308, -1.7e308};
    for (int i = 0; i < 24 * 5 * 2; ++i)
    {
        query q = make_query((uint64_t)i, i % 3 ? SMALL : LATTICE_2);
        double t = 7;
        q.kind = i % 2;
        place(&q, i / 2 % 24 / 3)[i / 2 % 3] = bad[i / 48];
        CHECK_THAT(ask(&q, 0, &t) && t == 0, "%d: %g", i, t);
    }
    query q = make_query(1, SMALL);
    double t;
    CHECK(ask(&q, NAN, &t) && t == 0);
    CHECK(ask(&q, INFINITY, &t) && t == 0);
    CHECK(ask(&q, 1e308, &t) && t == 0);
    // what is too small for its squares counts as touching, and so does no size at all
    for (int power = -1074; power < -904; ++power)
    {
        query r = {0};
        r.start[0][2] = r.end[0][2] = ldexp(1, power);
        CHECK(ask(&r, 0, &t) && t == 0);
    }
}

// A host's floating-point environment gives the same answers.
static void denormals_do_not_matter(void)
{
    for (uint64_t key = 0; key < 20000; ++key)
    {
        query q = make_query(key, (int)(key % KINDS));
        double t, s;
        bool hit = (q.kind ? pl__ccd_edge_edge : pl__ccd_vertex_face)(q.start, q.end, 0, &t), flushed = ask(&q, 0, &s);
        CHECK_THAT(hit == flushed && t == s, "key %d: %.17g and %.17g", (int)key, t, s);
    }
}

// A negative separation is none.
static void negative_separation_is_zero(void)
{
    for (uint64_t key = 0; key < 2000; ++key)
    {
        query q = make_query(key, (int)(key % KINDS));
        double t, s;
        bool hit = ask(&q, 0, &t), negative = ask(&q, -1, &s);
        CHECK(hit == negative && t == s);
    }
}

// ---- batches ------------------------------------------------------------------------------------------------------

enum
{
    PAIRS = 5001
};

typedef struct
{
    double start[12 * PAIRS + 1], end[12 * PAIRS + 1], separation[PAIRS], t[PAIRS], expected[PAIRS];
    pl__pair pair[PAIRS];
} pairs;

// Pairs of all kinds, their nodes in a mixed order, every 50th with a NaN.
static void fill_pairs(pairs *p)
{
    for (int32_t i = 0; i < PAIRS; ++i)
    {
        query q = make_query((uint64_t)i, i % SCALED);
        p->separation[i] = i % 4 ? 0 : 0.05;
        if (i % 50 == 0)
            q.end[i % 4][i % 3] = NAN;
        p->pair[i].kind = q.kind;
        for (int32_t k = 0; k < 4; ++k)
        {
            int32_t node = p->pair[i].node[k] = (int32_t)((7 * (4 * (int64_t)i + k)) % (4 * PAIRS));
            memcpy(&p->start[3 * node], q.start[k], sizeof q.start[k]);
            memcpy(&p->end[3 * node], q.end[k], sizeof q.end[k]);
        }
        if (!ask(&q, p->separation[i], &p->expected[i]))
            p->expected[i] = PL__CCD_MISS;
    }
}

// For every width of registers and number of threads, the batch has the bits of the one-pair functions.
static void batches_have_the_bits_of_single_pairs(void)
{
    static pairs p;
    static const int32_t widths[] = {0, 16, 32, 64};
    uint64_t host = pl__fp_enter();
    fill_pairs(&p);
    pl__ccd_batch batch = {
        .pair = p.pair, .x_start = p.start, .x_end = p.end, .separation_of = p.separation, .pair_count = PAIRS};
    for (int32_t threads = 1; threads <= 3; ++threads)
        for (int w = 0; w < 4 && widths[w] <= pl__cpu_register_bytes(NULL); ++w)
        {
            pl_context *ctx = test_context(threads);
            ctx->register_bytes = widths[w];
            memset(p.t, 0xff, sizeof p.t);
            pl__ccd_batch_run(ctx, &batch, p.t);
            for (int32_t i = 0; i < PAIRS; ++i)
                CHECK_THAT(p.t[i] == p.expected[i], "pair %d, width %d: %.17g, not %.17g", i, widths[w], p.t[i],
                           p.expected[i]);
            pl_context_destroy(&ctx);
        }
    pl__fp_leave(host);
}

// One separation for all is that of each; batches of any length write what is theirs and no more.
static void batches_of_any_length(void)
{
    static pairs p;
    pl_context *ctx = test_context(1);
    fill_pairs(&p);
    for (int32_t count = 0; count < 40; ++count)
    {
        double each[40], all[40];
        for (int i = 0; i < 40; ++i)
            p.separation[i] = 0.01, each[i] = all[i] = -1;
        pl__ccd_batch batch = {
            .pair = p.pair, .x_start = p.start, .x_end = p.end, .separation_of = p.separation, .pair_count = count};
        pl__ccd_batch_run(ctx, &batch, each);
        batch.separation_of = NULL;
        batch.separation = 0.01;
        pl__ccd_batch_run(ctx, &batch, all);
        for (int i = 0; i < 40; ++i)
            CHECK(each[i] == all[i] && (each[i] == -1) == (i >= count));
    }
    pl_context_destroy(&ctx);
}

// Whether is known without when, but for a few.
static void sifting_keeps_what_comes_near(void)
{
    static pairs p;
    pl_context *ctx = test_context(1);
    fill_pairs(&p);
    static double whether[PAIRS];
    int32_t near = 0, doubtful = 0;
    pl__ccd_batch batch = {
        .pair = p.pair, .x_start = p.start, .x_end = p.end, .separation_of = p.separation, .pair_count = PAIRS};
    pl__ccd_batch_run(ctx, &batch, p.t);
    pl__ccd_batch_sift(ctx, &batch, whether);
    for (int32_t i = 0; i < PAIRS; ++i)
    {
        CHECK(whether[i] == 0 || whether[i] == PL__CCD_MISS);
        CHECK_THAT(p.t[i] == PL__CCD_MISS || whether[i] == 0, "pair %d comes near at %g", i, p.t[i]);
        near += p.t[i] != PL__CCD_MISS;
        doubtful += whether[i] == 0 && p.t[i] == PL__CCD_MISS;
    }
    CHECK_THAT(near > PAIRS / 10 && doubtful < PAIRS / 5, "%d near, %d not known, of %d", near, doubtful, PAIRS);
    pl_context_destroy(&ctx);
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {
        TEST(oracle_knows_simple_motions),
        TEST(oracle_knows_simple_edges),
        TEST(no_contact_is_missed_or_reported_late),
        TEST(falling_vertex_comes_near_when_it_should),
        TEST(separation_is_kept),
        TEST(gliding_is_a_miss_or_runs_out_of_steps),
        TEST(scale_does_not_matter),
        TEST(nonsense_touches_at_once),
        TEST(denormals_do_not_matter),
        TEST(negative_separation_is_zero),
        TEST(batches_have_the_bits_of_single_pairs),
        TEST(batches_of_any_length),
        TEST(sifting_keeps_what_comes_near),
    };
    return RUN(tests);
}

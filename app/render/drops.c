// app/render/drops.c -- lumps and beads of drops (drops.h), and the mesh of the lumps.
//
//     1  sort drops into a lattice; the ellipsoid of neighbours of each
//     2  lumps and beads of each drop
//     3  add lumps to the nodes of the fine grid
//     4  a vertex in every cube that the surface crosses, at the mean of where it crosses the edges
//     5  two triangles for every edge that it crosses, between the four cubes around
//
// What it does badly: the surface of the lumps and that of the liquid are joined with an edge where they meet.
#include "drops.h"

#include "base/hash.h"
#include "base/random.h"
#include "base/service.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum
{
    SIDE = 8, // nodes of a block along its sides
    NODES = SIDE * SIDE * SIDE,
    MOST_NEAR = 200, // drops that are asked for a covariance; of more some
    MOST_FINE = 40000
};

static const double reach = 2.0;          // of neighbours [cells]
static const double fineness = 0.13;      // between nodes of the fine grid [cells]
static const double flattest = 0.3;       // smallest over largest semi-axis
static const double inside = 0.5;         // part of the support of a lump that is within its surface
static const double lump_share = 0.88;    // of the volume
static const double thinnest_lump = 1.1;  // [nodes]
static const double longest_streak = 1.2; // beads and lumps lie along the flight so far [cells]
static const double shutter = 0.012;      // as they would in this time [s]

// ---- ellipsoids ----------------------------------------------------------------------------------------------------

typedef struct ellipsoid
{
    double axis[3][3], length[3]; // rows of unit length; deviations along them
} ellipsoid;

// Axes of a symmetric matrix by rotations of Jacobi.
static void find_axes(double m[3][3], ellipsoid *e)
{
    double r[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int n = 0; n < 15; ++n)
    {
        int p = n % 3, q = (n + 1) % 3;
        if (m[p][q] == 0)
            continue;
        double theta = 0.5 * (m[q][q] - m[p][p]) / m[p][q];
        double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1)), c = 1 / sqrt(t * t + 1), s = t * c;
        for (int k = 0; k < 3; ++k)
        {
            double a = m[k][p], b = m[k][q];
            m[k][p] = c * a - s * b, m[k][q] = s * a + c * b;
        }
        for (int k = 0; k < 3; ++k)
        {
            double a = m[p][k], b = m[q][k], f = r[p][k], g = r[q][k];
            m[p][k] = c * a - s * b, m[q][k] = s * a + c * b;
            r[p][k] = c * f - s * g, r[q][k] = s * f + c * g;
        }
    }
    for (int i = 0; i < 3; ++i)
    {
        memcpy(e->axis[i], r[i], sizeof r[i]);
        e->length[i] = sqrt(fmax(m[i][i], 0));
    }
}

// Drops in cells of a lattice as wide as neighbours reach, in lists.
typedef struct lattice
{
    int32_t *first, *next; // [mask + 1], [count]; -1: the end
    uint64_t mask;
    double width;
} lattice;

static uint64_t lattice_slot(const lattice *l, const int64_t at[3])
{
    return pl__random64((uint64_t)at[0], (uint64_t)at[1], (uint64_t)at[2]) & l->mask;
}

static void lattice_cell(const lattice *l, const double x[3], int64_t at[3])
{
    for (int a = 0; a < 3; ++a)
        at[a] = (int64_t)floor(fmin(fmax(x[a] / l->width, -1e15), 1e15));
}

static pl_status make_lattice(pl_context *ctx, const drops_def *def, lattice *l)
{
    l->width = reach * def->size;
    l->mask = 63;
    while (l->mask < 2 * def->count)
        l->mask = 2 * l->mask + 1;
    l->first = PL_NEW(ctx, l->mask + 1, int32_t);
    l->next = PL_NEW(ctx, def->count + 1, int32_t);
    if (!l->first || !l->next)
        return PL_ERR_MEMORY;
    memset(l->first, 0xff, (l->mask + 1) * sizeof *l->first);
    for (size_t n = def->count; n-- > 0;)
    {
        int64_t at[3];
        lattice_cell(l, &def->x[3 * n], at);
        uint64_t slot = lattice_slot(l, at);
        l->next[n] = l->first[slot];
        l->first[slot] = (int32_t)n;
    }
    return PL_OK;
}

// Sums over neighbours: of weights, of places from the drop, of their products.
typedef struct sums
{
    double w, x[3], xx[3][3];
} sums;

static void add_cell(const drops_def *def, const lattice *l, size_t n, const int64_t cell[3], sums *s)
{
    int32_t asked = 0;
    for (int32_t m = l->first[lattice_slot(l, cell)]; m >= 0 && asked < MOST_NEAR; m = l->next[m])
    {
        double d[3], square = 0;
        int64_t at[3];
        lattice_cell(l, &def->x[3 * (size_t)m], at);
        if (at[0] != cell[0] || at[1] != cell[1] || at[2] != cell[2])
            continue;
        for (int a = 0; a < 3; ++a)
        {
            d[a] = def->x[3 * (size_t)m + (size_t)a] - def->x[3 * n + (size_t)a];
            square += d[a] * d[a];
        }
        double w = 1 - square / (l->width * l->width);
        if (!(w > 0))
            continue;
        ++asked;
        w *= w * w;
        s->w += w;
        for (int a = 0; a < 3; ++a)
        {
            s->x[a] += w * d[a];
            for (int b = 0; b < 3; ++b)
                s->xx[a][b] += w * d[a] * d[b];
        }
    }
}

static void neighbours_of(const drops_def *def, const lattice *l, size_t n, ellipsoid *e)
{
    sums s = {0};
    double covariance[3][3];
    int64_t at[3];
    lattice_cell(l, &def->x[3 * n], at);
    for (int k = 0; k < 27; ++k)
        add_cell(def, l, n, (const int64_t[3]){at[0] + k % 3 - 1, at[1] + k / 3 % 3 - 1, at[2] + k / 9 - 1}, &s);
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b)
            covariance[a][b] = s.w > 0 ? s.xx[a][b] / s.w - s.x[a] * s.x[b] / (s.w * s.w) : 0;
    find_axes(covariance, e);
}

// ---- lumps and beads -----------------------------------------------------------------------------------------------

typedef struct lump
{
    double at[3];
    double to_unit[3][3]; // from there to where its support is the unit ball
    double extent[3];     // half of the box around the support
} lump;

typedef struct swarm
{
    lump *item;
    size_t count, capacity;
} swarm;

static uint64_t key_of(const double v[3], double radius)
{
    const double kept[3] = {radius, v[0], v[2]};
    return pl__hash(0, kept, sizeof kept);
}

// Of variance 1/3, within [-1.5, 1.5], denser in the middle.
static double bell(uint64_t key, uint64_t item, uint64_t number)
{
    double sum = -1.5;
    for (uint64_t k = 0; k < 3; ++k)
        sum += pl__random01(key, item, 3 * number + k);
    return 1.155 * sum;
}

static double folded(double x, double lower, double upper)
{
    double in = x < lower ? 2 * lower - x : x > upper ? 2 * upper - x : x;
    return fmin(fmax(in, lower), upper);
}

// A random place among the neighbours of a drop, `wide` times as wide as these, and along its flight.
static void place(const drops_def *def, size_t n, const ellipsoid *e, uint64_t key, uint64_t item, double wide,
                  double margin, double at[3])
{
    const double *v = &def->v[3 * n];
    double r = def->radius[n], speed = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    double time = shutter * fmin(1, longest_streak * def->size / (shutter * speed + 1e-9 * def->size));
    double along = time * (pl__random01(key, item, 40) - 0.5) * wide;
    memcpy(at, &def->x[3 * n], 3 * sizeof *at);
    for (int i = 0; i < 3; ++i)
    {
        double off = wide * (1.1 * e->length[i] + 0.6 * r) * bell(key, item, (uint64_t)i);
        for (int a = 0; a < 3; ++a)
            at[a] += off * e->axis[i][a];
    }
    for (int a = 0; a < 3; ++a)
        at[a] = folded(at[a] + along * v[a], def->lower[a] + margin, def->upper[a] - margin);
}

// Parts of a whole: as many of each order of magnitude, over `span` of them.
static void share(uint64_t key, uint64_t first, double span, int32_t count, double *part)
{
    double sum = 0;
    for (int32_t b = 0; b < count; ++b)
    {
        part[b] = pow(10, -span * pl__random01(key, first + (uint64_t)b, 50));
        sum += part[b];
    }
    for (int32_t b = 0; b < count; ++b)
        part[b] /= sum;
}

// Semi-axes like those of the neighbours, of the volume of a ball of that radius.
static void shape_lump(const ellipsoid *e, double radius, lump *out)
{
    double a[3], largest = 0, product = 1;
    for (int i = 0; i < 3; ++i)
    {
        a[i] = e->length[i] + 0.5 * radius;
        largest = fmax(largest, a[i]);
    }
    for (int i = 0; i < 3; ++i)
    {
        a[i] = fmax(a[i], flattest * largest);
        product *= a[i];
    }
    double scale = radius / cbrt(product);
    for (int k = 0; k < 3; ++k)
        out->extent[k] = 0;
    for (int i = 0; i < 3; ++i)
    {
        double support = scale * a[i] / inside;
        for (int k = 0; k < 3; ++k)
        {
            out->to_unit[i][k] = e->axis[i][k] / support;
            out->extent[k] += support * support * e->axis[i][k] * e->axis[i][k];
        }
    }
    for (int k = 0; k < 3; ++k)
        out->extent[k] = sqrt(out->extent[k]);
}

static pl_status add_bead(pl_context *ctx, drops_shape *s, const double at[3], double radius)
{
    size_t n = (size_t)s->bead_count;
    if (!PL_GROW(ctx, s->beads, &s->bead_capacity[0], 3 * (n + 1)) ||
        !PL_GROW(ctx, s->radii, &s->bead_capacity[1], n + 1))
        return PL_ERR_MEMORY;
    for (size_t a = 0; a < 3; ++a)
        s->beads[3 * n + a] = (float)at[a];
    s->radii[n] = (float)radius;
    ++s->bead_count;
    return PL_OK;
}

static pl_status break_up(pl_context *ctx, const drops_def *def, const ellipsoid *e, size_t n, double thinnest,
                          swarm *lumps, drops_shape *s)
{
    double part[DROP_BEADS], r = def->radius[n], at[3];
    uint64_t key = key_of(&def->v[3 * n], r);
    share(key, 0, 1.0, DROP_LUMPS, part);
    for (int32_t b = 0; b < DROP_LUMPS; ++b)
    {
        double radius = r * cbrt(lump_share * part[b]);
        place(def, n, e, key, (uint64_t)b, 1, 0.5 * radius, at);
        if (radius < thinnest)
        {
            PL_TRY(add_bead(ctx, s, at, radius));
            continue;
        }
        if (!PL_GROW(ctx, lumps->item, &lumps->capacity, lumps->count + 1))
            return PL_ERR_MEMORY;
        lump *l = &lumps->item[lumps->count++];
        memcpy(l->at, at, sizeof at);
        shape_lump(e, radius, l);
    }
    share(key, DROP_LUMPS, 3.0, DROP_BEADS, part);
    for (int32_t b = 0; b < DROP_BEADS; ++b)
    {
        double radius = r * cbrt((1 - lump_share) * part[b]);
        place(def, n, e, key, (uint64_t)(DROP_LUMPS + b), 2, radius, at);
        PL_TRY(add_bead(ctx, s, at, radius));
    }
    return PL_OK;
}

// ---- the fine grid -------------------------------------------------------------------------------------------------

typedef struct block
{
    int32_t at[3];
    float f[NODES][4];     // the sum of lumps, and its gradient
    int32_t vertex[NODES]; // of the cube above each node, or -1
} block;

typedef struct fine
{
    double step, iso;
    block **item; // [count], in the order in which lumps need them
    size_t count, capacity;
    int32_t *slot; // [mask + 1] numbers of blocks and 1, or 0
    uint64_t mask;
} fine;

static uint64_t block_slot(const fine *g, const int32_t at[3])
{
    uint64_t slot = pl__random64((uint32_t)at[0], (uint32_t)at[1], (uint32_t)at[2]) & g->mask;
    while (g->slot[slot] && memcmp(g->item[g->slot[slot] - 1]->at, at, sizeof g->item[0]->at) != 0)
        slot = (slot + 1) & g->mask;
    return slot;
}

static block *find_block(const fine *g, int32_t i, int32_t j, int32_t k)
{
    int32_t number = g->slot[block_slot(g, (const int32_t[3]){i, j, k})];
    return number ? g->item[number - 1] : NULL;
}

static pl_status widen(pl_context *ctx, fine *g)
{
    uint64_t mask = g->slot ? 2 * g->mask + 1 : 255;
    int32_t *slot = PL_NEW(ctx, mask + 1, int32_t);
    if (!slot)
        return PL_ERR_MEMORY;
    if (g->slot)
        PL_DELETE(ctx, g->slot, g->mask + 1);
    g->slot = slot;
    g->mask = mask;
    for (size_t n = 0; n < g->count; ++n)
        g->slot[block_slot(g, g->item[n]->at)] = (int32_t)n + 1;
    return PL_OK;
}

static block *need_block(pl_context *ctx, fine *g, const int32_t at[3])
{
    if ((!g->slot || 2 * g->count > g->mask) && widen(ctx, g) != PL_OK)
        return NULL;
    uint64_t slot = block_slot(g, at);
    if (g->slot[slot])
        return g->item[g->slot[slot] - 1];
    block *b = PL_NEW(ctx, 1, block);
    if (!b || !PL_GROW(ctx, g->item, &g->capacity, g->count + 1))
    {
        if (b)
            PL_DELETE(ctx, b, 1);
        return NULL;
    }
    memcpy(b->at, at, sizeof b->at);
    g->item[g->count++] = b;
    g->slot[slot] = (int32_t)g->count;
    return b;
}

static int32_t block_of(int32_t node) { return node >= 0 ? node / SIDE : -((SIDE - 1 - node) / SIDE); }

static void add_to_block(const fine *g, const lump *l, const int32_t low[3], const int32_t high[3], block *b)
{
    int32_t from[3], to[3];
    for (int a = 0; a < 3; ++a)
    {
        int32_t first = SIDE * b->at[a];
        from[a] = low[a] > first ? low[a] - first : 0;
        to[a] = high[a] < first + SIDE - 1 ? high[a] - first : SIDE - 1;
    }
    for (int32_t k = from[2]; k <= to[2]; ++k)
        for (int32_t j = from[1]; j <= to[1]; ++j)
            for (int32_t i = from[0]; i <= to[0]; ++i)
            {
                const int32_t node[3] = {i, j, k};
                double d[3], q[3], square = 0;
                for (int a = 0; a < 3; ++a)
                    d[a] = g->step * (SIDE * b->at[a] + node[a]) - l->at[a];
                for (int a = 0; a < 3; ++a)
                {
                    q[a] = l->to_unit[a][0] * d[0] + l->to_unit[a][1] * d[1] + l->to_unit[a][2] * d[2];
                    square += q[a] * q[a];
                }
                if (!(square < 1))
                    continue;
                double w = 1 - square;
                float *f = b->f[i + SIDE * (j + SIDE * k)];
                f[0] += (float)(w * w * w);
                for (int a = 0; a < 3; ++a)
                    f[1 + a] -= (float)(6 * w * w * g->step *
                                        (q[0] * l->to_unit[0][a] + q[1] * l->to_unit[1][a] + q[2] * l->to_unit[2][a]));
            }
}

// Blocks reach a node beyond the support, so that cubes that the surface crosses are in blocks.
static pl_status add_lump(pl_context *ctx, fine *g, const lump *l)
{
    int32_t low[3], high[3], at[3];
    for (int a = 0; a < 3; ++a)
    {
        double first = floor((l->at[a] - l->extent[a]) / g->step) - 1,
               last = ceil((l->at[a] + l->extent[a]) / g->step) + 1;
        if (!(first > -1e9 && last < 1e9 && last - first < 1000))
            return PL_OK; // nowhere
        low[a] = (int32_t)first;
        high[a] = (int32_t)last;
    }
    for (at[2] = block_of(low[2]); at[2] <= block_of(high[2]); ++at[2])
        for (at[1] = block_of(low[1]); at[1] <= block_of(high[1]); ++at[1])
            for (at[0] = block_of(low[0]); at[0] <= block_of(high[0]); ++at[0])
            {
                block *b = need_block(ctx, g, at);
                if (!b)
                    return PL_ERR_MEMORY;
                add_to_block(g, l, low, high, b);
            }
    return PL_OK;
}

// ---- its surface ---------------------------------------------------------------------------------------------------

// A block with those after it, dx + 2 dy + 4 dz, and for triangles those before it.
typedef struct around
{
    const block *after[8], *before[8];
} around;

static void find_around(const fine *g, const block *b, around *out)
{
    for (int q = 0; q < 8; ++q)
    {
        int32_t x = q & 1, y = q >> 1 & 1, z = q >> 2;
        out->after[q] = find_block(g, b->at[0] + x, b->at[1] + y, b->at[2] + z);
        out->before[q] = find_block(g, b->at[0] - x, b->at[1] - y, b->at[2] - z);
    }
}

// The four numbers of a node, up to one beyond the end of the block.
static const float *node_at(const around *r, int32_t i, int32_t j, int32_t k)
{
    static const float none[4];
    const block *b = r->after[i / SIDE + 2 * (j / SIDE) + 4 * (k / SIDE)];
    return b ? b->f[i % SIDE + SIDE * (j % SIDE + SIDE * (k % SIDE))] : none;
}

static pl_status add_vertex(pl_context *ctx, drops_shape *s, const double x[3], const double normal[3])
{
    size_t n = (size_t)s->vertex_count;
    if (!PL_GROW(ctx, s->vertices, &s->vertex_capacity[0], 3 * (n + 1)) ||
        !PL_GROW(ctx, s->normals, &s->vertex_capacity[1], 3 * (n + 1)))
        return PL_ERR_MEMORY;
    for (size_t a = 0; a < 3; ++a)
    {
        s->vertices[3 * n + a] = (float)x[a];
        s->normals[3 * n + a] = (float)normal[a];
    }
    ++s->vertex_count;
    return PL_OK;
}

// The vertex of a cube: the mean of where its edges are crossed, and the gradient there.
static pl_status mark_cube(pl_context *ctx, const fine *g, const around *r, block *b, const int32_t at[3],
                           drops_shape *s)
{
    const float *corner[8];
    double mean[3] = {0}, normal[3] = {0}, x[3], length = 0;
    int32_t in = 0, crossed = 0;
    for (int q = 0; q < 8; ++q)
    {
        corner[q] = node_at(r, at[0] + (q & 1), at[1] + (q >> 1 & 1), at[2] + (q >> 2));
        in |= (corner[q][0] > (float)g->iso) << q;
    }
    if (in == 0 || in == 255)
        return PL_OK;
    for (int q = 0; q < 8; ++q)
        for (int axis = 0; axis < 3; ++axis)
        {
            int other = q | 1 << axis;
            if (other == q || (in >> q & 1) == (in >> other & 1))
                continue;
            double f = (double)corner[q][0], t = (g->iso - f) / ((double)corner[other][0] - f);
            for (int a = 0; a < 3; ++a)
                mean[a] += (q >> a & 1) + (a == axis ? t : 0);
            ++crossed;
        }
    for (int a = 0; a < 3; ++a)
    {
        mean[a] /= crossed;
        x[a] = g->step * (SIDE * b->at[a] + at[a] + mean[a]);
    }
    for (int q = 0; q < 8; ++q)
    {
        double w = (q & 1 ? mean[0] : 1 - mean[0]) * (q & 2 ? mean[1] : 1 - mean[1]) * (q & 4 ? mean[2] : 1 - mean[2]);
        for (int a = 0; a < 3; ++a)
            normal[a] -= w * (double)corner[q][1 + a];
    }
    for (int a = 0; a < 3; ++a)
        length += normal[a] * normal[a];
    for (int a = 0; a < 3; ++a)
        normal[a] = length > 0 ? normal[a] / sqrt(length) : a == 1;
    b->vertex[at[0] + SIDE * (at[1] + SIDE * at[2])] = s->vertex_count;
    return add_vertex(ctx, s, x, normal);
}

static int32_t vertex_at(const around *r, const int32_t at[3])
{
    int q = (at[0] < 0) + 2 * (at[1] < 0) + 4 * (at[2] < 0);
    const block *b = r->before[q];
    return b ? b->vertex[at[0] % SIDE + (at[0] < 0) * SIDE +
                         SIDE * (at[1] % SIDE + (at[1] < 0) * SIDE + SIDE * (at[2] % SIDE + (at[2] < 0) * SIDE))]
             : -1;
}

// The edge from a node along an axis: triangles between the four cubes around it, if it is crossed.
static pl_status cross_edge(pl_context *ctx, const fine *g, const around *r, const int32_t at[3], int axis,
                            drops_shape *s)
{
    static const int turn[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    bool here = node_at(r, at[0], at[1], at[2])[0] > (float)g->iso,
         there = node_at(r, at[0] + (axis == 0), at[1] + (axis == 1), at[2] + (axis == 2))[0] > (float)g->iso;
    if (here == there)
        return PL_OK;
    int32_t v[4];
    for (int n = 0; n < 4; ++n)
    {
        int32_t cube[3] = {at[0], at[1], at[2]};
        const int *t = turn[here ? n : 3 - n];
        cube[(axis + 1) % 3] -= t[0];
        cube[(axis + 2) % 3] -= t[1];
        v[n] = vertex_at(r, cube);
        if (v[n] < 0)
            return PL_OK;
    }
    size_t n = 3 * (size_t)s->triangle_count;
    if (!PL_GROW(ctx, s->triangles, &s->triangle_capacity, n + 6))
        return PL_ERR_MEMORY;
    memcpy(&s->triangles[n], (const int32_t[6]){v[0], v[1], v[2], v[0], v[2], v[3]}, 6 * sizeof *s->triangles);
    s->triangle_count += 2;
    return PL_OK;
}

static pl_status mesh_blocks(pl_context *ctx, fine *g, drops_shape *s)
{
    around r;
    for (size_t n = 0; n < g->count; ++n)
    {
        find_around(g, g->item[n], &r);
        memset(g->item[n]->vertex, 0xff, sizeof g->item[n]->vertex);
        for (int32_t c = 0; c < NODES; ++c)
            PL_TRY(
                mark_cube(ctx, g, &r, g->item[n], (const int32_t[3]){c % SIDE, c / SIDE % SIDE, c / (SIDE * SIDE)}, s));
    }
    for (size_t n = 0; n < g->count; ++n)
    {
        find_around(g, g->item[n], &r);
        for (int32_t c = 0; c < 3 * NODES; ++c)
            PL_TRY(cross_edge(ctx, g, &r, (const int32_t[3]){c / 3 % SIDE, c / 3 / SIDE % SIDE, c / 3 / (SIDE * SIDE)},
                              c % 3, s));
    }
    return PL_OK;
}

static void fine_free(pl_context *ctx, fine *g)
{
    for (size_t n = 0; n < g->count; ++n)
        PL_DELETE(ctx, g->item[n], 1);
    if (g->item)
        PL_DELETE(ctx, g->item, g->capacity);
    if (g->slot)
        PL_DELETE(ctx, g->slot, g->mask + 1);
}

// ---- all -----------------------------------------------------------------------------------------------------------

static pl_status make_all(pl_context *ctx, const drops_def *def, lattice *l, swarm *lumps, fine *g, drops_shape *s)
{
    PL_TRY(make_lattice(ctx, def, l));
    for (size_t n = 0; n < def->count; ++n)
    {
        ellipsoid e;
        if (def->x[3 * n + 1] - def->radius[n] < def->lower[1])
            continue;
        neighbours_of(def, l, n, &e);
        PL_TRY(break_up(ctx, def, &e, n, thinnest_lump * g->step, lumps, s));
    }
    for (size_t n = 0; n < lumps->count; ++n)
        PL_TRY(add_lump(ctx, g, &lumps->item[n]));
    return mesh_blocks(ctx, g, s);
}

// The grid is coarser where there are very many drops, and one hardly sees them.
pl_status drops_make(pl_context *ctx, const drops_def *def, drops_shape *out)
{
    lattice l = {0};
    swarm lumps = {0};
    fine g = {.step = fineness * def->size * fmax(1, cbrt((double)def->count / MOST_FINE)),
              .iso = pow(1 - inside * inside, 3)};
    *out = (drops_shape){0};
    pl_status status = def->count > 0 ? make_all(ctx, def, &l, &lumps, &g, out) : PL_OK;
    if (l.first)
        PL_DELETE(ctx, l.first, l.mask + 1);
    if (l.next)
        PL_DELETE(ctx, l.next, def->count + 1);
    if (lumps.item)
        PL_DELETE(ctx, lumps.item, lumps.capacity);
    fine_free(ctx, &g);
    if (status != PL_OK)
        drops_free(ctx, out);
    return status;
}

void drops_free(pl_context *ctx, drops_shape *s)
{
    if (s->vertices)
        PL_DELETE(ctx, s->vertices, s->vertex_capacity[0]);
    if (s->normals)
        PL_DELETE(ctx, s->normals, s->vertex_capacity[1]);
    if (s->triangles)
        PL_DELETE(ctx, s->triangles, s->triangle_capacity);
    if (s->beads)
        PL_DELETE(ctx, s->beads, s->bead_capacity[0]);
    if (s->radii)
        PL_DELETE(ctx, s->radii, s->bead_capacity[1]);
    *s = (drops_shape){0};
}

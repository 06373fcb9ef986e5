// tests/column_geometry.h -- pressure of liquids at rest in columns: boxes, canyons, pools and thin layers.
//
// The unknowns are defined by P, from them to the cells of a uniform grid: a cell near the surface or a sphere is a
// point, and those below stand in lines. A face of open area w between the virtual cells a and b adds w g g^T to the
// matrix, with g = P_a - P_b, and w u g to the right side, with u its velocity: P^T A P by definition.
#ifndef PL_TEST_COLUMN_GEOMETRY_H
#define PL_TEST_COLUMN_GEOMETRY_H

#include "base/random.h"
#include "sparse/column_system.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum
{
    GEOMETRY_CANYON, // steep sides, and pillars three cells wide
    GEOMETRY_POOL,   // with a sphere
    GEOMETRY_LAYER   // four cells deep on hills
} geometry;

// Everything belongs to it; see columns_free.
typedef struct
{
    pl__column_system system;
    double *b;
    int32_t *column_start, *row, *start, *column;
    uint8_t *kind;
    double *center, *value;
} columns;

static void *columns_memory(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    if (!memory)
        abort();
    return memory;
}

static void columns_free(columns *c)
{
    void *all[] = {c->b, c->column_start, c->row, c->start, c->column, c->kind, c->center, c->value};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k)
        free(all[k]);
    *c = (columns){0};
}

static void columns_connect(columns *c, int32_t nx, int32_t nz, int32_t count)
{
    c->system = (pl__column_system){.nx = nx,
                                    .nz = nz,
                                    .count = count,
                                    .column_start = c->column_start,
                                    .kind = c->kind,
                                    .row = c->row,
                                    .center = c->center,
                                    .start = c->start,
                                    .end = c->start + 1,
                                    .column = c->column,
                                    .value = c->value};
}

// ---- a full box of cells ------------------------------------------------------------------------------------------

// The seven-point matrix; under a free surface if `open`, else closed all around. b is random, and sums to zero if
// closed.
__attribute__((unused)) static columns box_columns(int32_t nx, int32_t ny, int32_t nz, bool open)
{
    int32_t count = nx * ny * nz, at = 0;
    columns c = {.b = columns_memory((size_t)count, sizeof(double)),
                 .column_start = columns_memory((size_t)(nx * nz), sizeof(int32_t)),
                 .row = columns_memory((size_t)count, sizeof(int32_t)),
                 .start = columns_memory((size_t)count, sizeof(int32_t)),
                 .column = columns_memory(7 * (size_t)count, sizeof(int32_t)),
                 .value = columns_memory(7 * (size_t)count, sizeof(double))};
    double mean = 0;
    for (int32_t u = 0; u < count; ++u)
    {
        int32_t j = u % ny, i = u / ny % nx, k = u / ny / nx;
        const int32_t to[7] = {k > 0 ? u - ny * nx : -1, i > 0 ? u - ny : -1,      j > 0 ? u - 1 : -1,           u,
                               j + 1 < ny ? u + 1 : -1,  i + 1 < nx ? u + ny : -1, k + 1 < nz ? u + ny * nx : -1};
        int32_t diagonal = -1;
        double sum = open && j + 1 == ny ? 2 : 0;
        c.start[u] = at;
        for (int e = 0; e < 7; ++e)
        {
            if (to[e] < 0)
                continue;
            if (e == 3)
                diagonal = at;
            else
                sum += 1;
            c.column[at] = to[e];
            c.value[at++] = -1;
        }
        c.value[diagonal] = sum;
        c.row[u] = j;
        c.b[u] = 2 * pl__random01(3, 0, (uint64_t)u) - 1;
        mean += c.b[u] / count;
    }
    c.start[count] = at;
    for (int32_t column = 0; column <= nx * nz; ++column)
        c.column_start[column] = column * ny;
    for (int32_t u = 0; u < count && !open; ++u)
        c.b[u] -= mean;
    columns_connect(&c, nx, nz, count);
    return c;
}

// ---- liquids ------------------------------------------------------------------------------------------------------

// Consecutive cells of a column with one unknown (a cell) or two.
typedef struct
{
    int32_t bottom, top, unknown;
} stretch;

typedef struct
{
    int32_t row, column;
    double value;
} triplet;

typedef struct
{
    geometry kind;
    int32_t n, band;          // cells along each edge, cells of points below the surface
    double *ground, *surface; // [n n] heights in cells
    double sphere[4];         // centre and radius, in cells; radius 0: none
    uint8_t *liquid;          // [n n n] 0 solid, 1 air, 2 liquid
    stretch *stretches;
    int32_t *first; // [n n + 1] stretches of a column
    triplet *entry;
    size_t entry_count, entry_most;
    double *b;
} liquid;

static double columns_random(uint64_t key) { return pl__random01(1, 2, key); }
static double columns_clamp(double x) { return x < 0 ? 0 : x > 1 ? 1 : x; }

static uint8_t *cell(const liquid *l, int32_t i, int32_t j, int32_t k)
{
    return &l->liquid[((size_t)k * (size_t)l->n + (size_t)i) * (size_t)l->n + (size_t)j];
}

static double sphere_distance(const liquid *l, double x, double y, double z)
{
    if (l->sphere[3] == 0)
        return 1e9;
    double d[3] = {x - l->sphere[0], y - l->sphere[1], z - l->sphere[2]};
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) - l->sphere[3];
}

static void shape_ground(liquid *l)
{
    int32_t n = l->n;
    for (int32_t c = 0; c < n * n; ++c)
    {
        int32_t i = c % n, k = c / n;
        double x = (i + 0.5) / n, z = (k + 0.5) / n, ground = 0, surface = 0.9 + 0.02 * sin(20 * x) * cos(17 * z);
        if (l->kind == GEOMETRY_CANYON)
        {
            ground = 0.05 + 0.85 * columns_clamp((fabs(z - 0.5 - 0.25 * sin(4 * x)) - 0.18) * 6);
            if (columns_random((uint64_t)(k / 3 * 1000 + i / 3)) > 0.7)
                ground += 0.25 * columns_random((uint64_t)(i / 3 * 77777 + k / 3 + 12345678));
            surface = 0.62 + 0.01 * sin(40 * x) * cos(31 * z);
        }
        if (l->kind == GEOMETRY_LAYER)
        {
            ground = 0.3 + 0.1 * sin(5 * x) * cos(4 * z);
            surface = ground + (4 + 1.5 * sin(40 * x) * sin(33 * z)) / n;
        }
        l->ground[c] = ground * n;
        l->surface[c] = surface * n;
    }
    if (l->kind == GEOMETRY_POOL)
        memcpy(l->sphere, (double[4]){0.5 * n, 0.45 * n, 0.5 * n, 0.15 * n}, sizeof l->sphere);
}

static void fill_cells(liquid *l)
{
    for (int32_t c = 0; c < l->n * l->n; ++c)
        for (int32_t j = 0; j < l->n; ++j)
        {
            int32_t i = c % l->n, k = c / l->n;
            bool solid = j + 1 <= l->ground[c] + 0.02 || sphere_distance(l, i + 0.5, j + 0.5, k + 0.5) < -0.6;
            *cell(l, i, j, k) = solid ? 0 : j + 0.5 < l->surface[c] ? 2 : 1;
        }
}

static bool is_fine(const liquid *l, int32_t c, int32_t j)
{
    return j > l->surface[c] - 1 - l->band || sphere_distance(l, c % l->n + 0.5, j + 0.5, c / l->n + 0.5) < 2.5;
}

// Divide the columns into points and lines; returns the number of unknowns.
static int32_t divide_columns(liquid *l)
{
    int32_t count = 0, unknown = 0;
    for (int32_t c = 0; c < l->n * l->n; ++c)
    {
        int32_t i = c % l->n, k = c / l->n;
        l->first[c] = count;
        for (int32_t j = 0, top; j < l->n; j = top + 1)
        {
            top = j;
            if (*cell(l, i, j, k) != 2)
                continue;
            while (!is_fine(l, c, j) && top + 1 < l->n && *cell(l, i, top + 1, k) == 2 && !is_fine(l, c, top + 1))
                top++;
            l->stretches[count++] = (stretch){j, top, unknown};
            unknown += top > j ? 2 : 1;
        }
    }
    l->first[l->n * l->n] = count;
    return unknown;
}

// Row j of P; returns the unknowns that it has.
static int virtual_cell(const stretch *s, int32_t j, int32_t unknown[2], double weight[2])
{
    unknown[0] = s->unknown;
    unknown[1] = s->unknown + 1;
    weight[0] = 1;
    weight[1] = j - 0.5 * (s->bottom + s->top);
    return s->top > s->bottom ? 2 : 1;
}

static void add_triplet(liquid *l, int32_t row, int32_t column, double value)
{
    if (l->entry_count == l->entry_most)
    {
        l->entry_most = l->entry_most ? 2 * l->entry_most : 1 << 16;
        l->entry = realloc(l->entry, l->entry_most * sizeof *l->entry);
        if (!l->entry)
            abort();
    }
    l->entry[l->entry_count++] = (triplet){row, column, value};
}

// A face of open area w and velocity u between row j of `a` and row k of `b`, which is NULL at the free surface.
static void add_face(liquid *l, const stretch *a, int32_t j, const stretch *b, int32_t k, double w, double u)
{
    int32_t unknown[4];
    double g[4];
    int own = virtual_cell(a, j, unknown, g), all = own;
    if (b)
        all += virtual_cell(b, k, unknown + own, g + own);
    for (int s = own; s < all; ++s)
        g[s] = -g[s];
    for (int s = 0; s < all; ++s)
    {
        l->b[unknown[s]] += w * u * g[s];
        for (int t = 0; t < all; ++t)
            add_triplet(l, unknown[s], unknown[t], w * g[s] * g[t]);
    }
}

// Open part of the face between columns a and b in row j; (x, z) is its centre.
static double side_area(const liquid *l, int32_t a, int32_t b, int32_t j, double x, double z)
{
    double w = columns_clamp(j + 1 - 0.5 * (l->ground[a] + l->ground[b]));
    w *= columns_clamp(0.5 + sphere_distance(l, x, j + 0.5, z) / 1.2);
    return w < 1e-3 ? 0 : w;
}

// Faces between the liquid of columns a and b, and of a against the air of b (ghost fluid).
static void add_side(liquid *l, int32_t a, int32_t b, bool both)
{
    int32_t n = l->n, s = l->first[b];
    double x = 0.5 * (a % n + b % n + 1), z = 0.5 * (a / n + b / n + 1);
    for (int32_t r = l->first[a]; r < l->first[a + 1]; ++r)
        for (int32_t j = l->stretches[r].bottom; j <= l->stretches[r].top; ++j)
        {
            uint8_t other = *cell(l, b % n, j, b / n);
            double w = side_area(l, a, b, j, x, z);
            if (other == 1 && w > 0)
            {
                double inside = l->surface[a] - j - 0.5, cut = inside / (inside + j + 0.5 - l->surface[b]);
                add_face(l, &l->stretches[r], j, NULL, 0, w / fmax(cut, 0.01), 0.1);
            }
            while (s < l->first[b + 1] && l->stretches[s].top < j)
                s++;
            if (other == 2 && both)
                add_face(l, &l->stretches[r], j, &l->stretches[s], j, w,
                         2 * columns_random(((uint64_t)a * 1000 + (uint64_t)b) * 1000 + (uint64_t)j) - 1 +
                             sin(6.0 * (a % n) / n) * cos(5.0 * (a / n) / n));
        }
}

static void add_column(liquid *l, int32_t c)
{
    int32_t n = l->n, i = c % n, k = c / n;
    for (int32_t r = l->first[c]; r < l->first[c + 1]; ++r)
    {
        const stretch *s = &l->stretches[r];
        double u = columns_random((uint64_t)c * 1000 + (uint64_t)s->bottom) - 0.5;
        for (int32_t j = s->bottom; j < s->top; ++j) // (P_j+1 - P_j) = (0, 1)
        {
            add_face(l, s, j, s, j + 1, 1, u);
        }
        // the diagonal, and both unknowns, whatever touches it
        for (int32_t e = 0; e < (s->top > s->bottom ? 4 : 1); ++e)
            add_triplet(l, s->unknown + e / 2, s->unknown + e % 2, 0);
        int32_t top = s->top;
        if (top + 1 < n && *cell(l, i, top + 1, k) == 2)
        {
            double w = columns_clamp(0.5 + sphere_distance(l, i + 0.5, top + 1, k + 0.5) / 1.2);
            add_face(l, s, top, s + 1, top + 1, w < 1e-3 ? 0 : w,
                     columns_random((uint64_t)c * 999 + (uint64_t)top) - 0.5);
        }
        else if (top + 1 < n && *cell(l, i, top + 1, k) == 1)
            add_face(l, s, top, NULL, 0, 1 / fmax(l->surface[c] - top - 0.5, 0.01), 0.3 * sin(9.0 * i / n));
    }
}

static int compare_triplets(const void *a, const void *b)
{
    const triplet *x = a, *y = b;
    return x->column < y->column ? -1 : x->column > y->column;
}

// Rows of the matrix from the triplets, which are sorted.
static void compress_rows(liquid *l, int32_t count, columns *c)
{
    size_t *end = columns_memory((size_t)count + 1, sizeof *end);
    triplet *sorted = columns_memory(l->entry_count, sizeof *sorted);
    for (size_t t = 0; t < l->entry_count; ++t)
        end[l->entry[t].row + 1]++;
    for (int32_t i = 0; i < count; ++i)
        end[i + 1] += end[i];
    for (size_t t = 0; t < l->entry_count; ++t)
        sorted[end[l->entry[t].row]++] = l->entry[t];
    c->start = columns_memory((size_t)count, sizeof(int32_t));
    c->column = columns_memory(l->entry_count, sizeof(int32_t));
    c->value = columns_memory(l->entry_count, sizeof(double));
    int32_t at = 0;
    for (int32_t i = 0; i < count; ++i)
    {
        size_t first = i ? end[i - 1] : 0;
        qsort(&sorted[first], end[i] - first, sizeof *sorted, compare_triplets);
        c->start[i] = at;
        for (size_t t = first; t < end[i]; ++t)
        {
            if (t == first || sorted[t].column != sorted[t - 1].column)
                c->column[at++] = sorted[t].column;
            c->value[at - 1] += sorted[t].value;
        }
    }
    c->start[count] = at;
    free(sorted);
    free(end);
}

static void describe_unknowns(const liquid *l, int32_t count, columns *c)
{
    int32_t n = l->n;
    c->column_start = columns_memory((size_t)(n * n), sizeof(int32_t));
    c->row = columns_memory((size_t)count, sizeof(int32_t));
    c->kind = columns_memory((size_t)count, sizeof(uint8_t));
    c->center = columns_memory((size_t)count, sizeof(double));
    for (int32_t column = 0; column < n * n; ++column)
    {
        c->column_start[column + 1] = c->column_start[column];
        for (int32_t r = l->first[column]; r < l->first[column + 1]; ++r)
        {
            const stretch *s = &l->stretches[r];
            bool line = s->top > s->bottom;
            c->row[s->unknown] = s->bottom;
            c->kind[s->unknown] = line ? PL__LINE_VALUE : PL__POINT;
            c->center[s->unknown] = 0.5 * (s->bottom + s->top);
            if (line)
                c->kind[s->unknown + 1] = PL__LINE_SLOPE;
            c->column_start[column + 1] += line ? 2 : 1;
        }
    }
}

// The liquid of `kind` in n^3 cells, with points down to `band` cells below the surface.
__attribute__((unused)) static columns liquid_columns(geometry kind, int32_t n, int32_t band)
{
    size_t area = (size_t)n * (size_t)n;
    liquid l = {.kind = kind, .n = n, .band = band};
    l.ground = columns_memory(area, sizeof(double));
    l.surface = columns_memory(area, sizeof(double));
    l.liquid = columns_memory(area * (size_t)n, 1);
    l.first = columns_memory(area, sizeof(int32_t));
    l.stretches = columns_memory(area * (size_t)n, sizeof(stretch));
    shape_ground(&l);
    fill_cells(&l);
    int32_t count = divide_columns(&l);
    l.b = columns_memory((size_t)count, sizeof(double));
    for (int32_t c = 0; c < n * n; ++c)
    {
        add_column(&l, c);
        if (c % n + 1 < n)
            add_side(&l, c, c + 1, true), add_side(&l, c + 1, c, false);
        if (c / n + 1 < n)
            add_side(&l, c, c + n, true), add_side(&l, c + n, c, false);
    }
    columns c = {.b = l.b};
    compress_rows(&l, count, &c);
    describe_unknowns(&l, count, &c);
    columns_connect(&c, n, n, count);
    void *all[] = {l.ground, l.surface, l.liquid, l.first, l.stretches, l.entry};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k)
        free(all[k]);
    return c;
}

#endif

// src/io/export_vdb.c -- OpenVDB files of grids: a file for every body of cubes and every frame, without its library.
//
// A body is a grid if its cells are boxes along the axes on one lattice, as those of liquids are; a cell that is many
// cubes high is written as all of them. Each field of cells becomes a grid of 32-bit floats or vectors of three.
//
// Values are in leaves of 8^3 voxels, under nodes of 16^3 leaves, under nodes of 32^3 of those, under a root. A file of
// version 224, without compression, with numbers in little-endian order:
//
//     head     magic, version, library, offsets follow, 36 letters of a name, metadata, number of grids
//     grid     name, type, no parent, offsets of grid, blocks and end | compression, metadata, transform
//     topology 1, background, tiles (0), children; of a child its origin and then, from the top down, node by node:
//              mask of children, mask of values, 6, a value per child; of a leaf its mask of voxels
//     blocks   of each leaf, in the same order, its mask, 6, 512 values
//
// 6 says that all values follow. Voxels of a node are numbered with z fastest, then y, then x. (Museth, "VDB:
// High-resolution sparse volumes with dynamic topology", 2013; the layout is that of OpenVDB's own writer.)
#include "io/export.h"
#include "base/context.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum
{
    LEAF = 8,     // voxels along an edge
    LOWER = 128,  // of a node of leaves
    UPPER = 4096, // of a node of those
    LEAF_VOXELS = LEAF * LEAF * LEAF,
    LOWER_CHILDREN = 16 * 16 * 16,
    UPPER_CHILDREN = 32 * 32 * 32,
    ALL_VALUES = 6
};

// ---- bytes -------------------------------------------------------------------------------------------------------

// A file in memory, since offsets are known at its end.
typedef struct file
{
    pl_context *ctx;
    char *bytes;
    size_t used, capacity;
    bool failed;
} file;

static void put(file *f, const void *data, size_t size)
{
    if (f->failed || !PL_GROW(f->ctx, f->bytes, &f->capacity, f->used + size))
    {
        f->failed = true;
        return;
    }
    memcpy(f->bytes + f->used, data, size);
    f->used += size;
}

static void put_u32(file *f, uint32_t x) { put(f, &x, sizeof x); }
static void put_u64(file *f, uint64_t x) { put(f, &x, sizeof x); }

static void put_text(file *f, const char *text)
{
    put_u32(f, (uint32_t)strlen(text));
    put(f, text, strlen(text));
}

static void put_meta(file *f, const char *name, const char *value)
{
    put_text(f, name);
    put_text(f, "string");
    put_text(f, value);
}

static void put_vector(file *f, const double v[3]) { put(f, v, 3 * sizeof *v); }
static void put_same(file *f, double x) { put_vector(f, (double[3]){x, x, x}); }

static void put_zeros(file *f, size_t size)
{
    static const char zeros[4096];
    for (size_t n; size > 0; size -= n)
        put(f, zeros, n = size < sizeof zeros ? size : sizeof zeros);
}

// ---- lattice -----------------------------------------------------------------------------------------------------

// Cells of a body as rows of voxels.
typedef struct lattice
{
    const pl_frame_body *body;
    double origin[3], h; // middle of voxel 0, edge of a voxel [m]
    int32_t leaves[3];   // that the box of all cells is long
    int32_t *leaf_at;    // [leaves] number, or -1: none
    uint64_t (*mask)[8]; // [leaf_count] voxels
    float *values;       // [leaf_count][LEAF_VOXELS][components]
    int32_t leaf_count, components;
} lattice;

static void cell_box(const pl_frame_body *b, int32_t cell, double lower[3], double upper[3])
{
    for (int a = 0; a < 3; ++a)
        lower[a] = INFINITY, upper[a] = -INFINITY;
    for (int k = 0; k < 8; ++k)
        for (int a = 0; a < 3; ++a)
        {
            double x = b->nodes[3 * (size_t)b->cells[8 * (size_t)cell + (size_t)k] + (size_t)a];
            lower[a] = fmin(lower[a], x);
            upper[a] = fmax(upper[a], x);
        }
}

// Voxels of a cell, from low up to high; false: it is not on the lattice.
static bool cell_voxels(const lattice *l, int32_t cell, int32_t low[3], int32_t high[3])
{
    double lower[3], upper[3];
    cell_box(l->body, cell, lower, upper);
    for (int a = 0; a < 3; ++a)
    {
        double from = (lower[a] - l->origin[a]) / l->h + 0.5, to = (upper[a] - l->origin[a]) / l->h + 0.5;
        if (!(fabs(from - rint(from)) < 0.01 && fabs(to - rint(to)) < 0.01 && to < 1e9 && to - from > 0.5))
            return false;
        low[a] = (int32_t)rint(from);
        high[a] = (int32_t)rint(to) - 1;
    }
    return true;
}

// Corners of a box are at its lower and upper ends only.
static bool is_box(const pl_frame_body *b, int32_t cell, double slack)
{
    double lower[3], upper[3];
    cell_box(b, cell, lower, upper);
    for (int k = 0; k < 8; ++k)
        for (int a = 0; a < 3; ++a)
        {
            double x = b->nodes[3 * (size_t)b->cells[8 * (size_t)cell + (size_t)k] + (size_t)a];
            if (x > lower[a] + slack && x < upper[a] - slack)
                return false;
        }
    return true;
}

// Whether the body is a grid; then where its lattice is.
static bool find_lattice(const pl_frame_body *b, lattice *l)
{
    double corner[3] = {INFINITY, INFINITY, INFINITY};
    int32_t most[3] = {0}, low[3], high[3];
    *l = (lattice){.body = b, .h = INFINITY};
    if (b->cell_kind != PL_ELEMENT_HEX || b->cell_count == 0)
        return false;
    for (int32_t c = 0; c < b->cell_count; ++c)
    {
        double lower[3], upper[3];
        cell_box(b, c, lower, upper);
        for (int a = 0; a < 3; ++a)
        {
            corner[a] = fmin(corner[a], lower[a]);
            l->h = fmin(l->h, upper[a] - lower[a]);
        }
    }
    for (int a = 0; a < 3; ++a)
        l->origin[a] = corner[a] + 0.5 * l->h;
    for (int32_t c = 0; c < b->cell_count; ++c)
    {
        if (!(l->h > 0) || !is_box(b, c, 0.01 * l->h) || !cell_voxels(l, c, low, high))
            return false;
        for (int a = 0; a < 3; ++a)
            most[a] = high[a] > most[a] ? high[a] : most[a];
    }
    for (int a = 0; a < 3; ++a)
        l->leaves[a] = most[a] / LEAF + 1;
    return true;
}

static size_t directory_size(const lattice *l)
{
    return (size_t)l->leaves[0] * (size_t)l->leaves[1] * (size_t)l->leaves[2];
}

static int32_t *leaf_of(const lattice *l, int32_t i, int32_t j, int32_t k)
{
    return &l->leaf_at[((size_t)(i / LEAF) * (size_t)l->leaves[1] + (size_t)(j / LEAF)) * (size_t)l->leaves[2] +
                       (size_t)(k / LEAF)];
}

static int voxel_of(int32_t i, int32_t j, int32_t k) { return (i % LEAF * LEAF + j % LEAF) * LEAF + k % LEAF; }

// Call `work` for every voxel, with the cell that it belongs to.
static void for_voxels(lattice *l, void (*work)(lattice *l, int32_t cell, const int32_t at[3], const void *user),
                       const void *user)
{
    for (int32_t c = 0; c < l->body->cell_count; ++c)
    {
        int32_t low[3], high[3], at[3];
        (void)cell_voxels(l, c, low, high);
        for (at[0] = low[0]; at[0] <= high[0]; ++at[0])
            for (at[1] = low[1]; at[1] <= high[1]; ++at[1])
                for (at[2] = low[2]; at[2] <= high[2]; ++at[2])
                    work(l, c, at, user);
    }
}

static void count_leaf(lattice *l, int32_t cell, const int32_t at[3], const void *user)
{
    int32_t *leaf = leaf_of(l, at[0], at[1], at[2]);
    (void)cell, (void)user;
    if (*leaf < 0)
        *leaf = l->leaf_count++;
}

static void mark_voxel(lattice *l, int32_t cell, const int32_t at[3], const void *user)
{
    int v = voxel_of(at[0], at[1], at[2]);
    (void)cell, (void)user;
    l->mask[*leaf_of(l, at[0], at[1], at[2])][v / 64] |= (uint64_t)1 << v % 64;
}

static void lattice_done(pl_context *ctx, lattice *l)
{
    PL_DELETE(ctx, l->values, (size_t)l->leaf_count * LEAF_VOXELS * 3);
    PL_DELETE(ctx, l->mask, (size_t)l->leaf_count);
    PL_DELETE(ctx, l->leaf_at, directory_size(l));
}

static pl_status make_leaves(pl_context *ctx, lattice *l)
{
    l->leaf_at = PL_NEW(ctx, directory_size(l), int32_t);
    if (!l->leaf_at)
        return PL_ERR_MEMORY;
    memset(l->leaf_at, -1, directory_size(l) * sizeof *l->leaf_at);
    for_voxels(l, count_leaf, NULL);
    l->mask = (uint64_t(*)[8])pl__calloc(ctx, (size_t)l->leaf_count, sizeof *l->mask);
    l->values = PL_NEW(ctx, (size_t)l->leaf_count * LEAF_VOXELS * 3, float);
    if (!l->mask || !l->values)
        return PL_ERR_MEMORY;
    for_voxels(l, mark_voxel, NULL);
    return PL_OK;
}

// ---- grids -------------------------------------------------------------------------------------------------------

static void set_value(lattice *l, int32_t cell, const int32_t at[3], const void *user)
{
    const pl_frame_field *field = user;
    size_t n = (size_t)l->components, leaf = (size_t)*leaf_of(l, at[0], at[1], at[2]);
    float *to = l->values + (leaf * LEAF_VOXELS + (size_t)voxel_of(at[0], at[1], at[2])) * n;
    for (size_t a = 0; a < n; ++a)
        to[a] = (float)field->values[(size_t)cell * n + a];
}

static bool is_phi(const pl_frame_field *field) { return strcmp(field->name, "phi") == 0; }

// What is beyond the cells: air, at least as far from the surface as the farthest of them.
static float background_of(const lattice *l, const pl_frame_field *field)
{
    double most = 0;
    for (int32_t c = 0; is_phi(field) && c < l->body->cell_count; ++c)
        most = fmax(most, field->values[c]);
    return (float)most;
}

static void fill_values(lattice *l, const pl_frame_field *field, float background)
{
    l->components = field->components;
    for (size_t k = 0; k < (size_t)l->leaf_count * LEAF_VOXELS * (size_t)l->components; ++k)
        l->values[k] = background;
    for_voxels(l, set_value, field);
}

// A node of so many voxels with its children, whose first voxel is `at`.
typedef struct node
{
    int32_t at[3], size, child_size;
} node;

// The leaves that a part of the lattice has, from `at`; false: none.
static bool has_leaf(const lattice *l, const int32_t at[3], int32_t size)
{
    int32_t low[3], high[3];
    for (int a = 0; a < 3; ++a)
    {
        low[a] = at[a] / LEAF;
        high[a] = (at[a] + size) / LEAF < l->leaves[a] ? (at[a] + size) / LEAF : l->leaves[a];
    }
    for (int32_t i = low[0]; i < high[0]; ++i)
        for (int32_t j = low[1]; j < high[1]; ++j)
            for (int32_t k = low[2]; k < high[2]; ++k)
                if (*leaf_of(l, LEAF * i, LEAF * j, LEAF * k) >= 0)
                    return true;
    return false;
}

static void child_place(const node *n, int32_t child, int32_t at[3])
{
    int32_t across = n->size / n->child_size;
    at[0] = n->at[0] + child / (across * across) * n->child_size;
    at[1] = n->at[1] + child / across % across * n->child_size;
    at[2] = n->at[2] + child % across * n->child_size;
}

static bool has_child(const lattice *l, const node *n, int32_t child)
{
    int32_t at[3];
    child_place(n, child, at);
    return at[0] < LEAF * l->leaves[0] && at[1] < LEAF * l->leaves[1] && at[2] < LEAF * l->leaves[2] &&
           has_leaf(l, at, n->child_size);
}

static node child_node(const node *n, int32_t child)
{
    node c = {.size = LOWER, .child_size = LEAF};
    child_place(n, child, c.at);
    return c;
}

static int32_t child_count(const node *n) { return n->size == UPPER ? UPPER_CHILDREN : LOWER_CHILDREN; }

static void put_node(file *f, const lattice *l, const node *n, float background)
{
    int32_t count = child_count(n);
    for (int32_t word = 0; word < count / 64; ++word)
    {
        uint64_t mask = 0;
        for (int32_t bit = 0; bit < 64; ++bit)
            mask |= (uint64_t)has_child(l, n, 64 * word + bit) << bit;
        put_u64(f, mask);
    }
    put_zeros(f, (size_t)count / 8); // no tiles are on
    put(f, (char[1]){ALL_VALUES}, 1);
    for (int32_t k = 0; k < count; ++k)
        for (int a = 0; a < l->components; ++a)
            put(f, &background, sizeof background);
}

static void put_leaf(file *f, const lattice *l, const int32_t at[3], bool with_values)
{
    int32_t leaf = *leaf_of(l, at[0], at[1], at[2]);
    put(f, l->mask[leaf], sizeof l->mask[leaf]);
    if (!with_values)
        return;
    put(f, (char[1]){ALL_VALUES}, 1);
    size_t count = LEAF_VOXELS * (size_t)l->components;
    put(f, l->values + (size_t)leaf * count, count * sizeof *l->values);
}

// All below a node, from the top down: nodes and masks, or, in a second pass, masks and values of leaves.
static void put_tree(file *f, const lattice *l, const node *n, float background, bool blocks)
{
    if (!blocks)
        put_node(f, l, n, background);
    for (int32_t child = 0; child < child_count(n); ++child)
    {
        if (!has_child(l, n, child))
            continue;
        node below = child_node(n, child);
        if (n->size == UPPER)
            put_tree(f, l, &below, background, blocks);
        else
            put_leaf(f, l, below.at, blocks);
    }
}

static void put_root(file *f, const lattice *l, float background, bool blocks)
{
    uint32_t count = 0;
    node n = {.size = UPPER, .child_size = LOWER};
    for (int pass = 0; pass < 2; ++pass)
    {
        for (n.at[0] = 0; n.at[0] < LEAF * l->leaves[0]; n.at[0] += UPPER)
            for (n.at[1] = 0; n.at[1] < LEAF * l->leaves[1]; n.at[1] += UPPER)
                for (n.at[2] = 0; n.at[2] < LEAF * l->leaves[2]; n.at[2] += UPPER)
                {
                    if (!has_leaf(l, n.at, UPPER))
                        continue;
                    count += pass == 0;
                    if (pass == 1 && !blocks)
                        put(f, n.at, sizeof n.at);
                    if (pass == 1)
                        put_tree(f, l, &n, background, blocks);
                }
        if (pass == 1 || blocks)
            continue;
        put_u32(f, 1); // buffers
        for (int a = 0; a < l->components; ++a)
            put(f, &background, sizeof background);
        put_u32(f, 0); // tiles
        put_u32(f, count);
    }
}

static void put_transform(file *f, const lattice *l)
{
    put_text(f, "UniformScaleTranslateMap");
    put_vector(f, l->origin);
    put_same(f, l->h);     // scale
    put_same(f, l->h);     // size of a voxel
    put_same(f, 1 / l->h); // and what follows from it
    put_same(f, 1 / (l->h * l->h));
    put_same(f, 0.5 / l->h);
}

static void put_grid(file *f, lattice *l, const pl_frame_field *field)
{
    float background = background_of(l, field);
    uint64_t offset[3];
    bool vector = field->components == 3;
    fill_values(l, field, background);
    put_text(f, field->name);
    put_text(f, vector ? "Tree_vec3s_5_4_3" : "Tree_float_5_4_3");
    put_text(f, "");
    size_t place = f->used;
    put_zeros(f, sizeof offset);
    offset[0] = f->used;
    put_u32(f, 0); // no compression
    put_u32(f, 2); // metadata
    put_meta(f, "class", is_phi(field) ? "level set" : "unknown");
    put_meta(f, "name", field->name);
    put_transform(f, l);
    put_root(f, l, background, false);
    offset[1] = f->used;
    put_root(f, l, background, true);
    offset[2] = f->used;
    if (!f->failed)
        memcpy(f->bytes + place, offset, sizeof offset);
}

// ---- files -------------------------------------------------------------------------------------------------------

static bool is_grid(const pl_frame_field *field) { return field->per_cell && field->components <= 3; }

static void put_file(file *f, lattice *l)
{
    const pl_frame_body *b = l->body;
    uint32_t count = 0;
    for (int32_t i = 0; i < b->field_count; ++i)
        count += is_grid(&b->fields[i]);
    put_u64(f, 0x56444220);
    put_u32(f, 224); // version of the format
    put_u32(f, 10);  // and of a library that reads it
    put_u32(f, 0);
    put(f, (char[1]){1}, 1);
    put(f, "00000000-0000-0000-0000-000000000000", 36);
    put_u32(f, 1);
    put_meta(f, "creator", "Pliant");
    put_u32(f, count);
    for (int32_t i = 0; i < b->field_count; ++i)
        if (is_grid(&b->fields[i]))
            put_grid(f, l, &b->fields[i]);
}

static pl_status write_grid(pl__export *e, const pl_frame *frame, lattice *l)
{
    file f = {.ctx = e->ctx};
    pl__writer w;
    pl_status status = make_leaves(e->ctx, l);
    if (status == PL_OK)
        put_file(&f, l);
    if (status == PL_OK)
        status = f.failed ? PL_ERR_MEMORY : pl__export_open(e, &w, "%s_%06d.vdb", l->body->name, frame->number);
    if (status == PL_OK)
    {
        pl__write_bytes(&w, f.bytes, f.used);
        status = pl__writer_commit(&w);
    }
    PL_DELETE(e->ctx, f.bytes, f.capacity);
    lattice_done(e->ctx, l);
    return status;
}

pl_status pl__export_vdb(pl__export *e)
{
    for (int32_t index = 0; index < e->source->frame_count; ++index)
    {
        const pl_frame *frame;
        lattice l;
        PL_TRY(pl__export_read(e, index, &frame));
        for (int32_t i = 0; i < frame->body_count; ++i)
            if (find_lattice(&frame->bodies[i], &l))
                PL_TRY(write_grid(e, frame, &l));
    }
    return PL_OK;
}

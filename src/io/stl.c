// src/io/stl.c -- STL surfaces: triangles without connectivity.
//
//     solid name                     80 bytes of anything
//     facet normal 0 0 1             uint32: the number of triangles, n
//       outer loop                   n times 50 bytes, little-endian:
//         vertex 0 0 0                   float32 normal[3], corner[3][3]
//         vertex 1 0 0                   uint16 of no fixed meaning
//         vertex 0 1 0
//       endloop
//     endfacet                       Many binary files begin with "solid" as well, so their size decides:
//     endsolid name                  84 + 50 n.
//
// Coincident corners become one node, in order of first appearance. Coincident means equal numbers (0 is -0), not close
// ones: a tolerance would be a guess. They are found by sorting, as everywhere in these readers.
//
// 3D Systems, "StereoLithography Interface Specification" (1989).
#include "io/stl.h"

#include <inttypes.h>
#include <string.h>

enum
{
    HEADER_BYTES = 80,
    TRIANGLE_BYTES = 50
};

typedef struct reader
{
    pl__draft *draft;
    pl__scan scan;
    double *corner; // [9 triangle_count]
    size_t corner_capacity, triangle_count;
} reader;

// Adding 0 turns -0 into 0.
static pl_status add_corners(reader *r, const double corner[9])
{
    if (!PL_GROW(r->draft->ctx, r->corner, &r->corner_capacity, 9 * r->triangle_count + 9))
        return PL_ERR_MEMORY;
    for (size_t k = 0; k < 9; ++k)
        r->corner[9 * r->triangle_count + k] = corner[k] + 0.0;
    r->triangle_count++;
    return PL_OK;
}

// ---- text ----------------------------------------------------------------------------------------------------

static pl_status expect(reader *r, const char *word)
{
    pl__text token;
    return pl__scan_token(&r->scan, &token) && pl__text_is(token, word) ? PL_OK : pl__scan_expected(&r->scan, word);
}

// From after "facet". Normals are often wrong or NaN, and never needed.
static pl_status read_facet(reader *r)
{
    double normal = 0, corner[9] = {0};
    PL_TRY(expect(r, "normal"));
    for (int k = 0; k < 3; ++k)
        PL_TRY(pl__scan_any(&r->scan, PL__F64, "a normal", &normal));
    PL_TRY(expect(r, "outer"));
    PL_TRY(expect(r, "loop"));
    for (int k = 0; k < 9; ++k)
    {
        if (k % 3 == 0)
            PL_TRY(expect(r, "vertex"));
        PL_TRY(pl__scan_real(&r->scan, "a coordinate", &corner[k]));
    }
    PL_TRY(expect(r, "endloop"));
    PL_TRY(expect(r, "endfacet"));
    return add_corners(r, corner);
}

static pl_status read_solid(reader *r)
{
    pl__text token = {0};
    PL_TRY(expect(r, "solid"));
    (void)pl__scan_next_line(&r->scan);
    while (pl__scan_token(&r->scan, &token) && pl__text_is(token, "facet"))
        PL_TRY(read_facet(r));
    if (r->scan.place == r->scan.end || !pl__text_is(token, "endsolid"))
        return pl__scan_expected(&r->scan, "facet or endsolid");
    (void)pl__scan_next_line(&r->scan);
    return PL_OK;
}

static pl_status read_text(reader *r)
{
    do
        PL_TRY(read_solid(r));
    while (pl__scan_more(&r->scan));
    return PL_OK;
}

// ---- binary --------------------------------------------------------------------------------------------------

// Whether the file size matches a binary file with its number of triangles.
static bool has_binary_size(pl__scan s)
{
    const size_t start = HEADER_BYTES + 4;
    int64_t count = 0;
    if (pl__scan_left(&s) < start)
        return false;
    s.at += HEADER_BYTES;
    (void)pl__scan_whole(&s, PL__U32, "", &count);
    return pl__scan_left(&s) == (size_t)count * TRIANGLE_BYTES;
}

static pl_status read_triangle(reader *r)
{
    const char *ignored;
    double corner[9];
    PL_TRY(pl__scan_bytes(&r->scan, "a normal", 12, &ignored));
    for (int k = 0; k < 9; ++k)
        PL_TRY(pl__scan_finite(&r->scan, PL__F32, "a coordinate", &corner[k]));
    PL_TRY(pl__scan_bytes(&r->scan, "a triangle", 2, &ignored));
    return add_corners(r, corner);
}

static pl_status read_binary(reader *r)
{
    const char *ignored;
    int64_t count = 0;
    PL_TRY(pl__scan_bytes(&r->scan, "the header", HEADER_BYTES, &ignored));
    PL_TRY(pl__scan_whole(&r->scan, PL__U32, "the number of triangles", &count));
    PL_TRY(pl__scan_need(&r->scan, count, TRIANGLE_BYTES, "triangles"));
    for (int64_t i = 0; i < count; ++i)
        PL_TRY(read_triangle(r));
    return PL_OK;
}

// ---- merging -------------------------------------------------------------------------------------------------

// Sort corners by position, by a stable sort for each coordinate; equal ones in order of appearance.
static bool sort_corners(const reader *r, pl__tagged *item, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        item[i].value = (int32_t)i;
    for (size_t k = 0; k < 3; ++k)
    {
        for (size_t i = 0; i < count; ++i)
            memcpy(&item[i].tag, &r->corner[3 * (size_t)item[i].value + k], sizeof item[i].tag);
        if (!pl__sort_tagged(r->draft->ctx, item, count))
            return false;
    }
    return true;
}

// For each corner the first coincident one.
static void find_first(const reader *r, const pl__tagged *item, size_t count, int32_t *first)
{
    for (size_t i = 0; i < count; ++i)
    {
        const double *here = &r->corner[3 * (size_t)item[i].value];
        bool same = i > 0 && memcmp(here, &r->corner[3 * (size_t)item[i - 1].value], 3 * sizeof *here) == 0;
        first[item[i].value] = same ? first[item[i - 1].value] : item[i].value;
    }
}

// Nodes for the first corners; `first` becomes the node of each corner.
static void add_nodes(reader *r, int32_t *first, size_t count)
{
    for (size_t i = 0; i < count; ++i)
    {
        bool is_new = first[i] == (int32_t)i;
        first[i] = is_new ? r->draft->node_count : first[first[i]];
        if (is_new)
            pl__draft_add_node(r->draft, first[i], &r->corner[3 * i]);
    }
}

static pl_status merge_corners(reader *r, pl__tagged *item, int32_t *first, size_t count)
{
    if (!sort_corners(r, item, count))
        return PL_ERR_MEMORY;
    find_first(r, item, count, first);
    int64_t distinct = 0;
    for (size_t i = 0; i < count; ++i)
        distinct += first[i] == (int32_t)i;
    PL_TRY(pl__draft_reserve_nodes(r->draft, &r->scan, distinct));
    add_nodes(r, first, count);
    for (size_t i = 0; i < count; i += 3)
        PL_TRY(pl__draft_add_triangle(r->draft, first[i], first[i + 1], first[i + 2]));
    if (distinct < (int64_t)count)
        pl__log(r->draft->ctx, PL_LOG_NOTE, "%s: %zu corners at the same places were merged into %" PRId64 " nodes",
                r->draft->name, count, distinct);
    return PL_OK;
}

static pl_status make_triangles(reader *r)
{
    size_t count = 3 * r->triangle_count;
    if (count > INT32_MAX)
        return pl__fail(r->draft->ctx, PL_ERR_FORMAT, "%s: holds %zu triangles, but at most %d are allowed",
                        r->draft->name, r->triangle_count, INT32_MAX / 3);
    pl__tagged *item = PL_NEW(r->draft->ctx, count, pl__tagged);
    int32_t *first = PL_NEW(r->draft->ctx, count, int32_t);
    pl_status status = item && first ? merge_corners(r, item, first, count) : PL_ERR_MEMORY;
    PL_DELETE(r->draft->ctx, item, count);
    PL_DELETE(r->draft->ctx, first, count);
    return status;
}

static pl_status read_file(reader *r, const void *data, size_t size)
{
    r->scan = pl__scan_start_binary(r->draft->ctx, r->draft->name, data, size);
    pl__scan_set_order(&r->scan, false);
    pl__scan text = pl__scan_start(r->draft->ctx, r->draft->name, data, size);
    bool solid = pl__scan_more(&text) && pl__scan_left(&text) >= 5 && memcmp(text.at, "solid", 5) == 0;
    if (!solid || has_binary_size(r->scan))
        return read_binary(r);
    r->scan = text;
    return read_text(r);
}

pl_status pl__stl_read(pl__draft *draft, const void *data, size_t size)
{
    reader r = {.draft = draft};
    draft->keep_nodes = true;
    pl_status status = read_file(&r, data, size);
    if (status == PL_OK)
        status = make_triangles(&r);
    PL_DELETE(draft->ctx, r.corner, r.corner_capacity);
    return status;
}

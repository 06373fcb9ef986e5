// src/io/medit.c -- Medit .mesh files, as text.
//
//     MeshVersionFormatted 2
//     Dimension 3
//     Vertices                 a keyword, how many, and so many records;
//     4                        the last number of each is a reference, its group
//     0 0 0  0
//     ...
//     Tetrahedra
//     1
//     1 2 3 4  7               nodes are numbered from 1
//     End
//
// References of elements become regions. Triangles and Quadrilaterals are used for surfaces, and for meshes in a file
// without Tetrahedra and Hexahedra; unknown sections are skipped up to the next word. Blanks and line breaks are
// equivalent, '#' starts a comment. Sections may come in any order, so vertices are read in a first pass.
//
// Frey, "MEDIT: An interactive mesh visualization software", INRIA RT-0253 (2001).
#include "io/medit.h"

#include <inttypes.h>

typedef struct reader
{
    pl__draft *draft;
    pl__scan scan;
    bool has_vertices;
} reader;

typedef struct section
{
    const char *keyword;
    pl__cell_kind kind;
    int corner_count;
    bool higher_order;
} section;

static const section sections[] = {
    {"Edges", PL__CELL_LINE, 2, false},          {"Triangles", PL__CELL_TRIANGLE, 3, false},
    {"Quadrilaterals", PL__CELL_QUAD, 4, false}, {"Tetrahedra", PL__CELL_TET, 4, false},
    {"Hexahedra", PL__CELL_HEX, 8, false},       {"Hexaedra", PL__CELL_HEX, 8, false},
    {"Prisms", PL__CELL_PRISM, 6, false},        {"Pyramids", PL__CELL_PYRAMID, 5, false},
    {"TrianglesP2", PL__CELL_TRIANGLE, 6, true}, {"QuadrilateralsQ2", PL__CELL_QUAD, 9, true},
    {"TetrahedraP2", PL__CELL_TET, 10, true},    {"HexahedraQ2", PL__CELL_HEX, 27, true}};

static const section *find_section(pl__text keyword)
{
    for (const section *s = sections; s < sections + sizeof sections / sizeof sections[0]; ++s)
        if (pl__text_is(keyword, s->keyword))
            return s;
    return NULL;
}

static bool is_word(pl__text token)
{
    char c = token.at[0];
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

// Skip to the next word, over any numbers; false at the end of the file.
static bool find_word(pl__scan *s, pl__text *word)
{
    while (pl__scan_token(s, word))
        if (is_word(*word))
            return true;
    return false;
}

static pl_status read_head(reader *r)
{
    pl__text word;
    int64_t number = 0;
    if (!pl__scan_token(&r->scan, &word) || !pl__text_is(word, "MeshVersionFormatted"))
        return pl__scan_fail(&r->scan, "there is no MeshVersionFormatted, so this is not a Medit .mesh file");
    PL_TRY(pl__scan_integer(&r->scan, "the version", 0, 4, &number));
    if (!pl__scan_token(&r->scan, &word) || !pl__text_is(word, "Dimension"))
        return pl__scan_expected(&r->scan, "Dimension");
    return pl__scan_integer(&r->scan, "the dimension", 3, 3, &number);
}

// ---- sections ------------------------------------------------------------------------------------------------

static pl_status read_vertices(reader *r)
{
    int64_t count = 0, reference = 0;
    double position[3] = {0};
    if (r->has_vertices)
        return pl__scan_fail(&r->scan, "this section stands here a second time");
    r->has_vertices = true;
    PL_TRY(pl__scan_integer(&r->scan, "the number of vertices", 0, INT64_MAX, &count));
    PL_TRY(pl__scan_need(&r->scan, count, 8, "vertices"));
    PL_TRY(pl__draft_reserve_nodes(r->draft, &r->scan, count));
    for (int64_t i = 1; i <= count; ++i)
    {
        for (int k = 0; k < 3; ++k)
            PL_TRY(pl__scan_real(&r->scan, "a coordinate", &position[k]));
        PL_TRY(pl__scan_integer(&r->scan, "the reference of a vertex", INT64_MIN, INT64_MAX, &reference));
        pl__draft_add_node(r->draft, i, position);
    }
    return pl__draft_seal_nodes(r->draft, &r->scan);
}

static pl_status read_cell(reader *r, const section *part)
{
    int64_t corner[PL__CORNERS_MAX] = {0}, ignored = 0, reference = 0;
    for (int i = 0; i < part->corner_count; ++i)
        PL_TRY(pl__scan_integer(&r->scan, "a node of the element", 1, INT32_MAX,
                                i < PL__CORNERS_MAX ? &corner[i] : &ignored));
    PL_TRY(pl__scan_integer(&r->scan, "the reference of an element", INT64_MIN, INT64_MAX, &reference));
    return pl__draft_add_cell(r->draft, &r->scan, part->kind, corner, reference);
}

static pl_status read_cells(reader *r, const section *part)
{
    int64_t count = 0;
    PL_TRY(pl__scan_integer(&r->scan, "the number of elements", 0, INT64_MAX, &count));
    PL_TRY(pl__scan_need(&r->scan, count, 2 * (size_t)part->corner_count, "elements"));
    pl__draft_count_higher(r->draft, part->kind, part->higher_order ? count : 0);
    for (int64_t i = 0; i < count; ++i)
        PL_TRY(read_cell(r, part));
    return PL_OK;
}

// All sections: the vertices in one pass, the elements in the next.
static pl_status read_sections(reader *r, bool vertices)
{
    pl__text word;
    while (find_word(&r->scan, &word) && !pl__text_is(word, "End"))
    {
        const section *part = find_section(word);
        if (vertices && pl__text_is(word, "Vertices"))
            PL_TRY(read_vertices(r));
        else if (!vertices && part)
            PL_TRY(read_cells(r, part));
    }
    return PL_OK;
}

pl_status pl__medit_read(pl__draft *draft, const void *data, size_t size)
{
    reader r = {.draft = draft, .scan = pl__scan_start(draft->ctx, draft->name, data, size)};
    r.scan.comment = '#';
    PL_TRY(read_head(&r));
    pl__scan start = r.scan;
    PL_TRY(read_sections(&r, true));
    if (!r.has_vertices)
        return pl__scan_expected(&r.scan, "Vertices");
    r.scan = start;
    return read_sections(&r, false);
}

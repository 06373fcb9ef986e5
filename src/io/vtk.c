// src/io/vtk.c -- VTK's legacy format, .vtk, of versions 2.0 to 5.1.
//
//     # vtk DataFile Version 3.0
//     a title
//     ASCII                              or BINARY: the same with big-endian numbers after each line that announces them
//     DATASET UNSTRUCTURED_GRID          or POLYDATA, with POLYGONS and the like in place of CELLS and CELL_TYPES
//     POINTS 4 float
//     0 0 0  1 0 0  0 1 0  0 0 1
//     CELLS 1 5                          from 5.0 on: OFFSETS and CONNECTIVITY (see vtk_cells.c)
//     4 0 1 2 3
//     CELL_TYPES 1
//     10
//     POINT_DATA 4                       arrays that go with points, then (CELL_DATA) with cells
//     SCALARS heat double 1
//     LOOKUP_TABLE default
//     0 0 1 2
//     FIELD more 1                       any number of arrays of any width
//     velocity 3 4 float
//     ...
//
// Arrays of points become attributes; a cell array with a name known to pl__vtk_region_rank becomes the regions.
//
// "VTK File Formats", section "Simple Legacy Formats", and vtkDataReader.cxx for what the document leaves open.
#include "io/vtk.h"

#include <inttypes.h>
#include <string.h>

typedef enum section
{
    SECTION_NONE,
    SECTION_POINTS,
    SECTION_CELLS
} section;

typedef struct reader
{
    pl__draft *draft;
    pl__scan scan;
    bool binary;
    bool by_offsets; // from version 5.0 on
    bool has_points, has_cells, has_types;
    pl__vtk_cells cells;
    pl__series end;
    section section;
    pl__series region; // when region_rank >= 0
    int region_rank;
} reader;

typedef struct array
{
    pl__text name;
    int64_t components, tuples;
    pl__number_type type;
    bool is_bits; // eight to a byte, when binary
} array;

// ---- words and lines -------------------------------------------------------------------------------------------

static char upper(char c) { return c >= 'a' && c <= 'z' ? (char)(c - 32) : c; }

// Case-insensitive, as in VTK.
static bool is_word(pl__text text, const char *word)
{
    if (text.length != strlen(word))
        return false;
    for (size_t i = 0; i < text.length; ++i)
        if (upper(text.at[i]) != upper(word[i]))
            return false;
    return true;
}

static pl_status read_word(reader *r, const char *what, pl__text *word)
{
    r->scan.by_line = true;
    bool found = pl__scan_token(&r->scan, word);
    r->scan.by_line = false;
    return found ? PL_OK : pl__scan_expected(&r->scan, what);
}

static bool more_on_line(reader *r)
{
    r->scan.by_line = true;
    bool more = pl__scan_more(&r->scan);
    r->scan.by_line = false;
    return more;
}

static pl_status read_count(reader *r, const char *what, int64_t *count)
{
    return pl__scan_integer(&r->scan, what, 0, INT32_MAX, count);
}

static pl_status read_type(reader *r, pl__number_type *type, bool *is_bits)
{
    static const struct
    {
        const char *name;
        pl__number_type type;
    } types[] = {{"unsigned_char", PL__U8},
                 {"char", PL__I8},
                 {"signed_char", PL__I8},
                 {"unsigned_short", PL__U16},
                 {"short", PL__I16},
                 {"unsigned_int", PL__U32},
                 {"int", PL__I32},
                 {"unsigned_long", PL__U64},
                 {"long", PL__I64},
                 {"vtktypeint64", PL__I64},
                 {"vtktypeuint64", PL__U64},
                 {"long_long", PL__I64},
                 {"float", PL__F32},
                 {"double", PL__F64},
                 {"unsigned_long_long", PL__U64},
                 {"vtkIdType", PL__I32}, // as vtkDataWriter writes it
                 {"bit", PL__U8}};
    pl__text word = {0};
    PL_TRY(read_word(r, "the type of the numbers", &word));
    for (size_t i = 0; i < sizeof types / sizeof types[0]; ++i)
        if (is_word(word, types[i].name))
        {
            *type = types[i].type;
            *is_bits = is_word(word, "bit");
            return PL_OK;
        }
    return pl__scan_expected(&r->scan, "the type of the numbers, such as float or int");
}

// Binary numbers begin after the line break.
static void end_line(reader *r)
{
    if (r->binary)
        (void)pl__scan_next_line(&r->scan);
}

// ---- numbers ---------------------------------------------------------------------------------------------------

static pl_status need(reader *r, pl__number_type type, int64_t count)
{
    // the last number of a text may end without a blank
    return pl__scan_need(&r->scan, count - (count > 0 && !r->binary), pl__scan_number_bytes(&r->scan, type), "numbers");
}

static pl_status skip(reader *r, pl__number_type type, int64_t count)
{
    const char *ignored;
    pl__text token;
    PL_TRY(need(r, type, count));
    if (r->binary)
        return pl__scan_bytes(&r->scan, "an array", (size_t)count * pl__number_bytes(type), &ignored);
    for (int64_t i = 0; i < count; ++i)
        if (!pl__scan_token(&r->scan, &token))
            return pl__scan_expected(&r->scan, "a number");
    return PL_OK;
}

// Record the array that begins here, and skip it.
static pl_status take_series(reader *r, pl__number_type type, int64_t count, pl__series *series)
{
    *series = (pl__series){r->scan, type};
    return skip(r, type, count);
}

// ---- geometry --------------------------------------------------------------------------------------------------

static pl_status read_points(reader *r)
{
    int64_t count = 0;
    pl__number_type type = PL__F32;
    bool is_bits = false;
    double position[3] = {0};
    if (r->has_points)
        return pl__scan_fail(&r->scan, "there are POINTS a second time");
    r->has_points = true;
    PL_TRY(read_count(r, "the number of points", &count));
    PL_TRY(read_type(r, &type, &is_bits));
    end_line(r);
    PL_TRY(need(r, type, 3 * count));
    PL_TRY(pl__draft_reserve_nodes(r->draft, &r->scan, count));
    for (int64_t i = 0; i < count; ++i)
    {
        for (int k = 0; k < 3; ++k)
            PL_TRY(pl__scan_finite(&r->scan, type, "a coordinate", &position[k]));
        pl__draft_add_node(r->draft, i, position);
    }
    pl__draft_seal_numbered(r->draft);
    return PL_OK;
}

// "OFFSETS vtktypeint64" or "CONNECTIVITY vtktypeint64", and its numbers.
static pl_status read_part(reader *r, const char *keyword, int64_t count, pl__series *part)
{
    pl__text word;
    pl__number_type type = PL__I64;
    bool is_bits = false;
    if (!pl__scan_token(&r->scan, &word) || !is_word(word, keyword))
        return pl__scan_expected(&r->scan, keyword);
    PL_TRY(read_type(r, &type, &is_bits));
    end_line(r);
    return take_series(r, type, count, part);
}

static pl_status read_offsets(reader *r, int64_t offset_count, int64_t corner_count)
{
    int64_t first = 0;
    PL_TRY(read_part(r, "OFFSETS", offset_count, &r->end));
    if (offset_count > 0)
        PL_TRY(pl__scan_whole(&r->end.scan, r->end.type, "the first offset", &first));
    if (first != 0)
        return pl__scan_fail(&r->end.scan, "the first offset is %" PRId64 ", but must be 0", first);
    r->cells.end = &r->end;
    r->cells.count = offset_count > 0 ? offset_count - 1 : 0;
    return read_part(r, "CONNECTIVITY", corner_count, &r->cells.corner);
}

// CELLS, POLYGONS and the like.
static pl_status read_cells(reader *r)
{
    int64_t count = 0, size = 0;
    if (!r->has_points)
        return pl__scan_fail(&r->scan, "cells must come after POINTS");
    PL_TRY(read_count(r, "the number of cells", &count));
    PL_TRY(read_count(r, "the size of the cells", &size));
    r->cells = (pl__vtk_cells){.count = count, .node_count = r->draft->node_count};
    if (r->by_offsets)
        return read_offsets(r, count, size);
    end_line(r);
    return take_series(r, PL__I32, size, &r->cells.corner);
}

static pl_status read_grid_cells(reader *r)
{
    if (r->has_cells)
        return pl__scan_fail(&r->scan, "there are CELLS a second time");
    r->has_cells = true;
    return read_cells(r);
}

static pl_status read_polydata_cells(reader *r, int64_t kind)
{
    PL_TRY(read_cells(r));
    r->cells.only_kind = kind;
    return pl__vtk_add_cells(r->draft, &r->cells);
}

static pl_status read_cell_types(reader *r)
{
    int64_t count = 0;
    pl__series kind;
    if (!r->has_cells || r->has_types)
        return pl__scan_fail(&r->scan, "CELL_TYPES must come once, after CELLS");
    r->has_types = true;
    PL_TRY(read_count(r, "the number of types", &count));
    if (count != r->cells.count)
        return pl__scan_fail(&r->scan, "there are %" PRId64 " types of %" PRId64 " cells", count, r->cells.count);
    end_line(r);
    PL_TRY(take_series(r, PL__I32, count, &kind));
    pl__vtk_cells cells = r->cells;
    cells.kind = &kind;
    return pl__vtk_add_cells(r->draft, &cells);
}

// ---- data ------------------------------------------------------------------------------------------------------

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    char u = upper(c);
    return u >= 'A' && u <= 'F' ? u - 'A' + 10 : -1;
}

// Names have their blanks and odd bytes as %20.
static void spell_name(pl__text text, char name[PL__NAME_CHARS])
{
    size_t length = 0;
    for (size_t i = 0; i < text.length && length + 1 < PL__NAME_CHARS; ++i)
    {
        bool coded = text.at[i] == '%' && i + 2 < text.length && hex_digit(text.at[i + 1]) >= 0 &&
                     hex_digit(text.at[i + 2]) >= 0;
        name[length++] = coded ? (char)(16 * hex_digit(text.at[i + 1]) + hex_digit(text.at[i + 2])) : text.at[i];
        i += coded ? 2 : 0;
    }
    name[length] = 0;
}

static pl_status read_attribute(reader *r, const array *a, double full)
{
    char name[PL__NAME_CHARS];
    pl__series series = {r->scan, a->type};
    spell_name(a->name, name);
    PL_TRY(pl__vtk_read_attribute(r->draft, &series, name, a->components, 0, r->draft->node_count, full));
    r->scan = series.scan;
    return PL_OK;
}

// Numbers follow: store them if they are useful. `full` divides them.
static pl_status read_array(reader *r, const array *a, double full)
{
    int rank = pl__vtk_region_rank(a->name);
    int64_t total = a->components * a->tuples;
    if (a->is_bits)
        return skip(r, PL__U8, r->binary ? (total + 7) / 8 : total);
    if (r->section == SECTION_POINTS && a->tuples == r->draft->node_count && a->components > 0)
        return read_attribute(r, a, full);
    bool tells = r->section == SECTION_CELLS && a->components == 1 && a->tuples == r->cells.count &&
                 !pl__number_is_real(a->type);
    if (!tells || rank < 0 || (r->region_rank >= 0 && r->region_rank <= rank))
        return skip(r, a->type, total);
    r->region_rank = rank;
    return take_series(r, a->type, total, &r->region);
}

static int64_t tuples_of_section(const reader *r)
{
    return r->section == SECTION_POINTS ? r->draft->node_count : r->cells.count;
}

static pl_status read_section(reader *r, section started)
{
    int64_t count = 0;
    r->section = started;
    PL_TRY(read_count(r, "the number of tuples", &count));
    if (started == SECTION_POINTS && count != r->draft->node_count)
        return pl__scan_fail(&r->scan, "data for %" PRId64 " points, but there are %d", count, r->draft->node_count);
    // cells of POLYDATA are in up to four lists, and have no regions
    if (started == SECTION_CELLS && r->has_cells && count != r->cells.count)
        return pl__scan_fail(&r->scan, "data for %" PRId64 " cells, but there are %" PRId64, count, r->cells.count);
    r->cells.count = started == SECTION_CELLS ? count : r->cells.count;
    return PL_OK;
}

// "SCALARS name type components", usually followed by a line with the name of a colour table.
static pl_status read_scalars(reader *r)
{
    array a = {.components = 1, .tuples = tuples_of_section(r)};
    pl__text word;
    PL_TRY(read_word(r, "the name of an array", &a.name));
    PL_TRY(read_type(r, &a.type, &a.is_bits));
    if (more_on_line(r))
        PL_TRY(read_count(r, "the number of components", &a.components));
    (void)pl__scan_next_line(&r->scan);
    pl__scan start = r->scan;
    if (pl__scan_token(&r->scan, &word) && is_word(word, "LOOKUP_TABLE"))
        (void)pl__scan_next_line(&r->scan);
    else
        r->scan = start;
    return read_array(r, &a, 1);
}

// "VECTORS name type" and the like.
static pl_status read_tuples(reader *r, int64_t components)
{
    array a = {.components = components, .tuples = tuples_of_section(r)};
    PL_TRY(read_word(r, "the name of an array", &a.name));
    PL_TRY(read_type(r, &a.type, &a.is_bits));
    end_line(r);
    return read_array(r, &a, 1);
}

static pl_status read_texture(reader *r)
{
    array a = {.tuples = tuples_of_section(r)};
    PL_TRY(read_word(r, "the name of an array", &a.name));
    PL_TRY(read_count(r, "the number of components", &a.components));
    PL_TRY(read_type(r, &a.type, &a.is_bits));
    end_line(r);
    return read_array(r, &a, 1);
}

// Bytes in binary, reals in [0, 1] in text.
static pl_status read_colors(reader *r)
{
    array a = {.tuples = tuples_of_section(r), .type = r->binary ? PL__U8 : PL__F32};
    PL_TRY(read_word(r, "the name of an array", &a.name));
    PL_TRY(read_count(r, "the number of components", &a.components));
    end_line(r);
    return read_array(r, &a, r->binary ? 255 : 1);
}

static pl_status skip_table(reader *r)
{
    pl__text name;
    int64_t count = 0;
    PL_TRY(read_word(r, "the name of a table", &name));
    PL_TRY(read_count(r, "the size of a table", &count));
    end_line(r);
    return skip(r, r->binary ? PL__U8 : PL__F32, 4 * count);
}

static pl_status read_field_array(reader *r)
{
    array a = {0};
    if (!pl__scan_token(&r->scan, &a.name))
        return pl__scan_expected(&r->scan, "the name of an array");
    PL_TRY(read_count(r, "the number of components", &a.components));
    PL_TRY(read_count(r, "the number of tuples", &a.tuples));
    PL_TRY(read_type(r, &a.type, &a.is_bits));
    end_line(r);
    return read_array(r, &a, 1);
}

// Up to an empty line.
static void skip_metadata(reader *r)
{
    while (pl__scan_next_line(&r->scan) && more_on_line(r))
        ;
}

static pl_status read_field(reader *r)
{
    pl__text word;
    int64_t count = 0;
    PL_TRY(read_word(r, "the name of a field", &word));
    PL_TRY(read_count(r, "the number of arrays", &count));
    for (int64_t i = 0; i < count; ++i)
    {
        PL_TRY(read_field_array(r));
        pl__scan start = r->scan;
        if (pl__scan_token(&r->scan, &word) && is_word(word, "METADATA"))
            skip_metadata(r);
        else
            r->scan = start;
    }
    return PL_OK;
}

// ---- the file --------------------------------------------------------------------------------------------------

static pl_status read_data_keyword(reader *r, pl__text word)
{
    if (is_word(word, "FIELD"))
        return read_field(r);
    if (r->section == SECTION_NONE)
        return pl__scan_expected(&r->scan, "POINTS, CELLS, POINT_DATA or another keyword of the format");
    if (is_word(word, "SCALARS"))
        return read_scalars(r);
    if (is_word(word, "VECTORS") || is_word(word, "NORMALS"))
        return read_tuples(r, 3);
    if (is_word(word, "TENSORS") || is_word(word, "TENSORS6"))
        return read_tuples(r, word.length == 7 ? 9 : 6);
    if (is_word(word, "GLOBAL_IDS") || is_word(word, "PEDIGREE_IDS") || is_word(word, "EDGE_FLAGS"))
        return read_tuples(r, 1);
    if (is_word(word, "TEXTURE_COORDINATES"))
        return read_texture(r);
    if (is_word(word, "COLOR_SCALARS"))
        return read_colors(r);
    return is_word(word, "LOOKUP_TABLE") ? skip_table(r)
                                         : pl__scan_expected(&r->scan, "the kind of an array, such as SCALARS");
}

static pl_status read_keyword(reader *r, pl__text word)
{
    static const struct
    {
        const char *name;
        int64_t kind; // of cells: see vtk_cells.c
    } lists[] = {{"VERTICES", 2}, {"LINES", 4}, {"POLYGONS", 7}, {"TRIANGLE_STRIPS", 6}};
    if (is_word(word, "POINTS"))
        return read_points(r);
    if (is_word(word, "CELLS"))
        return read_grid_cells(r);
    if (is_word(word, "CELL_TYPES"))
        return read_cell_types(r);
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; ++i)
        if (is_word(word, lists[i].name))
            return read_polydata_cells(r, lists[i].kind);
    if (is_word(word, "POINT_DATA") || is_word(word, "CELL_DATA"))
        return read_section(r, is_word(word, "POINT_DATA") ? SECTION_POINTS : SECTION_CELLS);
    if (!is_word(word, "METADATA"))
        return read_data_keyword(r, word);
    skip_metadata(r);
    return PL_OK;
}

static pl_status read_version(reader *r)
{
    static const char *const words[] = {"#", "vtk", "DataFile", "Version"};
    pl__text word;
    double version = 0;
    for (int i = 0; i < 4; ++i)
        if (!pl__scan_token(&r->scan, &word) || !is_word(word, words[i]))
            return pl__scan_fail(&r->scan, "there is no \"# vtk DataFile Version\", so this is not a .vtk file");
    PL_TRY(pl__scan_real(&r->scan, "the version of the file", &version));
    if (!(version >= 1 && version < 6))
        return pl__scan_fail(&r->scan, "version %g of .vtk is not supported, 2.0 to 5.1 are", version);
    r->by_offsets = version >= 5;
    return PL_OK;
}

static pl_status read_head(reader *r)
{
    pl__text word = {0};
    PL_TRY(read_version(r));
    (void)pl__scan_next_line(&r->scan);
    (void)pl__scan_next_line(&r->scan); // the title
    bool found = pl__scan_token(&r->scan, &word);
    if (!found || (!is_word(word, "ASCII") && !is_word(word, "BINARY")))
        return pl__scan_expected(&r->scan, "ASCII or BINARY");
    r->scan.binary = r->binary = is_word(word, "BINARY");
    pl__scan_set_order(&r->scan, true);
    if (!pl__scan_token(&r->scan, &word) || !is_word(word, "DATASET"))
        return pl__scan_expected(&r->scan, "DATASET");
    PL_TRY(read_word(r, "the kind of the data set", &word));
    if (!is_word(word, "UNSTRUCTURED_GRID") && !is_word(word, "POLYDATA"))
        return pl__scan_expected(&r->scan, "UNSTRUCTURED_GRID or POLYDATA");
    return PL_OK;
}

pl_status pl__vtk_read(pl__draft *draft, const void *data, size_t size)
{
    reader r = {.draft = draft, .scan = pl__scan_start(draft->ctx, draft->name, data, size), .region_rank = -1};
    pl__text word = {0};
    PL_TRY(read_head(&r));
    while (pl__scan_token(&r.scan, &word))
        PL_TRY(read_keyword(&r, word));
    if (!r.has_points)
        return pl__scan_expected(&r.scan, "POINTS");
    if (r.has_cells && !r.has_types)
        return pl__scan_expected(&r.scan, "CELL_TYPES");
    return pl__vtk_set_regions(draft, (pl__vtk_counts){0, 0, 0}, r.region_rank >= 0 ? &r.region : NULL, r.cells.count);
}

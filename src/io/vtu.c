// src/io/vtu.c -- VTK's XML format for unstructured grids, .vtu.
//
//     <VTKFile type="UnstructuredGrid" byte_order="LittleEndian" header_type="UInt64" compressor="vtkZLibDataCompressor">
//       <UnstructuredGrid>
//         <Piece NumberOfPoints="4" NumberOfCells="1">
//           <PointData> <DataArray type="Float64" Name="heat" format="appended" offset="0"/> </PointData>
//           <CellData> ... </CellData>
//           <Points> <DataArray type="Float32" NumberOfComponents="3" format="ascii"> 0 0 0 1 0 0 ... </DataArray> </Points>
//           <Cells> connectivity, offsets, types (see vtk_cells.c) </Cells>
//         </Piece>
//       </UnstructuredGrid>
//       <AppendedData encoding="raw"> _bytes </AppendedData>
//     </VTKFile>
//
// Of XML only tags, attributes and comments are supported. Each piece is read twice: points and cells first, then the
// data of its points. Pieces are joined; shared nodes stay duplicated. Point arrays become attributes, and a cell array
// gives regions, as in vtk.c.
//
// "VTK File Formats", section "XML File Formats".
#include "io/vtu_array.h"
#include "io/number.h"

#include <inttypes.h>
#include <string.h>

typedef struct tag
{
    pl__text name;
    pl__text rest; // its attributes
    bool closes;   // </name>
    bool empty;    // <name/>
} tag;

typedef struct reader
{
    pl__draft *draft;
    pl__scan scan; // between tags
    pl__vtu_style style;
    int64_t pieces;
} reader;

// ---- XML -------------------------------------------------------------------------------------------------------

static bool starts_with(const pl__scan *s, const char *text)
{
    return pl__scan_left(s) >= strlen(text) && memcmp(s->at, text, strlen(text)) == 0;
}

// Skip to after the next `text`, or to the end.
static void skip_past(pl__scan *s, const char *text)
{
    while (s->at < s->end && !starts_with(s, text))
        s->at++;
    s->at += s->at < s->end ? strlen(text) : 0;
}

// Skip to the next '<' that opens a tag, over comments and declarations. False if there is none.
static bool find_tag(pl__scan *s)
{
    while (s->at < s->end)
    {
        const char *found = memchr(s->at, '<', pl__scan_left(s));
        s->at = found ? found : s->end;
        if (starts_with(s, "<!--"))
            skip_past(s, "-->");
        else if (starts_with(s, "<?"))
            skip_past(s, "?>");
        else if (starts_with(s, "<!"))
            skip_past(s, ">");
        else
            return found != NULL;
    }
    return false;
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Read the next tag; `found` is false if there is none.
static pl_status next_tag(pl__scan *s, tag *t, bool *found)
{
    *found = find_tag(s);
    s->place = s->at;
    if (!*found)
        return PL_OK;
    char quote = 0;
    const char *at = s->at + 1;
    for (; at < s->end && (quote || *at != '>'); ++at)
    {
        if (*at == '"' || *at == '\'')
            quote = !quote ? *at : quote == *at ? 0 : quote;
    }
    if (at == s->end)
        return pl__scan_fail(s, "this tag has no end");
    *t = (tag){.closes = s->at[1] == '/', .empty = at[-1] == '/'};
    const char *name = s->at + 1 + t->closes, *end = name;
    while (end < at && !is_blank(*end) && *end != '/')
        end++;
    t->name = (pl__text){name, (size_t)(end - name)};
    t->rest = (pl__text){end, (size_t)(at - end)};
    s->at = at + 1;
    return PL_OK;
}

// Split name="value" off the front of `rest`; false at its end.
static bool next_value(pl__text *rest, pl__text *name, pl__text *value)
{
    const char *at = rest->at, *end = rest->at + rest->length;
    while (at < end && (is_blank(*at) || *at == '/'))
        at++;
    name->at = at;
    while (at < end && *at != '=' && !is_blank(*at))
        at++;
    name->length = (size_t)(at - name->at);
    while (at < end && (*at == '=' || is_blank(*at)))
        at++;
    if (at == end || (*at != '"' && *at != '\''))
        return false;
    char quote = *at++;
    value->at = at;
    while (at < end && *at != quote)
        at++;
    value->length = (size_t)(at - value->at);
    at += at < end;
    *rest = (pl__text){at, (size_t)(end - at)};
    return true;
}

// The value of an attribute; false when there is none.
static bool find_value(const tag *t, const char *name, pl__text *value)
{
    pl__text rest = t->rest, found;
    while (next_value(&rest, &found, value))
        if (pl__text_is(found, name))
            return true;
    return false;
}

static bool value_is(const tag *t, const char *name, const char *value)
{
    pl__text found;
    return find_value(t, name, &found) && pl__text_is(found, value);
}

// Read a number; if it is absent, use `missing` unless that is negative.
static pl_status read_value(const pl__scan *s, const tag *t, const char *name, int64_t missing, int64_t largest,
                            int64_t *value)
{
    pl__text text;
    *value = missing;
    if (!find_value(t, name, &text))
        return missing >= 0 ? PL_OK : pl__scan_fail(s, "%.*s has no %s", (int)t->name.length, t->name.at, name);
    if (pl__parse_integer(text.at, text.length, value) == PL__INTEGER_FINE && *value >= 0 && *value <= largest)
        return PL_OK;
    return pl__scan_fail(s, "%s is \"%.*s\", but must be in [0, %" PRId64 "]", name,
                         (int)(text.length < 24 ? text.length : 24), text.at, largest);
}

// ---- arrays ----------------------------------------------------------------------------------------------------

static bool find_type(const tag *t, pl__number_type *type)
{
    static const char *const names[] = {"Int8",   "UInt8", "Int16",  "UInt16",  "Int32",
                                        "UInt32", "Int64", "UInt64", "Float32", "Float64"};
    for (int i = 0; i < (int)(sizeof names / sizeof names[0]); ++i)
        if (value_is(t, "type", names[i]))
        {
            *type = (pl__number_type)i;
            return true;
        }
    return false;
}

static bool is_all_blank(pl__text text)
{
    for (size_t i = 0; i < text.length; ++i)
        if (!is_blank(text.at[i]))
            return false;
    return true;
}

// Text of an element itself, without nested elements (ParaView puts ranges there); skips to after its end.
static pl_status read_body(pl__scan *s, pl__text *body)
{
    tag t;
    bool found = true;
    for (int64_t depth = 0; depth >= 0;)
    {
        const char *begin = s->at;
        PL_TRY(next_tag(s, &t, &found));
        if (!found)
            return pl__scan_fail(s, "a DataArray has no end");
        pl__text text = {begin, (size_t)(s->place - begin)};
        if (depth == 0 && body->length == 0 && !is_all_blank(text))
            *body = text;
        depth += t.closes ? -1 : !t.empty;
    }
    return PL_OK;
}

static pl_status read_array(reader *r, const tag *t, pl__vtu_array *a)
{
    pl__scan *s = &r->scan;
    *a = (pl__vtu_array){.place = s->place};
    a->known = find_type(t, &a->type);
    (void)find_value(t, "Name", &a->name);
    PL_TRY(read_value(s, t, "NumberOfComponents", 1, INT32_MAX, &a->components));
    PL_TRY(read_value(s, t, "offset", 0, INT64_MAX, &a->offset));
    bool appended = value_is(t, "format", "appended"), binary = value_is(t, "format", "binary");
    a->format = appended ? PL__VTU_APPENDED : binary ? PL__VTU_BINARY : PL__VTU_ASCII;
    a->body = (pl__text){s->at, 0};
    return t->empty ? PL_OK : read_body(s, &a->body);
}

// ---- pieces ----------------------------------------------------------------------------------------------------

typedef struct piece
{
    int64_t point_count, cell_count;
    int32_t first_node;
    pl__vtu_array points, connectivity, offsets, types, region;
    int region_rank;
} piece;

static void keep_cell_array(piece *p, const pl__vtu_array *a)
{
    if (pl__text_is(a->name, "connectivity"))
        p->connectivity = *a;
    else if (pl__text_is(a->name, "offsets"))
        p->offsets = *a;
    else if (pl__text_is(a->name, "types"))
        p->types = *a;
}

static void keep_region(piece *p, const pl__vtu_array *a)
{
    int rank = pl__vtk_region_rank(a->name);
    bool fits = a->known && !pl__number_is_real(a->type) && a->components <= 1;
    if (fits && rank >= 0 && (p->region_rank < 0 || rank < p->region_rank))
    {
        p->region = *a;
        p->region_rank = rank;
    }
}

// Decode "&amp;" and the like.
static void spell_name(pl__text text, char name[PL__NAME_CHARS])
{
    static const char *const entity[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"};
    size_t length = 0;
    for (size_t i = 0; i < text.length && length + 1 < PL__NAME_CHARS;)
    {
        size_t size = 1;
        char c = text.at[i];
        for (int k = 0; k < 5; ++k)
            if (text.length - i >= strlen(entity[k]) && memcmp(text.at + i, entity[k], strlen(entity[k])) == 0)
            {
                c = "&<>\"'"[k];
                size = strlen(entity[k]);
            }
        name[length++] = c;
        i += size;
    }
    name[length] = 0;
}

static pl_status read_attribute(reader *r, const piece *p, const pl__vtu_array *a)
{
    char name[PL__NAME_CHARS];
    pl__vtu_numbers numbers;
    int64_t components = a->components > 0 ? a->components : 1;
    if (!a->known)
        return PL_OK;
    spell_name(a->name, name);
    pl_status status = pl__vtu_unpack(&r->style, a, &numbers);
    if (status == PL_OK)
        status = pl__vtk_read_attribute(r->draft, &numbers.series, name, components, p->first_node,
                                        (int32_t)p->point_count, 1);
    pl__vtu_free(r->draft->ctx, &numbers);
    return status;
}

// Read all arrays of the current piece: either the attributes, or everything else.
static pl_status walk_piece(reader *r, piece *p, bool attributes)
{
    pl__text section = {"", 0};
    for (;;)
    {
        tag t;
        pl__vtu_array a;
        bool found = false;
        PL_TRY(next_tag(&r->scan, &t, &found));
        if (!found || pl__text_is(t.name, "AppendedData"))
            return pl__scan_fail(&r->scan, "a Piece has no end");
        if (t.closes && pl__text_is(t.name, "Piece"))
            return PL_OK;
        if (!pl__text_is(t.name, "DataArray") || t.closes)
        {
            section = t.closes ? (pl__text){"", 0} : t.name;
            continue;
        }
        PL_TRY(read_array(r, &t, &a));
        if (attributes && pl__text_is(section, "PointData"))
            PL_TRY(read_attribute(r, p, &a));
        else if (pl__text_is(section, "Points"))
            p->points = a;
        else if (pl__text_is(section, "Cells"))
            keep_cell_array(p, &a);
        else if (pl__text_is(section, "CellData"))
            keep_region(p, &a);
    }
}

static pl_status check_array(const reader *r, const pl__vtu_array *a, const char *what)
{
    return a->place ? PL_OK : pl__scan_fail(&r->scan, "this Piece has no %s", what);
}

static pl_status add_points(reader *r, const piece *p, pl__series *series)
{
    double position[3] = {0};
    pl__scan *s = &series->scan;
    // the last number of a text may end without a blank
    PL_TRY(pl__scan_need(s, 3 * p->point_count - !s->binary, pl__scan_number_bytes(s, series->type), "coordinates"));
    PL_TRY(pl__draft_reserve_nodes(r->draft, s, p->point_count));
    for (int64_t i = 0; i < p->point_count; ++i)
    {
        for (int k = 0; k < 3; ++k)
            PL_TRY(pl__scan_finite(s, series->type, "a coordinate", &position[k]));
        pl__draft_add_node(r->draft, r->draft->node_count, position);
    }
    pl__draft_seal_numbered(r->draft);
    return PL_OK;
}

static pl_status read_points(reader *r, const piece *p)
{
    pl__vtu_numbers numbers;
    if (p->point_count == 0)
        return PL_OK;
    PL_TRY(check_array(r, &p->points, "array of Points"));
    pl_status status = pl__vtu_unpack(&r->style, &p->points, &numbers);
    if (status == PL_OK)
        status = add_points(r, p, &numbers.series);
    pl__vtu_free(r->draft->ctx, &numbers);
    return status;
}

static pl_status add_cells(reader *r, const piece *p, const pl__vtu_numbers numbers[3])
{
    const pl__vtk_cells cells = {.count = p->cell_count,
                                 .corner = numbers[0].series,
                                 .end = &numbers[1].series,
                                 .kind = &numbers[2].series,
                                 .first_node = p->first_node,
                                 .node_count = (int32_t)p->point_count};
    return pl__vtk_add_cells(r->draft, &cells);
}

static pl_status read_cells(reader *r, const piece *p)
{
    pl__vtu_numbers numbers[3] = {0};
    const pl__vtu_array *arrays[3] = {&p->connectivity, &p->offsets, &p->types};
    static const char *const names[3] = {"array \"connectivity\"", "array \"offsets\"", "array \"types\""};
    pl_status status = PL_OK;
    if (p->cell_count == 0)
        return PL_OK;
    for (int i = 0; i < 3 && status == PL_OK; ++i)
    {
        status = check_array(r, arrays[i], names[i]);
        if (status == PL_OK)
            status = pl__vtu_unpack(&r->style, arrays[i], &numbers[i]);
    }
    if (status == PL_OK)
        status = add_cells(r, p, numbers);
    for (int i = 0; i < 3; ++i)
        pl__vtu_free(r->draft->ctx, &numbers[i]);
    return status;
}

static pl_status read_regions(reader *r, const piece *p, pl__vtk_counts first)
{
    pl__vtu_numbers numbers = {0};
    bool found = p->region_rank >= 0;
    pl_status status = found ? pl__vtu_unpack(&r->style, &p->region, &numbers) : PL_OK;
    if (status == PL_OK)
        status = pl__vtk_set_regions(r->draft, first, found ? &numbers.series : NULL, p->cell_count);
    pl__vtu_free(r->draft->ctx, &numbers);
    return status;
}

static pl_status read_piece(reader *r, const tag *t)
{
    piece p = {.first_node = r->draft->node_count, .region_rank = -1};
    pl__vtk_counts first = pl__vtk_count(r->draft);
    pl__scan start = r->scan;
    PL_TRY(read_value(&r->scan, t, "NumberOfPoints", -1, INT32_MAX, &p.point_count));
    PL_TRY(read_value(&r->scan, t, "NumberOfCells", -1, INT32_MAX, &p.cell_count));
    r->pieces++;
    if (t->empty)
        return PL_OK;
    PL_TRY(walk_piece(r, &p, false));
    r->scan.place = start.place; // for messages about the piece as a whole
    PL_TRY(read_points(r, &p));
    PL_TRY(read_cells(r, &p));
    PL_TRY(read_regions(r, &p, first));
    r->scan = start;
    return walk_piece(r, &p, true);
}

// ---- the file --------------------------------------------------------------------------------------------------

static pl_status read_head(reader *r, const tag *t)
{
    pl__text compressor;
    if (!value_is(t, "type", "UnstructuredGrid"))
        return pl__scan_fail(&r->scan, "the VTKFile is not of type UnstructuredGrid");
    r->style.big_endian = value_is(t, "byte_order", "BigEndian");
    r->style.wide = value_is(t, "header_type", "UInt64");
    r->style.packed = find_value(t, "compressor", &compressor) && compressor.length > 0;
    if (r->style.packed && !pl__text_is(compressor, "vtkZLibDataCompressor"))
        return pl__scan_fail(&r->scan,
                             "data packed by %.*s cannot be read; write the file with the compressor type zlib or none",
                             (int)(compressor.length < 40 ? compressor.length : 40), compressor.at);
    return PL_OK;
}

// Find the appended data: they follow everything that refers to them, and may contain bytes that look like tags.
static pl_status find_appended(reader *r)
{
    pl__scan s = r->scan;
    tag t;
    bool found = true;
    do
        PL_TRY(next_tag(&s, &t, &found));
    while (found && (t.closes || !pl__text_is(t.name, "AppendedData")));
    if (!found)
        return PL_OK;
    while (s.at < s.end && is_blank(*s.at))
        s.at++;
    if (s.at == s.end || *s.at != '_')
        return pl__scan_fail(&s, "expected '_' at the beginning of the AppendedData");
    r->style.appended = s.at + 1;
    r->style.appended_base64 = !value_is(&t, "encoding", "raw");
    r->style.budget = (size_t)(s.end - r->style.appended);
    return PL_OK;
}

pl_status pl__vtu_read(pl__draft *draft, const void *data, size_t size)
{
    pl__scan scan = pl__scan_start(draft->ctx, draft->name, data, size);
    reader r = {.draft = draft, .scan = scan, .style = {.scan = scan}};
    tag t = {0};
    bool found = false;
    PL_TRY(next_tag(&r.scan, &t, &found));
    if (!found || !pl__text_is(t.name, "VTKFile"))
        return pl__scan_fail(&r.scan, "there is no <VTKFile>, so this is not a .vtu file");
    PL_TRY(read_head(&r, &t));
    PL_TRY(find_appended(&r));
    for (;;)
    {
        PL_TRY(next_tag(&r.scan, &t, &found));
        if (!found || pl__text_is(t.name, "AppendedData"))
            break;
        if (!t.closes && pl__text_is(t.name, "Piece"))
            PL_TRY(read_piece(&r, &t));
    }
    return r.pieces > 0 ? PL_OK : pl__scan_fail(&r.scan, "there is no <Piece>");
}

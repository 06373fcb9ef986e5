// src/io/gmsh.c -- Gmsh .msh files: header, sections, names.
//
// A .msh is a row of sections, in this order:
//
//     $MeshFormat            2.2 0 8: version, 0 text or 1 binary, bytes of a number;
//     $EndMeshFormat         binary files add the int 1, for the byte order
//     $PhysicalNames         always text: count, then "dimension number "name""
//     $Entities              4.1 only (gmsh4.c): physical groups of geometric entities
//     $Nodes                 tags and coordinates (gmsh2.c, gmsh4.c)
//     $Elements              type, tags and nodes
//
// Other sections ($Periodic, $NodeData, ...) are skipped by searching for their $End. Numbers of nodes, elements,
// groups and geometry are tags: positive, often sparse. Physical groups become regions: those of dimension 3, or of
// dimension 2 in a file without volumes.
//
// Gmsh reference manual, chapter "Gmsh file formats", sections "MSH file format" and "MSH file format version 2".
#include "io/gmsh.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// ---- element types -------------------------------------------------------------------------------------------

// Corners come first in every type. Uncommon orders are unknown: 0 nodes.
static const pl__gmsh_type types[] = {
    [1] = {PL__CELL_LINE, 2, false},      [2] = {PL__CELL_TRIANGLE, 3, false},  [3] = {PL__CELL_QUAD, 4, false},
    [4] = {PL__CELL_TET, 4, false},       [5] = {PL__CELL_HEX, 8, false},       [6] = {PL__CELL_PRISM, 6, false},
    [7] = {PL__CELL_PYRAMID, 5, false},   [8] = {PL__CELL_LINE, 3, true},       [9] = {PL__CELL_TRIANGLE, 6, true},
    [10] = {PL__CELL_QUAD, 9, true},      [11] = {PL__CELL_TET, 10, true},      [12] = {PL__CELL_HEX, 27, true},
    [13] = {PL__CELL_PRISM, 18, true},    [14] = {PL__CELL_PYRAMID, 14, true},  [15] = {PL__CELL_POINT, 1, false},
    [16] = {PL__CELL_QUAD, 8, true},      [17] = {PL__CELL_HEX, 20, true},      [18] = {PL__CELL_PRISM, 15, true},
    [19] = {PL__CELL_PYRAMID, 13, true},  [20] = {PL__CELL_TRIANGLE, 9, true},  [21] = {PL__CELL_TRIANGLE, 10, true},
    [22] = {PL__CELL_TRIANGLE, 12, true}, [23] = {PL__CELL_TRIANGLE, 15, true}, [24] = {PL__CELL_TRIANGLE, 15, true},
    [25] = {PL__CELL_TRIANGLE, 21, true}, [26] = {PL__CELL_LINE, 4, true},      [27] = {PL__CELL_LINE, 5, true},
    [28] = {PL__CELL_LINE, 6, true},      [29] = {PL__CELL_TET, 20, true},      [30] = {PL__CELL_TET, 35, true},
    [31] = {PL__CELL_TET, 56, true},      [36] = {PL__CELL_QUAD, 16, true},     [37] = {PL__CELL_QUAD, 25, true},
    [38] = {PL__CELL_QUAD, 36, true},     [92] = {PL__CELL_HEX, 64, true},      [93] = {PL__CELL_HEX, 125, true}};

pl__gmsh_type pl__gmsh_type_of(int64_t number)
{
    if (number >= 0 && number < (int64_t)(sizeof types / sizeof types[0]) && types[number].node_count)
        return types[number];
    return (pl__gmsh_type){PL__CELL_OTHER, 0, false};
}

pl_status pl__gmsh_add_cell(pl__gmsh *g, pl__gmsh_type type, const int64_t corner[PL__CORNERS_MAX], int64_t group)
{
    pl__draft_count_higher(g->draft, type.kind, type.higher_order);
    return pl__draft_add_cell(g->draft, &g->scan, type.kind, corner, group);
}

// ---- fields --------------------------------------------------------------------------------------------------

pl_status pl__gmsh_int(pl__gmsh *g, const char *what, int64_t *value)
{
    int32_t narrow = 0;
    if (!g->binary)
        return pl__scan_integer(&g->scan, what, INT32_MIN, INT32_MAX, value);
    PL_TRY(pl__scan_i32(&g->scan, what, &narrow));
    *value = narrow;
    return PL_OK;
}

pl_status pl__gmsh_size(pl__gmsh *g, const char *what, int64_t *value)
{
    uint64_t wide = 0;
    int32_t narrow = 0;
    if (!g->binary)
        return pl__scan_integer(&g->scan, what, 0, INT64_MAX, value);
    if (g->size_bytes == 4)
    {
        PL_TRY(pl__scan_i32(&g->scan, what, &narrow));
        wide = (uint32_t)narrow;
    }
    else
        PL_TRY(pl__scan_u64(&g->scan, what, &wide));
    *value = (int64_t)wide;
    return *value >= 0 ? PL_OK : pl__scan_fail(&g->scan, "%s is %" PRIu64 ", which is too large", what, wide);
}

pl_status pl__gmsh_real(pl__gmsh *g, const char *what, double *value)
{
    return g->binary ? pl__scan_f64(&g->scan, what, value) : pl__scan_real(&g->scan, what, value);
}

// In text at least a digit and a blank.
size_t pl__gmsh_int_bytes(const pl__gmsh *g) { return g->binary ? 4 : 2; }
size_t pl__gmsh_size_bytes(const pl__gmsh *g) { return g->binary ? (size_t)g->size_bytes : 2; }
size_t pl__gmsh_real_bytes(const pl__gmsh *g) { return g->binary ? 8 : 2; }

// ---- header --------------------------------------------------------------------------------------------------

static pl_status check_version(pl__gmsh *g, int *version)
{
    double number = 0;
    PL_TRY(pl__scan_real(&g->scan, "the version of the file", &number));
    if (number >= 2 && number < 3)
        *version = 2;
    else if (number > 4.05 && number < 4.15)
        *version = 4;
    else
        return pl__scan_fail(&g->scan, "this version of .msh is not supported; save the mesh as 4.1 or 2.2");
    return PL_OK;
}

// The int 1 in the byte order of the file.
static pl_status find_byte_order(pl__gmsh *g)
{
    int32_t one = 0;
    pl__scan_next_line(&g->scan);
    g->scan.binary = g->binary = true;
    PL_TRY(pl__scan_i32(&g->scan, "the mark of the byte order", &one));
    g->scan.swap = one == 0x01000000;
    return one == 1 || g->scan.swap ? PL_OK : pl__scan_fail(&g->scan, "the mark of the byte order is %d, not 1", one);
}

static pl_status read_format(pl__gmsh *g, int *version)
{
    int64_t kind = 0, bytes = 0;
    PL_TRY(check_version(g, version));
    PL_TRY(pl__scan_integer(&g->scan, "the file type (0 text, 1 binary)", 0, 1, &kind));
    PL_TRY(pl__scan_integer(&g->scan, "the size of numbers", 1, 16, &bytes));
    if (bytes != 8 && (bytes != 4 || (kind == 1 && *version == 2)))
        return pl__scan_fail(&g->scan, "numbers of %d bytes are not supported; 8 are, and 4", (int)bytes);
    g->size_bytes = (int)bytes;
    return kind == 1 ? find_byte_order(g) : PL_OK;
}

// ---- names ---------------------------------------------------------------------------------------------------

// From the first quote to the last, so that a name may contain quotes.
static pl_status unquote(pl__gmsh *g, pl__text *name)
{
    (void)pl__scan_more(&g->scan);
    g->scan.place = g->scan.at;
    pl__text line = pl__scan_rest_of_line(&g->scan);
    const char *first = line.length ? memchr(line.at, '"', line.length) : NULL;
    const char *last = line.at + line.length;
    while (first && last > first && last[-1] != '"')
        last--;
    if (!first || last - first < 2)
        return pl__scan_expected(&g->scan, "a name in quotes");
    *name = (pl__text){first + 1, (size_t)(last - first) - 2};
    return PL_OK;
}

static pl_status read_name(pl__gmsh *g)
{
    int64_t dimension = 0, group = 0;
    pl__text name = {0};
    PL_TRY(pl__scan_integer(&g->scan, "a dimension", 0, 3, &dimension));
    PL_TRY(pl__scan_integer(&g->scan, "the number of a physical group", 0, INT32_MAX, &group));
    PL_TRY(unquote(g, &name));
    return dimension >= 2 ? pl__draft_name_group(g->draft, (int)dimension, group, name) : PL_OK;
}

static pl_status read_names(pl__gmsh *g)
{
    int64_t count = 0;
    PL_TRY(pl__scan_integer(&g->scan, "the number of names", 0, INT64_MAX, &count));
    PL_TRY(pl__scan_need(&g->scan, count, 6, "names"));
    for (int64_t i = 0; i < count; ++i)
        PL_TRY(read_name(g));
    return PL_OK;
}

// ---- sections ------------------------------------------------------------------------------------------------

// Skip to the next line that starts with '$'; text between sections is ignored. False at the end of the file.
static bool find_section(pl__gmsh *g, pl__text *name)
{
    pl__scan *s = &g->scan;
    while (pl__scan_more(s))
    {
        s->place = s->at;
        pl__text line = pl__scan_rest_of_line(s);
        while (line.length && (line.at[line.length - 1] == ' ' || line.at[line.length - 1] == '\t'))
            line.length--;
        if (line.at[0] == '$')
        {
            *name = (pl__text){line.at + 1, line.length - 1};
            return true;
        }
    }
    return false;
}

static bool is_end_of(const char *at, pl__text name)
{
    return memcmp(at, "$End", 4) == 0 && memcmp(at + 4, name.at, name.length) == 0;
}

// The end may be anywhere: binary data has no lines.
static pl_status skip_section(pl__gmsh *g, pl__text name)
{
    pl__scan *s = &g->scan;
    while (pl__scan_left(s) >= name.length + 4)
    {
        const char *dollar = memchr(s->at, '$', pl__scan_left(s) - name.length - 3);
        if (!dollar)
            break;
        s->at = dollar;
        if (is_end_of(dollar, name))
            return PL_OK;
        s->at++;
    }
    s->at = s->end;
    return pl__scan_fail(s, "this section has no end");
}

static pl_status expect_end(pl__gmsh *g, pl__text name)
{
    pl__text token;
    if (pl__scan_token(&g->scan, &token) && token.length == name.length + 4 && is_end_of(token.at, name))
        return PL_OK;
    char what[64];
    snprintf(what, sizeof what, "$End%.*s", (int)name.length, name.at);
    return pl__scan_expected(&g->scan, what);
}

static pl_status once(pl__gmsh *g, bool *seen)
{
    if (*seen)
        return pl__scan_fail(&g->scan, "this section stands here a second time");
    *seen = true;
    return PL_OK;
}

static pl_status read_nodes(pl__gmsh *g, int version)
{
    PL_TRY(once(g, &g->has_nodes));
    PL_TRY(version == 2 ? pl__gmsh2_nodes(g) : pl__gmsh4_nodes(g));
    return pl__draft_seal_nodes(g->draft, &g->scan);
}

static pl_status read_elements(pl__gmsh *g, int version)
{
    PL_TRY(once(g, &g->has_elements));
    if (!g->has_nodes)
        return pl__scan_fail(&g->scan, "$Elements must come after $Nodes");
    PL_TRY(version == 2 ? pl__gmsh2_elements(g) : pl__gmsh4_elements(g));
    return version == 2 ? pl__draft_drop_repeats(g->draft) : PL_OK;
}

static pl_status read_section(pl__gmsh *g, pl__text name, int version)
{
    if (pl__text_is(name, "PhysicalNames"))
        PL_TRY(read_names(g));
    else if (pl__text_is(name, "Nodes"))
        PL_TRY(read_nodes(g, version));
    else if (pl__text_is(name, "Elements"))
        PL_TRY(read_elements(g, version));
    else if (version == 4 && (pl__text_is(name, "Entities") || pl__text_is(name, "PartitionedEntities")))
        PL_TRY(pl__gmsh4_entities(g, name.at[0] == 'P'));
    else
        PL_TRY(skip_section(g, name));
    return expect_end(g, name);
}

static pl_status read_sections(pl__gmsh *g)
{
    int version = 0;
    pl__text name = {0};
    while (find_section(g, &name))
    {
        if (pl__text_is(name, "MeshFormat") && version == 0)
        {
            PL_TRY(read_format(g, &version));
            PL_TRY(expect_end(g, name));
        }
        else if (version == 0 && !pl__text_is(name, "Comments"))
            return pl__scan_fail(&g->scan, "a .msh file must start with $MeshFormat");
        else
            PL_TRY(read_section(g, name, version));
    }
    if (version == 0)
        return pl__fail(g->draft->ctx, PL_ERR_FORMAT, "%s:1: there is no $MeshFormat, so this is not a .msh file",
                        g->scan.name);
    g->scan.place = g->scan.end;
    if (!g->has_elements)
        return pl__scan_expected(&g->scan, g->has_nodes ? "$Elements" : "$Nodes");
    return PL_OK;
}

pl_status pl__gmsh_read(pl__draft *draft, const void *data, size_t size)
{
    pl__gmsh g = {.scan = pl__scan_start(draft->ctx, draft->name, data, size), .draft = draft};
    pl_status status = read_sections(&g);
    bool solid = draft->tets.count + draft->hexes.count > 0;
    if (status == PL_OK && !draft->want_surface && (solid ? g.volumes : g.surfaces).extra_groups)
        pl__log(draft->ctx, PL_LOG_NOTE, "%s: some %s stand in several physical groups; the first of each counts",
                draft->name, solid ? "volumes" : "surfaces");
    PL_DELETE(draft->ctx, g.surfaces.item, g.surfaces.capacity);
    PL_DELETE(draft->ctx, g.volumes.item, g.volumes.capacity);
    return status;
}

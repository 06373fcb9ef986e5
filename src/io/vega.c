// src/io/vega.c -- Vega FEM .veg files.
//
//     # comment
//     *VERTICES
//     4 3 0 0                    as in TetGen's .node: count, dimension, attributes, markers
//     1 0 0 0                    number, x y z
//     ...
//     *ELEMENTS
//     TET                        or TETS, or CUBIC: cubes of 8 nodes, bottom and top
//     1 4 0                      as in .ele: count, nodes of each, attributes
//     1 1 2 3 4
//     *MATERIAL rubber
//     ENU, 1000, 1e5, 0.45
//     *SET middle
//     1, 2, 3                    elements
//     *REGION
//     middle, rubber             a set, or allElements, and its material
//
// Regions are named by their materials; if an element is in several, the last one applies, as in Vega. Without any
// *REGION, a single material applies to all. Elements are numbered like vertices: from 1, or from 0 when the first
// vertex is. *INCLUDE is refused: a file in memory has no directory. Commas are blanks.
//
// Sin, Schroeder, Barbic, "Vega: Non-linear FEM deformable object simulator" (2013), and the manual of volumetricMesh.
#include "io/vega.h"
#include "io/names.h"

#include <inttypes.h>
#include <string.h>

// Names point into the file; element numbers of sets are read when all elements are known.
typedef struct set
{
    pl__text name;
    pl__scan elements;
    size_t last_region; // last region that names it, which overrides earlier ones
} set;

typedef struct region
{
    pl__text set, material;
    const char *place;
} region;

typedef struct reader
{
    pl__draft *draft;
    pl__scan scan;
    bool has_vertices, has_elements, is_cubic;
    int64_t base;          // number of the first vertex and element: 0 or 1
    int64_t element_count; // of all kinds
    set *set;
    size_t set_count, set_capacity;
    region *region;
    size_t region_count, region_capacity;
    pl__text material; // the first
    int64_t material_count;
} reader;

// ---- lines -----------------------------------------------------------------------------------------------------

// Skip to the next line with content; false, at the end, if there is none.
static bool next_line(pl__scan *s)
{
    while (!pl__scan_more(s))
    {
        s->place = s->at = s->at < s->end ? s->at + 1 : s->end;
        if (s->at == s->end)
            return false;
    }
    return true;
}

static bool at_keyword(pl__scan *s) { return next_line(s) && *s->at == '*'; }

static pl_status read_name(reader *r, const char *what, pl__text *name)
{
    return pl__scan_token(&r->scan, name) ? PL_OK : pl__scan_expected(&r->scan, what);
}

static pl_status refuse_include(reader *r)
{
    pl__text name = {0};
    PL_TRY(read_name(r, "the name of a file", &name));
    return pl__scan_fail(&r->scan, "*INCLUDE is not supported; put the contents of %.*s here",
                         (int)(name.length < 80 ? name.length : 80), name.at);
}

// "4 3 0 0": count, width, and ignored numbers.
static pl_status read_counts(reader *r, const char *what, int64_t *count, int64_t *width)
{
    pl__text keyword;
    if (at_keyword(&r->scan) && pl__scan_token(&r->scan, &keyword))
        return pl__text_is(keyword, "*INCLUDE") ? refuse_include(r) : pl__scan_expected(&r->scan, what);
    PL_TRY(pl__scan_integer(&r->scan, what, 0, INT32_MAX, count));
    PL_TRY(pl__scan_integer(&r->scan, "the numbers of each", 0, INT32_MAX, width));
    (void)pl__scan_next_line(&r->scan);
    return PL_OK;
}

// ---- sections --------------------------------------------------------------------------------------------------

static pl_status read_vertices(reader *r)
{
    int64_t count = 0, dimension = 0, tag = 0;
    double position[3] = {0};
    if (r->has_vertices)
        return pl__scan_fail(&r->scan, "this section stands here a second time");
    r->has_vertices = true;
    PL_TRY(read_counts(r, "the number of vertices", &count, &dimension));
    if (dimension != 3)
        return pl__scan_fail(&r->scan, "the dimension is %" PRId64 ", but must be 3", dimension);
    PL_TRY(pl__scan_need(&r->scan, count, 8, "vertices"));
    PL_TRY(pl__draft_reserve_nodes(r->draft, &r->scan, count));
    for (int64_t i = 0; i < count; ++i)
    {
        (void)next_line(&r->scan);
        PL_TRY(pl__scan_integer(&r->scan, "the number of a vertex", 0, INT32_MAX, &tag));
        for (int k = 0; k < 3; ++k)
            PL_TRY(pl__scan_real(&r->scan, "a coordinate", &position[k]));
        r->base = i == 0 && tag == 0 ? 0 : r->base;
        pl__draft_add_node(r->draft, tag, position);
        (void)pl__scan_next_line(&r->scan);
    }
    return pl__draft_seal_nodes(r->draft, &r->scan);
}

static pl_status read_element_kind(reader *r)
{
    pl__text kind = {0};
    (void)next_line(&r->scan);
    bool found = pl__scan_token(&r->scan, &kind);
    r->is_cubic = found && pl__text_is(kind, "CUBIC");
    if (!r->is_cubic && !(found && (pl__text_is(kind, "TET") || pl__text_is(kind, "TETS"))))
        return pl__scan_expected(&r->scan, "TET or CUBIC");
    (void)pl__scan_next_line(&r->scan);
    return PL_OK;
}

static pl_status read_element(reader *r)
{
    int64_t tag = 0, corner[8] = {0};
    (void)next_line(&r->scan);
    PL_TRY(pl__scan_integer(&r->scan, "the number of an element", 0, INT32_MAX, &tag));
    for (int k = 0; k < (r->is_cubic ? 8 : 4); ++k)
        PL_TRY(pl__scan_integer(&r->scan, "a node of the element", 0, INT32_MAX, &corner[k]));
    PL_TRY(pl__draft_add_cell(r->draft, &r->scan, r->is_cubic ? PL__CELL_HEX : PL__CELL_TET, corner, 0));
    (void)pl__scan_next_line(&r->scan);
    return PL_OK;
}

static pl_status read_elements(reader *r)
{
    int64_t width = 0;
    if (r->has_elements || !r->has_vertices)
        return pl__scan_fail(&r->scan, "*ELEMENTS must come once, after *VERTICES");
    r->has_elements = true;
    PL_TRY(read_element_kind(r));
    PL_TRY(read_counts(r, "the number of elements", &r->element_count, &width));
    if (width != (r->is_cubic ? 8 : 4))
        return pl__scan_fail(&r->scan, "elements have %" PRId64 " nodes, but must have %d", width, r->is_cubic ? 8 : 4);
    PL_TRY(pl__scan_need(&r->scan, r->element_count, 10, "elements"));
    for (int64_t i = 0; i < r->element_count; ++i)
        PL_TRY(read_element(r));
    return PL_OK;
}

static pl_status read_set(reader *r)
{
    set s = {0};
    PL_TRY(read_name(r, "the name of a set", &s.name));
    (void)pl__scan_next_line(&r->scan);
    s.elements = r->scan;
    if (!PL_GROW(r->draft->ctx, r->set, &r->set_capacity, r->set_count + 1))
        return PL_ERR_MEMORY;
    r->set[r->set_count++] = s;
    return PL_OK;
}

static pl_status read_region(reader *r)
{
    region g = {0};
    (void)next_line(&r->scan);
    PL_TRY(read_name(r, "the name of a set", &g.set));
    g.place = r->scan.place;
    PL_TRY(read_name(r, "the name of a material", &g.material));
    if (!PL_GROW(r->draft->ctx, r->region, &r->region_capacity, r->region_count + 1))
        return PL_ERR_MEMORY;
    r->region[r->region_count++] = g;
    return PL_OK;
}

static pl_status read_material(reader *r)
{
    pl__text name = {0};
    PL_TRY(read_name(r, "the name of a material", &name));
    r->material = r->material_count++ ? r->material : name;
    return PL_OK;
}

static pl_status read_section(reader *r, pl__text keyword)
{
    if (pl__text_is(keyword, "*VERTICES"))
        return read_vertices(r);
    if (pl__text_is(keyword, "*ELEMENTS"))
        return read_elements(r);
    if (pl__text_is(keyword, "*SET"))
        return read_set(r);
    if (pl__text_is(keyword, "*REGION"))
        return read_region(r);
    if (pl__text_is(keyword, "*MATERIAL"))
        return read_material(r);
    if (pl__text_is(keyword, "*INCLUDE"))
        return refuse_include(r);
    return pl__scan_expected(&r->scan, "a section, such as *VERTICES, *ELEMENTS or *REGION");
}

static pl_status read_sections(reader *r)
{
    pl__text keyword;
    if (!at_keyword(&r->scan))
        return pl__scan_fail(&r->scan, "there is no *VERTICES, so this is not a .veg file");
    while (next_line(&r->scan))
    {
        // the rest of a section has no star
        if (!at_keyword(&r->scan))
        {
            (void)pl__scan_next_line(&r->scan);
            continue;
        }
        (void)pl__scan_token(&r->scan, &keyword);
        PL_TRY(read_section(r, keyword));
    }
    r->scan.place = r->scan.end;
    return r->has_elements ? PL_OK : pl__scan_expected(&r->scan, r->has_vertices ? "*ELEMENTS" : "*VERTICES");
}

// ---- regions ---------------------------------------------------------------------------------------------------

static pl__draft_cells *elements_of(const reader *r) { return r->is_cubic ? &r->draft->hexes : &r->draft->tets; }

static void fill_group(reader *r, int64_t group)
{
    for (size_t i = 0; i < elements_of(r)->count; ++i)
        elements_of(r)->group[i] = group;
}

// Give the elements of a set to a group.
static pl_status mark_set(reader *r, const set *marked, int64_t group)
{
    pl__scan s = marked->elements;
    while (next_line(&s) && *s.at != '*')
    {
        int64_t element = 0;
        PL_TRY(pl__scan_integer(&s, "the number of an element", r->base, r->base + r->element_count - 1, &element));
        elements_of(r)->group[element - r->base] = group;
    }
    return PL_OK;
}

// Which set each region names: first_set gives it behind the sets themselves (see set_regions). Only the last region of
// a set applies, so each set is read once. Returns the last region of all elements, or region_count.
static size_t find_last_regions(reader *r, const int32_t *first_set)
{
    size_t all = r->region_count;
    for (size_t i = 0; i < r->region_count; ++i)
    {
        size_t place = (size_t)first_set[r->set_count + i];
        if (place < r->set_count)
            r->set[place].last_region = i;
        else if (pl__text_is(r->region[i].set, "allElements"))
            all = i;
    }
    return all;
}

static pl_status mark_region(reader *r, size_t i, size_t place, size_t last_of_all, int64_t group)
{
    const region *g = &r->region[i];
    r->scan.place = g->place;
    if (place < r->set_count)
        return r->set[place].last_region == i ? mark_set(r, &r->set[place], group) : PL_OK;
    if (!pl__text_is(g->set, "allElements"))
        return pl__scan_fail(&r->scan, "there is no set %.*s", (int)(g->set.length < 80 ? g->set.length : 80),
                             g->set.at);
    if (i == last_of_all)
        fill_group(r, group);
    return PL_OK;
}

static pl_status mark_regions(reader *r, const int32_t *first_set, const int32_t *first_material)
{
    size_t last_of_all = find_last_regions(r, first_set);
    for (size_t i = 0; i < r->region_count; ++i)
    {
        int64_t group = first_material[i] + 1;
        if (first_material[i] == (int32_t)i)
            PL_TRY(pl__draft_name_group(r->draft, 3, group, r->region[i].material));
        PL_TRY(mark_region(r, i, (size_t)first_set[r->set_count + i], last_of_all, group));
    }
    return PL_OK;
}

// Names are matched in two lists: materials of regions; and sets, followed by the sets of regions.
static pl_status set_regions(reader *r)
{
    size_t n = r->set_count + r->region_count;
    pl_context *ctx = r->draft->ctx;
    pl__text *names = PL_NEW(ctx, n, pl__text);
    int32_t *first = PL_NEW(ctx, 2 * n, int32_t);
    pl_status status = PL_ERR_MEMORY;
    bool unified = names && first;
    for (size_t i = 0; unified && i < r->region_count; ++i)
        names[i] = r->region[i].material;
    unified = unified && pl__names_unify(ctx, names, r->region_count, first + n);
    for (size_t i = 0; unified && i < n; ++i)
        names[i] = i < r->set_count ? r->set[i].name : r->region[i - r->set_count].set;
    unified = unified && pl__names_unify(ctx, names, n, first);
    if (unified)
        status = mark_regions(r, first, first + n);
    PL_DELETE(ctx, names, n);
    PL_DELETE(ctx, first, 2 * n);
    return status;
}

static pl_status read_file(reader *r)
{
    PL_TRY(read_sections(r));
    if (r->region_count > 0)
        return set_regions(r);
    if (r->material_count != 1)
        return PL_OK;
    fill_group(r, 1);
    return pl__draft_name_group(r->draft, 3, 1, r->material);
}

pl_status pl__vega_read(pl__draft *draft, const void *data, size_t size)
{
    reader r = {.draft = draft, .scan = pl__scan_start(draft->ctx, draft->name, data, size), .base = 1};
    r.scan.by_line = true;
    r.scan.comment = '#';
    r.scan.blank = ',';
    pl_status status = read_file(&r);
    PL_DELETE(draft->ctx, r.set, r.set_capacity);
    PL_DELETE(draft->ctx, r.region, r.region_capacity);
    return status;
}

// src/io/ply.c -- Stanford PLY surfaces.
//
//     ply
//     format ascii 1.0                      or binary_little_endian, binary_big_endian
//     comment anything
//     element vertex 3                      elements in the order in which their data follow,
//     property float x                      each with its properties in theirs
//     property float y
//     property float z
//     property uchar red
//     element face 1
//     property list uchar int vertex_indices
//     end_header
//     0 0 0 255
//     ...
//
// Of "vertex", x y z are positions; red green blue [alpha] become the attribute "color", in [0, 1]; s t, u v or
// texture_u texture_v become texture coordinates; normals are ignored; other scalars are attributes of their name. Of
// "face", the list vertex_indices (or vertex_index) is a polygon. Everything else is skipped.
//
// Turk, "The PLY polygon file format" (1994).
#include "io/ply.h"

#include <inttypes.h>
#include <string.h>

// Role of a vertex property.
typedef enum role
{
    ROLE_NONE,
    ROLE_POSITION,
    ROLE_UV,
    ROLE_COLOR,
    ROLE_ATTRIBUTE
} role;

typedef struct property
{
    pl__text name;
    pl__number_type type;
    bool is_list;
    pl__number_type count_type; // of lists
    role role;
    int component;  // of the position, texture coordinate or colour
    double full;    // value of 1 in a colour
    double *values; // of the colour or attribute
    int32_t stride; // numbers per vertex there
} property;

typedef struct element
{
    pl__text name;
    int64_t count;
    size_t first_property, property_count;
} element;

typedef struct reader
{
    pl__draft *draft;
    pl__scan scan;
    bool has_format, binary;
    element *element;
    size_t element_count, element_capacity;
    property *property;
    size_t property_count, property_capacity;
    bool has_vertices, has_uvs;
    int32_t *corner; // the face being read
    size_t corner_capacity;
} reader;

// ---- header --------------------------------------------------------------------------------------------------

static pl_status read_format(reader *r)
{
    pl__text word = {0};
    bool found = pl__scan_token(&r->scan, &word);
    bool big = found && pl__text_is(word, "binary_big_endian"),
         little = found && pl__text_is(word, "binary_little_endian");
    if (!big && !little && !(found && pl__text_is(word, "ascii")))
        return pl__scan_expected(&r->scan, "ascii, binary_little_endian or binary_big_endian");
    r->has_format = true;
    r->binary = big || little;
    pl__scan_set_order(&r->scan, big);
    return PL_OK;
}

static pl_status read_type(reader *r, pl__number_type *type)
{
    static const struct
    {
        const char *name[2];
        pl__number_type type;
    } types[] = {{{"char", "int8"}, PL__I8},      {{"uchar", "uint8"}, PL__U8},     {{"short", "int16"}, PL__I16},
                 {{"ushort", "uint16"}, PL__U16}, {{"int", "int32"}, PL__I32},      {{"uint", "uint32"}, PL__U32},
                 {{"float", "float32"}, PL__F32}, {{"double", "float64"}, PL__F64}, {{"int64", "int64"}, PL__I64},
                 {{"uint64", "uint64"}, PL__U64}};
    pl__text word;
    bool found = pl__scan_token(&r->scan, &word);
    for (size_t i = 0; found && i < sizeof types / sizeof types[0]; ++i)
        if (pl__text_is(word, types[i].name[0]) || pl__text_is(word, types[i].name[1]))
        {
            *type = types[i].type;
            return PL_OK;
        }
    return pl__scan_expected(&r->scan, "a type, such as float or uchar");
}

static pl_status read_element(reader *r)
{
    element e = {.first_property = r->property_count};
    if (!pl__scan_token(&r->scan, &e.name))
        return pl__scan_expected(&r->scan, "the name of an element");
    PL_TRY(pl__scan_integer(&r->scan, "the number of elements", 0, INT64_MAX, &e.count));
    if (!PL_GROW(r->draft->ctx, r->element, &r->element_capacity, r->element_count + 1))
        return PL_ERR_MEMORY;
    r->element[r->element_count++] = e;
    return PL_OK;
}

static pl_status read_property(reader *r)
{
    property p = {0};
    if (r->element_count == 0)
        return pl__scan_fail(&r->scan, "a property before the first element");
    pl__scan start = r->scan;
    pl__text word;
    p.is_list = pl__scan_token(&r->scan, &word) && pl__text_is(word, "list");
    if (p.is_list)
        PL_TRY(read_type(r, &p.count_type));
    else
        r->scan = start;
    PL_TRY(read_type(r, &p.type));
    if (!pl__scan_token(&r->scan, &p.name))
        return pl__scan_expected(&r->scan, "the name of a property");
    if (!PL_GROW(r->draft->ctx, r->property, &r->property_capacity, r->property_count + 1))
        return PL_ERR_MEMORY;
    r->property[r->property_count++] = p;
    r->element[r->element_count - 1].property_count++;
    return PL_OK;
}

// Read a line of the header; comments and unknown keywords are skipped.
static pl_status read_line(reader *r, pl__text keyword)
{
    if (pl__text_is(keyword, "format"))
        return read_format(r);
    if (pl__text_is(keyword, "element"))
        return read_element(r);
    return pl__text_is(keyword, "property") ? read_property(r) : PL_OK;
}

static pl_status read_header(reader *r)
{
    pl__scan *s = &r->scan;
    pl__text keyword = {0};
    s->by_line = true;
    if (!pl__scan_token(s, &keyword) || !pl__text_is(keyword, "ply"))
        return pl__scan_fail(s, "there is no \"ply\", so this is not a .ply file");
    while (pl__scan_next_line(s))
    {
        if (!pl__scan_token(s, &keyword))
            continue;
        if (pl__text_is(keyword, "end_header"))
        {
            (void)pl__scan_next_line(s);
            s->by_line = false;
            s->binary = r->binary;
            return r->has_format ? PL_OK : pl__scan_fail(s, "the header has no \"format\"");
        }
        PL_TRY(read_line(r, keyword));
    }
    s->place = s->end;
    return pl__scan_expected(s, "end_header");
}

// ---- roles of vertex properties --------------------------------------------------------------------------------

static property *find_property(reader *r, const element *e, const char *name)
{
    property *p = r->property + e->first_property;
    for (size_t i = 0; i < e->property_count; ++i)
        if (!p[i].is_list && pl__text_is(p[i].name, name))
            return &p[i];
    return NULL;
}

// Assign a role to `count` properties if all of them exist.
static bool assign(reader *r, const element *e, const char *const *names, int count, role given)
{
    for (int k = 0; k < count; ++k)
        if (!find_property(r, e, names[k]))
            return false;
    for (int k = 0; k < count; ++k)
    {
        property *p = find_property(r, e, names[k]);
        p->role = given;
        p->component = k;
    }
    return true;
}

// Full scale: integers up to the largest of their type, reals up to 1.
static double full_color(pl__number_type type)
{
    static const double largest[] = {127, 255, 32767, 65535, 0x1p31 - 1, 0x1p32 - 1, 0x1p63, 0x1p64, 1, 1};
    return largest[type];
}

static pl_status prepare_color(reader *r, const element *e)
{
    static const char *const names[] = {"red", "green", "blue", "alpha"};
    double *values = NULL;
    int count = assign(r, e, names, 4, ROLE_COLOR) ? 4 : assign(r, e, names, 3, ROLE_COLOR) ? 3 : 0;
    if (count > 0)
        PL_TRY(pl__draft_attribute_rows(r->draft, "color", count, 0, (int32_t)e->count, &values));
    for (int k = 0; k < count; ++k)
    {
        property *p = find_property(r, e, names[k]);
        p->full = full_color(p->type);
        p->values = values;
        p->stride = count;
    }
    return PL_OK;
}

static bool is_normal(pl__text name)
{
    return pl__text_is(name, "nx") || pl__text_is(name, "ny") || pl__text_is(name, "nz");
}

// All other properties.
static pl_status prepare_attributes(reader *r, const element *e)
{
    char name[PL__NAME_CHARS];
    property *p = r->property + e->first_property;
    for (size_t i = 0; i < e->property_count; ++i)
    {
        if (p[i].role != ROLE_NONE || p[i].is_list || is_normal(p[i].name))
            continue;
        pl__text_spell(p[i].name, name, sizeof name);
        p[i].role = ROLE_ATTRIBUTE;
        p[i].stride = 1;
        PL_TRY(pl__draft_attribute_rows(r->draft, name, 1, 0, (int32_t)e->count, &p[i].values));
    }
    return PL_OK;
}

static pl_status prepare_vertices(reader *r, const element *e)
{
    static const char *const position[] = {"x", "y", "z"};
    static const char *const uv[3][2] = {{"s", "t"}, {"u", "v"}, {"texture_u", "texture_v"}};
    if (!assign(r, e, position, 3, ROLE_POSITION))
        return pl__scan_fail(&r->scan, "the element \"vertex\" has no properties x, y and z");
    for (int i = 0; i < 3 && !r->has_uvs; ++i)
        r->has_uvs = assign(r, e, uv[i], 2, ROLE_UV);
    PL_TRY(prepare_color(r, e));
    return prepare_attributes(r, e);
}

// ---- data ----------------------------------------------------------------------------------------------------

static pl_status skip_list(reader *r, const property *p, int64_t count)
{
    double ignored;
    const char *bytes;
    PL_TRY(pl__scan_need(&r->scan, count, pl__scan_number_bytes(&r->scan, p->type), "numbers in a list"));
    if (r->binary)
        return pl__scan_bytes(&r->scan, "a list", (size_t)count * pl__number_bytes(p->type), &bytes);
    for (int64_t i = 0; i < count; ++i)
        PL_TRY(pl__scan_any(&r->scan, p->type, "a number of a list", &ignored));
    return PL_OK;
}

static pl_status skip_property(reader *r, const property *p)
{
    double ignored;
    int64_t count = 0;
    if (!p->is_list)
        return pl__scan_any(&r->scan, p->type, "a property", &ignored);
    PL_TRY(pl__scan_whole(&r->scan, p->count_type, "the length of a list", &count));
    return skip_list(r, p, count);
}

static pl_status skip_element(reader *r, const element *e)
{
    for (int64_t i = 0; e->property_count > 0 && i < e->count; ++i)
        for (size_t k = 0; k < e->property_count; ++k)
            PL_TRY(skip_property(r, &r->property[e->first_property + k]));
    if (e->property_count > 0 && pl__text_is(e->name, "edge"))
        r->draft->left_out[PL__CELL_LINE] += e->count;
    return PL_OK;
}

static pl_status read_vertex(reader *r, const element *e, int32_t vertex)
{
    double position[3] = {0}, uv[2] = {0}, value = 0;
    for (size_t k = 0; k < e->property_count; ++k)
    {
        const property *p = &r->property[e->first_property + k];
        if (p->role == ROLE_NONE)
            PL_TRY(skip_property(r, p));
        else if (p->role == ROLE_POSITION)
            PL_TRY(pl__scan_finite(&r->scan, p->type, "a coordinate", &position[p->component]));
        else
            PL_TRY(pl__scan_any(&r->scan, p->type, "a property of a vertex", &value));
        if (p->role == ROLE_UV)
            uv[p->component] = value;
        else if (p->values)
            p->values[p->stride * (int64_t)vertex + p->component] = p->role == ROLE_COLOR ? value / p->full : value;
    }
    pl__draft_add_node(r->draft, vertex, position);
    return r->has_uvs ? pl__draft_add_uv(r->draft, uv) : PL_OK;
}

static size_t vertex_bytes(const reader *r, const element *e)
{
    size_t bytes = 0;
    for (size_t k = 0; k < e->property_count; ++k)
    {
        const property *p = &r->property[e->first_property + k];
        bytes += pl__scan_number_bytes(&r->scan, p->is_list ? p->count_type : p->type);
    }
    return bytes;
}

static pl_status read_vertices(reader *r, const element *e)
{
    if (r->has_vertices)
        return pl__scan_fail(&r->scan, "there are two elements \"vertex\"");
    r->has_vertices = true;
    PL_TRY(pl__scan_need(&r->scan, e->count, vertex_bytes(r, e) + (e->property_count == 0), "vertices"));
    PL_TRY(pl__draft_reserve_nodes(r->draft, &r->scan, e->count));
    PL_TRY(prepare_vertices(r, e));
    for (int32_t i = 0; i < e->count; ++i)
        PL_TRY(read_vertex(r, e, i));
    return PL_OK;
}

static pl_status read_corners(reader *r, const property *p)
{
    int64_t count = 0, vertex = 0;
    PL_TRY(pl__scan_whole(&r->scan, p->count_type, "the number of corners", &count));
    if (count < 3)
        return pl__scan_fail(&r->scan, "a face of %" PRId64 " corners, but 3 are needed", count);
    PL_TRY(pl__scan_need(&r->scan, count, pl__scan_number_bytes(&r->scan, p->type), "corners"));
    if (!PL_GROW(r->draft->ctx, r->corner, &r->corner_capacity, (size_t)count))
        return PL_ERR_MEMORY;
    for (int64_t i = 0; i < count; ++i)
    {
        PL_TRY(pl__scan_whole(&r->scan, p->type, "the number of a vertex", &vertex));
        if (vertex < 0 || vertex >= r->draft->node_count)
            return pl__scan_fail(&r->scan, "there is no vertex %" PRId64 ": the file has %d, numbered from 0", vertex,
                                 r->draft->node_count);
        r->corner[i] = (int32_t)vertex;
    }
    return pl__draft_add_polygon(r->draft, r->corner, r->has_uvs ? r->corner : NULL, (size_t)count);
}

static bool is_corners(const property *p)
{
    return p->is_list && (pl__text_is(p->name, "vertex_indices") || pl__text_is(p->name, "vertex_index"));
}

static pl_status read_faces(reader *r, const element *e)
{
    if (!r->has_vertices)
        return pl__scan_fail(&r->scan, "the element \"face\" must come after \"vertex\"");
    for (int64_t i = 0; e->property_count > 0 && i < e->count; ++i)
        for (size_t k = 0; k < e->property_count; ++k)
        {
            const property *p = &r->property[e->first_property + k];
            PL_TRY(is_corners(p) ? read_corners(r, p) : skip_property(r, p));
        }
    return PL_OK;
}

static pl_status read_file(reader *r)
{
    PL_TRY(read_header(r));
    for (const element *e = r->element; e < r->element + r->element_count; ++e)
    {
        r->scan.place = r->scan.at;
        if (pl__text_is(e->name, "vertex"))
            PL_TRY(read_vertices(r, e));
        else
            PL_TRY(pl__text_is(e->name, "face") ? read_faces(r, e) : skip_element(r, e));
    }
    return PL_OK;
}

pl_status pl__ply_read(pl__draft *draft, const void *data, size_t size)
{
    reader r = {.draft = draft, .scan = pl__scan_start(draft->ctx, draft->name, data, size)};
    draft->keep_nodes = true;
    pl_status status = read_file(&r);
    PL_DELETE(draft->ctx, r.element, r.element_capacity);
    PL_DELETE(draft->ctx, r.property, r.property_capacity);
    PL_DELETE(draft->ctx, r.corner, r.corner_capacity);
    return status;
}

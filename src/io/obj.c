// src/io/obj.c -- Wavefront OBJ surfaces.
//
//     # a quadrangle                  one statement to a line, which a final backslash joins to the next
//     v 0 0 0  1 0.5 0                a vertex; a weight, or red green blue, may follow
//     v 1 0 0  1 0.5 0
//     v 1 1 0  1 0.5 0
//     v 0 1 0  1 0.5 0
//     vt 0 0                          texture coordinates, 2 of up to 3 numbers
//     g front                         the faces below belong to this group
//     f 1/1/1 2/1/1 3//1 -1           a polygon: vertex/texture/normal, numbered from 1, or from the end with -1
//
// Groups are those of `g`; where a file has none, those of `o`; else those of `usemtl`. Other statements (vn s mtllib l
// p
// ...) mean nothing to a solid. Faces may come before their vertices, so vertices and texture coordinates are read in a
// first pass; that is also where bad coordinates are found.
//
// Wavefront, "Object Files (.obj)", Advanced Visualizer manual, appendix B1.
#include "io/obj.h"
#include "io/number.h"

#include <stdio.h>
#include <string.h>

typedef struct reader
{
    pl__draft *draft;
    pl__scan scan;
    int32_t seen, seen_uv; // vertices and texture coordinates above the current line
    int32_t *corner;       // the face being read: vertices
    int32_t *uv;           // and texture coordinates
    size_t corner_capacity, uv_capacity;
    const char *group_keyword; // keyword of the groups in this file; NULL: none
    double *color;             // [3 node_count] if any vertex has a colour
    int32_t colored;           // vertices that have one
} reader;

// ---- lines ---------------------------------------------------------------------------------------------------

static void rewind_scan(reader *r, const void *data, size_t size)
{
    r->scan = pl__scan_start(r->draft->ctx, r->draft->name, data, size);
    r->scan.by_line = r->scan.continued = true;
    r->scan.comment = '#';
    r->seen = r->seen_uv = 0;
}

static bool is_joined(pl__text line) { return line.length && line.at[line.length - 1] == '\\'; }

// Skip to the next statement.
static void end_statement(pl__scan *s)
{
    while (pl__scan_more(s) && is_joined(pl__scan_rest_of_line(s)))
        ;
    if (s->at < s->end && *s->at == '\n')
        s->at++;
}

// The keyword of the next statement; false at the end of the file.
static bool next_statement(pl__scan *s, pl__text *keyword)
{
    while (s->at < s->end)
    {
        if (pl__scan_token(s, keyword))
            return true;
        s->at += s->at < s->end;
    }
    return false;
}

// ---- vertices ------------------------------------------------------------------------------------------------

// Count the vertices, and find the keyword of groups.
static int64_t look_through(reader *r)
{
    pl__scan s = r->scan;
    static const char *const keyword_of_group[3] = {"g", "o", "usemtl"};
    int64_t count = 0;
    bool has[3] = {false};
    pl__text keyword;
    while (next_statement(&s, &keyword))
    {
        count += pl__text_is(keyword, "v");
        for (int k = 0; k < 3; ++k)
            has[k] |= pl__text_is(keyword, keyword_of_group[k]);
        end_statement(&s);
    }
    for (int k = 2; k >= 0; --k)
        r->group_keyword = has[k] ? keyword_of_group[k] : r->group_keyword;
    return count;
}

// Three numbers after the position are a colour; anything else is ignored.
static bool has_color(pl__scan *s, double color[3])
{
    pl__text token;
    int count = 0;
    double ignored;
    while (pl__scan_token(s, &token) && pl__parse_real(token.at, token.length, count < 3 ? &color[count] : &ignored))
        count++;
    return count >= 3 && !pl__scan_more(s);
}

// Vertices without a colour are white if others have one.
static pl_status store_color(reader *r, int32_t vertex, int32_t vertex_count, const double color[3])
{
    if (!r->color)
    {
        PL_TRY(pl__draft_attribute_rows(r->draft, "color", 3, 0, vertex_count, &r->color));
        for (size_t i = 0; i < 3 * (size_t)vertex_count; ++i)
            r->color[i] = 1;
    }
    memcpy(&r->color[3 * (size_t)vertex], color, 3 * sizeof *color);
    r->colored++;
    return PL_OK;
}

static pl_status read_vertex(reader *r, int32_t vertex_count)
{
    double position[3], color[3];
    for (int k = 0; k < 3; ++k)
        PL_TRY(pl__scan_real(&r->scan, "a coordinate", &position[k]));
    if (has_color(&r->scan, color))
        PL_TRY(store_color(r, r->draft->node_count, vertex_count, color));
    pl__draft_add_node(r->draft, r->draft->node_count + 1, position);
    return PL_OK;
}

// A single number is allowed: a one-dimensional texture.
static pl_status read_uv(reader *r)
{
    double uv[2] = {0};
    PL_TRY(pl__scan_any(&r->scan, PL__F64, "a texture coordinate", &uv[0]));
    if (pl__scan_more(&r->scan))
        PL_TRY(pl__scan_any(&r->scan, PL__F64, "a texture coordinate", &uv[1]));
    return pl__draft_add_uv(r->draft, uv);
}

static pl_status read_vertices(reader *r)
{
    pl__text keyword;
    int64_t count = look_through(r);
    PL_TRY(pl__draft_reserve_nodes(r->draft, &r->scan, count));
    while (next_statement(&r->scan, &keyword))
    {
        if (pl__text_is(keyword, "v"))
            PL_TRY(read_vertex(r, (int32_t)count));
        else if (pl__text_is(keyword, "vt"))
            PL_TRY(read_uv(r));
        end_statement(&r->scan);
    }
    return PL_OK;
}

// ---- faces ---------------------------------------------------------------------------------------------------

// An index from 1, or, if negative, relative to the end of those above the line.
static pl_status find_index(const reader *r, pl__text text, const char *what, int32_t count, int32_t seen,
                            int32_t *found)
{
    int64_t number = 0;
    pl__integer_fault fault = pl__parse_integer(text.at, text.length, &number);
    char expected[64];
    snprintf(expected, sizeof expected, "the number of a %s", what);
    if (fault == PL__INTEGER_NOT)
        return pl__scan_expected(&r->scan, expected);
    int64_t index = number < 0 ? seen + number : number - 1;
    if (fault == PL__INTEGER_LARGE || number < -(int64_t)seen || number == 0 || index >= count)
        return pl__scan_fail(&r->scan, "there is no %s %.*s: the file has %d, numbered from 1%s", what,
                             (int)(text.length < 24 ? text.length : 24), text.at, count,
                             number < 0 ? ", and -1 is the last above this line" : "");
    *found = (int32_t)index;
    return PL_OK;
}

// Split a corner such as "3/1/2" at the next slash.
static pl__text split(pl__text *corner)
{
    const char *slash = corner->length ? memchr(corner->at, '/', corner->length) : NULL;
    pl__text piece = {corner->at, slash ? (size_t)(slash - corner->at) : corner->length};
    size_t used = piece.length + (slash != NULL);
    *corner = (pl__text){corner->at + used, corner->length - used};
    return piece;
}

// If a file has no texture coordinates at all, faces may still mention them: they were stripped.
static pl_status read_corner(reader *r, pl__text corner, int32_t *vertex, int32_t *uv)
{
    int32_t uv_count = (int32_t)r->draft->uv_count;
    PL_TRY(find_index(r, split(&corner), "vertex", r->draft->node_count, r->seen, vertex));
    pl__text texture = split(&corner);
    *uv = -1;
    if (texture.length == 0 || uv_count == 0)
        return PL_OK;
    return find_index(r, texture, "texture coordinate", uv_count, r->seen_uv, uv);
}

static pl_status read_face(reader *r)
{
    pl__text corner;
    size_t count = 0;
    for (; pl__scan_token(&r->scan, &corner); ++count)
    {
        if (!PL_GROW(r->draft->ctx, r->corner, &r->corner_capacity, count + 1) ||
            !PL_GROW(r->draft->ctx, r->uv, &r->uv_capacity, count + 1))
            return PL_ERR_MEMORY;
        PL_TRY(read_corner(r, corner, &r->corner[count], &r->uv[count]));
    }
    if (count < 3)
        return pl__scan_fail(&r->scan, "a face of %zu corners, but 3 are needed", count);
    return pl__draft_add_polygon(r->draft, r->corner, r->uv, count);
}

static bool is_trailing(char c) { return c == ' ' || c == '\t' || c == '\\'; }

// The rest of the line: a name may contain blanks, and faces in groups a and b are the group "a b".
static pl_status read_group(reader *r)
{
    pl__scan *s = &r->scan;
    bool named = pl__scan_more(s);
    pl__scan line = *s;
    pl__text name = named ? pl__scan_rest_of_line(&line) : (pl__text){s->at, 0};
    const char *comment = name.length ? memchr(name.at, '#', name.length) : NULL;
    name.length = comment ? (size_t)(comment - name.at) : name.length;
    while (name.length && is_trailing(name.at[name.length - 1]))
        name.length--;
    return pl__draft_start_group(r->draft, name);
}

static pl_status read_faces(reader *r)
{
    pl__text keyword;
    if (r->group_keyword)
        PL_TRY(pl__draft_start_group(r->draft, (pl__text){"", 0}));
    while (next_statement(&r->scan, &keyword))
    {
        r->seen += pl__text_is(keyword, "v");
        r->seen_uv += pl__text_is(keyword, "vt");
        if (pl__text_is(keyword, "f") || pl__text_is(keyword, "fo")) // fo: an old spelling
            PL_TRY(read_face(r));
        else if (r->group_keyword && pl__text_is(keyword, r->group_keyword))
            PL_TRY(read_group(r));
        end_statement(&r->scan);
    }
    return PL_OK;
}

static pl_status read_file(reader *r, const void *data, size_t size)
{
    rewind_scan(r, data, size);
    PL_TRY(read_vertices(r));
    rewind_scan(r, data, size);
    return read_faces(r);
}

pl_status pl__obj_read(pl__draft *draft, const void *data, size_t size)
{
    reader r = {.draft = draft};
    draft->keep_nodes = true;
    pl_status status = read_file(&r, data, size);
    if (status == PL_OK && r.colored && r.colored < draft->node_count)
        pl__log(draft->ctx, PL_LOG_NOTE, "%s: only %d of %d vertices have a colour; the others are white", draft->name,
                r.colored, draft->node_count);
    PL_DELETE(draft->ctx, r.corner, r.corner_capacity);
    PL_DELETE(draft->ctx, r.uv, r.uv_capacity);
    return status;
}

// ---- writing -------------------------------------------------------------------------------------------------

// Number of each node in the file, from 1; 0 for omitted ones.
static void number_nodes(const pl__obj_faces *f, bool compact, int32_t *number)
{
    for (int32_t i = 0; !compact && i < f->node_count; ++i)
        number[i] = 1;
    for (size_t i = 0; i < 3 * (size_t)f->triangle_count; ++i)
        number[f->triangle[i]] = 1;
    int32_t next = 1;
    for (int32_t i = 0; i < f->node_count; ++i)
        number[i] = number[i] ? next++ : 0;
}

static void write_vertices(pl__writer *w, const pl__obj_faces *f, const int32_t *number)
{
    for (int32_t i = 0; i < f->node_count; ++i)
    {
        if (!number[i])
            continue;
        pl__write_text(w, "v ");
        pl__write_reals(w, &f->position[3 * (size_t)i], 3, f->color ? " " : "\n");
        if (f->color)
            pl__write_reals(w, &f->color[3 * (size_t)i], 3, "\n");
    }
    for (int32_t i = 0; i < f->uv_count; ++i)
    {
        pl__write_text(w, "vt ");
        pl__write_reals(w, &f->uv[2 * (size_t)i], 2, "\n");
    }
}

// A blank or # would end the name, a final backslash would join the next line.
static void write_group(pl__writer *w, const char *name)
{
    pl__write_text(w, "g ");
    for (; *name; ++name)
        pl__write_bytes(w, *name == ' ' || *name == '#' || *name == '\\' ? "_" : name, 1);
    pl__write_text(w, "\n");
}

static void write_corner(pl__writer *w, const pl__obj_faces *f, const int32_t *number, size_t corner)
{
    pl__write_text(w, " ");
    pl__write_integer(w, number[f->triangle[corner]]);
    if (!f->triangle_uv || f->triangle_uv[corner] < 0)
        return;
    pl__write_text(w, "/");
    pl__write_integer(w, (int64_t)f->triangle_uv[corner] + 1);
}

// Triangles keep their order, so a group may occur several times; "default" means no group in OBJ.
static void write_faces(pl__writer *w, const pl__obj_faces *f, const int32_t *number)
{
    int32_t group = -1;
    for (int32_t i = 0; i < f->triangle_count; ++i)
    {
        if (f->triangle_group && f->triangle_group[i] != group)
        {
            group = f->triangle_group[i];
            write_group(w, group < 0 ? "default" : f->group_name[group]);
        }
        pl__write_text(w, "f");
        for (size_t k = 0; k < 3; ++k)
            write_corner(w, f, number, 3 * (size_t)i + k);
        pl__write_text(w, "\n");
    }
}

pl_status pl__obj_write(pl_context *ctx, const char *path, const pl__obj_faces *faces, bool compact)
{
    pl__writer w;
    int32_t *number = PL_NEW(ctx, faces->node_count, int32_t);
    if (!number)
        return PL_ERR_MEMORY;
    pl_status status = pl__writer_open(&w, ctx, path);
    if (status == PL_OK)
    {
        number_nodes(faces, compact, number);
        write_vertices(&w, faces, number);
        write_faces(&w, faces, number);
        status = pl__writer_commit(&w);
    }
    PL_DELETE(ctx, number, faces->node_count);
    return status;
}

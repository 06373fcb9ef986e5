// src/io/obj.c -- Wavefront OBJ surfaces.
//
//     # a quadrangle                  one statement to a line, which a final backslash joins to the next
//     v 0 0 0                         a vertex; a weight or a colour may follow
//     v 1 0 0
//     v 1 1 0
//     v 0 1 0
//     f 1/1/1 2/2/1 3//1 -1           a polygon: vertex/texture/normal, numbered from 1, or from the end with -1
//
// All other statements (vt vn o g s usemtl mtllib l p ...) mean nothing to a solid. Faces may come before their vertices,
// so the vertices are read in a first pass; that is also where bad coordinates are found.
//
// Wavefront, "Object Files (.obj)", Advanced Visualizer manual, appendix B1.
#include "io/obj.h"
#include "io/number.h"
#include "io/polygon.h"

#include <inttypes.h>
#include <string.h>

typedef struct reader
{
    pl__draft *draft;
    pl__scan scan;
    int32_t seen;     // vertices above the line
    int32_t *polygon; // the face being read
    size_t polygon_capacity;
    int64_t fans; // faces of too many corners for clipping ears
} reader;

// ---- lines ---------------------------------------------------------------------------------------------------

static void rewind_scan(reader *r, const void *data, size_t size)
{
    r->scan = pl__scan_start(r->draft->ctx, r->draft->name, data, size);
    r->scan.by_line = r->scan.continued = true;
    r->scan.comment = '#';
    r->seen = 0;
}

static bool is_joined(pl__text line) { return line.length && line.at[line.length - 1] == '\\'; }

// To the next statement, from anywhere in this one.
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

static int64_t count_vertices(pl__scan s)
{
    int64_t count = 0;
    pl__text keyword;
    while (next_statement(&s, &keyword))
    {
        count += pl__text_is(keyword, "v");
        end_statement(&s);
    }
    return count;
}

static pl_status read_vertex(reader *r)
{
    double position[3];
    for (int k = 0; k < 3; ++k)
        PL_TRY(pl__scan_real(&r->scan, "a coordinate", &position[k]));
    pl__draft_add_node(r->draft, r->draft->node_count + 1, position);
    return PL_OK;
}

static pl_status read_vertices(reader *r)
{
    pl__text keyword;
    PL_TRY(pl__draft_reserve_nodes(r->draft, &r->scan, count_vertices(r->scan)));
    while (next_statement(&r->scan, &keyword))
    {
        if (pl__text_is(keyword, "v"))
            PL_TRY(read_vertex(r));
        end_statement(&r->scan);
    }
    return PL_OK;
}

// ---- faces ---------------------------------------------------------------------------------------------------

// The vertex of a corner such as "3/1/2" or "-1".
static pl_status find_vertex(const reader *r, pl__text corner, int32_t *vertex)
{
    const char *slash = memchr(corner.at, '/', corner.length);
    size_t length = slash ? (size_t)(slash - corner.at) : corner.length;
    int64_t index = 0;
    pl__integer_fault fault = pl__parse_integer(corner.at, length, &index);
    if (fault == PL__INTEGER_NOT)
        return pl__scan_expected(&r->scan, "the number of a vertex");
    int64_t found = index < 0 ? r->seen + index : index - 1;
    if (fault == PL__INTEGER_LARGE || index < -(int64_t)r->seen || index == 0 || found >= r->draft->node_count)
        return pl__scan_fail(&r->scan, "there is no vertex %.*s: the file has %d, numbered from 1%s",
                             (int)(length < 24 ? length : 24), corner.at, r->draft->node_count,
                             index < 0 ? ", and -1 is the last above this line" : "");
    *vertex = (int32_t)found;
    return PL_OK;
}

static pl_status read_corners(reader *r, size_t *count)
{
    pl__text corner;
    for (*count = 0; pl__scan_token(&r->scan, &corner); ++*count)
    {
        if (!PL_GROW(r->draft->ctx, r->polygon, &r->polygon_capacity, *count + 1))
            return PL_ERR_MEMORY;
        PL_TRY(find_vertex(r, corner, &r->polygon[*count]));
    }
    return *count >= 3 ? PL_OK : pl__scan_fail(&r->scan, "a face of %zu corners, but 3 are needed", *count);
}

static pl_status add_polygon(reader *r, int count)
{
    const int32_t *p = r->polygon;
    int32_t cut[3 * PL__POLYGON_MAX];
    pl__polygon_cut(r->draft->position, p, count, cut);
    for (int i = 0; i < 3 * (count - 2); i += 3)
        PL_TRY(pl__draft_add_triangle(r->draft, p[cut[i]], p[cut[i + 1]], p[cut[i + 2]]));
    return PL_OK;
}

static pl_status add_fan(reader *r, size_t count)
{
    const int32_t *p = r->polygon;
    r->fans++;
    for (size_t i = 1; i + 1 < count; ++i)
        PL_TRY(pl__draft_add_triangle(r->draft, p[0], p[i], p[i + 1]));
    return PL_OK;
}

static pl_status read_face(reader *r)
{
    size_t count = 0;
    PL_TRY(read_corners(r, &count));
    if (count == 3)
        return pl__draft_add_triangle(r->draft, r->polygon[0], r->polygon[1], r->polygon[2]);
    return count <= PL__POLYGON_MAX ? add_polygon(r, (int)count) : add_fan(r, count);
}

static pl_status read_faces(reader *r)
{
    pl__text keyword;
    while (next_statement(&r->scan, &keyword))
    {
        r->seen += pl__text_is(keyword, "v");
        if (pl__text_is(keyword, "f") || pl__text_is(keyword, "fo")) // fo: an old spelling
            PL_TRY(read_face(r));
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
    if (status == PL_OK && r.fans)
        pl__log(draft->ctx, PL_LOG_NOTE, "%s: %" PRId64 " faces of more than %d corners were cut as if they were convex",
                draft->name, r.fans, PL__POLYGON_MAX);
    PL_DELETE(draft->ctx, r.polygon, r.polygon_capacity);
    return status;
}

// ---- writing -------------------------------------------------------------------------------------------------

// The number of each node in the file, from 1; 0 for those that are left out.
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
        pl__write_reals(w, &f->position[3 * (size_t)i], 3, "\n");
    }
    for (int32_t i = 0; i < f->uv_count; ++i)
    {
        pl__write_text(w, "vt ");
        pl__write_reals(w, &f->uv[2 * (size_t)i], 2, "\n");
    }
}

// A blank or # would end the name, a final backslash join the next line to it.
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
    if (!f->uv_count)
        return;
    pl__write_text(w, "/");
    pl__write_integer(w, (int64_t)f->triangle_uv[corner] + 1);
}

// Triangles keep their order, so a group may be named several times; "default" is what OBJ calls no group.
static void write_faces(pl__writer *w, const pl__obj_faces *f, const int32_t *number)
{
    int32_t group = -1;
    for (int32_t i = 0; i < f->triangle_count; ++i)
    {
        if (f->group_count && f->triangle_group[i] != group)
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

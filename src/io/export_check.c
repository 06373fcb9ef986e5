// src/io/export_check.c -- checks of frames: exporters index and convert without further checks.
#include "io/export.h"
#include "mesh/topology.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Coordinates and their differences must fit 32-bit floats, which end at 3e38.
static const double LARGEST = 1e30;

// Current location, for error messages.
typedef struct place
{
    pl_context *ctx;
    int32_t frame;
    const char *body;
} place;

#define CHECK_AT(p, condition, sentence, ...)                                                                          \
    PL_CHECK((p)->ctx, condition, "frame %d: body '%s': " sentence, (p)->frame, (p)->body, __VA_ARGS__)

// ---- names ---------------------------------------------------------------------------------------------------

static bool is_name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

static bool is_name(const char *name)
{
    size_t length = 0;
    for (; name && name[length]; ++length)
        if (!is_name_char(name[length]) || length + 1 >= PL__EXPORT_NAME)
            return false;
    return length > 0;
}

static bool is_plain_text(const char *text)
{
    size_t length = 0;
    for (; text && text[length]; ++length)
        if ((unsigned char)text[length] < 32 || text[length] == 127)
            return false;
    return length > 0;
}

static bool is_taken(const char *name)
{
    static const char *const taken[] = {"positions", "velocities", "velocity",      "displacement",
                                        "normal",    "triangles",  "nodes",         "node_velocities",
                                        "tets",      "hexes",      "node_triangles"};
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; ++i)
        if (strcmp(name, taken[i]) == 0)
            return true;
    return false;
}

// ---- arrays --------------------------------------------------------------------------------------------------

static pl_status check_indices(const place *p, const char *cell, int corners, const int32_t *index, int32_t cell_count,
                               const char *point, int32_t first, int32_t point_count)
{
    CHECK_AT(p, index || !cell_count, "the indices of its %d %ss are missing", cell_count, cell);
    for (size_t i = 0; i < (size_t)corners * (size_t)cell_count; ++i)
        CHECK_AT(p, index[i] >= first && index[i] < point_count, "%s %zu: %s %d is out of range, allowed is %d to %d",
                 cell, i / (size_t)corners, point, index[i], first, point_count - 1);
    return PL_OK;
}

static pl_status check_numbers(const place *p, const char *what, const double *values, int components, int32_t count,
                               double largest)
{
    for (size_t i = 0; i < (size_t)components * (size_t)count; ++i)
        CHECK_AT(p, fabs(values[i]) <= largest, "%s %zu is %g, allowed is what is finite and within %g", what,
                 i / (size_t)components, values[i], largest);
    return PL_OK;
}

static pl_status check_points(const place *p, const char *what, const double *values, int32_t count, bool required)
{
    CHECK_AT(p, values || !required || !count, "%d are counted, but the array of each %s is missing", count, what);
    return values ? check_numbers(p, what, values, 3, count, LARGEST) : PL_OK;
}

static pl_status check_counts(const place *p, const pl_frame_body *b)
{
    const struct
    {
        const char *what;
        int32_t value;
    } counts[] = {
        {"vertex_count", b->vertex_count}, {"triangle_count", b->triangle_count}, {"uv_count", b->uv_count},
        {"group_count", b->group_count},   {"node_count", b->node_count},         {"cell_count", b->cell_count},
        {"field_count", b->field_count},
    };
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i)
        CHECK_AT(p, counts[i].value >= 0, "%s is %d, it must not be negative", counts[i].what, counts[i].value);
    return PL_OK;
}

// ---- the parts of a body -------------------------------------------------------------------------------------

static pl_status check_surface(const place *p, const pl_frame_body *b)
{
    PL_TRY(check_points(p, "vertex", b->vertices, b->vertex_count, true));
    PL_TRY(check_points(p, "vertex velocity", b->vertex_velocities, b->vertex_count, false));
    PL_TRY(check_points(p, "normal", b->normals, b->vertex_count, false));
    return check_indices(p, "triangle", 3, b->triangles, b->triangle_count, "vertex", 0, b->vertex_count);
}

static pl_status check_vertex_fields(const place *p, const pl_frame_body *b)
{
    if (b->vertex_strains)
        PL_TRY(check_numbers(p, "strain of vertex", b->vertex_strains, 1, b->vertex_count, LARGEST));
    if (b->vertex_temperatures)
        PL_TRY(check_numbers(p, "temperature of vertex", b->vertex_temperatures, 1, b->vertex_count, LARGEST));
    return PL_OK;
}

static pl_status check_radii(const place *p, const pl_frame_body *b)
{
    if (!b->radii)
        return PL_OK;
    CHECK_AT(p, !b->triangle_count && !b->node_count, "it has radii, of points, but %d triangles and %d nodes",
             b->triangle_count, b->node_count);
    for (int32_t i = 0; i < b->vertex_count; ++i)
        CHECK_AT(p, b->radii[i] >= 0 && b->radii[i] <= LARGEST, "radius %d is %g, allowed is 0 to %g", i, b->radii[i],
                 LARGEST);
    return PL_OK;
}

static pl_status check_uvs(const place *p, const pl_frame_body *b)
{
    if (!b->uv_count)
        return PL_OK;
    CHECK_AT(p, b->uvs, "uv_count is %d, but there are no uvs", b->uv_count);
    PL_TRY(check_numbers(p, "texture coordinate", b->uvs, 2, b->uv_count, LARGEST));
    return check_indices(p, "triangle", 3, b->triangle_uvs, b->triangle_count, "texture coordinate", 0, b->uv_count);
}

static pl_status check_groups(const place *p, const pl_frame_body *b)
{
    if (!b->group_count)
        return PL_OK;
    CHECK_AT(p, b->group_names, "group_count is %d, but there are no group_names", b->group_count);
    for (int32_t i = 0; i < b->group_count; ++i)
        CHECK_AT(p, is_plain_text(b->group_names[i]), "the name of group %d is missing or has control characters", i);
    return check_indices(p, "triangle", 1, b->triangle_groups, b->triangle_count, "group", -1, b->group_count);
}

static pl_status check_volume(const place *p, const pl_frame_body *b)
{
    PL_TRY(check_points(p, "node", b->nodes, b->node_count, true));
    PL_TRY(check_points(p, "node velocity", b->node_velocities, b->node_count, false));
    PL_TRY(check_points(p, "rest node", b->rest_nodes, b->node_count, false));
    CHECK_AT(p, pl_element_corners(b->cell_kind) > 0, "cell_kind is %d, allowed is %d to %d", (int)b->cell_kind,
             PL_ELEMENT_TET, PL_ELEMENT_TRIANGLE);
    return check_indices(p, pl__element_forms[b->cell_kind].one, (int)pl__export_corners(b), b->cells, b->cell_count,
                         "node", 0, b->node_count);
}

static pl_status check_field(const place *p, const pl_frame_body *b, int32_t index)
{
    const pl_frame_field *f = &b->fields[index];
    CHECK_AT(p, is_name(f->name), "field %d: '%.80s' is no name; allowed are 1 to 63 letters, digits, _ and -", index,
             f->name ? f->name : "");
    CHECK_AT(p, !is_taken(f->name), "a field must not be called '%s', which exporters write themselves", f->name);
    for (int32_t i = 0; i < index; ++i)
        CHECK_AT(p, strcmp(b->fields[i].name, f->name) != 0, "two fields are called '%s'", f->name);
    CHECK_AT(p, f->components == 1 || f->components == 3 || f->components == 9,
             "field '%s' has %d components, allowed are 1, 3 and 9", f->name, f->components);
    CHECK_AT(p, f->per_cell == 0 || f->per_cell == 1, "field '%s': per_cell is %d, allowed is 0 or 1", f->name,
             f->per_cell);
    int32_t count = f->per_cell ? b->cell_count : b->node_count;
    CHECK_AT(p, f->values || !count, "field '%s' has no values", f->name);
    return check_numbers(p, f->name, f->values, f->components, count, DBL_MAX);
}

static pl_status check_fields(const place *p, const pl_frame_body *b)
{
    CHECK_AT(p, !b->field_count || b->node_count, "it has %d fields, but no nodes", b->field_count);
    CHECK_AT(p, b->fields || !b->field_count, "field_count is %d, but there are no fields", b->field_count);
    for (int32_t i = 0; i < b->field_count; ++i)
        PL_TRY(check_field(p, b, i));
    return PL_OK;
}

static pl_status check_body(const place *p, const pl_frame_body *b)
{
    PL_TRY(check_counts(p, b));
    PL_TRY(check_surface(p, b));
    PL_TRY(check_radii(p, b));
    PL_TRY(check_uvs(p, b));
    PL_TRY(check_groups(p, b));
    PL_TRY(check_volume(p, b));
    PL_TRY(check_vertex_fields(p, b));
    PL_TRY(check_fields(p, b));
    for (int k = 0; k < 3; ++k)
        CHECK_AT(p, b->color[k] >= 0 && b->color[k] <= 1, "color[%d] is %g, allowed is 0 to 1", k, b->color[k]);
    return PL_OK;
}

pl_status pl__export_check(pl_context *ctx, const pl_frame *frame, int32_t index)
{
    PL_CHECK(ctx, frame->number >= 0, "frame %d: its number is %d, it must not be negative", index, frame->number);
    PL_CHECK(ctx, isfinite(frame->time), "frame %d: its time is %g, it must be finite", index, frame->time);
    PL_CHECK(ctx, frame->body_count >= 0 && (frame->bodies || !frame->body_count),
             "frame %d: body_count is %d, but bodies is %s", index, frame->body_count,
             frame->bodies ? "there" : "NULL");
    for (int32_t i = 0; i < frame->body_count; ++i)
    {
        const char *name = frame->bodies[i].name;
        PL_CHECK(ctx, is_name(name),
                 "frame %d: body %d: '%.80s' is no name; allowed are 1 to 63 letters, digits, _ and -", index, i,
                 name ? name : "");
        for (int32_t k = 0; k < i; ++k)
            PL_CHECK(ctx, strcmp(frame->bodies[k].name, name) != 0, "frame %d: two bodies are called '%s'", index,
                     name);
        place p = {ctx, index, name};
        PL_TRY(check_body(&p, &frame->bodies[i]));
    }
    return PL_OK;
}

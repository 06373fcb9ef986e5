// src/io/export_npy.c -- numpy arrays: one file for each array of each body.
//
//     "\x93NUMPY"  bytes 1, 0 (version)  uint16 length of what follows, up to the numbers
//     {'descr': '<f8', 'fortran_order': False, 'shape': (24, 8, 3), }   blanks   "\n"
//     the numbers, from a multiple of 64 bytes on
//
// Arrays over time have the frames as their first dimension.
//
// numpy.lib.format, "NPY format", version 1.0.
#include "io/export.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef enum part
{
    POSITIONS,
    VELOCITIES,
    TRIANGLES,
    RADII,
    NODES,
    NODE_VELOCITIES,
    CELLS,
    FIELD
} part;

typedef struct array
{
    char name[2 * PL__EXPORT_NAME + 8]; // of the file
    part part;
    int32_t body, field;
} array;

typedef struct arrays
{
    pl__export *e;
    array *array;
    size_t capacity;
    int32_t count;
} arrays;

// ---- which arrays --------------------------------------------------------------------------------------------

static pl_status add(arrays *a, const pl_frame *frame, int32_t body, const char *what, part kind, int32_t field)
{
    if (!PL_GROW(a->e->ctx, a->array, &a->capacity, (size_t)a->count + 1))
        return PL_ERR_MEMORY;
    array *new = &a->array[a->count];
    *new = (array){.part = kind, .body = body, .field = field};
    snprintf(new->name, sizeof new->name, "%s_%s.npy", frame->bodies[body].name, what);
    for (int32_t i = 0; i < a->count; ++i)
        PL_CHECK(a->e->ctx, strcmp(a->array[i].name, new->name) != 0,
                 "the names of bodies '%s' and '%s' with those of their fields give the same file %s",
                 frame->bodies[a->array[i].body].name, frame->bodies[body].name, new->name);
    a->count++;
    return PL_OK;
}

static const char *const cell_names[] = {
    [PL_ELEMENT_TET] = "tets", [PL_ELEMENT_HEX] = "hexes", [PL_ELEMENT_TRIANGLE] = "node_triangles"};

static pl_status add_body(arrays *a, const pl_frame *frame, int32_t body)
{
    const pl_frame_body *b = &frame->bodies[body];
    PL_TRY(add(a, frame, body, "positions", POSITIONS, 0));
    if (b->vertex_velocities)
        PL_TRY(add(a, frame, body, "velocities", VELOCITIES, 0));
    PL_TRY(b->radii ? add(a, frame, body, "radii", RADII, 0) : add(a, frame, body, "triangles", TRIANGLES, 0));
    if (b->node_count)
        PL_TRY(add(a, frame, body, "nodes", NODES, 0));
    if (b->node_count && b->node_velocities)
        PL_TRY(add(a, frame, body, "node_velocities", NODE_VELOCITIES, 0));
    if (b->node_count)
        PL_TRY(add(a, frame, body, cell_names[b->cell_kind], CELLS, 0));
    for (int32_t i = 0; i < b->field_count; ++i)
        PL_TRY(add(a, frame, body, b->fields[i].name, FIELD, i));
    return PL_OK;
}

// ---- heads ---------------------------------------------------------------------------------------------------

static void write_head(pl__writer *w, const char *type, const char *shape)
{
    char text[256];
    int length = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", type, shape);
    int padded = (10 + length + 1 + 63) / 64 * 64 - 10;
    memset(text + length, ' ', (size_t)(padded - length));
    text[padded - 1] = '\n';
    pl__write_bytes(w, "\x93NUMPY\1\0", 8);
    pl__write_bytes(w, (unsigned char[]){(unsigned char)(padded & 255), (unsigned char)(padded >> 8)}, 2);
    pl__write_bytes(w, text, (size_t)padded);
}

static void write_series(const arrays *a, pl__writer *w, const double *values, int32_t count, int32_t components,
                         int32_t index)
{
    char shape[64];
    int32_t frames = a->e->source->frame_count;
    if (components == 1)
        snprintf(shape, sizeof shape, "%" PRId32 ", %" PRId32, frames, count);
    else
        snprintf(shape, sizeof shape, "%" PRId32 ", %" PRId32 ", %" PRId32, frames, count, components);
    if (index == 0)
        write_head(w, "<f8", shape);
    pl__write_f64s(w, values, (size_t)count * (size_t)components);
}

static void write_cells(pl__writer *w, const int32_t *cells, int32_t count, int32_t corners, int32_t index)
{
    char shape[64];
    if (index > 0)
        return;
    snprintf(shape, sizeof shape, "%" PRId32 ", %" PRId32, count, corners);
    write_head(w, "<i4", shape);
    pl__write_i32s(w, cells, (size_t)count * (size_t)corners);
}

static void write_field(const arrays *a, pl__writer *w, const pl_frame_body *b, int32_t field, int32_t index)
{
    const pl_frame_field *f = &b->fields[field];
    write_series(a, w, f->values, f->per_cell ? b->cell_count : b->node_count, f->components, index);
}

static void write_array(void *user, int32_t track, pl__writer *w, const pl_frame *frame, int32_t index)
{
    const arrays *a = user;
    const pl_frame_body *b = &frame->bodies[a->array[track].body];
    switch (a->array[track].part)
    {
    case POSITIONS: write_series(a, w, b->vertices, b->vertex_count, 3, index); break;
    case VELOCITIES: write_series(a, w, b->vertex_velocities, b->vertex_count, 3, index); break;
    case TRIANGLES: write_cells(w, b->triangles, b->triangle_count, 3, index); break;
    case RADII: write_series(a, w, b->radii, b->vertex_count, 1, index); break;
    case NODES: write_series(a, w, b->nodes, b->node_count, 3, index); break;
    case NODE_VELOCITIES: write_series(a, w, b->node_velocities, b->node_count, 3, index); break;
    case CELLS: write_cells(w, b->cells, b->cell_count, (int32_t)pl__export_corners(b), index); break;
    case FIELD: write_field(a, w, b, a->array[track].field, index); break;
    }
}

static void name_file(void *user, int32_t track, char *name, size_t size)
{
    snprintf(name, size, "%s", ((arrays *)user)->array[track].name);
}

static pl_status write_arrays(arrays *a, const pl_frame *first)
{
    for (int32_t i = 0; i < first->body_count; ++i)
        PL_TRY(add_body(a, first, i));
    return pl__export_write_tracks(a->e, &(pl__export_tracks){a->count, a, name_file, write_array});
}

pl_status pl__export_npy(pl__export *e)
{
    const pl_frame *first;
    PL_TRY(pl__export_hold(e, false, &first));
    arrays a = {.e = e};
    pl_status status = write_arrays(&a, first);
    PL_DELETE(e->ctx, a.array, a.capacity);
    return status;
}

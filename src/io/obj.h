// src/io/obj.h -- Wavefront OBJ surfaces.
#ifndef PL_IO_OBJ_H
#define PL_IO_OBJ_H

#include "io/draft.h"
#include "io/write.h"

pl_status pl__obj_read(pl__draft *draft, const void *data, size_t size);

typedef struct pl__obj_faces
{
    const double *position;
    const int32_t *triangle;
    int32_t node_count, triangle_count;
    const double *color; // [3 node_count] or NULL, like all below
    int32_t uv_count, group_count;
    const double *uv;              // [uv_count][2]
    const int32_t *triangle_uv;    // [triangle_count][3], -1: none
    const char *const *group_name; // blanks, # and \ in them become _
    const int32_t *triangle_group; // [triangle_count], -1: in none
} pl__obj_faces;

// Write to `path`; with `compact`, without unused nodes. Positions and indices must be valid.
pl_status pl__obj_write(pl_context *ctx, const char *path, const pl__obj_faces *faces, bool compact);

#endif

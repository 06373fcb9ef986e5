// examples/show.h -- a body of a world as a surface to draw.
#ifndef EXAMPLES_SHOW_H
#define EXAMPLES_SHOW_H

#include "picture.h"

#include <pliant/pliant.h>

typedef struct show
{
    pl_body_id body;
    const pl_mesh *mesh; // that the body was made of; borrowed
    float colour[3];
    double *positions;   // [node_count][3]
    float *share;        // [node_count] of the tetrahedra around a node that are inverted or flat
    int32_t *around;     // [node_count] tetrahedra around it
    float *vertices, *normals, *colours;
    picture_surface surface;
} show;

/// Prepare to draw a body. Returns false when there is no memory.
bool show_create(show *s, const pl_world *world, pl_body_id body, const pl_mesh *mesh, const float colour[3]);
void show_destroy(show *s);

/// Read the body as it is now. Where tetrahedra are inside out or flat, its colour turns to red.
const picture_surface *show_update(show *s, const pl_world *world);

/// Prints the sentence of the context and returns 1.
int show_failure(const pl_context *ctx);

#endif

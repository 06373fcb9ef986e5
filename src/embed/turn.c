// src/embed/turn.c -- normals of an embedded surface, rotated with the mesh.
//
// Mueller & Gross 2004, 5.1: with F = Ds Dm^-1 = R S the deformation gradient of the tetrahedron that carries a
// vertex, a normal n at rest becomes R n. The detail of a bumpy surface keeps its shading that way, at the cost of one
// decomposition per tetrahedron instead of a sum over triangles per vertex; and normals stay of unit length, given
// ones with creases included.
//
// What it does badly: S is ignored, so that shear and stretch tilt the surface but not its normals (F^-T n would tilt
// them, and is unbounded in flat tetrahedra); and rotations jump from one tetrahedron to the next. Where that shows,
// normals of the deformed triangles (vertex_normals.h) are better. Inverted and flat tetrahedra have a rotation too
// (math/polar3.h).
#include "turn.h"
#include "base/task.h"
#include "math/polar3.h"

#include <string.h>

enum
{
    ROTATE_CHUNK = 64,
    TURN_CHUNK = 1024
};

typedef struct
{
    const pl__embed_nodes *nodes;
    const double *rest, *at_node;
    double *rotation;
} rotate_job;

// Edges from corner 0 of a carrier, as columns. `place` as in pl__embed_nodes.
static pl_mat3 edges_of(const int32_t *tet, const int32_t *place, const double *x)
{
    pl_vec3 corner[4];
    for (int c = 0; c < 4; ++c)
    {
        const double *at = &x[3 * (size_t)(place ? place[tet[c]] : tet[c])];
        corner[c] = pl_make3(at[0], at[1], at[2]);
    }
    return pl_columns3(pl_sub3(corner[1], corner[0]), pl_sub3(corner[2], corner[0]), pl_sub3(corner[3], corner[0]));
}

static void rotate_range(void *argument, int32_t begin, int32_t end)
{
    const rotate_job *job = argument;
    for (int32_t i = begin; i < end; ++i)
    {
        const int32_t *tet = &job->nodes->tet[4 * (size_t)i];
        pl_mat3 Dm = edges_of(tet, NULL, job->rest), Ds = edges_of(tet, job->nodes->place, job->at_node), R, S;
        pl_mat3 inverse = pl_inverse3(&Dm), F = pl_mul33(&Ds, &inverse);
        pl__polar3(&F, &R, &S);
        memcpy(&job->rotation[9 * (size_t)i], R.c, sizeof R.c);
    }
}

void pl__embed_rotations(pl_context *ctx, const pl__embed_nodes *nodes, int32_t carrier_count, const double *rest,
                         const double *at_node, double *rotation)
{
    pl__parallel_for(ctx, carrier_count, ROTATE_CHUNK, rotate_range, &(rotate_job){nodes, rest, at_node, rotation});
}

typedef struct
{
    const pl__embed *embed;
    const double *rotation, *at_rest;
    double *turned;
} turn_job;

static void turn_range(void *argument, int32_t begin, int32_t end)
{
    const turn_job *job = argument;
    for (int32_t i = begin; i < end; ++i)
    {
        const double *R = &job->rotation[9 * (size_t)job->embed->tet[i]], *n = &job->at_rest[3 * (size_t)i];
        const double x = n[0], y = n[1], z = n[2];
        for (int d = 0; d < 3; ++d)
            job->turned[3 * (size_t)i + (size_t)d] = R[d] * x + R[3 + d] * y + R[6 + d] * z;
    }
}

void pl__embed_turn(const pl__embed *embed, const double *rotation, const double *at_rest, double *turned)
{
    pl__parallel_for(embed->ctx, embed->vertex_count, TURN_CHUNK, turn_range,
                     &(turn_job){embed, rotation, at_rest, turned});
}

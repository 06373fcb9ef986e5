// src/embed/embed.c -- a detailed surface carried by a coarse mesh.
//
// A vertex at rest position X is attached to the tetrahedron that holds it, by element and barycentric coordinates:
//
//     (w1, w2, w3) = Dm^-1 (X - X0),   Dm = [X1-X0, X2-X0, X3-X0],   w0 = 1 - w1 - w2 - w3,
//
// and goes where the element's linear motion takes it:
//
//     x = x0 + w1 (x1-x0) + w2 (x2-x0) + w3 (x3-x0) = sum wi xi.
//
// The weights add up to one, so affine motions are reproduced to rounding in any mixture of tetrahedra; the motion is
// continuous across faces because neighbours agree there. One step of iterative refinement, w += Dm^-1 (X - X0 - Dm
// w), keeps the rest shape to the last digits in slivers too.
//
// A vertex outside all tetrahedra is attached to the nearest one (embed/locate.c) and its weights extrapolate: some
// are negative. That is still affine, but far outside it amplifies every deformation of the element, the more so the
// thinner it is; hence the count and the distance. PL_STUFFING_COVERING makes meshes that leave no vertex outside.
//
// Hexahedra are divided into six tetrahedra each (carrier.c).
//
// Vertices refer to elements, not to nodes: when fracture gives elements new nodes, vertices stay with their elements.
#include "embed.h"
#include "base/task.h"
#include "locate.h"
#include "math/mat3.h"

#include <string.h>

enum
{
    FIND_CHUNK = 64,
    CARRY_CHUNK = 1024
};

// ---- attaching ---------------------------------------------------------------------------------------------

typedef struct
{
    const pl__tet_tree *tree;
    const double *position; // of the vertices
    pl__embed *embed;
    double *distance; // [vertex_count] from the mesh
} attach_job;

static pl_vec3 vector_at(const double *x) { return pl_make3(x[0], x[1], x[2]); }

static void find_weights(const pl_mesh *mesh, int32_t tet, const double *point, double weight[3])
{
    const int32_t *node = &mesh->element[4 * (size_t)tet];
    pl_vec3 X0 = vector_at(&mesh->position[3 * (size_t)node[0]]), X = pl_sub3(vector_at(point), X0);
    pl_mat3 Dm;
    for (int j = 0; j < 3; ++j)
        pl_set_column3(&Dm, j, pl_sub3(vector_at(&mesh->position[3 * (size_t)node[j + 1]]), X0));
    pl_mat3 inverse = pl_inverse3(&Dm);
    pl_vec3 w = pl_mul3(&inverse, X);
    w = pl_add3(w, pl_mul3(&inverse, pl_sub3(X, pl_mul3(&Dm, w))));
    memcpy(weight, w.v, sizeof w.v);
}

static void attach_range(void *argument, int32_t begin, int32_t end)
{
    const attach_job *job = argument;
    for (int32_t i = begin; i < end; ++i)
    {
        const double *point = &job->position[3 * (size_t)i];
        int32_t tet = pl__tet_tree_find(job->tree, point, &job->distance[i]);
        job->embed->tet[i] = tet;
        find_weights(&job->tree->carriers, tet, point, &job->embed->weight[3 * (size_t)i]);
    }
}

static pl_status attach(pl__embed *embed, const pl_mesh *mesh, const pl_surface *surface)
{
    pl__tet_tree tree;
    PL_TRY(pl__tet_tree_create(embed->ctx, mesh, &tree));
    double *distance = PL_NEW(embed->ctx, embed->vertex_count, double);
    if (distance)
        pl__parallel_for(embed->ctx, embed->vertex_count, FIND_CHUNK, attach_range,
                         &(attach_job){&tree, surface->position, embed, distance});
    for (int32_t i = 0; distance && i < embed->vertex_count; ++i)
        if (distance[i] > 0)
        {
            embed->outside_count++;
            embed->farthest = fmax(embed->farthest, distance[i] / tree.size);
        }
    bool ok = distance != NULL;
    PL_DELETE(embed->ctx, distance, embed->vertex_count);
    pl__tet_tree_done(&tree);
    return ok ? PL_OK : PL_ERR_MEMORY;
}

pl_status pl__embed_create(pl_context *ctx, const pl_mesh *mesh, const pl_surface *surface, pl__embed **out)
{
    *out = NULL;
    pl__embed *embed = PL_NEW(ctx, 1, pl__embed);
    if (!embed)
        return PL_ERR_MEMORY;
    embed->ctx = ctx;
    embed->vertex_count = surface->node_count;
    embed->triangle_count = surface->triangle_count;
    embed->triangle = PL_NEW(ctx, 3 * (size_t)embed->triangle_count, int32_t);
    embed->tet = PL_NEW(ctx, embed->vertex_count, int32_t);
    embed->weight = PL_NEW(ctx, 3 * (size_t)embed->vertex_count, double);
    pl_status status = PL_ERR_MEMORY;
    if (embed->triangle && embed->tet && embed->weight)
    {
        memcpy(embed->triangle, surface->triangle, 3 * sizeof(int32_t) * (size_t)embed->triangle_count);
        status = attach(embed, mesh, surface);
    }
    if (status != PL_OK)
        pl__embed_destroy(&embed);
    *out = embed;
    return status;
}

void pl__embed_destroy(pl__embed **out)
{
    pl__embed *embed = *out;
    if (!embed)
        return;
    pl_context *ctx = embed->ctx;
    PL_DELETE(ctx, embed->triangle, 3 * (size_t)embed->triangle_count);
    PL_DELETE(ctx, embed->tet, embed->vertex_count);
    PL_DELETE(ctx, embed->weight, 3 * (size_t)embed->vertex_count);
    PL_DELETE(ctx, embed, 1);
    *out = NULL;
}

// ---- carrying ----------------------------------------------------------------------------------------------

typedef struct
{
    const pl__embed *embed;
    const pl__embed_nodes *nodes;
    const double *in;
    double *out;
} carry_job;

static void find_places(const carry_job *job, int32_t vertex, size_t place[4])
{
    const int32_t *node = &job->nodes->tet[4 * (size_t)job->embed->tet[vertex]];
    for (int c = 0; c < 4; ++c)
        place[c] = (size_t)(job->nodes->place ? job->nodes->place[node[c]] : node[c]);
}

static void carry_vectors(void *argument, int32_t begin, int32_t end)
{
    const carry_job *job = argument;
    for (int32_t i = begin; i < end; ++i)
    {
        size_t place[4];
        find_places(job, i, place);
        const double *w = &job->embed->weight[3 * (size_t)i];
        const double *x0 = &job->in[3 * place[0]], *x1 = &job->in[3 * place[1]];
        const double *x2 = &job->in[3 * place[2]], *x3 = &job->in[3 * place[3]];
        double *out = &job->out[3 * (size_t)i];
        for (int d = 0; d < 3; ++d)
            out[d] = x0[d] + (w[0] * (x1[d] - x0[d]) + w[1] * (x2[d] - x0[d]) + w[2] * (x3[d] - x0[d]));
    }
}

static void carry_scalars(void *argument, int32_t begin, int32_t end)
{
    const carry_job *job = argument;
    for (int32_t i = begin; i < end; ++i)
    {
        size_t place[4];
        find_places(job, i, place);
        const double *w = &job->embed->weight[3 * (size_t)i];
        double y0 = job->in[place[0]], value = y0, least = y0, most = y0;
        for (int c = 0; c < 3; ++c)
        {
            double y = job->in[place[c + 1]];
            value += w[c] * (y - y0);
            least = y < least ? y : least;
            most = y > most ? y : most;
        }
        // NaN passes through
        job->out[i] = value < least ? least : value > most ? most : value;
    }
}

void pl__embed_vectors(const pl__embed *embed, const pl__embed_nodes *nodes, const double *at_node, double *at_vertex)
{
    pl__parallel_for(embed->ctx, embed->vertex_count, CARRY_CHUNK, carry_vectors,
                     &(carry_job){embed, nodes, at_node, at_vertex});
}

void pl__embed_scalars(const pl__embed *embed, const pl__embed_nodes *nodes, const double *at_node, double *at_vertex)
{
    pl__parallel_for(embed->ctx, embed->vertex_count, CARRY_CHUNK, carry_scalars,
                     &(carry_job){embed, nodes, at_node, at_vertex});
}

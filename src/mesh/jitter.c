// src/mesh/jitter.c -- random displacement of mesh nodes.
//
// Regular meshes hide errors that depend on direction. Nodes are visited in order, each with the current positions of
// the elements around it, so that successive moves of its corners cannot invert an element.
#include "jitter.h"
#include "base/random.h"
#include "geometry.h"
#include "topology.h"

#include <math.h>
#include <string.h>

// A vector in the unit ball, from three times 21 bits of one random number.
static void random_move(const pl__jitter *j, int32_t node, double move[3])
{
    uint64_t bits = pl__random64(j->seed, 0, (uint64_t)node);
    double square = 0;
    for (int i = 0; i < 3; ++i)
    {
        move[i] = i == j->flat ? 0 : (double)(bits >> (21 * i) & 0x1fffff) * 0x1p-20 - 1;
        square += move[i] * move[i];
    }
    for (int i = 0; i < 3 && square > 1; ++i)
        move[i] /= sqrt(square);
}

// Move one node as far as its elements keep a fifth of their size: the full displacement, or repeated halves of it.
static void jitter_node(pl_mesh *mesh, const pl__jitter *j, const pl__lists *corners, const double *room, int32_t node)
{
    enum
    {
        MAX_HALVINGS = 12
    };
    double move[3], home[3], *x = &mesh->position[3 * (size_t)node], reach = j->reach;
    random_move(j, node, move);
    memcpy(home, x, sizeof home);
    for (int attempt = 0; attempt <= MAX_HALVINGS; ++attempt, reach *= 0.5)
    {
        bool ok = true;
        for (int i = 0; i < 3; ++i)
            x[i] = home[i] + reach * move[i];
        for (int32_t k = corners->start[node]; ok && k < corners->start[node + 1]; ++k)
        {
            int32_t element = corners->item[k] / pl__mesh_corners(mesh);
            ok = pl__element_room(mesh, element, j->edge) >= 0.2 * room[element];
        }
        if (ok)
            return;
    }
    memcpy(x, home, sizeof home);
}

pl_status pl__mesh_jitter(pl_mesh *mesh, const pl__jitter *j)
{
    pl__lists corners;
    PL_TRY(pl__node_corners(mesh->ctx, pl__mesh_corners(mesh), mesh->element, mesh->element_count, mesh->node_count,
                            &corners));
    double *room = PL_NEW(mesh->ctx, mesh->element_count, double);
    for (int32_t e = 0; room && e < mesh->element_count; ++e)
        room[e] = pl__element_room(mesh, e, j->edge);
    for (int32_t node = 0; room && node < mesh->node_count; ++node)
        if (j->movable[node])
            jitter_node(mesh, j, &corners, room, node);
    pl_status status = room ? PL_OK : PL_ERR_MEMORY;
    PL_DELETE(mesh->ctx, room, mesh->element_count);
    pl__lists_done(mesh->ctx, &corners);
    return status;
}

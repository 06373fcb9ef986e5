// src/mesh/peel.c -- removes tetrahedra of a cover that contain nothing of the solid, as long as the boundary stays a
// manifold.
//
// A tetrahedron outside the solid is removed if, with k of its faces on the boundary,
//
//     k = 1 and the corner opposite that face is in the interior,
//     k = 2 and the edge opposite to the one that those faces share is in the interior,
//     k = 3: its fourth face replaces them.
//
// Each is an elementary collapse of the complex: the mesh stays connected, without new handles, and its boundary a
// manifold. As the boundary recedes others become removable; tetrahedra are visited in order, in repeated rounds.
#include "point.h"
#include "stuffing.h"
#include "topology.h"

#include <string.h>

enum
{
    UNKNOWN,
    NEEDED,
    IDLE,
    GONE // state of a tetrahedron; IDLE: contains nothing of the solid
};

typedef struct
{
    const pl__stuffing *s;
    const pl_mesh *mesh;
    int32_t *twin;     // [4 element_count]  the face behind each, negative on the boundary
    int32_t *exposed;  // [node_count]  number of boundary faces
    uint8_t *state;    // [element_count]
    pl__lists corners; // of each node
    int32_t left;      // remaining tetrahedra
} peeling;

static const int32_t *nodes_of(const peeling *p, int32_t t) { return &p->mesh->element[4 * (size_t)t]; }

static void expose(peeling *p, int32_t face, int32_t by)
{
    for (int c = 0; c < 4; ++c)
        if (c != face % 4)
            p->exposed[nodes_of(p, face / 4)[c]] += by;
}

static bool is_idle(peeling *p, int32_t t)
{
    if (p->state[t] != UNKNOWN)
        return p->state[t] == IDLE;
    double x[4][3], middle[3] = {0};
    for (int k = 0; k < 12; ++k)
    {
        x[k / 3][k % 3] = p->mesh->position[3 * (size_t)nodes_of(p, t)[k / 3] + (size_t)(k % 3)];
        middle[k % 3] += 0.25 * x[k / 3][k % 3];
    }
    bool idle = !pl__stuffing_meets(p->s, (const double(*)[3])x) && !pl__solid_inside(p->s->solid, middle);
    p->state[t] = idle ? IDLE : NEEDED;
    return idle;
}

// Whether the edge between two nodes belongs to a boundary face.
static bool edge_exposed(const peeling *p, int32_t a, int32_t b)
{
    for (int32_t i = p->corners.start[a]; i < p->corners.start[a + 1]; ++i)
    {
        int32_t t = p->corners.item[i] / 4, at = -1;
        for (int c = 0; c < 4; ++c)
            at = nodes_of(p, t)[c] == b ? c : at;
        for (int c = 0; p->state[t] != GONE && at >= 0 && c < 4; ++c)
            if (c != at && c != p->corners.item[i] % 4 && p->twin[4 * t + c] < 0)
                return true;
    }
    return false;
}

// Face c lies opposite corner c.
static bool may_go(const peeling *p, int32_t t)
{
    int32_t open[4], count = 0;
    for (int c = 0; c < 4; ++c)
        if (p->twin[4 * t + c] < 0)
            open[count++] = nodes_of(p, t)[c];
    if (count == 1)
        return p->exposed[open[0]] == 0;
    return count == 3 || (count == 2 && !edge_exposed(p, open[0], open[1]));
}

static void take_off(peeling *p, int32_t t)
{
    for (int32_t face = 4 * t; face < 4 * t + 4; ++face)
        if (p->twin[face] < 0)
            expose(p, face, -1);
        else
        {
            p->twin[p->twin[face]] = PL__FACE_ALONE;
            expose(p, face, 1);
        }
    p->state[t] = GONE;
    p->left--;
}

static int32_t peel_once(peeling *p)
{
    int32_t before = p->left;
    for (int32_t t = 0; t < p->mesh->element_count; ++t)
        if (p->state[t] != GONE && may_go(p, t) && is_idle(p, t))
            take_off(p, t);
    return before - p->left;
}

static pl_status prepare(peeling *p)
{
    const pl_mesh *m = p->mesh;
    pl_context *ctx = p->s->ctx;
    pl__crowd crowd;
    p->left = m->element_count;
    p->twin = PL_NEW(ctx, 4 * (int64_t)m->element_count, int32_t);
    p->exposed = PL_NEW(ctx, m->node_count, int32_t);
    p->state = PL_NEW(ctx, m->element_count, uint8_t);
    if (!p->twin || !p->exposed || !p->state)
        return PL_ERR_MEMORY;
    PL_TRY(pl__node_corners(ctx, 4, m->element, m->element_count, m->node_count, &p->corners));
    PL_TRY(pl__face_twins(ctx, PL_ELEMENT_TET, m->element, m->element_count, m->node_count, p->twin, &crowd));
    for (int32_t face = 0; face < 4 * m->element_count; ++face)
        if (p->twin[face] < 0)
            expose(p, face, 1);
    return PL_OK;
}

// ---- the remaining mesh ------------------------------------------------------------------------------------------

// Remaining nodes keep their order; their new numbers go into `exposed`.
static int32_t number_nodes(peeling *p)
{
    int32_t count = 0;
    memset(p->exposed, 0, (size_t)p->mesh->node_count * sizeof *p->exposed);
    for (int32_t k = 0; k < 4 * p->mesh->element_count; ++k)
        if (p->state[k / 4] != GONE)
            p->exposed[p->mesh->element[k]] = 1;
    for (int32_t n = 0; n < p->mesh->node_count; ++n)
        p->exposed[n] = p->exposed[n] ? count++ : -1;
    return count;
}

static pl_status make_rest(peeling *p, pl_mesh **rest)
{
    *rest = pl__mesh_new(p->s->ctx, PL_ELEMENT_TET, number_nodes(p), p->left);
    if (!*rest)
        return PL_ERR_MEMORY;
    for (int32_t n = 0; n < p->mesh->node_count; ++n)
        if (p->exposed[n] >= 0)
            memcpy(&(*rest)->position[3 * (size_t)p->exposed[n]], &p->mesh->position[3 * (size_t)n],
                   3 * sizeof(double));
    int32_t *out = (*rest)->element;
    for (int32_t k = 0; k < 4 * p->mesh->element_count; ++k)
        if (p->state[k / 4] != GONE)
            *out++ = p->exposed[p->mesh->element[k]];
    return pl__mesh_finish(rest, p->s->where);
}

pl_status pl__stuffing_peel(const pl__stuffing *stuffing, pl_mesh **mesh, int32_t *taken)
{
    peeling p = {.s = stuffing, .mesh = *mesh};
    int32_t count = (*mesh)->element_count, nodes = (*mesh)->node_count;
    pl_mesh *rest = NULL;
    pl_status status = prepare(&p);
    while (status == PL_OK && peel_once(&p) > 0)
        continue;
    *taken = count - p.left;
    if (status == PL_OK && *taken > 0)
        status = make_rest(&p, &rest);
    if (rest)
    {
        pl_mesh_destroy(mesh);
        *mesh = rest;
    }
    pl__lists_done(stuffing->ctx, &p.corners);
    PL_DELETE(stuffing->ctx, p.twin, 4 * (int64_t)count);
    PL_DELETE(stuffing->ctx, p.exposed, nodes);
    PL_DELETE(stuffing->ctx, p.state, count);
    return status;
}

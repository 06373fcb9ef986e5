// src/mesh/orient.c -- consistent orientation of triangle meshes.
//
// Bending is measured by the angle between the normals of neighbours, which requires a consistent orientation. From
// the lowest triangle of each connected component a breadth-first search across edges determines the orientation of
// the others relative to it. A contradiction means that the component is not orientable. Non-manifold edges, of three
// or more triangles, are not crossed: orientation across them is undefined.
#include "orient.h"
#include "topology.h"

enum
{
    UNSEEN,
    ALIKE,
    TURNED // opposite to the first of the component
};

typedef struct walk
{
    const pl_mesh *mesh;
    const int32_t *twin;
    int8_t *sense;  // [element_count]
    int32_t *queue; // [element_count] triangles in the order of their visit
} walk;

static void edge_nodes(const pl_mesh *m, int32_t edge, int32_t nodes[2])
{
    const int8_t *corner = pl__element_forms[PL_ELEMENT_TRIANGLE].face[edge % 3];
    nodes[0] = m->element[edge / 3 * 3 + corner[0]];
    nodes[1] = m->element[edge / 3 * 3 + corner[1]];
}

// Both have their common edge in the same direction, so their orientations differ.
static bool disagree(const pl_mesh *m, int32_t edge, int32_t twin)
{
    int32_t a[2], b[2];
    edge_nodes(m, edge, a);
    edge_nodes(m, twin, b);
    return a[0] == b[0];
}

static pl_status visit_neighbours(const walk *w, const char *where, int32_t triangle, int32_t *end)
{
    for (int32_t edge = 3 * triangle; edge < 3 * triangle + 3; ++edge)
    {
        int32_t twin = w->twin[edge], other = twin / 3, nodes[2];
        if (twin < 0)
            continue;
        int8_t sense =
            (int8_t)(disagree(w->mesh, edge, twin) ? ALIKE + TURNED - w->sense[triangle] : w->sense[triangle]);
        edge_nodes(w->mesh, edge, nodes);
        PL_CHECK(w->mesh->ctx, w->sense[other] == UNSEEN || w->sense[other] == sense,
                 "%s: the triangles cannot all face the same way (a Moebius strip has one side only): triangles %d and "
                 "%d disagree across "
                 "the edge of nodes %d and %d, whichever way they are turned; cut the mesh there",
                 where, triangle, other, nodes[0], nodes[1]);
        if (w->sense[other] == UNSEEN)
            w->queue[(*end)++] = other;
        w->sense[other] = sense;
    }
    return PL_OK;
}

// The component of the lowest unvisited triangle: the smaller of the two orientation classes is reversed.
static pl_status orient_part(const walk *w, const char *where, int32_t seed, int32_t *turned)
{
    int32_t end = 1, count = 0;
    w->queue[0] = seed;
    w->sense[seed] = ALIKE;
    for (int32_t k = 0; k < end; ++k)
        PL_TRY(visit_neighbours(w, where, w->queue[k], &end));
    for (int32_t k = 0; k < end; ++k)
        count += w->sense[w->queue[k]] == TURNED;
    bool exchange = 2 * (int64_t)count > end;
    for (int32_t k = 0; exchange && k < end; ++k)
        w->sense[w->queue[k]] = (int8_t)(ALIKE + TURNED - w->sense[w->queue[k]]);
    *turned += exchange ? end - count : count;
    return PL_OK;
}

static pl_status orient_parts(const walk *w, const char *where, int32_t *turned)
{
    for (int32_t t = 0; t < w->mesh->element_count; ++t)
        if (w->sense[t] == UNSEEN)
            PL_TRY(orient_part(w, where, t, turned));
    return PL_OK;
}

static void turn_marked(pl_mesh *m, const int8_t *sense, int32_t *first)
{
    for (int32_t t = m->element_count - 1; t >= 0; --t)
    {
        if (sense[t] != TURNED)
            continue;
        int32_t *n = pl__mesh_element(m, t), swap = n[1];
        n[1] = n[2];
        n[2] = swap;
        *first = t;
    }
}

pl_status pl__mesh_orient(pl_mesh *m, const char *where, const int32_t *twin)
{
    walk w = {m, twin, PL_NEW(m->ctx, m->element_count, int8_t), PL_NEW(m->ctx, m->element_count, int32_t)};
    int32_t turned = 0, first = -1;
    pl_status status = w.sense && w.queue ? orient_parts(&w, where, &turned) : PL_ERR_MEMORY;
    if (status == PL_OK && turned)
    {
        turn_marked(m, w.sense, &first);
        pl__log(m->ctx, PL_LOG_NOTE,
                "%s: %d of %d triangles faced another way than their neighbours and were turned: first is %d", where,
                turned, m->element_count, first);
    }
    PL_DELETE(m->ctx, w.sense, m->element_count);
    PL_DELETE(m->ctx, w.queue, m->element_count);
    return status;
}

bool pl__mesh_is_oriented(const pl_mesh *m, const int32_t *twin)
{
    for (int32_t edge = 0; edge < 3 * m->element_count; ++edge)
        if (twin[edge] >= 0 && disagree(m, edge, twin[edge]))
            return false;
    return true;
}

// src/mesh/split.c -- fracture of a mesh by splitting nodes.
//
// Everything happens in rings, the elements around one node. A ring is a graph: elements are connected by the unbroken
// faces around the node, except those that a plane or a cut passes through. Its connected components, found by
// union-find over the ring, get a node each: the component with the lowest corner keeps the old one. After that,
// neighbouring rings may be connected by the node alone (the faces that opened were theirs, too), so they are checked
// in turn until none falls apart any more.
//
// An open face keeps its two other nodes as long as their rings are connected: one split node inside a body makes a
// lens-shaped hole, and a crack grows node by node. Rings are found through the corners of the intact mesh, which
// never change, so that only the table of corners has to be updated.
//
// Mueller & Gross 2004, section 4, split one node by a plane and do no more; then pieces stay connected by edges and
// points, which no force opens. What remains here: elements around an edge may be connected through the rings of its
// ends only.
#include "split.h"

#include <math.h>
#include <string.h>

typedef struct pl__split_change
{
    int32_t corner, node; // previous value
    int32_t node_count;   // and previous number of nodes
} change;

static const pl__element_form *form_of(const pl__split *s) { return &pl__element_forms[s->kind]; }

static size_t corner_count(const pl__split *s) { return (size_t)form_of(s)->corners * (size_t)s->element_count; }

static size_t face_count(const pl__split *s) { return (size_t)form_of(s)->faces * (size_t)s->element_count; }

// ---- lifetime --------------------------------------------------------------------------------------------------

static bool allocate(pl__split *s)
{
    s->source = PL_NEW(s->ctx, corner_count(s), int32_t);
    s->corner = PL_NEW(s->ctx, corner_count(s), int32_t);
    s->settled = PL_NEW(s->ctx, corner_count(s), int32_t);
    s->twin = PL_NEW(s->ctx, face_count(s), int32_t);
    s->firm = PL_NEW(s->ctx, s->element_count, uint8_t);
    s->place = PL_NEW(s->ctx, s->element_count, int32_t);
    s->mark = PL_NEW(s->ctx, s->element_count, int32_t);
    return s->source && s->corner && s->settled && s->twin && s->firm && s->place && s->mark;
}

static pl_status find_neighbours(pl__split *s)
{
    const pl__element_form *form = form_of(s);
    pl__crowd crowd;
    PL_TRY(pl__face_twins(s->ctx, s->kind, s->source, s->element_count, s->source_count, s->twin, &crowd));
    PL_CHECK(s->ctx, crowd.count == 0, "%s %d, %d and %d share a %s; what is to break may have two to a %s", form->many,
             crowd.element[0], crowd.element[1], crowd.element[2], form->face_name, form->face_name);
    PL_TRY(pl__node_corners(s->ctx, form->corners, s->source, s->element_count, s->source_count, &s->around));
    for (int32_t n = 0; n < s->source_count; ++n)
    {
        int32_t count = s->around.start[n + 1] - s->around.start[n];
        s->most_around = count > s->most_around ? count : s->most_around;
    }
    s->ring = PL_NEW(s->ctx, s->most_around, int32_t);
    s->parent = PL_NEW(s->ctx, s->most_around, int32_t);
    s->side = PL_NEW(s->ctx, s->most_around, int8_t);
    return s->ring && s->parent && s->side ? PL_OK : PL_ERR_MEMORY;
}

pl_status pl__split_create(const pl_mesh *mesh, pl__split **out)
{
    *out = NULL;
    pl__split *s = PL_NEW(mesh->ctx, 1, pl__split);
    if (!s)
        return PL_ERR_MEMORY;
    *s = (pl__split){.ctx = mesh->ctx,
                     .kind = mesh->kind,
                     .element_count = mesh->element_count,
                     .source_count = mesh->node_count,
                     .node_count = mesh->node_count,
                     .settled_count = mesh->node_count};
    pl_status status = PL_ERR_MEMORY;
    if (allocate(s))
    {
        memcpy(s->source, mesh->element, corner_count(s) * sizeof *s->source);
        memcpy(s->corner, mesh->element, corner_count(s) * sizeof *s->corner);
        memcpy(s->settled, mesh->element, corner_count(s) * sizeof *s->settled);
        memset(s->place, 0xff, (size_t)s->element_count * sizeof *s->place);
        status = find_neighbours(s);
    }
    if (status != PL_OK)
        pl__split_destroy(&s);
    *out = s;
    return status;
}

void pl__split_destroy(pl__split **out)
{
    pl__split *s = *out;
    if (!s)
        return;
    pl_context *ctx = s->ctx;
    PL_DELETE(ctx, s->source, corner_count(s));
    PL_DELETE(ctx, s->corner, corner_count(s));
    PL_DELETE(ctx, s->settled, corner_count(s));
    PL_DELETE(ctx, s->twin, face_count(s));
    pl__lists_done(ctx, &s->around);
    PL_DELETE(ctx, s->copy_of, s->copy_capacity);
    PL_DELETE(ctx, s->firm, s->element_count);
    PL_DELETE(ctx, s->change, s->change_capacity);
    PL_DELETE(ctx, s->place, s->element_count);
    PL_DELETE(ctx, s->mark, s->element_count);
    PL_DELETE(ctx, s->ring, s->most_around);
    PL_DELETE(ctx, s->parent, s->most_around);
    PL_DELETE(ctx, s->side, s->most_around);
    PL_DELETE(ctx, s->queue, s->queue_capacity);
    PL_DELETE(ctx, s, 1);
    *out = NULL;
}

// ---- questions -------------------------------------------------------------------------------------------------

int32_t pl__split_origin(const pl__split *s, int32_t node)
{
    return node < s->source_count ? node : s->copy_of[node - s->source_count];
}

static const int32_t *nodes_of(const pl__split *s, int32_t element)
{
    return &s->corner[(size_t)form_of(s)->corners * (size_t)element];
}

static bool face_has(const pl__split *s, int32_t face, int32_t node)
{
    const pl__element_form *form = form_of(s);
    const int32_t *n = nodes_of(s, face / form->faces);
    for (int32_t c = 0; c < form->face_corners; ++c)
        if (n[form->face[face % form->faces][c]] == node)
            return true;
    return false;
}

bool pl__split_is_joined(const pl__split *s, int32_t face)
{
    const pl__element_form *form = form_of(s);
    const int32_t *n = nodes_of(s, face / form->faces);
    if (s->twin[face] < 0)
        return false;
    for (int32_t c = 0; c < form->face_corners; ++c)
        if (!face_has(s, s->twin[face], n[form->face[face % form->faces][c]]))
            return false;
    return true;
}

bool pl__split_is_tip(const pl__split *s, int32_t node)
{
    const pl__element_form *form = form_of(s);
    int32_t origin = pl__split_origin(s, node);
    for (int32_t k = s->around.start[origin]; k < s->around.start[origin + 1]; ++k)
    {
        int32_t corner = s->around.item[k], first = corner / form->corners * form->faces;
        if (s->corner[corner] != node)
            continue;
        for (int32_t face = first; face < first + form->faces; ++face)
            if (s->twin[face] >= 0 && face_has(s, face, node) && face_has(s, s->twin[face], node) &&
                !pl__split_is_joined(s, face))
                return true;
    }
    return false;
}

// ---- rings -----------------------------------------------------------------------------------------------------

static int32_t root_of(int32_t *parent, int32_t i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

// The lower root stays a root, so that components are numbered by their lowest corners.
static void unite(int32_t *parent, int32_t a, int32_t b)
{
    a = root_of(parent, a);
    b = root_of(parent, b);
    parent[a > b ? a : b] = a > b ? b : a;
}

static int32_t open_ring(pl__split *s, int32_t node)
{
    int32_t origin = pl__split_origin(s, node), count = 0;
    for (int32_t k = s->around.start[origin]; k < s->around.start[origin + 1]; ++k)
        if (s->corner[s->around.item[k]] == node)
        {
            s->place[s->around.item[k] / form_of(s)->corners] = count;
            s->parent[count] = count;
            s->side[count] = 0;
            s->ring[count++] = s->around.item[k];
        }
    return count;
}

static void close_ring(pl__split *s, int32_t count)
{
    for (int32_t i = 0; i < count; ++i)
        s->place[s->ring[i] / form_of(s)->corners] = -1;
}

// Whether a face connects the elements on its two sides, i and j in the ring.
static bool holds(const pl__split *s, int32_t face, int32_t i, int32_t j)
{
    const pl__element_form *form = form_of(s);
    bool firm = s->firm[face / form->faces] && s->firm[s->twin[face] / form->faces];
    return (firm || (s->side[i] == s->side[j] && !(s->cut && s->cut[face]))) && pl__split_is_joined(s, face);
}

static void join_ring(pl__split *s, int32_t node, int32_t count)
{
    const pl__element_form *form = form_of(s);
    for (int32_t i = 0; i < count; ++i)
    {
        int32_t first = s->ring[i] / form->corners * form->faces;
        for (int32_t face = first; face < first + form->faces; ++face)
        {
            int32_t j = s->twin[face] < 0 ? -1 : s->place[s->twin[face] / form->faces];
            if (j > i && face_has(s, face, node) && holds(s, face, i, j))
                unite(s->parent, i, j);
        }
    }
}

static bool push(pl__split *s, int32_t item)
{
    if (!PL_GROW(s->ctx, s->queue, &s->queue_capacity, s->queue_count + 1))
        return false;
    s->queue[s->queue_count++] = item;
    return true;
}

// Queue all nodes of the elements of the ring.
static bool push_neighbours(pl__split *s, int32_t count)
{
    for (int32_t i = 0; i < count; ++i)
        for (int32_t c = 0; c < form_of(s)->corners; ++c)
            if (!push(s, nodes_of(s, s->ring[i] / form_of(s)->corners)[c]))
                return false;
    return true;
}

static bool add_copy(pl__split *s, int32_t origin, int32_t *node)
{
    size_t copies = (size_t)(s->node_count - s->source_count);
    if (!PL_GROW(s->ctx, s->copy_of, &s->copy_capacity, copies + 1))
        return false;
    s->copy_of[copies] = origin;
    *node = s->node_count++;
    return true;
}

// Assign a node to every component but the first. Roots serve as labels: `side` is free by now, but too narrow.
static bool hand_out(pl__split *s, int32_t node, int32_t count)
{
    int32_t origin = pl__split_origin(s, node);
    for (int32_t root = 1; root < count; ++root)
    {
        if (root_of(s->parent, root) != root)
            continue;
        int32_t before = s->node_count, copy;
        if (!add_copy(s, origin, &copy))
            return false;
        for (int32_t i = root; i < count; ++i)
        {
            if (root_of(s->parent, i) != root)
                continue;
            if (!PL_GROW(s->ctx, s->change, &s->change_capacity, s->change_count + 1))
                return false;
            s->change[s->change_count++] = (change){s->ring[i], node, before};
            s->corner[s->ring[i]] = copy;
        }
    }
    return true;
}

// Split the components of the loaded ring. False when out of memory.
static bool part_ring(pl__split *s, int32_t node, int32_t count)
{
    size_t before = s->change_count;
    join_ring(s, node, count);
    bool ok = hand_out(s, node, count) && (s->change_count == before || push_neighbours(s, count));
    close_ring(s, count);
    return ok;
}

// Process all queued rings, and those next to split ones.
static bool settle(pl__split *s)
{
    while (s->queue_count > 0)
    {
        int32_t node = s->queue[--s->queue_count];
        if (!part_ring(s, node, open_ring(s, node)))
            return false;
    }
    return true;
}

void pl__split_undo(pl__split *s, size_t mark)
{
    while (s->change_count > mark)
    {
        change c = s->change[--s->change_count];
        s->corner[c.corner] = c.node;
        s->node_count = c.node_count;
    }
    s->queue_count = 0;
}

// Commit or undo a change: `node_count` may have grown without a recorded change when out of memory.
static pl_status conclude(pl__split *s, bool ok, size_t mark, int32_t node_count, bool *torn)
{
    if (!ok)
    {
        pl__split_undo(s, mark);
        s->node_count = node_count;
    }
    *torn = s->change_count > mark;
    return ok ? PL_OK : PL_ERR_MEMORY;
}

// ---- planes and cuts -------------------------------------------------------------------------------------------

static void middle_of(const pl__split *s, int32_t element, const double *x, double out[3])
{
    int32_t corners = form_of(s)->corners;
    const int32_t *n = &s->settled[(size_t)corners * (size_t)element];
    for (size_t k = 0; k < 3; ++k)
    {
        out[k] = 0;
        for (int32_t c = 0; c < corners; ++c)
            out[k] += x[3 * (size_t)n[c] + k] / corners;
    }
}

pl_status pl__split_node(pl__split *s, int32_t node, const double normal[3], const double *x, bool *torn)
{
    size_t mark = pl__split_mark(s);
    int32_t nodes = s->node_count, count = open_ring(s, node);
    for (int32_t i = 0; i < count; ++i)
    {
        double m[3];
        const double *o = &x[3 * (size_t)s->settled[s->ring[i]]];
        middle_of(s, s->ring[i] / form_of(s)->corners, x, m);
        s->side[i] = normal[0] * (m[0] - o[0]) + normal[1] * (m[1] - o[1]) + normal[2] * (m[2] - o[2]) > 0;
    }
    return conclude(s, part_ring(s, node, count) && settle(s), mark, nodes, torn);
}

// Six times the signed volume of a tetrahedron.
static double volume6(const double a[3], const double b[3], const double c[3], const double d[3])
{
    double u[3], v[3], w[3];
    for (int k = 0; k < 3; ++k)
    {
        u[k] = b[k] - a[k];
        v[k] = c[k] - a[k];
        w[k] = d[k] - a[k];
    }
    return u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) + u[2] * (v[0] * w[1] - v[1] * w[0]);
}

// Whether the segment p q intersects a triangle.
static bool passes(const double p[3], const double q[3], const double a[3], const double b[3], const double c[3])
{
    bool sides = (volume6(a, b, c, p) > 0) != (volume6(a, b, c, q) > 0);
    bool ab = volume6(p, q, a, b) > 0, bc = volume6(p, q, b, c) > 0, ca = volume6(p, q, c, a) > 0;
    return sides && ab == bc && bc == ca;
}

// Mark the faces between the centroids of two elements that the quadrilateral separates, and queue their nodes.
static bool cut_faces(pl__split *s, const double quad[4][3], const double *x, uint8_t *cut)
{
    const pl__element_form *form = form_of(s);
    for (int32_t face = 0; face < form->faces * s->element_count; ++face)
    {
        double p[3], q[3];
        if (s->twin[face] < face || !pl__split_is_joined(s, face))
            continue;
        middle_of(s, face / form->faces, x, p);
        middle_of(s, s->twin[face] / form->faces, x, q);
        if (!passes(p, q, quad[0], quad[1], quad[2]) && !passes(p, q, quad[0], quad[2], quad[3]))
            continue;
        cut[face] = cut[s->twin[face]] = 1;
        for (int32_t c = 0; c < form->face_corners; ++c)
            if (!push(s, nodes_of(s, face / form->faces)[form->face[face % form->faces][c]]))
                return false;
    }
    return true;
}

pl_status pl__split_cut(pl__split *s, const double quad[4][3], const double *x, bool *torn)
{
    size_t mark = pl__split_mark(s);
    int32_t nodes = s->node_count;
    uint8_t *cut = PL_NEW(s->ctx, face_count(s), uint8_t);
    s->cut = cut;
    bool ok = cut && cut_faces(s, quad, x, cut) && settle(s);
    s->cut = NULL;
    PL_DELETE(s->ctx, cut, face_count(s));
    return conclude(s, ok, mark, nodes, torn);
}

// ---- pieces ----------------------------------------------------------------------------------------------------

// Search from an element across connected faces until `least` elements are found, or one that an earlier search since
// `first` has visited.
static pl_status walk(pl__split *s, int32_t element, int32_t first, int32_t least, bool *large)
{
    const pl__element_form *form = form_of(s);
    int32_t found = 1;
    size_t next = 0;
    s->queue_count = 0;
    s->mark[element] = ++s->walk;
    *large = least <= 1;
    if (!push(s, element))
        return PL_ERR_MEMORY;
    while (!*large && next < s->queue_count)
    {
        int32_t from = s->queue[next++];
        for (int32_t face = form->faces * from; !*large && face < form->faces * (from + 1); ++face)
        {
            int32_t other = s->twin[face] / form->faces;
            if (!pl__split_is_joined(s, face) || s->mark[other] == s->walk)
                continue;
            *large = s->mark[other] > first || ++found >= least;
            s->mark[other] = s->walk;
            if (!push(s, other))
                return PL_ERR_MEMORY;
        }
    }
    s->queue_count = 0;
    return PL_OK;
}

pl_status pl__split_pieces_are_large(pl__split *s, size_t mark, int32_t least, bool *large)
{
    int32_t first = s->walk, corners = form_of(s)->corners;
    *large = true;
    for (size_t i = mark; i < s->change_count; ++i)
    {
        int32_t origin = s->source[s->change[i].corner];
        for (int32_t k = s->around.start[origin]; *large && k < s->around.start[origin + 1]; ++k)
            if (s->mark[s->around.item[k] / corners] <= first)
                PL_TRY(walk(s, s->around.item[k] / corners, first, least, large));
    }
    return PL_OK;
}

pl_status pl__split_count_pieces(const pl__split *s, int32_t *count)
{
    int32_t *part = PL_NEW(s->ctx, s->node_count, int32_t);
    pl_status status =
        part ? pl__connected_parts(s->ctx, form_of(s)->corners, s->corner, s->element_count, s->node_count, part, count)
             : PL_ERR_MEMORY;
    PL_DELETE(s->ctx, part, s->node_count);
    return status;
}

// ---- committed changes -----------------------------------------------------------------------------------------

// New numbers for copies since the last commit, by their lowest corners.
static void number_copies(pl__split *s, int32_t *number)
{
    int32_t next = s->settled_count;
    for (size_t c = 0; c < corner_count(s); ++c)
    {
        if (s->corner[c] < s->settled_count)
            continue;
        int32_t *to = &number[s->corner[c] - s->settled_count];
        if (*to == 0)
            *to = next++;
        s->corner[c] = *to;
        s->copy_of[*to - s->source_count] = s->source[c];
    }
}

pl_status pl__split_number(pl__split *s, int32_t **from)
{
    size_t copies = (size_t)(s->node_count - s->settled_count);
    int32_t *number = PL_NEW(s->ctx, copies, int32_t);
    *from = PL_NEW(s->ctx, s->node_count, int32_t);
    if (!number || !*from)
    {
        PL_DELETE(s->ctx, number, copies);
        PL_DELETE(s->ctx, *from, s->node_count);
        return PL_ERR_MEMORY;
    }
    number_copies(s, number);
    PL_DELETE(s->ctx, number, copies);
    for (int32_t n = 0; n < s->settled_count; ++n)
        (*from)[n] = n;
    for (size_t c = 0; c < corner_count(s); ++c)
        (*from)[s->corner[c]] = s->settled[c];
    return PL_OK;
}

void pl__split_commit(pl__split *s)
{
    memcpy(s->settled, s->corner, corner_count(s) * sizeof *s->settled);
    s->settled_count = s->node_count;
    s->change_count = 0;
}

int32_t pl__split_list(const pl__split *s, int32_t (*list)[2])
{
    int32_t count = 0;
    for (size_t c = 0; c < corner_count(s); ++c)
        if (s->corner[c] != s->source[c])
        {
            if (list)
            {
                list[count][0] = (int32_t)c;
                list[count][1] = s->corner[c];
            }
            ++count;
        }
    return count;
}

// Corners in order; every copy belongs to one mesh node, and none is left out.
static bool list_is_sound(const pl__split *s, const int32_t (*list)[2], int32_t count, int32_t node_count,
                          int32_t *copy_of)
{
    int32_t seen = 0;
    for (int32_t i = 0; i < count; ++i)
    {
        int32_t corner = list[i][0], node = list[i][1];
        bool good = corner >= 0 && (size_t)corner < corner_count(s) && (i == 0 || corner > list[i - 1][0]) &&
                    node >= s->source_count && node < node_count;
        if (!good)
            return false;
        int32_t *origin = &copy_of[node - s->source_count];
        seen += *origin < 0;
        if (*origin >= 0 && *origin != s->source[corner])
            return false;
        *origin = s->source[corner];
    }
    return seen == node_count - s->source_count;
}

pl_status pl__split_restore(pl__split *s, const int32_t (*list)[2], int32_t count, int32_t node_count)
{
    int64_t copies = (int64_t)node_count - s->source_count;
    if (copies < 0 || copies > count)
        return pl__fail(s->ctx, PL_ERR_FORMAT, "%d nodes where the mesh has %d, and %d corners that are not its own",
                        node_count, s->source_count, count);
    int32_t *copy_of = PL_NEW(s->ctx, copies, int32_t);
    if (!copy_of)
        return PL_ERR_MEMORY;
    memset(copy_of, 0xff, (size_t)copies * sizeof *copy_of);
    if (!list_is_sound(s, list, count, node_count, copy_of))
    {
        PL_DELETE(s->ctx, copy_of, copies);
        return pl__fail(s->ctx, PL_ERR_FORMAT,
                        "the corners of torn elements are out of order, or not copies of their nodes");
    }
    PL_DELETE(s->ctx, s->copy_of, s->copy_capacity);
    s->copy_of = copy_of;
    s->copy_capacity = (size_t)copies;
    s->node_count = s->settled_count = node_count;
    s->change_count = 0;
    memcpy(s->corner, s->source, corner_count(s) * sizeof *s->corner);
    for (int32_t i = 0; i < count; ++i)
        s->corner[list[i][0]] = list[i][1];
    memcpy(s->settled, s->corner, corner_count(s) * sizeof *s->settled);
    return PL_OK;
}

static pl_status name_regions(const pl_mesh *source, pl_mesh *mesh)
{
    memcpy(mesh->element_region, source->element_region, (size_t)source->element_count * sizeof *mesh->element_region);
    return pl__mesh_set_regions(mesh, source->region_count, (const char *const *)source->region_name);
}

pl_status pl__split_mesh(const pl__split *s, const pl_mesh *source, pl_mesh **out)
{
    *out = NULL;
    pl_mesh *mesh = pl__mesh_new(s->ctx, s->kind, s->node_count, s->element_count);
    if (mesh && !(mesh->origin = PL_NEW(s->ctx, s->node_count, int32_t)))
        pl_mesh_destroy(&mesh);
    if (!mesh)
        return PL_ERR_MEMORY;
    for (int32_t n = 0; n < s->node_count; ++n)
    {
        mesh->origin[n] = pl__split_origin(s, n);
        memcpy(&mesh->position[3 * (size_t)n], &source->position[3 * (size_t)mesh->origin[n]], 3 * sizeof(double));
    }
    memcpy(mesh->element, s->corner, corner_count(s) * sizeof *mesh->element);
    pl_status status = name_regions(source, mesh);
    if (status != PL_OK)
        pl_mesh_destroy(&mesh);
    else
        status = pl__mesh_finish(&mesh, "broken mesh");
    *out = mesh;
    return status;
}

// ---- validity --------------------------------------------------------------------------------------------------

static bool ring_is_whole(pl__split *s, int32_t node)
{
    int32_t count = open_ring(s, node), roots = 0;
    join_ring(s, node, count);
    for (int32_t i = 0; i < count; ++i)
        roots += root_of(s->parent, i) == i;
    close_ring(s, count);
    return roots <= 1;
}

bool pl__split_is_valid(pl__split *s)
{
    for (size_t c = 0; c < corner_count(s); ++c)
        if (s->corner[c] < 0 || s->corner[c] >= s->node_count || pl__split_origin(s, s->corner[c]) != s->source[c])
            return false;
    for (int32_t n = 0; n < s->node_count; ++n)
        if (!ring_is_whole(s, n))
            return false;
    return true;
}

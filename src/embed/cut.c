// src/embed/cut.c -- cuts a closed embedded surface along separated faces of its carrier mesh, and keeps it closed.
//
// Mueller & Gross 2004, 5.2: where two tetrahedra separate, the surface is cut along their face, and the part of the
// face inside the surface closes the hole, once for each side. They change the surface as the mesh breaks; here the
// surface is a function of the set of separated faces, built from precomputed intersections (cut_cross.c: of surface
// and mesh; cut_cap.c: inside and outside). Nothing depends on the order of fracture, nothing is cut twice, and a
// state is saved with one bit per face.
//
// Why it is closed. Points, segments in faces and intervals on mesh edges exist once, and are always used whole:
//
//     a side of a triangle     is divided at separated faces, and so by both of its triangles;
//     a segment in a face      belongs to the triangle on both sides while the face holds, and on each side to a region of the
//                              triangle and to the cap once it is separated;
//     an interval on an edge   of the mesh belongs to two caps, those at both ends of a connected fan of tets around the edge.
//
// A vertex is a point together with a connected set of the tets around it: a crack through the point duplicates it. So
// each edge is used twice, in opposite directions, whatever the coordinates are: rounding can bend a surface, but not
// open it. Since caps are the same on both sides, volumes of pieces add up to that of the surface.
//
// The surface may intersect itself; caps then overlap. It must not stick out of the mesh.
#include "cut.h"
#include "cut_result.h"
#include "mesh/point.h"

#include <stdlib.h>
#include <string.h>

// ---- lifetime -------------------------------------------------------------------------------------------------------

static pl_status prepare(pl__cut *cut, const pl__cut_input *input)
{
    PL_TRY(pl__cut_take_mesh(cut, input->mesh));
    PL_TRY(pl__cut_take_surface(cut, input->surface));
    PL_TRY(pl__cut_settle(cut, input->mesh));
    PL_TRY(pl__cut_cross(cut));
    return pl__cut_find_inside(cut);
}

pl_status pl__cut_create(pl_context *ctx, const pl__cut_input *input, pl__cut **out)
{
    *out = NULL;
    pl__cut *cut = PL_NEW(ctx, 1, pl__cut);
    if (!cut)
        return PL_ERR_MEMORY;
    cut->ctx = ctx;
    cut->fill.ctx = ctx;
    pl_status status = prepare(cut, input);
    if (status != PL_OK)
        pl__cut_destroy(&cut);
    *out = cut;
    return status;
}

static void free_mesh(pl__cut *cut)
{
    pl_context *ctx = cut->ctx;
    PL_DELETE(ctx, cut->node, 3 * (size_t)cut->node_count);
    PL_DELETE(ctx, cut->tet, 4 * (size_t)cut->tet_count);
    PL_DELETE(ctx, cut->twin, 4 * (size_t)cut->tet_count);
    PL_DELETE(ctx, cut->face_of, 4 * (size_t)cut->tet_count);
    PL_DELETE(ctx, cut->face, cut->face_count);
    PL_DELETE(ctx, cut->cap, cut->face_count);
    PL_DELETE(ctx, cut->rim_triangle, 3 * (size_t)cut->rim_count);
    pl__lists_done(ctx, &cut->edges);
    pl__lists_done(ctx, &cut->star);
    pl__lists_done(ctx, &cut->rim);
}

static void free_surface(pl__cut *cut)
{
    pl_context *ctx = cut->ctx;
    PL_DELETE(ctx, cut->x, 3 * (size_t)cut->vertex_count);
    PL_DELETE(ctx, cut->moved, 3 * (size_t)cut->vertex_count);
    PL_DELETE(ctx, cut->home, cut->vertex_count);
    PL_DELETE(ctx, cut->weight, 3 * (size_t)cut->vertex_count);
    PL_DELETE(ctx, cut->corner, 3 * (size_t)cut->triangle_count);
    PL_DELETE(ctx, cut->mate, 3 * (size_t)cut->triangle_count);
    PL_DELETE(ctx, cut->first_crossing, 3 * (size_t)cut->triangle_count);
    PL_DELETE(ctx, cut->edge_crossing_count, 3 * (size_t)cut->triangle_count);
    PL_DELETE(ctx, cut->first_segment, (size_t)cut->triangle_count + 1);
}

void pl__cut_destroy(pl__cut **out)
{
    pl__cut *cut = *out;
    *out = NULL;
    if (!cut)
        return;
    pl_context *ctx = cut->ctx;
    PL_DELETE(ctx, cut->first_step, pl__cut_point_count(cut));
    PL_DELETE(ctx, cut->interval, cut->interval_capacity);
    PL_DELETE(ctx, cut->crossing, cut->crossing_capacity);
    PL_DELETE(ctx, cut->segment, cut->segment_capacity);
    PL_DELETE(ctx, cut->cap_triangle, cut->cap_triangle_capacity);
    pl__lists_done(ctx, &cut->face_segment);
    pl__lists_done(ctx, &cut->edge_interval);
    pl__fill_done(&cut->fill);
    free_mesh(cut);
    free_surface(cut);
    PL_DELETE(ctx, cut, 1);
}

const pl__cut_face *pl__cut_faces(const pl__cut *cut, int32_t *count)
{
    *count = cut->face_count;
    return cut->face;
}

const int32_t *pl__cut_corners(const pl__cut *cut, int32_t *triangle_count)
{
    *triangle_count = cut->triangle_count;
    return cut->corner;
}

void pl__cut_result_done(pl__cut_result *r)
{
    if (!r->ctx)
        return;
    PL_DELETE(r->ctx, r->tet, r->tet_capacity);
    PL_DELETE(r->ctx, r->weight, r->weight_capacity);
    PL_DELETE(r->ctx, r->triangle, r->triangle_capacity);
    PL_DELETE(r->ctx, r->source, r->source_capacity);
    PL_DELETE(r->ctx, r->piece, r->piece_capacity);
    PL_DELETE(r->ctx, r->place, r->place_capacity);
    PL_DELETE(r->ctx, r->normal, r->normal_capacity);
    *r = (pl__cut_result){0};
}

// ---- connectivity
// ---------------------------------------------------------------------------------------------------

static int32_t find_root(int32_t *label, int32_t tet)
{
    while (label[tet] != tet)
        tet = label[tet] = label[label[tet]];
    return tet;
}

static void label_tets(pl__cut_job *job)
{
    const pl__cut *cut = job->cut;
    for (int32_t i = 0; i < cut->tet_count; ++i)
        job->label[i] = i;
    for (int32_t f = 0; f < cut->face_count; ++f)
    {
        if (job->separated[f])
            continue;
        int32_t a = find_root(job->label, cut->face[f].tet[0]), b = find_root(job->label, cut->face[f].tet[1]);
        job->label[a < b ? b : a] = a < b ? a : b;
    }
    for (int32_t i = 0; i < cut->tet_count; ++i)
        job->label[i] = find_root(job->label, i);
}

// The twin of a face number if the face holds, or -1.
static int32_t step_across(const pl__cut_job *job, int32_t face_number)
{
    int32_t face = job->cut->face_of[face_number];
    return face < 0 || job->separated[face] ? -1 : job->cut->twin[face_number];
}

// The first corner of a tet that is neither on an edge nor `not`.
static int32_t corner_beside(const pl__cut *cut, int32_t tet, int32_t edge, int32_t not )
{
    int32_t node[2], c = 4 * tet;
    pl__cut_edge_nodes(cut, edge, node);
    while (c == not || cut->tet[c] == node[0] || cut->tet[c] == node[1])
        ++c;
    return c;
}

int32_t pl__cut_turn(const pl__cut *cut, int32_t face_number, int32_t edge)
{
    return corner_beside(cut, face_number / 4, edge, face_number);
}

int32_t pl__cut_ring_rep(const pl__cut_job *job, int32_t tet, int32_t edge)
{
    int32_t lowest = tet, corner = corner_beside(job->cut, tet, edge, -1);
    for (int way = 0; way < 2; ++way, corner = corner_beside(job->cut, tet, edge, corner))
    {
        int32_t from = corner, out;
        while ((out = step_across(job, pl__cut_turn(job->cut, from, edge))) >= 0 && out / 4 != tet)
        {
            lowest = out / 4 < lowest ? out / 4 : lowest;
            from = out;
        }
    }
    return lowest;
}

// Assign the lowest tet to all tets connected around the node of a corner.
static int32_t node_rep(pl__cut_job *job, int32_t corner)
{
    const pl__cut *cut = job->cut;
    if (job->node_rep[corner] >= 0)
        return job->node_rep[corner];
    int32_t node = cut->tet[corner], *stack = job->flood, count = 0, lowest = corner / 4;
    stack[count++] = corner;
    job->node_rep[corner] = lowest;
    for (int32_t next = 0; next < count; ++next)
        for (int32_t f = stack[next] / 4 * 4; f < stack[next] / 4 * 4 + 4; ++f)
        {
            int32_t other = f == stack[next] ? -1 : step_across(job, f);
            if (other < 0)
                continue;
            other = other / 4 * 4;
            while (cut->tet[other] != node)
                ++other;
            if (job->node_rep[other] >= 0)
                continue;
            job->node_rep[other] = 0;
            stack[count++] = other;
            lowest = other / 4 < lowest ? other / 4 : lowest;
        }
    for (int32_t i = 0; i < count; ++i)
        job->node_rep[stack[i]] = lowest;
    return lowest;
}

// ---- vertices -------------------------------------------------------------------------------------------------------

static int32_t corner_of(const pl__cut *cut, int32_t tet, int32_t node)
{
    int32_t c = 0;
    while (cut->tet[4 * (size_t)tet + (size_t)c] != node)
        ++c;
    return c;
}

// The carrier of a point for one of the tets around it.
static int32_t find_carrier(pl__cut_job *job, int32_t point, int32_t tet)
{
    const pl__cut *cut = job->cut;
    if (pl__cut_is_node(cut, point))
        return node_rep(job, 4 * tet + corner_of(cut, tet, point - cut->vertex_count));
    const pl__cut_crossing *c = pl__cut_crossing_at(cut, point);
    return c->kind == PL__EDGE_IN_FACE ? tet : pl__cut_ring_rep(job, tet, c->on);
}

// By the nodes of its face or edge alone: both sides of a face agree as long as they share these nodes.
static void find_weights(const pl__cut *cut, int32_t point, int32_t tet, double weight[4])
{
    memset(weight, 0, 4 * sizeof *weight);
    if (pl__cut_is_node(cut, point))
    {
        weight[corner_of(cut, tet, point - cut->vertex_count)] = 1;
        return;
    }
    const pl__cut_crossing *c = pl__cut_crossing_at(cut, point);
    int32_t node[2];
    if (c->kind == PL__EDGE_IN_TRIANGLE)
        pl__cut_edge_nodes(cut, c->on, node);
    int count = c->kind == PL__EDGE_IN_FACE ? 3 : 2;
    const int32_t *nodes = c->kind == PL__EDGE_IN_FACE ? cut->face[c->on].node : node;
    for (int k = 0; k < count; ++k)
        weight[corner_of(cut, tet, nodes[k])] = c->weight[k];
}

int32_t pl__cut_add_vertex(pl__cut_result *r, int32_t tet, const double weight[4])
{
    size_t count = (size_t)r->vertex_count + 1;
    if (!PL_GROW(r->ctx, r->tet, &r->tet_capacity, count) ||
        !PL_GROW(r->ctx, r->weight, &r->weight_capacity, 3 * count))
        return -1;
    r->tet[r->vertex_count] = tet;
    memcpy(&r->weight[3 * (size_t)r->vertex_count], &weight[1], 3 * sizeof *weight);
    return r->vertex_count++;
}

int32_t pl__cut_vertex(pl__cut_job *job, int32_t point, int32_t tet)
{
    const pl__cut *cut = job->cut;
    if (pl__cut_is_vertex(cut, point))
        return point;
    int32_t carrier = find_carrier(job, point, tet), *first = &job->first_copy[point - cut->vertex_count];
    for (int32_t k = *first; k >= 0; k = job->copy[k].next)
        if (job->copy[k].tet == carrier)
            return job->copy[k].vertex;
    double weight[4];
    find_weights(cut, point, carrier, weight);
    int32_t vertex = pl__cut_add_vertex(job->result, carrier, weight);
    if (vertex < 0 || !PL_GROW(cut->ctx, job->copy, &job->copy_capacity, (size_t)job->copy_count + 1))
        return -1;
    job->copy[job->copy_count] = (pl__cut_copy){carrier, vertex, *first};
    *first = job->copy_count++;
    return vertex;
}

// ---- triangles ------------------------------------------------------------------------------------------------------

bool pl__cut_add_triangle(pl__cut_job *job, const int32_t vertex[3], const uint64_t name[3], int32_t source,
                          int32_t tet)
{
    pl__cut_result *r = job->result;
    size_t at = (size_t)r->triangle_count, near = at - (size_t)r->part_begin;
    if (!PL_GROW(r->ctx, r->triangle, &r->triangle_capacity, 3 * at + 3) ||
        !PL_GROW(r->ctx, r->source, &r->source_capacity, at + 1) ||
        !PL_GROW(r->ctx, r->piece, &r->piece_capacity, at + 1) ||
        !PL_GROW(r->ctx, job->name, &job->name_capacity, 3 * near + 3))
        return false;
    memcpy(&r->triangle[3 * at], vertex, 3 * sizeof *vertex);
    memcpy(&job->name[3 * near], name, 3 * sizeof *name);
    r->source[at] = source;
    r->piece[at] = job->label[tet];
    r->triangle_count++;
    return true;
}

static bool is_cut(const pl__cut_job *job, int32_t triangle)
{
    for (int32_t i = job->cut->first_segment[triangle]; i < job->cut->first_segment[triangle + 1]; ++i)
        if (job->separated[job->cut->segment[i].face])
            return true;
    return false;
}

static pl_status take_whole(pl__cut_job *job)
{
    const pl__cut *cut = job->cut;
    pl__cut_result *r = job->result;
    size_t vertices = (size_t)cut->vertex_count, triangles = (size_t)cut->triangle_count;
    if (!PL_GROW(r->ctx, r->tet, &r->tet_capacity, vertices) ||
        !PL_GROW(r->ctx, r->weight, &r->weight_capacity, 3 * vertices) ||
        !PL_GROW(r->ctx, r->triangle, &r->triangle_capacity, 3 * triangles) ||
        !PL_GROW(r->ctx, r->source, &r->source_capacity, triangles) ||
        !PL_GROW(r->ctx, r->piece, &r->piece_capacity, triangles))
        return PL_ERR_MEMORY;
    memcpy(r->tet, cut->home, vertices * sizeof *r->tet);
    memcpy(r->weight, cut->weight, 3 * vertices * sizeof *r->weight);
    r->vertex_count = cut->vertex_count;
    for (int32_t t = 0; t < cut->triangle_count; ++t)
    {
        if (is_cut(job, t))
            continue;
        memcpy(&r->triangle[3 * (size_t)r->triangle_count], &cut->corner[3 * (size_t)t], 3 * sizeof *r->triangle);
        r->source[r->triangle_count] = t;
        r->piece[r->triangle_count++] = job->label[cut->home[cut->corner[3 * (size_t)t]]];
    }
    r->part_begin = r->cap_begin = r->triangle_count;
    return PL_OK;
}

// The edge of a face that a copy of an interval lies on: copies are numbered along edges.
static int32_t edge_of_copy(const pl__cut *cut, int32_t face, int32_t copy)
{
    const int32_t *edge = cut->face[face].edge, *start = cut->edge_interval.start;
    for (int e = 0; e < 3; ++e)
    {
        if (start[edge[e]] == start[edge[e] + 1])
            continue;
        const pl__cut_interval *first = &cut->interval[start[edge[e]]], *last = &cut->interval[start[edge[e] + 1] - 1];
        if (copy >= first->copy && copy < last->copy + abs(last->winding))
            return edge[e];
    }
    return -1;
}

static uint64_t cap_edge_name(const pl__cut_job *job, const pl__cap_triangle *t, int k, int32_t face, int side)
{
    if (t->edge[k] == PL__CAP_SEGMENT)
        return pl__cut_segment_name(t->number[k], side);
    if (t->edge[k] == PL__CAP_INNER)
        return pl__cut_inner_name(job->serial + (uint64_t)t->number[k]);
    int32_t edge = edge_of_copy(job->cut, face, t->number[k]);
    return pl__cut_interval_name(t->number[k], pl__cut_ring_rep(job, job->cut->face[face].tet[side], edge));
}

// Add a cap triangle on one side of its face, with opposite orientation on that of tet[1].
static bool add_cap_triangle(pl__cut_job *job, const pl__cap_triangle *t, int32_t face, int side)
{
    int32_t vertex[3];
    uint64_t name[3];
    for (int k = 0; k < 3; ++k)
    {
        int corner = side ? (3 - k) % 3 : k, edge = side ? 2 - k : k;
        if ((vertex[k] = pl__cut_vertex(job, t->point[corner], job->cut->face[face].tet[side])) < 0)
            return false;
        name[k] = cap_edge_name(job, t, edge, face, side);
    }
    return pl__cut_add_triangle(job, vertex, name, 2 * face + side, job->cut->face[face].tet[side]);
}

static void find_normal(const pl__cut *cut, int32_t face, double normal[3])
{
    const int32_t *n = cut->face[face].node;
    double a[3], b[3];
    pl__sub3(&cut->node[3 * (size_t)n[1]], &cut->node[3 * (size_t)n[0]], a);
    pl__sub3(&cut->node[3 * (size_t)n[2]], &cut->node[3 * (size_t)n[0]], b);
    pl__cross3(a, b, normal);
    double length = pl__length3(normal);
    for (int d = 0; d < 3; ++d)
        normal[d] /= length;
}

static bool add_cap(pl__cut_job *job, int32_t face)
{
    pl__cut_result *r = job->result;
    const pl__cap cap = job->cut->cap[face];
    size_t at = 3 * (size_t)(r->triangle_count - r->cap_begin);
    if (!PL_GROW(r->ctx, r->normal, &r->normal_capacity, at + 6 * (size_t)cap.count))
        return false;
    double normal[3];
    find_normal(job->cut, face, normal);
    for (int side = 0; side < 2; ++side, job->serial += (uint64_t)cap.inner_count)
        for (int32_t i = cap.begin; i < cap.begin + cap.count; ++i, at += 3)
        {
            if (!add_cap_triangle(job, &job->cut->cap_triangle[i], face, side))
                return false;
            for (int d = 0; d < 3; ++d)
                r->normal[at + (size_t)d] = side ? -normal[d] : normal[d];
        }
    return true;
}

// ---- the result -----------------------------------------------------------------------------------------------------

// Replace the lowest tets of pieces by consecutive piece numbers.
static void number_pieces(pl__cut_job *job)
{
    pl__cut_result *r = job->result;
    int32_t *number = job->parent, count = 0;
    memset(number, 0, sizeof *number * (size_t)job->cut->tet_count);
    for (int32_t i = 0; i < r->triangle_count; ++i)
        number[r->piece[i]] = 1;
    for (int32_t i = 0; i < job->cut->tet_count; ++i)
        number[i] = number[i] ? count++ : -1;
    for (int32_t i = 0; i < r->triangle_count; ++i)
        r->piece[i] = number[r->piece[i]];
    r->piece_count = count;
}

static pl_status make_room(pl__cut_job *job)
{
    const pl__cut *cut = job->cut;
    size_t points = (size_t)(pl__cut_point_count(cut) - cut->vertex_count), corners = 4 * (size_t)cut->tet_count;
    job->label = PL_NEW(cut->ctx, cut->tet_count, int32_t);
    job->parent = PL_NEW(cut->ctx, cut->tet_count, int32_t);
    job->node_rep = PL_NEW(cut->ctx, corners, int32_t);
    job->flood = PL_NEW(cut->ctx, cut->tet_count, int32_t);
    job->first_copy = PL_NEW(cut->ctx, points, int32_t);
    if (!job->label || !job->parent || !job->node_rep || !job->flood || !job->first_copy)
        return PL_ERR_MEMORY;
    memset(job->node_rep, 0xff, corners * sizeof *job->node_rep);
    memset(job->first_copy, 0xff, points * sizeof *job->first_copy);
    return PL_OK;
}

static void free_room(pl__cut_job *job)
{
    const pl__cut *cut = job->cut;
    PL_DELETE(cut->ctx, job->label, cut->tet_count);
    PL_DELETE(cut->ctx, job->parent, cut->tet_count);
    PL_DELETE(cut->ctx, job->node_rep, 4 * (size_t)cut->tet_count);
    PL_DELETE(cut->ctx, job->flood, cut->tet_count);
    PL_DELETE(cut->ctx, job->first_copy, pl__cut_point_count(cut) - cut->vertex_count);
    PL_DELETE(cut->ctx, job->copy, job->copy_capacity);
    PL_DELETE(cut->ctx, job->name, job->name_capacity);
    PL_DELETE(cut->ctx, job->side, job->side_capacity);
    PL_DELETE(cut->ctx, job->list, job->list_capacity);
}

static pl_status assemble(pl__cut_job *job)
{
    pl__cut *cut = job->cut;
    PL_TRY(make_room(job));
    label_tets(job);
    PL_TRY(take_whole(job));
    for (int32_t t = 0; t < cut->triangle_count; ++t)
        if (is_cut(job, t) && !pl__cut_split(job, t))
            return PL_ERR_MEMORY;
    job->result->cap_begin = job->result->triangle_count;
    for (int32_t f = 0; f < cut->face_count; ++f)
    {
        if (!job->separated[f])
            continue;
        PL_TRY(pl__cut_make_cap(cut, f));
        if (!add_cap(job, f))
            return PL_ERR_MEMORY;
    }
    PL_TRY(pl__cut_tidy(job));
    number_pieces(job);
    return PL_OK;
}

pl_status pl__cut_surface(pl__cut *cut, const uint8_t *separated, pl__cut_result *r)
{
    r->ctx = cut->ctx;
    r->vertex_count = r->triangle_count = r->part_begin = r->cap_begin = r->piece_count = 0;
    pl__cut_job job = {.cut = cut, .separated = separated, .result = r};
    pl_status status = assemble(&job);
    free_room(&job);
    if (status != PL_OK)
        r->vertex_count = r->triangle_count = r->part_begin = r->cap_begin = r->piece_count = 0;
    return status;
}

bool pl__cut_uv(const pl_surface *surface, const pl__cut_result *r, int32_t triangle, int corner, double uv[2])
{
    if (!surface->triangle_uv || triangle >= r->cap_begin)
        return false;
    const int32_t *index = &surface->triangle_uv[3 * (size_t)r->source[triangle]];
    if (index[0] < 0 || index[1] < 0 || index[2] < 0)
        return false;
    double b = corner == 1, c = corner == 2;
    if (triangle >= r->part_begin)
    {
        const double *place = &r->place[6 * (size_t)(triangle - r->part_begin) + 2 * (size_t)corner];
        b = place[0], c = place[1];
    }
    for (int d = 0; d < 2; ++d)
        uv[d] = (1 - b - c) * surface->uv[2 * index[0] + d] + b * surface->uv[2 * index[1] + d] +
                c * surface->uv[2 * index[2] + d];
    return true;
}

// src/embed/cut_split.c -- cuts one surface triangle along the separated faces that it meets.
//
// The border of the triangle is divided where it crosses separated faces; the segment in each of these is traversed on
// both sides. An end on the border continues along the border; an end in the interior, on a mesh edge, continues
// around that edge through unseparated faces to the next separated one (the same one again, on its other side, at a
// crack front). That makes loops. Loops whose tets are connected within the triangle bound one region. All of that is
// combinatorial; coordinates are needed for triangulation only.
#include "cut_result.h"
#include "mesh/point.h"

#include <string.h>

typedef struct
{
    pl__cut_job *job;
    const pl__cut *cut;
    int32_t triangle;
    int32_t border_count; // border steps come first, then two for each separated segment
    int32_t step_count;
    int32_t *segment; // [separated] of the triangle
    int32_t segment_count, slot_count, loop_count;
    int32_t *order; // [step_count] steps by slot
} split;

static bool is_separated(const split *s, int32_t segment)
{
    return s->job->separated[s->cut->segment[segment].face] != 0;
}

// ---- steps ----------------------------------------------------------------------------------------------------------

static void add_border(split *s, int32_t from, int32_t tet, uint64_t name)
{
    s->job->side[s->border_count] = (pl__cut_side){from, tet, s->border_count + 1, name};
    s->border_count++;
}

// Steps of one side of the triangle: its start, then its crossings with separated faces. Parts are counted along the
// edge's own direction.
static void walk_side(split *s, int32_t half)
{
    const pl__cut *cut = s->cut;
    int32_t edge = pl__cut_edge_of(cut, half), first = cut->first_crossing[edge],
            count = cut->edge_crossing_count[edge], parts = 1;
    bool along = edge == half;
    for (int32_t k = first; k < first + count; ++k)
        parts += s->job->separated[cut->crossing[k].on] != 0;
    int32_t part = along ? 0 : parts - 1, start = pl__cut_start(cut, half);
    add_border(s, start, cut->home[start], pl__cut_side_name(edge, part));
    for (int32_t i = 0; i < count; ++i)
    {
        int32_t k = along ? first + i : first + count - 1 - i;
        const pl__cut_crossing *c = &cut->crossing[k];
        if (!s->job->separated[c->on])
            continue;
        part += along ? 1 : -1;
        int beyond = c->forward == along;
        add_border(s, cut->vertex_count + cut->node_count + k, cut->face[c->on].tet[beyond],
                   pl__cut_side_name(edge, part));
    }
}

static int32_t segment_step(const split *s, int32_t i, int side) { return s->border_count + 2 * i + side; }

static void add_segments(split *s)
{
    for (int32_t i = 0; i < s->segment_count; ++i)
    {
        const pl__cut_segment *g = &s->cut->segment[s->segment[i]];
        for (int side = 0; side < 2; ++side)
            s->job->side[segment_step(s, i, side)] =
                (pl__cut_side){side ? g->end : g->start, s->cut->face[g->face].tet[side], -1,
                               pl__cut_segment_name(s->segment[i], side)};
    }
    s->step_count = s->border_count + 2 * s->segment_count;
}

// ---- successors
// -----------------------------------------------------------------------------------------------------

static int32_t find_segment(const split *s, int32_t face)
{
    for (int32_t i = 0; i < s->segment_count; ++i)
        if (s->cut->segment[s->segment[i]].face == face)
            return i;
    return -1;
}

// Around a mesh edge from a face to the next separated one, within connected tets.
static int32_t turn_around(const split *s, int32_t face_number, int32_t edge)
{
    const pl__cut *cut = s->cut;
    for (;;)
    {
        int32_t other = pl__cut_turn(cut, face_number, edge);
        const pl__cut_face *face = &cut->face[cut->face_of[other]];
        if (s->job->separated[cut->face_of[other]])
            return segment_step(s, find_segment(s, cut->face_of[other]), face->tet[0] == other / 4 ? 0 : 1);
        face_number = cut->twin[other];
    }
}

static int32_t border_at(const split *s, int32_t point)
{
    int32_t i = 0;
    while (s->job->side[i].from != point)
        ++i;
    return i;
}

static void link_segments(split *s)
{
    for (int32_t i = 0; i < s->segment_count; ++i)
    {
        const pl__cut_segment *g = &s->cut->segment[s->segment[i]];
        const pl__cut_face *face = &s->cut->face[g->face];
        for (int side = 0; side < 2; ++side)
        {
            int32_t end = side ? g->start : g->end, begin = side ? g->end : g->start, self = segment_step(s, i, side);
            const pl__cut_crossing *c = pl__cut_crossing_at(s->cut, end);
            bool on_border = c->kind == PL__EDGE_IN_FACE;
            int32_t face_number = 4 * face->tet[side] + face->corner[side];
            s->job->side[self].next = on_border ? border_at(s, end) : turn_around(s, face_number, c->on);
            // the preceding border step leads to where the segment begins
            if (pl__cut_crossing_at(s->cut, begin)->kind == PL__EDGE_IN_FACE)
                s->job->side[(border_at(s, begin) + s->border_count - 1) % s->border_count].next = self;
        }
    }
}

// ---- loops and regions ----------------------------------------------------------------------------------------------

static int32_t find_root(int32_t *parent, int32_t tet)
{
    while (parent[tet] != tet)
        tet = parent[tet] = parent[parent[tet]];
    return tet;
}

// Connect tets across the unseparated faces that the triangle meets.
static void join_tets(split *s)
{
    int32_t *parent = s->job->parent, begin = s->cut->first_segment[s->triangle],
            end = s->cut->first_segment[s->triangle + 1];
    for (int32_t i = begin; i < end; ++i)
        for (int side = 0; side < 2; ++side)
        {
            int32_t tet = s->cut->face[s->cut->segment[i].face].tet[side];
            parent[tet] = tet;
        }
    for (int32_t i = begin; i < end; ++i)
    {
        const int32_t *tet = s->cut->face[s->cut->segment[i].face].tet;
        if (!is_separated(s, i))
            parent[find_root(parent, tet[0])] = find_root(parent, tet[1]);
    }
}

static void link_loops(split *s)
{
    int32_t *loop = s->job->cut->fill.loop;
    for (int32_t i = 0; i < s->step_count; ++i)
    {
        if (s->job->side[i].next < 0)
            continue;
        loop[s->loop_count++] = s->slot_count;
        for (int32_t k = i, next; (next = s->job->side[k].next) >= 0; k = next)
        {
            s->order[s->slot_count++] = k;
            s->job->side[k].next = -1;
        }
    }
    loop[s->loop_count] = s->slot_count;
}

// Perturbed positions, where vertices that coincide with crossings are distinct.
static const double *decided_position(const pl__cut *cut, int32_t point)
{
    return pl__cut_is_vertex(cut, point) ? &cut->moved[3 * (size_t)point] : pl__cut_position(cut, point);
}

static void place_slots(split *s)
{
    const pl__cut *cut = s->cut;
    const int32_t *v = &cut->corner[3 * (size_t)s->triangle];
    const double *o = decided_position(cut, v[0]);
    pl__shadow d = pl__shadow_of(o, decided_position(cut, v[1]), decided_position(cut, v[2]));
    for (int32_t i = 0; i < s->slot_count; ++i)
    {
        const double *x = decided_position(cut, s->job->side[s->order[i]].from);
        s->job->cut->fill.xy[2 * (size_t)i] = x[d.u] - o[d.u];
        s->job->cut->fill.xy[2 * (size_t)i + 1] = x[d.v] - o[d.v];
    }
}

// ---- triangles ------------------------------------------------------------------------------------------------------

// Barycentric coordinates in the triangle for its corners 1 and 2. On a side the third is exactly zero.
static void find_place(const split *s, int32_t point, double place[2])
{
    const pl__cut *cut = s->cut;
    const int32_t *v = &cut->corner[3 * (size_t)s->triangle];
    double w[3] = {0}, a[3], b[3], p[3], n[3], part[3];
    if (pl__cut_is_vertex(cut, point))
    {
        place[0] = point == v[1], place[1] = point == v[2];
        return;
    }
    const double *x[3] = {&cut->x[3 * (size_t)v[0]], &cut->x[3 * (size_t)v[1]], &cut->x[3 * (size_t)v[2]]};
    const pl__cut_crossing *c = pl__cut_crossing_at(cut, point);
    pl__sub3(x[1], x[0], a);
    pl__sub3(x[2], x[0], b);
    pl__cross3(a, b, n);
    double sum = 0;
    for (int k = 0; k < 3; ++k)
    {
        pl__sub3(x[(k + 1) % 3], c->x, a);
        pl__sub3(x[(k + 2) % 3], c->x, p);
        pl__cross3(a, p, part);
        bool opposite = c->kind == PL__EDGE_IN_FACE && pl__cut_edge_of(cut, 3 * s->triangle + k) == c->of;
        w[k] = opposite ? 0 : pl__max(pl__dot3(part, n), 0);
        sum += w[k];
    }
    place[0] = sum > 0 ? w[1] / sum : 0;
    place[1] = sum > 0 ? w[2] / sum : 0;
}

static bool keep_triangle(split *s, int32_t i)
{
    const pl__fill *f = &s->job->cut->fill;
    pl__cut_result *r = s->job->result;
    int32_t vertex[3];
    uint64_t name[3];
    size_t at = 6 * (size_t)(r->triangle_count - r->part_begin);
    if (!PL_GROW(r->ctx, r->place, &r->place_capacity, at + 6))
        return false;
    const pl__cut_side *side = s->job->side;
    for (int k = 0; k < 3; ++k)
    {
        const pl__cut_side *corner = &side[s->order[f->triangle[3 * i + k]]];
        int32_t edge = f->edge[3 * i + k];
        if ((vertex[k] = pl__cut_vertex(s->job, corner->from, corner->tet)) < 0)
            return false;
        find_place(s, corner->from, &r->place[at + 2 * (size_t)k]);
        name[k] = edge < 0 ? pl__cut_inner_name(s->job->serial + (uint64_t)~edge) : side[s->order[edge]].name;
    }
    return pl__cut_add_triangle(s->job, vertex, name, s->triangle, side[s->order[f->triangle[3 * i]]].tet);
}

static bool fill_regions(split *s, int32_t *list)
{
    pl__cut_job *job = s->job;
    const int32_t *loop = job->cut->fill.loop;
    for (int32_t first = 0; first < s->loop_count; ++first)
    {
        int32_t root = find_root(job->parent, job->side[s->order[loop[first]]].tet), count = 0, before = 0;
        for (int32_t k = 0; k < s->loop_count; ++k)
            if (find_root(job->parent, job->side[s->order[loop[k]]].tet) == root)
                list[count++] = k, before += k < first;
        if (before > 0)
            continue;
        if (!pl__fill_region(&job->cut->fill, list, count))
            return false;
        for (int32_t i = 0; i < job->cut->fill.triangle_count; ++i)
            if (!keep_triangle(s, i))
                return false;
        job->serial += (uint64_t)job->cut->fill.inner_count;
    }
    return true;
}

// For the largest possible number of steps.
static bool make_room(split *s)
{
    const pl__cut *cut = s->cut;
    int32_t begin = cut->first_segment[s->triangle], end = cut->first_segment[s->triangle + 1], steps = 3;
    for (int32_t half = 3 * s->triangle; half < 3 * s->triangle + 3; ++half)
        steps += cut->edge_crossing_count[pl__cut_edge_of(cut, half)];
    steps += 2 * (end - begin);
    pl__cut_job *job = s->job;
    if (!PL_GROW(cut->ctx, job->side, &job->side_capacity, (size_t)steps) ||
        !PL_GROW(cut->ctx, job->list, &job->list_capacity, 3 * (size_t)steps) ||
        !pl__fill_room(&job->cut->fill, steps, steps))
        return false;
    s->segment = job->list;
    s->order = job->list + steps;
    for (int32_t i = begin; i < end; ++i)
        if (is_separated(s, i))
            s->segment[s->segment_count++] = i;
    return true;
}

bool pl__cut_split(pl__cut_job *job, int32_t triangle)
{
    split s = {.job = job, .cut = job->cut, .triangle = triangle};
    if (!make_room(&s))
        return false;
    for (int k = 0; k < 3; ++k)
        walk_side(&s, 3 * triangle + k);
    job->side[s.border_count - 1].next = 0;
    add_segments(&s);
    link_segments(&s);
    join_tets(&s);
    link_loops(&s);
    place_slots(&s);
    return fill_regions(&s, s.order + s.step_count);
}

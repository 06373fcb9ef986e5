// src/embed/cut_cap.c -- which parts of the edges and faces of a mesh are inside a surface.
//
// Along a mesh edge every crossing leads into the surface or out of it; starting from the boundary of the mesh, which
// is outside, the winding number of every node and of every interval between crossings follows by counting. The part
// of a face inside the surface, its cap, is then bounded by the segments in which triangles meet the face and by
// intervals on its three edges. Each point is entered as often as it is left, so that they form closed loops, which
// are triangulated (fill.h).
//
// Crossings along an edge are sorted by rounded coordinates. If rounding makes their order wrong, or the surface
// intersects itself, some intervals have winding numbers of 2 or -1: they occur twice or backwards in the loops, and
// everything is still closed. So no predicate of higher degree is needed.
#include "cut_parts.h"
#include "mesh/point.h"

#include <stdlib.h>
#include <string.h>

// ---- counting -------------------------------------------------------------------------------------------------------

// Lists of `count` items per row, ascending: pl__node_corners with one corner each.
static pl_status list_by_row(pl_context *ctx, const int32_t *row, int32_t count, int32_t row_count, pl__lists *lists)
{
    return pl__node_corners(ctx, 1, row, count, row_count, lists);
}

// The crossings of every mesh edge, in `lists`.
static pl_status list_crossings(const pl__cut *cut, int32_t edge_count, pl__lists *lists)
{
    int32_t *row = PL_NEW(cut->ctx, cut->crossing_count, int32_t);
    if (!row)
        return PL_ERR_MEMORY;
    // those in faces go to a row of their own
    for (int32_t i = 0; i < cut->crossing_count; ++i)
        row[i] = cut->crossing[i].kind == PL__EDGE_IN_TRIANGLE ? cut->crossing[i].on : edge_count;
    pl_status status = list_by_row(cut->ctx, row, cut->crossing_count, edge_count + 1, lists);
    PL_DELETE(cut->ctx, row, cut->crossing_count);
    return status;
}

static pl_status list_segments(pl__cut *cut)
{
    int32_t *row = PL_NEW(cut->ctx, cut->segment_count, int32_t);
    if (!row)
        return PL_ERR_MEMORY;
    for (int32_t i = 0; i < cut->segment_count; ++i)
        row[i] = cut->segment[i].face;
    pl_status status = list_by_row(cut->ctx, row, cut->segment_count, cut->face_count, &cut->face_segment);
    PL_DELETE(cut->ctx, row, cut->segment_count);
    return status;
}

// ---- winding numbers ------------------------------------------------------------------------------------------------

static int step_at(const pl__cut *cut, int32_t crossing) { return cut->crossing[crossing].forward ? -1 : 1; }

// Change of the winding number from the lower node of an edge to the higher.
static int32_t change_along(const pl__cut *cut, const pl__lists *crossings, int32_t edge)
{
    int32_t sum = 0;
    for (int32_t k = crossings->start[edge]; k < crossings->start[edge + 1]; ++k)
        sum += step_at(cut, crossings->item[k]);
    return sum;
}

typedef struct
{
    const pl__cut *cut;
    const pl__lists *crossings;
    int32_t *winding; // [node_count]
    bool *known;      // [node_count]
    int32_t *queue;   // [node_count]
} count_job;

static void count_outwards(const count_job *job)
{
    const pl__lists *edges = &job->cut->edges;
    int32_t filled = 0;
    for (int32_t i = 0; i < job->cut->node_count; ++i)
        if (job->cut->rim.start[i + 1] > job->cut->rim.start[i])
            job->known[i] = true, job->queue[filled++] = i;
    for (int32_t next = 0; next < filled; ++next)
        for (int32_t a = job->queue[next], k = edges->start[a]; k < edges->start[a + 1]; ++k)
        {
            int32_t b = edges->item[k];
            if (job->known[b])
                continue;
            int32_t change = change_along(job->cut, job->crossings, pl__cut_mesh_edge(job->cut, a, b));
            job->winding[b] = job->winding[a] + (a < b ? change : -change);
            job->known[b] = true, job->queue[filled++] = b;
        }
}

// The boundary must be outside everywhere; otherwise the mesh has a cavity within the surface.
static pl_status check_winding(const count_job *job)
{
    const pl__lists *edges = &job->cut->edges;
    for (int32_t a = 0; a < job->cut->node_count; ++a)
        for (int32_t k = edges->start[a]; k < edges->start[a + 1]; ++k)
        {
            int32_t b = edges->item[k];
            PL_CHECK(
                job->cut->ctx, b < a || job->winding[b] == job->winding[a] + change_along(job->cut, job->crossings, k),
                "the surface has a cavity of the mesh inside; the mesh must fill it, but does not near node %d", a);
        }
    return PL_OK;
}

// ---- intervals ------------------------------------------------------------------------------------------------------

static void sort_crossings(const pl__cut *cut, int32_t *item, int32_t count)
{
    for (int32_t i = 1; i < count; ++i)
    {
        int32_t moving = item[i], k = i;
        for (; k > 0 && cut->crossing[item[k - 1]].weight[1] > cut->crossing[moving].weight[1]; --k)
            item[k] = item[k - 1];
        item[k] = moving;
    }
}

static void add_interval(pl__cut *cut, int32_t *row, int32_t edge, int32_t from, int32_t to, int32_t winding)
{
    if (winding == 0)
        return;
    const pl__cut_interval *before = cut->interval_count ? &cut->interval[cut->interval_count - 1] : NULL;
    int32_t copy = before ? before->copy + abs(before->winding) : 0;
    row[cut->interval_count] = edge;
    cut->interval[cut->interval_count++] = (pl__cut_interval){from, to, winding, copy};
}

static void divide_edge(pl__cut *cut, const pl__lists *crossings, int32_t edge, const int32_t node[2], int32_t winding,
                        int32_t *row)
{
    int32_t *item = &crossings->item[crossings->start[edge]],
            count = crossings->start[edge + 1] - crossings->start[edge];
    int32_t from = cut->vertex_count + node[0];
    sort_crossings(cut, item, count);
    for (int32_t i = 0; i < count; ++i)
    {
        int32_t to = cut->vertex_count + cut->node_count + item[i];
        add_interval(cut, row, edge, from, to, winding);
        winding += step_at(cut, item[i]);
        from = to;
    }
    add_interval(cut, row, edge, from, cut->vertex_count + node[1], winding);
}

static pl_status divide_edges(pl__cut *cut, const pl__lists *crossings, const int32_t *winding)
{
    // an edge has at most one interval more than crossings
    int32_t edge_count = cut->edges.start[cut->edges.row_count], most = edge_count + cut->crossing_count;
    int32_t *row = PL_NEW(cut->ctx, most, int32_t);
    cut->interval = PL_NEW(cut->ctx, most, pl__cut_interval);
    cut->interval_capacity = most;
    pl_status status = row && cut->interval ? PL_OK : PL_ERR_MEMORY;
    for (int32_t a = 0; status == PL_OK && a < cut->node_count; ++a)
        for (int32_t k = cut->edges.start[a]; k < cut->edges.start[a + 1]; ++k)
            if (cut->edges.item[k] > a)
                divide_edge(cut, crossings, k, (const int32_t[2]){a, cut->edges.item[k]}, winding[a], row);
    if (status == PL_OK)
        status = list_by_row(cut->ctx, row, cut->interval_count, edge_count, &cut->edge_interval);
    PL_DELETE(cut->ctx, row, most);
    return status;
}

static pl_status find_intervals(pl__cut *cut, const pl__lists *crossings)
{
    count_job job = {cut, crossings, PL_NEW(cut->ctx, cut->node_count, int32_t),
                     PL_NEW(cut->ctx, cut->node_count, bool), PL_NEW(cut->ctx, cut->node_count, int32_t)};
    pl_status status = PL_ERR_MEMORY;
    if (job.winding && job.known && job.queue)
    {
        count_outwards(&job);
        status = check_winding(&job);
    }
    if (status == PL_OK)
        status = divide_edges(cut, crossings, job.winding);
    PL_DELETE(cut->ctx, job.winding, cut->node_count);
    PL_DELETE(cut->ctx, job.known, cut->node_count);
    PL_DELETE(cut->ctx, job.queue, cut->node_count);
    return status;
}

pl_status pl__cut_find_inside(pl__cut *cut)
{
    pl__lists crossings = {0};
    PL_TRY(list_segments(cut));
    pl_status status = list_crossings(cut, cut->edges.start[cut->edges.row_count], &crossings);
    if (status == PL_OK)
        status = find_intervals(cut, &crossings);
    pl__lists_done(cut->ctx, &crossings);
    cut->first_step = PL_NEW(cut->ctx, pl__cut_point_count(cut), int32_t);
    for (int32_t i = 0; cut->first_step && i < pl__cut_point_count(cut); ++i)
        cut->first_step[i] = -1;
    return status == PL_OK && !cut->first_step ? PL_ERR_MEMORY : status;
}

// ---- loops of a cap -------------------------------------------------------------------------------------------------

// Directed border step of a cap.
typedef struct
{
    int32_t from, to, number, next; // next: of those that start at the same point, -1 at the end; -2 once in a loop
    pl__cap_edge kind;
} border;

typedef struct
{
    pl__cut *cut;
    const pl__cut_face *face;
    border *step;
    int32_t *order; // [count]  steps along the loops, slot by slot
    int32_t *first; // pl__cut.first_step
    int32_t count, capacity, loop_count;
} cap_job;

static void add_step(cap_job *job, int32_t from, int32_t to, pl__cap_edge kind, int32_t number)
{
    job->step[job->count++] = (border){from, to, number, -1, kind};
}

// Outward of tet[0] a cap traverses segments backwards, and the edges of its face forwards.
static void collect_steps(cap_job *job, int32_t face)
{
    const pl__cut *cut = job->cut;
    for (int32_t k = cut->face_segment.start[face]; k < cut->face_segment.start[face + 1]; ++k)
    {
        const pl__cut_segment *s = &cut->segment[cut->face_segment.item[k]];
        add_step(job, s->end, s->start, PL__CAP_SEGMENT, cut->face_segment.item[k]);
    }
    for (int k = 0; k < 3; ++k)
    {
        int32_t edge = job->face->edge[k];
        bool upwards = job->face->node[k] < job->face->node[(k + 1) % 3];
        for (int32_t i = cut->edge_interval.start[edge]; i < cut->edge_interval.start[edge + 1]; ++i)
        {
            const pl__cut_interval *v = &cut->interval[i];
            bool forwards = upwards == (v->winding > 0);
            for (int32_t c = 0; c < abs(v->winding); ++c)
                add_step(job, forwards ? v->from : v->to, forwards ? v->to : v->from, PL__CAP_INTERVAL, v->copy + c);
        }
    }
}

static int32_t count_steps(const pl__cut *cut, int32_t face)
{
    int32_t count = cut->face_segment.start[face + 1] - cut->face_segment.start[face];
    for (int k = 0; k < 3; ++k)
    {
        int32_t edge = cut->face[face].edge[k];
        for (int32_t i = cut->edge_interval.start[edge]; i < cut->edge_interval.start[edge + 1]; ++i)
            count += abs(cut->interval[i].winding);
    }
    return count;
}

// Link steps to loops; steps of finished loops are removed from the lists of their points.
static void link_loops(cap_job *job)
{
    for (int32_t i = job->count - 1; i >= 0; --i)
    {
        job->step[i].next = job->first[job->step[i].from];
        job->first[job->step[i].from] = i;
    }
    int32_t filled = 0, *loop = job->cut->fill.loop;
    job->loop_count = 0;
    for (int32_t i = 0; i < job->count; ++i)
    {
        if (job->step[i].next == -2)
            continue;
        loop[job->loop_count++] = filled;
        for (int32_t at = job->step[i].from, k; (k = job->first[at]) >= 0; at = job->step[k].to)
        {
            job->first[at] = job->step[k].next;
            job->step[k].next = -2;
            job->order[filled++] = k;
        }
    }
    loop[job->loop_count] = filled;
}

static void place_slots(cap_job *job)
{
    const pl__cut *cut = job->cut;
    const double *o = &cut->node[3 * (size_t)job->face->node[0]];
    pl__shadow s =
        pl__shadow_of(o, &cut->node[3 * (size_t)job->face->node[1]], &cut->node[3 * (size_t)job->face->node[2]]);
    for (int32_t i = 0; i < job->count; ++i)
    {
        const double *x = pl__cut_position(cut, job->step[job->order[i]].from);
        job->cut->fill.xy[2 * (size_t)i] = x[s.u] - o[s.u];
        job->cut->fill.xy[2 * (size_t)i + 1] = x[s.v] - o[s.v];
    }
}

// ---- regions of a cap -----------------------------------------------------------------------------------------------

static bool loop_holds(const pl__fill *f, int32_t loop, const double *p)
{
    bool inside = false;
    int32_t begin = f->loop[loop], end = f->loop[loop + 1];
    for (int32_t i = begin, k = end - 1; i < end; k = i++)
    {
        const double *a = &f->xy[2 * (size_t)i], *b = &f->xy[2 * (size_t)k];
        if ((a[1] > p[1]) != (b[1] > p[1]) && p[0] < (b[0] - a[0]) * (p[1] - a[1]) / (b[1] - a[1]) + a[0])
            inside = !inside;
    }
    return inside;
}

// The smallest anticlockwise loop around a clockwise one, else the largest; itself if there is none.
static int32_t find_owner(const pl__fill *f, int32_t loop, int32_t loop_count, const double *area)
{
    int32_t owner = -1, largest = loop;
    if (area[loop] > 0)
        return loop;
    for (int32_t k = 0; k < loop_count; ++k)
    {
        if (area[k] > area[largest])
            largest = k;
        if (area[k] > 0 && (owner < 0 || area[k] < area[owner]) && loop_holds(f, k, &f->xy[2 * (size_t)f->loop[loop]]))
            owner = k;
    }
    return owner >= 0 ? owner : area[largest] > 0 ? largest : loop;
}

static pl_status keep_triangles(cap_job *job, pl__cap *cap)
{
    pl__cut *cut = job->cut;
    const pl__fill *f = &cut->fill;
    size_t needed = (size_t)cut->cap_triangle_count + (size_t)f->triangle_count;
    if (!PL_GROW(cut->ctx, cut->cap_triangle, &cut->cap_triangle_capacity, needed))
        return PL_ERR_MEMORY;
    for (int32_t i = 0; i < f->triangle_count; ++i)
    {
        pl__cap_triangle *t = &cut->cap_triangle[cut->cap_triangle_count++];
        for (int k = 0; k < 3; ++k)
        {
            int32_t edge = f->edge[3 * i + k];
            const border *step = edge < 0 ? NULL : &job->step[job->order[edge]];
            t->point[k] = job->step[job->order[f->triangle[3 * i + k]]].from;
            t->edge[k] = (uint8_t)(step ? step->kind : PL__CAP_INNER);
            t->number[k] = step ? step->number : cap->inner_count + ~edge;
        }
    }
    cap->count += f->triangle_count;
    cap->inner_count += f->inner_count;
    return PL_OK;
}

static pl_status fill_regions(cap_job *job, double *area, int32_t *list, pl__cap *cap)
{
    pl__fill *f = &job->cut->fill;
    for (int32_t k = 0; k < job->loop_count; ++k)
        area[k] = pl__fill_area(f, k);
    for (int32_t owner = 0; owner < job->loop_count; ++owner)
    {
        int32_t count = 0;
        for (int32_t k = 0; k < job->loop_count; ++k)
            if (find_owner(f, k, job->loop_count, area) == owner)
                list[count++] = k;
        if (count == 0)
            continue;
        if (!pl__fill_region(f, list, count))
            return PL_ERR_MEMORY;
        PL_TRY(keep_triangles(job, cap));
    }
    return PL_OK;
}

static pl_status fill_cap(cap_job *job, int32_t face, pl__cap *cap)
{
    pl_context *ctx = job->cut->ctx;
    if (!job->step || !job->order || !pl__fill_room(&job->cut->fill, job->capacity, job->capacity))
        return PL_ERR_MEMORY;
    collect_steps(job, face);
    link_loops(job);
    place_slots(job);
    double *area = PL_NEW(ctx, job->loop_count, double);
    int32_t *list = PL_NEW(ctx, job->loop_count, int32_t);
    pl_status status = area && list ? fill_regions(job, area, list, cap) : PL_ERR_MEMORY;
    PL_DELETE(ctx, area, job->loop_count);
    PL_DELETE(ctx, list, job->loop_count);
    return status;
}

pl_status pl__cut_make_cap(pl__cut *cut, int32_t face)
{
    if (cut->cap[face].known)
        return PL_OK;
    int32_t most = count_steps(cut, face), before = cut->cap_triangle_count;
    pl__cap cap = {.known = true, .begin = before};
    pl_status status = PL_OK;
    if (most > 0)
    {
        cap_job job = {.cut = cut, .face = &cut->face[face], .first = cut->first_step, .capacity = most};
        job.step = PL_NEW(cut->ctx, most, border);
        job.order = PL_NEW(cut->ctx, most, int32_t);
        status = fill_cap(&job, face, &cap);
        PL_DELETE(cut->ctx, job.step, most);
        PL_DELETE(cut->ctx, job.order, most);
    }
    if (status == PL_OK)
        cut->cap[face] = cap;
    else
        cut->cap_triangle_count = before;
    return status;
}

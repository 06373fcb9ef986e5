// src/contact/clash.c -- bodies that meet each other and themselves.
//
// Distances. Pairs are near within the mean thickness of their bodies, but within a body never farther than at rest, so
// that what is finer than its thickness does not push itself apart. Pairs "touch" when they come within `separation`, a
// twentieth of the least thickness; pairs that are nearer than that already, when they come within nine tenths of what
// they are. So ends are apart by far more than rounding, and turning a zone loses nothing.
//
// What it does badly: impulses are found one after the other, on one thread; and a zone does not bend, so that
// a crowd that is squeezed for long looks stiff. Both need short intervals more than anything else.
#include "clash.h"
#include "ccd.h"
#include "tolerances.h"

#include <math.h>
#include <string.h>

enum
{
    CONTACTS_PER_CHUNK = 512,
    NODES_PER_CHUNK = 1024
};

// ---- life ------------------------------------------------------------------------------------------------------

static bool allocate(pl__clash *c)
{
    pl_context *ctx = c->ctx;
    size_t n = (size_t)c->node_count, parts = (size_t)c->surfaces->part_count;
    c->x_rest = PL_NEW(ctx, 3 * n + 1, double);
    c->x_start = PL_NEW(ctx, 3 * n + 1, double);
    c->x_end = PL_NEW(ctx, 3 * n + 1, double);
    c->v = PL_NEW(ctx, 3 * n, double);
    c->x_listed = PL_NEW(ctx, 3 * n + 1, double);
    c->v_listed = PL_NEW(ctx, 3 * n, double);
    c->inverse_mass = PL_NEW(ctx, n, double);
    c->friction = PL_NEW(ctx, parts * parts, double);
    c->kept = PL_NEW(ctx, 9 * n + 1, double);
    c->way = PL_NEW(ctx, 3 * n, double);
    c->partial = PL_NEW(ctx, (size_t)pl__chunk_count(c->node_count, NODES_PER_CHUNK), double);
    return c->kept && c->way && c->partial && c->x_listed && c->v_listed && c->x_rest && c->x_start && c->x_end &&
           c->v && c->inverse_mass && c->friction;
}

static double edge_length(const double *x, const int32_t node[2])
{
    const double *a = &x[3 * (size_t)node[0]], *b = &x[3 * (size_t)node[1]];
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

// The mean edge of the part that has the shortest ones. Edges come in the order of the parts.
static double shortest_edge(const pl__surfaces *s, const double *x)
{
    double least = INFINITY;
    for (int32_t e = 0; e < s->edge_count;)
    {
        int32_t part = s->vertex_part[s->node_vertex[s->edge[e].node[0]]], count = 0;
        double sum = 0;
        for (; e < s->edge_count && s->vertex_part[s->node_vertex[s->edge[e].node[0]]] == part; ++e, ++count)
            sum += edge_length(x, s->edge[e].node);
        least = fmin(least, sum / count);
    }
    return least;
}

static pl_status build(pl__clash *c, const pl__surface_part *part, int32_t part_count, const double *x_rest)
{
    PL_TRY(pl__surfaces_create(c->ctx, part, part_count, &c->surfaces));
    PL_TRY(pl__tree_create(c->surfaces, x_rest, &c->tree));
    PL_TRY(pl__pairs_create(c->tree, &c->pairs));
    PL_TRY(pl__zones_create(c->ctx, c->node_count, &c->zones));
    PL_TRY(pl__untangle_create(c->tree, &c->untangle));
    if (!allocate(c))
        return PL_ERR_MEMORY;
    memcpy(c->x_rest, x_rest, 3 * (size_t)c->node_count * sizeof *x_rest);
    c->edge = shortest_edge(c->surfaces, x_rest);
    c->slack = PL__SLACK_GROWTH * PL__SLACK_LEAST * c->edge;
    return PL_OK;
}

pl_status pl__clash_create(pl_context *ctx, const pl__surface_part *part, int32_t part_count, const double *x_rest,
                           int32_t node_count, pl__clash **clash)
{
    pl__clash *c = PL_NEW(ctx, 1, pl__clash);
    if (!c)
        return PL_ERR_MEMORY;
    *c = (pl__clash){.ctx = ctx, .node_count = node_count, .watch = {.ctx = ctx}, .crossings = -1};
    pl_status status = build(c, part, part_count, x_rest);
    if (status != PL_OK)
        pl__clash_destroy(&c);
    *clash = c;
    return status;
}

void pl__clash_destroy(pl__clash **clash)
{
    pl__clash *c = *clash;
    if (!c)
        return;
    pl_context *ctx = c->ctx;
    size_t n = (size_t)c->node_count, parts = c->surfaces ? (size_t)c->surfaces->part_count : 0;
    PL_DELETE(ctx, c->x_rest, 3 * n + 1);
    PL_DELETE(ctx, c->x_start, 3 * n + 1);
    PL_DELETE(ctx, c->x_end, 3 * n + 1);
    PL_DELETE(ctx, c->v, 3 * n);
    PL_DELETE(ctx, c->x_listed, 3 * n + 1);
    PL_DELETE(ctx, c->v_listed, 3 * n);
    pl__watch_destroy(&c->watch);
    PL_DELETE(ctx, c->kept, 9 * n + 1);
    PL_DELETE(ctx, c->way, 3 * n);
    PL_DELETE(ctx, c->partial, (size_t)pl__chunk_count(c->node_count, NODES_PER_CHUNK));
    PL_DELETE(ctx, c->inverse_mass, n);
    PL_DELETE(ctx, c->friction, parts * parts);
    PL_DELETE(ctx, c->t, c->t_capacity);
    PL_DELETE(ctx, c->hit, c->hit_capacity);
    PL_DELETE(ctx, c->room, c->room_capacity);
    PL_DELETE(ctx, c->pressed, c->pressed_capacity);
    PL_DELETE(ctx, c->strike, c->strike_capacity);
    pl__zones_destroy(&c->zones);
    pl__untangle_destroy(&c->untangle);
    pl__pairs_destroy(&c->pairs);
    pl__tree_destroy(&c->tree);
    pl__surfaces_destroy(&c->surfaces);
    PL_DELETE(ctx, c, 1);
    *clash = NULL;
}

// ---- impulses --------------------------------------------------------------------------------------------------

// Where the friction of a pair stands.
static int32_t rule_of(const pl__clash *c, const int32_t node[4])
{
    const pl__surfaces *s = c->surfaces;
    return s->vertex_part[s->node_vertex[node[0]]] * s->part_count + s->vertex_part[s->node_vertex[node[3]]];
}

static double friction_of(const pl__clash *c, const int32_t node[4]) { return c->friction[rule_of(c, node)]; }

// The ways of a pair that comes nearer than allowed: stopped. True if it did.
static bool stop_ways(pl__clash *c, const pl__contact *k, double allowed)
{
    double s[3], change[3], soft = pl__impulse_compliance(c->inverse_mass, k);
    if (soft <= 0)
        return false;
    pl__impulse_relative(k, c->x_end, c->x_start, s);
    (void)pl__impulse_stop(k, friction_of(c, k->node), allowed, s, change);
    if (change[0] == 0 && change[1] == 0 && change[2] == 0)
        return false;
    pl__impulse_apply(c->inverse_mass, k, change, 1 / soft, c->x_end);
    return true;
}

// A pair shall be `more` farther apart at the end than at the start; that is no speed.
static void push(pl__clash *c, const pl__contact *k, double more)
{
    double s[3], j[3], soft = pl__impulse_compliance(c->inverse_mass, k);
    pl__impulse_relative(k, c->x_end, c->x_start, s);
    double lacking = more - pl__impulse_dot(s, k->normal);
    if (soft <= 0 || lacking <= 0)
        return;
    for (int d = 0; d < 3; ++d)
        j[d] = lacking * k->normal[d];
    pl__impulse_apply(c->inverse_mass, k, j, 1 / soft, c->x_end);
}

// Velocities at the end of a pair that approaches: stopped. True if it did.
static bool stop_speeds(pl__clash *c, const pl__contact *k, double *impulse, pl__clash_report *report)
{
    double s[3], change[3], soft = pl__impulse_compliance(c->inverse_mass, k);
    if (soft <= 0)
        return false;
    pl__impulse_relative(k, c->v, NULL, s);
    report->friction_work += pl__impulse_stop(k, friction_of(c, k->node), 0, s, change) / soft;
    double normal = pl__impulse_dot(change, k->normal);
    pl__impulse_apply(c->inverse_mass, k, change, 1 / soft, c->v);
    *impulse += normal / soft;
    return normal > 0;
}

// ---- near pairs ------------------------------------------------------------------------------------------------

// The mean of two parts.
static double thickness_between(const pl__clash *c, const int32_t node[4])
{
    const pl__surfaces *s = c->surfaces;
    return 0.5 * (s->thickness[s->vertex_part[s->node_vertex[node[0]]]] +
                  s->thickness[s->vertex_part[s->node_vertex[node[3]]]]);
}

// Whether boxes around the two halves of a pair are farther apart than that.
static bool halves_apart(const double x[4][3], pl__pair_kind kind, double distance)
{
    int first = kind == PL__VERTEX_FACE ? 1 : 2;
    for (int d = 0; d < 3; ++d)
    {
        double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
        for (int i = 0; i < 4; ++i)
        {
            low[i >= first] = x[i][d] < low[i >= first] ? x[i][d] : low[i >= first];
            high[i >= first] = x[i][d] > high[i >= first] ? x[i][d] : high[i >= first];
        }
        if (low[1] - high[0] > distance || low[0] - high[1] > distance)
            return true;
    }
    return false;
}

// At what distance a pair is near.
static double nearness(const pl__clash *c, const int32_t node[4], pl__pair_kind kind)
{
    const pl__surfaces *s = c->surfaces;
    double within = thickness_between(c, node);
    if (s->vertex_part[s->node_vertex[node[0]]] == s->vertex_part[s->node_vertex[node[3]]])
    {
        double x[4][3];
        pl__contact rest;
        pl__impulse_corners(c->x_rest, node, x);
        if (halves_apart((const double(*)[3])x, kind, PL__SELF_FAR * within)) // as most are that meet in a fold
            return within;
        pl__impulse_measure((const double(*)[3])x, kind, &rest);
        within = fmin(within, PL__SELF_NEAR * rest.distance);
    }
    return within;
}

static void measure_room(void *argument, int32_t begin, int32_t end)
{
    pl__clash *c = argument;
    for (int32_t i = begin; i < end; ++i)
    {
        const pl__contact *k = &c->pairs->contact[i];
        c->room[i] = nearness(c, k->node, i < c->pairs->contact_vertex_face_count ? PL__VERTEX_FACE : PL__EDGE_EDGE) -
                     k->distance;
    }
}

pl_status pl__clash_near(pl__clash *c, const double *x)
{
    pl__pairs *p = c->pairs;
    PL_TRY(pl__pairs_near(p, x));
    if (!PL_GROW(c->ctx, c->room, &c->room_capacity, (size_t)p->contact_count))
        return PL_ERR_MEMORY;
    pl__parallel_for(c->ctx, p->contact_count, CONTACTS_PER_CHUNK, measure_room, c);
    int32_t kept = 0, kept_faces = 0;
    for (int32_t i = 0; i < p->contact_count; ++i)
    {
        if (c->room[i] <= 0 || pl__untangle_has(&c->untangle, p->contact[i].node))
            continue;
        p->contact[kept] = p->contact[i];
        c->room[kept++] = c->room[i];
        kept_faces += i < p->contact_vertex_face_count;
    }
    p->contact_count = kept;
    p->contact_vertex_face_count = kept_faces;
    return PL_OK;
}

static pl_status find_near(pl__clash *c)
{
    PL_TRY(pl__clash_near(c, c->x_start));
    size_t count = (size_t)c->pairs->contact_count;
    if (!PL_GROW(c->ctx, c->pressed, &c->pressed_capacity, count))
        return PL_ERR_MEMORY;
    for (size_t i = 0; i < count; ++i)
        c->pressed[i] = 0;
    return PL_OK;
}

// How far near pair i is from where pairs rest, which it may go; negative: too near.
static double gap_of(const pl__clash *c, int32_t i)
{
    double distance = c->pairs->contact[i].distance;
    return distance - PL__REST_SHARE * (distance + c->room[i]);
}

static void repel(pl__clash *c)
{
    const pl__pairs *p = c->pairs;
    for (int sweep = 0; sweep < PL__CLASH_SWEEPS; ++sweep)
    {
        bool any = false;
        for (int32_t i = 0; i < p->contact_count; ++i)
            any |= stop_ways(c, &p->contact[i], fmax(0, gap_of(c, i)));
        if (!any)
            break;
    }
    for (int32_t i = 0; i < p->contact_count; ++i)
        if (gap_of(c, i) < 0)
            push(c, &p->contact[i], -PL__CLASH_PUSH * gap_of(c, i));
}

// ---- pairs that touch ------------------------------------------------------------------------------------------

// Whether a pair is turned as one. What is driven goes its own way, also within a zone.
static bool in_one_zone(const pl__clash *c, const pl__pair *pair)
{
    int32_t root = pl__zones_root(&c->zones, pair->node[0]);
    for (int i = 0; i < 4; ++i)
        if (pl__zones_root(&c->zones, pair->node[i]) != root || c->inverse_mass[pair->node[i]] <= 0)
            return false;
    return true;
}

static bool can_change(const pl__clash *c, const pl__pair *pair)
{
    for (int i = 0; i < 4; ++i)
        if (c->inverse_mass[pair->node[i]] > 0)
            return true;
    return false;
}

// One that is nearer than `separation` from the start has to come still nearer to touch.
static double time_of_near_pair(const pl__clash *c, const pl__pair *pair, double separation)
{
    double start[4][3], end[4][3], t;
    pl__contact at_start;
    pl__impulse_corners(c->x_start, pair->node, start);
    pl__impulse_corners(c->x_end, pair->node, end);
    pl__impulse_measure((const double(*)[3])start, (pl__pair_kind)pair->kind, &at_start);
    double within = fmin(separation, PL__CCD_SEPARATION_CLOSER * at_start.distance);
    bool hits = (pair->kind == PL__VERTEX_FACE ? pl__ccd_vertex_face : pl__ccd_edge_edge)(
        (const double(*)[3])start, (const double(*)[3])end, within, &t);
    return hits ? t : PL__CCD_MISS;
}

static pl_status find_hits(pl__clash *c, double separation)
{
    pl__pairs *p = c->pairs;
    c->hit_count = c->driven_count = 0;
    PL_TRY(pl__pairs_find(p, &(pl__sweep){.x_start = c->x_start, .x_end = c->x_end, .margin = separation}));
    if (!PL_GROW(c->ctx, c->t, &c->t_capacity, (size_t)p->pair_count))
        return PL_ERR_MEMORY;
    pl__ccd_batch batch = {.pair = p->pair,
                           .x_start = c->x_start,
                           .x_end = c->x_end,
                           .separation = separation,
                           .pair_count = p->pair_count};
    pl__ccd_batch_run(c->ctx, &batch, c->t);
    for (int32_t i = 0; i < p->pair_count; ++i)
    {
        if (c->t[i] > 1 || in_one_zone(c, &p->pair[i]) || pl__untangle_doubts(&c->untangle, p->pair[i].node))
            continue;
        if (c->t[i] == 0)
            c->t[i] = time_of_near_pair(c, &p->pair[i], separation);
        if (c->t[i] > 1)
            continue;
        if (!can_change(c, &p->pair[i]))
        {
            c->driven_count++;
            continue;
        }
        if (!PL_GROW(c->ctx, c->hit, &c->hit_capacity, (size_t)c->hit_count + 1))
            return PL_ERR_MEMORY;
        c->hit[c->hit_count++] = i;
    }
    return PL_OK;
}

// A pair as it is when it touches, with the normal on the side that it comes from.
static void meet(const pl__clash *c, int32_t i, pl__contact *k)
{
    const pl__pair *pair = &c->pairs->pair[i];
    double x[4][3], start[4][3], offset[3] = {0, 0, 0};
    pl__impulse_corners(c->x_start, pair->node, start);
    pl__impulse_corners(c->x_end, pair->node, x);
    for (int n = 0; n < 4; ++n)
        for (int d = 0; d < 3; ++d)
            x[n][d] = start[n][d] + c->t[i] * (x[n][d] - start[n][d]);
    pl__impulse_measure((const double(*)[3])x, (pl__pair_kind)pair->kind, k);
    memcpy(k->node, pair->node, sizeof k->node);
    for (int n = 0; n < 4; ++n)
        for (int d = 0; d < 3; ++d)
            offset[d] += k->weight[n] * start[n][d];
    bool turned = pl__impulse_dot(offset, k->normal) < 0;
    for (int d = 0; d < 3 && turned; ++d)
        k->normal[d] = -k->normal[d];
}

static pl_status stop_hits(pl__clash *c, double separation)
{
    if (!PL_GROW(c->ctx, c->strike, &c->strike_capacity, (size_t)c->strike_count + (size_t)c->hit_count))
        return PL_ERR_MEMORY;
    for (int32_t i = 0; i < c->hit_count; ++i)
    {
        pl__strike *strike = &c->strike[c->strike_count++];
        strike->impulse = 0;
        meet(c, c->hit[i], &strike->contact);
        (void)stop_ways(c, &strike->contact, 0);
        push(c, &strike->contact, separation);
    }
    return PL_OK;
}

static pl_status join_hits(pl__clash *c, bool *grown)
{
    pl__contact k;
    *grown = false;
    for (int32_t i = 0; i < c->hit_count; ++i)
    {
        *grown |= pl__zones_join(&c->zones, c->pairs->pair[c->hit[i]].node, 4);
        meet(c, c->hit[i], &k);
        PL_TRY(pl__zones_note(&c->zones, &k));
    }
    return PL_OK;
}

// What approaches where it touches is stopped.
static void calm(pl__clash *c, pl__clash_report *report)
{
    bool any = true;
    for (int sweep = 0; sweep < PL__CLASH_SWEEPS && any; ++sweep)
    {
        any = false;
        for (int32_t i = 0; i < c->pairs->contact_count; ++i)
            if (gap_of(c, i) <= 0)
                any |= stop_speeds(c, &c->pairs->contact[i], &c->pressed[i], report);
        for (int32_t i = 0; i < c->strike_count; ++i)
            any |= stop_speeds(c, &c->strike[i].contact, &c->strike[i].impulse, report);
    }
}

static double separation_of(const pl__clash *c)
{
    double least = INFINITY;
    for (int32_t i = 0; i < c->surfaces->part_count; ++i)
        least = fmin(least, c->surfaces->thickness[i]);
    return PL__CCD_SEPARATION * least;
}

// What crosses at the start, unless it is known that nothing does.
static pl_status look(pl__clash *c, double separation)
{
    pl__untangle_clear(&c->untangle);
    if (c->crossings == 0)
        return PL_OK;
    c->crossings = -1;
    PL_TRY(pl__untangle_look(&c->untangle, c->x_start, separation));
    c->crossings = c->untangle.list.count;
    return PL_OK;
}

static pl_status resolve(pl__clash *c, pl__clash_report *report)
{
    double separation = separation_of(c);
    *report = (pl__clash_report){0};
    c->strike_count = 0;
    pl__zones_clear(&c->zones);
    PL_TRY(look(c, separation));
    report->crossings = c->crossings;
    PL_TRY(find_near(c));
    report->contacts = c->pairs->contact_count;
    repel(c);
    pl__untangle_pull(&c->untangle, c->x_start, c->inverse_mass, c->x_end, c->v);
    for (int round = 0; round < PL__IMPULSE_ROUNDS + PL__ZONE_ROUNDS; ++round)
    {
        PL_TRY(find_hits(c, separation));
        report->hits += c->hit_count;
        report->rounds++;
        if (c->hit_count == 0)
            break;
        bool grown = true;
        PL_TRY(round < PL__IMPULSE_ROUNDS ? stop_hits(c, separation) : join_hits(c, &grown));
        if (!grown)
            break;
        report->zones = pl__zones_move(&c->zones, c->x_start, c->inverse_mass, c->x_end, c->v);
    }
    report->unresolved = c->hit_count + c->driven_count;
    report->zone_nodes = c->zones.listed;
    pl__zones_share(&c->zones, c->inverse_mass);
    calm(c, report);
    if (report->unresolved > 0)
        c->crossings = -1;
    return PL_OK;
}

// ---- within the interval ---------------------------------------------------------------------------------------

static double thickest(const pl__clash *c)
{
    double most = 0;
    for (int32_t i = 0; i < c->surfaces->part_count; ++i)
        most = fmax(most, c->surfaces->thickness[i]);
    return most;
}

// Of pairs, in the place of their times: how near they may come, below 0 of those that need not be watched. What is at
// one place at rest (a seam that is not sewn) may come as near as nothing, almost.
static void measure_rest(void *argument, int32_t begin, int32_t end)
{
    pl__clash *c = argument;
    for (int32_t i = begin; i < end; ++i)
    {
        const pl__pair *pair = &c->pairs->pair[i];
        bool watched = c->t[i] <= 1 && !pl__untangle_has(&c->untangle, pair->node);
        c->t[i] = watched ? fmax(PL__REST_SHARE * nearness(c, pair->node, (pl__pair_kind)pair->kind),
                                 PL__REST_LEAST * thickness_between(c, pair->node))
                          : -1;
    }
}

pl_status pl__clash_watch(pl__clash *c)
{
    double margin = thickest(c) + c->slack;
    pl__pairs *p = c->pairs;
    pl__watch_clear(&c->watch);
    c->watched = false;
    pl__untangle_clear(&c->untangle);
    if (c->crossings != 0) // what crosses is not held where it is
        PL_TRY(pl__untangle_look(&c->untangle, c->x_listed, separation_of(c)));
    for (size_t i = 0; i < 3 * (size_t)c->node_count; ++i)
        c->x_end[i] = c->x_listed[i] + c->ahead * c->v_listed[i];
    PL_TRY(pl__pairs_find(p, &(pl__sweep){.x_start = c->x_listed, .x_end = c->x_end, .margin = margin}));
    if (!PL_GROW(c->ctx, c->t, &c->t_capacity, (size_t)p->pair_count))
        return PL_ERR_MEMORY;
    pl__ccd_batch batch = {
        .pair = p->pair, .x_start = c->x_listed, .x_end = c->x_end, .separation = margin, .pair_count = p->pair_count};
    pl__ccd_batch_sift(c->ctx, &batch, c->t);
    pl__parallel_for(c->ctx, p->pair_count, CONTACTS_PER_CHUNK, measure_rest, c);
    for (int32_t i = 0; i < p->pair_count; ++i)
        if (c->t[i] >= 0)
            PL_TRY(pl__watch_add(&c->watch, &p->pair[i], c->t[i], rule_of(c, p->pair[i].node)));
    PL_TRY(pl__watch_arrange(&c->watch, c->x_listed, c->node_count));
    c->watched = true;
    return PL_OK;
}

bool pl__clash_misses(pl__clash *c, const double *before, const double *after)
{
    const pl__watch *w = &c->watch;
    pl__ccd_batch batch = {
        .pair = w->pair, .x_start = before, .x_end = after, .separation = separation_of(c), .pair_count = w->count};
    pl__ccd_batch_run(c->ctx, &batch, c->t);
    for (int32_t i = 0; i < w->count; ++i)
        if (c->t[i] <= 1)
            return false;
    return true;
}

typedef struct
{
    const pl__clash *clash;
    const double *x;
    double since, limit;
} stray_job;

// How many numbers are too far from where they were expected.
static double strays(void *argument, int32_t begin, int32_t end)
{
    const stray_job *j = argument;
    const pl__clash *c = j->clash;
    int32_t count = 0;
    for (size_t i = 3 * (size_t)begin; i < 3 * (size_t)end; ++i)
        count += !(fabs(j->x[i] - (c->x_listed[i] + j->since * c->v_listed[i])) <= j->limit);
    return count;
}

// Lists that are made anew too often are too short; those that serve to their end are too long.
void pl__clash_adapt(pl__clash *c, bool strayed)
{
    c->slack = strayed ? fmin(PL__SLACK_GROWTH * c->slack, PL__SLACK_MOST * c->edge)
                       : fmax(PL__SLACK_DECAY * c->slack, PL__SLACK_LEAST * c->edge);
}

// Two points that both stray by up to half the slack are nearer than expected by up to all of it; a point does when it
// strays by half/sqrt(3) along each axis.
bool pl__clash_strayed(const pl__clash *c, const double *x, double since, bool early)
{
    stray_job job = {c, x, since, (early ? PL__STRAY_EARLY : PL__STRAY) * c->slack};
    return pl__parallel_sum(c->ctx, c->node_count, NODES_PER_CHUNK, strays, &job, c->partial) > 0;
}

// ---- the interval ----------------------------------------------------------------------------------------------

// What the parts of an interval say, as one.
static void add(pl__clash_report *all, const pl__clash_report *part)
{
    all->contacts = part->contacts;
    all->crossings = part->crossings;
    all->hits += part->hits;
    all->rounds += part->rounds;
    all->friction_work += part->friction_work;
    all->unresolved = part->unresolved;
    if (part->zone_nodes > all->zone_nodes)
    {
        all->zones = part->zones;
        all->zone_nodes = part->zone_nodes;
    }
}

// From x_start to x_end and v in `parts` equal parts, one after the other: free nodes go on as the part before left
// them, driven ones keep to their line.
static pl_status resolve_in_parts(pl__clash *c, int32_t parts, pl__clash_report *report)
{
    size_t numbers = 3 * (size_t)c->node_count;
    memcpy(c->x_start, c->kept, numbers * sizeof(double));
    memcpy(c->v, &c->kept[2 * numbers], numbers * sizeof(double));
    int32_t unresolved = 0;
    report->friction_work = 0; // what was tried before has not happened
    for (int32_t k = 0; k < parts; ++k)
    {
        pl__clash_report part;
        for (size_t i = 0; i < numbers; ++i)
        {
            double planned = (c->kept[numbers + i] - c->kept[i]) / parts;
            bool goes_on = k > 0 && c->inverse_mass[i / 3] > 0;
            double way = goes_on ? c->way[i] : planned;
            c->x_end[i] = k + 1 == parts && !goes_on ? c->kept[numbers + i] : c->x_start[i] + way;
        }
        PL_TRY(resolve(c, &part));
        add(report, &part);
        unresolved += part.unresolved;
        for (size_t i = 0; i < numbers; ++i)
            c->way[i] = c->x_end[i] - c->x_start[i];
        if (k + 1 < parts)
            memcpy(c->x_start, c->x_end, numbers * sizeof(double));
    }
    report->unresolved = unresolved;
    return PL_OK;
}

// A motion that leaves pairs unresolved, since driven nodes move too far at once for a zone to follow, is cut into
// shorter ones.
pl_status pl__clash_resolve(pl__clash *c, pl__clash_report *report)
{
    size_t bytes = 3 * (size_t)c->node_count * sizeof(double);
    memcpy(c->kept, c->x_start, bytes);
    memcpy((char *)c->kept + bytes, c->x_end, bytes);
    memcpy((char *)c->kept + 2 * bytes, c->v, bytes);
    PL_TRY(resolve(c, report));
    bool clean =
        report->crossings == 0; // else shorter parts would not end well either, and cost as much in each interval
    for (int32_t halvings = 2; clean && report->unresolved > c->driven_count && halvings <= PL__INTERVAL_HALVINGS;
         halvings += 2)
        PL_TRY(resolve_in_parts(c, 1 << halvings, report));
    return PL_OK;
}

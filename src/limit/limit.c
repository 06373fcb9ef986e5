// src/limit/limit.c
#include "limit.h"

#include "base/context.h"

#include <math.h>
#include <string.h>

enum
{
    NODES_PER_CHUNK = 1024,
    PLAIN_SWEEPS = 3 // before acceleration: what is rough goes by itself
};

static const double bend_worth = 0.01; // [m]: 1 per metre beyond is as bad as a strain of 1 %
// A cycle that does not lower the excess by this part of it is the last; where all have not, and the mean excess
// of what is beyond is above this, limits cannot be met.
static const double worthwhile = 0.03, hopeless = 0.03;

// ---- creation ----------------------------------------------------------------------------------------------------

// Greatest stretch of any way through an element; infinite if it has no such bound.
static double bound_of(pl__limit_kind kind, const pl__limit_element *e)
{
    if (kind == PL__LIMIT_BEND || kind == PL__LIMIT_TETHER)
        return INFINITY;
    if (kind != PL__LIMIT_WOVEN)
        return e->bound[1];
    // |F (a, b)|^2 <= (s0 |a| + s1 |b|)^2, less where shear is bounded: s0^2 a^2 + s1^2 b^2 + 2 a b s0 s1 sin
    double s0 = e->bound[1], s1 = e->bound[2], sine = fmin(1, e->bound[3]);
    if (!isfinite(s0) || !isfinite(s1))
        return INFINITY;
    double mean = 0.5 * (s0 * s0 + s1 * s1), half = 0.5 * (s0 * s0 - s1 * s1), off = s0 * s1 * sine;
    return sqrt(mean + sqrt(half * half + off * off));
}

static int32_t root(int32_t *piece, int32_t n)
{
    while (piece[n] != n)
        n = piece[n] = piece[piece[n]];
    return n;
}

typedef struct
{
    pl__way_element *element;
    int32_t count;
    int32_t *piece; // [node_count] lowest node of the connected part
    double *bound;  // [node_count] greatest of its elements
} parts;

static void find_pieces(const pl__limit_def *def, parts *p)
{
    for (int32_t n = 0; n < def->node_count; ++n)
        p->piece[n] = n;
    for (int32_t kind = 0; kind < PL__LIMIT_KINDS; ++kind)
        for (int32_t e = 0; e < def->count[kind]; ++e)
            for (int32_t c = 1; c < pl__limit_forms[kind].corners; ++c)
            {
                int32_t a = root(p->piece, def->element[kind][e].node[0]),
                        b = root(p->piece, def->element[kind][e].node[c]);
                p->piece[a > b ? a : b] = a < b ? a : b;
            }
    for (int32_t n = 0; n < def->node_count; ++n)
        p->piece[n] = root(p->piece, n);
}

static void list_elements(const pl__limit_def *def, parts *p)
{
    for (int32_t kind = 0; kind < PL__LIMIT_KINDS; ++kind)
        for (int32_t e = 0; e < def->count[kind]; ++e)
        {
            const pl__limit_element *from = &def->element[kind][e];
            double bound = bound_of(kind, from);
            if (!isfinite(bound))
                continue;
            pl__way_element *to = &p->element[p->count++];
            *to = (pl__way_element){.corners = pl__limit_forms[kind].corners, .ratio = bound};
            memcpy(to->node, from->node, sizeof to->node);
            double *most = &p->bound[p->piece[from->node[0]]];
            *most = fmax(*most, bound);
        }
    for (int32_t n = 0; n < def->node_count; ++n)
        p->bound[n] = p->bound[p->piece[n]];
    for (int32_t e = 0; e < p->count; ++e)
        p->element[e].ratio /= p->bound[p->element[e].node[0]];
}

// Remember the bounds that levels are made of.
static pl_status keep_bounds(pl_context *ctx, const pl__limit_def *def, const parts *p, pl__limit *limit)
{
    memcpy(limit->reference, p->bound, (size_t)def->node_count * sizeof *p->bound);
    for (int32_t kind = 0; kind < PL__LIMIT_TETHER; ++kind)
    {
        limit->first[kind] = PL_NEW(ctx, def->count[kind], double);
        if (!limit->first[kind])
            return PL_ERR_MEMORY;
        for (int32_t e = 0; e < def->count[kind]; ++e)
            limit->first[kind][e] = bound_of(kind, &def->element[kind][e]);
    }
    return PL_OK;
}

static pl_status make_levels(pl_context *ctx, const pl__limit_def *def, const parts *p, pl__limit *limit)
{
    pl__ways ways;
    PL_TRY(pl__ways_create(ctx, p->element, p->count, def->rest, def->node_count, &ways));
    pl__levels_def levels = {&ways, def->mass, def->held, p->bound, def->most_levels};
    pl_status status = pl__levels_create(ctx, &levels, &limit->levels);
    if (status == PL_OK)
        status = pl__tethers_create(ctx, &levels, NULL, def->node_count, &limit->set[PL__LIMIT_TETHER]);
    pl__ways_destroy(&ways);
    return status;
}

static pl_status add_levels(pl_context *ctx, const pl__limit_def *def, pl__limit *limit)
{
    int32_t room = 0;
    for (int32_t kind = 0; kind < PL__LIMIT_KINDS; ++kind)
        room += def->count[kind];
    parts p = {.element = PL_NEW(ctx, room, pl__way_element), .bound = PL_NEW(ctx, def->node_count, double)};
    p.piece = limit->piece;
    pl_status status = p.element && p.bound ? PL_OK : PL_ERR_MEMORY;
    if (status == PL_OK)
    {
        list_elements(def, &p);
        status = keep_bounds(ctx, def, &p, limit);
    }
    if (status == PL_OK)
        status = make_levels(ctx, def, &p, limit);
    PL_DELETE(ctx, p.element, room);
    PL_DELETE(ctx, p.bound, def->node_count);
    return status;
}

static pl_status make(const pl__limit_def *def, pl__limit *limit)
{
    pl_context *ctx = limit->ctx;
    size_t n = (size_t)def->node_count;
    limit->node_count = def->node_count;
    limit->y = PL_NEW(ctx, 4 * n, double);
    limit->before = PL_NEW(ctx, 4 * n, double);
    limit->last = PL_NEW(ctx, 4 * n, double);
    limit->start = PL_NEW(ctx, 4 * n, double);
    limit->piece = PL_NEW(ctx, n, int32_t);
    limit->reference = PL_NEW(ctx, n, double);
    limit->work = PL_NEW(ctx, 2 * n, double);
    if (!limit->y || !limit->before || !limit->last || !limit->start || !limit->piece || !limit->reference ||
        !limit->work)
        return PL_ERR_MEMORY;
    for (int32_t kind = 0; kind < PL__LIMIT_KINDS; ++kind)
        if (kind != PL__LIMIT_TETHER)
            PL_TRY(pl__limit_set_create(ctx, kind, def->element[kind], def->count[kind], def->node_count,
                                        &limit->set[kind]));
    find_pieces(def, &(parts){.piece = limit->piece});
    return def->most_levels > 0 ? add_levels(ctx, def, limit) : PL_OK;
}

pl_status pl__limit_create(pl_context *ctx, const pl__limit_def *def, pl__limit *limit)
{
    *limit = (pl__limit){.ctx = ctx};
    limit->set[PL__LIMIT_TETHER].kind = PL__LIMIT_TETHER;
    pl_status status = make(def, limit);
    if (status != PL_OK)
        pl__limit_destroy(limit);
    return status;
}

void pl__limit_destroy(pl__limit *limit)
{
    pl_context *ctx = limit->ctx;
    size_t n = (size_t)limit->node_count;
    if (!ctx)
        return;
    for (int32_t kind = 0; kind < PL__LIMIT_KINDS; ++kind)
    {
        if (limit->first[kind])
            PL_DELETE(ctx, limit->first[kind], limit->set[kind].count);
        pl__limit_set_destroy(ctx, &limit->set[kind]);
    }
    pl__levels_destroy(ctx, &limit->levels);
    PL_DELETE(ctx, limit->y, 4 * n);
    PL_DELETE(ctx, limit->before, 4 * n);
    PL_DELETE(ctx, limit->last, 4 * n);
    PL_DELETE(ctx, limit->start, 4 * n);
    PL_DELETE(ctx, limit->piece, n);
    PL_DELETE(ctx, limit->reference, n);
    PL_DELETE(ctx, limit->work, 2 * n);
    *limit = (pl__limit){0};
}

// Greatest stretch of any way through an element, with its present bounds.
static double bound_now(const pl__limit_set *set, int32_t e)
{
    pl__limit_element now = {{0}, {0}, {0}};
    for (int32_t b = 0; b < pl__limit_forms[set->kind].bounds; ++b)
        now.bound[b] = *pl__limit_bound(set, e, b);
    return bound_of(set->kind, &now);
}

void pl__limit_follow(pl__limit *limit, bool (*loose)(const void *user, pl__limit_kind kind, int32_t element),
                      const void *user)
{
    double *factor = limit->work;
    if (limit->levels.count == 0)
        return;
    memset(factor, 0, (size_t)limit->node_count * sizeof *factor);
    for (int32_t kind = 0; kind < PL__LIMIT_KINDS; ++kind)
        for (int32_t e = 0; limit->first[kind] && kind != PL__LIMIT_TETHER && e < limit->set[kind].count; ++e)
        {
            const pl__limit_set *set = &limit->set[kind];
            if (!isfinite(limit->first[kind][e]))
                continue;
            double *most = &factor[limit->piece[*pl__limit_nodes(set, e)]];
            *most = fmax(*most, loose && loose(user, kind, e) ? INFINITY : bound_now(set, e) / limit->first[kind][e]);
        }
    pl__levels_bound(&limit->levels, &limit->set[PL__LIMIT_TETHER], limit->reference, factor, limit->piece);
}

// ---- measuring ---------------------------------------------------------------------------------------------------

static void add(pl__limit_excess *sum, pl__limit_excess e)
{
    sum->total += e.total;
    sum->most = fmax(sum->most, e.most);
    sum->over += e.over;
    sum->count += e.count;
}

// Tethers and coarse chords help; what counts are the elements.
static void measure_sets(const pl__limit *limit, pl__limit_bounds bounds, pl__limit_excess *strain,
                         pl__limit_excess *bend)
{
    *strain = *bend = (pl__limit_excess){0};
    for (int32_t kind = 0; kind < PL__LIMIT_KINDS; ++kind)
    {
        pl__limit_excess e =
            pl__limit_set_measure(limit->ctx, limit->ctx->register_bytes, &limit->set[kind], bounds, limit->y);
        if (kind != PL__LIMIT_TETHER)
            add(kind == PL__LIMIT_BEND ? bend : strain, e);
    }
}

typedef struct
{
    const pl__limit *limit;
    const pl__limit_run *run;
    double dt, omega;
} task;

static void place_nodes(void *argument, int32_t begin, int32_t end)
{
    const task *t = argument;
    for (size_t n = (size_t)begin; n < (size_t)end; ++n)
    {
        for (size_t i = 0; i < 3; ++i)
            t->limit->y[4 * n + i] = t->run->x[3 * n + i] + (t->dt != 0 ? t->dt * t->run->v[3 * n + i] : 0);
        t->limit->y[4 * n + 3] = t->run->inverse_mass[n];
    }
}

static void place(const pl__limit *limit, const pl__limit_run *run, double dt)
{
    pl__parallel_for(limit->ctx, limit->node_count, NODES_PER_CHUNK, place_nodes, &(task){limit, run, dt, 0});
}

void pl__limit_measure(pl__limit *limit, const double *x, const double *inverse_mass, pl__limit_excess *strain,
                       pl__limit_excess *bend)
{
    place(limit, &(pl__limit_run){.x = x, .inverse_mass = inverse_mass}, 0);
    measure_sets(limit, PL__LIMIT_GIVEN, strain, bend);
}

// ---- sweeps ------------------------------------------------------------------------------------------------------

static int64_t sweep_once(const pl__limit *limit, const pl__limit_run *run, double factor, bool tethers)
{
    int64_t updates = 0;
    static const pl__limit_kind order[] = {PL__LIMIT_TETHER, PL__LIMIT_TRIANGLE, PL__LIMIT_PLANAR, PL__LIMIT_WOVEN,
                                           PL__LIMIT_TET,    PL__LIMIT_HEX,      PL__LIMIT_CHORD,  PL__LIMIT_BEND};
    for (size_t k = !tethers; k < sizeof order / sizeof order[0]; ++k)
    {
        const pl__limit_set *set = &limit->set[order[k]];
        pl__limit_set_sweep(limit->ctx, limit->ctx->register_bytes, set, factor, limit->y);
        updates += set->count;
    }
    if (run->obey)
        run->obey(run->user, limit->y);
    return updates;
}

// y = before + omega (y - before), before = what y was
static void extrapolate(void *argument, int32_t begin, int32_t end)
{
    const task *t = argument;
    double *y = t->limit->y, *before = t->limit->before, *last = t->limit->last;
    for (size_t n = (size_t)begin; n < (size_t)end; ++n)
        for (size_t i = 4 * n; i < 4 * n + 3; ++i)
        {
            double next = before[i] + t->omega * (y[i] - before[i]);
            before[i] = last[i];
            last[i] = y[i] = next;
        }
}

// Chebyshev's semi-iteration over whole sweeps; the last one is plain.
static int64_t sweep_all(const pl__limit *limit, const pl__limit_run *run)
{
    int64_t updates = 0;
    double omega = 1, rho2 = run->chebyshev * run->chebyshev;
    size_t bytes = 4 * (size_t)limit->node_count * sizeof(double);
    if (rho2 > 0)
    {
        memcpy(limit->before, limit->y, bytes);
        memcpy(limit->last, limit->y, bytes);
    }
    for (int32_t k = 0; k < run->sweeps; ++k)
    {
        updates += sweep_once(limit, run, 1, true);
        if (!(rho2 > 0) || k + 1 == run->sweeps)
            continue;
        omega = k < PLAIN_SWEEPS ? 1 : k == PLAIN_SWEEPS ? 2 / (2 - rho2) : 4 / (4 - rho2 * omega);
        pl__parallel_for(limit->ctx, limit->node_count, NODES_PER_CHUNK, extrapolate, &(task){limit, run, 0, omega});
    }
    return updates;
}

// Limits that cannot be met, as by pins that contradict them: sweeps from where the motion leads, each with less of
// its corrections, so that no element is served at the expense of its neighbours.
static int64_t share_excess(const pl__limit *limit, const pl__limit_run *run)
{
    int64_t updates = 0;
    memcpy(limit->y, limit->start, 4 * (size_t)limit->node_count * sizeof *limit->y);
    for (int32_t k = 0; k < run->sweeps; ++k)
        updates += sweep_once(limit, run, 1.0 / (k + 2), false);
    return updates;
}

// All that is beyond: bends count in curvature times the length of a part that they are as strict as.
static double all_excess(const pl__limit_report *report)
{
    return report->strain.total + bend_worth * report->bend.total;
}

// Whether what is beyond is so by much more than a few cycles leave in limits that can be met.
static bool is_hopeless(const pl__limit_report *report)
{
    return all_excess(report) > hopeless * (double)(report->strain.over + report->bend.over);
}

// ---- what comes of it --------------------------------------------------------------------------------------------

static void new_velocities(void *argument, int32_t begin, int32_t end)
{
    const task *t = argument;
    for (size_t n = (size_t)begin; n < (size_t)end; ++n)
        for (size_t i = 0; i < 3; ++i)
        {
            double change = t->limit->y[4 * n + i] - t->limit->start[4 * n + i];
            if (change != 0)
                t->run->v[3 * n + i] += change / t->dt;
        }
}

// Velocities must not gain: |v + t d|^2 <= |v|^2, mass by mass, for every connected part.
static void scale_back(const pl__limit *limit, const pl__limit_run *run)
{
    double *along = limit->work, *size = limit->work + limit->node_count;
    memset(limit->work, 0, 2 * (size_t)limit->node_count * sizeof *limit->work);
    for (size_t n = 0; n < (size_t)limit->node_count; ++n)
        for (size_t i = 0; i < 3 && run->inverse_mass[n] > 0; ++i)
        {
            double d = (limit->y[4 * n + i] - limit->start[4 * n + i]) / run->dt, mass = 1 / run->inverse_mass[n];
            along[limit->piece[n]] += mass * run->v[3 * n + i] * d;
            size[limit->piece[n]] += mass * d * d;
        }
    for (size_t n = 0; n < (size_t)limit->node_count; ++n)
    {
        size_t p = (size_t)limit->piece[n];
        double most = size[p] > 0 ? -2 * along[p] / size[p] : 1;
        for (size_t i = 4 * n; most < 1 && i < 4 * n + 3; ++i)
            limit->y[i] = limit->start[i] + fmax(0, most) * (limit->y[i] - limit->start[i]);
    }
}

static void begin_run(pl__limit *limit, const pl__limit_run *run, pl__limit_report *report)
{
    pl_context *ctx = limit->ctx;
    pl__levels_weigh(&limit->levels, run->inverse_mass);
    place(limit, run, run->speeds ? 0 : run->dt);
    measure_sets(limit, run->speeds ? PL__LIMIT_INCLUDE : PL__LIMIT_GIVEN, &report->strain_before,
                 &report->bend_before);
    pl__levels_set_bounds(ctx, ctx->register_bytes, &limit->levels, run->speeds ? PL__LIMIT_INCLUDE : PL__LIMIT_GIVEN,
                          limit->y);
    report->strain_at = report->strain_before;
    report->bend_at = report->bend_before;
    if (run->speeds)
    {
        place(limit, run, run->dt);
        measure_sets(limit, PL__LIMIT_KEEP, &report->strain_before, &report->bend_before);
    }
    report->strain = report->strain_before;
    report->bend = report->bend_before;
}

void pl__limit_apply(pl__limit *limit, const pl__limit_run *run, pl__limit_report *report)
{
    pl_context *ctx = limit->ctx;
    *report = (pl__limit_report){0};
    begin_run(limit, run, report);
    if (report->strain.over + report->bend.over == 0)
        return;
    memcpy(limit->start, limit->y, 4 * (size_t)limit->node_count * sizeof *limit->y);
    double first = all_excess(report), last = INFINITY;
    for (; report->cycles < run->cycles; ++report->cycles)
    {
        double now = all_excess(report);
        if (report->cycles > 0 && (fmax(report->strain.most, bend_worth * report->bend.most) <= run->tolerance ||
                                   now > (1 - worthwhile) * last))
            break;
        last = now;
        report->updates +=
            pl__levels_apply(ctx, ctx->register_bytes, &limit->levels, run->sweeps, limit->y, limit->node_count);
        report->updates += sweep_all(limit, run);
        report->sweeps += run->sweeps;
        measure_sets(limit, PL__LIMIT_KEEP, &report->strain, &report->bend);
    }
    if (all_excess(report) > (1 - worthwhile) * first && is_hopeless(report))
    {
        report->updates += share_excess(limit, run);
        report->sweeps += run->sweeps;
        measure_sets(limit, PL__LIMIT_KEEP, &report->strain, &report->bend);
    }
    if (run->speeds)
        scale_back(limit, run);
    pl__parallel_for(ctx, limit->node_count, NODES_PER_CHUNK, new_velocities, &(task){limit, run, run->dt, 0});
}

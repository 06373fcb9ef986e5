// src/contact/watch.c
#include "watch.h"
#include "base/task.h"

#include <math.h>
#include <string.h>

enum
{
    MOST_SWEEPS = 60,
    ITEMS_PER_CHUNK = 256
};

static const double push_share = 0.2;  // of what pairs are too near, per interval
static const double tolerance = 1e-4;  // of `rest`: ways that need not be stopped
static const double least_share = 0.1; // of `rest`: so far apart, pairs do not touch
static const double touching = 0.02;   // of `rest`: pairs as near as this touch

void pl__watch_destroy(pl__watch *w)
{
    PL_DELETE(w->ctx, w->item, w->capacity);
    PL_DELETE(w->ctx, w->active, w->active_capacity);
}

pl_status pl__watch_add(pl__watch *w, const pl__pair *pair, double rest, int32_t rule)
{
    if (!PL_GROW(w->ctx, w->item, &w->capacity, (size_t)w->count + 1))
        return PL_ERR_MEMORY;
    pl__watched *item = &w->item[w->count++];
    *item = (pl__watched){.kind = pair->kind, .rest = rest, .rule = rule};
    memcpy(item->contact.node, pair->node, sizeof pair->node);
    return PL_OK;
}

pl_status pl__watch_reserve(pl__watch *w) { return PL_GROW(w->ctx, w->active, &w->active_capacity, (size_t)w->count) ? PL_OK : PL_ERR_MEMORY; }

// ---- looking ---------------------------------------------------------------------------------------------------

typedef struct
{
    pl__watch *watch;
    const pl__watch_state *state;
} job;

// A pair matters if it is near, or if it would be at the end of the step; others in between may be driven there by those: clash.h.
static void look_at(void *argument, int32_t begin, int32_t end)
{
    const job *j = argument;
    const pl__watch_state *state = j->state;
    for (int32_t i = begin; i < end; ++i)
    {
        pl__watched *item = &j->watch->item[i];
        double x[4][3], s[3];
        pl__impulse_corners(state->x, item->contact.node, x);
        pl__impulse_measure((const double(*)[3])x, (pl__pair_kind)item->kind, &item->contact);
        pl__impulse_relative(&item->contact, state->v, NULL, s);
        double gap = item->contact.distance - item->rest, way = state->dt * pl__impulse_dot(s, item->contact.normal);
        item->active = gap < item->rest || gap + way < item->rest;
        item->compliance = item->active ? pl__impulse_compliance(state->inverse_mass, &item->contact) : 0;
        item->active &= item->compliance > 0;
        item->impulse = 0;
    }
}

static void look(pl__watch *w, const pl__watch_state *state)
{
    pl__parallel_for(w->ctx, w->count, ITEMS_PER_CHUNK, look_at, &(job){w, state});
    w->active_count = 0;
    for (int32_t i = 0; i < w->count; ++i)
        if (w->item[i].active)
            w->active[w->active_count++] = i;
}

// ---- filters ---------------------------------------------------------------------------------------------------

// How fast a pair may come nearer on its way, and with its new velocity.
static double allowed_way(const pl__watched *item, const pl__watch_state *state)
{
    double gap = item->contact.distance - item->rest;
    return gap > 0 ? gap / state->dt : push_share * gap / state->interval;
}

static double allowed_speed(const pl__watched *item, const pl__watch_state *state)
{
    (void)state;
    return item->contact.distance <= (1 + touching) * item->rest ? 0 : INFINITY;
}

typedef double limit_function(const pl__watched *item, const pl__watch_state *state);

// True if there was something to stop that matters.
static bool stop(pl__watched *item, const pl__watch_state *state, double allowed, double *work)
{
    double s[3], change[3];
    pl__impulse_relative(&item->contact, state->v, NULL, s);
    *work += pl__impulse_stop(&item->contact, state->friction[item->rule], allowed, s, change) / item->compliance;
    double normal = pl__impulse_dot(change, item->contact.normal);
    if (!(normal > 0))
        return false;
    item->impulse += normal / item->compliance;
    pl__impulse_apply(state->inverse_mass, &item->contact, change, 1 / item->compliance, state->v);
    return normal * state->dt > tolerance * item->rest;
}

// Forth and back, so that what presses on a pile is felt at both of its ends.
static double filter(pl__watch *w, const pl__watch_state *state, limit_function *allowed)
{
    double work = 0;
    bool any = w->count > 0;
    w->active_count = 0;
    if (any)
        look(w, state);
    for (int sweep = 0; sweep < MOST_SWEEPS && any; ++sweep)
    {
        any = false;
        for (int32_t i = 0; i < w->active_count; ++i)
        {
            pl__watched *item = &w->item[w->active[sweep % 2 ? w->active_count - 1 - i : i]];
            any |= stop(item, state, allowed(item, state), &work);
        }
    }
    return work;
}

void pl__watch_filter_ways(pl__watch *w, const pl__watch_state *state) { (void)filter(w, state, allowed_way); }

double pl__watch_filter_speeds(pl__watch *w, const pl__watch_state *state) { return filter(w, state, allowed_speed); }

// ---- proof -----------------------------------------------------------------------------------------------------

// The points of a pair approach each other by no more than its nodes move relative to each other, which is twice what they move
// relative to one of them.
bool pl__watch_proves(const pl__watch *w, const double *before, const double *after)
{
    for (int32_t i = 0; i < w->count; ++i)
    {
        const pl__contact *k = &w->item[i].contact;
        double first[3], most2 = 0;
        for (size_t n = 0; n < 4; ++n)
        {
            size_t at = 3 * (size_t)k->node[n];
            double way[3] = {after[at] - before[at], after[at + 1] - before[at + 1], after[at + 2] - before[at + 2]};
            if (n == 0)
                memcpy(first, way, sizeof first);
            for (int d = 0; d < 3; ++d)
                way[d] -= first[d];
            most2 = fmax(most2, pl__impulse_dot(way, way));
        }
        double left = k->distance - least_share * w->item[i].rest;
        if (!(left > 0 && 4 * most2 < left * left))
            return false;
    }
    return true;
}

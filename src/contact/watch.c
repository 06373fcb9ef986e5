// src/contact/watch.c
#include "watch.h"
#include "tolerances.h"
#include "base/task.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum
{
    BINS = 1024,
    PAIRS_PER_CHUNK = 256,
    ITEMS_PER_CHUNK = 128
};

void pl__watch_destroy(pl__watch *w)
{
    PL_DELETE(w->ctx, w->pair, w->pair_capacity);
    PL_DELETE(w->ctx, w->rest, w->rest_capacity);
    PL_DELETE(w->ctx, w->rule, w->rule_capacity);
    PL_DELETE(w->ctx, w->slab, w->slab_capacity);
    PL_DELETE(w->ctx, w->changed, w->changed_capacity);
    PL_DELETE(w->ctx, w->time, w->time_capacity);
    PL_DELETE(w->ctx, w->item, w->item_capacity);
    PL_DELETE(w->ctx, w->kept, w->kept_capacity);
    PL_DELETE(w->ctx, w->active, w->active_capacity);
    PL_DELETE(w->ctx, w->pressed, w->pressed_capacity);
    PL_DELETE(w->ctx, w->is_pressed, w->is_pressed_capacity);
    PL_DELETE(w->ctx, w->earliest, w->earliest_capacity);
    PL_DELETE(w->ctx, w->before, w->before_capacity);
    PL_DELETE(w->ctx, w->foothold, w->foothold_capacity);
    PL_DELETE(w->ctx, w->foothold_of, w->foothold_of_capacity);
}

void pl__watch_clear(pl__watch *w)
{
    w->count = w->vertex_face_count = w->active_count = w->pressed_count = w->foothold_count = 0;
    w->largest_rest = 0;
}

pl_status pl__watch_add(pl__watch *w, const pl__pair *pair, double rest, int32_t rule)
{
    size_t needed = (size_t)w->count + 1;
    if (!PL_GROW(w->ctx, w->pair, &w->pair_capacity, needed) || !PL_GROW(w->ctx, w->rest, &w->rest_capacity, needed) ||
        !PL_GROW(w->ctx, w->rule, &w->rule_capacity, needed))
        return PL_ERR_MEMORY;
    w->pair[w->count] = *pair;
    w->rest[w->count] = rest;
    w->rule[w->count++] = rule;
    w->vertex_face_count += pair->kind == PL__VERTEX_FACE;
    w->largest_rest = fmax(w->largest_rest, rest);
    return PL_OK;
}

// ---- slabs -----------------------------------------------------------------------------------------------------

typedef struct
{
    const double *x;
    size_t axis;
    double lower, scale;
    uint8_t slab[BINS]; // of thin slices of space
} slabs;

static int32_t bin_of(const slabs *s, int32_t node)
{
    double at = (s->x[3 * (size_t)node + s->axis] - s->lower) * s->scale;
    return at > 0 ? at < BINS - 1 ? (int32_t)at : BINS - 1 : 0; // no number: 0
}

// Across the longest side of the box of all pairs.
static void choose_axis(const pl__watch *w, slabs *s)
{
    double lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int32_t i = 0; i < w->count; ++i)
        for (size_t d = 0, at = 3 * (size_t)w->pair[i].node[0]; d < 3; ++d)
        {
            lower[d] = s->x[at + d] < lower[d] ? s->x[at + d] : lower[d];
            upper[d] = s->x[at + d] > upper[d] ? s->x[at + d] : upper[d];
        }
    s->axis = 0;
    for (size_t d = 1; d < 3; ++d)
        s->axis = upper[d] - lower[d] > upper[s->axis] - lower[s->axis] ? d : s->axis;
    s->lower = lower[s->axis];
    s->scale = upper[s->axis] > s->lower ? BINS / (upper[s->axis] - s->lower) : 0;
}

// As many pairs in each.
static void cut_slabs(const pl__watch *w, slabs *s)
{
    int32_t pairs[BINS] = {0};
    int64_t before = 0;
    for (int32_t i = 0; i < w->count; ++i)
        pairs[bin_of(s, w->pair[i].node[0])]++;
    for (int i = 0; i < BINS; ++i)
    {
        s->slab[i] = (uint8_t)(before * PL__SLABS / (w->count + 1));
        before += pairs[i];
    }
}

static void assign_slabs(pl__watch *w, const double *x)
{
    slabs s = {.x = x};
    choose_axis(w, &s);
    cut_slabs(w, &s);
    for (int32_t i = 0; i < w->count; ++i)
    {
        const int32_t *node = w->pair[i].node;
        uint8_t slab = s.slab[bin_of(&s, node[0])];
        bool within = slab == s.slab[bin_of(&s, node[1])] && slab == s.slab[bin_of(&s, node[2])] &&
                      slab == s.slab[bin_of(&s, node[3])];
        w->slab[i] = within ? slab : PL__SLABS;
    }
}

pl_status pl__watch_arrange(pl__watch *w, const double *x, int32_t node_count)
{
    size_t count = (size_t)w->count;
    bool room =
        PL_GROW(w->ctx, w->item, &w->item_capacity, count) && PL_GROW(w->ctx, w->active, &w->active_capacity, count) &&
        PL_GROW(w->ctx, w->time, &w->time_capacity, count) && PL_GROW(w->ctx, w->slab, &w->slab_capacity, count) &&
        PL_GROW(w->ctx, w->changed, &w->changed_capacity, (size_t)node_count) &&
        PL_GROW(w->ctx, w->foothold_of, &w->foothold_of_capacity, (size_t)node_count) &&
        PL_GROW(w->ctx, w->before, &w->before_capacity, 3 * (size_t)node_count) &&
        PL_GROW(w->ctx, w->foothold, &w->foothold_capacity,
                4 * count < (size_t)node_count ? 4 * count : (size_t)node_count) &&
        PL_GROW(w->ctx, w->kept, &w->kept_capacity, (size_t)pl__chunk_count(w->count, PAIRS_PER_CHUNK));
    if (room && w->solved)
        room = PL_GROW(w->ctx, w->earliest, &w->earliest_capacity, (size_t)node_count) &&
               PL_GROW(w->ctx, w->pressed, &w->pressed_capacity, count) &&
               PL_GROW(w->ctx, w->is_pressed, &w->is_pressed_capacity, count);
    if (!room)
        return PL_ERR_MEMORY;
    assign_slabs(w, x);
    return PL_OK;
}

// ---- looking ---------------------------------------------------------------------------------------------------

typedef struct
{
    pl__watch *watch;
    const pl__watch_state *state;
} job;

// The pairs [begin, end), of one kind, that are within reach, behind `kept` others of their chunk.
static int32_t look_at(const job *j, int32_t begin, int32_t end, pl__watched *item)
{
    pl__watch *w = j->watch;
    pl__contact near[PAIRS_PER_CHUNK];
    if (begin >= end)
        return 0;
    int32_t kept =
        PL_PICK(w->ctx->register_bytes, pl__closest_near)(j->state->x, &w->pair[begin], end - begin, w->reach, near);
    for (int32_t k = 0, i = begin; k < kept; ++k, ++i)
    {
        while (memcmp(w->pair[i].node, near[k].node, sizeof near[k].node) != 0)
            ++i;
        item[k] = (pl__watched){.contact = near[k],
                                .rest = w->rest[i],
                                .gap = near[k].distance - w->rest[i],
                                .rule = w->rule[i],
                                .pair = i,
                                .slab = w->slab[i],
                                .compliance = pl__impulse_compliance(j->state->inverse_mass, &near[k])};
    }
    return kept;
}

static void look_at_chunk(void *argument, int32_t begin, int32_t end)
{
    const job *j = argument;
    pl__watch *w = j->watch;
    int32_t middle = w->vertex_face_count < begin ? begin : w->vertex_face_count > end ? end : w->vertex_face_count;
    int32_t kept = look_at(j, begin, middle, &w->item[begin]);
    w->kept[begin / PAIRS_PER_CHUNK] = kept + look_at(j, middle, end, &w->item[begin + kept]);
}

static bool touches(const pl__watched *item) { return item->contact.distance <= (1 + PL__TOUCHING) * item->rest; }

// What was found, in the order of the list, slab after slab. Of the pairs that nothing can move, or, where `touching`,
// that do not touch, sweeps ask nothing.
static void sort(pl__watch *w, bool touching)
{
    int32_t at[PL__SLABS + 2] = {0};
    for (int32_t begin = 0; begin < w->count; begin += PAIRS_PER_CHUNK)
        for (int32_t k = 0; k < w->kept[begin / PAIRS_PER_CHUNK]; ++k)
            at[w->item[begin + k].slab + 1]++;
    for (int i = 0; i <= PL__SLABS; ++i)
        at[i + 1] += at[i];
    memcpy(w->slab_begin, at, sizeof at);
    w->active_count = at[PL__SLABS + 1];
    for (int32_t begin = 0; begin < w->count; begin += PAIRS_PER_CHUNK)
        for (int32_t k = 0; k < w->kept[begin / PAIRS_PER_CHUNK]; ++k)
        {
            const pl__watched *item = &w->item[begin + k];
            int32_t to = at[item->slab]++;
            w->active[to] = begin + k;
            memcpy(w->time[to].node, item->contact.node, sizeof w->time[to].node);
            w->time[to].seen = item->compliance > 0 && (!touching || touches(item)) ? 0 : INT32_MAX;
        }
}

// Of a long step: items as they will meet. Those that will not, or that nothing can move, are left out of sweeps.
static void foresee_items(void *argument, int32_t begin, int32_t end)
{
    const job *j = argument;
    pl__watch *w = j->watch;
    for (int32_t i = begin; i < end; ++i)
    {
        pl__watched *item = &w->item[w->active[i]];
        pl__pair_kind kind = item->pair < w->vertex_face_count ? PL__VERTEX_FACE : PL__EDGE_EDGE;
        bool meets = item->compliance > 0 && pl__foresee(j->state->x, j->state->v, j->state->dt, kind, item->rest,
                                                         &item->contact, &item->when, &item->gap);
        if (meets)
            item->compliance = pl__impulse_compliance(j->state->inverse_mass, &item->contact);
        else
        {
            item->when = INFINITY;
            w->time[i].seen = INT32_MAX;
        }
    }
}

static void look(pl__watch *w, const pl__watch_state *state, double reach, bool touching)
{
    w->reach = reach;
    pl__parallel_for(w->ctx, w->count, PAIRS_PER_CHUNK, look_at_chunk, &(job){w, state});
    sort(w, touching);
    w->foreseen = state->whole;
    if (state->whole)
        pl__parallel_for(w->ctx, w->active_count, ITEMS_PER_CHUNK, foresee_items, &(job){w, state});
}

// Others than pairs within reach cannot come near in this step.
static void look_ahead(pl__watch *w, const pl__watch_state *state)
{
    look(w, state, 2 * w->largest_rest + 2 * state->dt * pl__impulse_longest(state->v, state->node_count), false);
}

// What is near where it is, of which some touches.
static void look_around(pl__watch *w, const pl__watch_state *state)
{
    look(w, state, w->largest_rest / PL__REST_SHARE, true);
}

// ---- objects ---------------------------------------------------------------------------------------------------

static void stand_nodes(void *argument, int32_t begin, int32_t end)
{
    const job *j = argument;
    for (int32_t i = begin; i < end; ++i)
    {
        pl__foothold *f = &j->watch->foothold[i];
        double *v = &j->state->v[3 * (size_t)f->node];
        if (!j->state->stand(j->state->user, f->node, v, f))
            f->count = 0;
        memcpy(f->before, v, sizeof f->before);
        memcpy(f->free, v, sizeof f->free);
        pl__foothold_obey(f, v);
    }
}

// The nodes of all items that can be moved.
static void list_footholds(pl__watch *w, const pl__watch_state *state)
{
    w->foothold_count = 0;
    if (!state->stand)
        return;
    memset(w->foothold_of, 0, (size_t)state->node_count * sizeof *w->foothold_of);
    for (int32_t i = 0; i < w->active_count; ++i)
        for (int k = 0; k < 4; ++k)
        {
            const pl__watched *item = &w->item[w->active[i]];
            int32_t n = item->contact.node[k];
            if (w->foothold_of[n] > 0 || state->inverse_mass[n] <= 0 || item->compliance <= 0)
                continue;
            w->foothold[w->foothold_count].node = n;
            w->foothold_of[n] = ++w->foothold_count;
        }
    pl__parallel_for(w->ctx, w->foothold_count, ITEMS_PER_CHUNK, stand_nodes, &(job){w, state});
    for (int32_t i = 0; i < w->foothold_count; ++i)
        if (w->foothold[i].count == 0)
            w->foothold_of[w->foothold[i].node] = 0;
}

static void leave_footholds(const pl__watch *w, const pl__watch_state *state)
{
    double inward = PL__STAND_INWARD * w->largest_rest / state->dt;
    for (int32_t i = 0; i < w->foothold_count && !state->settled; ++i)
        pl__foothold_yield(&w->foothold[i], inward, &state->v[3 * (size_t)w->foothold[i].node]);
}

static pl__foothold *foothold_of(const pl__watch *w, int32_t node)
{
    return w->foothold_count > 0 && w->foothold_of[node] > 0 ? &w->foothold[w->foothold_of[node] - 1] : NULL;
}

// How far an impulse moves the points of a pair apart, along its normal and across it, as in impulse.h; and what its
// nodes stand on.
typedef struct
{
    double along, across;
    const double *ground[4];
    bool left_out[4];
} softness;

// Beside nodes that stand, one with little of the weight would have to go far for the pair to go a little way, and
// farther in every sweep if that is not to be: it is left out.
static softness softness_of(const pl__watch *w, const pl__watched *item, const pl__watch_state *state)
{
    const pl__contact *k = &item->contact;
    softness soft = {.along = item->compliance, .across = item->compliance};
    double sum[2] = {0, 0}, most[2] = {0, 0}, near = PL__FILTER_TOLERANCE * item->rest / state->dt;
    bool any = false;
    if (w->foothold_count == 0)
        return soft;
    for (int i = 0; i < 4; ++i)
    {
        const pl__foothold *f = foothold_of(w, k->node[i]);
        double sign = k->weight[i] < 0 ? -1 : 1, d[3] = {sign * k->normal[0], sign * k->normal[1], sign * k->normal[2]};
        soft.ground[i] = f ? pl__foothold_ground(f, &state->v[3 * (size_t)f->node], d, near) : NULL;
        any |= soft.ground[i] != NULL;
    }
    for (int i = 0; i < 4 && any; ++i)
    {
        double inverse[2] = {state->inverse_mass[k->node[i]], state->inverse_mass[k->node[i]]};
        soft.left_out[i] = !soft.ground[i] && fabs(k->weight[i]) < PL__LEVER_LEAST;
        if (soft.left_out[i])
            continue;
        if (soft.ground[i])
        {
            inverse[0] = 0;
            inverse[1] = foothold_of(w, k->node[i])->sticks ? 0 : inverse[1];
        }
        for (int j = 0; j < 2; ++j)
        {
            sum[j] += k->weight[i] * k->weight[i] * inverse[j];
            most[j] = fmax(most[j], inverse[j]);
        }
    }
    if (any)
    {
        soft.along = fmax(sum[0], PL__COMPLIANCE_LEAST * most[0]);
        soft.across = fmax(sum[1], PL__COMPLIANCE_LEAST * most[1]);
    }
    return soft;
}

// To the nodes of a pair: `along` of its normal, and `rub`. What stands takes the first along what it stands on. True
// if one slips that stuck.
static bool give(const pl__watch *w, const pl__watch_state *state, const pl__contact *k, const softness *soft,
                 double along, const double rub[3])
{
    bool slips = false;
    for (int i = 0; i < 4; ++i)
    {
        pl__foothold *f = foothold_of(w, k->node[i]);
        bool stuck = f && f->sticks;
        const double *ground = soft->ground[i];
        double *v = &state->v[3 * (size_t)k->node[i]], *u = f ? f->free : v,
               share = k->weight[i] * state->inverse_mass[k->node[i]];
        double down = ground ? along * pl__impulse_dot(k->normal, ground) : 0;
        for (int d = 0; d < 3 && !soft->left_out[i]; ++d)
            u[d] += share * ((ground ? down * ground[d] : along * k->normal[d]) + rub[d]);
        if (f)
            pl__foothold_obey(f, v);
        slips |= stuck && !f->sticks;
    }
    return slips;
}

// ---- filters ---------------------------------------------------------------------------------------------------

// How fast a pair may come nearer on its way. With its new velocity, where it touches: not at all.
static double allowed_way(const pl__watched *item, const pl__watch_state *state)
{
    return item->gap > 0 ? item->gap / state->dt : PL__FILTER_PUSH * item->gap / state->interval;
}

// The impulses of a pair become what stops it, given those of all others: along the normal outwards only, and across it
// at most friction times that. They may also become less again, once others carry the pair. What that changes, relative
// to what matters: along the normal, and in all.
typedef struct
{
    double normal, all;
    bool slips; // a node that stuck does not: as it has been given what was meant for the object too, it has to be done
                // again
} change;

static change stop(const pl__watch *w, pl__watched *item, const pl__watch_state *state, double allowed)
{
    const pl__contact *k = &item->contact;
    double s[3], rub[3], across[3], size2 = 0, rubs2 = 0;
    softness soft = softness_of(w, item, state);
    if (soft.along <= 0)
        return (change){0};
    pl__impulse_relative(k, state->v, NULL, s);
    double along = pl__impulse_dot(s, k->normal), impulse = item->impulse - (along + allowed) / soft.along;
    if (!(impulse > 0))
        impulse = 0;
    if (impulse == 0 && item->impulse == 0)
        return (change){0};
    for (int d = 0; d < 3; ++d)
    {
        across[d] = item->friction_impulse[d] - (soft.across > 0 ? (s[d] - along * k->normal[d]) / soft.across : 0);
        size2 += across[d] * across[d];
    }
    double most = state->friction[item->rule] * impulse, share = size2 > most * most ? most / sqrt(size2) : 1;
    for (int d = 0; d < 3; ++d)
    {
        rub[d] = share * across[d] - item->friction_impulse[d];
        rubs2 += rub[d] * rub[d];
        item->friction_impulse[d] = share * across[d];
    }
    double scale = state->dt / (PL__FILTER_TOLERANCE * item->rest),
           normal = scale * soft.along * fabs(impulse - item->impulse);
    bool slips = give(w, state, k, &soft, impulse - item->impulse, rub);
    item->impulse = impulse;
    return (change){normal, normal + scale * fmax(soft.along, soft.across) * sqrt(rubs2), slips};
}

typedef struct
{
    pl__watch *watch;
    const pl__watch_state *state;
    bool ways; // or speeds
    int32_t sweep;
    bool any[PL__SLABS + 1]; // something still changes
} sweeping;

// Whether velocities have changed since a pair was looked at.
static bool is_due(const pl__watch *w, const pl__watched_time *time)
{
    const int32_t *node = time->node, seen = time->seen;
    return w->changed[node[0]] >= seen || w->changed[node[1]] >= seen || w->changed[node[2]] >= seen ||
           w->changed[node[3]] >= seen;
}

// True if something still changes.
static bool visit(const sweeping *s, int32_t at)
{
    pl__watch *w = s->watch;
    if (!is_due(w, &w->time[at]))
        return false;
    pl__watched *item = &w->item[w->active[at]];
    w->time[at].seen = s->sweep;
    double allowed = s->ways ? allowed_way(item, s->state) : 0;
    change made = stop(w, item, s->state, allowed);
    for (int again = 0; again < PL__FILTER_SLIPS && made.slips; ++again)
    {
        change more = stop(w, item, s->state, allowed);
        made = (change){fmax(made.normal, more.normal), fmax(made.all, more.all), more.slips};
    }
    for (int n = 0; n < 4 && made.all > 1; ++n)
        w->changed[item->contact.node[n]] = s->sweep;
    return made.normal > 1 || made.slips;
}

// Forth and back, so that what presses on a pile is felt at both of its ends.
static void sweep_slabs(void *argument, int32_t begin, int32_t end)
{
    sweeping *s = argument;
    pl__watch *w = s->watch;
    for (int slab = begin; slab < end; ++slab)
    {
        int32_t first = w->slab_begin[slab], count = w->slab_begin[slab + 1] - first;
        bool any = false;
        for (int32_t i = 0; i < count; ++i)
            any |= visit(s, first + (s->sweep % 2 ? count - 1 - i : i));
        s->any[slab] = any;
    }
}

static void filter(pl__watch *w, const pl__watch_state *state, bool ways)
{
    sweeping s = {.watch = w, .state = state, .ways = ways};
    bool any = true;
    list_footholds(w, state);
    memset(w->changed, 0, (size_t)state->node_count * sizeof *w->changed);
    for (; s.sweep < PL__FILTER_SWEEPS && any; ++s.sweep)
    {
        pl__parallel_for(w->ctx, PL__SLABS, 1, sweep_slabs, &s);
        sweep_slabs(&s, PL__SLABS, PL__SLABS + 1);
        any = false;
        for (int slab = 0; slab <= PL__SLABS; ++slab)
            any |= s.any[slab];
    }
    leave_footholds(w, state);
}

void pl__watch_filter_ways(pl__watch *w, const pl__watch_state *state)
{
    w->active_count = w->foothold_count = 0;
    if (w->count == 0)
        return;
    look_ahead(w, state);
    filter(w, state, true);
}

typedef struct
{
    const pl__watch *watch;
    const double *v;
    double work[PL__SLABS + 1];
} rubbing;

// Impulses times the means of what velocities were and have become: that is what they take, in whichever order they
// came about.
static void sum_up_slabs(void *argument, int32_t begin, int32_t end)
{
    rubbing *r = argument;
    const pl__watch *w = r->watch;
    for (int slab = begin; slab < end; ++slab)
    {
        double work = 0;
        for (int32_t i = w->slab_begin[slab]; i < w->slab_begin[slab + 1]; ++i)
        {
            const pl__watched *item = &w->item[w->active[i]];
            double before[3], after[3];
            if (pl__impulse_dot(item->friction_impulse, item->friction_impulse) == 0)
                continue;
            pl__impulse_relative(&item->contact, w->before, NULL, before);
            pl__impulse_relative(&item->contact, r->v, NULL, after);
            work -= 0.5 *
                    (pl__impulse_dot(item->friction_impulse, before) + pl__impulse_dot(item->friction_impulse, after));
        }
        r->work[slab] = work;
    }
}

double pl__watch_filter_speeds(pl__watch *w, const pl__watch_state *state)
{
    rubbing r = {.watch = w, .v = state->v};
    double work = 0;
    w->active_count = w->foothold_count = 0;
    if (w->count == 0)
        return 0;
    memcpy(w->before, state->v, 3 * (size_t)state->node_count * sizeof *w->before);
    look_around(w, state);
    filter(w, state, false);
    pl__parallel_for(w->ctx, PL__SLABS + 1, 1, sum_up_slabs, &r);
    for (int slab = 0; slab <= PL__SLABS; ++slab)
        work += r.work[slab];
    return work;
}

// ---- pairs for a solve -----------------------------------------------------------------------------------------

void pl__watch_relax(pl__watch *w)
{
    w->pressed_count = 0;
    if (w->count > 0)
        memset(w->is_pressed, 0, (size_t)w->count * sizeof *w->is_pressed);
}

// Whether velocities bring an item, which they make meet, nearer than they may.
static bool is_pressed(const pl__watch *w, const pl__watched *item, const pl__watch_state *state)
{
    double s[3];
    if (w->is_pressed[item->pair] || !(item->when < 1))
        return false;
    pl__impulse_relative(&item->contact, state->v, NULL, s);
    return pl__impulse_dot(s, item->contact.normal) + allowed_way(item, state) <
           -PL__PAIR_TOLERANCE * item->rest / state->dt;
}

static void find_earliest(pl__watch *w, const pl__watch_state *state)
{
    for (int32_t n = 0; n < state->node_count; ++n)
        w->earliest[n] = INFINITY;
    for (int32_t i = 0; i < w->active_count; ++i)
    {
        const pl__watched *item = &w->item[w->active[i]];
        for (int n = 0; is_pressed(w, item, state) && n < 4; ++n)
            w->earliest[item->contact.node[n]] = fmin(w->earliest[item->contact.node[n]], item->when);
    }
}

// What stops a node earlier changes its way to what it would meet later.
static bool comes_too_late(const pl__watch *w, const pl__watched *item)
{
    for (int n = 0; n < 4; ++n)
        if (item->when > w->earliest[item->contact.node[n]] + PL__SAME_TIME)
            return true;
    return false;
}

static void add_pressed(pl__watch *w, const pl__watched *item, const pl__watch_state *state)
{
    pl__contact_pair *p = &w->pressed[w->pressed_count++];
    *p = (pl__contact_pair){.contact = item->contact,
                            .rest = item->rest,
                            .allowed = allowed_way(item, state),
                            .friction = state->friction[item->rule],
                            .kind = item->pair < w->vertex_face_count ? PL__VERTEX_FACE : PL__EDGE_EDGE,
                            .held = true};
    w->is_pressed[item->pair] = true;
    for (int n = 0; n < 4; ++n)
    {
        p->free[n] = state->inverse_mass[p->contact.node[n]] > 0;
        for (size_t d = 0; !p->free[n] && d < 3; ++d)
            p->given[d] += p->contact.weight[n] * state->v[3 * (size_t)p->contact.node[n] + d];
    }
}

bool pl__watch_press(pl__watch *w, const pl__watch_state *state, bool touching)
{
    int32_t before = w->pressed_count;
    if (w->count == 0)
        return false;
    look_ahead(w, state);
    find_earliest(w, state);
    for (int32_t i = 0; i < w->active_count; ++i)
    {
        const pl__watched *item = &w->item[w->active[i]];
        if (touching ? item->when == 0 : is_pressed(w, item, state) && !comes_too_late(w, item))
            add_pressed(w, item, state);
    }
    return w->pressed_count > before;
}

// ---- proof -----------------------------------------------------------------------------------------------------

// The points of a pair approach each other by no more than its nodes move relative to each other, which is at most
// twice what they move relative to one of them, or at all.
bool pl__watch_proves(const pl__watch *w, const double *before, const double *after, int32_t node_count)
{
    if (w->foreseen)
        return false;
    double farthest2 = 0, left = w->reach - PL__PROOF_LEAST * w->largest_rest;
    for (size_t i = 0; i < 3 * (size_t)node_count; i += 3)
    {
        double way[3] = {after[i] - before[i], after[i + 1] - before[i + 1], after[i + 2] - before[i + 2]};
        farthest2 = fmax(farthest2, pl__impulse_dot(way, way));
    }
    if (w->count > w->active_count && !(4 * farthest2 < left * left))
        return false;
    for (int32_t i = 0; i < w->active_count; ++i)
    {
        const pl__watched *item = &w->item[w->active[i]];
        double first[3], most2 = 0, apart = item->contact.distance - PL__PROOF_LEAST * item->rest;
        for (size_t n = 0; n < 4; ++n)
        {
            size_t at = 3 * (size_t)item->contact.node[n];
            double way[3] = {after[at] - before[at], after[at + 1] - before[at + 1], after[at + 2] - before[at + 2]};
            if (n == 0)
                memcpy(first, way, sizeof first);
            for (int d = 0; d < 3; ++d)
                way[d] -= first[d];
            most2 = fmax(most2, pl__impulse_dot(way, way));
        }
        if (!(apart > 0 && 4 * most2 < apart * apart))
            return false;
    }
    return true;
}

// src/limit/levels.c
#include "levels.h"

#include <math.h>
#include <string.h>

enum
{
    HELD_PER_NODE = 2,
    NODES_PER_CHUNK = 1024,
    LOOKS = 4 // sweeps between looks whether a level is done: a look costs as much as a sweep
};

// Spacing of a level is 2^l mean edges, times this: greedy choices leave them that much closer.
static const double closer = 0.8;
static const double chord_reach = 1.8; // spacings
// Least squares over nodes in a line or plane are singular across it; this says: constant there.
static const double regular = 1e-9;
// A node of a level whose weights leave it less than this part of the mean mass would fly about: then all weights of
// the level are positive ones, exact for constants only.
static const double least_mass = 0.05;

// ---- choice of nodes ---------------------------------------------------------------------------------------------

static double mean_edge(const pl__ways *w)
{
    double sum = 0;
    int32_t count = w->neighbours.start[w->node_count];
    for (int32_t k = 0; k < count; ++k)
        sum += w->length[k];
    return count > 0 ? sum / count : 0;
}

// From `node`, those that stay: none nearer than `spacing` to one before it, but for held ones.
static pl_status thin(pl__ways *w, const pl__levels_def *def, const int32_t *node, int32_t count, double spacing,
                      int32_t *near, uint8_t *dead, int32_t *kept, int32_t *kept_count)
{
    memset(dead, 0, (size_t)w->node_count);
    *kept_count = 0;
    for (int pass = 0; pass < 2; ++pass)
        for (int32_t i = 0; i < count; ++i)
        {
            bool held = def->held && def->held[node[i]];
            if (dead[node[i]] || held != (pass == 0))
                continue;
            int32_t reached;
            PL_TRY(pl__ways_ball(w, node[i], spacing, near, &reached));
            for (int32_t k = 0; k < reached; ++k)
                dead[near[k]] = 1;
            kept[(*kept_count)++] = i;
        }
    return PL_OK;
}

// ---- chords ------------------------------------------------------------------------------------------------------

typedef struct
{
    pl__limit_element *item;
    size_t count, room;
} elements;

static pl_status add_chord(pl_context *ctx, elements *list, int32_t a, int32_t b, double length, double least,
                           double most)
{
    if (!PL_GROW(ctx, list->item, &list->room, list->count + 1))
        return PL_ERR_MEMORY;
    list->item[list->count++] = (pl__limit_element){.node = {a, b}, .shape = {length}, .bound = {least, most}};
    return PL_OK;
}

// Between nodes of a level that are within reach of each other.
static pl_status list_chords(pl_context *ctx, const pl__levels_def *def, const pl__limit_level *level, double spacing,
                             elements *list)
{
    pl__ways *w = def->ways;
    for (int32_t a = 0; a < level->node_count; ++a)
    {
        PL_TRY(pl__ways_from(w, level->node[a], chord_reach * spacing * 1.1));
        for (int32_t b = a + 1; b < level->node_count; ++b)
        {
            int32_t other = level->node[b];
            if (w->stamp[other] != w->time)
                continue;
            double straight = pl__ways_straight(w, level->node[a], other),
                   length = straight > 0 ? straight : pl__ways_taut(w, level->node[a], other);
            if (length > 0 && length <= chord_reach * spacing)
                PL_TRY(add_chord(ctx, list, a, b, length, -INFINITY, def->bound[other]));
        }
    }
    return PL_OK;
}

pl_status pl__tethers_create(pl_context *ctx, const pl__levels_def *def, const int32_t *node, int32_t count,
                             pl__limit_set *tethers)
{
    pl__ways *w = def->ways;
    *tethers = (pl__limit_set){.kind = PL__LIMIT_TETHER};
    int32_t held_count = 0, *held = PL_NEW(ctx, w->node_count, int32_t),
            *near = PL_NEW(ctx, (size_t)w->node_count * HELD_PER_NODE, int32_t);
    double *distance = PL_NEW(ctx, (size_t)w->node_count * HELD_PER_NODE, double);
    elements list = {0};
    pl_status status = held && near && distance ? PL_OK : PL_ERR_MEMORY;
    for (int32_t n = 0; status == PL_OK && def->held && n < w->node_count; ++n)
        if (def->held[n])
            held[held_count++] = n;
    if (status == PL_OK && held_count > 0)
        status = pl__ways_nearest(w, held, held_count, HELD_PER_NODE, near, distance);
    for (int32_t i = 0; i < count && status == PL_OK && held_count > 0; ++i)
        for (int32_t k = 0; k < HELD_PER_NODE && status == PL_OK; ++k)
        {
            int32_t n = node ? node[i] : i, s = near[n * HELD_PER_NODE + k];
            if (s < 0 || held[s] == n || def->held[n] || !(def->bound[n] > 0))
                continue;
            double straight = pl__ways_straight(w, n, held[s]);
            status = add_chord(ctx, &list, n, held[s], straight > 0 ? straight : distance[n * HELD_PER_NODE + k],
                               def->bound[n], 0);
        }
    if (status == PL_OK)
        status = pl__limit_set_create(ctx, PL__LIMIT_TETHER, list.item, (int32_t)list.count, w->node_count, tethers);
    PL_DELETE(ctx, list.item, list.room);
    PL_DELETE(ctx, held, w->node_count);
    PL_DELETE(ctx, near, (size_t)w->node_count * HELD_PER_NODE);
    PL_DELETE(ctx, distance, (size_t)w->node_count * HELD_PER_NODE);
    return status;
}

// ---- interpolation -----------------------------------------------------------------------------------------------

// Solve A c = (1, 0, 0, 0) for a symmetric positive definite 4 x 4 matrix.
static void solve4(double A[4][4], double c[4])
{
    double L[4][4] = {{0}}, y[4];
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j <= i; ++j)
        {
            double sum = A[i][j];
            for (int k = 0; k < j; ++k)
                sum -= L[i][k] * L[j][k];
            L[i][j] = i == j ? sqrt(fmax(sum, 1e-300)) : sum / L[j][j];
        }
    for (int i = 0; i < 4; ++i)
    {
        y[i] = i == 0 ? 1 : 0;
        for (int k = 0; k < i; ++k)
            y[i] -= L[i][k] * y[k];
        y[i] /= L[i][i];
    }
    for (int i = 3; i >= 0; --i)
    {
        c[i] = y[i];
        for (int k = i + 1; k < 4; ++k)
            c[i] -= L[k][i] * c[k];
        c[i] /= L[i][i];
    }
}

// Weights of the `count` nodes X[k] at distances r[k] for a node at x: exact for linear functions, 1 at a node itself.
static void least_squares(const double *x, const double *const X[], const double r[], int32_t count, bool linear,
                          double weight[])
{
    double reach = 1.02 * r[count - 1], w[PL__LIMIT_NEAREST], z[PL__LIMIT_NEAREST][4], A[4][4] = {{0}}, c[4], sum = 0;
    for (int32_t k = 0; k < count; ++k)
    {
        double near = fmax(1 - r[k] / reach, 1e-3);
        w[k] = near * near / (r[k] * r[k] + 1e-12 * reach * reach) * reach * reach;
        z[k][0] = 1;
        for (int i = 0; i < 3; ++i)
            z[k][1 + i] = (X[k][i] - x[i]) / reach;
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 4; ++j)
                A[i][j] += w[k] * z[k][i] * z[k][j];
    }
    double trace = A[0][0] + A[1][1] + A[2][2] + A[3][3];
    for (int i = 0; i < 4; ++i)
        A[i][i] += regular * trace;
    solve4(A, c);
    for (int32_t k = 0; k < count; ++k)
    {
        weight[k] = w[k] * (linear ? c[0] * z[k][0] + c[1] * z[k][1] + c[2] * z[k][2] + c[3] * z[k][3] : 1);
        sum += weight[k];
    }
    for (int32_t k = 0; k < count; ++k)
        weight[k] /= sum;
}

static void interpolate(const pl__ways *w, const int32_t *node, const int32_t *near, const double *distance,
                        bool linear, pl__limit_level *level)
{
    for (int32_t i = 0; i < level->finer_count; ++i)
    {
        size_t n = (size_t)(node ? node[i] : i) * PL__LIMIT_NEAREST, at = (size_t)i * PL__LIMIT_NEAREST;
        const double *X[PL__LIMIT_NEAREST];
        int32_t count = 0;
        for (; count < PL__LIMIT_NEAREST && near[n + (size_t)count] >= 0; ++count)
            X[count] = &w->rest[3 * (size_t)level->node[near[n + (size_t)count]]];
        for (int32_t k = 0; k < PL__LIMIT_NEAREST; ++k)
        {
            level->follows[at + (size_t)k] = k < count ? near[n + (size_t)k] : -1;
            level->weight[at + (size_t)k] = 0;
        }
        if (count > 0 && (count == 1 || distance[n] == 0))
            level->weight[at] = 1;
        else if (count > 0)
            least_squares(&w->rest[3 * (n / PL__LIMIT_NEAREST)], X, &distance[n], count, linear, &level->weight[at]);
    }
}

// mass = W^T finer
static void sum_masses(const pl__limit_level *level, const double *finer, double *mass)
{
    memset(mass, 0, (size_t)level->node_count * sizeof *mass);
    for (size_t k = 0; k < (size_t)level->finer_count * PL__LIMIT_NEAREST; ++k)
        if (level->follows[k] >= 0)
            mass[level->follows[k]] += level->weight[k] * finer[k / PL__LIMIT_NEAREST];
}

static bool some_mass_vanishes(const pl__limit_level *level)
{
    double sum = 0, least = INFINITY;
    for (int32_t i = 0; i < level->node_count; ++i)
    {
        sum += level->mass[i];
        least = fmin(least, level->mass[i]);
    }
    return level->node_count > 0 && least < least_mass * sum / level->node_count;
}

static pl_status make_weights(pl_context *ctx, const pl__levels_def *def, const int32_t *node, const double *finer_mass,
                              pl__limit_level *level)
{
    pl__ways *w = def->ways;
    size_t size = (size_t)w->node_count * PL__LIMIT_NEAREST;
    int32_t *near = PL_NEW(ctx, size, int32_t);
    double *distance = PL_NEW(ctx, size, double);
    pl_status status = near && distance ? PL_OK : PL_ERR_MEMORY;
    if (status == PL_OK)
        status = pl__ways_nearest(w, level->node, level->node_count, PL__LIMIT_NEAREST, near, distance);
    for (int linear = 1; status == PL_OK && linear >= 0; --linear)
    {
        interpolate(w, node, near, distance, linear, level);
        sum_masses(level, finer_mass, level->mass);
        if (!some_mass_vanishes(level))
            break;
    }
    PL_DELETE(ctx, near, size);
    PL_DELETE(ctx, distance, size);
    return status;
}

// ---- levels ------------------------------------------------------------------------------------------------------

static void destroy_level(pl_context *ctx, pl__limit_level *level)
{
    PL_DELETE(ctx, level->node, level->node_count);
    PL_DELETE(ctx, level->follows, (size_t)level->finer_count * PL__LIMIT_NEAREST);
    PL_DELETE(ctx, level->weight, (size_t)level->finer_count * PL__LIMIT_NEAREST);
    pl__limit_set_destroy(ctx, &level->chords);
    pl__limit_set_destroy(ctx, &level->tethers);
    PL_DELETE(ctx, level->mass, level->node_count);
    PL_DELETE(ctx, level->y, 4 * (size_t)level->node_count + 1);
    PL_DELETE(ctx, level->moved, 3 * (size_t)level->node_count);
}

static pl_status allocate(pl_context *ctx, const int32_t *node, const int32_t *kept, pl__limit_level *level)
{
    level->node = PL_NEW(ctx, level->node_count, int32_t);
    level->follows = PL_NEW(ctx, (size_t)level->finer_count * PL__LIMIT_NEAREST, int32_t);
    level->weight = PL_NEW(ctx, (size_t)level->finer_count * PL__LIMIT_NEAREST, double);
    level->mass = PL_NEW(ctx, level->node_count, double);
    level->y = PL_NEW(ctx, 4 * (size_t)level->node_count + 1, double);
    level->moved = PL_NEW(ctx, 3 * (size_t)level->node_count, double);
    if (!level->node || !level->follows || !level->weight || !level->mass || !level->y || !level->moved)
        return PL_ERR_MEMORY;
    for (int32_t i = 0; i < level->node_count; ++i)
        level->node[i] = node[kept[i]];
    return PL_OK;
}

// Tethers of a level: its nodes by their place in it, as chords have them.
static pl_status tether_level(pl_context *ctx, const pl__levels_def *def, pl__limit_level *level, int32_t *index)
{
    pl__limit_set all;
    PL_TRY(pl__tethers_create(ctx, def, level->node, level->node_count, &all));
    elements list = {0};
    pl_status status = PL_OK;
    for (int32_t e = 0; e < all.count && status == PL_OK; ++e)
    {
        const int32_t *node = pl__limit_nodes(&all, e);
        if (index[node[PL__LIMIT_LANES]] >= 0) // held nodes are in every level unless two are next to each other
            status = add_chord(ctx, &list, index[node[0]], index[node[PL__LIMIT_LANES]], *pl__limit_shape(&all, e, 0),
                               *pl__limit_bound(&all, e, 0), 0);
    }
    if (status == PL_OK)
        status = pl__limit_set_create(ctx, PL__LIMIT_TETHER, list.item, (int32_t)list.count, level->node_count,
                                      &level->tethers);
    PL_DELETE(ctx, list.item, list.room);
    pl__limit_set_destroy(ctx, &all);
    return status;
}

static pl_status join(pl_context *ctx, const pl__levels_def *def, double spacing, int32_t *index,
                      pl__limit_level *level)
{
    for (int32_t n = 0; n < def->ways->node_count; ++n)
        index[n] = -1;
    for (int32_t i = 0; i < level->node_count; ++i)
        index[level->node[i]] = i;
    elements list = {0};
    pl_status status = list_chords(ctx, def, level, spacing, &list);
    if (status == PL_OK)
        status = pl__limit_set_create(ctx, PL__LIMIT_CHORD, list.item, (int32_t)list.count, level->node_count,
                                      &level->chords);
    PL_DELETE(ctx, list.item, list.room);
    if (status == PL_OK)
        status = tether_level(ctx, def, level, index);
    return status;
}

// Levels until they are no smaller than the one before, or single nodes.
static pl_status build(pl_context *ctx, const pl__levels_def *def, int32_t *node, int32_t count, int32_t *near,
                       int32_t *index, uint8_t *dead, int32_t *kept, pl__limit_levels *levels)
{
    pl__ways *w = def->ways;
    double spacing = mean_edge(w);
    const double *finer_mass = def->mass;
    const int32_t *finer_node = NULL;
    int32_t finer_count = w->node_count;
    for (int32_t l = 0; l < def->most && l < PL__LIMIT_LEVELS; ++l)
    {
        int32_t kept_count;
        spacing *= 2;
        PL_TRY(thin(w, def, node, count, closer * spacing, near, dead, kept, &kept_count));
        pl__limit_level *level = &levels->level[l];
        level->node_count = kept_count;
        level->finer_count = finer_count;
        if (kept_count >= count || kept_count < 2)
        {
            *level = (pl__limit_level){0};
            break;
        }
        levels->count = l + 1;
        PL_TRY(allocate(ctx, node, kept, level));
        PL_TRY(make_weights(ctx, def, finer_node, finer_mass, level));
        PL_TRY(join(ctx, def, spacing, index, level));
        finer_mass = level->mass;
        finer_node = level->node;
        finer_count = count = kept_count;
        memcpy(node, level->node, (size_t)count * sizeof *node);
    }
    return PL_OK;
}

pl_status pl__levels_create(pl_context *ctx, const pl__levels_def *def, pl__limit_levels *levels)
{
    *levels = (pl__limit_levels){0};
    int32_t n = def->ways->node_count, count = 0;
    int32_t *node = PL_NEW(ctx, n, int32_t), *near = PL_NEW(ctx, n, int32_t), *index = PL_NEW(ctx, n, int32_t),
            *kept = PL_NEW(ctx, n, int32_t);
    uint8_t *dead = PL_NEW(ctx, n, uint8_t);
    pl_status status = node && near && index && kept && dead ? PL_OK : PL_ERR_MEMORY;
    for (int32_t i = 0; status == PL_OK && i < n; ++i)
        if (def->bound[i] > 0 && def->ways->neighbours.start[i + 1] > def->ways->neighbours.start[i])
            node[count++] = i;
    if (status == PL_OK && count > 0)
        status = build(ctx, def, node, count, near, index, dead, kept, levels);
    PL_DELETE(ctx, node, n);
    PL_DELETE(ctx, near, n);
    PL_DELETE(ctx, index, n);
    PL_DELETE(ctx, kept, n);
    PL_DELETE(ctx, dead, n);
    if (status != PL_OK)
        pl__levels_destroy(ctx, levels);
    return status;
}

void pl__levels_destroy(pl_context *ctx, pl__limit_levels *levels)
{
    for (int32_t l = 0; l < levels->count; ++l)
        destroy_level(ctx, &levels->level[l]);
    *levels = (pl__limit_levels){0};
}

static void bound_set(const pl__limit_set *set, int32_t b, const int32_t *node, const double *reference,
                      const double *factor, const int32_t *piece)
{
    for (int32_t e = 0; e < set->count; ++e)
    {
        int32_t n = *pl__limit_nodes(set, e);
        n = node ? node[n] : n;
        *pl__limit_bound(set, e, b) = reference[n] * factor[piece[n]];
    }
}

void pl__levels_bound(const pl__limit_levels *levels, const pl__limit_set *tethers, const double *reference,
                      const double *factor, const int32_t *piece)
{
    bound_set(tethers, 0, NULL, reference, factor, piece);
    for (int32_t l = 0; l < levels->count; ++l)
    {
        const pl__limit_level *level = &levels->level[l];
        bound_set(&level->chords, 1, level->node, reference, factor, piece);
        bound_set(&level->tethers, 0, level->node, reference, factor, piece);
    }
}

// ---- a pass ------------------------------------------------------------------------------------------------------

void pl__levels_weigh(pl__limit_levels *levels, const double *inverse_mass)
{
    const pl__limit_level *finer = NULL;
    for (int32_t l = 0; l < levels->count; ++l)
    {
        pl__limit_level *level = &levels->level[l];
        memset(level->mass, 0, (size_t)level->node_count * sizeof *level->mass);
        for (size_t k = 0; k < (size_t)level->finer_count * PL__LIMIT_NEAREST; ++k)
        {
            size_t i = k / PL__LIMIT_NEAREST;
            double mass = finer ? finer->mass[i] : inverse_mass[i] > 0 ? 1 / inverse_mass[i] : 0;
            if (level->follows[k] >= 0)
                level->mass[level->follows[k]] += level->weight[k] * mass;
        }
        for (int32_t i = 0; i < level->node_count; ++i)
            level->y[4 * (size_t)i + 3] =
                inverse_mass[level->node[i]] > 0 && level->mass[i] > 0 ? 1 / level->mass[i] : 0;
        finer = level;
    }
}

typedef struct
{
    const pl__limit_level *level;
    const pl__limit_level *finer; // NULL: the bodies
    double *y;                    // of the bodies
} task;

// How far the coarser level takes a node.
static void followed(const pl__limit_level *level, int32_t i, double d[3])
{
    d[0] = d[1] = d[2] = 0;
    for (size_t k = (size_t)i * PL__LIMIT_NEAREST; k < ((size_t)i + 1) * PL__LIMIT_NEAREST; ++k)
        for (int c = 0; level->follows[k] >= 0 && c < 3; ++c)
            d[c] += level->weight[k] * level->moved[3 * (size_t)level->follows[k] + (size_t)c];
}

// Nodes of the finer level, from where the bodies are.
static void descend(void *argument, int32_t begin, int32_t end)
{
    const task *t = argument;
    for (int32_t i = begin; i < end; ++i)
    {
        const double *at = t->finer ? &t->y[4 * (size_t)t->finer->node[i]] : &t->y[4 * (size_t)i];
        double *to = t->finer ? &t->finer->y[4 * (size_t)i] : &t->y[4 * (size_t)i], d[3] = {0, 0, 0};
        if (t->level && to[3] > 0)
            followed(t->level, i, d);
        for (int c = 0; c < 3; ++c)
            to[c] = at[c] + d[c];
    }
}

static void note_motion(void *argument, int32_t begin, int32_t end)
{
    const task *t = argument;
    for (int32_t i = begin; i < end; ++i)
        for (size_t c = 0; c < 3; ++c)
            t->level->moved[3 * (size_t)i + c] =
                t->level->y[4 * (size_t)i + c] - t->y[4 * (size_t)t->level->node[i] + c];
}

// Sweeps over a level that stop once nothing is beyond its bounds.
static int64_t sweep_level(pl_context *ctx, int32_t bytes, const pl__limit_level *level, int32_t sweeps)
{
    int64_t updates = 0;
    for (int32_t k = 0; k < sweeps; ++k)
    {
        if (k % LOOKS == 0 &&
            pl__limit_set_measure(ctx, bytes, &level->chords, PL__LIMIT_KEEP, level->y).over +
                    pl__limit_set_measure(ctx, bytes, &level->tethers, PL__LIMIT_KEEP, level->y).over ==
                0)
            break;
        pl__limit_set_sweep(ctx, bytes, &level->tethers, 1, level->y);
        pl__limit_set_sweep(ctx, bytes, &level->chords, 1, level->y);
        updates += level->tethers.count + level->chords.count;
    }
    return updates;
}

void pl__levels_set_bounds(pl_context *ctx, int32_t register_bytes, const pl__limit_levels *levels,
                           pl__limit_bounds bounds, const double *y)
{
    for (int32_t l = 0; l < levels->count; ++l)
    {
        const pl__limit_level *level = &levels->level[l];
        task t = {NULL, level, (double *)y};
        pl__parallel_for(ctx, level->node_count, NODES_PER_CHUNK, descend, &t);
        (void)pl__limit_set_measure(ctx, register_bytes, &level->chords, bounds, level->y);
        (void)pl__limit_set_measure(ctx, register_bytes, &level->tethers, bounds, level->y);
    }
}

int64_t pl__levels_apply(pl_context *ctx, int32_t register_bytes, const pl__limit_levels *levels, int32_t sweeps,
                         double *y, int32_t node_count)
{
    int64_t updates = 0;
    for (int32_t l = levels->count - 1; l >= 0; --l)
    {
        const pl__limit_level *level = &levels->level[l];
        task t = {l + 1 < levels->count ? &levels->level[l + 1] : NULL, level, y};
        pl__parallel_for(ctx, level->node_count, NODES_PER_CHUNK, descend, &t);
        updates += sweep_level(ctx, register_bytes, level, sweeps);
        t.level = level;
        pl__parallel_for(ctx, level->node_count, NODES_PER_CHUNK, note_motion, &t);
    }
    if (levels->count > 0)
    {
        task t = {&levels->level[0], NULL, y};
        pl__parallel_for(ctx, node_count, NODES_PER_CHUNK, descend, &t);
    }
    return updates;
}

// src/element/director.c -- directors of groups of bends: twins of edges, and relaxation rates.
#include "director.h"
#include "bend.h"

static const double relaxation = 0.6;

static size_t moment_count(const pl__element_group *group) { return 3 * PL_ELEMENT_LANES * (size_t)group->block_count; }

// index of an edge in the moments of its group
static int32_t place_of(int32_t edge)
{
    int32_t element = edge / 3, row = 3 * (element / PL_ELEMENT_LANES) + edge % 3;
    return row * PL_ELEMENT_LANES + element % PL_ELEMENT_LANES;
}

static int32_t *twin_of(pl__element_group *group, int32_t edge)
{
    int32_t element = edge / 3;
    return &group->director[element / PL_ELEMENT_LANES].twin[edge % 3][element % PL_ELEMENT_LANES];
}

pl_status pl__directors_create(pl_context *ctx, pl__element_group *group)
{
    group->director = PL_NEW(ctx, group->block_count, pl__director_block);
    group->moment[0] = PL_NEW(ctx, moment_count(group), double);
    group->moment[1] = PL_NEW(ctx, moment_count(group), double);
    if (!group->director || !group->moment[0] || !group->moment[1])
        return PL_ERR_MEMORY;
    for (int32_t edge = 0; edge < 3 * PL_ELEMENT_LANES * group->block_count; ++edge)
        *twin_of(group, edge) = place_of(edge);
    return PL_OK;
}

void pl__directors_destroy(pl_context *ctx, pl__element_group *group)
{
    PL_DELETE(ctx, group->director, group->block_count);
    PL_DELETE(ctx, group->moment[0], moment_count(group));
    PL_DELETE(ctx, group->moment[1], moment_count(group));
}

void pl__directors_join(pl__element_group *group, int32_t edge, int32_t twin)
{
    *twin_of(group, edge) = place_of(twin);
}

// K_ee without the share, by its index in the moments
static double stiffness_at(const pl__element_group *group, int32_t place)
{
    const pl__bend_rest *rest = &group->bend[place / (3 * PL_ELEMENT_LANES)];
    int32_t i = place / PL_ELEMENT_LANES % 3, lane = place % PL_ELEMENT_LANES;
    return rest->stiffness[i][lane] * (rest->inverse_share[i][lane] * rest->inverse_share[i][lane]);
}

static bool is_held(const pl__element_group *group, int32_t place)
{
    return group->bend[place / (3 * PL_ELEMENT_LANES)].held[place % PL_ELEMENT_LANES];
}

void pl__directors_set_rates(pl__element_group *group)
{
    for (int32_t edge = 0; edge < 3 * PL_ELEMENT_LANES * group->block_count; ++edge)
    {
        int32_t place = place_of(edge), twin = *twin_of(group, edge), element = edge / 3;
        bool held = is_held(group, place) || is_held(group, twin);
        double sum = held ? 0 : stiffness_at(group, place) + stiffness_at(group, twin);
        group->director[element / PL_ELEMENT_LANES].rate[edge % 3][element % PL_ELEMENT_LANES] =
            sum > 0 ? relaxation / sum : 0;
    }
}

void pl__directors_hold(pl__element_group *group)
{
    for (int32_t edge = 0; edge < 3 * group->count; ++edge)
    {
        int32_t place = place_of(edge), twin = *twin_of(group, edge), element = edge / 3,
                lane = element % PL_ELEMENT_LANES;
        pl__bend_rest *rest = &group->bend[element / PL_ELEMENT_LANES];
        bool clamped = is_held(group, place) || is_held(group, twin);
        pl__bend_rest_set_share(rest, lane, edge % 3, clamped);
        if (clamped)
            rest->delta[edge % 3][lane] = 0;
    }
    for (int32_t i = 0; i < group->count; ++i)
        pl__bend_rest_refresh(&group->bend[i / PL_ELEMENT_LANES], i % PL_ELEMENT_LANES);
    pl__directors_set_rates(group);
}

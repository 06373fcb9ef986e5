// src/element/plasticity.c -- plastic blocks of groups of elements.
#include "plasticity.h"
#include "bend.h"
#include "hex.h"
#include "tet.h"
#include "triangle.h"

int32_t pl__plasticity_points(pl__element_kind kind)
{
    switch (kind)
    {
    case PL__TET:
    case PL__TRIANGLE: return 1;
    case PL__HEX: return PL_HEX_POINTS;
    default: return 0;
    }
}

// Index of a point of an element.
static pl__plastic_block *block_of(const pl__element_group *group, int32_t element, int32_t point)
{
    return &group->plastic[(size_t)(element / PL_ELEMENT_LANES) * (size_t)pl__plasticity_points(group->kind) +
                           (size_t)point];
}

static size_t block_count(const pl__element_group *group)
{
    return (size_t)group->block_count * (size_t)pl__plasticity_points(group->kind);
}

// B of an element at a point, before any plastic flow.
static void keep_rest(const pl__element_group *group, int32_t element, int32_t point)
{
    double(*B)[PL_ELEMENT_LANES] = block_of(group, element, point)->rest;
    int32_t block = element / PL_ELEMENT_LANES, lane = element % PL_ELEMENT_LANES;
    for (int k = 0; k < 9; ++k)
        switch (group->kind)
        {
        case PL__TET: B[k][lane] = group->tet[block].inverse[k][lane]; break;
        case PL__HEX: B[k][lane] = group->hex[block].inverse[point][k][lane]; break;
        case PL__TRIANGLE:
            B[k][lane] = k / 3 < 2 && k % 3 < 2 ? group->triangle[block].inverse[2 * (k / 3) + k % 3][lane] : 0;
            break;
        default: break;
        }
}

// ---- lifetime --------------------------------------------------------------------------------------------------

pl_status pl__plasticity_create(pl_context *ctx, pl__element_group *group)
{
    group->plastic = PL_NEW(ctx, block_count(group), pl__plastic_block);
    if (!group->plastic)
        return PL_ERR_MEMORY;
    for (int32_t element = 0; element < group->block_count * PL_ELEMENT_LANES; ++element)
        for (int32_t q = 0; q < pl__plasticity_points(group->kind); ++q)
        {
            pl__plastic_clear(block_of(group, element, q), element % PL_ELEMENT_LANES);
            keep_rest(group, element, q);
        }
    return PL_OK;
}

void pl__plasticity_destroy(pl_context *ctx, pl__element_group *group)
{
    if (group->plastic)
        PL_DELETE(ctx, group->plastic, block_count(group));
}

// ---- parameters ------------------------------------------------------------------------------------------------

void pl__plasticity_set_params(pl__element_group *group, int32_t element, const pl__plastic_params *params)
{
    for (int32_t q = 0; q < pl__plasticity_points(group->kind); ++q)
        pl__plastic_set_params(block_of(group, element, q), element % PL_ELEMENT_LANES, params);
}

void pl__plasticity_set_goal(pl__element_group *group, int32_t element, const pl_mat3 *Fp)
{
    for (int32_t q = 0; q < pl__plasticity_points(group->kind); ++q)
        pl__plastic_set_goal(block_of(group, element, q), element % PL_ELEMENT_LANES, Fp);
}

// sum_k V/m_k b_k b_k^T of a simplex, b_k the rows of B and, for corner 0, minus their sum
static void simplex_spread(pl__plastic_block *block, int32_t lane, int n, double volume, const double *mass_share)
{
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    double b[4][3] = {{0}};
    for (int k = 0; k < n; ++k)
        for (int j = 0; j < n; ++j)
        {
            b[k + 1][j] = block->rest[3 * j + k][lane];
            b[0][j] -= b[k + 1][j];
        }
    for (int e = 0; e < 6; ++e)
    {
        double sum = 0;
        for (int k = 0; k <= n; ++k)
            sum += volume / mass_share[k] * b[k][row[e]] * b[k][column[e]];
        block->spread[e][lane] = sum;
    }
}

void pl__plasticity_set_spread(pl__element_group *group, int32_t element, const double mass_share[PL_ELEMENT_CORNERS])
{
    int32_t block = element / PL_ELEMENT_LANES, lane = element % PL_ELEMENT_LANES;
    switch (group->kind)
    {
    case PL__TET: simplex_spread(&group->plastic[block], lane, 3, group->tet[block].volume[lane], mass_share); return;
    case PL__TRIANGLE:
        simplex_spread(&group->plastic[block], lane, 2, group->triangle[block].volume[lane], mass_share);
        return;
    default: return;
    }
}

// ---- state -----------------------------------------------------------------------------------------------------

void pl__plasticity_get(const pl__element_group *group, int32_t element, double *state)
{
    int32_t lane = element % PL_ELEMENT_LANES;
    for (int32_t q = 0; q < pl__plasticity_points(group->kind); ++q, state += PL_FLOW_NUMBERS)
    {
        const pl__plastic_block *block = block_of(group, element, q);
        for (int k = 0; k < 9; ++k)
            state[k] = block->Fp[k][lane];
        state[9] = block->hardened[lane];
    }
}

void pl__plasticity_put(pl__element_group *group, int32_t element, const double *state)
{
    int32_t lane = element % PL_ELEMENT_LANES;
    for (int32_t q = 0; q < pl__plasticity_points(group->kind); ++q, state += PL_FLOW_NUMBERS)
    {
        pl__plastic_block *block = block_of(group, element, q);
        for (int k = 0; k < 9; ++k)
            block->Fp[k][lane] = state[k];
        block->hardened[lane] = state[9];
    }
}

bool pl__plasticity_happened(const pl__element_group *group)
{
    for (int32_t i = 0; group->kind == PL__BEND && group->flows && i < 3 * group->count; ++i)
        if (group->bend[i / 3 / PL_ELEMENT_LANES].flowed[i % 3][i / 3 % PL_ELEMENT_LANES] > 0)
            return true;
    for (size_t b = 0; group->plastic && b < block_count(group); ++b)
        for (int lane = 0; lane < PL_ELEMENT_LANES; ++lane)
            if (group->plastic[b].hardened[lane] > 0)
                return true;
    return false;
}

void pl__plasticity_refresh(int32_t register_bytes, pl__element_group *group)
{
    if (group->additive)
        return;
    switch (group->kind)
    {
    case PL__TET: PL_PICK(register_bytes, pl__tet_flow_refresh)(group); return;
    case PL__HEX: PL_PICK(register_bytes, pl__hex_flow_refresh)(group); return;
    case PL__TRIANGLE: PL_PICK(register_bytes, pl__triangle_flow_refresh)(group); return;
    default: return;
    }
}

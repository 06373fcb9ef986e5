// src/solid/plastic_state.c -- internal state of a body's elements as a flat array: plastic deformation and directors.
#include "plastic_state.h"
#include "element/bend.h"
#include "element/plasticity.h"
#include "element/hex.h"

#include <string.h>

enum
{
    MOST_NUMBERS = PL_HEX_POINTS * PL_FLOW_NUMBERS // most doubles per element
};

// Doubles per element of the group.
static size_t numbers_of(const pl__element_group *group)
{
    if (group->kind == PL__BEND)
        return (group->director ? 3 : 0) + (group->flows ? 6 : 0);
    return group->plastic ? (size_t)pl__plasticity_points(group->kind) * PL_FLOW_NUMBERS : 0;
}

size_t pl__body_plastic_length(const pl__body *body)
{
    size_t length = 0;
    for (int32_t g = 0; g < body->group_count; ++g)
        length += (size_t)body->group[g].count * numbers_of(&body->group[g]);
    return length;
}

// ---- bends -----------------------------------------------------------------------------------------------------

// Pointers to the state variables of a bend, in storage order.
static void list_bend(const pl__element_group *group, int32_t element, double *number[9])
{
    pl__bend_rest *rest = &group->bend[element / PL_ELEMENT_LANES];
    int32_t lane = element % PL_ELEMENT_LANES;
    for (int i = 0; group->director && i < 3; ++i)
        *number++ = &rest->delta[i][lane];
    for (int i = 0; group->flows && i < 6; ++i)
        *number++ = i < 3 ? &rest->angle[i][lane] : &rest->flowed[i - 3][lane];
}

static void get_element(const pl__element_group *group, int32_t element, double *state)
{
    double *number[9];
    if (group->kind != PL__BEND)
    {
        pl__plasticity_get(group, element, state);
        return;
    }
    list_bend(group, element, number);
    for (size_t k = 0; k < numbers_of(group); ++k)
        state[k] = *number[k];
}

static void put_element(pl__element_group *group, int32_t element, const double *state)
{
    double *number[9];
    if (group->kind != PL__BEND)
    {
        pl__plasticity_put(group, element, state);
        return;
    }
    list_bend(group, element, number);
    for (size_t k = 0; k < numbers_of(group); ++k)
        *number[k] = state[k];
}

// ---- bodies ----------------------------------------------------------------------------------------------------

void pl__body_get_plastic(const pl__body *body, char *to)
{
    for (int32_t g = 0; g < body->group_count; ++g)
    {
        size_t bytes = numbers_of(&body->group[g]) * sizeof(double);
        for (int32_t i = 0; bytes && i < body->group[g].count; ++i, to += bytes)
        {
            double state[MOST_NUMBERS];
            get_element(&body->group[g], i, state);
            memcpy(to, state, bytes);
        }
    }
}

// Fp of every quadrature point, by column; the numbers of bends only have to be finite.
static bool is_sound(const pl__element_group *group, const double *state)
{
    for (int32_t q = 0; q < pl__plasticity_points(group->kind); ++q)
    {
        pl_mat3 Fp;
        memcpy(&Fp, &state[q * PL_FLOW_NUMBERS], sizeof Fp);
        if (!(pl_det3(&Fp) > 0))
            return false;
    }
    return true;
}

bool pl__body_plastic_is_sound(const pl__body *body, const char *from)
{
    for (int32_t g = 0; g < body->group_count; ++g)
    {
        size_t bytes = numbers_of(&body->group[g]) * sizeof(double);
        for (int32_t i = 0; bytes && i < body->group[g].count; ++i, from += bytes)
        {
            double state[MOST_NUMBERS];
            memcpy(state, from, bytes);
            if (!is_sound(&body->group[g], state))
                return false;
        }
    }
    return true;
}

void pl__body_put_plastic(pl__body *body, const char *from)
{
    for (int32_t g = 0; g < body->group_count; ++g)
    {
        size_t bytes = numbers_of(&body->group[g]) * sizeof(double);
        for (int32_t i = 0; bytes && i < body->group[g].count; ++i, from += bytes)
        {
            double state[MOST_NUMBERS];
            memcpy(state, from, bytes);
            put_element(&body->group[g], i, state);
        }
        if (bytes)
            pl__plasticity_refresh(body->ctx->register_bytes, &body->group[g]);
    }
}

// Group and index of the elements of a kind in a body, by mesh element.
static void locate(const pl__body *body, pl__element_kind kind, int32_t (*where)[2])
{
    for (int32_t g = 0; g < body->group_count; ++g)
        for (int32_t i = 0; body->group[g].kind == kind && i < body->group[g].count; ++i)
        {
            where[body->group[g].source[i]][0] = g;
            where[body->group[g].source[i]][1] = i;
        }
}

static void carry_group(const pl__body *body, const int32_t (*where)[2], pl__element_group *group)
{
    for (int32_t i = 0; i < group->count; ++i)
    {
        double state[MOST_NUMBERS];
        const int32_t *at = where[group->source[i]];
        get_element(&body->group[at[0]], at[1], state);
        put_element(group, i, state);
    }
}

pl_status pl__body_carry_flow(const pl__body *body, pl__body *to)
{
    if (pl__body_plastic_length(to) == 0)
        return PL_OK;
    int32_t(*where)[2] = pl__calloc(body->ctx, (size_t)body->element_count, sizeof *where);
    if (!where)
        return PL_ERR_MEMORY;
    for (int32_t g = 0; g < to->group_count; ++g)
    {
        pl__element_group *group = &to->group[g];
        if (numbers_of(group) == 0)
            continue;
        locate(body, group->kind, where);
        carry_group(body, (const int32_t(*)[2])where, group);
        pl__plasticity_refresh(to->ctx->register_bytes, group);
    }
    PL_DELETE(body->ctx, where, body->element_count);
    return PL_OK;
}

void pl__body_reset_directors(pl__body *body)
{
    for (int32_t g = 0; g < body->group_count; ++g)
        for (int32_t b = 0; body->group[g].kind == PL__BEND && b < body->group[g].block_count; ++b)
            memset(body->group[g].bend[b].delta, 0, sizeof body->group[g].bend[b].delta);
}

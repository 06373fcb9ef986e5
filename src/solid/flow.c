// src/solid/flow.c -- what has flowed in a body, as numbers to keep.
#include "flow.h"
#include "element/flow.h"
#include "element/hex.h"

#include <string.h>

enum
{
    MOST_NUMBERS = PL_HEX_POINTS * PL_FLOW_NUMBERS // of an element
};

static size_t numbers_of(const pl__element_group *group)
{
    return group->plastic ? (size_t)pl__flow_points(group->kind) * PL_FLOW_NUMBERS : 0;
}

size_t pl__body_flow_length(const pl__body *body)
{
    size_t length = 0;
    for (int32_t g = 0; g < body->group_count; ++g)
        length += (size_t)body->group[g].count * numbers_of(&body->group[g]);
    return length;
}

void pl__body_get_flow(const pl__body *body, char *to)
{
    for (int32_t g = 0; g < body->group_count; ++g)
    {
        size_t bytes = numbers_of(&body->group[g]) * sizeof(double);
        for (int32_t i = 0; bytes && i < body->group[g].count; ++i, to += bytes)
        {
            double state[MOST_NUMBERS];
            pl__flow_get(&body->group[g], i, state);
            memcpy(to, state, bytes);
        }
    }
}

// Fp of every point, by column.
static bool is_sound(const double *state, size_t points)
{
    for (size_t q = 0; q < points; ++q)
    {
        pl_mat3 Fp;
        memcpy(&Fp, &state[q * PL_FLOW_NUMBERS], sizeof Fp);
        if (!(pl_det3(&Fp) > 0))
            return false;
    }
    return true;
}

bool pl__body_flow_is_sound(const pl__body *body, const char *from)
{
    for (int32_t g = 0; g < body->group_count; ++g)
    {
        size_t bytes = numbers_of(&body->group[g]) * sizeof(double);
        for (int32_t i = 0; bytes && i < body->group[g].count; ++i, from += bytes)
        {
            double state[MOST_NUMBERS];
            memcpy(state, from, bytes);
            if (!is_sound(state, bytes / (PL_FLOW_NUMBERS * sizeof(double))))
                return false;
        }
    }
    return true;
}

void pl__body_put_flow(pl__body *body, const char *from)
{
    for (int32_t g = 0; g < body->group_count; ++g)
    {
        size_t bytes = numbers_of(&body->group[g]) * sizeof(double);
        for (int32_t i = 0; bytes && i < body->group[g].count; ++i, from += bytes)
        {
            double state[MOST_NUMBERS];
            memcpy(state, from, bytes);
            pl__flow_put(&body->group[g], i, state);
        }
        if (bytes)
            pl__flow_refresh(body->ctx->register_bytes, &body->group[g]);
    }
}

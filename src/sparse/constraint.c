// src/sparse/constraint.c -- see constraint.h.
#include "constraint.h"

#include <string.h>

int32_t pl__constraints_first(const pl__constraints *c, int32_t node)
{
    int32_t low = 0, high = c->single_count;
    while (low < high)
    {
        int32_t middle = low + (high - low) / 2;
        if (c->single[middle].node < node)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void take_along(const double d[3], double share, double v[3])
{
    double along = share * (d[0] * v[0] + d[1] * v[1] + d[2] * v[2]);
    for (int i = 0; i < 3; ++i)
        v[i] -= along * d[i];
}

void pl__constraint_hold(const pl__node_constraint *s, double v[3])
{
    if (s->count == 3)
    {
        v[0] = v[1] = v[2] = 0;
        return;
    }
    for (int32_t k = 0; k < s->count; ++k)
        take_along(s->direction[k], 1, v);
}

static void project_link(const pl__link_constraint *l, const double *inverse_mass, double *u)
{
    double value = 0, compliance = 0;
    for (int32_t k = 0; k < l->count; ++k)
    {
        const double *v = &u[3 * (size_t)l->node[k]];
        value += l->weight[k] * (l->direction[0] * v[0] + l->direction[1] * v[1] + l->direction[2] * v[2]);
        compliance += l->weight[k] * l->weight[k] * inverse_mass[3 * (size_t)l->node[k]];
    }
    if (compliance <= 0)
        return;
    double impulse = value / compliance;
    for (int32_t k = 0; k < l->count; ++k)
    {
        double *v = &u[3 * (size_t)l->node[k]];
        double change = impulse * l->weight[k] * inverse_mass[3 * (size_t)l->node[k]];
        for (int i = 0; i < 3; ++i)
            v[i] -= change * l->direction[i];
    }
}

void pl__constraints_project_nodes(const pl__constraints *c, int32_t begin, int32_t end, double *u)
{
    if (!c)
        return;
    for (int32_t i = pl__constraints_first(c, begin); i < c->single_count && c->single[i].node < end; ++i)
    {
        pl__constraint_hold(&c->single[i], &u[3 * (size_t)c->single[i].node]);
        if (c->single[i].slow > 0)
            take_along(c->single[i].along, c->single[i].slow, &u[3 * (size_t)c->single[i].node]);
    }
}

// Per direction d, with g = B d: B -= g g^T/(d.g) constrains it, and B -= g g^T/(d.g + 1/drag) is the inverse with a
// drag along it.
static void hold_block(const double d[3], double compliance, double B[6], double u[3])
{
    double g[3] = {B[0] * d[0] + B[3] * d[1] + B[4] * d[2], B[3] * d[0] + B[1] * d[1] + B[5] * d[2],
                   B[4] * d[0] + B[5] * d[1] + B[2] * d[2]};
    double along = d[0] * g[0] + d[1] * g[1] + d[2] * g[2] + compliance;
    if (!(along > 0))
        return;
    double share = (d[0] * u[0] + d[1] * u[1] + d[2] * u[2]) / along;
    for (int i = 0; i < 3; ++i)
    {
        u[i] -= share * g[i];
        B[i] -= g[i] * g[i] / along;
    }
    B[3] -= g[0] * g[1] / along;
    B[4] -= g[0] * g[2] / along;
    B[5] -= g[1] * g[2] / along;
}

void pl__constraints_hold_blocks(const pl__constraints *c, const double *block, int32_t begin, int32_t end, double *u)
{
    if (!c)
        return;
    for (int32_t i = pl__constraints_first(c, begin); i < c->single_count && c->single[i].node < end; ++i)
    {
        const pl__node_constraint *s = &c->single[i];
        size_t n = (size_t)s->node;
        double B[6];
        memcpy(B, &block[6 * n], sizeof B);
        for (int32_t k = 0; s->count < 3 && k < s->count; ++k)
            hold_block(s->direction[k], 0, B, &u[3 * n]);
        if (s->count < 3 && s->drag > 0)
            hold_block(s->along, 1 / s->drag, B, &u[3 * n]);
        pl__constraint_hold(s, &u[3 * n]);
    }
}

void pl__constraints_project(const pl__constraints *c, double *u)
{
    if (!c)
        return;
    pl__constraints_project_nodes(c, 0, INT32_MAX, u);
    if (c->link_count == 0)
        return;
    for (int32_t sweep = 0; sweep < c->sweeps; ++sweep)
    {
        for (int32_t i = 0; i < c->link_count; ++i)
            project_link(&c->link[i], c->inverse_mass, u);
        for (int32_t i = c->link_count - 1; i >= 0; --i)
            project_link(&c->link[i], c->inverse_mass, u);
    }
    // the nodes once more: the product of projections is then palindromic, hence self-adjoint
    pl__constraints_project_nodes(c, 0, INT32_MAX, u);
}

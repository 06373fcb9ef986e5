// src/element/fibers.c -- fibres in solid elements.
#include "fibers.h"
#include "material/fiber.h"

#include <math.h>

pl_status pl__fibers_create(pl_context *ctx, pl__element_group *group)
{
    group->fiber = PL_NEW(ctx, group->block_count, pl__fiber_block);
    for (int32_t i = 0; group->fiber && i < group->block_count * PL_ELEMENT_LANES; ++i)
        group->fiber[i / PL_ELEMENT_LANES].optimal[i % PL_ELEMENT_LANES] = 1;
    return group->fiber ? PL_OK : PL_ERR_MEMORY;
}

void pl__fibers_destroy(pl_context *ctx, pl__element_group *group) { PL_DELETE(ctx, group->fiber, group->block_count); }

void pl__fibers_set_axis(pl__element_group *group, int32_t element, const double axis[3])
{
    pl__fiber_block *block = &group->fiber[element / PL_ELEMENT_LANES];
    double largest = fmax(fmax(fabs(axis[0]), fabs(axis[1])), fabs(axis[2])), length2 = 0;
    for (int i = 0; i < 3 && largest > 0; ++i)
        length2 += axis[i] / largest * (axis[i] / largest);
    for (int i = 0; i < 3; ++i)
        block->axis[i][element % PL_ELEMENT_LANES] = largest > 0 ? axis[i] / largest / sqrt(length2) : 0;
}

void pl__fibers_set_material(pl__element_group *group, int32_t element, const pl_material_def *def)
{
    pl__fiber_block *block = &group->fiber[element / PL_ELEMENT_LANES];
    int32_t lane = element % PL_ELEMENT_LANES;
    bool none = block->axis[0][lane] == 0 && block->axis[1][lane] == 0 && block->axis[2][lane] == 0;
    block->strength[lane] = none ? 0 : def->fiber_strength;
    block->optimal[lane] = def->fiber_optimal;
    block->activation[lane] = def->activation;
}

bool pl__fibers_pull(const pl__element_group *group)
{
    for (int32_t i = 0; group->fiber && i < group->count; ++i)
    {
        const pl__fiber_block *block = &group->fiber[i / PL_ELEMENT_LANES];
        if (block->strength[i % PL_ELEMENT_LANES] * block->activation[i % PL_ELEMENT_LANES] > 0)
            return true;
    }
    return false;
}

void pl__fibers_add_reference(const pl__fiber_block *block, int32_t lane, const pl_mat3 *F, pl_mat3 *P, double *psi)
{
    pl__fiber fiber = {block->strength[lane], block->optimal[lane], block->activation[lane]};
    double a[3], Fa[3], energy, pull, stiffness;
    for (int j = 0; j < 3; ++j)
        a[j] = block->axis[j][lane];
    for (int i = 0; i < 3; ++i)
        Fa[i] = F->c[0][i] * a[0] + F->c[1][i] * a[1] + F->c[2][i] * a[2];
    pl__fiber_pull(&fiber, Fa[0] * Fa[0] + Fa[1] * Fa[1] + Fa[2] * Fa[2], &energy, &pull, &stiffness);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            P->c[j][i] += pull * Fa[i] * a[j];
    if (psi)
        *psi += energy;
}

// src/material/fiber.kernel.c -- the fibres of fiber_w.h over arrays; the scalar version is the copy of width 0.
#include "fiber.h"
#include "fiber_w.h"

void PL_KERNEL(pl__fiber_batch)(const pl__fiber *fiber, int32_t count, const double *length2, double *energy,
                                double *pull, double *stiffness)
{
    pl_fiber_w m = {pl_set_w(fiber->strength), pl_set_w(fiber->optimal), pl_set_w(fiber->activation)};
    for (int32_t i = 0; i < count; i += PL_LANES)
    {
        pl_fiber_pull_w out = pl_pull_fiber_w(&m, pl_load_w(&length2[i]));
        pl_store_w(&energy[i], out.energy);
        pl_store_w(&pull[i], out.pull);
        pl_store_w(&stiffness[i], out.stiffness);
    }
}

#if PL_REGISTER_BYTES == 0
void pl__fiber_pull(const pl__fiber *fiber, double length2, double *energy, double *pull, double *stiffness)
{
    pl__fiber_batch_0(fiber, 1, &length2, energy, pull, stiffness);
}
#endif

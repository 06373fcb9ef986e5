// src/solid/stage.c
#include "stage.h"

static bool is_active(const pl__stage *stage) { return !stage->active || stage->active(stage->user); }

pl_status pl__stages_add(pl_context *ctx, pl__stages *stages, const pl__stage *stage)
{
    if (stages->count == PL__STAGES)
        return pl__fail(ctx, PL_ERR_STATE, "stage %s: a step has room for %d stages", stage->name, PL__STAGES);
    stages->stage[stages->count++] = *stage;
    return PL_OK;
}

bool pl__stages_any(const pl__stages *stages, pl__stage_point point)
{
    for (int32_t i = 0; i < stages->count; ++i)
        if (stages->stage[i].point == point && is_active(&stages->stage[i]))
            return true;
    return false;
}

void pl__stages_run(const pl__stages *stages, pl__stage_point point, const pl__stage_input *input)
{
    for (int32_t i = 0; i < stages->count; ++i)
        if (stages->stage[i].point == point && is_active(&stages->stage[i]))
            stages->stage[i].run(stages->stage[i].user, input);
}

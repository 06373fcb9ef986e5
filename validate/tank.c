// validate/tank.c
#include "tank.h"

#include <math.h>
#include <string.h>

static pl_status add_object(tank *box, const pl_object_def *def)
{
    PL_TRY(pl__shape_create(box->t->ctx, def, &box->shape));
    pl__object *o = &box->object;
    *o = (pl__object){.shape = box->shape, .turned = pl_quat_from_degrees(def->rotate)};
    memcpy(o->at, def->at, sizeof o->at);
    memcpy(o->before, def->at, sizeof o->before);
    o->turned_before = o->turned;
    pl__object_place(o);
    box->obstacles = (pl__obstacles){o, 1};
    return PL_OK;
}

pl_status tank_make(trial *t, const tank_def *def, tank *box)
{
    memset(box, 0, sizeof *box);
    box->t = t;
    pl__liquid_def liquid = {.cells = {def->cells[0], def->cells[1], 1},
                             .h = def->h,
                             .depth = def->depth,
                             .closed = {true, true, true, true, true, true},
                             .cfl = 1,
                             .tolerance = def->tolerance > 0 ? def->tolerance : 1e-4,
                             .density = 1000,
                             .liquid_count = def->liquid_count,
                             .region = def->region};
    for (int32_t i = 0; i < def->liquid_count; ++i)
        liquid.law[i] = def->law[i];
    pl_status status = def->object ? add_object(box, def->object) : PL_OK;
    if (status == PL_OK)
        status = pl__liquid_create(t->ctx, &liquid, def->shape, def->user, &box->obstacles, &box->liquid);
    if (status != PL_OK)
        tank_done(box);
    return status;
}

void tank_done(tank *box)
{
    pl__liquid_destroy(&box->liquid);
    pl__shape_destroy(&box->shape);
}

pl_status tank_step(tank *box, double longest)
{
    static const double gravity[3] = {0, -TANK_GRAVITY, 0};
    double dt = fmin(pl__liquid_longest_step(box->liquid, gravity), longest);
    PL_TRY(pl__liquid_step(box->liquid, dt, gravity, &box->obstacles));
    box->time += dt;
    return PL_OK;
}

double tank_surface(const tank *box, int32_t i)
{
    const pl__columns *c = &box->liquid->state.grid.cell;
    for (int32_t j = c->ny - 1; j >= 0; --j)
    {
        double here, above;
        if (!pl__columns_value(c, box->liquid->state.phi, i, j, &here) || here >= 0)
            continue;
        bool top = j + 1 == c->ny || !pl__columns_value(c, box->liquid->state.phi, i, j + 1, &above);
        return c->h * (j + 0.5 + (top ? 0.5 : here / (here - above)));
    }
    return 0;
}

bool tank_is_wet(const tank *box, int32_t i, double y)
{
    const pl__columns *c = &box->liquid->state.grid.cell;
    double row = fmin(fmax(y / c->h - 0.5, 0), c->ny - 1), here, above;
    int32_t j = (int32_t)row;
    if (!pl__columns_value(c, box->liquid->state.phi, i, j, &here))
        return false;
    if (j + 1 == c->ny || !pl__columns_value(c, box->liquid->state.phi, i, j + 1, &above))
        return here < 0;
    return here + (row - j) * (above - here) < 0;
}

double tank_front(const tank *box)
{
    const pl__columns *c = &box->liquid->state.grid.cell;
    for (int32_t i = c->nx - 1; i >= 0; --i)
    {
        double front = -1;
        for (int32_t j = 0; j < c->ny; ++j)
        {
            double here, beyond;
            if (!pl__columns_value(c, box->liquid->state.phi, i, j, &here) || here >= 0)
                continue;
            bool last = i + 1 == c->nx || !pl__columns_value(c, box->liquid->state.phi, i + 1, j, &beyond);
            front = fmax(front, c->h * (i + 0.5 + (last ? 0.5 : here / (here - beyond))));
        }
        if (front >= 0)
            return front;
    }
    return 0;
}

pl_status tank_volume(tank *box, double *volume)
{
    pl__liquid_sums sums;
    PL_TRY(pl__liquid_sum(box->liquid, &sums));
    *volume = (sums.volume + sums.spray) / box->liquid->start_volume;
    return PL_OK;
}

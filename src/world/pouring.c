// src/world/pouring.c -- liquid by hand, between two steps: a piece of a jet.
//
// A piece is a round cylinder with flat ends, as long as its volume asks for. Pieces that come one after the other,
// each when the one before has moved by its own length, fit together.
#include "fluid/pour.h"
#include "liquid_objects.h"
#include "mesh/point.h"
#include "world.h"

#include <math.h>
#include <string.h>

typedef struct jet
{
    double end[3], along[3]; // its front end, and the way that it goes
    double radius, length;
    double velocity[3];
} jet;

static double distance_to_jet(void *user, const double x[3])
{
    const jet *j = user;
    double d[3];
    pl__sub3(x, j->end, d);
    double way = pl__dot3(d, j->along), square = fmax(pl__dot3(d, d) - way * way, 0), across = sqrt(square) - j->radius,
           beyond = fabs(way + 0.5 * j->length) - 0.5 * j->length;
    return across > 0 && beyond > 0 ? hypot(across, beyond) : fmax(across, beyond);
}

static void sample_jet(void *user, const double x[3], pl__pour_sample *s)
{
    const jet *j = user;
    (void)x;
    *s = (pl__pour_sample){0};
    memcpy(s->velocity, j->velocity, sizeof s->velocity);
}

// Along its velocity, or else the way that things fall.
static void direct(const pl_world *world, jet *j)
{
    const double *way = pl__length3(j->velocity) > 0 ? j->velocity : world->state.gravity;
    double length = pl__length3(way);
    for (int a = 0; a < 3; ++a)
        j->along[a] = length > 0 ? way[a] / length : -(a == 1);
}

static pl_status pour(pl_world *world, int32_t kind, double volume, jet *j)
{
    pl__world_liquids *w = &world->liquids;
    pl__obstacles obstacles = pl__liquid_objects_met(w);
    pl__pour_info info = {0};
    pl__pour p = {.liquid = kind, .volume = volume, .distance = distance_to_jet, .sample = sample_jet, .user = j};
    for (int a = 0; a < 3; ++a)
    {
        p.velocity[a] = j->velocity[a];
        double back = j->end[a] - j->length * j->along[a];
        p.lower[a] = fmin(back, j->end[a]) - j->radius;
        p.upper[a] = fmax(back, j->end[a]) + j->radius;
    }
    PL_TRY(pl__liquid_refresh(w->liquid, &obstacles));
    PL_TRY(pl__liquid_pour(w->liquid, &p, &obstacles, &info));
    pl__liquid_pour_end(w->liquid, info.volume > 0);
    PL_CHECK(world->ctx, info.volume > 0,
             "pl_world_pour: (%g, %g, %g) is outside the domain, or inside an object, where no liquid can be",
             j->end[0], j->end[1], j->end[2]);
    w->drawn = w->summed = false;
    return PL_OK;
}

static int32_t find_kind(const pl__world_liquids *w, const char *name)
{
    for (int32_t k = 0; k < w->kind_count; ++k)
        if (!name || strcmp(w->name[k], name) == 0)
            return k;
    return -1;
}

pl_status pl_world_pour(pl_world *world, const char *liquid, const double at[3], const double velocity[3],
                        double radius, double volume)
{
    if (!world || !at || !velocity)
        return PL_ERR_ARGUMENT;
    const pl__world_liquids *w = &world->liquids;
    PL_CHECK(world->ctx, w->liquid, "pl_world_pour: the world has no liquid");
    int32_t kind = find_kind(w, liquid);
    PL_CHECK(world->ctx, kind >= 0, "pl_world_pour: there is no liquid `%s`", liquid);
    PL_CHECK(world->ctx, pl__finite3(at) && pl__finite3(velocity),
             "pl_world_pour: the point and the velocity must be finite");
    PL_CHECK(world->ctx, pl__length3(velocity) <= 1e6, "pl_world_pour: velocity: %g m/s must be at most 1e6",
             pl__length3(velocity));
    double h = w->liquid->def.h;
    PL_CHECK(world->ctx, radius >= h && radius <= 1e9,
             "pl_world_pour: radius: %g m must be at least a cell of the domain, %g m", radius, h);
    PL_CHECK(world->ctx, volume > 0 && volume <= 1e9, "pl_world_pour: volume: %g m^3 must be in (0, 1e9]", volume);
    jet j = {.radius = radius, .length = volume / (3.14159265358979323846 * radius * radius)};
    memcpy(j.end, at, sizeof j.end);
    memcpy(j.velocity, velocity, sizeof j.velocity);
    direct(world, &j);
    uint64_t host = pl__fp_enter();
    pl_status status = pl__world_liquids_settle(world);
    if (status == PL_OK)
        status = pour(world, kind, volume, &j);
    pl__fp_leave(host);
    return status;
}

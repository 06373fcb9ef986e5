// validate/slump.c -- what is left standing of a block with a yield stress.
//
// An elastic liquid that flows beyond a yield strain g at a rate a has the yield stress tau = E g / sqrt 2 in shear,
// and the plastic viscosity E / 2a: with the viscosity mu beside it, a Bingham liquid once it flows. (Stress E e' of
// norm E g; in pure shear that norm is sqrt 2 times the shear stress.) Its numbers are tau / (rho g H), with H the
// height, and Bi = tau H / ((mu + E / 2a) U), with U the speed.
//
// A block in a plane, on a floor that it sticks to, spreads until its weight is borne: at half length L with the floor
// at its yield stress everywhere. In thin layers h^2 = 2 c (L - x), c = tau / (rho g) (Liu & Mei 1989; Roussel &
// Coussot 2005 for round ones). The force along the layer adds a term: with shear stress tau (1 - y/h) and the rest of
// the yield stress in extension, a section bears rho g h^2 / 2 - (pi / 2) tau h, so that
//
//     h^2 / 2 - (pi / 2) c h = c (L - x),   h(L) = pi c
//
// (Dubash, Balmforth, Slim & Cochard 2009, to the order after the first). With the area A of one half and h0 in the
// middle
//
//     A = h0^3 / (3 c) - pi h0^2 / 4 - pi^3 c^2 / 12.
//
// Real slumps stop somewhat short of that: not all of a section comes to yield.
#include "case.h"
#include "fluid/liquid.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

static const double half_width = 0.3, block_height = 0.4; // at the start [m]
static const double tank_width = 2, tank_height = 0.5;    // [m]
static const double density = 1000, gravity = 10;
static const double yield_height = 0.02; // c [m]
static const double yield_strain = 0.05, rate = 20, longest_step = 0.01, duration = 10;

static double block(void *user, const double x[3], double velocity[3])
{
    (void)user;
    velocity[0] = velocity[1] = velocity[2] = 0;
    double dx = fabs(x[0] - 0.5 * tank_width) - half_width, dy = x[1] - block_height;
    return dx > 0 && dy > 0 ? sqrt(dx * dx + dy * dy) : fmax(dx, dy);
}

// Half the area of a layer that is h0 high in the middle.
static double half_area(double c, double h0)
{
    return h0 * h0 * h0 / (3 * c) - 0.25 * pi * h0 * h0 - pi * pi * pi * c * c / 12;
}

static double final_height(double c, double area)
{
    double low = pi * c, high = 1;
    while (high - low > 1e-12)
    {
        double middle = 0.5 * (low + high);
        *(half_area(c, middle) < area ? &low : &high) = middle;
    }
    return low;
}

// Height of the highest surface in a column.
static double surface_height(const pl__liquid *l, int32_t i)
{
    const pl__columns *c = &l->state.grid.cell;
    double before = NAN, found = 0, h = l->def.h;
    for (int32_t j = 0; j < l->def.cells[1]; ++j)
    {
        double phi;
        if (!pl__columns_value(c, l->state.phi, i, j, &phi))
            phi = NAN;
        if (before < 0 && phi >= 0)
            found = (j - 0.5 + before / (before - phi)) * h;
        before = phi;
    }
    return found;
}

static void tell(trial *t, const pl__liquid *l)
{
    double h0 = final_height(yield_height, half_width * block_height), middle = 0, reach = 0;
    for (int32_t i = 0; i < l->def.cells[0]; ++i)
    {
        middle = fmax(middle, surface_height(l, i));
        reach += surface_height(l, i) > 0 ? 0.5 * l->def.h : 0;
    }
    trial_tell(t, 0, middle, h0, "tau / (rho g) is 0.02 m");
    trial_tell(t, 1, reach, 0.5 * h0 * h0 / yield_height - 0.5 * pi * h0, "");
}

pl_status validate_slump(trial *t)
{
    double tau = density * gravity * yield_height, elasticity = tau * sqrt(2) / yield_strain, g[3] = {0, -gravity, 0};
    pl__liquid_def def = {.cells = {(int32_t)(tank_width * t->cells), (int32_t)(tank_height * t->cells), 1},
                          .h = 1.0 / t->cells,
                          .closed = {true, true, true, true, true, true},
                          .cfl = 1,
                          .tolerance = 1e-4,
                          .density = density,
                          .viscosity = 1,
                          .viscous = true,
                          .remembers = true,
                          .elastic = {.elasticity = elasticity, .yield = yield_strain, .flow = rate}};
    pl__obstacles none = {0};
    pl__liquid *l;
    pl_status status = pl__liquid_create(t->ctx, &def, block, NULL, &none, &l);
    for (double time = 0; status == PL_OK && time < duration && trial_goes_on(t, time / duration);)
    {
        double dt = fmin(pl__liquid_longest_step(l, g), longest_step);
        status = pl__liquid_step(l, dt, g, &none);
        time += dt;
    }
    if (status == PL_OK && !t->stopped)
        tell(t, l);
    pl__liquid_destroy(&l);
    return status;
}

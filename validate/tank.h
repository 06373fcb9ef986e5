// validate/tank.h -- a liquid in a plane, one cell deep, with closed walls and at most one standing object.
#ifndef PL_VALIDATE_TANK_H
#define PL_VALIDATE_TANK_H

#include "case.h"
#include "fluid/liquid.h"

typedef struct tank_def
{
    int32_t cells[2];            // along x and y
    double h;                    // edge of a cell [m]
    double depth;                // of uniform cells below the surface [m]; 0: all are
    double tolerance;            // of the pressure; 0: 10^-4, as for scenes
    const pl_object_def *object; // or NULL
    pl__liquid_shape *shape;
    void *user;
    int32_t liquid_count;     // several, or 0
    const pl__phase_law *law; // [liquid_count]
    pl__start_region *region; // of each
} tank_def;

typedef struct tank
{
    trial *t;
    pl__liquid *liquid;
    pl__shape *shape;
    pl__object object;
    pl__obstacles obstacles;
    double time; // [s]
} tank;

#define TANK_GRAVITY 9.81 // [m/s^2]

PL_NODISCARD pl_status tank_make(trial *t, const tank_def *def, tank *box);
void tank_done(tank *box);

// One step, as long as the rule of cfl allows and not longer than `longest` [s].
PL_NODISCARD pl_status tank_step(tank *box, double longest);

// Height of the highest surface in column i above the bottom of the tank [m]; 0: there is no liquid.
double tank_surface(const tank *box, int32_t i);
// Whether there is liquid at a height in column i.
bool tank_is_wet(const tank *box, int32_t i, double y);
// The largest x of liquid [m].
double tank_front(const tank *box);
// Volume of liquid and drops, as a part of that at the start.
PL_NODISCARD pl_status tank_volume(tank *box, double *volume);

#endif

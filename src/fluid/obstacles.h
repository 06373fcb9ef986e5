// src/fluid/obstacles.h -- the objects that a liquid meets, as one signed distance: how far to the next of them, and
// whether a way is free.
#ifndef PL_FLUID_OBSTACLES_H
#define PL_FLUID_OBSTACLES_H

#include "contact/object.h"

// All of them, with boxes up to date (pl__object_place).
typedef struct pl__obstacles
{
    const pl__object *object; // [count]
    int32_t count;
} pl__obstacles;

// [cells] How finely ways are looked at. With half a cell, samples and drops left a box of walls of a sixth of a cell
// through its edges.
#define PL__WAY_STEP (1. / 32)

// Whether it moves or may do so: it follows a script, bends, or has a velocity.
bool pl__obstacle_moves(const pl__object *object);

// ---- distances -----------------------------------------------------------------------------------------------------

enum
{
    PL__OBSTACLES_LISTED = 64
};

// Those near a box, for one task. When there are more than the list holds, all are asked.
typedef struct pl__near_obstacles
{
    const pl__object *object;
    int32_t index[PL__OBSTACLES_LISTED], count;
    bool all;          // index[n] = n
    bool standing;     // those that move are left out
    double band;       // beyond this from its box, an obstacle is as far as its box [m]
    int64_t distances; // evaluated so far
} pl__near_obstacles;

// Those whose box is within `band` of a box. What is asked of them must be about points of that box.
void pl__obstacles_find(const pl__obstacles *obstacles, const double lower[3], const double upper[3], double band,
                        bool standing, pl__near_obstacles *near);

// What a point sees, about the region where the distance is below a level <= 0 (0: where the obstacles are).
typedef struct pl__look
{
    double distance; // to the nearest, negative inside [m]; beyond the band a lower bound
    double radius;   // all points within this are on the same side of the level [m]
    int32_t object;  // the nearest; -1: none is near
    bool inside;     // distance < level
} pl__look;
pl__look pl__obstacles_look(pl__near_obstacles *near, const double x[3], double level);

// The distance to one of them, by its index; beyond the band a lower bound.
double pl__obstacles_distance(pl__near_obstacles *near, int32_t object, const double x[3]);

// Whether the nearest part of an obstacle within `reach` of a point is thin: less than `thickness` across, along its
// normal.
bool pl__obstacles_are_thin(pl__near_obstacles *near, const double x[3], double reach, double thickness);

// Whether a thin part of an obstacle, of less than `thickness` across, lies on the way from a to b; then `object` is
// the one. Parts thinner than `step` are seen too.
bool pl__obstacles_part(pl__near_obstacles *near, const double a[3], const double b[3], double step, double thickness,
                        int32_t *object);

// How much of the way from a to b is free, of 1, and the square of the cosine between it and the normal of what it
// meets there, 0 if it meets nothing. Exact for planes.
double pl__obstacles_free(pl__near_obstacles *near, const double a[3], const double b[3], double step, double *cosine2);

// Whether nothing is between two points, for cells of size h: they are on the same side of all walls.
bool pl__obstacles_see(const pl__obstacles *obstacles, const double a[3], const double b[3], double h);

// ---- points --------------------------------------------------------------------------------------------------------

enum
{
    PL__OBSTACLES_BATCH = 256
};

// Points move from a to b while the obstacles go from where they were to where they are. A point that would meet one
// stops there, goes with it, and ends at least `offset` outside. Points that begin inside by at most `deepest` begin on
// the surface; deeper ones go where they want. `step` is how finely grazing ways are looked at. Returns how many were
// stopped. `count` is at most PL__OBSTACLES_BATCH.
int32_t pl__obstacles_stop(const pl__obstacles *obstacles, double deepest, double offset, double step, int32_t count,
                           const double *const a[3], double *const b[3]);

#endif

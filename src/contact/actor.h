// src/contact/actor.h -- triangles that move as they are told: characters, and bodies that others bump into.
//
// One way: an actor pushes nodes and feels nothing. During a substep its vertices go straight from `before` to `x`;
// distances are to where they end, and the velocity of the surface is theirs, interpolated in the triangle.
#ifndef PL_CONTACT_ACTOR_H
#define PL_CONTACT_ACTOR_H

#include "math/quat.h"
#include "mesh/bvh.h"
#include "mesh/topology.h"

enum
{
    PL__ACTOR_CELLS = 24 // of the grid around it, along its longest side
};

// What is far from the triangles, by cells around them.
typedef struct pl__actor_grid
{
    double origin[3], cell;
    int32_t size[3];
    uint8_t *far; // [(PL__ACTOR_CELLS + 2)^3] 1: nothing of the cell is inside
} pl__actor_grid;

typedef struct pl__actor
{
    pl_context *ctx;
    int32_t node_count, triangle_count;
    int32_t *triangle; // [3 triangle_count]
    int32_t *welded;   // [3 triangle_count] the same with vertices at one place as one
    int32_t *twin; // [3 triangle_count] the edge of another triangle that the edge opposite each corner is; < 0: none,
                   // or several
    pl__lists corners; // of each welded vertex
    bool closed;       // no rim
    double side;       // -1: its triangles face inwards
    double depth;      // how far behind an open surface is inside [m]

    double *x;           // [3 node_count] where its vertices are, at the end of a substep in progress [m]
    double *before;      // [3 node_count] and at its start
    double *target;      // [3 node_count] where to be at the end of the next one, before its object's turn and place
    double dt;           // length of the substep, 0 before the first [s]
    pl__bvh *bvh;        // around x since pl__actor_fit
    pl__actor_grid grid; // likewise
} pl__actor;

// Of a surface that is not empty, closed or not, where it is. `depth` 0: as far as its edges are long, on average.
PL_NODISCARD pl_status pl__actor_create(const pl_surface *surface, double depth, pl__actor **actor);
void pl__actor_destroy(pl__actor **actor);

// Put its vertices somewhere: x = at + turned(local).
void pl__actor_put(pl__actor *actor, const double *local, const double at[3], pl_quat turned);
// A substep: from x to its target, and back.
void pl__actor_move(pl__actor *actor, const double at[3], pl_quat turned, double dt);
void pl__actor_return(pl__actor *actor);
// Fit the hierarchy to x, and find a box around it.
void pl__actor_fit(pl__actor *actor, double lower[3], double upper[3]);

// Whether a point is outside, where that is plain; fast.
bool pl__actor_is_far(const pl__actor *actor, const double p[3]);
// Signed distance, negative inside, and the way out.
double pl__actor_distance(const pl__actor *actor, const double p[3], double normal[3]);
// Velocity of its surface where that is closest to p [m/s].
void pl__actor_velocity(const pl__actor *actor, const double p[3], double v[3]);

// The mean length of its edges [m].
double pl__actor_edge(const int32_t *triangle, int32_t triangle_count, const double *x);

#endif

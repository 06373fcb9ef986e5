// src/contact/clash.h -- bodies that meet each other and themselves: after Bridson, Fedkiw & Anderson 2002.
//
// Works on what an interval of time has done to all nodes, from x_start to x_end:
//
//     0  what crosses at x_start is left out of the rest and pulled apart (untangle.h);
//     1  near pairs at x_start (nearer than the thickness of the bodies) may not come nearer, and rub (Coulomb); those that are
//        too near are pushed apart a little, without speed;
//     2  pairs that would touch on their straight ways (ccd.h, never missed) are stopped in the same manner, some rounds;
//     3  nodes that still would are joined to zones that move as rigid bodies (zones.h): distances within a zone stay what they
//        were, so that in the end, when everything is one zone, nothing can cross;
//     4  pairs of 1 and 2 that approach each other with the velocities at the end are stopped, and rub.
//
// Ways and velocities are two matters: what ways are changed by is not added to velocities. Nodes that came back while
// the interval lasted would get speed for nothing (a twisted cloth gained seven orders of magnitude); so only 4 and
// zones change velocities, and both only take energy from them.
//
// 1, 2 and 4 are impulses between closest points: with w the weights of a contact (closest.h), n its normal and m
// masses, nodes get j w_i n/m_i, which changes the relative way sum_i w_i (x_end - x_start)_i . n by j sum_i w_i^2/m_i.
// Weights add up to zero and the points lie along n: linear and angular momentum are kept to round-off. Zones keep both
// as well.
//
// Nodes without inverse mass go their own way. A zone with some of them follows as a rigid body does; where that is not
// enough the interval is cut into parts. When two of those meet, or squeeze something between them, there may be no
// answer: what crosses then is reported, left alone as long as it does, and pulled apart (untangle.h).
#ifndef PL_CONTACT_CLASH_H
#define PL_CONTACT_CLASH_H

#include "pairs.h"
#include "untangle.h"
#include "watch.h"
#include "zones.h"

typedef struct pl__clash_report
{
    int32_t contacts;     // near pairs
    int32_t hits;         // pairs that would have touched, of all rounds
    int32_t rounds;       // of finding them
    int32_t zones;        // that are left
    int32_t zone_nodes;   // in them
    int32_t unresolved;   // pairs that could not be kept from touching
    int64_t crossings;    // pairs of triangles that crossed at the start
    double friction_work; // taken by rubbing [J]
} pl__clash_report;

typedef struct pl__clash
{
    pl_context *ctx;
    pl__surfaces *surfaces;
    pl__tree *tree;
    pl__pairs *pairs;
    int32_t node_count;
    double *x_rest;       // [3 node_count + 1]
    double *x_start;      // [3 node_count + 1]
    double *x_end;        // [3 node_count + 1]
    double *v;            // [3 node_count] at the end
    double *x_listed;     // [3 node_count + 1] where watched pairs were listed,
    double *v_listed;     // [3 node_count]     and how nodes were expected to go on
    double *inverse_mass; // [node_count] 0: moves as it moves
    double *friction;     // [part_count^2] between parts
    pl__watch watch;      // what may touch on the way
    double since;         // they were listed [s]
    double ahead;         // for how long [s]; 0: none are
    bool watched;         // the list is there
    bool proved;          // nothing has touched in this interval: all that can has been held apart
    double slack; // how far nodes may stray from where they were expected, in part, before pairs are listed anew [m]
    double edge;  // of the part that has the shortest ones [m]
    pl__zones zones;
    double *kept;    // [9 node_count] x_start, x_end and v as they came
    double *way;     // [3 node_count] of the part before
    double *partial; // scratch of sums over nodes

    double *t;    // [t_capacity] of pairs
    int32_t *hit; // [hit_capacity] pairs that touch
    double *room; // [room_capacity] by how much near pairs are too near [m]
    size_t t_capacity, hit_capacity, room_capacity;
    double *pressed;    // [pressed_capacity] impulse along the normal of near pairs [N s]
    pl__strike *strike; // [strike_count] of all rounds of the last look
    size_t pressed_capacity, strike_capacity;
    int32_t strike_count;
    int32_t hit_count;
    int32_t driven_count;  // pairs that touch and of which no node can be moved
    pl__untangle untangle; // what crosses where the interval begins
    int64_t crossings;     // how many pairs of triangles do where the next one will; 0: none do; -1: to be looked at.
                       // Whoever moves nodes in between sets it to -1. Looking where nothing crosses changes nothing
} pl__clash;

// `x_rest` [3 node_count] tells how near parts of a body are by themselves. Friction is 0 at first.
PL_NODISCARD pl_status pl__clash_create(pl_context *ctx, const pl__surface_part *part, int32_t part_count,
                                        const double *x_rest, int32_t node_count, pl__clash **clash);
void pl__clash_destroy(pl__clash **clash);

// List the pairs that steps have to watch for the time ahead. The caller has filled x_listed, v_listed and `ahead`;
// x_end is used.
PL_NODISCARD pl_status pl__clash_watch(pl__clash *clash);
// Whether no watched pair touches on straight ways, of arrays with a number more than those of the nodes.
bool pl__clash_misses(pl__clash *clash, const double *before, const double *after);
// Before pairs are listed anew: because nodes have strayed, or because their time is over.
void pl__clash_adapt(pl__clash *clash, bool strayed);
// Whether nodes at x, so long since pairs were listed, have strayed from where they were expected: so far that others
// than the listed pairs may have touched, or, `early`, before that.
bool pl__clash_strayed(const pl__clash *clash, const double *x, double since, bool early);

// Change x_end and v of an interval so that nothing crosses that does not yet. The caller has filled x_start, x_end, v
// and inverse_mass. Afterwards the near pairs, pairs->contact with the impulses `pressed`, the strikes and those of the
// zones tell what happened (of an interval in parts, in the last one).
PL_NODISCARD pl_status pl__clash_resolve(pl__clash *clash, pl__clash_report *report);

// The pairs that are near where x [3 node_count + 1] has put them, into pairs->contact, and by how much they are too
// near into `room`.
PL_NODISCARD pl_status pl__clash_near(pl__clash *clash, const double *x);

#endif

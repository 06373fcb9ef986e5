// src/contact/foothold.h -- nodes on objects, while surfaces are kept apart.
//
// What lies between a body and an object is pushed by the one and held by the other. Impulses of pairs that know the
// masses of their nodes only push it into the object, as far as the body is heavy. So a node near objects remembers the
// velocity u that it would have without them, v + J/m with all impulses J of pairs, and has the velocity that they make
// of it:
//
//     v' = u                                        where it keeps away from the surface, (u - c) . n >= least
//     v' . n = c . n + least                        else, and across the normal u - c is shortened by friction times what that takes,
//
// c the velocity of the surface. To a pair it is as heavy as that lets it move: infinitely where it is pushed into the
// object, and altogether while friction holds it. A heavy body then stands on the object, through what lies between,
// after one sweep.
//
// What presses a node onto an object at an angle does not send it off across the surface: that would be true of a seed
// between two fingers, but a node is held by its neighbours, of which pairs know nothing, and weighs next to nothing
// beside a body (cloth on a ball, under 300 kg, was squeezed out at 1 km/s).
#ifndef PL_CONTACT_FOOTHOLD_H
#define PL_CONTACT_FOOTHOLD_H

#include <stdbool.h>
#include <stdint.h>

enum
{
    PL__FOOTHOLDS = 3 // objects per node
};

typedef struct pl__foothold
{
    int32_t node;
    int32_t count; // objects; 0: none
    double normal[PL__FOOTHOLDS][3];
    double carried[PL__FOOTHOLDS][3]; // velocity of the surface [m/s]
    double least[PL__FOOTHOLDS];      // velocity along the normal, relative to that [m/s]
    double known[PL__FOOTHOLDS];      // as much of it is stopped elsewhere, with its friction [m/s]
    double friction[PL__FOOTHOLDS];
    double distance[PL__FOOTHOLDS]; // where it is going to be [m]
    double before[3];               // velocity that it came with [m/s]
    double free[3];                 // u
    bool sticks;
} pl__foothold;

// v = what objects make of u.
void pl__foothold_obey(pl__foothold *foothold, double v[3]);
// The normal of the object that a node at velocity v stands on when it is pushed along d, a unit vector: where it is
// within `near` of its limit [m/s], and pushed into the surface rather than along it. NULL: none.
const double *pl__foothold_ground(const pl__foothold *foothold, const double v[3], const double d[3], double near);
// Leave the way into objects to others, who will find at least `inward` of it [m/s].
void pl__foothold_yield(const pl__foothold *foothold, double inward, double v[3]);

#endif

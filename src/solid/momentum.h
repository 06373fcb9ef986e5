// src/solid/momentum.h -- rigid motion of a body, and conservation of its angular momentum.
//
// Internal forces cannot change the angular momentum of a body, but the midpoint rule (thesis 3.1) does by O(dt^2),
// and damping of extreme shapes does (thesis 2.6.2). In a spinning body the small error always has the same sign, and
// energy grows without bound. A piece of a body without pins and contacts therefore gets the difference back, as a
// rigid rotation. (Piece by piece: correcting a body of two pieces as a whole makes each of them spin up about its own
// centre.)
#ifndef PL_SOLID_MOMENTUM_H
#define PL_SOLID_MOMENTUM_H

#include "math/mat3.h"
#include "solids.h"

typedef struct pl__rigid_motion
{
    double mass;
    double centre[3], velocity[3]; // of the centre of mass
    double angular[3];             // angular momentum about it [kg m^2/s]
    pl_mat3 inertia;               // about it [kg m^2]
    double relative;               // kinetic energy relative to its translation [J]
} pl__rigid_motion;

// Scratch for a piece (connected component) of a body.
typedef struct pl__piece
{
    pl__rigid_motion now;
    double spin[3]; // angular momentum about its centre at the start of the step [kg m^2/s]; then scratch for an
                    // angular velocity
    bool touched;
} pl__piece;

pl__rigid_motion pl__rigid_measure(const pl__solids *solids, const pl__body *body);

// Angular velocity [rad/s] with angular momentum L; false for collinear bodies, whose inertia is singular.
bool pl__rigid_rotation(const pl__rigid_motion *motion, const double L[3], double omega[3]);

// Add a rotation about the centre of mass to a body's velocities.
void pl__rigid_turn(pl__solids *solids, const pl__body *body, const pl__rigid_motion *motion, const double omega[3]);

// Kinetic energy of a body beyond the rigid motion of its pieces [J]; and scale that part of the velocities by a
// factor, which conserves momentum.
double pl__rigid_deforming(const pl__solids *solids, const pl__body *body);
void pl__rigid_slow(pl__solids *solids, const pl__body *body, double factor);

// Before a step: store the angular momentum of all pieces. After it: restore it for pieces that nothing held or
// touched.
void pl__momentum_remember(pl__solids *solids);
void pl__momentum_restore(pl__solids *solids);

#endif

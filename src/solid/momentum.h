// src/solid/momentum.h -- a body's motion as a whole, and keeping its spin.
//
// Nothing inside a body can change its angular momentum, but the midpoint scheme (thesis 3.1) does by O(dt^2), and
// damping of wild shapes does (thesis 2.6.2). In a spinning body the small error always has the same sign, and energy
// grows without end. A piece of a body without pins and contacts therefore gets the difference back, as a rigid
// rotation. (Piece by piece: what a body in two pieces gets back as a whole leaves them to spin faster and faster about
// themselves.)
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

// A piece of a body.
typedef struct pl__piece
{
    pl__rigid_motion now;
    double spin[3]; // angular momentum about its centre at the start of the step [kg m^2/s]
    bool touched;
} pl__piece;

pl__rigid_motion pl__rigid_measure(const pl__solids *solids, const pl__body *body);

// The rotation [rad/s] that has angular momentum L; false for bodies that are a line or a point.
bool pl__rigid_rotation(const pl__rigid_motion *motion, const double L[3], double omega[3]);

// Add a rotation about its centre to a body's velocities.
void pl__rigid_turn(pl__solids *solids, const pl__body *body, const pl__rigid_motion *motion, const double omega[3]);

// Kinetic energy of a body beside the rigid motion of its pieces [J]; and that part of its velocities times a factor,
// which keeps momenta.
double pl__rigid_deforming(const pl__solids *solids, const pl__body *body);
void pl__rigid_slow(pl__solids *solids, const pl__body *body, double factor);

// Before a step: remember the spin of all pieces. After it: restore it where nothing held or touched them.
void pl__momentum_remember(pl__solids *solids);
void pl__momentum_restore(pl__solids *solids);

#endif

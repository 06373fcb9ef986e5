// src/contact/object.h -- things as signed distances, rigid ones and actors, and what touching them does to a node's
// velocity.
#ifndef PL_CONTACT_OBJECT_H
#define PL_CONTACT_OBJECT_H

#include "actor.h"
#include "shape.h"

// From here on friction holds whatever is pressed.
#define PL__INFINITE_FRICTION 1e6

// What a look at one that is far away and stands still needs comes first, so that it is in one piece of memory.
typedef struct pl__object
{
    double at[3];                    // [m] at the end of the substep in progress
    double radius;                   // it is within this of `at`, however it is turned [m]
    double velocity[3];              // [m/s] during it
    double angular[3];               // [rad/s] during it, about `at`
    pl__actor *actor;                // of one that bends; NULL: rigid, of its shape
    bool scripted_at, scripted_turn; // it follows a script, which says where to be at the end of the substep
    bool absent;                     // nothing feels its distance: bodies meet its surface, or it is gone
    bool placed;

    double before[3];      // [m] at the start of the substep
    pl_quat turned;        // orientation at its end
    pl_quat turned_before; // and at its start
    double spun[4];        // its spin in the last substep that turned it, and how long that was
    pl_quat turn;          // what it was turned by
    double at_end[3];      // of its script
    pl_quat turned_end;
    const pl__shape *shape;
    double friction;            // with bodies that have no other with it
    int32_t own_begin, own_end; // nodes that do not feel it: its own, when it is a body

    double lower[3], upper[3]; // box around it where it was placed last; may be infinite
    double offset[2][3];       // of that from `at`, as it was turned then
    pl_quat placed_turn;
} pl__object;

// Take an object to the end of a substep: to where its script says, or as its velocity and spin say; and back.
void pl__object_move(pl__object *object, double dt);
void pl__object_return(pl__object *object);
// Set its orientation.
void pl__object_turn(pl__object *object, pl_quat turned);

// Velocity of its surface at a point [m/s].
void pl__object_velocity(const pl__object *object, const double point[3], double v[3]);

// What its surface carries along with it over a substep of dt, from a point x where it begins [m/s].
void pl__object_carry(const pl__object *object, const double x[3], double dt, double v[3]);

// Signed distance of x, negative inside, and its gradient.
double pl__object_distance(const pl__object *object, const double x[3], double normal[3]);

// Bring its box up to date.
void pl__object_place(pl__object *object);
// Whether it is nowhere near a box, by a quick look that needs no box of its own.
bool pl__object_is_far(const pl__object *object, const double lower[3], const double upper[3]);

// What follows is for a node whose coefficient of friction with the object is `friction`.

// Gamma of thesis 3.2 at a point: remove the inward part of the relative velocity and apply the friction it causes.
void pl__object_filter_velocity(const pl__object *object, double friction, const double point[3],
                                const double normal[3], double v[3]);

// Thesis 3.2: a node at x moves with velocity v for a time dt. If it ends inside the object, stop it at the surface and
// let it go on along it for the rest of the time. Returns whether it touched; then `x_end` and `normal` are set.
bool pl__object_collide(const pl__object *object, double friction, const double x[3], const double v[3], double dt,
                        double x_end[3], double normal[3]);
// The same by the method before thesis 3.2: what ends inside is put on the surface along the normal, whatever the
// friction.
bool pl__object_project(const pl__object *object, const double x[3], const double v[3], double dt, double x_end[3],
                        double normal[3]);

// Whether a node that begins the step on the surface, at x with velocity v, would be pressed into it if nothing held it
// and it moved with velocity `loose`; then `carried` is the velocity of the surface under it. `slow` says whether
// friction could stop it.
bool pl__object_supports(const pl__object *object, double friction, const double x[3], const double v[3],
                         const double loose[3], double dt, double surface_velocity[3], double normal[3], bool *slow);

#endif

// validate/solitary.h -- the solitary wave of Euler's equations, in units of depth and gravity: d = g = 1.
//
// In the frame of the wave the flow is steady, so that it is the image of a uniform one: z = x + i y is a conformal map
// of the strip -1 < Im zeta < 0 to the water, y = 0 being its level at rest, and velocity is c - c / z'(zeta). The
// elevation eta on Im zeta = 0 obeys Babenko's equation (1987)
//
//     (c^2 C - 1) eta = C (eta^2 / 2) + eta C eta,      C cos(k x) = k coth(k) cos(k x),
//
// solved on cosines of a long period by Petviashvili's iteration (Clamond & Dutykh 2013), and for the speed c that
// gives the wanted height. Nothing is expanded in the height; waves up to 0.6 converge.
#ifndef PL_VALIDATE_SOLITARY_H
#define PL_VALIDATE_SOLITARY_H

#include <stdbool.h>

enum
{
    SOLITARY_MODES = 128
};

typedef struct solitary
{
    double height, speed;              // in depths, and in sqrt(g d)
    double half;                       // half the period; farther from the crest the water is at rest
    double a[SOLITARY_MODES + 1];      // eta = sum a_k cos(k pi alpha / half)
    double cosine[2 * SOLITARY_MODES]; // of pi j / SOLITARY_MODES
    double last_x, last_elevation;     // a short memory: columns of points are asked for one after the other
} solitary;

// False: it has not converged.
bool solitary_make(double height, solitary *wave);
// Elevation at x from the crest.
double solitary_elevation(solitary *wave, double x);
// Velocity at (x, y), y = 0 being the level at rest; above the surface, that at it.
void solitary_velocity(solitary *wave, double x, double y, double v[2]);

#endif

// src/contact/foothold.c
#include "foothold.h"
#include "tolerances.h"

#include <math.h>
#include <string.h>

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// How much faster than `least` a velocity keeps away from an object.
static double spare(const pl__foothold *f, int32_t k, const double v[3])
{
    double relative[3] = {v[0] - f->carried[k][0], v[1] - f->carried[k][1], v[2] - f->carried[k][2]};
    return dot(relative, f->normal[k]) - f->least[k];
}

// One object. True if friction stops the node on it.
static bool stop(const pl__foothold *f, int32_t k, double v[3])
{
    double across[3], inward = -spare(f, k, v), along = 0;
    if (!(inward > 0))
        return false;
    for (int i = 0; i < 3; ++i)
    {
        across[i] = v[i] - f->carried[k][i];
        along += across[i] * f->normal[k][i];
    }
    for (int i = 0; i < 3; ++i)
        across[i] -= along * f->normal[k][i];
    double speed = sqrt(dot(across, across)), taken = fmin(speed, f->friction[k] * fmax(0, inward - f->known[k]));
    for (int i = 0; i < 3; ++i)
        v[i] += inward * f->normal[k][i] - (speed > 0 ? taken / speed * across[i] : 0);
    return taken == speed && f->friction[k] > 0 && inward > f->known[k];
}

// In a corner one surface may send a node into another: some rounds settle that.
void pl__foothold_obey(pl__foothold *f, double v[3])
{
    int32_t rounds = f->count > 1 ? PL__CORNER_ROUNDS : 1;
    memcpy(v, f->free, sizeof f->free);
    f->sticks = false;
    for (int32_t i = 0; i < rounds * f->count; ++i)
        f->sticks |= stop(f, i % f->count, v);
}

const double *pl__foothold_ground(const pl__foothold *f, const double v[3], const double d[3], double near)
{
    const double *ground = NULL;
    double most = -PL__GROUND_COSINE;
    for (int32_t k = 0; k < f->count; ++k)
    {
        double along = dot(d, f->normal[k]);
        if (along < most && spare(f, k, v) <= near)
        {
            most = along;
            ground = f->normal[k];
        }
    }
    return ground;
}

void pl__foothold_yield(const pl__foothold *f, double inward, double v[3])
{
    for (int32_t k = 0; k < f->count; ++k)
    {
        double more = spare(f, k, f->free) < 0 ? fmax(inward, f->known[k]) : 0;
        for (int i = 0; i < 3; ++i)
            v[i] -= more * f->normal[k][i];
    }
}

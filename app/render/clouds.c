// app/render/clouds.c
#include "clouds.h"

#include "base/hash.h"
#include "base/random.h"

#include <math.h>
#include <stdbool.h>

enum
{
    MOST_ASKED = 4000
};

static uint64_t key_of(const double v[3], double radius)
{
    const double kept[3] = {radius, v[0], v[2]};
    return pl__hash(0, kept, sizeof kept);
}

// A random point of the unit ball: dense in the middle, where the large ones are.
static void point_in_ball(uint64_t key, uint64_t ball, double reach, double p[3])
{
    double z = 2 * pl__random01(key, ball, 0) - 1, angle = 2 * M_PI * pl__random01(key, ball, 1);
    double far = reach * pow(pl__random01(key, ball, 2), 0.6), across = sqrt(1 - z * z);
    p[0] = far * across * cos(angle);
    p[1] = far * across * sin(angle);
    p[2] = far * z;
}

// Volumes of the balls as parts of the drop's: as many of each order of magnitude, over nearly three of them.
static void share_volume(uint64_t key, double part[CLOUD_BALLS])
{
    double sum = 0;
    for (int b = 0; b < CLOUD_BALLS; ++b)
    {
        part[b] = exp(-6 * pl__random01(key, (uint64_t)b, 3));
        sum += part[b];
    }
    for (int b = 0; b < CLOUD_BALLS; ++b)
        part[b] /= sum;
}

// How many drops are about one, it included: a smooth count within six radii. Of very many some are asked for all.
static double crowd(size_t count, const double *x, const double *radius, size_t n)
{
    size_t stride = count / MOST_ASKED + 1;
    double sum = 0, reach = 6 * radius[n];
    for (size_t m = 0; m < count; m += stride)
    {
        double square = 0;
        for (size_t a = 0; a < 3; ++a)
            square += (x[3 * m + a] - x[3 * n + a]) * (x[3 * m + a] - x[3 * n + a]);
        double near = fmax(0, 1 - square / (reach * reach));
        sum += (double)stride * near * near;
    }
    return fmax(1, sum);
}

static double folded(double x, double lower, double upper)
{
    double in = x < lower ? 2 * lower - x : x > upper ? 2 * upper - x : x;
    return fmin(fmax(in, lower), upper);
}

void clouds_make(size_t count, const double *x, const double *v, const double *radius, double shutter,
                 const cloud_box *box, float *positions, float *radii)
{
    const double *all = x;
    for (size_t n = 0; n < count; ++n, x += 3, v += 3)
    {
        uint64_t key = key_of(v, radius[n]);
        double part[CLOUD_BALLS], spread = fmin(cbrt(crowd(count, all, radius, n)), CLOUD_CROWD) * CLOUD_SPREAD;
        bool lies = x[1] - radius[n] < box->lower[1];
        share_volume(key, part);
        for (int b = 0; b < CLOUD_BALLS; ++b)
        {
            double at[3], time = shutter * (pl__random01(key, (uint64_t)b, 4) - 0.5);
            point_in_ball(key, (uint64_t)b, spread * (1 - 0.5 * fmin(1, cbrt(part[b] * CLOUD_BALLS / 6))), at);
            for (int a = 0; a < 3; ++a)
                *positions++ = (float)folded(x[a] + radius[n] * at[a] + time * v[a], box->lower[a], box->upper[a]);
            *radii++ = lies ? 0 : (float)(radius[n] * cbrt(part[b]));
        }
    }
}

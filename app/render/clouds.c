// app/render/clouds.c
#include "clouds.h"

#include "base/hash.h"
#include "base/random.h"

#include <math.h>

static const double spread = 3; // radius of a cloud at rest [radii of its drop]

static uint64_t key_of(const double v[3], double radius)
{
    const double kept[3] = {radius, v[0], v[2]};
    return pl__hash(0, kept, sizeof kept);
}

// A random point of the unit ball: dense in the middle, as a sum of directions is.
static void point_in_ball(uint64_t key, uint64_t ball, double p[3])
{
    double z = 2 * pl__random01(key, ball, 0) - 1, angle = 2 * M_PI * pl__random01(key, ball, 1);
    double far = pl__random01(key, ball, 2), across = sqrt(1 - z * z);
    p[0] = far * across * cos(angle);
    p[1] = far * across * sin(angle);
    p[2] = far * z;
}

// Volumes of the balls as parts of the drop's: small ones are frequent.
static void share_volume(uint64_t key, double part[CLOUD_BALLS])
{
    double sum = 0;
    for (int b = 0; b < CLOUD_BALLS; ++b)
    {
        double u = pl__random01(key, (uint64_t)b, 3);
        part[b] = 0.1 + u * u * u;
        sum += part[b];
    }
    for (int b = 0; b < CLOUD_BALLS; ++b)
        part[b] /= sum;
}

static double folded(double x, double lower, double upper)
{
    double in = x < lower ? 2 * lower - x : x > upper ? 2 * upper - x : x;
    return fmin(fmax(in, lower), upper);
}

void clouds_make(size_t count, const double *x, const double *v, const double *radius, double shutter,
                 const cloud_box *box, float *positions, float *radii)
{
    for (size_t n = 0; n < count; ++n, x += 3, v += 3)
    {
        uint64_t key = key_of(v, radius[n]);
        double part[CLOUD_BALLS];
        share_volume(key, part);
        for (int b = 0; b < CLOUD_BALLS; ++b)
        {
            double at[3], time = shutter * (pl__random01(key, (uint64_t)b, 4) - 0.5);
            point_in_ball(key, (uint64_t)b, at);
            for (int a = 0; a < 3; ++a)
                *positions++ =
                    (float)folded(x[a] + spread * radius[n] * at[a] + time * v[a], box->lower[a], box->upper[a]);
            *radii++ = (float)(radius[n] * cbrt(part[b]));
        }
    }
}

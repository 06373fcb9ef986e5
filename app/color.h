// app/color.h -- colours as people write them (sRGB) and as light adds up (linear).
#ifndef APP_COLOR_H
#define APP_COLOR_H

#include <math.h>

static inline double linear_light(double srgb)
{
    return srgb <= 0.04045 ? srgb / 12.92 : pow((srgb + 0.055) / 1.055, 2.4);
}

#endif

// src/world/ray.h -- rays against triangles.
#ifndef PL_WORLD_RAY_H
#define PL_WORLD_RAY_H

#include "base/context.h"
#include <pliant/world.h>

// The nearest triangle that a ray meets, from either side, if it is nearer than hit->distance; then `hit` is filled,
// all but whose triangle it is. `direction` is a unit vector.
bool pl__ray_cast(const double origin[3], const double direction[3], const double *vertices, const int32_t *triangles,
                  int32_t triangle_count, pl_hit *hit);

#endif

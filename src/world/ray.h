// src/world/ray.h -- ray-triangle intersection.
#ifndef PL_WORLD_RAY_H
#define PL_WORLD_RAY_H

#include "base/context.h"
#include <pliant/world.h>

// Find the nearest triangle along a ray, from either side, if nearer than hit->distance. Then `hit` is filled except
// for the owner of the triangles. `direction` is a unit vector.
bool pl__ray_cast(const double origin[3], const double direction[3], const double *vertices, const int32_t *triangles,
                  int32_t triangle_count, pl_hit *hit);

#endif

// src/world/friction.h -- friction coefficients of individual pairs of bodies and objects.
#ifndef PL_WORLD_FRICTION_H
#define PL_WORLD_FRICTION_H

#include "scene/scene.h"
#include "section.h"
#include <pliant/world.h>

typedef struct pl__pair_frictions
{
    pl__pair_friction *pair; // [count] in scene order; bodies by slot
    size_t count;
    double *table; // [body_count object_count] coefficients of bodies with objects (solid/object_contact.h); NULL
                   // without pairs
    size_t table_length;
} pl__pair_frictions;

pl_status pl__friction_copy(pl_world *world, const pl_scene *scene);
// Allocate the table for body_count bodies; NULL if no pair has a coefficient of its own.
pl_status pl__friction_reserve(const pl_world *world, int32_t body_count, double **table, size_t *length);
// Fill the table. Call after a change of friction or of the set of bodies.
void pl__friction_spread(pl_world *world);
// Coefficient of two bodies by slot; objects are numbered behind the slots. `common` if the pair has none of its own.
double pl__friction_between(const pl_world *world, int32_t a, int32_t b, double common);
// Whether both members of a pair still exist.
bool pl__pair_friction_is_alive(const pl_world *world, const pl__pair_friction *pair);
// Index of the pair with path bodies.NAME.friction_with.OTHER; pair_friction.count if there is none.
size_t pl__friction_find(const pl_world *world, const char *path);
extern const pl__section_type pl__friction_section;

#endif

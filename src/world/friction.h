// src/world/friction.h -- friction coefficients of single pairs of bodies and objects.
#ifndef PL_WORLD_FRICTION_H
#define PL_WORLD_FRICTION_H

#include "scene/scene.h"
#include "section.h"
#include <pliant/world.h>

typedef struct pl__pair_frictions
{
    pl__pair_friction *pair; // [count] in the order of the scene; bodies by their slots
    size_t count;
    double *table; // [body_count object_count] of bodies with objects (solid/object_contact.h); NULL without pairs
    size_t table_length;
} pl__pair_frictions;

pl_status pl__friction_copy(pl_world *world, const pl_scene *scene);
// Room for the bodies that are there; NULL where no pair has its own friction.
pl_status pl__friction_reserve(const pl_world *world, int32_t body_count, double **rough, size_t *length);
// Once friction has changed, or who is there.
void pl__friction_spread(pl_world *world);
// Between two by their slots, objects behind those; `common` if the pair has no other.
double pl__friction_between(const pl_world *world, int32_t a, int32_t b, double common);
// Whether all that a pair is of is still there.
bool pl__pair_friction_is_alive(const pl_world *world, const pl__pair_friction *rub);
// The pair of a path bodies.NAME.friction_with.OTHER; rub_count if it is none.
size_t pl__friction_find(const pl_world *world, const char *path);
extern const pl__section_type pl__friction_section;

#endif

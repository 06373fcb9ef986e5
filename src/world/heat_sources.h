// src/world/heat_sources.h -- heat sources, and the temperatures of bodies over time.
#ifndef PL_WORLD_HEAT_SOURCES_H
#define PL_WORLD_HEAT_SOURCES_H

#include "scene/scene.h"
#include "section.h"
#include <pliant/world.h>

// A spherical heat source: centre [m], radius [m], heating rate at the centre [K/s].
typedef struct pl__heat_source
{
    char name[PL_NAME_BYTES];
    double at[3], radius, power;
} pl__heat_source;

typedef struct pl__heat_sources
{
    pl__heat_source *source; // [count]
    size_t count;
} pl__heat_sources;

pl_status pl__heat_sources_copy(pl_world *world, const pl_scene *scene);
// Advance temperatures after a substep of length dt: sources, conduction, cooling; then update the materials.
void pl__heat_sources_advance(pl_world *world, double dt);
extern const pl__section_type pl__heat_sources_section;

#endif

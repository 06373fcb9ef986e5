// src/world/setting.h -- liquids that become bodies.
#ifndef PL_WORLD_SETTING_H
#define PL_WORLD_SETTING_H

#include "scene/scene.h"
#include "section.h"
#include <pliant/world.h>

// A body that the liquid of a scene becomes.
typedef struct pl__setting
{
    int32_t slot;
    double start;        // when [s]
    double edge;         // of its elements [m]
    bool made;           // it has a mesh of its own
    pl__scene_body kept; // its definition, with a mesh that stands for that
} pl__setting;

typedef struct pl__settings
{
    pl__setting *setting; // [count], room for [room]
    size_t count, room;
} pl__settings;

// Bodies that a liquid becomes leave their slots until then. PL_ERR_ARGUMENT: one cannot be. After pl__melting_create.
PL_NODISCARD pl_status pl__settings_create(pl_world *world, const pl_scene *scene);
void pl__settings_destroy(pl_world *world);
// After a substep: what is due sets.
PL_NODISCARD pl_status pl__settings_advance(pl_world *world);
// The setting of a slot, or NULL.
const pl__setting *pl__setting_of(const pl_world *world, size_t slot);

extern const pl__section_type pl__settings_section;

#endif

// src/world/melting.h -- bodies that become liquid.
#ifndef PL_WORLD_MELTING_H
#define PL_WORLD_MELTING_H

#include "scene/scene.h"
#include "section.h"
#include <pliant/world.h>

// A body that a liquid of the scene may be made of.
typedef struct pl__melt
{
    int32_t slot;
    int32_t liquid; // of several
    double start;   // when [s]; INFINITY: not by time
    double melted;  // part of its volume that is warm enough; INFINITY: not by heat
    bool sets;      // the other way round: a liquid becomes it (setting.h)
    bool here;      // while a snapshot is loaded: it is a body there
    bool moves;     // and is none now, or the other way round
} pl__melt;

typedef struct pl__melting
{
    pl__melt *melt; // [count], room for [room]
    size_t count, room;
    bool loading; // a snapshot in which other bodies are there
    bool told;    // that part of a body was outside the domain
} pl__melting;

// The bodies that liquids of the scene name. PL_ERR_ARGUMENT: one of them cannot be.
PL_NODISCARD pl_status pl__melting_create(pl_world *world, const pl_scene *scene);
// After a substep, and at the start: those that are due become liquid.
PL_NODISCARD pl_status pl__melting_advance(pl_world *world);

// ---- snapshots: which of them are bodies ---------------------------------------------------------------------------

// Which bodies there are in a snapshot; called before its sections are read.
PL_NODISCARD pl_status pl__melting_foresee(pl_world *world, const pl__section_reader *from);
// Whether a slot has a body in the snapshot that is loaded.
bool pl__melting_comes(const pl_world *world, size_t slot);
// Put the bodies of that snapshot into their slots, or put back what was there, after making what that needs; the
// caller rebuilds the arrays. PL_ERR_MEMORY: nothing has changed.
PL_NODISCARD pl_status pl__melting_prepare(pl_world *world);
void pl__melting_exchange(pl_world *world);
extern const pl__section_type pl__melting_section;

#endif

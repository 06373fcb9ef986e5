// src/world/grab.h -- grabs: springs that hold patches of bodies (solid/grab.h).
#ifndef PL_WORLD_GRAB_H
#define PL_WORLD_GRAB_H

#include "section.h"
#include "solid/grab.h"
#include <pliant/world.h>

typedef struct pl__grabs
{
    pl__grab grab[PL__GRABS]; // fixed places, some free
    int32_t made;             // number of grabs made so far: handles are never reused
} pl__grabs;

// Set the targets for the end of a substep of length dt; commit them after the substep.
void pl__grabs_aim(pl_world *world, double dt);
void pl__grabs_arrive(pl_world *world);
// Release the grabs of a body, or all with NULL.
void pl__grabs_forget(pl_world *world, const pl__body *body);
// Transfer the grabs [PL__GRABS] of a body to its rebuilt version, including the copies of grabbed nodes as far as
// there is room; `from` maps nodes of the new mesh to the old one.
void pl__grabs_move(pl__grab *grab, const pl__body *body, const int32_t *from, pl__body *to);
// Install a grab in a free place.
void pl__grab_install(pl_world *world, int32_t place, const pl__grab *grab);
extern const pl__section_type pl__grabs_section;

#endif

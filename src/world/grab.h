// src/world/grab.h -- hands that hold bodies (solid/grab.h).
#ifndef PL_WORLD_GRAB_H
#define PL_WORLD_GRAB_H

#include "section.h"
#include "solid/grab.h"
#include <pliant/world.h>

typedef struct pl__grabs
{
    pl__grab grab[PL__GRABS]; // places, some of them free
    int32_t made;             // so far: handles are not used again
} pl__grabs;

// Where they shall be at the end of a substep of length dt; and after it.
void pl__grabs_aim(pl_world *world, double dt);
void pl__grabs_arrive(pl_world *world);
// Let go of a body, or, with NULL, of all.
void pl__grabs_forget(pl_world *world, const pl__body *body);
// Of [PL__GRABS], those that hold a body hold another one in its place, copies of nodes included as far as there is
// room; `from` says of which node of the old mesh each one of the new mesh is a copy.
void pl__grabs_move(pl__grab *grab, const pl__body *body, const int32_t *from, pl__body *to);
// Take hold as `grab` says, whose place must be free.
void pl__grab_install(pl_world *world, int32_t place, const pl__grab *grab);
extern const pl__section_type pl__grabs_section;

#endif

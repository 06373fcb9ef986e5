// src/world/events.h -- who touches whom: contacts that begin, last and end.
#ifndef PL_WORLD_EVENTS_H
#define PL_WORLD_EVENTS_H

#include "section.h"
#include <pliant/world.h>

// Two that touch: a body and an object, two bodies, or a body and itself.
typedef struct pl__contact_record
{
    int32_t slot;     // of the body; of two, the lower
    int32_t object;   // or -1: the other is a body
    int32_t other;    // its slot, or -1
    bool before, now; // touched in the last complete step; in this one, so far
    double point[3];  // where the strongest impulse acted [m]
    double normal[3]; // there, towards the body
    double impulse;   // along normals, in this step so far [N s]
    double strongest; // of them
} pl__contact_record;

typedef struct pl__contact_records
{
    pl__contact_record *record; // [count] by slot, objects first, then others
    size_t count, capacity;
    size_t last; // where the next is looked for first
} pl__contact_records;

// Room for as many as can be expected to touch, so that steps need not find it.
pl_status pl__events_reserve(pl_world *world);
// How many there is room for in snapshots: all that can touch, or, of many bodies, some for each and those that do.
size_t pl__events_room(const pl_world *world);
// A new step begins. Of one that was dropped nothing has been told.
void pl__events_begin(pl_world *world, bool dropped);
// What a substep and a look at bodies that meet have found.
pl_status pl__events_note_objects(pl_world *world);
pl_status pl__events_note_watched(pl_world *world);
pl_status pl__events_note_meeting(pl_world *world);
// Nobody touches a body that has gone.
void pl__events_forget(pl_world *world, int32_t slot);
extern const pl__section_type pl__contacts_section;

#endif

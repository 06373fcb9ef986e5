// src/world/events.h -- contact events: begin, persist and end of touching pairs.
#ifndef PL_WORLD_EVENTS_H
#define PL_WORLD_EVENTS_H

#include "section.h"
#include <pliant/world.h>

// A touching pair: body and object, two bodies, or a body with itself.
typedef struct pl__contact_record
{
    int32_t slot;     // of the body; of two bodies, the lower slot
    int32_t object;   // -1: the other is a body
    int32_t other;    // slot of the other body, or -1
    bool before, now; // touched in the last complete step; touched so far in this one
    double point[3];  // where the strongest impulse acted [m]
    double normal[3]; // there, towards the body
    double impulse;   // sum along the normals in this step so far [N s]
    double strongest; // the largest single impulse [N s]
} pl__contact_record;

typedef struct pl__contact_records
{
    pl__contact_record *record; // [count] sorted by slot, then objects before bodies
    size_t count, capacity;
    size_t last; // index of the last hit: the search starts here
} pl__contact_records;

// Reserve memory for the expected number of touching pairs, so that steps do not allocate.
pl_status pl__events_reserve(pl_world *world);
// Number of records reserved in snapshots: all possible pairs, or, with many bodies, a few for each plus the current
// ones.
size_t pl__events_room(const pl_world *world);
// Begin a step. `dropped`: the previous one was abandoned and its contacts were not reported.
void pl__events_begin(pl_world *world, bool dropped);
// Record the contacts of a substep with objects, of its filtered pairs, and of collision response.
pl_status pl__events_note_objects(pl_world *world);
pl_status pl__events_note_watched(pl_world *world);
pl_status pl__events_note_meeting(pl_world *world);
// Remove the records of a body that was removed.
void pl__events_forget(pl_world *world, int32_t slot);
extern const pl__section_type pl__contacts_section;

#endif

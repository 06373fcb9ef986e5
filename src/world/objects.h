// src/world/objects.h -- objects of a world: what they are, where they are and where they go.
#ifndef PL_WORLD_OBJECTS_H
#define PL_WORLD_OBJECTS_H

#include "contact/object.h"
#include "contact/shape.h"
#include "scene/scene.h"
#include "section.h"
#include <pliant/world.h>

// What is known of an object's target.
typedef enum pl__aim
{
    PL__AIM_NONE,
    PL__AIM_NEW, // not yet on its way
    PL__AIM_TAKEN
} pl__aim;

// The deepest point of an object, found roughly (node_gaps.c).
typedef struct pl__middle
{
    double point[3]; // in its own frame
    double depth;    // [m]; 0: it has none, being endless or bending
    double across;   // the middle one of its three extents [m]
} pl__middle;

typedef struct pl__objects
{
    char (*name)[PL_NAME_BYTES]; // [count]
    pl__object *object;          // [count]
    pl__shape **shape;           // [count] of each
    double (*target)[3];         // [count] where to be at the end of the next step
    uint8_t *aim;                // [count] pl__aim
    int32_t *slot;               // [count] of the body that it is, or -1
    pl__middle *middle;          // [count]
    size_t count;
} pl__objects;

extern const pl__section_type pl__object_section;

#endif

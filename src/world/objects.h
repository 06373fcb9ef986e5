// src/world/objects.h -- objects of a world: shapes, poses and targets.
#ifndef PL_WORLD_OBJECTS_H
#define PL_WORLD_OBJECTS_H

#include "contact/object.h"
#include "contact/shape.h"
#include "scene/scene.h"
#include "section.h"
#include <pliant/world.h>

// State of an object's target.
typedef enum pl__aim
{
    PL__AIM_NONE,
    PL__AIM_NEW, // not yet moving there
    PL__AIM_TAKEN
} pl__aim;

// The deepest interior point of an object, sampled on a grid (node_gaps.c).
typedef struct pl__middle
{
    double point[3]; // in the frame of the object
    double depth;    // [m]; 0: no such point (unbounded or deforming)
    double across;   // the middle one of its three extents [m]
} pl__middle;

typedef struct pl__objects
{
    char (*name)[PL_NAME_BYTES]; // [count]
    pl__object *object;          // [count]
    pl__shape **shape;           // [count]
    double (*target)[3];         // [count] position at the end of the next step
    uint8_t *aim;                // [count] pl__aim
    int32_t *slot;               // [count] of the body that it represents, or -1
    pl__middle *middle;          // [count]
    size_t count;
} pl__objects;

extern const pl__section_type pl__object_section;

#endif

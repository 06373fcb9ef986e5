// src/io/group.h -- the numbers under which formats write regions.
#ifndef PL_IO_GROUP_H
#define PL_IO_GROUP_H

#include "mesh/mesh.h"

// A region is written under a number, which a reader turns into the same region because it sorts them. Regions that are
// named by numbers already ("5", "9": a file gave no names) keep them; others are counted from 1; a mesh without
// regions (one, unnamed) has group 0, which is none.
typedef struct pl__groups
{
    const pl_mesh *mesh;
    bool numbered; // every name is a positive number, and they ascend
    bool none;     // there is nothing to tell
} pl__groups;

pl__groups pl__groups_of(const pl_mesh *mesh);
int32_t pl__group_of_region(const pl__groups *groups, int32_t region);

#endif

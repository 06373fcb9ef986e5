// src/io/group.h -- numbering of regions for output formats.
#ifndef PL_IO_GROUP_H
#define PL_IO_GROUP_H

#include "mesh/mesh.h"

// A region is written as a number, which readers map to the same region because they sort the numbers. Regions whose
// names are numbers ("5", "9": from a file without names) keep them; others are numbered from 1; a mesh without regions
// (one, unnamed) has group 0, none.
typedef struct pl__groups
{
    const pl_mesh *mesh;
    bool numbered; // every name is a positive number, in ascending order
    bool none;     // no groups to write
} pl__groups;

pl__groups pl__groups_of(const pl_mesh *mesh);
int32_t pl__group_of_region(const pl__groups *groups, int32_t region);

#endif

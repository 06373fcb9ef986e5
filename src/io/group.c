// src/io/group.c -- numbering of regions for output formats.
#include "io/group.h"
#include "io/number.h"

#include <string.h>

// Value of a name such as "12"; 0 for all others, also "012".
static int32_t number_of_name(const char *name)
{
    int64_t value = 0;
    if (name[0] < '1' || name[0] > '9' || pl__parse_integer(name, strlen(name), &value) != PL__INTEGER_FINE)
        return 0;
    return value <= INT32_MAX ? (int32_t)value : 0;
}

pl__groups pl__groups_of(const pl_mesh *mesh)
{
    pl__groups groups = {.mesh = mesh, .numbered = true, .none = mesh->region_count == 1 && !mesh->region_name[0][0]};
    int32_t before = 0;
    for (int32_t r = 0; r < mesh->region_count; ++r)
    {
        int32_t number = number_of_name(mesh->region_name[r]);
        groups.numbered &= number > before;
        before = number;
    }
    return groups;
}

int32_t pl__group_of_region(const pl__groups *groups, int32_t region)
{
    if (groups->none)
        return 0;
    return groups->numbered ? number_of_name(groups->mesh->region_name[region]) : region + 1;
}

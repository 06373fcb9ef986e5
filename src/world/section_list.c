// src/world/section_list.c -- the sections of a world, in the order in which they are written, checked and applied.
//
// Which bodies there are and their topology come first: bodies with another topology are rebuilt, and later sections
// refer to those that will be there. The functions called at the end of a load need the order bodies, keyframes,
// actors, collision.
#include "flows.h"
#include "world.h"

pl_status pl__world_register_sections(pl_world *world)
{
    static const pl__section_type *const type[] = {
        &pl__melting_section,   &pl__topology_section,  &pl__settings_section,     &pl__state_section,
        &pl__material_section,  &pl__object_section,    &pl__friction_section,     &pl__body_section,
        &pl__ring_section,      &pl__keyframes_section, &pl__heat_sources_section, &pl__actors_section,
        &pl__collision_section, &pl__rows_section,      &pl__contacts_section,     &pl__grabs_section,
        &pl__liquids_section,   &pl__valves_section};
    for (size_t i = 0; i < sizeof type / sizeof type[0]; ++i)
        PL_TRY(pl__sections_add(world->ctx, &world->sections, type[i], world));
    return PL_OK;
}

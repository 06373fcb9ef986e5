// src/world/flows.h -- sources, drains and open sides of a scene, for its liquid.
#ifndef PL_WORLD_FLOWS_H
#define PL_WORLD_FLOWS_H

#include "fluid/liquid.h"
#include "scene/scene.h"
#include "section.h"

struct pl__shape;

// Check that sources and drains have cells that are not inside objects, and that there is water beyond open sides.
// `shape` [liquids of the scene] are their regions.
PL_NODISCARD pl_status pl__flows_check(pl_context *ctx, const pl_scene *scene, struct pl__shape *const *shape,
                                       const pl__obstacles *obstacles);

// List sources and drains in `source` [liquids of the scene], for `def`, with the `kind` of each, and mix their shapes
// into a hash.
uint64_t pl__flows_list(const pl_scene *scene, struct pl__shape *const *shape, const int32_t *kind, uint64_t hash,
                        pl__liquid_source *source, pl__liquid_def *def);

// Their names, in the same order.
void pl__flows_names(const pl_scene *scene, char (*name)[PL_NAME_BYTES]);

// List where vortex particles are born in `source` [vortices of the scene], for `def`. `name` are those of objects.
// Fails with a sentence if there is no such object.
PL_NODISCARD pl_status pl__flows_list_vortices(const pl_scene *scene, const char (*name)[PL_NAME_BYTES], size_t count,
                                               pl__vortex_source *source, pl__liquid_def *def);

// Width of sponges along the open sides of a domain, if it is not given [m].
double pl__flows_sponge(const pl_domain_def *domain);

// Whether there is or may be any liquid, which has a volume [m^3] at the start.
PL_NODISCARD pl_status pl__flows_check_volume(pl_context *ctx, const pl_scene *scene, double volume);

// How far sources and drains of a world are open.
extern const pl__section_type pl__valves_section;

#endif

// app/render/caustics.h -- how water focuses the key light on what is in it and behind it.
//
// Light falls along a lattice of parallel rays onto the water, is bent there by Snell's law, and lands. Seen from the
// light, a ray that were not bent would land where it starts; so a map in the plane across the light, filled with as
// many rays as land at a place over as many as start there, is the factor by which the light on a surface at this place
// is stronger than through flat water. The way straight through the water (water_dim) takes what is mirrored and
// absorbed. The map is made once per picture and asked by whoever is behind water.
//
// What it does badly: of two things behind each other, as seen from the light, both have the light that lands on
// either; the key light is a point here, although shadows are soft.
#ifndef APP_RENDER_CAUSTICS_H
#define APP_RENDER_CAUSTICS_H

#include "tracer.h"

// Fill t->caustics. Its `map` stays NULL without water or light.
PL_NODISCARD pl_status caustics_make(pl_context *ctx, tracer *t);
void caustics_free(pl_context *ctx, tracer *t);

// The factor at a point behind water.
float caustics_at(const tracer *t, v3 point);

#endif

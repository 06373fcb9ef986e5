// app/render/froth.h -- foam that lies on water, drawn as patches of its surface.
//
// A point of foam stands for many bubbles: it whitens the surface around it, by (1 - d^2 / R^2)^2 of its opacity, where
// R is some times its radius. Where points are close together their shares add up to whole cover, else the water is
// seen between them.
#ifndef APP_RENDER_FROTH_H
#define APP_RENDER_FROTH_H

#include "tracer.h"

// Sort the foam of the scene into t->froth.
PL_NODISCARD pl_status froth_make(pl_context *ctx, tracer *t);
void froth_free(pl_context *ctx, tracer *t);

// The share of the surface at a point that foam covers, in [0, 1].
float froth_at(const tracer *t, v3 point);

#endif

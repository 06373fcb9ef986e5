// app/render/glass.h -- glass in the air.
#ifndef APP_RENDER_GLASS_H
#define APP_RENDER_GLASS_H

#include "water.h"

// Take from rays of the eye what glass mirrors before they meet water or anything else, and add what it mirrors.
void glass_pass(const tracer *t, const packet *p, water_path *path);

#endif

// src/scene/preset.h -- material presets by name.
#ifndef PL_SCENE_PRESET_H
#define PL_SCENE_PRESET_H

#include <pliant/material.h>

typedef struct pl__preset
{
    const char *name, *help;
    pl_material_kind model;
    double young, poisson, density, damping;
    double color[3];       // sRGB
    double fiber_strength; // [Pa]
    double stiffening;     // for models that stiffen; 0: the default
    double yield_strain;   // 0: elastic
} pl__preset;

// The presets in order; NULL past the last.
const pl__preset *pl__preset_at(int32_t index);
const pl__preset *pl__preset_find(const char *name);
pl_material_def pl__preset_material(const pl__preset *preset);

#endif

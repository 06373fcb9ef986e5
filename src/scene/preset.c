// src/scene/preset.c -- the table of material presets.
//
// Moduli have the order of handbook values for small strains; real rubbers, foams and tissues span a decade around
// them. Muscle must keep its volume against fibres of five times its stiffness: at full activation it loses 3 % with a
// Poisson's ratio of 0.495, 10 % with 0.46. Damping times are chosen by eye: a ball of the material rings about as long
// as expected.
#include "preset.h"

#include <string.h>

// clang-format off
static const pl__preset presets[] = {
    // name          help                              model                         young  poisson density damping  colour               fibres [Pa], stiffening, yield strain
    {"rubber",      "soft rubber, as of toys",        PL_MATERIAL_NEO_HOOKEAN,    1e5,   0.40,   1000,   0.01,   {0.13, 0.38, 0.78}, 0, 0, 0},
    {"hard_rubber", "tyres, shoe soles",              PL_MATERIAL_NEO_HOOKEAN,    5e6,   0.47,   1150,   0.002,  {0.22, 0.23, 0.26}, 0, 0, 0},
    {"silicone",    "moulded silicone",               PL_MATERIAL_NEO_HOOKEAN,    5e5,   0.47,   1100,   0.004,  {0.80, 0.42, 0.50}, 0, 0, 0},
    {"gelatin",     "dessert jelly",                  PL_MATERIAL_NEO_HOOKEAN,    1e4,   0.45,   1000,   0.01,   {0.86, 0.20, 0.22}, 0, 0, 0},
    {"flesh",       "soft tissue",                    PL_MATERIAL_NEO_HOOKEAN,    2e4,   0.46,   1050,   0.02,   {0.88, 0.62, 0.52}, 0, 0, 0},
    {"fat",         "adipose tissue",                 PL_MATERIAL_NEO_HOOKEAN,    3e3,   0.46,   920,    0.03,   {0.93, 0.85, 0.60}, 0, 0, 0},
    {"muscle",      "muscle, with fibres",            PL_MATERIAL_MOONEY_RIVLIN,  6e4,   0.495,  1060,   0.02,   {0.72, 0.22, 0.20}, 3e5, 0, 0},
    {"skin",        "skin: soft, then taut",          PL_MATERIAL_FUNG,           1e5,   0.45,   1100,   0.01,   {0.92, 0.70, 0.58}, 0, 5, 0},
    {"plush",       "a stuffed toy: yields, then holds", PL_MATERIAL_SPLINE,      1e4,   0.10,   80,     0.03,   {0.80, 0.60, 0.40}, 0, 12, 0},
    {"clay",        "modelling clay: stays as it is pressed", PL_MATERIAL_ROTATED_LINEAR, 2e5, 0.30, 1600, 0.02, {0.70, 0.45, 0.32}, 0, 0, 0.02},
    {"foam",        "upholstery foam",                PL_MATERIAL_ROTATED_LINEAR, 3e4,   0.10,   50,     0.02,   {0.95, 0.79, 0.30}, 0, 0, 0},
    {"sponge",      "a wet sponge",                   PL_MATERIAL_ROTATED_LINEAR, 2e4,   0.05,   300,    0.04,   {0.90, 0.70, 0.20}, 0, 0, 0},
    {"cork",        "cork",                           PL_MATERIAL_ROTATED_LINEAR, 2e7,   0.05,   180,    0.002,  {0.76, 0.58, 0.38}, 0, 0, 0},
    {"wood",        "wood, along the grain",          PL_MATERIAL_STVK,           1e10,  0.35,   600,    1e-4,   {0.60, 0.41, 0.25}, 0, 0, 0},
    {"plastic",     "hard plastic",                   PL_MATERIAL_STVK,           2e9,   0.37,   1050,   2e-4,   {0.20, 0.60, 0.45}, 0, 0, 0},
    {"concrete",    "concrete",                       PL_MATERIAL_STVK,           3e10,  0.20,   2400,   1e-4,   {0.62, 0.62, 0.60}, 0, 0, 0},
    {"cotton",      "woven cloth of shirts, as a shell", PL_MATERIAL_STVK,        1e6,   0.30,   300,    2e-3,   {0.86, 0.83, 0.76}, 0, 0, 0},
    {"silk",        "light cloth, as a shell",        PL_MATERIAL_STVK,           4e5,   0.30,   400,    2e-3,   {0.75, 0.25, 0.35}, 0, 0, 0},
    {"denim",       "stiff cloth, as a shell",        PL_MATERIAL_STVK,           3e6,   0.30,   450,    2e-3,   {0.20, 0.30, 0.50}, 0, 0, 0},
    {"latex",       "balloons, gloves",               PL_MATERIAL_NEO_HOOKEAN,    1e6,   0.45,   950,    2e-3,   {0.85, 0.25, 0.25}, 0, 0, 0},
    {"tin",         "thin sheet that dents, as a shell", PL_MATERIAL_ROTATED_LINEAR, 2e7, 0.30,  2000,   1e-3,   {0.66, 0.68, 0.72}, 0, 0, 0.01},
    {"aluminium",   "aluminium",                      PL_MATERIAL_STVK,           7e10,  0.33,   2700,   5e-5,   {0.78, 0.79, 0.81}, 0, 0, 0},
    {"steel",       "steel",                          PL_MATERIAL_STVK,           2e11,  0.29,   7850,   5e-5,   {0.55, 0.57, 0.60}, 0, 0, 0},
};
// clang-format on

enum
{
    PRESET_COUNT = sizeof presets / sizeof presets[0]
};

const pl__preset *pl__preset_at(int32_t index) { return index >= 0 && index < PRESET_COUNT ? &presets[index] : NULL; }

const pl__preset *pl__preset_find(const char *name)
{
    for (int32_t i = 0; i < PRESET_COUNT; ++i)
        if (strcmp(presets[i].name, name) == 0)
            return &presets[i];
    return NULL;
}

pl_material_def pl__preset_material(const pl__preset *preset)
{
    pl_material_def def = pl_material_def_default();
    def.kind = preset->model;
    def.young = preset->young;
    def.poisson = preset->poisson;
    def.density = preset->density;
    def.damping = preset->damping;
    def.fiber_strength = preset->fiber_strength;
    def.yield_strain = preset->yield_strain;
    if (preset->stiffening > 0)
        *(preset->model == PL_MATERIAL_SPLINE ? &def.spline_stiffening : &def.stiffening) = preset->stiffening;
    return def;
}

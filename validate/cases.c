// validate/cases.c -- all cases. To add one, write its function, declare it in case.h, and add a row.
#include "case.h"

// clang-format off
const validate_case validate_cases[] = {
    // name, function and its parameter, source, what is so many cells long
    {"rest", validate_rest, 0, "hydrostatics", "metre",
        {32, 64, 128}, {{"speed", "m/s", true, {1e-9, 1e-9, 1e-9}}}},

    {"slosh-0.1", validate_sloshing, 0.1, "linear waves", "basin", {32, 64, 128}, {{"period", "s", false, {0.02, 0.01, 0.003}}}},
    {"slosh-0.2", validate_sloshing, 0.2, "linear waves", "basin", {32, 64, 128}, {{"period", "s", false, {0.02, 0.01, 0.003}}}},
    {"slosh-0.5", validate_sloshing, 0.5, "linear waves", "basin", {32, 64, 128}, {{"period", "s", false, {0.02, 0.01, 0.003}}}},
    {"slosh-1", validate_sloshing, 1, "linear waves", "basin", {0, 64, 128}, {{"period", "s", false, {0.02, 0.01, 0.003}}}},

    {"layers", validate_layers, 0.8, "linear waves", "box", {32, 48, 96}, {{"period", "s", false, {0.02, 0.01, 0.005}}}},
    {"rayleigh-taylor", validate_layers, 3, "linear theory", "box", {32, 48, 96}, {{"rate", "1/s", false, {0.05, 0.05, 0.05}}}},

    {"dam", validate_dam_break, 0, "Martin & Moyce 1952", "height", {32, 64, 128},
        {{"front", "widths", false, {0.08, 0.05, 0.03}}, {"height", "heights", false, {0.08, 0.05, 0.03}}}},
    {"volume", validate_dam_volume, 0, "conservation", "box", {0, 40, 64},
        {{"drift", "%", true, {1, 0.5, 0.5}}, {"worst", "%", true, {3, 1, 1}}}},

    {"solitary-0.1", validate_solitary, 0.1, "Fenton 1972; Su & Mirie 1980", "depth", {0, 16, 32},
        {{"speed", "sqrt(gd)", false, {0.01, 0.01, 0.01}}, {"run-up", "depths", false, {0.05, 0.05, 0.05}}}},
    {"solitary-0.2", validate_solitary, 0.2, "Fenton 1972; Su & Mirie 1980", "depth", {8, 16, 32},
        {{"speed", "sqrt(gd)", false, {0.02, 0.01, 0.01}}, {"run-up", "depths", false, {0.1, 0.05, 0.05}}}},
    {"solitary-0.3", validate_solitary, 0.3, "Fenton 1972; Su & Mirie 1980", "depth", {0, 24, 32},
        {{"speed", "sqrt(gd)", false, {0.01, 0.01, 0.01}}, {"run-up", "depths", false, {0.05, 0.05, 0.05}}}},
    {"solitary-0.4", validate_solitary, 0.4, "Fenton 1972; Su & Mirie 1980", "depth", {0, 32, 40},
        {{"speed", "sqrt(gd)", false, {0.01, 0.01, 0.01}}, {"run-up", "depths", false, {0.05, 0.05, 0.05}}}},

    {"beach-0.039", validate_beach, 0.039, "Synolakis 1987", "depth", {0, 16, 32}, {{"run-up", "depths", false, {0.1, 0.1, 0.1}}}},
    {"beach-0.094", validate_beach, 0.094, "Synolakis 1987", "depth", {0, 16, 32}, {{"run-up", "depths", false, {0.1, 0.1, 0.1}}}},

    {"zalesak", validate_zalesak, 0, "Enright et al. 2002", "square", {0, 100, 200},
        {{"lost", "%", true, {0, 0.5, 0.5}}, {"misplaced", "%", true, {0, 1, 0.5}}}},
    {"vortex", validate_vortex, 0, "Enright et al. 2002", "square", {0, 128, 256},
        {{"lost", "%", true, {0, 0.5, 0.5}}, {"misplaced", "%", true, {0, 1.5, 0.5}}}},
    {"deformation", validate_deformation, 0, "Enright et al. 2002", "cube", {0, 64, 100},
        {{"lost", "%", true, {0, 2.6, 2.6}}, {"misplaced", "%", true, {0, 4, 2}}}},

    {"couette", validate_couette, 0, "Schlichting", "gap", {16, 32, 64}, {{"speed", "", true, {3e-3, 1e-3, 1e-3}}}},
    {"poiseuille", validate_poiseuille, 0, "Schlichting", "gap", {16, 32, 64}, {{"speed", "", true, {3e-3, 1e-3, 1e-3}}}},
    {"taylor-green", validate_taylor_green, 0, "Taylor & Green 1937", "box", {16, 32, 64},
        {{"rate", "1/s", false, {0.01, 2e-3, 1e-3}}, {"order", "", true, {0.1, 0.1, 0.1}}}},
    {"cavity", validate_cavity, 0, "Ghia et al. 1982", "side", {0, 64, 96},
        {{"across", "", true, {0, 0.02, 0.02}}, {"along", "", true, {0, 0.02, 0.02}}}},
    {"slump", validate_slump, 0, "Dubash et al. 2009", "metre", {0, 48, 96},
        {{"height", "m", false, {0, 0.05, 0.05}}, {"length", "m", false, {0, 0.05, 0.05}}}},
    {0},
};
// clang-format on

// src/solid/fracture.h -- where a body breaks (criterion in fracture.c).
#ifndef PL_SOLID_FRACTURE_H
#define PL_SOLID_FRACTURE_H

#include "body.h"
#include "mesh/split.h"

typedef struct pl__fracture_settings
{
    uint64_t seed;    // of the random strengths
    int32_t smallest; // minimum number of elements of a piece
    int32_t most;     // most nodes split in one update; 0: any number
} pl__fracture_settings;

typedef struct pl__fracture
{
    pl_context *ctx;
    pl__fracture_settings settings;
    pl__split *split;    // which element corners share a node
    double (*stress)[6]; // [element_count] mesh order, components 00 11 22 01 02 12, at the last update [Pa]
    double (
        *bending)[6]; // [element_count] stress that bending adds on the front side of shell triangles; NULL for others
    double *volume;   // [element_count] at rest [m^3]
    double *strength; // [element_count] current fracture stress [Pa]; 0: unbreakable
    double *spread;   // [element_count]
    double *ratio;    // [ratio_capacity] of each node, mesh order: stress over strength
    double (*direction)[3]; // [direction_capacity] of that stress
    size_t ratio_capacity, direction_capacity;
} pl__fracture;

// `mesh` is the intact mesh of the body. Fails with PL_ERR_ARGUMENT if it cannot be split (mesh/split.h).
PL_NODISCARD pl_status pl__fracture_create(const pl_mesh *mesh, const pl__fracture_settings *settings,
                                           pl__fracture **fracture);
void pl__fracture_destroy(pl__fracture **fracture);

// Split nodes where stress exceeds strength, with the body at world positions x. `torn` is the number of nodes split:
// if positive, the split has changes to be committed. On failure it has none.
PL_NODISCARD pl_status pl__fracture_look(pl__fracture *fracture, const pl__body *body, const double *x,
                                         const pl_material_def *material, int32_t *torn);
// Separate elements on both sides of a swept quadrilateral (mesh/split.h).
PL_NODISCARD pl_status pl__fracture_cut(pl__fracture *fracture, const pl__body *body, const double *x,
                                        const double quad[4][3], int32_t *torn);

#endif

// src/solid/fracture.h -- where a body breaks (fracture.c has the rule).
#ifndef PL_SOLID_FRACTURE_H
#define PL_SOLID_FRACTURE_H

#include "body.h"
#include "mesh/split.h"

typedef struct pl__fracture_settings
{
    uint64_t seed;    // of the strengths
    int32_t smallest; // elements of a piece
    int32_t most;     // nodes torn in one look; 0: any number
} pl__fracture_settings;

typedef struct pl__fracture
{
    pl_context *ctx;
    pl__fracture_settings settings;
    pl__split *split;    // which corners are one node
    double (*stress)[6]; // [element_count] in the mesh's order: 00 11 22 01 02 12, of the last look [Pa]
    double (
        *bending)[6]; // [element_count] what bending adds on the side that triangles of shells face; NULL for others
    double *volume;   // [element_count] at rest [m^3]
    double *strength; // [element_count] fracture stress now [Pa]; 0: does not break
    double *spread;   // [element_count]
    double *ratio;    // [ratio_capacity] of each node, in the mesh's order: stress over strength
    double (*direction)[3]; // [direction_capacity] of that stress
    size_t ratio_capacity, direction_capacity;
} pl__fracture;

// `mesh` is that of the whole body. Fails with PL_ERR_ARGUMENT where it cannot be torn (mesh/split.h).
PL_NODISCARD pl_status pl__fracture_create(const pl_mesh *mesh, const pl__fracture_settings *settings,
                                           pl__fracture **fracture);
void pl__fracture_destroy(pl__fracture **fracture);

// Tear what bears no more, with the body at positions x of the world. `torn` nodes came apart: then the split has
// changes to be committed. On failure it has none.
PL_NODISCARD pl_status pl__fracture_look(pl__fracture *fracture, const pl__body *body, const double *x,
                                         const pl_material_def *material, int32_t *torn);
// Separate elements on both sides of a swept quadrilateral (mesh/split.h).
PL_NODISCARD pl_status pl__fracture_cut(pl__fracture *fracture, const pl__body *body, const double *x,
                                        const double quad[4][3], int32_t *torn);

#endif

// src/solid/heat.h -- temperatures of a body (heat.c has the equations).
#ifndef PL_SOLID_HEAT_H
#define PL_SOLID_HEAT_H

#include "body.h"

// Two nodes of an element, and how fast heat goes between them.
typedef struct pl__heat_link
{
    int32_t node[2];
    double conductance; // [m^3/s]
} pl__heat_link;

typedef struct pl__heat
{
    pl_context *ctx;
    int32_t node_count;
    double *temperature; // [node_count] above the surroundings [K], in the engine's order
    double *volume;      // [node_count] of the elements around it [m^3]
    double *rate;        // [node_count] of cooling [1/s]
    double *flow;        // [node_count] scratch
    int32_t link_count;  // 0 where nothing conducts
    size_t link_capacity;
    pl__heat_link *link;
    double fastest; // of the rates at which a node exchanges heat with its neighbours [1/s]
    bool warm;      // some node is
} pl__heat;

// Whether heat does something to a body of these materials.
bool pl__heat_matters(const pl__body *body, const pl_material_def *material);
// All at the temperature of the surroundings. `rest` is where nodes are at rest, in the engine's order.
PL_NODISCARD pl_status pl__heat_create(pl__body *body, const pl_material_def *material, const double *rest);
void pl__heat_destroy(pl__heat **heat);

// The mean of an element's corners.
double pl__heat_of_element(const pl__body *body, const pl__element_group *group, int32_t element);
// Warm (or cool) the nodes within `radius` of a point: by `kelvin` in the middle and (1 - r^2/radius^2)^2 of that
// elsewhere, down to the surroundings at most. `x` are positions of the body's nodes. Returns how many nodes.
int32_t pl__heat_add(pl__heat *heat, const double *x, const double at[3], double radius, double kelvin);
// Cool and conduct for dt. True where a temperature changed.
bool pl__heat_advance(pl__heat *heat, double dt);
// After temperatures were written.
void pl__heat_notice(pl__heat *heat);

#endif

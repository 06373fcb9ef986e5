// src/solid/heat.h -- temperatures of a body (equations in heat.c).
#ifndef PL_SOLID_HEAT_H
#define PL_SOLID_HEAT_H

#include "body.h"

// Heat conduction along an edge of an element.
typedef struct pl__heat_link
{
    int32_t node[2];
    double conductance; // [m^3/s]
} pl__heat_link;

typedef struct pl__heat
{
    pl_context *ctx;
    int32_t node_count;
    double *temperature; // [node_count] above ambient [K], engine order
    double *volume;      // [node_count] volume of the adjacent elements [m^3]
    double *rate;        // [node_count] cooling rate [1/s]
    double *flow;        // [node_count] scratch
    int32_t link_count;  // 0 without conduction
    size_t link_capacity;
    pl__heat_link *link;
    double fastest; // largest rate of heat exchange of a node with its neighbours [1/s]
    bool warm;      // some node is above ambient
} pl__heat;

// Whether any of these materials responds to heat.
bool pl__heat_matters(const pl__body *body, const pl_material_def *material);
// All nodes at ambient temperature. `rest` are rest positions, engine order.
PL_NODISCARD pl_status pl__heat_create(pl__body *body, const pl_material_def *material, const double *rest);
void pl__heat_destroy(pl__heat **heat);

// Mean over the corners of an element.
double pl__heat_of_element(const pl__body *body, const pl__element_group *group, int32_t element);
// Heat (or cool) the nodes within `radius` of a point: by `kelvin` at the centre and (1 - r^2/radius^2)^2 of that
// elsewhere, never below ambient. `x` are positions of the body's nodes. Returns the number of nodes.
int32_t pl__heat_add(pl__heat *heat, const double *x, const double at[3], double radius, double kelvin);
// Cool and conduct over dt. True if a temperature changed.
bool pl__heat_advance(pl__heat *heat, double dt);
// Call after temperatures were written.
void pl__heat_notice(pl__heat *heat);

#endif

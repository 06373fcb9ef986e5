// src/fluid/wetted.h -- what a liquid does to the objects in it and to the walls of its domain: forces by pressure.
//
// The solid in a cell with liquid is bounded by its wetted surface S and by the closed parts of the cell's sides.
// Within the cell p = p_c + rho g . (x - x_c), as in liquid at rest. With V the volume of the solid in the cell and n_f
// the normal of a side outwards, the divergence theorem gives the force on the solid without knowing S,
//
//     F = - integral over S of p n = sum over sides of (integral of p over the closed part) n_f - rho g V,
//
// where the integral is the closed area times p at its middle. So in liquid at rest F is exact for planes, wherever
// they cut the cells, and the sum over a body is the weight of what it displaces. Cells whose center is in air do not
// press: at the waterline that is off by rho g h^2 per length.
//
// V is that of the half-space with the area vector of the closed sides as its normal; beside thin parts, which corners
// miss, that of a prism between the sides along gravity.
#ifndef PL_FLUID_WETTED_H
#define PL_FLUID_WETTED_H

#include "boundary.h"

// The closed part of a side of a cell with liquid.
typedef struct pl__wetted_side
{
    int32_t cell[3], axis, end; // at its lower (0) or upper (1) end along the axis
    int32_t object;             // that closes it; -1: a wall of the domain
    double area;                // [m^2]
    double point[3];            // its middle [m]
} pl__wetted_side;

// What objects take of a cell with liquid.
typedef struct pl__wetted_cell
{
    int32_t cell[3], object;
    double solid; // [m^3]
} pl__wetted_cell;

typedef struct pl__wetted
{
    pl__wetted_side *side; // [side_count] by columns of cells, from below
    pl__wetted_cell *cell; // [cell_count] likewise
    size_t side_count, cell_count;

    size_t *first; // [2 columns + 2] of sides and cells of each column
    size_t side_capacity, cell_capacity, first_capacity;
} pl__wetted;

void pl__wetted_done(pl_context *ctx, pl__wetted *w);

typedef struct pl__wetted_def
{
    const pl__grid *grid;
    const pl__obstacles *obstacles;
    const bool *closed;    // walls of the domain, -x +x -y +y -z +z
    const uint8_t *liquid; // [numbers of cells] of uniform ones: has a pressure
    int down;              // axis of gravity
    const double *heavier; // [numbers of cells] rho over that of the weight, where there are several liquids; NULL: 1
} pl__wetted_def;

// List them. PL_ERR_MEMORY: the list is empty.
PL_NODISCARD pl_status pl__wetted_list(pl_context *ctx, pl__wetted *w, const pl__wetted_def *def);

// Of one object, or of the walls.
typedef struct pl__wetted_force
{
    double force[3], torque[3]; // [N]; about `at` of the object, or the origin [N m]
    double area;                // of the wetted surface, about [m^2]
} pl__wetted_force;

// Sum up for pressures p [numbers of cells] and rho g [N/m^3]: `to` [objects + 1], the last for the walls.
void pl__wetted_sum(const pl__wetted *w, const pl__wetted_def *def, const double *p, const double weight[3],
                    pl__wetted_force *to);

// Add a force f at x on an object (-1: on the walls).
void pl__wetted_push(const pl__obstacles *obstacles, int32_t object, const double x[3], const double f[3],
                     pl__wetted_force *to);

#endif

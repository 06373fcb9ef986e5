// src/fluid/liquid.h -- a liquid with a free surface: its state, and one step of it.
//
// Thesis chapter 5: incompressible, u_t + u . grad u + grad p / rho = g, div u = 0, p = 0 in the air, on uniform cells
// near the surface and tall ones below (grid.h); with viscosity (viscosity.h) and elasticity (elastic.h, chapter 6) on
// uniform cells only. A step makes a new
// state from the old one and touches nothing of the old, so that one that fails (out of memory) has not happened.
#ifndef PL_FLUID_LIQUID_H
#define PL_FLUID_LIQUID_H

#include "base/arena.h"
#include "boundary.h"
#include "elastic.h"
#include "flux.h"
#include "foam.h"
#include "grow.h"
#include "outside.h"
#include "particles.h"
#include "phases.h"
#include "pressure.h"
#include "regrid.h"
#include "source.h"
#include "spray.h"
#include "viscosity.h"
#include "vortex.h"
#include "warmth.h"

enum
{
    PL__LIQUID_MARGIN = 3 // cells beyond the way of a step that the surface, its distance and interpolation need
};

// Distance of a point to liquid `liquid` of several at the start; 0 inside [m].
typedef double pl__start_region(void *user, int32_t liquid, const double x[3]);

typedef struct pl__liquid_def
{
    double lower[3];   // corner of the domain [m]
    int32_t cells[3];  // of the domain
    double h;          // edge of a cell [m]
    double depth;      // of uniform cells below the surface [m]; 0: all are
    bool closed[6];    // walls -x +x -y +y -z +z
    bool grows[6];     // those of them that move away from liquid (grow.h)
    double most_cells; // of the box, with those that grow
    double cfl;        // cells that the fastest liquid crosses in a step
    double tolerance;  // divergence times step that is left
    int32_t particles; // per cell near the surface; 0: automatic
    uint64_t seed;
    double density;   // [kg/m^3]; of several liquids the one that q refers to
    double viscosity; // [Pa s]; with it, `depth` is 0
    bool viscous;     // it is, or may become so in a later step
    bool remembers;   // it has an elastic strain; then `viscous`, too
    pl__elastic_law elastic;
    bool warm; // it has a temperature (warmth.h); then all cells are uniform
    pl__warmth_law warmth;
    double (*start_warmth)(void *user, const double x[3]); // of the liquid at the start [K]
    double tension;                                        // of the surface [N/m] (tension.h)
    bool separate;                                         // components of viscosity, for comparison (viscosity.h)
    bool slip;                                             // along walls and objects; without viscosity it always does
    double wall[6][3]; // velocities of walls along themselves, for viscous liquids that do not slip [m/s]
    bool hold;         // give lost volume back
    pl__precondition precondition;
    pl__outside outside;             // what is beyond the others; its walls are those above
    const pl__liquid_source *source; // [source_count] copied
    int32_t source_count;
    const pl__vortex_source *vortex; // [vortex_count] where vortex particles are born; copied
    int32_t vortex_count;
    double confinement;                  // of vorticity (vortex.h)
    double foam;                         // amount (foam.h)
    double foam_life;                    // [s]
    int32_t liquid_count;                // with more than one, all cells are uniform
    pl__phase_law law[PL__MOST_LIQUIDS]; // of each, if there are several
    pl__start_region *region;            // likewise, of the start
} pl__liquid_def;

// Distance of a point to the liquid at the start, negative inside [m]; and its velocity.
typedef double pl__liquid_shape(void *user, const double x[3], double velocity[3]);

// What changes, and is saved.
typedef struct pl__liquid_state
{
    pl__grid grid;
    double *u[3];     // [numbers of faces] velocity [m/s], also a few cells beyond the liquid
    double *phi;      // [numbers of cells] distance to the surface, negative inside [m]; only of uniform ones
    double *q;        // [numbers of cells] p dt / (rho h) of the last step [m/s]
    double q_dt;      // its step [s]; 0: none yet
    double *residual; // [numbers of cells] volume owed to a cell, in parts of it (volume.h); 0 in tall ones
    double *stress;   // [numbers of cells] isotropic stress of viscous liquids (viscosity.h) [Pa]
    double *warmth;   // [numbers of cells] temperature of liquids that have one, also a few cells beyond them [K]
    double *part;     // [numbers of cells] part of a cell with phi < 0
    double *open;     // [numbers of cells] part of a cell that solids leave open (volume.h); 1 for tall ones
    double loose;     // volume owed to no cell, or to any [cells]
    double added;     // by sources and through open sides, less what has left, since the start [m^3]
    double pressed;   // of that, what flows with the present u and is not there yet [m^3]
    double time;      // since the start [s]
    pl__particles particles;
    pl__spray spray;
    pl__elastic elastic; // of liquids that remember
    pl__vortices vortices;
    pl__foam foam;
    pl__phases phases; // of several liquids
    int64_t steps;
    size_t u_capacity[3], phi_capacity, q_capacity, residual_capacity, part_capacity, open_capacity, stress_capacity,
        warmth_capacity;
} pl__liquid_state;

typedef struct pl__liquid_info
{
    int32_t substeps;  // of the last advance
    double dt;         // of the last substep [s]
    double speed;      // largest [m/s]
    double volume;     // of the liquid [m^3]
    double divergence; // left, times dt
    pl__projection_info pressure;
    pl__flux_info flux;
    pl__viscosity_info viscosity;
    double vortex_power; // that vortex particles and confinement gave in the last substep [W]
} pl__liquid_info;

// Parts of a step, for those who measure them.
typedef enum pl__liquid_part
{
    PL__PART_LEVELSET,
    PL__PART_MARKERS,
    PL__PART_DISTANCE,
    PL__PART_BALANCE,
    PL__PART_VELOCITY,
    PL__PART_GRID,
    PL__PART_BOUNDARY,
    PL__PART_FORCES,
    PL__PART_VISCOSITY,
    PL__PART_PRESSURE,
    PL__PART_EXTRAPOLATE,
    PL__LIQUID_PARTS
} pl__liquid_part;

// A part has ended. Some have more than one turn in a step.
typedef void pl__liquid_watch(void *user, pl__liquid_part part);

typedef struct pl__liquid
{
    pl_context *ctx;
    pl__liquid_def def;
    double start_volume;    // [m^3]
    int32_t start_cells[3]; // of the box at the start; that of `def` is the present one
    int32_t below[3];       // cells by which its lower corner has moved since; of the state
    bool full;              // it should be larger, and may not
    pl__sources sources;
    pl__vortex_source *vortex; // [def.vortex_count]
    pl__liquid_state state;

    // scratch
    pl__liquid_state next, room;
    pl__strays strays;     // of the last step
    pl__boundary boundary; // of the grid of `state`, but during a step
    bool boundary_stale;   // it is not: the state has been loaded
    pl__regrid_work regrid;
    pl__row_set rock, buried, detail, placed; // detail: of the box at the start, and in the present one
    pl__row_set moving;                       // detail.h
    pl__pressure *pressure;
    pl__viscosity *viscosity; // or NULL
    double *ratio[3];         // of several liquids, during a step: density / rho_face (phases.h)
    pl__arena arena;
    pl__liquid_info info;
    pl__liquid_watch *watch; // or NULL
    void *watch_user;
} pl__liquid;

PL_NODISCARD pl_status pl__liquid_create(pl_context *ctx, const pl__liquid_def *def, pl__liquid_shape *shape,
                                         void *user, const pl__obstacles *obstacles, pl__liquid **liquid);
void pl__liquid_destroy(pl__liquid **liquid);

// Of its fastest component on each axis together, or of what sources bring [m/s].
double pl__liquid_speed(const pl__liquid *liquid);

// Longest step that the rule of cfl allows now [s].
double pl__liquid_longest_step(const pl__liquid *liquid, const double gravity[3]);

// Bring `boundary` up to date with obstacles as they were at the end of the last step. PL_ERR_MEMORY: it stays stale.
PL_NODISCARD pl_status pl__liquid_refresh(pl__liquid *liquid, const pl__obstacles *obstacles);

// One step (step.c), after a refresh. `obstacles` are where they are at its end, and know where they were.
// PL_ERR_MEMORY: nothing has happened.
PL_NODISCARD pl_status pl__liquid_step(pl__liquid *liquid, double dt, const double gravity[3],
                                       const pl__obstacles *obstacles);

// The volume that there should be: that of the start and what has come in [m^3].
static inline double pl__liquid_due_volume(const pl__liquid *liquid)
{
    return liquid->start_volume + liquid->state.added - liquid->state.pressed;
}

pl__particles_def pl__liquid_particles(const pl__liquid *liquid);
bool pl__liquid_reseeds(const pl__liquid *liquid); // in this step
// Distances to the surface are known so far [m].
double pl__liquid_far(const pl__liquid *liquid);
pl__foam_def pl__liquid_foam(const pl__liquid *liquid);
// What a step from `state` to `next` gives to sources.
pl__inflow pl__liquid_inflow(pl__liquid *liquid, double dt);
// For those who make states: room for the numbers of a grid; and the grid for a surface.
bool pl__liquid_state_reserve(pl_context *ctx, pl__liquid_state *state, const pl__grid *grid);
PL_NODISCARD pl_status pl__liquid_regrid(pl__liquid *liquid, const pl__columns *from, const double *phi,
                                         const pl__obstacles *obstacles, pl__grid *to);

// For those who change a liquid between steps (pour.h): bring the numbers of `next`, which are on the grid of `state`,
// to next->grid, with the boundary there; cells of `next` that have a pressure, 1 in `liquid` [numbers of cells].
PL_NODISCARD pl_status pl__liquid_take_grid(pl__liquid *liquid, const pl__obstacles *obstacles);
void pl__liquid_find(const pl__liquid *liquid, uint8_t *where);

// Sums over the liquid.
typedef struct pl__liquid_sums
{
    double volume, mass, kinetic; // without drops [m^3]; with them [kg] [J]
    double spray;                 // volume of drops [m^3]
    double center[3];             // times mass [kg m]
    double momentum[3];           // [kg m/s]
    double speed;                 // largest, of a component on a face [m/s]
} pl__liquid_sums;
PL_NODISCARD pl_status pl__liquid_sum(pl__liquid *liquid, pl__liquid_sums *sums);
// The same of one of several.
PL_NODISCARD pl_status pl__liquid_sum_of(pl__liquid *liquid, int32_t which, pl__liquid_sums *sums);

// ---- saving (save.c) -----------------------------------------------------------------------------------------------

size_t pl__liquid_saved_bytes(const pl__liquid *liquid);
void pl__liquid_save(const pl__liquid *liquid, char *to); // exactly so many

// A state that has been read and checked, to be taken or dropped.
typedef struct pl__liquid_loading pl__liquid_loading;
// PL_ERR_FORMAT: bytes that no liquid of this domain has written; `why` says what is wrong. PL_ERR_MEMORY.
PL_NODISCARD pl_status pl__liquid_load(const pl__liquid *liquid, const char *bytes, size_t size,
                                       pl__liquid_loading **loading, const char **why);
void pl__liquid_take(pl__liquid *liquid, pl__liquid_loading **loading);
void pl__liquid_loading_release(pl__liquid_loading **loading); // NULL is allowed
void pl__liquid_state_done(pl_context *ctx, pl__liquid_state *state);

#endif

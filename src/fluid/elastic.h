// src/fluid/elastic.h -- elastic strain of a viscoelastic liquid (thesis chapter 6).
//
// A liquid that remembers its shape has an elastic strain e, a symmetric tensor that moves with it, turns with it, is
// stretched by it and flows:
//
//     e_t + u.grad e = A e - e A + D - a (|e'| - g) e'/|e'|  while |e'| > g          (6.4)
//
// with A = (grad u - grad u^T)/2, D = (grad u + grad u^T)/2, e' = e - tr e/3 the deviator, g the yield strain and `a`
// the rate of flow. Its stress is E e: the shear modulus is E/2, and shear waves run at sqrt(E / 2 rho). Without
// yield (g = 0) this is the corotational Maxwell model of relaxation time 1/a.
//
// Staggered: e_xx, e_yy, e_zz at the centers of cells, e_yz, e_xz, e_xy on the edges along x, y, z (edges.h), where B
// of strain.h has its rows. So B^T E e is the force, and the only motions without strain are rigid ones. (The strain of
// the thesis, colocated at centers, has checkerboards.)
//
// A step, symmetric in time (Strang), so that rotation and flow are of second order:
//
//     1  flow by dt/2, turn by dt/2 with the rate of rotation at the start, move along u
//     2  (M + dt B^T W (2 mu + theta^2 E dt) B) u' = M u* + i,  i = -dt B^T W E (e + theta (1 - theta) dt B u),
//        with a pressure of its own (viscosity.h)
//     3  e += dt s ((1 - theta) B u + theta B u')
//     4  turn by dt/2 with the rate at the end, flow by dt/2
//
// Part 3 has the velocity of part 2, before the last pressure: force and stretch then do the same work, and energy
// cannot grow. (With the velocity after it, a stiff bar has ten times its energy after a while.) The two differ by what
// the solve leaves of divergence, which is nothing once its own pressure has settled.
//
// theta = 1/2 keeps the energy of every wave; beyond 8 times the explicit limit, where no wave is resolved, theta = 1
// damps them. s = sin(w dt)/(w dt), w the rate of rotation: what is stretched during a step turns during the step. With
// it, simple shear is exact at any step; elsewhere it is a term of second order.
//
// Turning is exact: e becomes R e R^T, R = exp(dt A), at every corner of a cell, where a whole tensor is known from the
// cell and its edges; numbers become the means of their corners. So |e| never grows, whatever the rates of rotation
// are. (Turning each number in place, with the others averaged to it, is as exact where e is uniform, but enlarges e
// where the rates vary: a jelly that falls on a floor doubled its energy.) Flow is exact, too, and does not depend on
// how time is divided: with the plastic strain k, its rate a (|e'| - g) and a yield strain g = g0 + H k that hardens (H
// > 0) or softens (-1 < H < 0, down to 0), y = |e'| - g obeys y_t = -a (1 + H) y. (The thesis has a clamped Euler
// step.)
//
// What it does badly: the model is hypoelastic. A closed loop of large strains does not bring it back to rest, and
// without flow simple shear oscillates; yield bounds both. Thesis 6.2.
#ifndef PL_FLUID_ELASTIC_H
#define PL_FLUID_ELASTIC_H

#include "edges.h"
#include "strain.h"

enum
{
    PL__TENSOR = 6 // xx yy zz at cells; yz xz xy on edges along x y z
};

// What kind of liquid it is; any number may change between steps.
typedef struct pl__elastic_law
{
    double elasticity; // E [Pa]; 0: it remembers nothing
    double yield;      // g0 >= 0
    double flow;       // a [1/s] >= 0
    double hardening;  // H > -1
    bool linear;       // strain is not turned: the model that the thesis corrects, for comparison

    // Of several liquids, the law of each cell; NULL: it is this.
    const uint8_t *kind;                // [numbers of cells]
    const struct pl__elastic_law *laws; // of the kinds
} pl__elastic_law;

static inline const pl__elastic_law *pl__elastic_law_of(const pl__elastic_law *law, int32_t cell)
{
    return law->kind ? &law->laws[law->kind[cell]] : law;
}

typedef struct pl__elastic
{
    pl__edges edges;
    double *strain[PL__TENSOR]; // [numbers of cells, or of edges] e, also a few cells beyond the liquid
    double *spin[3];            // [numbers of edges] rate of rotation about the axis of the edge [1/s], likewise
    double *plastic;            // [numbers of cells] k
    size_t strain_capacity[PL__TENSOR], spin_capacity[3], plastic_capacity;
} pl__elastic;

void pl__elastic_done(pl_context *ctx, pl__elastic *e);
// Room for the numbers of `cell` and of e->edges. PL_ERR_MEMORY: some have it.
PL_NODISCARD pl_status pl__elastic_reserve(pl_context *ctx, const pl__columns *cell, pl__elastic *e);

// The lattice of a component.
static inline const pl__columns *pl__elastic_lattice(const pl__columns *cell, const pl__edges *edges, int component)
{
    return component < 3 ? cell : &edges->edge[component - 3];
}

// ---- parts of a step -----------------------------------------------------------------------------------------------

// |e'| and k after a time dt of flow. Returns the new |e'|.
double pl__elastic_flow_norm(const pl__elastic_law *law, double dt, double norm, double *plastic);

// Flow for a time dt, everywhere. PL_ERR_MEMORY: unchanged.
PL_NODISCARD pl_status pl__elastic_flow(pl_context *ctx, pl__arena *arena, const pl__elastic_law *law,
                                        const pl__columns *cell, double dt, pl__elastic *e);

// Turn by dt with e->spin. PL_ERR_MEMORY: unchanged.
PL_NODISCARD pl_status pl__elastic_turn(pl_context *ctx, pl__arena *arena, const pl__columns *cell, double dt,
                                        pl__elastic *e);

// Strain and plastic strain of `from`, and a `stress` in cells, carried along u for a time dt, on the same lattices;
// those near the liquid phi < 0, phi being that at the end. PL_ERR_MEMORY: `to` and `to_stress` may have changed.
PL_NODISCARD pl_status pl__elastic_move(pl_context *ctx, pl__arena *arena, const pl__grid *grid, const double *phi,
                                        double dt, double *const u[3], const pl__elastic *from, const double *stress,
                                        pl__elastic *to, double *to_stress);

// Strain and plastic strain on other lattices of the same domain. `to` has its edges and its room.
void pl__elastic_transfer(pl_context *ctx, const pl__columns *from_cell, const pl__elastic *from,
                          const pl__columns *to_cell, pl__elastic *to);

// theta for a step.
double pl__elastic_theta(const pl__elastic_law *law, double density, double h, double dt);

// Rates of strain [samples] for velocities u: rows of B applied. `x` [strain->count] is scratch.
void pl__elastic_rates(pl_context *ctx, const pl__strain *strain, const double *const u[3], double *x, double *rate);

// Impulses of part 2 over those of a cell full of liquid [unknowns] [m/s], with B u the rates of the start.
// `pull` [2 samples] is scratch. `elasticity` [samples] is that of a mixture of liquids [Pa]; NULL: that of the law.
void pl__elastic_impulse(pl_context *ctx, const pl__elastic_law *law, const double *elasticity, double density,
                         const pl__strain *strain, double dt, double theta, const double *start, const pl__elastic *e,
                         double *pull, double *impulse);

// Part 3: stretch by dt ((1 - theta) start + theta end), rates [samples]; set spins to those of the end; and extend
// both beyond the liquid. `x` as pl__elastic_rates has left it for `end`. PL_ERR_MEMORY: some are set.
typedef struct pl__elastic_stretch
{
    const pl__columns *cell;
    const pl__strain *strain;
    const double *start, *end; // [samples]
    const double *x;           // [strain->count] velocities of the end
    double dt, theta;
    int32_t layers; // beyond the liquid
    bool linear;
    const double *elasticity; // [samples] of a mixture of liquids: where it is 0 there is no strain; NULL: everywhere
} pl__elastic_stretch;
PL_NODISCARD pl_status pl__elastic_stretch_by(pl_context *ctx, pl__arena *arena, const pl__elastic_stretch *s,
                                              pl__elastic *e);

// ---- measures ------------------------------------------------------------------------------------------------------

typedef struct pl__elastic_sums
{
    double energy;  // E/2 |e|^2 dV [J]
    double strain;  // largest |e'|
    double yielded; // part of the volume with |e'| > g
} pl__elastic_sums;
// `part` and `open` [numbers of cells] as in volume.h.
void pl__elastic_sum(const pl__elastic_law *law, const pl__columns *cell, const pl__elastic *e, const double *part,
                     const double *open, pl__elastic_sums *sums);
// |e'| of cells [numbers], for pictures and export.
void pl__elastic_norms(pl_context *ctx, const pl__columns *cell, const pl__elastic *e, double *norm);

#endif

// src/solid/body.h -- one elastic body: element groups, mapping to its mesh, and state.
#ifndef PL_SOLID_BODY_H
#define PL_SOLID_BODY_H

#include "element/element.h"
#include "element/surface_load.h"
#include "mesh/mesh.h"

typedef struct pl__pin
{
    int32_t node;     // local index, engine order
    int32_t group;    // index of its pin group (pin.h), or -1: a single pin
    int32_t member;   // index within that group
    double target[3]; // position at the end of the frame [m]; for members of groups, of the substep
} pl__pin;

struct pl__pin_group;
struct pl__piece;
struct pl__rings;

// Figures of the last evaluation of forces (pl__body_summarise).
typedef struct pl__body_figures
{
    double elastic, volume, strain, dilation, min_J, max_stretch, frequency2;
    int32_t inverted, broken;
} pl__body_figures;

// Sums over nodes (world/step.c).
typedef struct pl__body_sums
{
    double kinetic, gravity, mass, center[3], momentum[3], angular[3], penetration;
    int32_t contacts;
} pl__body_sums;

// Air around a body and gas inside it (element/surface_load.h).
typedef struct pl__body_air
{
    bool acts;          // on its surface
    bool closed;        // its surface is closed: there may be pressure inside
    bool gas;           // pressure follows Boyle's law
    double rest_volume; // enclosed volume at rest, if the surface is closed and air acts on it [m^3]
    double gas_gain;    // sum over nodes of (nodal area)^2 / mass [m^4/kg]
    double outside;     // ambient pressure [Pa]
    pl__air load;       // air load on its surface
} pl__body_air;

// Boundary of the mesh.
typedef struct pl__body_surface
{
    int32_t triangle_count, vertex_count;
    int32_t *triangle; // [3 triangle_count] surface vertices, outward
    int32_t *node;     // [vertex_count] local node of each vertex, engine order
    int32_t *source;   // [vertex_count] mesh node of each vertex
} pl__body_surface;

// Nodes that are held.
typedef struct pl__body_pins
{
    int32_t count;
    int32_t capacity; // = node_count, so that adding a pin never allocates
    pl__pin *pin;     // [count] increasing in node
    int32_t group_count;
    struct pl__pin_group *group; // [group_count]
    int32_t grab_count;          // grabs that hold it (grab.h)
    bool soft;                   // some group is currently a spring, or a grab holds it
    bool changed;                // since pl__body_follow_pins
} pl__body_pins;

// Connected components of its mesh.
typedef struct pl__body_pieces
{
    int32_t count;
    int32_t *of_node;         // [node_count] piece of each node; nodes of no element belong to the first
    struct pl__piece *motion; // [count] scratch of a step (momentum.h)
} pl__body_pieces;

// Evolving state that snapshots save, besides positions, velocities, single pins, plastic state and temperatures.
typedef struct pl__body_state
{
    double strength;        // factor on elastic forces
    double pressure;        // gauge pressure inside; for a gas, at rest volume [Pa]
    double toughness;       // factor on the fracture stress of its materials
    double volume;          // of its rings over that at rest
    int32_t recovery_level; // level of the relaxed law in use (recovery.h); 0: its own law
    double recovery_factor; // factor on the elastic energy of the relaxed law, at most 1
    double untangled_time;  // time without inverted elements while relaxed [s]
    bool placed;            // not yet advanced by its own law since it was placed
    bool loaded;            // loaded, held or pulled from outside in the last step
    double rest_time;       // time at rest [s]
    bool stuck;             // at rest in a shape other than its rest shape
    bool self_contact_off;  // while many of its elements are inverted
    bool asleep;            // at rest, skipped until something touches or changes it (world/sleep.c)
    double still_time;      // time for which all its nodes have been slow [s]
} pl__body_state;

// Derived from the state; recomputed when that has changed.
typedef struct pl__body_derived
{
    pl__body_figures figures; // of the last evaluation of forces
    double gas_stiffness;     // pressure over volume of its gas [Pa/m^3]
    bool figures_current;     // of a sleeping body: figures are valid
    pl__body_sums sums;       // of its last report
    bool sums_current;        // of a sleeping body: sums are valid
    bool pressed;             // pair contacts acted on it in the last solve
    bool may_sleep;           // scratch of the sleep test
} pl__body_derived;

typedef struct pl__body
{
    // model
    pl_context *ctx;
    int32_t node_count;
    int32_t element_count; // of its mesh
    int32_t group_count;
    size_t group_capacity;
    pl__element_group *group; // [group_count] groups of mesh elements first; they hold the plastic state
    int32_t first_node;       // first index in the world's node arrays
    bool planar;              // lives in a plane z = const
    bool shell;               // triangles in space
    bool plane_stress;        // plane stress: triangles are free to thin
    bool springs;             // mass-spring cloth: no membrane elements
    double thickness;         // of its triangles [m]
    double bending;           // factor on bending stiffness
    int32_t *node_of_source;  // [node_count] local node of a mesh node, engine order
    int32_t *source_of_node;  // [node_count] the inverse
    double *start_position;   // [3 node_count] initial positions, engine order; freed once the world has copied them
    double *start_velocity;   // [3 node_count] likewise
    double *mass;             // [node_count] lumped [kg]
    double rest_volume;       // [m^3]
    double total_mass;        // [kg]
    double longest_damping;   // largest damping time of its materials [s]
    double shear_energy;      // sum of mu times rest volume [J]: energy scale of unit strain
    bool may_recover;         // all its materials allow recovery
    pl__body_pieces pieces;
    pl__body_surface surface;
    pl__body_air air;

    // state
    pl__body_pins pins;
    pl__body_state state;
    struct pl__heat *heat;   // temperatures (heat.h); NULL: no heat
    struct pl__rings *rings; // of incompressible elements, with their pressures (incompressible.h); NULL: none

    pl__body_derived derived;
} pl__body;

typedef struct pl__body_spec
{
    const pl_mesh *mesh;
    const int32_t *element_material;                              // [element_count] index into `material`
    const double *young_factor, *density_factor, *damping_factor; // [element_count] or NULL
    bool planar;                                                  // triangles in a plane z = const
    bool plane_stress;                                            // triangles are free to thin
    double thickness;                                             // of triangles [m]
    bool shell, woven, springs; // triangles in space; membrane of threads, or of springs
    double bending;             // shells: factor on bending stiffness; 0: none
    bool hinges;                // bending by independent dihedral angles
    double warp[3];             // shells: warp direction
    const double *normal;       // [3 element_count] normals of the surface that triangles should face along, or NULL
    const double *fiber;        // [3 element_count] fibre directions, or NULL: along the longest side
    bool skin;                  // air acts on its surface
    bool holds;                 // and pressurises it from inside: the surface must be closed
    double drag;                // factor
    bool gas;                   // its pressure follows Boyle's law
    const double *goal;         // [3 node_count] target shape of plastic flow, or NULL
    const double *start;        // [3 node_count] positions before `rotation` and `at`, or NULL
    const pl_material_def *material;
    double rotation[3][3]; // rows
    double at[3];
    double velocity[3];
    double spin[3]; // [rad/s]
    double strength, pressure;
    const int32_t *pins; // mesh nodes
    int32_t pin_count;
    bool triangular;
    bool warped; // implicit Euler: damping of corotated elements uses their frame, as K does (Mueller & Gross 2004)
} pl__body_spec;

pl_status pl__body_create(pl_context *ctx, const pl__body_spec *spec, pl__body **body);
void pl__body_destroy(pl__body **body);

// Rewrite the parameters of `material` into every lane, relaxed or not.
void pl__body_set_materials(pl__body *body, const pl_material_def *material);

// Index of the pin of local node `node` in the list, or -1; `insert_at` is where it would be inserted.
int32_t pl__body_find_pin(const pl__body *body, int32_t node, int32_t *insert_at);
void pl__body_add_pin(pl__body *body, int32_t node, const double target[3]);
void pl__body_remove_pin(pl__body *body, int32_t node);
// If pins have changed since the last call, update the clamps of shells: triangles all of whose corners are pinned
// (element/director.h). True if forces have changed.
bool pl__body_follow_pins(pl__body *body);
// Whether the body is held from outside, by hard or soft pins.
bool pl__body_is_held(const pl__body *body);
// Whether drag acts on it. Pressure inside a closed surface has no resultant force or torque.
bool pl__body_is_dragged(const pl__body *body);

// Figures from sums over the body's elements, all except the frequency.
pl__body_figures pl__body_summarise(const pl__body *body, const pl__element_sums *sums);

#endif

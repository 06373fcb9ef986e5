// src/solid/body.h -- one elastic body: its elements, the way back to its mesh, and its own state.
#ifndef PL_SOLID_BODY_H
#define PL_SOLID_BODY_H

#include "element/element.h"
#include "element/surface_load.h"
#include "mesh/mesh.h"

typedef struct pl__pin
{
    int32_t node;     // local, in the engine's order
    int32_t group;    // of the pin groups (pin.h), or -1: held by itself
    int32_t member;   // of that group
    double target[3]; // where it shall be at the end of the step [m]; of the substep for members of groups
} pl__pin;

struct pl__pin_group;
struct pl__piece;

// Figures of the last evaluation of forces (body.c turns sums into them).
typedef struct pl__body_figures
{
    double elastic, volume, strain, dilation, min_J, max_stretch, frequency2;
    int32_t inverted, broken;
} pl__body_figures;

// Sums over its nodes (world/step.c).
typedef struct pl__body_sums
{
    double kinetic, gravity, mass, center[3], momentum[3], angular[3], penetration;
    int32_t contacts;
} pl__body_sums;

// Air around a body and gas inside it (element/surface_load.h).
typedef struct pl__body_air
{
    bool acts;          // on its surface
    bool closed;        // its surface is, and there may be pressure inside
    bool gas;           // pressure follows Boyle's law
    double rest_volume; // inside its surface at rest, where that is closed and air acts on it [m^3]
    double gas_gain;    // sum over nodes of the square of their area over their mass [m^4/kg]
    double outside;     // pressure around it [Pa]
    pl__air load;       // on its surface
} pl__body_air;

// The boundary of its mesh.
typedef struct pl__body_surface
{
    int32_t triangle_count, vertex_count;
    int32_t *triangle; // [3 triangle_count] surface vertices, outward
    int32_t *node;     // [vertex_count] local node of each vertex, in the engine's order
    int32_t *source;   // [vertex_count] mesh node of each vertex
} pl__body_surface;

// What holds its nodes.
typedef struct pl__body_pins
{
    int32_t count;
    int32_t capacity; // = node_count, reserved, so that pinning never allocates
    pl__pin *pin;     // [count] increasing in node
    int32_t group_count;
    struct pl__pin_group *group; // [group_count]
    int32_t grab_count;          // hands that hold it (grab.h)
    bool soft;                   // some group is a spring now, or a hand holds it
    bool changed;                // since pl__body_follow_pins
} pl__body_pins;

// Connected components of its mesh.
typedef struct pl__body_pieces
{
    int32_t count;
    int32_t *of_node;         // [node_count] nodes of no element are of the first
    struct pl__piece *motion; // [count] scratch of a step (momentum.h)
} pl__body_pieces;

// What changes and is saved, beside positions, velocities, pins that are in no group, plastic deformations and
// temperatures.
typedef struct pl__body_state
{
    double strength;        // factor on elastic forces
    double pressure;        // inside, above that outside, at rest volume if it is gas [Pa]
    double toughness;       // factor on the fracture stress of its materials
    int32_t recovery_level; // level of the relaxed law that it uses (recovery.h); 0: its own
    double recovery_factor; // on the elastic energy of the relaxed law, at most 1
    double untangled_time;  // for how long it has not been tangled, while it is relaxed [s]
    bool placed;            // it has not moved by its own law since it was put where it is
    bool loaded;            // something outside pressed, held or pulled it in the last step
    double rest_time;       // that the body has been at rest [s]
    bool stuck;             // at rest in a shape that is not its own
    bool self_contact_off;  // while many of its elements are inverted
    bool asleep;            // at rest, and left alone until something touches or changes it (world/sleep.c)
    double still_time;      // that all its nodes have been slow [s]
} pl__body_state;

// What follows from the state, and is computed again when it has changed.
typedef struct pl__body_derived
{
    pl__body_figures figures; // of the last evaluation of forces
    double gas_stiffness;     // pressure over volume of its gas there [Pa/m^3]
    bool figures_current;     // of a body that sleeps: figures are those of its positions
    pl__body_sums sums;       // of its last report
    bool sums_current;        // of a body that sleeps: sums are those of its positions
    bool pressed;             // others pressed on it in the last solve
    bool may_sleep;           // scratch of falling asleep
} pl__body_derived;

typedef struct pl__body
{
    // what it is
    pl_context *ctx;
    int32_t node_count;
    int32_t element_count; // of its mesh
    int32_t group_count;
    size_t group_capacity;
    pl__element_group *group; // [group_count] those of the mesh first; plastic deformations are state in them
    int32_t first_node;       // in the world's node arrays
    bool planar;              // lives in a plane z = const
    bool shell;               // of triangles in space
    bool plane_stress;        // its triangles are free to thin
    bool springs;             // its triangles are held by springs alone
    double thickness;         // of its triangles [m]
    double bending;           // factor on the stiffness of its bends
    int32_t *node_of_source;  // [node_count] engine's local index of a mesh node
    int32_t *source_of_node;  // [node_count] the inverse
    double *start_position;   // [3 node_count] placed, engine's order; released once the world has taken it
    double *start_velocity;   // [3 node_count] likewise
    double *mass;             // [node_count] lumped [kg]
    double rest_volume;       // [m^3]
    double total_mass;        // [kg]
    double longest_damping;   // of its materials [s]
    double shear_energy;      // sum of mu times rest volume [J]: what a strain of one stores
    bool may_recover;         // all its materials allow it
    pl__body_pieces pieces;
    pl__body_surface surface;
    pl__body_air air;

    // what changes
    pl__body_pins pins;
    pl__body_state state;
    struct pl__heat *heat; // temperatures (heat.h); NULL: heat does nothing to it

    pl__body_derived derived;
} pl__body;

typedef struct pl__body_spec
{
    const pl_mesh *mesh;
    const int32_t *element_material;                              // [element_count] index into `material`
    const double *young_factor, *density_factor, *damping_factor; // [element_count] or NULL
    bool planar;                                                  // triangles in a plane z = const
    bool plane_stress;                                            // triangles that are free to thin
    double thickness;                                             // of triangles [m]
    bool shell, woven, springs; // triangles in space, their membrane made of threads, or of springs
    double bending;             // shells: factor on their stiffness against bending; 0: none
    bool hinges;                // each dihedral angle by itself
    double warp[3];             // shells: direction of the first threads
    const double *normal;       // [3 element_count] of the surface that triangles should lie on, or NULL
    const double *fiber;        // [3 element_count] directions, or NULL: along the longest side
    bool skin;                  // air acts on its surface
    bool holds;                 // and presses from inside: the surface must be closed
    double drag;                // factor
    bool gas;                   // its pressure is that of a gas
    const double *goal;         // [3 node_count] shape that plastic flow is steered to, or NULL
    const double *start;        // [3 node_count] positions before rotation and at, or NULL
    const pl_material_def *material;
    double rotation[3][3]; // rows
    double at[3];
    double velocity[3];
    double spin[3]; // [rad/s]
    double strength, pressure;
    const int32_t *pins; // mesh nodes
    int32_t pin_count;
    bool triangular;
    bool warped; // for implicit Euler: what is linear in a frame damps there too, as K does (Mueller & Gross 2004)
} pl__body_spec;

pl_status pl__body_create(pl_context *ctx, const pl__body_spec *spec, pl__body **body);
void pl__body_destroy(pl__body **body);

// Write the numbers of `material` into every lane again, relaxed or not.
void pl__body_set_materials(pl__body *body, const pl_material_def *material);

// Position of the pin of local node `node` in the list, or -1; and where it would be inserted.
int32_t pl__body_find_pin(const pl__body *body, int32_t node, int32_t *insert_at);
void pl__body_add_pin(pl__body *body, int32_t node, const double target[3]);
void pl__body_remove_pin(pl__body *body, int32_t node);
// Where a pin came or went since the last call, triangles of shells whose corners are all pinned become clamps, or
// cease to be (element/director.h). True if forces have changed.
bool pl__body_follow_pins(pl__body *body);
// Whether something of the world outside holds it, firmly or softly.
bool pl__body_is_held(const pl__body *body);
// Whether air drags at it; pressure inside a closed surface neither pushes nor turns a body.
bool pl__body_is_dragged(const pl__body *body);

// Sums over the body's elements to figures, all but the frequency.
pl__body_figures pl__body_summarise(const pl__body *body, const pl__element_sums *sums);

#endif

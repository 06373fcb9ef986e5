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

typedef struct pl__body
{
    pl_context *ctx;
    int32_t node_count;
    int32_t element_count; // of its mesh
    int32_t group_count;
    size_t group_capacity;
    int32_t first_node;       // in the world's node arrays
    pl__element_group *group; // [group_count] those of the mesh first
    bool planar;              // lives in a plane z = const
    bool shell;               // of triangles in space
    bool plane_stress;        // its triangles are free to thin
    double thickness;         // of its triangles [m]
    bool springs;             // its triangles are held by springs alone
    bool gas;                 // its pressure follows Boyle's law
    bool skinned;             // air acts on its surface
    bool holds;               // its surface is closed, and there may be pressure inside
    double enclosed;          // volume at rest inside its surface, where that is closed and air acts on it [m^3]
    double gas_gain;          // sum over nodes of the square of their area over their mass [m^4/kg]
    double outside;           // pressure around it [Pa]
    pl__air air;              // on its skins
    double bending;           // factor on the stiffness of its bends
    int32_t *node_of_source;  // [node_count] engine's local index of a mesh node
    int32_t *source_of_node;  // [node_count] the inverse
    double *start_position;   // [3 node_count] placed, engine's order; released once the world has taken it
    double *start_velocity;   // [3 node_count] likewise
    double *mass;             // [node_count] lumped [kg]
    int32_t piece_count;      // that hang together
    int32_t *piece;           // [node_count] which of them a node is of; nodes of no element are of the first
    struct pl__piece *motion; // [piece_count] (momentum.h)
    double rest_volume;       // [m^3]
    double total_mass;        // [kg]
    bool may_recover;         // all its materials allow it

    int32_t triangle_count;
    int32_t surface_count;
    int32_t *triangle;       // [3 triangle_count] surface vertex indices, outward
    int32_t *surface_node;   // [surface_count] local engine index of each surface vertex
    int32_t *surface_source; // [surface_count] mesh node of each surface vertex

    int32_t pin_count;
    int32_t pin_capacity; // = node_count, reserved, so that pinning never allocates
    pl__pin *pin;         // [pin_count] increasing in node
    int32_t pin_group_count;
    struct pl__pin_group *pin_group; // [pin_group_count]
    int32_t grab_count;              // hands that hold it (grab.h)
    bool soft_pins;                  // some group is a spring now, or a hand holds it
    bool pins_changed;               // since pl__body_follow_pins

    // live and dynamic
    double strength;
    double pressure;        // inside, above that outside, at rest volume if it is gas [Pa]
    bool pressed;           // others have pressed on it in a solve
    double longest_damping; // of its materials [s]
    double gas_stiffness;   // pressure over volume of its gas at the last evaluation [Pa/m^3]
    double shear_energy;    // sum of mu times rest volume [J]: what a strain of one stores
    int32_t relaxed;        // level of the relaxed law that it uses (recovery.h); 0: its own
    double relief;          // factor on the elastic energy of the relaxed law, at most 1
    double waited;          // [s] for how long it has not been tangled, while it is relaxed
    bool loaded;            // something outside pressed, held or pulled it in the last step
    bool put;               // it has not moved by its own law since it was put where it is
    double rest_time;       // [s] that the body has been at rest
    bool stuck;
    bool suspended;        // it does not collide with itself, while many of its elements are inverted
    bool asleep;           // at rest, and left alone until something touches or changes it (world/sleep.c)
    bool settled;          // and its figures are those of its positions
    bool summed;           // and so are its sums
    pl__body_sums sums;    // of its last report
    bool drowsy;           // scratch of falling asleep
    double still_time;     // [s] that all its nodes have been slow
    struct pl__heat *heat; // its temperatures (heat.h); NULL: heat does nothing to it
    double toughness;      // factor on the fracture stress of its materials
    pl__body_figures figures;
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

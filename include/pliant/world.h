// include/pliant/world.h -- a compiled scene with its state, and time stepping.
//
// A world owns the state: positions and velocities of every node, and time. Stepping is deterministic: the same scene
// and the same calls give the same bits for any number of threads, any register width, and after a snapshot is loaded.
// Nothing is allocated from the second step on.
#ifndef PLIANT_WORLD_H
#define PLIANT_WORLD_H

#include <pliant/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pl_world pl_world;

/// Compile a scene. The world keeps no references to it. On failure `*world` is NULL.
PL_API PL_NODISCARD pl_status pl_world_create(const pl_scene *scene, pl_world **world);
PL_API void pl_world_destroy(pl_world **world);

// ---- stepping ----------------------------------------------------------------------------------------------

typedef struct pl_step_def
{
    double dt;              ///< time to advance [s], in (0, 1e6]; divided into as many stable steps as needed
    int32_t max_substeps;   ///< stop after so many substeps and leave the rest pending; 0 (default): no limit
    int32_t max_iterations; ///< limit on the iterations of each damping solve; 0 (default): that of the solver
    int32_t finish;  ///< 1: continue the step that max_substeps stopped; its dt is used instead of this one; default 0
    uint32_t cookie; ///< set by pl_step_def_default(); do not touch
} pl_step_def;

/// One frame at 24 per second.
PL_API pl_step_def pl_step_def_default(void);

/// Figures of a step, for all bodies or for one. If a step takes several calls, each reports its own part.
typedef struct pl_step_info
{
    double time;     ///< time of the world at the end [s]
    double advanced; ///< time advanced by this call [s]; less than dt only if max_substeps stopped it
    int32_t substeps;
    double smallest_dt;               ///< shortest substep [s]
    int32_t cg_iterations;            ///< total of all solves
    int32_t unconverged;              ///< damping solves that reached the limit of iterations
    double kinetic, elastic, gravity; ///< energies [J]; elastic is NaN if the inversion rule has no energy
    double mass;                      ///< [kg]
    double center[3];                 ///< centre of mass [m]
    double momentum[3];               ///< [kg m/s]
    double angular[3];                ///< about the origin [kg m^2/s]
    double volume;                    ///< [m^3]
    double volume_error;              ///< volume / rest volume - 1
    double ring_error;                ///< largest relative error of the volume around a node of incompressible bodies
    int32_t volume_iterations;        ///< total of the solves for their pressures
    double min_J;                     ///< smallest determinant of a deformation gradient
    double max_stretch;               ///< largest singular value of one
    double strain;                    ///< root mean square of the principal strains s_i - 1, weighted by volume
    double dilation;                  ///< root mean square of J - 1, weighted by volume
    int32_t inverted;                 ///< elements with J <= 0
    int32_t contacts;                 ///< nodes touching objects in the last substep
    int32_t near_pairs; ///< vertex-triangle and edge-edge pairs of colliding bodies nearer than their thickness, at the
                        ///< end of the last collision interval
    int32_t collisions; ///< pairs that would have collided, over all collision intervals of this step
    int32_t zone_nodes; ///< largest number of nodes in impact zones, over all collision intervals
    int32_t unresolved; ///< pairs that could not be separated because of constraints
    int64_t crossings;  ///< intersecting pairs of triangles at the start of the last collision interval, or of the
                        ///< world; 0 once all are separated
    double friction_work;    ///< work of friction between bodies and with objects in this step, over all its calls [J]
    double limit_excess;     ///< strain beyond the limits of materials, at the end of the last substep: mean over the
                             ///< elements that are beyond
    double limit_excess_max; ///< largest
    double bend_excess;      ///< curvature beyond their bend limits, likewise [1/m]
    double bend_excess_max;  ///< largest [1/m]
    int64_t limit_sweeps;    ///< sweeps over limited elements in this step
    int32_t limit_cycles;    ///< cycles over all levels in this step
    double penetration;   ///< largest depth of a node inside an object at the end, or of an object inside a solid body
                          ///< [m]; 0: none
    int32_t recovering;   ///< bodies that currently use the relaxed law of their material, to untangle
    int32_t stuck;        ///< bodies at rest in a wrong shape
    int32_t torn;         ///< nodes separated by fracture in this step, over all its calls
    int32_t sleeping;     ///< sleeping bodies (solver.sleep): their contacts persist without impulse, and they count no
                          ///< contacts
    double liquid_volume; ///< of the liquid, without spray [m^3]
    double liquid_spray;  ///< volume of drops in the air [m^3]
    double liquid_added;  ///< by sources and through open sides, less what has left, since the start [m^3]
    double liquid_drift;  ///< (liquid_volume + liquid_spray) / (volume at the start + liquid_added) - 1
    double liquid_axes[3];     ///< edges of the box that has the second moments of its volume, the longest first [m]
    double liquid_angle;       ///< of the longest of them about z, from x; -90 to 90 [degrees]
    double liquid_strain;      ///< largest |deviator| of its elastic strain
    double liquid_yielded;     ///< part of its volume that flows: its elastic strain is beyond its yield
    double liquid_speed;       ///< largest component of its velocity [m/s]
    int32_t liquid_iterations; ///< of the last pressure solve
    double liquid_squeezed;    ///< volume that objects press into enclosed liquid without air, which is lost, in the
                               ///< last step [m^3/s]
    double vortex_power;       ///< that vortices and confinement gave to the liquid in its last substep [W]
} pl_step_info;

/// Advance by `def->dt`. `info` may be NULL. A step stopped by max_substeps is pending: calls with `finish` continue
/// it, and the result has the same bits however it is divided, also through a snapshot. Targets of pins and objects are
/// reached, and stuck bodies detected, at the end of the whole step. A new step drops a pending one. Fails with
/// PL_ERR_STATE if `finish` is set and no step is pending. Fails with PL_ERR_NUMERIC, naming body and element, if a
/// force is not finite; positions and velocities are then those of the last good substep.
PL_API PL_NODISCARD pl_status pl_world_step(pl_world *world, const pl_step_def *def, pl_step_info *info);

/// Figures of the current state, for example before the first step or after loading a snapshot; substeps and iterations
/// are those of the last step of this world.
PL_API PL_NODISCARD pl_status pl_world_report(pl_world *world, pl_step_info *info);
/// The same figures for one body, at the end of the last step (substeps and iterations are the world's). Fails with
/// PL_ERR_STATE for a removed body.
PL_API PL_NODISCARD pl_status pl_body_report(pl_world *world, pl_body_id body, pl_step_info *info);

/// Count the intersecting pairs of triangles of colliding bodies by an exact test. Touching counts, neighbours do not.
/// 0 if no body collides. Fails with PL_ERR_MEMORY.
PL_API PL_NODISCARD pl_status pl_world_count_crossings(pl_world *world, int64_t *count);

PL_API double pl_world_time(const pl_world *world);

/// Remaining time of a step that max_substeps stopped [s]; 0: none.
PL_API double pl_world_pending(const pl_world *world);

/// The substep that the solver would choose now [s], at most 1e6; for cost estimates.
PL_API double pl_world_stable_step(pl_world *world);

// ---- bodies ------------------------------------------------------------------------------------------------

/// The body with a name; index 0 if there is none.
PL_API pl_body_id pl_world_find_body(const pl_world *world, const char *name);
/// Existing bodies in the order in which they were added: count, and the handle of body i in [0, count); index 0
/// beyond.
PL_API int32_t pl_world_body_count(const pl_world *world);
PL_API pl_body_id pl_world_body_at(const pl_world *world, int32_t i);
/// Name of a body; NULL for a removed one.
PL_API const char *pl_body_name(const pl_world *world, pl_body_id body);

/// Add a body to a running world, with materials of the scene. All borrowed arrays become invalid. On failure nothing
/// changes.
PL_API PL_NODISCARD pl_status pl_world_add_body(pl_world *world, const char *name, const pl_body_def *def,
                                                pl_body_id *id);
/// Remove a body and its keys. All borrowed arrays become invalid; handles of other bodies stay valid.
PL_API PL_NODISCARD pl_status pl_world_remove_body(pl_world *world, pl_body_id body);

PL_API int32_t pl_body_node_count(const pl_world *world, pl_body_id body);
/// 1 if a body can break or be cut; 0 otherwise, and for a removed body.
PL_API int32_t pl_body_breaks(const pl_world *world, pl_body_id body);
/// Topology version, increased whenever a body breaks or is cut: its nodes, connectivity and surface then change.
/// Elements and existing nodes keep their numbers; a separated node is replaced by itself and new nodes at the end. All
/// borrowed arrays become invalid. 0 for a removed body.
PL_API uint32_t pl_body_version(const pl_world *world, pl_body_id body);
/// Positions and velocities, 3 numbers per node, without copying; valid until a body is added or removed, or breaks. In
/// engine order: node i of the mesh is at index pl_body_node_order()[i]. NULL for a removed body.
PL_API const double *pl_body_positions(const pl_world *world, pl_body_id body);
PL_API const double *pl_body_velocities(const pl_world *world, pl_body_id body);
PL_API const int32_t *pl_body_node_order(const pl_world *world, pl_body_id body);

/// Copy positions and velocities in mesh order; either may be NULL. Fails with PL_ERR_STATE for a removed body.
PL_API PL_NODISCARD pl_status pl_body_read(const pl_world *world, pl_body_id body, double *positions,
                                           double *velocities);
/// Set positions and velocities in mesh order; either may be NULL. New positions also become the targets of pins
/// outside groups, and end recovery; plastic deformation stays. Third components of planar bodies are ignored. Fails
/// with PL_ERR_ARGUMENT if a number is not finite (nothing changes).
PL_API PL_NODISCARD pl_status pl_body_write(pl_world *world, pl_body_id body, const double *positions,
                                            const double *velocities);

/// The elements of a body: kind, count, pl_element_corners(kind) mesh nodes each, in mesh order; and the rest positions
/// of its nodes, placed as at the start (3 numbers per node, in mesh order). `pl_body_elements` is valid until the body
/// is removed or breaks; NULL for a removed body.
PL_API pl_element_kind pl_body_element_kind(const pl_world *world, pl_body_id body);
PL_API int32_t pl_body_element_count(const pl_world *world, pl_body_id body);
PL_API const int32_t *pl_body_elements(const pl_world *world, pl_body_id body);
PL_API PL_NODISCARD pl_status pl_body_read_rest(const pl_world *world, pl_body_id body, double *positions);

// ---- surfaces ----------------------------------------------------------------------------------------------
//
// The surface of a body is the one given by its definition, with its own vertices and triangles in their order,
// embedded in the mesh; without one it is the boundary of the mesh. Reading allocates nothing.
//
// When a body with an embedded surface breaks or is cut, its surface is cut as well and stays closed and oriented:
// every edge has two triangles, which traverse it in opposite directions. Original vertices come first, with their
// numbers; triangles are, in this order: unbroken ones, parts of broken ones, and caps, which close the cracks.
//
// Normals of a boundary are computed from its current triangles. Those of an embedded surface are its rest normals,
// rotated with the elements; along a crack they are those of the outside.

/// Read the surface as floats for drawing: `vertices` and `normals` (either may be NULL) receive 3 floats per surface
/// vertex, `stride` bytes apart (>= 12). Returns the topology version; read the triangles again when it changes; 0 for
/// a removed body.
PL_API uint32_t pl_body_read_surface(const pl_world *world, pl_body_id body, float *vertices, float *normals,
                                     size_t stride);
/// The same in double precision, with velocities: 3 numbers per surface vertex in each array, any of which may be NULL.
/// Fails with PL_ERR_STATE for a removed body.
PL_API PL_NODISCARD pl_status pl_body_read_surface_exact(const pl_world *world, pl_body_id body, double *vertices,
                                                         double *velocities, double *normals);
PL_API int32_t pl_body_surface_vertex_count(const pl_world *world, pl_body_id body);
/// 3 surface vertex indices per triangle. Those of a boundary face outwards, those of an embedded surface are as given,
/// except that coincident vertices are merged if the body is breakable and its surface is not closed otherwise.
PL_API const int32_t *pl_body_surface_triangles(const pl_world *world, pl_body_id body, int32_t *triangle_count);
/// The mesh node of each surface vertex of a boundary; NULL for a body with an embedded surface.
PL_API const int32_t *pl_body_surface_nodes(const pl_world *world, pl_body_id body);
/// The source of each surface triangle of a breakable body: the triangle of the unbroken surface that contains it
/// (boundary of hexahedra: one of the same face), or -1 for a crack. NULL for an unbreakable body.
PL_API const int32_t *pl_body_surface_sources(const pl_world *world, pl_body_id body);
/// Texture coordinates of the corners of all triangles, 6 numbers each, of a breakable body with an embedded surface.
/// Returns 1; or 0 if the surface has none, and for unbreakable bodies, whose surfaces keep theirs. Caps, and corners
/// without, have (0, 0).
PL_API int32_t pl_body_read_surface_uvs(const pl_world *world, pl_body_id body, double *uvs);

// ---- drawables ---------------------------------------------------------------------------------------------
//
// Everything in a world that has a surface: bodies first, in their order, then other steppers. A host that iterates
// over this list draws and exports all of them.

/// How a drawable deals with light.
typedef enum pl_look
{
    PL_LOOK_OPAQUE,
    PL_LOOK_WATER, ///< the inside of a closed surface; mirrors, refracts and absorbs
    PL_LOOK_SPRAY, ///< points, each of which stands for many smaller drops around it
    PL_LOOK_FOAM   ///< points on the surface of water that is white around them
} pl_look;

typedef struct pl_drawable
{
    const char *name;    ///< of the body or other drawable; valid as `triangles`
    const char *stepper; ///< module that advances it: "bodies", or another one
    pl_body_id body;     ///< its body; index 0: none
    uint32_t version;    ///< topology version; query again when it changes
    int32_t vertex_count, triangle_count;
    const int32_t *triangles; ///< 3 vertices each, facing outwards; valid until the next step, or until a body comes,
                              ///< goes or breaks
    double color[3];          ///< sRGB, default colour
    pl_look look;
    double absorption[3]; ///< of water, by colour [1/m]; its `color` is that of bottomless water
    const int32_t *inner; ///< [vertex_count] of water: 1 where another liquid is beyond it, so that nothing is mirrored
                          ///< or refracted; NULL: there is only one
    const double *radii;  ///< [vertex_count] radii of points [m], which have no triangles; NULL: not points
    double opacity;       ///< of points, in [0, 1]
} pl_drawable;

PL_API int32_t pl_world_drawable_count(const pl_world *world);
/// Drawable i in [0, count). Fails with PL_ERR_ARGUMENT beyond.
PL_API PL_NODISCARD pl_status pl_world_drawable(const pl_world *world, int32_t i, pl_drawable *drawable);
/// Read vertices, velocities and unit normals, 3 numbers per vertex in each array, any of which may be NULL. Normals of
/// points are 0.
PL_API PL_NODISCARD pl_status pl_drawable_read(const pl_world *world, int32_t i, double *vertices, double *velocities,
                                               double *normals);
/// Read a field at the vertices of a drawable, one number each: "speed" [m/s], "strain" (the norm of the deviator of
/// the elastic strain) and "temperature" [K] of liquids, and the fields of bodies with one component by their names; 0
/// where it has none of that name. Fails with PL_ERR_ARGUMENT for a drawable that does not exist.
PL_API PL_NODISCARD pl_status pl_drawable_read_field(const pl_world *world, int32_t i, const char *name, float *values);
/// Figures of its body, or of the module that advances it.
PL_API PL_NODISCARD pl_status pl_drawable_report(pl_world *world, int32_t i, pl_step_info *info);

// ---- liquids -----------------------------------------------------------------------------------------------

/// Arrays for the cells of a liquid, any of which may be NULL.
typedef struct pl_liquid_cells
{
    double *boxes;      ///< [count][6] lower and upper corner [m]; tall cells are as wide as the others, and higher
    double *phi;        ///< [count] distance to the surface, negative in liquid [m]; in tall cells minus `domain.depth`
    double *velocities; ///< [count][3] in the middle of the cell [m/s]
    double *pressures;  ///< [count] in the middle of the cell, of the last step [Pa]; 0 in air
    double *strains;    ///< [count] norm of the deviator of its elastic strain; 0 in air and without elasticity
    double *liquids;    ///< [count] which of several liquids is there, or nearest, from 0, in the order of drawables
    double *temperatures; ///< [count] above the surroundings [K]; 0 in air and without temperature
} pl_liquid_cells;

/// How many cells the liquid of a world has now, those of the air near its surface included; 0 without a liquid.
PL_API int32_t pl_world_liquid_cell_count(const pl_world *world);
/// Read all of them. Fails with PL_ERR_ARGUMENT in a world without a liquid, and with PL_ERR_MEMORY.
PL_API PL_NODISCARD pl_status pl_world_liquid_read_cells(const pl_world *world, const pl_liquid_cells *cells);

// ---- forces of liquids -------------------------------------------------------------------------------------

/// What the liquid does to an object, in the last step, by its pressure and by the stress of viscous and elastic
/// liquids that do not slip: buoyancy and drag together. One way: nothing feels it.
typedef struct pl_liquid_force
{
    double force[3];  ///< [N]
    double torque[3]; ///< about the object's `at`, or about the origin for the walls [N m]
    double area;      ///< of the wetted surface [m^2]
} pl_liquid_force;

/// Force on an object, or with index 0 on the walls of the domain. Zero before the first step. Fails with
/// PL_ERR_ARGUMENT for an object that does not exist and in a world without a liquid, and with PL_ERR_MEMORY.
PL_API PL_NODISCARD pl_status pl_world_liquid_force(pl_world *world, pl_object_id object, pl_liquid_force *force);

// ---- fields ------------------------------------------------------------------------------------------------

/// Fields of elements at the current state. F is the deformation gradient, s0 >= s1 >= |s2| its stretches. Stresses and
/// energies are those of the law in use (the relaxed one while the body recovers), times the body's strength. Cauchy
/// stress is P F^T / J, with |J| taken as 1e-6 where it is less.
typedef enum pl_body_field
{
    PL_FIELD_J,          ///< det F: volume now over volume at rest; negative when inverted
    PL_FIELD_STRESS,     ///< von Mises stress of the Cauchy stress [Pa]
    PL_FIELD_STRETCH,    ///< the largest stretch, s0
    PL_FIELD_ENERGY,     ///< elastic energy per rest volume [J/m^3]; NaN where the inversion rule has none
    PL_FIELD_PRESSURE,   ///< minus a third of the trace of the Cauchy stress [Pa]
    PL_FIELD_CAUCHY,     ///< the Cauchy stress [Pa]: 9 numbers, symmetric
    PL_FIELD_PLASTIC,    ///< norm of the logarithm of the plastic stretch, or of the additive plastic strain
    PL_FIELD_TEMPERATURE ///< above the surroundings [K]; 0 without a melting temperature
} pl_body_field;

/// The name of a field, such as "stress"; NULL past the last, so that a loop can list them.
PL_API const char *pl_body_field_name(int32_t field);
/// Numbers per element: 1, or 9 for a matrix; 0 past the last.
PL_API int32_t pl_body_field_components(int32_t field);
/// Read a field at the current positions, elements in mesh order. Fails with PL_ERR_ARGUMENT for an invalid field and
/// PL_ERR_STATE for a removed body.
PL_API PL_NODISCARD pl_status pl_body_read_field(const pl_world *world, pl_body_id body, pl_body_field field,
                                                 double *values);
/// A field of one component at the surface vertices, for colouring: averaged at the nodes over their elements, weighted
/// by rest volume, then interpolated. A vertex outside its tetrahedron gets a value between those of its corners. Fails
/// as above, and with PL_ERR_MEMORY.
PL_API PL_NODISCARD pl_status pl_body_read_surface_field(const pl_world *world, pl_body_id body, pl_body_field field,
                                                         float *values);

// ---- cutting and heating -----------------------------------------------------------------------------------

/// Cut all bodies that can be cut (pl_body_def.cuttable, or a breakable material) along a quadrilateral, such as the
/// area swept by a blade from a-b to d-c: elements are separated where it passes between their centres. `torn` (may be
/// NULL) receives the number of new nodes. Fails with PL_ERR_ARGUMENT if a number is not finite, or PL_ERR_MEMORY;
/// nothing changes.
PL_API PL_NODISCARD pl_status pl_world_cut(pl_world *world, const double a[3], const double b[3], const double c[3],
                                           const double d[3], int32_t *torn);
/// Heat everything within `radius` [m] of a point, in bodies and liquids with a melting temperature: by `kelvin` at the
/// centre, times (1 - r^2/radius^2)^2 elsewhere; negative values cool, at most to the temperature of the surroundings.
/// Fails with PL_ERR_ARGUMENT; nothing changes.
PL_API PL_NODISCARD pl_status pl_world_heat(pl_world *world, const double point[3], double radius, double kelvin);
/// Pour `volume` [m^3] of a liquid of the scene (its name; NULL: the first) at once: a round cylinder of `radius` [m],
/// at least a cell, whose front end is at `at`, along its `velocity` [m/s], or else along gravity. Pieces that are
/// poured one after the other, each when the last has moved by its length, make a jet. The volume is counted as what
/// sources bring; what is outside the domain is lost, and where there is liquid already that makes way. Fails with
/// PL_ERR_ARGUMENT (a number that is not allowed, no such liquid, no room for it there) or PL_ERR_MEMORY; nothing
/// changes.
PL_API PL_NODISCARD pl_status pl_world_pour(pl_world *world, const char *liquid, const double at[3],
                                            const double velocity[3], double radius, double volume);
/// Make liquids forget this `part`, in [0, 1], of their elastic strain at a point, and (1 - r^2/radius^2)^2 of it
/// within `radius` [m]: they stay as they are there, instead of springing back. Fails with PL_ERR_ARGUMENT; nothing
/// changes.
PL_API PL_NODISCARD pl_status pl_world_forget(pl_world *world, const double point[3], double radius, double part);
/// Make a body liquid now: the one that names it (pl_liquid_def.body), at whatever time that does so. Its surface
/// becomes that of the liquid, with its velocity and, if the liquid has elasticity, its elastic strain; what is outside
/// the domain is lost. The body is gone: its handle is invalid (PL_ERR_STATE) until a snapshot from before is loaded,
/// and it stays in the list of drawables, without a surface. Fails with PL_ERR_STATE (unknown body, or no room for it
/// in the domain), PL_ERR_ARGUMENT (no liquid names it, or its center is outside the domain) or PL_ERR_MEMORY; nothing
/// changes.
PL_API PL_NODISCARD pl_status pl_world_melt(pl_world *world, pl_body_id body);
/// Make the liquid a body now: the one of this name that pl_scene_add_setting() tells of. All of the liquid but its
/// drops is gone. Fails with PL_ERR_ARGUMENT (no liquid becomes it, or it is there already), PL_ERR_STATE (there is no
/// liquid), with those of pl_mesh_create_from_implicit(), or PL_ERR_MEMORY; nothing changes.
PL_API PL_NODISCARD pl_status pl_world_set_liquid(pl_world *world, const char *body);
/// Whether a body may become liquid: 1 or 0.
PL_API int32_t pl_body_melts(const pl_world *world, pl_body_id body);

// ---- pins --------------------------------------------------------------------------------------------------

/// Pin or release a mesh node. A pinned node stays where it is or moves to the target of pl_body_move_pin. Nodes of a
/// pin group (pl_scene_add_pin) follow the group: for them both functions fail with PL_ERR_ARGUMENT.
PL_API PL_NODISCARD pl_status pl_body_set_pin(pl_world *world, pl_body_id body, int32_t node, int32_t held);
/// Set the position of a pinned node at the end of the next step; it moves there at constant velocity, ignoring
/// objects. If max_substeps ends a step early, it is on its way.
PL_API PL_NODISCARD pl_status pl_body_move_pin(pl_world *world, pl_body_id body, int32_t node, const double target[3]);

// ---- rays and grabs ----------------------------------------------------------------------------------------

/// Intersection of a ray with a drawable.
typedef struct pl_hit
{
    pl_body_id body;
    int32_t triangle;  ///< of the drawable
    double weights[3]; ///< barycentric coordinates in the triangle
    double point[3];   ///< [m]
    double normal[3];  ///< unit normal of the triangle
    double distance;   ///< from the origin of the ray [m]
    int32_t drawable;  ///< index in [0, pl_world_drawable_count()); `body` has index 0 if it is not a body
} pl_hit;

/// Find the first drawable along a ray, from either side of its surface. Returns 1 and fills `hit`, or 0. `direction`
/// may have any length but zero. Objects do not stop rays. Tests every triangle: microseconds for thousands of them.
PL_API int32_t pl_world_cast_ray(const pl_world *world, const double origin[3], const double direction[3], pl_hit *hit);

typedef struct pl_grab_id
{
    int32_t index;
} pl_grab_id;

/// Grab a body at a hit: a spring of `stiffness` [N/m], above 0 to 1e12, pulls the surface nodes that were within
/// `radius` [m] of it at rest (at most the 64 nearest, at least one), initially towards the hit point. It is implicit,
/// hence stable for any stiffness, and damped for the mass of the body. Up to 16 at a time; they are part of snapshots.
/// Fails with PL_ERR_ARGUMENT, PL_ERR_STATE (a removed body; too many grabs) or PL_ERR_MEMORY; nothing changes.
PL_API PL_NODISCARD pl_status pl_world_grab(pl_world *world, const pl_hit *hit, double stiffness, double radius,
                                            pl_grab_id *grab);
/// Set the target of the grabbed point at the end of the next step, or of the pending one; it moves there at constant
/// velocity. Fails with PL_ERR_STATE if the grab was released.
PL_API PL_NODISCARD pl_status pl_world_grab_move(pl_world *world, pl_grab_id grab, const double target[3]);
/// The current position of the grabbed point, estimated from the mean of the nodes around it.
PL_API PL_NODISCARD pl_status pl_world_grab_read(const pl_world *world, pl_grab_id grab, double point[3]);
/// Existing grabs, for example from a snapshot: count, and the handle of grab i in [0, count); index 0 beyond.
PL_API int32_t pl_world_grab_count(const pl_world *world);
PL_API pl_grab_id pl_world_grab_at(const pl_world *world, int32_t i);
/// Release a grab; removing a body releases its grabs.
PL_API PL_NODISCARD pl_status pl_world_grab_release(pl_world *world, pl_grab_id grab);

// ---- live parameters ---------------------------------------------------------------------------------------

typedef struct pl_param_id
{
    int32_t index;
} pl_param_id;

/// A parameter by its path: materials.NAME.young, .poisson, .damping or .activation; bodies.NAME.strength, .pressure
/// .toughness and .volume, and .material.young and so on for the material of a body (which others may share);
/// objects.NAME.friction; bodies.NAME.friction_with.NAME where the scene has it; liquids.NAME.valve of sources and
/// drains; gravity.x, .y or .z; wind.x, .y or .z. Index 0 if there is no such live parameter; pl_context_error() then
/// says why.
PL_API pl_param_id pl_world_find_param(pl_world *world, const char *path);
/// Set a parameter from the next substep on. Fails with PL_ERR_ARGUMENT naming the range, or if keys drive it; nothing
/// changes.
PL_API PL_NODISCARD pl_status pl_world_set(pl_world *world, pl_param_id param, double value);
PL_API double pl_world_get(const pl_world *world, pl_param_id param);

typedef struct pl_param_info
{
    double value;     ///< now
    double low, high; ///< range of pl_world_set; some laws of materials allow less
    int32_t keyed;    ///< 1: driven by keys, and cannot be set
    int32_t matters;  ///< 0: has no effect in this world, such as the activation of a material without fibres
    const char *unit; ///< such as "Pa"; never NULL
} pl_param_info;

/// All live parameters, for sliders: count, and the handle of parameter i in [0, count); index 0 beyond. Parameters of
/// a shared material are listed once, under the material.
PL_API int32_t pl_world_param_count(const pl_world *world);
PL_API pl_param_id pl_world_param_at(const pl_world *world, int32_t i);
/// Describe a parameter and write its path, at most `size` bytes; 160 are enough. Fails with PL_ERR_STATE if there is
/// no such parameter.
PL_API PL_NODISCARD pl_status pl_world_param_describe(const pl_world *world, pl_param_id param, pl_param_info *info,
                                                      char *path, size_t size);

// ---- objects -----------------------------------------------------------------------------------------------

PL_API pl_object_id pl_world_find_object(const pl_world *world, const char *name);
PL_API int32_t pl_world_object_count(const pl_world *world);
/// The name of object i in [0, count); its handle has index i + 1; NULL beyond.
PL_API const char *pl_world_object_name(const pl_world *world, int32_t i);
/// The current state of an object: kind and sizes, at, velocity, spin and friction; `rotate` is its current rotation
/// and `normal` is rotated by it. Its pointers belong to the world and live as long. Fails with PL_ERR_ARGUMENT for an
/// object that does not exist.
PL_API PL_NODISCARD pl_status pl_object_read(const pl_world *world, pl_object_id object, pl_object_def *state);
/// The triangles of an object in its own frame, before `rotate` and `at`: closed, facing outwards, with edges of about
/// `edge` [m] where it is curved (0: chosen from its size). A height field gets a floor; a union has the surfaces of
/// all its parts, also where they overlap. Actors, which may be open, and bodies have their current shape. Fails with
/// PL_ERR_ARGUMENT for an object that does not exist or is unbounded, such as a plane, and for one whose body was
/// removed.
PL_API PL_NODISCARD pl_status pl_object_surface(const pl_world *world, pl_object_id object, double edge,
                                                pl_surface **surface);
/// Set the position `at` of an object at the end of the next step, or of the pending one; it moves there at constant
/// velocity, then stops. Fails with PL_ERR_ARGUMENT if keys drive its `at`, or if it is a body.
PL_API PL_NODISCARD pl_status pl_object_set_target(pl_world *world, pl_object_id object, const double target[3]);

// ---- contacts ----------------------------------------------------------------------------------------------
//
// A body touches an object if one of its nodes is in contact with it during a step; bodies touch each other, or
// themselves, if parts of their surfaces come nearer than their thickness. Lists are sorted by body, then objects
// before other bodies, each in the order in which they were added. Contacts are part of snapshots.

typedef struct pl_contact
{
    pl_body_id body;     ///< of two bodies, the one added first
    pl_object_id object; ///< index 0: the other is a body
    pl_body_id other;    ///< the other body, possibly the same; index 0: an object
    double point[3];     ///< point of the strongest impulse of the step [m]
    double normal[3];    ///< at that point, unit, towards `body`
    double impulse;      ///< on `body` along the normals, summed over the step [N s]; the impulse of an impact zone is
                         ///< distributed over its pairs
} pl_contact;

typedef enum pl_event_kind
{
    PL_EVENT_BEGIN, ///< touching now, but not in the previous step
    PL_EVENT_END    ///< touched in the previous step (point and normal are from there), but no more; impulse is 0
} pl_event_kind;

typedef struct pl_event
{
    pl_event_kind kind;
    pl_contact contact;
} pl_event;

/// Contacts that began or ended in the last complete step: at most `capacity` of them are copied, and their number is
/// returned. While a step is pending there are none; those of a dropped step are reported with the next. Contacts of a
/// removed body disappear without an event.
PL_API int32_t pl_world_events(const pl_world *world, pl_event *events, int32_t capacity);
/// Contacts of the last step, or so far of the pending one; one entry per touching pair. At most `capacity` are copied,
/// and their number is returned.
PL_API int32_t pl_world_contacts(const pl_world *world, pl_contact *contacts, int32_t capacity);

/// A node in contact with an object, or two surface features nearer than their thickness.
typedef struct pl_contact_point
{
    pl_body_id body; ///< as above
    pl_object_id object;
    pl_body_id other;
    double point[3];  ///< on `body` [m]
    double normal[3]; ///< unit, towards `body`
    double distance;  ///< [m]; negative inside an object
} pl_contact_point;

/// Contact points at the current positions, for drawing; at most `capacity` are copied, and `count` is their number.
/// Nodes touch an object within 1e-5 of the size of their body. Fails with PL_ERR_MEMORY.
PL_API PL_NODISCARD pl_status pl_world_contact_points(pl_world *world, pl_contact_point *points, int32_t capacity,
                                                      int32_t *count);

// ---- snapshots ---------------------------------------------------------------------------------------------

/// Bytes needed by pl_world_save now. Only the dynamic state is saved, no meshes. The size grows when bodies break.
PL_API size_t pl_world_save_size(const pl_world *world);
/// Copy the state into `buffer` of at least pl_world_save_size() bytes.
PL_API PL_NODISCARD pl_status pl_world_save(const pl_world *world, void *buffer, size_t size);
/// Restore a state of this world, or of another one compiled from the same scene with the same bodies (whatever was
/// added, removed or broken in between). Live parameters and a pending step are restored too. The continuation has the
/// same bits as after the save. Fails with PL_ERR_FORMAT (damaged) or PL_ERR_STATE (of another scene); nothing changes.
PL_API PL_NODISCARD pl_status pl_world_load(pl_world *world, const void *buffer, size_t size);
/// The same for a branch: the scene of this world may have other keys and pins than the saved one, which apply from now
/// on.
PL_API PL_NODISCARD pl_status pl_world_load_branch(pl_world *world, const void *buffer, size_t size);

#ifdef __cplusplus
}
#endif
#endif

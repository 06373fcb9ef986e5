// include/pliant/world.h -- a scene compiled and set in motion.
//
// A world owns the state: positions and velocities of every node, and time. Stepping is deterministic: the same scene
// and the same calls give the same bits for any number of threads, any register width, and after a snapshot is loaded.
// From the second step on nothing is allocated.
#ifndef PLIANT_WORLD_H
#define PLIANT_WORLD_H

#include <pliant/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pl_world pl_world;

/// Compile a scene. The world keeps nothing of it by reference. On failure `*world` is NULL.
PL_API PL_NODISCARD pl_status pl_world_create(const pl_scene *scene, pl_world **world);
PL_API void pl_world_destroy(pl_world **world);

// ---- stepping ----------------------------------------------------------------------------------------------

typedef struct pl_step_def
{
    double dt;              ///< simulated time to advance [s], in (0, 1e6]; divided into as many stable steps as needed
    int32_t max_substeps;   ///< stop early after so many, leaving the rest pending; 0 (default): no limit
    int32_t max_iterations; ///< cap on the iterations of each damping solve; 0 (default): the solver's own
    int32_t
        finish; ///< 1: go on with the step that max_substeps stopped, whose dt counts instead of this one; default 0
    uint32_t cookie; ///< set by pl_step_def_default(); do not touch
} pl_step_def;

/// One frame at 24 per second.
PL_API pl_step_def pl_step_def_default(void);

/// What a step did, over all bodies or for one. Of a step in several calls each reports its own part.
typedef struct pl_step_info
{
    double time;     ///< of the world, at the end [s]
    double advanced; ///< simulated by this call [s]; less than dt only when max_substeps stopped it
    int32_t substeps;
    double smallest_dt;               ///< of the substeps [s]
    int32_t cg_iterations;            ///< in all solves
    int32_t unconverged;              ///< damping solves that used up their iterations
    double kinetic, elastic, gravity; ///< energies [J]; elastic is NaN where the inversion rule has none
    double mass;                      ///< [kg]
    double center[3];                 ///< of mass [m]
    double momentum[3];               ///< [kg m/s]
    double angular[3];                ///< about the origin [kg m^2/s]
    double volume;                    ///< [m^3]
    double volume_error;              ///< volume / rest volume - 1
    double min_J;                     ///< smallest determinant of a deformation gradient
    double max_stretch;               ///< largest singular value of one
    double strain;                    ///< root mean square of the principal strains s_i - 1, by volume
    double dilation;                  ///< root mean square of J - 1, by volume
    int32_t inverted;                 ///< elements with J <= 0
    int32_t contacts;                 ///< nodes touching objects in the last substep
    int32_t near_pairs; ///< of vertices and triangles, and of edges, of bodies that meet, nearer than their thickness;
                        ///< at the last look
    int32_t collisions; ///< pairs that would have touched, of all looks of this step
    int32_t zone_nodes; ///< most nodes that had to move as rigid groups, of all looks
    int32_t unresolved; ///< pairs that could not be kept from touching, since what holds them leaves no room
    int64_t crossings;  ///< pairs of triangles that crossed where the last interval of collision began, or the world; 0
                        ///< once all are pulled apart
    double friction_work; ///< that rubbing, of bodies against bodies and objects, took in this step [J], all its calls
                          ///< together
    double penetration;   ///< how deep the deepest node is inside an object at the end, or an object that is inside a
                          ///< solid body [m]; 0: none is
    int32_t recovering;   ///< bodies that use the relaxed law of their material now, to untangle
    int32_t stuck;        ///< bodies that rest in a shape that is not theirs
    int32_t torn;         ///< nodes that came apart in this step, all its calls together, since bodies broke
    int32_t sleeping; ///< bodies that sleep (solver.sleep): they have no contacts, and touch whom they touched, without
                      ///< impulse
} pl_step_info;

/// Advance by `def->dt`. `info` may be NULL. A step that max_substeps stopped early is pending: calls with `finish` go
/// on with it, and however it is divided, also through a snapshot, the bits are those of one call. Targets of pins and
/// objects are reached, and stuck bodies looked for, at the end of the whole step. A new step drops what is pending.
/// Fails with PL_ERR_STATE if `finish` finds nothing pending. Fails with PL_ERR_NUMERIC, naming body and element, if a
/// force is not finite; positions and velocities are then as after the last good substep.
PL_API PL_NODISCARD pl_status pl_world_step(pl_world *world, const pl_step_def *def, pl_step_info *info);

/// The figures of the world as it is now, before the first step or after a snapshot was loaded; substeps and iterations
/// are those of the last step of this world.
PL_API PL_NODISCARD pl_status pl_world_report(pl_world *world, pl_step_info *info);
/// The same figures for one body, as of the end of the last step (substeps and iterations are the world's).
/// Fails with PL_ERR_STATE for a body that was removed.
PL_API PL_NODISCARD pl_status pl_body_report(pl_world *world, pl_body_id body, pl_step_info *info);

/// How many pairs of triangles of bodies that meet cross now, by an exact test. Touching counts, neighbours do not. 0
/// where no body collides. Fails with PL_ERR_MEMORY.
PL_API PL_NODISCARD pl_status pl_world_count_crossings(pl_world *world, int64_t *count);

PL_API double pl_world_time(const pl_world *world);

/// What is left of a step that max_substeps stopped [s]; 0: nothing.
PL_API double pl_world_pending(const pl_world *world);

/// The substep that the solver would choose now [s], at most 1e6; for estimates of cost.
PL_API double pl_world_stable_step(pl_world *world);

// ---- bodies ------------------------------------------------------------------------------------------------

/// The body of that name; index 0 if there is none.
PL_API pl_body_id pl_world_find_body(const pl_world *world, const char *name);
/// The bodies that are there, in the order in which they came: how many, and the handle of one in [0, count); index 0
/// beyond.
PL_API int32_t pl_world_body_count(const pl_world *world);
PL_API pl_body_id pl_world_body_at(const pl_world *world, int32_t i);
/// Its name; NULL for a removed body.
PL_API const char *pl_body_name(const pl_world *world, pl_body_id body);

/// Add a body while running, made of materials of the scene. All borrowed arrays become invalid. On failure nothing
/// changes.
PL_API PL_NODISCARD pl_status pl_world_add_body(pl_world *world, const char *name, const pl_body_def *def,
                                                pl_body_id *id);
/// Remove a body, and its keys with it. All borrowed arrays become invalid; handles of other bodies stay valid.
PL_API PL_NODISCARD pl_status pl_world_remove_body(pl_world *world, pl_body_id body);

PL_API int32_t pl_body_node_count(const pl_world *world, pl_body_id body);
/// 1 if a body can come apart: it breaks, or can be cut. 0 otherwise, and for a removed body.
PL_API int32_t pl_body_breaks(const pl_world *world, pl_body_id body);
/// Counts up whenever a body breaks or is cut: its nodes, which elements share them, and its surface are then others.
/// Elements keep their numbers and nodes theirs; what a node that came apart has become are that node and new ones,
/// behind all others. All borrowed arrays become invalid. 0 for a removed body.
PL_API uint32_t pl_body_version(const pl_world *world, pl_body_id body);
/// Positions and velocities, 3 numbers per node, without copying; valid until a body is added or removed, or breaks.
/// They are in the engine's own node order: node i of the mesh is at index pl_body_node_order()[i]. NULL for a removed
/// body.
PL_API const double *pl_body_positions(const pl_world *world, pl_body_id body);
PL_API const double *pl_body_velocities(const pl_world *world, pl_body_id body);
PL_API const int32_t *pl_body_node_order(const pl_world *world, pl_body_id body);

/// Copy positions and velocities in the mesh's node order; either may be NULL. Fails with PL_ERR_STATE for a removed
/// body.
PL_API PL_NODISCARD pl_status pl_body_read(const pl_world *world, pl_body_id body, double *positions,
                                           double *velocities);
/// Set them, in the mesh's node order; either may be NULL. New positions also become the targets of pins that are in no
/// group, and end recovery; plastic flow stays. Of planar bodies the third components are left alone. Fails with
/// PL_ERR_ARGUMENT if a number is not finite (nothing changes).
PL_API PL_NODISCARD pl_status pl_body_write(pl_world *world, pl_body_id body, const double *positions,
                                            const double *velocities);

/// The elements of a body: their kind, how many, pl_element_corners(kind) mesh nodes each, in the mesh's order; and
/// where its nodes were put at the start, at rest (3 numbers per node, in the mesh's order). `pl_body_elements` is
/// valid until the body is removed or breaks; NULL for a removed body.
PL_API pl_element_kind pl_body_element_kind(const pl_world *world, pl_body_id body);
PL_API int32_t pl_body_element_count(const pl_world *world, pl_body_id body);
PL_API const int32_t *pl_body_elements(const pl_world *world, pl_body_id body);
PL_API PL_NODISCARD pl_status pl_body_read_rest(const pl_world *world, pl_body_id body, double *positions);

// ---- surfaces ----------------------------------------------------------------------------------------------
//
// The surface of a body is the one its definition gave, with its own vertices and triangles in their order, carried by
// the mesh; without one it is the boundary of the mesh. Reading allocates nothing.
//
// When a body that carries a surface breaks or is cut, its surface is cut as well and stays closed: every edge is that
// of two triangles, which walk it in opposite directions. Its own vertices come first, with their numbers; triangles
// are those that are whole, parts of others, and caps, which close what a crack laid open, in this order.
//
// Normals of a boundary are those of its triangles now. Those of a carried surface are the ones that it has at rest,
// turned as the elements turn that carry it; where a crack meets it they are those of the outside.

/// The surface as floats for drawing: `vertices` and `normals` (either may be NULL) receive 3 floats per surface
/// vertex, `stride` bytes apart (>= 12). Returns the version of the topology; ask for the triangles again when it
/// changes; 0 for a removed body.
PL_API uint32_t pl_body_read_surface(const pl_world *world, pl_body_id body, float *vertices, float *normals,
                                     size_t stride);
/// The same in full precision, with velocities: 3 numbers per surface vertex in each array, any of which may be NULL.
/// Fails with PL_ERR_STATE for a removed body.
PL_API PL_NODISCARD pl_status pl_body_read_surface_exact(const pl_world *world, pl_body_id body, double *vertices,
                                                         double *velocities, double *normals);
PL_API int32_t pl_body_surface_vertex_count(const pl_world *world, pl_body_id body);
/// 3 surface vertex indices per triangle; those of a boundary face outwards, those of a carried surface as they were
/// given, but that vertices at one place are one if the body can come apart and its surface is not closed otherwise.
PL_API const int32_t *pl_body_surface_triangles(const pl_world *world, pl_body_id body, int32_t *triangle_count);
/// The mesh node of each surface vertex of a boundary; NULL for a body that carries a surface.
PL_API const int32_t *pl_body_surface_nodes(const pl_world *world, pl_body_id body);
/// Where the triangles of a body that can come apart are from: the triangle of the whole surface that each is or is a
/// part of (of the boundary of hexahedra: one of the same face), or -1 if a crack laid it open. NULL for a body that
/// cannot come apart.
PL_API const int32_t *pl_body_surface_sources(const pl_world *world, pl_body_id body);
/// Texture coordinates of the corners of all triangles, 6 numbers each, of a body that can come apart and carries a
/// surface with some:
/// 1. Without them, and for bodies that cannot come apart, whose surfaces keep theirs: 0. Caps, and corners without,
/// have (0, 0).
PL_API int32_t pl_body_read_surface_uvs(const pl_world *world, pl_body_id body, double *uvs);

// ---- drawables ---------------------------------------------------------------------------------------------
//
// Everything in a world that has a surface: bodies first, in their order, then what else advances in it. A host that
// walks this list draws and exports all of them.

typedef struct pl_drawable
{
    const char *name;    ///< of the body, or of what else it is
    const char *stepper; ///< what advances it: "bodies", or the name of another kind of matter
    pl_body_id body;     ///< the body that it is; index 0: none
    uint32_t version;    ///< of the topology; ask again when it changes
    int32_t vertex_count, triangle_count;
    const int32_t *triangles; ///< 3 vertices each, outward; valid until the next step
    double color[3];          ///< sRGB, where nobody has chosen one
} pl_drawable;

PL_API int32_t pl_world_drawable_count(const pl_world *world);
/// Drawable i in [0, count). Fails with PL_ERR_ARGUMENT beyond.
PL_API PL_NODISCARD pl_status pl_world_drawable(const pl_world *world, int32_t i, pl_drawable *drawable);
/// Its vertices, velocities and unit normals, 3 numbers per vertex in each array, any of which may be NULL.
PL_API PL_NODISCARD pl_status pl_drawable_read(const pl_world *world, int32_t i, double *vertices, double *velocities,
                                               double *normals);
/// Its figures: those of the body, or of what advances it.
PL_API PL_NODISCARD pl_status pl_drawable_report(pl_world *world, int32_t i, pl_step_info *info);

// ---- fields ------------------------------------------------------------------------------------------------

/// What is felt in each element now. F is the deformation gradient, s0 >= s1 >= |s2| its stretches. Stresses and
/// energies are those of the law in use (the relaxed one while the body recovers), times the body's strength.
/// Cauchy stress is P F^T / J, with |J| taken as 1e-6 where it is less.
typedef enum pl_body_field
{
    PL_FIELD_J,        ///< det F: volume now over volume at rest; negative when inverted
    PL_FIELD_STRESS,   ///< von Mises stress of the Cauchy stress [Pa]
    PL_FIELD_STRETCH,  ///< the largest stretch, s0
    PL_FIELD_ENERGY,   ///< elastic energy per rest volume [J/m^3]; NaN where the inversion rule has none
    PL_FIELD_PRESSURE, ///< minus a third of the trace of the Cauchy stress [Pa]
    PL_FIELD_CAUCHY,   ///< the Cauchy stress [Pa]: 9 numbers, symmetric
    PL_FIELD_PLASTIC,  ///< how far it has flowed: the norm of the logarithm of its plastic stretch, or of its additive
                       ///< plastic strain
    PL_FIELD_TEMPERATURE ///< above the surroundings [K]; 0 where heat does nothing
} pl_body_field;

/// The name of a field, such as "stress"; NULL past the last, so that a loop can list them.
PL_API const char *pl_body_field_name(int32_t field);
/// Numbers per element: 1, or 9 for a matrix; 0 past the last.
PL_API int32_t pl_body_field_components(int32_t field);
/// A field at the present positions, elements in the mesh's order. Fails with PL_ERR_ARGUMENT for no such field and
/// PL_ERR_STATE for a removed body.
PL_API PL_NODISCARD pl_status pl_body_read_field(const pl_world *world, pl_body_id body, pl_body_field field,
                                                 double *values);
/// A field of one component at the surface vertices, for colouring: averaged at the nodes over their elements by rest
/// volume, then interpolated. A vertex outside its tetrahedron gets a value between those of its corners. Fails as
/// above, and with PL_ERR_MEMORY.
PL_API PL_NODISCARD pl_status pl_body_read_surface_field(const pl_world *world, pl_body_id body, pl_body_field field,
                                                         float *values);

// ---- cutting and heating -----------------------------------------------------------------------------------

/// Cut all bodies that can be (pl_body_def.cuttable, or of a material that breaks) along a quadrilateral, such as a
/// blade from a to b sweeps on its way to d and c: elements come apart where it passes between their middles. `torn`
/// (may be NULL) is how many nodes there are more. Fails with PL_ERR_ARGUMENT if a number is not finite, or
/// PL_ERR_MEMORY; nothing changes.
PL_API PL_NODISCARD pl_status pl_world_cut(pl_world *world, const double a[3], const double b[3], const double c[3],
                                           const double d[3], int32_t *torn);
/// Warm what is within `radius` [m] of a point, of materials that melt: by `kelvin` in the middle and (1 -
/// r^2/radius^2)^2 of that elsewhere; less than nothing cools, to the temperature of the surroundings at most. Fails
/// with PL_ERR_ARGUMENT; nothing changes.
PL_API PL_NODISCARD pl_status pl_world_heat(pl_world *world, const double point[3], double radius, double kelvin);

// ---- pins --------------------------------------------------------------------------------------------------

/// Hold or let go of a mesh node. A held node stays where it is or goes where pl_body_move_pin sends it. Nodes of a
/// group (pl_scene_add_pin) follow the group: for them both fail with PL_ERR_ARGUMENT.
PL_API PL_NODISCARD pl_status pl_body_set_pin(pl_world *world, pl_body_id body, int32_t node, int32_t held);
/// Where a held node shall be at the end of the next step; it goes there at constant velocity, objects or not. A step
/// that max_substeps ends early leaves it on its way.
PL_API PL_NODISCARD pl_status pl_body_move_pin(pl_world *world, pl_body_id body, int32_t node, const double target[3]);

// ---- hands -------------------------------------------------------------------------------------------------

/// Where a ray meets a body.
typedef struct pl_hit
{
    pl_body_id body;
    int32_t triangle;  ///< of its surface (pl_body_surface_triangles)
    double weights[3]; ///< of the corners of the triangle: the point is their mean
    double point[3];   ///< [m]
    double normal[3];  ///< of the triangle, unit
    double distance;   ///< from the origin of the ray [m]
    int32_t drawable;  ///< that it met, in [0, pl_world_drawable_count()); `body` has index 0 if that is no body
} pl_hit;

/// The first drawable that a ray meets, on whichever side of its surface: 1, and `hit` is filled; or 0. `direction` may
/// have any length but zero. Objects do not stop rays. Looks at every triangle: microseconds for thousands of them.
PL_API int32_t pl_world_cast_ray(const pl_world *world, const double origin[3], const double direction[3], pl_hit *hit);

typedef struct pl_grab_id
{
    int32_t index;
} pl_grab_id;

/// Take hold of a body where a ray has met it: a spring of `stiffness` [N/m], above 0 to 1e12, pulls the surface nodes
/// that were within `radius` [m] of it at rest (the 64 nearest at most; one at least), first to where the point is now.
/// It is implicit, so that any stiffness is stable, and damped for the mass of the body. Up to 16 at a time; they are
/// part of snapshots. Fails with PL_ERR_ARGUMENT, PL_ERR_STATE (of a body that was removed; of too many) or
/// PL_ERR_MEMORY; nothing changes.
PL_API PL_NODISCARD pl_status pl_world_grab(pl_world *world, const pl_hit *hit, double stiffness, double radius,
                                            pl_grab_id *grab);
/// Where the point that was taken shall be at the end of the next step, or of the pending one; the hand goes there at
/// constant velocity. Fails with PL_ERR_STATE if it has let go.
PL_API PL_NODISCARD pl_status pl_world_grab_move(pl_world *world, pl_grab_id grab, const double target[3]);
/// Where the point that was taken is now, as far as the middle of the nodes around it tells.
PL_API PL_NODISCARD pl_status pl_world_grab_read(const pl_world *world, pl_grab_id grab, double point[3]);
/// Those that hold bodies now, such as came with a snapshot: how many, and the handle of one in [0, count); index 0
/// beyond.
PL_API int32_t pl_world_grab_count(const pl_world *world);
PL_API pl_grab_id pl_world_grab_at(const pl_world *world, int32_t i);
/// Let go; a body that is removed does by itself.
PL_API PL_NODISCARD pl_status pl_world_grab_release(pl_world *world, pl_grab_id grab);

// ---- live parameters ---------------------------------------------------------------------------------------

typedef struct pl_param_id
{
    int32_t index;
} pl_param_id;

/// A parameter by its path: materials.NAME.young, .poisson, .damping or .activation; bodies.NAME.strength, .pressure
/// and .toughness, and .material.young and so on for the material of a body (which others may share);
/// objects.NAME.friction; bodies.NAME.friction_with.NAME where the scene has it; gravity.x, .y or .z; wind.x, .y or .z.
/// Index 0 if there is none that may change while running; pl_context_error() then says why.
PL_API pl_param_id pl_world_find_param(pl_world *world, const char *path);
/// Set a parameter from the next substep on. Fails with PL_ERR_ARGUMENT naming the range, or if keys drive it; nothing
/// changes.
PL_API PL_NODISCARD pl_status pl_world_set(pl_world *world, pl_param_id param, double value);
PL_API double pl_world_get(const pl_world *world, pl_param_id param);

typedef struct pl_param_info
{
    double value;     ///< now
    double low, high; ///< what pl_world_set takes at most; some laws of materials take less
    int32_t keyed;    ///< 1: keys drive it, and it cannot be set
    int32_t matters;  ///< 0: nothing in this world depends on it, such as the activation of what is no muscle
    const char *unit; ///< such as "Pa"; never NULL
} pl_param_info;

/// All live parameters, for sliders: how many, and the handle of one in [0, count); index 0 beyond. Those of a material
/// that bodies share are listed once, under the material.
PL_API int32_t pl_world_param_count(const pl_world *world);
PL_API pl_param_id pl_world_param_at(const pl_world *world, int32_t i);
/// What is known of one, and its path, of which at most `size` bytes are written; 160 are enough. Fails with
/// PL_ERR_STATE if there is no such parameter.
PL_API PL_NODISCARD pl_status pl_world_param_describe(const pl_world *world, pl_param_id param, pl_param_info *info,
                                                      char *path, size_t size);

// ---- objects -----------------------------------------------------------------------------------------------

PL_API pl_object_id pl_world_find_object(const pl_world *world, const char *name);
PL_API int32_t pl_world_object_count(const pl_world *world);
/// The name of object i in [0, count), whose handle has index i + 1; NULL beyond.
PL_API const char *pl_world_object_name(const pl_world *world, int32_t i);
/// An object as it is now: its kind and sizes, at, velocity, spin and friction; `normal` as it has been turned by now,
/// and `rotate`, the angles of that turn. What it points to is the world's own, for as long as that lives. Fails with
/// PL_ERR_ARGUMENT for an object that does not exist.
PL_API PL_NODISCARD pl_status pl_object_read(const pl_world *world, pl_object_id object, pl_object_def *state);
/// The triangles of an object in its own frame, before `rotate` and `at`: closed, facing outwards, with edges of about
/// `edge` [m] where it is curved (0: chosen from its size). A height field gets a floor; a union has the surfaces of
/// all its parts, also within each other. Actors, which may be open, and bodies are as they are now. Fails with
/// PL_ERR_ARGUMENT for an object that does not exist or has no end, such as a plane, and for one whose body was
/// removed.
PL_API PL_NODISCARD pl_status pl_object_surface(const pl_world *world, pl_object_id object, double edge,
                                                pl_surface **surface);
/// Where an object's `at` shall be at the end of the next step, or of the pending one; it goes there at constant
/// velocity, then stays. Fails with PL_ERR_ARGUMENT if keys drive its `at`, or if it is a body.
PL_API PL_NODISCARD pl_status pl_object_set_target(pl_world *world, pl_object_id object, const double target[3]);

// ---- contacts ----------------------------------------------------------------------------------------------
//
// A body touches an object when one of its nodes has met it in a step; bodies touch each other, or themselves, when
// parts of their surfaces came nearer than their thickness. Lists are in the order of bodies; those of one body by
// objects, then by other bodies, each in the order in which they came. They are part of snapshots.

typedef struct pl_contact
{
    pl_body_id body;     ///< of two bodies the one that came first
    pl_object_id object; ///< that it touches; index 0: a body
    pl_body_id other;    ///< the body that it touches, maybe itself; index 0: an object
    double point[3];     ///< where the strongest impulse of the step acted [m]
    double normal[3];    ///< there, unit, towards `body`
    double impulse; ///< on `body` along the normals, summed over the step [N s]; what moved as one shares it among its
                    ///< pairs
} pl_contact;

typedef enum pl_event_kind
{
    PL_EVENT_BEGIN, ///< they touch, and did not in the step before
    PL_EVENT_END    ///< they did in the step before, where point and normal are from, and do no more; impulse is 0
} pl_event_kind;

typedef struct pl_event
{
    pl_event_kind kind;
    pl_contact contact;
} pl_event;

/// Contacts that began or ended in the last complete step: at most `capacity` of them are copied, and their number is
/// returned. While a step is pending there are none; those of a step that is dropped are told with the next. A body
/// that is removed takes its contacts along.
PL_API int32_t pl_world_events(const pl_world *world, pl_event *events, int32_t capacity);
/// Who touches whom in the last step, or so far in the pending one; one entry for two that touch.
PL_API int32_t pl_world_contacts(const pl_world *world, pl_contact *contacts, int32_t capacity);

/// Where a node is at an object, or two parts of surfaces are nearer than their thickness.
typedef struct pl_contact_point
{
    pl_body_id body; ///< as above
    pl_object_id object;
    pl_body_id other;
    double point[3];  ///< on `body` [m]
    double normal[3]; ///< unit, towards `body`
    double distance;  ///< [m]; negative inside an object
} pl_contact_point;

/// The points of contact as everything lies now, for drawing; at most `capacity` are copied, and `count` is how many
/// there are. Nodes count as touching within 1e-5 of the size of their body. Fails with PL_ERR_MEMORY.
PL_API PL_NODISCARD pl_status pl_world_contact_points(pl_world *world, pl_contact_point *points, int32_t capacity,
                                                      int32_t *count);

// ---- snapshots ---------------------------------------------------------------------------------------------

/// Bytes that pl_world_save needs now. Only the dynamic state is saved: no meshes. It grows when bodies break: ask
/// again then.
PL_API size_t pl_world_save_size(const pl_world *world);
/// Copy the state into `buffer` of at least pl_world_save_size() bytes.
PL_API PL_NODISCARD pl_status pl_world_save(const pl_world *world, void *buffer, size_t size);
/// Restore a state of this world, or of another one compiled from the same scene, with the same bodies as then
/// (whatever came and went since, and whatever broke). Live parameters come back too, and what was pending. What
/// follows has the same bits as after the save. Fails with PL_ERR_FORMAT (damaged) or PL_ERR_STATE (of another scene);
/// nothing changes.
PL_API PL_NODISCARD pl_status pl_world_load(pl_world *world, const void *buffer, size_t size);
/// The same for a world that branches off: its scene may have other keys and pins than the one that was saved, and they
/// take over from here.
PL_API PL_NODISCARD pl_status pl_world_load_branch(pl_world *world, const void *buffer, size_t size);

#ifdef __cplusplus
}
#endif
#endif

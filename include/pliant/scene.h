// include/pliant/scene.h -- the editable description of a simulation.
//
// Life cycle: create a scene, add materials, bodies and objects by name, compile it with pl_world_create(), step the
// world. A scene may be changed or destroyed afterwards; its worlds are not affected. Units are SI, angles degrees, y
// is up.
#ifndef PLIANT_SCENE_H
#define PLIANT_SCENE_H

#include <pliant/material.h>
#include <pliant/mesh.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pl_scene pl_scene;

/// Handles are small integers; 0 is never valid. Functions that return one accept NULL if it is not needed.
typedef struct pl_material_id
{
    int32_t index;
} pl_material_id;
typedef struct pl_body_id
{
    int32_t index;
} pl_body_id;
typedef struct pl_object_id
{
    int32_t index;
} pl_object_id;

/// Create an empty scene: gravity (0, -9.81, 0), default solver.
PL_API PL_NODISCARD pl_status pl_scene_create(pl_context *ctx, pl_scene **scene);
PL_API void pl_scene_destroy(pl_scene **scene);

/// Gravity [m/s^2], components within 1e9. Fails with PL_ERR_ARGUMENT otherwise.
PL_API PL_NODISCARD pl_status pl_scene_set_gravity(pl_scene *scene, const double gravity[3]);

// ---- solver ------------------------------------------------------------------------------------------------

/// Time integration (docs/integrators.md).
typedef enum pl_integrator
{
    PL_INTEGRATOR_SEMI_IMPLICIT, ///< default: elastic forces explicit, damping implicit: accurate motion, with steps
                                 ///< limited by stiffness
    PL_INTEGRATOR_IMPLICIT_EULER ///< fully implicit: stable for any step, damps motion that it does not resolve
                                 ///< (Mueller & Gross 2004)
} pl_integrator;

typedef enum pl_velocity_update
{
    PL_VELOCITY_MIDPOINT, ///< default: forces at x^(n+1/2) (thesis 3.1); exact friction
    PL_VELOCITY_TRAPEZOID ///< forces at x^n and x^(n+1) (thesis 2.9); one evaluation of forces per step instead of two;
                          ///< always used for shells
} pl_velocity_update;

/// Contact of nodes with objects.
typedef enum pl_object_contact
{
    PL_CONTACT_EXACT,    ///< default: a node stops where it meets the surface and continues along it; friction from the
                         ///< contact forces of the solve (thesis 3.2), and static friction without creep
    PL_CONTACT_PROJECTED ///< for comparison, as in the thesis: projected back along the normal, no friction from the
                         ///< solve
} pl_object_contact;

typedef struct pl_solver_def
{
    pl_integrator integrator;
    pl_velocity_update velocity_update; ///< of the semi-implicit step
    pl_object_contact object_contact;
    double substep; ///< longest time step [s], in [1e-9, 1e6], even if unstable; the frame is divided evenly; 0
                    ///< (default): chosen from the stiffness of the current state, or, with implicit Euler, 1/60 s
    double collision_interval; ///< longest collision interval between bodies, and of bodies with themselves [s], in
                               ///< [1e-6, 1e6]; default 1/60; nearby surfaces are kept apart in every substep, and
                               ///< nothing intersects at the ends of intervals, whatever their length
    double safety;             ///< fraction of the stability limit used for automatic steps, in [1e-6, 1]; default 0.9
    double tolerance;          ///< of a linear solve, relative to the initial residual, in [1e-14, 0.1]; default 1e-4
    int32_t iterations;        ///< limit per linear solve, in [1, 100000]; default 200
    int32_t newton; ///< implicit Euler: limit on Newton iterations, in [0, 1000]; 0 (default): 1 if all bodies are
                    ///< solids of rotated_linear or linear (warped stiffness), else up to 20
    double newton_tolerance; ///< implicit Euler: relative tolerance on the residual of the equations of motion, in [0,
                             ///< 1]; default 0.01
    double mass_damping;     ///< implicit Euler: mass-proportional damping rate [1/s], in [0, 1e6]; default 0
    int32_t sleep; ///< 1: bodies at rest sleep, at almost no cost, until something touches or changes them; default 0
    double sleep_speed; ///< largest node velocity of a body that counts as at rest [m/s], in [0, 1e6]; default 0.005
    double sleep_time;  ///< time at rest before it sleeps [s], in [0, 1e6]; default 0.5
    double volume_recovery;   ///< shortest time in which rings of incompressible bodies may regain their volume [s], in
                              ///< [0, 1e6]; 0: in one step; default 1/120
    double fracture_interval; ///< time between two fracture checks [s], in [0, 1e6]; 0: after every substep; default
                              ///< 1/960; with collisions, at the ends of collision intervals
    int32_t limit_levels;     ///< strain and bend limits: coarse levels, at most, in [0, 16]; 0: none; default 16
    int32_t limit_sweeps;     ///< sweeps of each level in a cycle, in [1, 100000]; default 16
    int32_t limit_cycles;     ///< cycles in a substep, at most, in [1, 1000]; default 4
    uint32_t cookie;          ///< set by pl_solver_def_default(); do not touch
} pl_solver_def;

PL_API pl_solver_def pl_solver_def_default(void);
/// Fails with PL_ERR_ARGUMENT if a field is out of range; the scene is unchanged.
PL_API PL_NODISCARD pl_status pl_scene_set_solver(pl_scene *scene, const pl_solver_def *def);

// ---- air ---------------------------------------------------------------------------------------------------

/// The air around bodies with `drag` or gas.
typedef struct pl_air_def
{
    double wind[3];  ///< [m/s], within 1e6; live
    double density;  ///< [kg/m^3], in [0, 1e6]; default 1.2
    double pressure; ///< [Pa], in [0, 1e12]; default 101325
    uint32_t cookie; ///< set by pl_air_def_default(); do not touch
} pl_air_def;

PL_API pl_air_def pl_air_def_default(void);
/// Fails with PL_ERR_ARGUMENT if a field is out of range; the scene is unchanged.
PL_API PL_NODISCARD pl_status pl_scene_set_air(pl_scene *scene, const pl_air_def *def);

// ---- heat --------------------------------------------------------------------------------------------------

/// A spherical heat source; it heats bodies whose material has a melting temperature.
typedef struct pl_heat_def
{
    double at[3];    ///< [m], within 1e9
    double radius;   ///< [m], in [1e-9, 1e9]; default 0.1
    double power;    ///< heating rate at the centre [K/s], within 1e9, negative: cooling; times (1 - r^2/radius^2)^2
                     ///< elsewhere
    uint32_t cookie; ///< set by pl_heat_def_default(); do not touch
} pl_heat_def;

PL_API pl_heat_def pl_heat_def_default(void);
/// Add a heat source with a unique name. Fails with PL_ERR_ARGUMENT if a field is out of range; the scene is unchanged.
PL_API PL_NODISCARD pl_status pl_scene_add_heat(pl_scene *scene, const char *name, const pl_heat_def *def);

// ---- materials ---------------------------------------------------------------------------------------------

/// Add a material with a unique name (letters, digits, '_' and '-', at most 63). The definition is copied. Fails with
/// PL_ERR_ARGUMENT if a field is out of range or the name is taken; the scene is unchanged.
PL_API PL_NODISCARD pl_status pl_scene_add_material(pl_scene *scene, const char *name, const pl_material_def *def,
                                                    pl_material_id *id);

// ---- bodies ------------------------------------------------------------------------------------------------

typedef enum pl_body_kind
{
    PL_BODY_SOLID, ///< fills space: a mesh of tetrahedra or hexahedra
    PL_BODY_SHELL, ///< a thin sheet: a mesh of triangles that resist stretching and bending; cloth, balloons, metal
                   ///< sheets
    PL_BODY_PLANAR ///< lives in the plane of its mesh, z = const: a mesh of triangles that can invert
} pl_body_kind;

/// In-plane behaviour of a shell.
typedef enum pl_membrane
{
    PL_MEMBRANE_CONTINUUM, ///< default: the material's law in two stretches
    PL_MEMBRANE_WOVEN,     ///< warp and weft: different moduli along `warp` and across it (weave_* of the material)
    PL_MEMBRANE_SPRINGS    ///< springs along edges and across pairs of triangles: mass-spring cloth (thesis figure 3.4)
} pl_membrane;

/// Bending model of a shell (docs/shells.md).
typedef enum pl_bending
{
    PL_BENDING_CURVATURE, ///< default: curvature of each triangle from its three dihedral angles; independent of the
                          ///< mesh
    PL_BENDING_HINGES,    ///< each dihedral angle by itself (Bridson et al. 2003, Grinspun et al. 2003): depends on the
                          ///< mesh
    PL_BENDING_NONE
} pl_bending;

/// Assumption of planar bodies across their plane.
typedef enum pl_plane
{
    PL_PLANE_STRAIN, ///< default: a long body of constant thickness
    PL_PLANE_STRESS  ///< a thin plate, free to change its thickness
} pl_plane;

typedef struct pl_body_def
{
    const pl_mesh *mesh;       ///< rest shape; copied
    pl_body_kind kind;         ///< default solid
    const pl_surface *surface; ///< a detailed surface in the same rest coordinates as `mesh`, embedded in it and read
                               ///< by pl_body_read_surface; copied; NULL: the boundary of the mesh
    pl_material_id material;   ///< of all regions, unless overridden:
    const pl_material_id *region_materials; ///< one per region of the mesh, or NULL
    double at[3];                           ///< position of the mesh's origin [m], within 1e9
    double rotate[3];                       ///< rotation about x, then y, then z [degrees], within 1e6
    double velocity[3];                     ///< [m/s], within 1e9
    double spin[3];                         ///< angular velocity about the centre of mass [degrees/s], within 1e9
    double strength;                        ///< factor on all internal forces, in [0, 1e6]; default 1; live
    const int32_t *pins; ///< mesh nodes held at their start positions, or NULL; see also pl_scene_add_pin()
    int32_t pin_count;
    const pl_material_id *element_materials; ///< one per element instead of `material` and `region_materials`, or NULL
    const double *young_factors;             ///< one per element, factor on Young's modulus, in [1e-9, 1e9], or NULL
    const double *density_factors;           ///< one per element, factor on density, in [1e-9, 1e9], or NULL
    const double *damping_factors;           ///< one per element, factor on the damping time, in [0, 1e9], or NULL
    const double *start_positions; ///< 3 per mesh node: start shape in mesh coordinates, before `rotate` and `at`,
                                   ///< within 1e9; may be flat, scrambled or inverted; NULL: the rest shape
    double thickness; ///< of shells and planar bodies [m], in [1e-6, 1e3]; 0 (default): 1 mm for shells, 1 m for planar
                      ///< bodies
    pl_membrane membrane;  ///< shells
    pl_bending bending;    ///< shells
    double bending_factor; ///< shells: factor on the bending stiffness given by material and thickness, in [0, 1e6];
                           ///< default 1
    double warp[3];        ///< shells: warp direction in mesh coordinates, within 1e9, not zero; default (1, 0, 0)
    pl_plane plane;        ///< planar bodies
    /// Shells on a known surface: its normal at each triangle, in mesh coordinates (3 numbers each, any length); a
    /// triangle that faces the other way counts as inverted and flips back; NULL: none.
    const double *normals;
    const double *fibers; ///< solids of a material with fibres: fibre direction in each element at rest (3 numbers
                          ///< each, any length; zero: none there); NULL: along the longest side of the mesh
    const double *goal_positions; ///< 3 per mesh node: target shape of plastic flow, in mesh coordinates; NULL: none
    double drag;                  ///< air drag: factor on the drag of a plate of the same area, in [0, 1e6]; default 0
    double pressure;  ///< inside a closed surface, relative to the outside [Pa], within 1e9; default 0; live
    int32_t gas;      ///< 1: `pressure` is that of an enclosed gas at rest volume (Boyle's law); default 0: constant
    int32_t collides; ///< 1: collides with other such bodies; default 1. Ignored if it is an object for others
    int32_t self_collision; ///< 1: collides with itself; default 1. Ignored for a body that is an object with contact
                            ///< by surface
    double collision_thickness; ///< distance kept between surfaces [m], in [1e-9, 1e3]; 0 (default): the thickness of a
                                ///< shell, but at least 2 % of its mean edge; for others 5 % of their mean edge
    double friction;            ///< with bodies, including itself: geometric mean of both, in [0, 1e6]; default 0.3
    int32_t cuttable; ///< 1: pl_world_cut can cut it; bodies of a material with fracture_stress can always be cut. An
                      ///< embedded `surface` is cut with its body if it is closed, faces outwards and is inside the
                      ///< mesh (refused otherwise). A breakable shell cannot have pressure or springs; default 0
    double toughness; ///< factor on the fracture stress of its materials, in [1e-6, 1e9]; default 1; live
    double volume;    ///< of a body of incompressible material: the volume that it keeps, over that at rest, in [0.01,
                      ///< 100]; default 1; live
    int32_t smallest_piece;  ///< minimum number of elements of a piece that breaks off, in [1, 1e6]; default 8
    int32_t most_torn;       ///< limit on nodes separated in one fracture check, in [0, 1e9]; 0 (default): none
    uint64_t fracture_seed;  ///< seed of the random strengths (fracture_spread of materials); default 0
    int32_t triangular_rest; ///< tetrahedra: 1: store rest shapes as triangular matrices (thesis 2.3), which needs less
                             ///< memory bandwidth; default 0
    uint32_t cookie;         ///< set by pl_body_def_default(); do not touch
} pl_body_def;

PL_API pl_body_def pl_body_def_default(void);
/// Add a body. Everything is copied. Fails with PL_ERR_ARGUMENT naming the field; the scene is unchanged.
PL_API PL_NODISCARD pl_status pl_scene_add_body(pl_scene *scene, const char *name, const pl_body_def *def,
                                                pl_body_id *id);

// ---- pins: nodes held or moved, hard or by springs ------------------------------------------------------------

/// A group of pinned nodes and their targets: start positions, moved and rotated, or positions from a point cache.
typedef struct pl_pin_def
{
    const int32_t *nodes; ///< mesh nodes; each in one group at most
    int32_t count;        ///< > 0
    double strength;      ///< in [0, 1]: 1 (default) hard, 0 free, in between a critically damped spring of frequency
                          ///< sqrt(strength / (1 - strength)) / soft, independent of mass
    double soft;          ///< response time of the spring at strength 1/2 [s], in [1e-4, 1e3]; default 0.05
    double move[3];       ///< translation of the targets from the start positions [m], within 1e9
    double rotate[3]; ///< rotation about `pivot`, before the translation, about x, then y, then z [degrees], within 1e6
    double pivot[3];  ///< in world coordinates [m], within 1e9
    int32_t pivot_at_center; ///< 1 (default): use the mean start position of the nodes instead of `pivot`
    const double *cache;     ///< [cache_count][count][3] world targets [m] instead of move and rotate, or NULL
    int32_t cache_count;
    double cache_start; ///< time of the first sample [s]; linear interpolation, constant before and after
    double cache_rate;  ///< samples per second, > 0; default 24
    uint32_t cookie;    ///< set by pl_pin_def_default(); do not touch
} pl_pin_def;

PL_API pl_pin_def pl_pin_def_default(void);
/// Add a pin group to a body of the scene. Everything is copied. `index` (may be NULL) is the K of the paths
/// bodies.NAME.pins.K. Fails with PL_ERR_ARGUMENT naming the field, or the node that is pinned already; the scene is
/// unchanged.
PL_API PL_NODISCARD pl_status pl_scene_add_pin(pl_scene *scene, pl_body_id body, const pl_pin_def *def, int32_t *index);

// ---- objects: rigid or scripted obstacles of bodies -----------------------------------------------------------

/// Shapes are defined in the object's own frame, y up, with `at` at the origin; then rotated by `rotate`.
typedef enum pl_object_kind
{
    PL_OBJECT_PLANE,        ///< the half-space below a plane through `at` with normal `normal`
    PL_OBJECT_SPHERE,       ///< a ball of `radius`
    PL_OBJECT_WEDGE,        ///< unbounded, with its edge along z: all points within angle/2 of straight down; above 180
                            ///< degrees a valley
    PL_OBJECT_BOX,          ///< `extent`, its edges rounded by `rounding`
    PL_OBJECT_ELLIPSOID,    ///< with full axis lengths `extent`
    PL_OBJECT_CAPSULE,      ///< along y: `radius`, and `height` from tip to tip
    PL_OBJECT_CYLINDER,     ///< along y: `radius`, `height`
    PL_OBJECT_CONE,         ///< along y: `radius` at the bottom, `top_radius` at the top, `height`
    PL_OBJECT_TORUS,        ///< around the y axis: `radius` to the middle of the tube, `tube` its radius
    PL_OBJECT_GEAR,         ///< around the z axis, with a tooth along +x: `teeth`, `module`, `thickness`, `bore`,
                            ///< `pressure_angle`
    PL_OBJECT_STAIRS,       ///< up along +x from the origin: `steps`, `rise`, `run`, and `width` along z, centred
    PL_OBJECT_HEIGHT_FIELD, ///< everything below `heights` over a rectangle of extent[0] by extent[2] around the origin
    PL_OBJECT_SURFACE,      ///< the inside of a closed `surface`
    PL_OBJECT_UNION,        ///< union of all `part`
    PL_OBJECT_DIFFERENCE,   ///< the first `part` minus all others
    PL_OBJECT_ACTOR,        ///< the triangles of a `surface`, closed or not, animated by `cache`: a character
    PL_OBJECT_BODY ///< the boundary of another body of the scene, `body`: one-way, that body does not feel the others
} pl_object_kind;

/// Contact of bodies with an object.
typedef enum pl_object_meeting
{
    PL_MEETING_DISTANCE, ///< by distance: nodes are stopped at its surface, in every substep
    PL_MEETING_SURFACE,  ///< by surface: its triangles collide with those of all bodies except planar ones, like bodies
                         ///< with each other: nothing intersects at the ends of collision intervals, however thin and
                         ///< fast; not for unbounded shapes
    PL_MEETING_AUTO      ///< default: actors by surface, unless there are planar bodies; everything else by distance
} pl_object_meeting;

/// Distance queries to a surface.
typedef enum pl_object_lookup
{
    PL_LOOKUP_AUTO,  ///< default: exact up to 2000 triangles, else from a grid
    PL_LOOKUP_EXACT, ///< distance to the closest triangle, computed for every query
    PL_LOOKUP_GRID   ///< interpolated on a precomputed grid: fast, but features smaller than a cell are lost
} pl_object_lookup;

typedef struct pl_object_def
{
    pl_object_kind kind;
    double at[3];       ///< [m], within 1e9
    double normal[3];   ///< plane: outward normal; within 1e9, any length but zero; default (0, 1, 0)
    double radius;      ///< [m], in [1e-9, 1e9]; default 0.5
    double velocity[3]; ///< [m/s], constant, within 1e9
    double rotate[3]; ///< rotation about x, then y, then z [degrees], within 1e6; also applies to the normal of a plane
    double spin[3]; ///< constant angular velocity about `at` [degrees/s], within 1e9; drags touching bodies by friction
    double friction;   ///< coefficient, in [0, 1e6]; default 0.3; live
    double extent[3];  ///< full lengths along x, y and z [m], in [1e-9, 1e9], like all lengths below; default (1, 1, 1)
    double height;     ///< along y; of a capsule at least 2 radius; default 1
    double top_radius; ///< cone; 0 (default): pointed
    double tube;       ///< torus, below `radius`; default 0.2
    double rounding;   ///< box: radius of its edges, from 0 to half the smallest extent; default 0
    double angle;      ///< wedge [degrees], in [1, 359]; default 90
    int32_t teeth;     ///< gear, in [3, 1000]; default 12
    double module;     ///< gear: pitch diameter over number of teeth; gears of the same module mesh where their pitch
                       ///< circles touch; default 0.1
    double thickness;  ///< gear, along z; default 0.2
    double bore;       ///< gear: radius of the hole, or 0; must leave a rim below the teeth; default 0
    double pressure_angle; ///< gear [degrees], in [10, 30]; default 20
    int32_t steps;         ///< stairs, in [1, 1000]; default 5
    double rise, run;      ///< stairs: height and depth of a step; default 0.15 and 0.3
    double width;          ///< stairs; default 1
    const double *heights; ///< height field: [rows][columns] [m], within 1e9; rows along z, columns along x, increasing
    int32_t rows, columns; ///< at least 2
    const pl_surface *surface; ///< copied; closed (except for an actor) and oriented; flipped when inside out
    pl_object_lookup lookup;   ///< for surfaces
    double cell;               ///< surface: cell size of the grid [m]; 0 (default): 1/64 of its longest side
    /// [part_count] Parts of a union or difference, in its frame, each with its own at and rotate (their other motion
    /// is ignored); copied; may have parts themselves, to a depth of 8.
    const struct pl_object_def *part;
    int32_t part_count; ///< > 0
    /// Actor: [cache_count][nodes of `surface`][3] vertex positions [m], within 1e9, before `rotate` and `at`; linear
    /// interpolation, constant before and after; copied; NULL: keeps its shape.
    const double *cache;
    int32_t cache_count; ///< > 0 with a cache
    double cache_start;  ///< time of the first sample [s], within 1e9
    double cache_rate;   ///< samples per second, above 0 to 1e9; default 24
    double depth; ///< actor, body: thickness of the inside behind an open surface [m], in [1e-9, 1e9]; 0 (default): its
                  ///< mean edge length
    const char *body;           ///< body: its name; it may be added later, and must be a solid or a shell; copied
    pl_object_meeting contact;  ///< default PL_MEETING_AUTO
    double collision_thickness; ///< contact by surface: distance kept to bodies [m], in [1e-9, 1e3]; 0 (default): that
                                ///< of the thinnest body
    uint32_t cookie;            ///< set by pl_object_def_default(); do not touch
} pl_object_def;

PL_API pl_object_def pl_object_def_default(void);
/// Add an object. Everything is copied. Fails with PL_ERR_ARGUMENT naming the field; the scene is unchanged.
PL_API PL_NODISCARD pl_status pl_scene_add_object(pl_scene *scene, const char *name, const pl_object_def *def,
                                                  pl_object_id *id);

/// Rotate `count` points about the origin, in place (3 numbers each), with the convention of `rotate` of bodies,
/// objects and pins: about x, then y, then z [degrees].
PL_API void pl_points_rotate(const double degrees[3], double *points, int32_t count);

/// Set the friction coefficient between a body and `other`, in [0, 1e6], instead of their own: an object, another body,
/// or the body itself, by names that are already in the scene. If an object and a body are both called `other`, it
/// applies to both. A later call replaces an earlier one. In a running world it is the parameter
/// bodies.BODY.friction_with.OTHER.
PL_API PL_NODISCARD pl_status pl_scene_set_friction(pl_scene *scene, const char *body, const char *other,
                                                    double friction);

// ---- keyframes: parameters over time ---------------------------------------------------------------------------

typedef enum pl_ease
{
    PL_EASE_LINEAR, ///< linear from key to key
    PL_EASE_SMOOTH, ///< zero slope at every key: 3 u^2 - 2 u^3 in between
    PL_EASE_STEP    ///< holds the last key
} pl_ease;

typedef struct pl_keys_def
{
    const double *times;  ///< [count] simulated seconds, strictly increasing
    const double *values; ///< [count][components]
    int32_t count;        ///< > 0
    int32_t components;   ///< numbers per key; default 1
    pl_ease ease;         ///< default linear
    uint32_t cookie;      ///< set by pl_keys_def_default(); do not touch
} pl_keys_def;

PL_API pl_keys_def pl_keys_def_default(void);

/// Evaluate the `components` values at a time: constant before the first and after the last key. Does nothing without
/// keys.
PL_API void pl_keys_evaluate(const pl_keys_def *keys, double time, double *values);

/// Animate a number or vector of the scene by keyframes instead of its constant value. Everything is copied; earlier
/// keys of the path are replaced. Paths, with their number of components; ranges are those of the definitions:
///     gravity (3); wind (3); materials.NAME.young, .poisson, .damping, .activation (1); bodies.NAME.strength,
///     .pressure, .toughness, .volume (1); bodies.NAME.pins.K.strength (1), .move (3), .rotate (3); objects.NAME.at
///     (3), .rotate (3), .spin (3), .friction (1); heat.NAME.at (3), .power (1)
/// Worlds evaluate them in every substep: poses (at, move, rotate) at its end, everything else at its start. Keys of
/// `at` replace an object's velocity, keys of `rotate` its spin; an object cannot have keys of both rotate and spin.
/// Fails with PL_ERR_ARGUMENT naming path, key and range; the scene is unchanged.
PL_API PL_NODISCARD pl_status pl_scene_set_keys(pl_scene *scene, const char *path, const pl_keys_def *keys);

// ---- scene files -------------------------------------------------------------------------------------------

/// Read a scene file (docs/scene-reference.md) with all files it refers to; its paths are relative to the scene file.
/// Fails with PL_ERR_FORMAT and a message `file:line:column: fault, what is allowed`, with PL_ERR_FILE when the file
/// cannot be read, or with PL_ERR_MEMORY; then `*scene` is NULL. Suspicious units cause warnings in the log.
PL_API PL_NODISCARD pl_status pl_scene_load(pl_context *ctx, const char *path, pl_scene **scene);
/// The same after changing values, each as "path=value": "materials.jelly.young=2e4", "bodies.torus.material=steel".
/// Messages about a change begin with `--set path=value`.
PL_API PL_NODISCARD pl_status pl_scene_load_changed(pl_context *ctx, const char *path, const char *const *changes,
                                                    int32_t change_count, pl_scene **scene);
/// The same from `size` bytes in memory; `name` is the file name in error messages, and paths are relative to its
/// directory.
PL_API PL_NODISCARD pl_status pl_scene_parse(pl_context *ctx, const char *name, const void *data, size_t size,
                                             pl_scene **scene);

/// Length of the animation of a scene.
typedef struct pl_shot
{
    int32_t frames;    ///< number of frames after the first
    double fps;        ///< frames per second of the movie
    double time_scale; ///< simulated seconds per second of the movie
} pl_shot;

/// The shot of the file; 120 frames at 24 per second for scenes built by functions.
PL_API pl_shot pl_scene_shot(const pl_scene *scene);

#ifdef __cplusplus
}
#endif
#endif

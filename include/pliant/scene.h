// include/pliant/scene.h -- the editable description of what will be simulated.
//
// Life cycle: make a scene, add materials, bodies and objects by name, compile it with pl_world_create(), step the
// world. A scene may be changed or destroyed afterwards; its worlds do not notice. Units are SI, angles degrees, y is
// up.
#ifndef PLIANT_SCENE_H
#define PLIANT_SCENE_H

#include <pliant/material.h>
#include <pliant/mesh.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pl_scene pl_scene;

/// Handles are small integers; 0 is never valid. Functions that return one take NULL where it is not wanted.
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

/// Make an empty scene: gravity (0, -9.81, 0), default solver.
PL_API PL_NODISCARD pl_status pl_scene_create(pl_context *ctx, pl_scene **scene);
PL_API void pl_scene_destroy(pl_scene **scene);

/// Gravity [m/s^2], within 1e9. Fails with PL_ERR_ARGUMENT if a component is not.
PL_API PL_NODISCARD pl_status pl_scene_set_gravity(pl_scene *scene, const double gravity[3]);

// ---- solver ------------------------------------------------------------------------------------------------

/// How time goes on (docs/integrators.md).
typedef enum pl_integrator
{
    PL_INTEGRATOR_SEMI_IMPLICIT, ///< default: elastic forces explicit, damping implicit: true motion, in steps as short
                                 ///< as stiffness wants them
    PL_INTEGRATOR_IMPLICIT_EULER ///< everything implicit: any step is stable, and damps what it does not resolve
                                 ///< (Mueller & Gross 2004)
} pl_integrator;

typedef enum pl_velocity_update
{
    PL_VELOCITY_MIDPOINT, ///< default: forces at x^(n+1/2) (thesis 3.1); exact friction
    PL_VELOCITY_TRAPEZOID ///< forces at x^n and x^(n+1) (thesis 2.9); one evaluation of forces per step instead of two;
                          ///< shells in any case
} pl_velocity_update;

/// How nodes meet objects.
typedef enum pl_object_contact
{
    PL_CONTACT_EXACT, ///< default: a node stops where it meets the surface and goes on along it; friction from the
                      ///< forces that the solve holds it against (thesis 3.2), and static friction that does not creep
    PL_CONTACT_PROJECTED ///< what the thesis compares with: put back along the normal, no friction from the solve
} pl_object_contact;

typedef struct pl_solver_def
{
    pl_integrator integrator;
    pl_velocity_update velocity_update; ///< of the semi-implicit step
    pl_object_contact object_contact;
    double substep; ///< longest time step [s], in [1e-9, 1e6], also where that is unstable and may explode; the frame
                    ///< is divided evenly; 0 (default): chosen from the stiffness of the current state, or, implicit
                    ///< Euler, 1/60 s
    double collision_interval; ///< longest time between two looks at bodies that meet each other or themselves [s], in
                               ///< [1e-6, 1e6]; default 1/60; what may touch is held apart in every substep, and
                               ///< nothing crosses at the ends of intervals, whatever they are
    double safety;      ///< fraction of the stability limit that an automatic step takes, in [1e-6, 1]; default 0.9
    double tolerance;   ///< of a solve, relative to what it begins with, in [1e-14, 0.1]; default 1e-4
    int32_t iterations; ///< most iterations of one solve, in [1, 100000]; default 200
    int32_t newton;     ///< implicit Euler: most iterations of Newton's method, in [0, 1000]; 0 (default): 1 where all
                        ///< bodies are solids of rotated_linear or linear (warped stiffness), else up to 20
    double newton_tolerance; ///< implicit Euler: it ends when what is missing to balance has fallen to this part, in
                             ///< [0, 1]; default 0.01
    double mass_damping;     ///< implicit Euler: all motion slows down at this rate [1/s], in [0, 1e6]; default 0
    int32_t sleep; ///< 1: bodies that have come to rest sleep, and cost next to nothing, until something touches or
                   ///< changes them; default 0
    double sleep_speed; ///< of every node of a body that counts as resting, at most [m/s], in [0, 1e6]; default 0.005
    double sleep_time;  ///< for how long it has to rest [s], in [0, 1e6]; default 0.5
    double fracture_interval; ///< time between two looks for what breaks [s], in [0, 1e6]; 0: after every substep;
                              ///< default 1/960; where bodies collide, at the ends of intervals of collision
    uint32_t cookie;          ///< set by pl_solver_def_default(); do not touch
} pl_solver_def;

PL_API pl_solver_def pl_solver_def_default(void);
/// Fails with PL_ERR_ARGUMENT if a field is out of range; the scene is unchanged.
PL_API PL_NODISCARD pl_status pl_scene_set_solver(pl_scene *scene, const pl_solver_def *def);

// ---- air ---------------------------------------------------------------------------------------------------

/// The air around bodies that have `drag` or hold gas.
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

/// A ball that warms what is in it, of materials that melt.
typedef struct pl_heat_def
{
    double at[3];    ///< [m], within 1e9
    double radius;   ///< [m], in [1e-9, 1e9]; default 0.1
    double power;    ///< how fast temperature rises in its middle [K/s], within 1e9, negative: it cools; (1 -
                     ///< r^2/radius^2)^2 of that elsewhere
    uint32_t cookie; ///< set by pl_heat_def_default(); do not touch
} pl_heat_def;

PL_API pl_heat_def pl_heat_def_default(void);
/// Add a source of heat under a name of its own. Fails with PL_ERR_ARGUMENT if a field is out of range; the scene is
/// unchanged.
PL_API PL_NODISCARD pl_status pl_scene_add_heat(pl_scene *scene, const char *name, const pl_heat_def *def);

// ---- materials ---------------------------------------------------------------------------------------------

/// Add a material under a name of its own (letters, digits, '_' and '-', at most 63). The definition is copied.
/// Fails with PL_ERR_ARGUMENT if a field is out of range or the name is taken; the scene is unchanged.
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

/// What holds the triangles of a shell together in their plane.
typedef enum pl_membrane
{
    PL_MEMBRANE_CONTINUUM, ///< default: the material's law of two stretches
    PL_MEMBRANE_WOVEN,     ///< warp and weft: other moduli along `warp` and across it (weave_* of the material)
    PL_MEMBRANE_SPRINGS    ///< springs along edges and across pairs of triangles: mass-spring cloth (thesis figure 3.4)
} pl_membrane;

/// How a shell resists bending (docs/shells.md).
typedef enum pl_bending
{
    PL_BENDING_CURVATURE, ///< default: curvature of each triangle from its three dihedral angles; does not depend on
                          ///< the mesh
    PL_BENDING_HINGES,    ///< each dihedral angle by itself (Bridson et al. 2003, Grinspun et al. 2003): depends on the
                          ///< mesh
    PL_BENDING_NONE
} pl_bending;

/// What a planar body is a slice of.
typedef enum pl_plane
{
    PL_PLANE_STRAIN, ///< default: of something long, which keeps its thickness
    PL_PLANE_STRESS  ///< of a thin plate, which is free to thin
} pl_plane;

typedef struct pl_body_def
{
    const pl_mesh *mesh;       ///< its rest shape; copied
    pl_body_kind kind;         ///< what the mesh stands for; default solid
    const pl_surface *surface; ///< a detailed surface in the same rest coordinates as `mesh`, carried by it and read
                               ///< back by pl_body_read_surface; copied; NULL: the boundary of the mesh
    pl_material_id material;   ///< of all its regions, unless:
    const pl_material_id *region_materials; ///< one per region of the mesh, or NULL
    double at[3];                           ///< where the mesh's origin is put [m], within 1e9
    double rotate[3];                       ///< turned about x, then y, then z [degrees], within 1e6
    double velocity[3];                     ///< [m/s], within 1e9
    double spin[3];                         ///< about its centre of mass [degrees/s], within 1e9
    double strength;                        ///< factor on all its forces, in [0, 1e6]; 0 is a puddle; default 1; live
    const int32_t *pins; ///< mesh nodes that are held where they are put, or NULL; pl_scene_add_pin() does more
    int32_t pin_count;
    const pl_material_id *element_materials; ///< one per element instead of `material` and `region_materials`, or NULL
    const double *young_factors;   ///< one per element, on its material's Young's modulus, in [1e-9, 1e9], or NULL
    const double *density_factors; ///< likewise on its density, in [1e-9, 1e9], or NULL
    const double *damping_factors; ///< likewise on its damping time, in [0, 1e9], or NULL
    const double
        *start_positions; ///< 3 per mesh node: the shape at the start in the mesh's coordinates, before `rotate` and
                          ///< `at`, within 1e9, and be it flat, scrambled or inverted; NULL: the rest shape
    double thickness; ///< of shells and planar bodies [m], in [1e-6, 1e3]; 0 (default): 1 mm for shells, 1 m for planar
                      ///< bodies
    pl_membrane membrane;  ///< shells
    pl_bending bending;    ///< shells
    double bending_factor; ///< shells: on the stiffness that the material and thickness give to bending, in [0, 1e6];
                           ///< default 1
    double warp[3]; ///< shells: the direction of the first threads, in the mesh's coordinates, within 1e9, not zero;
                    ///< default (1, 0, 0)
    pl_plane plane; ///< planar bodies
    const double *normals; ///< shells that are meant to lie on a known surface: its normal at each triangle, in the
                           ///< mesh's coordinates (3 numbers each, any length); a triangle that faces the other way
                           ///< counts as inverted and turns back; NULL: none
    const double *fibers;  ///< solids of a material with fibres: their direction in each element at rest (3 numbers
                           ///< each, any length; zero: none there); NULL: along the longest side of the mesh
    const double *goal_positions; ///< 3 per mesh node: the shape that plastic flow is steered to, in the mesh's
                                  ///< coordinates; NULL: none
    double drag;     ///< how air resists: factor on the drag of a plate of the same area, in [0, 1e6]; default 0
    double pressure; ///< inside a closed surface, above that outside [Pa], within 1e9; default 0; live
    int32_t gas;     ///< 1: the pressure is that of gas, at rest volume, which follows Boyle's law; default 0: constant
    int32_t collides;           ///< 1: with other bodies that do; default 1. One that is an object for others does not
    int32_t self_collision;     ///< 1: with itself; default 1. One that is an object met by surface does not
    double collision_thickness; ///< how near surfaces may come [m], in [1e-9, 1e3]; 0 (default): the thickness of a
                                ///< shell, but at least 2 % of its edges; of others 5 % of their edges
    double friction;            ///< with bodies, itself included: the geometric mean of both, in [0, 1e6]; default 0.3
    int32_t
        cuttable; ///< 1: pl_world_cut can cut it; so it can bodies whose materials have a fracture_stress, which break.
                  ///< A `surface` comes apart with its body if it is closed, faces outwards and is within the mesh
                  ///< (refused otherwise). A shell that comes apart is neither under pressure nor of springs; default 0
    double toughness;        ///< factor on the fracture stress of its materials, in [1e-6, 1e9]; default 1; live
    int32_t smallest_piece;  ///< elements of a piece that breaks off, at least, in [1, 1e6]; default 8
    int32_t most_torn;       ///< nodes that may come apart in one look for cracks, in [0, 1e9]; 0 (default): any number
    uint64_t fracture_seed;  ///< of the random strengths (fracture_spread of materials); default 0
    int32_t triangular_rest; ///< tetrahedra: 1: keep rest shapes as triangular matrices (thesis 2.3), which reads less
                             ///< memory; default 0
    uint32_t cookie;         ///< set by pl_body_def_default(); do not touch
} pl_body_def;

PL_API pl_body_def pl_body_def_default(void);
/// Add a body. Everything is copied. Fails with PL_ERR_ARGUMENT naming the field; the scene is unchanged.
PL_API PL_NODISCARD pl_status pl_scene_add_body(pl_scene *scene, const char *name, const pl_body_def *def,
                                                pl_body_id *id);

// ---- pins: nodes that are held, firmly or by springs, and taken along ----------------------------------------

/// A group of nodes and where each of them shall be: where it starts, moved and turned, or where a point cache says.
typedef struct pl_pin_def
{
    const int32_t *nodes; ///< mesh nodes; each in one group at most
    int32_t count;        ///< > 0
    double strength;  ///< in [0, 1]: 1 (default) held exactly, 0 free, between a critically damped spring of frequency
                      ///< sqrt(strength / (1 - strength)) / soft, whatever the mass
    double soft;      ///< response time of the spring at strength 1/2 [s], in [1e-4, 1e3]; default 0.05
    double move[3];   ///< targets are moved from where the nodes start [m], within 1e9
    double rotate[3]; ///< and before that turned about `pivot`, about x, then y, then z [degrees], within 1e6
    double pivot[3];  ///< in world coordinates [m], within 1e9
    int32_t pivot_at_center; ///< 1 (default): the mean of where the nodes start instead of `pivot`
    const double
        *cache; ///< [cache_count][count][3] targets in world coordinates [m] instead of move and rotate, or NULL
    int32_t cache_count;
    double cache_start; ///< time of the first sample [s]; linear in between, held at both ends
    double cache_rate;  ///< samples per second, > 0; default 24
    uint32_t cookie;    ///< set by pl_pin_def_default(); do not touch
} pl_pin_def;

PL_API pl_pin_def pl_pin_def_default(void);
/// Add a group of pins to a body of the scene. Everything is copied. `index` (may be NULL) is the K of the paths
/// bodies.NAME.pins.K. Fails with PL_ERR_ARGUMENT naming the field, or the node that is pinned already; the scene is
/// unchanged.
PL_API PL_NODISCARD pl_status pl_scene_add_pin(pl_scene *scene, pl_body_id body, const pl_pin_def *def, int32_t *index);

// ---- objects: things that bodies bump into and that do not bend ---------------------------------------------

/// Shapes are described in the object's own frame, y up, with `at` at their origin; then `rotate` turns them.
typedef enum pl_object_kind
{
    PL_OBJECT_PLANE,     ///< the half-space below a plane through `at` with normal `normal`
    PL_OBJECT_SPHERE,    ///< a ball of `radius`
    PL_OBJECT_WEDGE,     ///< endless, with its edge along z: all within angle/2 of straight down; above 180 degrees a
                         ///< valley
    PL_OBJECT_BOX,       ///< `extent`, its edges rounded by `rounding`
    PL_OBJECT_ELLIPSOID, ///< with the axes `extent`, from end to end
    PL_OBJECT_CAPSULE,   ///< along y: `radius`, and `height` from tip to tip
    PL_OBJECT_CYLINDER,  ///< along y: `radius`, `height`
    PL_OBJECT_CONE,      ///< along y: `radius` at the bottom, `top_radius` at the top, `height`
    PL_OBJECT_TORUS,     ///< around the y axis: `radius` to the middle of the tube, `tube` its radius
    PL_OBJECT_GEAR,      ///< around the z axis, with a tooth along +x: `teeth`, `module`, `thickness`, `bore`,
                         ///< `pressure_angle`
    PL_OBJECT_STAIRS, ///< up along +x from the origin: `steps`, `rise`, `run`, and `width` along z, half of it on each
                      ///< side
    PL_OBJECT_HEIGHT_FIELD, ///< all that is below `heights` over a rectangle of extent[0] by extent[2] around the
                            ///< origin
    PL_OBJECT_SURFACE,      ///< the inside of a closed `surface`
    PL_OBJECT_UNION,        ///< all that is in any `part`
    PL_OBJECT_DIFFERENCE,   ///< what is in the first `part` and in no other
    PL_OBJECT_ACTOR,        ///< the triangles of a `surface`, closed or not, that move by `cache`: a character
    PL_OBJECT_BODY ///< the boundary of another body of the scene, `body`, wherever that is: one way, it feels nothing
                   ///< of the others
} pl_object_kind;

/// How bodies feel an object.
typedef enum pl_object_meeting
{
    PL_MEETING_DISTANCE, ///< nodes that would end inside are stopped at its surface, in every substep
    PL_MEETING_SURFACE,  ///< its triangles collide with those of all bodies but planar ones, as bodies that collide do:
                         ///< nothing crosses them, thin and fast as they may be, at the ends of intervals of collision;
                         ///< not of what is endless
    PL_MEETING_AUTO ///< default: actors by their surface, unless there are planar bodies; everything else by distance
} pl_object_meeting;

/// How the distance to a surface is found.
typedef enum pl_object_lookup
{
    PL_LOOKUP_AUTO,  ///< default: exactly up to 2000 triangles, from a grid beyond
    PL_LOOKUP_EXACT, ///< from the closest triangle, anew every time
    PL_LOOKUP_GRID   ///< interpolated on a grid that is made once: fast, but features smaller than a cell are lost
} pl_object_lookup;

typedef struct pl_object_def
{
    pl_object_kind kind;
    double at[3];       ///< [m], within 1e9
    double normal[3];   ///< plane: points out of the object; within 1e9, any length but zero; default (0, 1, 0)
    double radius;      ///< [m], in [1e-9, 1e9]; default 0.5
    double velocity[3]; ///< [m/s], constant, within 1e9
    double rotate[3];   ///< turned about x, then y, then z [degrees], within 1e6; a plane's normal turns with it
    double
        spin[3]; ///< constant angular velocity about `at` [degrees/s], within 1e9; friction drags along what touches it
    double friction;  ///< coefficient, in [0, 1e6]; default 0.3; live
    double extent[3]; ///< whole lengths along x, y and z [m], in [1e-9, 1e9], like all lengths below; default (1, 1, 1)
    double height;    ///< along y; of a capsule at least 2 radius; default 1
    double top_radius; ///< cone, or 0 for a point; default 0
    double tube;       ///< torus, below `radius`; default 0.2
    double rounding;   ///< box: radius of its edges, from 0 to half the smallest extent; default 0
    double angle;      ///< wedge [degrees], in [1, 359]; default 90
    int32_t teeth;     ///< gear, in [3, 1000]; default 12
    double module;     ///< gear: pitch diameter over teeth; wheels of one module mesh where their pitch circles touch;
                       ///< default 0.1
    double thickness;  ///< gear, along z; default 0.2
    double bore;       ///< gear: radius of the hole, or 0; it must leave a rim below the teeth; default 0
    double pressure_angle; ///< gear [degrees], in [10, 30]; default 20
    int32_t steps;         ///< stairs, in [1, 1000]; default 5
    double rise, run;      ///< stairs: height and depth of a step; default 0.15 and 0.3
    double width;          ///< stairs; default 1
    const double
        *heights; ///< height field: [rows][columns] [m], within 1e9; rows go along z, columns along x, from the least
    int32_t rows, columns;     ///< at least 2
    const pl_surface *surface; ///< copied; must be closed (but of an actor), and neighbours must face the same way;
                               ///< turned when inside out
    pl_object_lookup lookup;   ///< surface
    double cell;               ///< surface: of the grid [m]; 0 (default): 1/64 of its longest side
    const struct pl_object_def *part; ///< [part_count] of a union or difference, in its frame, each with its own at and
                                      ///< rotate (what else of their motion is given does not matter); copied; they may
                                      ///< have parts in turn, to a depth of 8
    int32_t part_count;               ///< > 0
    const double *
        cache; ///< actor: [cache_count][nodes of `surface`][3] where its vertices are [m], within 1e9, before `rotate`
               ///< and `at`; straight from sample to sample, at rest before and after; copied; NULL: it keeps its shape
    int32_t cache_count; ///< > 0 with a cache
    double cache_start;  ///< time of its first sample [s], within 1e9
    double cache_rate;   ///< samples per second, above 0 to 1e9; default 24
    double depth; ///< actor, body: behind a surface that is open, so much is inside [m], in [1e-9, 1e9]; 0 (default):
                  ///< as much as its edges are long
    const char *body;           ///< body: its name; it may be added later, and must be solid or a shell; copied
    pl_object_meeting contact;  ///< default PL_MEETING_AUTO
    double collision_thickness; ///< met by surface: how near bodies may come, as with bodies [m], in [1e-9, 1e3]; 0
                                ///< (default): as near as to the thinnest body
    uint32_t cookie;            ///< set by pl_object_def_default(); do not touch
} pl_object_def;

PL_API pl_object_def pl_object_def_default(void);
/// Add an object. Everything is copied. Fails with PL_ERR_ARGUMENT naming the field; the scene is unchanged.
PL_API PL_NODISCARD pl_status pl_scene_add_object(pl_scene *scene, const char *name, const pl_object_def *def,
                                                  pl_object_id *id);

/// Turn `count` points about the origin, in place (3 numbers each), as `rotate` of bodies, objects and pins does: about
/// x, then y, then z [degrees].
PL_API void pl_points_rotate(const double degrees[3], double *points, int32_t count);

/// The coefficient of friction between a body and `other`, in [0, 1e6], instead of what both have by themselves: an
/// object, another body, or the body itself, all by name and in the scene already. Where an object and a body are both
/// called `other` it is for both. The last call counts. While a world runs it is the parameter
/// bodies.BODY.friction_with.OTHER.
PL_API PL_NODISCARD pl_status pl_scene_set_friction(pl_scene *scene, const char *body, const char *other,
                                                    double friction);

// ---- keys: numbers that follow time --------------------------------------------------------------------------

typedef enum pl_ease
{
    PL_EASE_LINEAR, ///< straight from key to key
    PL_EASE_SMOOTH, ///< at rest at every key: 3 u^2 - 2 u^3 in between
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

/// The `components` values at a time: constant before the first and after the last key. Nothing happens without keys.
PL_API void pl_keys_evaluate(const pl_keys_def *keys, double time, double *values);

/// Let a number or vector of the scene follow time, in place of its constant. Everything is copied; earlier keys of the
/// path are replaced. The paths, with their components and the ranges of the definitions:
///     gravity (3); wind (3); materials.NAME.young, .poisson, .damping, .activation (1); bodies.NAME.strength,
///     .pressure, .toughness (1); bodies.NAME.pins.K.strength (1), .move (3), .rotate (3); objects.NAME.at (3), .rotate
///     (3), .spin (3), .friction (1); heat.NAME.at (3), .power (1)
/// Worlds evaluate them at every substep: places (at, move, rotate) at its end, everything else at its start. Keys of
/// `at` replace an object's velocity, keys of `rotate` its spin; there are none of both rotate and spin of one object.
/// Fails with PL_ERR_ARGUMENT naming path, key and range; the scene is unchanged.
PL_API PL_NODISCARD pl_status pl_scene_set_keys(pl_scene *scene, const char *path, const pl_keys_def *keys);

// ---- scene files -------------------------------------------------------------------------------------------

/// Read a scene file (docs/scene-reference.md) with everything it names; paths in it are relative to the file.
/// Fails with PL_ERR_FORMAT and a sentence `file:line:column: what, what is allowed`, with PL_ERR_FILE when the file
/// cannot be read, or with PL_ERR_MEMORY; then `*scene` is NULL. Numbers that look like a mistake of units are warnings
/// in the log.
PL_API PL_NODISCARD pl_status pl_scene_load(pl_context *ctx, const char *path, pl_scene **scene);
/// The same with values changed first, each as "path=value": "materials.jelly.young=2e4",
/// "bodies.torus.material=steel". Sentences about a change begin with `--set path=value`.
PL_API PL_NODISCARD pl_status pl_scene_load_changed(pl_context *ctx, const char *path, const char *const *changes,
                                                    int32_t change_count, pl_scene **scene);
/// The same from `size` bytes in memory; `name` stands for the file in sentences, and paths are relative to its
/// directory.
PL_API PL_NODISCARD pl_status pl_scene_parse(pl_context *ctx, const char *name, const void *data, size_t size,
                                             pl_scene **scene);

/// How long a scene is meant to run.
typedef struct pl_shot
{
    int32_t frames;    ///< after the first
    double fps;        ///< frames per second of the movie
    double time_scale; ///< simulated seconds per second of the movie
} pl_shot;

/// What the file says; 120 frames at 24 per second for scenes that were built.
PL_API pl_shot pl_scene_shot(const pl_scene *scene);

#ifdef __cplusplus
}
#endif
#endif

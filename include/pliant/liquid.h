// include/pliant/liquid.h -- liquids of a scene: the box that they may fill, where they are at the start, and where
// they come in or leave.
//
// Life cycle: a scene has one domain (pl_scene_set_domain), a box of cubic cells, and any number of liquids in it
// (pl_scene_add_liquid). Those with the same density, viscosity, elasticity, yield, flow, hardening and response to
// heat, and no keys of them, are one liquid that starts in several places or comes in there, and so are those that are
// `of` another; all others are liquids of their own, at most 16, which neither mix nor leave gaps. Where two of them
// are in one place at the start, the later one is there. Domain, liquids, bodies and objects may come in any order;
// pl_world_create() checks how they fit together.
#ifndef PLIANT_LIQUID_H
#define PLIANT_LIQUID_H

#include <pliant/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pl_liquid_id
{
    int32_t index;
} pl_liquid_id;

// ---- domain ------------------------------------------------------------------------------------------------

/// Sides of the domain; side s is bit 1 << s of a mask.
typedef enum pl_side
{
    PL_SIDE_LOWER_X,
    PL_SIDE_UPPER_X,
    PL_SIDE_LOWER_Y,
    PL_SIDE_UPPER_Y,
    PL_SIDE_LOWER_Z,
    PL_SIDE_UPPER_Z
} pl_side;

/// The box that liquids may fill, and its cells.
typedef struct pl_domain_def
{
    double lower[3], upper[3]; ///< corners [m], within 1e9; along each axis at least one cell apart. The box is rounded
                               ///< to whole cells: `upper` becomes `lower` + n `size`
    double size; ///< edge of a cell [m], in [1e-9, 1e9]; must be given. Half the size is 8 times the cells and about 16
                 ///< times the work. At most 1e6 cells along an axis, and an estimate of 128 GB for a full box
    double depth;  ///< cells are cubes so deep below the surface, and tall ones farther down [m], in [1e-9, 1e9]; 0
                   ///< (default): cubes everywhere
    uint32_t open; ///< mask of sides that liquid may leave through; the others are walls; default 0: all are walls
    uint32_t grow; ///< mask of sides that move away when liquid comes near them, so that none ever gets there; none of
                   ///< them is open; default 0: none
    double most_cells;  ///< of the box, with sides that grow, in [1, 1e12]: then they stay, as walls; default 1e9
    int32_t held;       ///< 1: water beyond the open sides along x and z is held at a level; default 0: there is air
    double level;       ///< with `held`: height of that water [m], within 1e9, above the bottom of the domain
    double velocity[3]; ///< with `held`: of that water [m/s], within 1e9; default 0
    double sponge; ///< with `held`: how far from these sides waves die out [m], in [1e-9, 1e9]; 0 (default): 3 times
                   ///< the depth there, and at most a quarter of the domain
    double cfl;    ///< cells that the fastest liquid may cross in a step, above 0, at most 8; default 1
    double confinement; ///< strength of vorticity confinement, in [0, 1]; default 0: none
    double tolerance;   ///< relative change of volume that a step may leave in a cell, in [1e-12, 0.1]; default 1e-4
    int32_t particles;  ///< markers per cell near the surface, in [0, 128]; 0 (default): 32, or 16 if the box is one
                        ///< cell thick along x or z
    int32_t seed;       ///< of the places of markers, in [0, 1e9]; default 0
    uint32_t cookie;    ///< set by pl_domain_def_default(); do not touch
} pl_domain_def;

PL_API pl_domain_def pl_domain_def_default(void);
/// Set the domain of a scene; a later call replaces it. Fails with PL_ERR_ARGUMENT naming the field, and, if there
/// would be too many cells, the size that would fit; the scene is unchanged.
PL_API PL_NODISCARD pl_status pl_scene_set_domain(pl_scene *scene, const pl_domain_def *def);

// ---- liquids -----------------------------------------------------------------------------------------------

/// What happens to the volume that a simulation loses or gains by its own errors.
typedef enum pl_liquid_volume
{
    PL_VOLUME_FREE, ///< default: what the surface loses or gains is given back near the place
    PL_VOLUME_HOLD  ///< also whatever else changes it, everywhere
} pl_liquid_volume;

/// What a viscous liquid does at walls and objects. Without viscosity all of them are slippery.
typedef enum pl_liquid_wall
{
    PL_WALL_NO_SLIP, ///< default: it sticks to them
    PL_WALL_SLIP     ///< it slides along them without friction
} pl_liquid_wall;

/// How the elastic strain of a liquid follows its rotation.
typedef enum pl_liquid_strain
{
    PL_STRAIN_ROTATED, ///< default: it turns with the liquid
    PL_STRAIN_LINEAR   ///< it does not, and what turns is distorted; for comparison
} pl_liquid_strain;

/// What viscosity acts on.
typedef enum pl_liquid_shear
{
    PL_SHEAR_COUPLED, ///< default: the whole strain rate, so that rigid motion is free
    PL_SHEAR_SEPARATE ///< each component of velocity alone, which holds back what turns; for comparison
} pl_liquid_shear;

/// What a liquid does.
typedef enum pl_liquid_kind
{
    PL_LIQUID_START,  ///< default: it is there at the start
    PL_LIQUID_SOURCE, ///< its shape is kept full of liquid that has its velocity; in liquid, without a rate, a pump
    PL_LIQUID_DRAIN,  ///< its shape is kept empty; what gets into it is gone
    PL_LIQUID_BODY    ///< a body of the scene becomes it at `start`, or when it has melted
} pl_liquid_kind;

/// A liquid, and where it is at the start, comes in or leaves. Nothing of it is outside the domain or inside an object.
typedef struct pl_liquid_def
{
    const pl_object_def *shape; ///< its region, of any kind but actor and body; its own at, rotate, velocity and spin
                                ///< are 0; copied. NULL: everything below `level`
    double level;        ///< without a shape: height of its surface [m], within 1e9, above the bottom of the domain
    double at[3];        ///< origin of the shape [m], within 1e9
    double rotate[3];    ///< of the shape: rotation about x, then y, then z [degrees], within 1e6
    double velocity[3];  ///< [m/s], within 1e9
    double spin[3];      ///< with a shape, at the start: rotation about its origin [degrees/s], within 1e9; default 0
    pl_liquid_kind kind; ///< sources and drains have a shape
    double rate;         ///< of a source or drain: what it brings or takes [m^3/s], in [1e-18, 1e18]; 0 (default): as
                         ///< much as there is room for, or as there is
    double start;      ///< of a source or drain: when it begins [s], in [0, 1e9]; default 0. Of a body: when it becomes
                       ///< liquid, as soon as its center is in the domain; with `melted` and 0: not by time
    double end;        ///< when it ends [s], in [1e-9, 1e9]; 0 (default): never
    double valve;      ///< of a source or drain: how far it is open, in [0, 1]; scales rate and velocity, 0: it is
                       ///< shut; default 1; a live parameter, liquids.NAME.valve
    double melted;     ///< of a body: it becomes liquid when this part of its volume is as warm as its material
                       ///< melts, in [0, 1]; 0 (default): not by heat
    const char *body;  ///< of PL_LIQUID_BODY: its name, of a solid; it may be added later; copied. It has no shape
    int32_t of;        ///< index of the pl_liquid_id of which this is more: its numbers hold, up to `hardening`; 0
                       ///< (default): it has its own
    double density;    ///< [kg/m^3], in [1e-9, 1e9]; default 1000; at most 10,000 times that of another liquid
    double viscosity;  ///< [Pa s], in [0, 1e9]; default 0
    double elasticity; ///< stress per elastic strain, twice the shear modulus [Pa], in [0, 1e12]; default 0: none
    double yield;      ///< elastic strain, as |deviator|, that it bears without flowing, in [0, 1e9]; default 0
    double flow;       ///< rate at which strain beyond `yield` is forgotten [1/s], in [0, 1e9]; default 0: never
    double hardening;  ///< gain of `yield` per plastic strain, above -1, at most 1e9; default 0
    double
        temperature; ///< above the surroundings [K], in [0, 1e9]: at the start, or of what a source brings; default 0
    double melting;  ///< temperature at which it is molten [K], in [0, 1e9]; 0 (default): it has no temperature. In
                     ///< between, viscosity and elasticity are those of the cold liquid times m^(T / melting)
    double melt_viscosity;  ///< factor m of viscosity where it is molten, in [1e-9, 1]; default 0.01
    double melt_elasticity; ///< likewise of elasticity; default 0.01
    double diffusivity;     ///< of temperature [m^2/s], in [0, 1e9]; default 0
    double cooling;         ///< time in which its temperature falls to 1/e [s], in [0, 1e9]; 0 (default): it stays warm
    pl_liquid_strain strain; ///< of elastic liquids; the same for all liquids of a scene, as what follows
    pl_liquid_shear shear;   ///< of viscous liquids
    double tension;          ///< of the surface of a scene with one liquid [N/m], in [0, 1e9]; default 0
    double foam;      ///< amount of bubbles and foam, which have no volume, in [0, 100]; default 0: none; the same for
                      ///< all liquids of a scene
    double foam_life; ///< how long foam lasts, about [s], in [1e-9, 1e9]; default 4; the same for all
    pl_liquid_wall wall;     ///< the same for all liquids of a scene
    pl_liquid_volume volume; ///< the same for all liquids of a scene
    uint32_t cookie;         ///< set by pl_liquid_def_default(); do not touch
} pl_liquid_def;

PL_API pl_liquid_def pl_liquid_def_default(void);
/// Add a liquid with a unique name. Everything is copied. Fails with PL_ERR_ARGUMENT naming the field; the scene is
/// unchanged. Whether it is in the domain is checked by pl_world_create().
PL_API PL_NODISCARD pl_status pl_scene_add_liquid(pl_scene *scene, const char *name, const pl_liquid_def *def,
                                                  pl_liquid_id *id);

// ---- liquids that become bodies ----------------------------------------------------------------------------

/// A body of the scene that is not there until the liquid of name `liquid`, which must be the only one, becomes it: all
/// of it but its drops, with a mesh of tetrahedra around its surface, at rest in its shape at that moment and with its
/// velocity. The mesh of the body's own definition is not used, nor are pins; `edge` is that of the elements to come
/// [m], in [1e-9, 1e9]. It happens at `start` [s], in [0, 1e9], as soon as there is liquid, or by
/// pl_world_set_liquid(). Fails with PL_ERR_ARGUMENT; the scene is unchanged. Whether the body and the liquid exist is
/// checked by pl_world_create().
PL_API PL_NODISCARD pl_status pl_scene_add_setting(pl_scene *scene, const char *body, const char *liquid, double start,
                                                   double edge);

// ---- vortices ----------------------------------------------------------------------------------------------

/// A ball in which vortex particles are born, as behind a propeller. They go with the liquid, stretch, and turn the
/// liquid around them, in cubic cells only; `vortex_power` of pl_step_info tells what that gives to it.
typedef struct pl_vortices_def
{
    double at[3];      ///< its middle [m], within 1e9: in the world, or in the frame of an object
    double radius;     ///< [m], in [1e-9, 1e9]; default 0.1
    double rate;       ///< particles per second [1/s], in [0, 1e6]; default 100; at most 100000 are there at a time
    double vorticity;  ///< of each, in a random direction [1/s], in [0, 1e6]; default 10
    double strength;   ///< how fast the liquid follows [1/s], in [0, 1e6]; default 5
    double life;       ///< of a particle, which fades [s], in [1e-9, 1e9]; default 3
    double power;      ///< most that they give to the liquid [W], in [1e-12, 1e12]; 0 (default): as much as their swirl
                       ///< has, every 1 / strength
    double start, end; ///< when the first and the last are born [s], in [0, 1e9]; end 0 (default): never
    uint32_t cookie;   ///< set by pl_vortices_def_default(); do not touch
} pl_vortices_def;

PL_API pl_vortices_def pl_vortices_def_default(void);
/// Add vortices with a unique name, fixed to the object of name `on`, or to the world if that is NULL. Fails with
/// PL_ERR_ARGUMENT naming the field; the scene is unchanged. Whether there is such an object, and a liquid, is checked
/// by pl_world_create().
PL_API PL_NODISCARD pl_status pl_scene_add_vortices(pl_scene *scene, const char *name, const char *on,
                                                    const pl_vortices_def *def);

#ifdef __cplusplus
}
#endif
#endif

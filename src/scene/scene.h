// src/scene/scene.h -- the scene description inside the library.
//
// Bodies of a scene and bodies added to a running world pass the same checks and the same copies; so do names.
#ifndef PL_SCENE_SCENE_H
#define PL_SCENE_SCENE_H

#include "base/context.h"
#include "mesh/mesh.h"
#include <pliant/liquid.h>
#include <pliant/scene.h>

enum
{
    PL_NAME_BYTES = 64,
    PL_PATH_BYTES = 128 // for bodies.NAME.pins.K.strength
};

typedef struct pl__scene_material
{
    char name[PL_NAME_BYTES];
    pl_material_def def;
} pl__scene_material;

typedef struct pl__scene_object
{
    char name[PL_NAME_BYTES];
    pl_object_def def; // owns its pointers; normal is a unit vector
} pl__scene_object;

// Owns the pointers of its definition.
typedef struct pl__scene_body
{
    char name[PL_NAME_BYTES];
    pl_body_def def;
    pl_pin_def *pin; // [pin_count] each owns its pointers
    size_t pin_count, pin_capacity;
} pl__scene_body;

// Friction of an individual pair: a body with an object, a body, or both (of the same name).
typedef struct pl__pair_friction
{
    int32_t body;          // in a world, the slot
    int32_t object, other; // -1: none
    double friction;
} pl__pair_friction;

typedef struct pl__scene_heat
{
    char name[PL_NAME_BYTES];
    pl_heat_def def;
} pl__scene_heat;

// The domain of liquids, rounded to whole cells.
typedef struct pl__scene_domain
{
    bool given;
    pl_domain_def def; // upper = lower + cells size
    int32_t cells[3];
} pl__scene_domain;

typedef struct pl__scene_liquid
{
    char name[PL_NAME_BYTES];
    pl_liquid_def def; // owns its shape
} pl__scene_liquid;

typedef struct pl__scene_vortices
{
    char name[PL_NAME_BYTES];
    char on[PL_NAME_BYTES]; // an object; "": none
    pl_vortices_def def;
} pl__scene_vortices;

// A body that a liquid becomes.
typedef struct pl__scene_setting
{
    char body[PL_NAME_BYTES], liquid[PL_NAME_BYTES];
    double start, edge;
} pl__scene_setting;

// Targets of keyframes.
typedef enum pl__keyed
{
    PL__KEYED_GRAVITY,
    PL__KEYED_WIND,
    PL__KEYED_MATERIAL, // the row of its table is the `field` of the track
    PL__KEYED_STRENGTH, // first of bodies, up to PIN_ROTATE
    PL__KEYED_PRESSURE,
    PL__KEYED_TOUGHNESS,
    PL__KEYED_VOLUME,
    PL__KEYED_PIN_STRENGTH,
    PL__KEYED_PIN_MOVE,
    PL__KEYED_PIN_ROTATE,
    PL__KEYED_AT,
    PL__KEYED_ROTATE,
    PL__KEYED_SPIN,
    PL__KEYED_FRICTION,
    PL__KEYED_HEAT_AT,
    PL__KEYED_HEAT_POWER,
    PL__KEYED_LIQUID // the row of its table is the `field` of the track
} pl__keyed;

// The keyframes of one path.
typedef struct pl__track
{
    char path[PL_PATH_BYTES];
    pl__keyed what;
    int32_t index;    // of the material, body, object or heat source
    int32_t pin;      // of the body's groups
    int32_t field;    // of pl__material_fields
    pl_keys_def keys; // owns its pointers
} pl__track;

struct pl_scene
{
    pl_context *ctx;
    double gravity[3];
    pl_solver_def solver;
    pl_air_def air;
    pl_shot shot;
    pl__scene_material *material;
    size_t material_count, material_capacity;
    pl__scene_body *body;
    size_t body_count, body_capacity;
    pl__scene_object *object;
    size_t object_count, object_capacity;
    pl__pair_friction *rub;
    size_t rub_count, rub_capacity;
    pl__scene_heat *heat;
    size_t heat_count, heat_capacity;
    pl__scene_domain domain;
    pl__scene_liquid *liquid;
    size_t liquid_count, liquid_capacity;
    pl__scene_vortices *vortices;
    size_t vortices_count, vortices_capacity;
    pl__scene_setting *setting;
    size_t setting_count, setting_capacity;
    pl__track *track;
    size_t track_count, track_capacity;
};

// Index of a pair, with two bodies in either order; rub_count if there is none.
size_t pl__scene_find_rub(const pl_scene *scene, const pl__pair_friction *pair);
// Resolve the names of a pair. Fails if `other` does not exist.
pl_status pl__scene_pair(const pl_scene *scene, const char *body, const char *other, pl__pair_friction *pair);

pl_status pl__name_check(pl_context *ctx, const char *what, const char *name);
// ---- liquids (domain.c) ----

void pl__scene_liquids_release(pl_scene *scene);
enum
{
    PL__MOST_KINDS = 16
};
static const double pl__most_density_ratio = 1e4; // of two liquids
// Which liquid, of all kinds that differ, each entry is: kind [liquids of the scene], -1 for drains; `first` [kinds] is
// the first entry of each. Returns how many there are; no more than PL__MOST_KINDS are told apart.
int32_t pl__liquid_kinds(const pl_scene *scene, int32_t *kind, int32_t first[PL__MOST_KINDS]);
// A number of an entry at the start, largest and smallest value of its keys.
void pl__liquid_range(const pl_scene *scene, size_t index, const char *field, double *least, double *most);
// Check that liquids have a domain and are in it.
PL_NODISCARD pl_status pl__liquids_check(const pl_scene *scene);
// The region of a liquid with a shape, in world coordinates: a union of one part. Its distance is as of
// pl__shape_distance; domain and objects are not cut off.
struct pl__shape;
PL_NODISCARD pl_status pl__liquid_region(pl_context *ctx, const pl_liquid_def *def, struct pl__shape **region);
// Smallest extent of a liquid at the start [m]; INFINITY: that of the domain.
PL_NODISCARD pl_status pl__vortices_check(const pl_scene *scene, size_t index); // liquid and object are there
PL_NODISCARD pl_status pl__liquid_thickness(const pl_scene *scene, const pl_liquid_def *def, double *thickness);
// Estimate of the memory of a full domain [bytes].
double pl__domain_memory(const pl_domain_def *def);
// Continue a hash with what a state of the liquids belongs to; unchanged without liquids.
uint64_t pl__liquids_hash(uint64_t h, const pl_scene *scene);

// Materials, `stride` bytes apart.
typedef struct pl__material_list
{
    const pl_material_def *first;
    size_t count, stride;
} pl__material_list;

// Check a body definition, including its material indices.
pl_status pl__body_def_check(pl_context *ctx, const char *name, const pl_body_def *def,
                             const pl__material_list *materials);

// Whether a body can break or be cut.
bool pl__body_def_breaks(const pl_body_def *def, const pl__material_list *materials);

// Deep copy of a body with pin groups. On failure nothing is left behind; false when out of memory.
bool pl__scene_body_copy(pl_context *ctx, const pl_body_def *def, const pl_pin_def *pin, size_t pin_count,
                         pl__scene_body *out);
void pl__scene_body_release(pl_context *ctx, pl__scene_body *body);
bool pl__pin_def_copy(pl_context *ctx, const pl_pin_def *def, pl_pin_def *out);

// Copy of an array, to be released by pl__free; NULL with the error message set when out of memory.
void *pl__copy_array(pl_context *ctx, const void *source, size_t size);
bool pl__finite3(const double v[3]);
bool pl__within3(const double v[3], double limit);

void pl__pin_def_release(pl_context *ctx, pl_pin_def *def);

bool pl__track_copy(pl_context *ctx, const pl__track *track, pl__track *out);
void pl__track_release(pl_context *ctx, pl__track *track);
// pl_keys_evaluate in the caller's floating-point environment.
void pl__keys_evaluate(const pl_keys_def *keys, double time, double *values);

#endif

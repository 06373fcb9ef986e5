// src/world/world.h -- the inside of a world.
#ifndef PL_WORLD_WORLD_H
#define PL_WORLD_WORLD_H

#include "contact/clash.h"
#include "embed/cut.h"
#include "embed/vertex_normals.h"
#include "scene/scene.h"
#include "solid/fracture.h"
#include "solid/grab.h"
#include "solid/pair_contact.h"
#include "solid/object_contact.h"
#include "solid/solids.h"
#include <pliant/world.h>

// What a body is asked about but does not need in motion (world/surface.c).
typedef struct pl__body_shape
{
    pl_element_kind kind;
    int32_t *element; // [corners * element_count]  nodes and elements in the mesh's order
    int32_t carrier_count;
    int32_t *carrier;        // [4 carrier_count]  tetrahedra that carry its surface (embed/carrier.h); NULL without
    double *rest;            // [3 node_count]  where the nodes were put, in the mesh's order
    pl__embed *embed;        // the surface that it carries; NULL: its boundary
    pl__cut_result torn;     // whose arrays that borrows, if the body can come apart; {0} otherwise
    pl__vertex_normals skin; // of either; triangles borrowed from `embed` or the body
    int32_t *source;         // [skin.triangle_count]  pl_body_surface_sources; NULL: the body cannot come apart
    double *normal;   // [3 skin.vertex_count]  of a carried surface at rest, where the nodes were put; NULL without
    double *point;    // [3 skin.vertex_count]  scratch of reading: where the surface vertices are
    double *turned;   // [3 skin.vertex_count]  and their normals, if `normal`
    double *rotation; // [9 carrier_count]  and how the carriers are turned (embed/turn.h)
} pl__body_shape;

// A carried surface that comes apart with its body: what is known of it whole (torn_surface.c).
typedef struct pl__torn_surface
{
    pl_context *ctx;
    pl__cut *cut;
    int32_t vertex_count; // whole
    int32_t face_count;   // between carriers
    int32_t *face;        // [face_count]  of the elements, the face that it is or is half of; -1 within an element
    uint8_t *open;        // [face_count]  scratch
    int32_t carrier_count;
    int32_t *corner; // [4 carrier_count]  of elements: where the nodes of carriers are
} pl__torn_surface;

// How a body meets others, and itself.
typedef struct pl__collision
{
    bool self, others;
    double thickness; // as given [m]; 0: by itself
    double shell;     // thickness of a shell [m], 0 of others
    double friction;
} pl__collision;

// A body has a slot for as long as the world lives; handles are slot + 1 and are not used again.
typedef struct pl__slot
{
    char name[PL_NAME_BYTES];
    pl__body *body;   // NULL once removed
    uint32_t version; // of its topology
    int32_t material; // its own, where elements have no others
    pl__collision collision;
    pl__body_shape shape;
    double edge;                    // mean length of the edges of its surface before it broke [m]; 0: not known yet
    bool breathes;                  // its pressure has keys
    pl__fracture *fracture;         // NULL: it does not come apart
    pl__torn_surface *torn_surface; // then: the surface that it carries; NULL without
    pl__scene_body *kept;           // then: its definition, whole
    uint64_t print;                 // and its fingerprint, whole (snapshot.c)
} pl__slot;

// What is known of an object's target.
typedef enum pl__aim
{
    PL__AIM_NONE,
    PL__AIM_NEW, // not yet on its way
    PL__AIM_TAKEN
} pl__aim;

// The step that is under way, or what max_substeps left of it.
typedef struct pl__pending
{
    double dt;            // of the whole step [s]
    double end;           // time at its end [s], so that frames of equal length end when they should
    double remaining;     // [s]; 0: none
    bool loaded;          // gravity or contact acted in it
    double interval;      // what is left of an interval of collision [s]; 0: none is under way
    double interval_dt;   // and how long it is
    double friction_work; // of the step so far [J]
    int64_t torn;         // nodes that came apart so far
} pl__pending;

// Two that touch: a body and an object, two bodies, or a body and itself.
typedef struct pl__contact_record
{
    int32_t slot;     // of the body; of two, the lower
    int32_t object;   // or -1: the other is a body
    int32_t other;    // its slot, or -1
    bool before, now; // touched in the last complete step; in this one, so far
    double point[3];  // where the strongest impulse acted [m]
    double normal[3]; // there, towards the body
    double impulse;   // along normals, in this step so far [N s]
    double strongest; // of them
} pl__contact_record;

// A source of heat.
typedef struct pl__heat_source
{
    char name[PL_NAME_BYTES];
    double at[3], radius, power;
} pl__heat_source;

// The deepest point of an object, found roughly (node_gaps.c).
typedef struct pl__middle
{
    double point[3]; // in its own frame
    double depth;    // [m]; 0: it has none, being endless or bending
    double across;   // the middle one of its three extents [m]
} pl__middle;

struct pl_world
{
    pl_context *ctx;
    double gravity[3];
    double wind[3];
    pl_air_def air; // its wind is `wind`
    pl_solver_def solver;
    double time;
    uint64_t step_count; // substeps since the beginning

    char (*material_name)[PL_NAME_BYTES]; // [material_count]
    pl_material_def *material;            // [material_count] as they are now
    size_t material_count;

    char (*object_name)[PL_NAME_BYTES]; // [object_count]
    pl__object *object;                 // [object_count]
    pl__shape **shape;                  // [object_count] of each
    double (*object_target)[3];         // [object_count] where to be at the end of the next step
    uint8_t *object_has_target;         // [object_count] pl__aim
    int32_t *object_slot;               // [object_count] of the body that it is, or -1
    pl__middle *middle;                 // [object_count]
    size_t object_count;

    pl__pair_friction *rub; // [rub_count] friction of pairs, in the order of the scene; bodies by their slots
    size_t rub_count;
    double *friction_table; // [solids.body_count object_count] of bodies with objects, for solid/object_contact.h; NULL
                            // without pairs
    size_t rough_length;

    pl__heat_source *heater; // [heater_count]
    size_t heater_count;
    double since_fracture_check; // for what breaks [s]

    pl__track *track; // [track_count] keys; index of a body is its slot
    size_t track_count;

    pl__slot *slot; // [slot_count]
    size_t slot_count, slot_capacity;
    pl__body **body; // [solids.body_count] the bodies that are there, in order of slots
    pl__solids solids;
    pl__clash *clash;             // of bodies that meet; NULL if none can
    pl__clash_report meeting;     // in the last step
    pl__contact_record *touching; // [touching_count] by slot, objects first, then others
    size_t touching_count, touching_capacity;
    size_t touched_last;      // in that list, where the next is looked for first
    pl__grab grab[PL__GRABS]; // hands that hold bodies
    int32_t grabs_made;       // so far: handles are not used again
    pl_step_info last;        // of the last step, for body reports
    pl__pending pending;
    bool warned_unstable, warned_slow, warned_tangled, warned_fast;
};

// The body of a handle, or NULL with the sentence set.
pl__body *pl__world_body(const pl_world *world, pl_body_id id);

// What a shape is made of.
typedef struct pl__shape_input
{
    const char *name;
    const pl_body_def *def; // its mesh is that of the body: torn, if it is
    const pl__body *body;   // new: it still has its start positions
    bool breaks;
    const pl__split *split;         // of a body that is torn; NULL: whole
    pl__torn_surface *torn_surface; // of a body that can come apart and carries a surface; NULL otherwise
} pl__shape_input;

// On failure nothing is left behind.
pl_status pl__body_shape_create(pl_context *ctx, const pl__shape_input *input, pl__body_shape *shape);
// Before its body is destroyed; harmless when clear.
void pl__body_shape_done(pl_context *ctx, const pl__body *body, pl__body_shape *shape);

// ---- carried surfaces that come apart (torn_surface.c)
// ---------------------------------------------------------------------

// The whole surface of a body that can come apart. Fails with PL_ERR_ARGUMENT, naming it, where it cannot be cut
// (embed/cut.h).
pl_status pl__torn_surface_create(pl_context *ctx, const char *name, const pl_body_def *def,
                                  pl__torn_surface **carried);
void pl__torn_surface_destroy(pl__torn_surface **carried);
// The surface of a body that is torn so; whole without `split`.
pl_status pl__torn_surface_tear(pl__torn_surface *carried, const pl__split *split, pl__cut_result *result);
// Nodes of the carriers (embed/embed.h), those of the elements being `element`. The array is the caller's, 4 carriers
// long.
pl_status pl__torn_surface_nodes(const pl__torn_surface *carried, const int32_t *element, int32_t **carrier);
// Normals of its vertices at rest, which are at `rest`; `skin` is that of the result.
pl_status pl__torn_surface_normals(const pl__torn_surface *carried, const pl__cut_result *result,
                                   const pl__vertex_normals *skin, const double *rest, double *normal);

// ---- bodies that come apart (fracture.c)
// ------------------------------------------------------------------------------

// What a body in its slot needs for that, if its definition says that it can; `pin` are its groups.
pl_status pl__world_fracture_prepare(pl_world *world, size_t slot, const pl_body_def *def, const pl_pin_def *pin,
                                     size_t pin_count);
void pl__world_fracture_release(pl_world *world, pl__slot *slot);
// After a substep of dt: looks for what breaks, when it is time.
pl_status pl__world_fracture_advance(pl_world *world, double dt);

// A body made anew for another topology, not yet in the world.
typedef struct pl__rebuilt_body
{
    size_t slot;
    pl__body *body;
    pl__body_shape shape;
    pl__fracture *fracture; // to take the place of the slot's; NULL: that stays
} pl__rebuilt_body;

// The body of a slot as its mesh is torn by `split`, at its start. On failure nothing is left behind.
pl_status pl__world_fracture_remake(pl_world *world, size_t slot, const pl__split *split, pl__rebuilt_body *out);
// Bodies that were made anew take the places of the old ones, which are destroyed; on failure nothing changes.
pl_status pl__world_fracture_adopt(pl_world *world, pl__rebuilt_body *remade, size_t count);
void pl__world_fracture_forget(pl_world *world, pl__rebuilt_body *remade, size_t count);

// ---- heat (heat_sources.c)
// -------------------------------------------------------------------------------------------------

pl_status pl__heat_sources_copy(pl_world *world, const pl_scene *scene);
// After a substep of dt: sources warm, bodies conduct and cool, and materials follow.
void pl__heat_sources_advance(pl_world *world, double dt);

// ---- making bodies (world.c) ---------------------------------------------------------------------------------------

pl_status pl__world_make_body(pl_world *world, const pl_body_def *def, bool breathes, pl__body **body);
pl_status pl__world_make_pins(pl_world *world, const pl_pin_def *pin, size_t count, pl__body *body);
// Compile the arrays anew for the bodies in the slots. On failure nothing changes.
pl_status pl__world_rebuild(pl_world *world);

// ---- bodies that meet (collision.c)
// -------------------------------------------------------------------------------------

// Mean length of the edges of a body's surface before it broke [m].
double pl__slot_edge(const pl__slot *slot);
// For the bodies in the slots, in their order; NULL if none of them can meet.
pl_status pl__collision_prepare(pl_world *world, pl__clash **clash);
// Nodes were moved by others: what crosses is to be looked for again.
void pl__collision_forget(pl_world *world);
// Before a substep: up to where it may go, the end of the interval under way, or of a new one [s].
PL_NODISCARD pl_status pl__collision_begin(pl_world *world, double *span);
// Within a substep, of step settings.
void pl__collision_filter_displacements(void *world, const pl__object_contact *touch, const double *x, double *v);
void pl__collision_filter_velocities(void *world, const pl__object_contact *touch, const double *x, double *v);
bool pl__collision_find_pairs(void *world, const double *x, double dt, const double *v, bool begin,
                              pl__pair_contacts *press);
void pl__collision_record_motion(void *world, const double *x, const double *x_end, double dt);
// Where everything that meets is now, objects behind the bodies, into x of world->clash.
void pl__collision_places(pl_world *world, double *x);
// Whether a body is inside out, by its figures: then it passes through itself.
bool pl__collision_is_inverted(const pl__body *body);
// A snapshot has been loaded.
void pl__collision_resume(pl_world *world);
// After a substep of dt: at the end of an interval, nothing crosses.
pl_status pl__collision_advance(pl_world *world, double dt);

// ---- what passes through what, by name (overlap.c) ------------------------------------------------------------------

// Where a world begins: counts what crosses, and warns of it, or of what is wholly inside another.
PL_NODISCARD pl_status pl__overlap_report(pl_world *world);
// When a step has found something.
void pl__overlap_warn(pl_world *world);

// ---- objects that bend, or are met by surface (actors.c) -----------------------------------------------------------

// Once all bodies of the scene are in their slots. On failure what was made is destroyed with the world.
pl_status pl__actors_create(pl_world *world);
void pl__actors_destroy(pl_world *world);
// All objects where they are now, after anything but a substep.
void pl__actors_place(pl_world *world);
// Where they will be at the end of a substep.
void pl__actors_aim(pl_world *world, double dt);
// Their triangles now, in their own frame.
pl_status pl__actor_read(const pl_world *world, size_t object, pl_surface **surface);

// Objects that are met by surface: how many, with their vertices and triangles; as parts, whose nodes follow those of
// the bodies; and where they are now.
int32_t pl__obstacles_count(const pl_world *world, size_t *nodes, size_t *triangles);
void pl__obstacles_list(const pl_world *world, int32_t first_node, double thickness, pl__surface_part *part,
                        int32_t *triangle, double *rest);
void pl__obstacles_write(pl_world *world, double *x);
// How they will go on from x, over the time ahead; and where they are within a substep, with their velocities in it.
void pl__obstacles_foresee(pl_world *world, double ahead, const double *x, double *v);
void pl__obstacles_read(const pl_world *world, bool at_end, double *x, double *v);
// Whether a body is one of them.
bool pl__obstacles_drive(const pl_world *world, size_t slot);
// Whether two parts collide, of which one at least is an object, and the friction between them.
bool pl__obstacles_rule(const pl_world *world, int32_t a, int32_t b, double *friction);

// ---- friction of pairs (friction.c) ---------------------------------------------------------------------------------

pl_status pl__friction_copy(pl_world *world, const pl_scene *scene);
// Room for the bodies that are there; NULL where no pair has its own friction.
pl_status pl__friction_reserve(const pl_world *world, int32_t body_count, double **rough, size_t *length);
// Once friction has changed, or who is there.
void pl__friction_spread(pl_world *world);
// Between two by their slots, objects behind those; `common` if the pair has no other.
double pl__friction_between(const pl_world *world, int32_t a, int32_t b, double common);
// Whether all that a pair is of is still there.
bool pl__pair_friction_is_alive(const pl_world *world, const pl__pair_friction *rub);
// The pair of a path bodies.NAME.friction_with.OTHER; rub_count if it is none.
size_t pl__friction_find(const pl_world *world, const char *path);

// ---- who touches whom (events.c) -----------------------------------------------------------------------------------

// Room for as many as can be expected to touch, so that steps need not find it.
pl_status pl__events_reserve(pl_world *world);
// How many there is room for in snapshots: all that can touch, or, of many bodies, some for each and those that do.
size_t pl__events_room(const pl_world *world);
// A new step begins. Of one that was dropped nothing has been told.
void pl__events_begin(pl_world *world, bool dropped);
// What a substep and a look at bodies that meet have found.
pl_status pl__events_note_objects(pl_world *world);
pl_status pl__events_note_watched(pl_world *world);
pl_status pl__events_note_meeting(pl_world *world);
// Nobody touches a body that has gone.
void pl__events_forget(pl_world *world, int32_t slot);

// ---- bodies that sleep (sleep.c) -----------------------------------------------------------------------------------

void pl__sleep_wake(pl_world *world, pl__body *body);
void pl__sleep_wake_all(pl_world *world);
bool pl__sleep_all(const pl_world *world);
// Whether an object is on its way, or may be.
bool pl__sleep_is_wary(const pl_world *world);
// At the end of a step of `dt`: who falls asleep.
void pl__sleep_update(pl_world *world, double dt);
// After a substep: objects that have moved wake whom they touch.
void pl__sleep_look_at_objects(pl_world *world);
// Before a substep: watched pairs that will soon be near wake whom they meet.
void pl__sleep_foresee(pl_world *world, double soon);
// After a look at bodies that meet, in its arrays: who was touched by somebody awake is awake; who was not has not
// moved.
void pl__sleep_settle_meeting(pl_world *world);
// What bodies feel besides contact: a change of it wakes all.
uint64_t pl__sleep_influences(const pl_world *world);

// ---- hands (grab.c) ------------------------------------------------------------------------------------------------

// Where they shall be at the end of a substep of length dt; and after it.
void pl__grabs_aim(pl_world *world, double dt);
void pl__grabs_arrive(pl_world *world);
// Let go of a body, or, with NULL, of all.
void pl__grabs_forget(pl_world *world, const pl__body *body);
// Of [PL__GRABS], those that hold a body hold another one in its place, copies of nodes included as far as there is
// room; `from` says of which node of the old mesh each one of the new mesh is a copy.
void pl__grabs_move(pl__grab *grab, const pl__body *body, const int32_t *from, pl__body *to);
// Take hold as `grab` says, whose place must be free; there must be room (pl__grabs_reserve).
void pl__grab_install(pl_world *world, int32_t place, const pl__grab *grab);

// ---- snapshots (snapshot.c) ----------------------------------------------------------------------------------------

// pl_world_load, also of a state that other keys and pins led to: they take over from here.
pl_status pl__world_load_branch(pl_world *world, const void *buffer, size_t size);
// What a body is made of.
uint64_t pl__body_print(const pl__body *body);

// ---- keys (keyframes.c) ---------------------------------------------------------------------------------------------

pl_status pl__keyframes_copy(pl_world *world, const pl_scene *scene);
// Keyed parameters take their values of world->time; keyed places too when the world begins.
void pl__keyframes_apply(pl_world *world);
void pl__keyframes_place(pl_world *world);
// The time that a substep of length dt reaches.
double pl__keyframes_time_after(const pl_world *world, double dt);
// Where scripted things shall be by then; `user` is the world.
void pl__keyframes_aim(void *user, double dt);
// The path of the keys that drive something, or NULL.
const char *pl__keyframes_driver(const pl_world *world, pl__keyed what, int32_t index);
// Whether a track's body is still there; true for those of other things.
bool pl__track_is_alive(const pl_world *world, const pl__track *track);

#endif

// src/solid/solids.h -- all elastic bodies of a world in one set of arrays.
//
// One array of nodes with a range per body, one array of element frames, one list of chunks to work on. Rebuilt when a
// body comes or goes; a step allocates nothing.
#ifndef PL_SOLID_SOLIDS_H
#define PL_SOLID_SOLIDS_H

#include "base/arena.h"
#include "body.h"
#include "contact/object.h"
#include "element/gather.h"
#include "sparse/block_matrix.h"
#include "sparse/cg.h"

enum
{
    PL__CONTACTS_PER_NODE = 3
};

typedef struct pl__chunk
{
    int32_t body, group;
    int32_t begin, end; // blocks of the group
    int32_t broken;     // first element of the group in it whose force was not finite, or -1
} pl__chunk;

// How a node that touches an object is treated in a solve (object_contact.h).
typedef enum pl__footing
{
    PL__LOOSE,  // not held before the step has found out; or held along its contact normals
    PL__SLIDES, // held along one normal, and rubbed
    PL__STICKS, // held altogether
    PL__PINNED  // by others: objects are nothing to it (implicit Euler)
} pl__footing;

typedef struct pl__node_contacts
{
    int32_t object[PL__CONTACTS_PER_NODE];
    double normal[PL__CONTACTS_PER_NODE][3];
    // of a node with a footing in the solve under way
    int32_t under;              // the object that it stands on
    bool sticks;                // at first
    bool half_way;              // the second solve finds its velocity in the middle of the step, which is extrapolated
    double support_normal[3];   // normal there
    double surface_velocity[3]; // velocity of the surface [m/s]
    double slip[3];             // unit: which way it slides
    double across[3];           // unit, and across that and `up`
    double drag;                // resistance of friction to motion across [kg]
    double friction_impulse;    // impulse that friction takes from it in the solve [N s]
    double impulse[3];          // what it has added to rhs
    bool stopped;               // while it slid
    bool turned;                // it was, and what held it then was more than friction has: it goes the other way
    // what objects did to a node that touches some, in this step (object_contact.h)
    double first[3];                       // in the first solve, where that counts [N s]
    double blow[3];                        // when it landed [N s]
    double pressed[PL__CONTACTS_PER_NODE]; // impulse along each normal, in all [N s]
    double friction_work;                  // energy that friction took [J]
} pl__node_contacts;

// What an evaluation has found.
typedef enum pl__evaluated
{
    PL__FORCES = 1,   // `force`, and the figures of all bodies but their energies
    PL__ENERGIES = 2, // figures.elastic
    PL__FRAMES = 4    // `frame`, of elements without damping too
} pl__evaluated;

// What an evaluation is to do, besides forces and figures.
typedef enum pl__evaluate
{
    PL__EVALUATE_ENERGIES = 1,
    PL__EVALUATE_PLASTIC_FLOW = 2, // plastic elements flow first, inside the same evaluation, if that is due
    PL__EVALUATE_STATE = 4,        // x is state.x: what is found belongs to the state
    PL__EVALUATE_PRESENT = PL__EVALUATE_PLASTIC_FLOW | PL__EVALUATE_STATE
} pl__evaluate;

// What changes and is saved, beside the states of the bodies.
typedef struct pl__solids_state
{
    double *x, *v;     // [3 node_count + padding] positions [m], velocities [m/s]
    bool plastic_due;  // plastic elements have not yet flowed at the end of the last step
    double plastic_dt; // how long that was [s], for those that creep
} pl__solids_state;

// The last evaluation of forces.
typedef struct pl__evaluation
{
    double *force;          // [3 node_count + padding] elastic forces at the nodes [N]
    double *frame;          // [frame_length] of every group, at its first_frame
    pl__element_sums *sums; // [chunk_count]
    uint8_t fresh;          // pl__evaluated: what of it belongs to state.x; 0 once x, v or what acts on bodies changed
    bool damped;            // some element of a body that is awake has damping
    bool keep_frames;       // also where nothing is damped: element matrices need them
    int64_t chunks;         // whose forces were asked for, since the beginning
} pl__evaluation;

// Contacts of nodes with objects (object_contact.h).
typedef struct pl__solids_contacts
{
    uint8_t *count;          // [node_count] objects that a node touches, in the last step
    uint8_t *footing;        // [node_count] pl__footing
    pl__node_contacts *node; // [node_count], NULL without objects
    int32_t object_count;
    int32_t *near_object; // [object_count] those that nodes may reach, while they stay within the box
    double near_lower[3], near_upper[3];
    int32_t near_count; // -1: not known
} pl__solids_contacts;

// Who is awake: of every chunk of nodes the part from the first to the last of a body that does not sleep, in whole
// blocks of sixteen, and chunks of elements of such bodies.
typedef struct pl__awake
{
    pl__some nodes, numbers, elements; // all, where nobody sleeps
    pl__part *node_part;               // [node chunks] of each, empty where all sleep
    pl__part *node_list, *number_list; // [node chunks] those that are not empty; the same by numbers
    pl__part *element_list;            // [chunk_count]
    uint8_t *was_asleep;               // [body_count] when these were listed
    bool everybody;                    // implicit Euler works on all nodes
} pl__awake;

// What a step needs and forgets: taken from the arena when it begins (pl__solids_begin_step), NULL between steps.
typedef struct pl__step_scratch
{
    pl__arena *arena;
    pl__arena_mark mark;
    double *x_end;    // positions at the end of the step
    double *x_middle; // where forces are evaluated a second time: half-way, or x_end again (semi_implicit.c)
    double *v_start;  // velocities at its start, after collision (v* of thesis 3.1)
    double *v_end;    // what a solve computes
    double *v_change; // what the first solve added to v, the second one's first guess
    double *rhs;      // of a solve
    double *pair_rhs; // with what pairs of surfaces add
    pl__cg_work cg;
    double *block;                   // [6 node_count] inverses of diagonal blocks; valid where a step says so
    double *pairless_block;          // [6 node_count] without what pairs add; NULL where there can be none
    pl__node_constraint *constraint; // [node_count]
    // implicit Euler only
    double *diagonal;        // of the matrix: M with soft pins and mass-proportional damping
    double *impulse;         // M (v + dt g), with soft pins
    double *v_from;          // velocities that an iteration begins with
    double *direction;       // and what it adds
    double *v_last;          // velocities before a solve with pairs
    double *volume_gradient; // of the volume inside each body that holds gas, by positions
} pl__step_scratch;

typedef struct pl__solids
{
    // what there is
    pl_context *ctx;
    int32_t body_count;
    pl__body **body; // [body_count] borrowed
    int32_t node_count;
    int32_t chunk_count;
    size_t frame_length;
    double *mass, *inverse_mass; // [3 node_count + padding] per component
    pl__gather gather;
    pl__chunk *chunk;         // [chunk_count] ordered by body, group, block
    pl__block_matrix *matrix; // of the solves, made when first needed; NULL before

    pl__solids_state state;
    // mass of nodes in a solve, heavier at soft pins and grabs, and the velocity that these add (pin.h, grab.h)
    double *inertia, *inverse_inertia, *push; // [3 node_count + padding]
    pl__evaluation evaluation;
    pl__solids_contacts contacts;
    pl__awake awake;
    pl__step_scratch step;
} pl__solids;

// Build the arrays for `bodies`, taking positions and velocities from `old` for bodies that it holds (by pointer), from
// the body's start otherwise. `out` is untouched on failure.
pl_status pl__solids_create(pl_context *ctx, pl__body **bodies, int32_t body_count, int32_t object_count,
                            const pl__solids *old, pl__solids *out);
void pl__solids_destroy(pl__solids *solids);

// Take the scratch of a step, which must not fail later, and release it; `pairs`: surfaces may press on each other in
// it.
PL_NODISCARD pl_status pl__solids_begin_step(pl__solids *solids, pl__arena *arena, bool pairs, bool euler);
void pl__solids_end_step(pl__solids *solids);

// Find out who is awake. Everything below, and a step, leaves nodes alone that are in no part of the list.
void pl__solids_list_awake(pl__solids *solids);

enum
{
    PL__NODES_PER_CHUNK = PL_VECTOR_CHUNK / 3
};

// Implicit Euler works on all nodes: from now on nobody is left out of the lists.
void pl__solids_wake_lists(pl__solids *solids);

// Whose node it is.
int32_t pl__solids_body_of(const pl__solids *solids, int32_t node);

// The first node from `node` on, and before `end`, in a part of the list; `end` if there is none.
static inline int32_t pl__solids_next_awake(const pl__solids *s, int32_t node, int32_t end)
{
    if (!s->awake.nodes.part)
        return node;
    for (; node < end; node = (node / PL__NODES_PER_CHUNK + 1) * PL__NODES_PER_CHUNK)
    {
        const pl__part *part = &s->awake.node_part[node / PL__NODES_PER_CHUNK];
        int32_t first = node > part->begin ? node : part->begin;
        if (first < part->end)
            return first < end ? first : end;
    }
    return end;
}

// Elastic forces and damping frames at positions x, and the figures of every body; `what` is of pl__evaluate. Bodies
// that sleep keep theirs.
void pl__solids_evaluate(pl__solids *solids, const double *x, uint8_t what);
// At the present x, unless all of `wanted` (pl__evaluated) is known there already. Who needs a number asks for it here:
// what happens to be known depends on who has looked, and must not decide anything.
void pl__solids_refresh(pl__solids *solids, uint8_t wanted);
// Let the directors of bends follow the moments of the last evaluation that was not in the middle of a step
// (element/director.h).
void pl__solids_relax_directors(pl__solids *solids);
// The first element whose force is not finite: its body and its index in that body's mesh. False if there is none.
bool pl__solids_find_broken(const pl__solids *solids, int32_t *body, int32_t *element);

// The inverses of the diagonal blocks of M + scale D with the frames of the last evaluation, into `block`. Uses z and q
// of the solver as scratch.
void pl__solids_build_blocks(pl__solids *solids, double scale);

// out = (inertia M + scale D) in with the frames of the last evaluation; returns in . out.
double pl__solids_apply_damping(pl__solids *solids, double inertia, double scale, const double *in, double *out);

// The matrix, without values.
PL_NODISCARD pl_status pl__solids_make_matrix(pl__solids *solids);
// matrix = diagonal + elastic K + damped D at x, where forces have been evaluated last (element/tangent.h), and
// inverses of its diagonal blocks into `block`. Bodies that sleep have what they had.
void pl__solids_assemble(pl__solids *solids, const double *x, double elastic, double damped, const double *diagonal);
// What gas and other pressure could do, by the volumes at x [J].
double pl__solids_pressure_energy(const pl__solids *solids, const double *x);
// squeeze = dV/dx of bodies that hold gas. False if there are none.
bool pl__solids_find_squeeze(pl__solids *solids, const double *x);

#endif

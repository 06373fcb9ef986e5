// src/solid/solids.h -- all elastic bodies of a world in one set of arrays.
//
// One array of nodes with a range per body, one array of element frames, one list of chunks of work. Rebuilt when a
// body is added or removed; a step allocates nothing.
#ifndef PL_SOLID_SOLIDS_H
#define PL_SOLID_SOLIDS_H

#include "base/arena.h"
#include "body.h"
#include "contact/object.h"
#include "contact_rows.h"
#include "element/gather.h"
#include "sparse/block_multigrid.h"
#include "sparse/cg.h"

enum
{
    PL__CONTACTS_PER_NODE = 3
};

typedef struct pl__chunk
{
    int32_t body, group;
    int32_t begin, end; // blocks of the group
    int32_t broken;     // first element of the group in this chunk whose force is not finite, or -1
} pl__chunk;

// Stick/slip state of a node on an object, in a solve (object_contact.h).
typedef enum pl__footing
{
    PL__LOOSE,  // free, not yet known, or (implicit Euler, corners) constrained along its contact normals
    PL__SLIDES, // constrained along one normal, with Coulomb friction along the surface
    PL__STICKS, // constrained in all directions, moves with the surface
    PL__PINNED  // pinned: ignores object contact (implicit Euler)
} pl__footing;

typedef struct pl__node_contacts
{
    int32_t object[PL__CONTACTS_PER_NODE];
    double normal[PL__CONTACTS_PER_NODE][3];
    // support in the current solve, valid where `footing` is PL__SLIDES or PL__STICKS
    int32_t under;              // object that supports the node
    bool sticks;                // it stuck at the start of the solve
    bool half_way;              // the second solve computes the velocity at mid-step, which is then extrapolated
                                // (thesis 3.1)
    double support_normal[3];   // contact normal
    double surface_velocity[3]; // surface velocity at the contact [m/s]
    double slip[3];             // unit sliding direction
    double across[3];           // unit tangent orthogonal to `slip` and to the normal
    double drag;                // linearised friction resistance along `across` [kg]
    double friction_impulse;    // magnitude of the friction impulse in this solve [N s]
    double impulse[3];          // friction impulse included in rhs [N s]
    bool stopped;               // it was sliding and friction stopped it in this solve
    bool turned;                // it was stopped, but the tangential reaction left the friction cone: it now slides
                                // the other way
    // impulses from objects in this step, for nodes that touch any (object_contact.h)
    double first[3];                       // of the first solve, where that contributes [N s]
    double collision_impulse[3];           // of the collision (landing) [N s]
    double pressed[PL__CONTACTS_PER_NODE]; // total normal impulse per contact [N s]
    double friction_work;                  // energy dissipated by friction [J]
    int32_t rowed;                         // implicit Euler: how many of them are rows of the solve
} pl__node_contacts;

// Bits of `fresh`: results of an evaluation that are valid.
typedef enum pl__evaluated
{
    PL__FORCES = 1,   // `force`, and the figures of all bodies except their energies
    PL__ENERGIES = 2, // figures.elastic
    PL__FRAMES = 4    // `frame`, also of undamped elements
} pl__evaluated;

// Options of an evaluation, besides forces and figures.
typedef enum pl__evaluate
{
    PL__EVALUATE_ENERGIES = 1,
    PL__EVALUATE_PLASTIC_FLOW = 2, // plastic elements flow first, within the same evaluation, if that is due
    PL__EVALUATE_STATE = 4,        // x is state.x: the results belong to the state
    PL__EVALUATE_PRESENT = PL__EVALUATE_PLASTIC_FLOW | PL__EVALUATE_STATE
} pl__evaluate;

// Evolving state that snapshots save, besides the states of the bodies.
typedef struct pl__solids_state
{
    double *x, *v;     // [3 node_count + padding] positions [m], velocities [m/s]
    bool plastic_due;  // plastic flow at the end of the last step has not been evaluated yet
    double plastic_dt; // length of that step [s], for creep
} pl__solids_state;

// Results of the last evaluation of forces.
typedef struct pl__evaluation
{
    double *force;          // [3 node_count + padding] elastic forces at the nodes [N]
    double *frame;          // [frame_length] damping frames of every group, at its first_frame
    pl__element_sums *sums; // [chunk_count]
    uint8_t fresh;          // pl__evaluated bits valid at state.x; 0 once x, v or a load has changed
    bool damped;            // some element of an awake body has damping
    bool keep_frames;       // also for undamped elements: element matrices need them
    int64_t chunks;         // chunks evaluated since the beginning
} pl__evaluation;

// Contacts of nodes with objects (object_contact.h).
typedef struct pl__solids_contacts
{
    uint8_t *count;          // [node_count] objects that a node touched in the last step
    uint8_t *footing;        // [node_count] pl__footing
    pl__node_contacts *node; // [node_count], NULL without objects
    int32_t object_count;
    int32_t *near_object; // [object_count] broad phase list: objects near the box below
    double near_lower[3], near_upper[3];
    int32_t near_count; // -1: the list is not valid
} pl__solids_contacts;

// Awake ranges: per chunk of nodes the range from the first to the last node of an awake body, rounded to whole blocks
// of sixteen; and the element chunks of awake bodies.
typedef struct pl__awake
{
    pl__some nodes, numbers, elements; // everything, if no body sleeps
    pl__part *node_part;               // [node chunks] range of each, empty if all its bodies sleep
    pl__part *node_list, *number_list; // [node chunks] the ranges that are not empty; the same in components
    pl__part *element_list;            // [chunk_count]
    uint8_t *was_asleep;               // [body_count] when the lists were built
    bool everybody;                    // ignore sleep: implicit Euler works on all nodes
} pl__awake;

// Scratch of a step, taken from the arena in pl__solids_begin_step and NULL between substeps.
typedef struct pl__step_scratch
{
    pl__arena *arena;
    pl__arena_mark mark;
    double *x_end;    // positions at the end of the step
    double *x_middle; // positions of the second evaluation of forces: mid-step, or x_end (semi_implicit.c)
    double *v_start;  // velocities at its start, after collision (v* of thesis 3.1)
    double *v_end;    // unknowns of a solve: v~ after the first, v½ (or v' by 2.9) after the second
    double *v_change; // change of v in the first solve: initial guess of the second
    double *rhs;      // right-hand side of a solve
    double *pair_rhs; // the same with the terms of pair contacts
    pl__cg_work cg;
    double *block;                   // [6 node_count] inverses of diagonal blocks; valid where a step says so
    double *pairless_block;          // [6 node_count] the same without pair contacts; NULL if there can be none
    pl__node_constraint *constraint; // [node_count]
    // implicit Euler only
    double *diagonal;             // mass matrix with soft pins and mass-proportional damping
    double *impulse;              // M (v + dt g), with soft pins
    double *v_from;               // velocities that a Newton iteration starts from
    double *direction;            // and its search direction
    double *gradient;             // of what is minimised, without contact
    pl__contact_pair *object_row; // [object_row_count] nodes on objects
    int32_t object_row_count;
    double *volume_gradient; // dV/dx of the volume enclosed by each body that holds gas
} pl__step_scratch;

typedef struct pl__solids
{
    // model
    pl_context *ctx;
    int32_t body_count;
    pl__body **body; // [body_count] borrowed
    int32_t node_count;
    int32_t chunk_count;
    size_t frame_length;
    double *mass, *inverse_mass; // [3 node_count + padding] per component
    pl__gather gather;
    pl__chunk *chunk;               // [chunk_count] ordered by body, group, block
    pl__block_matrix *matrix;       // of the solves; built on first use, NULL before
    pl__block_multigrid *multigrid; // of that matrix; NULL: none, or not worth it

    pl__solids_state state;
    pl__row_memory memory; // contact forces at the end of the last step (contact_rows.h)
    // nodal mass in a solve, increased at soft pins and grabs, and the velocity change that these add (pin.h, grab.h)
    double *inertia, *inverse_inertia, *push; // [3 node_count + padding]
    pl__evaluation evaluation;
    pl__solids_contacts contacts;
    pl__awake awake;
    pl__step_scratch step;
} pl__solids;

// Build the arrays for `bodies`, taking positions and velocities from `old` for bodies that it holds (compared by
// pointer) and from the body's start otherwise. `out` is untouched on failure.
pl_status pl__solids_create(pl_context *ctx, pl__body **bodies, int32_t body_count, int32_t object_count,
                            const pl__solids *old, pl__solids *out);
void pl__solids_destroy(pl__solids *solids);

// Allocate the scratch of a step up front, so that the step itself cannot fail, and release it. `pairs`: pair contacts
// are possible in this step.
PL_NODISCARD pl_status pl__solids_begin_step(pl__solids *solids, pl__arena *arena, bool pairs, bool euler);
void pl__solids_end_step(pl__solids *solids);

// Rebuild the awake ranges. Everything below, and a step, skips nodes outside them.
void pl__solids_list_awake(pl__solids *solids);

enum
{
    PL__NODES_PER_CHUNK = PL_VECTOR_CHUNK / 3
};

// Implicit Euler works on all nodes: from now on the awake lists contain everything.
void pl__solids_wake_lists(pl__solids *solids);

// Index of the body that owns a node.
int32_t pl__solids_body_of(const pl__solids *solids, int32_t node);

// The first awake node in [node, end), or `end` if there is none.
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

// Elastic forces and damping frames at positions x, and the figures of every body; `what` are bits of pl__evaluate.
// Sleeping bodies keep their results.
void pl__solids_evaluate(pl__solids *solids, const double *x, uint8_t what);
// Evaluate at state.x unless all of `wanted` (pl__evaluated) is valid there already. Always ask for results here: what
// happens to be valid depends on earlier calls and must not decide anything.
void pl__solids_refresh(pl__solids *solids, uint8_t wanted);
// Relax the directors of bends by the moments of the last evaluation that was not at mid-step (element/director.h).
void pl__solids_relax_directors(pl__solids *solids);
// The first element whose force is not finite: its body and its index in that body's mesh. False if there is none.
bool pl__solids_find_broken(const pl__solids *solids, int32_t *body, int32_t *element);

// Inverses of the diagonal blocks of M + scale D, with the frames of the last evaluation, into `block`. Overwrites z
// and q of the CG scratch.
void pl__solids_build_blocks(pl__solids *solids, double scale);

// out = (inertia M + scale D) in with the frames of the last evaluation; returns in . out.
double pl__solids_apply_damping(pl__solids *solids, double inertia, double scale, const double *in, double *out);

// Allocate the matrix and its coarser levels, without values.
PL_NODISCARD pl_status pl__solids_make_matrix(pl__solids *solids);
// matrix = diagonal + elastic K + damped D at x, where forces have been evaluated last (element/tangent.h), and the
// inverses of its diagonal blocks into `block`. Sleeping bodies keep their entries.
void pl__solids_assemble(pl__solids *solids, const double *x, double elastic, double damped, const double *diagonal);
// Potential energy of gas and other pressure, by the enclosed volumes at x [J].
double pl__solids_pressure_energy(const pl__solids *solids, const double *x);
// volume_gradient = dV/dx of bodies that hold gas. False if there are none.
bool pl__solids_find_volume_gradient(pl__solids *solids, const double *x);

#endif

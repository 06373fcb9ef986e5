// src/contact/watch.h -- pairs that may touch within an interval, kept apart in every step of it.
//
// clash.h mends what a motion has done. Where things are pressed against each other that is too late: forces have
// driven layers into each other and turned the energy that holds them into speed; taking their ways back returns the
// first and keeps the second, and a wound cloth feeds on that until it tears. So velocities are filtered in every step,
// as in steps 2 and 8 of thesis 3.1. For a pair with the relative velocity s along its normal, `rest` as near as it may
// come and gap = distance - rest:
//
//     ways     before nodes move:         s >= -gap/dt, or, where it is too near already, an outward velocity that is not kept
//     speeds   of the new velocities:     s >= 0 where gap <= 0
//
// by inelastic impulses with Coulomb friction (impulse.h), one pair after the other, in sweeps that end where all agree
// (projected Gauss-Seidel). A pair comes as near as it may and rests there, without falling from look to look.
//
// Sweeps leave out pairs whose nodes have kept their velocities, and go on in several places at once: space is cut into
// slabs, pairs within a slab are swept by one thread, those across a border by one thread after that. Slabs depend on
// where nodes are, not on threads.
//
// The pairs are those that come near if all nodes keep the velocities that they have when pairs are listed; they are
// listed anew when a node has strayed too far from that.
#ifndef PL_CONTACT_WATCH_H
#define PL_CONTACT_WATCH_H

#include "foothold.h"
#include "foresee.h"
#include "impulse.h"
#include "tolerances.h"

// A listed pair that is near enough to matter in a step.
typedef struct pl__watched
{
    pl__contact contact;
    double rest;                // distance [m]
    double gap;                 // how much nearer it may come [m]
    double when;                // of a long step: it meets, 0 to 1; INFINITY: it does not
    double compliance;          // 0: nothing can be moved
    double impulse;             // along the normal, of the last filter [N s]
    double friction_impulse[3]; // and across it
    int32_t rule;               // where its friction stands
    int32_t pair;               // in the list
    uint8_t slab;
} pl__watched;

// A pair that meets in a long step, for whoever solves it (solid/pair_contact.h). First what is found here:
typedef struct pl__contact_pair
{
    pl__contact contact;
    double rest;    // distance [m]
    double allowed; // how fast it may come nearer [m/s]
    double friction;
    double given[3]; // the part of its relative velocity that nodes have which go their own way [m/s]
    bool free[4];    // the other nodes
    // then what the solve makes of it
    double stiffness;           // of the penalty [kg], 0: nothing can be moved
    double impulse;             // along the normal [N s]
    double friction_impulse[3]; // and across it
    double drag;                // while it slides, what friction is per velocity [kg]
    double applied[3];          // both, as they were in the last solve
    bool held, sticks;
    uint8_t turned; // how often friction has pulled it back
    bool rubs;      // it was held when impulses were found: there is friction
    // of solid/contact_rows.h
    int32_t kind;      // pl__pair_kind, or a node and an object
    double radius;     // largest friction impulse [N s]
    double model[3];   // impulse of the piece that the next iteration takes it to be on [N s]
    double tangent[6]; // derivative of that by velocity, xx yy zz xy xz yz [kg]
    uint8_t piece;     // pl__row_piece
} pl__contact_pair;

// When it was looked at: apart, because sweeps ask that of all and change few.
typedef struct pl__watched_time
{
    int32_t node[4];
    int32_t seen; // the last sweep that looked at it
} pl__watched_time;

// Pairs of the last one lie across borders.
#define PL__SLABS 8

typedef struct pl__watch
{
    pl_context *ctx;
    bool solved; // somebody solves for pairs that press: there must be room for them
    int32_t count, vertex_face_count;
    pl__pair *pair;                    // [count] vertices and triangles first
    double *rest;                      // [count] distances [m]
    int32_t *rule;                     // [count]
    uint8_t *slab;                     // [count]
    pl__watched *item;                 // [count] of a chunk of pairs, those that matter come first
    int32_t *kept;                     // [chunks] how many they are
    int32_t *active;                   // [active_count] items, by slabs
    pl__watched_time *time;            // [active_count] of the same
    int32_t slab_begin[PL__SLABS + 2]; // in both
    int32_t *changed;                  // [nodes] the last sweep that changed their velocities
    size_t pair_capacity, rest_capacity, rule_capacity, slab_capacity, item_capacity, kept_capacity, active_capacity,
        time_capacity, changed_capacity;
    int32_t active_count;
    double *before; // [3 nodes] velocities that the filter of speeds began with
    size_t before_capacity;
    pl__foothold *foothold; // [foothold_count] of nodes in the last filter
    int32_t *foothold_of;   // [nodes] 1 + where a node has its own; 0: nowhere
    size_t foothold_capacity, foothold_of_capacity;
    int32_t foothold_count;
    pl__contact_pair *pressed; // [pressed_count] in the order in which they were found
    bool *is_pressed;          // [count] whether a pair is among them
    double *earliest;          // [nodes] when one first meets something, in a step
    size_t pressed_capacity, is_pressed_capacity, earliest_capacity;
    int32_t pressed_count;
    bool foreseen;       // items are as they will meet, and say nothing about where they are
    double largest_rest; // [m]
    double reach;        // pairs that are farther apart than this did not matter in the last step [m]
} pl__watch;

void pl__watch_destroy(pl__watch *watch);
void pl__watch_clear(pl__watch *watch);
// Vertices and triangles before edges.
PL_NODISCARD pl_status pl__watch_add(pl__watch *watch, const pl__pair *pair, double rest, int32_t rule);
// All are added: nodes are at x [3 node_count]. Makes room for all of them in one step.
PL_NODISCARD pl_status pl__watch_arrange(pl__watch *watch, const double *x, int32_t node_count);

// Where nodes are, their velocities, which are changed, and 1/mass: 0 of those that go their own way.
typedef struct pl__watch_state
{
    const double *x;            // [3 nodes + 1]
    double *v;                  // [3 nodes]
    const double *inverse_mass; // [nodes]
    const double *friction;     // by rules
    int32_t node_count;
    double dt;       // of the step [s]
    bool whole;      // the step is a long one: pairs are taken as they will meet (foresee.h)
    double interval; // in which pairs that are too near go a share of the way back [s]
    // What objects do to a node with the velocity v, found on several threads, or NULL; false: nothing. Ways into
    // objects are left to whoever moves nodes, unless `settled`.
    bool (*stand)(void *user, int32_t node, const double v[3], pl__foothold *foothold);
    void *user;
    bool settled;
} pl__watch_state;

// Ways first: it looks where all pairs are.
void pl__watch_filter_ways(pl__watch *watch, const pl__watch_state *state);
// Returns the work of friction [J]; the impulses are in the active items.
double pl__watch_filter_speeds(pl__watch *watch, const pl__watch_state *state);
// A step begins, in which nothing presses yet.
void pl__watch_relax(pl__watch *watch);
// Add the pairs that velocities v bring too near to those that press, the first on the way of each node before the
// later ones; or, `touching`, those that touch already, wherever they go. True if there are any.
bool pl__watch_press(pl__watch *watch, const pl__watch_state *state, bool touching);
// After ways were filtered at `before`: whether nothing can have touched while the nodes went from there to `after`.
bool pl__watch_proves(const pl__watch *watch, const double *before, const double *after, int32_t node_count);
// Whether a pair was near when it was looked at last.
static inline bool pl__watched_is_near(const pl__watched *item)
{
    return item->contact.distance < item->rest / PL__REST_SHARE;
}

#endif

// src/contact/zones.h -- groups of nodes that move as rigid bodies for an interval (Provot 1997).
//
// A zone has the linear and angular momentum of its nodes' ways u = x_end - x_start about its centre c:
//
//     u_c = sum m u / sum m,   I w = sum m (x_start - c) x (u - u_c),   x_end = c + u_c + exp(w) (x_start - c).
//
// Ends are turned exactly, so that distances within a zone stay. Velocities become the field v_c + w x (x_start - c)
// that has the momenta of the velocities, found in the same manner, to round-off; that can only take energy from them.
// A zone with nodes of no inverse mass goes with those: their motion is fitted, each of them alike.
//
// What a zone gave to its nodes, m dv, is told by the pairs that made it one: a pair gets an equal share of what each
// of its nodes got (among all pairs of that node), along its normal, as the mean of what pushed one side and the other,
// or that of the side that is free. So the pairs between two bodies add up to what these have exchanged, as far as that
// is along normals.
#ifndef PL_CONTACT_ZONES_H
#define PL_CONTACT_ZONES_H

#include "closest.h"

// A pair that was stopped before it touched.
typedef struct pl__strike
{
    pl__contact contact;
    double impulse; // along its normal [N s]
} pl__strike;

typedef struct pl__zones
{
    pl_context *ctx;
    int32_t node_count;
    int32_t *parent; // [node_count] of a forest; a root is its own parent and the least node of its zone
    int32_t *next;   // [node_count] the nodes of a zone in a ring
    int32_t *list;   // [node_count] nodes of all zones
    uint8_t *grown;  // [node_count] roots of zones that have not moved since they were joined
    int32_t listed;
    double *given;      // [3 node_count] what zones have added to velocities [m/s]
    int32_t *pairs_of;  // [node_count] how many pairs a node is in
    pl__strike *strike; // [strike_count] the pairs that were joined
    int32_t strike_count;
    size_t strike_capacity;
} pl__zones;

PL_NODISCARD pl_status pl__zones_create(pl_context *ctx, int32_t node_count, pl__zones *zones);
void pl__zones_destroy(pl__zones *zones);

// Every node by itself.
void pl__zones_clear(pl__zones *zones);
// Nodes that belong together from now on. True if they did not before.
bool pl__zones_join(pl__zones *zones, const int32_t *node, int32_t count);
int32_t pl__zones_root(const pl__zones *zones, int32_t node);

// Let zones that have grown move rigidly. Returns how many zones there are.
int32_t pl__zones_move(pl__zones *zones, const double *x_start, const double *inverse_mass, double *x_end, double *v);

// Remember a pair whose nodes have been joined; and, once all zones have moved, find the impulses of those.
PL_NODISCARD pl_status pl__zones_note(pl__zones *zones, const pl__contact *contact);
void pl__zones_share(pl__zones *zones, const double *inverse_mass);

#endif

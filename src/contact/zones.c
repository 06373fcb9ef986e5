// src/contact/zones.c -- groups of nodes that move as rigid bodies for an interval.
#include "zones.h"
#include "tolerances.h"
#include "math/eig3.h"
#include "math/quat.h"

#include <math.h>
#include <string.h>

pl_status pl__zones_create(pl_context *ctx, int32_t node_count, pl__zones *zones)
{
    *zones = (pl__zones){.ctx = ctx, .node_count = node_count};
    zones->parent = PL_NEW(ctx, node_count, int32_t);
    zones->next = PL_NEW(ctx, node_count, int32_t);
    zones->list = PL_NEW(ctx, node_count, int32_t);
    zones->grown = PL_NEW(ctx, node_count, uint8_t);
    zones->given = PL_NEW(ctx, 3 * (size_t)node_count, double);
    zones->pairs_of = PL_NEW(ctx, node_count, int32_t);
    if (!zones->parent || !zones->next || !zones->list || !zones->grown || !zones->given || !zones->pairs_of)
    {
        pl__zones_destroy(zones);
        return PL_ERR_MEMORY;
    }
    for (int32_t n = 0; n < node_count; ++n)
        zones->parent[n] = zones->next[n] = n;
    return PL_OK;
}

void pl__zones_destroy(pl__zones *zones)
{
    if (!zones->ctx)
        return;
    PL_DELETE(zones->ctx, zones->parent, zones->node_count);
    PL_DELETE(zones->ctx, zones->next, zones->node_count);
    PL_DELETE(zones->ctx, zones->list, zones->node_count);
    PL_DELETE(zones->ctx, zones->grown, zones->node_count);
    PL_DELETE(zones->ctx, zones->given, 3 * (size_t)zones->node_count);
    PL_DELETE(zones->ctx, zones->pairs_of, zones->node_count);
    PL_DELETE(zones->ctx, zones->strike, zones->strike_capacity);
    *zones = (pl__zones){0};
}

static void remember(pl__zones *z, int32_t node)
{
    if (z->next[node] == node && z->parent[node] == node)
        z->list[z->listed++] = node;
}

void pl__zones_clear(pl__zones *z)
{
    for (int32_t i = 0; i < z->listed; ++i)
    {
        z->parent[z->list[i]] = z->next[z->list[i]] = z->list[i];
        z->grown[z->list[i]] = 0;
        z->pairs_of[z->list[i]] = 0;
        memset(&z->given[3 * (size_t)z->list[i]], 0, 3 * sizeof *z->given);
    }
    z->listed = z->strike_count = 0;
}

int32_t pl__zones_root(const pl__zones *z, int32_t node)
{
    while (z->parent[node] != node)
    {
        z->parent[node] = z->parent[z->parent[node]];
        node = z->parent[node];
    }
    return node;
}

bool pl__zones_join(pl__zones *z, const int32_t *node, int32_t count)
{
    bool joined = false;
    for (int32_t i = 0; i < count; ++i)
        remember(z, node[i]);
    for (int32_t i = 1; i < count; ++i)
    {
        int32_t a = pl__zones_root(z, node[0]), b = pl__zones_root(z, node[i]);
        if (a == b)
            continue;
        if (a < b)
            z->parent[b] = a;
        else
            z->parent[a] = b;
        // two rings become one
        int32_t after = z->next[a];
        z->next[a] = z->next[b];
        z->next[b] = after;
        z->grown[a < b ? a : b] = 1;
        joined = true;
    }
    return joined;
}

typedef struct
{
    pl_vec3 centre, way, turn;
} rigid;

static pl_vec3 load(const double *x, int32_t n)
{
    return pl_make3(x[3 * (size_t)n], x[3 * (size_t)n + 1], x[3 * (size_t)n + 2]);
}

static pl_vec3 field(const double *u, const double *minus, int32_t n)
{
    pl_vec3 a = load(u, n);
    for (size_t i = 0; minus && i < 3; ++i)
        a.v[i] -= minus[3 * (size_t)n + i];
    return a;
}

// Solve I w = L where I may have a null space: a line does not turn about itself.
static pl_vec3 turn_of(const pl_mat3 *inertia, pl_vec3 momentum)
{
    pl_mat3 Q;
    double lambda[3];
    pl__eig3(inertia, &Q, lambda);
    pl_vec3 local = pl_mult3(&Q, momentum);
    for (int i = 0; i < 3; ++i)
        local.v[i] = lambda[i] > PL__ZONE_SINGULAR * lambda[0] ? local.v[i] / lambda[i] : 0;
    return pl_mul3(&Q, local);
}

static double mass_of(const double *inverse_mass, int32_t n, bool driven)
{
    if (driven)
        return inverse_mass[n] > 0 ? 0 : 1;
    return 1 / inverse_mass[n];
}

// The rigid motion of a zone with the momenta of u - minus, or of u.
static rigid fit(const pl__zones *z, int32_t root, const double *x_start, const double *u_of, const double *minus,
                 const double *inverse_mass)
{
    rigid r = {0};
    bool driven = false;
    int32_t n = root;
    do
        driven |= inverse_mass[n] <= 0;
    while ((n = z->next[n]) != root);
    double mass = 0;
    do
    {
        double m = mass_of(inverse_mass, n, driven);
        pl_vec3 x = load(x_start, n), u = field(u_of, minus, n);
        mass += m;
        for (int i = 0; i < 3; ++i)
        {
            r.centre.v[i] += m * x.v[i];
            r.way.v[i] += m * u.v[i];
        }
    } while ((n = z->next[n]) != root);
    for (int i = 0; i < 3; ++i)
    {
        r.centre.v[i] /= mass;
        r.way.v[i] /= mass;
    }
    pl_mat3 inertia = {0};
    pl_vec3 momentum = {{0, 0, 0}};
    do
    {
        double m = mass_of(inverse_mass, n, driven);
        pl_vec3 a = load(x_start, n), u = field(u_of, minus, n);
        for (int i = 0; i < 3; ++i)
        {
            u.v[i] -= r.way.v[i];
            a.v[i] -= r.centre.v[i];
        }
        pl_vec3 c = pl_cross3(a, u);
        double a2 = pl_dot3(a, a);
        for (int j = 0; j < 3; ++j)
        {
            momentum.v[j] += m * c.v[j];
            for (int i = 0; i < 3; ++i)
                inertia.c[j][i] += m * ((i == j ? a2 : 0) - a.v[i] * a.v[j]);
        }
    } while ((n = z->next[n]) != root);
    r.turn = turn_of(&inertia, momentum);
    return r;
}

static void move(const pl__zones *z, int32_t root, const rigid *way, const rigid *speed, const double *x_start,
                 const double *inverse_mass, double *x_end, double *v)
{
    pl_quat q = pl_quat_from_vector(way->turn);
    int32_t n = root;
    do
    {
        if (inverse_mass[n] <= 0)
            continue;
        pl_vec3 a = load(x_start, n);
        for (int i = 0; i < 3; ++i)
            a.v[i] -= way->centre.v[i];
        pl_vec3 turned = pl_quat_turn(q, a), spin = pl_cross3(speed->turn, a);
        for (size_t i = 0; i < 3; ++i)
        {
            z->given[3 * (size_t)n + i] += speed->way.v[i] + spin.v[i] - v[3 * (size_t)n + i];
            v[3 * (size_t)n + i] = speed->way.v[i] + spin.v[i];
            x_end[3 * (size_t)n + i] = way->centre.v[i] + way->way.v[i] + turned.v[i];
        }
    } while ((n = z->next[n]) != root);
}

int32_t pl__zones_move(pl__zones *z, const double *x_start, const double *inverse_mass, double *x_end, double *v)
{
    int32_t count = 0;
    for (int32_t i = 0; i < z->listed; ++i)
    {
        int32_t root = z->list[i];
        if (z->parent[root] != root || z->next[root] == root)
            continue;
        ++count;
        if (!z->grown[root])
            continue;
        rigid way = fit(z, root, x_start, x_end, x_start, inverse_mass),
              speed = fit(z, root, x_start, v, NULL, inverse_mass);
        move(z, root, &way, &speed, x_start, inverse_mass, x_end, v);
        z->grown[root] = 0;
    }
    return count;
}

pl_status pl__zones_note(pl__zones *z, const pl__contact *contact)
{
    if (!PL_GROW(z->ctx, z->strike, &z->strike_capacity, (size_t)z->strike_count + 1))
        return PL_ERR_MEMORY;
    z->strike[z->strike_count++] = (pl__strike){.contact = *contact};
    for (int i = 0; i < 4; ++i)
        z->pairs_of[contact->node[i]] += contact->weight[i] != 0;
    return PL_OK;
}

// What the nodes of a pair whose weights have this sign got for it, along the normal. False if none of them is free.
static bool side_of(const pl__zones *z, const pl__contact *k, double sign, const double *inverse_mass, double *impulse)
{
    bool free = false;
    *impulse = 0;
    for (int i = 0; i < 4; ++i)
    {
        int32_t n = k->node[i];
        if (sign * k->weight[i] <= 0 || inverse_mass[n] <= 0)
            continue;
        free = true;
        for (int d = 0; d < 3; ++d)
            *impulse += sign * k->normal[d] * z->given[3 * (size_t)n + (size_t)d] / (inverse_mass[n] * z->pairs_of[n]);
    }
    return free;
}

void pl__zones_share(pl__zones *z, const double *inverse_mass)
{
    for (int32_t i = 0; i < z->strike_count; ++i)
    {
        double one, other;
        bool first = side_of(z, &z->strike[i].contact, 1, inverse_mass, &one),
             second = side_of(z, &z->strike[i].contact, -1, inverse_mass, &other);
        z->strike[i].impulse = fmax(0, (one + other) / (first && second ? 2 : 1));
    }
}

// src/element/bend_state.c -- bending stress at the two sides of a sheet.
//
// With S the shape operator of a triangle (bend.h), t its thickness and D its rigidity, the stress on its front side
// is
//
//     6 M/t^2,     M = D (nu tr S + (1 - nu) S),
//
// and minus that on the back. The angle at a boundary edge minimises the energy: there is no moment across it.
#include "bend_state.h"
#include "base/real_math.h"
#include "math/vec3.h"

#include <math.h>

enum
{
    SWEEPS = 12 // over at most two free edges
};

static pl_vec3 corner(const pl__bend_rest *rest, int32_t lane, int k, const double *x)
{
    const double *at = &x[3 * (size_t)rest->node[k][lane]];
    return pl_make3(at[0], at[1], at[2]);
}

static bool is_free(const pl__bend_rest *rest, int32_t lane, int i)
{
    return rest->node[3 + i][lane] == rest->node[i][lane];
}

// The angle at edge i from rest, positive if the neighbour is below.
static double turn_of(const pl__bend_rest *rest, int32_t lane, int i, const double *x)
{
    const double pi = 3.141592653589793;
    pl_vec3 p = corner(rest, lane, (i + 1) % 3, x), e = pl_sub3(corner(rest, lane, (i + 2) % 3, x), p);
    pl_vec3 across = pl_sub3(corner(rest, lane, 3 + i, x), p), N = pl_cross3(e, pl_sub3(corner(rest, lane, i, x), p)),
            M = pl_cross3(across, e);
    double turn = pl__real_atan2(-pl_length3(e) * pl_dot3(N, across), pl_dot3(N, M)) - rest->angle[i][lane];
    return turn - (turn > pi ? 2 * pi : turn <= -pi ? -2 * pi : 0);
}

// The triangle's share of the angle.
static double share_of(const pl__bend_rest *rest, int32_t lane, int i)
{
    if (rest->model[lane] == PL__BEND_HINGE)
        return rest->area[0][lane] / (rest->area[0][lane] + rest->area[1 + i][lane]);
    return 1 / rest->inverse_share[i][lane];
}

// Boundary edges: nu tr S + (1 - nu) m S m = 0 across each, one after the other.
static void turn_free_edges(const pl__bend_rest *rest, int32_t lane, const pl_vec3 m[3], double weight[3])
{
    double nu = rest->plate[1][lane];
    for (int sweep = 0; sweep < SWEEPS; ++sweep)
        for (int i = 0; i < 3; ++i)
        {
            double sum = 0;
            for (int j = 0; j < 3; ++j)
                sum += j == i ? 0 : weight[j] * (nu + (1 - nu) * pl_dot3(m[i], m[j]) * pl_dot3(m[i], m[j]));
            if (is_free(rest, lane, i))
                weight[i] = -sum;
        }
}

void pl__bend_side_stress(const pl__bend_rest *rest, int32_t lane, const double *x, double strength, double stress[6])
{
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    pl_vec3 edge[3], m[3];
    double weight[3], t = rest->thickness[lane], nu = rest->plate[1][lane], trace = 0;
    for (int i = 0; i < 3; ++i)
        edge[i] = pl_sub3(corner(rest, lane, (i + 2) % 3, x), corner(rest, lane, (i + 1) % 3, x));
    pl_vec3 normal = pl_cross3(edge[0], edge[1]);
    double area2 = pl_length3(normal),
           factor = area2 > 0 && !rest->held[lane] ? 6 * strength * rest->plate[0][lane] / (t * t) : 0;
    for (int i = 0; i < 3; ++i)
    {
        double length = pl_length3(edge[i]);
        m[i] =
            length > 0 && area2 > 0 ? pl_scale3(1 / (length * area2), pl_cross3(edge[i], normal)) : pl_make3(0, 0, 0);
        double phi =
            is_free(rest, lane, i) ? 0 : share_of(rest, lane, i) * turn_of(rest, lane, i, x) + rest->delta[i][lane];
        weight[i] = phi * rest->length[i][lane] / rest->area[0][lane];
    }
    turn_free_edges(rest, lane, (const pl_vec3 *)m, weight);
    for (int i = 0; i < 3; ++i)
        trace += weight[i];
    // the identity in the plane is I - n n^T
    for (int k = 0; k < 6; ++k)
    {
        double n2 = area2 > 0 ? normal.v[row[k]] * normal.v[column[k]] / (area2 * area2) : 0, S = 0;
        for (int i = 0; i < 3; ++i)
            S += weight[i] * m[i].v[row[k]] * m[i].v[column[k]];
        stress[k] = factor * (nu * trace * ((row[k] == column[k]) - n2) + (1 - nu) * S);
    }
}

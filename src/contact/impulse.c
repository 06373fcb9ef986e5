// src/contact/impulse.c
#include "impulse.h"
#include "tolerances.h"

#include <math.h>
#include <string.h>

double pl__impulse_compliance(const double *inverse_mass, const pl__contact *k)
{
    double sum = 0, most = 0;
    for (int i = 0; i < 4; ++i)
    {
        sum += k->weight[i] * k->weight[i] * inverse_mass[k->node[i]];
        most = fmax(most, inverse_mass[k->node[i]]);
    }
    return fmax(sum, PL__COMPLIANCE_LEAST * most);
}

void pl__impulse_apply(const double *inverse_mass, const pl__contact *k, const double j[3], double scale, double *u)
{
    for (int i = 0; i < 4; ++i)
        for (size_t d = 0, at = 3 * (size_t)k->node[i]; d < 3; ++d)
            u[at + d] += scale * k->weight[i] * inverse_mass[k->node[i]] * j[d];
}

double pl__impulse_stop(const pl__contact *k, double friction, double allowed, const double s[3], double change[3])
{
    double along = pl__impulse_dot(s, k->normal), inward = -along - allowed, tangent[3];
    change[0] = change[1] = change[2] = 0;
    if (inward <= 0)
        return 0;
    for (int d = 0; d < 3; ++d)
        tangent[d] = s[d] - along * k->normal[d];
    double size = sqrt(pl__impulse_dot(tangent, tangent)), taken = fmin(size, friction * inward);
    for (int d = 0; d < 3; ++d)
        change[d] = inward * k->normal[d] - (size > 0 ? taken / size * tangent[d] : 0);
    return taken * (size - 0.5 * taken);
}

double pl__impulse_longest(const double *u, int32_t node_count)
{
    double most2 = 0;
    for (size_t i = 0; i < 3 * (size_t)node_count; i += 3)
        most2 = fmax(most2, pl__impulse_dot(&u[i], &u[i]));
    return sqrt(most2);
}

void pl__impulse_corners(const double *x, const int32_t node[4], double corner[4][3])
{
    for (int i = 0; i < 4; ++i)
        memcpy(corner[i], &x[3 * (size_t)node[i]], sizeof corner[i]);
}

void pl__impulse_measure(const double x[4][3], pl__pair_kind kind, pl__contact *contact)
{
    (kind == PL__VERTEX_FACE ? pl__closest_vertex_face : pl__closest_edge_edge)(x, contact);
}

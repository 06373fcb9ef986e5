// src/contact/impulse.h -- impulses between the closest points of a pair.
//
// With w the weights of a contact (closest.h), n its normal and m masses, nodes get j w_i n/m_i, which changes the
// relative way (or velocity) sum_i w_i u_i . n by j sum_i w_i^2/m_i. Weights add up to zero and the points lie along n:
// linear and angular momentum are kept to round-off.
#ifndef PL_CONTACT_IMPULSE_H
#define PL_CONTACT_IMPULSE_H

#include "closest.h"

#include <stddef.h>

static inline double pl__impulse_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// sum_i w_i^2/m_i, but never so little that a node would have to go farther than the pair approaches: where all but a
// node of small weight are driven, it cannot lift them. 0: nothing can be moved.
double pl__impulse_compliance(const double *inverse_mass, const pl__contact *contact);

// sum_i w_i u_i for a field u, or for the difference of two
static inline void pl__impulse_relative(const pl__contact *k, const double *u, const double *minus, double s[3])
{
    s[0] = s[1] = s[2] = 0;
    for (int i = 0; i < 4; ++i)
        for (size_t d = 0, at = 3 * (size_t)k->node[i]; d < 3; ++d)
            s[d] += k->weight[i] * (u[at + d] - (minus ? minus[at + d] : 0));
}

// u_i += scale w_i/m_i j
void pl__impulse_apply(const double *inverse_mass, const pl__contact *contact, const double j[3], double scale,
                       double *u);

// The change of s that keeps it from going inward faster than `allowed` (>= 0, or < 0: it has to go outward), and rubs:
// friction times what is taken of the normal part, less of the rest. Returns the work of rubbing at unit compliance;
// `change` is 0 where nothing is to do.
double pl__impulse_stop(const pl__contact *contact, double friction, double allowed, const double s[3],
                        double change[3]);

// The longest of the vectors u of nodes.
double pl__impulse_longest(const double *u, int32_t node_count);

// A pair at x [3 nodes].
void pl__impulse_corners(const double *x, const int32_t node[4], double corner[4][3]);
void pl__impulse_measure(const double x[4][3], pl__pair_kind kind, pl__contact *contact);

#endif

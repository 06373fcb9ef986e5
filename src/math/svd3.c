// src/math/svd3.c -- one-sided Jacobi (Hestenes 1958): turn the columns of F until they are perpendicular.
//
// A rotation V_pq of columns p and q of B (B = F to begin with) makes b_p . b_q = 0 when
//
//     tan(2 angle) = 2 b_p.b_q / (b_q.b_q - b_p.b_p),        the smaller of the two angles is taken.
//
// Sweeps over the three pairs converge quadratically to B = F V = U diag(sigma), with small singular values as
// accurate as the large ones deserve: F^T F, which would lose half of the digits, is never formed. What is left is to
// put the columns in order and to complete U where they vanish.
//
// What it does badly: about 4 sweeps of dependent divisions and square roots. svd3_w.h is the fast one.
#include "svd3.h"
#include "jacobi.h"

#include <stdbool.h>

enum
{
    SWEEP_MAX = 30 // 4 to 6 are taken; the limit only says that the loop ends
};

// Rotate columns p and q of A by (c, s).
static void rotate(pl_mat3 *A, int p, int q, double c, double s)
{
    for (int i = 0; i < 3; ++i)
    {
        double x = A->c[p][i], y = A->c[q][i];
        A->c[p][i] = c * x - s * y;
        A->c[q][i] = s * x + c * y;
    }
}

// Make columns p and q of B perpendicular; false when they are already.
static bool orthogonalise(pl_mat3 *B, pl_mat3 *V, int p, int q)
{
    pl_vec3 x = pl_column3(B, p), y = pl_column3(B, q);
    double a = pl_dot3(x, x), b = pl_dot3(y, y), c = pl_dot3(x, y);
    if (c * c <= 0x1p-102 * (a * b))
        return false;
    double tau = (b - a) / (2 * c);
    double t = copysign(1 / (fabs(tau) + sqrt(1 + tau * tau)), tau); // tan of the angle
    double cosine = 1 / sqrt(1 + t * t);
    rotate(B, p, q, cosine, t * cosine);
    rotate(V, p, q, cosine, t * cosine);
    return true;
}

// Put the longer of columns p < q first: a quarter turn, so that det V stays +1.
static void order(pl_mat3 *B, pl_mat3 *V, int p, int q)
{
    pl_vec3 x = pl_column3(B, p), y = pl_column3(B, q);
    if (pl_dot3(x, x) < pl_dot3(y, y))
    {
        rotate(B, p, q, 0, -1);
        rotate(V, p, q, 0, -1);
    }
}

// U and the signed sigma of perpendicular columns B in descending order, B != 0.
static void normalise(const pl_mat3 *B, pl_mat3 *U, double sigma[3])
{
    pl_vec3 b0 = pl_column3(B, 0), b1 = pl_column3(B, 1), b2 = pl_column3(B, 2);
    sigma[0] = pl_length3(b0);
    pl_vec3 u0 = pl_scale3(1 / sigma[0], b0);
    pl_vec3 u1 = pl_axpy3(-pl_dot3(u0, b1), u0, b1); // what is along u0 is rounding of b1, however small that is
    double length = pl_length3(u1);
    u1 = length > 0x1p-60 * sigma[0] ? pl_scale3(1 / length, u1) : pl_perpendicular3(u0);
    pl_vec3 u2 = pl_cross3(u0, u1);
    *U = pl_columns3(u0, u1, u2);
    // equal values may come out of order by a rounding error
    sigma[1] = fmin(fmax(pl_dot3(u1, b1), 0), sigma[0]);
    double last = pl_dot3(u2, b2);
    sigma[2] = copysign(fmin(fabs(last), sigma[1]), last);
}

// max |F_ij|, or NaN when an entry is NaN or infinite
static double largest(const pl_mat3 *F)
{
    double m = 0, sum = 0;
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i)
        {
            m = fmax(m, fabs(F->c[j][i]));
            sum += 0 * F->c[j][i];
        }
    return m + sum;
}

void pl__svd3(const pl_mat3 *F, pl_mat3 *U, double sigma[3], pl_mat3 *V)
{
    *U = *V = pl_identity3();
    double m = largest(F);
    if (!(m >= DBL_MIN)) // zero or not a number
    {
        sigma[0] = sigma[1] = sigma[2] = m < DBL_MIN ? 0 : NAN;
        return;
    }
    double back, scale = pl__prescale(m, &back);
    pl_mat3 B;
    for (int j = 0; j < 3; ++j)
        pl_set_column3(&B, j, pl_scale3(scale, pl_column3(F, j)));

    bool turned = true;
    for (int sweep = 0; turned && sweep < SWEEP_MAX; ++sweep)
    {
        turned = orthogonalise(&B, V, 0, 1);
        turned |= orthogonalise(&B, V, 0, 2);
        turned |= orthogonalise(&B, V, 1, 2);
    }
    order(&B, V, 0, 1);
    order(&B, V, 0, 2);
    order(&B, V, 1, 2);
    normalise(&B, U, sigma);
    for (int i = 0; i < 3; ++i)
        sigma[i] = 0.5 * sigma[i] * back;
}

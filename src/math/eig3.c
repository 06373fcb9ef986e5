// src/math/eig3.c -- cyclic Jacobi: rotations Q^T A Q of two axes at a time, each of which makes one off-diagonal pair
// 0.
//
// The rotation of axes p and q by an angle with tan(2 angle) = 2 A_pq / (A_qq - A_pp), the smaller of the two, changes
//
//     A_pp -= t A_pq,   A_qq += t A_pq,   A_pq = 0,        t = tan(angle),
//
// and mixes A_pr and A_qr. The sum of the squares off the diagonal falls by 2 A_pq^2; sweeps converge quadratically.
#include "eig3.h"
#include "jacobi.h"

#include <stdbool.h>

enum
{
    SWEEP_MAX = 30 // 4 or 5 are taken; the limit only says that the loop ends
};

// Make entry (p, q) zero, r being the third axis; false when it is already, to rounding.
static bool rotate(double A[3][3], pl_mat3 *Q, int p, int q, int r)
{
    double off = A[p][q];
    if (fabs(off) <= 0x1p-56)
        return false;
    double tau = (A[q][q] - A[p][p]) / (2 * off);
    double t = copysign(1 / (fabs(tau) + sqrt(1 + tau * tau)), tau);
    double c = 1 / sqrt(1 + t * t), s = t * c;
    A[p][p] -= t * off;
    A[q][q] += t * off;
    A[p][q] = A[q][p] = 0;
    double x = A[p][r], y = A[q][r];
    A[p][r] = A[r][p] = c * x - s * y;
    A[q][r] = A[r][q] = s * x + c * y;
    pl_vec3 a = pl_column3(Q, p), b = pl_column3(Q, q);
    pl_set_column3(Q, p, pl_sub3(pl_scale3(c, a), pl_scale3(s, b)));
    pl_set_column3(Q, q, pl_add3(pl_scale3(s, a), pl_scale3(c, b)));
    return true;
}

// The larger of values p < q first, by a quarter turn.
static void order(pl_mat3 *Q, double lambda[3], int p, int q)
{
    if (lambda[p] >= lambda[q])
        return;
    double x = lambda[p];
    lambda[p] = lambda[q];
    lambda[q] = x;
    pl_vec3 a = pl_column3(Q, p);
    pl_set_column3(Q, p, pl_column3(Q, q));
    pl_set_column3(Q, q, pl_neg3(a));
}

void pl__eig3(const pl_mat3 *A, pl_mat3 *Q, double lambda[3])
{
    *Q = pl_identity3();
    double m = 0, sum = 0, back, B[3][3];
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i <= j; ++i)
        {
            B[i][j] = B[j][i] = A->c[j][i];
            m = fmax(m, fabs(B[i][j]));
            sum += 0 * B[i][j];
        }
    m += sum;
    if (!(m >= DBL_MIN)) // zero or not a number
    {
        lambda[0] = lambda[1] = lambda[2] = m < DBL_MIN ? 0 : NAN;
        return;
    }
    double scale = pl__prescale(m, &back);
    for (int k = 0; k < 9; ++k)
        B[k / 3][k % 3] *= scale;

    bool turned = true;
    for (int sweep = 0; turned && sweep < SWEEP_MAX; ++sweep)
    {
        turned = rotate(B, Q, 0, 1, 2);
        turned |= rotate(B, Q, 0, 2, 1);
        turned |= rotate(B, Q, 1, 2, 0);
    }
    for (int i = 0; i < 3; ++i)
        lambda[i] = 0.5 * B[i][i] * back;
    order(Q, lambda, 0, 1);
    order(Q, lambda, 0, 2);
    order(Q, lambda, 1, 2);
}

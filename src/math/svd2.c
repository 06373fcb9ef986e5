// src/math/svd2.c -- two columns need one Jacobi rotation.
//
// V turns the columns of F into perpendicular ones b0, b1, the longer first: u0 = b0 / |b0|, u1 is u0 turned by a right
// angle, and sigma1 = u1 . b1 takes the sign that is left. The rotation comes from differences of squares of F, with an
// error of eps |F|^2, which leaves eps sigma0 between b1 and u0: no second sweep is needed.
#include "svd2.h"
#include "jacobi.h"

void pl__svd2(const pl_mat2 *F, pl_mat2 *U, double sigma[2], pl_mat2 *V)
{
    *U = *V = pl_identity2();
    const double *f = &F->c[0][0];
    double m = fmax(fmax(fabs(f[0]), fabs(f[1])), fmax(fabs(f[2]), fabs(f[3])));
    m += 0 * f[0] + 0 * f[1] + 0 * f[2] + 0 * f[3];
    if (!(m >= DBL_MIN)) // zero or not a number
    {
        sigma[0] = sigma[1] = m < DBL_MIN ? 0 : NAN;
        return;
    }
    double back, scale = pl__prescale(m, &back), c, s;
    double a0 = scale * f[0], a1 = scale * f[1], b0 = scale * f[2], b1 = scale * f[3];
    pl__jacobi((a0 - b0) * (a0 + b0) + (a1 - b1) * (a1 + b1), 2 * (a0 * b0 + a1 * b1), &c, &s);
    double x = c * a0 + s * b0, y = c * a1 + s * b1; // first column of F V
    double length = sqrt(x * x + y * y);
    x /= length;
    y /= length;
    double last = x * (c * b1 - s * a1) - y * (c * b0 - s * a0);
    *U = (pl_mat2){{{x, y}, {-y, x}}};
    *V = (pl_mat2){{{c, s}, {-s, c}}};
    sigma[0] = 0.5 * length * back;
    sigma[1] = 0.5 * copysign(fmin(fabs(last), length), last) * back;
}

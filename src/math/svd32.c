// src/math/svd32.c -- as svd2.c, one Jacobi rotation of the two columns; in space there is no sign to settle.
//
// u1 is b1 without what rounding left along u0, taken out twice since b1 may be as small as that; when b1 vanishes, any
// direction across u0.
#include "svd32.h"
#include "jacobi.h"

void pl__svd32(const pl_mat32 *F, pl_mat32 *U, double sigma[2], pl_mat2 *V)
{
    *U = (pl_mat32){{{1, 0, 0}, {0, 1, 0}}};
    *V = pl_identity2();
    double m = 0, sum = 0;
    for (int k = 0; k < 6; ++k)
    {
        m = fmax(m, fabs(F->c[k / 3][k % 3]));
        sum += 0 * F->c[k / 3][k % 3];
    }
    m += sum;
    if (!(m >= DBL_MIN)) // zero or not a number
    {
        sigma[0] = sigma[1] = m < DBL_MIN ? 0 : NAN;
        return;
    }
    double back, scale = pl__prescale(m, &back), c, s;
    pl_vec3 a = pl_scale3(scale, pl_column32(F, 0)), b = pl_scale3(scale, pl_column32(F, 1));
    pl__jacobi(pl_dot3(pl_sub3(a, b), pl_add3(a, b)), 2 * pl_dot3(a, b), &c, &s);
    pl_vec3 b0 = pl_add3(pl_scale3(c, a), pl_scale3(s, b)), b1 = pl_sub3(pl_scale3(c, b), pl_scale3(s, a));

    double length0 = pl_length3(b0);
    pl_vec3 u0 = pl_scale3(1 / length0, b0);
    b1 = pl_axpy3(-pl_dot3(u0, b1), u0, b1);
    b1 = pl_axpy3(-pl_dot3(u0, b1), u0, b1);
    double length1 = pl_length3(b1);
    pl_vec3 u1 = length1 > 0x1p-60 ? pl_scale3(1 / length1, b1) : pl_perpendicular3(u0);
    *U = pl_columns32(u0, u1);
    *V = (pl_mat2){{{c, s}, {-s, c}}};
    sigma[0] = 0.5 * length0 * back;
    sigma[1] = 0.5 * fmin(length1, length0) * back;
}

// src/material/convert.c -- conversion of laws given in Cauchy or second Piola stress to principal first Piola
// stresses.
//
// In the principal frame all of them are diagonal. Cauchy stress sigma is force per current area, second Piola S is
// conjugate to the Green strain; with J = s0 s1 s2
//
//     P_i = J sigma_i / s_i = s_j s_k sigma_i          dP_i/ds_j = s_j s_k dsigma_i/ds_j + [i /= j] sigma_i s_k
//     P_i = s_i S_i                                    dP_i/ds_j = s_i dS_i/ds_j + [i = j] S_i
//
// For a law with an energy, dP_i/ds_j is symmetric; otherwise the symmetric part is used.
#include <pliant/material.h>

// The six entries 00 11 22 01 02 12 of the symmetric part of a matrix by rows.
static void symmetric(double row[3][3], double out[6])
{
    for (int i = 0; i < 3; ++i)
        out[i] = row[i][i];
    out[3] = 0.5 * (row[0][1] + row[1][0]);
    out[4] = 0.5 * (row[0][2] + row[2][0]);
    out[5] = 0.5 * (row[1][2] + row[2][1]);
}

void pl_stress_from_cauchy(const double stretch[3], const double cauchy[3], const double cauchy_rows[9],
                           double stress[3], double derivative[6])
{
    double row[3][3];
    for (int i = 0; i < 3; ++i)
    {
        double area = stretch[(i + 1) % 3] * stretch[(i + 2) % 3];
        for (int j = 0; derivative && cauchy_rows && j < 3; ++j)
            row[i][j] = area * cauchy_rows[3 * i + j] + (i == j ? 0 : cauchy[i] * stretch[3 - i - j]);
        stress[i] = area * cauchy[i];
    }
    if (derivative && cauchy_rows)
        symmetric(row, derivative);
}

void pl_stress_from_second_piola(const double stretch[3], const double second[3], const double second_rows[9],
                                 double stress[3], double derivative[6])
{
    double row[3][3];
    for (int i = 0; i < 3; ++i)
    {
        for (int j = 0; derivative && second_rows && j < 3; ++j)
            row[i][j] = stretch[i] * second_rows[3 * i + j] + (i == j ? second[i] : 0);
        stress[i] = stretch[i] * second[i];
    }
    if (derivative && second_rows)
        symmetric(row, derivative);
}

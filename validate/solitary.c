// validate/solitary.c
#include "solitary.h"

#include <complex.h>
#include <math.h>
#include <string.h>

enum
{
    M = SOLITARY_MODES,
    MOST_ITERATIONS = 500
};

static const double pi = 3.14159265358979323846;

// ---- the equation, at the points alpha_j = half j / M --------------------------------------------------------------

static double end_weight(int j) { return j == 0 || j == M ? 0.5 : 1; }

// Cosine coefficients of values at points, and back.
static void to_modes(const solitary *w, const double *value, double *a)
{
    for (int k = 0; k <= M; ++k)
    {
        double sum = 0;
        for (int j = 0; j <= M; ++j)
            sum += end_weight(j) * value[j] * w->cosine[(j * k) % (2 * M)];
        a[k] = 2 * end_weight(k) * sum / M;
    }
}

static void to_points(const solitary *w, const double *a, double *value)
{
    for (int j = 0; j <= M; ++j)
    {
        double sum = 0;
        for (int k = 0; k <= M; ++k)
            sum += a[k] * w->cosine[(j * k) % (2 * M)];
        value[j] = sum;
    }
}

static double symbol(const solitary *w, int k)
{
    double q = pi * k / w->half;
    return k == 0 ? 1 : q / tanh(q);
}

// Modes of C (eta^2 / 2) + eta C eta.
static void right_side(const solitary *w, const double *eta, double *modes)
{
    double a[M + 1], work[M + 1], product[M + 1];
    for (int k = 0; k <= M; ++k)
        a[k] = w->a[k] * symbol(w, k);
    to_points(w, a, work);
    for (int j = 0; j <= M; ++j)
        product[j] = eta[j] * work[j], work[j] = 0.5 * eta[j] * eta[j];
    to_modes(w, product, modes);
    to_modes(w, work, a);
    for (int k = 0; k <= M; ++k)
        modes[k] += symbol(w, k) * a[k];
}

// The wave of speed c; returns its height, or -1. The factor s^2 keeps the iteration from growing or vanishing.
static double relax(solitary *w, double c)
{
    double eta[M + 1], right[M + 1];
    for (int n = 0; n < MOST_ITERATIONS; ++n)
    {
        to_points(w, w->a, eta);
        right_side(w, eta, right);
        double above = 0, below = 0, change = 0;
        for (int k = 0; k <= M; ++k)
        {
            double weight = k == 0 || k == M ? 2 : 1; // of the square of a cosine
            above += weight * w->a[k] * (c * c * symbol(w, k) - 1) * w->a[k];
            below += weight * w->a[k] * right[k];
        }
        double s = above / below;
        for (int k = 0; k <= M; ++k)
        {
            double next = s * s * right[k] / (c * c * symbol(w, k) - 1);
            change = fmax(change, fabs(next - w->a[k]));
            w->a[k] = next;
        }
        if (change < 1e-13 * w->height)
        {
            to_points(w, w->a, eta);
            return eta[0];
        }
    }
    return -1;
}

bool solitary_make(double height, solitary *w)
{
    double e = height, eta[M + 1];
    memset(w, 0, sizeof *w);
    w->height = e;
    w->half = 14 / sqrt(3 * e);
    w->last_x = INFINITY;
    for (int j = 0; j < 2 * M; ++j)
        w->cosine[j] = cos(pi * j / M);
    for (int j = 0; j <= M; ++j)
        eta[j] = e / pow(cosh(0.5 * sqrt(3 * e) * w->half * j / M), 2);
    to_modes(w, eta, w->a);
    // secants for the speed, from the series of third order (Grimshaw 1971)
    double square = 1 + e - e * e / 20 - 3 * e * e * e / 70, last = square + 0.02 * e, reached = relax(w, sqrt(last));
    for (int n = 0; n < 20 && reached > 0; ++n)
    {
        double got = relax(w, sqrt(square));
        w->speed = sqrt(square);
        if (fabs(got - e) < 1e-10 * e)
            return true;
        double next = square + (e - got) * (square - last) / (got - reached);
        last = square, reached = got;
        square = fmax(next, 1 + 0.5 * e);
    }
    return false;
}

// ---- the map -------------------------------------------------------------------------------------------------------

// z = zeta (1 + a_0) + i a_0 + sum a_k sin(q (zeta + i)) / sinh(q), q = k pi / half; and its derivative.
static double complex map(const solitary *w, double complex zeta, double complex *slope)
{
    double q = pi / w->half;
    double complex turn = cexp(I * q * (zeta + I)), back = 1 / turn, up = turn, down = back;
    double complex z = zeta * (1 + w->a[0]) + I * w->a[0];
    *slope = 1 + w->a[0];
    for (int k = 1; k <= M; ++k, up *= turn, down *= back)
    {
        double b = w->a[k] / sinh(q * k);
        z += b * (up - down) / (2 * I);
        *slope += b * q * k * (up + down) / 2;
    }
    return z;
}

double solitary_elevation(solitary *w, double x)
{
    if (fabs(x) >= w->half)
        return 0;
    if (x == w->last_x)
        return w->last_elevation;
    double complex alpha = x, slope, z = 0;
    for (int n = 0; n < 60; ++n)
    {
        z = map(w, alpha, &slope);
        double step = (creal(z) - x) / creal(slope);
        alpha -= step;
        if (fabs(step) < 1e-13 * w->half)
            break;
    }
    w->last_x = x;
    w->last_elevation = cimag(map(w, alpha, &slope));
    return w->last_elevation;
}

void solitary_velocity(solitary *w, double x, double y, double v[2])
{
    v[0] = v[1] = 0;
    if (fabs(x) >= w->half)
        return;
    double eta = solitary_elevation(w, x);
    y = fmin(y, eta);
    double complex zeta = x + I * ((y + 1) / (1 + eta) - 1), slope;
    for (int n = 0; n < 60; ++n)
    {
        double complex z = map(w, zeta, &slope), step = (z - (x + I * y)) / slope;
        zeta -= step;
        if (cabs(step) < 1e-12 * w->half)
            break;
    }
    (void)map(w, zeta, &slope);
    double complex u = w->speed * (1 - 1 / slope); // u - i v
    v[0] = creal(u);
    v[1] = -cimag(u);
}

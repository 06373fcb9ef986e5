// src/element/bend.c -- rest shapes of bending: angles, lengths and areas, and the matrix K from them.
#include "bend.h"
#include "base/real_math.h"
#include "math/vec3.h"

#include <math.h>

static const double least = 0.2; // fraction of a rest length or area below which moments fade (bend_force.kernel.c)

static bool has_neighbour(const pl__bend_rest *rest, int32_t lane, int edge)
{
    return rest->node[3 + edge][lane] != rest->node[edge][lane];
}

static double height(const pl__bend_rest *rest, int32_t lane, int edge)
{
    return 2 * rest->area[0][lane] / rest->length[edge][lane];
}
static double height_across(const pl__bend_rest *rest, int32_t lane, int edge)
{
    return 2 * rest->area[1 + edge][lane] / rest->length[edge][lane];
}

// ---- K -----------------------------------------------------------------------------------------------------------

// (m_i . m_j)^2, by the law of cosines
static double cosine2(const double l[3], int i, int j)
{
    int k = 3 - i - j;
    double c = i == j ? 1 : (l[i] * l[i] + l[j] * l[j] - l[k] * l[k]) / (2 * l[i] * l[j]);
    return c * c;
}

static void curvature_stiffness(const pl__bend_rest *rest, int32_t lane, double rigidity, double poisson,
                                double K[3][3])
{
    double A = rest->area[0][lane], l[3], weight[3];
    for (int i = 0; i < 3; ++i)
    {
        l[i] = rest->length[i][lane];
        weight[i] = l[i] / (A * rest->inverse_share[i][lane]);
    }
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            K[i][j] = A * rigidity * (poisson + (1 - poisson) * cosine2(l, i, j)) * weight[i] * weight[j];
}

// Hinges: each of the two triangles has half of the energy of an edge.
static void hinge_stiffness(const pl__bend_rest *rest, int32_t lane, double rigidity, double K[3][3])
{
    for (int i = 0; i < 3; ++i)
    {
        double l = rest->length[i][lane];
        for (int j = 0; j < 3; ++j)
            K[i][j] = i == j ? 0.5 * rigidity * l * l / (rest->area[0][lane] + rest->area[1 + i][lane]) : 0;
    }
}

// Condense edge e, whose angle minimises the energy: K - k k^T/K_ee.
static void condense(double K[3][3], int e)
{
    double k[3] = {K[0][e], K[1][e], K[2][e]}, pivot = K[e][e];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            K[i][j] = i == e || j == e || !(pivot > 0) ? 0 : K[i][j] - k[i] * k[j] / pivot;
}

void pl__bend_rest_refresh(pl__bend_rest *rest, int32_t lane)
{
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    double K[3][3], rigidity = rest->held[lane] ? 0 : rest->plate[0][lane], poisson = rest->plate[1][lane];
    if (rest->model[lane] == PL__BEND_HINGE)
        hinge_stiffness(rest, lane, rigidity, K);
    else
        curvature_stiffness(rest, lane, rigidity, poisson, K);
    int inner = 0;
    for (int i = 0; i < 3; ++i)
        if (has_neighbour(rest, lane, i))
            ++inner;
        else
            condense(K, i);
    for (int k = 0; k < 6; ++k)
        rest->stiffness[k][lane] = inner ? K[row[k]][column[k]] : 0;
}

// ---- rest shapes ------------------------------------------------------------------------------------------------

// Plane stress: lambda + 2 mu is E/(1 - nu^2), and lambda over it nu.
void pl__bend_rest_set_material(pl__bend_rest *rest, int32_t lane, const pl__material_params *material)
{
    double t = rest->thickness[lane], modulus = 2 * material->mu + material->lambda;
    rest->plate[0][lane] = modulus * t * t * t / 12;
    rest->plate[1][lane] = material->lambda / modulus;
    pl__bend_rest_refresh(rest, lane);
    rest->damping[lane] = material->damping;
}

void pl__bend_rest_set_share(pl__bend_rest *rest, int32_t lane, int i, bool all)
{
    bool whole = all || rest->model[lane] == PL__BEND_HINGE || !has_neighbour(rest, lane, i);
    rest->inverse_share[i][lane] = whole ? 1 : 1 + rest->area[1 + i][lane] / rest->area[0][lane];
}

void pl__bend_rest_set_creep(pl__bend_rest *rest, int32_t lane, double rate) { rest->creep[lane] = rate; }

void pl__bend_rest_set_yield(pl__bend_rest *rest, int32_t lane, double strain, double hardening, double limit)
{
    for (int i = 0; i < 3; ++i)
        rest->yield[i][lane] = strain * (height(rest, lane, i) + height_across(rest, lane, i)) / rest->thickness[lane];
    rest->hardening[lane] = hardening;
    rest->limit[lane] = limit;
}

double pl__bend_rest_plastic(const pl__bend_rest *rest, int32_t lane)
{
    double most = 0;
    for (int i = 0; i < 3; ++i)
    {
        double turn = fabs(rest->angle[i][lane] - rest->first_angle[i][lane]);
        most = fmax(most, turn * rest->thickness[lane] / (height(rest, lane, i) + height_across(rest, lane, i)));
    }
    return most;
}

static pl_vec3 between(const double from[3], const double to[3])
{
    return pl_make3(to[0] - from[0], to[1] - from[1], to[2] - from[2]);
}

// lengths, areas and the angle at edge i
static void set_edge(pl__bend_rest *rest, int32_t lane, int i, const double X[6][3], pl_vec3 normal)
{
    int j = (i + 1) % 3, k = (i + 2) % 3;
    pl_vec3 e = between(X[j], X[k]), d = between(X[j], X[3 + i]), across = pl_cross3(d, e);
    rest->length[i][lane] = pl_length3(e);
    rest->area[1 + i][lane] = rest->area[0][lane];
    rest->angle[i][lane] = rest->first_angle[i][lane] = 0;
    if (!has_neighbour(rest, lane, i))
        return;
    rest->area[1 + i][lane] = 0.5 * pl_length3(across);
    rest->angle[i][lane] = pl__real_atan2(-pl_length3(e) * pl_dot3(normal, d), pl_dot3(normal, across));
    rest->first_angle[i][lane] = rest->angle[i][lane];
}

// lengths and areas below which moments fade
static void set_fading(pl__bend_rest *rest, int32_t lane)
{
    double length = fmin(rest->length[0][lane], fmin(rest->length[1][lane], rest->length[2][lane])),
           area = rest->area[0][lane];
    for (int i = 0; i < 3; ++i)
        area = fmin(area, rest->area[1 + i][lane]);
    rest->fade_length2[lane] = 1 / (least * least * length * length);
    rest->fade_area2[lane] = 4 * least * least * area * area;
}

void pl__bend_rest_set(pl__bend_rest *rest, int32_t lane, const int32_t node[6], const double X[6][3], double thickness,
                       const pl__material_params *material, pl__bend_model model)
{
    for (int k = 0; k < 6; ++k)
        rest->node[k][lane] = node[k] >= 0 ? node[k] : node[k - 3];
    rest->model[lane] = model;
    rest->held[lane] = 0;
    pl_vec3 normal = pl_cross3(between(X[0], X[1]), between(X[0], X[2]));
    rest->area[0][lane] = 0.5 * pl_length3(normal);
    for (int i = 0; i < 3; ++i)
    {
        set_edge(rest, lane, i, X, normal);
        rest->flowed[i][lane] = rest->delta[i][lane] = 0;
        pl__bend_rest_set_share(rest, lane, i, false);
    }
    set_fading(rest, lane);
    rest->gain[0][lane] = rest->gain[1][lane] = 0;
    rest->thickness[lane] = thickness;
    pl__bend_rest_set_material(rest, lane, material);
    pl__bend_rest_set_yield(rest, lane, INFINITY, 0, 0);
}

void pl__bend_rest_clear(pl__bend_rest *rest, int32_t lane, int32_t node)
{
    for (int k = 0; k < 6; ++k)
    {
        rest->node[k][lane] = node;
        rest->stiffness[k][lane] = 0;
    }
    for (int i = 0; i < 3; ++i)
    {
        rest->angle[i][lane] = rest->first_angle[i][lane] = rest->flowed[i][lane] = rest->delta[i][lane] = 0;
        rest->inverse_share[i][lane] = 1;
        rest->yield[i][lane] = INFINITY;
        rest->length[i][lane] = 1;
    }
    for (int i = 0; i < 4; ++i)
        rest->area[i][lane] = 1;
    rest->fade_length2[lane] = rest->fade_area2[lane] = 1;
    rest->gain[0][lane] = rest->gain[1][lane] = 0;
    rest->hardening[lane] = rest->limit[lane] = rest->damping[lane] = 0;
    rest->plate[0][lane] = rest->plate[1][lane] = 0;
    rest->thickness[lane] = 1;
    rest->creep[lane] = 0;
    rest->model[lane] = PL__BEND_CURVATURE;
    rest->held[lane] = 0;
}

// ---- step bound -------------------------------------------------------------------------------------------------

void pl__bend_rest_set_gain(pl__bend_rest *rest, int32_t lane, const double mass_share[6])
{
    rest->gain[0][lane] = rest->gain[1][lane] = 0;
    for (int k = 0; k < 6; ++k)
        if (mass_share[k] > 0 && 1 / mass_share[k] > rest->gain[k / 3][lane])
            rest->gain[k / 3][lane] = 1 / mass_share[k];
}

// Gradients of a flat angle are 1/h at the opposite vertices and, with feet at the midpoint, half of both at the ends
// of the edge.
void pl__bend_rest_stiffness(const pl__bend_rest *rest, int32_t lane, double corner[6])
{
    for (int k = 0; k < 6; ++k)
        corner[k] = 0;
    for (int i = 0; i < 3; ++i)
    {
        double own = 1 / height(rest, lane, i), across = 1 / height_across(rest, lane, i), K = rest->stiffness[i][lane];
        corner[i] += K * own * own;
        corner[3 + i] += K * across * across;
        for (int k = 1; k < 3; ++k)
            corner[(i + k) % 3] += K * 0.25 * (own + across) * (own + across);
    }
}

// src/element/triangle.c -- rest shapes of triangles.
#include "triangle.h"
#include "math/jacobi.h"
#include "math/mat2.h"

// ---- axes of rest space --------------------------------------------------------------------------------------------

typedef struct
{
    pl_vec3 warp, weft;
} axes;

static pl_vec3 unit(pl_vec3 a) { return pl_scale3(1 / pl_length3(a), a); }

// `direction` without its part along the unit normal
static pl_vec3 in_plane(pl_vec3 direction, pl_vec3 normal)
{
    return pl_axpy3(-pl_dot3(direction, normal), normal, direction);
}

static axes rest_axes(pl_vec3 normal, const double warp[3])
{
    pl_vec3 wanted = warp ? pl_make3(warp[0], warp[1], warp[2]) : pl_make3(1, 0, 0);
    pl_vec3 along = in_plane(wanted, normal);
    if (!(pl_length3(along) > 1e-3 * pl_length3(wanted)))
        along = in_plane(pl_make3(0, 1, 0), normal);
    if (!(pl_length3(along) > 1e-3))
        along = in_plane(pl_make3(1, 0, 0), normal);
    pl_vec3 first = unit(along);
    return (axes){first, pl_cross3(normal, first)};
}

// ---- rest shapes ---------------------------------------------------------------------------------------------------

void pl__triangle_rest_set_material(pl__triangle_rest *rest, int32_t lane, const pl__material_params *material)
{
    rest->damping[lane] = material->damping;
    pl__material_block_set(&rest->material, lane, material);
}

void pl__triangle_rest_set_normal(pl__triangle_rest *rest, int32_t lane, const double normal[3])
{
    for (int i = 0; i < 3; ++i)
        rest->normal[i][lane] = normal[i];
}

static void set_woven(pl__woven_block *block, int32_t lane, const pl__woven_params *woven)
{
    for (int i = 0; i < 2; ++i)
    {
        block->modulus[i][lane] = woven->modulus[i];
        block->stiffening[i][lane] = woven->stiffening[i];
    }
    block->shear[lane] = woven->shear;
    block->coupling[lane] = woven->poisson * sqrt(woven->modulus[0] * woven->modulus[1]);
    block->compression[lane] = woven->compression;
}

void pl__triangle_rest_set_woven(pl__triangle_rest *rest, int32_t lane, const pl__woven_params *woven)
{
    set_woven(&rest->woven, lane, woven);
    rest->material.mu[lane] = 0.25 * (woven->modulus[0] + woven->modulus[1]);
    rest->material.lambda[lane] = rest->woven.coupling[lane] > 0 ? rest->woven.coupling[lane] : 0;
}

pl_status pl__woven_check(pl_context *ctx, const pl__woven_params *woven, const char *name)
{
    for (int i = 0; i < 2; ++i)
    {
        const char *thread = i ? "weft" : "warp";
        PL_CHECK(ctx, woven->modulus[i] > 0 && woven->modulus[i] <= 1e15,
                 "%s.%s: %g Pa must be above 0 and at most 1e15", name, thread, woven->modulus[i]);
        PL_CHECK(ctx, woven->stiffening[i] >= 0 && woven->stiffening[i] <= 1e6,
                 "%s.%s_stiffening: %g must be in [0, 1e6]", name, thread, woven->stiffening[i]);
    }
    PL_CHECK(ctx, woven->shear > 0 && woven->shear <= 1e15, "%s.shear: %g Pa must be above 0 and at most 1e15", name,
             woven->shear);
    PL_CHECK(ctx, woven->compression > 0 && woven->compression <= 1, "%s.compression: %g must be above 0 and at most 1",
             name, woven->compression);
    PL_CHECK(ctx, fabs(woven->poisson) < woven->compression,
             "%s.poisson: %g must be between minus and plus compression (%g)", name, woven->poisson,
             woven->compression);
    return PL_OK;
}

void pl__triangle_rest_set(pl__triangle_rest *rest, int32_t lane, const int32_t node[3], const double X[3][3],
                           double thickness, const double warp[3], const pl__material_params *material)
{
    pl_vec3 edge[2];
    for (int j = 0; j < 2; ++j)
        edge[j] = pl_make3(X[j + 1][0] - X[0][0], X[j + 1][1] - X[0][1], X[j + 1][2] - X[0][2]);
    pl_vec3 area = pl_cross3(edge[0], edge[1]), normal = unit(area);
    axes a = rest_axes(normal, warp);
    double d[4] = {pl_dot3(a.warp, edge[0]), pl_dot3(a.weft, edge[0]), pl_dot3(a.warp, edge[1]),
                   pl_dot3(a.weft, edge[1])};
    double det = d[0] * d[3] - d[2] * d[1];
    const double inverse[4] = {d[3] / det, -d[1] / det, -d[2] / det, d[0] / det};
    static const pl__woven_params nothing = {.compression = 1};
    for (int k = 0; k < 3; ++k)
        rest->node[k][lane] = node[k];
    for (int k = 0; k < 4; ++k)
        rest->inverse[k][lane] = inverse[k];
    rest->volume[lane] = 0.5 * pl_length3(area) * thickness;
    pl__triangle_rest_set_normal(rest, lane, normal.v);
    set_woven(&rest->woven, lane, &nothing);
    pl__triangle_rest_set_material(rest, lane, material);
}

void pl__triangle_rest_clear(pl__triangle_rest *rest, int32_t lane, int32_t node)
{
    static const pl__material_params nothing = {.low = 1, .high = 1};
    static const pl__woven_params unwoven = {.compression = 1};
    for (int k = 0; k < 3; ++k)
        rest->node[k][lane] = node;
    for (int k = 0; k < 4; ++k)
        rest->inverse[k][lane] = 0;
    rest->volume[lane] = rest->gain[0][lane] = rest->gain[1][lane] = 0;
    pl__triangle_rest_set_normal(rest, lane, (const double[3]){0});
    set_woven(&rest->woven, lane, &unwoven);
    pl__triangle_rest_set_material(rest, lane, &nothing);
}

// ---- step bound ----------------------------------------------------------------------------------------------------

// Gradient of the shape function of a corner: a row of B, minus their sum for corner 0.
static void shape_gradient(const pl__triangle_rest *rest, int32_t lane, int corner, double b[2])
{
    for (int j = 0; j < 2; ++j)
    {
        const double(*column)[PL_ELEMENT_LANES] = &rest->inverse[2 * j];
        b[j] = corner ? column[corner - 1][lane] : -(column[0][lane] + column[1][lane]);
    }
}

void pl__triangle_rest_stiffness(const pl__triangle_rest *rest, int32_t lane, double corner[3])
{
    double modulus = 2 * rest->material.mu[lane] + rest->material.lambda[lane];
    for (int k = 0; k < 3; ++k)
    {
        double b[2];
        shape_gradient(rest, lane, k, b);
        corner[k] = rest->volume[lane] * modulus * (b[0] * b[0] + b[1] * b[1]);
    }
}

// the larger eigenvalue of a symmetric 2x2 matrix (00, 11, 01)
static double larger_eigenvalue(const double G[3])
{
    double half = 0.5 * (G[0] - G[1]);
    return 0.5 * (G[0] + G[1]) + sqrt(half * half + G[2] * G[2]);
}

void pl__triangle_rest_set_gain(pl__triangle_rest *rest, int32_t lane, const double mass_share[3])
{
    double G[3] = {0};
    for (int k = 0; k < 3; ++k)
    {
        double b[2], weight = rest->volume[lane] / mass_share[k];
        shape_gradient(rest, lane, k, b);
        G[0] += weight * b[0] * b[0];
        G[1] += weight * b[1] * b[1];
        G[2] += weight * b[0] * b[1];
    }
    rest->gain[0][lane] = larger_eigenvalue(G);
    rest->gain[1][lane] = G[0] + G[1];
}

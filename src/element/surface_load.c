// src/element/surface_load.c -- surface load elements: nodes, enclosed volume, and the scalar reference implementation
// of their kernels.
#include "surface_load.h"
#include "math/vec3.h"

void pl__surface_load_rest_set(pl__surface_load_rest *rest, int32_t lane, const int32_t node[3])
{
    for (int k = 0; k < 3; ++k)
        rest->node[k][lane] = node[k];
}

void pl__surface_load_rest_clear(pl__surface_load_rest *rest, int32_t lane, int32_t node)
{
    pl__surface_load_rest_set(rest, lane, (const int32_t[3]){node, node, node});
}

static pl_vec3 corner(const pl__surface_load_rest *rest, int32_t lane, const double *u, int k)
{
    const double *p = &u[3 * (size_t)rest->node[k][lane]];
    return pl_make3(p[0], p[1], p[2]);
}

double pl__surface_load_volume(const pl__element_group *group, const double *x, int32_t begin, int32_t end,
                               const double centre[3])
{
    double lanes[PL_ELEMENT_LANES] = {0};
    pl_vec3 c = pl_make3(centre[0], centre[1], centre[2]);
    for (int32_t block = begin; block < end; ++block)
        for (int32_t lane = 0; lane < PL_ELEMENT_LANES; ++lane)
        {
            pl_vec3 p[3];
            for (int k = 0; k < 3; ++k)
                p[k] = pl_sub3(corner(&group->skin[block], lane, x, k), c);
            lanes[lane] += pl_dot3(p[0], pl_cross3(p[1], p[2]));
        }
    return pl__lane_sum(lanes) / 6;
}

// ---- reference ---------------------------------------------------------------------------------------------------

typedef struct
{
    pl_vec3 normal;
    double area, across, along;
} drag;

static pl_vec3 mean(const pl__surface_load_rest *rest, int32_t lane, const double *v)
{
    pl_vec3 sum = pl_add3(corner(rest, lane, v, 0), pl_add3(corner(rest, lane, v, 1), corner(rest, lane, v, 2)));
    return pl_scale3(1.0 / 3, sum);
}

static drag measure(const pl__element_group *group, int32_t skin, const double *x, const double *v)
{
    const pl__surface_load_rest *rest = &group->skin[skin / PL_ELEMENT_LANES];
    const pl__air *air = group->air;
    int32_t lane = skin % PL_ELEMENT_LANES;
    pl_vec3 x0 = corner(rest, lane, x, 0);
    pl_vec3 N = pl_cross3(pl_sub3(corner(rest, lane, x, 1), x0), pl_sub3(corner(rest, lane, x, 2), x0));
    double twice = pl_length3(N);
    pl_vec3 n = pl_scale3(twice > 0 ? 1 / twice : 0, N);
    pl_vec3 u =
        pl_sub3(v ? mean(rest, lane, v) : pl_make3(0, 0, 0), pl_make3(air->wind[0], air->wind[1], air->wind[2]));
    double weight = 0.5 * air->density * 0.5 * twice;
    return (drag){n, 0.5 * twice, weight * air->across * fabs(pl_dot3(u, n)), weight * air->along * pl_length3(u)};
}

// C u
static pl_vec3 drag_times(const drag *d, pl_vec3 u)
{
    double along_normal = pl_dot3(d->normal, u);
    return pl_axpy3((d->across - d->along) * along_normal, d->normal, pl_scale3(d->along, u));
}

static void share_out(pl_vec3 total, double strength, double force[3][3])
{
    for (int k = 0; k < 9; ++k)
        force[k / 3][k % 3] = strength * total.v[k % 3] / 3;
}

void pl__surface_load_force_reference(const pl__element_group *group, int32_t skin, const double *x, const double *v,
                                      double strength, double force[3][3])
{
    drag d = measure(group, skin, x, v);
    pl_vec3 wind = pl_make3(group->air->wind[0], group->air->wind[1], group->air->wind[2]);
    share_out(pl_axpy3(group->air->pressure * d.area, d.normal, drag_times(&d, wind)), strength, force);
}

void pl__surface_load_damping_reference(const pl__element_group *group, int32_t skin, const double *x,
                                        const double *frozen, const double *v, double strength, double force[3][3])
{
    drag d = measure(group, skin, x, frozen);
    share_out(drag_times(&d, mean(&group->skin[skin / PL_ELEMENT_LANES], skin % PL_ELEMENT_LANES, v)), strength, force);
}

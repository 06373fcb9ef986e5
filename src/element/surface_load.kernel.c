// src/element/surface_load.kernel.c -- pressure, wind and drag on surface triangles (surface_load.h), one register of
// elements at a time.
#include "base/simd.h"
#include "math/mat3_w.h"
#include "surface_load.h"

typedef struct
{
    pl_vec3_w normal;
    pl_real_w across, along;
} drag_w;

PL_INLINE pl_vec3_w mean(const double *v, const pl__surface_load_rest *rest, int lane)
{
    pl_vec3_w a, b, c;
    pl_gather3_w(v, &rest->node[0][lane], a.x);
    pl_gather3_w(v, &rest->node[1][lane], b.x);
    pl_gather3_w(v, &rest->node[2][lane], c.x);
    return pl_scale3_w(pl_set_w(1.0 / 3), pl_add3_w(a, pl_add3_w(b, c)));
}

PL_INLINE pl_vec3_w constant(const double a[3]) { return pl_make3_w(pl_set_w(a[0]), pl_set_w(a[1]), pl_set_w(a[2])); }

// the unit normal, or zero, and the area
PL_INLINE pl_vec3_w face(const double *x, const pl__surface_load_rest *rest, int lane, pl_real_w *area)
{
    pl_vec3_w x0, x1, x2;
    pl_gather3_w(x, &rest->node[0][lane], x0.x);
    pl_gather3_w(x, &rest->node[1][lane], x1.x);
    pl_gather3_w(x, &rest->node[2][lane], x2.x);
    pl_vec3_w N = pl_cross3_w(pl_sub3_w(x1, x0), pl_sub3_w(x2, x0));
    pl_real_w twice = pl_sqrt_w(pl_dot3_w(N, N));
    *area = 0.5 * twice;
    return pl_scale3_w(pl_select_w(pl_gt_w(twice, pl_set_w(0)), 1 / pl_max_w(twice, pl_set_w(1e-150)), pl_set_w(0)), N);
}

PL_INLINE drag_w freeze(const pl__air *air, pl_vec3_w normal, pl_real_w area, pl_vec3_w u)
{
    pl_real_w weight = 0.5 * air->density * area;
    return (drag_w){normal, weight * air->across * pl_abs_w(pl_dot3_w(u, normal)),
                    weight * air->along * pl_sqrt_w(pl_dot3_w(u, u))};
}

// C u
PL_INLINE pl_vec3_w drag_times(const drag_w *d, pl_vec3_w u)
{
    return pl_axpy3_w((d->across - d->along) * pl_dot3_w(d->normal, u), d->normal, pl_scale3_w(d->along, u));
}

// a third at each corner; returns the sum of absolute values
PL_INLINE pl_real_w share_out(pl_vec3_w total, double strength, int lane, pl__surface_load_forces *out)
{
    pl_real_w size = pl_set_w(0);
    for (int i = 0; i < 3; ++i)
    {
        pl_real_w f = strength * (1.0 / 3) * total.x[i];
        for (int k = 0; k < 3; ++k)
            pl_store_w(&out->f[k][i][lane], f);
        size += pl_abs_w(f);
    }
    return size;
}

PL_INLINE void blow(const pl__force_job *job, int32_t block, int lane, pl__surface_load_forces *out,
                    pl__element_sums *sums)
{
    const pl__surface_load_rest *rest = &job->group->skin[block];
    const pl__air *air = job->group->air;
    pl_real_w area;
    pl_vec3_w normal = face(job->x, rest, lane, &area), wind = constant(air->wind);
    drag_w d =
        freeze(air, normal, area, pl_sub3_w(job->v ? mean(job->v, rest, lane) : constant((const double[3]){0}), wind));
    pl_vec3_w total = pl_axpy3_w(air->pressure * area, normal, drag_times(&d, wind));
    pl_real_w size = share_out(total, job->strength, lane, out);
    pl_store_w(&sums->broken[lane],
               pl_load_w(&sums->broken[lane]) + pl_select_w(pl_lt_w(size, pl_set_w(1e300)), pl_set_w(0), pl_set_w(1)));
    if (!job->frame)
        return;
    pl__surface_load_frame *frame = (pl__surface_load_frame *)job->frame + block;
    pl_store3_w(frame->normal, lane, d.normal);
    pl_store_w(&frame->across[lane], d.across);
    pl_store_w(&frame->along[lane], d.along);
}

void PL_KERNEL(pl__surface_load_force)(const pl__force_job *job, int32_t begin, int32_t end, pl__element_sums *sums)
{
    for (int32_t block = begin; block < end; ++block)
        for (int lane = 0; lane < PL_BLOCK; lane += PL_LANES)
            blow(job, block, lane, (pl__surface_load_forces *)job->force + (block - begin), sums);
}

void PL_KERNEL(pl__surface_load_damping)(const pl__damping_job *job, int32_t begin, int32_t end)
{
    for (int32_t block = begin; block < end; ++block)
        for (int lane = 0; lane < PL_BLOCK; lane += PL_LANES)
        {
            const pl__surface_load_frame *frame = (const pl__surface_load_frame *)job->frame + block;
            drag_w d = {pl_load3_w(frame->normal, lane), pl_load_w(&frame->across[lane]),
                        pl_load_w(&frame->along[lane])};
            pl_vec3_w total = drag_times(&d, mean(job->v, &job->group->skin[block], lane));
            (void)share_out(total, job->strength, lane, (pl__surface_load_forces *)job->force + (block - begin));
        }
}

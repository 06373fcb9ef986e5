// src/element/spring.kernel.c -- forces and damping of springs (spring.h), one register of elements at a time.
#include "base/simd.h"
#include "math/mat3_w.h"
#include "spring.h"

PL_INLINE pl_vec3_w between(const double *u, const pl__spring_rest *rest, int lane)
{
    pl_vec3_w a, b;
    pl_gather3_w(u, &rest->node[0][lane], a.x);
    pl_gather3_w(u, &rest->node[1][lane], b.x);
    return pl_sub3_w(b, a);
}

// tension times direction at node 0, minus that at node 1; returns the sum of absolute values
PL_INLINE pl_real_w pull(pl_vec3_w direction, pl_real_w tension, int lane, pl__spring_forces *out)
{
    pl_real_w size = pl_set_w(0);
    for (int i = 0; i < 3; ++i)
    {
        pl_real_w f = tension * direction.x[i];
        pl_store_w(&out->f[0][i][lane], f);
        pl_store_w(&out->f[1][i][lane], -f);
        size += pl_abs_w(f);
    }
    return size;
}

PL_INLINE void add_to(double *sum, pl_real_w value) { pl_store_w(sum, pl_load_w(sum) + value); }

PL_INLINE void spring(const pl__force_job *job, int32_t block, int lane, pl__spring_forces *out, pl__element_sums *sums)
{
    const pl__spring_rest *rest = &job->group->spring[block];
    pl_vec3_w d = between(job->x, rest, lane);
    // lengths below 1e-150 count as zero: the square underflows
    pl_real_w zero = pl_set_w(0), length2 = pl_dot3_w(d, d), length = pl_sqrt_w(length2);
    pl_real_w inverse = pl_select_w(pl_gt_w(length2, zero), 1 / pl_max_w(length, pl_set_w(1e-150)), zero);
    pl_vec3_w direction = pl_scale3_w(inverse, d);
    pl_real_w stiffness = job->strength * pl_load_w(&rest->stiffness[lane]),
              extension = length - pl_load_w(&rest->length[lane]);
    pl_real_w size = pull(direction, stiffness * extension, lane, out);
    add_to(&sums->broken[lane], pl_select_w(pl_lt_w(size, pl_set_w(1e300)), zero, pl_set_w(1)));
    if (job->want_energy)
        add_to(&sums->energy[lane], 0.5 * stiffness * extension * extension);
    pl_real_w frequency2 = stiffness * pl_load_w(&rest->gain[lane]);
    pl_store_w(&sums->frequency2[lane], pl_max_w(frequency2, pl_load_w(&sums->frequency2[lane])));
    if (job->frame)
        pl_store3_w(((pl__spring_frame *)job->frame + block)->direction, lane, direction);
}

void PL_KERNEL(pl__spring_force)(const pl__force_job *job, int32_t begin, int32_t end, pl__element_sums *sums)
{
    for (int32_t block = begin; block < end; ++block)
        for (int lane = 0; lane < PL_BLOCK; lane += PL_LANES)
            spring(job, block, lane, (pl__spring_forces *)job->force + (block - begin), sums);
}

void PL_KERNEL(pl__spring_damping)(const pl__damping_job *job, int32_t begin, int32_t end)
{
    for (int32_t block = begin; block < end; ++block)
        for (int lane = 0; lane < PL_BLOCK; lane += PL_LANES)
        {
            const pl__spring_rest *rest = &job->group->spring[block];
            pl_vec3_w n = pl_load3_w(((const pl__spring_frame *)job->frame + block)->direction, lane);
            pl_real_w weight = -job->strength * pl_load_w(&rest->damping[lane]) * pl_load_w(&rest->stiffness[lane]);
            pl_real_w rate = pl_dot3_w(n, between(job->v, rest, lane));
            (void)pull(n, weight * rate, lane, (pl__spring_forces *)job->force + (block - begin));
        }
}

// src/element/gather.c
#include "gather.h"

void pl__gather_nodes(const pl__gather_job *job, int32_t begin, int32_t end)
{
    const int32_t *start = job->gather->start, *corner = job->gather->corner;
    const double *force = (const double *)job->force;
    for (int32_t node = begin; node < end; ++node)
    {
        double x = 0, y = 0, z = 0;
        for (int32_t i = start[node]; i < start[node + 1]; ++i)
        {
            const double *f = &force[corner[i]];
            x += f[0];
            y += f[PL_TET_LANES];
            z += f[2 * PL_TET_LANES];
        }
        double *out = &job->out[3 * (size_t)node];
        out[0] = job->scale * x;
        out[1] = job->scale * y;
        out[2] = job->scale * z;
        for (int i = 0; job->inertia != 0 && i < 3; ++i)
        {
            size_t k = 3 * (size_t)node + (size_t)i;
            out[i] += job->inertia * job->mass[k] * job->in[k];
        }
    }
}

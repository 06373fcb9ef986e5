// app/slices.c
#include "slices.h"

#include <math.h>
#include <stdlib.h>

void slice_free(slice *s)
{
    free(s->vertices);
    free(s->triangles);
    free(s->values);
    *s = (slice){0};
}

static void add_cell(slice *s, const double box[6], double z, double value)
{
    static const int half[6] = {0, 1, 2, 0, 2, 3};
    int32_t first = 4 * s->count;
    for (int corner = 0; corner < 4; ++corner)
    {
        float *to = &s->vertices[3 * (size_t)(first + corner)];
        to[0] = (float)box[corner == 1 || corner == 2 ? 3 : 0];
        to[1] = (float)box[corner >= 2 ? 4 : 1];
        to[2] = (float)z;
        s->values[first + corner] = (float)value;
    }
    for (int k = 0; k < 6; ++k)
        s->triangles[6 * (size_t)s->count + (size_t)k] = first + half[k];
    s->count++;
}

static void add_cells(slice *s, const pl_liquid_cells *c, int32_t count, double z, bool liquid, slice_value what)
{
    for (int32_t n = 0; n < count; ++n)
    {
        const double *box = &c->boxes[6 * (size_t)n], *v = &c->velocities[3 * (size_t)n];
        double speed = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        if (box[2] <= z && z < box[5] && (c->phi[n] < 0) == liquid)
            add_cell(s, box, z,
                     what == SLICE_PRESSURE      ? c->pressures[n]
                     : what == SLICE_STRAIN      ? c->strains[n]
                     : what == SLICE_TEMPERATURE ? c->temperatures[n]
                     : what == SLICE_SPEED       ? speed
                                                 : 0);
    }
}

bool slice_make(const pl_world *world, double z, bool liquid, slice_value what, slice *out)
{
    int32_t count = pl_world_liquid_cell_count(world);
    size_t n = (size_t)count + 1;
    double *room = malloc(13 * n * sizeof *room);
    *out = (slice){.vertices = malloc(12 * n * sizeof *out->vertices),
                   .triangles = malloc(6 * n * sizeof *out->triangles),
                   .values = malloc(4 * n * sizeof *out->values)};
    bool good = room && out->vertices && out->triangles && out->values;
    if (good)
    {
        const pl_liquid_cells c = {.boxes = room,
                                   .phi = room + 6 * n,
                                   .velocities = room + 7 * n,
                                   .pressures = room + 10 * n,
                                   .strains = room + 11 * n,
                                   .temperatures = room + 12 * n};
        good = pl_world_liquid_read_cells(world, &c) == PL_OK;
        if (good)
            add_cells(out, &c, count, z, liquid, what);
    }
    free(room);
    if (!good)
        slice_free(out);
    return good;
}

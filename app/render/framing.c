// app/render/framing.c -- the part of some meshes that a camera should frame.
//
// One splinter or one small body that flies away must not make all the rest small. Along each axis the bulk is what
// lies between the first and the last hundredth of the area, by the middles of triangles; ears, corners and rims reach
// a little farther, so all is framed up to a quarter of the largest side of the bulk beyond it, and what is farther out
// leaves the picture. Where nothing flies away that is the box of everything.
//
// What it does badly: of many triangles some thousands are asked, at equal steps through the list.
#include "render.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

enum
{
    MOST_ASKED = 20000
};

static const double left_out = 0.01; // of the area, at either end
static const double reach = 0.25;    // of the largest side of the bulk

typedef struct sample
{
    double at[3], area;
} sample;

// The same along one axis.
typedef struct place
{
    double at, area;
} place;

static bool take_sample(const render_mesh *mesh, int32_t t, sample *s)
{
    double e[2][3], square = 0;
    const float *x[3];
    for (int k = 0; k < 3; ++k)
        x[k] = &mesh->vertices[3 * (size_t)mesh->triangles[3 * (size_t)t + (size_t)k]];
    for (int i = 0; i < 3; ++i)
    {
        s->at[i] = ((double)x[0][i] + x[1][i] + x[2][i]) / 3;
        e[0][i] = (double)x[1][i] - x[0][i];
        e[1][i] = (double)x[2][i] - x[0][i];
    }
    for (int i = 0; i < 3; ++i)
    {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        double normal = e[0][j] * e[1][k] - e[0][k] * e[1][j];
        square += normal * normal;
    }
    s->area = 0.5 * sqrt(square);
    return isfinite(s->area) && isfinite(s->at[0] + s->at[1] + s->at[2]);
}

static int64_t take_samples(const render_mesh *mesh, int32_t mesh_count, sample *samples)
{
    int64_t total = 0, number = 0, count = 0;
    for (int32_t m = 0; m < mesh_count; ++m)
        total += mesh[m].triangle_count;
    int64_t step = total / MOST_ASKED + 1;
    for (int32_t m = 0; m < mesh_count; ++m)
        for (int32_t t = 0; t < mesh[m].triangle_count; ++t, ++number)
            if (number % step == 0)
                count += take_sample(&mesh[m], t, &samples[count]);
    return count;
}

static int compare_places(const void *a, const void *b)
{
    double x = ((const place *)a)->at, y = ((const place *)b)->at;
    return (x > y) - (x < y);
}

// Where the area that is left out ends, from either side.
static void find_bulk(const sample *samples, int64_t count, int axis, place *places, double *low, double *high)
{
    double whole = 0, below = 0, above = 0;
    int64_t first = 0, last = count - 1;
    for (int64_t i = 0; i < count; ++i)
    {
        places[i] = (place){samples[i].at[axis], samples[i].area};
        whole += samples[i].area;
    }
    qsort(places, (size_t)count, sizeof *places, compare_places);
    while (first < last && (below += places[first].area) < left_out * whole)
        first++;
    while (last > first && (above += places[last].area) < left_out * whole)
        last--;
    *low = places[first].at;
    *high = places[last].at;
}

// How far out things are framed: everywhere, if nothing is known of them.
static void find_limits(const render_mesh *mesh, int32_t mesh_count, double low[3], double high[3])
{
    double largest = 0;
    sample *samples = malloc((MOST_ASKED + 1) * sizeof *samples);
    place *places = malloc((MOST_ASKED + 1) * sizeof *places);
    int64_t count = samples && places ? take_samples(mesh, mesh_count, samples) : 0;
    for (int i = 0; i < 3; ++i)
    {
        low[i] = -HUGE_VAL;
        high[i] = HUGE_VAL;
        if (count > 0)
            find_bulk(samples, count, i, places, &low[i], &high[i]);
        largest = fmax(largest, high[i] - low[i]);
    }
    free(samples);
    free(places);
    for (int i = 0; i < 3; ++i)
    {
        low[i] -= reach * largest;
        high[i] += reach * largest;
    }
}

void render_extend_box(const render_mesh *mesh, double lower[3], double upper[3])
{
    for (size_t k = 0; k < 3 * (size_t)mesh->vertex_count; ++k)
        if (isfinite(mesh->vertices[k]))
        {
            lower[k % 3] = fmin(lower[k % 3], mesh->vertices[k]);
            upper[k % 3] = fmax(upper[k % 3], mesh->vertices[k]);
        }
}

void render_extend_box_by_bulk(const render_mesh *mesh, int32_t mesh_count, double lower[3], double upper[3])
{
    double low[3], high[3], least[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, most[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    find_limits(mesh, mesh_count, low, high);
    for (int32_t m = 0; m < mesh_count; ++m)
        render_extend_box(&mesh[m], least, most);
    for (int i = 0; i < 3 && least[0] <= most[0]; ++i)
    {
        lower[i] = fmin(lower[i], fmax(least[i], low[i]));
        upper[i] = fmax(upper[i], fmin(most[i], high[i]));
    }
}

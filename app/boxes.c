// app/boxes.c
#include "boxes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct corner
{
    int32_t at[3]; // on the lattice
    int32_t use;   // 8 cell + number
} corner;

// Upper end along each axis of the corners of a hexahedron.
static const int upper_end[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                    {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};

static int compare(const void *a, const void *b)
{
    const corner *p = a, *q = b;
    for (int i = 0; i < 3; ++i)
        if (p->at[i] != q->at[i])
            return p->at[i] < q->at[i] ? -1 : 1;
    return p->use < q->use ? -1 : 1;
}

void boxes_free(boxes *b)
{
    free(b->cells);
    free(b->nodes);
    *b = (boxes){0};
}

static void number_corners(const corner *sorted, size_t count, const double lower[3], double h, boxes *out)
{
    for (size_t i = 0; i < count; ++i)
    {
        if (i == 0 || memcmp(sorted[i].at, sorted[i - 1].at, sizeof sorted[i].at) != 0)
        {
            for (int a = 0; a < 3; ++a)
                out->nodes[3 * (size_t)out->node_count + (size_t)a] = lower[a] + h * sorted[i].at[a];
            out->node_count++;
        }
        out->cells[sorted[i].use] = out->node_count - 1;
    }
}

bool boxes_make(const double *box, int32_t count, const double lower[3], double h, boxes *out)
{
    size_t corners = 8 * (size_t)count;
    corner *all = malloc((corners + 1) * sizeof *all);
    *out = (boxes){.cell_count = count,
                   .cells = malloc((corners + 1) * sizeof *out->cells),
                   .nodes = malloc((3 * corners + 1) * sizeof *out->nodes)};
    bool good = all && out->cells && out->nodes && count < INT32_MAX / 8;
    for (size_t i = 0; good && i < corners; ++i)
    {
        all[i].use = (int32_t)i;
        for (int a = 0; a < 3; ++a)
            all[i].at[a] = (int32_t)lrint((box[6 * (i / 8) + (size_t)(3 * upper_end[i % 8][a] + a)] - lower[a]) / h);
    }
    if (good)
    {
        qsort(all, corners, sizeof *all, compare);
        number_corners(all, corners, lower, h, out);
    }
    else
        boxes_free(out);
    free(all);
    return good;
}

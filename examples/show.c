// examples/show.c -- a body of a world as a surface to draw.
#include "show.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const float alarm_colour[3] = {0.58f, 0.05f, 0.03f};

bool show_create(show *s, const pl_world *world, pl_body_id body, const pl_mesh *mesh, const float colour[3])
{
    size_t nodes = (size_t)pl_mesh_node_count(mesh), vertices = (size_t)pl_body_surface_vertex_count(world, body);
    *s = (show){.body = body, .mesh = mesh};
    memcpy(s->colour, colour, sizeof s->colour);
    s->positions = malloc(nodes * 3 * sizeof *s->positions);
    s->share = malloc(nodes * sizeof *s->share);
    s->around = malloc(nodes * sizeof *s->around);
    s->vertices = malloc(vertices * 3 * sizeof *s->vertices);
    s->normals = malloc(vertices * 3 * sizeof *s->normals);
    s->colours = malloc(vertices * 3 * sizeof *s->colours);
    if (!s->positions || !s->share || !s->around || !s->vertices || !s->normals || !s->colours)
    {
        show_destroy(s);
        return false;
    }
    s->surface = (picture_surface){.vertex_count = (int32_t)vertices, .vertices = s->vertices, .normals = s->normals, .colours = s->colours};
    s->surface.triangles = pl_body_surface_triangles(world, body, &s->surface.triangle_count);
    return true;
}

void show_destroy(show *s)
{
    free(s->positions);
    free(s->share);
    free(s->around);
    free(s->vertices);
    free(s->normals);
    free(s->colours);
    *s = (show){0};
}

// Six times the volume of a tetrahedron now.
static double volume6(const double *x, const int32_t *t)
{
    double e[3][3];
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i)
            e[j][i] = x[3 * t[j + 1] + i] - x[3 * t[0] + i];
    return e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) + e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
           e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
}

static void find_inverted(show *s)
{
    int32_t nodes = pl_mesh_node_count(s->mesh), tets = pl_mesh_tet_count(s->mesh);
    const int32_t *tet = pl_mesh_tets(s->mesh);
    memset(s->share, 0, (size_t)nodes * sizeof *s->share);
    memset(s->around, 0, (size_t)nodes * sizeof *s->around);
    for (int32_t t = 0; t < tets; ++t)
    {
        bool inverted = volume6(s->positions, &tet[4 * t]) <= 0;
        for (int k = 0; k < 4; ++k)
        {
            s->share[tet[4 * t + k]] += inverted;
            s->around[tet[4 * t + k]]++;
        }
    }
    for (int32_t n = 0; n < nodes; ++n)
        s->share[n] /= s->around[n] ? (float)s->around[n] : 1;
}

const picture_surface *show_update(show *s, const pl_world *world)
{
    if (pl_body_read(world, s->body, s->positions, NULL) != PL_OK)
        return &s->surface;
    (void)pl_body_read_surface(world, s->body, s->vertices, s->normals, 3 * sizeof(float));
    find_inverted(s);
    const int32_t *node = pl_body_surface_nodes(world, s->body);
    for (int32_t i = 0; i < s->surface.vertex_count; ++i)
        for (int k = 0; k < 3; ++k)
            s->colours[3 * i + k] = s->colour[k] + s->share[node[i]] * (alarm_colour[k] - s->colour[k]);
    return &s->surface;
}

int show_failure(const pl_context *ctx)
{
    fprintf(stderr, "%s\n", pl_context_error(ctx));
    return 1;
}

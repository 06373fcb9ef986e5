// tests/animation.h -- a small animation in closed form: a cube of tetrahedra that shears and rises, and a sheet that
// slides.
//
//     block     x(t) = X + t (0.5 Y, 0.25, 0)       8 nodes, 6 tetrahedra, 12 triangles, a vertex that none of them uses, texture
//                                                   coordinates with a seam along every edge, 2 groups, 4 fields
//     sheet-2   x(t) = X + t (0, -0.125, 1)         4 vertices, 2 triangles, no volume, normals, a texture coordinate per vertex
//
// Each frame is made anew and the one before is overwritten and freed, so an exporter that holds on to it is caught.
#ifndef PL_TEST_ANIMATION_H
#define PL_TEST_ANIMATION_H

#include "test.h"
#include <pliant/export.h>

enum
{
    FRAMES = 5,
    FIRST_NUMBER = 3,
    BLOCK_VERTICES = 9, // vertex 0 is the one without a triangle
    BLOCK_NODES = 8,
    BLOCK_TETS = 6,
    BLOCK_TRIANGLES = 12,
    SHEET_VERTICES = 4
};

#define FPS 24.0

typedef struct moment
{
    pl_frame frame;
    pl_frame_body body[2];
    pl_frame_field field[4];
    double vertex[3 * BLOCK_VERTICES], vertex_velocity[3 * BLOCK_VERTICES];
    double node[3 * BLOCK_NODES], node_velocity[3 * BLOCK_NODES];
    double force[3 * BLOCK_NODES], temperature[BLOCK_NODES], J[BLOCK_TETS], stress[9 * BLOCK_TETS];
    double sheet[3 * SHEET_VERTICES], sheet_velocity[3 * SHEET_VERTICES], sheet_normal[3 * SHEET_VERTICES];
} moment;

typedef struct animation
{
    pl_frame_source source;
    moment *now;
    int64_t reads;
    int32_t fail_at;                  // this frame cannot be read; -1: all can
    pl_status fail_with;              // with this status
    void (*spoil)(moment *, int32_t); // changes a frame on its way out, or NULL
} animation;

// ---- what never changes ----------------------------------------------------------------------------------------

static double cube_rest[3 * BLOCK_NODES], cube_uv[48];
static const double sheet_rest[3 * SHEET_VERTICES] = {-2, 0, 0, -1, 0, 0, -1, 0, 1, -2, 0.5, 1};
static const double sheet_uv[2 * SHEET_VERTICES] = {0, 0, 1, 0, 1, 1, 0, 1};
static const int32_t sheet_triangles[6] = {0, 2, 1, 0, 3, 2};

// Corners are numbered x + 2 y + 4 z. Kuhn's six tetrahedra go along the diagonal from 0 to 7.
static const int32_t cube_tets[4 * BLOCK_TETS] = {0, 1, 3, 7, 0, 5, 1, 7, 0, 3, 2, 7,
                                                  0, 2, 6, 7, 0, 4, 5, 7, 0, 6, 4, 7};
static const int32_t cube_quads[24] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};
static int32_t cube_triangles[3 * BLOCK_TRIANGLES], cube_triangle_uvs[3 * BLOCK_TRIANGLES],
    cube_groups[BLOCK_TRIANGLES];
static const char *const cube_group_names[2] = {"left side", "rest"};

static void make_cube(void)
{
    for (int i = 0; i < BLOCK_NODES; ++i)
        for (int k = 0; k < 3; ++k)
            cube_rest[3 * i + k] = i >> k & 1;
    for (int i = 0; i < 24; ++i)
    {
        cube_uv[2 * i] = (i / 4 + (i % 4 == 1 || i % 4 == 2)) / 6.0;
        cube_uv[2 * i + 1] = i % 4 >= 2;
    }
    for (int i = 0; i < BLOCK_TRIANGLES; ++i)
    {
        for (int k = 0; k < 3; ++k)
        {
            int corner = k == 0 ? 0 : k + i % 2;
            cube_triangles[3 * i + k] = 1 + cube_quads[4 * (i / 2) + corner];
            cube_triangle_uvs[3 * i + k] = 4 * (i / 2) + corner;
        }
        cube_groups[i] = i < 2 ? 0 : i < 10 ? 1 : -1;
    }
}

// ---- one moment ------------------------------------------------------------------------------------------------

static void move_block(double t, const double *rest, double *x, double *v)
{
    v[0] = 0.5 * rest[1];
    v[1] = 0.25;
    v[2] = 0;
    for (int k = 0; k < 3; ++k)
        x[k] = rest[k] + t * v[k];
}

static void fill_block(moment *m, double t)
{
    move_block(t, (double[]){0.5, 0.5, 0.5}, m->vertex, m->vertex_velocity);
    for (int i = 0; i < BLOCK_NODES; ++i)
    {
        move_block(t, &cube_rest[3 * i], &m->node[3 * i], &m->node_velocity[3 * i]);
        memcpy(&m->vertex[3 * (i + 1)], &m->node[3 * i], 3 * sizeof(double));
        memcpy(&m->vertex_velocity[3 * (i + 1)], &m->node_velocity[3 * i], 3 * sizeof(double));
        m->temperature[i] = 300 + i + t;
        for (int k = 0; k < 3; ++k)
            m->force[3 * i + k] = i - k * t;
    }
    for (int i = 0; i < BLOCK_TETS; ++i)
    {
        m->J[i] = 1 + 0.1 * i;
        for (int k = 0; k < 9; ++k)
            m->stress[9 * i + k] = 1e5 * i + k + t / 3;
    }
    m->field[0] = (pl_frame_field){"J", 1, 1, m->J};
    m->field[1] = (pl_frame_field){"stress", 9, 1, m->stress};
    m->field[2] = (pl_frame_field){"temperature", 1, 0, m->temperature};
    m->field[3] = (pl_frame_field){"force", 3, 0, m->force};
    m->body[0] = (pl_frame_body){.name = "block",
                                 .vertex_count = BLOCK_VERTICES,
                                 .vertices = m->vertex,
                                 .vertex_velocities = m->vertex_velocity,
                                 .triangle_count = BLOCK_TRIANGLES,
                                 .triangles = cube_triangles,
                                 .uv_count = 24,
                                 .uvs = cube_uv,
                                 .triangle_uvs = cube_triangle_uvs,
                                 .group_count = 2,
                                 .group_names = cube_group_names,
                                 .triangle_groups = cube_groups,
                                 .node_count = BLOCK_NODES,
                                 .nodes = m->node,
                                 .node_velocities = m->node_velocity,
                                 .rest_nodes = cube_rest,
                                 .cell_count = BLOCK_TETS,
                                 .cells = cube_tets,
                                 .field_count = 4,
                                 .fields = m->field,
                                 .color = {0.8, 0.2, 0.1}};
}

static void fill_sheet(moment *m, double t)
{
    for (int i = 0; i < SHEET_VERTICES; ++i)
        for (int k = 0; k < 3; ++k)
        {
            m->sheet_velocity[3 * i + k] = k == 1 ? -0.125 : k == 2;
            m->sheet[3 * i + k] = sheet_rest[3 * i + k] + t * m->sheet_velocity[3 * i + k];
            m->sheet_normal[3 * i + k] = k == 1 ? 2 : k == 0 ? t : 0; // not of unit length
        }
    m->body[1] = (pl_frame_body){.name = "sheet-2",
                                 .vertex_count = SHEET_VERTICES,
                                 .vertices = m->sheet,
                                 .vertex_velocities = m->sheet_velocity,
                                 .normals = m->sheet_normal,
                                 .triangle_count = 2,
                                 .triangles = sheet_triangles,
                                 .uv_count = SHEET_VERTICES,
                                 .uvs = sheet_uv,
                                 .triangle_uvs = sheet_triangles,
                                 .color = {0.1, 0.2, 0.8}};
}

static void forget(animation *a)
{
    if (a->now)
        memset(a->now, 0xff, sizeof *a->now);
    free(a->now);
    a->now = NULL;
}

static pl_status animation_read(void *user, int32_t index, const pl_frame **frame)
{
    animation *a = user;
    a->reads++;
    forget(a);
    if (index == a->fail_at)
        return a->fail_with;
    moment *m = a->now = calloc(1, sizeof *m);
    if (!m || index < 0 || index >= a->source.frame_count)
        abort();
    double t = (FIRST_NUMBER + index) / FPS;
    fill_block(m, t);
    fill_sheet(m, t);
    m->frame = (pl_frame){FIRST_NUMBER + index, t, 2, m->body};
    if (a->spoil)
        a->spoil(m, index);
    *frame = &m->frame;
    return PL_OK;
}

static void start_animation(animation *a, int32_t frame_count)
{
    make_cube();
    *a = (animation){.source = {frame_count, FPS, animation_read, a, 0}, .fail_at = -1};
}

#endif

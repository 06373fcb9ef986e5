// src/embed/cut_settle.c -- finds the tets that contain the vertices of a surface, without degenerate cases.
//
// Models are drawn on grids and meshes are made on them, so that vertices in faces, edges along edges and triangles
// within faces are common. Side predicates therefore use perturbed vertices, each moved randomly by 2e-12 of the
// mesh's size; remaining degeneracies are resolved by perturb.h. That alone would suffice to close the surface, but
// where points coincide, regions without area cannot be told apart by their coordinates, and their triangulations
// overlap (tried). The vertices themselves keep their positions, and crossings are off by the perturbation.
//
// Vertices on the boundary of the mesh, or off it by rounding, would be outside half of the time. They are also moved
// inwards, along a direction that leads inwards from all boundary triangles that they touch. Such a direction exists
// except at saddles of the boundary. It is found by repeatedly turning away from the worst triangle (the perceptron).
#include "base/random.h"
#include "base/task.h"
#include "cut_parts.h"
#include "locate.h"
#include "math/mat3.h"
#include "mesh/bvh.h"
#include "mesh/point.h"

#include <string.h>

enum
{
    SETTLE_CHUNK = 64,
    MOST_TOUCHED = 64,
    MOST_STEPS = 64 // faces crossed before all tets are tried
};

// Size of the perturbation: relative to the mesh's size, and to its distance from the origin.
static const double noise_of_size = 2e-12, noise_of_distance = 4e-15;

typedef struct
{
    pl__cut *cut;
    const pl__tet_tree *tree;
    double noise;
} settle_job;

// ---- inwards --------------------------------------------------------------------------------------------------------

static bool touch(const settle_job *job, int32_t triangle, const double p[3], double normal[3])
{
    double c[9], ab[3], ac[3], closest[3];
    for (int k = 0; k < 3; ++k)
        memcpy(&c[3 * k], &job->cut->node[3 * (size_t)job->cut->rim_triangle[3 * (size_t)triangle + (size_t)k]],
               3 * sizeof *c);
    if (pl__triangle_closest(p, c, closest) > job->noise * job->noise)
        return false;
    pl__sub3(&c[3], c, ab);
    pl__sub3(&c[6], c, ac);
    pl__cross3(ab, ac, normal);
    double length = pl__length3(normal);
    for (int d = 0; d < 3; ++d)
        normal[d] /= length;
    return true;
}

// Outward normals of boundary triangles at the nodes of a tet that touch p.
static int find_touched(const settle_job *job, int32_t tet, const double p[3], double normal[MOST_TOUCHED][3])
{
    const pl__cut *cut = job->cut;
    int count = 0;
    for (int c = 0; c < 4; ++c)
    {
        int32_t node = cut->tet[4 * (size_t)tet + (size_t)c];
        for (int32_t k = cut->rim.start[node]; k < cut->rim.start[node + 1] && count < MOST_TOUCHED; ++k)
            count += touch(job, cut->rim.item[k] / 3, p, normal[count]);
    }
    return count;
}

static int find_worst(double normal[][3], int count, const double direction[3])
{
    int worst = 0;
    for (int i = 1; i < count; ++i)
        if (pl__dot3(normal[i], direction) > pl__dot3(normal[worst], direction))
            worst = i;
    return worst;
}

static void turn_away(double direction[3], const double normal[3], double amount)
{
    for (int d = 0; d < 3; ++d)
        direction[d] -= amount * normal[d];
    double length = pl__length3(direction);
    for (int d = 0; d < 3 && length > 0; ++d)
        direction[d] /= length;
}

static void move_inwards(const settle_job *job, int32_t tet, double p[3])
{
    double normal[MOST_TOUCHED][3], direction[3] = {0};
    int count = find_touched(job, tet, p, normal);
    if (count == 0)
        return;
    for (int i = 0; i < count; ++i)
        turn_away(direction, normal[i], 1);
    for (int round = 0; round < 100; ++round)
    {
        const double *worst = normal[find_worst(normal, count, direction)];
        double slope = -pl__dot3(worst, direction);
        if (slope > 0.1)
            break;
        turn_away(direction, worst, 0.2 - slope);
    }
    double slope = -pl__dot3(normal[find_worst(normal, count, direction)], direction);
    for (int d = 0; d < 3 && slope > 0.01; ++d)
        p[d] += 3 * job->noise / slope * direction[d];
}

// ---- the tet --------------------------------------------------------------------------------------------------------

// The first face that the vertex is in front of, or -1 if the tet contains it.
static int find_way_out(const pl__cut *cut, int32_t tet, int32_t vertex)
{
    const int32_t *n = &cut->tet[4 * (size_t)tet];
    pl__spot p = pl__cut_vertex_spot(cut, vertex);
    for (int f = 0; f < 4; ++f)
    {
        const int8_t *c = pl__element_forms[PL_ELEMENT_TET].face[f];
        if (pl__side(pl__cut_node_spot(cut, n[c[0]]), pl__cut_node_spot(cut, n[c[1]]), pl__cut_node_spot(cut, n[c[2]]),
                     p) < 0)
            return f;
    }
    return -1;
}

static int32_t find_home(const pl__cut *cut, int32_t tet, int32_t vertex)
{
    for (int step = 0; step < MOST_STEPS; ++step)
    {
        int way = find_way_out(cut, tet, vertex);
        if (way < 0)
            return tet;
        int32_t next = cut->twin[4 * (size_t)tet + (size_t)way];
        if (next < 0)
            break;
        tet = next / 4;
    }
    for (int32_t t = 0; t < cut->tet_count; ++t)
        if (find_way_out(cut, t, vertex) < 0)
            return t;
    return -1;
}

static pl_vec3 vector_at(const double *x) { return pl_make3(x[0], x[1], x[2]); }

// As in embed.c.
static void find_weights(const pl__cut *cut, int32_t tet, const double *point, double weight[3])
{
    const int32_t *node = &cut->tet[4 * (size_t)tet];
    pl_vec3 X0 = vector_at(&cut->node[3 * (size_t)node[0]]), X = pl_sub3(vector_at(point), X0);
    pl_mat3 Dm;
    for (int j = 0; j < 3; ++j)
        pl_set_column3(&Dm, j, pl_sub3(vector_at(&cut->node[3 * (size_t)node[j + 1]]), X0));
    pl_mat3 inverse = pl_inverse3(&Dm);
    pl_vec3 w = pl_mul3(&inverse, X);
    w = pl_add3(w, pl_mul3(&inverse, pl_sub3(X, pl_mul3(&Dm, w))));
    memcpy(weight, w.v, sizeof w.v);
}

static void settle_range(void *argument, int32_t begin, int32_t end)
{
    const settle_job *job = argument;
    pl__cut *cut = job->cut;
    for (int32_t i = begin; i < end; ++i)
    {
        double distance, *p = &cut->moved[3 * (size_t)i];
        const double from[3] = {p[0] + cut->center[0], p[1] + cut->center[1], p[2] + cut->center[2]};
        int32_t tet = pl__tet_tree_find(job->tree, from, &distance);
        move_inwards(job, tet, p);
        for (int d = 0; d < 3; ++d)
            p[d] += job->noise * (2 * pl__random01(0, (uint64_t)d, (uint64_t)i) - 1);
        cut->home[i] = find_home(cut, tet, i);
        find_weights(cut, cut->home[i] < 0 ? tet : cut->home[i], &cut->x[3 * (size_t)i], &cut->weight[3 * (size_t)i]);
        if (cut->home[i] < 0)
            cut->home[i] = ~tet;
    }
}

// Only vertices used by triangles must be inside.
static pl_status check_homes(const pl__cut *cut)
{
    for (int32_t i = 0; i < 3 * cut->triangle_count; ++i)
    {
        int32_t v = cut->corner[i];
        PL_CHECK(cut->ctx, cut->home[v] >= 0,
                 "vertex %d of the surface, at (%g, %g, %g), is outside the mesh, which must hold all of it", v,
                 cut->x[3 * (size_t)v] + cut->center[0], cut->x[3 * (size_t)v + 1] + cut->center[1],
                 cut->x[3 * (size_t)v + 2] + cut->center[2]);
    }
    for (int32_t v = 0; v < cut->vertex_count; ++v)
        cut->home[v] = cut->home[v] < 0 ? ~cut->home[v] : cut->home[v];
    return PL_OK;
}

pl_status pl__cut_settle(pl__cut *cut, const pl_mesh *mesh)
{
    cut->home = PL_NEW(cut->ctx, cut->vertex_count, int32_t);
    cut->weight = PL_NEW(cut->ctx, 3 * (size_t)cut->vertex_count, double);
    if (!cut->home || !cut->weight)
        return PL_ERR_MEMORY;
    memcpy(cut->moved, cut->x, 3 * sizeof *cut->x * (size_t)cut->vertex_count);
    pl__tet_tree tree;
    PL_TRY(pl__tet_tree_create(cut->ctx, mesh, &tree));
    double noise = pl__max(noise_of_size * tree.size, noise_of_distance * pl__length3(cut->center));
    pl__parallel_for(cut->ctx, cut->vertex_count, SETTLE_CHUNK, settle_range, &(settle_job){cut, &tree, noise});
    pl__tet_tree_done(&tree);
    return check_homes(cut);
}

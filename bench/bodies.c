// bench/bodies.c
#include "bodies.h"
#include "base/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define MUST(b, call)                                                                                                  \
    do                                                                                                                 \
    {                                                                                                                  \
        if ((call) != PL_OK)                                                                                           \
        {                                                                                                              \
            fprintf(stderr, "pliant_bench: %s\n", pl_context_error((b)->ctx));                                         \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

// A cube cut so finely that there are about as many as wanted: try coarsely, then correct.
static pl_mesh *make_mesh(const bench *b, const body_choice *c)
{
    pl_mesh *mesh = NULL;
    pl_shape_def def = pl_shape_def_default();
    def.cut = c->cut;
    def.edge = 0.1;
    double wanted = c->nodes ? c->nodes : c->tets;
    for (int attempt = 0; attempt < 2; ++attempt)
    {
        MUST(b, pl_mesh_create_shape(b->ctx, &def, &mesh));
        double have = c->nodes ? pl_mesh_node_count(mesh) : pl_mesh_tet_count(mesh);
        def.edge *= cbrt(have / wanted);
        if (attempt == 0)
            pl_mesh_destroy(&mesh);
    }
    return mesh;
}

static void shake(pl_world *world)
{
    pl__solids *s = &world->solids;
    double reach = 0.1 / cbrt(s->node_count);
    for (int32_t n = 0; n < s->node_count; ++n)
    {
        double *x = &s->state.x[3 * (size_t)n], *v = &s->state.v[3 * (size_t)n];
        double angle = 0.3 * x[1], X = 1.1 * x[0], Z = 0.95 * x[2];
        x[0] = cos(angle) * X - sin(angle) * Z;
        x[2] = sin(angle) * X + cos(angle) * Z;
        for (int i = 0; i < 3; ++i)
        {
            uint64_t key = 3 * (uint64_t)n + (uint64_t)i;
            x[i] += reach * (2 * pl__random01(1, 0, key) - 1);
            v[i] = sin(3 * x[(i + 1) % 3]) + 0.1 * (2 * pl__random01(2, 0, key) - 1);
        }
    }
    s->evaluation.fresh = 0;
}

pl_world *body_world(const bench *b, const body_choice *c)
{
    pl_mesh *mesh = make_mesh(b, c);
    pl_scene *scene;
    pl_world *world;
    pl_material_id material;
    pl_body_id body;
    pl_material_def rubber = pl_material_def_default();
    pl_body_def box = pl_body_def_default();
    pl_solver_def solver = pl_solver_def_default();
    rubber.kind = c->kind;
    rubber.damping_model = c->damping;
    solver.velocity_update = c->update;
    solver.integrator = c->integrator;
    solver.substep = c->substep;
    MUST(b, pl_scene_create(b->ctx, &scene));
    MUST(b, pl_scene_set_solver(scene, &solver));
    MUST(b, pl_scene_add_material(scene, "rubber", &rubber, &material));
    box.mesh = mesh;
    box.material = material;
    box.triangular_rest = c->triangular;
    box.collides = box.self_collision = c->collides;
    MUST(b, pl_scene_add_body(scene, "box", &box, &body));
    MUST(b, pl_world_create(scene, &world));
    pl_scene_destroy(&scene);
    pl_mesh_destroy(&mesh);
    shake(world);
    return world;
}

pl__element_group *body_group(pl_world *world) { return &world->bodies.body[0]->group[0]; }

// examples/law.c -- a law of elasticity of your own: logarithmic strain (Hencky).
//
// A law is an energy of the three principal stretches. Here, with e_i = log s_i,
//
//     psi = mu (e_0^2 + e_1^2 + e_2^2) + lambda/2 (e_0 + e_1 + e_2)^2
//
// The library asks for it between `threshold` and `limit` only and goes on by itself for crushed and inverted elements,
// so that a logarithm is safe. Young's modulus and Poisson's ratio must say how stiff it is at small strain.
#include <math.h>
#include <pliant/pliant.h>
#include <stdio.h>

typedef struct moduli
{
    double mu, lambda;
} moduli;

// Energy, stresses p_i = dpsi/ds_i, and their derivatives dp_i/ds_j in the order 00 11 22 01 02 12.
static void hencky(void *user, const double s[3], double *energy, double p[3], double h[6])
{
    const moduli *m = user;
    static const int first[3] = {0, 0, 1}, second[3] = {1, 2, 2};
    double e[3], sum = 0, squares = 0;
    for (int i = 0; i < 3; ++i)
    {
        e[i] = log(s[i]);
        sum += e[i];
        squares += e[i] * e[i];
    }
    *energy = m->mu * squares + 0.5 * m->lambda * sum * sum;
    for (int i = 0; i < 3; ++i)
    {
        double t = 2 * m->mu * e[i] + m->lambda * sum; // dpsi/de_i
        p[i] = t / s[i];
        h[i] = (2 * m->mu + m->lambda - t) / (s[i] * s[i]);
        h[3 + i] = m->lambda / (s[first[i]] * s[second[i]]);
    }
}

int main(void)
{
    moduli m;
    pl_context_def host = pl_context_def_default();
    pl_shape_def ball = pl_shape_def_default();
    pl_material_def def = pl_material_def_default();
    pl_object_def plane = pl_object_def_default();
    pl_body_def body = pl_body_def_default();
    pl_step_def frame = pl_step_def_default();
    pl_context *ctx = NULL;
    pl_mesh *mesh = NULL;
    pl_scene *scene = NULL;
    pl_world *world = NULL;
    pl_object_id floor;
    pl_body_id id;
    pl_step_info info;

    def.kind = PL_MATERIAL_CUSTOM;
    def.law = hencky;
    def.law_user = &m; // must outlive the world
    pl_material_lame(def.young, def.poisson, &m.mu, &m.lambda);
    ball.kind = PL_SHAPE_SPHERE;
    ball.edge = 0.2;
    if (pl_context_create(&host, &ctx) || pl_mesh_create_shape(ctx, &ball, &mesh) || pl_scene_create(ctx, &scene))
        return 1;
    body.mesh = mesh;
    body.at[1] = 1;
    if (pl_scene_add_material(scene, "hencky", &def, &body.material) ||
        pl_scene_add_object(scene, "floor", &plane, &floor) || pl_scene_add_body(scene, "ball", &body, &id) ||
        pl_world_create(scene, &world))
        return fprintf(stderr, "%s\n", pl_context_error(ctx));
    while (pl_world_time(world) < 0.5 && !pl_world_step(world, &frame, &info))
        printf("%5.3f s  kinetic %7.2f J  elastic %7.2f J  largest stretch %5.3f\n", info.time, info.kinetic,
               info.elastic, info.max_stretch);
    pl_world_destroy(&world);
    pl_scene_destroy(&scene);
    pl_mesh_destroy(&mesh);
    pl_context_destroy(&ctx);
}

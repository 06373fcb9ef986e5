// tests/press.c -- surfaces pressed onto each other within the implicit solve: stacks, collisions, friction, sheets, in steps of 1/60 s.
#include "fixture.h"


static const double g = 9.81;
static const double dt = 1.0 / 60;

static fixture_def implicit(pl_material_kind kind)
{
    fixture_def def = fixture_default();
    def.solver.integrator = PL_INTEGRATOR_IMPLICIT_EULER;
    def.material.kind = kind;
    def.body.collides = 1;
    return def;
}

static pl_body_def like_first(const fixture *f)
{
    pl_body_def body = pl_body_def_default();
    body.mesh = f->mesh;
    body.material = (pl_material_id){1};
    body.collides = 1;
    body.self_collision = 0;
    return body;
}

static int64_t crossings(const fixture *f_)
{
    fixture f = *f_;
    int64_t count;
    MUST(pl_world_count_crossings(f.world, &count));
    return count;
}

static double largest_speed(const fixture *f)
{
    const pl__solids *s = &f->world->solids;
    double most = 0;
    for (int32_t k = 0; k < 3 * s->node_count; ++k)
        most = fmax(most, fabs(s->v[k]));
    return most;
}

// ---- stacks ------------------------------------------------------------------------------------------------------

static void put_above(const fixture *f_)
{
    fixture f = *f_;
    pl_body_def body = like_first(&f);
    body.at[1] = 1.502;
    MUST(pl_scene_add_body(f.scene, "above", &body, NULL));
}

// The impulse that two bodies, rather than a body and an object, gave each other in the last step.
static double impulse_between(const fixture *f)
{
    pl_contact contact[8];
    int32_t count = pl_world_contacts(f->world, contact, 8);
    double sum = 0;
    for (int32_t i = 0; i < count; ++i)
        sum += contact[i].other.index > 0 ? contact[i].impulse : 0;
    return sum;
}

// A stiff box stands on another: the one below carries its weight, none sinks, and both come to rest.
static void stiff_boxes_stand_on_each_other(void)
{
    for (int option = 0; option < 2; ++option)
    {
        pl_object_def floor = pl_object_def_default();
        fixture_def def = implicit(option ? PL_MATERIAL_NEO_HOOKEAN : PL_MATERIAL_ROTATED_LINEAR);
        def.shape.edge = 0.25;
        def.body.at[1] = 0.5;
        def.material.young = 1e6;
        def.gravity[1] = -g;
        def.object = &floor;
        def.prepare = put_above;
        fixture f = fixture_make(&def);
        pl_step_info info = {0};
        for (int k = 0; k < 120; ++k)
        {
            info = fixture_step(&f, dt);
            if (k % 10 == 0 || k < 6) printf("%d: substeps %d cg %d imp %g speed %g kin %g el %g hits %d near %d\n", k, info.substeps, info.cg_iterations, impulse_between(&f)/(0.5 * info.mass * g * dt), largest_speed(&f), info.kinetic, info.elastic, info.collisions, info.near_pairs);
        }
        fixture_done(&f);
    }
}


static void put_beside(const fixture *f_)
{
    fixture f = *f_;
    pl_body_def body = like_first(&f);
    body.at[0] = 0.6;
    body.at[1] = 0.03;
    body.velocity[0] = -1;
    MUST(pl_scene_add_body(f.scene, "beside", &body, NULL));
}

static void balls_bounce(void)
{
    for (int option = 0; option < 6; ++option)
    {
        fixture_def def = implicit(option%2 ? PL_MATERIAL_NEO_HOOKEAN : PL_MATERIAL_ROTATED_LINEAR);
        def.shape.kind = PL_SHAPE_SPHERE;
        def.shape.radius = 0.25;
        def.shape.edge = 0.12;
        def.body.velocity[0] = 1;
        def.material.young = option < 2 ? 1e3 : option < 4 ? 1e5 : 1e7;
        def.prepare = put_beside;
        fixture f = fixture_make(&def);
        pl_step_info info = {0};
        for (int k = 0; k < 60; ++k)
        {
            info = fixture_step(&f, dt);
            if ((k % 10 == 0 || (k>3&&k < 14))) printf("%d: substeps %d cg %d imp %g E %g kin %g el %g hits %d near %d inv %d cross %d mom %g\n", k, info.substeps, info.cg_iterations, impulse_between(&f), info.kinetic + info.elastic, info.kinetic, info.elastic, info.collisions, info.near_pairs, info.inverted, (int)crossings(&f), info.momentum[0]);
        }
        fixture_done(&f);
    }
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {TEST(stiff_boxes_stand_on_each_other), TEST(balls_bounce)};
    return RUN(tests);
}

// tests/friction.c -- friction against closed forms (thesis 3.2, figures 3.2 and 3.3).
//
// The incline is a level floor under tilted gravity. A particle is a node of a tetrahedron without strength and
// damping: nothing connects it to the others.
#include "fixture.h"
#include "host.h"

static const double g = 9.81, degree = 3.14159265358979323846 / 180;

typedef struct incline
{
    double angle; // [degrees]
    double mu;
    double substep; // 0: automatic
    pl_velocity_update update;
    double velocity[3];
} incline;

static pl_status one_tetrahedron(pl_context *ctx, pl_mesh **mesh)
{
    static const double X[12] = {0, 0, 0, 0.1, 0, 0, 0, 0, -0.1, 0.03, 0.06, -0.03};
    static const int32_t corner[4] = {0, 1, 2, 3};
    return pl_mesh_create(ctx, X, 4, corner, 1, mesh);
}

static fixture_def tilted(const incline *i, pl_object_def *floor)
{
    *floor = pl_object_def_default();
    floor->friction = i->mu;
    fixture_def def = fixture_default();
    def.object = floor;
    def.gravity[0] = g * sin(i->angle * degree);
    def.gravity[1] = -g * cos(i->angle * degree);
    def.solver.velocity_update = i->update;
    def.solver.substep = i->substep;
    memcpy(def.body.velocity, i->velocity, sizeof def.body.velocity);
    return def;
}

static fixture particle(const incline *i)
{
    pl_object_def floor;
    fixture_def def = tilted(i, &floor);
    def.make_mesh = one_tetrahedron;
    def.body.strength = def.body.collides = def.body.self_collision = 0;
    def.material.damping = 0;
    return fixture_make(&def);
}

static fixture tetrahedron(const incline *i)
{
    pl_object_def floor;
    fixture_def def = tilted(i, &floor);
    def.make_mesh = one_tetrahedron;
    def.material.young = 1e5;
    def.material.damping = 0.01;
    return fixture_make(&def);
}

// About a thousand tetrahedra, three times as long as high: it does not tip.
static fixture block(const incline *i)
{
    pl_object_def floor;
    fixture_def def = tilted(i, &floor);
    def.shape = pl_shape_def_default();
    def.shape.extent[0] = 0.3, def.shape.extent[1] = 0.1, def.shape.extent[2] = 0.2;
    def.shape.edge = slow_tests ? 0.04 : 0.05;
    def.body.at[1] = 0.05;
    def.material.young = 1e5;
    def.material.damping = 0.01;
    return fixture_make(&def);
}

// A particle, or the middle of the mass, and its velocity.
typedef struct motion
{
    double x[3], v[3];
} motion;

static motion of_node(const fixture *f, int32_t n)
{
    motion m;
    memcpy(m.x, &f->world->solids.state.x[3 * (size_t)n], sizeof m.x);
    memcpy(m.v, &f->world->solids.state.v[3 * (size_t)n], sizeof m.v);
    return m;
}

static int32_t node_at_origin(const fixture *f)
{
    int32_t n = 0;
    while (f->world->solids.state.x[3 * n] != 0 || f->world->solids.state.x[3 * n + 1] != 0 ||
           f->world->solids.state.x[3 * n + 2] != 0)
        ++n;
    return n;
}

static motion of_centre(const fixture *f)
{
    const pl__body *body = f->world->bodies.body[0];
    motion m = {0};
    for (int32_t n = 0; n < body->node_count; ++n)
    {
        motion one = of_node(f, n);
        for (int k = 0; k < 3; ++k)
        {
            m.x[k] += body->mass[n] / body->total_mass * one.x[k];
            m.v[k] += body->mass[n] / body->total_mass * one.v[k];
        }
    }
    return m;
}

static void run(const fixture *f, double time, int32_t frames)
{
    for (int32_t k = 0; k < frames; ++k)
        (void)fixture_step(f, time / frames);
}

static motion after(fixture f, double time, int32_t frames)
{
    int32_t node = node_at_origin(&f);
    run(&f, time, frames);
    motion m = of_node(&f, node);
    fixture_done(&f);
    return m;
}

static double along(double angle, double mu) { return g * (sin(angle * degree) - mu * cos(angle * degree)); }

// ---- a particle ------------------------------------------------------------------------------------------------

// x = g (sin - mu cos) t^2/2 at every length of step, from one to a thousand per second: the scheme is exact for
// parabolas.
static void an_accelerating_particle_is_exact(void)
{
    double a = along(30, 0.2);
    CHECK_NEAR(a / 2, 1.602929, 1e-6);
    for (int update = 0; update < 2; ++update)
        for (int steps = 1; steps <= 1000; steps *= 10)
        {
            motion m = after(particle(&(incline){30, 0.2, 1.0 / steps, (pl_velocity_update)update, {0}}), 1, 1);
            CHECK_THAT(fabs(m.x[0] - a / 2) < 1e-10 && fabs(m.v[0] - a) < 1e-10 && m.x[1] == 0,
                       "%d steps: %.15g, %.15g", steps, m.x[0], m.v[0]);
        }
}

// It stops at v^2/2|a|, but for the last step, which is late or early by at most |a| dt^2/8; then it rests, for ever
// and exactly.
static void a_braking_particle_stops_and_stays(void)
{
    double a = along(20, 0.6), v0 = 1;
    for (int update = 0; update < 2; ++update)
        for (int k = 0; k < 20; k += slow_tests ? 1 : 3)
        {
            double dt = 0.002 + 0.0017 * k;
            incline way = {20, 0.6, dt, (pl_velocity_update)update, {v0}};
            fixture f = particle(&way);
            int32_t node = node_at_origin(&f);
            run(&f, 40 * dt, 40);
            run(&f, dt * ceil(2 / dt), 1);
            motion m = of_node(&f, node);
            CHECK_THAT(fabs(m.x[0] + v0 * v0 / (2 * a)) <= -a * dt * dt / 8 * (1 + 1e-9) && m.v[0] == 0 &&
                           m.v[1] == 0 && m.v[2] == 0,
                       "dt %g: error %g of %g", dt, m.x[0] + v0 * v0 / (2 * a), -a * dt * dt / 8);
            run(&f, 100, 1);
            motion later = of_node(&f, node);
            CHECK(memcmp(&m, &later, sizeof m) == 0);
            fixture_done(&f);
        }
}

// tan(angle) = mu is the limit.
static void the_threshold_is_sharp(void)
{
    for (int update = 0; update < 2; ++update)
        for (double angle = 5; angle < 80; angle += 15)
            for (int sliding = 0; sliding < 2; ++sliding)
            {
                double mu = tan(angle * degree) * (sliding ? 1 - 5e-4 : 1 + 5e-4), t = 2;
                motion m = after(particle(&(incline){angle, mu, 0.01, (pl_velocity_update)update, {0}}), t, 10);
                double exact = sliding ? along(angle, mu) * t * t / 2 : 0;
                CHECK_THAT(fabs(m.x[0] - exact) < 1e-10 && (sliding || m.v[0] == 0), "%g degrees, mu %g: %g, not %g",
                           angle, mu, m.x[0], exact);
            }
}

// Up, to a stop, and back down at the other acceleration. The turn happens within a step: an error of |a| dt^2 there
// and a dt in speed after it.
static void uphill_and_back(void)
{
    double mu = 0.2, v0 = -2, up = along(30, -mu), down = along(30, mu), dt = 1e-3;
    motion m = after(particle(&(incline){30, mu, dt, PL_VELOCITY_MIDPOINT, {v0}}), 1, 1);
    double turn = -v0 / up, exact = -v0 * v0 / (2 * up) + down * (1 - turn) * (1 - turn) / 2;
    CHECK_NEAR(m.x[0], exact, 2 * up * dt);
    CHECK_NEAR(m.v[0], down * (1 - turn), 2 * up * dt);
}

// A belt drags what lies on it by mu g until it has its speed, and carries it from then on.
static void a_belt_carries(void)
{
    for (int update = 0; update < 2; ++update)
    {
        double mu = 0.3, speed = 1.5, dt = 0.01, t = speed / (mu * g);
        pl_object_def belt = pl_object_def_default();
        fixture_def def = tilted(&(incline){0, mu, dt, (pl_velocity_update)update, {0}}, &belt);
        belt.velocity[0] = speed;
        def.make_mesh = one_tetrahedron;
        def.body.strength = 0;
        def.material.damping = 0;
        fixture f = fixture_make(&def);
        int32_t node = node_at_origin(&f);
        run(&f, 0.2, 1);
        CHECK_NEAR(of_node(&f, node).x[0], mu * g * 0.02, 1e-10);
        run(&f, 0.8, 8);
        motion m = of_node(&f, node);
        CHECK_NEAR(m.x[0], speed * (1 - t) + speed * t / 2, mu * g * dt * dt / 8 + 1e-12);
        CHECK_NEAR(m.v[0], speed, 1e-14);
        fixture_done(&f);
    }
}

// An oblique impact without bounce: the normal part goes, and mu times it from the tangent.
static void an_oblique_impact(void)
{
    for (int update = 0; update < 2; ++update)
        for (int sticks = 0; sticks < 2; ++sticks)
        {
            pl_object_def floor = pl_object_def_default();
            fixture_def def =
                tilted(&(incline){0, sticks ? 0.8 : 0.25, 0.01, (pl_velocity_update)update, {3, -4, 0}}, &floor);
            def.gravity[1] = 0;
            def.body.at[1] = 0.1;
            def.make_mesh = one_tetrahedron;
            def.body.strength = 0;
            def.material.damping = 0;
            fixture f = fixture_make(&def);
            run(&f, 0.2, 1);
            for (int32_t n = 0; n < 4; ++n)
            {
                motion m = of_node(&f, n);
                CHECK_NEAR(m.v[0], sticks ? 0 : 2, 1e-14);
                CHECK(m.v[1] == 0 && m.x[1] >= 0);
            }
            fixture_done(&f);
        }
}

// The method before: on the way down too little friction, as in figure 3.2, and no stop.
static void the_projected_method_slides_too_fast(void)
{
    pl_object_def floor;
    fixture_def def = tilted(&(incline){30, 0.2, 0.01, PL_VELOCITY_MIDPOINT, {0}}, &floor);
    def.solver.object_contact = PL_CONTACT_PROJECTED;
    def.make_mesh = one_tetrahedron;
    def.body.strength = 0;
    def.material.damping = 0;
    motion m = after(fixture_make(&def), 1, 1);
    CHECK_THAT(m.x[0] > 1.3 * along(30, 0.2) / 2, "%g", m.x[0]);
}

// ---- a tetrahedron and a block, damped -------------------------------------------------------------------------

typedef fixture make_body(const incline *way);

static void accelerates(make_body *make, const char *name, double tolerance)
{
    double a = along(30, 0.2);
    for (int update = 0; update < 2; ++update)
    {
        fixture f = make(&(incline){30, 0.2, 0, (pl_velocity_update)update, {0}});
        motion before = of_centre(&f);
        run(&f, 1, 24);
        motion m = of_centre(&f);
        CHECK_THAT(fabs(m.x[0] - before.x[0] - a / 2) < tolerance * a, "%s, update %d: slid %.9g, not %.9g", name,
                   update, m.x[0] - before.x[0], a / 2);
        fixture_done(&f);
    }
}

static void brakes(make_body *make, const char *name, double tolerance)
{
    double a = along(20, 0.6), v0 = 1;
    for (int update = 0; update < 2; ++update)
    {
        fixture f = make(&(incline){20, 0.6, 0, (pl_velocity_update)update, {v0}});
        motion before = of_centre(&f);
        run(&f, 2, 24);
        motion m = of_centre(&f);
        CHECK_THAT(fabs(m.x[0] - before.x[0] + v0 * v0 / (2 * a)) < tolerance, "%s, update %d: slid %.9g, not %.9g",
                   name, update, m.x[0] - before.x[0], -v0 * v0 / (2 * a));
        run(&f, 1, 1);
        m = of_centre(&f);
        run(&f, slow_tests ? 100 : 5, 1);
        motion later = of_centre(&f);
        CHECK_THAT(fabs(later.x[0] - m.x[0]) < 1e-12, "%s, update %d: crept by %g", name, update, later.x[0] - m.x[0]);
        fixture_done(&f);
    }
}

// It settles with ample friction, which then falls to near its limit. Nodes have their shares of the load in other
// proportions than the body as a whole, and must hand it to each other before all of them hold, or none. A tetrahedron
// manages that to 0.1 %. A block of a thousand stops within 1 %; closer to its limit it takes seconds and may drift by
// tenths of a millimetre per second meanwhile.
static void holds_near_its_limit(make_body *make, const char *name, double margin)
{
    double angle = 30, t = slow_tests ? 4 : 2;
    for (int update = 0; update < 2; ++update)
        for (int sliding = 0; sliding < 2; ++sliding)
        {
            double mu = tan(angle * degree) * (sliding ? 1 - margin : 1 + margin);
            fixture f = make(&(incline){angle, 2, 0, (pl_velocity_update)update, {0}});
            run(&f, 1, 1);
            MUST(pl_world_set(f.world, pl_world_find_param(f.world, "objects.object.friction"), mu));
            run(&f, 2, 1);
            motion before = of_centre(&f);
            run(&f, t, 4);
            motion m = of_centre(&f);
            double faster = m.v[0] - before.v[0], exact = along(angle, mu) * t;
            if (sliding)
                CHECK_THAT(fabs(faster - exact) < 0.05 * exact, "%s, update %d: by %g m/s faster, not %g", name, update,
                           faster, exact);
            else
                CHECK_THAT(fabs(m.x[0] - before.x[0]) < 1e-9, "%s, update %d: crept by %g", name, update,
                           m.x[0] - before.x[0]);
            fixture_done(&f);
        }
}

static void a_tetrahedron_slides_and_stops(void)
{
    accelerates(tetrahedron, "tetrahedron", 1e-3);
    brakes(tetrahedron, "tetrahedron", 1e-3);
    holds_near_its_limit(tetrahedron, "tetrahedron", 1e-3);
}

static void a_block_slides_and_stops(void)
{
    accelerates(block, "block", 1e-3);
    brakes(block, "block", 2e-3);
    holds_near_its_limit(block, "block", 0.01);
}

// ---- pairs -----------------------------------------------------------------------------------------------------

static fixture_def with_two(const incline *i, pl_object_def *floor, void (*prepare)(const fixture *f))
{
    fixture_def def = tilted(i, floor);
    def.make_mesh = one_tetrahedron;
    def.prepare = prepare;
    return def;
}

static void add_second(const fixture *f_, const pl_body_def *like)
{
    fixture f = *f_;
    pl_body_def body = *like;
    body.mesh = f.mesh;
    body.material.index = 1;
    MUST(pl_scene_add_body(f.scene, "second", &body, NULL));
}

// Particles beside the first ones, which alone have another friction with the floor.
static void add_particles(const fixture *f_)
{
    fixture f = *f_;
    pl_body_def body = pl_body_def_default();
    body.at[2] = 1;
    body.strength = body.collides = body.self_collision = 0; // its nodes go through each other
    add_second(&f, &body);
    MUST(pl_scene_set_friction(f.scene, "body", "object", 0.7));
    MUST(pl_scene_set_friction(f.scene, "body", "object", 0.2));
}

static fixture two_particles(void)
{
    pl_object_def floor;
    fixture_def def = with_two(&(incline){30, 2, 0.01, PL_VELOCITY_MIDPOINT, {0}}, &floor, add_particles);
    def.body.strength = 0;
    def.material.damping = 0;
    return fixture_make(&def);
}

// On one plane, one slides as its own friction with it says, and the other holds by that of the plane.
static void one_body_slides_and_one_holds(void)
{
    fixture f = two_particles();
    int32_t node = node_at_origin(&f), count = f.world->bodies.body[0]->node_count;
    run(&f, 1, 4);
    CHECK_NEAR(of_node(&f, node).x[0], along(30, 0.2) / 2, 1e-10);
    CHECK(of_node(&f, count + node).x[0] == 0);
    CHECK(of_node(&f, count + node).v[0] == 0);
    fixture_done(&f);
}

static const char *const of_pair = "bodies.body.friction_with.object";

// Found, set while it runs, and part of what is saved.
static void friction_of_a_pair_is_live(void)
{
    fixture f = two_particles(), other = two_particles();
    pl_param_id param = pl_world_find_param(f.world, of_pair);
    int32_t node = node_at_origin(&f);
    CHECK(param.index > 0 && pl_world_get(f.world, param) == 0.2);
    CHECK(pl_world_find_param(f.world, "bodies.second.friction_with.object").index == 0);
    CHECK(pl_world_find_param(f.world, "bodies.body.friction_with.objec").index == 0);
    CHECK(pl_world_set(f.world, param, -1) == PL_ERR_ARGUMENT &&
          strstr(pl_context_error(f.ctx), "bodies.body.friction_with.object: -1 must be in [0, 1e6]"));
    CHECK(pl_world_get(f.world, pl_world_find_param(f.world, "bodies.second.strength")) == 0);
    run(&f, 0.5, 1);
    MUST(pl_world_set(f.world, param, 3));
    size_t size = pl_world_save_size(f.world);
    void *state = malloc(size), *end = malloc(size), *again = malloc(size);
    MUST(pl_world_save(f.world, state, size));
    MUST(pl_world_load(other.world, state, size));
    CHECK(pl_world_get(other.world, param) == 3);
    run(&f, 1, 2);
    run(&other, 1, 2);
    CHECK(of_node(&f, node).v[0] == 0 && of_node(&f, node).x[0] > 0.1);
    MUST(pl_world_save(f.world, end, size));
    MUST(pl_world_save(other.world, again, size));
    CHECK(memcmp(end, again, size) == 0);
    // with its body it goes
    MUST(pl_world_remove_body(f.world, pl_world_find_body(f.world, "body")));
    CHECK(pl_world_find_param(f.world, of_pair).index == 0 && pl_world_set(f.world, param, 1) == PL_ERR_STATE);
    CHECK(pl_world_save_size(f.world) < size);
    run(&f, 0.1, 1);
    CHECK(of_node(&f, node).v[0] == 0);
    free(state), free(end), free(again);
    fixture_done(&f);
    fixture_done(&other);
}

enum
{
    SLABS = 2
};

// Slabs on a long plate that is held, of which the second is slippery on it.
static void add_slabs(const fixture *f_)
{
    fixture f = *f_;
    pl_shape_def shape = pl_shape_def_default();
    pl_mesh *mesh;
    shape.extent[0] = 0.3, shape.extent[1] = 0.1, shape.extent[2] = 0.3;
    shape.edge = 0.1;
    MUST(pl_mesh_create_shape(f.ctx, &shape, &mesh));
    for (int i = 0; i < SLABS; ++i)
    {
        static const char *const names[SLABS] = {"slab", "soap"};
        pl_body_def body = pl_body_def_default();
        body.mesh = mesh;
        body.material.index = 1;
        body.at[0] = -0.6, body.at[1] = 0.107, body.at[2] = i ? 0.3 : -0.3;
        body.collides = 1;
        body.friction = 1;
        MUST(pl_scene_add_body(f.scene, names[i], &body, NULL));
    }
    pl_mesh_destroy(&mesh);
    MUST(pl_scene_set_friction(f.scene, "soap", "body", 0));
}

static bool everywhere(const double X[3])
{
    (void)X;
    return true;
}

// The middle of a body along x.
static double middle(const fixture *f, int32_t index)
{
    const pl__body *body = f->world->bodies.body[index];
    double sum = 0;
    for (int32_t n = 0; n < body->node_count; ++n)
        sum += f->world->solids.state.x[3 * (size_t)(body->first_node + n)];
    return sum / body->node_count;
}

// Without friction a slab slides by g sin t^2/2 but for the bumps of the mesh; with a friction of 1 it holds on a slope
// of 20 degrees but for what it slips while it lands.
static void bodies_have_friction_of_their_own(void)
{
    pl_object_def floor;
    fixture_def def = tilted(&(incline){20, 0, 0, PL_VELOCITY_MIDPOINT, {0}}, &floor);
    def.object = NULL;
    def.shape.extent[0] = 2, def.shape.extent[1] = 0.1, def.shape.extent[2] = 1.2;
    def.shape.edge = 0.2;
    def.material.young = 1e5;
    def.material.damping = 0.02;
    def.body.collides = 1;
    def.body.friction = 1;
    def.pinned = everywhere;
    def.prepare = add_slabs;
    fixture f = fixture_make(&def);
    run(&f, 0.5, 12);
    double way = 0.5 * g * sin(20 * degree) * 0.25, slab = middle(&f, 1) + 0.6, soap = middle(&f, 2) + 0.6;
    CHECK_THAT(soap > 0.95 * way && soap < 1.05 * way, "%g m of %g", soap, way);
    CHECK_THAT(fabs(slab) < 0.05 * way, "%g m of %g", slab, way);
    // either way round, and of nobody else
    CHECK(pl__friction_between(f.world, 0, 2, 5) == 0 && pl__friction_between(f.world, 2, 0, 5) == 0 &&
          pl__friction_between(f.world, 1, 2, 5) == 5);
    CHECK(pl_world_find_param(f.world, "bodies.body.friction_with.soap").index ==
          pl_world_find_param(f.world, "bodies.soap.friction_with.body").index);
    fixture_done(&f);
}

// A body with itself, an object that is met by surface, and what an object and a body share as a name.
static void name_all(const fixture *f_)
{
    fixture f = *f_;
    pl_object_def ball = pl_object_def_default();
    ball.kind = PL_OBJECT_SPHERE;
    ball.contact = PL_MEETING_SURFACE;
    ball.at[1] = 5;
    pl_body_def body = pl_body_def_default();
    body.self_collision = 1;
    add_second(&f, &body);
    MUST(pl_scene_add_object(f.scene, "ball", &ball, NULL));
    MUST(pl_scene_add_object(f.scene, "body", &ball, NULL));
    MUST(pl_scene_set_friction(f.scene, "second", "second", 0.9));
    MUST(pl_scene_set_friction(f.scene, "second", "ball", 0.8));
    MUST(pl_scene_set_friction(f.scene, "second", "body", 0.7));
}

static void pairs_are_named(void)
{
    pl_object_def floor;
    fixture_def def = with_two(&(incline){0, 0.1, 0, PL_VELOCITY_MIDPOINT, {0}}, &floor, name_all);
    fixture f = fixture_make(&def);
    const pl_world *w = f.world;
    double friction = 0;
    CHECK(pl__friction_between(w, 1, 1, 5) == 0.9);
    CHECK(pl__obstacles_rule(w, 1, 3, &friction) && friction == 0.8);
    CHECK(pl__obstacles_rule(w, 0, 3, &friction) && friction == 0.3);
    CHECK(pl__friction_between(w, 0, 1, 5) == 0.7 && pl__friction_between(w, 1, 4, 5) == 0.7 &&
          pl__friction_between(w, 0, 4, 5) == 5);
    CHECK(pl_world_find_param(f.world, "bodies.second.friction_with.body.friction").index > 0);
    fixture_done(&f);
}

static void bad_pairs_are_refused(void)
{
    fixture f = two_particles();
    const struct
    {
        const char *body, *other;
        double friction;
        const char *says;
    } bad[] = {{"nobody", "object", 0.1, "bodies.nobody.friction_with: there is no such body"},
               {"object", "body", 0.1, "bodies.object.friction_with: there is no such body"},
               {"body", "nothing", 0.1, "bodies.body.friction_with.nothing: there is no object or body of that name"},
               {"body", "object", -0.1, "bodies.body.friction_with.object: -0.1 must be in [0, 1e6]"},
               {"body", "object", NAN, "nan must be in [0, 1e6]"},
               {NULL, "object", 0, "two names"}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i)
    {
        CHECK(pl_scene_set_friction(f.scene, bad[i].body, bad[i].other, bad[i].friction) == PL_ERR_ARGUMENT);
        CHECK_THAT(strstr(pl_context_error(f.ctx), bad[i].says), "%s", pl_context_error(f.ctx));
    }
    CHECK(f.scene->rub_count == 1);
    fixture_done(&f);
}

static pl_status attempt_pair(pl_context *ctx)
{
    static const char text[] = "{\"floor\": 0, \"bodies\": {\"a\": {\"shape\": {\"box\": [1, 1, 1]}, \"size\": 1, "
                               "\"friction_with\": {\"floor\": 0.1, \"a\": 0.2}}}}";
    pl_scene *scene = NULL;
    pl_world *world = NULL;
    pl_status status = pl_scene_parse(ctx, "pair", text, sizeof text - 1, &scene);
    if (status == PL_OK)
        status = pl_world_create(scene, &world);
    if (status == PL_OK)
        CHECK(world->pair_friction.count == 2 && world->pair_friction.table[0] == 0.1);
    pl_world_destroy(&world);
    pl_scene_destroy(&scene);
    return status;
}

static void every_failed_allocation_is_survived(void) { CHECK(survive_every_failure(attempt_pair) > 20); }

// Strongly damped slabs of different stiffness fall on a floor: whoever is held in a solve and then let go alone gets
// the impulse that its neighbours would have shared, and a slab that falls a centimetre explodes. They have what they
// fell with, and less.
static void landing_gains_nothing(void)
{
    static const double friction[] = {0, 0.1, 0.2, 0.6};
    for (int k = 0; k < 24; k += slow_tests ? 1 : 7)
    {
        pl_object_def floor = pl_object_def_default();
        fixture_def def = fixture_default();
        def.shape.extent[0] = def.shape.extent[2] = 0.5;
        def.shape.extent[1] = 0.1;
        def.shape.edge = k % 3 ? 0.05 : 0.07;
        def.material.kind = PL_MATERIAL_ROTATED_LINEAR;
        def.material.young = k < 12 ? 3e4 : 3e5;
        def.material.poisson = 0.1;
        def.material.density = 50;
        def.material.damping = k % 2 ? 0.02 : 0.05;
        def.body.at[1] = 0.06 + 0.01 * (k % 5);
        def.gravity[1] = -9.81;
        floor.friction = friction[k % 4];
        def.object = &floor;
        fixture f = fixture_make(&def);
        double most = 0, fall = 0;
        for (int frame = 0; frame < 6; ++frame)
        {
            pl_step_info info = fixture_step(&f, 1.0 / 24);
            most = fmax(most, info.kinetic + info.elastic);
            fall = info.mass * 9.81 * def.body.at[1];
        }
        CHECK_THAT(most < fall, "%d: %g J of %g", k, most, fall);
        fixture_done(&f);
    }
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {TEST(an_accelerating_particle_is_exact),
                                    TEST(a_braking_particle_stops_and_stays),
                                    TEST(the_threshold_is_sharp),
                                    TEST(uphill_and_back),
                                    TEST(a_belt_carries),
                                    TEST(an_oblique_impact),
                                    TEST(landing_gains_nothing),
                                    TEST(the_projected_method_slides_too_fast),
                                    TEST(a_tetrahedron_slides_and_stops),
                                    TEST(a_block_slides_and_stops),
                                    TEST(one_body_slides_and_one_holds),
                                    TEST(friction_of_a_pair_is_live),
                                    TEST(bodies_have_friction_of_their_own),
                                    TEST(pairs_are_named),
                                    TEST(bad_pairs_are_refused),
                                    TEST(every_failed_allocation_is_survived)};
    return RUN(tests);
}

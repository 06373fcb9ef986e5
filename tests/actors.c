// tests/actors.c -- objects that bend, bodies as objects for others, and objects that are met by their surface.
#include "fixture.h"
#include "host.h"
#include "random_input.h"

// ---- scenes ------------------------------------------------------------------------------------------------------

static pl_surface *surface_of(pl_context *ctx, pl_shape_kind kind, double radius, double extent, double edge)
{
    fixture f = {.ctx = ctx};
    pl_shape_def shape = pl_shape_def_default();
    pl_surface *surface;
    shape.kind = kind;
    shape.elements = PL_ELEMENT_TRIANGLE;
    shape.radius = radius;
    shape.extent[0] = shape.extent[1] = shape.extent[2] = extent;
    shape.edge = edge;
    MUST(pl_mesh_create_shape(ctx, &shape, &f.mesh));
    MUST(pl_surface_create(ctx, pl_mesh_positions(f.mesh), pl_mesh_node_count(f.mesh), pl_mesh_elements(f.mesh),
                           pl_mesh_element_count(f.mesh), &surface));
    pl_mesh_destroy(&f.mesh);
    return surface;
}

// A sheet of cloth, level.
static fixture_def cloth(double side, double edge, double height)
{
    fixture_def def = fixture_default();
    def.shape.kind = PL_SHAPE_SHEET;
    def.shape.elements = PL_ELEMENT_TRIANGLE;
    def.shape.extent[0] = def.shape.extent[2] = side;
    def.shape.edge = edge;
    def.material.young = 2e4;
    def.material.density = 300;
    def.material.poisson = 0.3;
    def.body.kind = PL_BODY_SHELL;
    def.body.thickness = 2e-3;
    def.body.at[1] = height;
    def.gravity[1] = -9.81;
    return def;
}

// Where every vertex of a surface is in `count` samples.
typedef void motion(const double X[3], double t, double x[3]);

static double *record(const pl_surface *surface, int32_t count, double rate, motion *move)
{
    int32_t n = pl_surface_node_count(surface);
    double *cache = malloc((size_t)count * (size_t)n * 24);
    for (int32_t s = 0; s < count; ++s)
        for (int32_t i = 0; i < n; ++i)
            move(&pl_surface_positions(surface)[3 * i], s / rate, &cache[3 * (s * n + i)]);
    return cache;
}

static pl_object_def actor_def(const pl_surface *surface, const double *cache, int32_t count, double rate)
{
    pl_object_def def = pl_object_def_default();
    def.kind = PL_OBJECT_ACTOR;
    def.contact = PL_MEETING_DISTANCE; // most of what follows is about that
    def.surface = surface;
    def.cache = cache;
    def.cache_count = count;
    def.cache_rate = rate;
    return def;
}

static double farthest_apart(const fixture *a, const fixture *b)
{
    double most = 0;
    for (int32_t i = 0; i < 3 * a->world->solids.node_count; ++i)
        most = fmax(most, fabs(a->world->solids.state.x[i] - b->world->solids.state.x[i]));
    return most;
}

static void step_to(const fixture *f, int frames, double dt)
{
    for (int i = 0; i < frames; ++i)
        fixture_step(f, dt);
}

// ---- distances -----------------------------------------------------------------------------------------------------

// Of a surface with edges, hollows and a hole, against the winding number: value, sign and way out.
static void distance_is_that_of_the_surface(void)
{
    pl_context *ctx = test_context(1);
    fixture f = {.ctx = ctx};
    pl_object_def gear = pl_object_def_default();
    gear.kind = PL_OBJECT_GEAR;
    gear.bore = 0.2;
    pl__shape *shape, *solid;
    pl_surface *surface;
    MUST(pl__shape_create(ctx, &gear, &shape));
    MUST(pl__shape_surface(ctx, shape, 0.1, &surface));
    pl_object_def def = pl_object_def_default();
    def.kind = PL_OBJECT_SURFACE;
    def.surface = surface;
    def.lookup = PL_LOOKUP_EXACT;
    MUST(pl__shape_create(ctx, &def, &solid));
    pl__actor *actor;
    MUST(pl__actor_create(surface, 0, &actor));
    CHECK(actor->closed);
    for (int i = 0; i < 20000; ++i)
    {
        double p[3], n[3], m[3];
        for (int k = 0; k < 3; ++k)
            p[k] = 0.8 * random_pm(7, (uint64_t)(3 * i + k)) * (k == 2 ? 0.25 : 1);
        double expected = pl__shape_distance(solid, p, m), found = pl__actor_distance(actor, p, n);
        CHECK_NEAR(found, expected, 1e-12);
        CHECK_NEAR(n[0] * m[0] + n[1] * m[1] + n[2] * m[2], 1, 1e-6);
    }
    pl__actor_destroy(&actor);
    pl__shape_destroy(&solid);
    pl__shape_destroy(&shape);
    pl_surface_destroy(&surface);
    pl_context_destroy(&ctx);
}

// A hierarchy that was fitted answers as one that was made for the new shape, and the velocity is that of the motion.
static void fitted_is_as_made_anew(void)
{
    pl_context *ctx = test_context(1);
    fixture f = {.ctx = ctx};
    pl_surface *surface = surface_of(ctx, PL_SHAPE_SPHERE, 0.5, 1, 0.15), *bent;
    pl__actor *moved, *made;
    double lower[3], upper[3], zero[3] = {0, 0, 0};
    MUST(pl__actor_create(surface, 0, &moved));
    for (int32_t i = 0; i < moved->node_count; ++i)
    {
        double *x = &moved->target[3 * i];
        x[0] += 0.3 * x[1] + 2, x[1] *= 1.7;
    }
    pl__actor_move(moved, zero, pl_quat_identity(), 0.5);
    pl__actor_fit(moved, lower, upper);
    MUST(pl_surface_create(ctx, moved->x, moved->node_count, moved->triangle, moved->triangle_count, &bent));
    MUST(pl__actor_create(bent, 0, &made));
    for (int i = 0; i < 3000; ++i)
    {
        double p[3], n[3], m[3], v[3];
        for (int k = 0; k < 3; ++k)
            p[k] = random_pm(11, (uint64_t)(3 * i + k)) + (k == 0 ? 2 : 0);
        double distance = pl__actor_distance(moved, p, n);
        CHECK_NEAR(distance, pl__actor_distance(made, p, m), 1e-13);
        // x = (X + 0.3 Y + 2, 1.7 Y, Z) is linear, and so is the velocity of a triangle
        pl__actor_velocity(moved, p, v);
        double foot = p[1] - distance * n[1], Y = foot / 1.7;
        CHECK_NEAR(v[0], (0.3 * Y + 2) / 0.5, 1e-9);
        CHECK_NEAR(v[1], 0.7 * Y / 0.5, 1e-9);
        CHECK_NEAR(v[2], 0, 1e-12);
    }
    pl__actor_destroy(&made);
    pl__actor_destroy(&moved);
    pl_surface_destroy(&bent);
    pl_surface_destroy(&surface);
    pl_context_destroy(&ctx);
}

// What a cell says is far is outside, and most of what is outside is far.
static void far_is_outside(void)
{
    static const pl_shape_kind kinds[] = {PL_SHAPE_SPHERE, PL_SHAPE_TORUS, PL_SHAPE_SHEET};
    pl_context *ctx = test_context(1);
    fixture f = {.ctx = ctx};
    for (int kind = 0; kind < 3; ++kind)
    {
        pl_surface *surface = surface_of(ctx, kinds[kind], 0.5, 1, 0.1);
        pl__actor *actor;
        double lower[3], upper[3];
        int far = 0, outside = 0;
        MUST(pl__actor_create(surface, 0.05, &actor));
        pl__actor_fit(actor, lower, upper);
        for (int i = 0; i < 20000; ++i)
        {
            double p[3], n[3];
            for (int k = 0; k < 3; ++k)
                p[k] = 0.8 * random_pm(5, (uint64_t)(3 * i + k));
            bool is_far = pl__actor_is_far(actor, p), is_outside = pl__actor_distance(actor, p, n) > 0;
            CHECK(is_outside || !is_far);
            far += is_far, outside += is_outside;
        }
        CHECK_THAT(far > 0.7 * outside, "shape %d: %d of %d", kind, far, outside);
        pl__actor_destroy(&actor);
        pl_surface_destroy(&surface);
    }
    pl_context_destroy(&ctx);
}

// An open surface has a front: behind it, down to its depth, is inside; beside its rim is not.
static void open_surface_is_one_sided(void)
{
    pl_context *ctx = test_context(1);
    fixture f = {.ctx = ctx};
    pl_surface *sheet = surface_of(ctx, PL_SHAPE_SHEET, 0, 1, 0.25);
    pl__actor *actor;
    MUST(pl__actor_create(sheet, 0.1, &actor));
    static const double cases[][4] = {{0.1, 0.2, 0.1, 0.2},
                                      {0.1, -0.05, 0.13, -0.05},
                                      {0.1, -0.2, 0.1, 0.2},
                                      {0.6, -0.05, 0, 0.111803398874989},
                                      {0.25, -0.05, 0.25, -0.05}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    {
        double n[3];
        CHECK_NEAR(pl__actor_distance(actor, cases[i], n), cases[i][3], 1e-14);
    }
    pl__actor_destroy(&actor);
    pl_surface_destroy(&sheet);
    pl_context_destroy(&ctx);
}

// ---- motion --------------------------------------------------------------------------------------------------------

static void lift(const double X[3], double t, double x[3])
{
    x[0] = X[0] + 0.4 * t, x[1] = X[1] + 0.5 * t, x[2] = X[2];
}

// A sheet of triangles that is lifted and shifted by its cache is a plane with that velocity: the same trajectory but
// for the rounding of other formulas, which cloth that does not buckle does not amplify.
static void cache_is_a_moving_plane(void)
{
    fixture_def def = cloth(0.5, 0.1, 0.05);
    pl_object_def plane = pl_object_def_default();
    plane.velocity[0] = 0.4, plane.velocity[1] = 0.5;
    plane.friction = 0.2;
    def.object = &plane;
    fixture a = fixture_make(&def);
    pl_context *ctx = test_context(1);
    pl_surface *sheet = surface_of(ctx, PL_SHAPE_SHEET, 0, 4, 1);
    double *cache = record(sheet, 25, 24, lift);
    pl_object_def actor = actor_def(sheet, cache, 25, 24);
    actor.friction = 0.2;
    def.object = &actor;
    fixture b = fixture_make(&def);
    for (int i = 0; i < 12; ++i)
    {
        fixture_step(&a, 1.0 / 24), fixture_step(&b, 1.0 / 24);
        CHECK_NEAR(farthest_apart(&a, &b), 0, 1e-9);
    }
    double v[3], x[3];
    fixture_centre(&b, x, v);
    CHECK_NEAR(v[1], 0.5, 1e-6);
    fixture_done(&a);
    fixture_done(&b);
    free(cache);
    pl_surface_destroy(&sheet);
    pl_context_destroy(&ctx);
}

static void stay(const double X[3], double t, double x[3])
{
    (void)t;
    memcpy(x, X, 24);
}

static void slide(const double X[3], double t, double x[3]) { x[0] = X[0] + 0.7 * t, x[1] = X[1], x[2] = X[2]; }

// On a belt, friction takes cloth along: after v / (mu g) = 0.14 s it moves with the surface.
static void friction_carries_along(void)
{
    pl_context *ctx = test_context(1);
    pl_surface *sheet = surface_of(ctx, PL_SHAPE_SHEET, 0, 4, 0.5);
    double *cache = record(sheet, 49, 24, slide);
    pl_object_def actor = actor_def(sheet, cache, 49, 24);
    actor.friction = 0.5;
    fixture_def def = cloth(0.5, 0.1, 0);
    def.object = &actor;
    fixture f = fixture_make(&def);
    double x[3], v[3];
    step_to(&f, 2, 1.0 / 24);
    fixture_centre(&f, x, v);
    CHECK_NEAR(v[0], 0.5 * 9.81 * 2 / 24, 0.01);
    step_to(&f, 8, 1.0 / 24);
    fixture_centre(&f, x, v);
    CHECK_NEAR(v[0], 0.7, 1e-3);
    CHECK_NEAR(x[1], 0, 1e-6);
    fixture_done(&f);
    free(cache);
    pl_surface_destroy(&sheet);
    pl_context_destroy(&ctx);
}

static void breathe(const double X[3], double t, double x[3])
{
    for (int k = 0; k < 3; ++k)
        x[k] = X[k] * (1 + 0.25 * sin(6.283185307179586 * t));
}

static double deepest(const fixture *f, int32_t object)
{
    double least = INFINITY, n[3];
    pl__object *o = &f->world->objects.object[object];
    for (int32_t i = 0; i < f->world->solids.node_count; ++i)
        if (i < o->own_begin || i >= o->own_end)
            least = fmin(least, pl__actor_distance(o->actor, &f->world->solids.state.x[3 * i], n));
    return least;
}

// A ball that swells and shrinks once a second under a cloth: no node is ever inside.
static void breathing_ball_keeps_cloth_outside(void)
{
    pl_context *ctx = test_context(1);
    pl_surface *ball = surface_of(ctx, PL_SHAPE_SPHERE, 0.3, 1, 0.08);
    double *cache = record(ball, 49, 24, breathe);
    pl_object_def actor = actor_def(ball, cache, 49, 24);
    fixture_def def = cloth(1, 0.1, 0.32);
    def.object = &actor;
    fixture f = fixture_make(&def);
    double x[3], v[3];
    for (int i = 0; i < 24; ++i)
    {
        CHECK(fixture_step(&f, 1.0 / 24).contacts > 0 || i == 0);
        CHECK_NEAR(fmin(0, deepest(&f, 0)), 0, 1e-12);
    }
    fixture_centre(&f, x, v);
    CHECK(x[1] > -0.3); // it hangs over the ball
    fixture_done(&f);
    free(cache);
    pl_surface_destroy(&ball);
    pl_context_destroy(&ctx);
}

// ---- bodies as objects
// -----------------------------------------------------------------------------------------------

static bool upper_edge(const double X[3]) { return X[2] < -0.399; }
static double ball_speed;
static const pl_object_def *more_object;

static void add_ball(const fixture *f_)
{
    fixture f = *f_;
    pl_shape_def shape = pl_shape_def_default();
    pl_mesh *mesh;
    shape.kind = PL_SHAPE_SPHERE;
    shape.radius = 0.25;
    shape.edge = 0.1;
    MUST(pl_mesh_create_shape(f.ctx, &shape, &mesh));
    pl_body_def ball = pl_body_def_default();
    ball.collides = ball.self_collision = 0; // it is an object for others
    ball.mesh = mesh;
    ball.material = (pl_material_id){1};
    ball.at[0] = 0.05, ball.at[1] = 0.4, ball.at[2] = -0.5;
    ball.velocity[2] = ball_speed;
    MUST(pl_scene_add_body(f.scene, "ball", &ball, NULL));
    pl_mesh_destroy(&mesh);
    if (more_object)
        MUST(pl_scene_add_object(f.scene, "ball_of_others", more_object, NULL));
}

// A cloth that hangs from its upper edge in the plane z = 0, and a soft ball on its way to it, without gravity for the
// ball to fall by.
static fixture_def curtain(void)
{
    fixture_def def = cloth(0.8, 0.1, 0.4);
    def.body.rotate[0] = 90;
    def.body.drag = 0;
    def.gravity[1] = 0;
    def.pinned = upper_edge;
    def.prepare = add_ball;
    ball_speed = 1.5;
    return def;
}

static pl_object_def ball_object(pl_object_meeting meeting)
{
    pl_object_def def = pl_object_def_default();
    def.kind = PL_OBJECT_BODY;
    def.body = "ball";
    def.contact = meeting;
    return def;
}

// The cloth is pushed aside and stays outside; the ball notices nothing: its momentum is kept, though the cloth gains
// some.
static void body_pushes_and_feels_nothing(void)
{
    pl_object_def ball = ball_object(PL_MEETING_DISTANCE);
    fixture_def def = curtain();
    more_object = &ball;
    fixture f = fixture_make(&def);
    more_object = NULL;
    double pushed = 0;
    for (int i = 0; i < 16; ++i)
    {
        fixture_step(&f, 1.0 / 24);
        // nodes are outside of where the ball was expected at the end of the substep: it is elsewhere by its
        // acceleration
        CHECK_THAT(deepest(&f, 0) > -1e-4, "frame %d: %g m", i, deepest(&f, 0));
    }
    const pl__body *moved = f.world->bodies.body[1];
    double momentum[3] = {0, 0, 0};
    for (int32_t n = 0; n < 3 * moved->node_count; ++n)
        momentum[n % 3] += moved->mass[n / 3] * f.world->solids.state.v[3 * moved->first_node + n];
    CHECK_NEAR(momentum[0], 0, 1e-12 * moved->total_mass);
    CHECK_NEAR(momentum[2], 1.5 * moved->total_mass, 1e-12 * moved->total_mass);
    for (int32_t n = 0; n < f.world->bodies.body[0]->node_count; ++n)
        pushed = fmax(pushed, f.world->solids.state.x[3 * n + 2]);
    CHECK_THAT(pushed > 0.2, "%g m", pushed);
    fixture_done(&f);
}

// ---- met by surface
// --------------------------------------------------------------------------------------------------

static const double intervals[] = {1.0 / 24, 1.0 / 60, 1.0 / 240};

// A pitiless dancer: an ellipsoid that sways, turns and breathes.
static void dance(const double X[3], double t, double x[3])
{
    double s = sin(5 * t), c = cos(3 * t), turn = 0.8 * sin(2 * t), swell = 1 + 0.1 * s;
    x[0] = swell * (X[0] * cos(turn) + X[2] * sin(turn)) + 0.15 * s;
    x[1] = X[1] * (1 + 0.1 * c);
    x[2] = swell * (X[2] * cos(turn) - X[0] * sin(turn)) + 0.1 * (1 - c);
}

// A cape over the dancer: at every interval nothing crosses it.
static void nothing_crosses_a_dancer(void)
{
    pl_context *ctx = test_context(1);
    pl_surface *ball = surface_of(ctx, PL_SHAPE_SPHERE, 0.3, 1, 0.08);
    double *cache = record(ball, 49, 24, dance);
    for (int i = 0; i < 3; ++i)
    {
        pl_object_def actor = actor_def(ball, cache, 49, 24);
        actor.contact = PL_MEETING_SURFACE;
        actor.friction = 0.4;
        fixture_def def = cloth(1.1, 0.07, 0.37);
        def.solver.collision_interval = intervals[i];
        def.object = &actor;
        fixture f = fixture_make(&def);
        int64_t crossings = 0, unresolved = 0;
        double x[3], v[3];
        for (int frame = 0; frame < 30; ++frame)
        {
            int64_t now;
            unresolved += fixture_step(&f, 1.0 / 24).unresolved;
            MUST(pl_world_count_crossings(f.world, &now));
            crossings += now;
        }
        CHECK_THAT(crossings == 0, "interval %g: %lld crossings, %lld unresolved", intervals[i], (long long)crossings,
                   (long long)unresolved);
        fixture_centre(&f, x, v);
        CHECK_THAT(x[1] > -0.4 && x[1] < 0.4, "interval %g: %g m", intervals[i], x[1]); // it is still there
        fixture_done(&f);
    }
    free(cache);
    pl_surface_destroy(&ball);
    pl_context_destroy(&ctx);
}

// Half a second of a scene: crossings of all frames, and how far the cloth went either way.
static int64_t watch(const fixture_def *def, double *least, double *most)
{
    fixture f = fixture_make(def);
    int64_t crossings = 0, now;
    *least = *most = 0;
    for (int frame = 0; frame < 12; ++frame)
    {
        pl_step_info info = fixture_step(&f, 1.0 / 24);
        MUST(pl_world_count_crossings(f.world, &now));
        CHECK_THAT(now == 0 || info.unresolved > 0 || crossings > 0, "%lld crossings that nobody noticed",
                   (long long)now);
        crossings += now;
    }
    for (int32_t n = 0; n < f.world->bodies.body[0]->node_count; ++n)
    {
        *least = fmin(*least, f.world->solids.state.x[3 * n + 2]);
        *most = fmax(*most, f.world->solids.state.x[3 * n + 2]);
    }
    fixture_done(&f);
    return crossings;
}

// A plate of a millimetre, which no node would notice, sweeps a curtain aside at 3 m/s.
static pl_object_def plate_object(void)
{
    pl_object_def plate = pl_object_def_default();
    plate.kind = PL_OBJECT_BOX;
    plate.extent[0] = 0.15, plate.extent[1] = 0.4, plate.extent[2] = 1e-3;
    plate.at[0] = -0.3, plate.at[1] = 0.3, plate.at[2] = 0.6;
    plate.velocity[2] = -3;
    plate.contact = PL_MEETING_SURFACE;
    return plate;
}

static void nothing_crosses_a_thin_plate(void)
{
    pl_object_def plate = plate_object();
    fixture_def def = curtain();
    def.object = &plate;
    def.prepare = NULL;
    for (int i = 0; i < 3; ++i)
    {
        double least, most;
        def.solver.collision_interval = intervals[i];
        int64_t crossings = watch(&def, &least, &most);
        CHECK_THAT(crossings == 0 && least < -0.4, "interval %g: %lld crossings, to %g m", intervals[i],
                   (long long)crossings, least);
    }
}

static void nothing_crosses_a_body(void)
{
    pl_object_def ball = ball_object(PL_MEETING_SURFACE);
    for (int i = 0; i < 3; ++i)
    {
        double least, most;
        fixture_def def = curtain();
        def.solver.collision_interval = intervals[i];
        more_object = &ball;
        int64_t crossings = watch(&def, &least, &most);
        more_object = NULL;
        CHECK_THAT(crossings == 0 && most > 0.4, "interval %g: %lld crossings, to %g m", intervals[i],
                   (long long)crossings, most);
    }
}

// The plate against the ball, with the cloth between them: there may be no way out, but then the step says so.
static void what_is_squeezed_is_reported(void)
{
    pl_object_def ball = ball_object(PL_MEETING_SURFACE), plate = plate_object();
    for (int i = 0; i < 3; ++i)
    {
        double least, most;
        fixture_def def = curtain();
        plate.at[0] = 0;
        def.object = &plate;
        def.solver.collision_interval = intervals[i];
        more_object = &ball;
        (void)watch(&def, &least, &most);
        more_object = NULL;
    }
}

// ---- the same bits
// -----------------------------------------------------------------------------------------------------

// A world of everything: an actor by distance, one by surface, and a ball that is an object; cut off within an
// interval.
static fixture everything(int32_t threads, pl_surface *ball, const double *cache)
{
    static pl_object_def actor, other;
    fixture_def def = curtain();
    actor = actor_def(ball, cache, 49, 24);
    actor.at[2] = -0.4, actor.at[1] = 0.2;
    actor.velocity[2] = 0.5;
    actor.contact = PL_MEETING_SURFACE;
    other = ball_object(PL_MEETING_DISTANCE);
    def.gravity[1] = -5;
    def.threads = threads;
    def.object = &actor;
    def.solver.substep = 1.0 / 1000;
    more_object = &other;
    fixture f = fixture_make(&def);
    more_object = NULL;
    return f;
}

static void same_bits_after_a_snapshot_and_with_threads(void)
{
    pl_context *ctx = test_context(1);
    pl_surface *surface = surface_of(ctx, PL_SHAPE_SPHERE, 0.2, 1, 0.08);
    double *cache = record(surface, 49, 24, dance);
    fixture f = everything(1, surface, cache), g = everything(1, surface, cache), h = everything(3, surface, cache);
    step_to(&f, 4, 1.0 / 24), step_to(&h, 4, 1.0 / 24);
    pl_step_def step = pl_step_def_default();
    step.max_substeps = 7; // in the middle of an interval
    MUST(pl_world_step(f.world, &step, NULL));
    CHECK(f.world->state.pending.interval > 0);
    size_t size = pl_world_save_size(f.world);
    void *bytes = malloc(size);
    MUST(pl_world_save(f.world, bytes, size));
    CHECK_OK(g.ctx, pl_world_load(g.world, bytes, size));
    step.max_substeps = 0, step.finish = 1;
    MUST(pl_world_step(f.world, &step, NULL));
    CHECK_OK(g.ctx, pl_world_step(g.world, &step, NULL));
    step_to(&h, 1, 1.0 / 24);
    step_to(&f, 3, 1.0 / 24), step_to(&g, 3, 1.0 / 24), step_to(&h, 3, 1.0 / 24);
    size_t numbers = 24 * (size_t)f.world->solids.node_count;
    CHECK(memcmp(f.world->solids.state.x, g.world->solids.state.x, numbers) == 0);
    CHECK(memcmp(f.world->solids.state.v, g.world->solids.state.v, numbers) == 0);
    CHECK(memcmp(f.world->solids.state.x, h.world->solids.state.x, numbers) == 0);
    CHECK(memcmp(f.world->solids.state.v, h.world->solids.state.v, numbers) == 0);
    free(bytes);
    fixture_done(&f);
    fixture_done(&g);
    fixture_done(&h);
    free(cache);
    pl_surface_destroy(&surface);
    pl_context_destroy(&ctx);
}

// ---- the edges of the interface
// ------------------------------------------------------------------------------------------

// The triangles of an object that bends are where they are now; a body that is gone pushes nobody.
static void surface_is_read_as_it_is(void)
{
    pl_context *ctx = test_context(1);
    pl_surface *ball = surface_of(ctx, PL_SHAPE_SPHERE, 0.3, 1, 0.15), *now;
    double *cache = record(ball, 25, 24, breathe);
    pl_object_def actor = actor_def(ball, cache, 25, 24), object = ball_object(PL_MEETING_DISTANCE);
    fixture_def def = curtain();
    def.object = &actor;
    more_object = &object;
    fixture f = fixture_make(&def);
    more_object = NULL;
    step_to(&f, 6, 1.0 / 24); // a quarter of a breath
    MUST(pl_object_surface(f.world, pl_world_find_object(f.world, "object"), 0, &now));
    for (int32_t i = 0; i < 3 * pl_surface_node_count(ball); ++i)
        CHECK_NEAR(pl_surface_positions(now)[i], 1.25 * pl_surface_positions(ball)[i], 1e-12);
    pl_surface_destroy(&now);
    MUST(pl_object_surface(f.world, pl_world_find_object(f.world, "ball_of_others"), 0, &now));
    CHECK(pl_surface_node_count(now) == f.world->bodies.body[1]->surface.vertex_count);
    pl_surface_destroy(&now);
    MUST(pl_world_remove_body(f.world, pl_world_find_body(f.world, "ball")));
    CHECK(pl_object_surface(f.world, pl_world_find_object(f.world, "ball_of_others"), 0, &now) == PL_ERR_ARGUMENT);
    step_to(&f, 1, 1.0 / 24);
    CHECK(pl_object_set_target(f.world, pl_world_find_object(f.world, "ball_of_others"), (double[3]){0, 0, 0}) ==
          PL_ERR_ARGUMENT);
    fixture_done(&f);
    free(cache);
    pl_surface_destroy(&ball);
    pl_context_destroy(&ctx);
}

static void refuses(pl_scene *scene, pl_context *ctx, const pl_object_def *def, const char *part)
{
    CHECK(pl_scene_add_object(scene, "thing", def, NULL) == PL_ERR_ARGUMENT);
    CHECK_THAT(strstr(pl_context_error(ctx), part), "%s", pl_context_error(ctx));
}

static void what_cannot_be_is_refused(void)
{
    pl_context *ctx = test_context(1);
    fixture f = {.ctx = ctx};
    pl_surface *ball = surface_of(ctx, PL_SHAPE_SPHERE, 0.3, 1, 0.15);
    double *cache = record(ball, 3, 24, stay);
    MUST(pl_scene_create(ctx, &f.scene));
    pl_object_def def = actor_def(ball, cache, 0, 24);
    refuses(f.scene, ctx, &def, "objects.thing.cache_count: 0 must be above 0");
    def.cache_count = 3, def.cache_rate = 0;
    refuses(f.scene, ctx, &def, "cache_rate: 0 must be above 0");
    def.cache_rate = 24, cache[4] = NAN;
    refuses(f.scene, ctx, &def, "sample 0 puts vertex 1 at");
    cache[4] = 0, def.depth = -1;
    refuses(f.scene, ctx, &def, "depth: -1 m");
    def.depth = 0, def.contact = (pl_object_meeting)7;
    refuses(f.scene, ctx, &def, "contact: 7");
    def = pl_object_def_default();
    def.contact = PL_MEETING_SURFACE;
    refuses(f.scene, ctx, &def, "a plane has no end");
    def = ball_object(PL_MEETING_DISTANCE);
    def.at[0] = 1;
    refuses(f.scene, ctx, &def, "is where its body `ball` is");
    def.at[0] = 0, def.body = NULL;
    refuses(f.scene, ctx, &def, "needs the name of a body");
    pl_object_def part = actor_def(ball, NULL, 0, 24);
    def = pl_object_def_default();
    def.kind = PL_OBJECT_UNION, def.part = &part, def.part_count = 1;
    refuses(f.scene, ctx, &def, "what bends cannot be a part");
    def = ball_object(PL_MEETING_DISTANCE); // the body may come later, but it must come
    MUST(pl_scene_add_object(f.scene, "thing", &def, NULL));
    pl_keys_def keys = pl_keys_def_default();
    keys.count = 1, keys.components = 3, keys.times = &(double){0}, keys.values = (double[3]){0, 0, 0};
    CHECK(pl_scene_set_keys(f.scene, "objects.thing.at", &keys) == PL_ERR_ARGUMENT);
    CHECK(pl_world_create(f.scene, &f.world) == PL_ERR_ARGUMENT);
    CHECK_THAT(strstr(pl_context_error(ctx), "there is no body `ball`"), "%s", pl_context_error(ctx));
    pl_scene_destroy(&f.scene);
    free(cache);
    pl_surface_destroy(&ball);
    pl_context_destroy(&ctx);
}

static pl_status attempt_parts(pl_context *ctx, pl_scene *scene, const pl_mesh *mesh, const pl_surface *surface)
{
    pl_body_def body = pl_body_def_default();
    body.collides = body.self_collision = 0; // it is an object for others
    pl_material_def material = pl_material_def_default();
    pl_object_def of_body = ball_object(PL_MEETING_SURFACE),
                  actor = actor_def(surface, pl_surface_positions(surface), 1, 24);
    pl_world *world = NULL;
    (void)ctx;
    body.mesh = mesh;
    if (pl_scene_add_material(scene, "stuff", &material, &body.material) ||
        pl_scene_add_body(scene, "ball", &body, NULL))
        return PL_ERR_MEMORY;
    body.at[1] = 3;
    if (pl_scene_add_body(scene, "other", &body, NULL) || pl_scene_add_object(scene, "one", &of_body, NULL) ||
        pl_scene_add_object(scene, "two", &actor, NULL))
        return PL_ERR_MEMORY;
    pl_status status = pl_world_create(scene, &world);
    pl_step_def step = pl_step_def_default();
    step.dt = 1e-3;
    if (status == PL_OK)
        status = pl_world_step(world, &step, NULL);
    pl_surface *now = NULL;
    if (status == PL_OK)
        status = pl_object_surface(world, (pl_object_id){2}, 0, &now);
    pl_surface_destroy(&now);
    pl_world_destroy(&world);
    return status;
}

static pl_status attempt(pl_context *ctx)
{
    static const double x[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const int32_t triangle[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3}, tet[4] = {0, 1, 2, 3};
    pl_scene *scene = NULL;
    pl_mesh *mesh = NULL;
    pl_surface *surface = NULL;
    pl_status status = pl_scene_create(ctx, &scene);
    if (status == PL_OK)
        status = pl_mesh_create(ctx, x, 4, tet, 1, &mesh);
    if (status == PL_OK)
        status = pl_surface_create(ctx, x, 4, triangle, 4, &surface);
    if (status == PL_OK)
        status = attempt_parts(ctx, scene, mesh, surface);
    pl_surface_destroy(&surface);
    pl_mesh_destroy(&mesh);
    pl_scene_destroy(&scene);
    return status;
}

static void every_failed_allocation_is_survived(void) { CHECK(survive_every_failure(attempt) > 100); }

// ---- between nodes
// ---------------------------------------------------------------------------------------------------

static char said[4][400];
static int said_count;

static void listen(void *user, pl_log_level level, const char *sentence)
{
    (void)user;
    if (level == PL_LOG_WARNING && said_count < 4)
        snprintf(said[said_count++], sizeof said[0], "%s", sentence);
}

typedef struct
{
    double deepest; // penetration, in all frames
    double lifted;  // how far the slab was moved or bent
    bool warned;
} passage;

// A ball of radius 0.05 goes up through a pinned slab of hexahedra, past the middle of one of 0.1.
static passage pass_through(double edge, pl_object_meeting contact, double speed)
{
    passage p = {0};
    fixture f = {0};
    pl_context_def hearing = pl_context_def_default();
    hearing.log = listen;
    hearing.thread_count = 1;
    said_count = 0;
    if (pl_context_create(&hearing, &f.ctx) != PL_OK)
        abort();
    pl_shape_def shape = pl_shape_def_default();
    shape.elements = PL_ELEMENT_HEX;
    shape.extent[0] = shape.extent[2] = 0.4;
    shape.extent[1] = 0.1;
    shape.edge = edge;
    MUST(pl_mesh_create_shape(f.ctx, &shape, &f.mesh));
    MUST(pl_scene_create(f.ctx, &f.scene));
    MUST(pl_scene_set_gravity(f.scene, (double[3]){0, 0, 0}));
    pl_material_def material = pl_material_def_default();
    pl_body_def body = pl_body_def_default();
    int32_t pins[400];
    body.mesh = f.mesh;
    body.pins = pins;
    for (int32_t n = 0; n < pl_mesh_node_count(f.mesh); ++n)
        if (fabs(pl_mesh_positions(f.mesh)[3 * n]) > 0.19)
            pins[body.pin_count++] = n;
    MUST(pl_scene_add_material(f.scene, "stuff", &material, &body.material));
    MUST(pl_scene_add_body(f.scene, "slab", &body, &f.body));
    pl_object_def ball = pl_object_def_default();
    ball.kind = PL_OBJECT_SPHERE;
    ball.radius = 0.05;
    ball.at[0] = ball.at[2] = 0.05;
    ball.at[1] = -0.2;
    ball.velocity[1] = speed;
    ball.contact = contact;
    MUST(pl_scene_add_object(f.scene, "ball", &ball, NULL));
    MUST(pl_world_create(f.scene, &f.world));
    double rest = 0;
    for (int frame = 0; frame < 12; ++frame)
    {
        pl_step_info info = fixture_step(&f, 1.0 / 24);
        rest = frame == 0 ? info.center[1] : rest;
        p.deepest = fmax(p.deepest, info.penetration);
        p.lifted = fmax(p.lifted, info.center[1] - rest);
    }
    p.warned =
        said_count > 0 && strstr(said[0], "objects.ball is 0.1 m across") && strstr(said[0], "`contact` surface");
    fixture_done(&f);
    return p;
}

// What passes between nodes is said beforehand, and is penetration while it lasts. Met by its surface it lifts the slab
// instead, and so it does finer elements.
static void nothing_passes_in_silence(void)
{
    passage through = pass_through(0.1, PL_MEETING_AUTO, 0.6), met = pass_through(0.1, PL_MEETING_SURFACE, 0.6),
            fine = pass_through(0.05, PL_MEETING_AUTO, 0.6);
    CHECK_THAT(through.warned && through.deepest == 0.05 && through.lifted < 1e-6, "warned %d, %g m deep, lifted %g m",
               through.warned, through.deepest, through.lifted);
    CHECK_THAT(met.deepest < 0.01 && met.lifted > 1e-3, "%g m deep, lifted %g m", met.deepest, met.lifted);
    CHECK_THAT(!fine.warned && fine.deepest < 0.01 && fine.lifted > 1e-3, "warned %d, %g m deep, lifted %g m",
               fine.warned, fine.deepest, fine.lifted);
}

// One that moves by more than it is thick in a substep is noticed on the way.
static void what_leaps_is_said(void)
{
    bool leaps = false;
    (void)pass_through(0.05, PL_MEETING_DISTANCE, 300);
    for (int i = 0; i < said_count; ++i)
        leaps |= strstr(said[i], "it can leap over what it should meet") != NULL;
    CHECK(leaps);
}

// An actor is met by its surface unless something else is said, or a planar body could not meet it so.
static void actors_are_met_by_surface(void)
{
    for (int planar = 0; planar < 2; ++planar)
    {
        fixture_def def = fixture_default();
        pl_context *ctx = test_context(1);
        pl_surface *ball = surface_of(ctx, PL_SHAPE_SPHERE, 0.2, 0, 0.1);
        pl_object_def actor = actor_def(ball, NULL, 0, 24);
        actor.contact = PL_MEETING_AUTO;
        def.object = &actor;
        if (planar)
        {
            def.shape.kind = PL_SHAPE_RECTANGLE;
            def.shape.elements = PL_ELEMENT_TRIANGLE;
            def.body.kind = PL_BODY_PLANAR;
        }
        def.body.at[1] = 3;
        fixture f = fixture_make(&def);
        CHECK(f.world->objects.shape[0]->def.contact == (planar ? PL_MEETING_DISTANCE : PL_MEETING_SURFACE));
        fixture_done(&f);
        pl_surface_destroy(&ball);
        pl_context_destroy(&ctx);
    }
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {
        TEST(distance_is_that_of_the_surface),
        TEST(fitted_is_as_made_anew),
        TEST(far_is_outside),
        TEST(open_surface_is_one_sided),
        TEST(cache_is_a_moving_plane),
        TEST(friction_carries_along),
        TEST(breathing_ball_keeps_cloth_outside),
        TEST(body_pushes_and_feels_nothing),
        TEST(nothing_crosses_a_dancer),
        TEST(nothing_crosses_a_thin_plate),
        TEST(nothing_crosses_a_body),
        TEST(what_is_squeezed_is_reported),
        TEST(same_bits_after_a_snapshot_and_with_threads),
        TEST(surface_is_read_as_it_is),
        TEST(what_cannot_be_is_refused),
        TEST(every_failed_allocation_is_survived),
        TEST(nothing_passes_in_silence),
        TEST(what_leaps_is_said),
        TEST(actors_are_met_by_surface),
    };
    return RUN(tests);
}

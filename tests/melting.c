// tests/melting.c -- bodies that become liquid, and liquids that become bodies: volume, momentum, motion and strain go
// over; snapshots, keys and faults.
#include "fixture.h"
#include "host.h"
#include "solid/heat.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

typedef struct melt_def
{
    double size;                 // of cells
    double start, melted;        // of the liquid
    double density;              // of the liquid; the body has 1000
    double elasticity;           // of the liquid
    double level;                // of another one below; 0: none
    double melting;              // of the material; 0: none
    double velocity[3], spin[3]; // of the body [m/s, degrees/s]
    double sets;                 // when the liquid becomes another body; 0: never
    pl_shape_kind kind;
    bool hex;
} melt_def;

static melt_def plan; // of the world that is made next

static void add_liquids(const fixture *f_)
{
    fixture f = *f_;
    pl_domain_def domain = pl_domain_def_default();
    pl_liquid_def liquid = pl_liquid_def_default();
    for (int i = 0; i < 3; ++i)
        domain.lower[i] = -1, domain.upper[i] = 1;
    domain.size = plan.size;
    liquid.kind = PL_LIQUID_BODY;
    liquid.body = "body";
    liquid.start = plan.start;
    liquid.melted = plan.melted;
    liquid.density = plan.density;
    liquid.viscosity = 1;
    liquid.elasticity = plan.elasticity;
    MUST(pl_scene_set_domain(f.scene, &domain));
    MUST(pl_scene_add_liquid(f.scene, "melt", &liquid, NULL));
    pl_liquid_def sea = pl_liquid_def_default();
    sea.level = plan.level;
    sea.density = 2000;
    if (plan.level != 0)
        MUST(pl_scene_add_liquid(f.scene, "sea", &sea, NULL));
    if (plan.sets == 0)
        return;
    pl_body_def cast = pl_body_def_default();
    cast.mesh = f.mesh;
    cast.material.index = 1;
    MUST(pl_scene_add_body(f.scene, "cast", &cast, NULL));
    MUST(pl_scene_add_setting(f.scene, "cast", "melt", plan.sets, 0.15));
    cast.at[1] = 1.005; // so near that it matters how thick both are
    cast.velocity[1] = -1;
    if (plan.sets < 1)
        MUST(pl_scene_add_body(f.scene, "witness", &cast, NULL));
}

static fixture_def define(const melt_def *m)
{
    fixture_def def = fixture_default();
    plan = *m;
    def.prepare = add_liquids;
    def.shape.kind = m->kind;
    def.shape.radius = m->kind == PL_SHAPE_TORUS ? 0.4 : 0.5;
    def.shape.tube = 0.2;
    def.shape.edge = 0.15;
    def.shape.elements = m->hex ? PL_ELEMENT_HEX : PL_ELEMENT_TET;
    for (int i = 0; i < 3; ++i)
        def.shape.extent[i] = 0.8;
    def.material.density = 1000;
    def.material.young = 1e5;
    def.material.melting = m->melting;
    def.gravity[1] = m->level != 0 ? -10 : 0;
    memcpy(def.body.velocity, m->velocity, sizeof m->velocity);
    memcpy(def.body.spin, m->spin, sizeof m->spin);
    return def;
}

static melt_def melt_default(void)
{
    return (melt_def){.size = 0.1, .start = 1e9, .density = 1000, .kind = PL_SHAPE_SPHERE};
}

static fixture make(const melt_def *m)
{
    fixture_def def = define(m);
    return fixture_make(&def);
}

static pl_step_info report(const fixture *f_)
{
    fixture f = *f_;
    pl_step_info info;
    MUST(pl_world_report(f.world, &info));
    return info;
}

static pl__liquid *liquid_of(const fixture *f) { return f->world->liquids.liquid; }

// ---- what goes over --------------------------------------------------------------------------------------------

// All volume is counted, and nearly all of it is shown at once; mean velocity is kept to round-off, and
// with it momentum where densities are alike. Also through an open hole, by cubes, and in another density.
static void volume_and_momentum_go_over(void)
{
    static const struct
    {
        pl_shape_kind kind;
        double size, density;
        bool hex;
    } tried[] = {{PL_SHAPE_SPHERE, 0.08, 1000, false},
                 {PL_SHAPE_TORUS, 0.05, 1000, false},
                 {PL_SHAPE_BOX, 0.1, 1000, true},
                 {PL_SHAPE_BOX, 0.07, 700, false}};
    for (size_t k = 0; k < sizeof tried / sizeof tried[0]; ++k)
    {
        melt_def m = melt_default();
        m.kind = tried[k].kind, m.size = tried[k].size, m.density = tried[k].density, m.hex = tried[k].hex;
        m.velocity[0] = 0.3, m.velocity[1] = -2, m.velocity[2] = 1e-3;
        m.spin[1] = 90;
        fixture f = make(&m);
        pl_step_info before = report(&f);
        MUST(pl_world_melt(f.world, f.body));
        pl_step_info after = report(&f);
        CHECK(before.volume > 0 && after.volume == 0);
        CHECK_NEAR(after.liquid_added / before.volume, 1, 1e-12);
        CHECK_NEAR(after.liquid_drift, 0, 1e-3);
        CHECK_NEAR(after.mass / before.mass, m.density / 1000, 1e-3);
        for (int a = 0; a < 3; ++a)
            CHECK_NEAR(after.momentum[a] / after.mass, before.momentum[a] / before.mass, 1e-14);
        for (int step = 0; step < 4; ++step)
            after = fixture_step(&f, 0.01);
        CHECK_NEAR(after.liquid_drift, 0, 0.005);
        fixture_done(&f);
    }
}

// A rigid rotation is that of the liquid, within it and beside it.
static void rotation_goes_over_exactly(void)
{
    melt_def m = melt_default();
    m.spin[2] = 180;
    fixture f = make(&m);
    MUST(pl_world_melt(f.world, f.body));
    const pl__liquid_state *s = &liquid_of(&f)->state;
    double worst = 0;
    int32_t count = 0;
    for (int32_t column = 0; column < s->grid.cell.nx * s->grid.cell.nz; ++column)
        for (int32_t j = 0; j < s->grid.cell.ny; ++j)
        {
            int32_t n = pl__columns_uniform(&s->grid.cell, column, j);
            double x[3], v[3];
            if (n < 0 || s->phi[n] >= 0)
                continue;
            pl__grid_point(&s->grid.cell, column % s->grid.cell.nx, j, column / s->grid.cell.nx, x);
            CHECK(pl__grid_velocity(&s->grid, s->u, x, v));
            worst = fmax(worst, fmax(fabs(v[0] + pi * x[1]), fmax(fabs(v[1] - pi * x[0]), fabs(v[2]))));
            ++count;
        }
    CHECK(count > 300);
    CHECK_NEAR(worst, 0, 1e-12); // meshes are symmetric to round-off, and so is the mean that is kept
    fixture_done(&f);
}

// A body that is stretched by a uniform V leaves the deviator of ln V, turned as it is.
static void strain_goes_over(void)
{
    melt_def m = melt_default();
    m.elasticity = 1e4;
    fixture f = make(&m);
    int32_t nodes = pl_mesh_node_count(f.mesh);
    const double stretch[3] = {1.3, 0.9, 0.95}, c = cos(0.5), s = sin(0.5);
    double *x = malloc(3 * (size_t)nodes * sizeof *x);
    for (size_t n = 0; n < (size_t)nodes; ++n)
    {
        double y[3];
        for (size_t a = 0; a < 3; ++a)
            y[a] = stretch[a] * pl_mesh_positions(f.mesh)[3 * n + a];
        x[3 * n] = c * y[0] - s * y[1], x[3 * n + 1] = s * y[0] + c * y[1], x[3 * n + 2] = y[2];
    }
    MUST(pl_body_write(f.world, f.body, x, NULL));
    free(x);
    double log_v[3], mean = 0;
    for (int a = 0; a < 3; ++a)
        mean += (log_v[a] = log(stretch[a])) / 3;
    MUST(pl_world_melt(f.world, f.body));
    const pl__liquid_state *state = &liquid_of(&f)->state;
    const pl__columns *cell = &state->grid.cell;
    double e[3] = {c * c * log_v[0] + s * s * log_v[1] - mean, s * s * log_v[0] + c * c * log_v[1] - mean,
                   log_v[2] - mean},
           shear = c * s * (log_v[0] - log_v[1]);
    int32_t count = 0;
    for (int32_t n = 0; n < cell->value_count; ++n)
        for (int a = 0; a < 3 && state->phi[n] < 0; ++a, ++count)
            CHECK_NEAR(state->elastic.strain[a][n], e[a], 1e-12);
    CHECK(count > 1000);
    double at[3] = {0.04, -0.05, 0.1}, found;
    CHECK(pl__columns_sample(&state->elastic.edges.edge[2], state->elastic.strain[5], at, &found));
    CHECK_NEAR(found, shear, 1e-12);
    CHECK(pl__columns_sample(&state->elastic.edges.edge[1], state->elastic.strain[4], at, &found));
    CHECK_NEAR(found, 0, 1e-12);
    fixture_done(&f);
}

// In another liquid what comes takes its place, each is counted, and both get there.
static void bodies_melt_in_other_liquids(void)
{
    melt_def m = melt_default();
    m.level = 0.5; // above all of the ball
    fixture f = make(&m);
    pl_step_info before = report(&f), of[2];
    MUST(pl_world_melt(f.world, f.body));
    CHECK_NEAR(report(&f).liquid_volume, before.liquid_volume, 1e-3); // there is no room yet
    for (int step = 0; step < 40; ++step)
        (void)fixture_step(&f, 0.01);
    for (int32_t i = 0; i < pl_world_drawable_count(f.world); ++i)
    {
        pl_drawable d;
        MUST(pl_world_drawable(f.world, i, &d));
        if (strcmp(d.name, "melt") == 0)
            MUST(pl_drawable_report(f.world, i, &of[0]));
        if (strcmp(d.name, "sea") == 0)
            MUST(pl_drawable_report(f.world, i, &of[1]));
    }
    CHECK_NEAR(of[0].liquid_volume / before.volume, 1, 0.01);
    CHECK_NEAR(of[1].liquid_volume / before.liquid_volume, 1, 0.01);
    fixture_done(&f);
}

// ---- when ------------------------------------------------------------------------------------------------------

// At the end of the substep that reaches its time, whatever the length of steps.
static void bodies_melt_at_their_time(void)
{
    melt_def m = melt_default();
    m.start = 0.05;
    fixture f = make(&m);
    (void)fixture_step(&f, 0.04);
    CHECK(pl_body_melts(f.world, f.body) && pl_world_body_count(f.world) == 1 && report(&f).liquid_volume == 0);
    (void)fixture_step(&f, 0.02);
    CHECK(pl_world_body_count(f.world) == 0 && report(&f).liquid_volume > 0);
    CHECK(pl_world_find_body(f.world, "body").index == 0);
    CHECK(pl_world_melt(f.world, f.body) == PL_ERR_STATE && strstr(pl_context_error(f.ctx), "is liquid"));
    pl_drawable d;
    MUST(pl_world_drawable(f.world, 0, &d)); // it stays in the list
    CHECK(strcmp(d.name, "body") == 0 && d.vertex_count == 0 && d.body.index == 0 && d.version == 2);
    fixture_done(&f);
    m.start = 0;
    f = make(&m);
    CHECK(pl_world_body_count(f.world) == 0 && report(&f).liquid_volume > 0);
    fixture_done(&f);
}

// When the part of it that is told is as warm as its material melts.
static void warm_bodies_melt(void)
{
    melt_def m = melt_default();
    m.start = 0, m.melted = 0.6, m.melting = 50;
    fixture f = make(&m);
    MUST(pl_world_heat(f.world, (double[3]){0.5, 0, 0}, 0.6, 100)); // less than half of it
    (void)fixture_step(&f, 0.01);
    CHECK(pl_world_body_count(f.world) == 1);
    MUST(pl_world_heat(f.world, (double[3]){0, 0, 0}, 1e6, 49));
    (void)fixture_step(&f, 0.01);
    CHECK(pl_world_body_count(f.world) == 1);
    MUST(pl_world_heat(f.world, (double[3]){0, 0, 0}, 1e6, 2));
    (void)fixture_step(&f, 0.01);
    CHECK(pl_world_body_count(f.world) == 0);
    fixture_done(&f);
}

// ---- the way back ----------------------------------------------------------------------------------------------

// Angular momentum about the y axis over moment of inertia, both about the center, of the only body.
static double turning(const fixture *f)
{
    const pl__body *body = f->world->bodies.body[0];
    double mass = 0, at[3] = {0}, v[3] = {0}, momentum = 0, inertia = 0;
    for (int pass = 0; pass < 2; ++pass)
        for (int32_t n = 0; n < body->node_count; ++n)
        {
            const double *x = &f->world->solids.state.x[3 * (size_t)(body->first_node + n)],
                         *u = &f->world->solids.state.v[3 * (size_t)(body->first_node + n)], m = body->mass[n];
            for (int a = 0; a < 3 && pass == 0; ++a)
                at[a] += m * x[a], v[a] += m * u[a];
            mass += pass == 0 ? m : 0;
            double r[2] = {x[0] - at[0] / mass, x[2] - at[2] / mass}, w[2] = {u[0] - v[0] / mass, u[2] - v[2] / mass};
            momentum += pass == 1 ? m * (r[1] * w[0] - r[0] * w[1]) : 0;
            inertia += pass == 1 ? m * (r[0] * r[0] + r[1] * r[1]) : 0;
        }
    return momentum / inertia;
}

// A body has the volume and the mean velocity of the liquid, and its mesh follows it: of a ball that spins, also its
// rate of rotation within half a percent, on ten cells.
static void liquids_become_bodies(void)
{
    melt_def m = melt_default();
    m.sets = 1e9;
    m.velocity[0] = 0.3, m.velocity[1] = -2;
    m.spin[1] = 90;
    fixture f = make(&m);
    CHECK(pl_world_body_count(f.world) == 1 && pl_world_find_body(f.world, "cast").index == 0);
    pl_step_info whole = report(&f);
    double turns = turning(&f);
    CHECK_NEAR(turns, 0.5 * pi, 1e-12);
    CHECK(pl_world_set_liquid(f.world, "cast") == PL_ERR_STATE &&
          strstr(pl_context_error(f.ctx), "there is no liquid"));
    MUST(pl_world_melt(f.world, f.body));
    pl_step_info before = report(&f);
    MUST(pl_world_set_liquid(f.world, "cast"));
    pl_step_info after = report(&f);
    CHECK(pl_world_body_count(f.world) == 1 && pl_world_find_body(f.world, "cast").index == 2);
    CHECK(after.liquid_volume == 0);
    CHECK_NEAR(after.liquid_added, 0, 1e-14);
    CHECK_NEAR(after.volume / whole.volume, 1, 1e-12); // all that has come has gone over
    for (int a = 0; a < 3; ++a)
        CHECK_NEAR(after.momentum[a] / after.mass, before.momentum[a] / before.mass, 1e-14);
    CHECK_NEAR(turning(&f) / turns, 1, 0.005);
    CHECK(pl_world_set_liquid(f.world, "cast") == PL_ERR_ARGUMENT && strstr(pl_context_error(f.ctx), "there already"));
    CHECK(pl_world_set_liquid(f.world, "body") == PL_ERR_ARGUMENT);
    (void)fixture_step(&f, 0.01);
    CHECK(report(&f).min_J > 0.9);
    fixture_done(&f);
}

static void bad_settings_are_refused(void)
{
    melt_def m = melt_default();
    fixture_def def = define(&m);
    fixture f = {.ctx = test_context(1)};
    MUST(pl_mesh_create_shape(f.ctx, &def.shape, &f.mesh));
    for (int k = 0; k < 4; ++k)
    {
        static const char *const words[] = {"no such body", "there is no liquid `jelly`", "one of several liquids",
                                            "cannot both melt and set"};
        pl_world *world;
        plan = m;
        plan.level = k == 2 ? -0.5 : 0;
        MUST(pl_scene_create(f.ctx, &f.scene));
        MUST(pl_scene_add_material(f.scene, "stuff", &def.material, &def.body.material));
        def.body.mesh = f.mesh;
        MUST(pl_scene_add_body(f.scene, "body", &def.body, NULL));
        MUST(pl_scene_add_body(f.scene, "cast", &def.body, NULL));
        add_liquids(&f);
        MUST(pl_scene_add_setting(f.scene,
                                  k == 0   ? "mould"
                                  : k == 3 ? "body"
                                           : "cast",
                                  k == 1 ? "jelly" : "melt", 1, 0.1));
        CHECK(pl_scene_add_setting(f.scene, "cast", "melt", -1, 0.1) == PL_ERR_ARGUMENT);
        CHECK(pl_scene_add_setting(f.scene, "cast", "melt", 1, 0) == PL_ERR_ARGUMENT);
        CHECK_THAT(pl_world_create(f.scene, &world) == PL_ERR_ARGUMENT && strstr(pl_context_error(f.ctx), words[k]),
                   "%d: %s", k, pl_context_error(f.ctx));
        pl_scene_destroy(&f.scene);
    }
    fixture_done(&f);
}

// ---- snapshots -------------------------------------------------------------------------------------------------

typedef struct saved
{
    void *bytes;
    size_t size;
} saved;

static saved save(const fixture *f_)
{
    fixture f = *f_;
    saved s = {.size = pl_world_save_size(f.world)};
    s.bytes = malloc(s.size);
    MUST(pl_world_save(f.world, s.bytes, s.size));
    return s;
}

static bool is_same(const saved *a, const saved *b)
{
    return a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

static void run(const fixture *f, int steps)
{
    for (int k = 0; k < steps; ++k)
        (void)fixture_step(f, 0.01);
}

// From a moment before it melts and from one after, in a new world, in the same one, and forth and back.
static void lead_to_the_same_bits(double sets)
{
    melt_def m = melt_default();
    m.start = 0.035;
    m.elasticity = 100;
    m.spin[0] = 100;
    m.sets = sets;
    fixture f = make(&m), other = make(&m);
    run(&f, 2);
    saved before = save(&f);
    run(&f, 3);
    saved after = save(&f);
    CHECK(pl_world_body_count(f.world) == (sets > 0) + (sets > 0 && sets < 0.05));
    run(&f, 3);
    saved end = save(&f);
    for (int round = 0; round < 2; ++round)
    {
        fixture *to = round ? &f : &other;
        CHECK_OK(to->ctx, pl_world_load(to->world, after.bytes, after.size));
        CHECK(pl_world_body_count(to->world) == (sets > 0) + (sets > 0 && sets < 0.05));
        run(to, 3);
        saved again = save(to);
        CHECK(is_same(&again, &end));
        free(again.bytes);
        CHECK_OK(to->ctx, pl_world_load(to->world, before.bytes, before.size));
        CHECK(pl_world_body_count(to->world) == 1 + (sets > 0));
        run(to, 3);
        again = save(to);
        CHECK(is_same(&again, &after));
        free(again.bytes);
        run(to, 3);
        again = save(to);
        CHECK(is_same(&again, &end));
        free(again.bytes);
    }
    free(before.bytes), free(after.bytes), free(end.bytes);
    fixture_done(&f);
    fixture_done(&other);
}

static void snapshots_lead_to_the_same_bits(void) { lead_to_the_same_bits(0); }

// Also when it has set again, in the last part or before.
static void snapshots_have_what_has_set(void)
{
    lead_to_the_same_bits(0.065);
    lead_to_the_same_bits(0.045);
}

// A live melt, and one of several bodies that collide.
static void others_stay(void)
{
    melt_def m = melt_default();
    fixture f = make(&m), other = make(&m);
    for (int k = 0; k < 2; ++k)
    {
        fixture *to = k ? &other : &f;
        pl_body_def body = pl_body_def_default();
        body.mesh = f.mesh;
        body.material.index = 1;
        body.at[0] = 3;
        CHECK_OK(to->ctx, pl_world_add_body(to->world, "second", &body, NULL));
    }
    run(&f, 2);
    saved before = save(&f);
    MUST(pl_world_melt(f.world, f.body));
    run(&f, 2);
    saved after = save(&f);
    CHECK(pl_world_body_count(f.world) == 1);
    CHECK_OK(other.ctx, pl_world_load(other.world, after.bytes, after.size));
    CHECK(pl_world_body_count(other.world) == 1 && pl_world_find_body(other.world, "second").index == 2);
    CHECK_OK(other.ctx, pl_world_load(other.world, before.bytes, before.size));
    CHECK(pl_world_body_count(other.world) == 2);
    CHECK_OK(other.ctx, pl_world_melt(other.world, other.body));
    run(&other, 2);
    saved again = save(&other);
    CHECK(is_same(&again, &after));
    free(before.bytes), free(after.bytes), free(again.bytes);
    fixture_done(&f);
    fixture_done(&other);
}

// ---- faults ----------------------------------------------------------------------------------------------------

static void what_cannot_melt_says_so(void)
{
    melt_def m = melt_default();
    fixture f = make(&m);
    int32_t nodes = pl_mesh_node_count(f.mesh);
    double *x = malloc(3 * (size_t)nodes * sizeof *x);
    for (int32_t n = 0; n < 3 * nodes; ++n)
        x[n] = pl_mesh_positions(f.mesh)[n] + (n % 3 == 0 ? 1.1 : 0);
    MUST(pl_body_write(f.world, f.body, x, NULL));
    CHECK(pl_world_melt(f.world, f.body) == PL_ERR_ARGUMENT && strstr(pl_context_error(f.ctx), "outside the domain"));
    for (int32_t n = 0; n < nodes; ++n)
        x[3 * n] -= 0.3; // some of it is outside
    MUST(pl_body_write(f.world, f.body, x, NULL));
    pl_step_info before = report(&f);
    MUST(pl_world_melt(f.world, f.body));
    double part = report(&f).liquid_added / before.volume;
    double h = 0.3 / 0.5; // the cap that is left out, with a ball of radius .5 whose center is .2 from the side
    CHECK_NEAR(part, 1 - h * h * (3 - h) / 4, 0.02);
    free(x);
    fixture_done(&f);
    f = make(&m);
    pl_body_def body = pl_body_def_default();
    pl_body_id second;
    body.mesh = f.mesh;
    body.material.index = 1;
    MUST(pl_world_add_body(f.world, "second", &body, &second));
    CHECK(!pl_body_melts(f.world, second) && pl_world_melt(f.world, second) == PL_ERR_ARGUMENT);
    CHECK_THAT(strstr(pl_context_error(f.ctx), "no liquid of the scene is made of it"), "%s", pl_context_error(f.ctx));
    fixture_done(&f);
}

static void bad_definitions_are_refused(void)
{
    pl_context *ctx = test_context(1);
    pl_scene *scene;
    pl_liquid_def def = pl_liquid_def_default();
    CHECK_OK(ctx, pl_scene_create(ctx, &scene));
    def.body = "figure";
    CHECK(pl_scene_add_liquid(scene, "melt", &def, NULL) == PL_ERR_ARGUMENT);
    def.body = NULL;
    def.kind = PL_LIQUID_BODY;
    CHECK(pl_scene_add_liquid(scene, "melt", &def, NULL) == PL_ERR_ARGUMENT);
    def.body = "figure";
    def.level = 1;
    CHECK(pl_scene_add_liquid(scene, "melt", &def, NULL) == PL_ERR_ARGUMENT);
    def.level = 0;
    CHECK_OK(ctx, pl_scene_add_liquid(scene, "melt", &def, NULL));
    pl_domain_def domain = pl_domain_def_default();
    domain.size = 0.5;
    for (int i = 0; i < 3; ++i)
        domain.upper[i] = 2;
    CHECK_OK(ctx, pl_scene_set_domain(scene, &domain));
    pl_world *world;
    CHECK(pl_world_create(scene, &world) == PL_ERR_ARGUMENT && strstr(pl_context_error(ctx), "no body `figure`"));
    pl_scene_destroy(&scene);
    CHECK(pl_context_memory(ctx) == 0);
    pl_context_destroy(&ctx);
}

// Nothing has happened when memory runs out, at any allocation.
static void every_failed_allocation_is_survived(void)
{
    host h;
    pl_context *ctx = host_context(&h);
    melt_def m = melt_default();
    m.size = 0.2;
    m.elasticity = 100;
    m.sets = 1e9;
    fixture f = {.ctx = ctx};
    fixture_def def = define(&m);
    def.shape.edge = 0.4;
    MUST(pl_mesh_create_shape(ctx, &def.shape, &f.mesh));
    MUST(pl_scene_create(ctx, &f.scene));
    MUST(pl_scene_add_material(f.scene, "stuff", &def.material, &def.body.material));
    def.body.mesh = f.mesh;
    MUST(pl_scene_add_body(f.scene, "body", &def.body, &f.body));
    add_liquids(&f);
    MUST(pl_world_create(f.scene, &f.world));
    run(&f, 1);
    saved before = save(&f);
    pl_status status = PL_ERR_MEMORY;
    int64_t n = 0;
    for (; status == PL_ERR_MEMORY && n < 10000; ++n)
    {
        h.until_failure = n;
        status = pl_world_melt(f.world, f.body);
        h.until_failure = -1;
        if (status != PL_ERR_MEMORY)
            break;
        saved again = save(&f);
        CHECK_THAT(is_same(&again, &before), "allocation %lld", (long long)n);
        free(again.bytes);
    }
    CHECK_OK(ctx, status);
    CHECK_THAT(n > 30, "%lld", (long long)n);
    saved after = save(&f);
    status = PL_ERR_MEMORY;
    for (n = 0; status == PL_ERR_MEMORY && n < 10000; ++n)
    {
        h.until_failure = n;
        status = pl_world_load(f.world, before.bytes, before.size);
        h.until_failure = -1;
        if (status != PL_ERR_MEMORY)
            break;
        saved again = save(&f);
        CHECK_THAT(is_same(&again, &after), "allocation %lld of loading", (long long)n);
        free(again.bytes);
    }
    CHECK_OK(ctx, status);
    saved again = save(&f);
    CHECK(is_same(&again, &before));
    MUST(pl_world_load(f.world, after.bytes, after.size));
    status = PL_ERR_MEMORY;
    for (n = 0; status == PL_ERR_MEMORY && n < 10000; ++n)
    {
        h.until_failure = n;
        status = pl_world_set_liquid(f.world, "cast");
        h.until_failure = -1;
        if (status != PL_ERR_MEMORY)
            break;
        saved unchanged = save(&f);
        CHECK_THAT(is_same(&unchanged, &after), "allocation %lld of setting", (long long)n);
        free(unchanged.bytes);
    }
    CHECK_OK(ctx, status);
    saved set = save(&f);
    MUST(pl_world_load(f.world, before.bytes, before.size));
    status = PL_ERR_MEMORY;
    for (n = 0; status == PL_ERR_MEMORY && n < 10000; ++n)
    {
        h.until_failure = n;
        status = pl_world_load(f.world, set.bytes, set.size);
        h.until_failure = -1;
        if (status != PL_ERR_MEMORY)
            break;
        saved unchanged = save(&f);
        CHECK_THAT(is_same(&unchanged, &before), "allocation %lld of loading what has set", (long long)n);
        free(unchanged.bytes);
    }
    CHECK_OK(ctx, status);
    free(set.bytes);
    free(before.bytes), free(after.bytes), free(again.bytes);
    fixture_done(&f);
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {
        TEST(volume_and_momentum_go_over),
        TEST(rotation_goes_over_exactly),
        TEST(strain_goes_over),
        TEST(bodies_melt_in_other_liquids),
        TEST(bodies_melt_at_their_time),
        TEST(warm_bodies_melt),
        TEST(liquids_become_bodies),
        TEST(bad_settings_are_refused),
        TEST(snapshots_lead_to_the_same_bits),
        TEST(snapshots_have_what_has_set),
        TEST(others_stay),
        TEST(what_cannot_melt_says_so),
        TEST(bad_definitions_are_refused),
        TEST(every_failed_allocation_is_survived),
    };
    return RUN(tests);
}

// tests/liquid_scene.c -- domain and liquids of a scene: cells, rules, scene files, and worlds without bodies.
#include "contact/shape.h"
#include "desk.h"
#include "fixture.h"

static pl_domain_def unit_domain(double size)
{
    pl_domain_def def = pl_domain_def_default();
    for (int i = 0; i < 3; ++i)
        def.upper[i] = 1;
    def.size = size;
    return def;
}

static pl_scene *new_scene(pl_context *ctx)
{
    pl_scene *scene;
    CHECK_OK(ctx, pl_scene_create(ctx, &scene));
    return scene;
}

static void expect(pl_context *ctx, pl_status status, const char *path, const char *words)
{
    CHECK_THAT(status == PL_ERR_ARGUMENT && strcmp(pl_context_error_path(ctx), path) == 0 &&
                   strstr(pl_context_error(ctx), words),
               "%s (%s): %s: %s", path, words, pl_context_error_path(ctx),
               status == PL_OK ? "was accepted" : pl_context_error(ctx));
}

// ---- domain ----------------------------------------------------------------------------------------------------

// Whole cells, to the nearest: the lower corner stays.
static void boxes_are_rounded_to_whole_cells(void)
{
    pl_context *ctx = test_context(1);
    pl_scene *scene = new_scene(ctx);
    pl_domain_def def = unit_domain(0.1);
    def.lower[0] = -0.04;
    def.upper[1] = 0.96;
    def.upper[2] = 0.1;
    CHECK_OK(ctx, pl_scene_set_domain(scene, &def));
    const pl__scene_domain *domain = &scene->domain;
    CHECK(domain->given && domain->cells[0] == 10 && domain->cells[1] == 10 && domain->cells[2] == 1);
    CHECK(domain->def.lower[0] == -0.04);
    CHECK_NEAR(domain->def.upper[0], 0.96, 1e-15);
    CHECK_NEAR(domain->def.upper[1], 1, 1e-15);
    pl_scene_destroy(&scene);
    pl_context_destroy(&ctx);
}

static void bad_domains_are_refused(void)
{
    pl_context *ctx = test_context(1);
    pl_scene *scene = new_scene(ctx);
    pl_domain_def def = unit_domain(0), good = unit_domain(0.25);
    CHECK_OK(ctx, pl_scene_set_domain(scene, &good));
    expect(ctx, pl_scene_set_domain(scene, &def), "domain.size", "must be given");
    def = unit_domain(0.1);
    def.upper[1] = -1;
    expect(ctx, pl_scene_set_domain(scene, &def), "domain.upper", "above the lower corner, 0, along y");
    def = unit_domain(0.1);
    def.upper[2] = 0.05;
    expect(ctx, pl_scene_set_domain(scene, &def), "domain.size", "more than the box has along z");
    def = unit_domain(0.1);
    def.lower[0] = NAN;
    expect(ctx, pl_scene_set_domain(scene, &def), "domain.lower", "within 1e9");
    def = unit_domain(0.1);
    def.open = 64;
    expect(ctx, pl_scene_set_domain(scene, &def), "domain.open", "mask of sides");
    def = unit_domain(0.1);
    def.cookie = 0;
    expect(ctx, pl_scene_set_domain(scene, &def), "domain", "pl_domain_def_default");
    CHECK(scene->domain.def.size == 0.25);
    pl_scene_destroy(&scene);
    pl_context_destroy(&ctx);
}

// The number after "take at least " in the last error; 0: there is none.
static double advised_size(const pl_context *ctx)
{
    const char *words = "take at least ", *at = strstr(pl_context_error(ctx), words);
    return at ? strtod(at + strlen(words), NULL) : 0;
}

// The size that a refusal names is accepted, and a few percent less is not; at once, however many cells were asked for.
static void the_size_that_is_named_fits(void)
{
    static const struct
    {
        double extent[3], size, depth;
    } tried[] = {{{1, 1, 1}, 1e-4, 0},       {{1, 1, 1}, 1e-9, 0},  {{1, 1e-3, 1}, 1e-6, 0},
                 {{100, 12, 20}, 1e-3, 1.5}, {{1e8, 1, 1}, 0.5, 0}, {{1e9, 1e9, 1e9}, 1e-9, 1e-9}};
    pl_context *ctx = test_context(1);
    pl_scene *scene = new_scene(ctx);
    for (size_t k = 0; k < sizeof tried / sizeof tried[0]; ++k)
    {
        pl_domain_def def = pl_domain_def_default();
        memcpy(def.upper, tried[k].extent, sizeof def.upper);
        def.size = tried[k].size;
        def.depth = tried[k].depth;
        expect(ctx, pl_scene_set_domain(scene, &def), "domain.size", "cells: ");
        def.size = advised_size(ctx);
        if (k == 4) // cells that fit are larger than the box is thin
            CHECK(def.size == 0 && strstr(pl_context_error(ctx), "take a smaller box"));
        else
        {
            CHECK_OK(ctx, pl_scene_set_domain(scene, &def));
            def.size *= 0.98; // three digits are off by 1 % at most
            CHECK(pl_scene_set_domain(scene, &def) == PL_ERR_ARGUMENT);
        }
    }
    pl_scene_destroy(&scene);
    pl_context_destroy(&ctx);
}

// Only `depth` decides what deep water costs.
static void tall_cells_cost_nothing(void)
{
    pl_domain_def shallow = unit_domain(0.01), deep = unit_domain(0.01);
    deep.upper[1] = 8;
    CHECK_NEAR(pl__domain_memory(&deep) / pl__domain_memory(&shallow), 7.8, 0.2); // by rows, but for the surface
    shallow.depth = deep.depth = 0.2;
    CHECK(pl__domain_memory(&deep) == pl__domain_memory(&shallow));
}

// ---- liquids ---------------------------------------------------------------------------------------------------

static void bad_liquids_are_refused(void)
{
    pl_context *ctx = test_context(1);
    pl_scene *scene = new_scene(ctx);
    pl_object_def shape = pl_object_def_default();
    pl_liquid_def def = pl_liquid_def_default();
    pl_liquid_id id = {0};
    CHECK_OK(ctx, pl_scene_add_liquid(scene, "sea", &def, &id));
    CHECK(id.index == 1);
    expect(ctx, pl_scene_add_liquid(scene, "sea", &def, NULL), "liquids.sea", "of that name already");
    def.of = 2;
    expect(ctx, pl_scene_add_liquid(scene, "oil", &def, NULL), "liquids.oil.of", "not the index of a liquid");
    def = pl_liquid_def_default();
    def.volume = PL_VOLUME_HOLD;
    expect(ctx, pl_scene_add_liquid(scene, "oil", &def, NULL), "liquids.oil.volume", "the same for all liquids");
    def = pl_liquid_def_default();
    def.at[1] = 1;
    expect(ctx, pl_scene_add_liquid(scene, "a", &def, NULL), "liquids.a.at", "places a shape");
    def.shape = &shape;
    shape.kind = PL_OBJECT_ACTOR;
    expect(ctx, pl_scene_add_liquid(scene, "a", &def, NULL), "liquids.a.shape.kind", "cannot be filled");
    shape.kind = PL_OBJECT_SPHERE;
    shape.at[0] = 1;
    expect(ctx, pl_scene_add_liquid(scene, "a", &def, NULL), "liquids.a.shape", "at or rotate of its own");
    shape.at[0] = 0;
    shape.spin[0] = 1;
    expect(ctx, pl_scene_add_liquid(scene, "a", &def, NULL), "liquids.a.shape", "velocity or spin of its own");
    shape.spin[0] = 0;
    shape.radius = -1;
    expect(ctx, pl_scene_add_liquid(scene, "a", &def, NULL), "liquids.a.shape.radius", "must be in");
    shape.radius = 1;
    def.level = 1;
    expect(ctx, pl_scene_add_liquid(scene, "a", &def, NULL), "liquids.a.level", "give one of them");
    CHECK(scene->liquid_count == 1);
    pl_scene_destroy(&scene);
    pl_context_destroy(&ctx);
}

// A world of one liquid in the unit domain.
static pl_status create_world(pl_context *ctx, const pl_liquid_def *liquid)
{
    pl_scene *scene = new_scene(ctx);
    pl_world *world = NULL;
    pl_domain_def domain = unit_domain(0.1);
    CHECK_OK(ctx, pl_scene_add_liquid(scene, "water", liquid, NULL));
    CHECK_OK(ctx, pl_scene_set_domain(scene, &domain)); // the order does not matter
    pl_status status = pl_world_create(scene, &world);
    pl_world_destroy(&world);
    pl_scene_destroy(&scene);
    return status;
}

// Whether a shape that is turned and moved reaches into the domain.
static void liquids_must_be_in_the_domain(void)
{
    static const struct
    {
        pl_object_kind kind;
        double at[3], rotate[3];
        bool inside;
    } placed[] = {{PL_OBJECT_BOX, {0.5, 0.5, 0.5}, {0, 0, 0}, true},
                  {PL_OBJECT_BOX, {0.5, 1.44, 0.5}, {0, 0, 0}, true}, // of edge 1
                  {PL_OBJECT_BOX, {0.5, 1.6, 0.5}, {0, 0, 0}, false},
                  {PL_OBJECT_BOX, {0.5, 1.6, 0.5}, {0, 0, 45}, true},
                  {PL_OBJECT_BOX, {1.6, 1.6, 0.5}, {0, 0, 45}, false},  // its bounds reach in, it does not
                  {PL_OBJECT_SPHERE, {1.4, 0.5, 0.5}, {0, 0, 0}, true}, // of radius 0.5
                  {PL_OBJECT_SPHERE, {1.4, 1.4, 1.4}, {0, 0, 0}, false},
                  {PL_OBJECT_PLANE, {0, 0.5, 0}, {0, 0, 0}, true},
                  {PL_OBJECT_PLANE, {0, -0.1, 0}, {0, 0, 0}, false},
                  {PL_OBJECT_PLANE, {0, 1.1, 0}, {180, 0, 0}, false},
                  {PL_OBJECT_WEDGE, {0.5, 0.1, 0.5}, {0, 0, 0}, true},
                  {PL_OBJECT_WEDGE, {0.5, -0.1, 0.5}, {0, 0, 0}, false}};
    pl_context *ctx = test_context(1);
    for (size_t k = 0; k < sizeof placed / sizeof placed[0]; ++k)
    {
        pl_liquid_def def = pl_liquid_def_default();
        pl_object_def shape = pl_object_def_default();
        shape.kind = placed[k].kind;
        def.shape = &shape;
        memcpy(def.at, placed[k].at, sizeof def.at);
        memcpy(def.rotate, placed[k].rotate, sizeof def.rotate);
        pl_status status = create_world(ctx, &def);
        CHECK_THAT((status == PL_OK) == placed[k].inside, "%zu: %s", k, pl_context_error(ctx));
        if (!placed[k].inside)
            expect(ctx, status, "liquids.water.shape", "is outside the domain, from [0, 0, 0] to [1, 1, 1] m");
    }
    pl_liquid_def def = pl_liquid_def_default();
    expect(ctx, create_world(ctx, &def), "liquids.water.level", "0 m is not above the bottom of the domain, 0 m");
    def.level = 0.06;
    CHECK_OK(ctx, create_world(ctx, &def));
    def.level = 0.01;
    expect(ctx, create_world(ctx, &def), "domain.size", "lies between the centers of cells so large");
    def.level = 3; // flooded
    CHECK_OK(ctx, create_world(ctx, &def));
    pl_context_destroy(&ctx);
}

static void liquids_need_a_domain(void)
{
    pl_context *ctx = test_context(1);
    pl_scene *scene = new_scene(ctx);
    pl_world *world;
    pl_liquid_def def = pl_liquid_def_default();
    CHECK_OK(ctx, pl_scene_add_liquid(scene, "water", &def, NULL));
    expect(ctx, pl_world_create(scene, &world), "liquids.water", "needs a domain");
    CHECK(!world);
    pl_scene_destroy(&scene);
    pl_context_destroy(&ctx);
}

// The region of a liquid is its shape, turned, then moved.
static void regions_are_placed_shapes(void)
{
    pl_context *ctx = test_context(1);
    pl_liquid_def def = pl_liquid_def_default();
    pl_object_def shape = pl_object_def_default();
    pl__shape *region;
    double normal[3], point[3] = {1.7, 2, 3}, beyond[3] = {1, 2.7, 3};
    shape.kind = PL_OBJECT_BOX;
    shape.extent[1] = 2;
    def.shape = &shape;
    def.rotate[2] = 90;
    for (int i = 0; i < 3; ++i)
        def.at[i] = i + 1;
    CHECK_OK(ctx, pl__liquid_region(ctx, &def, &region));
    CHECK_NEAR(pl__shape_distance(region, point, normal), -0.3, 1e-12);
    CHECK_NEAR(pl__shape_distance(region, beyond, normal), 0.2, 1e-12);
    pl__shape_destroy(&region);
    CHECK(pl_context_memory(ctx) == 0);
    pl_context_destroy(&ctx);
}

// ---- worlds without bodies -------------------------------------------------------------------------------------

typedef struct
{
    pl_context *ctx;
    pl_scene *scene;
    pl_world *world;
} pool;

static pool make_pool(double size, pl_integrator integrator)
{
    pool p = {.ctx = test_context(1)};
    pl_domain_def domain = unit_domain(size);
    pl_liquid_def liquid = pl_liquid_def_default();
    pl_solver_def solver = pl_solver_def_default();
    pl_object_def floor = pl_object_def_default();
    pl_material_def stuff = pl_material_def_default();
    liquid.level = 0.5;
    solver.integrator = integrator;
    solver.sleep = 1;
    p.scene = new_scene(p.ctx);
    CHECK_OK(p.ctx, pl_scene_set_solver(p.scene, &solver));
    CHECK_OK(p.ctx, pl_scene_add_object(p.scene, "floor", &floor, NULL));
    CHECK_OK(p.ctx, pl_scene_add_material(p.scene, "stuff", &stuff, NULL));
    CHECK_OK(p.ctx, pl_scene_set_domain(p.scene, &domain));
    CHECK_OK(p.ctx, pl_scene_add_liquid(p.scene, "water", &liquid, NULL));
    CHECK_OK(p.ctx, pl_world_create(p.scene, &p.world));
    return p;
}

static void empty_pool(pool *p)
{
    pl_world_destroy(&p->world);
    pl_scene_destroy(&p->scene);
    CHECK(pl_context_memory(p->ctx) == 0);
    pl_context_destroy(&p->ctx);
}

// Time passes, reports are those of the liquid, and everything that lists bodies lists none.
static void worlds_without_bodies_step(void)
{
    for (int integrator = 0; integrator < 2; ++integrator)
    {
        pool p = make_pool(0.1, (pl_integrator)integrator);
        pl_step_def step = pl_step_def_default();
        pl_step_info info;
        pl_hit hit;
        int32_t count = -1;
        const double from[3] = {0.5, 9, 0.5}, down[3] = {0, -1, 0};
        for (int k = 0; k < 3; ++k)
            CHECK_OK(p.ctx, pl_world_step(p.world, &step, &info));
        CHECK_NEAR(pl_world_time(p.world), 3.0 / 24, 1e-15);
        CHECK(info.substeps >= 1 && info.kinetic < 1e-20);
        CHECK_NEAR(info.mass, 500, 1e-6);
        CHECK_NEAR(info.center[1], 0.25, 1e-9);
        CHECK_OK(p.ctx, pl_world_report(p.world, &info));
        CHECK(pl_world_stable_step(p.world) > 0 && isfinite(pl_world_stable_step(p.world)));
        CHECK(pl_world_body_count(p.world) == 0 && pl_world_drawable_count(p.world) == 2);
        CHECK(pl_world_cast_ray(p.world, from, down, &hit) && fabs(hit.distance - 8.5) < 1e-9);
        CHECK_OK(p.ctx, pl_world_contact_points(p.world, NULL, 0, &count));
        CHECK(count == 0);
        CHECK_OK(p.ctx, pl_world_heat(p.world, from, 1, 1));
        int64_t before = p.ctx->allocation_count;
        CHECK_OK(p.ctx, pl_world_step(p.world, &step, &info));
        CHECK(p.ctx->allocation_count == before);
        empty_pool(&p);
    }
}

// Points with the volume of the drops, where they are; their figures are part of those of the liquid.
static void drops_are_points(void)
{
    pool p = make_pool(0.25, PL_INTEGRATOR_SEMI_IMPLICIT);
    pl_drawable d;
    pl_step_info info, all;
    pl__spray *spray = &p.world->liquids.liquid->state.spray;
    CHECK_OK(p.ctx, pl_world_drawable(p.world, 1, &d));
    CHECK(d.vertex_count == 0 && d.radii && d.triangle_count == 0 && strcmp(d.name, "water_spray") == 0);
    CHECK_OK(p.ctx, pl_drawable_report(p.world, 0, &all));
    CHECK(PL_GROW(p.ctx, spray->drop, &spray->capacity, 2));
    spray->drop[0] = (pl__drop){{0.5, 0.75, 0.25}, {1, 2, 3}, 1e-3, 0};
    spray->drop[1] = (pl__drop){{0.25, 0.875, 0.5}, {0, -2, 0}, 3e-3, 0};
    spray->count = 2;
    p.world->liquids.drawn = false;
    double x[6], v[6], normal[6], mass = all.mass;
    CHECK_OK(p.ctx, pl_world_drawable(p.world, 1, &d));
    CHECK_OK(p.ctx, pl_drawable_read(p.world, 1, x, v, normal));
    CHECK(d.vertex_count == 2 && x[1] == 0.75 && x[5] == 0.5 && v[2] == 3 && v[4] == -2 && normal[4] == 0);
    for (int i = 0; i < 2; ++i)
        CHECK_NEAR(4. / 3 * M_PI * pow(d.radii[i], 3), spray->drop[i].volume, 1e-15);
    CHECK_OK(p.ctx, pl_drawable_report(p.world, 1, &info));
    CHECK_NEAR(info.mass, 4, 1e-12);
    CHECK_NEAR(info.kinetic, 0.5 * 14 + 0.5 * 3 * 4, 1e-12);
    CHECK_NEAR(info.center[1], (0.75 + 3 * 0.875) / 4, 1e-12);
    CHECK_OK(p.ctx, pl_drawable_report(p.world, 0, &all));
    CHECK_NEAR(all.mass, mass + 4, 1e-9);
    empty_pool(&p);
}

// Cells of water at rest tile it, uniform and tall ones, and have the pressure of what is above: rho g (level - y).
static void cells_have_the_pressure_of_the_depth(void)
{
    pl_context *ctx = test_context(1);
    pl_scene *scene = new_scene(ctx);
    pl_world *world;
    pl_domain_def domain = unit_domain(0.05);
    pl_liquid_def liquid = pl_liquid_def_default();
    pl_step_def step = pl_step_def_default();
    domain.depth = 0.2;
    domain.tolerance = 1e-10;
    liquid.level = 0.7;
    CHECK_OK(ctx, pl_scene_set_domain(scene, &domain));
    CHECK_OK(ctx, pl_scene_add_liquid(scene, "water", &liquid, NULL));
    CHECK_OK(ctx, pl_world_create(scene, &world));
    CHECK_OK(ctx, pl_world_step(world, &step, NULL));
    int32_t count = pl_world_liquid_cell_count(world), tall = 0;
    double *room = calloc(11 * (size_t)count, sizeof *room), volume = 0;
    const pl_liquid_cells cells = {
        .boxes = room, .phi = room + 6 * count, .velocities = room + 7 * count, .pressures = room + 10 * count};
    CHECK_OK(ctx, pl_world_liquid_read_cells(world, &cells));
    for (int32_t n = 0; n < count; ++n)
    {
        const double *box = &cells.boxes[6 * n];
        double height = box[4] - box[1], y = 0.5 * (box[1] + box[4]);
        tall += height > 0.051;
        CHECK_NEAR(box[3] - box[0], 0.05, 1e-12);
        CHECK((cells.phi[n] < 0) == (y < 0.7));
        CHECK_NEAR(cells.pressures[n], y < 0.7 ? 1000 * 9.81 * (0.7 - y) : 0, 1e-3);
        CHECK_NEAR(cells.velocities[3 * n + 1], 0, 1e-9);
        volume += cells.phi[n] < 0 ? height * 0.05 * 0.05 : 0;
    }
    CHECK_NEAR(volume, 0.7, 1e-9);
    CHECK(tall == 400);
    CHECK(pl_world_liquid_cell_count(NULL) == 0 && pl_world_liquid_read_cells(NULL, &cells) == PL_ERR_ARGUMENT);
    free(room);
    pl_world_destroy(&world);
    pl_scene_destroy(&scene);
    pl_context_destroy(&ctx);
}

// Bodies may come later.
static void bodies_join_a_liquid(void)
{
    pool p = make_pool(0.1, PL_INTEGRATOR_SEMI_IMPLICIT);
    pl_shape_def shape = pl_shape_def_default();
    pl_body_def body = pl_body_def_default();
    pl_body_id id;
    pl_mesh *mesh;
    pl_step_def step = pl_step_def_default();
    shape.edge = 0.5;
    CHECK_OK(p.ctx, pl_mesh_create_shape(p.ctx, &shape, &mesh));
    body.mesh = mesh;
    body.material.index = 1;
    body.at[1] = 2;
    CHECK_OK(p.ctx, pl_world_step(p.world, &step, NULL));
    CHECK_OK(p.ctx, pl_world_add_body(p.world, "late", &body, &id));
    CHECK_OK(p.ctx, pl_world_step(p.world, &step, NULL));
    CHECK_OK(p.ctx, pl_world_remove_body(p.world, id));
    CHECK_OK(p.ctx, pl_world_step(p.world, &step, NULL));
    pl_mesh_destroy(&mesh);
    empty_pool(&p);
}

// A snapshot is that of the same domain and liquids.
static void snapshots_know_their_domain(void)
{
    pool p = make_pool(0.1, PL_INTEGRATOR_SEMI_IMPLICIT), other = make_pool(0.05, PL_INTEGRATOR_SEMI_IMPLICIT);
    pl_step_def step = pl_step_def_default();
    CHECK_OK(p.ctx, pl_world_step(p.world, &step, NULL));
    size_t size = pl_world_save_size(p.world);
    void *bytes = malloc(size);
    CHECK_OK(p.ctx, pl_world_save(p.world, bytes, size));
    CHECK_OK(p.ctx, pl_world_step(p.world, &step, NULL));
    CHECK_OK(p.ctx, pl_world_load(p.world, bytes, size));
    CHECK_NEAR(pl_world_time(p.world), step.dt, 0);
    CHECK(pl_world_load(other.world, bytes, size) != PL_OK);
    free(bytes);
    empty_pool(&p);
    empty_pool(&other);
}

// What may change at a branch is no part of what a snapshot belongs to; everything else of the domain is.
static void hashes_see_what_needs_a_rerun(void)
{
    pl_context *ctx = test_context(1);
    pl_scene *scene = new_scene(ctx);
    pl_domain_def domain = unit_domain(0.1);
    pl_liquid_def liquid = pl_liquid_def_default();
    CHECK(pl__liquids_hash(7, scene) == 7);
    CHECK_OK(ctx, pl_scene_set_domain(scene, &domain));
    CHECK(pl__liquids_hash(7, scene) == 7);
    CHECK_OK(ctx, pl_scene_add_liquid(scene, "water", &liquid, NULL));
    uint64_t before = pl__liquids_hash(7, scene);
    CHECK(before != 7);
    domain.cfl = 1;
    domain.tolerance = 1e-6;
    CHECK_OK(ctx, pl_scene_set_domain(scene, &domain));
    CHECK(pl__liquids_hash(7, scene) == before);
    domain.open = 1u << PL_SIDE_UPPER_X;
    CHECK_OK(ctx, pl_scene_set_domain(scene, &domain));
    CHECK(pl__liquids_hash(7, scene) != before);
    domain.open = 0;
    domain.depth = 0.3;
    CHECK_OK(ctx, pl_scene_set_domain(scene, &domain));
    CHECK(pl__liquids_hash(7, scene) != before);
    pl_scene_destroy(&scene);
    pl_context_destroy(&ctx);
}

// ---- scene files -----------------------------------------------------------------------------------------------

static const char pool_scene[] =
    "{ \"floor\": 0, \"domain\": { \"box\": [[0, 0, 0], [2, 1.01, 1]], \"size\": 0.02, \"depth\": 0.2, \"open\": "
    "[\"-x\", \"+z\"], \"cfl\": 2, \"tolerance\": 1e-5, \"particles\": 64, \"seed\": 3 },\n"
    "\"liquids\": { \"sea\": { \"level\": 0.4, \"velocity\": [1, 0, 0], \"viscosity\": 0.5, \"volume\": \"hold\" },\n"
    "\"drop\": { \"shape\": { \"union\": [{ \"shape\": { \"sphere\": 0.1 } }, { \"shape\": { \"surface\": { \"file\": "
    "\"box.obj\", \"height\": 0.1 } } }] }, \"at\": [1, 0.8, 0.5], \"rotate\": [0, 90, 0], \"viscosity\": 0.5, "
    "\"volume\": \"hold\", \"color\": \"#ff0000\" } } }";

static void files_give_domains_and_liquids(void)
{
    desk d;
    desk_make(&d);
    d.scene = pool_scene;
    pl_scene *scene = NULL;
    CHECK_OK(d.ctx, pl_scene_load(d.ctx, "dir/scene.json", &scene));
    if (scene)
    {
        const pl_domain_def *domain = &scene->domain.def;
        const pl_liquid_def *sea = &scene->liquid[0].def, *drop = &scene->liquid[1].def;
        CHECK(scene->domain.cells[0] == 100 && scene->domain.cells[1] == 51 && scene->domain.cells[2] == 50);
        CHECK(domain->open == (1u << PL_SIDE_LOWER_X | 1u << PL_SIDE_UPPER_Z) && domain->cfl == 2);
        CHECK(domain->depth == 0.2 && domain->tolerance == 1e-5 && domain->particles == 64 && domain->seed == 3);
        CHECK(scene->liquid_count == 2 && !sea->shape && sea->level == 0.4 && sea->velocity[0] == 1);
        CHECK(sea->viscosity == 0.5 && sea->volume == PL_VOLUME_HOLD && sea->density == 1000);
        CHECK(drop->shape->kind == PL_OBJECT_UNION && drop->shape->part_count == 2 && drop->at[1] == 0.8);
        CHECK(drop->rotate[1] == 90 && drop->shape->part[1].surface);
    }
    CHECK_THAT(d.log[0] == 0, "%s", d.log);
    pl_scene_destroy(&scene);
    desk_clear(&d);
}

static void warned(const char *text, const char *words)
{
    desk d;
    desk_make(&d);
    pl_scene *scene = NULL;
    CHECK_OK(d.ctx, pl_scene_parse(d.ctx, "scene", text, strlen(text), &scene));
    CHECK_THAT(words ? strstr(d.log, words) != NULL : d.log[0] == 0, "%s: %s", words ? words : "nothing", d.log);
    pl_scene_destroy(&scene);
    desk_clear(&d);
}

#define DOMAIN "\"domain\": { \"box\": [[0, 0, 0], [1, 1, 1]], \"size\": 0.1 }"
static void what_is_probably_not_meant_is_told(void)
{
    warned("{ " DOMAIN ", \"liquids\": { \"a\": { \"level\": 0.5 } } }", NULL);
    warned("{ " DOMAIN ", \"liquids\": { \"a\": { \"shape\": { \"plane\": [0, 1, 0] }, \"at\": [0, 0.5, 0] } } }",
           NULL);
    warned("{ " DOMAIN ", \"liquids\": { \"a\": { \"level\": 1 } } }", "liquids.a.level: 1 m is not below the top");
    warned("{ " DOMAIN ", \"liquids\": { \"a\": { \"level\": 0.05 } } }", "liquids.a.level: is 0.05 m thin");
    warned("{ " DOMAIN ", \"liquids\": { \"a\": { \"shape\": { \"box\": [1, 1, 0.05] }, \"rotate\": [0, 30, 0] } } }",
           "liquids.a.shape: is 0.05 m thin");
    warned("{ " DOMAIN ", \"bodies\": { \"b\": { \"shape\": { \"sphere\": 0.3 }, \"size\": 0.2 } } }",
           "domain: there are no `liquids`");
    warned("{ \"domain\": { \"box\": [[0, 0, 0], [1, 1, 1]], \"size\": 0.002 }, \"liquids\": { \"a\": { \"level\": 0.5 "
           "} } }",
           "domain.size: 0.002 m makes 500 x 500 x 500 cells, about 126 GB");
}

typedef struct
{
    int32_t count;
    pl__difference last;
} differences;

static void count_difference(void *user, const pl__difference *d)
{
    differences *seen = user;
    seen->count++;
    seen->last = *d;
}

// One change is one difference, told with when it may be made; a domain that comes or goes is one, too.
static void changes_are_told_apart(void)
{
    static const struct
    {
        const char *change, *path;
        pl__when when;
    } rows[] = {{"domain.size=0.05", "domain.size", PL__WHEN_RERUN},
                {"domain.box=[[0,0,0],[2,2,2]]", "domain.box", PL__WHEN_RERUN},
                {"domain.open=[\"-x\"]", "domain.open", PL__WHEN_RERUN},
                {"domain.cfl=1", "domain.cfl", PL__WHEN_BRANCH},
                {"liquids.sea.level=0.3", "liquids.sea.level", PL__WHEN_RERUN},
                {"liquids.sea.viscosity=1", "liquids.sea.viscosity", PL__WHEN_LIVE},
                {"liquids.drop.visible=false", "liquids.drop.visible", PL__WHEN_ANY},
                {"liquids.drop.color=\"#00ff00\"", "liquids.drop.color", PL__WHEN_ANY}};
    desk d;
    desk_make(&d);
    d.scene = pool_scene;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
    {
        pl__source *before, *after;
        differences seen = {0};
        CHECK_OK(d.ctx, pl__source_open(d.ctx, "dir/scene.json", NULL, 0, &before));
        CHECK_OK(d.ctx, pl__source_open(d.ctx, "dir/scene.json", &rows[i].change, 1, &after));
        pl__scene_compare(before->doc.root, after->doc.root, count_difference, &seen);
        CHECK_THAT(seen.count == 1 && strcmp(seen.last.path, rows[i].path) == 0 && seen.last.when == rows[i].when,
                   "%s: %d differences, %s", rows[i].change, seen.count, seen.last.path);
        pl__source_close(&before);
        pl__source_close(&after);
    }
    desk_clear(&d);
}

// ---- memory ----------------------------------------------------------------------------------------------------

static void every_failed_allocation_of_a_file_is_survived(void)
{
    desk d;
    desk_make(&d);
    d.scene = pool_scene;
    pl_status status = PL_ERR_MEMORY;
    pl_scene *scene = NULL;
    int64_t n = 0;
    for (; status == PL_ERR_MEMORY && n < 10000; ++n)
    {
        d.h.until_failure = n;
        status = pl_scene_load(d.ctx, "dir/scene.json", &scene);
        CHECK_THAT(status == PL_OK || (pl_context_memory(d.ctx) == 0 && d.open_count == 0),
                   "%zu bytes and %d files are left when allocation %lld failed", pl_context_memory(d.ctx),
                   d.open_count, (long long)n);
    }
    CHECK_THAT(status == PL_OK && n > 40, "%s after %lld", pl_context_error(d.ctx), (long long)n);
    d.h.until_failure = -1;
    pl_scene_destroy(&scene);
    desk_clear(&d);
}

// ---- deep water ------------------------------------------------------------------------------------------------

// A ball sinks through water of which all but the uppermost fifth is in tall cells: those around it are cubes, so that
// it pushes away as much as it should. (In tall cells it made 3 % of the volume, and jets of 400 m/s.)
static void balls_sink_through_tall_cells(void)
{
    static const char text[] =
        "{\"domain\": {\"box\": [[0, 0, 0], [1.2, 1.4, 1.2]], \"size\": 0.1, \"depth\": 0.2},"
        " \"liquids\": {\"water\": {\"level\": 1}},"
        " \"objects\": {\"ball\": {\"shape\": {\"sphere\": 0.22}, \"at\": {\"keys\": "
        "  [[0, [0.6, 0.7, 0.6]], [0.1, [0.6, 0.65, 0.6]], [0.4, [0.6, 0.45, 0.6]], [0.5, [0.6, 0.42, 0.6]]]}}}}";
    pl_context *ctx = test_context(1);
    pl_scene *scene;
    pl_world *world;
    pl_step_def step = pl_step_def_default();
    pl_step_info info;
    CHECK_OK(ctx, pl_scene_parse(ctx, "text", text, strlen(text), &scene));
    CHECK_OK(ctx, pl_world_create(scene, &world));
    step.dt = 0.05;
    for (int i = 0; i < 14; ++i)
    {
        CHECK_OK(ctx, pl_world_step(world, &step, NULL));
        CHECK_OK(ctx, pl_world_report(world, &info));
        CHECK_THAT(fabs(info.liquid_drift) < 8e-3, "drift %g after %d steps", info.liquid_drift, i);
        CHECK_THAT(info.liquid_speed < 2, "%g m/s after %d steps", info.liquid_speed, i);
    }
    pl_world_destroy(&world);
    pl_scene_destroy(&scene);
    pl_context_destroy(&ctx);
}

// ---- valves ----------------------------------------------------------------------------------------------------

static double added_after(pl_world *world, double time)
{
    pl_step_def step = pl_step_def_default();
    pl_step_info info;
    step.dt = time;
    CHECK(pl_world_step(world, &step, NULL) == PL_OK && pl_world_report(world, &info) == PL_OK);
    return info.liquid_added;
}

// A tap of 0.02 m^3/s that is half open brings 0.01, shut nothing, open 0.02; a drain beside it is another parameter. A
// snapshot keeps how far they are open, and is not another one for it.
static void taps_are_turned_while_running(void)
{
    static const char text[] = "{\"domain\": {\"box\": [[0, 0, 0], [1, 1, 1]], \"size\": 0.1},"
                               " \"liquids\": {\"pool\": {\"level\": 0.3},"
                               "  \"tap\": {\"kind\": \"source\", \"shape\": {\"sphere\": 0.2}, \"at\": [0.5, 0.3, "
                               "0.5], \"rate\": 0.02, \"valve\": 0.5},"
                               "  \"hole\": {\"kind\": \"drain\", \"shape\": {\"sphere\": 0.2}, \"at\": [0.5, 0, 0.5], "
                               "\"rate\": 0.02, \"valve\": 0}}}";
    pl_context *ctx = test_context(1);
    pl_scene *scene;
    pl_world *world;
    CHECK_OK(ctx, pl_scene_parse(ctx, "text", text, strlen(text), &scene));
    CHECK_OK(ctx, pl_world_create(scene, &world));
    pl_param_id tap = pl_world_find_param(world, "liquids.tap.valve"),
                hole = pl_world_find_param(world, "liquids.hole.valve");
    CHECK(tap.index && hole.index && pl_world_get(world, tap) == 0.5 && pl_world_get(world, hole) == 0);
    CHECK(!pl_world_find_param(world, "liquids.pool.valve").index);
    CHECK_NEAR(added_after(world, 0.1), 0.001, 1e-12);
    CHECK_OK(ctx, pl_world_set(world, tap, 0));
    CHECK_NEAR(added_after(world, 0.1), 0.001, 1e-12);
    size_t size = pl_world_save_size(world);
    void *saved = malloc(size);
    CHECK_OK(ctx, pl_world_save(world, saved, size));
    CHECK_OK(ctx, pl_world_set(world, tap, 1));
    CHECK_NEAR(added_after(world, 0.1), 0.003, 1e-12);
    CHECK_OK(ctx, pl_world_set(world, hole, 1));
    CHECK_NEAR(added_after(world, 0.1), 0.003, 1e-12);
    expect(ctx, pl_world_set(world, tap, 1.5), "liquids.tap.valve", "1.5");
    CHECK_OK(ctx, pl_world_load(world, saved, size));
    CHECK(pl_world_get(world, tap) == 0 && pl_world_get(world, hole) == 0);
    free(saved);
    pl_world_destroy(&world);
    pl_scene_destroy(&scene);
    pl_context_destroy(&ctx);
}

static pl_status whole_program(pl_context *ctx)
{
    pl_scene *scene = NULL;
    pl_world *world = NULL;
    pl_domain_def domain = unit_domain(slow_tests ? 0.1 : 0.2);
    pl_liquid_def liquid = pl_liquid_def_default();
    pl_object_def shape = pl_object_def_default(), parts[2] = {shape, shape};
    pl_step_def step = pl_step_def_default();
    step.dt = slow_tests ? step.dt : 0.01;
    parts[0].kind = PL_OBJECT_SPHERE;
    parts[1].kind = PL_OBJECT_CONE;
    shape.kind = PL_OBJECT_UNION;
    shape.part = parts;
    shape.part_count = 2;
    liquid.shape = &shape;
    pl_status status = pl_scene_create(ctx, &scene);
    status = status ? status : pl_scene_set_domain(scene, &domain);
    status = status ? status : pl_scene_add_liquid(scene, "one", &liquid, NULL);
    status = status ? status : pl_scene_add_liquid(scene, "two", &liquid, NULL);
    status = status ? status : pl_world_create(scene, &world);
    status = status ? status : pl_world_step(world, &step, NULL);
    pl_world_destroy(&world);
    pl_scene_destroy(&scene);
    return status;
}

static void every_failed_allocation_is_survived(void)
{
    int64_t needed = survive_every_failure(whole_program);
    CHECK_THAT(needed > 30, "%lld", (long long)needed);
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {
        TEST(boxes_are_rounded_to_whole_cells),
        TEST(bad_domains_are_refused),
        TEST(the_size_that_is_named_fits),
        TEST(tall_cells_cost_nothing),
        TEST(bad_liquids_are_refused),
        TEST(liquids_must_be_in_the_domain),
        TEST(liquids_need_a_domain),
        TEST(regions_are_placed_shapes),
        TEST(worlds_without_bodies_step),
        TEST(drops_are_points),
        TEST(cells_have_the_pressure_of_the_depth),
        TEST(bodies_join_a_liquid),
        TEST(snapshots_know_their_domain),
        TEST(hashes_see_what_needs_a_rerun),
        TEST(files_give_domains_and_liquids),
        TEST(what_is_probably_not_meant_is_told),
        TEST(changes_are_told_apart),
        TEST(taps_are_turned_while_running),
        TEST(balls_sink_through_tall_cells),
        TEST(every_failed_allocation_of_a_file_is_survived),
        TEST(every_failed_allocation_is_survived),
    };
    return RUN(tests);
}

// tests/determinism.c -- the same bits, whatever runs them.
//
// One scene with everything in it: two bodies of different models, damping, a floor, a moving ball,
// pins that move, a body that starts in a tangle, live parameters. Its state after 12 frames is hashed. Another scene,
// the menagerie, has one body of every other kind.
#include "fixture.h"
#include "base/hash.h"
#include "base/random.h"
#include <fenv.h>

// The hash of that state. Nobody can derive it; it stands for "as last time". A change of it is a change of results and
// belongs into the changelog.
static const uint64_t golden = 0x7a5a2238e1389119;
// The same of the menagerie: one body of every other kind.
static const uint64_t golden_menagerie = 0xdecc5ea127a273e1;

typedef struct
{
    pl_context *ctx;
    pl_scene *scene;
    pl_world *world;
} show;

static pl_body_id add(show *s_, const char *name, pl_mesh *mesh, pl_material_id material, double x, double y)
{
    show f = *s_;
    pl_body_def def = pl_body_def_default();
    pl_body_id id;
    int32_t pins[2] = {0, 1};
    def.mesh = mesh;
    def.material = material;
    def.at[0] = x;
    def.at[1] = y;
    def.rotate[2] = 20;
    def.spin[1] = 90;
    def.velocity[0] = -0.5;
    def.pins = pins;
    def.pin_count = x > 0 ? 2 : 0;
    def.triangular_rest = x > 0;
    MUST(pl_scene_add_body(f.scene, name, &def, &id));
    return id;
}

// A host's own way to run tasks: from the last to the first.
static void run_backwards(void *user, int32_t count, void (*task)(void *argument, int32_t i), void *argument)
{
    ++*(int *)user;
    while (count-- > 0)
        task(argument, count);
}

static int runs_backwards;

// `threads` 0 stands for the host's own task runner.
static pl_context *open_context(int32_t threads, const char *simd)
{
    if (simd)
        setenv("PLIANT_SIMD", simd, 1);
    else
        unsetenv("PLIANT_SIMD");
    pl_context_def def = pl_context_def_default();
    def.thread_count = threads;
    if (threads == 0)
        def.task_runner = (pl_task_runner){run_backwards, &runs_backwards};
    pl_context *ctx;
    if (pl_context_create(&def, &ctx) != PL_OK)
        abort();
    unsetenv("PLIANT_SIMD");
    return ctx;
}

// How time goes on.
typedef enum way
{
    BY_MIDPOINT,
    BY_TRAPEZOID,
    BY_EULER,
    WAYS
} way;

static pl_solver_def solver_of(way how)
{
    pl_solver_def solver = pl_solver_def_default();
    solver.velocity_update = how == BY_TRAPEZOID ? PL_VELOCITY_TRAPEZOID : PL_VELOCITY_MIDPOINT;
    solver.integrator = how == BY_EULER ? PL_INTEGRATOR_IMPLICIT_EULER : PL_INTEGRATOR_SEMI_IMPLICIT;
    return solver;
}

static show open_show(int32_t threads, const char *simd, way how)
{
    show f = {.ctx = open_context(threads, simd)};
    MUST(pl_scene_create(f.ctx, &f.scene));
    pl_solver_def solver = solver_of(how);
    MUST(pl_scene_set_solver(f.scene, &solver));
    pl_material_def def = pl_material_def_default();
    pl_material_id soft, hard;
    MUST(pl_scene_add_material(f.scene, "soft", &def, &soft));
    def.kind = PL_MATERIAL_STVK;
    def.young = 4e5;
    def.poisson = 0.3;
    def.damping_model = PL_DAMPING_ROTATED;
    MUST(pl_scene_add_material(f.scene, "hard", &def, &hard));
    pl_object_def object = pl_object_def_default();
    pl_object_id id;
    MUST(pl_scene_add_object(f.scene, "floor", &object, &id));
    object.kind = PL_OBJECT_SPHERE;
    object.at[0] = -0.6;
    object.at[1] = 0.4;
    object.radius = 0.2;
    object.velocity[0] = 1;
    MUST(pl_scene_add_object(f.scene, "ball", &object, &id));
    pl_shape_def shape = pl_shape_def_default();
    pl_mesh *mesh;
    shape.kind = PL_SHAPE_TORUS;
    shape.radius = 0.3;
    shape.tube = 0.12;
    shape.edge = 0.08;
    MUST(pl_mesh_create_shape(f.ctx, &shape, &mesh));
    (void)add(&f, "torus", mesh, soft, -0.2, 0.45);
    pl_mesh_destroy(&mesh);
    shape.kind = PL_SHAPE_BOX;
    shape.extent[0] = shape.extent[1] = shape.extent[2] = 0.4;
    shape.edge = 0.1;
    shape.jitter = 0.2;
    MUST(pl_mesh_create_shape(f.ctx, &shape, &mesh));
    pl_body_id box = add(&f, "box", mesh, hard, 0.8, 0.6);
    MUST(pl_world_create(f.scene, &f.world));
    // scrambled by more than an edge, so that it has to recover
    int32_t n = pl_mesh_node_count(mesh);
    double *x = malloc(24 * (size_t)n);
    MUST(pl_body_read(f.world, box, x, NULL));
    for (int32_t k = 0; k < 3 * n; ++k)
        x[k] += 0.25 * (pl__random01(3, 0, (uint64_t)k) - 0.5);
    MUST(pl_body_write(f.world, box, x, NULL));
    free(x);
    pl_mesh_destroy(&mesh);
    return f;
}

// ---- the menagerie -------------------------------------------------------------------------------------------------
//
// Hexahedra that flow, a muscle whose activation is keyed, a shell in the wind, woven and mass-spring cloth, a ball of
// gas, a planar body that starts inverted.

typedef struct animal
{
    const char *name;
    pl_shape_kind shape;
    pl_element_kind elements;
    pl_body_kind kind;
    pl_membrane membrane;
    pl_material_kind law;
    double yield, fibers, drag;
    int32_t gas;
    bool mirrored;
} animal;

static const animal menagerie[] = {
    {.name = "clay", .elements = PL_ELEMENT_HEX, .law = PL_MATERIAL_FIXED_COROTATED, .yield = 0.02},
    {.name = "muscle", .elements = PL_ELEMENT_TET, .law = PL_MATERIAL_MOONEY_RIVLIN, .fibers = 3e4},
    {.name = "leaf",
     .shape = PL_SHAPE_SHEET,
     .elements = PL_ELEMENT_TRIANGLE,
     .kind = PL_BODY_SHELL,
     .law = PL_MATERIAL_STVK,
     .drag = 1},
    {.name = "cloth",
     .shape = PL_SHAPE_SHEET,
     .elements = PL_ELEMENT_TRIANGLE,
     .kind = PL_BODY_SHELL,
     .membrane = PL_MEMBRANE_WOVEN},
    {.name = "net",
     .shape = PL_SHAPE_SHEET,
     .elements = PL_ELEMENT_TRIANGLE,
     .kind = PL_BODY_SHELL,
     .membrane = PL_MEMBRANE_SPRINGS},
    {.name = "ball",
     .shape = PL_SHAPE_SPHERE,
     .elements = PL_ELEMENT_TRIANGLE,
     .kind = PL_BODY_SHELL,
     .law = PL_MATERIAL_FUNG,
     .gas = 1},
    {.name = "shadow",
     .shape = PL_SHAPE_RECTANGLE,
     .elements = PL_ELEMENT_TRIANGLE,
     .kind = PL_BODY_PLANAR,
     .law = PL_MATERIAL_NEO_HOOKEAN,
     .mirrored = true},
};

static void add_animal(const show *s_, const animal *a, int place)
{
    show f = *s_;
    pl_shape_def shape = pl_shape_def_default();
    pl_material_def material = pl_material_def_default();
    pl_body_def body = pl_body_def_default();
    pl_mesh *mesh;
    shape.kind = a->shape;
    shape.elements = a->elements;
    shape.extent[0] = shape.extent[1] = shape.extent[2] = 0.4;
    shape.radius = 0.2;
    shape.edge = 0.1;
    material.kind = a->law;
    material.yield_strain = a->yield;
    material.fiber_strength = a->fibers;
    body.kind = a->kind;
    body.membrane = a->membrane;
    body.thickness = a->kind == PL_BODY_SOLID ? 0 : 0.01;
    body.drag = a->drag;
    body.gas = a->gas;
    body.at[0] = place;
    body.at[1] = 0.25;
    body.velocity[1] = -3;
    body.rotate[2] = 10;
    MUST(pl_mesh_create_shape(f.ctx, &shape, &mesh));
    int32_t n = pl_mesh_node_count(mesh);
    double *start = malloc(24 * (size_t)n);
    for (int32_t k = 0; k < 3 * n; ++k)
        start[k] = (a->mirrored && k % 3 == 0 ? -1 : 1) * pl_mesh_positions(mesh)[k];
    body.mesh = mesh;
    body.start_positions = start;
    MUST(pl_scene_add_material(f.scene, a->name, &material, &body.material));
    MUST(pl_scene_add_body(f.scene, a->name, &body, NULL));
    free(start);
    pl_mesh_destroy(&mesh);
}

static show open_menagerie(int32_t threads, const char *simd, way how)
{
    show f = {.ctx = open_context(threads, simd)};
    MUST(pl_scene_create(f.ctx, &f.scene));
    pl_solver_def solver = solver_of(how);
    pl_object_def floor = pl_object_def_default();
    pl_air_def air = pl_air_def_default();
    pl_keys_def keys = pl_keys_def_default();
    double times[2] = {0, 0.3}, wind[6] = {3, 0, 1, -2, 0, 0}, activation[2] = {0, 1};
    MUST(pl_scene_set_solver(f.scene, &solver));
    MUST(pl_scene_set_air(f.scene, &air));
    MUST(pl_scene_add_object(f.scene, "floor", &floor, NULL));
    for (size_t i = 0; i < sizeof menagerie / sizeof menagerie[0]; ++i)
        add_animal(&f, &menagerie[i], (int)i);
    keys.times = times;
    keys.count = 2;
    keys.values = activation;
    MUST(pl_scene_set_keys(f.scene, "materials.muscle.activation", &keys));
    keys.components = 3;
    keys.values = wind;
    MUST(pl_scene_set_keys(f.scene, "wind", &keys));
    MUST(pl_world_create(f.scene, &f.world));
    return f;
}

static void close_show(show *f)
{
    pl_world_destroy(&f->world);
    pl_scene_destroy(&f->scene);
    pl_context_destroy(&f->ctx);
}

static bool recovered; // the scene does what it is meant to: the box used its calm relative

static void play(show *s_, int first, int last)
{
    show f = *s_;
    pl_step_def step = pl_step_def_default();
    pl_step_info info;
    pl_param_id young = pl_world_find_param(f.world, "materials.soft.young");
    pl_body_id box = pl_world_find_body(f.world, "box");
    for (int frame = first; frame < last; ++frame)
    {
        recovered |= frame > first && info.recovering == 1;
        if (frame == 6)
            MUST(pl_world_set(f.world, young, 2e5));
        double target[3] = {0.8 + 0.01 * frame, 0.7, 0};
        MUST(pl_body_move_pin(f.world, box, 0, target));
        MUST(pl_world_step(f.world, &step, &info));
    }
}

static uint64_t state_hash(const show *f)
{
    const pl__solids *s = &f->world->solids;
    uint64_t h = pl__hash(0, s->state.x, 3 * (size_t)s->node_count * sizeof(double));
    return pl__hash(h, s->state.v, 3 * (size_t)s->node_count * sizeof(double));
}

// Frames of the menagerie [first, last).
static void roam(show *s_, int first, int last)
{
    show f = *s_;
    pl_step_def step = pl_step_def_default();
    for (int frame = first; frame < last; ++frame)
        MUST(pl_world_step(f.world, &step, NULL));
}

static uint64_t hash_of_menagerie(int32_t threads, const char *simd, way how, int frames)
{
    show f = open_menagerie(threads, simd, how);
    roam(&f, 0, frames);
    uint64_t h = state_hash(&f);
    close_show(&f);
    return h;
}

static uint64_t hash_of(int32_t threads, const char *simd, way how, int frames)
{
    show f = open_show(threads, simd, how);
    play(&f, 0, frames);
    uint64_t h = state_hash(&f);
    close_show(&f);
    return h;
}

static void widths_and_threads_agree(void)
{
    static const char *const widths[] = {"0", "16", "32", "64"};
    int frames = slow_tests ? 12 : 8;
    for (int update = 0; update < WAYS; ++update)
    {
        uint64_t expected = hash_of(1, NULL, (way)update, frames);
        for (int k = 0; k < 4; ++k)
            CHECK_THAT(hash_of(1, widths[k], (way)update, frames) == expected, "%s bytes, update %d", widths[k],
                       update);
        for (int threads = 0; threads <= (slow_tests ? 4 : 2); threads += 2)
            CHECK_THAT(hash_of(threads, NULL, (way)update, frames) == expected, "%d threads, update %d", threads,
                       update);
        CHECK(runs_backwards > 100);
    }
}

static void the_menagerie_agrees(void)
{
    static const char *const widths[] = {"0", "16", "32", "64"};
    int frames = slow_tests ? 8 : 5;
    for (int update = 0; update < WAYS; ++update)
    {
        uint64_t expected = hash_of_menagerie(1, NULL, (way)update, frames);
        for (int k = 0; k < 4; ++k)
            CHECK_THAT(hash_of_menagerie(1, widths[k], (way)update, frames) == expected, "%s bytes, update %d",
                       widths[k], update);
        for (int threads = 0; threads <= 2; threads += 2)
            CHECK_THAT(hash_of_menagerie(threads, NULL, (way)update, frames) == expected, "%d threads, update %d",
                       threads, update);
    }
}

// The host's rounding does not matter: shapes, compilation and steps run in the library's own environment.
static void host_rounding_does_not_matter(void)
{
    uint64_t hash[2];
    for (int upward = 0; upward < 2; ++upward)
    {
        fixture_def def = fixture_default();
        def.shape.kind = PL_SHAPE_TORUS;
        def.shape.edge = 0.1;
        def.body.rotate[0] = 33;
        def.body.spin[1] = 77;
        def.gravity[1] = -9.81;
        fesetround(upward ? FE_UPWARD : FE_TONEAREST);
        fixture f = fixture_make(&def);
        for (int k = 0; k < 3; ++k)
            (void)fixture_step(&f, 0.05);
        CHECK(fegetround() == (upward ? FE_UPWARD : FE_TONEAREST));
        hash[upward] = pl__hash(0, f.world->solids.state.x, 3 * (size_t)f.world->solids.node_count * sizeof(double));
        fixture_done(&f);
    }
    fesetround(FE_TONEAREST);
    CHECK(hash[0] == hash[1]);
}

// Compilers and optimisation levels: every build must give this.
static void the_golden_hash(void)
{
    uint64_t h = hash_of(1, NULL, BY_MIDPOINT, 12);
    CHECK_THAT(h == golden, "0x%016llx", (unsigned long long)h);
    CHECK(recovered);
    h = hash_of_menagerie(1, NULL, BY_MIDPOINT, 8);
    CHECK_THAT(h == golden_menagerie, "menagerie: 0x%016llx", (unsigned long long)h);
}

// Saved in the middle of contact and recovery, loaded into the same world and into a fresh one: the same trajectory.
static void a_snapshot_resumes_to_the_bit(void)
{
    for (int update = 0; update < WAYS; ++update)
        for (int at = slow_tests ? 1 : 6; at < 12; at += 5)
        {
            show f = open_show(1, NULL, (way)update);
            play(&f, 0, at);
            size_t size = pl_world_save_size(f.world);
            void *buffer = malloc(size);
            MUST(pl_world_save(f.world, buffer, size));
            play(&f, at, 12);
            uint64_t expected = state_hash(&f);
            MUST(pl_world_load(f.world, buffer, size));
            play(&f, at, 12);
            CHECK(state_hash(&f) == expected);
            show g = open_show(2, "32", (way)update);
            CHECK_OK(g.ctx, pl_world_load(g.world, buffer, size));
            play(&g, at, 12);
            CHECK(state_hash(&g) == expected);
            free(buffer);
            close_show(&g);
            close_show(&f);
        }
}

static void the_menagerie_resumes_to_the_bit(void)
{
    for (int update = 0; update < WAYS; ++update)
        for (int at = slow_tests ? 1 : 4; at < 8; at += 3)
        {
            show f = open_menagerie(1, NULL, (way)update), g = open_menagerie(2, "16", (way)update);
            roam(&f, 0, at);
            size_t size = pl_world_save_size(f.world);
            void *buffer = malloc(size);
            MUST(pl_world_save(f.world, buffer, size));
            roam(&f, at, 8);
            uint64_t expected = state_hash(&f);
            CHECK_OK(f.ctx, pl_world_load(f.world, buffer, size));
            CHECK_OK(g.ctx, pl_world_load(g.world, buffer, size));
            roam(&f, at, 8);
            roam(&g, at, 8);
            CHECK_THAT(state_hash(&f) == expected, "in the same world, saved at %d, update %d", at, update);
            CHECK_THAT(state_hash(&g) == expected, "in another world, saved at %d, update %d", at, update);
            free(buffer);
            close_show(&g);
            close_show(&f);
        }
}

// ---- the crowd -----------------------------------------------------------------------------------------------------
//
// Bodies that meet: cloth that falls on a block, itself, a turning plate that is met by surface and a ball that moves,
// with friction of pairs.

static const char crowd[] =
    "{ \"floor\": { \"friction\": 0.5 }, \"bodies\": {"
    "  \"cloth\": { \"kind\": \"shell\", \"shape\": { \"sheet\": [0.5, 0.5] }, \"size\": 0.07, \"at\": [0, 0.235, 0], "
    "\"velocity\": [0, -3, 0], \"material\": \"cotton\","
    "    \"thickness\": 0.002, \"collision_thickness\": 0.03, \"friction_with\": { \"cloth\": 0.1, \"block\": 0.6 } },"
    "  \"block\": { \"shape\": { \"box\": [0.2, 0.2, 0.2] }, \"size\": 0.1, \"at\": [0, 0.105, 0], \"velocity\": [0.5, "
    "0, 0], \"material\": \"gelatin\","
    "    \"collides\": true, \"friction_with\": { \"floor\": 0.2 } } },"
    "  \"objects\": { \"plate\": { \"shape\": { \"box\": [0.2, 0.02, 0.2] }, \"contact\": \"surface\", \"at\": [0.2, "
    "0.21, 0], \"rotate\": [0, 0, -20], \"spin\": [0, 90, 0] },"
    "    \"ball\": { \"shape\": { \"sphere\": 0.08 }, \"at\": [-0.24, 0.1, 0], \"velocity\": [0.5, 0, 0], "
    "\"friction\": 0.8 } } }";

enum
{
    CROWD_FRAMES = 5
};

static show open_crowd(int32_t threads, const char *simd)
{
    show f = {.ctx = open_context(threads, simd)};
    MUST(pl_scene_parse(f.ctx, "crowd", crowd, sizeof crowd - 1, &f.scene));
    MUST(pl_world_create(f.scene, &f.world));
    return f;
}

// So many frames more; what is pending first.
static void mingle(show *s_, int frames)
{
    show f = *s_;
    pl_step_def step = pl_step_def_default();
    step.finish = pl_world_pending(f.world) > 0;
    if (step.finish)
        MUST(pl_world_step(f.world, &step, NULL));
    step.finish = 0;
    for (int k = 0; k < frames; ++k)
        MUST(pl_world_step(f.world, &step, NULL));
}

// All that a snapshot holds, contacts included.
static uint64_t saved_hash(const show *s_)
{
    show f = *s_;
    size_t size = pl_world_save_size(f.world);
    void *buffer = malloc(size);
    MUST(pl_world_save(f.world, buffer, size));
    uint64_t h = pl__hash(0, buffer, size);
    free(buffer);
    return h;
}

static uint64_t hash_of_crowd(int32_t threads, const char *simd)
{
    show f = open_crowd(threads, simd);
    mingle(&f, CROWD_FRAMES);
    uint64_t h = saved_hash(&f);
    close_show(&f);
    return h;
}

static void the_crowd_agrees(void)
{
    static const char *const widths[] = {"0", "16", "32", "64"};
    uint64_t expected = hash_of_crowd(1, NULL);
    for (int k = 0; k < 4; ++k)
        CHECK_THAT(hash_of_crowd(1, widths[k]) == expected, "%s bytes", widths[k]);
    for (int threads = 0; threads <= (slow_tests ? 4 : 2); threads += 2)
        CHECK_THAT(hash_of_crowd(threads, NULL) == expected, "%d threads", threads);
}

// Everything meets: cloth, itself, block, floor, ball and plate.
static void everybody_in_the_crowd_meets(void)
{
    show f = open_crowd(1, NULL);
    static const int32_t pairs[][3] = {{1, 0, 1}, {1, 0, 2}, {1, 2, 0}, {2, 1, 0}};
    bool seen[4] = {0};
    for (int k = 0; k < CROWD_FRAMES; ++k)
    {
        pl_contact list[16];
        mingle(&f, 1);
        int32_t count = pl_world_contacts(f.world, list, 16);
        for (int32_t i = 0; i < count && i < 16; ++i)
            for (int p = 0; p < 4; ++p)
                seen[p] |= list[i].body.index == pairs[p][0] && list[i].object.index == pairs[p][1] &&
                           list[i].other.index == pairs[p][2];
    }
    for (int p = 0; p < 4; ++p)
        CHECK_THAT(seen[p], "body %d never touches object %d or body %d", pairs[p][0], pairs[p][1], pairs[p][2]);
    close_show(&f);
}

// Saved between frames and within, where an interval of collision is under way; into the same world and into another.
static void the_crowd_resumes_to_the_bit(void)
{
    uint64_t expected = hash_of_crowd(1, NULL);
    for (int at = 0; at < CROWD_FRAMES; at += slow_tests ? 1 : 2)
        for (int within = 0; within < 2; ++within)
        {
            show f = open_crowd(1, NULL), g = open_crowd(2, "16");
            pl_step_def part = pl_step_def_default();
            part.max_substeps = 7 + 4 * at;
            mingle(&f, at);
            if (within)
                MUST(pl_world_step(f.world, &part, NULL));
            size_t size = pl_world_save_size(f.world);
            void *buffer = malloc(size);
            MUST(pl_world_save(f.world, buffer, size));
            int rest = CROWD_FRAMES - at - within;
            mingle(&f, rest);
            CHECK_THAT(saved_hash(&f) == expected, "never interrupted, frame %d", at);
            CHECK_OK(f.ctx, pl_world_load(f.world, buffer, size));
            CHECK_OK(g.ctx, pl_world_load(g.world, buffer, size));
            CHECK(within == (pl_world_pending(g.world) > 0));
            mingle(&f, rest);
            mingle(&g, rest);
            CHECK_THAT(saved_hash(&f) == expected, "in the same world, saved %s frame %d", within ? "within" : "before",
                       at);
            CHECK_THAT(saved_hash(&g) == expected, "in another world, saved %s frame %d", within ? "within" : "before",
                       at);
            free(buffer);
            close_show(&g);
            close_show(&f);
        }
}

// ---- far away ------------------------------------------------------------------------------------------------------

// A block on a floor that a box drives into, and so many objects where nobody comes, between them in the list.
static uint64_t hash_with_far_objects(int far)
{
    show f = {.ctx = open_context(1, NULL)};
    pl_object_def object = pl_object_def_default();
    pl_material_def material = pl_material_def_default();
    pl_shape_def shape = pl_shape_def_default();
    pl_body_def body = pl_body_def_default();
    pl_mesh *mesh;
    shape.edge = 0.25;
    MUST(pl_scene_create(f.ctx, &f.scene));
    MUST(pl_mesh_create_shape(f.ctx, &shape, &mesh));
    MUST(pl_scene_add_material(f.scene, "stuff", &material, &body.material));
    body.mesh = mesh;
    body.at[1] = 0.6;
    body.velocity[0] = 1;
    MUST(pl_scene_add_body(f.scene, "block", &body, NULL));
    MUST(pl_scene_add_object(f.scene, "floor", &object, NULL));
    object.kind = PL_OBJECT_BOX;
    for (int i = 0; i < far; ++i)
    {
        char name[16];
        snprintf(name, sizeof name, "far%d", i);
        object.at[0] = 20 + 2 * i, object.at[1] = 3;
        object.spin[2] = i % 3 * 10;
        object.velocity[2] = i % 2;
        MUST(pl_scene_add_object(f.scene, name, &object, NULL));
    }
    object.at[0] = -4, object.at[1] = 0.5;
    object.velocity[0] = 12, object.velocity[2] = 0;
    object.spin[1] = 90, object.spin[2] = 0;
    MUST(pl_scene_add_object(f.scene, "ram", &object, NULL));
    MUST(pl_world_create(f.scene, &f.world));
    roam(&f, 0, 12);
    CHECK(pl_world_contacts(f.world, NULL, 0) == 2);
    uint64_t h = state_hash(&f);
    pl_mesh_destroy(&mesh);
    close_show(&f);
    return h;
}

// Few are looked at one by one, many by lists of those that are near.
static void objects_far_away_change_nothing(void)
{
    uint64_t expected = hash_with_far_objects(0);
    for (int far = 5; far <= 100; far += 45)
        CHECK_THAT(hash_with_far_objects(far) == expected, "%d", far);
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {TEST(widths_and_threads_agree),      TEST(the_menagerie_agrees),
                                    TEST(host_rounding_does_not_matter), TEST(the_golden_hash),
                                    TEST(a_snapshot_resumes_to_the_bit), TEST(the_menagerie_resumes_to_the_bit),
                                    TEST(everybody_in_the_crowd_meets),  TEST(the_crowd_agrees),
                                    TEST(the_crowd_resumes_to_the_bit),  TEST(objects_far_away_change_nothing)};
    return RUN(tests);
}

// tests/composition.c -- everything with everything: laws, elements, updates, flow, damping and air, a few steps of
// each.
//
// A small body, shaken out of shape, falls on a floor. Whatever it is made of, it must stay finite, gain no energy, and
// give the same bits for one and two threads, for every register width, resumed from a snapshot, and with its steps
// divided.
#include "fixture.h"
#include "base/hash.h"
#include "base/random.h"
#include "element/plasticity.h"
#include "host.h"

typedef enum sort
{
    TETS,
    TRIANGULAR_TETS,
    HEXES,
    SHELL,
    HINGED_SHELL,
    SHELL_WITH_NORMALS,
    WOVEN,
    SPRINGS,
    PLANE_STRAIN,
    PLANE_STRESS,
    MUSCLE_OF_TETS,
    MUSCLE_OF_HEXES,
    SHEET_IN_WIND,
    BALLOON,
    BALL_OF_GAS,
    SORTS
} sort;

static const char *const sort_name[] = {
    "tets",          "triangular tets", "hexes",        "shell",        "hinged shell",   "shell with normals",
    "woven",         "springs",         "plane strain", "plane stress", "muscle of tets", "muscle of hexes",
    "sheet in wind", "balloon",         "ball of gas"};

typedef struct mixture
{
    sort sort;
    int32_t model, update, plastic, damping;
    bool tangled; // starts with inverted elements
} mixture;

static int frame_count(void) { return slow_tests ? 5 : 4; }

enum
{
    SAVED_AT = 2
};

static pl_shape_def shape_of(sort s)
{
    pl_shape_def shape = pl_shape_def_default();
    shape.extent[0] = shape.extent[1] = shape.extent[2] = 0.3;
    shape.radius = 0.2;
    shape.edge = 0.15;
    shape.cut = PL_CUT_FIVE;
    bool hexes = s == HEXES || s == MUSCLE_OF_HEXES, tets = s == TETS || s == TRIANGULAR_TETS || s == MUSCLE_OF_TETS;
    shape.elements = hexes ? PL_ELEMENT_HEX : tets ? PL_ELEMENT_TET : PL_ELEMENT_TRIANGLE;
    if (s == BALLOON || s == BALL_OF_GAS)
        shape.kind = PL_SHAPE_SPHERE;
    else if (s == PLANE_STRAIN || s == PLANE_STRESS)
        shape.kind = PL_SHAPE_RECTANGLE;
    else if (!hexes && !tets)
        shape.kind = PL_SHAPE_SHEET;
    return shape;
}

static pl_material_def material_of(const mixture *m)
{
    pl_material_def def = pl_material_def_default();
    def.kind = (pl_material_kind)m->model;
    def.young = 5e4;
    def.poisson = 0.3;
    def.damping = m->damping < 0 ? 0 : 0.005;
    def.damping_model = m->damping < 0 ? PL_DAMPING_SWITCH : (pl_damping_model)m->damping;
    def.weave_weft = 0.5;
    def.weave_stiffening = 2;
    if (m->plastic)
    {
        def.yield_strain = 0.05;
        def.hardening = 0.5;
        def.isochoric = m->plastic == 2;
    }
    if (m->sort == MUSCLE_OF_TETS || m->sort == MUSCLE_OF_HEXES)
    {
        def.fiber_strength = 2e4;
        def.activation = 0.5;
    }
    return def;
}

static pl_body_def body_of(const mixture *m)
{
    pl_body_def def = pl_body_def_default();
    sort s = m->sort;
    bool planar = s == PLANE_STRAIN || s == PLANE_STRESS;
    def.kind = planar ? PL_BODY_PLANAR : shape_of(s).elements == PL_ELEMENT_TRIANGLE ? PL_BODY_SHELL : PL_BODY_SOLID;
    def.thickness = 0.01;
    def.self_collision = !m->tangled; // what starts inverted crosses itself, and stays as it is where that is wanted
    def.triangular_rest = s == TRIANGULAR_TETS;
    def.plane = s == PLANE_STRESS ? PL_PLANE_STRESS : PL_PLANE_STRAIN;
    def.membrane = s == WOVEN ? PL_MEMBRANE_WOVEN : s == SPRINGS ? PL_MEMBRANE_SPRINGS : PL_MEMBRANE_CONTINUUM;
    def.bending = m->plastic ? PL_BENDING_NONE : s == HINGED_SHELL ? PL_BENDING_HINGES : PL_BENDING_CURVATURE;
    def.drag = s == SHEET_IN_WIND || s == BALLOON ? 1 : 0;
    def.pressure = s == BALLOON ? 200 : 0;
    def.gas = s == BALL_OF_GAS;
    def.at[1] = 0.17;
    def.velocity[1] = -2;
    def.spin[2] = 90;
    def.rotate[2] = 10;
    return def;
}

// The fixture's own context has the width of the machine: made by hand.
static pl_context *open_context(int32_t threads, const char *width)
{
    if (width)
        setenv("PLIANT_SIMD", width, 1);
    pl_context *ctx = test_context(threads);
    unsetenv("PLIANT_SIMD");
    return ctx;
}

static double *shaken(const pl_mesh *mesh, bool planar, double by)
{
    int32_t n = pl_mesh_node_count(mesh);
    double *x = malloc(24 * (size_t)n);
    for (int32_t k = 0; k < 3 * n; ++k)
        x[k] = pl_mesh_positions(mesh)[k] + (planar && k % 3 == 2 ? 0 : by * (pl__random01(4, 0, (uint64_t)k) - 0.5));
    return x;
}

// Its mesh, scene and world, as far as memory allows.
static pl_status build(const mixture *m, fixture *f)
{
    pl_shape_def shape = shape_of(m->sort);
    pl_solver_def solver = pl_solver_def_default();
    pl_material_def material = material_of(m);
    pl_body_def body = body_of(m);
    pl_object_def floor = pl_object_def_default();
    pl_air_def air = pl_air_def_default();
    air.wind[0] = m->sort == SHEET_IN_WIND ? 5 : 0;
    solver.velocity_update = (pl_velocity_update)m->update;
    // The limit of a step is that of the state it begins with. Tangled, without damping and with the trapezoid rule,
    // laws that stiffen fast outrun it: StVK gains 41 times its energy at 0.9 of the limit, and none at 0.5.
    if (m->tangled && m->update == PL_VELOCITY_TRAPEZOID && m->damping < 0)
        solver.safety = 0.5;
    pl_status status = pl_mesh_create_shape(f->ctx, &shape, &f->mesh);
    status = status ? status : pl_scene_create(f->ctx, &f->scene);
    status = status ? status : pl_scene_set_solver(f->scene, &solver);
    status = status ? status : pl_scene_set_air(f->scene, &air);
    status = status ? status : pl_scene_add_material(f->scene, "stuff", &material, &body.material);
    status = status ? status : pl_scene_add_object(f->scene, "floor", &floor, NULL);
    if (status)
        return status;
    double *start = shaken(f->mesh, body.kind == PL_BODY_PLANAR, m->tangled ? 0.4 : 0.05);
    double *normals = calloc((size_t)pl_mesh_element_count(f->mesh), 24);
    for (int32_t i = 0; i < pl_mesh_element_count(f->mesh); ++i)
        normals[3 * i + 1] = 1;
    body.mesh = f->mesh;
    body.start_positions = start;
    body.normals = m->sort == SHELL_WITH_NORMALS ? normals : NULL;
    status = pl_scene_add_body(f->scene, "body", &body, &f->body);
    status = status ? status : pl_world_create(f->scene, &f->world);
    free(start);
    free(normals);
    return status;
}

static fixture open_mixture(const mixture *m, int32_t threads, const char *width)
{
    fixture f = {.ctx = open_context(threads, width)};
    MUST(build(m, &f));
    return f;
}

// Frames [first, last), in calls of at most so many substeps if that is above 0.
static pl_step_info play(const fixture *f_, int first, int last, int32_t at_most)
{
    fixture f = *f_;
    pl_step_info info = {0};
    int32_t contacts = 0;
    for (int frame = first; frame < last; ++frame)
    {
        pl_step_def step = pl_step_def_default();
        step.dt = 1.0 / 60;
        step.max_substeps = at_most;
        MUST(pl_world_step(f.world, &step, &info));
        step.finish = 1;
        while (pl_world_pending(f.world) > 0)
            MUST(pl_world_step(f.world, &step, &info));
        contacts = info.contacts > contacts ? info.contacts : contacts;
    }
    info.contacts = contacts; // the most of any frame
    return info;
}

static uint64_t hash_of(const fixture *f)
{
    const pl__solids *s = &f->world->solids;
    uint64_t h = pl__hash(0, s->state.x, 3 * (size_t)s->node_count * sizeof(double));
    return pl__hash(h, s->state.v, 3 * (size_t)s->node_count * sizeof(double));
}

static void say(const mixture *m, const char *what, bool good)
{
    CHECK_THAT(good, "%s, %s, update %d, plastic %d, damping %d, tangled %d: %s", sort_name[m->sort],
               pl_material_kind_name(m->model), m->update, m->plastic, m->damping, m->tangled, what);
}

// One run from beginning to end in a world of its own.
static uint64_t run_apart(const mixture *m, int32_t threads, const char *width, int32_t at_most)
{
    fixture f = open_mixture(m, threads, width);
    (void)play(&f, 0, frame_count(), at_most);
    uint64_t h = hash_of(&f);
    fixture_done(&f);
    return h;
}

// The world of `f`, and another one of the same scene, resumed from a snapshot.
static void check_resumed(const mixture *m, fixture *f, const void *snapshot, size_t size, uint64_t expected)
{
    fixture g = open_mixture(m, 2, "32");
    CHECK_OK(f->ctx, pl_world_load(f->world, snapshot, size));
    CHECK_OK(g.ctx, pl_world_load(g.world, snapshot, size));
    (void)play(f, SAVED_AT, frame_count(), 0);
    (void)play(&g, SAVED_AT, frame_count(), 0);
    say(m, "resumed from a snapshot in the same world", hash_of(f) == expected);
    say(m, "resumed in another world", hash_of(&g) == expected);
    fixture_done(&g);
}

static void check_mixture(const mixture *m)
{
    fixture f = open_mixture(m, 1, NULL);
    pl_step_info before, after;
    MUST(pl_world_report(f.world, &before));
    (void)play(&f, 0, SAVED_AT, 0);
    size_t size = pl_world_save_size(f.world);
    void *snapshot = malloc(size);
    MUST(pl_world_save(f.world, snapshot, size));
    after = play(&f, SAVED_AT, frame_count(), 0);
    uint64_t expected = hash_of(&f);
    double had = before.kinetic + before.elastic + before.gravity, has = after.kinetic + after.elastic + after.gravity;
    // a triangle that turns over jumps to another energy; and tangled sheets of the stiffest law are beyond what steps
    // can follow
    bool wild = m->tangled && body_of(m).kind == PL_BODY_SHELL &&
                (m->sort == SHELL_WITH_NORMALS || m->model == PL_MATERIAL_FUNG);
    bool air = m->sort == SHEET_IN_WIND || m->sort == BALLOON || m->sort == BALL_OF_GAS;
    say(m, "is finite", isfinite(has) && isfinite(after.strain));
    say(m, "gains no energy", wild || (air ? has < 3 * had : has < 1.02 * had));
    say(m, "touches the floor", after.contacts > 0 || m->tangled);
    say(m, "flows", !m->plastic || pl__plasticity_happened(&f.world->bodies.body[0]->group[0]));
    check_resumed(m, &f, snapshot, size, expected);
    free(snapshot);
    fixture_done(&f);
    say(m, "two threads", run_apart(m, 2, NULL, 0) == expected);
    say(m, "divided steps", run_apart(m, 1, NULL, 1) == expected);
    static const char *const widths[] = {"0", "16", "32", "64"};
    for (int k = 0; k < 4; ++k)
        say(m, widths[k], run_apart(m, 1, widths[k], 0) == expected);
}

// Plain linear elasticity is for solids that neither flow nor pull.
static bool is_allowed(const mixture *m)
{
    bool plain = !m->plastic && (m->sort == TETS || m->sort == HEXES);
    return m->model == PL_MATERIAL_LINEAR ? plain : !(m->plastic && (m->sort == WOVEN || m->sort == SPRINGS));
}

// Threads and springs have no law of stretches: one model stands for all.
static bool has_law(sort s) { return s != WOVEN && s != SPRINGS; }

static void everything_with_everything(void)
{
    int count = 0;
    for (int s = 0; s < SORTS; ++s)
        for (int32_t model = 0; pl_material_kind_name(model) && (model == 0 || has_law((sort)s)); ++model)
            for (int update = 0; update < 2; ++update)
                for (int plastic = 0; plastic < 3; ++plastic)
                    for (int damping = -1; damping <= PL_DAMPING_CONSERVING; ++damping)
                    {
                        mixture m = {(sort)s, model, update, plastic, damping, false};
                        // without --slow, each pair of choices somewhere
                        if (!is_allowed(&m) ||
                            (!slow_tests && (s + 5 * model + update + 4 * plastic + damping + 1) % 8 != 0))
                            continue;
                        int32_t starts = slow_tests || count % 3 == 0 ? 2 : 1;
                        for (int tangled = 0; tangled < starts; ++tangled, ++count)
                        {
                            m.tangled = tangled;
                            check_mixture(&m);
                        }
                    }
    printf("  %d mixtures\n", count);
}

static void no_law(void *user, const double stretch[3], double *energy, double stress[3], double derivative[6])
{
    (void)user, (void)stretch;
    *energy = 0;
    memset(stress, 0, 3 * sizeof *stress);
    memset(derivative, 0, 6 * sizeof *derivative);
}

// What cannot be is refused with a sentence that names the body.
static void the_impossible_is_refused(void)
{
    static const struct
    {
        sort sort;
        bool fibers, plastic, gas, drag, normals, goal, stress, custom;
        const char *word;
    } cases[] = {
        {WOVEN, .plastic = true, .word = "continuum"}, {SPRINGS, .plastic = true, .word = "continuum"},
        {SHELL, .fibers = true, .word = "fibres"},     {PLANE_STRAIN, .fibers = true, .word = "fibres"},
        {PLANE_STRESS, .gas = true, .word = "air"},    {PLANE_STRAIN, .drag = true, .word = "air"},
        {SHELL, .gas = true, .word = "open"},          {WOVEN, .normals = true, .word = "continuum"},
        {TETS, .normals = true, .word = "shells"},     {TETS, .goal = true, .word = "yield"},
        {TETS, .stress = true, .word = "planar"},      {SPRINGS, .custom = true, .word = "custom"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    {
        mixture m = {cases[i].sort, 0, 0, cases[i].plastic, 0, false};
        fixture f = {.ctx = test_context(1)};
        pl_shape_def shape = shape_of(m.sort);
        pl_material_def material = material_of(&m);
        pl_body_def body = body_of(&m);
        material.fiber_strength = cases[i].fibers ? 1e4 : 0;
        body.gas = cases[i].gas;
        body.drag = cases[i].drag;
        body.plane = cases[i].stress ? PL_PLANE_STRESS : body.plane;
        material.kind = cases[i].custom ? PL_MATERIAL_CUSTOM : material.kind;
        material.law = no_law;
        MUST(pl_mesh_create_shape(f.ctx, &shape, &f.mesh));
        MUST(pl_scene_create(f.ctx, &f.scene));
        MUST(pl_scene_add_material(f.scene, "stuff", &material, &body.material));
        double *numbers = shaken(f.mesh, true, 0.05), *normals = malloc(24 * (size_t)pl_mesh_element_count(f.mesh));
        for (int32_t k = 0; k < 3 * pl_mesh_element_count(f.mesh); ++k)
            normals[k] = 1;
        body.mesh = f.mesh;
        body.normals = cases[i].normals ? normals : NULL;
        body.goal_positions = cases[i].goal ? numbers : NULL;
        pl_status status = pl_scene_add_body(f.scene, "odd", &body, &f.body);
        if (status == PL_OK)
            status = pl_world_create(f.scene, &f.world);
        const char *sentence = pl_context_error(f.ctx);
        CHECK_THAT(status == PL_ERR_ARGUMENT && strstr(sentence, "odd") && strstr(sentence, cases[i].word),
                   "case %d: %s: %s", (int)i, pl_status_name(status), sentence);
        free(numbers);
        free(normals);
        fixture_done(&f);
    }
}

// A closed shell without volume at rest cannot hold pressure: two triangles back to back.
static void flat_pillows_hold_nothing(void)
{
    static const double x[] = {0, 0, 0, 1, 0, 0, 0, 0, 1};
    static const int32_t t[] = {0, 1, 2, 0, 2, 1};
    fixture f = {.ctx = test_context(1)};
    pl_material_def material = pl_material_def_default();
    pl_body_def body = pl_body_def_default();
    MUST(pl_mesh_create_elements(f.ctx, PL_ELEMENT_TRIANGLE, x, 3, t, 2, &f.mesh));
    MUST(pl_scene_create(f.ctx, &f.scene));
    MUST(pl_scene_add_material(f.scene, "stuff", &material, &body.material));
    body.mesh = f.mesh;
    body.kind = PL_BODY_SHELL;
    body.gas = 1;
    body.pressure = 100;
    MUST(pl_scene_add_body(f.scene, "pillow", &body, &f.body));
    CHECK(pl_world_create(f.scene, &f.world) == PL_ERR_ARGUMENT &&
          strstr(pl_context_error(f.ctx), "bodies.pillow.pressure: the surface encloses no volume"));
    fixture_done(&f);
}

// A shell with known normals that is put upside down is not inverted.
static void known_normals_turn_with_their_body(void)
{
    static const double up[] = {0, 1, 0};
    for (int turn = 0; turn < 2; ++turn)
    {
        fixture_def def = fixture_default();
        def.shape.kind = PL_SHAPE_SHEET;
        def.shape.elements = PL_ELEMENT_TRIANGLE;
        def.shape.edge = 1;
        def.shape.pattern = PL_PATTERN_DIAGONAL;
        def.body.kind = PL_BODY_SHELL;
        def.body.rotate[0] = 180 * turn;
        double normals[6];
        memcpy(normals, up, sizeof up);
        memcpy(normals + 3, up, sizeof up);
        def.body.normals = normals;
        fixture f = fixture_make(&def);
        pl_step_info info;
        MUST(pl_world_report(f.world, &info));
        CHECK_THAT(pl_mesh_element_count(f.mesh) == 2 && info.inverted == 0, "%d triangles, %d inverted",
                   pl_mesh_element_count(f.mesh), info.inverted);
        fixture_done(&f);
    }
}

// ---- memory --------------------------------------------------------------------------------------------------------

static mixture tried;

// One of a kind, from its mesh to its third frame; another of the same joins it on the way.
static pl_status whole_life(pl_context *ctx)
{
    fixture f = {.ctx = ctx};
    pl_step_def step = pl_step_def_default();
    step.dt = 0.005;
    pl_status status = build(&tried, &f);
    status = status ? status : pl_world_step(f.world, &step, NULL);
    pl_body_def body = body_of(&tried);
    body.mesh = f.mesh;
    body.material.index = 1;
    body.at[0] = 2;
    status = status ? status : pl_world_add_body(f.world, "other", &body, NULL);
    status = status ? status : pl_world_step(f.world, &step, NULL);
    status = status ? status : pl_world_remove_body(f.world, f.body);
    status = status ? status : pl_world_step(f.world, &step, NULL);
    pl_world_destroy(&f.world);
    pl_scene_destroy(&f.scene);
    pl_mesh_destroy(&f.mesh);
    return status;
}

static void every_failed_allocation_is_survived(void)
{
    for (int s = 0; s < SORTS; ++s)
        for (int plastic = 0; plastic < 2; ++plastic)
        {
            tried = (mixture){(sort)s, PL_MATERIAL_NEO_HOOKEAN, 0, plastic, 0, false};
            if (!slow_tests && plastic != s % 2 && has_law((sort)s))
                continue;
            if (is_allowed(&tried))
                CHECK_THAT(survive_every_failure(whole_life) > 20, "%s", sort_name[s]);
        }
}

static void steps_allocate_nothing(void)
{
    for (int s = 0; s < SORTS; ++s)
        for (int option = 0; option < 4; ++option)
        {
            mixture m = {(sort)s, PL_MATERIAL_NEO_HOOKEAN, option % 2, option / 2, 0, true};
            if (!is_allowed(&m))
                continue;
            host h;
            fixture f = {.ctx = host_context(&h)};
            MUST(build(&m, &f));
            (void)fixture_step(&f, 0.01);
            pl__clash_destroy(&f.world->collision.clash); // its lists grow with what is near
            h.until_failure = 0;
            for (int k = 0; k < 5; ++k)
                (void)fixture_step(&f, 0.01);
            h.until_failure = -1;
            fixture_done(&f);
        }
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {TEST(everything_with_everything),          TEST(the_impossible_is_refused),
                                    TEST(flat_pillows_hold_nothing),           TEST(known_normals_turn_with_their_body),
                                    TEST(every_failed_allocation_is_survived), TEST(steps_allocate_nothing)};
    return RUN(tests);
}

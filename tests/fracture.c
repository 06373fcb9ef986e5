// tests/fracture.c -- bodies that break: at the right load, in the right place, and the world goes on with the pieces.
#include "test.h"
#include "fixture.h"
#include "host.h"
#include "base/random.h"
#include "element/bend_state.h"

static int32_t pieces(const fixture *f)
{
    int32_t count = 0;
    CHECK(pl__split_count_pieces(f->world->bodies.slot[0].fracture->split, &count) == PL_OK);
    return count;
}

static pl__split *split_of(const fixture *f) { return f->world->bodies.slot[0].fracture->split; }

static double rest_volume(const fixture *f) { return f->world->bodies.slot[0].body->rest_volume; }

// Elements of the smallest piece.
static int32_t smallest_piece(const fixture *f)
{
    pl__split *s = split_of(f);
    int32_t *part = calloc((size_t)s->node_count, sizeof *part), *size = calloc((size_t)s->node_count, sizeof *size),
            count, least = INT32_MAX;
    int32_t corners = pl__element_forms[s->kind].corners;
    CHECK(pl__connected_parts(f->ctx, corners, s->corner, s->element_count, s->node_count, part, &count) == PL_OK);
    for (int32_t e = 0; e < s->element_count; ++e)
        size[part[s->corner[corners * e]]]++;
    for (int32_t i = 0; i < count; ++i)
        least = size[i] < least ? size[i] : least;
    free(part);
    free(size);
    return least;
}

static double mean_stress(const fixture *f, int axis, double most_x)
{
    int32_t count = pl_body_element_count(f->world, f->body), used = 0;
    double *values = calloc(9 * (size_t)count, sizeof *values), sum = 0;
    CHECK_OK(f->ctx, pl_body_read_field(f->world, f->body, PL_FIELD_CAUCHY, values));
    for (int32_t e = 0; e < count; ++e)
    {
        double x = pl_mesh_positions(f->mesh)[3 * (size_t)pl__mesh_element(f->mesh, e)[0]];
        if (fabs(x) < most_x)
        {
            sum += values[9 * e + 4 * axis];
            ++used;
        }
    }
    free(values);
    return sum / used;
}

// ---- a bar -----------------------------------------------------------------------------------------------------

static bool is_left(const double X[3]) { return X[0] < -0.399; }
static bool is_right(const double X[3]) { return X[0] > 0.399; }

static double speed = 0.004;

static void pull(const fixture *f)
{
    pl_pin_def pin = pl_pin_def_default();
    double times[3] = {0, 2, 30}, moves[9] = {0, 0, 0, speed, 0, 0, 29 * speed, 0, 0};
    fixture_pin(f, &pin, is_left);
    fixture_pin(f, &pin, is_right);
    fixture_keys(f, "bodies.body.pins.1.move", PL_EASE_LINEAR, 3, 3, times, moves);
}

enum
{
    MOST_ELEMENTS = 20000
};
static pl_material_id of_element[MOST_ELEMENTS];

// Which elements are weak: a layer around the middle, two elements thick.
static pl_status mesh_with_layer(pl_context *ctx, pl_mesh **mesh, pl_element_kind kind)
{
    pl_shape_def def = pl_shape_def_default();
    memcpy(def.extent, (double[3]){0.8, 0.2, 0.2}, sizeof def.extent);
    def.edge = 0.1;
    def.elements = kind;
    PL_TRY(pl_mesh_create_shape(ctx, &def, mesh));
    for (int32_t e = 0; e < (*mesh)->element_count; ++e)
    {
        double most = 0;
        for (int32_t k = 0; k < pl__mesh_corners(*mesh); ++k)
            most = fmax(most, fabs((*mesh)->position[3 * (size_t)pl__mesh_element(*mesh, e)[k]]));
        of_element[e].index = most < (kind == PL_ELEMENT_TET ? 0.2001 : 0.1001) ? 2 : 1;
    }
    return PL_OK;
}

static fixture bar(pl_element_kind kind, int32_t threads, double weak, double strong)
{
    fixture f = {.ctx = test_context(threads)};
    pl_material_def def = pl_material_def_default();
    pl_body_def body = pl_body_def_default();
    MUST(mesh_with_layer(f.ctx, &f.mesh, kind));
    MUST(pl_scene_create(f.ctx, &f.scene));
    MUST(pl_scene_set_gravity(f.scene, (double[3]){0, 0, 0}));
    def.poisson = 0;
    def.damping = 0.02;
    def.fracture_stress = strong;
    MUST(pl_scene_add_material(f.scene, "strong", &def, NULL));
    def.fracture_stress = weak;
    MUST(pl_scene_add_material(f.scene, "weak", &def, NULL));
    body.mesh = f.mesh;
    body.element_materials = of_element;
    body.smallest_piece = 12;
    body.self_collision = 0; // halves that spring back do not break each other
    MUST(pl_scene_add_body(f.scene, "body", &body, &f.body));
    pull(&f);
    MUST(pl_world_create(f.scene, &f.world));
    return f;
}

// Under slow tension a bar breaks when its stress is the strength of its weak layer, there, once, and into two; mass
// and volume stay.
static void bar_breaks_at_its_strength(void)
{
    for (int kind = PL_ELEMENT_TET; kind <= PL_ELEMENT_HEX; ++kind)
    {
        const double weak = 3000;
        fixture f = bar((pl_element_kind)kind, 1, weak, 4 * weak);
        pl_step_info info = {0}, start;
        MUST(pl_world_report(f.world, &start));
        double stress = 0, volume = rest_volume(&f);
        uint32_t version = pl_body_version(f.world, f.body);
        while (info.torn == 0 && info.time < 20)
        {
            stress = mean_stress(&f, 0, 0.25);
            info = fixture_step(&f, 0.01);
        }
        CHECK_THAT(fabs(stress / weak - 1) < 0.02, "kind %d broke at %g Pa, %g s", kind, stress, info.time);
        CHECK(pl_body_version(f.world, f.body) > version);
        info = fixture_step(&f, 2);
        CHECK_THAT(pieces(&f) == 2, "%d pieces", pieces(&f));
        CHECK(fixture_step(&f, 1).torn == 0 && pieces(&f) == 2);
        CHECK_NEAR(info.mass, start.mass, 1e-12 * start.mass);
        CHECK_NEAR(rest_volume(&f), volume, 1e-12 * volume);
        for (int32_t n = split_of(&f)->source_count; n < split_of(&f)->node_count; ++n)
            CHECK(fabs(f.mesh->position[3 * (size_t)pl__split_origin(split_of(&f), n)]) < 0.2001);
        CHECK(pl__split_is_valid(split_of(&f)));
        CHECK(fabs(mean_stress(&f, 0, 0.25)) < 0.05 * weak);
        fixture_done(&f);
    }
}

// Compression, however strong, breaks nothing.
static void compression_breaks_nothing(void)
{
    speed = -0.01;
    fixture f = bar(PL_ELEMENT_TET, 1, 300, 300);
    speed = 0.004;
    int32_t torn = 0;
    for (int i = 0; i < 6; ++i)
        torn += fixture_step(&f, 1).torn;
    CHECK(mean_stress(&f, 0, 0.3) < -3000);
    CHECK(torn == 0);
    fixture_done(&f);
}

// What only turns is not strained.
static void rotation_breaks_nothing(void)
{
    fixture_def def = fixture_default();
    def.shape.edge = 0.1;
    memcpy(def.shape.extent, (double[3]){0.2, 0.2, 0.2}, sizeof def.shape.extent);
    def.material.fracture_stress = 600; // spin alone makes 1/8 rho w^2 l^2 = 200 Pa
    memcpy(def.body.spin, (double[3]){0, 0, 360}, sizeof def.body.spin);
    fixture f = fixture_make(&def);
    CHECK(fixture_step(&f, 1).torn == 0);
    fixture_done(&f);
}

// ---- flow ------------------------------------------------------------------------------------------------------

static bool everything(const double X[3]) { return X[0] < 1e9; }

static void hold_and_weaken(const fixture *f)
{
    pl_pin_def pin = pl_pin_def_default();
    fixture_pin(f, &pin, everything);
    fixture_keys(f, "bodies.body.toughness", PL_EASE_STEP, 2, 1, (double[2]){0, 0.9}, (double[2]){1e6, 1});
}

// A block that is held stretched has flowed until hardly any stress is left: it does not break when it may; one that
// cannot flow does.
static void what_has_flowed_does_not_break(void)
{
    for (int flows = 0; flows < 2; ++flows)
    {
        fixture_def def = fixture_default();
        double start[3 * 400];
        def.shape.edge = 0.25;
        def.material.yield_strain = flows ? 0.002 : 0;
        def.material.creep = 10;
        def.material.fracture_stress = 2000;
        pl_context *ctx = test_context(1);
        pl_mesh *mesh;
        CHECK_OK(ctx, pl_mesh_create_shape(ctx, &def.shape, &mesh));
        CHECK(pl_mesh_node_count(mesh) <= 400);
        for (int32_t n = 0; n < pl_mesh_node_count(mesh); ++n)
            for (int i = 0; i < 3; ++i)
                start[3 * n + i] = pl_mesh_positions(mesh)[3 * n + i] * (i == 0 ? 1.2 : 1);
        pl_mesh_destroy(&mesh);
        pl_context_destroy(&ctx);
        def.body.start_positions = start;
        def.prepare = hold_and_weaken;
        fixture f = fixture_make(&def);
        CHECK(fixture_step(&f, 0.8).torn == 0);
        int32_t torn = fixture_step(&f, 0.3).torn;
        CHECK_THAT((torn > 0) == !flows, "%d torn, flows %d, stress %g", torn, flows, mean_stress(&f, 0, 1));
        fixture_done(&f);
    }
}

// ---- dust ------------------------------------------------------------------------------------------------------

static const double burst_start = 1.6;

static bool burst_collides;
static double burst_interval = 1.0 / 960;

static fixture burst(pl_element_kind kind, int32_t least, int32_t threads)
{
    static double start[3 * 4000];
    fixture_def def = fixture_default();
    def.threads = threads;
    def.shape.edge = burst_collides && !slow_tests ? 0.2 : 0.16;
    def.shape.jitter = 0.2;
    def.shape.elements = kind;
    def.material.fracture_stress = 3000;
    def.material.fracture_spread = 0.4;
    def.material.recovery = PL_RECOVERY_OFF;
    def.body.smallest_piece = least;
    def.body.self_collision = burst_collides;
    def.solver.fracture_interval = burst_interval;
    pl_context *ctx = test_context(1);
    pl_mesh *mesh;
    CHECK_OK(ctx, pl_mesh_create_shape(ctx, &def.shape, &mesh));
    for (int32_t n = 0; n < pl_mesh_node_count(mesh); ++n)
        for (int i = 0; i < 3; ++i)
            start[3 * n + i] = pl_mesh_positions(mesh)[3 * n + i] * burst_start;
    pl_mesh_destroy(&mesh);
    pl_context_destroy(&ctx);
    def.body.start_positions = start;
    return fixture_make(&def);
}

// A block that starts blown up bursts; no piece is smaller than allowed, and where dust is allowed there is some.
static void pieces_are_not_smaller_than_allowed(void)
{
    for (int kind = PL_ELEMENT_TET; kind <= PL_ELEMENT_HEX; ++kind)
    {
        int32_t least[3] = {1, 4, 20};
        for (int i = 0; i < 3; ++i)
        {
            fixture f = burst((pl_element_kind)kind, least[i], 1);
            pl_step_info start, info;
            MUST(pl_world_report(f.world, &start));
            info = fixture_step(&f, slow_tests ? 0.1 : 0.05);
            CHECK_THAT(info.torn > 20 && smallest_piece(&f) >= least[i], "%d torn, %d pieces, smallest %d", info.torn,
                       pieces(&f), smallest_piece(&f));
            CHECK(i > 0 || smallest_piece(&f) < 4);
            CHECK(pl__split_is_valid(split_of(&f)));
            CHECK_NEAR(info.mass, start.mass, 1e-12 * start.mass);
            for (int k = 0; k < 3; ++k)
                CHECK_NEAR(info.momentum[k], 0, 1e-9);
            fixture_done(&f);
        }
    }
}

// Pieces that collide with each other begin where they touch; none gets energy from that, and few cross while it bursts
// (thousands do where the two sides of a crack count as touching; later, in the heap that is left, it may be hundreds
// or thousands as well).
static void pieces_that_collide_gain_nothing(void)
{
    burst_collides = true;
    fixture f = burst(PL_ELEMENT_TET, 8, 1);
    burst_collides = false;
    pl_step_info start, info;
    MUST(pl_world_report(f.world, &start));
    for (int i = 0; i < (slow_tests ? 10 : 6); ++i)
    {
        info = fixture_step(&f, 0.02);
        CHECK_THAT(info.kinetic + info.elastic < 1.001 * start.elastic, "%g J of %g", info.kinetic + info.elastic,
                   start.elastic);
        CHECK_THAT(i > 4 || info.crossings < 400, "%lld crossings", (long long)info.crossings);
    }
    CHECK(pieces(&f) > 2);
    fixture_done(&f);
}

static void tearing_can_be_slowed(void)
{
    fixture f = burst(PL_ELEMENT_TET, 1, 1);
    f.world->bodies.slot[0].fracture->settings.most = 3;
    CHECK(fixture_step(&f, 1e-3 * 10).torn <= 3 * 10);
    fixture_done(&f);
}

// ---- bits ------------------------------------------------------------------------------------------------------

static uint64_t state_hash(const fixture *f)
{
    uint64_t h = pl__hash(0, pl_body_positions(f->world, f->body),
                          3 * sizeof(double) * (size_t)pl_body_node_count(f->world, f->body));
    return pl__hash(h, pl_body_velocities(f->world, f->body),
                    3 * sizeof(double) * (size_t)pl_body_node_count(f->world, f->body));
}

// The same bits for one, two and four threads, and from a snapshot taken in the midst of breaking, in a world that is
// still whole or broken otherwise.
static void check_bits(void)
{
    uint64_t expected = 0;
    for (int32_t threads = 1; threads <= 4; threads *= 2)
    {
        fixture f = burst(PL_ELEMENT_TET, 4, threads), g = burst(PL_ELEMENT_TET, 4, 1);
        CHECK(fixture_step(&f, 0.006).torn > 0);
        pl_step_def step = pl_step_def_default();
        pl_step_info info;
        step.dt = 0.01;
        step.max_substeps = 3;
        MUST(pl_world_step(f.world, &step, &info));
        size_t size = pl_world_save_size(f.world);
        void *state = malloc(size);
        MUST(pl_world_save(f.world, state, size));
        step = pl_step_def_default();
        step.finish = 1;
        MUST(pl_world_step(f.world, &step, &info));
        CHECK(info.torn > 0);
        fixture_step(&f, 0.02);
        expected = threads == 1 ? state_hash(&f) : expected;
        CHECK(state_hash(&f) == expected);
        for (int again = 0; again < 2; ++again)
        {
            uint32_t version = pl_body_version(g.world, g.body);
            CHECK_OK(g.ctx, pl_world_load(g.world, state, size));
            CHECK(pl_body_version(g.world, g.body) > version);
            CHECK_OK(g.ctx, pl_world_step(g.world, &step, NULL));
            fixture_step(&g, 0.02);
            CHECK(state_hash(&g) == expected);
        }
        ((char *)state)[200] ^= 1;
        CHECK(pl_world_load(g.world, state, size) == PL_ERR_FORMAT);
        CHECK(state_hash(&g) == expected);
        free(state);
        fixture_done(&f);
        fixture_done(&g);
    }
}

static void bits_do_not_depend_on_threads_or_restarts(void)
{
    burst_interval = 0.004; // some substeps
    check_bits();
    burst_interval = 1.0 / 960;
}

static void bits_of_pieces_that_collide_do_not_either(void)
{
    burst_collides = true;
    check_bits();
    burst_collides = false;
}

// Sections of torn elements with any byte wrong, under a checksum that fits, are refused or harmless; what is refused
// changes nothing.
static void damaged_topology_is_survived(void)
{
    enum
    {
        HEADER = 40,
        CHECKSUM = 32
    };
    fixture f = burst(PL_ELEMENT_TET, 4, 1);
    CHECK(fixture_step(&f, 0.004).torn > 0);
    size_t size = pl_world_save_size(f.world);
    char *good = malloc(size), *state = malloc(size);
    MUST(pl_world_save(f.world, good, size));
    int32_t refused = 0, trials = slow_tests ? 4000 : 300;
    for (int32_t trial = 0; trial < trials; ++trial)
    {
        uint64_t random = pl__random64(7, 0, (uint64_t)trial), before = state_hash(&f), checksum;
        memcpy(state, good, size);
        state[HEADER + random % 400] ^= (char)(1 << (random >> 32) % 8);
        checksum = pl__hash(0, state + HEADER, size - HEADER);
        memcpy(state + CHECKSUM, &checksum, sizeof checksum);
        pl_status status = pl_world_load(f.world, state, size);
        CHECK(status == PL_OK || (status == PL_ERR_FORMAT && state_hash(&f) == before));
        refused += status != PL_OK;
        MUST(pl_world_load(f.world, good, size));
    }
    CHECK_THAT(refused > trials / 4, "%d of %d", refused, trials);
    free(good);
    free(state);
    fixture_done(&f);
}

// ---- sheets ----------------------------------------------------------------------------------------------------

static bool sheet_left(const double X[3]) { return X[0] < -0.4999; }
static bool sheet_right(const double X[3]) { return X[0] > 0.4999; }
static void pull_sheet(const fixture *f)
{
    pl_pin_def pin = pl_pin_def_default();
    fixture_pin(f, &pin, sheet_left);
    fixture_pin(f, &pin, sheet_right);
    fixture_keys(f, "bodies.body.pins.1.move", PL_EASE_LINEAR, 2, 3, (double[2]){0, 2},
                 (double[6]){0, 0, 0, 1.2, 0, 0});
}

// A sheet that is pulled tears through, and goes on as two, with bends on what is left.
static void sheet_tears(void)
{
    fixture_def def = fixture_default();
    def.shape.kind = PL_SHAPE_SHEET;
    def.shape.elements = PL_ELEMENT_TRIANGLE;
    def.shape.pattern = PL_PATTERN_IRREGULAR;
    def.shape.edge = 0.1;
    def.body.kind = PL_BODY_SHELL;
    def.body.thickness = 0.01;
    def.material.damping = 0.01;
    def.material.fracture_stress = 2e4;
    def.material.fracture_spread = 0.2;
    def.prepare = pull_sheet;
    fixture f = fixture_make(&def);
    pl_step_info info = {0}, start;
    MUST(pl_world_report(f.world, &start));
    int32_t torn = 0;
    while (info.time < 2)
    {
        info = fixture_step(&f, 0.05);
        torn += info.torn;
    }
    CHECK_THAT(torn > 0 && pieces(&f) >= 2, "%d torn, %d pieces", torn, pieces(&f));
    CHECK(smallest_piece(&f) >= 8);
    CHECK_NEAR(info.mass, start.mass, 1e-12 * start.mass);
    CHECK(pl__split_is_valid(split_of(&f)) && isfinite(info.kinetic));
    fixture_done(&f);
}

// ---- kinds of bodies -------------------------------------------------------------------------------------------

// Some triangles have all corners there.
static bool is_clamped(const double X[3]) { return X[0] < -0.35; }

// Flat bodies that start stretched in their plane.
static fixture flat(int which)
{
    static double start[3 * 1000];
    fixture_def def = fixture_default();
    def.shape.kind = which == 0 ? PL_SHAPE_RECTANGLE : PL_SHAPE_SHEET;
    def.shape.elements = PL_ELEMENT_TRIANGLE;
    def.shape.pattern = PL_PATTERN_IRREGULAR;
    def.shape.edge = 0.08;
    def.body.kind = which == 0 ? PL_BODY_PLANAR : PL_BODY_SHELL;
    def.body.membrane = which == 1 ? PL_MEMBRANE_WOVEN : PL_MEMBRANE_CONTINUUM;
    def.body.bending = which == 2 ? PL_BENDING_HINGES : which == 3 ? PL_BENDING_NONE : PL_BENDING_CURVATURE;
    def.material.fracture_stress = 1e4;
    def.material.fracture_spread = 0.4;
    def.material.recovery = PL_RECOVERY_OFF;
    if (which == 4)
        def.material.yield_strain = 0.08;
    if (which == 5)
        def.pinned = is_clamped;
    pl_context *ctx = test_context(1);
    pl_mesh *mesh;
    CHECK_OK(ctx, pl_mesh_create_shape(ctx, &def.shape, &mesh));
    CHECK(pl_mesh_node_count(mesh) <= 1000);
    for (int32_t i = 0; i < 3 * pl_mesh_node_count(mesh); ++i)
        start[i] = pl_mesh_positions(mesh)[i] * 1.4;
    pl_mesh_destroy(&mesh);
    pl_context_destroy(&ctx);
    def.body.start_positions = start;
    return fixture_make(&def);
}

// Planar bodies, woven shells, shells with hinges, without bending, plastic and clamped ones break, keep mass and
// (unless held) momentum, and go on from a snapshot.
static void flat_bodies_break(void)
{
    for (int which = 0; which < 6; ++which)
    {
        fixture f = flat(which), g = flat(which);
        pl_step_info start, info;
        MUST(pl_world_report(f.world, &start));
        info = fixture_step(&f, 0.02);
        CHECK_THAT(info.torn > 5 && pl__split_is_valid(split_of(&f)), "kind %d: %d torn", which, info.torn);
        size_t size = pl_world_save_size(f.world);
        void *state = malloc(size);
        MUST(pl_world_save(f.world, state, size));
        info = fixture_step(&f, 0.02);
        CHECK_NEAR(info.mass, start.mass, 1e-12 * start.mass);
        for (int k = 0; which < 5 && k < 3; ++k)
            CHECK_NEAR(info.momentum[k], 0, 1e-9);
        CHECK_OK(g.ctx, pl_world_load(g.world, state, size));
        fixture_step(&g, 0.02);
        CHECK_THAT(state_hash(&f) == state_hash(&g), "kind %d", which);
        free(state);
        fixture_done(&f);
        fixture_done(&g);
    }
}

// A sheet rolled to a cylinder of radius R has E/(1 - nu^2) t/2R along the bend on its outer side and nu of that
// across, in the mean over its triangles, whatever way it faces.
static void bending_stress_is_that_of_plates(void)
{
    for (int pattern = PL_PATTERN_ALTERNATING; pattern <= PL_PATTERN_IRREGULAR; ++pattern)
    {
        fixture_def def = fixture_default();
        def.shape.kind = PL_SHAPE_SHEET;
        def.shape.elements = PL_ELEMENT_TRIANGLE;
        def.shape.pattern = (pl_shape_pattern)pattern;
        def.shape.edge = 0.04;
        def.body.kind = PL_BODY_SHELL;
        def.body.thickness = 0.01;
        fixture f = fixture_make(&def);
        const pl__body *body = f.world->bodies.slot[0].body;
        const double R = 1.5, expected = 1e5 / (1 - 0.16) * 0.01 / (2 * R);
        double *x = f.world->solids.state.x, along = 0, across = 0, area = 0;
        for (int32_t n = 0; n < body->node_count; ++n)
        {
            double a = x[3 * n] / R;
            x[3 * n] = R * sin(a);
            x[3 * n + 1] = R * (cos(a) - 1);
        }
        for (int32_t g = 0; g < body->group_count; ++g)
            for (int32_t i = 0; body->group[g].kind == PL__BEND && i < body->group[g].count; ++i)
            {
                const pl__bend_rest *rest = &body->group[g].bend[i / PL_ELEMENT_LANES];
                int32_t lane = i % PL_ELEMENT_LANES;
                const double *p = &x[3 * rest->node[0][lane]];
                double stress[6], a = asin(p[0] / R), c = cos(a), s = -sin(a);
                if (fabs(p[0]) > 0.3 || fabs(p[2]) > 0.3)
                    continue;
                pl__bend_side_stress(rest, lane, x, 1, stress);
                double share = rest->area[0][lane];
                along += share * (c * c * stress[0] + 2 * c * s * stress[3] + s * s * stress[1]);
                across += share * stress[2];
                area += share;
            }
        CHECK_THAT(fabs(along / area / expected - 1) < 0.03 && fabs(across / area / expected - 0.4) < 0.03,
                   "pattern %d: %g and %g of %g Pa", pattern, along / area, across / area, expected);
        fixture_done(&f);
    }
}

// ---- pins and selections ---------------------------------------------------------------------------------------

static bool is_top(const double X[3]) { return X[1] > 0.49; }
static void turn_top(const fixture *f)
{
    pl_pin_def pin = pl_pin_def_default();
    fixture_pin(f, &pin, is_top);
    fixture_keys(f, "bodies.body.pins.0.rotate", PL_EASE_LINEAR, 2, 3, (double[2]){0, 1},
                 (double[6]){0, 0, 0, 0, 90, 0});
}

// Copies of pinned nodes are pinned, and follow the group as the nodes that they were: after a cut through them all top
// nodes are where a quarter of the turn has brought them.
static void copies_of_pinned_nodes_are_pinned(void)
{
    fixture_def def = fixture_default();
    def.shape.edge = 0.25;
    def.body.cuttable = 1;
    def.prepare = turn_top;
    fixture f = fixture_make(&def);
    int32_t torn;
    MUST(pl_world_cut(f.world, (double[3]){0.26, -1, -1}, (double[3]){0.26, 1, -1}, (double[3]){0.26, 1, 1},
                      (double[3]){0.26, -1, 1}, &torn));
    fixture_step(&f, 0.5);
    int32_t n = pl_body_node_count(f.world, f.body), top = 0;
    double *x = calloc((size_t)n, 3 * sizeof *x), *X = calloc((size_t)n, 3 * sizeof *X), h = sqrt(0.5);
    MUST(pl_body_read(f.world, f.body, x, NULL));
    MUST(pl_body_read_rest(f.world, f.body, X));
    for (int32_t i = 0; i < n; ++i)
    {
        if (!is_top(&X[3 * (size_t)i]))
            continue;
        const double *a = &X[3 * (size_t)i], *b = &x[3 * (size_t)i];
        CHECK_NEAR(b[0], h * (a[0] + a[2]), 1e-9);
        CHECK_NEAR(b[1], a[1], 1e-9);
        CHECK_NEAR(b[2], h * (a[2] - a[0]), 1e-9);
        top += i >= n - torn;
    }
    CHECK(top > 2);
    free(x);
    free(X);
    fixture_done(&f);
}

// ---- cuts ------------------------------------------------------------------------------------------------------

// A knife separates what it passes through; what lay still goes on lying still, and pins and flow stay with their nodes
// and elements.
static void cut_separates(void)
{
    fixture_def def = fixture_default();
    def.shape.edge = 0.15;
    def.body.cuttable = 1;
    def.pinned = sheet_left;
    fixture f = fixture_make(&def);
    int32_t torn = 0, before = pl_body_node_count(f.world, f.body), count;
    double *x = calloc((size_t)before, 3 * sizeof *x), *y;
    MUST(pl_body_read(f.world, f.body, x, NULL));
    (void)pl_body_surface_triangles(f.world, f.body, &count);
    int32_t triangles = count;
    MUST(pl_world_cut(f.world, (double[3]){0.01, -1, -1}, (double[3]){0.01, 1, -1}, (double[3]){0.01, 1, 1},
                      (double[3]){0.01, -1, 1}, &torn));
    CHECK(torn > 10 && pl_body_node_count(f.world, f.body) == before + torn && pieces(&f) == 2);
    (void)pl_body_surface_triangles(f.world, f.body, &count);
    CHECK(count > triangles);
    CHECK(pl_body_element_count(f.world, f.body) == pl_mesh_element_count(f.mesh));
    y = calloc((size_t)(before + torn), 3 * sizeof *y);
    MUST(pl_body_read(f.world, f.body, y, NULL));
    CHECK(memcmp(x, y, 3 * sizeof *x * (size_t)before) == 0);
    pl_step_info info = fixture_step(&f, 0.1);
    CHECK_NEAR(info.kinetic, 0, 1e-20);
    CHECK(pl_world_cut(f.world, (double[3]){NAN, 0, 0}, (double[3]){0}, (double[3]){0}, (double[3]){0}, NULL) ==
          PL_ERR_ARGUMENT);
    free(x);
    free(y);
    fixture_done(&f);
}

// A cut by itself changes nothing that is felt: stress, what has flowed, temperature, positions and velocities of
// elements in motion are what they were, to the bit.
static void cut_changes_no_field(void)
{
    for (int kind = PL_ELEMENT_TET; kind <= PL_ELEMENT_TRIANGLE; ++kind)
    {
        fixture_def def = fixture_default();
        bool shell = kind == PL_ELEMENT_TRIANGLE;
        def.shape.kind = shell ? PL_SHAPE_SHEET : PL_SHAPE_BOX;
        def.shape.elements = (pl_element_kind)kind;
        def.shape.edge = 0.25;
        def.body.kind = shell ? PL_BODY_SHELL : PL_BODY_SOLID;
        def.body.thickness = shell ? 0.02 : 0;
        def.body.cuttable = 1;
        def.material.yield_strain = 0.002;
        def.material.melting = 100;
        def.pinned = sheet_left;
        memcpy(def.gravity, (double[3]){0, -9.81, 0}, sizeof def.gravity);
        fixture f = fixture_make(&def);
        MUST(pl_world_heat(f.world, (double[3]){0.5, 0, 0}, 1, 30));
        fixture_step(&f, 0.1);
        static const pl_body_field fields[] = {PL_FIELD_STRESS, PL_FIELD_J, PL_FIELD_PLASTIC, PL_FIELD_TEMPERATURE};
        int32_t count = pl_body_element_count(f.world, f.body), nodes = pl_body_node_count(f.world, f.body), torn;
        double *before = calloc(4 * (size_t)count, sizeof *before), *after = calloc(4 * (size_t)count, sizeof *after);
        double *x = calloc(12 * (size_t)nodes + 12000, sizeof *x), *y = &x[6 * nodes];
        for (int k = 0; k < 4; ++k)
            MUST(pl_body_read_field(f.world, f.body, fields[k], &before[k * count]));
        MUST(pl_body_read(f.world, f.body, x, &x[3 * nodes]));
        MUST(pl_world_cut(f.world, (double[3]){0.01, -2, -2}, (double[3]){0.01, 2, -2}, (double[3]){0.01, 2, 2},
                          (double[3]){0.01, -2, 2}, &torn));
        int32_t now = pl_body_node_count(f.world, f.body);
        CHECK(torn > 0 && now == nodes + torn && 6 * now <= 6 * nodes + 12000);
        for (int k = 0; k < 4; ++k)
            MUST(pl_body_read_field(f.world, f.body, fields[k], &after[k * count]));
        MUST(pl_body_read(f.world, f.body, y, &y[3 * now]));
        CHECK(memcmp(before, after, 4 * (size_t)count * sizeof *before) == 0);
        CHECK(memcmp(x, y, 3 * (size_t)nodes * sizeof *x) == 0 &&
              memcmp(&x[3 * nodes], &y[3 * now], 3 * (size_t)nodes * sizeof *x) == 0);
        double flowed = 0, warmest = 0;
        for (int32_t i = 0; i < count; ++i)
        {
            flowed = fmax(flowed, after[2 * count + i]);
            warmest = fmax(warmest, after[3 * count + i]);
        }
        CHECK_THAT(flowed > 0 && warmest > 1, "flowed %g, %g K", flowed, warmest);
        free(before);
        free(after);
        free(x);
        fixture_done(&f);
    }
}

// Half of a hanging block falls when it is cut off.
static void what_is_cut_off_falls(void)
{
    fixture_def def = fixture_default();
    def.shape.edge = 0.2;
    def.body.cuttable = 1;
    def.body.self_collision = 1;
    def.material.young = 1e6;
    def.pinned = sheet_left;
    memcpy(def.gravity, (double[3]){9.81, 0, 0}, sizeof def.gravity);
    fixture f = fixture_make(&def);
    fixture_step(&f, 0.05);
    MUST(pl_world_cut(f.world, (double[3]){0.01, -1, -1}, (double[3]){0.01, 1, -1}, (double[3]){0.01, 1, 1},
                      (double[3]){0.01, -1, 1}, NULL));
    double speed_then = fixture_step(&f, 0.3).momentum[0];
    CHECK_THAT(speed_then > 0.45 * 9.81 * 0.3 * 500, "momentum %g", speed_then);
    fixture_done(&f);
}

// ---- refusals --------------------------------------------------------------------------------------------------

static void check_refused(const fixture *f_, pl_body_def body, const char *words)
{
    fixture f = *f_;
    pl_status status = pl_scene_add_body(f.scene, "other", &body, NULL);
    CHECK_THAT(status == PL_ERR_ARGUMENT && strstr(pl_context_error(f.ctx), words), "%d: %s", (int)status,
               pl_context_error(f.ctx));
}

static void what_cannot_break_is_refused(void)
{
    fixture_def def = fixture_default();
    def.material.fracture_stress = 1e4;
    fixture f = fixture_make(&def);
    pl_body_def body = pl_body_def_default();
    pl_mesh *sheet;
    pl_shape_def shape = pl_shape_def_default();
    shape.kind = PL_SHAPE_SHEET;
    shape.elements = PL_ELEMENT_TRIANGLE;
    MUST(pl_mesh_create_shape(f.ctx, &shape, &sheet));
    body.mesh = f.mesh;
    body.material.index = 1;
    body.smallest_piece = 0;
    check_refused(&f, body, "smallest_piece: 0 must be in [1, 1000000]");
    body.smallest_piece = 8;
    body.toughness = 0;
    check_refused(&f, body, "toughness: 0 must be in [1e-6, 1e9]");
    body.toughness = 1;
    body.cuttable = 2;
    check_refused(&f, body, "cuttable: 2 must be 0 or 1");
    body.cuttable = 0;
    body.mesh = sheet;
    body.kind = PL_BODY_SHELL;
    body.membrane = PL_MEMBRANE_SPRINGS;
    check_refused(&f, body, "springs have no stress");
    body.membrane = PL_MEMBRANE_CONTINUUM;
    body.pressure = 10;
    check_refused(&f, body, "a shell that breaks or is cut holds none");
    pl_mesh_destroy(&sheet);
    fixture_done(&f);
}

// Toughness is live: a block under a load that it bears breaks when it is lowered; out of range it is refused.
static void toughness_is_live(void)
{
    fixture f = bar(PL_ELEMENT_TET, 1, 3000, 3000);
    fixture_step(&f, 5);
    CHECK(pieces(&f) == 1 && mean_stress(&f, 0, 0.25) > 1000);
    pl_param_id toughness = pl_world_find_param(f.world, "bodies.body.toughness");
    CHECK(toughness.index > 0 && pl_world_get(f.world, toughness) == 1);
    CHECK(pl_world_set(f.world, toughness, 0) == PL_ERR_ARGUMENT &&
          strstr(pl_context_error(f.ctx), "must be in [1e-6, 1e9]"));
    MUST(pl_world_set(f.world, toughness, 0.2));
    CHECK(fixture_step(&f, 0.1).torn > 0);
    fixture_done(&f);
}

// ---- memory ----------------------------------------------------------------------------------------------------

static pl_status cut_and_load(pl_world *world, pl_world *other)
{
    PL_TRY(pl_world_cut(world, (double[3]){0.01, -1, -1}, (double[3]){0.01, 1, -1}, (double[3]){0.01, 1, 1},
                        (double[3]){0.01, -1, 1}, NULL));
    size_t size = pl_world_save_size(world);
    void *state = malloc(size);
    pl_status status = pl_world_save(world, state, size);
    if (status == PL_OK)
        status = pl_world_load(other, state, size);
    free(state);
    return status;
}

static pl_status make_and_cut(pl_context *ctx)
{
    pl_shape_def shape = pl_shape_def_default();
    pl_mesh *mesh = NULL;
    pl_scene *scene = NULL;
    pl_world *world = NULL, *other = NULL;
    pl_body_def body = pl_body_def_default();
    pl_material_def material = pl_material_def_default();
    pl_pin_def pin = pl_pin_def_default();
    const int32_t nodes[2] = {0, 1};
    pl_body_id id;
    shape.edge = 0.5;
    material.melting = 100;
    material.diffusivity = 1e-4;
    material.yield_strain = 0.1;
    material.fracture_stress = 1e6;
    pin.nodes = nodes;
    pin.count = 2;
    pl_status status = pl_mesh_create_shape(ctx, &shape, &mesh);
    if (status == PL_OK)
        status = pl_scene_create(ctx, &scene);
    if (status == PL_OK)
        status = pl_scene_add_material(scene, "stuff", &material, &body.material);
    body.mesh = mesh;
    if (status == PL_OK)
        status = pl_scene_add_body(scene, "body", &body, &id);
    if (status == PL_OK)
        status = pl_scene_add_pin(scene, id, &pin, NULL);
    if (status == PL_OK)
        status = pl_world_create(scene, &world);
    if (status == PL_OK)
        status = pl_world_create(scene, &other);
    if (status == PL_OK)
        status = cut_and_load(world, other);
    pl_world_destroy(&other);
    pl_world_destroy(&world);
    pl_scene_destroy(&scene);
    pl_mesh_destroy(&mesh);
    return status;
}

static void every_failed_allocation_is_survived(void) { CHECK(survive_every_failure(make_and_cut) > 100); }

int main(int argc, char **argv)
{
    static const pl_test tests[] = {
        TEST(bar_breaks_at_its_strength),
        TEST(compression_breaks_nothing),
        TEST(rotation_breaks_nothing),
        TEST(what_has_flowed_does_not_break),
        TEST(pieces_are_not_smaller_than_allowed),
        TEST(pieces_that_collide_gain_nothing),
        TEST(tearing_can_be_slowed),
        TEST(bits_do_not_depend_on_threads_or_restarts),
        SLOW_TEST(bits_of_pieces_that_collide_do_not_either),
        TEST(damaged_topology_is_survived),
        TEST(sheet_tears),
        TEST(flat_bodies_break),
        TEST(bending_stress_is_that_of_plates),
        TEST(copies_of_pinned_nodes_are_pinned),
        TEST(cut_separates),
        TEST(cut_changes_no_field),
        TEST(what_is_cut_off_falls),
        TEST(what_cannot_break_is_refused),
        TEST(toughness_is_live),
        TEST(every_failed_allocation_is_survived),
    };
    return RUN(tests);
}

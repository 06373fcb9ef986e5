// tests/liquid_rest.c -- still water stays still, in vessels of any shape, with any level, anywhere on the grid.
#include "base/random.h"
#include "fluid/liquid.h"
#include "test.h"
#include "world/world.h"
#include <pliant/pliant.h>
#include <stdarg.h>

// ---- random vessels --------------------------------------------------------------------------------------------

typedef struct text
{
    char at[6000];
    size_t length;
} text;

__attribute__((format(printf, 2, 3))) static void add(text *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    t->length += (size_t)vsnprintf(t->at + t->length, sizeof t->at - t->length, format, arguments);
    va_end(arguments);
}

typedef struct draw
{
    uint64_t seed, n;
} draw;

static double uniform(draw *d, double a, double b) { return a + (b - a) * pl__random01(d->seed, 77, d->n++); }
static int pick(draw *d, int count) { return (int)(count * pl__random01(d->seed, 77, d->n++)) % count; }

typedef enum vessel
{
    TANK,    // walls of the domain
    SQUARE,  // a hole in a block
    ROUND,   // a round one
    GLASS,   // a cylinder with walls of half a cell to three cells, dry outside
    MUG,     // a cylinder with a square hole, whose corners nearly reach its outside; dry outside
    BOWL,    // a ball without another ball: its rim is an edge; in water
    GROUND,  // rough
    OBJECTS, // balls, boxes and capsules, under water, in its surface and above it
    MESH,    // a closed surface in it
    VESSELS
} vessel;

static const char *const names[] = {"tank", "square", "round", "glass", "mug", "bowl", "ground", "objects", "mesh"};

typedef enum level
{
    ANYWHERE,
    AT_CENTERS, // of cells
    AT_FACES,
    LEVELS
} level;

typedef struct plan
{
    double h, side, floor_at, top, level, x, z, inner, wall; // lengths but h in cells
} plan;

static plan make_plan(draw *d, vessel kind, level where)
{
    static const double sizes[] = {0.03, 0.025, 1.0 / 14, 0.1};
    plan p = {.h = sizes[pick(d, 4)], .side = kind == GLASS || kind == MUG || kind == BOWL ? 20 : 14};
    p.floor_at = uniform(d, 1.8, 3);
    double depth = uniform(d, 3, 7), high = p.floor_at + depth;
    p.level = where == ANYWHERE ? high : floor(high) + (where == AT_CENTERS ? 0.5 : 0);
    p.x = p.side / 2 + uniform(d, -0.5, 0.5), p.z = p.side / 2 + uniform(d, -0.5, 0.5);
    p.wall = uniform(d, 0, 1) < 0.4 ? 0.5 * (1 + pick(d, 6)) : uniform(d, 0.5, 3);
    p.inner = uniform(d, 3, 5);
    if (pick(d, 3) == 0)
        p.x = p.z = p.side / 2, p.inner = 0.5 * floor(2 * p.inner);
    if (pick(d, 3) == 0)
        p.floor_at = 2;
    p.top = 13 - p.floor_at; // of the hole
    return p;
}

static void add_hole(text *t, draw *d, const plan *p, vessel kind)
{
    double h = p->h;
    add(t, "\"v\": {\"shape\": {\"difference\": [{\"shape\": {\"box\": [%.17g, %.17g, %.17g]}}, {\"shape\": ",
        4 * p->side * h, 2 * (p->floor_at + p->top) * h, 4 * p->side * h);
    if (kind == SQUARE)
        add(t, "{\"box\": [%.17g, %.17g, %.17g]}", 2 * p->inner * h, 2 * p->top * h, 2 * uniform(d, 3, 5) * h);
    else
        add(t, "{\"cylinder\": {\"radius\": %.17g, \"height\": %.17g}}", p->inner * h, 2 * p->top * h);
    add(t, ", \"at\": [0, %.17g, 0]}]}, \"at\": [%.17g, 0, %.17g]}", (p->floor_at + p->top) * h, p->x * h, p->z * h);
}

// A cylinder of radius `outer` [cells] with a hole.
static void add_cup(text *t, const plan *p, double outer, bool square)
{
    double h = p->h, edge = outer * 0.97 * sqrt(2);
    add(t, "\"v\": {\"shape\": {\"difference\": [{\"shape\": {\"cylinder\": {\"radius\": %.17g, \"height\": %.17g}}}, ",
        outer * h, 2 * p->top * h);
    if (square)
        add(t, "{\"shape\": {\"box\": [%.17g, %.17g, %.17g]}", edge * h, 2 * p->top * h, edge * h);
    else
        add(t, "{\"shape\": {\"cylinder\": {\"radius\": %.17g, \"height\": %.17g}}", p->inner * h, 2 * p->top * h);
    add(t, ", \"at\": [0, %.17g, 0]}]}, \"at\": [%.17g, %.17g, %.17g]}", p->floor_at * h, p->x * h, p->top * h,
        p->z * h);
}

static void add_ground(text *t, draw *d, const plan *p)
{
    add(t, "\"v\": {\"shape\": {\"height_field\": {\"heights\": [");
    for (int row = 0; row < 6; ++row)
    {
        add(t, "%s[", row ? ", " : "");
        for (int n = 0; n < 6; ++n)
            add(t, "%s%.17g", n ? ", " : "", uniform(d, 0.2, 9) * p->h);
        add(t, "]");
    }
    add(t, "], \"extent\": [%.17g, %.17g]}}, \"at\": [%.17g, 0, %.17g]}", 1.2 * p->side * p->h, 1.2 * p->side * p->h,
        p->side / 2 * p->h, p->side / 2 * p->h);
}

static void add_objects(text *t, draw *d, double h)
{
    for (int n = 0; n < 3; ++n)
    {
        add(t, "%s\"o%d\": {\"shape\": ", n ? ", " : "", n);
        int what = pick(d, 3);
        if (what == 0)
            add(t, "{\"sphere\": %.17g}", uniform(d, 1, 3) * h);
        else if (what == 1)
            add(t, "{\"box\": [%.17g, %.17g, %.17g]}", uniform(d, 0.3, 5) * h, uniform(d, 0.3, 5) * h,
                uniform(d, 0.3, 5) * h);
        else
            add(t, "{\"capsule\": {\"radius\": %.17g, \"height\": %.17g}}", uniform(d, 0.7, 2) * h,
                uniform(d, 4.2, 6) * h);
        add(t, ", \"rotate\": [%.17g, %.17g, %.17g], \"at\": [%.17g, %.17g, %.17g]}", uniform(d, -90, 90),
            uniform(d, -90, 90), uniform(d, -90, 90), uniform(d, 3, 11) * h, uniform(d, 2, 11) * h,
            uniform(d, 3, 11) * h);
    }
}

// A scene with water up to a level. Returns the edge of its cells [m].
static double write_scene(text *t, uint64_t seed, vessel kind, level where, bool tall, bool hold)
{
    draw d = {seed, 0};
    plan p = make_plan(&d, kind, where);
    double h = p.h, outer = kind == MUG ? 1.4 * p.inner : p.inner + p.wall;
    const char *held = hold ? ", \"volume\": \"hold\"" : "";
    add(t, "{\"domain\": {\"box\": [[0, 0, 0], [%.17g, %.17g, %.17g]], \"size\": %.17g", p.side * h, 14 * h, p.side * h,
        h);
    if (tall)
        add(t, ", \"depth\": %.17g", 2.5 * h);
    if (kind == GLASS || kind == MUG) // what is poured in is as wide as the middle or the outside of the wall
    {
        double wide = kind == MUG ? outer : p.inner + 0.5 * p.wall, low = p.floor_at - 0.5 * fmin(p.wall, 1);
        add(t, "},\n\"liquids\": {\"w\": {\"shape\": {\"cylinder\": {\"radius\": %.17g, \"height\": %.17g}}, ",
            wide * h, (p.level - low) * h);
        add(t, "\"at\": [%.17g, %.17g, %.17g]%s}},\n", p.x * h, (low + p.level) / 2 * h, p.z * h, held);
    }
    else
        add(t, "},\n\"liquids\": {\"w\": {\"level\": %.17g%s}},\n", p.level * h, held);
    add(t, "\"objects\": {");
    if (kind == SQUARE || kind == ROUND)
        add_hole(t, &d, &p, kind);
    else if (kind == GLASS || kind == MUG)
        add_cup(t, &p, outer, kind == MUG);
    else if (kind == BOWL)
        add(t,
            "\"v\": {\"shape\": {\"difference\": [{\"shape\": {\"sphere\": %.17g}}, {\"shape\": {\"sphere\": %.17g}, "
            "\"at\": [0, %.17g, 0]}]}, \"at\": [%.17g, %.17g, %.17g]}",
            7.5 * h, 7.2 * h, (0.5 * p.wall + 0.5) * h, p.x * h, 8 * h, p.z * h);
    else if (kind == GROUND)
        add_ground(t, &d, &p);
    else if (kind == OBJECTS)
        add_objects(t, &d, h);
    add(t, "}}\n");
    return h;
}

// ---- rest ------------------------------------------------------------------------------------------------------

// A tetrahedron that is turned and lies anywhere.
static void add_mesh(pl_context *ctx, pl_scene *scene, uint64_t seed, double h)
{
    static const double x[12] = {-1, -1, -1, 1, 1, -1, 1, -1, 1, -1, 1, 1};
    static const int32_t triangles[12] = {0, 1, 2, 0, 3, 1, 0, 2, 3, 1, 3, 2};
    draw d = {seed, 1000};
    double at[12], size = uniform(&d, 1.5, 4) * h;
    for (int n = 0; n < 12; ++n)
        at[n] = size * x[n];
    pl_surface *surface = NULL;
    CHECK_OK(ctx, pl_surface_create(ctx, at, 4, triangles, 4, &surface));
    pl_object_def def = pl_object_def_default();
    def.kind = PL_OBJECT_SURFACE;
    def.surface = surface;
    for (int axis = 0; axis < 3; ++axis)
    {
        def.at[axis] = uniform(&d, 4, 10) * h;
        def.rotate[axis] = uniform(&d, -180, 180);
    }
    CHECK_OK(ctx, pl_scene_add_object(scene, "mesh", &def, NULL));
    pl_surface_destroy(&surface);
}

// The largest speed of `steps` steps [m/s], and the largest drift of the volume.
static double move(uint64_t seed, vessel kind, level where, int steps, double *drift)
{
    text t = {{0}, 0};
    double most = 0, h = write_scene(&t, seed, kind, where, seed % 4 == 0, seed % 4 == 1);
    pl_context *ctx = test_context(1);
    pl_scene *scene = NULL;
    pl_world *world = NULL;
    if (pl_scene_parse(ctx, "scene", t.at, t.length, &scene) != PL_OK)
    {
        printf("%s\n%s\n", pl_context_error(ctx), t.at);
        abort();
    }
    if (kind == MESH)
        add_mesh(ctx, scene, seed, h);
    CHECK_OK(ctx, pl_world_create(scene, &world));
    pl_scene_destroy(&scene);
    *drift = 0;
    for (int n = 0; n < steps && world; ++n)
    {
        pl_step_def step = pl_step_def_default();
        pl_step_info info;
        step.dt = 0.01;
        CHECK_OK(ctx, pl_world_step(world, &step, &info));
        most = fmax(most, info.liquid_speed);
        *drift = fmax(*drift, fabs(info.liquid_drift));
    }
    pl_world_destroy(&world);
    pl_context_destroy(&ctx);
    return most;
}

static void check_rest(vessel kind, uint64_t seed, level where, int steps)
{
    double drift, speed = move(seed, kind, where, steps, &drift);
    CHECK_THAT(speed < 1e-9, "%s %d, level %d: %g m/s", names[kind], (int)seed, (int)where, speed);
    CHECK_NEAR(drift, 0, 1e-9);
}

// Every fourth vessel with tall cells, every fourth holds its volume.
static void still_water_stays_still_in_vessels(void)
{
    for (int kind = 0; kind < VESSELS; ++kind)
        for (int where = 0; where < LEVELS; ++where)
            check_rest((vessel)kind, 1 + (uint64_t)(kind + where) % 4, (level)where, 6);
}

static void still_water_stays_still_for_long(void)
{
    for (int kind = 0; kind < VESSELS; ++kind)
        for (int n = 0; n < 4 * LEVELS; ++n)
            check_rest((vessel)kind, 1 + (uint64_t)(n / LEVELS), (level)(n % LEVELS), 1000);
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {TEST(still_water_stays_still_in_vessels),
                                    SLOW_TEST(still_water_stays_still_for_long)};
    return RUN(tests);
}

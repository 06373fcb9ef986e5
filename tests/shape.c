// tests/shape.c -- shapes of objects: each distance against the triangles of its own surface, and what every distance
// promises.
#include "fixture.h"
#include "host.h"
#include "random_input.h"
#include "contact/object.h"
#include "mesh/solid.h"
#include <pliant/pliant.h>

static const double pi = 3.141592653589793;

// ---- one of each ---------------------------------------------------------------------------------------------------

enum
{
    KINDS = 20,
    ROWS = 5,
    COLUMNS = 7
};

typedef struct
{
    const char *name;
    pl_object_def def;
    bool exact; // not of parts that overlap
    bool bounded;
    double curve; // the least radius of curvature of its surface; 0: it is made of flat faces
} sample;

static double hill[ROWS * COLUMNS];
static pl_object_def cross[2], cup[2], nested[2];
static pl_surface *wedge_of_cheese;

static pl_object_def kind_of(pl_object_kind kind)
{
    pl_object_def def = pl_object_def_default();
    def.kind = kind;
    return def;
}

static void set3(double to[3], double x, double y, double z) { to[0] = x, to[1] = y, to[2] = z; }

static pl_surface *make_cheese(pl_context *ctx)
{
    static const double x[18] = {0, 0, 0, 1, 0, 0, 0, 0.5, 0, 0, 0, 0.7, 1, 0, 0.7, 0, 0.5, 0.7};
    static const int32_t t[24] = {0, 2, 1, 3, 4, 5, 0, 1, 4, 0, 4, 3, 1, 2, 5, 1, 5, 4, 2, 0, 3, 2, 3, 5};
    pl_surface *s;
    CHECK_OK(ctx, pl_surface_create(ctx, x, 6, t, 8, &s));
    return s;
}

static void make_parts(void)
{
    for (int i = 0; i < ROWS * COLUMNS; ++i)
        hill[i] = 0.3 * random_pm(3, (uint64_t)i);
    cross[0] = kind_of(PL_OBJECT_BOX), cross[1] = kind_of(PL_OBJECT_CYLINDER);
    set3(cross[0].extent, 1.5, 0.3, 0.4);
    cross[1].radius = 0.2, cross[1].at[0] = 0.3, cross[1].rotate[0] = 90, cross[1].height = 1.4;
    cup[0] = kind_of(PL_OBJECT_BOX), cup[1] = kind_of(PL_OBJECT_SPHERE);
    cup[1].radius = 0.45, cup[1].at[1] = 0.35;
    nested[0] = kind_of(PL_OBJECT_UNION), nested[1] = kind_of(PL_OBJECT_PLANE);
    nested[0].part = cross, nested[0].part_count = 2, nested[0].rotate[2] = 30;
    nested[1].rotate[0] = 100;
}

static int make_samples(sample list[KINDS])
{
    sample all[] = {
        {"plane", kind_of(PL_OBJECT_PLANE), true, false, 0},
        {"sphere", kind_of(PL_OBJECT_SPHERE), true, true, 0.5},
        {"ridge", kind_of(PL_OBJECT_WEDGE), true, false, 0},
        {"valley", kind_of(PL_OBJECT_WEDGE), true, false, 0},
        {"box", kind_of(PL_OBJECT_BOX), true, true, 0},
        {"rounded box", kind_of(PL_OBJECT_BOX), true, true, 0.2},
        {"ellipsoid", kind_of(PL_OBJECT_ELLIPSOID), true, true, 0.1},
        {"lens", kind_of(PL_OBJECT_ELLIPSOID), true, true, 0.08},
        {"capsule", kind_of(PL_OBJECT_CAPSULE), true, true, 0.3},
        {"cylinder", kind_of(PL_OBJECT_CYLINDER), true, true, 0.5},
        {"cone", kind_of(PL_OBJECT_CONE), true, true, 0.5},
        {"frustum", kind_of(PL_OBJECT_CONE), true, true, 0.4},
        {"torus", kind_of(PL_OBJECT_TORUS), true, true, 0.2},
        {"gear", kind_of(PL_OBJECT_GEAR), true, true, 0},
        {"pinion", kind_of(PL_OBJECT_GEAR), true, true, 0.6}, // its bore is drawn coarsely
        {"stairs", kind_of(PL_OBJECT_STAIRS), true, true, 0},
        {"height field", kind_of(PL_OBJECT_HEIGHT_FIELD), true, false, 0},
        {"surface", kind_of(PL_OBJECT_SURFACE), true, true, 0},
        {"union", kind_of(PL_OBJECT_UNION), false, true, 0.2},
        {"difference", kind_of(PL_OBJECT_DIFFERENCE), false, true, 0.45},
    };
    make_parts();
    set3(all[0].def.normal, 1, 2, -3);
    all[3].def.angle = 250;
    set3(all[5].def.extent, 1, 1.4, 0.8), all[5].def.rounding = 0.2;
    set3(all[6].def.extent, 1.2, 0.6, 0.9);
    set3(all[7].def.extent, 1.2, 0.4, 1.2);
    all[8].def.radius = 0.3, all[8].def.height = 1.5;
    all[10].def.height = 0.7;
    all[11].def.radius = 0.4, all[11].def.top_radius = 0.6;
    all[14].def.teeth = 5, all[14].def.module = 0.3, all[14].def.bore = 0.15;
    all[15].def.steps = 4;
    all[16].def.rows = ROWS, all[16].def.columns = COLUMNS, all[16].def.heights = hill,
    set3(all[16].def.extent, 1.5, 0, 1);
    all[17].def.surface = wedge_of_cheese;
    all[18].def.part = cross, all[18].def.part_count = 2;
    all[19].def.part = cup, all[19].def.part_count = 2;
    memcpy(list, all, sizeof all);
    return (int)(sizeof all / sizeof all[0]);
}

// Run `each` on every sample.
static void for_each(void (*each)(pl_context *ctx, const sample *k, const pl__shape *s))
{
    pl_context *ctx = test_context(1);
    wedge_of_cheese = make_cheese(ctx);
    sample list[KINDS];
    int count = make_samples(list);
    for (int i = 0; i < count; ++i)
    {
        pl__shape *s;
        CHECK_OK(ctx, pl__shape_check(ctx, list[i].name, &list[i].def));
        CHECK_OK(ctx, pl__shape_create(ctx, &list[i].def, &s));
        each(ctx, &list[i], s);
        pl__shape_destroy(&s);
    }
    pl_surface_destroy(&wedge_of_cheese);
    CHECK(pl_context_memory(ctx) == 0);
    pl_context_destroy(&ctx);
}

static void random_point(uint64_t i, double reach, double p[3])
{
    for (int k = 0; k < 3; ++k)
        p[k] = reach * random_pm(11 + i, (uint64_t)k);
}

static double apart(const double a[3], const double b[3])
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

// ---- properties of all ---------------------------------------------------------------------------------------------

// By brute force, or nearly: fine triangles, searched and signed by the code for triangles, which has tests of its own.
static void compare_with_triangles(pl_context *ctx, const sample *k, const pl__shape *s)
{
    double edge = k->curve > 0 ? k->curve / 10 : 0.5;
    pl_surface *surface;
    if (!k->bounded && k->def.kind != PL_OBJECT_HEIGHT_FIELD)
    {
        CHECK_THAT(pl__shape_surface(ctx, s, edge, &surface) == PL_ERR_ARGUMENT, "%s", k->name);
        return;
    }
    CHECK_OK(ctx, pl__shape_surface(ctx, s, edge, &surface));
    pl__solid *solid;
    CHECK_OK(ctx, pl__solid_create(surface, &solid));
    CHECK_THAT(solid->open_edges == 0 && solid->side > 0, "%s: %d open edges, side %g", k->name, solid->open_edges,
               solid->side);
    bool floor = k->def.kind == PL_OBJECT_HEIGHT_FIELD; // which is not part of it
    double tolerance = 1e-12 + (k->curve > 0 ? edge * edge / k->curve / 2 : 0), n[3];
    for (uint64_t i = 0; i < 1000; ++i)
    {
        double p[3], distance;
        random_point(i, 1.2, p);
        p[1] = floor ? 0.5 * p[1] + 0.5 : p[1];
        distance = pl__shape_distance(s, p, n);
        double expected = pl__solid_distance(solid, p, NULL, NULL);
        bool exact_side = k->exact || (k->def.kind == PL_OBJECT_UNION ? distance > 0 : distance < 0);
        if (exact_side)
            CHECK_THAT(fabs(distance - expected) <= tolerance, "%s at (%g, %g, %g): %.12g, of its triangles %.12g",
                       k->name, p[0], p[1], p[2], distance, expected);
        else if (k->def.kind == PL_OBJECT_UNION) // the triangles within do not count
            CHECK_THAT((distance < 0) == (expected < 0) || fabs(distance) < tolerance,
                       "union at (%g, %g, %g): %g, of its triangles %g", p[0], p[1], p[2], distance, expected);
        else
            CHECK_THAT(fabs(distance) <= fabs(expected) + tolerance &&
                           (distance * expected >= 0 || fabs(distance) < tolerance),
                       "%s at (%g, %g, %g): %g of %g", k->name, p[0], p[1], p[2], distance, expected);
    }
    for (int32_t i = 0; i < surface->node_count; ++i)
    {
        double distance = pl__shape_distance(s, &surface->position[3 * i], n);
        bool below = floor && i >= surface->node_count / 2;
        CHECK_THAT(below || fabs(distance) <= (k->exact ? 1e-12 : tolerance) ||
                       (k->def.kind == PL_OBJECT_UNION && distance < 0),
                   "%s: vertex %d is %g off", k->name, i, distance);
    }
    pl__solid_destroy(&solid);
    pl_surface_destroy(&surface);
}

static void distance_is_that_of_its_triangles(void) { for_each(compare_with_triangles); }

// By central differences; not where a kink is near, which the second difference shows, and that is nearly nowhere.
static void compare_gradient(pl_context *ctx, const sample *k, const pl__shape *s)
{
    (void)ctx;
    int kinks = 0;
    for (uint64_t i = 0; i < 1000; ++i)
    {
        double p[3], n[3], m[3], gradient[3], h = 1e-6, bend = 0;
        random_point(i, 1.2, p);
        double d = pl__shape_distance(s, p, n);
        for (int a = 0; a < 3; ++a)
        {
            double up[3] = {p[0], p[1], p[2]}, down[3] = {p[0], p[1], p[2]};
            up[a] += h, down[a] -= h;
            double plus = pl__shape_distance(s, up, m), minus = pl__shape_distance(s, down, m);
            gradient[a] = (plus - minus) / (2 * h);
            bend = fmax(bend, fabs(plus + minus - 2 * d) / h);
        }
        kinks += bend > 1e-3;
        CHECK_THAT(bend > 1e-3 || apart(gradient, n) < 1e-3,
                   "%s at (%g, %g, %g): normal (%g, %g, %g), gradient (%g, %g, %g)", k->name, p[0], p[1], p[2], n[0],
                   n[1], n[2], gradient[0], gradient[1], gradient[2]);
    }
    CHECK_THAT(kinks <= 10, "%s: %d kinks", k->name, kinks);
}

static void normal_is_gradient(void) { for_each(compare_gradient); }

static void check_step(pl_context *ctx, const sample *k, const pl__shape *s)
{
    (void)ctx;
    for (uint64_t i = 0; i < 3000; ++i)
    {
        double p[3], q[3], n[3], step = pl__random01(5, 5, i);
        random_point(i, 1.2, p);
        random_point(i + 100000, step * step * step, q);
        for (int a = 0; a < 3; ++a)
            q[a] += p[a];
        double change = pl__shape_distance(s, q, n) - pl__shape_distance(s, p, n);
        CHECK_THAT(fabs(change) <= apart(p, q) + 1e-14, "%s changes by %g over %g", k->name, change, apart(p, q));
    }
}

// |phi(p) - phi(q)| <= |p - q|.
static void distance_changes_no_faster_than_the_point(void) { for_each(check_step); }

static void check_foot(pl_context *ctx, const sample *k, const pl__shape *s)
{
    (void)ctx;
    for (uint64_t i = 0; k->exact && i < 1000; ++i)
    {
        double p[3], n[3], m[3];
        random_point(i, 1.2, p);
        double d = pl__shape_distance(s, p, n);
        for (int a = 0; a < 3; ++a)
            p[a] -= d * n[a];
        CHECK_THAT(fabs(pl__shape_distance(s, p, m)) < 1e-12, "%s: %g off", k->name, pl__shape_distance(s, p, m));
    }
}

// p - phi n is on the surface.
static void feet_are_on_the_surface(void) { for_each(check_foot); }

// Centres, axes, edges, corners, symmetry planes, and points far away: always a unit normal, and a finite distance.
static void check_special_points(pl_context *ctx, const sample *k, const pl__shape *s)
{
    static const double scale[] = {0, 0.5, 1, 1 + 1e-15, 1e-300, 1e-9, 3, 1e9};
    double lower[3], upper[3];
    (void)ctx;
    pl__shape_bounds(s, lower, upper);
    for (int i = 0; i < 8 * 8 * 8 * 8; ++i)
    {
        double p[3], n[3];
        for (int a = 0; a < 3; ++a)
        {
            double size = isfinite(upper[a]) ? upper[a] : 1, sign = i >> (9 + a) & 1 ? -1 : 1;
            p[a] = sign * size * scale[i >> (3 * a) & 7];
        }
        double d = pl__shape_distance(s, p, n), length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        CHECK_THAT(isfinite(d) && fabs(length - 1) < 1e-12, "%s at (%g, %g, %g): distance %g, normal (%g, %g, %g)",
                   k->name, p[0], p[1], p[2], d, n[0], n[1], n[2]);
        bool outside = p[0] < lower[0] || p[1] < lower[1] || p[2] < lower[2] || p[0] > upper[0] || p[1] > upper[1] ||
                       p[2] > upper[2];
        CHECK_THAT(!outside || d > -1e-12, "%s at (%g, %g, %g): %g, outside of its bounds", k->name, p[0], p[1], p[2],
                   d);
    }
}

static void normals_are_unit_everywhere(void) { for_each(check_special_points); }

// ---- sizes
// -----------------------------------------------------------------------------------------------------------

static void scale_def(pl_object_def *d, double f)
{
    double *length[] = {&d->radius,     &d->extent[0], &d->extent[1], &d->extent[2], &d->height,
                        &d->top_radius, &d->tube,      &d->rounding,  &d->module,    &d->thickness,
                        &d->bore,       &d->rise,      &d->run,       &d->width};
    for (size_t i = 0; i < sizeof length / sizeof length[0]; ++i)
        *length[i] *= f;
}

static void compare_sizes(pl_context *ctx, const sample *k, const pl__shape *s)
{
    if (k->def.kind == PL_OBJECT_HEIGHT_FIELD || k->def.kind >= PL_OBJECT_SURFACE)
        return;
    for (int e = -7; e <= 7; e += 7)
    {
        double f = pow(10, e), p[3], q[3], n[3], m[3];
        sample scaled = *k;
        scale_def(&scaled.def, f);
        pl__shape *other;
        CHECK_OK(ctx, pl__shape_create(ctx, &scaled.def, &other));
        for (uint64_t i = 0; i < 200; ++i)
        {
            random_point(i, 1.2, p);
            for (int a = 0; a < 3; ++a)
                q[a] = f * p[a];
            CHECK_NEAR(pl__shape_distance(other, q, m) / f, pl__shape_distance(s, p, n), 1e-13);
            CHECK(apart(m, n) < 1e-8);
        }
        pl__shape_destroy(&other);
    }
}

// Ten million times as large is ten million times as far.
static void sizes_do_not_matter(void) { for_each(compare_sizes); }

// ---- single kinds
// ------------------------------------------------------------------------------------------------------

// Needles and disks, and points on their axes: the closest of many points of the surface is never nearer, and hardly
// farther.
static void ellipsoid_against_its_points(void)
{
    static const double axes[][3] = {{2, 2, 2},    {2, 1, 0.02},     {0.02, 2, 0.02},
                                     {2, 2, 0.02}, {1, 1.000001, 1}, {3, 2, 2}};
    pl_context *ctx = test_context(1);
    for (size_t a = 0; a < sizeof axes / sizeof axes[0]; ++a)
    {
        pl_object_def def = kind_of(PL_OBJECT_ELLIPSOID);
        memcpy(def.extent, axes[a], sizeof def.extent);
        pl__shape *s;
        CHECK_OK(ctx, pl__shape_create(ctx, &def, &s));
        for (uint64_t i = 0; i < 60; ++i)
        {
            double p[3], n[3], nearest = INFINITY;
            random_point(i, 1.5, p);
            for (int k = 0; k < 3; ++k) // on planes and axes of symmetry, too
                p[k] = i >> k & 8 ? 0 : p[k];
            double d = pl__shape_distance(s, p, n);
            for (int u = 0; u < 200; ++u)
                for (int v = 0; v <= 100; ++v)
                {
                    double theta = 2 * pi * u / 200, phi = pi * v / 100;
                    double q[3] = {0.5 * axes[a][0] * sin(phi) * cos(theta), 0.5 * axes[a][1] * cos(phi),
                                   0.5 * axes[a][2] * sin(phi) * sin(theta)};
                    nearest = fmin(nearest, apart(p, q));
                }
            CHECK_THAT(fabs(d) <= nearest + 1e-12 && fabs(d) > nearest - 0.04,
                       "axes %zu at (%g, %g, %g): %.12g, nearest %.12g", a, p[0], p[1], p[2], d, nearest);
        }
        pl__shape_destroy(&s);
    }
    pl_context_destroy(&ctx);
}

// Between the pitch circles of two wheels of one module: nothing is deep in both, and neither has room to turn by
// itself.
static void mesh_wheels(pl_context *ctx, int32_t teeth_a, int32_t teeth_b, double pressure_angle, double slack)
{
    pl_object_def def[2] = {kind_of(PL_OBJECT_GEAR), kind_of(PL_OBJECT_GEAR)};
    pl__shape *s[2];
    pl__object wheel[2] = {0};
    double reach = 0.5 * def->module * (teeth_a + teeth_b), worst = -1;
    for (int i = 0; i < 2; ++i)
    {
        def[i].teeth = i ? teeth_b : teeth_a;
        def[i].pressure_angle = pressure_angle;
        CHECK_OK(ctx, pl__shape_create(ctx, &def[i], &s[i]));
        wheel[i].shape = s[i];
    }
    wheel[1].at[0] = reach;
    double start = teeth_b % 2 ? 0 : 180.0 / teeth_b, middle = 0.5 * def->module * teeth_a;
    int steps = slow_tests ? 40 : 12;
    for (int step = 0; step < steps; ++step)
    {
        double turn = 360.0 / teeth_a * step / steps, a[3] = {0, 0, turn},
               b[3] = {0, 0, start - turn * teeth_a / teeth_b};
        wheel[0].turned = pl_quat_from_degrees(a), wheel[1].turned = pl_quat_from_degrees(b);
        double deepest = -1;
        for (int i = 0; i < 120 * 120; ++i)
        {
            double p[3] = {middle + def->module * 2 * (i % 120 / 60.0 - 1), def->module * 3 * (i / 120 / 60.0 - 1), 0},
                   n[3];
            deepest = fmax(deepest, -fmax(pl__object_distance(&wheel[0], p, n), pl__object_distance(&wheel[1], p, n)));
        }
        worst = fmax(worst, deepest);
    }
    CHECK_THAT(worst < 0.001 * def->module, "%d and %d teeth overlap by %g modules", teeth_a, teeth_b,
               worst / def->module);
    CHECK_THAT(worst > -slack * def->module, "%d and %d teeth never come nearer than %g modules", teeth_a, teeth_b,
               -2 * worst / def->module);
    pl__shape_destroy(&s[0]);
    pl__shape_destroy(&s[1]);
}

static void gears_mesh(void)
{
    pl_context *ctx = test_context(1);
    mesh_wheels(ctx, 12, 12, 20, 0.05);
    mesh_wheels(ctx, 12, 31, 20, 0.05);
    mesh_wheels(ctx, 3, 8, 20, 0.05);
    mesh_wheels(ctx, 5, 100, 14.5, 0.05);
    mesh_wheels(ctx, 3, 3, 10, 0.2); // undercut so much that they do not drive each other
    mesh_wheels(ctx, 7, 4, 30, 0.05);
    pl_context_destroy(&ctx);
}

// Every number of teeth gives an outline that does not cross itself: teeth have a width at each radius.
static void teeth_have_a_width(void)
{
    pl_context *ctx = test_context(1);
    for (int32_t teeth = 3; teeth <= 40; ++teeth)
        for (double angle = 10; angle <= 30; angle += 5)
        {
            pl_object_def def = kind_of(PL_OBJECT_GEAR);
            def.teeth = teeth, def.pressure_angle = angle, def.module = 1;
            pl__shape *s;
            CHECK_OK(ctx, pl__shape_create(ctx, &def, &s));
            for (int32_t i = 1; i < s->outline.walls; ++i)
                CHECK_THAT(s->outline.point[2 * i + 1] > 0.05, "%d teeth, %g degrees: point %d at (%g, %g)", teeth,
                           angle, i, s->outline.point[2 * i], s->outline.point[2 * i + 1]);
            pl__shape_destroy(&s);
        }
    pl_context_destroy(&ctx);
}

// ---- surfaces
// ------------------------------------------------------------------------------------------------------------

static pl_surface *make_ball(pl_context *ctx, double edge)
{
    pl_object_def def = kind_of(PL_OBJECT_SPHERE);
    pl__shape *s;
    pl_surface *surface;
    CHECK_OK(ctx, pl__shape_create(ctx, &def, &s));
    CHECK_OK(ctx, pl__shape_surface(ctx, s, edge, &surface));
    pl__shape_destroy(&s);
    return surface;
}

// On a grid the distance is within half a cell's diagonal of the exact one, on smooth parts far nearer; also beyond the
// grid.
static void grid_is_near(void)
{
    pl_context *ctx = test_context(1);
    pl_object_def def = kind_of(PL_OBJECT_SURFACE);
    pl_surface *ball = make_ball(ctx, 0.02);
    def.surface = ball;
    for (int pass = 0; pass < 2; ++pass)
    {
        def.cell = pass ? 0.05 : 0;
        double cell = pass ? 0.05 : 1.0 / 64;
        pl__shape *grid, *exact;
        CHECK_OK(ctx, pl__shape_create(ctx, &def, &grid));
        def.lookup = PL_LOOKUP_EXACT;
        CHECK_OK(ctx, pl__shape_create(ctx, &def, &exact));
        def.lookup = PL_LOOKUP_AUTO;
        CHECK(grid->grid.value && !exact->grid.value);
        double worst = 0;
        for (uint64_t i = 0; i < 2000; ++i)
        {
            double p[3], n[3], m[3];
            random_point(i, i % 4 ? 0.55 : 2, p);
            double r = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]), d = pl__shape_distance(grid, p, n),
                   e = pl__shape_distance(exact, p, m);
            CHECK_THAT(fabs(d - e) <= 0.87 * cell || r > 0.6, "cell %g: %g, exactly %g", cell, d, e);
            CHECK_THAT(fabs(d - e) <= 0.2 * r, "cell %g at %g: %g, exactly %g", cell, r, d, e);
            CHECK(fabs(sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) - 1) < 1e-12);
            worst = fmax(worst, fabs(r - 0.5) < 0.05 ? fabs(d - e) : 0);
        }
        CHECK_THAT(worst < 2 * cell * cell / 0.5 + 0.02 * 0.02, "cell %g: %g near the surface", cell, worst);
        pl__shape_destroy(&grid);
        pl__shape_destroy(&exact);
    }
    pl_surface_destroy(&ball);
    CHECK(pl_context_memory(ctx) == 0);
    pl_context_destroy(&ctx);
}

// The gradient of what is interpolated, not of something else: along any short way within a cell they agree.
static void grid_normal_is_gradient_of_grid(void)
{
    pl_context *ctx = test_context(1);
    pl_object_def def = kind_of(PL_OBJECT_SURFACE);
    pl_surface *cheese = make_cheese(ctx);
    def.surface = cheese, def.lookup = PL_LOOKUP_GRID, def.cell = 0.1;
    pl__shape *s;
    CHECK_OK(ctx, pl__shape_create(ctx, &def, &s));
    for (uint64_t i = 0; i < 1000; ++i)
    {
        double p[3], n[3], m[3], g[3], h = 1e-5, length = 0, bend = 0, d;
        random_point(i, 0.3, p);
        p[0] += 0.4, p[1] += 0.2, p[2] += 0.3;
        d = pl__shape_distance(s, p, n);
        for (int a = 0; a < 3; ++a)
        {
            double up[3] = {p[0], p[1], p[2]}, down[3] = {p[0], p[1], p[2]};
            up[a] += h, down[a] -= h;
            double plus = pl__shape_distance(s, up, m), minus = pl__shape_distance(s, down, m);
            g[a] = (plus - minus) / (2 * h);
            bend = fmax(bend, fabs(plus + minus - 2 * d) / h); // linear along each axis of a cell
            length += g[a] * g[a];
        }
        for (int a = 0; a < 3; ++a)
            g[a] /= sqrt(length);
        CHECK(bend > 1e-9 || apart(g, n) < 1e-8 || length < 1e-6);
    }
    pl__shape_destroy(&s);
    pl_surface_destroy(&cheese);
    pl_context_destroy(&ctx);
}

// The same lattice whoever samples it.
static void grid_has_the_same_bits_for_any_threads(void)
{
    pl__shape *s[2];
    pl_context *ctx[2] = {test_context(1), test_context(3)};
    for (int i = 0; i < 2; ++i)
    {
        pl_object_def def = kind_of(PL_OBJECT_SURFACE);
        pl_surface *ball = make_ball(ctx[i], 0.05);
        def.surface = ball, def.lookup = PL_LOOKUP_GRID, def.cell = 0.04;
        CHECK_OK(ctx[i], pl__shape_create(ctx[i], &def, &s[i]));
        pl_surface_destroy(&ball);
    }
    const pl__distance_grid *a = &s[0]->grid, *b = &s[1]->grid;
    CHECK(memcmp(a->size, b->size, sizeof a->size) == 0);
    CHECK(memcmp(a->value, b->value, (size_t)(a->size[0] * a->size[1] * a->size[2]) * sizeof *a->value) == 0);
    for (int i = 0; i < 2; ++i)
    {
        pl__shape_destroy(&s[i]);
        pl_context_destroy(&ctx[i]);
    }
}

// ---- parts
// -----------------------------------------------------------------------------------------------------------------

// A union with itself, and with nothing else, is the thing itself; A without (A without B) is A and B; moved parts are
// moved.
static void parts_obey_the_laws_of_sets(void)
{
    pl_context *ctx = test_context(1);
    wedge_of_cheese = make_cheese(ctx);
    sample list[KINDS];
    make_samples(list);
    pl_object_def same[2] = {list[8].def, list[8].def}, without[2] = {cup[0], kind_of(PL_OBJECT_DIFFERENCE)},
                  moved = list[6].def;
    pl_object_def twice = kind_of(PL_OBJECT_UNION), both = kind_of(PL_OBJECT_DIFFERENCE),
                  shift = kind_of(PL_OBJECT_UNION);
    without[1].part = cup, without[1].part_count = 2;
    set3(moved.at, 1, 2, 3);
    set3(moved.rotate, 0, 90, 0);
    twice.part = same, twice.part_count = 2;
    both.part = without, both.part_count = 2;
    shift.part = &moved, shift.part_count = 1;
    pl__shape *s[7];
    const pl_object_def *defs[7] = {&same[0], &twice, &cup[0], &cup[1], &both, &list[6].def, &shift};
    for (int i = 0; i < 7; ++i)
        CHECK_OK(ctx, pl__shape_create(ctx, defs[i], &s[i]));
    for (uint64_t i = 0; i < 1000; ++i)
    {
        double p[3], n[3], m[3];
        random_point(i, 1, p);
        double d = pl__shape_distance(s[0], p, n), e = pl__shape_distance(s[1], p, m);
        CHECK(fabs(d - e) < 1e-15 && apart(n, m) < 1e-15);
        double q[3] = {p[0] - cup[1].at[0], p[1] - cup[1].at[1], p[2] - cup[1].at[2]};
        double intersection = fmax(pl__shape_distance(s[2], p, n), pl__shape_distance(s[3], q, n));
        CHECK((pl__shape_distance(s[4], p, n) < 0) == (intersection < 0));
        double at[3] = {1 + p[2], 2 + p[1], 3 - p[0]}; // a quarter turn about y takes x to -z and z to x
        d = pl__shape_distance(s[5], p, n);
        CHECK_NEAR(pl__shape_distance(s[6], at, m), d, 1e-14);
        CHECK_NEAR(m[0], n[2], 1e-13);
        CHECK_NEAR(m[2], -n[0], 1e-13);
    }
    for (int i = 0; i < 7; ++i)
        pl__shape_destroy(&s[i]);
    pl_surface_destroy(&wedge_of_cheese);
    pl_context_destroy(&ctx);
}

// What differences keep of sharp edges: the corners of a block with a bite out of one side are nodes of its surface,
// nearly.
static void traced_surfaces_keep_corners(void)
{
    pl_context *ctx = test_context(1);
    make_parts();
    pl_object_def def = kind_of(PL_OBJECT_DIFFERENCE);
    def.part = cup, def.part_count = 2;
    pl__shape *s;
    pl_surface *surface;
    CHECK_OK(ctx, pl__shape_create(ctx, &def, &s));
    CHECK_OK(ctx, pl__shape_surface(ctx, s, 0.06, &surface));
    for (int corner = 0; corner < 8; ++corner)
    {
        double at[3] = {corner & 1 ? 0.5 : -0.5, corner & 2 ? 0.5 : -0.5, corner & 4 ? 0.5 : -0.5}, nearest = 1;
        for (int32_t i = 0; i < surface->node_count; ++i)
            nearest = fmin(nearest, apart(at, &surface->position[3 * i]));
        CHECK_THAT(nearest < 0.003, "corner %d: %g", corner, nearest);
    }
    pl_surface_destroy(&surface);
    CHECK(pl__shape_surface(ctx, s, 1e-5, &surface) == PL_ERR_ARGUMENT &&
          strstr(pl_context_error(ctx), "edge: 1e-05 m"));
    pl__shape_destroy(&s);
    pl_context_destroy(&ctx);
}

// ---- in a world
// --------------------------------------------------------------------------------------------------------------

// A soft cube falls onto a tilted, turning object of each kind: no node ends a step inside.
static void drop_onto(pl_context *ctx, const sample *k, const pl__shape *s)
{
    (void)ctx;
    (void)s;
    fixture_def def = fixture_default();
    pl_object_def object = k->def;
    set3(object.rotate, 10, 20, 30);
    set3(object.spin, 0, 40, 0);
    object.friction = 0.8;
    def.object = &object;
    def.gravity[1] = -9.81;
    def.shape.edge = 0.25;
    set3(def.shape.extent, 0.5, 0.5, 0.5);
    set3(def.body.at, 0.1, 1.3, 0.05);
    def.body.velocity[1] = -2;
    fixture f = fixture_make(&def);
    double worst = 0, n[3];
    for (int frame = 0; frame < 12; ++frame)
    {
        fixture_step(&f, 1.0 / 24);
        for (int32_t i = 0; i < f.world->solids.node_count; ++i)
            worst = fmin(worst,
                         pl__object_distance(&f.world->objects.object[0], &f.world->solids.state.x[3 * (size_t)i], n));
    }
    CHECK_THAT(worst > -1e-9, "%s: %g inside", k->name, worst);
    fixture_done(&f);
}

static void nothing_falls_through(void) { for_each(drop_onto); }

// ---- definitions
// -----------------------------------------------------------------------------------------------------------

static void refused(pl_scene *scene, pl_context *ctx, const pl_object_def *def, const char *sentence)
{
    CHECK_THAT(pl_scene_add_object(scene, "thing", def, NULL) == PL_ERR_ARGUMENT, "%s was not refused", sentence);
    CHECK_THAT(strcmp(pl_context_error(ctx), sentence) == 0, "\"%s\" instead of \"%s\"", pl_context_error(ctx),
               sentence);
}

#define REFUSED(kind_, change, sentence)                                                                               \
    do                                                                                                                 \
    {                                                                                                                  \
        pl_object_def d = kind_of(kind_);                                                                              \
        change;                                                                                                        \
        refused(scene, ctx, &d, "objects.thing." sentence);                                                            \
    } while (0)

// Each field that a kind needs, one too far.
static void definitions_are_checked(void)
{
    pl_context *ctx = test_context(1);
    pl_scene *scene;
    CHECK_OK(ctx, pl_scene_create(ctx, &scene));
    static const double open_x[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    static const int32_t open_t[3] = {0, 1, 2};
    double heights[4] = {0, 0, 2e9, 0};
    pl_surface *open, *cheese = make_cheese(ctx);
    CHECK_OK(ctx, pl_surface_create(ctx, open_x, 3, open_t, 1, &open));
    pl_object_def part = kind_of(PL_OBJECT_TORUS), bare = {.kind = PL_OBJECT_SPHERE, .radius = 1},
                  endless = kind_of(PL_OBJECT_UNION);
    part.tube = 0.5;
    endless.part = &endless, endless.part_count = 1;
    REFUSED(99, (void)0, "kind: 99 is not a pl_object_kind");
    REFUSED(PL_OBJECT_PLANE, d.normal[1] = 0, "normal: (0, 0, 0) must be finite and not zero");
    REFUSED(PL_OBJECT_SPHERE, d.radius = -1, "radius: -1 must be in [1e-9, 1e9] m");
    REFUSED(PL_OBJECT_WEDGE, d.angle = 360, "angle: 360 must be in [1, 359] degrees");
    REFUSED(PL_OBJECT_BOX, d.extent[2] = 0, "extent: (1, 1, 0) must be in [1e-9, 1e9] m");
    REFUSED(PL_OBJECT_BOX, d.rounding = 0.51, "rounding: 0.51 m must be in [0, 0.5], at most half the smallest extent");
    REFUSED(PL_OBJECT_ELLIPSOID, d.extent[0] = NAN, "extent: (nan, 1, 1) must be in [1e-9, 1e9] m");
    REFUSED(PL_OBJECT_CAPSULE, d.height = 0.9,
            "height: 0.9 m must be at least twice the radius of 0.5 m, from tip to tip");
    REFUSED(PL_OBJECT_CYLINDER, d.radius = 1e10, "radius: 1e10 must be in [1e-9, 1e9] m");
    REFUSED(PL_OBJECT_CONE, d.top_radius = 1e-12, "top_radius: 1e-12 m must be 0 or in [1e-9, 1e9]");
    REFUSED(PL_OBJECT_TORUS, d.tube = 0.5, "tube: 0.5 m must be below the radius of 0.5 m");
    REFUSED(PL_OBJECT_GEAR, d.teeth = 2, "teeth: 2 must be in [3, 1000]");
    REFUSED(PL_OBJECT_GEAR, d.module = 0, "module: 0 must be in [1e-9, 1e9] m");
    REFUSED(PL_OBJECT_GEAR, d.pressure_angle = 31, "pressure_angle: 31 must be in [10, 30] degrees");
    REFUSED(PL_OBJECT_GEAR, d.bore = 0.49,
            "bore: 0.49 m must be 0 or in [1e-9, 0.477963], which leaves a rim below the teeth");
    REFUSED(PL_OBJECT_STAIRS, d.steps = 0, "steps: 0 must be in [1, 1000]");
    REFUSED(PL_OBJECT_STAIRS, d.width = -1, "width: -1 must be in [1e-9, 1e9] m");
    REFUSED(PL_OBJECT_HEIGHT_FIELD, d.rows = 1, "heights: 1 rows of 0 must be at least 2 of 2");
    REFUSED(PL_OBJECT_HEIGHT_FIELD, d.rows = d.columns = 2, "heights: is NULL");
    REFUSED(PL_OBJECT_HEIGHT_FIELD, (d.rows = d.columns = 2, d.heights = heights),
            "heights[1][0]: 2e+09 m must be within 1e9");
    REFUSED(PL_OBJECT_SURFACE, (void)0, "surface: is NULL; make one with pl_surface_create or pl_surface_load");
    REFUSED(PL_OBJECT_SURFACE, d.surface = open,
            "surface: is open: 3 edges belong to one triangle only; close its holes");
    REFUSED(PL_OBJECT_SURFACE, (d.surface = cheese, d.cell = 2),
            "cell: 2 m must be 0 or in [0.00390625, 1], 1/256 of its longest side to all of it");
    REFUSED(PL_OBJECT_SURFACE, (d.surface = cheese, d.lookup = 5), "lookup: 5 is not a pl_object_lookup");
    REFUSED(PL_OBJECT_UNION, (void)0, "part: a union or difference needs at least one part");
    REFUSED(PL_OBJECT_UNION, (d.part = &part, d.part_count = 1),
            "part[0].tube: 0.5 m must be below the radius of 0.5 m");
    REFUSED(PL_OBJECT_UNION, (d.part = &bare, d.part_count = 1), "part[0]: start from pl_object_def_default()");
    pl_object_def d = kind_of(PL_OBJECT_UNION);
    d.part = &endless, d.part_count = 1;
    CHECK(pl_scene_add_object(scene, "thing", &d, NULL) == PL_ERR_ARGUMENT &&
          strstr(pl_context_error(ctx), "to a depth of more than 8"));
    pl_surface_destroy(&open);
    pl_surface_destroy(&cheese);
    pl_scene_destroy(&scene);
    CHECK(pl_context_memory(ctx) == 0);
    pl_context_destroy(&ctx);
}

// A scene and its worlds keep what they were given, whatever becomes of it; and give it back.
static void definitions_are_copied(void)
{
    pl_context *ctx = test_context(1);
    pl_scene *scene;
    pl_world *world;
    CHECK_OK(ctx, pl_scene_create(ctx, &scene));
    make_parts();
    pl_surface *cheese = make_cheese(ctx);
    pl_object_def def[3] = {kind_of(PL_OBJECT_UNION), kind_of(PL_OBJECT_HEIGHT_FIELD), kind_of(PL_OBJECT_SURFACE)},
                  state;
    pl_object_def parts[2] = {cross[0], cross[1]};
    double heights[4] = {1, 2, 3, 4};
    def[0].part = parts, def[0].part_count = 2;
    def[1].heights = heights, def[1].rows = def[1].columns = 2;
    def[2].surface = cheese;
    for (int i = 0; i < 3; ++i)
        CHECK_OK(ctx, pl_scene_add_object(scene, i == 0 ? "a" : i == 1 ? "b" : "c", &def[i], NULL));
    memset(parts, 0, sizeof parts);
    memset(heights, 0, sizeof heights);
    pl_surface_destroy(&cheese);
    pl_shape_def box = pl_shape_def_default();
    pl_material_def rubber = pl_material_def_default();
    pl_body_def body = pl_body_def_default();
    pl_mesh *mesh;
    box.edge = 0.5;
    CHECK_OK(ctx, pl_mesh_create_shape(ctx, &box, &mesh));
    CHECK_OK(ctx, pl_scene_add_material(scene, "rubber", &rubber, &body.material));
    body.mesh = mesh, body.at[1] = 9;
    CHECK_OK(ctx, pl_scene_add_body(scene, "cube", &body, NULL));
    pl_mesh_destroy(&mesh);
    CHECK_OK(ctx, pl_world_create(scene, &world));
    pl_scene_destroy(&scene);
    CHECK_OK(ctx, pl_object_read(world, (pl_object_id){1}, &state));
    CHECK(state.kind == PL_OBJECT_UNION && state.part_count == 2 && state.part[0].extent[0] == 1.5 &&
          state.part[1].radius == 0.2);
    CHECK_OK(ctx, pl_object_read(world, (pl_object_id){2}, &state));
    CHECK(state.rows == 2 && state.heights[3] == 4);
    CHECK_OK(ctx, pl_object_read(world, (pl_object_id){3}, &state));
    CHECK(pl_surface_triangle_count(state.surface) == 8);
    pl_world_destroy(&world);
    CHECK(pl_context_memory(ctx) == 0);
    pl_context_destroy(&ctx);
}

static pl_status make_everything(pl_context *ctx)
{
    sample list[KINDS];
    pl_surface *surface = NULL;
    make_parts();
    static const double x[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const int32_t t[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    PL_TRY(pl_surface_create(ctx, x, 4, t, 4, &wedge_of_cheese));
    make_samples(list);
    list[17].def.lookup = PL_LOOKUP_GRID, list[17].def.cell = 0.5;
    pl_status status = PL_OK;
    for (int i = 0; status == PL_OK && i < KINDS; ++i)
    {
        pl__shape *s = NULL;
        status = pl__shape_create(ctx, &list[i].def, &s);
        if (status == PL_OK && list[i].bounded)
            status = pl__shape_surface(ctx, s, 0.5, &surface);
        pl_surface_destroy(&surface);
        pl__shape_destroy(&s);
    }
    pl_surface_destroy(&wedge_of_cheese);
    return status;
}

static void every_failed_allocation_is_survived(void) { CHECK(survive_every_failure(make_everything) > 100); }

int main(int argc, char **argv)
{
    static const pl_test tests[] = {TEST(distance_is_that_of_its_triangles),
                                    TEST(normal_is_gradient),
                                    TEST(distance_changes_no_faster_than_the_point),
                                    TEST(feet_are_on_the_surface),
                                    TEST(normals_are_unit_everywhere),
                                    TEST(sizes_do_not_matter),
                                    TEST(ellipsoid_against_its_points),
                                    TEST(gears_mesh),
                                    TEST(teeth_have_a_width),
                                    TEST(grid_is_near),
                                    TEST(grid_normal_is_gradient_of_grid),
                                    TEST(grid_has_the_same_bits_for_any_threads),
                                    TEST(parts_obey_the_laws_of_sets),
                                    TEST(traced_surfaces_keep_corners),
                                    TEST(nothing_falls_through),
                                    TEST(definitions_are_checked),
                                    TEST(definitions_are_copied),
                                    TEST(every_failed_allocation_is_survived)};
    return RUN(tests);
}

// tests/boundary.c -- solids in the grid of a liquid: areas, volumes and forces in closed form, tall runs and skipped
// rows against one row after the other, walls that nothing gets through.
#include "fluid/boundary.h"
#include "fluid/wetted.h"
#include "host.h"
#include "random_input.h"
#include <pliant/pliant.h>

#define MUST(call)                                                                                                     \
    do                                                                                                                 \
    {                                                                                                                  \
        if ((call) != PL_OK)                                                                                           \
            abort();                                                                                                   \
    } while (0)

static const double pi = 3.141592653589793;
static const bool all_open[6];
static uint64_t key;
static double random01(void) { return pl__random01(5, 9, key++); }
static double random_in(double a, double b) { return a + (b - a) * random01(); }
static int32_t random_int(int32_t n) { return (int32_t)(random01() * n); }

// ---- objects ---------------------------------------------------------------------------------------------------

enum
{
    MOST = 100,
    ROWS = 6,
    COLUMNS = 7
};

// Some objects, with shapes of their own.
typedef struct group
{
    pl__object object[MOST];
    pl__shape *shape[MOST];
    pl__obstacles all;
} group;

static pl_object_def kind_of(pl_object_kind kind)
{
    pl_object_def def = pl_object_def_default();
    def.kind = kind;
    return def;
}

static void set3(double to[3], double x, double y, double z) { to[0] = x, to[1] = y, to[2] = z; }

static pl__object *add(pl_context *ctx, group *g, const pl_object_def *def)
{
    int32_t n = g->all.count++;
    g->all.object = g->object;
    MUST(pl__shape_create(ctx, def, &g->shape[n]));
    pl__object *o = &g->object[n];
    *o = (pl__object){.shape = g->shape[n], .turned = pl_quat_from_degrees(def->rotate)};
    memcpy(o->at, def->at, sizeof o->at);
    memcpy(o->before, o->at, sizeof o->before);
    o->turned_before = o->turned;
    pl__object_place(o);
    return o;
}

static void move(pl__object *o, const double velocity[3], const double angular[3], double dt)
{
    memcpy(o->velocity, velocity, sizeof o->velocity);
    memcpy(o->angular, angular, sizeof o->angular);
    pl__object_move(o, dt);
    pl__object_place(o);
}

static void group_done(group *g)
{
    for (int32_t n = 0; n < g->all.count; ++n)
        pl__shape_destroy(&g->shape[n]);
    *g = (group){0};
}

static pl_surface *make_tetrahedron(pl_context *ctx)
{
    static const double x[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const int32_t t[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    pl_surface *s;
    MUST(pl_surface_create(ctx, x, 4, t, 4, &s));
    return s;
}

enum
{
    PLANE,
    SPHERE,
    BOX,
    TORUS,
    TERRAIN,
    MESH,
    SAMPLED_MESH,
    CUP,
    KINDS
};

// One of each kind, about the unit cube.
static void add_kind(pl_context *ctx, group *g, int kind)
{
    static const pl_object_kind kinds[KINDS] = {PL_OBJECT_PLANE,   PL_OBJECT_SPHERE,       PL_OBJECT_BOX,
                                                PL_OBJECT_TORUS,   PL_OBJECT_HEIGHT_FIELD, PL_OBJECT_SURFACE,
                                                PL_OBJECT_SURFACE, PL_OBJECT_DIFFERENCE};
    pl_object_def def = kind_of(kinds[kind]), part[2];
    double hill[ROWS * COLUMNS];
    pl_surface *mesh = make_tetrahedron(ctx);
    for (int i = 0; i < ROWS * COLUMNS; ++i)
        hill[i] = random_in(-0.2, 0.2);
    for (int i = 0; i < 3; ++i)
    {
        def.at[i] = random_in(0.3, 0.7);
        def.rotate[i] = kind == TERRAIN ? 0 : random_in(-180, 180);
        def.normal[i] = random_in(-1, 1);
    }
    def.radius = 0.3, def.tube = 0.12;
    set3(def.extent, 0.5, 0.3, 0.6);
    if (kind == TERRAIN)
        def.rows = ROWS, def.columns = COLUMNS, def.heights = hill, set3(def.extent, 1.5, 0, 1.5);
    if (kind == MESH || kind == SAMPLED_MESH)
    {
        set3(def.at, 0.1, 0.2, 0.15), set3(def.rotate, 10, 20, 5);
        def.surface = mesh, def.lookup = kind == MESH ? PL_LOOKUP_EXACT : PL_LOOKUP_GRID, def.cell = 0.03;
    }
    part[0] = kind_of(PL_OBJECT_BOX), part[1] = kind_of(PL_OBJECT_BOX);
    set3(part[0].extent, 0.6, 0.5, 0.6), set3(part[1].extent, 0.5, 0.5, 0.5), part[1].at[1] = 0.06;
    def.part = part, def.part_count = 2;
    add(ctx, g, &def);
    pl_surface_destroy(&mesh);
}

static double nearest_distance(const pl__obstacles *all, const double x[3])
{
    double least = INFINITY, n[3];
    for (int32_t i = 0; i < all->count; ++i)
        least = fmin(least, pl__object_distance(&all->object[i], x, n));
    return least;
}

// ---- grids -----------------------------------------------------------------------------------------------------

typedef struct setting
{
    pl_context *ctx;
    pl__grid grid;
    pl__boundary b;
} setting;

static setting full_setting(pl_context *ctx, int32_t nx, int32_t ny, int32_t nz, double h)
{
    setting s = {.ctx = ctx};
    int32_t n[3] = {nx, ny, nz};
    double origin[3] = {0, 0, 0};
    MUST(pl__grid_make_full(ctx, &s.grid, n, origin, h));
    return s;
}

// Columns of runs of random lengths, uniform and tall.
static setting random_setting(pl_context *ctx, int32_t nx, int32_t ny, int32_t nz, double h)
{
    setting s = {.ctx = ctx};
    int32_t n[3] = {nx, ny, nz};
    double center[3] = {0.5 * h, 0.5 * h, 0.5 * h};
    MUST(pl__columns_begin(ctx, &s.grid.cell, n, center, h));
    for (int32_t column = 0; column < nx * nz; ++column)
    {
        for (int32_t j = random_int(3); j < ny; j += random_int(3))
        {
            int32_t length = 1 + random_int(random_int(3) ? 5 : 30), j1 = j + length <= ny ? j + length - 1 : ny - 1;
            MUST(pl__columns_add(ctx, &s.grid.cell, j, j1, random_int(2) ? PL__RUN_UNIFORM : PL__RUN_LINEAR));
            j = j1 + 1;
        }
        pl__columns_end_column(&s.grid.cell);
    }
    MUST(pl__grid_make_faces(ctx, &s.grid));
    return s;
}

static void setting_done(setting *s)
{
    pl__boundary_done(s->ctx, &s->b);
    pl__grid_done(s->ctx, &s->grid);
}

static void update(setting *s, const group *g)
{
    MUST(pl__boundary_update(s->ctx, &s->b, &s->grid, &g->all, all_open));
}

// The number of face (i, j, k).
static int32_t face_at(const setting *s, int axis, int32_t i, int32_t j, int32_t k)
{
    const pl__columns *f = &s->grid.face[axis];
    return pl__columns_uniform(f, i + f->nx * k, j);
}

static double open_at(const setting *s, int axis, int32_t i, int32_t j, int32_t k)
{
    return s->b.open[axis][face_at(s, axis, i, j, k)];
}

// Minus the sum of w h^2 n over the faces of a cell: the area vector of the solid in it.
static double solid_area(const setting *s, int32_t i, int32_t j, int32_t k, double area[3])
{
    double h = s->grid.cell.h, least = 1;
    for (int a = 0; a < 3; ++a)
    {
        double low = open_at(s, a, i, j, k), high = open_at(s, a, i + (a == 0), j + (a == 1), k + (a == 2));
        area[a] = h * h * (low - high);
        least = fmin(least, fmin(low, high));
    }
    return least;
}

// ---- fractions -------------------------------------------------------------------------------------------------

// The area of the plane (x - c).n = 0 in a cube: a large square, cut by the six sides.
static double plane_area(const double n[3], const double c[3], const double low[3], double h)
{
    double v[2][20][3];
    int count = 4, now = 0;
    pl_vec3 normal = pl_make3(n[0], n[1], n[2]), u = pl_perpendicular3(normal), w = pl_cross3(normal, u);
    for (int q = 0; q < 4; ++q)
        for (int i = 0; i < 3; ++i)
            v[0][q][i] = c[i] + 10 * ((q == 0 || q == 3 ? 1 : -1) * u.v[i] + (q < 2 ? 1 : -1) * w.v[i]);
    for (int side = 0; side < 6; ++side)
    {
        int a = side / 2, next = 0;
        double sign = side % 2 ? -1 : 1, at = low[a] + (side % 2 ? h : 0);
        for (int q = 0; q < count; ++q)
        {
            const double *p = v[now][q], *r = v[now][(q + 1) % count];
            double d = sign * (p[a] - at), e = sign * (r[a] - at);
            if (d >= 0)
                memcpy(v[1 - now][next++], p, 3 * sizeof *p);
            for (int i = 0; (d >= 0) != (e >= 0) && i < 3; ++i)
                v[1 - now][next][i] = p[i] + d / (d - e) * (r[i] - p[i]);
            next += (d >= 0) != (e >= 0);
        }
        now = 1 - now, count = next;
    }
    double sum[3] = {0};
    for (int q = 0; q < count; ++q)
        for (int i = 0; i < 3; ++i)
        {
            const double *p = v[now][q], *r = v[now][(q + 1) % count];
            sum[i] += 0.5 * ((p[(i + 1) % 3] - c[(i + 1) % 3]) * (r[(i + 2) % 3] - c[(i + 2) % 3]) -
                             (p[(i + 2) % 3] - c[(i + 2) % 3]) * (r[(i + 1) % 3] - c[(i + 1) % 3]));
        }
    return sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
}

// A plane in any direction: the fluxes of each cell close with the area of the plane in it, exactly but where a face
// is open by less than 1/100.
static void fluxes_close_around_planes(void)
{
    pl_context *ctx = test_context(1);
    setting s = full_setting(ctx, 6, 6, 6, 1. / 6);
    double h = s.grid.cell.h;
    int exact = 0;
    for (int trial = 0; trial < 40; ++trial)
    {
        group g = {0};
        add_kind(ctx, &g, PLANE);
        const pl__object *o = &g.object[0];
        double n[3], d = pl__object_distance(o, o->at, n), area[3];
        CHECK_NEAR(d, 0, 1e-15);
        update(&s, &g);
        for (int32_t cell = 0; cell < 216; ++cell)
        {
            int32_t i = cell % 6, j = cell / 6 % 6, k = cell / 36;
            double low[3] = {h * i, h * j, h * k}, expected = plane_area(n, o->at, low, h);
            double least = solid_area(&s, i, j, k, area), tolerance = least > 0 ? 1e-13 : 0.01 * h * h;
            exact += least > 0 && least < 1;
            for (int a = 0; a < 3; ++a)
                CHECK_NEAR(area[a], -expected * n[a], tolerance);
        }
        group_done(&g);
    }
    CHECK(exact > 500);
    setting_done(&s);
    pl_context_destroy(&ctx);
}

// Area of a sphere by all cells, volume by the closed faces along each axis.
static void measure_sphere(pl_context *ctx, int32_t n, double *area, double volume[3])
{
    setting s = full_setting(ctx, n, n, n, 1. / n);
    group g = {0};
    pl_object_def def = kind_of(PL_OBJECT_SPHERE);
    def.radius = 0.4;
    set3(def.at, 0.5071, 0.4933, 0.5017);
    add(ctx, &g, &def);
    update(&s, &g);
    double h = s.grid.cell.h, a[3];
    *area = volume[0] = volume[1] = volume[2] = 0;
    for (int32_t cell = 0; cell < n * n * n; ++cell)
    {
        int32_t i = cell % n, j = cell / n % n, k = cell / n / n;
        solid_area(&s, i, j, k, a);
        *area += sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
        for (int axis = 0; axis < 3; ++axis)
            volume[axis] += h * h * h * (1 - open_at(&s, axis, i, j, k));
    }
    group_done(&g);
    setting_done(&s);
}

static void spheres_have_their_area_and_volume(void)
{
    pl_context *ctx = test_context(1);
    double r = 0.4, error[3][4];
    int32_t n[3] = {12, 24, 48};
    for (int level = 0; level < 3; ++level)
    {
        double area, volume[3];
        measure_sphere(ctx, n[level], &area, volume);
        error[level][3] = fabs(area / (4 * pi * r * r) - 1);
        for (int axis = 0; axis < 3; ++axis)
            error[level][axis] = fabs(volume[axis] / (4 * pi * r * r * r / 3) - 1);
    }
    for (int q = 0; q < 4; ++q)
    {
        // chords of length c cut c^3 / (12 r) off each face: a volume of (h / r)^2 times a number of order 1/4
        CHECK_THAT(error[1][q] < 0.25 / 9.6 / 9.6 * 4, "%g", error[1][q]);
        double order = 0.5 * log2(error[0][q] / error[2][q]);
        CHECK_THAT(order > 1.6, "order %g: %g %g %g", order, error[0][q], error[1][q], error[2][q]);
    }
    pl_context_destroy(&ctx);
}

// Fractions of a circle, by integrating over strips of each face.
static void sphere_faces_are_circles(void)
{
    pl_context *ctx = test_context(1);
    int32_t n = 20;
    setting s = full_setting(ctx, n, n, n, 1. / n);
    group g = {0};
    pl_object_def def = kind_of(PL_OBJECT_SPHERE);
    def.radius = 0.35;
    set3(def.at, 0.5, 0.47, 0.52);
    add(ctx, &g, &def);
    update(&s, &g);
    double h = s.grid.cell.h;
    for (int32_t f = 0; f < n * n * n; ++f)
    {
        int32_t i = f % n, j = f / n % n, k = f / n / n;
        double x = h * i - def.at[0], y = h * j - def.at[1], z = h * k - def.at[2], inside = 0;
        double rr = def.radius * def.radius - x * x, strips = 200;
        if (rr < 4 * h * h) // small circles are badly drawn by chords
            continue;
        for (int q = 0; q < strips; ++q)
        {
            double zz = z + (q + 0.5) * h / strips, half = rr > zz * zz ? sqrt(rr - zz * zz) : 0;
            inside += fmax(0, fmin(y + h, half) - fmax(y, -half)) / strips / h;
        }
        // a chord of length c <= sqrt(2) h cuts off c^3 / (12 r)
        CHECK_NEAR(open_at(&s, 0, i, j, k), 1 - inside, 2.83 * h / (12 * sqrt(rr)) + 0.011);
    }
    group_done(&g);
    setting_done(&s);
    pl_context_destroy(&ctx);
}

// Between a floor and what is lifted off it by less than a cell faces are open by the gap, and where two objects
// overlap the common part counts once.
static void gaps_between_objects_are_open(void)
{
    pl_context *ctx = test_context(1);
    double h = 1. / 8;
    for (int k = 0; k < 9; ++k)
    {
        setting s = full_setting(ctx, 8, 8, 8, h);
        group g = {0};
        double gap = (0.1 * k - 0.2) * h;
        pl_object_def floor = kind_of(PL_OBJECT_PLANE), lid = kind_of(PL_OBJECT_BOX);
        set3(floor.normal, 0, 1, 0);
        set3(floor.at, 0, 2 * h, 0);
        set3(lid.extent, 2, 3 * h, 2);
        set3(lid.at, 4 * h, 2 * h + gap + 1.5 * h, 4 * h);
        add(ctx, &g, &floor);
        add(ctx, &g, &lid);
        update(&s, &g);
        CHECK_NEAR(open_at(&s, 0, 4, 2, 4), gap > 0.01 * h ? gap / h : 0, 1e-12);
        CHECK_NEAR(open_at(&s, 2, 4, 2, 4), gap > 0.01 * h ? gap / h : 0, 1e-12);
        group_done(&g);
        setting_done(&s);
    }
    pl_context_destroy(&ctx);
}

// Two balls that reach over opposite corners of a face close the sum of their parts, also where they nearly meet.
static void opposite_corners_add_up(void)
{
    pl_context *ctx = test_context(1);
    for (int meet = 0; meet < 2; ++meet)
    {
        setting s = full_setting(ctx, 8, 8, 8, 1. / 8);
        group g = {0};
        double h = 1. / 8, r = 2 * h, depth = (meet ? 0.6 : 0.2) * h;
        for (int side = 0; side < 2; ++side) // of face (4, 4, 4) along x
        {
            pl_object_def def = kind_of(PL_OBJECT_SPHERE);
            double out = (side ? 0.5 * h : -0.5 * h) + (side ? 1 : -1) * (r - depth) / sqrt(2.);
            def.radius = r;
            set3(def.at, 4 * h, 4.5 * h + out, 4.5 * h + out);
            add(ctx, &g, &def);
        }
        update(&s, &g);
        // edges are cut at t, where the distance to the ball from a corner at -depth changes sign
        double away = sqrt(pow((r - depth) / sqrt(2.), 2) + pow((r - depth) / sqrt(2.) + h, 2)) - r;
        double t = depth / (depth + away), w = 1 - t * t;
        CHECK_NEAR(open_at(&s, 0, 4, 4, 4), w, 1e-12);
        group_done(&g);
        setting_done(&s);
    }
    pl_context_destroy(&ctx);
}

// ---- tall runs -------------------------------------------------------------------------------------------------

// Moments of tall runs are sums over their rows; rows that are stored in both are the same, bit by bit.
static void compare_runs(const setting *tall, const setting *dense, bool owners)
{
    for (int axis = 0; axis < 3; ++axis)
    {
        const pl__columns *f = &tall->grid.face[axis];
        for (int32_t column = 0; column < f->nx * f->nz; ++column)
            for (size_t r = f->start[column]; r < f->start[column + 1]; ++r)
            {
                const pl__run *run = &f->run[r];
                double sum[5] = {0}, middle = pl__run_middle(run), n = pl__run_rows(run);
                for (int32_t j = run->j0; j <= run->j1; ++j)
                {
                    int32_t d = face_at(dense, axis, column % f->nx, j, column / f->nx);
                    double w = dense->b.open[axis][d], us = dense->b.speed[axis][d], m = j - middle;
                    sum[0] += w, sum[1] += w * m, sum[2] += w * m * m, sum[3] += (1 - w) * us,
                        sum[4] += (1 - w) * us * m;
                    int32_t t = run->first + j - run->j0;
                    if (run->kind == PL__RUN_UNIFORM)
                        CHECK(tall->b.open[axis][t] == w && tall->b.speed[axis][t] == us &&
                              (!owners || tall->b.owner[axis][t] == dense->b.owner[axis][d]));
                }
                const pl__open_moments *m = &tall->b.moment[axis][r];
                if (run->kind == PL__RUN_UNIFORM)
                    continue;
                CHECK_NEAR(m->s0, sum[0], 1e-12 * n);
                CHECK_NEAR(m->s1, sum[1], 1e-12 * n * n);
                CHECK_NEAR(m->s2, sum[2], 1e-12 * n * n * n);
                CHECK_NEAR(m->f0, sum[3], 1e-12 * n);
                CHECK_NEAR(m->f1, sum[4], 1e-12 * n * n);
            }
    }
}

static void moments_are_sums_over_rows(void)
{
    pl_context *ctx = test_context(1);
    setting dense = full_setting(ctx, 7, 60, 6, 1. / 12);
    for (int trial = 0; trial < 2 * KINDS; ++trial)
    {
        setting tall = random_setting(ctx, 7, 60, 6, 1. / 12);
        group g = {0};
        add_kind(ctx, &g, trial % KINDS);
        if (trial >= KINDS)
            add_kind(ctx, &g, SPHERE);
        update(&tall, &g);
        update(&dense, &g);
        compare_runs(&tall, &dense, trial < KINDS); // where two overlap, rows belong to either
        group_done(&g);
        setting_done(&tall);
    }
    setting_done(&dense);
    pl_context_destroy(&ctx);
}

// The same for a single object that moves and turns: its velocity is linear along rows.
static void moments_of_moving_solids(void)
{
    pl_context *ctx = test_context(1);
    setting dense = full_setting(ctx, 7, 60, 6, 1. / 12);
    for (int trial = 0; trial < KINDS; ++trial)
    {
        setting tall = random_setting(ctx, 7, 60, 6, 1. / 12);
        group g = {0};
        add_kind(ctx, &g, trial);
        double v[3] = {0.3, -0.2, 0.5}, w[3] = {0.4, 0.7, -0.6};
        move(&g.object[0], v, w, 0.01);
        update(&tall, &g);
        update(&dense, &g);
        compare_runs(&tall, &dense, true);
        group_done(&g);
        setting_done(&tall);
    }
    setting_done(&dense);
    pl_context_destroy(&ctx);
}

// Skipped rows are what they would be if nothing was skipped: every fraction from distances at its corners, where no
// thin part is near.
static void rows_are_not_skipped_over(void)
{
    pl_context *ctx = test_context(1);
    for (int kind = 0; kind < KINDS; ++kind)
    {
        setting s = full_setting(ctx, 10, 30, 10, 0.1);
        group g = {0};
        add_kind(ctx, &g, kind);
        update(&s, &g);
        double h = s.grid.cell.h;
        for (int axis = 0; axis < 3; ++axis)
        {
            const pl__columns *f = &s.grid.face[axis];
            for (int32_t n = 0; n < f->nx * f->ny * f->nz; ++n)
            {
                int32_t i = n % f->nx, j = n / f->nx % f->ny, k = n / f->nx / f->ny;
                int inside = 0;
                for (int c = 0; c < 4; ++c)
                {
                    double x[3];
                    pl__grid_point(f, i, j, k, x);
                    x[(axis + 1) % 3] += (c & 1 ? 0.5 : -0.5) * h;
                    x[(axis + 2) % 3] += (c & 2 ? 0.5 : -0.5) * h;
                    inside += nearest_distance(&g.all, x) < 0;
                }
                double w = open_at(&s, axis, i, j, k);
                CHECK_THAT(inside == 0   ? w == 1 || w == 0
                           : inside == 4 ? w == 0
                                         : w < 1,
                           "kind %d axis %d (%d %d %d): %d corners, %g", kind, axis, i, j, k, inside, w);
            }
        }
        group_done(&g);
        setting_done(&s);
    }
    pl_context_destroy(&ctx);
}

// Columns of 10000 rows over ground take a few dozen looks a run; over rough ground too.
static void long_runs_take_few_looks(void)
{
    pl_context *ctx = test_context(1);
    for (int rough = 0; rough < 3; ++rough)
    {
        int32_t n[3] = {8, 10000, 8};
        double h = 0.1, center[3] = {0.05, 0.05, 0.05};
        setting s = {.ctx = ctx};
        group g = {0};
        MUST(pl__columns_begin(ctx, &s.grid.cell, n, center, h));
        for (int32_t column = 0; column < 64; ++column)
        {
            MUST(pl__columns_add(ctx, &s.grid.cell, 0, 9999, PL__RUN_LINEAR));
            pl__columns_end_column(&s.grid.cell);
        }
        MUST(pl__grid_make_faces(ctx, &s.grid));
        pl_object_def def = kind_of(rough == 2 ? PL_OBJECT_HEIGHT_FIELD : PL_OBJECT_PLANE);
        double hill[4] = {1, 30, 50, 10};
        set3(def.normal, 0.5 * rough, 1, 0.2 * rough);
        def.rows = def.columns = 2, def.heights = hill, set3(def.extent, 100, 0, 100);
        set3(def.at, 0, 333, 0);
        add(ctx, &g, &def);
        update(&s, &g);
        size_t runs = s.grid.face[0].run_count + s.grid.face[1].run_count + s.grid.face[2].run_count;
        double each = (double)s.b.distances / (double)runs;
        CHECK_THAT(each < (rough == 2 ? 100 : 40), "%g distances a run", each);
        CHECK(each > 2);
        double open = s.b.moment[1][s.grid.face[1].start[0] + 1].s0;
        CHECK_THAT(rough == 2 || fabs(open - (9999 - 3330 + 0.5 * rough * 0.5 + 0.5)) < 2, "%g rows are open", open);
        group_done(&g);
        setting_done(&s);
    }
    pl_context_destroy(&ctx);
}

// ---- thin walls ------------------------------------------------------------------------------------------------

static bool way_is_cut(const pl__object *o, const double x[3], int axis, double h)
{
    double m[3];
    bool cut = false, far = pl__object_distance(o, x, m) > 0.5 * h;
    for (int q = 0; !far && q <= 2000 && !cut; ++q)
    {
        double p[3] = {x[0], x[1], x[2]}, n[3];
        p[axis] += h * (q / 2000. - 0.5);
        cut = pl__object_distance(o, p, n) < 0;
    }
    return cut;
}

static pl__object *add_plate(pl_context *ctx, group *g, double thickness, bool straight)
{
    pl_object_def def = kind_of(PL_OBJECT_BOX);
    for (int i = 0; i < 3; ++i)
    {
        def.extent[i] = 5;
        def.at[i] = random_in(0.4, 0.6);
        def.rotate[i] = straight ? 90 * random_int(4) : random_in(-180, 180);
    }
    def.extent[random_int(3)] = thickness;
    return add(ctx, g, &def);
}

// A plate of a quarter of a cell closes the faces between cells that it separates, and none that is a cell away.
static void plates_close_what_they_cross(void)
{
    pl_context *ctx = test_context(1);
    setting s = full_setting(ctx, 10, 10, 10, 0.1);
    double h = 0.1, n[3];
    int closed = 0;
    for (int trial = 0; trial < 20; ++trial)
    {
        group g = {0};
        const pl__object *o = add_plate(ctx, &g, 0.25 * h, trial % 4 == 0);
        update(&s, &g);
        for (int axis = 0; axis < 3; ++axis)
        {
            const pl__columns *f = &s.grid.face[axis];
            for (int32_t q = 0; q < f->nx * f->ny * f->nz; ++q)
            {
                int32_t i = q % f->nx, j = q / f->nx % f->ny, k = q / f->nx / f->ny;
                double x[3], w = open_at(&s, axis, i, j, k);
                pl__grid_point(f, i, j, k, x);
                bool cut = way_is_cut(o, x, axis, h);
                closed += cut;
                if (cut)
                    CHECK_THAT(w == 0, "open by %g", w);
                else if (pl__object_distance(o, x, n) > h)
                    CHECK_THAT(w == 1, "open by %g, at %g h", w, pl__object_distance(o, x, n) / h);
            }
        }
        group_done(&g);
    }
    CHECK(closed > 2000);
    setting_done(&s);
    pl_context_destroy(&ctx);
}

// Spread from a cell through open faces; returns how many cells of `side` 2 are reached from those of side 1. Cells of
// side 0 are in the wall.
static int32_t leaks(const setting *s, const uint8_t *side)
{
    const pl__columns *c = &s->grid.cell;
    int32_t n[3] = {c->nx, c->ny, c->nz}, all = c->nx * c->ny * c->nz, step[3] = {1, c->nx, c->nx * c->ny}, count = 0;
    int32_t *stack = malloc((size_t)all * sizeof *stack), top = 0;
    uint8_t *reached = calloc((size_t)all, 1);
    for (int32_t q = 0; q < all; ++q)
        if (side[q] == 1)
            stack[top++] = q, reached[q] = 1;
    while (top > 0)
    {
        int32_t q = stack[--top], at[3] = {q % n[0], q / n[0] % n[1], q / n[0] / n[1]};
        count += side[q] == 2;
        for (int d = 0; d < 6; ++d)
        {
            int a = d / 2, up = d % 2;
            int32_t next = q + (up ? step[a] : -step[a]);
            if ((up ? at[a] == n[a] - 1 : at[a] == 0) || reached[next] ||
                open_at(s, a, at[0] + (a == 0 && up), at[1] + (a == 1 && up), at[2] + (a == 2 && up)) == 0)
                continue;
            reached[next] = 1;
            stack[top++] = next;
        }
    }
    free(stack);
    free(reached);
    return count;
}

// Walls of any thickness and direction separate their sides.
static void nothing_leaks_through_plates(void)
{
    static const double thickness[] = {1e-4, 0.01, 0.25, 0.5, 0.9, 1, 1.3, 1.6, 1.99, 2.01, 3};
    pl_context *ctx = test_context(1);
    setting s = full_setting(ctx, 12, 12, 12, 1. / 12);
    uint8_t side[1728];
    for (int trial = 0; trial < 110; ++trial)
    {
        group g = {0};
        double h = 1. / 12, t = thickness[trial % 11] * h, n[3], x[3], m[3] = {0};
        const pl__object *o = add_plate(ctx, &g, t, trial % 5 == 0);
        for (int a = 0; a < 3; ++a) // its normal
        {
            pl_vec3 e = pl_quat_turn(o->turned, pl_make3(a == 0, a == 1, a == 2));
            for (int i = 0; i < 3 && o->shape->def.extent[a] < 1; ++i)
                m[i] = e.v[i];
        }
        update(&s, &g);
        for (int32_t q = 0; q < 1728; ++q)
        {
            pl__grid_point(&s.grid.cell, q % 12, q / 12 % 12, q / 144, x);
            double along = 0;
            for (int i = 0; i < 3; ++i)
                along += (x[i] - o->at[i]) * m[i];
            side[q] = pl__object_distance(o, x, n) < 0 ? 0 : along > 0 ? 1 : 2;
        }
        int32_t count = leaks(&s, side);
        CHECK_THAT(count == 0, "%d cells behind a wall of %g h", count, t / h);
        group_done(&g);
    }
    setting_done(&s);
    pl_context_destroy(&ctx);
}

// Hollow boxes and balls with thin walls hold what is in them.
static void nothing_leaks_out_of_hollow_things(void)
{
    pl_context *ctx = test_context(1);
    setting s = full_setting(ctx, 14, 14, 14, 1. / 14);
    uint8_t side[2744];
    for (int trial = 0; trial < 60; ++trial)
    {
        group g = {0};
        double h = 1. / 14, t = random_in(0.05, 1.9) * h, x[3];
        bool ball = trial % 2;
        pl_object_def part[2] = {kind_of(ball ? PL_OBJECT_SPHERE : PL_OBJECT_BOX)}, def = kind_of(PL_OBJECT_DIFFERENCE);
        set3(part[0].extent, 0.6, 0.5, 0.7), part[0].radius = 0.35;
        part[1] = part[0];
        set3(part[1].extent, 0.6 - 2 * t, 0.5 - 2 * t, 0.7 - 2 * t), part[1].radius = 0.35 - t;
        for (int i = 0; i < 3; ++i)
        {
            def.at[i] = random_in(0.45, 0.55);
            def.rotate[i] = trial % 4 ? random_in(-180, 180) : 0;
        }
        def.part = part, def.part_count = 2;
        const pl__object *o = add(ctx, &g, &def);
        update(&s, &g);
        for (int32_t q = 0; q < 2744; ++q)
        {
            double n[3];
            pl__grid_point(&s.grid.cell, q % 14, q / 14 % 14, q / 196, x);
            pl_vec3 r =
                pl_quat_turn(pl_quat_conjugate(o->turned), pl_make3(x[0] - o->at[0], x[1] - o->at[1], x[2] - o->at[2]));
            bool within = pl__shape_distance(o->shape->part[0].shape, r.v, n) < 0;
            side[q] = pl__object_distance(o, x, n) < 0 ? 0 : within ? 1 : 2;
        }
        int32_t count = leaks(&s, side);
        CHECK_THAT(count == 0, "%d cells outside of a %s of %g h", count, ball ? "ball" : "box", t / h);
        group_done(&g);
    }
    setting_done(&s);
    pl_context_destroy(&ctx);
}

// ---- motion, walls, distances ----------------------------------------------------------------------------------

// us is the velocity of the closed part; the solid carries no net volume out of a cell that it fills.
static void closed_parts_move_with_objects(void)
{
    pl_context *ctx = test_context(1);
    setting s = full_setting(ctx, 10, 10, 10, 0.1);
    double h = 0.1;
    int full = 0;
    for (int turning = 0; turning < 2; ++turning)
        for (int kind = 0; kind < KINDS; ++kind)
        {
            group g = {0};
            add_kind(ctx, &g, kind);
            double v[3] = {0.3, -0.2, 0.5}, w[3] = {0.4 * turning, 0.7 * turning, -0.6 * turning},
                   fast = 1.01 * turning;
            move(&g.object[0], v, w, 0.01);
            update(&s, &g);
            for (int32_t q = 0; q < 1000; ++q)
            {
                int32_t i = q % 10, j = q / 10 % 10, k = q / 100;
                double sum = 0, closed = 0;
                for (int d = 0; d < 6; ++d)
                {
                    int a = d / 2, up = d % 2;
                    int32_t f = face_at(&s, a, i + (a == 0 && up), j + (a == 1 && up), k + (a == 2 && up));
                    double x[3], u[3], us = s.b.speed[a][f];
                    pl__grid_point(&s.grid.cell, i, j, k, x);
                    x[a] += (up - 0.5) * h;
                    pl__object_velocity(&g.object[0], x, u);
                    if (s.b.open[a][f] == 1)
                        CHECK(us == 0);
                    else
                        CHECK_NEAR(us, u[a], 1e-15 + 0.7072 * h * fast); // somewhere on the face
                    sum += (up ? 1 : -1) * us;
                    closed += 1 - s.b.open[a][f];
                }
                full += closed == 6;
                if (closed == 6)
                    CHECK_NEAR(sum, 0, 1e-14);
            }
            group_done(&g);
        }
    CHECK(full > 100);
    setting_done(&s);
    pl_context_destroy(&ctx);
}

// The mean velocity of the closed part of a face cut by a turning plane: by many points on it.
static void speeds_are_means_over_the_closed_part(void)
{
    pl_context *ctx = test_context(1);
    setting s = full_setting(ctx, 6, 6, 6, 1. / 6);
    group g = {0};
    add_kind(ctx, &g, PLANE);
    double v[3] = {0, 0, 0}, w[3] = {4, 7, -6}, h = 1. / 6;
    move(&g.object[0], v, w, 0.01);
    update(&s, &g);
    int cut = 0;
    for (int32_t q = 0; q < 216; ++q)
    {
        double open = open_at(&s, 0, q % 6, q / 6 % 6, q / 36), sum = 0, count = 0;
        if (open == 0 || open == 1)
            continue;
        for (int p = 0; p < 100 * 100; ++p)
        {
            double x[3], u[3], n[3];
            pl__grid_point(&s.grid.face[0], q % 6, q / 6 % 6, q / 36, x);
            x[1] += h * ((p % 100 + 0.5) / 100 - 0.5);
            x[2] += h * ((p / 100 + 0.5) / 100 - 0.5);
            bool inside = pl__object_distance(&g.object[0], x, n) < 0;
            pl__object_velocity(&g.object[0], x, u);
            sum += inside * u[0];
            count += inside;
        }
        if (count < 1000)
            continue;
        CHECK_NEAR(s.b.speed[0][face_at(&s, 0, q % 6, q / 6 % 6, q / 36)], sum / count, 10 * h / 50);
        ++cut;
    }
    CHECK(cut > 5);
    group_done(&g);
    setting_done(&s);
    pl_context_destroy(&ctx);
}

// Each wall by itself: its faces are closed, others are not; the same in tall runs.
static void walls_are_closed(void)
{
    pl_context *ctx = test_context(1);
    setting s = random_setting(ctx, 4, 30, 5, 0.1);
    group none = {0};
    for (int wall = 0; wall < 6; ++wall)
    {
        bool closed[6] = {0};
        closed[wall] = true;
        MUST(pl__boundary_update(ctx, &s.b, &s.grid, &none.all, closed));
        for (int axis = 0; axis < 3; ++axis)
        {
            const pl__columns *f = &s.grid.face[axis];
            int32_t size[3] = {f->nx, f->ny, f->nz};
            for (int32_t column = 0; column < f->nx * f->nz; ++column)
                for (size_t r = f->start[column]; r < f->start[column + 1]; ++r)
                    for (int32_t j = f->run[r].j0; j <= f->run[r].j1; ++j)
                    {
                        int32_t at[3] = {column % f->nx, j, column / f->nx};
                        bool on = axis == wall / 2 && at[axis] == (wall % 2 ? size[axis] - 1 : 0);
                        const pl__run *run = &f->run[r];
                        if (run->kind == PL__RUN_UNIFORM)
                            CHECK(s.b.open[axis][run->first + j - run->j0] == !on);
                        else
                            CHECK(s.b.moment[axis][r].s0 == (on ? 0 : pl__run_rows(run)));
                    }
        }
    }
    CHECK(s.b.distances == 0);
    setting_done(&s);
    pl_context_destroy(&ctx);
}

// Distances at cells are those to the nearest object within three cells of it, and large beyond.
static void cells_know_their_distance(void)
{
    pl_context *ctx = test_context(1);
    for (int kind = 0; kind < KINDS; ++kind)
    {
        setting s = random_setting(ctx, 12, 40, 12, 1. / 12);
        group g = {0};
        add_kind(ctx, &g, kind);
        add_kind(ctx, &g, SPHERE);
        update(&s, &g);
        const pl__columns *c = &s.grid.cell;
        for (int32_t column = 0; column < c->nx * c->nz; ++column)
            for (size_t r = c->start[column]; r < c->start[column + 1]; ++r)
                for (int32_t j = c->run[r].j0; c->run[r].kind == PL__RUN_UNIFORM && j <= c->run[r].j1; ++j)
                {
                    double x[3], n[3];
                    pl__grid_point(c, column % c->nx, j, column / c->nx, x);
                    int32_t q = c->run[r].first + j - c->run[r].j0, nearest = s.b.nearest[q];
                    double d = s.b.distance[q], expected = nearest_distance(&g.all, x);
                    if (fabs(expected) < 3 * c->h)
                    {
                        CHECK_NEAR(d, expected, 1e-14);
                        CHECK(nearest >= 0 && pl__object_distance(&g.object[nearest], x, n) <= expected + 1e-14);
                    }
                    else
                        CHECK(fabs(d) >= 3 * c->h && (d > 0) == (expected > 0));
                }
        group_done(&g);
        setting_done(&s);
    }
    pl_context_destroy(&ctx);
}

// ---- forces ----------------------------------------------------------------------------------------------------

// Force and torque of p = rho g (2 - y) on one object.
static void hydrostatic(pl_context *ctx, int32_t n, const pl_object_def *def, double force[3], double torque[3])
{
    setting s = full_setting(ctx, n, n, n, 1. / n);
    group g = {0};
    add(ctx, &g, def);
    update(&s, &g);
    double *p = PL_NEW(ctx, s.grid.cell.value_count, double);
    uint8_t *liquid = PL_NEW(ctx, s.grid.cell.value_count, uint8_t);
    for (int32_t q = 0; q < n * n * n; ++q) // y fastest
    {
        int32_t j = q % n, i = q / n % n, k = q / n / n;
        double open = 0, x[3];
        pl__grid_point(&s.grid.cell, i, j, k, x);
        for (int a = 0; a < 3; ++a)
            open += open_at(&s, a, i, j, k) + open_at(&s, a, i + (a == 0), j + (a == 1), k + (a == 2));
        p[q] = open > 0 ? 1000 * 10 * (2 - x[1]) : NAN; // nothing is asked of the solid's inside
        liquid[q] = open > 0;
    }
    pl__wetted_def wet = {&s.grid, &g.all, all_open, liquid, 1, NULL};
    pl__wetted w = {0};
    pl__wetted_force sum[2];
    MUST(pl__wetted_list(ctx, &w, &wet));
    pl__wetted_sum(&w, &wet, p, (const double[3]){0, -1e4, 0}, sum);
    memcpy(force, sum[0].force, sizeof sum[0].force);
    memcpy(torque, sum[0].torque, sizeof sum[0].torque);
    pl__wetted_done(ctx, &w);
    PL_DELETE(ctx, p, s.grid.cell.value_count);
    PL_DELETE(ctx, liquid, s.grid.cell.value_count);
    group_done(&g);
    setting_done(&s);
}

// A ball under water feels the weight of the water it displaces, at its center.
static void buoyancy_of_a_ball(void)
{
    pl_context *ctx = test_context(1);
    pl_object_def def = kind_of(PL_OBJECT_SPHERE);
    def.radius = 0.25;
    set3(def.at, 0.5071, 0.4933, 0.5017);
    double weight = 1e4 * 4 * pi * def.radius * def.radius * def.radius / 3, error[3], force[3], torque[3];
    for (int level = 0; level < 3; ++level)
    {
        hydrostatic(ctx, 16 << level, &def, force, torque); // 8, 16, 32 cells per diameter
        error[level] = fabs(force[1] / weight - 1);
        CHECK_NEAR(force[0], 0, 1e-9);
        CHECK_NEAR(force[2], 0, 1e-9);
        double small = 0.02 * weight * def.radius / pow(4, level);
        for (int i = 0; i < 3; ++i)
            CHECK_NEAR(torque[i], 0, small);
    }
    CHECK_THAT(error[1] < 0.02, "%g", error[1]);
    double order = 0.5 * log2(error[0] / error[2]);
    CHECK_THAT(order > 1.7, "order %g: %g %g %g", order, error[0], error[1], error[2]);
    pl_context_destroy(&ctx);
}

// A ball beside the origin of its object is turned about that.
static void torque_is_about_the_origin(void)
{
    pl_context *ctx = test_context(1);
    pl_object_def part = kind_of(PL_OBJECT_SPHERE), def = kind_of(PL_OBJECT_UNION);
    double force[3], torque[3];
    part.radius = 0.25;
    set3(part.at, 0.1, 0.02, 0.05), set3(def.at, 0.45, 0.5, 0.47);
    def.part = &part, def.part_count = 1;
    hydrostatic(ctx, 32, &def, force, torque);
    CHECK_NEAR(torque[0], -0.05 * force[1], 1e-3 * force[1]); // r x F for a force upwards
    CHECK_NEAR(torque[1], 0, 1e-3 * force[1]);
    CHECK_NEAR(torque[2], 0.1 * force[1], 1e-3 * force[1]);
    pl_context_destroy(&ctx);
}

// A tilted box, exactly but for its edges; and no force on a plate that both sides press alike.
static void buoyancy_of_boxes(void)
{
    pl_context *ctx = test_context(1);
    pl_object_def def = kind_of(PL_OBJECT_BOX);
    double force[3], torque[3];
    set3(def.extent, 0.5, 0.3, 0.4), set3(def.at, 0.5, 0.5, 0.5), set3(def.rotate, 20, 30, 40);
    hydrostatic(ctx, 40, &def, force, torque);
    CHECK_NEAR(force[1] / (1e4 * 0.06), 1, 0.01);
    for (int i = 0; i < 3; ++i)
        CHECK_NEAR(torque[i], 0, 0.01 * force[1] * 0.5);
    set3(def.extent, 0.005, 0.5, 0.5), set3(def.rotate, 0, 0, 0);
    hydrostatic(ctx, 20, &def, force, torque);
    CHECK_NEAR(force[0], 0, 1e-9);
    pl_context_destroy(&ctx);
}

// ---- rock ------------------------------------------------------------------------------------------------------

static void rock_rows_are_found(void)
{
    pl_context *ctx = test_context(1);
    int intervals = 0;
    for (int trial = 0; trial < 4 * KINDS; ++trial)
    {
        setting s = full_setting(ctx, 6, 80, 6, 1. / 40);
        group g = {0};
        add_kind(ctx, &g, trial % KINDS);
        add_kind(ctx, &g, SPHERE);
        g.object[1].velocity[0] = trial % 2;
        const pl__columns *c = &s.grid.cell;
        double depth = trial % 3 * 0.5 * c->h, lower[3] = {0, 0, 0}, upper[3] = {6 * c->h, 2, 6 * c->h};
        // the pillar of rows stands in the middle
        for (int n = 0; n < 2; ++n)
        {
            g.object[n].at[0] -= 0.45, g.object[n].at[2] -= 0.45;
            pl__object_place(&g.object[n]);
        }
        pl__near_obstacles near;
        pl__obstacles_find(&g.all, lower, upper, 4 * c->h, true, &near);
        pl__obstacles standing = {g.object, trial % 2 ? 1 : 2};
        for (int32_t column = 0; column < 36; ++column)
        {
            pl__row_range rows[8];
            int32_t count = pl__boundary_rock_rows(&near, c, column % 6, column / 6, depth, rows, 8), q = 0;
            CHECK(count <= 8);
            intervals += count;
            for (int32_t j = 0; j < c->ny; ++j)
            {
                double x[3];
                pl__grid_point(c, column % 6, j, column / 6, x);
                double d = nearest_distance(&standing, x);
                q += q < count && rows[q].j1 < j;
                bool found = q < count && rows[q].j0 <= j;
                CHECK(found == (d < -depth) || fabs(d + depth) < 1e-14);
            }
            for (q = 1; q < count; ++q)
                CHECK(rows[q].j0 > rows[q - 1].j1 + 1); // maximal
        }
        group_done(&g);
        setting_done(&s);
    }
    CHECK(intervals > 100);
    pl_context_destroy(&ctx);
}

// ---- points ----------------------------------------------------------------------------------------------------

typedef struct points
{
    double a[3][PL__OBSTACLES_BATCH], b[3][PL__OBSTACLES_BATCH];
} points;

// Which side of a plate x is on, in the frame that the plate has at the start or end of a step.
static double side_of(const pl__object *o, bool start, const double x[3])
{
    const double *at = start ? o->before : o->at;
    pl_quat q = pl_quat_conjugate(start ? o->turned_before : o->turned);
    return pl_quat_turn(q, pl_make3(x[0] - at[0], x[1] - at[1], x[2] - at[2])).v[0];
}

static void random_ways(const group *g, double reach, points *p)
{
    for (int i = 0; i < PL__OBSTACLES_BATCH; ++i)
    {
        double x[3], n[3], d;
        do
        {
            for (int a = 0; a < 3; ++a)
                x[a] = random_in(0, 1);
            pl__object start = g->object[0];
            memcpy(start.at, start.before, sizeof start.at);
            start.turned = start.turned_before;
            d = pl__object_distance(&start, x, n);
        } while (d < 0);
        for (int a = 0; a < 3; ++a)
        {
            p->a[a][i] = x[a];
            p->b[a][i] = x[a] + random_in(-reach, reach);
        }
    }
}

// 10000 ways against plates of any thickness, at rest and moving: all end on the side where they began.
static void no_way_leads_through_a_plate(void)
{
    pl_context *ctx = test_context(1);
    int32_t stopped = 0, count = 0;
    for (int trial = 0; trial < 40; ++trial)
    {
        group g = {0};
        points p;
        pl_object_def def = kind_of(PL_OBJECT_BOX);
        double h = 0.1, v[3] = {1, 2, -1}, w[3] = {3, -2, 1}, still[3] = {0, 0, 0};
        set3(def.extent, (trial % 4 == 0 ? 0.25 : trial % 4 == 1 ? 0.02 : trial % 4 == 2 ? 1e-6 : 1) * h, 9, 9);
        for (int i = 0; i < 3; ++i)
            def.at[i] = random_in(0.4, 0.6), def.rotate[i] = random_in(-180, 180);
        pl__object *o = add(ctx, &g, &def);
        move(o, trial < 20 ? still : v, trial < 20 ? still : w, 0.02);
        random_ways(&g, 0.5, &p);
        const double *from[3] = {p.a[0], p.a[1], p.a[2]};
        double *to[3] = {p.b[0], p.b[1], p.b[2]};
        stopped += pl__obstacles_stop(&g.all, h, 1e-3 * h, h / 32, PL__OBSTACLES_BATCH, from, to);
        for (int i = 0; i < PL__OBSTACLES_BATCH; ++i, ++count)
        {
            double a[3] = {p.a[0][i], p.a[1][i], p.a[2][i]}, b[3] = {p.b[0][i], p.b[1][i], p.b[2][i]}, n[3];
            CHECK(side_of(o, true, a) * side_of(o, false, b) > 0);
            CHECK(pl__object_distance(o, b, n) >= 0);
        }
        group_done(&g);
    }
    CHECK_THAT(count > 10000 && stopped > 2000, "%d of %d", stopped, count);
    pl_context_destroy(&ctx);
}

// Against objects of every kind: ways end outside, and what is not stopped had a free way.
static void ways_end_outside(void)
{
    pl_context *ctx = test_context(1);
    int32_t stopped = 0, cut = 0;
    for (int trial = 0; trial < 5 * KINDS; ++trial)
    {
        group g = {0};
        points p;
        double h = 0.05, v[3] = {1, 2, -1}, w[3] = {3, -2, 1};
        add_kind(ctx, &g, trial % KINDS);
        if (trial % 2)
            move(&g.object[0], v, w, 0.01);
        random_ways(&g, 0.3, &p);
        points before = p;
        const double *from[3] = {p.a[0], p.a[1], p.a[2]};
        double *to[3] = {p.b[0], p.b[1], p.b[2]};
        stopped += pl__obstacles_stop(&g.all, h, 1e-3 * h, h / 32, PL__OBSTACLES_BATCH, from, to);
        for (int i = 0; i < PL__OBSTACLES_BATCH; ++i)
        {
            double b[3] = {p.b[0][i], p.b[1][i], p.b[2][i]};
            CHECK_THAT(nearest_distance(&g.all, b) >= 0, "kind %d: %g", trial % KINDS, nearest_distance(&g.all, b));
            bool free = true;
            for (int q = 0; trial % 2 == 0 && free && q <= 500; ++q)
            {
                double x[3];
                for (int a = 0; a < 3; ++a)
                    x[a] = p.a[a][i] + q / 500. * (before.b[a][i] - p.a[a][i]);
                free = nearest_distance(&g.all, x) > -1e-6;
            }
            bool same = p.b[0][i] == before.b[0][i] && p.b[1][i] == before.b[1][i] && p.b[2][i] == before.b[2][i];
            CHECK(free || !same);
            cut += !free;
        }
        group_done(&g);
    }
    CHECK_THAT(cut > 500 && stopped >= cut, "%d stopped, %d cut", stopped, cut);
    pl_context_destroy(&ctx);
}

// A point at rest that a wall sweeps over rides on it.
static void moving_walls_take_points_along(void)
{
    pl_context *ctx = test_context(1);
    group g = {0};
    pl_object_def def = kind_of(PL_OBJECT_BOX);
    set3(def.extent, 0.02, 1, 1);
    pl__object *o = add(ctx, &g, &def);
    double v[3] = {10, 0, 0}, still[3] = {0, 0, 0}, a[3] = {0.3, 0.1, 0}, b[3] = {0.3, 0.1, 0};
    move(o, v, still, 0.05);
    const double *from[3] = {&a[0], &a[1], &a[2]};
    double *to[3] = {&b[0], &b[1], &b[2]};
    CHECK(pl__obstacles_stop(&g.all, 0.1, 1e-3, 1e-3, 1, from, to) == 1);
    CHECK_NEAR(b[0], 0.51, 2.1e-3);
    CHECK_NEAR(b[1], 0.1, 1e-12);
    group_done(&g);
    pl_context_destroy(&ctx);
}

// ---- actors ----------------------------------------------------------------------------------------------------

// Triangles that move as they are told, here all alike, at `shift` at the end of a step.
static pl__object actor_object(pl_context *ctx, bool closed, const double shift[3], double dt)
{
    static const pl__shape any = {.def = {.kind = PL_OBJECT_ACTOR}};
    static const double at[3] = {0, 0, 0}, x[12] = {0.5, -1, -1, 0.5, 3, -1, 0.5, 3, 3, 0.5, -1, 3};
    static const int32_t t[6] = {0, 1, 2, 0, 2, 3};
    pl_surface *surface;
    pl__object o = {.shape = &any, .turned = pl_quat_identity()};
    if (closed)
        surface = make_tetrahedron(ctx);
    else
        MUST(pl_surface_create(ctx, x, 4, t, 2, &surface));
    MUST(pl__actor_create(surface, 0.02, &o.actor));
    for (int32_t i = 0; i < 3 * o.actor->node_count; ++i)
        o.actor->target[i] = o.actor->x[i] + shift[i % 3];
    pl__actor_move(o.actor, at, pl_quat_identity(), dt);
    pl_surface_destroy(&surface);
    pl__object_place(&o);
    return o;
}

// A closed actor is what the same triangles are as a surface, and moves.
static void actors_close_faces(void)
{
    pl_context *ctx = test_context(1);
    setting s = full_setting(ctx, 9, 9, 9, 1. / 9), t = full_setting(ctx, 9, 9, 9, 1. / 9);
    double shift[3] = {0.05, 0.07, -0.02}, dt = 0.1;
    group g = {0}, actor = {.all = {actor.object, 1}};
    pl_object_def def = kind_of(PL_OBJECT_SURFACE);
    pl_surface *mesh = make_tetrahedron(ctx);
    def.surface = mesh;
    memcpy(def.at, shift, sizeof shift);
    add(ctx, &g, &def);
    actor.object[0] = actor_object(ctx, true, shift, dt);
    update(&s, &g);
    update(&t, &actor);
    int closed = 0;
    for (int axis = 0; axis < 3; ++axis)
        for (int32_t n = 0; n < s.grid.face[axis].value_count; ++n)
        {
            double w = s.b.open[axis][n];
            CHECK_NEAR(t.b.open[axis][n], w, 1e-12);
            CHECK_NEAR(t.b.speed[axis][n], w < 1 ? shift[axis] / dt : 0, 1e-12);
            closed += w < 1;
        }
    CHECK(closed > 200);
    pl__actor_destroy(&actor.object[0].actor);
    pl_surface_destroy(&mesh);
    group_done(&g);
    setting_done(&s);
    setting_done(&t);
    pl_context_destroy(&ctx);
}

// A sheet, which is open: no face and no way leads through it from its front; it takes along what it meets.
static void sheets_part_what_they_meet(void)
{
    pl_context *ctx = test_context(1);
    setting s = full_setting(ctx, 9, 9, 9, 1. / 9);
    double shift[3] = {0.03, 0, 0}, plane = 0.53, h = 1. / 9;
    group actor = {.all = {actor.object, 1}};
    actor.object[0] = actor_object(ctx, false, shift, 0.1);
    update(&s, &actor);
    for (int32_t q = 0; q < 10 * 81; ++q)
    {
        int32_t i = q % 10, j = q / 10 % 9, k = q / 90;
        bool cut = fabs(i * h - plane) < 0.5 * h;
        CHECK_THAT(open_at(&s, 0, i, j, k) == !cut, "face %d: %g", i, open_at(&s, 0, i, j, k));
    }
    points p;
    double front = actor.object[0].actor->side * 1; // its triangles face -x or +x
    double probe[3] = {plane + 0.01, 0.5, 0.5}, n[3];
    front = pl__object_distance(&actor.object[0], probe, n) < 0 ? -1 : front;
    for (int i = 0; i < PL__OBSTACLES_BATCH; ++i)
        for (int a = 0; a < 3; ++a)
        {
            p.a[a][i] = a == 0 ? 0.5 + front * random_in(0.001, 0.2) : random_in(0, 1);
            p.b[a][i] = a == 0 ? 0.53 - front * random_in(-0.1, 0.3) : random_in(0, 1);
        }
    const double *from[3] = {p.a[0], p.a[1], p.a[2]};
    double *to[3] = {p.b[0], p.b[1], p.b[2]};
    CHECK(pl__obstacles_stop(&actor.all, h, 1e-3 * h, h / 32, PL__OBSTACLES_BATCH, from, to) > 50);
    for (int i = 0; i < PL__OBSTACLES_BATCH; ++i)
        CHECK_THAT(front * (p.b[0][i] - plane) > 0, "from %g to %g", p.a[0][i] - 0.5, p.b[0][i] - plane);
    pl__actor_destroy(&actor.object[0].actor);
    setting_done(&s);
    pl_context_destroy(&ctx);
}

// ---- many, bits, memory ----------------------------------------------------------------------------------------

// More objects than a list holds, nearly all of them far away: the same as the few that are near.
static void many_objects_are_few(void)
{
    pl_context *ctx = test_context(1);
    setting s = full_setting(ctx, 12, 12, 12, 1. / 12), t = full_setting(ctx, 12, 12, 12, 1. / 12);
    group g = {0};
    for (int n = 0; n < MOST; ++n)
    {
        pl_object_def def = kind_of(PL_OBJECT_SPHERE);
        def.radius = 0.06;
        for (int i = 0; i < 3; ++i)
            def.at[i] = random_in(0, 1);
        add(ctx, &g, &def);
    }
    g.object[3].absent = true;
    pl__object_place(&g.object[3]);
    update(&s, &g);
    double sum = 0;
    for (int axis = 0; axis < 3; ++axis)
        for (int32_t n = 0; n < s.grid.face[axis].value_count; ++n)
            sum += s.b.open[axis][n] < 1;
    CHECK(sum > 500);
    for (int32_t q = 0; q < 1728; ++q)
    {
        double x[3], least = INFINITY, d[3];
        pl__grid_point(&s.grid.cell, q / 12 % 12, q % 12, q / 144, x);
        for (int n = 0; n < MOST; ++n)
            if (n != 3)
                least = fmin(least, pl__object_distance(&g.object[n], x, d));
        if (least < 3. / 12)
            CHECK_NEAR(s.b.distance[q], least, 1e-14);
    }
    for (int n = 0; n < MOST; ++n) // far away
        if (n > 40)
        {
            g.object[n].at[0] += 100;
            pl__object_place(&g.object[n]);
        }
    update(&s, &g);
    g.all.count = 41;
    update(&t, &g);
    CHECK(s.b.distances == t.b.distances);
    for (int axis = 0; axis < 3; ++axis)
        CHECK(memcmp(s.b.open[axis], t.b.open[axis], (size_t)s.grid.face[axis].value_count * sizeof(double)) == 0);
    g.all.count = MOST;
    group_done(&g);
    setting_done(&s);
    setting_done(&t);
    pl_context_destroy(&ctx);
}

static uint64_t hash_of(const setting *s, const pl__wetted *w)
{
    uint64_t h = 1;
    for (int axis = 0; axis < 3; ++axis)
    {
        size_t n = (size_t)s->grid.face[axis].value_count;
        h = pl__hash(h, s->b.open[axis], n * sizeof(double));
        h = pl__hash(h, s->b.speed[axis], n * sizeof(double));
        h = pl__hash(h, s->b.owner[axis], n * sizeof(int32_t));
        h = pl__hash(h, s->b.moment[axis], s->grid.face[axis].run_count * sizeof(pl__open_moments));
    }
    h = pl__hash(h, s->b.distance, (size_t)s->grid.cell.value_count * sizeof(double));
    h = pl__hash(h, s->b.nearest, (size_t)s->grid.cell.value_count * sizeof(int32_t));
    for (size_t n = 0; n < w->side_count; ++n)
    {
        h = pl__hash(h, w->side[n].point, sizeof w->side[n].point);
        h = pl__hash(h, w->side[n].cell, sizeof w->side[n].cell);
    }
    return h;
}

static void bits_do_not_depend_on_threads(void)
{
    uint64_t hash[3];
    static const int32_t threads[3] = {1, 2, 7};
    for (int n = 0; n < 3; ++n)
    {
        pl_context *ctx = test_context(threads[n]);
        key = 1000;
        setting s = random_setting(ctx, 40, 40, 40, 1. / 40);
        group g = {0};
        for (int kind = 0; kind < KINDS; ++kind)
            add_kind(ctx, &g, kind);
        double v[3] = {0.3, -0.2, 0.5}, w[3] = {0.4, 0.7, -0.6};
        move(&g.object[SPHERE], v, w, 0.01);
        update(&s, &g);
        uint8_t *liquid = malloc((size_t)s.grid.cell.value_count);
        memset(liquid, 1, (size_t)s.grid.cell.value_count);
        pl__wetted_def wet = {&s.grid, &g.all, all_open, liquid, 1, NULL};
        pl__wetted wetted = {0};
        MUST(pl__wetted_list(ctx, &wetted, &wet));
        CHECK(wetted.side_count > 500);
        hash[n] = hash_of(&s, &wetted);
        pl__wetted_done(ctx, &wetted);
        free(liquid);
        group_done(&g);
        setting_done(&s);
        pl_context_destroy(&ctx);
    }
    CHECK(hash[0] == hash[1] && hash[0] == hash[2]);
}

static pl_status attempt(pl_context *ctx)
{
    static const pl__shape ball = {.def = {.kind = PL_OBJECT_SPHERE, .radius = 0.3}};
    pl__object o = {.shape = &ball, .turned = pl_quat_identity(), .at = {0.5, 0.5, 0.5}};
    pl__obstacles all = {&o, 1};
    int32_t n[3] = {6, 6, 6};
    double origin[3] = {0, 0, 0};
    pl__grid grid = {0};
    pl__boundary b = {0};
    pl__wetted w = {0};
    uint8_t liquid[216];
    memset(liquid, 1, sizeof liquid);
    pl__object_place(&o);
    pl_status status = pl__grid_make_full(ctx, &grid, n, origin, 1. / 6);
    for (int twice = 0; status == PL_OK && twice < 2; ++twice)
    {
        size_t before = pl_context_memory(ctx);
        status = pl__boundary_update(ctx, &b, &grid, &all, all_open);
        if (status == PL_OK)
            status = pl__wetted_list(ctx, &w, &(pl__wetted_def){&grid, &all, all_open, liquid, 1, NULL});
        CHECK(twice == 0 || pl_context_memory(ctx) == before); // what it needs is kept
    }
    pl__boundary_done(ctx, &b);
    pl__wetted_done(ctx, &w);
    pl__grid_done(ctx, &grid);
    return status;
}

static void failed_allocations_are_survived(void) { CHECK(survive_every_failure(attempt) > 15); }

int main(int argc, char **argv)
{
    static const pl_test tests[] = {TEST(fluxes_close_around_planes),
                                    TEST(spheres_have_their_area_and_volume),
                                    TEST(sphere_faces_are_circles),
                                    TEST(opposite_corners_add_up),
                                    TEST(gaps_between_objects_are_open),
                                    TEST(moments_are_sums_over_rows),
                                    TEST(moments_of_moving_solids),
                                    TEST(rows_are_not_skipped_over),
                                    TEST(long_runs_take_few_looks),
                                    TEST(plates_close_what_they_cross),
                                    TEST(nothing_leaks_through_plates),
                                    TEST(nothing_leaks_out_of_hollow_things),
                                    TEST(closed_parts_move_with_objects),
                                    TEST(speeds_are_means_over_the_closed_part),
                                    TEST(walls_are_closed),
                                    TEST(cells_know_their_distance),
                                    TEST(buoyancy_of_a_ball),
                                    TEST(torque_is_about_the_origin),
                                    TEST(buoyancy_of_boxes),
                                    TEST(rock_rows_are_found),
                                    TEST(no_way_leads_through_a_plate),
                                    TEST(ways_end_outside),
                                    TEST(moving_walls_take_points_along),
                                    TEST(actors_close_faces),
                                    TEST(sheets_part_what_they_meet),
                                    TEST(many_objects_are_few),
                                    TEST(bits_do_not_depend_on_threads),
                                    TEST(failed_allocations_are_survived)};
    return RUN(tests);
}

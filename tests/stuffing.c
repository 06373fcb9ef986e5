// tests/stuffing.c -- closest points, winding numbers, and meshes cut out of surfaces and functions.
#include "base/hash.h"
#include "base/random.h"
#include "inspect.h"
#include "mesh/mesh.h"
#include "mesh/solid.h"
#include "surfaces.h"

static const double least_angle = 10.7, largest_angle = 164.8; // what the header promises

static pl_surface *give(pl_context *ctx, const test_surface *s)
{
    pl_surface *surface = NULL;
    CHECK_OK(ctx, pl_surface_create(ctx, s->x, s->nodes, s->t, s->triangles, &surface));
    return surface;
}

static pl_stuffing_def stuffing(pl_stuffing_mode mode, double size)
{
    pl_stuffing_def def = pl_stuffing_def_default();
    def.mode = mode, def.size = size;
    return def;
}

static pl_mesh *stuff(pl_context *ctx, const pl_surface *surface, pl_stuffing_mode mode, double size)
{
    pl_stuffing_def def = stuffing(mode, size);
    pl_mesh *mesh = NULL;
    CHECK_OK(ctx, pl_mesh_create_from_surface(ctx, &def, surface, &mesh));
    return mesh;
}

static pl_mesh *stuff_once(pl_context *ctx, const test_surface *s, pl_stuffing_mode mode, double size)
{
    pl_surface *surface = give(ctx, s);
    pl_mesh *mesh = stuff(ctx, surface, mode, size);
    pl_surface_destroy(&surface);
    return mesh;
}

// Returns how many boundary edges have more than two triangles.
static int32_t check_boundary(const pl_mesh *mesh)
{
    double volume = pl_mesh_volume(mesh);
    CHECK(pl__mesh_is_valid(mesh));
    CHECK_THAT(fabs(boundary_volume(mesh) - volume) <= 1e-6 * volume, "%g within the boundary, %g in tetrahedra",
               boundary_volume(mesh), volume);
    int32_t crowded, loose = edges_without_partner(mesh, &crowded);
    CHECK_THAT(loose == 0, "%d boundary edges are open", loose);
    return crowded;
}

// Boundary nodes whose triangles are not one fan: from a triangle there, the others are reached over edges that end
// there.
static int32_t pinched_nodes(const pl_mesh *mesh)
{
    int32_t count = pl_mesh_triangle_count(mesh), pinched = 0;
    const int32_t *t = pl_mesh_triangles(mesh);
    for (int32_t node = 0; node < pl_mesh_node_count(mesh); ++node)
    {
        int32_t around[256][2], found = 0, reached = 1;
        for (int32_t k = 0; k < 3 * count; ++k)
            if (t[k] == node && found < 256)
                around[found][0] = t[k - k % 3 + (k % 3 + 1) % 3], around[found++][1] = t[k - k % 3 + (k % 3 + 2) % 3];
        for (int32_t first = around[0][0], at = around[0][1]; found > 0 && at != first && reached <= found; ++reached)
            for (int32_t i = 0, next = at; i < found && next == at; ++i)
                at = around[i][0] == next ? around[i][1] : at;
        pinched += found > 0 && reached != found;
    }
    return pinched;
}

static void check_closed(const pl_mesh *mesh)
{
    int32_t crowded = check_boundary(mesh);
    CHECK_THAT(crowded == 0, "%d boundary edges do not have two triangles", crowded);
}

static void check_sound(const pl_mesh *mesh, bool fitted)
{
    double smallest, largest;
    pl_mesh_dihedral_range(mesh, &smallest, &largest);
    CHECK_THAT(smallest >= (fitted ? least_angle : 60 - 1e-6) && largest <= (fitted ? largest_angle : 90 + 1e-6),
               "angles within [%.4f, %.4f]", smallest, largest);
    if (fitted)
        (void)check_boundary(mesh);
    else
        check_closed(mesh);
}

// ---- hierarchy and winding ---------------------------------------------------------------------------------

static double random_in(uint64_t i, uint64_t d, double r) { return r * (2 * pl__random01(3, i, d) - 1); }

// The tree finds what trying all triangles finds, here in trees of one triangle; triangles without area included.
static void closest_point_is_closest(void)
{
    pl_context *ctx = test_context(1);
    test_surface s = surface_torus(1, 0.4, 12, 7);
    for (int32_t i = 0; i < 12; ++i)
        s.t[3 * i + 1] = s.t[3 * i]; // folded to edges
    pl_surface *surface = give(ctx, &s);
    pl__bvh *bvh, *one;
    CHECK_OK(ctx, pl__bvh_create(surface, &bvh));
    for (uint64_t i = 0; i < 60; ++i)
    {
        double q[3] = {random_in(i, 0, 2), random_in(i, 1, 2), random_in(i, 2, 1)}, point[3], best = INFINITY;
        int32_t triangle, best_triangle = -1;
        double distance = pl__bvh_closest(bvh, q, point, &triangle);
        CHECK_NEAR(distance, sqrt(pow(q[0] - point[0], 2) + pow(q[1] - point[1], 2) + pow(q[2] - point[2], 2)), 1e-12);
        for (int32_t t = 0; t < s.triangles; ++t)
        {
            test_surface single = {s.x, s.t + 3 * t, s.nodes, 1};
            pl_surface *piece = give(ctx, &single);
            CHECK_OK(ctx, pl__bvh_create(piece, &one));
            double d = pl__bvh_closest(one, q, NULL, NULL);
            if (d < best - 1e-12)
                best = d, best_triangle = t;
            pl__bvh_destroy(&one);
            pl_surface_destroy(&piece);
        }
        CHECK_NEAR(distance, best, 1e-12);
        CHECK(triangle >= 0 && triangle < s.triangles && best_triangle >= 0);
    }
    pl__bvh_destroy(&bvh);
    pl_surface_destroy(&surface);
    surface_free(&s);
    pl_context_destroy(&ctx);
}

// The hierarchy against the sum over all triangles, near and far, with and without a hole.
static void winding_number_agrees_with_sum(void)
{
    pl_context *ctx = test_context(1);
    test_surface s = surface_torus(1, 0.4, 80, 40);
    for (int hole = 0; hole < 2; ++hole)
    {
        pl_surface *surface = give(ctx, &s);
        pl__solid *solid;
        CHECK_OK(ctx, pl__solid_create(surface, &solid));
        CHECK((solid->open_edges > 0) == (hole == 1));
        double worst = 0, worst_near = 0;
        for (uint64_t i = 0; i < 300; ++i)
        {
            double q[3] = {random_in(i, 0, 1.6), random_in(i, 1, 1.6), random_in(i, 2, 0.6)};
            double exact = pl__winding_number_exact(solid->winding, q), w = pl__solid_winding(solid, q);
            worst = fmax(worst, fabs(w - exact));
            if (fabs(exact - 0.5) < 0.15)
                worst_near = fmax(worst_near, fabs(w - exact));
            double tube = sqrt(pow(sqrt(q[0] * q[0] + q[1] * q[1]) - 1, 2) + q[2] * q[2]);
            if (!hole && fabs(tube - 0.4) > 0.01)
            {
                CHECK_NEAR(exact, tube < 0.4, 1e-9);
                CHECK((pl__solid_distance(solid, q, NULL, NULL) < 0) == (tube < 0.4));
            }
        }
        CHECK_THAT(worst < 0.08 && worst_near < 0.005, "off by %g, near 1/2 by %g", worst, worst_near);
        pl__solid_destroy(&solid);
        pl_surface_destroy(&surface);
        s.triangles -= 300;
    }
    surface_free(&s);
    pl_context_destroy(&ctx);
}

// ---- fitted meshes -----------------------------------------------------------------------------------------

// Boundary nodes on the surface, angles within the promise, at every size, place and scale.
static void fitted_meshes_are_sound(void)
{
    pl_context *ctx = test_context(1);
    test_surface shapes[] = {surface_sphere(12), surface_torus(1, 0.35, 40, 20), surface_box(1.3, 0.9, 0.7)};
    static const double scales[] = {1, 1e-6, 1e6, 1, 37};
    for (int i = 0; i < 15; ++i)
    {
        test_surface *s = &shapes[i % 3];
        test_surface copy = surface_join(s, &(test_surface){0});
        double scale = scales[i / 3], far = i / 3 == 3 ? 1e5 : scale,
               size = scale * (0.08 + 0.15 * pl__random01(1, 0, (uint64_t)i));
        surface_move(&copy, scale, random_in((uint64_t)i, 5, far), random_in((uint64_t)i, 6, far),
                     random_in((uint64_t)i, 7, far));
        pl_surface *surface = give(ctx, &copy);
        pl_mesh *mesh = stuff(ctx, surface, PL_STUFFING_FITTED, size);
        pl__bvh *bvh = NULL;
        CHECK_OK(ctx, pl__bvh_create(surface, &bvh));
        if (mesh && bvh)
        {
            check_sound(mesh, true);
            // cut points are found to about 1e-9 of an edge and rounding of the place
            CHECK_THAT(farthest_boundary_node(mesh, bvh) <= 1e-6 * size, "%g off the surface",
                       farthest_boundary_node(mesh, bvh));
        }
        pl__bvh_destroy(&bvh);
        pl_mesh_destroy(&mesh);
        pl_surface_destroy(&surface);
        surface_free(&copy);
    }
    for (int i = 0; i < 3; ++i)
        surface_free(&shapes[i]);
    pl_context_destroy(&ctx);
}

// A boundary inscribed in a smooth surface misses O(size^2) of the volume.
static void volume_converges_with_second_order(void)
{
    pl_context *ctx = test_context(1);
    test_surface s = surface_sphere(60);
    double error[3], exact = surface_volume(&s);
    for (int i = 0; i < 3; ++i)
    {
        pl_mesh *mesh = stuff_once(ctx, &s, PL_STUFFING_FITTED, 0.4 / (1 << i));
        error[i] = exact - pl_mesh_volume(mesh);
        pl_mesh_destroy(&mesh);
    }
    for (int i = 0; i < 2; ++i)
        CHECK_THAT(log2(error[i] / error[i + 1]) > 1.6, "errors %g, %g", error[i], error[i + 1]);
    surface_free(&s);
    pl_context_destroy(&ctx);
}

// A box whose faces fall on lattice points is reproduced exactly but for its edges.
static void aligned_box_is_fitted(void)
{
    pl_context *ctx = test_context(1);
    test_surface s = surface_box(1, 1, 1);
    pl_mesh *mesh = stuff_once(ctx, &s, PL_STUFFING_FITTED, 0.125);
    check_sound(mesh, true);
    CHECK_NEAR(pl_mesh_volume(mesh), 1, 0.02);
    pl_mesh_destroy(&mesh);
    surface_free(&s);
    pl_context_destroy(&ctx);
}

// Overlapping parts, duplicated nodes, inverted triangles and small holes do no harm.
static void dirty_surfaces_are_filled(void)
{
    pl_context *ctx = test_context(1);
    test_surface a = surface_sphere(10), b = surface_sphere(10);
    surface_move(&b, 1, 0.8, 0.1, 0);
    test_surface both = surface_join(&a, &b), soup = surface_explode(&both);
    // union of two unit spheres at distance d: lens of 2 caps of height 1 - d/2
    double d = sqrt(0.8 * 0.8 + 0.1 * 0.1), h = 1 - d / 2, pi = 3.14159265358979;
    double lens = 2 * pi * h * h * (3 - h) / 3, expected = 2 * surface_volume(&a) - lens;
    pl_mesh *mesh = stuff_once(ctx, &soup, PL_STUFFING_FITTED, 0.1);
    check_sound(mesh, true);
    CHECK_NEAR(pl_mesh_volume(mesh), expected, 0.03 * expected);
    pl_mesh_destroy(&mesh);

    // the first triangles of the list surround a pole
    test_surface holed = a;
    holed.t += 3 * 9, holed.triangles -= 9;
    mesh = stuff_once(ctx, &holed, PL_STUFFING_FITTED, 0.1);
    check_sound(mesh, true);
    CHECK_NEAR(pl_mesh_volume(mesh), surface_volume(&a), 0.03 * expected);
    pl_mesh_destroy(&mesh);

    for (int32_t i = 0; i < 12; ++i)
    {
        int32_t *t = a.t + 3 * (60 * i), swap = t[0];
        t[0] = t[1], t[1] = swap;
    }
    mesh = stuff_once(ctx, &a, PL_STUFFING_FITTED, 0.1);
    check_sound(mesh, true);
    pl_mesh_destroy(&mesh);
    surface_free(&a), surface_free(&b), surface_free(&both), surface_free(&soup);
    pl_context_destroy(&ctx);
}

// Two halves of a sphere whose seams share almost no points: a crack all around, but no hole.
static void cracked_seam_is_no_hole(void)
{
    pl_context *ctx = test_context(1);
    test_surface upper = surface_sphere(20), lower = surface_sphere(13);
    double expected = (surface_volume(&upper) + surface_volume(&lower)) / 2;
    upper.triangles /= 2; // octants with z > 0 come first
    test_surface rest = lower;
    rest.triangles /= 2, rest.t += 3 * rest.triangles;
    test_surface both = surface_join(&upper, &rest);
    pl_mesh *mesh = stuff_once(ctx, &both, PL_STUFFING_FITTED, 0.1);
    if (mesh)
    {
        check_sound(mesh, true);
        CHECK_NEAR(pl_mesh_volume(mesh), expected, 0.02 * expected);
    }
    pl_mesh_destroy(&mesh);
    surface_free(&upper), surface_free(&lower), surface_free(&both);
    pl_context_destroy(&ctx);
}

static char last_note[512];
static void keep_note(void *user, pl_log_level level, const char *sentence)
{
    (void)user, (void)level;
    snprintf(last_note, sizeof last_note, "%s", sentence);
}

// A surface turned inside out gives the same mesh, with a note.
static void inside_out_surface_is_turned(void)
{
    pl_context_def def = pl_context_def_default();
    def.log = keep_note, def.thread_count = 1;
    pl_context *ctx;
    if (pl_context_create(&def, &ctx) != PL_OK)
        abort();
    test_surface s = surface_sphere(8);
    pl_mesh *straight = stuff_once(ctx, &s, PL_STUFFING_FITTED, 0.2);
    last_note[0] = 0;
    surface_turn(&s);
    pl_mesh *turned = stuff_once(ctx, &s, PL_STUFFING_FITTED, 0.2);
    CHECK(strstr(last_note, "inside out"));
    CHECK_NEAR(pl_mesh_volume(turned), pl_mesh_volume(straight), 1e-12);
    pl_mesh_destroy(&straight);
    pl_mesh_destroy(&turned);
    surface_free(&s);
    pl_context_destroy(&ctx);
}

// ---- functions ---------------------------------------------------------------------------------------------

static double ball(void *user, const double x[3])
{
    const double *radius = user;
    return x[0] * x[0] + x[1] * x[1] + x[2] * x[2] - *radius * *radius; // not a distance
}

static double gyroid_ball(void *user, const double x[3])
{
    const double *k = user;
    double g = sin(*k * x[0]) * cos(*k * x[1]) + sin(*k * x[1]) * cos(*k * x[2]) + sin(*k * x[2]) * cos(*k * x[0]);
    return fmax(g, ball(&(double){0.95}, x));
}

static double torus(void *user, const double x[3])
{
    (void)user;
    return sqrt(pow(sqrt(x[0] * x[0] + x[2] * x[2]) - 0.6, 2) + x[1] * x[1]) - 0.25;
}

static void functions_are_filled(void)
{
    pl_context *ctx = test_context(1);
    const double lower[3] = {-1, -1, -1}, upper[3] = {1, 1, 1};
    double radius = 0.9, wave;
    for (int mode = 0; mode < 2; ++mode)
        for (int i = 0; i < 6; ++i)
        {
            wave = 4 + 3 * i;
            pl_stuffing_def def = stuffing((pl_stuffing_mode)mode, 0.09 + 0.013 * i);
            pl_mesh *mesh = NULL;
            pl_implicit_function *f = i % 3 == 0 ? ball : i % 3 == 1 ? gyroid_ball : torus;
            void *user = i % 3 == 0 ? &radius : &wave;
            CHECK_OK(ctx, pl_mesh_create_from_implicit(ctx, &def, lower, upper, f, user, &mesh));
            check_sound(mesh, mode == 0);
            double v = pl_mesh_volume(mesh), pi = 3.14159265358979;
            if (i % 3 == 0 && mode == 0)
                CHECK_NEAR(v, 4 * pi / 3 * pow(radius, 3), 0.03 * v);
            if (i % 3 == 2 && mode == 0)
                CHECK_NEAR(v, 2 * pi * pi * 0.6 * 0.0625, 0.06 * v);
            if (mode == 1)
            {
                // points on the surface of the ball lie in the cover
                point_finder finder = make_finder(mesh, def.size);
                test_surface s = surface_sphere(20);
                surface_move(&s, radius, 0, 0, 0);
                for (int32_t n = 0; i % 3 == 0 && n < s.nodes; ++n)
                    CHECK(contains(&finder, s.x + 3 * n));
                surface_free(&s);
                free(finder.first), free(finder.tets);
            }
            pl_mesh_destroy(&mesh);
        }
    pl_context_destroy(&ctx);
}

// The worst function there is: any sign at any lattice point, any cut on any edge, mostly at the ends of the allowed
// ranges. It knows the lattice (cells of 0.25 around the middle of [-1, 1]^3, one cell of padding).
static double adversary(void *user, const double x[3])
{
    uint64_t seed = *(uint64_t *)user;
    double q[3];
    int32_t even[3], odd[3], same[2][3], whole = 0;
    for (int d = 0; d < 3; ++d)
    {
        q[d] = (x[d] + 1.25) / 0.125;
        even[d] = 2 * (int32_t)lrint(q[d] / 2), odd[d] = 2 * (int32_t)floor(q[d] / 2) + 1;
        whole += fabs(q[d] - rint(q[d])) < 1e-9;
    }
    int32_t *a = even, *b = odd;
    if (whole >= 2)
    {
        // a lattice point or a long edge: which kind, says any whole coordinate
        int kind = 0;
        for (int d = 0; d < 3; ++d)
            if (fabs(q[d] - rint(q[d])) < 1e-9)
                kind = (int)lrint(q[d]) & 1;
        if (whole == 3)
            kind = ((int)lrint(q[0]) & 1) + ((int)lrint(q[1]) & 1) + ((int)lrint(q[2]) & 1) >= 2;
        for (int d = 0; d < 3; ++d)
        {
            same[0][d] = 2 * (int32_t)floor((q[d] - kind) / 2 + 1e-6) + kind;
            same[1][d] = same[0][d] + (q[d] - same[0][d] > 1e-6 ? 2 : 0);
        }
        a = same[0], b = same[1];
    }
    uint64_t ka = (uint64_t)(a[0] + 32 * (a[1] + 32 * a[2])), kb = (uint64_t)(b[0] + 32 * (b[1] + 32 * b[2]));
    double fraction = 0, length = 0;
    for (int d = 0; d < 3; ++d)
        fraction += (q[d] - a[d]) * (b[d] - a[d]), length += (b[d] - a[d]) * (b[d] - a[d]);
    int32_t *ends[2] = {a, b};
    double sign[2];
    for (int e = 0; e < 2; ++e)
    {
        bool inner = true;
        for (int d = 0; d < 3; ++d)
            inner &= ends[e][d] > 2 && ends[e][d] < 18;
        sign[e] = inner && pl__random01(seed, 0, e ? kb : ka) < 0.3 + 0.4 * pl__random01(seed, 9, 9) ? -1 : 1;
    }
    if (length == 0)
        return sign[0];
    if (fraction / length < 1e-9 || fraction / length > 1 - 1e-9)
        return sign[fraction / length > 0.5];
    // hash of the edge in a fixed order
    double u = pl__random01(seed, 1 + (ka < kb ? ka : kb), ka < kb ? kb : ka), v = pl__random01(seed, 20000 + ka, kb);
    double alpha = length > 3.5 ? 0.26 : 0.39, cut[] = {alpha - 1e-4, alpha + 1e-4, 1e-3, 0.5, v, v, v, v};
    double t = cut[(int)(u * 8)];
    if (pl__random01(seed, 40000 + ka, kb) < 0.5)
        t = 1 - t;
    return fraction / length < t ? sign[0] : sign[1];
}

// The promised angles hold whatever the function does: they are a property of the stencils.
static void angles_hold_against_an_adversary(void)
{
    pl_context *ctx = test_context(1);
    const double lower[3] = {-1, -1, -1}, upper[3] = {1, 1, 1};
    double least = 180, most = 0;
    uint64_t seeds = slow_tests ? 3000 : 60;
    for (uint64_t seed = 0; seed < seeds; ++seed)
    {
        pl_stuffing_def def = stuffing(PL_STUFFING_FITTED, 0.25);
        pl_mesh *mesh = NULL;
        CHECK_OK(ctx, pl_mesh_create_from_implicit(ctx, &def, lower, upper, adversary, &seed, &mesh));
        if (!mesh)
            continue;
        double a, b;
        check_sound(mesh, true);
        pl_mesh_dihedral_range(mesh, &a, &b);
        least = fmin(least, a), most = fmax(most, b);
        pl_mesh_destroy(&mesh);
    }
    // it must really be an adversary: a ball gives about 16 and 140
    CHECK_THAT(least < 12.5 && most > 150, "only [%g, %g] reached", least, most);
    if (slow_tests)
        printf("     adversary reached [%.3f, %.3f] degrees\n", least, most);
    pl_context_destroy(&ctx);
}

// ---- covering ----------------------------------------------------------------------------------------------

// Every point of every triangle, also of a plate far thinner than the lattice; the boundary is a manifold.
static void covers_contain_the_surface(void)
{
    pl_context *ctx = test_context(1);
    test_surface shapes[] = {surface_sphere(10), surface_torus(1, 0.3, 30, 12), surface_box(2, 1.5, 0.01),
                             surface_box(2, 1e-5, 1e-5)};
    for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 3; ++k)
        {
            double size = 0.11 + 0.1 * k;
            surface_move(&shapes[i], 1, 0.013, 0.027, 0.041);
            pl_mesh *mesh = stuff_once(ctx, &shapes[i], PL_STUFFING_COVERING, size);
            check_sound(mesh, false);
            int32_t samples = shapes[i].triangles < 100 ? 500 : 10;
            int32_t outside = points_outside(mesh, &shapes[i], size, samples);
            CHECK_THAT(outside == 0, "%d points of shape %d are outside", outside, i);
            pl_mesh_destroy(&mesh);
        }
    for (int i = 0; i < 4; ++i)
        surface_free(&shapes[i]);
    pl_context_destroy(&ctx);
}

// Rods along the axes, at random places: thin, crossing, next to each other.
static test_surface bundle(uint64_t seed)
{
    test_surface all = surface_box(1.5, 0.05, 0.05);
    for (uint64_t i = 0; i < 9; ++i)
    {
        test_surface rod = surface_box(i % 3 == 0 ? 1.5 : 0.04, i % 3 == 1 ? 1.5 : 0.05, i % 3 == 2 ? 1.5 : 0.06);
        surface_move(&rod, 1, 0.7 * (2 * pl__random01(seed, i, 0) - 1), 0.7 * (2 * pl__random01(seed, i, 1) - 1),
                     0.7 * (2 * pl__random01(seed, i, 2) - 1));
        test_surface both = surface_join(&all, &rod);
        surface_free(&all), surface_free(&rod);
        all = both;
    }
    return all;
}

// Every point is still inside, the boundary a manifold, the elements full; returns the part that is left of what a
// cover fills besides.
static double check_snug(pl_context *ctx, const test_surface *s, double size)
{
    double least, most, enclosed = surface_volume(s);
    pl_mesh *cover = stuff_once(ctx, s, PL_STUFFING_COVERING, size), *mesh = stuff_once(ctx, s, PL_STUFFING_SNUG, size);
    check_closed(mesh);
    int32_t outside = points_outside(mesh, s, size, s->triangles < 200 ? 300 : 10), pinched = pinched_nodes(mesh);
    CHECK_THAT(outside == 0 && pinched == 0, "%d points are outside, %d nodes have not one fan", outside, pinched);
    pl_mesh_dihedral_range(mesh, &least, &most);
    CHECK_THAT(least > 2 && most < 176 && pl_mesh_tet_count(mesh) <= pl_mesh_tet_count(cover),
               "angles within [%.2f, %.2f]", least, most);
    double left = (pl_mesh_volume(mesh) - enclosed) / (pl_mesh_volume(cover) - enclosed);
    pl_mesh_destroy(&cover);
    pl_mesh_destroy(&mesh);
    return left;
}

static void snug_covers_contain_the_surface(void)
{
    pl_context *ctx = test_context(1);
    test_surface shapes[] = {surface_sphere(10), surface_torus(1, 0.3, 30, 12), surface_box(2, 1.5, 0.01),
                             surface_box(2, 1e-5, 1e-5)};
    for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 3; ++k)
        {
            surface_move(&shapes[i], 1, 0.013, 0.027, 0.041);
            double left = check_snug(ctx, &shapes[i], 0.15 + 0.11 * k);
            CHECK_THAT(left < (i < 2 ? 0.35 : 0.67), "%.2f of what shape %d does not need are left", left, i);
        }
    for (uint64_t seed = 0; seed < (slow_tests ? 200 : 8); ++seed)
    {
        test_surface rods = bundle(seed);
        double left = check_snug(ctx, &rods, 0.16 + 0.02 * (double)(seed % 5));
        CHECK_THAT(left < 0.6, "%.2f of what bundle %d does not need are left", left, (int)seed);
        surface_free(&rods);
    }
    for (int i = 0; i < 4; ++i)
        surface_free(&shapes[i]);
    pl_context_destroy(&ctx);
}

// ---- refusals ----------------------------------------------------------------------------------------------

static void check_refusal(pl_context *ctx, const test_surface *s, pl_stuffing_mode mode, double size, const char *word)
{
    pl_surface *surface = give(ctx, s);
    pl_stuffing_def def = stuffing(mode, size);
    pl_mesh *mesh = (pl_mesh *)&def;
    CHECK(pl_mesh_create_from_surface(ctx, &def, surface, &mesh) == PL_ERR_ARGUMENT && !mesh);
    CHECK_THAT(strstr(pl_context_error(ctx), word), "\"%s\" does not say \"%s\"", pl_context_error(ctx), word);
    pl_surface_destroy(&surface);
}

static double nowhere(void *user, const double x[3]) { return (void)user, (void)x, 1; }
static double everywhere(void *user, const double x[3]) { return (void)user, (void)x, -1; }
static double not_a_number(void *user, const double x[3]) { return (void)user, (void)x, NAN; }

static void check_function_refusal(pl_context *ctx, pl_implicit_function *f, double size, double upper,
                                   const char *word)
{
    pl_stuffing_def def = stuffing(PL_STUFFING_FITTED, size);
    pl_mesh *mesh = NULL;
    const double lower[3] = {-1, -1, -1}, high[3] = {upper, 1, 1};
    CHECK(pl_mesh_create_from_implicit(ctx, &def, lower, high, f, NULL, &mesh) == PL_ERR_ARGUMENT && !mesh);
    CHECK_THAT(strstr(pl_context_error(ctx), word), "\"%s\" does not say \"%s\"", pl_context_error(ctx), word);
}

static void refusals_say_why(void)
{
    pl_context *ctx = test_context(1);
    test_surface plate = surface_box(1, 1, 1e-3), lidless = surface_box(1, 1, 1), half = surface_sphere(10),
                 ball_ = surface_sphere(6);
    lidless.triangles -= 2, half.triangles /= 2;
    check_refusal(ctx, &plate, PL_STUFFING_FITTED, 0.21, "thinner than the lattice");
    check_refusal(ctx, &ball_, PL_STUFFING_FITTED, 30, "thinner than the lattice");
    check_refusal(ctx, &lidless, PL_STUFFING_FITTED, 0.1, "open");
    check_refusal(ctx, &half, PL_STUFFING_FITTED, 0.1, "open");
    check_refusal(ctx, &half, PL_STUFFING_COVERING, 0.1, "open");
    check_refusal(ctx, &(test_surface){ball_.x, ball_.t, ball_.nodes, 1}, PL_STUFFING_FITTED, 0.1, "open");
    check_refusal(ctx, &ball_, PL_STUFFING_FITTED, 1e-4, "lattice points");
    check_refusal(ctx, &ball_, PL_STUFFING_FITTED, 1e-300, "lattice points");
    check_refusal(ctx, &ball_, PL_STUFFING_FITTED, 0, "size");
    check_refusal(ctx, &ball_, PL_STUFFING_FITTED, NAN, "size");
    check_refusal(ctx, &ball_, (pl_stuffing_mode)7, 0.1, "mode");
    pl_stuffing_def triangles = stuffing(PL_STUFFING_FITTED, 0.1);
    triangles.elements = PL_ELEMENT_TRIANGLE;
    pl_surface *round = give(ctx, &ball_);
    pl_mesh *none = (pl_mesh *)1;
    CHECK(pl_mesh_create_from_surface(ctx, &triangles, round, &none) == PL_ERR_ARGUMENT && !none);
    CHECK(strstr(pl_context_error(ctx), "elements = 2 must be PL_ELEMENT_TET or PL_ELEMENT_HEX"));
    triangles.mode = PL_STUFFING_SNUG, triangles.elements = PL_ELEMENT_HEX, none = (pl_mesh *)1;
    CHECK(pl_mesh_create_from_surface(ctx, &triangles, round, &none) == PL_ERR_ARGUMENT && !none);
    CHECK(strstr(pl_context_error(ctx), "PL_STUFFING_SNUG moves nodes"));
    triangles.elements = PL_ELEMENT_TET, none = (pl_mesh *)1;
    CHECK(pl_mesh_create_from_implicit(ctx, &triangles, (double[3]){-1, -1, -1}, (double[3]){1, 1, 1}, nowhere, NULL,
                                       &none) == PL_ERR_ARGUMENT &&
          !none);
    CHECK(strstr(pl_context_error(ctx), "PL_STUFFING_SNUG needs a surface"));
    pl_surface_destroy(&round);
    surface_move(&ball_, 1, 1e13, 0, 0);
    check_refusal(ctx, &ball_, PL_STUFFING_FITTED, 0.1, "resolved");
    check_function_refusal(ctx, nowhere, 0.2, 1, "nothing is inside");
    check_function_refusal(ctx, everywhere, 0.2, 1, "touches the box");
    check_function_refusal(ctx, not_a_number, 0.2, 1, "not a number");
    check_function_refusal(ctx, nowhere, 0.2, -2, "box");
    check_function_refusal(ctx, nowhere, 1e-5, 1, "lattice points");
    surface_free(&plate), surface_free(&lidless), surface_free(&half), surface_free(&ball_);
    pl_context_destroy(&ctx);
}

// ---- hexahedra ---------------------------------------------------------------------------------------------

static pl_mesh *stuff_hexes(pl_context *ctx, const test_surface *s, pl_stuffing_mode mode, double size)
{
    pl_surface *surface = give(ctx, s);
    pl_stuffing_def def = stuffing(mode, size);
    def.elements = PL_ELEMENT_HEX;
    pl_mesh *mesh = NULL;
    CHECK_OK(ctx, pl_mesh_create_from_surface(ctx, &def, surface, &mesh));
    pl_surface_destroy(&surface);
    return mesh;
}

static void check_cubes(const pl_mesh *mesh, double size)
{
    int32_t crowded, loose = edges_without_partner(mesh, &crowded);
    CHECK(mesh->kind == PL_ELEMENT_HEX && pl__mesh_is_valid(mesh) && loose == 0 && crowded == 0);
    double low, high;
    pl_mesh_dihedral_range(mesh, &low, &high);
    CHECK_NEAR(low, 90, 1e-6);
    CHECK_NEAR(high, 90, 1e-6);
    CHECK_NEAR(pl_mesh_volume(mesh), mesh->element_count * pow(size, 3), 1e-9);
}

// How far a point is from the nearest cell: 0 within one.
static double outside_cells(const pl_mesh *mesh, const double x[3])
{
    double best = INFINITY;
    for (int32_t e = 0; e < mesh->element_count; ++e)
    {
        const double *low = &mesh->position[3 * pl__mesh_element(mesh, e)[0]],
                     *high = &mesh->position[3 * pl__mesh_element(mesh, e)[6]];
        double gap = 0;
        for (int d = 0; d < 3; ++d)
            gap = fmax(gap, fmax(low[d] - x[d], x[d] - high[d]));
        best = fmin(best, gap);
    }
    return best;
}

// Cells whose middles are inside have the volume of the solid; cells that it touches contain it, all points of all
// triangles.
static void surfaces_are_filled_with_cells(void)
{
    pl_context *ctx = test_context(1);
    test_surface s = surface_torus(1, 0.4, 60, 30);
    double pi = 3.14159265358979, exact = 2 * pi * pi * 0.16;
    for (int i = 0; i < 4; ++i)
    {
        double size = 0.19 - 0.037 * i;
        pl_mesh *fitted = stuff_hexes(ctx, &s, PL_STUFFING_FITTED, size),
                *cover = stuff_hexes(ctx, &s, PL_STUFFING_COVERING, size);
        check_cubes(fitted, size);
        check_cubes(cover, size);
        CHECK_NEAR(pl_mesh_volume(fitted), exact, 0.06 * exact);
        CHECK(pl_mesh_volume(cover) > exact && pl_mesh_volume(cover) < exact + 2.5 * size * 4 * pi * pi * 0.4);
        double farthest = 0;
        for (int32_t t = 0; t < s.triangles; t += 7)
        {
            double point[3];
            for (int d = 0; d < 3; ++d)
                point[d] = 0.2 * s.x[3 * s.t[3 * t] + d] + 0.5 * s.x[3 * s.t[3 * t + 1] + d] +
                           0.3 * s.x[3 * s.t[3 * t + 2] + d];
            farthest = fmax(farthest, outside_cells(cover, point));
            farthest = fmax(farthest, outside_cells(cover, &s.x[3 * s.t[3 * t]]));
        }
        CHECK(farthest <= 1e-12);
        pl_mesh_destroy(&fitted);
        pl_mesh_destroy(&cover);
    }
    surface_free(&s);
    pl_context_destroy(&ctx);
}

static void functions_are_filled_with_cells(void)
{
    pl_context *ctx = test_context(1);
    const double lower[3] = {-1, -1, -1}, upper[3] = {1, 1, 1};
    double radius = 0.9, pi = 3.14159265358979, exact = 4 * pi / 3 * 0.729;
    test_surface s = surface_sphere(20);
    surface_move(&s, radius, 0, 0, 0);
    for (int mode = 0; mode < 2; ++mode)
        for (int i = 0; i < 4; ++i)
        {
            pl_stuffing_def def = stuffing((pl_stuffing_mode)mode, 0.16 - 0.027 * i);
            def.elements = PL_ELEMENT_HEX;
            pl_mesh *mesh = NULL;
            CHECK_OK(ctx, pl_mesh_create_from_implicit(ctx, &def, lower, upper, ball, &radius, &mesh));
            check_cubes(mesh, def.size);
            if (mode == 0)
                CHECK_NEAR(pl_mesh_volume(mesh), exact, 0.05 * exact);
            for (int32_t n = 0; mode == 1 && n < s.nodes; n += 5)
                CHECK(outside_cells(mesh, &s.x[3 * n]) <= 1e-12);
            pl_mesh_destroy(&mesh);
        }
    surface_free(&s);
    pl_context_destroy(&ctx);
}

// The triangles of a surface as elements: nodes in their order, groups as regions, attributes kept.
static void triangles_become_a_shell(void)
{
    pl_context *ctx = test_context(1);
    test_surface s = surface_torus(1, 0.4, 30, 15);
    pl_surface *surface = give(ctx, &s);
    static const char *const names[] = {"left", "right"};
    int32_t *group = calloc((size_t)s.triangles, sizeof *group);
    group[5] = 1;
    CHECK_OK(ctx, pl__surface_set_groups(surface, 2, names, group));
    CHECK_OK(ctx, pl__surface_add_attribute(surface, "color", 3, s.x));
    pl_mesh *mesh;
    CHECK_OK(ctx, pl_mesh_create_from_triangles(ctx, surface, &mesh));
    CHECK(mesh->kind == PL_ELEMENT_TRIANGLE && pl__mesh_is_valid(mesh) && mesh->node_count == s.nodes &&
          mesh->element_count == s.triangles);
    CHECK(memcmp(mesh->element, s.t, 12 * (size_t)s.triangles) == 0 &&
          memcmp(mesh->position, s.x, 24 * (size_t)s.nodes) == 0);
    CHECK(mesh->region_count == 2 && strcmp(mesh->region_name[1], "right") == 0 && mesh->element_region[5] == 1 &&
          mesh->element_region[4] == 0);
    CHECK(pl_mesh_attribute_count(mesh) == 1 &&
          memcmp(pl_mesh_attribute_values(mesh, 0), s.x, 24 * (size_t)s.nodes) == 0);
    pl_mesh_destroy(&mesh);
    surface->triangle[4] = surface->triangle[3];
    CHECK(pl_mesh_create_from_triangles(ctx, surface, &mesh) == PL_ERR_ARGUMENT && !mesh);
    CHECK(strstr(pl_context_error(ctx), "pl_mesh_create_from_triangles: triangle 1 (nodes"));
    CHECK(pl_mesh_create_from_triangles(ctx, NULL, &mesh) == PL_ERR_ARGUMENT && !mesh);
    free(group);
    pl_surface_destroy(&surface);
    surface_free(&s);
    CHECK(pl_context_memory(ctx) == 0);
    pl_context_destroy(&ctx);
}

// ---- threads and memory ------------------------------------------------------------------------------------

static uint64_t mesh_hash(const pl_mesh *mesh)
{
    uint64_t h = pl__hash(0, pl_mesh_positions(mesh), (size_t)pl_mesh_node_count(mesh) * 3 * sizeof(double));
    return pl__hash(h, pl_mesh_tets(mesh), (size_t)pl_mesh_tet_count(mesh) * 4 * sizeof(int32_t));
}

static void same_bits_for_any_thread_count(void)
{
    test_surface s = surface_torus(1, 0.4, 30, 15);
    for (int hole = 0; hole < 2; ++hole, s.triangles -= 5)
        for (int mode = PL_STUFFING_FITTED; mode <= PL_STUFFING_SNUG; ++mode)
        {
            uint64_t first = 0;
            for (int32_t threads = 1; threads <= 4; threads *= 2)
            {
                pl_context *ctx = test_context(threads);
                pl_mesh *mesh = stuff_once(ctx, &s, (pl_stuffing_mode)mode, 0.13);
                uint64_t hash = mesh ? mesh_hash(mesh) : 0;
                first = threads == 1 ? hash : first;
                CHECK(hash == first && hash);
                pl_mesh_destroy(&mesh);
                pl_context_destroy(&ctx);
            }
        }
    surface_free(&s);
}

typedef struct
{
    int64_t countdown, live;
} failing;

static void *failing_allocate(void *user, size_t size, size_t alignment)
{
    failing *f = user;
    if (f->countdown-- == 0)
        return NULL;
    f->live++;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void failing_release(void *user, void *pointer, size_t size)
{
    (void)size;
    ((failing *)user)->live -= pointer != NULL;
    free(pointer);
}

// The n-th allocation fails, for every n: a status, nothing leaked, nothing made.
static void every_failed_allocation_is_survived(void)
{
    test_surface s = surface_sphere(4);
    const double lower[3] = {-1, -1, -1}, upper[3] = {1, 1, 1};
    for (int what = 0; what < 10; ++what)
        for (int64_t n = 0;; ++n)
        {
            failing f = {.countdown = INT64_MAX};
            pl_context_def def = pl_context_def_default();
            def.allocator = (pl_allocator){failing_allocate, failing_release, &f};
            def.thread_count = 1;
            pl_context *ctx;
            if (pl_context_create(&def, &ctx) != PL_OK)
                abort();
            test_surface holed = {s.x, s.t, s.nodes, s.triangles - (what == 4)};
            pl_surface *surface = give(ctx, &holed);
            int64_t before = f.live;
            pl_stuffing_def sd = stuffing(what == 9 ? PL_STUFFING_SNUG : (pl_stuffing_mode)(what & 1), 0.4);
            sd.elements = what > 4 && what < 9 ? PL_ELEMENT_HEX : PL_ELEMENT_TET;
            pl_mesh *mesh = NULL;
            double radius = 0.9;
            f.countdown = n;
            pl_status status = what < 2 || what == 9 || (what >= 4 && what < 7)
                                   ? pl_mesh_create_from_surface(ctx, &sd, surface, &mesh)
                                   : pl_mesh_create_from_implicit(ctx, &sd, lower, upper, ball, &radius, &mesh);
            bool failed = f.countdown < 0;
            CHECK(status == (failed ? PL_ERR_MEMORY : PL_OK) && (mesh == NULL) == failed);
            pl_mesh_destroy(&mesh);
            CHECK_THAT(f.live == before, "%d blocks leaked when allocation %d failed", (int)(f.live - before), (int)n);
            pl_surface_destroy(&surface);
            pl_context_destroy(&ctx);
            CHECK(f.live == 0);
            if (!failed || n > 1000)
                break;
        }
    surface_free(&s);
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {
        TEST(closest_point_is_closest),
        TEST(winding_number_agrees_with_sum),
        TEST(fitted_meshes_are_sound),
        TEST(volume_converges_with_second_order),
        TEST(aligned_box_is_fitted),
        TEST(dirty_surfaces_are_filled),
        TEST(cracked_seam_is_no_hole),
        TEST(inside_out_surface_is_turned),
        TEST(functions_are_filled),
        TEST(angles_hold_against_an_adversary),
        TEST(covers_contain_the_surface),
        TEST(snug_covers_contain_the_surface),
        TEST(refusals_say_why),
        TEST(surfaces_are_filled_with_cells),
        TEST(functions_are_filled_with_cells),
        TEST(triangles_become_a_shell),
        TEST(same_bits_for_any_thread_count),
        TEST(every_failed_allocation_is_survived),
    };
    return RUN(tests);
}

// tests/metaballs.c -- balls, limbs, plates and chains; the detailed surface of a shape.
#include "desk.h"
#include "mesh/bvh.h"
#include "mesh/mesh.h"

static const double pi = 3.14159265358979323846;

static pl_scene *build(desk *d, const char *text)
{
    pl_scene *scene = NULL;
    pl_status status = pl_scene_parse(d->ctx, "dir/scene.json", text, strlen(text), &scene);
    CHECK_THAT(status == PL_OK, "%s", pl_context_error(d->ctx));
    return scene;
}

// A body of blobs, with more keys of the blobs and more keys of the body.
static pl_scene *build_blobs(desk *d, const char *parts, const char *keys, const char *more)
{
    char text[1024];
    snprintf(text, sizeof text, "{ \"bodies\": { \"a\": { \"shape\": { \"blobs\": { \"parts\": [%s]%s } }%s } } }",
             parts, keys, more);
    return build(d, text);
}

// Distance of x from the triangle of three points, which may lie on a line or coincide.
static double skeleton_distance(const double p[9], const double x[3])
{
    double closest[3];
    return sqrt(pl__triangle_closest(x, p, closest));
}

// All parts with one radius r have their surface at distance r from their skeleton; nodes that are warped onto it are
// there to second order in the size of cells, 1/40 of r squared over r.
static void check_hull(desk *d, const char *parts, const double skeleton[9], double r, double volume)
{
    pl_scene *scene = build_blobs(d, parts, "", ", \"size\": 0.02");
    if (!scene)
        return;
    const pl_mesh *mesh = scene->body[0].def.mesh;
    double worst = 0;
    for (int32_t k = 0; k < 3 * mesh->triangle_count; ++k)
        worst = fmax(worst, fabs(skeleton_distance(skeleton, &mesh->position[3 * (size_t)mesh->triangle[k]]) - r));
    CHECK_THAT(worst < 0.02 * r, "%s: off by %g m", parts, worst);
    CHECK_THAT(fabs(pl_mesh_volume(mesh) - volume) < 0.02 * volume, "%s: %g m^3, not %g", parts, pl_mesh_volume(mesh),
               volume);
    pl_scene_destroy(&scene);
}

// Steiner: what is within r of a triangle of area A and perimeter P has the volume 2 A r + pi r^2 P / 2 + 4 pi r^3 / 3;
// of a segment of length L, which is a triangle with P = 2 L, pi r^2 L + ...
static void parts_are_hulls_of_balls(void)
{
    desk d;
    desk_make(&d);
    double r = 0.1, ball = 4 * pi * r * r * r / 3;
    check_hull(&d, "[0.1, 0.2, 0.3, 0.1]", (double[]){0.1, 0.2, 0.3, 0.1, 0.2, 0.3, 0.1, 0.2, 0.3}, r, ball);
    check_hull(&d, "[0, 0, 0, 0.1, 0.3, 0.4, 0, 0.1]", (double[]){0, 0, 0, 0.3, 0.4, 0, 0, 0, 0}, r,
               pi * r * r * 0.5 + ball);
    check_hull(&d, "[0, 0, 0, 0.1, 0.4, 0, 0, 0.1, 0, 0, 0.3, 0.1]", (double[]){0, 0, 0, 0.4, 0, 0, 0, 0, 0.3}, r,
               2 * 0.06 * r + pi * r * r * 1.2 / 2 + ball);
    // a plate without area
    check_hull(&d, "[0, 0, 0, 0.1, 0.3, 0.4, 0, 0.1, 0, 0, 0, 0.1]", (double[]){0, 0, 0, 0.3, 0.4, 0, 0, 0, 0}, r,
               pi * r * r * 0.5 + ball);
    // a straight chain is a limb: it does not swell at its joints
    check_hull(&d, "[0, 0, 0, 0.1, 0.1, 0, 0, 0.1, 0.2, 0, 0, 0.1, 0.35, 0, 0, 0.1, 0.5, 0, 0, 0.1]",
               (double[]){0, 0, 0, 0.5, 0, 0, 0, 0, 0}, r, pi * r * r * 0.5 + ball);
    desk_clear(&d);
}

// Bumps go out and in by up to their height, everywhere on a ball, and leave its volume about as it is.
static void relief_goes_out_and_in(void)
{
    desk d;
    desk_make(&d);
    pl_scene *scene =
        build_blobs(&d, "[0, 0, 0, 0.3]", ", \"relief\": 0.01, \"relief_length\": 0.12", ", \"size\": 0.02");
    const pl_mesh *mesh = scene->body[0].def.mesh;
    double least = 1, most = 0, volume = 4 * pi * 0.027 / 3;
    for (int32_t k = 0; k < 3 * mesh->triangle_count; ++k)
    {
        const double *x = &mesh->position[3 * (size_t)mesh->triangle[k]],
                     radius = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
        least = fmin(least, radius), most = fmax(most, radius);
    }
    CHECK_THAT(least > 0.289 && least < 0.293 && most > 0.307 && most < 0.311, "from %g to %g m", least, most);
    CHECK_NEAR(pl_mesh_volume(mesh), volume, 0.01 * volume);
    pl_scene_destroy(&scene);
    desk_clear(&d);
}

static void check_detailed(desk *d, const char *shape, const char *keys, double volume, int32_t at_least)
{
    char text[512];
    pl_surface_info info;
    snprintf(text, sizeof text, "{ \"bodies\": { \"a\": { \"shape\": %s, \"size\": 0.2, \"surface_size\": 0.03%s } } }",
             shape, keys);
    pl_scene *scene = build(d, text);
    if (!scene)
        return;
    const pl_body_def *def = &scene->body[0].def;
    CHECK(def->surface && pl_surface_survey(def->surface, &info) == PL_OK);
    CHECK_THAT(info.open_edges == 0 && info.crowded_edges == 0 && info.turned_edges == 0 && info.unused == 0,
               "%s: %d open, %d crowded, %d turned edges, %d unused", shape, info.open_edges, info.crowded_edges,
               info.turned_edges, info.unused);
    CHECK_THAT(fabs(info.volume - volume) < 0.02 * volume && pl_surface_triangle_count(def->surface) > at_least,
               "%s: %g m^3 in %d triangles", shape, info.volume, pl_surface_triangle_count(def->surface));
    // what carries it is around it, coarse, and weighs what the surface encloses
    CHECK(pl_mesh_volume(def->mesh) > info.volume &&
          pl_mesh_element_count(def->mesh) < pl_surface_triangle_count(def->surface));
    CHECK_NEAR(def->density_factors[0] * pl_mesh_volume(def->mesh), info.volume, 1e-12);
    pl_scene_destroy(&scene);
}

static void shapes_have_detailed_surfaces(void)
{
    desk d;
    desk_make(&d);
    double ball = 4 * pi * 0.064 / 3;
    check_detailed(&d, "{ \"blobs\": [[0, 0, 0, 0.4]] }", "", ball, 3000);
    check_detailed(&d, "{ \"blobs\": [[0, 0, 0, 0.4]] }", ", \"snug\": true", ball, 3000);
    check_detailed(&d, "{ \"blobs\": [[0, 0, 0, 0.4]] }", ", \"elements\": \"hex\"", ball, 3000);
    check_detailed(&d, "{ \"sphere\": 0.4 }", ", \"snug\": true", ball, 3000);
    check_detailed(&d, "{ \"box\": [0.5, 0.4, 0.3] }", "", 0.06, 1000);
    check_detailed(&d, "{ \"torus\": { \"radius\": 0.4, \"tube\": 0.15 } }", ", \"snug\": true",
                   2 * pi * pi * 0.4 * 0.0225, 3000);
    CHECK_THAT(d.log[0] == 0, "%s", d.log);
    desk_clear(&d);
}

// A wire as thin as the triangles: its surface touches itself, and one is told.
static void thin_parts_are_doubted(void)
{
    desk d;
    desk_make(&d);
    pl_scene *scene = build_blobs(&d, "[0, 0, 0, 0.3], [0, 0, 0, 0.02, 0.6, 0.1, 0.2, 0.014]", ", \"blend\": 0",
                                  ", \"size\": 0.2, \"surface_size\": 0.03");
    CHECK_THAT(strstr(d.log, "bodies.a: its surface touches itself at "), "%s", d.log);
    pl_scene_destroy(&scene);
    desk_clear(&d);
}

static pl_status attempt(pl_context *ctx)
{
    static const char text[] =
        "{ \"bodies\": { \"a\": { \"shape\": { \"blobs\": [[0, 0, 0, 0.4], [0, 0, 0, 0.1, 0.5, 0, 0, 0.1, 0, 0.5, 0, "
        "0.1]] }, \"size\": 0.3, \"surface_size\": 0.1, \"snug\": true } } }";
    pl_scene *scene = NULL;
    pl_status status = pl_scene_parse(ctx, "blobs.json", text, sizeof text - 1, &scene);
    pl_scene_destroy(&scene);
    return status;
}

static void every_failed_allocation_is_survived(void) { CHECK(survive_every_failure(attempt) > 50); }

int main(int argc, char **argv)
{
    static const pl_test tests[] = {TEST(parts_are_hulls_of_balls), TEST(relief_goes_out_and_in),
                                    TEST(shapes_have_detailed_surfaces), TEST(thin_parts_are_doubted),
                                    TEST(every_failed_allocation_is_survived)};
    return RUN(tests);
}

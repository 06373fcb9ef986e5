// tests/render.c -- pictures and movies: light in closed form, the same bits for all threads, files that can be
// trusted.
#include "host.h"

#include "app/render/colormap.h"
#include "app/render/geometry.h"
#include "app/render/movie.h"
#include "app/render/render.h"
#include "app/render/water.h"
#include "base/context.h"
#include "base/random.h"

#include <dirent.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <webp/demux.h>

static char directory[] = "/tmp/pliant-render-XXXXXX";

static const char *in_directory(const char *name)
{
    static char path[4][320];
    static int next;
    char *p = path[next++ % 4];
    snprintf(p, sizeof path[0], "%s/%s", directory, name);
    return p;
}

static int32_t file_count(void)
{
    int32_t count = 0;
    DIR *d = opendir(directory);
    for (struct dirent *entry = readdir(d); entry; entry = readdir(d))
        count += entry->d_name[0] != '.';
    closedir(d);
    return count;
}

static void clear_directory(void)
{
    DIR *d = opendir(directory);
    for (struct dirent *entry = readdir(d); entry; entry = readdir(d))
        if (entry->d_name[0] != '.')
            unlink(in_directory(entry->d_name));
    closedir(d);
}

static bool says(pl_context *ctx, const char *what) { return strstr(pl_context_error(ctx), what) != NULL; }

// ---- scenes ------------------------------------------------------------------------------------------------------

enum
{
    AROUND = 48,
    DOWN = 24,
    BALL_VERTICES = AROUND * (DOWN - 1) + 2,
    BALL_TRIANGLES = 2 * AROUND * (DOWN - 1)
};

typedef struct ball
{
    float vertices[BALL_VERTICES][3];
    int32_t triangles[BALL_TRIANGLES][3];
} ball;

static int32_t ball_vertex(int ring, int k)
{
    return ring == 0 ? 0 : ring == DOWN ? BALL_VERTICES - 1 : 1 + (ring - 1) * AROUND + k % AROUND;
}

static ball *ball_create(float x, float y, float z, float radius)
{
    ball *b = calloc(1, sizeof *b);
    int32_t n = 0;
    for (int ring = 0; ring <= DOWN; ++ring)
        for (int k = 0; k < AROUND; ++k)
        {
            double polar = M_PI * ring / DOWN, turn = 2 * M_PI * k / AROUND;
            float *p = b->vertices[ball_vertex(ring, k)];
            p[0] = x + radius * (float)(sin(polar) * cos(turn));
            p[1] = y + radius * (float)cos(polar);
            p[2] = z + radius * (float)(sin(polar) * sin(turn));
            int32_t upper[3] = {ball_vertex(ring, k), ball_vertex(ring, k + 1), ball_vertex(ring + 1, k + 1)};
            int32_t lower[3] = {ball_vertex(ring, k), ball_vertex(ring + 1, k + 1), ball_vertex(ring + 1, k)};
            if (ring > 0 && ring < DOWN)
                memcpy(b->triangles[n++], upper, sizeof upper);
            if (ring < DOWN - 1)
                memcpy(b->triangles[n++], lower, sizeof lower);
        }
    return b;
}

static render_mesh mesh_of(const ball *b, float grey)
{
    return (render_mesh){.vertex_count = BALL_VERTICES,
                         .triangle_count = BALL_TRIANGLES,
                         .vertices = b->vertices[0],
                         .triangles = b->triangles[0],
                         .color = {grey, grey, grey},
                         .roughness = 0.5f};
}

static render_plane floor_of(float grey) { return (render_plane){{0, 0, 0}, {0, 1, 0}, {grey, grey, grey}, 0}; }

static render_look small_look(int32_t width, int32_t height)
{
    render_look look = render_look_default();
    look.width = width;
    look.height = height;
    return look;
}

// From six metres above, x to the right and z down in the picture, 4 m high.
static render_camera from_above(void)
{
    return (render_camera){{0, 6, 0}, {0, 0, 0}, {0, 0, -1}, 2 * atan(2.0 / 6) * 180 / M_PI};
}

static const uint8_t *pixel_at(const image *im, int32_t x, int32_t y)
{
    return im->rgb + 3 * ((size_t)y * (size_t)im->width + (size_t)x);
}

static image draw(pl_context *ctx, const render_scene *scene, const render_camera *camera, const render_look *look)
{
    image im = {0};
    CHECK_OK(ctx, render_draw(ctx, scene, camera, look, &im));
    return im;
}

// ---- light -------------------------------------------------------------------------------------------------------

// A white body in a room of even light cannot be seen: it returns what falls in, coat and smooth normals included.
static void a_white_body_vanishes_in_even_light(void)
{
    pl_context *ctx = test_context(1);
    ball *b = ball_create(0, 0, 0, 1);
    render_mesh mesh = mesh_of(b, 1);
    render_scene scene = {.meshes = &mesh, .mesh_count = 1};
    render_camera camera = {{1, 2, 4}, {0, 0, 0}, {0, 1, 0}, 35};
    render_look look = small_look(96, 72);
    look.light_strength = look.sky_gradient = 0;
    look.sky_strength = 0.5;
    look.background[0] = look.background[1] = look.background[2] = 0.5f;
    for (int k = 0; k < 3; ++k)
    {
        mesh.roughness = 0.2f + 0.4f * (float)k;
        image im = draw(ctx, &scene, &camera, &look);
        int worst = 0, expected = (int)lrintf(255 * srgb_from_linear(0.5f));
        for (int32_t i = 0; im.rgb && i < 3 * im.width * im.height; ++i)
            worst = abs(im.rgb[i] - expected) > worst ? abs(im.rgb[i] - expected) : worst;
        CHECK_THAT(im.rgb && worst <= 1, "differs by %d", worst);
        image_destroy(ctx, &im);
    }
    free(b);
    pl_context_destroy(&ctx);
}

// Far from a small ball the ground returns albedo (key cos + sky); behind it, seen from the light, only what the sky
// gives.
static void shadows_fall_where_geometry_says(void)
{
    pl_context *ctx = test_context(1);
    ball *b = ball_create(0, 1, 0, 0.3f);
    render_mesh mesh = mesh_of(b, 0.2f);
    render_plane plane = floor_of(0.5f);
    render_scene scene = {.meshes = &mesh, .mesh_count = 1, .planes = &plane, .plane_count = 1};
    render_camera camera = from_above();
    render_look look = small_look(100, 100);
    look.light[0] = look.light[1] = 1;
    look.light[2] = 0;
    look.light_angle = 0.5;
    look.light_strength = 0.6;
    look.sky_strength = 0.3;
    look.sky_gradient = 0;
    image im = draw(ctx, &scene, &camera, &look);
    // 25 pixels are a metre; the ball, at (0, 1, 0), shades (-1, 0, 0)
    const uint8_t *shade = pixel_at(&im, 25, 50), *lit = pixel_at(&im, 75, 50), *far = pixel_at(&im, 75, 90);
    float expected = linear_from_srgb((float)far[1] / 255), closed = 0.5f * (0.6f * 0.965f * sqrtf(0.5f) + 0.3f);
    CHECK_NEAR(expected, closed, 0.012); // the ball hides at most 2 % of the sky; 8 bits are 0.4 %
    CHECK(lit[1] > shade[1] + 40);
    CHECK_NEAR(linear_from_srgb((float)shade[1] / 255), 0.5 * 0.3, 0.02);
    image_destroy(ctx, &im);
    free(b);
    pl_context_destroy(&ctx);
}

static void the_side_of_the_light_is_brighter(void)
{
    pl_context *ctx = test_context(1);
    ball *b = ball_create(0, 0, 0, 1);
    render_mesh mesh = mesh_of(b, 0.4f);
    render_scene scene = {.meshes = &mesh, .mesh_count = 1};
    render_camera camera = {{0, 0, 5}, {0, 0, 0}, {0, 1, 0}, 30};
    render_look look = small_look(64, 64);
    for (int side = -1; side <= 1; side += 2)
    {
        look.light[0] = side;
        look.light[1] = 0.2;
        look.light[2] = 0.2;
        image im = draw(ctx, &scene, &camera, &look);
        const uint8_t *left = pixel_at(&im, 16, 32), *right = pixel_at(&im, 47, 32);
        CHECK_THAT(side < 0 ? left[1] > right[1] + 50 : right[1] > left[1] + 50, "%d and %d", left[1], right[1]);
        image_destroy(ctx, &im);
    }
    free(b);
    pl_context_destroy(&ctx);
}

// A red wall colours the white floor before it, everywhere alike: two infinite planes know no length.
static void light_bounces(void)
{
    pl_context *ctx = test_context(1);
    render_plane planes[2] = {floor_of(0.8f), {{-1, 0, 0}, {1, 0, 0}, {0.8f, 0.05f, 0.05f}, 0}};
    render_camera camera = from_above();
    render_look look = small_look(40, 40);
    look.light[0] = 1, look.light[1] = 1, look.light[2] = 0;
    int red[2];
    for (int32_t count = 1; count <= 2; ++count)
    {
        render_scene scene = {.planes = planes, .plane_count = count};
        image im = draw(ctx, &scene, &camera, &look);
        const uint8_t *near = pixel_at(&im, 12, 20), *away = pixel_at(&im, 30, 20);
        CHECK(abs(near[0] - away[0]) <= 4 && abs(near[2] - away[2]) <= 4);
        red[count - 1] = near[0] - near[2];
        image_destroy(ctx, &im);
    }
    CHECK_THAT(red[1] > red[0] + 15, "red exceeds blue by %d, and by %d without the wall", red[1], red[0]);
    pl_context_destroy(&ctx);
}

// The horizon is nowhere: the ground reaches the colour of the background before it ends, in small steps.
static void the_ground_fades_into_the_background(void)
{
    pl_context *ctx = test_context(1);
    render_plane plane = floor_of(0.2f);
    render_scene scene = {.planes = &plane, .plane_count = 1};
    render_camera camera = {{0, 1, 4}, {0, 0.5, 0}, {0, 1, 0}, 40};
    render_look look = small_look(16, 200);
    image im = draw(ctx, &scene, &camera, &look);
    int top = pixel_at(&im, 8, 0)[1], steepest = 0;
    CHECK(top == (int)lrintf(255 * srgb_from_linear(look.background[1])));
    for (int32_t y = 1; y < im.height; ++y)
    {
        int step = abs(pixel_at(&im, 8, y)[1] - pixel_at(&im, 8, y - 1)[1]);
        steepest = step > steepest ? step : steepest;
    }
    CHECK_THAT(pixel_at(&im, 8, 199)[1] < top - 40 && steepest < 20, "a step of %d", steepest);
    image_destroy(ctx, &im);
    pl_context_destroy(&ctx);
}

// ---- water -------------------------------------------------------------------------------------------------------

// A box of water, with vertices and triangles of its own.
typedef struct tank
{
    float vertices[8][3];
    int32_t triangles[12][3];
} tank;

static tank tank_between(const float lower[3], const float upper[3])
{
    static const int32_t triangles[12][3] = {{0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}, {0, 1, 5}, {0, 5, 4},
                                             {2, 6, 7}, {2, 7, 3}, {0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}};
    tank b;
    for (int i = 0; i < 8; ++i)
        for (int k = 0; k < 3; ++k)
            b.vertices[i][k] = i >> k & 1 ? upper[k] : lower[k];
    memcpy(b.triangles, triangles, sizeof triangles);
    return b;
}

static render_mesh water_in(const tank *b)
{
    return (render_mesh){.vertex_count = 8,
                         .triangle_count = 12,
                         .vertices = b->vertices[0],
                         .triangles = b->triangles[0],
                         .matter = RENDER_WATER};
}

// Even light: a background of 0.5, and no more.
static render_look even_look(int32_t width, int32_t height)
{
    render_look look = small_look(width, height);
    look.light_strength = look.sky_gradient = 0;
    look.sky_strength = 0.5;
    look.background[0] = look.background[1] = look.background[2] = 0.5f;
    return look;
}

// Mean over a square in the middle of the picture.
static double middle_of(const image *im, int channel, int32_t half)
{
    double sum = 0;
    for (int32_t y = im->height / 2 - half; im->rgb && y < im->height / 2 + half; ++y)
        for (int32_t x = im->width / 2 - half; x < im->width / 2 + half; ++x)
            sum += linear_from_srgb((float)pixel_at(im, x, y)[channel] / 255);
    return sum / (4 * half * half);
}

// 2 % at normal incidence; none of one polarisation at Brewster's angle; the same share from both sides; all of it
// beyond the critical angle.
static void water_mirrors_by_fresnels_law(void)
{
    float through, n = water_index, normal = (n - 1) * (n - 1) / ((n + 1) * (n + 1));
    CHECK_NEAR(water_fresnel(1, n, &through), normal, 1e-7);
    CHECK_NEAR(normal, 0.0204, 1e-4);
    CHECK_NEAR(through, 1, 1e-7);
    float brewster = 1 / sqrtf(1 + n * n), across = (1 - n * n) / (1 + n * n); // cos(atan n)
    CHECK_NEAR(water_fresnel(brewster, n, &through), 0.5f * across * across, 1e-6);
    for (int i = 1; i < 90; ++i)
    {
        float cosine = cosf((float)(i * M_PI / 180)), inside, outside;
        float share = water_fresnel(cosine, n, &inside);
        CHECK_NEAR(n * sqrt(1 - inside * inside), sin(i * M_PI / 180), 1e-5); // Snell
        CHECK_NEAR(water_fresnel(inside, 1 / n, &outside), share, 2e-5);
        CHECK_NEAR(outside, cosine, 2e-5);
        bool total = sin(i * M_PI / 180) > 1 / n;
        CHECK((water_fresnel(cosine, 1 / n, &inside) == 1) == total);
    }
}

// Clear water and glass in even light cannot be seen, whatever rays do in it.
static void clear_water_vanishes_in_even_light(void)
{
    pl_context *ctx = test_context(1);
    ball *b = ball_create(0, 0, 0, 1);
    tank c = tank_between((float[3]){-1.5f, -1, -0.5f}, (float[3]){1.5f, 0.3f, 0.7f});
    render_mesh mesh[3] = {mesh_of(b, 0), water_in(&c), mesh_of(b, 0)};
    mesh[0].matter = RENDER_WATER;
    mesh[2].matter = RENDER_GLASS;
    render_camera camera = {{1, 2, 4}, {0, 0, 0}, {0, 1, 0}, 35};
    render_look look = even_look(96, 72);
    for (int k = 0; k < 3; ++k)
    {
        render_scene scene = {.meshes = &mesh[k], .mesh_count = 1};
        image im = draw(ctx, &scene, &camera, &look);
        int worst = 0, expected = (int)lrintf(255 * srgb_from_linear(0.5f));
        for (int32_t i = 0; im.rgb && i < 3 * im.width * im.height; ++i)
            worst = abs(im.rgb[i] - expected) > worst ? abs(im.rgb[i] - expected) : worst;
        CHECK_THAT(im.rgb && worst <= 1, "differs by %d", worst);
        image_destroy(ctx, &im);
    }
    free(b);
    pl_context_destroy(&ctx);
}

// A black wall behind a pane: each of its two faces mirrors F = (0.52 / 2.52)^2 of the sky and lets 1 - F through, of
// which the wall returns 2 %. In water the pane is not seen.
static void glass_mirrors_at_both_faces(void)
{
    pl_context *ctx = test_context(1);
    tank wall = tank_between((float[3]){-9, -9, -2}, (float[3]){9, 9, -1}),
         pane = tank_between((float[3]){-9, -9, 1}, (float[3]){9, 9, 1.2f}),
         lake = tank_between((float[3]){-9, -9, 0}, (float[3]){9, 9, 2});
    render_mesh mesh[3] = {water_in(&wall), water_in(&pane), water_in(&lake)};
    mesh[0].matter = RENDER_OPAQUE;
    mesh[1].matter = RENDER_GLASS;
    mesh[0].roughness = 1;
    render_camera camera = {{0, 0, 6}, {0, 0, 0}, {0, 1, 0}, 10};
    render_look look = even_look(48, 48);
    double through = pow(1 - pow(0.52 / 2.52, 2), 2), seen[3];
    for (int k = 0; k < 3; ++k) // wall and pane; with water around it; wall and water only
    {
        render_mesh shown[3] = {mesh[0], mesh[k == 2 ? 2 : 1], mesh[2]};
        render_scene scene = {.meshes = shown, .mesh_count = k == 1 ? 3 : 2};
        image im = draw(ctx, &scene, &camera, &look);
        seen[k] = middle_of(&im, 1, 4);
        image_destroy(ctx, &im);
    }
    CHECK_NEAR(seen[0], 0.5 * (1 - through) + 0.5 * 0.02 * through, 0.004);
    CHECK_NEAR(seen[1], seen[2], 0.002);
    pl_context_destroy(&ctx);
}

// Through a slab: e = exp(-a d) of what comes from behind; inside, I = e (1 - F + F I) goes to and fro.
static void water_absorbs_by_beers_law(void)
{
    pl_context *ctx = test_context(1);
    tank b = tank_between((float[3]){-9, 0, -9}, (float[3]){9, 0.5f, 9});
    render_mesh mesh = water_in(&b);
    mesh.absorption[0] = 4, mesh.absorption[1] = 1;
    render_scene scene = {.meshes = &mesh, .mesh_count = 1};
    render_camera camera = {{0, 6, 0}, {0, 0, 0}, {0, 0, -1}, 5};
    render_look look = even_look(40, 40);
    image im = draw(ctx, &scene, &camera, &look);
    double F = pow((water_index - 1) / (water_index + 1), 2);
    for (int k = 0; k < 3; ++k)
    {
        double e = exp(-0.5 * mesh.absorption[k]), inside = e * (1 - F) / (1 - F * e);
        CHECK_NEAR(middle_of(&im, k, 15), 0.5 * (F + (1 - F) * inside), 0.003); // half a step of 8 bits
    }
    image_destroy(ctx, &im);
    pl_context_destroy(&ctx);
}

// Two slabs that share a part are one: nothing is mirrored within, and nothing absorbs twice.
static void water_in_water_is_not_seen(void)
{
    pl_context *ctx = test_context(1);
    tank low = tank_between((float[3]){-9, 0, -9}, (float[3]){9, 0.3f, 9}),
         high = tank_between((float[3]){-8, 0.1f, -8}, (float[3]){8, 0.5f, 8}),
         whole = tank_between((float[3]){-9, 0, -9}, (float[3]){9, 0.5f, 9});
    render_mesh mesh[2][2] = {{water_in(&low), water_in(&high)}, {water_in(&whole)}};
    render_camera camera = {{0, 6, 1}, {0, 0, 0}, {0, 0, -1}, 5};
    render_look look = even_look(40, 40);
    double seen[2];
    for (int one = 0; one < 2; ++one)
    {
        render_scene scene = {.meshes = mesh[one], .mesh_count = 2 - one};
        for (int k = 0; k < 2; ++k)
            mesh[one][k].absorption[0] = 2;
        image im = draw(ctx, &scene, &camera, &look);
        seen[one] = middle_of(&im, 0, 15);
        image_destroy(ctx, &im);
    }
    CHECK(seen[0] < 0.3);
    CHECK_NEAR(seen[0], seen[1], 0.003);
    pl_context_destroy(&ctx);
}

// Clear beads vanish in even light. Near the middle they are lenses that turn things over: a wall that is dark at the
// left is seen dark at the right. In water they are not seen.
static void beads_are_lenses(void)
{
    static const int32_t triangles[6] = {0, 1, 2, 0, 2, 3};
    const float dark[12] = {0, -9, -6, -9, -9, -6, -9, 9, -6, 0, 9, -6}; // x < 0
    const float position[3] = {0, 0, 0}, radius = 1;
    pl_context *ctx = test_context(1);
    tank lake = tank_between((float[3]){-9, -9, -5.5f}, (float[3]){9, 9, 2});
    render_mesh mesh[2] = {
        {.vertex_count = 4, .triangle_count = 2, .vertices = dark, .triangles = triangles, .roughness = 1},
        water_in(&lake)};
    render_points bead = {.count = 1, .positions = position, .radii = &radius, .opacity = 1, .clear = 1};
    render_camera camera = {{0, 0, 9}, {0, 0, 0}, {0, 1, 0}, 16};
    render_look look = even_look(64, 64);
    for (int shown = 0; shown < 3; ++shown) // the bead, with the wall, and in water
    {
        render_scene scene = {.meshes = mesh, .mesh_count = shown, .points = &bead, .points_count = 1};
        image im = draw(ctx, &scene, &camera, &look);
        int left = pixel_at(&im, 24, 32)[0], right = pixel_at(&im, 40, 32)[0];
        CHECK(shown == 0 ? abs(left - right) <= 1 : shown == 1 ? left > right + 80 : right > left + 80);
        image_destroy(ctx, &im);
    }
    pl_context_destroy(&ctx);
}

// Light that falls straight down through a ball of water meets two radii below its centre, and has spread to half of
// the radius a radius below that: the floor there is bright in the middle, dark around it, and has as much light in all
// as without the ball, but for what is mirrored.
static void a_ball_of_water_focuses_light(void)
{
    pl_context *ctx = test_context(1);
    ball *b = ball_create(0, 3, 0, 1);
    render_mesh mesh = mesh_of(b, 0);
    mesh.matter = RENDER_WATER;
    render_plane floor = floor_of(0.3f);
    render_camera camera = {{0, 1.9, 0}, {0, 0, 0}, {0, 0, -1}, 90};
    render_look look = small_look(76, 76); // 20 pixels a metre
    look.sky_strength = look.sky_gradient = 0;
    look.light_strength = 0.3;
    look.light_angle = 0;
    memcpy(look.light, (double[3]){0, 1, 0}, sizeof look.light);
    render_scene scene = {.meshes = &mesh, .mesh_count = 1, .planes = &floor, .plane_count = 1};
    image im = draw(ctx, &scene, &camera, &look);
    double sum[4] = {0}; // in the middle, around, beyond the shadow, all of it
    int count[4] = {0};
    for (int32_t k = 0; im.rgb && k < 76 * 76; ++k)
    {
        double far = hypot(k % 76 - 37.5, k / 76 - 37.5) / 20;
        double light = linear_from_srgb((float)im.rgb[3 * k] / 255);
        int at = far < 0.25 ? 0 : far > 0.7 && far < 0.9 ? 1 : far > 1.1 && far < 1.3 ? 2 : -1;
        if (at >= 0)
            sum[at] += light, ++count[at];
        if (far < 1)
            sum[3] += light, ++count[3];
    }
    for (int k = 0; k < 4; ++k)
        sum[k] /= count[k] + 1e-9;
    CHECK(sum[0] > 2 * sum[2] && sum[1] < 0.3 * sum[2]);
    CHECK(sum[3] > 0.5 * sum[2] && sum[3] < sum[2]);
    image_destroy(ctx, &im);
    free(b);
    pl_context_destroy(&ctx);
}

// Foam on dark water returns 0.9 of even light where there is much of it, none a patch away, and less where there is
// little.
static void foam_whitens_water(void)
{
    pl_context *ctx = test_context(1);
    tank b = tank_between((float[3]){-9, 0, -9}, (float[3]){9, 0.5f, 9});
    render_mesh mesh = water_in(&b);
    for (int k = 0; k < 3; ++k)
        mesh.absorption[k] = 1000;
    const float positions[9] = {0, 0.5f, 0, 0, 0.5f, 0, 0, 0.5f, 0}, radii[3] = {0.1f, 0.1f, 0.1f};
    render_points points = {.positions = positions, .radii = radii, .opacity = 0.6f, .foam = 1};
    render_scene scene = {.meshes = &mesh, .mesh_count = 1, .points = &points, .points_count = 1};
    render_camera camera = {{0, 6.5, 0}, {0, 0.5, 0}, {0, 0, -1}, 20};
    render_look look = even_look(40, 40);
    double seen[4], F = pow((water_index - 1) / (water_index + 1), 2);
    for (int k = 0; k < 4; ++k)
    {
        points.count = k;
        image im = draw(ctx, &scene, &camera, &look);
        seen[k] = middle_of(&im, 1, 1);
        CHECK_NEAR(linear_from_srgb((float)pixel_at(&im, 2, 2)[1] / 255), 0.5 * F, 0.004);
        image_destroy(ctx, &im);
    }
    CHECK_NEAR(seen[0], 0.5 * F, 0.004);
    CHECK(seen[1] > 0.1 && seen[1] < 0.25 && seen[2] > seen[1] && seen[3] > seen[2]);
    CHECK_NEAR(seen[3], 0.45, 0.03);
    pl_context_destroy(&ctx);
}

// The column of the middle row where it gets dark.
static int32_t edge_column(const image *im)
{
    int32_t x = 0;
    while (im->rgb && x < im->width && pixel_at(im, x, im->height / 2)[0] > 100)
        ++x;
    return x;
}

// At 45 degrees, a slab of thickness d shifts what is behind it by d (1 - tan b) along the floor, sin b = sin 45 / n.
static void a_slab_shifts_by_snells_law(void)
{
    static const int32_t triangles[6] = {0, 1, 2, 0, 2, 3};
    const float dark[12] = {0, 0.001f, 4, -4, 0.001f, 4, -4, 0.001f, -4, 0, 0.001f, -4}; // x < 0
    pl_context *ctx = test_context(1);
    tank b = tank_between((float[3]){-6, 0.2f, -6}, (float[3]){6, 0.9f, 6});
    render_mesh mesh[2] = {
        {.vertex_count = 4, .triangle_count = 2, .vertices = dark, .triangles = triangles, .roughness = 1},
        water_in(&b)};
    render_plane plane = floor_of(0.8f);
    render_camera camera = {{-40, 40, 0}, {0, 0, 0}, {0, 1, 0}, 2};
    camera.up[0] = 0, camera.up[1] = 0, camera.up[2] = 1; // x to the left
    render_look look = even_look(400, 400);
    int32_t edge[2];
    for (int32_t count = 1; count <= 2; ++count)
    {
        render_scene scene = {.meshes = mesh, .mesh_count = count, .planes = &plane, .plane_count = 1};
        image im = draw(ctx, &scene, &camera, &look);
        edge[count - 1] = edge_column(&im);
        image_destroy(ctx, &im);
    }
    double sine = sqrt(0.5) / water_index, shift = 0.7 * (1 - sine / sqrt(1 - sine * sine));
    // seen at 45 degrees from 40 sqrt 2 m away, on a film that is 400 pixels wide
    double pixels = shift * sqrt(0.5) / (40 * sqrt(2.0)) / tan(M_PI / 180) * 200;
    CHECK_THAT(abs(edge[0] - 200) <= 1 && fabs(abs(edge[1] - edge[0]) - pixels) <= 2, "%d and %d, expected %g", edge[0],
               edge[1], pixels);
    pl_context_destroy(&ctx);
}

// From below, the surface is a window within 48.6 degrees of the vertical, and beyond it a mirror of the red floor that
// the water stands on, without air between.
static void the_surface_is_a_mirror_from_below(void)
{
    pl_context *ctx = test_context(1);
    tank b = tank_between((float[3]){-30, 0, -30}, (float[3]){30, 2, 30});
    render_mesh mesh = water_in(&b);
    render_plane plane = {{0, 0, 0}, {0, 1, 0}, {0.8f, 0.02f, 0.02f}, 0};
    render_scene scene = {.meshes = &mesh, .mesh_count = 1, .planes = &plane, .plane_count = 1};
    render_look look = even_look(20, 20);
    for (int degrees = 30; degrees <= 70; degrees += 5)
    {
        double angle = degrees * M_PI / 180;
        render_camera camera = {{0, 1, 0}, {30 * sin(angle), 1 + 30 * cos(angle), 0}, {0, 0, 1}, 2};
        image im = draw(ctx, &scene, &camera, &look);
        double red = middle_of(&im, 0, 8), blue = middle_of(&im, 2, 8), F = 0;
        float through, share = water_fresnel((float)cos(angle), 1 / water_index, &through);
        F = share;
        // the floor returns 0.8 and 0.02 of the light that the water lets in, nearly all; the window shows 0.5
        CHECK_NEAR(blue, (1 - F) * 0.5 + F * 0.02 * 0.5, 0.02);
        CHECK_THAT(red > 0.3, "%d degrees: red %g", degrees, red);
        image_destroy(ctx, &im);
    }
    pl_context_destroy(&ctx);
}

// Points cover what their discs do, as much as they are opaque; those that are not finite are not there.
static void points_cover_their_discs(void)
{
    pl_context *ctx = test_context(1);
    const float positions[9] = {0, 0, 0, NAN, 0, 0, 5, 0, 0}, radii[3] = {0.5f, 1, -1};
    render_points points = {.count = 3, .positions = positions, .radii = radii, .opacity = 1};
    render_scene scene = {.points = &points, .points_count = 1};
    render_camera camera = from_above();
    render_look look = even_look(80, 80);
    for (int k = 0; k < 2; ++k)
    {
        points.opacity = k ? 0.5f : 1;
        image im = draw(ctx, &scene, &camera, &look);
        double light = im.rgb ? linear_from_srgb((float)im.rgb[0] / 255) : 0; // 0.5 in 8 bits
        double dark = 0, part = M_PI * 0.5 * 0.5 / 16 * 1.007;                // nearer than the focus: 36 / (36 - 0.25)
        for (int32_t i = 0; im.rgb && i < 80 * 80; ++i)
            dark += (light - linear_from_srgb((float)im.rgb[3 * i] / 255)) / (80 * 80);
        CHECK_NEAR(dark, points.opacity * part * 0.5 * 0.98, 0.02 * part); // the coat returns 2 %
        image_destroy(ctx, &im);
    }
    pl_context_destroy(&ctx);
}

// ---- determinism -------------------------------------------------------------------------------------------------

static void run_reversed(void *user, int32_t count, void (*task)(void *argument, int32_t i), void *argument)
{
    (void)user;
    for (int32_t i = count - 1; i >= 0; --i)
        task(argument, i);
}

static image draw_everything(pl_context *ctx)
{
    ball *a = ball_create(-0.5f, 0.5f, 0, 0.5f), *b = ball_create(0.6f, 0.4f, 0.2f, 0.4f);
    float values[BALL_VERTICES];
    for (int i = 0; i < BALL_VERTICES; ++i)
        values[i] = b->vertices[i][1];
    tank c = tank_between((float[3]){-0.9f, 0, 0.3f}, (float[3]){0.9f, 0.3f, 0.9f});
    render_mesh meshes[3] = {mesh_of(a, 0.5f), mesh_of(b, 0.5f), water_in(&c)};
    meshes[2].absorption[0] = 3;
    const float drops[6] = {-0.3f, 0.4f, 0.5f, 0.2f, 0.2f, 0.6f}, radii[2] = {0.1f, 0.05f};
    render_points points = {.count = 2, .positions = drops, .radii = radii, .color = {1, 1, 1}, .opacity = 0.6f};
    meshes[0].wireframe = RENDER_TRIANGLES;
    meshes[1].vertex_values = values;
    render_plane plane = floor_of(0.7f);
    plane.grid = 1;
    render_scene scene = {
        .meshes = meshes, .mesh_count = 3, .planes = &plane, .plane_count = 1, .points = &points, .points_count = 1};
    double lower[3] = {-1, 0, -0.5}, upper[3] = {1, 1, 0.6};
    render_look look = small_look(161, 91);
    look.samples = 20;
    look.color_map = "turbo";
    look.map_label = "height [m]";
    look.caption = "frame 7";
    render_camera camera = render_frame_camera(lower, upper, 30, 161.0 / 91);
    image im = draw(ctx, &scene, &camera, &look);
    free(a);
    free(b);
    return im;
}

// A square of two triangles, seen from above: its diagonal is dark when triangles are drawn and as light as the rest
// when it is one face.
static void diagonals_of_quadrilaterals_are_not_drawn(void)
{
    pl_context *ctx = test_context(1);
    static const float vertices[4][3] = {{-1, 0, -1}, {-1, 0, 1}, {1, 0, 1}, {1, 0, -1}};
    static const int32_t triangles[2][3] = {{0, 1, 2}, {0, 2, 3}};
    render_mesh mesh = {.vertex_count = 4,
                        .triangle_count = 2,
                        .vertices = vertices[0],
                        .triangles = triangles[0],
                        .color = {0.8f, 0.8f, 0.8f},
                        .roughness = 1};
    render_scene scene = {.meshes = &mesh, .mesh_count = 1, .planes = NULL, .plane_count = 0};
    render_camera camera = {.from = {0, 4, 0.001}, .up = {0, 1, 0}, .fov = 40};
    render_look look = small_look(65, 65);
    int middle[3];
    for (int k = 0; k < 3; ++k)
    {
        mesh.wireframe = (render_wireframe)k;
        image im = draw(ctx, &scene, &camera, &look);
        middle[k] = im.rgb[3 * (32 * 65 + 32)];
        image_destroy(ctx, &im);
    }
    CHECK_THAT(middle[1] < middle[0] - 40 && abs(middle[2] - middle[0]) <= 2, "%d, %d, %d", middle[0], middle[1],
               middle[2]);
    pl_context_destroy(&ctx);
}

// A dark square that lies in the plane of a light floor: all of it is seen, from far and near.
static void what_lies_on_a_plane_is_seen(void)
{
    pl_context *ctx = test_context(1);
    static const float vertices[4][3] = {{-1, 0, -1}, {-1, 0, 1}, {1, 0, 1}, {1, 0, -1}};
    static const int32_t triangles[2][3] = {{0, 1, 2}, {0, 2, 3}};
    render_mesh mesh = {.vertex_count = 4,
                        .triangle_count = 2,
                        .vertices = vertices[0],
                        .triangles = triangles[0],
                        .color = {0.02f, 0.02f, 0.02f},
                        .roughness = 1};
    render_plane plane = floor_of(0.8f);
    render_scene scene = {.meshes = &mesh, .mesh_count = 1, .planes = &plane, .plane_count = 1};
    render_look look = small_look(33, 33);
    for (double distance = 2; distance < 100; distance *= 3)
    {
        render_camera camera = {
            .from = {0.7 * distance, 0.5 * distance, 0.3 * distance}, .up = {0, 1, 0}, .fov = 20 / distance};
        image im = draw(ctx, &scene, &camera, &look);
        int lightest = 0;
        for (int i = 0; i < 33 * 33; ++i)
            lightest = im.rgb[3 * i] > lightest ? im.rgb[3 * i] : lightest;
        CHECK_THAT(lightest < 100, "%d from %g m", lightest, distance);
        image_destroy(ctx, &im);
    }
    pl_context_destroy(&ctx);
}

static void threads_and_order_change_no_bit(void)
{
    image first = {0};
    pl_context *ctx = test_context(1);
    first = draw_everything(ctx);
    for (int kind = 0; kind < 3; ++kind)
    {
        pl_context_def def = pl_context_def_default();
        def.thread_count = kind == 0 ? 2 : kind == 1 ? 5 : 1;
        if (kind == 2)
            def.task_runner.run = run_reversed;
        pl_context *other;
        if (pl_context_create(&def, &other) != PL_OK)
            abort();
        image im = draw_everything(other);
        CHECK(im.rgb && first.rgb && memcmp(im.rgb, first.rgb, 3 * 161 * 91) == 0);
        image_destroy(other, &im);
        pl_context_destroy(&other);
    }
    image_destroy(ctx, &first);
    pl_context_destroy(&ctx);
}

// ---- normals, camera ---------------------------------------------------------------------------------------------

static const int32_t box_triangles[12][3] = {{0, 1, 3}, {0, 3, 2}, {4, 6, 7}, {4, 7, 5}, {0, 4, 5}, {0, 5, 1},
                                             {2, 3, 7}, {2, 7, 6}, {0, 2, 6}, {0, 6, 4}, {1, 5, 7}, {1, 7, 3}};

// A box with shared vertices keeps its edges; a ball, whose facets meet at less than 40 degrees, is round.
static void normals_know_creases(void)
{
    pl_context *ctx = test_context(1);
    float box[8][3];
    for (int i = 0; i < 8; ++i)
        for (int k = 0; k < 3; ++k)
            box[i][k] = (float)(i >> k & 1);
    int32_t kept[BALL_TRIANGLES];
    for (int i = 0; i < BALL_TRIANGLES; ++i)
        kept[i] = i;
    render_mesh mesh = {.vertex_count = 8, .triangle_count = 12, .vertices = box[0], .triangles = box_triangles[0]};
    shape s = {.mesh = &mesh, .kept_count = 12, .kept = kept};
    CHECK_OK(ctx, shape_make_normals(ctx, &s));
    for (int i = 0; i < 36; ++i)
    {
        const float *n = s.normals + 3 * i;
        CHECK(fmaxf(fmaxf(fabsf(n[0]), fabsf(n[1])), fabsf(n[2])) == 1);
    }
    pl__free(ctx, s.normals, 9 * 12 * sizeof(float));
    ball *b = ball_create(0, 0, 0, 1);
    mesh = mesh_of(b, 1);
    s = (shape){.mesh = &mesh, .kept_count = BALL_TRIANGLES, .kept = kept};
    CHECK_OK(ctx, shape_make_normals(ctx, &s));
    for (int i = 0; i < 3 * BALL_TRIANGLES; ++i)
    {
        v3 n = v3_load(s.normals + 3 * i), p = v3_load(b->vertices[b->triangles[i / 3][i % 3]]);
        // facets are 7.5 degrees wide
        CHECK(fabsf(v3_dot(n, p)) > 0.998f);
    }
    pl__free(ctx, s.normals, 9 * BALL_TRIANGLES * sizeof(float));
    free(b);
    pl_context_destroy(&ctx);
}

// Every corner of the box is inside the margin, and some corner is on it.
static void the_camera_frames_the_box(void)
{
    for (int trial = 0; trial < 50; ++trial)
    {
        double lower[3], upper[3], aspect = 0.5 + 0.05 * trial, fov = 10 + 2 * trial, farthest = 0;
        for (uint64_t k = 0; k < 3; ++k)
        {
            lower[k] = 4 * pl__random01(1, (uint64_t)trial, k) - 2;
            upper[k] = lower[k] + pow(10, 2 * pl__random01(2, (uint64_t)trial, k) - 1);
        }
        render_camera c = render_frame_camera(lower, upper, fov, aspect);
        v3 from = {(float)c.from[0], (float)c.from[1], (float)c.from[2]};
        v3 at = {(float)c.look_at[0], (float)c.look_at[1], (float)c.look_at[2]};
        v3 forward = v3_unit(v3_sub(at, from)), right = v3_unit(v3_cross(forward, (v3){0, 1, 0})),
           up = v3_cross(right, forward);
        for (int i = 0; i < 8; ++i)
        {
            v3 d = {(float)(i & 1 ? upper[0] : lower[0]) - from.x, (float)(i & 2 ? upper[1] : lower[1]) - from.y,
                    (float)(i & 4 ? upper[2] : lower[2]) - from.z};
            double depth = v3_dot(d, forward), half = tan(fov * M_PI / 360);
            farthest = fmax(farthest,
                            fmax(fabs(v3_dot(d, right) / depth / half / aspect), fabs(v3_dot(d, up) / depth / half)));
            CHECK(depth > 0);
        }
        CHECK_NEAR(farthest, 1 / 1.15, 1e-3);
    }
}

// A ball of a tenth of the radius has a hundredth of the area. Near, both are framed; ever farther away, it no longer
// moves the box, and that of the large ball is in it, with at most a quarter of its side to spare. Two of equal size
// are both followed.
static void what_flies_away_is_not_framed(void)
{
    for (int k = 0; k < 12; ++k)
    {
        double far = 1.2 * pow(3, k), lower[3] = {INFINITY, INFINITY, INFINITY},
               upper[3] = {-INFINITY, -INFINITY, -INFINITY};
        ball *large = ball_create(1, 2, 3, 1), *small = ball_create((float)(1 + far), 2, 3, 0.09f),
             *other = ball_create((float)(1 + far), 2, 3, 1);
        render_mesh mesh[2] = {mesh_of(large, 0.5f), mesh_of(small, 0.5f)};
        render_extend_box_by_bulk(mesh, 2, lower, upper);
        CHECK_NEAR(lower[0], 0, 0.02);
        CHECK_THAT(k == 0 ? fabs(upper[0] - 2.29) < 0.01 : upper[0] > 1.99 && upper[0] < 2.55, "%g away: up to %g", far,
                   upper[0]);
        CHECK(lower[1] < 1.02 && lower[1] > 0.99 && upper[2] > 3.98 && upper[2] < 4.01);
        mesh[1] = mesh_of(other, 0.5f);
        render_extend_box_by_bulk(mesh, 2, lower, upper);
        CHECK_NEAR(upper[0], 2 + far, 0.02 * far);
        free(large), free(small), free(other);
    }
}

// ---- nonsense in, sentence or picture out ------------------------------------------------------------------------

static void nonsense_gets_a_sentence(void)
{
    pl_context *ctx = test_context(1);
    ball *b = ball_create(0, 0, 0, 1);
    render_mesh mesh = mesh_of(b, 0.5f);
    render_scene scene = {.meshes = &mesh, .mesh_count = 1};
    render_camera good = {{0, 0, 5}, {0, 0, 0}, {0, 1, 0}, 30};
    image im = {0};
#define REFUSED(what, ...)                                                                                             \
    do                                                                                                                 \
    {                                                                                                                  \
        render_camera camera = good;                                                                                   \
        render_look look = small_look(8, 8);                                                                           \
        __VA_ARGS__;                                                                                                   \
        CHECK_THAT(render_draw(ctx, &scene, &camera, &look, &im) == PL_ERR_ARGUMENT && says(ctx, what) && !im.rgb,     \
                   "%s: %s", what, pl_context_error(ctx));                                                             \
    } while (0)
    REFUSED("where it looks at", camera.from[2] = 0);
    REFUSED("up", camera.up[1] = 0);
    REFUSED("up", camera.up[1] = NAN);
    REFUSED("fov", camera.fov = 0);
    REFUSED("from", camera.from[0] = NAN);
    REFUSED("width", look.width = 0);
    REFUSED("height", look.height = 1 << 20);
    REFUSED("samples", look.samples = 0);
    REFUSED("light", look.light[0] = look.light[1] = look.light[2] = 0);
    REFUSED("background", look.background[1] = NAN);
    REFUSED("viridis, turbo, coolwarm and inferno", look.color_map = "jet");
    REFUSED("map_low", look.color_map = "turbo"; look.map_high = look.map_low);
    b->triangles[7][1] = BALL_VERTICES;
    REFUSED("triangle 7 has vertex", (void)0);
    b->triangles[7][1] = -1;
    REFUSED("triangle 7 has vertex", (void)0);
    free(b);
    pl_context_destroy(&ctx);
}

static void empty_scenes_are_background(void)
{
    pl_context *ctx = test_context(1);
    render_mesh nothing = {0};
    render_scene scenes[2] = {{0}, {.meshes = &nothing, .mesh_count = 1}};
    // straight up along `up`, too
    render_camera cameras[2] = {{{0, 0, 5}, {0, 0, 0}, {0, 1, 0}, 30}, {{0, 0, 0}, {0, 3, 0}, {0, 1, 0}, 30}};
    for (int i = 0; i < 2; ++i)
    {
        render_look look = small_look(5, 3);
        image im = draw(ctx, &scenes[i], &cameras[i], &look);
        for (int k = 0; im.rgb && k < 45; ++k)
            CHECK(im.rgb[k] == (uint8_t)lrintf(255 * srgb_from_linear(look.background[k % 3])));
        image_destroy(ctx, &im);
    }
    pl_context_destroy(&ctx);
}

// Bad vertices take their triangles away and nothing else; bad values are grey.
static void vertices_that_are_not_finite_are_left_out(void)
{
    pl_context *ctx = test_context(1);
    ball *b = ball_create(0, 0, 0, 1);
    const float bad[4] = {NAN, INFINITY, -INFINITY, 1e30f};
    float values[BALL_VERTICES] = {0};
    for (int i = 0; i < 4; ++i)
    {
        b->vertices[400 + 9 * i][i % 3] = bad[i];
        values[100 + i] = bad[i];
    }
    render_mesh mesh = mesh_of(b, 0.5f);
    mesh.vertex_values = values;
    render_scene scene = {.meshes = &mesh, .mesh_count = 1};
    render_camera camera = {{0, 0, 5}, {0, 0, 0}, {0, 1, 0}, 30};
    render_look look = small_look(120, 40);
    look.color_map = "viridis";
    image im = draw(ctx, &scene, &camera, &look);
    image_destroy(ctx, &im);
    for (int i = 0; i < BALL_VERTICES; ++i)
        b->vertices[i][1] = NAN;
    look.color_map = NULL;
    im = draw(ctx, &scene, &camera, &look);
    CHECK(im.rgb && pixel_at(&im, 60, 20)[0] == pixel_at(&im, 0, 0)[0]);
    image_destroy(ctx, &im);
    free(b);
    pl_context_destroy(&ctx);
}

// ---- lettering ---------------------------------------------------------------------------------------------------

static image white_image(pl_context *ctx, int32_t width, int32_t height)
{
    static const uint8_t white[3] = {255, 255, 255};
    image im = {0};
    CHECK_OK(ctx, image_create(ctx, width, height, &im));
    image_fill(&im, white);
    return im;
}

// The box of what is not white: left, top, right, bottom, inclusive; empty when left > right.
static void ink_box(const image *im, int32_t box[4])
{
    box[0] = im->width, box[1] = im->height, box[2] = box[3] = -1;
    for (int32_t y = 0; y < im->height; ++y)
        for (int32_t x = 0; x < im->width; ++x)
            if (pixel_at(im, x, y)[0] < 255)
            {
                box[0] = x < box[0] ? x : box[0], box[2] = x > box[2] ? x : box[2];
                box[1] = y < box[1] ? y : box[1], box[3] = y > box[3] ? y : box[3];
            }
}

// Every character leaves ink within its line and its width, both ways round.
static void letters_stay_in_their_line(void)
{
    pl_context *ctx = test_context(1);
    for (int c = 33; c < 127; ++c)
    {
        char text[2] = {(char)c, 0};
        for (int upward = 0; upward < 2; ++upward)
        {
            image im = white_image(ctx, 100, 100);
            image_font font = {.size = 20, .upward = upward};
            image_text(&im, &font, 50, 50, text);
            int32_t box[4];
            ink_box(&im, box);
            double width = image_text_width(&font, text);
            int32_t along[2] = {upward ? 100 - box[3] : box[0], upward ? 100 - box[1] : box[2]};
            int32_t above[2] = {upward ? box[0] : box[1], upward ? box[2] : box[3]};
            CHECK_THAT(box[2] >= box[0] && along[0] >= 47 && along[1] <= 52 + width && above[0] >= 25 && above[1] <= 60,
                       "'%c' from %d to %d, %d to %d", c, along[0], along[1], above[0], above[1]);
            image_destroy(ctx, &im);
        }
    }
    pl_context_destroy(&ctx);
}

static void text_is_aligned_and_clipped(void)
{
    pl_context *ctx = test_context(1);
    image_font font = {.size = 10};
    double width = image_text_width(&font, "frame 12");
    for (int align = 0; align < 3; ++align)
    {
        image im = white_image(ctx, 300, 30);
        font.align = (image_align)align;
        image_text(&im, &font, 150, 20, "frame 12");
        int32_t box[4];
        ink_box(&im, box);
        CHECK_NEAR(box[0], 150 - 0.5 * align * width, 2);
        CHECK_NEAR(box[2], 150 + (1 - 0.5 * align) * width, 2);
        image_destroy(ctx, &im);
    }
    image im = white_image(ctx, 20, 20);
    font.size = 50;
    for (int i = 0; i < 36; ++i)
        image_text(&im, &font, 20 * (i % 6) - 50, 20 * (i / 6) - 50, "Clipped, \xc3\xa9 and \xff");
    font.size = NAN;
    image_text(&im, &font, 0, 0, "x");
    font.size = 5;
    image_text(&im, &font, 1e300, -1e300, "x");
    image_text(&im, &font, NAN, 0, "x");
    CHECK(image_text_width(&font, "") == 0);
    image_destroy(ctx, &im);
    pl_context_destroy(&ctx);
}

// The legend stays at the right side, shows the whole map, and survives pictures that are too small for it.
static void the_legend_is_at_the_right_side(void)
{
    pl_context *ctx = test_context(1);
    for (int32_t i = 0; colormap_name(i); ++i)
    {
        colormap map;
        CHECK_OK(ctx, colormap_find(ctx, colormap_name(i), &map));
        image im = white_image(ctx, 640, 360);
        legend_draw(&im, &map, -0.5, 0.25, "strain, a rather long label for a legend of this height");
        double share = legend_share(640, 360, -0.5, 0.25, "strain");
        int32_t box[4];
        ink_box(&im, box);
        CHECK_THAT(share > 0.02 && share < 0.25 && box[0] >= 640 * (1 - share) - 2 && box[2] < 640 && box[1] > 10 &&
                       box[3] < 350,
                   "%s: %d to %d, %d to %d", colormap_name(i), box[0], box[2], box[1], box[3]);
        image_destroy(ctx, &im);
        for (int32_t size = 1; size < 40; size += 3)
        {
            im = white_image(ctx, size, 41 - size);
            legend_draw(&im, &map, 1e9, 1e9 + 1, "x");
            image_destroy(ctx, &im);
        }
    }
    pl_context_destroy(&ctx);
}

static void color_maps_have_their_ends(void)
{
    static const uint8_t ends[4][2][3] = {{{0x44, 0x01, 0x54}, {0xfd, 0xe7, 0x25}},
                                          {{0x30, 0x12, 0x3b}, {0x7a, 0x04, 0x02}},
                                          {{0x3b, 0x4c, 0xc0}, {0xb4, 0x04, 0x26}},
                                          {{0x00, 0x00, 0x04}, {0xfc, 0xff, 0xa4}}};
    pl_context *ctx = test_context(1);
    for (int i = 0; colormap_name(i); ++i)
    {
        colormap map;
        CHECK_OK(ctx, colormap_find(ctx, colormap_name(i), &map));
        for (int end = 0; end < 2; ++end)
        {
            float color[3];
            colormap_lookup(&map, end ? INFINITY : -INFINITY, color);
            for (int k = 0; k < 3; ++k)
                CHECK(lrintf(255 * srgb_from_linear(color[k])) == ends[i][end][k]);
        }
        float grey[3];
        colormap_lookup(&map, NAN, grey);
        CHECK(grey[0] == grey[1] && grey[1] == grey[2]);
    }
    for (float x = 0; x <= 1; x += 0.01f)
        CHECK_NEAR(linear_from_srgb(srgb_from_linear(x)), x, 1e-5);
    pl_context_destroy(&ctx);
}

// ---- files -------------------------------------------------------------------------------------------------------

static image noise_image(pl_context *ctx, int32_t width, int32_t height, uint64_t seed)
{
    image im = {0};
    CHECK_OK(ctx, image_create(ctx, width, height, &im));
    for (int32_t i = 0; i < 3 * width * height; ++i)
        im.rgb[i] = (uint8_t)pl__random64(seed, 0, (uint64_t)i);
    return im;
}

static void png_comes_back(void)
{
    static const int32_t sizes[][2] = {{1, 1}, {37, 23}, {200, 1}, {3, 100}};
    pl_context *ctx = test_context(1);
    for (int i = 0; i < 4; ++i)
    {
        image im = noise_image(ctx, sizes[i][0], sizes[i][1], (uint64_t)i), back = {0};
        CHECK_OK(ctx, image_write_png(ctx, in_directory("a.png"), &im));
        CHECK_OK(ctx, image_read_png(ctx, in_directory("a.png"), &back));
        CHECK(back.width == im.width && back.height == im.height && back.rgb &&
              memcmp(back.rgb, im.rgb, 3 * (size_t)(im.width * im.height)) == 0);
        image_destroy(ctx, &im);
        image_destroy(ctx, &back);
    }
    CHECK(file_count() == 1);
    image im = noise_image(ctx, 2, 2, 1);
    CHECK(image_write_png(ctx, in_directory("no/such/place.png"), &im) == PL_ERR_FILE && says(ctx, "place.png"));
    image_destroy(ctx, &im);
    clear_directory();
    pl_context_destroy(&ctx);
}

static size_t read_bytes(const char *path, uint8_t *data, size_t size)
{
    FILE *f = fopen(path, "rb");
    size = f ? fread(data, 1, size, f) : 0;
    if (f)
        fclose(f);
    return size;
}

static void write_bytes(const char *path, const uint8_t *data, size_t size)
{
    FILE *f = fopen(path, "wb");
    if (f)
    {
        fwrite(data, 1, size, f);
        fclose(f);
    }
}

static uint32_t crc32_of(const uint8_t *data, size_t size)
{
    uint32_t crc = ~0u;
    for (size_t i = 0; i < size; ++i)
        for (int k = (crc ^= data[i], 0); k < 8; ++k)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    return ~crc;
}

// Every truncation is refused; any changed byte gives a picture or a sentence; announced sizes are not believed.
static void hostile_png_files_are_refused(void)
{
    static uint8_t data[8192];
    pl_context *ctx = test_context(1);
    image im = noise_image(ctx, 19, 17, 3);
    CHECK_OK(ctx, image_write_png(ctx, in_directory("a.png"), &im));
    size_t size = read_bytes(in_directory("a.png"), data, sizeof data);
    CHECK(size > 100 && size < sizeof data);
    image out = {0};
    for (size_t n = 0; n + 12 < size; n += 7) // the last 12 bytes say only that nothing follows
    {
        write_bytes(in_directory("b.png"), data, n);
        CHECK(image_read_png(ctx, in_directory("b.png"), &out) == PL_ERR_FORMAT && says(ctx, "b.png") && !out.rgb);
    }
    for (size_t n = 0; n < size; n += 3)
    {
        data[n] ^= 0x55;
        write_bytes(in_directory("b.png"), data, size);
        pl_status status = image_read_png(ctx, in_directory("b.png"), &out);
        CHECK(status == PL_OK || (status == PL_ERR_FORMAT && !out.rgb));
        image_destroy(ctx, &out);
        data[n] ^= 0x55;
    }
    // 20000 pixels wide, with the right checksum
    data[16] = 0, data[17] = 0, data[18] = 0x4e, data[19] = 0x20;
    uint32_t crc = crc32_of(data + 12, 17);
    for (int k = 0; k < 4; ++k)
        data[29 + k] = (uint8_t)(crc >> (24 - 8 * k));
    write_bytes(in_directory("b.png"), data, size);
    CHECK(image_read_png(ctx, in_directory("b.png"), &out) == PL_ERR_FORMAT && says(ctx, "20000 x 17") && !out.rgb);
    CHECK(image_read_png(ctx, in_directory("none.png"), &out) == PL_ERR_FILE);
    image_destroy(ctx, &im);
    clear_directory();
    pl_context_destroy(&ctx);
}

static void sheets_hold_their_pictures(void)
{
    pl_context *ctx = test_context(1);
    image pictures[5];
    const char *labels[5] = {"one", NULL, "three", "four", "five"};
    for (uint64_t i = 0; i < 5; ++i)
        pictures[i] = noise_image(ctx, 40, 30, i);
    image_sheet_look look = image_sheet_look_default();
    look.columns = 3;
    image sheet = {0};
    CHECK_OK(ctx, image_sheet(ctx, pictures, NULL, 5, &look, &sheet));
    CHECK(sheet.width == 4 * 16 + 3 * 40 && sheet.height == 3 * 16 + 2 * 30);
    for (int32_t i = 0; i < 5; ++i)
        for (int32_t y = 0; y < 30; ++y)
            CHECK(memcmp(pixel_at(&sheet, 16 + 56 * (i % 3), 16 + 46 * (i / 3) + y), pixel_at(&pictures[i], 0, y),
                         120) == 0);
    image_destroy(ctx, &sheet);
    CHECK_OK(ctx, image_sheet(ctx, pictures, labels, 5, &look, &sheet));
    image_destroy(ctx, &sheet);
    CHECK(image_sheet(ctx, pictures, NULL, 0, &look, &sheet) == PL_ERR_ARGUMENT);
    pictures[4].height = 29;
    CHECK(image_sheet(ctx, pictures, NULL, 5, &look, &sheet) == PL_ERR_ARGUMENT && says(ctx, "picture 4"));
    pictures[4].height = 30;
    look.columns = 0;
    CHECK(image_sheet(ctx, pictures, NULL, 5, &look, &sheet) == PL_ERR_ARGUMENT && says(ctx, "columns"));
    for (int i = 0; i < 5; ++i)
        image_destroy(ctx, &pictures[i]);
    pl_context_destroy(&ctx);
}

// ---- movies ------------------------------------------------------------------------------------------------------

// A square that moves, one grey per frame.
static image moving_square(pl_context *ctx, int32_t frame)
{
    image im = white_image(ctx, 65, 33);
    for (int32_t y = 8; y < 24; ++y)
        for (int32_t x = 4 * frame; x < 4 * frame + 16; ++x)
            memset(im.rgb + 3 * ((size_t)y * 65 + (size_t)x), 20 * frame, 3);
    return im;
}

static pl_status make_movie(pl_context *ctx, const char *path, int32_t frames)
{
    movie *m = NULL;
    pl_status status = movie_open(ctx, path, 65, 33, 25, &m);
    for (int32_t i = 0; i < frames && status == PL_OK; ++i)
    {
        image im = {0};
        status = image_create(ctx, 65, 33, &im);
        image_destroy(ctx, &im);
        if (status == PL_OK)
        {
            im = moving_square(ctx, i % 12);
            status = im.rgb ? movie_add(m, &im) : PL_ERR_MEMORY;
            image_destroy(ctx, &im);
        }
    }
    if (status == PL_OK)
        return movie_close(&m);
    movie_discard(&m);
    return status;
}

static void webp_decodes_to_its_frames(void)
{
    static uint8_t data[1 << 18];
    pl_context *ctx = test_context(1);
    const char *path = in_directory("m.webp");
    CHECK_OK(ctx, make_movie(ctx, path, 9));
    CHECK(file_count() == 1);
    WebPData bytes = {data, read_bytes(path, data, sizeof data)};
    WebPAnimDecoder *decoder = WebPAnimDecoderNew(&bytes, NULL);
    WebPAnimInfo info = {0};
    CHECK(decoder && WebPAnimDecoderGetInfo(decoder, &info));
    CHECK(info.frame_count == 9 && info.canvas_width == 65 && info.canvas_height == 33 && info.loop_count == 0);
    for (int32_t i = 0; decoder && WebPAnimDecoderHasMoreFrames(decoder); ++i)
    {
        uint8_t *rgba;
        int until;
        CHECK(WebPAnimDecoderGetNext(decoder, &rgba, &until) && until == 40 * (i + 1));
        CHECK_NEAR(rgba[4 * (16 * 65 + 4 * i + 8)], 20 * i, 12); // compression loses a little
    }
    WebPAnimDecoderDelete(decoder);
    clear_directory();
    pl_context_destroy(&ctx);
}

static void movies_say_what_is_wrong(void)
{
    pl_context *ctx = test_context(1);
    movie *m = NULL;
    image im = noise_image(ctx, 8, 8, 1);
    CHECK(movie_open(ctx, in_directory("m.gif"), 8, 8, 24, &m) == PL_ERR_ARGUMENT && says(ctx, ".webp or .mp4"));
    CHECK(movie_open(ctx, in_directory("m.webp"), 0, 8, 24, &m) == PL_ERR_ARGUMENT);
    CHECK(movie_open(ctx, in_directory("m.webp"), 8, 8, 0, &m) == PL_ERR_ARGUMENT && says(ctx, "frames per second"));
    CHECK(movie_open(ctx, in_directory("no/m.webp"), 8, 8, 24, &m) == PL_ERR_FILE);
    CHECK(!m);
    CHECK_OK(ctx, movie_open(ctx, in_directory("m.webp"), 9, 8, 24, &m));
    CHECK(movie_add(m, &im) == PL_ERR_ARGUMENT && says(ctx, "frame 0 has 8 x 8"));
    CHECK(movie_close(&m) == PL_ERR_STATE && says(ctx, "no frames") && !m);
    CHECK_OK(ctx, movie_open(ctx, in_directory("m.webp"), 8, 8, 24, &m));
    CHECK_OK(ctx, movie_add(m, &im));
    movie_discard(&m);
    movie_discard(&m);
    CHECK(!m && file_count() == 0);
    image_destroy(ctx, &im);
    CHECK(pl_context_memory(ctx) == 0);
    pl_context_destroy(&ctx);
}

// A program of that name on the PATH, in place of the real one.
static void install_ffmpeg(const char *script)
{
    setenv("PATH", directory, 1);
    if (!script)
        return;
    write_bytes(in_directory("ffmpeg"), (const uint8_t *)script, strlen(script));
    chmod(in_directory("ffmpeg"), 0755);
}

// ffmpeg gets every byte of the frames, padded to even sizes, and a file to write; its failures leave nothing behind.
static void mp4_goes_through_ffmpeg(void)
{
    static uint8_t data[1 << 18];
    char *path_before = strdup(getenv("PATH"));
    pl_context *ctx = test_context(1);
    install_ffmpeg(NULL);
    CHECK(make_movie(ctx, in_directory("m.mp4"), 2) == PL_ERR_FILE && says(ctx, "install ffmpeg or choose .webp"));
    CHECK(file_count() == 0);
    install_ffmpeg("#!/bin/sh\nfor last; do :; done\nPATH=/bin:/usr/bin exec cat >\"${last#file:}\"\n");
    CHECK_OK(ctx, make_movie(ctx, in_directory("-m 'x'.mp4"), 3));
    size_t size = read_bytes(in_directory("-m 'x'.mp4"), data, sizeof data);
    CHECK_THAT(size == 3 * 66 * 34 * 3, "%zu bytes", size);
    image im = moving_square(ctx, 2);
    const uint8_t *frame = data + 2 * 66 * 34 * 3;
    CHECK(memcmp(frame + 10 * 66 * 3, pixel_at(&im, 0, 10), 65 * 3) == 0);
    CHECK(memcmp(frame + 33 * 66 * 3, frame + 32 * 66 * 3, 66 * 3) == 0);
    image_destroy(ctx, &im);
    clear_directory();
    install_ffmpeg("#!/bin/sh\nexit 1\n");
    signal(SIGPIPE, SIG_DFL); // which would end this program
    movie *m = NULL;
    im = moving_square(ctx, 0);
    CHECK_OK(ctx, movie_open(ctx, in_directory("m.mp4"), 65, 33, 25, &m));
    int32_t taken = 0;
    while (taken < 1000 && movie_add(m, &im) == PL_OK)
        taken++;
    CHECK(taken < 1000 && says(ctx, "ffmpeg gave up at frame"));
    CHECK(movie_add(m, &im) == PL_ERR_FILE && movie_close(&m) != PL_OK);
    image_destroy(ctx, &im);
    CHECK(make_movie(ctx, in_directory("m.mp4"), 1) == PL_ERR_FILE && says(ctx, "ffmpeg"));
    CHECK(file_count() == 1); // the program itself
    clear_directory();
    CHECK(pl_context_memory(ctx) == 0);
    setenv("PATH", path_before, 1);
    free(path_before);
    pl_context_destroy(&ctx);
}

// ---- speed -------------------------------------------------------------------------------------------------------

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Only with --slow, and only against disaster: about 1.4 s with two threads of the machine it was written on.
static void a_hundred_thousand_triangles_take_seconds(void)
{
    enum
    {
        BALLS = 46
    };
    if (!slow_tests)
        return;
    ball *balls[BALLS];
    render_mesh meshes[BALLS];
    for (int i = 0; i < BALLS; ++i)
    {
        float x = 0.35f * (float)(i % 9) - 1.4f, y = 0.16f + 0.3f * (float)(i / 27),
              z = 0.35f * (float)(i / 9 % 3) - 0.35f;
        balls[i] = ball_create(x, y, z, 0.16f);
        meshes[i] = mesh_of(balls[i], 0.5f);
    }
    render_plane plane = floor_of(0.78f);
    render_scene scene = {.meshes = meshes, .mesh_count = BALLS, .planes = &plane, .plane_count = 1};
    double lower[3] = {-1.6, 0, -0.5}, upper[3] = {1.6, 0.7, 0.5}, best = HUGE_VAL;
    render_camera camera = render_frame_camera(lower, upper, 28, 16.0 / 9);
    render_look look = render_look_default();
    pl_context *ctx = test_context(2);
    for (int i = 0; i < 5; ++i)
    {
        double start = seconds();
        image im = draw(ctx, &scene, &camera, &look);
        best = fmin(best, seconds() - start);
        image_destroy(ctx, &im);
    }
    printf("%d triangles, 960 x 540, 16 samples, 2 threads: %.2f s\n", BALLS * BALL_TRIANGLES, best);
    CHECK(best < 60);
    for (int i = 0; i < BALLS; ++i)
        free(balls[i]);
    pl_context_destroy(&ctx);
}

// ---- memory ------------------------------------------------------------------------------------------------------

static pl_status attempt_picture(pl_context *ctx)
{
    ball *b = ball_create(0, 0, 0, 1);
    render_mesh mesh = mesh_of(b, 0.5f);
    render_plane plane = floor_of(0.5f);
    render_scene scene = {.meshes = &mesh, .mesh_count = 1, .planes = &plane, .plane_count = 1};
    render_camera camera = {{0, 0, 5}, {0, 0, 0}, {0, 1, 0}, 30};
    render_look look = small_look(8, 8);
    image im = {0}, back = {0}, sheet = {0};
    image_sheet_look sheet_look = image_sheet_look_default();
    pl_status status = render_draw(ctx, &scene, &camera, &look, &im);
    if (status == PL_OK)
        status = image_write_png(ctx, in_directory("a.png"), &im);
    if (status == PL_OK)
        status = image_read_png(ctx, in_directory("a.png"), &back);
    if (status == PL_OK)
        status = image_sheet(ctx, &back, NULL, 1, &sheet_look, &sheet);
    image_destroy(ctx, &im);
    image_destroy(ctx, &back);
    image_destroy(ctx, &sheet);
    free(b);
    return status;
}

static pl_status attempt_movie(pl_context *ctx)
{
    image im = {0};
    movie *m = NULL;
    pl_status status = image_create(ctx, 8, 8, &im);
    if (status == PL_OK)
        status = movie_open(ctx, in_directory("m.webp"), 8, 8, 24, &m);
    if (status == PL_OK)
        status = movie_add(m, &im);
    if (status == PL_OK)
        status = movie_close(&m);
    movie_discard(&m);
    image_destroy(ctx, &im);
    return status;
}

static void every_failed_allocation_is_survived(void)
{
    CHECK(survive_every_failure(attempt_picture) > 8);
    CHECK(survive_every_failure(attempt_movie) > 3);
    clear_directory();
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {TEST(a_white_body_vanishes_in_even_light),
                                    TEST(shadows_fall_where_geometry_says),
                                    TEST(the_side_of_the_light_is_brighter),
                                    TEST(light_bounces),
                                    TEST(the_ground_fades_into_the_background),
                                    TEST(water_mirrors_by_fresnels_law),
                                    TEST(clear_water_vanishes_in_even_light),
                                    TEST(glass_mirrors_at_both_faces),
                                    TEST(water_absorbs_by_beers_law),
                                    TEST(water_in_water_is_not_seen),
                                    TEST(beads_are_lenses),
                                    TEST(foam_whitens_water),
                                    TEST(a_ball_of_water_focuses_light),
                                    TEST(a_slab_shifts_by_snells_law),
                                    TEST(the_surface_is_a_mirror_from_below),
                                    TEST(points_cover_their_discs),
                                    TEST(diagonals_of_quadrilaterals_are_not_drawn),
                                    TEST(what_lies_on_a_plane_is_seen),
                                    TEST(threads_and_order_change_no_bit),
                                    TEST(normals_know_creases),
                                    TEST(the_camera_frames_the_box),
                                    TEST(what_flies_away_is_not_framed),
                                    TEST(nonsense_gets_a_sentence),
                                    TEST(empty_scenes_are_background),
                                    TEST(vertices_that_are_not_finite_are_left_out),
                                    TEST(letters_stay_in_their_line),
                                    TEST(text_is_aligned_and_clipped),
                                    TEST(the_legend_is_at_the_right_side),
                                    TEST(color_maps_have_their_ends),
                                    TEST(png_comes_back),
                                    TEST(hostile_png_files_are_refused),
                                    TEST(sheets_hold_their_pictures),
                                    TEST(webp_decodes_to_its_frames),
                                    TEST(movies_say_what_is_wrong),
                                    TEST(mp4_goes_through_ffmpeg),
                                    TEST(every_failed_allocation_is_survived),
                                    TEST(a_hundred_thousand_triangles_take_seconds)};
    if (!mkdtemp(directory))
        return 1;
    int result = RUN(tests);
    clear_directory();
    rmdir(directory);
    return result;
}

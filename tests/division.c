// tests/division.c -- however a frame is divided into calls, and through whatever snapshots, the bits are those of one
// call (world.h).
//
// Every scene that ships, by both integrators, in four ways side by side: by whole frames; by single substeps with
// reports between them; by single substeps after each of which the world loads a snapshot of itself; and by two worlds
// that hand each other a snapshot after every substep.
#include "base/hash.h"
#include "test.h"
#include <dirent.h>
#include <pliant/pliant.h>

typedef enum
{
    WHOLE,
    SINGLE,
    RELOADED,
    HANDED_OVER,
    WAYS
} way;

static const char *const way_name[WAYS] = {"whole frames", "single substeps",
                                           "a snapshot of itself after every substep",
                                           "a snapshot of another world after every substep"};

typedef struct
{
    pl_context *ctx;
    pl_world *world[2]; // the second only where they take turns
    void *buffer;
    size_t size;
} runner;

#define MUST(call)                                                                                                     \
    do                                                                                                                 \
    {                                                                                                                  \
        if ((call) != PL_OK)                                                                                           \
        {                                                                                                              \
            (void)fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, pl_context_error(r->ctx));                        \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

// Worlds of one scene, which takes longer to read than to be stepped.
// False if the integrator refuses the scene.
static bool open_runners(pl_context *ctx, const char *path, const char *integrator, runner runners[WAYS], double *frame)
{
    pl_scene *scene;
    runner *r = runners;
    r->ctx = ctx;
    if (pl_scene_load_changed(ctx, path, &integrator, 1, &scene) != PL_OK)
    {
        CHECK_THAT(strstr(pl_context_error(ctx), "cannot keep the volume"), "%s: %s", path, pl_context_error(ctx));
        return false;
    }
    pl_shot shot = pl_scene_shot(scene);
    *frame = shot.time_scale / shot.fps;
    for (int how = 0; how < WAYS; ++how, ++r)
    {
        *r = (runner){.ctx = ctx};
        if (pl_world_create(scene, &r->world[0]) != PL_OK && strstr(pl_context_error(ctx), "cannot keep the volume"))
        {
            pl_scene_destroy(&scene);
            return false;
        }
        CHECK(r->world[0] != NULL);
        if (how == HANDED_OVER)
            MUST(pl_world_create(scene, &r->world[1]));
    }
    pl_scene_destroy(&scene);
    return true;
}

static void close_runner(runner *r)
{
    pl_world_destroy(&r->world[0]);
    pl_world_destroy(&r->world[1]);
    free(r->buffer);
}

static uint64_t hash_of(const pl_world *world)
{
    uint64_t hash = 0;
    for (int32_t i = 0; i < pl_world_body_count(world); ++i)
    {
        pl_body_id body = pl_world_body_at(world, i);
        size_t bytes = 3 * sizeof(double) * (size_t)pl_body_node_count(world, body);
        hash = pl__hash(hash, pl_body_positions(world, body), bytes);
        hash = pl__hash(hash, pl_body_velocities(world, body), bytes);
    }
    return hash;
}

// From the first world into the one that goes on.
static void hand_over(runner *r)
{
    pl_world *from = r->world[0], *to = r->world[1] ? r->world[1] : from;
    size_t size = pl_world_save_size(from);
    if (size > r->size)
        r->buffer = realloc(r->buffer, r->size = size);
    MUST(pl_world_save(from, r->buffer, size));
    MUST(pl_world_load(to, r->buffer, size));
    if (to != from)
    {
        r->world[0] = to;
        r->world[1] = from;
    }
}

// A frame, or its first `most` substeps where that is not 0.
static uint64_t advance(runner *r, way how, double dt, int32_t most)
{
    pl_step_def step = pl_step_def_default();
    pl_step_info info;
    step.dt = dt;
    step.max_substeps = how == WHOLE ? most : 1;
    for (int32_t k = 0; k == 0 || (how != WHOLE && (most == 0 || k < most) && pl_world_pending(r->world[0]) > 0); ++k)
    {
        MUST(pl_world_step(r->world[0], &step, &info));
        if (how == SINGLE)
            MUST(pl_world_report(r->world[0], &info));
        if (how >= RELOADED)
            hand_over(r);
        step.finish = 1;
    }
    return hash_of(r->world[0]);
}

static void check_scene(const char *path, const char *integrator, int32_t frames, int32_t most)
{
    runner r[WAYS];
    double dt = 0;
    pl_context *ctx = test_context(1);
    if (!open_runners(ctx, path, integrator, r, &dt))
    {
        pl_context_destroy(&ctx);
        return;
    }
    bool same = true;
    for (int32_t frame = 0; same && frame < frames; ++frame)
    {
        uint64_t expected = advance(&r[WHOLE], WHOLE, dt, most);
        for (int how = SINGLE; how < WAYS; ++how)
        {
            bool here = advance(&r[how], (way)how, dt, most) == expected;
            CHECK_THAT(here, "%s, %s, frame %d: %s", path, integrator, frame, way_name[how]);
            same &= here;
        }
    }
    for (int how = 0; how < WAYS; ++how)
        close_runner(&r[how]);
    pl_context_destroy(&ctx);
}

static int by_name(const void *a, const void *b) { return strcmp(a, b); }

// Every third scene from `first` on, or by night all.
static void check_scenes(const char *integrator, size_t first, int32_t frames, int32_t most)
{
    char path[100][280];
    size_t count = 0;
    DIR *directory = opendir("scenes");
    for (struct dirent *entry; directory && count < 100 && (entry = readdir(directory));)
        if (strstr(entry->d_name, ".json"))
            snprintf(path[count++], sizeof path[0], "scenes/%s", entry->d_name);
    if (directory)
        closedir(directory);
    qsort(path, count, sizeof path[0], by_name);
    CHECK(count > 30);
    for (size_t i = slow_tests ? 0 : first; i < count; i += slow_tests ? 1 : 3)
        check_scene(path[i], integrator, frames, most);
}

static void the_semi_implicit_step(void)
{
    check_scenes("solver.integrator=semi_implicit", 0, slow_tests ? 6 : 1, slow_tests ? 0 : 12);
}
static void implicit_euler(void) { check_scenes("solver.integrator=implicit_euler", 1, slow_tests ? 24 : 1, 0); }

int main(int argc, char **argv)
{
    static const pl_test tests[] = {TEST(the_semi_implicit_step), TEST(implicit_euler)};
    return RUN(tests);
}

// tests/toy/toy_stepper.c -- the pliant command with a stepper of its own: a cloud of particles that fall.
//
// Nothing else knows of it: run, resume, render, export, check and view take it as they take bodies (tests/run_toy.py).
// x'' = g, exactly: x' = x + dt v + dt^2/2 g. Each particle, of 1 g, is drawn as a triangle.
#include "commands.h"
#include "session.h"
#include "world/world.h"

#include <string.h>

enum
{
    COUNT = 8,
    NUMBERS = 3 * COUNT
};

typedef struct cloud
{
    pl_world *world;
    double x[NUMBERS], v[NUMBERS];
    int32_t triangle[NUMBERS];
} cloud;

static const double mass = 1e-3, shape[9] = {-0.1, 0, 0, 0.1, 0, 0, 0, 0.2, 0};

static pl_status advance(void *self, double *dt)
{
    cloud *c = self;
    for (int k = 0; k < NUMBERS; ++k)
    {
        double g = c->world->state.gravity[k % 3];
        c->x[k] += *dt * (c->v[k] + 0.5 * *dt * g);
        c->v[k] += *dt * g;
    }
    return PL_OK;
}

static void figures(void *self, pl_step_info *info)
{
    const cloud *c = self;
    info->mass += COUNT * mass;
    for (int k = 0; k < NUMBERS; ++k)
    {
        info->kinetic += 0.5 * mass * c->v[k] * c->v[k];
        info->gravity -= mass * c->world->state.gravity[k % 3] * c->x[k];
        info->momentum[k % 3] += mass * c->v[k];
        info->center[k % 3] += mass * c->x[k];
    }
}

static int32_t drawable_count(const void *self) { return self != NULL; }

static void drawable(const void *self, int32_t i, pl_drawable *d)
{
    d->vertex_count = 3 * COUNT;
    d->triangle_count = COUNT;
    d->triangles = ((const cloud *)self)->triangle + i;
}

static pl_status read(const void *self, int32_t i, double *vertices, double *velocities)
{
    const cloud *c = self;
    for (int k = 0; k < 9 * COUNT; ++k)
    {
        if (vertices)
            vertices[k] = c->x[k / 9 * 3 + k % 3 + i] + shape[k % 9];
        if (velocities)
            velocities[k] = c->v[k / 9 * 3 + k % 3];
    }
    return PL_OK;
}

static size_t bytes(const void *self) { return sizeof((const cloud *)self)->x + sizeof((const cloud *)self)->v; }

static void save(const void *self, pl__section_writer *to)
{
    pl__section_put(to, ((const cloud *)self)->x, bytes(self));
}

static pl_status load(void *self, pl__section_reader *from, bool apply)
{
    cloud loaded;
    PL_TRY(pl__section_get(from, loaded.x, bytes(&loaded)));
    if (!pl__all_finite(loaded.x, 2 * NUMBERS))
        return pl__section_fail(from, "a number is not finite");
    if (apply)
        memcpy(((cloud *)self)->x, loaded.x, bytes(&loaded));
    return PL_OK;
}

// ---- registration ----------------------------------------------------------------------------------------------

static void destroy(void *self) { pl__free(((cloud *)self)->world->ctx, self, sizeof(cloud)); }

static const pl__stepper_type stepper = {.name = "cloud",
                                         .advance = advance,
                                         .figures = figures,
                                         .drawable_count = drawable_count,
                                         .drawable = drawable,
                                         .read = read,
                                         .destroy = destroy};
static const pl__section_type section = {
    .tag = "TOYS", .version = 1, .oldest = 1, .bytes = bytes, .write = save, .read = load};

static pl_status make_cloud(pl_world *world, const pl_scene *scene)
{
    cloud *c = PL_NEW(world->ctx, scene ? 1 : 0, cloud);
    if (!c)
        return PL_ERR_MEMORY;
    c->world = world;
    for (int k = 0; k < NUMBERS; ++k)
    {
        c->x[k] = k % 3 == 0 ? 0.13 * k - 1.4 : k % 3 == 1 ? 2 : 0;
        c->triangle[k] = k;
    }
    pl_status status = pl__steppers_add(world, &stepper, c);
    if (status != PL_OK)
        destroy(c);
    return status == PL_OK ? pl__sections_add(world->ctx, &world->sections, &section, c) : status;
}

static pl_status prepare(pl_context *ctx) { return pl__steppers_register(ctx, make_cloud); }

int main(int argc, char **argv)
{
    session_prepare = prepare;
    return pliant_main(argc, argv);
}

// tests/toy/pond_stepper.c -- the pliant command with a pond: a box of water with waves, and drops above it.
//
// Nothing moves but by the time of the world: the surface is y = 0.5 + 0.04 sin(3 x + 2 t) cos(2 z), closed by walls
// and a bottom at y = 0. It shows that a stepper which says so is drawn as water and as points (tests/run_pond.py).
#include "commands.h"
#include "session.h"
#include "world/world.h"

#include <math.h>

enum
{
    CELLS = 32, // along each side
    SIDE = CELLS + 1,
    LAYER = SIDE * SIDE, // vertices above, then as many below
    TRIANGLES = 4 * CELLS * CELLS + 8 * CELLS,
    DROPS = 60
};

typedef struct pond
{
    pl_world *world;
    int32_t triangle[3 * TRIANGLES];
    double radius[DROPS];
} pond;

static const double size = 1.2; // half of a side [m]

static double height(double x, double z, double time) { return 0.5 + 0.04 * sin(3 * x + 2 * time) * cos(2 * z); }

static pl_status advance(void *self, double *dt)
{
    (void)self;
    (void)dt;
    return PL_OK;
}

static void figures(void *self, pl_step_info *info)
{
    (void)self;
    info->mass += 4 * size * size * 500;
}

static int32_t drawable_count(const void *self) { return self ? 2 : 0; }

static void drawable(const void *self, int32_t i, pl_drawable *d)
{
    const pond *p = self;
    if (i == 1)
    {
        *d = (pl_drawable){.name = "drops", .stepper = "pond", .version = 1, .color = {1, 1, 1}, .opacity = 0.8};
        d->vertex_count = DROPS;
        d->radii = p->radius;
        return;
    }
    *d = (pl_drawable){
        .name = "water", .stepper = "pond", .version = 1, .color = {0.03, 0.2, 0.25}, .look = PL_LOOK_WATER};
    d->vertex_count = 2 * LAYER;
    d->triangle_count = TRIANGLES;
    d->triangles = p->triangle;
    d->absorption[0] = 2.5, d->absorption[1] = 0.6, d->absorption[2] = 0.3;
}

static pl_status read(const void *self, int32_t i, double *vertices, double *velocities)
{
    double time = ((const pond *)self)->world->state.time;
    for (int32_t n = 0; n < (i == 0 ? 2 * LAYER : DROPS); ++n)
    {
        double x = (2 * (n % LAYER / SIDE) / (double)CELLS - 1) * size, z = (2 * (n % SIDE) / (double)CELLS - 1) * size;
        if (i == 1)
            x = 0.3 * sin(2.4 * n), z = 0.3 * cos(2.4 * n);
        double above = i == 1 ? 0.02 + 0.004 * n : 0, y = n < LAYER ? height(x, z, time) + above : 0;
        for (int k = 0; k < 3; ++k)
        {
            if (vertices)
                vertices[3 * n + k] = k == 0 ? x : k == 1 ? y : z;
            if (velocities)
                velocities[3 * n + k] = 0;
        }
    }
    return PL_OK;
}

// ---- triangles -------------------------------------------------------------------------------------------------

static int32_t *put_quad(int32_t *to, int32_t a, int32_t b, int32_t c, int32_t d)
{
    const int32_t corner[6] = {a, b, c, a, c, d};
    for (int k = 0; k < 6; ++k)
        *to++ = corner[k];
    return to;
}

static void make_triangles(int32_t *to)
{
    for (int32_t i = 0; i < CELLS; ++i)
    {
        for (int32_t k = 0; k < CELLS; ++k)
        {
            int32_t a = i * SIDE + k, b = a + 1, c = a + SIDE + 1, d = a + SIDE;
            to = put_quad(to, a, b, c, d);
            to = put_quad(to, LAYER + a, LAYER + d, LAYER + c, LAYER + b);
        }
        int32_t first = i, last = CELLS * SIDE + i, low = i * SIDE, high = low + CELLS;
        to = put_quad(to, first, LAYER + first, LAYER + first + 1, first + 1);
        to = put_quad(to, last, last + 1, LAYER + last + 1, LAYER + last);
        to = put_quad(to, low, low + SIDE, LAYER + low + SIDE, LAYER + low);
        to = put_quad(to, high, LAYER + high, LAYER + high + SIDE, high + SIDE);
    }
}

// ---- registration ----------------------------------------------------------------------------------------------

static void destroy(void *self) { pl__free(((pond *)self)->world->ctx, self, sizeof(pond)); }

static const pl__stepper_type stepper = {.name = "pond",
                                         .advance = advance,
                                         .figures = figures,
                                         .drawable_count = drawable_count,
                                         .drawable = drawable,
                                         .read = read,
                                         .destroy = destroy};

static pl_status make_pond(pl_world *world, const pl_scene *scene)
{
    pond *p = PL_NEW(world->ctx, scene ? 1 : 0, pond);
    if (!p)
        return PL_ERR_MEMORY;
    p->world = world;
    make_triangles(p->triangle);
    for (int32_t n = 0; n < DROPS; ++n)
        p->radius[n] = 0.006 + 0.0002 * n;
    pl_status status = pl__steppers_add(world, &stepper, p);
    if (status != PL_OK)
        destroy(p);
    return status;
}

static pl_status prepare(pl_context *ctx) { return pl__steppers_register(ctx, make_pond); }

int main(int argc, char **argv)
{
    session_prepare = prepare;
    return pliant_main(argc, argv);
}

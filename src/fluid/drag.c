// src/fluid/drag.c -- whose the known faces are, and the sum over samples.
#include "drag.h"

#include <math.h>
#include <string.h>

enum
{
    WALLS = 18 // the last numbers of a strain: 6 sides, 3 axes
};

typedef struct known_face
{
    int32_t number, axis; // number -1: as the one before it (of a face that turns)
} known_face;

typedef struct summing
{
    const pl__drag *f;
    const known_face *known; // [known faces]
    pl__wetted_force *to;
} summing;

// One end of a pair of faces.
typedef struct end
{
    int32_t axis, object; // object -1: a wall of the domain
    bool unknown, wall;   // wall: beyond a side
    double x[3];          // its middle, if it is not a wall
} end;

static void find_middle(const pl__columns *c, int32_t number, double x[3])
{
    int32_t column, j;
    pl__columns_place(c, number, &column, &j);
    pl__grid_point(c, column % c->nx, j, column / c->nx, x);
}

static end find_end(const summing *job, int32_t index)
{
    const pl__strain *s = job->f->strain;
    end e = {.object = -1, .unknown = index < s->unknown_count, .wall = index >= s->count - WALLS};
    if (e.wall)
    {
        e.axis = (index - (s->count - WALLS)) % 3;
        return e;
    }
    int32_t number = e.unknown ? s->number[index] : -1;
    while (e.unknown && index >= s->axis_start[e.axis + 1])
        ++e.axis;
    if (!e.unknown)
    {
        const known_face *known = &job->known[index - s->unknown_count];
        while (known->number < 0)
            --known;
        number = known->number;
        e.axis = known->axis;
        int32_t owner = job->f->boundary->owner[e.axis][number];
        e.object = owner < 0 ? -1 : owner & ~PL__THIN_OWNER;
    }
    find_middle(&job->f->grid->face[e.axis], number, e.x);
    return e;
}

// The stress of a sample times its volume [J].
static double tension_of(const pl__drag *f, int32_t n, double rate)
{
    const pl__strain *strain = f->strain;
    int32_t cells = 3 * strain->cell_count, place = strain->place[n];
    double h = f->grid->cell.h, mu = f->mixed_viscosity ? f->mixed_viscosity[n] : f->viscosity;
    double stress = 2 * mu * rate + (n < cells && f->stress ? f->stress[place] : 0);
    if (f->elastic)
        stress += (f->mixed_elasticity ? f->mixed_elasticity[n] : f->elasticity) *
                  (n < cells ? f->elastic->strain[n % 3][place]
                             : sqrt(2) * f->elastic->strain[3 + strain->plane[n - cells]][place]);
    return stress * strain->sample[n].weight * h * h * h;
}

// Where a solid has the velocity of its end of a pair: `way` from the other end along `direction`, or, if both are
// solid, in the middle of its face.
static void find_point(const end *self, const end *other, int direction, double way, double x[3])
{
    memcpy(x, self->wall || other->unknown ? other->x : self->x, 3 * sizeof *x);
    if (self->wall || other->unknown)
        x[direction] += way;
}

// The solids at a pair of faces along `direction`; `pull` is the force on the upper one.
static void add_pair(const summing *job, const end pair[2], int direction, double length, double pull)
{
    for (int k = 0; k < 2; ++k)
    {
        double x[3], force[3] = {0};
        if (pair[k].unknown)
            continue;
        find_point(&pair[k], &pair[1 - k], direction, k ? length : -length, x);
        force[pair[k].axis] = k ? pull : -pull;
        pl__wetted_push(job->f->obstacles, pair[k].object, x, force, job->to);
    }
}

static void add_sample(const summing *job, int32_t n, const double *x)
{
    const pl__strain_sample *s = &job->f->strain->sample[n];
    bool cell = n < 3 * job->f->strain->cell_count, solid = false;
    for (int k = 0; k < 4; ++k)
        solid = solid || (s->slope[k / 2] != 0 && s->face[k] >= job->f->strain->unknown_count);
    if (!solid || !(s->weight > 0))
        return;
    double tension = tension_of(job->f, n, pl__strain_value(s, x));
    end pair[2][2];
    for (int k = 0; k < 4; ++k)
        pair[k / 2][k % 2] = find_end(job, s->face[k]);
    for (int q = 0; q < 2; ++q)
        if (s->slope[q] != 0 && s->face[2 * q] != s->face[2 * q + 1])
        {
            // velocities along one axis change along the other
            int direction = cell ? n % 3 : pair[1 - q][0].axis;
            double length = (cell ? 1 : sqrt(0.5)) / s->slope[q];
            add_pair(job, pair[q], direction, length, -s->slope[q] * tension);
        }
}

static void list_known(const pl__drag *f, known_face *known)
{
    const pl__strain *s = f->strain;
    for (int32_t n = 0; n < s->count - s->unknown_count; ++n)
        known[n].number = -1;
    for (int axis = 0; axis < 3; ++axis)
        for (int32_t n = 0; n < f->grid->face[axis].value_count; ++n)
            if (s->index[axis][n] >= s->unknown_count)
                known[s->index[axis][n] - s->unknown_count] = (known_face){n, axis};
}

pl_status pl__drag_add(pl_context *ctx, pl__arena *arena, const pl__drag *drag, pl__wetted_force *to)
{
    const pl__strain *s = drag->strain;
    pl__arena_mark mark = pl__arena_set_mark(arena);
    known_face *known = PL_TAKE(arena, s->count - s->unknown_count + 1, known_face);
    double *x = PL_TAKE(arena, s->count + 1, double), *rate = PL_TAKE(arena, s->sample_count + 1, double);
    bool taken = known && x && rate;
    if (taken)
    {
        summing job = {drag, known, to};
        list_known(drag, known);
        pl__elastic_rates(ctx, s, drag->u, x, rate);
        for (int32_t n = 0; n < s->sample_count; ++n)
            add_sample(&job, n, x);
    }
    pl__arena_release(arena, mark);
    return taken ? PL_OK : PL_ERR_MEMORY;
}

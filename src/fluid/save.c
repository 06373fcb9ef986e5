// src/fluid/save.c -- the state of a liquid as bytes.
//
// A header; for each column the number of its runs; the runs; velocities, distances, pressure, residuals and parts
// of cells; particles; drops; vortex particles; bubbles and foam; stress of viscous liquids, temperature, strain of
// those that remember; level sets, parts, counts and markers of several liquids. Faces and edges follow from the cells.
// What is read is checked before anything is taken: a grid that is not one of this domain, or a number that is not
// finite, is refused.
#include "liquid.h"

#include <math.h>
#include <string.h>

typedef struct header
{
    int64_t steps;
    double q_dt, start_volume, loose, added, pressed, time;
    int32_t cells[3], below[3], run_count, value_count, particle_count, drop_count, vortex_count, froth_count;
} header;

static const double most_number = 1e9; // that a state may have: of velocities, distances, pressures

typedef struct saved_run
{
    int32_t j0, j1, kind;
} saved_run;

struct pl__liquid_loading
{
    pl_context *ctx;
    pl__liquid_state state;
    double start_volume;
    int32_t cells[3], below[3];
};

enum
{
    PARTICLE_BYTES = 3 * sizeof(double) + sizeof(float) + 2
};

// Array n of an elastic state, and how many numbers it has: components of strain, spins, plastic strain.
enum
{
    ELASTIC_ARRAYS = PL__TENSOR + 3 + 1
};

static double *elastic_array(const pl__liquid_state *s, int n, size_t *count)
{
    const pl__elastic *e = &s->elastic;
    const pl__columns *cell = &s->grid.cell;
    *count = (size_t)(n < PL__TENSOR       ? pl__elastic_lattice(cell, &e->edges, n)
                      : n < PL__TENSOR + 3 ? &e->edges.edge[n - PL__TENSOR]
                                           : cell)
                 ->value_count;
    return n < PL__TENSOR ? e->strain[n] : n < PL__TENSOR + 3 ? e->spin[n - PL__TENSOR] : e->plastic;
}

// Of several liquids: for each what is due, pressed and added and the number of its markers; the numbers of cells;
// markers.
typedef struct saved_phase
{
    double due, pressed, added;
    int64_t markers;
} saved_phase;

static size_t phases_bytes(const pl__liquid_state *s)
{
    size_t bytes = 0;
    for (int32_t i = 0; i < s->phases.count; ++i)
        bytes += sizeof(saved_phase) + 3 * (size_t)s->grid.cell.value_count * sizeof(double) +
                 (size_t)s->phases.markers[i].count * PARTICLE_BYTES;
    return bytes;
}

static size_t column_count(const pl__columns *c) { return (size_t)c->nx * (size_t)c->nz; }

size_t pl__liquid_saved_bytes(const pl__liquid *l)
{
    const pl__liquid_state *s = &l->state;
    size_t numbers = 5 * (size_t)s->grid.cell.value_count;
    for (int axis = 0; axis < 3; ++axis)
        numbers += (size_t)s->grid.face[axis].value_count;
    numbers += l->def.viscous ? (size_t)s->grid.cell.value_count : 0;
    numbers += l->def.warm ? (size_t)s->grid.cell.value_count : 0;
    for (int n = 0; l->def.remembers && n < ELASTIC_ARRAYS; ++n)
    {
        size_t count;
        (void)elastic_array(s, n, &count);
        numbers += count;
    }
    return phases_bytes(s) + sizeof(header) + column_count(&s->grid.cell) * sizeof(int32_t) +
           s->grid.cell.run_count * sizeof(saved_run) + numbers * sizeof(double) +
           (size_t)s->particles.count * PARTICLE_BYTES + (size_t)s->spray.count * sizeof(pl__drop) +
           (size_t)s->vortices.count * sizeof(pl__vortex) + (size_t)s->foam.count * sizeof(pl__froth);
}

static char *put(char *to, const void *from, size_t size)
{
    if (size > 0)
        memcpy(to, from, size);
    return to + size;
}

static char *put_particles(char *to, const pl__particles *p)
{
    size_t n = (size_t)p->count;
    for (int axis = 0; axis < 3; ++axis)
        to = put(to, p->x[axis], n * sizeof(double));
    to = put(to, p->radius, n * sizeof(float));
    to = put(to, p->sign, n);
    return put(to, p->escaped, n);
}

static char *put_phases(char *to, const pl__liquid_state *s)
{
    const pl__phases *p = &s->phases;
    size_t cells = (size_t)s->grid.cell.value_count;
    for (int32_t i = 0; i < p->count; ++i)
    {
        saved_phase saved = {p->due[i], p->pressed[i], p->added[i], p->markers[i].count};
        to = put(to, &saved, sizeof saved);
        to = put(to, p->phi + (size_t)i * cells, cells * sizeof(double));
        to = put(to, p->part + (size_t)i * cells, cells * sizeof(double));
        to = put(to, p->volume + (size_t)i * cells, cells * sizeof(double));
        to = put_particles(to, &p->markers[i]);
    }
    return to;
}

void pl__liquid_save(const pl__liquid *l, char *to)
{
    const pl__liquid_state *s = &l->state;
    const pl__columns *c = &s->grid.cell;
    header h = {.steps = s->steps,
                .q_dt = s->q_dt,
                .start_volume = l->start_volume,
                .loose = s->loose,
                .added = s->added,
                .pressed = s->pressed,
                .time = s->time,
                .cells = {c->nx, c->ny, c->nz},
                .below = {l->below[0], l->below[1], l->below[2]},
                .run_count = (int32_t)c->run_count,
                .value_count = c->value_count,
                .particle_count = s->particles.count,
                .drop_count = s->spray.count,
                .vortex_count = s->vortices.count,
                .froth_count = s->foam.count};
    to = put(to, &h, sizeof h);
    for (size_t column = 0; column < column_count(c); ++column)
    {
        int32_t runs = (int32_t)(c->start[column + 1] - c->start[column]);
        to = put(to, &runs, sizeof runs);
    }
    for (size_t r = 0; r < c->run_count; ++r)
    {
        saved_run run = {c->run[r].j0, c->run[r].j1, (int32_t)c->run[r].kind};
        to = put(to, &run, sizeof run);
    }
    for (int axis = 0; axis < 3; ++axis)
        to = put(to, s->u[axis], (size_t)s->grid.face[axis].value_count * sizeof(double));
    to = put(to, s->phi, (size_t)c->value_count * sizeof(double));
    to = put(to, s->q, (size_t)c->value_count * sizeof(double));
    to = put(to, s->residual, (size_t)c->value_count * sizeof(double));
    to = put(to, s->part, (size_t)c->value_count * sizeof(double));
    to = put(to, s->open, (size_t)c->value_count * sizeof(double));
    to = put_particles(to, &s->particles);
    to = put(to, s->spray.drop, (size_t)s->spray.count * sizeof(pl__drop));
    to = put(to, s->vortices.vortex, (size_t)s->vortices.count * sizeof(pl__vortex));
    to = put(to, s->foam.item, (size_t)s->foam.count * sizeof(pl__froth));
    if (l->def.viscous)
        to = put(to, s->stress, (size_t)c->value_count * sizeof(double));
    if (l->def.warm)
        to = put(to, s->warmth, (size_t)c->value_count * sizeof(double));
    for (int k = 0; l->def.remembers && k < ELASTIC_ARRAYS; ++k)
    {
        size_t count;
        const double *numbers = elastic_array(s, k, &count);
        to = put(to, numbers, count * sizeof *numbers);
    }
    (void)put_phases(to, s);
}

// ---- loading ---------------------------------------------------------------------------------------------------

typedef struct reader
{
    const char *at, *end;
    const char *why;
} reader;

static bool get(reader *r, void *to, size_t size)
{
    if ((size_t)(r->end - r->at) < size)
    {
        r->why = "the state of the liquid ends early";
        return false;
    }
    if (size > 0)
        memcpy(to, r->at, size);
    r->at += size;
    return true;
}

static bool refuse(reader *r, const char *why)
{
    r->why = why;
    return false;
}

// Runs of cells, in order and within the domain. Sets *status when out of memory.
static bool read_columns(pl_context *ctx, reader *r, const header *h, pl__columns *c, pl_status *status)
{
    size_t columns = column_count(c);
    const char *counts = r->at;
    if ((size_t)(r->end - r->at) / sizeof(int32_t) < columns)
        return refuse(r, "the state of the liquid ends early");
    r->at += columns * sizeof(int32_t);
    for (size_t column = 0; column < columns; ++column)
    {
        int32_t runs, above = -1;
        memcpy(&runs, counts + column * sizeof runs, sizeof runs);
        for (int32_t n = 0; n < runs; ++n)
        {
            saved_run run;
            if (!get(r, &run, sizeof run))
                return false;
            if (run.j0 <= above || run.j1 < run.j0 || run.j1 >= c->ny ||
                (run.kind != PL__RUN_UNIFORM && run.kind != PL__RUN_LINEAR))
                return refuse(r, "a run of cells is out of order");
            *status = pl__columns_add(ctx, c, run.j0, run.j1, (pl__run_kind)run.kind);
            if (*status != PL_OK)
                return false;
            above = run.j1;
        }
        pl__columns_end_column(c);
    }
    return (c->run_count == (size_t)h->run_count && c->value_count == h->value_count) ||
           refuse(r, "the cells of the liquid are not as many as it says");
}

static bool all_within(const double *v, size_t n, double most)
{
    for (size_t i = 0; i < n; ++i)
        if (!(v[i] >= -most && v[i] <= most))
            return false;
    return true;
}

// Whether places are in the box, or within a cell of it.
static bool all_inside(const pl__columns *c, int axis, const double *x, size_t n, size_t stride)
{
    const int32_t cells[3] = {c->nx, c->ny, c->nz};
    double low = c->origin[axis] - 1.5 * c->h, high = c->origin[axis] + (cells[axis] + 0.5) * c->h;
    for (size_t i = 0; i < n; ++i)
        if (!(x[i * stride] >= low && x[i * stride] <= high))
            return false;
    return true;
}

static bool read_numbers(reader *r, pl__liquid_state *s)
{
    size_t cells = (size_t)s->grid.cell.value_count;
    for (int axis = 0; axis < 3; ++axis)
    {
        size_t faces = (size_t)s->grid.face[axis].value_count;
        if (!get(r, s->u[axis], faces * sizeof(double)))
            return false;
        if (!all_within(s->u[axis], faces, most_number))
            return refuse(r, "a velocity of the liquid is not a number that can be");
    }
    if (!get(r, s->phi, cells * sizeof(double)) || !get(r, s->q, cells * sizeof(double)) ||
        !get(r, s->residual, cells * sizeof(double)) || !get(r, s->part, cells * sizeof(double)) ||
        !get(r, s->open, cells * sizeof(double)))
        return false;
    for (size_t n = 0; n < cells; ++n)
        if (!(s->open[n] >= 0 && s->open[n] <= 4) || !(s->part[n] >= 0 && s->part[n] <= 1))
            return refuse(r, "a part of a cell of the liquid is not in [0, 1]");
    return (all_within(s->phi, cells, most_number) && all_within(s->q, cells, most_number) &&
            all_within(s->residual, cells, most_number)) ||
           refuse(r, "a distance, pressure or residual of the liquid is not a number that can be");
}

static bool read_spray(const pl__liquid *l, reader *r, const pl__columns *c, int32_t count, pl__spray *s,
                       pl_status *status)
{
    pl_context *ctx = l->ctx;
    int32_t liquids = l->state.phases.count > 0 ? l->state.phases.count : 1;
    if (!PL_GROW(ctx, s->drop, &s->capacity, (size_t)count + 1))
    {
        *status = PL_ERR_MEMORY;
        return false;
    }
    s->count = count;
    if (!get(r, s->drop, (size_t)count * sizeof(pl__drop)))
        return false;
    for (int32_t n = 0; n < count; ++n)
    {
        const pl__drop *d = &s->drop[n];
        bool inside = true;
        for (int axis = 0; axis < 3; ++axis)
            inside = inside && all_inside(c, axis, &d->x[axis], 1, 1);
        if (!inside || !all_within(d->v, 3, most_number) || !(d->volume >= 0 && d->volume < most_number) ||
            d->liquid < 0 || d->liquid >= liquids)
            return refuse(r, "a drop of the liquid is not in its domain, or not a number that can be");
    }
    return true;
}

static bool read_warmth(reader *r, pl__liquid_state *s)
{
    size_t cells = (size_t)s->grid.cell.value_count;
    bool good = get(r, s->warmth, cells * sizeof(double)) && all_within(s->warmth, cells, most_number);
    for (size_t n = 0; n < cells && good; ++n)
        good = s->warmth[n] >= 0;
    return good || refuse(r, "a temperature of the liquid is not a number that can be");
}

static bool read_stress(reader *r, pl__liquid_state *s)
{
    size_t cells = (size_t)s->grid.cell.value_count;
    return get(r, s->stress, cells * sizeof(double)) &&
           (all_within(s->stress, cells, most_number) ||
            refuse(r, "a stress of the liquid is not a number that can be"));
}

static bool read_elastic(pl_context *ctx, reader *r, pl__liquid_state *s, pl_status *status)
{
    *status = pl__edges_make(ctx, &s->grid.cell, &s->elastic.edges);
    if (*status == PL_OK)
        *status = pl__elastic_reserve(ctx, &s->grid.cell, &s->elastic);
    for (int n = 0; *status == PL_OK && n < ELASTIC_ARRAYS; ++n)
    {
        size_t count;
        double *numbers = elastic_array(s, n, &count);
        if (!get(r, numbers, count * sizeof *numbers))
            return false;
        if (!all_within(numbers, count, most_number))
            return refuse(r, "a strain of the liquid is not a number that can be");
    }
    return *status == PL_OK;
}

static bool read_vortices(const pl__liquid *l, reader *r, int32_t count, pl__vortices *v, pl_status *status)
{
    if (!PL_GROW(l->ctx, v->vortex, &v->capacity, (size_t)count + 1))
    {
        *status = PL_ERR_MEMORY;
        return false;
    }
    v->count = count;
    if (!get(r, v->vortex, (size_t)count * sizeof(pl__vortex)))
        return false;
    for (int32_t n = 0; n < count; ++n)
    {
        const pl__vortex *p = &v->vortex[n];
        if (!all_within(p->x, 3, most_number) || !all_within(p->vorticity, 3, most_number) ||
            !(p->age >= 0 && p->age < most_number) || p->source < 0 || p->source >= l->def.vortex_count)
            return refuse(r, "a vortex particle of the liquid is not one");
    }
    return true;
}

static bool read_foam(pl_context *ctx, reader *r, int32_t count, pl__foam *f, pl_status *status)
{
    if (!PL_GROW(ctx, f->item, &f->capacity, (size_t)count + 1))
    {
        *status = PL_ERR_MEMORY;
        return false;
    }
    f->count = count;
    if (!get(r, f->item, (size_t)count * sizeof(pl__froth)))
        return false;
    for (int32_t n = 0; n < count; ++n)
    {
        const pl__froth *p = &f->item[n];
        if (!all_within(p->x, 3, most_number) || !all_within(p->v, 3, most_number) ||
            !(p->radius >= 0 && p->radius < most_number) || !(p->age >= 0 && p->age < most_number) ||
            (p->kind != PL__BUBBLE && p->kind != PL__FOAM))
            return refuse(r, "a bubble of the liquid is not one");
    }
    return true;
}

static bool read_particles(reader *r, const pl__columns *c, pl__particles *p)
{
    size_t n = (size_t)p->count;
    for (int axis = 0; axis < 3; ++axis)
    {
        if (!get(r, p->x[axis], n * sizeof(double)))
            return false;
        if (!all_inside(c, axis, p->x[axis], n, 1))
            return refuse(r, "a particle is not in the domain of the liquid");
    }
    if (!get(r, p->radius, n * sizeof(float)) || !get(r, p->sign, n) || !get(r, p->escaped, n))
        return false;
    for (size_t i = 0; i < n; ++i)
        if (!(p->radius[i] >= 0 && p->radius[i] <= c->h))
            return refuse(r, "the radius of a particle is not one of this grid");
    return pl__particles_is_valid(p) || refuse(r, "a particle is on neither side");
}

static bool read_phases(const pl__liquid *l, reader *r, pl__liquid_state *s, pl_status *status)
{
    pl__phases *p = &s->phases;
    size_t cells = (size_t)s->grid.cell.value_count;
    if (l->state.phases.count == 0)
        return true;
    *status = pl__phases_reserve(l->ctx, &s->grid.cell, l->state.phases.count, p);
    for (int32_t i = 0; *status == PL_OK && i < p->count; ++i)
    {
        saved_phase saved;
        double *phi = p->phi + (size_t)i * cells, *part = p->part + (size_t)i * cells,
               *volume = p->volume + (size_t)i * cells;
        if (!get(r, &saved, sizeof saved))
            return false;
        if (!all_within((const double[]){saved.due, saved.pressed, saved.added}, 3, most_number) || saved.markers < 0 ||
            (size_t)saved.markers > (size_t)(r->end - r->at) / PARTICLE_BYTES)
            return refuse(r, "a volume or count of one of several liquids is out of range");
        p->due[i] = saved.due, p->pressed[i] = saved.pressed, p->added[i] = saved.added;
        if (!get(r, phi, cells * sizeof(double)) || !get(r, part, cells * sizeof(double)) ||
            !get(r, volume, cells * sizeof(double)))
            return false;
        for (size_t n = 0; n < cells; ++n)
            if (!(part[n] >= 0 && part[n] <= 1))
                return refuse(r, "a part of a cell of one of several liquids is not in [0, 1]");
        if (!all_within(phi, cells, most_number) || !all_within(volume, cells, most_number))
            return refuse(r, "a distance or volume of one of several liquids is not a number that can be");
        *status = pl__particles_resize(l->ctx, &p->markers[i], (int32_t)saved.markers);
        if (*status == PL_OK && !read_particles(r, &s->grid.cell, &p->markers[i]))
            return false;
    }
    return *status == PL_OK;
}

// The box is that of the start, or has grown from it where it may.
static bool is_box_of(const pl__liquid *l, const header *h)
{
    double count = 1;
    for (int a = 0; a < 3; ++a)
    {
        int64_t above = (int64_t)h->cells[a] - h->below[a] - l->start_cells[a];
        if (h->below[a] < 0 || above < 0 || (h->below[a] > 0 && !l->def.grows[2 * a]) ||
            (above > 0 && !l->def.grows[2 * a + 1]))
            return false;
        count *= h->cells[a];
    }
    return memcmp(h->cells, l->start_cells, sizeof h->cells) == 0 || count <= l->def.most_cells;
}

static bool read_state(const pl__liquid *l, reader *r, pl__liquid_loading *loading, pl_status *status)
{
    pl_context *ctx = l->ctx;
    pl__liquid_state *s = &loading->state;
    const pl__columns *like = &l->state.grid.cell;
    header h;
    if (!get(r, &h, sizeof h))
        return false;
    if (!is_box_of(l, &h))
        return refuse(r, "the liquid is of another domain");
    if ((size_t)(r->end - r->at) / sizeof(int32_t) / (size_t)h.cells[0] < (size_t)h.cells[2])
        return refuse(r, "the state of the liquid ends early");
    if (h.steps < 0 || !(h.q_dt >= 0 && h.q_dt < 1e30) || !(h.start_volume >= 0 && h.start_volume < 1e30) ||
        !all_within((const double[]){h.loose, h.added, h.pressed, h.time}, 4, most_number) || h.time < 0 ||
        h.particle_count < 0 || (size_t)h.particle_count > (size_t)(r->end - r->at) / PARTICLE_BYTES ||
        h.drop_count < 0 || (size_t)h.drop_count > (size_t)(r->end - r->at) / sizeof(pl__drop) || h.vortex_count < 0 ||
        (size_t)h.vortex_count > (size_t)(r->end - r->at) / sizeof(pl__vortex) || h.froth_count < 0 ||
        (size_t)h.froth_count > (size_t)(r->end - r->at) / sizeof(pl__froth))
        return refuse(r, "a count or length of the liquid is out of range");
    double origin[3];
    for (int a = 0; a < 3; ++a)
    {
        origin[a] = like->origin[a] - like->h * (h.below[a] - l->below[a]);
        loading->cells[a] = h.cells[a];
        loading->below[a] = h.below[a];
    }
    *status = pl__columns_begin(ctx, &s->grid.cell, h.cells, origin, like->h);
    if (*status != PL_OK || !read_columns(ctx, r, &h, &s->grid.cell, status))
        return false;
    *status = pl__grid_make_faces(ctx, &s->grid);
    if (*status == PL_OK && !pl__liquid_state_reserve(ctx, s, &s->grid))
        *status = PL_ERR_MEMORY;
    if (*status == PL_OK)
        *status = pl__particles_resize(ctx, &s->particles, h.particle_count);
    s->steps = h.steps;
    s->q_dt = h.q_dt;
    s->loose = h.loose;
    s->added = h.added;
    s->pressed = h.pressed;
    s->time = h.time;
    loading->start_volume = h.start_volume;
    return *status == PL_OK && read_numbers(r, s) && read_particles(r, &s->grid.cell, &s->particles) &&
           read_spray(l, r, &s->grid.cell, h.drop_count, &s->spray, status) &&
           read_vortices(l, r, h.vortex_count, &s->vortices, status) &&
           read_foam(ctx, r, h.froth_count, &s->foam, status) && (!l->def.viscous || read_stress(r, s)) &&
           (!l->def.warm || read_warmth(r, s)) && (!l->def.remembers || read_elastic(ctx, r, s, status)) &&
           read_phases(l, r, s, status) &&
           (r->at == r->end || refuse(r, "the state of the liquid is longer than it says"));
}

pl_status pl__liquid_load(const pl__liquid *l, const char *bytes, size_t size, pl__liquid_loading **loading,
                          const char **why)
{
    reader r = {bytes, bytes + size, ""};
    pl_status status = PL_OK;
    *loading = PL_NEW(l->ctx, 1, pl__liquid_loading);
    if (!*loading)
        return PL_ERR_MEMORY;
    (*loading)->ctx = l->ctx;
    if (read_state(l, &r, *loading, &status))
        return PL_OK;
    pl__liquid_loading_release(loading);
    *why = r.why;
    return status != PL_OK ? status : PL_ERR_FORMAT;
}

void pl__liquid_take(pl__liquid *l, pl__liquid_loading **loading)
{
    pl__liquid_state t = l->state;
    l->state = (*loading)->state;
    l->start_volume = (*loading)->start_volume;
    (*loading)->state = t;
    l->boundary_stale = true;
    pl__liquid_set_corner(l, (*loading)->cells, (*loading)->below);
    pl__liquid_loading_release(loading);
}

void pl__liquid_loading_release(pl__liquid_loading **loading)
{
    if (!*loading)
        return;
    pl__liquid_state_done((*loading)->ctx, &(*loading)->state);
    pl__free((*loading)->ctx, *loading, sizeof **loading);
    *loading = NULL;
}

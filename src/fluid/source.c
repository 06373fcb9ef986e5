// src/fluid/source.c -- shapes of sources on the grid: filling, emptying, pressing.
#include "source.h"
#include "contact/shape.h"
#include "levelset.h"
#include "separation.h"
#include "volume.h"

#include <math.h>
#include <string.h>

enum
{
    HALVINGS = 40 // at most, in search of how far a rate fills a shape
};
static const double enough = 0.98;    // of what a rate could fill; the rest is pressed out
static const double most_drawn = 0.5; // of the liquid in a drain, in a step

// ---- regions ---------------------------------------------------------------------------------------------------

static size_t region_size(const pl__source_region *r) { return (size_t)r->n[0] * (size_t)r->n[1] * (size_t)r->n[2]; }

// Distance at (i, j, k) of the lattice; +INFINITY outside the box.
static double distance_at(const pl__source_region *r, int32_t i, int32_t j, int32_t k)
{
    i -= r->low[0], j -= r->low[1], k -= r->low[2];
    bool inside = i >= 0 && j >= 0 && k >= 0 && i < r->n[0] && j < r->n[1] && k < r->n[2];
    return inside ? r->distance[j + r->n[1] * (i + (size_t)r->n[0] * (size_t)k)] : INFINITY;
}

double pl__source_distance(const pl__source_region *r, int32_t i, int32_t j, int32_t k)
{
    return distance_at(r, i, j, k);
}

void pl__sources_done(pl_context *ctx, pl__sources *s)
{
    for (int32_t n = 0; s->region && n < s->count; ++n)
        PL_DELETE(ctx, s->region[n].distance, region_size(&s->region[n]));
    PL_DELETE(ctx, s->region, (size_t)s->count);
    PL_DELETE(ctx, s->source, (size_t)s->count);
    PL_DELETE(ctx, s->rest, (size_t)s->count);
    PL_DELETE(ctx, s->came, (size_t)s->count);
    PL_DELETE(ctx, s->pressed, (size_t)s->count);
    pl__row_set_done(ctx, &s->detail);
    *s = (pl__sources){0};
}

static pl_status make_region(pl_context *ctx, const struct pl__shape *shape, const pl__columns *cell, int32_t margin,
                             pl__source_region *r)
{
    const int32_t most[3] = {cell->nx, cell->ny, cell->nz};
    double lower[3], upper[3], normal[3], x[3];
    pl__shape_bounds(shape, lower, upper);
    for (int a = 0; a < 3; ++a)
    {
        double low = floor((lower[a] - cell->origin[a]) / cell->h) - margin;
        double high = ceil((upper[a] - cell->origin[a]) / cell->h) + margin;
        r->low[a] = (int32_t)fmin(fmax(low, 0), most[a] - 1);
        r->n[a] = (int32_t)fmin(fmax(high, r->low[a]), most[a] - 1) - r->low[a] + 1;
    }
    r->distance = PL_NEW(ctx, region_size(r), double);
    if (!r->distance)
        return PL_ERR_MEMORY;
    double *to = r->distance;
    for (int32_t k = 0; k < r->n[2]; ++k)
        for (int32_t i = 0; i < r->n[0]; ++i)
            for (int32_t j = 0; j < r->n[1]; ++j)
            {
                pl__grid_point(cell, r->low[0] + i, r->low[1] + j, r->low[2] + k, x);
                *to++ = pl__shape_distance(shape, x, normal);
            }
    return PL_OK;
}

// Rows of a column that are nearer to a shape than `distance`.
static bool rows_near(const pl__source_region *r, int32_t i, int32_t k, double distance, pl__row_range *rows)
{
    *rows = (pl__row_range){INT32_MAX, -1};
    for (int32_t j = r->low[1]; j < r->low[1] + r->n[1]; ++j)
        if (distance_at(r, i, j, k) < distance)
        {
            rows->j0 = j < rows->j0 ? j : rows->j0;
            rows->j1 = j;
        }
    return rows->j1 >= 0;
}

static pl_status make_detail(pl_context *ctx, pl__sources *s, const pl__columns *cell, int32_t margin)
{
    pl__row_set one = {0}, all = {0};
    pl_status status = pl__row_set_begin(ctx, &s->detail, (int32_t[3]){cell->nx, cell->ny, cell->nz});
    for (int32_t column = 0; column < cell->nx * cell->nz && status == PL_OK; ++column)
        pl__row_set_end_column(&s->detail);
    for (int32_t n = 0; n < s->count && status == PL_OK; ++n)
    {
        status = pl__row_set_begin(ctx, &one, (int32_t[3]){cell->nx, cell->ny, cell->nz});
        for (int32_t column = 0; column < cell->nx * cell->nz && status == PL_OK; ++column)
        {
            pl__row_range rows;
            if (rows_near(&s->region[n], column % cell->nx, column / cell->nx, margin * cell->h, &rows))
                status = pl__row_set_add(ctx, &one, rows.j0, rows.j1);
            pl__row_set_end_column(&one);
        }
        if (status == PL_OK)
            status = pl__row_set_unite(ctx, &s->detail, &one, &all);
        pl__row_set t = s->detail;
        s->detail = all, all = t;
    }
    pl__row_set_done(ctx, &one);
    pl__row_set_done(ctx, &all);
    return status;
}

pl_status pl__sources_make(pl_context *ctx, pl__sources *s, const pl__liquid_source *source, int32_t count,
                           const pl__columns *cell, int32_t margin)
{
    *s = (pl__sources){.count = count};
    if (count == 0)
        return PL_OK;
    s->source = PL_NEW(ctx, (size_t)count, pl__liquid_source);
    s->region = PL_NEW(ctx, (size_t)count, pl__source_region);
    s->rest = PL_NEW(ctx, (size_t)count, double);
    s->came = PL_NEW(ctx, (size_t)count, double);
    s->pressed = PL_NEW(ctx, (size_t)count, double);
    pl_status status = s->source && s->region && s->rest && s->came && s->pressed ? PL_OK : PL_ERR_MEMORY;
    for (int32_t n = 0; n < count && status == PL_OK; ++n)
    {
        s->source[n] = source[n];
        s->source[n].shape = NULL; // it is not needed any more
        status = make_region(ctx, source[n].shape, cell, margin, &s->region[n]);
    }
    if (status == PL_OK)
        status = make_detail(ctx, s, cell, margin);
    if (status != PL_OK)
        pl__sources_done(ctx, s);
    return status;
}

// The part of a cell that is inside a shape, by the distance of its center.
static double part_inside(double distance, double h) { return pl__open_part(-distance, h); }

// What a rate presses out of a shape leaves through its surface, which is at least that of a ball of its volume.
double pl__sources_speed(const pl__sources *s, double h)
{
    double most = 0;
    for (int32_t n = 0; n < s->count; ++n)
    {
        const pl__liquid_source *source = &s->source[n];
        double cells = 0, v = 0;
        for (size_t q = 0; q < region_size(&s->region[n]); ++q)
            cells += part_inside(s->region[n].distance[q], h);
        for (int a = 0; a < 3; ++a)
            v += source->velocity[a] * source->velocity[a];
        most = fmax(most, source->valve * (sqrt(v) + source->rate / (4.8 * h * h * cbrt(cells * cells) + 1e-300)));
    }
    return most;
}

// ---- cells of a region -----------------------------------------------------------------------------------------

// A uniform cell of a region.
typedef struct region_cell
{
    int32_t i, j, k, number;
    double distance;
} region_cell;

typedef void cell_function(void *user, const region_cell *cell);

static void for_cells(const pl__source_region *r, const pl__columns *c, cell_function *work, void *user)
{
    const double *d = r->distance;
    for (int32_t k = r->low[2]; k < r->low[2] + r->n[2]; ++k)
        for (int32_t i = r->low[0]; i < r->low[0] + r->n[0]; ++i)
            for (int32_t j = r->low[1]; j < r->low[1] + r->n[1]; ++j, ++d)
            {
                region_cell cell = {i, j, k, pl__columns_uniform(c, i + c->nx * k, j), *d};
                if (cell.number >= 0)
                    work(user, &cell);
            }
}

static void mark_cell(void *user, const region_cell *cell) { ((uint8_t *)user)[cell->number] = 1; }

void pl__sources_mark(const pl__sources *s, const pl__columns *cell, uint8_t *where)
{
    memset(where, 0, (size_t)cell->value_count);
    for (int32_t n = 0; n < s->count; ++n)
        for_cells(&s->region[n], cell, mark_cell, where);
}

// ---- filling ---------------------------------------------------------------------------------------------------

typedef struct filling
{
    const pl__inflow *in;
    const pl__source_region *region;
    const double *old; // [numbers of cells] phi before
    bool drain;
    double offset; // the shape is smaller by this all around [m]
    double sum;
} filling;

static void fill_cell(void *user, const region_cell *cell)
{
    const filling *f = user;
    double d = cell->distance + f->offset, old = f->old[cell->number];
    f->in->phi[cell->number] = f->drain ? fmax(old, -d) : fmin(old, d);
}

static void measure_cell(void *user, const region_cell *cell)
{
    filling *f = user;
    const pl__columns *c = &f->in->grid->cell;
    if (cell->distance > 2 * c->h)
        return; // filling changes nothing there
    pl__levelset ls = {c, f->in->phi, f->in->far, f->in->boundary};
    f->sum += f->in->open[cell->number] * pl__levelset_part(&ls, 0, cell->i + c->nx * cell->k, cell->j,
                                                            f->in->boundary->sides[cell->number], cell->number);
}

// Volume of the liquid in a region [cells].
static double measure(filling *f)
{
    f->sum = 0;
    for_cells(f->region, &f->in->grid->cell, measure_cell, f);
    return f->sum;
}

// Fill the shape, smaller by `offset`; the volume then.
static double fill_to(filling *f, double offset)
{
    f->offset = offset;
    for_cells(f->region, &f->in->grid->cell, fill_cell, f);
    return measure(f);
}

// Fill as far as `most` [cells] goes, from within; what came in.
static double fill_with(filling *f, double most)
{
    double before = measure(f), came = fill_to(f, 0) - before;
    if (came <= most)
        return came;
    double low = 0, high = 0;
    for (size_t q = 0; q < region_size(f->region); ++q)
        high = fmax(high, -f->region->distance[q]);
    high += 2 * f->in->grid->cell.h;
    for (int n = 0; n < HALVINGS && !(came <= most && came >= enough * most); ++n)
    {
        double middle = 0.5 * (low + high);
        came = fill_to(f, middle) - before;
        *(came > most ? &low : &high) = middle;
    }
    return came <= most ? came : fill_to(f, high) - before;
}

static void set_velocity(const pl__inflow *in, const pl__source_region *r, double valve, const double v[3])
{
    for (int axis = 0; axis < 3; ++axis)
    {
        const pl__columns *f = &in->grid->face[axis];
        for (int32_t k = r->low[2]; k < r->low[2] + r->n[2]; ++k)
            for (int32_t i = r->low[0]; i < r->low[0] + r->n[0]; ++i)
                for (int32_t j = r->low[1]; j < r->low[1] + r->n[1]; ++j)
                {
                    double d =
                        distance_at(r, i, j, k) + distance_at(r, i - (axis == 0), j - (axis == 1), k - (axis == 2));
                    int32_t n = d < 0 ? pl__columns_uniform(f, i + f->nx * k, j) : -1;
                    if (n >= 0)
                        in->u[axis][n] = valve * v[axis];
                }
    }
}

// The distance of a region at a point, that of the cell it is in.
static double distance_of_point(const pl__source_region *r, const pl__columns *c, const double x[3])
{
    int32_t at[3];
    for (int a = 0; a < 3; ++a)
    {
        double i = floor((x[a] - c->origin[a]) / c->h + 0.5);
        if (!(i >= 0 && i < 1e9))
            return INFINITY;
        at[a] = (int32_t)i;
    }
    return distance_at(r, at[0], at[1], at[2]);
}

// Markers of the side that a shape is not on go.
static void drop_markers(const pl__inflow *in, const pl__source_region *r, int sign)
{
    pl__particles *p = in->particles;
    int32_t left = 0;
    for (int32_t n = 0; n < p->count; ++n)
    {
        double x[3] = {p->x[0][n], p->x[1][n], p->x[2][n]};
        if (p->sign[n] == sign && distance_of_point(r, &in->grid->cell, x) < 0)
            continue;
        for (int a = 0; a < 3; ++a)
            p->x[a][left] = x[a];
        p->radius[left] = p->radius[n];
        p->sign[left] = p->sign[n];
        p->escaped[left++] = p->escaped[n];
    }
    p->count = left;
}

static void forgive_cell(void *user, const region_cell *cell)
{
    filling *f = user;
    if (cell->distance >= 0)
        return;
    f->sum += f->in->residual[cell->number];
    f->in->residual[cell->number] = 0;
}

// Drops and residuals in a drain are gone, too: their volume [m^3].
static double swallow(const pl__inflow *in, const pl__source_region *r)
{
    filling f = {.in = in, .region = r};
    double h = in->grid->cell.h, volume = 0;
    int32_t left = 0;
    for_cells(r, &in->grid->cell, forgive_cell, &f);
    for (int32_t n = 0; n < in->spray->count; ++n)
        if (distance_of_point(r, &in->grid->cell, in->spray->drop[n].x) < 0)
            volume += in->spray->drop[n].volume;
        else
            in->spray->drop[left++] = in->spray->drop[n];
    in->spray->count = left;
    return volume + f.sum * h * h * h;
}

// The part of a step during which a source works.
static double working(const pl__liquid_source *s, const pl__inflow *in)
{
    if (s->valve == 0)
        return 0;
    double from = fmax(s->start, in->time), to = fmin(s->end, in->time + in->dt);
    return to > from ? (to - from) / in->dt : 0;
}

bool pl__source_works(const pl__liquid_source *s, const pl__inflow *in) { return working(s, in) > 0; }

typedef struct drawing
{
    uint8_t *grip;
    double h;
} drawing;

static void draw_cell(void *user, const region_cell *cell)
{
    const drawing *d = user;
    if (cell->distance < d->h)
        d->grip[cell->number] = PL__GRIP_FAST;
}

void pl__sources_draw(const pl__sources *s, const pl__inflow *in, uint8_t *grip)
{
    drawing d = {grip, in->grid->cell.h};
    for (int32_t n = 0; n < s->count; ++n)
        if (!s->source[n].drain && working(&s->source[n], in) > 0)
            for_cells(&s->region[n], &in->grid->cell, draw_cell, &d);
}

pl_status pl__sources_fill(const pl__sources *s, const pl__inflow *in, pl__arena *scratch, double *added)
{
    const pl__columns *c = &in->grid->cell;
    pl__arena_mark mark = pl__arena_set_mark(scratch);
    double *old = PL_TAKE(scratch, c->value_count + 1, double), h3 = c->h * c->h * c->h;
    if (!old)
        return PL_ERR_MEMORY;
    for (int32_t n = 0; n < s->count; ++n)
    {
        const pl__liquid_source *source = &s->source[n];
        double part = working(source, in), came = 0;
        s->rest[n] = s->came[n] = 0;
        if (part == 0)
            continue;
        s->rest[n] = (source->drain ? -1 : 1) * part * source->valve * source->rate * in->dt;
        if (!source->drain || source->rate == 0)
        {
            filling f = {.in = in, .region = &s->region[n], .old = old, .drain = source->drain};
            memcpy(old, in->phi, (size_t)c->value_count * sizeof *old);
            came = h3 * fill_with(&f, source->rate > 0 ? s->rest[n] / h3 : INFINITY);
            drop_markers(in, &s->region[n], source->drain ? -1 : 1);
        }
        if (source->drain && source->rate == 0)
            came -= swallow(in, &s->region[n]);
        if (!source->drain)
            set_velocity(in, &s->region[n], source->valve, source->velocity);
        s->rest[n] = source->rate > 0 ? s->rest[n] - came : 0;
        s->came[n] = came;
        *added += came;
    }
    pl__arena_release(scratch, mark);
    return PL_OK;
}

// ---- pressing --------------------------------------------------------------------------------------------------

typedef struct pressing
{
    const pl__inflow *in;
    const uint8_t *liquid; // NULL: all cells count
    double sum, share;     // of weights; to each of them [cells]
    double *divergence;
} pressing;

static double weight_of(const pressing *p, const region_cell *cell)
{
    double h = p->in->grid->cell.h, open = pl__open_part(p->in->boundary->distance[cell->number], h);
    return p->liquid && !p->liquid[cell->number] ? 0 : open * part_inside(cell->distance, h);
}

static void weigh_cell(void *user, const region_cell *cell)
{
    pressing *p = user;
    p->sum += weight_of(p, cell);
}

static void press_cell(void *user, const region_cell *cell)
{
    const pressing *p = user;
    double share = p->share * weight_of(p, cell);
    p->in->residual[cell->number] += share;
    if (p->liquid)
        p->divergence[cell->number] += share / p->in->dt;
}

double pl__sources_press(const pl__sources *s, const pl__inflow *in, const uint8_t *liquid, double *divergence)
{
    const pl__columns *c = &in->grid->cell;
    double h3 = c->h * c->h * c->h, sum = 0;
    for (int32_t n = 0; n < s->count; ++n)
    {
        double rest = s->rest[n] / h3;
        s->pressed[n] = 0;
        if (rest == 0)
            continue;
        pressing p = {.in = in, .liquid = liquid, .divergence = divergence};
        for_cells(&s->region[n], c, weigh_cell, &p);
        if (p.sum == 0 && rest > 0)
        {
            p.liquid = NULL; // no liquid to press out of yet: drops
            for_cells(&s->region[n], c, weigh_cell, &p);
        }
        if (p.sum == 0)
            continue;
        rest = fmax(rest, -most_drawn * p.sum);
        p.share = rest / p.sum;
        for_cells(&s->region[n], c, press_cell, &p);
        s->pressed[n] = rest * h3;
        sum += rest * h3;
    }
    return sum;
}

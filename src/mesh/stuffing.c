// src/mesh/stuffing.c -- fills a solid with a lattice: inside test of lattice points.
//
// A solid is a function or a surface. A function is evaluated at every lattice point. For a closed surface the winding
// number at all points of a lattice line follows from the signed crossings of that line with the triangles, which
// costs a constant per crossing. To make this watertight, a line is tested against the projected edges of a triangle,
// each edge being evaluated identically from both its sides: rounding may move a crossing from one triangle to its
// neighbour, but can neither lose nor duplicate it.
//
// With holes the winding number also changes between crossings, but slowly away from the holes. So we walk along each
// line with the last computed value (winding.c), the crossings since, and a bound of the drift since (solid.c), and
// compute again only where the drift could matter: near holes.
//
// A surface with small holes is filled up to the membrane where the winding number is 1/2. When holes are large this
// membrane is arbitrary, and we refuse: if the loops around holes span more than a tenth of the area of the surface and
// the winding number is far from an integer at many lattice points. Either alone may be a false alarm (a seam whose
// two sides do not share points; a coarse lattice).
//
// The rest is done in fitting.c (isosurface stuffing), covering.c, snug.c and, for hexahedra, stuffing_voxels.c.
//
// What it does badly: the lattice is dense, 5 bytes per point of the bounding box (13 for functions), so a long
// diagonal wire costs as much as the box around it.
#include "base/cpu.h"
#include "stuffing.h"
#include "base/task.h"
#include "point.h"
#include "topology.h"

#include <string.h>

enum
{
    STUFFING_COOKIE = 0x506c7366,
    LINE_CHUNK = 16,
    WINDING_ONE = 1000 // `map` holds winding numbers in thousandths
};

static const double largest_open_fraction = 0.1, largest_ambiguous_fraction = 0.25;

pl_stuffing_def pl_stuffing_def_default(void)
{
    return (pl_stuffing_def){.mode = PL_STUFFING_FITTED, .size = 0, .cookie = STUFFING_COOKIE};
}

static pl_status check_def(pl_context *ctx, const char *where, const pl_stuffing_def *def)
{
    PL_CHECK(ctx, def->cookie == STUFFING_COOKIE, "%s: the definition was not made by pl_stuffing_def_default()",
             where);
    PL_CHECK(ctx, (int)def->mode >= PL_STUFFING_FITTED && (int)def->mode <= PL_STUFFING_SNUG,
             "%s: mode = %d is not a pl_stuffing_mode", where, (int)def->mode);
    PL_CHECK(ctx, def->mode != PL_STUFFING_SNUG || def->elements == PL_ELEMENT_TET,
             "%s: PL_STUFFING_SNUG moves nodes, which cells of a lattice do not allow; elements must be PL_ELEMENT_TET",
             where);
    PL_CHECK(
        ctx, def->elements == PL_ELEMENT_TET || def->elements == PL_ELEMENT_HEX,
        "%s: elements = %d must be PL_ELEMENT_TET or PL_ELEMENT_HEX; triangles come from pl_mesh_create_from_triangles",
        where, (int)def->elements);
    PL_CHECK(ctx, isfinite(def->size) && def->size > 0, "%s: size = %g must be positive and finite", where, def->size);
    return PL_OK;
}

pl_status pl__stuffing_check_count(const pl__stuffing *s, pl_element_kind kind, int64_t count)
{
    PL_CHECK(s->ctx, count <= pl__max_elements(kind), "%s: size = %g gives %lld %s; at most %d are allowed", s->where,
             s->lattice.size, (long long)count, pl__element_forms[kind].many, pl__max_elements(kind));
    return PL_OK;
}

static pl_status start(pl__stuffing *s, const pl_stuffing_def *def, const double lower[3], const double upper[3])
{
    // covering needs room to make its boundary a manifold
    int32_t padding = def->mode == PL_STUFFING_FITTED ? 1 : 2;
    PL_TRY(pl__lattice_init(&s->lattice, s->ctx, s->where, lower, upper, def->size, padding));
    s->sign = PL_NEW(s->ctx, s->lattice.point_count, int8_t);
    s->map = PL_NEW(s->ctx, s->lattice.point_count, int32_t);
    if (s->function)
        s->value = PL_NEW(s->ctx, s->lattice.point_count, double);
    return s->sign && s->map && (!s->function || s->value) ? PL_OK : PL_ERR_MEMORY;
}

static void finish(pl__stuffing *s)
{
    int32_t points = s->lattice.point_count;
    PL_DELETE(s->ctx, s->sign, points);
    PL_DELETE(s->ctx, s->map, points);
    PL_DELETE(s->ctx, s->value, points);
}

static pl_status fill(pl__stuffing *s, const pl_stuffing_def *def, pl_mesh **mesh)
{
    if (def->elements == PL_ELEMENT_HEX)
        return pl__stuffing_voxels(s, def->mode == PL_STUFFING_COVERING, mesh);
    if (def->mode == PL_STUFFING_FITTED)
        return pl__stuffing_fit(s, mesh);
    PL_TRY(pl__stuffing_cover(s, mesh));
    pl_status status = *mesh && def->mode == PL_STUFFING_SNUG ? pl__stuffing_draw_in(s, mesh) : PL_OK;
    if (status != PL_OK)
        pl_mesh_destroy(mesh);
    return status;
}

// ---- functions ---------------------------------------------------------------------------------------------

static bool strictly_within(const double lower[3], const double upper[3], const double x[3])
{
    for (int d = 0; d < 3; ++d)
        if (!(x[d] > lower[d] && x[d] < upper[d]))
            return false;
    return true;
}

static pl_status sample_function(pl__stuffing *s, const double lower[3], const double upper[3])
{
    for (int32_t p = 0; p < s->lattice.point_count; ++p)
    {
        double x[3];
        pl__lattice_position(&s->lattice, p, x);
        double f = s->function(s->user, x);
        PL_CHECK(s->ctx, !isnan(f), "%s: the function is not a number at (%g, %g, %g)", s->where, x[0], x[1], x[2]);
        PL_CHECK(
            s->ctx, f >= 0 || strictly_within(lower, upper, x),
            "%s: the solid touches the box: the function is %g at (%g, %g, %g); it must be positive outside the box",
            s->where, f, x[0], x[1], x[2]);
        s->value[p] = f;
        s->sign[p] = (int8_t)((f < 0) - (f > 0));
    }
    return PL_OK;
}

static pl_status fill_function(pl__stuffing *s, const pl_stuffing_def *def, const double lower[3],
                               const double upper[3], pl_mesh **mesh)
{
    PL_TRY(start(s, def, lower, upper));
    PL_TRY(sample_function(s, lower, upper));
    PL_TRY(fill(s, def, mesh));
    if (!*mesh)
        return pl__fail_about(s->ctx,
                              pl__fail(s->ctx, PL_ERR_ARGUMENT,
                                       "%s: nothing is inside: the solid is empty or thinner than the lattice of size "
                                       "%g",
                                       s->where, def->size),
                              "size");
    return PL_OK;
}

pl_status pl_mesh_create_from_implicit(pl_context *ctx, const pl_stuffing_def *def, const double lower[3],
                                       const double upper[3], pl_implicit_function *inside, void *user, pl_mesh **mesh)
{
    if (!ctx || !mesh)
        return PL_ERR_ARGUMENT;
    pl__stuffing s = {.ctx = ctx, .where = "pl_mesh_create_from_implicit", .function = inside, .user = user};
    *mesh = NULL;
    PL_TRY(check_def(ctx, s.where, def));
    PL_CHECK(ctx, inside, "%s: inside must not be NULL", s.where);
    PL_CHECK(ctx, def->mode != PL_STUFFING_SNUG,
             "%s: PL_STUFFING_SNUG needs a surface; pl_mesh_create_from_surface takes one", s.where);
    for (int d = 0; d < 3; ++d)
        PL_CHECK(ctx, isfinite(lower[d]) && isfinite(upper[d]) && lower[d] < upper[d],
                 "%s: the box is [%g, %g] along axis %d; lower must be below upper", s.where, lower[d], upper[d], d);
    uint64_t host = pl__fp_enter();
    pl_status status = fill_function(&s, def, lower, upper, mesh);
    pl__fp_leave(host);
    finish(&s);
    return status;
}

// ---- closed surfaces ---------------------------------------------------------------------------------------

typedef struct
{
    double y, z;
} flat;

// Does the ray from p towards +y cross the edge u v, and upwards (1) or downwards (-1)? Ends count as lying below or
// above p, never level, and the crossing is computed from the lower end whatever the direction of the edge.
static int edge_crossing(flat p, flat u, flat v)
{
    bool u_low = u.z <= p.z, v_low = v.z <= p.z;
    if (u_low == v_low)
        return 0;
    flat low = u_low ? u : v, high = u_low ? v : u;
    double y = low.y + (high.y - low.y) * ((p.z - low.z) / (high.z - low.z));
    return p.y < y ? (u_low ? 1 : -1) : 0;
}

// Where a line along x through a triangle meets its plane, clamped to the triangle's extent.
static double crossing_x(const double *c, flat p)
{
    double e0[3], e1[3], n[3];
    pl__sub3(c + 3, c, e0);
    pl__sub3(c + 6, c, e1);
    pl__cross3(e0, e1, n);
    double least = pl__min(pl__min(c[0], c[3]), c[6]), most = pl__max(pl__max(c[0], c[3]), c[6]);
    double x = n[0] != 0 ? c[0] - (n[1] * (p.y - c[1]) + n[2] * (p.z - c[2])) / n[0] : 0.5 * (least + most);
    return pl__min(pl__max(x, least), most);
}

// Lattice lines of one kind (corners or centres), relative to the centre of the hierarchy.
typedef struct
{
    double start[3], size;
    int32_t count[3], first; // points along each axis, number of the first point
} line_grid;

static line_grid make_line_grid(const pl__stuffing *s, int odd)
{
    const pl__lattice *l = &s->lattice;
    line_grid grid = {.size = l->size, .first = odd ? l->corner_count : 0};
    for (int d = 0; d < 3; ++d)
    {
        grid.start[d] = l->origin[d] - s->solid->bvh->center[d] + 0.5 * odd * l->size;
        grid.count[d] = l->cells[d] + !odd;
    }
    return grid;
}

static double grid_place(const line_grid *g, int d, int32_t i) { return g->start[d] + g->size * i; }

// The first index along axis d with a coordinate beyond x.
static int32_t grid_after(const line_grid *g, int d, double x)
{
    double guess = floor((x - g->start[d]) / g->size);
    int32_t i = guess < 0 ? 0 : guess > g->count[d] ? g->count[d] : (int32_t)guess;
    while (i > 0 && grid_place(g, d, i - 1) > x)
        i--;
    while (i < g->count[d] && grid_place(g, d, i) <= x)
        i++;
    return i;
}

// Record on each line that meets the triangle the change of the winding number behind it.
static void cross_triangle(pl__stuffing *s, const line_grid *g, const double *c)
{
    flat v[3] = {{c[1], c[2]}, {c[4], c[5]}, {c[7], c[8]}};
    int32_t j0 = grid_after(g, 1, pl__min(pl__min(c[1], c[4]), c[7])),
            j1 = grid_after(g, 1, pl__max(pl__max(c[1], c[4]), c[7]));
    int32_t k0 = grid_after(g, 2, pl__min(pl__min(c[2], c[5]), c[8])),
            k1 = grid_after(g, 2, pl__max(pl__max(c[2], c[5]), c[8]));
    // one to the left, because of "never level" above
    for (int32_t k = k0 > 0 ? k0 - 1 : 0; k <= k1 && k < g->count[2]; ++k)
        for (int32_t j = j0 > 0 ? j0 - 1 : 0; j <= j1 && j < g->count[1]; ++j)
        {
            flat p = {grid_place(g, 1, j), grid_place(g, 2, k)};
            int turn = edge_crossing(p, v[0], v[1]) + edge_crossing(p, v[1], v[2]) + edge_crossing(p, v[2], v[0]);
            if (turn == 0)
                continue;
            // counterclockwise in y z faces +x, where the line leaves the solid
            int32_t i = grid_after(g, 0, crossing_x(c, p));
            if (i < g->count[0])
                s->map[g->first + (k * g->count[1] + j) * g->count[0] + i] -= turn;
        }
}

static void wind_line_closed(pl__stuffing *s, const line_grid *g, int32_t line)
{
    int32_t *w = &s->map[g->first + line * g->count[0]], sum = 0,
            unit = s->solid->side < 0 ? -WINDING_ONE : WINDING_ONE;
    for (int32_t i = 0; i < g->count[0]; ++i)
        sum += w[i], w[i] = unit * sum;
}

// ---- surfaces with holes -----------------------------------------------------------------------------------

// State of the winding number while walking along a line.
typedef struct
{
    double value; // computed, and changed by crossings since
    double drift; // bound of its change otherwise
    double clear; // lower bound of the distance to the nearest open edge,
    double asked; // and that distance when last computed
} walk;

static void walk_compute(const pl__stuffing *s, const double x[3], walk *w)
{
    w->value = pl__solid_winding(s->solid, x);
    w->drift = 0;
}

static void walk_step(const pl__stuffing *s, const double x[3], double jump, walk *w)
{
    w->value += jump;
    w->clear -= s->lattice.size;
    // a distance is cheaper than a winding number, and a bound that shrinks with every step is soon useless
    if (!(w->clear > 0.7 * w->asked))
    {
        w->asked = pl__bvh_closest(s->solid->holes, x, NULL, NULL);
        w->clear = pl__max(w->asked - s->lattice.size, 0); // of the whole step
    }
    w->drift += s->lattice.size * pl__solid_winding_slope(s->solid, w->clear);
}

static int32_t in_thousandths(double w)
{
    // away from 1/2, so that the comparison agrees with pl__solid_inside
    w = pl__min(pl__max(w, -1000), 1000) * WINDING_ONE;
    return (int32_t)(w > WINDING_ONE / 2 ? ceil(w) : floor(w));
}

static void wind_line_open(pl__stuffing *s, const line_grid *g, int32_t line)
{
    walk w = {.drift = INFINITY};
    for (int32_t i = 0, point = g->first + line * g->count[0]; i < g->count[0]; ++i, ++point)
    {
        double x[3];
        pl__lattice_position(&s->lattice, point, x);
        walk_step(s, x, s->solid->side * s->map[point], &w);
        // written so that an infinite or NaN drift recomputes
        if (!(w.drift < fabs(w.value - 0.5) - 0.27))
            walk_compute(s, x, &w);
        s->map[point] = in_thousandths(w.value);
    }
}

// ---- signs -------------------------------------------------------------------------------------------------

typedef struct
{
    pl__stuffing *s;
    line_grid grid;
} wind_job;

static void wind_lines(void *argument, int32_t begin, int32_t end)
{
    wind_job *job = argument;
    for (int32_t line = begin; line < end; ++line)
        (job->s->solid->open_edges ? wind_line_open : wind_line_closed)(job->s, &job->grid, line);
}

// Winding numbers at all lattice points, in `map`.
static void wind(pl__stuffing *s)
{
    const pl__bvh *bvh = s->solid->bvh;
    for (int odd = 0; odd < 2; ++odd)
    {
        wind_job job = {s, make_line_grid(s, odd)};
        for (int32_t t = 0; t < bvh->triangle_count; ++t)
            cross_triangle(s, &job.grid, &bvh->corner[9 * (size_t)t]);
        pl__parallel_for(s->ctx, job.grid.count[1] * job.grid.count[2], LINE_CHUNK, wind_lines, &job);
    }
}

typedef struct
{
    int32_t inside, ambiguous, reversed;
} census;

// Signs from winding numbers. Points outside the bounding box are outside, whatever a hole makes of it.
static census take_signs(pl__stuffing *s, const double lower[3], const double upper[3])
{
    census count = {0};
    for (int32_t p = 0; p < s->lattice.point_count; ++p)
    {
        double x[3];
        int32_t w = s->map[p];
        bool inside = w > WINDING_ONE / 2;
        if (inside && s->solid->open_edges)
        {
            pl__lattice_position(&s->lattice, p, x);
            for (int d = 0; d < 3; ++d)
                inside &= x[d] >= lower[d] && x[d] <= upper[d];
        }
        s->sign[p] = inside ? 1 : -1;
        count.inside += inside;
        count.ambiguous += w > WINDING_ONE / 4 && w < 3 * WINDING_ONE / 4;
        count.reversed += w < -WINDING_ONE / 2;
    }
    return count;
}

static pl_status fail_open(const pl__stuffing *s, census count)
{
    const pl__solid *solid = s->solid;
    return pl__fail(
        s->ctx, PL_ERR_ARGUMENT,
        "%s: the surface is open: %d edges border holes that span about %.0f %% of its area (at most %.0f %% are "
        "bridged), and what is inside is unclear at %d of %d points; close the holes",
        s->where, solid->open_edges, 100 * solid->open_area / solid->area, 100 * largest_open_fraction, count.ambiguous,
        count.ambiguous + count.inside);
}

// Inconsistently oriented triangles look like holes; say so.
static pl_status blame_turned(pl_context *ctx, pl_status status, const char *where, const pl_surface *surface)
{
    pl_surface_info info;
    if (status != PL_ERR_ARGUMENT)
        return status;
    char sentence[sizeof ctx->error], path[sizeof ctx->error_path];
    memcpy(sentence, ctx->error, sizeof sentence);
    memcpy(path, ctx->error_path, sizeof path);
    if (pl_surface_survey(surface, &info) == PL_OK && info.turned_edges > 2 * info.open_edges)
        return pl__fail(ctx, PL_ERR_ARGUMENT,
                        "%s: neighbouring triangles face opposite ways at %d edges; make all of them face outwards "
                        "(\"recalculate normals\")",
                        where, info.turned_edges);
    return pl__fail_about(ctx, pl__fail(ctx, status, "%s", sentence), path);
}

static bool has_large_holes(const pl__solid *solid) { return solid->open_area > largest_open_fraction * solid->area; }

static pl_status check_open(const pl__stuffing *s, census count)
{
    if (has_large_holes(s->solid) && count.ambiguous > largest_ambiguous_fraction * count.inside)
        return fail_open(s, count);
    if (s->solid->open_edges)
        pl__log(s->ctx, PL_LOG_NOTE, "%s: %d edges border small holes, which were bridged", s->where,
                s->solid->open_edges);
    if (count.reversed > 0)
        pl__log(s->ctx, PL_LOG_WARNING,
                "%s: parts of the surface are inside out and were left empty (%d lattice points)", s->where,
                count.reversed);
    return PL_OK;
}

// Nothing is left: report why.
static pl_status fail_empty(const pl__stuffing *s, census count)
{
    const pl__solid *solid = s->solid;
    if (has_large_holes(solid))
        return fail_open(s, count);
    if (count.reversed > 0)
        return pl__fail(s->ctx, PL_ERR_ARGUMENT,
                        "%s: the surface is inside out: %d lattice points are wound around backwards, %d forwards",
                        s->where, count.reversed, count.inside);
    return pl__fail(s->ctx, PL_ERR_ARGUMENT,
                    "%s: the surface is thinner than the lattice: it is about %.3g m thick (twice its volume over its "
                    "area), size is %g m",
                    s->where, solid->area > 0 ? 2 * solid->volume / solid->area : 0, s->lattice.size);
}

static pl_status fill_solid(pl__stuffing *s, const pl_stuffing_def *def, pl_mesh **mesh)
{
    const pl__bvh *bvh = s->solid->bvh;
    double lower[3], upper[3];
    for (int d = 0; d < 3; ++d)
        lower[d] = bvh->center[d] - 0.5 * bvh->extent[d], upper[d] = bvh->center[d] + 0.5 * bvh->extent[d];
    PL_TRY(start(s, def, lower, upper));
    wind(s);
    census count = take_signs(s, lower, upper);
    PL_TRY(check_open(s, count));
    PL_TRY(fill(s, def, mesh));
    return *mesh ? PL_OK : fail_empty(s, count);
}

pl_status pl_mesh_create_from_surface(pl_context *ctx, const pl_stuffing_def *def, const pl_surface *surface,
                                      pl_mesh **mesh)
{
    if (!ctx || !surface || !mesh)
        return PL_ERR_ARGUMENT;
    pl__stuffing s = {.ctx = ctx, .where = "pl_mesh_create_from_surface"};
    *mesh = NULL;
    PL_TRY(check_def(ctx, s.where, def));
    PL_CHECK(ctx, surface, "%s: surface must not be NULL", s.where);
    pl__solid *solid;
    uint64_t host = pl__fp_enter();
    pl_status status = pl__solid_create(surface, &solid);
    s.solid = solid;
    if (status == PL_OK)
        status = fill_solid(&s, def, mesh);
    pl__fp_leave(host);
    finish(&s);
    pl__solid_destroy(&solid);
    return blame_turned(ctx, status, s.where, surface);
}

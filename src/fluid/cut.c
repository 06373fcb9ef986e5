// src/fluid/cut.c -- open fractions of faces from signed distances.
//
// w is the area of a face where the bilinear interpolation of the distances at its corners is positive, with straight
// edges (marching squares; the saddle decides between two opposite corners). That is exact for planes, and off by about
// h / (8 R) for a radius R. The fluxes through a cut cell then close: with A the area vector of the solid in it,
//
//     sum over faces of (1 - w) h^2 n = A        (divergence theorem).
//
// Distances of several objects are not that of their union: between a floor and what is lifted off it they are 0 and
// negative at the corners of a face that is half open. So where corners are nearest to different objects, areas count,
//
//     |A or B| = |A| + |B| - |A and B|,
//
// each by its own distances, and that of A and B by the larger ones.
//
// Thin parts. Corners miss what lies between them. A wall of thickness T stands in the way of every chain of faces, by
// fractions alone, when it has always a face in it with all its corners: a face reaches over at most 2 h / sqrt(3)
// along its normal, and the next one of the chain is at most h / sqrt(3) farther, so T >= sqrt(3) h is enough. We take
// 1.75 h (not 2 h, where rounding would decide about walls of two cells, face by face), and close a face entirely when
// the way between the centers of its cells goes through a part thinner than that: one that holds no ball of that
// diameter where the way meets it. Any way from one side of a wall to the other goes along such ways.
// A face that is covered in part is also closed where a solid is on the ways from its open part to the samples of its
// cells, which are in their centers or, if those are covered, next to them on the surface: a wall that stands on a
// floor may go through a cell whose center is in the floor, and what is open there is on the other side of it. (Closing
// every face whose way meets an object, thin or not, makes that first order: a ball of 19 cells across is then too
// large by 8.8 %, instead of 0.3 %.)
//
// Fractions below 1/100 count as closed. The row of a cell whose largest fraction is w is w times that of an open cell,
// so the condition of the pressure matrix is up to 1/w times worse, and in rows of floats (2^-24 of a diagonal of up to
// 6) the coupling through w is known to 4e-7 / w only: 4e-5 for 1/100, below the tolerance of the solver. As fractions
// are spread evenly, that closes 1/100 of the cut faces by 1/200 on average: 5e-5 of their area.
//
// What it does badly: an object smaller than a cell that touches neither corners nor a way between centers is not seen;
// solids that are swept over in a step (faster than h per step) do not close what they pass.
#include "cut.h"
#include "mesh/point.h"

#include <string.h>

static const double reach = 1.0001; // of the ways between centers and of corners, from the center of a cell [h]
static const double least_fraction = 0.01;
static const double thin = 1.75; // [h]

// ---- fractions -------------------------------------------------------------------------------------------------

// Area and first moments of a polygon, counter-clockwise, added up.
static void add_polygon(const double (*v)[2], int count, double sum[3])
{
    for (int i = 0; i < count; ++i)
    {
        const double *a = v[i], *b = v[(i + 1) % count];
        double twice = a[0] * b[1] - a[1] * b[0];
        sum[0] += twice / 2;
        sum[1] += twice * (a[0] + b[0]) / 6;
        sum[2] += twice * (a[1] + b[1]) / 6;
    }
}

static const double corner[4][2] = {{-0.5, -0.5}, {0.5, -0.5}, {0.5, 0.5}, {-0.5, 0.5}};

// Where the distance changes sign between corners a and b.
static void cross_edge(const double d[4], int a, int b, double v[2])
{
    double t = d[a] / (d[a] - d[b]);
    v[0] = corner[a][0] + t * (corner[b][0] - corner[a][0]);
    v[1] = corner[a][1] + t * (corner[b][1] - corner[a][1]);
}

// Two opposite corners that are inside, apart from each other.
static void add_corners(const double d[4], double sum[3])
{
    for (int i = 0; i < 4; ++i)
        if (d[i] < 0)
        {
            double v[3][2] = {{corner[i][0], corner[i][1]}};
            cross_edge(d, i, (i + 1) % 4, v[1]);
            cross_edge(d, i, (i + 3) % 4, v[2]);
            add_polygon(v, 3, sum);
        }
}

// The closed fraction of a face with distances d at its corners, and the middle of that part.
static double closed_fraction(const double d[4], double middle[2])
{
    double v[8][2], sum[3] = {0};
    int count = 0, inside = (d[0] < 0) + (d[1] < 0) + (d[2] < 0) + (d[3] < 0);
    middle[0] = middle[1] = 0;
    if (inside == 0 || inside == 4)
        return inside == 4;
    bool apart = inside == 2 && (d[0] < 0) == (d[2] < 0) && (d[0] * d[2] < d[1] * d[3]) == (d[0] < 0);
    for (int i = 0; !apart && i < 4; ++i)
    {
        int next = (i + 1) % 4;
        if (d[i] < 0)
            v[count][0] = corner[i][0], v[count++][1] = corner[i][1];
        if ((d[i] < 0) != (d[next] < 0))
            cross_edge(d, i, next, v[count++]);
    }
    if (apart)
        add_corners(d, sum);
    else
        add_polygon(v, count, sum);
    for (int i = 0; i < 2 && sum[0] > 1e-12; ++i) // below that, rounding decides
        middle[i] = sum[1 + i] / sum[0];
    return sum[0];
}

// ---- a tile of columns -----------------------------------------------------------------------------------------

static int32_t tiles_along(int32_t columns) { return pl__chunk_count(columns, PL__TILE); }
int32_t pl__tile_count(const pl__columns *cell) { return tiles_along(cell->nx) * tiles_along(cell->nz); }

pl__tile pl__tile_of(const pl__columns *cell, int32_t n)
{
    int32_t nx = tiles_along(cell->nx), nz = tiles_along(cell->nz), i = n % nx, k = n / nx;
    return (pl__tile){i * PL__TILE, i == nx - 1 ? cell->nx + 1 : (i + 1) * PL__TILE, //
                      k * PL__TILE, k == nz - 1 ? cell->nz + 1 : (k + 1) * PL__TILE};
}

// Widen a box by the samples of a tile, with half a cell around them.
static bool widen_box(const pl__columns *c, pl__tile t, double lower[3], double upper[3])
{
    bool any = false;
    for (int32_t k = t.k0; k < t.k1; ++k)
        for (int32_t i = t.i0; i < t.i1; ++i)
        {
            pl__run_span runs = pl__runs_of(c, i, k);
            double x[2][3];
            if (runs.begin == runs.end)
                continue;
            pl__grid_point(c, i, runs.begin->j0, k, x[0]);
            pl__grid_point(c, i, runs.end[-1].j1, k, x[1]);
            for (int a = 0; a < 3; ++a)
            {
                lower[a] = pl__min(lower[a], x[0][a] - 0.5 * c->h);
                upper[a] = pl__max(upper[a], x[1][a] + 0.5 * c->h);
            }
            any = true;
        }
    return any;
}

bool pl__scout_send(const pl__grid *grid, const pl__obstacles *obstacles, int32_t n, pl__scout *s)
{
    double lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY};
    bool any = false;
    for (int axis = 0; axis < 3; ++axis) // cells have faces
        any = widen_box(&grid->face[axis], pl__tile_of(&grid->cell, n), lower, upper) || any;
    s->cell = &grid->cell;
    s->near.distances = 0;
    if (!any)
        return false;
    pl__obstacles_find(obstacles, lower, upper, PL__BOUNDARY_BAND * grid->cell.h, false, &s->near);
    for (int q = 0; q < PL__KEPT && s->near.count > 0; ++q)
        s->kept[q].key = UINT64_MAX;
    return true;
}

// Points by half cells from the lower corner of the grid: corners are even, centers odd. Being placed by these alone,
// they are the same bit by bit whoever asks.
static void place(const pl__scout *s, int32_t i, int32_t j, int32_t k, double x[3])
{
    x[0] = s->cell->origin[0] + s->cell->h * (0.5 * i - 0.5);
    x[1] = s->cell->origin[1] + s->cell->h * (0.5 * j - 0.5);
    x[2] = s->cell->origin[2] + s->cell->h * (0.5 * k - 0.5);
}

pl__kept *pl__scout_look_anew(pl__scout *s, int32_t i, int32_t j, int32_t k, uint64_t key, pl__kept *point)
{
    double x[3];
    place(s, i, j, k, x);
    *point = (pl__kept){key, pl__obstacles_look(&s->near, x, 0), -1};
    return point;
}

static bool is_near_thin(pl__scout *s, int32_t i, int32_t j, int32_t k)
{
    pl__kept *point = pl__scout_look(s, i, j, k);
    double x[3], h = s->cell->h;
    place(s, i, j, k, x);
    if (point->thin < 0)
        point->thin = fabs(point->look.distance) < h && pl__obstacles_are_thin(&s->near, x, h, thin * h);
    return point->thin;
}

// ---- faces of a column -----------------------------------------------------------------------------------------

// Axes along the edges of a face.
static const int edges[3][2] = {{1, 2}, {2, 0}, {0, 1}};

// A corner of a face, by half cells.
static void corner_place(const pl__walk *w, int32_t j, int n, int32_t at[3])
{
    int32_t lower[3] = {2 * w->i, 2 * j, 2 * w->k};
    memcpy(at, lower, sizeof lower);
    if (n == 1 || n == 2)
        at[edges[w->axis][0]] += 2;
    if (n >= 2)
        at[edges[w->axis][1]] += 2;
}

// Distances at the corners, and the objects that are nearest there. Returns how many different ones there are.
static int corner_distances(const pl__walk *w, int32_t j, double d[4], int32_t object[4])
{
    int count = 0;
    for (int n = 0; n < 4; ++n)
    {
        int32_t at[3];
        corner_place(w, j, n, at);
        pl__look look = pl__scout_look(w->scout, at[0], at[1], at[2])->look;
        bool known = look.object < 0;
        d[n] = look.distance;
        for (int m = 0; m < count; ++m)
            known = known || object[m] == look.object;
        if (!known)
            object[count++] = look.object;
    }
    return count;
}

// Add the closed fraction of a part to a union, with its middle.
static void add_closed(const double d[4], double sign, double *area, double moment[2])
{
    double middle[2], part = sign * closed_fraction(d, middle);
    *area += part;
    for (int i = 0; i < 2; ++i)
        moment[i] += part * middle[i];
}

// The closed fraction by the distances of `count` objects.
static double closed_by_all(const pl__walk *w, int32_t j, int count, const int32_t object[4], double middle[2])
{
    double d[4][4], area = 0;
    middle[0] = middle[1] = 0;
    for (int a = 0; a < count; ++a)
    {
        for (int n = 0; n < 4; ++n)
        {
            int32_t at[3];
            double x[3];
            corner_place(w, j, n, at);
            place(w->scout, at[0], at[1], at[2], x);
            d[a][n] = pl__obstacles_distance(&w->scout->near, object[a], x);
        }
        add_closed(d[a], 1, &area, middle);
        for (int b = 0; b < a; ++b)
        {
            double both[4];
            for (int n = 0; n < 4; ++n)
                both[n] = pl__max(d[a][n], d[b][n]);
            add_closed(both, -1, &area, middle);
        }
    }
    for (int i = 0; i < 2; ++i)
        middle[i] = area > 1e-12 ? pl__max(-0.5, pl__min(0.5, middle[i] / area)) : 0;
    return pl__max(0, pl__min(1, area));
}

// Whether a thin part lies between the centers of the cells of a face: looked for when one is near.
static bool is_parted(const pl__walk *w, const double x[3], int32_t j, int32_t *object)
{
    int32_t at[3] = {w->i, j, w->k}, i = 2 * w->i + 1, k = 2 * w->k + 1, a = w->axis;
    bool first = at[a] == 0; // there is no cell below
    if (!first && !is_near_thin(w->scout, i, 2 * j + 1, k) &&
        !is_near_thin(w->scout, i - 2 * (a == 0), 2 * j + 1 - 2 * (a == 1), k - 2 * (a == 2)))
        return false;
    double h = w->face->h, below[3] = {x[0], x[1], x[2]}, above[3] = {x[0], x[1], x[2]};
    below[a] -= 0.5 * h;
    above[a] += 0.5 * h;
    return pl__obstacles_part(&w->scout->near, below, above, PL__WAY_STEP * h, thin * h, object);
}

// Where the sample of a cell is, by half cells: in its center, or next to that on the surface of what covers it.
static void sample_place(const pl__walk *w, int32_t i, int32_t j, int32_t k, double x[3])
{
    pl__look look = pl__scout_look(w->scout, i, j, k)->look;
    place(w->scout, i, j, k, x);
    if (look.distance >= 0 || look.object < 0)
        return;
    double normal[3], d = pl__object_distance(&w->scout->near.object[look.object], x, normal);
    for (int axis = 0; axis < 3; ++axis)
        x[axis] += (1e-3 * w->face->h - d) * normal[axis];
}

// Whether a solid lies between two points next to it: a thin part of one, or more than what it bulges between them.
static bool is_between(const pl__walk *w, const double a[3], const double b[3], int32_t *object)
{
    static const double bulge = 0.05; // [h] of a ball of 3 cells' diameter
    pl__near_obstacles *near = &w->scout->near;
    double h = w->face->h;
    if (pl__obstacles_part(near, a, b, PL__WAY_STEP * h, thin * h, object))
        return true;
    for (int n = 1; n < 4; ++n)
    {
        double x[3];
        pl__lerp3(a, b, 0.25 * n, x);
        pl__look look = pl__obstacles_look(near, x, 0);
        *object = look.object;
        if (look.distance < -bulge * h)
            return true;
    }
    return false;
}

// Whether a solid lies between the open part of a face, with its middle at x, and the sample of a cell beside it: that
// part belongs to what is on the other side, as where a wall stands on a floor that goes through both cells.
static bool is_divided(const pl__walk *w, const double x[3], int32_t j, int32_t *object)
{
    for (int end = 0; end < 2; ++end)
    {
        int32_t at[3] = {2 * w->i + 1, 2 * j + 1, 2 * w->k + 1};
        double from[3];
        at[w->axis] -= end ? 0 : 2;
        if (at[w->axis] < 0)
            continue;
        sample_place(w, at[0], at[1], at[2], from);
        if (is_between(w, from, x, object))
            return true;
    }
    return false;
}

static void cut_face(const pl__walk *w, int32_t j, pl__piece *p)
{
    double d[4], x[3], middle[2], h = w->face->h;
    int32_t nearest[4];
    int count = corner_distances(w, j, d, nearest);
    p->covered = count > 1 ? closed_by_all(w, j, count, nearest, middle) : closed_fraction(d, middle);
    p->open = 1 - p->covered;
    int32_t object = -1;
    pl__grid_point(w->face, w->i, j, w->k, x);
    p->thin = is_parted(w, x, j, &object);
    bool divided = false;
    if (!p->thin && p->covered > 0 && p->open >= least_fraction)
    {
        for (int n = 0; n < 2; ++n) // of the open part
            x[edges[w->axis][n]] -= h * p->covered * middle[n] / p->open;
        divided = is_divided(w, x, j, &object);
        pl__grid_point(w->face, w->i, j, w->k, x);
    }
    p->parted = divided || (p->thin && p->open >= least_fraction);
    if (p->parted)
        p->object = object;
    else if (p->open < 1 && w->scout->near.count > 1)
        p->object = pl__obstacles_look(&w->scout->near, x, 0).object;
    if (p->parted || p->open < least_fraction)
        p->open = middle[0] = middle[1] = 0;
    p->middle[edges[w->axis][0]] += middle[0] * h;
    p->middle[edges[w->axis][1]] += middle[1] * h;
}

pl__piece pl__cut_next(const pl__walk *w, int32_t j, int32_t last)
{
    pl__look look = pl__scout_look(w->scout, 2 * w->i + 1, 2 * j + 1, 2 * w->k + 1)->look;
    double more = look.radius / w->face->h - reach;
    pl__piece p = {
        .j1 = j, .object = look.object, .open = look.inside ? 0 : 1, .covered = look.inside ? 1 : 0, .moving = 1};
    pl__grid_point(w->face, w->i, j, w->k, p.middle);
    if (more > 0)
        p.j1 = more < last - j ? j + (int32_t)more : last;
    else
        cut_face(w, j, &p);
    return p;
}

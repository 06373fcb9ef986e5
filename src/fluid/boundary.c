// src/fluid/boundary.c -- open fractions of faces from signed distances.
//
// w is the area of a face where the bilinear interpolation of the distances at its corners is positive, with straight
// edges (marching squares; the saddle decides between two opposite corners). That is exact for planes, and off by about
// h / (8 R) for a radius R. The fluxes through a cut cell then close: with A the area vector of the solid in it,
//
//     sum over faces of (1 - w) h^2 n = A        (divergence theorem),
//
// so that a pressure p pushes the solid by p A in each cell, and that is (1 - w) h^2 (p_below - p_above) n per face. A
// cell that is closed all around contributes nothing.
//
// Rows are skipped: within the ball of a look (obstacles.h) of radius R around the center of a cell nothing changes, so
// that its lower faces and those of the next R/h - 1 cells above are all open or all closed, with the ways to the cells
// below them; their power sums are known. Tasks are tiles of columns: a corner has twelve faces, and is looked at once.
//
// Thin parts. Corners miss what lies between them. A wall of thickness T stands in the way of every chain of faces, by
// fractions alone, when it has always a face in it with all its corners: a face reaches over at most 2 h / sqrt(3)
// along its normal, and the next one of the chain is at most h / sqrt(3) farther, so T >= sqrt(3) h is enough. We take
// 2 h, and close a face entirely when the way between the centers of its cells goes through a part thinner than that,
// measured along the normal where the way meets it. Any way from one side of a wall to the other goes along such ways.
// (Closing every face whose way meets an object, thin or not, makes that first order: a ball of 19 cells across is then
// too large by 8.8 %, instead of 0.3 %.)
//
// Fractions below 1/100 count as closed. The row of a cell whose largest fraction is w is w times that of an open cell,
// so the condition of the pressure matrix is up to 1/w times worse, and in rows of floats (2^-24 of a diagonal of up to
// 6) the coupling through w is known to 4e-7 / w only: 4e-5 for 1/100, below the tolerance of the solver. As fractions
// are spread evenly, that closes 1/100 of the cut faces by 1/200 on average: 5e-5 of their area.
//
// What it does badly: two thin parts that meet at a T are thick along the stem, and may leak there by a fraction; an
// object smaller than a cell that touches neither corners nor a way between centers is not seen; solids that are swept
// over in a step (faster than h per step) do not close what they pass. us of a stretch of closed rows is taken as
// linear: exact but for actors.
#include "boundary.h"
#include "base/hash.h"
#include "base/task.h"
#include "mesh/point.h"

enum
{
    TILE = 8, // columns of a task along x and z
    KEPT = 2048
};
static const double reach = 1.0001; // of the ways between centers and of corners, from the center of a cell [h]
static const double least_fraction = 0.01;
static const double thin = 2;            // [h]
static const double look_step = 1. / 32; // of ways [h]

// ---- memory ----------------------------------------------------------------------------------------------------

void pl__boundary_done(pl_context *ctx, pl__boundary *b)
{
    for (int axis = 0; axis < 3; ++axis)
    {
        PL_DELETE(ctx, b->open[axis], b->open_capacity[axis]);
        PL_DELETE(ctx, b->speed[axis], b->speed_capacity[axis]);
        PL_DELETE(ctx, b->owner[axis], b->owner_capacity[axis]);
        PL_DELETE(ctx, b->moment[axis], b->moment_capacity[axis]);
    }
    PL_DELETE(ctx, b->distance, b->distance_capacity);
    PL_DELETE(ctx, b->nearest, b->nearest_capacity);
    PL_DELETE(ctx, b->sides, b->sides_capacity);
    PL_DELETE(ctx, b->closed, b->closed_capacity);
    PL_DELETE(ctx, b->first, b->first_capacity);
    PL_DELETE(ctx, b->tallied, b->tallied_capacity);
    *b = (pl__boundary){0};
}

static int32_t tiles_along(int32_t columns) { return pl__chunk_count(columns, TILE); }
static int32_t tile_count(const pl__columns *cell) { return tiles_along(cell->nx) * tiles_along(cell->nz); }

static pl_status reserve(pl_context *ctx, pl__boundary *b, const pl__grid *grid)
{
    size_t cells = (size_t)grid->cell.value_count, tasks = (size_t)tile_count(&grid->cell);
    for (int axis = 0; axis < 3; ++axis)
    {
        const pl__columns *f = &grid->face[axis];
        size_t faces = (size_t)f->value_count;
        if (!PL_GROW(ctx, b->open[axis], &b->open_capacity[axis], faces) ||
            !PL_GROW(ctx, b->speed[axis], &b->speed_capacity[axis], faces) ||
            !PL_GROW(ctx, b->owner[axis], &b->owner_capacity[axis], faces) ||
            !PL_GROW(ctx, b->moment[axis], &b->moment_capacity[axis], f->run_count))
            return PL_ERR_MEMORY;
    }
    return PL_GROW(ctx, b->distance, &b->distance_capacity, cells) &&
                   PL_GROW(ctx, b->nearest, &b->nearest_capacity, cells) &&
                   PL_GROW(ctx, b->sides, &b->sides_capacity, cells) &&
                   PL_GROW(ctx, b->tallied, &b->tallied_capacity, tasks)
               ? PL_OK
               : PL_ERR_MEMORY;
}

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

// Points that faces of a tile share are looked at once: corners, and centers of cells. What does not fit is forgotten
// and looked at again.
typedef struct kept
{
    uint64_t key;
    pl__look look;
    int8_t thin; // whether anything thin is near; < 0: not known
} kept;

typedef struct scout
{
    const pl__columns *cell;
    pl__near_obstacles near;
    kept kept[KEPT];
} scout;

// Columns [i0, i1) x [k0, k1) of a tile; those on the last walls belong to the last tiles.
typedef struct tile
{
    int32_t i0, i1, k0, k1;
} tile;

static tile tile_of(const pl__columns *cell, int32_t n)
{
    int32_t nx = tiles_along(cell->nx), nz = tiles_along(cell->nz), i = n % nx, k = n / nx;
    return (tile){i * TILE, i == nx - 1 ? cell->nx + 1 : (i + 1) * TILE, //
                  k * TILE, k == nz - 1 ? cell->nz + 1 : (k + 1) * TILE};
}

// The runs of column (i, k); none beyond the lattice.
typedef struct run_span
{
    const pl__run *begin, *end;
} run_span;

static run_span runs_of(const pl__columns *c, int32_t i, int32_t k)
{
    if (i >= c->nx || k >= c->nz)
        return (run_span){NULL, NULL};
    const size_t *start = &c->start[(size_t)i + (size_t)c->nx * (size_t)k];
    return (run_span){c->run + start[0], c->run + start[1]};
}

// Widen a box by the samples of a tile, with half a cell around them.
static bool widen_box(const pl__columns *c, tile t, double lower[3], double upper[3])
{
    bool any = false;
    for (int32_t k = t.k0; k < t.k1; ++k)
        for (int32_t i = t.i0; i < t.i1; ++i)
        {
            run_span runs = runs_of(c, i, k);
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

// Find what is near a tile. False: it has no samples.
static bool send_scout(const pl__grid *grid, const pl__obstacles *obstacles, int32_t n, scout *s)
{
    double lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY};
    bool any = false;
    for (int axis = 0; axis < 3; ++axis) // cells have faces
        any = widen_box(&grid->face[axis], tile_of(&grid->cell, n), lower, upper) || any;
    s->cell = &grid->cell;
    s->near.distances = 0;
    if (!any)
        return false;
    pl__obstacles_find(obstacles, lower, upper, PL__BOUNDARY_BAND * grid->cell.h, false, &s->near);
    for (int q = 0; q < KEPT && s->near.count > 0; ++q)
        s->kept[q].key = UINT64_MAX;
    return true;
}

// Points by half cells from the lower corner of the grid: corners are even, centers odd. Being placed by these alone,
// they are the same bit by bit whoever asks.
static void place(const scout *s, int32_t i, int32_t j, int32_t k, double x[3])
{
    x[0] = s->cell->origin[0] + s->cell->h * (0.5 * i - 0.5);
    x[1] = s->cell->origin[1] + s->cell->h * (0.5 * j - 0.5);
    x[2] = s->cell->origin[2] + s->cell->h * (0.5 * k - 0.5);
}

static kept *look_anew(scout *s, int32_t i, int32_t j, int32_t k, uint64_t key, kept *point)
{
    double x[3];
    place(s, i, j, k, x);
    *point = (kept){key, pl__obstacles_look(&s->near, x, 0), -1};
    return point;
}

// Indices are not an array: written one by one and read by pairs, they took a third of the time of an update.
static inline kept *look_at(scout *s, int32_t i, int32_t j, int32_t k)
{
    uint64_t key = (uint64_t)i | (uint64_t)k << 20 | (uint64_t)j << 40;
    kept *point = &s->kept[pl__mix64(key) % KEPT];
    return s->near.count > 0 && point->key == key ? point : look_anew(s, i, j, k, key, point);
}

static bool is_near_thin(scout *s, int32_t i, int32_t j, int32_t k)
{
    kept *point = look_at(s, i, j, k);
    double x[3], h = s->cell->h;
    place(s, i, j, k, x);
    if (point->thin < 0)
        point->thin = fabs(point->look.distance) < h && pl__obstacles_are_thin(&s->near, x, h, thin * h);
    return point->thin;
}

// ---- faces of a column -----------------------------------------------------------------------------------------

// Faces of one column.
typedef struct walk
{
    scout *scout;
    const pl__columns *face;
    int32_t axis, i, k;
} walk;

// Rows of the same fraction: many that are open or closed, or one.
typedef struct piece
{
    int32_t j1, object;
    double open, middle[3]; // of its first row; of the closed part [m]
} piece;

// Axes along the edges of a face.
static const int edges[3][2] = {{1, 2}, {2, 0}, {0, 1}};

static void corner_distances(const walk *w, int32_t j, double d[4])
{
    int32_t x = 2 * w->i, y = 2 * j, z = 2 * w->k, a = w->axis;
    d[0] = look_at(w->scout, x, y, z)->look.distance;
    d[1] = look_at(w->scout, x + 2 * (a == 2), y + 2 * (a == 0), z + 2 * (a == 1))->look.distance;
    d[2] = look_at(w->scout, x + 2 * (a != 0), y + 2 * (a != 1), z + 2 * (a != 2))->look.distance;
    d[3] = look_at(w->scout, x + 2 * (a == 1), y + 2 * (a == 2), z + 2 * (a == 0))->look.distance;
}

// Whether a thin part lies between the centers of the cells of a face: looked for when one is near.
static bool is_parted(const walk *w, const double x[3], int32_t j, int32_t *object)
{
    int32_t at[3] = {w->i, j, w->k}, i = 2 * w->i + 1, k = 2 * w->k + 1, a = w->axis;
    bool first = at[a] == 0; // there is no cell below
    if (!first && !is_near_thin(w->scout, i, 2 * j + 1, k) &&
        !is_near_thin(w->scout, i - 2 * (a == 0), 2 * j + 1 - 2 * (a == 1), k - 2 * (a == 2)))
        return false;
    double h = w->face->h, below[3] = {x[0], x[1], x[2]}, above[3] = {x[0], x[1], x[2]};
    below[a] -= 0.5 * h;
    above[a] += 0.5 * h;
    return pl__obstacles_part(&w->scout->near, below, above, look_step * h, thin * h, object);
}

static void cut_face(const walk *w, int32_t j, piece *p)
{
    double d[4], x[3], middle[2], h = w->face->h;
    corner_distances(w, j, d);
    p->open = 1 - closed_fraction(d, middle);
    int32_t object = -1;
    pl__grid_point(w->face, w->i, j, w->k, x);
    bool parted = p->open >= least_fraction && is_parted(w, x, j, &object);
    if (parted)
        p->object = object;
    else if (p->open < 1 && w->scout->near.count > 1)
        p->object = pl__obstacles_look(&w->scout->near, x, 0).object;
    if (parted || p->open < least_fraction)
        p->open = middle[0] = middle[1] = 0;
    p->middle[edges[w->axis][0]] += middle[0] * h;
    p->middle[edges[w->axis][1]] += middle[1] * h;
}

// Rows from j on, to `last` at most, by what the cell above the face sees.
static piece next_piece(const walk *w, int32_t j, int32_t last)
{
    pl__look look = look_at(w->scout, 2 * w->i + 1, 2 * j + 1, 2 * w->k + 1)->look;
    double more = look.radius / w->face->h - reach;
    piece p = {j, look.object, look.inside ? 0 : 1, {0}};
    pl__grid_point(w->face, w->i, j, w->k, p.middle);
    if (more > 0)
        p.j1 = more < last - j ? j + (int32_t)more : last;
    else
        cut_face(w, j, &p);
    return p;
}

// ---- what is stored of them ------------------------------------------------------------------------------------

typedef struct boundary_job
{
    pl__boundary *b;
    const pl__grid *grid;
    const pl__obstacles *obstacles;
    const bool *closed;
    int axis; // of faces
} boundary_job;

// Velocity of the closed part of row j of a piece that begins at row j0.
static double speed_of(const boundary_job *job, const piece *p, int32_t j0, int32_t j)
{
    const pl__columns *face = &job->grid->face[job->axis];
    const pl__object *o = p->object < 0 ? NULL : &job->obstacles->object[p->object];
    if (!o || !pl__obstacle_moves(o))
        return 0;
    double x[3] = {p->middle[0], j > j0 ? face->origin[1] + face->h * j : p->middle[1], p->middle[2]}, v[3];
    pl__object_velocity(o, x, v);
    return v[job->axis];
}

static void store_rows(const boundary_job *job, const pl__run *run, int32_t j0, const piece *p)
{
    pl__boundary *b = job->b;
    for (int32_t j = j0; j <= p->j1; ++j)
    {
        int32_t n = run->first + j - run->j0;
        b->open[job->axis][n] = p->open;
        b->owner[job->axis][n] = p->open < 1 ? p->object : -1;
        b->speed[job->axis][n] = p->open < 1 ? speed_of(job, p, j0, j) : 0;
    }
}

// us(j) = v + slope m over the rows of a piece.
static void add_moments(const boundary_job *job, const pl__run *run, int32_t j0, const piece *p, pl__open_moments *to)
{
    double s[3], middle = pl__run_middle(run), shut = 1 - p->open;
    pl__rows_power_sums(j0, p->j1, middle, s);
    to->s0 += p->open * s[0];
    to->s1 += p->open * s[1];
    to->s2 += p->open * s[2];
    if (shut == 0)
        return;
    double v = speed_of(job, p, j0, j0), end = speed_of(job, p, j0, p->j1);
    double slope = p->j1 > j0 ? (end - v) / (p->j1 - j0) : 0;
    v -= slope * (j0 - middle);
    to->f0 += shut * (v * s[0] + slope * s[1]);
    to->f1 += shut * (v * s[1] + slope * s[2]);
}

static void store_piece(const boundary_job *job, const pl__run *run, int32_t j0, const piece *p)
{
    if (run->kind == PL__RUN_UNIFORM)
        store_rows(job, run, j0, p);
    else
        add_moments(job, run, j0, p, &job->b->moment[job->axis][run - job->grid->face[job->axis].run]);
}

static bool is_closed_wall(const boundary_job *job, int32_t i, int32_t j, int32_t k)
{
    const pl__columns *f = &job->grid->face[job->axis];
    int32_t at[3] = {i, j, k}, n[3] = {f->nx, f->ny, f->nz}, a = job->axis;
    return (at[a] == 0 && job->closed[2 * a]) || (at[a] == n[a] - 1 && job->closed[2 * a + 1]);
}

static void clear_run(const boundary_job *job, const pl__run *run)
{
    pl__boundary *b = job->b;
    b->moment[job->axis][run - job->grid->face[job->axis].run] = (pl__open_moments){0};
    for (int32_t n = run->first; run->kind != PL__RUN_UNIFORM && n < run->first + pl__run_numbers(run); ++n)
    {
        b->open[job->axis][n] = b->speed[job->axis][n] = 0;
        b->owner[job->axis][n] = -1;
    }
}

static void update_run(const boundary_job *job, const walk *w, const pl__run *run)
{
    piece wall = {0, -1, 0, {0, 0, 0}};
    clear_run(job, run);
    for (int32_t j = run->j0; j <= run->j1;)
    {
        wall.j1 = job->axis == 1 ? j : run->j1;
        bool closed = is_closed_wall(job, w->i, j, w->k);
        bool below_wall = job->axis == 1 && run->j1 == w->face->ny - 1 && j < run->j1; // which has a look of its own
        piece p = closed ? wall : next_piece(w, j, run->j1 - below_wall);
        store_piece(job, run, j, &p);
        j = p.j1 + 1;
    }
}

// ---- cells -----------------------------------------------------------------------------------------------------

static void set_cell(const pl__boundary *b, int32_t n, double band, const pl__look *look)
{
    double d = pl__max(-band, pl__min(band, look->distance));
    b->distance[n] = d;
    b->nearest[n] = d < band ? look->object : -1;
}

// Distances of a run of cells; the same far from all.
static void update_cell_run(const boundary_job *job, scout *s, int32_t i, int32_t k, const pl__run *run)
{
    const pl__columns *c = &job->grid->cell;
    double h = c->h, band = PL__BOUNDARY_BAND * h;
    bool uniform = run->kind == PL__RUN_UNIFORM;
    for (int32_t j = run->j0, n = 0; j <= run->j1; ++j, ++n)
    {
        pl__look look = look_at(s, 2 * i + 1, 2 * j + 1, 2 * k + 1)->look;
        set_cell(job->b, run->first + n, band, &look);
        double more = (look.radius - band) / h;
        for (int32_t far = 1; uniform && far < more && j < run->j1; ++far, ++j)
            set_cell(job->b, run->first + ++n, band, &look);
        if (!uniform && j == run->j0)
            j = run->j1 - 1; // its other number
    }
}

static void update_column(boundary_job *job, scout *s, int32_t i, int32_t k)
{
    for (job->axis = 0; job->axis < 3; ++job->axis)
    {
        const pl__columns *face = &job->grid->face[job->axis];
        walk w = {s, face, job->axis, i, k};
        run_span runs = runs_of(face, i, k);
        for (const pl__run *run = runs.begin; run < runs.end; ++run)
            update_run(job, &w, run);
    }
    run_span runs = runs_of(&job->grid->cell, i, k);
    for (const pl__run *run = runs.begin; run < runs.end; ++run)
        update_cell_run(job, s, i, k, run);
}

static void update_tiles(void *argument, int32_t begin, int32_t end)
{
    boundary_job job = *(const boundary_job *)argument;
    for (int32_t n = begin; n < end; ++n)
    {
        scout s;
        tile t = tile_of(&job.grid->cell, n);
        bool any = send_scout(job.grid, job.obstacles, n, &s);
        for (int32_t k = t.k0; any && k < t.k1; ++k)
            for (int32_t i = t.i0; i < t.i1; ++i)
                update_column(&job, &s, i, k);
        job.b->tallied[n] = s.near.distances;
    }
}

// Sides that are closed. Away from objects these are walls of the domain.
static void find_sides(void *argument, int32_t begin, int32_t end)
{
    const boundary_job *job = argument;
    const pl__boundary *b = job->b;
    const pl__columns *c = &job->grid->cell;
    int32_t last[3] = {c->nx - 1, c->ny - 1, c->nz - 1};
    for (int32_t column = begin; column < end; ++column)
        for (size_t r = c->start[column]; r < c->start[column + 1]; ++r)
        {
            const pl__run *run = &c->run[r];
            for (int32_t n = 0; n < pl__run_numbers(run); ++n)
            {
                int32_t at[3] = {column % c->nx, run->j0 + n, column / c->nx}, number = run->first + n;
                unsigned sides = 0;
                for (int side = 0; side < 6 && run->kind == PL__RUN_UNIFORM; ++side)
                {
                    int axis = side / 2, up = side % 2;
                    bool closed = job->closed[side] && at[axis] == (up ? last[axis] : 0);
                    if (b->nearest[number] >= 0)
                    {
                        int32_t face = pl__grid_face(job->grid, at[0], at[1], at[2], axis, up);
                        closed = closed || b->open[axis][face] <= 0;
                        sides |= b->owner[axis][face] >= 0 ? PL__TOUCHED : 0;
                    }
                    sides |= closed ? 1u << side : 0;
                }
                b->sides[number] = (uint8_t)sides;
            }
        }
}

pl_status pl__boundary_update(pl_context *ctx, pl__boundary *b, const pl__grid *grid, const pl__obstacles *obstacles,
                              const bool closed[6])
{
    boundary_job job = {b, grid, obstacles, closed, 0};
    int32_t tiles = tile_count(&grid->cell);
    b->distances = b->closed_count = 0;
    PL_TRY(reserve(ctx, b, grid));
    pl__parallel_for(ctx, tiles, 1, update_tiles, &job);
    for (int32_t n = 0; n < tiles; ++n)
        b->distances += b->tallied[n];
    pl__parallel_for(ctx, grid->cell.nx * grid->cell.nz, TILE * TILE, find_sides, &job);
    return PL_OK;
}

// ---- closed faces ----------------------------------------------------------------------------------------------

// Whether anything of face (i, j, k) along an axis is open; of tall runs, of any row.
static bool face_is_open(const pl__boundary *b, const pl__grid *grid, int axis, int32_t i, int32_t j, int32_t k)
{
    const pl__columns *f = &grid->face[axis];
    const pl__run *run = pl__columns_find(f, i + f->nx * k, j);
    if (!run)
        return false;
    return run->kind == PL__RUN_UNIFORM ? b->open[axis][run->first + j - run->j0] > 0
                                        : b->moment[axis][run - f->run].s0 > 0;
}

// Whether there is a cell, with liquid in it.
static bool cell_is_felt(const pl__boundary *b, const pl__grid *grid, int32_t i, int32_t j, int32_t k)
{
    const pl__columns *c = &grid->cell;
    if (i < 0 || j < 0 || k < 0 || i >= c->nx || j >= c->ny || k >= c->nz || !pl__columns_find(c, i + c->nx * k, j))
        return false;
    bool open = false;
    for (int side = 0; side < 6 && !open; ++side)
    {
        int axis = side / 2, up = side % 2;
        open = face_is_open(b, grid, axis, i + (axis == 0 && up), j + (axis == 1 && up), k + (axis == 2 && up));
    }
    return open;
}

// Row j of a run of closed faces, but for its point. False: no cell feels it.
static bool describe(const boundary_job *job, int32_t i, int32_t j, int32_t k, int32_t number, pl__closed_face *face)
{
    const pl__boundary *b = job->b;
    int axis = job->axis;
    double open = b->open[axis][number], h = job->grid->cell.h;
    int32_t below[3] = {i, j, k};
    below[axis]--;
    *face = (pl__closed_face){.axis = axis, .i = i, .j = j, .k = k, .number = number, .object = b->owner[axis][number]};
    if (face->object < 0)
        return false;
    face->felt[0] = cell_is_felt(b, job->grid, below[0], below[1], below[2]);
    face->felt[1] = cell_is_felt(b, job->grid, i, j, k);
    face->area = (1 - open) * h * h;
    return face->felt[0] || face->felt[1];
}

// The middle of the closed part.
static void locate(const walk *w, double open, pl__closed_face *face)
{
    double d[4], middle[2];
    pl__grid_point(w->face, face->i, face->j, face->k, face->point);
    if (open == 0)
        return;
    corner_distances(w, face->j, d);
    closed_fraction(d, middle);
    for (int e = 0; e < 2; ++e)
        face->point[edges[w->axis][e]] += middle[e] * w->face->h;
}

// Closed faces of a column: how many, or what they are.
static size_t list_column(const boundary_job *job, const walk *w, pl__closed_face *to)
{
    size_t count = 0;
    run_span runs = runs_of(w->face, w->i, w->k);
    for (const pl__run *run = runs.begin; run < runs.end; ++run)
        for (int32_t j = run->j0; run->kind == PL__RUN_UNIFORM && j <= run->j1; ++j)
        {
            int32_t n = run->first + j - run->j0;
            pl__closed_face face;
            if (job->b->owner[job->axis][n] < 0 || !describe(job, w->i, j, w->k, n, &face))
                continue;
            if (to)
            {
                locate(w, job->b->open[job->axis][n], &face);
                to[count] = face;
            }
            ++count;
        }
    return count;
}

static void count_closed(void *argument, int32_t begin, int32_t end)
{
    const boundary_job *job = argument;
    const pl__columns *face = &job->grid->face[job->axis];
    for (int32_t column = begin; column < end; ++column)
    {
        walk w = {NULL, face, job->axis, column % face->nx, column / face->nx};
        job->b->first[column + 1] = list_column(job, &w, NULL);
    }
}

static void list_tiles(void *argument, int32_t begin, int32_t end)
{
    const boundary_job *job = argument;
    const pl__columns *face = &job->grid->face[job->axis];
    for (int32_t n = begin; n < end; ++n)
    {
        scout s;
        tile t = tile_of(&job->grid->cell, n);
        bool any = send_scout(job->grid, job->obstacles, n, &s);
        for (int32_t k = t.k0; any && k < t.k1 && k < face->nz; ++k)
            for (int32_t i = t.i0; i < t.i1 && i < face->nx; ++i)
            {
                walk w = {&s, face, job->axis, i, k};
                const size_t *first = &job->b->first[i + face->nx * k];
                if (first[0] < first[1])
                    list_column(job, &w, job->b->closed + first[0]);
            }
    }
}

pl_status pl__boundary_list_closed(pl_context *ctx, pl__boundary *b, const pl__grid *grid,
                                   const pl__obstacles *obstacles)
{
    boundary_job job = {b, grid, obstacles, NULL, 0};
    b->closed_count = 0;
    for (; job.axis < 3; ++job.axis)
    {
        const pl__columns *face = &grid->face[job.axis];
        int32_t columns = face->nx * face->nz;
        if (!PL_GROW(ctx, b->first, &b->first_capacity, (size_t)columns + 1))
            return PL_ERR_MEMORY;
        pl__parallel_for(ctx, columns, TILE * TILE, count_closed, &job);
        b->first[0] = (size_t)b->closed_count;
        for (int32_t column = 0; column < columns; ++column)
            b->first[column + 1] += b->first[column];
        if (!PL_GROW(ctx, b->closed, &b->closed_capacity, b->first[columns]))
            return PL_ERR_MEMORY;
        pl__parallel_for(ctx, tile_count(&grid->cell), 1, list_tiles, &job);
        b->closed_count = (int32_t)b->first[columns];
    }
    return PL_OK;
}

// The pressure of a cell; 0 where it is not felt.
static double pressure_at(const pl__columns *cell, const double *pressure, bool felt, int32_t i, int32_t j, int32_t k)
{
    double p = 0;
    return felt && pl__columns_value(cell, pressure, i + cell->nx * k, j, &p) ? p : 0;
}

void pl__boundary_force(const pl__boundary *b, const pl__grid *grid, const pl__obstacles *obstacles,
                        const double *pressure, double (*force)[3], double (*torque)[3])
{
    for (int32_t n = 0; n < b->closed_count; ++n)
    {
        const pl__closed_face *face = &b->closed[n];
        int a = face->axis, x = (a + 1) % 3, y = (a + 2) % 3;
        int32_t below[3] = {face->i, face->j, face->k};
        below[a]--;
        double push = pressure_at(&grid->cell, pressure, face->felt[0], below[0], below[1], below[2]) -
                      pressure_at(&grid->cell, pressure, face->felt[1], face->i, face->j, face->k);
        const double *at = obstacles->object[face->object].at;
        push *= face->area;
        force[face->object][a] += push;
        torque[face->object][x] += (face->point[y] - at[y]) * push;
        torque[face->object][y] -= (face->point[x] - at[x]) * push;
    }
}

// ---- rock ------------------------------------------------------------------------------------------------------

int32_t pl__boundary_rock_rows(pl__near_obstacles *near, const pl__columns *cell, int32_t i, int32_t k, double depth,
                               pl__row_range *rows, int32_t capacity)
{
    int32_t count = 0, end = -2; // the last row of the last interval
    for (int32_t j = 0; j < cell->ny;)
    {
        double x[3];
        pl__grid_point(cell, i, j, k, x);
        pl__look look = pl__obstacles_look(near, x, -depth);
        double more = look.radius / cell->h; // rows within it, short of its surface
        int32_t j1 = more < cell->ny - 1 - j ? j + (int32_t)pl__max(0, ceil(more) - 1) : cell->ny - 1;
        if (look.inside)
        {
            count += end != j - 1;
            if (count <= capacity)
                rows[count - 1] = (pl__row_range){end == j - 1 ? rows[count - 1].j0 : j, j1};
            end = j1;
        }
        j = j1 + 1;
    }
    return count;
}

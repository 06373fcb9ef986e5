// src/volume/rings.c -- volumes of one-rings of a body, their gradients, and the pressures that keep them.
//
// Linear elements that keep their volume one by one cannot deform: there are more tetrahedra than coordinates
// (locking). Here each node keeps the volume of its ring, one condition for three coordinates (thesis 4.3). Every
// element gives an equal share of its volume to each of its c corners, so that
//
//     V_k = sum_{e at k} V_e / c,        D_kj = dV_k/dx_j = sum_{e at k, j} g_ej / c,      g_ej = dV_e/dx_j,
//
// D v is the rate at which rings grow, and a pressure p at the nodes pushes by D^T p: element e with g_ej times the
// mean of its corners' pressures. Since V_e feels neither translation nor rotation, the forces on each element have
// neither sum nor torque, whatever p. Pressure is 0 outside of the body, and rings at the boundary need nothing else.
//
//     tetrahedron   V = e1 . (e2 x e3) / 6
//     triangle      V = thickness (e1 x e2)_z / 2                       in the plane
//     hexahedron    V = sum over the Gauss points of det(dx/dxi) / 8,   exact: det is quadratic in each coordinate
//
// V is a polynomial: inverted elements count as negative, with no clamp, so that the sum over a region depends on its
// surface only. Clamps were tried in the thesis (4.5) and did harm.
//
// D is kept as rows of blocks of 1 x 3, each with its mirror image D_jk, so that both products are gathers. D M^-1 D^T
// has four times as many entries, and contacts stand in its middle.
//
// What it does badly: on regular lattices a few checkerboards of pressure push nothing. They are harmless, as nothing
// excites them.
#include "rings.h"
#include "base/task.h"
#include "element/hex.h"

#include <string.h>

enum
{
    ELEMENTS_PER_CHUNK = 256,
    ROWS_PER_CHUNK = 256
};

// ---- one element -----------------------------------------------------------------------------------------------

static void subtract(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; ++i)
        out[i] = a[i] - b[i];
}

// out = f a x b
static void cross(double f, const double a[3], const double b[3], double out[3])
{
    out[0] = f * (a[1] * b[2] - a[2] * b[1]);
    out[1] = f * (a[2] * b[0] - a[0] * b[2]);
    out[2] = f * (a[0] * b[1] - a[1] * b[0]);
}

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static double tet(const double (*x)[3], double (*g)[3])
{
    double e[3][3];
    for (int a = 0; a < 3; ++a)
        subtract(x[a + 1], x[0], e[a]);
    cross(1.0 / 6, e[1], e[2], g[1]);
    cross(1.0 / 6, e[2], e[0], g[2]);
    cross(1.0 / 6, e[0], e[1], g[3]);
    for (int i = 0; i < 3; ++i)
        g[0][i] = -(g[1][i] + g[2][i] + g[3][i]);
    return dot(e[0], g[1]);
}

// The same from positions of nodes, without copies.
static double tet_of(const double *x, const int32_t node[4], double *g)
{
    const double *x0 = &x[3 * (size_t)node[0]], *x1 = &x[3 * (size_t)node[1]], *x2 = &x[3 * (size_t)node[2]],
                 *x3 = &x[3 * (size_t)node[3]];
    double a0 = x1[0] - x0[0], a1 = x1[1] - x0[1], a2 = x1[2] - x0[2], b0 = x2[0] - x0[0], b1 = x2[1] - x0[1],
           b2 = x2[2] - x0[2], c0 = x3[0] - x0[0], c1 = x3[1] - x0[1], c2 = x3[2] - x0[2], f = 1.0 / 6;
    g[3] = f * (b1 * c2 - b2 * c1);
    g[4] = f * (b2 * c0 - b0 * c2);
    g[5] = f * (b0 * c1 - b1 * c0);
    g[6] = f * (c1 * a2 - c2 * a1);
    g[7] = f * (c2 * a0 - c0 * a2);
    g[8] = f * (c0 * a1 - c1 * a0);
    g[9] = f * (a1 * b2 - a2 * b1);
    g[10] = f * (a2 * b0 - a0 * b2);
    g[11] = f * (a0 * b1 - a1 * b0);
    for (int i = 0; i < 3; ++i)
        g[i] = -(g[3 + i] + g[6 + i] + g[9 + i]);
    return a0 * g[3] + a1 * g[4] + a2 * g[5];
}

static double triangle(double thickness, const double (*x)[3], double (*g)[3])
{
    for (int a = 0; a < 3; ++a)
    {
        const double *b = x[(a + 1) % 3], *c = x[(a + 2) % 3];
        g[a][0] = 0.5 * thickness * (b[1] - c[1]);
        g[a][1] = 0.5 * thickness * (c[0] - b[0]);
        g[a][2] = 0;
    }
    return 0.5 * thickness * ((x[1][0] - x[0][0]) * (x[2][1] - x[0][1]) - (x[1][1] - x[0][1]) * (x[2][0] - x[0][0]));
}

// With J = sum_a x_a s_a^T and s_a the slopes of the shape functions, d(det J)/dx_a = cof(J) s_a.
static double hex(const double (*x)[3], double (*g)[3])
{
    double V = 0;
    memset(g, 0, PL_HEX_CORNERS * sizeof *g);
    for (int32_t q = 0; q < PL_HEX_POINTS; ++q)
    {
        double s[PL_HEX_CORNERS][3], J[3][3] = {{0}}, cofactor[3][3]; // columns
        pl__hex_slopes(q, s);
        for (int a = 0; a < PL_HEX_CORNERS; ++a)
            for (int d = 0; d < 3; ++d)
                for (int i = 0; i < 3; ++i)
                    J[d][i] += x[a][i] * s[a][d];
        for (int d = 0; d < 3; ++d)
            cross(0.125, J[(d + 1) % 3], J[(d + 2) % 3], cofactor[d]);
        V += dot(J[0], cofactor[0]);
        for (int a = 0; a < PL_HEX_CORNERS; ++a)
            for (int i = 0; i < 3; ++i)
                g[a][i] += cofactor[0][i] * s[a][0] + cofactor[1][i] * s[a][1] + cofactor[2][i] * s[a][2];
    }
    return V;
}

double pl__ring_volume_slopes(int32_t corners, double thickness, const double (*x)[3], double (*slope)[3])
{
    return corners == 4 ? tet(x, slope) : corners == 8 ? hex(x, slope) : triangle(thickness, x, slope);
}

// ---- the pattern -----------------------------------------------------------------------------------------------

static void list_corners(pl__rings *r)
{
    int32_t count = r->corners * r->element_count;
    for (int32_t i = 0; i < count; ++i)
        r->first[r->node[i] + 1]++;
    for (int32_t n = 0; n < r->node_count; ++n)
        r->first[n + 1] += r->first[n];
    for (int32_t i = 0; i < count; ++i)
        r->corner[r->first[r->node[i]]++] = i;
    for (int32_t n = r->node_count; n > 0; --n)
        r->first[n] = r->first[n - 1];
    r->first[0] = 0;
}

// Sort the nodes of a ring into `near`, each once; returns their number. `seen` is -1 for nodes not yet met.
static int32_t find_ring(const pl__rings *r, int32_t k, int32_t *seen, int32_t *near)
{
    int32_t count = 0;
    for (int32_t i = r->first[k]; i < r->first[k + 1]; ++i)
        for (int32_t a = 0, e = r->corner[i] / r->corners; a < r->corners; ++a)
        {
            int32_t j = r->node[e * r->corners + a], at = count;
            if (seen[j] == k)
                continue;
            seen[j] = k;
            for (; at > 0 && near[at - 1] > j; --at)
                near[at] = near[at - 1];
            near[at] = j;
            ++count;
        }
    return count;
}

static int32_t place_of(const pl__rings *r, int32_t k, int32_t j)
{
    int32_t low = r->row[k], high = r->row[k + 1];
    while (low < high)
    {
        int32_t middle = low + (high - low) / 2;
        if (r->column[middle] < j)
            low = middle + 1;
        else
            high = middle;
    }
    return low - r->row[k];
}

static pl_status build_pattern(pl_context *ctx, pl__rings *r)
{
    int32_t *seen = PL_NEW(ctx, r->node_count, int32_t), most = 0;
    for (int32_t n = 0; n < r->node_count; ++n)
        most = r->first[n + 1] - r->first[n] > most ? r->first[n + 1] - r->first[n] : most;
    int32_t room = most * r->corners, *near = PL_NEW(ctx, room, int32_t);
    for (int32_t n = 0; seen && n < r->node_count; ++n)
        seen[n] = -1;
    for (int32_t k = 0; seen && near && k < r->node_count; ++k)
        r->row[k + 1] = r->row[k] + find_ring(r, k, seen, near);
    r->entry_count = r->row[r->node_count];
    r->column = PL_NEW(ctx, r->entry_count, int32_t);
    r->forward = PL_NEW(ctx, 3 * (size_t)r->entry_count, double);
    r->backward = PL_NEW(ctx, 3 * (size_t)r->entry_count, double);
    bool ok = seen && near && r->column && r->forward && r->backward;
    for (int32_t n = 0; ok && n < r->node_count; ++n)
        seen[n] = -1;
    for (int32_t k = 0; ok && k < r->node_count; ++k)
        (void)find_ring(r, k, seen, &r->column[r->row[k]]);
    for (int32_t k = 0; ok && k < r->node_count; ++k)
        for (int32_t i = r->first[k]; i < r->first[k + 1]; ++i)
            for (int32_t a = 0, e = r->corner[i] / r->corners; a < r->corners; ++a)
                r->place[(size_t)i * (size_t)r->corners + (size_t)a] =
                    (uint16_t)place_of(r, k, r->node[e * r->corners + a]);
    PL_DELETE(ctx, near, room);
    PL_DELETE(ctx, seen, r->node_count);
    return ok ? PL_OK : PL_ERR_MEMORY;
}

// The vectors of solves, whose padding stays zero.
static bool for_solves(pl_context *ctx, pl__rings *r, bool make)
{
    size_t nodes = (size_t)r->node_count, length = pl__vector_length(r->node_count),
           partials = (size_t)pl__chunk_count(pl__vector_padded(r->node_count), PL_VECTOR_CHUNK);
    double **vector[] = {&r->next,   &r->from,   &r->goal,   &r->impulse, &r->inverse_diagonal, &r->scale, &r->work.r,
                         &r->work.z, &r->work.w, &r->work.p, &r->work.q};
    bool ok = true;
    for (size_t i = 0; i < sizeof vector / sizeof vector[0]; ++i)
        if (make)
            ok &= (*vector[i] = PL_NEW(ctx, length, double)) != NULL;
        else
            PL_DELETE(ctx, *vector[i], length);
    if (make)
        return ok && (r->work.partial = PL_NEW(ctx, partials, double)) && (r->held = PL_NEW(ctx, nodes, int32_t));
    PL_DELETE(ctx, r->work.partial, partials);
    PL_DELETE(ctx, r->held, nodes);
    return true;
}

static bool allocate(pl_context *ctx, pl__rings *r)
{
    size_t corners = (size_t)r->corners * (size_t)r->element_count, nodes = (size_t)r->node_count;
    r->node = PL_NEW(ctx, corners, int32_t);
    r->first = PL_NEW(ctx, nodes + 1, int32_t);
    r->corner = PL_NEW(ctx, corners, int32_t);
    r->row = PL_NEW(ctx, nodes + 1, int32_t);
    r->place = PL_NEW(ctx, corners * (size_t)r->corners, uint16_t);
    r->target = PL_NEW(ctx, nodes, double);
    r->pressure = PL_NEW(ctx, nodes, double);
    r->volume = PL_NEW(ctx, nodes, double);
    r->slope = PL_NEW(ctx, 3 * corners, double);
    r->share = PL_NEW(ctx, r->element_count, double);
    return r->node && r->first && r->corner && r->row && r->place && r->target && r->pressure && r->volume &&
           r->slope && r->share && for_solves(ctx, r, true);
}

pl_status pl__rings_create(pl_context *ctx, const pl__ring_elements *elements, int32_t node_count, const double *X,
                           pl__rings *out)
{
    pl__rings r = {.corners = elements->corners,
                   .node_count = node_count,
                   .element_count = elements->count,
                   .thickness = elements->thickness,
                   .factor = 1};
    pl_status status = allocate(ctx, &r) ? PL_OK : PL_ERR_MEMORY;
    if (status == PL_OK)
    {
        memcpy(r.node, elements->node, (size_t)r.corners * (size_t)r.element_count * sizeof *r.node);
        list_corners(&r);
        status = build_pattern(ctx, &r);
    }
    if (status != PL_OK)
    {
        pl__rings_destroy(ctx, &r);
        return status;
    }
    pl__rings_measure(ctx, &r, X);
    memcpy(r.target, r.volume, (size_t)node_count * sizeof *r.target);
    *out = r;
    return PL_OK;
}

void pl__rings_destroy(pl_context *ctx, pl__rings *r)
{
    size_t corners = (size_t)r->corners * (size_t)r->element_count, nodes = (size_t)r->node_count,
           entries = 3 * (size_t)r->entry_count;
    PL_DELETE(ctx, r->node, corners);
    PL_DELETE(ctx, r->first, nodes + 1);
    PL_DELETE(ctx, r->corner, corners);
    PL_DELETE(ctx, r->row, nodes + 1);
    PL_DELETE(ctx, r->place, corners * (size_t)r->corners);
    PL_DELETE(ctx, r->target, nodes);
    PL_DELETE(ctx, r->pressure, nodes);
    PL_DELETE(ctx, r->volume, nodes);
    PL_DELETE(ctx, r->slope, 3 * corners);
    PL_DELETE(ctx, r->share, r->element_count);
    PL_DELETE(ctx, r->column, r->entry_count);
    PL_DELETE(ctx, r->forward, entries);
    PL_DELETE(ctx, r->backward, entries);
    (void)for_solves(ctx, r, false);
    *r = (pl__rings){0};
}

// ---- at some positions -----------------------------------------------------------------------------------------

typedef struct
{
    pl__rings *rings;
    const double *in, *pressure;
    double *out;
} job;

static void measure_elements(void *argument, int32_t begin, int32_t end)
{
    const job *j = argument;
    const pl__rings *r = j->rings;
    for (int32_t e = begin; r->corners == 4 && e < end; ++e)
        r->share[e] = 0.25 * tet_of(j->in, &r->node[4 * (size_t)e], &r->slope[12 * (size_t)e]);
    for (int32_t e = begin; r->corners != 4 && e < end; ++e)
    {
        double x[PL_HEX_CORNERS][3];
        for (int32_t a = 0; a < r->corners; ++a)
            memcpy(x[a], &j->in[3 * (size_t)r->node[e * r->corners + a]], sizeof x[a]);
        double(*slope)[3] = (double(*)[3]) & r->slope[3 * (size_t)r->corners * (size_t)e];
        r->share[e] = pl__ring_volume_slopes(r->corners, r->thickness, (const double(*)[3])x, slope) / r->corners;
    }
}

static void measure_rings(void *argument, int32_t begin, int32_t end)
{
    const pl__rings *r = ((const job *)argument)->rings;
    for (int32_t k = begin; k < end; ++k)
    {
        r->volume[k] = 0;
        for (int32_t i = r->first[k]; i < r->first[k + 1]; ++i)
            r->volume[k] += r->share[r->corner[i] / r->corners];
    }
}

void pl__rings_measure(pl_context *ctx, pl__rings *rings, const double *x)
{
    job j = {.rings = rings, .in = x};
    pl__parallel_for(ctx, rings->element_count, ELEMENTS_PER_CHUNK, measure_elements, &j);
    pl__parallel_for(ctx, rings->node_count, ROWS_PER_CHUNK, measure_rings, &j);
}

static void assemble_rows(void *argument, int32_t begin, int32_t end)
{
    const pl__rings *r = ((const job *)argument)->rings;
    size_t c = (size_t)r->corners;
    double share = 1.0 / r->corners;
    for (int32_t k = begin; k < end; ++k)
    {
        double *forward = &r->forward[3 * (size_t)r->row[k]], *backward = &r->backward[3 * (size_t)r->row[k]];
        size_t bytes = 3 * (size_t)(r->row[k + 1] - r->row[k]) * sizeof(double);
        memset(forward, 0, bytes);
        memset(backward, 0, bytes);
        for (int32_t i = r->first[k]; i < r->first[k + 1]; ++i)
        {
            const double *own = &r->slope[3 * (size_t)r->corner[i]];
            const double *g = &r->slope[3 * c * ((size_t)r->corner[i] / c)];
            const uint16_t *place = &r->place[(size_t)i * c];
            double x = share * own[0], y = share * own[1], z = share * own[2];
            for (size_t a = 0; a < c; ++a)
            {
                double *to = &forward[3 * (size_t)place[a]], *back = &backward[3 * (size_t)place[a]];
                to[0] += share * g[3 * a];
                to[1] += share * g[3 * a + 1];
                to[2] += share * g[3 * a + 2];
                back[0] += x;
                back[1] += y;
                back[2] += z;
            }
        }
    }
}

void pl__rings_assemble(pl_context *ctx, pl__rings *rings)
{
    pl__parallel_for(ctx, rings->node_count, ROWS_PER_CHUNK, assemble_rows, &(job){.rings = rings});
}

// ---- products --------------------------------------------------------------------------------------------------

static void divergence_rows(void *argument, int32_t begin, int32_t end)
{
    const job *j = argument;
    const pl__rings *r = j->rings;
    for (int32_t k = begin; k < end; ++k)
    {
        const int32_t *column = &r->column[r->row[k]];
        const double *D = &r->forward[3 * (size_t)r->row[k]];
        double x = 0, y = 0, z = 0;
        for (int32_t i = 0, count = r->row[k + 1] - r->row[k]; i < count; ++i, D += 3)
        {
            const double *v = &j->in[3 * (size_t)column[i]];
            x += D[0] * v[0];
            y += D[1] * v[1];
            z += D[2] * v[2];
        }
        j->out[k] = x + y + z;
    }
}

void pl__rings_divergence(pl_context *ctx, const pl__rings *rings, const double *v, double *out)
{
    pl__parallel_for(ctx, rings->node_count, ROWS_PER_CHUNK, divergence_rows,
                     &(job){.rings = (pl__rings *)rings, .in = v, .out = out});
}

static void push_rows(void *argument, int32_t begin, int32_t end)
{
    const job *j = argument;
    const pl__rings *r = j->rings;
    for (int32_t k = begin; k < end; ++k)
    {
        pl__ring_push(r, k, j->in, &j->out[3 * (size_t)k]);
    }
}

void pl__rings_push(pl_context *ctx, const pl__rings *rings, const double *p, double *out)
{
    pl__parallel_for(ctx, rings->node_count, ROWS_PER_CHUNK, push_rows,
                     &(job){.rings = (pl__rings *)rings, .in = p, .out = out});
}

// The mean pressure of each element in the place of its volume.
static void mean_pressures(void *argument, int32_t begin, int32_t end)
{
    const job *j = argument;
    const pl__rings *r = j->rings;
    for (int32_t e = begin; e < end; ++e)
    {
        double sum = 0;
        for (int32_t a = 0; a < r->corners; ++a)
            sum += j->pressure[r->node[e * r->corners + a]];
        r->share[e] = sum / r->corners;
    }
}

static void push_nodes(void *argument, int32_t begin, int32_t end)
{
    const job *j = argument;
    const pl__rings *r = j->rings;
    for (int32_t k = begin; k < end; ++k)
        for (int32_t i = r->first[k]; i < r->first[k + 1]; ++i)
            for (size_t d = 0; d < 3; ++d)
                j->out[3 * (size_t)k + d] +=
                    r->share[r->corner[i] / r->corners] * r->slope[3 * (size_t)r->corner[i] + d];
}

void pl__rings_add_force(pl_context *ctx, pl__rings *rings, const double *x, const double *pressure, double *force)
{
    job j = {.rings = rings, .in = x, .pressure = pressure, .out = force};
    pl__parallel_for(ctx, rings->element_count, ELEMENTS_PER_CHUNK, measure_elements, &j);
    pl__parallel_for(ctx, rings->element_count, ELEMENTS_PER_CHUNK, mean_pressures, &j);
    pl__parallel_for(ctx, rings->node_count, ROWS_PER_CHUNK, push_nodes, &j);
}

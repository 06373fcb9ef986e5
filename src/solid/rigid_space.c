// src/solid/rigid_space.c -- see rigid_space.h.
#include "rigid_space.h"
#include "tolerances.h"

#include <math.h>
#include <string.h>

enum
{
    NODES_PER_PIECE = 1024
};

// Whether nothing but contact and springs holds a body.
static bool is_free(const pl__body *body)
{
    return !body->state.asleep && body->pins.count == 0 && body->total_mass > 0;
}

bool pl__rigid_space_begin(const pl__solids *s, pl__arena *arena, pl__rigid_space *space)
{
    int32_t pieces = 0, count = 0;
    *space = (pl__rigid_space){.ctx = s->ctx, .s = s};
    space->slot = PL_TAKE(arena, s->body_count, int32_t);
    space->ease = PL_TAKE(arena, s->body_count, double);
    if (!space->slot || !space->ease)
        return false;
    for (int32_t i = 0; i < s->body_count; ++i)
    {
        bool free = is_free(s->body[i]);
        space->slot[i] = free ? count++ : -1;
        space->ease[i] = free ? 1 / s->body[i]->total_mass : 0;
        pieces += free ? s->body[i]->node_count / NODES_PER_PIECE + 1 : 0;
    }
    size_t n = 6 * (size_t)count;
    space->dense = count <= PL__RIGID_DENSE;
    space->body = PL_TAKE(arena, count, int32_t);
    space->centre = PL_TAKE(arena, 3 * (size_t)count, double);
    space->factor = PL_TAKE(arena, space->dense ? n * n : 6 * n, double);
    space->motion = PL_TAKE(arena, n, double);
    space->piece = PL_TAKE(arena, pieces, pl__rigid_piece);
    space->sum = PL_TAKE(arena, 6 * (size_t)pieces, double);
    if (!space->body || !space->centre || !space->factor || !space->motion || !space->piece || !space->sum)
        return false;
    for (int32_t i = 0; i < s->body_count; ++i)
    {
        const pl__body *body = s->body[i];
        if (space->slot[i] < 0)
            continue;
        space->body[space->slot[i]] = i;
        int32_t last = body->first_node + body->node_count;
        for (int32_t begin = body->first_node; begin < last; begin += NODES_PER_PIECE)
            space->piece[space->piece_count++] =
                (pl__rigid_piece){i, begin, last - begin < NODES_PER_PIECE ? last : begin + NODES_PER_PIECE};
    }
    space->body_count = count;
    return true;
}

// Row-major position of the 6x6 block of two bodies.
static double *block_of(const pl__rigid_space *space, int32_t a, int32_t b, size_t *stride)
{
    *stride = space->dense ? 6 * (size_t)space->body_count : 6;
    return space->dense ? &space->factor[6 * (size_t)a * *stride + 6 * (size_t)b] : &space->factor[36 * (size_t)a];
}

static void find_centre(const pl__rigid_space *space, int32_t a, const double *diagonal)
{
    const pl__body *body = space->s->body[space->body[a]];
    double sum[3] = {0, 0, 0}, mass = 0;
    for (size_t n = (size_t)body->first_node; n < (size_t)(body->first_node + body->node_count); ++n)
    {
        mass += diagonal[3 * n];
        for (size_t d = 0; d < 3; ++d)
            sum[d] += diagonal[3 * n] * space->x[3 * n + d];
    }
    for (int d = 0; d < 3; ++d)
        space->centre[3 * (size_t)a + (size_t)d] = mass > 0 ? sum[d] / mass : 0;
}

// Velocity of a point by the six motions: column 3 + k is e_k x arm.
static void motions_at(const pl__rigid_space *space, int32_t a, const double *x, double column[6][3])
{
    double arm[3];
    for (size_t d = 0; d < 3; ++d)
        arm[d] = x[d] - space->centre[3 * (size_t)a + d];
    memset(column, 0, 18 * sizeof(double));
    for (int k = 0; k < 3; ++k)
    {
        int next = (k + 1) % 3, last = (k + 2) % 3;
        column[k][k] = 1;
        column[3 + k][next] = -arm[last];
        column[3 + k][last] = arm[next];
    }
    if (space->s->body[space->body[a]]->planar)
    {
        memset(column[2], 0, sizeof column[2]);
        memset(column[3], 0, 2 * sizeof column[3]);
    }
}

static void add_masses(const pl__rigid_space *space, int32_t a, const double *diagonal)
{
    const pl__body *body = space->s->body[space->body[a]];
    size_t stride;
    double *e = block_of(space, a, a, &stride), column[6][3];
    for (size_t n = (size_t)body->first_node; n < (size_t)(body->first_node + body->node_count); ++n)
    {
        motions_at(space, a, &space->x[3 * n], column);
        for (size_t i = 0; i < 6; ++i)
            for (size_t j = 0; j <= i; ++j)
                for (size_t d = 0; d < 3; ++d)
                    e[i * stride + j] += diagonal[3 * n + d] * column[i][d] * column[j][d];
    }
}

typedef struct
{
    const pl__rigid_space *space;
    const double *diagonal;
} job;

static void make_bodies(void *argument, int32_t begin, int32_t end)
{
    const job *j = argument;
    for (int32_t a = begin; a < end; ++a)
    {
        find_centre(j->space, a, j->diagonal);
        add_masses(j->space, a, j->diagonal);
    }
}

// The relative velocity of a row by the motions of the bodies that it joins: returns how many these are.
static int32_t motions_of_row(const pl__rigid_space *space, const pl__contact_pair *p, int32_t slot[4],
                              double motion[4][6][3])
{
    int32_t count = 0;
    for (int i = 0; i < 4; ++i)
    {
        int32_t a = p->free[i] ? space->slot[pl__solids_body_of(space->s, p->contact.node[i])] : -1, k = 0;
        double column[6][3];
        if (a < 0)
            continue;
        while (k < count && slot[k] != a)
            ++k;
        if (k == count)
        {
            slot[count] = a;
            memset(motion[count++], 0, sizeof motion[0]);
        }
        motions_at(space, a, &space->x[3 * (size_t)p->contact.node[i]], column);
        for (int m = 0; m < 6; ++m)
            for (int d = 0; d < 3; ++d)
                motion[k][m][d] += p->contact.weight[i] * column[m][d];
    }
    return count;
}

static void add_row(const pl__rigid_space *space, const pl__contact_pair *p)
{
    static const int at[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    int32_t slot[4], count;
    double motion[4][6][3], pressed[6][3];
    if (!p->held && p->radius == 0)
        return;
    count = motions_of_row(space, p, slot, motion);
    for (int32_t a = 0; a < count; ++a)
    {
        for (int m = 0; m < 6; ++m)
            for (int d = 0; d < 3; ++d)
                pressed[m][d] = p->tangent[at[d][0]] * motion[a][m][0] + p->tangent[at[d][1]] * motion[a][m][1] +
                                p->tangent[at[d][2]] * motion[a][m][2];
        for (int32_t b = 0; b < count; ++b)
        {
            size_t stride;
            if (slot[b] > slot[a] || (slot[b] != slot[a] && !space->dense))
                continue;
            double *e = block_of(space, slot[a], slot[b], &stride);
            for (size_t m = 0; m < 6; ++m)
                for (size_t k = 0; k < 6; ++k)
                    for (size_t d = 0; d < 3; ++d)
                        e[m * stride + k] += pressed[m][d] * motion[b][k][d];
        }
    }
}

// Cholesky factor in place of the lower triangle [n][n]; motions that others contain are left out: their rows are
// those of the identity.
static void factorise(double *a, size_t n)
{
    for (size_t i = 0; i < n; ++i)
    {
        double full = a[i * n + i];
        for (size_t j = 0; j <= i; ++j)
        {
            double sum = a[i * n + j];
            for (size_t k = 0; k < j; ++k)
                sum -= a[i * n + k] * a[j * n + k];
            if (j < i)
                a[i * n + j] = sum / a[j * n + j];
            else if (sum > PL__RIGID_SINGULAR * full)
                a[i * n + i] = sqrt(sum);
            else
            {
                memset(&a[i * n], 0, i * sizeof *a);
                a[i * n + i] = INFINITY;
            }
        }
    }
}

static void substitute(const double *a, size_t n, double *y)
{
    for (size_t i = 0; i < n; ++i)
    {
        double sum = y[i];
        for (size_t k = 0; k < i; ++k)
            sum -= a[i * n + k] * y[k];
        y[i] = sum / a[i * n + i];
    }
    for (size_t i = n; i-- > 0;)
    {
        y[i] /= a[i * n + i];
        for (size_t k = 0; k < i; ++k)
            y[k] -= a[i * n + k] * y[i];
    }
}

void pl__rigid_space_make(pl__rigid_space *space, const double *x, const double *diagonal, const pl__contact_rows *rows)
{
    size_t n = 6 * (size_t)space->body_count;
    space->x = x;
    if (n == 0)
        return;
    memset(space->factor, 0, (space->dense ? n * n : 6 * n) * sizeof *space->factor);
    pl__parallel_for(space->ctx, space->body_count, 1, make_bodies, &(job){space, diagonal});
    for (int32_t i = 0; i < pl__contact_rows_count(rows); ++i)
        add_row(space, pl__contact_row(rows, i));
    if (space->dense)
        factorise(space->factor, n);
    for (int32_t a = 0; !space->dense && a < space->body_count; ++a)
        factorise(&space->factor[36 * (size_t)a], 6);
}

typedef struct
{
    const pl__rigid_space *space;
    const double *r;
    double *z;
} apply_job;

static void restrict_pieces(void *argument, int32_t begin, int32_t end)
{
    const apply_job *j = argument;
    const pl__rigid_space *space = j->space;
    for (int32_t i = begin; i < end; ++i)
    {
        const pl__rigid_piece *piece = &space->piece[i];
        int32_t a = space->slot[piece->body];
        const double *c = &space->centre[3 * (size_t)a];
        double sum[6] = {0, 0, 0, 0, 0, 0};
        for (size_t n = (size_t)piece->begin; n < (size_t)piece->end; ++n)
        {
            const double *x = &space->x[3 * n], *r = &j->r[3 * n];
            double p = x[0] - c[0], q = x[1] - c[1], s = x[2] - c[2];
            sum[0] += r[0];
            sum[1] += r[1];
            sum[2] += r[2];
            sum[3] += q * r[2] - s * r[1];
            sum[4] += s * r[0] - p * r[2];
            sum[5] += p * r[1] - q * r[0];
        }
        memcpy(&space->sum[6 * (size_t)i], sum, sizeof sum);
    }
}

static void prolong_pieces(void *argument, int32_t begin, int32_t end)
{
    const apply_job *j = argument;
    const pl__rigid_space *space = j->space;
    for (int32_t i = begin; i < end; ++i)
    {
        const pl__rigid_piece *piece = &space->piece[i];
        int32_t a = space->slot[piece->body];
        const double *c = &space->centre[3 * (size_t)a], *m = &space->motion[6 * (size_t)a];
        for (size_t n = (size_t)piece->begin; n < (size_t)piece->end; ++n)
        {
            const double *x = &space->x[3 * n];
            double *z = &j->z[3 * n], p = x[0] - c[0], q = x[1] - c[1], s = x[2] - c[2];
            z[0] += m[0] + m[4] * s - m[5] * q;
            z[1] += m[1] + m[5] * p - m[3] * s;
            z[2] += m[2] + m[3] * q - m[4] * p;
        }
    }
}

double pl__rigid_space_add(const pl__rigid_space *space, const double *r, double *z)
{
    apply_job j = {space, r, z};
    size_t n = 6 * (size_t)space->body_count;
    double product = 0;
    if (n == 0)
        return 0;
    pl__parallel_for(space->ctx, space->piece_count, 1, restrict_pieces, &j);
    memset(space->motion, 0, n * sizeof *space->motion);
    for (int32_t i = 0; i < space->piece_count; ++i)
        for (size_t k = 0; k < 6; ++k)
            space->motion[6 * (size_t)space->slot[space->piece[i].body] + k] += space->sum[6 * (size_t)i + k];
    for (int32_t a = 0; a < space->body_count; ++a)
        if (space->s->body[space->body[a]]->planar)
            for (size_t k = 2; k < 5; ++k)
                space->motion[6 * (size_t)a + k] = 0;
    // E y = b: first half of the substitution gives |L^-1 b|^2 = b . E^-1 b; the sum below is the same to round-off
    double *b = space->sum; // no longer needed: at least as long, as every body has a piece
    memcpy(b, space->motion, n * sizeof *b);
    if (space->dense)
        substitute(space->factor, n, space->motion);
    for (int32_t a = 0; !space->dense && a < space->body_count; ++a)
        substitute(&space->factor[36 * (size_t)a], 6, &space->motion[6 * (size_t)a]);
    for (size_t k = 0; k < n; ++k)
        product += b[k] * space->motion[k];
    pl__parallel_for(space->ctx, space->piece_count, 1, prolong_pieces, &j);
    return product;
}

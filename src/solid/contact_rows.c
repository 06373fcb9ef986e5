// src/solid/contact_rows.c -- see contact_rows.h for the method.
#include "contact_rows.h"
#include "base/task.h"
#include "contact/tolerances.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
    ROWS_PER_CHUNK = 256
};

static const int FIRST[6] = {0, 1, 2, 0, 0, 1}, SECOND[6] = {0, 1, 2, 1, 2, 2}; // of xx yy zz xy xz yz

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void times(const double m[6], const double a[3], double out[3])
{
    out[0] = m[0] * a[0] + m[3] * a[1] + m[4] * a[2];
    out[1] = m[3] * a[0] + m[1] * a[1] + m[5] * a[2];
    out[2] = m[4] * a[0] + m[5] * a[1] + m[2] * a[2];
}

// sum w v of the free nodes.
static void relative_velocity(const pl__contact_pair *p, const double *v, double s[3])
{
    s[0] = s[1] = s[2] = 0;
    for (int i = 0; i < 4; ++i)
        for (size_t d = 0; p->free[i] && d < 3; ++d)
            s[d] += p->contact.weight[i] * v[3 * (size_t)p->contact.node[i] + d];
}

static void scatter(const pl__contact_pair *p, const double j[3], double share, double *out)
{
    for (int i = 0; i < 4; ++i)
        for (size_t d = 0; p->free[i] && d < 3; ++d)
            out[3 * (size_t)p->contact.node[i] + d] += share * p->contact.weight[i] * j[d];
}

// ---- the law ---------------------------------------------------------------------------------------------------

// y at the velocity s of the free nodes: along the normal, and across.
static double trial_impulse(const pl__contact_pair *p, const double s[3], double across[3])
{
    double total[3] = {s[0] + p->given[0], s[1] + p->given[1], s[2] + p->given[2]};
    double along = dot(total, p->contact.normal);
    for (int d = 0; d < 3; ++d)
        across[d] = p->friction_impulse[d] - p->stiffness * (total[d] - along * p->contact.normal[d]);
    return p->impulse - p->stiffness * (along + p->allowed);
}

// p = the projection of y, and its derivative by velocity.
static void project(pl__contact_pair *p, const double s[3])
{
    const double *n = p->contact.normal, k = p->stiffness;
    double across[3], normal = trial_impulse(p, s, across), size = sqrt(dot(across, across));
    double share = size > p->radius ? p->radius / size : 1, slide[3] = {0, 0, 0};
    bool stops = p->piece == PL__ROW_STOPS && p->radius > 0;
    p->held = normal > 0;
    p->sticks = share == 1 && p->radius > 0;
    for (int d = 0; d < 3; ++d)
    {
        p->applied[d] = fmax(0, normal) * n[d] + share * across[d];
        p->model[d] = stops ? fmax(0, normal) * n[d] + across[d] : p->applied[d];
        slide[d] = p->sticks || stops || size == 0 || p->piece == PL__ROW_DRAGS ? 0 : across[d] / size;
    }
    double tangential = p->radius > 0 ? (stops ? 1 : share) * k : 0, along = (p->held ? k : 0) - tangential;
    for (int i = 0; i < 6; ++i)
        p->tangent[i] = along * n[FIRST[i]] * n[SECOND[i]] - tangential * slide[FIRST[i]] * slide[SECOND[i]] +
                        (i < 3 ? tangential : 0);
}

// k phi.
static double merit(const pl__contact_pair *p, const double s[3])
{
    double across[3], normal = fmax(0, trial_impulse(p, s, across)), size = sqrt(dot(across, across)), r = p->radius;
    return 0.5 * normal * normal + (size <= r ? 0.5 * size * size : r * size - 0.5 * r * r);
}

typedef struct
{
    pl__contact_rows *rows;
    const double *v;
} job;

static void project_rows(void *argument, int32_t begin, int32_t end)
{
    const job *j = argument;
    for (int32_t i = begin; i < end; ++i)
    {
        pl__contact_pair *p = pl__contact_row(j->rows, i);
        double s[3];
        relative_velocity(p, j->v, s);
        project(p, s);
    }
}

void pl__contact_rows_project(pl_context *ctx, pl__contact_rows *rows, const double *v)
{
    job j = {rows, v};
    pl__parallel_for(ctx, pl__contact_rows_count(rows), ROWS_PER_CHUNK, project_rows, &j);
}

double pl__contact_rows_update(pl__contact_rows *rows)
{
    double off = 0;
    for (int32_t i = 0; i < pl__contact_rows_count(rows); ++i)
    {
        pl__contact_pair *p = pl__contact_row(rows, i);
        double normal = fmax(0, dot(p->applied, p->contact.normal)), across[3], change2 = 0;
        for (int d = 0; d < 3; ++d)
            across[d] = p->applied[d] - normal * p->contact.normal[d];
        p->radius = p->friction * normal;
        double size = sqrt(dot(across, across)), share = size > p->radius ? p->radius / size : 1;
        change2 += (normal - p->impulse) * (normal - p->impulse);
        p->impulse = normal;
        for (int d = 0; d < 3; ++d)
        {
            change2 += (share * across[d] - p->friction_impulse[d]) * (share * across[d] - p->friction_impulse[d]);
            p->friction_impulse[d] = share * across[d];
        }
        off += p->stiffness > 0 ? change2 / p->stiffness : 0;
    }
    return off;
}

// ---- penalties and the matrix -----------------------------------------------------------------------------------

typedef struct
{
    const double *block, *ease;
    int32_t (*body_of)(const void *user, int32_t node);
    const void *user;
} softness;

// Velocity of a row by a unit impulse if only its nodes yield, and if whole bodies do.
static double stiffness_of(const pl__contact_pair *p, const softness *soft, double penalty)
{
    double sum = 0, most = 0, b[3], whole = 0, share[4] = {0, 0, 0, 0};
    int32_t body[4] = {0}, bodies = 0;
    for (int i = 0; i < 4; ++i)
    {
        int32_t k = 0;
        if (!p->free[i])
            continue;
        times(&soft->block[6 * (size_t)p->contact.node[i]], p->contact.normal, b);
        double one = dot(b, p->contact.normal);
        sum += p->contact.weight[i] * p->contact.weight[i] * one;
        most = fmax(most, one);
        body[bodies] = soft->body_of(soft->user, p->contact.node[i]);
        while (k < bodies && body[k] != body[bodies])
            ++k;
        bodies += k == bodies;
        share[k] += p->contact.weight[i];
    }
    for (int32_t k = 0; k < bodies; ++k)
        whole += share[k] * share[k] * soft->ease[body[k]];
    return most > 0 ? 1 / fmax(fmax(sum, PL__COMPLIANCE_LEAST * most) / penalty, whole / PL__BODY_PENALTY) : 0;
}

void pl__contact_rows_stiffen(pl__contact_rows *rows, const double *block, const double *ease,
                              int32_t (*body_of)(const void *user, int32_t node), const void *user, bool all)
{
    static const double penalty[2] = {PL__PAIR_PENALTY, PL__OBJECT_PENALTY};
    softness soft = {block, ease, body_of, user};
    for (int k = 0; k < 2; ++k)
    {
        for (int32_t i = all ? 0 : rows->ready[k]; i < rows->count[k]; ++i)
            rows->span[k][i].stiffness = stiffness_of(&rows->span[k][i], &soft, penalty[k]);
        rows->ready[k] = rows->count[k];
    }
}

void pl__contact_rows_add_model(const pl__contact_rows *rows, double share, double *out)
{
    for (int32_t i = 0; i < pl__contact_rows_count(rows); ++i)
        scatter(pl__contact_row(rows, i), pl__contact_row(rows, i)->model, share, out);
}

void pl__contact_rows_add_known(const pl__contact_rows *rows, double share, double *out)
{
    for (int32_t i = 0; i < pl__contact_rows_count(rows); ++i)
    {
        const pl__contact_pair *p = pl__contact_row(rows, i);
        double j[3];
        for (int d = 0; d < 3; ++d)
            j[d] = p->impulse * p->contact.normal[d] + p->friction_impulse[d];
        scatter(p, j, share, out);
    }
}

double pl__contact_rows_multiply(const pl__contact_rows *rows, const double *in, double *out)
{
    double sum = 0;
    for (int32_t i = 0; i < pl__contact_rows_count(rows); ++i)
    {
        const pl__contact_pair *p = pl__contact_row(rows, i);
        double s[3], j[3];
        if (!p->held && p->radius == 0)
            continue;
        relative_velocity(p, in, s);
        times(p->tangent, s, j);
        scatter(p, j, 1, out);
        sum += dot(s, j);
    }
    return sum;
}

void pl__contact_rows_term(const pl__contact_rows *rows, int32_t i, pl__multigrid_pair *term)
{
    const pl__contact_pair *p = pl__contact_row(rows, i);
    term->count = 0;
    for (int k = 0; (p->held || p->radius > 0) && k < 4; ++k)
        if (p->free[k])
        {
            term->node[term->count] = p->contact.node[k];
            term->weight[term->count++] = p->contact.weight[k];
        }
    memcpy(term->stiffness, p->tangent, sizeof p->tangent);
}

// Inverse of a symmetric positive definite matrix.
static void invert(const double m[6], double out[6])
{
    double c0 = m[1] * m[2] - m[5] * m[5], c3 = m[4] * m[5] - m[3] * m[2], c4 = m[3] * m[5] - m[4] * m[1];
    double scale = 1 / (m[0] * c0 + m[3] * c3 + m[4] * c4);
    out[0] = c0 * scale;
    out[1] = (m[0] * m[2] - m[4] * m[4]) * scale;
    out[2] = (m[0] * m[1] - m[3] * m[3]) * scale;
    out[3] = c3 * scale;
    out[4] = c4 * scale;
    out[5] = (m[3] * m[4] - m[0] * m[5]) * scale;
}

void pl__contact_rows_precondition(const pl__contact_rows *rows, const double *plain, double *block, int32_t node_count)
{
    memcpy(block, plain, 6 * (size_t)node_count * sizeof *block);
    for (int32_t i = 0; i < pl__contact_rows_count(rows); ++i)
    {
        const pl__contact_pair *p = pl__contact_row(rows, i);
        for (int k = 0; (p->held || p->radius > 0) && k < 4; ++k)
        {
            double sum[6], *b = &block[6 * (size_t)p->contact.node[k]];
            if (!p->free[k])
                continue;
            invert(b, sum);
            for (int d = 0; d < 6; ++d)
                sum[d] += p->contact.weight[k] * p->contact.weight[k] * p->tangent[d];
            invert(sum, b);
        }
    }
}

// ---- how far to go ----------------------------------------------------------------------------------------------

double pl__contact_rows_rise(const pl__contact_rows *rows, const double *v, const double *direction, double share,
                             double *slope)
{
    double rise = 0;
    *slope = 0;
    for (int32_t i = 0; i < pl__contact_rows_count(rows); ++i)
    {
        pl__contact_pair p = *pl__contact_row(rows, i);
        double s[3], d[3], before;
        if (!(p.stiffness > 0))
            continue;
        relative_velocity(&p, v, s);
        relative_velocity(&p, direction, d);
        before = merit(&p, s);
        for (int k = 0; k < 3; ++k)
            s[k] += share * d[k];
        rise += (merit(&p, s) - before) / p.stiffness;
        project(&p, s);
        *slope -= dot(p.applied, d);
    }
    return rise;
}

void pl__contact_rows_choose_pieces(pl__contact_rows *rows, const double *v, const double *direction, bool overshoots)
{
    for (int32_t i = 0; i < pl__contact_rows_count(rows); ++i)
    {
        pl__contact_pair *p = pl__contact_row(rows, i);
        double s[3], d[3], before[3], after[3], r2 = p->radius * p->radius;
        if (p->radius == 0)
            continue;
        relative_velocity(p, v, s);
        relative_velocity(p, direction, d);
        (void)trial_impulse(p, s, before);
        for (int k = 0; k < 3; ++k)
            s[k] += d[k];
        (void)trial_impulse(p, s, after);
        bool slides = dot(after, after) > r2;
        if (p->piece == PL__ROW_STOPS && slides)
            p->piece = ++p->turned < PL__PAIR_TURNS ? PL__ROW_AS_IT_IS : PL__ROW_DRAGS;
        else if (overshoots && p->piece == PL__ROW_AS_IT_IS && dot(before, before) > r2 &&
                 (!slides || dot(before, after) < 0))
            p->piece = PL__ROW_STOPS;
    }
}

void pl__contact_rows_drag(pl__contact_rows *rows)
{
    for (int32_t i = 0; i < pl__contact_rows_count(rows); ++i)
        if (pl__contact_row(rows, i)->piece == PL__ROW_STOPS)
            pl__contact_row(rows, i)->piece = PL__ROW_DRAGS;
}

double pl__contact_rows_deepest(const pl__contact_rows *rows, const double *v)
{
    double most = 0, s[3];
    for (int32_t i = 0; i < rows->count[0]; ++i)
    {
        const pl__contact_pair *p = &rows->span[0][i];
        relative_velocity(p, v, s);
        for (int d = 0; d < 3; ++d)
            s[d] += p->given[d];
        most = p->stiffness > 0 ? fmax(most, -(dot(s, p->contact.normal) + p->allowed) * rows->dt / p->rest) : most;
    }
    return most;
}

double pl__contact_rows_friction_work(const pl__contact_rows *rows, const double *v_start, const double *v)
{
    double work = 0;
    for (int32_t i = 0; i < rows->count[0]; ++i)
    {
        const pl__contact_pair *p = &rows->span[0][i];
        double before[3], after[3];
        relative_velocity(p, v_start, before);
        relative_velocity(p, v, after);
        for (int d = 0; d < 3; ++d)
            work -= p->friction_impulse[d] * (0.5 * (before[d] + after[d]) + p->given[d]);
    }
    return work;
}

// ---- memory -----------------------------------------------------------------------------------------------------

static pl__row_key key_of(const pl__contact_pair *p)
{
    pl__row_key key = {.kind = p->kind};
    memcpy(key.node, p->contact.node, sizeof key.node);
    return key;
}

int pl__row_key_compare(const void *a, const void *b)
{
    const pl__row_key *p = a, *q = b;
    for (int i = 0; i < 4; ++i)
        if (p->node[i] != q->node[i])
            return p->node[i] < q->node[i] ? -1 : 1;
    return (p->kind > q->kind) - (p->kind < q->kind);
}

void pl__contact_rows_recall(pl__contact_rows *rows, const pl__row_memory *memory)
{
    for (int k = 0; k < 2 && memory->count > 0; ++k)
        for (int32_t i = rows->ready[k]; i < rows->count[k]; ++i)
        {
            pl__contact_pair *p = &rows->span[k][i];
            pl__row_key key = key_of(p);
            const pl__row_force *known =
                bsearch(&key, memory->row, memory->count, sizeof *memory->row, pl__row_key_compare);
            if (!known)
                continue;
            double along = dot(known->force, p->contact.normal) * rows->dt;
            p->impulse = fmax(0, along);
            for (int d = 0; d < 3; ++d)
                p->friction_impulse[d] = known->force[d] * rows->dt - along * p->contact.normal[d];
            p->radius = p->friction * p->impulse;
            double size = sqrt(dot(p->friction_impulse, p->friction_impulse));
            for (int d = 0; size > p->radius && d < 3; ++d)
                p->friction_impulse[d] *= p->radius / size;
        }
}

bool pl__row_memory_reserve(pl_context *ctx, pl__row_memory *memory, size_t count)
{
    return PL_GROW(ctx, memory->row, &memory->capacity, count);
}

void pl__row_memory_destroy(pl_context *ctx, pl__row_memory *memory)
{
    PL_DELETE(ctx, memory->row, memory->capacity);
    *memory = (pl__row_memory){0};
}

void pl__contact_rows_remember(pl_context *ctx, const pl__contact_rows *rows, pl__row_memory *memory)
{
    size_t count = (size_t)pl__contact_rows_count(rows);
    memory->count = 0;
    if (count == 0 || !pl__row_memory_reserve(ctx, memory, count))
        return;
    for (int32_t i = 0; i < (int32_t)count; ++i)
    {
        const pl__contact_pair *p = pl__contact_row(rows, i);
        if (!(p->impulse > 0))
            continue;
        pl__row_force *m = &memory->row[memory->count++];
        *m = (pl__row_force){.key = key_of(p)};
        for (int d = 0; d < 3; ++d)
            m->force[d] = (p->impulse * p->contact.normal[d] + p->friction_impulse[d]) / rows->dt;
    }
    qsort(memory->row, memory->count, sizeof *memory->row, pl__row_key_compare);
}

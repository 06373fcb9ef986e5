// src/scene/directions.c -- fibre directions, given normals and plastic goals of a body.
//
// Fibres that run from one selection to another follow the gradient of the harmonic potential u that is 0 on the first
// and 1 on the second, like electric current in a conductor of that shape:
//
//     minimise sum_tets V |grad u|^2,     u = sum_i u_i N_i,
//
// linear elements on the tetrahedra of the mesh (six per hexahedron), solved by conjugate gradients.
#include "build.h"
#include "base/real_math.h"
#include "embed/carrier.h"
#include "scene.h"
#include <pliant/io.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static void *allocate(pl__body_build *b, int64_t count, size_t size)
{
    return pl__json_take(&b->source->doc, (size_t)count, size);
}

// ---- harmonic potential ----------------------------------------------------------------------------------------

typedef struct
{
    const double *x;    // [3 node_count]
    const int32_t *tet; // [4 tet_count]
    int32_t tet_count, node_count;
    const uint8_t *held; // [node_count]
    double *gradient;    // [12 tet_count] of the shape functions
    double *volume;      // [tet_count]
} conductor;

// Gradients of the four shape functions: area vectors of faces over three times the volume.
static void compute_gradients(conductor *c)
{
    static const int8_t face[4][3] = {{1, 3, 2}, {0, 2, 3}, {0, 3, 1}, {0, 1, 2}};
    for (int32_t t = 0; t < c->tet_count; ++t)
    {
        const double *p[4];
        double *g = &c->gradient[12 * (size_t)t];
        for (int k = 0; k < 4; ++k)
            p[k] = &c->x[3 * (size_t)c->tet[4 * (size_t)t + (size_t)k]];
        double six = 0;
        for (int k = 0; k < 4; ++k)
        {
            const double *a = p[face[k][0]], *b = p[face[k][1]], *d = p[face[k][2]];
            for (int i = 0; i < 3; ++i)
            {
                int j = (i + 1) % 3, l = (i + 2) % 3;
                g[3 * k + i] = -((b[j] - a[j]) * (d[l] - a[l]) - (b[l] - a[l]) * (d[j] - a[j]));
            }
        }
        for (int i = 0; i < 3; ++i)
            six += g[3 + i] * (p[1][i] - p[0][i]);
        c->volume[t] = fabs(six) / 6;
        for (int k = 0; k < 12; ++k)
            g[k] = six != 0 ? g[k] / six : 0;
    }
}

static void gradient_of(const conductor *c, int32_t t, const double *u, double g[3])
{
    g[0] = g[1] = g[2] = 0;
    for (int k = 0; k < 4; ++k)
        for (int i = 0; i < 3; ++i)
            g[i] += u[c->tet[4 * (size_t)t + (size_t)k]] * c->gradient[12 * (size_t)t + (size_t)(3 * k + i)];
}

// y = K u at free nodes, 0 at the others.
static void apply(const conductor *c, const double *u, double *y)
{
    memset(y, 0, (size_t)c->node_count * sizeof *y);
    for (int32_t t = 0; t < c->tet_count; ++t)
    {
        double g[3];
        gradient_of(c, t, u, g);
        for (int k = 0; k < 4; ++k)
        {
            const double *d = &c->gradient[12 * (size_t)t + (size_t)(3 * k)];
            y[c->tet[4 * (size_t)t + (size_t)k]] += c->volume[t] * (g[0] * d[0] + g[1] * d[1] + g[2] * d[2]);
        }
    }
    for (int32_t n = 0; n < c->node_count; ++n)
        if (c->held[n])
            y[n] = 0;
}

static double dot(const double *a, const double *b, int32_t n)
{
    double sum = 0;
    for (int32_t i = 0; i < n; ++i)
        sum += a[i] * b[i];
    return sum;
}

// Solve for u at the free nodes by conjugate gradients; `r`, `p`, `q` are scratch.
static void solve_potential(const conductor *c, double *u, double *r, double *p, double *q)
{
    int32_t n = c->node_count;
    apply(c, u, r);
    for (int32_t i = 0; i < n; ++i)
        p[i] = r[i] = -r[i];
    double rr = dot(r, r, n), enough = 1e-16 * rr;
    for (int32_t k = 0; k < 4 * n && rr > enough; ++k)
    {
        apply(c, p, q);
        double pq = dot(p, q, n), step = pq > 0 ? rr / pq : 0, before = rr;
        for (int32_t i = 0; i < n; ++i)
        {
            u[i] += step * p[i];
            r[i] -= step * q[i];
        }
        rr = dot(r, r, n);
        for (int32_t i = 0; i < n; ++i)
            p[i] = r[i] + rr / before * p[i];
    }
}

// ---- fibres ----------------------------------------------------------------------------------------------------

static pl_status fibers_between(pl__body_build *b, double *out)
{
    const pl__file_fibers *f = &b->file->fibers;
    const uint8_t *from, *to;
    PL_TRY(pl__select_nodes(b, f->from, pl__where(&f->record, "from"), &from));
    PL_TRY(pl__select_nodes(b, f->to, pl__where(&f->record, "to"), &to));
    int32_t nodes = b->mesh->node_count, count, *tet = NULL;
    PL_TRY(pl__mesh_carrier_tets(b->mesh, &tet, &count));
    double *u = allocate(b, 4 * (int64_t)nodes, sizeof *u);
    uint8_t *held = allocate(b, nodes, 1);
    conductor c = {.x = b->mesh->position,
                   .tet = tet,
                   .tet_count = count,
                   .node_count = nodes,
                   .held = held,
                   .gradient = allocate(b, 12 * (int64_t)count, sizeof(double)),
                   .volume = allocate(b, count, sizeof(double))};
    pl_status status = u && held && c.gradient && c.volume ? PL_OK : PL_ERR_MEMORY;
    for (int32_t n = 0; status == PL_OK && n < nodes; ++n)
    {
        if (from[n] && to[n])
            status = pl__json_fail(b->source->ctx, f->record.json,
                                   "bodies.%s.fibers: node %d is in both \"%s\" and \"%s\"; they must be apart",
                                   b->file->record.name, n, f->from, f->to);
        held[n] = from[n] || to[n];
        u[n] = to[n];
    }
    if (status == PL_OK)
    {
        compute_gradients(&c);
        solve_potential(&c, u, u + nodes, u + 2 * (size_t)nodes, u + 3 * (size_t)nodes);
        int32_t each = count / b->mesh->element_count;
        for (int32_t t = 0; t < count; ++t)
        {
            double g[3];
            gradient_of(&c, t, u, g);
            for (int i = 0; i < 3; ++i)
                out[3 * (size_t)(t / each) + (size_t)i] += c.volume[t] * g[i];
        }
    }
    PL_DELETE(b->source->ctx, tet, 4 * (size_t)count);
    return status;
}

static pl_status fibers_by_attribute(pl__body_build *b, double *out)
{
    const pl__file_fibers *f = &b->file->fibers;
    const pl_mesh *mesh = b->mesh;
    int32_t corners = pl__mesh_corners(mesh), found = -1;
    for (int32_t i = 0; i < pl_mesh_attribute_count(mesh); ++i)
        if (strcmp(pl_mesh_attribute_name(mesh, i), f->attribute) == 0 && pl_mesh_attribute_components(mesh, i) == 3)
            found = i;
    if (found < 0)
        return pl__json_fail(b->source->ctx, pl__where(&f->record, "attribute"),
                             "bodies.%s.fibers.attribute: the mesh has no vectors per vertex named \"%.40s\"",
                             b->file->record.name, f->attribute);
    const double *value = pl_mesh_attribute_values(mesh, found);
    for (int32_t e = 0; e < mesh->element_count; ++e)
        for (int32_t k = 0; k < corners; ++k)
            for (int i = 0; i < 3; ++i)
                out[3 * (size_t)e + (size_t)i] += value[3 * (size_t)pl__mesh_element(mesh, e)[k] + (size_t)i];
    return PL_OK;
}

static pl_status fibers_along(pl__body_build *b, double *out)
{
    const pl__file_fibers *f = &b->file->fibers;
    const double *along = f->along;
    if (along[0] == 0 && along[1] == 0 && along[2] == 0)
        return pl__json_fail(
            b->source->ctx, f->record.json,
            "bodies.%s.fibers: needs a direction in `along`, an `attribute`, or selections in `from` and `to`",
            b->file->record.name);
    for (size_t k = 0; k < 3 * (size_t)b->mesh->element_count; ++k)
        out[k] = along[k % 3];
    return PL_OK;
}

static bool has_fibers(const pl__body_build *b)
{
    bool some = b->scene->material[b->def.material.index - 1].def.fiber_strength > 0;
    for (int32_t e = 0; b->def.element_materials && !some && e < b->mesh->element_count; ++e)
        some = b->scene->material[b->def.element_materials[e].index - 1].def.fiber_strength > 0;
    return some;
}

pl_status pl__directions_fibers(pl__body_build *b)
{
    const pl__file_fibers *f = &b->file->fibers;
    if (!f->record.json)
        return PL_OK;
    if (!has_fibers(b))
        return pl__json_fail_key(
            b->source->ctx, pl__where(&b->file->record, "fibers"),
            "bodies.%s.fibers: the material has none: its fiber_strength is 0; take \"muscle\" or give it one",
            b->file->record.name);
    int ways = pl__given(&f->record, "along") + (f->attribute != NULL) + (f->from || f->to);
    if (ways > 1 || (f->from == NULL) != (f->to == NULL))
        return pl__json_fail(b->source->ctx, f->record.json,
                             "bodies.%s.fibers: needs one of `along`, `attribute`, and `from` together with `to`",
                             b->file->record.name);
    double *out = allocate(b, 3 * (int64_t)b->mesh->element_count, sizeof *out);
    if (!out)
        return PL_ERR_MEMORY;
    b->def.fibers = out;
    return f->from ? fibers_between(b, out) : f->attribute ? fibers_by_attribute(b, out) : fibers_along(b, out);
}

// ---- normals and goals -----------------------------------------------------------------------------------------

pl_status pl__directions_normals(pl__body_build *b)
{
    if (!b->file->keep_facing)
        return PL_OK;
    double *out = allocate(b, 3 * (int64_t)b->mesh->element_count, sizeof *out);
    if (!out)
        return PL_ERR_MEMORY;
    for (int32_t e = 0; e < b->mesh->element_count; ++e)
    {
        const int32_t *n = pl__mesh_element(b->mesh, e);
        const double *a = &b->mesh->position[3 * (size_t)n[0]], *p = &b->mesh->position[3 * (size_t)n[1]],
                     *q = &b->mesh->position[3 * (size_t)n[2]];
        for (int i = 0; i < 3; ++i)
        {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            out[3 * (size_t)e + (size_t)i] = (p[j] - a[j]) * (q[k] - a[k]) - (p[k] - a[k]) * (q[j] - a[j]);
        }
    }
    b->def.normals = out;
    return PL_OK;
}

static pl_status goal_from_file(pl__body_build *b, double *out)
{
    const pl__file_goal *goal = &b->file->goal;
    char path[128];
    pl__opened file;
    pl_mesh *other = NULL;
    snprintf(path, sizeof path, "bodies.%.40s.goal.mesh", b->file->record.name);
    PL_TRY(pl__input_open(b->source, &goal->record, "mesh", path, &file));
    pl_status status = pl__rest_shape_read(b, &file, &other);
    pl__input_close(b->source, &file);
    PL_TRY(pl__fail_at(b->source, status, pl__where(&goal->record, "mesh"), path));
    bool same = other->kind == b->mesh->kind && other->node_count == b->mesh->node_count &&
                other->element_count == b->mesh->element_count &&
                memcmp(other->element, b->mesh->element, pl__mesh_index_count(other) * sizeof *other->element) == 0;
    if (same)
        memcpy(out, other->position, 3 * (size_t)other->node_count * sizeof *out);
    else
        status = pl__json_fail(
            b->source->ctx, pl__where(&goal->record, "mesh"),
            "%s: must have the same elements as the body: it has %d nodes and %d elements, the body %d and %d%s", path,
            other->node_count, other->element_count, b->mesh->node_count, b->mesh->element_count,
            other->node_count == b->mesh->node_count && other->element_count == b->mesh->element_count
                ? ", in another order"
                : "");
    pl_mesh_destroy(&other);
    return status;
}

static void goal_by_script(const pl__body_build *b, double *out)
{
    const pl__file_goal *goal = &b->file->goal;
    double height = b->upper[1] - b->lower[1];
    for (int32_t n = 0; n < b->mesh->node_count; ++n)
    {
        const double *X = &b->mesh->position[3 * (size_t)n];
        double angle = height > 0 ? goal->twist * 0.017453292519943295 * (X[1] - b->lower[1]) / height : 0, c, s;
        pl__real_sincos(angle, &s, &c);
        double x = goal->scale[0] * X[0], z = goal->scale[2] * X[2];
        out[3 * n] = c * x + s * z;
        out[3 * n + 1] = goal->scale[1] * X[1];
        out[3 * n + 2] = c * z - s * x;
    }
}

pl_status pl__directions_goal(pl__body_build *b)
{
    const pl__file_goal *goal = &b->file->goal;
    if (!goal->record.json)
        return PL_OK;
    bool scripted = pl__given(&goal->record, "scale") || pl__given(&goal->record, "twist");
    if (scripted == (goal->mesh != NULL))
        return pl__json_fail(b->source->ctx, goal->record.json,
                             "bodies.%s.goal: needs either a `mesh`, or `scale` and `twist`", b->file->record.name);
    double *out = allocate(b, 3 * (int64_t)b->mesh->node_count, sizeof *out);
    if (!out)
        return PL_ERR_MEMORY;
    b->def.goal_positions = out;
    if (goal->mesh)
        return goal_from_file(b, out);
    goal_by_script(b, out);
    return PL_OK;
}

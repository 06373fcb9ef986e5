// src/world/surface.c -- the surface of a body, embedded or its own boundary: creation and reading.
//
// A read first computes the current positions of all surface vertices in the scratch of the shape (copies of boundary
// nodes, or interpolation from carriers), then every vertex writes its own values; both in parallel. Because of the
// scratch, reading allocates nothing, and a world can be read by one thread at a time only.
//
// Normals of a boundary are computed from its current triangles (embed/vertex_normals.h). Normals of an embedded
// surface are its rest normals, rotated with the carriers (embed/turn.h): shading keeps the detail of the surface and
// does not change along cuts.
#include "world.h"
#include "base/cpu.h"
#include "base/task.h"
#include "embed/turn.h"
#include "math/euler.h"

#include <string.h>

enum
{
    VERTEX_CHUNK = 1024
};

// ---- creation --------------------------------------------------------------------------------------------------

static void log_outside(pl_context *ctx, const char *name, const pl__embed *embed)
{
    // A mesh fitted to its surface leaves a few vertices slightly outside; large distances mean a surface in other
    // units or at another place.
    pl_log_level level = embed->farthest > 0.01 ? PL_LOG_WARNING : PL_LOG_NOTE;
    if (embed->outside_count)
        pl__log(ctx, level,
                "bodies.%s.surface: %d of %d vertices lie outside the mesh, the farthest by %.2g of its size; "
                "they follow the nearest tetrahedron",
                name, embed->outside_count, embed->vertex_count, embed->farthest);
}

// Rest shape at the body's position and rotation; it may start in another shape.
static void copy_mesh(const pl_body_def *def, pl__body_shape *shape)
{
    double R[3][3];
    memcpy(shape->element, def->mesh->element, pl__mesh_index_count(def->mesh) * sizeof(int32_t));
    pl__euler_matrix(def->rotate, R);
    for (size_t n = 0; n < (size_t)def->mesh->node_count; ++n)
        for (size_t i = 0; i < 3; ++i)
        {
            const double *X = &def->mesh->position[3 * n];
            shape->rest[3 * n + i] = R[i][0] * X[0] + R[i][1] * X[1] + R[i][2] * X[2] + def->at[i];
        }
}

static pl_status create_skin(pl_context *ctx, const pl__body *body, pl__body_shape *shape)
{
    const pl__embed *embed = shape->embed;
    if (embed)
        PL_TRY(
            pl__vertex_normals_create(ctx, embed->triangle, embed->triangle_count, embed->vertex_count, &shape->skin));
    else
        PL_TRY(pl__vertex_normals_create(ctx, body->surface.triangle, body->surface.triangle_count,
                                         body->surface.vertex_count, &shape->skin));
    shape->point = PL_NEW(ctx, 3 * (size_t)shape->skin.vertex_count, double);
    return shape->point ? PL_OK : PL_ERR_MEMORY;
}

static pl_status create_torn(pl_context *ctx, const pl__shape_input *input, pl__body_shape *shape)
{
    PL_TRY(pl__torn_surface_tear(input->torn_surface, input->split, &shape->torn));
    PL_TRY(pl__torn_surface_nodes(input->torn_surface, shape->element, &shape->carrier));
    shape->carrier_count = input->torn_surface->carrier_count;
    shape->embed = PL_NEW(ctx, 1, pl__embed);
    if (!shape->embed)
        return PL_ERR_MEMORY;
    *shape->embed = pl__cut_view(&shape->torn);
    return PL_OK;
}

static pl_status create_embed(pl_context *ctx, const pl__shape_input *input, pl__body_shape *shape)
{
    if (input->torn_surface)
        return create_torn(ctx, input, shape);
    PL_TRY(pl__embed_create(ctx, input->def->mesh, input->def->surface, &shape->embed));
    return pl__mesh_carrier_tets(input->def->mesh, &shape->carrier, &shape->carrier_count);
}

// Rest normals, at the body's position and rotation.
static pl_status create_normals(pl_context *ctx, const pl__shape_input *input, pl__body_shape *shape)
{
    size_t numbers = 3 * (size_t)shape->skin.vertex_count;
    shape->normal = PL_NEW(ctx, numbers, double);
    shape->turned = PL_NEW(ctx, numbers, double);
    shape->rotation = PL_NEW(ctx, 9 * (size_t)shape->carrier_count, double);
    if (!shape->normal || !shape->turned || !shape->rotation)
        return PL_ERR_MEMORY;
    pl__embed_vectors(shape->embed, &(pl__embed_nodes){.tet = shape->carrier}, shape->rest, shape->point);
    if (input->torn_surface)
        return pl__torn_surface_normals(input->torn_surface, &shape->torn, &shape->skin, shape->point, shape->normal);
    for (int32_t i = 0; i < shape->skin.vertex_count; ++i)
        pl__vertex_normals_normal(&shape->skin, shape->point, i, &shape->normal[3 * (size_t)i]);
    return PL_OK;
}

// Source triangles of a boundary: faces of the split mesh are in the order of the original, with crack faces in
// between.
static void find_boundary_sources(const pl__split *split, int32_t *source)
{
    const pl__element_form *form = &pl__element_forms[split->kind];
    int32_t next = 0;
    for (int32_t face = 0; face < form->faces * split->element_count; ++face)
        for (int half = 0; half < form->face_corners - 2; ++half)
            if (split->twin[face] < 0)
                *source++ = next++;
            else if (!pl__split_is_joined(split, face))
                *source++ = -1;
}

static pl_status create_sources(pl_context *ctx, const pl__shape_input *input, pl__body_shape *shape)
{
    shape->source = PL_NEW(ctx, shape->skin.triangle_count, int32_t);
    if (!shape->source)
        return PL_ERR_MEMORY;
    if (!shape->embed && input->split && shape->kind != PL_ELEMENT_TRIANGLE)
        find_boundary_sources(input->split, shape->source);
    else
        for (int32_t i = 0; i < shape->skin.triangle_count; ++i)
            shape->source[i] = !shape->embed ? i : i < shape->torn.cap_begin ? shape->torn.source[i] : -1;
    return PL_OK;
}

static pl_status create(pl_context *ctx, const pl__shape_input *input, pl__body_shape *shape)
{
    const pl_body_def *def = input->def;
    shape->kind = def->mesh->kind;
    shape->element = PL_NEW(ctx, pl__mesh_index_count(def->mesh), int32_t);
    shape->rest = PL_NEW(ctx, 3 * (size_t)input->body->node_count, double);
    if (!shape->element || !shape->rest)
        return PL_ERR_MEMORY;
    copy_mesh(def, shape);
    if (def->surface)
        PL_TRY(create_embed(ctx, input, shape));
    PL_TRY(create_skin(ctx, input->body, shape));
    if (def->surface)
        PL_TRY(create_normals(ctx, input, shape));
    return input->breaks ? create_sources(ctx, input, shape) : PL_OK;
}

pl_status pl__body_shape_create(pl_context *ctx, const pl__shape_input *input, pl__body_shape *shape)
{
    *shape = (pl__body_shape){0};
    pl_status status = create(ctx, input, shape);
    if (status != PL_OK)
        pl__body_shape_done(ctx, input->body, shape);
    else if (shape->embed)
        log_outside(ctx, input->name, shape->embed);
    return status;
}

static void release_embed(pl_context *ctx, pl__body_shape *shape)
{
    if (shape->torn.ctx)
        PL_DELETE(ctx, shape->embed, 1);
    else
        pl__embed_destroy(&shape->embed);
    pl__cut_result_done(&shape->torn);
}

void pl__body_shape_done(pl_context *ctx, const pl__body *body, pl__body_shape *shape)
{
    PL_DELETE(ctx, shape->element, (size_t)pl_element_corners(shape->kind) * (size_t)body->element_count);
    PL_DELETE(ctx, shape->carrier, 4 * (size_t)shape->carrier_count);
    PL_DELETE(ctx, shape->rest, 3 * (size_t)body->node_count);
    PL_DELETE(ctx, shape->point, 3 * (size_t)shape->skin.vertex_count);
    PL_DELETE(ctx, shape->normal, 3 * (size_t)shape->skin.vertex_count);
    PL_DELETE(ctx, shape->turned, 3 * (size_t)shape->skin.vertex_count);
    PL_DELETE(ctx, shape->rotation, 9 * (size_t)shape->carrier_count);
    PL_DELETE(ctx, shape->source, shape->skin.triangle_count);
    pl__vertex_normals_done(ctx, &shape->skin);
    release_embed(ctx, shape);
}

// ---- reading ---------------------------------------------------------------------------------------------------

typedef struct
{
    const pl__body *body;
    const double *in; // at the nodes of the body
    double *out;      // at the vertices
} copy_job;

static void copy_range(void *argument, int32_t begin, int32_t end)
{
    const copy_job *job = argument;
    for (int32_t i = begin; i < end; ++i)
        memcpy(&job->out[3 * (size_t)i], &job->in[3 * (size_t)job->body->surface.node[i]], 3 * sizeof(double));
}

// Vectors at nodes, interpolated to the surface vertices of a body.
static void interpolate(const pl_world *world, const pl__body *body, const pl__body_shape *shape, const double *at_node,
                        double *at_vertex)
{
    const double *in = &at_node[3 * (size_t)body->first_node];
    if (shape->embed)
        pl__embed_vectors(shape->embed, &(pl__embed_nodes){shape->carrier, body->node_of_source}, in, at_vertex);
    else
        pl__parallel_for(world->ctx, body->surface.vertex_count, VERTEX_CHUNK, copy_range,
                         &(copy_job){body, in, at_vertex});
}

// Current normals of an embedded surface.
static void rotate_normals(const pl_world *world, const pl__body *body, const pl__body_shape *shape, double *normals)
{
    const pl__embed_nodes nodes = {shape->carrier, body->node_of_source};
    pl__embed_rotations(world->ctx, &nodes, shape->carrier_count, shape->rest,
                        &world->solids.state.x[3 * (size_t)body->first_node], shape->rotation);
    pl__embed_turn(shape->embed, shape->rotation, shape->normal, normals);
}

typedef struct
{
    const pl__body_shape *shape;
    float *vertices, *normals;
    size_t stride;
    double *exact; // normals in double precision
} read_job;

static void to_floats(const double v[3], float *array, size_t stride, int32_t i)
{
    float *out = (float *)(void *)((char *)(void *)array + stride * (size_t)i);
    for (int k = 0; k < 3; ++k)
        out[k] = (float)v[k];
}

static void write_floats(void *argument, int32_t begin, int32_t end)
{
    const read_job *job = argument;
    for (int32_t i = begin; i < end; ++i)
    {
        double normal[3];
        if (job->vertices)
            to_floats(&job->shape->point[3 * (size_t)i], job->vertices, job->stride, i);
        if (!job->normals)
            continue;
        if (!job->shape->normal)
            pl__vertex_normals_normal(&job->shape->skin, job->shape->point, i, normal);
        to_floats(job->shape->normal ? &job->shape->turned[3 * (size_t)i] : normal, job->normals, job->stride, i);
    }
}

static void write_normals(void *argument, int32_t begin, int32_t end)
{
    const read_job *job = argument;
    for (int32_t i = begin; i < end; ++i)
        pl__vertex_normals_normal(&job->shape->skin, job->shape->point, i, &job->exact[3 * (size_t)i]);
}

uint32_t pl_body_read_surface(const pl_world *world, pl_body_id id, float *vertices, float *normals, size_t stride)
{
    if (!world)
        return 0;
    const pl__body *body = pl__world_body(world, id);
    if (!body)
        return 0;
    const pl__slot *slot = &world->bodies.slot[id.index - 1];
    uint64_t host = pl__fp_enter();
    interpolate(world, body, &slot->shape, world->solids.state.x, slot->shape.point);
    if (normals && slot->shape.normal)
        rotate_normals(world, body, &slot->shape, slot->shape.turned);
    pl__parallel_for(world->ctx, slot->shape.skin.vertex_count, VERTEX_CHUNK, write_floats,
                     &(read_job){.shape = &slot->shape, .vertices = vertices, .normals = normals, .stride = stride});
    pl__fp_leave(host);
    return slot->version;
}

pl_status pl_body_read_surface_exact(const pl_world *world, pl_body_id id, double *vertices, double *velocities,
                                     double *normals)
{
    if (!world)
        return PL_ERR_ARGUMENT;
    const pl__body *body = pl__world_body(world, id);
    if (!body)
        return PL_ERR_STATE;
    const pl__body_shape *shape = &world->bodies.slot[id.index - 1].shape;
    int32_t count = shape->skin.vertex_count;
    uint64_t host = pl__fp_enter();
    interpolate(world, body, shape, world->solids.state.x, shape->point);
    if (vertices && count)
        memcpy(vertices, shape->point, 3 * sizeof(double) * (size_t)count);
    if (velocities)
        interpolate(world, body, shape, world->solids.state.v, velocities);
    if (normals && shape->normal)
        rotate_normals(world, body, shape, normals);
    else if (normals)
        pl__parallel_for(world->ctx, count, VERTEX_CHUNK, write_normals, &(read_job){.shape = shape, .exact = normals});
    pl__fp_leave(host);
    return PL_OK;
}

int32_t pl_body_breaks(const pl_world *world, pl_body_id id)
{
    if (!world)
        return 0;
    return pl__world_body(world, id) && world->bodies.slot[id.index - 1].fracture != NULL;
}

uint32_t pl_body_version(const pl_world *world, pl_body_id id)
{
    if (!world)
        return 0;
    return pl__world_body(world, id) ? world->bodies.slot[id.index - 1].version : 0;
}

int32_t pl_body_surface_vertex_count(const pl_world *world, pl_body_id id)
{
    if (!world)
        return 0;
    return pl__world_body(world, id) ? world->bodies.slot[id.index - 1].shape.skin.vertex_count : 0;
}

const int32_t *pl_body_surface_triangles(const pl_world *world, pl_body_id id, int32_t *triangle_count)
{
    if (!world || !triangle_count)
        return NULL;
    const pl__vertex_normals *skin = pl__world_body(world, id) ? &world->bodies.slot[id.index - 1].shape.skin : NULL;
    *triangle_count = skin ? skin->triangle_count : 0;
    return skin ? skin->triangle : NULL;
}

const int32_t *pl_body_surface_nodes(const pl_world *world, pl_body_id id)
{
    if (!world)
        return NULL;
    const pl__body *body = pl__world_body(world, id);
    return body && !world->bodies.slot[id.index - 1].shape.embed ? body->surface.source : NULL;
}

const int32_t *pl_body_surface_sources(const pl_world *world, pl_body_id id)
{
    if (!world)
        return NULL;
    return pl__world_body(world, id) ? world->bodies.slot[id.index - 1].shape.source : NULL;
}

int32_t pl_body_read_surface_uvs(const pl_world *world, pl_body_id id, double *uvs)
{
    if (!world)
        return 0;
    const pl__slot *slot = pl__world_body(world, id) ? &world->bodies.slot[id.index - 1] : NULL;
    if (!slot || !slot->torn_surface || !slot->kept->def.surface->triangle_uv)
        return 0;
    const pl__cut_result *torn = &slot->shape.torn;
    for (int32_t i = 0; i < 3 * torn->triangle_count; ++i)
        if (!pl__cut_uv(slot->kept->def.surface, torn, i / 3, i % 3, &uvs[2 * (size_t)i]))
            uvs[2 * (size_t)i] = uvs[2 * (size_t)i + 1] = 0;
    return 1;
}

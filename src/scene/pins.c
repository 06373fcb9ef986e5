// src/scene/pins.c -- pin groups: checks and copies.
#include "scene.h"
#include "definitions.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum
{
    PIN_COOKIE = 0x506c7031
};

pl_pin_def pl_pin_def_default(void)
{
    pl_pin_def def = {.pivot_at_center = 1, .cache_rate = 24, .cookie = PIN_COOKIE};
    pl__fields_default(&pl__pin_fields, &def);
    return def;
}

static size_t cache_numbers(const pl_pin_def *def)
{
    return def->cache ? 3 * (size_t)def->cache_count * (size_t)def->count : 0;
}

void pl__pin_def_release(pl_context *ctx, pl_pin_def *def)
{
    pl__free(ctx, (void *)def->nodes, (size_t)def->count * sizeof(int32_t));
    pl__free(ctx, (void *)def->cache, cache_numbers(def) * sizeof(double));
    *def = (pl_pin_def){0};
}

// ---- checks ----------------------------------------------------------------------------------------------------

static pl_status check_cache(pl_context *ctx, const char *owner, const pl_pin_def *def)
{
    if (!def->cache)
        return PL_OK;
    PL_CHECK_FIELD(ctx, def->cache_count > 0, owner, "cache_count", "%d must be above 0", def->cache_count);
    PL_CHECK_FIELD(ctx, fabs(def->cache_start) <= 1e9, owner, "cache_start", "%g s must be within 1e9",
                   def->cache_start);
    PL_CHECK_FIELD(ctx, def->cache_rate > 0 && def->cache_rate <= 1e9, owner, "cache_rate",
                   "%g must be above 0 and at most 1e9", def->cache_rate);
    for (size_t i = 0; i < cache_numbers(def); i += 3)
        PL_CHECK_FIELD(ctx, pl__within3(&def->cache[i], 1e9), owner, "cache",
                       "sample %zu puts node %d at (%g, %g, %g) m, which must be within 1e9",
                       i / 3 / (size_t)def->count, def->nodes[i / 3 % (size_t)def->count], def->cache[i],
                       def->cache[i + 1], def->cache[i + 2]);
    return PL_OK;
}

static pl_status mark_pinned(pl_context *ctx, const char *owner, uint8_t *pinned, const int32_t *nodes, int32_t count,
                             bool refuse)
{
    for (int32_t i = 0; i < count; ++i)
    {
        PL_CHECK_FIELD(ctx, !refuse || !pinned[nodes[i]], owner, "",
                       "node %d is pinned already; a node belongs to one group at most", nodes[i]);
        pinned[nodes[i]] = 1;
    }
    return PL_OK;
}

// Refuse duplicate nodes: in the group, in another group, or among the body's plain pins.
static pl_status check_once(pl_context *ctx, const char *owner, const pl__scene_body *body, const pl_pin_def *def)
{
    int32_t nodes = pl_mesh_node_count(body->def.mesh);
    uint8_t *pinned = PL_NEW(ctx, nodes, uint8_t);
    if (!pinned)
        return PL_ERR_MEMORY;
    (void)mark_pinned(ctx, owner, pinned, body->def.pins, body->def.pin_count, false);
    for (size_t i = 0; i < body->pin_count; ++i)
        (void)mark_pinned(ctx, owner, pinned, body->pin[i].nodes, body->pin[i].count, false);
    pl_status status = mark_pinned(ctx, owner, pinned, def->nodes, def->count, true);
    PL_DELETE(ctx, pinned, nodes);
    return status;
}

static pl_status check(pl_context *ctx, const pl__scene_body *body, const pl_pin_def *def)
{
    char owner[PL_NAME_BYTES + 16];
    snprintf(owner, sizeof owner, "bodies.%s.pins", body->name);
    PL_CHECK_FIELD(ctx, def && def->cookie == PIN_COOKIE, owner, "", "start from pl_pin_def_default()");
    PL_CHECK_FIELD(ctx, def->nodes && def->count > 0, owner, "count", "%d nodes; there must be some", def->count);
    int32_t nodes = pl_mesh_node_count(body->def.mesh);
    for (int32_t i = 0; i < def->count; ++i)
    {
        char item[32];
        snprintf(item, sizeof item, "nodes[%d]", i);
        PL_CHECK_FIELD(ctx, def->nodes[i] >= 0 && def->nodes[i] < nodes, owner, item, "node %d is not in [0, %d)",
                       def->nodes[i], nodes);
    }
    PL_TRY(pl__fields_check(ctx, &pl__pin_fields, def, owner));
    PL_TRY(check_cache(ctx, owner, def));
    return check_once(ctx, owner, body, def);
}

bool pl__pin_def_copy(pl_context *ctx, const pl_pin_def *def, pl_pin_def *out)
{
    *out = *def;
    out->nodes = pl__copy_array(ctx, def->nodes, (size_t)def->count * sizeof(int32_t));
    out->cache = def->cache ? pl__copy_array(ctx, def->cache, cache_numbers(def) * sizeof(double)) : NULL;
    if (out->nodes && (out->cache || !def->cache))
        return true;
    pl__pin_def_release(ctx, out);
    return false;
}

// ---- adding ----------------------------------------------------------------------------------------------------

pl_status pl_scene_add_pin(pl_scene *scene, pl_body_id id, const pl_pin_def *def, int32_t *index)
{
    if (!scene)
        return PL_ERR_ARGUMENT;
    pl_context *ctx = scene->ctx;
    PL_CHECK(ctx, id.index >= 1 && (size_t)id.index <= scene->body_count,
             "body %d is not of this scene, which has %zu; take the id from pl_scene_add_body", id.index,
             scene->body_count);
    pl__scene_body *body = &scene->body[id.index - 1];
    PL_TRY(check(ctx, body, def));
    if (!PL_GROW(ctx, body->pin, &body->pin_capacity, body->pin_count + 1))
        return PL_ERR_MEMORY;
    if (!pl__pin_def_copy(ctx, def, &body->pin[body->pin_count]))
        return PL_ERR_MEMORY;
    if (index)
        *index = (int32_t)body->pin_count;
    body->pin_count++;
    return PL_OK;
}

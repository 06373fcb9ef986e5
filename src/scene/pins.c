// src/scene/pins.c -- groups of pins: checked, copied.
#include "scene.h"

#include <math.h>
#include <string.h>

enum
{
    PIN_COOKIE = 0x506c7031
};

pl_pin_def pl_pin_def_default(void)
{
    return (pl_pin_def){.strength = 1, .soft = 0.05, .pivot_at_center = 1, .cache_rate = 24, .cookie = PIN_COOKIE};
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

static pl_status check_cache(pl_context *ctx, const char *name, const pl_pin_def *def)
{
    if (!def->cache)
        return PL_OK;
    PL_CHECK(ctx, def->cache_count > 0, "bodies.%s.pins.cache_count: %d must be above 0", name, def->cache_count);
    PL_CHECK(ctx, fabs(def->cache_start) <= 1e9, "bodies.%s.pins.cache_start: %g s must be within 1e9", name,
             def->cache_start);
    PL_CHECK(ctx, def->cache_rate > 0 && def->cache_rate <= 1e9,
             "bodies.%s.pins.cache_rate: %g must be above 0 and at most 1e9", name, def->cache_rate);
    for (size_t i = 0; i < cache_numbers(def); i += 3)
        PL_CHECK(ctx, pl__within3(&def->cache[i], 1e9),
                 "bodies.%s.pins.cache: sample %zu puts node %d at (%g, %g, %g) m, which must be within 1e9", name,
                 i / 3 / (size_t)def->count, def->nodes[i / 3 % (size_t)def->count], def->cache[i], def->cache[i + 1],
                 def->cache[i + 2]);
    return PL_OK;
}

static pl_status check_numbers(pl_context *ctx, const char *name, const pl_pin_def *def)
{
    PL_CHECK(ctx, def->strength >= 0 && def->strength <= 1, "bodies.%s.pins.strength: %g must be in [0, 1]", name,
             def->strength);
    PL_CHECK(ctx, def->soft >= 1e-4 && def->soft <= 1e3, "bodies.%s.pins.soft: %g s must be in [1e-4, 1e3]", name,
             def->soft);
    PL_CHECK(ctx, pl__within3(def->move, 1e9), "bodies.%s.pins.move: (%g, %g, %g) m must be within 1e9", name,
             def->move[0], def->move[1], def->move[2]);
    PL_CHECK(ctx, pl__within3(def->rotate, 1e6), "bodies.%s.pins.rotate: (%g, %g, %g) degrees must be within 1e6", name,
             def->rotate[0], def->rotate[1], def->rotate[2]);
    PL_CHECK(ctx, pl__within3(def->pivot, 1e9), "bodies.%s.pins.pivot: (%g, %g, %g) m must be within 1e9", name,
             def->pivot[0], def->pivot[1], def->pivot[2]);
    return PL_OK;
}

static pl_status mark(pl_context *ctx, const char *name, uint8_t *pinned, const int32_t *nodes, int32_t count,
                      bool refuse)
{
    for (int32_t i = 0; i < count; ++i)
    {
        PL_CHECK(ctx, !refuse || !pinned[nodes[i]],
                 "bodies.%s.pins: node %d is pinned already; a node belongs to one group at most", name, nodes[i]);
        pinned[nodes[i]] = 1;
    }
    return PL_OK;
}

// No node twice: neither in the group, nor in another one, nor among the body's plain pins.
static pl_status check_once(pl_context *ctx, const pl__scene_body *body, const pl_pin_def *def)
{
    int32_t nodes = pl_mesh_node_count(body->def.mesh);
    uint8_t *pinned = PL_NEW(ctx, nodes, uint8_t);
    if (!pinned)
        return PL_ERR_MEMORY;
    (void)mark(ctx, body->name, pinned, body->def.pins, body->def.pin_count, false);
    for (size_t i = 0; i < body->pin_count; ++i)
        (void)mark(ctx, body->name, pinned, body->pin[i].nodes, body->pin[i].count, false);
    pl_status status = mark(ctx, body->name, pinned, def->nodes, def->count, true);
    PL_DELETE(ctx, pinned, nodes);
    return status;
}

static pl_status check(pl_context *ctx, const pl__scene_body *body, const pl_pin_def *def)
{
    PL_CHECK(ctx, def && def->cookie == PIN_COOKIE, "bodies.%s.pins: start from pl_pin_def_default()", body->name);
    PL_CHECK(ctx, def->nodes && def->count > 0, "bodies.%s.pins.count: %d nodes; there must be some", body->name,
             def->count);
    int32_t nodes = pl_mesh_node_count(body->def.mesh);
    for (int32_t i = 0; i < def->count; ++i)
        PL_CHECK(ctx, def->nodes[i] >= 0 && def->nodes[i] < nodes,
                 "bodies.%s.pins.nodes[%d]: node %d is not in [0, %d)", body->name, i, def->nodes[i], nodes);
    PL_TRY(check_numbers(ctx, body->name, def));
    PL_TRY(check_cache(ctx, body->name, def));
    return check_once(ctx, body, def);
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

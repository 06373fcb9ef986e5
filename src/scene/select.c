// src/scene/select.c -- selections of nodes.
//
// A solid is selected by its nodes. With an embedded surface, a selection of vertices (a group of the file, or numbers)
// means the nodes of the tetrahedra that carry them. In `box`, 0 and 1 include everything to the ends, also the
// tetrahedra around a surface.
#include "build.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

pl_status pl__need_embed(pl__body_build *b)
{
    return b->embed ? PL_OK : pl__embed_create(b->source->ctx, b->mesh, b->surface, &b->embed);
}

static bool in_fractions(const pl__body_build *b, const double box[6], const double x[3])
{
    for (int i = 0; i < 3; ++i)
    {
        double extent = b->upper[i] - b->lower[i], slack = 1e-9 * extent;
        double low = box[i] <= 0 ? -INFINITY : b->lower[i] + box[i] * extent - slack;
        double high = box[i + 3] >= 1 ? INFINITY : b->lower[i] + box[i + 3] * extent + slack;
        if (x[i] < low || x[i] > high)
            return false;
    }
    return true;
}

static bool in_world(const pl__file_selection *s, const double x[3])
{
    double r2 = 0, along = 0;
    bool inside = true;
    for (int i = 0; i < 3; ++i)
    {
        inside &= x[i] >= s->box[i] && x[i] <= s->box[i + 3];
        r2 += (x[i] - s->region.center[i]) * (x[i] - s->region.center[i]);
        along += (x[i] - s->region.at[i]) * s->region.normal[i];
    }
    return s->record.which == PL__SELECT_WORLD_BOX ? inside
           : s->record.which == PL__SELECT_SPHERE  ? r2 <= s->region.radius * s->region.radius
                                                   : along >= 0;
}

static void choose_element(const pl__body_build *b, int32_t element, uint8_t *chosen)
{
    for (int32_t k = 0; k < pl__mesh_corners(b->mesh); ++k)
        chosen[pl__mesh_element(b->mesh, element)[k]] = 1;
}

// Select the element that carries a surface vertex.
static void choose_carrier(const pl__body_build *b, int32_t vertex, uint8_t *chosen)
{
    choose_element(b, b->embed->tet[vertex] / pl__mesh_carriers(b->mesh), chosen);
}

static pl_status fail_group(const pl__body_build *b, const pl__file_selection *s)
{
    const char *names[64];
    int32_t count = 0, all = b->surface ? pl_surface_group_count(b->surface) : pl_mesh_region_count(b->mesh);
    for (int32_t i = 0; i < all && count < 63; ++i)
    {
        const char *name = b->surface ? pl_surface_group_name(b->surface, i) : pl_mesh_region_name(b->mesh, i);
        if (name[0])
            names[count++] = name;
    }
    names[count] = NULL;
    const char *guess = pl__near_miss(s->group, names);
    return pl__json_fail(b->source->ctx, pl__where(&s->record, "group"),
                         "bodies.%s.select.%s.group: there is no group \"%.60s\"; %s%s%s", b->file->record.name,
                         s->record.name, s->group,
                         count == 0 ? "the body has none with a name"
                         : guess    ? "did you mean \""
                                    : "there is \"",
                         count == 0 ? ""
                         : guess    ? guess
                                    : names[0],
                         count == 0   ? ""
                         : guess      ? "\"?"
                         : count == 1 ? "\""
                                      : "\" and others");
}

static pl_status choose_group(pl__body_build *b, const pl__file_selection *s, uint8_t *chosen)
{
    bool found = false;
    if (!b->surface)
    {
        for (int32_t t = 0; t < b->mesh->element_count; ++t)
            if (strcmp(b->mesh->region_name[b->mesh->element_region[t]], s->group) == 0)
            {
                choose_element(b, t, chosen);
                found = true;
            }
        return found ? PL_OK : fail_group(b, s);
    }
    PL_TRY(pl__need_embed(b));
    const int32_t *group = pl_surface_triangle_groups(b->surface);
    for (int32_t t = 0; group && t < b->surface->triangle_count; ++t)
        if (group[t] >= 0 && strcmp(pl_surface_group_name(b->surface, group[t]), s->group) == 0)
        {
            found = true;
            for (int k = 0; k < 3; ++k)
                choose_carrier(b, b->surface->triangle[3 * (size_t)t + (size_t)k], chosen);
        }
    return found ? PL_OK : fail_group(b, s);
}

static pl_status choose_numbers(pl__body_build *b, const pl__file_selection *s, uint8_t *chosen)
{
    int32_t count = b->surface ? b->surface->node_count : b->mesh->node_count;
    if (b->surface)
        PL_TRY(pl__need_embed(b));
    for (int32_t i = 0; i < s->nodes.count; ++i)
    {
        int32_t n = s->nodes.value[i];
        if (n >= count)
            return pl__json_fail(b->source->ctx, pl__where(&s->record, "nodes"),
                                 "bodies.%s.select.%s.nodes: %d must be below %d, the number of %s",
                                 b->file->record.name, s->record.name, n, count, b->surface ? "vertices" : "nodes");
        if (b->surface)
            choose_carrier(b, n, chosen);
        else
            chosen[n] = 1;
    }
    return PL_OK;
}

static pl_status choose(pl__body_build *b, const pl__file_selection *s, uint8_t *chosen)
{
    if (s->record.which == PL__SELECT_GROUP)
        return choose_group(b, s, chosen);
    if (s->record.which == PL__SELECT_NODES)
        return choose_numbers(b, s, chosen);
    const double *normal = s->region.normal;
    if (s->record.which == PL__SELECT_PLANE && normal[0] == 0 && normal[1] == 0 && normal[2] == 0)
        return pl__json_fail(b->source->ctx, pl__where(&s->record, "plane"),
                             "bodies.%s.select.%s.plane: the normal must not be zero", b->file->record.name,
                             s->record.name);
    for (int32_t n = 0; n < b->mesh->node_count; ++n)
        chosen[n] = s->record.which == PL__SELECT_BOX ? in_fractions(b, s->box, &b->mesh->position[3 * (size_t)n])
                                                      : in_world(s, &b->placed[3 * (size_t)n]);
    return PL_OK;
}

static const pl__file_selection *find_selection(const pl__body_build *b, const char *name)
{
    const pl__file_selection *all = b->file->select.item;
    for (int32_t i = 0; i < b->file->select.count; ++i)
        if (strcmp(all[i].record.name, name) == 0)
            return &all[i];
    return NULL;
}

static pl_status fail_selection(const pl__body_build *b, const char *name, const pl__json *where)
{
    const char *names[64];
    const pl__file_selection *all = b->file->select.item;
    int32_t count = 0;
    for (; count < b->file->select.count && count < 63; ++count)
        names[count] = all[count].record.name;
    names[count] = NULL;
    const char *guess = pl__near_miss(name, names);
    if (guess)
        return pl__json_fail(b->source->ctx, where, "bodies.%s: there is no selection \"%.60s\"; did you mean \"%s\"?",
                             b->file->record.name, name, guess);
    return pl__json_fail(b->source->ctx, where, "bodies.%s: there is no selection \"%.60s\"; name it in `select`",
                         b->file->record.name, name);
}

static pl_status fail_empty(const pl__body_build *b, const pl__file_selection *s)
{
    bool world = s->record.which == PL__SELECT_WORLD_BOX || s->record.which == PL__SELECT_SPHERE ||
                 s->record.which == PL__SELECT_PLANE;
    double lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t k = 0; k < 3 * (size_t)b->mesh->node_count; ++k)
    {
        lower[k % 3] = fmin(lower[k % 3], b->placed[k]);
        upper[k % 3] = fmax(upper[k % 3], b->placed[k]);
    }
    if (!world)
        return pl__json_fail(b->source->ctx, s->record.json, "bodies.%s.select.%s: none of the %d nodes belong to it%s",
                             b->file->record.name, s->record.name, b->mesh->node_count,
                             s->record.which == PL__SELECT_BOX ? "; the body reaches from [0, 0, 0] to [1, 1, 1]"
                                                               : "; name at least one");
    return pl__json_fail(b->source->ctx, s->record.json,
                         "bodies.%s.select.%s: none of the %d nodes belong to it; the body reaches from [%.4g, %.4g, "
                         "%.4g] to [%.4g, %.4g, %.4g] m",
                         b->file->record.name, s->record.name, b->mesh->node_count, lower[0], lower[1], lower[2],
                         upper[0], upper[1], upper[2]);
}

// Resolve a selection once.
static pl_status resolve(pl__body_build *b, const pl__file_selection *s, uint8_t **chosen)
{
    *chosen = pl__json_take(&b->source->doc, (size_t)b->mesh->node_count, 1);
    if (!*chosen)
        return PL_ERR_MEMORY;
    PL_TRY(choose(b, s, *chosen));
    int32_t count = 0;
    for (int32_t n = 0; n < b->mesh->node_count; ++n)
        count += (*chosen)[n];
    if (count == 0)
        return fail_empty(b, s);
    pl__log(b->source->ctx, PL_LOG_NOTE, "bodies.%s.select.%s: %d of %d nodes", b->file->record.name, s->record.name,
            count, b->mesh->node_count);
    return PL_OK;
}

pl_status pl__selections_resolve(pl__body_build *b)
{
    const pl__file_selection *all = b->file->select.item;
    b->chosen = pl__json_take(&b->source->doc, (size_t)b->file->select.count, sizeof *b->chosen);
    if (!b->chosen)
        return PL_ERR_MEMORY;
    for (int32_t i = 0; i < b->file->select.count; ++i)
        PL_TRY(resolve(b, &all[i], &b->chosen[i]));
    return PL_OK;
}

pl_status pl__select_nodes(pl__body_build *b, const char *name, const pl__json *where, const uint8_t **chosen)
{
    const pl__file_selection *s = find_selection(b, name);
    if (!s)
        return fail_selection(b, name, where);
    *chosen = b->chosen[s - (const pl__file_selection *)b->file->select.item];
    return PL_OK;
}

// src/scene/body.c -- adds a body of the file to a scene: material, variation, paint, start shape, pins.
#include "build.h"
#include "base/hash.h"
#include "definitions.h"
#include "io/pc2.h"
#include "math/euler.h"
#include "mesh/bvh.h"
#include "mesh/geometry.h"
#include "mesh/topology.h"
#include "scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void *allocate(pl__body_build *b, int64_t count, size_t size)
{
    return pl__json_take(&b->source->doc, (size_t)count, size);
}

// ---- start positions -------------------------------------------------------------------------------------------

// A number in [0, 1) for a node and axis.
static double random_at(int32_t seed, int32_t node, int axis)
{
    uint64_t bits = pl__mix64(pl__mix64((uint64_t)seed * 0x9e3779b97f4a7c15ull + (uint64_t)node) + (uint64_t)axis);
    return (double)(bits >> 11) * 0x1p-53;
}

static pl_status start_shape(pl__body_build *b)
{
    const pl__file_start *start = &b->file->start;
    if (!start->record.json)
        return PL_OK;
    double *x = allocate(b, 3 * (int64_t)b->mesh->node_count, sizeof(double));
    if (!x)
        return PL_ERR_MEMORY;
    for (int32_t n = 0; n < b->mesh->node_count; ++n)
        for (int i = 0; i < 3; ++i)
        {
            size_t k = 3 * (size_t)n + (size_t)i;
            double middle = 0.5 * (b->lower[i] + b->upper[i]),
                   random = b->lower[i] + random_at(start->seed, n, i) * (b->upper[i] - b->lower[i]);
            double scaled = middle + start->scale[i] * (b->mesh->position[k] - middle);
            x[k] = scaled + start->scramble * (random - scaled);
        }
    b->def.start_positions = x;
    return PL_OK;
}

static pl_status place(pl__body_build *b)
{
    double R[3][3];
    b->placed = allocate(b, 3 * (int64_t)b->mesh->node_count, sizeof(double));
    if (!b->placed)
        return PL_ERR_MEMORY;
    pl__euler_matrix(b->file->rotate, R);
    const double *from = b->def.start_positions ? b->def.start_positions : b->mesh->position;
    for (int32_t n = 0; n < b->mesh->node_count; ++n)
        for (int i = 0; i < 3; ++i)
        {
            const double *X = &from[3 * (size_t)n];
            b->placed[3 * (size_t)n + (size_t)i] = R[i][0] * X[0] + R[i][1] * X[1] + R[i][2] * X[2] + b->file->at[i];
        }
    return PL_OK;
}

// ---- material --------------------------------------------------------------------------------------------------

// Bodies share the scene's materials by name; a preset or a material with parameters of its own belongs to one body.
static pl_status body_material(pl__body_build *b, pl__resolved_material *resolved)
{
    const pl__file_material *m = &b->file->material;
    const pl__json *where = m->record.json ? m->record.json : b->file->record.json;
    bool bare = m->record.json && m->record.json->kind == PL__JSON_STRING;
    char path[80], name[64];
    snprintf(path, sizeof path, "bodies.%.40s.material", b->file->record.name);
    PL_TRY(pl__material_resolve_file(b->source, m, path, NULL, resolved));
    b->def.material = bare ? pl__material_find(b->scene, m->like) : (pl_material_id){0};
    if (b->def.material.index)
        return PL_OK;
    snprintf(name, sizeof name, "%.40s_material", b->file->record.name);
    return pl__material_add(b->source, b->scene, name, path, resolved, where, &b->def.material);
}

static bool element_chosen(const pl__body_build *b, const uint8_t *chosen, int32_t element)
{
    bool all = true;
    for (int32_t k = 0; k < pl__mesh_corners(b->mesh); ++k)
        all &= chosen[pl__mesh_element(b->mesh, element)[k]] != 0;
    return all;
}

static pl_status vary(pl__body_build *b, const pl__file_material *m, const pl__resolved_material *base,
                      pl_material_id *of_tet)
{
    const uint8_t *chosen;
    char path[128], name[128];
    pl__resolved_material resolved;
    pl_material_id id;
    snprintf(path, sizeof path, "bodies.%.40s.vary.%.40s", b->file->record.name, m->record.name);
    snprintf(name, sizeof name, "%s_vary_%s", b->file->record.name, m->record.name);
    if (strlen(name) >= PL_NAME_BYTES)
        return pl__json_fail_key(b->source->ctx, m->record.json,
                                 "%s: the names of body and selection are too long together; at most 57 letters", path);
    PL_TRY(pl__select_nodes(b, m->record.name, m->record.json, &chosen));
    PL_TRY(pl__material_resolve_file(b->source, m, path, base, &resolved));
    PL_TRY(pl__material_add(b->source, b->scene, name, path, &resolved, m->record.json, &id));
    int32_t count = 0;
    for (int32_t t = 0; t < b->mesh->element_count; ++t)
        if (element_chosen(b, chosen, t))
        {
            of_tet[t] = id;
            count++;
        }
    return count ? PL_OK
                 : pl__json_fail_key(
                       b->source->ctx, m->record.json,
                       "%s: no element has all its corners in the selection; make it larger or the elements smaller",
                       path);
}

static pl_status vary_all(pl__body_build *b, const pl__resolved_material *base)
{
    if (b->file->vary.count == 0)
        return PL_OK;
    pl_material_id *of_tet = allocate(b, b->mesh->element_count, sizeof *of_tet);
    if (!of_tet)
        return PL_ERR_MEMORY;
    for (int32_t t = 0; t < b->mesh->element_count; ++t)
        of_tet[t] = b->def.material;
    const pl__file_material *all = b->file->vary.item;
    for (int32_t i = 0; i < b->file->vary.count; ++i)
        PL_TRY(vary(b, &all[i], base, of_tet));
    b->def.element_materials = of_tet;
    return PL_OK;
}

// ---- paint -----------------------------------------------------------------------------------------------------

typedef struct
{
    const double *value;
    int32_t components;
} attribute;

static pl_status find_attribute(pl__body_build *b, const pl__file_paint *paint, const char *path, attribute *out)
{
    const char *names[64];
    int32_t count = b->surface ? pl_surface_attribute_count(b->surface) : pl_mesh_attribute_count(b->mesh), listed = 0;
    if (!paint->attribute)
        return pl__json_fail(b->source->ctx, paint->record.json, "%s: needs the name of an `attribute` of the file",
                             path);
    for (int32_t i = 0; i < count; ++i)
    {
        const char *name = b->surface ? pl_surface_attribute_name(b->surface, i) : pl_mesh_attribute_name(b->mesh, i);
        if (strcmp(name, paint->attribute) == 0)
        {
            out->value = b->surface ? pl_surface_attribute_values(b->surface, i) : pl_mesh_attribute_values(b->mesh, i);
            out->components =
                b->surface ? pl_surface_attribute_components(b->surface, i) : pl_mesh_attribute_components(b->mesh, i);
            return PL_OK;
        }
        if (listed < 63)
            names[listed++] = name;
    }
    names[listed] = NULL;
    const char *guess = listed ? pl__near_miss(paint->attribute, names) : NULL;
    return pl__json_fail(b->source->ctx, pl__where(&paint->record, "attribute"),
                         "%s.attribute: there is no \"%.40s\"; %s%s%s", path, paint->attribute,
                         listed == 0 ? "the body has no numbers per vertex"
                         : guess     ? "did you mean \""
                                     : "there is \"",
                         listed == 0 ? ""
                         : guess     ? guess
                                     : names[0],
                         listed == 0   ? ""
                         : guess       ? "\"?"
                         : listed == 1 ? "\""
                                       : "\" and others");
}

static pl_status check_map(pl__body_build *b, const pl__file_paint *paint, const char *path, bool zero)
{
    const pl__json *where = pl__where(&paint->record, "map");
    if (paint->map.row_count == 0)
        return pl__json_fail(b->source->ctx, where, "%s.map: needs [[attribute, value], ...]", path);
    for (int32_t i = 0; i < paint->map.row_count; ++i)
    {
        const double *row = paint->map.row[i];
        if (paint->map.lengths[i] != 2)
            return pl__json_fail(b->source->ctx, where, "%s.map: row %d has %d numbers; a row is [attribute, value]",
                                 path, i, paint->map.lengths[i]);
        if (i > 0 && !(row[0] > paint->map.row[i - 1][0]))
            return pl__json_fail(b->source->ctx, where, "%s.map: attributes must increase, but %g follows %g", path,
                                 row[0], paint->map.row[i - 1][0]);
        if (!(row[1] > 0 || (zero && row[1] == 0)) || row[1] > 1e15)
            return pl__json_fail(b->source->ctx, where, "%s.map: the value %g must be %s 0 and at most 1e15", path,
                                 row[1], zero ? "at least" : "above");
    }
    return PL_OK;
}

static double map_value(const pl__rows *map, double a)
{
    double *const *row = map->row;
    int32_t last = map->row_count - 1, i = 0;
    if (a <= row[0][0])
        return row[0][1];
    if (a >= row[last][0])
        return row[last][1];
    while (a > row[i + 1][0])
        ++i;
    double t = (a - row[i][0]) / (row[i + 1][0] - row[i][0]);
    return row[i][1] + t * (row[i + 1][1] - row[i][1]);
}

// Attribute at the closest point of the surface.
static double attribute_at_closest(const pl__body_build *b, const pl__bvh *bvh, const attribute *a, const double x[3])
{
    double p[3], w[3], sum = 0;
    int32_t t;
    (void)pl__bvh_closest(bvh, x, p, &t);
    const int32_t *corner = &b->surface->triangle[3 * (size_t)t];
    // inverse-distance weights: exact at corners, good enough for paint in between
    double value = 0;
    for (int k = 0; k < 3; ++k)
    {
        const double *c = &b->surface->position[3 * (size_t)corner[k]];
        double d2 = (p[0] - c[0]) * (p[0] - c[0]) + (p[1] - c[1]) * (p[1] - c[1]) + (p[2] - c[2]) * (p[2] - c[2]);
        w[k] = 1 / (sqrt(d2) + 1e-300);
        sum += w[k];
    }
    for (int k = 0; k < 3; ++k)
        value += w[k] / sum * a->value[(size_t)corner[k] * (size_t)a->components];
    return value;
}

static double attribute_at_element(const pl__body_build *b, const pl__bvh *bvh, const attribute *a, int32_t element)
{
    const int32_t *n = pl__mesh_element(b->mesh, element);
    int32_t corners = pl__mesh_corners(b->mesh);
    double sum = 0, middle[3] = {0}, share = 1.0 / corners;
    for (int32_t k = 0; k < corners; ++k)
        for (int i = 0; i < 3; ++i)
            middle[i] += share * b->mesh->position[3 * (size_t)n[k] + (size_t)i];
    for (int32_t k = 0; !bvh && k < corners; ++k)
        sum += share * a->value[(size_t)n[k] * (size_t)a->components];
    return bvh ? attribute_at_closest(b, bvh, a, middle) : sum;
}

// Factors per element on a parameter of the material.
static pl_status paint(pl__body_build *b, const pl__file_paint *p, const char *name, size_t member,
                       const double **factors)
{
    if (!p->record.json)
        return PL_OK;
    char path[96];
    attribute a = {0};
    pl__bvh *bvh = NULL;
    snprintf(path, sizeof path, "bodies.%.40s.paint.%s", b->file->record.name, name);
    PL_TRY(find_attribute(b, p, path, &a));
    PL_TRY(check_map(b, p, path, strcmp(name, "damping") == 0));
    double *out = allocate(b, b->mesh->element_count, sizeof *out);
    if (!out)
        return PL_ERR_MEMORY;
    if (b->surface)
        PL_TRY(pl__bvh_create(b->surface, &bvh));
    pl_status status = PL_OK;
    for (int32_t t = 0; t < b->mesh->element_count && status == PL_OK; ++t)
    {
        pl_material_id id = b->def.element_materials ? b->def.element_materials[t] : b->def.material;
        double own = *(const double *)(const void *)((const char *)&b->scene->material[id.index - 1].def + member);
        if (own > 0)
            out[t] = map_value(&p->map, attribute_at_element(b, bvh, &a, t)) / own;
        else
            status =
                pl__json_fail(b->source->ctx, p->record.json,
                              "%s: the material's own %s is 0, which paint cannot scale; give it a value", path, name);
    }
    pl__bvh_destroy(&bvh);
    *factors = out;
    return status;
}

static pl_status paint_all(pl__body_build *b)
{
    const pl__file_paints *p = &b->file->paint;
    PL_TRY(paint(b, &p->young, "young", offsetof(pl_material_def, young), &b->def.young_factors));
    PL_TRY(paint(b, &p->density, "density", offsetof(pl_material_def, density), &b->def.density_factors));
    return paint(b, &p->damping, "damping", offsetof(pl_material_def, damping), &b->def.damping_factors);
}

// ---- mass ------------------------------------------------------------------------------------------------------

// A mesh that covers a surface has more volume than the surface encloses. Scale the density so that the mass is that of
// the visible volume. Open or overlapping surfaces, whose volume is unclear, are left alone.
static pl_status correct_mass(pl__body_build *b)
{
    pl_surface_info info;
    if (!b->surface)
        return PL_OK;
    PL_TRY(pl_surface_survey(b->surface, &info));
    double ratio = fabs(info.volume) / pl_mesh_volume(b->mesh);
    if (info.open_edges || info.turned_edges || info.crowded_edges || !(ratio > 0.2 && ratio < 1))
        return PL_OK;
    double *factors = allocate(b, b->mesh->element_count, sizeof *factors);
    if (!factors)
        return PL_ERR_MEMORY;
    for (int32_t t = 0; t < b->mesh->element_count; ++t)
        factors[t] = ratio * (b->def.density_factors ? b->def.density_factors[t] : 1);
    b->def.density_factors = factors;
    b->volume = fabs(info.volume);
    pl__log(b->source->ctx, PL_LOG_NOTE,
            "bodies.%s: its elements fill %.2f times its volume; their density is lowered, so that its mass is right",
            b->file->record.name, 1 / ratio);
    return PL_OK;
}

// ---- pins ------------------------------------------------------------------------------------------------------

// Positions of the pinned nodes at every sample of a point cache.
static pl_status load_cache(pl__body_build *b, const pl__file_pin *pin, const char *path, pl_pin_def *def)
{
    pl__opened file;
    pl__point_cache cache;
    PL_TRY(pl__input_open(b->source, &pin->record, "cache", path, &file));
    pl_status status = pl__pc2_read(b->source->ctx, file.path, file.data, file.size, &cache);
    pl__input_close(b->source, &file);
    PL_TRY(pl__fail_at(b->source, status, pl__where(&pin->record, "cache"), path));
    bool whole = cache.point_count == b->mesh->node_count;
    double *to = NULL;
    if (!whole && cache.point_count != def->count)
        status = pl__json_fail(b->source->ctx, pl__where(&pin->record, "cache"),
                               "%s: %d points are neither the %d nodes of the body nor the %d that are pinned", path,
                               cache.point_count, b->mesh->node_count, def->count);
    else if (!(to = allocate(b, 3 * (int64_t)def->count * cache.sample_count, sizeof *to)))
        status = PL_ERR_MEMORY;
    for (int32_t k = 0; to && k < cache.sample_count; ++k)
        for (int32_t n = 0; n < def->count; ++n)
        {
            const double *from =
                &cache.position[3 * ((size_t)k * (size_t)cache.point_count + (size_t)(whole ? def->nodes[n] : n))];
            memcpy(&to[3 * ((size_t)k * (size_t)def->count + (size_t)n)], from, 3 * sizeof *to);
        }
    // samples are in frames of the movie, spaced by `rate`
    double frame = b->source->file.time_scale / b->source->file.fps;
    def->cache = to;
    def->cache_count = cache.sample_count;
    def->cache_start = cache.start * frame;
    def->cache_rate = 1 / (frame * (cache.rate > 0 ? cache.rate : 1));
    pl__point_cache_free(b->source->ctx, &cache);
    return status;
}

static bool stays_zero(const pl__keyed_value *k, int axis)
{
    bool zero = k->value[axis] == 0;
    for (int32_t i = 0; i < k->count; ++i)
        zero &= k->values[3 * i + axis] == 0;
    return zero;
}

// Refuse pins that would move a planar body out of its plane.
static pl_status check_planar_pin(pl__body_build *b, const pl__file_pin *pin, const char *path)
{
    if (b->file->kind != PL_BODY_PLANAR)
        return PL_OK;
    if (!stays_zero(&pin->move, 2))
        return pl__json_fail(b->source->ctx, pl__where(&pin->record, "move"),
                             "%s.move: z must be 0: a planar body stays in its plane", path);
    if (!stays_zero(&pin->rotate, 0) || !stays_zero(&pin->rotate, 1))
        return pl__json_fail(b->source->ctx, pl__where(&pin->record, "rotate"),
                             "%s.rotate: must be about z only for a planar body", path);
    return PL_OK;
}

static pl_status add_pin(pl__body_build *b, pl_body_id body, const pl__file_pin *pin, int32_t k)
{
    char path[128];
    snprintf(path, sizeof path, "bodies.%.40s.pins.%d", b->file->record.name, k);
    if (!pin->select)
        return pl__json_fail(b->source->ctx, pin->record.json, "%s: needs the name of a selection in `select`", path);
    PL_TRY(check_planar_pin(b, pin, path));
    const uint8_t *chosen;
    PL_TRY(pl__select_nodes(b, pin->select, pl__where(&pin->record, "select"), &chosen));
    pl_pin_def def = pl_pin_def_default();
    int32_t *nodes = allocate(b, b->mesh->node_count, sizeof *nodes);
    if (!nodes)
        return PL_ERR_MEMORY;
    for (int32_t n = 0; n < b->mesh->node_count; ++n)
        if (chosen[n])
            nodes[def.count++] = n;
    def.nodes = nodes;
    pl__fields_take(&pl__pin_fields, &pl__pin_table, pin, false, &def);
    def.pivot_at_center = !pl__given(&pin->record, "pivot");
    if (pin->cache)
    {
        strcat(path, ".cache");
        PL_TRY(load_cache(b, pin, path, &def));
    }
    PL_TRY(pl__fail_at(b->source, pl_scene_add_pin(b->scene, body, &def, NULL), pin->record.json, ""));
    static const char *const names[] = {"strength", "move", "rotate"};
    const pl__keyed_value *keyed[] = {&pin->strength, &pin->move, &pin->rotate};
    for (int i = 0; i < 3; ++i)
    {
        snprintf(path, sizeof path, "bodies.%.40s.pins.%d.%s", b->file->record.name, k, names[i]);
        if (keyed[i]->count)
            PL_TRY(pl__keys_add(b->source, b->scene, path, keyed[i], pl__where(&pin->record, names[i])));
    }
    return PL_OK;
}

// ---- the body --------------------------------------------------------------------------------------------------

static double rest_mass(const pl__body_build *b, double thickness)
{
    double sum = 0;
    for (int32_t t = 0; t < b->mesh->element_count; ++t)
    {
        pl_material_id id = b->def.element_materials ? b->def.element_materials[t] : b->def.material;
        double factor = b->def.density_factors ? b->def.density_factors[t] : 1;
        sum += pl__element_measure(b->mesh, t) * factor * b->scene->material[id.index - 1].def.density;
    }
    return sum * thickness;
}

static void record_made_body(pl__body_build *b, const pl__resolved_material *material)
{
    pl__made_body *made = &b->source->made[b->index];
    bool flat = b->def.kind != PL_BODY_SOLID;
    double usual = b->def.kind == PL_BODY_SHELL ? 1e-3 : 1, thickness = b->def.thickness > 0 ? b->def.thickness : usual;
    *made = (pl__made_body){.name = b->file->record.name,
                            .kind = b->def.kind,
                            .elements = pl_mesh_kind(b->mesh),
                            .node_count = b->mesh->node_count,
                            .element_count = b->mesh->element_count,
                            .surface_count = b->surface ? b->surface->triangle_count : b->mesh->triangle_count,
                            .volume = b->volume > 0 ? b->volume : pl_mesh_volume(b->mesh),
                            .area = flat ? pl_mesh_area(b->mesh) : 0,
                            .thickness = flat ? thickness : 0,
                            .mass = rest_mass(b, flat ? thickness : 1)};
    for (int i = 0; i < 3; ++i)
    {
        made->lower[i] = INFINITY;
        made->upper[i] = -INFINITY;
        made->preset[i] = material->color[i];
        made->color[i] = pl__given(&b->file->record, "color") ? b->file->color[i] : material->color[i];
    }
    for (size_t k = 0; k < 3 * (size_t)b->mesh->node_count; ++k)
    {
        made->lower[k % 3] = fmin(made->lower[k % 3], b->placed[k]);
        made->upper[k % 3] = fmax(made->upper[k % 3], b->placed[k]);
    }
}

// Give bodies without a chosen colour different hues of the same shade.
static void choose_color(pl__body_build *b)
{
    static const double others[][3] = {{0.80, 0.38, 0.20}, {0.22, 0.58, 0.36}, {0.62, 0.36, 0.70}, {0.85, 0.65, 0.20},
                                       {0.25, 0.62, 0.70}, {0.75, 0.30, 0.42}, {0.45, 0.48, 0.55}};
    pl__made_body *made = &b->source->made[b->index];
    int32_t twins = 0;
    for (int32_t i = 0; i < b->index; ++i)
        twins += memcmp(b->source->made[i].preset, made->preset, sizeof made->preset) == 0;
    bool chosen = pl__given(&b->file->record, "color") || b->def.material.index <= b->source->file.materials.count;
    if (twins > 0 && !chosen)
        memcpy(made->color, others[(twins - 1) % (int32_t)(sizeof others / sizeof others[0])], sizeof made->color);
    memcpy(made->inside, pl__given(&b->file->record, "inside_color") ? b->file->inside_color : made->color,
           sizeof made->inside);
}

// Warn of sizes that are probably in other units.
static void warn_size(pl__body_build *b)
{
    const pl__made_body *made = &b->source->made[b->index];
    double side = 0, speed = 0;
    for (int i = 0; i < 3; ++i)
    {
        side = fmax(side, b->upper[i] - b->lower[i]);
        speed = fmax(speed, fabs(b->file->velocity[i]));
    }
    char place[256];
    bool shape = pl__given(&b->file->record, "shape");
    const char *remedy =
        shape ? "lengths are metres" : "if the file is in millimetres or centimetres, set `scale` or `height`";
    pl__json_place(b->file->record.json, place, sizeof place);
    if (side > 100)
        pl__log(b->source->ctx, PL_LOG_WARNING, "%s: bodies.%s: is %.3g m long; %s", place, made->name, side, remedy);
    else if (side < 5e-3)
        pl__log(b->source->ctx, PL_LOG_WARNING,
                "%s: bodies.%s: is only %.3g m long; lengths are metres, and `scale` or `height` fits a file", place,
                made->name, side);
    if (speed > 1000)
        pl__log(b->source->ctx, PL_LOG_WARNING,
                "%s: bodies.%s.velocity: %g m/s is three times the speed of sound in air", place, made->name, speed);
}

static bool is_among(const char *key, const char *const *keys)
{
    while (*keys && strcmp(*keys, key) != 0)
        ++keys;
    return *keys != NULL;
}

// Refuse keys that apply to another kind of body.
static pl_status refuse_other_kinds(const pl__body_build *b)
{
    static const char *const solid[] = {"thickness", "membrane", "bending",     "bending_factor",
                                        "warp",      "plane",    "keep_facing", NULL};
    static const char *const shell[] = {"elements", "plane", "fibers", NULL};
    static const char *const planar[] = {
        "elements", "membrane", "bending", "bending_factor", "warp",           "keep_facing",         "fibers",
        "drag",     "pressure", "gas",     "collides",       "self_collision", "collision_thickness", "friction",
        NULL};
    static const char *const *const idle[] = {solid, shell, planar};
    static const char *const kinds[] = {"solid", "shell", "planar"};
    for (const char *const *key = idle[b->file->kind]; *key; ++key)
    {
        if (!pl__given(&b->file->record, *key))
            continue;
        char those[32] = "";
        for (int k = 0; k < 3; ++k)
            if (!is_among(*key, idle[k]))
                snprintf(those + strlen(those), sizeof those - strlen(those), "%s%s", those[0] ? " and " : "",
                         kinds[k]);
        return pl__json_fail_key(b->source->ctx, pl__where(&b->file->record, *key),
                                 "bodies.%s.%s: has no meaning for a %s body, only for %s ones; remove it",
                                 b->file->record.name, *key, kinds[b->file->kind], those);
    }
    return PL_OK;
}

// Refuse settings of shells and their materials that have no effect here.
static pl_status refuse_unused(const pl__body_build *b)
{
    static const char *const weave[] = {"weave_weft", "weave_shear", "weave_stiffening", "weave_compression"};
    const pl__record *record = &b->file->record, *material = &b->file->material.record;
    const char *name = record->name;
    bool woven = b->file->membrane == PL_MEMBRANE_WOVEN;
    if (pl__given(record, "warp") && !woven)
        return pl__json_fail_key(b->source->ctx, pl__where(record, "warp"),
                                 "bodies.%s.warp: threads are only in a woven shell; set \"membrane\": \"woven\"",
                                 name);
    if (b->file->membrane == PL_MEMBRANE_SPRINGS && b->file->bending == PL_BENDING_HINGES)
        return pl__json_fail(b->source->ctx, pl__where(record, "bending"),
                             "bodies.%s.bending: springs resist it by springs across triangles, not hinges; leave it "
                             "out, or set \"none\"",
                             name);
    for (size_t k = 0; !woven && k < sizeof weave / sizeof weave[0]; ++k)
        if (pl__given(material, weave[k]))
            return pl__json_fail_key(
                b->source->ctx, pl__where(material, weave[k]),
                "bodies.%s.material.%s: is of threads, but this is not a woven shell; set \"membrane\": \"woven\"",
                name, weave[k]);
    return PL_OK;
}

// Pressure needs a closed surface; that of a solid always is.
static pl_status check_closed(const pl__body_build *b)
{
    const pl__record *record = &b->file->record;
    const char *key = pl__given(record, "pressure") ? "pressure" : "gas";
    if (b->file->kind != PL_BODY_SHELL || !pl__given(record, key))
        return PL_OK;
    size_t edges = 3 * (size_t)b->mesh->triangle_count;
    int32_t *twin = PL_NEW(b->source->ctx, edges, int32_t), open = 0;
    pl__crowd crowd;
    if (!twin)
        return PL_ERR_MEMORY;
    pl_status status = pl__face_twins(b->source->ctx, PL_ELEMENT_TRIANGLE, b->mesh->triangle, b->mesh->triangle_count,
                                      b->mesh->node_count, twin, &crowd);
    for (size_t i = 0; status == PL_OK && i < edges; ++i)
        open += twin[i] == PL__FACE_ALONE;
    PL_DELETE(b->source->ctx, twin, edges);
    if (status == PL_OK && open)
        return pl__json_fail_key(
            b->source->ctx, pl__where(record, key),
            "bodies.%s.%s: the shell has %d open edges, so nothing is inside it; close it, or remove `%s`",
            record->name, key, open, key);
    return status;
}

// A breakable shell cannot hold pressure.
static pl_status check_breaking(const pl__body_build *b)
{
    pl__material_list materials = {&b->scene->material->def, b->scene->material_count, sizeof *b->scene->material};
    const pl__record *record = &b->file->record;
    bool pressed = b->file->pressure.count > 0 || b->def.pressure != 0;
    const char *key = pressed ? "pressure" : "gas";
    if (b->file->kind != PL_BODY_SHELL || !(pressed || b->def.gas) || !pl__body_def_breaks(&b->def, &materials))
        return PL_OK;
    return pl__json_fail_key(
        b->source->ctx, pl__where(record, key),
        "bodies.%s.%s: a shell that breaks or is cut holds none; remove it, or `fracture_stress` and `cuttable`",
        record->name, key);
}

static pl_status add_keys(pl__body_build *b)
{
    for (int32_t i = 0; i < pl__body_fields.count; ++i)
    {
        const char *name = pl__body_fields.row[i].name;
        const pl__keyed_value *keys = pl__record_keys(&pl__body_table, b->file, name);
        char path[128];
        snprintf(path, sizeof path, "bodies.%.40s.%s", b->file->record.name, name);
        if (keys)
            PL_TRY(pl__keys_add(b->source, b->scene, path, keys, pl__where(&b->file->record, name)));
    }
    return PL_OK;
}

static pl_status add(pl__body_build *b)
{
    PL_TRY(refuse_other_kinds(b));
    PL_TRY(refuse_unused(b));
    PL_TRY(pl__rest_shape_make(b));
    PL_TRY(check_closed(b));
    b->def = pl_body_def_default();
    b->def.mesh = b->mesh;
    b->def.surface = b->surface;
    b->def.fracture_seed = (uint64_t)b->file->fracture_seed;
    pl__fields_take(&pl__body_fields, &pl__body_table, b->file, false, &b->def);
    pl__resolved_material material;
    PL_TRY(body_material(b, &material));
    PL_TRY(start_shape(b));
    PL_TRY(place(b));
    PL_TRY(pl__selections_resolve(b));
    PL_TRY(vary_all(b, &material));
    PL_TRY(paint_all(b));
    PL_TRY(correct_mass(b));
    PL_TRY(pl__directions_fibers(b));
    PL_TRY(pl__directions_normals(b));
    PL_TRY(pl__directions_goal(b));
    record_made_body(b, &material);
    choose_color(b);
    warn_size(b);
    PL_TRY(check_breaking(b));
    pl_body_id id;
    PL_TRY(pl__fail_at(b->source, pl_scene_add_body(b->scene, b->file->record.name, &b->def, &id), b->file->record.json,
                       ""));
    PL_TRY(add_keys(b));
    if (b->file->liquid)
        return pl__fail_at(
            b->source,
            pl_scene_add_setting(b->scene, b->file->record.name, b->file->liquid,
                                 pl__given(&b->file->record, "sets") ? b->file->sets : 1e9,
                                 pl__given(&b->file->record, "size") ? b->file->size : 1.5 * b->scene->domain.def.size),
            b->file->record.json, "");
    const pl__file_pin *pins = b->file->pins.item;
    for (int32_t k = 0; k < b->file->pins.count; ++k)
        PL_TRY(add_pin(b, id, &pins[k], k));
    return PL_OK;
}

pl_status pl__body_add(pl__source *s, pl_scene *scene, int32_t index)
{
    pl__body_build b = {.source = s, .scene = scene, .file = pl__source_body(s, index), .index = index};
    pl_status status = add(&b);
    pl__body_build_free(&b);
    return status;
}

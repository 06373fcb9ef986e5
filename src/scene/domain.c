// src/scene/domain.c -- the domain of liquids and the liquids in it: definitions are checked and copied.
//
// A box of cubic cells is quickly too large: half the size is eight times the cells. What a full box would need is
// therefore estimated before anything is made,
//
//     bytes = columns (C + 4 layers particles M + rows B),    rows = min(ny, depth / size + D)
//
// with B bytes a cell, M a marker and C a column of the grid; with `depth`, only D more rows than so deep are cubes.
// The estimate is for all of the box being liquid: most scenes need far less, none much more.
#include "scene.h"
#include "base/hash.h"
#include "contact/shape.h"
#include "definitions.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum
{
    DOMAIN_COOKIE = 0x506c6431,
    LIQUID_COOKIE = 0x506c6c31,
    VORTICES_COOKIE = 0x506c7631,
    DEEPEST = 5 // halvings of the domain in search of a liquid
};

static const double most_cells = 1e6;      // along an axis: 32-bit indices, and room to spare
static const double most_bytes = 1.28e11;  // of a full domain
static const double cell_bytes = 1000;     // velocities, distances, pressures and matrix, measured (bench/liquid.c)
static const double marker_bytes = 20;     // place, radius, sign
static const double marker_layers = 4;     // of cells at the surface
static const double column_bytes = 300;    // runs of cells and faces, twice
static const double extra_rows = 8;        // of cubes: above the surface, and where objects are
static const double rounding_error = 1e-9; // of a cell

static bool is_zero(const double v[3]) { return v[0] == 0 && v[1] == 0 && v[2] == 0; }

// ---- cells -----------------------------------------------------------------------------------------------------

static double extent(const pl_domain_def *def, int axis) { return def->upper[axis] - def->lower[axis]; }

static double cell_count(const pl_domain_def *def, int axis)
{
    return fmax(1, floor(extent(def, axis) / def->size + 0.5));
}

static double marker_count(const pl_domain_def *def)
{
    bool thin = cell_count(def, 0) == 1 || cell_count(def, 2) == 1;
    return def->particles > 0 ? def->particles : thin ? 16 : 32;
}

double pl__domain_memory(const pl_domain_def *def)
{
    double columns = cell_count(def, 0) * cell_count(def, 2), rows = cell_count(def, 1);
    if (def->depth > 0)
        rows = fmin(rows, ceil(def->depth / def->size) + extra_rows);
    return columns * (column_bytes + marker_layers * marker_count(def) * marker_bytes + rows * cell_bytes);
}

static double longest_side(const pl_domain_def *def)
{
    return fmax(fmax(cell_count(def, 0), cell_count(def, 1)), cell_count(def, 2));
}

static bool fits(const pl_domain_def *def)
{
    return longest_side(def) <= most_cells && pl__domain_memory(def) <= most_bytes;
}

// A size that fits, to three digits: that is at most half a percent more than the smallest.
static double size_that_fits(const pl_domain_def *def)
{
    pl_domain_def tried = *def;
    double low = def->size, high = def->size;
    while (tried.size = high, !fits(&tried))
        low = high, high *= 2;
    for (int i = 0; i < 40; ++i)
    {
        tried.size = 0.5 * (low + high);
        *(fits(&tried) ? &high : &low) = tried.size;
    }
    return 1.005 * high;
}

static pl_status fail_size(pl_context *ctx, const pl_domain_def *def)
{
    double size = size_that_fits(def), thinnest = fmin(fmin(extent(def, 0), extent(def, 1)), extent(def, 2));
    char cells[3][32], memory[32], why[96], what[64];
    for (int i = 0; i < 3; ++i)
        pl__number_text(cell_count(def, i), 4, cells[i]);
    pl__number_text(1e-9 * pl__domain_memory(def), 3, memory);
    if (longest_side(def) > most_cells)
        snprintf(why, sizeof why, "more than a million along an axis");
    else
        snprintf(why, sizeof why, "about %s GB if all were liquid, more than %.0f GB", memory, 1e-9 * most_bytes);
    if (size <= thinnest)
        snprintf(what, sizeof what, "take at least %.3g m, or a smaller box", size);
    else
        snprintf(what, sizeof what, "take a smaller box");
    return pl__fail_field(ctx, "domain", "size", "%g m makes %s x %s x %s cells: %s; %s", def->size, cells[0], cells[1],
                          cells[2], why, what);
}

// ---- domain ----------------------------------------------------------------------------------------------------

pl_domain_def pl_domain_def_default(void)
{
    pl_domain_def def = {.cookie = DOMAIN_COOKIE};
    pl__fields_default(&pl__domain_fields, &def);
    return def;
}

static pl_status check_corners(pl_context *ctx, const pl_domain_def *def)
{
    PL_CHECK_FIELD(ctx, pl__within3(def->lower, 1e9), "domain", "lower", "(%g, %g, %g) must be within 1e9 m",
                   def->lower[0], def->lower[1], def->lower[2]);
    PL_CHECK_FIELD(ctx, pl__within3(def->upper, 1e9), "domain", "upper", "(%g, %g, %g) must be within 1e9 m",
                   def->upper[0], def->upper[1], def->upper[2]);
    for (int i = 0; i < 3; ++i)
        PL_CHECK_FIELD(ctx, def->upper[i] > def->lower[i], "domain", "upper",
                       "%g must be above the lower corner, %g, along %c", def->upper[i], def->lower[i], "xyz"[i]);
    return PL_OK;
}

// Sides along x and z.
static const uint32_t beside =
    1u << PL_SIDE_LOWER_X | 1u << PL_SIDE_UPPER_X | 1u << PL_SIDE_LOWER_Z | 1u << PL_SIDE_UPPER_Z;

// Water beyond open ones.
static pl_status check_outside(pl_context *ctx, const pl_domain_def *def)
{
    PL_CHECK_FIELD(ctx, !def->held || (def->open & beside), "domain", "level",
                   "is that of water beyond open sides, but none along x or z is open; open one, such as \"-x\", or "
                   "leave it out");
    PL_CHECK_FIELD(ctx, !def->held || fabs(def->level) <= 1e9, "domain", "level", "%g must be within 1e9 m",
                   def->level);
    PL_CHECK_FIELD(ctx, !def->held || def->level > def->lower[1], "domain", "level",
                   "%g m is not above the bottom of the domain, %g m; there would be no water beyond its sides",
                   def->level, def->lower[1]);
    PL_CHECK_FIELD(ctx, def->held || is_zero(def->velocity), "domain", "velocity",
                   "is that of water beyond open sides, which has no level; give one, or leave it out");
    PL_CHECK_FIELD(ctx, def->held || def->sponge == 0, "domain", "sponge",
                   "is for open sides with a level; give one, or leave it out");
    return PL_OK;
}

// Ranges are in domain_fields.inl; these are the rules about several fields.
static pl_status check_domain(pl_context *ctx, const pl_domain_def *def)
{
    PL_CHECK_FIELD(ctx, def && def->cookie == DOMAIN_COOKIE, "domain", "", "start from pl_domain_def_default()");
    PL_TRY(pl__fields_check(ctx, &pl__domain_fields, def, "domain"));
    PL_CHECK_FIELD(ctx, def->size > 0, "domain", "size", "must be given: the edge of a cell, such as 0.02 m");
    PL_CHECK_FIELD(ctx, def->open < 1u << (PL_SIDE_UPPER_Z + 1), "domain", "open",
                   "%u is not a mask of sides; 1 << PL_SIDE_UPPER_X opens one", def->open);
    PL_CHECK_FIELD(ctx, def->grow < 1u << (PL_SIDE_UPPER_Z + 1), "domain", "grow",
                   "%u is not a mask of sides; 1 << PL_SIDE_UPPER_X lets one grow", def->grow);
    PL_CHECK_FIELD(ctx, !(def->grow & def->open), "domain", "grow",
                   "a side grows, so that no liquid gets there, or is open, so that it leaves; give one of them");
    PL_CHECK_FIELD(ctx, !def->grow || !def->held, "domain", "grow",
                   "the level of water beyond open sides is that of a box that stays; leave out one of them");
    PL_TRY(check_corners(ctx, def));
    for (int i = 0; i < 3; ++i)
        PL_CHECK_FIELD(ctx, extent(def, i) >= (1 - rounding_error) * def->size, "domain", "size",
                       "%g m is more than the box has along %c, %g m; take smaller cells or a larger box", def->size,
                       "xyz"[i], extent(def, i));
    PL_TRY(check_outside(ctx, def));
    return fits(def) ? PL_OK : fail_size(ctx, def);
}

pl_status pl_scene_set_domain(pl_scene *scene, const pl_domain_def *def)
{
    if (!scene)
        return PL_ERR_ARGUMENT;
    PL_TRY(check_domain(scene->ctx, def));
    pl__scene_domain domain = {.given = true, .def = *def};
    for (int i = 0; i < 3; ++i)
    {
        domain.cells[i] = (int32_t)cell_count(def, i);
        domain.def.upper[i] = def->lower[i] + domain.cells[i] * def->size;
    }
    scene->domain = domain;
    return PL_OK;
}

// ---- liquids ---------------------------------------------------------------------------------------------------

pl_liquid_def pl_liquid_def_default(void)
{
    pl_liquid_def def = {.cookie = LIQUID_COOKIE};
    pl__fields_default(&pl__liquid_fields, &def);
    return def;
}

static pl_status check_shape(pl_context *ctx, const char *owner, const pl_liquid_def *def)
{
    char path[PL_NAME_BYTES + 24];
    const pl_object_def *shape = def->shape;
    snprintf(path, sizeof path, "%s.shape", owner);
    PL_CHECK_FIELD(ctx, shape->cookie == pl_object_def_default().cookie, path, "",
                   "start from pl_object_def_default()");
    PL_CHECK_FIELD(ctx, shape->kind != PL_OBJECT_ACTOR && shape->kind != PL_OBJECT_BODY, path, "kind",
                   "an actor or a body moves and cannot be filled; take a closed surface");
    PL_CHECK_FIELD(ctx, is_zero(shape->at) && is_zero(shape->rotate), path, "",
                   "has an at or rotate of its own; those of the liquid say where it is");
    PL_CHECK_FIELD(ctx, is_zero(shape->velocity) && is_zero(shape->spin), path, "",
                   "has a velocity or spin of its own; that of the liquid says how it moves");
    PL_CHECK_FIELD(ctx, def->level == 0, owner, "level", "%g m: a liquid has a shape or a level; give one of them",
                   def->level);
    return pl__shape_check(ctx, path, shape);
}

// What a body becomes is where the body is, and moves as it does.
static pl_status check_melting(pl_context *ctx, const char *owner, const pl_liquid_def *def)
{
    const char *field = def->shape                ? "shape"
                        : def->level != 0         ? "level"
                        : !is_zero(def->at)       ? "at"
                        : !is_zero(def->rotate)   ? "rotate"
                        : !is_zero(def->velocity) ? "velocity"
                        : def->rate > 0           ? "rate"
                        : def->end > 0            ? "end"
                        : def->valve < 1          ? "valve"
                                                  : NULL;
    PL_CHECK_FIELD(ctx, def->body && def->body[0], owner, "body", "name the body that becomes this liquid");
    PL_CHECK_FIELD(ctx, strlen(def->body) < PL_NAME_BYTES, owner, "body", "is longer than names are, %d bytes",
                   PL_NAME_BYTES - 1);
    PL_CHECK_FIELD(ctx, !field, owner, field,
                   "is for liquid that has a shape or a level; this one is where its body is, and moves as that does");
    return PL_OK;
}

// Sources and drains.
static pl_status check_flow(pl_context *ctx, const char *owner, const pl_liquid_def *def)
{
    if (def->kind == PL_LIQUID_BODY)
        return check_melting(ctx, owner, def);
    PL_CHECK_FIELD(ctx, def->melted == 0, owner, "melted",
                   "is for what a body becomes; name the `body`, or leave it out");
    PL_CHECK_FIELD(ctx, !def->body, owner, "body", "is for liquid of kind \"body\"; give that kind, or leave it out");
    if (def->kind == PL_LIQUID_START)
    {
        const char *field = def->rate > 0    ? "rate"
                            : def->start > 0 ? "start"
                            : def->end > 0   ? "end"
                            : def->valve < 1 ? "valve"
                                             : NULL;
        PL_CHECK_FIELD(ctx, !field, owner, field, "is for sources and drains; give a kind, or leave it out");
        return PL_OK;
    }
    const char *kind = def->kind == PL_LIQUID_SOURCE ? "source" : "drain";
    PL_CHECK_FIELD(ctx, def->shape, owner, "kind", "a %s needs a shape, such as a box or a sphere", kind);
    PL_CHECK_FIELD(ctx, def->kind == PL_LIQUID_DRAIN || def->rate > 0 || !is_zero(def->velocity), owner, "kind",
                   "a source needs a rate or a velocity, or nothing would come");
    PL_CHECK_FIELD(ctx, def->kind == PL_LIQUID_SOURCE || is_zero(def->velocity), owner, "velocity",
                   "a drain takes liquid as it comes; leave it out");
    PL_CHECK_FIELD(ctx, def->end == 0 || def->end > def->start, owner, "end", "%g s is not after its start, %g s",
                   def->end, def->start);
    return PL_OK;
}

// What all liquids of a scene share.
static pl_status check_alike(const pl_scene *scene, const char *owner, const pl_liquid_def *def)
{
    pl_context *ctx = scene->ctx;
    if (scene->liquid_count == 0 || def->kind == PL_LIQUID_DRAIN)
        return PL_OK;
    const char *other = scene->liquid[0].name;
    const pl_liquid_def *first = &scene->liquid[0].def;
    static const char rule[] = "it is the same for all liquids of a scene";
    PL_CHECK_FIELD(ctx, def->strain == first->strain, owner, "strain", "is not that of liquids.%s; %s", other, rule);
    PL_CHECK_FIELD(ctx, def->shear == first->shear, owner, "shear", "is not that of liquids.%s; %s", other, rule);
    PL_CHECK_FIELD(ctx, def->tension == first->tension, owner, "tension", "is %g, but liquids.%s has %g; %s",
                   def->tension, other, first->tension, rule);
    PL_CHECK_FIELD(ctx, def->foam == first->foam, owner, "foam", "is %g, but liquids.%s has %g; %s", def->foam, other,
                   first->foam, rule);
    PL_CHECK_FIELD(ctx, def->foam_life == first->foam_life, owner, "foam_life", "is %g, but liquids.%s has %g; %s",
                   def->foam_life, other, first->foam_life, rule);
    PL_CHECK_FIELD(ctx, def->wall == first->wall, owner, "wall", "is not that of liquids.%s; %s", other, rule);
    PL_CHECK_FIELD(ctx, def->volume == first->volume, owner, "volume", "is not that of liquids.%s; %s", other, rule);
    return PL_OK;
}

// Ranges are in liquid_fields.inl; these are the rules about several fields.
static pl_status check_liquid(const pl_scene *scene, const char *name, const pl_liquid_def *def)
{
    pl_context *ctx = scene->ctx;
    char owner[PL_NAME_BYTES + 16];
    PL_TRY(pl__name_check(ctx, "liquid", name));
    snprintf(owner, sizeof owner, "liquids.%s", name);
    PL_CHECK_FIELD(ctx, def && def->cookie == LIQUID_COOKIE, owner, "", "start from pl_liquid_def_default()");
    PL_TRY(pl__fields_check(ctx, &pl__liquid_fields, def, owner));
    if (def->shape)
        PL_TRY(check_shape(ctx, owner, def));
    PL_TRY(check_flow(ctx, owner, def));
    PL_CHECK_FIELD(ctx, is_zero(def->spin) || (def->shape && def->kind == PL_LIQUID_START), owner, "spin",
                   "is for a liquid that is there at the start and has a shape; leave it out");
    PL_CHECK_FIELD(ctx, def->shape || (is_zero(def->at) && is_zero(def->rotate)), owner,
                   is_zero(def->at) ? "rotate" : "at",
                   "places a shape, but the liquid has a level instead; leave it out");
    for (size_t i = 0; i < scene->liquid_count; ++i)
        PL_CHECK_FIELD(ctx, strcmp(scene->liquid[i].name, name) != 0, "liquids", name,
                       "there is one of that name already");
    PL_CHECK_FIELD(ctx, def->of >= 0 && (size_t)def->of <= scene->liquid_count, owner, "of",
                   "%d is not the index of a liquid that has been added", def->of);
    PL_CHECK_FIELD(ctx, def->of == 0 || scene->liquid[def->of - 1].def.kind != PL_LIQUID_DRAIN, owner, "of",
                   "liquids.%s is a drain, which takes liquid and is none", scene->liquid[def->of - 1].name);
    PL_CHECK_FIELD(ctx, def->of == 0 || def->kind != PL_LIQUID_DRAIN, owner, "of",
                   "a drain takes whatever is there; leave it out");
    return check_alike(scene, owner, def);
}

// A copy that owns its shape. On failure nothing is left behind.
static pl_status copy_liquid(pl_context *ctx, const pl_liquid_def *def, pl_liquid_def *copy)
{
    *copy = *def;
    copy->body = NULL;
    if (def->body)
    {
        char *name = pl__alloc(ctx, strlen(def->body) + 1);
        if (!name)
            return PL_ERR_MEMORY;
        copy->body = strcpy(name, def->body);
    }
    if (!def->shape)
        return PL_OK;
    pl_object_def *shape = PL_NEW(ctx, 1, pl_object_def);
    if (!shape)
        return PL_ERR_MEMORY;
    pl_status status = pl__shape_def_copy(ctx, def->shape, shape);
    if (status != PL_OK)
    {
        PL_DELETE(ctx, shape, 1);
        pl__free(ctx, (char *)copy->body, copy->body ? strlen(copy->body) + 1 : 0);
        copy->body = NULL;
    }
    copy->shape = shape;
    return status;
}

pl_status pl_scene_add_liquid(pl_scene *scene, const char *name, const pl_liquid_def *def, pl_liquid_id *id)
{
    if (!scene)
        return PL_ERR_ARGUMENT;
    pl_context *ctx = scene->ctx;
    PL_TRY(check_liquid(scene, name, def));
    if (!PL_GROW(ctx, scene->liquid, &scene->liquid_capacity, scene->liquid_count + 1))
        return PL_ERR_MEMORY;
    pl__scene_liquid *liquid = &scene->liquid[scene->liquid_count];
    PL_TRY(copy_liquid(ctx, def, &liquid->def));
    strcpy(liquid->name, name);
    ++scene->liquid_count;
    if (id)
        id->index = (int32_t)scene->liquid_count;
    return PL_OK;
}

void pl__scene_liquids_release(pl_scene *scene)
{
    PL_DELETE(scene->ctx, scene->vortices, scene->vortices_capacity);
    PL_DELETE(scene->ctx, scene->setting, scene->setting_capacity);
    for (size_t i = 0; i < scene->liquid_count; ++i)
    {
        pl_object_def *shape = (pl_object_def *)scene->liquid[i].def.shape;
        char *body = (char *)scene->liquid[i].def.body;
        pl__free(scene->ctx, body, body ? strlen(body) + 1 : 0);
        if (shape)
            pl__shape_def_release(scene->ctx, shape);
        PL_DELETE(scene->ctx, shape, 1);
    }
    PL_DELETE(scene->ctx, scene->liquid, scene->liquid_capacity);
}

// ---- setting ---------------------------------------------------------------------------------------------------

pl_status pl_scene_add_setting(pl_scene *scene, const char *body, const char *liquid, double start, double edge)
{
    if (!scene)
        return PL_ERR_ARGUMENT;
    pl_context *ctx = scene->ctx;
    char owner[PL_NAME_BYTES + 16];
    PL_TRY(pl__name_check(ctx, "body", body));
    PL_TRY(pl__name_check(ctx, "liquid", liquid));
    snprintf(owner, sizeof owner, "bodies.%s", body);
    PL_CHECK_FIELD(ctx, start >= 0 && start <= 1e9, owner, "sets", "%g s must be in [0, 1e9]", start);
    PL_CHECK_FIELD(ctx, edge >= 1e-9 && edge <= 1e9, owner, "size", "%g m must be in [1e-9, 1e9]", edge);
    for (size_t i = 0; i < scene->setting_count; ++i)
        PL_CHECK_FIELD(ctx, strcmp(scene->setting[i].body, body) != 0, owner, "liquid", "it sets already");
    if (!PL_GROW(ctx, scene->setting, &scene->setting_capacity, scene->setting_count + 1))
        return PL_ERR_MEMORY;
    pl__scene_setting *s = &scene->setting[scene->setting_count++];
    *s = (pl__scene_setting){.start = start, .edge = edge};
    strcpy(s->body, body);
    strcpy(s->liquid, liquid);
    return PL_OK;
}

// ---- vortices --------------------------------------------------------------------------------------------------

pl_vortices_def pl_vortices_def_default(void)
{
    pl_vortices_def def = {.cookie = VORTICES_COOKIE};
    pl__fields_default(&pl__vortices_fields, &def);
    return def;
}

pl_status pl_scene_add_vortices(pl_scene *scene, const char *name, const char *on, const pl_vortices_def *def)
{
    if (!scene)
        return PL_ERR_ARGUMENT;
    pl_context *ctx = scene->ctx;
    char owner[PL_NAME_BYTES + 16];
    PL_TRY(pl__name_check(ctx, "source of vortices", name));
    if (on)
        PL_TRY(pl__name_check(ctx, "object", on));
    snprintf(owner, sizeof owner, "vortices.%s", name);
    PL_CHECK_FIELD(ctx, def && def->cookie == VORTICES_COOKIE, owner, "", "start from pl_vortices_def_default()");
    PL_TRY(pl__fields_check(ctx, &pl__vortices_fields, def, owner));
    PL_CHECK_FIELD(ctx, def->end == 0 || def->end > def->start, owner, "end", "%g s is not after its start, %g s",
                   def->end, def->start);
    for (size_t i = 0; i < scene->vortices_count; ++i)
        PL_CHECK_FIELD(ctx, strcmp(scene->vortices[i].name, name) != 0, "vortices", name,
                       "there is one of that name already");
    if (!PL_GROW(ctx, scene->vortices, &scene->vortices_capacity, scene->vortices_count + 1))
        return PL_ERR_MEMORY;
    pl__scene_vortices *v = &scene->vortices[scene->vortices_count++];
    *v = (pl__scene_vortices){.def = *def};
    strcpy(v->name, name);
    if (on)
        strcpy(v->on, on);
    return PL_OK;
}

pl_status pl__vortices_check(const pl_scene *scene, size_t index)
{
    const pl__scene_vortices *v = &scene->vortices[index];
    char owner[PL_NAME_BYTES + 16];
    bool found = v->on[0] == 0;
    snprintf(owner, sizeof owner, "vortices.%s", v->name);
    PL_CHECK_FIELD(scene->ctx, scene->liquid_count > 0, owner, "", "stir liquids, but the scene has none");
    for (size_t i = 0; i < scene->object_count; ++i)
        found = found || strcmp(scene->object[i].name, v->on) == 0;
    PL_CHECK_FIELD(scene->ctx, found, owner, "on", "there is no object \"%s\"", v->on);
    return PL_OK;
}

// ---- liquids in the domain -------------------------------------------------------------------------------------

pl_status pl__liquid_region(pl_context *ctx, const pl_liquid_def *def, pl__shape **region)
{
    pl_object_def whole = pl_object_def_default(), part = *def->shape;
    memcpy(part.at, def->at, sizeof part.at);
    memcpy(part.rotate, def->rotate, sizeof part.rotate);
    whole.kind = PL_OBJECT_UNION;
    whole.part = &part;
    whole.part_count = 1;
    return pl__shape_create(ctx, &whole, region);
}

// The same without a grid of distances, which takes long to make.
static pl_status make_exact_region(pl_context *ctx, const pl_liquid_def *def, pl__shape **region)
{
    pl_object_def shape = *def->shape;
    pl_liquid_def exact = *def;
    shape.lookup = PL_LOOKUP_EXACT;
    exact.shape = &shape;
    return pl__liquid_region(ctx, &exact, region);
}

// Whether a region reaches into a box. Distances are never too large: what is farther from the middle than the corners
// are is outside; what is not known after some halvings counts as inside.
static bool reaches(const pl__shape *region, const double middle[3], const double half[3], int depth)
{
    double normal[3], distance = pl__shape_distance(region, middle, normal);
    double radius = sqrt(half[0] * half[0] + half[1] * half[1] + half[2] * half[2]);
    if (distance < 0 || distance > radius || depth == 0)
        return distance <= radius;
    bool found = false;
    for (int corner = 0; corner < 8 && !found; ++corner)
    {
        double inner[3], quarter[3];
        for (int i = 0; i < 3; ++i)
        {
            quarter[i] = 0.5 * half[i];
            inner[i] = middle[i] + (corner >> i & 1 ? quarter[i] : -quarter[i]);
        }
        found = reaches(region, inner, quarter, depth - 1);
    }
    return found;
}

static pl_status check_inside(const pl_scene *scene, const pl__scene_liquid *liquid)
{
    const pl_domain_def *domain = &scene->domain.def;
    char owner[PL_NAME_BYTES + 16];
    double middle[3], half[3];
    pl__shape *region;
    for (int i = 0; i < 3; ++i)
    {
        half[i] = 0.5 * extent(domain, i);
        middle[i] = domain->lower[i] + half[i];
    }
    PL_TRY(make_exact_region(scene->ctx, &liquid->def, &region));
    bool inside = reaches(region, middle, half, DEEPEST);
    pl__shape_destroy(&region);
    snprintf(owner, sizeof owner, "liquids.%s", liquid->name);
    PL_CHECK_FIELD(scene->ctx, inside, owner, "shape",
                   "is outside the domain, from [%g, %g, %g] to [%g, %g, %g] m; move one of them", domain->lower[0],
                   domain->lower[1], domain->lower[2], domain->upper[0], domain->upper[1], domain->upper[2]);
    return PL_OK;
}

// ---- kinds -----------------------------------------------------------------------------------------------------

// A number that liquids are told apart by.
static bool tells_apart(const pl__field *row)
{
    return row->when == PL__WHEN_LIVE && row->offset != offsetof(pl_liquid_def, valve);
}

static bool has_keys(const pl_scene *scene, size_t index)
{
    for (size_t i = 0; i < scene->track_count; ++i)
        if (scene->track[i].what == PL__KEYED_LIQUID && scene->track[i].index == (int32_t)index)
            return true;
    return false;
}

static bool is_same(const pl_scene *scene, size_t a, size_t b)
{
    for (int32_t i = 0; i < pl__liquid_fields.count; ++i)
    {
        const pl__field *row = &pl__liquid_fields.row[i];
        if (tells_apart(row) &&
            pl__field_get(row, &scene->liquid[a].def, 0) != pl__field_get(row, &scene->liquid[b].def, 0))
            return false;
    }
    return !has_keys(scene, a) && !has_keys(scene, b);
}

int32_t pl__liquid_kinds(const pl_scene *scene, int32_t *kind, int32_t first[PL__MOST_KINDS])
{
    int32_t count = 0;
    for (size_t i = 0; i < scene->liquid_count; ++i)
    {
        const pl_liquid_def *def = &scene->liquid[i].def;
        kind[i] = def->kind == PL_LIQUID_DRAIN ? -1 : count;
        for (size_t k = 0; k < i && kind[i] == count; ++k)
            if (scene->liquid[k].def.kind != PL_LIQUID_DRAIN && scene->liquid[k].def.of == 0 &&
                (def->of > 0 ? (size_t)def->of == k + 1 : is_same(scene, i, k)))
                kind[i] = kind[k];
        if (def->of > 0 && kind[i] == count) // of one that is of another itself
            kind[i] = kind[def->of - 1];
        if (kind[i] == count && count < PL__MOST_KINDS)
            first[count] = (int32_t)i;
        count += kind[i] == count;
    }
    return count;
}

void pl__liquid_range(const pl_scene *scene, size_t index, const char *field, double *least, double *most)
{
    const pl__field *row = pl__fields_find(&pl__liquid_fields, field);
    *least = *most = pl__field_get(row, &scene->liquid[index].def, 0);
    for (size_t i = 0; i < scene->track_count; ++i)
    {
        const pl__track *track = &scene->track[i];
        if (track->what != PL__KEYED_LIQUID || track->index != (int32_t)index ||
            &pl__liquid_fields.row[track->field] != row)
            continue;
        *least = *most = track->keys.values[0];
        for (int32_t k = 1; k < track->keys.count; ++k)
        {
            *least = fmin(*least, track->keys.values[k]);
            *most = fmax(*most, track->keys.values[k]);
        }
    }
}

// What several liquids may be and may not.
static pl_status check_kinds(const pl_scene *scene)
{
    pl_context *ctx = scene->ctx;
    int32_t first[PL__MOST_KINDS], *kind = PL_NEW(ctx, scene->liquid_count + 1, int32_t);
    if (!kind)
        return PL_ERR_MEMORY;
    int32_t count = pl__liquid_kinds(scene, kind, first);
    PL_DELETE(ctx, kind, scene->liquid_count + 1);
    if (count <= 1)
        return PL_OK;
    if (count > PL__MOST_KINDS)
        return pl__fail_path(ctx, PL_ERR_ARGUMENT, "liquids",
                             "%d of them differ, more than %d; give those that are alike the same numbers, or `of`",
                             count, PL__MOST_KINDS);
    if (scene->domain.def.depth > 0)
        return pl__fail_path(ctx, PL_ERR_ARGUMENT, "domain.depth",
                             "makes tall cells, but several liquids need cubes everywhere; leave it out, or give all "
                             "liquids the same numbers");
    if (scene->domain.def.held)
        return pl__fail_path(
            ctx, PL_ERR_ARGUMENT, "domain.level",
            "is that of one liquid beyond open sides, but there are several; leave it out, or give all "
            "liquids the same numbers");
    for (int32_t a = 0; a < count; ++a)
    {
        const pl__scene_liquid *l = &scene->liquid[first[a]];
        char owner[PL_NAME_BYTES + 16];
        double least, most, other_least, other_most;
        snprintf(owner, sizeof owner, "liquids.%s", l->name);
        PL_CHECK_FIELD(ctx, l->def.tension == 0, owner, "tension",
                       "is for a scene with one liquid, and there are several; leave it out");
        pl__liquid_range(scene, (size_t)first[a], "density", &least, &most);
        for (int32_t b = 0; b < a; ++b)
        {
            pl__liquid_range(scene, (size_t)first[b], "density", &other_least, &other_most);
            double ratio = fmax(most / other_least, other_most / least);
            PL_CHECK_FIELD(ctx, ratio <= pl__most_density_ratio, owner, "density",
                           "is up to %g times as large, or as small, as that of liquids.%s; more than %g is not solved "
                           "well, so make them more alike",
                           ratio, scene->liquid[first[b]].name, pl__most_density_ratio);
        }
    }
    return PL_OK;
}

pl_status pl__liquids_check(const pl_scene *scene)
{
    PL_TRY(check_kinds(scene));
    for (size_t i = 0; i < scene->liquid_count; ++i)
    {
        const pl__scene_liquid *liquid = &scene->liquid[i];
        char owner[PL_NAME_BYTES + 16];
        double bottom = scene->domain.def.lower[1];
        snprintf(owner, sizeof owner, "liquids.%s", liquid->name);
        PL_CHECK_FIELD(scene->ctx, scene->domain.given, owner, "",
                       "needs a domain, the box that it may fill, with a size of cells");
        if (liquid->def.shape)
            PL_TRY(check_inside(scene, liquid));
        else if (liquid->def.kind != PL_LIQUID_BODY)
        {
            PL_CHECK_FIELD(scene->ctx, !(scene->domain.def.grow & beside), owner, "level",
                           "fills the domain from side to side, but domain.grow moves sides along x or z; give it a "
                           "shape, or let only \"-y\" and \"+y\" grow");
            PL_CHECK_FIELD(scene->ctx, liquid->def.level > bottom, owner, "level",
                           "%g m is not above the bottom of the domain, %g m; there would be no liquid",
                           liquid->def.level, bottom);
        }
    }
    return PL_OK;
}

pl_status pl__liquid_thickness(const pl_scene *scene, const pl_liquid_def *def, double *thickness)
{
    *thickness = def->kind == PL_LIQUID_BODY ? INFINITY : def->level - scene->domain.def.lower[1];
    if (!def->shape)
        return PL_OK;
    pl__shape *shape;
    double lower[3], upper[3];
    pl_liquid_def unmoved = *def;
    memset(unmoved.at, 0, sizeof unmoved.at);
    memset(unmoved.rotate, 0, sizeof unmoved.rotate);
    PL_TRY(make_exact_region(scene->ctx, &unmoved, &shape));
    pl__shape_bounds(shape, lower, upper);
    pl__shape_destroy(&shape);
    *thickness = fmin(fmin(upper[0] - lower[0], upper[1] - lower[1]), upper[2] - lower[2]);
    return PL_OK;
}

// ---- identity --------------------------------------------------------------------------------------------------

// Its shape is hashed by those who make it.
static uint64_t hash_flow(uint64_t h, const pl_liquid_def *def)
{
    const double numbers[] = {def->kind,        def->rate,        def->start,      def->end,       def->at[0],
                              def->at[1],       def->at[2],       def->rotate[0],  def->rotate[1], def->rotate[2],
                              def->velocity[0], def->velocity[1], def->velocity[2]};
    return pl__hash(h, numbers, sizeof numbers);
}

static uint64_t hash_melting(uint64_t h, const pl_liquid_def *def)
{
    h = pl__hash(h, def->body, strlen(def->body));
    return pl__hash(h, &def->melted, sizeof def->melted);
}

static uint64_t hash_vortices(uint64_t h, const pl__scene_vortices *v)
{
    h = pl__hash(h, v->on, strlen(v->on));
    for (int32_t i = 0; i < pl__vortices_fields.count; ++i)
        for (int k = 0; k < (pl__vortices_fields.row[i].components > 1 ? 3 : 1); ++k)
        {
            double value = pl__field_get(&pl__vortices_fields.row[i], &v->def, k);
            h = pl__hash(h, &value, sizeof value);
        }
    return h;
}

// Of where liquids begin nothing is left in a state; what may change at branches is no part of it.
uint64_t pl__liquids_hash(uint64_t h, const pl_scene *scene)
{
    const pl__scene_domain *domain = &scene->domain;
    if (scene->liquid_count == 0)
        return h;
    h = pl__hash(h, domain->def.lower, sizeof domain->def.lower);
    h = pl__hash(h, domain->cells, sizeof domain->cells);
    h = pl__hash(h, &domain->def.open, sizeof domain->def.open);
    if (domain->def.grow)
        h = pl__hash(h, &domain->def.grow, sizeof domain->def.grow);
    for (int32_t i = 0; i < pl__domain_fields.count; ++i)
    {
        double value = pl__field_get(&pl__domain_fields.row[i], &domain->def, 0);
        if (pl__domain_fields.row[i].when == PL__WHEN_RERUN)
            h = pl__hash(h, &value, sizeof value);
    }
    if (domain->def.held)
    {
        h = pl__hash(h, &domain->def.level, sizeof domain->def.level);
        h = pl__hash(h, domain->def.velocity, sizeof domain->def.velocity);
    }
    for (size_t i = 0; i < scene->vortices_count; ++i)
        h = hash_vortices(h, &scene->vortices[i]);
    for (size_t i = 0; i < scene->liquid_count; ++i)
    {
        h = pl__hash(h, scene->liquid[i].name, strlen(scene->liquid[i].name));
        if (scene->liquid[i].def.kind != PL_LIQUID_START)
            h = hash_flow(h, &scene->liquid[i].def);
        if (scene->liquid[i].def.kind == PL_LIQUID_BODY)
            h = hash_melting(h, &scene->liquid[i].def);
        if (scene->liquid[i].def.of > 0)
            h = pl__hash(h, &scene->liquid[i].def.of, sizeof scene->liquid[i].def.of);
    }
    return h;
}

// src/scene/keys.c -- keyframes: paths, checks, evaluation.
//
// Between two keys a and b of a component, with u in [0, 1] the eased fraction of the time between them, the value is
//
//     a + u (b - a),    clamped to [min(a, b), max(a, b)] against rounding:
//
// ranges are intervals, so keys in range give values in range, and equal neighbours give exactly their value (a pin of
// strength 1 stays hard).
#include "scene.h"
#include "base/cpu.h"
#include "contact/object_fields.h"
#include "definitions.h"
#include "material/material.h"
#include "material/material_fields.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum
{
    KEYS_COOKIE = 0x506c6b31
};

pl_keys_def pl_keys_def_default(void) { return (pl_keys_def){.components = 1, .cookie = KEYS_COOKIE}; }

// ---- evaluation ------------------------------------------------------------------------------------------------

// The last key at or before `time`; it must exist.
static int32_t key_before(const pl_keys_def *keys, double time)
{
    int32_t low = 0, high = keys->count;
    while (high - low > 1)
    {
        int32_t middle = low + (high - low) / 2;
        if (keys->times[middle] <= time)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static double ease(pl_ease kind, double u)
{
    switch (kind)
    {
    case PL_EASE_LINEAR: return u;
    case PL_EASE_SMOOTH: return u * u * (3 - 2 * u);
    case PL_EASE_STEP: return 0;
    }
    return u;
}

void pl__keys_evaluate(const pl_keys_def *keys, double time, double *values)
{
    int32_t i = key_before(keys, time);
    size_t n = (size_t)keys->components;
    const double *a = &keys->values[(size_t)i * n], *b = i + 1 < keys->count ? a + n : a;
    double u = 0;
    if (a != b && time > keys->times[i])
        u = ease(keys->ease, (time - keys->times[i]) / (keys->times[i + 1] - keys->times[i]));
    for (size_t k = 0; k < n; ++k)
        values[k] = fmin(fmax(a[k] + u * (b[k] - a[k]), fmin(a[k], b[k])), fmax(a[k], b[k]));
}

void pl_keys_evaluate(const pl_keys_def *keys, double time, double *values)
{
    if (keys->count <= 0)
        return;
    uint64_t host = pl__fp_enter();
    pl__keys_evaluate(keys, time, values);
    pl__fp_leave(host);
}

// ---- paths -----------------------------------------------------------------------------------------------------

typedef struct
{
    const char *head, *field; // HEAD.NAME.FIELD; of bodies, pins.K.FIELD too
    bool of_pin;
    pl__keyed what;
    const pl__fields *fields; // table with its range
} keyed;

// Every number of materials and liquids marked KEYED; the other rows are listed below.
static const keyed of_material = {"materials", "", false, PL__KEYED_MATERIAL, &pl__material_fields};
static const keyed of_liquid = {"liquids", "", false, PL__KEYED_LIQUID, &pl__liquid_fields};
static const keyed table[] = {
    {"bodies", "strength", false, PL__KEYED_STRENGTH, &pl__body_fields},
    {"bodies", "pressure", false, PL__KEYED_PRESSURE, &pl__body_fields},
    {"bodies", "toughness", false, PL__KEYED_TOUGHNESS, &pl__body_fields},
    {"bodies", "volume", false, PL__KEYED_VOLUME, &pl__body_fields},
    {"bodies", "strength", true, PL__KEYED_PIN_STRENGTH, &pl__pin_fields},
    {"bodies", "move", true, PL__KEYED_PIN_MOVE, &pl__pin_fields},
    {"bodies", "rotate", true, PL__KEYED_PIN_ROTATE, &pl__pin_fields},
    {"objects", "at", false, PL__KEYED_AT, &pl__object_fields},
    {"objects", "rotate", false, PL__KEYED_ROTATE, &pl__object_fields},
    {"objects", "spin", false, PL__KEYED_SPIN, &pl__object_fields},
    {"objects", "friction", false, PL__KEYED_FRICTION, &pl__object_fields},
    {"heat", "at", false, PL__KEYED_HEAT_AT, &pl__heat_fields},
    {"heat", "power", false, PL__KEYED_HEAT_POWER, &pl__heat_fields},
};
static const keyed wind = {"", "wind", false, PL__KEYED_WIND, &pl__air_fields};
static const keyed gravity = {"", "gravity", false, PL__KEYED_GRAVITY, &pl__scene_fields};

static const pl__field *field_of(const keyed *row, const pl__track *track)
{
    bool by_row = row == &of_material || row == &of_liquid;
    return by_row ? &row->fields->row[track->field] : pl__fields_find(row->fields, row->field);
}

typedef struct
{
    const char *at;
    size_t length;
} part;

// The next part of a path, up to '.' or the end.
static part next_part(const char **path)
{
    part p = {*path, strcspn(*path, ".")};
    *path += p.length + ((*path)[p.length] == '.');
    return p;
}

static bool part_is(part p, const char *word) { return strlen(word) == p.length && strncmp(p.at, word, p.length) == 0; }

// Index of a name in one of the scene's lists, or -1.
static int32_t find_named(const pl_scene *scene, const char *head, part name)
{
    bool materials = strcmp(head, "materials") == 0, bodies = strcmp(head, "bodies") == 0,
         heat = strcmp(head, "heat") == 0, liquids = strcmp(head, "liquids") == 0;
    size_t count = materials ? scene->material_count
                   : bodies  ? scene->body_count
                   : heat    ? scene->heat_count
                   : liquids ? scene->liquid_count
                             : scene->object_count;
    for (size_t i = 0; i < count; ++i)
        if (part_is(name, materials ? scene->material[i].name
                          : bodies  ? scene->body[i].name
                          : heat    ? scene->heat[i].name
                          : liquids ? scene->liquid[i].name
                                    : scene->object[i].name))
            return (int32_t)i;
    return -1;
}

// Index of a pin group, or -1.
static int32_t find_pin(const pl__scene_body *body, part number)
{
    int32_t pin = 0;
    for (size_t i = 0; i < number.length; ++i)
    {
        if (number.at[i] < '0' || number.at[i] > '9' || pin > 100000000)
            return -1;
        pin = 10 * pin + (number.at[i] - '0');
    }
    return number.length && (size_t)pin < body->pin_count ? pin : -1;
}

// A row of materials or liquids by its name.
static const keyed *find_by_row(const keyed *row, part field, pl__track *track)
{
    for (int32_t i = 0; i < row->fields->count; ++i)
        if (row->fields->row[i].keyed && part_is(field, row->fields->row[i].name))
        {
            track->field = i;
            return row;
        }
    return NULL;
}

static const keyed *find_row(const char *head, bool of_pin, part field)
{
    for (size_t i = 0; i < sizeof table / sizeof table[0]; ++i)
        if (strcmp(table[i].head, head) == 0 && table[i].of_pin == of_pin && part_is(field, table[i].field))
            return &table[i];
    return NULL;
}

// Resolve a path to a row of the table and, in `track`, the owner in the scene. NULL: unknown.
static const keyed *find_path(const pl_scene *scene, const char *path, pl__track *track)
{
    static const char *const heads[] = {"materials", "bodies", "objects", "heat", "liquids"};
    if (strcmp(path, "gravity") == 0)
        return &gravity;
    if (strcmp(path, "wind") == 0)
        return &wind;
    const char *rest = path;
    size_t length = strlen(path);
    if (length == 0 || path[length - 1] == '.')
        return NULL;
    part head = next_part(&rest), name = next_part(&rest), field = next_part(&rest);
    for (int h = 0; h < 5; ++h)
    {
        if (!part_is(head, heads[h]) || (track->index = find_named(scene, heads[h], name)) < 0)
            continue;
        bool of_pin = h == 1 && part_is(field, "pins");
        if (of_pin)
        {
            track->pin = find_pin(&scene->body[track->index], next_part(&rest));
            field = next_part(&rest);
        }
        if (*rest || track->pin < 0)
            return NULL;
        return h == 0   ? find_by_row(&of_material, field, track)
               : h == 4 ? find_by_row(&of_liquid, field, track)
                        : find_row(heads[h], of_pin, field);
    }
    return NULL;
}

// ---- checks ----------------------------------------------------------------------------------------------------

static pl_status check_material_key(const pl_scene *scene, const pl__track *track, double value)
{
    pl_material_def def = scene->material[track->index].def;
    memcpy((char *)&def + pl__material_fields.row[track->field].offset, &value, sizeof value);
    char owner[PL_NAME_BYTES + 16];
    snprintf(owner, sizeof owner, "materials.%s", scene->material[track->index].name);
    return pl__material_check(scene->ctx, &def, owner);
}

static pl_status check_value(const pl_scene *scene, const keyed *row, const pl__track *track, int32_t key, double value)
{
    pl_status status = row == &of_material
                           ? check_material_key(scene, track, value)
                           : pl__field_check_value(scene->ctx, field_of(row, track), track->path, value);
    return status == PL_OK ? PL_OK : pl__fail_begin(scene->ctx, status, "key %d of ", key);
}

static pl_status check_keys(const pl_scene *scene, const keyed *row, const pl__track *track, const pl_keys_def *keys)
{
    pl_context *ctx = scene->ctx;
    const char *path = track->path;
    PL_CHECK_FIELD(ctx, keys->count > 0 && keys->times && keys->values, path, "",
                   "%d keys; there must be at least one, with times and values", keys->count);
    int32_t components = field_of(row, track)->components;
    PL_CHECK_FIELD(ctx, keys->components == components, path, "", "keys of %d components where it has %d",
                   keys->components, components);
    PL_CHECK_FIELD(ctx, (unsigned)keys->ease <= PL_EASE_STEP, path, "", "%d is not a pl_ease", (int)keys->ease);
    for (int32_t i = 0; i < keys->count; ++i)
    {
        PL_CHECK(ctx, fabs(keys->times[i]) <= 1e9, "key %d of %s: time %g s must be within 1e9", i, path,
                 keys->times[i]);
        PL_CHECK(ctx, i == 0 || keys->times[i] > keys->times[i - 1],
                 "key %d of %s: time %g s must be after the key before, at %g s", i, path, keys->times[i],
                 keys->times[i > 0 ? i - 1 : 0]);
        for (int32_t k = 0; k < keys->components; ++k)
            PL_TRY(check_value(scene, row, track, i, keys->values[(size_t)i * (size_t)keys->components + (size_t)k]));
    }
    return PL_OK;
}

static pl__track *find_track(const pl_scene *scene, pl__keyed what, int32_t index, int32_t pin, int32_t field)
{
    for (size_t i = 0; i < scene->track_count; ++i)
        if (scene->track[i].what == what && scene->track[i].index == index && scene->track[i].pin == pin &&
            scene->track[i].field == field)
            return &scene->track[i];
    return NULL;
}

// Refuse two drivers of the same thing.
static pl_status check_alone(const pl_scene *scene, const pl__track *track)
{
    bool of_pin = track->what == PL__KEYED_PIN_MOVE || track->what == PL__KEYED_PIN_ROTATE;
    const pl_liquid_def *liquid = track->what == PL__KEYED_LIQUID ? &scene->liquid[track->index].def : NULL;
    PL_CHECK_FIELD(scene->ctx, !liquid || liquid->of == 0, track->path, "",
                   "the numbers of this liquid are those of liquids.%s, to which keys belong",
                   scene->liquid[liquid->of - 1].name);
    PL_CHECK_FIELD(scene->ctx, !liquid || liquid->kind != PL_LIQUID_DRAIN, track->path, "",
                   "a drain takes liquid and is none; give keys to the liquid");
    PL_CHECK_FIELD(scene->ctx, !of_pin || !scene->body[track->index].pin[track->pin].cache, track->path, "",
                   "the group has a cache instead of move and rotate");
    bool places = track->what >= PL__KEYED_AT && track->what <= PL__KEYED_SPIN;
    PL_CHECK_FIELD(scene->ctx, !places || scene->object[track->index].def.kind != PL_OBJECT_BODY, track->path, "",
                   "the object is where its body is, and has no place of its own");
    pl__keyed other = track->what == PL__KEYED_ROTATE ? PL__KEYED_SPIN : PL__KEYED_ROTATE;
    bool turns = track->what == PL__KEYED_ROTATE || track->what == PL__KEYED_SPIN;
    PL_CHECK_FIELD(scene->ctx, !turns || !find_track(scene, other, track->index, 0, 0), track->path, "",
                   "there are keys of %s of that object already, and both turn it",
                   other == PL__KEYED_SPIN ? "spin" : "rotate");
    return PL_OK;
}

// ---- tracks ----------------------------------------------------------------------------------------------------

bool pl__track_copy(pl_context *ctx, const pl__track *track, pl__track *out)
{
    const pl_keys_def *keys = &track->keys;
    *out = *track;
    out->keys.times = pl__copy_array(ctx, keys->times, (size_t)keys->count * sizeof(double));
    out->keys.values =
        pl__copy_array(ctx, keys->values, (size_t)keys->count * (size_t)keys->components * sizeof(double));
    if (out->keys.times && out->keys.values)
        return true;
    pl__track_release(ctx, out);
    return false;
}

void pl__track_release(pl_context *ctx, pl__track *track)
{
    pl_keys_def *keys = &track->keys;
    pl__free(ctx, (void *)keys->times, (size_t)keys->count * sizeof(double));
    pl__free(ctx, (void *)keys->values, (size_t)keys->count * (size_t)keys->components * sizeof(double));
    *track = (pl__track){0};
}

pl_status pl_scene_set_keys(pl_scene *scene, const char *path, const pl_keys_def *keys)
{
    if (!scene)
        return PL_ERR_ARGUMENT;
    pl_context *ctx = scene->ctx;
    pl__track given = {0}, own;
    PL_CHECK(ctx, path, "keys: the path is NULL");
    PL_CHECK(ctx, keys && keys->cookie == KEYS_COOKIE, "%.100s: start from pl_keys_def_default()", path);
    const keyed *row = strlen(path) < PL_PATH_BYTES ? find_path(scene, path, &given) : NULL;
    PL_CHECK(ctx, row,
             "%.100s: there is no such thing to key; there are gravity, wind, materials.NAME.young, .poisson, .damping "
             "and .activation, bodies.NAME.strength, .pressure, .toughness and .volume, "
             "bodies.NAME.pins.K.strength, .move and .rotate, objects.NAME.at, .rotate, .spin and .friction, "
             "heat.NAME.at and .power, liquids.NAME.density, .viscosity, .elasticity, .yield, .flow and .hardening, "
             "for what is "
             "in the scene already",
             path);
    strcpy(given.path, path);
    given.what = row->what;
    given.keys = *keys;
    PL_TRY(check_keys(scene, row, &given, keys));
    PL_TRY(check_alone(scene, &given));
    pl__track *old = find_track(scene, given.what, given.index, given.pin, given.field);
    if (!old && !PL_GROW(ctx, scene->track, &scene->track_capacity, scene->track_count + 1))
        return PL_ERR_MEMORY;
    if (!pl__track_copy(ctx, &given, &own))
        return PL_ERR_MEMORY;
    if (old)
        pl__track_release(ctx, old);
    *(old ? old : &scene->track[scene->track_count++]) = own;
    return PL_OK;
}

// tests/scene_file.c -- scene files: every row of the tables, and what is made of what they say.
#include "desk.h"
#include "fixture.h"
#include "scene/preset.h"

// ---- the tables, walked ----------------------------------------------------------------------------------------

// Where a value of the tables stands in a scene: what comes before and after it, and its path.
typedef struct
{
    char before[1024], after[64], path[256];
} spot;

typedef void visitor(desk *d, const pl__table *table, const pl__field *f, const spot *s);

static void extend(char *text, size_t size, const char *more)
{
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s", more);
}

static spot inside(const spot *at, const pl__field *f)
{
    spot s = *at;
    bool map = f->kind == PL__FIELD_MAP, list = f->kind == PL__FIELD_LIST;
    char opening[128], closing[128];
    snprintf(opening, sizeof opening, "\"%s\": %s", f->name, map ? "{ \"x\": { " : list ? "[ { " : "{ ");
    snprintf(closing, sizeof closing, "%s%s", map ? " } }" : list ? " } ]" : " }", at->after);
    extend(s.before, sizeof s.before, opening);
    snprintf(s.after, sizeof s.after, "%.60s", closing);
    extend(s.path, sizeof s.path, s.path[0] ? "." : "");
    extend(s.path, sizeof s.path, f->name);
    extend(s.path, sizeof s.path, map ? ".x" : list ? ".0" : "");
    return s;
}

// Visit every field, with the path of its record in `s`.
static void walk(desk *d, const pl__table *table, const spot *s, visitor *visit)
{
    for (int32_t i = 0; i < table->field_count; ++i)
    {
        const pl__field *f = &table->field[i];
        if (f->kind != PL__FIELD_IGNORED)
            visit(d, table, f, s);
        if (f->table && strlen(s->path) < 40) // parts have shapes, which have parts
        {
            spot deeper = inside(s, f);
            walk(d, f->table, &deeper, visit);
        }
    }
}

static void walk_scene(visitor *visit)
{
    desk d;
    desk_make(&d);
    spot top = {"{ ", " }", ""};
    walk(&d, &pl__scene_table, &top, visit);
    desk_clear(&d);
}

static void path_of(const spot *s, const pl__field *f, char *path, size_t size)
{
    snprintf(path, size, "%s%s%s", s->path, s->path[0] ? "." : "", f->name);
}

// Read a scene whose value of a field stands at the beginning of line 2.
static pl_status read_value(desk *d, const spot *s, const pl__field *f, const char *value)
{
    char text[2048];
    pl__source *source;
    snprintf(text, sizeof text, "%s\"%s\":\n%s%s", s->before, f->name, value, s->after);
    pl_status status = pl__source_parse(d->ctx, "scene", text, strlen(text), NULL, 0, &source);
    pl__source_close(&source);
    return status;
}

static void expect_value(desk *d, const spot *s, const pl__field *f, const char *value)
{
    CHECK_THAT(read_value(d, s, f, value) == PL_OK, "%s.%s = %s: %s", s->path, f->name, value,
               pl_context_error(d->ctx));
}

// Refused at a column of line 2 with its path and `words`.
static void expect_refusal_at(desk *d, const spot *s, const pl__field *f, const char *value, int column,
                              const char *words)
{
    char path[400], start[440];
    path_of(s, f, path, sizeof path);
    snprintf(start, sizeof start, "scene:2:%d: %s", column, path);
    pl_status status = read_value(d, s, f, value);
    const char *said = status == PL_OK ? "was accepted" : pl_context_error(d->ctx);
    CHECK_THAT(status == PL_ERR_FORMAT && strncmp(said, start, strlen(start)) == 0 && strstr(said, words),
               "%s = %s (%s): %s", path, value, words, said);
}

// Refused somewhere on line 2 with its path and `words`.
static void expect_refusal(desk *d, const spot *s, const pl__field *f, const char *value, const char *words)
{
    char path[400], start[420];
    path_of(s, f, path, sizeof path);
    snprintf(start, sizeof start, ": %s", path);
    pl_status status = read_value(d, s, f, value);
    const char *said = status == PL_OK ? "was accepted" : pl_context_error(d->ctx);
    CHECK_THAT(status == PL_ERR_FORMAT && strncmp(said, "scene:2:", 8) == 0 && strstr(said, start) &&
                   strstr(said, words),
               "%s = %s (%s): %s", path, value, words, said);
}

static bool is_numeric(const pl__field *f)
{
    return f->kind == PL__FIELD_NUMBER || f->kind == PL__FIELD_VECTOR || f->kind == PL__FIELD_INTEGER ||
           f->kind == PL__FIELD_COLOR || f->kind == PL__FIELD_TARGET;
}

// `number` in the place of the i-th component; the others are allowed. Returns the column where it begins.
static int with_component(const pl__field *f, int component, double number, char *text, size_t size)
{
    if (f->kind == PL__FIELD_NUMBER || f->kind == PL__FIELD_INTEGER)
    {
        snprintf(text, size, "%.17g", number);
        return 1;
    }
    int column = 0;
    strcpy(text, "[");
    for (int i = 0; i < f->components; ++i)
    {
        char one[64];
        double allowed = f->fallback_text ? 0.5 * (f->low + f->high) : f->fallback[i];
        extend(text, size, i ? ", " : "");
        column = i == component ? (int)strlen(text) + 1 : column;
        snprintf(one, sizeof one, "%.17g", i == component ? number : allowed);
        extend(text, size, one);
    }
    extend(text, size, "]");
    return column;
}

static bool allows(const pl__field *f, double x)
{
    return (f->low_open ? x > f->low : x >= f->low) && (f->high_open ? x < f->high : x <= f->high);
}

static void check_default(desk *d, const pl__table *table, const pl__field *f, const spot *s)
{
    (void)table;
    if (!is_numeric(f) || f->fallback_text)
        return;
    char text[256];
    for (int i = 0; i < (f->components ? f->components : 1); ++i)
        CHECK_THAT(allows(f, f->fallback[i]), "%s.%s: the default %g", s->path, f->name, f->fallback[i]);
    (void)with_component(f, -1, f->fallback[0], text, sizeof text);
    if (f->kind != PL__FIELD_INTEGER && f->kind != PL__FIELD_NUMBER)
        expect_value(d, s, f, text);
}

// Every default of the tables is a value that they allow.
static void defaults_are_within_their_ranges(void) { walk_scene(check_default); }

static void check_end(desk *d, const pl__field *f, const spot *s, double end, bool open, double outwards)
{
    char value[256], words[128], number[32];
    double step = f->kind == PL__FIELD_INTEGER ? 1 : fmax(1e-6 * fabs(end), 1e-9),
           outside = open ? end : end + outwards * step;
    double within = open ? end - outwards * step : end;
    int last = f->components ? f->components - 1 : 0;
    for (int i = 0; i <= last; ++i)
    {
        (void)with_component(f, i, within, value, sizeof value);
        expect_value(d, s, f, value);
        int column = with_component(f, i, outside, value, sizeof value);
        pl__number_text(outside, 10, number);
        snprintf(words, sizeof words, ": %s must be ", number);
        expect_refusal_at(d, s, f, value, column, words);
        expect_refusal_at(d, s, f, value, column, f->unit ? f->unit : "");
    }
}

static void check_ends(desk *d, const pl__table *table, const pl__field *f, const spot *s)
{
    (void)table;
    if (is_numeric(f) && isfinite(f->low))
        check_end(d, f, s, f->low, f->low_open, -1);
    if (is_numeric(f) && isfinite(f->high))
        check_end(d, f, s, f->high, f->high_open, 1);
}

// The ends of every range, in every component: just within is read, just outside is refused with value, range and unit.
static void values_outside_their_range_are_refused(void) { walk_scene(check_ends); }

// What a key of a kind does not take; values in lists are of the right kind and wrong within.
static const char *const *wrong_values(const pl__field *f)
{
    static const char *const number[] = {"null", "true", "\"zzz\"", "[]", "{}", "[1]", NULL},
                             *const vector[] = {"null", "true", "5", "\"zzz\"", "[]", "{}", "[1, 2, 3, 4]", NULL};
    static const char *const text[] = {"null", "true", "5", "[]", "{}", NULL}, *const choice[] = {
                                                                                   "null", "true",    "5", "[]",
                                                                                   "{}",   "\"zzz\"", NULL};
    static const char *const choices[] = {"null", "5", "\"zzz\"", "{}", "[\"zzz\"]", "[5]", NULL},
                             *const boolean[] = {"null", "1", "\"true\"", "[]", "{}", NULL};
    static const char *const color[] = {"null", "5", "\"zzz\"", "\"#12345g\"", "\"#1234567\"", "[]", "{}", NULL};
    static const char *const box[] = {
        "null", "5", "\"zzz\"", "[]", "{}", "[[0, 0, 0]]", "[[0, 0, 0], [0, 0]]", "[[1, 0, 0], [0, 0, 0]]", NULL};
    static const char *const rows[] = {"null", "5", "\"zzz\"", "{}", "[5]", "[[\"a\"]]", NULL}, *const integers[] = {
                                                                                                    "null",    "5",
                                                                                                    "\"zzz\"", "{}",
                                                                                                    "[0.5]",   "[null]",
                                                                                                    NULL};
    static const char *const target[] = {"null", "true", "5", "[]", "{}", NULL}, *const record[] = {"null", "true",
                                                                                                    "5",    "\"zzz\"",
                                                                                                    "[]",   NULL};
    static const char *const list[] = {"null", "true", "5", "\"zzz\"", "{}", NULL}, *const integer[] = {
                                                                                        "null", "true", "\"zzz\"", "[]",
                                                                                        "{}",   "1.5",  NULL};
    static const char *const bare_text[] = {"null", "true", "5", "[]", NULL}, *const bare_number[] = {"null", "true",
                                                                                                      "\"zzz\"", "[]",
                                                                                                      NULL};
    static const char *const bare_list[] = {"null", "true", "5", "\"zzz\"", NULL};
    const pl__field *bare = f->table && f->table->bare ? pl__table_find(f->table, f->table->bare) : NULL;
    switch (f->kind)
    {
    case PL__FIELD_NUMBER: return number;
    case PL__FIELD_VECTOR: return vector;
    case PL__FIELD_INTEGER: return integer;
    case PL__FIELD_BOOL: return boolean;
    case PL__FIELD_TEXT:
    case PL__FIELD_FILE: return text;
    case PL__FIELD_CHOICE: return choice;
    case PL__FIELD_CHOICES: return choices;
    case PL__FIELD_COLOR: return color;
    case PL__FIELD_BOX: return box;
    case PL__FIELD_ROWS: return rows;
    case PL__FIELD_INTEGERS: return integers;
    case PL__FIELD_TARGET: return target;
    case PL__FIELD_RECORD:
        return !bare                                                          ? record
               : bare->kind == PL__FIELD_TEXT || bare->kind == PL__FIELD_FILE ? bare_text
               : bare->kind == PL__FIELD_NUMBER                               ? bare_number
                                                                              : bare_list;
    case PL__FIELD_MAP: return record;
    case PL__FIELD_LIST: return list;
    case PL__FIELD_IGNORED: break;
    }
    return text + 5;
}

static void check_types(desk *d, const pl__table *table, const pl__field *f, const spot *s)
{
    (void)table;
    for (const char *const *value = wrong_values(f); *value; ++value)
        if (value[0][0] == '[' || value[0][0] == '{')
            expect_refusal(d, s, f, *value, ""); // the fault may be deeper
        else
            expect_refusal_at(d, s, f, *value, 1, "");
}

static void values_of_the_wrong_type_are_refused(void) { walk_scene(check_types); }

static void check_keys(desk *d, const pl__table *table, const pl__field *f, const spot *s)
{
    (void)table;
    if (f->kind != PL__FIELD_NUMBER && f->kind != PL__FIELD_VECTOR && f->kind != PL__FIELD_TARGET)
        return;
    char text[700], one[256];
    (void)with_component(f, 0, f->fallback_text ? 0.5 * (f->low + f->high) : f->fallback[0], one, sizeof one);
    snprintf(text, sizeof text, "{ \"keys\": [[0, %s], [1.5, %s]], \"ease\": \"smooth\" }", one, one);
    if (!f->keyed)
    {
        expect_refusal(d, s, f, text, "cannot change in time");
        return;
    }
    expect_value(d, s, f, text);
    snprintf(text, sizeof text, "{ \"keys\": [[0, %s], [0, %s]] }", one, one);
    expect_refusal(d, s, f, text, "times must increase, but 0 s follows 0 s");
    expect_refusal(d, s, f, "{ \"keys\": [] }", "at least one");
    expect_refusal(d, s, f, "{ \"kees\": [] }", "did you mean \"keys\"?");
    expect_refusal(d, s, f, "{ \"keys\": [[0]] }", "a key is [time, value]");
    expect_refusal(d, s, f, "{ \"ease\": \"smooth\" }", "needs \"keys\"");
}

static void keys_stand_only_where_the_tables_say(void) { walk_scene(check_keys); }

static void check_slip(desk *d, const pl__table *table, const pl__field *f, const spot *s)
{
    size_t length = strlen(f->name);
    if (length < 4 || table->one_of)
        return;
    char slip[64], text[2048], words[128];
    pl__source *source;
    strcpy(slip, f->name);
    memmove(slip + length / 2, slip + length / 2 + 1, length - length / 2);
    snprintf(text, sizeof text, "%s\"%s\": 0%s", s->before, slip, s->after);
    snprintf(words, sizeof words, "unknown key \"%s\"; did you mean \"%s\"?", slip, f->name);
    CHECK(pl__source_parse(d->ctx, "scene", text, strlen(text), NULL, 0, &source) == PL_ERR_FORMAT);
    CHECK_THAT(strstr(pl_context_error(d->ctx), words), "%s: %s", words, pl_context_error(d->ctx));
}

// Every key with a letter missing is recognised.
static void slips_of_the_pen_are_recognised(void) { walk_scene(check_slip); }

// ---- comparing -------------------------------------------------------------------------------------------------

typedef struct
{
    int count;
    char path[256];
    pl__when when;
    bool before, after;
} differences;

static void note_difference(void *user, const pl__difference *x)
{
    differences *all = user;
    if (all->count++ == 0)
    {
        strcpy(all->path, x->path);
        all->when = x->when;
        all->before = x->before != NULL;
        all->after = x->after != NULL;
    }
}

static differences compare(desk *d, const char *before, const char *after)
{
    differences all = {0};
    pl__json_doc a, b;
    CHECK_OK(d->ctx, pl__json_parse(d->ctx, "a", before, strlen(before), &a));
    CHECK_OK(d->ctx, pl__json_parse(d->ctx, "b", after, strlen(after), &b));
    if (a.root && b.root)
        pl__scene_compare(a.root, b.root, note_difference, &all);
    pl__json_free(&a);
    pl__json_free(&b);
    return all;
}

// A value that is allowed and not the default.
static void other_value(const pl__field *f, char *text, size_t size)
{
    double low = isfinite(f->low) ? f->low : -1e3, high = isfinite(f->high) ? f->high : 1e3,
           number = low + 0.25 * (high - low);
    const char *fixed = f->kind == PL__FIELD_TEXT || f->kind == PL__FIELD_FILE ? "\"zzz\""
                        : f->kind == PL__FIELD_BOX                             ? "[[0, 0, 0], [1, 1, 1]]"
                        : f->kind == PL__FIELD_ROWS                            ? "[[1, 2]]"
                        : f->kind == PL__FIELD_INTEGERS                        ? "[1]"
                                                                               : NULL;
    if (f->kind == PL__FIELD_BOOL)
        fixed = f->fallback[0] != 0 ? "false" : "true";
    if (f->kind == PL__FIELD_COLOR)
        fixed = "\"#123456\"";
    if (fixed)
        snprintf(text, size, "%s", fixed);
    else if (f->kind == PL__FIELD_CHOICE || f->kind == PL__FIELD_CHOICES)
        snprintf(text, size, f->kind == PL__FIELD_CHOICE ? "\"%s\"" : "[\"%s\"]",
                 f->choices[f->fallback[0] == 0 && f->choices[1] ? 1 : 0]);
    else
        (void)with_component(f, 0, f->kind == PL__FIELD_INTEGER ? floor(number) : number, text, size);
}

static void check_difference(desk *d, const pl__table *table, const pl__field *f, const spot *s)
{
    if (f->table || (f->kind == PL__FIELD_CHOICE && !f->choices[1]))
        return;
    char value[256], other[256], path[400], none[2048], with[2048];
    path_of(s, f, path, sizeof path);
    other_value(f, value, sizeof value);
    snprintf(none, sizeof none, "%s%s", s->before, s->after);
    snprintf(with, sizeof with, "%s\"%s\": %s%s", s->before, f->name, value, s->after);
    differences x = compare(d, none, with), back = compare(d, with, none);
    CHECK_THAT(x.count == 1 && strcmp(x.path, path) == 0 && x.when == f->when && !x.before && x.after, "%s: %d, %s, %d",
               path, x.count, x.path, x.when);
    CHECK_THAT(back.count == 1 && strcmp(back.path, path) == 0 && back.when == f->when && back.before && !back.after,
               "%s", path);
    CHECK(compare(d, with, with).count == 0);
    // what a material leaves out comes from another, not from the table
    if (!is_numeric(f) || f->fallback_text || table->one_of || f->kind == PL__FIELD_TARGET)
        return;
    (void)with_component(f, 0, f->fallback[0], other, sizeof other);
    snprintf(with, sizeof with, "%s\"%s\": %s%s", s->before, f->name, other, s->after);
    CHECK_THAT(compare(d, none, with).count == table->inherits, "%s: the default", path);
    CHECK_THAT(compare(d, with, none).count == table->inherits, "%s: the default", path);
}

// Every value of the tables that differs is reported once, with its path and when it may change; defaults are as if
// absent.
static void differences_are_reported(void) { walk_scene(check_difference); }

static void what_means_the_same_is_no_difference(void)
{
    desk d;
    desk_make(&d);
    static const struct
    {
        const char *before, *after, *path; // path NULL: the same
        pl__when when;
    } cases[] = {
        {"{ \"floor\": 0 }", "{ \"floor\": { \"height\": 0, \"friction\": 0.3 } }", NULL, 0},
        {"{ \"floor\": 0 }", "{ \"floor\": { \"friction\": 0.4 } }", "floor.friction", PL__WHEN_LIVE},
        {"{ \"floor\": 0 }", "{ \"floor\": 1 }", "floor.height", PL__WHEN_RERUN},
        {"{ }", "{ \"floor\": { } }", "floor", PL__WHEN_RERUN},
        {"{ \"camera\": { } }", "{ \"look\": { } }", NULL, 0},
        {"{ \"bodies\": { \"a\": { } } }", "{ \"bodies\": { \"a\": { \"material\": \"rubber\" } } }", NULL, 0},
        {"{ \"bodies\": { \"a\": { \"material\": \"steel\" } } }", "{ \"bodies\": { \"a\": { } } }",
         "bodies.a.material.like", PL__WHEN_RERUN},
        {"{ \"bodies\": { \"a\": { \"material\": \"steel\" } } }",
         "{ \"bodies\": { \"a\": { \"material\": \"foam\" } } }", "bodies.a.material.like", PL__WHEN_RERUN},
        {"{ \"bodies\": { \"a\": { \"material\": \"steel\" } } }",
         "{ \"bodies\": { \"a\": { \"material\": { \"like\": \"steel\" } } } }", NULL, 0},
        {"{ \"bodies\": { \"a\": { \"material\": \"steel\" } } }",
         "{ \"bodies\": { \"a\": { \"material\": { \"like\": \"steel\", \"young\": 1e9 } } } }",
         "bodies.a.material.young", PL__WHEN_LIVE},
        {"{ \"materials\": { \"m\": \"steel\" }, \"bodies\": { \"a\": { \"material\": \"m\" } } }",
         "{ \"materials\": { \"m\": \"steel\" }, \"bodies\": { \"a\": { \"material\": { \"like\": \"m\" } } } }",
         "bodies.a.material", PL__WHEN_RERUN},
        {"{ \"bodies\": { \"a\": { } } }", "{ \"bodies\": { } }", "bodies.a", PL__WHEN_RERUN},
        {"{ }", "{ \"bodies\": { \"a\": { } } }", "bodies.a", PL__WHEN_RERUN},
        {"{ \"bodies\": { \"a\": { \"shape\": { \"box\": [1, 1, 1] } } } }",
         "{ \"bodies\": { \"a\": { \"shape\": { \"box\": { \"extent\": [1, 1, 1], \"cut\": \"bcc\" } } } } }", NULL, 0},
        {"{ \"bodies\": { \"a\": { \"pins\": [ \"x\" ] } } }",
         "{ \"bodies\": { \"a\": { \"pins\": [ \"x\", \"y\" ] } } }", "bodies.a.pins", PL__WHEN_RERUN},
        {"{ \"bodies\": { \"a\": { \"pins\": [ \"x\", \"y\" ] } } }",
         "{ \"bodies\": { \"a\": { \"pins\": [ \"x\" ] } } }", "bodies.a.pins.1", PL__WHEN_RERUN},
        {"{ \"bodies\": { \"a\": { \"pins\": [ \"x\", \"y\" ] } } }",
         "{ \"bodies\": { \"a\": { \"pins\": [ \"x\", { \"select\": \"y\", \"strength\": 0.5 } ] } } }",
         "bodies.a.pins.1.strength", PL__WHEN_BRANCH},
        {"{ \"objects\": { \"o\": { \"shape\": { \"box\": [1, 1, 1] } } } }",
         "{ \"objects\": { \"o\": { \"shape\": { \"box\": { \"rounding\": 0 } } } } }", NULL, 0},
        {"{ \"objects\": { \"o\": { \"shape\": { \"gear\": { } } } } }",
         "{ \"objects\": { \"o\": { \"shape\": { \"gear\": { \"teeth\": 9 } } } } }", "objects.o.shape.gear.teeth",
         PL__WHEN_RERUN},
        {"{ \"objects\": { \"o\": { \"shape\": { \"union\": [{ \"shape\": { \"sphere\": 1 } }] } } } }",
         "{ \"objects\": { \"o\": { \"shape\": { \"union\": { \"parts\": [{ \"shape\": { \"sphere\": 1 }, \"at\": [0, "
         "1, 0] }] } } } } }",
         "objects.o.shape.union.parts.0.at", PL__WHEN_RERUN},
        {"{ \"$schema\": 1, \"frames\": 12 }", "{ /* no */ \"frames\": 1.2e1, }", NULL, 0},
        {"{ \"output\": { \"attributes\": [\"stress\", \"J\", \"velocity\"] } }", "{ }", NULL, 0},
        {"{ \"gravity\": { \"keys\": [[0, [0, 0, 0]]] } }", "{ }", "gravity", PL__WHEN_LIVE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    {
        differences x = compare(&d, cases[i].before, cases[i].after);
        bool right = cases[i].path ? x.count == 1 && strcmp(x.path, cases[i].path) == 0 && x.when == cases[i].when
                                   : x.count == 0;
        CHECK_THAT(right, "%s -> %s: %d, %s, %d", cases[i].before, cases[i].after, x.count, x.path, x.when);
    }
    desk_clear(&d);
}

// ---- building --------------------------------------------------------------------------------------------------

static pl_scene *build(desk *d, const char *text)
{
    pl_scene *scene;
    d->log[0] = 0;
    CHECK_OK(d->ctx, pl_scene_parse(d->ctx, "dir/scene.json", text, strlen(text), &scene));
    return scene;
}

static pl_scene *build_with(desk *d, const char *format, const char *part)
{
    char text[2048];
    snprintf(text, sizeof text, format, part);
    return build(d, text);
}

static const pl_material_def *material(const pl_scene *scene, const char *name)
{
    for (size_t i = 0; scene && i < scene->material_count; ++i)
        if (strcmp(scene->material[i].name, name) == 0)
            return &scene->material[i].def;
    CHECK_THAT(false, "no material %s", name);
    static const pl_material_def none = {0};
    return &none;
}

static void presets_are_materials(void)
{
    desk d;
    desk_make(&d);
    for (int32_t i = 0; pl__preset_at(i); ++i)
    {
        const pl__preset *preset = pl__preset_at(i);
        pl_scene *scene = build_with(
            &d,
            "{ \"bodies\": { \"a\": { \"shape\": { \"box\": [1, 1, 1] }, \"resolution\": 1, \"material\": \"%s\" } } }",
            preset->name);
        const pl_material_def *def = material(scene, "a_material");
        CHECK(def->kind == preset->model && def->young == preset->young && def->poisson == preset->poisson &&
              def->density == preset->density && def->damping == preset->damping);
        CHECK_THAT(d.log[0] == 0, "%s", d.log);
        CHECK(pl__preset_find(preset->name) == preset);
        pl_scene_destroy(&scene);
    }
    CHECK(!pl__preset_find("unobtainium") && !pl__preset_at(-1));
    desk_clear(&d);
}

static void materials_are_like_others(void)
{
    desk d;
    desk_make(&d);
    pl_scene *scene = build(
        &d,
        "{ \"materials\": {"
        "  \"c\": { \"like\": \"b\", \"density\": 30 }, \"b\": { \"like\": \"a\", \"poisson\": 0.2 }, \"a\": { "
        "\"like\": \"foam\", \"young\": 77 },"
        "  \"rubber\": { \"young\": 5 }, \"same\": \"rubber\", \"keyed\": { \"damping\": { \"keys\": [[0, 1], [1, 2]] "
        "} }, \"heir\": \"keyed\" },"
        "  \"bodies\": { \"x\": { \"shape\": { \"box\": [1, 1, 1] }, \"resolution\": 2, \"material\": { \"like\": "
        "\"c\", \"model\": \"stvk\" },"
        "    \"select\": { \"top\": { \"box\": [[0, 0, 0], [1, 1, 1]] } }, \"vary\": { \"top\": { \"young\": 99 } } },"
        "  \"y\": { \"shape\": { \"box\": [1, 1, 1] }, \"resolution\": 1, \"material\": \"heir\" } } }");
    const pl_material_def *c = material(scene, "c"), *x = material(scene, "x_material"),
                          *vary = material(scene, "x_vary_top");
    CHECK(c->kind == PL_MATERIAL_ROTATED_LINEAR && c->young == 77 && c->poisson == 0.2 && c->density == 30 &&
          c->damping == 0.02);
    CHECK(x->kind == PL_MATERIAL_STVK && x->young == 77 && x->poisson == 0.2 && x->density == 30);
    CHECK(vary->kind == PL_MATERIAL_STVK && vary->young == 99 && vary->poisson == 0.2 && vary->density == 30);
    CHECK(material(scene, "rubber")->young == 5 && material(scene, "rubber")->poisson == 0.4 &&
          material(scene, "same")->young == 5);
    CHECK(material(scene, "heir")->damping == 1 && scene->track_count == 2);
    pl_scene_destroy(&scene);
    desk_clear(&d);
}

// A chain of a thousand costs no more than a thousand materials.
static void long_chains_of_materials(void)
{
    enum
    {
        COUNT = 2000
    };
    desk d;
    desk_make(&d);
    char *text = malloc(64 * COUNT + 256), *to = text;
    to += sprintf(to, "{ \"materials\": {");
    for (int i = 0; i < COUNT; ++i)
        to += sprintf(to, " \"m%d\": { \"like\": \"m%d\" },", i, i + 1);
    sprintf(to,
            " \"m%d\": { \"like\": \"foam\", \"young\": 123 } }, \"bodies\": { \"a\": { \"shape\": { \"box\": [1, 1, "
            "1] }, \"resolution\": 1 } } }",
            COUNT);
    pl_scene *scene = build(&d, text);
    CHECK(material(scene, "m0")->young == 123 && material(scene, "m0")->density == 50);
    pl_scene_destroy(&scene);
    free(text);
    desk_clear(&d);
}

// ---- selections ------------------------------------------------------------------------------------------------

typedef bool chooser(const double rest[3], const double placed[3]);

static bool low_quarter(const double rest[3], const double placed[3])
{
    (void)placed;
    return rest[1] <= -1 + 0.25 * 2 + 1e-9;
}
static bool in_world_box(const double rest[3], const double x[3])
{
    (void)rest;
    return x[0] >= 4 && x[0] <= 5.1 && x[1] >= 0 && x[1] <= 9 && x[2] >= -9 && x[2] <= 9;
}
static bool in_ball(const double rest[3], const double x[3])
{
    (void)rest;
    return (x[0] - 5) * (x[0] - 5) + (x[1] - 1) * (x[1] - 1) + x[2] * x[2] <= 0.49;
}
static bool above_plane(const double rest[3], const double x[3])
{
    (void)rest;
    return (x[0] - 5) * 1 + (x[1] - 0.01) * 2 + (x[2] - 0) * 0 >= 0;
}

// A box of 1 x 2 x 1 turned by 90 degrees about z, so that its y points along -x, at (5, 0, 0).
static void check_selection(desk *d, const char *selection, chooser *chosen)
{
    pl_scene *scene =
        build_with(d,
                   "{ \"bodies\": { \"a\": { \"shape\": { \"box\": [1, 2, 1] }, \"resolution\": 17, \"at\": [5, 0, 0], "
                   "\"rotate\": [0, 0, 90], \"select\": { \"s\": %s }, \"pins\": [ \"s\" ] } } }",
                   selection);
    if (!scene)
        return;
    const pl__scene_body *body = &scene->body[0];
    const pl_pin_def *pin = &body->pin[0];
    int32_t k = 0, count = pl_mesh_node_count(body->def.mesh);
    for (int32_t n = 0; n < count; ++n)
    {
        const double *X = &pl_mesh_positions(body->def.mesh)[3 * (size_t)n];
        double x[3] = {5 - X[1], X[0], X[2]};
        bool is = k < pin->count && pin->nodes[k] == n;
        CHECK_THAT(is == chosen(X, x), "%s: node %d at %g %g %g", selection, n, x[0], x[1], x[2]);
        k += is;
    }
    CHECK(k == pin->count && k > 0 && k < count);
    pl_scene_destroy(&scene);
}

static void selections_choose_what_they_say(void)
{
    desk d;
    desk_make(&d);
    check_selection(&d, "{ \"box\": [[0, 0, 0], [1, 0.25, 1]] }", low_quarter);
    check_selection(&d, "{ \"world_box\": [[4, 0, -9], [5.1, 9, 9]] }", in_world_box);
    check_selection(&d, "{ \"sphere\": { \"center\": [5, 1, 0], \"radius\": 0.7 } }", in_ball);
    check_selection(&d, "{ \"plane\": { \"at\": [5, 0.01, 0], \"normal\": [1, 2, 0] } }", above_plane);
    desk_clear(&d);
}

static void check_nodes(desk *d, const char *source, const char *selection, int32_t count, const int32_t *nodes)
{
    char text[1024];
    snprintf(text, sizeof text, "{ \"bodies\": { \"a\": { %s, \"select\": { \"s\": %s }, \"pins\": [ \"s\" ] } } }",
             source, selection);
    pl_scene *scene = build(d, text);
    if (!scene)
        return;
    const pl_pin_def *pin = &scene->body[0].pin[0];
    CHECK_THAT(pin->count == count, "%s: %d", selection, pin->count);
    for (int32_t i = 0; nodes && i < count && i < pin->count; ++i)
        CHECK(pin->nodes[i] == nodes[i]);
    pl_scene_destroy(&scene);
}

static void selections_by_group_and_number(void)
{
    desk d;
    desk_make(&d);
    check_nodes(&d, "\"mesh\": \"pair.msh\"", "{ \"group\": \"left\" }", 4, (int32_t[]){0, 1, 2, 3});
    check_nodes(&d, "\"mesh\": \"pair.msh\"", "{ \"group\": \"right\" }", 4, (int32_t[]){1, 2, 3, 4});
    check_nodes(&d, "\"mesh\": \"pair.msh\"", "{ \"nodes\": [4, 0, 4] }", 2, (int32_t[]){0, 4});
    // a vertex of a surface means the corners of the tetrahedron that carries it
    check_nodes(&d, "\"surface\": \"box.obj\", \"resolution\": 3", "{ \"nodes\": [0] }", 4, NULL);
    pl_scene *scene = build(&d, "{ \"bodies\": { \"a\": { \"surface\": \"box.obj\", \"resolution\": 6, \"select\": { "
                                "\"s\": { \"group\": \"sides\" } }, \"pins\": [ \"s\" ] } } }");
    const pl_mesh *mesh = scene->body[0].def.mesh;
    const pl_pin_def *pin = &scene->body[0].pin[0];
    int32_t near[2] = {0};
    for (int32_t i = 0; i < pin->count; ++i)
    {
        double z = pl_mesh_positions(mesh)[3 * (size_t)pin->nodes[i] + 2];
        CHECK_THAT(fmin(fabs(z - 1), fabs(z - 4)) < 1, "z = %g", z);
        near[z > 2.5]++;
    }
    CHECK(near[0] > 3 && near[1] > 3);
    pl_scene_destroy(&scene);
    desk_clear(&d);
}

// ---- files: height, scale, up, anchor --------------------------------------------------------------------------

static void check_bounds(desk *d, const char *fit, const double lower[3], const double upper[3])
{
    pl_scene *scene =
        build_with(d, "{ \"bodies\": { \"a\": { \"surface\": \"box.obj\", \"resolution\": 3, %s } } }", fit);
    if (!scene)
        return;
    const pl_surface *surface = scene->body[0].def.surface;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t k = 0; k < 3 * (size_t)pl_surface_node_count(surface); ++k)
    {
        low[k % 3] = fmin(low[k % 3], pl_surface_positions(surface)[k]);
        high[k % 3] = fmax(high[k % 3], pl_surface_positions(surface)[k]);
    }
    for (int i = 0; i < 3; ++i)
    {
        CHECK_THAT(fabs(low[i] - lower[i]) < 1e-12 && fabs(high[i] - upper[i]) < 1e-12, "%s: axis %d from %g to %g",
                   fit, i, low[i], high[i]);
    }
    pl_scene_destroy(&scene);
}

// The box of the file reaches from (1, 1, 1) to (2, 3, 4).
static void files_are_scaled_turned_and_anchored(void)
{
    desk d;
    desk_make(&d);
    check_bounds(&d, "\"scale\": 1", (double[]){1, 1, 1}, (double[]){2, 3, 4});
    check_bounds(&d, "\"scale\": 0.5", (double[]){0.5, 0.5, 0.5}, (double[]){1, 1.5, 2});
    check_bounds(&d, "\"height\": 4", (double[]){2, 2, 2}, (double[]){4, 6, 8});
    check_bounds(&d, "\"anchor\": \"middle\"", (double[]){-0.5, -1, -1.5}, (double[]){0.5, 1, 1.5});
    check_bounds(&d, "\"anchor\": \"bottom\"", (double[]){-0.5, 0, -1.5}, (double[]){0.5, 2, 1.5});
    check_bounds(&d, "\"up\": \"z\"", (double[]){1, 1, -3}, (double[]){2, 4, -1});
    check_bounds(&d, "\"up\": \"z\", \"height\": 6, \"anchor\": \"bottom\"", (double[]){-1, 0, -2},
                 (double[]){1, 6, 2});
    pl_scene *scene =
        build(&d, "{ \"bodies\": { \"a\": { \"mesh\": \"pair.msh\", \"height\": 3, \"anchor\": \"bottom\" } } }");
    CHECK_NEAR(pl_mesh_positions(scene->body[0].def.mesh)[7], 3, 1e-15);
    CHECK_NEAR(pl_mesh_positions(scene->body[0].def.mesh)[0], -1.5, 1e-15);
    pl_scene_destroy(&scene);
    desk_clear(&d);
}

// ---- vary, paint, start, pins ----------------------------------------------------------------------------------

// Elements with all four corners in the lower half of the box have the other material, and no others.
static void vary_gives_elements_another_material(void)
{
    desk d;
    desk_make(&d);
    pl_scene *scene = build(&d, "{ \"bodies\": { \"a\": { \"shape\": { \"box\": [1, 2, 1] }, \"resolution\": 4, "
                                "\"select\": { \"low\": { \"box\": [[0, 0, 0], [1, 0.5, 1]] } },"
                                " \"vary\": { \"low\": \"steel\" } } } }");
    const pl_body_def *def = &scene->body[0].def;
    int32_t counts[2] = {0};
    for (int32_t t = 0; t < pl_mesh_tet_count(def->mesh); ++t)
    {
        bool low = true;
        for (int k = 0; k < 4; ++k)
            low &= pl_mesh_positions(def->mesh)[3 * (size_t)pl_mesh_tets(def->mesh)[4 * (size_t)t + (size_t)k] + 1] <=
                   1e-9;
        const char *name = scene->material[def->element_materials[t].index - 1].name;
        CHECK_THAT(strcmp(name, low ? "a_vary_low" : "a_material") == 0, "%s", name);
        counts[low]++;
    }
    CHECK(counts[0] > 0 && counts[1] > 0 && material(scene, "a_vary_low")->young == 2e11);
    pl_scene_destroy(&scene);
    desk_clear(&d);
}

// The factors times the material's number stay between the values of the map, and reach from one end towards the other.
static void paint_maps_attributes(void)
{
    desk d;
    desk_make(&d);
    pl_scene *scene =
        build(&d, "{ \"bodies\": { \"a\": { \"surface\": \"painted.ply\", \"resolution\": 6, \"material\": { "
                  "\"young\": 1e5, \"damping\": 0.5 }, \"paint\": {"
                  " \"young\": { \"attribute\": \"stiffness\", \"map\": [[0, 1e4], [0.5, 2e4], [1, 4e5]] },"
                  " \"density\": { \"attribute\": \"stiffness\", \"map\": [[0, 700]] },"
                  " \"damping\": { \"attribute\": \"stiffness\", \"map\": [[2, 0], [3, 1]] } } } } }");
    const pl_body_def *def = &scene->body[0].def;
    double least = INFINITY, most = 0,
           enclosed = 1.0 / 6; // a unit tetrahedron; its elements fill more and weigh as much less
    for (int32_t t = 0; t < pl_mesh_tet_count(def->mesh); ++t)
    {
        double young = 1e5 * def->young_factors[t];
        CHECK(young >= 1e4 * (1 - 1e-12) && young <= 4e5 * (1 + 1e-12));
        CHECK_NEAR(1000 * def->density_factors[t] * pl_mesh_volume(def->mesh), 700 * enclosed, 1e-9);
        CHECK(def->damping_factors[t] == 0);
        least = fmin(least, young);
        most = fmax(most, young);
    }
    CHECK_THAT(least < 1.3e4 && most > 2e5, "from %g to %g", least, most);
    pl_scene_destroy(&scene);
    desk_clear(&d);
}

static void start_shapes(void)
{
    desk d;
    desk_make(&d);
    pl_scene *scene = build(
        &d,
        "{ \"bodies\": { \"a\": { \"shape\": { \"box\": [1, 2, 1] }, \"resolution\": 4, \"start\": { \"scale\": [2, 0, "
        "-1] } },"
        " \"b\": { \"shape\": { \"box\": [1, 2, 1] }, \"resolution\": 4, \"start\": { \"scramble\": 1, \"seed\": 3 } },"
        " \"c\": { \"shape\": { \"box\": [1, 2, 1] }, \"resolution\": 4, \"start\": { \"scramble\": 0.5, \"seed\": 3 } "
        "} } }");
    const pl_body_def *a = &scene->body[0].def, *b = &scene->body[1].def, *c = &scene->body[2].def;
    static const double scale[3] = {2, 0, -1}, half[3] = {0.5, 1, 0.5};
    for (size_t k = 0; k < 3 * (size_t)pl_mesh_node_count(a->mesh); ++k)
    {
        CHECK_NEAR(a->start_positions[k], scale[k % 3] * pl_mesh_positions(a->mesh)[k], 1e-12);
        CHECK(fabs(b->start_positions[k]) <= half[k % 3]);
        CHECK_NEAR(c->start_positions[k], 0.5 * (b->start_positions[k] + pl_mesh_positions(c->mesh)[k]), 1e-12);
    }
    pl_scene_destroy(&scene);
    desk_clear(&d);
}

static void pins_hold_move_and_follow(void)
{
    desk d;
    desk_make(&d);
    pl_scene *scene = build(
        &d,
        "{ \"fps\": 10, \"time_scale\": 0.5, \"bodies\": { \"a\": { \"mesh\": \"pair.msh\","
        " \"select\": { \"one\": { \"nodes\": [1] }, \"two\": { \"nodes\": [2, 3] }, \"last\": { \"nodes\": [4] } },"
        " \"pins\": [ { \"select\": \"two\", \"strength\": 0.25, \"soft\": 0.5, \"move\": [1, 2, 3], \"rotate\": { "
        "\"keys\": [[0, [0, 0, 0]], [1, [90, 0, 0]]] }, \"pivot\": [7, 8, 9] },"
        "  \"one\", { \"select\": \"last\", \"cache\": \"point.pc2\" } ] } } }");
    const pl_pin_def *pin = scene->body[0].pin;
    CHECK(scene->body[0].pin_count == 3 && pin[0].count == 2 && pin[0].nodes[0] == 2 && pin[0].nodes[1] == 3);
    CHECK(pin[0].strength == 0.25 && pin[0].soft == 0.5 && pin[0].move[1] == 2 && !pin[0].pivot_at_center &&
          pin[0].pivot[2] == 9);
    CHECK(pin[1].count == 1 && pin[1].nodes[0] == 1 && pin[1].strength == 1 && pin[1].pivot_at_center);
    CHECK(scene->track_count == 1 && strcmp(scene->track[0].path, "bodies.a.pins.0.rotate") == 0 &&
          scene->track[0].keys.count == 2);
    // frames are 0.05 s of simulated time
    CHECK(pin[2].cache_count == 2 && pin[2].cache[3] == 1 && pin[2].cache[5] == 3);
    CHECK_NEAR(pin[2].cache_start, 0.1, 1e-15);
    CHECK_NEAR(pin[2].cache_rate, 40, 1e-12);
    pl_scene_destroy(&scene);
    desk_clear(&d);
}

static void objects_floor_and_shot(void)
{
    desk d;
    desk_make(&d);
    pl_scene *scene = build(&d, "{ \"frames\": 7, \"fps\": 50, \"time_scale\": 0.1, \"gravity\": [1, 2, 3], \"floor\": "
                                "{ \"height\": -2, \"friction\": { \"keys\": [[0, 0.1], [1, 0.2]] } },"
                                " \"solver\": { \"velocity_update\": \"trapezoid\", \"substep\": 0.01, \"safety\": "
                                "0.5, \"tolerance\": 1e-3, \"iterations\": 17 },"
                                " \"objects\": { \"wall\": { \"shape\": { \"plane\": [1, 0, 0] }, \"rotate\": [0, 0, "
                                "5], \"spin\": [0, 9, 0], \"velocity\": [0, 1, 0] },"
                                "  \"ball\": { \"shape\": { \"sphere\": { \"radius\": 0.25 } }, \"friction\": 0.7, "
                                "\"at\": { \"keys\": [[0, [1, 1, 1]], [2, [2, 1, 1]]], \"ease\": \"step\" } } },"
                                " \"camera\": { \"look_at\": \"a\" }, \"bodies\": { \"a\": { \"shape\": { \"sphere\": "
                                "1 }, \"resolution\": 3 } } }");
    pl_shot shot = pl_scene_shot(scene);
    CHECK(shot.frames == 7 && shot.fps == 50 && shot.time_scale == 0.1 && scene->gravity[2] == 3);
    CHECK(scene->solver.velocity_update == PL_VELOCITY_TRAPEZOID && scene->solver.substep == 0.01 &&
          scene->solver.safety == 0.5 && scene->solver.iterations == 17);
    const pl_object_def *floor = &scene->object[0].def, *wall = &scene->object[1].def, *ball = &scene->object[2].def;
    CHECK(scene->object_count == 3 && strcmp(scene->object[0].name, "floor") == 0 && floor->kind == PL_OBJECT_PLANE &&
          floor->at[1] == -2 && floor->friction == 0.1);
    CHECK(wall->kind == PL_OBJECT_PLANE && wall->normal[0] == 1 && wall->rotate[2] == 5 && wall->spin[1] == 9 &&
          wall->velocity[1] == 1 && wall->friction == 0.3);
    CHECK(ball->kind == PL_OBJECT_SPHERE && ball->radius == 0.25 && ball->friction == 0.7 && ball->at[0] == 1);
    CHECK(scene->track_count == 2 && scene->track[1].keys.ease == PL_EASE_STEP);
    pl_scene_destroy(&scene);
    desk_clear(&d);
}

static const char shapes_scene[] =
    "{\"bodies\": { \"a\": { \"shape\": { \"sphere\": 1 }, \"resolution\": 3 } }, \"objects\": {"
    " \"o0\": { \"shape\": { \"wedge\": 250 } },"
    " \"o1\": { \"shape\": { \"box\": [1, 2, 3] } },"
    " \"o2\": { \"shape\": { \"box\": { \"extent\": [1, 2, 3], \"rounding\": 0.25 } } },"
    " \"o3\": { \"shape\": { \"ellipsoid\": [1, 2, 3] } },"
    " \"o4\": { \"shape\": { \"capsule\": { \"radius\": 0.5, \"height\": 2 } } },"
    " \"o5\": { \"shape\": { \"cylinder\": { \"radius\": 0.5, \"height\": 2 } } },"
    " \"o6\": { \"shape\": { \"cone\": { \"radius\": 0.5, \"top_radius\": 0.25, \"height\": 2 } } },"
    " \"o7\": { \"shape\": { \"torus\": { \"radius\": 3, \"tube\": 1 } } },"
    " \"o8\": { \"shape\": { \"gear\": { \"teeth\": 9, \"module\": 2, \"thickness\": 3, \"bore\": 4, "
    "\"pressure_angle\": 25 } } },"
    " \"o9\": { \"shape\": { \"stairs\": { \"steps\": 9, \"rise\": 2, \"run\": 3, \"width\": 4 } } },"
    " \"p0\": { \"shape\": { \"height_field\": { \"extent\": [5, 6], \"heights\": [[1, 2, 3], [4, 5, 6]] } } },"
    " \"p1\": { \"shape\": { \"surface\": { \"file\": \"box.obj\", \"up\": \"z\", \"height\": 6, \"anchor\": "
    "\"bottom\", \"lookup\": \"grid\", \"cell\": 0.5 } } },"
    " \"p2\": { \"shape\": { \"surface\": \"box.obj\" } },"
    " \"p3\": { \"shape\": { \"union\": [{ \"shape\": { \"sphere\": 2 } }, { \"shape\": { \"difference\": { \"parts\": "
    "[{ \"shape\": { \"box\": {} } }, { \"shape\": { \"surface\": \"box.obj\" } }] } }, \"at\": [1, 2, 3], \"rotate\": "
    "[4, 5, 6] }] } } } }";

// Each shape with numbers of its own, in full and bare; what is not said has the default of the library.
static void objects_of_all_shapes(void)
{
    desk d;
    desk_make(&d);
    pl_scene *scene = build(&d, shapes_scene);
    const pl__scene_object *o = scene->object;
    CHECK(o[0].def.kind == PL_OBJECT_WEDGE && o[0].def.angle == 250);
    CHECK(o[1].def.kind == PL_OBJECT_BOX && o[1].def.extent[2] == 3 && o[1].def.rounding == 0 &&
          o[2].def.rounding == 0.25);
    CHECK(o[3].def.kind == PL_OBJECT_ELLIPSOID && o[3].def.extent[1] == 2);
    CHECK(o[4].def.kind == PL_OBJECT_CAPSULE && o[4].def.height == 2 && o[5].def.kind == PL_OBJECT_CYLINDER &&
          o[5].def.radius == 0.5);
    CHECK(o[6].def.kind == PL_OBJECT_CONE && o[6].def.top_radius == 0.25 && o[7].def.kind == PL_OBJECT_TORUS &&
          o[7].def.tube == 1);
    CHECK(o[8].def.kind == PL_OBJECT_GEAR && o[8].def.teeth == 9 && o[8].def.module == 2 && o[8].def.thickness == 3 &&
          o[8].def.bore == 4 && o[8].def.pressure_angle == 25);
    CHECK(o[9].def.kind == PL_OBJECT_STAIRS && o[9].def.steps == 9 && o[9].def.rise == 2 && o[9].def.run == 3 &&
          o[9].def.width == 4);
    CHECK(o[10].def.rows == 2 && o[10].def.columns == 3 && o[10].def.heights[4] == 5 && o[10].def.extent[0] == 5 &&
          o[10].def.extent[2] == 6);
    const double *x =
        pl_surface_positions(o[11].def.surface); // z is up and 3 high, so all is doubled; the file's y goes to -z
    CHECK(o[11].def.lookup == PL_LOOKUP_GRID && o[11].def.cell == 0.5 && x[0] == -1 && x[1] == 0 && x[2] == 2 &&
          x[3 * 4 + 1] == 6 && x[3 * 2 + 2] == -2);
    CHECK(o[12].def.lookup == PL_LOOKUP_AUTO && pl_surface_positions(o[12].def.surface)[11] == 1);
    const pl_object_def *parts = o[13].def.part;
    CHECK(o[13].def.part_count == 2 && parts[0].radius == 2 && parts[1].kind == PL_OBJECT_DIFFERENCE &&
          parts[1].at[2] == 3 && parts[1].rotate[0] == 4);
    CHECK(parts[1].part_count == 2 && parts[1].part[0].extent[1] == 1 &&
          pl_surface_triangle_count(parts[1].part[1].surface) == 12);
    pl_scene_destroy(&scene);
    desk_clear(&d);
}

// ---- warnings --------------------------------------------------------------------------------------------------

static void units_are_doubted(void)
{
    desk d;
    desk_make(&d);
    static const struct
    {
        const char *scene, *words;
    } cases[] = {
        {"{ \"bodies\": { \"a\": { \"shape\": { \"torus\": { \"radius\": 300, \"tube\": 200 } }, \"resolution\": 4 } } "
         "}",
         "dir/scene.json:1:20: bodies.a: is 883 m long; lengths are metres"},
        {"{ \"bodies\": { \"a\": { \"shape\": { \"sphere\": 1e-4 }, \"resolution\": 4 } } }",
         "is only 0.000187 m long; lengths are metres"},
        {"{ \"bodies\": { \"a\": { \"shape\": { \"sphere\": 1 }, \"resolution\": 4, \"material\": { \"density\": 1 } } "
         "} }",
         "bodies.a.material.density: 1 kg/m^3 is lighter than any solid"},
        {"{ \"bodies\": { \"a\": { \"shape\": { \"sphere\": 1 }, \"resolution\": 4, \"material\": { \"density\": 1e6 } "
         "} } }",
         "heavier than any metal"},
        {"{ \"gravity\": [0, -981, 0], \"bodies\": { \"a\": { \"shape\": { \"sphere\": 1 }, \"resolution\": 4 } } }",
         "dir/scene.json:1:14: gravity: 981 m/s^2 is 100 times that of the Earth; was it given in cm/s^2?"},
        {"{ \"materials\": { \"st\": { \"like\": \"steel\", \"young\": 0.2 } }, \"bodies\": { \"a\": { \"shape\": { "
         "\"sphere\": 1 }, \"resolution\": 4 } } }",
         "materials.st.young: 0.2 Pa is softer than any jelly"},
        {"{ \"materials\": { \"st\": { \"young\": 2e14 } }, \"bodies\": { \"a\": { \"shape\": { \"sphere\": 1 }, "
         "\"resolution\": 4 } } }",
         "stiffer than diamond"},
        {"{ \"materials\": { \"st\": { \"damping\": 20 } }, \"bodies\": { \"a\": { \"shape\": { \"sphere\": 1 }, "
         "\"resolution\": 4 } } }",
         "materials.st.damping: 20 s is very long"},
        {"{ \"bodies\": { \"a\": { \"shape\": { \"sphere\": 1 }, \"resolution\": 4, \"velocity\": [0, -2000, 0] } } }",
         "2000 m/s is"},
        {"{ \"bodies\": { \"a\": { \"surface\": \"box.obj\", \"scale\": 1000, \"resolution\": 4 } } }",
         "is 3e+03 m long; if the file is in millimetres or centimetres, set `scale` or `height`"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    {
        pl_scene *scene = build(&d, cases[i].scene);
        const char *end = strchr(d.log, '\n');
        CHECK_THAT(strstr(d.log, cases[i].words) && end && end[1] == 0, "%s: %s", cases[i].words, d.log);
        pl_scene_destroy(&scene);
    }
    pl_scene *scene = build(&d, "{ \"bodies\": { \"a\": { \"shape\": { \"sphere\": 1 }, \"resolution\": 4 } } }");
    CHECK_THAT(d.log[0] == 0, "%s", d.log);
    pl_scene_destroy(&scene);
    desk_clear(&d);
}

// What is allowed and shows nothing; and beside each what is meant, of which nothing is said.
static void what_shows_nothing_is_doubted(void)
{
    desk d;
    desk_make(&d);
    static const char ball[] = "\"shape\": { \"sphere\": 1 }, \"resolution\": 4",
                      sheet[] = "\"kind\": \"shell\", \"shape\": { \"sheet\": [1, 1] }, \"size\": 0.1";
    static const char pins[] =
        "\"select\": { \"all\": { \"box\": [[0, 0, 0], [1, 1, 1]] } }, \"pins\": [{ \"select\": \"all\"";
    static const struct
    {
        const char *top, *shape, *more, *end, *words; // words NULL: no doubt
    } cases[] = {
        {"\"frames\": 24, ", ball, "\"strength\": { \"keys\": [[1.5, 1], [2, 3]] }", "",
         "bodies.a.strength: its keys begin at 1.5 s, after the shot has ended at 1 s"},
        {"\"frames\": 24, ", ball, "\"strength\": { \"keys\": [[0.5, 1], [2, 3]] }", "", NULL},
        {"\"frames\": 24, ", ball, "\"material\": { \"young\": { \"keys\": [[1.5, 1e5], [2, 3e5]] } }", "",
         "bodies.a.material.young: its keys begin at 1.5 s"},
        {"\"frames\": 24, \"camera\": { \"fov\": { \"keys\": [[2, 30], [3, 40]] } }, ", ball, "\"drag\": 0", "",
         "camera.fov: its keys begin at 2 s"},
        {"", sheet, "\"thickness\": 2", "", "bodies.a.thickness: 2 m is 19 times the edges of its triangles"},
        {"", sheet, "\"thickness\": 0.4", "", NULL},
        {"", ball, pins, " }]", "nodes, so it cannot move"},
        {"", ball, pins, ", \"strength\": 0.5 }]", NULL},
        {"", ball, pins, " }], \"collides\": false", NULL},
        {"", ball, pins, ", \"move\": { \"keys\": [[0, [0, 0, 0]], [1, [1, 0, 0]]] } }]", NULL},
        {"\"look\": { \"color_by\": \"temperature\" }, ", ball, "\"drag\": 0", "",
         "look.color_by: no material has a `melting` temperature"},
        {"\"look\": { \"color_by\": \"temperature\" }, ", ball, "\"material\": { \"melting\": 50 }", "", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    {
        char text[640];
        snprintf(text, sizeof text, "{ %s\"bodies\": { \"a\": { %s, %s%s } } }", cases[i].top, cases[i].shape,
                 cases[i].more, cases[i].end);
        pl_scene *scene = build(&d, text);
        const char *end = strchr(d.log, '\n');
        bool once = end && end[1] == 0;
        CHECK_THAT(cases[i].words ? once && strstr(d.log, cases[i].words) : d.log[0] == 0, "%s: %s", text, d.log);
        pl_scene_destroy(&scene);
    }
    desk_clear(&d);
}

// A body that collides with nobody is told so.
static void collisions_with_nobody_are_doubted(void)
{
    desk d;
    desk_make(&d);
    static const char *const others[] = {", \"collides\": false", ", \"collides\": false, \"self_collision\": true", "",
                                         ", \"collides\": true"};
    for (int i = 0; i < 4; ++i)
    {
        char text[512];
        snprintf(text, sizeof text,
                 "{ \"bodies\": { \"a\": { \"shape\": { \"sphere\": 1 }, \"resolution\": 4, \"collides\": true }, "
                 "\"b\": { \"shape\": { \"sphere\": 1 }, \"resolution\": 4%s } } }",
                 others[i]);
        pl_scene *scene = build(&d, text);
        const char *words =
            i < 2 ? "dir/scene.json:1:77: bodies.a.collides: does nothing, since no other body collides\n" : "";
        CHECK_THAT(strcmp(d.log, words) == 0, "%s: %s", words, d.log);
        pl_scene_destroy(&scene);
    }
    desk_clear(&d);
}

// ---- changes ---------------------------------------------------------------------------------------------------

static const char plain_scene[] =
    "{ \"floor\": 0, \"gravity\": [0, -9.81, 0], \"materials\": { \"goo\": \"rubber\" },"
    " \"bodies\": { \"a\": { \"shape\": { \"box\": [1, 2, 3] }, \"material\": \"rubber\", \"select\": { \"all\": { "
    "\"box\": [[0, 0, 0], [1, 1, 1]] } }, \"pins\": [ \"all\" ] } } }";

static void check_change(const char *change, const char *path, const char *json)
{
    desk d;
    desk_make(&d);
    pl__source *source;
    pl__json_doc expected;
    char part[64];
    CHECK_OK(d.ctx, pl__source_parse(d.ctx, "scene", plain_scene, sizeof plain_scene - 1, &change, 1, &source));
    CHECK_OK(d.ctx, pl__json_parse(d.ctx, "expected", json, strlen(json), &expected));
    const pl__json *value = source ? source->doc.root : NULL;
    while (value && *path)
    {
        size_t length = strcspn(path, ".");
        snprintf(part, sizeof part, "%.*s", (int)length, path);
        path += length + (path[length] == '.');
        value = value->kind == PL__JSON_ARRAY ? value->first : pl__json_find(value, part);
    }
    CHECK_THAT(value && pl__json_equal(value, expected.root), "%s", change);
    pl__json_free(&expected);
    pl__source_close(&source);
    desk_clear(&d);
}

static void changes_create_replace_and_open(void)
{
    check_change("frames=5", "frames", "5");
    check_change("look.size=[640,480]", "look", "{ \"size\": [640, 480] }");
    check_change("gravity.1=-1.62", "gravity", "[0, -1.62, 0]");
    check_change("bodies.a.material=steel", "bodies.a.material", "\"steel\"");
    check_change("bodies.a.material=\"steel\"", "bodies.a.material", "\"steel\"");
    check_change("bodies.a.material.young=1e4", "bodies.a.material", "{ \"like\": \"rubber\", \"young\": 1e4 }");
    check_change("materials.goo.young=1e4", "materials.goo", "{ \"like\": \"rubber\", \"young\": 1e4 }");
    check_change("materials.new.young=1e4", "materials", "{ \"goo\": \"rubber\", \"new\": { \"young\": 1e4 } }");
    check_change("floor.friction=0.5", "floor", "{ \"height\": 0, \"friction\": 0.5 }");
    check_change("floor=-1", "floor", "-1");
    check_change("bodies.a.pins.0.strength=0.5", "bodies.a.pins", "[ { \"select\": \"all\", \"strength\": 0.5 } ]");
    check_change("bodies.a.pins.0=all", "bodies.a.pins", "[ \"all\" ]");
    check_change("bodies.a.shape.box.1=5", "bodies.a.shape.box", "[1, 5, 3]");
    check_change("bodies.a.shape.box.cut=six", "bodies.a.shape.box", "{ \"extent\": [1, 2, 3], \"cut\": \"six\" }");
    check_change("bodies.a.shape={\"sphere\":1}", "bodies.a.shape", "{ \"sphere\": 1 }");
    check_change("bodies.a.visible=false", "bodies.a.visible", "false");
    check_change("bodies.a.strength={\"keys\":[[0,1]]}", "bodies.a.strength", "{ \"keys\": [[0, 1]] }");
}

static void changes_reach_the_scene(void)
{
    desk d;
    desk_make(&d);
    static const char *const changes[] = {
        "bodies.a.material.young=5e4", "bodies.a.size=0.5", "bodies.a.shape.box=[1,1,1]", "frames=9", "frames=11",
        "bodies.a.collides=false"};
    pl_scene *scene;
    d.scene = plain_scene;
    CHECK_OK(d.ctx, pl_scene_load_changed(d.ctx, "dir/scene.json", changes, 6, &scene));
    CHECK(material(scene, "a_material")->young == 5e4 && pl_scene_shot(scene).frames == 11);
    CHECK_NEAR(pl_mesh_volume(scene->body[0].def.mesh), 1, 1e-12);
    pl_scene_destroy(&scene);
    CHECK_THAT(d.log[0] == 0, "%s", d.log);
    // a slip in the name of a material
    static const char *const slips[] = {"materials.goop.young=5e4", "materials.rubber.young=5e4",
                                        "bodies.a.collides=false"};
    CHECK_OK(d.ctx, pl_scene_load_changed(d.ctx, "dir/scene.json", slips, 3, &scene));
    CHECK_THAT(
        strcmp(d.log, "--set materials.goop.young=5e4: materials.goop: nothing is made of it; is that its name?\n") ==
            0,
        "%s", d.log);
    pl_scene_destroy(&scene);
    CHECK(pl_scene_load(d.ctx, "dir/other.json", &scene) == PL_ERR_FILE && !scene);
    CHECK(pl_scene_load(d.ctx, "", &scene) == PL_ERR_ARGUMENT && !scene);
    desk_clear(&d);
}

// ---- the same by hand ------------------------------------------------------------------------------------------

// Everything at once, and a part that is small enough to be built by hand.
#define SURROUNDINGS                                                                                                   \
    "  \"gravity\": [0, -5, 0], \"floor\": { \"height\": -0.1, \"friction\": 0.2 },\n"                                 \
    "  \"materials\": { \"jelly\": { \"like\": \"gelatin\", \"young\": 2e4, \"damping\": { \"keys\": [[0, 0], [0.1, "  \
    "0.02]] } } },\n"                                                                                                  \
    "  \"objects\": { \"ball\": { \"shape\": { \"sphere\": 0.3 }, \"at\": { \"keys\": [[0, [0, 0, 0]], [1, [1, 0, "    \
    "0]]], \"ease\": \"smooth\" }, \"spin\": [0, 90, 0], \"friction\": 0.6 } },\n"
#define BODY_ONE                                                                                                       \
    "  \"bodies\": {\n"                                                                                                \
    "    \"one\": { \"shape\": { \"box\": { \"extent\": [0.5, 0.25, 0.5], \"cut\": \"six\" } }, \"size\": 0.1, "       \
    "\"jitter\": 0.1, \"seed\": 4, \"at\": [0, 0.5, 0], \"rotate\": [10, 20, 30],\n"                                   \
    "      \"velocity\": [0.1, 0.2, 0.3], \"spin\": [0, 0, 45], \"material\": \"jelly\", \"strength\": { \"keys\": "   \
    "[[0, 0.5], [0.2, 1]] },\n"                                                                                        \
    "      \"select\": { \"low\": { \"box\": [[0, 0, 0], [1, 0.5, 1]] }, \"end\": { \"box\": [[0, 0, 0], [0, 1, 1]] "  \
    "} },\n"                                                                                                           \
    "      \"vary\": { \"low\": { \"poisson\": 0.3 } }, \"pins\": [ { \"select\": \"end\", \"strength\": 0.5, "        \
    "\"soft\": 0.02, \"move\": { \"keys\": [[0, [0, 0, 0]], [0.1, [0, 0.1, 0]]] } } ] }"
static const char whole_scene[] =
    "{ \"frames\": 5, \"fps\": 30,\n" SURROUNDINGS BODY_ONE ",\n"
    "    \"two\": { \"surface\": \"box.obj\", \"height\": 0.4, \"anchor\": \"bottom\", \"resolution\": 4, \"at\": [2, "
    "0, 0], \"start\": { \"scale\": [1, 0.5, 1] }, \"material\": \"foam\" },\n"
    "    \"three\": { \"surface\": \"painted.ply\", \"resolution\": 4, \"at\": [4, 0, 0], \"paint\": { \"young\": { "
    "\"attribute\": \"stiffness\", \"map\": [[0, 1e5], [1, 2e5]] } },\n"
    "      \"select\": { \"tip\": { \"nodes\": [3] } }, \"pins\": [ \"tip\" ] },\n"
    "    \"four\": { \"mesh\": \"pair.msh\", \"at\": [6, 1, 0], \"select\": { \"last\": { \"nodes\": [4] }, \"left\": "
    "{ \"group\": \"left\" } },\n"
    "      \"pins\": [ { \"select\": \"last\", \"strength\": 0.5, \"cache\": \"point.pc2\" } ] },\n"
    "    \"five\": { \"shape\": { \"blobs\": { \"parts\": [[0, 0, 0, 0.2], [0, 0, 0, 0.1, 0.5, 0, 0, 0.1]], \"blend\": "
    "0.05 } }, \"resolution\": 5, \"at\": [8, 1, 0] } },\n"
    "  \"camera\": { \"look_at\": \"two\" }, \"look\": { \"background\": \"#102030\" }, \"output\": { \"export\": "
    "[\"usd\", \"ply\"] } }\n";
static const char half_scene[] = "{" SURROUNDINGS BODY_ONE "} }\n";

static void set_keys(pl_context *ctx, pl_scene *scene, const char *path, int32_t components, pl_ease ease,
                     const double *times, const double *values)
{
    pl_keys_def keys = pl_keys_def_default();
    keys.count = 2;
    keys.components = components;
    keys.ease = ease;
    keys.times = times;
    keys.values = values;
    CHECK_OK(ctx, pl_scene_set_keys(scene, path, &keys));
}

static void add_body_by_hand(pl_context *ctx, pl_scene *scene, pl_material_id jelly, pl_material_id low)
{
    pl_shape_def shape = pl_shape_def_default();
    pl_mesh *mesh;
    shape.kind = PL_SHAPE_BOX;
    shape.cut = PL_CUT_SIX;
    memcpy(shape.extent, (double[]){0.5, 0.25, 0.5}, sizeof shape.extent);
    shape.edge = 0.1;
    shape.jitter = 0.1;
    shape.seed = 4;
    CHECK_OK(ctx, pl_mesh_create_shape(ctx, &shape, &mesh));
    const double *X = pl_mesh_positions(mesh);
    pl_material_id *of_tet = malloc((size_t)pl_mesh_tet_count(mesh) * sizeof *of_tet);
    int32_t *nodes = malloc((size_t)pl_mesh_node_count(mesh) * sizeof *nodes);
    for (int32_t t = 0; t < pl_mesh_tet_count(mesh); ++t)
    {
        of_tet[t] = low;
        for (int k = 0; k < 4; ++k)
            if (X[3 * (size_t)pl_mesh_tets(mesh)[4 * (size_t)t + (size_t)k] + 1] > 1e-9)
                of_tet[t] = jelly;
    }
    pl_body_def def = pl_body_def_default();
    def.mesh = mesh;
    def.material = jelly;
    def.element_materials = of_tet;
    memcpy(def.at, (double[]){0, 0.5, 0}, sizeof def.at);
    memcpy(def.rotate, (double[]){10, 20, 30}, sizeof def.rotate);
    memcpy(def.velocity, (double[]){0.1, 0.2, 0.3}, sizeof def.velocity);
    def.spin[2] = 45;
    def.strength = 0.5;
    pl_body_id body;
    CHECK_OK(ctx, pl_scene_add_body(scene, "one", &def, &body));
    pl_pin_def pin = pl_pin_def_default();
    for (int32_t n = 0; n < pl_mesh_node_count(mesh); ++n)
        if (X[3 * (size_t)n] < -0.25 + 1e-9)
            nodes[pin.count++] = n;
    pin.nodes = nodes;
    pin.strength = 0.5;
    pin.soft = 0.02;
    CHECK_OK(ctx, pl_scene_add_pin(scene, body, &pin, NULL));
    free(nodes);
    free(of_tet);
    pl_mesh_destroy(&mesh);
}

static pl_scene *build_by_hand(pl_context *ctx)
{
    pl_scene *scene;
    CHECK_OK(ctx, pl_scene_create(ctx, &scene));
    CHECK_OK(ctx, pl_scene_set_gravity(scene, (double[]){0, -5, 0}));
    pl_object_def floor = pl_object_def_default(), ball = pl_object_def_default();
    floor.at[1] = -0.1;
    floor.friction = 0.2;
    ball.kind = PL_OBJECT_SPHERE;
    ball.radius = 0.3;
    ball.spin[1] = 90;
    ball.friction = 0.6;
    CHECK_OK(ctx, pl_scene_add_object(scene, "floor", &floor, NULL));
    CHECK_OK(ctx, pl_scene_add_object(scene, "ball", &ball, NULL));
    pl_material_def material = pl_material_def_default();
    material.young = 2e4;
    material.poisson = 0.45;
    material.density = 1000;
    material.damping = 0;
    pl_material_id jelly, low;
    CHECK_OK(ctx, pl_scene_add_material(scene, "jelly", &material, &jelly));
    material.poisson = 0.3;
    CHECK_OK(ctx, pl_scene_add_material(scene, "one_vary_low", &material, &low));
    add_body_by_hand(ctx, scene, jelly, low);
    static const double tenth[] = {0, 0.1}, damping[] = {0, 0.02};
    set_keys(ctx, scene, "materials.jelly.damping", 1, PL_EASE_LINEAR, tenth, damping);
    set_keys(ctx, scene, "objects.ball.at", 3, PL_EASE_SMOOTH, (double[]){0, 1}, (double[]){0, 0, 0, 1, 0, 0});
    set_keys(ctx, scene, "materials.one_vary_low.damping", 1, PL_EASE_LINEAR, tenth, damping);
    set_keys(ctx, scene, "bodies.one.strength", 1, PL_EASE_LINEAR, (double[]){0, 0.2}, (double[]){0.5, 1});
    set_keys(ctx, scene, "bodies.one.pins.0.move", 3, PL_EASE_LINEAR, tenth, (double[]){0, 0, 0, 0, 0.1, 0});
    return scene;
}

// The state of a world after five frames.
static void *run(pl_context *ctx, const pl_scene *scene, size_t *size)
{
    pl_world *world;
    pl_step_def step = pl_step_def_default();
    pl_step_info info;
    step.dt = 1.0 / 24;
    CHECK_OK(ctx, pl_world_create(scene, &world));
    for (int i = 0; i < 5; ++i)
        CHECK_OK(ctx, pl_world_step(world, &step, &info));
    *size = pl_world_save_size(world);
    void *state = malloc(*size);
    CHECK_OK(ctx, pl_world_save(world, state, *size));
    pl_world_destroy(&world);
    return state;
}

static void a_file_and_the_functions_give_the_same_bits(void)
{
    desk d;
    desk_make(&d);
    size_t size[2];
    pl_scene *scene = build(&d, half_scene), *by_hand = build_by_hand(d.ctx);
    void *state[2] = {run(d.ctx, scene, &size[0]), run(d.ctx, by_hand, &size[1])};
    CHECK_THAT(size[0] == size[1], "%zu and %zu bytes", size[0], size[1]);
    CHECK(size[0] == size[1] && memcmp(state[0], state[1], size[0]) == 0);
    free(state[0]);
    free(state[1]);
    pl_scene_destroy(&scene);
    pl_scene_destroy(&by_hand);
    desk_clear(&d);
}

// ---- failures --------------------------------------------------------------------------------------------------

static void every_failed_allocation_is_survived(void)
{
    desk d;
    desk_make(&d);
    d.scene = whole_scene;
    pl_status status = PL_ERR_MEMORY;
    pl_scene *scene = NULL;
    static const char *const changes[] = {"bodies.two.material.young=3e4", "look.samples=4"};
    int64_t n = 0;
    for (; status == PL_ERR_MEMORY && n < 10000; ++n)
    {
        d.h.until_failure = n;
        status = pl_scene_load_changed(d.ctx, "dir/scene.json", changes, 2, &scene);
        if (status == PL_OK)
            break;
        CHECK(scene == NULL);
        CHECK_THAT(pl_context_memory(d.ctx) == 0 && d.open_count == 0,
                   "%zu bytes and %d files are left when allocation %lld failed", pl_context_memory(d.ctx),
                   d.open_count, (long long)n);
    }
    CHECK_THAT(status == PL_OK && n > 100, "%s after %lld allocations: %s", pl_status_name(status), (long long)n,
               pl_context_error(d.ctx));
    d.h.until_failure = -1;
    CHECK(scene && scene->body_count == 5 && pl_scene_shot(scene).fps == 30);
    pl_scene_destroy(&scene);
    desk_clear(&d);
}

static void objects_survive_failed_allocations(void)
{
    desk d;
    desk_make(&d);
    d.scene = shapes_scene;
    pl_status status = PL_ERR_MEMORY;
    pl_scene *scene = NULL;
    int64_t n = 0;
    for (; status == PL_ERR_MEMORY && n < 10000; ++n)
    {
        d.h.until_failure = n;
        status = pl_scene_load(d.ctx, "dir/scene.json", &scene);
        CHECK_THAT(status == PL_OK || (pl_context_memory(d.ctx) == 0 && d.open_count == 0),
                   "%zu bytes and %d files are left when allocation %lld failed", pl_context_memory(d.ctx),
                   d.open_count, (long long)n);
    }
    CHECK_THAT(status == PL_OK && n > 50, "%s after %lld allocations: %s", pl_status_name(status), (long long)n,
               pl_context_error(d.ctx));
    d.h.until_failure = -1;
    pl_scene_destroy(&scene);
    desk_clear(&d);
}

// Of every kind, with what each kind needs: goals, fibres, gas, threads.
static pl_status attempt_kinds(pl_context *ctx)
{
    static const char text[] = "{ \"air\": [1, 0, 0], \"bodies\": {"
                               "\"a\": { \"elements\": \"hex\", \"shape\": { \"box\": [1, 1, 1] }, \"resolution\": 2, "
                               "\"material\": \"clay\", \"goal\": { \"twist\": 20 } },"
                               "\"b\": { \"kind\": \"shell\", \"shape\": { \"sphere\": 1 }, \"resolution\": 2, "
                               "\"gas\": true, \"pressure\": { \"keys\": [[0, 0], [1, 9]] }, \"keep_facing\": true },"
                               "\"c\": { \"kind\": \"shell\", \"shape\": { \"sheet\": [1, 1] }, \"resolution\": 2, "
                               "\"membrane\": \"woven\", \"warp\": [1, 0, 1], \"drag\": 1 },"
                               "\"d\": { \"kind\": \"planar\", \"shape\": { \"disk\": 1 }, \"resolution\": 2, "
                               "\"select\": { \"s\": { \"box\": [[0, 0, 0], [0.2, 1, 1]] } },"
                               "  \"pins\": [{ \"select\": \"s\", \"move\": { \"keys\": [[0, [0, 0, 0]], [1, [1, 1, "
                               "0]]] }, \"rotate\": [0, 0, 5] }] },"
                               "\"e\": { \"shape\": { \"box\": [1, 0.5, 0.5] }, \"resolution\": 2, \"material\": "
                               "\"muscle\", \"fibers\": { \"from\": \"l\", \"to\": \"r\" },"
                               "  \"select\": { \"l\": { \"box\": [[0, 0, 0], [0, 1, 1]] }, \"r\": { \"box\": [[1, 0, "
                               "0], [1, 1, 1]] } } } } }";
    pl_scene *scene = NULL;
    pl_status status = pl_scene_parse(ctx, "kinds.json", text, sizeof text - 1, &scene);
    pl_scene_destroy(&scene);
    return status;
}

static void bodies_of_every_kind_survive_failed_allocations(void) { CHECK(survive_every_failure(attempt_kinds) > 100); }

// Any prefix of a scene is refused with one sentence and leaves nothing.
static void every_prefix_is_refused(void)
{
    desk d;
    desk_make(&d);
    pl_scene *scene;
    for (size_t size = 0; size + 2 < sizeof half_scene; ++size)
    {
        CHECK_THAT(pl_scene_parse(d.ctx, NULL, half_scene, size, &scene) == PL_ERR_FORMAT, "%zu bytes", size);
        CHECK(strncmp(pl_context_error(d.ctx), "(memory):", 9) == 0 && !strchr(pl_context_error(d.ctx), '\n'));
    }
    desk_clear(&d);
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {TEST(defaults_are_within_their_ranges),
                                    TEST(values_outside_their_range_are_refused),
                                    TEST(values_of_the_wrong_type_are_refused),
                                    TEST(keys_stand_only_where_the_tables_say),
                                    TEST(slips_of_the_pen_are_recognised),
                                    TEST(differences_are_reported),
                                    TEST(what_means_the_same_is_no_difference),
                                    TEST(presets_are_materials),
                                    TEST(materials_are_like_others),
                                    TEST(long_chains_of_materials),
                                    TEST(selections_choose_what_they_say),
                                    TEST(selections_by_group_and_number),
                                    TEST(files_are_scaled_turned_and_anchored),
                                    TEST(vary_gives_elements_another_material),
                                    TEST(paint_maps_attributes),
                                    TEST(start_shapes),
                                    TEST(pins_hold_move_and_follow),
                                    TEST(objects_floor_and_shot),
                                    TEST(objects_of_all_shapes),
                                    TEST(units_are_doubted),
                                    TEST(what_shows_nothing_is_doubted),
                                    TEST(collisions_with_nobody_are_doubted),
                                    TEST(changes_create_replace_and_open),
                                    TEST(changes_reach_the_scene),
                                    TEST(a_file_and_the_functions_give_the_same_bits),
                                    TEST(every_failed_allocation_is_survived),
                                    TEST(objects_survive_failed_allocations),
                                    TEST(bodies_of_every_kind_survive_failed_allocations),
                                    TEST(every_prefix_is_refused)};
    return RUN(tests);
}

// src/scene/schema.c -- JSON schema and reference page, generated from the tables that read scene files.
#include "schema.h"
#include "file.h"
#include "io/number.h"
#include "preset.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum
{
    MOST_TABLES = 96
};

// A table with the name of its definition in the schema.
typedef struct
{
    const pl__table *table;
    char name[64];
} definition;

typedef struct
{
    pl__put_function *put;
    void *user;
    definition known[MOST_TABLES];
    int32_t known_count;
} printer;

static void print(const printer *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void print(const printer *p, const char *format, ...)
{
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    p->put(p->user, text);
}

// Print six digits if they are exact, else ten.
static void print_real(const printer *p, double value)
{
    char text[32];
    double read;
    pl__number_text(value, 6, text);
    if (!pl__parse_real(text, strlen(text), &read) || read != value)
        pl__number_text(value, 10, text);
    print(p, "%s", text);
}

static bool is_known(const printer *p, const pl__table *table)
{
    for (int32_t i = 0; i < p->known_count; ++i)
        if (p->known[i].table == table)
            return true;
    return false;
}

// ---- schema ----------------------------------------------------------------------------------------------------
//
// Draft 7. A table becomes a definition, named after its title or else after its owner and field; a property is one
// line. Types are printed as members of an object, so that a description and a default can stand beside them.

// "Shapes of bodies" and "box" give "shapes_of_bodies_box".
static void name_definition(definition *d, const char *owner, const char *field)
{
    snprintf(d->name, sizeof d->name, "%s%s%s", d->table->title ? d->table->title : owner, d->table->title ? "" : "_",
             d->table->title ? "" : field);
    for (char *c = d->name; *c; ++c)
        *c = *c == ' ' ? '_' : *c >= 'A' && *c <= 'Z' ? (char)(*c - 'A' + 'a') : *c;
}

static void collect(printer *p, const pl__table *table, const char *owner, const char *field)
{
    if (is_known(p, table) || p->known_count == MOST_TABLES)
        return;
    definition *d = &p->known[p->known_count++];
    d->table = table;
    name_definition(d, owner, field);
    for (int32_t i = 0; i < table->field_count; ++i)
        if (table->field[i].table)
            collect(p, table->field[i].table, d->name, table->field[i].name);
}

static const char *definition_name(const printer *p, const pl__table *table)
{
    int32_t i = 0;
    while (i + 1 < p->known_count && p->known[i].table != table)
        ++i;
    return p->known[i].name;
}

static void print_quoted(const printer *p, const char *text)
{
    print(p, "\"");
    for (; *text; ++text)
        print(p, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    print(p, "\"");
}

static void print_number(const printer *p, const pl__field *f)
{
    bool whole = f->kind == PL__FIELD_INTEGER || f->kind == PL__FIELD_INTEGERS;
    print(p, "\"type\": \"%s\"", whole ? "integer" : "number");
    if (isfinite(f->low))
    {
        print(p, ", \"%s\": ", f->low_open ? "exclusiveMinimum" : "minimum");
        print_real(p, f->low);
    }
    if (isfinite(f->high))
    {
        print(p, ", \"%s\": ", f->high_open ? "exclusiveMaximum" : "maximum");
        print_real(p, f->high);
    }
}

static void print_array(const printer *p, const pl__field *f)
{
    print(p, "\"type\": \"array\", \"minItems\": %d, \"maxItems\": %d, \"items\": {", f->components, f->components);
    print_number(p, f);
    print(p, "}");
}

static void print_plain(const printer *p, const pl__field *f)
{
    if (f->kind == PL__FIELD_NUMBER)
        print_number(p, f);
    else
        print_array(p, f);
}

static void print_keyed(const printer *p, const pl__field *f)
{
    print(p, "\"anyOf\": [{");
    print_plain(p, f);
    print(p, "}, {\"$ref\": \"#/definitions/%s\"}%s]", f->kind == PL__FIELD_NUMBER ? "number_keys" : "vector_keys",
          f->kind == PL__FIELD_TARGET ? ", {\"type\": \"string\"}" : "");
}

static void print_choices(const printer *p, const pl__field *f)
{
    print(p, "\"enum\": [");
    for (const char *const *choice = f->choices; *choice; ++choice)
    {
        print(p, choice == f->choices ? "" : ", ");
        print_quoted(p, *choice);
    }
    print(p, "]");
}

static void print_type(const printer *p, const pl__field *f)
{
    switch (f->kind)
    {
    case PL__FIELD_NUMBER:
    case PL__FIELD_VECTOR: (f->keyed ? print_keyed : print_plain)(p, f); break;
    case PL__FIELD_TARGET: print_keyed(p, f); break;
    case PL__FIELD_INTEGER: print_number(p, f); break;
    case PL__FIELD_BOOL: print(p, "\"type\": \"boolean\""); break;
    case PL__FIELD_TEXT:
    case PL__FIELD_FILE: print(p, "\"type\": \"string\""); break;
    case PL__FIELD_CHOICE: print_choices(p, f); break;
    case PL__FIELD_CHOICES:
        print(p, "\"type\": \"array\", \"items\": {");
        print_choices(p, f);
        print(p, "}");
        break;
    case PL__FIELD_COLOR: print(p, "\"allOf\": [{\"$ref\": \"#/definitions/color\"}]"); break;
    case PL__FIELD_BOX:
        print(p, "\"type\": \"array\", \"minItems\": 2, \"maxItems\": 2, \"items\": {");
        print_array(p, f);
        print(p, "}");
        break;
    case PL__FIELD_ROWS:
        print(p, "\"type\": \"array\", \"items\": {\"type\": \"array\", \"items\": {\"type\": \"number\"}}");
        break;
    case PL__FIELD_INTEGERS:
        print(p, "\"type\": \"array\", \"items\": {");
        print_number(p, f);
        print(p, "}");
        break;
    case PL__FIELD_RECORD:
        print(p, "\"allOf\": [{\"$ref\": \"#/definitions/%s\"}]", definition_name(p, f->table));
        break;
    case PL__FIELD_MAP:
        print(p,
              "\"type\": \"object\", \"propertyNames\": {\"$ref\": \"#/definitions/name\"}, \"additionalProperties\": "
              "{\"$ref\": \"#/definitions/%s\"}",
              definition_name(p, f->table));
        break;
    case PL__FIELD_LIST:
        print(p, "\"type\": \"array\", \"maxItems\": 10000, \"items\": {\"$ref\": \"#/definitions/%s\"}",
              definition_name(p, f->table));
        break;
    case PL__FIELD_IGNORED: print(p, "\"type\": \"string\""); break;
    }
}

static void print_vector(const printer *p, const double *values, int32_t count)
{
    for (int32_t i = 0; i < count; ++i)
    {
        print(p, i ? ", " : "[");
        print_real(p, values[i]);
    }
    print(p, "]");
}

static void print_default_member(const printer *p, const pl__field *f)
{
    bool number = f->kind == PL__FIELD_NUMBER || f->kind == PL__FIELD_INTEGER,
         vector = f->kind == PL__FIELD_VECTOR || f->kind == PL__FIELD_COLOR;
    if (f->fallback_text || !(number || vector || f->kind == PL__FIELD_CHOICE || f->kind == PL__FIELD_BOOL))
        return;
    print(p, ", \"default\": ");
    if (number)
        print_real(p, f->fallback[0]);
    else if (vector)
        print_vector(p, f->fallback, f->components);
    else if (f->kind == PL__FIELD_BOOL)
        print(p, "%s", f->fallback[0] != 0 ? "true" : "false");
    else
        print_quoted(p, f->choices[(int)f->fallback[0]]);
}

static void print_property(const printer *p, const pl__table *table, const pl__field *f, const char *indent)
{
    char help[400];
    bool unit = f->unit && f->unit[0];
    snprintf(help, sizeof help, "%s%s%s%s", f->help, unit ? " [" : "", unit ? f->unit : "", unit ? "]" : "");
    print(p, "\n%s  ", indent);
    print_quoted(p, f->name);
    print(p, ": {\"description\": ");
    print_quoted(p, help);
    print(p, ", ");
    print_type(p, f);
    if (!table->inherits)
        print_default_member(p, f);
    print(p, "}");
}

static void print_object(const printer *p, const pl__table *table, const char *indent)
{
    print(p, "%s\"type\": \"object\", \"additionalProperties\": false%s,\n%s\"properties\": {", indent,
          table->one_of ? ", \"minProperties\": 1, \"maxProperties\": 1" : "", indent);
    for (int32_t i = 0; i < table->field_count; ++i)
    {
        print(p, i ? "," : "");
        print_property(p, table, &table->field[i], indent);
    }
    print(p, "\n%s}\n", indent);
}

static void print_definition(const printer *p, const definition *d)
{
    print(p, ",\n    \"%s\": {\n", d->name);
    if (!d->table->bare)
        print_object(p, d->table, "      ");
    else
    {
        print(p, "      \"anyOf\": [{");
        print_type(p, pl__table_find(d->table, d->table->bare));
        print(p, "}, {\n");
        print_object(p, d->table, "        ");
        print(p, "      }]\n");
    }
    print(p, "    }");
}

static void print_keys(const printer *p, const char *name, const char *value)
{
    print(p,
          ",\n    \"%s\": {\n      \"type\": \"object\", \"required\": [\"keys\"], \"additionalProperties\": false,\n  "
          "    \"properties\": {\n"
          "        \"keys\": {\"description\": \"[[time, value], ...] in simulated seconds\", \"type\": \"array\", "
          "\"minItems\": 1, \"items\": {\"type\": \"array\", \"minItems\": 2, "
          "\"maxItems\": 2, \"items\": [{\"type\": \"number\"}, {%s}]}},\n"
          "        \"ease\": {\"description\": \"how values go from key to key\", \"enum\": [\"linear\", \"smooth\", "
          "\"step\"], \"default\": \"linear\"}\n      }\n    }",
          name, value);
}

void pl__schema_write(pl__put_function *put, void *user)
{
    printer p = {.put = put, .user = user};
    collect(&p, &pl__scene_table, "", "");
    print(&p, "{\n  \"$schema\": \"http://json-schema.org/draft-07/schema#\",\n  \"title\": \"Pliant scene\",\n"
              "  \"description\": \"Written by `pliant schema` from the tables that read scene files; do not edit.\",\n"
              "  \"allowComments\": true, \"allowTrailingCommas\": true,\n  \"allOf\": [{\"$ref\": "
              "\"#/definitions/scene\"}],\n  \"definitions\": {\n");
    print(&p, "    \"name\": {\"pattern\": \"^[A-Za-z0-9_-]{1,40}$\"}");
    print(&p, ",\n    \"color\": {\"anyOf\": [{\"type\": \"string\", \"pattern\": \"^#[0-9a-fA-F]{6}$\"}, "
              "{\"type\": \"array\", \"minItems\": 3, \"maxItems\": 3, \"items\": {\"type\": \"number\", \"minimum\": "
              "0, \"maximum\": 1}}]}");
    print_keys(&p, "number_keys", "\"type\": \"number\"");
    print_keys(&p, "vector_keys",
               "\"type\": \"array\", \"minItems\": 3, \"maxItems\": 3, \"items\": {\"type\": \"number\"}");
    for (int32_t i = 0; i < p.known_count; ++i)
        print_definition(&p, &p.known[i]);
    print(&p, "\n  }\n}\n");
}

// ---- reference page --------------------------------------------------------------------------------------------
//
// One section per table with a title; the tables without one are rows of their owner, named by paths. Empty columns are
// omitted, and so is the last one when it is the same in all rows.

static const char *const when_words[] = {"any time", "live", "branch", "rerun"};

typedef enum
{
    COLUMN_VALUE,
    COLUMN_DEFAULT,
    COLUMN_RANGE,
    COLUMN_WHEN,
    COLUMN_COUNT
} column;

static const char *kind_words(const pl__field *f)
{
    switch (f->kind)
    {
    case PL__FIELD_NUMBER: return "number";
    case PL__FIELD_VECTOR: return f->components == 2 ? "[a, b]" : "[x, y, z]";
    case PL__FIELD_INTEGER: return "whole number";
    case PL__FIELD_BOOL: return "true or false";
    case PL__FIELD_FILE: return "file";
    case PL__FIELD_COLOR: return "colour";
    case PL__FIELD_BOX: return "two corners";
    case PL__FIELD_ROWS: return "list of lists";
    case PL__FIELD_INTEGERS: return "list of whole numbers";
    case PL__FIELD_TARGET: return "[x, y, z] or a body";
    case PL__FIELD_TEXT:
    case PL__FIELD_IGNORED: return "text";
    case PL__FIELD_CHOICE:
    case PL__FIELD_CHOICES:
    case PL__FIELD_RECORD:
    case PL__FIELD_MAP: break;
    case PL__FIELD_LIST: return "list";
    }
    return "object";
}

// "Shapes of bodies" is #shapes-of-bodies.
static void link_text(const pl__table *table, char *text, size_t size)
{
    char anchor[64];
    snprintf(anchor, sizeof anchor, "%s", table->title);
    for (char *c = anchor; *c; ++c)
        *c = *c == ' ' ? '-' : *c >= 'A' && *c <= 'Z' ? (char)(*c - 'A' + 'a') : *c;
    snprintf(text, size, "[%s](#%s)", table->title, anchor);
}

static void value_text(const pl__field *f, char *text, size_t size)
{
    char link[160] = "";
    if (f->table && f->table->title)
        link_text(f->table, link, sizeof link);
    if (f->choices)
    {
        size_t used = (size_t)snprintf(text, size, "%s", f->kind == PL__FIELD_CHOICES ? "list of " : "");
        for (const char *const *choice = f->choices; *choice && used < size; ++choice)
            used += (size_t)snprintf(text + used, size - used, "%s`%s`", choice == f->choices ? "" : ", ", *choice);
    }
    else if (f->table && f->table->bare && f->kind == PL__FIELD_RECORD)
        snprintf(text, size, "%s or %s%s", kind_words(pl__table_find(f->table, f->table->bare)),
                 link[0] ? "" : "object", link);
    else if (link[0])
        snprintf(text, size, "%s%s%s", f->kind == PL__FIELD_LIST ? "list of " : "", link,
                 f->kind == PL__FIELD_MAP ? " by name" : "");
    else
        snprintf(text, size, "%s%s", kind_words(f), f->keyed ? ", keyed" : "");
}

static void default_text(const pl__field *f, char *text, size_t size)
{
    char number[3][32];
    for (int i = 0; i < 3; ++i)
        pl__number_text(f->fallback[i], 5, number[i]);
    text[0] = 0;
    if (f->fallback_text)
        snprintf(text, size, "%s", f->fallback_text);
    else if (f->kind == PL__FIELD_CHOICE)
        snprintf(text, size, "%s", f->choices[1] ? f->choices[(int)f->fallback[0]] : "");
    else if (f->kind == PL__FIELD_BOOL)
        snprintf(text, size, "%s", f->fallback[0] != 0 ? "true" : "false");
    else if (f->kind == PL__FIELD_NUMBER || f->kind == PL__FIELD_INTEGER)
        snprintf(text, size, "%s", number[0]);
    else if (f->kind == PL__FIELD_VECTOR && f->components == 2)
        snprintf(text, size, "[%s, %s]", number[0], number[1]);
    else if (f->kind == PL__FIELD_VECTOR || f->kind == PL__FIELD_COLOR)
        snprintf(text, size, "[%s, %s, %s]", number[0], number[1], number[2]);
}

// "0 to 1 s", "above 0 Pa"; bounds of a million and more only catch typos and are left to the error messages.
static void range_text(const pl__field *f, char *text, size_t size)
{
    bool numeric = f->kind == PL__FIELD_NUMBER || f->kind == PL__FIELD_VECTOR || f->kind == PL__FIELD_INTEGER ||
                   f->kind == PL__FIELD_BOX || f->kind == PL__FIELD_TARGET;
    const char *unit = f->unit ? f->unit : "", *blank = unit[0] ? " " : "";
    bool low = numeric && f->low > -1e6, high = numeric && f->high < 1e6;
    char from[32], to[32];
    pl__number_text(f->low, 10, from);
    pl__number_text(f->high, 10, to);
    if (!low && !high)
        snprintf(text, size, "%s", numeric ? unit : "");
    else if (!high)
        snprintf(text, size, "%s %s%s%s", f->low_open ? "above" : "from", from, blank, unit);
    else if (f->low_open || f->high_open)
        snprintf(text, size, "%s %s, %s %s%s%s", f->low_open ? "above" : "from", from, f->high_open ? "below" : "to",
                 to, blank, unit);
    else
        snprintf(text, size, "%s to %s%s%s", from, to, blank, unit);
}

static void cell_text(const pl__field *f, column which, char *text, size_t size)
{
    switch (which)
    {
    case COLUMN_VALUE: value_text(f, text, size); break;
    case COLUMN_DEFAULT: default_text(f, text, size); break;
    case COLUMN_RANGE: range_text(f, text, size); break;
    case COLUMN_WHEN:
    case COLUMN_COUNT: snprintf(text, size, "%s", when_words[f->when]); break;
    }
}

// The table of a row if it has no section of its own.
static const pl__table *part_of(const pl__field *f) { return f->table && !f->table->title ? f->table : NULL; }

static void find_columns(const pl__table *table, pl__when first, bool shown[COLUMN_COUNT])
{
    char text[400];
    for (int32_t i = 0; i < table->field_count; ++i)
    {
        const pl__field *f = &table->field[i];
        for (int k = 0; k < COLUMN_WHEN; ++k)
        {
            cell_text(f, (column)k, text, sizeof text);
            shown[k] |= text[0] != 0;
        }
        shown[COLUMN_WHEN] |= f->when != first;
        if (part_of(f))
            find_columns(part_of(f), first, shown);
    }
}

static void print_rows(const printer *p, const pl__table *table, const char *owner, const bool shown[COLUMN_COUNT])
{
    char text[400];
    for (int32_t i = 0; i < table->field_count; ++i)
    {
        const pl__field *f = &table->field[i];
        print(p, "| `%s%s%s` | ", owner, owner[0] ? "." : "", f->name);
        for (int k = 0; k < COLUMN_COUNT; ++k)
            if (shown[k])
            {
                cell_text(f, (column)k, text, sizeof text);
                print(p, "%s | ", text);
            }
        print(p, "%s |\n", f->help);
        if (part_of(f))
            print_rows(p, part_of(f), f->name, shown);
    }
}

static void print_table(const printer *p, const pl__table *table)
{
    static const char *const heads[COLUMN_COUNT] = {"value", "default", "range, unit", "may change"};
    bool shown[COLUMN_COUNT] = {0};
    find_columns(table, table->field[0].when, shown);
    print(p, "## %s\n\n%s", table->title, table->help ? table->help : "");
    if (!shown[COLUMN_WHEN])
        print(p, " May change: *%s*.", when_words[table->field[0].when]);
    print(p, "\n\n| key | ");
    for (int k = 0; k < COLUMN_COUNT; ++k)
        print(p, "%s%s", shown[k] ? heads[k] : "", shown[k] ? " | " : "");
    print(p, "meaning |\n|---|");
    for (int k = 0; k < COLUMN_COUNT; ++k)
        print(p, "%s", shown[k] ? "---|" : "");
    print(p, "---|\n");
    print_rows(p, table, "", shown);
    print(p, "\n");
}

static void print_presets(const printer *p)
{
    print(p, "## Presets of materials\n\nWhat `material` and `like` may name in every scene.\n\n"
             "| name | model | young [Pa] | poisson | density [kg/m^3] | damping [s] | meaning "
             "|\n|---|---|---|---|---|---|---|\n");
    for (int32_t i = 0; pl__preset_at(i); ++i)
    {
        const pl__preset *m = pl__preset_at(i);
        char young[32], damping[32];
        pl__number_text(m->young, 3, young);
        pl__number_text(m->damping, 3, damping);
        print(p, "| `%s` | %s | %s | %g | %g | %s | %s |\n", m->name, pl_material_kind_name((int32_t)m->model), young,
              m->poisson, m->density, damping, m->help);
    }
}

static void print_contents(const printer *p)
{
    char link[160];
    print(p, "Sections: ");
    for (int32_t i = 0; i < p->known_count; ++i)
        if (p->known[i].table->title)
        {
            link_text(p->known[i].table, link, sizeof link);
            print(p, "%s, ", link);
        }
    print(p, "[Presets of materials](#presets-of-materials).\n\n");
}

void pl__reference_write(pl__put_function *put, void *user)
{
    printer p = {.put = put, .user = user};
    collect(&p, &pl__scene_table, "", "");
    print(&p, "# Scene files: reference\n\nWritten by `pliant schema --reference` from the tables that read scene "
              "files; do not edit.\n\n");
    print_contents(&p);
    print(&p,
          "```jsonc\n{ // a jelly cube falls onto a ball\n  \"frames\": 96, \"floor\": 0,\n  \"materials\": { "
          "\"jelly\": { \"like\": \"gelatin\", \"young\": 2e4 } },\n"
          "  \"bodies\": { \"cube\": { \"shape\": { \"box\": [0.4, 0.4, 0.4] }, \"resolution\": 8, \"at\": [0, 1.2, "
          "0], \"rotate\": [20, 0, 30], \"material\": \"jelly\" } },\n"
          "  \"objects\": { \"ball\": { \"shape\": { \"sphere\": 0.3 }, \"at\": [0, 0.3, 0], \"friction\": 0.6 } },\n"
          "  \"camera\": { \"from\": [2, 1.5, 3], \"look_at\": \"cube\" },\n}\n```\n\n");
    print(&p, "**Units** are SI: metres, seconds, kilograms; angles are degrees, y is up. Bounds of a million and "
              "more, which only catch slips, are left out below; the messages of `pliant check` "
              "name them.\n\n"
              "**Keyed** values may change in time: `{\"keys\": [[time, value], ...], \"ease\": \"linear\" | "
              "\"smooth\" | \"step\"}`, in simulated seconds; constant before the first key and after "
              "the last.\n\n"
              "**Colours** are `\"#rrggbb\"` or `[red, green, blue]` from 0 to 1. **Names** have up to 40 letters, "
              "digits, `_` and `-`. **Files** are relative to the scene file.\n\n"
              "**May change** says when another value makes sense: *any time* (pictures, exports, more frames: a "
              "finished run stays valid), *live* (also while it runs, or where a run "
              "branches), *branch* (where a run branches), *rerun* (it is another run).\n\n");
    for (int32_t i = 0; i < p.known_count; ++i)
        if (p.known[i].table->title)
            print_table(&p, p.known[i].table);
    print_presets(&p);
}

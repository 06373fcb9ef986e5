// src/scene/schema.c -- what editors and readers need to know about scene files, from the same tables that read them.
#include "schema.h"
#include "file.h"
#include "preset.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct
{
    pl__put_function *put;
    void *user;
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

// ---- schema ----------------------------------------------------------------------------------------------------

static void print_quoted(const printer *p, const char *text)
{
    print(p, "\"");
    for (; *text; ++text)
        print(p, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    print(p, "\"");
}

static void print_number(const printer *p, const pl__field *f)
{
    print(p, "{\"type\": \"%s\"", f->kind == PL__FIELD_INTEGER || f->kind == PL__FIELD_INTEGERS ? "integer" : "number");
    if (isfinite(f->low))
        print(p, ", \"%s\": %g", f->low_open ? "exclusiveMinimum" : "minimum", f->low);
    if (isfinite(f->high))
        print(p, ", \"%s\": %.10g", f->high_open ? "exclusiveMaximum" : "maximum", f->high);
    print(p, "}");
}

static void print_array(const printer *p, const pl__field *f, int32_t count)
{
    print(p, "{\"type\": \"array\", \"minItems\": %d, \"maxItems\": %d, \"items\": ", count, count);
    print_number(p, f);
    print(p, "}");
}

static void print_plain(const printer *p, const pl__field *f)
{
    if (f->kind == PL__FIELD_NUMBER)
        print_number(p, f);
    else
        print_array(p, f, f->components);
}

static void print_keyed(const printer *p, const pl__field *f)
{
    print(p, "{\"anyOf\": [");
    print_plain(p, f);
    print(p, ", {\"type\": \"object\", \"required\": [\"keys\"], \"additionalProperties\": false, \"properties\": {\"ease\": {\"enum\": [\"linear\", \"smooth\", \"step\"]}, "
             "\"keys\": {\"type\": \"array\", \"minItems\": 1, \"items\": {\"type\": \"array\", \"minItems\": 2, \"maxItems\": 2, \"items\": [{\"type\": \"number\"}, ");
    print_plain(p, f);
    print(p, "]}}}}%s]}", f->kind == PL__FIELD_TARGET ? ", {\"type\": \"string\"}" : "");
}

static void print_choices(const printer *p, const pl__field *f)
{
    print(p, "{\"enum\": [");
    for (const char *const *choice = f->choices; *choice; ++choice)
    {
        print(p, choice == f->choices ? "" : ", ");
        print_quoted(p, *choice);
    }
    print(p, "]}");
}

static void print_table(const printer *p, const pl__table *table);

static void print_type(const printer *p, const pl__field *f)
{
    switch (f->kind)
    {
    case PL__FIELD_NUMBER:
    case PL__FIELD_VECTOR:
        if (f->keyed)
            print_keyed(p, f);
        else
            print_plain(p, f);
        break;
    case PL__FIELD_TARGET: print_keyed(p, f); break;
    case PL__FIELD_INTEGER: print_number(p, f); break;
    case PL__FIELD_BOOL: print(p, "{\"type\": \"boolean\"}"); break;
    case PL__FIELD_TEXT:
    case PL__FIELD_FILE: print(p, "{\"type\": \"string\"}"); break;
    case PL__FIELD_CHOICE: print_choices(p, f); break;
    case PL__FIELD_CHOICES:
        print(p, "{\"type\": \"array\", \"items\": ");
        print_choices(p, f);
        print(p, "}");
        break;
    case PL__FIELD_COLOR:
        print(p, "{\"anyOf\": [{\"type\": \"string\", \"pattern\": \"^#[0-9a-fA-F]{6}$\"}, ");
        print_array(p, f, 3);
        print(p, "]}");
        break;
    case PL__FIELD_BOX:
        print(p, "{\"type\": \"array\", \"minItems\": 2, \"maxItems\": 2, \"items\": ");
        print_array(p, f, 3);
        print(p, "}");
        break;
    case PL__FIELD_ROWS: print(p, "{\"type\": \"array\", \"items\": {\"type\": \"array\", \"items\": {\"type\": \"number\"}}}"); break;
    case PL__FIELD_INTEGERS:
        print(p, "{\"type\": \"array\", \"items\": ");
        print_number(p, f);
        print(p, "}");
        break;
    case PL__FIELD_RECORD: print_table(p, f->table); break;
    case PL__FIELD_MAP:
        print(p, "{\"type\": \"object\", \"additionalProperties\": ");
        print_table(p, f->table);
        print(p, "}");
        break;
    case PL__FIELD_LIST:
        print(p, "{\"type\": \"array\", \"items\": ");
        print_table(p, f->table);
        print(p, "}");
        break;
    case PL__FIELD_IGNORED: print(p, "true"); break;
    }
}

// A property: its type, and its help where the form of a type allows one.
static void print_property(const printer *p, const pl__field *f)
{
    print(p, "\n");
    print_quoted(p, f->name);
    print(p, ": {\"description\": ");
    char help[400];
    snprintf(help, sizeof help, "%s%s%s%s", f->help, f->unit && f->unit[0] ? " [" : "", f->unit ? f->unit : "", f->unit && f->unit[0] ? "]" : "");
    print_quoted(p, help);
    print(p, ", \"allOf\": [");
    print_type(p, f);
    print(p, "]}");
}

static void print_object(const printer *p, const pl__table *table)
{
    print(p, "{\"type\": \"object\", \"additionalProperties\": false%s, \"properties\": {", table->one_of ? ", \"minProperties\": 1, \"maxProperties\": 1" : "");
    for (int32_t i = 0; i < table->field_count; ++i)
    {
        print(p, i ? "," : "");
        print_property(p, &table->field[i]);
    }
    print(p, "}}");
}

static void print_table(const printer *p, const pl__table *table)
{
    if (!table->bare)
    {
        print_object(p, table);
        return;
    }
    print(p, "{\"anyOf\": [");
    print_type(p, pl__table_find(table, table->bare));
    print(p, ", ");
    print_object(p, table);
    print(p, "]}");
}

void pl__schema_write(pl__put_function *put, void *user)
{
    printer p = {put, user};
    print(&p, "{\"$schema\": \"http://json-schema.org/draft-07/schema#\", \"title\": \"Pliant scene\", \"allOf\": [");
    print_table(&p, &pl__scene_table);
    print(&p, "]}\n");
}

// ---- reference page --------------------------------------------------------------------------------------------

static const char *kind_words(const pl__field *f)
{
    switch (f->kind)
    {
    case PL__FIELD_NUMBER: return "number";
    case PL__FIELD_VECTOR: return f->components == 2 ? "[a, b]" : "[x, y, z]";
    case PL__FIELD_INTEGER: return "whole number";
    case PL__FIELD_BOOL: return "true or false";
    case PL__FIELD_TEXT: return "text";
    case PL__FIELD_FILE: return "file";
    case PL__FIELD_CHOICES: return "list";
    case PL__FIELD_COLOR: return "colour";
    case PL__FIELD_BOX: return "two corners";
    case PL__FIELD_ROWS: return "list of lists";
    case PL__FIELD_INTEGERS: return "list of numbers";
    case PL__FIELD_TARGET: return "[x, y, z] or a body";
    case PL__FIELD_LIST: return "list";
    case PL__FIELD_CHOICE:
    case PL__FIELD_RECORD:
    case PL__FIELD_MAP:
    case PL__FIELD_IGNORED: break;
    }
    return "object";
}

static void print_kind(const printer *p, const pl__field *f)
{
    const char *const *choice = f->choices;
    if (f->kind == PL__FIELD_CHOICES)
        print(p, "list of ");
    else if (!choice)
        print(p, "%s%s", kind_words(f), f->keyed ? ", keyed" : "");
    for (; choice && *choice; ++choice)
        print(p, "%s`%s`", choice == f->choices ? "" : ", ", *choice);
}

static bool has_range(const pl__field *f)
{
    bool numeric = f->kind == PL__FIELD_NUMBER || f->kind == PL__FIELD_VECTOR || f->kind == PL__FIELD_INTEGER || f->kind == PL__FIELD_BOX || f->kind == PL__FIELD_TARGET;
    return numeric && (isfinite(f->low) || isfinite(f->high));
}

static void print_default(const printer *p, const pl__field *f)
{
    if (f->fallback_text)
        print(p, "%s", f->fallback_text);
    else if (f->kind == PL__FIELD_CHOICE)
        print(p, "%s", f->choices[(int)f->fallback[0]]);
    else if (f->kind == PL__FIELD_BOOL)
        print(p, "%s", f->fallback[0] != 0 ? "true" : "false");
    else if (f->kind == PL__FIELD_NUMBER || f->kind == PL__FIELD_INTEGER)
        print(p, "%g", f->fallback[0]);
    else if (f->kind == PL__FIELD_VECTOR && f->components == 2)
        print(p, "[%g, %g]", f->fallback[0], f->fallback[1]);
    else if (f->kind == PL__FIELD_VECTOR || f->kind == PL__FIELD_COLOR)
        print(p, "[%g, %g, %g]", f->fallback[0], f->fallback[1], f->fallback[2]);
}

static void print_row(const printer *p, const pl__field *f)
{
    static const char *const when[] = {"any time", "live", "branch", "rerun"};
    char range[120] = "";
    if (has_range(f))
    {
        pl__range_text(f, range, sizeof range);
        memmove(range, range + 5, strlen(range + 5) + 1); // without "must "
        memmove(range, range + 3, strlen(range + 3) + 1); // without "be "
    }
    print(p, "| `%s` | ", f->name);
    print_kind(p, f);
    print(p, " | ");
    print_default(p, f);
    print(p, " | %s | %s | %s |\n", range, when[f->when], f->help);
}

static void print_rows(const printer *p, const pl__table *table)
{
    print(p, "| key | what | default | range | may change | |\n|---|---|---|---|---|---|\n");
    for (int32_t i = 0; i < table->field_count; ++i)
        print_row(p, &table->field[i]);
    print(p, "\n");
}

// A table and those below it that have not been printed yet.
static void print_section(const printer *p, const pl__table *table, const pl__table **done, int32_t *done_count)
{
    for (int32_t i = 0; i < *done_count; ++i)
        if (done[i] == table)
            return;
    done[(*done_count)++] = table;
    if (table->title)
        print(p, "## %s\n\n%s\n\n", table->title, table->help ? table->help : "");
    print_rows(p, table);
    for (int32_t i = 0; i < table->field_count; ++i)
        if (table->field[i].table && !table->field[i].table->title)
        {
            print(p, "`%s`:\n\n", table->field[i].name);
            print_rows(p, table->field[i].table);
            if (strcmp(table->title ? table->title : "", "Paint") == 0)
                break; // its three are alike
        }
    for (int32_t i = 0; i < table->field_count; ++i)
        if (table->field[i].table && table->field[i].table->title)
            print_section(p, table->field[i].table, done, done_count);
}

static void print_presets(const printer *p)
{
    print(p, "## Presets of materials\n\n| name | | model | young [Pa] | poisson | density [kg/m^3] | damping [s] |\n|---|---|---|---|---|---|---|\n");
    for (int32_t i = 0; pl__preset_at(i); ++i)
    {
        const pl__preset *m = pl__preset_at(i);
        print(p, "| `%s` | %s | %s | %g | %g | %g | %g |\n", m->name, m->help, pl_material_kind_name((int32_t)m->model), m->young, m->poisson, m->density, m->damping);
    }
}

void pl__reference_write(pl__put_function *put, void *user)
{
    const pl__table *done[32];
    int32_t done_count = 0;
    printer p = {put, user};
    print(&p, "# Scene files: reference\n\nWritten by `pliant schema --reference` from the tables that read scene files; do not edit.\n\n");
    print(&p, "*May change* says when another value makes sense: *any time* (pictures, exports, more frames: a finished run stays valid), "
              "*live* (while it runs, or where a run branches), *branch* (where a run branches), *rerun* (it is another run).\n\n");
    print_section(&p, &pl__scene_table, done, &done_count);
    print_presets(&p);
}

// src/base/field.h -- one row per field: name, default, range, unit, help, and when it may change.
//
// A field of a definition (pl_material_def.young) is one row of a table, *_fields.inl. The default of the definition,
// its check, the key of scene files, live parameters, the schema, the reference page and the fingerprint of snapshots
// are generated from that row; rules about several fields are code, after the check of the ranges. Rows are written
// with the macros of base/field_rows.h.
#ifndef PL_BASE_FIELD_H
#define PL_BASE_FIELD_H

#include "service.h"

#include <stddef.h>

// When a value may be changed.
typedef enum pl__when
{
    PL__WHEN_ANY,    // no effect on the simulation: pictures, exports, more frames
    PL__WHEN_LIVE,   // while running (pl_world_set, sliders), and at branches
    PL__WHEN_BRANCH, // at branches of a run
    PL__WHEN_RERUN   // never: needs a new run
} pl__when;

// Type of a field, in a definition and, if different, in a record of a scene file (scene/record.h).
typedef enum pl__field_kind
{
    PL__FIELD_NUMBER,   // double; in a scene file pl__keyed_value when it may be keyed
    PL__FIELD_VECTOR,   // double[components]; or pl__keyed_value
    PL__FIELD_INTEGER,  // int32_t
    PL__FIELD_BOOL,     // int32_t, 0 or 1
    PL__FIELD_CHOICE,   // int32_t or an enumeration: which of `choices`
    PL__FIELD_TEXT,     // this and the following in scene files only
    PL__FIELD_FILE,     // const char *, as written; relative to the scene file
    PL__FIELD_CHOICES,  // uint32_t: a list of choices, one bit each
    PL__FIELD_COLOR,    // double[3], sRGB in [0, 1]: a list or "#rrggbb"
    PL__FIELD_BOX,      // double[6]: two corners
    PL__FIELD_ROWS,     // pl__rows: a list of lists of numbers
    PL__FIELD_INTEGERS, // pl__integers
    PL__FIELD_TARGET,   // pl__target: a point, or the name of a body
    PL__FIELD_RECORD,   // the struct of `table`
    PL__FIELD_MAP,      // pl__items: records by name
    PL__FIELD_LIST,     // pl__items: records in order
    PL__FIELD_IGNORED   // anything; nothing is stored
} pl__field_kind;

struct pl__table;
typedef struct pl__field
{
    const char *name;
    pl__field_kind kind;
    size_t offset; // in its struct
    pl__when when;
    bool keyed; // may have keyframes
    int32_t components;
    double fallback[3]; // the default
    double low, high;
    bool low_open, high_open;
    bool automatic;                // 0 in a definition, absent in a scene: use the default described by `fallback_text`
    const char *fallback_text;     // default of texts; or the description of a computed default in the reference page
    const char *const *choices;    // terminated by NULL
    const char *type;              // the enumeration of a choice
    const struct pl__table *table; // of records, maps and lists
    const char *unit;
    const char *help;
} pl__field;

// The rows of one definition.
typedef struct pl__fields
{
    const pl__field *row;
    int32_t count;
} pl__fields;

const pl__field *pl__fields_find(const pl__fields *fields, const char *name);
// Set every field of `def` to its default.
void pl__fields_default(const pl__fields *fields, void *def);
// Check every field of `def` against its range; `owner` ("materials.jelly") is the prefix of the error path.
PL_NODISCARD pl_status pl__fields_check(pl_context *ctx, const pl__fields *fields, const void *def, const char *owner);
// Check one field by name.
PL_NODISCARD pl_status pl__fields_check_one(pl_context *ctx, const pl__fields *fields, const char *name,
                                            const void *def, const char *owner);
// Check a value for a component of a field, before it is stored.
PL_NODISCARD pl_status pl__field_check_value(pl_context *ctx, const pl__field *field, const char *path, double value);
// Hash of all fields that are not live.
uint64_t pl__fields_hash(uint64_t hash, const pl__fields *fields, const void *def);

bool pl__field_allows(const pl__field *field, double value);
// The value of a field in its struct; for a choice or switch, its index.
double pl__field_get(const pl__field *field, const void *def, int32_t component);
// "-1 must be in [1e-9, 1e15] Pa"
void pl__refusal_text(const pl__field *field, double value, char *text, size_t size);
// "must be in [1e-9, 1e15] Pa"
void pl__range_text(const pl__field *field, char *text, size_t size);
// A number in common notation: 1e6, not 1e+06.
void pl__number_text(double value, int digits, char text[32]);
// The names of live fields: "young, poisson, damping and activation".
void pl__live_names(const pl__fields *fields, char *text, size_t size);

#endif

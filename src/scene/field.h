// src/scene/field.h -- what a key of a scene file means: one row of a table says it for everybody.
//
// The rows of src/scene/tables.c give the name, kind, default, range, unit and help of every key, and when it may
// change. The reader, --set, the JSON schema, the reference page and the rules about resuming are all made from them.
#ifndef PL_SCENE_FIELD_H
#define PL_SCENE_FIELD_H

#include "json.h"

// When a value may be changed.
typedef enum pl__when
{
    PL__WHEN_ANY,    // it does not change what was simulated: pictures, exports, more frames
    PL__WHEN_LIVE,   // while running (pl_world_set, sliders), so also where a run branches
    PL__WHEN_BRANCH, // where a run branches
    PL__WHEN_RERUN   // never: it is another run
} pl__when;

typedef enum pl__field_kind
{
    PL__FIELD_NUMBER,   // double, or pl__keyed_value when it may be keyed
    PL__FIELD_VECTOR,   // double[components], or pl__keyed_value
    PL__FIELD_INTEGER,  // int32_t
    PL__FIELD_BOOL,     // int32_t
    PL__FIELD_TEXT,     // const char *
    PL__FIELD_FILE,     // const char *, as written; relative to the scene file
    PL__FIELD_CHOICE,   // int32_t: which of `choices`
    PL__FIELD_CHOICES,  // uint32_t: a list of them, one bit each
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

// A number or vector that may have keys.
typedef struct pl__keyed_value
{
    double value[3]; // without keys, or at the first key
    int32_t count;   // of keys; 0: constant
    int32_t components;
    int32_t ease;   // a pl_ease
    double *times;  // [count]
    double *values; // [count components]
} pl__keyed_value;

typedef struct pl__rows
{
    int32_t row_count;
    int32_t *lengths; // [row_count]
    double **row;     // [row_count][its length]
} pl__rows;

typedef struct pl__integers
{
    int32_t count;
    int32_t *value;
} pl__integers;

typedef struct pl__target
{
    const char *name; // or NULL
    pl__keyed_value point;
} pl__target;

// Records of a map or list; each begins with a pl__record.
typedef struct pl__items
{
    int32_t count;
    void *item; // [count] of the table's size
} pl__items;

// The first member of every struct that a table describes.
typedef struct pl__record
{
    const pl__json *json; // where it stands; NULL when it is not in the file
    const char *name;     // its key in a map, else NULL
    int32_t which;        // of a one-of table: the field that was given, or -1
} pl__record;

struct pl__table;
typedef struct pl__field
{
    const char *name;
    pl__field_kind kind;
    size_t offset;
    pl__when when;
    bool keyed;
    int32_t components;
    double fallback[3];
    double low, high;
    bool low_open, high_open;
    const char *fallback_text;     // of texts and choices; or what the reference page says about a computed default
    const char *const *choices;    // ended by NULL
    const struct pl__table *table; // of records, maps and lists
    const char *unit;
    const char *help;
} pl__field;

typedef struct pl__table
{
    const char *title; // of its section in the reference page
    const char *help;
    size_t size;
    const pl__field *field;
    int32_t field_count;
    const char *bare; // the field that a bare value (not an object) stands for, or NULL
    bool one_of;      // exactly one field is given
    bool optional;    // being absent means that there is no such thing, not that it has its defaults
    bool inherits;    // what is not given comes from elsewhere, not from the defaults of the fields
} pl__table;

// Fill `record` (a struct of `table`, zeroed) with defaults and with what `json` says. `path` starts the sentences (""
// at the top). `json` NULL: defaults only.
pl_status pl__record_read(pl__json_doc *doc, const pl__table *table, const pl__json *json, const char *path,
                          void *record);

const pl__field *pl__table_find(const pl__table *table, const char *name);
// Whether a record gives a value of that name itself.
bool pl__given(const pl__record *record, const char *name);
// The value of that name in a record, or the record itself, for sentences about it.
const pl__json *pl__where(const pl__record *record, const char *name);

// The name in `known` (ended by NULL) that `name` is probably meant to be, or NULL.
const char *pl__near_miss(const char *name, const char *const *known);
// A number as people write it: 1e6, not 1e+06.
void pl__number_text(double value, int digits, char text[32]);
// "must be above 0 and at most 1e15 Pa" for the range of a field.
void pl__range_text(const pl__field *field, char *text, size_t size);

#endif

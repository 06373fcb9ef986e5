// src/scene/record.h -- tables of the keys of scene files.
//
// A row of src/scene/tables.c has the name, kind, default, range, unit and help of a key, and when it may change. The
// reader, --set, the JSON schema, the reference page and the rules for resuming are all generated from the rows. Keys
// that are fields of a definition have their rows in the table of that definition, *_fields.inl, which tables.c
// includes.
#ifndef PL_SCENE_RECORD_H
#define PL_SCENE_RECORD_H

#include "base/field.h"
#include "json.h"

// A number or vector that may have keyframes.
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
    void *item; // [count] structs of the table's size
} pl__items;

// The first member of every struct that a table describes.
typedef struct pl__record
{
    const pl__json *json; // its value in the file; NULL when it is not in the file
    const char *name;     // its key in a map, else NULL
    int32_t which;        // of a one-of table: the field given, or -1
} pl__record;

typedef struct pl__table
{
    const char *title; // of its section in the reference page
    const char *help;
    size_t size;
    const pl__field *field;
    int32_t field_count;
    const char *bare; // the field that a bare value (not an object) sets, or NULL
    bool one_of;      // exactly one field is given
    bool optional;    // absent means none, not the defaults
    bool inherits;    // missing fields are inherited, not set to defaults
} pl__table;

// Fill `record` (a zeroed struct of `table`) with defaults and the values of `json`. `path` is the prefix of error
// messages ("" at the top). `json` NULL: defaults only.
pl_status pl__record_read(pl__json_doc *doc, const pl__table *table, const pl__json *json, const char *path,
                          void *record);

const pl__field *pl__table_find(const pl__table *table, const char *name);
// Whether a record itself gives a value of that name.
bool pl__given(const pl__record *record, const char *name);
// The value of that name in a record, or the record itself, as the location for error messages.
const pl__json *pl__where(const pl__record *record, const char *name);

// Copy the fields of a definition from a record of a scene file by name; with `given` only those in the file. Keyframes
// are not copied.
void pl__fields_take(const pl__fields *fields, const pl__table *table, const void *record, bool given, void *def);
// The keyframes of a field in a record; NULL if it is constant or not given.
const pl__keyed_value *pl__record_keys(const pl__table *table, const void *record, const char *name);

// Members of a struct of scene/file.h, from a table of a definition.
#define PL__MEMBER_NUMBER(name) double name;
#define PL__MEMBER_KEYED(name) pl__keyed_value name;
#define PL__MEMBER_VECTOR(name) double name[3];
#define PL__MEMBER_KEYED_VECTOR(name) pl__keyed_value name;
#define PL__MEMBER_INTEGER(name) int32_t name;
#define PL__MEMBER_SWITCH(name) int32_t name;
#define PL__MEMBER_CHOICE(name) int32_t name;

// The closest match to `name` in `known` (terminated by NULL), or NULL.
const char *pl__near_miss(const char *name, const char *const *known);

#endif

// src/scene/json.h -- JSON with comments and trailing commas, and a line and column on every value.
//
// A document is a tree of values that remember their locations, for error messages now or much later:
//
//     scene.json:14:22: bodies.jelly.poisson: 0.52 must be below 0.5
//
// Values given on the command line (--set) have no line; their messages begin with the option as typed.
#ifndef PL_SCENE_JSON_H
#define PL_SCENE_JSON_H

#include "base/service.h"
#include "io/write.h"

typedef enum pl__json_kind
{
    PL__JSON_NULL,
    PL__JSON_BOOL,
    PL__JSON_NUMBER,
    PL__JSON_STRING,
    PL__JSON_ARRAY,
    PL__JSON_OBJECT
} pl__json_kind;

typedef struct pl__json
{
    pl__json_kind kind;
    int32_t line, column;         // start, from 1; line 0: from the command line
    int32_t key_line, key_column; // of its key, in an object
    int32_t count;                // children
    int32_t index;                // among its siblings, from 0
    uint32_t key_hash;
    const char *source;            // name of the file, or the option as typed
    const char *key;               // in an object, else NULL
    const struct pl__json *parent; // NULL for the root
    struct pl__json *next;         // its next sibling
    struct pl__json *first, *last; // children of arrays and objects
    struct pl__json **slot;        // [slot_count] hash table of the children of a large object, or NULL
    uint32_t slot_count;           // a power of two
    const char *text;              // of a string, zero-terminated, no zero inside
    double number;                 // finite; a bool is 0 or 1
} pl__json;

// Owns the values and everything allocated from it.
typedef struct pl__json_doc
{
    pl_context *ctx;
    struct pl__json_block *block;
    pl__json *root;
} pl__json_doc;

// Parse `size` bytes; `name` is the file name in error messages. On failure (PL_ERR_FORMAT, PL_ERR_MEMORY) there is
// nothing to free.
pl_status pl__json_parse(pl_context *ctx, const char *name, const void *data, size_t size, pl__json_doc *doc);
void pl__json_free(pl__json_doc *doc);

// Parse a --set value: JSON, or otherwise a bare string. `option` is the text as typed, for error messages.
pl_status pl__json_parse_option(pl__json_doc *doc, const char *option, const char *text, pl__json **value);

// Zeroed memory that lives as long as the document; NULL when out of memory.
void *pl__json_take(pl__json_doc *doc, size_t count, size_t size);
const char *pl__json_keep(pl__json_doc *doc, const char *text);

// The child of that key, or NULL (also for anything that is not an object).
pl__json *pl__json_find(const pl__json *object, const char *key);
// Replace the value of `key`, or append it. False when out of memory.
bool pl__json_put(pl__json_doc *doc, pl__json *object, const char *key, pl__json *value);
// A new value with the location of `where`; NULL when out of memory.
pl__json *pl__json_new(pl__json_doc *doc, pl__json_kind kind, const pl__json *where);

// "a number", "a string", ... for error messages.
const char *pl__json_kind_name(const pl__json *value);

// Set the parent of the children of a value that was moved.
void pl__json_adopt(pl__json *parent);
// Path of a value: "bodies.torus.pins.0.move"; indices of plain values in lists are omitted.
void pl__json_path(const pl__json *value, char *text, size_t size);
// The value at such a path below `root`, or NULL.
const pl__json *pl__json_at(const pl__json *root, const char *path);

// PL_ERR_FORMAT with a message about a value, or about its key. The error path is that of the value.
pl_status pl__json_fail(pl_context *ctx, const pl__json *value, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
pl_status pl__json_fail_key(pl_context *ctx, const pl__json *value, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// Location only, "scene.json:14:22" or "--set a=b", for warnings.
void pl__json_place(const pl__json *value, char *text, size_t size);

// Whether two values are equal.
bool pl__json_equal(const pl__json *a, const pl__json *b);
// Write a value as JSON: objects over several lines, arrays of plain values on one.
void pl__json_write(pl__writer *w, const pl__json *value, int indent);
void pl__json_write_string(pl__writer *w, const char *text);

#endif

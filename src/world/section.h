// src/world/section.h -- sections of snapshots: each module writes, reads and versions its own state.
//
// A module describes its section by a constant pl__section_type and registers it when a world is created
// (section_list.c); snapshot.c knows nothing else about it. Sections stand in a snapshot in the order of registration
// and are found by their tags in any order. Reading iterates over the registered types, again in their order, twice:
// the first pass checks everything and changes nothing, the second applies. A missing section is read as an empty one.
//
// To change a layout: `version` goes up by one, and `read` looks at from->version to migrate sections written before,
// down to `oldest`.
#ifndef PL_WORLD_SECTION_H
#define PL_WORLD_SECTION_H

#include "base/context.h"

#include <stdbool.h>

// Memory for a section while a snapshot is written.
typedef struct pl__section_writer
{
    char *at, *end;
    size_t excess; // bytes that did not fit: `bytes` and `write` of a type disagree
} pl__section_writer;

// Bytes of a section while a snapshot is read.
typedef struct pl__section_reader
{
    pl_context *ctx;
    const char *tag;
    uint32_t version; // the section was written in, within [oldest, version] of its type
    const char *at, *end;
} pl__section_reader;

typedef struct pl__section_type
{
    char tag[5];      // four letters, unique
    uint32_t version; // written
    uint32_t oldest;  // version that can still be read
    bool optional;    // may be missing in a snapshot even if the present state needs bytes
    // Current length; 0: the section is omitted. NULL, as `write` and `read`: no state, only hooks.
    size_t (*bytes)(const void *user);
    // Write exactly that many bytes.
    void (*write)(const void *user, pl__section_writer *to);
    // Read all bytes of `from`. With `apply` false, check them and change no saved state; with `apply` true, after all
    // sections were checked, store them, which must not fail. Exception: the section registered first may fail to
    // allocate memory, and then changes nothing.
    pl_status (*read)(void *user, pl__section_reader *from, bool apply);
    // End of a load. `loaded`: all sections were applied; otherwise it was refused, and resources of the check pass are
    // released. NULL: nothing to do.
    void (*end)(void *user, bool loaded);
    // Continue the hash `h` with the model that the state belongs to, and with the scripts that drive it. NULL:
    // nothing.
    uint64_t (*fingerprint)(const void *user, uint64_t h);
    uint64_t (*script)(const void *user, uint64_t h);
} pl__section_type;

enum
{
    PL__SECTIONS = 32
};

typedef struct pl__sections
{
    const pl__section_type *type[PL__SECTIONS]; // [count]
    void *user[PL__SECTIONS];                   // [count] first argument of the functions of each
    int32_t count;
} pl__sections;

// Register a section at the end; `type` must outlive the list. PL_ERR_STATE if its tag is taken or there are
// PL__SECTIONS.
PL_NODISCARD pl_status pl__sections_add(pl_context *ctx, pl__sections *sections, const pl__section_type *type,
                                        void *user);
// Index of the section with a tag, or -1. Types without state are not found.
int32_t pl__sections_find(const pl__sections *sections, const char *tag);

// Append bytes.
void pl__section_put(pl__section_writer *to, const void *from, size_t size);
// Append zeros, to be filled in by the caller; NULL if they do not fit.
char *pl__section_room(pl__section_writer *to, size_t size);

static inline size_t pl__section_left(const pl__section_reader *from) { return (size_t)(from->end - from->at); }
// Copy the next bytes. PL_ERR_FORMAT if there are too few.
PL_NODISCARD pl_status pl__section_get(pl__section_reader *from, void *to, size_t size);
// Pointer to the next bytes, of any alignment. PL_ERR_FORMAT if there are too few.
PL_NODISCARD pl_status pl__section_view(pl__section_reader *from, size_t size, const char **bytes);
// PL_ERR_FORMAT with a message that starts with the tag of the section.
pl_status pl__section_fail(const pl__section_reader *from, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// Whether `count` doubles at an address of any alignment are finite.
bool pl__all_finite(const void *doubles, size_t count);

#endif

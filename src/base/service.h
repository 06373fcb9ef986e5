// src/base/service.h -- services of a context: memory, errors, log, files.
//
// Sufficient for the command line program and the headers that it includes; the struct itself is in context.h.
#ifndef PL_BASE_SERVICE_H
#define PL_BASE_SERVICE_H

#include <pliant/base.h>
#include <stdbool.h>

enum
{
    PL__ERROR_PATH = 192 // bytes of the path of an error
};

// Memory aligned to 64 bytes, uninitialised; NULL with the error message set when out of memory.
void *pl__alloc(pl_context *ctx, size_t size);
// The same, for `count` items of `size` bytes, cleared to zero; refuses a product that overflows.
void *pl__calloc(pl_context *ctx, size_t count, size_t size);
void pl__free(pl_context *ctx, void *pointer, size_t size);

// Typed forms: PL_NEW(ctx, count, T) and PL_DELETE(ctx, pointer, count), which also nulls the pointer.
#define PL_NEW(ctx, count, T) ((T *)pl__calloc((ctx), (size_t)(count), sizeof(T)))
#define PL_DELETE(ctx, pointer, count)                                                                                 \
    (pl__free((ctx), (pointer), (size_t)(count) * sizeof *(pointer)), (pointer) = NULL)

// Make sure that a growing array holds `needed` items; amortised doubling. False when out of memory: nothing changed.
bool pl__grow(pl_context *ctx, void **array, size_t item_size, size_t *capacity, size_t needed);
#define PL_GROW(ctx, array, capacity, needed) pl__grow((ctx), (void **)&(array), sizeof *(array), (capacity), (needed))

// Set the error message and return `status`, so that a failing function can `return pl__fail(...)`.
pl_status pl__fail(pl_context *ctx, pl_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));
// The same about the value at `path` ("bodies.ball.mass"), which starts the message and is stored beside it
// (pl_context_error_path), so that messages need not be parsed.
pl_status pl__fail_path(pl_context *ctx, pl_status status, const char *path, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
// The same with PL_ERR_ARGUMENT, about a field of `owner` ("" : the path is the field).
pl_status pl__fail_field(pl_context *ctx, const char *owner, const char *field, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
// Set the path of the last failure; its message stays. Returns `status`.
pl_status pl__fail_about(pl_context *ctx, pl_status status, const char *path);
// Prepend `owner` to message and path of the last failure. Returns `status`.
pl_status pl__fail_within(pl_context *ctx, pl_status status, const char *owner);
// Prepend text to the message of the last failure; its path stays. Returns `status`.
pl_status pl__fail_begin(pl_context *ctx, pl_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void pl__log(pl_context *ctx, pl_log_level level, const char *format, ...) __attribute__((format(printf, 3, 4)));

// The file reader of the context; see also pl__file_fail in io/write.h.
const pl_file_reader *pl__file_reader(const pl_context *ctx);

#define PL_TRY(call)                                                                                                   \
    do                                                                                                                 \
    {                                                                                                                  \
        pl_status pl_try_status = (call);                                                                              \
        if (pl_try_status != PL_OK)                                                                                    \
            return pl_try_status;                                                                                      \
    } while (0)

// Check of the caller: always on, at the public boundary.
#define PL_CHECK(ctx, condition, ...)                                                                                  \
    do                                                                                                                 \
    {                                                                                                                  \
        if (!(condition))                                                                                              \
            return pl__fail((ctx), PL_ERR_ARGUMENT, __VA_ARGS__);                                                      \
    } while (0)

// The same about a field of a definition: PL_CHECK_FIELD(ctx, def->law, "materials.jelly", "law", "is NULL").
#define PL_CHECK_FIELD(ctx, condition, owner, field, ...)                                                              \
    do                                                                                                                 \
    {                                                                                                                  \
        if (!(condition))                                                                                              \
            return pl__fail_field((ctx), (owner), (field), __VA_ARGS__);                                               \
    } while (0)

// Check of ourselves: on in all builds but Release.
#ifdef NDEBUG
#define PL_ASSERT(condition) ((void)0)
#else
#define PL_ASSERT(condition) ((condition) ? (void)0 : __builtin_trap())
#endif

#endif

// src/base/service.h -- what a context does for code that does not look into it: memory, errors, log, files.
//
// Enough for the command line program and for headers that it includes; the struct itself is in context.h.
#ifndef PL_BASE_SERVICE_H
#define PL_BASE_SERVICE_H

#include <pliant/base.h>
#include <stdbool.h>

enum
{
    PL__ERROR_PATH = 192 // bytes of the path of an error
};

// Memory aligned to 64 bytes, not cleared; NULL (and the error sentence set) when there is none.
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

// Set the error sentence and return `status`, so that a failing function can `return pl__fail(...)`.
pl_status pl__fail(pl_context *ctx, pl_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));
// The same about the value at `path` ("bodies.ball.mass"), which begins the sentence and is kept beside it
// (pl_context_error_path): nobody has to read a sentence to find what it is about.
pl_status pl__fail_path(pl_context *ctx, pl_status status, const char *path, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
// The same with PL_ERR_ARGUMENT, about a field of `owner` ("" : the path is the field).
pl_status pl__fail_field(pl_context *ctx, const char *owner, const char *field, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
// The last failure was about the value at `path`; its sentence stays. Returns `status`.
pl_status pl__fail_about(pl_context *ctx, pl_status status, const char *path);
// The last failure was about something within `owner`: put that before sentence and path. Returns `status`.
pl_status pl__fail_within(pl_context *ctx, pl_status status, const char *owner);
// Begin the sentence of the last failure with other words; its path stays. Returns `status`.
pl_status pl__fail_begin(pl_context *ctx, pl_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void pl__log(pl_context *ctx, pl_log_level level, const char *format, ...) __attribute__((format(printf, 3, 4)));

// How the context reads files; see also pl__file_fail in io/write.h.
const pl_file_reader *pl__file_reader(const pl_context *ctx);

#define PL_TRY(call)                                                                                                   \
    do                                                                                                                 \
    {                                                                                                                  \
        pl_status pl_try_status = (call);                                                                              \
        if (pl_try_status != PL_OK)                                                                                    \
            return pl_try_status;                                                                                      \
    } while (0)

// The caller may be wrong: always on, at the public boundary.
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

// We may be wrong: on in all builds but Release.
#ifdef NDEBUG
#define PL_ASSERT(condition) ((void)0)
#else
#define PL_ASSERT(condition) ((condition) ? (void)0 : __builtin_trap())
#endif

#endif

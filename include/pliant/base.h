// include/pliant/base.h -- status codes and the context that owns all other objects.
//
// A context holds the services that the library uses: memory, log, file access, threads. There are no globals: contexts
// are independent of each other. A context and the objects created from it may be used by one thread at a time;
// different contexts may be used by different threads concurrently.
//
// Every function that can fail returns a pl_status and leaves a message in pl_context_error(): the fault, its value,
// and what is allowed. A failed call changes nothing but that message.
//
// A NULL handle (pl_context, pl_mesh, pl_surface, pl_scene, pl_world), or a NULL pointer for a resulting handle, is
// PL_ERR_ARGUMENT, without a message if no context is known; functions without a status return 0 or NULL, and
// destroying NULL is allowed. Arrays and results must not be NULL unless documented as optional.
#ifndef PLIANT_BASE_H
#define PLIANT_BASE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PL_NODISCARD __attribute__((warn_unused_result))

#if defined(PL_SHARED)
#define PL_API __attribute__((visibility("default")))
#else
#define PL_API
#endif

#define PL_VERSION_MAJOR 0
#define PL_VERSION_MINOR 1
#define PL_VERSION_PATCH 0

typedef enum pl_status
{
    PL_OK = 0,
    PL_ERR_ARGUMENT, ///< an argument is outside its documented range
    PL_ERR_MEMORY,   ///< the allocator returned NULL
    PL_ERR_FILE,     ///< a file could not be read or written
    PL_ERR_FORMAT,   ///< a file was read but its contents are wrong; the message starts with file:line:
    PL_ERR_STATE,    ///< the call does not fit the object's state (a removed body, a foreign snapshot)
    PL_ERR_NUMERIC   ///< a value is no longer finite; the message names it
} pl_status;

/// The name of a status, such as "PL_ERR_ARGUMENT". Never NULL.
PL_API const char *pl_status_name(pl_status status);

typedef enum pl_log_level
{
    PL_LOG_NOTE,   ///< something was repaired or chosen for you
    PL_LOG_WARNING ///< probably not what you meant
} pl_log_level;

/// Memory allocator. `allocate` returns `size` bytes aligned to `alignment` (a power of two, at most 64) or NULL;
/// `release` takes a pointer from `allocate`, with the same size.
typedef struct pl_allocator
{
    void *(*allocate)(void *user, size_t size, size_t alignment);
    void (*release)(void *user, void *pointer, size_t size);
    void *user;
} pl_allocator;

/// Runs `task(argument, i)` for every i in [0, count), in any order and on any threads, and returns when all are done.
/// Results of the library do not depend on order or threads. A task may need 128 KB of stack.
typedef struct pl_task_runner
{
    void (*run)(void *user, int32_t count, void (*task)(void *argument, int32_t i), void *argument);
    void *user;
} pl_task_runner;

/// Reads a whole file. On success returns 0 and sets `*data` (owned by the reader until `close`) and `*size`;
/// otherwise returns an errno value.
typedef struct pl_file_reader
{
    int (*open)(void *user, const char *path, const void **data, size_t *size);
    void (*close)(void *user, const void *data, size_t size);
    void *user;
} pl_file_reader;

typedef struct pl_context_def
{
    pl_allocator allocator;                                            ///< default: aligned_alloc and free
    void (*log)(void *user, pl_log_level level, const char *sentence); ///< default: NULL, silent
    void *log_user;                                                    ///< first argument of `log`
    pl_file_reader file_reader;                                        ///< default: the file system
    pl_task_runner task_runner;                                        ///< default: the library's own pool
    int32_t thread_count; ///< threads of the library's own pool, in [1, 256]; 0 (default): one per processor
    uint32_t cookie;      ///< set by pl_context_def_default(); do not touch
} pl_context_def;

typedef struct pl_context pl_context;

/// A definition with every default filled in.
PL_API pl_context_def pl_context_def_default(void);

/// Create a context. The definition is copied. Fails with PL_ERR_ARGUMENT (thread_count out of range, no cookie) or
/// PL_ERR_MEMORY; then `*context` is NULL and there is no error message. The environment variable
/// PLIANT_SIMD=0|16|32|64 caps the register width in bytes; the results are the same.
PL_API PL_NODISCARD pl_status pl_context_create(const pl_context_def *def, pl_context **context);

/// Destroy a context and set the pointer to NULL. Everything created from it must be destroyed before.
PL_API void pl_context_destroy(pl_context **context);

/// The message of the last failed call, or "" if none failed. Valid until the next call with this context.
PL_API const char *pl_context_error(const pl_context *context);

/// The path of the value that the message is about, such as "bodies.torus.material.young", or "". Valid until the next
/// call with this context.
PL_API const char *pl_context_error_path(const pl_context *context);

/// Bytes of memory in use through this context's allocator.
PL_API size_t pl_context_memory(const pl_context *context);

/// Width in bytes of the registers in use: 0, 16, 32 or 64.
PL_API int32_t pl_context_register_bytes(const pl_context *context);

/// Threads of the library's own pool (1 when a task runner was given).
PL_API int32_t pl_context_thread_count(const pl_context *context);

#ifdef __cplusplus
}
#endif
#endif

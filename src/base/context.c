// src/base/context.c -- the context: services of the host.
#include "context.h"
#include "cpu.h"
#include "file.h"
#include "task.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

enum
{
    CONTEXT_COOKIE = 0x506c6331,
    MAX_THREADS = 256,
    ALIGNMENT = 64,
    HUGE_PAGE = 2 << 20,
    LARGE = 4 << 20
};

static void *default_allocate(void *user, size_t size, size_t alignment)
{
    (void)user;
    if (size < LARGE)
        return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    void *pointer = aligned_alloc(HUGE_PAGE, (size + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE);
#ifdef __linux__
    if (pointer)
        (void)madvise(pointer, size, MADV_HUGEPAGE);
#endif
    return pointer;
}

static void default_release(void *user, void *pointer, size_t size)
{
    (void)user;
    (void)size;
    free(pointer);
}

static int default_open(void *user, const char *path, const void **data, size_t *size)
{
    (void)user;
    return pl__read_file(path, (void **)data, size);
}

static void default_close(void *user, const void *data, size_t size)
{
    (void)user;
    (void)size;
    free((void *)data);
}

const char *pl_status_name(pl_status status)
{
    switch (status)
    {
    case PL_OK: return "PL_OK";
    case PL_ERR_ARGUMENT: return "PL_ERR_ARGUMENT";
    case PL_ERR_MEMORY: return "PL_ERR_MEMORY";
    case PL_ERR_FILE: return "PL_ERR_FILE";
    case PL_ERR_FORMAT: return "PL_ERR_FORMAT";
    case PL_ERR_STATE: return "PL_ERR_STATE";
    case PL_ERR_NUMERIC: return "PL_ERR_NUMERIC";
    }
    return "unknown status";
}

pl_context_def pl_context_def_default(void)
{
    return (pl_context_def){
        .allocator = {default_allocate, default_release, NULL},
        .file_reader = {default_open, default_close, NULL},
        .cookie = CONTEXT_COOKIE,
    };
}

pl_status pl_context_create(const pl_context_def *def, pl_context **context)
{
    if (!context)
        return PL_ERR_ARGUMENT;
    *context = NULL;
    if (!def || def->cookie != CONTEXT_COOKIE || def->thread_count < 0 || def->thread_count > MAX_THREADS ||
        !def->allocator.allocate || !def->allocator.release || !def->file_reader.open || !def->file_reader.close)
        return PL_ERR_ARGUMENT;
    pl_context *ctx = def->allocator.allocate(def->allocator.user, sizeof *ctx, ALIGNMENT);
    if (!ctx)
        return PL_ERR_MEMORY;
    memset(ctx, 0, sizeof *ctx);
    ctx->def = *def;
    ctx->register_bytes = pl__cpu_register_bytes(getenv("PLIANT_SIMD"));
    if (def->task_runner.run)
        ctx->def.thread_count = 1;
    else if (def->thread_count == 0)
        ctx->def.thread_count = pl__task_processor_count(MAX_THREADS);
    if (ctx->def.thread_count > 1 && !pl__pool_create(ctx, &ctx->pool))
    {
        def->allocator.release(def->allocator.user, ctx, sizeof *ctx);
        return PL_ERR_MEMORY;
    }
    *context = ctx;
    return PL_OK;
}

void pl_context_destroy(pl_context **context)
{
    if (!context)
        return;
    pl_context *ctx = *context;
    if (!ctx)
        return;
    if (ctx->pool)
        pl__pool_destroy(ctx, &ctx->pool);
    PL_ASSERT(ctx->bytes_in_use == 0);
    ctx->def.allocator.release(ctx->def.allocator.user, ctx, sizeof *ctx);
    *context = NULL;
}

const pl_file_reader *pl__file_reader(const pl_context *ctx) { return &ctx->def.file_reader; }

const char *pl_context_error(const pl_context *context)
{
    if (!context)
        return NULL;
    return context ? context->error
                   : "there is no context: pl_context_create failed, for want of memory or a definition made by "
                     "pl_context_def_default()";
}
const char *pl_context_error_path(const pl_context *context) { return context ? context->error_path : NULL; }
size_t pl_context_memory(const pl_context *context) { return context ? context->bytes_in_use : 0; }
int32_t pl_context_register_bytes(const pl_context *context) { return context ? context->register_bytes : 0; }
int32_t pl_context_thread_count(const pl_context *context) { return context ? context->def.thread_count : 0; }

void *pl__alloc(pl_context *ctx, size_t size)
{
    size_t rounded = size ? size : 1;
    void *pointer =
        size > SIZE_MAX / 2 ? NULL : ctx->def.allocator.allocate(ctx->def.allocator.user, rounded, ALIGNMENT);
    ctx->allocation_count++;
    if (!pointer)
    {
        (void)pl__fail(ctx, PL_ERR_MEMORY, "out of memory: %zu bytes asked for, %zu in use", size, ctx->bytes_in_use);
        return NULL;
    }
    ctx->bytes_in_use += rounded;
    return pointer;
}

void *pl__calloc(pl_context *ctx, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / 2 / size)
    {
        (void)pl__fail(ctx, PL_ERR_MEMORY, "out of memory: %zu items of %zu bytes asked for", count, size);
        return NULL;
    }
    void *pointer = pl__alloc(ctx, count * size);
    if (pointer)
        memset(pointer, 0, count * size);
    return pointer;
}

void pl__free(pl_context *ctx, void *pointer, size_t size)
{
    if (!pointer)
        return;
    size_t rounded = size ? size : 1;
    PL_ASSERT(ctx->bytes_in_use >= rounded);
    ctx->bytes_in_use -= rounded;
    ctx->def.allocator.release(ctx->def.allocator.user, pointer, rounded);
}

bool pl__grow(pl_context *ctx, void **array, size_t item_size, size_t *capacity, size_t needed)
{
    if (needed <= *capacity)
        return true;
    size_t larger = *capacity < 8 ? 16 : *capacity * 2;
    if (larger < needed)
        larger = needed;
    if (larger > SIZE_MAX / 2 / item_size)
    {
        (void)pl__fail(ctx, PL_ERR_MEMORY, "out of memory: %zu items of %zu bytes asked for", needed, item_size);
        return false;
    }
    void *moved = pl__alloc(ctx, larger * item_size);
    if (!moved)
        return false;
    if (*capacity)
        memcpy(moved, *array, *capacity * item_size);
    memset((char *)moved + *capacity * item_size, 0, (larger - *capacity) * item_size);
    pl__free(ctx, *array, *capacity * item_size);
    *array = moved;
    *capacity = larger;
    return true;
}

// Length in bytes of the UTF-8 character at `s`; 0 if invalid.
static size_t character_bytes(const unsigned char *s)
{
    size_t bytes = s[0] < 0x80                   ? 1
                   : s[0] >= 0xc2 && s[0] < 0xe0 ? 2
                   : (s[0] & 0xf0) == 0xe0       ? 3
                   : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
                                                 : 0;
    for (size_t i = 1; i < bytes; ++i)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    return bytes;
}

// Error messages quote files, which may contain anything: replace invalid text by question marks.
static void make_text(char *sentence)
{
    for (unsigned char *at = (unsigned char *)sentence; *at;)
    {
        size_t bytes = character_bytes(at);
        if (bytes == 0 || (*at < ' ' && *at != '\n' && *at != '\t') || *at == 0x7f)
            *at = '?';
        at += bytes ? bytes : 1;
    }
}

// Set the error message: `head` and the formatted text.
static void say(pl_context *ctx, const char *head, const char *joint, const char *format, va_list arguments)
    __attribute__((format(printf, 4, 0)));
static void say(pl_context *ctx, const char *head, const char *joint, const char *format, va_list arguments)
{
    char rest[sizeof ctx->error]; // the arguments may be parts of the previous message
    vsnprintf(rest, sizeof rest, format, arguments);
    snprintf(ctx->error, sizeof ctx->error, "%s%s", head, joint);
    size_t used = strlen(ctx->error);
    snprintf(ctx->error + used, sizeof ctx->error - used, "%s", rest);
    make_text(ctx->error);
}

pl_status pl__fail(pl_context *ctx, pl_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(ctx, "", "", format, arguments);
    va_end(arguments);
    ctx->error_path[0] = 0;
    return status;
}

// The path of a field of `owner`; either may be "".
static void keep_path(pl_context *ctx, const char *owner, const char *field)
{
    char path[2 * PL__ERROR_PATH];
    snprintf(path, sizeof path, "%.*s%s%.*s", PL__ERROR_PATH - 1, owner, owner[0] && field[0] ? "." : "",
             PL__ERROR_PATH - 1, field);
    path[PL__ERROR_PATH - 1] = 0;
    memcpy(ctx->error_path, path, PL__ERROR_PATH);
    make_text(ctx->error_path);
}

pl_status pl__fail_path(pl_context *ctx, pl_status status, const char *path, const char *format, ...)
{
    va_list arguments;
    keep_path(ctx, path, "");
    va_start(arguments, format);
    say(ctx, ctx->error_path, ": ", format, arguments);
    va_end(arguments);
    return status;
}

pl_status pl__fail_field(pl_context *ctx, const char *owner, const char *field, const char *format, ...)
{
    va_list arguments;
    keep_path(ctx, owner, field);
    va_start(arguments, format);
    say(ctx, ctx->error_path, ": ", format, arguments);
    va_end(arguments);
    return PL_ERR_ARGUMENT;
}

pl_status pl__fail_about(pl_context *ctx, pl_status status, const char *path)
{
    keep_path(ctx, path, "");
    return status;
}

pl_status pl__fail_within(pl_context *ctx, pl_status status, const char *owner)
{
    char field[PL__ERROR_PATH];
    memcpy(field, ctx->error_path, sizeof field);
    (void)pl__fail_begin(ctx, status, "%s%s", owner, field[0] ? "." : ": ");
    keep_path(ctx, owner, field);
    return status;
}

pl_status pl__fail_begin(pl_context *ctx, pl_status status, const char *format, ...)
{
    char rest[sizeof ctx->error];
    va_list arguments;
    memcpy(rest, ctx->error, sizeof rest);
    va_start(arguments, format);
    vsnprintf(ctx->error, sizeof ctx->error, format, arguments);
    va_end(arguments);
    size_t used = strlen(ctx->error);
    snprintf(ctx->error + used, sizeof ctx->error - used, "%s", rest);
    make_text(ctx->error);
    return status;
}

void pl__log(pl_context *ctx, pl_log_level level, const char *format, ...)
{
    if (!ctx->def.log)
        return;
    char sentence[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    make_text(sentence);
    va_end(arguments);
    ctx->def.log(ctx->def.log_user, level, sentence);
}

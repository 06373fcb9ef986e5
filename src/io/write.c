// src/io/write.c -- atomic output files: complete or not at all.
//
// Written under a temporary name in the same directory (so that renaming cannot cross a file system), synced, renamed:
// a crash, a full disk or a failure half way leaves the old file unchanged. Pipes and devices (/dev/stdout) must not be
// replaced: they are written directly.
#include "io/write.h"
#include "io/number.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum
{
    BUFFER_BYTES = 1 << 16,
    NAME_TRIES = 100,
    SUFFIX_BYTES = 32
};

pl_status pl__file_fail(pl_context *ctx, const char *path, int error)
{
    char reason[128] = "";
    if (error == ETIMEDOUT)
        return pl__fail(ctx, PL_ERR_FILE, "%s: nothing came; is this a pipe that nobody writes to?", path);
    if (error == ENOTSUP)
        return pl__fail(ctx, PL_ERR_FILE, "%s: is a device, not a file", path);
    if (strerror_r(error, reason, sizeof reason) != 0)
        snprintf(reason, sizeof reason, "error %d", error);
    return pl__fail(ctx, PL_ERR_FILE, "%s: %s", path, reason);
}

// ---- opening -------------------------------------------------------------------------------------------------

static void release(pl__writer *w)
{
    pl__free(w->ctx, w->target, w->target_size);
    pl__free(w->ctx, w->temporary, w->temporary_size);
    PL_DELETE(w->ctx, w->buffer, BUFFER_BYTES);
    w->target = w->temporary = NULL;
}

// Renaming onto a symbolic link would replace the link, so write to its target.
static bool set_target(pl__writer *w, const char *path)
{
    char resolved[PATH_MAX];
    struct stat info;
    if (lstat(path, &info) == 0 && S_ISLNK(info.st_mode) && realpath(path, resolved))
        path = resolved;
    w->target_size = strlen(path) + 1;
    w->target = pl__alloc(w->ctx, w->target_size);
    if (w->target)
        memcpy(w->target, path, w->target_size);
    return w->target != NULL;
}

static bool reserve(pl__writer *w, const char *path)
{
    if (!set_target(w, path))
        return false;
    w->temporary_size = w->target_size + SUFFIX_BYTES;
    w->temporary = pl__alloc(w->ctx, w->temporary_size);
    w->buffer = PL_NEW(w->ctx, BUFFER_BYTES, char);
    return w->temporary && w->buffer;
}

// Create a new file with a unique name.
static void open_temporary(pl__writer *w)
{
    for (int attempt = 0; attempt < NAME_TRIES; ++attempt)
    {
        snprintf(w->temporary, w->temporary_size, "%s.%ld-%d.tmp", w->target, (long)getpid(), attempt);
        w->file = open(w->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (w->file >= 0 || errno != EEXIST)
            return;
    }
}

static void open_directly(pl__writer *w)
{
    pl__free(w->ctx, w->temporary, w->temporary_size);
    w->temporary = NULL;
    w->file = open(w->target, O_WRONLY | O_CLOEXEC);
}

pl_status pl__writer_open(pl__writer *w, pl_context *ctx, const char *path)
{
    *w = (pl__writer){.ctx = ctx, .file = -1};
    if (!reserve(w, path))
    {
        release(w);
        return PL_ERR_MEMORY;
    }
    struct stat old;
    bool exists = stat(w->target, &old) == 0;
    exists && !S_ISREG(old.st_mode) ? open_directly(w) : open_temporary(w);
    if (w->file < 0)
    {
        int error = errno;
        release(w);
        return pl__file_fail(ctx, path, error);
    }
    // a replaced file keeps its permissions, if allowed
    if (exists && w->temporary)
        (void)!fchmod(w->file, old.st_mode & 07777);
    return PL_OK;
}

// ---- closing -------------------------------------------------------------------------------------------------

static void flush(pl__writer *w)
{
    size_t done = 0;
    while (done < w->used && !w->error)
    {
        ssize_t wrote = write(w->file, w->buffer + done, w->used - done);
        if (wrote >= 0)
            done += (size_t)wrote;
        else if (errno != EINTR)
            w->error = errno;
    }
    w->used = 0;
}

pl_status pl__writer_finish(pl__writer *w)
{
    if (w->file >= 0)
    {
        flush(w);
        // pipes, devices and some file systems cannot be synced, which is not an error
        if (!w->error && w->temporary && fsync(w->file) != 0 && errno != EINVAL && errno != ENOTSUP)
            w->error = errno;
        if (close(w->file) != 0 && !w->error)
            w->error = errno;
        w->file = -1;
    }
    return w->error ? pl__file_fail(w->ctx, w->target, w->error) : PL_OK;
}

pl_status pl__writer_commit(pl__writer *w)
{
    pl_status status = pl__writer_finish(w);
    if (status == PL_OK && w->temporary && rename(w->temporary, w->target) != 0)
        status = pl__file_fail(w->ctx, w->target, errno);
    if (status == PL_OK)
        release(w);
    else
        pl__writer_discard(w);
    return status;
}

void pl__writer_discard(pl__writer *w)
{
    if (w->file >= 0)
        close(w->file);
    w->file = -1;
    if (w->temporary)
        unlink(w->temporary);
    release(w);
}

// ---- writing -------------------------------------------------------------------------------------------------

void pl__write_bytes(pl__writer *w, const void *data, size_t size)
{
    const char *bytes = data;
    while (size > 0 && !w->error)
    {
        size_t room = BUFFER_BYTES - w->used, piece = size < room ? size : room;
        memcpy(w->buffer + w->used, bytes, piece);
        w->used += piece;
        bytes += piece;
        size -= piece;
        if (w->used == BUFFER_BYTES)
            flush(w);
    }
}

void pl__write_text(pl__writer *w, const char *text) { pl__write_bytes(w, text, strlen(text)); }

void pl__write_integer(pl__writer *w, int64_t value)
{
    char text[24];
    int length = snprintf(text, sizeof text, "%" PRId64, value);
    pl__write_bytes(w, text, (size_t)length);
}

void pl__write_real(pl__writer *w, double value)
{
    char text[PL__REAL_CHARS];
    pl__write_bytes(w, text, pl__format_real(value, text));
}

void pl__write_real32(pl__writer *w, float value)
{
    char text[PL__REAL_CHARS];
    pl__write_bytes(w, text, pl__format_real32(value, text));
}

void pl__write_reals(pl__writer *w, const double *values, int count, const char *last)
{
    for (int i = 0; i < count; ++i)
    {
        if (i > 0)
            pl__write_text(w, " ");
        pl__write_real(w, values[i]);
    }
    pl__write_text(w, last);
}

static void write_number(pl__writer *w, const void *value, size_t size)
{
    const char *bytes = value;
    char ordered[8];
    for (size_t i = 0; i < size; ++i)
        ordered[w->swap ? size - 1 - i : i] = bytes[i];
    pl__write_bytes(w, ordered, size);
}

void pl__write_i32(pl__writer *w, int32_t value) { write_number(w, &value, sizeof value); }
void pl__write_u64(pl__writer *w, uint64_t value) { write_number(w, &value, sizeof value); }
void pl__write_f32(pl__writer *w, float value) { write_number(w, &value, sizeof value); }
void pl__write_f64(pl__writer *w, double value) { write_number(w, &value, sizeof value); }

void pl__write_i32s(pl__writer *w, const int32_t *values, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        pl__write_i32(w, values[i]);
}

void pl__write_f64s(pl__writer *w, const double *values, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        pl__write_f64(w, values[i]);
}

void pl__write_f32s(pl__writer *w, const double *values, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        pl__write_f32(w, (float)values[i]);
}

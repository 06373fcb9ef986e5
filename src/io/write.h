// src/io/write.h -- atomic output files: complete or not at all.
//
// Bytes are collected in a buffer and written to a temporary file beside the target; pl__writer_commit renames it. The
// first failure is stored and suppresses everything after it, so that writers of formats need not check every call.
#ifndef PL_IO_WRITE_H
#define PL_IO_WRITE_H

#include "base/service.h"

typedef struct pl__writer
{
    pl_context *ctx;
    char *target;    // final name (a symbolic link is followed)
    char *temporary; // NULL when writing directly into a pipe or device
    char *buffer;
    size_t target_size, temporary_size; // allocated bytes
    size_t used;                        // bytes in the buffer
    int file;                           // -1 when closed
    int error;                          // errno of the first failure, or 0
    bool swap;                          // binary numbers in the other byte order
} pl__writer;

// On failure there is nothing to discard.
pl_status pl__writer_open(pl__writer *w, pl_context *ctx, const char *path);
// Flush everything to disk and close the temporary file, without renaming it yet.
pl_status pl__writer_finish(pl__writer *w);
// Finish, unless done already, and rename. Frees the writer either way; on failure the temporary file is removed.
pl_status pl__writer_commit(pl__writer *w);
// Remove the temporary file and free the writer.
void pl__writer_discard(pl__writer *w);

void pl__write_bytes(pl__writer *w, const void *data, size_t size);
void pl__write_text(pl__writer *w, const char *text);
void pl__write_integer(pl__writer *w, int64_t value);
void pl__write_real(pl__writer *w, double value);
// With as many digits as a 32-bit number needs.
void pl__write_real32(pl__writer *w, float value);
// `count` numbers with blanks between them, and `last` after them.
void pl__write_reals(pl__writer *w, const double *values, int count, const char *last);

void pl__write_i32(pl__writer *w, int32_t value);
void pl__write_u64(pl__writer *w, uint64_t value);
void pl__write_f32(pl__writer *w, float value);
void pl__write_f64(pl__writer *w, double value);
void pl__write_i32s(pl__writer *w, const int32_t *values, size_t count);
void pl__write_f64s(pl__writer *w, const double *values, size_t count);
// Rounded to 32 bits each.
void pl__write_f32s(pl__writer *w, const double *values, size_t count);

// PL_ERR_FILE: "path: reason" for an errno value.
pl_status pl__file_fail(pl_context *ctx, const char *path, int error);

#endif

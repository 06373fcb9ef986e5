// src/io/scan.h -- a cursor over the bytes of a file, for readers that trust nothing.
//
// Text formats take tokens (runs of bytes without blanks); binary ones take numbers of fixed size in either byte order.
// Every taking function checks the end of the file. Failures become one sentence with the place: `file:line:` in text,
// `file: byte N:` in binary. Line numbers are counted only then.
#ifndef PL_IO_SCAN_H
#define PL_IO_SCAN_H

#include "base/context.h"

typedef struct pl__scan
{
    pl_context *ctx;
    const char *name;  // of the file, for sentences
    const char *begin; // after a byte order mark
    const char *at;
    const char *end;
    const char *place; // where the last thing taken began, for sentences
    bool by_line;      // tokens are not looked for beyond the end of the line
    bool continued;    // a backslash at the end of a line joins it to the next
    char comment;      // starts a comment that ends with the line; 0: none
    bool binary;       // sentences count bytes
    bool swap;         // binary numbers have the other byte order
} pl__scan;

// A piece of the file; not terminated.
typedef struct pl__text
{
    const char *at;
    size_t length;
} pl__text;

// Start at the first byte, or after a UTF-8 byte order mark. `data` may be NULL when `size` is 0.
pl__scan pl__scan_start(pl_context *ctx, const char *name, const void *data, size_t size);

// PL_ERR_FORMAT with a sentence about the last thing taken.
pl_status pl__scan_fail(const pl__scan *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
// "expected WHAT, found ..." about the bytes at the cursor or the token that begins at `place`.
pl_status pl__scan_expected(const pl__scan *s, const char *what);

size_t pl__scan_left(const pl__scan *s);
// Fail unless `count` things of at least `bytes` each can still follow. Call before allocating `count` of anything.
pl_status pl__scan_need(const pl__scan *s, int64_t count, size_t bytes, const char *what);

// ---- text ----

bool pl__text_is(pl__text text, const char *word);
// Skip blanks; true when a token follows (on this line, if by_line).
bool pl__scan_more(pl__scan *s);
// The next token; false when there is none.
bool pl__scan_token(pl__scan *s, pl__text *token);
pl_status pl__scan_integer(pl__scan *s, const char *what, int64_t smallest, int64_t largest, int64_t *value);
// A finite number.
pl_status pl__scan_real(pl__scan *s, const char *what, double *value);
// To the first byte of the next line; false at the end of the file.
bool pl__scan_next_line(pl__scan *s);
// The rest of this line, without its line break, and on to the next line.
pl__text pl__scan_rest_of_line(pl__scan *s);

// ---- binary ----

pl_status pl__scan_i32(pl__scan *s, const char *what, int32_t *value);
pl_status pl__scan_u64(pl__scan *s, const char *what, uint64_t *value);
// A finite number.
pl_status pl__scan_f64(pl__scan *s, const char *what, double *value);

#endif

// src/io/scan.h -- a bounds-checked cursor over the bytes of a file.
//
// Text formats take tokens (runs of bytes without blanks); binary ones take numbers of fixed size in either byte order.
// Every function checks the end of the file. Failures give a message with the location: `file:line:` in text, `file:
// byte N:` in binary. Line numbers are counted only then.
#ifndef PL_IO_SCAN_H
#define PL_IO_SCAN_H

#include "base/context.h"

typedef struct pl__scan
{
    pl_context *ctx;
    const char *name;  // of the file, for error messages
    const char *begin; // after a byte order mark
    const char *at;
    const char *end;
    const char *place;            // start of the last token or number, for error messages
    bool by_line;                 // tokens end with the line
    bool continued;               // a backslash at the end of a line joins it to the next
    char comment;                 // starts a comment that ends with the line; 0: none
    char blank;                   // a blank besides the usual ones, such as ','; 0: none
    bool binary;                  // messages count bytes
    bool swap;                    // binary numbers have the other byte order
    bool is_array;                // an array within a file, which ends before the file does
    const struct pl__scan *whole; // the file that these bytes were unpacked from, for the location in messages
} pl__scan;

// A slice of the file; not terminated.
typedef struct pl__text
{
    const char *at;
    size_t length;
} pl__text;

// Start at the first byte, or after a UTF-8 byte order mark. `data` may be NULL when `size` is 0.
pl__scan pl__scan_start(pl_context *ctx, const char *name, const void *data, size_t size);
// The same for a binary file, which has no such mark.
pl__scan pl__scan_start_binary(pl_context *ctx, const char *name, const void *data, size_t size);

// PL_ERR_FORMAT with a message about the last token or number.
pl_status pl__scan_fail(const pl__scan *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
// "expected WHAT, found ..." for the bytes at the cursor or the token that begins at `place`.
pl_status pl__scan_expected(const pl__scan *s, const char *what);

size_t pl__scan_left(const pl__scan *s);
// Fail unless `count` items of at least `bytes` each can still follow. Call before allocating `count` of anything.
pl_status pl__scan_need(const pl__scan *s, int64_t count, size_t bytes, const char *what);

// ---- text ----

bool pl__text_is(pl__text text, const char *word);
// Copy the text with a terminating zero, truncated to fit; for names.
void pl__text_spell(pl__text text, char *spelt, size_t size);
// Skip blanks; true when a token follows (on this line, if by_line).
bool pl__scan_more(pl__scan *s);
// The next token; false when there is none.
bool pl__scan_token(pl__scan *s, pl__text *token);
pl_status pl__scan_integer(pl__scan *s, const char *what, int64_t smallest, int64_t largest, int64_t *value);
// A finite number.
pl_status pl__scan_real(pl__scan *s, const char *what, double *value);
// Advance to the next line; false at the end of the file.
bool pl__scan_next_line(pl__scan *s);
// The rest of this line, without its line break; advances to the next line.
pl__text pl__scan_rest_of_line(pl__scan *s);

// ---- binary ----

// Set the byte order of the numbers that follow.
void pl__scan_set_order(pl__scan *s, bool big_endian);

pl_status pl__scan_i32(pl__scan *s, const char *what, int32_t *value);
pl_status pl__scan_u64(pl__scan *s, const char *what, uint64_t *value);
// A finite number.
pl_status pl__scan_f64(pl__scan *s, const char *what, double *value);
// The next `size` bytes, unconverted.
pl_status pl__scan_bytes(pl__scan *s, const char *what, size_t size, const char **bytes);

// ---- either: formats that give a type for each number ----

typedef enum pl__number_type
{
    PL__I8,
    PL__U8,
    PL__I16,
    PL__U16,
    PL__I32,
    PL__U32,
    PL__I64,
    PL__U64,
    PL__F32,
    PL__F64
} pl__number_type;

size_t pl__number_bytes(pl__number_type type);
bool pl__number_is_real(pl__number_type type);
// Minimum bytes of a number of this type here: a digit and a blank in text.
size_t pl__scan_number_bytes(const pl__scan *s, pl__number_type type);

// A number, from text or binary: any, including infinite and NaN;
pl_status pl__scan_any(pl__scan *s, pl__number_type type, const char *what, double *value);
// a finite one;
pl_status pl__scan_finite(pl__scan *s, pl__number_type type, const char *what, double *value);
// an integer that fits 64 bits, also if its type is real.
pl_status pl__scan_whole(pl__scan *s, pl__number_type type, const char *what, int64_t *value);

#endif

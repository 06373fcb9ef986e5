// src/io/number.h -- decimal numbers in files, exact in both directions and independent of the locale.
#ifndef PL_IO_NUMBER_H
#define PL_IO_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum
{
    PL__REAL_CHARS = 32 // enough for any result of pl__format_real with its terminating zero
};

// Read the whole of [text, text + length) as a decimal number, rounded to nearest, ties to even. Takes an optional
// sign, digits with at most one point, and an optional exponent after e, E, d or D (Fortran). False for anything else,
// such as
// "", "nan", "0x1p3". A number too large gives infinity, so callers check.
bool pl__parse_real(const char *text, size_t length, double *value);

typedef enum pl__integer_fault
{
    PL__INTEGER_FINE,
    PL__INTEGER_NOT,  // is not an integer
    PL__INTEGER_LARGE // does not fit 64 bits
} pl__integer_fault;

// Read the whole of [text, text + length) as a decimal integer with an optional sign.
pl__integer_fault pl__parse_integer(const char *text, size_t length, int64_t *value);

// Write a finite number so that pl__parse_real gives the same bits back; 15 digits when they suffice, else 17.
// Returns the length.
size_t pl__format_real(double value, char text[PL__REAL_CHARS]);
// The same for a 32-bit number, which pl__parse_real gives back when rounded to 32 bits; 7 to 9 digits.
size_t pl__format_real32(float value, char text[PL__REAL_CHARS]);

#endif

// src/io/inflate.h -- unpacking of zlib streams.
#ifndef PL_IO_INFLATE_H
#define PL_IO_INFLATE_H

#include <stddef.h>

enum
{
    PL__INFLATE_RATIO = 1032 // a packed byte never holds more: a match of 258 bytes takes two bits
};

// Unpack a zlib stream into exactly `out_size` bytes. Returns NULL on success, else a description of the fault, such as
// "it ends early". Nothing is written beyond `out`.
const char *pl__inflate(const void *data, size_t size, void *out, size_t out_size);

#endif

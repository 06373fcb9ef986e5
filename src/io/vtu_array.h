// src/io/vtu_array.h -- the arrays of a .vtu: text, base64, or bytes after the XML, packed or not.
#ifndef PL_IO_VTU_ARRAY_H
#define PL_IO_VTU_ARRAY_H

#include "io/vtk.h"

// Storage of arrays in a file.
typedef struct pl__vtu_style
{
    pl__scan scan;                 // the whole file
    bool big_endian, wide, packed; // 64-bit headers; blocks are zlib streams
    const char *appended;          // the first byte behind the '_', or NULL
    bool appended_base64;
    size_t budget; // bytes of appended data that may still be read: each once, so that arrays cannot share them
} pl__vtu_style;

typedef enum pl__vtu_format
{
    PL__VTU_ASCII,
    PL__VTU_BINARY,
    PL__VTU_APPENDED
} pl__vtu_format;

// A DataArray.
typedef struct pl__vtu_array
{
    const char *place; // of its tag; NULL: no such array
    pl__text name;
    pl__number_type type;
    bool known; // its type is numeric
    int64_t components;
    pl__vtu_format format;
    pl__text body;
    int64_t offset;
} pl__vtu_array;

// Its numbers. Must not be moved, since the series refers to `whole`.
typedef struct pl__vtu_numbers
{
    pl__series series;
    pl__scan whole;
    char *bytes;
    size_t size;
} pl__vtu_numbers;

// Free it also on failure.
pl_status pl__vtu_unpack(pl__vtu_style *style, const pl__vtu_array *array, pl__vtu_numbers *numbers);
void pl__vtu_free(pl_context *ctx, pl__vtu_numbers *numbers);

#endif

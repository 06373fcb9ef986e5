// src/base/file.h -- reads a whole file into memory.
#ifndef PL_BASE_FILE_H
#define PL_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>

// Read a file; release the bytes by free(). Returns 0 or an errno: EISDIR; ENOTSUP for devices; EFBIG for more than
// half of the machine's memory; ETIMEDOUT for a pipe without data.
int pl__read_file(const char *path, void **data, size_t *size);

// Physical memory [bytes].
size_t pl__memory_bytes(void);

#endif

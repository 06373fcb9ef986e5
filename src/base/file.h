// src/base/file.h -- a whole file into memory, whatever a path may name.
#ifndef PL_BASE_FILE_H
#define PL_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>

// The bytes of a file, to be released by free(). Returns 0 or an errno: EISDIR; ENOTSUP for devices; EFBIG for more
// than half of the machine's memory; ETIMEDOUT for a pipe that nobody writes to.
int pl__read_file(const char *path, void **data, size_t *size);

// What the machine has [bytes].
size_t pl__memory_bytes(void);

#endif

// app/files.h -- small things done to files and directories.
#ifndef APP_FILES_H
#define APP_FILES_H

#include <pliant/base.h>
#include <stdbool.h>

bool file_exists(const char *path);
bool is_directory(const char *path);
// Make a directory and those above it. Returns 0 or an errno value.
int make_directories(const char *path);
// Remove a file, or a directory with all that is in it; fine if it is not there.
void remove_tree(const char *path);
// The whole of a file, ended by a zero that is not counted; NULL with errno set. Free it.
char *read_whole(const char *path, size_t *size);
// Write bytes as a file that appears whole or not at all; the sentence is in the context.
pl_status write_whole(pl_context *ctx, const char *path, const void *data, size_t size);
// Whether two paths lead to the same directory or file, both being there.
bool same_path(const char *a, const char *b);
// Whether a file is there and was written after another.
bool is_newer(const char *path, const char *than);
// A path as it can be typed after a command: in quotes where it needs them.
void quote_path(const char *path, char *quoted, size_t size);
// What follows the last slash.
const char *base_name(const char *path);
// Whether a path has that extension and something before it.
bool ends_with(const char *path, const char *end);

#endif

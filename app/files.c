// app/files.c -- small things done to files and directories.
#include "files.h"
#include "io/write.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool file_exists(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0;
}

bool is_directory(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

bool same_path(const char *a, const char *b)
{
    struct stat first, second;
    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

bool is_newer(const char *path, const char *than)
{
    struct stat a, b;
    if (stat(path, &a) != 0 || stat(than, &b) != 0)
        return false;
    return a.st_mtim.tv_sec > b.st_mtim.tv_sec ||
           (a.st_mtim.tv_sec == b.st_mtim.tv_sec && a.st_mtim.tv_nsec > b.st_mtim.tv_nsec);
}

void quote_path(const char *path, char *quoted, size_t size)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=+,:@%";
    const char *start = path[0] == '-' ? "./" : "";
    size_t length = (size_t)snprintf(quoted, size, "%s%s", start, path);
    if (path[0] && path[strspn(path, plain)] == 0)
        return;
    length = (size_t)snprintf(quoted, size, "'%s", start);
    for (; *path && length + 6 < size; ++path)
        length += (size_t)snprintf(quoted + length, size - length, *path == '\'' ? "'\\''" : "%c", *path);
    snprintf(quoted + length, size - length, "'");
}

int make_directories(const char *path)
{
    char part[4096];
    size_t length = strlen(path);
    if (length == 0 || length >= sizeof part)
        return length ? ENAMETOOLONG : ENOENT;
    for (size_t i = 1; i <= length; ++i)
    {
        if (path[i] != '/' && path[i] != 0)
            continue;
        memcpy(part, path, i);
        part[i] = 0;
        if (mkdir(part, 0777) != 0 && errno != EEXIST)
            return errno;
    }
    return is_directory(path) ? 0 : ENOTDIR;
}

void remove_tree(const char *path)
{
    struct stat info;
    if (lstat(path, &info) != 0)
        return;
    if (!S_ISDIR(info.st_mode))
    {
        unlink(path);
        return;
    }
    DIR *directory = opendir(path);
    struct dirent *entry;
    while (directory && (entry = readdir(directory)))
    {
        char child[4096];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if ((size_t)snprintf(child, sizeof child, "%s/%s", path, entry->d_name) < sizeof child)
            remove_tree(child);
    }
    if (directory)
        closedir(directory);
    rmdir(path);
}

char *read_whole(const char *path, size_t *size)
{
    const pl_file_reader files = pl_context_def_default().file_reader;
    const void *data = NULL;
    int error = files.open(files.user, path, &data, size);
    char *text = error ? NULL : malloc(*size + 1);
    if (text)
    {
        memcpy(text, data, *size);
        text[*size] = 0;
    }
    if (!error)
        files.close(files.user, data, *size);
    if (!text)
    {
        *size = 0;
        errno = error ? error : ENOMEM;
    }
    return text;
}

pl_status write_whole(pl_context *ctx, const char *path, const void *data, size_t size)
{
    pl__writer w;
    PL_TRY(pl__writer_open(&w, ctx, path));
    pl__write_bytes(&w, data, size);
    return pl__writer_commit(&w);
}

const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool ends_with(const char *path, const char *end)
{
    size_t length = strlen(path), size = strlen(end);
    return length > size && strcmp(path + length - size, end) == 0;
}

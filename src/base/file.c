// src/base/file.c -- reads a whole file into memory.
//
// Regular files, pipes, sockets and terminals are read to their end; directories and devices are refused, since some
// devices never end. A pipe without a writer times out after some seconds, one with a silent writer after a minute.
// Files larger than half of the machine's memory are refused, streams as soon as they exceed it.
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum
{
    FIRST_BYTES = 65536,
    WAIT_FOR_WRITER = 5, // [s]
    WAIT_FOR_DATA = 60,  // [s]
    TICK = 20            // [ms] polling interval of a pipe without a writer
};

typedef struct
{
    int fd;
    size_t most; // bytes
    char *bytes;
    size_t used, capacity;
} reading;

size_t pl__memory_bytes(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? (size_t)pages * (size_t)page : SIZE_MAX / 4;
}

static int make_room(reading *r, size_t wanted)
{
    size_t larger = r->capacity ? 2 * r->capacity : wanted > FIRST_BYTES ? wanted : FIRST_BYTES;
    if (r->used < r->capacity)
        return 0;
    if (r->used >= r->most)
        return EFBIG;
    char *moved = realloc(r->bytes, larger);
    if (!moved)
        return ENOMEM;
    r->bytes = moved;
    r->capacity = larger;
    return 0;
}

// A stream has no data. `nobody`: its other end is not open.
static int wait_for_more(const reading *r, bool nobody, int *waited)
{
    struct pollfd ready = {.fd = r->fd, .events = POLLIN};
    int status = poll(&ready, 1, nobody ? TICK : 1000);
    *waited += nobody ? TICK : 1000;
    if (status > 0 && nobody && !(ready.revents & POLLIN))
        (void)poll(NULL, 0, TICK); // hung up
    if (status > 0)
        return *waited > 1000 * WAIT_FOR_WRITER && nobody ? ETIMEDOUT : 0;
    return *waited > 1000 * (nobody ? WAIT_FOR_WRITER : WAIT_FOR_DATA) ? ETIMEDOUT : 0;
}

// Read to the end. A pipe without a writer looks like one that has ended; wait only before the first byte.
static int read_all(reading *r, size_t wanted, bool pipe)
{
    for (int waited = 0;;)
    {
        int error = make_room(r, wanted);
        if (error)
            return error;
        ssize_t got = read(r->fd, r->bytes + r->used, r->capacity - r->used);
        if (got > 0)
        {
            r->used += (size_t)got;
            waited = 0;
            continue;
        }
        bool dry = got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK), nobody = got == 0 && pipe && r->used == 0;
        if (got == 0 && !nobody)
            return 0;
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 && !dry)
            return errno ? errno : EIO;
        error = wait_for_more(r, nobody, &waited);
        if (error)
            return error;
    }
}

static int read_opened(reading *r)
{
    struct stat info;
    if (fstat(r->fd, &info) != 0)
        return errno;
    if (S_ISDIR(info.st_mode))
        return EISDIR;
    if (S_ISBLK(info.st_mode) || (S_ISCHR(info.st_mode) && !isatty(r->fd)))
        return ENOTSUP;
    bool regular = S_ISREG(info.st_mode);
    if (regular && (uint64_t)info.st_size > r->most)
        return EFBIG;
    // one byte more than its size, so that the end is detected in one read
    return read_all(r, regular ? (size_t)info.st_size + 1 : 0, S_ISFIFO(info.st_mode));
}

int pl__read_file(const char *path, void **data, size_t *size)
{
    reading r = {.fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC), .most = pl__memory_bytes() / 2};
    if (r.fd < 0)
        return errno ? errno : EIO;
    int error = read_opened(&r);
    close(r.fd);
    if (error)
    {
        free(r.bytes);
        return error;
    }
    *data = r.bytes;
    *size = r.used;
    return 0;
}

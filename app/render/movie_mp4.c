// app/render/movie_mp4.c -- H.264 in MP4, by an ffmpeg process that is fed raw frames.
//
// Frames go through a socket rather than a pipe: when ffmpeg dies, a pipe raises SIGPIPE in the whole program, a socket
// can be asked not to. No shell is involved, and the path is prefixed with "file:", so no name can be taken for an
// option or an address. ffmpeg writes into the temporary file that the writer made; the writer syncs and renames it.
// H.264 wants even sizes: an odd picture gets its last row and column twice. Colours are those of HD video (BT.709),
// and say so; otherwise players guess from the size of the picture.
#include "movie_format.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

typedef struct encoder
{
    pid_t process;         // 0 when it has ended
    int to;                // socket to its standard input, -1 when closed
    int32_t width, height; // even
    uint8_t *row;
    char *path;
    size_t path_size;
} encoder;

// ---- the process -------------------------------------------------------------------------------------------------

// In a process group of its own: an interrupt from the terminal is for us to handle, and the movie can still be
// finished.
static int spawn_with(encoder *e, int input, char *const *arguments, posix_spawn_file_actions_t *actions)
{
    posix_spawnattr_t attributes;
    int error = posix_spawnattr_init(&attributes);
    if (error)
        return error;
    error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    if (!error)
        error = posix_spawn_file_actions_adddup2(actions, input, 0);
    if (!error)
        error = posix_spawn_file_actions_addopen(actions, 1, "/dev/null", O_WRONLY, 0);
    if (!error)
        error = posix_spawnp(&e->process, "ffmpeg", actions, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    return error;
}

static int spawn(movie *m, encoder *e, int input)
{
    char size[32], rate[32];
    snprintf(size, sizeof size, "%dx%d", e->width, e->height);
    // a fraction, because a decimal point depends on the locale
    snprintf(rate, sizeof rate, "%ld/1000", (long)(m->fps * 1000 + 0.5));
    char *const arguments[] = {"ffmpeg",      "-nostdin",   "-loglevel",
                               "error",       "-y",         "-f",
                               "rawvideo",    "-pix_fmt",   "rgb24",
                               "-s",          size,         "-r",
                               rate,          "-i",         "pipe:0",
                               "-an",         "-vf",        "scale=out_color_matrix=bt709:out_range=tv",
                               "-colorspace", "bt709",      "-color_primaries",
                               "bt709",       "-color_trc", "bt709",
                               "-c:v",        "libx264",    "-pix_fmt",
                               "yuv420p",     "-crf",       "18",
                               "-movflags",   "+faststart", "-f",
                               "mp4",         e->path,      NULL};
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error)
        return error;
    error = spawn_with(e, input, arguments, &actions);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

static pl_status start(movie *m, encoder *e)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return pl__file_fail(m->ctx, m->writer.target, errno);
    int error = spawn(m, e, ends[1]);
    close(ends[1]);
    e->to = ends[0];
    if (error == ENOENT || error == EACCES)
        return pl__fail(m->ctx, PL_ERR_FILE, "%s: the program ffmpeg was not found; install ffmpeg or choose .webp",
                        m->writer.target);
    return error ? pl__file_fail(m->ctx, "ffmpeg", error) : PL_OK;
}

// Close its input and wait for it; true when it is content.
static bool wait_for(encoder *e)
{
    int status = 1;
    if (e->to >= 0)
        close(e->to);
    e->to = -1;
    if (e->process <= 0)
        return false;
    pid_t ended;
    do
        ended = waitpid(e->process, &status, 0);
    while (ended < 0 && errno == EINTR);
    e->process = 0;
    return ended > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// ---- the movie ---------------------------------------------------------------------------------------------------

static void end(movie *m)
{
    encoder *e = m->state;
    (void)wait_for(e);
    PL_DELETE(m->ctx, e->row, 3 * e->width);
    PL_DELETE(m->ctx, e->path, e->path_size);
    PL_DELETE(m->ctx, e, 1);
    m->state = NULL;
}

static pl_status reserve(movie *m, encoder *e)
{
    e->path_size = strlen(m->writer.temporary) + 6;
    e->path = pl__alloc(m->ctx, e->path_size);
    e->row = PL_NEW(m->ctx, 3 * e->width, uint8_t);
    if (!e->path || !e->row)
        return PL_ERR_MEMORY;
    snprintf(e->path, e->path_size, "file:%s", m->writer.temporary);
    return PL_OK;
}

static pl_status begin(movie *m)
{
    PL_CHECK(m->ctx, m->writer.temporary, "%s: an .mp4 movie must be a plain file", m->writer.target);
    encoder *e = PL_NEW(m->ctx, 1, encoder);
    if (!e)
        return PL_ERR_MEMORY;
    *e = (encoder){.to = -1, .width = m->width + m->width % 2, .height = m->height + m->height % 2};
    m->state = e;
    pl_status status = reserve(m, e);
    if (status == PL_OK)
        status = start(m, e);
    if (status != PL_OK)
        end(m);
    return status;
}

static bool send_all(int to, const uint8_t *data, size_t size)
{
    while (size > 0)
    {
        ssize_t sent = send(to, data, size, MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR)
            return false;
        data += sent > 0 ? sent : 0;
        size -= sent > 0 ? (size_t)sent : 0;
    }
    return true;
}

static pl_status add(movie *m, const image *frame)
{
    encoder *e = m->state;
    size_t width = (size_t)m->width;
    for (int32_t y = 0; y < e->height; ++y)
    {
        const uint8_t *from = frame->rgb + 3 * width * (size_t)(y < m->height ? y : m->height - 1);
        memcpy(e->row, from, 3 * width);
        memcpy(e->row + 3 * ((size_t)e->width - 1), from + 3 * (width - 1), 3);
        if (!send_all(e->to, e->row, 3 * (size_t)e->width))
            return pl__fail(m->ctx, PL_ERR_FILE, "%s: ffmpeg gave up at frame %d", m->writer.target, m->frame_count);
    }
    return PL_OK;
}

static pl_status finish(movie *m)
{
    if (!wait_for(m->state))
        return pl__fail(m->ctx, PL_ERR_FILE, "%s: ffmpeg failed", m->writer.target);
    return PL_OK;
}

const movie_format movie_mp4 = {".mp4", begin, add, finish, end};

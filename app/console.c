// app/console.c -- lines on terminals and elsewhere.
#include "console.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum
{
    SECONDS_BETWEEN_LINES = 10
};

console console_make(bool quiet, bool json, bool verbose)
{
    const char *plain = getenv("NO_COLOR");
    const char *kind = getenv("TERM");
    bool terminal = isatty(STDERR_FILENO) && !quiet && !json && !(kind && strcmp(kind, "dumb") == 0);
    return (console){.quiet = quiet,
                     .json = json,
                     .verbose = verbose,
                     .terminal = terminal,
                     .color = terminal && !(plain && plain[0]),
                     .last_line = -1e9};
}

double wall_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void console_end_line(console *c)
{
    if (c->line_open)
        fputc('\n', stderr);
    c->line_open = false;
}

void console_say(console *c, const char *format, ...)
{
    if (c->quiet || c->json)
        return;
    console_end_line(c);
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

// A line that is wider than the terminal could not be rewritten in place.
static void clip_to_terminal(char *line)
{
    struct winsize size;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 && strlen(line) >= size.ws_col)
        line[size.ws_col - 1] = 0;
}

void console_progress(console *c, bool important, const char *format, ...)
{
    if (c->quiet || c->json)
        return;
    double now = wall_clock();
    if (!c->terminal && !important && now - c->last_line < SECONDS_BETWEEN_LINES)
        return;
    c->last_line = now;
    char line[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (c->terminal)
        clip_to_terminal(line);
    fprintf(stderr, c->terminal ? "\r\x1b[K%s" : "%s\n", line);
    c->line_open = c->terminal;
    fflush(stderr);
}

static void write_log(console *c, const char *kind, const char *sentence)
{
    size_t length = strlen(c->early);
    if (c->log)
    {
        fprintf(c->log, "%s: %s\n", kind, sentence);
        fflush(c->log);
    }
    else if (length + strlen(kind) + strlen(sentence) + 4 < sizeof c->early)
        snprintf(c->early + length, sizeof c->early - length, "%s: %s\n", kind, sentence);
}

// A run without a log is still a run.
void console_open_log(console *c, const char *path)
{
    c->log = fopen(path, "a");
    if (c->log)
        fputs(c->early, c->log);
    c->early[0] = 0;
}

void console_close_log(console *c)
{
    if (c->log)
        fclose(c->log);
    c->log = NULL;
}

void console_fail(console *c, const char *sentence)
{
    console_end_line(c);
    fprintf(stderr, "%s\n", sentence);
    write_log(c, "error", sentence);
}

void console_log(void *user, pl_log_level level, const char *sentence)
{
    console *c = user;
    const char *kind = level == PL_LOG_WARNING ? "warning" : "note";
    write_log(c, kind, sentence);
    bool wanted = c->verbose || (level == PL_LOG_WARNING && !c->told);
    if (c->quiet || c->json || !wanted)
        return;
    console_end_line(c);
    fprintf(stderr, c->color && level == PL_LOG_WARNING ? "\x1b[33m%s:\x1b[0m %s\n" : "%s: %s\n", kind, sentence);
}

void clock_text(double seconds, char text[32])
{
    int64_t s = isfinite(seconds) && seconds < 1e15 ? (int64_t)llround(seconds) : 0;
    if (s >= 3600)
        snprintf(text, 32, "%lld:%02d:%02d", (long long)(s / 3600), (int)(s / 60 % 60), (int)(s % 60));
    else
        snprintf(text, 32, "%d:%02d", (int)(s / 60), (int)(s % 60));
}

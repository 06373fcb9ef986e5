// app/console.h -- what the command says while it works.
//
// Results and --json lines go to standard output, all else to standard error. On a terminal one line of progress is
// rewritten in place; elsewhere a line appears now and then.
#ifndef APP_CONSOLE_H
#define APP_CONSOLE_H

#include <pliant/base.h>
#include <stdbool.h>
#include <stdio.h>

typedef struct console
{
    bool quiet, json, verbose, terminal, color;
    bool told;        // warnings were given already, when the run was made
    bool line_open;   // a line of progress stands on the terminal
    double last_line; // [s] when a line was last written elsewhere
    FILE *log;        // log.txt of the run, or NULL
    char early[2048]; // what it would say, while it is not open
} console;

console console_make(bool quiet, bool json, bool verbose);
// Seconds since some moment.
double wall_clock(void);

// A line for people; not with --quiet or --json.
void console_say(console *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
// The line of progress; rarely where it is not a terminal, unless `important`.
void console_progress(console *c, bool important, const char *format, ...) __attribute__((format(printf, 3, 4)));
void console_end_line(console *c);
// An error: one line, as it is.
void console_fail(console *c, const char *sentence);
// Write what is said from now on, and was said before, to a file that the console closes in the end.
void console_open_log(console *c, const char *path);
void console_close_log(console *c);
// The log function of a context; its user is a console.
void console_log(void *user, pl_log_level level, const char *sentence);
// "1:02" or "3:04:05"
void clock_text(double seconds, char text[32]);

#endif

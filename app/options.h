// app/options.h -- the command line as tables: parsing, --help, the man page and shell completion all come from them.
#ifndef APP_OPTIONS_H
#define APP_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum
{
    EXIT_DONE = 0,
    EXIT_FAILED = 1, // the run failed
    EXIT_WRONG = 2,  // the input or the command line is wrong
    EXIT_INTERRUPTED = 130
};

// Everything that a command line can say.
typedef struct arguments
{
    const char *operand[4];
    int32_t operand_count;
    const char **set; // [set_count] in order
    int32_t set_count;
    struct
    {
        const char *formula;
        bool beside; // --with: what the --of before it is compared with
    } drawn[12];
    int32_t drawn_count;
    const char *output, *to, *elements, *figure, *only;
    int32_t frames, threads, frame, branch, first, last, sheet;
    int32_t port;
    double size, rate;
    bool no_open, resume, force, quiet, json, verbose, no_movie, fitted, quick, fine, reference, help;
} arguments;

typedef enum option_kind
{
    OPTION_FLAG,
    OPTION_TEXT,
    OPTION_WHOLE,
    OPTION_NUMBER,
    OPTION_SET,  // may be given again and again
    OPTION_DRAWN // and these, in an order that matters
} option_kind;

typedef struct option
{
    const char *name; // without the dashes
    char letter;      // or 0
    option_kind kind;
    size_t offset;     // in `arguments`
    double low, high;  // of numbers
    const char *value; // what the help calls it
    const char *help;
} option;

typedef struct command
{
    const char *name, *operands, *summary, *help;
    int32_t fewest, most;       // operands
    const char *const *options; // names, ended by NULL
    int (*run)(const arguments *a);
} command;

// All commands, ended by one without a name (main.c).
extern const command commands[];

// Parse what follows the name of a command. Says what is wrong and returns false.
bool arguments_parse(const command *c, int argc, char **argv, arguments *a);
void arguments_free(arguments *a);

void print_overview(void);
void print_help(const command *c);
void print_man_page(void);
void print_completion(void);

#endif

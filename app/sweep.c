// app/sweep.c -- every combination of values, one run each, and a sheet of them all.
//
// A change is a list of values when commas stand outside of brackets, braces and quotes. Each run has a directory named
// after its values, so that the same command again goes on where it stopped.
#include "sweep.h"
#include "commands.h"
#include "files.h"
#include "pictures.h"
#include "simulate.h"

#include <stdlib.h>
#include <string.h>

enum
{
    MOST_RUNS = 1000,
    SHEET_MOMENTS = 5,
    LABEL_BYTES = 256
};

// The length of the first value of a list.
static size_t value_length(const char *list)
{
    int depth = 0;
    bool quoted = false;
    size_t i = 0;
    for (; list[i]; ++i)
    {
        if (list[i] == '"' && (i == 0 || list[i - 1] != '\\'))
            quoted = !quoted;
        else if (!quoted && (list[i] == '[' || list[i] == '{'))
            depth++;
        else if (!quoted && (list[i] == ']' || list[i] == '}'))
            depth--;
        else if (!quoted && depth == 0 && list[i] == ',')
            break;
    }
    return i;
}

static int32_t value_count(const char *change)
{
    const char *value = strchr(change, '=');
    int32_t count = 1;
    for (size_t length; value && (length = value_length(value + 1), value[1 + length] == ','); value += 1 + length)
        count++;
    return count;
}

bool sweep_is_asked(const char *const *changes, int32_t count)
{
    for (int32_t i = 0; i < count; ++i)
        if (value_count(changes[i]) > 1)
            return true;
    return false;
}

// "path=value" with the k-th value of a change, which is no longer than the change; and "key=value" for people and
// directories, cut off where it is too long. Returns whether it is not.
static bool pick(const char *change, int32_t k, char *picked, char label[LABEL_BYTES])
{
    const char *value = strchr(change, '=');
    size_t path = value ? (size_t)(value - change) : strlen(change), length = 0;
    for (int32_t i = 0; value && i <= k; ++i, value += 1 + length)
        length = value_length(value + 1);
    value = value ? value - length : "";
    snprintf(picked, strlen(change) + 2, "%.*s=%.*s", (int)path, change, (int)length, value);
    size_t key = path;
    while (key > 0 && change[key - 1] != '.')
        key--;
    bool fits = (size_t)snprintf(label, LABEL_BYTES, "%.*s=%.*s", (int)(path - key), change + key, (int)length, value) <
                LABEL_BYTES;
    for (char *c = label; *c; ++c)
        if (*c == '/' || *c == ' ' || *c == '"')
            *c = '_';
    return fits;
}

typedef struct
{
    char label[LABEL_BYTES], output[4600];
} one_run;

// All changes, and room for one value of each.
typedef struct
{
    const char *const *changes;
    int32_t count;
    char **picked; // [count] each with room for its change
} choice;

static bool choice_make(choice *c, const char *const *changes, int32_t count)
{
    *c = (choice){changes, count, calloc((size_t)count, sizeof *c->picked)};
    bool good = c->picked != NULL;
    for (int32_t i = 0; good && i < count; ++i)
        good = (c->picked[i] = malloc(strlen(changes[i]) + 2)) != NULL;
    if (!good)
        fprintf(stderr, "out of memory\n");
    return good;
}

static void choice_free(choice *c)
{
    for (int32_t i = 0; c->picked && i < c->count; ++i)
        free(c->picked[i]);
    free(c->picked);
}

// The values of the r-th combination: the last list turns fastest. False if they are too long for a label.
static bool choose(choice *c, int32_t r, one_run *run)
{
    run->label[0] = 0;
    for (int32_t i = c->count - 1; i >= 0; --i)
    {
        char label[LABEL_BYTES], rest[LABEL_BYTES];
        int32_t values = value_count(c->changes[i]);
        bool fits = pick(c->changes[i], r % values, c->picked[i], label);
        r /= values;
        if (values == 1)
            continue;
        memcpy(rest, run->label, sizeof rest);
        if (!fits || (size_t)snprintf(run->label, sizeof run->label, "%s%s%s", label, rest[0] ? " " : "", rest) >=
                         sizeof run->label)
            return false;
    }
    return true;
}

// A directory for each: labels that fit, no two alike.
static bool label_all(choice *c, int32_t total, one_run *run)
{
    for (int32_t r = 0; r < total; ++r)
    {
        if (!choose(c, r, &run[r]))
        {
            fprintf(stderr, "--set: the values are too long to name directories after them\n");
            return false;
        }
        for (int32_t k = 0; k < r; ++k)
            if (strcmp(run[k].label, run[r].label) == 0)
            {
                fprintf(stderr,
                        "--set: two of the runs would have the directory \"%s\"; give values that differ in more than "
                        "'/', ' ' and '\"'\n",
                        run[r].label);
                return false;
            }
    }
    return true;
}

// Every combination as a scene, so that a wrong value is told before the first run and not after it.
static int check_all(const arguments *a, choice *c, int32_t total, one_run *run)
{
    console con = console_make(true, false, false);
    int status = label_all(c, total, run) ? EXIT_DONE : EXIT_WRONG;
    for (int32_t r = 0; r < total && status == EXIT_DONE; ++r)
    {
        session s;
        char path[4200];
        (void)choose(c, r, &run[r]);
        if (!session_start(&s, &con, a))
            return EXIT_FAILED;
        scene_path(a->operand[0], path, sizeof path);
        if (!session_open(&s, path, (const char *const *)c->picked, c->count))
            status = EXIT_WRONG;
        session_end(&s);
    }
    return status;
}

// Open a run to look at it, or to add it to the sheet.
static bool visit(sheet *h, session *s, const one_run *run, bool add)
{
    char path[4700];
    rundir d = {.lock = -1, .metrics = -1};
    snprintf(path, sizeof path, "%s/scene.json", run->output);
    bool good = session_open(s, path, NULL, 0) && session_compile(s) && rundir_open(&d, s, run->output, true) &&
                (add ? sheet_add(h, &d, run->label) : sheet_look(h, &d));
    rundir_close(&d);
    session_close(s);
    return good;
}

static int draw_sheet(const arguments *a, const one_run *run, int32_t count, const char *output)
{
    console con = console_make(a->quiet, a->json, a->verbose);
    con.told = true;
    session s;
    char path[4700];
    if (!session_start(&s, &con, a))
        return EXIT_FAILED;
    sheet *h = sheet_create(&s, count, &(sheet_moments){SHEET_MOMENTS, 0, -1});
    bool good = h != NULL;
    for (int32_t r = 0; good && r < 2 * count; ++r)
        good = visit(h, &s, &run[r % count], r >= count);
    snprintf(path, sizeof path, "%s/sheet.png", output);
    good = good && sheet_write(h, path);
    if (good)
        console_say(&con, "%s", path);
    sheet_destroy(&h);
    session_end(&s);
    return good ? EXIT_DONE : was_interrupted() ? EXIT_INTERRUPTED : EXIT_FAILED;
}

static int run_all(const arguments *a, const char *const *changes, int32_t count, int32_t total, one_run *run,
                   const char *output)
{
    choice c;
    int status = choice_make(&c, changes, count) ? check_all(a, &c, total, run) : EXIT_FAILED;
    arguments ours = *a;
    for (int32_t r = 0; r < total && status == EXIT_DONE; ++r)
    {
        (void)choose(&c, r, &run[r]);
        snprintf(run[r].output, sizeof run[r].output, "%.4000s/%s", output, run[r].label);
        if (!a->quiet && !a->json)
            fprintf(stderr, "run %d of %d: %s\n", r + 1, total, run[r].label);
        ours.resume = is_run(run[r].output) && !a->force;
        status = run_once(&ours, (const char *const *)c.picked, count, run[r].output);
    }
    choice_free(&c);
    return status;
}

int sweep_run(const arguments *a, const char *const *changes, int32_t count, const char *output)
{
    int64_t total = 1;
    for (int32_t i = 0; i < count && total <= MOST_RUNS; ++i)
        total *= value_count(changes[i]);
    if (total > MOST_RUNS || a->branch >= 0)
    {
        fprintf(stderr,
                a->branch >= 0 ? "--branch takes one value of each --set\n"
                               : "--set: more than %d runs are too many for one command\n",
                MOST_RUNS);
        return EXIT_WRONG;
    }
    if (is_run(output))
    {
        fprintf(stderr, "%s: holds a run; several runs need a directory of their own: name it with -o\n", output);
        return EXIT_WRONG;
    }
    one_run *run = calloc((size_t)total, sizeof *run);
    if (!run)
    {
        fprintf(stderr, "out of memory\n");
        return EXIT_FAILED;
    }
    int status = run_all(a, changes, count, (int32_t)total, run, output);
    if (status == EXIT_DONE && !a->no_movie && pictures_available())
        status = draw_sheet(a, run, (int32_t)total, output);
    if (status == EXIT_INTERRUPTED || status == EXIT_FAILED)
        fprintf(stderr, "the same command again goes on with the runs that are left\n");
    free(run);
    return status;
}

// app/sweep.c -- every combination of values, one run each, and a sheet of them all.
//
// A change is a list of values when commas stand outside of brackets, braces and quotes. Each run has a directory named after
// its values, so that the same command again goes on where it stopped.
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
    SHEET_MOMENTS = 5
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

// "path=value" with the k-th value of a change; and "key=value" for people and directories.
static void pick(const char *change, int32_t k, char *picked, char *label, size_t size)
{
    const char *value = strchr(change, '=');
    size_t path = value ? (size_t)(value - change) : strlen(change), length = 0;
    for (int32_t i = 0; value && i <= k; ++i, value += 1 + length)
        length = value_length(value + 1);
    value = value ? value - length : "";
    snprintf(picked, size, "%.*s=%.*s", (int)path, change, (int)length, value);
    size_t key = path;
    while (key > 0 && change[key - 1] != '.')
        key--;
    snprintf(label, size, "%.*s=%.*s", (int)(path - key), change + key, (int)length, value);
    for (char *c = label; *c; ++c)
        if (*c == '/' || *c == ' ' || *c == '"')
            *c = '_';
}

typedef struct
{
    char label[256], output[4600];
} one_run;

// The values of the r-th combination: the last list turns fastest.
static bool choose(const char *const *changes, int32_t count, int32_t r, char (*picked)[1024], const char **list, one_run *run)
{
    run->label[0] = 0;
    for (int32_t i = count - 1; i >= 0; --i)
    {
        char label[1024];
        int32_t values = value_count(changes[i]);
        pick(changes[i], r % values, picked[i], label, sizeof label);
        r /= values;
        list[i] = picked[i];
        if (values > 1)
        {
            char rest[256];
            if (strlen(label) > 200)
                return false;
            snprintf(rest, sizeof rest, "%s", run->label);
            if ((size_t)snprintf(run->label, sizeof run->label, "%.200s%s%s", label, rest[0] ? " " : "", rest) >= sizeof run->label)
                return false;
        }
    }
    return true;
}

// Every combination as a scene, so that a wrong value is told before the first run and not after it.
static int check_all(const arguments *a, const char *const *changes, int32_t count, int32_t total, char (*picked)[1024], const char **list, one_run *run)
{
    console con = console_make(true, false, false);
    int status = EXIT_DONE;
    for (int32_t r = 0; r < total && status == EXIT_DONE; ++r)
    {
        session s;
        char path[4200];
        if (!choose(changes, count, r, picked, list, &run[r]))
        {
            fprintf(stderr, "--set: the values are too long to name directories after them\n");
            return EXIT_WRONG;
        }
        if (!session_start(&s, &con, a))
            return EXIT_FAILED;
        scene_path(a->operand[0], path, sizeof path);
        if (!session_open(&s, path, list, count))
            status = EXIT_WRONG;
        session_end(&s);
    }
    return status;
}

static int draw_sheet(const arguments *a, const one_run *run, int32_t count, const char *output)
{
    console con = console_make(a->quiet, a->json, a->verbose);
    session *s = calloc((size_t)count, sizeof *s);
    rundir *d = calloc((size_t)count, sizeof *d);
    const char **label = calloc((size_t)count, sizeof *label);
    char path[4700];
    bool good = s && d && label;
    int32_t opened = 0;
    for (; good && opened < count; ++opened)
    {
        label[opened] = run[opened].label;
        snprintf(path, sizeof path, "%s/scene.json", run[opened].output);
        d[opened].lock = d[opened].metrics = -1;
        good = session_start(&s[opened], &con, a) && session_open(&s[opened], path, NULL, 0) && session_compile(&s[opened]) &&
               rundir_open(&d[opened], &s[opened], run[opened].output, true);
    }
    snprintf(path, sizeof path, "%s/sheet.png", output);
    good = good && pictures_sheet(d, label, count, &(sheet_moments){SHEET_MOMENTS, 0, -1}, path);
    if (good)
        console_say(&con, "%s", path);
    for (int32_t i = 0; i < opened; ++i)
        session_end(&s[i]);
    free(s);
    free(d);
    free(label);
    return good ? EXIT_DONE : was_interrupted() ? EXIT_INTERRUPTED : EXIT_FAILED;
}

static int run_all(const arguments *a, const char *const *changes, int32_t count, int32_t total, one_run *run, const char *output)
{
    char(*picked)[1024] = calloc((size_t)count, sizeof *picked);
    const char **list = calloc((size_t)count, sizeof *list);
    int status = picked && list ? check_all(a, changes, count, total, picked, list, run) : EXIT_FAILED;
    arguments ours = *a;
    for (int32_t r = 0; r < total && status == EXIT_DONE; ++r)
    {
        (void)choose(changes, count, r, picked, list, &run[r]);
        snprintf(run[r].output, sizeof run[r].output, "%.4000s/%s", output, run[r].label);
        if (!a->quiet && !a->json)
            fprintf(stderr, "run %d of %d: %s\n", r + 1, total, run[r].label);
        ours.resume = is_run(run[r].output) && !a->force;
        status = run_once(&ours, list, count, run[r].output);
    }
    free(picked);
    free(list);
    return status;
}

int sweep_run(const arguments *a, const char *const *changes, int32_t count, const char *output)
{
    int64_t total = 1;
    for (int32_t i = 0; i < count && total <= MOST_RUNS; ++i)
        total *= value_count(changes[i]);
    if (total > MOST_RUNS || a->branch >= 0)
    {
        fprintf(stderr, a->branch >= 0 ? "--branch takes one value of each --set\n" : "--set: more than %d runs are too many for one command\n", MOST_RUNS);
        return EXIT_WRONG;
    }
    if (is_run(output))
    {
        fprintf(stderr, "%s: holds a run; several runs need a directory of their own: name it with -o\n", output);
        return EXIT_WRONG;
    }
    one_run *run = calloc((size_t)total, sizeof *run);
    if (!run)
        return EXIT_FAILED;
    int status = run_all(a, changes, count, (int32_t)total, run, output);
    if (status == EXIT_DONE && !a->no_movie && pictures_available())
        status = draw_sheet(a, run, (int32_t)total, output);
    if (status == EXIT_INTERRUPTED || status == EXIT_FAILED)
        fprintf(stderr, "the same command again goes on with the runs that are left\n");
    free(run);
    return status;
}

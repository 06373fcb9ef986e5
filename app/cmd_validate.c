// app/cmd_validate.c -- pliant validate: published benchmarks, and how near we come to them.
#include "validate.h"
#include "commands.h"
#include "console.h"
#include "session.h"
#include "simulate.h"
#include "text.h"

#include <stdio.h>

typedef struct table
{
    console con;
    double began;
    int32_t figures, failed;
    bool headed;
} table;

// "1.49 %", or in its unit
static void amount(const validate_figure *f, double value, bool sign, char *to, size_t size)
{
    const char *form = sign ? "%+.*g %s" : "%.*g %s";
    snprintf(to, size, form, sign ? 3 : 4, f->relative ? 100 * value : value, f->relative ? "%" : f->unit);
}

static void print_row(table *t, const validate_figure *f)
{
    char cells[40], deviation[40], tolerance[40];
    snprintf(cells, sizeof cells, "%d/%s", f->cells, f->cells_of);
    amount(f, f->deviation, true, deviation, sizeof deviation);
    amount(f, f->tolerance, false, tolerance, sizeof tolerance);
    console_end_line(&t->con);
    if (!t->headed)
        printf("%-13s %-9s %-11s %10s %10s  %-14s %-10s\n", "case", "figure", "cells", "ours", "published", "deviation",
               "tolerance");
    t->headed = true;
    printf("%-13s %-9s %-11s %10.4g %10.4g  %-14s %-10s %s%s%s%s\n", f->name, f->what, cells, f->ours, f->published,
           deviation, tolerance, f->passed ? "pass" : "FAIL", f->note[0] ? "  (" : "", f->note, f->note[0] ? ")" : "");
    fflush(stdout);
}

static void print_json(const validate_figure *f)
{
    const char *key[] = {"ours", "published", "deviation", "tolerance"};
    double value[] = {f->ours, f->published, f->deviation, f->tolerance};
    text t = {0};
    text_put(&t, "{\"case\": ");
    text_quoted(&t, f->name);
    text_put(&t, ", \"figure\": ");
    text_quoted(&t, f->what);
    text_put(&t, ", \"unit\": ");
    text_quoted(&t, f->unit);
    text_put(&t, ", \"source\": ");
    text_quoted(&t, f->source);
    text_add(&t, ", \"cells\": %d, \"cells_of\": ", f->cells);
    text_quoted(&t, f->cells_of);
    for (int i = 0; i < 4; ++i)
    {
        text_add(&t, ", \"%s\": ", key[i]);
        text_number(&t, value[i]);
    }
    text_add(&t, ", \"relative\": %s, \"passed\": %s, \"note\": ", f->relative ? "true" : "false",
             f->passed ? "true" : "false");
    text_quoted(&t, f->note);
    text_put(&t, "}");
    puts(t.failed ? "{}" : t.at);
    fflush(stdout);
    text_free(&t);
}

static void take_figure(void *user, const validate_figure *f)
{
    table *t = user;
    t->figures++;
    t->failed += !f->passed;
    if (t->con.json)
        print_json(f);
    else
        print_row(t, f);
}

static bool take_progress(void *user, const char *name, double part)
{
    table *t = user;
    char clock[32];
    clock_text(wall_clock() - t->began, clock);
    console_progress(&t->con, false, "%s: %.0f %%, %s", name, 100 * part, clock);
    return !was_interrupted();
}

static int unknown_case(const char *name)
{
    const char *names[64];
    int32_t count = 0;
    for (; count < 63 && validate_name(count); ++count)
        names[count] = validate_name(count);
    names[count] = NULL;
    const char *guess = pl__near_miss(name, names);
    fprintf(stderr, "pliant validate: --only %s: no case begins with that%s%s%s; they are", name,
            guess ? "; did you mean \"" : "", guess ? guess : "", guess ? "\"?" : "");
    for (int32_t i = 0; i < count; ++i)
        fprintf(stderr, " %s", names[i]);
    fputc('\n', stderr);
    return EXIT_WRONG;
}

static int verdict(table *t)
{
    char sentence[80];
    console_end_line(&t->con);
    if (was_interrupted())
    {
        console_fail(&t->con, "interrupted");
        return EXIT_INTERRUPTED;
    }
    if (t->failed == 0)
    {
        console_say(&t->con, "%d figures, all within their tolerance", t->figures);
        return EXIT_DONE;
    }
    snprintf(sentence, sizeof sentence, "%d of %d figures are not within their tolerance", t->failed, t->figures);
    console_fail(&t->con, sentence);
    return EXIT_FAILED;
}

int command_validate(const arguments *a)
{
    validate_effort effort = a->quick ? VALIDATE_QUICK : a->fine ? VALIDATE_FINE : VALIDATE_USUAL;
    table t = {.con = console_make(a->quiet, a->json, false), .began = wall_clock()};
    validate_listener listener = {take_figure, take_progress, &t};
    session s = {0};
    if (a->quick && a->fine)
    {
        fprintf(stderr, "pliant validate: --quick and --fine exclude each other\n");
        return EXIT_WRONG;
    }
    if (a->only && validate_count(a->only, VALIDATE_USUAL) == 0)
        return unknown_case(a->only);
    if (validate_count(a->only, effort) == 0)
    {
        fprintf(stderr, "pliant validate: --only %s: has no quick form; leave --quick out\n", a->only);
        return EXIT_WRONG;
    }
    int status = EXIT_FAILED;
    watch_signals();
    if (session_start(&s, &t.con, a))
        status =
            validate_run(s.ctx, a->only, effort, &listener) == PL_OK ? verdict(&t) : (session_fail(&s), EXIT_FAILED);
    if (s.ctx)
        session_end(&s);
    return status;
}

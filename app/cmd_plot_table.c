// app/cmd_plot_table.c -- pliant plot TABLE.csv: columns of numbers over the first of them, a chart per file.
#include "app/plot/table.h"
#include "commands.h"
#include "files.h"
#include "session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    MOST_TABLES = 4
};

typedef struct
{
    plot_table table[MOST_TABLES];
    plot_panel panel[MOST_TABLES];
    plot_series series[MOST_TABLES][TABLE_COLUMNS];
} page;

static bool read_table(session *s, const char *path, plot_table *table)
{
    size_t size;
    char sentence[4300], *data = ends_with(path, ".csv") ? read_whole(path, &size) : NULL;
    snprintf(sentence, sizeof sentence, "%s: %s", path,
             ends_with(path, ".csv") ? "cannot be read" : "is no table (.csv), which the first is");
    if (!data)
    {
        console_fail(s->con, sentence);
        return false;
    }
    bool good = plot_table_read(s->ctx, path, data, size, table) == PL_OK;
    free(data);
    return good || session_fail(s);
}

static void make_panel(page *p, int32_t i)
{
    const plot_table *t = &p->table[i];
    plot_table_curves(t, p->series[i]);
    p->panel[i] = (plot_panel){
        .title = t->title, .x_label = t->name[0], .series = p->series[i], .series_count = t->column_count - 1};
}

// The name of the first table with another ending, unless there is another name.
static void name_page(const arguments *a, char *path, size_t size)
{
    int stem = (int)strlen(a->operand[0]) - (int)strlen(".csv");
    if (a->output)
        snprintf(path, size, "%s", a->output);
    else
        snprintf(path, size, "%.*s.svg", stem, a->operand[0]);
}

static int draw(session *s, const arguments *a, page *p)
{
    char path[4300];
    for (int32_t i = 0; i < a->operand_count; ++i)
    {
        if (!read_table(s, a->operand[i], &p->table[i]))
            return EXIT_WRONG;
        make_panel(p, i);
    }
    name_page(a, path, sizeof path);
    if (plot_write_svg(s->ctx, path, p->panel, a->operand_count) != PL_OK)
    {
        (void)session_fail(s);
        return EXIT_FAILED;
    }
    console_say(s->con, "%s", path);
    return EXIT_DONE;
}

int command_plot_tables(const arguments *a)
{
    console con = console_make(a->quiet, false, false);
    session s;
    page *p = calloc(1, sizeof *p);
    if (!p || !session_start(&s, &con, a))
    {
        free(p);
        return EXIT_FAILED;
    }
    int status = EXIT_WRONG;
    if (a->drawn_count > 0)
        console_fail(&con, "--of and --with are for runs: a table is drawn as it is");
    else
        status = draw(&s, a, p);
    for (int32_t i = 0; i < MOST_TABLES; ++i)
        plot_table_destroy(s.ctx, &p->table[i]);
    free(p);
    session_end(&s);
    return status;
}

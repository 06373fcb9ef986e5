// app/plot/table.c -- comma-separated values.
#include "table.h"
#include "base/service.h"
#include "io/number.h"

#include <math.h>
#include <string.h>

typedef struct reader
{
    pl_context *ctx;
    const char *path;
    char *at, *end; // of what is left
    int32_t line;
    plot_table *table;
} reader;

static char *trimmed(char *text)
{
    text += strspn(text, " \t");
    size_t length = strlen(text);
    while (length > 0 && strchr(" \t\r", text[length - 1]))
        text[--length] = 0;
    return text;
}

// The next line without its end; NULL after the last.
static char *next_line(reader *r)
{
    if (r->at >= r->end)
        return NULL;
    char *line = r->at, *stop = memchr(line, '\n', (size_t)(r->end - line));
    r->at = stop ? stop + 1 : r->end;
    *(stop ? stop : r->end) = 0;
    r->line++;
    return trimmed(line);
}

// The next of the fields of a line, which it is cut into; NULL after the last.
static char *next_field(char **line)
{
    char *field = *line, *comma = field ? strchr(field, ',') : NULL;
    if (!field)
        return NULL;
    if (comma)
        *comma = 0;
    *line = comma ? comma + 1 : NULL;
    return trimmed(field);
}

static pl_status read_names(reader *r, char *line)
{
    plot_table *t = r->table;
    for (char *field = next_field(&line); field; field = next_field(&line))
    {
        PL_CHECK(r->ctx, t->column_count < TABLE_COLUMNS, "%s:%d: more than %d columns", r->path, r->line,
                 TABLE_COLUMNS);
        t->name[t->column_count++] = field;
    }
    PL_CHECK(r->ctx, t->column_count >= 2, "%s:%d: a table needs two columns, x and y, with commas between them",
             r->path, r->line);
    return PL_OK;
}

static pl_status read_value(reader *r, int32_t column, const char *field)
{
    plot_table *t = r->table;
    double value = NAN;
    PL_CHECK(r->ctx, !*field || pl__parse_real(field, strlen(field), &value), "%s:%d: \"%.60s\" (%s) is not a number",
             r->path, r->line, field, t->name[column]);
    if (!PL_GROW(r->ctx, t->value[column], &t->capacity[column], (size_t)t->row_count + 1))
        return PL_ERR_MEMORY;
    t->value[column][t->row_count] = value;
    return PL_OK;
}

static pl_status read_row(reader *r, char *line)
{
    plot_table *t = r->table;
    int32_t column = 0;
    for (char *field = next_field(&line); field; field = next_field(&line), ++column)
    {
        PL_CHECK(r->ctx, column < t->column_count, "%s:%d: more values than the %d columns", r->path, r->line,
                 t->column_count);
        PL_TRY(read_value(r, column, field));
    }
    PL_CHECK(r->ctx, column == t->column_count, "%s:%d: %d values for %d columns", r->path, r->line, column,
             t->column_count);
    t->row_count++;
    return PL_OK;
}

static pl_status read_lines(reader *r)
{
    plot_table *t = r->table;
    PL_CHECK(r->ctx, !memchr(r->at, 0, (size_t)(r->end - r->at)), "%s: has bytes of value 0; it is no text", r->path);
    if (r->end - r->at >= 3 && memcmp(r->at, "\xEF\xBB\xBF", 3) == 0) // the mark that spreadsheets begin with
        r->at += 3;
    for (char *line = next_line(r); line; line = next_line(r))
    {
        if (*line == '#' && !t->title)
            t->title = trimmed(line + 1);
        if (!*line || *line == '#')
            continue;
        PL_TRY(t->column_count == 0 ? read_names(r, line) : read_row(r, line));
    }
    PL_CHECK(r->ctx, t->row_count > 0, "%s: has no rows", r->path);
    return PL_OK;
}

pl_status plot_table_read(pl_context *ctx, const char *path, const char *text, size_t size, plot_table *out)
{
    plot_table t = {.text = PL_NEW(ctx, size + 1, char), .text_size = size + 1};
    if (!t.text)
        return PL_ERR_MEMORY;
    memcpy(t.text, text, size);
    reader r = {.ctx = ctx, .path = path, .at = t.text, .end = t.text + size, .table = &t};
    pl_status status = read_lines(&r);
    if (status != PL_OK)
        plot_table_destroy(ctx, &t);
    else
        *out = t;
    return status;
}

void plot_table_destroy(pl_context *ctx, plot_table *t)
{
    for (int32_t c = 0; c < TABLE_COLUMNS; ++c)
        PL_DELETE(ctx, t->value[c], t->capacity[c]);
    PL_DELETE(ctx, t->text, t->text_size);
    *t = (plot_table){0};
}

void plot_table_curves(const plot_table *t, plot_series *series)
{
    for (int32_t c = 1; c < t->column_count; ++c)
        series[c - 1] = (plot_series){.name = t->name[c], .count = t->row_count, .x = t->value[0], .y = t->value[c]};
}

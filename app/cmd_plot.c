// app/cmd_plot.c -- pliant plot: metrics over time as charts.
//
// One run shows its parts (kinetic, elastic, ...); several runs show their totals side by side. Charts of elements, and
// those of liquids, are there for worlds that have some. With --of and --with
// the charts are those of formulas (plot/formula.h), --of for every run, --with for the first. Tables are another
// matter (cmd_plot_table.c).
#include "commands.h"
#include "files.h"
#include "app/plot/formula.h"
#include "app/plot/svg.h"
#include "rundir.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
    MOST_RUNS = 4,
    MOST_DRAWN = sizeof((arguments *)0)->drawn / sizeof((arguments *)0)->drawn[0],
    MOST_PANELS = MOST_DRAWN
};

typedef enum
{
    COLUMN_TIME,
    COLUMN_KINETIC,
    COLUMN_ELASTIC,
    COLUMN_GRAVITY,
    COLUMN_TOTAL,
    COLUMN_VOLUME,
    COLUMN_INVERTED,
    COLUMN_MIN_J,
    COLUMN_SUBSTEPS,
    COLUMN_ITERATIONS,
    COLUMN_WALL,
    COLUMN_CONTACTS,
    COLUMN_LIQUID,
    COLUMN_SPRAY,
    COLUMN_ADDED,
    COLUMN_DRIFT,
    COLUMN_SPEED,
    COLUMN_PRESSURE,
    COLUMN_COUNT
} column;

static const char *const keys[COLUMN_COUNT] = {
    "time",          "kinetic",      "elastic",      "gravity",       NULL,           "volume_error",
    "inverted",      "min_J",        "substeps",     "cg_iterations", "wall_s",       "contacts",
    "liquid_volume", "liquid_spray", "liquid_added", "liquid_drift",  "liquid_speed", "liquid_iterations"};

typedef struct
{
    char name[64];
    int32_t count, capacity;
    double *value[COLUMN_COUNT + MOST_DRAWN]; // keys, then formulas
    pl__json_doc first;                       // the first line, once there is one
} table;

static void table_free(table *t)
{
    for (int c = 0; c < COLUMN_COUNT + MOST_DRAWN; ++c)
        free(t->value[c]);
    if (t->first.root)
        pl__json_free(&t->first);
}

static bool grow(table *t)
{
    if (t->count < t->capacity)
        return true;
    t->capacity = 2 * t->capacity + 256;
    for (int c = 0; c < COLUMN_COUNT + MOST_DRAWN; ++c)
    {
        double *value = realloc(t->value[c], (size_t)t->capacity * sizeof *value);
        if (!value)
            return false;
        t->value[c] = value;
    }
    return true;
}

// What follows the name of a curve, if it has one.
static const char *bare_formula(const char *drawn)
{
    const char *equals = strchr(drawn, '=');
    return equals ? equals + 1 : drawn;
}

static bool add_formulas(session *s, const arguments *a, table *t, const pl__json *line)
{
    for (int32_t i = 0; i < a->drawn_count; ++i)
    {
        char why[FORMULA_WHY_CHARS], sentence[1000];
        const char *formula = bare_formula(a->drawn[i].formula);
        if (formula_value(formula, line, t->first.root, &t->value[COLUMN_COUNT + i][t->count], why))
            continue;
        snprintf(sentence, sizeof sentence, "--%s %.300s: %s", a->drawn[i].beside ? "with" : "of",
                 formula + strspn(formula, " "), why);
        console_fail(s->con, sentence);
        return false;
    }
    return true;
}

static void add_row(table *t, const pl__json *line)
{
    for (int c = 0; c < COLUMN_COUNT; ++c)
    {
        const pl__json *value = keys[c] ? pl__json_find(line, keys[c]) : NULL;
        t->value[c][t->count] = value && value->kind == PL__JSON_NUMBER ? value->number : NAN;
    }
    double *e[3] = {t->value[COLUMN_KINETIC], t->value[COLUMN_ELASTIC], t->value[COLUMN_GRAVITY]};
    t->value[COLUMN_TOTAL][t->count] = e[0][t->count] + e[1][t->count] + e[2][t->count];
    t->value[COLUMN_VOLUME][t->count] *= 100;
    t->value[COLUMN_DRIFT][t->count] *= 100;
    t->count++;
}

// What a line that is being written lacks does not count.
static bool read_lines(session *s, const arguments *a, const char *path, const char *data, size_t size, table *t)
{
    size_t at = 0;
    while (at < size)
    {
        const char *end = memchr(data + at, '\n', size - at);
        if (!end)
            break;
        pl__json_doc line;
        if (pl__json_parse(s->ctx, path, data + at, (size_t)(end - data) - at, &line) != PL_OK)
            return session_fail(s);
        bool is_first = !t->first.root;
        if (is_first)
            t->first = line;
        bool good = grow(t) && add_formulas(s, a, t, line.root);
        if (good)
            add_row(t, line.root);
        if (!is_first)
            pl__json_free(&line);
        if (!good)
            return false;
        at = (size_t)(end - data) + 1;
    }
    return true;
}

// What follows the last slash but those at the end.
static void run_name(const char *directory, char *name, size_t size)
{
    size_t end = strlen(directory), start;
    while (end > 1 && directory[end - 1] == '/')
        end--;
    for (start = end; start > 0 && directory[start - 1] != '/';)
        start--;
    snprintf(name, size, "%.*s", (int)(end - start), directory + start);
}

static bool read_table(session *s, const arguments *a, const char *directory, table *t)
{
    char path[4200];
    size_t size;
    snprintf(path, sizeof path, "%s/metrics.jsonl", directory);
    char *data = read_whole(path, &size);
    run_name(directory, t->name, sizeof t->name);
    if (!data)
    {
        char sentence[4300];
        snprintf(sentence, sizeof sentence, "%s: is not the directory of a run (it has no metrics.jsonl)", directory);
        console_fail(s->con, sentence);
        return false;
    }
    bool good = read_lines(s, a, path, data, size, t);
    free(data);
    return good;
}

// ---- panels ----------------------------------------------------------------------------------------------------

typedef struct
{
    plot_panel panel[MOST_PANELS];
    plot_series series[MOST_PANELS][4 * MOST_RUNS];
    char name[MOST_DRAWN][100]; // of formulas
    int32_t count;
} page;

static plot_series series_of(const table *t, const char *name, int c)
{
    return (plot_series){.name = name, .count = t->count, .x = t->value[COLUMN_TIME], .y = t->value[c]};
}

static void add_panel(page *p, const char *title, const char *unit, const table *tables, int32_t run_count,
                      const column *columns, const char *const *names, int32_t column_count)
{
    plot_panel *panel = &p->panel[p->count];
    plot_series *series = p->series[p->count++];
    *panel = (plot_panel){.title = title, .x_label = "time [s]", .y_label = unit, .series = series};
    for (int32_t r = 0; r < run_count; ++r)
        for (int32_t c = 0; c < column_count; ++c)
            series[panel->series_count++] =
                series_of(&tables[r], run_count > 1 ? tables[r].name : names[c], columns[c]);
}

typedef struct
{
    const char *title, *unit, *name;
    column what;
} chart;

static const chart of_solids[] = {{"Volume change", "[%]", "volume", COLUMN_VOLUME},
                                  {"Inverted elements", "elements", "inverted", COLUMN_INVERTED},
                                  {"Smallest J", "", "min J", COLUMN_MIN_J},
                                  {"Contacts", "nodes", "contacts", COLUMN_CONTACTS}},
                   of_liquids[] = {{"Spray", "[m^3]", "spray", COLUMN_SPRAY},
                                   {"Drift of the liquid's volume", "[%]", "drift", COLUMN_DRIFT},
                                   {"Largest speed of the liquid", "[m/s]", "speed", COLUMN_SPEED},
                                   {"Iterations of the pressure", "", "iterations", COLUMN_PRESSURE}},
                   of_all[] = {{"Substeps per frame", "", "substeps", COLUMN_SUBSTEPS},
                               {"Wall time per frame", "[s]", "wall time", COLUMN_WALL}};

static void add_charts(page *p, const table *t, int32_t runs, const chart *charts, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        add_panel(p, charts[i].title, charts[i].unit, t, runs, &charts[i].what, &charts[i].name, 1);
}

// Whether any run has a number other than 0.
static bool has_any(const table *t, int32_t runs, column c)
{
    for (int32_t r = 0; r < runs; ++r)
        for (int32_t i = 0; i < t[r].count; ++i)
            if (t[r].value[c][i] != 0 && isfinite(t[r].value[c][i]))
                return true;
    return false;
}

// One run shows what came and went beside what is there.
static void add_liquids(page *p, const table *t, int32_t runs)
{
    static const column volumes[] = {COLUMN_LIQUID, COLUMN_ADDED};
    static const char *const names[] = {"liquid", "added"};
    add_panel(p, "Volume of the liquid", "[m^3]", t, runs, volumes, names,
              runs == 1 && has_any(t, runs, COLUMN_ADDED) ? 2 : 1);
    add_charts(p, t, runs, of_liquids, sizeof of_liquids / sizeof of_liquids[0]);
}

static void fill(page *p, const table *t, int32_t runs)
{
    static const column energies[] = {COLUMN_KINETIC, COLUMN_ELASTIC, COLUMN_GRAVITY, COLUMN_TOTAL},
                        total[] = {COLUMN_TOTAL};
    static const char *const energy_names[] = {"kinetic", "elastic", "gravity", "total"};
    if (runs == 1)
        add_panel(p, "Energy", "[J]", t, runs, energies, energy_names, 4);
    else
        add_panel(p, "Energy: kinetic + elastic + gravity", "[J]", t, runs, total, energy_names, 1);
    bool liquids = has_any(t, runs, COLUMN_LIQUID) || has_any(t, runs, COLUMN_ADDED);
    if (!liquids || has_any(t, runs, COLUMN_MIN_J))
        add_charts(p, t, runs, of_solids, sizeof of_solids / sizeof of_solids[0]);
    if (liquids)
        add_liquids(p, t, runs);
    add_charts(p, t, runs, of_all, sizeof of_all / sizeof of_all[0]);
}

// The name of a curve: what stands before "=", or all of the formula.
static const char *drawn_name(page *p, const arguments *a, int32_t i)
{
    const char *drawn = a->drawn[i].formula;
    size_t length = strcspn(drawn, "=");
    while (length > 0 && drawn[length - 1] == ' ')
        length--;
    snprintf(p->name[i], sizeof p->name[i], "%.*s", (int)length, drawn);
    return p->name[i];
}

// A chart per --of: its curve of every run, and what it is compared with.
static void fill_drawn(page *p, const arguments *a, const table *t)
{
    plot_panel *panel = NULL;
    for (int32_t i = 0; i < a->drawn_count; ++i)
    {
        const char *name = drawn_name(p, a, i);
        plot_series *series = p->series[a->drawn[i].beside ? p->count - 1 : p->count];
        if (!a->drawn[i].beside)
        {
            panel = &p->panel[p->count++];
            *panel = (plot_panel){.title = name, .x_label = "time [s]", .series = series};
        }
        for (int32_t r = 0; r < (a->drawn[i].beside ? 1 : a->operand_count); ++r)
        {
            bool is_named = a->drawn[i].beside || a->operand_count == 1;
            series[panel->series_count++] = series_of(&t[r], is_named ? name : t[r].name, COLUMN_COUNT + i);
            panel->reference_count += a->drawn[i].beside;
        }
    }
}

int command_plot(const arguments *a)
{
    if (ends_with(a->operand[0], ".csv"))
        return command_plot_tables(a);
    console con = console_make(a->quiet, false, false);
    session s;
    table tables[MOST_RUNS] = {0};
    page *p = calloc(1, sizeof *p);
    char path[4300];
    if (!p || !session_start(&s, &con, a))
    {
        free(p);
        return EXIT_FAILED;
    }
    bool good = true;
    for (int32_t i = 0; i < a->operand_count && good; ++i)
        good = read_table(&s, a, a->operand[i], &tables[i]);
    int status = good ? EXIT_DONE : EXIT_WRONG;
    if (good)
    {
        if (a->drawn_count > 0)
            fill_drawn(p, a, tables);
        else
            fill(p, tables, a->operand_count);
        snprintf(path, sizeof path, "%s/metrics.svg", a->operand[0]);
        if (a->output)
            snprintf(path, sizeof path, "%s", a->output);
        if (plot_write_svg(s.ctx, path, p->panel, p->count) != PL_OK)
        {
            (void)session_fail(&s);
            status = EXIT_FAILED;
        }
        else
            console_say(&con, "%s", path);
    }
    for (int32_t i = 0; i < MOST_RUNS; ++i)
        table_free(&tables[i]);
    free(p);
    session_end(&s);
    return status;
}

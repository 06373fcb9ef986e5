// tests/plot.c -- charts: round ticks, sound XML, gaps where values are missing; formulas.
#include "host.h"

#include "app/plot/formula.h"
#include "app/plot/svg.h"
#include "app/plot/table.h"
#include "app/plot/ticks.h"

#include <unistd.h>

// ---- ticks -------------------------------------------------------------------------------------------------------

// Every step is 1, 2 or 5 times a power of ten, ticks lie in the range, and there are enough of them.
static void ticks_are_round_and_in_range(void)
{
    for (int i = 0; i < 2000; ++i)
    {
        double width = (1.01 + cos(3 * i)) * pow(10, i % 13 - 6), low = 1000 * sin(i) * width, high = low + width;
        int32_t at_most = 2 + i % 9;
        plot_ticks t = plot_ticks_choose(low, high, at_most);
        double digit = t.step / pow(10, floor(log10(t.step) + 1e-9)), slack = 1e-8 * (high - low);
        CHECK_THAT(fmin(fmin(fabs(digit - 1), fabs(digit - 2)), fabs(digit - 5)) < 1e-6, "step %.17g", t.step);
        // the next smaller step, at least 2/5 of this, gave too many
        CHECK_THAT(t.count <= at_most && t.count >= (int32_t)(0.4 * at_most), "%d ticks of %d", t.count, at_most);
        CHECK(t.first >= low - slack && plot_tick(&t, t.count - 1) <= high + slack);
    }
    CHECK(plot_ticks_choose(1, 1, 5).count == 0 && plot_ticks_choose(0, INFINITY, 5).count == 0);
    CHECK(plot_ticks_choose(NAN, 1, 5).count == 0 && plot_ticks_choose(2, 1, 5).count == 0);
}

static void check_label(double value, double step, const char *expected)
{
    char text[PLOT_LABEL_CHARS];
    size_t length = plot_tick_label(value, step, text);
    CHECK_THAT(strcmp(text, expected) == 0 && length == strlen(expected), "%s instead of %s", text, expected);
}

static void labels_have_the_decimals_of_the_step(void)
{
    check_label(0.30000000000000004, 0.1, "0.3");
    check_label(-0.25, 0.05, "-0.25");
    check_label(0, 0.05, "0");
    check_label(-1e-20, 0.5, "0");
    check_label(1200, 200, "1200");
    check_label(2e6, 5e5, "2.0e6");
    check_label(-1.5e-7, 5e-8, "-1.5e-7");
    check_label(3e300, 1e300, "3e300");
    check_label(INFINITY, 1, "inf");
    check_label(NAN, 1, "nan");
}

// ---- pages -------------------------------------------------------------------------------------------------------

static int occurrences(const char *text, const char *what)
{
    int count = 0;
    for (const char *at = strstr(text, what); at; at = strstr(at + 1, what))
        count++;
    return count;
}

// Tags open and close in order, quotes close, and no "&" stands alone: enough to catch what escaping misses.
static bool is_well_formed(const char *s)
{
    int depth = 0;
    for (; *s; ++s)
    {
        if (*s == '&' && strncmp(s, "&amp;", 5) && strncmp(s, "&lt;", 4) && strncmp(s, "&gt;", 4) &&
            strncmp(s, "&quot;", 6))
            return false;
        if (*s != '<')
            continue;
        bool closes = s[1] == '/', quoted = false;
        for (++s; *s && (*s != '>' || quoted); ++s)
            quoted ^= *s == '"';
        if (!*s)
            return false;
        depth += s[-1] == '/' ? 0 : closes ? -1 : 1;
        if (depth < 0)
            return false;
    }
    return depth == 0;
}

static const double time_of[6] = {0, 1, 2, 3, 4, 5}, rising[6] = {1, 2, NAN, 4, 5, 6},
                    falling[6] = {100, 10, 1, 0, 1e-2, 1e-3};

static plot_page make(pl_context *ctx, const plot_panel *panels, int32_t count)
{
    plot_page page = {0};
    CHECK_OK(ctx, plot_make_svg(ctx, panels, count, &page));
    return page;
}

static void a_missing_value_breaks_the_line(void)
{
    pl_context *ctx = test_context(1);
    plot_series s[] = {{NULL, 6, time_of, rising}, {NULL, 6, time_of, falling}};
    plot_panel linear = {.series = s, .series_count = 1},
               logarithmic = {.series = s + 1, .series_count = 1, .log_y = 1};
    plot_page pages[] = {make(ctx, &linear, 1), make(ctx, &logarithmic, 1)};
    for (int i = 0; i < 2; ++i)
    {
        // two pieces: NaN is in the third place, zero in the fourth
        const char *path = strstr(pages[i].text, " d=\"M");
        const char *end = path ? strchr(path + 4, '"') : NULL;
        int starts = 0, lines = 0;
        for (; path && path < end; ++path)
            starts += *path == 'M', lines += *path == 'L';
        CHECK_THAT(starts == 2 && lines == 3, "%d pieces, %d lines", starts, lines);
        CHECK(occurrences(pages[i].text, "<circle") == 5);
        CHECK(is_well_formed(pages[i].text) && !strstr(pages[i].text, "nan") && !strstr(pages[i].text, "inf"));
        plot_page_destroy(ctx, &pages[i]);
    }
    pl_context_destroy(&ctx);
}

// In the legend and as a line, and nothing else is.
static void references_are_dashed(void)
{
    pl_context *ctx = test_context(1);
    plot_series s[] = {{"rising", 6, time_of, rising}, {"falling", 6, time_of, falling}};
    plot_panel p = {.series = s, .series_count = 2};
    for (p.reference_count = 0; p.reference_count <= 2; ++p.reference_count)
    {
        plot_page page = make(ctx, &p, 1);
        CHECK_THAT(occurrences(page.text, "stroke-dasharray") == 2 * p.reference_count, "%d dashed",
                   occurrences(page.text, "stroke-dasharray"));
        plot_page_destroy(ctx, &page);
    }
    pl_context_destroy(&ctx);
}

static void names_are_escaped(void)
{
    pl_context *ctx = test_context(1);
    plot_series s = {"a<b & \"c\" \xc3\xa9 \xff\x01 \xed\xa0\x80", 6, time_of, rising};
    plot_panel p = {
        .title = "<script>", .x_label = "\xe2\x82\xac", .y_label = "</svg>", .series = &s, .series_count = 1};
    plot_page page = make(ctx, &p, 1);
    CHECK(is_well_formed(page.text));
    CHECK(strstr(page.text, "a&lt;b &amp; &quot;c&quot; \xc3\xa9 ?  ???") && strstr(page.text, "\xe2\x82\xac"));
    CHECK(!strstr(page.text, "<script>") && occurrences(page.text, "</svg>") == 1);
    plot_page_destroy(ctx, &page);
    pl_context_destroy(&ctx);
}

// Nothing, one point, equal values, values near the largest numbers, many series: a page all the same.
static void any_values_make_a_page(void)
{
    pl_context *ctx = test_context(1);
    double huge[4] = {-1.7e308, 1.7e308, 9e299, -9e299}, equal[4] = {5, 5, 5, 5},
           none[4] = {NAN, INFINITY, -INFINITY, NAN};
    plot_series s[60] = {{"huge", 4, time_of, huge},
                         {"equal", 4, equal, equal},
                         {"none", 4, time_of, none},
                         {"one", 1, time_of, rising}};
    for (int i = 4; i < 60; ++i)
        s[i] = (plot_series){"a long name of a series", 6, time_of, falling};
    for (int log_y = 0; log_y < 2; ++log_y)
        for (int k = 0; k < 5; ++k)
        {
            plot_panel p[2] = {{.series = s + k, .series_count = k < 4 ? 1 : 56, .log_y = log_y}, {.title = "empty"}};
            plot_page page = make(ctx, p, 2);
            CHECK(is_well_formed(page.text) && !strstr(page.text, "nan") && occurrences(page.text, "no values") >= 1);
            plot_page_destroy(ctx, &page);
        }
    plot_page page = {0};
    CHECK(plot_make_svg(ctx, NULL, 0, &page) == PL_ERR_ARGUMENT && !page.text);
    pl_context_destroy(&ctx);
}

// ---- tables ------------------------------------------------------------------------------------------------------

static const char small[] = "# ms & more\r\n# a remark\n\n n , a<b,second \n1,2,3\n 2.5e0 ,, -4\n3,5,6";

// Title, names and numbers are those of the file, however it ends its lines; what is empty is a gap.
static void tables_are_what_they_say(void)
{
    pl_context *ctx = test_context(1);
    plot_table t;
    plot_series curve[TABLE_COLUMNS];
    CHECK_OK(ctx, plot_table_read(ctx, "small.csv", small, sizeof small - 1, &t));
    CHECK(t.column_count == 3 && t.row_count == 3 && strcmp(t.title, "ms & more") == 0);
    CHECK(strcmp(t.name[0], "n") == 0 && strcmp(t.name[1], "a<b") == 0 && strcmp(t.name[2], "second") == 0);
    plot_table_curves(&t, curve);
    CHECK(strcmp(curve[1].name, "second") == 0 && curve[1].count == 3 && curve[1].x[1] == 2.5 && curve[1].y[1] == -4 &&
          curve[1].y[2] == 6);
    CHECK(curve[0].y[0] == 2 && isnan(curve[0].y[1]) && curve[0].y[2] == 5);
    plot_page page =
        make(ctx, &(plot_panel){.title = t.title, .x_label = t.name[0], .series = curve, .series_count = 2}, 1);
    CHECK(is_well_formed(page.text) && strstr(page.text, "ms &amp; more") && strstr(page.text, "a&lt;b"));
    plot_page_destroy(ctx, &page);
    plot_table_destroy(ctx, &t);
    CHECK(pl_context_memory(ctx) == 0);
    pl_context_destroy(&ctx);
}

static void wrong_tables_are_refused(void)
{
    static const struct
    {
        const char *text, *says;
    } rows[] = {{"", "t.csv: has no rows"},
                {"# only a title", "has no rows"},
                {"x,y\n", "has no rows"},
                {"x\n1\n", "t.csv:1: a table needs two columns"},
                {"x,y\n1,2\n3\n", "t.csv:3: 1 values for 2 columns"},
                {"x,y\n1,2,3\n", "t.csv:2: more values than the 2 columns"},
                {"x,y\n1,two\n", "t.csv:2: \"two\" (y) is not a number"},
                {"x,y\n1,0x1p3\n", "is not a number"},
                {",,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,\n", "t.csv:1: more than 40 columns"}};
    pl_context *ctx = test_context(1);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
    {
        plot_table t = {.row_count = 7};
        pl_status status = plot_table_read(ctx, "t.csv", rows[i].text, strlen(rows[i].text), &t);
        CHECK_THAT(status == PL_ERR_ARGUMENT && strstr(pl_context_error(ctx), rows[i].says), "%s: %s", rows[i].text,
                   pl_context_error(ctx));
        CHECK(t.row_count == 7 && pl_context_memory(ctx) == 0);
    }
    pl_context_destroy(&ctx);
}

static pl_status attempt_table(pl_context *ctx)
{
    plot_table t;
    PL_TRY(plot_table_read(ctx, "small.csv", small, sizeof small - 1, &t));
    plot_table_destroy(ctx, &t);
    return PL_OK;
}

static void tables_survive_every_failed_allocation(void) { CHECK(survive_every_failure(attempt_table) > 3); }

// ---- formulas ----------------------------------------------------------------------------------------------------

static const char now[] = "{\"time\": 2, \"kinetic\": 10, \"elastic\": null, \"momentum\": [1, 2, 3], \"bodies\": "
                          "{\"a-b\": {\"mass\": 4}, \"1\": {\"mass\": 5}}}";
static const char before[] = "{\"time\": 0, \"kinetic\": 7, \"momentum\": [0.5, 0, 0]}";

typedef struct
{
    pl_context *ctx;
    pl__json_doc now, before;
} frames;

static frames read_frames(void)
{
    frames f = {.ctx = test_context(1)};
    if (pl__json_parse(f.ctx, "now", now, sizeof now - 1, &f.now) != PL_OK ||
        pl__json_parse(f.ctx, "before", before, sizeof before - 1, &f.before) != PL_OK)
        abort();
    return f;
}

static void free_frames(frames *f)
{
    pl__json_free(&f->now);
    pl__json_free(&f->before);
    pl_context_destroy(&f->ctx);
}

static void formulas_have_the_usual_precedence(void)
{
    static const struct
    {
        const char *formula;
        double value;
    } rows[] = {{"1 + 2*3", 7},
                {"(1+2) * 3", 9},
                {"10 - 4 - 3", 3},
                {"12/2/3", 2},
                {"-2^2", -4},
                {"2^3^2", 512},
                {"2^-1", 0.5},
                {"--3", 3},
                {"2*-3", -6},
                {"1.5e2", 150},
                {" .5 ", 0.5},
                {"sqrt(16) + abs(-1)", 5},
                {"min(3, 1+1)", 2},
                {"max(-1, max(2, 5))", 5},
                {"sin(30*deg)", 0.5},
                {"cos(pi)", -1},
                {"log(exp(2))", 2},
                {"floor(2.7)", 2},
                {"t", 2},
                {"time^2", 4},
                {"kinetic - start(kinetic)", 3},
                {"start(t) + t", 2},
                {"momentum.z", 3},
                {"start(momentum.x)", 0.5},
                {"bodies.\"a-b\".mass-1", 3},
                {"bodies.1.mass", 5},
                {"elastic", NAN},
                {"elastic.x", NAN},
                {"max(elastic, 1)", NAN}};
    frames f = read_frames();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
    {
        char why[FORMULA_WHY_CHARS] = "";
        double value = 0;
        bool good = formula_value(rows[i].formula, f.now.root, f.before.root, &value, why);
        CHECK_THAT(good && (isnan(rows[i].value) ? isnan(value) : fabs(value - rows[i].value) < 1e-12), "%s is %g (%s)",
                   rows[i].formula, value, why);
    }
    free_frames(&f);
}

// Each mistake gets a sentence with its place.
static void wrong_formulas_say_where(void)
{
    static const char *const rows[][2] = {{"", "character 1: a number or a name"},
                                          {"1 +", "character 4: a number or a name"},
                                          {"2 3", "character 3: the formula should end"},
                                          {"(1", "character 3: a ) should"},
                                          {"sin 3", "a ( should"},
                                          {"min(1)", "a comma"},
                                          {"kinetc", "nothing that is called kinetc; did you mean kinetic?"},
                                          {"sqr(4)", "did you mean sqrt?"},
                                          {"momentum", "a part must be named"},
                                          {"momentum.w", "called w"},
                                          {"momentum.", "should follow the dot"},
                                          {"bodies.b.mass", "called b"},
                                          {"\"a", "a number or a name"},
                                          {"start(elastic)", "called elastic"},
                                          {"1)", "should end here"},
                                          {"$", "a number or a name"}};
    frames f = read_frames();
    char why[FORMULA_WHY_CHARS], deep[5000];
    double value;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
        CHECK_THAT(!formula_value(rows[i][0], f.now.root, f.before.root, &value, why) && strstr(why, rows[i][1]),
                   "%s: %s", rows[i][0], why);
    static const char opening[] = "(-s"; // s: a name that is too long
    for (int k = 0; k < 3; ++k)
    {
        memset(deep, opening[k], sizeof deep);
        deep[sizeof deep - 1] = 0;
        CHECK(!formula_value(deep, f.now.root, f.before.root, &value, why));
    }
    free_frames(&f);
}

static pl_status write_chart(pl_context *ctx)
{
    char path[] = "/tmp/pliant-plot-XXXXXX";
    int file = mkstemp(path);
    close(file);
    plot_series s[] = {{"rising", 6, time_of, rising}, {"falling", 6, time_of, falling}};
    plot_panel p = {.title = "both", .series = s, .series_count = 2};
    pl_status status = plot_write_svg(ctx, path, &p, 1);
    unlink(path);
    return status;
}

static void every_failed_allocation_is_survived(void) { CHECK(survive_every_failure(write_chart) >= 3); }

int main(int argc, char **argv)
{
    static const pl_test tests[] = {TEST(ticks_are_round_and_in_range),
                                    TEST(labels_have_the_decimals_of_the_step),
                                    TEST(a_missing_value_breaks_the_line),
                                    TEST(references_are_dashed),
                                    TEST(names_are_escaped),
                                    TEST(formulas_have_the_usual_precedence),
                                    TEST(wrong_formulas_say_where),
                                    TEST(any_values_make_a_page),
                                    TEST(tables_are_what_they_say),
                                    TEST(wrong_tables_are_refused),
                                    TEST(tables_survive_every_failed_allocation),
                                    TEST(every_failed_allocation_is_survived)};
    return RUN(tests);
}

// app/plot/svg.c -- line charts as an SVG page.
//
// Each panel has a title, a legend that flows into as many rows as it needs, a frame with round ticks, and its lines:
// one path per series, broken where values are missing. Resting the mouse on a line names it, on a point tells its
// values. Colours are those of Okabe and Ito, which colour-blind readers can tell apart; after seven, lines are dashed.
// Numbers are written from integers, so that no locale can put commas into them.
#include "svg.h"
#include "ticks.h"

#include "base/service.h"
#include "io/write.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    WIDTH = 900,
    LEFT = 84, // of the frame
    RIGHT = 876,
    FRAME_HEIGHT = 200,
    LEGEND_ROW = 20,
    HOVER_POINTS = 200, // of a series, at most
    COLORS = 7,
    SERIES_MAX = 1000
};

static const char *const colors[COLORS] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#444444"};
static const char *const dashes[] = {"", " stroke-dasharray=\"7 4\"", " stroke-dasharray=\"2 3\""};

// ---- text --------------------------------------------------------------------------------------------------------

typedef struct pen
{
    pl_context *ctx;
    plot_page *page;
    bool failed; // out of memory: silences what follows
} pen;

static void put_bytes(pen *p, const char *bytes, size_t size)
{
    plot_page *page = p->page;
    if (p->failed || !PL_GROW(p->ctx, page->text, &page->capacity, page->length + size + 1))
    {
        p->failed = true;
        return;
    }
    memcpy(page->text + page->length, bytes, size);
    page->length += size;
    page->text[page->length] = 0;
}

static void put(pen *p, const char *text) { put_bytes(p, text, strlen(text)); }

// Short pieces without real numbers.
__attribute__((format(printf, 2, 3))) static void put_format(pen *p, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    put(p, text);
}

// A place on the page, to a tenth of a pixel.
static void put_place(pen *p, double pixels)
{
    long tenths = lrint(10 * fmin(fmax(pixels, -1e6), 1e6));
    put_format(p, "%s%ld.%ld", tenths < 0 ? "-" : "", labs(tenths) / 10, labs(tenths) % 10);
}

// name="place"
static void put_at(pen *p, const char *name, double pixels)
{
    put_format(p, " %s=\"", name);
    put_place(p, pixels);
    put(p, "\"");
}

// ---- escaping ----------------------------------------------------------------------------------------------------

// Bytes of the character at `s` if it is UTF-8 that XML allows, else 0.
static int sound_bytes(const unsigned char *s)
{
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    int n = s[0] < 0x80 ? 1 : s[0] >> 5 == 6 ? 2 : s[0] >> 4 == 14 ? 3 : s[0] >> 3 == 30 ? 4 : 0;
    uint32_t code = n == 1 ? s[0] : n ? s[0] & (0x7fu >> n) : 0;
    for (int i = 1; i < n; ++i)
    {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (s[i] & 0x3fu);
    }
    bool allowed = code >= 0x20 && code <= 0x10ffff && code >> 11 != 0x1b && code != 0xfffe && code != 0xffff;
    return n && allowed && code >= least[n] ? n : 0;
}

static void put_escaped(pen *p, const char *text)
{
    const unsigned char *s = (const unsigned char *)(text ? text : "");
    while (*s)
    {
        int n = sound_bytes(s);
        if (*s == '&' || *s == '<' || *s == '>' || *s == '"')
            put(p, *s == '&' ? "&amp;" : *s == '<' ? "&lt;" : *s == '>' ? "&gt;" : "&quot;");
        else if (n)
            put_bytes(p, (const char *)s, (size_t)n);
        else
            put(p, *s < 0x20 ? " " : "?");
        s += n ? n : 1;
    }
}

static void put_text(pen *p, double x, double y, const char *attributes, const char *text)
{
    put(p, "<text");
    put_at(p, "x", x);
    put_at(p, "y", y);
    put_format(p, " %s>", attributes);
    put_escaped(p, text);
    put(p, "</text>\n");
}

static void put_line(pen *p, double x1, double y1, double x2, double y2, const char *attributes)
{
    put(p, "<line");
    put_at(p, "x1", x1);
    put_at(p, "y1", y1);
    put_at(p, "x2", x2);
    put_at(p, "y2", y2);
    put_format(p, " %s/>\n", attributes);
}

// ---- axes --------------------------------------------------------------------------------------------------------

// Values [low, high], or their logarithms, on the pixels from `start` to `end`.
typedef struct axis
{
    double low, high, start, end;
    bool logarithmic;
} axis;

typedef struct frame
{
    axis x, y;
    double top; // of the panel
} frame;

static bool is_shown(double value, bool logarithmic)
{
    return fabs(value) < 1e300 && (!logarithmic || value >= 1e-300);
}

static double scaled(const axis *a, double value) { return a->logarithmic ? log10(value) : value; }

static double place(const axis *a, double value)
{
    return a->start + (a->end - a->start) * ((scaled(a, value) - a->low) / (a->high - a->low));
}

static bool point_is_shown(const plot_panel *panel, const plot_series *s, int32_t i)
{
    return is_shown(s->x[i], false) && is_shown(s->y[i], panel->log_y != 0);
}

// The smallest ranges that hold all points that are shown.
static void measure(const plot_panel *panel, axis *x, axis *y)
{
    x->low = y->low = HUGE_VAL;
    x->high = y->high = -HUGE_VAL;
    for (int32_t k = 0; k < panel->series_count; ++k)
        for (int32_t i = 0; i < panel->series[k].count; ++i)
        {
            const plot_series *s = &panel->series[k];
            if (!point_is_shown(panel, s, i))
                continue;
            x->low = fmin(x->low, s->x[i]);
            x->high = fmax(x->high, s->x[i]);
            y->low = fmin(y->low, scaled(y, s->y[i]));
            y->high = fmax(y->high, scaled(y, s->y[i]));
        }
}

// Some room around the lines; a range even where there is nothing, or only one value.
static void widen(axis *a, double share)
{
    if (!(a->low <= a->high))
    {
        a->low = 0;
        a->high = 1;
    }
    double width = a->high - a->low, least = a->logarithmic ? 0.5 : 1e-9 * fmax(fabs(a->low), fabs(a->high));
    double room = width > least    ? share * width
                  : a->logarithmic ? 0.5
                                   : fmax(0.5 * fabs(a->low), least > 0 ? least : 0.5);
    a->low -= room;
    a->high += room;
}

static void label_tick(pen *p, const frame *f, bool vertical, double at, const char *text)
{
    if (vertical)
    {
        put_line(p, f->x.start, at, f->x.end, at, "class=\"grid\"");
        put_text(p, f->x.start - 8, at + 4, "class=\"tick\" text-anchor=\"end\"", text);
        return;
    }
    put_line(p, at, f->y.start, at, f->y.end, "class=\"grid\"");
    put_text(p, at, f->y.start + 18, "class=\"tick\" text-anchor=\"middle\"", text);
}

static void draw_ticks(pen *p, const frame *f, bool vertical)
{
    const axis *a = vertical ? &f->y : &f->x;
    plot_ticks ticks = plot_ticks_choose(a->low, a->high, vertical ? 6 : 10);
    for (int32_t i = 0; i < ticks.count; ++i)
    {
        char text[PLOT_LABEL_CHARS];
        double value = plot_tick(&ticks, i);
        plot_tick_label(value, ticks.step, text);
        label_tick(p, f, vertical, a->start + (a->end - a->start) * ((value - a->low) / (a->high - a->low)), text);
    }
}

// "0.01" and "2000", but "1e-3" and "5e6".
static void decade_label(double factor, int power, char text[PLOT_LABEL_CHARS])
{
    if (power >= -2 && power <= 3)
        plot_tick_label(factor * pow(10, power), pow(10, power), text);
    else
        snprintf(text, PLOT_LABEL_CHARS, "%.0fe%d", factor, power);
}

// Powers of ten; every second or so when there are many, and 2 and 5 times them when there are few.
static void draw_decades(pen *p, const frame *f)
{
    int first = (int)ceil(f->y.low), last = (int)floor(f->y.high), stride = (last - first) / 7 + 1;
    static const double between[] = {1, 2, 5};
    for (int power = first - 1; power <= last; ++power)
        for (int k = 0; k < (last - first < 2 ? 3 : 1); ++k)
        {
            double value = between[k] * pow(10, power), at = place(&f->y, value);
            char text[PLOT_LABEL_CHARS];
            decade_label(between[k], power, text);
            if (log10(value) >= f->y.low && log10(value) <= f->y.high && (power - first) % stride == 0)
                label_tick(p, f, true, at, text);
        }
}

static void draw_axes(pen *p, const plot_panel *panel, const frame *f)
{
    draw_ticks(p, f, false);
    if (panel->log_y)
        draw_decades(p, f);
    else
        draw_ticks(p, f, true);
    put_line(p, f->x.start, f->y.start, f->x.end, f->y.start, "class=\"axis\"");
    put_text(p, 0.5 * (f->x.start + f->x.end), f->y.start + 38, "class=\"label\" text-anchor=\"middle\"",
             panel->x_label);
    put(p, "<g transform=\"translate(");
    put_place(p, 20);
    put(p, " ");
    put_place(p, 0.5 * (f->y.start + f->y.end));
    put(p, ") rotate(-90)\">");
    put_text(p, 0, 0, "class=\"label\" text-anchor=\"middle\"", panel->y_label);
    put(p, "</g>\n");
}

// ---- lines -------------------------------------------------------------------------------------------------------

static bool is_reference(const plot_panel *panel, int32_t k)
{
    return k >= panel->series_count - panel->reference_count;
}
static const char *color_of(const plot_panel *panel, int32_t k)
{
    return is_reference(panel, k) ? "#30343b" : colors[k % COLORS];
}
static const char *dash_of(const plot_panel *panel, int32_t k)
{
    return is_reference(panel, k) ? dashes[1] : dashes[k / COLORS % 3];
}

// Points that fall onto the one before are left out.
static void draw_path(pen *p, const plot_panel *panel, const frame *f, int32_t k)
{
    const plot_series *s = &panel->series[k];
    double last_x = 0, last_y = 0;
    bool drawing = false;
    put_format(p, "<path class=\"line\" stroke=\"%s\"%s d=\"", color_of(panel, k), dash_of(panel, k));
    for (int32_t i = 0; i < s->count; ++i)
    {
        if (!point_is_shown(panel, s, i))
        {
            drawing = false;
            continue;
        }
        double x = place(&f->x, s->x[i]), y = place(&f->y, s->y[i]);
        if (drawing && fabs(x - last_x) + fabs(y - last_y) < 0.1)
            continue;
        put(p, drawing ? "L" : "M");
        put_place(p, x);
        put(p, " ");
        put_place(p, y);
        // a lone point is a dot
        if (!drawing && (i + 1 == s->count || !point_is_shown(panel, s, i + 1)))
            put(p, "h0");
        drawing = true;
        last_x = x;
        last_y = y;
    }
    put(p, "\"><title>");
    put_escaped(p, s->name);
    put(p, "</title></path>\n");
}

static void draw_hover_points(pen *p, const plot_panel *panel, const frame *f, int32_t k)
{
    const plot_series *s = &panel->series[k];
    for (int32_t i = 0; i < s->count; i += s->count / HOVER_POINTS + 1)
    {
        char x[PLOT_LABEL_CHARS], y[PLOT_LABEL_CHARS];
        if (!point_is_shown(panel, s, i))
            continue;
        plot_tick_label(s->x[i], fabs(s->x[i]) * 1e-4, x);
        plot_tick_label(s->y[i], fabs(s->y[i]) * 1e-4, y);
        put(p, "<circle class=\"point\" r=\"4\"");
        put_at(p, "cx", place(&f->x, s->x[i]));
        put_at(p, "cy", place(&f->y, s->y[i]));
        put_format(p, " fill=\"%s\"><title>", color_of(panel, k));
        put_escaped(p, s->name);
        put_format(p, " (%s, %s)</title></circle>\n", x, y);
    }
}

// ---- panels ------------------------------------------------------------------------------------------------------

static double entry_width(const char *name) { return 46 + 6.6 * (double)strlen(name); }

// Walk through the legend, drawing it unless `p` is NULL; returns its number of rows.
static int32_t flow_legend(pen *p, const plot_panel *panel, double top)
{
    double x = LEFT;
    int32_t rows = 0;
    for (int32_t k = 0; k < panel->series_count; ++k)
    {
        const char *name = panel->series[k].name;
        if (!name)
            continue;
        if (rows == 0 || x + entry_width(name) > RIGHT)
        {
            rows++;
            x = LEFT;
        }
        if (p)
        {
            double y = top + LEGEND_ROW * (rows - 1);
            put_format(p, "<path class=\"line\" stroke=\"%s\"%s d=\"M", color_of(panel, k), dash_of(panel, k));
            put_place(p, x);
            put(p, " ");
            put_place(p, y - 4);
            put(p, "h22\"/>");
            put_text(p, x + 28, y, "class=\"tick\"", name);
        }
        x += entry_width(name);
    }
    return rows;
}

static double panel_height(const plot_panel *panel)
{
    return 46 + LEGEND_ROW * flow_legend(NULL, panel, 0) + FRAME_HEIGHT + 60;
}

static bool is_empty(const frame *f) { return !(f->x.low <= f->x.high); }

static void draw_panel(pen *p, const plot_panel *panel, double top)
{
    double above = top + 46 + LEGEND_ROW * flow_legend(NULL, panel, 0);
    frame f = {.x = {.start = LEFT, .end = RIGHT},
               .y = {.start = above + FRAME_HEIGHT, .end = above, .logarithmic = panel->log_y != 0},
               .top = top};
    measure(panel, &f.x, &f.y);
    bool empty = is_empty(&f);
    widen(&f.x, 0);
    widen(&f.y, 0.06);
    put_text(p, LEFT, top + 30, "class=\"title\"", panel->title);
    flow_legend(p, panel, top + 54);
    draw_axes(p, panel, &f);
    for (int32_t k = 0; k < panel->series_count; ++k)
        draw_path(p, panel, &f, k);
    for (int32_t k = 0; k < panel->series_count; ++k)
        draw_hover_points(p, panel, &f, k);
    if (empty)
        put_text(p, 0.5 * (LEFT + RIGHT), above + 0.5 * FRAME_HEIGHT, "class=\"label\" text-anchor=\"middle\"",
                 "no values");
}

// ---- the page ----------------------------------------------------------------------------------------------------

static const char style[] =
    "<style>\n"
    "text{font-family:system-ui,'Helvetica Neue',Helvetica,Arial,sans-serif;fill:#30343b}\n"
    ".title{font-size:16px;font-weight:600}.label{font-size:13px}.tick{font-size:12px;fill:#555b65}\n"
    ".grid{stroke:#e4e6ea;stroke-width:1}.axis{stroke:#8a909a;stroke-width:1}\n"
    ".line{fill:none;stroke-width:1.8;stroke-linejoin:round;stroke-linecap:round}\n"
    ".point{opacity:0}.point:hover{opacity:1}\n"
    "</style>\n";

static void draw_page(pen *p, const plot_panel *panels, int32_t count)
{
    double height = 16;
    for (int32_t i = 0; i < count; ++i)
        height += panel_height(&panels[i]);
    put_format(p, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" viewBox=\"0 0 %d %.0f\">\n",
               WIDTH, height, WIDTH, height);
    put(p, style);
    put(p, "<rect width=\"100%\" height=\"100%\" fill=\"#fcfcfd\"/>\n");
    double top = 0;
    for (int32_t i = 0; i < count; ++i)
    {
        draw_panel(p, &panels[i], top);
        top += panel_height(&panels[i]);
    }
    put(p, "</svg>\n");
}

static pl_status check_panels(pl_context *ctx, const plot_panel *panels, int32_t count)
{
    PL_CHECK(ctx, count >= 1 && count <= 1000, "chart: %d panels are not in [1, 1000]", count);
    for (int32_t i = 0; i < count; ++i)
    {
        PL_CHECK(ctx, panels[i].series_count >= 0 && panels[i].series_count <= SERIES_MAX,
                 "chart: panel %d has %d series, not in [0, %d]", i, panels[i].series_count, SERIES_MAX);
        for (int32_t k = 0; k < panels[i].series_count; ++k)
            PL_CHECK(ctx, panels[i].series[k].count >= 0, "chart: panel %d, series %d: count %d is negative", i, k,
                     panels[i].series[k].count);
    }
    return PL_OK;
}

pl_status plot_make_svg(pl_context *ctx, const plot_panel *panels, int32_t panel_count, plot_page *page)
{
    PL_TRY(check_panels(ctx, panels, panel_count));
    size_t before = page->length;
    pen p = {ctx, page, false};
    draw_page(&p, panels, panel_count);
    if (!p.failed)
        return PL_OK;
    page->length = before;
    if (page->text)
        page->text[before] = 0;
    return PL_ERR_MEMORY;
}

void plot_page_destroy(pl_context *ctx, plot_page *page)
{
    if (page->text)
        PL_DELETE(ctx, page->text, page->capacity);
    *page = (plot_page){0};
}

pl_status plot_write_svg(pl_context *ctx, const char *path, const plot_panel *panels, int32_t panel_count)
{
    plot_page page = {0};
    pl_status status = plot_make_svg(ctx, panels, panel_count, &page);
    pl__writer w;
    if (status == PL_OK)
        status = pl__writer_open(&w, ctx, path);
    if (status == PL_OK)
    {
        pl__write_bytes(&w, page.text, page.length);
        status = pl__writer_commit(&w);
    }
    plot_page_destroy(ctx, &page);
    return status;
}

// app/plot/svg.h -- line charts as an SVG page: panels one below the other, with a common width.
//
//     plot_series energy[] = {{"kinetic", n, t, kinetic}, {"elastic", n, t, elastic}};
//     plot_panel panels[] = {{.title = "Energy", .x_label = "time [s]", .y_label = "[J]", .series = energy, .series_count = 2}};
//     plot_write_svg(ctx, "energy.svg", panels, 1);
#ifndef APP_PLOT_SVG_H
#define APP_PLOT_SVG_H

#include <pliant/base.h>

typedef struct plot_series
{
    const char *name;
    int32_t count;
    const double *x, *y; ///< [count]; points that are not finite (or not positive on a logarithmic axis) leave a gap
} plot_series;

typedef struct plot_panel
{
    const char *title, *x_label, *y_label; ///< UTF-8, or NULL
    const plot_series *series;
    int32_t series_count;
    int32_t log_y;           ///< nonzero: a logarithmic axis
    int32_t reference_count; ///< the last so many series are dark and dashed: what the others are compared with
} plot_panel;

/// Text that grows; `text` ends with a zero once anything was appended. Start with {0}.
typedef struct plot_page
{
    char *text;
    size_t length, capacity;
} plot_page;

/// Append a whole SVG document. On failure the page is as before.
PL_NODISCARD pl_status plot_make_svg(pl_context *ctx, const plot_panel *panels, int32_t panel_count, plot_page *page);
void plot_page_destroy(pl_context *ctx, plot_page *page);

/// The same as a file that appears whole or not at all.
PL_NODISCARD pl_status plot_write_svg(pl_context *ctx, const char *path, const plot_panel *panels, int32_t panel_count);

#endif

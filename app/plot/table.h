// app/plot/table.h -- numbers in a file of comma-separated values, as curves.
//
//     # milliseconds per step
//     tetrahedra,linear,warped
//     768,0.11,0.12
//     4116,0.7,0.75
//
// The first line that begins with # is the title, and others like it are remarks. Then come the names of the columns
// and a row per point: the first number of a row is x, the others are y of one curve each; what is empty is missing.
// Nothing is quoted.
#ifndef APP_PLOT_TABLE_H
#define APP_PLOT_TABLE_H

#include "svg.h"

enum
{
    TABLE_COLUMNS = 40 // at most
};

typedef struct plot_table
{
    char *text; ///< a copy with zeros between the pieces, which title and names point into
    size_t text_size;
    const char *title; ///< NULL: none
    const char *name[TABLE_COLUMNS];
    double *value[TABLE_COLUMNS]; ///< [row_count] each
    int32_t column_count, row_count;
    size_t capacity[TABLE_COLUMNS];
} plot_table;

/// Read a table; sentences about what is wrong name `path` and the line. `out` is untouched on failure.
PL_NODISCARD pl_status plot_table_read(pl_context *ctx, const char *path, const char *text, size_t size,
                                       plot_table *out);
void plot_table_destroy(pl_context *ctx, plot_table *table);

/// Its curves, all but the first column: [column_count - 1].
void plot_table_curves(const plot_table *table, plot_series *series);

#endif

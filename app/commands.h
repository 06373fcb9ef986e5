// app/commands.h -- the pliant command, and its commands one by one.
#ifndef APP_COMMANDS_H
#define APP_COMMANDS_H

#include "options.h"

// The command line; returns the exit status.
int pliant_main(int argc, char **argv);

int command_run(const arguments *a);
int command_render(const arguments *a);
int command_export(const arguments *a);
int command_view(const arguments *a);
int command_plot(const arguments *a);
int command_plot_tables(const arguments *a); // where its operands are such
int command_curves(const arguments *a);
int command_check(const arguments *a);
int command_info(const arguments *a);
int command_mesh(const arguments *a);
int command_bench(const arguments *a);
int command_validate(const arguments *a);
int command_schema(const arguments *a);

// One run with these changes, into `output` (run.c).
int run_once(const arguments *a, const char *const *changes, int32_t change_count, const char *output);
// The scene of a run directory, or the file itself.
void scene_path(const char *operand, char *path, size_t size);
// "torus.run" for "scenes/torus.json"
void default_output(const char *scene, char *path, size_t size);

#endif

// app/commands.c -- the pliant command: which one, and its tables.
#include "commands.h"
#include "scene/source.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#define OPTIONS(...)                                                                                                   \
    (const char *const[]) { __VA_ARGS__, NULL }

const command commands[] = {
    {"run", "SCENE.json|DIR", "simulate a scene; leaves a directory with a movie",
     "Simulates a scene and leaves a directory (SCENE.run unless -o names another): the movie, one line of metrics and "
     "the whole state of every frame. "
     "Ctrl-C stops at a checkpoint; --resume goes on, to the bit, also after a crash. A finished run can be made "
     "longer (--resume --frames N) or branched "
     "(pliant run DIR --branch FRAME -o NEW --set ...).",
     1, 1,
     OPTIONS("output", "set", "frames", "threads", "resume", "force", "branch", "no-movie", "quiet", "json", "verbose"),
     command_run},
    {"check", "SCENE.json|DIR", "say what is wrong and where, or what it will cost",
     "Reads a scene and everything it needs without simulating it: says what is wrong and where, or what will be "
     "simulated, how many steps that takes, and about how "
     "much time and memory.",
     1, 1, OPTIONS("set", "threads", "json"), command_check},
    {"view", "SCENE.json|DIR", "the live page: play with a scene in the browser",
     "Simulates a scene in real time and shows it in the browser: pull at bodies, push and pin them, turn knobs, "
     "record. The page is served to this computer only; the address "
     "is printed, and for those who are logged in from elsewhere how to reach it. When the scene file is saved the "
     "page takes what has changed. The directory of a "
     "run is played again, and can be gone on with from any frame. Ctrl-C ends it.",
     1, 1, OPTIONS("set", "port", "rate", "threads", "no-open", "quiet", "verbose"), command_view},
    {"render", "DIR", "draw a run anew: a movie or single pictures",
     "Draws frames of a run, with the look of its scene or another (--set look.color_by=stress). -o names a movie "
     "(.webp, .mp4) or pictures (.png; with a % in "
     "the name, one per frame). Without -o the movie of the run is made again.",
     1, 1, OPTIONS("output", "set", "frame", "first", "last", "sheet", "threads", "quiet", "verbose"), command_render},
    {"plot", "DIR...|TABLE.csv...", "draw metrics over time as a page of charts",
     "Draws energies, volume, inverted elements and cost of a run over time into an SVG (metrics.svg in the run unless "
     "-o names another), which browsers open. Several runs are compared. "
     "--of draws other things instead, each chart with its curves of --with beside it. Formulas know + - * / ^, sqrt "
     "exp log sin cos tan abs floor min max, pi, deg, "
     "t and the keys of metrics.jsonl (bodies.ball.center.x); start(KEY) is its value in the first frame. 'NAME = "
     "FORMULA' gives it a name. "
     "A table of comma-separated values is drawn as a chart of its own: every column over the first.",
     1, 4, OPTIONS("output", "of", "with", "quiet"), command_plot},
    {"curves", "[PRESET|SCENE.json]", "draw stress over stretch of materials",
     "Draws stress-stretch curves into an SVG (curves.svg unless -o names another): of every model, bare and as "
     "simulated, through inversion; or of a preset; or of the materials "
     "of a scene. One material is shown with every inversion rule, and its fibres.",
     0, 1, OPTIONS("output", "set", "threads", "quiet"), command_curves},
    {"export", "DIR", "write files for ParaView, Blender, Houdini, the web",
     "Writes the frames of a run for other programs: vtu (ParaView), pc2 or ply (Blender), usd (Houdini, Maya, "
     "Unreal), glb (the web), npy (Python), obj, vdb (grids of liquids). "
     "-o names the directory (export/FORMAT in the run).",
     1, 1, OPTIONS("to", "output", "set", "first", "last", "threads", "quiet", "verbose"), command_export},
    {"mesh", "SURFACE", "make tetrahedra or hexahedra from a closed surface",
     "Fills a closed surface (.obj .ply .stl ...) with tetrahedra, or with --elements hex the cubes of a grid, of edge "
     "length --size and writes them (-o OUT.msh, .node or .obj). "
     "Without --fitted the elements cover the surface; with it the boundary nodes of tetrahedra lie on it, and cubes "
     "are those whose middles are inside.",
     1, 1, OPTIONS("output", "size", "elements", "fitted", "threads", "quiet", "verbose"), command_mesh},
    {"info", "FILE|DIR", "what is in a mesh, a scene or a run",
     "Says what is in a mesh file, a scene file or the directory of a run.", 1, 1,
     OPTIONS("json", "threads", "verbose"), command_info},
    {"bench", "[NAME]", "the benchmark table of the docs, on this machine",
     "Measures this machine as docs/benchmarks.md does. A name picks the cases that contain it; -o names a file for a "
     "table of comma-separated values, --figure one for the curves of \"implicit\" that pliant plot draws.",
     0, 1, OPTIONS("quick", "output", "figure"), command_bench},
    {"validate", "", "compare liquids with published benchmarks",
     "Simulates published benchmarks of liquids (a dam break, sloshing, solitary waves, interfaces that stretch) and "
     "prints our figures beside the published ones, with resolution, deviation and tolerance. Exit status 1 if one is "
     "not within its tolerance. docs/liquids.md has the table.",
     0, 0, OPTIONS("only", "fine", "quick", "threads", "quiet", "json"), command_validate},
    {"schema", "", "the JSON schema of scene files, for editors",
     "Prints scene.schema.json, or with --reference the reference page of scene files, both made from the tables that "
     "read them.",
     0, 0, OPTIONS("reference"), command_schema},
    {0},
};

static const command *find_command(const char *name)
{
    for (const command *c = commands; c->name; ++c)
        if (strcmp(c->name, name) == 0)
            return c;
    return NULL;
}

static int unknown_command(const char *name)
{
    const char *names[16];
    int count = 0;
    for (const command *c = commands; c->name; ++c)
        names[count++] = c->name;
    names[count] = NULL;
    const char *guess = pl__near_miss(name, names);
    if (guess)
        fprintf(stderr, "pliant: unknown command \"%s\"; did you mean \"%s\"?\n", name, guess);
    else
        fprintf(stderr, "pliant: unknown command \"%s\"; see pliant --help\n", name);
    return EXIT_WRONG;
}

static int run_command(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "--help";
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0)
    {
        const command *c = argc > 2 ? find_command(argv[2]) : NULL;
        if (argc > 2 && !c)
            return unknown_command(argv[2]);
        if (c)
            print_help(c);
        else
            print_overview();
        return argc > 1 ? EXIT_DONE : EXIT_WRONG;
    }
    if (strcmp(name, "--version") == 0)
    {
        printf("pliant %d.%d.%d\n", PL_VERSION_MAJOR, PL_VERSION_MINOR, PL_VERSION_PATCH);
        return EXIT_DONE;
    }
    if (strcmp(name, "--man") == 0 || strcmp(name, "--completion") == 0)
    {
        name[2] == 'm' ? print_man_page() : print_completion();
        return EXIT_DONE;
    }
    const command *c = find_command(name);
    arguments a;
    if (!c)
        return unknown_command(name);
    int status = EXIT_WRONG;
    if (arguments_parse(c, argc - 2, argv + 2, &a))
    {
        status = EXIT_DONE;
        if (a.help)
            print_help(c);
        else
            status = c->run(&a);
    }
    arguments_free(&a);
    return status;
}

// Results that did not reach standard output are no results.
int pliant_main(int argc, char **argv)
{
    (void)signal(SIGXFSZ, SIG_IGN); // a limit on the size of files is an error that writing reports
    int status = run_command(argc, argv);
    if ((fflush(stdout) == 0 && !ferror(stdout)) || status != EXIT_DONE)
        return status;
    fprintf(stderr, "standard output: %s\n", errno ? strerror(errno) : "could not be written");
    return EXIT_FAILED;
}

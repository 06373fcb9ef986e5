// app/view/view.h -- what the engine's side of the live page knows: the world, its clock, and who is watching.
//
//     show.c     the loop: letters, ticks, frames
//     stage.c    the world as bytes for pages
//     tools.c    what hands do to bodies and objects; a new tool is a row there
//     reload.c   a scene file that changes on disk
//     record.c   what happens as a run, and a movie of it
//     relay.c    the threads; http.c the server; message.c what pages say
#ifndef APP_VIEW_VIEW_H
#define APP_VIEW_VIEW_H

#include "message.h"
#include "relay.h"
#include "rundir.h"

struct tool;

// A mouse or a finger that is down.
typedef struct hand
{
    const struct tool *tool; // NULL: it is up
    pl_body_id body;
    pl_grab_id grab;
    pl_object_id object;       // that it moves; index 0: none
    double offset[3];          // from where it holds that to where that is
    double held[3], facing[3]; // it moves in the plane through this point, across this direction
    double to[3];              // where it is
    double last[3];            // and where it was when it last cut
    double due;                // that it has still to pour [m^3]
    char liquid[80];           // what it pours; "": the first
} hand;

// Whoever watches.
typedef struct spectator
{
    bool there;
    bool wants;      // asked for a frame and has not got one
    uint64_t sent;   // serial of the last frame
    uint32_t knows;  // the topology that it has
    int64_t ignored; // letters
    hand hand[MESSAGE_HANDS];
} spectator;

typedef struct live_value
{
    char path[160];
    double value;
} live_value;

// A node that the pin tool holds.
typedef struct held_node
{
    pl_body_id body;
    int32_t node;
} held_node;

enum
{
    HELD_MAX = 4096
};

typedef struct view
{
    const arguments *a;
    console *con;
    session s;
    relay *relay;
    spectator page[RELAY_PAGES];
    char path[4200];    // of the scene file
    char trouble[1200]; // a sentence that pages show until it is mended

    // the clock
    bool playing, single;            // single: one tick, then pause
    double rate, speed;              // ticks per second; simulated seconds per second
    double next_tick;                // [s] of the wall clock
    int32_t part_substeps;           // as many as take a few milliseconds
    double factor;                   // simulated seconds per second, of late
    double window_wall, window_time; // where the measurement of `factor` began
    bool behind;                     // the machine cannot keep up
    double tick_seconds;             // what the tick under way has cost, and the last one
    double last_tick_seconds;
    int32_t tick_iterations, last_iterations, tick_volume_iterations, last_volume_iterations;
    pl_step_info info; // of the last tick

    // a run that is played again
    bool replay;
    rundir run;
    int32_t frame;

    // what pages see
    uint64_t serial; // grows with every change
    parcel *shown;   // the frame of serial `shown_serial`
    uint64_t shown_serial;
    parcel *topology;
    uint32_t topology_version, generation;
    char color[32]; // what bodies are coloured by

    // states to come back to
    void *start, *mark;
    size_t start_size, mark_size;
    live_value *written; // [written_count] live values as the file says them
    int32_t written_count;

    double grip;
    int32_t iterations;                         // of one damping solve, at most
    held_node held[HELD_MAX], marked[HELD_MAX]; // now, and in the marked state
    int32_t held_count, marked_count;
    struct recorder *recorder;
    struct watch *watch;
} view;

// ---- show.c ------------------------------------------------------------------------------------------------------

// Until Ctrl-C. An exit status.
int view_run(view *v);
// Say something to one page, or with -1 to all: {"kind": KIND, "text": SENTENCE}.
void view_tell(view *v, int32_t page, const char *kind, const char *sentence);
// The trouble that the scene is in, or "" for none.
void view_trouble(view *v, const char *sentence);
// The sentence of the last failed call, to all pages and to the log.
void view_fail(view *v);
// Tell everybody what there is, after a scene was loaded.
void view_introduce(view *v, int32_t page);
// A snapshot, which replaces the one before. False when out of memory.
bool view_save(view *v, void **state, size_t *size);
// Measure time and speed anew, after a jump.
void view_restart_clock(view *v);
// Remember the beginning and what the file says, after a world was made.
bool view_remember_start(view *v);

// ---- stage.c -----------------------------------------------------------------------------------------------------

// Which topology there is now.
uint32_t stage_version(const view *v);
parcel *stage_topology(view *v);
parcel *stage_frame(view *v);
// What pages can do and see here, as a text.
void stage_describe(view *v, text *t);
// The box around all bodies.
void stage_bounds(const view *v, double lower[3], double upper[3]);

// ---- tools.c -----------------------------------------------------------------------------------------------------

// What a tool acts on.
typedef enum tool_target
{
    TOOL_ON_BODIES, // also below water
    TOOL_ON_OBJECTS,
    TOOL_ON_FIRST,    // body or liquid that is met
    TOOL_ON_ANYTHING, // that warms: bodies, and liquids that can be painted
    TOOL_ANYWHERE
} tool_target;

typedef struct tool
{
    const char *name, *title, *key, *hint; // key: of the keyboard
    tool_target on;
    const char *(*idle)(const view *v);                                       // or NULL; see tools_idle
    void (*down)(view *v, hand *h, const pl_hit *hit, const double along[3]); // or NULL
    void (*move)(view *v, hand *h);                                           // or NULL
    void (*up)(view *v, hand *h);                                             // or NULL
    void (*stay)(view *v, hand *h, double dt); // while it is down, before each step of dt [s]; or NULL
} tool;

// All tools, ended by one without a name.
extern const tool tools[];

// A sentence why a tool has nothing to do in this scene, or NULL.
const char *tools_idle(const view *v, const tool *t);
// Whether a tool may have something to do where there is neither body nor object.
bool tools_reach_anywhere(const view *v, const tool *t);
// A hand that can do nothing says why, and is up.
void tools_refuse(view *v, hand *h, const char *sentence);
void tools_touch(view *v, hand *h, const message *m);
void tools_drag(view *v, hand *h, const message *m);
void tools_lift(view *v, hand *h);
// All hands of a page, or with -1 of all.
// What hands do while a step of dt goes by.
void tools_stay(view *v, double dt);
void tools_lift_all(view *v, int32_t page);
// Pins that were set by hand are no more.
void tools_forget_pins(view *v);
// Let go of all nodes that were held by hand in the state of a run: scenes pin groups, which stay.
void tools_release_pins(view *v);

// ---- reload.c ----------------------------------------------------------------------------------------------------

// Look whether the scene or a file that it reads has changed, and take what has.
void reload_look(view *v);
void reload_end(view *v);

// ---- record.c ----------------------------------------------------------------------------------------------------

bool record_is_on(const view *v);
void record_begin(view *v);
// After a tick: a frame, when one is due.
void record_tick(view *v);
// The movie is drawn in the background, from where the page looks.
void record_cut(view *v, const message *m);
// Whether a movie has been finished.
void record_look(view *v);
// Leave it as it is, without a movie, since the world will be another one.
void record_stop(view *v);
void record_end(view *v);

#endif

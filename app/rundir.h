// app/rundir.h -- the directory of a run.
//
//     scene.json            the scene as run: changes applied, files renamed to their copies
//     run.json              what made it: version, inputs with their hashes, where it branched from
//     inputs/               copies of the meshes it reads, so that it can be moved and run again
//     metrics.jsonl         one object per frame
//     frames/000012.state   the whole state at a frame, to the bit
//     checkpoint/state      the state within a frame, when a run was stopped there or its frames take long
//     log.txt               notes, warnings, errors
//     movie.webp, metrics.svg, pictures/, export/
//     .beginning            while it is made, until run.json is there: all that is found was put there by us
//     inputs.new/           the inputs of a run that is about to take the place of another, whose inputs they may be
//
// A frame counts once its .state is there; its line of metrics was written before. Whatever else is found after a crash
// (a line too many, a torn line, temporary files, states after a missing one) is cleaned up when the run goes on. All
// files but the two that grow line by line appear whole or not at all.
#ifndef APP_RUNDIR_H
#define APP_RUNDIR_H

#include "session.h"
#include "text.h"

// What a frame has cost so far; part of a checkpoint, so that the totals of an interrupted frame are right.
typedef struct frame_cost
{
    double wall;
    double smallest_dt;
    int64_t substeps, cg_iterations, volume_iterations, unconverged;
    int64_t collisions, zone_nodes, unresolved; // of bodies that meet
    double friction_work;
} frame_cost;

typedef struct rundir
{
    session *s;
    char path[4000];
    int lock;            // descriptor, or -1
    int metrics;         // descriptor, or -1
    int32_t last_frame;  // the last whole frame, or -1
    int32_t branched_at; // the frame that a branch shares with its parent, or -1; known once rundir_agrees
    int status;          // the exit status that the last failure asks for
} rundir;

// "DIR/name" into `path`.
void rundir_path(const rundir *d, char *path, size_t size, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
bool is_run(const char *path);
// After a kill between the two renames that exchange inputs: the new ones, which are whole, take their place.
void mend_inputs(const char *path);

// "pliant run DIR --resume", as it can be typed.
void rundir_resume_command(const rundir *d, char *words, size_t size);

// Functions that return a bool say what is wrong when they fail; `status` is then EXIT_WRONG if the user has to ask for
// something else, EXIT_FAILED if it might work later.

// Make the directory, or take one that is empty; with `force` a run in it is removed, but only when the inputs of the
// session are copied, so that it may be that run which is run again. Locks it.
bool rundir_create(rundir *d, session *s, const char *path, bool force);
// Take a directory that has a run. Locks it unless `read_only`.
bool rundir_open(rundir *d, session *s, const char *path, bool read_only);
void rundir_close(rundir *d);

// Write scene.json and run.json, and put the copied inputs in their place. `parent` NULL: not a branch.
bool rundir_describe(rundir *d, const char *parent, int32_t parent_frame);
// Whether the scene of the session belongs to the run; says what does not.
typedef enum agreement_kind
{
    AGREE_RESUME, // pictures and length may differ; scene.json is brought up to date
    AGREE_BRANCH, // so may what can change where a run branches
    AGREE_LOOK    // as AGREE_RESUME, but nothing is written
} agreement_kind;
bool rundir_agrees(rundir *d, agreement_kind kind);

// The state of the session's world at the end of a frame, or within the one after it, which has cost that much so far.
bool rundir_write_frame(rundir *d, int32_t frame);
bool rundir_write_checkpoint(rundir *d, int32_t frame, const frame_cost *cost);
// `status` is EXIT_WRONG if it is whole but of another scene.
bool rundir_read_frame(rundir *d, int32_t frame);
// The furthest state there is: loads it into the world. `cost` is that of the frame after `*frame`, as far as it was.
bool rundir_read_last(rundir *d, int32_t *frame, frame_cost *cost);
// Whether a file is a whole state: of which frame, and what the next one has cost so far.
bool is_whole_state(const char *path, int32_t *frame, frame_cost *cost);
// Copy the frames before `frame`, and the metrics up to it, from another run.
bool rundir_copy_frames(rundir *d, const rundir *from, int32_t frame);

// Whether there is a line for every frame up to `frame`.
bool rundir_has_metrics(rundir *d, int32_t frame);
// Open metrics.jsonl for lines after frame `frame`; later ones, and later states, are removed.
bool rundir_open_metrics(rundir *d, int32_t frame);
bool rundir_add_metrics(rundir *d, const text *line);
void rundir_open_log(rundir *d);

#endif

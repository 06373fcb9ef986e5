// app/simulate.c -- the loop of a run.
//
// A frame is advanced in parts of a fraction of a second of wall time each (the parts do not change the result), so
// that Ctrl-C is answered at once and long frames are saved half-way. A frame ends with its line of metrics, then its
// state, whose appearance is what makes the frame count.
#include "simulate.h"
#include "metrics.h"

#include <math.h>
#include <signal.h>
#include <unistd.h>

static const double part_seconds = 0.15;
static volatile sig_atomic_t interrupted;

static void interrupt(int number)
{
    (void)number;
    if (interrupted)
        _exit(EXIT_INTERRUPTED);
    interrupted = 1;
}

void watch_signals(void)
{
    struct sigaction action = {.sa_handler = interrupt};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
}

bool was_interrupted(void) { return interrupted; }

typedef struct
{
    rundir *d;
    session *s;
    int32_t frame, frames; // being computed; the last one
    frame_cost cost;       // of the frame so far
    double began;          // [s] when this part of the run began
    int32_t began_at;      // and with which frame
    double saved;          // [s] when the last checkpoint was written
    int32_t part_substeps;
    pl_step_info info; // at the end of the last frame
    text line;
} simulation;

static void show(const simulation *m, bool important)
{
    char eta[32] = "?";
    double done =
        m->frame - m->began_at + (m->frame > 0 ? 1 - pl_world_pending(m->s->world) / session_frame_time(m->s) : 1);
    double spent = wall_clock() - m->began, left = m->frames - m->began_at + 1 - done;
    if (done > 0.01)
        clock_text(spent / done * left, eta);
    console_progress(m->s->con, important, "frame %d/%d  %lld substeps  %lld iterations  %d inverted  ETA %s", m->frame,
                     m->frames, (long long)m->cost.substeps, (long long)m->cost.cg_iterations, m->info.inverted, eta);
}

// As many substeps as take about `part_seconds`.
static void adapt(simulation *m, double seconds, int32_t substeps)
{
    double wanted = substeps > 0 && seconds > 0 ? part_seconds * substeps / seconds : 1;
    m->part_substeps = (int32_t)fmin(fmax(wanted, 1), fmin(2.0 * m->part_substeps + 1, 1e6));
}

static bool advance_part(simulation *m, bool begun)
{
    pl_step_def def = pl_step_def_default();
    pl_step_info info;
    double start = wall_clock();
    def.dt = session_frame_time(m->s);
    def.max_substeps = m->part_substeps;
    def.finish = begun;
    if (pl_world_step(m->s->world, &def, &info) != PL_OK)
        return session_fail(m->s);
    double seconds = wall_clock() - start;
    m->cost.wall += seconds;
    m->cost.smallest_dt = m->cost.substeps ? fmin(m->cost.smallest_dt, info.smallest_dt) : info.smallest_dt;
    m->cost.substeps += info.substeps;
    m->cost.cg_iterations += info.cg_iterations;
    m->cost.volume_iterations += info.volume_iterations;
    m->cost.unconverged += info.unconverged;
    m->cost.collisions += info.collisions;
    m->cost.unresolved += info.unresolved;
    m->cost.friction_work = info.friction_work; // of all its parts: sums of parts would depend on where they end
    if (info.zone_nodes > m->cost.zone_nodes)
        m->cost.zone_nodes = info.zone_nodes;
    m->info = info;
    adapt(m, seconds, info.substeps);
    return true;
}

static bool save_part(simulation *m)
{
    m->saved = wall_clock();
    return rundir_write_checkpoint(m->d, m->frame - 1, &m->cost);
}

// One frame, or as much of it as an interruption allows.
static bool advance_frame(simulation *m)
{
    bool begun = pl_world_pending(m->s->world) > 0;
    do
    {
        if (!advance_part(m, begun))
            return false;
        begun = true;
        show(m, false);
        bool pending = pl_world_pending(m->s->world) > 0;
        if (pending && wall_clock() - m->saved > m->s->source->file.output.checkpoint_every && !save_part(m))
            return false;
    } while (pl_world_pending(m->s->world) > 0 && !interrupted);
    return true;
}

static bool end_frame(simulation *m)
{
    if (!metrics_line(m->s, m->frame, &m->cost, &m->line, &m->info) || !rundir_add_metrics(m->d, &m->line) ||
        !rundir_write_frame(m->d, m->frame))
        return false;
    if (m->s->con->json)
    {
        fputs(m->line.at, stdout);
        fflush(stdout);
    }
    show(m, m->frame == m->frames);
    m->cost = (frame_cost){0};
    m->saved = wall_clock();
    return true;
}

static int stop(simulation *m)
{
    if (pl_world_pending(m->s->world) > 0 && !save_part(m))
        return EXIT_FAILED;
    char again[4400];
    rundir_resume_command(m->d, again, sizeof again);
    console_end_line(m->s->con);
    fprintf(stderr, "interrupted at frame %d of %d; go on with: %s\n", m->frame, m->frames, again);
    return EXIT_INTERRUPTED;
}

static int run_frames(simulation *m)
{
    for (; m->frame <= m->frames; ++m->frame)
    {
        if (m->frame > 0 && !advance_frame(m))
            return EXIT_FAILED;
        if (interrupted && m->frame > 0 && pl_world_pending(m->s->world) > 0)
            return stop(m);
        if (!end_frame(m))
            return EXIT_FAILED;
        if (interrupted && m->frame < m->frames)
        {
            m->frame++;
            return stop(m);
        }
    }
    console_end_line(m->s->con);
    return EXIT_DONE;
}

int simulate(rundir *d, int32_t frame, frame_cost cost)
{
    simulation m = {.d = d,
                    .s = d->s,
                    .frame = frame + 1,
                    .frames = d->s->source->file.frames,
                    .cost = cost,
                    .began = wall_clock(),
                    .began_at = frame + 1,
                    .saved = wall_clock(),
                    .part_substeps = 1};
    int status = rundir_open_metrics(d, frame) ? run_frames(&m) : EXIT_FAILED;
    text_free(&m.line);
    return status;
}

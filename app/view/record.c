// app/view/record.c -- what happens in the page as a run on disk, and a movie of it.
//
// A recording is the directory of a run like any other (rundir.h): `pliant view` plays it again, `pliant render` and
// `pliant export` take it. When it ends, another process of this program draws the movie, seen from where the page
// looks, while the page goes on.
#include "view.h"
#include "commands.h"
#include "files.h"
#include "metrics.h"
#include "pictures.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct recorder
{
    bool on;
    rundir d;
    int32_t frame;   // the next one
    double next;     // [s] of simulated time, when it is due
    frame_cost cost; // of the frame so far
    text line;
    pid_t painter; // who draws the movie, or 0
    char movie[4400];
} recorder;

bool record_is_on(const view *v) { return v->recorder && v->recorder->on; }

static bool choose_directory(const view *v, char *path, size_t size)
{
    char base[4200];
    default_output(v->path, base, sizeof base);
    if (ends_with(base, ".run"))
        base[strlen(base) - 4] = 0;
    for (int number = 1; number < 10000; ++number)
    {
        snprintf(path, size, "%s-live-%d.run", base, number);
        if (!file_exists(path))
            return true;
    }
    return false;
}

static void add_frame(view *v)
{
    recorder *r = v->recorder;
    pl_step_info total;
    bool good = metrics_line(&v->s, r->frame, &r->cost, &r->line, &total) && rundir_add_metrics(&r->d, &r->line) &&
                rundir_write_frame(&r->d, r->frame);
    if (!good)
    {
        view_tell(v, -1, "note", "the recording has stopped: a frame could not be written");
        r->on = false;
        rundir_close(&r->d);
    }
    r->frame++;
    r->next += session_frame_time(&v->s);
    r->cost = (frame_cost){0};
}

void record_begin(view *v)
{
    char path[4300];
    if (v->replay || record_is_on(v))
        return;
    if (!v->recorder && !(v->recorder = calloc(1, sizeof *v->recorder)))
        return;
    recorder *r = v->recorder;
    if (!choose_directory(v, path, sizeof path) || !rundir_create(&r->d, &v->s, path, false) ||
        !rundir_describe(&r->d, NULL, 0) || !rundir_open_metrics(&r->d, -1))
    {
        view_tell(v, -1, "note", "nothing can be recorded here; the terminal says why");
        rundir_close(&r->d);
        return;
    }
    r->on = true;
    r->frame = 0;
    r->next = pl_world_time(v->s.world);
    r->cost = (frame_cost){0};
    view_tell(v, -1, "note", "recording");
    add_frame(v);
}

void record_tick(view *v)
{
    recorder *r = v->recorder;
    if (!record_is_on(v))
        return;
    r->cost.wall += v->last_tick_seconds;
    r->cost.cg_iterations += v->last_iterations;
    r->cost.volume_iterations += v->last_volume_iterations;
    r->cost.substeps += v->info.substeps;
    if (pl_world_time(v->s.world) >= r->next - 0.5 * v->speed / v->rate)
        add_frame(v);
}

// "camera.from=[1,2,3]"
static void set_vector(char *to, size_t size, const char *path, const double v[3])
{
    text t = {0};
    for (int i = 0; i < 3; ++i)
    {
        text_put(&t, i ? "," : "");
        text_number(&t, v[i]);
    }
    snprintf(to, size, "%s=[%s]", path, t.at ? t.at : "");
    text_free(&t);
}

static pid_t paint(const recorder *r, const message *m)
{
    char from[120], at[120], fov[60];
    double look[3] = {m->from[0] + m->along[0], m->from[1] + m->along[1], m->from[2] + m->along[2]};
    set_vector(from, sizeof from, "camera.from", m->from);
    set_vector(at, sizeof at, "camera.look_at", look);
    snprintf(fov, sizeof fov, "camera.fov=%d", (int)m->value);
    pid_t child = fork();
    if (child != 0)
        return child > 0 ? child : 0;
    execl("/proc/self/exe", "pliant", "render", r->d.path, "-o", r->movie, "--quiet", "--threads", "1", "--set", from,
          "--set", at, "--set", fov, (char *)NULL);
    _exit(127);
}

void record_cut(view *v, const message *m)
{
    recorder *r = v->recorder;
    char sentence[4600];
    if (!record_is_on(v))
        return;
    r->on = false;
    rundir_close(&r->d);
    snprintf(r->movie, sizeof r->movie, "%s/movie.webp", r->d.path);
    snprintf(sentence, sizeof sentence, "recorded: %.4000s, %d frames", r->d.path, r->frame);
    console_say(v->con, "%s", sentence);
    view_tell(v, -1, "note", sentence);
    if (!r->painter && pictures_available())
        r->painter = paint(r, m);
}

void record_look(view *v)
{
    recorder *r = v->recorder;
    int status;
    if (!r || !r->painter || waitpid(r->painter, &status, WNOHANG) != r->painter)
        return;
    r->painter = 0;
    bool good = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (good)
    {
        relay_write_note(v->relay, r->movie);
        view_tell(v, -1, "movie", r->movie);
        console_say(v->con, "%s", r->movie);
    }
    else
        view_tell(v, -1, "note", "the movie could not be drawn; the terminal says why");
}

void record_stop(view *v)
{
    if (!record_is_on(v))
        return;
    v->recorder->on = false;
    rundir_close(&v->recorder->d);
    console_say(v->con, "recorded: %s, %d frames", v->recorder->d.path, v->recorder->frame);
}

void record_end(view *v)
{
    recorder *r = v->recorder;
    if (!r)
        return;
    record_stop(v);
    if (r->painter)
    {
        kill(r->painter, SIGTERM);
        waitpid(r->painter, NULL, 0);
    }
    text_free(&r->line);
    free(r);
    v->recorder = NULL;
}

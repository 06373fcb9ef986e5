// app/run.c -- pliant run: from a scene to a movie, anew, further, or from a frame of another run.
#include "commands.h"
#include "files.h"
#include "finish.h"
#include "simulate.h"
#include "sweep.h"

#include <stdlib.h>
#include <string.h>

// ---- where -----------------------------------------------------------------------------------------------------

void default_output(const char *scene, char *path, size_t size)
{
    const char *base = base_name(scene);
    size_t length = strlen(base) - (ends_with(base, ".json") ? 5 : 0);
    snprintf(path, size, "%.*s.run", (int)length, base);
}

void scene_path(const char *operand, char *path, size_t size)
{
    bool run = is_directory(operand);
    if (run)
        mend_inputs(operand);
    snprintf(path, size, run ? "%s/scene.json" : "%s", operand);
}

// ---- beginnings ------------------------------------------------------------------------------------------------

// A world at a state, and how far the run is.
typedef struct
{
    rundir d;
    int32_t frame;
    frame_cost cost;
} beginning;

static int begin_new(beginning *b, session *s, const char *output, bool force)
{
    b->frame = -1;
    bool good = rundir_create(&b->d, s, output, force) && rundir_describe(&b->d, NULL, 0);
    return good ? EXIT_DONE : b->d.status;
}

// Numbers that may change while running come with the state of the old run; the new scene's take their place.
static bool set_live(session *s, const char *path, double value)
{
    char known[160];
    pl_param_info info;
    pl_param_id param = pl_world_find_param(s->world, path);
    if (param.index == 0)
        return true;
    if (pl_world_param_describe(s->world, param, &info, known, sizeof known) != PL_OK)
        return session_fail(s);
    if (info.keyed)
        return true; // keys take care of it
    return pl_world_set(s->world, param, value) == PL_OK || session_fail(s);
}

static bool set_live_materials(session *s)
{
    char path[128];
    const char *name;
    const pl_material_def *def;
    for (int32_t i = 0; (def = pl__scene_material_at(s->scene, i, &name)); ++i)
    {
        const double values[] = {def->young,      def->poisson,       def->damping,
                                 def->activation, def->stretch_limit, def->compress_limit,
                                 def->weft_limit, def->shear_limit,   def->bend_limit};
        static const char *const fields[] = {"young",      "poisson",       "damping",
                                             "activation", "stretch_limit", "compress_limit",
                                             "weft_limit", "shear_limit",   "bend_limit"};
        for (size_t k = 0; k < sizeof values / sizeof values[0]; ++k)
        {
            snprintf(path, sizeof path, "materials.%s.%s", name, fields[k]);
            if (!set_live(s, path, values[k]))
                return false;
        }
    }
    return true;
}

static bool set_live_friction(session *s, const pl__file_body *body)
{
    char path[160];
    const pl__file_rub *rub = body->friction_with.item;
    bool good = true;
    for (int32_t i = 0; i < body->friction_with.count && good; ++i)
    {
        snprintf(path, sizeof path, "bodies.%s.friction_with.%s", body->record.name, rub[i].record.name);
        good = set_live(s, path, rub[i].friction);
    }
    return good;
}

static bool set_live_values(session *s)
{
    const pl__scene_file *file = &s->source->file;
    static const char *const gravity[3] = {"gravity.x", "gravity.y", "gravity.z"};
    static const char *const wind[3] = {"wind.x", "wind.y", "wind.z"};
    char path[128];
    bool good = set_live_materials(s);
    for (int i = 0; i < 3 && good && file->gravity.count == 0; ++i)
        good = set_live(s, gravity[i], file->gravity.value[i]);
    for (int i = 0; i < 3 && good && file->air.wind.count == 0; ++i)
        good = set_live(s, wind[i], file->air.wind.value[i]);
    for (int32_t i = 0; i < file->bodies.count && good; ++i)
    {
        const pl__file_body *body = pl__source_body(s->source, i);
        snprintf(path, sizeof path, "bodies.%s.strength", body->record.name);
        good = body->strength.count || set_live(s, path, body->strength.value[0]);
        snprintf(path, sizeof path, "bodies.%s.pressure", body->record.name);
        good = good && (body->pressure.count || set_live(s, path, body->pressure.value[0]));
        snprintf(path, sizeof path, "bodies.%s.toughness", body->record.name);
        good = good && (body->toughness.count || set_live(s, path, body->toughness.value[0]));
        snprintf(path, sizeof path, "bodies.%s.volume", body->record.name);
        good = good && (body->volume.count || set_live(s, path, body->volume.value[0]));
    }
    for (int32_t i = 0; i < file->bodies.count && good; ++i)
        good = set_live_friction(s, pl__source_body(s->source, i));
    for (int32_t i = 0; i < file->objects.count && good; ++i)
    {
        const pl__file_object *object = pl__source_object(s->source, i);
        snprintf(path, sizeof path, "objects.%s.friction", object->record.name);
        good = object->friction.count || set_live(s, path, object->friction.value[0]);
    }
    if (good && file->floor.record.json && file->floor.friction.count == 0)
        good = set_live(s, "objects.floor.friction", file->floor.friction.value[0]);
    return good;
}

// A run is made longer, never shorter: fewer frames than are there would leave a movie and a scene.json that hide the
// others.
static bool keep_length(beginning *b, session *s)
{
    char change[32];
    int32_t asked = s->source->file.frames, there = b->d.last_frame;
    if (asked >= there)
        return true;
    console_say(s->con,
                "%s: has frames 0 to %d already, more than the %d that are asked for, and is not made shorter; pliant "
                "render DIR --last %d draws the first of them",
                b->d.path, there, asked, asked);
    snprintf(change, sizeof change, "frames=%d", there);
    s->source->file.frames = there;
    return pl__change_apply(&s->source->doc, change) == PL_OK || session_fail(s);
}

static int begin_again(beginning *b, session *s, const char *output)
{
    if (!rundir_open(&b->d, s, output, false) || !keep_length(b, s) || !rundir_agrees(&b->d, AGREE_RESUME) ||
        !rundir_read_last(&b->d, &b->frame, &b->cost))
        return b->d.status;
    // what a branch has changed is in its own states, the first of which is where it branched
    if (b->frame < b->d.branched_at)
    {
        char sentence[4200];
        snprintf(sentence, sizeof sentence,
                 "%s: frames before the branch are missing or damaged (it began at frame %d); branch again", output,
                 b->d.branched_at);
        console_fail(s->con, sentence);
        return EXIT_WRONG;
    }
    bool complete = b->frame == s->source->file.frames;
    console_say(s->con, complete ? "%s: is complete, with frames 0 to %d" : "%s: frames 0 to %d are there, of 0 to %d",
                output, b->frame, s->source->file.frames);
    return EXIT_DONE;
}

static int begin_branch(beginning *b, session *s, const arguments *a)
{
    rundir parent;
    const char *from = a->operand[0];
    if (same_path(from, a->output))
    {
        console_fail(s->con,
                     "a branch is a new run: -o must name another directory than that of the run it starts from");
        return EXIT_WRONG;
    }
    if (!rundir_open(&parent, s, from, true))
        return parent.status;
    if (a->branch > parent.last_frame)
    {
        char sentence[4200];
        if (parent.last_frame < 0)
            snprintf(sentence, sizeof sentence, "--branch %d: %s has no frames yet", a->branch, from);
        else
            snprintf(sentence, sizeof sentence, "--branch %d: %s has frames 0 to %d", a->branch, from,
                     parent.last_frame);
        console_fail(s->con, sentence);
        return EXIT_WRONG;
    }
    if (!rundir_agrees(&parent, AGREE_BRANCH) || !rundir_has_metrics(&parent, a->branch))
        return parent.status;
    if (!rundir_read_frame(&parent, a->branch))
    {
        if (parent.status == EXIT_WRONG)
            console_say(s->con,
                        "bodies that share a material must go on sharing it at a branch: change it for all of them");
        return parent.status;
    }
    b->frame = a->branch;
    if (!set_live_values(s) || !rundir_create(&b->d, s, a->output, a->force))
        return b->d.status;
    bool good = rundir_copy_frames(&b->d, &parent, a->branch) && rundir_write_frame(&b->d, a->branch) &&
                rundir_describe(&b->d, from, a->branch);
    return good ? EXIT_DONE : b->d.status;
}

// ---- the run ---------------------------------------------------------------------------------------------------

static int begin(beginning *b, session *s, const arguments *a, const char *output)
{
    if (a->branch >= 0 && !a->output)
    {
        console_fail(s->con, "a branch is a new run: name its directory with -o");
        return EXIT_WRONG;
    }
    if (a->resume && is_run(output) && !a->force)
        return begin_again(b, s, output);
    if (a->branch >= 0)
        return begin_branch(b, s, a);
    return begin_new(b, s, output, a->force);
}

// What a failure leaves, and what to do next.
static void say_what_is_kept(const rundir *d)
{
    char again[4400];
    rundir_resume_command(d, again, sizeof again);
    if (d->last_frame >= 0)
        console_say(d->s->con, "frames 0 to %d are kept; when the cause is mended, go on with: %s", d->last_frame,
                    again);
}

int run_once(const arguments *a, const char *const *changes, int32_t change_count, const char *output)
{
    char path[4200];
    console con = console_make(a->quiet, a->json, a->verbose);
    session s;
    beginning b = {.d = {.lock = -1, .metrics = -1, .status = EXIT_FAILED}};
    if (!session_start(&s, &con, a))
        return EXIT_FAILED;
    scene_path(a->operand[0], path, sizeof path);
    int status = EXIT_WRONG;
    if (session_open(&s, path, changes, change_count) && session_compile(&s))
        status = begin(&b, &s, a, output);
    if (status == EXIT_DONE)
    {
        rundir_open_log(&b.d);
        status = simulate(&b.d, b.frame, b.cost);
        if (status == EXIT_DONE && !a->no_movie)
            status = finish_run(&b.d);
        if (status == EXIT_FAILED)
            say_what_is_kept(&b.d);
    }
    rundir_close(&b.d);
    session_end(&s);
    return status;
}

static bool is_resumed_run(const arguments *a) { return is_directory(a->operand[0]) && a->branch < 0; }

int command_run(const arguments *a)
{
    char output[4200], frames[32];
    if (a->branch >= 0 && !is_run(a->operand[0]))
    {
        fprintf(stderr, "%s: --branch starts from a run: give the directory of one\n", a->operand[0]);
        return EXIT_WRONG;
    }
    arguments ours = *a;
    if (a->output)
        snprintf(output, sizeof output, "%s", a->output);
    else if (is_resumed_run(a))
        snprintf(output, sizeof output, "%s", a->operand[0]);
    else
        default_output(a->operand[0], output, sizeof output);
    // a run is gone on with when it is named itself
    if (is_resumed_run(a) && (!a->output || same_path(a->output, a->operand[0])))
        ours.resume = true;
    const char **changes = calloc((size_t)a->set_count + 1, sizeof *changes);
    if (!changes)
    {
        fprintf(stderr, "out of memory\n");
        return EXIT_FAILED;
    }
    int32_t count = 0;
    for (; count < a->set_count; ++count)
        changes[count] = a->set[count];
    snprintf(frames, sizeof frames, "frames=%d", a->frames);
    if (a->frames >= 0)
        changes[count++] = frames;
    watch_signals();
    int status = sweep_is_asked(changes, count) ? sweep_run(&ours, changes, count, output)
                                                : run_once(&ours, changes, count, output);
    free(changes);
    return status;
}

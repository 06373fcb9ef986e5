// app/view/show.c -- the loop of the live page: letters, ticks, frames.
//
// Time is a contract: `rate` ticks a second, each of speed / rate simulated seconds. A tick that is due is taken; when
// the machine cannot keep up, ticks that are late by more than a tenth of a second are never made up for: time slows,
// and pages say so. Ticks are taken in parts of a few milliseconds, so that letters are answered and frames sent also
// where one tick takes seconds.
//
// A page asks for each frame when it has drawn the one before, and gets the state as it is then, if that has changed.
#include "view.h"
#include "simulate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double part_seconds = 0.012, latest = 0.1, window = 0.5, slowest = 0.001, fastest = 10;

enum
{
    LETTERS_AT_ONCE = 200 // between two parts of a tick
};

// ---- saying ------------------------------------------------------------------------------------------------------

static void post(view *v, int32_t page, parcel *p)
{
    for (int32_t i = 0; p && i < RELAY_PAGES; ++i)
        if (v->page[i].there && (page < 0 || page == i))
            relay_post(v->relay, i, p);
}

static void post_text(view *v, int32_t page, text *t)
{
    parcel *p = t->failed ? NULL : parcel_make(true, t->at, t->length);
    post(v, page, p);
    parcel_drop(v->relay, p);
    text_free(t);
}

void view_tell(view *v, int32_t page, const char *kind, const char *sentence)
{
    text t = {0};
    text_add(&t, "{\"kind\":\"%s\",\"text\":", kind);
    text_quoted(&t, sentence);
    text_put(&t, "}");
    post_text(v, page, &t);
}

void view_trouble(view *v, const char *sentence)
{
    snprintf(v->trouble, sizeof v->trouble, "%s", sentence);
    view_tell(v, -1, "trouble", sentence);
}

void view_fail(view *v)
{
    console_fail(v->con, pl_context_error(v->s.ctx));
    view_tell(v, -1, "note", pl_context_error(v->s.ctx));
}

void view_introduce(view *v, int32_t page)
{
    text t = {0};
    stage_describe(v, &t);
    post_text(v, page, &t);
}

// What cannot be understood is ignored; the log tells of the first of it, and then now and then.
static void ignore(view *v, int32_t page, const char *why)
{
    int64_t count = ++v->page[page].ignored;
    char sentence[700];
    if (count > 3 && count % 1000 != 0)
        return;
    snprintf(sentence, sizeof sentence, "page %d: message %lld that makes no sense is ignored: %.500s", page + 1,
             (long long)count, why);
    console_log(v->con, PL_LOG_WARNING, sentence);
}

// ---- states ------------------------------------------------------------------------------------------------------

bool view_save(view *v, void **state, size_t *size)
{
    size_t needed = pl_world_save_size(v->s.world);
    void *room = malloc(needed);
    if (!room || pl_world_save(v->s.world, room, needed) != PL_OK)
    {
        free(room);
        return false;
    }
    free(*state);
    *state = room;
    *size = needed;
    return true;
}

static live_value *list_values(view *v, int32_t *count)
{
    int32_t n = pl_world_param_count(v->s.world);
    live_value *list = calloc((size_t)n + 1, sizeof *list);
    for (int32_t i = 0; list && i < n; ++i)
    {
        pl_param_info info;
        if (pl_world_param_describe(v->s.world, pl_world_param_at(v->s.world, i), &info, list[i].path,
                                    sizeof list[i].path) == PL_OK)
            list[i].value = info.value;
    }
    *count = list ? n : 0;
    return list;
}

bool view_remember_start(view *v)
{
    free(v->written);
    v->written = list_values(v, &v->written_count);
    v->iterations = v->s.source->file.solver.iterations;
    return v->written && view_save(v, &v->start, &v->start_size);
}

// Hands that came with a state belong to nobody here.
static void let_go(view *v)
{
    while (pl_world_grab_count(v->s.world) > 0)
        (void)!pl_world_grab_release(v->s.world, pl_world_grab_at(v->s.world, 0));
}

// Sliders stay where they are.
static bool go_back(view *v, const void *state, size_t size)
{
    int32_t count;
    live_value *now = list_values(v, &count);
    tools_lift_all(v, -1);
    bool good = now && state && pl_world_load(v->s.world, state, size) == PL_OK;
    for (int32_t i = 0; good && i < count; ++i)
        (void)!pl_world_set(v->s.world, pl_world_find_param(v->s.world, now[i].path), now[i].value);
    free(now);
    let_go(v);
    tools_forget_pins(v);
    return good && pl_world_report(v->s.world, &v->info) == PL_OK;
}

void view_restart_clock(view *v)
{
    v->next_tick = v->window_wall = wall_clock();
    v->window_time = pl_world_time(v->s.world);
    v->factor = v->playing ? v->speed : 0;
    v->behind = false;
    v->serial++;
}

// ---- replay ------------------------------------------------------------------------------------------------------

static void seek(view *v, double wanted)
{
    int32_t frame = (int32_t)fmin(fmax(wanted, 0), v->run.last_frame);
    v->serial++;
    if (frame == v->frame)
        return;
    if (rundir_read_frame(&v->run, frame) && pl_world_report(v->s.world, &v->info) == PL_OK)
        v->frame = frame;
    else
        view_trouble(v, pl_context_error(v->s.ctx));
}

// From this frame on the world goes its own way.
static void go_live(view *v)
{
    if (!v->replay)
        return;
    v->replay = v->playing = false;
    let_go(v);
    tools_release_pins(v);
    v->generation++;
    if (!view_remember_start(v))
        view_fail(v);
    view_introduce(v, -1);
    view_restart_clock(v);
}

static void play_frame(view *v, double now)
{
    seek(v, v->frame + 1);
    if (v->frame == v->run.last_frame)
        v->playing = false;
    v->playing &= !v->single;
    v->single = false;
    v->next_tick = fmax(v->next_tick + 1 / (v->s.source->file.fps * v->speed), now - latest);
}

// ---- ticks -------------------------------------------------------------------------------------------------------

static void end_tick(view *v, double now)
{
    v->last_tick_seconds = v->tick_seconds;
    v->last_iterations = v->tick_iterations;
    v->last_volume_iterations = v->tick_volume_iterations;
    v->tick_seconds = 0;
    v->tick_iterations = v->tick_volume_iterations = 0;
    v->next_tick = fmax(v->next_tick + 1 / v->rate, now - latest);
    if (v->single)
        v->playing = v->single = false;
    record_tick(v);
}

static void measure(view *v, double now)
{
    if (now - v->window_wall < window)
        return;
    v->factor = (pl_world_time(v->s.world) - v->window_time) / (now - v->window_wall);
    v->behind = v->factor < 0.95 * v->speed;
    v->window_wall = now;
    v->window_time = pl_world_time(v->s.world);
}

// As many substeps as take about `part_seconds`.
static void adapt(view *v, double seconds, int32_t substeps)
{
    double wanted = substeps > 0 && seconds > 0 ? part_seconds * substeps / seconds : 1;
    v->part_substeps = (int32_t)fmin(fmax(wanted, 1), fmin(2.0 * v->part_substeps + 1, 1e6));
}

// A part of a tick, or all of it.
static void advance(view *v)
{
    pl_step_def def = pl_step_def_default();
    pl_step_info info;
    double began = wall_clock();
    def.dt = v->speed / v->rate;
    def.finish = pl_world_pending(v->s.world) > 0;
    def.max_substeps = v->part_substeps;
    def.max_iterations = v->iterations;
    if (!def.finish)
        tools_stay(v, def.dt);
    if (pl_world_step(v->s.world, &def, &info) != PL_OK)
    {
        v->playing = false;
        view_fail(v);
        v->serial++;
        return;
    }
    double now = wall_clock();
    v->tick_seconds += now - began;
    v->tick_iterations += info.cg_iterations;
    v->tick_volume_iterations += info.volume_iterations;
    v->info = info;
    adapt(v, now - began, info.substeps);
    v->serial++;
    measure(v, now);
    if (pl_world_pending(v->s.world) <= 0)
        end_tick(v, now);
}

// ---- letters -----------------------------------------------------------------------------------------------------

// The one number of the solver that may change at any time is not the world's but the step's.
static bool set_iterations(view *v, const message *m)
{
    if (strcmp(m->path, "solver.iterations") != 0)
        return false;
    if (m->value >= 1 && m->value <= 100000)
        v->iterations = (int32_t)m->value;
    return true;
}

static void tell_value(view *v, int32_t page, const char *path, double value)
{
    text t = {0};
    text_put(&t, "{\"kind\":\"value\",\"path\":");
    text_quoted(&t, path);
    text_put(&t, ",\"value\":");
    text_number(&t, value);
    text_put(&t, "}");
    post_text(v, page, &t);
}

static void set_value(view *v, int32_t page, const message *m)
{
    if (set_iterations(v, m))
    {
        tell_value(v, -1, m->path, v->iterations);
        return;
    }
    pl_param_id param = pl_world_find_param(v->s.world, m->path);
    bool good = param.index && pl_world_set(v->s.world, param, m->value) == PL_OK;
    if (!good)
        view_tell(v, page, "note", pl_context_error(v->s.ctx));
    // a slider that was moved too far goes back
    if (param.index)
        tell_value(v, good ? -1 : page, m->path, pl_world_get(v->s.world, param));
}

static void set_color(view *v, const char *name)
{
    bool known = strcmp(name, "body") == 0 || strcmp(name, "speed") == 0 || strcmp(name, "strain") == 0;
    for (int32_t f = 0; pl_body_field_name(f); ++f)
        known |= pl_body_field_components(f) == 1 && strcmp(name, pl_body_field_name(f)) == 0;
    if (known)
        snprintf(v->color, sizeof v->color, "%s", name);
}

static void play(view *v, bool playing, bool single)
{
    bool at_end = v->replay && v->frame == v->run.last_frame;
    if (playing && !single && at_end)
        seek(v, 0);
    v->playing = playing || single;
    v->single = single;
    view_restart_clock(v);
}

static void reset(view *v)
{
    if (v->replay)
        seek(v, 0);
    else if (!go_back(v, v->start, v->start_size))
        view_fail(v);
    view_restart_clock(v);
}

static void set_speed(view *v, double value)
{
    if (value >= slowest && value <= fastest)
        v->speed = value;
    view_restart_clock(v);
}

static void set_grip(view *v, double value)
{
    if (value >= 0.01 && value <= 100)
        v->grip = value;
}

static void come_back(view *v)
{
    if (!v->mark)
        view_tell(v, -1, "note", "nothing was marked yet");
    else if (!v->replay && go_back(v, v->mark, v->mark_size))
    {
        memcpy(v->held, v->marked, sizeof v->held);
        v->held_count = v->marked_count;
    }
    else if (!v->replay)
        view_fail(v);
    view_restart_clock(v);
}

static void mark(view *v)
{
    if (!view_save(v, &v->mark, &v->mark_size))
        return;
    memcpy(v->marked, v->held, sizeof v->marked);
    v->marked_count = v->held_count;
    view_tell(v, -1, "note", "marked: Return comes back here");
}

static void obey(view *v, int32_t page, const message *m)
{
    hand *h = &v->page[page].hand[m->hand];
    switch (m->kind)
    {
    case MESSAGE_FRAME: v->page[page].wants = true; return;
    case MESSAGE_PLAY: play(v, true, false); break;
    case MESSAGE_PAUSE: play(v, false, false); break;
    case MESSAGE_STEP: play(v, false, true); break;
    case MESSAGE_RESET: reset(v); break;
    case MESSAGE_SPEED: set_speed(v, m->value); break;
    case MESSAGE_SET: set_value(v, page, m); break;
    case MESSAGE_COLOR: set_color(v, m->name); break;
    case MESSAGE_TOUCH: tools_touch(v, h, m); break;
    case MESSAGE_DRAG: tools_drag(v, h, m); break;
    case MESSAGE_LIFT: tools_lift(v, h); break;
    case MESSAGE_GRIP: set_grip(v, m->value); break;
    case MESSAGE_MARK: mark(v); break;
    case MESSAGE_RETURN: come_back(v); break;
    case MESSAGE_RECORD: record_begin(v); break;
    case MESSAGE_CUT: record_cut(v, m); break;
    case MESSAGE_SEEK:
        if (v->replay)
            seek(v, m->value);
        break;
    case MESSAGE_LIVE: go_live(v); break;
    }
    v->serial++;
}

static void read_letter(view *v, const letter *l)
{
    message m;
    spectator *p = &v->page[l->page];
    switch (l->kind)
    {
    case LETTER_JOIN:
        *p = (spectator){.there = true};
        view_introduce(v, l->page);
        break;
    case LETTER_LEAVE:
        tools_lift_all(v, l->page);
        *p = (spectator){0};
        v->serial++;
        break;
    case LETTER_ODD: ignore(v, l->page, l->bytes); break;
    case LETTER_TEXT:
        if (message_parse(v->s.ctx, l->bytes, l->size, &m) == PL_OK)
            obey(v, l->page, &m);
        else
            ignore(v, l->page, pl_context_error(v->s.ctx));
        break;
    }
}

// Wait for the first at most so long, then take those that are there.
static void read_letters(view *v, double seconds)
{
    letter *l = relay_take(v->relay, seconds);
    for (int count = 0; l && count < LETTERS_AT_ONCE; ++count)
    {
        read_letter(v, l);
        free(l);
        l = count + 1 < LETTERS_AT_ONCE ? relay_take(v->relay, 0) : NULL;
    }
}

// ---- frames ------------------------------------------------------------------------------------------------------

static bool refresh_topology(view *v)
{
    uint32_t version = stage_version(v);
    if (v->topology && version == v->topology_version)
        return true;
    parcel_drop(v->relay, v->topology);
    v->topology_version = version;
    v->topology = stage_topology(v);
    v->shown_serial = 0;
    return v->topology != NULL;
}

static bool refresh_frame(view *v)
{
    if (v->shown && v->shown_serial == v->serial)
        return true;
    parcel_drop(v->relay, v->shown);
    v->shown = stage_frame(v);
    v->shown_serial = v->serial;
    return v->shown != NULL;
}

static void send_frames(view *v)
{
    for (int32_t i = 0; i < RELAY_PAGES; ++i)
    {
        spectator *p = &v->page[i];
        if (!p->there || !p->wants || p->sent == v->serial || !refresh_topology(v) || !refresh_frame(v))
            continue;
        if (p->knows != v->topology_version)
            relay_post(v->relay, i, v->topology);
        p->knows = v->topology_version;
        relay_post(v->relay, i, v->shown);
        p->sent = v->serial;
        p->wants = false;
    }
}

// ---- the loop ----------------------------------------------------------------------------------------------------

int view_run(view *v)
{
    view_restart_clock(v);
    while (!was_interrupted())
    {
        double now = wall_clock(), left = v->playing ? v->next_tick - now : latest;
        read_letters(v, fmin(left, latest));
        now = wall_clock();
        if (v->playing && now >= v->next_tick)
            v->replay ? play_frame(v, now) : advance(v);
        send_frames(v);
        reload_look(v);
        record_look(v);
    }
    tools_lift_all(v, -1);
    record_end(v);
    reload_end(v);
    parcel_drop(v->relay, v->shown);
    parcel_drop(v->relay, v->topology);
    return EXIT_DONE;
}

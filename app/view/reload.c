// app/view/reload.c -- a scene file that is edited while it is shown.
//
// When the scene, or a mesh that it reads, was written and left alone for a moment, it is read anew. What is wrong with
// it is shown in the page, and the world goes on. A change that may be made while running, or where a run branches
// (src/scene/tables.c says which may), keeps the state: the new world goes on from there, with those numbers that are
// new. Any other change begins anew.
#include "view.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const double interval = 0.2;

typedef struct watch
{
    double looked;        // [s]
    uint64_t known, seen; // what was loaded; what was there at the last look
} watch;

static uint64_t stamp(uint64_t h, const char *path)
{
    struct stat s = {0};
    if (stat(path, &s) != 0)
        return h * 31 + 1;
    h = h * 31 + (uint64_t)s.st_mtim.tv_sec;
    h = h * 31 + (uint64_t)s.st_mtim.tv_nsec;
    return (h * 31 + (uint64_t)s.st_size) * 31 + (uint64_t)s.st_ino;
}

static uint64_t stamp_all(const view *v)
{
    uint64_t h = stamp(17, v->path);
    for (size_t i = 0; i < v->s.source->input_count; ++i)
        h = stamp(h, v->s.source->input[i].path);
    return h;
}

// ---- what has changed --------------------------------------------------------------------------------------------

typedef struct
{
    bool anew;
    int32_t count;
} changes;

static void judge(void *user, const pl__difference *difference)
{
    changes *c = user;
    c->count++;
    c->anew |= difference->when == PL__WHEN_RERUN;
}

static bool same_inputs(const pl__source *a, const pl__source *b)
{
    bool same = a->input_count == b->input_count;
    for (size_t i = 0; same && i < a->input_count; ++i)
        same = a->input[i].hash == b->input[i].hash;
    return same;
}

// ---- taking it ---------------------------------------------------------------------------------------------------

// Values that the file says otherwise than before are set; those that sliders have changed stay.
static void set_new_values(view *v, const live_value *before, int32_t before_count, const live_value *after,
                           int32_t after_count)
{
    for (int32_t i = 0; i < after_count; ++i)
        for (int32_t k = 0; k < before_count; ++k)
            if (strcmp(after[i].path, before[k].path) == 0 && after[i].value != before[k].value)
                (void)!pl_world_set(v->s.world, pl_world_find_param(v->s.world, after[i].path), after[i].value);
}

// Put the new session in the place of the old one, whose state is `state`, or NULL to begin anew. False: it did not
// fit.
static bool exchange(view *v, session *fresh, const void *state, size_t size)
{
    live_value *before = v->written;
    int32_t before_count = v->written_count;
    session old = v->s;
    v->s = *fresh;
    v->written = NULL;
    bool good = view_remember_start(v);
    bool kept = state && good && pl_world_load_branch(v->s.world, state, size) == PL_OK;
    if (kept)
        set_new_values(v, before, before_count, v->written, v->written_count);
    free(before);
    session_close(&old);
    return kept;
}

static void install(view *v, session *fresh)
{
    changes c = {0};
    pl__scene_compare(v->s.source->doc.root, fresh->source->doc.root, judge, &c);
    c.anew |= !same_inputs(v->s.source, fresh->source);
    void *state = NULL;
    size_t size = 0;
    tools_lift_all(v, -1);
    record_stop(v);
    if (!c.anew)
        (void)view_save(v, &state, &size);
    bool kept = exchange(v, fresh, state, size);
    free(state);
    free(v->mark);
    v->mark = NULL;
    if (!kept)
        tools_forget_pins(v);
    v->generation++;
    (void)!pl_world_report(v->s.world, &v->info);
    view_trouble(v, "");
    view_introduce(v, -1);
    view_tell(v, -1, "note", kept ? "the scene was reloaded and goes on" : "the scene was reloaded and begins anew");
    view_restart_clock(v);
}

static void reload(view *v)
{
    session fresh = {.con = v->con, .ctx = v->s.ctx};
    if (session_open(&fresh, v->path, v->a->set, v->a->set_count) && session_compile(&fresh))
        install(v, &fresh);
    else
    {
        view_trouble(v, pl_context_error(v->s.ctx));
        session_close(&fresh);
    }
}

void reload_look(view *v)
{
    double now = wall_clock();
    if (v->replay || (v->watch && now - v->watch->looked < interval))
        return;
    uint64_t stamp_now = stamp_all(v);
    if (!v->watch)
    {
        v->watch = calloc(1, sizeof *v->watch);
        if (v->watch)
            v->watch->known = v->watch->seen = stamp_now;
        return;
    }
    bool settled = stamp_now == v->watch->seen;
    v->watch->looked = now;
    v->watch->seen = stamp_now;
    if (!settled || stamp_now == v->watch->known)
        return;
    reload(v);
    // a new scene may read other files
    v->watch->known = v->watch->seen = stamp_all(v);
}

void reload_end(view *v)
{
    free(v->watch);
    v->watch = NULL;
}

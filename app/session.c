// app/session.c -- context, scene and world, in order.
#include "session.h"
#include "objects.h"

#include <stdio.h>
#include <string.h>

pl_status (*session_prepare)(pl_context *ctx);

bool session_fail(session *s)
{
    console_fail(s->con, pl_context_error(s->ctx));
    return false;
}

bool session_start(session *s, console *con, const arguments *a)
{
    *s = (session){.con = con};
    pl_context_def def = pl_context_def_default();
    def.thread_count = a->threads;
    def.log = console_log;
    def.log_user = con;
    if (pl_context_create(&def, &s->ctx) == PL_OK)
        return !session_prepare || session_prepare(s->ctx) == PL_OK || session_fail(s);
    console_fail(con, "out of memory");
    return false;
}

bool session_open(session *s, const char *path, const char *const *changes, int32_t change_count)
{
    return pl__source_open(s->ctx, path, changes, change_count, &s->source) == PL_OK || session_fail(s);
}

// What a world refuses, it says by a path; here is where that stands in the file.
static void find_place(session *s, pl_status status)
{
    const pl__json *where = pl__source_place(s->source, pl_context_error_path(s->ctx));
    if (where->parent)
        (void)pl__fail_at(s->source, status, where, "");
}

// Large worlds take a while to make.
static void note_size(session *s)
{
    double elements = 0;
    char sentence[100];
    for (int32_t i = 0; i < s->source->file.bodies.count; ++i)
        elements += s->source->made[i].element_count;
    if (elements < 3e5)
        return;
    snprintf(sentence, sizeof sentence, "%.3g elements are compiled, which takes a while", elements);
    console_log(s->con, PL_LOG_NOTE, sentence);
}

bool session_compile(session *s)
{
    if (pl__source_build(s->source, &s->scene) != PL_OK)
        return session_fail(s);
    note_size(s);
    pl_status status = pl_world_create(s->scene, &s->world);
    if (status != PL_OK)
        find_place(s, status);
    return status == PL_OK || session_fail(s);
}

void session_close(session *s)
{
    objects_free(s);
    pl_world_destroy(&s->world);
    pl_scene_destroy(&s->scene);
    pl__source_close(&s->source);
}

void session_end(session *s)
{
    session_close(s);
    pl_context_destroy(&s->ctx);
}

// app/session.c -- context, scene and world, in order.
#include "session.h"
#include "objects.h"

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
        return true;
    console_fail(con, "out of memory");
    return false;
}

bool session_open(session *s, const char *path, const char *const *changes, int32_t change_count)
{
    return pl__source_open(s->ctx, path, changes, change_count, &s->source) == PL_OK || session_fail(s);
}

bool session_compile(session *s)
{
    if (pl__source_build(s->source, &s->scene) != PL_OK || pl_world_create(s->scene, &s->world) != PL_OK)
        return session_fail(s);
    return true;
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

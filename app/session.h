// app/session.h -- a scene opened and compiled: what every command that simulates or reads a run begins with.
#ifndef APP_SESSION_H
#define APP_SESSION_H

#include "console.h"
#include "options.h"
#include "scene/source.h"
#include <pliant/world.h>

typedef struct session
{
    console *con;
    pl_context *ctx;
    pl__source *source;
    pl_scene *scene;
    pl_world *world;
    struct object_triangles *object; // [objects] once they are needed (objects.h)
} session;

// Called with every new context, before scenes are opened: programs that are the command with steppers of their own
// register them here (src/world/stepper.h). NULL: nothing.
extern pl_status (*session_prepare)(pl_context *ctx);

// Each says what is wrong and returns false.
bool session_start(session *s, console *con, const arguments *a);
bool session_open(session *s, const char *path, const char *const *changes, int32_t change_count);
bool session_compile(session *s);
// Drop the scene and its world; another may be opened.
void session_close(session *s);
void session_end(session *s);

// Say the sentence of the last failed call of the library. Returns false.
bool session_fail(session *s);
// Simulated seconds per frame.
static inline double session_frame_time(const session *s) { return s->source->file.time_scale / s->source->file.fps; }

#endif

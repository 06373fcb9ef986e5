// app/objects.h -- objects as triangles: made once, then put where they are.
#ifndef APP_OBJECTS_H
#define APP_OBJECTS_H

#include "session.h"

// Whether an object goes on for ever, so that it has no triangles.
bool object_is_endless(const pl_object_def *def);

// The triangles of object i of the world, in its own frame; kept by the session. `*surface` is NULL, with a warning,
// when there is nothing to show, such as a difference that leaves nothing. False, with a sentence, when out of memory.
// That of an actor, which bends, is valid until the next call for it.
bool object_surface(session *s, int32_t i, const pl_surface **surface);
// The same triangles, of an object that has some, for as long as the world lives.
const int32_t *object_triangles(const session *s, int32_t i);

// Where their vertices are now, moved inwards by `inset`: [vertices][3].
bool object_place(session *s, int32_t i, const pl_surface *surface, double inset, double *x);

// Its longest side.
double object_size(const pl_surface *surface);

void objects_free(session *s);

#endif

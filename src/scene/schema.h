// src/scene/schema.h -- the tables as a JSON schema and as a page of the documentation.
#ifndef PL_SCENE_SCHEMA_H
#define PL_SCENE_SCHEMA_H

typedef void pl__put_function(void *user, const char *text);

// scene.schema.json: JSON schema, draft 7.
void pl__schema_write(pl__put_function *put, void *user);
// docs/scene-reference.md
void pl__reference_write(pl__put_function *put, void *user);

#endif

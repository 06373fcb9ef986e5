// src/scene/schema.h -- JSON schema and reference page, generated from the tables.
#ifndef PL_SCENE_SCHEMA_H
#define PL_SCENE_SCHEMA_H

typedef void pl__put_function(void *user, const char *text);

// scene.schema.json: JSON schema, draft 7.
void pl__schema_write(pl__put_function *put, void *user);
// docs/scene-reference.md
void pl__reference_write(pl__put_function *put, void *user);

#endif

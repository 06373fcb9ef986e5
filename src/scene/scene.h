// src/scene/scene.h -- the description as the library sees it.
//
// Bodies of a scene and bodies added to a running world pass the same checks and the same copies; so do names.
#ifndef PL_SCENE_SCENE_H
#define PL_SCENE_SCENE_H

#include "base/context.h"
#include "mesh/mesh.h"
#include <pliant/scene.h>

enum
{
    PL_NAME_BYTES = 64
};

typedef struct pl__scene_material
{
    char name[PL_NAME_BYTES];
    pl_material_def def;
} pl__scene_material;

typedef struct pl__scene_object
{
    char name[PL_NAME_BYTES];
    pl_object_def def; // normal made unit
} pl__scene_object;

// Owns what its definition points to.
typedef struct pl__scene_body
{
    char name[PL_NAME_BYTES];
    pl_body_def def;
} pl__scene_body;

struct pl_scene
{
    pl_context *ctx;
    double gravity[3];
    pl_solver_def solver;
    pl__scene_material *material;
    size_t material_count, material_capacity;
    pl__scene_body *body;
    size_t body_count, body_capacity;
    pl__scene_object *object;
    size_t object_count, object_capacity;
};

pl_status pl__name_check(pl_context *ctx, const char *what, const char *name);
// Check a body's definition against `material_count` materials.
pl_status pl__body_def_check(pl_context *ctx, const char *name, const pl_body_def *def, size_t material_count);

#endif

// src/scene/definitions.c -- field tables of the definitions in a scene.
#include "definitions.h"
#include "base/field_rows.h"
#include "scene.h"

#define FIELDS(rows)                                                                                                   \
    {                                                                                                                  \
        rows, sizeof rows / sizeof rows[0]                                                                             \
    }

#define OWNER struct pl_scene
static const pl__field scene_rows[] = {
#include "scene_fields.inl"
};
#undef OWNER
const pl__fields pl__scene_fields = FIELDS(scene_rows);

#define OWNER pl_solver_def
static const pl__field solver_rows[] = {
#include "solver_fields.inl"
};
#undef OWNER
const pl__fields pl__solver_fields = FIELDS(solver_rows);

#define OWNER pl_air_def
static const pl__field air_rows[] = {
#include "air_fields.inl"
};
#undef OWNER
const pl__fields pl__air_fields = FIELDS(air_rows);

#define OWNER pl_heat_def
static const pl__field heat_rows[] = {
#include "heat_fields.inl"
};
#undef OWNER
const pl__fields pl__heat_fields = FIELDS(heat_rows);

#define OWNER pl_domain_def
static const pl__field domain_rows[] = {
#include "domain_fields.inl"
};
#undef OWNER
const pl__fields pl__domain_fields = FIELDS(domain_rows);

#define OWNER pl_liquid_def
static const pl__field liquid_rows[] = {
#include "liquid_fields.inl"
};
#undef OWNER
const pl__fields pl__liquid_fields = FIELDS(liquid_rows);

#define OWNER pl_vortices_def
static const pl__field vortices_rows[] = {
#include "vortices_fields.inl"
};
#undef OWNER
const pl__fields pl__vortices_fields = FIELDS(vortices_rows);

#define OWNER pl_body_def
static const pl__field body_rows[] = {
#include "body_fields.inl"
};
#undef OWNER
const pl__fields pl__body_fields = FIELDS(body_rows);

#define OWNER pl_pin_def
static const pl__field pin_rows[] = {
#include "pin_fields.inl"
};
#undef OWNER
const pl__fields pl__pin_fields = FIELDS(pin_rows);

// src/world/stepper.h -- interface of anything that advances in time: bodies, and modules to come.
//
// A world owns a list of steppers behind this interface. Stepping, reports, pictures, exports, the live page and rays
// iterate over the list and know nothing about its members. The bodies are the first stepper (bodies_stepper.c). A
// stepper saves its state in a section of its own (section.h).
#ifndef PL_WORLD_STEPPER_H
#define PL_WORLD_STEPPER_H

#include "base/context.h"
#include <pliant/world.h>

typedef struct pl__stepper_type
{
    const char *name; // for metrics
    // Longest stable step now [s]. NULL: no limit.
    double (*longest_step)(void *self);
    // Advance by *dt. The first stepper of a world may take a shorter step and returns it in *dt; the others take all
    // of it, in substeps of their own if needed. These must not fail once anything has changed: memory is taken in the
    // maker, and a state that cannot go on is reported by `longest_step` as 0.
    pl_status (*advance)(void *self, double *dt);
    // Add energies, momenta and counts to those of the world. `center` is the sum of mass times position here.
    void (*figures)(void *self, pl_step_info *info);
    // Surfaces for drawing and export: number, description, and current vertices and velocities (either may be NULL).
    int32_t (*drawable_count)(const void *self);
    void (*drawable)(const void *self, int32_t i, pl_drawable *drawable);
    pl_status (*read)(const void *self, int32_t i, double *vertices, double *velocities);
    // Optional: vertex normals; without it, they are computed from the triangles.
    pl_status (*normals)(const void *self, int32_t i, double *normals);
    // Optional: a field by its name, one number per vertex; false if there is none of that name, or no memory.
    bool (*field)(const void *self, int32_t i, const char *name, float *values);
    // Optional: figures of one drawable; without it, those of the whole stepper.
    pl_status (*report)(void *self, int32_t i, pl_step_info *info);
    // Optional: find a hit nearer than hit->distance along a unit direction (ray.h); without it, all triangles are
    // tested.
    bool (*cast_ray)(const void *self, const double origin[3], const double direction[3], pl_hit *hit);
    void (*destroy)(void *self); // optional
} pl__stepper_type;

typedef struct pl__stepper
{
    const pl__stepper_type *type;
    void *self;
} pl__stepper;

enum
{
    PL__STEPPERS = 8
};

typedef struct pl__steppers
{
    pl__stepper stepper[PL__STEPPERS];
    int32_t count;
} pl__steppers;

// Add a stepper at the end. PL_ERR_STATE if there are PL__STEPPERS; `self` then still belongs to the caller.
PL_NODISCARD pl_status pl__steppers_add(pl_world *world, const pl__stepper_type *type, void *self);
void pl__steppers_destroy(pl_world *world);

// Longest stable step of the steppers from `first` on [s].
double pl__steppers_longest_step(const pl_world *world, int32_t first);
// Advance by at most *dt: the first stepper chooses the length, the others follow.
PL_NODISCARD pl_status pl__steppers_advance(pl_world *world, double *dt);
// Sum of the figures of all steppers.
void pl__steppers_report(const pl_world *world, pl_step_info *info);

// Stepper makers are called for every world created from a context, once its bodies exist. Makers outside the library
// are registered with the context; a maker may add no stepper.
typedef pl_status (*pl__stepper_maker)(pl_world *world, const pl_scene *scene);
PL_NODISCARD pl_status pl__steppers_register(pl_context *ctx, pl__stepper_maker maker);
PL_NODISCARD pl_status pl__steppers_make(pl_world *world, const pl_scene *scene);

#endif

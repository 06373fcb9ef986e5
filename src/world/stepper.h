// src/world/stepper.h -- things that advance in time: bodies, and whatever else a world holds.
//
// A world owns a list of steppers behind this interface. Stepping, reports, pictures, exports, the live page and rays
// walk the list and know nothing else of what is in it. The bodies are the first stepper (bodies_stepper.c). A stepper
// saves its state in a section of its own (section.h).
#ifndef PL_WORLD_STEPPER_H
#define PL_WORLD_STEPPER_H

#include "base/context.h"
#include <pliant/world.h>

typedef struct pl__stepper_type
{
    const char *name; // as metrics call it
    // The longest step that it can take now [s]. NULL: any.
    double (*longest_step)(void *self);
    // Advance by *dt. The first stepper of a world may take less, and says so in *dt; the others take all of it,
    // divided as they need.
    pl_status (*advance)(void *self, double *dt);
    // Add its energies, momenta and counts to those of the world. `center` is the sum of mass times position here.
    void (*figures)(void *self, pl_step_info *info);
    // What can be drawn and exported: how many surfaces, each of them, and its vertices and velocities now (either may
    // be NULL).
    int32_t (*drawable_count)(const void *self);
    void (*drawable)(const void *self, int32_t i, pl_drawable *drawable);
    pl_status (*read)(const void *self, int32_t i, double *vertices, double *velocities);
    // Optional: normals of its vertices; else those of its triangles.
    pl_status (*normals)(const void *self, int32_t i, double *normals);
    // Optional: figures of one drawable; else those of the stepper.
    pl_status (*report)(void *self, int32_t i, pl_step_info *info);
    // Optional: a hit nearer than hit->distance, along a unit direction (ray.h); else all its triangles are tried.
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

// Behind all others. PL_ERR_STATE if there are PL__STEPPERS; `self` is then still the caller's.
PL_NODISCARD pl_status pl__steppers_add(pl_world *world, const pl__stepper_type *type, void *self);
void pl__steppers_destroy(pl_world *world);

// The longest step that all of them from `first` on can take [s].
double pl__steppers_longest_step(const pl_world *world, int32_t first);
// Advance by at most *dt: the first chooses, the others follow.
PL_NODISCARD pl_status pl__steppers_advance(pl_world *world, double *dt);
// Figures of all together.
void pl__steppers_report(const pl_world *world, pl_step_info *info);

// Makers of steppers: every world that is created from a context asks them, once its bodies are there. Makers that are
// not of the library are registered with the context; a maker may leave a world as it is.
typedef pl_status (*pl__stepper_maker)(pl_world *world, const pl_scene *scene);
PL_NODISCARD pl_status pl__steppers_register(pl_context *ctx, pl__stepper_maker maker);
PL_NODISCARD pl_status pl__steppers_make(pl_world *world, const pl_scene *scene);

#endif

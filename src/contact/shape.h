// src/contact/shape.h -- what rigid objects are shaped like: signed distances in a frame of their own.
//
// Made once from a definition and then only read, by any number of threads.
#ifndef PL_CONTACT_SHAPE_H
#define PL_CONTACT_SHAPE_H

#include "math/quat.h"
#include "mesh/solid.h"
#include <pliant/scene.h>

// A polygon in a plane, counter-clockwise. Points are inside or outside of all of it, but only its first `walls` edges
// count as near: the others are where symmetry has cut it.
typedef struct pl__outline
{
    int32_t count, walls;
    double *point; // [2 count]
} pl__outline;

// Distances at the points of a lattice, x fastest.
typedef struct pl__distance_grid
{
    double origin[3], cell;
    int32_t size[3]; // points along each axis
    double *value;   // [size[0] size[1] size[2]]
} pl__distance_grid;

typedef struct pl__shape pl__shape;

// A part of a union or difference, and where it is.
typedef struct pl__shape_part
{
    pl__shape *shape;
    double at[3];
    pl_quat turned;
} pl__shape_part;

struct pl__shape
{
    pl_context *ctx;
    pl_object_def def; // owns what it points to; its normal is unit

    double sine, cosine; // wedge: of half its angle
    pl__outline
        outline;   // stairs: in x and y; cone: in radius and y; gear: half a tooth and half a gap, from the x axis on
    double *spoke; // gear: [2 teeth]  cosine and sine of the middle of each tooth
    double outer;  // gear: radius of the tips [m]
    pl_surface *terrain;    // height field: its triangles
    pl__bvh *hills;         // and their hierarchy
    pl__solid *solid;       // surface
    pl__distance_grid grid; // surface, unless exact
    pl__shape_part *part;   // [def.part_count]
    uint64_t cache_hash;    // actor: of its motion, which is long
};

// Make the shape of a checked definition, whose motion is of no interest.
PL_NODISCARD pl_status pl__shape_create(pl_context *ctx, const pl_object_def *def, pl__shape **shape);
void pl__shape_destroy(pl__shape **shape);

// Signed distance of a point, negative inside, and its gradient: an outward unit vector, one of them where there are
// several. Exact but for grids and for parts: inside a union and outside a difference it may be too small in size,
// never too large.
double pl__shape_distance(const pl__shape *shape, const double p[3], double normal[3]);

// A box around it; infinite where it is.
void pl__shape_bounds(const pl__shape *shape, double lower[3], double upper[3]);

// Triangles of its surface, closed and outward, with edges of about `edge` where it is curved. Height fields get a
// floor; unions have the surfaces of all their parts, also within each other. PL_ERR_ARGUMENT for what is endless.
PL_NODISCARD pl_status pl__shape_surface(pl_context *ctx, const pl__shape *shape, double edge, pl_surface **surface);

// All that makes it the shape it is, mixed into a hash.
uint64_t pl__shape_hash(uint64_t h, const pl__shape *shape);

// ---- definitions (shape_def.c) -------------------------------------------------------------------------------------

// Check what the kind needs; sentences begin with `path`.
PL_NODISCARD pl_status pl__shape_check(pl_context *ctx, const char *path, const pl_object_def *def);
// A copy that owns what it points to, with a unit normal. When out of memory nothing is left behind.
PL_NODISCARD pl_status pl__shape_def_copy(pl_context *ctx, const pl_object_def *def, pl_object_def *copy);
void pl__shape_def_release(pl_context *ctx, pl_object_def *def);
uint64_t pl__shape_cache_hash(const pl_object_def *def);

// ---- kinds (shape_plain.c, shape_outline.c, shape_gear.c, shape_field.c, shape_triangles.c) ------------------------

double pl__wedge_distance(const pl__shape *s, const double p[3], double n[3]);
double pl__box_distance(const pl__shape *s, const double p[3], double n[3]);
double pl__ellipsoid_distance(const pl__shape *s, const double p[3], double n[3]);
double pl__capsule_distance(const pl__shape *s, const double p[3], double n[3]);
double pl__cylinder_distance(const pl__shape *s, const double p[3], double n[3]);
double pl__torus_distance(const pl__shape *s, const double p[3], double n[3]);
double pl__cone_distance(const pl__shape *s, const double p[3], double n[3]);
double pl__stairs_distance(const pl__shape *s, const double p[3], double n[3]);
double pl__gear_distance(const pl__shape *s, const double p[3], double n[3]);
double pl__height_field_distance(const pl__shape *s, const double p[3], double n[3]);
double pl__triangles_distance(const pl__shape *s, const double p[3], double n[3]);

PL_NODISCARD pl_status pl__cone_create(pl__shape *s);
PL_NODISCARD pl_status pl__stairs_create(pl__shape *s);
PL_NODISCARD pl_status pl__gear_create(pl__shape *s);
PL_NODISCARD pl_status pl__height_field_create(pl__shape *s);
PL_NODISCARD pl_status pl__triangles_create(pl__shape *s);

// What leaves a rim below the teeth.
double pl__gear_largest_bore(const pl_object_def *def);
// The outline of half a tooth and half a gap has so many edges along its tip, its flank and the bottom of the gap.
enum
{
    PL__GEAR_TIP = 2,
    PL__GEAR_FLANK = 20,
    PL__GEAR_ROOT = 3
};

// ---- what kinds share ----------------------------------------------------------------------------------------------

bool pl__outline_new(pl_context *ctx, int32_t count, int32_t walls, pl__outline *outline);
double pl__outline_distance(const pl__outline *outline, const double p[2], double n[2]);
// The distance of a body that is `across` (with gradient n[axis + 1], n[axis + 2], set by the caller) in a plane and
// reaches from -half to half along `axis`; completes n.
double pl__extrude(double across, double along, double half, int axis, double n[3]);
// The height of a terrain above a point of its rectangle.
double pl__height_at(const pl_object_def *def, double x, double z);
// The normal at p, on the given side of a surface: away from the closest point of its triangle, or across that when p
// is too near for its size to have a direction.
void pl__triangle_normal(const pl__bvh *bvh, const pl_surface *surface, const double p[3], const double closest[3],
                         int32_t triangle, double side, double n[3]);

// A surface from the zero set of the distance, with sharp edges (shape_contour.c).
PL_NODISCARD pl_status pl__shape_contour(pl_context *ctx, const pl__shape *shape, double edge, pl_surface **surface);

#endif

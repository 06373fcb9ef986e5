// src/element/element.h -- elements of every kind: groups of one kind each, in blocks of sixteen.
//
// A group holds elements of one kind and one law; their parameters are per lane. Kernels work on whole blocks and
// write per-element results; the gather sums them at the nodes (element/gather.h). This header has what all kinds
// share; each kind has a header of its own with its rest shape and its two kernels:
//
//     force     the forces at positions x; leaves a frame per block for the damping
//     damping   y = D(frame) v, linear, symmetric, positive semidefinite
#ifndef PL_ELEMENT_ELEMENT_H
#define PL_ELEMENT_ELEMENT_H

#include "base/context.h"
#include "base/cpu.h"
#include "material/material.h"
#include "math/mat3.h"

enum
{
    PL_ELEMENT_LANES = 16,
    PL_ELEMENT_CORNERS = 8 // maximum over all kinds
};

typedef enum pl__element_kind
{
    PL__TET,         // linear tetrahedron (tet.h)
    PL__HEX,         // trilinear hexahedron (hex.h)
    PL__TRIANGLE,    // linear triangle, in space or in a plane (triangle.h)
    PL__BEND,        // a triangle and its neighbours: bending by dihedral angles (bend.h)
    PL__SPRING,      // between two nodes (spring.h)
    PL__SURFACE_LOAD // surface triangle with air loads (surface_load.h)
} pl__element_kind;

enum
{
    PL__ELEMENT_KINDS = PL__SURFACE_LOAD + 1
};

typedef struct pl__element_group
{
    pl__element_kind kind;
    pl__law law;
    pl_damping_model damping_model;
    bool triangular;   // tets: rest shapes rotated so that B is upper triangular (thesis 2.3)
    bool plane_strain; // triangles: constant thickness, so that there is stress across them
    bool planar;       // triangles: in the plane z = const, where they can invert
    bool normals;      // triangles: surface normals are given, and a triangle that faces against its normal is
                       // inverted
    bool woven;        // triangles: woven cloth, threads in two directions, instead of the law
    bool damped;       // some element has damping
    bool fibers;       // some element has fibres; `fiber` is set once the group is complete
    bool flows;        // some element is plastic; `plastic` is set once the group is complete
    bool additive;     // plastic strain is subtracted from strain (additive_plasticity_w.h); rest shapes do not change
    int32_t count;
    int32_t block_count;
    size_t first_frame; // offset in the world's frames, in doubles
    union               // [block_count] rest shapes, each starting with int32_t node[corners][16]
    {
        void *rest;
        struct pl__tet_rest *tet;
        struct pl__hex_rest *hex;
        struct pl__triangle_rest *triangle;
        struct pl__bend_rest *bend;
        struct pl__spring_rest *spring;
        struct pl__surface_load_rest *skin;
    };
    struct pl__fiber_block *fiber;     // [block_count] (fibers.h); NULL: none
    struct pl__plastic_block *plastic; // [block_count times points of the kind] (material/plastic.h); NULL: not plastic
    int32_t *source;                   // [count] index of each element in the body's mesh
    int32_t *material;                 // [count] index of its material in the owner's table
    double (*factor)[2];               // [count] factors on Young's modulus and damping time; NULL: 1
    struct pl__director_block *director; // [block_count] bends (director.h); NULL: fixed directors
    double *moment[2]; // [block_count][3][lane] moments on directors, before and after a sweep; NULL without them
    double *number;    // [count] springs: stiffness over Young's modulus [m]; NULL for others
    const struct pl__air *air; // surface loads: wind and pressure (surface_load.h)
} pl__element_group;

// Properties of a kind.
typedef struct pl__element_type
{
    const char *name; // for messages: "tetrahedron"
    int32_t corners;
    int32_t frame_doubles; // of a block
    size_t rest_bytes;     // of a block
    bool solid;            // fills part of the body: has volume (or area) and strain, and can invert
} pl__element_type;

const pl__element_type *pl__element_type_of(pl__element_kind kind);

// Sums over a range of blocks. Kernels add up lane by lane, so that the order is the same for every register width.
typedef struct pl__element_sums
{
    double energy[PL_ELEMENT_LANES];     // [J], only on request
    double volume[PL_ELEMENT_LANES];     // [m^3] current
    double strain2[PL_ELEMENT_LANES];    // [m^3] rest volume times sum (s_i - 1)^2
    double dilation2[PL_ELEMENT_LANES];  // [m^3] rest volume times (J - 1)^2
    double inverted[PL_ELEMENT_LANES];   // count of J <= 0
    double frequency2[PL_ELEMENT_LANES]; // largest bound on the squared highest frequency [1/s^2]
    double min_J[PL_ELEMENT_LANES];
    double max_stretch[PL_ELEMENT_LANES];
    double broken[PL_ELEMENT_LANES]; // count of elements whose force is not finite
} pl__element_sums;

void pl__sums_clear(pl__element_sums *sums);
// Add `other` (of later blocks) to `sums`.
void pl__sums_merge(pl__element_sums *sums, const pl__element_sums *other);
// The sixteen lanes added in their order.
double pl__lane_sum(const double lanes[PL_ELEMENT_LANES]);

// Forces of blocks [begin, end) of a group at positions x, times `strength`. `frame` is that of the group's first
// block and may be NULL if nothing is damped; `force`, [blocks][corner][component][lane], that of the first block
// requested.
typedef struct pl__force_job
{
    const pl__element_group *group;
    const double *x; // [3 node_count + 1], readable one past the end
    double strength;
    bool want_energy;
    double *frame;
    double *force;
    const double *v;   // surface loads: velocities [3 node_count + 1]
    bool flow;         // return mapping of plastic elements at these positions
    double flow_dt;    // over this time [s], for creep
    bool keep_moments; // bends: store the moments for the directors (director.h)
} pl__force_job;

// Damping force per unit of -strength: y = D(frame) v, positive semidefinite, per element into `force`.
typedef struct pl__damping_job
{
    const pl__element_group *group;
    const double *v; // [3 node_count + 1]
    double strength;
    const double *frame;
    double *force;
} pl__damping_job;

// Dispatch to the kernel of the group's kind and the register width.
void pl__element_force(int32_t register_bytes, const pl__force_job *job, int32_t begin, int32_t end,
                       pl__element_sums *sums);
void pl__element_damping(int32_t register_bytes, const pl__damping_job *job, int32_t begin, int32_t end);

// World node of corner k of an element.
static inline int32_t *pl__element_node(const pl__element_group *group, int32_t element, int32_t corner)
{
    char *block =
        (char *)group->rest + (size_t)(element / PL_ELEMENT_LANES) * pl__element_type_of(group->kind)->rest_bytes;
    return &((int32_t *)(void *)block)[corner * PL_ELEMENT_LANES + element % PL_ELEMENT_LANES];
}

// The rest shape of one element.
typedef struct pl__element_shape
{
    const int32_t *node;                  // [corners] -1: none
    const double (*X)[3];                 // [corners] rest positions
    double thickness;                     // of sheets [m]
    const double *warp;                   // triangles: warp direction; NULL: x
    const double *normal;                 // triangles of a group with normals; NULL: that of the rest shape
    const struct pl__woven_params *woven; // triangles of a woven group
    bool hinges;                          // bends: independent hinges
    double stiffness;                     // springs [N/m]
} pl__element_shape;

void pl__element_rest_set(pl__element_group *group, int32_t element, const pl__element_shape *shape,
                          const pl__material_params *material);
// An unused lane: no volume, at node `node`.
void pl__element_rest_clear(pl__element_group *group, int32_t element, int32_t node);

// Rest volume [m^3], and the share of each corner.
double pl__element_volume(const pl__element_group *group, int32_t element);
void pl__element_volume_shares(const pl__element_group *group, int32_t element, double share[PL_ELEMENT_CORNERS]);

// For the step bound (solid/element_groups.c): diagonal stiffness at rest of the corners of an element [N/m], in
// proportion to which nodes distribute their mass, and then each corner's share [kg].
void pl__element_stiffness(const pl__element_group *group, int32_t element, double corner[PL_ELEMENT_CORNERS]);
void pl__element_set_gain(pl__element_group *group, int32_t element, const double mass_share[PL_ELEMENT_CORNERS]);

// Set the material parameters of an element; the rest shape stays.
void pl__element_set_material(pl__element_group *group, int32_t element, const pl__material_params *material);

#endif

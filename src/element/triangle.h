// src/element/triangle.h -- linear triangles in blocks of sixteen: sheets in space, and bodies in a plane.
//
// A sheet resists stretch and shear in its plane (bending is in bend.h). Rest space is the plane of the triangle with
// two axes, warp and weft; they matter for woven cloth, not for an isotropic law.
#ifndef PL_ELEMENT_TRIANGLE_H
#define PL_ELEMENT_TRIANGLE_H

#include "element.h"
#include "tet_state.h"

// Woven cloth: threads in two directions that stiffen as they straighten, and shear against each other. With the Biot
// strain E = sqrt(F^T F) - I in warp and weft axes, e_0 = E_00, e_1 = E_11,
//
//     psi = sum_i k_i g(e_i) + nu sqrt(k_0 k_1) e_0 e_1 + 2 G E_01^2,
//     g(e) = e^2/2 + stiffening e^3/3 for e > 0, and compression e^2/2 below,
//
// convex in E for |nu| < compression <= 1 and stiffening >= 0 (the Hessian's smallest diagonal is compression k_i).
typedef struct pl__woven_params
{
    double modulus[2];    // k of warp and weft [Pa], > 0
    double stiffening[2]; // per strain, >= 0
    double shear;         // G [Pa], > 0
    double poisson;       // nu, |nu| < compression
    double compression;   // fraction of k in compression, in (0, 1]
} pl__woven_params;

typedef struct pl__woven_block
{
    double modulus[2][PL_ELEMENT_LANES];
    double stiffening[2][PL_ELEMENT_LANES];
    double shear[PL_ELEMENT_LANES];
    double coupling[PL_ELEMENT_LANES]; // nu sqrt(k_0 k_1)
    double compression[PL_ELEMENT_LANES];
} pl__woven_block;

// The rest shape of sixteen triangles. Unused lanes of the last block have zero volume and moduli.
typedef struct pl__triangle_rest
{
    int32_t node[3][PL_ELEMENT_LANES];   // world node indices; must come first
    double inverse[4][PL_ELEMENT_LANES]; // B = [X1-X0, X2-X0]^-1 in warp and weft axes, column-major
    double volume[PL_ELEMENT_LANES];     // area times thickness [m^3]
    double damping[PL_ELEMENT_LANES];    // [s]
    double gain[2][PL_ELEMENT_LANES];    // [m/kg] as for tetrahedra (tet.h)
    pl__material_block material;         // plane stress (sheets) or plane strain (planar bodies)
    double normal[3][PL_ELEMENT_LANES];  // groups with normals: that of the surface which the triangle should face
                                         // along
    pl__woven_block woven;               // woven groups
} pl__triangle_rest;

// Frame: A, by column, left by the last evaluation of forces for the damping (element/triangle_damping.kernel.c).
typedef struct pl__triangle_frame
{
    double a[6][PL_ELEMENT_LANES];
} pl__triangle_frame;

// Per-element nodal forces, [corner][component][lane].
typedef struct pl__triangle_forces
{
    double f[3][3][PL_ELEMENT_LANES];
} pl__triangle_forces;

// Fill lane `lane` with a triangle at rest positions X, of the world nodes `node`. The warp runs along the projection
// of `warp` (NULL: of the x axis, or the y axis where that is across the triangle); the weft is a quarter turn from it,
// counter-clockwise as the corners. Triangles of a planar group must be counter-clockwise seen from +z and have the
// warp x. The normal is set to that of the rest shape.
void pl__triangle_rest_set(pl__triangle_rest *rest, int32_t lane, const int32_t node[3], const double X[3][3],
                           double thickness, const double warp[3], const pl__material_params *material);
// Set the normal of the surface that the triangle should face along, of any length.
void pl__triangle_rest_set_normal(pl__triangle_rest *rest, int32_t lane, const double normal[3]);
// Make the triangle woven. The moduli of the material, which the damping uses, become the mean moduli of the threads.
void pl__triangle_rest_set_woven(pl__triangle_rest *rest, int32_t lane, const pl__woven_params *woven);
pl_status pl__woven_check(pl_context *ctx, const pl__woven_params *woven, const char *name);

// As for tetrahedra (tet.h).
void pl__triangle_rest_set_gain(pl__triangle_rest *rest, int32_t lane, const double mass_share[3]);
void pl__triangle_rest_stiffness(const pl__triangle_rest *rest, int32_t lane, double corner[3]);
void pl__triangle_rest_set_material(pl__triangle_rest *rest, int32_t lane, const pl__material_params *material);
// An unused lane: zero volume at node `node`.
void pl__triangle_rest_clear(pl__triangle_rest *rest, int32_t lane, int32_t node);

PL_KERNEL_DECLARE(void, pl__triangle_force,
                  (const pl__force_job *job, int32_t begin, int32_t end, pl__element_sums *sums));
PL_KERNEL_DECLARE(void, pl__triangle_damping, (const pl__damping_job *job, int32_t begin, int32_t end));
// Rebuild B' and the gains of all elements from their Fp (element/plasticity.h).
PL_KERNEL_DECLARE(void, pl__triangle_flow_refresh, (const pl__element_group *group));

// Energy and stress of woven cloth with stretches s, the first along `axis` in rest space:
// T = dpsi/dE in the principal frame (00, 11, 01), in [Pa].
void pl__woven_stress(const pl__woven_block *woven, int32_t lane, const double s[2], const double axis[2], double *psi,
                      double T[3]);

// States of one block, as pl__tet_block_state: J is the ratio of areas (negative if inverted), the stress is in the
// plane of the triangle with the rest thickness, and the third axis is the normal.
void pl__triangle_block_state(const pl__element_group *group, int32_t block, const double *x, double strength,
                              int32_t register_bytes, pl__element_state state[PL_ELEMENT_LANES]);

// Scalar reference implementation of both kernels, one triangle at a time (element/triangle_reference.c).
void pl__triangle_force_reference(const pl__element_group *group, int32_t triangle, const double *x, double strength,
                                  double force[3][3], double *energy, double A[6]);
void pl__triangle_damping_reference(const pl__element_group *group, int32_t triangle, const double *x, const double *v,
                                    double strength, double force[3][3]);

#endif

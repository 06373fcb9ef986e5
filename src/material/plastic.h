// src/material/plastic.h -- plastic flow: permanent deformation (thesis 2.6.3 and 2.7).
//
// The deformation gradient is a product, F = Fe Fp: Fp is permanent and Fe elastic, so that the energy is psi(Fe). An
// element whose rest shape has the inverse edges B has Fe = Ds B', B' = B Fp^-1, and the forces -V P(Fe) B'^T: elastic
// kernels need B' only. Elements beyond their yield flow once a step (material/plastic_w.h); this file declares the
// parameters and the scalar reference implementation, plastic.c, its oracle.
//
// With e the logarithms of the stretches of Fe and m their mean, yield criterion and flow are
//
//     PL_YIELD_STRAIN                 |e| <= yield              e flows
//     PL_YIELD_STRAIN, isochoric      |e| <= yield              e - m flows: pressure counts, but cannot flow
//     PL_YIELD_VON_MISES              |e - m| <= yield          e - m flows, which keeps the volume whatever `isochoric`
//
// Triangles have two stretches and m is the mean of these: their law has no third stretch (pl__law.flat) into which
// thickness could flow, so equal in-plane stretch plays the role of pressure, and isochoric flow keeps the area. A
// sheet that thins when drawn needs PL_YIELD_STRAIN.
//
// Creep (Mueller & Gross 2004, section 3): strain beyond the yield does not flow instantly but at the rate c e, e being
// all strain that can flow, until the yield is reached. After a step of dt the larger of e exp(-c dt) and the yield
// remains, independent of the division into steps. The paper's explicit rule, e (1 - c dt), overshoots the yield in its
// last step, and its norm of six components, with shear counted once, depends on the axes; ours is the norm of the
// tensor. Its c_max is plastic_max.
//
// In the paper strain is not a product but a sum: F has the strain e = S - I, S = R^T F, of which p is plastic, and the
// law uses e - p. Rest shapes and element matrices stay what they were. That is PL_PLASTIC_ADDITIVE: yielding and
// flowing as above with e - p in place of e, a matrix (material/additive_w.h), and blocks that hold I + p in place of
// Fp.
#ifndef PL_MATERIAL_PLASTIC_H
#define PL_MATERIAL_PLASTIC_H

#include "material.h"
#include "math/mat3.h"

// Logarithms are taken of stretches clamped to [1/20, 20]. Inverted elements do not flow: they have no logarithm, and a
// flatter rest shape would raise their energy: at a stretch of -0.5, flow as from 1/20 into a yield of 0.1 multiplies
// the inversion by 18.
#define PL_PLASTIC_RANGE 20.0

// Plastic parameters of an element.
typedef struct pl__plastic_params
{
    double yield; // 0: elastic
    double hardening;
    double limit;         // stretches of Fp stay in [1/limit, limit]
    double creep;         // [1/s]; 0: instantaneous
    double most;          // bound on the norm of the logarithm of the stretch of Fp
    double volume_flows;  // 1 or 0: m is part of the flow
    double volume_yields; // 1 or 0: m counts in the yield criterion
} pl__plastic_params;

// Sixteen elements, or sixteen quadrature points. Matrices are [3 j + i][lane]; symmetric ones 00 11 22 01 02 12.
// Triangles use the first two rows and columns; the third of their Fp are those of the identity.
typedef struct pl__plastic_block
{
    double yield[PL_MATERIAL_LANES], hardening[PL_MATERIAL_LANES], limit[PL_MATERIAL_LANES];
    double volume_flows[PL_MATERIAL_LANES], volume_yields[PL_MATERIAL_LANES];
    double creep[PL_MATERIAL_LANES], most[PL_MATERIAL_LANES];
    double wary[PL_MATERIAL_LANES];      // no Fp whose stretches lie in [1/wary, wary] is beyond limit or most
    double guided[PL_MATERIAL_LANES];    // 1: flows towards `goal` only
    double goal[6][PL_MATERIAL_LANES];   // log of the right stretch of the goal for Fp
    double Fp[9][PL_MATERIAL_LANES];     // the state; det Fp > 0; of the additive form I + p
    double hardened[PL_MATERIAL_LANES];  // state: accumulated plastic strain, the length of the path of flow
    double rest[9][PL_MATERIAL_LANES];   // B, the inverse edges before any flow
    double spread[6][PL_MATERIAL_LANES]; // [m/kg] sum_k V/m_k b_k b_k^T over the corners before any flow, for the gains
    double rise[PL_MATERIAL_LANES];      // largest eigenvalue of Fp^-T Fp^-1: bounds the growth of gains
} pl__plastic_block;

pl__plastic_params pl__plastic_resolve(const pl_material_def *def);
void pl__plastic_set_params(pl__plastic_block *block, int32_t lane, const pl__plastic_params *params);
// Reset a lane: elastic, Fp = I, no goal, no rest shape.
void pl__plastic_clear(pl__plastic_block *block, int32_t lane);
void pl__plastic_set_goal(pl__plastic_block *block, int32_t lane, const pl_mat3 *Fp);

// Check the rules about several plastic fields of a definition, and whether it may have a goal: only if it flows,
// volume included, which hardly any goal preserves. `name` and `owner` (of the body) start the paths of errors.
pl_status pl__plastic_check(pl_context *ctx, const pl_material_def *def, const char *name);
pl_status pl__plastic_goal_check(pl_context *ctx, const pl_material_def *def, const char *owner);

// Scalar plastic flow of one element (of `n` = 3 or 2 stretches): updates Fp and `hardened` for a step of dt (used by
// creep only), from the signed stretches s and right axes V of Fe, and `goal` or NULL. Returns whether it flowed.
bool pl__plastic_flow_reference(int n, const pl__plastic_params *params, double dt, const double goal[6],
                                const double s[3], const pl_mat3 *V, pl_mat3 *Fp, double *hardened);

// The additive version: s and W belong to the whole F = U diag(s) W^T, and Fp is I + p.
bool pl__additive_flow_reference(const pl__plastic_params *params, double dt, const double s[3], const pl_mat3 *W,
                                 pl_mat3 *Fp, double *hardened);

// Wide version for tests: updates the given decomposition of Fe; `flowed` is 1 or 0.
PL_KERNEL_DECLARE(void, pl__plastic_flow_batch,
                  (int32_t n, pl__plastic_block *block, double dt, double (*U)[PL_MATERIAL_LANES],
                   double (*sigma)[PL_MATERIAL_LANES], double (*V)[PL_MATERIAL_LANES], double *flowed));
// Wide additive version, from s and W.
PL_KERNEL_DECLARE(void, pl__additive_flow_batch,
                  (pl__plastic_block * block, double dt, const double (*sigma)[PL_MATERIAL_LANES],
                   const double (*W)[PL_MATERIAL_LANES], double *flowed));

#endif

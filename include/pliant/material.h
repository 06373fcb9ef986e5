// include/pliant/material.h -- materials: constitutive laws, damping, plasticity, fracture, heat.
//
// A material is an energy per rest volume, psi, of the principal stretches s0 >= s1 >= |s2| of the deformation (the
// signed singular values of the deformation gradient F; s2 < 0 means that the element is inverted). Stress is its
// gradient. Physical laws are undefined for s <= 0; `inversion` selects the extension of the law there, so that forces
// stay finite and restore an element however it is squeezed, flattened or inverted.
#ifndef PLIANT_MATERIAL_H
#define PLIANT_MATERIAL_H

#include <pliant/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum pl_material_kind
{
    PL_MATERIAL_ROTATED_LINEAR,        ///< linear in the stretches: soft toys, the most robust (thesis 2.6)
    PL_MATERIAL_STVK,                  ///< St. Venant-Kirchhoff: linear in Green strain; weak under strong compression
    PL_MATERIAL_NEO_HOOKEAN,           ///< rubber: resists compression without bound (thesis 2.14)
    PL_MATERIAL_ISOCHORIC_NEO_HOOKEAN, ///< neo-Hookean in the isochoric invariants, and (J - 1)^2 (Wang 2021)
    PL_MATERIAL_MOONEY_RIVLIN,         ///< rubber under large strain, muscle: two isochoric invariants (Wang 2021)
    PL_MATERIAL_FUNG,                  ///< skin, tissue: stiffens exponentially (Wang 2021)
    PL_MATERIAL_SPLINE,                ///< biphasic: soft at rest, stiff beyond two stretches (thesis 2.6)
    PL_MATERIAL_STABLE_NEO_HOOKEAN,    ///< flesh: rubber that is well defined when inverted (Smith, de Goes, Kim 2018)
    PL_MATERIAL_FIXED_COROTATED,       ///< rotated linear with a term of the true volume (Stomakhin et al. 2012)
    PL_MATERIAL_LINEAR, ///< plain linear elasticity of solids, which strains under rotation: for comparison only
                        ///< (Mueller & Gross 2004)
    PL_MATERIAL_CUSTOM  ///< user-defined function, `law`; not in scene files
} pl_material_kind;

/// Extension of a law below its threshold stretch (docs/materials.md).
typedef enum pl_inversion
{
    PL_INVERSION_ENERGY,   ///< default: an energy that exists everywhere, first order plus a constant curvature
    PL_INVERSION_LINEAR,   ///< stress extrapolated linearly, its derivative projected definite (thesis 2.14)
    PL_INVERSION_DET,      ///< linearly from the surface det F = threshold^3 (thesis 2.14)
    PL_INVERSION_CONSTANT, ///< stress held constant (withdrawn by thesis 2.14; expands when tangled)
    PL_INVERSION_NONE      ///< the law without extension: for demonstrations of failure
} pl_inversion;

/// Damping models (thesis 2.6.2); all are linear in velocity, symmetric and dissipative.
typedef enum pl_damping_model
{
    PL_DAMPING_SWITCH,    ///< default: conserving for moderate deformation, rotated for flat and inverted elements
    PL_DAMPING_ROTATED,   ///< acts in every configuration; causes a small torque when strongly deformed
    PL_DAMPING_CONSERVING ///< no torque in any configuration; vanishes for flat elements
} pl_damping_model;

/// Treatment of badly tangled bodies.
typedef enum pl_recovery
{
    PL_RECOVERY_AUTO, ///< default: a tangled body uses a relaxed law until it is untangled (docs/materials.md)
    PL_RECOVERY_OFF   ///< always the given law
} pl_recovery;

/// An isotropic law: energy per rest volume [J/m^3], its gradient (principal first Piola stresses [Pa]) and its second
/// derivatives [Pa] in the order 00 11 22 01 02 12, at three stretches. It must be symmetric: exchanging two stretches
/// exchanges the results. Stretches are between `threshold` and `limit` (with PL_INVERSION_NONE any value), so
/// positive, but not necessarily sorted. Called from all threads concurrently with the same `user`: it must be free of
/// side effects. The same stretches must give the same bits for runs to be reproducible.
typedef void pl_law_function(void *user, const double stretch[3], double *energy, double stress[3],
                             double derivative[6]);

/// Yield criterion, e being the logarithms of the elastic stretches (docs/materials.md).
typedef enum pl_yield_criterion
{
    PL_YIELD_STRAIN,   ///< default: |e| > yield; hydrostatic strain flows too (thesis 2.6.3)
    PL_YIELD_VON_MISES ///< |e - mean e| > yield; hydrostatic strain never flows, and volume is kept
} pl_yield_criterion;

/// Representation of plastic deformation (docs/materials.md).
typedef enum pl_plastic_form
{
    PL_PLASTIC_MULTIPLICATIVE, ///< default: F = Fe Fp; rest shapes follow Fp, and flow can keep the volume at any
                               ///< strain (thesis 2.6.3)
    PL_PLASTIC_ADDITIVE ///< plastic strain is subtracted; rest shapes and element matrices stay; for rotated_linear and
                        ///< linear solids without fibres and goals (Mueller & Gross 2004)
} pl_plastic_form;

typedef struct pl_material_def
{
    pl_material_kind kind;
    double young;     ///< Young's modulus [Pa], in [1e-9, 1e15]
    double poisson;   ///< Poisson's ratio, in (-1, 0.49999], for neo-Hookean and fixed corotated at least 0; of
                      ///< incompressible materials up to 0.5
    double density;   ///< rest density [kg/m^3], in [1e-3, 1e9]
    double damping;   ///< stiffness-proportional damping time [s], in [0, 1e6]
    double threshold; ///< stretch below which `inversion` takes over, in (0, 1); 0: default of the model (StVK 0.6;
                      ///< Fung, isochoric neo-Hookean, Mooney-Rivlin and custom 0.4; the others need none)
    double limit; ///< stretch above which it takes over, in (1, 1e6]; 0: default of the model (Fung 3, custom 4, the
                  ///< others need none)
    pl_inversion inversion;
    pl_damping_model damping_model;
    pl_recovery recovery;
    int32_t incompressible; ///< 1: solids and planar bodies of plane strain keep the volume around every node, exactly
                            ///< (docs/volume.md); `poisson` may then be 0.5, and only the shear modulus that it gives
                            ///< with `young` matters; default 0

    double mooney;            ///< Mooney-Rivlin: fraction of the second invariant in the shear modulus, in [0, 1]
    double stiffening;        ///< Fung: exponent, in [0, 100]
    double stiffening_share;  ///< Fung: fraction of the exponential in the shear modulus at rest, in [0, 1]
    double spline_low;        ///< spline: stretch below which it stiffens, in [-1, 0.99]
    double spline_high;       ///< spline: stretch above which it stiffens, in [1.01, 100]
    double spline_stiffening; ///< spline: slope there over the slope at rest, in [1, 1e4]

    double fiber_strength; ///< maximal active tension of fibres [Pa], in [0, 1e15]; 0: none
    double fiber_optimal;  ///< stretch of maximal active tension, in [0.1, 10]
    double activation;     ///< of fibres, in [0, 1]

    double weave_weft;        ///< woven shells: weft stiffness relative to the warp (`young`), in [1e-6, 1e6]
    double weave_shear;       ///< woven shells: shear stiffness relative to the warp, in [1e-6, 10]
    double weave_stiffening;  ///< woven shells: relative stiffening of threads per strain, in [0, 1e4]
    double weave_compression; ///< woven shells: compressive stiffness of threads relative to tension, in [1e-3, 1]

    double
        stretch_limit; ///< greatest principal stretch of an element, in [1, 100]; 0: none. Of woven shells along warp
    double compress_limit; ///< least principal stretch of an element, in [0.01, 1]; 0: none
    double weft_limit;     ///< woven shells: greatest stretch across the warp, in [1, 100]; 0: as stretch_limit
    double shear_limit; ///< woven shells: greatest change of the angle between threads [degrees], in [0.1, 89]; 0: none
    double bend_limit;  ///< shells: greatest curvature away from rest [1/m], in [1e-3, 1e9]; 0: none

    pl_law_function *law; ///< for PL_MATERIAL_CUSTOM; `young` and `poisson` then give its stiffness at small strain,
                          ///< which determines the step length, damping and recovery. In shells and planar bodies its
                          ///< third stretch is always 1.
    void *law_user;       ///< passed to `law`; must outlive every world created with it

    double yield_strain;  ///< logarithmic strain (additive: strain) at which plastic flow starts, in [0, 2]; 0
                          ///< (default): elastic
    double hardening;     ///< increase of `yield_strain` per unit of plastic strain, in [0, 1e6]; default 0
    double plastic_limit; ///< plastic stretches stay within [1/plastic_limit, plastic_limit], in (1, 100]; default 4
    pl_yield_criterion yield_criterion;
    pl_plastic_form plastic_form;
    int32_t isochoric; ///< 1: plastic flow keeps the volume; default 0
    double creep; ///< rate of flow beyond the yield [1/s], in [0, 1e9]: elastic strain e becomes e exp(-creep t) until
                  ///< it is back at the yield; 0 (default): instantaneous
    double plastic_max; ///< upper bound on the norm of the logarithm of the plastic stretch, or of the additive plastic
                        ///< strain, in [0, 10]; 0 (default): only plastic_limit

    double fracture_stress; ///< largest principal Cauchy stress before fracture [Pa], in [0, 1e15]; 0 (default):
                            ///< unbreakable
    double fracture_spread; ///< strength varies randomly over the body by up to this fraction, in [0, 0.99]; default 0

    double melting;    ///< melting temperature above the surroundings [K], in [0, 1e6]; 0 (default): heat has no effect
    double melt_young; ///< factor on `young` when molten, in [1e-6, 1]; in between, to the power of temperature /
                       ///< melting; default 0.05
    double melt_yield; ///< factor on `yield_strain` and `fracture_stress` when molten, in [1e-6, 1]; default 0.1
    double melt_creep; ///< factor on `creep` when molten, in [1, 1e9]; default 10
    double cooling;    ///< time constant of cooling, to 1/e [s], in [0, 1e9]; 0 (default): no cooling
    double diffusivity; ///< thermal diffusivity [m^2/s], in [0, 1]; default 0
    uint32_t cookie;    ///< set by pl_material_def_default(); do not touch
} pl_material_def;

/// Soft rubber: neo-Hookean, 1e5 Pa, 0.4, 1000 kg/m^3, damping 0.01 s.
PL_API pl_material_def pl_material_def_default(void);

/// The Lame constants of a material [Pa]: mu is the shear modulus.
PL_API void pl_material_lame(double young, double poisson, double *mu, double *lambda);

/// Energy per rest volume [J/m^3] and first Piola stress [Pa] at a deformation gradient, with the inversion rule of the
/// definition. Matrices are column-major: F[3 j + i] is row i of column j. `energy` and `stress` may be NULL.
/// The energy is NaN where the inversion rule has none (`linear`, `det`, `constant` below the threshold).
/// Fails with PL_ERR_ARGUMENT if a field is outside its documented range.
PL_API PL_NODISCARD pl_status pl_material_evaluate(pl_context *ctx, const pl_material_def *def, const double F[9],
                                                   double *energy, double stress[9]);

/// Energy per rest volume [J/m^3] and tension [Pa] (force per rest area, along the fibre) of the fibres of a material
/// at the given `stretch`, >= 0. A body of the material gets P += tension (F a) a^T / |F a| along its fibre direction
/// a, on top of the isotropic law. `energy` and `tension` may be NULL. Fails with PL_ERR_ARGUMENT if a field is outside
/// its range.
PL_API PL_NODISCARD pl_status pl_material_evaluate_fiber(pl_context *ctx, const pl_material_def *def, double stretch,
                                                         double *energy, double *tension);

/// For custom laws given in Cauchy stress: principal first Piola stresses, P_i = J sigma_i / s_i. `cauchy_rows[3 i +
/// j]` is dsigma_i/ds_j and is converted to `derivative`, in the order of pl_law_function; both may be NULL.
PL_API void pl_stress_from_cauchy(const double stretch[3], const double cauchy[3], const double cauchy_rows[9],
                                  double stress[3], double derivative[6]);

/// The same from second Piola stress, P_i = s_i S_i, with `second_rows[3 i + j]` = dS_i/ds_j.
PL_API void pl_stress_from_second_piola(const double stretch[3], const double second[3], const double second_rows[9],
                                        double stress[3], double derivative[6]);

/// The name of a kind, such as "neo_hookean"; NULL past the last, so that a loop can list them. PL_MATERIAL_CUSTOM, the
/// last enumerator, has none and ends such a loop.
PL_API const char *pl_material_kind_name(int32_t kind);

#ifdef __cplusplus
}
#endif
#endif

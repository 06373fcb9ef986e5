// src/material/models.inl -- the table of isotropic models.
//
// A model is one file NAME.inl with one function NAME(m, s, psi, p, h): energy, its gradient and its Hessian in the
// principal stretches. Its two lines here and its enumerator in pliant/material.h make it a kind of material, a kernel
// of every width, and a row of every test.
//
// `low` and `high` are the stretches beyond which the extension takes over by default; 0 means that the law itself is
// valid there. `poisson` is the smallest ratio for which the law has rest as its only minimum (neo-Hookean's lambda/2
// log^2 J must not be negative). `numbers` is the number of parameters of its own, m->extra[]. `volume` is a term of J
// = s0 s1 s2,
//
//     B/2 (J - 1)^2 - T (J - 1)
//
// that the kernel adds, at the same stretches. PL_VOLUME_BULK is B = lambda + 2/3 mu, PL_VOLUME_LAME B = lambda,
// PL_VOLUME_STABLE B = lambda + 5/6 mu with T = mu.
//
#ifdef PL_MODEL_SOURCES
#include "distortion.inl"
#include "rotated_linear.inl"
#include "linear.inl"
#include "stvk.inl"
#include "neo_hookean.inl"
#include "isochoric_neo_hookean.inl"
#include "mooney_rivlin.inl"
#include "fung.inl"
#include "spline.inl"
#include "stable_neo_hookean.inl"
#include "fixed_corotated.inl"
#include "custom.inl"
#else
// clang-format off
//        name                   enumerator                          low   high poisson numbers volume
PL_MODEL(rotated_linear,        PL_MATERIAL_ROTATED_LINEAR,        0.0,  0,   -1,     0,      PL_VOLUME_NONE)
PL_MODEL(stvk,                  PL_MATERIAL_STVK,                  0.6,  0,   -1,     0,      PL_VOLUME_NONE)
PL_MODEL(neo_hookean,           PL_MATERIAL_NEO_HOOKEAN,           0.4,  0,   0,      0,      PL_VOLUME_NONE)
PL_MODEL(isochoric_neo_hookean, PL_MATERIAL_ISOCHORIC_NEO_HOOKEAN, 0.4,  0,   -1,     0,      PL_VOLUME_BULK)
PL_MODEL(mooney_rivlin,         PL_MATERIAL_MOONEY_RIVLIN,         0.4,  0,   -1,     1,      PL_VOLUME_BULK)
PL_MODEL(fung,                  PL_MATERIAL_FUNG,                  0.4,  3,   -1,     2,      PL_VOLUME_BULK)
PL_MODEL(spline,                PL_MATERIAL_SPLINE,                0.0,  0,   -1,     4,      PL_VOLUME_NONE)
PL_MODEL(stable_neo_hookean,    PL_MATERIAL_STABLE_NEO_HOOKEAN,    0.0,  0,   -1,     0,      PL_VOLUME_STABLE)
PL_MODEL(fixed_corotated,       PL_MATERIAL_FIXED_COROTATED,       0.0,  0,   0,      0,      PL_VOLUME_LAME)
PL_MODEL(linear,                PL_MATERIAL_LINEAR,                0.0,  0,   -1,     0,      PL_VOLUME_NONE)
// clang-format on
#endif

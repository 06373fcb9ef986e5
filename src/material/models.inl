// src/material/models.inl -- the table of isotropic models.
//
// A model is one file NAME.inl with one function NAME(m, s, psi, p, h): energy, its gradient and its Hessian in the
// principal stretches. Its two lines here and its enumerator in pliant/material.h make it a kind of material, a kernel of
// every width, and a row of every test.
//
// `low` is the stretch below which the extension takes over by default; 0 means that the law itself is sound everywhere.
// `poisson` is the smallest ratio for which the law has rest as its only minimum (neo-Hookean's lambda/2 log^2 J must not
// be negative).
//
#ifdef PL_MODEL_SOURCES
#include "rotated_linear.inl"
#include "stvk.inl"
#include "neo_hookean.inl"
#else
//        name            enumerator                   low   poisson
PL_MODEL(rotated_linear, PL_MATERIAL_ROTATED_LINEAR, 0.0, -1)
PL_MODEL(stvk,           PL_MATERIAL_STVK,           0.6, -1)
PL_MODEL(neo_hookean,    PL_MATERIAL_NEO_HOOKEAN,    0.4, 0)
#endif

// src/material/model_w.h -- the models of models.inl, as functions of wide stretches, for kernel files.
#ifndef PL_MATERIAL_MODEL_W_H
#define PL_MATERIAL_MODEL_W_H

#include "base/simd.h"
#include "base/wide_math.h"
#include "material.h"

// Parameters of a model.
typedef struct
{
    pl_real_w mu, lambda;
    pl_real_w extra[PL_MATERIAL_EXTRAS]; // their number is in models.inl
    const pl__law *law;
} pl_numbers_w;

typedef struct
{
    pl_real_w psi, p[3], h[6]; // h: 00 11 22 01 02 12
} law_w;

#define PL_MODEL_SOURCES
#include "models.inl"
#undef PL_MODEL_SOURCES

typedef void model_function(const pl_numbers_w *m, const pl_real_w s[3], pl_real_w *psi, pl_real_w p[3],
                            pl_real_w h[6]);

// A model with its volume term; both are compile-time constants where used.
typedef struct
{
    model_function *function;
    int numbers;
    pl__volume_term volume;
} model_w;

// index into h of the pair (i, j)
static const int pair[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};

// B/2 (J - 1)^2 - T (J - 1), added to the law at the same stretches.
PL_INLINE void add_volume(const pl_numbers_w *m, pl__volume_term volume, const pl_real_w s[3], law_w *out)
{
    if (volume == PL_VOLUME_NONE)
        return;
    double share = volume == PL_VOLUME_BULK ? 2 / 3.0 : volume == PL_VOLUME_STABLE ? 5 / 6.0 : 0;
    pl_real_w B = m->lambda + share * m->mu;
    pl_real_w q[3] = {s[1] * s[2], s[0] * s[2], s[0] * s[1]}, e = q[2] * s[2] - 1; // q_i = dJ/ds_i
    pl_real_w tension = volume == PL_VOLUME_STABLE ? m->mu : pl_set_w(0), pressure = B * e - tension;
    for (int i = 0; i < 3; ++i)
    {
        pl_real_w Bq = B * q[i];
        out->p[i] += pressure * q[i];
        out->h[i] += Bq * q[i];
        for (int j = i + 1; j < 3; ++j)
            out->h[pair[i][j]] += Bq * q[j] + pressure * s[3 - i - j];
    }
    out->psi += e * (0.5 * B * e - tension);
}

// The complete law, with its volume term.
PL_INLINE void whole_law(const pl_numbers_w *m, const model_w *model, const pl_real_w s[3], law_w *out)
{
    model->function(m, s, &out->psi, out->p, out->h);
    add_volume(m, model->volume, s, out);
}

#endif

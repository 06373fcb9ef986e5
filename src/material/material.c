// src/material/material.c -- definitions checked and turned into numbers.
#include "material.h"
#include "math/svd3.h"
#include "plastic.h"

#include <math.h>
#include <string.h>

enum
{
    MATERIAL_COOKIE = 0x506c6d31
};

typedef struct
{
    const char *name;
    double low, poisson;
} model;

static const model models[] = {
#define PL_MODEL(name, kind, low, poisson) [kind] = {#name, low, poisson},
#include "models.inl"
#undef PL_MODEL
};
enum
{
    MODEL_COUNT = sizeof models / sizeof models[0]
};

const char *pl_material_kind_name(int32_t kind) { return kind >= 0 && kind < MODEL_COUNT ? models[kind].name : NULL; }

pl_material_def pl_material_def_default(void)
{
    return (pl_material_def){
        .kind = PL_MATERIAL_NEO_HOOKEAN,
        .young = 1e5,
        .poisson = 0.4,
        .density = 1000,
        .damping = 0.01,
        .plastic_limit = 4,
        .cookie = MATERIAL_COOKIE,
    };
}

void pl_material_lame(double young, double poisson, double *mu, double *lambda)
{
    *mu = young / (2 * (1 + poisson));
    *lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
}

pl_status pl__material_check(pl_context *ctx, const pl_material_def *def, const char *name)
{
    PL_CHECK(ctx, def, "%s: the definition is NULL", name);
    PL_CHECK(ctx, def->cookie == MATERIAL_COOKIE, "%s: start from pl_material_def_default()", name);
    PL_CHECK(ctx, (unsigned)def->kind < MODEL_COUNT, "%s.kind: %d is not a pl_material_kind", name, (int)def->kind);
    PL_CHECK(ctx, def->young > 0 && def->young <= 1e15, "%s.young: %g Pa must be above 0 and at most 1e15", name, def->young);
    PL_CHECK(ctx, def->poisson > -1 && def->poisson <= 0.49999, "%s.poisson: %g must be above -1 and at most 0.49999", name, def->poisson);
    PL_CHECK(ctx, def->poisson >= models[def->kind].poisson, "%s.poisson: %g must be at least %g for %s", name, def->poisson,
             models[def->kind].poisson, models[def->kind].name);
    PL_CHECK(ctx, def->density >= 1e-3 && def->density <= 1e9, "%s.density: %g kg/m^3 must be in [0.001, 1e9]", name, def->density);
    PL_CHECK(ctx, def->damping >= 0 && def->damping <= 1e6, "%s.damping: %g s must be at least 0 and at most 1e6", name, def->damping);
    PL_CHECK(ctx, def->threshold >= 0 && def->threshold < 1, "%s.threshold: %g must be at least 0 and below 1", name, def->threshold);
    PL_CHECK(ctx, (unsigned)def->inversion <= PL_INVERSION_NONE, "%s.inversion: %d is not a pl_inversion", name, (int)def->inversion);
    PL_CHECK(ctx, (unsigned)def->damping_model <= PL_DAMPING_CONSERVING, "%s.damping_model: %d is not a pl_damping_model", name, (int)def->damping_model);
    PL_CHECK(ctx, (unsigned)def->recovery <= PL_RECOVERY_OFF, "%s.recovery: %d is not a pl_recovery", name, (int)def->recovery);
    PL_TRY(pl__plastic_check(ctx, def, name));
    return PL_OK;
}

pl_material_def pl__material_calm(const pl_material_def *def)
{
    pl_material_def calm = *def;
    calm.kind = PL_MATERIAL_ROTATED_LINEAR;
    calm.poisson = def->poisson < -0.2 ? def->poisson : -0.2;
    calm.threshold = 0;
    return calm;
}

pl__material_params pl__material_resolve(const pl_material_def *def)
{
    const model *m = &models[def->kind];
    pl__material_params p = {.damping = def->damping, .density = def->density, .high = 1e6};
    pl_material_lame(def->young, def->poisson, &p.mu, &p.lambda);
    double low = def->threshold > 0 ? def->threshold : m->low;
    p.low = low > 0 ? low : -1e6;
    p.curvature = 2 * p.mu + p.lambda;
    // in log-volume the extension needs more than lambda/low^2 to have rest as its only deep minimum
    if (low > 0 && p.curvature < 1.25 * p.lambda / (low * low))
        p.curvature = 1.25 * p.lambda / (low * low);
    return p;
}

pl__law pl__material_law(const pl_material_def *def)
{
    bool extended = models[def->kind].low > 0 || def->threshold > 0;
    return (pl__law){.kind = def->kind, .inversion = extended ? def->inversion : PL_INVERSION_NONE};
}

bool pl__law_equal(const pl__law *a, const pl__law *b)
{
    return a->kind == b->kind && a->inversion == b->inversion && a->flat == b->flat;
}

void pl__material_block_set(pl__material_block *block, int32_t lane, const pl__material_params *params)
{
    block->mu[lane] = params->mu;
    block->lambda[lane] = params->lambda;
    block->low[lane] = params->low;
    block->high[lane] = params->high;
    block->curvature[lane] = params->curvature;
}

pl_status pl_material_evaluate(pl_context *ctx, const pl_material_def *def, const double F[9], double *energy, double stress[9])
{
    PL_TRY(pl__material_check(ctx, def, "material"));
    uint64_t host = pl__fp_enter();
    pl_mat3 gradient, U, V;
    double s[3];
    memcpy(&gradient, F, sizeof gradient);
    pl__svd3(&gradient, &U, s, &V);

    pl__material_block block;
    double sigma[3][PL_MATERIAL_LANES], p[3][PL_MATERIAL_LANES], psi[PL_MATERIAL_LANES];
    pl__material_params params = pl__material_resolve(def);
    for (int32_t lane = 0; lane < PL_MATERIAL_LANES; ++lane)
    {
        pl__material_block_set(&block, lane, &params);
        for (int i = 0; i < 3; ++i)
            sigma[i][lane] = s[i];
    }
    pl__stress_block out = {.stress = p, .energy = psi};
    pl__law law = pl__material_law(def);
    PL_PICK(ctx->register_bytes, pl__material_stress)(&law, &block, sigma, &out);
    if (energy)
        *energy = psi[0];
    // P = U diag(p) V^T
    for (int j = 0; stress && j < 3; ++j)
        for (int i = 0; i < 3; ++i)
            stress[3 * j + i] = U.c[0][i] * p[0][0] * V.c[0][j] + U.c[1][i] * p[1][0] * V.c[1][j] + U.c[2][i] * p[2][0] * V.c[2][j];
    pl__fp_leave(host);
    return PL_OK;
}

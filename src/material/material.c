// src/material/material.c -- checks of material definitions, and their conversion to parameters of laws.
#include "material.h"
#include "base/field_rows.h"
#include "base/real_math.h"
#include "material_fields.h"
#include "math/eig3.h"
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
    double low, high, poisson;
    pl__volume_term volume;
} model;

static const model models[] = {
#define PL_MODEL(name, kind, low, high, poisson, numbers, volume) [kind] = {#name, low, high, poisson, volume},
#include "models.inl"
#undef PL_MODEL
    // range in which an unknown law is trusted; a bounded interval makes every extended energy bounded below
    [PL_MATERIAL_CUSTOM] = {NULL, 0.4, 4, -1, PL_VOLUME_NONE},
};
enum
{
    MODEL_COUNT = sizeof models / sizeof models[0]
};

static const double relaxed_threshold = 0.9, calm_poisson = -0.2;
static const double largest_poisson = 0.49999, incompressible_poisson = 0.3;

const char *pl_material_kind_name(int32_t kind) { return kind >= 0 && kind < MODEL_COUNT ? models[kind].name : NULL; }

#define OWNER pl_material_def
static const pl__field rows[] = {
#include "material_fields.inl"
};
#undef OWNER
const pl__fields pl__material_fields = {rows, sizeof rows / sizeof rows[0]};

pl_material_def pl_material_def_default(void)
{
    pl_material_def def = {.kind = PL_MATERIAL_NEO_HOOKEAN, .cookie = MATERIAL_COOKIE};
    pl__fields_default(&pl__material_fields, &def);
    return def;
}

void pl_material_lame(double young, double poisson, double *mu, double *lambda)
{
    *mu = young / (2 * (1 + poisson));
    *lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
}

// Ranges are in material_fields.inl; these are the rules about several fields.
pl_status pl__material_check(pl_context *ctx, const pl_material_def *def, const char *name)
{
    PL_CHECK_FIELD(ctx, def, name, "", "the definition is NULL");
    PL_CHECK_FIELD(ctx, def->cookie == MATERIAL_COOKIE, name, "", "start from pl_material_def_default()");
    PL_CHECK_FIELD(ctx, (unsigned)def->kind < MODEL_COUNT, name, "kind", "%d is not a pl_material_kind",
                   (int)def->kind);
    PL_CHECK_FIELD(ctx, def->kind != PL_MATERIAL_CUSTOM || def->law, name, "law",
                   "is NULL; a custom material needs its function");
    PL_TRY(pl__fields_check(ctx, &pl__material_fields, def, name));
    PL_CHECK_FIELD(ctx, def->poisson >= models[def->kind].poisson, name, "poisson", "%g must be at least %g for %s",
                   def->poisson, models[def->kind].poisson, models[def->kind].name);
    PL_CHECK_FIELD(ctx, def->poisson <= largest_poisson || def->incompressible, name, "poisson",
                   "%g must be at most %g, unless the material is \"incompressible\"", def->poisson, largest_poisson);
    PL_CHECK_FIELD(ctx, def->limit == 0 || def->limit > 1, name, "limit", "%g must be 0, or above 1 and at most 1e6",
                   def->limit);
    bool linear = def->kind == PL_MATERIAL_LINEAR;
    PL_CHECK_FIELD(ctx, !linear || def->fiber_strength == 0, name, "fiber_strength",
                   "%g Pa must be 0 for linear, which knows no finite motion; take rotated_linear",
                   def->fiber_strength);
    PL_CHECK_FIELD(ctx, !linear || def->yield_strain == 0 || def->plastic_form == PL_PLASTIC_ADDITIVE, name,
                   "yield_strain",
                   "%g must be 0 for linear with multiplicative plastic_form, which needs a law of finite motion; take "
                   "additive, or rotated_linear",
                   def->yield_strain);
    PL_CHECK_FIELD(ctx, !def->incompressible || def->yield_strain == 0 || def->isochoric, name, "incompressible",
                   "plastic flow must keep the volume as well: set \"isochoric\", or leave out `yield_strain`");
    return pl__plastic_check(ctx, def, name);
}

double pl__material_melted(const pl_material_def *def, double temperature)
{
    return def->melting > 0 ? fmin(fmax(temperature / def->melting, 0), 1) : 0;
}

pl_material_def pl__material_heated(const pl_material_def *def, double temperature)
{
    pl_material_def hot = *def;
    double part = pl__material_melted(def, temperature);
    if (part > 0)
    {
        hot.young *= pl__real_exp(part * pl__real_log(def->melt_young));
        double yield = pl__real_exp(part * pl__real_log(def->melt_yield));
        hot.yield_strain *= yield;
        hot.fracture_stress *= yield;
        hot.creep *= pl__real_exp(part * pl__real_log(def->melt_creep));
    }
    return hot;
}

pl_material_def pl__material_relaxed(const pl_material_def *def, int32_t level)
{
    pl_material_def relaxed = *def;
    double low = def->threshold > 0 ? def->threshold : models[def->kind].low;
    relaxed.threshold = fmax(low, relaxed_threshold);
    if (level == PL_MATERIAL_RELAXED)
    {
        relaxed.kind = PL_MATERIAL_ROTATED_LINEAR;
        relaxed.poisson = fmin(def->poisson, calm_poisson);
        relaxed.threshold = relaxed.limit = 0;
    }
    return relaxed;
}

// Parameters that only some models have, in the order of their files.
static void set_extras(const pl_material_def *def, double extra[PL_MATERIAL_EXTRAS])
{
    double below = 1 - def->spline_low, above = def->spline_high - 1, more = (def->spline_stiffening - 1) / 3;
    const double mooney[] = {def->mooney}, fung[] = {def->stiffening, def->stiffening_share};
    const double spline[] = {below, above, more / (below * below), more / (above * above)};
    switch (def->kind)
    {
    case PL_MATERIAL_MOONEY_RIVLIN: memcpy(extra, mooney, sizeof mooney); break;
    case PL_MATERIAL_FUNG: memcpy(extra, fung, sizeof fung); break;
    case PL_MATERIAL_SPLINE: memcpy(extra, spline, sizeof spline); break;
    default: break;
    }
}

// ---- extension beyond the valid range ------------------------------------------------------------------------------

static const double no_end = 1e60; // a stretch that no body has

// Half the ramps of the smooth clamp (stress.kernel.c).
static double low_width(double low) { return low > 0 ? fmin(0.1, 0.25 * low) : 0.1; }
static double high_width(double high) { return fmin(0.1, 0.5 * (high - 1)); }

// A custom law is not evaluated beyond its ends: the floors of the ramps are there.
static void keep_within_ends(pl__material_params *p)
{
    p->low = p->low >= 0.3 ? p->low + 0.1 : p->low * (4 / 3.0);
    p->high = p->high >= 1.3 ? p->high - 0.1 : (2 * p->high + 1) / 3;
}

// Axial stress of a bar stretched to `end` with its sides held.
static double stress_at(const pl__law *law, const pl__material_params *p, double end)
{
    double stress[3];
    pl__model_stress(law, p, (double[3]){end, 1, 1}, stress);
    return stress[0];
}

// k = 2 mu + lambda, but at most 8 mu: a stiffer penalty freezes tangles of nearly incompressible bodies. Stresses of
// at least k w make the penalty convex.
static void find_penalty(const pl__law *law, pl__material_params *p)
{
    double w = low_width(p->low), v = high_width(p->high);
    p->curvature = 2 * p->mu + fmin(p->lambda, 6 * p->mu);
    p->low_stress = p->low > 0 ? fmin(stress_at(law, p, p->low - w), -p->curvature * w) : 0;
    p->high_stress = p->high < no_end ? fmax(stress_at(law, p, p->high + v), p->curvature * v) : 0;
}

// The Lame constants of the law. Pressures keep the volume of incompressible materials; their law has the shear modulus
// and compresses easily, as it would lock otherwise.
static void find_lame(const pl_material_def *def, double *mu, double *lambda)
{
    double poisson =
        def->incompressible ? fmin(def->poisson, incompressible_poisson) : fmin(def->poisson, largest_poisson);
    pl_material_lame(def->young * (1 + poisson) / (1 + def->poisson), poisson, mu, lambda);
}

pl__material_params pl__material_resolve(const pl_material_def *def)
{
    const model *m = &models[def->kind];
    pl__material_params p = {.kind = def->kind, .damping = def->damping, .density = def->density};
    find_lame(def, &p.mu, &p.lambda);
    double low = def->threshold > 0 ? def->threshold : m->low, high = def->limit > 0 ? def->limit : m->high;
    p.low = low > 0 ? low : -no_end;
    p.high = high > 0 ? high : no_end;
    set_extras(def, p.extra);
    pl__law law = pl__material_law(def);
    if (def->kind == PL_MATERIAL_CUSTOM && law.inversion == PL_INVERSION_ENERGY)
        keep_within_ends(&p);
    if (law.inversion == PL_INVERSION_ENERGY)
        find_penalty(&law, &p);
    return p;
}

pl__material_params pl__material_flatten(pl__material_params params)
{
    params.lambda = 2 * params.mu * params.lambda / (params.lambda + 2 * params.mu);
    if (params.curvature > 0 && params.kind != PL_MATERIAL_CUSTOM) // custom functions do not use lambda
        find_penalty(&(pl__law){.kind = params.kind}, &params);
    return params;
}

pl__law pl__material_law(const pl_material_def *def)
{
    const model *m = &models[def->kind];
    bool extended = m->low > 0 || m->high > 0 || def->threshold > 0 || def->limit > 0,
         custom = def->kind == PL_MATERIAL_CUSTOM;
    return (pl__law){.kind = def->kind,
                     .inversion = extended ? def->inversion : PL_INVERSION_NONE,
                     .function = custom ? def->law : NULL,
                     .user = custom ? def->law_user : NULL};
}

pl__fiber pl__material_fiber(const pl_material_def *def)
{
    return (pl__fiber){def->fiber_strength, def->fiber_optimal, def->activation};
}

bool pl__law_equal(const pl__law *a, const pl__law *b)
{
    return a->kind == b->kind && a->inversion == b->inversion && a->flat == b->flat && a->function == b->function &&
           a->user == b->user;
}

void pl__material_block_set(pl__material_block *block, int32_t lane, const pl__material_params *params)
{
    block->mu[lane] = params->mu;
    block->lambda[lane] = params->lambda;
    block->low[lane] = params->low;
    block->high[lane] = params->high;
    block->curvature[lane] = params->curvature;
    block->low_stress[lane] = params->low_stress;
    block->high_stress[lane] = params->high_stress;
    for (int k = 0; k < PL_MATERIAL_EXTRAS; ++k)
        block->extra[k][lane] = params->extra[k];
}

// Symmetric part of F, the shape used by plain linear elasticity (element/shape_w.h).
static void symmetric_part(const pl_mat3 *F, pl_mat3 *U, double s[3], pl_mat3 *V)
{
    pl_mat3 S;
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i)
            S.c[j][i] = 0.5 * (F->c[j][i] + F->c[i][j]);
    pl__eig3(&S, U, s);
    *V = *U;
}

pl_status pl_material_evaluate(pl_context *ctx, const pl_material_def *def, const double F[9], double *energy,
                               double stress[9])
{
    if (!ctx)
        return PL_ERR_ARGUMENT;
    PL_TRY(pl__material_check(ctx, def, "material"));
    uint64_t host = pl__fp_enter();
    pl_mat3 gradient, U, V;
    double s[3];
    memcpy(&gradient, F, sizeof gradient);
    if (def->kind == PL_MATERIAL_LINEAR)
        symmetric_part(&gradient, &U, s, &V);
    else
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
            stress[3 * j + i] =
                U.c[0][i] * p[0][0] * V.c[0][j] + U.c[1][i] * p[1][0] * V.c[1][j] + U.c[2][i] * p[2][0] * V.c[2][j];
    pl__fp_leave(host);
    return PL_OK;
}

pl_status pl_material_evaluate_fiber(pl_context *ctx, const pl_material_def *def, double stretch, double *energy,
                                     double *tension)
{
    if (!ctx)
        return PL_ERR_ARGUMENT;
    PL_TRY(pl__material_check(ctx, def, "material"));
    PL_CHECK(ctx, stretch >= 0 && stretch <= 1e6, "stretch: %g must be in [0, 1e6]", stretch);
    uint64_t host = pl__fp_enter();
    pl__fiber fiber = pl__material_fiber(def);
    double psi, pull, stiffness;
    pl__fiber_pull(&fiber, stretch * stretch, &psi, &pull, &stiffness);
    if (energy)
        *energy = psi;
    if (tension)
        *tension = pull * stretch;
    pl__fp_leave(host);
    return PL_OK;
}

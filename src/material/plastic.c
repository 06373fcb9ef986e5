// src/material/plastic.c -- checks of plastic parameters, and the scalar reference implementation of plastic flow.
//
// The oracle works with matrices where the kernels work with stretches: log S = 1/2 log(Fp^T Fp) by eigenvalues, S
// being the right stretch of Fp = R S, and R = Fp S^-1.
#include "plastic.h"
#include "base/real_math.h"
#include "math/eig3.h"

#include <math.h>

// Additive strain needs a law that is linear in strain everywhere, and no other term in F.
static pl_status check_additive(pl_context *ctx, const pl_material_def *def, const char *name)
{
    bool linear = def->kind == PL_MATERIAL_ROTATED_LINEAR || def->kind == PL_MATERIAL_LINEAR;
    const char *kind = pl_material_kind_name((int32_t)def->kind);
    PL_CHECK_FIELD(ctx, linear, name, "plastic_form",
                   "additive needs a law that is linear in strain, rotated_linear or linear, not %s; take one of "
                   "these, or multiplicative",
                   kind ? kind : "custom");
    PL_CHECK_FIELD(
        ctx, def->fiber_strength == 0, name, "fiber_strength",
        "%g Pa must be 0 with additive plastic_form, in which fibres would stay stretched; take multiplicative",
        def->fiber_strength);
    PL_CHECK_FIELD(ctx, def->threshold == 0, name, "threshold",
                   "%g must be 0 with additive plastic_form, whose law is linear everywhere; leave it out",
                   def->threshold);
    PL_CHECK_FIELD(ctx, def->limit == 0, name, "limit",
                   "%g must be 0 with additive plastic_form, whose law is linear everywhere; leave it out", def->limit);
    return PL_OK;
}

pl_status pl__plastic_check(pl_context *ctx, const pl_material_def *def, const char *name)
{
    return def->plastic_form == PL_PLASTIC_ADDITIVE ? check_additive(ctx, def, name) : PL_OK;
}

pl_status pl__plastic_goal_check(pl_context *ctx, const pl_material_def *def, const char *owner)
{
    PL_CHECK_FIELD(ctx, def->kind != PL_MATERIAL_LINEAR, owner, "goal",
                   "its material is linear, which cannot follow one; take rotated_linear and a yield_strain");
    PL_CHECK_FIELD(ctx, def->yield_strain > 0, owner, "goal",
                   "the yield_strain of its material is 0, and nothing flows; give the strain at which flow begins");
    PL_CHECK_FIELD(
        ctx, def->plastic_form == PL_PLASTIC_MULTIPLICATIVE, owner, "goal",
        "the plastic_form of its material, additive, has no rest shapes that could follow a goal; take multiplicative");
    PL_CHECK_FIELD(ctx, !def->isochoric, owner, "goal",
                   "its material is isochoric and keeps the volume, which a goal changes; leave out one of the two");
    PL_CHECK_FIELD(
        ctx, def->yield_criterion == PL_YIELD_STRAIN, owner, "goal",
        "the yield_criterion of its material, von_mises, keeps the volume, which a goal changes; strain is allowed");
    return PL_OK;
}

static const double unlimited = 1e6;

pl__plastic_params pl__plastic_resolve(const pl_material_def *def)
{
    bool mises = def->yield_criterion == PL_YIELD_VON_MISES;
    return (pl__plastic_params){.yield = def->yield_strain,
                                .hardening = def->hardening,
                                .limit = def->plastic_limit,
                                .creep = def->creep,
                                .most = def->plastic_max > 0 ? def->plastic_max : unlimited,
                                .volume_flows = !mises && !def->isochoric,
                                .volume_yields = !mises};
}

void pl__plastic_set_params(pl__plastic_block *block, int32_t lane, const pl__plastic_params *params)
{
    block->yield[lane] = params->yield;
    block->hardening[lane] = params->hardening;
    block->limit[lane] = params->limit;
    block->volume_flows[lane] = params->volume_flows;
    block->volume_yields[lane] = params->volume_yields;
    block->creep[lane] = params->creep;
    block->most[lane] = params->most;
    // the largest of three logarithms is at least their norm over sqrt(3)
    block->wary[lane] = fmin(params->limit, pl__real_exp(fmin(params->most, 10) * 0.57735026918962576));
}

void pl__plastic_clear(pl__plastic_block *block, int32_t lane)
{
    static const pl__plastic_params elastic = {.limit = 2, .most = 1e6};
    pl__plastic_set_params(block, lane, &elastic);
    for (int k = 0; k < 9; ++k)
    {
        block->Fp[k][lane] = k % 4 == 0;
        block->rest[k][lane] = 0;
    }
    for (int k = 0; k < 6; ++k)
        block->goal[k][lane] = block->spread[k][lane] = 0;
    block->guided[lane] = block->hardened[lane] = 0;
    block->rise[lane] = 1;
}

// ---- scalar reference ------------------------------------------------------------------------------------------

static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};

// Q diag(f(value)) Q^T
static pl_mat3 with_values(const pl_mat3 *Q, const double value[3])
{
    pl_mat3 A = {0};
    for (int k = 0; k < 3; ++k)
        for (int j = 0; j < 3; ++j)
            for (int i = 0; i < 3; ++i)
                A.c[j][i] += Q->c[k][i] * value[k] * Q->c[k][j];
    return A;
}

static pl_mat3 exponential(const pl_mat3 *L)
{
    pl_mat3 Q;
    double value[3];
    pl__eig3(L, &Q, value);
    for (int i = 0; i < 3; ++i)
        value[i] = pl__real_exp(value[i]);
    return with_values(&Q, value);
}

// the axes and logarithms of the right stretch of Fp
static void log_stretches(const pl_mat3 *Fp, pl_mat3 *Q, double l[3])
{
    pl_mat3 C = pl_mult33(Fp, Fp);
    pl__eig3(&C, Q, l);
    for (int i = 0; i < 3; ++i)
        l[i] = 0.5 * pl__real_log(l[i]);
}

static pl_mat3 log_stretch(const pl_mat3 *Fp)
{
    pl_mat3 Q;
    double l[3];
    log_stretches(Fp, &Q, l);
    return with_values(&Q, l);
}

void pl__plastic_set_goal(pl__plastic_block *block, int32_t lane, const pl_mat3 *Fp)
{
    pl_mat3 L = log_stretch(Fp);
    for (int k = 0; k < 6; ++k)
        block->goal[k][lane] = L.c[column[k]][row[k]];
    block->guided[lane] = 1;
}

static double inner(const pl_mat3 *A, const pl_mat3 *B)
{
    double sum = 0;
    for (int k = 0; k < 9; ++k)
        sum += A->c[k / 3][k % 3] * B->c[k / 3][k % 3];
    return sum;
}

// Length of the plastic flow along a part of norm size2^1/2 that flows, beside a part that only counts in the yield
// criterion, that returns to the hardened yield surface.
static double amount_of(const pl__plastic_params *p, double dt, double hardened, double size2, double other2)
{
    // (size - amount)^2 + other part = (radius + H amount)^2
    double H = p->hardening, radius = p->yield + H * hardened, size = sqrt(size2),
           excess = size2 + p->volume_yields * other2 - radius * radius;
    if (!(excess > 0 && size > 0))
        return 0;
    double b = size + radius * H, discriminant = b * b - (1 - H * H) * excess;
    double most = p->creep > 0 ? size * (1 - pl__real_exp(-fmin(p->creep * dt, 700))) : size;
    return fmin(excess / (b + sqrt(fmax(discriminant, 0))), most);
}

// Return mapping of the logarithms e: `flow` brings their norm back to the hardened yield; returns its length.
static double return_map(int n, const pl__plastic_params *p, double dt, double hardened, const double e[3],
                         double flow[3])
{
    double mean = 0, size2 = 0;
    for (int i = 0; i < n; ++i)
        mean += e[i] / n;
    double held = (1 - p->volume_flows) * mean;
    for (int i = 0; i < 3; ++i)
        flow[i] = i < n ? e[i] - held : 0;
    for (int i = 0; i < n; ++i)
        size2 += flow[i] * flow[i];
    double amount = amount_of(p, dt, hardened, size2, n * held * held);
    for (int i = 0; amount > 0 && i < 3; ++i)
        flow[i] *= amount / sqrt(size2);
    return amount;
}

// Logarithm of the right stretch of a trial, within the limits: values are clamped, or all scaled equally if the volume
// is to be kept.
static pl_mat3 limited_log(const pl__plastic_params *p, const pl_mat3 *trial)
{
    pl_mat3 Q;
    double l[3], most = pl__real_log(p->limit);
    log_stretches(trial, &Q, l);
    double scale = fmin(1, most / fmax(fmax(l[0], -l[2]), most));
    for (int i = 0; i < 3; ++i)
        l[i] = p->volume_flows != 0 ? fmax(fmin(l[i], most), -most) : scale * l[i];
    double size = sqrt(l[0] * l[0] + l[1] * l[1] + l[2] * l[2]);
    for (int i = 0; i < 3; ++i)
        l[i] *= p->most / fmax(size, p->most);
    return with_values(&Q, l);
}

// Fraction of the step from A to B that comes closest to the goal.
static double nearest(const pl_mat3 *A, const pl_mat3 *B, const double goal[6])
{
    pl_mat3 step = pl_axpy33(-1, A, B), way;
    for (int k = 0; k < 6; ++k)
        way.c[column[k]][row[k]] = way.c[row[k]][column[k]] = goal[k] - A->c[column[k]][row[k]];
    return fmax(0, fmin(1, inner(&way, &step) / fmax(inner(&step, &step), 1e-300)));
}

bool pl__plastic_flow_reference(int n, const pl__plastic_params *params, double dt, const double goal[6],
                                const double s[3], const pl_mat3 *V, pl_mat3 *Fp, double *hardened)
{
    double e[3] = {0, 0, 0}, flow[3];
    for (int i = 0; i < n; ++i)
        e[i] = pl__real_log(fmin(fmax(s[i], 1 / PL_PLASTIC_RANGE), PL_PLASTIC_RANGE));
    double amount = params->yield > 0 && s[n - 1] >= 0 ? return_map(n, params, dt, *hardened, e, flow) : 0;
    if (!(amount > 0))
        return false;
    for (int i = 0; i < 3; ++i)
        flow[i] = pl__real_exp(flow[i]);
    pl_mat3 growth = with_values(V, flow), trial = pl_mul33(&growth, Fp);
    pl_mat3 L0 = log_stretch(Fp), L1 = log_stretch(&trial), L = limited_log(params, &trial);
    double t = goal ? nearest(&L0, &L, goal) : 1;
    if (t <= 0)
        return false;
    pl_mat3 difference = pl_axpy33(-1, &L0, &L);
    L = pl_axpy33(t, &difference, &L0);
    difference = pl_axpy33(-1, &L1, &L);
    if (inner(&difference, &difference) > 1e-28) // changed by limits or goal: R S of the trial becomes R exp(L)
    {
        L1 = pl_axpy33(-2, &L1, &L1);
        pl_mat3 back = exponential(&L1), stretch = exponential(&L), R = pl_mul33(&trial, &back);
        trial = pl_mul33(&R, &stretch);
        difference = pl_axpy33(-1, &L0, &L);
        amount = fmin(amount, sqrt(inner(&difference, &difference)));
    }
    *Fp = trial;
    *hardened += amount;
    return true;
}

// ---- additive plasticity ---------------------------------------------------------------------------------------

// Clamp a plastic strain to its limits (material/additive_w.h).
static pl_mat3 limited_strain(const pl__plastic_params *params, const pl_mat3 *p)
{
    pl_mat3 Q;
    double l[3], high = params->limit - 1, low = 1 / params->limit - 1;
    pl__eig3(p, &Q, l);
    double shrink = fmin(high / fmax(l[0], high), low / fmin(l[2], low));
    for (int i = 0; i < 3; ++i)
        l[i] = params->volume_flows != 0 ? fmax(fmin(l[i], high), low) : shrink * l[i];
    double size = sqrt(l[0] * l[0] + l[1] * l[1] + l[2] * l[2]);
    for (int i = 0; i < 3; ++i)
        l[i] *= params->most / fmax(size, params->most);
    return with_values(&Q, l);
}

bool pl__additive_flow_reference(const pl__plastic_params *params, double dt, const double s[3], const pl_mat3 *W,
                                 pl_mat3 *Fp, double *hardened)
{
    const double e[3] = {s[0] - 1, s[1] - 1, s[2] - 1};
    pl_mat3 one = pl_identity3(), p = pl_axpy33(-1, &one, Fp), strain = with_values(W, e),
            d = pl_axpy33(-1, &p, &strain);
    double held = (1 - params->volume_flows) * (d.c[0][0] + d.c[1][1] + d.c[2][2]) / 3;
    d = pl_axpy33(-held, &one, &d);
    double size2 = inner(&d, &d),
           amount = params->yield > 0 && s[2] >= 0 ? amount_of(params, dt, *hardened, size2, 3 * held * held) : 0;
    if (!(amount > 0))
        return false;
    pl_mat3 trial = pl_axpy33(amount / sqrt(size2), &d, &p), within = limited_strain(params, &trial),
            difference = pl_axpy33(-1, &trial, &within);
    if (inner(&difference, &difference) > 1e-28) // changed by limits
    {
        trial = within;
        difference = pl_axpy33(-1, &p, &trial);
        amount = fmin(amount, sqrt(inner(&difference, &difference)));
    }
    *Fp = pl_axpy33(1, &trial, &one);
    *hardened += amount;
    return true;
}

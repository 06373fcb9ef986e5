// src/solid/recovery.c -- bodies that are tangled, and bodies that cannot get out.
//
// A body whose mesh is badly tangled (a tenth of its elements inverted) switches to a calm relative of its material
// (material.c) until it has untangled: no inverted element, and either small strain or a quarter of a second without
// inversion (a loaded body may never have small strain). A handful of inverted elements under contact is everyday life and
// changes nothing, unless the body rests with them.
//
// What it does badly: the sign heuristic of the decomposition has static equilibria; a body may rest in one, sometimes with
// no inverted element at all (thesis ch 2 concedes them). Those are found and reported as stuck.
#include "recovery.h"

#include "math/mat3.h"
#include <math.h>

static const double tangled_share = 0.1;   // of the elements
static const double small_strain = 0.05;
static const double calm_time = 0.25;      // [s]
static const double settle_time = 0.5;     // [s] at rest before a body counts as stuck

static bool should_be_calm(pl__body *body, double dt)
{
    const pl__body_figures *f = &body->figures;
    if (!body->calm)
    {
        body->untangled_time = 0;
        return f->inverted > 0 && (f->inverted >= tangled_share * body->tet_count || body->stuck);
    }
    body->untangled_time = f->inverted ? 0 : body->untangled_time + dt;
    return f->inverted || (f->strain >= small_strain && body->untangled_time <= calm_time);
}

bool pl__recovery_update(pl__solids *s, const pl_material_def *material, double dt)
{
    bool changed = false;
    for (int32_t i = 0; i < s->body_count; ++i)
    {
        pl__body *body = s->body[i];
        if (body->strength <= 0 || !body->may_recover)
            continue;
        bool calm = should_be_calm(body, dt);
        if (calm == body->calm)
            continue;
        body->calm = calm;
        pl__body_set_materials(body, material);
        changed = true;
    }
    return changed;
}

double pl__deforming_energy(const pl__solids *s, const pl__body *body)
{
    // momentum, angular momentum about the centre, inertia tensor
    double mass = 0, centre[3] = {0}, velocity[3] = {0};
    for (int32_t n = 0; n < body->node_count; ++n)
    {
        double m = body->mass[n];
        const double *x = &s->x[3 * (size_t)(body->first_node + n)], *v = &s->v[3 * (size_t)(body->first_node + n)];
        mass += m;
        for (int i = 0; i < 3; ++i)
        {
            centre[i] += m * x[i];
            velocity[i] += m * v[i];
        }
    }
    for (int i = 0; i < 3; ++i)
    {
        centre[i] /= mass;
        velocity[i] /= mass;
    }
    pl_mat3 inertia = {0};
    double angular[3] = {0}, energy = 0;
    for (int32_t n = 0; n < body->node_count; ++n)
    {
        double m = body->mass[n], r[3], u[3], r2 = 0;
        for (int i = 0; i < 3; ++i)
        {
            r[i] = s->x[3 * (size_t)(body->first_node + n) + (size_t)i] - centre[i];
            u[i] = s->v[3 * (size_t)(body->first_node + n) + (size_t)i] - velocity[i];
            r2 += r[i] * r[i];
            energy += 0.5 * m * u[i] * u[i];
        }
        for (int i = 0; i < 3; ++i)
        {
            angular[i] += m * (r[(i + 1) % 3] * u[(i + 2) % 3] - r[(i + 2) % 3] * u[(i + 1) % 3]);
            for (int j = 0; j < 3; ++j)
                inertia.c[j][i] += m * ((i == j ? r2 : 0) - r[i] * r[j]);
        }
    }
    double det = pl_det3(&inertia), scale = inertia.c[0][0] + inertia.c[1][1] + inertia.c[2][2];
    if (!(det > 1e-12 * scale * scale * scale))
        return energy;
    pl_mat3 inverse = pl_inverse3(&inertia);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            energy -= 0.5 * angular[i] * inverse.c[j][i] * angular[j];
    return energy > 0 ? energy : 0;
}

// At rest: what moves is little against what is stored, and stays so. A body that swings about its own shape passes this
// only while it turns round, which is shorter than the settling time unless it takes a quarter of a minute per swing.
void pl__stuck_update(pl__solids *s, bool external_load, double dt)
{
    for (int32_t i = 0; i < s->body_count; ++i)
    {
        pl__body *body = s->body[i];
        const pl__body_figures *f = &body->figures;
        bool strange = f->inverted > 0 || (!external_load && body->pin_count == 0 && f->strain > 1e-3);
        bool resting = strange && body->strength > 0 && pl__deforming_energy(s, body) <= 0.01 * fabs(f->elastic);
        body->rest_time = resting ? body->rest_time + dt : 0;
        body->stuck = body->rest_time > settle_time;
    }
}

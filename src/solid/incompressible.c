// src/solid/incompressible.c -- bodies that keep the volume of every one-ring of their nodes (volume/rings.h).
//
// With V the volumes of the rings, V0 those wanted, D = dV/dx, and pressures p that are carried from step to step, the
// semi-implicit step (thesis 4.2) becomes
//
//     2  v~ with h D^T p among the forces
//     3  v~ += W P D^T phi,     V(x + dt v~) = V0          p += phi / dt
//     8  v½ with h D^T p among the forces, the new p
//    13  v' += W P D^T phi',    D v' = 0
//
// The thesis projects v* at 6. At the end D is that of the positions that velocities belong to, so that angular
// momentum stays, and a spinning block of rubber gains a third of the energy (0.7 instead of 2.4 % in ten turns; 0.8 %
// if it is compressible).
//
// The thesis has no p: there pressure acts after the damped solves only, what it balances in equilibrium is balanced
// outside of them, and a loaded body at rest is wrong by h D M^-1 D^T p (its displacement by up to 21 % in a test) and
// keeps a speed of dt times the acceleration that pressure should take away. With p carried along (van Kan's
// incremental projection) phi is the change of pressure only, 0 at rest, and both errors vanish.
//
// 3 is a step of Newton's method from the positions to which v~ leads, contacts with objects included: a node that will
// land is counted where it lands, and gets no velocity into the surface, nor any at all if it sticks. So neither undoes
// the other (thesis 4.4). A second step follows where rings err by much. What is missing comes back within the recovery
// time at the earliest.
//
// The law of such a material is that of a Poisson's ratio of at most .3 with the same shear modulus
// (pl__material_resolve); pressures do the rest. While a body untangles (recovery.h) its rings are left alone.
//
// What it does badly: flat bodies, which take iterations in inverse proportion to their thickness. Contacts between
// bodies are not in these solves: they are filtered afterwards, and what that costs in volume comes back in the next
// step.
#include "incompressible.h"
#include "step.h"
#include "tolerances.h"
#include "volume/ring_solve.h"

#include <math.h>
#include <string.h>

typedef pl__step step;

enum
{
    NODES_PER_CHUNK = PL_VECTOR_CHUNK / 3
};

// ---- the rings of a body ---------------------------------------------------------------------------------------

static bool keeps_volume(const pl__element_group *group, int32_t element, const pl_material_def *material)
{
    return pl__element_type_of(group->kind)->solid && material[group->material[element]].incompressible != 0;
}

static int32_t list_elements(const pl__body *body, const pl__body_spec *spec, int32_t *node)
{
    int32_t count = 0, corners = pl__mesh_corners(spec->mesh);
    for (int32_t g = 0; g < body->group_count; ++g)
        for (int32_t e = 0; e < body->group[g].count; ++e)
            if (keeps_volume(&body->group[g], e, spec->material))
            {
                for (int32_t a = 0; node && a < corners; ++a)
                    node[count * corners + a] = *pl__element_node(&body->group[g], e, a) - body->first_node;
                ++count;
            }
    return count;
}

static pl_status make_rings(pl__body *body, const pl__body_spec *spec, int32_t *node, double *X)
{
    pl__ring_elements elements = {.corners = pl__mesh_corners(spec->mesh),
                                  .count = list_elements(body, spec, node),
                                  .node = node,
                                  .thickness = body->thickness};
    for (int32_t n = 0; n < body->node_count; ++n)
        memcpy(&X[3 * (size_t)n], &spec->mesh->position[3 * (size_t)body->source_of_node[n]], 3 * sizeof *X);
    return pl__rings_create(body->ctx, &elements, body->node_count, X, body->rings);
}

pl_status pl__body_make_rings(pl__body *body, const pl__body_spec *spec)
{
    int32_t count = body->shell ? 0 : list_elements(body, spec, NULL);
    if (count == 0)
        return PL_OK;
    size_t corners = (size_t)count * (size_t)pl__mesh_corners(spec->mesh), nodes = 3 * (size_t)body->node_count;
    int32_t *node = PL_NEW(body->ctx, corners, int32_t);
    double *X = PL_NEW(body->ctx, nodes, double);
    body->rings = PL_NEW(body->ctx, 1, pl__rings);
    pl_status status = node && X && body->rings ? make_rings(body, spec, node, X) : PL_ERR_MEMORY;
    PL_DELETE(body->ctx, node, corners);
    PL_DELETE(body->ctx, X, nodes);
    return status;
}

void pl__body_destroy_rings(pl__body *body)
{
    if (body->rings)
        pl__rings_destroy(body->ctx, body->rings);
    PL_DELETE(body->ctx, body->rings, 1);
}

double pl__ring_error(const pl__solids *s, const pl__body *body)
{
    pl__rings *r = body->rings;
    double most = 0;
    if (r)
        pl__rings_measure(s->ctx, r, &s->state.x[3 * (size_t)body->first_node]);
    for (int32_t k = 0; r && k < r->node_count; ++k)
        if (r->target[k] > 0)
            most = fmax(most, fabs(r->volume[k] / (body->state.volume * r->target[k]) - 1));
    return most;
}

static bool is_kept(const pl__body *body)
{
    return body->rings && !body->state.asleep && body->state.recovery_level == 0;
}

static bool any_is_kept(const void *user)
{
    const pl__solids *s = user;
    for (int32_t i = 0; i < s->body_count; ++i)
        if (is_kept(s->body[i]))
            return true;
    return false;
}

// ---- forces ----------------------------------------------------------------------------------------------------

void pl__incompressible_add_forces(pl__solids *s, const double *x, bool of_state)
{
    for (int32_t i = 0; i < s->body_count; ++i)
    {
        pl__body *body = s->body[i];
        size_t at = 3 * (size_t)body->first_node;
        if (is_kept(body))
            pl__rings_add_force(s->ctx, body->rings, &x[at], of_state ? body->rings->pressure : body->rings->next,
                                &s->evaluation.force[at]);
    }
}

// ---- positions -------------------------------------------------------------------------------------------------

// Volumes at the end of the step: those wanted, or as near to them as the recovery time allows.
static void begin_step(step *st, pl__body *body)
{
    pl__rings *r = body->rings;
    r->factor = body->state.volume;
    r->solves = 0;
    double most = st->set->volume_recovery > st->dt ? st->dt / st->set->volume_recovery : INFINITY;
    memcpy(r->next, r->pressure, (size_t)r->node_count * sizeof *r->next);
    pl__rings_measure(st->s->ctx, r, &st->s->state.x[3 * (size_t)body->first_node]);
    for (int32_t k = 0; k < r->node_count; ++k)
    {
        double wanted = r->factor * r->target[k], missing = wanted - r->volume[k];
        r->goal[k] = most == INFINITY ? wanted : r->volume[k] + fmax(fmin(missing, most * wanted), -most * wanted);
    }
}

static void advance_nodes(void *argument, int32_t begin, int32_t end)
{
    const step *st = argument;
    for (size_t k = 3 * (size_t)begin; k < 3 * (size_t)end; ++k)
        st->s->step.x_end[k] = st->s->state.x[k] + st->dt * st->s->step.v_end[k];
}

// Positions at the end of the step, and the constraints that contacts there put on changes of v~.
static void foresee_contacts(step *st)
{
    pl__solids *s = st->s;
    pl__parallel_for_some(s->ctx, s->node_count, NODES_PER_CHUNK, &s->awake.nodes, advance_nodes, st);
    if (st->set->object_count > 0)
        pl__object_contact_foresee(&st->touch);
    pl__hold_nodes(st, PL__HOLD_CONTACTS);
}

// The largest relative error, and the sum of their squares.
static double error_of(const pl__rings *r, double dt, double *square)
{
    double most = 0;
    *square = 0;
    for (int32_t k = 0; k < r->node_count; ++k)
    {
        double error = r->target[k] > 0 ? fabs(r->work.r[k]) * dt / (r->factor * r->target[k]) : 0;
        most = fmax(most, error);
        *square += error * error;
    }
    return most;
}

static void solve(step *st, const pl__body *body, pl__minres_limits limits, double *v)
{
    pl__solids *s = st->s;
    pl__rings *r = body->rings;
    pl__ring_system system = {.rings = r,
                              .first_node = body->first_node,
                              .inverse_mass = s->inverse_inertia,
                              .constraints = &st->constraints,
                              .change = s->step.cg.q,
                              .give = PL__RING_GIVE,
                              .dt = st->dt};
    limits.floor = PL__RING_FLOOR;
    limits.iterations = st->set->cg.iterations;
    pl__minres_info info = pl__ring_solve(s->ctx, &system, &limits, v);
    st->outcome->volume_iterations += info.iterations;
    st->outcome->unconverged += info.iterations >= limits.iterations;
}

// v~ goes back by a part of the last change, and so do the pressures.
static void change_pressures(const step *st, const pl__body *body, double part)
{
    pl__rings *r = body->rings;
    double most = PL__CARRIED_PRESSURE * body->shear_energy / body->rest_volume;
    for (int32_t k = 0; k < r->node_count; ++k)
        r->next[k] = fmax(fmin(r->from[k] + part * r->impulse[k] / st->dt, most), -most);
}

static void shorten(const step *st, const pl__body *body, double *part)
{
    pl__solids *s = st->s;
    size_t begin = 3 * (size_t)body->first_node, end = begin + 3 * (size_t)body->node_count;
    *part *= 0.5;
    for (size_t k = begin; k < end; ++k)
        s->step.v_end[k] -= *part * s->step.cg.q[k];
    change_pressures(st, body, *part);
}

// One step of Newton's method from where the last one led, or a shorter one if that made the errors larger: far from
// the volumes wanted, or where they cannot be had, rings are anything but linear. True if it should be looked at once
// more.
static bool correct_positions(step *st, pl__body *body, int32_t round)
{
    pl__rings *r = body->rings;
    pl__rings_measure(st->s->ctx, r, &st->s->step.x_end[3 * (size_t)body->first_node]);
    for (int32_t k = 0; k < r->node_count; ++k)
        r->work.r[k] = (r->goal[k] - r->volume[k]) / st->dt;
    double square, error = error_of(r, st->dt, &square);
    if (round > 0 && error <= PL__RING_ERROR_LEFT)
        return false;
    if (round > 0 && !(square <= r->square))
    {
        shorten(st, body, &r->part);
        return true;
    }
    if (r->solves == PL__RING_NEWTON)
        return false;
    memcpy(r->from, r->next, (size_t)r->node_count * sizeof *r->from);
    pl__rings_assemble(st->s->ctx, r);
    solve(st, body, (pl__minres_limits){.tolerance = r->solves ? 1 : PL__RING_REDUCTION, .most = PL__RING_ERROR},
          st->s->step.v_end);
    r->square = square;
    r->part = 1;
    r->solves++;
    change_pressures(st, body, 1);
    return error > PL__RING_ERROR_LARGE;
}

static void keep_positions(void *user, const pl__stage_input *in)
{
    step *st = in->step;
    pl__solids *s = user;
    bool again = true;
    for (int32_t i = 0; i < s->body_count; ++i)
        if (is_kept(s->body[i]))
            begin_step(st, s->body[i]);
    for (int32_t round = 0; again && round < PL__RING_ROUNDS; ++round)
    {
        foresee_contacts(st);
        again = false;
        for (int32_t i = 0; i < s->body_count; ++i)
            if (is_kept(s->body[i]))
                again |= correct_positions(st, s->body[i], round);
    }
}

// ---- velocities ------------------------------------------------------------------------------------------------

static void keep_velocities(void *user, const pl__stage_input *in)
{
    step *st = in->step;
    pl__solids *s = user;
    for (int32_t i = 0; i < s->body_count; ++i)
    {
        size_t at = 3 * (size_t)s->body[i]->first_node;
        pl__rings *r = s->body[i]->rings;
        if (!is_kept(s->body[i]))
            continue;
        pl__rings_measure(s->ctx, r, &in->x[at]);
        pl__rings_assemble(s->ctx, r);
        pl__rings_divergence(s->ctx, r, &in->v[at], r->work.r);
        for (int32_t k = 0; k < r->node_count; ++k)
            r->work.r[k] = -r->work.r[k];
        solve(st, s->body[i], (pl__minres_limits){.tolerance = PL__RING_SPEED_REDUCTION, .most = PL__RING_SPEED_ERROR},
              in->v);
    }
}

// The step is accepted: so are its pressures.
static void keep_pressures(void *user, const pl__stage_input *in)
{
    const pl__solids *s = user;
    (void)in;
    for (int32_t i = 0; i < s->body_count; ++i)
        if (is_kept(s->body[i]))
            memcpy(s->body[i]->rings->pressure, s->body[i]->rings->next,
                   (size_t)s->body[i]->node_count * sizeof *s->body[i]->rings->next);
}

pl_status pl__incompressible_register(pl_context *ctx, pl__stages *stages, pl__solids *solids)
{
    const pl__stage stage[] = {{"volume", PL__BEFORE_POSITIONS, any_is_kept, keep_positions, solids},
                               {"volume", PL__NEW_VELOCITIES, any_is_kept, keep_velocities, solids},
                               {"volume", PL__AFTER_POSITIONS, any_is_kept, keep_pressures, solids}};
    for (size_t i = 0; i < sizeof stage / sizeof stage[0]; ++i)
        PL_TRY(pl__stages_add(ctx, stages, &stage[i]));
    return PL_OK;
}
